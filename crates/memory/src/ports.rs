//! What every function of memory is handed: the store, the clock, and eyes on the code.

use m1nd_stdx::clock::Clock;

use crate::anchors::{AnchorProbe, Blind};
use crate::claims::{Claims, NoClaims};
use crate::port::Store;

/// The world outside, as memory sees it.
#[derive(Clone, Copy)]
pub struct Ports<'a> {
    pub store: &'a dyn Store,
    pub clock: &'a dyn Clock,
    pub code: &'a dyn AnchorProbe,
    pub claims: &'a dyn Claims,
}

impl<'a> Ports<'a> {
    /// Without eyes on the code: anchors are kept as they are given and their state is not told.
    pub fn new(store: &'a dyn Store, clock: &'a dyn Clock) -> Self {
        Self { store, clock, code: &Blind, claims: &NoClaims }
    }

    #[must_use]
    pub fn with_code(self, code: &'a dyn AnchorProbe) -> Self {
        Self { code, ..self }
    }

    #[must_use]
    pub fn with_claims(self, claims: &'a dyn Claims) -> Self {
        Self { claims, ..self }
    }
}
