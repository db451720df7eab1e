//! Facts: what the runtime knows of itself, and what an agent saw.

use serde::Serialize;

/// Who answers, and from what: enough to tell two bindings apart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Facts {
    pub process_id: u32,
    pub runtime_root: Option<String>,
    pub binary_path: Option<String>,
    pub version: String,
    pub build_hash: String,
    pub workspace_root: Option<String>,
    pub ingest_roots: Vec<String>,
    pub graph_path: Option<String>,
    pub graph_generation: u64,
    pub node_count: u64,
    pub edge_count: u64,
    /// Whether the program on disk is another one than the one that runs.
    #[serde(skip)]
    pub binary_replaced: bool,
    /// Whether there is none any more.
    #[serde(skip)]
    pub binary_gone: bool,
    /// What is wrong with the graph's files, if anything is.
    #[serde(skip)]
    pub graph_problem: Option<String>,
    /// What is wrong with what was remembered, if anything is.
    #[serde(skip)]
    pub memory_problem: Option<String>,
    /// Other programs called m1nd that a shell or a host would start, and where each was found.
    #[serde(skip)]
    pub other_programs: Vec<String>,
    /// Hosts whose entry for m1nd cannot be started, and why.
    #[serde(skip)]
    pub dead_entries: Vec<String>,
    /// Hosts whose entry in this workspace binds m1nd to another one.
    #[serde(skip)]
    pub other_bindings: Vec<String>,
    /// Every tool of this build.
    #[serde(skip)]
    pub tools: Vec<&'static str>,
    /// Those that a host is shown now.
    #[serde(skip)]
    pub listed: Vec<&'static str>,
}

/// How a scope that was asked for lies to the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// In the workspace.
    SingleRepo,
    /// In another repository that was put into the same graph.
    Federated,
    /// Elsewhere.
    WrongWorkspaceBinding,
    /// Nowhere: the workspace has no such path, and there is none outside.
    Missing,
}

impl Scope {
    pub fn name(self) -> &'static str {
        match self {
            Self::SingleRepo => "single_repo",
            Self::Federated => "federated",
            // What is not in the workspace is not what the server is bound to.
            Self::WrongWorkspaceBinding | Self::Missing => "wrong_workspace_binding",
        }
    }
}

/// What an agent saw of its host and of an earlier call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    pub tool_count: Option<u64>,
    /// The tools that the host shows the agent.
    pub available: Option<Vec<String>>,
    /// Tools that the agent wanted and was not shown.
    pub missing: Vec<String>,
    pub scope: Option<Scope>,
    /// As it was asked for.
    pub scope_text: Option<String>,
    /// The folder of the repository around it, where it lies elsewhere.
    pub repository: Option<String>,
    /// The name that it would have in this graph.
    pub namespace: Option<String>,
    pub tool: Option<String>,
    pub proof_state: Option<String>,
    pub candidates: Option<u64>,
    pub error_text: Option<String>,
    /// What an answer said about itself.
    pub trust_mode: Option<crate::trust::TrustMode>,
}
