//! `ghost_edges`: files that change together although nothing in the code connects them.

use m1nd_contract::arg::Int;
use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_runtime::flows::ghosts::{self, GhostEdge};
use m1nd_runtime::flows::ledger;
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct GhostEdges;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Folder or file that one end lies in
    scope: Option<String>,
    /// Files connected by this many relations in the code are no ghosts (1-3)
    #[schemars(extend("default" = 1))]
    depth: Option<Int>,
    /// Max pairs (1-200)
    #[schemars(extend("default" = 20))]
    limit: Option<Int>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// Pairs of files: a habit of many commits before one of a few that is as strong.
    ghost_edges: Vec<GhostEdge>,
    /// Pairs in all.
    total: u64,
    /// Why the history says nothing, and what would make it speak.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_data: Option<&'static str>,
    /// True when pairs are missing from the answer.
    truncated: bool,
}

impl Tool for GhostEdges {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "ghost_edges",
        summary: "Files that commits change together although no call, import or type connects them: hidden couplings.",
        help: "strength is how often one changes when the other does, as the geometric mean of both directions; pairs are in the order of strength weighed with the number of common commits, since a habit of many commits says more. Commits count that are no merges and change at most 20 files; only parsed files, and pairs with at least three such commits in common.",
        intents: &["hidden coupling", "change together", "co-change", "implicit dependency"],
        needs: Needs::Graph,
        budget: Some(4_000),
        fresh: true,
        lean: true,
        family: Family::Relate,
        examples: &[Example { says: "Hidden couplings of a folder", arguments: r#"{"scope": "src"}"# }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let limit = ctx.in_range("limit", input.limit, 1..=200)?.unwrap_or(20);
        let depth = ctx.in_range("depth", input.depth, 1..=3)?.unwrap_or(1);
        let scope = ctx.scope(input.scope.as_deref())?;
        let at = ctx.graph_view_with_history()?;
        let mut ghost_edges =
            ghosts::within(&at.graph, &ctx.past()?.log.entries, &scope, usize::try_from(depth).unwrap_or(1));
        let total = ghost_edges.len() as u64;
        ghost_edges.truncate(usize::try_from(limit).unwrap_or(20));
        let truncated = total > ghost_edges.len() as u64;
        let no_data = if total == 0 { ledger::lacking(ctx)? } else { None };
        let (proof, guidance) = match ghost_edges.first() {
            Some(first) => {
                let why = Guidance {
                    next_suggested_tool: Some("view"),
                    next_suggested_target: Some(first.source.clone()),
                    next_step_hint: None,
                };
                (ProofState::Triaging, why)
            }
            None if no_data.is_some() => {
                let hint = "Without a history nothing can be told; no_data says what would provide one.";
                (ProofState::Blocked, Guidance::hint(hint))
            }
            None if !ghosts::has_parsed(&at.graph, &scope) => {
                let hint = "Only parsed files count, and none lies in `scope`: documents and settings are not compared. Ask again without `scope`, or of a folder of code.";
                (ProofState::Blocked, Guidance::hint(hint))
            }
            None => {
                let hint = match depth {
                    1 => {
                        "No two files change together without a relation, or there is too little history; `health` says whether git history was read."
                    }
                    _ => {
                        "All files that change together are related within that many steps; a smaller `depth` shows those that only others connect."
                    }
                };
                (ProofState::Triaging, Guidance::hint(hint))
            }
        };
        let output = Output { ghost_edges, total, no_data, truncated };
        Ok(Answer::of(output).candidates(total).scope(input.scope).proof(proof).next(guidance))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.ghost_edges, excess) > 0
    }
}
