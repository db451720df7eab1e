//! `cross_verify`: the graph against the disk.

use std::collections::BTreeSet;

use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, Trim};
use m1nd_runtime::faults;
use m1nd_runtime::flows::survey::is_within;
use m1nd_runtime::flows::verify;
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct CrossVerify;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Folder or file to check
    scope: Option<String>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// agrees, or differs when a file or definition is not as the graph says.
    verdict: &'static str,
    /// Generation that was checked, as it was before any refresh.
    generation: u64,
    /// Files that count.
    files_on_disk: u64,
    /// Files in the graph.
    files_in_graph: u64,
    /// On disk and not in the graph.
    missing: List,
    /// In the graph and not on disk.
    gone: List,
    /// Changed since the graph was made, by size, time or content.
    changed: List,
    /// Files whose content was compared with what was read.
    contents_compared: u64,
    /// Generation that holds what was missing, gone or changed: it was read after the check.
    #[serde(skip_serializing_if = "Option::is_none")]
    refreshed: Option<u64>,
    /// Definitions compared with their lines.
    definitions_checked: u64,
    /// Those whose lines do not hold their name.
    misplaced: List,
    /// Calls compared with their line.
    calls_checked: u64,
    /// Those whose line does not hold the name called, though their file does: aliases.
    renamed_calls: u64,
    /// Those whose file does not hold the name called: re-exports, decorators, or wrong edges.
    unsaid_calls: List,
}

/// How many, and the first of them.
#[derive(Debug, JsonSchema, Serialize)]
pub struct List {
    total: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    first: Vec<String>,
}

/// Items of each list; a budget may leave fewer.
const SHOWN: usize = 10;

impl List {
    fn of(all: Vec<String>) -> Self {
        let total = all.len() as u64;
        Self { total, first: all.into_iter().take(SHOWN).collect() }
    }
}

impl Tool for CrossVerify {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "cross_verify",
        summary: "Check the graph against the files on disk: files missing, gone or changed, definitions and calls that their lines do not bear out.",
        help: "Looks at the graph as it is, before the refresh that other graph tools make first. Every file's content, every definition and every call is checked, not a sample; \
            files that changed are listed, and then read again.",
        intents: &["is the graph right", "stale graph", "verify graph", "consistency"],
        needs: Needs::Graph,
        budget: Some(6_000),
        family: Family::Recover,
        examples: &[Example { says: "Everything", arguments: "{}" }],
        lean: true,
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let workspace = ctx.workspace()?;
        let root = workspace.root();
        let scope = ctx.scope(input.scope.as_deref())?;
        let scope = scope.as_str();
        let view = workspace.view();
        let graph = view.graph().cloned().ok_or_else(|| ctx.no_graph())?;
        let mut found = workspace.differences(&view, ctx.cancel()).map_err(faults::stopped)?;
        let differing: Vec<String> =
            [&found.missing, &found.gone, &found.changed].into_iter().flatten().cloned().collect();
        for list in [&mut found.missing, &mut found.gone, &mut found.changed] {
            list.retain(|path| is_within(path, scope));
        }
        let differs: BTreeSet<&str> = found.changed.iter().chain(&found.gone).map(String::as_str).collect();
        let checked = verify::check(&graph, root, scope, |path| !differs.contains(path), ctx.cancel())
            .map_err(faults::stopped)?;
        let files_differ = !(found.missing.is_empty() && found.gone.is_empty() && found.changed.is_empty());
        let agrees = !files_differ && checked.misplaced.is_empty();
        let is_imported = view.imported_from().is_some();
        let refreshed = if differing.is_empty() || is_imported {
            None
        } else {
            let report =
                workspace.reread(&differing, ctx.runtime().clock(), ctx.cancel()).map_err(faults::stopped)?;
            Some(report.generation)
        };
        let guidance = match (files_differ, is_imported) {
            (false, _) => Guidance::default(),
            (true, true) => Guidance::next("ingest", ".", "The graph was imported; ingest reads the files."),
            (true, false) => Guidance::hint("What differs was read again; the next answers hold it."),
        };
        let output = Output {
            verdict: if agrees { "agrees" } else { "differs" },
            generation: graph.generation(),
            files_on_disk: found.files_on_disk,
            files_in_graph: found.files_in_graph,
            missing: List::of(found.missing),
            gone: List::of(found.gone),
            changed: List::of(found.changed),
            contents_compared: found.compared,
            refreshed,
            definitions_checked: checked.definitions,
            misplaced: List::of(checked.misplaced),
            calls_checked: checked.calls,
            renamed_calls: checked.renamed,
            unsaid_calls: List::of(checked.unsaid),
        };
        Ok(Answer::of(output).next(guidance))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        let lists = [
            &mut self.unsaid_calls,
            &mut self.misplaced,
            &mut self.missing,
            &mut self.gone,
            &mut self.changed,
        ];
        let mut dropped = 0;
        for list in lists {
            if dropped < excess {
                dropped += drop_tail(&mut list.first, excess - dropped);
            }
        }
        dropped > 0
    }
}
