//! Handed: a hand-off that somebody kept, held against its own seal, against what its mission recorded, and against what
//! its mission says now.

use serde::Serialize;
use serde_json::Value;

use crate::claim::{Claim, Verdict};
use crate::handoff::{Handoff, ITEMS, digest_of};
use crate::state::State;

/// What an answer says besides the hand-off that it gives: whoever kept the answer has not changed the hand-off.
const BESIDE: [&str; 12] = [
    "next_suggested_tool",
    "next_suggested_target",
    "next_step_hint",
    "proof_state",
    "freshness",
    "clamped",
    "truncated",
    "elapsed_ms",
    "agent_runtime_contract",
    "mission_event_id",
    "mission_warnings",
    "_meta",
];

/// Reads a hand-off. What is wrong with it by itself is told; one that has no seal was written by an earlier build, or
/// somebody took it out.
pub fn read(text: &str) -> Result<(Handoff, Seal), String> {
    let handoff: Handoff =
        serde_json::from_str(text).map_err(|err| format!("This is no hand-off: {err}."))?;
    if let Some(at) = said_besides(text, &handoff)? {
        return Err(format!("It says something that no hand-off says, at {at}."));
    }
    let seal = match handoff.handoff_digest.as_str() {
        "" => Seal::Missing,
        digest if digest == digest_of(&handoff) => Seal::Whole,
        _ => Seal::Broken,
    };
    Ok((handoff, seal))
}

/// What a text says besides the hand-off that was read out of it.
fn said_besides(text: &str, handoff: &Handoff) -> Result<Option<String>, String> {
    let unread = |err: serde_json::Error| format!("This is no hand-off: {err}.");
    let mut given: Value = serde_json::from_str(text).map_err(unread)?;
    let known = serde_json::to_value(handoff).map_err(unread)?;
    if let Some(fields) = given.as_object_mut() {
        fields.retain(|name, _| known.get(name).is_some() || !BESIDE.contains(&name.as_str()));
    }
    Ok(more(&given, &known, String::new()))
}

/// The first place where a value has a field that the other has not. What is empty says nothing.
fn more(given: &Value, known: &Value, at: String) -> Option<String> {
    match (given, known) {
        (Value::Object(given), Value::Object(known)) => given.iter().find_map(|(name, value)| {
            let at = format!("{at}/{name}");
            match known.get(name) {
                Some(known) => more(value, known, at),
                None => (!is_empty(value)).then_some(at),
            }
        }),
        (Value::Array(given), Value::Array(known)) => {
            let pairs = given.iter().zip(known).enumerate();
            pairs.filter_map(|(place, (given, known))| more(given, known, format!("{at}/{place}"))).next()
        }
        _ => None,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Number(number) => number.as_u64() == Some(0),
        Value::Bool(true) => false,
    }
}

/// What an answer says beside the hand-off in it. No seal covers that.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// Words that are not those of the answer to this hand-off.
    pub forged: Vec<String>,
    /// Fields that nobody can make again.
    pub unsealed: Vec<String>,
}

/// What a text says beside the hand-off that was read out of it: what follows from the hand-off is held against that, and the
/// rest is named.
pub fn beside(text: &str, handoff: &Handoff) -> Beside {
    let mut found = Beside::default();
    let (Ok(Value::Object(given)), Ok(known)) = (serde_json::from_str(text), serde_json::to_value(handoff))
    else {
        return found;
    };
    for name in BESIDE.iter().filter(|name| known.get(**name).is_none()) {
        let Some(said) = given.get(*name).filter(|said| !is_empty(said)) else { continue };
        let said = said.as_str();
        match *name {
            "next_suggested_tool" if said == Some(TAKEN_UP_BY) => {}
            "next_suggested_target" if said == Some(&handoff.handoff_id) => {}
            "next_suggested_tool" | "next_suggested_target" => found.forged.push((*name).to_owned()),
            // Words about the length of an answer may stand behind it.
            "next_step_hint" if said == Some(HINT) => {}
            other => found.unsealed.push(other.to_owned()),
        }
    }
    found
}

/// The tool by which a hand-off is taken up.
pub const TAKEN_UP_BY: &str = "mission_resume";
/// How.
pub const HINT: &str = "The next agent passes this, or the mission_id.";

/// Whether a hand-off is as it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seal {
    Whole,
    Broken,
    Missing,
}

/// How a hand-off is not the one that was recorded. One that was cut to fit says less, and how much less.
pub fn differs(kept: &Handoff, recorded: &Handoff) -> Vec<String> {
    let mut faults = Vec::new();
    let mut wrong = |what: String| faults.push(what);
    // One that has room for little says only how many they were.
    let is_short = kept.shortened && kept.event_digest.is_empty();
    let is_same = is_short || kept.event_digest == recorded.event_digest;
    if kept.event_count != recorded.event_count || !is_same {
        wrong("it names other events than those that it was made of".to_owned());
    }
    if !is_same_summary(&kept.summary, &recorded.summary) {
        wrong("its summary is not the one that was handed over".to_owned());
    }
    if !is_same_move(&kept.next_required_move, &recorded.next_required_move) {
        wrong("its next_required_move is not the one that was handed over".to_owned());
    }
    let lists = [
        List::of("verified_claims", &kept.verified_claims, &recorded.verified_claims, is_same_claim),
        List::of("rejected_claims", &kept.rejected_claims, &recorded.rejected_claims, is_same_claim),
        List::of("open_hypotheses", &kept.open_hypotheses, &recorded.open_hypotheses, is_same_claim),
        List::of("withdrawn_claims", &kept.withdrawn_claims, &recorded.withdrawn_claims, is_same_claim),
        List::of("dead_paths", &kept.dead_paths, &recorded.dead_paths, |one, other| {
            one.event_id == other.event_id
                && one.reopened == other.reopened
                && is_cut_of(&one.target, &other.target)
                && is_cut_of(
                    one.note.as_deref().unwrap_or_default(),
                    other.note.as_deref().unwrap_or_default(),
                )
        }),
        List::of("graph_anchors", &kept.graph_anchors, &recorded.graph_anchors, |one, other| one == other),
        List::of("files_read", &kept.files_read, &recorded.files_read, |one, other| one == other),
        List::of("tests_run", &kept.tests_run, &recorded.tests_run, |one, other| {
            one.event_id == other.event_id
                && one.outcome == other.outcome
                && is_cut_of(&one.target, &other.target)
        }),
    ];
    // One that was cut to next to nothing says only how much it left out of all lists together.
    let items = kept.left_out.get(ITEMS).and_then(Value::as_u64);
    if let Some(items) = items {
        let there: usize = lists.iter().map(|list| list.kept).sum();
        let before: usize = lists.iter().map(|list| list.recorded).sum();
        let out: u64 = recorded.left_out.values().filter_map(Value::as_u64).sum();
        if there as u64 + items != before as u64 + out {
            wrong("it lacks something that was handed over".to_owned());
        }
    }
    for list in lists {
        let List { name, kept: there, recorded: before, foreign } = list;
        if let Some(foreign) = foreign {
            wrong(format!("{name} says what was not handed over: {foreign}"));
            continue;
        }
        let out = |handoff: &Handoff| handoff.left_out.get(name).and_then(Value::as_u64).unwrap_or(0);
        if there as u64 + out(kept) != before as u64 + out(recorded) && items.is_none() {
            wrong(format!("{name} lacks something that was handed over"));
        }
    }
    let foreign = kept.gaps.iter().find(|gap| {
        !recorded.gaps.iter().any(|other| gap.gap == other.gap && is_cut_of(&gap.why, &other.why))
    });
    if let Some(gap) = foreign {
        wrong(format!("gaps says what was not handed over: {}", gap.gap));
    }
    faults
}

/// What its mission says otherwise since then.
pub fn since(kept: &Handoff, now: &State) -> Vec<String> {
    let verdict_now = |claim: &Claim| now.all_claims().find(|one| one.claim_id == claim.claim_id);
    let moved = kept.verified_claims.iter().filter_map(|claim| {
        let now = verdict_now(claim)?;
        let how = match now.verdict {
            Verdict::VerifiedForMission => return None,
            Verdict::Rejected => "was rejected since then",
            Verdict::Open | Verdict::NeedsDirectEvidence | Verdict::Withdrawn => "is open again since then",
        };
        Some(format!("{} {how}: {}", claim.claim_id, now.reason))
    });
    moved.collect()
}

/// One list of a hand-off beside the same of another.
struct List {
    name: &'static str,
    kept: usize,
    recorded: usize,
    /// The first item that the other does not have.
    foreign: Option<String>,
}

impl List {
    fn of<T: Serialize>(name: &'static str, kept: &[T], recorded: &[T], is_same: fn(&T, &T) -> bool) -> Self {
        let foreign = kept.iter().find(|one| !recorded.iter().any(|other| is_same(one, other)));
        let said = |one: &T| serde_json::to_string(one).unwrap_or_default();
        let foreign = foreign.map(|one| crate::short::of(&said(one), FOREIGN));
        Self { name, kept: kept.len(), recorded: recorded.len(), foreign }
    }
}

/// Enough to know what it is, in bytes.
const FOREIGN: usize = 160;

fn is_same_claim(one: &Claim, other: &Claim) -> bool {
    one.claim_id == other.claim_id
        && one.verdict == other.verdict
        && one.self_reported == other.self_reported
        && one.other_goal == other.other_goal
        && is_cut_of(&one.text, &other.text)
        && is_cut_of(&one.reason, &other.reason)
}

/// Whether a text is another, or its beginning.
fn is_cut_of(one: &str, other: &str) -> bool {
    one == other || one.strip_suffix('…').is_some_and(|start| other.starts_with(start.trim_end_matches('…')))
}

/// The goal may be cut; the counts behind it are not.
fn is_same_summary(one: &str, other: &str) -> bool {
    let split = |text: &str| text.rfind(" (").map(|at| (text[..at].to_owned(), text[at..].to_owned()));
    match (split(one), split(other)) {
        (Some((goal, counts)), Some((other_goal, other_counts))) => {
            counts == other_counts && is_cut_of(&goal, &other_goal)
        }
        _ => is_cut_of(one, other),
    }
}

/// What a move may lack that was cut to fit.
const CUT: [&str; 3] = ["why", "fill_in", "arguments"];

fn is_same_move(one: &Value, other: &Value) -> bool {
    let (Some(one_fields), Some(other_fields)) = (one.as_object(), other.as_object()) else {
        return one.is_null() || one == other;
    };
    // Where there is no room for them, its reasons and its arguments are left out.
    other_fields.keys().all(|name| one_fields.contains_key(name) || CUT.contains(&name.as_str()))
        && one_fields.iter().all(|(name, value)| match (name.as_str(), value, other_fields.get(name)) {
            ("why", Value::String(one), Some(Value::String(other))) => is_cut_of(one, other),
            (_, value, other) => Some(value) == other,
        })
}
