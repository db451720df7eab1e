//! Checks of a change against the graph: signatures, companions, layers, antibodies, tests.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use m1nd_contract::Fault;
use m1nd_graph::change::How;
use m1nd_graph::{EdgeKind, Graph, NodeFlags, NodeIx};
use m1nd_ingest::syntax::SyntaxError;
use m1nd_risk::blast::{self, Handed};
use m1nd_risk::layers::{self, Breach};
use m1nd_risk::plan::{self, Severity, Step, Tested};

use super::before::Before;
use super::{Edited, Finding};
use crate::ctx::Ctx;
use crate::flows::immunity;
use crate::flows::layering::violation;
use crate::flows::predicted::Prediction;
use crate::workspace::Severity as Harm;

/// Places that a finding shows.
const MAX_PLACES: usize = 5;
/// Less likely companions are for `validate_plan`: who finished a change has thought of them.
const LIKELY: f32 = 0.4;
/// From here on the change is more often incomplete than not.
const VERY_LIKELY: f32 = 0.6;
/// Companions that are told.
const MAX_COMPANIONS: usize = 5;
/// More changed functions than this are a rewrite; the first ones are looked at.
const MAX_FUNCTIONS: usize = 400;

/// Files that parsed before the change and do not any more.
pub fn syntax(edited: &[Edited]) -> Vec<Finding> {
    let broken = edited.iter().filter_map(|one| Some((one, one.broken.as_ref()?)));
    let shown = |(one, error): (&Edited, &SyntaxError)| {
        let may_be_right = is_odd_member(one, error.line);
        let unless = match may_be_right {
            true => ", though a member may be called so, and the grammar may be at fault",
            false => "",
        };
        Finding {
            kind: "syntax_error",
            severity: if may_be_right { Severity::Medium } else { Severity::High }.name(),
            at: format!("{}:{}", one.file.path, error.line),
            message: format!(
                "{} does not parse since the change: {}{unless}. What it defines and no longer defines is not told",
                one.file.path, error.what
            ),
            places: Vec::new(),
        }
    };
    broken.map(shown).collect()
}

/// Whether a line of TypeScript declares a member that has a word of the language for a name, which its grammar takes for an operator
/// of the line before.
fn is_odd_member(one: &Edited, line: u32) -> bool {
    let is_typed = [".ts", ".tsx", ".mts", ".cts"].iter().any(|end| one.file.path.ends_with(end));
    let Some(text) = one.texts.1.as_deref().filter(|_| is_typed) else { return false };
    let text = String::from_utf8_lossy(text);
    let said = text.lines().nth((line as usize).saturating_sub(1)).unwrap_or_default().trim_start();
    let words = ["in", "instanceof", "as", "satisfies", "is"];
    words.iter().any(|word| said.strip_prefix(word).is_some_and(|rest| rest.starts_with([':', '?'])))
}

/// Files that use what goes away, and files that change with the changed ones.
pub fn missing(graph: &Graph, edited: &[Edited], steps: &[Step], predictions: &[Prediction]) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    let known = |path: &str| edited.iter().any(|one| one.file.path == path);
    for one in plan::broken(graph, &Handed::default(), steps).iter().filter(|one| !known(&one.path)) {
        let at = graph.node(one.uses).path().to_owned();
        let line = one.line.unwrap_or_else(|| graph.node(one.node).lines().0);
        found.push(Finding {
            kind: "missing_co_change",
            severity: Severity::Critical.name(),
            message: format!(
                "{} {} {}, which goes away",
                one.path,
                one.kind.name(),
                graph.node(one.uses).label()
            ),
            places: vec![format!("{}:{line}", one.path)],
            at: format!("{at}:1"),
        });
    }
    for one in predictions.iter().take(MAX_COMPANIONS) {
        let edited = edited.iter().find(|edited| edited.file.path == one.because_of);
        let line = edited.and_then(|edited| edited.file.lines.first()).map_or(1, |lines| lines.0);
        let severity = if one.confidence >= VERY_LIKELY { Severity::Medium } else { Severity::Low };
        found.push(Finding {
            kind: "missing_co_change",
            severity: severity.name(),
            at: format!("{}:{line}", one.because_of),
            message: format!(
                "{} may have to change with it (estimated {:.0} %: {}) and is not in the change",
                one.path,
                one.confidence * 100.0,
                one.reason
            ),
            places: vec![one.path.clone()],
        });
    }
    found
}

/// Files that are likely to belong to the change, the likeliest first. A test alone brings no code along: tests are added to
/// what is there.
pub fn companions(graph: &Graph, mut predictions: Vec<Prediction>) -> Vec<Prediction> {
    let is_test = |path: &str| {
        graph.node_by_path(path).is_some_and(|ix| graph.node(ix).flags().has(NodeFlags::TEST_CODE))
    };
    predictions.retain(|one| one.confidence >= LIKELY && !is_test(&one.because_of));
    predictions.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then_with(|| a.path.cmp(&b.path)));
    predictions
}

/// Dependencies against the layers that the changed lines write.
pub fn layers(
    ctx: &Ctx<'_>,
    graph: &Arc<Graph>,
    edited: &[Edited],
    before: &Before<'_>,
) -> Result<Vec<Finding>, Fault> {
    let mut found = Vec::new();
    let all = edited;
    let code: BTreeMap<NodeIx, &Edited> =
        all.iter().filter_map(|one| Some((graph.node_by_path(&one.file.path)?, one))).collect();
    if code.is_empty() {
        return Ok(found);
    }
    // The layers of all files are a lot of work for a change that lets no file lead to another one than before.
    if let Some(then) = before.graph()?
        && code.values().all(|one| !leads_further(&then, graph, all, one))
    {
        return Ok(found);
    }
    let layers = ctx.workspace()?.layers(graph);
    for one in layers.violations.iter().filter(|one| one.breach == Breach::Upward) {
        let Some(edited) = code.get(&one.from) else { continue };
        let target = graph.node(one.to).path();
        let inside = graph.nodes_in(&edited.file.path);
        let edges = inside.flat_map(|node| graph.outgoing(node).collect::<Vec<_>>());
        let lines: BTreeSet<u32> = edges
            .filter(|edge| layers::KINDS.contains(&edge.kind) && graph.node(edge.target).path() == target)
            .flat_map(|edge| edge.lines.iter().copied())
            .collect();
        // What was so before the change is not its doing.
        let Some(line) = lines.iter().copied().find(|&line| edited.touches(line)) else { continue };
        if lines.iter().any(|&line| !edited.touches(line)) {
            continue;
        }
        // Nor is a line of it that only moved.
        if before
            .graph()?
            .is_some_and(|then| depended(&then, edited.path_before(), called_before(all, target)))
        {
            continue;
        }
        let shown = violation(graph, one);
        found.push(Finding {
            kind: "layer_violation",
            severity: Severity::Medium.name(),
            at: format!("{}:{line}", shown.from),
            message: format!("{} now depends on {}, which stands above it in a circle", shown.from, shown.to),
            places: vec![shown.to],
        });
    }
    Ok(found)
}

/// Whether anything in a file leads to a file that nothing in it led to before the change.
fn leads_further(before: &Graph, graph: &Graph, edited: &[Edited], one: &Edited) -> bool {
    let then = led_to(before, one.path_before());
    let now = led_to(graph, &one.file.path);
    now.into_iter().any(|path| path != one.file.path && !then.contains(called_before(edited, path)))
}

/// The files that a file leads to, as layers count it.
fn led_to<'g>(graph: &'g Graph, path: &str) -> BTreeSet<&'g str> {
    let edges = graph.nodes_in(path).flat_map(|node| graph.outgoing(node).collect::<Vec<_>>());
    let counted = edges.filter(|edge| layers::KINDS.contains(&edge.kind));
    counted.map(|edge| graph.node(edge.target).path()).collect()
}

/// Whether anything in one file led to something in the other.
fn depended(graph: &Graph, from: &str, to: &str) -> bool {
    led_to(graph, from).contains(to)
}

/// What a file of today was called before the change.
fn called_before<'p>(edited: &'p [Edited], path: &'p str) -> &'p str {
    edited.iter().find(|one| one.file.path == path).map_or(path, Edited::path_before)
}

/// Where changed code looks like a bug that was confirmed before.
pub fn antibodies(ctx: &Ctx<'_>, graph: &Graph, edited: &[Edited]) -> Result<Vec<Finding>, Fault> {
    let all = immunity::all(ctx)?;
    if all.is_empty() {
        return Ok(Vec::new());
    }
    let scan = immunity::scan(ctx, graph, &all)?;
    let touched = |hit: &&immunity::Hit<'_>| {
        let node = graph.node(hit.node);
        let (first, last) = node.lines();
        let file = edited.iter().find(|one| one.file.path == node.path());
        file.is_some_and(|one| one.file.lines.iter().any(|&(from, to)| from <= last && first <= to))
    };
    let shown = |hit: &immunity::Hit<'_>| {
        let node = graph.node(hit.node);
        let severity = match hit.antibody.severity {
            Harm::Info => Severity::Low,
            Harm::Warning => Severity::Medium,
            Harm::Critical => Severity::Critical,
        };
        Finding {
            kind: "antibody",
            severity: severity.name(),
            at: format!("{}:{}", node.path(), node.lines().0),
            message: format!("{} looks like the bug {:?}", node.label(), hit.antibody.name),
            places: vec![hit.antibody.source.clone()],
        }
    };
    Ok(scan.hits.iter().filter(touched).map(shown).collect())
}

/// Changed functions of the program that no test is known to reach, file by file, and what tests reach.
pub fn untested(graph: &Graph, edited: &[Edited], hops: u32) -> (Vec<Finding>, Tested) {
    let mut tested = Tested::default();
    let mut found = Vec::new();
    for one in edited.iter().filter(|one| one.file.how != How::Deleted) {
        let mut open: Vec<NodeIx> = Vec::new();
        for &node in &one.nodes {
            let changed = graph.node(node);
            let is_code = changed.kind().is_callable() && !changed.flags().has(NodeFlags::TEST_CODE);
            if !is_code || tested.testable >= MAX_FUNCTIONS || !differs(graph, one, node) {
                continue;
            }
            tested.testable += 1;
            if blast::nearest_test(graph, node, hops).is_none() {
                tested.untested.push(changed.id().to_owned());
                open.push(node);
            }
        }
        let Some(&first) = open.first() else { continue };
        let is_used = |&node: &NodeIx| graph.incoming(node).any(|edge| edge.kind == EdgeKind::Calls);
        let severity = if open.iter().any(is_used) { Severity::Medium } else { Severity::Low };
        let names: Vec<&str> = open.iter().take(MAX_PLACES).map(|&ix| graph.node(ix).label()).collect();
        let more = open.len().saturating_sub(MAX_PLACES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        found.push(Finding {
            kind: "untested",
            severity: severity.name(),
            at: format!("{}:{}", one.file.path, graph.node(first).lines().0),
            message: format!("No test is known to reach what changed in {}{more}", names.join(", ")),
            places: Vec::new(),
        });
    }
    (found, tested)
}

/// Whether the node itself changed, rather than a blank line in it. What is not known counts.
fn differs(graph: &Graph, one: &Edited, node: NodeIx) -> bool {
    let node = graph.node(node);
    one.symbols.as_ref().is_none_or(|symbols| {
        symbols.iter().any(|symbol| symbol.line == node.lines().0 && symbol.name.ends_with(node.label()))
    })
}
