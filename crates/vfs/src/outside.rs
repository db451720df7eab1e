//! Small files that lie outside every root, such as the settings of hosts: read whole, with a bound, and never waited for.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;

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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

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
