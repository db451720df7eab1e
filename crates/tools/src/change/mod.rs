//! Change: what a change reaches, what goes with it, and what history and failures say about it.

mod counterfactual;
mod differential;
mod hypothesize;
mod predict;
mod review;
mod tests_for;
mod timeline;
mod trace;
mod validate_plan;

use m1nd_runtime::{Entry, entry};

pub const TOOLS: &[Entry] = &[
    entry::<trace::Trace>(),
    entry::<review::Review>(),
    entry::<validate_plan::ValidatePlan>(),
    entry::<predict::Predict>(),
    entry::<tests_for::TestsFor>(),
    entry::<timeline::Timeline>(),
    entry::<differential::Differential>(),
    entry::<counterfactual::Counterfactual>(),
    entry::<hypothesize::Hypothesize>(),
];
