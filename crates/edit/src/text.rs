//! Text: exact replacements in a file's bytes, keeping its line endings, byte order mark and final newline.

use std::ops::Range;

use memchr::memmem;

/// One replacement. What is not UTF-8 around it stays as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Must be in the file exactly once. A newline in it matches the file's own line ending.
    pub old: String,
    pub new: String,
}

/// Why replacements cannot be made. Numbers count from 0.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    #[error("edit {at} has an empty `old`")]
    Empty { at: usize },
    #[error("edit {at} changes nothing")]
    Same { at: usize },
    #[error("edit {at}: `old` is not in the file")]
    NotFound { at: usize, near: Vec<Near> },
    /// A byte that is no UTF-8 is shown as this letter, which is not what the file has.
    #[error("edit {at}: `old` has U+FFFD, which stands for bytes of line {line} that are no UTF-8")]
    NotUtf8 { at: usize, line: u32 },
    /// What it would become is not known: the file is not written as `new` is.
    #[error(
        "edit {at}: `new` has letters beyond ASCII, and line {line} shows that the file is not written in UTF-8"
    )]
    OtherEncoding { at: usize, line: u32 },
    #[error("edit {at}: `old` is in the file {count}")]
    Several { at: usize, lines: Vec<u32>, count: Count },
    #[error("edits {first} and {second} overlap")]
    Overlap { first: usize, second: usize },
}

/// How often something is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    Times(usize),
    AtLeast(usize),
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Times(count) => write!(f, "{count} times"),
            Self::AtLeast(count) => write!(f, "at least {count} times"),
        }
    }
}

/// A place that is nearly what was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near {
    /// Where `old` would begin.
    pub line: u32,
    /// The first line there that differs, and its number.
    pub differs_at: u32,
    pub text: String,
    /// Nothing but blanks differs.
    pub only_blanks: bool,
}

const MARK: &[u8] = b"\xEF\xBB\xBF";

/// The bytes after all replacements. Each is looked for in the file as it is, not in what another one made of it.
pub fn edited(bytes: &[u8], edits: &[Edit]) -> Result<Vec<u8>, EditError> {
    let start = if bytes.starts_with(MARK) { MARK.len() } else { 0 };
    let file = Plain::of(&bytes[start..]);
    let crlf = file.is_mostly_crlf();
    let foreign = std::str::from_utf8(&file.text).err().map(|err| line_of(&file.text, err.valid_up_to()));
    let mut spots: Vec<(Range<usize>, usize)> = Vec::new();
    for (at, edit) in edits.iter().enumerate() {
        let old = unmarked(&edit.old).replace("\r\n", "\n");
        if old.is_empty() {
            return Err(EditError::Empty { at });
        }
        if edit.new.replace("\r\n", "\n") == edit.old.replace("\r\n", "\n") {
            return Err(EditError::Same { at });
        }
        if let Some(line) = foreign.filter(|_| !edit.new.is_ascii()) {
            return Err(EditError::OtherEncoding { at, line });
        }
        let (found, count) = occurrences(&file.text, old.as_bytes());
        match found[..] {
            [one] => spots.push((one..one + old.len(), at)),
            [] => {
                let not_utf8 = undecodable(&file.text, &old).map(|line| EditError::NotUtf8 { at, line });
                let not_found = || EditError::NotFound { at, near: near(&file.text, &old) };
                return Err(not_utf8.unwrap_or_else(not_found));
            }
            _ => {
                let lines = found.iter().map(|&one| line_of(&file.text, one)).collect();
                return Err(EditError::Several { at, lines, count });
            }
        }
    }
    spots.sort_by_key(|(spot, _)| spot.start);
    for pair in spots.windows(2) {
        if pair[0].0.end > pair[1].0.start {
            let (first, second) = (pair[0].1.min(pair[1].1), pair[0].1.max(pair[1].1));
            return Err(EditError::Overlap { first, second });
        }
    }
    let mut out = bytes[..start].to_vec();
    let mut from = 0;
    for (spot, at) in spots {
        let raw = file.raw(spot.start)..file.raw(spot.end);
        out.extend_from_slice(&bytes[start + from..start + raw.start]);
        let here = &bytes[start + raw.start..start + raw.end];
        let ending = memchr::memchr(b'\n', here).map_or(crlf, |at| at > 0 && here[at - 1] == b'\r');
        // The file's own mark stays before the text, so one that is repeated in an edit is not written again.
        let marked_twice = edits[at].old.starts_with('\u{FEFF}') || start > 0 && spot.start == 0;
        let new = if marked_twice { unmarked(&edits[at].new) } else { &edits[at].new };
        out.extend_from_slice(with_endings(new, ending).as_bytes());
        from = raw.end;
    }
    out.extend_from_slice(&bytes[start + from..]);
    Ok(out)
}

/// The line of the bytes that a replacement character in `old` stands for.
fn undecodable(text: &[u8], old: &str) -> Option<u32> {
    let within = old.find(char::REPLACEMENT_CHARACTER)?;
    if std::str::from_utf8(text).is_ok() {
        return None;
    }
    let shown = String::from_utf8_lossy(text);
    let at = shown.find(old)? + within;
    Some(line_of(shown.as_bytes(), at))
}

fn unmarked(text: &str) -> &str {
    text.trim_start_matches('\u{FEFF}')
}

/// New content for a file: with the byte order mark, line endings, encoding and final newline of the old one. Lines that stay keep
/// their bytes where a file has endings of both kinds or is not UTF-8.
pub fn in_the_form_of(old: &[u8], new: &str) -> Result<Vec<u8>, EditError> {
    let has_mark = old.starts_with(MARK);
    let body = &old[if has_mark { MARK.len() } else { 0 }..];
    let file = Plain::of(body);
    let crlf = file.is_mostly_crlf();
    let text = new.strip_prefix('\u{FEFF}').unwrap_or(new);
    let newlines = memchr::memchr_iter(b'\n', body).count();
    let is_even =
        (file.dropped.is_empty() || file.dropped.len() == newlines) && std::str::from_utf8(body).is_ok();
    let mut bytes = match (newlines, is_even) {
        (0, true) => text.as_bytes().to_vec(),
        (_, true) => with_endings(text, crlf).into_bytes(),
        (_, false) => line_by_line(body, text, crlf)?,
    };
    if !body.is_empty() && !bytes.is_empty() {
        let (had, has) = (body.ends_with(b"\n"), bytes.ends_with(b"\n"));
        if had && !has {
            bytes.extend_from_slice(if crlf { b"\r\n" } else { b"\n" });
        } else if !had && has {
            bytes.truncate(bytes.len() - if bytes.ends_with(b"\r\n") { 2 } else { 1 });
        }
    }
    let mark: &[u8] = if has_mark || new.starts_with('\u{FEFF}') { MARK } else { b"" };
    Ok([mark, &bytes].concat())
}

/// New content of which the lines that the old one has too keep their bytes.
fn line_by_line(old: &[u8], new: &str, crlf: bool) -> Result<Vec<u8>, EditError> {
    let is_utf8 = std::str::from_utf8(old).is_ok();
    // Whoever read a file that is not UTF-8 may have seen its letters all the same.
    let letters = |line: &[u8]| match std::str::from_utf8(line) {
        Ok(line) => line.to_owned(),
        Err(_) => line.iter().map(|&byte| char::from(byte)).collect(),
    };
    let bare = |line: &str| line.trim_end_matches('\n').trim_end_matches('\r').to_owned();
    let raw: Vec<&[u8]> = old.split_inclusive(|&byte| byte == b'\n').collect();
    let was: Vec<String> = raw.iter().map(|line| bare(&letters(line))).collect();
    let plain = new.replace("\r\n", "\n");
    let lines: Vec<&str> = plain.split_inclusive('\n').collect();
    let is: Vec<String> = lines.iter().map(|line| bare(line)).collect();
    let ending: &[u8] = if crlf { b"\r\n" } else { b"\n" };
    let mut bytes = Vec::with_capacity(old.len());
    for op in similar::capture_diff_slices(similar::Algorithm::Myers, &was, &is) {
        let stays = op.tag() == similar::DiffTag::Equal;
        for at in op.new_range() {
            if stays {
                let own = raw[op.old_range().start + at - op.new_range().start];
                bytes.extend_from_slice(own);
                if !own.ends_with(b"\n") && lines[at].ends_with('\n') {
                    bytes.extend_from_slice(ending);
                }
                continue;
            }
            if !is_utf8 && !is[at].is_ascii() {
                return Err(EditError::OtherEncoding {
                    at: 0,
                    line: u32::try_from(at + 1).unwrap_or(u32::MAX),
                });
            }
            bytes.extend_from_slice(is[at].as_bytes());
            if lines[at].ends_with('\n') {
                bytes.extend_from_slice(ending);
            }
        }
    }
    Ok(bytes)
}

/// Why bytes are no text that can be edited, if they are not.
pub fn not_text(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
        return Some("UTF-16");
    }
    memchr::memchr(0, bytes).is_some().then_some("binary")
}

fn with_endings(text: &str, crlf: bool) -> String {
    let plain = text.replace("\r\n", "\n");
    if crlf { plain.replace('\n', "\r\n") } else { plain }
}

/// A file with plain newlines, and where carriage returns were taken out.
struct Plain {
    text: Vec<u8>,
    /// Places in `text` of the newlines that had one before them.
    dropped: Vec<usize>,
}

impl Plain {
    fn of(bytes: &[u8]) -> Self {
        let mut text = Vec::with_capacity(bytes.len());
        let mut dropped = Vec::new();
        let mut from = 0;
        for at in memmem::find_iter(bytes, b"\r\n") {
            text.extend_from_slice(&bytes[from..at]);
            dropped.push(text.len());
            from = at + 1;
        }
        text.extend_from_slice(&bytes[from..]);
        Self { text, dropped }
    }

    /// Where a place of `text` is in the bytes; before a newline means before its carriage return.
    fn raw(&self, at: usize) -> usize {
        at + self.dropped.partition_point(|&newline| newline < at)
    }

    fn is_mostly_crlf(&self) -> bool {
        let newlines = memchr::memchr_iter(b'\n', &self.text).count();
        self.dropped.len() * 2 > newlines
    }
}

/// Where something begins, also where two of them overlap: the first few places, and how many there are.
fn occurrences(text: &[u8], wanted: &[u8]) -> (Vec<usize>, Count) {
    let finder = memmem::Finder::new(wanted);
    let mut found = Vec::new();
    let mut count = 0;
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| finder.find(rest)) {
        if found.len() < MAX_PLACES {
            found.push(from + at);
        }
        count += 1;
        from += at + 1;
        if count == MAX_COUNTED {
            return (found, Count::AtLeast(count));
        }
    }
    (found, Count::Times(count))
}

/// Nobody needs to know it more exactly.
const MAX_COUNTED: usize = 10_000;
/// More places than this are not told one by one.
const MAX_PLACES: usize = 10;
/// Near misses that are told.
const MAX_NEAR: usize = 3;
/// Larger files are not looked through for lines that are merely alike.
const MAX_COMPARED: usize = 2 << 20;
/// Less alike is not near.
const LEAST_LIKENESS: f64 = 0.6;
/// Longer lines are cut.
const MAX_SHOWN: usize = 120;

fn line_of(text: &[u8], at: usize) -> u32 {
    let newlines = memchr::memchr_iter(b'\n', &text[..at]).count();
    u32::try_from(newlines + 1).unwrap_or(u32::MAX)
}

/// Places where most of the lines of `old` stand, or a line that is like its first.
fn near(text: &[u8], old: &str) -> Vec<Near> {
    let text = String::from_utf8_lossy(text);
    let lines: Vec<&str> = text.lines().collect();
    let wanted: Vec<&str> = old.lines().collect();
    let Some(lead) = wanted.iter().position(|line| !line.trim().is_empty()) else { return Vec::new() };
    let is_small = text.len() <= MAX_COMPARED;
    let mut found: Vec<(f64, Near)> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let likeness = match line.trim() == wanted[lead].trim() {
            true => 1.0,
            false if is_small => alike(line.trim(), wanted[lead].trim()),
            false => 0.0,
        };
        let contained = wanted.len() == 1 && blankless(line).contains(&blankless(wanted[lead]));
        if likeness < LEAST_LIKENESS && !contained {
            continue;
        }
        let Some(begin) = at.checked_sub(lead) else { continue };
        let pairs =
            || wanted.iter().enumerate().map(|(nth, want)| (begin + nth, lines.get(begin + nth), want));
        let same = pairs().filter(|(_, have, want)| have.is_some_and(|have| have.trim() == want.trim()));
        let score = same.count() as f64 + likeness + f64::from(u8::from(contained));
        let only_blanks = contained
            || pairs().all(|(_, have, want)| have.is_some_and(|have| blankless(have) == blankless(want)));
        let differs = pairs().find(|(_, have, want)| have.is_none_or(|have| have != *want));
        let (differs_at, shown) =
            differs.map_or((at, *line), |(number, have, _)| (number, have.copied().unwrap_or_default()));
        let number = |line: usize| u32::try_from(line + 1).unwrap_or(u32::MAX);
        let text = shown[..shown.floor_char_boundary(MAX_SHOWN)].to_owned();
        let near = Near { line: number(begin), differs_at: number(differs_at), text, only_blanks };
        found.push((score, near));
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.line.cmp(&b.1.line)));
    found.truncate(MAX_NEAR);
    found.into_iter().map(|(_, near)| near).collect()
}

/// 0 to 1; lines of very different length are not compared.
fn alike(a: &str, b: &str) -> f64 {
    let (short, long) = (a.len().min(b.len()), a.len().max(b.len()));
    if short * 2 < long || long > 400 || short < 3 {
        return 0.0;
    }
    strsim::normalized_levenshtein(a, b)
}

fn blankless(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_whitespace()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(old: &str, new: &str) -> Edit {
        Edit { old: old.into(), new: new.into() }
    }

    fn shown(file: &str, edits: &[Edit]) -> String {
        match edited(file.as_bytes(), edits) {
            Ok(bytes) => String::from_utf8(bytes).unwrap().replace('\r', "<CR>"),
            Err(EditError::NotFound { at, near }) => {
                let near: Vec<String> = near
                    .iter()
                    .map(|near| {
                        let blanks = if near.only_blanks { " blanks" } else { "" };
                        format!("{}/{} {:?}{blanks}", near.line, near.differs_at, near.text)
                    })
                    .collect();
                format!("{at} near {}", near.join("; "))
            }
            Err(EditError::Several { at, lines, count }) => format!("{at} several {lines:?} {count}"),
            Err(err) => err.to_string(),
        }
    }

    #[test]
    fn replacements_are_made_in_the_file_as_it_is() {
        let file = "one\ntwo\nthree\n";
        assert_eq!(shown(file, &[edit("two", "2"), edit("one\n", "two\n")]), "two\n2\nthree\n");
        assert_eq!(shown(file, &[edit("two\nthree", "x"), edit("one\ntwo", "y")]), "edits 0 and 1 overlap");
        assert_eq!(shown(file, &[edit("", "y")]), "edit 0 has an empty `old`");
        assert_eq!(shown(file, &[edit("one", "one")]), "edit 0 changes nothing");
    }

    #[test]
    fn what_is_there_twice_or_overlaps_itself_is_refused_with_its_lines() {
        assert_eq!(shown("a = 1\nb\na = 1\n", &[edit("a = 1", "a = 2")]), "0 several [1, 3] 2 times");
        assert_eq!(shown("aaa", &[edit("aa", "b")]), "0 several [1, 1] 2 times");
    }

    #[test]
    fn what_is_there_often_is_counted_to_the_end() {
        let file = "x = 1\n".repeat(25);
        let said = shown(&file, &[edit("x = 1", "x = 2")]);
        assert_eq!(said, "0 several [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] 25 times");
    }

    #[test]
    fn a_mark_that_an_edit_repeats_is_not_written_twice() {
        let marked = "\u{FEFF}x = 1\ny = 2\n";
        for (old, new) in
            [("\u{FEFF}x = 1", "\u{FEFF}x = 3"), ("x = 1", "\u{FEFF}x = 3"), ("\u{FEFF}x = 1", "x = 3")]
        {
            assert_eq!(shown(marked, &[edit(old, new)]), "\u{FEFF}x = 3\ny = 2\n", "{old:?} {new:?}");
        }
        assert_eq!(shown("x = 1\n", &[edit("\u{FEFF}x = 1", "\u{FEFF}x = 3")]), "x = 3\n");
        assert_eq!(shown("a\u{FEFF}b", &[edit("\u{FEFF}b", "\u{FEFF}c")]), "a\u{FEFF}c");
    }

    #[test]
    fn near_misses_are_told_with_their_lines() {
        let file = "fn a() {\n    let x = 1;\n    call(x);\n}\n\nfn b() {\n    call( y );\n}\n";
        assert_eq!(
            shown(file, &[edit("let x = 1;\n  call(x);", "")]),
            "0 near 2/2 \"    let x = 1;\" blanks"
        );
        assert_eq!(
            shown(file, &[edit("call(y);", "")]),
            "0 near 7/7 \"    call( y );\" blanks; 3/3 \"    call(x);\""
        );
        assert_eq!(
            shown(file, &[edit("fn a() {\n    let y = 1;", "")]),
            "0 near 1/2 \"    let x = 1;\"; 6/6 \"fn b() {\""
        );
        assert_eq!(shown(file, &[edit("nothing like it here", "")]), "0 near ");
    }

    #[test]
    fn line_endings_follow_the_file() {
        let file = "one\r\ntwo\r\nthree\r\n";
        assert_eq!(shown(file, &[edit("one\ntwo", "1\n2\n2b")]), "1<CR>\n2<CR>\n2b<CR>\nthree<CR>\n");
        assert_eq!(shown(file, &[edit("two", "2\n")]), "one<CR>\n2<CR>\n<CR>\nthree<CR>\n");
        assert_eq!(shown(file, &[edit("one\r\ntwo", "1\r\n2")]), "1<CR>\n2<CR>\nthree<CR>\n");
        let mixed = "a\r\nb\nc\n";
        assert_eq!(shown(mixed, &[edit("a\nb", "x\ny")]), "x<CR>\ny\nc\n");
        assert_eq!(shown(mixed, &[edit("b\nc", "x\r\ny")]), "a<CR>\nx\ny\n");
    }

    fn formed(old: &[u8], new: &str) -> Vec<u8> {
        in_the_form_of(old, new).unwrap()
    }

    #[test]
    fn lines_that_stay_keep_their_bytes_whatever_the_others_are() {
        assert_eq!(
            formed(b"a = 1\r\nb = 2\nc = 3\nd = 4\n", "a = 1\r\nb = 2\nc = 3\nd = 5\n"),
            b"a = 1\r\nb = 2\nc = 3\nd = 5\n"
        );
        assert_eq!(
            formed(b"a = 1\r\nb = 2\nc = 3\n", "a = 1\nx = 0\nb = 2\nc = 3\n"),
            b"a = 1\r\nx = 0\nb = 2\nc = 3\n"
        );
        let latin = b"caf\xE9 = 1\nx = 2\n";
        assert_eq!(formed(latin, "caf\u{e9} = 1\nx = 3\n"), b"caf\xE9 = 1\nx = 3\n");
        assert_eq!(
            in_the_form_of(latin, "caf\u{e9} = 1\nx = '\u{fc}'\n"),
            Err(EditError::OtherEncoding { at: 0, line: 2 })
        );
        assert_eq!(formed(b"caf\xE9\r\nb\nc", "caf\u{e9}\nb\nc\nd\n"), b"caf\xE9\r\nb\nc\nd");
    }

    #[test]
    fn marks_bytes_and_missing_newlines_stay() {
        let latin = b"caf\xE9 = 1\nx = 2";
        let refused = edited(latin, &[edit("x = 2", "x = \u{fc}")]).unwrap_err();
        assert_eq!(refused, EditError::OtherEncoding { at: 0, line: 1 });
        assert_eq!(edited(latin, &[edit("x = 2", "x = 3")]).unwrap(), b"caf\xE9 = 1\nx = 3");
        let marked = b"\xEF\xBB\xBFone\r\n";
        assert_eq!(edited(marked, &[edit("one\n", "two\n")]).unwrap(), b"\xEF\xBB\xBFtwo\r\n");
        assert_eq!(formed(marked, "two\nthree\n"), b"\xEF\xBB\xBFtwo\r\nthree\r\n");
        assert_eq!(formed(b"one\n", "two"), b"two\n");
        assert_eq!(formed(b"one", "two\n"), b"two");
        assert_eq!(formed(b"one\ntwo", "two\r\nthree\r\n"), b"two\nthree");
        assert_eq!(formed(b"", "two\r\n"), b"two\r\n");
        assert_eq!(formed(b"one\n", ""), b"");
        assert_eq!(not_text(b"\xFF\xFEa\0"), Some("UTF-16"));
        assert_eq!(not_text(b"ELF\0"), Some("binary"));
        assert_eq!(not_text(latin), None);
    }

    proptest::proptest! {
        #[test]
        fn an_edit_and_its_inverse_leave_every_byte(before in "[a-c\r\n]{0,20}", after in "[a-c\r\n]{0,20}", crlf: bool) {
            let join = |text: &str| if crlf { text.replace('\r', "").replace('\n', "\r\n") } else { text.replace('\r', "") };
            let file = format!("{}@one@{}", join(&before), join(&after));
            let there = edited(file.as_bytes(), &[edit("@one@", "@t\nw\no@")]).unwrap();
            let back = edited(&there, &[edit("@t\nw\no@", "@one@")]).unwrap();
            proptest::prop_assert_eq!(back, file.into_bytes());
        }
    }
}
