//! Temporal: what is changing these days, and what changes together with the nodes that a question names.

use m1nd_graph::{EdgeKind, Graph, History, NodeIx, NodeKind};
use rustc_hash::FxHashMap;

use super::Active;
use super::names::Names;

const DAY_MS: f32 = 86_400_000.0;
/// Partners of one file that are looked at.
const MAX_PARTNERS: usize = 100;

/// How the files of a graph change: what a single file's history is measured by.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pace {
    /// The newest change of all, in ms. It stands for today, so that an answer does not change while the code does not.
    pub newest_ms: i64,
    /// Commits of a file.
    pub mean: f32,
    pub deviation: f32,
}

impl Pace {
    /// One look at all files; made once a generation.
    pub fn of(graph: &Graph) -> Self {
        let files = graph.nodes().filter(|node| node.kind() == NodeKind::File);
        let histories: Vec<History> = files.filter_map(|node| node.history()).collect();
        let count = histories.len().max(1) as f32;
        let mean = histories.iter().map(|history| history.commits as f32).sum::<f32>() / count;
        let square = |history: &History| (history.commits as f32 - mean).powi(2);
        let deviation = (histories.iter().map(square).sum::<f32>() / count).sqrt();
        let newest_ms = histories.iter().map(|history| history.changed_at.0).max().unwrap_or_default();
        Self { newest_ms, mean, deviation }
    }

    /// How lately something changed, in half-lives of its kind, raised or lowered by how much more often than others
    /// it changes.
    pub fn heat(&self, kind: NodeKind, history: &History) -> f32 {
        let days = self.newest_ms.saturating_sub(history.changed_at.0).max(0) as f32 / DAY_MS;
        let recency = (-std::f32::consts::LN_2 * days / half_life_days(kind)).exp();
        (recency * 2.0 * sigmoid(self.velocity(history))).min(1.0)
    }

    /// How many standard deviations above the mean the number of commits lies.
    pub fn velocity(&self, history: &History) -> f32 {
        if self.deviation > 0.0 { (history.commits as f32 - self.mean) / self.deviation } else { 0.0 }
    }
}

fn half_life_days(kind: NodeKind) -> f32 {
    match kind {
        NodeKind::File | NodeKind::Document => 7.0,
        NodeKind::Module | NodeKind::Directory | NodeKind::Repository => 30.0,
        _ => 14.0,
    }
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// Nodes that other views found or that change with the seeds' files, with how much either says. A symbol without
/// a history of its own has that of its file. What has cooled down is left out.
pub fn temporal(graph: &Graph, names: &Names, seeds: &[(NodeIx, f32)], others: &[NodeIx]) -> Active {
    let mut known: FxHashMap<NodeIx, f32> = FxHashMap::default();
    for &ix in others.iter().chain(seeds.iter().map(|(ix, _)| ix)) {
        let node = graph.node(ix);
        let history = node.history().or_else(|| graph.node(names.file_of(ix)?).history());
        if let Some(history) = history {
            known.insert(ix, names.pace().heat(node.kind(), &history));
        }
    }
    for &(seed, signal) in seeds {
        for (partner, share) in names.file_of(seed).map(|file| partners(graph, file)).unwrap_or_default() {
            let seen = known.entry(partner).or_default();
            *seen = seen.max(signal * share);
        }
    }
    let mut active: Active = known.into_iter().filter(|&(_, seen)| seen >= COLD).collect();
    active.sort_unstable_by_key(|&(node, _)| node);
    active
}

/// Less than this is no sign of life.
const COLD: f32 = 0.01;

/// The files that change together with a file, with the share of its changes, strongest first.
pub fn partners(graph: &Graph, file: NodeIx) -> Vec<(NodeIx, f32)> {
    let together = graph.outgoing(file).filter(|edge| edge.kind == EdgeKind::CoChanges);
    let mut found: Vec<(NodeIx, f32)> = together
        .map(|edge| (edge.target, edge.base_weight.get()))
        .filter(|&(other, _)| other != file)
        .collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    found.truncate(MAX_PARTNERS);
    found
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, shown, spec};
    use super::*;
    use m1nd_graph::{EdgeSpec, Evidence, GraphBuilder};
    use m1nd_stdx::clock::UnixMs;

    fn graph() -> Graph {
        let mut builder = GraphBuilder::new();
        for (name, days_ago, commits) in [("new.rs", 0, 2), ("week.rs", 7, 2), ("old.rs", 700, 2)] {
            let mut file = spec(name);
            let changed_at = UnixMs(1_000_000_000_000 - days_ago * DAY_MS as i64);
            file.history = Some(History { changed_at, commits, fixes: 0, authors: 1 });
            builder.node(file);
        }
        let (one, other) = (builder.find("new.rs").unwrap(), builder.find("old.rs").unwrap());
        builder.edge(EdgeSpec::new(one, EdgeKind::CoChanges, other, Evidence::Resolved));
        builder.finish(1)
    }

    #[test]
    fn heat_halves_with_each_half_life_and_partners_count_by_their_share() {
        let graph = graph();
        let others: Vec<NodeIx> = graph.nodes().map(|node| node.ix()).collect();
        let names = Names::of(&graph);
        let alone = temporal(&graph, &names, &[], &others);
        assert_eq!(shown(&graph, &alone), "new.rs 1.00, week.rs 0.50");
        // old.rs is cold, and changes with new.rs half of the time.
        let seeded = temporal(&graph, &names, &[(at(&graph, "new.rs"), 1.0)], &others);
        assert_eq!(shown(&graph, &seeded), "new.rs 1.00, old.rs 0.50, week.rs 0.50");
    }

    #[test]
    fn what_changes_more_often_than_others_is_warmer() {
        let pace = Pace { newest_ms: 0, mean: 4.0, deviation: 2.0 };
        let history =
            |commits| History { changed_at: UnixMs(-7 * DAY_MS as i64), commits, fixes: 0, authors: 1 };
        assert_eq!(pace.velocity(&history(8)), 2.0);
        assert!((pace.heat(NodeKind::File, &history(4)) - 0.5).abs() < 1e-4);
        assert!(pace.heat(NodeKind::File, &history(8)) > 0.8);
        assert!(pace.heat(NodeKind::File, &history(0)) < 0.2);
    }
}
