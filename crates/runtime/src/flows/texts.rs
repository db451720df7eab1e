//! Texts: the source of many files at once, and the words in it.

use std::collections::{BTreeMap, HashMap};

use m1nd_ingest::scan;
use m1nd_stdx::cancel::{CancelToken, Stop};
use m1nd_vfs::{Root, read};

use super::survey::Survey;

/// The text of every file of a survey, by path; what is not text is left out.
#[derive(Debug, Default)]
pub struct Texts {
    by_path: BTreeMap<String, String>,
}

impl Texts {
    pub fn of(root: &Root, survey: &Survey<'_>, cancel: &CancelToken) -> Result<Self, Stop> {
        let mut texts = Self::default();
        for file in &survey.files {
            if let Some(stop) = cancel.stop() {
                return Err(stop);
            }
            let text = scan::read(root, file.path()).ok().and_then(|bytes| read::decode(&bytes));
            if let Some((text, _)) = text {
                texts.by_path.insert(file.path().to_owned(), text);
            }
        }
        Ok(texts)
    }

    pub fn text(&self, path: &str) -> &str {
        self.by_path.get(path).map_or("", String::as_str)
    }

    /// One line, 1-based.
    pub fn line(&self, path: &str, line: u32) -> &str {
        self.text(path).lines().nth((line as usize).saturating_sub(1)).unwrap_or_default()
    }

    /// How often each of `wanted` stands as a whole word in any text, comments and strings included.
    pub fn mentions<'w>(&self, wanted: impl Iterator<Item = &'w str>) -> HashMap<&'w str, u32> {
        let mut counts: HashMap<&'w str, u32> = wanted.map(|word| (word, 0)).collect();
        for text in self.by_path.values() {
            for word in words(text) {
                if let Some(count) = counts.get_mut(word) {
                    *count += 1;
                }
            }
        }
        counts
    }
}

/// Identifiers, as most languages spell them.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).filter(|word| !word.is_empty())
}
