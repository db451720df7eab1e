//! The server's log: one file for each process in the runtime root, of bounded size and number.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// A log grows to this and then starts anew, keeping the one before.
const MAX_BYTES: u64 = 5 << 20;

/// Logs of earlier processes that are kept.
const MAX_FILES: usize = 8;

/// Logs to a file below `folder`, and to stderr when `verbose` asks for it.
pub fn start(folder: Option<&Path>, level: &str, verbose: u8) -> anyhow::Result<()> {
    let filter = |level: &str| EnvFilter::try_new(format!("{level},rmcp=warn,hyper=warn"));
    let file = match folder {
        Some(folder) => {
            let writer = LogFile::open(&folder.join("log"))?;
            Some(tracing_subscriber::fmt::layer().with_writer(writer).with_ansi(false).with_target(true))
        }
        None => None,
    };
    let level = match verbose {
        0 => level,
        1 => "debug",
        _ => "trace",
    };
    let terminal = (verbose > 0).then(|| tracing_subscriber::fmt::layer().with_writer(io::stderr));
    tracing_subscriber::registry().with(filter(level)?).with(file).with(terminal).try_init()?;
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let trace = std::backtrace::Backtrace::capture();
        tracing::error!(place, %panic, %trace, "panic");
    }));
    Ok(())
}

/// A file that is replaced when it has grown too large. Its owner alone can read it.
#[derive(Clone)]
struct LogFile {
    inner: Arc<Mutex<Inner>>,
}

struct Inner {
    path: PathBuf,
    file: File,
    bytes: u64,
}

impl LogFile {
    fn open(folder: &Path) -> io::Result<Self> {
        m1nd_vfs::durable::private_folder(folder)?;
        forget_old(folder);
        let path = folder.join(format!("serve-{}.log", std::process::id()));
        let file = open(&path)?;
        let bytes = file.metadata()?.len();
        Ok(Self { inner: Arc::new(Mutex::new(Inner { path, file, bytes })) })
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)
}

/// Removes all but the newest logs. A log that cannot be removed is left for the next start.
fn forget_old(folder: &Path) {
    let mut logs: Vec<_> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    logs.sort();
    let surplus = logs.len().saturating_sub(MAX_FILES);
    for (_, path) in logs.into_iter().take(surplus) {
        fs::remove_file(path).unwrap_or_default();
    }
}

impl Write for LogFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if inner.bytes > MAX_BYTES {
            fs::rename(&inner.path, inner.path.with_extension("log.1"))?;
            inner.file = open(&inner.path)?;
            inner.bytes = 0;
        }
        let written = inner.file.write(bytes)?;
        inner.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).file.flush()
    }
}

impl<'a> MakeWriter<'a> for LogFile {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_log_stays_bounded_and_private() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("log");
        let mut log = LogFile::open(&folder).unwrap();
        let line = vec![b'x'; 1 << 20];
        for _ in 0..20 {
            log.write_all(&line).unwrap();
        }
        let files: Vec<_> =
            fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().metadata().unwrap()).collect();
        assert_eq!(files.len(), 2);
        assert!(files.iter().map(fs::Metadata::len).sum::<u64>() < 3 * MAX_BYTES);
        assert!(files.iter().all(|file| file.permissions().mode() & 0o777 == 0o600));
    }

    #[test]
    fn old_logs_are_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        for n in 0..30 {
            fs::write(dir.path().join(format!("serve-{n}.log")), "x").unwrap();
        }
        forget_old(dir.path());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), MAX_FILES);
    }
}
