//! Reports: questions with a log in them. What somebody says counts, what a program wrote around it hardly does.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::text::terms_of_text;

/// Lines of a log that are kept beside what somebody says: those that complain.
const MAX_GRAVE: usize = 3;
/// Where nobody says anything, so many different lines of the log stand for it.
const MAX_ALONE: usize = 12;
/// Words that a person needs to say what is wrong.
const MIN_SAID: usize = 3;

/// A question without the lines of a log that only say that all went well, without the code that is pasted below it, and with
/// each line once.
pub fn said(query: &str) -> Cow<'_, str> {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut is_fenced = false;
    let mut lines: Vec<(&str, bool)> = Vec::new();
    for line in query.lines() {
        let is_mark = is_fence(line.trim_start());
        is_fenced ^= is_mark;
        if is_mark || seen.insert(line.trim()) {
            lines.push((line, is_mark || is_fenced || is_log(line)));
        }
    }
    let is_same = lines.len() == query.lines().count();
    if lines.len() == 1 || lines.iter().all(|(_, is_shown)| !is_shown) {
        let all = || lines.iter().map(|(line, _)| *line).collect::<Vec<_>>().join("\n");
        return if is_same { Cow::Borrowed(query) } else { Cow::Owned(all()) };
    }
    let own = lines.iter().filter(|(_, is_shown)| !is_shown);
    let words = own.map(|(line, _)| terms_of_text(line).len()).sum::<usize>();
    let shown: Vec<&str> = lines.iter().filter(|(_, is_shown)| *is_shown).map(|(line, _)| *line).collect();
    let (is_alone, most) = if words < MIN_SAID { (true, MAX_ALONE) } else { (false, MAX_GRAVE) };
    let is_told = |line: &str| is_grave(line) || complains(line, message(line));
    let mut kept: BTreeSet<&str> = shown.iter().copied().filter(|line| is_told(line)).take(most).collect();
    if is_alone {
        let room = most - kept.len();
        let others = shown.iter().copied().filter(|line| !is_told(line) && !is_fence(line.trim_start()));
        kept.extend(others.take(room));
    }
    let stays = |line: &&(&str, bool)| !line.1 || kept.contains(line.0);
    let text =
        lines.iter().filter(stays).map(|(line, is_shown)| if *is_shown { message(line) } else { line });
    Cow::Owned(text.collect::<Vec<_>>().join("\n"))
}

/// A line of a question that may have something that a program says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told<'q> {
    /// Without what programs write before what they say.
    pub text: &'q str,
    pub part: Part,
}

/// How much of a line may be what a program says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All of it: it is all that is asked, or begins as messages do.
    Whole,
    /// All of it, but people head their reports in their own words.
    Title,
    /// All of it, though nothing says so: a line of its own below a report.
    Pasted,
}

/// The lines of a question that may have something that a program says. Code, settings and versions that people paste below
/// a report say nothing of it.
pub fn told(query: &str) -> Vec<Told<'_>> {
    let lines =
        query.lines().map(|line| line.trim().trim_start_matches("> ")).filter(|line| !line.is_empty());
    let lines: Vec<&str> = lines.filter(|line| !is_fence(line)).collect();
    let mut found = Vec::new();
    let mut is_announced = false;
    for (nth, line) in lines.iter().enumerate() {
        let text = message(line);
        let part = match () {
            () if lines.len() == 1 || complains(line, text) => Some(Part::Whole),
            () if is_announced && !is_code(line) => Some(Part::Whole),
            () if nth == 0 => Some(Part::Title),
            () if is_code(line) || is_field(line) => None,
            () => Some(Part::Pasted),
        };
        found.extend(part.map(|part| Told { text, part }));
        is_announced = line.ends_with(':') && announces(line);
    }
    found
}

/// Whether a line gives a value to a name, as headers and lists of versions do.
fn is_field(line: &str) -> bool {
    let field = line.trim_start_matches(['-', '*', ' ']).split_once(": ");
    field.is_some_and(|(name, value)| {
        let is_short = value.split_whitespace().count() <= MAX_VALUE;
        name.split(' ').count() <= 3 && (is_short || name.contains('-'))
    })
}

/// A longer value is a sentence.
const MAX_VALUE: usize = 3;

fn is_fence(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}

/// Whether what stands before the message says that something is wrong, as `Error:` and `[warn]` do.
fn complains(line: &str, message: &str) -> bool {
    let before = line.trim_end();
    let before = &before[..before.len() - message.len()];
    is_grave(before) || before.to_lowercase().contains("warn") || is_raised(before)
}

/// Whether this is the name of an error before its message, as Python and Java print it: `http.TooManyRedirects: `.
fn is_raised(before: &str) -> bool {
    let Some(name) = before.trim().strip_suffix(':') else { return false };
    let name = name.rsplit('.').next().unwrap_or(name);
    let starts = name.starts_with(|c: char| c.is_ascii_uppercase());
    let has_joint = name[1.min(name.len())..].contains(|c: char| c.is_ascii_uppercase());
    let is_word = name.chars().all(|c| c.is_ascii_alphanumeric());
    starts && has_joint && is_word && name.contains(|c: char| c.is_ascii_lowercase())
}

/// Whether somebody says that the next line is what a program says: `I get this error:`.
fn announces(line: &str) -> bool {
    let lower = line.to_lowercase();
    is_grave(line)
        || ["warn", "message", "says", "prints", "complain"].iter().any(|word| lower.contains(word))
}

/// Whether a line has signs that sentences do not have.
fn is_code(line: &str) -> bool {
    line.contains(['=', '{', '}', ';', '$']) || line.contains("()") || line.starts_with(['>', '#', '@'])
}

/// A line without what programs write before what they say: times, levels, tags, the name of an error.
pub fn message(line: &str) -> &str {
    let mut rest = line.trim();
    loop {
        // As pytest shows what was raised.
        let rest_of_test = rest.strip_prefix("E  ").unwrap_or(rest);
        let next = without_mark(rest_of_test).trim_start_matches(['|', '-', ':', ' ', '\t', ']', '>']);
        if next.len() == rest.len() || next.is_empty() {
            return rest;
        }
        rest = next;
    }
}

/// Levels and words before a message, in lower case.
const MARKS: &[&str] = &[
    "trace",
    "debug",
    "info",
    "information",
    "notice",
    "warn",
    "warning",
    "error",
    "err",
    "fatal",
    "critical",
    "severe",
    "panic",
    "exception",
    "uncaught",
    "unhandled",
    "note",
    "failed",
];
/// Those that say how grave a line is, as logs write them.
const LEVELS: &[&str] = &[
    "TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERROR", "FATAL", "CRITICAL", "SEVERE", "VERBOSE",
];
/// A longer tag is a message.
const MAX_TAG: usize = 32;

/// Whether a line begins as the lines of a log do: with a time, a level, an address or a tag and one of these.
fn is_log(line: &str) -> bool {
    let mut rest = line.trim_start();
    for _ in 0..3 {
        if is_logged(rest) {
            return true;
        }
        let Some((tag, after)) = tag(rest) else { return false };
        let is_level = |part: &str| MARKS.contains(&part.to_lowercase().as_str());
        if is_logged(tag) || tag.split(|c: char| !c.is_alphanumeric()).any(is_level) && !tag.contains(' ') {
            return true;
        }
        rest = after.trim_start();
    }
    false
}

fn is_logged(text: &str) -> bool {
    let text = text.trim_start();
    let first = text.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    let after = text[first.len()..].chars().next();
    let is_level = LEVELS.contains(&first) && after.is_none_or(|c| matches!(c, ':' | ' ' | '\t' | '|' | ']'));
    let has_key = ["level=", "ts=", "time=", "lvl="].iter().any(|key| text.starts_with(key));
    is_level || has_key || time_len(text) > 0 || is_address(text)
}

/// `127.0.0.1 - -` and `127.0.0.1:5000`.
fn is_address(text: &str) -> bool {
    let first = text.split([' ', ':']).next().unwrap_or_default();
    let parts: Vec<&str> = first.split('.').collect();
    parts.len() == 4 && parts.iter().all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
}

/// Bytes of a date or time that a text begins with; 0 where it begins with none.
fn time_len(text: &str) -> usize {
    const MONTHS: &str = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec";
    let shape: String = text
        .bytes()
        .take(19)
        .map(|b| if b.is_ascii_digit() { '9' } else { char::from(b.min(127)) })
        .collect();
    let more = |from: usize| {
        let end = |c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | ':' | 'Z' | 'T' | '+'));
        text[from..].find(end).map_or(text.len(), |at| from + at)
    };
    let is = |pattern: &str| shape.starts_with(pattern);
    if is("9999-99-99") || is("9999/99/99") {
        return more(10);
    }
    if is("99:99:99") {
        return more(8);
    }
    // As the kernel, and as syslog write it.
    if shape.contains("9.999") && text.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return text.len();
    }
    let is_month = text.get(..4).is_some_and(|month| month.ends_with(' ') && MONTHS.contains(month.trim()));
    match (is_month, shape.get(4..)) {
        (true, Some(rest)) if rest.trim_start().starts_with('9') && rest.contains(" 99:99:99") => {
            let at = text.find(':').unwrap_or_default();
            more(at + 1)
        }
        // As Google's libraries write it: W0301 12:00:00.1
        (false, Some(_))
            if is("I9999 99:99") || is("W9999 99:99") || is("E9999 99:99") || is("F9999 99:99") =>
        {
            more(6)
        }
        _ => 0,
    }
}

/// What stands between brackets at the beginning, and what comes after.
fn tag(text: &str) -> Option<(&str, &str)> {
    let close = match text.chars().next()? {
        '[' => ']',
        '(' => ')',
        '<' => '>',
        _ => return None,
    };
    let end = text.find(close).filter(|&end| end <= MAX_TAG)?;
    Some((&text[1..end], &text[end + 1..]))
}

/// Without the first mark, where there is one.
fn without_mark(text: &str) -> &str {
    let at = time_len(text);
    if at > 0 {
        return &text[at..];
    }
    if let Some((inside, after)) = tag(text)
        && after.starts_with([' ', ':', '['])
        && !inside.is_empty()
    {
        return after;
    }
    let end = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '_'))).unwrap_or(text.len());
    let (word, after) = text.split_at(end);
    let is_level = LEVELS.contains(&word) && after.starts_with([' ', ':', '|', '\t']);
    let name = word.rsplit('.').next().unwrap_or(word);
    let is_error = ["Error", "Exception", "Warning", "Panic"].iter().any(|tail| name.ends_with(tail));
    let is_raised = after.starts_with(": ") && is_raised(&format!("{word}:"));
    let is_mark =
        after.starts_with(':') && (is_error || is_raised || MARKS.contains(&word.to_lowercase().as_str()));
    if is_level || is_mark { after } else { text }
}

/// Whether a line of a log complains.
fn is_grave(line: &str) -> bool {
    const GRAVE: [&str; 9] =
        ["error", "exception", "panic", "fatal", "fail", "critical", "traceback", "abort", "cannot"];
    let lower = line.to_lowercase();
    GRAVE.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_log_are_told_from_what_somebody_says() {
        for line in [
            "2026-03-01 10:00:00,123 INFO started",
            "[2026-03-01T10:00:00Z] started",
            "10:00:01.5 started",
            "Mar  1 10:00:00 host systemd[1]: Started",
            "[  123.456789] usb 1-1: new device",
            "INFO:     127.0.0.1:52034 - \"GET / HTTP/1.1\" 200 OK",
            "[INFO] started",
            "[GIN] 2026/03/01 - 10:00:00 | 200 | GET /",
            "[GIN-debug] GET / --> main.func1",
            "DEBUG|grep_regex::literal|literal.rs:47: found",
            "I0301 10:00:00.123456 1 main.go:5] started",
            "127.0.0.1 - - [01/Mar/2026] \"GET /\" 200",
            "level=info msg=started",
        ] {
            assert!(is_log(line), "{line}");
        }
        for line in [
            "The nonce is stale after the second request",
            "[question] why is this so slow?",
            "Error: unknown command",
            "  File \"a.py\", line 3, in f",
            "panic: runtime error",
            "INFORMATION is lost",
            "1.5 times as slow",
            "(see above) it fails",
        ] {
            assert!(!is_log(line), "{line}");
        }
    }

    #[test]
    fn a_log_counts_only_where_it_complains_or_nobody_says_anything() {
        let line = |n: usize| format!("2026-03-01 10:00:0{n} INFO worker {n} accepted a connection");
        let log: Vec<String> = (0..9).map(line).collect();
        let log = log.join("\n");
        let report =
            format!("The digest nonce is stale\n```\n{log}\n2026-03-01 10:00:09 ERROR bad nonce\n```");
        assert_eq!(said(&report), "The digest nonce is stale\nbad nonce");
        assert_eq!(said(&log).lines().next().unwrap(), "worker 0 accepted a connection");
        assert_eq!(said("a b\na b\na b"), "a b", "said once is enough");
        let plain = "first line\nsecond line";
        assert!(matches!(said(plain), Cow::Borrowed(text) if text == plain));
        let alone = "2026-03-01 10:00:00 ERROR bad nonce";
        assert_eq!(said(alone), alone, "one line is a question");
    }

    #[test]
    fn pasted_code_counts_only_where_nobody_says_anything() {
        let code = "```python\nimport web\nclient = web.Client()\nraise PoolError('closed')\n```";
        assert_eq!(
            said(&format!("The digest nonce is stale\n{code}")),
            "The digest nonce is stale\nraise PoolError('closed')"
        );
        assert_eq!(said(code), "import web\nclient = web.Client()\nraise PoolError('closed')");
    }

    #[test]
    fn of_several_lines_only_those_that_may_be_said_are_told() {
        let parts = |query: &str| {
            told(query)
                .iter()
                .map(|told| match told.part {
                    Part::Whole => format!("whole: {}", told.text),
                    Part::Title => format!("title: {}", told.text),
                    Part::Pasted => format!("pasted: {}", told.text),
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(parts("pool is closed"), ["whole: pool is closed"]);
        assert_eq!(
            parts(
                "Cookie path is wrong\n\nIt says \"no such path\".\n```python\nfrom a import b\napp = b()\n```\nv = 1"
            ),
            ["title: Cookie path is wrong", "pasted: It says \"no such path\".", "pasted: from a import b"],
            "code is not told where it can be seen to be code"
        );
        assert_eq!(
            parts(
                "It stops\n```\n$ run it now\nError: unknown command \"x\"\n```\nE       ValueError: no such thing"
            ),
            ["title: It stops", "whole: unknown command \"x\"", "whole: no such thing"],
            "errors are told, wherever they stand"
        );
        assert_eq!(
            parts(
                "Any idea?\n```\nhttpx.TooManyRedirects: Too many of them\n```\nIn a: it is no list\nHost: a b"
            ),
            ["title: Any idea?", "whole: Too many of them", "pasted: In a: it is no list"]
        );
        assert_eq!(
            parts("I get this error:\nrequired flag(s) \"x\" not set\nversion: 1.2"),
            ["title: I get this error:", "whole: required flag(s) \"x\" not set"]
        );
    }

    #[test]
    fn a_message_begins_after_times_levels_and_tags() {
        for (line, expected) in [
            ("2026-03-01 10:00:00,123 ERROR [main] pool is closed", "pool is closed"),
            ("[Vue warn]: injection \"store\" not found.", "injection \"store\" not found."),
            ("Error: unknown command \"x\"", "unknown command \"x\""),
            ("flask.cli.NoAppException: Could not locate", "Could not locate"),
            ("panic: handlers are registered", "handlers are registered"),
            ("httpx.TooManyRedirects: Exceeded the limit", "Exceeded the limit"),
            ("InvalidURL: no such host", "no such host"),
            ("Note that: this stays", "Note that: this stays"),
            ("ABC: stays", "ABC: stays"),
            ("pool is closed", "pool is closed"),
            ("[1, 2] is no tuple", "is no tuple"),
            ("error:", "error:"),
        ] {
            assert_eq!(message(line), expected, "{line}");
        }
    }
}
