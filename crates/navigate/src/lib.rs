//! Navigate: walks through the code graph, trails of what was found on them, and locks on regions of it.
//!
//! Everything here is a value that can be written down and a function of it and a graph: a walk remembers ids, never
//! places in one generation of the graph, and routes are made anew each time, under names made of what they lead to.

mod compare;
mod distance;
mod error;
mod family;
mod lost;
mod merge;
mod region;
mod resume;
mod routes;
mod trail;
mod walk;

#[cfg(test)]
mod testing;

pub use compare::{Affinity, Comparison, affinity, compare};
pub use error::NavigateError;
pub use family::Family;
pub use lost::{Found, find as find_walk};
pub use merge::{Agreement, Bridge, Conflict, Merged, merge};
pub use region::{Baseline, Changes, MAX_EDGES, MAX_NODES, MAX_RADIUS, Relation, around, chain, within};
pub use resume::{Checked, Held, Judged, Today, resume};
pub use routes::{Factors, Route, Routes, routes};
pub use trail::{Conclusion, Hypothesis, Standing, Trail, Visit};
pub use walk::{MAX_ANCHOR_HOPS, MAX_STEPS, Mode, Step, Walk};
