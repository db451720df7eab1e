//! What a mission refuses, as facts.

use crate::ids::{ClaimId, MissionId};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MissionError {
    #[error("mission {0} is closed")]
    Closed(MissionId),
    #[error("{field} is {problem}")]
    Invalid { field: &'static str, problem: String },
    #[error("the mission has no event {id}")]
    UnknownEvent { mission: MissionId, id: String, newest: String },
    #[error("the mission has no claim {id}")]
    UnknownClaim { mission: MissionId, id: ClaimId, known: Vec<ClaimId> },
    #[error("claim {id} is {state} already")]
    Settled { id: ClaimId, state: &'static str },
    #[error("the mission has gaps")]
    Gaps { mission: MissionId, gaps: Vec<crate::needs::Gap> },
}

impl MissionError {
    pub(crate) fn invalid(field: &'static str, problem: impl Into<String>) -> Self {
        Self::Invalid { field, problem: problem.into() }
    }
}
