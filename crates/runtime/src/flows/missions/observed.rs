//! Observed: a call that carries a mission is an event of it, recorded by the runtime and not by the agent.

use std::collections::BTreeSet;
use std::time::Duration;

use m1nd_contract::{Fault, Header, ProofState};
use m1nd_graph::change::How;
use m1nd_mission::{
    Command, Detail, Draft, EditedFile, EventId, EvidenceClass, Family, MOST_HELD, Part, Shown,
};
use m1nd_stdx::digest::short_name;
use serde_json::{Map, Value};

use super::{absent, act_on, change_set, content_hash};
use crate::faults::{from_memory, from_mission};
use crate::runtime::Runtime;
use crate::savings;
use crate::workspace::Workspace;

/// What a call showed.
pub struct Seen<'a> {
    pub tool: &'static str,
    pub family: Family,
    pub arguments: &'a Map<String, Value>,
    /// The answer as it is given.
    pub body: &'a Value,
    pub candidates: Option<u64>,
    pub proof: Option<ProofState>,
    pub elapsed: Duration,
}

/// Arguments that say best what was asked, in this order. Where there is none of them, all that was asked is the target.
const TARGETS: [&str; 13] = [
    "query",
    "pattern",
    "claim",
    "question",
    "node_id",
    "node",
    "file_path",
    "changed_node",
    "error_text",
    "base",
    "goal",
    "path",
    "scope",
];
/// Arguments that say how much is shown and not what is asked.
const AMOUNTS: [&str; 8] = [
    "top_k",
    "limit",
    "max_chars",
    "max_results",
    "context_lines",
    "path_budget",
    "contract",
    "allow_sensitive",
];
/// Digits by which two questions about one target are told apart.
const DIGITS: usize = 12;
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
    record(runtime, workspace, header, mission, seen.tool, &draft(workspace, seen))
}

/// Records a call that was refused: it cost as much as another, and may be the third of its kind.
pub fn observe_refusal(
    runtime: &Runtime,
    workspace: &Workspace,
    header: &Header,
    mission: &str,
    seen: &Seen<'_>,
    fault: &Fault,
) -> Result<(EventId, Vec<String>), Fault> {
    let target = asked(seen);
    let draft = Draft {
        phase: phase(seen.family).to_owned(),
        event_type: seen.tool.to_owned(),
        tool_family: seen.family,
        target: if target.is_empty() { ".".to_owned() } else { target },
        asked: more_asked(seen),
        evidence_class: None,
        outcome: "failed".to_owned(),
        duration_ms: u64::try_from(seen.elapsed.as_millis()).ok(),
        agent_confidence: None,
        note: Some(fault.code.as_str().to_owned()),
        content_hash: None,
        shown: Vec::new(),
        not_anchored: 0,
        detail: None,
    };
    record(runtime, workspace, header, mission, seen.tool, &draft)
}

fn record(
    runtime: &Runtime,
    workspace: &Workspace,
    header: &Header,
    mission: &str,
    tool: &'static str,
    draft: &Draft,
) -> Result<(EventId, Vec<String>), Fault> {
    let ledger = workspace.memory().map_err(|err| from_memory::store(&err))?;
    let actor = header.caller.name();
    let done =
        act_on(runtime, workspace, &*ledger, mission, actor, |_| Command::Observe(Box::new(draft.clone())));
    let done = done.map_err(|err| from_mission::refusal(tool, &err))?;
    let id = done.events.first().map(|event| event.event_id.clone());
    let id = id.ok_or_else(|| from_mission::nothing_recorded(tool))?;
    Ok((id, done.warnings))
}

/// What was asked, in words.
fn asked(seen: &Seen<'_>) -> String {
    let word = |name: &str| seen.arguments.get(name).and_then(Value::as_str);
    let text = match (word("source"), word("target"), named(seen)) {
        (Some(from), Some(to), _) => format!("{from} -> {to}"),
        (_, _, Some(name)) => word(name).unwrap_or_default().to_owned(),
        _ => all_asked(seen, |_| true),
    };
    text[..text.floor_char_boundary(TARGET)].to_owned()
}

/// The argument that says best what was asked.
fn named(seen: &Seen<'_>) -> Option<&'static str> {
    TARGETS.into_iter().find(|name| seen.arguments.get(*name).is_some_and(Value::is_string))
}

/// Arguments with their values, in the order of their names: `actions: […]`.
fn all_asked(seen: &Seen<'_>, wanted: impl Fn(&str) -> bool) -> String {
    let mut all: Vec<(&String, &Value)> = seen.arguments.iter().collect();
    all.retain(|(name, value)| !AMOUNTS.contains(&name.as_str()) && !value.is_null() && wanted(name));
    all.sort_by_key(|(name, _)| *name);
    all.iter().map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>().join(", ")
}

/// What was asked besides the target, so that two questions about one target are two.
fn more_asked(seen: &Seen<'_>) -> Option<String> {
    let target = named(seen);
    let more = all_asked(seen, |name| Some(name) != target);
    (!more.is_empty()).then(|| short_name(more.as_bytes(), DIGITS))
}

fn draft(workspace: &Workspace, seen: &Seen<'_>) -> Draft {
    let asked = asked(seen);
    let is_semantic = seen.arguments.get("mode").and_then(Value::as_str) == Some("semantic");
    let family = if is_semantic { Family::Retrieve } else { seen.family };
    let places = places(seen.body);
    let found_nothing = seen.candidates == Some(0);
    let blocked = seen.proof == Some(ProofState::Blocked);
    let edited = (family == Family::Edit).then(|| edited(seen)).flatten();
    let changed = seen.body.get("changed_files").and_then(Value::as_u64).filter(|_| family == Family::Plan);
    // A diff that fits nowhere is not the change that is to be reviewed.
    let reviewed = changed.filter(|_| change_set::fits(workspace, seen.arguments));
    let is_unfit = changed.is_some() && reviewed.is_none();
    let set = reviewed
        .filter(|count| *count > 0)
        .and_then(|count| change_set::asked(workspace, seen.arguments, count));
    let mut files = if family == Family::Read { shown(workspace, seen.body) } else { Vec::new() };
    let outcome = match () {
        () if edited.is_some() => "applied",
        () if family == Family::Edit => "unchanged",
        () if reviewed == Some(0) => "nothing_found",
        () if reviewed.is_some() => "found",
        () if is_unfit => "not_applied",
        // What was found and had no room in the answer was not read; it is there all the same.
        () if family == Family::Read
            && files.is_empty()
            && seen.candidates.is_some_and(|found| found > 0) =>
        {
            "not_shown"
        }
        () if family == Family::Read && files.is_empty() => "nothing_found",
        () if family == Family::Read => "read",
        () if found_nothing => "nothing_found",
        () if blocked => "blocked",
        () => "found",
    };
    let absent =
        if family == Family::Read && files.is_empty() { absent::observed(workspace, seen) } else { None };
    let not_anchored = files.len().saturating_sub(ANCHORS) as u64;
    files.truncate(ANCHORS);
    let (evidence_class, target, content_hash, note) = match family {
        // Whoever searches reads the files whose lines were shown, and none where none were. The question is no file. That
        // nothing was found is seen, too.
        Family::Read if seen.arguments.contains_key("query") => {
            let shows = !files.is_empty() || absent.is_some();
            (shows.then_some(EvidenceClass::DirectSource), asked, None, None)
        }
        Family::Read => match (!files.is_empty()).then(|| files.remove(0)) {
            Some(first) => {
                let place = place(seen.body).filter(|place| m1nd_mission::path_of(place) == first.path);
                let note = (!asked.is_empty()).then(|| asked.clone());
                let target = place.unwrap_or(first.path);
                (Some(EvidenceClass::DirectSource), target, Some(first.content_hash), note)
            }
            None => (None, asked, None, None),
        },
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
    let note = note.or_else(|| is_unfit.then(|| UNFIT.to_owned()));
    let left_out = absent.as_ref().and_then(|search| search.left_out.as_ref());
    let note = note.or_else(|| left_out.map(|place| format!("search leaves out {place}, which has it")));
    // The lines that a view showed are its target; how they were asked for is no other question.
    let is_view =
        family == Family::Read && content_hash.is_some() && seen.arguments.contains_key("file_path");
    let asked = more_asked(seen).filter(|_| !is_view);
    let undoes = seen.arguments.get("batch_id").and_then(Value::as_str).map(str::to_owned);
    Draft {
        phase: phase(family).to_owned(),
        event_type: seen.tool.to_owned(),
        tool_family: family,
        target,
        asked,
        evidence_class,
        outcome: outcome.to_owned(),
        duration_ms: u64::try_from(seen.elapsed.as_millis()).ok(),
        agent_confidence: None,
        note,
        content_hash,
        shown: files,
        not_anchored,
        detail: match (edited, reviewed) {
            (Some((batch_id, files)), _) => Some(Box::new(Detail::Edited { batch_id, files, undoes })),
            (None, Some(changed_files)) => {
                let (set, files) = match set {
                    Some((set, files)) => (Some(set), files.into_iter().take(MOST_HELD).collect()),
                    None => (None, to_read(seen.body)),
                };
                Some(Box::new(Detail::Reviewed { changed_files, files, set }))
            }
            (None, None) if absent.is_some() => absent.map(|search| Box::new(Detail::Absent { search })),
            (None, None) if family == Family::Read => {
                let parts = parts(seen.body);
                (!parts.is_empty()).then(|| Box::new(Detail::Showed { parts, search: absent::asked(seen) }))
            }
            (None, None) => {
                (family.is_graph() && !places.is_empty()).then(|| Box::new(Detail::Found { places }))
            }
        },
    }
}

/// Why a review is none.
const UNFIT: &str =
    "The diff neither is applied to these files nor fits them: no review of a change of theirs.";

/// Files that one event is anchored to; how many more there were is kept.
const ANCHORS: usize = 32;

/// Fields of an answer that hold lines of a file.
const LINES: [&str; 4] = ["content", "line_content", "source", "code"];

/// Every file whose lines an answer shows, with what it holds now, in the order of the answer.
fn shown(workspace: &Workspace, body: &Value) -> Vec<Shown> {
    let mut files: Vec<Shown> = Vec::new();
    let mut missing: BTreeSet<&str> = BTreeSet::new();
    let mut work = vec![body];
    while let Some(value) = work.pop() {
        match value {
            Value::Object(fields) => {
                let shows = LINES.iter().any(|name| fields.get(*name).is_some_and(Value::is_string));
                if let Some(path) = fields.get("file_path").and_then(Value::as_str).filter(|_| shows)
                    && !missing.contains(path)
                    && !files.iter().any(|file| file.path == path)
                {
                    match content_hash(workspace, path) {
                        Some(content_hash) => files.push(Shown { path: path.to_owned(), content_hash }),
                        None => {
                            missing.insert(path);
                        }
                    }
                }
                work.extend(fields.values().rev());
            }
            Value::Array(items) => work.extend(items.iter().rev()),
            _ => {}
        }
    }
    files
}

/// First and last lines of what was shown.
type Spans = Vec<(u64, u64)>;

/// The lines that an answer shows of each file. Of one whose lines it does not say nothing is taken down: whoever quotes it
/// must have read it otherwise.
fn parts(body: &Value) -> Vec<Part> {
    let mut files: Vec<(&str, Spans, u64)> = Vec::new();
    let mut work = vec![body];
    while let Some(value) = work.pop() {
        match value {
            Value::Object(fields) => {
                let count = |name: &str| fields.get(name).and_then(Value::as_u64);
                let list = |name: &str| fields.get(name).and_then(Value::as_array).map_or(0, Vec::len) as u64;
                let text = LINES.iter().find_map(|name| fields.get(*name)?.as_str());
                let first =
                    ["line_start", "first_line", "line_number", "line"].iter().find_map(|name| count(name));
                if let (Some(path), Some(text), Some(first)) =
                    (fields.get("file_path").and_then(Value::as_str), text, first)
                {
                    let length = text.lines().count().max(1) as u64;
                    let last = count("line_end").unwrap_or(first + length - 1).max(first);
                    let shown = (first.saturating_sub(list("context_before")), last + list("context_after"));
                    let total = count("total_lines").unwrap_or(0);
                    match files.iter_mut().find(|(one, ..)| *one == path) {
                        Some((_, lines, of)) => {
                            lines.push(shown);
                            *of = total.max(*of);
                        }
                        None => files.push((path, vec![shown], total)),
                    }
                }
                work.extend(fields.values().rev());
            }
            Value::Array(items) => work.extend(items.iter().rev()),
            _ => {}
        }
    }
    files.into_iter().take(ANCHORS + 1).map(|(path, lines, total)| Part::of(path, lines, total)).collect()
}

/// The lines that a view shows: other lines of the same file are another step.
fn place(body: &Value) -> Option<String> {
    let path = body.get("file_path")?.as_str()?;
    let line = |name: &str| body.get(name).and_then(Value::as_u64);
    Some(match (line("line_start"), line("line_end")) {
        (Some(first), Some(last)) if last >= first => format!("{path}:{first}-{last}"),
        _ => path.to_owned(),
    })
}

/// Files of a change set that are still there, from lines as `review` writes them: path, what happened, lines added and
/// removed.
fn to_read(body: &Value) -> Vec<String> {
    let lines = body.get("files").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let path = |line: &str| {
        let how = [How::Added, How::Modified, How::Renamed];
        let at = how.iter().filter_map(|how| line.rfind(&format!(" {} ", how.name()))).max()?;
        Some(line[..at].to_owned())
    };
    lines.filter_map(path).collect()
}

/// The batch that an answer tells of; nothing where nothing was written.
fn edited(seen: &Seen<'_>) -> Option<(String, Vec<EditedFile>)> {
    let id = seen.body.get("batch_id")?.as_str()?.to_owned();
    let word = |file: &Value, name: &str| file.get(name).and_then(Value::as_str).map(str::to_owned);
    let files = seen.body.get("files")?.as_array()?.iter();
    let files = files.filter_map(|file| {
        Some(EditedFile {
            path: word(file, "file_path")?,
            sha256: word(file, "sha256"),
            created: word(file, "change").as_deref() == Some("created"),
        })
    });
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
