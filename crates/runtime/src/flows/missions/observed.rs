//! Observed: a call that carries a mission is an event of it, recorded by the runtime and not by the agent.

use std::time::Duration;

use m1nd_contract::{Fault, Header, ProofState};
use m1nd_mission::{Command, Detail, Draft, EditedFile, EventId, EvidenceClass, Family};
use serde_json::{Map, Value};

use super::{act_on, content_hash};
use crate::faults::{from_memory, from_mission};
use crate::runtime::Runtime;
use crate::savings;
use crate::workspace::Workspace;

/// What a call showed.
pub struct Seen<'a> {
    pub tool: &'static str,
    pub family: Family,
    pub arguments: &'a Map<String, Value>,
    /// The answer, before anything of it was dropped.
    pub body: &'a Value,
    pub candidates: Option<u64>,
    pub proof: Option<ProofState>,
    pub elapsed: Duration,
}

/// Arguments that say best what was asked, in this order.
const TARGETS: [&str; 7] = ["query", "pattern", "node_id", "file_path", "changed_node", "path", "scope"];
/// Places of an answer that are kept.
const PLACES: usize = 10;
/// The longest target, in bytes.
const TARGET: usize = 300;

/// Records a call in its mission; the event and what is to be said about it.
pub fn observe(
    runtime: &Runtime,
    workspace: &Workspace,
    header: &Header,
    mission: &str,
    seen: &Seen<'_>,
) -> Result<(EventId, Vec<String>), Fault> {
    let ledger = workspace.memory().map_err(|err| from_memory::store(&err))?;
    let draft = draft(workspace, seen);
    let actor = header.caller.name();
    let done =
        act_on(runtime, workspace, &*ledger, mission, actor, |_| Command::Observe(Box::new(draft.clone())));
    let done = done.map_err(|err| from_mission::refusal(seen.tool, &err))?;
    let id = done.events.first().map(|event| event.event_id.clone());
    let id = id.ok_or_else(|| from_mission::nothing_recorded(seen.tool))?;
    Ok((id, done.warnings))
}

fn draft(workspace: &Workspace, seen: &Seen<'_>) -> Draft {
    let asked = TARGETS.iter().find_map(|name| seen.arguments.get(*name)?.as_str());
    let asked = asked.map_or_else(String::new, |text| text[..text.floor_char_boundary(TARGET)].to_owned());
    let is_semantic = seen.arguments.get("mode").and_then(Value::as_str) == Some("semantic");
    let family = if is_semantic { Family::Retrieve } else { seen.family };
    let places = places(seen.body);
    let found_nothing = seen.candidates == Some(0);
    let blocked = seen.proof == Some(ProofState::Blocked);
    let edited = (family == Family::Edit).then(|| edited(seen.body)).flatten();
    let outcome = match () {
        () if edited.is_some() => "applied",
        () if family == Family::Edit => "unchanged",
        () if found_nothing => "nothing_found",
        () if blocked => "blocked",
        () if family == Family::Read => "read",
        () => "found",
    };
    let (evidence_class, target, content_hash, note) = match family {
        // What was read is the file, whatever was asked for.
        Family::Read => {
            let path = places.first().map(|place| m1nd_mission::path_of(place).to_owned());
            let hash = path.as_deref().and_then(|path| content_hash(workspace, path));
            let note = (!asked.is_empty()).then(|| asked.clone());
            let target = places.first().cloned().unwrap_or_else(|| asked.clone());
            (Some(EvidenceClass::DirectSource), target, hash, note)
        }
        Family::Orient | Family::Retrieve | Family::Relate | Family::Plan => {
            (Some(EvidenceClass::Graph), asked, None, None)
        }
        Family::Recall => (Some(EvidenceClass::Memory), asked, None, None),
        Family::Edit => {
            let first = edited.as_ref().and_then(|(_, files)| files.first());
            let hash = first.and_then(|file| file.sha256.clone());
            let target = first.map_or(asked, |file| file.path.clone());
            let note = edited.as_ref().map(|(id, files)| format!("{id}: {} files", files.len()));
            (edited.as_ref().map(|_| EvidenceClass::Diff), target, hash, note)
        }
        _ => (None, asked, None, None),
    };
    let target = if target.is_empty() { ".".to_owned() } else { target };
    Draft {
        phase: phase(family).to_owned(),
        event_type: seen.tool.to_owned(),
        tool_family: family,
        target,
        evidence_class,
        outcome: outcome.to_owned(),
        duration_ms: u64::try_from(seen.elapsed.as_millis()).ok(),
        agent_confidence: None,
        note,
        content_hash,
        detail: match edited {
            Some((batch_id, files)) => Some(Box::new(Detail::Edited { batch_id, files })),
            None => (family.is_graph() && !places.is_empty()).then(|| Box::new(Detail::Found { places })),
        },
    }
}

/// The batch that an answer tells of; nothing where nothing was written.
fn edited(body: &Value) -> Option<(String, Vec<EditedFile>)> {
    let id = body.get("batch_id")?.as_str()?.to_owned();
    let word = |file: &Value, name: &str| file.get(name).and_then(Value::as_str).map(str::to_owned);
    let files = body.get("files")?.as_array()?.iter();
    let files = files
        .filter_map(|file| Some(EditedFile { path: word(file, "file_path")?, sha256: word(file, "sha256") }));
    Some((id, files.collect()))
}

fn phase(family: Family) -> &'static str {
    match family {
        Family::Trust | Family::Ingest | Family::Orient => "orient",
        Family::Retrieve | Family::Relate => "locate",
        Family::Plan => "plan",
        Family::Edit => "edit",
        Family::Recover => "recover",
        _ => "verify",
    }
}

/// The files that an answer points into, with the line where it says one, the best first.
fn places(body: &Value) -> Vec<String> {
    let mut places: Vec<String> = Vec::new();
    let mut add = |path: &str, line: Option<u64>| {
        let place = line.map_or_else(|| path.to_owned(), |line| format!("{path}:{line}"));
        if places.len() < PLACES && !places.contains(&place) {
            places.push(place);
        }
    };
    let mut work = vec![body];
    while let Some(value) = work.pop() {
        match value {
            Value::Object(fields) => {
                if let Some(path) = fields.get("file_path").and_then(Value::as_str) {
                    let line = ["line_number", "line", "first_line", "line_start"];
                    let line = line.iter().find_map(|name| fields.get(*name)?.as_u64());
                    add(path, line);
                }
                work.extend(fields.values().rev());
            }
            Value::Array(items) => work.extend(items.iter().rev()),
            _ => {}
        }
    }
    if places.is_empty() {
        places.extend(savings::files_in(body).into_iter().take(PLACES).map(str::to_owned));
    }
    places
}
