//! Aside: where a file of ours goes that cannot be read, for whoever wants to know why.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use m1nd_stdx::clock::UnixMs;

/// Stands in the name of every such file.
const MARK: &str = "corrupt-";

/// Moves a file out of the way; the name it has now.
pub(crate) fn set_aside(path: &Path) -> io::Result<PathBuf> {
    let aside = free_name(path);
    fs::rename(path, &aside)?;
    Ok(aside)
}

/// The newest that stood in the place of `path`.
pub(super) fn newest(path: &Path) -> Option<PathBuf> {
    all(path).pop()
}

/// Everything that stood in the place of `path`, or of another file whose name begins so, oldest first.
pub(super) fn all(path: &Path) -> Vec<PathBuf> {
    let Some((stem, folder)) = path.file_stem().zip(path.parent()) else { return Vec::new() };
    let prefix = format!("{}.{MARK}", stem.to_string_lossy());
    let kept = fs::read_dir(folder).into_iter().flatten().flatten();
    let kept = kept.filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix));
    let mut kept: Vec<PathBuf> = kept.map(|entry| entry.path()).collect();
    kept.sort();
    kept
}

/// By when it was written.
fn free_name(path: &Path) -> PathBuf {
    let modified = fs::metadata(path).and_then(|meta| meta.modified()).map(UnixMs::from);
    let time = modified.unwrap_or_default().0;
    let free = |number: u32| {
        let end = if number == 0 { String::new() } else { format!("-{number}") };
        let aside = path.with_extension(format!("{MARK}{time}{end}"));
        (!aside.exists()).then_some(aside)
    };
    (0..100).find_map(free).unwrap_or_else(|| path.with_extension("corrupt"))
}
