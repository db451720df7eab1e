//! Near tests: those that reach some nodes in few steps, and those that reach them through fixtures and helpers of tests.

use std::collections::BTreeSet;

use m1nd_graph::{Graph, NodeFlags, NodeIx, NodeKind};
use m1nd_risk::blast::{self, Blast, Toward};

use super::super::impact::{Impact, TestHit};

/// How far tests are looked for, while too few are found: a test of the whole program may be all that fails.
const HOPS: [u32; 4] = [1, 2, 3, 6];
/// So many near tests are enough.
const ENOUGH: usize = 3;
/// How many steps a test may be from a fixture: a fixture asks for others.
const HOPS_IN_TESTS: u32 = 4;
/// Fixtures and helpers that are followed, the nearest first; more of them take longer than the answer may.
const MAX_SUPPORT: usize = 64;

/// Tests near some nodes, nearest first; those further away are only looked for where few are near. Where none reaches a method
/// by calls that are written, a framework may call it: then those near its class count.
pub(super) fn near_tests(graph: &Graph, nodes: &[NodeIx]) -> Near {
    let found = by_calls(graph, nodes);
    if !found.tests.is_empty() {
        return found;
    }
    let mut owners: Vec<NodeIx> = nodes.iter().filter_map(|&ix| graph.owner(ix)).collect();
    owners.sort_unstable();
    owners.dedup();
    if owners.is_empty() { found } else { by_calls(graph, &owners) }
}

/// Tests, and how far they were looked for: others may reach the same from further away.
#[derive(Debug, Default)]
pub(super) struct Near {
    pub tests: Vec<TestHit>,
    pub within: u32,
}

fn by_calls(graph: &Graph, nodes: &[NodeIx]) -> Near {
    let mut found = Near::default();
    for hops in HOPS {
        let impact = impact_of(blast::blast(graph, nodes, Toward::Affected, hops));
        found = Near { tests: impact.tests(graph), within: hops };
        if found.tests.len() >= ENOUGH {
            let supported = through_support(graph, nodes, &impact.blast, &found.tests, hops);
            found.tests.extend(supported);
            break;
        }
    }
    found
}

/// Tests that reach a change only through test code which is no test itself, as that is what it is there for.
fn through_support(
    graph: &Graph,
    nodes: &[NodeIx],
    near: &Blast,
    known: &[TestHit],
    hops: u32,
) -> Vec<TestHit> {
    let of_tests = |ix: NodeIx| {
        let node = graph.node(ix);
        node.flags().has(NodeFlags::TEST_CODE) && (node.kind().is_callable() || node.kind() == NodeKind::Test)
    };
    let reached = near.reached.iter().map(|one| one.node);
    let support = reached.filter(|&ix| of_tests(ix) && !blast::is_test(graph, ix));
    let support: Vec<NodeIx> = support.take(MAX_SUPPORT).collect();
    if support.is_empty() {
        return Vec::new();
    }
    let sources: BTreeSet<NodeIx> = nodes.iter().copied().collect();
    let stays = |ix: NodeIx| of_tests(ix) && !sources.contains(&ix);
    let further = blast::blast_where(graph, &support, Toward::Affected, HOPS_IN_TESTS, &stays);
    let known: BTreeSet<&str> = known.iter().map(|test| test.node_id.as_str()).collect();
    let mut found = impact_of(further).tests(graph);
    found.retain(|test| !known.contains(test.node_id.as_str()));
    for test in &mut found {
        test.hop_distance += hops;
    }
    found
}

fn impact_of(blast: Blast) -> Impact {
    Impact { sources: Vec::new(), blast, unknown: Vec::new(), changed_files: None, unread: 0 }
}
