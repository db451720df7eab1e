//! Alone: whether other code uses a thing, or it uses other code.

use std::collections::BTreeSet;

use m1nd_graph::{Edge, EdgeKind, NodeFlags, NodeIx};

use super::judge::{DISPATCHED, Evidence, GUESSED, NOT_SEEN, SEEN, Search};
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
        if users.certain.is_empty()
            && let Some(found) = self.use_of_bases(&own)
        {
            return found;
        }
        users.told("lead to it from outside", "nothing outside is known to lead to it")
    }

    /// Whether what its methods override or implement is called, or begins a program.
    fn use_of_bases(&mut self, own: &BTreeSet<NodeIx>) -> Option<Evidence> {
        let graph = self.graph;
        let says_of = |node: NodeIx, base: NodeIx| {
            let calls: Vec<NodeIx> = graph
                .incoming(base)
                .filter(|edge| edge.kind == EdgeKind::Calls && !edge.evidence.is_inferred())
                .filter(|edge| !own.contains(&edge.source))
                .map(|edge| edge.source)
                .collect();
            (calls, node, base)
        };
        let ends = |node: NodeIx, bases: Vec<NodeIx>| {
            let found = bases.into_iter().map(|base| says_of(node, base)).collect::<Vec<_>>();
            found.into_iter().max_by_key(|(calls, ..)| calls.len())
        };
        let said = |(calls, node, base): (Vec<NodeIx>, NodeIx, NodeIx), how: &str, factor: f32| {
            let (name, base) = (self.name(node), self.name(base));
            let says = match calls.len() {
                0 => format!(
                    "{name} {how} {base}: no call of that is known here, but it is one more way to it"
                ),
                1 => format!("1 call of {base}, which {name} {how}, may run it"),
                count => format!("{count} calls of {base}, which {name} {how}, may run it"),
            };
            // A base that nobody calls here may be called by a framework: that speaks against nothing.
            let factor = if calls.is_empty() { 1.0 } else { 1.0 / factor };
            Evidence { says, factor, path: calls.into_iter().take(5).collect() }
        };
        let overridden = own.iter().filter_map(|&node| ends(node, graph.overridden(node)));
        let best = overridden.max_by_key(|(calls, ..)| calls.len());
        let promised = own.iter().filter_map(|&node| ends(node, graph.promised(node)));
        let kept = promised.max_by_key(|(calls, ..)| calls.len()).filter(|(calls, ..)| !calls.is_empty());
        match (best, kept) {
            (Some(base), _) if !base.0.is_empty() => Some(said(base, "overrides or implements", DISPATCHED)),
            (_, Some(base)) => {
                Some(said(base, "has the name of, as its type has all that its interface asks for", GUESSED))
            }
            (Some(base), None) => Some(said(base, "overrides or implements", 1.0)),
            (None, None) => None,
        }
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
