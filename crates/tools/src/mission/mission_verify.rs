//! `mission_verify`: whether direct evidence carries a claim.

use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_mission::{Claim, ClaimId, Command, EventId, Verdict, Verify, short};
use m1nd_runtime::flows::missions;
use m1nd_runtime::{Answer, Ctx, Example, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::WRITE;
use crate::told::Told;

pub struct MissionVerify;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The mission
    mission_id: String,
    /// An open claim
    claim_id: Option<String>,
    /// Or a new one
    claim: Option<String>,
    /// Events that it rests on, besides those it already cites
    event_ids: Option<Vec<EventId>>,
    /// Steps as in mission_event; recorded first and cited
    evidence: Option<Vec<Told>>,
    /// What the cited text shows: supports or contradicts; withdrawn takes an open claim_id back
    outcome: Option<String>,
    /// The line that shows it, as it stands there
    quote: Option<String>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    #[serde(flatten)]
    claim: Claim,
    /// What would have to be seen or said for another verdict.
    #[serde(skip_serializing_if = "String::is_empty")]
    would_change: String,
    /// What the verdict does not say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    non_claims: Vec<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl Tool for MissionVerify {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "mission_verify",
        summary: "Judge a claim of a mission: verified_for_mission, rejected, or needs_direct_evidence, with the reason. Graph answers alone never verify.",
        help: "Direct evidence is a file that was read and has not changed since, a test or compiler run, a probe, a diff, or a person. A read alone settles nothing: say in outcome what it shows of the claim, supports or contradicts, and quote a line of it, which is held against what was shown. A run speaks by its own outcome: passed, reproduced, hypothesis_supported … verify; hypothesis_rejected, refuted … reject. Files and lines that the claim names must be among what was shown, and so must one of the names of code in a claim without a file. A search that found nothing verifies a claim that denies its word no wider than it searched, and only such a search verifies that something is nowhere. A verified claim can be judged again with new events; would_change says what would make another verdict. An open claim that its agent sees to be wrong is taken back by claim_id and outcome withdrawn: it stays on record, proves nothing and blocks no close; a verified or rejected one is contradicted or claimed anew instead. The same claim with the same evidence for the third time is told as a loop.",
        intents: &["verify a claim", "prove", "reject", "is it true"],
        examples: &[Example {
            says: "A new claim with its evidence",
            arguments: r#"{"mission_id": "msn_7c3e4084f6", "claim": "greet takes a name", "evidence": [{"event_type": "file_read", "target": "src/main.rs:5", "evidence_class": "direct_source", "outcome": "hypothesis_supported", "quote": "fn greet(name: &str) -> String {"}]}"#,
        }],
        ..WRITE
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let evidence: Result<Vec<_>, Fault> =
            input.evidence.unwrap_or_default().into_iter().map(|told| told.telling(ctx)).collect();
        let verify = Verify {
            claim_id: input.claim_id.as_deref().map(ClaimId::named),
            text: input.claim,
            event_ids: input.event_ids.unwrap_or_default(),
            evidence: evidence?,
            outcome: input.outcome,
            quote: input.quote,
        };
        let done = missions::act(ctx, &input.mission_id, |_| Command::Verify(verify.clone()))?;
        let claim = done.claim.as_ref().and_then(|id| done.state.claim(id)).cloned();
        let claim = claim.ok_or_else(|| ctx.invalid("Nothing was recorded."))?;
        missions::tell_defect(ctx, &done.state, &claim)?;
        let proof = match claim.verdict {
            Verdict::VerifiedForMission | Verdict::Rejected => ProofState::Proving,
            Verdict::Withdrawn => ProofState::Triaging,
            Verdict::Open | Verdict::NeedsDirectEvidence => ProofState::Blocked,
        };
        let claim = missions::judged_claim(ctx.workspace()?, &claim);
        let next = Guidance::next("mission_next", input.mission_id, "Ask what comes next.");
        let (would_change, non_claims) = (claim.would_change(), claim.non_claims());
        Ok(Answer::of(Output { would_change, non_claims, claim, warnings: done.warnings })
            .proof(proof)
            .next(next))
    }
}

impl Trim for Output {
    fn trim(&mut self, _: usize) -> bool {
        [300, 120, 60].into_iter().any(|bytes| short::claim(&mut self.claim, bytes))
            || short::to_nothing(&mut self.would_change, 0)
            || self.non_claims.pop().is_some()
            || self.warnings.pop().is_some()
            || !std::mem::take(&mut self.claim.rests_on).is_empty()
            || !std::mem::take(&mut self.claim.runs).is_empty()
            || !std::mem::take(&mut self.claim.event_ids).is_empty()
    }
}
