//! Text search over the files on disk as they are now, with ripgrep's own engine and rules.

mod collect;
mod kept;
mod pattern;

use std::collections::HashSet;
use std::io;
use std::path::Path;

use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use m1nd_stdx::cancel::{CancelToken, Stop};
use parking_lot::Mutex;

use crate::glob::PathGlob;
use crate::path::RelPath;
use crate::read::{self, ReadError};
use crate::root::Root;
use crate::walk::{self, Found, Reach};

use collect::{Collector, Interrupted, StoppableRead};
use kept::Kept;
pub use pattern::{Case, Pattern, PatternError, Syntax};

/// What to look for and how much of it to bring back.
#[derive(Debug)]
pub struct Query<'a> {
    pub pattern: &'a Pattern,
    /// A folder or file to look in; the root for everything.
    pub start: RelPath,
    /// Only files whose path starts so.
    pub prefix: Option<String>,
    pub globs: &'a [PathGlob],
    /// Matches to bring back; all are counted.
    pub keep: usize,
    /// Lines to bring back around each.
    pub context: usize,
    /// What ripgrep would search, or all that belongs to the repository; of that, files that are not text are searched as
    /// bytes, too.
    pub reach: Reach,
    /// Files that belong to the repository whatever its ignore files say; for that reach only.
    pub tracked: &'a [RelPath],
}

/// One matching line (or block of lines, for patterns that span them).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    pub path: RelPath,
    /// 1-based.
    pub line: u64,
    pub text: String,
    pub before: Vec<String>,
    pub after: Vec<String>,
}

/// What a search found, and what it could not look into.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// In order of path and line.
    pub matches: Vec<Match>,
    pub total: u64,
    pub files_matched: u64,
    pub files_searched: u64,
    pub missed: Missed,
    /// Set when the time allowed ran out: the totals then are lower bounds.
    pub stopped: Option<Stop>,
}

/// Files that were not searched, or not to the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Missed {
    pub secret: u64,
    pub unreadable: u64,
    /// Files with lines too long to hold in memory.
    pub too_large: u64,
}

/// A line longer than this is held in memory whole while it is searched; beyond, the file is passed over.
const MAX_LINE_MEMORY: usize = 128 << 20;

/// Searches. An explicit cancel is an error; a deadline that passes gives what was found by then.
/// `searched` is told, from any thread, how many files are done.
pub fn search(
    root: &Root,
    query: &Query<'_>,
    cancel: &CancelToken,
    searched: &(dyn Fn(u64) + Sync),
) -> Result<Findings, Stop> {
    let state = Mutex::new(State { kept: Kept::new(query.keep), ..State::default() });
    let met: Mutex<HashSet<RelPath>> = Mutex::default();
    let walked = walk::files_within(root, &query.start, query.reach, cancel, || {
        let mut searcher = fresh_searcher(query);
        let (state, met) = (&state, &met);
        move |found: Found<'_>| {
            if !query.tracked.is_empty() {
                met.lock().insert(found.shown.clone());
            }
            if query.admits(&found.shown) {
                let done = search_file(root, query, cancel, &mut searcher, (found.path, &found.shown), state);
                searched(done);
            }
        }
    });
    let met = met.into_inner();
    let is_left = |path: &&RelPath| !met.contains(*path) && query.is_below(path) && query.admits(path);
    let mut searcher = fresh_searcher(query);
    for path in query.tracked.iter().filter(is_left).take_while(|_| cancel.stop().is_none()) {
        if crate::policy::withheld(path).is_some() {
            state.lock().missed.secret += 1;
        } else {
            search_file(root, query, cancel, &mut searcher, (path.as_path(), path), &state);
        }
    }
    let state = state.into_inner();
    let mut missed = state.missed;
    let stopped = match walked {
        Ok(passed) => {
            // What a narrower search would not have looked at was not missed.
            missed.secret += if query.is_narrow() { 0 } else { passed.secret };
            missed.unreadable += passed.unread.len() as u64;
            cancel.stop().filter(|_| state.interrupted)
        }
        Err(stop) => Some(stop),
    };
    if stopped == Some(Stop::Cancelled) {
        return Err(Stop::Cancelled);
    }
    Ok(Findings {
        matches: state.kept.into_matches(),
        total: state.total,
        files_matched: state.files_matched,
        files_searched: state.files_searched,
        missed,
        stopped,
    })
}

#[derive(Default)]
struct State {
    kept: Kept,
    total: u64,
    files_matched: u64,
    files_searched: u64,
    missed: Missed,
    interrupted: bool,
}

impl Query<'_> {
    fn is_narrow(&self) -> bool {
        self.prefix.is_some() || !self.globs.is_empty()
    }

    fn is_below(&self, path: &RelPath) -> bool {
        self.start.is_root() || path.as_path().starts_with(self.start.as_path())
    }

    fn admits(&self, path: &RelPath) -> bool {
        self.prefix.as_deref().is_none_or(|prefix| path.as_str().starts_with(prefix))
            && self.globs.iter().all(|glob| glob.admits(path))
    }
}

fn fresh_searcher(query: &Query<'_>) -> Searcher {
    let binary = match query.reach {
        // As ripgrep does for files it finds by walking: a NUL byte ends the search of that file.
        Reach::Usual => BinaryDetection::quit(0),
        Reach::Repository => BinaryDetection::convert(0),
    };
    SearcherBuilder::new()
        .binary_detection(binary)
        .line_number(true)
        .multi_line(query.pattern.spans_lines())
        .before_context(query.context)
        .after_context(query.context)
        .heap_limit(Some(MAX_LINE_MEMORY))
        .build()
}

fn search_file(
    root: &Root,
    query: &Query<'_>,
    cancel: &CancelToken,
    searcher: &mut Searcher,
    (path, shown): (&Path, &RelPath),
    state: &Mutex<State>,
) -> u64 {
    let file = match read::open_at(root, path, shown) {
        Ok((file, _)) => file,
        // It was there a moment ago; a file that vanishes during the walk is no longer part of it.
        Err(ReadError::Path(crate::PathError::NotFound { .. })) => return state.lock().files_searched,
        Err(_) => {
            let mut state = state.lock();
            state.missed.unreadable += 1;
            return state.files_searched;
        }
    };
    // Files that sort behind everything already kept are only counted.
    let keep = state.lock().kept.room_for(shown);
    let mut collector = Collector::new(query, shown.clone(), keep, cancel);
    let mut grown = false;
    let reader = StoppableRead::new(file, cancel, &mut grown);
    let outcome = searcher.search_reader(query.pattern.matcher(), reader, &mut collector);
    let (matches, count) = collector.finish();
    // What counts as binary depends on how much is read at once, and a buffer that had to grow for one
    // file stays large. A fresh one keeps the answer from depending on which file came before.
    if grown {
        *searcher = fresh_searcher(query);
    }
    let mut state = state.lock();
    state.files_searched += 1;
    state.total += count;
    state.files_matched += u64::from(count > 0);
    state.kept.add(shown.clone(), matches);
    match outcome {
        Ok(()) => {}
        Err(err) if err.get_ref().is_some_and(|inner| inner.is::<Interrupted>()) => state.interrupted = true,
        Err(err) if err.kind() == io::ErrorKind::Other => state.missed.too_large += 1,
        Err(_) => state.missed.unreadable += 1,
    }
    state.files_searched
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn grep(files: &[(&str, &[u8])], pattern: &Pattern, keep: usize, context: usize) -> Findings {
        let dir = tempfile::tempdir().unwrap();
        for (name, content) in files {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        let root = Root::open(dir.path()).unwrap();
        let query = Query {
            pattern,
            start: RelPath::root(),
            prefix: None,
            globs: &[],
            keep,
            context,
            reach: Reach::Usual,
            tracked: &[],
        };
        search(&root, &query, &CancelToken::new(), &|_| ()).unwrap()
    }

    #[test]
    fn all_of_a_repository_is_searched_where_that_is_asked_for() {
        let dir = tempfile::tempdir().unwrap();
        let files: [(&str, &[u8]); 6] = [
            (".github/ci.yml", b"needle 1"),
            ("kept.txt", b"needle 2"),
            ("out/forced.txt", b"needle 3"),
            ("out/made.txt", b"needle 4"),
            ("image.png", b"\0\0needle 5\0"),
            ("other.txt", b"needle 6"),
        ];
        fs::create_dir_all(dir.path().join(".git")).unwrap();
        for (name, content) in files {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        fs::write(dir.path().join(".gitignore"), "out/\n").unwrap();
        fs::write(dir.path().join(".ignore"), "other.txt\n").unwrap();
        let root = Root::open(dir.path()).unwrap();
        let pattern = literal("needle");
        let tracked = [RelPath::from_clean(Path::new("out/forced.txt"))];
        let found = |reach: Reach, tracked: &[RelPath]| {
            let query = Query {
                pattern: &pattern,
                start: RelPath::root(),
                prefix: None,
                globs: &[],
                keep: 9,
                context: 0,
                reach,
                tracked,
            };
            let found = search(&root, &query, &CancelToken::new(), &|_| ()).unwrap();
            found.matches.iter().map(|found| found.path.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(found(Reach::Usual, &[]), ["kept.txt"]);
        assert_eq!(
            found(Reach::Repository, &tracked),
            [".github/ci.yml", "image.png", "kept.txt", "other.txt", "out/forced.txt"]
        );
    }

    fn literal(text: &str) -> Pattern {
        Pattern::compile(text, Syntax::Literal, Case::Insensitive).unwrap()
    }

    #[test]
    fn matches_come_in_order_with_their_own_context_even_when_they_touch() {
        let found = grep(&[("a.txt", b"one\nhit 1\nHIT 2\nfour\nfive\n")], &literal("hit"), 50, 2);
        assert_eq!(found.total, 2);
        assert_eq!(found.matches[0].before, ["one"]);
        assert_eq!(found.matches[0].after, ["HIT 2", "four"]);
        assert_eq!(found.matches[1].before, ["one", "hit 1"]);
        assert_eq!(found.matches[1].after, ["four", "five"]);
        assert_eq!(found.matches[1].line, 3);
    }

    #[test]
    fn the_total_is_exact_beyond_what_is_kept_and_the_kept_are_the_first() {
        let names: Vec<String> = (0..40).map(|n| format!("d{}/f{n:02}.txt", n % 3)).collect();
        let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"x\nx\nx\n"[..])).collect();
        let found = grep(&files, &literal("x"), 7, 0);
        assert_eq!((found.total, found.files_matched, found.files_searched), (120, 40, 40));
        let kept: Vec<_> = found.matches.iter().map(|m| format!("{}:{}", m.path, m.line)).collect();
        assert_eq!(
            kept,
            [
                "d0/f00.txt:1",
                "d0/f00.txt:2",
                "d0/f00.txt:3",
                "d0/f03.txt:1",
                "d0/f03.txt:2",
                "d0/f03.txt:3",
                "d0/f06.txt:1"
            ]
        );
    }

    #[test]
    fn binary_files_count_up_to_the_nul_byte_and_utf16_is_read() {
        let utf16: Vec<u8> =
            [0xFF, 0xFE].into_iter().chain("needle\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
        let found = grep(&[("bin", b"\0needle\n"), ("wide.txt", &utf16)], &literal("needle"), 50, 0);
        let paths: Vec<_> = found.matches.iter().map(|m| m.path.as_str()).collect();
        assert_eq!(paths, ["wide.txt"]);
    }

    #[test]
    fn a_late_nul_byte_means_the_same_whatever_was_searched_before() {
        let late = [b"needle\n".as_slice(), &b"x\n".repeat(40_000), b"\0\n"].concat();
        let long = vec![b'y'; 3 << 20];
        let alone = grep(&[("b", &late)], &literal("needle"), 50, 0).total;
        let names: Vec<String> = (0..30).map(|n| format!("f{n:02}")).collect();
        let files: Vec<(&str, &[u8])> = names
            .iter()
            .enumerate()
            .map(|(n, name)| (name.as_str(), if n % 2 == 0 { &long[..] } else { &late[..] }))
            .collect();
        assert_eq!(alone, 1);
        assert_eq!(grep(&files, &literal("needle"), 50, 0).total, 15);
    }

    #[test]
    fn long_lines_are_shown_around_the_match() {
        let mut line = vec![b'a'; 100_000];
        line.extend_from_slice(b"needle");
        line.extend(vec![b'b'; 100_000]);
        let found = grep(&[("min.js", &line)], &literal("needle"), 50, 2);
        assert!(found.matches[0].text.contains("needle"));
        assert!(found.matches[0].text.len() < 1_000);
    }

    #[test]
    fn windows_line_ends_and_bad_bytes_do_not_hide_a_line() {
        let found = grep(&[("a.txt", b"caf\xE9 one\r\ntwo\r\n")], &literal("one"), 50, 1);
        assert_eq!(found.matches[0].text, "caf\u{FFFD} one");
        assert_eq!(found.matches[0].after, ["two"]);
    }

    #[test]
    fn a_pattern_may_span_lines_when_asked_to() {
        let pattern = Pattern::compile("fn a.*?\\}", Syntax::RegexAcrossLines, Case::Sensitive).unwrap();
        let found = grep(&[("a.rs", b"x\nfn a() {\n}\ny\n")], &pattern, 50, 0);
        assert_eq!((found.matches[0].line, found.matches[0].text.as_str()), (2, "fn a() {\n}"));
    }
}
