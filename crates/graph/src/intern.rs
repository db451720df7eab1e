//! Interning: one arena of text, one handle per distinct string.

use rustc_hash::FxHashMap;

use crate::ids::Str;

/// Collects distinct strings in order of first appearance; the empty string is always handle 0.
#[derive(Debug)]
pub(crate) struct Interner<'a> {
    known: FxHashMap<&'a str, u32>,
    text: Vec<u8>,
    starts: Vec<u32>,
}

impl<'a> Interner<'a> {
    pub(crate) fn new() -> Self {
        let mut fresh = Self { known: FxHashMap::default(), text: Vec::new(), starts: vec![0] };
        fresh.intern("");
        fresh
    }

    pub(crate) fn intern(&mut self, text: &'a str) -> Str {
        if let Some(&at) = self.known.get(text) {
            return Str(at);
        }
        let at = (self.starts.len() - 1) as u32;
        self.text.extend_from_slice(text.as_bytes());
        self.starts.push(self.text.len() as u32);
        self.known.insert(text, at);
        Str(at)
    }

    /// The arena and where each string starts; one start more than there are strings.
    pub(crate) fn freeze(self) -> (Vec<u8>, Vec<u32>) {
        (self.text, self.starts)
    }
}

/// Whether an arena is UTF-8 and every boundary falls between two characters.
pub(crate) fn is_sound(text: &[u8], starts: &[u32]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else {
        return false;
    };
    starts.first() == Some(&0)
        && starts.last().is_some_and(|&end| end as usize == text.len())
        && starts.windows(2).all(|pair| pair[0] <= pair[1])
        && starts.iter().all(|&at| text.is_char_boundary(at as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_text_has_one_handle() {
        let mut interner = Interner::new();
        let a = interner.intern("größe");
        let b = interner.intern("x");
        assert_eq!(interner.intern("größe"), a);
        assert_ne!(a, b);
        assert_eq!(interner.intern(""), Str(0));
        let (text, starts) = interner.freeze();
        assert_eq!(text, "größex".as_bytes());
        assert!(is_sound(&text, &starts));
    }

    #[test]
    fn a_boundary_inside_a_character_is_refused() {
        assert!(is_sound("ö".as_bytes(), &[0, 2]));
        assert!(!is_sound("ö".as_bytes(), &[0, 1, 2]));
        assert!(!is_sound(&[0xff], &[0, 1]));
        assert!(!is_sound(b"ab", &[0, 1]));
    }
}
