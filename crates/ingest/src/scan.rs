//! The files of a workspace, listed and read through the one crate that may.

use std::sync::mpsc::{self, Receiver, Sender};

use m1nd_stdx::cancel::{CancelToken, Stop};
use m1nd_vfs::walk::{self, Found, Passed};
use m1nd_vfs::{RelPath, Root, read};

use crate::classify::{MAX_FILE_BYTES, Reason};
use crate::engine::Listed;
use crate::history::Now;

/// Every file below a root that counts, sorted by path, and what was passed over.
pub fn list(root: &Root, cancel: &CancelToken) -> Result<(Vec<Listed>, Passed), Stop> {
    let (send, receive) = mpsc::channel();
    let passed = walk::files(root, &RelPath::root(), cancel, || lister(&send))?;
    drop(send);
    Ok((in_order(receive), passed))
}

/// Those of some paths that are among the files that count, in the same order.
pub fn list_some(root: &Root, paths: &[RelPath], cancel: &CancelToken) -> Result<Vec<Listed>, Stop> {
    let (send, receive) = mpsc::channel();
    walk::some(root, paths, cancel, || lister(&send))?;
    drop(send);
    Ok(in_order(receive))
}

fn lister(send: &Sender<Listed>) -> impl FnMut(Found<'_>) + Send + use<> {
    let send = send.clone();
    move |found: Found<'_>| {
        let Some((size, modified_ns)) = found.size_and_last_touch() else { return };
        let listed = Listed { path: found.shown.to_string(), size, modified_ns };
        // The receiver lives until the walk has ended.
        if send.send(listed).is_err() {
            debug_assert!(false, "the list is gone before the walk ended");
        }
    }
}

fn in_order(found: Receiver<Listed>) -> Vec<Listed> {
    let mut files: Vec<Listed> = found.into_iter().collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    // Names that are not UTF-8 can be shown alike; only the first can be asked for.
    files.dedup_by(|a, b| a.path == b.path);
    files
}

/// The bytes of a listed file as it is now.
pub fn read(root: &Root, path: &str) -> Result<Vec<u8>, Reason> {
    let path = root.relative(path).map_err(|_| Reason::Unreadable)?;
    read::bytes(root, &path, MAX_FILE_BYTES).map_err(|_| Reason::Unreadable)
}

/// The same for a file that may be gone.
pub fn now(root: &Root, path: &str) -> Now {
    match read(root, path) {
        Ok(bytes) => Now::Holds(bytes),
        Err(_) if root.relative(path).is_ok_and(|path| root.kind(&path).is_ok()) => Now::Unread,
        Err(_) => Now::Gone,
    }
}
