//! `brief`: what a new session needs to go on.

use m1nd_contract::Guidance;
use m1nd_memory::brief::{self, BriefOutput, BriefRequest};
use m1nd_runtime::{Ctx, Example};

use crate::recall::{READ, memory_tool, when_empty};

memory_tool! {
    Brief, brief::brief, BriefRequest => BriefOutput, within 4_000, next point;
    name: "brief",
    summary: "Start a session here: focus, hand-off, pinned notes, ready tasks, newest decisions, open questions, and what in the code changed under them. At most 4 KB.",
    help: "Newest and pinned things are never what is dropped; `dropped` counts what was.",
    intents: &["resume work", "start a session", "what was decided", "what was I doing", "hand-off"],
    examples: &[
        Example { says: "What must I know?", arguments: r#"{}"# },
        Example { says: "About one task", arguments: r#"{"target": "TASK-001"}"# },
    ],
    ..READ
}

/// To the task in focus, or the first that is ready; an empty memory says so.
fn point(ctx: &Ctx<'_>, brief: &BriefOutput) -> Guidance {
    if let Some(focus) = &brief.focus {
        return Guidance::next("tasks_radar", focus.target.id.clone(), "Resume what is in focus.");
    }
    if let Some(task) = brief.ready.first() {
        return Guidance::next("tasks_claim", task.id.clone(), "Take the most urgent task that is ready.");
    }
    if let Some(task) = brief.at_work.first() {
        return Guidance::next(
            "tasks_radar",
            task.id.clone(),
            "Nothing is ready; see where this one stands.",
        );
    }
    let nothing = brief.handoff.is_none()
        && brief.pinned.is_empty()
        && brief.decisions.is_empty()
        && brief.questions.is_empty();
    if nothing && brief.conflicts.is_empty() {
        let begin =
            "Nothing was remembered in this workspace yet; branchmind_notes_commit and tasks_create begin.";
        return when_empty(ctx, &brief.ready, begin);
    }
    Guidance::default()
}
