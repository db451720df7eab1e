//! Lines: which lines of a file a step showed.

use serde::{Deserialize, Serialize};

use crate::event::{Detail, Draft};
use crate::state::path_of;

/// Lines of one file that an answer showed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    pub path: String,
    /// As `1-20,33`.
    pub lines: String,
    /// Lines of the whole file; 0 where the answer does not say.
    #[serde(default, skip_serializing_if = "crate::event::is_zero")]
    pub total: u64,
}

impl Part {
    /// Lines in any order, some of them twice.
    pub fn of(path: &str, mut lines: Vec<(u64, u64)>, total: u64) -> Self {
        lines.sort_unstable();
        let mut joined: Vec<(u64, u64)> = Vec::new();
        for (first, last) in lines {
            match joined.last_mut() {
                Some(before) if first <= before.1 + 1 => before.1 = before.1.max(last),
                _ => joined.push((first, last)),
            }
        }
        let said = |(first, last): &(u64, u64)| {
            if first == last { first.to_string() } else { format!("{first}-{last}") }
        };
        let lines = joined.iter().map(said).collect::<Vec<_>>().join(",");
        Self { path: path.to_owned(), lines, total }
    }
}

/// `1-20,33` as numbers. What is no number is no line.
pub(crate) fn ranges(text: &str) -> Vec<(u64, u64)> {
    let one = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let first = first.trim().parse().ok()?;
        Some((first, last.trim().parse().unwrap_or(first)))
    };
    text.trim_start_matches(':').split(',').filter_map(one).collect()
}

/// The lines of a file that a step showed; nothing where it showed the whole file, or nobody took down which.
pub(crate) fn shown_of(draft: &Draft, path: &str) -> Option<Vec<(u64, u64)>> {
    if let Some(Detail::Showed { parts, .. }) = draft.detail.as_deref() {
        let own = parts.iter().find(|part| part.path == path);
        return Some(own.map(|part| ranges(&part.lines)).unwrap_or_default());
    }
    let file = path_of(&draft.target);
    let lines = ranges(&draft.target[file.len()..]);
    (file == path && !lines.is_empty()).then_some(lines)
}

/// Lines that make a look: fewer show a place and not what is around it.
const LOOK: u64 = 20;

/// Whether a step showed enough of a file to have looked at it: many lines, or all that there are.
pub(crate) fn is_look(draft: &Draft, path: &str) -> bool {
    let Some(shown) = shown_of(draft, path) else { return true };
    let count: u64 = shown.iter().map(|(first, last)| (last + 1).saturating_sub(*first)).sum();
    let total = match draft.detail.as_deref() {
        Some(Detail::Showed { parts, .. }) => {
            parts.iter().find(|part| part.path == path).map(|part| part.total)
        }
        _ => None,
    };
    count >= LOOK || total.is_some_and(|total| total > 0 && count >= total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_touch_are_one_part() {
        assert_eq!(Part::of("a", vec![(7, 9), (1, 2), (3, 3), (8, 12)], 20).lines, "1-3,7-12");
        assert_eq!(ranges("1-3,7,x"), [(1, 3), (7, 7)]);
        assert_eq!(ranges(":5-"), [(5, 5)]);
    }
}
