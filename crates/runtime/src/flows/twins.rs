//! Twins: functions that are copies of each other but for names, in groups, with where they stand.

use std::collections::BTreeMap;

use m1nd_contract::Fault;
use m1nd_graph::{Graph, Node, NodeIx, NodeKind};
use m1nd_ingest::scan;
use m1nd_recall::engines::twins::{Body, Notation, Pair, pairs};
use m1nd_recall::place;
use m1nd_stdx::round::round2;
use m1nd_vfs::read;
use schemars::JsonSchema;
use serde::Serialize;

use super::survey::{Survey, is_within};
use crate::ctx::{Ctx, GraphView};
use crate::faults;

/// What is compared.
#[derive(Clone, Debug)]
pub struct Request {
    /// At least one of a group lies below this path.
    pub scope: String,
    /// Only the group of this function.
    pub node: Option<NodeIx>,
    pub min_lines: u32,
    /// 0 to 1.
    pub min_similarity: f32,
}

/// Functions that are alike.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct TwinGroup {
    /// How alike the least alike two of it are that were compared: 1 is a copy but for names and literals.
    pub similarity: f64,
    /// The share of names that they have in common.
    pub names_shared: f64,
    /// Lines of the longest.
    pub lines: u32,
    /// In the order of paths, as id and `path:first-last`.
    pub members: Vec<Twin>,
}

#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct Twin {
    pub node_id: String,
    pub at: String,
}

/// What was found, and among how many.
#[derive(Clone, Debug, Default)]
pub struct Twins {
    pub groups: Vec<TwinGroup>,
    pub compared: usize,
    /// How many of those are what was asked about: in the scope, or the one function.
    pub asked_about: usize,
}

/// Groups of functions that are alike, those that repeat most first. Tokens are counted, not lines: of a function that holds a
/// long text little is repeated.
pub fn twins(ctx: &Ctx<'_>, at: &GraphView, request: &Request) -> Result<Twins, Fault> {
    let bodies = bodies(ctx, &at.graph, request)?;
    let found = pairs(&bodies, request.min_similarity);
    let mut groups = grouped(&at.graph, &found);
    groups.retain(|(_, members)| {
        let inside = members.iter().any(|&member| is_within(at.graph.node(member).path(), &request.scope));
        inside && request.node.is_none_or(|node| members.contains(&node))
    });
    let tokens: BTreeMap<NodeIx, usize> = bodies.iter().map(|body| (body.node, body.tokens)).collect();
    let mut groups: Vec<(f64, TwinGroup)> = groups
        .into_iter()
        .map(|(pairs, members)| {
            let longest = members.iter().filter_map(|member| tokens.get(member)).max().copied();
            let group = group(&at.graph, &pairs, &members);
            let copies = (members.len() - 1) as f64;
            (copies * longest.unwrap_or_default() as f64 * group.similarity, group)
        })
        .collect();
    groups.sort_by(|(a, one), (b, other)| {
        b.total_cmp(a).then_with(|| one.members[0].node_id.cmp(&other.members[0].node_id))
    });
    let is_asked_about = |body: &&Body| {
        is_within(at.graph.node(body.node).path(), &request.scope)
            && request.node.is_none_or(|node| node == body.node)
    };
    let asked_about = bodies.iter().filter(is_asked_about).count();
    let groups = groups.into_iter().map(|(_, group)| group).collect();
    Ok(Twins { groups, compared: bodies.len(), asked_about })
}

/// Every function of the project's own code that is long enough; tests only where a test or a folder of tests is asked about.
fn bodies(ctx: &Ctx<'_>, graph: &Graph, request: &Request) -> Result<Vec<Body>, Fault> {
    let root = ctx.workspace()?.root();
    let is_test = |node: Node<'_>| node.kind() == NodeKind::Test || place::is_test(node.path());
    let asked = request.node.map(|node| graph.node(node));
    let tests = asked.is_some_and(is_test) || place::is_test(&format!("{}/x", request.scope));
    let mut out = Vec::new();
    for file in Survey::of(graph).own() {
        if let Some(stop) = ctx.cancel().stop() {
            return Err(faults::stopped(stop));
        }
        let wanted: Vec<Node<'_>> = graph
            .nodes_in(file.path())
            .map(|ix| graph.node(ix))
            .filter(|node| matches!(node.kind(), NodeKind::Function | NodeKind::Method | NodeKind::Test))
            .filter(|node| (tests || !is_test(*node)) && is_long(*node, request))
            .collect();
        if wanted.is_empty() {
            continue;
        }
        let text = scan::read(root, file.path()).ok().and_then(|bytes| read::decode(&bytes));
        let Some((text, _)) = text else { continue };
        let lines: Vec<&str> = text.lines().collect();
        let notation = Notation::of(file.node.language());
        for node in wanted {
            let (first, last) = node.lines();
            let own = lines.get(first as usize - 1..(last as usize).min(lines.len())).unwrap_or_default();
            out.extend(Body::read(node.ix(), &own.join("\n"), notation));
        }
    }
    Ok(out)
}

fn is_long(node: Node<'_>, request: &Request) -> bool {
    let (first, last) = node.lines();
    first > 0 && (last + 1 - first >= request.min_lines || request.node == Some(node.ix()))
}

/// Functions that are alike by way of each other. A function inside another is no copy of it.
fn grouped(graph: &Graph, found: &[Pair]) -> Vec<(Vec<Pair>, Vec<NodeIx>)> {
    let mut heads: BTreeMap<NodeIx, NodeIx> = BTreeMap::new();
    fn head(heads: &BTreeMap<NodeIx, NodeIx>, mut node: NodeIx) -> NodeIx {
        while let Some(&next) = heads.get(&node).filter(|next| **next != node) {
            node = next;
        }
        node
    }
    let apart: Vec<&Pair> = found.iter().filter(|pair| !is_nested(graph, pair)).collect();
    for pair in &apart {
        let (one, other) = (head(&heads, pair.one), head(&heads, pair.other));
        heads.insert(one.max(other), one.min(other));
    }
    let mut groups: BTreeMap<NodeIx, (Vec<Pair>, Vec<NodeIx>)> = BTreeMap::new();
    for pair in apart {
        let (pairs, members) = groups.entry(head(&heads, pair.one)).or_default();
        pairs.push(*pair);
        members.extend([pair.one, pair.other]);
    }
    let mut groups: Vec<_> = groups.into_values().collect();
    for (_, members) in &mut groups {
        members.sort_unstable();
        members.dedup();
    }
    groups
}

fn is_nested(graph: &Graph, pair: &Pair) -> bool {
    let (one, other) = (graph.node(pair.one), graph.node(pair.other));
    let ((from, to), (first, last)) = (one.lines(), other.lines());
    one.path() == other.path() && from <= last && first <= to
}

fn group(graph: &Graph, pairs: &[Pair], members: &[NodeIx]) -> TwinGroup {
    let least = pairs.iter().map(|pair| pair.similarity).fold(1.0, f32::min);
    let names = pairs.iter().map(|pair| pair.names).sum::<f32>() / pairs.len().max(1) as f32;
    let length = |&ix: &NodeIx| {
        let (first, last) = graph.node(ix).lines();
        last + 1 - first
    };
    let twin = |&ix: &NodeIx| {
        let node = graph.node(ix);
        let (first, last) = node.lines();
        Twin { node_id: node.id().to_owned(), at: format!("{}:{first}-{last}", node.path()) }
    };
    TwinGroup {
        similarity: round2(least),
        names_shared: round2(names),
        lines: members.iter().map(length).max().unwrap_or(0),
        members: members.iter().map(twin).collect(),
    }
}
