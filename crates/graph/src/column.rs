//! A slice of plain values that lives either in memory or in a mapped snapshot.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

use bytes::Bytes;
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Reads as a slice; cloning a mapped column copies nothing.
#[derive(Clone)]
pub(crate) struct Column<T> {
    source: Source<T>,
}

#[derive(Clone)]
enum Source<T> {
    Owned(Arc<Vec<T>>),
    /// A part of a snapshot file; it keeps the whole of it open.
    Mapped(Bytes),
}

impl<T> Column<T> {
    pub(crate) fn owned(values: Vec<T>) -> Self {
        Self { source: Source::Owned(Arc::new(values)) }
    }

    /// Whether both are the very same column.
    pub(crate) fn is(&self, other: &Self) -> bool {
        match (&self.source, &other.source) {
            (Source::Owned(values), Source::Owned(others)) => Arc::ptr_eq(values, others),
            (Source::Mapped(part), Source::Mapped(other)) => {
                (part.as_ptr(), part.len()) == (other.as_ptr(), other.len())
            }
            _ => false,
        }
    }
}

impl<T: FromBytes + IntoBytes + Immutable> Column<T> {
    /// The values in `range` of `file`, or nothing when the range is not whole, aligned and inside.
    pub(crate) fn mapped(file: &Bytes, range: Range<usize>) -> Option<Self> {
        file.get(range.clone())?;
        let part = file.slice(range);
        <[T]>::ref_from_bytes(&part).ok()?;
        Some(Self { source: Source::Mapped(part) })
    }
}

impl<T: FromBytes + IntoBytes + Immutable> Deref for Column<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.source {
            Source::Owned(values) => values,
            Source::Mapped(part) => <[T]>::ref_from_bytes(part).unwrap_or(&[]),
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
