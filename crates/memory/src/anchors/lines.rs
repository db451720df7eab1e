//! Lines: which of the places of a file that hold an anchored text is the one that was meant.

use crate::port::CopyRow;

/// A place of a file that holds the lines of an anchor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The number of its first line.
    pub first: u32,
    /// The hash of the line before; empty at the top of the file.
    pub before: String,
    /// The hash of the line after; empty at its end.
    pub after: String,
}

/// What became of anchored lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Here,
    Moved((u32, u32)),
    /// The text stands somewhere, but at a place where it stood before, or at several.
    Unsure,
    Nowhere,
}

/// Which of these places was written down, and how many there were.
pub(super) fn copy(first: u32, places: &[Standing]) -> Option<CopyRow> {
    let at = places.iter().position(|place| place.first == first)?;
    let between = || (places[at].before.clone(), places[at].after.clone());
    Some(CopyRow {
        which: u32::try_from(at + 1).ok()?,
        of: u32::try_from(places.len()).ok()?,
        between: (places.len() > 1).then(between),
    })
}

/// What the places that hold the text now say about lines that were written down.
///
/// Text that stood once and stands once is the same text, wherever it is. Of text that stood at several places, a
/// remaining one proves nothing: it is taken for the one that was meant if there are as many as there were, so that it
/// has its number among them, or if it stands at its line; and in both cases only next to a line that it stood next to.
pub(super) fn judge((first, last): (u32, u32), copy: Option<&CopyRow>, places: &[Standing]) -> Verdict {
    let here = places.iter().find(|place| place.first == first);
    let told = |place: &Standing| match place.first == first {
        true => Verdict::Here,
        false => Verdict::Moved((place.first, place.first + (last - first))),
    };
    let Some((copy, (before, after))) = copy.and_then(|copy| Some((copy, copy.between.as_ref()?))) else {
        return match (here, places) {
            (_, []) => Verdict::Nowhere,
            (Some(_), _) => Verdict::Here,
            (None, [only]) => told(only),
            (None, _) => Verdict::Unsure,
        };
    };
    let alike = |place: &&Standing| place.before == *before || place.after == *after;
    let number = copy.which.checked_sub(1).filter(|_| places.len() == copy.of as usize);
    let same_number = number.and_then(|at| places.get(at as usize)).filter(alike);
    match same_number.or(here.filter(alike)) {
        Some(place) => told(place),
        None if places.is_empty() => Verdict::Nowhere,
        None => Verdict::Unsure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every place of a text that holds these lines.
    fn places(text: &str, wanted: &str) -> Vec<Standing> {
        let lines: Vec<&str> = text.split(' ').collect();
        let wanted: Vec<&str> = wanted.split(' ').collect();
        let line = |at: Option<usize>| at.and_then(|at| lines.get(at)).map(ToString::to_string);
        let found = lines.windows(wanted.len()).enumerate().filter(|(_, held)| *held == wanted);
        found
            .map(|(at, _)| Standing {
                first: u32::try_from(at + 1).unwrap(),
                before: line(at.checked_sub(1)).unwrap_or_default(),
                after: line(Some(at + wanted.len())).unwrap_or_default(),
            })
            .collect()
    }

    /// What became of `wanted`, which stood at line `first` of `then`.
    fn now(wanted: &str, first: u32, then: &str, now: &str) -> String {
        let copy = copy(first, &places(then, wanted)).unwrap();
        let last = first + u32::try_from(wanted.split(' ').count() - 1).unwrap();
        match judge((first, last), Some(&copy), &places(now, wanted)) {
            Verdict::Moved((first, last)) => format!("{first}-{last}"),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn a_copy_that_was_there_before_is_no_move() {
        let then = "f if none f1 g if none g1";
        for (text, first, second) in [
            (then, "Here", "Here"),
            ("f if raise f1 g if none g1", "Unsure", "Here"),
            ("f if none f1 g if raise g1", "Here", "Unsure"),
            ("new f if none f1 g if none g1", "3-4", "7-8"),
            // As far down as the two are apart: the place of the second holds the first.
            ("1 2 3 4 f if none f1 g if none g1", "6-7", "10-11"),
            // The first was changed and a third was written: again two, but others.
            ("f if raise f1 g if none g1 h if none h1", "Unsure", "Here"),
            // What was between is gone, and the second slid to the place of the first.
            ("g if none g1", "Unsure", "Unsure"),
            ("f raise f1 g raise g1", "Nowhere", "Nowhere"),
        ] {
            assert_eq!(now("if none", 2, then, text), first, "the first: {text}");
            assert_eq!(now("if none", 6, then, text), second, "the second: {text}");
        }
    }

    #[test]
    fn text_that_stood_once_is_found_where_it_stands_once() {
        let then = "a b c";
        for (text, said) in [
            ("a b c", "Here"),
            ("x a b c", "3-3"),
            ("x b a b", "Unsure"),
            ("x b b", "Here"),
            ("a", "Nowhere"),
        ] {
            assert_eq!(now("b", 2, then, text), said, "{text}");
        }
    }

    #[test]
    fn lines_that_were_written_down_before_copies_were_counted_are_judged_by_what_stands_now() {
        let judged = |text: &str| judge((2, 2), None, &places(text, "b"));
        assert_eq!(judged("a b b"), Verdict::Here);
        assert_eq!(judged("a c b"), Verdict::Moved((3, 3)));
        assert_eq!(judged("b c b"), Verdict::Unsure);
        assert_eq!(judged("a c"), Verdict::Nowhere);
    }
}
