//! `mission_close`: the end of a mission, and its proof packet.

use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_mission::{Claim, Counters, Gap};
use m1nd_runtime::flows::missions;
use m1nd_runtime::{Answer, Ctx, Example, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::WRITE;

pub struct MissionClose;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The mission
    mission_id: String,
    /// Close although something is missing; the gaps stay on record
    force: Option<bool>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    schema: String,
    mission_id: String,
    verified_claims: Vec<Claim>,
    rejected_claims: Vec<Claim>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    open_claims: Vec<Claim>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    withdrawn_claims: Vec<Claim>,
    /// What the mission before found and this one did not judge again; proved by the packet of that one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    inherited_claims: Vec<Claim>,
    /// Agents, activities and entities in the words of W3C PROV.
    evidence_graph: Vec<Value>,
    counters: Counters,
    gaps: Vec<Gap>,
    /// What was done only by the agent's word: no call with this mission_id showed it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    remarks: Vec<String>,
    non_claims: Vec<String>,
    /// Over the hash chain of all events.
    event_digest: String,
    packet_digest: String,
    event_count: u64,
    /// The whole packet with all events; `m1nd verify` checks it.
    packet_path: String,
    /// Whether it had ended before: this is the same packet, written again if it was not there.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    already_closed: bool,
    /// Whether something had no room here; the packet has all of it.
    truncated: bool,
}

/// Nodes and relations of the evidence graph in the answer; the packet has all.
const SHOWN: usize = 40;

impl Tool for MissionClose {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "mission_close",
        summary: "End a mission: refused while something is missing (unless force), then a proof packet with claims, evidence, gaps and a digest.",
        help: "Closing a closed mission again gives the same packet, and writes it where it is missing. A bug hunt needs one direct look for what its first finding hides. `m1nd verify PACKET` checks a packet anywhere: whether its chain is whole and its files are still as they were. `remarks` names what was only told.",
        intents: &["close a mission", "finish", "proof packet", "done"],
        examples: &[Example {
            says: "With its gaps on record",
            arguments: r#"{"mission_id": "msn_dad0543263", "force": true}"#,
        }],
        ..WRITE
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let force = input.force.unwrap_or(false);
        let missions::Closed { packet, path, already } = missions::close(ctx, &input.mission_id, force)?;
        let workspace = ctx.workspace()?;
        let shown = |claims: Vec<Claim>| -> Vec<Claim> {
            claims.iter().map(|claim| missions::shown_claim(workspace, claim)).collect()
        };
        let truncated = packet.evidence_graph.len() > SHOWN;
        let mut evidence_graph = packet.evidence_graph;
        evidence_graph.truncate(SHOWN);
        let hint = format!("m1nd verify {} checks it.", path.display());
        let output = Output {
            schema: packet.schema,
            mission_id: packet.mission_id.to_string(),
            verified_claims: shown(packet.verified_claims),
            rejected_claims: shown(packet.rejected_claims),
            open_claims: shown(packet.open_claims),
            withdrawn_claims: shown(packet.withdrawn_claims),
            inherited_claims: shown(packet.inherited_claims),
            evidence_graph,
            counters: packet.counters,
            gaps: packet.gaps,
            remarks: packet.remarks,
            non_claims: packet.non_claims,
            event_digest: packet.event_digest,
            packet_digest: packet.packet_digest,
            event_count: packet.events.len() as u64,
            packet_path: path.display().to_string(),
            already_closed: already,
            truncated,
        };
        Ok(Answer::of(output).budget(8_000).proof(ProofState::Proving).next(Guidance::hint(hint)))
    }
}

impl Trim for Output {
    /// The packet has all of it: what it proves goes last.
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.evidence_graph, excess) > 0
            || drop_tail(&mut self.inherited_claims, excess) > 0
            || drop_tail(&mut self.rejected_claims, excess) > 0
            || drop_tail(&mut self.withdrawn_claims, excess) > 0
            || drop_tail(&mut self.open_claims, excess) > 0
            || drop_tail(&mut self.verified_claims, excess) > 0
            || drop_tail(&mut self.gaps, excess) > 0
            || drop_tail(&mut self.remarks, excess) > 0
    }
}
