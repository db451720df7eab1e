//! Texts: the lines of files as they are now, each file read once.

use std::collections::BTreeMap;

use m1nd_edit::{FileChange, Plan};
use m1nd_vfs::read::decode;
use m1nd_vfs::{Root, read};

use super::super::slice::MAX_FILE_BYTES;

/// What the files of a plan hold after it; nothing where that is no text.
pub(super) type Written = BTreeMap<String, Option<String>>;

pub(super) fn written(plan: &Plan) -> Written {
    let text = |file: &FileChange| {
        let bytes = &file.after.as_ref()?.bytes;
        decode(bytes).map(|(text, _)| text)
    };
    plan.files.iter().map(|file| (file.path.clone(), text(file))).collect()
}

pub(super) struct Texts<'a> {
    root: &'a Root,
    written: Option<&'a Written>,
    /// Nothing where a file cannot be read as text.
    read: BTreeMap<String, Option<String>>,
}

/// Longer source lines are cut: the place is what matters.
const MAX_SOURCE_BYTES: usize = 160;

/// Whether a line has a word that is no part of another.
pub(super) fn has_word(line: &str, word: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    line.split(|letter| !is_part(letter)).any(|part| part == word)
}

impl<'a> Texts<'a> {
    pub(super) fn of(root: &'a Root) -> Self {
        Self { root, written: None, read: BTreeMap::new() }
    }

    /// The same as a plan leaves them, whether or not it was carried out.
    pub(super) fn after(root: &'a Root, written: &'a Written) -> Self {
        Self { root, written: Some(written), read: BTreeMap::new() }
    }

    pub(super) fn text(&mut self, path: &str) -> Option<&str> {
        if let Some(text) = self.written.and_then(|written| written.get(path)) {
            return text.as_deref();
        }
        let root = self.root;
        let text = self.read.entry(path.to_owned()).or_insert_with(|| {
            let path = root.relative(path).ok()?;
            read::text(root, &path, MAX_FILE_BYTES).ok().map(|file| file.text)
        });
        text.as_deref()
    }

    /// A line as it is shown.
    pub(super) fn line(&mut self, path: &str, line: u32) -> String {
        let at = (line as usize).saturating_sub(1);
        let line = self.text(path).and_then(|text| text.lines().nth(at)).unwrap_or_default().trim();
        line[..line.floor_char_boundary(MAX_SOURCE_BYTES)].to_owned()
    }

    /// Lines that have a word: those that are known, or else the first in a range.
    pub(super) fn lines_with(
        &mut self,
        path: &str,
        (first, last): (u32, u32),
        word: &str,
        known: &[u32],
    ) -> Vec<u32> {
        let with_word: Vec<u32> = (1..)
            .zip(self.text(path).unwrap_or_default().lines())
            .filter_map(|(number, line)| has_word(line, word).then_some(number))
            .collect();
        let there: Vec<u32> = with_word.iter().copied().filter(|line| known.contains(line)).collect();
        if !there.is_empty() {
            return there;
        }
        let last = if last >= first.max(1) { last } else { u32::MAX };
        with_word.into_iter().find(|line| (first..=last).contains(line)).into_iter().collect()
    }
}
