//! Beside: files that are no code and have words of a question that no code has: settings, documents, build files.
//!
//! They are not in the index, because they would be found for every question that code answers better. What the code
//! does not say is looked for in them when it is asked, the smallest first.

use m1nd_graph::{Graph, NodeKind};
use m1nd_recall::corpus::Corpus;
use m1nd_recall::text::{raw_words, terms_of_text};
use m1nd_vfs::{Root, read};
use memchr::memmem;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use crate::workspace::WorkspaceView;

/// Words that are looked for.
const MAX_WORDS: usize = 8;
/// A larger file is data.
const MAX_FILE: u64 = 1 << 20;
/// Bytes that a question may cost.
const MAX_BYTES: u64 = 16 << 20;
/// Places that are shown.
const MAX_PLACES: usize = 3;
/// How much of a line is shown.
const MAX_LINE: usize = 100;

/// A line of a file that is no code.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct Elsewhere {
    pub file_path: String,
    pub line: u32,
    pub text: String,
}

/// What stands in files that are no code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Beside {
    /// Words of the question, as they were said.
    pub words: Vec<String>,
    /// Those with most of the words first.
    pub places: Vec<Elsewhere>,
}

/// A file that has some of the words.
struct Holder {
    path: String,
    /// Which, and where the first of each stands.
    words: Vec<(usize, usize)>,
    text: String,
}

/// Looks for the words of a question that no code has.
pub(super) fn look(
    root: &Root,
    view: &WorkspaceView,
    graph: &Graph,
    corpus: &Corpus,
    query: &str,
    admits: &(dyn Fn(&str) -> bool + Sync),
) -> Beside {
    let mut beside = having(root, view, graph, &unsaid(corpus, query), admits);
    let said = raw_words(query).filter(|word| !terms_of_text(word).is_empty()).count();
    if is_aside(&beside.words, said) {
        beside.places.clear();
    }
    beside
}

/// One word in so many of a question is said by the way, where it is a plain one.
const ASIDE: usize = 8;

/// Whether words are only a small part of a question, and none is a name.
fn is_aside(words: &[String], of: usize) -> bool {
    let is_plain = |word: &String| word.chars().all(char::is_lowercase);
    words.iter().all(is_plain) && words.len() * ASIDE < of
}

/// Looks for any word of a question, for one that no code that it may be answered with has.
pub(super) fn look_for_all(
    root: &Root,
    view: &WorkspaceView,
    graph: &Graph,
    query: &str,
    admits: &(dyn Fn(&str) -> bool + Sync),
) -> Vec<Elsewhere> {
    let mut words: Vec<&str> = Vec::new();
    for word in raw_words(query).filter(|word| !terms_of_text(word).is_empty()) {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.truncate(MAX_WORDS);
    having(root, view, graph, &words, admits).places
}

fn having(
    root: &Root,
    view: &WorkspaceView,
    graph: &Graph,
    words: &[&str],
    admits: &(dyn Fn(&str) -> bool + Sync),
) -> Beside {
    if words.is_empty() {
        return Beside::default();
    }
    let needles: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let files = files(view, graph, admits);
    let look_into = |path: &&str| {
        let path = root.relative(path).ok()?;
        let text = read::text(root, &path, MAX_FILE).ok()?.text;
        let words = found_in(&text, &needles);
        (!words.is_empty()).then(|| Holder { path: path.as_str().to_owned(), words, text })
    };
    let mut found: Vec<Holder> = files.par_iter().filter_map(look_into).collect();
    found.sort_by(|a, b| b.words.len().cmp(&a.words.len()).then_with(|| a.path.cmp(&b.path)));
    let is_there = |nth: &usize| found.iter().any(|one| one.words.iter().any(|(word, _)| word == nth));
    let there: Vec<String> = (0..words.len()).filter(is_there).map(|nth| words[nth].to_owned()).collect();
    let place = |one: &Holder| {
        let at = one.words.iter().map(|&(_, at)| at).min().unwrap_or_default();
        let line = one.text[..at].matches('\n').count();
        let said = one.text.lines().nth(line).unwrap_or_default().trim();
        let text = said[..said.floor_char_boundary(MAX_LINE)].to_owned();
        Elsewhere { file_path: one.path.clone(), line: line as u32 + 1, text }
    };
    Beside { words: there, places: found.iter().take(MAX_PLACES).map(place).collect() }
}

/// Words of a question that stand in no file of code and in no path.
fn unsaid<'q>(corpus: &Corpus, query: &'q str) -> Vec<&'q str> {
    let mut words: Vec<&str> = Vec::new();
    for word in raw_words(query) {
        let terms = terms_of_text(word);
        // Of an identifier the whole comes last.
        let Some(&whole) = terms.last() else { continue };
        let is_said = corpus.text.files_with(whole) > 0 || !corpus.text.in_paths(whole).0.is_empty();
        if !is_said
            && word.chars().count() > 2
            && word.contains(char::is_alphabetic)
            && !words.contains(&word)
        {
            words.push(word);
        }
    }
    words.truncate(MAX_WORDS);
    words
}

/// Files that are no code, the smallest first, as many as may be read.
fn files<'g>(view: &WorkspaceView, graph: &'g Graph, admits: &dyn Fn(&str) -> bool) -> Vec<&'g str> {
    let is_other = |kind: NodeKind, language: &str| kind == NodeKind::File && language.is_empty();
    let nodes = graph.nodes().filter(|node| is_other(node.kind(), node.language()) && admits(node.path()));
    let mut files: Vec<(u64, &str)> =
        nodes.filter_map(|node| Some((view.size_of(node.path())?, node.path()))).collect();
    files.retain(|(size, _)| *size <= MAX_FILE);
    files.sort_unstable();
    let mut left = MAX_BYTES;
    let fits = |(size, _): &(u64, &str)| {
        let fits = *size <= left;
        left = left.saturating_sub(*size);
        fits
    };
    files.into_iter().take_while(fits).map(|(_, path)| path).collect()
}

/// Which of the words stand in a text as words of their own, and where the first of each does.
fn found_in(text: &str, needles: &[String]) -> Vec<(usize, usize)> {
    let lower = text.to_ascii_lowercase();
    let found = needles.iter().enumerate().filter_map(|(nth, needle)| {
        let is_word = |at: usize| {
            let before = lower[..at].chars().next_back();
            let after = lower[at + needle.len()..].chars().next();
            // Scripts without spaces have no ends of words.
            !needle.is_ascii() || ![before, after].into_iter().flatten().any(char::is_alphanumeric)
        };
        let at = memmem::find_iter(lower.as_bytes(), needle).find(|&at| is_word(at))?;
        Some((nth, at))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_whole_in_any_case() {
        let needles = ["zebra".to_owned(), "stripes".to_owned(), "計算".to_owned()];
        assert_eq!(found_in("[tool.Zebra]\nzebras = 1\nmy_stripes = 2", &needles), [(0, 6), (1, 27)]);
        assert_eq!(found_in("zebras stripe", &needles), []);
        assert_eq!(found_in("合計を計算する", &needles), [(2, 9)]);
    }

    #[test]
    fn a_plain_word_among_many_is_said_by_the_way_and_a_name_is_not() {
        let words = |all: &[&str]| all.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert!(is_aside(&words(&["terminal"]), 9));
        assert!(!is_aside(&words(&["terminal"]), 8) && !is_aside(&words(&["terminal", "nginx"]), 16));
        assert!(!is_aside(&words(&["NGINX_PORT"]), 9) && !is_aside(&words(&["計算"]), 9));
    }
}
