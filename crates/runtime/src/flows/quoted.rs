//! Quoted: the lines that say what a question quotes, and the symbols around them.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use m1nd_graph::{Graph, NodeIx, NodeKind};
use m1nd_recall::corpus::Corpus;
use m1nd_recall::place::is_test;
use m1nd_recall::quoted::{Fit, holders, quotes};
use m1nd_recall::text::Style;
use m1nd_vfs::{Root, read};

use super::slice::MAX_FILE_BYTES;

/// Symbols whose lines are read.
const MAX_HOLDERS: usize = 12;
/// Lines that are shown.
const MAX_SAID: usize = 3;
/// How much of a line is shown.
const MAX_LINE: usize = 100;

/// A line that says it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Said {
    /// The innermost symbol around the line, or the file.
    pub node: NodeIx,
    pub line: u32,
    pub text: String,
    /// A sentence that stands there letter by letter, or that stood between quotation marks in the question.
    pub is_certain: bool,
}

/// Whether it is of a test, how well it says it, whether no symbol is around it.
type Worth = (bool, Reverse<Fit>, bool);

/// Lines that say what a question quotes: the best first, the product before its tests.
pub(super) fn said(
    root: &Root,
    graph: &Graph,
    corpus: &Corpus,
    query: &str,
    admits: &dyn Fn(&str) -> bool,
) -> Vec<Said> {
    let mut texts: BTreeMap<&str, Option<String>> = BTreeMap::new();
    let mut found: Vec<(Worth, Said)> = Vec::new();
    for quote in quotes(query) {
        for unit in holders(corpus, &quote, MAX_HOLDERS) {
            let unit = corpus.text.unit(unit);
            let path = corpus.text.path(unit.file);
            if !admits(path) {
                continue;
            }
            let text = texts.entry(path).or_insert_with(|| {
                let path = root.relative(path).ok()?;
                read::text(root, &path, MAX_FILE_BYTES).ok().map(|file| file.text)
            });
            let Some(text) = text else { continue };
            let own = unit.nth.zip(graph.nodes_in(path).next()).map(|(nth, first)| NodeIx(first.0 + nth));
            let (first, last) = own.map_or((1, u32::MAX), |node| graph.node(node).lines());
            let style = Style::of(path);
            let lines = (1..).zip(text.lines()).skip(first.saturating_sub(1) as usize);
            let lines = lines.take_while(|(at, _)| *at <= last);
            let best = lines
                .filter_map(|(at, line)| Some((quote.fit(style, line)?, at, line)))
                .max_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
            let Some((fit, line, text)) = best else { continue };
            let node = graph.node_at(path, line).or(own).or_else(|| graph.node_by_path(path));
            let is_known =
                |(_, known): &(Worth, Said)| known.line == line && graph.node(known.node).path() == path;
            let Some(node) = node.filter(|_| !found.iter().any(is_known)) else { continue };
            let text = text.trim();
            let said = Said {
                node,
                line,
                text: text[..text.floor_char_boundary(MAX_LINE)].to_owned(),
                is_certain: quote.is_sentence() && (fit == Fit::Whole || quote.marked),
            };
            let is_bare = graph.node(node).kind() == NodeKind::File;
            found.push(((is_test(path), Reverse(fit), is_bare), said));
        }
    }
    // Equal ones in the order of how much of the words stands around them.
    found.sort_by_key(|(worth, _)| *worth);
    // What says only a part is worth nothing beside what says all of it.
    let whole = found.iter().any(|((.., fit, _), _)| fit.0 == Fit::Whole);
    found.retain(|((.., fit, _), _)| !whole || fit.0 == Fit::Whole);
    found.into_iter().map(|(_, said)| said).take(MAX_SAID).collect()
}
