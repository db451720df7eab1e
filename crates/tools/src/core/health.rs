//! `health`: what this server is, what it is bound to, and how it is doing.

use std::collections::BTreeMap;

use m1nd_contract::{Fault, Guidance};
use m1nd_guard::TrustMode;
use m1nd_memory::StoreError;
use m1nd_runtime::flows::{coverage, ledger, roots};
use m1nd_runtime::workspace::{MemoryState, OverlayState, Watching};
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool, process};
use m1nd_stdx::round::round4;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::judged::Judged;
use crate::saved;
use crate::saw::Saw;

pub struct Health;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// ok, degraded when doctor finds something wrong, or unbound when no workspace is bound.
    status: &'static str,
    /// How far answers can be relied on, as doctor and trust_selftest judge it.
    trust_mode: TrustMode,
    /// What is wrong, in sentences: what doctor says.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    /// Version of the running program.
    version: &'static str,
    /// Commit it was built from.
    build: &'static str,
    /// Process id.
    process_id: u32,
    /// Seconds since start.
    uptime_seconds: f64,
    /// Resident memory of the process, where the system tells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_bytes: Option<u64>,
    /// The bound workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    workspace: Option<Workspace>,
    /// The code graph.
    graph: Graph,
    /// The store of notes and tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<Memory>,
    /// What became of batches that processes left unfinished; told until the next edit tells it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    settled_batches: Vec<String>,
    /// Toolsets that hosts are shown.
    toolsets: Vec<&'static str>,
    /// Calls answered since start.
    queries: u64,
    /// Agents seen since start, most recent first, at most ten.
    sessions: Vec<Session>,
    /// Agents seen in all.
    session_count: usize,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Workspace {
    /// Where it is.
    root: String,
    /// What decided that.
    chosen_by: String,
    /// Where m1nd keeps its state about it.
    runtime_root: String,
    /// Bytes of that state.
    disk_bytes: u64,
    /// Other repositories in the graph: namespace, path, and the problem if one cannot be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    roots: Vec<Value>,
}

/// What of an ingest's report says how far the graph can be relied on.
const COVERAGE: [&str; 9] = [
    "files_skipped",
    "files_partial",
    "files_unsupported",
    "files_failed",
    "failures",
    "history",
    "files_generated",
    "files_vendored",
    "examples",
];

#[derive(Debug, Default, JsonSchema, Serialize)]
pub struct Graph {
    /// Nodes.
    nodes: u64,
    /// Edges.
    edges: u64,
    /// Generation; 0 while nothing is ingested.
    generation: u64,
    /// Source files by language.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    languages: BTreeMap<String, u64>,
    /// When the files were last listed (Unix milliseconds).
    #[serde(skip_serializing_if = "Option::is_none")]
    as_of_ms: Option<i64>,
    /// The export it was read from, when it is not made from the files.
    #[serde(skip_serializing_if = "Option::is_none")]
    imported_from: Option<String>,
    /// What is wrong with its files on disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    /// Files of it that could not be read and were set aside; it is made again from the files of the workspace.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    set_aside: Vec<String>,
    /// How edits are noticed: watched, or looked for before each question, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    edits: Option<String>,
    /// When it was last written to disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    saved_ms: Option<i64>,
    /// Compilers' indexes over it: index, files_covered, files_changed, upgraded, added, dropped.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<BTreeMap<String, String>>")]
    overlays: Vec<OverlayState>,
    /// What the last ingest did not read in full: files_skipped, files_partial, files_unsupported, files_failed, failures (path and reason), history (why it could not be read), files_generated, files_vendored, examples.
    #[serde(skip_serializing_if = "Map::is_empty")]
    coverage: Map<String, Value>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Memory {
    /// ok, empty while nothing was remembered, read_only, damaged, or newer than this program can read.
    state: &'static str,
    /// Bytes on disk.
    bytes: u64,
    /// What is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    /// Damaged files that were set aside and kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    set_aside: Vec<String>,
}

impl Memory {
    fn of(state: MemoryState) -> Self {
        Self {
            state: match &state.problem {
                Some(StoreError::SchemaTooNew { .. }) => "newer",
                Some(_) => "damaged",
                None if state.bytes == 0 => "empty",
                None if state.read_only => "read_only",
                None => "ok",
            },
            bytes: state.bytes,
            problem: state.problem.map(|problem| problem.to_string()),
            set_aside: state.set_aside.iter().map(|path| path.display().to_string()).collect(),
        }
    }
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Session {
    /// Who.
    agent_id: String,
    /// Calls.
    queries: u64,
    /// Last call (Unix milliseconds).
    last_seen_ms: i64,
}

const MAX_SESSIONS: usize = 10;

impl Tool for Health {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "health",
        summary: "State of this server: workspace, graph, memory, sessions, version.",
        help: "",
        intents: &["status of server", "which workspace", "is it running", "version", "diagnose"],
        needs: Needs::Nothing,
        // The list is read at the start of every session; this answer is read when something is wrong.
        lean: true,
        family: Family::Recover,
        examples: &[Example { says: "How is it?", arguments: "{}" }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, _: Input) -> Result<Answer<Output>, Fault> {
        let runtime = ctx.runtime();
        let workspace = ctx.workspace().ok();
        let agents = runtime.sessions();
        let session_count = agents.len();
        let mut sessions: Vec<Session> = agents
            .into_iter()
            .map(|(agent_id, seen)| Session {
                agent_id,
                queries: seen.queries,
                last_seen_ms: seen.last_seen.0,
            })
            .collect();
        sessions
            .sort_by(|a, b| b.last_seen_ms.cmp(&a.last_seen_ms).then_with(|| a.agent_id.cmp(&b.agent_id)));
        sessions.truncate(MAX_SESSIONS);
        let build = runtime.settings().build;
        let unsaved = workspace.and_then(|workspace| workspace.unsaved_because());
        let memory = workspace.map(|workspace| Memory::of(workspace.memory_state()));
        let aside = workspace.map(|workspace| workspace.memories_set_aside()).unwrap_or_default();
        let damaged = memory
            .as_ref()
            .and_then(|memory| Some(saved::unusable(memory.state, memory.problem.as_deref()?)));
        let lost = damaged.or_else(|| Some(format!("{} {}", saved::set_aside(&aside)?, saved::WHAT_NOW)));
        let settled = workspace.map(|workspace| workspace.untold_batches()).unwrap_or_default();
        // What is wrong is judged in one place: an ok here beside a fault there would be believed.
        let judged = Judged::of(ctx, Saw::default())?;
        let output = Output {
            status: match workspace {
                None => "unbound",
                Some(_) if judged.is_well() => "ok",
                Some(_) => "degraded",
            },
            trust_mode: judged.verdict.mode,
            warnings: judged.warnings,
            version: build.version,
            build: build.hash,
            process_id: std::process::id(),
            uptime_seconds: round4(runtime.uptime().as_secs_f64()),
            memory_bytes: process::memory_bytes(),
            workspace: workspace.map(|workspace| Workspace {
                root: workspace.root().path().display().to_string(),
                chosen_by: workspace.source().to_string(),
                runtime_root: workspace.runtime_root().display().to_string(),
                disk_bytes: process::disk_bytes(workspace.runtime_root()),
                roots: workspace.added_roots().iter().map(roots::shown).collect(),
            }),
            graph: workspace.map(Graph::of).unwrap_or_default(),
            settled_batches: settled.into_iter().map(|one| one.said).collect(),
            memory,
            toolsets: runtime.enabled_toolsets().into_iter().map(|name| name.as_str()).collect(),
            queries: runtime.queries_total(),
            sessions,
            session_count,
        };
        let guidance = if unsaved.is_some() {
            let why = "Answers are right, but a new process would read everything again. Make room on the disk and save.";
            Guidance::next("persist", "save", why)
        } else if let Some(lost) = lost {
            Guidance::hint(lost)
        } else if let Some(said) = workspace.and_then(|workspace| workspace.made_again()) {
            Guidance::hint(said)
        } else if workspace.is_some() {
            let first = judged.book.steps.into_iter().next().filter(|_| output.status != "ok");
            first.map_or_else(Guidance::default, |step| Guidance {
                next_suggested_tool: step.tool,
                next_suggested_target: None,
                next_step_hint: Some(step.action),
            })
        } else {
            let why = runtime.why_unbound().map_or_else(String::new, |why| format!("{why}. "));
            Guidance::hint(format!(
                "{why}Start the server with --workspace PATH, or set M1ND_WORKSPACE_ROOT."
            ))
        };
        Ok(Answer::of(output).next(guidance))
    }
}

/// What is wrong with the graph or with what it is made of.
fn problem(workspace: &m1nd_runtime::workspace::Workspace) -> Option<String> {
    let history = ledger::is_damaged(workspace).then(|| saved::HISTORY.to_owned());
    let all: Vec<String> =
        [workspace.problem(), workspace.unsaved_because(), history].into_iter().flatten().collect();
    (!all.is_empty()).then(|| all.join("; "))
}

impl Graph {
    fn of(workspace: &m1nd_runtime::workspace::Workspace) -> Self {
        let view = workspace.view();
        let mut report = match view.report() {
            Some(report) => serde_json::to_value(report).ok(),
            None => workspace.last_report(),
        };
        let mut coverage = Map::new();
        for name in COVERAGE {
            let value = report.as_mut().and_then(|report| report.get_mut(name)).map(Value::take);
            coverage.extend(value.filter(tells_something).map(|value| (name.to_owned(), value)));
        }
        Self {
            nodes: view.node_count(),
            edges: view.edge_count(),
            generation: view.generation(),
            languages: view.graph().map(|graph| coverage::languages(graph)).unwrap_or_default(),
            as_of_ms: view.graph().map(|_| view.as_of().0),
            imported_from: view.imported_from().map(str::to_owned),
            problem: problem(workspace),
            set_aside: workspace.graphs_set_aside().iter().map(|path| path.display().to_string()).collect(),
            edits: view.graph().map(|_| match workspace.watching() {
                Watching::On(watch) => format!("watched in {} folders", watch.folders()),
                Watching::Off(why) => format!("looked for before each question: {why}"),
                Watching::NotYet => "looked for before each question".to_owned(),
            }),
            saved_ms: workspace.last_save().map(|(at, _)| at.0),
            overlays: workspace.overlays(),
            coverage,
        }
    }
}

fn tells_something(value: &Value) -> bool {
    let is_empty =
        value.as_object().is_some_and(Map::is_empty) || value.as_array().is_some_and(Vec::is_empty);
    !(value.is_null() || *value == 0 || is_empty)
}

m1nd_contract::fixed_size!(Output);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_can_only_be_read_is_not_called_ok() {
        let state = |bytes, read_only| {
            let path = "memory.db".into();
            Memory::of(MemoryState {
                path,
                bytes,
                schema_version: None,
                problem: None,
                read_only,
                set_aside: Vec::new(),
            })
            .state
        };
        assert_eq!((state(0, false), state(9, false), state(9, true)), ("empty", "ok", "read_only"));
    }
}
