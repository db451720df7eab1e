//! Predict: given one file that changes, which others change with it.
//!
//! Counting common commits is a good guess where a file has a past. The rest comes from what holds without one: files that
//! use it, the test that is called like it, files beside it, and files that change whatever else does.

use rustc_hash::FxHashMap;

use crate::corpus::Corpus;
use crate::place;
use crate::text::FileIx;

macro_rules! clues {
    ($($(#[$doc:meta])* $variant:ident = $weight:literal,)*) => {
        /// What speaks for a file.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Clue { $($(#[$doc])* $variant,)* }

        impl Clue {
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];
        }

        /// Set by hand, not fitted yet: `m1nd bench retrieval --fit` prints the fitted ones.
        pub const CLUE_WEIGHTS: [f32; CLUES] = [$($weight,)*];
    };
}

clues! {
    /// How often it changed when the given file did, lately above all; few common changes are held back.
    Together = 4.0,
    /// The same where commits of few files count more.
    Close = 4.0,
    /// How often the given file changed when it did.
    Back = 2.0,
    /// The number of common commits, as a share of the highest.
    Times = 1.0,
    /// Changed together with files that change together with the given one.
    Through = 1.0,
    /// Uses the given file, or is used by it.
    Related = 1.0,
    /// One is called like the test of the other.
    Pair = 2.0,
    /// Stands in the same folder.
    Folder = 0.5,
    /// How many folders of their paths are the same.
    Near = 0.5,
    /// How often it changes these days.
    Churn = 0.5,
}

/// How many clues there are.
pub const CLUES: usize = Clue::ALL.len();

/// So many common changes are needed before half of what was seen is believed.
const SUPPORT: f32 = 2.0;
/// Companions from which a second step is taken.
const STEPS_THROUGH: usize = 5;
/// Files that change often whatever else does are looked at even without a relation.
const BUSIEST: usize = 20;

/// A file that may change, too.
#[derive(Clone, Debug, PartialEq)]
pub struct Companion {
    pub file: FileIx,
    pub score: f32,
    pub clues: [f32; CLUES],
}

/// The files most likely to change with `given`, best first.
pub fn predict(corpus: &Corpus, given: FileIx, weights: &[f32; CLUES], count: usize) -> Vec<Companion> {
    let score = |clues: &[f32; CLUES]| clues.iter().zip(weights).map(|(clue, weight)| clue * weight).sum();
    let found = clues(corpus, given);
    let mut found: Vec<Companion> =
        found.into_iter().map(|(file, clues)| Companion { file, score: score(&clues), clues }).collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.file.cmp(&b.file)));
    found.truncate(count);
    found
}

/// What speaks for each file that anything speaks for, in the order of files.
pub fn clues(corpus: &Corpus, given: FileIx) -> Vec<(FileIx, [f32; CLUES])> {
    let mut found: FxHashMap<FileIx, [f32; CLUES]> = FxHashMap::default();
    let mut add = |file: FileIx, clue: Clue, value: f32| {
        if file != given {
            found.entry(file).or_default()[clue as usize] += value;
        }
    };
    let past = &corpus.past;
    let mut company = past.company(given);
    let most = company.iter().map(|other| other.times).max().unwrap_or(1) as f32;
    let own = past.churn(given) + SUPPORT;
    for other in &company {
        add(other.file, Clue::Together, other.fresh / own);
        add(other.file, Clue::Close, other.close / own);
        add(other.file, Clue::Back, other.fresh / (past.churn(other.file) + SUPPORT));
        add(other.file, Clue::Times, other.times as f32 / most);
    }
    company.sort_by(|a, b| b.close.total_cmp(&a.close).then_with(|| a.file.cmp(&b.file)));
    for other in company.iter().take(STEPS_THROUGH) {
        let reached = other.fresh / own;
        for next in past.company(other.file) {
            let share = next.fresh / (past.churn(other.file) + SUPPORT);
            add(next.file, Clue::Through, reached * share);
        }
    }
    for &(file, share) in &corpus.related[given as usize] {
        add(file, Clue::Related, share.sqrt());
    }
    for &file in &corpus.pairs[given as usize] {
        add(file, Clue::Pair, 1.0);
    }
    let path = corpus.text.path(given);
    for &(file, _) in &corpus.siblings[given as usize] {
        add(file, Clue::Folder, 0.0);
    }
    for &file in &corpus.busiest[..corpus.busiest.len().min(BUSIEST)] {
        add(file, Clue::Churn, 0.0);
    }
    let churn = &corpus.habits[0];
    let mut found: Vec<(FileIx, [f32; CLUES])> = found.into_iter().collect();
    found.sort_unstable_by_key(|&(file, _)| file);
    for (file, clues) in &mut found {
        let (same, all) = place::common_folders(path, corpus.text.path(*file));
        clues[Clue::Folder as usize] = if same == all { 1.0 } else { 0.0 };
        clues[Clue::Near as usize] = same as f32 / all.max(1) as f32;
        clues[Clue::Churn as usize] = churn[*file as usize];
    }
    found
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
    fn one_common_change_is_worth_less_than_a_habit() {
        let habit = &["x/a.py", "y/b.py"][..];
        let once = &["x/a.py", "z/c.py"][..];
        let corpus = corpus(&["x/a.py", "y/b.py", "z/c.py"], &[once, habit, habit, habit]);
        assert_eq!(asked(&corpus, "x/a.py"), ["y/b.py", "z/c.py"]);
    }
}
