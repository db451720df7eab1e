//! Where the files of a packet are, and how they are now.

use std::path::{Path, PathBuf};

use m1nd_runtime::workspace::BindingSource;
use m1nd_stdx::digest::sha256_hex;
use m1nd_vfs::PathError;
use m1nd_vfs::read::ReadError;

use super::MOST_BYTES;
use crate::args::Global;
use crate::wiring;

/// Where the files of a packet are.
pub(super) struct Roots {
    own: Option<PathBuf>,
    /// Other repositories that stood in the graph, by the name that their paths begin with.
    added: Vec<(String, PathBuf)>,
}

/// Ends the name of another repository, in paths and in `--root`.
const MARK: &str = "::";

impl Roots {
    /// As they were given, else as the packet and the workspace on this machine name them.
    pub(super) fn of(
        global: &Global,
        given: &[String],
        named: Option<PathBuf>,
        anchors: &[(String, String)],
    ) -> Self {
        let (mut own, mut added) = (None, Vec::new());
        for given in given {
            match given.split_once("::=") {
                Some((name, folder)) => added.push((name.to_owned(), PathBuf::from(folder))),
                None => own = Some(PathBuf::from(given)),
            }
        }
        let own = own.or(named);
        let asks = anchors.iter().any(|(path, _)| split(path).0.is_some());
        if let Some(own) = own.as_deref().filter(|_| asks) {
            added.extend(added_to(global, own));
        }
        Self { own, added }
    }

    /// How each of some files is now.
    pub(super) fn states(&self, anchors: &[(String, String)]) -> Vec<(String, Today)> {
        anchors.iter().map(|(path, hash)| (path.clone(), self.state_of(path, hash))).collect()
    }

    /// How a file is now. A path that leads out of the repository is nothing that a packet may ask about.
    fn state_of(&self, path: &str, hash: &str) -> Today {
        let (name, below) = split(path);
        let root = match name {
            None => self.own.as_deref(),
            Some(name) => self.added.iter().find(|(known, _)| known == name).map(|(_, at)| at.as_path()),
        };
        let Some(root) = root.and_then(|root| m1nd_vfs::Root::open(root).ok()) else {
            return Today::NotChecked(NO_REPOSITORY.to_owned());
        };
        let read = root
            .locate(below)
            .map_err(ReadError::from)
            .and_then(|path| m1nd_vfs::read::bytes(&root, &path, MOST_BYTES));
        match read {
            Ok(bytes) if sha256_hex(&bytes) == hash => Today::Current,
            Ok(_) => Today::Changed,
            Err(ReadError::Path(PathError::NotFound { .. }) | ReadError::IsFolder { .. }) => Today::Gone,
            // What cannot be read is not known to have changed, nor to be the same.
            Err(err) => Today::NotChecked(err.to_string()),
        }
    }
}

/// How a file is, held against what it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Today {
    Current,
    Changed,
    Gone,
    /// And why.
    NotChecked(String),
}

impl Today {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Changed => "changed",
            Self::Gone => "gone",
            Self::NotChecked(_) => "not_checked",
        }
    }
}

/// Said of every file of a repository that this machine does not have.
pub(super) const NO_REPOSITORY: &str = "its repository is not here: --root names where it is";

/// The repository that a path names, if it is another one, and the path in it.
fn split(path: &str) -> (Option<&str>, &str) {
    let (first, below) = path.split_once('/').unwrap_or((path, ""));
    match first.strip_suffix(MARK) {
        Some(name) => (Some(name), below),
        None => (None, path),
    }
}

/// What was put into the graph of a workspace of this machine; nothing where it keeps none.
fn added_to(global: &Global, own: &Path) -> Vec<(String, PathBuf)> {
    let open = || -> anyhow::Result<_> {
        let mut config = wiring::config(global)?;
        config.workspace = Some((own.to_owned(), BindingSource::Flag));
        config.read_only.value = true;
        let runtime = wiring::runtime(&config)?;
        Ok(runtime.workspace().map(|workspace| workspace.added_roots()).unwrap_or_default())
    };
    match open() {
        Ok(added) => added.into_iter().map(|added| (added.namespace, added.path)).collect(),
        Err(err) => {
            tracing::debug!(%err, "the workspace of a packet cannot be opened");
            Vec::new()
        }
    }
}
