//! `impact`: what a change reaches.

use m1nd_contract::arg::Int;
use m1nd_contract::budget::{drop_after, drop_tail};
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_runtime::flows::impact::{self, Chain, Direction, Hit, TestHit};
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Saves, Spec, Tool};
use m1nd_stdx::round::round3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct Impact;

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Way {
    #[default]
    Forward,
    Reverse,
    Both,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Node id, path, path:line or name; or give diff
    node_id: Option<String>,
    /// A unified diff, or a git range such as main...HEAD
    diff: Option<String>,
    /// forward: what the change affects; reverse: what it depends on
    #[serde(default)]
    #[schemars(extend("default" = "forward"))]
    direction: Way,
    /// 1-10
    #[schemars(extend("default" = 3))]
    max_hops: Option<Int>,
    /// Show how it travels
    #[schemars(extend("default" = true))]
    include_causal_chains: Option<bool>,
    /// Go on where an answer's next_cursor says
    cursor: Option<Int>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// The nodes that change, the first of many; with a cursor they are left out.
    sources: Vec<String>,
    /// Such nodes in all, where there are several.
    #[serde(skip_serializing_if = "is_one_at_most")]
    sources_total: u64,
    /// Direct callers first, then by distance and signal.
    blast_radius: Vec<Hit>,
    /// Nodes reached in all.
    total: u64,
    /// How many of them call a source directly.
    direct_callers: u64,
    /// How many of those come after what is shown here.
    #[serde(skip_serializing_if = "is_none")]
    direct_callers_left: u64,
    /// The `cursor` that goes on after what is shown here.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<u64>,
    /// Sum of all signals.
    total_energy: f64,
    max_hops_reached: u32,
    /// The strongest ways, from the changed node on.
    causal_chains: Vec<Chain>,
    /// Tests that reach the change, nearest first; with a cursor they are left out, as the chains are.
    tests: Vec<TestHit>,
    /// Such tests in all.
    tests_total: u64,
    /// How many nodes are reached only by a guess.
    inferred: u64,
    /// Files that may take a name through a changed one, and were not read.
    #[serde(skip_serializing_if = "is_none")]
    importers_not_read: u64,
    /// Files of the diff that the graph does not have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files_not_in_graph: Vec<String>,
    truncated: bool,
    #[serde(skip)]
    cursor: u64,
    /// Tests that stay while there are callers to give way.
    #[serde(skip)]
    least_tests: usize,
}

/// Tests that are shown where there is room.
const MAX_TESTS: usize = 15;
/// One more test is shown for each so many bytes of the budget: what is reached comes first.
const BYTES_PER_TEST: usize = 500;
/// Sources that are shown where there is room, and so many bytes of the budget for each: a range has hundreds.
const MAX_SOURCES: usize = 20;
const BYTES_PER_SOURCE: usize = 400;
/// Sources that stay while there is something else to give way.
const LEAST_SOURCES: usize = 3;
/// With so many bytes of the budget for each, tests stay before callers do.
const BYTES_PER_KEPT_TEST: usize = 2_000;
/// With a smaller budget no next step is named.
const LEAST_GUIDED: usize = 1_000;
/// No node is shown in fewer bytes than this.
const LEAST_BYTES: usize = 80;

impl Tool for Impact {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "impact",
        summary: "What breaks if this changes: callers, importers, subclasses, users of a type and tests, with how far and how strongly. Takes a node, a diff or a git range.",
        help: "A step keeps the strength of its relation (calls and routes 0.9; inherits, implements, configures 0.8; tests, depends_on 0.7; references, imports 0.5; binds_to 0.4), \
            and a guess among n nodes 1/n of it; a node's signal is that of the strongest way to it. A class or file stands for all that is in it. A call of the method that a changed one overrides counts half (`overrides`). Who imports a name through a file that only hands it on (`__init__.py`, `index.ts`, `pub use`) depends on that file, too. \
            Changed lines of a diff are looked up in the files as they are now; those of a range where they stand today.",
        intents: &[
            "what breaks if I change",
            "blast radius",
            "impact of change",
            "affected by",
            "which tests to run",
        ],
        needs: Needs::Graph,
        budget: Some(8_000),
        fresh: true,
        lean: true,
        family: Family::Relate,
        examples: &[Example { says: "By name", arguments: r#"{"node_id": "greet"}"# }],
        saves: Saves::Blast,
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let max_hops = ctx.in_range("max_hops", input.max_hops, 1..=10)?.unwrap_or(3);
        let max_hops = u32::try_from(max_hops).unwrap_or(3);
        let (node, diff) = (input.node_id.as_deref(), input.diff.as_deref());
        if node.is_some() == diff.is_some() {
            return Err(ctx.invalid("Give either `node_id` or `diff`."));
        }
        let direction = match input.direction {
            Way::Forward => Direction::Forward,
            Way::Reverse => Direction::Reverse,
            Way::Both => Direction::Both,
        };
        let at = ctx.graph_view()?;
        let graph = &at.graph;
        let found = impact::run(ctx, &at, node, diff, direction, max_hops)?;
        let total = found.blast.reached.len() as u64;
        let cursor = ctx.in_range("cursor", input.cursor, 0..=total.saturating_sub(1) as i64)?.unwrap_or(0);
        // What cannot fit is not written out only to be dropped: the cost follows the answer.
        let bytes = ctx.header().max_chars.or(Self::SPEC.budget).unwrap_or(usize::MAX);
        let blast_radius = found.hits(graph, cursor as usize, (bytes / LEAST_BYTES).max(1));
        let mut tests = found.tests(graph);
        let tests_total = tests.len() as u64;
        // Who goes on has seen the tests and the ways.
        let is_first = cursor == 0;
        tests.truncate(if is_first { MAX_TESTS.min(bytes / BYTES_PER_TEST) } else { 0 });
        let chains = is_first && input.include_causal_chains.unwrap_or(true);
        let room = if is_first { (bytes / BYTES_PER_SOURCE).clamp(1, MAX_SOURCES) } else { 0 };
        let sources_total = found.sources.len() as u64;
        let mut output = Output {
            sources: found.sources.iter().take(room).map(|&ix| graph.node(ix).id().to_owned()).collect(),
            sources_total,
            least_tests: bytes / BYTES_PER_KEPT_TEST,
            total,
            direct_callers: found.direct_callers() as u64,
            direct_callers_left: 0,
            next_cursor: None,
            cursor,
            total_energy: round3(found.blast.energy),
            max_hops_reached: found.farthest(),
            causal_chains: if chains { found.chains(graph) } else { Vec::new() },
            truncated: is_first && (tests_total > tests.len() as u64 || sources_total > room as u64),
            tests,
            tests_total,
            inferred: found.guessed() as u64,
            blast_radius,
            importers_not_read: found.unread as u64,
            files_not_in_graph: found.unknown,
        };
        output.settle();
        let source = found.sources.first().map(|&ix| graph.node(ix).id());
        let (proof, mut guidance) = advice(&output, source, found.changed_files, direction);
        // A small page, or one that goes on, has room for what is reached and no more.
        if !is_first || bytes < LEAST_GUIDED {
            guidance = Guidance::default();
        }
        Ok(Answer::of(output).candidates(total).proof(proof).next(guidance))
    }
}

fn advice(
    output: &Output,
    source: Option<&str>,
    changed_files: Option<usize>,
    direction: Direction,
) -> (ProofState, Guidance) {
    match source {
        None if changed_files == Some(0) => {
            (ProofState::Blocked, Guidance::hint("Nothing differs. Name an older commit, or give a diff."))
        }
        None => (
            ProofState::Blocked,
            Guidance::hint(
                "No changed line is in code that the graph knows: other kinds of files, or lines that are gone. What was deleted already `review` knows: it compares with the state before. Ingest says what is left out.",
            ),
        ),
        Some(source) if output.total == 0 && direction == Direction::Reverse => {
            let hint = "It is not known to depend on anything here. What it calls in libraries is not in the graph; callees shows what could not be resolved.";
            (ProofState::Triaging, Guidance::next("callees", source, hint))
        }
        Some(source) if output.total == 0 => {
            let hint = "Nothing is known to depend on it. A call through a value, a macro or a name built at run time is not seen; callers shows leads.";
            (ProofState::Triaging, Guidance::next("callers", source, hint))
        }
        Some(source) if changed_files.is_none() => {
            (ProofState::Proving, Guidance::next("callers", source, "See the call sites with their lines."))
        }
        Some(_) => (ProofState::Proving, Guidance::default()),
    }
}

impl Output {
    /// Says where to go on after what is shown. Direct callers come first, so those that are left begin there.
    fn settle(&mut self) {
        let end = self.cursor + self.blast_radius.len() as u64;
        self.next_cursor = (end < self.total).then_some(end);
        self.direct_callers_left = self.direct_callers.saturating_sub(end);
        self.truncated |= self.next_cursor.is_some();
    }
}

fn is_one_at_most(count: &u64) -> bool {
    *count <= 1
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        // The nearest matter most, direct callers most of all; a diff's sources can be many.
        let direct = self.blast_radius.iter().take_while(|hit| hit.is_direct_caller).count();
        let dropped = drop_after(&mut self.sources, LEAST_SOURCES, excess) > 0
            || drop_after(&mut self.blast_radius, direct.max(1), excess) > 0
            || drop_tail(&mut self.causal_chains, excess) > 0
            || drop_after(&mut self.tests, self.least_tests, excess) > 0
            || drop_tail(&mut self.files_not_in_graph, excess) > 0
            || drop_after(&mut self.blast_radius, 1, excess) > 0
            || drop_tail(&mut self.tests, excess) > 0
            || drop_tail(&mut self.sources, excess) > 0;
        self.settle();
        dropped
    }
}
