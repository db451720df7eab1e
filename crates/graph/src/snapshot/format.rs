//! The layout of a snapshot file.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

pub(super) const MAGIC: [u8; 8] = *b"m1ndgrph";
/// Raised with every change of a column or of this layout; an older file is rebuilt from source.
pub(super) const VERSION: u32 = 2;
/// Reads back differently on a machine with another byte order.
pub(super) const BYTE_ORDER: u32 = 0x0102_0304;
/// Sections start at multiples of this, so that any column can be read in place.
pub(super) const ALIGN: usize = 64;
pub(super) const NAME_LEN: usize = 24;
/// The section that holds the learned weights, which are no column.
pub(super) const WEIGHTS: &str = "weights";

#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(super) struct Header {
    pub magic: [u8; 8],
    pub version: u32,
    pub byte_order: u32,
    pub generation: u64,
    pub sections: u64,
    /// Of the file as a whole.
    pub length: u64,
    /// Of this header with this field zeroed, followed by the table.
    pub checksum: [u8; 32],
}

#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(super) struct Section {
    /// Padded with zeros.
    pub name: [u8; NAME_LEN],
    pub offset: u64,
    pub length: u64,
    pub checksum: [u8; 32],
}

impl Section {
    pub(super) fn named(name: &str) -> [u8; NAME_LEN] {
        let mut padded = [0; NAME_LEN];
        let len = name.len().min(NAME_LEN);
        padded[..len].copy_from_slice(&name.as_bytes()[..len]);
        padded
    }
}

/// The checksum that a header with this table must carry.
pub(super) fn header_checksum(header: &Header, table: &[Section]) -> [u8; 32] {
    let bare = Header { checksum: [0; 32], ..*header };
    let mut hasher = blake3::Hasher::new();
    hasher.update(bare.as_bytes()).update(table.as_bytes());
    *hasher.finalize().as_bytes()
}

pub(super) fn aligned(at: usize) -> usize {
    at.next_multiple_of(ALIGN)
}
