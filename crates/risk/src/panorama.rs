//! Panorama: every file's risk, put together from what the other engines say of it.

use std::collections::BTreeMap;

use m1nd_graph::{Graph, NodeIx, NodeKind};

use crate::layers::Layers;
use crate::ledger::{COLD_START, Ledger};

/// What is known of one file. What no engine knows counts as nothing, and is said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModuleRisk {
    pub node: NodeIx,
    pub trust: Option<f64>,
    pub tremor: Option<f64>,
    pub violations: u32,
    pub turbulence: Option<f64>,
    pub antibodies: Option<u32>,
    /// 0 to 1.
    pub combined: f64,
}

/// (1 - trust) 0.30 + tremor 0.25 + violations / 5 0.20 + turbulence 0.15 + antibodies / 3 0.10, each part from 0 to 1.
pub fn combined(trust: f64, tremor: f64, violations: u32, turbulence: f64, antibodies: u32) -> f64 {
    (1.0 - trust) * 0.30
        + tremor.clamp(0.0, 1.0) * 0.25
        + (f64::from(violations) / 5.0).clamp(0.0, 1.0) * 0.20
        + turbulence.clamp(0.0, 1.0) * 0.15
        + (f64::from(antibodies) / 3.0).clamp(0.0, 1.0) * 0.10
}

/// What other engines found, by file.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Nothing where nobody looked.
    pub turbulence: Option<BTreeMap<NodeIx, f64>>,
    pub antibodies: Option<BTreeMap<NodeIx, u32>>,
}

/// Every file that holds code, the riskiest first. The layers are those of the whole graph, whatever part is looked at.
pub fn panorama(
    graph: &Graph,
    ledger: &Ledger,
    layers: &Layers,
    findings: &Findings,
    within: impl Fn(&str) -> bool,
) -> Vec<ModuleRisk> {
    let violations = layers.counts();
    let is_code = |node: &m1nd_graph::Node<'_>| {
        node.kind() == NodeKind::File && !node.language().is_empty() && within(node.path())
    };
    let modules: Vec<ModuleRisk> = graph
        .nodes()
        .filter(is_code)
        .map(|node| {
            let ix = node.ix();
            let trust = ledger.trust(node.path()).map(|trust| trust.score);
            let tremor = ledger.tremor(node.path()).map(|tremor| tremor.magnitude);
            let violations = violations.get(&ix).copied().unwrap_or_default();
            let turbulence =
                findings.turbulence.as_ref().map(|found| found.get(&ix).copied().unwrap_or_default());
            let antibodies =
                findings.antibodies.as_ref().map(|found| found.get(&ix).copied().unwrap_or_default());
            let combined = combined(
                trust.unwrap_or(COLD_START),
                tremor.unwrap_or_default(),
                violations,
                turbulence.unwrap_or_default(),
                antibodies.unwrap_or_default(),
            );
            ModuleRisk { node: ix, trust, tremor, violations, turbulence, antibodies, combined }
        })
        .collect();
    // Of equals the one with more recorded defects, then the one that more leads to.
    let mut ranked: Vec<(ModuleRisk, f64, _)> = modules
        .into_iter()
        .map(|one| {
            let node = graph.node(one.node);
            let weight = ledger.record(node.path()).map_or(0.0, |record| record.weight);
            (one, weight, node.pagerank())
        })
        .collect();
    ranked.sort_by(|(a, a_weight, a_rank), (b, b_weight, b_rank)| {
        b.combined
            .total_cmp(&a.combined)
            .then_with(|| b_weight.total_cmp(a_weight))
            .then_with(|| b_rank.cmp(a_rank))
            .then(a.node.cmp(&b.node))
    });
    ranked.into_iter().map(|(one, ..)| one).collect()
}

/// One minus the mean of the highest tenth; nothing where there are no modules.
pub fn health(modules: &[ModuleRisk]) -> Option<f64> {
    let count = modules.len().div_ceil(10);
    let top: f64 = modules.iter().take(count).map(|one| one.combined).sum();
    (count > 0).then(|| 1.0 - top / count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Change;
    use crate::testing::graph;

    #[test]
    fn the_formula_is_the_contract_s() {
        assert!((combined(0.5, 0.4, 2, 0.2, 1) - (0.15 + 0.1 + 0.08 + 0.03 + 0.1 / 3.0)).abs() < 1e-9);
        assert!((combined(0.0, 9.0, 99, 9.0, 99) - 1.0).abs() < 1e-9);
        assert_eq!(combined(1.0, 0.0, 0, 0.0, 0), 0.0);
    }

    #[test]
    fn files_are_ranked_by_what_is_known_of_them() {
        let graph = graph("a.rs imports b.rs\nb.rs imports a.rs\nc.rs imports b.rs\n");
        let file = ["a.rs".to_owned()];
        let ledger = Ledger::of([Change { time_ms: 10, is_fix: true, files: &file }], [], [], |_| true);
        let layers = crate::layers::layers(&graph, |_| true);
        let modules = panorama(&graph, &ledger, &layers, &Findings::default(), |_| true);
        let names: Vec<&str> = modules.iter().map(|one| graph.node(one.node).id()).collect();
        assert_eq!(names, ["b.rs", "a.rs", "c.rs"]);
        // One edge of the circle goes upward: 0.15 + 0.04. One file alone is the mean.
        assert!((modules[0].combined - 0.19).abs() < 1e-9, "{:?}", modules[0]);
        assert_eq!((modules[0].trust, modules[1].trust, modules[0].turbulence), (None, Some(0.5), None));
        assert!((health(&modules).unwrap() - 0.81).abs() < 1e-9);
        assert_eq!(health(&[]), None);
    }
}
