//! `refactor_plan`: how a file can be taken apart, in which order, and whom it concerns.

use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_graph::{Graph, NodeIx};
use m1nd_risk::refactor::{MIN_LINES, Part};
use m1nd_runtime::faults::from_graph;
use m1nd_runtime::flows::parted;
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct RefactorPlan;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// A file, or anything in it
    node_id: String,
}

/// One step.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Step {
    /// extract or move
    action: &'static str,
    /// Names of definitions.
    members: Vec<String>,
    lines: u32,
    /// Where to; a file of its own for an extraction.
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<String>,
    /// Relations to the rest of the file that become imports.
    cut: u32,
    /// Files that use it and name this one for it: they have to be changed.
    users: Vec<String>,
    because: String,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    file_path: String,
    /// In the order in which to do them: what cuts least first.
    steps: Vec<Step>,
    /// Definitions that stay here: the largest group, and what is too small to go.
    stays: Vec<String>,
    /// Used by many of the others: leave it where all can reach it.
    shared: Vec<String>,
    truncated: bool,
}

impl Tool for RefactorPlan {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "refactor_plan",
        summary: "How a file can be taken apart: groups of definitions that have nothing to do with the rest, definitions that belong to another file, and who has to change.",
        help: "Definitions are joined by certain calls and references; those that a third of the others uses are set apart. A group of 15 lines or more besides the largest can be extracted; smaller ones stay. Every definition that is no test is in one of the lists. A definition is to be moved where 7 of 10 of its relations (at least 3) are with one other file.",
        intents: &["split this file", "how to refactor", "extract module", "file is too large"],
        needs: Needs::Graph,
        budget: Some(5_000),
        fresh: true,
        lean: true,
        family: Family::Plan,
        examples: &[Example { says: "A file", arguments: r#"{"node_id": "src/lib.rs"}"# }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let at = ctx.graph_view()?;
        let graph = &at.graph;
        let node = from_graph::find(ctx.workspace()?.root(), graph, "node_id", &input.node_id)?;
        let path = graph.node(node).path().to_owned();
        let file = graph.node_by_path(&path).filter(|&ix| !graph.node(ix).language().is_empty());
        let Some(file) = file else {
            return Err(ctx.invalid("`node_id` must be a file with code, or something in one."));
        };
        let found = parted::plan(ctx.workspace()?.root(), graph, file);
        let mut steps: Vec<Step> = found.extract.iter().map(|part| extraction(graph, part)).collect();
        steps.extend(found.moves.iter().map(|one| {
            let (first, last) = graph.node(one.node).lines();
            Step {
                action: "move",
                members: names(graph, &[one.node]),
                lines: last - first + 1,
                to: Some(one.to.clone()),
                cut: one.all - one.there,
                users: one.users.clone(),
                because: format!("{} of its {} relations are with {}", one.there, one.all, one.to),
            }
        }));
        let total = steps.len() as u64;
        let guidance = match steps.first().and_then(|step| step.members.first()) {
            Some(first) => {
                Guidance::next("impact", format!("{path}::{first}"), "See what the first step reaches.")
            }
            None if found.groups > 1 => {
                let hint = format!(
                    "Its definitions are {} groups without a relation to each other, but besides the largest none has {MIN_LINES} lines: too small for files of their own.",
                    found.groups
                );
                Guidance { next_step_hint: Some(hint), ..Guidance::default() }
            }
            None => Guidance::hint(
                "Everything in the file hangs together: splitting it would cut relations, not find parts.",
            ),
        };
        let stays = found.stays.map(|part| names(graph, &part.members)).unwrap_or_default();
        let output =
            Output { file_path: path, steps, stays, shared: names(graph, &found.shared), truncated: false };
        Ok(Answer::of(output).candidates(total).proof(ProofState::Triaging).next(guidance))
    }
}

fn extraction(graph: &Graph, part: &Part) -> Step {
    let because = match part.cut {
        0 => "it has no relation to the rest of the file".to_owned(),
        cut => format!("only {cut} relations to what is shared join it to the rest"),
    };
    Step {
        action: "extract",
        members: names(graph, &part.members),
        lines: part.lines,
        to: None,
        cut: part.cut,
        users: part.users.clone(),
        because,
    }
}

fn names(graph: &Graph, nodes: &[NodeIx]) -> Vec<String> {
    nodes.iter().map(|&ix| graph.node(ix).label().to_owned()).collect()
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.stays, excess) > 0
            || drop_tail(&mut self.steps, excess) > 0
            || self.steps.iter_mut().rev().any(|step| drop_tail(&mut step.users, excess) > 0)
            || drop_tail(&mut self.shared, excess) > 0
    }
}
