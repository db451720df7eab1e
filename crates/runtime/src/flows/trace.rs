//! Trace: a failure's text, the code it went through, and who is to be looked at first.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use m1nd_contract::{Code, Fault, Recovery};
use m1nd_graph::{EdgeKind, Graph, NodeIx, NodeKind};
use m1nd_risk::blast::{self, Toward};
use m1nd_risk::trace::{Mapped, Mapping, Style, Suspect, Weights, Whose, map, parse, suspects};
use m1nd_stdx::clock::UnixMs;
use m1nd_stdx::round::round3;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::context_guard;
use super::packaged::Packages;
use crate::ctx::{Ctx, GraphView};

/// Code that may be to blame.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct SuspectShown {
    pub node_id: String,
    /// Where the trace went through it, or where it begins.
    pub at: String,
    pub suspiciousness: f64,
    pub signals: SignalsShown,
    /// Set where the trace's line is no longer in that function: the file changed since.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub moved: bool,
}

/// Why it is suspected; each 0 to 1.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct SignalsShown {
    pub trace_depth: f64,
    /// Absent where the history does not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recency: Option<f64>,
    pub centrality: f64,
}

/// A file of code that changes together with a suspect.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct CoSuspect {
    pub file_path: String,
    pub with: String,
    /// Share of their changes that they have in common.
    pub strength: f64,
}

/// How much a fix will touch.
#[derive(Clone, Debug, Default, JsonSchema, PartialEq, Serialize)]
pub struct FixScope {
    /// Files of the suspects.
    pub files: Vec<String>,
    /// Nodes that a change of the first suspect reaches in three steps.
    pub blast_radius: u64,
    /// Tests among them.
    pub tests: u64,
}

/// A frame that leads nowhere.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct UnmappedShown {
    pub frame: String,
    /// outside, or the files that it may be.
    pub why: String,
}

/// What was found.
#[derive(Debug)]
pub struct Traced {
    pub style: Style,
    pub message: Option<String>,
    pub cause: Option<String>,
    pub failures: usize,
    pub mapped: Vec<Mapped>,
    pub suspects: Vec<SuspectShown>,
    pub co_changes: Vec<CoSuspect>,
    pub chain: Vec<String>,
    pub scope: FixScope,
    /// Paths of the trace that are files of other repositories, and which.
    pub others: BTreeMap<String, PathBuf>,
}

/// Longer texts are logs; the trace is what is wanted of them.
const MAX_TEXT: usize = 1 << 20;
/// Files that change together with the suspects' that are named.
const MAX_CO_CHANGES: usize = 5;
/// Suspects whose files a fix may touch.
const MAX_SCOPE: usize = 3;

pub fn run(
    ctx: &Ctx<'_>,
    at: &GraphView,
    text: &str,
    language: Option<&str>,
    window_hours: f64,
) -> Result<Traced, Fault> {
    let style = match language {
        None => None,
        Some(name) => Some(Style::of_language(name).ok_or_else(|| {
            ctx.invalid("`language` must be python, rust, javascript, typescript, go, java, kotlin, c, cpp, csharp, ruby or php.")
        })?),
    };
    let text = &text[..text.floor_char_boundary(MAX_TEXT)];
    let parsed = parse(text, style).ok_or_else(|| no_frames(text))?;
    let workspace = ctx.workspace()?;
    let root = workspace.root();
    let packages = Packages::of(root, ctx.cancel());
    let others: RefCell<BTreeMap<String, Option<PathBuf>>> = RefCell::default();
    let whose = |path: &str| {
        if let Ok(own) = root.relative(path) {
            return Whose::Ours(own.as_str().to_owned());
        }
        if let Some(own) = packages.own(path) {
            return Whose::Ours(own);
        }
        let mut others = others.borrow_mut();
        let other =
            others.entry(path.to_owned()).or_insert_with(|| context_guard::other_repository(workspace, path));
        // Another work tree holds the same code.
        let is_other =
            other.as_deref().is_some_and(|folder| !context_guard::is_worktree(root.path(), folder));
        if is_other { Whose::Others } else { Whose::Unknown }
    };
    let graph = &at.graph;
    let mapped = map(graph, parsed.frames, whose);
    let changed = |ix: NodeIx| {
        let file = graph.node_by_path(graph.node(ix).path())?;
        graph.node(file).history().map(|history| history.changed_at)
    };
    let now: UnixMs = ctx.runtime().clock().now();
    let found = suspects(graph, &mapped, Weights::default(), now, window_hours as f32, changed);
    let shown: Vec<SuspectShown> = found.iter().map(|suspect| shown(graph, &mapped, suspect)).collect();
    Ok(Traced {
        style: parsed.style,
        message: parsed.message,
        cause: parsed.cause,
        failures: parsed.failures,
        co_changes: co_changes(graph, &found),
        chain: chain(graph, &mapped),
        scope: scope(graph, &found),
        suspects: shown,
        others: others.into_inner().into_iter().filter_map(|(path, other)| Some((path, other?))).collect(),
        mapped,
    })
}

impl Traced {
    pub fn frames_mapped(&self) -> usize {
        self.mapped.iter().filter(|one| matches!(one.mapping, Mapping::Node { .. })).count()
    }

    /// Other repositories of this machine that it went through, and frames of each.
    pub fn other_repositories(&self) -> Vec<(String, usize)> {
        let mut found: BTreeMap<String, usize> = BTreeMap::new();
        for other in self.mapped.iter().filter_map(|one| self.others.get(&one.frame.path)) {
            *found.entry(other.display().to_string()).or_default() += 1;
        }
        let mut found: Vec<(String, usize)> = found.into_iter().collect();
        found.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        found
    }

    /// Frames that lead nowhere; those of libraries are of no use, and only counted.
    pub fn unmapped(&self) -> Vec<UnmappedShown> {
        let one = |one: &Mapped| {
            let why = match &one.mapping {
                Mapping::Node { .. } => return None,
                Mapping::Ambiguous(files) => format!("one of {}", files.join(", ")),
                Mapping::Outside => self
                    .others
                    .get(&one.frame.path)
                    .map_or_else(|| "outside".to_owned(), |other| format!("of {}", other.display())),
            };
            let raw = &one.frame.raw;
            Some(UnmappedShown { frame: raw[..raw.floor_char_boundary(160)].to_owned(), why })
        };
        self.mapped.iter().filter_map(one).collect()
    }
}

fn shown(graph: &Graph, mapped: &[Mapped], suspect: &Suspect) -> SuspectShown {
    let node = graph.node(suspect.node);
    let frame = mapped.iter().find_map(|one| match one.mapping {
        Mapping::Node { node, moved } if node == suspect.node => Some((one.frame.line, moved)),
        _ => None,
    });
    let (line, moved) = frame.unwrap_or((None, false));
    let line = line.filter(|_| !moved).unwrap_or(node.lines().0).max(1);
    SuspectShown {
        node_id: node.id().to_owned(),
        at: format!("{}:{line}", node.path()),
        suspiciousness: round3(suspect.suspiciousness),
        signals: SignalsShown {
            trace_depth: round3(suspect.depth),
            recency: suspect.recency.map(round3),
            centrality: round3(suspect.centrality),
        },
        moved,
    }
}

fn co_changes(graph: &Graph, suspects: &[Suspect]) -> Vec<CoSuspect> {
    let files: BTreeSet<&str> = suspects.iter().map(|suspect| graph.node(suspect.node).path()).collect();
    let mut found: Vec<CoSuspect> = Vec::new();
    for path in suspects.iter().take(MAX_SCOPE).map(|suspect| graph.node(suspect.node).path()) {
        let Some(file) = graph.node_by_path(path) else { continue };
        let edges = graph.outgoing(file).map(|edge| (edge.target, edge));
        let edges = edges.chain(graph.incoming(file).map(|edge| (edge.source, edge)));
        for (other, edge) in edges.filter(|(_, edge)| edge.kind == EdgeKind::CoChanges) {
            // Change logs and locks change with everything, and nothing in them fails.
            if graph.node(other).language().is_empty() {
                continue;
            }
            let other = graph.node(other).path();
            if !files.contains(other) && !found.iter().any(|known| known.file_path == other) {
                let strength = round3(edge.base_weight.get());
                found.push(CoSuspect { file_path: other.to_owned(), with: path.to_owned(), strength });
            }
        }
    }
    found.sort_by(|a, b| b.strength.total_cmp(&a.strength).then_with(|| a.file_path.cmp(&b.file_path)));
    found.truncate(MAX_CO_CHANGES);
    found
}

/// The calls that led to the last failure, the outermost first, without repetitions.
fn chain(graph: &Graph, mapped: &[Mapped]) -> Vec<String> {
    let mut chain: Vec<String> = Vec::new();
    for one in mapped.iter().rev().filter(|one| one.frame.failure == 0) {
        let Mapping::Node { node, .. } = one.mapping else { continue };
        let node = graph.node(node);
        let name = if node.kind() == NodeKind::File { node.path() } else { node.qualified() };
        if !chain.iter().any(|known| known == name) {
            chain.push(name.to_owned());
        }
    }
    chain
}

fn scope(graph: &Graph, suspects: &[Suspect]) -> FixScope {
    let mut files: Vec<String> = Vec::new();
    for suspect in suspects.iter().take(MAX_SCOPE) {
        let path = graph.node(suspect.node).path().to_owned();
        if !files.contains(&path) {
            files.push(path);
        }
    }
    let Some(first) = suspects.first() else { return FixScope::default() };
    let reached = blast::blast(graph, &[first.node], Toward::Affected, 3).reached;
    let tests = reached.iter().filter(|one| blast::is_test(graph, one.node)).count();
    FixScope { files, blast_radius: reached.len() as u64, tests: tests as u64 }
}

fn no_frames(text: &str) -> Fault {
    let word = text.lines().map(str::trim).find(|line| line.len() > 3).unwrap_or("error");
    Fault::new(
        Code::InvalidParams,
        "`error_text` has no stack frame and names no file with a line.".to_owned(),
        Recovery::call(
            "Give the whole trace, with the lines that name files. A message alone can be sought.",
            "seek",
            json!({ "query": &word[..word.floor_char_boundary(200)] }),
        ),
    )
}
