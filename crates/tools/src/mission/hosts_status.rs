//! `hosts_status`: what each host on this machine would start as m1nd.

use m1nd_contract::{Fault, Guidance, Trim};
use m1nd_runtime::flows::hosts::{self, HostStatus};
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{NO_UPDATE, READ};

pub struct HostsStatus;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// One host only: claude, codex, cursor, vscode, zed …
    host: Option<String>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    schema: &'static str,
    /// Hosts with an entry for m1nd, or with settings that cannot be read.
    hosts: Vec<HostStatus>,
    /// Hosts that were looked at and say nothing of m1nd.
    without_entry: Vec<&'static str>,
    /// What is wrong, in sentences.
    warnings: Vec<String>,
    non_claims: Vec<&'static str>,
}

impl Tool for HostsStatus {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "hosts_status",
        summary: "Which program and workspace each host on this machine is configured to start m1nd with, and whether it is the one that answers.",
        help: "Read from the hosts' settings; nothing is run or changed. A program is known by its bytes, or by the version its file carries; otherwise it is unknown.",
        intents: &["host configuration", "which binary does cursor start", "two binaries", "mcp.json"],
        needs: Needs::Nothing,
        family: Family::Recover,
        examples: &[
            Example { says: "Every host", arguments: "{}" },
            Example { says: "One", arguments: r#"{"host": "cursor"}"# },
        ],
        ..READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let only = super::host_named(ctx, input.host.as_deref())?;
        let all = hosts::status(ctx, only);
        let (told, silent): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|host| host.configured || !host.problems.is_empty());
        let warnings: Vec<String> = told.iter().flat_map(hosts::warnings).collect();
        let well = warnings.is_empty();
        let output = Output {
            schema: "m1nd-hosts-status-v0",
            hosts: told,
            without_entry: silent.iter().map(|host| host.host).collect(),
            warnings,
            non_claims: NO_UPDATE.to_vec(),
        };
        let next = if well { None } else { Some("recovery_playbook") };
        Ok(Answer::of(output).next(Guidance { next_suggested_tool: next, ..Guidance::default() }))
    }
}

impl Trim for Output {
    fn trim(&mut self, _: usize) -> bool {
        self.without_entry.pop().is_some() || self.hosts.pop().is_some()
    }
}
