//! Quoted: the lines that say what a question quotes, and the symbols around them.

use std::cmp::Reverse;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use m1nd_graph::{Graph, NodeIx, NodeKind};
use m1nd_recall::corpus::Corpus;
use m1nd_recall::place::is_test;
use m1nd_recall::quoted::{Fit, Quote, holders};
use m1nd_recall::text::{FileIx, Line, Style, Unit};
use m1nd_vfs::{Root, read};

use super::slice::MAX_FILE_BYTES;

/// Files whose lines are read for a text that is marked as quoted, and for one that may be said.
const MAX_FILES: usize = 60;
const MAX_GUESSED: usize = 12;
/// Files are chosen among those of so many times as many symbols.
const AMONG: usize = 8;
/// Words of a question that is about what it quotes.
const MAX_QUESTION: usize = 40;
/// Lines that are shown.
const MAX_SAID: usize = 3;
/// The best of what a question finds stand before a test.
const AFTER_TEST: usize = 3;
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
    /// How many of what the question finds stand before it: none before a message, one before what is only guessed to be one.
    /// Tests repeat what the product says, which may put it together of parts that no line has.
    pub after: usize,
}

/// Whether it is of a test, how well it says it, whether no symbol is around it.
type Worth = (bool, Reverse<Fit>, bool);

/// Lines that say what a question quotes: the best first, the product before its tests.
pub(super) fn said(
    root: &Root,
    graph: &Graph,
    corpus: &Corpus,
    query: &str,
    quotes: &[Quote],
    admits: &dyn Fn(&str) -> bool,
) -> Vec<Said> {
    // In a long report a quotation is a clue among others.
    let is_short = query.split_whitespace().count() <= MAX_QUESTION;
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
    let mut lines: BTreeMap<FileIx, Vec<Line<'_>>> = BTreeMap::new();
    let mut found: Vec<(Worth, Said)> = Vec::new();
    for (quote, units) in quotes.iter().zip(held) {
        for unit in units {
            let path = corpus.text.path(unit.file);
            let own = unit.nth.zip(graph.nodes_in(path).next()).map(|(nth, first)| NodeIx(first.0 + nth));
            let (first, last) = own.map_or((1, u32::MAX), |node| graph.node(node).lines());
            let text = &texts[&unit.file];
            let own_lines = (1..).zip(text.lines()).skip(first.saturating_sub(1) as usize);
            let own_lines = own_lines.take_while(|(at, _)| *at <= last);
            let near: Vec<u32> =
                own_lines.filter(|(_, line)| quote.may_fit(line)).map(|(at, _)| at).collect();
            if near.is_empty() {
                continue;
            }
            let lines = lines.entry(unit.file).or_insert_with(|| Style::of(path).lines(text));
            let best = near
                .into_iter()
                .filter_map(|at| Some((quote.fit(lines.get(at as usize - 1)?)?, at)))
                .max_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
            let Some((fit, line)) = best else { continue };
            let node = graph.node_at(path, line).or(own).or_else(|| graph.node_by_path(path));
            let is_known =
                |(_, known): &(Worth, Said)| known.line == line && graph.node(known.node).path() == path;
            let Some(node) = node.filter(|_| !found.iter().any(is_known)) else { continue };
            let text = text.lines().nth(line as usize - 1).unwrap_or_default().trim();
            let said = Said {
                node,
                line,
                text: text[..text.floor_char_boundary(MAX_LINE)].to_owned(),
                is_certain: quote.is_sentence()
                    && !is_test(path)
                    && !quote.is_guess
                    && (fit == Fit::Whole || quote.marked && is_short && fit != Fit::Told),
                after: if is_test(path) { AFTER_TEST } else { usize::from(quote.is_guess) },
            };
            let is_bare = graph.node(node).kind() == NodeKind::File;
            found.push(((is_test(path), Reverse(fit), is_bare), said));
        }
    }
    // Equal ones in the order of how much of the words stands around them.
    found.sort_by_key(|(worth, _)| *worth);
    // What says only a part is worth nothing beside what says all of it; but a test has the values that the product puts in.
    let says_all =
        |of_test: bool| found.iter().any(|((is_test, fit, _), _)| *is_test == of_test && fit.0.is_whole());
    let (product, tests) = (says_all(false), says_all(true));
    found.retain(|((is_test, fit, _), _)| fit.0.is_whole() || !product && (!is_test || !tests));
    found.into_iter().map(|(_, said)| said).take(MAX_SAID).collect()
}
