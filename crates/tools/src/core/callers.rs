//! `callers`: calls that reach the node.

use m1nd_contract::arg::Int;
use m1nd_contract::{Fault, Trim};
use m1nd_runtime::flows::call_list::{self, CallList, Slice};
use m1nd_runtime::flows::calls::Direction;
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct Callers;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Node id, path:line, qualified name or unique label
    node_id: String,
    /// Max calls (1-1000)
    #[schemars(extend("default" = 100))]
    limit: Option<Int>,
    /// next_cursor of the answer before
    cursor: Option<String>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    #[serde(flatten)]
    list: CallList,
}

impl Tool for Callers {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "callers",
        summary: "Who calls a function, method or type, with file, line and the line of source. Certain calls first; inferred ones say how many nodes fit.",
        help: "Callers of a type are all that call it (its constructor) or a member of it from outside; `member` says which. Calls through names that leave the workspace are not listed. An empty answer says what it rests on.",
        intents: &["who calls", "usages of function", "callers of", "what breaks"],
        needs: Needs::Graph,
        budget: Some(24_000),
        fresh: true,
        family: Family::Relate,
        examples: &[Example { says: "By name", arguments: r#"{"node_id": "greet"}"# }],
        lean: true,
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let limit = ctx.in_range("limit", input.limit, 1..=1_000)?.unwrap_or(100);
        let slice = Slice { limit, cursor: input.cursor.as_deref() };
        let (list, guidance) = call_list::run(ctx, &input.node_id, Direction::Callers, slice)?;
        let total = list.total();
        Ok(Answer::of(Output { list }).candidates(total).next(guidance))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.list.shorten(excess)
    }
}
