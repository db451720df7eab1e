//! Immunity: where the workspace looks like a bug that was confirmed before.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_contract::{Code, Fault, Recovery};
use m1nd_graph::{Graph, NodeIx};
use m1nd_ingest::scan;
use m1nd_risk::antibody::{
    ExtractError, Found, MAX_STEPS, MIN_SPECIFICITY, Pattern, Sources, Wanted, extract, search, specificity,
};
use m1nd_stdx::clock::UnixMs;
use m1nd_vfs::{Root, read};
use serde_json::json;

use super::texts::words;
use crate::ctx::Ctx;
use crate::faults;
use crate::workspace::{Antibody, AntibodyError, Severity};

/// All patterns of one scan share so many steps.
const MAX_STEPS_OF_ALL: u64 = 20_000_000;

/// The words of nodes; each file is read once.
pub struct Words<'a> {
    root: &'a Root,
    texts: BTreeMap<String, Option<String>>,
}

impl<'a> Words<'a> {
    pub fn of(root: &'a Root) -> Self {
        Self { root, texts: BTreeMap::new() }
    }

    /// A whole file; nothing where it cannot be read.
    pub fn text(&mut self, path: &str) -> Option<&str> {
        let read = || {
            let bytes = scan::read(self.root, path).ok()?;
            read::decode(&bytes).map(|(text, _)| text)
        };
        self.texts.entry(path.to_owned()).or_insert_with(read).as_deref()
    }

    /// The lines of a node.
    fn lines(&mut self, graph: &Graph, node: NodeIx) -> Option<impl Iterator<Item = &str>> {
        let node = graph.node(node);
        let (first, last) = node.lines();
        let wanted = (last.saturating_sub(first) as usize).saturating_add(1);
        let lines = self.text(node.path())?.lines();
        Some(lines.skip(first.saturating_sub(1) as usize).take(wanted))
    }

    /// A file with the lines of its functions left empty.
    pub fn statements(&mut self, graph: &Graph, path: &str) -> Option<String> {
        let functions: Vec<(u32, u32)> = graph
            .nodes_in(path)
            .filter(|&ix| graph.node(ix).kind().is_callable())
            .map(|ix| graph.node(ix).lines())
            .collect();
        let is_inside = |line: u32| functions.iter().any(|&(first, last)| first <= line && line <= last);
        let lines = self.text(path)?.lines().zip(1_u32..);
        Some(lines.map(|(text, line)| if is_inside(line) { "" } else { text }).collect::<Vec<_>>().join("\n"))
    }

    /// The source of a node.
    pub fn body(&mut self, graph: &Graph, node: NodeIx) -> Option<String> {
        Some(self.lines(graph, node)?.collect::<Vec<_>>().join("\n"))
    }
}

impl Sources for Words<'_> {
    fn mentions(&mut self, graph: &Graph, node: NodeIx, name: &str) -> bool {
        let lines = self.lines(graph, node);
        lines.is_some_and(|mut lines| lines.any(|line| words(line).any(|word| word == name)))
    }
}

/// One place that an antibody fits.
#[derive(Clone, Copy, Debug)]
pub struct Hit<'a> {
    pub antibody: &'a Antibody,
    pub node: NodeIx,
}

/// What a scan found.
#[derive(Debug, Default)]
pub struct Scan<'a> {
    /// The worst and most specific first.
    pub hits: Vec<Hit<'a>>,
    /// Antibodies that were not looked for everywhere because steps ran out.
    pub cut: Vec<&'a str>,
    pub steps: u64,
}

/// Looks for all of them.
pub fn scan<'a>(ctx: &Ctx<'_>, graph: &Graph, antibodies: &'a [Antibody]) -> Result<Scan<'a>, Fault> {
    let mut words = Words::of(ctx.workspace()?.root());
    let mut done = Scan::default();
    for antibody in antibodies {
        if let Some(stop) = ctx.cancel().stop() {
            return Err(faults::stopped(stop));
        }
        let left = MAX_STEPS_OF_ALL.saturating_sub(done.steps).min(MAX_STEPS);
        let found = search(graph, &antibody.pattern, &mut words, left);
        done.steps += found.steps;
        if found.is_cut {
            done.cut.push(&antibody.id);
        }
        done.hits.extend(found.centres.into_iter().map(|node| Hit { antibody, node }));
    }
    done.hits.sort_by(|a, b| {
        b.antibody
            .severity
            .cmp(&a.antibody.severity)
            .then(b.antibody.specificity.total_cmp(&a.antibody.specificity))
            .then_with(|| a.antibody.id.cmp(&b.antibody.id))
            .then(a.node.cmp(&b.node))
    });
    Ok(done)
}

/// What fits in each file.
#[derive(Clone, Debug, Default)]
pub struct ByFile {
    pub counts: BTreeMap<NodeIx, u32>,
    /// Files where a critical one fits.
    pub critical: BTreeSet<NodeIx>,
}

/// The same for all antibodies; nothing where there are none to look for.
pub fn by_file(ctx: &Ctx<'_>, graph: &Graph) -> Result<Option<ByFile>, Fault> {
    let antibodies = all(ctx)?;
    if antibodies.is_empty() {
        return Ok(None);
    }
    let found = scan(ctx, graph, &antibodies)?;
    let worst = found.hits.iter().filter(|hit| hit.antibody.severity == Severity::Critical);
    let critical = worst.filter_map(|hit| graph.node_by_path(graph.node(hit.node).path())).collect();
    Ok(Some(ByFile { counts: count(graph, &found), critical }))
}

/// How many places of each file an antibody fits.
pub fn count(graph: &Graph, found: &Scan<'_>) -> BTreeMap<NodeIx, u32> {
    let mut counts: BTreeMap<NodeIx, u32> = BTreeMap::new();
    for hit in &found.hits {
        if let Some(file) = graph.node_by_path(graph.node(hit.node).path()) {
            *counts.entry(file).or_default() += 1;
        }
    }
    counts
}

/// Every antibody of the workspace, oldest first.
pub fn all(ctx: &Ctx<'_>) -> Result<Vec<Antibody>, Fault> {
    ctx.workspace()?.antibodies().map_err(|err| faults::from_vfs::io("antibodies.json", &err))
}

/// What an antibody is to be made of.
pub struct Request<'a> {
    pub name: &'a str,
    pub description: &'a str,
    pub severity: Severity,
    pub centre: NodeIx,
    pub wanted: Wanted<'a>,
    pub replaces: Option<&'a str>,
    pub now: UnixMs,
}

/// An antibody, and what it fits now.
pub struct Made {
    pub antibody: Antibody,
    pub found: Found,
    pub population: usize,
}

/// Makes one and keeps it.
pub fn create(ctx: &Ctx<'_>, graph: &Graph, request: &Request<'_>) -> Result<Made, Fault> {
    let workspace = ctx.workspace()?;
    let mut words = Words::of(workspace.root());
    let pattern = extract(graph, request.centre, &request.wanted, &mut words)
        .map_err(|err| ctx.invalid(not_extracted(&err)))?;
    let (found, population, specificity) = measure(ctx, graph, &pattern, &mut words)?;
    let antibody = Antibody {
        id: String::new(),
        name: request.name.to_owned(),
        description: request.description.to_owned(),
        severity: request.severity,
        pattern,
        source: graph.node(request.centre).id().to_owned(),
        specificity,
        created: request.now,
    };
    let antibody = workspace.add_antibody(antibody, request.replaces).map_err(|err| not_kept(ctx, err))?;
    Ok(Made { antibody, found, population })
}

fn measure(
    ctx: &Ctx<'_>,
    graph: &Graph,
    pattern: &Pattern,
    words: &mut Words<'_>,
) -> Result<(Found, usize, f64), Fault> {
    let found = search(graph, pattern, words, MAX_STEPS);
    if found.is_cut {
        return Err(ctx.invalid(format!(
            "The pattern needs more than {MAX_STEPS} steps to look for. Name something rarer in `with`."
        )));
    }
    let population = pattern.population(graph);
    let share = specificity(found.centres.len(), population).unwrap_or_default();
    if share < MIN_SPECIFICITY {
        return Err(ctx.invalid(format!(
            "The pattern fits {} of {population} nodes of its kind, so it tells nothing (specificity {share:.2}, at least \
             {MIN_SPECIFICITY}). Name in `with` what the bug used, or in `without` what it lacked.",
            found.centres.len()
        )));
    }
    Ok((found, population, share))
}

fn not_extracted(err: &ExtractError) -> String {
    let advice = match err {
        ExtractError::NotThere(_) => "See `callees` for what the node uses.",
        ExtractError::TooLarge => "Name fewer things in `with`.",
        ExtractError::NothingShared => "Name in `with` words of its source, or in `without` what it lacked.",
    };
    format!("No pattern can be made: {err}. {advice}")
}

fn not_kept(ctx: &Ctx<'_>, err: AntibodyError) -> Fault {
    let message = err.to_string();
    match err {
        AntibodyError::Duplicate { .. } => Fault::new(
            Code::Conflict,
            format!("Not kept: {message}."),
            Recovery::call(
                "Look for the one that is there, or name it in `replaces`.",
                "antibody_scan",
                json!({}),
            ),
        ),
        AntibodyError::Full => {
            ctx.invalid(format!("Not kept: {message}. Name in `replaces` one that is of no use."))
        }
        AntibodyError::Unknown(_) => ctx.invalid(format!("{message}. See `antibody_list`.")),
        AntibodyError::Io(err) => faults::from_vfs::io("antibodies.json", &err),
    }
}
