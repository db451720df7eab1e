//! A seat: one agent at one runtime. Everything it does goes through the real pipeline and is counted.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use m1nd_runtime::workspace::BindingSource;
use m1nd_runtime::{BuildInfo, Machine, Runtime, Settings, Silent, ToolCall};
use m1nd_stdx::cancel::CancelToken;
use m1nd_stdx::clock::SystemClock;
use serde_json::{Value, json};

use crate::args::{BUILD_HASH, VERSION};

/// A runtime of its own on a workspace.
pub fn runtime(
    home: &Path,
    workspace: &Path,
    machine: Machine,
    program: Option<&Path>,
) -> anyhow::Result<Runtime> {
    let settings = Settings {
        home: home.to_owned(),
        runtime_root: None,
        toolsets: Default::default(),
        read_only: false,
        verify_commands: Vec::new(),
        build: BuildInfo { version: VERSION, hash: BUILD_HASH },
    };
    let clock = Arc::new(SystemClock::new());
    let runtime =
        Runtime::new(m1nd_tools::surface(), settings, clock, program.map(Path::to_owned)).on(machine);
    runtime.bind(workspace, BindingSource::Flag)?;
    Ok(runtime)
}

pub struct Seat<'r> {
    runtime: &'r Runtime,
    agent: &'static str,
    pub mission: Option<String>,
    pub calls: u64,
    /// Searches that were made, by tool and words; those of agents before it too.
    pub searched: BTreeSet<String>,
    pub repeated_searches: u64,
    /// Answers that said that the agent goes in circles.
    pub loops: u64,
}

impl<'r> Seat<'r> {
    pub fn new(runtime: &'r Runtime, agent: &'static str) -> Self {
        Self {
            runtime,
            agent,
            mission: None,
            calls: 0,
            searched: BTreeSet::new(),
            repeated_searches: 0,
            loops: 0,
        }
    }

    /// The answer, or what was refused.
    pub fn call(&mut self, tool: &str, mut arguments: Value) -> Result<Value, Value> {
        self.calls += 1;
        if ["seek", "search"].contains(&tool)
            && !self.searched.insert(format!("{tool} {}", arguments["query"]))
        {
            self.repeated_searches += 1;
        }
        arguments["agent_id"] = json!(self.agent);
        if let Some(mission) = &self.mission
            && arguments.get("mission_id").is_none()
            && !["mission_start", "mission_resume"].contains(&tool)
        {
            arguments["mission_id"] = json!(mission);
        }
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        let call = ToolCall { name: tool.to_owned(), arguments };
        let reply = self.runtime.call(call, &CancelToken::new(), &Silent);
        if reply.body["mission_warnings"].to_string().contains("Loop") {
            self.loops += 1;
        }
        if reply.is_error { Err(reply.body["error"].clone()) } else { Ok(reply.body) }
    }

    /// The same where a refusal ends the game: the gym would measure nothing.
    pub fn must(&mut self, tool: &str, arguments: Value) -> anyhow::Result<Value> {
        self.call(tool, arguments.clone())
            .map_err(|error| anyhow::anyhow!("{tool} {arguments} was refused: {error}"))
    }
}

/// The files that an answer points to, the best first, each once.
pub fn files_in(body: &Value) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    let lists = ["results", "matches"].iter().filter_map(|key| body[*key].as_array());
    for item in lists.flatten() {
        if let Some(path) = item["file_path"].as_str().filter(|path| !files.iter().any(|known| known == path))
        {
            files.push(path.to_owned());
        }
    }
    files
}
