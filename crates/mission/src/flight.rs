//! Flight recorder: one line for each step, for whoever wants to know where an agent went in circles.

use serde::Serialize;

use crate::event::Event;
use crate::state::State;

/// One step, as a line of JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line<'a> {
    mission_id: &'a str,
    step_id: &'a str,
    tool_family: &'static str,
    target: &'a str,
    phase: &'a str,
    duration_ms: Option<u64>,
    outcome: &'a str,
    confidence_before: Option<f64>,
    confidence_after: Option<f64>,
    direct_evidence_count: u64,
    graph_call_count: u64,
    loop_warning_count: u64,
}

/// The line of an event: how sure the agent was before it, and the state after it.
pub fn line<'a>(confidence_before: Option<f64>, event: &'a Event, after: &State) -> Line<'a> {
    Line {
        mission_id: event.mission_id.as_str(),
        step_id: event.event_id.as_str(),
        tool_family: event.draft.tool_family.name(),
        target: &event.draft.target,
        phase: &event.draft.phase,
        duration_ms: event.draft.duration_ms,
        outcome: &event.draft.outcome,
        confidence_before,
        confidence_after: after.confidence,
        direct_evidence_count: after.counters.direct_evidence,
        graph_call_count: after.counters.graph_calls,
        loop_warning_count: after.counters.loop_warnings,
    }
}

/// The lines of a whole stream.
pub fn lines(events: &[Event]) -> Vec<Line<'_>> {
    let mut state: Option<State> = None;
    let mut lines = Vec::with_capacity(events.len());
    for event in events {
        let before = state.as_ref().and_then(|state: &State| state.confidence);
        match &mut state {
            Some(state) => state.apply(event),
            None => state = State::begin(event),
        }
        lines.extend(state.as_ref().map(|after| line(before, event, after)));
    }
    lines
}
