//! The parts of a text that are traces of their own, and which of them belong together.

use super::frames::is_place;
use super::parse::{Frame, Style};

/// A failure and what caused it.
#[derive(Debug, Default)]
pub(super) struct Chain {
    /// Those of the first cause first.
    pub frames: Vec<Frame>,
    /// What it came to in the end.
    pub message: Option<String>,
    /// What went wrong first, where that is something else.
    pub cause: Option<String>,
}

/// How a trace belongs to the one before it in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Link {
    /// Not at all.
    New,
    /// The one before led to it.
    FollowsFrom,
    /// It led to the one before.
    Causes,
    /// It went wrong at the same time.
    Beside,
    /// The one before led to it, and both are a part of a group.
    FollowsWithin,
}

/// Lines of one trace.
struct Section<'t> {
    link: Link,
    lines: Vec<&'t str>,
    frames: Vec<Frame>,
}

/// Every failure of a text, in its order.
pub(super) fn chains(lines: &[&str], style: Style, read: impl Fn(&[&str]) -> Vec<Frame>) -> Vec<Chain> {
    let mut chains: Vec<Chain> = Vec::new();
    // Where in the frames of the last failure its newest cause ends.
    let mut cause_ends = 0;
    for mut section in sections(lines, style) {
        section.frames = read(&section.lines);
        if section.frames.is_empty() {
            continue;
        }
        let message = message(&section.lines, style);
        let Section { link, frames, .. } = section;
        match (link, chains.last_mut()) {
            (Link::New, _) | (_, None) => {
                cause_ends = 0;
                chains.push(Chain { frames, message, cause: None });
            }
            (Link::Beside, Some(chain)) => chain.frames.extend(frames),
            (Link::FollowsFrom, Some(chain)) => {
                chain.frames.extend(frames);
                let before = std::mem::replace(&mut chain.message, message);
                chain.cause = chain.cause.take().or(before);
            }
            (Link::FollowsWithin, Some(chain)) => {
                let place = cause_ends.min(chain.frames.len());
                cause_ends = place + frames.len();
                chain.frames.splice(place..place, frames);
                chain.cause = chain.cause.take().or(message);
            }
            (Link::Causes, Some(chain)) => {
                cause_ends = frames.len();
                chain.frames.splice(0..0, frames);
                chain.cause = message.or(chain.cause.take());
            }
        }
    }
    chains
}

fn sections<'t>(lines: &[&'t str], style: Style) -> Vec<Section<'t>> {
    let new = |link| Section { link, lines: Vec::new(), frames: Vec::new() };
    let mut all = vec![new(Link::New)];
    // Whether the section has a frame yet, and whether another line came after the last one.
    let (mut has_frames, mut is_broken) = (false, false);
    let mut has_suppressed = false;
    for (at, &line) in lines.iter().enumerate() {
        let is_frame = is_place(line, style);
        let link = match style {
            Style::Ruby if is_frame && !line.trim_start().starts_with("from ") && !is_numbered(line) => {
                Some(if is_broken { Link::New } else { Link::Causes })
            }
            _ => header(line, &lines[at + 1..], style, is_frame),
        };
        // What is indented below something that was suppressed is a part of that.
        let link = link
            .map(|link| if has_suppressed && line.starts_with([' ', '\t']) { Link::Beside } else { link });
        if let (Some(link), Some(section)) = (link, all.last_mut()) {
            if has_frames {
                all.push(new(link));
                (has_frames, is_broken) = (false, false);
            } else if link != Link::New && section.link != Link::FollowsWithin {
                section.link = link;
            }
            has_suppressed = link == Link::Beside;
        }
        if let Some(section) = all.last_mut() {
            section.lines.push(line);
        }
        is_broken = !is_frame && (is_broken || has_frames);
        has_frames |= is_frame;
    }
    all
}

/// Old Rubies number the frames when the newest is last.
fn is_numbered(line: &str) -> bool {
    let rest = line.trim_start().trim_start_matches(|digit: char| digit.is_ascii_digit());
    rest.starts_with(": from ")
}

/// How the trace that begins with or after a line belongs to the one before; nothing where none begins.
fn header(line: &str, after: &[&str], style: Style, is_frame: bool) -> Option<Link> {
    let plain = line.trim();
    match style {
        Style::Python => {
            let bare = plain.trim_start_matches([' ', '|', '+', '-']);
            let follows =
                ["The above exception was the direct cause of", "During handling of the above exception"];
            // The parts of a group stand below it, behind bars, and so does what they led to.
            let is_part = plain.starts_with('|') && !plain.contains("Exception Group Traceback");
            if follows.iter().any(|words| bare.starts_with(words)) {
                return Some(if is_part { Link::FollowsWithin } else { Link::FollowsFrom });
            }
            let begins = bare.contains("Traceback (most recent call last)") || is_test_title(plain);
            begins.then_some(if is_part { Link::Causes } else { Link::New })
        }
        Style::Rust => {
            let is_panic = plain.contains("panicked at");
            is_panic.then(|| {
                let said = [Some(&line), after.first()];
                let is_echo =
                    said.into_iter().flatten().any(|line| ECHOES.iter().any(|words| line.contains(words)));
                if is_echo { Link::FollowsFrom } else { Link::New }
            })
        }
        Style::Go => {
            let begins = line.starts_with("panic:")
                || line.starts_with("fatal error:")
                || plain.contains("panic serving ")
                || plain == "WARNING: DATA RACE";
            begins.then_some(Link::New)
        }
        Style::JavaScript | Style::Java => {
            let goes_on =
                is_frame || plain.is_empty() || plain.starts_with("at ") || plain.starts_with("...");
            if goes_on {
                return None;
            }
            Some(
                if plain.starts_with("Caused by:")
                    || plain.starts_with("[cause]:")
                    || plain.starts_with("[errors]:")
                {
                    Link::Causes
                } else if plain.starts_with("Wrapped by:") {
                    Link::FollowsFrom
                } else if plain.starts_with("Suppressed:") {
                    Link::Beside
                } else {
                    Link::New
                },
            )
        }
        Style::Native => {
            let begins = plain.contains("ERROR: ") && plain.contains("Sanitizer")
                || plain.contains("WARNING: ThreadSanitizer")
                || plain.contains("received signal ");
            begins.then_some(Link::New)
        }
        Style::DotNet => {
            let begins = plain.starts_with("Unhandled exception")
                || (!line.starts_with([' ', '\t']) && plain.contains("Exception: "));
            begins.then_some(Link::New)
        }
        Style::Php => {
            let begins = plain.contains("Fatal error: ") || plain.contains("Uncaught ");
            if plain.starts_with("Next ") { Some(Link::FollowsFrom) } else { begins.then_some(Link::New) }
        }
        Style::Ruby | Style::Places => None,
    }
}

/// What a thread says that fails because another did.
const ECHOES: [&str; 4] = [
    "Any { .. }",
    "PoisonError",
    "panic in a destructor during cleanup",
    "panic in a function that cannot unwind",
];

/// As pytest heads what it says of a test: `____ test_name ____`.
fn is_test_title(line: &str) -> bool {
    let inner = line.trim_matches('_');
    line.starts_with("___") && line.ends_with("___") && inner.starts_with(' ') && inner.ends_with(' ')
}

/// The line of a trace that says what went wrong.
fn message(lines: &[&str], style: Style) -> Option<String> {
    let first = lines.iter().position(|line| is_place(line, style)).unwrap_or_default();
    let found = match style {
        Style::Python => {
            if let Some(said) = said_by_pytest(lines) {
                return Some(said[..said.floor_char_boundary(MAX_MESSAGE)].to_owned());
            }
            let last = lines.iter().rposition(|line| is_place(line, style)).unwrap_or_default();
            let after = lines.iter().skip(last + 1).find(|line| is_python_error(line));
            after.or_else(|| lines.iter().rev().find(|line| is_python_error(line)))
        }
        Style::Rust => {
            let at = lines.iter().position(|line| line.contains("panicked at"))?;
            // Since 2023 the message is on the next line.
            let here = lines[at].ends_with(':');
            lines.get(if here { at + 1 } else { at })
        }
        Style::Go => lines.iter().find(|line| {
            line.starts_with("panic:") || line.starts_with("fatal error:") || line.contains("panic serving ")
        }),
        Style::Native => {
            lines.iter().find(|line| line.contains("ERROR: ") || line.contains("received signal"))
        }
        Style::JavaScript | Style::Java => lines
            .iter()
            .take(first)
            .rev()
            .find(|line| is_error(line))
            .or_else(|| lines.iter().find(|line| is_error(line))),
        _ => lines.iter().find(|line| is_error(line)),
    };
    let said = found?.trim().trim_start_matches(['|', ' ']);
    let said = said.strip_prefix("[cause]: ").or_else(|| said.strip_prefix("Caused by: ")).unwrap_or(said);
    Some(said[..said.floor_char_boundary(MAX_MESSAGE)].to_owned())
}

/// What pytest marks with an E below the code. Its summary at the end says the same, but cut.
fn said_by_pytest(lines: &[&str]) -> Option<String> {
    let is_marked = |line: &&str| line.starts_with("E  ");
    let end = lines.iter().rposition(is_marked)?;
    let begin = lines[..end].iter().rposition(|line| !is_marked(line)).map_or(0, |at| at + 1);
    let said = lines[begin][1..].trim();
    if is_python_error(said) {
        return Some(said.to_owned());
    }
    // A bare assertion has its name on the line of its place.
    let place = lines[end + 1..].iter().find(|line| is_place(line, Style::Python));
    let name = place.and_then(|line| line.trim().rsplit(": ").next()).filter(|name| is_python_error(name));
    Some(name.map_or_else(|| said.to_owned(), |name| format!("{name}: {said}")))
}

/// Longer messages are cut.
const MAX_MESSAGE: usize = 300;

fn is_error(line: &str) -> bool {
    line.contains("Error") || line.contains("Exception") || line.contains("error")
}

/// `Name: words` or `Name`, as Python ends a traceback.
fn is_python_error(line: &str) -> bool {
    let line = line.trim_start_matches(['|', ' ']);
    // So pytest marks what was raised.
    let line = line.strip_prefix("E ").map_or(line, str::trim_start);
    let name = line.split([':', ' ']).next().unwrap_or_default();
    let last = name.rsplit('.').next().unwrap_or_default();
    last.starts_with(char::is_uppercase)
        && (line.contains(": ") || name == line)
        && !line.starts_with("Traceback")
        && !line.starts_with("FAILED ")
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;

    fn message(text: &str) -> Option<String> {
        parse(text, None).and_then(|parsed| parsed.message)
    }

    #[test]
    fn what_failed_first_in_a_group_is_the_cause() {
        let text = "  + Exception Group Traceback (most recent call last):\n  |   File \"/r/main.py\", line 9, in main\n  |     raise ExceptionGroup(\"grp\", [sub()])\n  | ExceptionGroup: grp (1 sub-exception)\n  +-+---------------- 1 ----------------\n    | Traceback (most recent call last):\n    |   File \"/r/core.py\", line 7, in get\n    |     return self.d[k]\n    | KeyError: 'zz'\n    | \n    | The above exception was the direct cause of the following exception:\n    | \n    | Traceback (most recent call last):\n    |   File \"/r/core.py\", line 9, in run\n    |     raise LookupError(k) from e\n    | LookupError: no zz\n    +------------------------------------\n";
        let found = parse(text, None).unwrap();
        assert_eq!(found.cause.as_deref(), Some("KeyError: 'zz'"));
        let frames: Vec<&str> = found.frames.iter().map(|frame| frame.function.as_str()).collect();
        assert_eq!(frames, ["get", "run", "main"]);
        assert_eq!(found.failures, 1);
    }

    #[test]
    fn colours_and_what_a_logger_writes_before_each_line_are_left_out() {
        let log = "2024-05-01 10:00:01,120 ERROR app: Traceback (most recent call last):\n2024-05-01 10:00:01,121 ERROR app:   File \"/r/a.py\", line 3, in run\n2024-05-01 10:00:01,121 ERROR app:     go()\n2024-05-01 10:00:01,122 ERROR app:   File \"/r/b.py\", line 5, in go\n2024-05-01 10:00:01,122 ERROR app:     raise ValueError('x')\n2024-05-01 10:00:01,122 ERROR app: ValueError: x\n";
        let found = parse(log, None).unwrap();
        assert_eq!((found.frames.len(), found.message.as_deref()), (2, Some("ValueError: x")));
        assert_eq!(found.frames[0].path, "/r/b.py");
        let coloured = "Traceback (most recent call last):\n  File \u{1b}[35m\"/r/a.py\"\u{1b}[0m, line \u{1b}[35m3\u{1b}[0m, in \u{1b}[35mrun\u{1b}[0m\n    go()\n\u{1b}[1;35mValueError\u{1b}[0m: \u{1b}[35mx\u{1b}[0m\n";
        let found = parse(coloured, None).unwrap();
        assert_eq!(
            (found.frames[0].path.as_str(), found.message.as_deref()),
            ("/r/a.py", Some("ValueError: x"))
        );
    }

    #[test]
    fn pytest_is_quoted_from_the_code_and_not_from_its_summary() {
        let long = "____________ test_total ____________\n\n    def test_total():\n>       assert total([1]) == 2\nE       assert 1 == 2\nE        +  where 1 = total([1])\n\ntests/test_a.py:5: AssertionError\n==== short test summary info ====\nFAILED tests/test_a.py::test_total - AssertionError: assert 1...\n";
        assert_eq!(message(long).as_deref(), Some("AssertionError: assert 1 == 2"));
        let raised = "____________ test_key ____________\n\n    def test_key():\n>       load()\n\ntests/test_a.py:9: \n_ _ _ _\n\n    def load():\n>       raise KeyError('a long name')\nE       KeyError: 'a long name'\n\nshop/load.py:3: KeyError\nFAILED tests/test_a.py::test_key - KeyError: 'a lo...\n";
        assert_eq!(message(raised).as_deref(), Some("KeyError: 'a long name'"));
    }
}
