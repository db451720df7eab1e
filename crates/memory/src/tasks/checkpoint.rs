//! The two gates of a step.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::port::StepRow;

/// A gate that must be confirmed before a step is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Checkpoint {
    Criteria,
    Tests,
}

impl Checkpoint {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Criteria => "criteria",
            Self::Tests => "tests",
        }
    }

    pub(crate) fn list(all: &[Self]) -> String {
        all.iter().map(|one| one.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// The gates that still stand before a step is done. A step without tests has no gate for them.
    pub(crate) fn missing(step: &StepRow) -> Vec<Self> {
        let mut out = Vec::new();
        if !step.criteria.confirmed {
            out.push(Self::Criteria);
        }
        if !step.tests.is_empty() && !step.tests_passed.confirmed {
            out.push(Self::Tests);
        }
        out
    }
}
