//! Frames: bytes from a host cut into messages, by line or by `Content-Length`.

use super::json_end::{JsonEnd, Progress};
use super::lost_id;

/// Larger messages are answered with an error and skipped.
pub(super) const MAX_MESSAGE: usize = 64 << 20;

/// The only header that makes a frame; nothing else is taken for one.
const HEADER: &[u8] = b"content-length:";

/// Hosts send one or two headers of some twenty bytes.
const MAX_HEADER_LINE: usize = 1 << 10;
const MAX_HEADER_LINES: usize = 16;

/// White space that a sender may have counted into its length.
const SLACK: u64 = 4;

/// How a message was delimited, and so how its answer is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Framing {
    #[default]
    Line,
    Header,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Frame {
    Message(Framing, Vec<u8>),
    /// Something that cannot be a message. `id` is the JSON text of the request's id, where it could be seen.
    Bad {
        framing: Framing,
        problem: Problem,
        id: Option<String>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Problem {
    TooLong,
    Header,
    Length { declared: u64, found: u64 },
    NoJson,
}

/// Cuts a stream. The result is the same however the bytes are chunked.
#[derive(Debug, Default)]
pub(super) struct Framer {
    buffer: Vec<u8>,
    /// Bytes of the buffer that are done with.
    done: usize,
    /// Bytes of the buffer that were looked at, counted from its start.
    seen: usize,
    state: State,
    max: Option<usize>,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Start,
    Line,
    /// A line that is too long, until its end; keeps only its first and last bytes.
    LongLine(lost_id::Ends),
    Headers {
        length: Option<u64>,
        lines: usize,
    },
    Body(Body),
    /// After a broken frame: until a line ends or the literal header comes.
    Lost,
}

#[derive(Debug)]
struct Body {
    declared: u64,
    found: u64,
    end: JsonEnd,
    /// Set for bodies over the limit, of which only the ends are kept.
    dropped: Option<lost_id::Ends>,
}

/// Whether a state went on or waits for more bytes.
enum Step {
    On,
    Wait,
}

impl Framer {
    /// A framer with another limit, so that tests need no 64 MB.
    #[cfg(test)]
    pub(super) fn with_limit(max: usize) -> Self {
        Self { max: Some(max), ..Self::default() }
    }

    pub(super) fn push(&mut self, bytes: &[u8], out: &mut dyn FnMut(Frame)) {
        self.buffer.extend_from_slice(bytes);
        while let Step::On = self.step(out) {}
        self.forget();
    }

    /// The input ended: what is left is a last message without its end, or an error.
    pub(super) fn finish(&mut self, out: &mut dyn FnMut(Frame)) {
        let bad = |framing, problem, id| Frame::Bad { framing, problem, id };
        if let State::Body(body) = &self.state {
            out(bad(Framing::Header, body.length_problem(), None));
            self.go(State::Lost);
            while let Step::On = self.step(out) {}
        }
        let rest = self.buffer.split_off(self.done);
        match std::mem::take(&mut self.state) {
            State::Start | State::Line if rest.iter().all(u8::is_ascii_whitespace) => {}
            State::Start | State::Line => out(Frame::Message(Framing::Line, rest)),
            State::LongLine(ends) => out(bad(Framing::Line, Problem::TooLong, ends.id())),
            State::Headers { .. } => out(bad(Framing::Header, Problem::Header, None)),
            State::Body(_) | State::Lost => {}
        }
        *self = Self { max: self.max, ..Self::default() };
    }

    fn max(&self) -> usize {
        self.max.unwrap_or(MAX_MESSAGE)
    }

    fn step(&mut self, out: &mut dyn FnMut(Frame)) -> Step {
        match &mut self.state {
            State::Start => self.start(),
            State::Line => self.line(out),
            State::LongLine(_) => self.long_line(out),
            State::Headers { .. } => self.header(out),
            State::Body(_) => self.body(out),
            State::Lost => self.lost(),
        }
    }

    fn go(&mut self, state: State) -> Step {
        self.state = state;
        self.seen = self.done;
        Step::On
    }

    fn start(&mut self) -> Step {
        let rest = &self.buffer[self.done..];
        let blank = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let rest = &rest[blank..];
        self.done += blank;
        const MARK: &[u8] = b"\xEF\xBB\xBF";
        if rest.starts_with(MARK) {
            self.done += MARK.len();
            return Step::On;
        }
        let header =
            rest.iter().zip(HEADER).take_while(|(byte, known)| byte.eq_ignore_ascii_case(known)).count();
        if header == HEADER.len() {
            return self.go(State::Headers { length: None, lines: 0 });
        }
        if header == rest.len() || MARK.starts_with(rest) {
            return Step::Wait;
        }
        self.go(State::Line)
    }

    fn line(&mut self, out: &mut dyn FnMut(Frame)) -> Step {
        let max = self.max();
        let start = self.done;
        let found = self.buffer[self.seen..].iter().position(|byte| *byte == b'\n');
        let end = found.map(|at| self.seen + at);
        if end.unwrap_or(self.buffer.len()) - start > max {
            return self.go(State::LongLine(lost_id::Ends::default()));
        }
        let Some(end) = end else {
            self.seen = self.buffer.len();
            return Step::Wait;
        };
        out(Frame::Message(Framing::Line, self.buffer[start..end].to_vec()));
        self.done = end + 1;
        self.go(State::Start)
    }

    fn long_line(&mut self, out: &mut dyn FnMut(Frame)) -> Step {
        let rest = &self.buffer[self.done..];
        let end = rest.iter().position(|byte| *byte == b'\n');
        let taken = &rest[..end.unwrap_or(rest.len())];
        let State::LongLine(ends) = &mut self.state else {
            return Step::Wait;
        };
        ends.add(taken);
        self.done += taken.len();
        if end.is_none() {
            return Step::Wait;
        }
        let id = ends.id();
        self.done += 1;
        out(Frame::Bad { framing: Framing::Line, problem: Problem::TooLong, id });
        self.go(State::Start)
    }

    fn header(&mut self, out: &mut dyn FnMut(Frame)) -> Step {
        let max = self.max();
        let rest = &self.buffer[self.done..];
        let State::Headers { length, lines } = &mut self.state else {
            return Step::Wait;
        };
        let starts_like_a_header = |byte: &u8| byte.is_ascii_alphanumeric() || b"\r\n-".contains(byte);
        let end = rest.iter().take(MAX_HEADER_LINE).position(|byte| *byte == b'\n');
        let broken =
            *lines == MAX_HEADER_LINES || rest.first().is_some_and(|byte| !starts_like_a_header(byte));
        let bad = Frame::Bad { framing: Framing::Header, problem: Problem::Header, id: None };
        if broken {
            // What stands here instead of a header may be a good message by itself.
            out(bad);
            return self.go(State::Start);
        }
        let Some(end) = end else {
            if rest.len() < MAX_HEADER_LINE {
                return Step::Wait;
            }
            out(bad);
            return self.go(State::Lost);
        };
        let line = rest[..end].trim_ascii();
        self.done += end + 1;
        *lines += 1;
        if line.is_empty() {
            let Some(declared) = *length else {
                out(bad);
                return self.go(State::Start);
            };
            let over = declared > u64::try_from(max).unwrap_or(u64::MAX);
            return self.go(State::Body(Body {
                declared,
                found: 0,
                end: JsonEnd::default(),
                dropped: over.then(lost_id::Ends::default),
            }));
        }
        let Some(value) = content_length(line) else {
            return Step::On;
        };
        match value {
            Some(value) if length.is_none_or(|earlier| earlier == value) => *length = Some(value),
            _ => {
                out(bad);
                return self.go(State::Start);
            }
        }
        Step::On
    }

    fn body(&mut self, out: &mut dyn FnMut(Frame)) -> Step {
        let State::Body(body) = &mut self.state else {
            return Step::Wait;
        };
        let mut progress = Progress::Open;
        let first = self.seen;
        for byte in &self.buffer[first..] {
            if body.found == body.declared {
                break;
            }
            self.seen += 1;
            body.found += 1;
            progress = body.end.step(*byte);
            if progress != Progress::Open {
                break;
            }
        }
        if let Some(ends) = &mut body.dropped {
            ends.add(&self.buffer[first..self.seen]);
            self.done = self.seen;
        }
        let full = body.found == body.declared;
        match progress {
            Progress::Closed => {
                let frame = body.closed(&self.buffer[self.done..self.seen]);
                self.done = self.seen;
                out(frame);
                self.go(State::Start)
            }
            Progress::Open if !full => Step::Wait,
            Progress::Open | Progress::Impossible => {
                let problem = match progress {
                    Progress::Open => body.length_problem(),
                    _ => Problem::NoJson,
                };
                out(Frame::Bad { framing: Framing::Header, problem, id: None });
                // The next message may have begun inside what was taken for this one.
                let next = if body.found == 0 { State::Start } else { State::Lost };
                self.go(next)
            }
        }
    }

    fn lost(&mut self) -> Step {
        let rest = &self.buffer[self.done..];
        let line = rest.iter().position(|byte| *byte == b'\n');
        let searched = &rest[..line.unwrap_or(rest.len())];
        let header = searched.windows(HEADER.len()).position(|window| window.eq_ignore_ascii_case(HEADER));
        match (header, line) {
            (Some(at), _) => self.done += at,
            (None, Some(at)) => self.done += at + 1,
            (None, None) => {
                self.done += rest.len().saturating_sub(HEADER.len() - 1);
                return Step::Wait;
            }
        }
        self.go(State::Start)
    }

    /// Gives back the memory of what is done with.
    fn forget(&mut self) {
        self.buffer.drain(..self.done);
        self.seen = self.seen.saturating_sub(self.done);
        self.done = 0;
        if self.buffer.len() < 1 << 16 {
            self.buffer.shrink_to(1 << 17);
        }
    }
}

impl Body {
    fn length_problem(&self) -> Problem {
        Problem::Length { declared: self.declared, found: self.found }
    }

    fn closed(&self, bytes: &[u8]) -> Frame {
        let bad = |problem, id| Frame::Bad { framing: Framing::Header, problem, id };
        match &self.dropped {
            Some(ends) => bad(Problem::TooLong, ends.id()),
            None if self.declared - self.found > SLACK => {
                let mut ends = lost_id::Ends::default();
                ends.add(bytes);
                bad(self.length_problem(), ends.id())
            }
            None => Frame::Message(Framing::Header, bytes.to_vec()),
        }
    }
}

/// The value of a `Content-Length` line: `None` for another header, `Some(None)` for a bad number.
fn content_length(line: &[u8]) -> Option<Option<u64>> {
    let (name, value) = line.split_at_checked(HEADER.len())?;
    if !name.eq_ignore_ascii_case(HEADER) {
        return None;
    }
    let digits = value.trim_ascii();
    let plain = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let number = std::str::from_utf8(digits).ok().filter(|_| plain);
    Some(number.and_then(|text| text.parse().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One line for each frame: `line` or `header` and the text, or `bad` and why.
    fn frames(limit: usize, input: &str) -> Vec<String> {
        let run = |chunk: usize| {
            let mut framer = Framer::with_limit(limit);
            let mut seen = Vec::new();
            let mut out = |frame| seen.push(shown(frame));
            for bytes in input.as_bytes().chunks(chunk) {
                framer.push(bytes, &mut out);
            }
            framer.finish(&mut out);
            seen
        };
        let whole = run(input.len().max(1));
        for chunk in 1..16 {
            assert_eq!(run(chunk), whole, "chunks of {chunk}");
        }
        whole
    }

    fn shown(frame: Frame) -> String {
        match frame {
            Frame::Message(Framing::Line, text) => {
                format!("line {}", String::from_utf8_lossy(&text).trim_end())
            }
            Frame::Message(Framing::Header, text) => format!("header {}", String::from_utf8_lossy(&text)),
            Frame::Bad { problem, id, .. } => format!("bad {problem:?} {}", id.unwrap_or_default()),
        }
    }

    #[test]
    fn both_framings_are_told_apart_message_by_message() {
        let input =
            "{\"a\":1}\r\n\n  content-length: 7\r\nContent-Type: x\r\n\r\n{\"b\":2}{\"c\":3}\n{\"d\":4}";
        assert_eq!(
            frames(100, input),
            ["line {\"a\":1}", "header {\"b\":2}", "line {\"c\":3}", "line {\"d\":4}"]
        );
    }

    #[test]
    fn a_junk_line_is_not_taken_for_a_header() {
        let input = "Content-Type: x\nContent\n{\"a\":1}\n";
        assert_eq!(frames(100, input), ["line Content-Type: x", "line Content", "line {\"a\":1}"]);
    }

    #[test]
    fn a_length_that_is_too_large_does_not_swallow_the_next_message() {
        let next = "Content-Length: 7\r\n\r\n{\"b\":2}";
        for (first, expected) in [
            ("Content-Length: 60\r\n\r\n{\"id\":1}", "bad Length { declared: 60, found: 8 } 1"),
            ("Content-Length: 60\r\n\r\n{\"a\":", "bad NoJson "),
            ("Content-Length: 60\r\n\r\n{\"a\":\"", "bad NoJson "),
            ("Content-Length: 60\r\n\r\nhello", "bad NoJson "),
            ("Content-Length: 99999999999\r\n\r\n{\"id\":1}", "bad TooLong 1"),
        ] {
            assert_eq!(frames(100, &format!("{first}{next}")), [expected, "header {\"b\":2}"]);
        }
    }

    #[test]
    fn a_length_that_is_too_small_does_not_swallow_the_next_message() {
        for next in ["Content-Length: 7\r\n\r\n{\"b\":2}", "\nContent-Length: 7\r\n\r\n{\"b\":2}"] {
            let input = format!("Content-Length: 3\r\n\r\n{{\"a\":1}}{next}");
            assert_eq!(frames(100, &input), ["bad Length { declared: 3, found: 3 } ", "header {\"b\":2}"]);
        }
        assert_eq!(
            frames(100, "Content-Length: 0\r\n\r\n{\"a\":1}\n"),
            ["bad Length { declared: 0, found: 0 } ", "line {\"a\":1}"]
        );
    }

    #[test]
    fn a_header_that_is_no_number_does_not_swallow_the_next_message() {
        for value in ["x", "-1", "", "1 2", "99999999999999999999999"] {
            let input = format!("Content-Length: {value}\r\n\r\n{{\"a\":1}}\n");
            assert_eq!(frames(100, &input), ["bad Header ", "line {\"a\":1}"], "{value}");
        }
        assert_eq!(frames(100, "Content-Length: 7\n{\"a\":1}\n"), ["bad Header ", "line {\"a\":1}"]);
    }

    #[test]
    fn a_line_over_the_limit_is_skipped_and_named_by_its_id() {
        let input = format!("{{\"id\":9,\"x\":\"{}\"}}\n{{\"a\":1}}\n", "y".repeat(200));
        assert_eq!(frames(100, &input), ["bad TooLong 9", "line {\"a\":1}"]);
    }

    #[test]
    fn white_space_that_was_counted_into_the_length_is_forgiven() {
        let input = "Content-Length: 9\r\n\r\n{\"a\":1}\r\nContent-Length: 7\r\n\r\n{\"b\":2}";
        assert_eq!(frames(100, input), ["header {\"a\":1}", "header {\"b\":2}"]);
    }
}
