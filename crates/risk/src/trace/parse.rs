//! From the text of a failure, or a log of several, to frames.

use super::frames::frames;
use super::plain::plain;
use super::sections::{Chain, chains};

/// Whose trace it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Style {
    Python,
    Rust,
    JavaScript,
    Go,
    Java,
    Native,
    DotNet,
    Ruby,
    Php,
    /// Places as compilers and linters name them: `path:line`.
    Places,
}

impl Style {
    const ALL: [Style; 10] = [
        Style::Python,
        Style::Rust,
        Style::JavaScript,
        Style::Go,
        Style::Java,
        Style::Native,
        Style::DotNet,
        Style::Ruby,
        Style::Php,
        Style::Places,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Style::Python => "python",
            Style::Rust => "rust",
            Style::JavaScript => "javascript",
            Style::Go => "go",
            Style::Java => "java",
            Style::Native => "c",
            Style::DotNet => "csharp",
            Style::Ruby => "ruby",
            Style::Php => "php",
            Style::Places => "places",
        }
    }

    /// By the name of a language.
    pub fn of_language(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "python" | "py" => Style::Python,
            "rust" | "rs" => Style::Rust,
            "javascript" | "typescript" | "js" | "ts" | "tsx" | "node" => Style::JavaScript,
            "go" | "golang" => Style::Go,
            "java" | "kotlin" | "scala" => Style::Java,
            "c" | "cpp" | "c++" | "zig" => Style::Native,
            "csharp" | "c#" | "dotnet" => Style::DotNet,
            "ruby" | "rb" => Style::Ruby,
            "php" => Style::Php,
            _ => return None,
        })
    }
}

/// One frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// As the trace has it; empty where it names none.
    pub path: String,
    pub line: Option<u32>,
    /// The function as the trace has it; empty where it names none.
    pub function: String,
    /// The line of the trace.
    pub raw: String,
    /// Which failure of the text it is of; the last one is 0.
    pub failure: u32,
}

/// What a text tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    pub style: Style,
    /// Those of the last failure first; of each the first cause, and of that where it failed, then who called.
    pub frames: Vec<Frame>,
    /// How many failures there are. A failure and what caused it are one.
    pub failures: usize,
    /// What the last failure was called.
    pub message: Option<String>,
    /// What its first cause was called, where it had one.
    pub cause: Option<String>,
}

/// Longer lines hold no frame.
const MAX_LINE: usize = 2_000;
/// More frames than this repeat themselves.
const MAX_FRAMES: usize = 400;

/// Reads the frames of a trace in the style that explains most lines, or in the given one. Nothing where there are none.
pub fn parse(text: &str, style: Option<Style>) -> Option<Parsed> {
    let text = plain(text);
    let lines: Vec<&str> = text.lines().filter(|line| line.len() <= MAX_LINE).collect();
    let styles = style.map_or_else(|| Style::ALL.to_vec(), |style| vec![style, Style::Places]);
    let mut best: Option<Parsed> = None;
    for style in styles {
        let found = read(&lines, style);
        // Places are in every trace; a real trace says more.
        let enough = best.as_ref().is_none_or(|best| match style {
            Style::Places => best.frames.is_empty(),
            _ => found.frames.len() > best.frames.len(),
        });
        if !found.frames.is_empty() && enough {
            best = Some(found);
        }
    }
    best
}

fn read(lines: &[&str], style: Style) -> Parsed {
    let chains: Vec<Chain> = chains(lines, style, |part| frames(part, style));
    let last = chains.last();
    let message = last.and_then(|chain| chain.message.clone());
    let cause = last.and_then(|chain| chain.cause.clone()).filter(|cause| message.as_ref() != Some(cause));
    let failures = chains.len();
    let mut found: Vec<Frame> = Vec::new();
    for (failure, chain) in chains.into_iter().rev().enumerate() {
        found.extend(chain.frames.into_iter().map(|frame| Frame { failure: failure as u32, ..frame }));
    }
    found.truncate(MAX_FRAMES);
    Parsed { style, frames: found, failures, message, cause }
}

/// Whether a text is a trace rather than a question: it has two frames and more.
pub fn is_trace(text: &str) -> bool {
    text.lines().count() > 2
        && parse(text, None).is_some_and(|found| found.style != Style::Places && found.frames.len() > 1)
}
