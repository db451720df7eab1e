//! Claims about small graphs.

use m1nd_graph::{EdgeKind, EdgeSpec, Graph, GraphBuilder, NodeFlags, NodeIx, NodeKind, NodeSpec};

use super::*;
use crate::testing::{at, graph};

const PAST: Past = Past::Known { one: 10, other: 5, both: 0 };

#[test]
fn sentences_become_claims_and_others_are_refused() {
    let shown = |text: &str| {
        parse(text)
            .map(|claim| format!("{} {} {:?}", claim.kind.name(), claim.one, claim.other.unwrap_or_default()))
    };
    assert_eq!(shown("Parser never calls Database.").as_deref(), Some("never_calls Parser \"Database\""));
    assert_eq!(
        shown("`auth.check` is always called before `db.write`").as_deref(),
        Some("always_before auth.check \"db.write\"")
    );
    assert_eq!(shown("A and B are tightly coupled").as_deref(), Some("coupling A \"B\""));
    assert_eq!(shown("the function foo is isolated").as_deref(), Some("isolated foo \"\""));
    assert_eq!(shown("a.py does not depend on b.py").as_deref(), Some("no_dependency a.py \"b.py\""));
    assert_eq!(shown("router is the gateway to db").as_deref(), Some("gateway router \"db\""));
    assert_eq!(shown("a and b depend on each other").as_deref(), Some("circular a \"b\""));
    assert_eq!(shown("Parser calls Database").as_deref(), Some("calls Parser \"Database\""));
    assert_eq!(shown("the code is nice"), None);
    assert_eq!(shown("calls"), None);
    assert_eq!(shown("some thing calls another thing"), None);
    for pattern in PATTERNS {
        assert!(parse(pattern).is_some(), "{pattern}");
    }
}

fn judged(graph: &Graph, kind: Kind, one: &str, other: Option<&str>) -> (String, f32) {
    let found = judge(graph, kind, at(graph, one), other.map(|other| at(graph, other)), 5, 1_000, PAST);
    (found.verdict().to_owned(), (found.confidence * 100.0).round() / 100.0)
}

#[test]
fn what_the_graph_shows_is_believed_and_what_it_does_not_show_less_so() {
    let graph = graph(
        "main calls parse\nparse calls lex\nmain calls guess ?4\nguess calls deep\ndb calls disk\nread calls db\nwrite calls db\nalone references alone2\n",
    );
    // 30 / 31 and its opposite.
    assert_eq!(judged(&graph, Kind::DependsOn, "main", Some("lex")), ("likely_true".into(), 0.97));
    assert_eq!(judged(&graph, Kind::NeverCalls, "main", Some("lex")), ("likely_false".into(), 0.03));
    // 1 : 6 that a call is there which was not found.
    assert_eq!(judged(&graph, Kind::NeverCalls, "lex", Some("main")), ("likely_true".into(), 0.86));
    assert_eq!(judged(&graph, Kind::DependsOn, "lex", Some("main")), ("likely_false".into(), 0.14));
    // A guess: 2 : 1.
    assert_eq!(judged(&graph, Kind::DependsOn, "main", Some("deep")), ("inconclusive".into(), 0.67));
    assert_eq!(judged(&graph, Kind::Gateway, "db", Some("disk")), ("likely_true".into(), 0.95));
    assert_eq!(judged(&graph, Kind::Gateway, "read", Some("db")).0, "likely_false");
    assert_eq!(judged(&graph, Kind::Unused, "alone", None), ("likely_true".into(), 0.86));
    assert_eq!(judged(&graph, Kind::Isolated, "disk", None).0, "likely_false");
    assert_eq!(judged(&graph, Kind::Circular, "main", None).0, "likely_false");
}

#[test]
fn isolated_is_what_neither_uses_nor_is_used_by_other_code() {
    let graph = graph(
        "user calls used\nnest contains inner\ninner calls twin\nnest contains twin\nguess calls vague ?4\nhold contains lone\n",
    );
    assert_eq!(judged(&graph, Kind::Isolated, "user", None), ("likely_false".into(), 0.03));
    assert_eq!(judged(&graph, Kind::Isolated, "used", None), ("likely_false".into(), 0.03));
    // What is within it is its own, and what holds it is no user.
    assert_eq!(judged(&graph, Kind::Isolated, "nest", None), ("likely_true".into(), 0.86));
    assert_eq!(judged(&graph, Kind::Isolated, "lone", None), ("likely_true".into(), 0.86));
    assert_eq!(judged(&graph, Kind::Isolated, "guess", None), ("inconclusive".into(), 0.33));
    let found = judge(&graph, Kind::Isolated, at(&graph, "user"), None, 5, 1_000, PAST);
    let says: Vec<&str> = found.evidence.iter().map(|one| one.says.as_str()).collect();
    assert!(
        says[0].starts_with("nothing outside is known to use it (isolated is what no other code"),
        "{says:?}"
    );
    assert_eq!(says[1], "1 relation leads from it to other code");
    // What isolated means is said whatever is found.
    let found = judge(&graph, Kind::Isolated, at(&graph, "used"), None, 5, 1_000, PAST);
    assert!(
        found.evidence[0].says.starts_with("1 relation leads to it from outside (isolated is"),
        "{:?}",
        found.evidence
    );
    // Dead code may use others.
    assert_eq!(judged(&graph, Kind::Unused, "user", None).0, "likely_true");
    assert_eq!(parse("user is dead code").map(|claim| claim.kind), Some(Kind::Unused));
}

#[test]
fn what_tests_use_of_it_counts_apart() {
    let mut builder = GraphBuilder::new();
    let code = builder.node(NodeSpec::new(NodeKind::Function, "alone", "alone"));
    let spec = NodeSpec::new(NodeKind::Test, "test_alone", "test_alone");
    let test = builder.node(NodeSpec { flags: NodeFlags::default().with(NodeFlags::TEST_CODE), ..spec });
    builder.edge(EdgeSpec::new(test, EdgeKind::Calls, code, m1nd_graph::Evidence::Resolved));
    let graph = builder.finish(1);
    let node = at(&graph, "alone");
    let found = judge(&graph, Kind::Isolated, node, None, 5, 1_000, PAST);
    assert_eq!(found.verdict(), "likely_true");
    assert_eq!(found.evidence[2].says, "1 relation from tests, which count apart");
}

#[test]
fn cycles_couplings_and_orders_are_seen() {
    let round = graph("a calls b\nb calls c\nc calls a\nd calls a\n");
    assert_eq!(judged(&round, Kind::Circular, "a", Some("c")).0, "likely_true");
    assert_eq!(judged(&round, Kind::Circular, "a", None).0, "likely_true");
    assert_eq!(judged(&round, Kind::Circular, "d", None).0, "likely_false");
    assert_eq!(judged(&round, Kind::NoDependency, "a", Some("b")).0, "likely_false");
    assert_eq!(judged(&round, Kind::Coupling, "d", Some("c")).0, "likely_false");
    let dispatch = graph(
        "Net inherits Base\nBase contains b.send\nNet contains n.send\nrun calls b.send\nn.send calls sock\n",
    );
    // 6 : 1.
    assert_eq!(judged(&dispatch, Kind::DependsOn, "run", Some("sock")), ("likely_true".into(), 0.86));
    // Who calls what it overrides runs just that, and nobody runs what a sibling has.
    let siblings = graph(
        "Client inherits Base\nAsync inherits Base\nBase contains b.__init__\nBase contains b.send\nClient contains c.__init__\nClient contains c.get\nClient contains c.send\nAsync contains a.__init__\nAsync contains a.send\nc.__init__ calls b.__init__\nc.send calls b.send\nc.get calls b.send\n",
    );
    assert_eq!(judged(&siblings, Kind::Calls, "Client", Some("Async")).0, "likely_false");
    assert_eq!(judged(&siblings, Kind::Calls, "Client", Some("Base")).0, "likely_true");
    // Who inherits from a class does not call it.
    let heirs = graph("Null inherits Session\nNull contains n.open\nSession contains s.save\n");
    assert_eq!(judged(&heirs, Kind::Calls, "Null", Some("Session")).0, "likely_false");
    assert_eq!(judged(&heirs, Kind::NeverCalls, "Null", Some("Session")).0, "likely_true");
    assert_eq!(judged(&heirs, Kind::DependsOn, "Null", Some("Session")).0, "likely_true");
    let budget = judge(&round, Kind::DependsOn, at(&round, "d"), Some(at(&round, "c")), 5, 1, PAST);
    assert!(budget.is_cut && budget.verdict() == "inconclusive");
}

#[test]
fn both_directions_must_hold_and_a_short_search_says_little() {
    let graph = graph("a calls b\nr calls r\n");
    assert_eq!(judged(&graph, Kind::Circular, "a", Some("b")), ("likely_false".into(), 0.14));
    assert_eq!(judged(&graph, Kind::Independent, "a", Some("b")).0, "likely_false");
    assert_eq!(judged(&graph, Kind::Circular, "r", None).0, "likely_true");
    let chain = crate::testing::graph(
        "f0 calls f1\nf1 calls f2\nf2 calls f3\nf3 calls f4\nf4 calls f5\nf5 calls f6\nf6 calls f7\n",
    );
    // 1.5 : 1, for what lies behind the fifth hop was not looked at.
    let claim = |hops, one, other| {
        let found =
            judge(&chain, Kind::NeverCalls, at(&chain, one), Some(at(&chain, other)), hops, 1_000, PAST);
        (found.verdict(), found.is_near)
    };
    assert_eq!(claim(5, "f0", "f7"), ("inconclusive", true));
    assert_eq!(claim(7, "f0", "f7"), ("likely_false", false));
    assert_eq!(claim(5, "f3", "f0"), ("likely_true", false));
}

#[test]
fn without_a_past_nothing_is_said_of_common_changes() {
    let graph = graph("a.rs imports c.rs\nb.rs imports c.rs\n");
    let says = |past| {
        let found = judge(&graph, Kind::Coupling, at(&graph, "a.rs"), Some(at(&graph, "b.rs")), 5, 9, past);
        found.evidence.last().unwrap().says.clone()
    };
    assert!(says(PAST).contains("seldom or never"));
    assert!(says(Past::Unknown).starts_with("no_data"));
    assert!(
        says(Past::Known { one: 1, other: 1, both: 1 }).starts_with("no_data: their files changed 1 and 1")
    );
}

#[test]
fn what_is_called_first_by_whom_is_a_verdict() {
    let of = |text: &str, orders: &[(&str, Order)]| {
        let graph = graph(text);
        let order = |caller: NodeIx, _, _| {
            orders
                .iter()
                .find(|(name, _)| at(&graph, name) == caller)
                .map_or(Order::Always, |(_, order)| *order)
        };
        let known = Known { order: &order, ..Known::from(PAST) };
        let found =
            judge(&graph, Kind::AlwaysBefore, at(&graph, "a"), Some(at(&graph, "b")), 5, 1_000, known);
        (found.verdict(), (found.confidence * 100.0).round() / 100.0)
    };
    let two = "x calls a\nx calls b\ny calls a\ny calls b\n";
    // 3 : 1, then 5 : 1.
    assert_eq!(of("x calls a\nx calls b\n", &[]), ("inconclusive", 0.75));
    assert_eq!(of(two, &[]), ("likely_true", 0.83));
    // One that does it the other way round is enough, and so is a way on which it is left out.
    assert_eq!(of(two, &[("y", Order::Never)]).0, "likely_false");
    assert_eq!(of(two, &[("y", Order::Sometimes)]).0, "likely_false");
    // What cannot be known says nothing.
    assert_eq!(of(two, &[("x", Order::Unknown("why")), ("y", Order::Unknown("why"))]), ("inconclusive", 0.5));
    assert_eq!(of("x calls b\ny calls b\nz calls a\n", &[]), ("likely_false", 0.17));
    // It is called further out, or further in.
    assert_eq!(of("x calls b\nmain calls x\nmain calls a\n", &[]), ("inconclusive", 0.5));
    assert_eq!(of("x calls b\nx calls guard\nguard calls a\n", &[]), ("inconclusive", 0.5));
}

#[test]
fn a_gateway_stands_on_every_way_and_not_only_on_direct_calls() {
    let graph = graph(
        "top calls a\na calls only_by_a\nonly_by_a calls leaf\nside calls past\npast calls low\na calls low\n",
    );
    assert_eq!(judged(&graph, Kind::Gateway, "a", Some("leaf")), ("likely_true".into(), 0.95));
    assert_eq!(judged(&graph, Kind::Gateway, "top", Some("leaf")).0, "likely_true");
    let found = judge(&graph, Kind::Gateway, at(&graph, "a"), Some(at(&graph, "low")), 5, 1_000, PAST);
    assert_eq!(found.verdict(), "likely_false");
    let way: Vec<&str> = found.evidence[1].path.iter().map(|&node| graph.node(node).id()).collect();
    assert_eq!(way, ["side", "past", "low"]);
    // A guessed call past it leaves it open.
    let guessed = crate::testing::graph("top calls a\na calls leaf\nside calls leaf ?2\n");
    assert_eq!(judged(&guessed, Kind::Gateway, "a", Some("leaf")).0, "inconclusive");
    // Two functions that call each other and that nothing calls are no way in.
    let round = crate::testing::graph("top calls a\na calls leaf\nu calls v\nv calls u\nv calls leaf\n");
    assert_eq!(judged(&round, Kind::Gateway, "a", Some("leaf")).0, "likely_true");
}

#[test]
fn a_cycle_counts_types_with_their_members() {
    let graph = graph(
        "Reader contains r.get\nAccess contains c.take\nAccess contains c.one\nr.get references c.one\nc.take references Reader\nLeaf contains l.f\nr.get calls l.f\n",
    );
    let of = |name: &str| judged(&graph, Kind::Circular, name, None).0;
    assert_eq!(of("Reader"), "likely_true");
    assert_eq!(of("Access"), "likely_true");
    assert_eq!(of("Leaf"), "likely_false");
    assert_eq!(judged(&graph, Kind::Circular, "Reader", Some("Access")).0, "likely_true");
    // A function is on no way back to itself.
    assert_eq!(of("r.get"), "likely_false");
}

#[test]
fn what_is_imported_for_types_alone_is_no_certain_dependency() {
    let graph = graph("a.py imports b.py\nb.py imports c.py\n");
    let typed = |edge: &m1nd_graph::Edge<'_>| edge.target == at(&graph, "b.py");
    let verdict = |one: &str, other: &str| {
        let known = Known { past: PAST, is_typed: &typed, ..Known::from(PAST) };
        judge(&graph, Kind::DependsOn, at(&graph, one), Some(at(&graph, other)), 5, 9, known)
    };
    assert_eq!(verdict("b.py", "c.py").verdict(), "likely_true");
    let found = verdict("a.py", "c.py");
    assert_eq!(found.verdict(), "inconclusive");
    assert!(found.evidence[0].says.contains("only for types"), "{:?}", found.evidence);
}

#[test]
fn what_is_reached_through_a_base_is_not_unused() {
    let graph = graph(
        "Square inherits Shape\nShape contains s.area\nSquare contains q.area\ndraw calls s.area\nDot inherits Form\nForm contains f.size\nDot contains d.size\n",
    );
    // 1 : 6, as for a call that a base method hands on.
    assert_eq!(judged(&graph, Kind::Unused, "q.area", None), ("likely_false".into(), 0.14));
    assert_eq!(judged(&graph, Kind::Unused, "Square", None), ("likely_false".into(), 0.14));
    // Who calls the base is not known: a framework may.
    assert_eq!(judged(&graph, Kind::Unused, "d.size", None), ("inconclusive".into(), 0.5));
}

#[test]
fn a_call_of_a_value_may_be_any_call() {
    let graph = graph("next calls safe\nabort calls safe\nother calls safe\n");
    let next = at(&graph, "next");
    let calls_value = |node: NodeIx| (node == next).then_some(7);
    let known = Known { calls_value: &calls_value, ..Known::from(PAST) };
    let ask = |one: &str| {
        let ends = (at(&graph, one), Some(at(&graph, "abort")));
        judge(&graph, Kind::NeverCalls, ends.0, ends.1, 5, 1_000, known)
    };
    let found = ask("next");
    assert_eq!(found.verdict(), "inconclusive");
    assert!(found.evidence[0].says.contains("next calls a value on line 7"), "{:?}", found.evidence);
    assert_eq!(ask("other").verdict(), "likely_true");
}
