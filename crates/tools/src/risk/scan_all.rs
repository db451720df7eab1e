//! `scan_all`: every pattern of `scan` at once, in short.

use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_runtime::flows::scan::{self, Pattern, Status};
use m1nd_runtime::flows::survey::is_within;
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct ScanAll;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Folder or file to keep to
    scope: Option<String>,
}

/// One pattern.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Row {
    pattern: &'static str,
    confirmed: u64,
    mitigated: u64,
    files_scanned: u64,
    /// The first confirmed ones: place, and what was seen.
    first: Vec<String>,
    /// Files in languages where the pattern is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_supported: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    no_data: Option<&'static str>,
    /// Files that there was no time for.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_read: Option<u64>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    patterns: Vec<Row>,
    truncated: bool,
}

/// Places that are shown of each.
const SHOWN: usize = 3;

impl Tool for ScanAll {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "scan_all",
        summary: "All patterns of scan at once: how many places each has, and the first ones.",
        help: "See `scan` for what each pattern means and where it is known.",
        intents: &["scan everything", "code health check", "find problems"],
        needs: Needs::Graph,
        budget: Some(5_000),
        fresh: true,
        lean: true,
        family: Family::Orient,
        examples: &[Example { says: "The whole workspace", arguments: "{}" }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let scope = ctx.scope(input.scope.as_deref())?;
        let at = ctx.graph_view()?;
        let mut patterns = Vec::new();
        for pattern in Pattern::ALL {
            let found = scan::scan(ctx, &at.graph, pattern, &|path| is_within(path, &scope))?;
            let some = |count: usize| Some(count as u64).filter(|&count| count > 0);
            let confirmed = found.findings.iter().filter(|one| one.status == Status::Confirmed);
            patterns.push(Row {
                pattern: pattern.name(),
                confirmed: found.count(Status::Confirmed),
                mitigated: found.count(Status::Mitigated),
                files_scanned: found.files as u64,
                first: confirmed.take(SHOWN).map(|one| format!("{} {}", one.at, one.what)).collect(),
                not_supported: some(found.not_supported.values().sum()),
                no_data: found.no_data,
                not_read: some(found.not_read),
            });
        }
        let total = patterns.iter().map(|row| row.confirmed).sum();
        let most = patterns.iter().max_by_key(|row| row.confirmed).filter(|row| row.confirmed > 0);
        let guidance = match most {
            Some(row) => Guidance::next("scan", row.pattern, "See all places of a pattern."),
            None => Guidance::hint("Nothing was confirmed where the patterns are known."),
        };
        let output = Output { patterns, truncated: false };
        Ok(Answer::of(output).candidates(total).proof(ProofState::Triaging).next(guidance))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        let mut dropped = 0;
        for row in self.patterns.iter_mut().rev() {
            dropped += drop_tail(&mut row.first, excess.saturating_sub(dropped));
        }
        dropped > 0 || drop_tail(&mut self.patterns, excess) > 0
    }
}
