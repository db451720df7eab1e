//! Claims: a sentence about the code, judged, and what would be without some of it.

use std::cell::RefCell;
use std::collections::BTreeMap;

use m1nd_contract::{Code, Fault, Recovery};
use m1nd_graph::{Edge, EdgeKind, Graph, NodeIx, NodeKind};
use m1nd_ingest::course::{Course, Outcome, Part};
use m1nd_ingest::{scan, valued};
use m1nd_risk::claim::{self, Claim, Judged, Kind, Known, Order, PATTERNS, Past};
use m1nd_vfs::{Root, read};
use serde_json::json;

use super::unexplained;
use crate::ctx::{Ctx, GraphView};
use crate::faults::{self, from_graph};
use crate::workspace::only_typed;

/// A judged claim.
pub struct Hypothesis {
    pub claim: Claim,
    pub one: NodeIx,
    pub other: Option<NodeIx>,
    pub judged: Judged,
}

/// Reads a claim, finds what it names, and weighs what speaks for and against it.
pub fn judge(
    ctx: &Ctx<'_>,
    at: &GraphView,
    text: &str,
    max_hops: u32,
    budget: usize,
) -> Result<Hypothesis, Fault> {
    let claim = claim::parse(text).ok_or_else(|| not_understood(ctx, &at.graph))?;
    let root = ctx.workspace()?.root();
    let find = |name: &str| from_graph::find_code(root, &at.graph, "claim", name);
    let one = find(&claim.one)?;
    let other = claim.other.as_deref().map(find).transpose()?;
    if other == Some(one) {
        return Err(ctx.invalid("`claim`: both names mean the same node."));
    }
    let past = match other.filter(|_| claim.kind == Kind::Coupling) {
        Some(other) => past_of(ctx, at, [at.graph.node(one).path(), at.graph.node(other).path()])?,
        None => Past::Unknown,
    };
    let typed = Typed { root, graph: &at.graph, known: RefCell::default() };
    let valued = Valued { root, graph: &at.graph, known: RefCell::default() };
    let ordered = Ordered { root, graph: &at.graph, known: RefCell::default() };
    let known = Known {
        past,
        is_typed: &|edge| typed.has(edge),
        calls_value: &|node| valued.line(node),
        order: &|caller, one, other| ordered.of(caller, one, other),
    };
    let judged = claim::judge(&at.graph, claim.kind, one, other, max_hops, budget, known);
    let judged = unexplained::weighed(ctx, at, &claim, one, judged)?;
    Ok(Hypothesis { claim, one, other, judged })
}

/// Files that take something from others only for types, looked into when they are asked for.
struct Typed<'g> {
    root: &'g Root,
    graph: &'g Graph,
    known: RefCell<BTreeMap<NodeIx, Vec<NodeIx>>>,
}

impl Typed<'_> {
    /// Whether an import, or a use of a type, is between files of which one takes the other for types alone.
    fn has(&self, edge: &Edge<'_>) -> bool {
        if !matches!(edge.kind, EdgeKind::Imports | EdgeKind::References) {
            return false;
        }
        let file = |ix: NodeIx| self.graph.node_by_path(self.graph.node(ix).path());
        let (Some(from), Some(to)) = (file(edge.source), file(edge.target)) else { return false };
        let mut known = self.known.borrow_mut();
        let typed = known.entry(from).or_insert_with(|| only_typed(self.root, self.graph, from));
        typed.contains(&to)
    }
}

/// Files that are looked into for calls of values when they are asked for.
struct Valued<'g> {
    root: &'g Root,
    graph: &'g Graph,
    known: RefCell<BTreeMap<String, Vec<u32>>>,
}

impl Valued<'_> {
    /// The first line on which a function calls a value.
    fn line(&self, node: NodeIx) -> Option<u32> {
        let node = self.graph.node(node);
        let mut known = self.known.borrow_mut();
        let lines = known.entry(node.path().to_owned()).or_insert_with(|| {
            let bytes = scan::read(self.root, node.path());
            bytes.ok().and_then(|bytes| valued::lines(node.path(), &bytes)).unwrap_or_default()
        });
        let (first, last) = node.lines();
        lines.iter().copied().find(|line| (first..=last).contains(line))
    }
}

/// Files whose functions are followed for the order of their calls when they are asked for.
struct Ordered<'g> {
    root: &'g Root,
    graph: &'g Graph,
    known: RefCell<BTreeMap<String, Option<Course>>>,
}

impl Ordered<'_> {
    /// Whether a function makes the first call always before the second.
    fn of(&self, caller: NodeIx, one: NodeIx, other: NodeIx) -> Order {
        let node = self.graph.node(caller);
        let part = match node.kind() {
            NodeKind::File => Part::Whole,
            kind if kind.is_callable() => Part::Lines(node.lines().0, node.lines().1),
            _ => return Order::Unknown("they stand outside of functions"),
        };
        let mut known = self.known.borrow_mut();
        let course = known.entry(node.path().to_owned()).or_insert_with(|| {
            let (text, _) = read::decode(&scan::read(self.root, node.path()).ok()?)?;
            Course::of(node.path(), &text)
        });
        let Some(course) = course else {
            return Order::Unknown("the ways through functions are not read in this language");
        };
        let call = |target: NodeIx| {
            let edge = self.graph.edge_between(caller, EdgeKind::Calls, target);
            let mut lines: Vec<u32> =
                edge.map(|edge| self.graph.edge(edge).lines.to_vec()).unwrap_or_default();
            lines.sort_unstable();
            lines.dedup();
            // What makes a thing is called by the thing's name.
            let label = self.graph.node(target).label();
            let owner = self.graph.owner(target).map(|owner| self.graph.node(owner).label());
            let made = owner.filter(|_| MAKERS.contains(&label));
            ([label, made.unwrap_or(label)], lines)
        };
        let (first, then) = (call(one), call(other));
        if first.1.is_empty() || then.1.is_empty() {
            return Order::Unknown("the lines of the calls are not known");
        }
        match course.calls(&part, (&first.0, &first.1), (&then.0, &then.1)) {
            Outcome::Always => Order::Always,
            Outcome::Sometimes => Order::Sometimes,
            Outcome::Never => Order::Never,
            Outcome::Unknown(why) => Order::Unknown(why),
        }
    }
}

/// Functions that run when a thing of their type is made.
const MAKERS: [&str; 4] = ["__init__", "__new__", "constructor", "<init>"];

/// How often two files changed, by the past that predictions rest on: under earlier names, too.
fn past_of(ctx: &Ctx<'_>, at: &GraphView, paths: [&str; 2]) -> Result<Past, Fault> {
    let corpus = ctx.workspace()?.corpus(&at.view, &at.graph, ctx.cancel()).map_err(faults::stopped)?;
    let [Some(one), Some(other)] = paths.map(|path| corpus.text.file(path)) else { return Ok(Past::Unknown) };
    let company = corpus.past.company(one);
    let both = company.iter().find(|company| company.file == other).map_or(0, |company| company.times);
    let changes = |file| u32::try_from(corpus.past.touched(file)).unwrap_or(u32::MAX);
    Ok(Past::Known { one: changes(one), other: changes(other), both })
}

fn not_understood(ctx: &Ctx<'_>, graph: &Graph) -> Fault {
    let hint =
        "Say it as one of detail.patterns, with names of code for A and B: no other words around them.";
    let recovery = match example(graph) {
        Some(claim) => Recovery::call(hint, ctx.tool(), json!({ "claim": claim })),
        None => Recovery::hint(hint),
    };
    Fault::new(
        Code::InvalidParams,
        "`claim` is none of the sentences that can be judged, so nothing was judged.".to_owned(),
        recovery,
    )
    .with_detail(json!({ "patterns": PATTERNS }))
}

/// A claim about this graph.
fn example(graph: &Graph) -> Option<String> {
    let is_name = |ix: NodeIx| !graph.node(ix).id().contains(' ');
    let edge = graph.edges().find(|edge| {
        edge.kind == EdgeKind::Calls
            && edge.source != edge.target
            && is_name(edge.source)
            && is_name(edge.target)
    })?;
    Some(format!("{} calls {}", graph.node(edge.source).id(), graph.node(edge.target).id()))
}
