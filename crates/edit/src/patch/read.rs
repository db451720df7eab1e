//! Reading: a patch as files and their hunks. A line that looks like part of a hunk and is part of none is refused.

use super::{FilePatch, Hunk, PatchError, Row, Side, Unpatchable};

/// The files of a patch, in its order.
pub(super) fn files(patch: &[u8]) -> Result<Vec<FilePatch>, PatchError> {
    let lines = lines_of(patch);
    let mut files: Vec<FilePatch> = Vec::new();
    let mut at = 0;
    // Between patches stand the words of commits and mails.
    let mut is_within = false;
    while at < lines.len() {
        let line = bare(lines[at]);
        let malformed = |what| PatchError::Malformed { line: at + 1, what };
        let unpatchable = |what| PatchError::Unpatchable { line: at + 1, what };
        let name = |name: Option<String>| name.ok_or_else(|| malformed("the name is not UTF-8"));
        let git_name = |files: &mut Vec<FilePatch>| {
            let unreadable = || malformed("the name on the line `diff --git` above cannot be read");
            last(files, at).git.clone().ok_or_else(unreadable)
        };
        let ends = |end: &[u8]| line.ends_with(end);
        if let Some(names) = line.strip_prefix(b"diff --git ") {
            files.push(FilePatch { line: at + 1, git: same_name(names), ..FilePatch::default() });
            is_within = true;
        } else if let Some(path) = line.strip_prefix(b"rename from ").or(line.strip_prefix(b"copy from ")) {
            let file = last(&mut files, at);
            file.old = Some(name(unquoted(path))?);
            file.copies = line.starts_with(b"copy");
        } else if let Some(path) = line.strip_prefix(b"rename to ").or(line.strip_prefix(b"copy to ")) {
            last(&mut files, at).new = Some(name(unquoted(path))?);
        } else if line.starts_with(b"GIT binary patch") || line.starts_with(b"Binary files ") {
            return Err(unpatchable(Unpatchable::Binary));
        } else if (ends(b" 120000") || ends(b" 160000")) && is_about_mode(line) {
            return Err(unpatchable(Unpatchable::Link));
        } else if line.starts_with(b"new mode ") {
            // Where nothing else changes there are no lines `---` and `+++` that would name it.
            let name = last(&mut files, at).git.clone();
            let file = last(&mut files, at);
            file.runs = Some(ends(b"100755"));
            file.old = file.old.take().or_else(|| name.clone());
            file.new = file.new.take().or(name);
        } else if line.starts_with(b"diff --cc ")
            || line.starts_with(b"diff --combined ")
            || is_within && line.starts_with(b"@@@")
        {
            return Err(unpatchable(Unpatchable::Combined));
        } else if line.starts_with(b"new file mode ") {
            // An empty file has no lines `---` and `+++` that would name it.
            let name = git_name(&mut files)?;
            let file = last(&mut files, at);
            file.new = Some(name);
            file.runs = ends(b"100755").then_some(true);
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
            is_within = true;
            at += 1;
        } else if line.starts_with(b"@@ ") || is_within && line.starts_with(b"@@") {
            let (hunk, used) = hunk(&lines, at)?;
            let file = files.last_mut().filter(|_| is_within);
            file.ok_or_else(|| malformed("a hunk before any file"))?.hunks.push(hunk);
            at += used;
            continue;
        } else if is_within && is_end(&lines, at) {
            is_within = false;
        } else if is_within && is_row(line) {
            let hunk = files.last().and_then(|file| file.hunks.last());
            return Err(match hunk {
                Some(hunk) if hunk.start.is_some() => PatchError::Surplus { line: at + 1, hunk: hunk.line },
                _ => PatchError::NoHunk { line: at + 1 },
            });
        }
        at += 1;
    }
    Ok(files)
}

/// Whether a line could be one of a hunk. Blanks alone change nothing.
fn is_row(line: &[u8]) -> bool {
    matches!(line.first(), Some(b'+' | b'-' | b' ')) && !line.trim_ascii().is_empty()
}

/// Whether the patches of a mail or a commit end here, so that words follow: a mail's signature, the next commit, or
/// what subversion says of properties.
fn is_end(lines: &[&[u8]], at: usize) -> bool {
    let line = bare(lines[at]);
    let is_hash = |word: &[u8]| {
        let hash = word.split(|byte| *byte == b' ').next().unwrap_or_default();
        hash.len() >= 7 && hash.iter().all(u8::is_ascii_hexdigit)
    };
    let begins = |word: &[u8]| line.strip_prefix(word).is_some_and(is_hash);
    // A line that is taken away could look so too: others of its hunk would follow.
    let is_signature = line == b"-- " && !lines.get(at + 1).is_some_and(|next| is_row(bare(next)));
    is_signature || begins(b"commit ") || begins(b"From ") || line.starts_with(b"Property changes on: ")
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
    let bad =
        || malformed(at, "a hunk begins with @@ -line,count +line,count @@, or with @@ and nothing else");
    // What follows the numbers is a line of the file, in whatever encoding.
    let head = String::from_utf8_lossy(bare(lines[at]));
    let between = head.trim_matches('@').trim();
    let mut left = match between {
        "" | "..." => Left::Until(end_of_rows(lines, at + 1)),
        _ => Left::Counted { old: 0, new: 0 },
    };
    let mut start = None;
    if let Left::Counted { old, new } = &mut left {
        let mut words = head.split(' ').skip(1);
        let mut range = |sign: char| {
            let word = words.next()?.strip_prefix(sign)?;
            let (start, count) = word.split_once(',').unwrap_or((word, "1"));
            Some((start.parse::<usize>().ok()?, count.parse::<usize>().ok()?))
        };
        let (first, lines) = range('-').ok_or_else(bad)?;
        (start, *old) = (Some(first), lines);
        (_, *new) = range('+').ok_or_else(bad)?;
    }
    let mut rows: Vec<Row> = Vec::new();
    let mut next = at + 1;
    while left.is_any(next) {
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
        if !left.take(side) {
            return Err(PatchError::Surplus { line: next + 1, hunk: at + 1 });
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

/// Where the lines of a hunk end that does not count them. Empty lines at its end part it from what follows.
fn end_of_rows(lines: &[&[u8]], from: usize) -> usize {
    let could_be = |at: usize| matches!(bare(lines[at]).first(), Some(b'+' | b'-' | b' ' | b'\\') | None);
    let is_row = |&at: &usize| could_be(at) && !is_file(lines, at) && !is_end(lines, at);
    let last = (from..lines.len()).take_while(is_row).filter(|&at| !bare(lines[at]).is_empty()).last();
    last.map_or(from, |last| last + 1)
}

/// What is still to be read of a hunk.
enum Left {
    Counted {
        old: usize,
        new: usize,
    },
    /// The line of the patch that is no part of it any more.
    Until(usize),
}

impl Left {
    fn is_any(&self, at: usize) -> bool {
        match self {
            Self::Counted { old, new } => *old > 0 || *new > 0,
            Self::Until(end) => at < *end,
        }
    }

    /// Counts a line; false where none of its kind is left.
    fn take(&mut self, side: Side) -> bool {
        let Self::Counted { old, new } = self else { return true };
        let (of_old, of_new) = (usize::from(side != Side::New), usize::from(side != Side::Old));
        let is_left = *old >= of_old && *new >= of_new;
        (*old, *new) = (old.saturating_sub(of_old), new.saturating_sub(of_new));
        is_left
    }
}

/// Whether the names of a file stand here.
fn is_file(lines: &[&[u8]], at: usize) -> bool {
    lines[at].starts_with(b"--- ") && lines.get(at + 1).is_some_and(|next| next.starts_with(b"+++ "))
}
