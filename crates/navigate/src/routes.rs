//! Routes: where a walk can go from where it stands, best first.
//!
//! A route is scored by five factors, each from 0 to 1, and their weighted mean over those that can be told.

use m1nd_graph::{Graph, NodeIx};
use m1nd_recall::engines::paths::strength;
use m1nd_recall::text::{terms_of_query, terms_of_text};
use m1nd_stdx::digest::short_name;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::distance::{Distances, neighbours};
use crate::family::Family;
use crate::walk::{MAX_ANCHOR_HOPS, Mode, Walk};

/// Earlier steps that say which kind of way the walk takes.
const RECENT: usize = 3;
/// Earlier nodes that a next one may go on from.
const TRAIL: usize = 5;

/// One way on.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// Made of where it starts, what kind it is and where it ends: the same way has the same id whenever it is asked for.
    pub id: String,
    pub family: Family,
    pub target: NodeIx,
    pub score: f64,
    pub factors: Factors,
}

/// What a route's score is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factors {
    /// How strongly the relation binds, as learned and as certain as it is.
    pub local_activation: f64,
    /// Half for ways of the same kind among the last three steps, half for folders in common.
    pub path_coherence: f64,
    /// One over one more than the visits.
    pub novelty: f64,
    /// Anchored: one over one more than the relations to the anchor. Local: the share of the question's words that the target
    /// has; nothing without a question.
    pub anchor_relevance: Option<f64>,
    /// Share of the last five nodes that the target has a relation with; nothing on the first step.
    pub continuity: Option<f64>,
}

impl Factors {
    const WEIGHTS: [f64; 5] = [0.35, 0.15, 0.20, 0.20, 0.10];

    fn score(&self) -> f64 {
        let known = [
            Some(self.local_activation),
            Some(self.path_coherence),
            Some(self.novelty),
            self.anchor_relevance,
            self.continuity,
        ];
        let (mut sum, mut weights) = (0.0, 0.0);
        for (value, weight) in known.into_iter().zip(Self::WEIGHTS) {
            if let Some(value) = value {
                sum += value * weight;
                weights += weight;
            }
        }
        sum / weights
    }
}

/// All ways on.
#[derive(Clone, Debug)]
pub struct Routes {
    /// Best first.
    pub all: Vec<Route>,
    /// Made of their ids in this order: another set, or another order, has another one. Exact in every JSON reader.
    pub version: u64,
    /// What the walk is now, however it was begun.
    pub mode: Mode,
    /// Relations between the focus and the anchor, if they are near enough.
    pub anchor_hops: Option<u32>,
}

impl Routes {
    pub fn find(&self, id: &str) -> Option<&Route> {
        self.all.iter().find(|route| route.id == id)
    }
}

/// The ways on from where the walk stands; nothing if that is no longer in the graph.
pub fn routes(graph: &Graph, walk: &Walk) -> Option<Routes> {
    let focus = graph.node_by_id(walk.focus())?;
    let anchor = graph.node_by_id(&walk.anchor).filter(|_| walk.mode == Mode::Anchored);
    // One step more than allowed: a target may lie just beyond.
    let from_anchor = anchor.map(|anchor| Distances::from(graph, anchor, MAX_ANCHOR_HOPS + 1));
    let anchor_hops = from_anchor.as_ref().and_then(|from| from.to(focus));
    let near = anchor_hops.is_some_and(|hops| hops <= MAX_ANCHOR_HOPS);
    let mode = if near { Mode::Anchored } else { Mode::Local };
    let judge = Judge {
        graph,
        walk,
        focus,
        from_anchor: from_anchor.filter(|_| near),
        asked: terms_of_query(walk.query.as_deref().unwrap_or_default())
            .into_iter()
            .map(|(term, _)| term)
            .collect(),
        before: before(graph, walk),
    };
    let mut all: Vec<Route> = ways(graph, focus)
        .into_iter()
        .map(|((family, target), bound)| judge.route(family, target, bound))
        .collect();
    all.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then(a.family.cmp(&b.family)).then_with(|| a.target.cmp(&b.target))
    });
    let version = version(walk.focus(), &all);
    Some(Routes { all, version, mode, anchor_hops: anchor_hops.filter(|_| near) })
}

/// Every kind of way to every neighbour, with the strongest relation that makes it.
fn ways(graph: &Graph, focus: NodeIx) -> FxHashMap<(Family, NodeIx), f32> {
    let out = graph.outgoing(focus).map(|edge| (Family::of(edge.kind, true), edge.target, strength(&edge)));
    let back = graph.incoming(focus).map(|edge| (Family::of(edge.kind, false), edge.source, strength(&edge)));
    let mut ways: FxHashMap<(Family, NodeIx), f32> = FxHashMap::default();
    for (family, target, bound) in out.chain(back).filter(|(_, target, _)| *target != focus) {
        let known = ways.entry((family, target)).or_default();
        *known = known.max(bound);
    }
    ways
}

/// The nodes before the focus that are still there, newest first.
fn before(graph: &Graph, walk: &Walk) -> Vec<FxHashSet<NodeIx>> {
    let earlier = walk.steps.iter().rev().skip(1).take(TRAIL);
    let there = earlier.filter_map(|step| graph.node_by_id(&step.node));
    there.map(|node| neighbours(graph, node).chain([node]).collect()).collect()
}

struct Judge<'a, T> {
    graph: &'a Graph,
    walk: &'a Walk,
    focus: NodeIx,
    from_anchor: Option<Distances>,
    asked: Vec<T>,
    /// What each of the last nodes is or has a relation with.
    before: Vec<FxHashSet<NodeIx>>,
}

impl Judge<'_, m1nd_recall::text::Term> {
    fn route(&self, family: Family, target: NodeIx, bound: f32) -> Route {
        let node = self.graph.node(target);
        let factors = Factors {
            local_activation: f64::from(bound),
            path_coherence: (self.same_kind(family) + self.same_place(node.path())) / 2.0,
            novelty: 1.0 / (1.0 + self.walk.visits(node.id()) as f64),
            anchor_relevance: self.relevance(target),
            continuity: self.continuity(target),
        };
        let name = format!("{}\n{}\n{}", self.walk.focus(), family.name(), node.id());
        let id = format!("rt_{}", short_name(name.as_bytes(), 10));
        Route { id, family, target, score: factors.score(), factors }
    }

    /// Share of the last steps that were of this kind; a half where there was none.
    fn same_kind(&self, family: Family) -> f64 {
        let last: Vec<Family> =
            self.walk.steps.iter().rev().filter_map(|step| step.by).take(RECENT).collect();
        match last.len() {
            0 => 0.5,
            many => last.iter().filter(|by| **by == family).count() as f64 / many as f64,
        }
    }

    /// Share of the folders and the name that two paths have in common from the start.
    fn same_place(&self, path: &str) -> f64 {
        let here = self.graph.node(self.focus).path();
        let common = here.split('/').zip(path.split('/')).take_while(|(a, b)| a == b).count();
        let longest = here.split('/').count().max(path.split('/').count());
        common as f64 / longest as f64
    }

    fn relevance(&self, target: NodeIx) -> Option<f64> {
        if let Some(from_anchor) = &self.from_anchor {
            return Some(from_anchor.to(target).map_or(0.0, |hops| 1.0 / (1.0 + f64::from(hops))));
        }
        if self.asked.is_empty() {
            return None;
        }
        let node = self.graph.node(target);
        let text = format!("{} {} {} {}", node.qualified(), node.label(), node.path(), node.doc());
        let has: FxHashSet<_> = terms_of_text(&text).into_iter().collect();
        Some(self.asked.iter().filter(|term| has.contains(term)).count() as f64 / self.asked.len() as f64)
    }

    fn continuity(&self, target: NodeIx) -> Option<f64> {
        let near = self.before.iter().filter(|known| known.contains(&target)).count();
        (!self.before.is_empty()).then(|| near as f64 / self.before.len() as f64)
    }
}

fn version(focus: &str, routes: &[Route]) -> u64 {
    let ids: Vec<&str> = routes.iter().map(|route| route.id.as_str()).collect();
    let name = short_name(format!("{focus}\n{}", ids.join("\n")).as_bytes(), 13);
    u64::from_str_radix(&name, 16).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::graph;

    fn walk(node: &str) -> Walk {
        Walk::begin("w".into(), None, Mode::Anchored, node.into(), 1)
    }

    #[test]
    fn the_five_factors_can_be_counted_by_hand() {
        let graph = graph("a calls b\nb calls c\na calls c\nd calls b\n");
        let mut walk = walk("a");
        walk.follow("b".into(), Family::Calls);
        let found = routes(&graph, &walk).unwrap();
        let to = |name: &str| found.all.iter().find(|route| graph.node(route.target).id() == name).unwrap();
        let c = to("c");
        // Called for certain, a step of the same kind, no folder in common, never seen, one step from the anchor, which calls it.
        assert_eq!(
            c.factors,
            Factors {
                local_activation: 1.0,
                path_coherence: 0.5,
                novelty: 1.0,
                anchor_relevance: Some(0.5),
                continuity: Some(1.0),
            }
        );
        let expected = 0.35 + 0.15 * 0.5 + 0.2 + 0.2 * 0.5 + 0.1;
        assert!((c.score - expected).abs() < 1e-9, "{}", c.score);
        let a = to("a");
        assert_eq!(
            (a.family, a.factors.novelty, a.factors.anchor_relevance),
            (Family::CalledBy, 0.5, Some(1.0))
        );
        assert_eq!(to("d").factors.continuity, Some(0.0));
        assert_eq!(found.all[0].target, c.target);
        assert_eq!((found.mode, found.anchor_hops), (Mode::Anchored, Some(1)));
    }

    #[test]
    fn the_version_changes_with_the_ways_and_not_with_the_question() {
        let before = graph("a calls b\n");
        let after = graph("a calls b\na calls c\n");
        let version = |graph: &Graph, walk: &Walk| routes(graph, walk).unwrap().version;
        assert_eq!(version(&before, &walk("a")), version(&before, &walk("a")));
        assert_ne!(version(&before, &walk("a")), version(&after, &walk("a")));
        let id = |graph: &Graph| routes(graph, &walk("a")).unwrap().all[0].id.clone();
        assert!(routes(&after, &walk("a")).unwrap().find(&id(&before)).is_some());
        assert!(version(&after, &walk("a")) < 1 << 52);
        assert!(routes(&before, &walk("gone")).is_none());
    }

    #[test]
    fn a_walk_far_from_its_anchor_is_on_its_own() {
        let chain: String = (0..12).map(|at| format!("n{at} calls n{}\n", at + 1)).collect();
        let graph = graph(&chain);
        let mut walk = walk("n0");
        let mode = |walk: &Walk| routes(&graph, walk).unwrap().mode;
        for at in 1..=8 {
            walk.follow(format!("n{at}"), Family::Calls);
        }
        assert_eq!(mode(&walk), Mode::Anchored);
        walk.follow("n9".into(), Family::Calls);
        assert_eq!(mode(&walk), Mode::Local);
        let found = routes(&graph, &walk).unwrap();
        assert_eq!((found.anchor_hops, found.all[0].factors.anchor_relevance), (None, None));
        walk.query = Some("n10".into());
        let found = routes(&graph, &walk).unwrap();
        let ahead = found.all.iter().find(|route| graph.node(route.target).id() == "n10").unwrap();
        assert_eq!(ahead.factors.anchor_relevance, Some(1.0));
        assert_eq!(found.all[0], *ahead);
    }
}
