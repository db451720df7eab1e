//! Predict: given one file that changes, which others change with it.
//!
//! Counting common commits is a good guess where a file has a past. The rest comes from what holds without one: files that
//! use it, the test that is called like it, files beside it, and files that change whatever else does.

use rustc_hash::FxHashMap;

use crate::corpus::Corpus;
use crate::fuse::{Signal, places};
use crate::place;
use crate::text::{Bm25, FileIx, TextIndex, terms_of_text};

macro_rules! clues {
    ($($(#[$doc:meta])* $variant:ident = $weight:expr,)*) => {
        /// What speaks for a file.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Clue { $($(#[$doc])* $variant,)* }

        impl Clue {
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];
        }

        const OF_CLUES: [f32; CLUES] = [$($weight,)*];
    };
}

clues! {
    /// How often it changed when the given file did, lately above all; few common changes are held back.
    Together = -0.85,
    /// The same where commits of few files count more.
    Close = 0.50,
    /// The same, of all times, where a commit counts as much as it was about the two.
    Tight = 1.42,
    /// How often the given file changed when it did.
    Back = 0.41,
    /// The number of common commits, as a share of the highest.
    Times = -0.58,
    /// How lately they changed together.
    Lately = 0.67,
    /// Changed together with files that change together with the given one.
    Through = -0.83,
    /// Uses the given file, or is used by it.
    Related = -0.20,
    /// Is a test that uses the given file.
    Exercises = 0.92,
    /// Says the names that the given file defines.
    Mentions = -0.47,
    /// Defines names that the given file says.
    Mentioned = 0.06,
    /// Has words that hardly any other file has but the given one.
    Alike = 1.40,
    /// One is called like the test of the other.
    Pair = 0.52,
    /// Words that both names have.
    Named = 0.57,
    /// Stands in the same folder.
    Folder = -0.15,
    /// How many folders of their paths are the same.
    Near = 0.62,
    /// How often it changes these days.
    Churn = 1.56,
    /// How lately it changed.
    Recency = 0.62,
    /// Whether it is a test.
    Test = 0.40,
}

/// How many clues there are.
pub const CLUES: usize = Clue::ALL.len();

/// Clues by which a file's place among the others counts.
const PLACED: [Clue; 12] = [
    Clue::Together,
    Clue::Close,
    Clue::Tight,
    Clue::Back,
    Clue::Times,
    Clue::Through,
    Clue::Related,
    Clue::Mentions,
    Clue::Mentioned,
    Clue::Alike,
    Clue::Named,
    Clue::Churn,
];

/// Clues that count more where the given file has hardly any past.
const WITHOUT_PAST: [Clue; 9] = [
    Clue::Together,
    Clue::Back,
    Clue::Related,
    Clue::Exercises,
    Clue::Mentions,
    Clue::Pair,
    Clue::Named,
    Clue::Folder,
    Clue::Churn,
];

/// How many numbers describe a file.
pub const FEATURES: usize = CLUES + PLACED.len() + WITHOUT_PAST.len();

/// So many common changes are needed before half of what was seen is believed.
const SUPPORT: f32 = 2.0;
/// Companions from which a second step is taken.
const STEPS_THROUGH: usize = 5;
/// Files that change often whatever else does are looked at even without a relation.
const BUSIEST: usize = 20;
/// Names in more files than this are words of the language or of the house.
const MAX_MENTIONS: usize = 40;
/// A word that more than this part of the files have is not rare, however few files there are.
const RARE_PART: usize = 4;

/// A file that may change, too.
#[derive(Clone, Debug, PartialEq)]
pub struct Companion {
    pub file: FileIx,
    pub score: f32,
    pub clues: [f32; FEATURES],
}

/// The files most likely to change with `given`, best first.
pub fn predict(corpus: &Corpus, given: FileIx, weights: &[f32; FEATURES], count: usize) -> Vec<Companion> {
    let score = |clues: &[f32; FEATURES]| clues.iter().zip(weights).map(|(clue, weight)| clue * weight).sum();
    let found = clues(corpus, given);
    let mut found: Vec<Companion> =
        found.into_iter().map(|(file, clues)| Companion { file, score: score(&clues), clues }).collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.file.cmp(&b.file)));
    found.truncate(count);
    found
}

/// How scores become likelihoods: over 39,820 predictions on the repositories that the weights were fitted on.
/// `docs/benchmarks.md` says how well they hold on others.
const SLOPE: f32 = 0.791;
const OFFSET: f32 = 0.936;

/// The files most likely to change with `given`, best first, each with how likely that is.
pub fn likely(corpus: &Corpus, given: FileIx, count: usize) -> Vec<(Companion, f32)> {
    let mut found = predict(corpus, given, &CLUE_WEIGHTS, usize::MAX);
    let most = found.first().map_or(0.0, |best| best.score);
    let sum: f32 = found.iter().map(|one| (one.score - most).exp()).sum();
    found.truncate(count);
    let likelihood = |one: &Companion| {
        let share = one.score - most - sum.ln();
        1.0 / (1.0 + (-(SLOPE * share + OFFSET)).exp())
    };
    found.into_iter().map(|one| (one.clone(), likelihood(&one))).collect()
}

impl Companion {
    /// The clue that speaks most for it, by what it adds to the score.
    pub fn reason(&self) -> Option<Clue> {
        let weigh = |clue: &Clue| {
            let at = *clue as usize;
            let place = PLACED
                .iter()
                .position(|placed| placed == clue)
                .map_or(0.0, |nth| self.clues[CLUES + nth] * CLUE_WEIGHTS[CLUES + nth]);
            self.clues[at] * CLUE_WEIGHTS[at] + place
        };
        let known = Clue::ALL.iter().copied().filter(|clue| self.clues[*clue as usize] > 0.0);
        known.max_by(|a, b| weigh(a).total_cmp(&weigh(b)))
    }

    /// How much a clue says.
    pub fn clue(&self, clue: Clue) -> f32 {
        self.clues[clue as usize]
    }
}

/// What speaks for each file that anything speaks for, in the order of files.
pub fn clues(corpus: &Corpus, given: FileIx) -> Vec<(FileIx, [f32; FEATURES])> {
    let mut found: FxHashMap<FileIx, [f32; FEATURES]> = FxHashMap::default();
    let mut add = |file: FileIx, clue: Clue, value: f32| {
        if file != given {
            found.entry(file).or_insert([0.0; FEATURES])[clue as usize] += value;
        }
    };
    let past = &corpus.past;
    let mut company = past.company(given);
    let most = company.iter().map(|other| other.times).max().unwrap_or(1) as f32;
    let own = past.churn(given) + SUPPORT;
    for other in &company {
        add(other.file, Clue::Together, other.fresh / own);
        add(other.file, Clue::Close, other.close / own);
        add(other.file, Clue::Tight, other.tight / (past.touched(given) as f32 + SUPPORT));
        add(other.file, Clue::Back, other.fresh / (past.churn(other.file) + SUPPORT));
        add(other.file, Clue::Times, other.times as f32 / most);
        add(other.file, Clue::Lately, other.latest);
    }
    company.sort_by(|a, b| b.close.total_cmp(&a.close).then_with(|| a.file.cmp(&b.file)));
    for other in company.iter().take(STEPS_THROUGH) {
        let reached = other.fresh / own;
        for next in past.company(other.file) {
            let share = next.fresh / (past.churn(other.file) + SUPPORT);
            add(next.file, Clue::Through, reached * share);
        }
    }
    let is_test = |file: FileIx| place::is_test(corpus.text.path(file));
    for &(file, share) in &corpus.related[given as usize] {
        add(file, Clue::Related, share.sqrt());
        if is_test(file) {
            add(file, Clue::Exercises, share.sqrt());
        }
    }
    for (clue, files) in common_words(corpus, given) {
        files.into_iter().for_each(|(file, share)| add(file, clue, share));
    }
    for (file, share) in named_alike(corpus, given) {
        add(file, Clue::Named, share);
    }
    for &file in &corpus.pairs[given as usize] {
        add(file, Clue::Pair, 1.0);
    }
    for &(file, _) in &corpus.siblings[given as usize] {
        add(file, Clue::Folder, 0.0);
    }
    for &file in &corpus.busiest[..corpus.busiest.len().min(BUSIEST)] {
        add(file, Clue::Churn, 0.0);
    }
    let mut found: Vec<(FileIx, [f32; FEATURES])> = found.into_iter().collect();
    found.sort_unstable_by_key(|&(file, _)| file);
    let path = corpus.text.path(given);
    for (file, clues) in &mut found {
        let (same, all) = place::common_folders(path, corpus.text.path(*file));
        clues[Clue::Folder as usize] = if same == all { 1.0 } else { 0.0 };
        clues[Clue::Near as usize] = same as f32 / all.max(1) as f32;
        clues[Clue::Churn as usize] = corpus.habit(Signal::Churn)[*file as usize];
        clues[Clue::Recency as usize] = corpus.habit(Signal::Recency)[*file as usize];
        clues[Clue::Test as usize] = corpus.habit(Signal::Test)[*file as usize];
    }
    compare(&mut found, 1.0 / (1.0 + past.touched(given) as f32 / SUPPORT));
    found
}

/// Places, and what counts more the less is known of the past of the given file.
fn compare(found: &mut [(FileIx, [f32; FEATURES])], unknown: f32) {
    for (at, &clue) in PLACED.iter().enumerate() {
        let places: Vec<(usize, f32)> = places(found.len(), |nth| found[nth].1[clue as usize]).collect();
        for (nth, place) in places {
            found[nth].1[CLUES + at] = place;
        }
    }
    for (_, clues) in found {
        for (at, &clue) in WITHOUT_PAST.iter().enumerate() {
            clues[CLUES + PLACED.len() + at] = unknown * clues[clue as usize];
        }
    }
}

/// Files that have rare words of the given file: those that say what it defines, define what it says, or have any.
fn common_words(corpus: &Corpus, given: FileIx) -> [(Clue, Vec<(FileIx, f32)>); 3] {
    let count = corpus.text.files().len();
    let most = MAX_MENTIONS.min((count / RARE_PART).max(2));
    let [mut says, mut defines, mut alike]: [FxHashMap<FileIx, f32>; 3] = Default::default();
    for (term, is_defined) in corpus.text.words_of(given) {
        let with = corpus.text.files_with(term);
        if !(2..=most).contains(&with) {
            continue;
        }
        let idf = Bm25::idf(with, count);
        corpus.text.each_file_with(term, |file, is_name| {
            if file != given {
                *alike.entry(file).or_default() += idf;
                if is_defined {
                    *says.entry(file).or_default() += idf;
                }
                if is_name {
                    *defines.entry(file).or_default() += idf;
                }
            }
        });
    }
    // A long file has some words of every other.
    alike.iter_mut().for_each(|(&file, sum)| *sum /= (1.0 + corpus.text.length(file)).sqrt());
    [(Clue::Mentions, says), (Clue::Mentioned, defines), (Clue::Alike, alike)]
        .map(|(clue, found)| (clue, shares_of_most(found)))
}

/// Files whose names have words of the given file's name.
fn named_alike(corpus: &Corpus, given: FileIx) -> Vec<(FileIx, f32)> {
    let count = corpus.text.files().len();
    let mut found: FxHashMap<FileIx, f32> = FxHashMap::default();
    // That both are tests is no name in common.
    let of_tests = terms_of_text("test spec");
    let terms = TextIndex::terms_of_name(corpus.text.path(given)).into_iter();
    for term in terms.filter(|term| !of_tests.contains(term)) {
        let (files, parts) = corpus.text.in_paths(term);
        let idf = Bm25::idf(files.len(), count);
        for (&file, part) in files.iter().zip(parts).filter(|(_, part)| part.in_name > 0) {
            *found.entry(file).or_default() += idf / f32::from(part.name_terms.max(1)).sqrt();
        }
    }
    found.remove(&given);
    shares_of_most(found)
}

fn shares_of_most(found: FxHashMap<FileIx, f32>) -> Vec<(FileIx, f32)> {
    let most = found.values().copied().fold(0.0, f32::max);
    let mut found: Vec<(FileIx, f32)> = found.into_iter().map(|(file, sum)| (file, sum / most)).collect();
    found.sort_unstable_by_key(|&(file, _)| file);
    found
}

/// Fitted: clues, places, and what counts without a past. `m1nd bench retrieval --fit` prints the tables;
/// `docs/benchmarks.md` names the repositories they were made on.
pub const CLUE_WEIGHTS: [f32; FEATURES] = {
    let mut weights = [0.0; FEATURES];
    let mut at = 0;
    while at < FEATURES {
        weights[at] = if at < CLUES {
            OF_CLUES[at]
        } else if at < CLUES + PLACED.len() {
            OF_PLACES[at - CLUES]
        } else {
            OF_UNKNOWN[at - CLUES - PLACED.len()]
        };
        at += 1;
    }
    weights
};

const OF_PLACES: [f32; PLACED.len()] =
    [-0.47, 0.55, 1.25, 0.53, -0.28, 0.56, 0.38, 0.79, 0.33, 0.80, -0.06, 0.00];
const OF_UNKNOWN: [f32; WITHOUT_PAST.len()] = [-0.23, 0.14, 0.04, 0.35, 0.74, -0.08, 0.57, 0.23, -0.89];

/// The tables of weights, as source text.
pub fn tables(weights: &[f32; FEATURES]) -> String {
    let of_clue = |(clue, weight): (&Clue, &f32)| format!("    {clue:?} = {weight:.2},\n");
    let clues: String = Clue::ALL.iter().zip(weights).map(of_clue).collect();
    let list = |weights: &[f32]| {
        let weights: Vec<String> = weights.iter().map(|weight| format!("{weight:.2}")).collect();
        weights.join(", ")
    };
    let (places, unknown) = weights[CLUES..].split_at(PLACED.len());
    format!("{clues}OF_PLACES [{}]\nOF_UNKNOWN [{}]\n", list(places), list(unknown))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::corpus::NamedCommit;
    use crate::text::{FileBag, Source, TextIndex};

    fn corpus(paths: &[&str], commits: &[&[&str]]) -> Corpus {
        let bag = |path: &&str| Arc::new(FileBag::of(&Source { path, text: "x", spans: Vec::new() }));
        let text = TextIndex::of(paths.iter().map(bag).collect());
        let files: Vec<Vec<String>> =
            commits.iter().map(|files| files.iter().map(|&file| file.to_owned()).collect()).collect();
        let commits = files.iter().map(|files| NamedCommit { message: "m", time_ms: 0, files });
        Corpus::of(text, commits, None)
    }

    fn asked(corpus: &Corpus, given: &str) -> Vec<String> {
        let given = corpus.text.file(given).unwrap();
        let found = predict(corpus, given, &CLUE_WEIGHTS, 10);
        found.iter().map(|companion| corpus.text.path(companion.file).to_owned()).collect()
    }

    #[test]
    fn what_changed_together_comes_first() {
        let corpus = corpus(
            &["src/a.py", "lib/b.py", "src/c.py", "docs/d.py"],
            &[&["src/a.py", "lib/b.py"], &["src/a.py", "lib/b.py"], &["src/c.py"]],
        );
        assert_eq!(asked(&corpus, "src/a.py")[0], "lib/b.py");
    }

    #[test]
    fn a_file_without_a_past_finds_its_test() {
        let corpus = corpus(&["src/cart.py", "src/zoo.py", "tests/test_cart.py", "tests/test_zoo.py"], &[]);
        assert_eq!(asked(&corpus, "src/cart.py")[0], "tests/test_cart.py");
        assert_eq!(asked(&corpus, "tests/test_zoo.py")[0], "src/zoo.py");
    }

    #[test]
    fn a_word_of_most_files_is_not_rare() {
        let texts = [
            ("a.py", "parse quokka zebra"),
            ("b.py", "parse quokka"),
            ("c.py", "parse quokka"),
            ("d.py", "parse zebra"),
        ];
        let bag =
            |&(path, text): &(&str, &str)| Arc::new(FileBag::of(&Source { path, text, spans: Vec::new() }));
        let corpus = Corpus::of(TextIndex::of(texts.iter().map(bag).collect()), std::iter::empty(), None);
        let given = corpus.text.file("a.py").unwrap();
        let [_, _, (_, alike)] = common_words(&corpus, given);
        let alike: Vec<&str> = alike.iter().map(|&(file, _)| corpus.text.path(file)).collect();
        assert_eq!(alike, ["d.py"]);
    }

    #[test]
    fn one_common_change_is_worth_less_than_a_habit() {
        let habit = &["x/a.py", "y/b.py"][..];
        let once = &["x/a.py", "z/c.py"][..];
        let corpus = corpus(&["x/a.py", "y/b.py", "z/c.py"], &[once, habit, habit, habit]);
        assert_eq!(asked(&corpus, "x/a.py"), ["y/b.py", "z/c.py"]);
    }
}
