//! Evidence: what every signal says of every file for one question.

use super::asked::Asked;
use super::signals::{FIRST, HABITS, SIGNALS, Signal, Tuning};
use crate::corpus::Corpus;
use crate::text::{Bm25, Rules, Scores, Term};

/// Signals that are shares already: of everything a question could have found.
const SHARES: [Signal; 5] =
    [Signal::Share, Signal::Coverage, Signal::SymbolCoverage, Signal::SaidShare, Signal::Nearest];

/// How wide the two other circles of resembling commits are; the exponents of their resemblance.
const WIDE: f32 = 1.0;
const NARROW: f32 = 8.0;

/// Tests that have words of the question, the best of which are listened to.
const MAX_TESTS: usize = 30;

/// What one question found: a score per file and signal, and one per unit.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// Between 0 and 1 for each signal.
    pub files: Vec<Vec<f32>>,
    pub units: Vec<f32>,
}

impl Evidence {
    /// The signals that need no other file's score.
    pub fn first(corpus: &Corpus, asked: &Asked, tuning: &Tuning) -> Self {
        let count = corpus.text.files().len();
        let mut evidence =
            Self { files: vec![vec![0.0; count]; SIGNALS], units: vec![0.0; corpus.text.unit_count()] };
        let possible = evidence.read_words(corpus, asked, tuning);
        evidence.read_phrases(corpus, asked);
        evidence.read_paths(corpus, asked);
        evidence.read_past(corpus, asked, tuning);
        let text = &evidence.files[Signal::Text as usize];
        evidence.files[Signal::Share as usize] = shares(text, possible);
        for signal in [Signal::Coverage, Signal::SymbolCoverage] {
            let most = possible.max(f32::MIN_POSITIVE);
            evidence.files[signal as usize].iter_mut().for_each(|score| *score /= most);
        }
        for (signal, habit) in HABITS.into_iter().zip(&corpus.habits) {
            evidence.files[signal as usize].clone_from(habit);
        }
        for &signal in Signal::ALL[..FIRST].iter().filter(|signal| !SHARES.contains(signal)) {
            normalise(&mut evidence.files[signal as usize]);
        }
        evidence.silence(&tuning.silent);
        evidence
    }

    fn silence(&mut self, signals: &[Signal]) {
        signals.iter().for_each(|&signal| self.files[signal as usize].fill(0.0));
    }

    /// Words of files and symbols; returns how much all words of the question could have said.
    fn read_words(&mut self, corpus: &Corpus, asked: &Asked, tuning: &Tuning) -> f32 {
        let text = &corpus.text;
        let count = text.files().len();
        let (mut named, mut covered) = (vec![0.0; self.units.len()], vec![0.0; self.units.len()]);
        let columns = [Signal::Text, Signal::Fields, Signal::Names, Signal::Coverage];
        let [of_text, of_fields, of_names, coverage] = self
            .files
            .get_disjoint_mut(columns.map(|signal| signal as usize))
            .expect("every signal has a column of its own");
        let rules = Rules {
            fields: &tuning.fields,
            fields_bm25: tuning.fields_bm25,
            unit_bm25: tuning.unit_bm25,
            name_bm25: Bm25 { k1: 0.6, b: 0.3 },
        };
        let mut scores = Scores {
            text: of_text,
            fields: of_fields,
            names: of_names,
            coverage,
            units: &mut self.units,
            unit_names: &mut named,
            unit_coverage: &mut covered,
        };
        let mut possible = 0.0;
        for &(term, weight) in &asked.terms {
            let idf = weight * Bm25::idf(text.files_with(term).max(1), count);
            possible += idf;
            text.score_all(term, idf, &rules, &mut scores);
        }
        self.files[Signal::Symbol as usize] = best_of_units(corpus, &self.units);
        self.files[Signal::SymbolName as usize] = best_of_units(corpus, &named);
        self.files[Signal::SymbolCoverage as usize] = best_of_units(corpus, &covered);
        possible
    }

    fn read_phrases(&mut self, corpus: &Corpus, asked: &Asked) {
        let text = &corpus.text;
        let mut units = vec![0.0; self.units.len()];
        let fields = [4.0, 1.0, 1.0, 1.0, 1.0];
        for &(term, weight) in &asked.phrases {
            let with = text.files_with(term);
            if with > 0 {
                let idf = weight * Bm25::idf(with, text.files().len());
                let files = &mut self.files[Signal::Phrase as usize];
                text.score_files(term, idf, Bm25::USUAL, &fields, files);
                text.score_units(term, idf, Bm25::USUAL, &fields, &mut units);
            }
        }
        self.files[Signal::SymbolPhrase as usize] = best_of_units(corpus, &units);
    }

    fn read_paths(&mut self, corpus: &Corpus, asked: &Asked) {
        for &(term, weight) in &asked.terms {
            let (named, parts) = corpus.text.in_paths(term);
            let idf = weight * Bm25::idf(named.len(), corpus.text.files().len());
            for (&file, part) in named.iter().zip(parts) {
                if part.in_name > 0 {
                    let share = 1.0 / f32::from(part.name_terms.max(1)).sqrt();
                    self.files[Signal::Name as usize][file as usize] += idf * share;
                }
                if part.in_folders > 0 {
                    self.files[Signal::Folder as usize][file as usize] += idf;
                }
            }
        }
    }

    fn read_past(&mut self, corpus: &Corpus, asked: &Asked, tuning: &Tuning) {
        let past = &corpus.past;
        let count = corpus.text.files().len();
        past.score_said(&asked.terms, Bm25::USUAL, &mut self.files[Signal::Said as usize]);
        let idf = |&(term, weight): &(Term, f32)| weight * Bm25::idf(past.said_of(term).max(1), count);
        let possible = asked.terms.iter().map(idf).sum();
        self.files[Signal::SaidShare as usize] = shares(&self.files[Signal::Said as usize], possible);
        let resemblance = past.resemblance(&asked.terms);
        let circles = [(Signal::Resembling, tuning.power), (Signal::Widely, WIDE), (Signal::Closely, NARROW)];
        for (signal, power) in circles {
            past.score_resembling(&resemblance, power, &mut self.files[signal as usize]);
        }
        past.score_nearest(&resemblance, &mut self.files[Signal::Nearest as usize]);
    }

    /// The signals that start from the best files so far.
    pub fn second(&mut self, corpus: &Corpus, scores: &[f32], tuning: &Tuning) {
        let seeds = best(scores, tuning.seeds);
        let top = seeds.first().map_or(0.0, |&file| scores[file as usize]);
        // Where nothing has any of the words, the best files are only those that change most.
        if top <= 0.0 || !self.says_anything() {
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
        self.read_tests(corpus);
        self.files[FIRST..].iter_mut().for_each(|scores| normalise(scores));
        self.silence(&tuning.silent);
    }

    /// What tests say of the files that they test.
    fn read_tests(&mut self, corpus: &Corpus) {
        let is_test = corpus.habit(Signal::Test);
        let words: Vec<f32> = self.files[Signal::Symbol as usize]
            .iter()
            .zip(is_test)
            .map(|(&score, &is_test)| if is_test > 0.0 { score } else { 0.0 })
            .collect();
        for test in best(&words, MAX_TESTS) {
            let strength = words[test as usize];
            for &file in &corpus.pairs[test as usize] {
                let known = &mut self.files[Signal::Tested as usize][file as usize];
                *known = known.max(strength);
            }
            for &(file, share) in &corpus.related[test as usize] {
                self.files[Signal::Exercised as usize][file as usize] += strength.powi(2) * share;
            }
        }
    }

    /// Whether anything that was said speaks for a file, in its words or through a better one; habits alone do not.
    pub fn has_words(&self, file: u32) -> bool {
        Signal::ALL
            .iter()
            .filter(|signal| !HABITS.contains(signal))
            .any(|&signal| self.files[signal as usize][file as usize] > 0.0)
    }

    /// The same of its own words alone: of its text, its name, or what its changes were called.
    pub fn has_own_words(&self, file: u32) -> bool {
        let of_words = Signal::ALL[..FIRST].iter().filter(|signal| !HABITS.contains(signal));
        of_words.into_iter().any(|&signal| self.files[signal as usize][file as usize] > 0.0)
    }

    /// Whether any word of the question is anywhere.
    fn says_anything(&self) -> bool {
        let of_words = Signal::ALL[..FIRST].iter().filter(|signal| !HABITS.contains(signal));
        of_words.flat_map(|&signal| &self.files[signal as usize]).any(|&score| score > 0.0)
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

/// For each file the score of its best unit.
fn best_of_units(corpus: &Corpus, units: &[f32]) -> Vec<f32> {
    let of = |file: usize| {
        let range = corpus.text.units_of(file as u32);
        units[range.start as usize..range.end as usize].iter().copied().fold(0.0, f32::max)
    };
    (0..corpus.text.files().len()).map(of).collect()
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
