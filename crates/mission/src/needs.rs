//! Needs: what a mission of each kind must have done, in order, and what of it is missing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::family::Family;
use crate::mode::{Mode, Route};
use crate::state::State;

/// One thing that a mission of some kind does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// The files that were named at the start were read.
    KnownRead,
    /// The repository was looked at as a whole.
    Oriented,
    /// A change set was judged as a whole.
    Reviewed,
    /// Places were searched for.
    Located,
    /// What is around a place was looked at.
    Related,
    /// The source of at least this many files was seen.
    SourceRead(usize),
    /// What the change needs was asked before it was made.
    Planned,
    Edited,
    /// Something ran after the newest edit, and passed.
    Tested,
    Claimed,
    /// Every claim is verified or rejected.
    Settled,
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
pub fn explain(state: &State) -> Vec<Required> {
    let of =
        |need: &Need| Required { need: need.name(), done: need.is_met(state), to_close: !need.is_advice() };
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
        Claimed, Edited, KnownRead, Located, Oriented, Planned, Related, Reviewed, Settled, SourceRead,
        Swept, Tested,
    };
    match mode {
        Mode::Orientation => &[Oriented, KnownRead, SourceRead(2)],
        Mode::BugHunt => &[KnownRead, Oriented, Located, SourceRead(1), Claimed, Settled, Swept],
        Mode::Review => &[Reviewed, KnownRead, SourceRead(1), Claimed, Settled],
        Mode::Refactor => {
            &[KnownRead, Oriented, Located, Related, SourceRead(1), Planned, Edited, Tested, Settled]
        }
        Mode::DocsDrift => &[KnownRead, Oriented, Located, SourceRead(2), Claimed, Settled],
        Mode::Release => &[Reviewed, KnownRead, SourceRead(1), Tested, Claimed, Settled],
        Mode::Edit => &[KnownRead, Oriented, Located, SourceRead(1), Planned, Edited, Tested, Settled],
    }
}

impl Need {
    fn name(self) -> &'static str {
        match self {
            Self::KnownRead => "known files read",
            Self::Oriented => "repository seen as a whole",
            Self::Reviewed => "change set judged as a whole",
            Self::Located => "places searched for",
            Self::Related => "callers and dependents looked at",
            Self::SourceRead(_) => "source read",
            Self::Planned => "plan checked",
            Self::Edited => "change made",
            Self::Tested => "run after the newest edit, and passed",
            Self::Claimed => "conclusion drawn",
            Self::Settled => "every claim verified or rejected",
            Self::Swept => "looked for what the first finding hides",
        }
    }

    /// Whether a mission can end well without it.
    fn is_advice(self) -> bool {
        matches!(self, Self::KnownRead | Self::Oriented | Self::Located | Self::Related | Self::Planned)
    }

    pub(crate) fn is_met(self, state: &State) -> bool {
        // Whoever knows the files needs no map of all others.
        let is_direct = matches!(state.route, Route::Direct | Route::Resume);
        match self {
            Self::KnownRead => unread(state).is_none(),
            Self::Oriented => is_direct || state.used(Family::Orient) || !state.files.is_empty(),
            Self::Reviewed => state.used(Family::Plan) || state.used(Family::Relate),
            Self::Located => is_direct || state.used(Family::Retrieve) || !state.files.is_empty(),
            Self::Related => state.used(Family::Relate),
            Self::SourceRead(count) => state.files.len() + state.inherited.files.len() >= count,
            Self::Planned => state.used(Family::Plan) || state.used(Family::Edit),
            Self::Edited => state.used(Family::Edit),
            Self::Tested => untested(state).is_none(),
            // What the mission before concluded need not be concluded again.
            Self::Claimed => !state.claims.is_empty() || !state.inherited.claims.is_empty(),
            Self::Settled => state.unsettled().next().is_none(),
            Self::Swept => !state.has_finding() || state.inherited.swept || !state.sweeps.is_empty(),
        }
    }

    /// What closing without it leaves open; nothing for what is advice only.
    fn gap(self, state: &State) -> Option<Gap> {
        let (gap, why) = match self {
            advice if advice.is_advice() => return None,
            Self::KnownRead | Self::Oriented | Self::Located | Self::Related | Self::Planned => return None,
            Self::Reviewed => ("not_reviewed", "The change was not looked at as a whole.".to_owned()),
            Self::SourceRead(count) => (
                "source_not_read",
                format!("The source of {} files was read; {count} are needed.", state.files.len()),
            ),
            Self::Edited => ("nothing_edited", "No change was recorded.".to_owned()),
            Self::Tested => ("not_tested", untested(state)?),
            Self::Claimed => {
                ("no_claim", "Nothing was concluded; that nothing was found is a conclusion too.".to_owned())
            }
            Self::Settled => {
                let open: Vec<&str> = state.unsettled().map(|claim| claim.claim_id.as_str()).collect();
                ("claims_not_settled", format!("Neither verified nor rejected: {}.", open.join(", ")))
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
pub fn gaps(state: &State) -> Vec<Gap> {
    let unmet = of(state.mode).iter().filter(|need| !need.is_met(state));
    unmet.filter_map(|need| need.gap(state)).collect()
}

/// The first file that was named at the start and not seen yet.
pub(crate) fn unread(state: &State) -> Option<&str> {
    let is_read = |path: &&String| !state.files.contains_key(crate::state::path_of(path));
    state.known_paths.iter().find(is_read).map(String::as_str)
}

/// Why nothing proves that it works.
fn untested(state: &State) -> Option<String> {
    let Some(newest) = state.tests.last() else {
        return Some("Nothing was run.".to_owned());
    };
    let edited = state.newest.get(&Family::Edit).map_or(0, |event| event.sequence());
    if newest.event_id.sequence() < edited {
        return Some("Nothing was run after the newest edit.".to_owned());
    }
    let failed = matches!(newest.outcome.as_str(), "failed" | "fail" | "error" | "timeout");
    failed.then(|| format!("The newest run failed: {} ({}).", newest.target, newest.event_id))
}
