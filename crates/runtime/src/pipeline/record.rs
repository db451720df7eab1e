//! Stage 6: what is remembered of a call.

use std::io::{self, Write};
use std::time::Duration;

use m1nd_contract::budget::{cut_text, json_len};
use m1nd_contract::{Caller, ContractForm, Fault, Header};
use m1nd_mission::Family;
use serde_json::{Map, Value, json};

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
    let root = workspace.root();
    // What was not ingested yet is on the disk.
    let on_disk = |path: &str| {
        let path = root.locate(path).ok()?;
        let there = root.path().join(path.as_str()).metadata().ok()?;
        there.is_file().then_some(there.len())
    };
    let size = |path: &str| view.size_of(path).or_else(|| on_disk(path));
    savings::files_in(body).into_iter().filter_map(size).sum()
}

/// What the answer of a call needs more when it was recorded in a mission, in bytes: its event, and a warning.
const RESERVED: usize = 200;

/// What is known of a call when it is recorded.
pub(super) struct Call<'a> {
    pub(super) runtime: &'a Runtime,
    pub(super) workspace: &'a Workspace,
    pub(super) row: &'a Row,
    pub(super) header: &'a Header,
    pub(super) arguments: &'a Map<String, Value>,
    pub(super) elapsed: Duration,
}

impl Call<'_> {
    /// Bytes that its answer leaves free.
    pub(super) fn reserved(&self) -> usize {
        if self.mission().is_some() { RESERVED } else { 0 }
    }

    /// The mission that it belongs to. The mission's own calls are events already, and who may not write records nothing.
    fn mission(&self) -> Option<&str> {
        if self.runtime.settings().read_only {
            return None;
        }
        self.header.mission_id.as_deref().filter(|_| self.row.entry.spec.family != Family::Mission)
    }

    fn seen<'s>(
        &'s self,
        body: &'s Value,
        candidates: Option<u64>,
        proof: Option<m1nd_contract::ProofState>,
    ) -> Seen<'s> {
        let spec = self.row.entry.spec;
        let (tool, family, arguments, elapsed) = (spec.name, spec.family, self.arguments, self.elapsed);
        Seen { tool, family, arguments, body, candidates, proof, elapsed }
    }

    /// Adds the event of a call to its mission, by what the answer really shows.
    pub(super) fn answered(
        &self,
        reply: &mut Reply,
        candidates: Option<u64>,
        proof: Option<m1nd_contract::ProofState>,
    ) -> Result<(), Fault> {
        let Some(mission) = self.mission().filter(|_| !reply.is_error) else { return Ok(()) };
        let seen = self.seen(&reply.body, candidates, proof);
        let recorded = missions::observe(self.runtime, self.workspace, self.header, mission, &seen)?;
        say(&mut reply.body, &recorded);
        Ok(())
    }

    /// Adds the event of a call that was refused, where its mission takes one.
    pub(super) fn refused(&self, reply: &mut Reply, fault: &Fault) {
        let Some(mission) = self.mission() else { return };
        let nothing = Value::Null;
        let seen = self.seen(&nothing, None, None);
        let recorded =
            missions::observe_refusal(self.runtime, self.workspace, self.header, mission, &seen, fault);
        match recorded {
            Ok(recorded) => say(&mut reply.body, &recorded),
            // There is no such mission, or it is closed: the refusal says so itself.
            Err(err) => {
                tracing::debug!(tool = seen.tool, code = err.code.as_str(), "a refused call was not recorded")
            }
        }
    }
}

/// Adds the event of a call that was refused before anybody looked at it: it cost a step as well.
pub(super) fn refused_early(
    runtime: &Runtime,
    row: &Row,
    agent: String,
    mut arguments: Map<String, Value>,
    reply: &mut Reply,
    fault: &Fault,
) {
    let Ok(Some(workspace)) = runtime.live_workspace() else { return };
    let mission_id = arguments.remove("mission_id").and_then(|id| id.as_str().map(str::to_owned));
    arguments.retain(|name, _| name != "agent_id" && name != "workspace");
    let caller = Caller::Agent(agent);
    let contract = ContractForm::default();
    let header = Header { caller, max_chars: None, max_lines: None, contract, mission_id };
    let (header, elapsed) = (&header, Duration::ZERO);
    let call = Call { runtime, workspace: &workspace, row, header, arguments: &arguments, elapsed };
    call.refused(reply, fault);
}

fn say(body: &mut Value, (event, warnings): &(m1nd_mission::EventId, Vec<String>)) {
    let Value::Object(body) = body else { return };
    body.insert("mission_event_id".into(), json!(event));
    if !warnings.is_empty() {
        body.insert("mission_warnings".into(), json!(warnings));
    }
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
        result_count: returned(candidates.unwrap_or_default(), &reply.body),
        failed: reply.is_error,
        summary,
    });
    if !reply.is_error {
        let is_read = row.entry.spec.family == Family::Read;
        runtime.log().saw(header.caller.name(), is_read, savings::files_in(&reply.body));
    }
}

/// How many of the results that were found are in an answer: one that says that it was cut holds no more than its longest list.
fn returned(found: u64, body: &Value) -> u64 {
    if body["truncated"] != true {
        return found;
    }
    // What there is no data for is no result.
    let fields = body.as_object().into_iter().flatten().filter(|(name, _)| *name != "no_data");
    let lists = fields.filter_map(|(_, value)| value.as_array());
    lists.map(|list| list.len() as u64).max().map_or(found, |longest| found.min(longest))
}
