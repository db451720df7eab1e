//! Reviewers: who knows the changed files, by the commits before the change.

use std::collections::BTreeSet;

use m1nd_contract::Fault;
use m1nd_ingest::history::OwnCommit;
use m1nd_memory::text::timestamp;
use m1nd_risk::owners::{Touch, owners};
use m1nd_stdx::clock::UnixMs;
use m1nd_stdx::round::round3;
use schemars::JsonSchema;
use serde::Serialize;

use super::Edited;
use crate::ctx::Ctx;
use crate::flows::ledger::OwnCommits;

/// Somebody who knows the changed files.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct Reviewer {
    pub name: String,
    /// 0 to 1: of what is known of the files, newer commits counting more.
    pub share: f64,
    pub commits: u32,
    /// How many of the changed files.
    pub files: usize,
    pub last: String,
    /// Set where the change is theirs.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_author: bool,
}

/// Names that are shown.
const MAX_REVIEWERS: usize = 5;

/// Who made the change comes last. Commits since it began do not count.
pub fn of(
    ctx: &Ctx<'_>,
    edited: &[Edited],
    own: &[OwnCommit],
    since: &OwnCommits,
) -> Result<Vec<Reviewer>, Fault> {
    let past = ctx.past()?;
    let files: Vec<&str> = edited
        .iter()
        .flat_map(|one| [Some(one.file.path.as_str()), one.file.was.as_deref()])
        .flatten()
        .collect();
    let before = past.log.entries.iter().filter(|entry| !since.has(entry));
    let touches =
        before.map(|entry| Touch { time_ms: entry.time.0, author: &entry.author, files: &entry.files });
    let authors: BTreeSet<&str> = own.iter().map(|commit| commit.author.as_str()).collect();
    let mut found: Vec<Reviewer> = owners(touches, &files)
        .into_iter()
        // A program reviews nothing.
        .filter(|owner| !owner.name.ends_with("[bot]"))
        .map(|owner| Reviewer {
            is_author: authors.contains(owner.name.as_str()),
            share: round3(owner.share),
            commits: owner.commits,
            files: owner.files,
            last: timestamp(UnixMs(owner.last_ms)).chars().take(10).collect(),
            name: owner.name,
        })
        .collect();
    found.sort_by_key(|one| one.is_author);
    found.truncate(MAX_REVIEWERS);
    Ok(found)
}
