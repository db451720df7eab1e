//! Pages: limits, cursors, and where the next page starts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::budget::{Fit, Item, fit};
use crate::error::MemoryError;

/// Where a page lies in its list, and how to get the next one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pagination {
    /// Where this page starts: the cursor that was given, or the one that names the first page.
    pub cursor: i64,
    /// Pass this as `cursor` to get the next page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<i64>,
    /// Whether there is a next page.
    pub has_more: bool,
    /// The limit that was used.
    pub limit: usize,
    /// How many items this page holds.
    pub count: usize,
}

impl Pagination {
    /// The widest that a pagination of this page can be written, for measuring.
    pub(crate) fn widest(cursor: i64, limit: usize) -> Self {
        Self { cursor, next_cursor: Some(i64::MAX), has_more: false, limit, count: limit }
    }

    /// The page of `items` that fits into `room` bytes, and whether something was left out. `numbers` are the cursors of
    /// all items; `more` says whether others lie behind them.
    pub(crate) fn fitted<T: Item>(
        &self,
        items: &mut Vec<T>,
        numbers: &[i64],
        more: bool,
        room: usize,
    ) -> (Self, bool) {
        let truncated = fit(items, room) == Fit::Trimmed;
        let count = items.len();
        let last = numbers.get(count.wrapping_sub(1)).copied();
        let next = last.filter(|_| more || count < numbers.len());
        (Self::new(self.cursor, self.limit, count, next), truncated)
    }

    /// `next` is the cursor of the last item shown, if something lies behind it.
    pub(crate) fn new(cursor: i64, limit: usize, count: usize, next: Option<i64>) -> Self {
        Self { cursor, next_cursor: next, has_more: next.is_some(), limit, count }
    }
}

/// How many rows a page may have: `default` if none is given, at most `cap`.
pub(crate) fn limit(
    field: &'static str,
    given: Option<i64>,
    default: usize,
    cap: usize,
) -> Result<usize, MemoryError> {
    match given {
        None => Ok(default),
        Some(given) if given < 1 => Err(MemoryError::invalid(field, "is below 1")),
        Some(given) => Ok(usize::try_from(given).unwrap_or(cap).min(cap)),
    }
}

/// A cursor, or the one that the first page starts at.
pub(crate) fn cursor(given: Option<i64>, first: i64) -> Result<i64, MemoryError> {
    match given {
        Some(given) if given < 0 => Err(MemoryError::invalid("cursor", "is below 0")),
        Some(given) => Ok(given),
        None => Ok(first),
    }
}

/// Cuts what was asked for beyond `limit`; says whether there was any.
pub(crate) fn cut<T>(found: &mut Vec<T>, limit: usize) -> bool {
    let more = found.len() > limit;
    found.truncate(limit);
    more
}
