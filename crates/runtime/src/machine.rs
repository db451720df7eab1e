//! Machine: what a process knows of the machine around it, besides its workspace and its home.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use m1nd_guard::hosts::Under;

/// Handed in by whoever starts the process; one that was told nothing sees nothing.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    /// The user's home.
    pub user_home: Option<PathBuf>,
    /// Where programs keep settings, if that is not `.config` below the home.
    pub config_home: Option<PathBuf>,
    /// Where a shell looks for programs.
    pub search_path: Option<OsString>,
}

impl Machine {
    /// The folder that paths of that kind start from.
    pub fn folder(&self, under: Under, workspace: Option<&Path>) -> Option<PathBuf> {
        match under {
            Under::Home => self.user_home.clone(),
            Under::Config => {
                self.config_home.clone().or_else(|| self.user_home.as_ref().map(|home| home.join(".config")))
            }
            Under::Workspace => workspace.map(Path::to_owned),
        }
    }

    /// Every program of that name on the search path, the first found first.
    pub fn programs(&self, name: &str) -> Vec<PathBuf> {
        let folders = self.search_path.as_deref().unwrap_or_default();
        let found = std::env::split_paths(folders)
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(name));
        found.filter(|path| path.is_file()).collect()
    }
}
