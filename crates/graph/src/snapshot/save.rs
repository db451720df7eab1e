//! Writing a snapshot: all of it or nothing, and the one before is kept.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use zerocopy::IntoBytes;

use super::format::{BYTE_ORDER, Header, MAGIC, Section, VERSION, WEIGHTS, aligned, header_checksum};
use super::{SnapshotError, previous_path};
use crate::graph::Graph;

/// Replaces the snapshot at `path`. At every instant `path` is the old file or the new one, whole;
/// the old one is then found at [`previous_path`].
pub fn save(graph: &Graph, path: &Path) -> Result<(), SnapshotError> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".tmp-{}", std::process::id()));
    let staged = path.with_file_name(name);
    let written = stage(graph, &staged).and_then(|()| keep_previous(path));
    let replaced = written.and_then(|()| fs::rename(&staged, path)).and_then(|()| sync_folder(path));
    replaced.map_err(|source| {
        // What was staged is of no use; that it cannot be removed either is told by the same fault.
        if let Err(err) = fs::remove_file(&staged)
            && err.kind() != io::ErrorKind::NotFound
        {
            return SnapshotError::io(&staged, err);
        }
        SnapshotError::io(path, source)
    })
}

/// The whole file as it would be written.
pub fn to_bytes(graph: &Graph) -> Vec<u8> {
    let weights = graph.weights().to_bits();
    let columns = graph.whole_columns();
    let mut contents = columns.sections();
    contents.push((WEIGHTS, weights.as_bytes()));
    let mut end = size_of::<Header>() + contents.len() * size_of::<Section>();
    let mut table = Vec::with_capacity(contents.len());
    for (name, bytes) in &contents {
        let offset = aligned(end);
        end = offset + bytes.len();
        table.push(Section {
            name: Section::named(name),
            offset: offset as u64,
            length: bytes.len() as u64,
            checksum: *blake3::hash(bytes).as_bytes(),
        });
    }
    let mut header = Header {
        magic: MAGIC,
        version: VERSION,
        byte_order: BYTE_ORDER,
        generation: graph.generation(),
        sections: table.len() as u64,
        length: end as u64,
        checksum: [0; 32],
    };
    header.checksum = header_checksum(&header, &table);
    let mut file = Vec::with_capacity(end);
    file.extend_from_slice(header.as_bytes());
    file.extend_from_slice(table.as_bytes());
    for (section, (_, bytes)) in table.iter().zip(&contents) {
        file.resize(section.offset as usize, 0);
        file.extend_from_slice(bytes);
    }
    file
}

fn stage(graph: &Graph, staged: &Path) -> io::Result<()> {
    let mut file = File::create(staged)?;
    restrict(&file)?;
    file.write_all(&to_bytes(graph))?;
    file.sync_all()
}

#[cfg(unix)]
fn restrict(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn restrict(_file: &File) -> io::Result<()> {
    Ok(())
}

/// Gives the current snapshot a second name; it is never without its first.
fn keep_previous(path: &Path) -> io::Result<()> {
    let previous = previous_path(path);
    match fs::remove_file(&previous) {
        Err(err) if err.kind() != io::ErrorKind::NotFound => return Err(err),
        _ => {}
    }
    match fs::hard_link(path, &previous) {
        Ok(()) => Ok(()),
        Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(()),
        // File systems without hard links.
        Err(_) => fs::copy(path, &previous).map(|_| ()),
    }
}

#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_path: &Path) -> io::Result<()> {
    Ok(())
}
