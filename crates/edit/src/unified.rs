//! Unified: two states of a file as a unified diff that git and patch understand.

use std::time::Duration;

use similar::{Algorithm, TextDiff};

/// Lines around a change.
const CONTEXT: usize = 3;
/// A longer comparison is given up for a coarser one.
const LIMIT: Duration = Duration::from_millis(500);

/// The diff; nothing where the two are the same. `old` and `new` are paths, or nothing where there is no file.
pub fn diff(old: Option<(&str, &[u8])>, new: Option<(&str, &[u8])>) -> String {
    let (before, after) = (old.map_or(&[][..], |(_, bytes)| bytes), new.map_or(&[][..], |(_, bytes)| bytes));
    let name = |side: &str, file: Option<(&str, &[u8])>| {
        file.map_or_else(|| "/dev/null".to_owned(), |(path, _)| format!("{side}/{path}"))
    };
    let (from, to) = (name("a", old), name("b", new));
    if before == after {
        let moved = old.zip(new).filter(|((a, _), (b, _))| a != b);
        return moved
            .map_or_else(String::new, |((a, _), (b, _))| format!("rename from {a}\nrename to {b}\n"));
    }
    let diff = TextDiff::configure().algorithm(Algorithm::Myers).timeout(LIMIT).diff_lines(before, after);
    let mut out = Vec::new();
    let written = diff.unified_diff().context_radius(CONTEXT).header(&from, &to).to_writer(&mut out);
    debug_assert!(written.is_ok(), "writing to memory does not fail");
    String::from_utf8_lossy(&out).into_owned()
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
}
