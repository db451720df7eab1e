//! Trail: what an agent saw and thought on its way, as it is written down.

use serde::{Deserialize, Serialize};

/// A place that was visited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visit {
    pub node: String,
    /// Of its text, when the trail was saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

/// How a hypothesis stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    #[default]
    Open,
    Supported,
    Rejected,
}

impl Standing {
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Supported => "supported",
            Self::Rejected => "rejected",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hypothesis {
    pub statement: String,
    /// 0 to 1.
    pub confidence: f64,
    #[serde(default)]
    pub standing: Standing,
    /// Nodes that speak for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supporting: Vec<String>,
    /// Nodes that speak against it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradicting: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conclusion {
    pub statement: String,
    /// 0 to 1.
    pub confidence: f64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supporting: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trail {
    pub id: String,
    pub label: String,
    pub agent: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Oldest first.
    pub visited: Vec<Visit>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hypotheses: Vec<Hypothesis>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conclusions: Vec<Conclusion>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open_questions: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Nodes that are lifted in answers after it was resumed, and by how much.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub boosts: Vec<(String, f64)>,
    /// The trails that it was merged of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged_from: Vec<String>,
    pub saved_ms: i64,
}
