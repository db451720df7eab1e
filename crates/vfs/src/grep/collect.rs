//! Gathers the matches of one file, each with the lines around it.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};

use grep_matcher::Matcher as _;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};
use m1nd_stdx::cancel::CancelToken;

use super::{Match, Query};
use crate::path::RelPath;

/// Longest line that is shown whole; of a longer one, the part around the match is.
const MAX_SHOWN_BYTES: usize = 400;

/// The error that means "asked to stop".
#[derive(Debug, thiserror::Error)]
#[error("asked to stop")]
pub(super) struct Interrupted;

pub(super) struct Collector<'a> {
    matcher: &'a RegexMatcher,
    cancel: &'a CancelToken,
    path: RelPath,
    keep: usize,
    context: usize,
    count: u64,
    matches: Vec<Match>,
    /// The last lines seen, for the context before the next match.
    recent: VecDeque<(u64, String)>,
    /// Last line that belongs to the context after the newest match.
    open_until: u64,
}

impl<'a> Collector<'a> {
    pub(super) fn new(query: &Query<'a>, path: RelPath, keep: usize, cancel: &'a CancelToken) -> Self {
        Self {
            matcher: query.pattern.matcher(),
            cancel,
            path,
            keep,
            context: query.context,
            count: 0,
            matches: Vec::new(),
            recent: VecDeque::new(),
            open_until: 0,
        }
    }

    pub(super) fn finish(self) -> (Vec<Match>, u64) {
        (self.matches, self.count)
    }

    /// A line that may be context of matches before and after it.
    fn pass(&mut self, number: u64, line: &[u8]) {
        if self.context == 0 || self.matches.len() >= self.keep && number > self.open_until {
            return;
        }
        let text = self.shown(line);
        let context = self.context as u64;
        let after = self.matches.iter_mut().rev();
        for earlier in after.take_while(|earlier| number <= earlier.last_line() + context) {
            earlier.after.push(text.clone());
        }
        self.recent.push_back((number, text));
        if self.recent.len() > self.context {
            self.recent.pop_front();
        }
    }

    fn before(&self, number: u64) -> Vec<String> {
        let first = number.saturating_sub(self.context as u64);
        let near = self.recent.iter().filter(|(line, _)| *line >= first);
        near.map(|(_, text)| text.clone()).collect()
    }

    fn shown(&self, line: &[u8]) -> String {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.len() <= MAX_SHOWN_BYTES {
            return String::from_utf8_lossy(line).into_owned();
        }
        let hit = self.matcher.find(line).ok().flatten().map_or(0, |found| found.start());
        let from = hit.saturating_sub(MAX_SHOWN_BYTES / 4);
        let to = (from + MAX_SHOWN_BYTES).min(line.len());
        let lead = if from > 0 { "…" } else { "" };
        let tail = if to < line.len() { "…" } else { "" };
        // A cut inside a character shows as U+FFFD at the edge, which the trim removes.
        let part = String::from_utf8_lossy(&line[from..to]);
        format!("{lead}{}{tail}", part.trim_matches('\u{FFFD}'))
    }
}

impl Match {
    fn last_line(&self) -> u64 {
        self.line + self.text.matches('\n').count() as u64
    }
}

impl Sink for Collector<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        if self.cancel.stop().is_some() {
            return Err(io::Error::other(Interrupted));
        }
        self.count += 1;
        let number = found.line_number().unwrap_or_default();
        let keeps = self.matches.len() < self.keep;
        let before = if keeps { self.before(number) } else { Vec::new() };
        for (line, bytes) in (number..).zip(found.lines()) {
            self.pass(line, bytes);
        }
        if keeps {
            let found = Match {
                path: self.path.clone(),
                line: number,
                text: self.shown(found.bytes()),
                before,
                after: Vec::new(),
            };
            self.open_until = found.last_line() + self.context as u64;
            self.matches.push(found);
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, line: &SinkContext<'_>) -> Result<bool, io::Error> {
        self.pass(line.line_number().unwrap_or_default(), line.bytes());
        Ok(true)
    }
}

/// A file that stops being read when the call is cancelled, and that notices how it is read.
pub(super) struct StoppableRead<'a> {
    file: File,
    cancel: &'a CancelToken,
    reads: u64,
    /// Set when the searcher's buffer has grown, or may have without our seeing it.
    grown: &'a mut bool,
}

/// What a fresh searcher reads at once.
const FRESH_BUFFER: usize = 64 << 10;

impl<'a> StoppableRead<'a> {
    pub(super) fn new(file: File, cancel: &'a CancelToken, grown: &'a mut bool) -> Self {
        Self { file, cancel, reads: 0, grown }
    }
}

impl Read for StoppableRead<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cancel.stop().is_some() {
            return Err(io::Error::other(Interrupted));
        }
        let count = self.file.read(buffer)?;
        let decoded = self.reads == 0 && matches!(buffer, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]);
        *self.grown |= buffer.len() > FRESH_BUFFER || decoded;
        self.reads += 1;
        Ok(count)
    }
}
