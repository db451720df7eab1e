//! The two settings files. A repository's file can ask for little: it is somebody else's text.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// `m1nd.toml` in the workspace.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkspaceFile {
    pub toolsets: Option<Vec<String>>,
    pub read_only: Option<bool>,
}

/// `config.toml` in `M1ND_HOME`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HomeFile {
    pub toolsets: Option<Vec<String>>,
    pub read_only: Option<bool>,
    pub runtime_root: Option<PathBuf>,
    pub log: Option<String>,
}

/// The file's settings, or none of them and a warning. A missing file is no warning.
pub fn read<T: DeserializeOwned + Default>(path: &Path, warnings: &mut Vec<String>) -> T {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(err) if matches!(err.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return T::default();
        }
        Err(err) => {
            warnings.push(format!("{} was passed over: {err}", path.display()));
            return T::default();
        }
    };
    toml::from_str(&text).unwrap_or_else(|err| {
        let said = err.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
        warnings.push(format!("{} was passed over: {said}", path.display()));
        T::default()
    })
}
