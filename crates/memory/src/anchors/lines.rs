//! Lines: which of the places of a file that hold an anchored text is the one that was meant.

use super::around::{AROUND, Standing};
use crate::port::CopyRow;

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
        inside: Some(meant.inside.clone()),
        within: others()
            .filter(|other| other.inside == meant.inside)
            .map(|other| common(&other.before, &meant.before))
            .max(),
    })
}

/// How many lines two places have in common, counted from the text between them. The end of the file counts as one.
fn common(one: &[String], other: &[String]) -> u32 {
    let equal = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let both_end = equal == one.len() && equal == other.len() && equal < AROUND;
    u32::try_from(equal + usize::from(both_end)).unwrap_or(u32::MAX)
}

/// What the places that hold the text now say about lines that were written down.
///
/// Text stands where it stood if what is around it says so: what encloses it, or the lines directly before it. Of a text
/// that had copies, these count only as far as they told it from the copies: when it is removed, a copy slides between
/// the lines that followed it and others, and looks like it from below.
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
    let kept: Vec<Kept> = places.iter().map(|place| Kept::of(copy, place)).collect();
    let is_same = |kept: &Kept| match copy.of {
        ..2 => kept.is_text_that_stood_once(places.len()),
        _ => kept.is_copy(copy, places.len()),
    };
    let Some(most) = kept.iter().filter(|kept| is_same(kept)).max() else { return Verdict::Unsure };
    let mut best = places.iter().zip(&kept).filter(|(_, kept)| *kept == most).map(|(place, _)| place);
    match (best.next(), best.next()) {
        (Some(only), None) => told(only),
        // Nothing tells these apart, so it is the one that did not move.
        _ => here.filter(|here| Kept::of(copy, here) == *most).map_or(Verdict::Unsure, told),
    }
}

/// What a place still has of what was around the text, the most telling first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Kept {
    inside: Inside,
    before: u32,
    after: u32,
}

/// What encloses a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Inside {
    Another,
    /// It was not written down.
    Untold,
    /// Nothing does, as it was.
    Nothing,
    Same,
}

impl Kept {
    fn of(copy: &CopyRow, place: &Standing) -> Self {
        let inside = match &copy.inside {
            None => Inside::Untold,
            Some(inside) if *inside != place.inside => Inside::Another,
            Some(inside) if inside.is_empty() => Inside::Nothing,
            Some(_) => Inside::Same,
        };
        let (before, after) = (common(&place.before, &copy.before), common(&place.after, &copy.after));
        Self { inside, before, after }
    }

    /// Whether this is the text that had no copy, now that it stands at so many places.
    fn is_text_that_stood_once(&self, places: usize) -> bool {
        match self.inside {
            Inside::Same => true,
            Inside::Another => self.before > 0,
            // Where nothing encloses it, whole parts of a file are moved.
            Inside::Untold | Inside::Nothing => places == 1 || self.before > 0,
        }
    }

    /// Whether this is the one of several copies that was meant, now that there are so many.
    fn is_copy(&self, copy: &CopyRow, places: usize) -> bool {
        let told_by_heading =
            self.inside == Inside::Same && copy.within.is_none_or(|shared| self.before > shared);
        if told_by_heading || self.before > copy.shared.0 {
            return true;
        }
        // No line before it told it from the others, and none is missing.
        let is_all = |kept: u32, lines: &[String]| kept == common(lines, lines);
        let none_is_gone = places >= copy.of as usize;
        self.inside != Inside::Another
            && none_is_gone
            && is_all(self.before, &copy.before)
            && (self.after > copy.shared.1 || is_all(self.after, &copy.after))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::around::standings;
    use super::*;

    fn standing(lines: &[&str], wanted: &[&str]) -> Vec<Standing> {
        let found = lines.windows(wanted.len()).enumerate().filter(|(_, held)| *held == wanted);
        let starts: Vec<usize> = found.map(|(at, _)| at).collect();
        standings(lines, &starts, wanted.len(), &str::to_owned)
    }

    /// Every place of a text that holds these lines.
    fn places(text: &str, wanted: &str) -> Vec<Standing> {
        let lines: Vec<&str> = text.split(' ').collect();
        let wanted: Vec<&str> = wanted.split(' ').collect();
        standing(&lines, &wanted)
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
            ("x b y z b", "Unsure"),
            ("b x y b", "Unsure"),
            ("x b b", "Unsure"),
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

    #[test]
    fn a_block_that_was_removed_is_not_the_one_that_now_stands_before_what_followed_it() {
        let blocks = |names: &[&str]| -> String {
            names.iter().map(|name| format!("def {name}():\n    x = 1\n    return x\n\n")).collect()
        };
        let found = |text: &str, wanted: &[&str]| standing(&text.lines().collect::<Vec<_>>(), wanted);
        let body = ["    x = 1", "    return x"];
        let meant = copy(6, &found(&blocks(&["a", "b", "c"]), &body)).unwrap();
        let judged = |names: &[&str]| judge((6, 7), Some(&meant), &found(&blocks(names), &body));
        assert_eq!(judged(&["a", "c"]), Verdict::Unsure);
        assert_eq!(judged(&["new", "a", "c"]), Verdict::Unsure);
        assert_eq!(judged(&["a", "b", "new", "c"]), Verdict::Here);
        assert_eq!(judged(&["a", "new", "b", "c"]), Verdict::Moved((10, 11)));
        // One more parameter makes no other function of it.
        let wider = blocks(&["a", "b", "c"]).replace("b()", "b(tax)");
        assert_eq!(judge((6, 7), Some(&meant), &found(&wider, &body)), Verdict::Here);
    }

    /// How blocks of a file are written: what begins one, how its body is indented, and what ends it.
    #[derive(Clone, Copy, Debug)]
    struct Style(fn(u32) -> String, &'static str, &'static [&'static str]);

    const STYLES: [Style; 3] = [
        Style(|name| format!("def fn{name}(self):"), "    ", &[""]),
        Style(|name| format!("void fn{name}(void) {{"), "  ", &["}", ""]),
        Style(|name| format!("[{name}]"), "", &[""]),
    ];

    /// A file of these blocks, whose bodies are all the same, and the line (from 0) at which each body begins.
    fn file(style: Style, blocks: &[u32], body: usize) -> (Vec<String>, Vec<usize>) {
        let (mut lines, mut bodies) = (Vec::new(), Vec::new());
        for &name in blocks {
            lines.push(style.0(name));
            bodies.push(lines.len());
            lines.extend((0..body).map(|line| format!("{}do({})", style.1, line % 6)));
            lines.extend(style.2.iter().map(ToString::to_string));
        }
        (lines, bodies)
    }

    proptest! {
        /// Blocks are removed, put in, moved and shuffled. The anchored one is `current` where it stands, and nowhere else.
        #[test]
        fn an_anchor_is_current_at_its_block_and_at_no_copy_of_it(
            style in proptest::sample::select(&STYLES),
            count in 1_u32..7,
            body in 1_usize..12,
            meant in 0_usize..7,
            part in (0_usize..16, 0_usize..16),
            now in proptest::sample::subsequence((0_u32..9).collect::<Vec<_>>(), 0..=9).prop_shuffle(),
            keep_order in proptest::bool::ANY,
        ) {
            // Without indentation nothing but the nearest lines tells blocks apart.
            let body = if style.1.is_empty() { body.min(AROUND - 1) } else { body };
            let then: Vec<u32> = (0..count).collect();
            let meant = meant % then.len();
            let (from, to) = (part.0 % body, part.1 % body);
            let (from, to) = (from.min(to), from.max(to));
            let mut now = now;
            if keep_order {
                now.sort_unstable();
            }
            let (lines, bodies) = file(style, &then, body);
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let at = bodies[meant] + from;
            let wanted = &lines[at..=at - from + to];
            let first = u32::try_from(at + 1).unwrap();
            let copy = copy(first, &standing(&lines, wanted)).unwrap();
            let (lines, bodies) = file(style, &now, body);
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let last = first + u32::try_from(to - from).unwrap();
            let said = match judge((first, last), Some(&copy), &standing(&lines, wanted)) {
                Verdict::Here => Some(first),
                Verdict::Moved((first, _)) => Some(first),
                Verdict::Unsure | Verdict::Nowhere => None,
            };
            let block = now.iter().position(|name| *name == then[meant]);
            let stands = block.map(|block| u32::try_from(bodies[block] + from + 1).unwrap());
            // The only block of a file under another name is that block.
            if stands.is_some() || count > 1 {
                prop_assert_eq!(said, stands, "{:?} {:?} -> {:?}", lines, then, now);
            }
        }
    }
}
