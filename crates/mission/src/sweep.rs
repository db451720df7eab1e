//! Sweep: a look for what the findings of a bug hunt hide, and what counts as one.

use std::collections::BTreeSet;

use crate::absence::Absence;
use crate::claim::{Claim, Verdict};
use crate::edits::is_change;
use crate::event::{Event, Source};
use crate::evidence::EvidenceClass;
use crate::family::Family;
use crate::lines::is_look;
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

/// Words that stand in every code, whatever it is about.
const COMMON: [&str; 44] = [
    "import",
    "imports",
    "return",
    "returns",
    "function",
    "functions",
    "class",
    "method",
    "methods",
    "value",
    "values",
    "code",
    "file",
    "files",
    "line",
    "lines",
    "test",
    "tests",
    "name",
    "names",
    "type",
    "types",
    "data",
    "object",
    "string",
    "list",
    "call",
    "calls",
    "called",
    "use",
    "uses",
    "used",
    "set",
    "get",
    "new",
    "key",
    "true",
    "false",
    "module",
    "package",
    "main",
    "index",
    "init",
    "args",
];

/// Words that tell no question from another.
const EMPTY: [&str; 24] = [
    "the", "and", "for", "not", "with", "that", "this", "from", "when", "are", "was", "has", "its", "can",
    "but", "does", "into", "than", "then", "only", "all", "one", "def", "self",
];

/// Whether an event looks directly for what the findings hide. Either it says so and is about something that they do not
/// rest on; or everything is settled, and the runtime saw a look at what lies around them. That one of the five kinds is
/// nowhere in the files of the findings is seen by looking, too.
pub(crate) fn is_one(state: &State, event: &Event) -> bool {
    let draft = &event.draft;
    let is_absent = event.source == Source::Observed && draft.absence().is_some();
    if !(draft.carries() || is_absent) || !state.has_finding() || is_change(event) {
        return false;
    }
    if event.source == Source::Told {
        return says_so(event) && is_more(state, event);
    }
    if draft.tool_family != Family::Read || state.unsettled().next().is_some() {
        return false;
    }
    draft.absence().map_or_else(|| is_around(state, event), |search| is_kind_absent(state, search))
}

/// Whether a search found nothing of one of the five kinds in a file that the findings rest on.
fn is_kind_absent(state: &State, search: &Absence) -> bool {
    let is_kind = |word: &str| ASKED.contains(&word.trim().replace("\\b", "").to_lowercase().as_str());
    search.query.split('|').all(is_kind) && covered(state).any(|path| search.reached(path))
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
    let is_other = |path: &str| (has_lines || !is_covered(state, path)) && !is_boilerplate(path);
    draft.evidence_class == Some(EvidenceClass::Human)
        || draft.anchors().any(|(path, _)| is_other(path) && is_look(draft, path))
}

/// Whether a look shows what lies around the findings: enough of a file beside them that none of them rests on, of a document
/// above them, or of a place that an answer led to; or lines that were asked for by a name of theirs, or around them by a
/// word of theirs or of one of the five kinds. A search for any other word shows what has nothing to do with them.
fn is_around(state: &State, event: &Event) -> bool {
    let draft = &event.draft;
    // What a view names it shows; a question is no file.
    let is_named = draft.anchors().any(|(path, _)| path == path_of(&draft.target));
    let is_search = !is_named;
    let query = if is_search { words(&draft.target) } else { BTreeSet::new() };
    let of_kind = query.iter().any(|word| ASKED.contains(&word.as_str()));
    let said = || findings(state).map(|claim| claim.text.as_str()).chain([state.goal.as_str()]);
    // A name of theirs is looked for wherever it is; a word of theirs only around them, and none that stands everywhere.
    let by_name = is_search && said().flat_map(names).any(|name| draft.target.contains(name));
    let by_word = is_search && {
        let mut known: BTreeSet<String> = said().flat_map(words).collect();
        known.extend(covered(state).map(stem).flat_map(|stem| words(&stem)));
        query.iter().any(|word| known.contains(word) && !COMMON.contains(&word.as_str()))
    };
    let is_near = |path: &str| covered(state).any(|one| is_beside(path, one)) || is_led_to(state, path);
    // A word that the findings' own place has leads from there to all others that have it.
    let by_word = by_word && draft.anchors().any(|(path, _)| is_covered(state, path) || is_near(path));
    draft.anchors().any(|(path, _)| {
        if is_boilerplate(path) {
            return false;
        }
        if is_covered(state, path) {
            return of_kind;
        }
        let is_around = || is_near(path);
        if is_search {
            by_name || by_word || of_kind && is_around()
        } else {
            is_around() && is_look(draft, path)
        }
    })
}

/// Words of a text that only names of code look like.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words.filter(|word| {
        let has_hump = word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase);
        word.len() > 3 && (has_hump || word.trim_matches('_').contains('_'))
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

/// The file that the newest finding rests on, that is code where one is.
pub(crate) fn about(state: &State) -> Option<&str> {
    let mut files: Vec<&str> = covered(state).collect();
    files.reverse();
    files.iter().copied().find(|path| !is_document(path)).or_else(|| files.first().copied())
}

/// Questions for each of the kinds that a search can ask for, as patterns, and the kind.
pub(crate) const QUESTIONS: [(&str, &str); 4] = [
    ("error|err|raise|except|catch|throw|panic|fail|unwrap", SWEEPS[2]),
    ("len|length|size|max|min|limit|empty|none|null|nil|zero", SWEEPS[1]),
    ("async|await|lock|mutex|thread|spawn|atomic|channel", SWEEPS[3]),
    ("pub|export|public|__all__", SWEEPS[4]),
];

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
