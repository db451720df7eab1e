//! `brief`: what a new session needs to go on.

use m1nd_contract::Guidance;
use m1nd_memory::brief::{self, BriefOutput, BriefRequest};
use m1nd_memory::ids::Seq;
use m1nd_memory::port::Status;
use m1nd_memory::workspace::{self, StatusRequest};
use m1nd_runtime::{Ctx, Example};

use crate::recall::{READ, memory_tool, when_empty};

memory_tool! {
    Brief, brief::brief, BriefRequest => BriefOutput, within 4_000, next point;
    name: "brief",
    summary: "Start here: focus, hand-off, pinned notes, ready tasks, decisions, questions, notes, and what in the code changed under them. At most 4 KB.",
    help: "The newest and what is pinned go last; `dropped` counts what went. Of forks that are not checked out it says only that they hold something (`elsewhere`). Pass `agent_id` to see your own claims first.",
    intents: &["resume work", "start a session", "what was decided", "what was I doing", "hand-off"],
    examples: &[
        Example { says: "What must I know?", arguments: r#"{}"# },
        Example { says: "About one task", arguments: r#"{"target": "TASK-001"}"# },
    ],
    ..READ
}

/// To the task in focus unless it is closed or somebody else holds it, then to the first that is ready; an empty
/// memory says so.
fn point(ctx: &Ctx<'_>, brief: &BriefOutput) -> Guidance {
    let mut next = step(ctx, brief);
    if let Some(more) = more(brief) {
        let before = next.next_step_hint.take().map_or_else(String::new, |hint| format!("{hint} "));
        next.next_step_hint = Some(format!("{before}{more}"));
    }
    next
}

/// Where to find what was left out and must not be missed.
fn more(brief: &BriefOutput) -> Option<String> {
    let dropped = &brief.dropped;
    if dropped.pinned > 0 {
        let count = dropped.pinned;
        return Some(format!("{count} pinned are left out: a larger max_chars shows them."));
    }
    if dropped.conflicts > 0 {
        return Some("branchmind_graph_conflicts lists every conflict.".to_owned());
    }
    let kept = brief.elsewhere.iter().find(|fork| fork.handoffs + fork.pinned > 0)?;
    Some(format!(
        "{} is not checked out and has more; branchmind_show with this branch reads it.",
        kept.branch
    ))
}

fn step(ctx: &Ctx<'_>, brief: &BriefOutput) -> Guidance {
    let held = brief.focus.as_ref().filter(|focus| !focus.yours).and_then(|focus| {
        focus
            .target
            .claimed_by
            .as_deref()
            .map(|by| format!("{} holds {}, which is in focus.", by, focus.target.id))
    });
    let closed =
        brief.focus.as_ref().filter(|focus| matches!(focus.target.status, Status::Done | Status::Cancelled));
    // A closed task is closed for its holder too.
    let closed = closed
        .map(|focus| format!("{}, which is in focus, is {}.", focus.target.id, focus.target.status.as_str()));
    let held = closed.or(held);
    if let (Some(focus), None) = (&brief.focus, &held) {
        return Guidance::next("tasks_radar", focus.target.id.clone(), "Resume what is in focus.");
    }
    let said = |advice: &str| match &held {
        Some(held) => format!("{held} {advice}"),
        None => advice.to_owned(),
    };
    if let Some(task) = brief.ready.first() {
        let advice = said("Take the most urgent task that is ready.");
        return Guidance::next("tasks_claim", task.id.clone(), advice);
    }
    if let Some(task) = brief.at_work.first() {
        return Guidance::next(
            "tasks_radar",
            task.id.clone(),
            said("Nothing is ready; see where this one stands."),
        );
    }
    if !brief.notes.is_empty() {
        return Guidance::hint("branchmind_show reads a note in full; memory_search finds older ones.");
    }
    let nothing = brief.handoff.is_none()
        && brief.pinned.is_empty()
        && brief.decisions.is_empty()
        && brief.questions.is_empty();
    if let Some(conflict) = brief.conflicts.first().filter(|_| nothing) {
        let id = conflict.conflict_id.to_string();
        return Guidance::next("branchmind_graph_conflict_show", id, "Two branches disagree; see how.");
    }
    if nothing && brief.truncated {
        return Guidance::hint("There is more than `max_chars` has room for; 1,500 show one of each.");
    }
    if nothing {
        return when_empty(ctx, &brief.ready, nothing_here(ctx, brief));
    }
    Guidance::default()
}

/// Why there is nothing to show: nothing was written, or what was written lies elsewhere.
fn nothing_here(ctx: &Ctx<'_>, brief: &BriefOutput) -> &'static str {
    let asked = StatusRequest { workspace: brief.workspace.to_string(), max_chars: None };
    match ctx.remember(|ports| workspace::status(ports, &asked)) {
        Ok(status) if status.last_seq > Seq::ZERO => {
            "Nothing is open here; memory_search finds what was written, branchmind_branch_list the branches."
        }
        _ => "Nothing was remembered in this workspace yet; branchmind_notes_commit and tasks_create begin.",
    }
}
