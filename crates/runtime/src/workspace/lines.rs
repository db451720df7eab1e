//! Lines: a file of JSON lines that several processes may add to, read again when it changed.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use m1nd_vfs::durable;
use parking_lot::Mutex;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The older half is forgotten when a file grows beyond this.
const MAX_BYTES: u64 = 1_000_000;

/// What was learned of a user's files is that user's alone.
const OWN: u32 = 0o600;

/// `T` is what a line is read as.
#[derive(Debug)]
pub(super) struct Lines<T> {
    path: PathBuf,
    kept: Mutex<Kept<T>>,
}

#[derive(Debug)]
struct Kept<T> {
    made_from: Option<(u64, Option<SystemTime>)>,
    all: Arc<Vec<T>>,
}

impl<T> Lines<T> {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, kept: Mutex::new(Kept { made_from: None, all: Arc::default() }) }
    }

    /// Every line, oldest first, as `read` makes of it.
    pub(super) fn all<L: DeserializeOwned>(&self, read: impl Fn(L) -> Option<T>) -> Arc<Vec<T>> {
        self.all_of(|lines: Vec<L>| lines.into_iter().filter_map(read).collect())
    }

    /// The same where one line may take another back.
    pub(super) fn all_of<L: DeserializeOwned>(&self, read: impl FnOnce(Vec<L>) -> Vec<T>) -> Arc<Vec<T>> {
        let mut kept = self.kept.lock();
        let state = std::fs::metadata(&self.path).ok().map(|meta| (meta.len(), meta.modified().ok()));
        if state != kept.made_from {
            let text = std::fs::read_to_string(&self.path).unwrap_or_default();
            // A line that a crash cut short says nothing.
            let lines = text.lines().filter_map(|line| serde_json::from_str::<L>(line).ok());
            *kept = Kept { made_from: state, all: Arc::new(read(lines.collect())) };
        }
        Arc::clone(&kept.all)
    }

    pub(super) fn add<L: Serialize>(&self, lines: impl IntoIterator<Item = L>) -> io::Result<()> {
        self.append(lines)?.sync_data()
    }

    pub(super) fn add_unsynced<L: Serialize>(&self, lines: impl IntoIterator<Item = L>) -> io::Result<()> {
        self.append(lines).map(drop)
    }

    /// The file that the lines were written to.
    fn append<L: Serialize>(&self, lines: impl IntoIterator<Item = L>) -> io::Result<File> {
        let mut text = String::new();
        for line in lines {
            text.push_str(&serde_json::to_string(&line)?);
            text.push('\n');
        }
        let _one_at_a_time = self.kept.lock();
        let mut file = OpenOptions::new().create(true).append(true).mode(OWN).open(&self.path)?;
        // What a crash cut short must not swallow the next line.
        if !ends_with_newline(&self.path)? {
            text.insert(0, '\n');
        }
        file.write_all(text.as_bytes())?;
        if file.metadata()?.len() > MAX_BYTES {
            self.forget_oldest()?;
        }
        Ok(file)
    }

    fn forget_oldest(&self) -> io::Result<()> {
        let text = std::fs::read_to_string(&self.path)?;
        let half = text.ceil_char_boundary(text.len() / 2);
        let kept = text[half..].split_once('\n').map_or("", |(_, rest)| rest);
        durable::replace(&self.path, kept.as_bytes())
    }
}

fn ends_with_newline(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == [b'\n'])
}
