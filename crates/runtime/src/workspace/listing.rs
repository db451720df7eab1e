//! Listing: whether the files are still the ones that were ingested, told by their names, sizes and times.

use std::collections::BTreeMap;

use m1nd_ingest::Listed;
use m1nd_stdx::clock::UnixMs;
use serde::{Deserialize, Serialize};

/// A listing boiled down to what equality needs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    digest: String,
    /// Some file changed so shortly before the listing that it may change again unseen.
    racy: bool,
}

/// Size and time of every listed file; empty for a graph that was read from a snapshot.
pub(super) type Sizes = BTreeMap<String, (u64, i128)>;

pub(super) fn sizes(files: &[Listed]) -> Sizes {
    files.iter().map(|file| (file.path.clone(), (file.size, file.modified_ns))).collect()
}

/// Whether a file changed so shortly before `now` that it may change again unseen.
pub(super) fn is_racy(modified_ns: i128, now: UnixMs) -> bool {
    i128::from(now.0 - RACY_MS) * 1_000_000 < modified_ns
}

/// File times are not finer than this everywhere.
const RACY_MS: i64 = 1_000;

impl Stamp {
    pub(super) fn of(files: &[Listed], now: UnixMs) -> Self {
        let mut hasher = blake3::Hasher::new();
        let mut racy = false;
        for file in files {
            hasher.update(file.path.as_bytes());
            hasher.update(&[0]);
            hasher.update(&file.size.to_le_bytes());
            hasher.update(&file.modified_ns.to_le_bytes());
            racy |= is_racy(file.modified_ns, now);
        }
        Self { digest: hasher.finalize().to_hex().to_string(), racy }
    }

    /// Names the listing.
    pub(super) fn digest(&self) -> &str {
        &self.digest
    }

    /// Names the contents, where no file can have changed unseen.
    pub(super) fn of_contents(&self) -> Option<&str> {
        Some(self.digest.as_str()).filter(|digest| !self.racy && !digest.is_empty())
    }

    /// Whether nothing can have changed between the two.
    pub(super) fn proves_unchanged(&self, earlier: &Stamp) -> bool {
        !earlier.racy && self.digest == earlier.digest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(path: &str, size: u64, modified_ms: i64) -> Listed {
        Listed { path: path.into(), size, modified_ns: i128::from(modified_ms) * 1_000_000 }
    }

    #[test]
    fn equal_listings_prove_nothing_when_a_file_was_just_written() {
        let now = UnixMs(100_000);
        let old = Stamp::of(&[listed("a", 1, 5_000)], now);
        assert!(Stamp::of(&[listed("a", 1, 5_000)], now).proves_unchanged(&old));
        assert!(!Stamp::of(&[listed("a", 2, 5_000)], now).proves_unchanged(&old));
        assert!(!Stamp::of(&[], now).proves_unchanged(&old));
        let young = Stamp::of(&[listed("a", 1, 99_900)], now);
        assert!(!young.proves_unchanged(&young));
    }
}
