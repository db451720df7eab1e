//! Claims: conclusions that missions keep, as memory finds them.

use crate::error::StoreError;
use crate::port::AnchorRow;

/// A conclusion of a mission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The mission and the claim.
    pub id: String,
    pub text: String,
    /// How it was judged, and in which mission.
    pub standing: String,
    pub ts_ms: i64,
    /// What it rests on.
    pub events: Vec<String>,
}

/// Where claims are kept.
pub trait Claims {
    /// The newest first.
    fn all(&self) -> Result<Vec<Claim>, StoreError>;

    /// The files that a claim rests on, as they were when they were seen.
    fn anchors(&self, claim: &Claim) -> Result<Vec<AnchorRow>, StoreError>;
}

/// No mission was ever begun.
#[derive(Clone, Copy, Debug)]
pub struct NoClaims;

impl Claims for NoClaims {
    fn all(&self) -> Result<Vec<Claim>, StoreError> {
        Ok(Vec::new())
    }

    fn anchors(&self, _: &Claim) -> Result<Vec<AnchorRow>, StoreError> {
        Ok(Vec::new())
    }
}
