//! Impact: what a change reaches, as an answer.

use m1nd_contract::Fault;
use m1nd_graph::{Graph, NodeIx};
use m1nd_risk::blast::{self, Blast, Handed, Reached, Toward};
use m1nd_stdx::round::round3;
use schemars::JsonSchema;
use serde::Serialize;

use super::changed;
use super::imports::handed;
use crate::ctx::{Ctx, GraphView};
use crate::faults::from_graph;

/// A node that the change reaches.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct Hit {
    pub node_id: String,
    pub label: String,
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// 0 to 1: the product of its relations' strengths on the strongest way.
    pub signal_strength: f64,
    pub hop_distance: u32,
    /// The relation, and from the second hop on the node that it leads over.
    pub via: String,
    /// Set where a guess by name is on the way.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub inferred: bool,
    #[serde(skip)]
    pub is_direct_caller: bool,
}

/// A way on which a change travels.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct Chain {
    /// From the changed node on.
    pub path: Vec<String>,
    pub strength: f64,
}

/// A test that the change reaches.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct TestHit {
    pub node_id: String,
    pub at: String,
    pub hop_distance: u32,
}

/// What was found.
pub struct Impact {
    pub sources: Vec<NodeIx>,
    pub blast: Blast,
    /// Files of the change that today's graph does not have.
    pub unknown: Vec<String>,
    /// How many files the change touches, if one was given.
    pub changed_files: Option<usize>,
    /// Files that may take a name through the changed ones and were not read.
    pub unread: usize,
}

/// Where to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Forward,
    Reverse,
    Both,
}

/// Chains that are shown.
const MAX_CHAINS: usize = 5;

pub fn run(
    ctx: &Ctx<'_>,
    at: &GraphView,
    node: Option<&str>,
    diff: Option<&str>,
    direction: Direction,
    max_hops: u32,
) -> Result<Impact, Fault> {
    let graph = &at.graph;
    let (sources, unknown, changed_files) = match (node, diff) {
        (Some(node), _) => {
            let found = from_graph::find_code(ctx.workspace()?.root(), graph, "node_id", node)?;
            (vec![found], Vec::new(), None)
        }
        (None, change) => {
            let files = changed::files(ctx, "diff", change.unwrap_or_default())?;
            let unknown = files.iter().filter(|file| graph.node_by_path(&file.path).is_none());
            let unknown = unknown.map(|file| file.path.clone()).collect();
            (changed::nodes(graph, &files), unknown, Some(files.len()))
        }
    };
    let inside = match (node, direction) {
        // What is named is meant as a whole; a diff names what it changes.
        (Some(_), _) => blast::insides(graph, &sources),
        (None, _) => sources.clone(),
    };
    let root = ctx.workspace()?.root();
    let mut by_name = handed::Found::default();
    if direction != Direction::Reverse {
        by_name = handed::takers(root, graph, &inside);
    }
    if direction != Direction::Forward {
        by_name.handed.extend(handed::givers(root, graph, &inside).handed);
    }
    let handed::Found { handed, unread } = by_name;
    let found = match direction {
        Direction::Forward => blast::blast_handed(graph, &handed, &inside, Toward::Affected, max_hops),
        Direction::Reverse => blast::blast_handed(graph, &handed, &inside, Toward::Needed, max_hops),
        Direction::Both => blast::both(graph, &handed, &inside, max_hops),
    };
    Ok(Impact { sources, blast: found, unknown, changed_files, unread })
}

/// Who takes names from the files among these nodes that only hand them on.
pub fn handed(ctx: &Ctx<'_>, graph: &Graph, nodes: &[NodeIx]) -> Result<Handed, Fault> {
    Ok(handed::takers(ctx.workspace()?.root(), graph, nodes).handed)
}

impl Impact {
    /// At most `count` of what is reached, after the first `skip`.
    pub fn hits(&self, graph: &Graph, skip: usize, count: usize) -> Vec<Hit> {
        self.blast.reached.iter().skip(skip).take(count).map(|one| hit(graph, one)).collect()
    }

    /// Tests among what is reached, nearest first.
    pub fn tests(&self, graph: &Graph) -> Vec<TestHit> {
        let mut tests: Vec<&Reached> =
            self.blast.reached.iter().filter(|one| blast::is_test(graph, one.node)).collect();
        tests.sort_by(|a, b| {
            a.hops.cmp(&b.hops).then(b.signal.total_cmp(&a.signal)).then(a.node.cmp(&b.node))
        });
        let shown = |one: &&Reached| {
            let node = graph.node(one.node);
            let at = format!("{}:{}", node.path(), node.lines().0);
            TestHit { node_id: node.id().to_owned(), at, hop_distance: one.hops }
        };
        tests.iter().map(shown).collect()
    }

    /// The strongest ways of two steps and more, each to another node next to the change.
    pub fn chains(&self, graph: &Graph) -> Vec<Chain> {
        let mut far: Vec<&Reached> = self.blast.reached.iter().filter(|one| one.hops > 1).collect();
        far.sort_by(|a, b| b.signal.total_cmp(&a.signal).then(b.hops.cmp(&a.hops)).then(a.node.cmp(&b.node)));
        let mut chains: Vec<Chain> = Vec::new();
        let mut begun: Vec<NodeIx> = Vec::new();
        for one in far {
            let way = self.blast.way_to(one.node);
            let Some(&second) = way.get(1) else { continue };
            if begun.contains(&second) {
                continue;
            }
            begun.push(second);
            let path = way.iter().map(|&ix| name(graph, ix)).collect();
            chains.push(Chain { path, strength: round3(one.signal) });
            if chains.len() == MAX_CHAINS {
                break;
            }
        }
        chains
    }

    /// How many nodes call a source directly.
    pub fn direct_callers(&self) -> usize {
        self.blast.reached.iter().filter(|one| one.is_direct_caller()).count()
    }

    /// How many of what is reached are known only by a guess.
    pub fn guessed(&self) -> usize {
        self.blast.reached.iter().filter(|one| !one.is_certain).count()
    }

    pub fn farthest(&self) -> u32 {
        self.blast.reached.iter().map(|one| one.hops).max().unwrap_or_default()
    }
}

fn hit(graph: &Graph, one: &Reached) -> Hit {
    let node = graph.node(one.node);
    let via = match one.hops {
        1 => one.via.name().to_owned(),
        _ => format!("{} {}", one.via.name(), name(graph, one.from)),
    };
    Hit {
        node_id: node.id().to_owned(),
        label: node.label().to_owned(),
        kind: node.kind().name(),
        signal_strength: round3(one.signal),
        hop_distance: one.hops,
        via,
        inferred: !one.is_certain,
        is_direct_caller: one.is_direct_caller(),
    }
}

fn name(graph: &Graph, ix: NodeIx) -> String {
    let node = graph.node(ix);
    if node.qualified().is_empty() { node.path().to_owned() } else { node.qualified().to_owned() }
}
