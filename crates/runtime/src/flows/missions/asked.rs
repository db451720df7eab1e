//! Asked: how often the next step of a mission was asked for while nothing was done.

use std::collections::HashMap;
use std::sync::Arc;

use m1nd_contract::Fault;
use m1nd_mission::{Command, Draft, State, Status};
use parking_lot::Mutex;

use super::act;
use crate::ctx::Ctx;

/// Asked so often with nothing in between, an agent goes in circles.
const LOOP: u32 = 3;
/// Missions that are remembered.
const MOST: usize = 1_000;

/// For each mission where it stood when somebody last asked, and how often that was; until the process ends. To ask writes
/// nothing, so that it stays quick, but for every third question with nothing in between.
#[derive(Debug, Default)]
pub struct Asked(Mutex<HashMap<String, Waiting>>);

#[derive(Debug, Default)]
struct Waiting {
    at: u64,
    times: u32,
    told: Vec<String>,
}

/// What a question is, where a mission has not moved.
#[derive(Debug, PartialEq, Eq)]
enum Turn {
    Fine,
    /// To be recorded.
    Circle,
    /// Recorded already: this was told then.
    Told(Vec<String>),
}

/// That somebody asks again and again.
#[derive(Debug)]
pub struct Again {
    pub warnings: Vec<String>,
    /// With what was recorded of it now.
    pub state: Option<Arc<State>>,
}

impl Asked {
    fn turn(&self, mission: &str, stands_at: u64) -> Turn {
        let mut asked = self.0.lock();
        if asked.len() >= MOST && !asked.contains_key(mission) {
            asked.clear();
        }
        let waiting = asked.entry(mission.to_owned()).or_default();
        if waiting.at != stands_at {
            *waiting = Waiting { at: stands_at, ..Waiting::default() };
        }
        waiting.times += 1;
        match waiting.times {
            times if times < LOOP => Turn::Fine,
            times if times % LOOP == 0 => Turn::Circle,
            _ => Turn::Told(waiting.told.clone()),
        }
    }

    /// That it was told so is an event, and nothing that was done.
    fn told(&self, mission: &str, place: u64, warnings: &[String]) {
        if let Some(waiting) = self.0.lock().get_mut(mission) {
            waiting.at = place;
            waiting.told = warnings.to_vec();
        }
    }
}

/// Tells, and records every third time, that the next step was asked for again and again and nothing was done.
pub fn asked_again(ctx: &Ctx<'_>, state: &State) -> Result<Option<Again>, Fault> {
    let asked = ctx.workspace()?.asked();
    let id = state.mission_id.as_str();
    if state.status == Status::Closed {
        return Ok(None);
    }
    match asked.turn(id, state.sequence) {
        Turn::Fine => Ok(None),
        Turn::Told(warnings) => Ok(Some(Again { warnings, state: None })),
        Turn::Circle => {
            let done = act(ctx, id, |_| Command::Observe(Box::new(Draft::idle(&state.mission_id))))?;
            asked.told(id, done.state.sequence, &done.warnings);
            Ok(Some(Again { warnings: done.warnings, state: Some(done.state) }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_third_question_in_a_row_is_one_too_many_unless_something_happened() {
        let asked = Asked::default();
        assert_eq!((asked.turn("a", 1), asked.turn("a", 1)), (Turn::Fine, Turn::Fine));
        assert_eq!((asked.turn("b", 1), asked.turn("a", 1)), (Turn::Fine, Turn::Circle));
        let told = vec!["again".to_owned()];
        asked.told("a", 2, &told);
        assert_eq!(asked.turn("a", 2), Turn::Told(told.clone()), "it goes on until something was done");
        assert_eq!((asked.turn("a", 2), asked.turn("a", 2)), (Turn::Told(told), Turn::Circle));
        assert_eq!((asked.turn("a", 3), asked.turn("a", 3)), (Turn::Fine, Turn::Fine));
    }
}
