//! Quoted: the lines that say what a question quotes, and the symbols around them.

use std::cmp::Reverse;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use m1nd_graph::{Graph, NodeIx, NodeKind};
use m1nd_recall::corpus::Corpus;
use m1nd_recall::place::is_test;
use m1nd_recall::quoted::{Fit, holders, quotes};
use m1nd_recall::text::{FileIx, Line, Style, Unit};
use m1nd_vfs::{Root, read};

use super::slice::MAX_FILE_BYTES;

/// Files whose lines are read for a text that is marked as quoted, and for one that may be said.
const MAX_FILES: usize = 60;
const MAX_GUESSED: usize = 16;
/// Files are chosen among those of so many times as many symbols.
const AMONG: usize = 8;
/// Words of a question that is about what it quotes.
const MAX_QUESTION: usize = 40;
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
    /// A sentence that the product says, letter by letter or between quotation marks in the question, and not only about it.
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
    // In a long report a quotation is a clue among others.
    let is_short = query.split_whitespace().count() <= MAX_QUESTION;
    let quotes = quotes(query);
    let held: Vec<Vec<Unit>> = quotes
        .iter()
        .map(|quote| {
            let most = if quote.marked { MAX_FILES } else { MAX_GUESSED };
            let units = holders(corpus, quote, most * AMONG).into_iter().map(|unit| corpus.text.unit(unit));
            let units = units.filter(|unit| admits(corpus.text.path(unit.file)));
            // Tests repeat what the product says, and there may be many of them.
            let (tests, product): (Vec<Unit>, Vec<Unit>) =
                units.partition(|unit| is_test(corpus.text.path(unit.file)));
            let mut files: BTreeSet<FileIx> = BTreeSet::new();
            let is_near = |unit: &Unit| {
                let has_room = files.len() < most;
                has_room && files.insert(unit.file) || files.contains(&unit.file)
            };
            product.into_iter().chain(tests).filter(is_near).collect()
        })
        .collect();
    let mut texts: BTreeMap<FileIx, String> = BTreeMap::new();
    for unit in held.iter().flatten() {
        let path = root.relative(corpus.text.path(unit.file)).ok();
        if let Entry::Vacant(entry) = texts.entry(unit.file) {
            let text = path.and_then(|path| read::text(root, &path, MAX_FILE_BYTES).ok());
            entry.insert(text.map(|file| file.text).unwrap_or_default());
        }
    }
    let lines: BTreeMap<FileIx, Vec<Line<'_>>> =
        texts.iter().map(|(&file, text)| (file, Style::of(corpus.text.path(file)).lines(text))).collect();
    let mut found: Vec<(Worth, Said)> = Vec::new();
    for (quote, units) in quotes.iter().zip(held) {
        for unit in units {
            let path = corpus.text.path(unit.file);
            let own = unit.nth.zip(graph.nodes_in(path).next()).map(|(nth, first)| NodeIx(first.0 + nth));
            let (first, last) = own.map_or((1, u32::MAX), |node| graph.node(node).lines());
            let lines = (1..).zip(&lines[&unit.file]).skip(first.saturating_sub(1) as usize);
            let lines = lines.take_while(|(at, _)| *at <= last);
            let best = lines
                .filter_map(|(at, line)| Some((quote.fit(line)?, at)))
                .max_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
            let Some((fit, line)) = best else { continue };
            let node = graph.node_at(path, line).or(own).or_else(|| graph.node_by_path(path));
            let is_known =
                |(_, known): &(Worth, Said)| known.line == line && graph.node(known.node).path() == path;
            let Some(node) = node.filter(|_| !found.iter().any(is_known)) else { continue };
            let text = texts[&unit.file].lines().nth(line as usize - 1).unwrap_or_default().trim();
            let said = Said {
                node,
                line,
                text: text[..text.floor_char_boundary(MAX_LINE)].to_owned(),
                is_certain: quote.is_sentence()
                    && !is_test(path)
                    && (fit == Fit::Whole || quote.marked && is_short && fit != Fit::Told),
            };
            let is_bare = graph.node(node).kind() == NodeKind::File;
            found.push(((is_test(path), Reverse(fit), is_bare), said));
        }
    }
    // Equal ones in the order of how much of the words stands around them.
    found.sort_by_key(|(worth, _)| *worth);
    // What says only a part is worth nothing beside what says all of it.
    let whole = found.iter().any(|((_, fit, _), _)| fit.0.is_whole());
    found.retain(|((_, fit, _), _)| !whole || fit.0.is_whole());
    found.into_iter().map(|(_, said)| said).take(MAX_SAID).collect()
}
