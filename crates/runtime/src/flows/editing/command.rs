//! Command: the programs that the user allowed for verification, with a time limit and only the end of what they say.

use std::io::Read;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use m1nd_contract::{Fault, Recovery};
use parking_lot::Mutex;
use rustix::process::{Pid, Signal, kill_process_group};
use schemars::JsonSchema;
use serde::Serialize;

use crate::ctx::Ctx;
use crate::faults::invalid_params;
use crate::pipeline::Step;

/// Hosts give up after a minute.
const LIMIT: Duration = Duration::from_secs(50);
/// How often a waiting host hears of it.
const REPORT: Duration = Duration::from_secs(4);
const LOOK: Duration = Duration::from_millis(20);
/// Bytes of output that are kept, from the end.
const MAX_OUTPUT: usize = 4_000;

/// What a command came to.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct CommandRun {
    pub command: String,
    /// Missing when it was ended for taking too long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The end of what it said; shown where it failed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub output: String,
}

impl CommandRun {
    pub fn passed(&self) -> bool {
        self.exit_code == Some(0)
    }
}

/// That there are commands; told before anything is written.
pub(super) fn allowed(ctx: &Ctx<'_>) -> Result<Vec<String>, Fault> {
    let commands = ctx.runtime().settings().verify_commands.clone();
    if commands.is_empty() {
        let mut fault = invalid_params(
            ctx.tool(),
            "`verify: command` runs what the user allowed with `verify_commands`, and there is none.",
        );
        fault.recovery = Recovery::hint(
            "Use `verify: graph`, or ask the user to add verify_commands = [\"cargo test\"] to config.toml in M1ND_HOME.",
        );
        return Err(fault);
    }
    Ok(commands)
}

/// Runs them in order, until one fails.
pub(super) fn run(ctx: &Ctx<'_>, commands: &[String]) -> Result<Vec<CommandRun>, Fault> {
    let folder = ctx.workspace()?.root().path().to_owned();
    let end = Instant::now() + LIMIT;
    let mut runs: Vec<CommandRun> = Vec::new();
    for command in commands {
        let run = one(ctx, command, &folder, end);
        let passed = run.passed();
        runs.push(run);
        if !passed {
            break;
        }
    }
    Ok(runs)
}

fn one(ctx: &Ctx<'_>, command: &str, folder: &std::path::Path, end: Instant) -> CommandRun {
    let failed = |output: String| CommandRun { command: command.to_owned(), exit_code: Some(127), output };
    let spawned = Command::new("/bin/sh")
        .args(["-c", command])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // Its own group, so that what it starts ends with it.
        .process_group(0)
        .spawn();
    let mut child = match spawned {
        Ok(child) => child,
        Err(err) => return failed(err.to_string()),
    };
    let said: Arc<Mutex<Vec<u8>>> = Arc::default();
    let readers = [
        child.stdout.take().map(|out| follow(out, &said)),
        child.stderr.take().map(|out| follow(out, &said)),
    ];
    let exit_code = wait(ctx, command, &mut child, end);
    // Something it left running may hold its output open; nobody waits for that.
    let until = Instant::now() + Duration::from_millis(500);
    while readers.iter().flatten().any(|reader| !reader.is_finished()) && Instant::now() < until {
        std::thread::sleep(LOOK);
    }
    let output = String::from_utf8_lossy(&said.lock()).trim().to_owned();
    let output = if exit_code == Some(0) { String::new() } else { output };
    CommandRun { command: command.to_owned(), exit_code, output }
}

/// The exit code; nothing when it took too long or the call was cancelled.
fn wait(ctx: &Ctx<'_>, command: &str, child: &mut Child, end: Instant) -> Option<i32> {
    let mut told = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status.code().unwrap_or(-1)),
            Ok(None) if Instant::now() < end && ctx.cancel().stop().is_none() => {}
            _ => {
                stop(child);
                return None;
            }
        }
        if told.elapsed() > REPORT {
            told = Instant::now();
            ctx.report(Step { done: 0, total: None, message: format!("{command} still runs") });
        }
        std::thread::sleep(LOOK);
    }
}

fn stop(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw)
        && let Err(err) = kill_process_group(group, Signal::KILL)
    {
        tracing::debug!(%err, "a command had ended already");
    }
    if let Err(err) = child.wait() {
        tracing::warn!(%err, "a command that was ended cannot be waited for");
    }
}

/// Keeps the end of what is said.
fn follow(mut out: impl Read + Send + 'static, said: &Arc<Mutex<Vec<u8>>>) -> std::thread::JoinHandle<()> {
    let said = Arc::clone(said);
    std::thread::spawn(move || {
        let mut buffer = [0_u8; 4_096];
        while let Ok(count @ 1..) = out.read(&mut buffer) {
            let mut said = said.lock();
            said.extend_from_slice(&buffer[..count]);
            let excess = said.len().saturating_sub(MAX_OUTPUT);
            said.drain(..excess);
        }
    })
}
