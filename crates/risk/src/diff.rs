//! Diff: which lines of which files a unified diff changes.

mod fitting;

use m1nd_graph::change::{ChangedFile, How};

use self::fitting::Piece;
pub use self::fitting::{Fitted, Patch};

/// Why a text is no unified diff.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiffError {
    #[error("there is no file header (`--- a/x`, `+++ b/x`) in it")]
    NoFiles,
    #[error("line {line}: the hunk header cannot be read")]
    Hunk { line: usize },
}

/// Whether a text looks like a diff rather than the name of something.
pub fn is_diff(text: &str) -> bool {
    text.lines()
        .any(|line| line.starts_with("+++ ") || line.starts_with("diff --git ") || line.starts_with("@@ "))
}

/// Reads a unified diff as git, diff and Mercurial write it.
pub fn parse(text: &str) -> Result<Vec<ChangedFile>, DiffError> {
    Ok(patches(text)?.into_iter().map(|patch| patch.file).collect())
}

/// The same, with what the hunks say.
pub fn patches(text: &str) -> Result<Vec<Patch>, DiffError> {
    let mut files: Vec<Draft> = Vec::new();
    let mut hunk = Hunk::default();
    for (at, line) in text.lines().enumerate() {
        if hunk.is_open() {
            let Some(file) = files.last_mut() else { continue };
            if hunk.take(line, &mut file.file) {
                file.pieces.last_mut().into_iter().for_each(|piece| piece.take(line));
                continue;
            }
        }
        if let Some(rest) = line.strip_prefix("diff --git ") {
            files.push(Draft::of_git(rest));
        } else if let Some(path) = line.strip_prefix("--- ") {
            if files.last().is_none_or(|file| file.has_paths) {
                files.push(Draft::default());
            }
            files.last_mut().into_iter().for_each(|file| file.old(path));
        } else if let Some(path) = line.strip_prefix("+++ ") {
            files.last_mut().into_iter().for_each(|file| file.new_path(path));
        } else if let Some(header) = line.strip_prefix("@@ ") {
            hunk = Hunk::of(header).ok_or(DiffError::Hunk { line: at + 1 })?;
            let piece = Piece::of(header).ok_or(DiffError::Hunk { line: at + 1 })?;
            files.last_mut().into_iter().for_each(|file| file.pieces.push(piece.clone()));
        } else if let Some(file) = files.last_mut() {
            file.note(line);
        }
    }
    let files: Vec<Patch> = files
        .into_iter()
        .map(|draft| Patch { file: draft.file, pieces: draft.pieces })
        .filter(|patch| !patch.file.path.is_empty())
        .collect();
    if files.is_empty() { Err(DiffError::NoFiles) } else { Ok(files) }
}

struct Draft {
    file: ChangedFile,
    pieces: Vec<Piece>,
    has_paths: bool,
}

impl Default for Draft {
    fn default() -> Self {
        let file = ChangedFile {
            path: String::new(),
            was: None,
            how: How::Modified,
            lines: Vec::new(),
            added: 0,
            removed: 0,
        };
        Self { file, pieces: Vec::new(), has_paths: false }
    }
}

impl Draft {
    /// `a/x b/x`; with spaces in the name both halves are still the same.
    fn of_git(rest: &str) -> Self {
        let mut draft = Self::default();
        let half = rest.len() / 2;
        if let (Some(old), Some(new)) = (rest.get(..half), rest.get(half + 1..))
            && old.strip_prefix("a/") == new.strip_prefix("b/")
        {
            draft.file.path = plain(new).unwrap_or_default();
        }
        draft
    }

    fn old(&mut self, path: &str) {
        self.has_paths = true;
        match plain(path) {
            Some(path) if self.file.path.is_empty() => self.file.path = path,
            Some(path) if self.file.how == How::Renamed => self.file.was = Some(path),
            Some(_) => {}
            None => self.file.how = How::Added,
        }
    }

    fn new_path(&mut self, path: &str) {
        self.has_paths = true;
        match plain(path) {
            Some(path) => self.file.path = path,
            None => self.file.how = How::Deleted,
        }
    }

    fn note(&mut self, line: &str) {
        if line.starts_with("new file mode") {
            self.file.how = How::Added;
        } else if line.starts_with("deleted file mode") {
            self.file.how = How::Deleted;
        } else if let Some(path) = line.strip_prefix("rename from ") {
            self.file.how = How::Renamed;
            self.file.was = Some(unquoted(path));
        } else if let Some(path) = line.strip_prefix("rename to ") {
            self.file.path = unquoted(path);
        }
    }
}

/// A path without what diffs put around it; nothing for the missing side of a file that came or went.
fn plain(path: &str) -> Option<String> {
    let path = path.split('\t').next().unwrap_or_default().trim_end();
    let path = unquoted(path);
    if path == "/dev/null" {
        return None;
    }
    let path = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(&path);
    Some(path.to_owned())
}

/// Git puts names with odd letters into quotes, with the bytes of those letters in octal.
fn unquoted(path: &str) -> String {
    let Some(inner) = path.strip_prefix('"').and_then(|path| path.strip_suffix('"')) else {
        return path.to_owned();
    };
    let mut bytes = Vec::new();
    let mut rest = inner.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(digit @ b'0'..=b'7') => {
                let mut value = u32::from(digit - b'0');
                while let Some(&next @ b'0'..=b'7') = rest.peek() {
                    value = value * 8 + u32::from(next - b'0');
                    rest.next();
                }
                bytes.push(u8::try_from(value).unwrap_or(b'?'));
            }
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What is still to come of a hunk.
#[derive(Default)]
struct Hunk {
    old_left: u32,
    new_left: u32,
    /// The line of the new file that comes next.
    next: u32,
}

impl Hunk {
    /// `-3,7 +3,8 @@ …`
    fn of(header: &str) -> Option<Self> {
        let mut words = header.split(' ');
        let (_, old_left) = span(words.next()?.strip_prefix('-')?)?;
        let (next, new_left) = span(words.next()?.strip_prefix('+')?)?;
        // Where nothing is left, the header names the line before.
        Some(Self { old_left, new_left, next: if new_left == 0 { next.saturating_add(1) } else { next } })
    }

    fn is_open(&self) -> bool {
        self.old_left > 0 || self.new_left > 0
    }

    /// Whether the line was part of the hunk.
    fn take(&mut self, line: &str, file: &mut ChangedFile) -> bool {
        match line.as_bytes().first() {
            Some(b'+') if self.new_left > 0 => {
                mark(&mut file.lines, self.next, self.next);
                file.added += 1;
                self.new_left -= 1;
                self.next = self.next.saturating_add(1);
            }
            Some(b'-') if self.old_left > 0 => {
                mark(&mut file.lines, self.next.saturating_sub(1).max(1), self.next);
                file.removed += 1;
                self.old_left -= 1;
            }
            Some(b'\\') => {}
            Some(b' ') | None => {
                self.old_left = self.old_left.saturating_sub(1);
                self.new_left = self.new_left.saturating_sub(1);
                self.next = self.next.saturating_add(1);
            }
            // A hunk that ends before its header says.
            _ => {
                *self = Self::default();
                return false;
            }
        }
        true
    }
}

fn span(text: &str) -> Option<(u32, u32)> {
    match text.split_once(',') {
        Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    }
}

fn mark(lines: &mut Vec<(u32, u32)>, first: u32, last: u32) {
    match lines.last_mut() {
        Some(open) if first <= open.1.saturating_add(1) => open.1 = open.1.max(last),
        _ => lines.push((first, last)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_lines_and_counts_are_read() {
        let text = "diff --git a/src/a.rs b/src/a.rs\nindex 1..2 100644\n--- a/src/a.rs\n+++ b/src/a.rs\n\
            @@ -1,4 +1,4 @@ fn x()\n one\n-two\n+zwei\n three\n four\n@@ -20,3 +20,2 @@\n a\n-b\n c\n\
            diff --git a/new.py b/new.py\nnew file mode 100644\n--- /dev/null\n+++ b/new.py\n@@ -0,0 +1,2 @@\n+x\n+y\n\
            diff --git a/old.py b/old.py\ndeleted file mode 100644\n--- a/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
            diff --git a/from.c b/to.c\nsimilarity index 100%\nrename from from.c\nrename to to.c\n";
        let files = parse(text).unwrap();
        let shown: Vec<String> = files
            .iter()
            .map(|file| {
                format!(
                    "{} {} {:?} +{} -{}",
                    file.how.name(),
                    file.path,
                    file.lines,
                    file.added,
                    file.removed
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                "modified src/a.rs [(1, 2), (20, 21)] +1 -2",
                "added new.py [(1, 2)] +2 -0",
                "deleted old.py [(1, 1)] +0 -1",
                "renamed to.c [] +0 -0",
            ]
        );
        assert_eq!(files[3].was.as_deref(), Some("from.c"));
    }

    #[test]
    fn diffs_without_git_and_lines_that_look_like_headers_are_read() {
        let text = "--- lib/x.c\t2026-01-01\n+++ lib/x.c\t2026-01-02\n@@ -1,2 +1,3 @@\n a\n--- not a header\n+++ nor this\n+b\n";
        let files = parse(text).unwrap();
        assert_eq!((files.len(), files[0].path.as_str()), (1, "lib/x.c"));
        assert_eq!((files[0].added, files[0].removed), (2, 1));
        let quoted = "--- \"a/caf\\303\\251.py\"\n+++ \"b/caf\\303\\251.py\"\n@@ -1 +1 @@\n-a\n+b\n";
        assert_eq!(parse(quoted).unwrap()[0].path, "café.py");
    }

    #[test]
    fn what_is_no_diff_is_said() {
        assert_eq!(parse("HEAD~1"), Err(DiffError::NoFiles));
        assert!(matches!(parse("--- a/x\n+++ b/x\n@@ what @@\n"), Err(DiffError::Hunk { line: 3 })));
        assert!(!is_diff("main..HEAD"));
        let hostile = format!("--- a/x\n+++ b/x\n@@ -1,{0} +{0},{0} @@\n+a\n-b\n", u32::MAX);
        assert!(parse(&hostile).is_ok());
    }
}
