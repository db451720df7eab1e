//! `m1nd doctor`: checks of this installation, each with what to do when it fails.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use m1nd_memory::StoreError;
use m1nd_runtime::Runtime;
use m1nd_runtime::workspace::Workspace;
use serde::Serialize;
use serde_json::{Value, json};

use crate::args::{BUILD_HASH, Global, VERSION};
use crate::config::Config;
use crate::output::{BAD, DIM, Reader};
use crate::wiring;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Ok,
    Warning,
    Failed,
}

#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    state: State,
    found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
}

impl Check {
    fn ok(name: &'static str, found: impl Into<String>) -> Self {
        Self { name, state: State::Ok, found: found.into(), advice: None }
    }

    fn warning(name: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { name, state: State::Warning, found: found.into(), advice: Some(advice.into()) }
    }

    fn failed(name: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { name, state: State::Failed, found: found.into(), advice: Some(advice.into()) }
    }
}

pub fn run(global: &Global, json: bool) -> anyhow::Result<ExitCode> {
    let mut config = wiring::config(global)?;
    // A doctor looks: what it finds unfinished or moved is for the next that works here.
    config.read_only.value = true;
    let runtime = wiring::runtime(&config);
    let mut checks = vec![binary(), settings(&config)];
    match &runtime {
        Ok(runtime) => {
            checks.push(workspace(runtime));
            checks.extend(state(&config, runtime));
            checks.extend(hosts(runtime));
        }
        Err(err) => checks.push(Check::failed(
            "workspace",
            format!("{err:#}"),
            "Name a folder that exists with --workspace or M1ND_WORKSPACE_ROOT.",
        )),
    }
    checks.push(protocol());
    let failed = checks.iter().any(|check| check.state == State::Failed);
    match Reader::of(json) {
        Reader::Program => anstream::println!("{}", json!({ "ok": !failed, "checks": checks })),
        Reader::Person => checks.iter().for_each(show),
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn show(check: &Check) {
    const GOOD: Style = AnsiColor::Green.on_default();
    const WARN: Style = AnsiColor::Yellow.on_default();
    let (style, word) = match check.state {
        State::Ok => (GOOD, "ok"),
        State::Warning => (WARN, "warning"),
        State::Failed => (BAD, "failed"),
    };
    anstream::println!("{style}{word:<8}{style:#} {:<10} {}", check.name, check.found);
    if let Some(advice) = &check.advice {
        anstream::println!("{:<19} {DIM}{advice}{DIM:#}", "");
    }
}

/// Two different programs of one name are a common reason for answers that do not fit.
fn binary() -> Check {
    let Ok(own) = std::env::current_exe() else {
        return Check::warning(
            "binary",
            "the system does not say which program runs",
            "Call it by its full path.",
        );
    };
    let found = format!("m1nd {VERSION} ({BUILD_HASH}) at {}", own.display());
    let others: Vec<PathBuf> = std::env::var_os("PATH")
        .map(|path| std::env::split_paths(&path).map(|folder| folder.join("m1nd")).collect::<Vec<_>>())
        .unwrap_or_default()
        .into_iter()
        .filter(|path| path.is_file() && !same_file(path, &own))
        .collect();
    match others.first() {
        None => Check::ok("binary", found),
        Some(other) => Check::warning(
            "binary",
            format!("{found}; another one is at {}", other.display()),
            "Make sure that your host's configuration names the one you mean, by its full path.",
        ),
    }
}

fn same_file(a: &Path, b: &Path) -> bool {
    a.canonicalize().ok() == b.canonicalize().ok()
}

fn settings(config: &Config) -> Check {
    match config.warnings.as_slice() {
        [] => Check::ok("settings", "read; `m1nd config show` lists them"),
        warnings => Check::warning("settings", warnings.join("; "), "Mend or remove the file."),
    }
}

/// What the hosts of this machine would start, as their settings say it.
fn hosts(runtime: &Runtime) -> Vec<Check> {
    let status = super::ask(runtime, "hosts_status", json!({})).body;
    let list = |key: &str| status[key].as_array().cloned().unwrap_or_default();
    let warnings: Vec<String> =
        list("warnings").iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let hosts = list("hosts");
    // What is only known to be there is not known to start this program.
    let (mut own, mut others) = (Vec::new(), Vec::new());
    for host in &hosts {
        let name = host["host"].as_str().unwrap_or_default();
        let entries = host["entries"].as_array().map(Vec::as_slice).unwrap_or_default();
        let note = entries.iter().find_map(|entry| entry["note"].as_str());
        let is_bad = |entry: &Value| {
            let is_other =
                ["another", "missing", "not_executable"].map(Value::from).contains(&entry["binary"]);
            is_other || entry["problem"].is_string() || entry["workspace_match"] == false
        };
        // Its warning says more.
        if entries.is_empty() || entries.iter().any(is_bad) {
            continue;
        }
        match (note, entries.iter().all(|entry| entry["binary"] == "this_one")) {
            (None, true) => own.push(name.to_owned()),
            (note, _) => others.push(format!("{name} ({})", note.unwrap_or("which program is not known"))),
        }
    }
    let mut said = Vec::new();
    if !own.is_empty() {
        let verb = if own.len() == 1 { "starts" } else { "start" };
        said.push(format!("{} {verb} this program", own.join(", ")));
    }
    if !others.is_empty() {
        said.push(format!("not known of {}", others.join(", ")));
    }
    let mut checks: Vec<Check> = warnings
        .iter()
        .map(|warning| {
            let advice =
                "Mend the entry, restart the host's server, and let its agent make a new session_handshake.";
            Check::warning("hosts", warning.as_str(), advice)
        })
        .collect();
    match (warnings.is_empty(), said.is_empty()) {
        (true, true) => {
            checks.push(Check::ok("hosts", "none is set up yet; `m1nd init --host NAME` does it"));
        }
        (_, false) => checks.insert(0, Check::ok("hosts", said.join("; "))),
        (false, true) => {}
    }
    checks
}

fn workspace(runtime: &Runtime) -> Check {
    match runtime.workspace() {
        Some(workspace) => Check::ok(
            "workspace",
            format!("{} (chosen by {})", workspace.root().path().display(), workspace.source()),
        ),
        None => Check::warning(
            "workspace",
            "none: the current folder is in no repository",
            "Change to a repository, or name one with --workspace or M1ND_WORKSPACE_ROOT.",
        ),
    }
}

fn state(config: &Config, runtime: &Runtime) -> Vec<Check> {
    let mut checks = vec![writable("home", &config.home.value)];
    if let Some(workspace) = runtime.workspace() {
        let root = workspace.runtime_root();
        checks.push(match open_to_others(root) {
            Some(path) => Check::warning(
                "state",
                format!("{} can be read by other users", path.display()),
                format!("Run: chmod -R go-rwx {}", root.display()),
            ),
            None if root.is_dir() => Check::ok("state", root.display().to_string()),
            None => Check::ok("state", format!("{} (made on first use)", root.display())),
        });
        checks.push(graph(&workspace));
        checks.push(memory(&workspace));
    }
    checks
}

/// Parts of the graph that could not be read stay until somebody looks at them.
fn graph(workspace: &Workspace) -> Check {
    let root = workspace.runtime_root();
    if let Some(problem) = workspace.unreadable_graph() {
        return Check::warning(
            "graph",
            format!("{} cannot be read: {problem}", root.join("graph.snapshot").display()),
            "The next question about the graph sets it aside and makes it again from the files; `m1nd ingest` does so now.",
        );
    }
    let kept = std::fs::read_dir(root).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_aside = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("graph.corrupt"))
    };
    let mut kept: Vec<PathBuf> = kept.filter(is_aside).collect();
    kept.sort();
    let snapshot = root.join("graph.snapshot");
    match (kept.last(), snapshot.is_file()) {
        (Some(last), _) => Check::warning(
            "graph",
            format!("{} unreadable parts were set aside, the last as {}", kept.len(), last.display()),
            "The graph was made again from the files. Remove what was set aside once you do not need it.",
        ),
        (None, true) => Check::ok("graph", snapshot.display().to_string()),
        (None, false) => Check::ok("graph", "nothing was read here yet; `m1nd ingest` does it"),
    }
}

/// Looks at the store, and leaves a damaged one where it is.
fn memory(workspace: &Workspace) -> Check {
    let state = workspace.memory_state();
    match (state.problem, state.set_aside.last()) {
        (Some(problem @ StoreError::SchemaTooNew { .. }), _) => Check::failed(
            "memory",
            format!("{problem}"),
            "A newer m1nd wrote it: update this one. Until then nothing of it is read or changed.",
        ),
        (Some(problem), _) => Check::failed(
            "memory",
            format!("{problem}"),
            "Put a backup in its place if you have one. The next call that needs memory sets the file aside and begins anew.",
        ),
        (None, Some(kept)) => Check::warning(
            "memory",
            format!("a damaged store was set aside as {}", kept.display()),
            "Keep a copy if you want to save what is in it, then remove it.",
        ),
        (None, None) if state.bytes == 0 => Check::ok("memory", "nothing is remembered here yet"),
        (None, None) => Check::ok("memory", format!("{} ({} bytes)", state.path.display(), state.bytes)),
    }
}

/// The nearest existing folder above must be writable.
fn writable(name: &'static str, folder: &Path) -> Check {
    let existing = folder.ancestors().find(|at| at.is_dir()).unwrap_or(Path::new("/"));
    let probe = existing.join(format!(".m1nd-probe-{}", std::process::id()));
    if folder.exists() && !folder.is_dir() {
        return Check::failed(
            name,
            format!("{} is not a folder", folder.display()),
            "Move the file away, or set M1ND_HOME to another folder.",
        );
    }
    // A full disk takes an empty file, but not its content.
    let written = std::fs::write(&probe, [0; 4096]);
    let removed = std::fs::remove_file(&probe);
    match written.and(removed) {
        Ok(()) => Check::ok(name, folder.display().to_string()),
        Err(err) => Check::failed(
            name,
            format!("{} cannot be written: {err}", existing.display()),
            "Free some space, allow this user to write there, or set M1ND_HOME to another folder.",
        ),
    }
}

fn open_to_others(root: &Path) -> Option<PathBuf> {
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(meta) = entry.metadata() else { continue };
            if meta.permissions().mode() & 0o077 != 0 {
                return Some(entry.path());
            }
            if meta.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    None
}

/// How long a server may take to answer its first request.
const PATIENCE: Duration = Duration::from_secs(5);

/// Starts this program as a host would, and asks it who it is.
fn protocol() -> Check {
    match handshake() {
        Ok(version) => Check::ok("protocol", format!("`m1nd serve` answers initialize (MCP {version})")),
        Err(err) => Check::failed(
            "protocol",
            format!("`m1nd serve` does not answer: {err:#}"),
            "Run `m1nd serve -v` by hand and read what it says.",
        ),
    }
}

fn handshake() -> anyhow::Result<String> {
    let mut server = Command::new(std::env::current_exe()?)
        .arg("serve")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let request = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "m1nd-doctor", "version": VERSION},
        },
    });
    if let Some(mut stdin) = server.stdin.take() {
        writeln!(stdin, "{request}")?;
    }
    let answer = server.stdout.take().map(|stdout| {
        let (send, receive) = mpsc::channel();
        std::thread::spawn(move || {
            let mut line = String::new();
            let read = BufReader::new(stdout).read_line(&mut line);
            // Nobody may be waiting any more.
            send.send(read.map(|_| line)).unwrap_or_default();
        });
        receive.recv_timeout(PATIENCE)
    });
    let ended = server.kill().and_then(|()| server.wait());
    let line = answer.ok_or_else(|| anyhow::anyhow!("it has no output"))???;
    ended?;
    let reply: Value = serde_json::from_str(&line)?;
    match reply["result"]["protocolVersion"].as_str() {
        Some(version) => Ok(version.to_owned()),
        None => anyhow::bail!("{reply}"),
    }
}
