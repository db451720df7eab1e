//! Locks: regions of the graph as they were when an agent took them down.

use std::collections::BTreeSet;
use std::time::Duration;

use m1nd_contract::Fault;
use m1nd_graph::NodeIx;
use m1nd_memory::drawers::Room;
use m1nd_navigate::{Baseline, Changes, around, chain, within};
use m1nd_recall::seek::Graphed;
use serde::{Deserialize, Serialize};

use super::perspectives::refused;
use super::{Kind, Shelf, Texts};
use crate::ctx::{Ctx, GraphView};
use crate::faults::{self, from_graph};
use crate::flows::seek::{self, Request};

/// Locks that an agent may hold.
const MOST: usize = 10;
const IDLE_MS: i64 = 30 * 24 * 3_600_000;
/// What a question finds that its neighbourhood is made of.
const FOUND: usize = 10;
/// How often a watched region is looked at.
const EVERY: Duration = Duration::from_millis(200);

pub(super) const LOCKS: Kind = Kind {
    name: "lock",
    called: "locks",
    lister: "lock_diff",
    way_out: "See which of them you no longer need; lock_release gives one up.",
    room: Room { most: MOST, idle_ms: Some(IDLE_MS) },
    shared: false,
};

/// A lock as it is written down.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Lock {
    pub id: String,
    /// What was locked, in words.
    pub region: String,
    pub baseline: Baseline,
    pub taken_ms: i64,
}

/// What to lock.
#[derive(Clone, Debug)]
pub enum Wish<'a> {
    Node(&'a str),
    Subgraph(&'a [String], usize),
    QueryNeighborhood(&'a str),
    /// Several nodes are a chain; one is a file or folder.
    Path(&'a [String]),
}

pub fn shelf<'c>(ctx: &'c Ctx<'c>) -> Result<Shelf<'c>, Fault> {
    Shelf::of(ctx, LOCKS)
}

pub fn create(ctx: &Ctx<'_>, at: &GraphView, wish: &Wish<'_>) -> Result<Lock, Fault> {
    let (region, words) = region(ctx, at, wish)?;
    let baseline = take(ctx, at, &region)?;
    let taken_ms = ctx.runtime().clock().now().0;
    shelf(ctx)?.add(|id| Lock { id, region: words.clone(), baseline: baseline.clone(), taken_ms })
}

fn take(ctx: &Ctx<'_>, at: &GraphView, region: &BTreeSet<NodeIx>) -> Result<Baseline, Fault> {
    let (mut texts, graph) = (Texts::new(ctx), &at.graph);
    let taken = Baseline::take(graph, at.view.state_of_files(), region, &mut |node| texts.hash(graph, node));
    taken.map_err(|err| refused(&err))
}

fn region(ctx: &Ctx<'_>, at: &GraphView, wish: &Wish<'_>) -> Result<(BTreeSet<NodeIx>, String), Fault> {
    let graph = &at.graph;
    let root = ctx.workspace()?.root();
    let find = |name: &str| from_graph::find(root, graph, "nodes", name);
    let found = |names: &[String]| names.iter().map(|name| find(name)).collect::<Result<Vec<_>, _>>();
    let id = |node: NodeIx| graph.node(node).id();
    let grown = |starts: &[NodeIx], radius| around(graph, starts, radius).map_err(|err| refused(&err));
    Ok(match wish {
        Wish::Node(name) => {
            let node = find(name)?;
            (grown(&[node], 0)?, id(node).to_owned())
        }
        Wish::Subgraph(names, radius) => {
            let starts = found(names)?;
            let words = starts.iter().map(|&node| id(node)).collect::<Vec<_>>().join(", ");
            (grown(&starts, *radius)?, format!("{words} and {radius} around"))
        }
        Wish::QueryNeighborhood(query) => {
            let request = Request {
                query,
                top_k: FOUND,
                scope: None,
                kinds: Vec::new(),
                min_score: 0.0,
                graph: Graphed::Yes,
            };
            let results = seek::symbols(ctx, at, &request)?.results;
            let starts: Vec<NodeIx> =
                results.iter().filter_map(|one| graph.node_by_id(&one.node_id)).collect();
            if starts.is_empty() {
                return Err(
                    ctx.invalid("`query`: nothing in the code fits it. Use words that the code uses.")
                );
            }
            (grown(&starts, 1)?, format!("what {query:?} finds, and 1 around"))
        }
        Wish::Path([one]) => {
            let path = graph.node(find(one)?).path().to_owned();
            (within(graph, &path).map_err(|err| refused(&err))?, path)
        }
        Wish::Path(names) => {
            let nodes = found(names)?;
            let words = nodes.iter().map(|&node| id(node)).collect::<Vec<_>>().join(" to ");
            (chain(graph, &nodes).map_err(|err| refused(&err))?, words)
        }
    })
}

/// What became of a lock's region.
pub fn diff(ctx: &Ctx<'_>, at: &GraphView, id: &str) -> Result<(Lock, Changes), Fault> {
    let lock: Lock = shelf(ctx)?.get("lock_id", id)?;
    let changes = changes(ctx, at, &lock);
    Ok((lock, changes))
}

fn changes(ctx: &Ctx<'_>, at: &GraphView, lock: &Lock) -> Changes {
    let (mut texts, graph) = (Texts::new(ctx), &at.graph);
    lock.baseline.diff(graph, at.view.state_of_files(), &mut |node| texts.hash(graph, node))
}

/// Waits until the region changes, at most so long.
pub fn watch(ctx: &Ctx<'_>, id: &str, wait: Duration) -> Result<(Lock, Changes), Fault> {
    let lock: Lock = shelf(ctx)?.get("lock_id", id)?;
    let began = ctx.runtime().clock().monotonic();
    let mut looked_at = None;
    loop {
        let at = ctx.graph_view()?;
        let generation = at.graph.generation();
        if looked_at != Some(generation) {
            looked_at = Some(generation);
            let found = changes(ctx, &at, &lock);
            if !found.is_empty() {
                return Ok((lock, found));
            }
        }
        let left = wait.saturating_sub(ctx.runtime().clock().monotonic().saturating_sub(began));
        if left.is_zero() {
            return Ok((lock, Changes::default()));
        }
        if let Some(stop) = ctx.cancel().stop() {
            return Err(faults::stopped(stop));
        }
        std::thread::sleep(left.min(EVERY));
    }
}

/// Takes the region down again as it is now. What was added to it is in it from now on.
pub fn rebase(ctx: &Ctx<'_>, at: &GraphView, id: &str) -> Result<(Lock, Changes), Fault> {
    let graph = &at.graph;
    let (lock, found) = shelf(ctx)?.change("lock_id", id, |lock: &mut Lock| {
        let found = changes(ctx, at, lock);
        let known = lock
            .baseline
            .nodes
            .iter()
            .map(|(id, _)| id.as_str())
            .chain(found.added.iter().map(String::as_str));
        let region: BTreeSet<NodeIx> = known.filter_map(|id| graph.node_by_id(id)).collect();
        lock.baseline = take(ctx, at, &region)?;
        lock.taken_ms = ctx.runtime().clock().now().0;
        Ok(found)
    })?;
    Ok((lock, found))
}
