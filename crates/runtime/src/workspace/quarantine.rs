//! Quarantine: a file that ends the process each time it is read is left out, and said to be.
//!
//! Before a file is read its path is written into a slot of the reading thread. A process that dies leaves its
//! slots behind; the next one counts what was in them. A file that was in a slot twice is not read again until
//! it changes, or until everything is read anew.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use m1nd_ingest::classify::Reason;
use m1nd_vfs::durable;
use serde::{Deserialize, Serialize};

/// Which files were being read when a process ended.
const FILE: &str = "graph.quarantine";
const SLOTS: &str = "graph.reading-";
const SLOT: usize = 4_096;
/// Being read once when a process ended is no proof.
const TIMES: u32 = 2;

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
}

impl Quarantine {
    /// Counts what dead processes left in their slots and opens slots for this one. Without a writable folder
    /// there is no quarantine.
    pub(super) fn open(folder: &Path, size_of: impl Fn(&str) -> Option<u64>) -> Self {
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
        Self { slots: slots(folder).ok(), suspects }
    }

    /// Whoever reads everything anew wants to try again.
    pub(super) fn forget(folder: &Path) {
        if let Err(err) = fs::remove_file(folder.join(FILE)) {
            tracing::trace!(%err, "no quarantine to forget");
        }
    }

    /// To be called before a file is read; an error means that it must not be.
    pub(super) fn admit(&self, path: &str, size: Option<u64>) -> Result<(), Reason> {
        if let Some(suspect) = self.suspects.0.get(path)
            && suspect.times >= TIMES
            && size == Some(suspect.size)
        {
            return Err(Reason::Quarantined);
        }
        if let Some((_, file)) = &self.slots {
            let mut slot = [0_u8; SLOT];
            let path = &path.as_bytes()[..path.len().min(SLOT)];
            slot[..path.len()].copy_from_slice(path);
            let at = rayon::current_thread_index().unwrap_or(0) as u64 * SLOT as u64;
            // Losing a slot loses a suspicion, not a file.
            if let Err(err) = file.write_all_at(&slot, at) {
                tracing::trace!(%err, "a slot was not written");
            }
        }
        Ok(())
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
        let quarantine = Quarantine::open(folder, |_| Some(7));
        quarantine.admit(path, Some(7)).unwrap();
        let (slots, file) = { quarantine }.slots.take().unwrap();
        drop(file);
        assert!(slots.exists());
    }

    #[test]
    fn the_second_death_puts_a_file_aside_until_it_changes() {
        let dir = tempfile::tempdir().unwrap();
        die_reading(dir.path(), "bad.c");
        let once = Quarantine::open(dir.path(), |_| Some(7));
        assert_eq!(once.admit("bad.c", Some(7)), Ok(()), "once may be chance");
        drop(once);
        die_reading(dir.path(), "bad.c");
        let twice = Quarantine::open(dir.path(), |_| Some(7));
        assert_eq!(twice.admit("bad.c", Some(7)), Err(Reason::Quarantined));
        assert_eq!(twice.admit("good.c", Some(7)), Ok(()));
        assert_eq!(twice.admit("bad.c", Some(8)), Ok(()), "it was edited");
        drop(twice);
        Quarantine::forget(dir.path());
        assert_eq!(Quarantine::open(dir.path(), |_| None).admit("bad.c", Some(7)), Ok(()));
    }

    #[test]
    fn the_slots_of_the_living_are_left_alone_and_an_ended_ingest_leaves_none() {
        let dir = tempfile::tempdir().unwrap();
        let one = Quarantine::open(dir.path(), |_| None);
        one.admit("a.c", None).unwrap();
        assert_eq!(leftovers(dir.path()), Vec::<String>::new());
        drop(one);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
