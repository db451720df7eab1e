//! Contents: hashes of files, known as long as a look at a file says that it is the same.

use std::collections::BTreeMap;
use std::sync::Arc;

use m1nd_stdx::clock::UnixMs;
use m1nd_stdx::digest::sha256_hex;
use m1nd_vfs::{Root, read};
use parking_lot::Mutex;

use super::listing::is_racy;

/// A mission asks at every step whether the files behind its claims are as they were: to look costs far less than to read.
#[derive(Debug, Default)]
pub(super) struct Contents {
    known: Mutex<BTreeMap<String, Known>>,
}

#[derive(Debug)]
struct Known {
    /// Size and last touch when it was read.
    stamp: (u64, i128),
    hash: Arc<str>,
}

/// Files that are remembered; with more, all are read again.
const MOST: usize = 4_096;

impl Contents {
    /// The sha256 of a file of at most `limit` bytes.
    pub(super) fn hash(&self, root: &Root, path: &str, limit: u64, now: UnixMs) -> Option<Arc<str>> {
        let stamp = || root.size_and_last_touch(&root.relative(path).ok()?).ok();
        let before = stamp();
        if let Some(known) = self.known.lock().get(path).filter(|known| Some(known.stamp) == before) {
            return Some(Arc::clone(&known.hash));
        }
        let bytes = read::bytes(root, &root.locate(path).ok()?, limit).ok()?;
        let hash: Arc<str> = sha256_hex(&bytes).into();
        // What was written just now may be written again within the same tick of the clock.
        if let Some(stamp) = stamp().filter(|stamp| Some(*stamp) == before && !is_racy(stamp.1, now)) {
            let mut known = self.known.lock();
            if known.len() >= MOST {
                known.clear();
            }
            known.insert(path.to_owned(), Known { stamp, hash: Arc::clone(&hash) });
        }
        Some(hash)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_is_read_again_when_it_was_touched_and_only_then() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::open(dir.path()).unwrap();
        let path = dir.path().join("a.txt");
        fs::write(&path, "one").unwrap();
        let contents = Contents::default();
        let touched = root.size_and_last_touch(&root.relative("a.txt").unwrap()).unwrap().1;
        let just_now = UnixMs(i64::try_from(touched / 1_000_000).unwrap());
        let later = UnixMs(just_now.0 + 60_000);
        let hash = |now| contents.hash(&root, "a.txt", 1_000, now).map(|hash| hash.to_string());
        assert_eq!(hash(just_now), Some(sha256_hex(b"one")));
        assert!(contents.known.lock().is_empty(), "it may change again within the tick");
        assert_eq!(hash(later), Some(sha256_hex(b"one")));
        contents.known.lock().get_mut("a.txt").unwrap().hash = "known".into();
        assert_eq!(hash(later).as_deref(), Some("known"), "a look was enough");
        fs::write(&path, "two").unwrap();
        // A test is faster than the tick by which files are stamped.
        let ticked = std::time::SystemTime::now() + std::time::Duration::from_secs(10);
        fs::File::options().write(true).open(&path).unwrap().set_modified(ticked).unwrap();
        assert_eq!(hash(later), Some(sha256_hex(b"two")), "of the same size, and touched");
        fs::remove_file(&path).unwrap();
        assert_eq!(hash(later), None);
    }
}
