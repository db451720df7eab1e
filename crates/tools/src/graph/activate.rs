//! `activate`: what goes with a question, by association.

use m1nd_contract::arg::Int;
use m1nd_contract::budget::{cut_text, drop_after, drop_tail, json_len};
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_recall::engines::associate::Noise;
use m1nd_recall::engines::merge::Dimension;
use m1nd_runtime::flows::associate::{self, ActiveNode, Learning, PlasticityReport, Request, SeedNode};
use m1nd_runtime::flows::context_guard;
use m1nd_runtime::flows::ghosts::GhostEdge;
use m1nd_runtime::{Answer, Ctx, Effect, Example, Family, Needs, Saves, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct Activate;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Names or words to start from
    query: String,
    /// Max nodes (1-100)
    #[schemars(extend("default" = 20))]
    top_k: Option<Int>,
    /// Of structural, semantic, temporal, causal; default: all
    dimensions: Option<Vec<String>>,
    /// Take out hubs that any question reaches
    #[schemars(extend("default" = true))]
    xlr: Option<bool>,
    /// Show files that change with these without a relation in the code
    #[schemars(extend("default" = true))]
    include_ghost_edges: Option<bool>,
    /// Show nodes that mean the same and are not connected
    #[schemars(extend("default" = false))]
    include_structural_holes: Option<bool>,
    /// Let the edges between what was found grow
    #[schemars(extend("default" = true))]
    learn: Option<bool>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// Nodes the query names.
    seeds: Vec<SeedNode>,
    /// What goes with them, strongest first.
    activated: Vec<ActiveNode>,
    /// Activated nodes in all.
    total_activated: u64,
    /// Files of these that change together without a relation in the code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ghost_edges: Vec<GhostEdge>,
    /// Nodes that mean the same and are not connected with the seeds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    structural_holes: Vec<String>,
    /// What the question taught the edges; rankings do not depend on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    plasticity: Option<PlasticityReport>,
    /// True when nodes are missing from the answer.
    truncated: bool,
}

impl Tool for Activate {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "activate",
        summary: "Spread from the names in a query along calls, meaning, history and causes, and show what lights up.",
        help: "Names are found exactly, by their beginning, a part, a tag, or resemblance. Four views are weighed 0.35, 0.25, 0.15, 0.25; nodes that \
            three or all of them see count more. For a sentence or a bug report seek is better; this shows what belongs to a name.",
        intents: &["related to", "what goes with", "association", "neighbourhood of", "spread activation"],
        effect: Effect::Learn,
        needs: Needs::Graph,
        budget: Some(6_000),
        contract: true,
        fresh: true,
        lean: true,
        family: Family::Retrieve,
        examples: &[
            Example { says: "What belongs to greet", arguments: r#"{"query": "greet"}"# },
            Example {
                says: "Only by calls and causes, learning nothing",
                arguments: r#"{"query": "main", "dimensions": ["structural", "causal"], "learn": false}"#,
            },
        ],
        saves: Saves::Activation,
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let top_k = ctx.clamp("top_k", input.top_k, 20, 1..=100);
        if !input.query.chars().any(char::is_alphanumeric) {
            return Err(ctx.invalid("`query` must have at least one word."));
        }
        let others = context_guard::told_of_others(ctx, "query", &input.query)?;
        let request = Request {
            query: &input.query,
            top_k,
            dimensions: dimensions(ctx, input.dimensions.as_deref())?,
            noise: if input.xlr.unwrap_or(true) { Noise::Cancelled } else { Noise::Kept },
            ghosts: input.include_ghost_edges.unwrap_or(true),
            holes: input.include_structural_holes.unwrap_or(false),
            learning: if input.learn.unwrap_or(true) { Learning::On } else { Learning::Off },
        };
        let at = ctx.graph_view()?;
        let found = associate::activate(ctx, &at, &request)?;
        let (proof, mut guidance) = match found.activated.first() {
            Some(first) => {
                let view = Guidance {
                    next_suggested_tool: Some("view"),
                    next_suggested_target: Some(associate::first_line(&first.provenance)),
                    next_step_hint: None,
                };
                (ProofState::Triaging, view)
            }
            None if !found.seeds.is_empty() => {
                let hint = "The seeds are what the words name, but these `dimensions` lead nowhere from them: the temporal one needs a git history, the others relations. Ask again without `dimensions`.";
                (ProofState::Blocked, Guidance::hint(hint))
            }
            None => {
                let hint = "No name in the code resembles these words. Use seek, which also reads bodies, comments and commits.";
                (ProofState::Blocked, Guidance::next("seek", input.query.clone(), hint))
            }
        };
        if let Some(others) = others {
            let before = guidance.next_step_hint.map(|hint| format!(" {hint}")).unwrap_or_default();
            guidance.next_step_hint = Some(others + &before);
        }
        let output = Output {
            seeds: found.seeds,
            truncated: found.total > found.activated.len() as u64,
            activated: found.activated,
            total_activated: found.total,
            ghost_edges: found.ghosts,
            structural_holes: found.holes,
            plasticity: found.plasticity,
        };
        Ok(Answer::of(output).candidates(found.total).proof(proof).next(guidance))
    }
}

fn dimensions(ctx: &Ctx<'_>, names: Option<&[String]>) -> Result<Vec<Dimension>, Fault> {
    let Some(names) = names.filter(|names| !names.is_empty()) else { return Ok(Dimension::ALL.to_vec()) };
    let known = |name: &String| {
        Dimension::parse(name)
            .ok_or_else(|| ctx.invalid("`dimensions` knows structural, semantic, temporal and causal."))
    };
    names.iter().map(known).collect()
}

/// Of what stands beside the nodes so much stays while there are nodes to drop: it was asked for, too.
const ASIDE: usize = 3;
/// Nodes that stay while there are other things to drop.
const NODES: usize = 5;

impl Trim for Output {
    /// Most of the asides go first, then what is not needed to act, then the weakest nodes, the rest of the asides, and the rest of the nodes.
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        let mut dropped = drop_after(&mut self.structural_holes, ASIDE, excess);
        if dropped < excess {
            dropped += drop_after(&mut self.ghost_edges, ASIDE, excess - dropped);
        }
        for node in self.activated.iter_mut().rev() {
            if dropped >= excess {
                return true;
            }
            // What is gone already makes room for nothing.
            if node.dimensions.is_some() || !node.tags.is_empty() {
                dropped += json_len(&node.dimensions) + json_len(&node.tags);
            }
            node.dimensions = None;
            node.tags.clear();
        }
        if dropped < excess {
            dropped += drop_after(&mut self.activated, NODES, excess - dropped);
        }
        if dropped < excess {
            dropped += drop_tail(&mut self.structural_holes, excess - dropped);
        }
        if dropped < excess {
            dropped += drop_tail(&mut self.ghost_edges, excess - dropped);
        }
        if dropped < excess {
            dropped += drop_tail(&mut self.activated, excess - dropped);
        }
        if dropped < excess {
            dropped += drop_tail(&mut self.seeds, excess - dropped);
        }
        for seed in &mut self.seeds {
            dropped += cut_text(&mut seed.node_id, 200);
        }
        dropped > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_beside_the_nodes_outlives_the_weakest_of_them() {
        let node = |nth: usize| ActiveNode {
            node_id: format!("function::src/some/file.rs::function_{nth}"),
            label: format!("function_{nth}"),
            kind: "function",
            activation: 0.5,
            dimensions: None,
            pagerank: 0.1,
            tags: Vec::new(),
            provenance: "src/some/file.rs:1-2".to_owned(),
        };
        let ghost = |nth: usize| GhostEdge {
            source: format!("file::src/{nth}.rs"),
            target: "file::src/other.rs".to_owned(),
            co_changes: 3,
            strength: 0.5,
        };
        let mut output = Output {
            seeds: Vec::new(),
            activated: (0..20).map(node).collect(),
            total_activated: 20,
            ghost_edges: (0..10).map(ghost).collect(),
            structural_holes: (0..10).map(|nth| format!("function::src/x.rs::f{nth}")).collect(),
            plasticity: None,
            truncated: false,
        };
        let mut sizes = Vec::new();
        while json_len(&output) > 800 && output.trim(200) {
            sizes.push((output.activated.len(), output.ghost_edges.len(), output.structural_holes.len()));
        }
        let is_kept = |&(nodes, ghosts, holes): &(usize, usize, usize)| {
            nodes <= NODES + 1 && (ghosts, holes) == (ASIDE, ASIDE)
        };
        assert!(sizes.iter().any(is_kept), "{sizes:?}");
    }
}
