//! View: one consistent picture of a workspace, never changed after it is published.

/// What handlers read from. There is no graph in it until something was ingested.
#[derive(Debug, Default)]
pub struct WorkspaceView {
    /// Grows by one with every change; 0 means that nothing was ingested yet.
    pub generation: u64,
}

impl WorkspaceView {
    pub fn node_count(&self) -> u64 {
        0
    }

    pub fn edge_count(&self) -> u64 {
        0
    }
}
