//! What cannot be done.

/// Why a step of a walk, a trail or a lock was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NavigateError {
    #[error("the walk is where it began; there is no step to take back")]
    AtTheStart,
    #[error("the region has more than {most} {what}")]
    TooLarge { what: &'static str, most: usize },
    #[error("the trail would have more than {most} {what}")]
    TrailTooLarge { what: &'static str, most: usize },
    #[error("there is no chain of relations from {from} to {to}")]
    NoChain { from: String, to: String },
    #[error("{missing} of the {all} places of the trail are gone")]
    TrailStale { missing: usize, all: usize },
}
