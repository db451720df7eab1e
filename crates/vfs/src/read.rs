//! Whole files as bytes and as text, with a limit, never blocking on a pipe.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use cap_std::fs::{OpenOptions, OpenOptionsExt as _};
use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

use crate::path::{PathError, RelPath};
use crate::policy::{Withheld, withheld};
use crate::root::{Root, sort_out};

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error(transparent)]
    Path(#[from] PathError),
    #[error("{path} is a folder")]
    IsFolder { path: RelPath },
    #[error("{path} is not a regular file")]
    NotAFile { path: RelPath },
    #[error("{path} is withheld")]
    Withheld { path: RelPath, why: Withheld },
    #[error("{path} has {bytes} bytes, more than {limit}")]
    TooLarge { path: RelPath, bytes: u64, limit: u64 },
    #[error("{path} is binary")]
    Binary { path: RelPath, bytes: u64 },
}

/// How the bytes of a file were turned into text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decoding {
    Utf8,
    /// Some bytes were not UTF-8 and show as U+FFFD.
    Lossy,
    Utf16,
}

/// A file's text and what is needed to speak about its bytes.
#[derive(Debug)]
pub struct TextFile {
    pub text: String,
    pub decoding: Decoding,
    /// sha256 of the bytes on disk.
    pub sha256: String,
    pub bytes: u64,
}

/// Opens a regular file beneath the root. A pipe or device is refused, not waited for.
fn open(root: &Root, path: &RelPath) -> Result<(File, u64), ReadError> {
    let found = open_at(root, path.as_path(), path);
    match found {
        Err(ReadError::Path(PathError::NotFound { .. })) => match unshown(root, path) {
            Some(at) => open_at(root, &at, path),
            None => found,
        },
        found => found,
    }
}

/// The real name of a path that is shown with U+FFFD for bytes that are not text, if only one is shown so.
fn unshown(root: &Root, path: &RelPath) -> Option<PathBuf> {
    if !path.as_str().contains(char::REPLACEMENT_CHARACTER) || root.mounts().of(path.as_path()).is_some() {
        return None;
    }
    let mut at = PathBuf::new();
    for part in path.as_str().split('/') {
        if !part.contains(char::REPLACEMENT_CHARACTER) {
            at.push(part);
            continue;
        }
        let folder = if at == Path::new("") { Path::new(".") } else { at.as_path() };
        let names = root.dir().read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.file_name()));
        let mut named = names.filter(|name| name.to_string_lossy() == part);
        let (only, None) = (named.next()?, named.next()) else { return None };
        at.push(only);
    }
    Some(at)
}

/// The same for a name that need not be UTF-8; `path` is how it is shown.
pub(crate) fn open_at(root: &Root, at: &Path, path: &RelPath) -> Result<(File, u64), ReadError> {
    if let Some(why) = withheld(path) {
        return Err(ReadError::Withheld { path: path.clone(), why });
    }
    let elsewhere = root.mounts().of(at);
    let (root, at) = match &elsewhere {
        Some(mount) => (
            mount.root(),
            at.strip_prefix(mount.folder()).ok().filter(|at| *at != Path::new("")).unwrap_or(Path::new(".")),
        ),
        None => (root, at),
    };
    let mut options = OpenOptions::new();
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    options.read(true).custom_flags(flags.bits().cast_signed());
    let file = root.dir().open_with(at, &options).map_err(|err| match err.raw_os_error() {
        // What a socket answers to being opened.
        Some(code) if code == rustix::io::Errno::NXIO.raw_os_error() => {
            ReadError::NotAFile { path: path.clone() }
        }
        _ => sort_out(err, path.as_str()).into(),
    })?;
    let file = file.into_std();
    let meta = file.metadata().map_err(|err| sort_out(err, path.as_str()))?;
    if meta.is_dir() {
        return Err(ReadError::IsFolder { path: path.clone() });
    }
    if !meta.is_file() {
        return Err(ReadError::NotAFile { path: path.clone() });
    }
    Ok((file, meta.len()))
}

/// The whole file, if it has at most `limit` bytes.
pub fn bytes(root: &Root, path: &RelPath, limit: u64) -> Result<Vec<u8>, ReadError> {
    let (file, len) = open(root, path)?;
    let too_large = |bytes| ReadError::TooLarge { path: path.clone(), bytes, limit };
    if len > limit {
        return Err(too_large(len));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or_default());
    // A file can grow while it is read.
    let read = file.take(limit + 1).read_to_end(&mut bytes);
    read.map_err(|err: io::Error| sort_out(err, path.as_str()))?;
    if bytes.len() as u64 > limit {
        return Err(too_large(bytes.len() as u64));
    }
    Ok(bytes)
}

/// The whole file as text: UTF-8, or UTF-16 with a byte order mark.
pub fn text(root: &Root, path: &RelPath, limit: u64) -> Result<TextFile, ReadError> {
    let bytes = bytes(root, path, limit)?;
    let (text, decoding) =
        decode(&bytes).ok_or_else(|| ReadError::Binary { path: path.clone(), bytes: bytes.len() as u64 })?;
    Ok(TextFile { text, decoding, sha256: m1nd_stdx::digest::sha256_hex(&bytes), bytes: bytes.len() as u64 })
}

/// Text from bytes; `None` for binary data, which is what has a NUL byte and no UTF-16 mark.
pub fn decode(bytes: &[u8]) -> Option<(String, Decoding)> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        let (text, _) = encoding.decode_without_bom_handling(&bytes[mark..]);
        let decoding =
            if encoding == UTF_16LE || encoding == UTF_16BE { Decoding::Utf16 } else { Decoding::Utf8 };
        return Some((text.into_owned(), decoding));
    }
    if bytes.contains(&0) {
        return None;
    }
    Some(match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), Decoding::Utf8),
        Err(_) => (String::from_utf8_lossy(bytes).into_owned(), Decoding::Lossy),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn text_is_decoded_by_its_mark() {
        assert_eq!(decode(b"\xEF\xBB\xBFhi").unwrap(), ("hi".into(), Decoding::Utf8));
        assert_eq!(decode(b"\xFF\xFEh\0i\0").unwrap(), ("hi".into(), Decoding::Utf16));
        assert_eq!(decode(b"a\xFFb").unwrap(), ("a\u{FFFD}b".into(), Decoding::Lossy));
        assert_eq!(decode(b"ELF\0"), None);
    }

    #[test]
    fn a_name_that_is_no_text_is_read_as_it_is_shown_if_no_other_is_shown_so() {
        use std::os::unix::ffi::OsStrExt as _;
        let dir = tempfile::tempdir().unwrap();
        let name = |bytes: &'static [u8]| dir.path().join(std::ffi::OsStr::from_bytes(bytes));
        fs::create_dir(name(b"d\xFF")).unwrap();
        fs::write(name(b"d\xFF/a\xFE.py"), "one").unwrap();
        fs::write(name(b"b\xFE.py"), "two").unwrap();
        fs::write(name(b"b\xFF.py"), "three").unwrap();
        let root = Root::open(dir.path()).unwrap();
        let read = |path: &str| {
            let read = text(&root, &root.relative(path).unwrap(), 1_000);
            read.map_or_else(|err| err.to_string(), |file| file.text)
        };
        assert_eq!(read("d\u{FFFD}/a\u{FFFD}.py"), "one");
        assert_eq!(read("b\u{FFFD}.py"), "b\u{FFFD}.py does not exist");
    }

    #[test]
    fn pipes_folders_secrets_and_large_files_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("big"), vec![b'x'; 2_000]).unwrap();
        fs::write(dir.path().join(".env"), "TOKEN=1").unwrap();
        let pipe = dir.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_bits_truncate(0o600),
            0,
        )
        .unwrap();
        let root = Root::open(dir.path()).unwrap();
        let said = |name: &str| text(&root, &root.relative(name).unwrap(), 1_000).unwrap_err().to_string();
        assert_eq!(said("pipe"), "pipe is not a regular file");
        assert_eq!(said("."), ". is a folder");
        assert_eq!(said("big"), "big has 2000 bytes, more than 1000");
        assert_eq!(said(".env"), ".env is withheld");
        assert_eq!(said("nope"), "nope does not exist");
    }
}
