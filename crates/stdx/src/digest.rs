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
    fn a_short_name_is_stable_and_as_long_as_asked() {
        assert_eq!(short_name(b"m1nd", 12), short_name(b"m1nd", 12));
        assert_eq!(short_name(b"m1nd", 12).len(), 12);
        assert_ne!(short_name(b"m1nd", 12), short_name(b"mind", 12));
    }
}
