//! `antibody_list`: the patterns of bugs that are known here.

use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, Trim};
use m1nd_runtime::flows::immunity::{self, Scan};
use m1nd_runtime::workspace::Antibody;
use m1nd_runtime::{Answer, Ctx, Example, Spec, Tool};
use m1nd_stdx::round::round4;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct AntibodyList;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {}

/// One pattern.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Row {
    antibody_id: String,
    name: String,
    /// info, warning or critical.
    severity: &'static str,
    /// In words.
    pattern: String,
    /// When it was made.
    specificity: f64,
    /// Places that it fits now, as antibody_scan finds them; absent where nothing is ingested.
    #[serde(skip_serializing_if = "Option::is_none")]
    matches: Option<u64>,
    /// Set where its steps ran out, so that there may be more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
    /// The node that had the bug.
    source: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    description: String,
    created_ms: i64,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// Newest first.
    antibodies: Vec<Row>,
    total: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    no_data: Option<&'static str>,
    truncated: bool,
}

/// What to say where none was kept.
pub(super) const NONE: &str = "no_data: no antibody was kept here. antibody_create keeps one.";

impl Tool for AntibodyList {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "antibody_list",
        summary: "The patterns of confirmed bugs that are kept for this workspace, and how many places each fits now.",
        intents: &["list bug patterns", "known bug patterns", "antibodies"],
        budget: Some(6_000),
        lean: true,
        examples: &[Example { says: "All", arguments: "{}" }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, _: Input) -> Result<Answer<Output>, Fault> {
        let kept = immunity::all(ctx)?;
        let at = if kept.is_empty() { None } else { ctx.graph_if_any()? };
        let found = at.as_ref().map(|at| immunity::scan(ctx, &at.graph, &kept)).transpose()?;
        let antibodies: Vec<Row> = kept.iter().rev().map(|one| row(one, found.as_ref())).collect();
        let total = antibodies.len() as u64;
        let (no_data, hint) = match total {
            0 => {
                (Some(NONE), Guidance::hint("Keep the pattern of the next bug you confirm: antibody_create."))
            }
            _ => (
                None,
                Guidance {
                    next_suggested_tool: Some("antibody_scan"),
                    next_suggested_target: None,
                    next_step_hint: None,
                },
            ),
        };
        let output = Output { antibodies, total, no_data, truncated: false };
        Ok(Answer::of(output).candidates(total).next(hint))
    }
}

fn row(one: &Antibody, found: Option<&Scan<'_>>) -> Row {
    let fits = |found: &Scan<'_>| found.hits.iter().filter(|hit| hit.antibody.id == one.id).count() as u64;
    Row {
        antibody_id: one.id.clone(),
        name: one.name.clone(),
        severity: one.severity.name(),
        pattern: one.pattern.to_string(),
        specificity: round4(one.specificity),
        matches: found.map(fits),
        cut: found.is_some_and(|found| found.cut.contains(&one.id.as_str())),
        source: one.source.clone(),
        description: one.description.clone(),
        created_ms: one.created.0,
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.antibodies, excess) > 0
    }
}
