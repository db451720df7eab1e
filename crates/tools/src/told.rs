//! Told: a step as an agent tells of it, wherever a mission takes one.

use m1nd_contract::Fault;
use m1nd_contract::arg::Int;
use m1nd_mission::{EvidenceClass, Telling};
use m1nd_runtime::Ctx;
use m1nd_runtime::flows::missions;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Told {
    /// What the step was part of: orient, locate, verify, sweep, edit …
    #[serde(default = "verify")]
    pub phase: String,
    /// What was done: file_read, search, test_run, edit, command, dead_path …
    pub event_type: String,
    /// File, test, command or question
    pub target: String,
    /// What it is evidence of; a claim needs a direct kind (the first six)
    pub evidence_class: Option<EvidenceClass>,
    /// hypothesis_supported, hypothesis_rejected, dead_path, passed, failed, read …
    pub outcome: String,
    /// How long it took
    pub duration_ms: Option<Int>,
    /// 0 to 1
    pub agent_confidence: Option<f64>,
    /// In a sentence; the reason, when it was advised against
    pub note: Option<String>,
}

fn verify() -> String {
    "verify".to_owned()
}

impl Told {
    pub fn telling(self, ctx: &Ctx<'_>) -> Result<Telling, Fault> {
        let duration_ms = ctx.in_range("duration_ms", self.duration_ms, 0..=i64::MAX)?;
        let telling = Telling {
            phase: self.phase,
            event_type: self.event_type,
            target: self.target,
            evidence_class: self.evidence_class,
            outcome: self.outcome,
            duration_ms,
            agent_confidence: self.agent_confidence,
            note: self.note,
            content_hash: None,
        };
        Ok(missions::anchored(ctx.workspace()?, telling))
    }
}
