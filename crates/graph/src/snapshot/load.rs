//! Reading a snapshot: mapped, checked section by section, then used as it lies.

use std::fs;
use std::ops::Range;
use std::path::Path;

use bytes::Bytes;
use m1nd_stdx::mapped::Mapped;
use zerocopy::FromBytes;

use super::SnapshotError;
use super::format::{BYTE_ORDER, Header, MAGIC, Section, VERSION, WEIGHTS, header_checksum};
use crate::column::Column;
use crate::columns::Columns;
use crate::graph::Graph;
use crate::weights::Weights;

/// Maps the snapshot at `path`. Its bytes stay on disk until they are read.
pub fn load(path: &Path) -> Result<Graph, SnapshotError> {
    open(&mapped(path)?.bytes())
}

/// The same, for a graph that nobody asks anything at once: its pages come back from the file as they are needed.
pub fn load_aside(path: &Path) -> Result<Graph, SnapshotError> {
    let file = mapped(path)?;
    let graph = open(&file.bytes())?;
    file.let_go();
    Ok(graph)
}

/// A snapshot is only ever replaced by renaming another file over it (`save`).
fn mapped(path: &Path) -> Result<Mapped, SnapshotError> {
    let length = fs::metadata(path).map_err(|err| SnapshotError::io(path, err))?.len();
    if length < size_of::<Header>() as u64 {
        return Err(SnapshotError::Truncated);
    }
    Mapped::open(path).map_err(|err| SnapshotError::io(path, err))
}

/// Reads a snapshot from memory.
pub fn read(bytes: Vec<u8>) -> Result<Graph, SnapshotError> {
    open(&Bytes::from_owner(InMemory::aligned(&bytes)))
}

/// Bytes in a buffer that is aligned for every column type.
struct InMemory {
    words: Vec<u64>,
    length: usize,
}

impl InMemory {
    fn aligned(bytes: &[u8]) -> Self {
        let mut words = vec![0_u64; bytes.len().div_ceil(8)];
        zerocopy::IntoBytes::as_mut_bytes(&mut words[..])[..bytes.len()].copy_from_slice(bytes);
        Self { words, length: bytes.len() }
    }
}

impl AsRef<[u8]> for InMemory {
    fn as_ref(&self) -> &[u8] {
        &zerocopy::IntoBytes::as_bytes(&self.words[..])[..self.length]
    }
}

fn open(file: &Bytes) -> Result<Graph, SnapshotError> {
    let (header, table) = read_header(file)?;
    for section in &table {
        let name = || String::from_utf8_lossy(&section.name).trim_end_matches('\0').to_owned();
        let bytes = range_of(section).and_then(|range| file.get(range));
        let bytes = bytes.ok_or(SnapshotError::Truncated)?;
        if *blake3::hash(bytes).as_bytes() != section.checksum {
            return Err(SnapshotError::Checksum { section: name() });
        }
    }
    let part = |name: &'static str| {
        let padded = Section::named(name);
        table.iter().find(|section| section.name == padded).and_then(range_of)
    };
    let shape = |section: &'static str| SnapshotError::Shape { section: section.to_owned() };
    let columns = Columns::map(file, part).map_err(shape)?;
    columns.check().map_err(shape)?;
    let weights: Column<u32> = part(WEIGHTS)
        .and_then(|range| Column::mapped(file, range))
        .filter(|column: &Column<u32>| column.len() == columns.target.len())
        .ok_or_else(|| shape(WEIGHTS))?;
    let weights = Weights::from_bits(weights.iter().copied());
    Ok(Graph::from_columns(header.generation, columns, weights))
}

fn read_header(bytes: &[u8]) -> Result<(Header, Vec<Section>), SnapshotError> {
    let (header, rest) = Header::read_from_prefix(bytes).map_err(|_| SnapshotError::Truncated)?;
    if header.magic != MAGIC {
        return Err(SnapshotError::NotASnapshot);
    }
    if header.byte_order != BYTE_ORDER {
        return Err(SnapshotError::ByteOrder);
    }
    if header.version != VERSION {
        return Err(SnapshotError::Version { found: header.version, expected: VERSION });
    }
    if header.length != bytes.len() as u64 {
        return Err(SnapshotError::Truncated);
    }
    let count = usize::try_from(header.sections).unwrap_or(usize::MAX);
    if count > rest.len() / size_of::<Section>() {
        return Err(SnapshotError::Truncated);
    }
    let mut table = Vec::with_capacity(count);
    let mut rest = rest;
    for _ in 0..count {
        let (section, after) = Section::read_from_prefix(rest).map_err(|_| SnapshotError::Truncated)?;
        table.push(section);
        rest = after;
    }
    if header_checksum(&header, &table) != header.checksum {
        return Err(SnapshotError::Checksum { section: "header".to_owned() });
    }
    Ok((header, table))
}

fn range_of(section: &Section) -> Option<Range<usize>> {
    let start = usize::try_from(section.offset).ok()?;
    let length = usize::try_from(section.length).ok()?;
    Some(start..start.checked_add(length)?)
}
