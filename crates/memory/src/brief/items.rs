//! Notes and cards as a brief shows them: short, and saying so when they were shortened.

use m1nd_stdx::clock::UnixMs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{BranchName, Seq};
use crate::port::{EntryRow, VersionRow};
use crate::text::{self, timestamp};

/// The longest text of a pinned note in a brief, in bytes, and of a hand-off unless the budget is large.
pub(super) const LONG: usize = 1_500;
/// The longest text of a card or plain note in a brief, in bytes.
pub(super) const SHORT: usize = 240;
/// The shortest text of a note that has no title, in bytes.
const WITHOUT_TITLE: usize = 32;
/// Bytes that it takes to say that a text was shortened. One that would lose less than this stays whole.
const MARKS: usize = r#","truncated":true,"text_length":240"#.len();

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BriefNote {
    /// The number of a note, or the id of a card.
    pub id: String,
    pub branch: BranchName,
    /// When it was written; of what a merge brought, when its original was.
    pub ts: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub text: String,
    /// The full length of a shortened title, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title_length: Option<usize>,
    /// Whether the text was shortened.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// The full length of a shortened text, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_length: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BriefCard {
    pub id: String,
    pub branch: BranchName,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    pub last_seq: Seq,
    /// The full length of a shortened title, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title_length: Option<usize>,
    /// Whether the text was shortened.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// The full length of a shortened text, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_length: Option<usize>,
}

impl BriefCard {
    pub(super) fn shorten(&mut self, max: usize) {
        let most = max.saturating_add(if self.truncated { 0 } else { MARKS });
        if let Some(body) = &mut self.text
            && body.len() > most
        {
            self.truncated = true;
            self.text_length.get_or_insert(body.len());
            *body = text::cut(body, max).to_owned();
        }
    }
}

/// A note that was written at `ts`, with at most `max` bytes of its text.
pub(super) fn note(row: &EntryRow, ts: UnixMs, max: usize) -> BriefNote {
    let (title, text) = (row.title.clone(), row.content.clone());
    BriefNote::new(row.seq.to_string(), &row.branch, ts, title, text, max)
}

pub(super) fn pinned_card(id: &str, row: &VersionRow, ts: UnixMs) -> BriefNote {
    let body = row.body.text.clone().unwrap_or_default();
    BriefNote::new(id.to_owned(), &row.branch, ts, row.body.title.clone(), body, LONG)
}

impl BriefNote {
    fn new(
        id: String,
        branch: &BranchName,
        ts: UnixMs,
        title: Option<String>,
        text: String,
        max: usize,
    ) -> Self {
        let (branch, ts) = (branch.clone(), timestamp(ts));
        let mut out =
            Self { id, branch, ts, title, text, title_length: None, truncated: false, text_length: None };
        out.shorten(max);
        out
    }

    /// Cuts the text to `max` bytes. With none it is its title, if it has one.
    pub(super) fn shorten_to_title(&mut self, max: usize) {
        let has_title = self.title.as_ref().is_some_and(|title| !title.is_empty());
        self.shorten(if has_title { max } else { max.max(WITHOUT_TITLE) });
    }

    pub(super) fn shorten(&mut self, max: usize) {
        let full = self.text.len();
        if full > max.saturating_add(if self.truncated { 0 } else { MARKS }) {
            self.text = text::cut(&self.text, max).to_owned();
            self.truncated = true;
            self.text_length.get_or_insert(full);
        }
    }
}

pub(super) fn card(id: &str, row: &VersionRow) -> BriefCard {
    let mut out = BriefCard {
        id: id.to_owned(),
        branch: row.branch.clone(),
        title: row.body.title.clone().unwrap_or_default(),
        text: row.body.text.clone(),
        status: row.body.status.clone(),
        last_seq: row.seq,
        title_length: None,
        truncated: false,
        text_length: None,
    };
    out.shorten(SHORT);
    out
}
