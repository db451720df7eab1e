//! What a file says, word by word: in which of its symbols, and in which field of them.

use rustc_hash::FxHashMap;

use super::lines::{Line, Style};
use super::words::{Term, Terms};

/// Where in a symbol a word stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Name,
    Signature,
    Doc,
    /// Comments and strings.
    Prose,
    Body,
}

/// How many fields there are.
pub const FIELDS: usize = 5;

/// How often a term stands in each field; more than 255 times is 255 times.
pub type Counts = [u8; FIELDS];

/// One symbol of a file, as the index needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span<'a> {
    /// Position among the nodes of the file, in graph order.
    pub nth: u32,
    pub lines: (u32, u32),
    pub name: &'a str,
    pub signature: &'a str,
    pub doc: &'a str,
}

/// A file to be indexed: its text, and its symbols in graph order (outer ones before inner ones).
#[derive(Clone, Debug)]
pub struct Source<'a> {
    pub path: &'a str,
    pub text: &'a str,
    pub spans: Vec<Span<'a>>,
}

/// A term in one unit of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub term: Term,
    /// 0 is what stands outside every symbol.
    pub unit: u32,
    pub counts: Counts,
}

/// All terms of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileBag {
    pub path: String,
    /// For each unit after the first, the position of its node among those of the file.
    pub nth: Vec<u32>,
    /// Terms in each unit.
    pub lengths: Vec<u32>,
    /// Each term once, in order, and where its units end.
    terms: Vec<(Term, u32)>,
    units: Vec<u32>,
    counts: Vec<Counts>,
}

impl FileBag {
    pub fn of(source: &Source<'_>) -> Self {
        Self::cut_by(&mut Terms::default(), source)
    }

    /// The same with words that were cut for other files before.
    pub fn cut_by(terms: &mut Terms, source: &Source<'_>) -> Self {
        let mut bag = Gathering { counts: FxHashMap::default(), lengths: vec![0; source.spans.len() + 1] };
        let style = Style::of(source.path);
        let lines: Vec<Line<'_>> = style.lines(source.text);
        let owners = owners(&lines, &source.spans);
        for (line, &unit) in lines.iter().zip(&owners) {
            for &(text, kind) in &line.parts {
                let field = if kind.is_prose() { Field::Prose } else { Field::Body };
                terms.each(text, |term| bag.add(unit, field, term));
            }
        }
        for (at, span) in source.spans.iter().enumerate() {
            let unit = at as u32 + 1;
            for (text, field) in
                [(span.name, Field::Name), (span.signature, Field::Signature), (span.doc, Field::Doc)]
            {
                terms.each(text, |term| bag.add(unit, field, term));
            }
        }
        let mut entries: Vec<Entry> =
            bag.counts.into_iter().map(|((term, unit), counts)| Entry { term, unit, counts }).collect();
        entries.sort_unstable_by_key(|entry| (entry.term, entry.unit));
        let mut terms: Vec<(Term, u32)> = Vec::new();
        for (run, end) in entries.chunk_by(|a, b| a.term == b.term).scan(0, |end, run| {
            *end += run.len() as u32;
            Some((run, *end))
        }) {
            terms.push((run[0].term, end));
        }
        terms.shrink_to_fit();
        Self {
            path: source.path.to_owned(),
            nth: source.spans.iter().map(|span| span.nth).collect(),
            lengths: bag.lengths,
            terms,
            units: entries.iter().map(|entry| entry.unit).collect(),
            counts: entries.iter().map(|entry| entry.counts).collect(),
        }
    }

    /// Every term in every unit, in the order of (term, unit).
    pub fn entries(&self) -> impl Iterator<Item = Entry> {
        let starts = std::iter::once(0).chain(self.terms.iter().map(|&(_, end)| end));
        self.terms.iter().zip(starts).flat_map(|(&(term, end), start)| {
            let range = start as usize..end as usize;
            let units = self.units[range.clone()].iter().zip(&self.counts[range]);
            units.map(move |(&unit, &counts)| Entry { term, unit, counts })
        })
    }
}

struct Gathering {
    counts: FxHashMap<(Term, u32), Counts>,
    lengths: Vec<u32>,
}

impl Gathering {
    fn add(&mut self, unit: u32, field: Field, term: Term) {
        let count = &mut self.counts.entry((term, unit)).or_default()[field as usize];
        *count = count.saturating_add(1);
        self.lengths[unit as usize] += 1;
    }
}

/// The unit of every line: the innermost symbol around it; the comment above a symbol belongs to it.
fn owners(lines: &[Line<'_>], spans: &[Span<'_>]) -> Vec<u32> {
    let mut owners = vec![0; lines.len()];
    for (at, span) in spans.iter().enumerate() {
        let first = (span.lines.0 as usize).saturating_sub(1);
        let last = (span.lines.1 as usize).min(lines.len());
        if first >= last {
            continue;
        }
        let around = owners[first];
        // Inner symbols come later and take their lines.
        owners[first..last].fill(at as u32 + 1);
        for line in (0..first).rev() {
            if !lines[line].is_comment || owners[line] != around {
                break;
            }
            owners[line] = at as u32 + 1;
        }
    }
    owners
}

#[cfg(test)]
mod tests {
    use super::super::words::terms_of_text;
    use super::*;

    #[test]
    fn a_word_is_counted_in_its_innermost_symbol_and_field() {
        let text =
            "import one\n\n# About the cart.\nclass Cart:\n    def add(self):\n        log(\"added two\")\n";
        let span = |nth, lines, name| Span { nth, lines, name, signature: "", doc: "" };
        let bag = FileBag::of(&Source {
            path: "cart.py",
            text,
            spans: vec![span(1, (4, 6), "Cart"), span(2, (5, 6), "add")],
        });
        let of = |word: &str| -> Vec<(u32, Counts)> {
            let term = terms_of_text(word)[0];
            bag.entries().filter(|e| e.term == term).map(|e| (e.unit, e.counts)).collect()
        };
        assert_eq!(of("one"), [(0, [0, 0, 0, 0, 1])]);
        assert_eq!(of("cart"), [(1, [1, 0, 0, 1, 1])]);
        assert_eq!(of("two"), [(2, [0, 0, 0, 1, 0])]);
        assert_eq!(of("log"), [(2, [0, 0, 0, 0, 1])]);
        assert_eq!(bag.nth, [1, 2]);
    }
}
