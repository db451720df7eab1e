//! Files of our own, replaced whole: after a crash there is the old one or the new one.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::sync;

/// Makes a folder (and its parents) that only its owner can enter.
pub fn private_folder(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Replaces the file at `path`: written beside it, synced, renamed, folder synced. Mode 0600.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().ok_or_else(|| io::Error::other("the path has no folder"))?;
    let mut file = NamedTempFile::with_prefix_in(".m1nd-", folder)?;
    file.as_file().set_permissions(fs::Permissions::from_mode(0o600))?;
    file.write_all(bytes)?;
    sync::all(file.as_file())?;
    file.persist(path).map_err(|err| err.error)?;
    sync::all(&File::open(folder)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replaced_file_is_private_and_leaves_nothing_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state");
        private_folder(&state).unwrap();
        let file = state.join("token");
        replace(&file, b"one").unwrap();
        replace(&file, b"two").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"two");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::metadata(&state).unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(fs::read_dir(&state).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_an_error_and_changes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        assert!(replace(&dir.path().join("missing/token"), b"x").is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
