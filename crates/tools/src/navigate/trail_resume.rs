//! `trail_resume`: go on where a trail ended.

use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_navigate::Held;
use m1nd_runtime::flows::navigate::{Spot, trails};
use m1nd_runtime::{Answer, Ctx, Example, Spec, Tool};
use m1nd_stdx::round::round3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::WRITE;

pub struct TrailResume;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The trail
    trail_id: String,
    /// Also where more than half of its places are gone
    force: Option<bool>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Thought {
    statement: String,
    status: &'static str,
    confidence: f64,
    /// What it was, where support vanished or changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    was: Option<f64>,
    /// Nodes that spoke for it and are gone.
    #[serde(skip_serializing_if = "is_none")]
    lost: usize,
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    trail_id: String,
    label: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    /// Who saved it.
    agent: String,
    /// Where to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_focus: Option<Spot>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_question: Option<String>,
    hypotheses: Vec<Thought>,
    /// Each with its confidence; one whose support changed or is gone says so.
    conclusions: Vec<String>,
    /// All of them, with the next one.
    open_questions: Vec<String>,
    /// Places whose text changed since.
    changed: Vec<String>,
    gone: Vec<String>,
    /// Whether more than half of its places are gone.
    stale: bool,
    /// The places that are still there, newest first.
    nodes: Vec<String>,
    truncated: bool,
}

impl Tool for TrailResume {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "trail_resume",
        summary: "Take up a trail: what it found, what of it is gone or changed in today's code, and where to go on.",
        help: "Refused as stale where more than half of its places are gone, unless force. A hypothesis or conclusion keeps the share of its confidence that its support kept: a node that changed counts half, one that is gone not at all. \
            Its boosts lift answers to your later questions about its label and summary, until the next warmup.",
        intents: &["resume my investigation", "where was I", "continue a trail"],
        budget: Some(4_000),
        examples: &[Example { says: "A trail", arguments: r#"{"trail_id": "trail_1"}"# }],
        ..WRITE
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let at = ctx.graph_view()?;
        let graph = &at.graph;
        let (trail, checked) = trails::take_up(ctx, &at, &input.trail_id, input.force == Some(true))?;
        let hypotheses = checked.hypotheses.iter().map(|one| Thought {
            statement: one.statement.clone(),
            status: one.standing.name(),
            confidence: round3(one.confidence),
            was: (one.was != one.confidence).then(|| round3(one.was)),
            lost: one.lost,
        });
        let there = trail.visited.iter().rev().filter(|visit| !checked.gone.contains(&visit.node));
        let focus = checked.focus.as_deref().and_then(|id| graph.node_by_id(id));
        let output = Output {
            next_focus: focus.map(|node| Spot::of(graph, node)),
            next_question: trail.open_questions.first().cloned(),
            hypotheses: hypotheses.collect(),
            conclusions: checked.conclusions.iter().map(concluded).collect(),
            open_questions: trail.open_questions,
            changed: checked.changed,
            stale: checked.stale,
            nodes: there.map(|visit| visit.node.clone()).collect(),
            gone: checked.gone,
            trail_id: trail.id,
            label: trail.label,
            summary: trail.summary,
            agent: trail.agent,
            truncated: false,
        };
        let next = match (&output.next_question, &output.next_focus) {
            (Some(question), _) => Guidance::next("seek", question.clone(), "Ask what is still open."),
            (None, Some(spot)) => Guidance::next("view", spot.at.clone(), "Read where it ended."),
            (None, None) => Guidance::hint("Nothing of it is left in the code; begin anew."),
        };
        let found = output.nodes.len() as u64;
        Ok(Answer::of(output).candidates(found).proof(ProofState::Triaging).next(next))
    }
}

fn concluded(one: &Held) -> String {
    let (statement, confidence) = (&one.statement, round3(one.confidence));
    match (one.lost, one.changed) {
        (0, 0) => format!("{statement} ({confidence})"),
        (lost, changed) => {
            let was = round3(one.was);
            format!(
                "{statement} ({confidence}, was {was}; of its support {lost} gone, {changed} changed: check it)"
            )
        }
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.nodes, excess) > 0
            || drop_tail(&mut self.gone, excess) > 0
            || drop_tail(&mut self.changed, excess) > 0
            || drop_tail(&mut self.conclusions, excess) > 0
            || drop_tail(&mut self.open_questions, excess) > 0
            || drop_tail(&mut self.hypotheses, excess) > 0
            || self.summary.take().is_some()
    }
}
