//! Alone: whether other code uses a thing, or it uses other code.

use std::collections::BTreeSet;

use m1nd_graph::{Edge, NodeFlags, NodeIx};

use super::judge::{Evidence, GUESSED, NOT_SEEN, SEEN, Search};
use crate::blast::{self, DEPENDS};

impl Search<'_> {
    /// Whether nothing else of the repository uses it, and it uses nothing else. What tests use is told, and counts for nothing.
    pub(super) fn isolation(&mut self, one: NodeIx) -> Vec<Evidence> {
        let graph = self.graph;
        let own: BTreeSet<NodeIx> = blast::insides(graph, &[one]).into_iter().collect();
        // A test is isolated from what is no test.
        let is_apart = !blast::is_test(graph, one) && !graph.node(one).flags().has(NodeFlags::TEST_CODE);
        let is_test = |ix: NodeIx| is_apart && graph.node(ix).flags().has(NodeFlags::TEST_CODE);
        let (mut users, mut tests, mut needs) = (Ends::default(), Ends::default(), Ends::default());
        for &node in &own {
            self.looked_at += 1;
            for edge in graph.incoming(node).filter(|edge| DEPENDS.contains(&edge.kind)) {
                if !own.contains(&edge.source) {
                    let ends = if is_test(edge.source) { &mut tests } else { &mut users };
                    ends.take(edge.source, &edge);
                }
            }
            for edge in graph.outgoing(node).filter(|edge| DEPENDS.contains(&edge.kind)) {
                if !own.contains(&edge.target) {
                    needs.take(edge.target, &edge);
                }
            }
        }
        let mut evidence = vec![
            users.told("lead to it from outside", "nothing outside is known to use it"),
            needs.told("lead from it to other code", "it is not known to use anything outside"),
        ];
        evidence[0].says.push_str(
            " (isolated is what no other code of the repository uses and what uses none of it; what holds it does not count, and tests count apart)",
        );
        if !tests.is_empty() {
            let says = format!("{} from tests, which count apart", tests.count());
            evidence.push(Evidence { says, factor: 1.0, path: tests.first() });
        }
        evidence
    }

    /// Whether anything outside uses it.
    pub(super) fn use_of(&mut self, one: NodeIx) -> Evidence {
        let own: BTreeSet<NodeIx> = blast::insides(self.graph, &[one]).into_iter().collect();
        let mut users = Ends::default();
        for &node in &own {
            self.looked_at += 1;
            for edge in self.graph.incoming(node).filter(|edge| DEPENDS.contains(&edge.kind)) {
                if !own.contains(&edge.source) {
                    users.take(edge.source, &edge);
                }
            }
        }
        users.told("lead to it from outside", "nothing outside is known to lead to it")
    }
}

/// What relations lead to or come from.
#[derive(Default)]
struct Ends {
    certain: Vec<NodeIx>,
    guessed: Vec<NodeIx>,
}

impl Ends {
    fn take(&mut self, end: NodeIx, edge: &Edge<'_>) {
        let ends = if edge.evidence.is_inferred() { &mut self.guessed } else { &mut self.certain };
        ends.push(end);
    }

    fn is_empty(&self) -> bool {
        self.certain.is_empty() && self.guessed.is_empty()
    }

    /// How many there are, in words.
    fn count(&self) -> String {
        match self.certain.len() + self.guessed.len() {
            1 => "1 relation".to_owned(),
            count => format!("{count} relations"),
        }
    }

    fn first(&self) -> Vec<NodeIx> {
        self.certain.iter().chain(&self.guessed).copied().take(5).collect()
    }

    /// Against a claim that there are none.
    fn told(&self, where_to: &str, without: &str) -> Evidence {
        let one = |ends: &[NodeIx], factor: f32, how: &str| {
            let count =
                if ends.len() == 1 { "1 relation".to_owned() } else { format!("{} relations", ends.len()) };
            let where_to =
                if ends.len() == 1 { where_to.replacen("lead ", "leads ", 1) } else { where_to.to_owned() };
            Evidence {
                says: format!("{count} {where_to}{how}"),
                factor,
                path: ends.iter().copied().take(5).collect(),
            }
        };
        match (&self.certain[..], &self.guessed[..]) {
            ([], []) => Evidence { says: without.to_owned(), factor: NOT_SEEN, path: Vec::new() },
            ([], guessed) => one(guessed, 1.0 / GUESSED, ", all guessed by name"),
            (certain, _) => one(certain, 1.0 / SEEN, ""),
        }
    }
}
