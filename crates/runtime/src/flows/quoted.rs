//! Quoted: the lines that say what a question quotes, and the symbols around them.

use std::cmp::Reverse;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use m1nd_graph::{Graph, NodeIx, NodeKind};
use m1nd_recall::corpus::Corpus;
use m1nd_recall::message::{Message, messages};
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
    /// Whether all of it is said, and not only something like it.
    pub is_whole: bool,
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
    let mut read: BTreeMap<FileIx, Read<'_>> = BTreeMap::new();
    let mut found: Vec<(Worth, &Quote, Said)> = Vec::new();
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
            let read = read.entry(unit.file).or_insert_with(|| Read::of(path, text));
            let of_lines =
                near.iter().filter_map(|&at| Some((quote.fit(read.lines.get(at as usize - 1)?)?, at)));
            let of_messages = read.messages_in(&near).filter_map(|one| {
                // The first of its lines that has some of the words.
                let from = near.partition_point(|&line| line <= one.first as u32);
                let at = near.get(from).copied()?;
                quote.fit_message(one).map(|fit| (fit, at)).filter(|_| (first..=last).contains(&at))
            });
            // The first line of the best.
            let best = of_lines.chain(of_messages).max_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
            let Some((fit, line)) = best else { continue };
            let node = graph.node_at(path, line).or(own).or_else(|| graph.node_by_path(path));
            let is_known = |(_, _, known): &(Worth, &Quote, Said)| {
                known.line == line && graph.node(known.node).path() == path
            };
            let Some(node) = node.filter(|_| !found.iter().any(is_known)) else { continue };
            let text = text.lines().nth(line as usize - 1).unwrap_or_default().trim();
            let said = Said {
                node,
                line,
                text: text[..text.floor_char_boundary(MAX_LINE)].to_owned(),
                is_certain: quote.is_sentence()
                    && !is_test(path)
                    && !quote.is_guess
                    && (fit.is_said() || quote.marked && is_short && fit != Fit::Told),
                is_whole: fit.is_said() && !quote.is_guess,
                after: if is_test(path) { AFTER_TEST } else { usize::from(quote.is_guess) },
            };
            let is_bare = graph.node(node).kind() == NodeKind::File;
            found.push(((is_test(path), Reverse(fit), is_bare), quote, said));
        }
    }
    // Equal ones in the order of how much of the words stands around them.
    found.sort_by_key(|(worth, ..)| *worth);
    // What says only a part is worth nothing beside what says all of it; but a test has the values that the product puts in.
    let all: Vec<(bool, Fit, &Quote)> =
        found.iter().map(|((is_test, fit, _), quote, _)| (*is_test, fit.0, *quote)).collect();
    found.retain(|((is_test, fit, _), quote, _)| {
        let is_more = |(of_test, best, of): &(bool, Fit, &Quote)| {
            let is_same = quote.is_part_of(of) || !fit.0.is_whole();
            best.is_whole() && fit.0 < *best && is_same && (!of_test || *is_test)
        };
        !all.iter().any(is_more)
    });
    found.into_iter().map(|(.., said)| said).take(MAX_SAID).collect()
}

/// A file, read.
struct Read<'t> {
    lines: Vec<Line<'t>>,
    messages: Vec<Message>,
}

impl<'t> Read<'t> {
    fn of(path: &str, text: &'t str) -> Self {
        let lines = Style::of(path).lines(text);
        let messages = messages(&lines);
        Self { lines, messages }
    }

    /// Messages that have one of these lines, which are in order.
    fn messages_in(&self, lines: &[u32]) -> impl Iterator<Item = &Message> {
        self.messages.iter().filter(|one| {
            let at = lines.partition_point(|&line| line <= one.first as u32);
            lines.get(at).is_some_and(|&line| line <= one.last as u32 + 1)
        })
    }
}
