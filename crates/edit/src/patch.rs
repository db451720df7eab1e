//! Patch: a unified diff as changes of files. Hunks must fit exactly, though they may have moved.

use crate::disk::{Disk, DiskError};
use crate::plan::{Act, Change};
use crate::text::not_text;

/// Why a patch cannot be applied. Lines count from 1.
#[derive(Debug, thiserror::Error)]
pub enum PatchError {
    #[error("the text holds no unified diff")]
    Empty,
    #[error("line {line} of the patch: {what}")]
    Malformed { line: usize, what: &'static str },
    #[error("{path} does not exist")]
    Missing { path: String },
    #[error("{path} is {what}")]
    NotText { path: String, what: &'static str },
    #[error("{path}: hunk {hunk} (line {line} of the patch) fits nowhere")]
    Misfit { path: String, hunk: usize, line: usize },
    #[error(
        "{path}: hunk {hunk} (line {line} of the patch) fits at lines {places:?}, and none of them is the one it names"
    )]
    Several { path: String, hunk: usize, line: usize, places: Vec<usize> },
    #[error(transparent)]
    Disk(#[from] DiskError),
}

/// What a patch does to one file.
#[derive(Debug, Default)]
struct FilePatch {
    old: Option<String>,
    new: Option<String>,
    hunks: Vec<Hunk>,
}

#[derive(Debug)]
struct Hunk {
    /// In the patch.
    line: usize,
    /// In the old file.
    start: usize,
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    side: Side,
    text: String,
    /// Whether a newline follows.
    ended: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Both,
    Old,
    New,
}

/// The changes that a patch makes to the files as they are. Paths are as the patch writes them, without `a/` and `b/`.
pub fn changes(disk: &dyn Disk, patch: &str) -> Result<Vec<Change>, PatchError> {
    let mut all = Vec::new();
    for file in parse(patch)? {
        let change = |path: &str, act| Change { path: path.to_owned(), act, rename_to: None, expected: None };
        all.push(match (&file.old, &file.new) {
            (None, None) => continue,
            (None, Some(new)) => {
                let bytes = applied(new, &[], &file.hunks)?;
                let text = String::from_utf8(bytes)
                    .map_err(|_| PatchError::NotText { path: new.clone(), what: "not UTF-8" })?;
                change(new, Act::Create(text))
            }
            (Some(old), new) => {
                let held = disk.held(old)?.ok_or_else(|| PatchError::Missing { path: old.clone() })?;
                if let Some(what) = not_text(&held.bytes).filter(|_| !file.hunks.is_empty()) {
                    return Err(PatchError::NotText { path: old.clone(), what });
                }
                let bytes = applied(old, &held.bytes, &file.hunks)?;
                match new {
                    None => change(old, Act::Delete),
                    Some(new) => {
                        let act = if file.hunks.is_empty() { Act::Keep } else { Act::Exact(bytes) };
                        Change { rename_to: (new != old).then(|| new.clone()), ..change(old, act) }
                    }
                }
            }
        });
    }
    if all.is_empty() { Err(PatchError::Empty) } else { Ok(all) }
}

fn parse(patch: &str) -> Result<Vec<FilePatch>, PatchError> {
    let lines: Vec<&str> = patch.lines().collect();
    let mut files: Vec<FilePatch> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        let malformed = |what| PatchError::Malformed { line: at + 1, what };
        if line.starts_with("diff --git ") {
            files.push(FilePatch::default());
        } else if let Some(path) = line.strip_prefix("rename from ") {
            last(&mut files).old = Some(unquoted(path));
        } else if let Some(path) = line.strip_prefix("rename to ") {
            last(&mut files).new = Some(unquoted(path));
        } else if line.starts_with("GIT binary patch") || line.starts_with("Binary files ") {
            return Err(malformed("binary contents cannot be patched"));
        } else if line.starts_with("new mode ")
            || line == "new file mode 100755"
            || line.ends_with(" 120000") && line.contains("mode ")
        {
            return Err(malformed("modes and links cannot be patched"));
        } else if line.starts_with("copy from ") {
            return Err(malformed("copies cannot be patched"));
        } else if line.starts_with("--- ") && lines.get(at + 1).is_some_and(|next| next.starts_with("+++ ")) {
            let (old, new) = names(&line[4..], &lines[at + 1][4..]);
            if files.last().is_none_or(|file| !file.hunks.is_empty()) || !patch.contains("diff --git ") {
                files.push(FilePatch::default());
            }
            let file = last(&mut files);
            (file.old, file.new) = (old, new);
            at += 1;
        } else if line.starts_with("@@ ") {
            let (hunk, used) = hunk(&lines, at)?;
            files.last_mut().ok_or_else(|| malformed("a hunk before any file"))?.hunks.push(hunk);
            at += used;
            continue;
        }
        at += 1;
    }
    files.retain(|file| file.old.is_some() || file.new.is_some());
    Ok(files)
}

fn last(files: &mut Vec<FilePatch>) -> &mut FilePatch {
    if files.is_empty() {
        files.push(FilePatch::default());
    }
    let at = files.len() - 1;
    &mut files[at]
}

fn names(old: &str, new: &str) -> (Option<String>, Option<String>) {
    let plain = |name: &str| unquoted(name.split('\t').next().unwrap_or(name).trim_end());
    let (old, new) = (plain(old), plain(new));
    let is_none = |name: &str| name == "/dev/null";
    let prefixed = (old.starts_with("a/") || is_none(&old)) && (new.starts_with("b/") || is_none(&new));
    let bare = |name: String| match is_none(&name) {
        true => None,
        false => Some(if prefixed { name[2..].to_owned() } else { name }),
    };
    (bare(old), bare(new))
}

/// A path as git writes it: in quotes, with escapes, where it has unusual letters.
fn unquoted(name: &str) -> String {
    let Some(inner) = name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return name.to_owned();
    };
    let mut out = Vec::new();
    let mut rest = inner.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'n') => out.push(b'\n'),
            Some(b't') => out.push(b'\t'),
            Some(digit @ b'0'..=b'3') => {
                let digits = [digit, rest.next().unwrap_or(b'0'), rest.next().unwrap_or(b'0')];
                out.push(digits.iter().fold(0_u8, |sum, digit| sum.wrapping_mul(8).wrapping_add(digit & 7)));
            }
            Some(other) => out.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// A hunk and how many lines of the patch it takes.
fn hunk(lines: &[&str], at: usize) -> Result<(Hunk, usize), PatchError> {
    let malformed = |line: usize, what| PatchError::Malformed { line: line + 1, what };
    let bad = || malformed(at, "a hunk begins with @@ -line,count +line,count @@");
    let mut words = lines[at].split(' ').skip(1);
    let mut range = |sign: char| {
        let word = words.next()?.strip_prefix(sign)?;
        let (start, count) = word.split_once(',').unwrap_or((word, "1"));
        Some((start.parse::<usize>().ok()?, count.parse::<usize>().ok()?))
    };
    let (start, mut old) = range('-').ok_or_else(bad)?;
    let (_, mut new) = range('+').ok_or_else(bad)?;
    let mut rows: Vec<Row> = Vec::new();
    let mut next = at + 1;
    while old > 0 || new > 0 {
        let line = lines.get(next).ok_or_else(|| malformed(next, "the hunk is cut off"))?;
        let side = match line.as_bytes().first() {
            Some(b' ') | None => Side::Both,
            Some(b'-') => Side::Old,
            Some(b'+') => Side::New,
            Some(b'\\') => {
                rows.last_mut().ok_or_else(bad)?.ended = false;
                next += 1;
                continue;
            }
            Some(_) => return Err(malformed(next, "a line of a hunk begins with a blank, + or -")),
        };
        let too_many = || malformed(next, "the hunk has more lines than it says");
        if side != Side::New {
            old = old.checked_sub(1).ok_or_else(too_many)?;
        }
        if side != Side::Old {
            new = new.checked_sub(1).ok_or_else(too_many)?;
        }
        rows.push(Row { side, text: line.get(1..).unwrap_or_default().to_owned(), ended: true });
        next += 1;
    }
    if lines.get(next).is_some_and(|line| line.starts_with('\\')) {
        rows.last_mut().ok_or_else(bad)?.ended = false;
        next += 1;
    }
    Ok((Hunk { line: at + 1, start, rows }, next - at))
}

/// The bytes after all hunks.
fn applied(path: &str, bytes: &[u8], hunks: &[Hunk]) -> Result<Vec<u8>, PatchError> {
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let crlf = lines.iter().filter(|line| line.ends_with(b"\r\n")).count() * 2 > lines.len();
    let mut out: Vec<u8> = Vec::with_capacity(bytes.len());
    let mut from = 0;
    for (nth, hunk) in hunks.iter().enumerate() {
        let place = place(path, nth + 1, hunk, &lines, from)?;
        lines[from..place].iter().for_each(|line| out.extend_from_slice(line));
        let mut at = place;
        for row in &hunk.rows {
            match row.side {
                Side::Both => {
                    out.extend_from_slice(lines[at]);
                    at += 1;
                }
                Side::Old => at += 1,
                Side::New => {
                    out.extend_from_slice(row.text.trim_end_matches('\r').as_bytes());
                    let ending: &[u8] = if crlf { b"\r\n" } else { b"\n" };
                    out.extend_from_slice(if row.ended { ending } else { b"" });
                }
            }
        }
        from = at;
    }
    lines[from.min(lines.len())..].iter().for_each(|line| out.extend_from_slice(line));
    Ok(out)
}

/// Where a hunk fits: at its line, else at the only other place.
fn place(path: &str, nth: usize, hunk: &Hunk, lines: &[&[u8]], from: usize) -> Result<usize, PatchError> {
    let old: Vec<&Row> = hunk.rows.iter().filter(|row| row.side != Side::New).collect();
    let named = if old.is_empty() { hunk.start } else { hunk.start.saturating_sub(1) };
    let bare = |line: &[u8]| -> Vec<u8> {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        line.strip_suffix(b"\r").unwrap_or(line).to_vec()
    };
    let fits = |at: usize| {
        at >= from
            && at + old.len() <= lines.len()
            && old.iter().zip(&lines[at..]).all(|(row, line)| bare(line) == bare(row.text.as_bytes()))
    };
    if fits(named) {
        return Ok(named);
    }
    let misfit = || PatchError::Misfit { path: path.to_owned(), hunk: nth, line: hunk.line };
    if old.is_empty() {
        return Err(misfit());
    }
    let places: Vec<usize> = (from..lines.len()).filter(|&at| fits(at)).collect();
    match places[..] {
        [] => Err(misfit()),
        [one] => Ok(one),
        _ => {
            let places = places.iter().take(10).map(|at| at + 1).collect();
            Err(PatchError::Several { path: path.to_owned(), hunk: nth, line: hunk.line, places })
        }
    }
}
