//! The past: what earlier changes were called, and which files they touched.
//!
//! A question about the code often resembles what was once said of a change to it. Two signals come from that: files whose
//! changes were described in the question's words, and files touched by the commits that resemble the question most.
//! A third needs no words: files that were touched together with a file.

use rustc_hash::FxHashMap;

use crate::text::{Bm25, FileIx, Postings, Term, Terms};

/// After this many days a change counts half.
const HALF_LIFE_DAYS: f32 = 365.0;
/// Older changes to a file than these say nothing new about what goes with it.
const MAX_COMMITS_PER_FILE: usize = 150;

/// One earlier change.
#[derive(Clone, Debug)]
pub struct PastCommit<'a> {
    pub message: &'a str,
    /// How long before the newest one.
    pub age_days: f32,
    pub files: Vec<FileIx>,
}

/// All that is known of earlier changes.
#[derive(Debug, Default)]
pub struct Past {
    commits: Vec<Known>,
    /// Terms of messages by commit.
    messages: Postings<u8>,
    /// Terms of messages by file.
    said: Postings<u16>,
    /// Relative to the mean.
    said_length: Vec<f32>,
    /// Newest first.
    by_file: Vec<Vec<u32>>,
}

/// A file that was touched together with another.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Company {
    pub file: FileIx,
    /// In how many commits.
    pub times: u32,
    /// The same, older ones counting less.
    pub fresh: f32,
    /// The same, commits of many files counting less, too.
    pub close: f32,
    /// The same, as a part of each commit and whatever its age: 1 for every commit of just the two.
    pub tight: f32,
    /// How fresh the newest of them is.
    pub latest: f32,
}

#[derive(Debug)]
struct Known {
    files: Vec<FileIx>,
    /// From 1 for the newest towards 0.
    freshness: f32,
    /// Relative to the mean.
    length: f32,
}

impl Past {
    /// The commits come newest first; `files` is how many files there are.
    pub fn of(commits: &[PastCommit<'_>], files: usize) -> Self {
        let mut terms = Terms::default();
        let mut bags: Vec<Vec<(Term, u8)>> = Vec::with_capacity(commits.len());
        for commit in commits {
            bags.push(counted(&mut terms, &without_trailers(commit.message)));
        }
        let lengths: Vec<f32> =
            bags.iter().map(|bag| bag.iter().map(|&(_, count)| f32::from(count)).sum()).collect();
        let mean = (lengths.iter().sum::<f32>() / lengths.len().max(1) as f32).max(1.0);
        let mut by_file = vec![Vec::new(); files];
        let mut known = Vec::with_capacity(commits.len());
        for (at, commit) in commits.iter().enumerate() {
            for &file in &commit.files {
                by_file[file as usize].push(at as u32);
            }
            known.push(Known {
                files: commit.files.clone(),
                freshness: (-std::f32::consts::LN_2 * commit.age_days / HALF_LIFE_DAYS).exp(),
                length: lengths[at] / mean,
            });
        }
        let messages = Postings::of(|add| {
            for (at, bag) in bags.iter().enumerate() {
                for &(term, count) in bag {
                    add(term, at as u32, count);
                }
            }
        });
        let said_bags: Vec<Vec<(Term, u16)>> = by_file.iter().map(|commits| merged(commits, &bags)).collect();
        let mut said_length: Vec<f32> =
            said_bags.iter().map(|bag| bag.iter().map(|&(_, count)| f32::from(count)).sum()).collect();
        let mean = (said_length.iter().sum::<f32>() / files.max(1) as f32).max(1.0);
        said_length.iter_mut().for_each(|length| *length /= mean);
        let said = Postings::of(|add| {
            for (at, bag) in said_bags.iter().enumerate() {
                for &(term, count) in bag {
                    add(term, at as u32, count);
                }
            }
        });
        Self { commits: known, messages, said, said_length, by_file }
    }

    pub fn len(&self) -> usize {
        self.commits.len()
    }

    pub fn is_empty(&self) -> bool {
        self.commits.is_empty()
    }

    /// How many commits touched a file.
    pub fn touched(&self, file: FileIx) -> usize {
        self.by_file[file as usize].len()
    }

    /// How much a file changes these days.
    pub fn churn(&self, file: FileIx) -> f32 {
        self.by_file[file as usize].iter().map(|&commit| self.commits[commit as usize].freshness).sum()
    }

    /// How lately a file changed: 1 with the newest commit.
    pub fn recency(&self, file: FileIx) -> f32 {
        self.by_file[file as usize].first().map_or(0.0, |&commit| self.commits[commit as usize].freshness)
    }

    /// Adds to each file what its changes were called in the question's words.
    pub fn score_said(&self, query: &[(Term, f32)], bm25: Bm25, scores: &mut [f32]) {
        for &(term, weight) in query {
            let (files, counts) = self.said.of_term(term);
            let idf = weight * Bm25::idf(files.len(), self.by_file.len());
            for (&file, &count) in files.iter().zip(counts) {
                scores[file as usize] += bm25.score(idf, f32::from(count), self.said_length[file as usize]);
            }
        }
    }

    /// How much each commit resembles the question, as a share of what a copy of the question would have.
    pub fn resemblance(&self, query: &[(Term, f32)]) -> Vec<f32> {
        let mut possible = 0.0;
        let mut resemblance = vec![0.0; self.commits.len()];
        for &(term, weight) in query {
            let (commits, counts) = self.messages.of_term(term);
            let idf = weight * Bm25::idf(commits.len(), self.commits.len());
            possible += idf * (Bm25::USUAL.k1 + 1.0);
            for (&commit, &count) in commits.iter().zip(counts) {
                let length = self.commits[commit as usize].length;
                resemblance[commit as usize] += Bm25::USUAL.score(idf, f32::from(count), length);
            }
        }
        if possible > 0.0 {
            resemblance.iter_mut().for_each(|share| *share /= possible);
        }
        resemblance
    }

    /// Adds to each file how much the commits that touched it resemble the question. Many commits that resemble it
    /// a little do not outweigh one that resembles it much: shares are raised to `power`.
    pub fn score_resembling(&self, resemblance: &[f32], power: f32, scores: &mut [f32]) {
        let best = resemblance.iter().copied().fold(0.0, f32::max);
        for (commit, &share) in self.commits.iter().zip(resemblance) {
            if share > 0.0 && !commit.files.is_empty() {
                let worth = (share / best).powf(power) * (0.5 + 0.5 * commit.freshness);
                let each = worth / (commit.files.len() as f32).sqrt();
                commit.files.iter().for_each(|&file| scores[file as usize] += each);
            }
        }
    }

    /// Gives each file the resemblance of the one commit that touched it and resembles the question most.
    pub fn score_nearest(&self, resemblance: &[f32], scores: &mut [f32]) {
        for (commit, &share) in self.commits.iter().zip(resemblance) {
            for &file in &commit.files {
                let known = &mut scores[file as usize];
                *known = known.max(share);
            }
        }
    }

    /// Of how many files a term was said.
    pub fn said_of(&self, term: Term) -> usize {
        self.said.of_term(term).0.len()
    }

    /// The files that were touched together with a file, in order.
    pub fn company(&self, file: FileIx) -> Vec<Company> {
        let mut found: FxHashMap<FileIx, Company> = FxHashMap::default();
        for &commit in &self.by_file[file as usize] {
            let commit = &self.commits[commit as usize];
            for &other in commit.files.iter().filter(|&&other| other != file) {
                let known = found.entry(other).or_insert(Company { file: other, ..Company::default() });
                known.times += 1;
                known.fresh += commit.freshness;
                known.latest = known.latest.max(commit.freshness);
                // 1 for a commit of two files.
                let others = (commit.files.len() as f32 - 1.0).max(1.0);
                known.close += commit.freshness / others.sqrt();
                known.tight += 1.0 / others;
            }
        }
        let mut found: Vec<Company> = found.into_values().collect();
        found.sort_unstable_by_key(|other| other.file);
        found
    }

    /// Adds to each file how often it was touched together with `seed`, of all times `seed` was: `strength` if always.
    pub fn score_together(&self, seed: FileIx, strength: f32, scores: &mut [f32]) {
        let commits = &self.by_file[seed as usize];
        let commits = &commits[..commits.len().min(MAX_COMMITS_PER_FILE)];
        // A file with hardly any past has hardly any company: the sum of one commit is no habit.
        let all: f32 =
            commits.iter().map(|&commit| self.commits[commit as usize].freshness).sum::<f32>() + 1.0;
        for &commit in commits {
            let commit = &self.commits[commit as usize];
            let each = strength * commit.freshness / all / (commit.files.len() as f32).ln_1p();
            for &file in commit.files.iter().filter(|&&file| file != seed) {
                scores[file as usize] += each;
            }
        }
    }
}

fn counted(terms: &mut Terms, text: &str) -> Vec<(Term, u8)> {
    let mut list = Vec::new();
    terms.each(text, |term| list.push(term));
    list.sort_unstable();
    list.chunk_by(|a, b| a == b).map(|run| (run[0], run.len().min(255) as u8)).collect()
}

fn merged(commits: &[u32], bags: &[Vec<(Term, u8)>]) -> Vec<(Term, u16)> {
    let mut list: Vec<Term> = Vec::new();
    for &commit in commits {
        // Said once or ten times in one message is one saying.
        list.extend(bags[commit as usize].iter().map(|&(term, _)| term));
    }
    list.sort_unstable();
    list.chunk_by(|a, b| a == b).map(|run| (run[0], run.len().min(usize::from(u16::MAX)) as u16)).collect()
}

/// A commit's message without the lines that programs wrote: who signed, who reviewed, where it was picked from.
pub fn without_trailers(message: &str) -> String {
    let mut kept = String::with_capacity(message.len());
    for line in message.lines() {
        if !is_trailer(line) {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

fn is_trailer(line: &str) -> bool {
    let Some((key, value)) = line.trim_start().split_once(':') else {
        return line.starts_with("(cherry picked from");
    };
    let lower = key.to_ascii_lowercase();
    let is_key = lower.ends_with("-by")
        || matches!(
            lower.as_str(),
            "change-id"
                | "piperorigin-revid"
                | "bug"
                | "closes"
                | "fixes"
                | "refs"
                | "ref"
                | "cc"
                | "approved"
        )
        || lower == "relnotes";
    is_key && value.starts_with(' ')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::terms_of_text;

    fn past() -> Past {
        let commit =
            |message, age_days, files: &[FileIx]| PastCommit { message, age_days, files: files.to_vec() };
        Past::of(
            &[
                commit("speed up the cache\n\nSigned-off-by: Ann Parser <a@x>", 0.0, &[0, 1]),
                commit("parser: fix error", 10.0, &[2]),
                commit("cache errors", 20.0, &[0, 1]),
                commit("docs", 30.0, &[1]),
            ],
            4,
        )
    }

    fn query(text: &str) -> Vec<(Term, f32)> {
        terms_of_text(text).into_iter().map(|term| (term, 1.0)).collect()
    }

    #[test]
    fn files_are_found_by_what_their_changes_were_called() {
        let past = past();
        let mut said = vec![0.0; 4];
        past.score_said(&query("parser"), Bm25::USUAL, &mut said);
        assert_eq!(said.iter().map(|&s| s > 0.0).collect::<Vec<_>>(), [false, false, true, false]);
        let mut resembling = vec![0.0; 4];
        past.score_resembling(&past.resemblance(&query("cache error")), 2.0, &mut resembling);
        assert!(
            resembling[0] > resembling[2] && resembling[2] > 0.0 && resembling[3] == 0.0,
            "{resembling:?}"
        );
    }

    #[test]
    fn files_that_change_together_find_each_other() {
        let past = past();
        let mut together = vec![0.0; 4];
        past.score_together(0, 1.0, &mut together);
        assert!(together[1] > 0.0 && together[0] == 0.0 && together[2] == 0.0);
        assert!(past.churn(1) > past.churn(0) && past.recency(0) == 1.0 && past.touched(3) == 0);
    }
}
