//! Shapes: patterns that are seen in a file's tree, judged by what their names lead to.

use m1nd_contract::Fault;
use m1nd_graph::{EdgeKind, Graph, NodeFlags, NodeIx};
use m1nd_ingest::scan;
use m1nd_ingest::structures::{self, Place, Shape};
use m1nd_vfs::read;
use rayon::prelude::*;

use super::{Finding, Found, Status, files, finding};
use crate::ctx::Ctx;
use crate::faults;
use crate::flows::locks::Held;
use crate::flows::turbulence;

/// A host waits a minute at most; what is read by then is told.
const TIME_LIMIT: std::time::Duration = std::time::Duration::from_secs(25);

type Within<'a> = &'a (dyn Fn(&str) -> bool + Sync);

pub fn errors(ctx: &Ctx<'_>, graph: &Graph, within: Within<'_>) -> Result<Found, Fault> {
    let returns_error = |callee: NodeIx| {
        let node = graph.node(callee);
        let signature = node.signature();
        match node.language() {
            "go" => {
                signature.rsplit(')').next().is_some_and(|rest| rest.contains("error"))
                    || signature.trim_end().ends_with("error)")
            }
            _ => signature.split("->").last().is_some_and(|returned| returned.contains("Result")),
        }
    };
    look(ctx, graph, within, Shape::ErrorHandling, &|callee| {
        if returns_error(callee) { Ok("it returns an error") } else { Err("what it calls returns no error") }
    })
}

pub fn resources(ctx: &Ctx<'_>, graph: &Graph, within: Within<'_>) -> Result<Found, Fault> {
    look(ctx, graph, within, Shape::ResourceCleanup, &|_| Ok(""))
}

pub fn concurrency(ctx: &Ctx<'_>, graph: &Graph, within: Within<'_>) -> Result<Found, Fault> {
    look(ctx, graph, within, Shape::Concurrency, &|callee| match graph
        .node(callee)
        .flags()
        .has(NodeFlags::ASYNC)
    {
        true => Ok("what it calls is asynchronous"),
        false => Err("what it calls is not asynchronous"),
    })
}

/// Reads every file and judges its places. `callee` says of what a place calls whether it makes the place one.
fn look(
    ctx: &Ctx<'_>,
    graph: &Graph,
    within: Within<'_>,
    shape: Shape,
    callee: &(dyn Fn(NodeIx) -> Result<&'static str, &'static str> + Sync),
) -> Result<Found, Fault> {
    let root = ctx.workspace()?.root();
    let late = ctx.cancel().with_timeout(TIME_LIMIT);
    let mut found = Found::default();
    let mut known: Vec<NodeIx> = Vec::new();
    for file in files(graph, within) {
        let node = graph.node(file);
        if structures::is_known(node.path(), shape) {
            known.push(file);
        } else {
            *found.not_supported.entry(node.language().to_owned()).or_default() += 1;
        }
    }
    let read: Vec<Option<Vec<Finding>>> = known
        .par_iter()
        .map(|&file| {
            late.stop().is_none().then(|| {
                let path = graph.node(file).path();
                let text = scan::read(root, path).ok().and_then(|bytes| read::decode(&bytes));
                let places = text.and_then(|(text, _)| structures::places(path, &text, shape));
                let judged = places.unwrap_or_default().into_iter();
                judged.filter_map(|place| judge(graph, path, &place, callee)).collect()
            })
        })
        .collect();
    if let Some(stop) = ctx.cancel().stop() {
        return Err(faults::stopped(stop));
    }
    found.not_read = read.iter().filter(|one| one.is_none()).count();
    found.files = read.len() - found.not_read;
    found.findings = read.into_iter().flatten().flatten().collect();
    Ok(found)
}

fn judge(
    graph: &Graph,
    path: &str,
    place: &Place,
    callee: &(dyn Fn(NodeIx) -> Result<&'static str, &'static str> + Sync),
) -> Option<Finding> {
    let node = graph.node_at(path, place.line)?;
    // Tests inside of a file of the product.
    if graph.node(node).flags().has(NodeFlags::TEST_CODE) {
        return None;
    }
    let name = if place.name.is_empty() { String::new() } else { format!(" ({})", place.name) };
    let seen = format!("{}{name}", place.what);
    let (status, why) = match (place.rests_on_callee, called(graph, node, place)) {
        (true, None) if place.is_known_to_fail => match place.excuse {
            Some(excuse) => (Status::Mitigated, excuse),
            None => (Status::Confirmed, "the standard library's returns an error"),
        },
        // What is called is not ours, so nothing is known of it.
        (true, None) => return None,
        (true, Some(target)) => match (callee(target), place.excuse) {
            (Err(why), _) => (Status::FalsePositive, why),
            (Ok(_), Some(excuse)) => (Status::Mitigated, excuse),
            (Ok(why), None) => (Status::Confirmed, why),
        },
        (false, _) => match place.excuse {
            Some(excuse) => (Status::Mitigated, excuse),
            None => (Status::Confirmed, ""),
        },
    };
    let what = if why.is_empty() { seen } else { format!("{seen}; {why}") };
    Some(finding(graph, node, place.line, status, what))
}

/// What a place calls, if that is certain.
fn called(graph: &Graph, node: NodeIx, place: &Place) -> Option<NodeIx> {
    let mut calls = graph.outgoing(node).filter(|edge| {
        edge.kind == EdgeKind::Calls
            && !edge.evidence.is_inferred()
            && edge.lines.contains(&place.line)
            && graph.node(edge.target).label() == place.name
    });
    let first = calls.next()?.target;
    calls.next().is_none().then_some(first)
}

/// State that outlives functions and is changed by them.
pub fn state(ctx: &Ctx<'_>, graph: &Graph, within: Within<'_>) -> Result<Found, Fault> {
    let entries = turbulence::entries(graph, &[]);
    let flow = turbulence::simulate(ctx, graph, &entries)?;
    let mut found = Found { files: flow.files, not_supported: flow.unknown, ..Found::default() };
    for writer in flow.all.iter().filter(|one| within(graph.node(one.node).path())) {
        let names: Vec<&str> = writer.states.iter().map(|state| state.0.as_str()).collect();
        let line = writer.states.first().map_or(1, |state| state.1);
        let (status, why) = match (writer.held, writer.is_guarded, writer.ways.particles) {
            (Held::Yes, ..) => (Status::Mitigated, "a lock is held".to_owned()),
            (Held::Unknown(why), ..) => {
                (Status::Mitigated, format!("inconclusive: whether a lock is held is not known, {why}"))
            }
            (_, true, _) => (Status::Mitigated, "its callers hold a lock".to_owned()),
            (_, false, 0 | 1) => (Status::Mitigated, "only one way leads here".to_owned()),
            (Held::Sometimes, ..) => (
                Status::Confirmed,
                "several calls can be here at a time, and a lock is held on some ways only".to_owned(),
            ),
            (Held::No, ..) => {
                (Status::Confirmed, "several calls can be here at a time, and no lock is held".to_owned())
            }
        };
        let what = format!("changes shared state ({}); {why}", names.join(", "));
        found.findings.push(finding(graph, writer.node, line, status, what));
    }
    Ok(found)
}
