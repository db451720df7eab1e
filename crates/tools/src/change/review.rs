//! `review`: one call for a whole change set.

use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_graph::change::ChangedFile;
use m1nd_runtime::flows::review::{self, Finding, Reviewer, Subject, TestFile};
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use m1nd_stdx::round::round3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct Review;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Git ref to compare the files with, from where HEAD left it [default: the default branch]
    base: Option<String>,
    /// Instead: a unified diff, or a git range such as HEAD~1..HEAD
    diff: Option<String>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// The commit that was compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<String>,
    /// Commits since then.
    commits: u64,
    changed_files: u64,
    lines_added: u64,
    lines_removed: u64,
    /// 0 to 1.
    risk_score: f64,
    /// low, medium, high or critical.
    risk_level: &'static str,
    /// The worst first.
    findings: Vec<Finding>,
    /// Findings in all.
    total: u64,
    /// Files of tests that reach the change, the nearest first.
    tests: Vec<TestFile>,
    /// Who knows the changed files best; whoever made the change comes last.
    reviewers: Vec<Reviewer>,
    /// path, what happened, lines added and removed.
    files: Vec<String>,
    /// What could not be looked at, and what would provide it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    no_data: Vec<String>,
    truncated: bool,
}

const MAX_TESTS: usize = 15;
const MAX_FILES: usize = 50;

impl Tool for Review {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "review",
        summary: "Review a change set in one call: calls that a new signature breaks, removed names still in use, files that are missing, changed functions without a test, layers, known bugs, reviewers, risk.",
        help: "Compares the files as they are with where HEAD left `base`. A git range is judged among the files that it ends with. A unified diff is looked at as applied: where the files are as before it, in the graph that it would make, with the lines of then. Kinds: syntax_error (high: the file parsed before; medium where the grammar of TypeScript may be at fault), removed_but_used (critical for a file that others still import; high; medium for a method whose receivers are not known, for a field that is read of something unknown, for a constant that no line imports, and for a name that more than 50 lines say and nothing proves; low counts what was too much to be looked for), broken_import (critical: a moved file whose imports lead nowhere from there; high: a name that a file no longer hands on, a new import of a module or a name that is not there, a name that is used without the import that went, what is asked for where a file's package or `__all__` had it before; medium where a build, a macro or a base class may bring it), signature_change (high where calls that were not touched do not fit: by what they give, by async or context manager in Python, by the number of results in Go, by a property that became a method or the reverse where the receiver is known, by static, by constructors that came or went, and for types that lack what an interface or an abstract base demands; medium where that is not known, where a function is passed on as a value, and for another type of result; low where all calls fit), antibody (as it was made), missing_co_change (critical where a file uses what a diff that does not fit takes away; medium from an estimated 60 %, low from 40 %), \
            layer_violation (medium; only what the change adds), untested (medium where others use it). risk_score is the mean of: 1 - trust of the least trusted file; how likely a companion is missing; share of changed functions without a test; 0.75 for a high, 1 for a critical finding; risk_level is at least medium with a high finding and at least high with a critical one. \
            Not checked: types of arguments, what other repositories use, interfaces of Go that no line names for a type, visibility, what is reached by name at run time, a type given where a base that it lost is asked for, `final`, `abstract`, an interface that became a class, checked exceptions, values of variants and literals of structs that lack a new field, how many values a tuple of Python has, its methods with two underscores and fixtures, fields of interfaces whose name others have, and a name that files for other builds also give. Reviewers: authors of earlier commits of the files, a commit counting half after 180 days.",
        intents: &[
            "review my changes",
            "before committing",
            "check the pull request",
            "who should review",
            "what did I break",
        ],
        needs: Needs::Graph,
        budget: Some(6_000),
        fresh: true,
        lean: true,
        family: Family::Plan,
        examples: &[Example {
            says: "A diff",
            arguments: r#"{"diff": "--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -1 +1 @@\n-a\n+b\n"}"#,
        }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let subject = match (&input.base, &input.diff) {
            (Some(_), Some(_)) => return Err(ctx.invalid("Give `base` or `diff`, not both.")),
            (None, Some(diff)) => Subject::Diff(diff),
            (base, None) => Subject::Since(base.as_deref()),
        };
        let at = ctx.graph_view()?;
        let found = review::run(ctx, &at, subject)?;
        let (added, removed) = found.files.iter().fold((0, 0), |(added, removed), file| {
            (added + u64::from(file.added), removed + u64::from(file.removed))
        });
        let total = found.findings.len() as u64;
        let (proof, guidance) = match (found.findings.first(), found.files.is_empty()) {
            (_, true) => {
                let hint = match review::has_earlier_commit(ctx)? {
                    true => {
                        "Nothing differs. For the last commit give diff: HEAD~1..HEAD; for a branch, the base that it left."
                    }
                    false => "Nothing differs. Change something first, or give the change as a unified diff.",
                };
                (ProofState::Blocked, Guidance::hint(hint))
            }
            (Some(first), false) => {
                let place = first.places.first().unwrap_or(&first.at).clone();
                (ProofState::Triaging, Guidance::next("view", place, "Look at what is most likely wrong."))
            }
            (None, false) if found.no_data.iter().any(|why| why.contains("neither is applied nor fits")) => {
                let hint = "Nothing was found, but the diff does not fit what the files hold now, so that most could not be checked: see no_data. Give it as a git range, or against the files as they are.";
                (ProofState::Triaging, Guidance::hint(hint))
            }
            (None, false) => {
                let hint = "Nothing stands out. Run the tests that reach the change.";
                (ProofState::Proving, Guidance::hint(hint))
            }
        };
        let mut tests = found.tests;
        let truncated = tests.len() > MAX_TESTS || found.files.len() > MAX_FILES;
        let mut guidance = guidance;
        if truncated {
            let shown = |what: &str, all: usize, most: usize| format!("{} of {all} {what}", all.min(most));
            guidance.add(&format!(
                "Listed are {} and {}; `impact` with the change as `diff` goes through all that it reaches.",
                shown("tests", tests.len(), MAX_TESTS),
                shown("files", found.files.len(), MAX_FILES)
            ));
        }
        tests.truncate(MAX_TESTS);
        // Risk of nothing is none.
        let risk = if found.files.is_empty() { 0.0 } else { found.risk };
        let output = Output {
            base: found.base.map(|id| id.chars().take(12).collect()),
            commits: found.commits.len() as u64,
            changed_files: found.files.len() as u64,
            lines_added: added,
            lines_removed: removed,
            risk_score: round3(risk),
            risk_level: review::level(risk, &found.findings),
            findings: found.findings,
            total,
            tests,
            reviewers: found.reviewers,
            files: found.files.iter().take(MAX_FILES).map(shown).collect(),
            no_data: found.no_data,
            truncated,
        };
        Ok(Answer::of(output).candidates(total).proof(proof).next(guidance))
    }
}

fn shown(file: &ChangedFile) -> String {
    let was = file.was.as_ref().map_or_else(String::new, |was| format!(" from {was}"));
    format!("{} {}{was} +{} -{}", file.path, file.how.name(), file.added, file.removed)
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.files, excess) > 0
            || drop_tail(&mut self.tests, excess) > 0
            || drop_tail(&mut self.reviewers, excess) > 0
            || drop_tail(&mut self.findings, excess) > 0
            || drop_tail(&mut self.no_data, excess) > 0
    }
}
