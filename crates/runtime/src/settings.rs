//! Settings: what the command line decided before a runtime was made.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::tool::ToolsetName;

/// Resolved values; where each came from is the command line's business.
#[derive(Clone, Debug)]
pub struct Settings {
    /// `M1ND_HOME`.
    pub home: PathBuf,
    /// A runtime root that overrides the one below `home`.
    pub runtime_root: Option<PathBuf>,
    /// Toolsets that are listed from the start.
    pub toolsets: BTreeSet<ToolsetName>,
    /// Refuse every tool that writes state or files.
    pub read_only: bool,
    /// Commands that edits may be verified with. They come from the user, never from a caller.
    pub verify_commands: Vec<String>,
    pub build: BuildInfo,
}

/// Which program is running.
#[derive(Clone, Copy, Debug)]
pub struct BuildInfo {
    pub version: &'static str,
    /// Commit the program was built from, or `unknown`.
    pub hash: &'static str,
}
