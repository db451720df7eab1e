//! Signals: what each source of evidence says about each file, for one question.

use crate::corpus::Corpus;
use crate::text::{Bm25, FIELDS, FieldWeights, Term, Terms, parts_of, raw_words};

macro_rules! signals {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// The sources of evidence.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Signal { $($(#[$doc])* $variant,)* }

        impl Signal {
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

signals! {
    /// Words of the whole file.
    Text = "text",
    /// Words by field: names count more than bodies.
    Fields = "fields",
    /// The best symbol alone.
    Symbol = "symbol",
    /// Names that the file defines.
    Names = "names",
    /// The name of the file.
    Name = "name",
    /// The names of its folders.
    Folder = "folder",
    /// What earlier changes to the file were called.
    Said = "said",
    /// Earlier commits that resemble the question.
    Resembling = "resembling",
    /// Words of the whole file, measured by all that could have matched: small when the question is vague.
    Share = "share",
    /// How much of what the question says stands in the file at all.
    Coverage = "coverage",
    /// What earlier changes to the file were called, measured by all that could have matched.
    SaidShare = "said_share",
    /// The one earlier commit that resembles the question most.
    Nearest = "nearest",
    /// How often the file changes these days.
    Churn = "churn",
    /// How lately it changed.
    Recency = "recency",
    /// How much is in it.
    Size = "size",
    /// Whether it is a test.
    Test = "test",
    /// Whether it stands beside the product otherwise.
    Beside = "beside",
    /// Changed together with the best files.
    Together = "together",
    /// Uses the best files, or is used by them.
    Related = "related",
    /// Has the name of one of the best files, or stands in its folder.
    Sibling = "sibling",
}

/// How many signals there are.
pub const SIGNALS: usize = Signal::ALL.len();

/// Signals that need no other file's score.
pub const FIRST: usize = Signal::Together as usize;

/// Constants inside the signals.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuning {
    pub fields: FieldWeights,
    pub fields_bm25: Bm25,
    pub unit_bm25: Bm25,
    /// How much lines of the question after the first count.
    pub later_lines: f32,
    /// How much more what stands before the first colon counts: `fix(parser):` and `parser:` name a part of the product.
    pub scope: f32,
    /// How much more words between backticks count.
    pub quoted: f32,
    /// How much more words that are written as identifiers count.
    pub identifiers: f32,
    /// See [`crate::past::Past::score_resembling`].
    pub power: f32,
    /// How many of the best files the last two signals start from.
    pub seeds: usize,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            fields: [8.0, 1.0, 0.75, 0.5, 1.0],
            fields_bm25: Bm25 { k1: 1.2, b: 0.6 },
            unit_bm25: Bm25 { k1: 1.2, b: 0.4 },
            later_lines: 0.5,
            scope: 1.0,
            quoted: 1.0,
            identifiers: 1.0,
            power: 3.0,
            seeds: 10,
        }
    }
}

/// Signals that do not depend on the question.
pub const HABITS: [Signal; 5] = [Signal::Churn, Signal::Recency, Signal::Size, Signal::Test, Signal::Beside];

/// More terms than this only repeat what the most telling ones say.
const MAX_TERMS: usize = 48;

/// The terms of a question with their weights: the most telling ones. What is said in the first line counts most.
pub fn weigh_terms(corpus: &Corpus, query: &str, tuning: &Tuning) -> Vec<(Term, f32)> {
    let mut weighted: Vec<(Term, f32)> = Vec::new();
    let mut terms = Terms::default();
    for (at, line) in query.trim().lines().enumerate() {
        let line_weight = if at == 0 { 1.0 } else { tuning.later_lines };
        let (scope, rest) = if at == 0 { split_scope(line) } else { ("", line) };
        let mut say = |text: &str, weight: f32| {
            for word in raw_words(text) {
                let is_identifier = parts_of(word).nth(1).is_some();
                let weight = if is_identifier { weight * tuning.identifiers } else { weight };
                terms.each(word, |term| match weighted.iter_mut().find(|(known, _)| *known == term) {
                    // Said twice is a little more than once.
                    Some((_, known)) => *known += 0.25 * weight,
                    None => weighted.push((term, weight)),
                });
            }
        };
        say(scope, line_weight * tuning.scope);
        for (nth, part) in rest.split('`').enumerate() {
            say(part, if nth % 2 == 1 { line_weight * tuning.quoted } else { line_weight });
        }
    }
    if weighted.len() > MAX_TERMS {
        let all = corpus.text.files().len();
        let telling = |&(term, weight): &(Term, f32)| weight * Bm25::idf(corpus.text.files_with(term), all);
        weighted.sort_by(|a, b| telling(b).total_cmp(&telling(a)).then_with(|| a.0.cmp(&b.0)));
        weighted.truncate(MAX_TERMS);
    }
    weighted
}

/// The words before the first colon of a line, if they are few, and the rest.
fn split_scope(line: &str) -> (&str, &str) {
    let split = line.split_once(": ");
    split.filter(|(scope, _)| scope.split_whitespace().count() <= MAX_SCOPE_WORDS).unwrap_or(("", line))
}

/// A longer beginning is a sentence.
const MAX_SCOPE_WORDS: usize = 3;

/// What one question found: a score per file and signal, and one per unit.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// Between 0 and 1 for each signal.
    pub files: Vec<Vec<f32>>,
    pub units: Vec<f32>,
}

impl Evidence {
    /// The signals that need no other file's score.
    pub fn first(corpus: &Corpus, query: &[(Term, f32)], tuning: &Tuning) -> Self {
        let count = corpus.text.files().len();
        let mut files = vec![vec![0.0; count]; SIGNALS];
        let mut units = vec![0.0; corpus.text.unit_count()];
        let mut possible = 0.0;
        let mut said_possible = 0.0;
        for &(term, weight) in query {
            let with = corpus.text.files_with(term);
            possible += weight * Bm25::idf(with.max(1), count);
            said_possible += weight * Bm25::idf(corpus.past.said_of(term).max(1), count);
            if with > 0 {
                let idf = weight * Bm25::idf(with, count);
                corpus.text.mark_files(term, idf, &mut files[Signal::Coverage as usize]);
                let text = &corpus.text;
                text.score_files(term, idf, Bm25::USUAL, &[1.0; FIELDS], &mut files[Signal::Text as usize]);
                text.score_files(
                    term,
                    idf,
                    tuning.fields_bm25,
                    &tuning.fields,
                    &mut files[Signal::Fields as usize],
                );
                let names = [1.0, 0.0, 0.0, 0.0, 0.0];
                let few = Bm25 { k1: 0.6, b: 0.3 };
                text.score_files(term, idf, few, &names, &mut files[Signal::Names as usize]);
                text.score_units(term, idf, tuning.unit_bm25, &tuning.fields, &mut units);
            }
            let (named, parts) = corpus.text.in_paths(term);
            let idf = weight * Bm25::idf(named.len(), count);
            for (&file, part) in named.iter().zip(parts) {
                if part.in_name > 0 {
                    let share = 1.0 / f32::from(part.name_terms.max(1)).sqrt();
                    files[Signal::Name as usize][file as usize] += idf * share;
                }
                if part.in_folders > 0 {
                    files[Signal::Folder as usize][file as usize] += idf;
                }
            }
        }
        for (at, &score) in units.iter().enumerate() {
            let file = corpus.text.unit(at as u32).file as usize;
            let best = &mut files[Signal::Symbol as usize][file];
            *best = best.max(score);
        }
        corpus.past.score_said(query, Bm25::USUAL, &mut files[Signal::Said as usize]);
        let mut nearest = std::mem::take(&mut files[Signal::Nearest as usize]);
        corpus.past.score_resembling(
            query,
            tuning.power,
            &mut files[Signal::Resembling as usize],
            &mut nearest,
        );
        files[Signal::Nearest as usize] = nearest;
        files[Signal::Share as usize] = shares(&files[Signal::Text as usize], possible);
        files[Signal::SaidShare as usize] = shares(&files[Signal::Said as usize], said_possible);
        files[Signal::Coverage as usize]
            .iter_mut()
            .for_each(|score| *score /= possible.max(f32::MIN_POSITIVE));
        for (signal, habit) in HABITS.into_iter().zip(&corpus.habits) {
            files[signal as usize].clone_from(habit);
        }
        let absolute = [Signal::Share, Signal::Coverage, Signal::SaidShare, Signal::Nearest];
        for &signal in Signal::ALL[..FIRST].iter().filter(|signal| !absolute.contains(signal)) {
            normalise(&mut files[signal as usize]);
        }
        Self { files, units }
    }

    /// The signals that start from the best files so far.
    pub fn second(&mut self, corpus: &Corpus, scores: &[f32], tuning: &Tuning) {
        let seeds = best(scores, tuning.seeds);
        let top = seeds.first().map_or(0.0, |&file| scores[file as usize]);
        if top <= 0.0 {
            return;
        }
        for seed in seeds {
            let strength = (scores[seed as usize] / top).max(0.0).powi(2);
            corpus.past.score_together(seed, strength, &mut self.files[Signal::Together as usize]);
            for &(file, share) in &corpus.related[seed as usize] {
                self.files[Signal::Related as usize][file as usize] += strength * share;
            }
            for &(file, share) in &corpus.siblings[seed as usize] {
                let known = &mut self.files[Signal::Sibling as usize][file as usize];
                *known = known.max(strength * share);
            }
        }
        self.files[FIRST..].iter_mut().for_each(|scores| normalise(scores));
    }

    /// Whether anything that was said speaks for a file, in its words or through a better one; habits alone do not.
    pub fn has_words(&self, file: u32) -> bool {
        Signal::ALL
            .iter()
            .filter(|signal| !HABITS.contains(signal))
            .any(|&signal| self.files[signal as usize][file as usize] > 0.0)
    }

    /// Weighs the signals.
    pub fn weigh(&self, weights: &[f32; SIGNALS]) -> Vec<f32> {
        let mut scores = vec![0.0; self.files[0].len()];
        for (column, &weight) in self.files.iter().zip(weights) {
            if weight != 0.0 {
                scores.iter_mut().zip(column).for_each(|(score, value)| *score += weight * value);
            }
        }
        scores
    }
}

/// The positions of the highest scores, best first, equal ones in order of position.
pub fn best(scores: &[f32], count: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..scores.len() as u32).filter(|&at| scores[at as usize] > 0.0).collect();
    let by_score =
        |a: &u32, b: &u32| scores[*b as usize].total_cmp(&scores[*a as usize]).then_with(|| a.cmp(b));
    if order.len() > count && count > 0 {
        order.select_nth_unstable_by(count - 1, by_score);
        order.truncate(count);
    }
    order.sort_by(by_score);
    order
}

fn shares(scores: &[f32], possible: f32) -> Vec<f32> {
    let most = (possible * (Bm25::USUAL.k1 + 1.0)).max(f32::MIN_POSITIVE);
    scores.iter().map(|score| score / most).collect()
}

pub(crate) fn normalise(scores: &mut [f32]) {
    let most = scores.iter().copied().fold(0.0, f32::max);
    if most > 0.0 {
        scores.iter_mut().for_each(|score| *score /= most);
    }
}
