//! Lock: one batch at a time on a workspace, between threads and between processes.

use std::fs::{File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;
use std::time::Duration;

use m1nd_vfs::Root;
use m1nd_vfs::durable;

const FILE: &str = "lock";
/// How often somebody who waits looks again.
const LOOK: Duration = Duration::from_millis(2);

/// Held for as long as it lives. A process that dies gives it back.
#[derive(Debug)]
pub struct Lock {
    _files: Vec<File>,
}

/// Waits for the lock; nothing when `go_on` said to stop waiting.
///
/// The workspace's folder itself is locked too, where the system can: two processes may keep their state in different
/// places.
pub fn acquire(journal: &Path, root: &Root, mut go_on: impl FnMut() -> bool) -> io::Result<Option<Lock>> {
    durable::private_folder(journal)?;
    let own = File::options().create(true).append(true).mode(0o600).open(journal.join(FILE))?;
    // An earlier version made it as the system makes files.
    if own.metadata()?.permissions().mode() & 0o077 != 0 {
        own.set_permissions(Permissions::from_mode(0o600))?;
    }
    let mut files = vec![own];
    let mut folders = vec![root.path().to_owned()];
    folders.extend(root.mounted().iter().map(|mount| mount.root().path().to_owned()));
    // Always in the same order, so that two who want several never wait for each other.
    folders.sort();
    files.extend(folders.iter().filter_map(|folder| File::open(folder).ok()));
    for (at, file) in files.iter().enumerate() {
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if go_on() => std::thread::sleep(LOOK),
                Err(TryLockError::WouldBlock) => return Ok(None),
                // Folders cannot be locked everywhere; the journal's own file must be.
                Err(TryLockError::Error(_)) if at > 0 => break,
                Err(TryLockError::Error(err)) => return Err(err),
            }
        }
    }
    Ok(Some(Lock { _files: files }))
}

/// Whether a name in the journal's folder is the lock.
pub(crate) fn is_lock(name: &str) -> bool {
    name == FILE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_also_where_state_is_kept_elsewhere() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("ws")).unwrap();
        let root = Root::open(&dir.path().join("ws")).unwrap();
        let held = acquire(&dir.path().join("one"), &root, || false).unwrap();
        assert!(held.is_some());
        let made = std::fs::metadata(dir.path().join("one/lock")).unwrap();
        assert_eq!(made.permissions().mode() & 0o777, 0o600);
        for journal in ["one", "two"] {
            let mut asked = 0;
            let mut twice = || {
                asked += 1;
                asked < 3
            };
            assert!(acquire(&dir.path().join(journal), &root, &mut twice).unwrap().is_none());
            assert_eq!(asked, 3);
        }
        drop(held);
        assert!(acquire(&dir.path().join("two"), &root, || false).unwrap().is_some());
    }
}
