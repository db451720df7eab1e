//! Named: what a question calls by its name. Whoever asks for a name wants its definition before anything about it.

use m1nd_graph::{Graph, NodeFlags, NodeIx, NodeKind};
use m1nd_recall::place::is_test;

/// Definitions of a name that are put first.
const MAX_OF_NAME: usize = 3;
/// A name of more definitions is a word.
const MAX_ALIKE: usize = 12;
/// Definitions that are put first in all.
const MAX_MEANT: usize = 5;

/// Definitions that a question names: all of it is one name, or a place; or in a sentence, words that only code has.
pub(super) fn meant(graph: &Graph, query: &str) -> Vec<NodeIx> {
    let words: Vec<&str> = query.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect();
    let mut found: Vec<NodeIx> = Vec::new();
    match words[..] {
        [word] => found = definitions(graph, word, usize::MAX),
        _ if words.len() <= MAX_SENTENCE => {
            let asks = asked_for(&words);
            for word in words.iter().filter(|word| Some(**word) == asks || is_code(word)) {
                found.extend(definitions(graph, word, MAX_ALIKE).into_iter().take(1));
            }
        }
        _ => {}
    }
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|&node| seen.insert(node));
    found.truncate(MAX_MEANT);
    found
}

/// Longer texts are reports, whose names are clues and not questions.
const MAX_SENTENCE: usize = 12;

/// Without quotes and what sentences put around words.
fn bare(word: &str) -> &str {
    let word = word.trim_matches(['`', '"', '\'', ',', ';', '?', '!', '<', '>']);
    let word = word.strip_suffix("()").unwrap_or(word);
    word.trim_end_matches(['.', ':'])
}

/// Whether no prose has such a word: `snake_case`, `camelCase`, `a::b`, `A.b`.
fn is_code(word: &str) -> bool {
    let inner = word.trim_matches('_');
    let humps =
        inner.as_bytes().windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let joined = inner.contains("::") || inner.contains('_') || inner.contains('#');
    let dotted =
        inner.split('.').count() > 1 && inner.split('.').all(|part| part.len() > 1 && !part.contains('/'));
    (humps || joined || dotted) && inner.chars().any(char::is_alphabetic)
}

/// `where is X defined`, `definition of X`.
fn asked_for<'w>(words: &[&'w str]) -> Option<&'w str> {
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    match lower[..] {
        ["where", "is", _, "defined" | "declared" | "implemented"] => Some(words[2]),
        ["definition", "of", _] => Some(words[2]),
        _ => None,
    }
}

/// Code of that name, the best known first; tests and declarations without a body last.
fn definitions(graph: &Graph, name: &str, most: usize) -> Vec<NodeIx> {
    if let Some((path, line)) = name.rsplit_once(':')
        && let Ok(line) = line.parse::<u32>()
    {
        return graph.node_at(path, line).into_iter().collect();
    }
    let is_code = |ix: &NodeIx| {
        let kind = graph.node(*ix).kind();
        kind.is_callable() || kind.is_type() || matches!(kind, NodeKind::Constant | NodeKind::Module)
    };
    let mut found: Vec<NodeIx> = graph.nodes_by_suffix(name).into_iter().filter(is_code).collect();
    if found.len() > most {
        return Vec::new();
    }
    let weight = |ix: &NodeIx| {
        let node = graph.node(*ix);
        let flags = node.flags();
        let lesser =
            is_test(node.path()) || flags.has(NodeFlags::TEST_CODE) || flags.has(NodeFlags::VENDORED);
        (lesser, flags.has(NodeFlags::ABSTRACT) && !node.kind().is_type(), !node.kind().is_type())
    };
    found.sort_by(|a, b| {
        weight(a)
            .cmp(&weight(b))
            .then_with(|| graph.node(*b).pagerank().cmp(&graph.node(*a).pagerank()))
            .then(a.cmp(b))
    });
    found.truncate(MAX_OF_NAME);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_code_are_told_from_prose() {
        for word in ["names_to_path", "createServer", "Arg::new", "Model.save", "_call_method"] {
            assert!(is_code(word), "{word}");
        }
        for word in ["Server", "the", "e.g", "v2.0.1x/y", "a.b", "IDs", "don't"] {
            assert!(!is_code(word), "{word}");
        }
        assert_eq!(asked_for(&["where", "is", "QuerySet", "defined"]), Some("QuerySet"));
        assert_eq!(bare("`reverse()`?"), "reverse");
    }
}
