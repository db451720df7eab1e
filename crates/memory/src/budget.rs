//! Budgets: how many bytes an answer may have, and what gives way first.

use serde::Serialize;

use crate::anchors::Anchor;
use crate::error::MemoryError;

/// The budget of a call that names none, in bytes.
pub const DEFAULT_BUDGET: usize = 20_000;
/// The largest budget that is honoured, in bytes.
pub const MAX_BUDGET: usize = 1_000_000;

/// The bytes an answer may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Budget(pub usize);

impl Budget {
    pub(crate) fn of(max_chars: Option<i64>) -> Result<Self, MemoryError> {
        match max_chars {
            None => Ok(Self(DEFAULT_BUDGET)),
            Some(given) if given < 1 => Err(MemoryError::invalid("max_chars", "is below 1")),
            Some(given) => Ok(Self(usize::try_from(given).unwrap_or(MAX_BUDGET).min(MAX_BUDGET))),
        }
    }
}

/// Something in a list that can be made smaller without being dropped.
pub(crate) trait Item: Serialize + Clone {
    /// Shortens its text until it has at most `bytes` bytes, as far as that goes; says so in the item.
    fn shorten(&mut self, bytes: usize);
}

/// What became of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    Whole,
    /// Something was left out of an item or of the list.
    Trimmed,
}

/// Keeps the longest head of `items` that fits into `room` bytes, and at least one item.
///
/// The order of the list is the order of worth, so that what is dropped lies behind the page's cursor. A single
/// item that is too large loses text. A `room` that not even an item without text fits into is overdrawn: a page
/// that shows nothing could never be turned.
pub(crate) fn fit<T: Item>(items: &mut Vec<T>, room: usize) -> Fit {
    let mut used = 0;
    let fitting = items.iter().take_while(|item| {
        used += json_size(item) + 1;
        used <= room + 1
    });
    let kept = fitting.count();
    if kept == items.len() {
        return Fit::Whole;
    }
    let mut trimmed = items.len() > 1;
    items.truncate(kept.max(1));
    if kept == 0
        && let Some(only) = items.first_mut()
    {
        let whole = only.clone();
        only.shorten(room);
        // What says that something was left out must not take more room than it.
        if json_size(only) < json_size(&whole) {
            trimmed = true;
        } else {
            *only = whole;
        }
    }
    if trimmed { Fit::Trimmed } else { Fit::Whole }
}

/// So much of a text is worth more than what it is anchored to.
pub(crate) const BEGINNING: usize = 120;

/// Takes anchors away, the last first, until an item has at most `bytes` bytes; `of` gives them and where to say so.
pub(crate) fn drop_anchors<T: Serialize>(
    item: &mut T,
    bytes: usize,
    of: impl Fn(&mut T) -> (&mut Vec<Anchor>, &mut Vec<String>),
) {
    while json_size(item) > bytes {
        let (anchors, left_out) = of(item);
        if anchors.pop().is_none() {
            return;
        }
        if !left_out.iter().any(|one| one == "anchors") {
            left_out.push("anchors".to_owned());
        }
    }
}

/// The bytes of a value as compact JSON.
pub(crate) fn json_size<T: Serialize + ?Sized>(value: &T) -> usize {
    let mut count = Count(0);
    match serde_json::to_writer(&mut count, value) {
        Ok(()) => count.0,
        // Only a map with keys that are not strings fails, and no answer holds one.
        Err(_) => usize::MAX / 4,
    }
}

/// Cuts `text` so that its JSON form loses at least `excess` bytes. Returns its full length if it was cut.
pub(crate) fn shorten_text(text: &mut String, excess: usize) -> Option<usize> {
    let full = text.len();
    if excess == 0 || full == 0 {
        return None;
    }
    let mut saved = 0;
    let mut end = full;
    for (at, c) in text.char_indices().rev() {
        if saved >= excess {
            break;
        }
        saved += escaped_len(c);
        end = at;
    }
    text.truncate(end);
    Some(full)
}

fn escaped_len(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        c if u32::from(c) < 0x20 => 6,
        c => c.len_utf8(),
    }
}

struct Count(usize);

impl std::io::Write for Count {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Serialize)]
    struct Line {
        text: String,
    }

    impl Item for Line {
        fn shorten(&mut self, bytes: usize) {
            let excess = json_size(self).saturating_sub(bytes);
            shorten_text(&mut self.text, excess);
        }
    }

    #[test]
    fn the_end_of_the_list_goes_first_and_one_item_always_stays() {
        let long = "x".repeat(100);
        let mut items: Vec<Line> = (0..3).map(|_| Line { text: long.clone() }).collect();
        assert_eq!(fit(&mut items, 300), Fit::Trimmed);
        assert_eq!(items.len(), 2);
        assert_eq!(fit(&mut items, 60), Fit::Trimmed);
        assert_eq!(items.len(), 1);
        assert!(json_size(&items[0]) <= 60);
        assert_eq!(fit(&mut items, 1), Fit::Trimmed);
        assert_eq!(items.len(), 1);
    }

    #[derive(Clone, Serialize)]
    struct Marked {
        text: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        text_length: Option<usize>,
    }

    impl Item for Marked {
        fn shorten(&mut self, _: usize) {
            self.text_length = Some(self.text.len());
            self.text.clear();
        }
    }

    #[test]
    fn a_mark_that_takes_more_room_than_what_it_stands_for_is_not_set() {
        let marked = |text: &str| vec![Marked { text: text.to_owned(), text_length: None }];
        let mut short = marked("done");
        assert_eq!(fit(&mut short, 1), Fit::Whole);
        assert_eq!(short[0].text, "done");
        let mut long = marked(&"x".repeat(100));
        assert_eq!(fit(&mut long, 1), Fit::Trimmed);
        assert_eq!(long[0].text_length, Some(100));
    }

    #[test]
    fn shortened_text_is_measured_in_escaped_bytes() {
        let mut text = "line\n\"quoted\" ä\u{1}".to_owned();
        let before = json_size(&text);
        assert_eq!(shorten_text(&mut text, 9), Some(17));
        assert!(json_size(&text) <= before - 9);
    }
}
