//! `metrics`: sizes, couplings and history in numbers.

use m1nd_contract::arg::Int;
use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Trim};
use m1nd_runtime::faults::from_vfs;
use m1nd_runtime::flows::metrics::{self, By, Order, Row};
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct Metrics;

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    #[default]
    File,
    Folder,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sort {
    #[default]
    Lines,
    FanIn,
    FanOut,
    Commits,
    LongestFunction,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Folder or file to measure
    path: Option<String>,
    /// One row for each
    #[serde(default)]
    #[schemars(extend("default" = "file"))]
    by: Group,
    /// Largest first by this
    #[serde(default)]
    #[schemars(extend("default" = "lines"))]
    sort: Sort,
    /// Max rows (1-500)
    #[schemars(extend("default" = 20))]
    limit: Option<Int>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// Source files measured.
    files: u64,
    /// All of them together.
    #[schemars(with = "Totals")]
    totals: Row,
    /// One for each file or folder.
    rows: Vec<Row>,
    /// Rows in all.
    total_rows: u64,
    /// True when rows are missing from the answer.
    truncated: bool,
}

/// Fields as in rows.
#[derive(JsonSchema)]
pub struct Totals {}

impl Tool for Metrics {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "metrics",
        summary: "Lines, functions, types, fan-in and fan-out, instability, longest function, documentation and commits for each file or folder.",
        help: "Only files of languages that are parsed count. fan_in and fan_out count other files, by edges that are not merely inferred.",
        intents: &["lines of code", "coupling", "size of module", "instability", "complexity"],
        needs: Needs::Graph,
        budget: Some(8_000),
        fresh: true,
        family: Family::Orient,
        examples: &[Example {
            says: "The files most others depend on",
            arguments: r#"{"sort": "fan_in", "limit": 5}"#,
        }],
        lean: true,
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let limit = ctx.in_range("limit", input.limit, 1..=500)?.unwrap_or(20);
        let root = ctx.workspace()?.root();
        let scope = match &input.path {
            Some(path) => {
                root.locate(path).map_err(|err| from_vfs::path(ctx.tool(), "path", err))?.as_str().to_owned()
            }
            None => String::new(),
        };
        let by = match input.by {
            Group::File => By::File,
            Group::Folder => By::Folder,
        };
        let order = match input.sort {
            Sort::Lines => Order::Lines,
            Sort::FanIn => Order::FanIn,
            Sort::FanOut => Order::FanOut,
            Sort::Commits => Order::Commits,
            Sort::LongestFunction => Order::LongestFunction,
        };
        let at = ctx.graph_view_with_history()?;
        let mut measured = metrics::run(&at.graph, &scope, by, order);
        let total_rows = measured.rows.len() as u64;
        measured.rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        let truncated = total_rows > measured.rows.len() as u64;
        let output = Output {
            files: measured.files,
            totals: measured.totals,
            rows: measured.rows,
            total_rows,
            truncated,
        };
        Ok(Answer::of(output).candidates(total_rows))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.rows, excess) > 0
    }
}
