//! Missions: what an agent set out to do, what it did, what that proves, and what comes next.
//!
//! A mission is an append-only stream of events, each hashed over the one before. Everything else is a fold over it: the
//! state, the advice, the hand-off, the proof packet. Nothing here reads a clock or a file; `port` says what a
//! store must promise.

mod absence;
mod advice;
mod advise;
mod again;
mod barred;
pub mod chain;
mod change_set;
mod claim;
mod code_words;
mod counted;
mod covered;
mod denial;
mod doer;
mod doubt;
mod edits;
mod error;
mod event;
mod evidence;
mod extent;
mod family;
mod finding;
pub mod flight;
mod fold;
mod given;
mod goal;
mod grounds;
pub mod handed;
pub mod handoff;
mod ids;
mod judging;
mod lines;
mod literal;
mod look;
mod machine;
pub mod missions;
mod mode;
mod named;
mod needs;
mod nowhere;
pub mod otlp;
mod overspent;
pub mod packet;
mod phrase;
mod planner;
mod pointed;
pub mod port;
mod prov;
mod quantity;
mod quote;
mod relates;
mod remarks;
mod rivals;
mod runs;
mod searches;
mod settle;
pub mod short;
mod situation;
mod sound;
mod state;
mod subject;
mod sweep;
mod syntax;
mod tally;
mod telling;
mod tested;
mod turning;
mod undone;
mod universal;
mod uses;
mod valued;
mod verdict;

pub use absence::Absence;
pub use advice::{Advice, DoNot, Move};
pub use advise::{advise, moves, next_for_child};
pub use change_set::{ChangeSet, MOST_HELD, SetNow};
pub use claim::{Claim, Judgement, Verdict};
pub use counted::{Count, Counted, Spot};
pub use edits::Edit;
pub use error::MissionError;
pub use event::{
    AGAINST, Detail, Draft, EMPTY_FILE, EditedFile, Event, Inherited, RunsAfter, SUPPORT, Shown, Source,
    Speaks, StoodAt,
};
pub use evidence::EvidenceClass;
pub use family::Family;
pub use handoff::{Anchor, Handoff, Today};
pub use ids::{ClaimId, EventId, MissionId};
pub use judging::Verify;
pub use lines::Part;
pub use machine::{Command, Start, Stepped, start, step};
pub use mode::{Budget, Mode, Route};
pub use named::{Names, named_in};
pub use needs::{Gap, Required, explain, gaps, is_document};
pub use remarks::remarks;
pub use situation::{HashOf, Shelf, Situation};
pub use sound::{Heard, Proven, hear};
pub use state::{Counters, DeadPath, RULES, Remaining, Seen, State, Status, TestRun, path_of};
pub use telling::Telling;
