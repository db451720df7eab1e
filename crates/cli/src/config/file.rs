//! The two settings files. A repository's file can ask for little: it is somebody else's text.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use m1nd_vfs::read::{self, ReadError};
use m1nd_vfs::{PathError, Root};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// `m1nd.toml` in the workspace.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkspaceFile {
    pub toolsets: Option<Vec<String>>,
    pub read_only: Option<bool>,
    /// Which of the commands that the user allows belong to this repository.
    pub verify_commands: Option<Vec<String>>,
}

/// `config.toml` in `M1ND_HOME`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HomeFile {
    pub toolsets: Option<Vec<String>>,
    pub read_only: Option<bool>,
    pub runtime_root: Option<PathBuf>,
    pub log: Option<String>,
    pub otlp_endpoint: Option<String>,
    /// Commands that edits may be verified with.
    pub verify_commands: Option<Vec<String>>,
}

/// Nobody writes more settings than this by hand.
const MAX_BYTES: u64 = 64 << 10;

/// The settings in a repository's file. It may be anything, a link or a pipe too, so it is opened as the
/// repository's other files are: beneath its root, never waited for, and only so much of it.
pub fn read_workspace(folder: &Path, warnings: &mut Vec<String>) -> WorkspaceFile {
    let shown = folder.join("m1nd.toml");
    let Ok(root) = Root::open(folder) else { return WorkspaceFile::default() };
    let Ok(path) = root.relative("m1nd.toml") else { return WorkspaceFile::default() };
    match read::text(&root, &path, MAX_BYTES) {
        Ok(file) => parse(&shown, &file.text, warnings),
        Err(ReadError::Path(PathError::NotFound { .. })) => WorkspaceFile::default(),
        Err(err) => {
            warnings.push(format!("{} was passed over: {err}", shown.display()));
            WorkspaceFile::default()
        }
    }
}

/// The settings in the user's own file, which may well be a link.
pub fn read_home(path: &Path, warnings: &mut Vec<String>) -> HomeFile {
    let text = fs::metadata(path).and_then(|meta| {
        if !meta.is_file() || meta.len() > MAX_BYTES {
            return Err(std::io::Error::other("it is not a small regular file"));
        }
        fs::read_to_string(path)
    });
    match text {
        Ok(text) => parse(path, &text, warnings),
        Err(err) if matches!(err.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            HomeFile::default()
        }
        Err(err) => {
            warnings.push(format!("{} was passed over: {err}", path.display()));
            HomeFile::default()
        }
    }
}

/// What a file that cannot be understood still asks for: whoever wrote `read_only` meant to be careful.
trait Careful: Default {
    fn read_only() -> Self;
}

impl Careful for WorkspaceFile {
    fn read_only() -> Self {
        Self { read_only: Some(true), ..Self::default() }
    }
}

impl Careful for HomeFile {
    fn read_only() -> Self {
        Self { read_only: Some(true), ..Self::default() }
    }
}

fn parse<T: DeserializeOwned + Careful>(path: &Path, text: &str, warnings: &mut Vec<String>) -> T {
    toml::from_str(text).unwrap_or_else(|err| {
        let careful = text.contains("read_only");
        let then = if careful { "; it mentions read_only, so this process is read-only" } else { "" };
        warnings.push(format!("{} was passed over: {}{then}", path.display(), err.message()));
        if careful { T::read_only() } else { T::default() }
    })
}
