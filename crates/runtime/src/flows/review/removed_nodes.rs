//! Removed nodes: definitions that went although something else has their name, and the lines that led to them and lead nowhere
//! now.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_graph::{EdgeKind, Graph, NodeFlags, NodeIx, NodeKind};
use m1nd_ingest::imported;
use m1nd_ingest::revision::{Change, Changed};
use m1nd_risk::blast::DEPENDS;
use m1nd_risk::plan::Severity;

use super::users::User;
use super::{Edited, Finding, removed};

/// Lines that are shown of each.
const MAX_PLACES: usize = 5;

/// What went and is to be looked up among the relations of before, each with the file that it was in.
pub fn candidates<'e>(
    graph: &Graph,
    edited: &'e [Edited],
    is_told: impl Fn(&Edited, &Changed) -> bool,
) -> Vec<(&'e Edited, &'e Changed)> {
    let mut found = Vec::new();
    for one in edited {
        let went = |symbol: &&Changed| symbol.change == Change::Removed && removed::counts(symbol);
        let types: BTreeSet<&str> = one
            .symbols
            .iter()
            .flatten()
            .filter(|symbol| symbol.change == Change::Removed && symbol.kind.is_type())
            .map(|symbol| symbol.name.as_str())
            .collect();
        // What goes with its type is told of the type, and one of several of a name leaves the others.
        let is_inner =
            |symbol: &Changed| symbol.name.rsplit_once('.').is_some_and(|(outer, _)| types.contains(outer));
        let stays = |symbol: &Changed| {
            graph.nodes_in(&one.file.path).any(|ix| graph.node(ix).qualified() == symbol.name)
        };
        let went = one.symbols.iter().flatten().filter(went);
        let left = went.filter(|symbol| !is_inner(symbol) && !stays(symbol) && !is_told(one, symbol));
        found.extend(left.map(|symbol| (one, symbol)));
    }
    found
}

/// One finding for each of these that lines still mean.
pub fn still_used(
    before: &Graph,
    graph: &Graph,
    edited: &[Edited],
    candidates: &[(&Edited, &Changed)],
) -> Vec<Finding> {
    let mut users: BTreeMap<&str, Option<User<'_>>> = BTreeMap::new();
    let mut found = Vec::new();
    for &(one, symbol) in candidates {
        let is_it = |&ix: &NodeIx| {
            let node = before.node(ix);
            node.kind() == symbol.kind && node.lines().0 == symbol.line && symbol.name.ends_with(node.label())
        };
        let Some(node) = before.nodes_in(one.path_before()).find(is_it) else { continue };
        let name = before.node(node).label();
        let mut lines: BTreeSet<(bool, &str, u32)> = BTreeSet::new();
        let mut is_unedited = false;
        for edge in before.incoming(node).filter(|edge| DEPENDS.contains(&edge.kind)) {
            let source = before.node(edge.source);
            let user = users.entry(source.path()).or_insert_with(|| User::of(graph, edited, source.path()));
            let Some(user) = user else { continue };
            if symbol.kind != NodeKind::Method && takes_another(user, name) {
                continue;
            }
            let sites = edge.sites().filter(|(_, evidence)| !evidence.is_inferred());
            let left = sites.filter_map(|(line, _)| left(user, graph, line, name));
            // What stands in a function is said in it alone.
            for line in
                left.filter(|&line| !symbol.is_local || is_within(graph, user.path, &symbol.name, line))
            {
                is_unedited |= user.edited.is_none();
                lines.insert((source.flags().has(NodeFlags::TEST_CODE), user.path, line));
            }
        }
        if lines.is_empty() {
            continue;
        }
        let severity = match symbol.kind {
            // A method may be one that its type takes over from what is not ours, or be called on another type now.
            NodeKind::Method if !is_unedited || has_unknown_base(graph, &one.file.path, &symbol.name) => {
                Severity::Medium
            }
            _ => Severity::High,
        };
        let what =
            if lines.len() == 1 { "1 line that means it still says" } else { "lines that mean it still say" };
        let count = if lines.len() == 1 { String::new() } else { format!("{} ", lines.len()) };
        found.push(Finding {
            kind: "removed_but_used",
            severity: severity.name(),
            at: format!("{}:{}", one.file.path, symbol.line),
            message: format!(
                "{} was removed, and {count}{what} {name}; what else has that name is not what they lead to",
                symbol.name
            ),
            places: lines.iter().take(MAX_PLACES).map(|(_, path, line)| format!("{path}:{line}")).collect(),
        });
    }
    found
}

/// Whether a line stands in the function that a local one stood in.
fn is_within(graph: &Graph, path: &str, name: &str, line: u32) -> bool {
    let Some((outer, _)) = name.rsplit_once('.') else { return true };
    let mut outers = graph.nodes_in(path).filter(|&ix| graph.node(ix).qualified() == outer);
    outers.any(|ix| {
        let (first, last) = graph.node(ix).lines();
        first <= line && line <= last
    })
}

/// Whether the type that a member went from has bases that the graph does not know.
fn has_unknown_base(graph: &Graph, path: &str, member: &str) -> bool {
    let Some((owner, _)) = member.rsplit_once('.') else { return false };
    let Some(node) = graph.nodes_in(path).find(|&ix| graph.node(ix).qualified() == owner) else {
        return false;
    };
    let signature = graph.node(node).signature();
    let bases = graph
        .lineage(node)
        .into_iter()
        .flat_map(|ix| graph.outgoing(ix))
        .filter(|edge| matches!(edge.kind, EdgeKind::Inherits | EdgeKind::Implements));
    let says_bases = signature.contains('(') || signature.contains(" extends ") || signature.contains(':');
    says_bases && bases.count() == 0
}

/// The line as it stands now, where it still says what it said and leads to nothing of that name.
fn left(user: &User<'_>, graph: &Graph, line: u32, name: &str) -> Option<u32> {
    let today = user.line(line)?;
    let is_found = user.certainly_leads_to(today).any(|ix| graph.node(ix).label() == name);
    (!is_found).then_some(today)
}

/// Whether the change lets a file take a name from elsewhere.
fn takes_another(user: &User<'_>, name: &str) -> bool {
    let Some((Some(old), Some(new))) = user.edited.map(|one| (&one.texts.0, &one.texts.1)) else {
        return false;
    };
    let from = |text: &[u8]| {
        let bound = imported::bound(user.path, text, name).unwrap_or_default();
        let modules: Vec<Vec<String>> = bound.imports.into_iter().map(|one| one.module).collect();
        (modules, bound.is_made_here)
    };
    let (old, new) = (from(old), from(new));
    // An import that went leaves the name to nobody.
    old != new && (!new.0.is_empty() || new.1)
}
