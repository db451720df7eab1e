//! Hand-off: what the next agent must know to go on, in a few kilobytes.

use m1nd_stdx::digest::sha256_hex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::advise::next_for_child;
use crate::chain;
use crate::claim::{Claim, Verdict};
use crate::event::{Inherited, StoodAt};
use crate::ids::{EventId, MissionId};
use crate::needs::{self, Gap};
use crate::short;
use crate::situation::Situation;
use crate::state::{DeadPath, KEPT, Seen, State, TestRun};

/// What a hand-off does not prove.
pub const NON_CLAIMS: [&str; 4] = [
    "does not prove more than its verified claims",
    "does not replace compiler, test, log or file truth",
    "does not say that what was not read is right",
    "does not judge what a quoted line means: that it shows its claim is the agent's word",
];

/// Whether a file is as it was when it was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Today {
    Current,
    Changed,
    Gone,
}

/// A file that was seen, and how it is now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Anchor {
    pub path: String,
    pub content_hash: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub today: Option<Today>,
}

/// Everything that is handed over, in the order of its worth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Handoff {
    pub handoff_id: String,
    pub mission_id: MissionId,
    pub summary: String,
    /// Events that there were, and a digest over their chain: `m1nd verify` holds the mission against it. The digest gives way
    /// where there is room for little more than the next move: what was recorded of the hand-off has it.
    pub event_count: u64,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub event_digest: String,
    /// What the next agent should do first, in the mission that mission_resume gives it.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub next_required_move: Value,
    pub verified_claims: Vec<Claim>,
    pub rejected_claims: Vec<Claim>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open_hypotheses: Vec<Claim>,
    /// Claims that were taken back: nobody proved or rejected them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withdrawn_claims: Vec<Claim>,
    /// Those that are open again, because their file changed since, say so.
    pub dead_paths: Vec<DeadPath>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub graph_anchors: Vec<Anchor>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files_read: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests_run: Vec<TestRun>,
    pub gaps: Vec<Gap>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub non_claims: Vec<String>,
    /// When it is no longer to be trusted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub staleness_criteria: Vec<String>,
    /// Whether texts were cut, at `…`; mission_show has them whole.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shortened: bool,
    /// How many items of each list were left out for want of room.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub left_out: serde_json::Map<String, Value>,
    /// Over everything above: `m1nd verify` makes it again.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub handoff_digest: String,
}

/// A hand-off of this state in at most `most` bytes. The oldest items of the longest lists go first.
pub fn of(state: &State, situation: &Situation<'_>, most: usize) -> Handoff {
    let claims = |wanted: &dyn Fn(Verdict) -> bool| -> Vec<Claim> {
        let all = state.all_claims().filter(|claim| wanted(claim.verdict));
        all.map(|claim| claim.as_shown(situation.hash_of)).collect()
    };
    let before = state.inherited.files.iter().filter(|seen| !state.files.contains_key(&seen.path));
    let mut files: Vec<&Seen> = before.chain(state.files.values()).collect();
    files.sort_by_key(|seen| seen.event_id.sequence());
    let anchors = files.iter().filter_map(|seen| {
        let content_hash = seen.content_hash.clone()?;
        Some(Anchor { path: seen.path.clone(), content_hash, today: None })
    });
    let mut handoff = Handoff {
        handoff_id: format!(
            "hnd_{}",
            EventId::new(&state.mission_id, state.sequence + 1).as_str().trim_start_matches("evt_")
        ),
        mission_id: state.mission_id.clone(),
        summary: summary(state, situation),
        event_count: state.sequence,
        event_digest: chain::digest_of(state.sequence, &state.head),
        next_required_move: json!(next_for_child(state, situation)),
        verified_claims: claims(&|verdict| verdict == Verdict::VerifiedForMission),
        rejected_claims: claims(&|verdict| verdict == Verdict::Rejected),
        open_hypotheses: claims(&Verdict::is_open),
        withdrawn_claims: claims(&|verdict| verdict == Verdict::Withdrawn),
        dead_paths: state.all_dead_paths().map(|dead| dead.as_shown(situation.hash_of)).collect(),
        graph_anchors: anchors.collect(),
        files_read: files.iter().map(|seen| seen.path.clone()).collect(),
        tests_run: state.inherited.tests.iter().chain(&state.tests).cloned().collect(),
        gaps: needs::gaps(state, situation),
        non_claims: NON_CLAIMS.map(str::to_owned).to_vec(),
        staleness_criteria: vec![
            "an anchor's file has another hash or is gone".to_owned(),
            "a test run is older than the newest edit".to_owned(),
        ],
        shortened: false,
        left_out: serde_json::Map::new(),
        handoff_digest: String::new(),
    };
    // The seal takes room, too.
    seal(&mut handoff);
    fit(&mut handoff, most);
    seal(&mut handoff);
    handoff
}

fn summary(state: &State, situation: &Situation<'_>) -> String {
    let counters = &state.counters;
    // What it knows from the mission before counts: the lists below have it, too.
    let count = |verdict| state.all_claims().filter(|claim| claim.verdict == verdict).count();
    let withdrawn = match count(Verdict::Withdrawn) {
        0 => String::new(),
        count => format!(", {count} withdrawn"),
    };
    format!(
        "{} ({}): {} claims, {} verified, {} rejected{withdrawn}; {} calls, {} files read, {} dead paths.",
        state.goal,
        state.mode.name(),
        state.all_claims().count(),
        count(Verdict::VerifiedForMission),
        count(Verdict::Rejected),
        counters.tool_calls,
        counters.files_read,
        state.live_dead_paths(situation.hash_of).count(),
    )
}

/// Bytes that a text keeps, and items that a list keeps, the wider first: what was said in short is worth more than what
/// is left out.
const ROOM: [(usize, usize); 5] = [(600, LONGEST), (300, 8), (160, 3), (80, 1), (60, 0)];

/// Cuts texts, and drops what can be found again before what cannot.
fn fit(handoff: &mut Handoff, most: usize) {
    shorten(handoff);
    let size = |handoff: &Handoff| serde_json::to_vec(handoff).map_or(0, |text| text.len());
    for (bytes, items) in ROOM {
        if size(handoff) > most {
            handoff.shortened |= cut_texts(handoff, bytes);
        }
        while size(handoff) > most {
            let Some(list) = cut_one(handoff, items) else { break };
            let count = handoff.left_out.get(list).and_then(Value::as_u64).unwrap_or(0);
            handoff.left_out.insert(list.to_owned(), json!(count + 1));
        }
    }
}

/// Makes a hand-off smaller by about so many bytes; whether there was anything to cut. What it is about and the next move
/// stay.
pub fn cut(handoff: &mut Handoff, excess: usize) -> bool {
    let size = serde_json::to_vec(handoff).map_or(0, |text| text.len());
    fit(handoff, size.saturating_sub(excess));
    let is_cut = serde_json::to_vec(handoff).map_or(0, |text| text.len()) < size || cut_rest(handoff);
    if !is_cut {
        // What it left out and its seal stay: without them nobody could tell it from one that was emptied.
        return false;
    }
    if !handoff.handoff_digest.is_empty() {
        seal(handoff);
    }
    true
}

/// All that was left out, of whichever list, where there is no room to name them.
pub const ITEMS: &str = "items";

fn cut_rest(handoff: &mut Handoff) -> bool {
    let is_cut = handoff.staleness_criteria.pop().is_some()
        || handoff.non_claims.pop().is_some()
        || handoff.gaps.pop().is_some();
    if !is_cut && handoff.left_out.len() > 1 {
        let all: u64 = handoff.left_out.values().filter_map(Value::as_u64).sum();
        handoff.left_out = serde_json::Map::from_iter([(ITEMS.to_owned(), json!(all))]);
        handoff.shortened = true;
        return true;
    }
    if is_cut {
        return true;
    }
    // Its mission has all that it says, and is named. What to do next goes last, its reasons before its call.
    let next = &mut handoff.next_required_move;
    let mut without = |field: &str| next.as_object_mut().is_some_and(|next| next.remove(field).is_some());
    let is_cut = short_summary(&mut handoff.summary, 20)
        || without("why")
        || short::text(&mut handoff.summary, 3)
        || !std::mem::take(&mut handoff.event_digest).is_empty()
        || without("fill_in")
        || without("arguments")
        || !next.take().is_null();
    handoff.shortened |= is_cut;
    is_cut
}

/// Cuts every text to at most so many bytes; whether any was longer. Arguments of the next move stay as they are.
fn cut_texts(handoff: &mut Handoff, most: usize) -> bool {
    let mut cut = short_summary(&mut handoff.summary, most);
    if let Some(Value::String(why)) = handoff.next_required_move.get_mut("why") {
        cut |= short::text(why, most);
    }
    let claims = [
        &mut handoff.verified_claims,
        &mut handoff.rejected_claims,
        &mut handoff.open_hypotheses,
        &mut handoff.withdrawn_claims,
    ];
    for claim in claims.into_iter().flatten() {
        cut |= short::claim(claim, most);
    }
    for dead in &mut handoff.dead_paths {
        cut |= short::dead_path(dead, most);
    }
    for run in &mut handoff.tests_run {
        cut |= short::test_run(run, most);
    }
    for gap in &mut handoff.gaps {
        cut |= short::text(&mut gap.why, most);
    }
    cut
}

/// The goal gives way, and not the counts behind it.
fn short_summary(summary: &mut String, most: usize) -> bool {
    let Some(end) = summary.rfind(" (") else { return short::text(summary, most) };
    let counts = summary.split_off(end);
    let cut = short::text(summary, most);
    summary.push_str(&counts);
    cut
}

/// No list has room for more than this: the rest goes at once, not one by one.
const LONGEST: usize = 48;

fn shorten(handoff: &mut Handoff) {
    fn newest<T>(list: &mut Vec<T>) -> usize {
        let rest = list.len().saturating_sub(LONGEST);
        list.drain(..rest);
        rest
    }
    let cut = [
        ("files_read", newest(&mut handoff.files_read)),
        ("graph_anchors", newest(&mut handoff.graph_anchors)),
        ("tests_run", newest(&mut handoff.tests_run)),
        ("dead_paths", newest(&mut handoff.dead_paths)),
        ("withdrawn_claims", newest(&mut handoff.withdrawn_claims)),
        ("rejected_claims", newest(&mut handoff.rejected_claims)),
        ("open_hypotheses", newest(&mut handoff.open_hypotheses)),
        ("verified_claims", newest(&mut handoff.verified_claims)),
    ];
    for (list, count) in cut.into_iter().filter(|(_, count)| *count > 0) {
        handoff.left_out.insert(list.to_owned(), json!(count));
    }
}

/// Takes the oldest item out of the list that is worth least and has more than its share.
fn cut_one(handoff: &mut Handoff, keep: usize) -> Option<&'static str> {
    fn oldest<T>(list: &mut Vec<T>, keep: usize) -> bool {
        let cut = list.len() > keep;
        if cut {
            list.remove(0);
        }
        cut
    }
    if oldest(&mut handoff.files_read, keep) {
        return Some("files_read");
    }
    if oldest(&mut handoff.graph_anchors, keep) {
        return Some("graph_anchors");
    }
    if oldest(&mut handoff.tests_run, keep) {
        return Some("tests_run");
    }
    if oldest(&mut handoff.dead_paths, keep) {
        return Some("dead_paths");
    }
    if oldest(&mut handoff.withdrawn_claims, keep) {
        return Some("withdrawn_claims");
    }
    if oldest(&mut handoff.rejected_claims, keep) {
        return Some("rejected_claims");
    }
    if oldest(&mut handoff.open_hypotheses, keep) {
        return Some("open_hypotheses");
    }
    if oldest(&mut handoff.verified_claims, keep) {
        return Some("verified_claims");
    }
    None
}

/// Puts the digest over everything else that it says.
pub fn seal(handoff: &mut Handoff) {
    handoff.handoff_digest = digest_of(handoff);
}

pub(crate) fn digest_of(handoff: &Handoff) -> String {
    let bare = Handoff { handoff_digest: String::new(), ..handoff.clone() };
    let text = serde_json::to_value(&bare).map(|value| sorted(value).to_string()).unwrap_or_default();
    format!("sha256:{}", sha256_hex(text.as_bytes()))
}

/// The same with the names of every object in order: whoever lays it out anew changes nothing.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<(String, Value)> =
                fields.into_iter().map(|(name, value)| (name, sorted(value))).collect();
            fields.sort_by(|(one, _), (other, _)| one.cmp(other));
            Value::Object(fields.into_iter().collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(sorted).collect()),
        other => other,
    }
}

/// What a child of this mission begins with: everything, not only what a hand-off has room for.
pub fn inherited(state: &State, next_move: Option<Value>) -> Inherited {
    let mut files: Vec<Seen> = state.inherited.files.clone();
    files.retain(|seen| !state.files.contains_key(&seen.path));
    files.extend(state.files.values().cloned());
    files.sort_by_key(|seen| seen.event_id.sequence());
    // A chain of children does not grow without end: of each list the newest go on.
    Inherited {
        goal: state.goal.clone(),
        claims: newest(state.all_claims()),
        dead_paths: newest(state.all_dead_paths()),
        files: newest(files.iter()),
        tests: newest(state.inherited.tests.iter().chain(&state.tests)),
        runs_after: state.runs_after(KEPT),
        tested: state.tested.clone(),
        edits: newest(state.edits()),
        review: state.review(),
        stood_at: Some(StoodAt {
            mission_id: state.mission_id.clone(),
            sequence: state.sequence,
            hash: state.head.clone(),
        }),
        swept: state.inherited.swept || !state.sweeps.is_empty(),
        swept_told: !(state.sweep_shown || state.inherited.swept && !state.inherited.swept_told)
            && (state.inherited.swept || !state.sweeps.is_empty()),
        next_move,
    }
}

fn newest<'a, T: Clone + 'a>(all: impl Iterator<Item = &'a T>) -> Vec<T> {
    let mut all: Vec<T> = all.cloned().collect();
    let rest = all.len().saturating_sub(KEPT);
    all.drain(..rest);
    all
}
