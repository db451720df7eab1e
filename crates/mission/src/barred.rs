//! Barred: steps that are advised against, and what is done in their place. Whoever follows the advice never acts against it.

use serde_json::json;

use crate::advise::do_not;
use crate::family::Family;
use crate::needs::Need;
use crate::planner::{Planner, Step};
use crate::state::{LOOP, TestRun};

impl Planner<'_> {
    /// Whether something speaks against a step: its kind, its target, or that its tool was asked the same again and again.
    pub(crate) fn is_forbidden(&self, step: &Step) -> bool {
        let target = step.target();
        let is_barred = |no: &crate::advice::DoNot| match (&no.target, &target) {
            (None, _) => no.tool_family == Some(step.family),
            (Some(barred), Some(target)) => {
                is_same(barred, target) || crate::state::path_of(target) == barred
            }
            (Some(_), None) => false,
        };
        // Of what the agent has to fill in nobody knows what it will be: a tool that went round in circles is left alone.
        let went_round = || {
            // Once more would be a circle.
            let loops = self.state.turns.iter().filter(|(_, count)| **count + 1 >= LOOP);
            let mut tools = loops.filter_map(|(turn, _)| {
                let (how, asked) = turn.split_once(' ')?;
                Some((how.split_once('/')?.1.split('#').next()?, asked))
            });
            step.tool.is_some_and(|tool| {
                tools.any(|(used, asked)| {
                    used == tool && target.as_ref().is_none_or(|target| is_same(asked, target))
                })
            })
        };
        do_not(self.state, self.situation).iter().any(is_barred) || went_round()
    }

    /// What serves a need where its own step is barred.
    pub(crate) fn instead_of(&self, need: Need) -> Option<Step> {
        match need {
            // What no review can compare is read all the same.
            Need::Reviewed | Need::DiffSeen | Need::SameChange => {
                let known = self.state.known_paths.iter();
                let path = known.chain(&self.state.to_read).find(|path| {
                    let file = crate::state::path_of(path);
                    !self.state.files.contains_key(file) && !self.is_dead(path) && self.situation.exists(file)
                })?;
                Some(self.read(Some(path.clone()), "No change set was found: read what is to be judged."))
            }
            Need::Edited => Some(self.told("edit", "diff", "The runtime refused this edit again and again: make it with the host's tools, and record that.")),
            Need::SourceRead(_) | Need::KnownRead | Need::GoalRead | Need::ChangedRead => Some(self.told(
                "file_read",
                "direct_source",
                "It was asked for again and again: read it with the host's tools, and record that with a line of it.",
            )),
            _ => None,
        }
    }

    /// A step that is done elsewhere and recorded here.
    fn told(&self, event_type: &str, class: &str, why: &str) -> Step {
        Step {
            family: Family::Mission,
            tool: self.first(&["mission_event"]),
            arguments: Some(json!({ "event_type": event_type, "evidence_class": class })),
            fill_in: &["target", "outcome"],
            why: why.to_owned(),
            stop: "It is recorded.",
            fallback: "Hand off to the next agent.",
        }
    }

    /// A run that failed after the newest change says that the change is not right yet: running it again says the same.
    pub(crate) fn mend(&self, run: &TestRun) -> Step {
        let edit = self.towards(Need::Edited);
        Step {
            why: format!(
                "The newest run of {} did not pass ({}, {}): mend what it shows, then run it again and record that.",
                run.target, run.event_id, run.outcome
            ),
            stop: "What failed was mended, and the same run passed after that.",
            fallback: "Edit with the host's tools and record it with mission_event; where it cannot be mended, hand off or close with \
                       what failed as a gap.",
            ..edit
        }
    }

    /// Where everything was tried: nobody is sent round once more.
    pub(crate) fn last_resort(&self) -> Step {
        Step {
            arguments: Some(json!({ "force": true })),
            why: "Everything that would help was tried again and again and brought nothing new. Close it with what is missing named, \
                  or hand it over with mission_handoff."
                .to_owned(),
            ..self.close()
        }
    }
}

/// Whether a step asks what was asked: searches are kept in small letters.
fn is_same(asked: &str, target: &str) -> bool {
    asked == target || asked == target.to_lowercase()
}
