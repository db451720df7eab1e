//! Needs: what a mission of each kind must have done, in order, and what of it is missing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::claim::{Claim, Verdict};
use crate::event::EMPTY_FILE;
use crate::family::Family;
use crate::goal;
use crate::mode::{Mode, Route};
use crate::situation::Situation;
use crate::state::{State, path_of};
use crate::sweep::{SWEEPS, is_boilerplate};
use crate::tested::untested;

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
    /// What the goal names was read before something is changed.
    GoalRead,
    /// The source of at least this many files was seen.
    SourceRead(usize),
    /// What the change needs was asked before it was made.
    Planned,
    /// A change was made, and is still there.
    Edited,
    /// Every file that was changed was read, before or since.
    ChangeRead,
    /// Something ran after the newest edit, and passed.
    Tested,
    Claimed,
    /// Every claim is verified or rejected.
    Settled,
    /// The files that verified claims rest on are as they were.
    Current,
    /// Somebody looked for what the first finding hides.
    Swept,
    /// The change set is the one that was looked at.
    SameChange,
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
    /// done, open, skipped (nobody did it, and it is too late) or not_needed (there is nothing to do, as things stand).
    pub state: &'static str,
    /// Whether it was done.
    pub done: bool,
    /// Whether the mission has a gap without it.
    pub to_close: bool,
}

/// What a mission of this kind does, in order, and what of it is done.
pub fn explain(state: &State, situation: &Situation<'_>) -> Vec<Required> {
    let of = |need: &Need| {
        let standing = need.standing(state, situation);
        Required { need: need.name(), state: standing, done: standing == DONE, to_close: !need.is_advice() }
    };
    self::of(state.mode).iter().map(of).collect()
}

const DONE: &str = "done";
const OPEN: &str = "open";
const SKIPPED: &str = "skipped";
const NOT_NEEDED: &str = "not_needed";

/// What a mission does, in order.
pub(crate) fn of(mode: Mode) -> &'static [Need] {
    use Need::{
        ChangeRead, ChangedRead, Claimed, Current, DiffSeen, DocumentAndCode, Edited, GoalRead, KnownRead,
        Located, Oriented, Planned, Related, Reviewed, SameChange, Settled, SourceRead, Swept, Tested,
    };
    match mode {
        Mode::Orientation => &[Oriented, KnownRead, Located, SourceRead(2), Settled, Current],
        Mode::BugHunt => &[KnownRead, Oriented, Located, SourceRead(1), Claimed, Settled, Current, Swept],
        Mode::Review => &[
            Reviewed,
            DiffSeen,
            KnownRead,
            ChangedRead,
            SourceRead(1),
            Claimed,
            Settled,
            Current,
            SameChange,
        ],
        Mode::Refactor => &[
            KnownRead,
            Oriented,
            Located,
            Related,
            GoalRead,
            SourceRead(1),
            Planned,
            Edited,
            ChangeRead,
            Tested,
            Settled,
            Current,
        ],
        // The document says what to look for: a map, or the goal's own words, would lead to other code first.
        Mode::DocsDrift => &[KnownRead, DocumentAndCode, Claimed, Settled, Current],
        Mode::Release => &[Reviewed, KnownRead, SourceRead(1), Tested, Claimed, Settled, Current, SameChange],
        Mode::Edit => &[
            KnownRead,
            Oriented,
            Located,
            GoalRead,
            SourceRead(1),
            Planned,
            Edited,
            ChangeRead,
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
            Self::GoalRead => "what the goal names read before a change",
            Self::SourceRead(_) => "source read",
            Self::Planned => "plan checked",
            Self::Edited => "change made, and not taken back",
            Self::ChangeRead => "every changed file read",
            Self::Tested => "run after the newest edit, and passed",
            Self::Claimed => "conclusion drawn",
            Self::Settled => "every claim verified or rejected",
            Self::Current => "what verified claims rest on as it was",
            Self::Swept => "looked for what the first finding hides",
            Self::SameChange => "change set as it was when it was judged",
        }
    }

    /// Whether a mission can end well without it.
    pub(crate) fn is_advice(self) -> bool {
        matches!(
            self,
            Self::KnownRead | Self::Oriented | Self::Located | Self::Related | Self::GoalRead | Self::Planned
        )
    }

    /// The family of the steps that do it, where only these do.
    fn family(self) -> Option<Family> {
        match self {
            Self::Oriented => Some(Family::Orient),
            Self::Located => Some(Family::Retrieve),
            Self::Related => Some(Family::Relate),
            Self::Planned => Some(Family::Plan),
            Self::GoalRead => Some(Family::Read),
            _ => None,
        }
    }

    /// Whether it was done; what is met without being done was skipped, or there is nothing to do.
    fn standing(self, state: &State, situation: &Situation<'_>) -> &'static str {
        if !self.is_met(state, situation) {
            return OPEN;
        }
        let is_direct = matches!(state.route, Route::Direct | Route::Resume);
        let has = |verdict: Verdict| state.all_claims().any(|claim| claim.verdict == verdict);
        let (was_done, else_is) = match self {
            Self::KnownRead => (!state.known_paths.is_empty(), NOT_NEEDED),
            Self::Oriented => (state.used(Family::Orient), if is_direct { NOT_NEEDED } else { SKIPPED }),
            Self::Located => {
                let found = state.used(Family::Retrieve) && !state.retrieval_blocked;
                (found, if is_direct { NOT_NEEDED } else { SKIPPED })
            }
            Self::Related => {
                (state.used(Family::Relate), if has_inherited_edit(state) { NOT_NEEDED } else { SKIPPED })
            }
            Self::Planned => {
                (state.used(Family::Plan), if has_inherited_edit(state) { NOT_NEEDED } else { SKIPPED })
            }
            Self::ChangedRead | Self::SameChange => (state.reviewed.is_some() || state.diff_read, NOT_NEEDED),
            Self::GoalRead => {
                let names = goal::names_something(state, situation);
                (
                    names && goal::unread_place(state, situation).is_none(),
                    if names { SKIPPED } else { NOT_NEEDED },
                )
            }
            Self::ChangeRead => (state.edits().next().is_some(), NOT_NEEDED),
            Self::Settled => (state.all_claims().next().is_some(), NOT_NEEDED),
            Self::Current => (has(Verdict::VerifiedForMission), NOT_NEEDED),
            Self::Swept => (state.has_finding(), NOT_NEEDED),
            Self::Reviewed
            | Self::DiffSeen
            | Self::DocumentAndCode
            | Self::SourceRead(_)
            | Self::Edited
            | Self::Tested
            | Self::Claimed => (true, DONE),
        };
        if was_done { DONE } else { else_is }
    }

    pub(crate) fn is_met(self, state: &State, situation: &Situation<'_>) -> bool {
        // Whoever knows the files needs no map of all others.
        let is_direct = matches!(state.route, Route::Direct | Route::Resume);
        match self {
            Self::KnownRead => unread(state, situation).is_none(),
            // What is advice only and cannot be done is done without.
            Self::Oriented | Self::Located | Self::Related | Self::GoalRead | Self::Planned
                if self.family().is_some_and(|family| state.gave_up(family)) =>
            {
                true
            }
            // Nor does whoever has changed something already.
            Self::Oriented => {
                let knows = is_direct || state.used(Family::Edit);
                knows || state.used(Family::Orient) || !state.files.is_empty()
            }
            // A release may be of what no review can compare; that there is a change to review is never only told.
            Self::Reviewed if state.mode == Mode::Release => {
                state.reviewed.is_some_and(|files| files > 0) || state.diff_read
            }
            Self::Reviewed => state.reviewed.is_some(),
            Self::DiffSeen => state.reviewed.is_some_and(|files| files > 0),
            Self::ChangedRead => unread_change(state, situation).is_none(),
            Self::DocumentAndCode => lacking(state, situation).is_none(),
            Self::Located => {
                let found = state.used(Family::Retrieve) && !state.retrieval_blocked;
                is_direct || found || state.used(Family::Edit) || !state.files.is_empty()
            }
            // Whoever goes on from a change that was made need not ask what it needs.
            Self::Related => state.used(Family::Relate) || has_inherited_edit(state),
            // Whoever has changed something knew where.
            Self::GoalRead => {
                state.used(Family::Edit)
                    || has_inherited_edit(state)
                    || goal::unread_place(state, situation).is_none()
            }
            Self::SourceRead(count) => files_read(state, situation).count() >= count,
            Self::Planned => {
                state.used(Family::Plan) || state.used(Family::Edit) || has_inherited_edit(state)
            }
            Self::Edited => state.live_edits(situation.hash_of).next().is_some(),
            // What nobody can read is not asked for for ever: that it was not read is a remark.
            Self::ChangeRead => state.unread_edit(situation.hash_of).is_none() || state.gave_up(Family::Read),
            Self::Tested => untested(state, situation).is_none(),
            // What the mission before concluded for the same goal need not be concluded again.
            Self::Claimed => {
                let is_said = |claim: &Claim| !claim.other_goal && claim.verdict != Verdict::Withdrawn;
                state.all_claims().any(is_said) && state.is_judged_since_moved()
            }
            Self::Settled => state.unsettled().next().is_none(),
            Self::Current => state.stale_claims(situation).is_empty(),
            Self::Swept => !state.has_finding() || state.inherited.swept || !state.sweeps.is_empty(),
            Self::SameChange => state.moved_on(situation).is_none(),
        }
    }

    /// What closing without it leaves open; nothing for what is advice only.
    fn gap(self, state: &State, situation: &Situation<'_>) -> Option<Gap> {
        let (gap, why) = match self {
            advice if advice.is_advice() => return None,
            Self::KnownRead
            | Self::Oriented
            | Self::Located
            | Self::Related
            | Self::GoalRead
            | Self::Planned => return None,
            Self::Reviewed if state.reviewed == Some(0) => (
                "not_reviewed",
                "The review found no change: name what is released with base or diff, and look at that.".to_owned(),
            ),
            Self::Reviewed => ("not_reviewed", "The change was not looked at as a whole.".to_owned()),
            Self::SourceRead(count) => (
                "source_not_read",
                format!(
                    "The source of {} files was read as it is; {count} are needed.",
                    files_read(state, situation).count()
                ),
            ),
            Self::DiffSeen => (
                "no_change_set",
                "Nothing was reviewed: there was no change set, or none was looked at. review takes a base or a diff."
                    .to_owned(),
            ),
            Self::ChangedRead => {
                let first = unread_change(state, situation)?;
                ("change_not_read", format!("No file of the change was read as it is; {first} is one."))
            }
            Self::DocumentAndCode => ("source_not_read", lacking(state, situation)?.to_owned()),
            Self::Edited if state.edits().next().is_none() => {
                ("nothing_edited", "No change was made that is still there.".to_owned())
            }
            Self::Edited => {
                ("nothing_edited", "What was changed is as it was before: it was taken back.".to_owned())
            }
            Self::ChangeRead => {
                let path = state.unread_edit(situation.hash_of)?;
                ("edited_unread", format!("{path} was changed and nobody has read it, neither before nor since."))
            }
            Self::Tested => ("not_tested", untested(state, situation)?),
            Self::Claimed if !state.is_judged_since_moved() => (
                "no_claim",
                "Nothing was concluded since the change set moved on: judge a claim by what it is now.".to_owned(),
            ),
            Self::Claimed => {
                ("no_claim", "Nothing was concluded; that nothing was found is a conclusion too.".to_owned())
            }
            Self::Settled => {
                let open: Vec<&str> = state.unsettled().map(|claim| claim.claim_id.as_str()).collect();
                ("claims_not_settled", format!("Neither verified nor rejected: {}.", open.join(", ")))
            }
            Self::Current => {
                let stale = state.stale_claims(situation);
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
            Self::SameChange => (
                "change_set_moved",
                format!(
                    "The change set is not the one that was reviewed: {}. Review it again.",
                    state.moved_on(situation)?
                ),
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
        let was_seen = state.files.contains_key(path) || is_known_as_it_is(state, situation, path);
        !was_seen && !state.is_dead(path, situation.hash_of) && situation.exists(path)
    };
    state.known_paths.iter().find(is_unread).map(String::as_str)
}

/// The first file of the change set to read, while none of them was. Those that are gone or lead nowhere are not asked for.
pub(crate) fn unread_change<'s>(state: &'s State, situation: &Situation<'_>) -> Option<&'s str> {
    // What somebody saw of a file before it changed is not the change.
    let is_read = |path: &String| (situation.hash_of)(path).is_some_and(|now| state.saw(path, &now));
    if state.to_read.iter().any(is_read) {
        return None;
    }
    let is_open = |path: &&String| situation.exists(path) && !state.is_dead(path, situation.hash_of);
    let open = state.to_read.iter().filter(is_open);
    // What is written for readers says least of what a change does.
    open.min_by_key(|path| is_document(path)).map(String::as_str)
}

/// What a claim rests on that is not as it was: `a.rs changed, b.rs gone`.
pub(crate) fn stale_words(claim: &Claim, files: &[String], situation: &Situation<'_>) -> String {
    let said = |path: &String| {
        let how = if situation.exists(path) { "changed" } else { "gone" };
        format!("{path} {how}")
    };
    let found = claim.found_since(situation).map(|search| {
        let is_nothing = claim.absent.contains(search);
        format!("{:?} is found {}", search.query, if is_nothing { "now" } else { "as often no more" })
    });
    files.iter().map(said).chain(claim.overtaken.iter().cloned()).chain(found).collect::<Vec<_>>().join(", ")
}

/// Files that this mission saw, or the one before it for the same goal, each once. What changed since the one before saw
/// it was not seen, unless that one changed it.
fn files_read<'s>(state: &'s State, situation: &'s Situation<'_>) -> impl Iterator<Item = &'s str> {
    let before = state.inherited.files.iter().map(|seen| seen.path.as_str());
    let before = before.filter(|path| !state.files.contains_key(*path));
    let is_empty = |hash: &Option<String>| hash.as_deref() == Some(EMPTY_FILE);
    // Whoever opened an empty file has read nothing.
    let own =
        state.files.values().filter(move |seen| !is_empty(&seen.content_hash)).map(|seen| seen.path.as_str());
    own.chain(before.filter(|path| is_known_as_it_is(state, situation, path)))
}

/// Whether the mission before saw a file for the same goal, and it is as it was then, or as that one made it.
pub(crate) fn is_known_as_it_is(state: &State, situation: &Situation<'_>, path: &str) -> bool {
    let mut known = state.inherited.files.iter().filter(|seen| seen.path == path && !seen.other_goal);
    known.any(|seen| {
        let hash = seen.content_hash.as_deref().unwrap_or_default();
        situation.is_current(path, hash) || state.edits.contains_key(path)
    })
}

fn has_inherited_edit(state: &State) -> bool {
    !state.inherited.edits.is_empty()
}

/// What of a document and the code that it speaks of was not seen.
fn lacking(state: &State, situation: &Situation<'_>) -> Option<&'static str> {
    let (has_document, has_code) = kinds_read(state, situation);
    match (has_document, has_code) {
        (true, true) => None,
        (false, _) => Some("No document was read."),
        (true, false) => Some("No file of code was read."),
    }
}

/// Whether a document was seen, and whether a file of code was.
pub(crate) fn kinds_read(state: &State, situation: &Situation<'_>) -> (bool, bool) {
    // A licence is neither what a project promises nor what it does.
    let read = files_read(state, situation).filter(|path| !is_boilerplate(path));
    read.fold((false, false), |(documents, code), path| {
        (documents || is_document(path), code || !is_document(path))
    })
}

/// Whether a file is written for readers.
pub fn is_document(path: &str) -> bool {
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
