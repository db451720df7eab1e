//! Postings: which documents a term stands in, and how often.

use rustc_hash::FxHashMap;

use super::words::Term;

/// Documents by term. `C` is what is known of a term in a document.
#[derive(Clone, Debug)]
pub struct Postings<C> {
    ranges: FxHashMap<Term, Range>,
    documents: Vec<u32>,
    counts: Vec<C>,
}

/// Where the documents of a term stand, and in how many groups of documents it is.
#[derive(Clone, Copy, Debug, Default)]
struct Range {
    start: u32,
    end: u32,
    groups: u32,
}

impl<C> Default for Postings<C> {
    fn default() -> Self {
        Self { ranges: FxHashMap::default(), documents: Vec::new(), counts: Vec::new() }
    }
}

impl<C: Copy + Default> Postings<C> {
    /// Postings of entries that come in the order of their documents; `each` is called twice and must give the same.
    pub fn of(each: impl Fn(&mut dyn FnMut(Term, u32, C))) -> Self {
        Self::grouped(|document| document, each)
    }

    /// The same of documents that stand in groups, which come in order, too: a term's groups are counted.
    pub fn grouped(group_of: impl Fn(u32) -> u32, each: impl Fn(&mut dyn FnMut(Term, u32, C))) -> Self {
        let mut ranges: FxHashMap<Term, Range> = FxHashMap::default();
        let mut total = 0;
        each(&mut |term, document, _| {
            let range = ranges.entry(term).or_default();
            range.end += 1;
            // Until places are given out, `start` is the last group and one.
            let group = group_of(document) + 1;
            if range.start != group {
                range.start = group;
                range.groups += 1;
            }
            total += 1;
        });
        let mut next = 0;
        for range in ranges.values_mut() {
            let len = range.end;
            (range.start, range.end) = (next, next);
            next += len;
        }
        let mut documents = vec![0; total];
        let mut counts = vec![C::default(); total];
        each(&mut |term, document, count| {
            if let Some(Range { end, .. }) = ranges.get_mut(&term) {
                documents[*end as usize] = document;
                counts[*end as usize] = count;
                *end += 1;
            }
        });
        Self { ranges, documents, counts }
    }

    /// Documents that have the term, ascending, and what is known of it there.
    pub fn of_term(&self, term: Term) -> (&[u32], &[C]) {
        match self.ranges.get(&term) {
            Some(&Range { start, end, .. }) => {
                let range = start as usize..end as usize;
                (&self.documents[range.clone()], &self.counts[range])
            }
            None => (&[], &[]),
        }
    }

    /// In how many groups of documents a term stands.
    pub fn groups(&self, term: Term) -> usize {
        self.ranges.get(&term).map_or(0, |range| range.groups as usize)
    }

    pub fn terms(&self) -> usize {
        self.ranges.len()
    }

    pub fn len(&self) -> usize {
        self.documents.len()
    }

    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }
}

/// How a term's frequency and a document's length become a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bm25 {
    /// How soon more of the same stops to count.
    pub k1: f32,
    /// How much long documents are held back.
    pub b: f32,
}

impl Bm25 {
    /// What most text engines start from.
    pub const USUAL: Self = Self { k1: 1.2, b: 0.75 };

    /// How telling a term is that stands in `with` of `all` documents.
    pub fn idf(with: usize, all: usize) -> f32 {
        let (with, all) = (with as f32, all as f32);
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }

    /// `length` is relative to the mean.
    pub fn score(self, idf: f32, frequency: f32, length: f32) -> f32 {
        if frequency <= 0.0 {
            return 0.0;
        }
        idf * frequency * (self.k1 + 1.0) / (frequency + self.k1 * (1.0 - self.b + self.b * length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_of_a_term_come_in_order() {
        let entries = [(7, 0, 1_u8), (9, 0, 2), (7, 3, 4)];
        let postings =
            Postings::of(|add| entries.iter().for_each(|&(term, doc, count)| add(term, doc, count)));
        assert_eq!(postings.of_term(7), (&[0, 3][..], &[1, 4][..]));
        assert_eq!(postings.of_term(8), (&[][..], &[][..]));
        assert_eq!((postings.terms(), postings.len()), (2, 3));
    }

    #[test]
    fn groups_of_documents_are_counted_once_a_term() {
        let entries = [(7, 0, 1_u8), (7, 1, 1), (9, 1, 2), (7, 4, 4), (7, 5, 1)];
        let postings = Postings::grouped(
            |document| document / 4,
            |add| entries.iter().for_each(|&(term, doc, count)| add(term, doc, count)),
        );
        assert_eq!([7, 8, 9].map(|term| postings.groups(term)), [2, 0, 1]);
        assert_eq!(postings.of_term(7), (&[0, 1, 4, 5][..], &[1, 1, 4, 1][..]));
    }

    #[test]
    fn rare_terms_frequent_terms_and_short_documents_score_higher() {
        let usual = Bm25::USUAL;
        assert!(Bm25::idf(1, 100) > Bm25::idf(50, 100));
        assert!(usual.score(1.0, 2.0, 1.0) > usual.score(1.0, 1.0, 1.0));
        assert!(usual.score(1.0, 1.0, 0.5) > usual.score(1.0, 1.0, 2.0));
        assert_eq!(usual.score(1.0, 0.0, 1.0), 0.0);
    }
}
