//! Files of our own, mapped: their bytes are read where they lie, and need not stay in memory.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;

/// A file that is only ever replaced by renaming another over it, never written in place.
#[derive(Clone, Debug)]
pub struct Mapped(Arc<memmap2::Mmap>);

impl Mapped {
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        Ok(Self(Arc::new(map(&file)?)))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The whole file; parts of it keep it open.
    pub fn bytes(&self) -> Bytes {
        Bytes::from_owner(Shared(Arc::clone(&self.0)))
    }

    /// Gives back the pages that were brought in: they come back from the file as they are needed.
    #[allow(unsafe_code)]
    pub fn let_go(&self) {
        // Safety: the map is of a file and never written to, so that its pages are read from the file again.
        let advised = unsafe { self.0.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) };
        // They stay where the system does not listen, which costs nothing but memory.
        let _ignored: Option<()> = advised.ok();
    }
}

/// A share of a map as the owner of its bytes.
struct Shared(Arc<memmap2::Mmap>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

// Safety: these files are only ever replaced by renaming another one over them, never written in place, so the
// mapped bytes do not change while they are borrowed.
#[allow(unsafe_code)]
fn map(file: &File) -> io::Result<memmap2::Mmap> {
    unsafe { memmap2::Mmap::map(file) }
}
