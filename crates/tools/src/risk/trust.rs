//! `trust`: how far files can be trusted, by the defects of their past.

use m1nd_contract::arg::Int;
use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_graph::NodeKind;
use m1nd_runtime::flows::ledger;
use m1nd_runtime::flows::survey::is_within;
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use m1nd_stdx::round::round3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct Trust;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Folder or file to keep to
    scope: Option<String>,
    /// 1-200
    #[schemars(extend("default" = 20))]
    limit: Option<Int>,
}

/// One file.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Row {
    file_path: String,
    /// 0 to 1; a half is what the mean file has.
    trust_score: f64,
    /// Times as many defects as the mean file, at most 3.
    risk_multiplier: f64,
    /// How likely its next change is a fix.
    defect_prior: f64,
    fixes: u32,
    /// Defects that were told: verified findings of bug hunts, and answers that `learn` was told are wrong.
    #[serde(skip_serializing_if = "is_zero")]
    told: u32,
    changes: u32,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// Least trusted first.
    modules: Vec<Row>,
    /// Files with a past.
    total: u64,
    /// Files of which nothing is known; their score is 0.5.
    without_data: u64,
    /// Commits it was made of.
    commits: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    no_data: Option<&'static str>,
    truncated: bool,
}

/// What would tell files apart.
const NO_FIXES: &str = "no_data: no commit since the first says that it fixed something here, and nobody told of a defect. Commits that name fixes, `learn` with wrong, or verified mission claims would provide it.";

impl Tool for Trust {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "trust",
        summary: "Which files had the most defects, from the fixes in git history: trust score, times the mean, likelihood that the next change is a fix.",
        help: "A fix is a commit whose first line says fix, bug, regression or revert; each counts 1 when new, half after 720 hours, never less than 0.3. So does a verified claim of a bug hunt that says a defect; an answer that learn was told is wrong counts its strength. With the mean of all files as a prior worth a quarter of the past, \
            risk_multiplier is the file's defects over the mean (at most 3), trust_score = 1/(1+risk_multiplier), defect_prior = share of fixes among all changes times risk_multiplier (at most 0.95). \
            A file younger than the history is taken to have been watched for that part of it. Tests are left out. Fixes of typos, words, style, lints and documents do not count, nor does the first commit of all. Time counts back from the newest commit. Commits of more than 50 files are left out.",
        intents: &["which files are buggy", "trust score", "defect history", "risky files"],
        needs: Needs::Graph,
        budget: Some(4_000),
        fresh: true,
        lean: true,
        family: Family::Relate,
        examples: &[Example { says: "The least trusted files", arguments: "{}" }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let limit = ctx.in_range("limit", input.limit, 1..=200)?.unwrap_or(20);
        let scope = ctx.scope(input.scope.as_deref())?;
        let at = ctx.graph_view()?;
        let known = ledger::of(ctx, &at.graph)?;
        let files =
            at.graph.nodes().filter(|node| node.kind() == NodeKind::File && !node.language().is_empty());
        let (mut modules, mut without_data) = (Vec::new(), 0);
        let mut files_in_scope = Vec::new();
        for node in files.filter(|node| is_within(node.path(), &scope)) {
            files_in_scope.push(node.path());
            let record = known.ledger.record(node.path());
            let Some((trust, record)) = known.ledger.trust(node.path()).zip(record) else {
                without_data += 1;
                continue;
            };
            modules.push(Row {
                file_path: node.path().to_owned(),
                trust_score: round3(trust.score),
                risk_multiplier: round3(trust.multiplier),
                defect_prior: round3(trust.prior),
                fixes: record.fixes,
                told: record.told,
                changes: record.changes,
            });
        }
        modules.sort_by(|a, b| {
            a.trust_score
                .total_cmp(&b.trust_score)
                .then(b.fixes.cmp(&a.fixes))
                .then(b.changes.cmp(&a.changes))
                .then_with(|| a.file_path.cmp(&b.file_path))
        });
        let is_tests = files_in_scope.iter().all(|path| ledger::is_test(&at.graph, path));
        let total = modules.len() as u64;
        modules.truncate(usize::try_from(limit).unwrap_or(20));
        let guidance = match modules.first() {
            Some(first) => {
                Guidance::next("outline", first.file_path.clone(), "See what is in the least trusted file.")
            }
            None if without_data > 0 && known.ledger.changes() > 0 && is_tests => Guidance::hint(
                "Only tests are in that scope. Their past is left out: what a fix changes there was no defect.",
            ),
            None if known.commits > 0 => Guidance::hint(
                "No commit since the first says that it fixed something; nothing can be told apart.",
            ),
            None => Guidance::hint("Without a git history nothing is known of defects."),
        };
        let truncated = total > modules.len() as u64;
        let commits = known.commits as u64;
        let guidance =
            guidance.with_rest(modules.len(), total, "a higher one (to 200) shows more, `scope` a part");
        let nothing = (total == 0 && !is_tests).then_some(NO_FIXES);
        let no_data = known.no_data().or(nothing);
        let output = Output { modules, total, without_data, commits, no_data, truncated };
        Ok(Answer::of(output).candidates(total).proof(ProofState::Triaging).next(guidance))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.modules, excess) > 0
    }
}
