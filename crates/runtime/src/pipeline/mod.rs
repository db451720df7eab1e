//! The one way a call takes: decode, admit, execute, fit, envelope, record.

mod admit;
mod decode;
mod envelope;
mod execute;
mod fit;
mod misplaced;
mod record;

use m1nd_contract::budget::cut_text;
use m1nd_contract::header::MAX_CALLER_BYTES;
use m1nd_contract::{Caller, Fault, Header};
use m1nd_stdx::cancel::CancelToken;
use serde_json::{Map, Value, json};

use crate::registry::Row;
use crate::runtime::Runtime;

pub(crate) use decode::input as decode_input;

/// One call, as any transport hands it in.
#[derive(Clone, Debug)]
pub struct ToolCall {
    pub name: String,
    pub arguments: Map<String, Value>,
}

/// The answer, as any transport hands it out.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// An object, or a string for tools that answer with plain text.
    pub body: Value,
    pub is_error: bool,
}

impl Reply {
    /// What a host shows its model: compact JSON, or the plain text itself.
    pub fn text(&self) -> String {
        match &self.body {
            Value::String(text) => text.clone(),
            body => body.to_string(),
        }
    }
}

/// Where a long call says how far it is.
pub trait Progress: Sync {
    fn report(&self, step: Step);
}

/// One report of progress.
#[derive(Clone, Debug)]
pub struct Step {
    pub done: u64,
    pub total: Option<u64>,
    pub message: String,
}

/// Nobody wants to know.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Progress for Silent {
    fn report(&self, _: Step) {}
}

/// Runs one call through all stages. Total: whatever happens, there is a reply.
pub(crate) fn call(
    runtime: &Runtime,
    call: ToolCall,
    cancel: &CancelToken,
    progress: &dyn Progress,
) -> Reply {
    let started = runtime.clock().monotonic();
    let summary = record::summary(&call.arguments);
    let agent = call.arguments.get("agent_id").and_then(Value::as_str).unwrap_or(ANYBODY).to_owned();
    let Some(row) = runtime.registry().find(&call.name) else {
        return refuse_early(runtime, decode::unknown_tool(runtime.registry(), &call.name), agent);
    };
    let given =
        call.arguments.get("mission_id").is_some_and(Value::is_string).then(|| call.arguments.clone());
    let header = match decode::header(row, call.arguments) {
        Ok(decoded) => decoded,
        Err(fault) => {
            let mut reply = refuse_early(runtime, fault.clone(), agent.clone());
            if let Some(arguments) = given.filter(|_| is_usable(&agent)) {
                record::refused_early(runtime, row, agent, arguments, &mut reply, &fault);
            }
            return reply;
        }
    };
    let (header, arguments) = header;
    let asked = header.mission_id.as_ref().map(|_| arguments.clone());
    runtime.note_start();
    let live = runtime.live_workspace();
    let workspace = live.as_ref().ok().cloned().flatten();
    workspace.iter().for_each(|workspace| workspace.follow_roots());
    let outcome = admit::check(runtime, row, &header, live.as_ref().map(Option::as_deref))
        .and_then(|()| execute::run(runtime, row, &header, arguments, workspace.clone(), cancel, progress));
    let elapsed = runtime.clock().monotonic().saturating_sub(started);
    let in_mission = asked.as_ref().zip(workspace.as_deref()).map(|(arguments, workspace)| record::Call {
        runtime,
        workspace,
        row,
        header: &header,
        arguments,
        elapsed,
    });
    let refused = |mut fault: Fault| {
        envelope::name_missing_roots(workspace.as_deref(), &mut fault);
        let scope = misplaced::guard(runtime, workspace.as_deref(), &header.caller, &mut fault);
        let contract = envelope::on_fault(runtime, row, &header, workspace.as_deref(), &fault, scope);
        refuse_with(runtime, fault, &header.caller, contract)
    };
    let (reply, candidates) = match outcome {
        Ok(done) => {
            let (candidates, proof) = (done.answer.candidates, done.answer.proof);
            let facts = envelope::Facts::new(runtime, row, &header, workspace.as_deref(), elapsed);
            let facts = facts.reserving(in_mission.as_ref().map_or(0, record::Call::reserved));
            let mut reply = fit::reply(&facts, done);
            match in_mission.map_or(Ok(()), |call| call.answered(&mut reply, candidates, proof)) {
                Ok(()) => (reply, candidates),
                Err(fault) => (refused(fault), None),
            }
        }
        Err(fault) => {
            let mut reply = refused(fault.clone());
            if let Some(call) = in_mission {
                call.refused(&mut reply, &fault);
            }
            (reply, None)
        }
    };
    record::done(runtime, row, &header, elapsed, candidates, summary, &reply);
    reply
}

fn refuse(runtime: &Runtime, fault: Fault, header: &Header) -> Reply {
    refuse_with(runtime, fault, &header.caller, None)
}

/// Before the header is known to be right; the agent's name is taken as it was given, if it is usable.
fn refuse_early(runtime: &Runtime, fault: Fault, agent: String) -> Reply {
    let agent = if is_usable(&agent) { agent } else { ANYBODY.into() };
    refuse_with(runtime, fault, &Caller::Agent(agent), None)
}

fn is_usable(agent: &str) -> bool {
    !agent.trim().is_empty() && agent.len() <= MAX_CALLER_BYTES && !agent.chars().any(char::is_control)
}

/// The agent that a recovery names when the call named none.
const ANYBODY: &str = "agent";

/// How much of a message is said, and of a name or a question that a recovery looks for, in bytes.
const MAX_MESSAGE: usize = 2_000;
const MAX_LOOKED_FOR: usize = 200;

/// A name of many kilobytes is not said back whole: no error is worth more than an answer.
fn shorten(fault: &mut Fault) {
    cut_text(&mut fault.message, MAX_MESSAGE);
    let arguments = fault.recovery.arguments.iter_mut();
    for (_, value) in arguments.flat_map(Map::iter_mut).filter(|(name, _)| name.as_str() == "query") {
        if let Value::String(text) = value {
            cut_text(text, MAX_LOOKED_FOR);
        }
    }
}

/// Recovery arguments are completed here, so that they can be passed on as they are: with the caller, or with
/// the kind of caller that the next tool wants.
fn refuse_with(runtime: &Runtime, mut fault: Fault, caller: &Caller, contract: Option<Value>) -> Reply {
    shorten(&mut fault);
    let next = fault.recovery.next_tool.and_then(|tool| runtime.registry().entry(tool));
    let wanted = next.map_or(caller.field(), |(entry, _)| entry.spec.caller.name());
    if let Some(arguments) = &mut fault.recovery.arguments
        && !arguments.contains_key(wanted)
    {
        match caller {
            caller if caller.field() == wanted => {
                arguments.insert(wanted.into(), json!(caller.name()));
            }
            Caller::Workspace(_) => {
                arguments.insert(wanted.into(), json!(ANYBODY));
            }
            // An agent that named no reasoning workspace means one that only it knows.
            Caller::Agent(_) => {}
        }
    }
    let mut body = fault.to_body();
    if let (Some(contract), Value::Object(map)) = (contract, &mut body) {
        map.insert("agent_runtime_contract".into(), contract);
    }
    Reply { body, is_error: true }
}

/// The row and arguments of a call that passed decoding.
pub(crate) struct Done {
    pub(crate) answer: crate::tool::Answer<Box<dyn crate::tool::Output>>,
    pub(crate) clamped: Vec<&'static str>,
    /// How many changed files the answer does not show yet.
    pub(crate) behind: Option<u64>,
    pub(crate) commits_so_far: Option<u64>,
}

impl Row {
    fn name(&self) -> &'static str {
        self.entry.spec.name
    }
}
