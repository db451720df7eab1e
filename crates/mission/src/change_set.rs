//! Change set: what a review looked at, and whether it is still that.

use serde::{Deserialize, Serialize};

use crate::claim::Verdict;
use crate::event::Shown;
use crate::situation::Situation;
use crate::state::State;

/// A change set as it was when it was looked at as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeSet {
    /// The commit or branch that the files were compared with, as it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// Or the range of commits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<String>,
    /// Over every path of it and what it held. Empty where it cannot be made again: a diff that was given as text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub print: String,
    /// Files of it that are there, as they were then, as far as there is room.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<Shown>,
}

/// The newest review of a mission, for the one after it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    pub files: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to_read: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<ChangeSet>,
    /// Whether nothing was concluded since the change set moved on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_unjudged: bool,
}

/// The same change set as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetNow {
    pub print: String,
    /// Every path of it that is there.
    pub paths: Vec<String>,
}

impl State {
    /// A change set was looked at as a whole. What of it is new since the last time is to be read; what was seen before of
    /// files that changed since does not count.
    pub(crate) fn take_review(
        &mut self,
        changed_files: u64,
        files: &[String],
        set: Option<&ChangeSet>,
        place: u64,
    ) {
        let before = self.reviewed.filter(|before| *before > 0).and(self.change_set.as_ref());
        let is_new = |path: &String| match (before, set) {
            (Some(before), Some(now)) if now.is_same(before) => false,
            (Some(before), Some(now)) => {
                now.hash_of(path).is_none_or(|hash| before.hash_of(path) != Some(hash))
            }
            _ => true,
        };
        let news: Vec<String> = files.iter().filter(|path| is_new(path)).cloned().collect();
        match before {
            // Nothing is new: what was owed is owed.
            Some(_) if news.is_empty() => {}
            Some(before) => {
                let was_read = before.held.iter().any(|held| self.saw(&held.path, &held.content_hash));
                self.to_read = if was_read || self.diff_read { news } else { files.to_vec() };
                self.diff_read = false;
                self.moved_at = place;
            }
            None => self.to_read = files.to_vec(),
        }
        self.reviewed = Some(changed_files);
        self.change_set = set.cloned();
    }

    /// What a mission that goes on from this one knows of the change set.
    pub(crate) fn review(&self) -> Option<Review> {
        Some(Review {
            files: self.reviewed?,
            to_read: self.to_read.clone(),
            set: self.change_set.clone(),
            is_unjudged: !self.is_judged_since_moved(),
        })
    }

    /// Whether something was concluded since the change set moved on.
    pub(crate) fn is_judged_since_moved(&self) -> bool {
        // What was taken back says nothing of it.
        let is_withdrawn = |id: &str| {
            let mut withdrawn = self.claims.iter().filter(|claim| claim.verdict == Verdict::Withdrawn);
            withdrawn.any(|claim| claim.claim_id.as_str() == id)
        };
        self.moved_at == 0
            || self.judged.iter().any(|(id, place)| *place > self.moved_at && !is_withdrawn(id))
    }

    /// How the change set is not the one that was looked at.
    pub(crate) fn moved_on(&self, situation: &Situation<'_>) -> Option<String> {
        let set = self.change_set.as_ref().filter(|set| !set.print.is_empty())?;
        let now = match (situation.change_set)(set) {
            Some(now) if now.print == set.print => return None,
            now => now,
        };
        let Some(now) = now else { return Some("it cannot be made out any more".to_owned()) };
        let changed = set.held.iter().filter(|held| !situation.is_current(&held.path, &held.content_hash));
        let changed: Vec<&str> = changed.map(|held| held.path.as_str()).collect();
        let is_known = |path: &&str| set.held.iter().any(|held| held.path == **path);
        let more: Vec<&str> = match set.held.len() {
            MOST_HELD.. => Vec::new(),
            _ => now.paths.iter().map(String::as_str).filter(|path| !is_known(path)).collect(),
        };
        let all: Vec<&str> = changed.into_iter().chain(more).collect();
        Some(match all.as_slice() {
            [] => "other files belong to it now".to_owned(),
            some if some.len() <= NAMED => some.join(", "),
            some => format!("{} and {} more", some[..NAMED].join(", "), some.len() - NAMED),
        })
    }
}

/// Files of a change set whose hashes are kept.
pub const MOST_HELD: usize = 64;
/// Files that are named to whoever must look again.
const NAMED: usize = 5;

impl ChangeSet {
    fn is_same(&self, other: &Self) -> bool {
        !self.print.is_empty() && self.print == other.print
    }

    fn hash_of(&self, path: &str) -> Option<&str> {
        self.held.iter().find(|held| held.path == path).map(|held| held.content_hash.as_str())
    }
}
