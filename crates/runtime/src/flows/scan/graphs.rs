//! Graphs: patterns that the graph alone shows.

use std::collections::BTreeSet;

use m1nd_contract::Fault;
use m1nd_graph::{EdgeKind, Graph, Node, NodeFlags, NodeIx, NodeKind};
use m1nd_recall::place;
use m1nd_risk::blast::{self, DEPENDS};

use super::{Found, Status, files, finding};
use crate::ctx::Ctx;
use crate::flows::immunity::Words;
use crate::flows::turbulence::is_product;

type Within<'a> = &'a (dyn Fn(&str) -> bool + Sync);

/// The longest chain by which tests are looked for from the code: as long as `tests_for` looks.
const TEST_HOPS: u32 = 4;
/// Fewer tests than this say that tests are elsewhere.
const MIN_TESTS: usize = 5;
/// A check is looked for so many calls below a handler.
const AUTH_HOPS: u32 = 2;
/// Shorter functions explain themselves.
const MIN_LINES: u32 = 5;

fn callables<'g>(graph: &'g Graph, within: Within<'g>) -> impl Iterator<Item = Node<'g>> {
    let code: BTreeSet<&str> = files(graph, within).into_iter().map(|ix| graph.node(ix).path()).collect();
    graph.nodes().filter(move |node| {
        node.kind().is_callable() && is_product(node) && code.contains(node.path()) && !is_private(node)
    })
}

fn is_private(node: &Node<'_>) -> bool {
    node.label().starts_with('_')
        || node.path().split('/').any(|part| part.starts_with('_') && !part.starts_with("__init__"))
}

/// Sources in other files that depend on a node.
fn users(graph: &Graph, node: NodeIx) -> usize {
    let path = graph.node(node).path();
    let others = graph.incoming(node).filter(|edge| DEPENDS.contains(&edge.kind));
    let others = others
        .map(|edge| graph.node(edge.source))
        .filter(|source| source.path() != path && is_product(source));
    others.map(|source| source.ix()).collect::<BTreeSet<_>>().len()
}

/// What others may call and nothing says how.
pub fn api(graph: &Graph, within: Within<'_>) -> Found {
    let mut found = Found { files: files(graph, within).len(), ..Found::default() };
    for node in callables(graph, within).filter(|node| node.flags().has(NodeFlags::EXPORTED)) {
        let (first, last) = node.lines();
        if !node.doc().is_empty() || last - first < MIN_LINES || is_of_hidden_type(graph, &node) {
            continue;
        }
        let users = users(graph, node.ix());
        let (status, why) = match (graph.overridden(node.ix()).is_empty(), users) {
            (false, _) => (Status::Mitigated, "what it overrides may be documented".to_owned()),
            (true, 0) => (Status::Mitigated, "nothing in other files uses it".to_owned()),
            (true, _) if is_usual(&node) => {
                (Status::Mitigated, "its name says by convention what it does".to_owned())
            }
            (true, users) => (Status::Confirmed, format!("{users} places in other files use it")),
        };
        let what = format!("public and without documentation; {why}");
        found.findings.push(finding(graph, node.ix(), first, status, what));
    }
    found
}

/// Go hides a type by a small letter, and with it all that its methods are called by.
fn is_of_hidden_type(graph: &Graph, node: &Node<'_>) -> bool {
    let owner = graph.owner(node.ix()).map(|owner| graph.node(owner).label());
    node.language() == "go" && owner.is_some_and(|label| label.starts_with(char::is_lowercase))
}

/// Methods that everybody knows by their names.
fn is_usual(node: &Node<'_>) -> bool {
    let go = [
        "String",
        "Error",
        "Close",
        "Len",
        "Less",
        "Swap",
        "Read",
        "Write",
        "ServeHTTP",
        "MarshalJSON",
        "UnmarshalJSON",
        "MarshalYAML",
        "UnmarshalYAML",
    ];
    let java = ["equals", "hashCode", "toString", "compareTo", "close"];
    match node.language() {
        "go" => node.kind() == NodeKind::Method && go.contains(&node.label()),
        "java" => java.contains(&node.label()),
        _ => false,
    }
}

/// What no test leads to, in a single walk from all tests.
pub fn untested(graph: &Graph, within: Within<'_>) -> Found {
    let mut found = Found { files: files(graph, within).len(), ..Found::default() };
    let tests: Vec<NodeIx> =
        graph.nodes().map(|node| node.ix()).filter(|&node| blast::is_test(graph, node)).collect();
    if tests.len() < MIN_TESTS {
        found.no_data =
            Some("no_data: fewer than five tests are known here. Tests in the workspace would provide it.");
        return found;
    }
    let mut reached = vec![false; graph.node_count()];
    // Files and types that tests, or what stands beside them, use without a known call of what is in them.
    let mut touched: BTreeSet<&str> = BTreeSet::new();
    for edge in graph.edges().filter(|edge| DEPENDS.contains(&edge.kind)) {
        let source = graph.node(edge.source);
        if source.flags().has(NodeFlags::TEST_CODE) || place::is_test(source.path()) {
            touched.insert(graph.node(edge.target).path());
        }
    }
    let mut open = tests;
    while let Some(node) = open.pop() {
        if std::mem::replace(&mut reached[node.index()], true) {
            continue;
        }
        for edge in graph.outgoing(node).filter(|edge| DEPENDS.contains(&edge.kind)) {
            touched.insert(graph.node(edge.target).path());
            if edge.kind != EdgeKind::Imports {
                open.push(edge.target);
            }
        }
        open.extend(graph.overriding(node));
        open.extend(graph.keeping(node));
    }
    let folder = |path: &'_ str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
    // Files of tests, by their folders and what they are named after.
    let named: BTreeSet<(String, String)> = graph
        .nodes()
        .filter(|node| node.kind() == NodeKind::File && place::is_test(node.path()))
        .map(|node| (folder(node.path()), place::subject(node.path())))
        .collect();
    for node in callables(graph, within).filter(|node| !reached[node.ix().index()]) {
        let (first, last) = node.lines();
        let is_called = graph.incoming(node.ix()).any(|edge| edge.kind == EdgeKind::Calls);
        let is_public = node.flags().has(NodeFlags::EXPORTED);
        if last - first < MIN_LINES || !(is_called || is_public) || node.flags().has(NodeFlags::ABSTRACT) {
            continue;
        }
        // Tests run more than they call: what is set up for them, or asked for by name.
        if blast::nearest_test(graph, node.ix(), TEST_HOPS).is_some() {
            continue;
        }
        let has_namesake = named.contains(&(folder(node.path()), place::subject(node.path())));
        let (status, why) = match (touched.contains(node.path()), has_namesake) {
            (true, _) => {
                (Status::Mitigated, "tests use its file, and may reach it by a way that is not seen")
            }
            (false, true) => (Status::Mitigated, "a file of tests of its name stands beside it"),
            (false, false) => (Status::Confirmed, "no test uses its file"),
        };
        let what = format!("no test is known to lead to it; {why}");
        found.findings.push(finding(graph, node.ix(), first, status, what));
    }
    found
}

/// Words by which code checks who asks.
const CHECKS: [&str; 16] = [
    "auth",
    "login_required",
    "staff_member_required",
    "user_passes_test",
    "permission",
    "current_user",
    "currentuser",
    "require_user",
    "is_admin",
    "is_staff",
    "jwt",
    "access_token",
    "csrf",
    "verify_token",
    "has_role",
    "secured",
];

fn checks(text: &str) -> bool {
    let text = text.to_lowercase();
    CHECKS.iter().any(|word| text.contains(word))
}

/// Routes that change something and whose handlers check nobody.
pub fn auth(ctx: &Ctx<'_>, graph: &Graph, within: Within<'_>) -> Result<Found, Fault> {
    let routes: Vec<Node<'_>> = graph
        .nodes()
        .filter(|node| node.kind() == NodeKind::Route && is_product(node) && within(node.path()))
        .collect();
    let mut found = Found::default();
    let mut paths: BTreeSet<&str> = BTreeSet::new();
    let mut words = Words::of(ctx.workspace()?.root());
    let mut checked = 0;
    let mut open = Vec::new();
    for route in &routes {
        paths.insert(route.path());
        for handler in graph.targets(route.ix(), EdgeKind::Routes).collect::<Vec<_>>() {
            let below = blast::blast(graph, &[handler], blast::Toward::Needed, AUTH_HOPS);
            let names = below.reached.iter().map(|one| graph.node(one.node).label());
            let is_named = names.into_iter().any(checks);
            // A class answers as those do that it inherits from.
            let is_written = graph
                .lineage(handler)
                .into_iter()
                .any(|node| words.body(graph, node).is_some_and(|body| checks(&body)));
            if is_named || is_written || checks(route.label()) {
                checked += 1;
            } else {
                open.push((route, handler));
            }
        }
    }
    found.files = paths.len();
    if routes.is_empty() {
        found.no_data = Some("no_data: no routes are known here. Handlers of HTTP routes would provide it.");
        return Ok(found);
    }
    for (route, handler) in open {
        let changes = ["POST", "PUT", "PATCH", "DELETE"].iter().any(|verb| route.label().starts_with(verb));
        let (status, why) = match (changes, checked) {
            (false, _) => (Status::Mitigated, "it is not known to change anything".to_owned()),
            // That nobody checks is no proof that somebody should.
            (true, 0) => (
                Status::Mitigated,
                "no handler here is known to check anybody, so that something may check before all of them"
                    .to_owned(),
            ),
            (true, others) => (Status::Confirmed, format!("{others} other handlers check who asks")),
        };
        let line = graph.node(handler).lines().0;
        let what =
            format!("{}: nothing here or {AUTH_HOPS} calls below checks who asks; {why}", route.label());
        found.findings.push(finding(graph, handler, line, status, what));
    }
    Ok(found)
}

/// Constructors that make one of several implementations themselves.
pub fn injection(ctx: &Ctx<'_>, graph: &Graph, within: Within<'_>) -> Result<Found, Fault> {
    let mut found = Found { files: files(graph, within).len(), ..Found::default() };
    let mut words = Words::of(ctx.workspace()?.root());
    let code: BTreeSet<&str> = files(graph, within).into_iter().map(|ix| graph.node(ix).path()).collect();
    let is_constructor = |node: &Node<'_>| {
        matches!(node.label(), "__init__" | "constructor" | "new" | "<init>")
            || graph.parent(node.ix()).is_some_and(|around| {
                graph.node(around).kind().is_type() && graph.node(around).label() == node.label()
            })
    };
    let heirs = |base: NodeIx| {
        let heirs = graph
            .incoming(base)
            .filter(|edge| matches!(edge.kind, EdgeKind::Inherits | EdgeKind::Implements));
        heirs.filter(|edge| is_product(&graph.node(edge.source))).count()
    };
    for node in graph.nodes().filter(|node| node.kind().is_callable() && code.contains(node.path())) {
        if !is_constructor(&node) || node.flags().has(NodeFlags::TEST_CODE) {
            continue;
        }
        for edge in graph
            .outgoing(node.ix())
            .filter(|edge| edge.kind == EdgeKind::Calls && !edge.evidence.is_inferred())
        {
            let target = graph.node(edge.target);
            let made = if target.kind().is_type() {
                Some(edge.target)
            } else {
                graph
                    .parent(edge.target)
                    .filter(|&around| graph.node(around).kind().is_type() && is_constructor(&target))
            };
            let Some(made) = made.filter(|&made| Some(made) != graph.parent(node.ix())) else { continue };
            let own = graph.parent(node.ix());
            // `super()` makes nothing.
            let bases: Vec<NodeIx> = graph
                .outgoing(made)
                .filter(|edge| matches!(edge.kind, EdgeKind::Inherits | EdgeKind::Implements))
                .map(|edge| edge.target)
                .collect();
            let is_base = own.is_some_and(|own| graph.lineage(own).contains(&made));
            // An extension of foreign types is no choice among them.
            let is_choice = |base: NodeIx| heirs(base) >= 2 && !graph.node(base).label().ends_with("Ext");
            let Some(&base) = bases.iter().find(|&&base| is_choice(base)) else { continue };
            if is_base {
                continue;
            }
            let line = edge.lines.first().copied().unwrap_or(node.lines().0);
            let label = graph.node(made).label();
            let base_label = graph.node(base).label();
            let text =
                words.text(node.path()).and_then(|text| text.lines().nth((line as usize).saturating_sub(1)));
            let Some(making) = Making::of(text.unwrap_or_default(), label) else { continue };
            let takes = node.signature().contains(base_label) || node.signature().contains(label);
            let (status, why) = match (takes, making) {
                (true, _) | (_, Making::Instead) => (Status::Mitigated, "it can be given instead"),
                (false, Making::OfArgument) => {
                    (Status::Mitigated, "it is made of what is given, which may be one already")
                }
                (false, Making::Itself) => (Status::Confirmed, "nothing lets a caller choose another"),
            };
            let what = format!("makes a {label} itself, one of {} {base_label}; {why}", heirs(base));
            found.findings.push(finding(graph, node.ix(), line, status, what));
        }
    }
    found.findings.sort_by(|a, b| (&a.at, &a.what).cmp(&(&b.at, &b.what)));
    found.findings.dedup();
    Ok(found)
}

/// How a line makes something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Making {
    Itself,
    /// Where nothing else was given.
    Instead,
    /// In place of an argument that it wraps.
    OfArgument,
}

impl Making {
    /// Nothing where the line throws it, or does not name it: then a class that is held somewhere makes it.
    fn of(line: &str, label: &str) -> Option<Self> {
        let code = line.trim_start();
        let at = code.find(label)?;
        if code.starts_with("raise ") || code.contains("throw ") {
            return None;
        }
        let before = code[..at].trim_end_matches(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
        let before = before.trim_end().trim_end_matches("new").trim_end();
        if before.ends_with(" or")
            || before.ends_with("||")
            || before.ends_with("??")
            || before.ends_with(" else")
        {
            return Some(Self::Instead);
        }
        let given = code[at + label.len()..].trim_start_matches('(');
        let given = given.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
        let is_same = before
            .strip_suffix('=')
            .map(str::trim_end)
            .is_some_and(|left| left == given && !given.is_empty());
        Some(if is_same { Self::OfArgument } else { Self::Itself })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_whether_another_could_have_been_given() {
        let of = |line: &str| Making::of(line, "Store");
        assert_eq!(of("self.store = Store(path)"), Some(Making::Itself));
        assert_eq!(of("this.store = store ?? new Store()"), Some(Making::Instead));
        assert_eq!(of("self.store = store or disk.Store()"), Some(Making::Instead));
        assert_eq!(of("query = Store(query)"), Some(Making::OfArgument));
        assert_eq!((of("raise Store(x)"), of("throw new Store()"), of("self.kind()")), (None, None, None));
    }
}
