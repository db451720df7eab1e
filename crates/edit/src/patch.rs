//! Patch: a unified diff as changes of files. Hunks must fit exactly, though they may have moved, and no line of the
//! patch is left out unsaid.

mod fit;
mod read;

use crate::disk::{Disk, DiskError};
use crate::plan::{Act, Change};
use crate::text::not_text;

/// Why a patch cannot be applied. Lines count from 1.
#[derive(Debug, thiserror::Error)]
pub enum PatchError {
    #[error("the text holds no unified diff")]
    Empty,
    #[error("line {line} of the patch: {what}")]
    Malformed { line: usize, what: &'static str },
    /// What no text says, or what is not a text's to say.
    #[error("line {line} of the patch: {what}")]
    Unpatchable { line: usize, what: Unpatchable },
    #[error("line {line} of the patch belongs to no hunk")]
    NoHunk { line: usize },
    #[error("line {line} of the patch is more than the hunk of line {hunk} says it has")]
    Surplus { line: usize, hunk: usize },
    #[error("line {line} of the patch names {path}, and no hunk follows")]
    NoChange { line: usize, path: String },
    #[error("{path} does not exist")]
    Missing { path: String },
    #[error("{path} is {what}")]
    NotText { path: String, what: &'static str },
    #[error("{path}: hunk {hunk} (line {line} of the patch) fits nowhere")]
    Misfit { path: String, hunk: usize, line: usize },
    #[error("{path}: hunk {hunk} (line {line} of the patch) fits at {places}, and {why}")]
    Several { path: String, hunk: usize, line: usize, places: Places, why: &'static str },
    #[error(
        "{path}: hunk {hunk} (line {line} of the patch) has neither line numbers nor a line of the file that would say where it belongs"
    )]
    Nowhere { path: String, hunk: usize, line: usize },
    #[error("{path}: the patch deletes the file, but its hunks do not take away all that it holds")]
    Remainder { path: String },
    #[error(transparent)]
    Disk(#[from] DiskError),
}

/// What a patch cannot do here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unpatchable {
    Binary,
    Link,
    /// A diff of a merge, against several parents at once.
    Combined,
}

impl std::fmt::Display for Unpatchable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Binary => "binary contents cannot be patched",
            Self::Link => "links and submodules cannot be patched",
            Self::Combined => "the diff of a merge cannot be applied",
        })
    }
}

/// Lines of a file where a hunk fits, nearest to the one it names first.
#[derive(Debug, PartialEq, Eq)]
pub struct Places {
    pub nearest: Vec<usize>,
    pub total: usize,
}

impl std::fmt::Display for Places {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown: Vec<String> = self.nearest.iter().map(usize::to_string).collect();
        write!(f, "lines {}", shown.join(", "))?;
        match self.total - self.nearest.len() {
            0 => Ok(()),
            more => write!(f, " and {more} others"),
        }
    }
}

/// What a patch does to one file.
#[derive(Debug, Default)]
struct FilePatch {
    /// Where it begins in the patch, from 1.
    line: usize,
    /// The name on git's own line, where both sides have the same.
    git: Option<String>,
    old: Option<String>,
    new: Option<String>,
    /// The new file is there besides the old one.
    copies: bool,
    /// Whether `---` and `+++` were seen.
    named: bool,
    /// Whether the new file can be run, where the patch says so.
    runs: Option<bool>,
    hunks: Vec<Hunk>,
}

#[derive(Debug)]
struct Hunk {
    /// In the patch.
    line: usize,
    /// In the old file; a hunk that says none stands where its lines stand.
    start: Option<usize>,
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    side: Side,
    /// With its carriage return, if there is one. In whatever encoding the file has.
    text: Vec<u8>,
    /// Whether a newline follows.
    ended: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Both,
    Old,
    New,
}

/// The changes that a patch makes to the files as they are. Paths are as the patch writes them, without `a/` and `b/`;
/// lines are bytes, as files are.
pub fn changes(disk: &dyn Disk, patch: &[u8]) -> Result<Vec<Change>, PatchError> {
    let mut all = Vec::new();
    for file in read::files(patch)? {
        if file.named
            && file.hunks.is_empty()
            && let Some(path) = &file.new
        {
            return Err(PatchError::NoChange { line: file.line, path: path.clone() });
        }
        let change = |path: &str, act| Change {
            path: path.to_owned(),
            act,
            rename_to: None,
            expected: None,
            runs: file.runs,
        };
        // What is patched must be text; what only moves need not.
        let held = |path: &str| {
            let held = disk.held(path)?.ok_or_else(|| PatchError::Missing { path: path.to_owned() })?;
            match not_text(&held.bytes).filter(|_| !file.hunks.is_empty()) {
                Some(what) => Err(PatchError::NotText { path: path.to_owned(), what }),
                None => Ok(held),
            }
        };
        all.push(match (&file.old, &file.new) {
            (None, None) => {
                let what = "nothing is said of this file that could be done";
                return Err(PatchError::Malformed { line: file.line, what });
            }
            (None, Some(new)) => {
                change(new, Act::CreateExact { bytes: fit::applied(new, &[], &file.hunks)?, mode: None })
            }
            (Some(old), Some(new)) if file.copies => {
                let source = held(old)?;
                let bytes = fit::applied(old, &source.bytes, &file.hunks)?;
                change(new, Act::CreateExact { bytes, mode: Some(source.mode) })
            }
            (Some(old), new) => {
                let bytes = fit::applied(old, &held(old)?.bytes, &file.hunks)?;
                match new {
                    // Whoever wrote the patch did not know what is left over.
                    None if !bytes.is_empty() => return Err(PatchError::Remainder { path: old.clone() }),
                    None => change(old, Act::Delete),
                    Some(new) => {
                        let act = if file.hunks.is_empty() { Act::Keep } else { Act::Exact(bytes) };
                        Change { rename_to: (new != old).then(|| new.clone()), ..change(old, act) }
                    }
                }
            }
        });
    }
    if all.is_empty() { Err(PatchError::Empty) } else { Ok(all) }
}
