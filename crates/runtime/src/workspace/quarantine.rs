//! Quarantine: a file that ends the process each time it is read is left out, and said to be.
//!
//! While a file is read and parsed its path stands in a slot of the reading thread. A process that dies leaves its
//! slots behind; the next one counts what was in them. A file that was in a slot three times is not read again for a
//! question, after five times not for an ingest that somebody asks for, until it changes or everything is read anew; one
//! that is read to its end is suspected no more.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use m1nd_ingest::classify::Reason;
use m1nd_vfs::durable;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

/// Which files were being read when a process ended.
const FILE: &str = "graph.quarantine";
const SLOTS: &str = "graph.reading-";
const SLOT: usize = 4_096;
/// Processes are also killed by those who run them: being read when that happens is no proof.
const TIMES: u32 = 3;
/// Who asks for an ingest sees that it dies, and may want to try again.
const TIMES_ASKED: u32 = 5;

/// Files under suspicion, with how they looked.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Suspects(BTreeMap<String, Suspect>);

#[derive(Debug, Default, Serialize, Deserialize)]
struct Suspect {
    times: u32,
    /// Size of the file, so that an edited one gets another chance.
    size: u64,
}

/// The slots of one ingest, and what earlier ones left.
#[derive(Debug)]
pub(super) struct Quarantine {
    slots: Option<(PathBuf, File)>,
    suspects: Suspects,
    /// A file that was being read so often is left out.
    times: u32,
    /// Suspects that were read to their end.
    cleared: Mutex<Vec<String>>,
}

/// A file that is being read; dropped once it is parsed.
#[derive(Debug)]
pub(super) struct Reading<'q> {
    quarantine: &'q Quarantine,
    /// Where its slot begins.
    slot: u64,
    suspect: Option<String>,
}

/// The content of a file that is being read.
pub(super) struct Content<'q> {
    pub bytes: Vec<u8>,
    /// Held until the content is dropped.
    pub _reading: Reading<'q>,
}

impl AsRef<[u8]> for Content<'_> {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Whether somebody asked for an ingest, or it is made for a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Yes,
    No,
}

impl Quarantine {
    /// Counts what dead processes left in their slots and opens slots for this one. Without a writable folder
    /// there is no quarantine.
    pub(super) fn open(folder: &Path, asked: Asked, size_of: impl Fn(&str) -> Option<u64>) -> Self {
        let mut suspects = fs::read(folder.join(FILE))
            .ok()
            .and_then(|text| serde_json::from_slice::<Suspects>(&text).ok())
            .unwrap_or_default();
        let left = leftovers(folder);
        if !left.is_empty() {
            for path in left {
                let suspect = suspects.0.entry(path.clone()).or_default();
                suspect.times += 1;
                suspect.size = size_of(&path).unwrap_or_default();
            }
            suspects.write(folder);
        }
        let times = if asked == Asked::Yes { TIMES_ASKED } else { TIMES };
        Self { slots: slots(folder).ok(), suspects, times, cleared: Mutex::default() }
    }

    /// Whoever reads everything anew wants to try again.
    pub(super) fn forget(folder: &Path) {
        if let Err(err) = fs::remove_file(folder.join(FILE)) {
            tracing::trace!(%err, "no quarantine to forget");
        }
    }

    /// To be called before a file is read, and kept until it is parsed; an error means that it must not be read.
    pub(super) fn admit(&self, path: &str, size: Option<u64>) -> Result<Reading<'_>, Reason> {
        let suspect = self.suspects.0.get(path);
        if suspect.is_some_and(|suspect| suspect.times >= self.times && size == Some(suspect.size)) {
            return Err(Reason::Quarantined);
        }
        let reading = Reading {
            quarantine: self,
            slot: rayon::current_thread_index().unwrap_or(0) as u64 * SLOT as u64,
            suspect: suspect.map(|_| path.to_owned()),
        };
        let mut slot = [0_u8; SLOT];
        let path = &path.as_bytes()[..path.len().min(SLOT)];
        slot[..path.len()].copy_from_slice(path);
        reading.mark(&slot);
        Ok(reading)
    }

    /// Those that were read to their end this time are suspected no more.
    pub(super) fn forgive(mut self, folder: &Path) {
        let cleared = std::mem::take(&mut *self.cleared.lock());
        cleared.iter().for_each(|path| {
            self.suspects.0.remove(path);
        });
        if !cleared.is_empty() {
            self.suspects.write(folder);
        }
    }
}

impl Reading<'_> {
    /// Losing a mark loses a suspicion, not a file.
    fn mark(&self, slot: &[u8]) {
        if let Some((_, file)) = &self.quarantine.slots
            && let Err(err) = file.write_all_at(slot, self.slot)
        {
            tracing::trace!(%err, "a slot was not written");
        }
    }
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        self.mark(&[0]);
        self.quarantine.cleared.lock().extend(self.suspect.take());
    }
}

impl Drop for Quarantine {
    fn drop(&mut self) {
        if let Some((path, _)) = self.slots.take()
            && let Err(err) = fs::remove_file(&path)
        {
            tracing::debug!(%err, "slots stayed");
        }
    }
}

impl Suspects {
    fn write(&self, folder: &Path) {
        let written = serde_json::to_vec(self)
            .map_err(io::Error::from)
            .and_then(|text| durable::replace(&folder.join(FILE), &text));
        if let Err(err) = written {
            tracing::warn!(%err, "the quarantine was not written");
        }
    }
}

fn slots(folder: &Path) -> io::Result<(PathBuf, File)> {
    let path = folder.join(format!("{SLOTS}{}", std::process::id()));
    let file = File::options().create(true).truncate(true).read(true).write(true).mode(0o600).open(&path)?;
    // Held as long as the process lives: that is how others know that it does.
    file.try_lock().map_err(io::Error::from)?;
    Ok((path, file))
}

/// Paths in the slots of processes that are no more; the slots are removed.
fn leftovers(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if !entry.file_name().to_string_lossy().starts_with(SLOTS) {
            continue;
        }
        let Ok(file) = File::options().read(true).write(true).open(entry.path()) else { continue };
        if file.try_lock().is_err() {
            continue;
        }
        let bytes = fs::read(entry.path()).unwrap_or_default();
        for slot in bytes.chunks(SLOT) {
            let end = slot.iter().position(|&byte| byte == 0).unwrap_or(slot.len());
            if let Ok(path) = std::str::from_utf8(&slot[..end])
                && !path.is_empty()
            {
                found.push(path.to_owned());
            }
        }
        if let Err(err) = fs::remove_file(entry.path()) {
            tracing::debug!(%err, "slots of a dead process stayed");
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a process that dies in the middle of a file leaves behind.
    fn die_reading(folder: &Path, path: &str) {
        let quarantine = Quarantine::open(folder, Asked::Yes, |_| Some(7));
        std::mem::forget(quarantine.admit(path, Some(7)).unwrap());
        let (slots, file) = { quarantine }.slots.take().unwrap();
        drop(file);
        assert!(slots.exists());
    }

    fn is_admitted(quarantine: &Quarantine, path: &str, size: u64) -> bool {
        quarantine.admit(path, Some(size)).is_ok()
    }

    #[test]
    fn the_third_death_puts_a_file_aside_until_it_changes_or_somebody_asks() {
        let dir = tempfile::tempdir().unwrap();
        let open = |asked| Quarantine::open(dir.path(), asked, |_| Some(7));
        for _ in 0..2 {
            die_reading(dir.path(), "bad.c");
            assert!(is_admitted(&open(Asked::No), "bad.c", 7), "twice may be chance");
        }
        die_reading(dir.path(), "bad.c");
        let thrice = open(Asked::No);
        assert_eq!(thrice.admit("bad.c", Some(7)).unwrap_err(), Reason::Quarantined);
        assert!(is_admitted(&thrice, "good.c", 7) && is_admitted(&thrice, "bad.c", 8), "it was edited");
        drop(thrice);
        for _ in 0..2 {
            assert!(is_admitted(&open(Asked::Yes), "bad.c", 7), "whoever asks may try again");
            die_reading(dir.path(), "bad.c");
        }
        assert!(!is_admitted(&open(Asked::Yes), "bad.c", 7), "not for ever");
        Quarantine::forget(dir.path());
        assert!(is_admitted(&open(Asked::No), "bad.c", 7));
    }

    #[test]
    fn a_file_that_is_read_to_its_end_is_suspected_no_more() {
        let dir = tempfile::tempdir().unwrap();
        for _ in 0..3 {
            die_reading(dir.path(), "slow.c");
        }
        let asked = Quarantine::open(dir.path(), Asked::Yes, |_| Some(7));
        drop(asked.admit("slow.c", Some(7)).unwrap());
        asked.forgive(dir.path());
        for _ in 0..2 {
            die_reading(dir.path(), "slow.c");
        }
        assert!(is_admitted(&Quarantine::open(dir.path(), Asked::No, |_| Some(7)), "slow.c", 7));
    }

    #[test]
    fn whoever_dies_after_a_file_was_parsed_accuses_none() {
        let dir = tempfile::tempdir().unwrap();
        let quarantine = Quarantine::open(dir.path(), Asked::No, |_| Some(7));
        drop(quarantine.admit("good.c", Some(7)).unwrap());
        drop({ quarantine }.slots.take().unwrap().1);
        assert_eq!(leftovers(dir.path()), Vec::<String>::new());
    }

    #[test]
    fn the_slots_of_the_living_are_left_alone_and_an_ended_ingest_leaves_none() {
        let dir = tempfile::tempdir().unwrap();
        let one = Quarantine::open(dir.path(), Asked::No, |_| None);
        let reading = one.admit("a.c", None).unwrap();
        assert_eq!(leftovers(dir.path()), Vec::<String>::new());
        drop(reading);
        drop(one);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
