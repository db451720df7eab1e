//! Fitting: where the hunks of a file belong, and what it holds after them.

use super::{Hunk, PatchError, Places, Row, Side};

/// The bytes after all hunks.
pub(super) fn applied(path: &str, bytes: &[u8], hunks: &[Hunk]) -> Result<Vec<u8>, PatchError> {
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

/// Places that a refusal names.
const MAX_PLACES: usize = 10;

/// Where a hunk fits: at its line, else at the only other place.
fn place(path: &str, nth: usize, hunk: &Hunk, lines: &[&[u8]], from: usize) -> Result<usize, PatchError> {
    let old: Vec<&Row> = hunk.old().collect();
    let is_exact = hunk.says_endings();
    let is_line = |row: &Row, line: &[u8]| {
        let bare = line.strip_suffix(b"\n").unwrap_or(line);
        let loose = bare.strip_suffix(b"\r").filter(|_| !is_exact && bare.len() < line.len());
        let same = bare == row.text || loose == Some(&row.text[..]);
        same && (row.ended || bare.len() == line.len())
    };
    let fits = |at: usize| {
        at + old.len() <= lines.len() && old.iter().zip(&lines[at..]).all(|(row, line)| is_line(row, line))
    };
    let misfit = || PatchError::Misfit { path: path.to_owned(), hunk: nth, line: hunk.line };
    let named = hunk.start.map(|start| if old.is_empty() { start } else { start.saturating_sub(1) });
    if let Some(named) = named.filter(|&named| named >= from && fits(named)) {
        return Ok(named);
    }
    if old.is_empty() {
        return match hunk.start {
            // All of a file that holds nothing yet.
            None if lines.is_empty() => Ok(0),
            None => Err(PatchError::Nowhere { path: path.to_owned(), hunk: nth, line: hunk.line }),
            Some(_) => Err(misfit()),
        };
    }
    // Without a line to go by the place must be the only one of the whole file.
    let first = if named.is_some() { from } else { 0 };
    let mut places: Vec<usize> = (first..lines.len()).filter(|&at| fits(at)).collect();
    match places[..] {
        [one] if one >= from => Ok(one),
        [] | [_] => Err(misfit()),
        _ => {
            if let Some(named) = named {
                places.sort_by_key(|&at| (at.abs_diff(named), at));
            }
            let nearest = places.iter().take(MAX_PLACES).map(|at| at + 1).collect();
            let why = match named {
                Some(_) => "none of them is the one it names",
                None => "it names none of them",
            };
            let places = Places { nearest, total: places.len() };
            Err(PatchError::Several { path: path.to_owned(), hunk: nth, line: hunk.line, places, why })
        }
    }
}
