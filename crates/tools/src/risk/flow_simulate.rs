//! `flow_simulate`: shared state that is changed on several ways at once, without a lock.

use m1nd_contract::arg::Int;
use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_graph::{Graph, NodeIx};
use m1nd_runtime::faults::from_graph;
use m1nd_runtime::flows::survey::is_within;
use m1nd_runtime::flows::turbulence::{self, Turbulent};
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use m1nd_stdx::round::round4;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct FlowSimulate;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Functions that run at the same time; by default handlers of routes, else all that is exported
    #[serde(default)]
    node_ids: Vec<String>,
    /// Folder or file to keep to
    scope: Option<String>,
    /// 1-200
    #[schemars(extend("default" = 20))]
    limit: Option<Int>,
}

/// A function that changes shared state without a lock.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Row {
    node_id: String,
    /// What it changes, as name:line.
    changes: Vec<String>,
    /// 1 - 1/particles.
    turbulence: f64,
    /// That come here; two from each entry that may run beside itself.
    particles: u32,
    /// The first of the entries that they come from.
    entries: Vec<String>,
    /// Other ways hold a lock: this one may have been forgotten.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    locked_elsewhere: bool,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// The most turbulent first.
    turbulent: Vec<Row>,
    total: u64,
    /// Where particles start: routes, exported or named.
    entry_kind: &'static str,
    entry_points: u64,
    /// Functions that change shared state.
    writers: u64,
    /// Of these, under a lock.
    guarded: u64,
    /// What was not looked at, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    no_data: Vec<String>,
    truncated: bool,
}

const MAX_NAMED: usize = 200;
const ENTRIES: usize = 2;

impl Tool for FlowSimulate {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "flow_simulate",
        summary: "Functions that change shared state (module variables, static fields) without a lock where ways that may run at once meet.",
        help: "Particles start at entry points (two from each that may run beside itself, one from a program's beginning) and follow calls that are certain; they stop where a lock is held: between taking it and giving it back, on every way to the change or the call. turbulence = 1 - 1/particles. \
            Seen: variables of a module in Python, of a package in Go, static fields in Java, changed by a statement of their own; not seen: other languages, fields of shared objects, changes through another name. \
            Without routes all that is exported counts as an entry, as if users of the library called it from several threads. A finding is a place to read, not a proof.",
        intents: &["race condition", "shared mutable state", "thread safety", "concurrency", "turbulence"],
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
        let mut flow = turbulence::simulate(ctx, graph, &entries)?;
        flow.turbulent.retain(|one| is_within(graph.node(one.node).path(), &scope));
        let total = flow.turbulent.len() as u64;
        let shown = flow.turbulent.iter().take(usize::try_from(limit).unwrap_or(20));
        let turbulent: Vec<Row> = shown.map(|one| row(graph, one)).collect();
        let mut no_data: Vec<String> = Vec::new();
        if entries.particles.is_empty() {
            no_data.push("no_data: no entry point is known. Name functions in node_ids.".to_owned());
        }
        if !flow.unknown.is_empty() {
            let count = |(language, files): (&String, &usize)| format!("{language} ({files} files)");
            let list: Vec<String> = flow.unknown.iter().map(count).collect();
            no_data.push(format!("no_data: no patterns of shared state for {}", list.join(", ")));
        }
        if flow.untold > 0 {
            no_data.push(format!(
                "inconclusive: of {} functions that change shared state it is not known whether they hold a lock; scan with state_mutation names them and says why",
                flow.untold
            ));
        }
        let guidance = match flow.turbulent.first() {
            Some(first) => {
                let node = graph.node(first.node);
                let (from, to) = node.lines();
                let lines = format!("{}:{from}-{to}", node.path());
                Guidance::next("view", lines, "Read it: can two of its callers run at once?")
            }
            None if flow.files == 0 => Guidance::hint("No file here is in a language that can be looked at."),
            None if flow.untold > 0 => Guidance::hint(
                "No function is known to change a shared variable on two ways without a lock; of those in no_data it is not known.",
            ),
            None => Guidance::hint("No function changes a shared variable on two ways without a lock."),
        };
        let guidance =
            guidance.with_rest(turbulent.len(), total, "a higher one (to 200) shows more, `scope` a part");
        let output = Output {
            truncated: total > turbulent.len() as u64,
            turbulent,
            total,
            entry_kind: entries.kind,
            entry_points: entries.particles.len() as u64,
            writers: flow.writers as u64,
            guarded: flow.guarded as u64,
            no_data,
        };
        Ok(Answer::of(output).candidates(total).proof(ProofState::Triaging).next(guidance))
    }
}

fn row(graph: &Graph, one: &Turbulent) -> Row {
    let id = |node: NodeIx| graph.node(node).id().to_owned();
    Row {
        node_id: id(one.node),
        changes: one.states.iter().map(|(name, line)| format!("{name}:{line}")).collect(),
        turbulence: round4(one.ways.turbulence()),
        particles: one.ways.particles,
        entries: one.ways.entries.iter().take(ENTRIES).map(|&node| id(node)).collect(),
        locked_elsewhere: one.ways.has_guarded,
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.turbulent, excess) > 0 || drop_tail(&mut self.no_data, excess) > 0
    }
}
