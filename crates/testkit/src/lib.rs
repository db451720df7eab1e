//! For tests: a workspace laid out from text, and a runtime bound to it.
//!
//! ```text
//! //- src/main.rs
//! fn main() {}
//! //- README.md
//! Hello.
//! ```

mod machine;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use m1nd_runtime::workspace::BindingSource;
use m1nd_runtime::{BuildInfo, Reply, Runtime, Settings, Silent, Surface, ToolCall, ToolsetName};
use m1nd_stdx::cancel::CancelToken;
use m1nd_stdx::clock::{ManualClock, UnixMs};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

pub use machine::Machine;

/// A folder with a workspace and a home, gone when dropped.
pub struct Fixture {
    dir: TempDir,
    pub clock: ManualClock,
    pub runtime: Runtime,
}

impl Fixture {
    /// Lays out the files of `text` and binds a runtime with `surface` to them.
    pub fn new(surface: Surface, text: &str) -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder can be made");
        let root = dir.path().join("ws");
        fs::create_dir_all(&root).expect("the workspace folder can be made");
        lay_out(&root, text);
        let clock = ManualClock::at(UnixMs(1_700_000_000_000));
        let runtime =
            Runtime::new(surface, settings(&dir.path().join("home")), Arc::new(clock.clone()), None);
        runtime.bind(&root, BindingSource::Flag).expect("the workspace can be opened");
        Self { dir, clock, runtime }
    }

    /// A second process on the same workspace and home.
    pub fn restart(&self, surface: Surface) -> Process {
        let runtime = Runtime::new(
            surface,
            settings(&self.dir.path().join("home")),
            Arc::new(self.clock.clone()),
            None,
        );
        runtime.bind(&self.root(), BindingSource::Flag).expect("the workspace can be opened");
        Process { runtime }
    }

    /// From here on a process that was started read-only.
    pub fn read_only(&mut self, surface: Surface) {
        let settings = Settings { read_only: true, ..settings(&self.dir.path().join("home")) };
        self.runtime = Runtime::new(surface, settings, Arc::new(self.clock.clone()), None);
        self.runtime.bind(&self.root(), BindingSource::Flag).expect("the workspace can be opened");
    }

    /// The workspace folder.
    pub fn root(&self) -> std::path::PathBuf {
        self.dir.path().join("ws")
    }

    /// The folder around it, for what must be outside.
    pub fn outside(&self) -> &Path {
        self.dir.path()
    }

    /// Calls a tool as agent `tester`, or in the reasoning workspace `demo`.
    pub fn call(&self, tool: &str, arguments: Value) -> Reply {
        let mut map = arguments.as_object().cloned().unwrap_or_default();
        let caller = self.runtime.registry().entry(tool).map(|(entry, _)| entry.spec.caller.name());
        match caller {
            Some("workspace") => map.entry("workspace").or_insert_with(|| json!("demo")),
            _ => map.entry("agent_id").or_insert_with(|| json!("tester")),
        };
        self.call_raw(tool, map)
    }

    /// Calls a tool with exactly these arguments.
    pub fn call_raw(&self, tool: &str, arguments: Map<String, Value>) -> Reply {
        self.clock.advance(Duration::from_millis(1));
        let call = ToolCall { name: tool.to_owned(), arguments };
        self.runtime.call(call, &CancelToken::new(), &Silent)
    }
}

/// Another process on a fixture's workspace.
pub struct Process {
    pub runtime: Runtime,
}

impl Process {
    /// Calls a tool with exactly these arguments.
    pub fn call_raw(&self, tool: &str, arguments: Map<String, Value>) -> Reply {
        self.runtime.call(ToolCall { name: tool.to_owned(), arguments }, &CancelToken::new(), &Silent)
    }
}

/// Settings for a runtime whose state lives below `home`.
pub fn settings(home: &Path) -> Settings {
    Settings {
        home: home.to_owned(),
        runtime_root: None,
        toolsets: BTreeSet::from([ToolsetName::Core]),
        read_only: false,
        verify_commands: Vec::new(),
        build: BuildInfo { version: "0.0.0", hash: "test" },
    }
}

/// Writes the files that `text` describes below `root`.
pub fn lay_out(root: &Path, text: &str) {
    for part in text.split("//- ").skip(1) {
        let (name, content) = part.split_once('\n').unwrap_or((part, ""));
        let path = root.join(name.trim());
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("folders can be made");
        fs::write(path, content).expect("files can be written");
    }
}

/// The last line that an answer shows of a file and that is long enough to be pointed at, without its number.
pub fn line_shown(answer: &serde_json::Value) -> Option<String> {
    let texts = [answer, &answer["files"][0], &answer["matches"][0]];
    let text =
        texts.iter().find_map(|body| body["content"].as_str().or_else(|| body["line_content"].as_str()))?;
    let mut lines = text.lines().map(|line| line.split_once('\t').map_or(line, |(_, text)| text));
    let is_long = |line: &&str| line.chars().filter(|letter| !letter.is_whitespace()).count() >= 8;
    lines.rfind(is_long).map(str::to_owned)
}
