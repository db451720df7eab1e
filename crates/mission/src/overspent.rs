//! Overspent: what is left to do past the budget: the cheapest step that settles something, or a hand-off.

use serde_json::json;

use crate::family::Family;
use crate::needs::{self, Need};
use crate::planner::{Planner, Step};

impl Planner<'_> {
    /// The step past the budget; nothing while there is some left, or where somebody was told to hand off and goes on.
    pub(crate) fn overspent(&self) -> Option<Step> {
        let (state, situation) = (self.state, self.situation);
        let handed_at = state.handoffs.last().map(|event| event.sequence());
        let goes_on = handed_at.is_some_and(|place| place < state.sequence);
        if goes_on
            || self.first(&["mission_handoff"]).is_none()
            || !state.remaining(situation.now_ms).is_overspent()
        {
            return None;
        }
        // What is only advice is not worth more than was planned.
        let needs = needs::of(state.mode).iter().filter(|need| !need.is_advice());
        let unmet: Vec<Need> = needs.filter(|need| !need.is_met(state, situation)).copied().collect();
        let Some(first) = unmet.first() else { return Some(self.close()) };
        if handed_at.is_some() {
            return Some(Step {
                arguments: Some(json!({ "force": true })),
                why: "It was handed over, and its budget is spent: close it, with what is missing named. Whoever goes on does so in \
                      a mission of their own."
                    .to_owned(),
                ..self.close()
            });
        }
        if unmet.contains(&Need::Settled) {
            return Some(self.settle());
        }
        let settles = |need: &Need| match need {
            Need::Claimed => state.newest_direct.is_some(),
            Need::ChangeRead | Need::Tested | Need::Current | Need::Swept => true,
            _ => false,
        };
        if unmet.iter().all(settles) {
            return Some(self.towards(*first));
        }
        Some(Step {
            family: Family::Mission,
            tool: self.first(&["mission_handoff"]),
            arguments: Some(json!({})),
            fill_in: &[],
            why: "More was spent than planned, and this mission still needs more than a step that settles something: hand over \
                  what is known. Whoever goes on has a budget of its own."
                .to_owned(),
            stop: "The hand-off is recorded.",
            fallback: "mission_close with force, which says what is missing.",
        })
    }
}
