//! Lines: which of the places of a file that hold an anchored text is the one that was meant.

use crate::port::CopyRow;

/// A place of a file that holds the lines of an anchor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The number of its first line.
    pub first: u32,
    /// Hashes of the lines before it, the nearest first, as far as [`AROUND`].
    pub before: Vec<String>,
    /// The same of the lines after it.
    pub after: Vec<String>,
}

/// So many lines on each side tell copies of a text apart.
pub const AROUND: usize = 8;

/// What became of anchored lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Here,
    Moved((u32, u32)),
    /// The text stands somewhere, but at a place where it stood before, or at several.
    Unsure,
    Nowhere,
}

/// Which of these places was written down, and what tells it from the others.
pub(super) fn copy(first: u32, places: &[Standing]) -> Option<CopyRow> {
    let at = places.iter().position(|place| place.first == first)?;
    let meant = &places[at];
    let others = || places.iter().filter(|place| place.first != first);
    let most = |side: fn(&Standing) -> &[String]| {
        others().map(|other| common(side(other), side(meant))).max().unwrap_or_default()
    };
    Some(CopyRow {
        which: u32::try_from(at + 1).ok()?,
        of: u32::try_from(places.len()).ok()?,
        before: meant.before.clone(),
        after: meant.after.clone(),
        shared: (most(|place| &place.before), most(|place| &place.after)),
    })
}

/// How many lines two places have in common, counted from the text between them.
fn common(one: &[String], other: &[String]) -> u32 {
    (0..)
        .zip(one.iter().zip(other))
        .find(|(_, (one, other))| one != other)
        .map_or_else(|| u32::try_from(one.len().min(other.len())).unwrap_or(u32::MAX), |(count, _)| count)
}

/// What the places that hold the text now say about lines that were written down.
///
/// Text that stood once and stands once is the same text, wherever it is. Of several places the one is meant that stands
/// next to more of the lines it stood next to than any other copy did. Where no place does, the text is only believed to
/// be the one that was meant if it stands at its line and nothing says that it is another.
pub(super) fn judge((first, last): (u32, u32), copy: Option<&CopyRow>, places: &[Standing]) -> Verdict {
    let here = places.iter().find(|place| place.first == first);
    let told = |place: &Standing| match place.first == first {
        true => Verdict::Here,
        false => Verdict::Moved((place.first, place.first + (last - first))),
    };
    if places.is_empty() {
        return Verdict::Nowhere;
    }
    let Some(copy) = copy else {
        return match (here, places) {
            (Some(_), _) => Verdict::Here,
            (None, [only]) => told(only),
            (None, _) => Verdict::Unsure,
        };
    };
    if let ([only], 1) = (places, copy.of) {
        return told(only);
    }
    let kept = |place: &Standing| {
        let (before, after) = (common(&place.before, &copy.before), common(&place.after, &copy.after));
        (before > copy.shared.0 || after > copy.shared.1).then_some(before + after)
    };
    let most = places.iter().filter_map(kept).max();
    let mut best = places.iter().filter(|place| most.is_some() && kept(place) == most);
    match (best.next(), best.next()) {
        (Some(only), None) => told(only),
        (Some(_), Some(_)) => here.filter(|here| kept(here) == most).map_or(Verdict::Unsure, told),
        // Lines around it changed: as many copies as there were, and this one where it was.
        (None, _) => {
            let is_same_copy = |place: &&Standing| {
                let number = places.iter().position(|other| other.first == place.first);
                copy.of == 1
                    || places.len() == copy.of as usize
                        && number.is_some_and(|number| number + 1 == copy.which as usize)
                        && (copy.before.first() == place.before.first()
                            || copy.after.first() == place.after.first())
            };
            here.filter(is_same_copy).map_or(Verdict::Unsure, told)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every place of a text that holds these lines.
    fn places(text: &str, wanted: &str) -> Vec<Standing> {
        let lines: Vec<&str> = text.split(' ').collect();
        let wanted: Vec<&str> = wanted.split(' ').collect();
        let texts = |lines: &[&str]| lines.iter().map(ToString::to_string).collect::<Vec<_>>();
        let found = lines.windows(wanted.len()).enumerate().filter(|(_, held)| *held == wanted);
        found
            .map(|(at, _)| Standing {
                first: u32::try_from(at + 1).unwrap(),
                before: texts(&lines[..at]).into_iter().rev().take(AROUND).collect(),
                after: texts(&lines[at + wanted.len()..]).into_iter().take(AROUND).collect(),
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
            // The first is gone, and the second slid to its place.
            ("g if none g1", "Unsure", "2-3"),
            // They changed places.
            ("g if none g1 f if none f1", "6-7", "2-3"),
            ("f raise f1 g raise g1", "Nowhere", "Nowhere"),
        ] {
            assert_eq!(now("if none", 2, then, text), first, "the first: {text}");
            assert_eq!(now("if none", 6, then, text), second, "the second: {text}");
        }
    }

    #[test]
    fn brackets_and_blank_lines_around_copies_do_not_make_one_the_other() {
        let then = "a{ X } b{ X }";
        for (text, first, second) in [
            ("a{ Y } b{ X } c{ X }", "Unsure", "Here"),
            ("b{ X }", "Unsure", "2-2"),
            ("c{ X } a{ X } b{ X }", "5-5", "8-8"),
            ("b{ X } a{ X }", "5-5", "2-2"),
        ] {
            assert_eq!(now("X", 2, then, text), first, "the first: {text}");
            assert_eq!(now("X", 5, then, text), second, "the second: {text}");
        }
        let alone = "a if y 1";
        assert_eq!(now("if y", 2, alone, "# z if y 0 a if y 1"), "7-8");
    }

    #[test]
    fn text_that_stood_once_is_found_where_it_stands_once() {
        let then = "a b c";
        for (text, said) in [
            ("a b c", "Here"),
            ("x a b c", "3-3"),
            ("x b a b", "4-4"),
            ("x b y z b", "Here"),
            ("b x y b", "Unsure"),
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
