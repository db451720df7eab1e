//! Fitting: what a file holds before and after a diff, from the file as it is now.

use m1nd_graph::change::{ChangedFile, How};

use super::span;

/// A file of a diff, with what its hunks say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    pub file: ChangedFile,
    pub(super) pieces: Vec<Piece>,
}

/// A hunk: some lines, and the lines that come in their place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    old_at: usize,
    new_at: usize,
    old: Vec<String>,
    new: Vec<String>,
}

/// Both states of a file, and which of them is on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fitted {
    /// Nothing where there is no such file.
    pub old: Option<String>,
    pub new: Option<String>,
    pub is_applied: bool,
}

impl Piece {
    /// `-3,7 +3,8 @@ …`
    pub(super) fn of(header: &str) -> Option<Self> {
        let mut words = header.split(' ');
        // Where a side has no lines, the header names the line before.
        let start =
            |word: &str| span(word).map(|(at, count)| at.saturating_sub(u32::from(count > 0)) as usize);
        let old_at = start(words.next()?.strip_prefix('-')?)?;
        let new_at = start(words.next()?.strip_prefix('+')?)?;
        Some(Self { old_at, new_at, old: Vec::new(), new: Vec::new() })
    }

    pub(super) fn take(&mut self, line: &str) {
        let rest = || line.get(1..).unwrap_or_default().to_owned();
        match line.as_bytes().first() {
            Some(b'+') => self.new.push(rest()),
            Some(b'-') => self.old.push(rest()),
            Some(b'\\') => {}
            _ => {
                self.old.push(rest());
                self.new.push(rest());
            }
        }
    }

    fn from(&self, way: Way) -> (usize, &[String]) {
        match way {
            Way::Apply => (self.old_at, &self.old),
            Way::TakeBack => (self.new_at, &self.new),
        }
    }

    fn to(&self, way: Way) -> &[String] {
        match way {
            Way::Apply => &self.new,
            Way::TakeBack => &self.old,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Apply,
    TakeBack,
}

/// A text that a diff was applied to or taken back from.
struct Made {
    text: String,
    /// Whether every hunk was where its header says.
    is_exact: bool,
    /// How many lines had to be as they were.
    held: usize,
}

impl Patch {
    /// Fits the diff to what the files hold now; nothing where it neither is applied nor can be.
    pub fn fit(&self, now: impl Fn(&str) -> Option<String>) -> Option<Fitted> {
        let here = now(&self.file.path);
        let whole = |new: bool| {
            let lines = self.pieces.iter().flat_map(|piece| if new { &piece.new } else { &piece.old });
            lines.map(|line| format!("{line}\n")).collect::<String>()
        };
        let same = |a: &str, b: &str| a.lines().eq(b.lines());
        match (self.file.how, &self.file.was, here) {
            (How::Added, _, None) => Some(Fitted { old: None, new: Some(whole(true)), is_applied: false }),
            (How::Added, _, Some(text)) => {
                same(&text, &whole(true)).then_some(Fitted { old: None, new: Some(text), is_applied: true })
            }
            (How::Deleted, _, None) => Some(Fitted { old: Some(whole(false)), new: None, is_applied: true }),
            (How::Deleted, _, Some(text)) => {
                same(&text, &whole(false)).then_some(Fitted { old: Some(text), new: None, is_applied: false })
            }
            (How::Renamed, Some(was), None) => {
                let old = now(was)?;
                let new = self.made(&old, Way::Apply)?.text;
                Some(Fitted { old: Some(old), new: Some(new), is_applied: false })
            }
            (How::Renamed, _, Some(text)) => {
                let old = self.made(&text, Way::TakeBack)?.text;
                Some(Fitted { old: Some(old), new: Some(text), is_applied: true })
            }
            (How::Renamed | How::Modified, _, None) => None,
            (How::Modified, _, Some(text)) => {
                let (made, taken) = (self.made(&text, Way::Apply), self.made(&text, Way::TakeBack));
                // What only adds fits before and after, too: the side that says more about the text is right.
                let rank = |made: &Made| (made.is_exact, made.held);
                let is_applied = match (&made, &taken) {
                    (Some(made), Some(taken)) => rank(taken) >= rank(made),
                    (made, _) => made.is_none(),
                };
                match is_applied {
                    true => Some(Fitted { old: Some(taken?.text), new: Some(text), is_applied }),
                    false => Some(Fitted { old: Some(text), new: Some(made?.text), is_applied }),
                }
            }
        }
    }

    fn made(&self, text: &str, way: Way) -> Option<Made> {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let bare: Vec<&str> = lines.iter().map(|line| line.trim_end_matches(['\n', '\r'])).collect();
        let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let (mut out, mut done, mut shift) = (String::with_capacity(text.len()), 0, 0_isize);
        let (mut is_exact, mut held) = (true, 0);
        for piece in &self.pieces {
            let (at, from) = piece.from(way);
            let fits = |at: usize| {
                at >= done
                    && bare.get(at..at + from.len()).is_some_and(|here| {
                        here.iter().zip(from).all(|(a, b)| *a == b.trim_end_matches('\r'))
                    })
            };
            let wanted = at.saturating_add_signed(shift);
            let place = match fits(wanted) {
                true => wanted,
                false if from.is_empty() => return None,
                false => (done..bare.len()).filter(|&at| fits(at)).min_by_key(|&at| at.abs_diff(wanted))?,
            };
            is_exact &= place == at;
            shift = place as isize - at as isize;
            held += from.len();
            out.extend(lines[done..place].iter().copied());
            for line in piece.to(way) {
                out.push_str(line.trim_end_matches('\r'));
                out.push_str(end);
            }
            done = place + from.len();
        }
        out.extend(lines[done..].iter().copied());
        Some(Made { text: out, is_exact, held })
    }
}

#[cfg(test)]
mod tests {
    use super::super::patches;

    fn fitted(diff: &str, path: &str, text: Option<&str>) -> Option<(Option<String>, Option<String>, bool)> {
        let found = patches(diff).unwrap();
        let now = |asked: &str| text.filter(|_| asked == path).map(str::to_owned);
        found[0].fit(now).map(|one| (one.old, one.new, one.is_applied))
    }

    fn states(old: &str, new: &str, is_applied: bool) -> Option<(Option<String>, Option<String>, bool)> {
        Some((Some(old.to_owned()), Some(new.to_owned()), is_applied))
    }

    #[test]
    fn a_diff_fits_the_text_before_it_and_the_text_after_it() {
        let diff = "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n@@ -8,2 +8,3 @@\n h\n+new\n i\n";
        let old = "a\nb\nc\nd\ne\nf\ng\nh\ni\n";
        let new = "a\nB\nc\nd\ne\nf\ng\nh\nnew\ni\n";
        assert_eq!(fitted(diff, "x", Some(old)), states(old, new, false));
        assert_eq!(fitted(diff, "x", Some(new)), states(old, new, true));
        // Lines that moved since are found again.
        let moved = format!("0\n{old}");
        assert_eq!(fitted(diff, "x", Some(&moved)), states(&moved, &format!("0\n{new}"), false));
        assert_eq!(fitted(diff, "x", Some("something else\n")), None);
        assert_eq!(fitted(diff, "y", Some(old)), None);
    }

    #[test]
    fn a_diff_without_context_is_known_by_what_it_adds_or_takes_away() {
        let added = "--- a/x\n+++ b/x\n@@ -1,0 +2 @@\n+b\n";
        assert_eq!(fitted(added, "x", Some("a\nc\n")), states("a\nc\n", "a\nb\nc\n", false));
        assert_eq!(fitted(added, "x", Some("a\nb\nc\n")), states("a\nc\n", "a\nb\nc\n", true));
        let gone = "--- a/x\n+++ b/x\n@@ -2 +1,0 @@\n-b\n";
        assert_eq!(fitted(gone, "x", Some("a\nb\nc\n")), states("a\nb\nc\n", "a\nc\n", false));
        assert_eq!(fitted(gone, "x", Some("a\nc\n")), states("a\nb\nc\n", "a\nc\n", true));
    }

    #[test]
    fn files_that_come_and_go_fit_where_they_are_not_and_are() {
        let new = "--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n";
        let text = Some("a\nb\n".to_owned());
        assert_eq!(fitted(new, "x", None), Some((None, text.clone(), false)));
        assert_eq!(fitted(new, "x", Some("a\nb\n")), Some((None, text.clone(), true)));
        assert_eq!(fitted(new, "x", Some("c\n")), None);
        let gone = "--- a/x\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n";
        assert_eq!(fitted(gone, "x", None), Some((text.clone(), None, true)));
        assert_eq!(fitted(gone, "x", Some("a\nb\n")), Some((text, None, false)));
        // One that holds more is not what it takes away.
        assert_eq!(fitted(gone, "x", Some("a\nb\nc\n")), None);
    }
}
