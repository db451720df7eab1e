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

/// How sure the agent was around an event, and what the mission had counted after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mark {
    confidence_before: Option<f64>,
    confidence_after: Option<f64>,
    direct_evidence: u64,
    graph_calls: u64,
    loop_warnings: u64,
}

impl Mark {
    pub(crate) fn of(confidence_before: Option<f64>, after: &State) -> Self {
        Self {
            confidence_before,
            confidence_after: after.confidence,
            direct_evidence: after.counters.direct_evidence,
            graph_calls: after.counters.graph_calls,
            loop_warnings: after.counters.loop_warnings,
        }
    }
}

/// The line of an event.
pub fn line(event: &Event, mark: Mark) -> Line<'_> {
    Line {
        mission_id: event.mission_id.as_str(),
        step_id: event.event_id.as_str(),
        tool_family: event.draft.tool_family.name(),
        target: &event.draft.target,
        phase: &event.draft.phase,
        duration_ms: event.draft.duration_ms,
        outcome: &event.draft.outcome,
        confidence_before: mark.confidence_before,
        confidence_after: mark.confidence_after,
        direct_evidence_count: mark.direct_evidence,
        graph_call_count: mark.graph_calls,
        loop_warning_count: mark.loop_warnings,
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
        lines.extend(state.as_ref().map(|after| line(event, Mark::of(before, after))));
    }
    lines
}
