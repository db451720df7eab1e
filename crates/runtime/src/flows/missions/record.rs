//! Flight recorder: a line of JSON for each step, beside the other state of the workspace.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use m1nd_mission::{MissionId, Stepped, flight, otlp};
use m1nd_vfs::durable;

use crate::sink::FlightSink;
use crate::workspace::Workspace;

/// Where missions leave their files in the runtime root.
const FOLDER: &str = "missions";

/// Where the proof packet of a mission is written.
pub fn packet_path(workspace: &Workspace, mission: &MissionId) -> PathBuf {
    packet_in(workspace.runtime_root(), mission)
}

pub(super) fn packet_in(runtime_root: &Path, mission: &MissionId) -> PathBuf {
    runtime_root.join(FOLDER).join(format!("{mission}.packet.json"))
}

/// Where the lines of a mission are.
pub(super) fn lines_path(runtime_root: &Path, mission: &MissionId) -> PathBuf {
    runtime_root.join(FOLDER).join(format!("{mission}.jsonl"))
}

/// Adds the lines of what happened. The stream in the store is what counts; a line that cannot be written is a warning
/// in the log.
pub(super) fn lines(workspace: &Workspace, stepped: &Stepped, sink: Option<&dyn FlightSink>) {
    let mut text = String::new();
    for (event, mark) in stepped.events.iter().zip(&stepped.marks) {
        let line = flight::line(event, *mark);
        if let Some(sink) = sink {
            sink.step(otlp::span(&line, event));
        }
        match serde_json::to_string(&line) {
            Ok(line) => text.extend([line.as_str(), "\n"]),
            Err(err) => tracing::warn!(%err, "a step of a mission has no line"),
        }
    }
    let path = lines_path(workspace.runtime_root(), &stepped.state.mission_id);
    if let Err(err) = append(&path, &text) {
        tracing::warn!(%err, path = %path.display(), "the flight recorder could not write");
    }
}

fn append(path: &Path, text: &str) -> io::Result<()> {
    make_folder(path)?;
    let mut file = fs::File::options().create(true).append(true).mode(0o600).open(path)?;
    // One write for each step: lines of several processes do not mix.
    file.write_all(text.as_bytes())
}

/// Writes a whole file.
pub(super) fn whole(path: &Path, text: &str) -> io::Result<()> {
    make_folder(path)?;
    durable::replace(path, text.as_bytes())
}

/// The folder of a mission's file, for this user only.
fn make_folder(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) => fs::DirBuilder::new().recursive(true).mode(0o700).create(folder),
        None => Ok(()),
    }
}
