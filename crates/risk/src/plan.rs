//! Plan: what a list of intended edits leaves out.

use std::collections::BTreeMap;

use m1nd_graph::{EdgeKind, Graph, NodeIx, NodeKind};

use crate::blast::{self, DEPENDS, Handed, Toward};

/// What is to be done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    Modify,
    Create,
    Delete,
    Rename,
    Test,
}

/// One step of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub act: Act,
    pub path: String,
    /// Paths of steps that must come before.
    pub after: Vec<String>,
}

/// How much a gap matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Low,
    Medium,
    High,
    Critical,
}

impl Severity {
    pub fn name(self) -> &'static str {
        match self {
            Severity::Low => "low",
            Severity::Medium => "medium",
            Severity::High => "high",
            Severity::Critical => "critical",
        }
    }

    /// The one of a name.
    pub fn parse(name: &str) -> Option<Self> {
        [Severity::Low, Severity::Medium, Severity::High, Severity::Critical]
            .into_iter()
            .find(|one| one.name() == name)
    }

    /// By how likely it is.
    pub fn of_likelihood(likelihood: f32) -> Self {
        match likelihood {
            likely if likely >= 0.6 => Severity::High,
            likely if likely >= 0.3 => Severity::Medium,
            _ => Severity::Low,
        }
    }
}

/// By how much is at risk: low below 0.3, medium below 0.6, high below 0.8, else critical.
pub fn level(score: f64) -> &'static str {
    match score {
        score if score < 0.3 => "low",
        score if score < 0.6 => "medium",
        score if score < 0.8 => "high",
        _ => "critical",
    }
}

/// The level that a score has; what breaks something is never played down by what else is well.
pub fn level_of(score: f64, worst: Option<Severity>) -> &'static str {
    let least = match worst {
        Some(Severity::Critical) => Severity::High,
        Some(Severity::High) => Severity::Medium,
        _ => Severity::Low,
    };
    match (level(score), least) {
        ("low", _) => least.name(),
        ("medium", Severity::High) => least.name(),
        (level, _) => level,
    }
}

/// A file that depends on one that goes away, and is not in the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    pub path: String,
    pub node: NodeIx,
    /// What it uses, and how.
    pub uses: NodeIx,
    pub kind: EdgeKind,
    pub line: Option<u32>,
}

/// The first circle among the steps' dependencies, as paths.
pub fn circle(steps: &[Step]) -> Option<Vec<String>> {
    let position: BTreeMap<&str, usize> =
        steps.iter().enumerate().map(|(at, step)| (step.path.as_str(), at)).collect();
    let after = |at: u32| {
        let names = &steps[at as usize].after;
        names.iter().filter_map(|name| position.get(name.as_str())).map(|&at| at as u32).collect::<Vec<u32>>()
    };
    let (component, count) = m1nd_graph::scc::components_of(steps.len(), after);
    let mut members = vec![Vec::new(); count];
    for (at, &component) in component.iter().enumerate() {
        members[component as usize].push(at);
    }
    let own = |at: usize| after(at as u32).contains(&(at as u32));
    let round = members.into_iter().find(|members| members.len() > 1 || members.iter().any(|&at| own(at)));
    round.map(|members| members.into_iter().map(|at| steps[at].path.clone()).collect())
}

/// Who uses what goes away. One for each file, by its strongest relation.
pub fn broken(graph: &Graph, handed: &Handed, steps: &[Step]) -> Vec<Broken> {
    let planned = |path: &str| steps.iter().any(|step| step.path == path);
    let mut found: BTreeMap<String, Broken> = BTreeMap::new();
    for step in steps.iter().filter(|step| matches!(step.act, Act::Delete | Act::Rename)) {
        let Some(file) = graph.node_by_path(&step.path) else { continue };
        for node in blast::insides(graph, &[file]) {
            for edge in graph.incoming(node) {
                let source = graph.node(edge.source);
                let counts = DEPENDS.contains(&edge.kind) && !edge.evidence.is_inferred();
                if !counts || source.path() == step.path || planned(source.path()) {
                    continue;
                }
                let one = Broken {
                    path: source.path().to_owned(),
                    node: edge.source,
                    uses: node,
                    kind: edge.kind,
                    line: edge.best_line(),
                };
                let known = found.entry(one.path.clone()).or_insert_with(|| one.clone());
                if one.kind.causal_strength() > known.kind.causal_strength() {
                    *known = one;
                }
            }
        }
        for taker in handed.takers(file).filter(|&taker| !planned(graph.node(taker).path())) {
            let path = graph.node(taker).path().to_owned();
            let one =
                Broken { path: path.clone(), node: taker, uses: file, kind: EdgeKind::Imports, line: None };
            found.entry(path).or_insert(one);
        }
    }
    found.into_values().collect()
}

/// Tests that reach the files that a plan touches, and which of these files none reaches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tested {
    /// Files of tests, with how many tests of theirs reach the plan.
    pub tests: BTreeMap<String, usize>,
    pub untested: Vec<String>,
    /// Files that hold code that a test could reach.
    pub testable: usize,
    /// Nodes that the plan reaches in three steps.
    pub reached: usize,
}

pub fn tested(graph: &Graph, steps: &[Step]) -> Tested {
    let mut found = Tested::default();
    let mut reached: std::collections::BTreeSet<NodeIx> = std::collections::BTreeSet::new();
    for step in steps.iter().filter(|step| matches!(step.act, Act::Modify | Act::Delete | Act::Rename)) {
        let Some(file) = graph.node_by_path(&step.path).filter(|&ix| graph.node(ix).kind() == NodeKind::File)
        else {
            continue;
        };
        let inside = blast::insides(graph, &[file]);
        if inside.iter().any(|&ix| blast::is_test(graph, ix)) {
            continue;
        }
        let blast = blast::blast(graph, &inside, Toward::Affected, 3);
        reached.extend(blast.reached.iter().map(|one| one.node));
        if !inside.iter().any(|&ix| graph.node(ix).kind().is_callable()) {
            continue;
        }
        found.testable += 1;
        let mut is_tested = false;
        for one in blast.reached.iter().filter(|one| blast::is_test(graph, one.node)) {
            is_tested = true;
            *found.tests.entry(graph.node(one.node).path().to_owned()).or_default() += 1;
        }
        if !is_tested {
            found.untested.push(step.path.clone());
        }
    }
    found.reached = reached.len();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::graph;

    fn step(act: Act, path: &str, after: &[&str]) -> Step {
        Step { act, path: path.to_owned(), after: after.iter().map(|&name| name.to_owned()).collect() }
    }

    #[test]
    fn circles_are_found_and_orders_are_not() {
        let round = [
            step(Act::Modify, "a", &["b"]),
            step(Act::Modify, "b", &["c"]),
            step(Act::Modify, "c", &["a"]),
            step(Act::Modify, "d", &["a"]),
        ];
        assert_eq!(circle(&round), Some(vec!["a".into(), "b".into(), "c".into()]));
        assert_eq!(circle(&round[1..]), None);
        assert_eq!(circle(&[step(Act::Modify, "a", &["a"])]), Some(vec!["a".into()]));
    }

    #[test]
    fn users_of_what_goes_are_gaps_unless_they_are_planned() {
        let graph = graph(
            "app.rs imports db.rs\nui.rs imports db.rs\nui.rs calls db.rs\nguess.rs imports db.rs ?3\n",
        );
        let names = |steps: &[Step]| {
            broken(&graph, &Handed::default(), steps)
                .iter()
                .map(|one| format!("{} {}", one.path, one.kind.name()))
                .collect::<Vec<_>>()
        };
        assert_eq!(names(&[step(Act::Delete, "db.rs", &[])]), ["app.rs imports", "ui.rs calls"]);
        assert_eq!(
            names(&[step(Act::Rename, "db.rs", &[]), step(Act::Modify, "ui.rs", &[])]),
            ["app.rs imports"]
        );
        assert!(names(&[step(Act::Modify, "db.rs", &[])]).is_empty());
    }

    #[test]
    fn levels_end_where_the_contract_says() {
        let levels = [0.0, 0.299, 0.3, 0.599, 0.6, 0.799, 0.8, 1.0].map(level);
        let breaks = Some(Severity::Critical);
        assert_eq!([0.1, 0.565, 0.9].map(|score| level_of(score, breaks)), ["high", "high", "critical"]);
        assert_eq!([0.1, 0.7].map(|score| level_of(score, Some(Severity::High))), ["medium", "high"]);
        assert_eq!((level_of(0.1, None), level_of(0.3, Some(Severity::Low))), ("low", "medium"));
        assert_eq!(levels, ["low", "low", "medium", "medium", "high", "high", "critical", "critical"]);
    }
}
