//! Named: the files that a claim speaks of.

use std::collections::BTreeSet;

use crate::claim::Claim;
use crate::event::Event;
use crate::situation::Situation;
use crate::state::State;

/// The file of the repository that a word names: by its path, or by the end of one where no other ends so.
pub type Names<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Words of a claim that may be paths; whoever names more names none.
const MOST_WORDS: usize = 64;
/// No path is longer, in bytes.
const LONGEST: usize = 400;

/// What stands around a path in a sentence, besides blanks.
const AROUND: &[char] = &['(', ')', '[', ']', '{', '}', '<', '>', ',', ';', '"', '\'', '`', '=', '|', '#'];
/// What a sentence puts behind one.
const BEHIND: &[char] = &['.', ':', '!', '?', '*', ')', ']', '}', '>', ',', ';', '"', '\'', '`'];
/// What it puts before one.
const BEFORE: &[char] = &['(', '[', '{', '<', '"', '\'', '`', '*'];

/// The files that a text names, each once, in its order. A word that is no file of the repository names none: it may be a
/// method, a module, or a file that the text says is not there.
pub fn named_in(text: &str, names: Names<'_>) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    let words = text.split_whitespace().filter(|word| is_like_a_path(word));
    for word in words.take(MOST_WORDS) {
        let whole = word.trim_start_matches(BEFORE).trim_end_matches(BEHIND);
        let found = match named(whole, names) {
            Some(found) => vec![found],
            None => {
                word.split(AROUND).filter_map(|part| named(part.trim_end_matches(BEHIND), names)).collect()
            }
        };
        for file in found {
            if !files.contains(&file) {
                files.push(file);
            }
        }
    }
    files
}

/// A file, whatever stands behind it: `a.py:12`, `a.py:route`, `a.py::route`.
fn named(word: &str, names: Names<'_>) -> Option<String> {
    let mut word = word;
    loop {
        if is_like_a_path(word)
            && let Some(found) = names(word)
        {
            return Some(found);
        }
        word = word.rsplit_once(':')?.0.trim_end_matches(':');
    }
}

fn is_like_a_path(word: &str) -> bool {
    let has_end = || word.split('.').skip(1).any(|end| end.starts_with(char::is_alphanumeric));
    word.len() > 2 && word.len() < LONGEST && (word.contains('/') || has_end())
}

/// The first file that a claim names, where nothing that it cites shows any of those it names.
pub(crate) fn not_shown(text: &str, cited: &[&Event], situation: &Situation<'_>) -> Option<String> {
    let named = named_in(text, situation.names);
    let shown: BTreeSet<&str> =
        cited.iter().flat_map(|event| event.draft.anchors()).map(|(path, _)| path).collect();
    // A search that found nothing in a file has been through it.
    let reached =
        |path: &str| cited.iter().any(|event| event.draft.absence().is_some_and(|one| one.reached(path)));
    let is_shown = |path: &String| shown.contains(path.as_str()) || reached(path);
    if named.iter().any(is_shown) { None } else { named.into_iter().next() }
}

/// What the planner does about a claim that names files: cite the look at one of them, or look.
pub(crate) enum Towards {
    /// The event that showed one of them, and that the claim does not cite.
    Cite(crate::ids::EventId),
    Read(String),
}

pub(crate) fn towards(state: &State, claim: &Claim, situation: &Situation<'_>) -> Option<Towards> {
    let named = named_in(&claim.text, situation.names);
    let seen: Vec<_> = named.iter().filter_map(|path| state.files.get(path)).collect();
    let is_current = |path: &str, hash: &Option<String>| {
        hash.as_ref().is_some_and(|hash| situation.is_current(path, hash))
    };
    let fresh = seen
        .iter()
        .find(|seen| is_current(&seen.path, &seen.content_hash) && !claim.event_ids.contains(&seen.event_id));
    if let Some(seen) = fresh {
        return Some(Towards::Cite(seen.event_id.clone()));
    }
    let is_cited = seen.iter().any(|seen| is_current(&seen.path, &seen.content_hash));
    if is_cited { None } else { named.into_iter().next().map(Towards::Read) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(text: &str) -> Vec<String> {
        let all = ["src/flask/app.py", "docs/index.md", "pages/[id].tsx", "lib::/src/b.rs", "a.min.js"];
        named_in(text, &|word| {
            let ends: Vec<&&str> =
                all.iter().filter(|path| **path == word || path.ends_with(&format!("/{word}"))).collect();
            if let [one] = ends.as_slice() { Some((**one).to_owned()) } else { None }
        })
    }

    #[test]
    fn a_sentence_names_files_however_they_are_written() {
        for text in [
            "src/flask/app.py:route drops methods",
            "In `src/flask/app.py:12-20`, route drops methods.",
            "app.py drops methods",
            "route (app.py::Flask::route) drops methods",
            "see flask/app.py.",
            "Is it (src/flask/app.py)?",
            "src/flask/app.py#L12 is wrong",
        ] {
            assert_eq!(files(text), ["src/flask/app.py"], "{text}");
        }
        assert_eq!(files("pages/[id].tsx and `lib::/src/b.rs:3`"), ["pages/[id].tsx", "lib::/src/b.rs"]);
        assert_eq!(files("docs/index.md says what app.py:1 does"), ["docs/index.md", "src/flask/app.py"]);
        for text in [
            "Flask.route drops methods",
            "no/such.py is not there",
            "it is so, e.g. here",
            "1.5 times",
            "a/b",
        ] {
            assert_eq!(files(text), Vec::<String>::new(), "{text}");
        }
    }
}
