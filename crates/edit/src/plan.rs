//! Plan: what a batch would do to each file. Reads, decides, writes nothing.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_stdx::digest::sha256_hex;

use crate::disk::{Disk, DiskError, Held};
use crate::text::{Edit, EditError, edited, in_the_form_of, not_text};

/// What somebody wants of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Relative to the workspace, without `.` and `..`.
    pub path: String,
    pub act: Act,
    /// Where the file goes.
    pub rename_to: Option<String>,
    /// What the file must hold now, as a sha256.
    pub expected: Option<String>,
    /// Whether it can be run as a program afterwards; nothing where that stays as it is.
    pub runs: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// The whole new content of a file that is there.
    Replace(String),
    /// The content of a file that is not there.
    Create(String),
    /// The same as bytes, with the mode of what it is a copy of.
    CreateExact {
        bytes: Vec<u8>,
        mode: Option<u32>,
    },
    Edits(Vec<Edit>),
    /// The bytes of a file that is there, as they are to be.
    Exact(Vec<u8>),
    Delete,
    /// Only the name changes.
    Keep,
}

impl Act {
    fn creates(&self) -> bool {
        matches!(self, Self::Create(_) | Self::CreateExact { .. })
    }
}

/// Why a batch cannot be. `at` is the place in the list, from 0.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    #[error("{path} does not exist")]
    Missing { at: usize, path: String },
    #[error("{path} exists already")]
    Exists { at: usize, path: String },
    #[error("{path} is named twice")]
    Twice { at: usize, path: String },
    /// One path would have to be a file and a folder.
    #[error("{path} would be below {above}, which is a file after this batch")]
    Below { at: usize, path: String, above: String },
    #[error("{path} holds something else than expected")]
    Stale { at: usize, path: String, expected: String, actual: Option<String> },
    #[error("{path}: {source}")]
    Edit {
        at: usize,
        path: String,
        sha256: String,
        #[source]
        source: EditError,
    },
    #[error("{path} is {what}")]
    NotText { at: usize, path: String, what: &'static str },
    #[error("the new text of {path} has U+FFFD, and the file has bytes that are no UTF-8")]
    Lossy { at: usize, path: String },
    #[error("the new text of {path} has a NUL byte")]
    NulByte { at: usize, path: String },
    #[error("{path} is read-only")]
    ReadOnly { at: usize, path: String },
    /// Not the file itself but the path that it is to have.
    #[error("{0}")]
    Destination(Box<Self>),
    #[error("the batch holds more than {limit} bytes")]
    TooLarge { limit: u64 },
    #[error("{source}")]
    Disk {
        at: usize,
        #[source]
        source: DiskError,
    },
}

impl PlanError {
    fn of_destination(self) -> Self {
        Self::Destination(Box::new(self))
    }
}

/// Everything a batch does. Only `plan` and the journal make one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Plan {
    /// In the order of paths; no file is left as it is.
    pub files: Vec<FileChange>,
    /// Folders that are made, outermost first.
    pub folders: Vec<String>,
    /// Paths that were named and stay as they are.
    pub unchanged: Vec<String>,
    /// The batch that it takes back, if it does.
    pub undoes: Option<String>,
}

/// One path before and after. A file that moves is two of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    pub path: String,
    /// Where the content comes from, if it moves here.
    pub from: Option<String>,
    pub before: Option<Held>,
    pub after: Option<After>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct After {
    pub bytes: Vec<u8>,
    /// Nothing for what the system gives new files.
    pub mode: Option<u32>,
}

/// Bytes of old and new contents together; the journal keeps the old ones.
pub const MAX_BATCH_BYTES: u64 = 256 << 20;

pub fn plan(disk: &dyn Disk, changes: &[Change]) -> Result<Plan, PlanError> {
    let mut before: BTreeMap<&str, Option<Held>> = BTreeMap::new();
    let mut after: BTreeMap<&str, (Option<&str>, After)> = BTreeMap::new();
    let mut named: BTreeSet<(&str, bool)> = BTreeSet::new();
    let leaves = |change: &Change| change.rename_to.as_deref().is_some_and(|to| to != change.path);
    let left: BTreeSet<&str> =
        changes.iter().filter(|change| leaves(change)).map(|change| change.path.as_str()).collect();
    for (at, change) in changes.iter().enumerate() {
        let (path, to) = (change.path.as_str(), change.rename_to.as_deref());
        // What moves away leaves its path to a new file.
        let is_instead = change.act.creates() && left.contains(path);
        if !named.insert((path, is_instead)) {
            return Err(PlanError::Twice { at, path: path.to_owned() });
        }
        let now = disk.held(path).map_err(|source| PlanError::Disk { at, source })?;
        if let Some(expected) = &change.expected {
            let actual = now.as_ref().map(|held| sha256_hex(&held.bytes));
            if actual.as_deref().is_none_or(|actual| !actual.eq_ignore_ascii_case(expected)) {
                let expected = expected.clone();
                return Err(PlanError::Stale { at, path: path.to_owned(), expected, actual });
            }
        }
        if let Some(new) = wanted(at, change, now.as_ref().filter(|_| !is_instead))? {
            let (to, from) = to.filter(|to| *to != path).map_or((path, None), |to| (to, Some(path)));
            if after.insert(to, (from, new)).is_some() {
                let twice = PlanError::Twice { at, path: to.to_owned() };
                return Err(if from.is_some() { twice.of_destination() } else { twice });
            }
        }
        before.insert(path, now);
    }
    for (at, change) in changes.iter().enumerate() {
        let Some(to) = change.rename_to.as_deref().filter(|to| !before.contains_key(to)) else { continue };
        let there = disk.held(to).map_err(|source| PlanError::Disk { at, source }.of_destination())?;
        if there.is_some() {
            return Err(PlanError::Exists { at, path: to.to_owned() }.of_destination());
        }
        before.insert(to, None);
    }
    file_below_file(changes, &after)?;
    finished(disk, changes, before, after)
}

/// A disk would notice such a path only after it has written others.
fn file_below_file(
    changes: &[Change],
    after: &BTreeMap<&str, (Option<&str>, After)>,
) -> Result<(), PlanError> {
    for (path, (from, _)) in after {
        let above =
            path.match_indices('/').map(|(end, _)| &path[..end]).find(|above| after.contains_key(above));
        let Some(above) = above else { continue };
        let makes = |change: &Change| match from {
            Some(from) => change.path == *from && change.rename_to.as_deref() == Some(path),
            None => change.path == *path,
        };
        let at = changes.iter().position(makes).unwrap_or_default();
        let err = PlanError::Below { at, path: (*path).to_owned(), above: above.to_owned() };
        return Err(if from.is_some() { err.of_destination() } else { err });
    }
    Ok(())
}

fn finished(
    disk: &dyn Disk,
    changes: &[Change],
    before: BTreeMap<&str, Option<Held>>,
    mut after: BTreeMap<&str, (Option<&str>, After)>,
) -> Result<Plan, PlanError> {
    let mut made = Plan::default();
    let mut bytes = 0;
    for (path, now) in before {
        let new = after.remove(path);
        let old_len = now.as_ref().map_or(0, |held| held.bytes.len());
        bytes += (old_len + new.as_ref().map_or(0, |(_, new)| new.bytes.len())) as u64;
        if bytes > MAX_BATCH_BYTES {
            return Err(PlanError::TooLarge { limit: MAX_BATCH_BYTES });
        }
        let is_same = match (&now, &new) {
            (Some(now), Some((_, new))) => now.bytes == new.bytes && new.mode == Some(now.mode),
            (None, None) => true,
            _ => false,
        };
        if is_same {
            made.unchanged.push(path.to_owned());
            continue;
        }
        let is_new = now.is_none();
        let (from, after) = new.map_or((None, None), |(from, new)| (from.map(str::to_owned), Some(new)));
        if is_new {
            let at = changes
                .iter()
                .position(|change| change.path == path || change.rename_to.as_deref() == Some(path));
            let missing = disk.missing_folders(path);
            let missing = missing.map_err(|source| {
                let err = PlanError::Disk { at: at.unwrap_or_default(), source };
                if from.is_some() { err.of_destination() } else { err }
            })?;
            let new = missing.into_iter().filter(|folder| !made.folders.contains(folder));
            let new: Vec<String> = new.collect();
            made.folders.extend(new);
        }
        made.files.push(FileChange { path: path.to_owned(), from, before: now, after });
    }
    Ok(made)
}

/// What a file is to hold after its change; nothing when it goes.
fn wanted(at: usize, change: &Change, now: Option<&Held>) -> Result<Option<After>, PlanError> {
    let path = || change.path.clone();
    // A file with such a byte is taken for binary by everything, and could not be edited any more.
    let plain = |bytes: Vec<u8>| match memchr::memchr(0, &bytes) {
        Some(_) => Err(PlanError::NulByte { at, path: path() }),
        None => Ok(bytes),
    };
    let Some(now) = now else {
        return match &change.act {
            Act::Create(text) => Ok(Some(After { bytes: plain(text.clone().into_bytes())?, mode: None })),
            Act::CreateExact { bytes, mode } => {
                let mode = match (*mode, change.runs) {
                    (Some(mode), Some(runs)) => Some(running(mode, runs)),
                    (None, Some(true)) => Some(NEW_PROGRAM),
                    (mode, _) => mode,
                };
                Ok(Some(After { bytes: plain(bytes.clone())?, mode }))
            }
            _ => Err(PlanError::Missing { at, path: path() }),
        };
    };
    if now.mode & 0o222 == 0 {
        return Err(PlanError::ReadOnly { at, path: path() });
    }
    let text = || match not_text(&now.bytes) {
        Some(what) => Err(PlanError::NotText { at, path: path(), what }),
        None => Ok(&now.bytes[..]),
    };
    let refused = |source| PlanError::Edit { at, path: path(), sha256: sha256_hex(&now.bytes), source };
    let bytes = match &change.act {
        Act::Create(_) | Act::CreateExact { .. } => return Err(PlanError::Exists { at, path: path() }),
        Act::Delete => return Ok(None),
        Act::Keep => now.bytes.clone(),
        Act::Exact(bytes) => plain(bytes.clone())?,
        // Whoever read the file saw that letter in place of these bytes, and would write over them.
        Act::Replace(new)
            if new.contains(char::REPLACEMENT_CHARACTER) && std::str::from_utf8(text()?).is_err() =>
        {
            return Err(PlanError::Lossy { at, path: path() });
        }
        Act::Replace(new) => plain(in_the_form_of(text()?, new).map_err(refused)?)?,
        Act::Edits(edits) => plain(edited(text()?, edits).map_err(refused)?)?,
    };
    let mode = change.runs.map_or(now.mode, |runs| running(now.mode, runs));
    Ok(Some(After { bytes, mode: Some(mode) }))
}

/// What a new file may be done with that can be run.
const NEW_PROGRAM: u32 = 0o755;

/// A mode with which a file can be run by all who can read it, or by nobody.
fn running(mode: u32, runs: bool) -> u32 {
    if runs { mode | (mode & 0o444) >> 2 } else { mode & !0o111 }
}
