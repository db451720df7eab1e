//! Asked: how often the next step of a mission was asked for while nothing was done.

use std::collections::HashMap;

use m1nd_contract::Fault;
use m1nd_mission::{Command, Draft, State, Status, Stepped};
use parking_lot::Mutex;

use super::act;
use crate::ctx::Ctx;

/// Asked so often with nothing in between, an agent goes in circles.
const LOOP: u32 = 3;
/// Missions that are remembered.
const MOST: usize = 1_000;

/// For each mission where it stood when somebody last asked, and how often that was; until the process ends. To ask writes
/// nothing, so that it stays quick.
#[derive(Debug, Default)]
pub struct Asked(Mutex<HashMap<String, (u64, u32)>>);

impl Asked {
    /// Whether it is the third time or a later one that somebody asks where a mission has not moved.
    fn is_again(&self, mission: &str, stands_at: u64) -> bool {
        let mut asked = self.0.lock();
        if asked.len() >= MOST && !asked.contains_key(mission) {
            asked.clear();
        }
        let (at, times) = asked.entry(mission.to_owned()).or_default();
        *times = if *at == stands_at { *times + 1 } else { 1 };
        *at = stands_at;
        *times >= LOOP
    }

    /// That it was told so is an event, and nothing that was done.
    fn stands_at(&self, mission: &str, place: u64) {
        if let Some((at, _)) = self.0.lock().get_mut(mission) {
            *at = place;
        }
    }
}

/// Records that the next step was asked for again and again and nothing was done, where that is so.
pub fn asked_again(ctx: &Ctx<'_>, state: &State) -> Result<Option<Stepped>, Fault> {
    let asked = ctx.workspace()?.asked();
    let id = state.mission_id.as_str();
    if state.status == Status::Closed || !asked.is_again(id, state.sequence) {
        return Ok(None);
    }
    let done = act(ctx, id, |_| Command::Observe(Box::new(Draft::idle(&state.mission_id))))?;
    asked.stands_at(id, done.state.sequence);
    Ok(Some(done))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_third_question_in_a_row_is_one_too_many_unless_something_happened() {
        let asked = Asked::default();
        let third =
            [asked.is_again("a", 1), asked.is_again("a", 1), asked.is_again("b", 1), asked.is_again("a", 1)];
        assert_eq!(third, [false, false, false, true]);
        asked.stands_at("a", 2);
        assert!(asked.is_again("a", 2), "it goes on until something was done");
        assert!(!asked.is_again("a", 3) && !asked.is_again("a", 3));
    }
}
