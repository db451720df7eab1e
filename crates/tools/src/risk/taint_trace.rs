//! `taint_trace`: dangerous calls that entry points reach.

use m1nd_contract::arg::Int;
use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_graph::{Graph, NodeIx};
use m1nd_runtime::faults::from_graph;
use m1nd_runtime::flows::survey::is_within;
use m1nd_runtime::flows::tainted::{self, Path};
use m1nd_runtime::flows::turbulence;
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct TaintTrace;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Where input comes in; by default handlers of routes and beginnings of programs, else all that is exported
    #[serde(default)]
    node_ids: Vec<String>,
    /// Folder or file that the dangerous call is in
    scope: Option<String>,
    /// 1-200
    #[schemars(extend("default" = 20))]
    limit: Option<Int>,
}

/// A way to a dangerous call.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Row {
    /// execute, sql, deserialize, markup or files.
    sink: &'static str,
    /// Where the call is.
    at: String,
    /// The entry first; the middle of a long way is left out.
    path: Vec<String>,
    /// Calls before it, on every way, whose names say that they look at input; empty: none.
    boundaries: Vec<String>,
    /// The same in one branch only, or in an order that is not known: these guard nothing for certain.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    perhaps: Vec<String>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// Without boundaries first, then the worst kind and the shortest way.
    paths: Vec<Row>,
    total: u64,
    /// Of these, without boundaries.
    unguarded: u64,
    /// Where ways start: routes, exported or named.
    entry_kind: &'static str,
    entry_points: u64,
    /// Functions that they reach.
    reached: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    no_data: Vec<String>,
    truncated: bool,
}

const MAX_NAMED: usize = 200;
/// Of a longer way the first and the last are shown.
const STEPS: usize = 6;
const BOUNDARIES: usize = 4;

impl Tool for TaintTrace {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "taint_trace",
        summary: "Dangerous calls (run a program, SQL from pieces, deserialize, raw markup, write files) that entry points reach, and whether something on the way validates.",
        help: "Calls that are certain are followed, not values: a path says that the call may run for that entry, not that its input gets there. Dangerous calls are known by how they are written in Python, JavaScript, TypeScript, Go and Java; those whose first argument is a plain text (and no shell) are left out. \
            boundaries are calls in the functions of the path named like validate, sanitize, escape, clean, authorize, verify, quote that are made before it on every way; perhaps has those of some ways, which do not count. A name is a hint, not a proof. Handlers without a name are looked at each by itself; what stands in a file outside them is never called guarded. SQL put together under a name is seen where the same function runs it by that name, not where another one does.",
        intents: &["security", "injection", "taint analysis", "untrusted input", "dangerous calls"],
        needs: Needs::Graph,
        budget: Some(5_000),
        fresh: true,
        lean: true,
        family: Family::Relate,
        examples: &[Example { says: "The whole workspace", arguments: "{}" }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let limit = ctx.in_range("limit", input.limit, 1..=200)?.unwrap_or(20);
        let scope = ctx.scope(input.scope.as_deref())?;
        if input.node_ids.len() > MAX_NAMED {
            return Err(ctx.invalid(format!("`node_ids` takes at most {MAX_NAMED} functions.")));
        }
        let at = ctx.graph_view()?;
        let graph = &at.graph;
        let root = ctx.workspace()?.root();
        let named: Result<Vec<NodeIx>, Fault> =
            input.node_ids.iter().map(|name| from_graph::find_code(root, graph, "node_ids", name)).collect();
        let entries = turbulence::entries_within(graph, &named?, &scope);
        let mut found = tainted::trace(ctx, graph, &entries)?;
        found.paths.retain(|path| last(path).is_some_and(|node| is_within(graph.node(node).path(), &scope)));
        let total = found.paths.len() as u64;
        let unguarded = found.paths.iter().filter(|path| path.boundaries.is_empty()).count() as u64;
        let shown = found.paths.iter().take(usize::try_from(limit).unwrap_or(20));
        let paths: Vec<Row> = shown.map(|path| row(graph, path)).collect();
        let mut no_data: Vec<String> = Vec::new();
        if entries.particles.is_empty() {
            no_data.push("no_data: no entry point is known. Name functions in node_ids.".to_owned());
        }
        if !found.unknown.is_empty() {
            let count = |(language, count): (&String, &usize)| format!("{language} ({count} functions)");
            let list: Vec<String> = found.unknown.iter().map(count).collect();
            no_data.push(format!("no_data: dangerous calls are not known for {}", list.join(", ")));
        }
        let guidance = match paths.first() {
            Some(first) => Guidance::next("view", first.at.clone(), "Read the call: does input get there?"),
            None if found.reached == 0 => Guidance::hint("No function is reached; name entries in node_ids."),
            None => Guidance::hint("No dangerous call that is known is reached from the entries."),
        };
        let guidance =
            guidance.with_rest(paths.len(), total, "a higher one (to 200) shows more, `scope` a part");
        let output = Output {
            truncated: total > paths.len() as u64,
            paths,
            total,
            unguarded,
            entry_kind: entries.kind,
            entry_points: entries.particles.len() as u64,
            reached: found.reached as u64,
            no_data,
        };
        Ok(Answer::of(output).candidates(total).proof(ProofState::Triaging).next(guidance))
    }
}

fn last(path: &Path) -> Option<NodeIx> {
    path.nodes.last().copied()
}

fn row(graph: &Graph, path: &Path) -> Row {
    let mut steps: Vec<String> = path.nodes.iter().map(|&node| graph.node(node).id().to_owned()).collect();
    if steps.len() > STEPS {
        let left_out = steps.len() - STEPS;
        steps.splice(STEPS / 2..STEPS / 2 + left_out, [format!("({left_out} more)")]);
    }
    let file = last(path).map_or("", |node| graph.node(node).path());
    Row {
        sink: path.sink.name(),
        at: format!("{file}:{}", path.line),
        path: steps,
        boundaries: path.boundaries.iter().take(BOUNDARIES).cloned().collect(),
        perhaps: path.perhaps.iter().take(BOUNDARIES).cloned().collect(),
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.paths, excess) > 0 || drop_tail(&mut self.no_data, excess) > 0
    }
}
