//! Closing: the end of a mission and its proof packet, made of the events and of nothing else, as often as it is asked for.

use std::path::PathBuf;

use m1nd_contract::{Code, Fault, Recovery};
use m1nd_mission::packet::{self, Packet};
use m1nd_mission::{Command, State, Status, chain, missions};
use serde_json::json;

use super::{act, ledger, packet_path, record, state};
use crate::ctx::Ctx;
use crate::faults::from_mission;

/// A mission that ended.
pub struct Closed {
    pub packet: Packet,
    pub path: PathBuf,
    /// Whether it had ended before; its packet is the same, and is written again where it was not there.
    pub already: bool,
}

/// Ends a mission and writes its packet. One that has ended already gets the same packet again: whoever died between
/// the two, or lost the file, only calls once more.
pub fn close(ctx: &Ctx<'_>, id: &str, force: bool) -> Result<Closed, Fault> {
    let before = state(ctx, id)?;
    let already = before.status == Status::Closed;
    // A stream that was changed proves nothing: no end is put to it, and no packet made of it.
    let events = whole(ctx, &before)?;
    let events = if already {
        events
    } else {
        act(ctx, id, |_| Command::Close { force })?;
        whole(ctx, &before)?
    };
    let ended = State::of(&events).unwrap_or(before);
    let packet = packet::of(&ended, events);
    let path = packet_path(ctx.workspace()?, &ended.mission_id);
    let text = packet::to_text(&packet);
    if std::fs::read(&path).is_ok_and(|written| written == text.as_bytes()) {
        return Ok(Closed { packet, path, already });
    }
    record::whole(&path, &text).map_err(|err| {
        Fault::new(
            Code::Storage,
            format!("The mission is closed, but its packet could not be written: {err}."),
            Recovery::call(
                "Make room on the disk, and close it again: the packet is then written from the events.",
                ctx.tool(),
                json!({ "mission_id": id }),
            ),
        )
    })?;
    Ok(Closed { packet, path, already })
}

/// All events of a mission, if they are as they were recorded.
fn whole(ctx: &Ctx<'_>, state: &State) -> Result<Vec<m1nd_mission::Event>, Fault> {
    let events = missions::stream(&*ledger(ctx)?, &state.mission_id)
        .map_err(|err| from_mission::refusal(ctx.tool(), &err))?;
    let faults = chain::faults(&state.mission_id, &events);
    let Some(first) = faults.first() else { return Ok(events) };
    let more = match faults.len() {
        1 => String::new(),
        count => format!(" ({} more)", count - 1),
    };
    let id = &state.mission_id;
    Err(Fault::new(
        Code::Storage,
        format!(
            "The events of {id} are not as they were recorded: {first}{more}. No packet can be made of them."
        ),
        Recovery::call(
            "`m1nd verify` with its id lists all that is wrong. What it concluded must be proved again, in a new mission.",
            "mission_start",
            json!({ "goal": state.goal, "mode": state.mode.name() }),
        ),
    ))
}
