//! Small files of the user's that no tool opens, such as the settings of hosts: read whole, with a bound, and never
//! waited for; replaced whole, with the mode they had.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use rustix::fs::OFlags;
use tempfile::NamedTempFile;

/// Why such a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum OutsideError {
    #[error("it is no file, but a folder, pipe or device")]
    NotAFile,
    #[error("it has more than {limit} bytes")]
    TooLarge { limit: u64 },
    #[error("it is no text")]
    NotText,
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// The text of a file; `None` where there is none.
pub fn text(path: &Path, limit: u64) -> Result<Option<String>, OutsideError> {
    // Without waiting: a pipe that nobody writes to would be waited for as long as it stands.
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits() as i32;
    let file = match File::options().read(true).custom_flags(flags).open(path) {
        Ok(file) => file,
        Err(err) if matches!(err.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(err) => return Err(err.into()),
    };
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(OutsideError::NotAFile);
    }
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(OutsideError::TooLarge { limit });
    }
    String::from_utf8(bytes).map(Some).map_err(|_| OutsideError::NotText)
}

/// Replaces a file whole, or makes it with its folders. What is there keeps its mode; a link is written through.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().ok_or_else(|| io::Error::other("the path has no folder"))?;
    fs::create_dir_all(folder)?;
    let mode = fs::metadata(&path).map_or(0o644, |meta| meta.permissions().mode() & 0o777);
    let mut file = NamedTempFile::with_prefix_in(".m1nd-", folder)?;
    file.as_file().set_permissions(fs::Permissions::from_mode(mode))?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(&path).map_err(|err| err.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_replaced_keeps_its_mode_and_its_link() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        fs::write(path("real"), "one").unwrap();
        fs::set_permissions(path("real"), fs::Permissions::from_mode(0o600)).unwrap();
        std::os::unix::fs::symlink("real", path("link")).unwrap();
        write(&path("link"), "two").unwrap();
        assert!(path("link").is_symlink());
        assert_eq!(fs::read_to_string(path("real")).unwrap(), "two");
        assert_eq!(fs::metadata(path("real")).unwrap().permissions().mode() & 0o777, 0o600);
        write(&path("new/folder/file"), "x").unwrap();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 3, "nothing else is left");
    }

    #[test]
    fn what_is_no_small_text_is_refused_and_nothing_is_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        fs::write(path("a"), "ä").unwrap();
        fs::write(path("big"), "123456").unwrap();
        fs::write(path("binary"), [0xff, 0xfe]).unwrap();
        std::os::unix::net::UnixListener::bind(path("socket")).unwrap();
        let said = |name: &str| text(&path(name), 5).map_err(|err| err.to_string());
        assert_eq!(said("a").unwrap().as_deref(), Some("ä"));
        assert_eq!(said("none").unwrap(), None);
        assert_eq!(said("a/below").unwrap(), None);
        assert_eq!(said("big").unwrap_err(), "it has more than 5 bytes");
        assert_eq!(said("binary").unwrap_err(), "it is no text");
        assert_eq!(said("").unwrap_err(), "it is no file, but a folder, pipe or device");
        assert!(said("socket").is_err());
        assert_eq!(
            text(Path::new("/dev/zero"), 5).unwrap_err().to_string(),
            "it is no file, but a folder, pipe or device"
        );
    }
}
