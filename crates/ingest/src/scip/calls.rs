//! The calls that a compiler's index shows, laid over the functions of a graph.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use m1nd_graph::{Graph, NodeIx};

use super::{Callables, Index, Place};

/// Function-level calls of an index.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// Caller, target, and the lines of the calls.
    pub seen: BTreeMap<(NodeIx, NodeIx), Vec<u32>>,
    /// The same for every reference, called or not.
    pub referred: BTreeSet<(NodeIx, NodeIx)>,
    /// Calls of functions that are no nodes of the graph.
    pub unknown: BTreeSet<(NodeIx, String)>,
    /// Functions that share their name in the index with others.
    pub homonyms: BTreeSet<NodeIx>,
}

/// The lines of every file the index covers.
type Texts<'i> = FxHashMap<&'i str, Vec<Vec<u8>>>;

impl Calls {
    pub(super) fn of(graph: &Graph, index: &Index, source: impl Fn(&str) -> Option<Vec<u8>>) -> Self {
        let callables = Callables::of(graph);
        let mut texts: Texts<'_> = FxHashMap::default();
        for path in &index.files {
            let bytes = source(path).unwrap_or_default();
            texts.insert(path, bytes.split(|&b| b == b'\n').map(<[u8]>::to_vec).collect());
        }
        let mut calls = Self::default();
        for places in index.definitions.values().filter(|places| places.len() > 1) {
            for place in places {
                let name = slice(&texts, &place.path, place.line, place.columns).unwrap_or_default();
                calls.homonyms.extend(callables.named(graph, &place.path, place.line, &name));
            }
        }
        for reference in &index.references {
            let definitions = index.definitions.get(&reference.symbol).map(Vec::as_slice);
            let Some([definition]) = definitions else { continue };
            let at = &reference.at;
            let Some(caller) = callables.around(&at.path, at.line) else { continue };
            let place = (&definition.path, definition.line, definition.columns);
            let Some(name) = slice(&texts, place.0, place.1, place.2) else { continue };
            if is_constructor(&name) || !is_meant(&texts, at, &name) {
                continue;
            }
            let is_call = followed_by_call(&texts, &at.path, at.line, at.columns.1);
            match callables.named(graph, place.0, place.1, &name) {
                Some(target) if calls.homonyms.contains(&target) => {}
                Some(target) => {
                    calls.referred.insert((caller, target));
                    if is_call {
                        calls.seen.entry((caller, target)).or_default().push(at.line);
                    }
                }
                None if is_call && reference.symbol.ends_with("().") => {
                    calls.unknown.insert((caller, reference.symbol.clone()));
                }
                None => {}
            }
        }
        calls
    }
}

/// Whether what stands at a reference can be the name that it refers to. An index may be wrong: it gives a module's members the
/// symbol of another one, or says that a setter refers to its getter.
fn is_meant(texts: &Texts<'_>, at: &Place, name: &str) -> bool {
    let Some(said) = slice(texts, &at.path, at.line, at.columns) else { return false };
    let before = slice(texts, &at.path, at.line, (0, at.columns.0)).unwrap_or_default();
    if before
        .split_whitespace()
        .next_back()
        .is_some_and(|word| matches!(word, "def" | "fn" | "func" | "function"))
    {
        return false;
    }
    let is_name = said.chars().all(|c| c.is_alphanumeric() || c == '_');
    if said == name || !is_name {
        return true;
    }
    // Unless the file calls it so.
    let lines = texts.get(at.path.as_str()).into_iter().flatten();
    lines.map(|line| String::from_utf8_lossy(line)).any(|line| calls_it(&line, name, &said))
}

/// Whether a line gives what is called `name` elsewhere the name `said`: imports it so, takes it out of an object, or assigns it.
fn calls_it(line: &str, name: &str, said: &str) -> bool {
    let renamed = [format!("{name} as {said}"), format!("{name}: {said}"), format!("import {said}")];
    if renamed.iter().any(|alias| has_words(line, alias)) {
        return true;
    }
    line.match_indices('=').any(|(at, _)| {
        let (left, right) = (&line[..at], &line[at + 1..]);
        let is_assignment = !right.starts_with(['=', '>']) && !left.ends_with(['=', '!', '<', '>', '+', '-']);
        // A type may stand between the name and what it is given.
        let target = left.split(':').next().unwrap_or(left).trim_end();
        is_assignment && ends_with_word(target, said) && has_words(right, name)
    })
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn ends_with_word(text: &str, word: &str) -> bool {
    text.strip_suffix(word).is_some_and(|before| !before.ends_with(is_part))
}

/// Whether words stand in a text, and not as parts of others.
fn has_words(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + words.len()..]);
        !before.ends_with(is_part) && !after.starts_with(is_part)
    })
}

/// Indexes refer to the class where a constructor runs.
pub(super) fn is_constructor(name: &str) -> bool {
    matches!(name, "__init__" | "__new__" | "constructor")
}

fn slice(texts: &Texts<'_>, path: &str, line: u32, columns: (u32, u32)) -> Option<String> {
    let line = texts.get(path)?.get(line as usize - 1)?;
    let text = String::from_utf8_lossy(line);
    let skip = columns.0 as usize;
    Some(text.chars().skip(skip).take((columns.1 as usize).saturating_sub(skip)).collect())
}

/// Whether what stands after a name calls it: `(`, `::<…>(`, `<…>(`, `?.(`.
fn followed_by_call(texts: &Texts<'_>, path: &str, line: u32, column: u32) -> bool {
    let Some(lines) = texts.get(path) else {
        return false;
    };
    let first = lines.get(line as usize - 1).map(|l| String::from_utf8_lossy(l)).unwrap_or_default();
    let mut rest: String = first.chars().skip(column as usize).collect();
    if rest.trim().is_empty() {
        let next = lines.get(line as usize).map(|l| String::from_utf8_lossy(l)).unwrap_or_default();
        rest = next.into_owned();
    }
    let rest = rest.trim_start();
    let rest = rest.strip_prefix("::").or_else(|| rest.strip_prefix("?.")).unwrap_or(rest);
    if rest.starts_with('<') {
        let mut depth = 0;
        for (at, c) in rest.char_indices() {
            match c {
                '<' => depth += 1,
                '>' => depth -= 1,
                ';' | '{' => return false,
                _ => {}
            }
            if depth == 0 {
                return rest[at + 1..].trim_start().starts_with('(');
            }
        }
        // The closing bracket is on a later line.
        return true;
    }
    rest.starts_with('(')
}

#[cfg(test)]
mod tests {
    use super::calls_it;

    #[test]
    fn only_what_is_given_the_name_is_called_so() {
        for (line, expected) in [
            ("from b import fetch as got", true),
            ("const { fetch: got } = api", true),
            ("import got from './fetch'", true),
            ("got = fetch", true),
            ("    self.got = api.fetch", true),
            ("const got: Fetch = wrap(fetch)", true),
            ("let got = prefetch", false),
            ("got = other", false),
            ("forgot = fetch", false),
            ("if got == fetch:", false),
            ("got => fetch", false),
            ("import gotten", false),
        ] {
            assert_eq!(calls_it(line, "fetch", "got"), expected, "{line}");
        }
    }
}
