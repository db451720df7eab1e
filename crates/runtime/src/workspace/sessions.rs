//! Sessions: when this workspace was last asked anything before this process began.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use m1nd_stdx::clock::UnixMs;
use parking_lot::Mutex;

const SEEN: &str = "session.seen";
/// The file is written at most this often.
const EVERY_MS: i64 = 60_000;

#[derive(Debug)]
pub(super) struct Sessions {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Read once, with the first question of this process.
    previous: Option<Option<UnixMs>>,
    written: i64,
}

impl Sessions {
    pub(super) fn new(folder: &Path) -> Self {
        Self { path: folder.join(SEEN), state: Mutex::default() }
    }

    /// The last time that something was asked here before this process.
    pub(super) fn previous(&self) -> Option<UnixMs> {
        self.state.lock().previous.get_or_insert_with(|| read(&self.path)).to_owned()
    }

    /// Notes that something was asked. Where nothing is kept yet, nothing is made for this.
    pub(super) fn note(&self, now: UnixMs) {
        let mut state = self.state.lock();
        state.previous.get_or_insert_with(|| read(&self.path));
        if (now.0 - state.written).abs() < EVERY_MS || !self.path.parent().is_some_and(Path::is_dir) {
            return;
        }
        state.written = now.0;
        if let Err(err) = write(&self.path, now) {
            tracing::debug!(%err, "the time of this session was not written");
        }
    }
}

/// Not flushed to the disk: after a crash an older time, or none, does no harm.
fn write(path: &Path, now: UnixMs) -> std::io::Result<()> {
    let mut options = fs::OpenOptions::new();
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(now.0.to_string().as_bytes())
}

fn read(path: &Path) -> Option<UnixMs> {
    fs::read_to_string(path).ok()?.trim().parse().ok().map(UnixMs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_knows_when_the_one_before_it_was_asked() {
        let dir = tempfile::tempdir().unwrap();
        let first = Sessions::new(dir.path());
        assert_eq!(first.previous(), None);
        first.note(UnixMs(100_000));
        first.note(UnixMs(100_001));
        assert_eq!(first.previous(), None, "its own questions are not an earlier session");
        let second = Sessions::new(dir.path());
        second.note(UnixMs(900_000));
        assert_eq!(second.previous(), Some(UnixMs(100_000)));
        assert_eq!(Sessions::new(&dir.path().join("not there")).previous(), None);
    }
}
