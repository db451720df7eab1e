//! Types: where values of a type come from, where they go, and what holds them.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_graph::{Edge, EdgeKind, Graph, NodeFlags, NodeIx};

use crate::blast;

/// What a node does with a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// It calls the constructor.
    Makes,
    Returns,
    Takes,
    /// A type or a constant that mentions it.
    Holds,
    Extends,
    /// It calls something that makes or returns one.
    Receives,
    /// Mentions it in its body.
    Uses,
}

impl Role {
    pub fn name(self) -> &'static str {
        match self {
            Role::Makes => "makes",
            Role::Returns => "returns",
            Role::Takes => "takes",
            Role::Holds => "holds",
            Role::Extends => "extends",
            Role::Receives => "receives",
            Role::Uses => "uses",
        }
    }
}

/// A node that has to do with the type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    pub node: NodeIx,
    pub role: Role,
    pub hops: u32,
    /// Where it says so.
    pub line: u32,
    /// Set where the relation is a guess by name.
    pub is_guess: bool,
}

/// Everything in at most `max_hops` steps, by distance and role. Members of the type itself are left out.
pub fn trace(graph: &Graph, kind: NodeIx, max_hops: u32) -> Vec<Stop> {
    let own: BTreeSet<NodeIx> = blast::insides(graph, &[kind]).into_iter().collect();
    let label = graph.node(kind).label();
    let mut found: BTreeMap<NodeIx, Stop> = BTreeMap::new();
    let mut add = |stop: Stop| {
        let known = found.entry(stop.node).or_insert_with(|| stop.clone());
        if (stop.hops, stop.role) < (known.hops, known.role) {
            *known = stop;
        }
    };
    // A constructor is the type itself, or a member that is named like one.
    let is_constructor = |node: NodeIx| {
        let name = graph.node(node).label();
        node == kind || matches!(name, "__init__" | "constructor" | "new" | "<init>") || name == label
    };
    for &target in &own {
        for edge in graph.incoming(target).filter(|edge| !own.contains(&edge.source)) {
            let source = graph.node(edge.source);
            let role = match edge.kind {
                EdgeKind::Inherits | EdgeKind::Implements => Role::Extends,
                EdgeKind::Calls if is_constructor(target) => Role::Makes,
                EdgeKind::References if target == kind => match source.kind() {
                    kind if kind.is_callable() => {
                        in_signature(source.signature(), label).unwrap_or(Role::Uses)
                    }
                    kind if kind.is_type() && !only_in_signatures(graph, &edge, label) => Role::Holds,
                    m1nd_graph::NodeKind::Constant => Role::Holds,
                    _ => continue,
                },
                _ => continue,
            };
            let line = edge.lines.first().copied().unwrap_or(source.lines().0);
            add(Stop { node: edge.source, role, hops: 1, line, is_guess: edge.evidence.is_inferred() });
        }
        // What stands in a signature is said by whoever is around the function; the function is meant.
        let said = graph.incoming(target).filter(|edge| edge.kind == EdgeKind::References && target == kind);
        for edge in said.filter(|edge| !graph.node(edge.source).kind().is_callable()) {
            let path = graph.node(edge.source).path();
            for &line in edge.lines {
                let Some(node) = function_at(graph, path, line).filter(|node| !own.contains(node)) else {
                    continue;
                };
                let role = in_signature(graph.node(node).signature(), label);
                if let Some(role) = role {
                    add(Stop { node, role, hops: 1, line, is_guess: edge.evidence.is_inferred() });
                }
            }
        }
    }
    let hands_on = |node: NodeIx| in_signature(graph.node(node).signature(), label) == Some(Role::Returns);
    let mut front: Vec<NodeIx> = found
        .values()
        .map(|stop| stop.node)
        .filter(|&node| graph.node(node).kind().is_callable() && hands_on(node))
        .collect();
    for hops in 2..=max_hops {
        let mut next = Vec::new();
        for node in front {
            for edge in graph.incoming(node).filter(|edge| edge.kind == EdgeKind::Calls) {
                if own.contains(&edge.source) || found.contains_key(&edge.source) {
                    continue;
                }
                let line = edge.lines.first().copied().unwrap_or_default();
                let is_guess = edge.evidence.is_inferred();
                found.insert(
                    edge.source,
                    Stop { node: edge.source, role: Role::Receives, hops, line, is_guess },
                );
                // It goes on only through what hands it on.
                if hands_on(edge.source) {
                    next.push(edge.source);
                }
            }
        }
        front = next;
    }
    let mut stops: Vec<Stop> = found.into_values().collect();
    // Tests make many of everything.
    let is_test = |stop: &Stop| graph.node(stop.node).flags().has(NodeFlags::TEST_CODE);
    stops.sort_by_key(|stop| (stop.hops, is_test(stop), stop.role, stop.is_guess, stop.node));
    stops
}

/// The innermost function around a line.
fn function_at(graph: &Graph, path: &str, line: u32) -> Option<NodeIx> {
    let around = graph.nodes_in(path).filter(|&ix| {
        let (first, last) = graph.node(ix).lines();
        graph.node(ix).kind().is_callable() && first <= line && line <= last
    });
    around.min_by_key(|&ix| graph.node(ix).lines().1 - graph.node(ix).lines().0)
}

/// Whether a type says another only in signatures of its methods.
fn only_in_signatures(graph: &Graph, edge: &Edge<'_>, label: &str) -> bool {
    let path = graph.node(edge.source).path();
    let in_one = |&line: &u32| {
        let around = function_at(graph, path, line);
        around.is_some_and(|node| in_signature(graph.node(node).signature(), label).is_some())
    };
    !edge.lines.is_empty() && edge.lines.iter().all(in_one)
}

/// Whether a signature gives the type back or takes it; giving back counts first.
fn in_signature(signature: &str, label: &str) -> Option<Role> {
    let says = |text: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == label);
    let (start, open) = parameters(signature);
    let close = closing(signature, open);
    let (before, given, after) = (&signature[start..open], &signature[open..close], &signature[close..]);
    // In C and Java what is returned stands in front, in the others behind: there only bounds do.
    let has_word = before.split_whitespace().any(|word| matches!(word, "fn" | "func" | "def" | "function"));
    let before = if has_word { "" } else { before };
    let is_name = |word: &str| word == label;
    let is_constructor =
        before.split(|c: char| !c.is_alphanumeric() && c != '_').next_back().is_some_and(is_name);
    if says(after) || (says(before) && !is_constructor) {
        return Some(Role::Returns);
    }
    says(given).then_some(Role::Takes)
}

/// Where the declaration begins behind what is written before it in brackets of its own (the receiver of a Go method, how far
/// something can be seen in Rust, annotations), and where the list of parameters opens.
fn parameters(signature: &str) -> (usize, usize) {
    let mut start = 0;
    let (mut depth, mut previous) = (0_i32, ' ');
    let mut skip_to = 0;
    for (at, letter) in signature.char_indices() {
        if at < skip_to {
            continue;
        }
        match letter {
            '<' => depth += 1,
            // The head of an arrow closes nothing.
            '>' if !matches!(previous, '-' | '=') => depth -= 1,
            // Brackets among type parameters are bounds.
            '(' if depth <= 0 => {
                let before = signature[start..at].trim();
                let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
                if !(matches!(word, "func" | "pub") || word.starts_with(['@', '#'])) {
                    return (start, at);
                }
                start = closing(signature, at);
                skip_to = start;
            }
            _ => {}
        }
        previous = letter;
    }
    (start, signature.len())
}

/// Just behind the bracket that closes the one at `open`.
fn closing(text: &str, open: usize) -> usize {
    let mut depth = 0;
    for (at, letter) in text.char_indices().skip_while(|&(at, _)| at < open) {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + letter.len_utf8();
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_tells_what_is_taken_and_what_is_returned() {
        let role = |signature: &str| in_signature(signature, "Order").map(Role::name);
        assert_eq!(role("fn f(x: &Order) -> u8"), Some("takes"));
        assert_eq!(role("fn f(x: u8) -> Option<Order>"), Some("returns"));
        assert_eq!(role("def f(x: (int, Order)) -> Order"), Some("returns"));
        assert_eq!(role("public Order f(int x)"), Some("returns"));
        assert_eq!(role("public Order getOrder()"), Some("returns"));
        assert_eq!(role("public Order(int x)"), None);
        assert_eq!(role("function f(a: Orders): void"), None);
        assert_eq!(role("func f(o *Order) error"), Some("takes"));
        assert_eq!(role("func (s *Store) Save(o *Order) error"), Some("takes"));
        assert_eq!(role("func (s *Store) Load(id int) (*Order, error)"), Some("returns"));
        assert_eq!(role("pub(crate) fn f(o: &Order) -> u8"), Some("takes"));
        assert_eq!(role("pub(in crate::a) fn f(x: u8) -> Order"), Some("returns"));
        assert_eq!(role("fn f<F: Fn(u8) -> Order>(x: F)"), None);
        assert_eq!(role("@Named(\"x\") public void f(Order o)"), Some("takes"));
    }

    #[test]
    fn what_stands_in_a_signature_is_the_function_s() {
        use m1nd_graph::{EdgeSpec, Evidence, GraphBuilder, NodeKind, NodeSpec};
        let mut builder = GraphBuilder::new();
        let mut add = |kind: NodeKind, name: &str, signature: &str, lines: (u32, u32)| {
            let mut spec = NodeSpec::new(kind, name, name);
            (spec.path, spec.qualified, spec.signature) = ("a.py".into(), name.into(), signature.into());
            (spec.line_start, spec.line_end) = lines;
            builder.node(spec)
        };
        let order = add(NodeKind::Class, "Order", "class Order", (1, 2));
        let auth = add(NodeKind::Class, "Auth", "class Auth", (4, 9));
        add(NodeKind::Method, "call", "def call(self, r: Order) -> Order", (5, 9));
        add(NodeKind::Function, "show", "def show(order: Order)", (11, 12));
        let file = add(NodeKind::File, "a.py", "", (1, 12));
        let mut edge = |from, line| {
            builder.edge(EdgeSpec::new(from, EdgeKind::References, order, Evidence::Resolved).at_line(line))
        };
        edge(auth, 5);
        edge(file, 11);
        let graph = builder.finish(1);
        let found = trace(&graph, graph.node_by_id("Order").unwrap(), 2);
        let shown: Vec<String> =
            found.iter().map(|stop| format!("{} {}", graph.node(stop.node).id(), stop.role.name())).collect();
        assert_eq!(shown, ["call returns", "show takes"]);
    }

    #[test]
    fn a_type_is_followed_from_where_it_is_made_to_who_receives_it() {
        use m1nd_graph::{EdgeSpec, Evidence, GraphBuilder, NodeKind, NodeSpec};
        let mut builder = GraphBuilder::new();
        let mut add = |kind: NodeKind, name: &str, signature: &str| {
            let mut spec = NodeSpec::new(kind, name, name);
            (spec.path, spec.qualified) = (format!("{name}.py"), name.into());
            spec.signature = signature.into();
            (spec.line_start, spec.line_end) = (1, 5);
            builder.node(spec)
        };
        let order = add(NodeKind::Class, "Order", "class Order");
        let load = add(NodeKind::Function, "load", "def load() -> Order");
        let print = add(NodeKind::Function, "print", "def print(order: Order)");
        let special = add(NodeKind::Class, "Special", "class Special(Order)");
        let view = add(NodeKind::Function, "view", "def view(id)");
        let far = add(NodeKind::Function, "far", "def far()");
        let mut edge =
            |from, kind, to| builder.edge(EdgeSpec::new(from, kind, to, Evidence::Resolved).at_line(3));
        edge(load, EdgeKind::Calls, order);
        edge(load, EdgeKind::References, order);
        edge(print, EdgeKind::References, order);
        edge(special, EdgeKind::Inherits, order);
        edge(view, EdgeKind::Calls, load);
        edge(far, EdgeKind::Calls, view);
        let graph = builder.finish(1);
        let found = trace(&graph, graph.node_by_id("Order").unwrap(), 3);
        let shown: Vec<String> = found
            .iter()
            .map(|stop| format!("{} {} {}", graph.node(stop.node).id(), stop.role.name(), stop.hops))
            .collect();
        assert_eq!(shown, ["load makes 1", "print takes 1", "Special extends 1", "view receives 2"]);
    }
}
