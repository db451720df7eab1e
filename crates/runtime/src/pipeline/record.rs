//! Stage 6: what is remembered of a call.

use std::io::{self, Write};
use std::time::Duration;

use m1nd_contract::budget::{cut_text, json_len};
use m1nd_contract::{Caller, Fault, Header};
use m1nd_mission::Family;
use serde_json::{Map, Value};

use super::Done;
use crate::flows::missions::{self, Seen};
use crate::log::QueryRecord;
use crate::pipeline::Reply;
use crate::registry::Row;
use crate::runtime::Runtime;
use crate::savings;
use crate::workspace::Workspace;

/// Characters of the query that the log keeps.
const SUMMARY_BYTES: usize = 100;

/// Arguments that say best what was asked, in this order.
const TELLING: [&str; 5] = ["query", "pattern", "file_path", "node_id", "tool"];

/// The query itself, or the arguments.
pub(super) fn summary(arguments: &Map<String, Value>) -> String {
    let told = TELLING.iter().find_map(|name| arguments.get(*name)?.as_str());
    let mut summary = match told {
        Some(text) => text[..text.floor_char_boundary(SUMMARY_BYTES)].to_owned(),
        // The input itself, without who asks.
        None => {
            let asked = arguments.iter().filter(|(name, _)| *name != "agent_id" && *name != "workspace");
            let mut start = Start(Vec::new());
            for (name, value) in asked {
                let comma = if start.0.is_empty() { "" } else { ", " };
                let written = write!(start, "{comma}{name}: ")
                    .and_then(|()| serde_json::to_writer(&mut start, value).map_err(Into::into));
                // A full one refuses the rest; what it has is what is kept.
                if written.is_err() {
                    break;
                }
            }
            String::from_utf8_lossy(&start.0).into_owned()
        }
    };
    cut_text(&mut summary, SUMMARY_BYTES);
    summary
}

/// The first bytes of what is written; the rest is refused.
struct Start(Vec<u8>);

impl Write for Start {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() > SUMMARY_BYTES {
            return Err(io::ErrorKind::WriteZero.into());
        }
        let most = bytes.len().min(SUMMARY_BYTES + 1);
        self.0.extend_from_slice(&bytes[..most]);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Bytes of the files that an answer points into, each counted once.
fn bytes_pointed_into(runtime: &Runtime, body: &Value) -> u64 {
    let Some(workspace) = runtime.workspace() else { return 0 };
    let view = workspace.view();
    savings::files_in(body).into_iter().filter_map(|path| view.size_of(path)).sum()
}

/// Adds the event of a call to the mission that it names. The mission's own calls are events already.
pub(super) fn in_mission(
    runtime: &Runtime,
    workspace: &Workspace,
    row: &Row,
    header: &Header,
    arguments: &Map<String, Value>,
    elapsed: Duration,
    mut done: Done,
) -> Result<Done, Fault> {
    let spec = row.entry.spec;
    let Some(mission) = header.mission_id.as_deref().filter(|_| spec.family != Family::Mission) else {
        return Ok(done);
    };
    let body = done.answer.output.to_value().unwrap_or_default();
    let seen = Seen {
        tool: spec.name,
        family: spec.family,
        arguments,
        body: &body,
        candidates: done.answer.candidates,
        proof: done.answer.proof,
        elapsed,
    };
    done.recorded = Some(missions::observe(runtime, workspace, header, mission, &seen)?);
    Ok(done)
}

pub(super) fn done(
    runtime: &Runtime,
    row: &Row,
    header: &Header,
    elapsed: Duration,
    candidates: Option<u64>,
    summary: String,
    reply: &Reply,
) {
    if !reply.is_error {
        let bytes = json_len(&reply.body) as u64;
        runtime.savings().record(
            row.name(),
            row.entry.spec.saves,
            bytes,
            bytes_pointed_into(runtime, &reply.body),
        );
    }
    if let Some(workspace) = runtime.workspace() {
        workspace.note_query(runtime.clock().now());
    }
    runtime.log().add(QueryRecord {
        tool: row.name(),
        agent_id: match &header.caller {
            Caller::Agent(name) => name.clone(),
            Caller::Workspace(name) => format!("workspace {name}"),
        },
        timestamp_ms: runtime.clock().now(),
        elapsed_ms: elapsed.as_secs_f64() * 1_000.0,
        result_count: candidates.unwrap_or_default(),
        summary,
    });
    if !reply.is_error {
        let is_read = row.entry.spec.family == Family::Read;
        runtime.log().saw(header.caller.name(), is_read, savings::files_in(&reply.body));
    }
}
