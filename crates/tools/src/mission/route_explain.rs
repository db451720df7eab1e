//! `route_explain`: why a mission goes the way it goes.

use m1nd_contract::{Fault, Guidance, Trim};
use m1nd_mission::{Move, Required, explain, moves, short};
use m1nd_runtime::flows::missions;
use m1nd_runtime::{Answer, Ctx, Example, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::READ;

pub struct RouteExplain;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The mission
    mission_id: String,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    mission_id: String,
    mode: &'static str,
    route: &'static str,
    /// Why it begins so.
    why: &'static str,
    /// What a mission of this kind does, in order, and what of it is done.
    needs: Vec<Required>,
    /// The steps that are left, as things stand.
    moves: Vec<Move>,
}

impl Tool for RouteExplain {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "route_explain",
        summary: "Why a mission goes the way it goes: its route, what its kind of work needs, what of that is done, and the steps left.",
        help: "Reads only; mission_next gives the one next step.",
        intents: &["why this step", "explain the route", "mission policy"],
        budget: Some(4_000),
        examples: &[Example { says: "Of one mission", arguments: r#"{"mission_id": "msn_7c3e4084f6"}"# }],
        ..READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let state = missions::state(ctx, &input.mission_id)?.state;
        let (mut moves, needs) =
            missions::with_situation(ctx.runtime(), ctx.workspace()?, &state, |situation| {
                (moves(&state, situation, 10), explain(&state, situation))
            });
        moves.iter_mut().for_each(|step| step.called_by(ctx.header().caller.name()));
        let output = Output {
            mission_id: state.mission_id.to_string(),
            mode: state.mode.name(),
            route: state.route.name(),
            why: state.route.why(),
            needs,
            moves,
        };
        let next = Guidance::next("mission_next", input.mission_id, "Ask for the one next step.");
        Ok(Answer::of(output).next(next))
    }
}

impl Trim for Output {
    /// The next step goes last, and of what is needed that which is done goes first.
    fn trim(&mut self, _: usize) -> bool {
        if self.moves.len() > 1 {
            return self.moves.pop().is_some();
        }
        if let Some(at) = self.needs.iter().rposition(|need| need.state != "open") {
            self.needs.remove(at);
            return true;
        }
        let cut = self.moves.first_mut().is_some_and(|step| short::text(&mut step.why, SHORT));
        cut || self.needs.pop().is_some() || self.moves.pop().is_some()
    }
}

/// Enough to know why, in bytes.
const SHORT: usize = 80;
