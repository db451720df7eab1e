//! Budget: how many bytes an answer may have, and how an answer gives way.

use serde::Serialize;

/// Bytes of the whole result, as compact JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Budget(pub usize);

/// An output that can be made smaller by dropping its least valuable end.
pub trait Trim {
    /// Drops about `excess` bytes, least valuable first, and keeps the object valid (cursors and
    /// counts included). Returns false when there is nothing left to drop.
    fn trim(&mut self, excess: usize) -> bool;
}

/// For outputs of a fixed small size, which have nothing to drop.
#[macro_export]
macro_rules! fixed_size {
    ($output:ty) => {
        impl $crate::Trim for $output {
            fn trim(&mut self, _: usize) -> bool {
                false
            }
        }
    };
}

/// Bytes of `value` as compact JSON.
pub fn json_len<T: Serialize + ?Sized>(value: &T) -> usize {
    struct Counter(usize);
    impl std::io::Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut counter = Counter(0);
    match serde_json::to_writer(&mut counter, value) {
        Ok(()) => counter.0,
        // What cannot be written takes no room.
        Err(_) => 0,
    }
}

/// Pops items off the end until about `excess` bytes are gone. Returns the bytes dropped.
pub fn drop_tail<T: Serialize>(items: &mut Vec<T>, excess: usize) -> usize {
    let mut dropped = 0;
    while dropped < excess {
        let Some(item) = items.pop() else { break };
        dropped += json_len(&item) + 1;
    }
    dropped
}

/// As [`drop_tail`], but the first `kept` stay: a page that shows nothing leads nowhere.
pub fn drop_after<T: Serialize>(items: &mut Vec<T>, kept: usize, excess: usize) -> usize {
    let mut rest = items.split_off(kept.min(items.len()));
    let dropped = drop_tail(&mut rest, excess);
    items.append(&mut rest);
    dropped
}

/// Cuts `text` to at most `keep` bytes at a character boundary. Returns the bytes dropped.
pub fn cut_text(text: &mut String, keep: usize) -> usize {
    let before = text.len();
    if before > keep {
        text.truncate(text.floor_char_boundary(keep));
    }
    before - text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_counts_escapes() {
        assert_eq!(json_len("a\"b"), r#""a\"b""#.len());
    }

    #[test]
    fn dropping_the_tail_stops_when_enough_is_gone() {
        let mut items = vec!["aaaa"; 10];
        assert_eq!(drop_tail(&mut items, 8), 14);
        assert_eq!(items.len(), 8);
        assert_eq!(drop_tail(&mut items, 1_000), 56);
        assert!(items.is_empty());
    }

    #[test]
    fn what_is_kept_stays_whatever_is_asked() {
        let mut items = vec!["aaaa"; 10];
        assert_eq!(drop_after(&mut items, 9, 1_000), 7);
        assert_eq!(drop_after(&mut items, 1, 8), 14);
        assert_eq!(items.len(), 7);
        assert_eq!(drop_after(&mut items, 20, 8), 0);
    }

    #[test]
    fn text_is_cut_between_characters() {
        let mut text = String::from("aé");
        assert_eq!(cut_text(&mut text, 2), 2);
        assert_eq!(text, "a");
    }
}
