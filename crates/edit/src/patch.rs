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
    #[error("{path}: the patch deletes the file, but its hunks do not take away all that it holds")]
    Remainder { path: String },
    #[error(transparent)]
    Disk(#[from] DiskError),
}

/// What a patch does to one file.
#[derive(Debug, Default)]
struct FilePatch {
    /// Where it begins in the patch, from 1.
    line: usize,
    /// The name on git's own line, where both sides have the same.
    git: Option<String>,
    old: Option<String>,
    new: Option<String>,
    /// The new file is there besides the old one.
    copies: bool,
    /// Whether `---` and `+++` were seen.
    named: bool,
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
    /// With its carriage return, if there is one. In whatever encoding the file has.
    text: Vec<u8>,
    /// Whether a newline follows.
    ended: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Both,
    Old,
    New,
}

/// The changes that a patch makes to the files as they are. Paths are as the patch writes them, without `a/` and `b/`;
/// lines are bytes, as files are.
pub fn changes(disk: &dyn Disk, patch: &[u8]) -> Result<Vec<Change>, PatchError> {
    let mut all = Vec::new();
    for file in parse(patch)? {
        let change = |path: &str, act| Change { path: path.to_owned(), act, rename_to: None, expected: None };
        // What is patched must be text; what only moves need not.
        let held = |path: &str| {
            let held = disk.held(path)?.ok_or_else(|| PatchError::Missing { path: path.to_owned() })?;
            match not_text(&held.bytes).filter(|_| !file.hunks.is_empty()) {
                Some(what) => Err(PatchError::NotText { path: path.to_owned(), what }),
                None => Ok(held),
            }
        };
        all.push(match (&file.old, &file.new) {
            (None, None) => {
                let what = "nothing is said of this file that could be done";
                return Err(PatchError::Malformed { line: file.line, what });
            }
            (None, Some(new)) => {
                change(new, Act::CreateExact { bytes: applied(new, &[], &file.hunks)?, mode: None })
            }
            (Some(old), Some(new)) if file.copies => {
                let source = held(old)?;
                let bytes = applied(old, &source.bytes, &file.hunks)?;
                change(new, Act::CreateExact { bytes, mode: Some(source.mode) })
            }
            (Some(old), new) => {
                let bytes = applied(old, &held(old)?.bytes, &file.hunks)?;
                match new {
                    // Whoever wrote the patch did not know what is left over.
                    None if !bytes.is_empty() => return Err(PatchError::Remainder { path: old.clone() }),
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

fn parse(patch: &[u8]) -> Result<Vec<FilePatch>, PatchError> {
    let lines = lines_of(patch);
    let mut files: Vec<FilePatch> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let line = bare(lines[at]);
        let malformed = |what| PatchError::Malformed { line: at + 1, what };
        let name = |name: Option<String>| name.ok_or_else(|| malformed("the name is not UTF-8"));
        let git_name = |files: &mut Vec<FilePatch>| {
            let unreadable = || malformed("the name on the line `diff --git` above cannot be read");
            last(files, at).git.clone().ok_or_else(unreadable)
        };
        let ends = |end: &[u8]| line.ends_with(end);
        if let Some(names) = line.strip_prefix(b"diff --git ") {
            files.push(FilePatch { line: at + 1, git: same_name(names), ..FilePatch::default() });
        } else if let Some(path) = line.strip_prefix(b"rename from ").or(line.strip_prefix(b"copy from ")) {
            let file = last(&mut files, at);
            file.old = Some(name(unquoted(path))?);
            file.copies = line.starts_with(b"copy");
        } else if let Some(path) = line.strip_prefix(b"rename to ").or(line.strip_prefix(b"copy to ")) {
            last(&mut files, at).new = Some(name(unquoted(path))?);
        } else if line.starts_with(b"GIT binary patch") || line.starts_with(b"Binary files ") {
            return Err(malformed("binary contents cannot be patched"));
        } else if line.starts_with(b"new mode ")
            || line == b"new file mode 100755"
            || (ends(b" 120000") || ends(b" 160000")) && is_about_mode(line)
        {
            return Err(malformed("modes and links cannot be patched"));
        } else if line.starts_with(b"new file mode ") {
            // An empty file has no lines `---` and `+++` that would name it.
            let name = git_name(&mut files)?;
            last(&mut files, at).new = Some(name);
        } else if line.starts_with(b"deleted file mode ") {
            let name = git_name(&mut files)?;
            last(&mut files, at).old = Some(name);
        } else if let Some(old) = line.strip_prefix(b"--- ")
            && let Some(new) = lines.get(at + 1).and_then(|next| bare(next).strip_prefix(b"+++ "))
        {
            let git = files.last().filter(|file| !file.named).and_then(|file| file.git.as_deref());
            let (old, new) = names(old, new, git).ok_or_else(|| malformed("the name is not UTF-8"))?;
            // After a file that only moves, another one may begin without a line of git.
            let is_other = |file: &FilePatch| {
                file.named
                    || file.old.is_some() && file.new.is_some() && (&file.old, &file.new) != (&old, &new)
            };
            if files.last().is_none_or(is_other) {
                files.push(FilePatch { line: at + 1, ..FilePatch::default() });
            }
            let file = last(&mut files, at);
            (file.old, file.new, file.named) = (old, new, true);
            at += 1;
        } else if line.starts_with(b"@@ ") {
            let (hunk, used) = hunk(&lines, at)?;
            files.last_mut().ok_or_else(|| malformed("a hunk before any file"))?.hunks.push(hunk);
            at += used;
            continue;
        }
        at += 1;
    }
    Ok(files)
}

fn is_about_mode(line: &[u8]) -> bool {
    memchr::memmem::find(line, b"mode ").is_some()
}

/// A line of the patch itself, whose ending means nothing.
fn bare(mut line: &[u8]) -> &[u8] {
    while let Some(shorter) = line.strip_suffix(b"\r") {
        line = shorter;
    }
    line
}

/// The lines with their carriage returns. Where every line has one, also those that are not a file's, the patch
/// came through something that changed its endings: they say nothing then.
fn lines_of(patch: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = patch.split(|byte| *byte == b'\n').collect();
    if lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    if lines.iter().all(|line| line.ends_with(b"\r")) {
        lines.iter_mut().for_each(|line| *line = &line[..line.len() - 1]);
    }
    lines
}

fn last(files: &mut Vec<FilePatch>, line: usize) -> &mut FilePatch {
    if files.is_empty() {
        files.push(FilePatch { line: line + 1, ..FilePatch::default() });
    }
    let at = files.len() - 1;
    &mut files[at]
}

/// What git writes before the names of both sides: `a/` and `b/`, the other way round in a reverse diff, or letters for
/// commit, index, work tree and object.
const SIDES: [char; 8] = ['a', 'b', 'c', 'i', 'w', 'o', '1', '2'];

/// Where a file was and will be; nothing where a name is not UTF-8. `git` is the name on git's own line.
fn names(old: &[u8], new: &[u8], git: Option<&str>) -> Option<(Option<String>, Option<String>)> {
    let plain =
        |name: &[u8]| unquoted(name.split(|byte| *byte == b'\t').next().unwrap_or(name).trim_ascii_end());
    let (old, new) = (plain(old)?, plain(new)?);
    let side = |name: &str| {
        let (side, _) = name.split_once('/')?;
        SIDES.into_iter().find(|known| side.chars().eq([*known]))
    };
    let is_none = |name: &str| name == "/dev/null";
    let is_known = |name: &str, usual: &str| name.starts_with(usual) || git.is_some() && name.get(2..) == git;
    let prefixed = match (is_none(&old), is_none(&new)) {
        (true, true) => false,
        (true, false) => is_known(&new, "b/"),
        (false, true) => is_known(&old, "a/"),
        // Without prefixes both begin alike, unless the file moves.
        (false, false) => side(&old).zip(side(&new)).is_some_and(|(old, new)| old != new),
    };
    let bare = |name: String| match is_none(&name) {
        true => None,
        false => Some(if prefixed { name[2..].to_owned() } else { name }),
    };
    Some((bare(old), bare(new)))
}

/// The name in `a/name b/name`, if both sides have the same.
fn same_name(both: &[u8]) -> Option<String> {
    let half = both.len().checked_sub(1)? / 2;
    let (old, new) = (both.get(..half)?, both.get(half..)?.strip_prefix(b" ")?);
    match names(old, new, None)? {
        (Some(old), Some(new)) if old == new => Some(old),
        _ => None,
    }
}

/// A path as git writes it: in quotes, with escapes, where it has unusual letters. Nothing where it is not UTF-8.
fn unquoted(name: &[u8]) -> Option<String> {
    let Some(inner) = name.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")) else {
        return String::from_utf8(name.to_vec()).ok();
    };
    let mut out = Vec::new();
    let mut rest = inner.iter().copied();
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
    String::from_utf8(out).ok()
}

/// A hunk and how many lines of the patch it takes.
fn hunk(lines: &[&[u8]], at: usize) -> Result<(Hunk, usize), PatchError> {
    let malformed = |line: usize, what| PatchError::Malformed { line: line + 1, what };
    let bad = || malformed(at, "a hunk begins with @@ -line,count +line,count @@");
    // What follows the numbers is a line of the file, in whatever encoding.
    let head = String::from_utf8_lossy(lines[at]);
    let mut words = head.split(' ').skip(1);
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
        let side = match line.first() {
            Some(b' ' | b'\r') | None => Side::Both,
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
        // Programs that take blanks off the ends of lines leave nothing of an empty line.
        let text = match line.first() {
            Some(b' ' | b'-' | b'+') => line[1..].to_vec(),
            _ => line.to_vec(),
        };
        rows.push(Row { side, text, ended: true });
        next += 1;
    }
    if lines.get(next).is_some_and(|line| line.starts_with(b"\\")) {
        rows.last_mut().ok_or_else(bad)?.ended = false;
        next += 1;
    }
    Ok((Hunk { line: at + 1, start, rows }, next - at))
}

/// The bytes after all hunks.
fn applied(path: &str, bytes: &[u8], hunks: &[Hunk]) -> Result<Vec<u8>, PatchError> {
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let mostly: &[u8] = match lines.iter().filter(|line| line.ends_with(b"\r\n")).count() * 2 > lines.len() {
        true => b"\r\n",
        false => b"\n",
    };
    let mut out: Vec<u8> = Vec::with_capacity(bytes.len());
    let mut from = 0;
    for (nth, hunk) in hunks.iter().enumerate() {
        let misfit = || PatchError::Misfit { path: path.to_owned(), hunk: nth + 1, line: hunk.line };
        let place = place(path, nth + 1, hunk, &lines, from)?;
        if place > from && cut_off(&out) {
            return Err(misfit());
        }
        lines[from..place].iter().for_each(|line| out.extend_from_slice(line));
        let here = &lines[place..place + hunk.old().count()];
        // A hunk without carriage returns in a file that has them leaves the endings to the file.
        let is_exact =
            hunk.says_endings() || !here.is_empty() && !here.iter().any(|line| line.ends_with(b"\r\n"));
        let says_end = hunk.rows.iter().any(|row| !row.ended);
        let at_end = place + here.len() == lines.len();
        let open_end = at_end && !says_end && here.last().is_some_and(|line| !line.ends_with(b"\n"));
        let mut old = here.iter();
        let mut ended_by_us = false;
        for row in &hunk.rows {
            let line = if row.side == Side::New { None } else { old.next() };
            if row.side == Side::Old {
                continue;
            }
            if cut_off(&out) {
                if says_end {
                    return Err(misfit());
                }
                out.extend_from_slice(mostly);
            }
            ended_by_us = line.is_none() && row.ended;
            match line {
                Some(line) => out.extend_from_slice(line),
                None if is_exact => {
                    out.extend_from_slice(&row.text);
                    out.extend_from_slice(if row.ended { b"\n" } else { b"" });
                }
                None => {
                    out.extend_from_slice(&row.text);
                    out.extend_from_slice(if row.ended { mostly } else { b"" });
                }
            }
        }
        // The file had no final newline, and the patch does not say that it gets one.
        if open_end && ended_by_us {
            let keep = out.strip_suffix(b"\r\n").or(out.strip_suffix(b"\n")).map_or(out.len(), <[u8]>::len);
            out.truncate(keep);
        }
        from = place + here.len();
    }
    if from < lines.len() && cut_off(&out) {
        let hunk = hunks.last().map_or(0, |hunk| hunk.line);
        return Err(PatchError::Misfit { path: path.to_owned(), hunk: hunks.len(), line: hunk });
    }
    lines[from..].iter().for_each(|line| out.extend_from_slice(line));
    Ok(out)
}

/// Whether more lines cannot follow.
fn cut_off(out: &[u8]) -> bool {
    out.last().is_some_and(|byte| *byte != b'\n')
}

impl Hunk {
    fn old(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.side != Side::New)
    }

    /// A carriage return anywhere means that the endings of all its lines are meant.
    fn says_endings(&self) -> bool {
        self.rows.iter().any(|row| row.text.ends_with(b"\r"))
    }
}

/// Where a hunk fits: at its line, else at the only other place.
fn place(path: &str, nth: usize, hunk: &Hunk, lines: &[&[u8]], from: usize) -> Result<usize, PatchError> {
    let old: Vec<&Row> = hunk.old().collect();
    let named = if old.is_empty() { hunk.start } else { hunk.start.saturating_sub(1) };
    let is_exact = hunk.says_endings();
    let is_line = |row: &Row, line: &[u8]| {
        let bare = line.strip_suffix(b"\n").unwrap_or(line);
        let loose = bare.strip_suffix(b"\r").filter(|_| !is_exact && bare.len() < line.len());
        let same = bare == row.text || loose == Some(&row.text[..]);
        same && (row.ended || bare.len() == line.len())
    };
    let fits = |at: usize| {
        at >= from
            && at + old.len() <= lines.len()
            && old.iter().zip(&lines[at..]).all(|(row, line)| is_line(row, line))
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
