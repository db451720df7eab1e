//! The first matches by path, gathered from files that finish in any order.

use std::collections::BTreeMap;

use super::Match;
use crate::path::RelPath;

/// Holds just enough whole files to cover the first `limit` matches.
#[derive(Debug, Default)]
pub(super) struct Kept {
    limit: usize,
    count: usize,
    by_path: BTreeMap<RelPath, Vec<Match>>,
}

impl Kept {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    /// How many matches of this file could still be among the first.
    pub(super) fn room_for(&self, path: &RelPath) -> usize {
        let full = self.count >= self.limit;
        let behind = self.by_path.last_key_value().is_some_and(|(last, _)| path > last);
        if full && behind { 0 } else { self.limit }
    }

    pub(super) fn add(&mut self, path: RelPath, matches: Vec<Match>) {
        if matches.is_empty() {
            return;
        }
        self.count += matches.len();
        self.by_path.insert(path, matches);
        while let Some(last) = self.by_path.last_entry() {
            let without = self.count - last.get().len();
            if without < self.limit {
                break;
            }
            self.count = without;
            last.remove();
        }
    }

    pub(super) fn into_matches(self) -> Vec<Match> {
        let mut matches: Vec<Match> = self.by_path.into_values().flatten().collect();
        matches.truncate(self.limit);
        matches
    }
}
