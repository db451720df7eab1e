//! PageRank over what the code says: how much of the code depends on a node.

use crate::columns::Columns;
use crate::kind::EdgeKind;

/// The share of rank that follows edges instead of jumping anywhere.
const DAMPING: f64 = 0.85;
const MAX_ITERATIONS: u32 = 50;
/// Total movement of rank below which another round would not change an order.
const TOLERANCE: f64 = 1e-6;

/// One rank per node; they sum to one. Containment, history and inhibition carry no rank.
pub(crate) fn of_columns(columns: &Columns) -> Vec<f32> {
    let nodes = columns.kind.len();
    if nodes == 0 {
        return Vec::new();
    }
    let (in_starts, in_edges) = (&*columns.in_starts, &*columns.in_edges);
    let (sources, base) = (&*columns.source, &*columns.base_weight);
    let carries: Vec<bool> = (0..sources.len())
        .map(|at| {
            columns.inhibitory[at] == 0
                && !matches!(columns.edge_kind(at), EdgeKind::Contains | EdgeKind::CoChanges)
        })
        .collect();
    let mut outflow = vec![0.0_f64; nodes];
    for (at, &source) in sources.iter().enumerate() {
        if carries[at] {
            outflow[source as usize] += f64::from(base[at]).max(0.0);
        }
    }
    // What follows each edge, side by side: the rounds pass over all of them again and again.
    let mut starts = Vec::with_capacity(nodes + 1);
    let mut shares: Vec<(u32, f64)> = Vec::with_capacity(sources.len());
    starts.push(0);
    for node in 0..nodes {
        let edges = &in_edges[in_starts[node] as usize..in_starts[node + 1] as usize];
        for edge in edges.iter().map(|&edge| edge as usize).filter(|&edge| carries[edge]) {
            let flow = outflow[sources[edge] as usize];
            if flow > 0.0 {
                shares.push((sources[edge], f64::from(base[edge]).max(0.0) / flow));
            }
        }
        starts.push(shares.len());
    }
    let even = 1.0 / nodes as f64;
    let mut rank = vec![even; nodes];
    let mut next = vec![0.0; nodes];
    for _ in 0..MAX_ITERATIONS {
        let stuck: f64 = (0..nodes).filter(|&n| outflow[n] <= 0.0).map(|n| rank[n]).sum();
        let floor = (1.0 - DAMPING) * even + DAMPING * stuck * even;
        for node in 0..nodes {
            let edges = &shares[starts[node]..starts[node + 1]];
            let inflow: f64 = edges.iter().map(|&(source, share)| rank[source as usize] * share).sum();
            next[node] = floor + DAMPING * inflow;
        }
        let moved: f64 = rank.iter().zip(&next).map(|(a, b)| (a - b).abs()).sum();
        std::mem::swap(&mut rank, &mut next);
        if moved < TOLERANCE {
            break;
        }
    }
    rank.into_iter().map(|r| r as f32).collect()
}

#[cfg(test)]
mod tests {
    use crate::testing::graph;

    #[test]
    fn what_everything_calls_ranks_first_and_ranks_sum_to_one() {
        let graph = graph("a calls hub\nb calls hub\nc calls hub\nhub calls leaf\n");
        let mut ranked: Vec<_> = graph.nodes().map(|n| (n.pagerank(), n.label().to_owned())).collect();
        ranked.sort();
        assert_eq!(ranked.pop().map(|r| r.1), Some("leaf".to_owned()));
        assert_eq!(ranked.pop().map(|r| r.1), Some("hub".to_owned()));
        let total: f32 = graph.nodes().map(|n| n.pagerank().get()).sum();
        assert!((total - 1.0).abs() < 1e-4, "{total}");
    }

    #[test]
    fn a_folder_gains_nothing_from_what_it_contains() {
        let graph = graph("a contains b\na contains c\nb calls c\n");
        let rank = |label| graph.nodes().find(|n| n.label() == label).map(|n| n.pagerank());
        assert!(rank("c") > rank("b"));
        assert_eq!(rank("a"), rank("b"));
    }
}
