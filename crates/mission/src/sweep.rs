//! Sweep: a look for what the findings of a bug hunt hide, and what counts as one.

use std::collections::BTreeSet;

use crate::claim::{Claim, Verdict};
use crate::edits::is_change;
use crate::event::{Event, Source};
use crate::evidence::EvidenceClass;
use crate::family::Family;
use crate::needs::is_document;
use crate::runs::is_run;
use crate::state::{State, path_of};

/// Looks that a bug hunt owes after its first finding: one of them.
pub(crate) const SWEEPS: [&str; 5] = [
    "public contracts and docs",
    "boundary values",
    "error paths",
    "async and concurrency",
    "exported helpers that no claim covers",
];

/// Words by which a search asks for one of these in the code that the findings are about.
const ASKED: [&str; 58] = [
    // boundary values
    "boundary",
    "limit",
    "max",
    "min",
    "empty",
    "none",
    "null",
    "nil",
    "zero",
    "overflow",
    "underflow",
    "len",
    "length",
    "size",
    "negative",
    "nan", // error paths
    "error",
    "err",
    "errors",
    "raise",
    "raises",
    "except",
    "exception",
    "catch",
    "throw",
    "throws",
    "panic",
    "fail",
    "failed",
    "unwrap",
    "expect",
    "finally",
    "abort",
    "errno", // async and concurrency
    "async",
    "await",
    "lock",
    "unlock",
    "mutex",
    "thread",
    "threads",
    "spawn",
    "atomic",
    "race",
    "concurrent",
    "parallel",
    "semaphore",
    "channel",
    "future",
    "promise",
    "synchronized",
    "volatile",
    // exported helpers
    "pub",
    "export",
    "exports",
    "public",
    "extern",
    "__all__",
];

/// Words that tell no question from another.
const EMPTY: [&str; 24] = [
    "the", "and", "for", "not", "with", "that", "this", "from", "when", "are", "was", "has", "its", "can",
    "but", "does", "into", "than", "then", "only", "all", "one", "def", "self",
];

/// Whether an event looks directly for what the findings hide. Either it says so and is about something that they do not
/// rest on; or everything is settled, and the runtime saw a look at what lies around them.
pub(crate) fn is_one(state: &State, event: &Event) -> bool {
    let draft = &event.draft;
    if !draft.carries() || !state.has_finding() || is_change(event) {
        return false;
    }
    if event.source == Source::Told {
        return says_so(event) && is_more(state, event);
    }
    draft.tool_family == Family::Read && state.unsettled().next().is_none() && is_around(state, event)
}

fn says_so(event: &Event) -> bool {
    let has = |text: &str| text.split('_').any(|word| matches!(word, "sweep" | "sweeps" | "swept"));
    has(&event.draft.phase) || has(&event.draft.event_type)
}

/// Whether a step is about something that no finding rests on: another file, other lines, another run.
fn is_more(state: &State, event: &Event) -> bool {
    let draft = &event.draft;
    if is_run(event) {
        return !findings(state).flat_map(|claim| &claim.runs).any(|run| run.target == draft.target);
    }
    let has_lines = path_of(&draft.target) != draft.target;
    draft.evidence_class == Some(EvidenceClass::Human)
        || has_lines
        || draft.anchors().any(|(path, _)| !is_covered(state, path) && !is_boilerplate(path))
}

/// Whether a look shows what lies around the findings: a file beside them that none of them rests on, a document above them,
/// a place that an answer led to, or lines that were asked for by a word of theirs or of one of the five kinds. A search for
/// any other word shows what has nothing to do with them, wherever it is.
fn is_around(state: &State, event: &Event) -> bool {
    let draft = &event.draft;
    // What a view names it shows; a question is no file.
    let is_named = draft.anchors().any(|(path, _)| path == path_of(&draft.target));
    let is_search = !is_named;
    let query = if is_search { words(&draft.target) } else { BTreeSet::new() };
    let of_kind = query.iter().any(|word| ASKED.contains(&word.as_str()));
    let shared = is_search && {
        let said = findings(state).map(|claim| claim.text.as_str()).chain([state.goal.as_str()]);
        let mut known: BTreeSet<String> = said.flat_map(words).collect();
        known.extend(covered(state).map(stem).flat_map(|stem| words(&stem)));
        !query.is_disjoint(&known)
    };
    draft.anchors().any(|(path, _)| {
        if is_boilerplate(path) {
            return false;
        }
        let is_near = || covered(state).any(|one| is_beside(path, one));
        if is_covered(state, path) {
            return of_kind;
        }
        let is_around = || is_near() || is_led_to(state, path);
        if is_search { shared || of_kind && is_around() } else { is_around() }
    })
}

/// Whether an answer, or the goal itself, led there.
fn is_led_to(state: &State, path: &str) -> bool {
    state.places.iter().chain(&state.known_paths).any(|place| path_of(place) == path)
}

fn findings(state: &State) -> impl Iterator<Item = &Claim> {
    let own = |claim: &&Claim| claim.verdict == Verdict::VerifiedForMission && !claim.other_goal;
    state.all_claims().filter(own)
}

/// Files that the findings rest on.
fn covered(state: &State) -> impl Iterator<Item = &str> {
    findings(state).flat_map(|claim| &claim.rests_on).map(|file| file.path.as_str())
}

pub(crate) fn is_covered(state: &State, path: &str) -> bool {
    covered(state).any(|one| one == path)
}

/// In the same folder, by the same name elsewhere (a test of it), or a document of a folder around it.
fn is_beside(path: &str, one: &str) -> bool {
    let (folder, around) = (folder(path), folder(one));
    let (own, other) = (stem(path), stem(one));
    let is_named = |a: &str, b: &str| b.len() > 2 && words(a).is_superset(&words(b));
    folder == around
        || is_named(&own, &other)
        || is_named(&other, &own)
        || is_document(path) && (folder.is_empty() || around.starts_with(&format!("{folder}/")))
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn stem(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').find(|part| !part.is_empty()).unwrap_or(name).to_owned()
}

/// Files that say nothing of what the code does.
pub(crate) fn is_boilerplate(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let starts = [
        "license",
        "licence",
        "copying",
        "notice",
        "authors",
        "contributors",
        "codeowners",
        "code_of_conduct",
    ];
    starts.iter().any(|start| name.starts_with(start)) || name.ends_with(".lock") || name.starts_with('.')
}

/// What a text asks for: its words in small letters, parts of names apart.
fn words(text: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for name in text.split(|letter: char| !letter.is_alphanumeric() && letter != '_') {
        let parts = name.split('_').chain([name]);
        all.extend(parts.map(str::to_lowercase).filter(|word| word.chars().count() > 2));
    }
    all.retain(|word| !EMPTY.contains(&word.as_str()));
    all
}
