//! Closing: the end of a mission and its proof packet, made of the events and of nothing else, as often as it is asked for.

use std::path::PathBuf;

use m1nd_contract::{Code, Fault, Recovery};
use m1nd_mission::packet::{self, Packet};
use m1nd_mission::{Command, Status, missions};
use serde_json::json;

use super::{act, ledger, packet_path, record, sound};
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
    // A stream that was changed proves nothing: no end is put to it, and no packet made of it.
    let before = sound(ctx, id)?.whole()?;
    let already = before.status == Status::Closed;
    if !already {
        act(ctx, id, |_| Command::Close { force })?;
    }
    let ended = sound(ctx, id)?.whole()?;
    let events = missions::stream(&*ledger(ctx)?, &ended.mission_id);
    let events = events.map_err(|err| from_mission::refusal(ctx.tool(), &err))?;
    record::complete(ctx.workspace()?.runtime_root(), &ended.mission_id, &events);
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
