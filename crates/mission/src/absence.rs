//! Absence: a search that found nothing, as evidence that something is nowhere.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event::is_zero;

/// A search of the text on disk that found nothing, with all that is needed to make it again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Absence {
    pub query: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub regex: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub case_sensitive: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub multiline: bool,
    /// Where it searched; everywhere if it does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub glob: Option<String>,
    /// Files that were searched.
    pub files: u64,
    /// Files that were not: kept back as secret, too large, or refused by the file system.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unsearched: u64,
}

/// Words that say that something is not there.
const NOT: [&str; 27] = [
    "no",
    "not",
    "never",
    "nowhere",
    "none",
    "nothing",
    "nobody",
    "neither",
    "nor",
    "without",
    "absent",
    "absence",
    "missing",
    "misses",
    "lacks",
    "lack",
    "lacking",
    "unused",
    "undefined",
    "undocumented",
    "cannot",
    "doesn",
    "isn",
    "aren",
    "don",
    "didn",
    "gone",
];

impl Absence {
    /// Whether a claim says that what was searched for is not there: it denies something, and names it.
    pub(crate) fn carries(&self, claim: &str) -> bool {
        let said = words(claim);
        let asked = words(&self.query);
        let denies = said.iter().any(|word| NOT.contains(&word.as_str()));
        let is_named = asked.iter().any(|word| word.chars().count() > 2 && said.contains(word));
        denies && (is_named || claim.to_lowercase().contains(&self.query.to_lowercase()))
    }

    /// Whether the search went through a file, as far as its scope says.
    pub(crate) fn reached(&self, path: &str) -> bool {
        let scope = self.scope.as_deref().map(|scope| scope.trim_end_matches('/'));
        self.glob.is_none()
            && scope.is_none_or(|scope| {
                path == scope || path.strip_prefix(scope).is_some_and(|rest| rest.starts_with('/'))
            })
    }

    /// In words: what was searched for, and where.
    pub fn said(&self) -> String {
        let Self { query, files, .. } = self;
        let place = self.scope.as_ref().map_or_else(String::new, |scope| format!(" under {scope}"));
        let glob = self.glob.as_ref().map_or_else(String::new, |glob| format!(" that match {glob}"));
        let rest = match self.unsearched {
            0 => String::new(),
            count => format!("; {count} were not searched"),
        };
        format!("{query:?} is in none of {files} files{place}{glob}{rest}")
    }
}

/// Words in small letters; parts of names are words, too.
fn words(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for name in text.split(|letter: char| !letter.is_alphanumeric() && letter != '_') {
        all.extend(name.split('_').chain([name]).filter(|word| !word.is_empty()).map(str::to_lowercase));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_that_found_nothing_carries_what_denies_its_word_and_nothing_else() {
        let search = |query: &str| Absence { query: query.to_owned(), files: 9, ..Absence::default() };
        assert!(search("make_gadget").carries("README.md promises make_gadget, and no code has it"));
        assert!(search(r"close\(").carries("the file is never closed: close is not called"));
        assert!(!search("zzqq").carries("no code has make_gadget"), "another word");
        assert!(!search("make_gadget").carries("make_gadget drops the last job"), "it denies nothing");
        let scoped = Absence { scope: Some("src/a".to_owned()), ..search("x") };
        assert!(scoped.reached("src/a/b.rs") && scoped.reached("src/a") && !scoped.reached("src/ab.rs"));
        assert_eq!(scoped.said(), r#""x" is in none of 9 files under src/a"#);
    }
}
