//! Leftover: what a batch could not finish because something else is in its way now.

use serde::{Deserialize, Serialize};

use crate::disk::{Disk, DiskError, WriteError};

/// Ends the name of a list of files that wait to be removed.
const SWEEP: &str = "sweep";
/// Ends the name of a record that is kept for its old contents.
pub(crate) const ASIDE: &str = "aside";
/// Of each of these, so many are kept.
const MAX_KEPT: usize = 20;

/// A file that a batch left as it is.
#[derive(Debug)]
pub(crate) struct Left {
    pub path: String,
    /// What is in the way; nothing where somebody changed the file.
    pub why: Option<DiskError>,
}

impl Left {
    pub(crate) fn said(&self) -> String {
        match &self.why {
            Some(why) => format!("{} ({why})", self.path),
            None => self.path.clone(),
        }
    }
}

/// Whether trying again cannot help: the path itself is something else now, is gone, or is forbidden. A disk that is
/// full or broken is no obstacle; it may work again.
pub(crate) fn is_obstacle(err: &DiskError) -> bool {
    use std::io::ErrorKind::{IsADirectory, NotADirectory, NotFound, PermissionDenied};
    match err {
        DiskError::Path(_) => true,
        DiskError::Write(WriteError::Io { source, .. }) => {
            matches!(source.kind(), NotFound | PermissionDenied | NotADirectory | IsADirectory)
        }
        DiskError::Write(_) => true,
        DiskError::State(_) => false,
    }
}

/// An outcome in which an obstacle is no error.
pub(crate) fn unless_hindered(outcome: Result<(), DiskError>) -> Result<(), DiskError> {
    match outcome {
        Err(err) if is_obstacle(&err) => {
            tracing::debug!(%err, "something is in the way of the journal");
            Ok(())
        }
        outcome => outcome,
    }
}

/// Files beside others that could not be removed. Their folder may come back, as when it was moved for a while.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Unswept(Vec<(String, String)>);

impl Unswept {
    /// Removes a file beside a path, or remembers it.
    pub(crate) fn remove(&mut self, disk: &dyn Disk, path: &str, name: &str) -> Result<(), DiskError> {
        match disk.remove_beside(path, name) {
            Ok(true) => return Ok(()),
            Err(err) if !is_obstacle(&err) => return Err(err),
            Ok(false) | Err(_) => {}
        }
        self.0.push((path.to_owned(), name.to_owned()));
        Ok(())
    }

    /// Forgets the files in a folder that was never made.
    pub(crate) fn forget_below(&mut self, disk: &dyn Disk, folders: &[String]) {
        self.0.retain(|(path, _)| {
            let missing = disk.missing_folders(path);
            missing.map_or(true, |missing| {
                missing.is_empty() || !missing.iter().all(|folder| folders.contains(folder))
            })
        });
    }

    pub(crate) fn keep(&self, disk: &dyn Disk, batch: &str) -> Result<(), DiskError> {
        let name = format!("{batch}.{SWEEP}");
        if self.0.is_empty() {
            return disk.remove_state(&name);
        }
        let bytes = serde_json::to_vec(self).map_err(|err| DiskError::State(err.into()))?;
        disk.put_state(&name, &bytes)?;
        keep_newest(disk, SWEEP)
    }
}

/// Removes what earlier batches could not, where it can be done now.
pub(crate) fn sweep(disk: &dyn Disk) -> Result<(), DiskError> {
    for (name, _) in disk.states()? {
        let Some(batch) = name.strip_suffix(&format!(".{SWEEP}")) else { continue };
        let listed: Option<Unswept> = serde_json::from_slice(&disk.state(&name)?).ok();
        let Some(listed) = listed else {
            disk.remove_state(&name)?;
            continue;
        };
        let mut still = Unswept::default();
        for (path, beside) in &listed.0 {
            still.remove(disk, path, beside)?;
        }
        if still.0.len() < listed.0.len() {
            still.keep(disk, batch)?;
        }
    }
    Ok(())
}

/// Forgets the oldest of the states with an ending.
pub(crate) fn keep_newest(disk: &dyn Disk, ending: &str) -> Result<(), DiskError> {
    let mut names: Vec<String> = disk.states()?.into_iter().map(|(name, _)| name).collect();
    names.retain(|name| name.rsplit_once('.').is_some_and(|(_, last)| last == ending));
    names.sort_by(|a, b| b.cmp(a));
    names.iter().skip(MAX_KEPT).try_for_each(|name| disk.remove_state(name))
}
