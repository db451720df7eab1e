//! `scan`: places of one suspicious pattern, judged on the graph.

use m1nd_contract::arg::Int;
use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_runtime::flows::scan::{self, Finding, Pattern, Status};
use m1nd_runtime::flows::survey::is_within;
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Saves, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct Scan;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What to look for
    pattern: Pattern,
    /// Folder or file to keep to
    scope: Option<String>,
    /// Show false_positive ones, too
    #[serde(default)]
    include_all: bool,
    /// 1-500
    #[schemars(extend("default" = 30))]
    limit: Option<Int>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    pattern: &'static str,
    /// Confirmed ones first, then those that more rests on.
    findings: Vec<Finding>,
    confirmed: u64,
    mitigated: u64,
    false_positive: u64,
    files_scanned: u64,
    /// Languages in which the pattern is not known, as language: files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_supported: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    no_data: Option<&'static str>,
    /// Files that there was no time for.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_read: Option<u64>,
    truncated: bool,
}

impl Tool for Scan {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "scan",
        summary: "Look for one suspicious pattern in the code of the product, judged on the graph as confirmed, mitigated or false_positive.",
        help: "error_handling: exceptions that are dropped (Python, JavaScript, TypeScript, Java), errors assigned to nothing (Go, Rust; confirmed where what is called returns one). resource_cleanup: things opened and not closed (Python, Go, Java, JavaScript). \
            concurrency: asynchronous functions of the workspace called and not awaited (Python, JavaScript, TypeScript, Rust). state_mutation: variables of a module that functions change without a lock (as flow_simulate). \
            api_surface: public functions of six lines or more without documentation that other files use. test_coverage: functions of six lines or more that no test leads to. auth_boundary: routes whose handlers check nobody (confirmed where they change something and other handlers check). \
            dependency_injection: constructors that make one of several implementations themselves. Tests, examples and generated code are left out. A finding is a place to read, not a proof.",
        intents: &[
            "find swallowed exceptions",
            "resource leaks",
            "missing await",
            "untested code",
            "unprotected routes",
            "code smells",
        ],
        needs: Needs::Graph,
        budget: Some(5_000),
        fresh: true,
        lean: true,
        saves: Saves::Search,
        family: Family::Relate,
        examples: &[Example { says: "Untested code", arguments: r#"{"pattern": "test_coverage"}"# }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let limit = ctx.in_range("limit", input.limit, 1..=500)?.unwrap_or(30);
        let scope = ctx.scope(input.scope.as_deref())?;
        let at = ctx.graph_view()?;
        let found = scan::scan(ctx, &at.graph, input.pattern, &|path| is_within(path, &scope))?;
        let count = |status| found.count(status);
        let (confirmed, mitigated) = (count(Status::Confirmed), count(Status::Mitigated));
        let false_positive = count(Status::FalsePositive);
        let mut findings = found.findings;
        findings.retain(|one| input.include_all || one.status != Status::FalsePositive);
        let total = findings.len() as u64;
        findings.truncate(usize::try_from(limit).unwrap_or(30));
        let (proof, guidance) = match findings.first() {
            Some(first) => {
                (ProofState::Triaging, Guidance::next("view", first.at.clone(), "Read the first place."))
            }
            None if found.no_data.is_some() => {
                (ProofState::Blocked, Guidance::hint("Nothing can be said; no_data says what would help."))
            }
            None => (ProofState::Proving, Guidance::hint("Nothing was found where the pattern is known.")),
        };
        let guidance =
            guidance.with_rest(findings.len(), total, "a higher one (to 500) shows more, `scope` a part");
        let output = Output {
            pattern: input.pattern.name(),
            truncated: total > findings.len() as u64,
            findings,
            confirmed,
            mitigated,
            false_positive,
            files_scanned: found.files as u64,
            not_supported: found
                .not_supported
                .iter()
                .map(|(name, files)| format!("{name}: {files}"))
                .collect(),
            no_data: found.no_data,
            not_read: Some(found.not_read as u64).filter(|&files| files > 0),
        };
        Ok(Answer::of(output).candidates(total).proof(proof).next(guidance))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.findings, excess) > 0 || drop_tail(&mut self.not_supported, excess) > 0
    }
}
