//! A slice of plain values that lives either in memory or in a mapped snapshot.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

use zerocopy::{FromBytes, Immutable, IntoBytes};

/// The bytes of a snapshot file, mapped or read.
pub(crate) trait Bytes: Send + Sync {
    fn bytes(&self) -> &[u8];
}

/// Reads as a slice; cloning a mapped column copies nothing.
#[derive(Clone)]
pub(crate) struct Column<T> {
    source: Source<T>,
}

#[derive(Clone)]
enum Source<T> {
    Owned(Arc<Vec<T>>),
    Mapped { file: Arc<dyn Bytes>, range: Range<usize> },
}

impl<T> Column<T> {
    pub(crate) fn owned(values: Vec<T>) -> Self {
        Self { source: Source::Owned(Arc::new(values)) }
    }
}

impl<T: FromBytes + IntoBytes + Immutable> Column<T> {
    /// The values in `range` of `file`, or nothing when the range is not whole, aligned and inside.
    pub(crate) fn mapped(file: Arc<dyn Bytes>, range: Range<usize>) -> Option<Self> {
        let slice = file.bytes().get(range.clone())?;
        <[T]>::ref_from_bytes(slice).ok()?;
        Some(Self { source: Source::Mapped { file, range } })
    }
}

impl<T: FromBytes + IntoBytes + Immutable> Deref for Column<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.source {
            Source::Owned(values) => values,
            Source::Mapped { file, range } => file
                .bytes()
                .get(range.clone())
                .and_then(|bytes| <[T]>::ref_from_bytes(bytes).ok())
                .unwrap_or(&[]),
        }
    }
}

impl<T: FromBytes + IntoBytes + Immutable + fmt::Debug> fmt::Debug for Column<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, out)
    }
}

impl<T: FromBytes + IntoBytes + Immutable + PartialEq> PartialEq for Column<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}
