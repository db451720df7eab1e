//! `timeline`: how a file came to be what it is.

use m1nd_contract::arg::Int;
use m1nd_contract::budget::{drop_after, drop_tail};
use m1nd_contract::{Code, Fault, Guidance, ProofState, Recovery, Trim};
use m1nd_graph::{Graph, NodeKind};
use m1nd_runtime::faults::from_graph;
use m1nd_runtime::flows::past_of_file::{self, Companion, Ends, Touch};
use m1nd_runtime::flows::survey::is_within;
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use m1nd_stdx::round::round3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

pub struct Timeline;

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
pub enum Depth {
    #[serde(rename = "7d")]
    Week,
    #[default]
    #[serde(rename = "30d")]
    Month,
    #[serde(rename = "90d")]
    Quarter,
    #[serde(rename = "all")]
    All,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Node id, path or name; its file counts
    node: String,
    #[serde(default)]
    #[schemars(extend("default" = "30d"))]
    /// How far back
    depth: Depth,
    /// Commits to show (1-200)
    #[schemars(extend("default" = 20))]
    limit: Option<Int>,
    /// Go on where an answer's next_cursor says
    cursor: Option<Int>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    file_path: String,
    /// Newest first.
    commits: Vec<Touch>,
    total: u64,
    /// Set when there are older ones: the cursor to go on with.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<u64>,
    #[serde(skip)]
    #[schemars(skip)]
    offset: u64,
    /// Where these end although older commits touched the path: another file had it, and moved away.
    #[serde(skip_serializing_if = "Option::is_none")]
    ends: Option<Ends>,
    /// Files that the same commits touched most often.
    co_changed: Vec<Companion>,
    /// Commits a week.
    #[serde(skip_serializing_if = "Option::is_none")]
    velocity: Option<f64>,
    /// Share of weeks without a commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    stability: Option<f64>,
    /// expanding, shrinking, churning, dormant or stable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<&'static str>,
    /// Lines added and removed.
    churn: Churn,
    /// Set when not all commits could be looked at.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    incomplete: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    no_data: Option<&'static str>,
    truncated: bool,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Churn {
    added: u32,
    removed: u32,
}

impl Tool for Timeline {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "timeline",
        summary: "The commits that touched a file, through renames, with lines added and removed, what changed with it, and how its changes go.",
        help: "pattern: dormant without a commit in 90 days (or in the depth); expanding or shrinking by a fifth of what it was; churning when as many lines changed as it has; else stable. \
            velocity is commits a week and stability the share of weeks without one, over the depth (for all: since the first commit). Merges do not count. Where another file had the path before and moved away, the history ends there: ends says so, and timeline of where it went has what is older.",
        intents: &["history of file", "who changed", "when did it change", "churn"],
        needs: Needs::Graph,
        budget: Some(6_000),
        fresh: true,
        lean: true,
        family: Family::Relate,
        examples: &[Example { says: "All of it", arguments: r#"{"node": "src/lib.rs", "depth": "all"}"# }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let limit = ctx.in_range("limit", input.limit, 1..=200)?.unwrap_or(20);
        let at = ctx.graph_view()?;
        let node = from_graph::find(ctx.workspace()?.root(), &at.graph, "node", &input.node)?;
        if at.graph.node(node).kind() == NodeKind::Directory {
            return Err(of_folder(&at.graph, at.graph.node(node).path()));
        }
        let path = at.graph.node(node).path().to_owned();
        let days = match input.depth {
            Depth::Week => Some(7.0),
            Depth::Month => Some(30.0),
            Depth::Quarter => Some(90.0),
            Depth::All => None,
        };
        let mut found = past_of_file::run(ctx, &path, days)?;
        let total = found.touches.len() as u64;
        let cursor = ctx.in_range("cursor", input.cursor, 0..=1_000_000)?.unwrap_or(0);
        let offset = cursor.min(total);
        found.touches.drain(..usize::try_from(offset).unwrap_or_default());
        found.touches.truncate(usize::try_from(limit).unwrap_or(20));
        let known = found.no_data.is_none();
        let has_trend = known && found.no_trend.is_none();
        let (proof, guidance) = match (found.touches.first(), days) {
            _ if !known => (
                ProofState::Blocked,
                Guidance::hint("Without a history nothing can be told; no_data says what would provide one."),
            ),
            (Some(_), None) if found.ends.as_ref().is_some_and(|ends| ends.older_commits > 0) => {
                let to = found.ends.as_ref().map(|ends| ends.moved_to.clone()).unwrap_or_default();
                let hint =
                    "Another file had this path before and moved away; older commits are told with that one.";
                (ProofState::Proving, Guidance::next("timeline", to, hint))
            }
            (Some(_), _) => (ProofState::Proving, Guidance::default()),
            (None, _) if total > 0 => (
                ProofState::Triaging,
                Guidance::hint("`cursor` is past the oldest of its commits; a smaller one shows some."),
            ),
            (None, Some(_)) => (
                ProofState::Triaging,
                Guidance::hint("No commit touched it in that time; depth all looks at all of it."),
            ),
            (None, None) => (
                ProofState::Blocked,
                Guidance::hint("No commit is known: the file is new, or it was never committed."),
            ),
        };
        let guidance = guidance.with_rest(
            found.touches.len(),
            total - offset,
            "`cursor` with next_cursor shows older ones",
        );
        let output = Output {
            file_path: path,
            truncated: total > offset + found.touches.len() as u64,
            next_cursor: None,
            offset,
            commits: found.touches,
            total,
            ends: found.ends,
            co_changed: found.companions,
            velocity: has_trend.then(|| round3(found.trend.velocity)),
            stability: has_trend.then(|| round3(found.trend.stability)),
            pattern: has_trend.then_some(found.trend.pattern),
            churn: Churn { added: found.trend.added, removed: found.trend.removed },
            incomplete: found.is_cut,
            no_data: found.no_data.or(found.no_trend),
        };
        let mut output = output;
        output.page();
        Ok(Answer::of(output).candidates(total).proof(proof).next(guidance))
    }
}

/// A folder is what its files are.
fn of_folder(graph: &Graph, folder: &str) -> Fault {
    let message = format!("`node`: {folder:?} is a folder, and commits touch files.");
    let is_inside = |path: &str| folder.is_empty() || is_within(path, folder);
    let files = graph.nodes().filter(|node| node.kind() == NodeKind::File && is_inside(node.path()));
    let hint = "Ask for one of its files; tremor with `scope` tells of all of them.";
    let recovery = match files.map(|node| node.path()).next() {
        Some(file) => Recovery::call(hint, "timeline", json!({ "node": file })),
        None => Recovery::hint(hint),
    };
    Fault::new(Code::InvalidParams, message, recovery)
}

impl Output {
    /// Where older commits go on.
    fn page(&mut self) {
        let end = self.offset + self.commits.len() as u64;
        self.next_cursor = (end < self.total && !self.commits.is_empty()).then_some(end);
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        let is_less = drop_after(&mut self.commits, 1, excess) > 0;
        self.page();
        is_less || drop_tail(&mut self.co_changed, excess) > 0
    }
}
