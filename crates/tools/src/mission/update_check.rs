//! `update_check`: which build runs, which is on disk, and which each host would start.

use m1nd_contract::{Fault, Guidance, Trim};
use m1nd_runtime::flows::hosts::{self, OnPath};
use m1nd_runtime::program::{OnDisk, version_in};
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{NO_UPDATE, READ};

pub struct UpdateCheck;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// One host only: claude, codex, cursor, vscode, zed …
    host: Option<String>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    schema: &'static str,
    /// consistent, stale_process (restart it), gone (install it again, then restart), mixed (several programs), or unknown.
    status: &'static str,
    /// The process that answers.
    running: Running,
    /// What is now at the place it was started from.
    on_disk: Disk,
    on_path: Vec<OnPath>,
    /// What each host with an entry for m1nd would start.
    hosts: Vec<Starts>,
    /// What to ask of the user, in order.
    plan: Vec<&'static str>,
    non_claims: Vec<&'static str>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Running {
    version: String,
    process_id: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Disk {
    /// same, replaced, gone, or unknown.
    state: &'static str,
    version: String,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Starts {
    host: &'static str,
    /// this_one, another, not_executable, missing, or unknown.
    binary: &'static str,
    version: String,
    file: String,
    /// Why the host cannot start it, if it cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

impl Tool for UpdateCheck {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "update_check",
        summary: "Whether the process that answers, the program on disk, the one on PATH and the one each host starts are the same build.",
        help: "Nothing is run, fetched or changed: whether a newer release exists is not asked. After a restart make a new session_handshake; only that shows what a host reached.",
        intents: &["version", "stale binary", "was it updated", "restart needed"],
        needs: Needs::Nothing,
        family: Family::Recover,
        examples: &[Example { says: "All of them", arguments: "{}" }],
        ..READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let only = super::host_named(ctx, input.host.as_deref())?;
        let runtime = ctx.runtime();
        let build = runtime.settings().build;
        let version = format!("{} ({})", build.version, build.hash);
        let disk = runtime.program().map_or(OnDisk::Unknown, |program| program.on_disk());
        let on_disk = match (disk, runtime.binary()) {
            (OnDisk::Same, _) => version.clone(),
            (OnDisk::Replaced, Some(path)) => version_in(path).unwrap_or_else(|| "unknown".to_owned()),
            _ => "unknown".to_owned(),
        };
        let on_path = hosts::programs_on_path(ctx);
        let starts = |host: hosts::HostStatus| {
            let name = host.host;
            let entries = host.entries.into_iter().map(move |entry| Starts {
                host: name,
                binary: entry.binary,
                version: entry.version,
                file: entry.file,
                problem: entry.problem.map(str::to_owned),
            });
            // Settings that cannot be read start nothing.
            let unread = host.problems.into_iter().map(move |problem| Starts {
                host: name,
                binary: "unknown",
                version: "unknown".to_owned(),
                file: String::new(),
                problem: Some(problem),
            });
            entries.chain(unread)
        };
        let hosts: Vec<Starts> = hosts::status(ctx, only).into_iter().flat_map(starts).collect();
        let stale = matches!(disk, OnDisk::Replaced | OnDisk::Gone);
        let of = |kind: &str| hosts.iter().any(|host| host.binary == kind);
        let mixed = of("another") || on_path.iter().any(|program| !program.is_this_one);
        let dead = of("missing") || of("not_executable") || hosts.iter().any(|host| host.problem.is_some());
        let mut plan = Vec::new();
        if disk == OnDisk::Gone {
            plan.push("Install the program again where it was, before anything is restarted: a host cannot start what is gone.");
            plan.push("Then restart the host's server.");
        } else if stale {
            plan.push("Restart the host's server: the program on disk is not the one that answers.");
        }
        if mixed {
            plan.push("Let each host's entry name one program by its full path; hosts_status shows them.");
        }
        if dead {
            plan.push("Mend the host's entry by which m1nd cannot be started; hosts_status says why.");
        }
        if !plan.is_empty() {
            plan.push("Then make a new session_handshake and compare its binding_fingerprint.");
        }
        let status = match (stale, mixed || dead, disk) {
            (true, _, OnDisk::Gone) => "gone",
            (true, _, _) => "stale_process",
            (false, true, _) => "mixed",
            (false, false, OnDisk::Unknown) => "unknown",
            (false, false, _) => "consistent",
        };
        let output = Output {
            schema: "m1nd-update-check-v0",
            status,
            running: Running {
                version,
                process_id: std::process::id(),
                path: runtime.binary().map(|path| path.display().to_string()),
            },
            on_disk: Disk { state: disk.name(), version: on_disk },
            on_path,
            hosts,
            plan,
            non_claims: NO_UPDATE.to_vec(),
        };
        let next = if mixed || dead { Some("hosts_status") } else { None };
        Ok(Answer::of(output).next(Guidance { next_suggested_tool: next, ..Guidance::default() }))
    }
}

impl Trim for Output {
    fn trim(&mut self, _: usize) -> bool {
        self.hosts.pop().is_some() || self.on_path.pop().is_some()
    }
}
