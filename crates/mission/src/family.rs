//! Family: what a step is for, whichever tool did it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::evidence::EvidenceClass;

/// Kinds of steps that advice and loop warnings speak of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// Is this the right workspace and a graph that can be trusted?
    Trust,
    /// Reading the workspace into the graph.
    Ingest,
    /// An unfamiliar repository at a glance.
    Orient,
    /// From words to places.
    Retrieve,
    /// From a place to what is around it.
    Relate,
    /// The source itself.
    Read,
    /// Tests, compilers, programs that ran.
    Run,
    /// What a change would need.
    Plan,
    /// Changes of files.
    Edit,
    /// What was remembered.
    Recall,
    /// Finding out why an answer is missing.
    Recover,
    /// The mission's own calls.
    Mission,
    /// Everything else.
    Other,
}

impl Family {
    pub fn name(self) -> &'static str {
        match self {
            Self::Trust => "trust",
            Self::Ingest => "ingest",
            Self::Orient => "orient",
            Self::Retrieve => "retrieve",
            Self::Relate => "relate",
            Self::Read => "read",
            Self::Run => "run",
            Self::Plan => "plan",
            Self::Edit => "edit",
            Self::Recall => "recall",
            Self::Recover => "recover",
            Self::Mission => "mission",
            Self::Other => "other",
        }
    }

    /// Whether it asks the graph.
    pub fn is_graph(self) -> bool {
        matches!(self, Self::Orient | Self::Retrieve | Self::Relate | Self::Plan)
    }

    /// Whether a step that is no tool's is called after a question to the graph.
    pub(crate) fn is_graph_word(event_type: &str) -> bool {
        let words = ["seek", "activate", "retriev", "caller", "callee", "impact", "graph"];
        words.iter().any(|word| event_type.contains(word))
            && Self::of_told(event_type, None) != Self::Read
            && Self::of_told(event_type, None) != Self::Run
    }

    /// What an agent that only names its step means.
    pub fn of_told(event_type: &str, class: Option<EvidenceClass>) -> Self {
        let has = |words: &[&str]| words.iter().any(|word| event_type.contains(word));
        // What a person says is no call of anything.
        if class == Some(EvidenceClass::Human) {
            return Self::Other;
        }
        if has(&["file_read", "source", "view", "grep", "literal_search", "read"]) {
            Self::Read
        } else if has(&["test", "compil", "build", "probe", "command", "run", "repro"]) {
            Self::Run
        } else if has(&["edit", "diff", "patch", "apply", "undo", "revert"]) {
            Self::Edit
        } else if has(&["seek", "search", "retriev", "activate"]) {
            Self::Retrieve
        } else if has(&["caller", "callee", "impact", "graph", "why"]) {
            Self::Relate
        } else if has(&["audit", "orient", "outline"]) {
            Self::Orient
        } else {
            match class {
                Some(EvidenceClass::DirectSource) => Self::Read,
                Some(EvidenceClass::TestRun | EvidenceClass::Compiler | EvidenceClass::RuntimeProbe) => {
                    Self::Run
                }
                Some(EvidenceClass::Diff) => Self::Edit,
                Some(EvidenceClass::Graph) => Self::Relate,
                Some(EvidenceClass::Memory) => Self::Recall,
                Some(EvidenceClass::Human | EvidenceClass::Inferred) | None => Self::Other,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_told_step_is_known_by_its_name_and_else_by_its_evidence() {
        assert_eq!(Family::of_told("file_read", None), Family::Read);
        assert_eq!(Family::of_told("literal_search", None), Family::Read);
        assert_eq!(Family::of_told("seek", Some(EvidenceClass::Graph)), Family::Retrieve);
        assert_eq!(Family::of_told("looked", Some(EvidenceClass::DirectSource)), Family::Read);
        assert_eq!(Family::of_told("thought", None), Family::Other);
    }
}
