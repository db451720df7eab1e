//! Unified: two states of a file as a unified diff that git and patch understand.

use std::ops::Range;
use std::time::Duration;

use similar::{Algorithm, TextDiff};

/// Lines around a change.
const CONTEXT: usize = 3;
/// A longer comparison is given up for a coarser one.
const LIMIT: Duration = Duration::from_millis(500);

/// Files of more lines are cut at what they share first; see `regions`.
const MANY: usize = 5_000;
/// Lines after a difference that must be the same for the two files to be in step again.
const IN_STEP: usize = 3;
/// Lines, of both files together, in which they must be in step again.
const REACH: usize = 400;

/// The diff; nothing where the two are the same. `old` and `new` are paths, or nothing where there is no file.
pub fn diff(old: Option<(&str, &[u8])>, new: Option<(&str, &[u8])>) -> String {
    let moved = old.zip(new).filter(|((a, _), (b, _))| a != b);
    let renamed =
        moved.map_or_else(String::new, |((a, _), (b, _))| format!("rename from {a}\nrename to {b}\n"));
    let hunks = hunks(old, new);
    if hunks.is_empty() { renamed } else { hunks }
}

/// Whether a file can be run, before and after.
#[derive(Clone, Copy, Debug, Default)]
pub struct Modes {
    pub old_runs: bool,
    pub new_runs: bool,
}

/// The diff with git's own lines about what comes, goes and moves.
pub fn git_diff(old: Option<(&str, &[u8])>, new: Option<(&str, &[u8])>, modes: Modes) -> String {
    let hunks = hunks(old, new);
    let mode = |runs: bool| if runs { "100755" } else { "100644" };
    let changed = match modes.old_runs == modes.new_runs {
        true => String::new(),
        false => format!("old mode {}\nnew mode {}\n", mode(modes.old_runs), mode(modes.new_runs)),
    };
    let (from, to, what) = match (old, new) {
        (None, None) => return String::new(),
        (None, Some((new, _))) => (new, new, format!("new file mode {}\n", mode(modes.new_runs))),
        (Some((old, _)), None) => (old, old, format!("deleted file mode {}\n", mode(modes.old_runs))),
        (Some((old, _)), Some((new, _))) if old != new => {
            (old, new, format!("{changed}rename from {old}\nrename to {new}\n"))
        }
        (Some(_), Some(_)) if hunks.is_empty() && changed.is_empty() => return String::new(),
        (Some((old, _)), Some((new, _))) => (old, new, changed),
    };
    format!("diff --git a/{from} b/{to}\n{what}{hunks}")
}

fn hunks(old: Option<(&str, &[u8])>, new: Option<(&str, &[u8])>) -> String {
    let (before, after) = (old.map_or(&[][..], |(_, bytes)| bytes), new.map_or(&[][..], |(_, bytes)| bytes));
    if before == after {
        return String::new();
    }
    let name = |side: &str, file: Option<(&str, &[u8])>| {
        // Without a tab after it, a name ends for some programs at its first blank.
        let end = |path: &str| if path.contains(' ') { "\t" } else { "" };
        file.map_or_else(|| "/dev/null".to_owned(), |(path, _)| format!("{side}/{path}{}", end(path)))
    };
    let mut out = format!("--- {}\n+++ {}\n", name("a", old), name("b", new));
    let lines = |bytes| -> Vec<&[u8]> { <[u8]>::split_inclusive(bytes, |byte| *byte == b'\n').collect() };
    let (a, b) = (lines(before), lines(after));
    let apart = if a.len().max(b.len()) > MANY { regions(&a, &b) } else { None };
    for (old, new) in apart.unwrap_or_else(|| vec![(0..a.len(), 0..b.len())]) {
        let (shift, old, new) = ((old.start, new.start), a[old].concat(), b[new].concat());
        let diff =
            TextDiff::configure().algorithm(Algorithm::Myers).timeout(LIMIT).diff_lines(&old[..], &new[..]);
        let mut written = Vec::new();
        let done = diff.unified_diff().context_radius(CONTEXT).to_writer(&mut written);
        debug_assert!(done.is_ok(), "writing to memory does not fail");
        let text = String::from_utf8_lossy(&written);
        match shift {
            (0, 0) => out.push_str(&text),
            shift => out.extend(text.split_inclusive('\n').map(|line| shifted(line, shift))),
        }
    }
    out
}

/// The parts of two long files that differ, with the lines around them; nothing where they differ for long. Most edits of
/// a long file are few and far between, and comparing all of it would take longer than anybody waits.
fn regions(old: &[&[u8]], new: &[&[u8]]) -> Option<Vec<(Range<usize>, Range<usize>)>> {
    let in_step = |x: usize, y: usize| {
        let (left, right) = (old.len().checked_sub(x), new.len().checked_sub(y));
        let Some((left, right)) = left.zip(right) else { return false };
        let count = IN_STEP.min(left).min(right);
        (count == IN_STEP || left == right) && old[x..x + count] == new[y..y + count]
    };
    let mut found: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    let (mut i, mut j) = (0, 0);
    loop {
        while i < old.len() && j < new.len() && old[i] == new[j] {
            (i, j) = (i + 1, j + 1);
        }
        if i == old.len() && j == new.len() {
            return Some(found);
        }
        let step = |sum: usize| (0..=sum).map(move |x| (x, sum - x)).find(|&(x, y)| in_step(i + x, j + y));
        let (x, y) = (1..=REACH).find_map(step)?;
        let around = CONTEXT.min(i).min(j);
        let after = |at: usize, all: usize| (at + CONTEXT).min(all);
        let (to_old, to_new) = (after(i + x, old.len()), after(j + y, new.len()));
        match found.last_mut() {
            // The lines around two differences must not be told twice.
            Some((a, b)) if a.end + CONTEXT >= i || b.end + CONTEXT >= j => (a.end, b.end) = (to_old, to_new),
            _ => found.push((i - around..to_old, j - around..to_new)),
        }
        (i, j) = (i + x, j + y);
    }
}

/// A line of a diff of parts, with the numbers that it has in the whole.
fn shifted(line: &str, (old, new): (usize, usize)) -> String {
    let moved = || {
        let mut words = line.strip_prefix("@@ -")?.splitn(3, ' ');
        let (from, to, rest) = (words.next()?, words.next()?.strip_prefix('+')?, words.next()?);
        let number = |range: &str, by: usize| {
            let (start, count) =
                range.split_once(',').map_or((range, ""), |(start, _)| (start, &range[start.len()..]));
            Some(format!("{}{count}", start.parse::<usize>().ok()? + by))
        };
        Some(format!("@@ -{} +{} {rest}", number(from, old)?, number(to, new)?))
    };
    moved().unwrap_or_else(|| line.to_owned())
}

/// Lines added and removed.
pub fn counts(diff: &str) -> (usize, usize) {
    let body = diff.lines().filter(|line| !line.starts_with("+++ ") && !line.starts_with("--- "));
    body.fold((0, 0), |(added, removed), line| match line.as_bytes().first() {
        Some(b'+') => (added + 1, removed),
        Some(b'-') => (added, removed + 1),
        _ => (added, removed),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn a_change_is_shown_with_three_lines_around_it() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9";
        let shown =
            diff(Some(("a.txt", old.as_bytes())), Some(("a.txt", old.replace('5', "five").as_bytes())));
        expect![[r#"
            --- a/a.txt
            +++ b/a.txt
            @@ -2,7 +2,7 @@
             2
             3
             4
            -5
            +five
             6
             7
             8
        "#]]
        .assert_eq(&shown);
        assert_eq!(counts(&shown), (1, 1));
    }

    #[test]
    fn files_come_and_go_and_move() {
        assert_eq!(
            diff(None, Some(("a", b"x"))),
            "--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n"
        );
        assert_eq!(diff(Some(("a", b"x\n")), None), "--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n");
        assert_eq!(diff(Some(("a", b"x")), Some(("b", b"x"))), "rename from a\nrename to b\n");
        assert_eq!(diff(Some(("a", b"x")), Some(("a", b"x"))), "");
    }

    #[test]
    fn few_edits_of_a_long_file_are_few_lines() {
        let old: Vec<String> = (0..300_000).map(|nth| format!("{}\n", nth % 7)).collect();
        let mut new = old.clone();
        new[10] = "first\n".into();
        new[12] = "near\n".into();
        new.insert(150_000, "between\n".into());
        new.remove(299_990);
        new[299_999] = "last".into();
        let (old, new) = (old.concat(), new.concat());
        let shown = diff(Some(("a", old.as_bytes())), Some(("a", new.as_bytes())));
        assert_eq!(counts(&shown), (4, 4), "{shown}");
        assert!(shown.contains("\n@@ -149998,6 +149998,7 @@\n"), "{shown}");
        assert!(shown.len() < 1_000);
    }

    #[test]
    fn a_rename_is_told_as_git_tells_it() {
        let changed = git_diff(Some(("a", b"x\n")), Some(("b", b"y\n")), Modes::default());
        assert_eq!(
            changed,
            "diff --git a/a b/b\nrename from a\nrename to b\n--- a/a\n+++ b/b\n@@ -1 +1 @@\n-x\n+y\n"
        );
        let made = git_diff(None, Some(("a b", b"x\n")), Modes::default());
        assert!(
            made.starts_with("diff --git a/a b b/a b\nnew file mode 100644\n--- /dev/null\n+++ b/a b\t\n")
        );
    }
}
