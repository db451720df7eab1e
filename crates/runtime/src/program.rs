//! Program: the file that this process was started from, and whether other files are the same program.
//!
//! No program is ever run to ask it who it is: its bytes are compared, or searched for the mark that every build carries.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::{FileExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use parking_lot::Mutex;

/// What every build carries in its file, before `version (commit);`.
pub const MARK: &str = "m1nd-build-mark:";

/// Larger files are no program of ours.
const MAX_BYTES: u64 = 1 << 29;

/// Longest version and commit in a mark.
const LONGEST_MARK: usize = 80;

/// The program that runs.
#[derive(Debug)]
pub struct Program {
    path: PathBuf,
    /// The file when this process began.
    mark: Option<FileMark>,
    /// It stays readable here when its name leads to another one.
    file: Option<File>,
    /// What was found when the bytes were compared last.
    compared: Mutex<Option<(FileMark, bool)>>,
}

/// What is now at the place the running program came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnDisk {
    Same,
    /// Another program.
    Replaced,
    /// Nothing.
    Gone,
    /// It was never seen.
    Unknown,
}

impl OnDisk {
    pub fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Replaced => "replaced",
            Self::Gone => "gone",
            Self::Unknown => "unknown",
        }
    }
}

/// What a file is, held against the running program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// The same bytes.
    Same,
    /// Another program, and the version its mark names, if it has one.
    Other(Option<String>),
    /// A file that cannot be started.
    NotExecutable,
    Missing,
    Unknown,
}

impl Program {
    pub fn of(path: PathBuf) -> Self {
        let file = File::open(&path).ok();
        Self { mark: FileMark::of(&path), path, file, compared: Mutex::default() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A copy of the same bytes under the same name is the same program.
    pub fn on_disk(&self) -> OnDisk {
        let Some(before) = &self.mark else { return OnDisk::Unknown };
        match FileMark::of(&self.path) {
            None => OnDisk::Gone,
            Some(now) if now == *before => OnDisk::Same,
            // The file itself was written to: what is held open is no longer what runs.
            Some(now) if now.inode == before.inode || now.bytes != before.bytes => OnDisk::Replaced,
            Some(now) => {
                let mut compared = self.compared.lock();
                let known = compared.as_ref().filter(|(mark, _)| *mark == now).map(|(_, same)| *same);
                let same = known.unwrap_or_else(|| self.has_bytes_of(&self.path).unwrap_or(false));
                *compared = Some((now, same));
                if same { OnDisk::Same } else { OnDisk::Replaced }
            }
        }
    }

    /// What another file is to this one.
    pub fn likeness(&self, path: &Path) -> Likeness {
        let Ok(meta) = fs::metadata(path) else { return Likeness::Missing };
        if !meta.is_file() {
            return Likeness::Missing;
        }
        if meta.permissions().mode() & 0o111 == 0 {
            return Likeness::NotExecutable;
        }
        let same = match &self.mark {
            Some(own) if own.bytes == meta.len() => {
                let same_file = own.inode == (meta.dev(), meta.ino()) && own.modified == meta.modified().ok();
                same_file || self.has_bytes_of(path).unwrap_or(false)
            }
            Some(_) => false,
            None => return Likeness::Unknown,
        };
        if same { Likeness::Same } else { Likeness::Other(version_in(path)) }
    }

    fn has_bytes_of(&self, path: &Path) -> io::Result<bool> {
        let Some(own) = &self.file else { return Ok(false) };
        Ok(hash(At { file: own, place: 0 })? == hash(File::open(path)?)?)
    }
}

/// Reads from a place of its own, so that several can read one file at a time.
struct At<'f> {
    file: &'f File,
    place: u64,
}

impl Read for At<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(into, self.place)?;
        self.place += read as u64;
        Ok(read)
    }
}

fn hash(file: impl Read) -> io::Result<blake3::Hash> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(file.take(MAX_BYTES))?;
    Ok(hasher.finalize())
}

/// The version that the mark in a program's file names. It is what the file says of itself, in letters that cannot
/// say anything else.
pub fn version_in(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok()?.take(MAX_BYTES);
    let mut window: Vec<u8> = Vec::new();
    let mut part = vec![0; 1 << 20];
    loop {
        let read = file.read(&mut part).ok().filter(|read| *read > 0)?;
        window.extend_from_slice(&part[..read]);
        if let Some(version) = marked(&window) {
            return Some(version);
        }
        let keep = window.len().min(MARK.len() + LONGEST_MARK);
        window.drain(..window.len() - keep);
    }
}

fn marked(bytes: &[u8]) -> Option<String> {
    let mark = MARK.as_bytes();
    let first = mark[0];
    let starts = bytes.iter().enumerate().filter(|(_, byte)| **byte == first).map(|(at, _)| at);
    starts.filter(|at| bytes[*at..].starts_with(mark)).find_map(|at| {
        let rest = &bytes[at + mark.len()..];
        let rest = &rest[..rest.len().min(LONGEST_MARK)];
        let text = std::str::from_utf8(&rest[..rest.iter().position(|byte| *byte == b';')?]).ok()?;
        let plain = |c: char| c.is_ascii_alphanumeric() || ".-+ ()".contains(c);
        let is_version = text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(plain);
        is_version.then(|| text.to_owned())
    })
}

/// Which file a path names, and which state of it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FileMark {
    inode: (u64, u64),
    bytes: u64,
    modified: Option<SystemTime>,
}

impl FileMark {
    fn of(path: &Path) -> Option<Self> {
        let meta = fs::metadata(path).ok()?;
        Some(Self { inode: (meta.dev(), meta.ino()), bytes: meta.len(), modified: meta.modified().ok() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) {
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn a_program_knows_when_its_file_is_another_one_and_when_it_is_a_copy() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("m1nd");
        let other = dir.path().join("new");
        write(&path, "first program");
        let program = Program::of(path.clone());
        assert_eq!(program.on_disk(), OnDisk::Same);
        write(&other, "first program");
        fs::rename(&other, &path).unwrap();
        assert_eq!(program.on_disk(), OnDisk::Same, "the same bytes");
        write(&other, "other program");
        fs::rename(&other, &path).unwrap();
        assert_eq!(program.on_disk(), OnDisk::Replaced, "as many bytes, and others");
        fs::remove_file(&path).unwrap();
        assert_eq!(program.on_disk(), OnDisk::Gone);
        assert_eq!(Program::of(path).on_disk(), OnDisk::Unknown);
    }

    #[test]
    fn another_program_is_known_by_its_mark_without_being_run() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        write(&at("m1nd"), "one");
        let program = Program::of(at("m1nd"));
        write(&at("copy"), "one");
        write(&at("silent"), "#!/bin/sh\nexit 1\n");
        let long = "x".repeat((1 << 20) - MARK.len() - 3);
        write(&at("old"), &format!("{MARK}no version;{long}{MARK}0.0.9 (abc123);rest"));
        fs::write(at("text"), "no program").unwrap();
        assert_eq!(program.likeness(&at("copy")), Likeness::Same);
        assert_eq!(program.likeness(&at("silent")), Likeness::Other(None));
        assert_eq!(program.likeness(&at("old")), Likeness::Other(Some("0.0.9 (abc123)".to_owned())));
        assert_eq!(program.likeness(&at("text")), Likeness::NotExecutable);
        assert_eq!(program.likeness(&at("none")), Likeness::Missing);
        assert_eq!(program.likeness(dir.path()), Likeness::Missing);
    }
}
