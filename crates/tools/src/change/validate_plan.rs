//! `validate_plan`: what a plan of edits leaves out.

use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_graph::NodeIx;
use m1nd_risk::plan::{self, Act, Step};
use m1nd_runtime::flows::planned::{self, Gap};
use m1nd_runtime::flows::{impact, ledger, predicted};
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use m1nd_stdx::round::round3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct ValidatePlan;

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ActionType {
    Modify,
    Create,
    Delete,
    Rename,
    Test,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Action {
    action_type: ActionType,
    /// The file; for rename its present path
    file_path: String,
    #[serde(default)]
    #[allow(dead_code)]
    /// What is to be done
    description: Option<String>,
    /// file_paths of actions that come first
    depends_on: Option<Vec<String>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What is to be done, file by file
    actions: Vec<Action>,
    #[schemars(extend("default" = true))]
    /// Say which tests reach the plan
    include_test_impact: Option<bool>,
    #[schemars(extend("default" = true))]
    /// Say how risky it is
    include_risk_score: Option<bool>,
}

/// Tests that reach the plan.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Coverage {
    /// Share of the changed files with code that a test reaches; absent where none has code.
    #[serde(skip_serializing_if = "Option::is_none")]
    tested: Option<f64>,
    /// Files of tests to run.
    tests: Vec<String>,
    /// Changed files that no test is known to reach.
    untested: Vec<String>,
}

/// A step that is missing.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Addition {
    action_type: &'static str,
    file_path: String,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// Files that are likely to need a change, and are not in the plan.
    gaps: Vec<Gap>,
    #[serde(skip_serializing_if = "Option::is_none")]
    risk_score: Option<f64>,
    /// low below 0.3, medium below 0.6, high below 0.8, else critical; at least high with a critical gap.
    #[serde(skip_serializing_if = "Option::is_none")]
    risk_level: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    test_coverage: Option<Coverage>,
    /// The gaps that are at least medium; the first thing that is left out where there is no room.
    suggested_additions: Vec<Addition>,
    /// Nodes that the plan reaches in three steps.
    blast_radius_total: u64,
    /// What is odd about the plan itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    /// What the answer could not take into account.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_data: Option<String>,
    truncated: bool,
}

/// A longer plan is several.
const MAX_ACTIONS: usize = 200;
const MAX_TESTS: usize = 15;
const NOTHING_KNOWN: &str = "no_data: no file of the plan is code with relations or commits on record, so nothing can be said of what it leaves out. Code that others use or that commits touched would provide it.";

const ONLY_TESTS: &str = "no_data: the plan runs tests and changes nothing, so nothing can be left out. Actions that modify, create, delete or rename files would provide it.";

impl Tool for ValidatePlan {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "validate_plan",
        summary: "Check a plan of edits before making them: files it forgets, tests to run, how risky it is.",
        help: "gaps: files that use what is deleted or renamed (critical), and files that change with the planned ones (as `predict`; signal_strength is the likelihood that any of them brings it along; high from 0.6, medium from 0.3). \
            risk_score = 0.25 (1 - trust of the least trusted file) + 0.5 (likelihood that something is left out) + 0.25 (share of files without a test). risk_level follows it, and is at least high with a critical gap and medium with a high one. Without a history there is no score, only the level of a critical gap.",
        intents: &["check my plan", "did I forget", "before editing", "plan of changes"],
        needs: Needs::Graph,
        budget: Some(6_000),
        fresh: true,
        lean: true,
        family: Family::Plan,
        examples: &[Example {
            says: "One edit",
            arguments: r#"{"actions": [{"action_type": "modify", "file_path": "src/lib.rs"}]}"#,
        }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        if input.actions.is_empty() || input.actions.len() > MAX_ACTIONS {
            return Err(ctx.invalid(format!("`actions` must have 1 to {MAX_ACTIONS} entries.")));
        }
        let steps = steps(ctx, &input.actions)?;
        if let Some(circle) = plan::circle(&steps) {
            return Err(ctx.invalid(format!("`depends_on` goes round in a circle: {}.", circle.join(", "))));
        }
        let at = ctx.graph_view()?;
        let graph = &at.graph;
        let touched = steps.iter().filter(|step| step.act != Act::Test).map(|step| step.path.as_str());
        let mut touched: Vec<&str> = touched.collect();
        touched.sort_unstable();
        touched.dedup();
        let mut no_data = predicted::no_data(ctx)?;
        let mut predictions = match no_data {
            None => predicted::companions(ctx, &at, &touched)?,
            Some(_) => Vec::new(),
        };
        predictions.retain(|one| steps.iter().all(|step| step.path != one.path));
        let goes = steps.iter().filter(|step| matches!(step.act, Act::Delete | Act::Rename));
        let files: Vec<NodeIx> = goes.filter_map(|step| graph.node_by_path(&step.path)).collect();
        let handed = impact::handed(ctx, graph, &files)?;
        let gaps = planned::gaps(graph, &handed, &steps, &predictions);
        let tested = plan::tested(graph, &steps);
        let known = ledger::of(ctx, graph)?;
        let is_known = planned::is_known(ctx, graph, &touched)?;
        if !is_known && gaps.is_empty() {
            let why = if touched.is_empty() { ONLY_TESTS } else { NOTHING_KNOWN };
            no_data = no_data.or_else(|| Some(why.to_owned()));
        }
        let risk = round3(planned::risk(&known, &steps, &gaps, &tested));
        let wanted = input.include_risk_score.unwrap_or(true);
        // A risk of files that nothing is known of would be made up, and most of it without a history, too.
        let scored = wanted && no_data.is_none() && (is_known || !gaps.is_empty());
        let worst = gaps.iter().filter_map(|gap| plan::Severity::parse(gap.severity)).max();
        let breaks = worst == Some(plan::Severity::Critical);
        let level = match scored {
            true => Some(plan::level_of(risk, worst)),
            // What breaks does so whatever commits say.
            false => (wanted && breaks).then(|| plan::level_of(0.0, worst)),
        };
        let additions = gaps.iter().filter(|gap| gap.severity != "low");
        let suggested_additions: Vec<Addition> = additions
            .map(|gap| Addition { action_type: "modify", file_path: gap.file_path.clone() })
            .collect();
        let mut tests: Vec<(&String, &usize)> = tested.tests.iter().collect();
        tests.sort_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.cmp(b.0)));
        let coverage = Coverage {
            tested: (tested.testable > 0)
                .then(|| round3(1.0 - tested.untested.len() as f64 / tested.testable as f64)),
            tests: tests.into_iter().take(MAX_TESTS).map(|(path, _)| path.clone()).collect(),
            untested: tested.untested.clone(),
        };
        let total = gaps.len() as u64;
        let first_planned = || steps.first().map(|step| step.path.clone()).unwrap_or_default();
        let (proof, guidance) = match gaps.first() {
            Some(first) if first.severity != "low" => {
                let hint = "Look at what the plan most likely forgets.";
                (ProofState::Triaging, Guidance::next("view", first.file_path.clone(), hint))
            }
            _ if !is_known => {
                let hint = "Nothing is known of these files: look at those that will use them.";
                (ProofState::Triaging, Guidance::hint(hint))
            }
            _ if no_data.is_some() => {
                let hint = "See whom a change reaches.";
                (ProofState::Triaging, Guidance::next("impact", first_planned(), hint))
            }
            _ => {
                let hint = "Nothing is likely to be missing from the plan: make it in one batch.";
                (ProofState::ReadyToEdit, Guidance::next("apply_batch", first_planned(), hint))
            }
        };
        let output = Output {
            gaps,
            risk_score: scored.then_some(risk),
            risk_level: level,
            test_coverage: input.include_test_impact.unwrap_or(true).then_some(coverage),
            suggested_additions,
            blast_radius_total: tested.reached as u64,
            notes: notes(ctx, &steps)?,
            no_data,
            truncated: tested.tests.len() > MAX_TESTS,
        };
        Ok(Answer::of(output).candidates(total).proof(proof).next(guidance))
    }
}

fn steps(ctx: &Ctx<'_>, actions: &[Action]) -> Result<Vec<Step>, Fault> {
    let mut steps = Vec::with_capacity(actions.len());
    for (at, action) in actions.iter().enumerate() {
        let act = match action.action_type {
            ActionType::Modify => Act::Modify,
            ActionType::Create => Act::Create,
            ActionType::Delete => Act::Delete,
            ActionType::Rename => Act::Rename,
            ActionType::Test => Act::Test,
        };
        let must_exist = matches!(act, Act::Modify | Act::Delete | Act::Rename);
        let path = planned::path(ctx, &format!("actions[{at}].file_path"), &action.file_path, must_exist)?;
        let after = action.depends_on.iter().flatten();
        let after = after.map(|path| planned::path(ctx, &format!("actions[{at}].depends_on"), path, false));
        let after =
            after.map(|path| path.map(|path| path.as_str().to_owned())).collect::<Result<Vec<_>, _>>()?;
        steps.push(Step { act, path: path.as_str().to_owned(), after });
    }
    for (at, step) in steps.iter().enumerate() {
        if let Some(unknown) = step.after.iter().find(|after| steps.iter().all(|other| other.path != **after))
        {
            return Err(ctx.invalid(format!(
                "`actions[{at}].depends_on`: no action of the plan is about {unknown:?}."
            )));
        }
    }
    Ok(steps)
}

fn notes(ctx: &Ctx<'_>, steps: &[Step]) -> Result<Vec<String>, Fault> {
    let root = ctx.workspace()?.root();
    let there = steps.iter().filter(|step| step.act == Act::Create && root.locate(&step.path).is_ok());
    Ok(there.map(|step| format!("{} is there already: to create it would replace it", step.path)).collect())
}

/// The gaps say what is wrong, and are the last to go; `suggested_additions` says the same again.
impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        if drop_tail(&mut self.suggested_additions, excess) > 0 {
            return true;
        }
        let coverage = self.test_coverage.as_mut();
        coverage.is_some_and(|coverage| {
            drop_tail(&mut coverage.tests, excess) > 0 || drop_tail(&mut coverage.untested, excess) > 0
        }) || drop_tail(&mut self.notes, excess) > 0
            || drop_tail(&mut self.gaps, excess) > 0
    }
}
