//! Planned: what a list of intended edits leaves out, and how risky it is.

use m1nd_contract::Fault;
use m1nd_graph::{Graph, NodeIx};
use m1nd_risk::blast::{DEPENDS, Handed};
use m1nd_risk::plan::{self, Severity, Step};
use m1nd_stdx::round::round3;
use m1nd_vfs::RelPath;
use m1nd_vfs::root::Kind;
use schemars::JsonSchema;
use serde::Serialize;

use super::ledger::Known;
use super::predicted::Prediction;
use crate::ctx::Ctx;
use crate::faults::from_vfs;

/// A file that the plan leaves out.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct Gap {
    pub file_path: String,
    pub node_id: String,
    pub reason: String,
    /// low, medium, high or critical.
    pub severity: &'static str,
    /// 0 to 1: how likely it has to change.
    pub signal_strength: f64,
}

/// Predictions below this are noise.
const LEAST: f32 = 0.04;
/// Gaps that are shown.
pub const MAX_GAPS: usize = 15;

/// Gaps of a plan: users of what goes away first, then what changes with the rest.
pub fn gaps(graph: &Graph, handed: &Handed, steps: &[Step], predictions: &[Prediction]) -> Vec<Gap> {
    let mut gaps: Vec<Gap> = plan::broken(graph, handed, steps)
        .iter()
        .map(|one| {
            let at = one.line.map_or_else(String::new, |line| format!(" at line {line}"));
            Gap {
                file_path: one.path.clone(),
                node_id: graph.node(one.node).id().to_owned(),
                reason: format!("{} {} of what goes away{at}", one.kind.name(), graph.node(one.uses).label()),
                severity: Severity::Critical.name(),
                signal_strength: 1.0,
            }
        })
        .collect();
    let several = steps.len() > 1;
    for one in predictions.iter().filter(|one| one.rank >= LEAST) {
        if gaps.iter().any(|gap| gap.file_path == one.path) {
            continue;
        }
        let because = if several { format!(" ({})", one.because_of) } else { String::new() };
        gaps.push(Gap {
            file_path: one.path.clone(),
            node_id: graph
                .node_by_path(&one.path)
                .map_or_else(String::new, |ix| graph.node(ix).id().to_owned()),
            reason: format!("{}{because}", one.reason),
            severity: Severity::of_likelihood(one.rank).name(),
            signal_strength: round3(one.rank),
        });
        if gaps.len() >= MAX_GAPS {
            break;
        }
    }
    gaps
}

/// 0.25 times how little the least trusted file is trusted, 0.5 times how likely something is left out, 0.25 times the share of files
/// without a test.
pub fn risk(known: &Known, steps: &[Step], gaps: &[Gap], tested: &plan::Tested) -> f64 {
    let complete: f64 = gaps.iter().map(|gap| 1.0 - gap.signal_strength).product();
    let untested = tested.untested.len() as f64 / tested.testable.max(1) as f64;
    0.25 * doubt(known, steps) + 0.5 * (1.0 - complete) + 0.25 * untested
}

/// How little the least trusted file is trusted; a half where nothing is known.
pub fn doubt(known: &Known, steps: &[Step]) -> f64 {
    let trust = steps.iter().filter_map(|step| known.ledger.trust(&step.path)).map(|trust| trust.score);
    trust.min_by(f64::total_cmp).map_or(0.5, |trust| 1.0 - trust)
}

/// Whether anything is known of one of the files: something in it is related to another, or commits touched it.
pub fn is_known(ctx: &Ctx<'_>, graph: &Graph, paths: &[&str]) -> Result<bool, Fault> {
    let is_other = |path: &str, node: NodeIx| graph.node(node).path() != path;
    let is_related = |path: &&str| {
        graph.nodes_in(path).any(|node| {
            let mut out = graph.outgoing(node).filter(|edge| DEPENDS.contains(&edge.kind));
            let mut back = graph.incoming(node).filter(|edge| DEPENDS.contains(&edge.kind));
            out.any(|edge| is_other(path, edge.target)) || back.any(|edge| is_other(path, edge.source))
        })
    };
    if paths.iter().any(is_related) {
        return Ok(true);
    }
    let past = ctx.past()?;
    let code = |path: &&str| graph.node_by_path(path).is_some_and(|ix| !graph.node(ix).language().is_empty());
    let mut code = paths.iter().filter(|path| code(path));
    Ok(code.any(|path| past.log.entries.iter().any(|entry| entry.files.iter().any(|file| file == path))))
}

/// The path that a step names, as the graph has it. What is to be created need not be there yet.
pub fn path(ctx: &Ctx<'_>, argument: &str, path: &str, must_exist: bool) -> Result<RelPath, Fault> {
    let root = ctx.workspace()?.root();
    let found = if must_exist { root.locate(path) } else { root.relative(path) };
    let found = found.map_err(|err| from_vfs::path(ctx.tool(), argument, err))?;
    if root.kind(&found).is_ok_and(|kind| kind == Kind::Folder) {
        let path = found.as_str();
        return Err(
            ctx.invalid(format!("`{argument}`: {path} is a folder; name its files, one action each."))
        );
    }
    Ok(found)
}
