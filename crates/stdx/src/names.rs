//! Distinct texts, each kept once and known by its number.

use std::hash::{BuildHasher as _, BuildHasherDefault};

use hashbrown::HashTable;
use rustc_hash::FxHasher;

/// Texts in the order of their first appearance, end to end.
#[derive(Clone, Debug)]
pub struct Names {
    text: Vec<u8>,
    /// Where each starts, and where the last one ends.
    starts: Vec<u32>,
    known: HashTable<u32>,
}

impl Default for Names {
    fn default() -> Self {
        Self { text: Vec::new(), starts: vec![0], known: HashTable::new() }
    }
}

impl Names {
    pub fn get(&self, at: u32) -> &str {
        text_of(&self.text, &self.starts, at)
    }

    /// How many texts there are.
    pub fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of a text that was seen before.
    pub fn find(&self, text: &str) -> Option<u32> {
        self.known.find(hash(text), |&at| self.get(at) == text).copied()
    }

    pub fn intern(&mut self, text: &str) -> u32 {
        let Self { text: all, starts, known } = self;
        let next = (starts.len() - 1) as u32;
        let entry = known.entry(
            hash(text),
            |&at| text_of(all, starts, at) == text,
            |&at| hash(text_of(all, starts, at)),
        );
        let at = *entry.or_insert(next).get();
        if at == next {
            all.extend_from_slice(text.as_bytes());
            starts.push(u32::try_from(all.len()).unwrap_or(u32::MAX));
        }
        at
    }

    pub fn shrink_to_fit(&mut self) {
        self.text.shrink_to_fit();
        self.starts.shrink_to_fit();
    }

    /// All text, and where each part starts; one start more than there are texts.
    pub fn freeze(mut self) -> (Vec<u8>, Vec<u32>) {
        self.shrink_to_fit();
        (self.text, self.starts)
    }
}

fn hash(text: &str) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one(text)
}

fn text_of<'a>(text: &'a [u8], starts: &[u32], at: u32) -> &'a str {
    let at = at as usize;
    let (Some(&start), Some(&end)) = (starts.get(at), starts.get(at + 1)) else { return "" };
    // Only whole texts were ever put in.
    text.get(start as usize..end as usize).and_then(|part| std::str::from_utf8(part).ok()).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_text_has_one_number() {
        let mut names = Names::default();
        let (a, b) = (names.intern("größe"), names.intern(""));
        assert_eq!((names.intern("größe"), names.intern("")), (a, b));
        assert_eq!((names.find("größe"), names.find("x")), (Some(a), None));
        assert_eq!((names.get(a), names.get(b), names.get(9)), ("größe", "", ""));
        assert_eq!(names.freeze(), ("größe".as_bytes().to_vec(), vec![0, 7, 7]));
    }

    #[test]
    fn many_names_are_found_again() {
        let mut names = Names::default();
        for number in 0..5_000 {
            names.intern(&number.to_string());
        }
        assert!((0..5_000).all(|number: u32| names.find(&number.to_string()) == Some(number)));
    }
}
