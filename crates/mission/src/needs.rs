//! Needs: what a mission of each kind must have done, in order, and what of it is missing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::claim::Claim;
use crate::event::{Shown, Speaks, is_passed};
use crate::evidence::EvidenceClass;
use crate::family::Family;
use crate::mode::{Mode, Route};
use crate::runs::FAILED;
use crate::situation::Situation;
use crate::state::{State, TestRun, path_of};

/// One thing that a mission of some kind does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// The files that were named at the start were read.
    KnownRead,
    /// The repository was looked at as a whole.
    Oriented,
    /// A change set was judged as a whole.
    Reviewed,
    /// There was a change set to judge.
    DiffSeen,
    /// A file of the change set was seen, or its diff.
    ChangedRead,
    /// A document and a file of code were seen.
    DocumentAndCode,
    /// Places were searched for.
    Located,
    /// What is around a place was looked at.
    Related,
    /// The source of at least this many files was seen.
    SourceRead(usize),
    /// What the change needs was asked before it was made.
    Planned,
    /// A change was made, and is still there.
    Edited,
    /// Every file that was changed had been read before.
    ReadBefore,
    /// Something ran after the newest edit, and passed.
    Tested,
    Claimed,
    /// Every claim is verified or rejected.
    Settled,
    /// The files that verified claims rest on are as they were.
    Current,
    /// Somebody looked for what the first finding hides.
    Swept,
}

/// Something that was not done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Gap {
    /// In one word.
    pub gap: String,
    pub why: String,
}

/// One thing that a mission does, and whether it did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Required {
    pub need: &'static str,
    pub done: bool,
    /// Whether the mission has a gap without it.
    pub to_close: bool,
}

/// What a mission of this kind does, in order, and what of it is done.
pub fn explain(state: &State, situation: &Situation<'_>) -> Vec<Required> {
    let of = |need: &Need| Required {
        need: need.name(),
        done: need.is_met(state, situation),
        to_close: !need.is_advice(),
    };
    self::of(state.mode).iter().map(of).collect()
}

/// Looks that a bug hunt owes after its first finding.
pub(crate) const SWEEPS: [&str; 5] = [
    "public contracts and docs",
    "boundary values",
    "error paths",
    "async and concurrency",
    "exported helpers that no claim covers",
];

/// What a mission does, in order.
pub(crate) fn of(mode: Mode) -> &'static [Need] {
    use Need::{
        ChangedRead, Claimed, Current, DiffSeen, DocumentAndCode, Edited, KnownRead, Located, Oriented,
        Planned, ReadBefore, Related, Reviewed, Settled, SourceRead, Swept, Tested,
    };
    match mode {
        Mode::Orientation => &[Oriented, KnownRead, SourceRead(2), Settled, Current],
        Mode::BugHunt => &[KnownRead, Oriented, Located, SourceRead(1), Claimed, Settled, Current, Swept],
        Mode::Review => {
            &[Reviewed, DiffSeen, KnownRead, ChangedRead, SourceRead(1), Claimed, Settled, Current]
        }
        Mode::Refactor => &[
            KnownRead,
            Oriented,
            Located,
            Related,
            SourceRead(1),
            Planned,
            Edited,
            ReadBefore,
            Tested,
            Settled,
            Current,
        ],
        Mode::DocsDrift => &[KnownRead, Oriented, Located, DocumentAndCode, Claimed, Settled, Current],
        Mode::Release => &[Reviewed, KnownRead, SourceRead(1), Tested, Claimed, Settled, Current],
        Mode::Edit => &[
            KnownRead,
            Oriented,
            Located,
            SourceRead(1),
            Planned,
            Edited,
            ReadBefore,
            Tested,
            Settled,
            Current,
        ],
    }
}

impl Need {
    fn name(self) -> &'static str {
        match self {
            Self::KnownRead => "known files read",
            Self::Oriented => "repository seen as a whole",
            Self::Reviewed => "change set judged as a whole",
            Self::DiffSeen => "a change set that is not empty",
            Self::ChangedRead => "a file of the change read",
            Self::DocumentAndCode => "a document and a file of code read",
            Self::Located => "places searched for",
            Self::Related => "callers and dependents looked at",
            Self::SourceRead(_) => "source read",
            Self::Planned => "plan checked",
            Self::Edited => "change made, and not taken back",
            Self::ReadBefore => "every changed file read before",
            Self::Tested => "run after the newest edit, and passed",
            Self::Claimed => "conclusion drawn",
            Self::Settled => "every claim verified or rejected",
            Self::Current => "what verified claims rest on as it was",
            Self::Swept => "looked for what the first finding hides",
        }
    }

    /// Whether a mission can end well without it.
    fn is_advice(self) -> bool {
        matches!(self, Self::KnownRead | Self::Oriented | Self::Located | Self::Related | Self::Planned)
    }

    pub(crate) fn is_met(self, state: &State, situation: &Situation<'_>) -> bool {
        // Whoever knows the files needs no map of all others.
        let is_direct = matches!(state.route, Route::Direct | Route::Resume);
        match self {
            Self::KnownRead => unread(state, situation).is_none(),
            Self::Oriented => is_direct || state.used(Family::Orient) || !state.files.is_empty(),
            Self::Reviewed => {
                state.used(Family::Plan) || state.used(Family::Relate) || state.reviewed.is_some()
            }
            Self::DiffSeen => state.reviewed.is_some_and(|files| files > 0),
            Self::ChangedRead => unread_change(state, situation).is_none(),
            Self::DocumentAndCode => lacking(state).is_none(),
            Self::Located => {
                let found = state.used(Family::Retrieve) && !state.retrieval_blocked;
                is_direct || found || !state.files.is_empty()
            }
            Self::Related => state.used(Family::Relate),
            Self::SourceRead(count) => files_read(state).count() >= count,
            Self::Planned => state.used(Family::Plan) || state.used(Family::Edit),
            Self::Edited => state.live_edits(situation.hash_of).next().is_some(),
            Self::ReadBefore => state.unread_edit().is_none(),
            Self::Tested => untested(state, situation).is_none(),
            // What the mission before concluded for the same goal need not be concluded again.
            Self::Claimed => state.all_claims().any(|claim| !claim.other_goal),
            Self::Settled => state.unsettled().next().is_none(),
            Self::Current => state.stale_claims(situation.hash_of).is_empty(),
            Self::Swept => !state.has_finding() || state.inherited.swept || !state.sweeps.is_empty(),
        }
    }

    /// What closing without it leaves open; nothing for what is advice only.
    fn gap(self, state: &State, situation: &Situation<'_>) -> Option<Gap> {
        let (gap, why) = match self {
            advice if advice.is_advice() => return None,
            Self::KnownRead | Self::Oriented | Self::Located | Self::Related | Self::Planned => return None,
            Self::Reviewed => ("not_reviewed", "The change was not looked at as a whole.".to_owned()),
            Self::SourceRead(count) => (
                "source_not_read",
                format!("The source of {} files was read; {count} are needed.", files_read(state).count()),
            ),
            Self::DiffSeen => (
                "no_change_set",
                "Nothing was reviewed: there was no change set, or none was looked at. review takes a base or a diff."
                    .to_owned(),
            ),
            Self::ChangedRead => {
                let first = unread_change(state, situation)?;
                ("change_not_read", format!("No file of the change was read; {first} is one."))
            }
            Self::DocumentAndCode => ("source_not_read", lacking(state)?),
            Self::Edited if state.edits.is_empty() => {
                ("nothing_edited", "No change was made that is still there.".to_owned())
            }
            Self::Edited => {
                ("nothing_edited", "What was changed is as it was before: it was taken back.".to_owned())
            }
            Self::ReadBefore => {
                let path = state.unread_edit()?;
                ("edited_unread", format!("{path} was changed and nobody had read it before."))
            }
            Self::Tested => ("not_tested", untested(state, situation)?),
            Self::Claimed => {
                ("no_claim", "Nothing was concluded; that nothing was found is a conclusion too.".to_owned())
            }
            Self::Settled => {
                let open: Vec<&str> = state.unsettled().map(|claim| claim.claim_id.as_str()).collect();
                ("claims_not_settled", format!("Neither verified nor rejected: {}.", open.join(", ")))
            }
            Self::Current => {
                let stale = state.stale_claims(situation.hash_of);
                let said: Vec<String> = stale
                    .iter()
                    .map(|(claim, files)| {
                        format!("{} ({})", claim.claim_id, stale_words(claim, files, situation))
                    })
                    .collect();
                let why = format!("Verified by what is not as it was: {}.", said.join("; "));
                ("stale_evidence", why)
            }
            Self::Swept => (
                "no_negative_space_sweep",
                format!("Nobody looked directly for what the first finding hides: {}.", SWEEPS.join(", ")),
            ),
        };
        Some(Gap { gap: gap.to_owned(), why })
    }
}

/// What is missing for an honest end.
pub fn gaps(state: &State, situation: &Situation<'_>) -> Vec<Gap> {
    if !situation.right_workspace {
        let why = format!("The runtime is not bound to {}: nothing of it was seen.", state.repo);
        return vec![Gap { gap: "wrong_workspace".to_owned(), why }];
    }
    let unmet = of(state.mode).iter().filter(|need| !need.is_met(state, situation));
    unmet.filter_map(|need| need.gap(state, situation)).collect()
}

/// The first file that was named at the start, is there, and was not seen yet.
pub(crate) fn unread<'s>(state: &'s State, situation: &Situation<'_>) -> Option<&'s str> {
    let is_unread = |path: &&String| {
        let path = path_of(path);
        !state.files.contains_key(path) && !state.is_dead(path) && situation.exists(path)
    };
    state.known_paths.iter().find(is_unread).map(String::as_str)
}

/// The first file of the change set to read, while none of them was. Those that are gone or lead nowhere are not asked for.
pub(crate) fn unread_change<'s>(state: &'s State, situation: &Situation<'_>) -> Option<&'s str> {
    let is_changed = |path: &str| state.changed.iter().any(|changed| changed == path);
    if files_read(state).any(is_changed) {
        return None;
    }
    let open = state.changed.iter().filter(|path| situation.exists(path) && !state.is_dead(path));
    // What is written for readers says least of what a change does.
    open.min_by_key(|path| is_document(path)).map(String::as_str)
}

/// What a claim rests on that is not as it was: `a.rs changed, b.rs gone`.
pub(crate) fn stale_words(claim: &Claim, files: &[String], situation: &Situation<'_>) -> String {
    let said = |path: &String| {
        let how = if situation.exists(path) { "changed" } else { "gone" };
        format!("{path} {how}")
    };
    files.iter().map(said).chain(claim.overtaken.iter().cloned()).collect::<Vec<_>>().join(", ")
}

/// Files that this mission saw, or the one before it for the same goal, each once.
fn files_read(state: &State) -> impl Iterator<Item = &str> {
    let before = state.inherited.files.iter().filter(|seen| !seen.other_goal).map(|seen| seen.path.as_str());
    state.files.keys().map(String::as_str).chain(before.filter(|path| !state.files.contains_key(*path)))
}

/// What of a document and the code that it speaks of was not seen.
fn lacking(state: &State) -> Option<String> {
    let (documents, code): (Vec<&str>, Vec<&str>) = files_read(state).partition(|path| is_document(path));
    match (documents.is_empty(), code.is_empty()) {
        (false, false) => None,
        (true, _) => Some("No document was read.".to_owned()),
        (false, true) => Some("No file of code was read.".to_owned()),
    }
}

/// Whether a file is written for readers.
pub(crate) fn is_document(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let is_text = name.rsplit_once('.').is_none_or(|(_, end)| {
        ["md", "mdx", "markdown", "rst", "txt", "adoc", "asciidoc", "org", "tex", "html", "htm", "ipynb"]
            .contains(&end)
    });
    let is_named = ["readme", "changelog", "contributing", "history", "news"]
        .iter()
        .any(|start| name.starts_with(start));
    // A file without an ending is a document only by its name.
    if name.contains('.') { is_text } else { is_named }
}

/// Why nothing proves that it works. A probe shows one thing; it does not take back a test that failed.
fn untested(state: &State, situation: &Situation<'_>) -> Option<String> {
    let after = |kind: Option<EvidenceClass>, place: u64| {
        let runs = state.tests.iter().rev();
        runs.filter(move |run| run.kind == kind && run.event_id.sequence() > place).collect::<Vec<_>>()
    };
    let was_tested = state.tests.iter().any(|run| run.kind.is_none());
    let edited = state.changed_at;
    let kind = match () {
        () if !after(None, edited).is_empty() => None,
        () if was_tested => return Some("No test was run after the newest edit.".to_owned()),
        // Where nobody tests, a compiler's word is the best there is.
        () if !after(Some(EvidenceClass::Compiler), edited).is_empty() => Some(EvidenceClass::Compiler),
        () if state.tests.is_empty() => return Some("Nothing was run.".to_owned()),
        () => return Some("No test and no compiler was run after the newest edit.".to_owned()),
    };
    // What failed before the first edit shows what was to be mended. What failed since is mended when it passes, and not
    // when something else does.
    let first = state.edits().map(|edit| edit.event_id.sequence()).min().unwrap_or(edited);
    let mut runs = after(kind, first);
    if kind.is_none() {
        // What does not compile was not tested.
        runs.extend(after(Some(EvidenceClass::Compiler), first));
        runs.sort_by_key(|run| std::cmp::Reverse(run.event_id.sequence()));
    }
    let is_newest = |at: usize| !runs[..at].iter().any(|later| later.target == runs[at].target);
    let Some(bad) = (0..runs.len()).find(|at| is_newest(*at) && !is_passed(&runs[*at].outcome)) else {
        // Editors and calls without a mission change files, too.
        let changed = |file: &&Shown| !situation.is_current(&file.path, &file.content_hash);
        if let Some(Shown { path, .. }) = state.tested.iter().find(changed) {
            return Some(format!("{path} is not as it was when the newest test ran."));
        }
        let TestRun { target, event_id, .. } = failed_before(state)?;
        return Some(format!("{target} failed in the mission before ({event_id}) and was not run again."));
    };
    let TestRun { target, event_id, outcome, .. } = runs[bad];
    Some(match outcome.as_str() {
        failed if FAILED.contains(&failed) => format!("The newest run of {target} failed ({event_id})."),
        against if Speaks::of(against) == Speaks::Against => {
            format!("The newest run of {target} speaks against it ({event_id}).")
        }
        _ => format!("The newest run of {target} did not pass ({event_id}, {outcome})."),
    })
}

/// A run that failed last in the mission before, and that this one did not run.
fn failed_before(state: &State) -> Option<&TestRun> {
    let before = &state.inherited.tests;
    let is_last = |at: usize| !before[at + 1..].iter().any(|later| later.target == before[at].target);
    let was_run = |target: &str| state.tests.iter().any(|run| run.target == target);
    let failed = |run: &TestRun| FAILED.contains(&run.outcome.as_str()) && !was_run(&run.target);
    (0..before.len()).find(|&at| is_last(at) && failed(&before[at])).map(|at| &before[at])
}
