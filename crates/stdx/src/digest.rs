//! Content hashes: sha256 where a contract names it, blake3 where only speed matters.

use sha2::{Digest as _, Sha256};

/// Lower-case hex sha256 of `bytes`.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// The first `len` hex digits of the blake3 hash of `bytes`: a short stable name, not a proof.
pub fn short_name(bytes: &[u8], len: usize) -> String {
    let mut name = hex(blake3::hash(bytes).as_bytes());
    name.truncate(len);
    name
}

/// A blake3 hash over parts that come one after the other: two lists of parts have the same one only if they are the same.
#[derive(Clone, Debug, Default)]
pub struct Fingerprint(blake3::Hasher);

impl Fingerprint {
    pub fn add(&mut self, part: &[u8]) {
        // The length keeps apart what would run together.
        self.0.update(&(part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    /// Of all that was added so far.
    pub fn value(&self) -> [u8; 32] {
        *self.0.finalize().as_bytes()
    }
}

/// Lower-case hex.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        out.push(char::from(DIGITS[usize::from(byte >> 4)]));
        out.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sha256_agrees_with_the_published_vector() {
        assert_eq!(sha256_hex(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn parts_that_run_together_are_told_apart() {
        let of = |parts: &[&str]| {
            let mut print = Fingerprint::default();
            parts.iter().for_each(|part| print.add(part.as_bytes()));
            print.value()
        };
        assert_eq!(of(&["ab", "c"]), of(&["ab", "c"]));
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
        assert_ne!(of(&["abc"]), of(&["abc", ""]));
    }

    #[test]
    fn a_short_name_is_stable_and_as_long_as_asked() {
        assert_eq!(short_name(b"m1nd", 12), short_name(b"m1nd", 12));
        assert_eq!(short_name(b"m1nd", 12).len(), 12);
        assert_ne!(short_name(b"m1nd", 12), short_name(b"mind", 12));
    }
}
