//! Guard: from facts about the binding, the graph and the host to a verdict of trust, and the way back to it.
//!
//! Nothing here looks at the world: facts come in, a verdict and a playbook go out. What a playbook names is a tool that
//! exists, and nothing it says claims that anything was repaired.

mod diagnosis;
mod facts;
pub mod hosts;
mod jsonc;
mod playbook;
mod trust;

pub use diagnosis::{Diagnosis, Found, diagnose};
pub use facts::{Facts, Observed, Scope};
pub use playbook::{NON_CLAIMS, Playbook, Step, playbook, playbook_for};
pub use trust::{Surface, TrustMode, Verdict, hidden, surface, verdict};
