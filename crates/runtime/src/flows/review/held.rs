//! Held: what files hold after a change, wherever that is kept.

use std::borrow::Cow;
use std::collections::BTreeMap;

use m1nd_vfs::Root;

use super::Edited;
use crate::flows::calls::Files;
use crate::workspace::Texts;

/// Files as a change leaves them.
pub(crate) struct Held<'a> {
    edited: BTreeMap<&'a str, &'a Edited>,
    /// Where these are not the files on disk.
    after: &'a Texts,
    files: Files<'a>,
}

impl<'a> Held<'a> {
    pub fn of(root: &'a Root, edited: &'a [Edited], after: &'a Texts) -> Self {
        let edited = edited.iter().map(|one| (one.file.path.as_str(), one)).collect();
        Self { edited, after, files: Files::of(root) }
    }

    pub fn text(&mut self, path: &str) -> Option<Cow<'_, str>> {
        if let Some(new) = self.edited.get(path).and_then(|one| one.texts.1.as_deref()) {
            return Some(String::from_utf8_lossy(new));
        }
        if let Some(held) = self.after.get(path) {
            return held.as_deref().map(String::from_utf8_lossy);
        }
        self.files.file(path).map(|file| Cow::Borrowed(file.text.as_str()))
    }

    pub fn line(&mut self, path: &str, line: u32) -> String {
        let at = (line as usize).saturating_sub(1);
        self.text(path).and_then(|text| text.lines().nth(at).map(str::to_owned)).unwrap_or_default()
    }
}
