//! `tremor`: files whose changes speed up.

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

pub struct Tremor;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Folder or file to keep to
    scope: Option<String>,
    /// Least magnitude (0-1)
    #[schemars(extend("default" = 0.1))]
    min_magnitude: Option<f64>,
    /// 1-200
    #[schemars(extend("default" = 20))]
    limit: Option<Int>,
}

/// One file.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Row {
    file_path: String,
    /// 0 to 1.
    magnitude: f64,
    /// Second difference of the counts.
    acceleration: f64,
    trend: &'static str,
    /// Changes in three windows of 30 days, the oldest first.
    counts: [u32; 3],
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// Strongest first.
    tremors: Vec<Row>,
    total: u64,
    /// Files with fewer than three changes on record: nothing can be said of them.
    without_data: u64,
    commits: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    no_data: Option<&'static str>,
    truncated: bool,
}

const TOO_FEW: &str =
    "no_data: no file of code here has three changes on record. More commits would provide it.";

impl Tool for Tremor {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "tremor",
        summary: "Files whose changes speed up: the second difference of how often they changed in the last three months.",
        help: "Changes are counted in three windows of 30 days back from the newest commit or edit through m1nd (an edit is in the next commit of its file and counts until then); acceleration = newest - 2 middle + oldest. Where the newest window has more changes than the middle one, \
            magnitude = acceleration (at least 0, at most newest) / (all three + 3), else 0; so 1, 1, 4 changes give 3/9. A file needs three changes on record; its newest 256 are kept. trend: accelerating, steady or slowing.",
        intents: &["what is changing fast", "unstable files", "acceleration of changes", "hot files"],
        needs: Needs::Graph,
        budget: Some(4_000),
        fresh: true,
        lean: true,
        family: Family::Relate,
        examples: &[Example { says: "What speeds up", arguments: "{}" }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let limit = ctx.in_range("limit", input.limit, 1..=200)?.unwrap_or(20);
        let least = input.min_magnitude.unwrap_or(0.1);
        if !(0.0..=1.0).contains(&least) {
            return Err(ctx.invalid("`min_magnitude` must be from 0 to 1."));
        }
        let scope = ctx.scope(input.scope.as_deref())?;
        let at = ctx.graph_view()?;
        let known = ledger::of(ctx, &at.graph)?;
        let files =
            at.graph.nodes().filter(|node| node.kind() == NodeKind::File && !node.language().is_empty());
        let (mut tremors, mut looked_at, mut without_data) = (Vec::new(), 0, 0);
        for node in files.filter(|node| is_within(node.path(), &scope)) {
            looked_at += 1;
            let Some(tremor) = known.ledger.tremor(node.path()) else {
                without_data += 1;
                continue;
            };
            if tremor.magnitude >= least {
                tremors.push(Row {
                    file_path: node.path().to_owned(),
                    magnitude: round3(tremor.magnitude),
                    acceleration: tremor.acceleration,
                    trend: tremor.trend(),
                    counts: tremor.counts,
                });
            }
        }
        tremors.sort_by(|a, b| {
            b.magnitude
                .total_cmp(&a.magnitude)
                .then(b.counts[2].cmp(&a.counts[2]))
                .then_with(|| a.file_path.cmp(&b.file_path))
        });
        let total = tremors.len() as u64;
        tremors.truncate(usize::try_from(limit).unwrap_or(20));
        let has_data = looked_at > without_data;
        let no_data = if has_data { None } else { known.no_data().or(Some(TOO_FEW)) };
        let guidance = match tremors.first() {
            Some(first) => Guidance::next(
                "outline",
                first.file_path.clone(),
                "See what is in the file that speeds up most.",
            ),
            None if no_data.is_some() => {
                Guidance::hint("Nothing can be said of any file here; no_data says what would help.")
            }
            None => {
                Guidance::hint("No file's changes speed up by that much. A lower min_magnitude shows less.")
            }
        };
        let truncated = total > tremors.len() as u64;
        let commits = known.commits as u64;
        let guidance =
            guidance.with_rest(tremors.len(), total, "a higher one (to 200) shows more, `scope` a part");
        let output = Output { tremors, total, without_data, commits, no_data, truncated };
        Ok(Answer::of(output).candidates(total).proof(ProofState::Triaging).next(guidance))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.tremors, excess) > 0
    }
}
