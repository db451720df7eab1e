//! Baselines: what a good engineer would try first, over the same files with the same words.
//!
//! They rank only source files that are no tests, which they are told; `seek` is not.

use m1nd_recall::corpus::Corpus;
use m1nd_recall::fuse::best;
use m1nd_recall::text::{Bm25, FIELDS, FileIx, Term, terms_of_query};

use super::super::experiment::is_product;

/// How many files a baseline names.
const DEPTH: usize = 1_000;

/// Words over whole files, identifiers split.
pub const BM25: &str = "bm25";
/// The sum of three: words of the file, words of its path, words of the commits that touched it.
pub const BM25_PATH_HISTORY: &str = "bm25+path+history";
/// Words of the path alone.
pub const PATH: &str = "path";
/// Files by how often they changed.
pub const CHURN: &str = "churn";

pub const NAMES: [&str; 4] = [BM25, BM25_PATH_HISTORY, PATH, CHURN];

/// The files a baseline finds, best first.
pub fn ranked<'c>(corpus: &'c Corpus, name: &str, query: &str) -> Vec<&'c str> {
    let query: Vec<(Term, f32)> =
        terms_of_query(query).into_iter().map(|(term, times)| (term, times as f32)).collect();
    let mut scores = match name {
        BM25 => words(corpus, &query),
        PATH => path(corpus, &query),
        CHURN => {
            (0..corpus.text.files().len()).map(|file| corpus.past.touched(file as FileIx) as f32).collect()
        }
        _ => {
            let mut sum = share_of_most(words(corpus, &query));
            let mut said = vec![0.0; sum.len()];
            corpus.past.score_said(&query, Bm25::USUAL, &mut said);
            for (weight, other) in [(0.5, share_of_most(path(corpus, &query))), (0.5, share_of_most(said))] {
                sum.iter_mut().zip(other).for_each(|(sum, score)| *sum += weight * score);
            }
            sum
        }
    };
    for (at, score) in scores.iter_mut().enumerate() {
        if !is_product(corpus.text.path(at as FileIx)) {
            *score = 0.0;
        }
    }
    best(&scores, DEPTH).into_iter().map(|file| corpus.text.path(file)).collect()
}

/// Files by how often they were committed together with a file, by their paths: all that `git log --name-only` lists.
pub const RAW_COUNTS: &str = "raw co-change counts";
/// The same where files keep their past when they are moved, of the newest commits, without those that touch very many.
pub const COUNTS: &str = "co-change counts";
/// Files of the same folder, those first that change most often.
pub const FOLDER: &str = "same folder";

/// The files that a baseline expects to change with a file, best first; tests are among them.
pub fn companions<'c>(corpus: &'c Corpus, named: &[Vec<String>], name: &str, given: FileIx) -> Vec<&'c str> {
    let mut scores = vec![0.0; corpus.text.files().len()];
    if name == COUNTS {
        for other in corpus.past.company(given) {
            scores[other.file as usize] = other.times as f32;
        }
    } else if name == RAW_COUNTS {
        let path = corpus.text.path(given);
        for files in named.iter().filter(|files| files.iter().any(|file| file == path)) {
            for other in files.iter().filter(|&other| other != path) {
                if let Some(other) = corpus.text.file(other) {
                    scores[other as usize] += 1.0;
                }
            }
        }
    } else {
        let folder = |file: FileIx| corpus.text.path(file).rsplit_once('/').map_or("", |(folder, _)| folder);
        for (at, score) in scores.iter_mut().enumerate() {
            let file = at as FileIx;
            if file != given && folder(file) == folder(given) {
                *score = 1.0 + corpus.past.touched(file) as f32;
            }
        }
    }
    best(&scores, DEPTH).into_iter().map(|file| corpus.text.path(file)).collect()
}

fn words(corpus: &Corpus, query: &[(Term, f32)]) -> Vec<f32> {
    let mut scores = vec![0.0; corpus.text.files().len()];
    for &(term, times) in query {
        let idf = times * Bm25::idf(corpus.text.files_with(term), scores.len());
        corpus.text.score_files(term, idf, Bm25::USUAL, &WHOLE, &mut scores);
    }
    scores
}

/// Names, signatures and docs stand in the text already: counted once.
const WHOLE: [f32; FIELDS] = [0.0, 0.0, 0.0, 1.0, 1.0];

fn path(corpus: &Corpus, query: &[(Term, f32)]) -> Vec<f32> {
    let mut scores = vec![0.0; corpus.text.files().len()];
    for &(term, _) in query {
        let (files, _) = corpus.text.in_paths(term);
        let idf = Bm25::idf(files.len(), scores.len());
        files.iter().for_each(|&file| scores[file as usize] += idf);
    }
    scores
}

fn share_of_most(mut scores: Vec<f32>) -> Vec<f32> {
    let most = scores.iter().copied().fold(0.0, f32::max);
    if most > 0.0 {
        scores.iter_mut().for_each(|score| *score /= most);
    }
    scores
}
