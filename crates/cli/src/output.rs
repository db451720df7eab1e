//! Answers for people: the same bodies that agents get, as text.

use std::io::{self, IsTerminal as _, Write};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use m1nd_runtime::Reply;
use serde_json::{Map, Value};

/// Who reads what is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    Person,
    Program,
}

impl Reader {
    /// A program asked with `--json`, or reads through a pipe.
    pub fn of(json: bool) -> Self {
        if json || !io::stdout().is_terminal() { Reader::Program } else { Reader::Person }
    }

    /// The same, but a person who reads through a pager said so.
    pub fn chosen(json: bool, text: bool) -> Self {
        if text { Reader::Person } else { Self::of(json) }
    }
}

pub const PATH: Style = AnsiColor::Magenta.on_default();
pub const NUMBER: Style = AnsiColor::Green.on_default();
pub const DIM: Style = Style::new().dimmed();
pub const BAD: Style = AnsiColor::Red.on_default().bold();

/// Prints a reply. Errors go to stderr for people, and to stdout for programs, which asked for the body.
pub fn print(
    reply: &Reply,
    reader: Reader,
    person: impl Fn(&mut dyn Write, &Value) -> io::Result<()>,
) -> anyhow::Result<ExitCode> {
    let code = if reply.is_error { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    let shown = match (reader, reply.is_error) {
        (Reader::Program, _) => line(&reply.text()),
        (Reader::Person, true) => fault(&mut anstream::stderr().lock(), &reply.body),
        (Reader::Person, false) => person(&mut anstream::stdout().lock(), &reply.body),
    };
    match shown {
        // `m1nd search x | head` closes the pipe early, which is no failure of ours.
        Err(err) if err.kind() == io::ErrorKind::BrokenPipe => Ok(code),
        other => other.map(|()| code).map_err(Into::into),
    }
}

fn line(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.write_all(b"\n")?;
    out.flush()
}

/// An error with its advice.
fn fault(out: &mut dyn Write, body: &Value) -> io::Result<()> {
    let error = &body["error"];
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    writeln!(out, "{BAD}{}{BAD:#}: {}", word(&error["code"]), word(&error["message"]))?;
    // Advice that speaks of a list needs the list.
    for candidate in error["detail"]["candidates"].as_array().into_iter().flatten() {
        writeln!(out, "  {}", harmless(candidate.as_str().unwrap_or_default()))?;
    }
    writeln!(out, "{DIM}{}{DIM:#}", word(&error["recovery"]["hint"]))
}

/// Text from a repository, without the characters that a terminal would obey.
pub fn harmless(text: &str) -> String {
    let obeyed = |c: char| c.is_control() && c != '\n' && c != '\t';
    if !text.contains(obeyed) {
        return text.to_owned();
    }
    text.chars().map(|c| if obeyed(c) { '\u{FFFD}' } else { c }).collect()
}

/// Any body, as indented text.
pub fn plain(out: &mut dyn Write, body: &Value) -> io::Result<()> {
    match body {
        Value::String(text) => writeln!(out, "{}", harmless(text.trim_end())),
        Value::Object(map) => object(out, map, 0),
        other => writeln!(out, "{other}"),
    }
}

fn object(out: &mut dyn Write, map: &Map<String, Value>, depth: usize) -> io::Result<()> {
    let pad = "  ".repeat(depth);
    for (key, value) in map {
        match value {
            Value::Object(inner) => {
                writeln!(out, "{pad}{DIM}{key}:{DIM:#}")?;
                object(out, inner, depth + 1)?;
            }
            Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
                writeln!(out, "{pad}{DIM}{key}:{DIM:#}")?;
                for item in items {
                    match item {
                        Value::Object(inner) => object(out, inner, depth + 1)?,
                        other => writeln!(out, "{pad}  {}", scalar(other))?,
                    }
                    writeln!(out, "{pad}  {DIM}-{DIM:#}")?;
                }
            }
            Value::Array(items) => {
                let words: Vec<String> = items.iter().map(scalar).collect();
                writeln!(out, "{pad}{DIM}{key}:{DIM:#} {}", words.join(", "))?;
            }
            other => writeln!(out, "{pad}{DIM}{key}:{DIM:#} {}", scalar(other))?,
        }
    }
    Ok(())
}

fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => harmless(text),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_of_a_repository_do_not_reach_the_terminal() {
        assert_eq!(harmless("a\u{1b}[31mb\r\n\tc"), "a\u{FFFD}[31mb\u{FFFD}\n\tc");
    }
}
