//! Lines of source, told apart into code and prose without a parser: comments and strings are prose.

/// How a language writes comments and strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    line_comments: &'static [&'static str],
    blocks: &'static [(&'static str, &'static str)],
    quotes: &'static [char],
    /// Whether a string ends only at its mark, on whatever line; elsewhere a backslash at its end carries it on.
    spans: bool,
}

/// What a part of a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Code,
    /// A comment, or a string that stands alone as one.
    Comment,
    /// A string.
    Text,
}

impl Kind {
    /// Whether it is written for people.
    pub fn is_prose(self) -> bool {
        self != Self::Code
    }
}

/// One line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line<'t> {
    /// Parts in order.
    pub parts: Vec<(&'t str, Kind)>,
    /// Whether there is nothing but a comment on it.
    pub is_comment: bool,
}

const C: Style = Style { line_comments: &["//"], blocks: &[("/*", "*/")], quotes: &['"'], spans: false };
const RUST: Style = Style { spans: true, ..C };
const GO: Style = Style { blocks: &[("/*", "*/"), ("`", "`")], ..C };
/// Languages with blocks of text.
const JVM: Style = Style { blocks: &[("/*", "*/"), ("\"\"\"", "\"\"\"")], ..C };
const SCRIPT: Style = Style { quotes: &['"', '\''], ..GO };
const HASH: Style = Style { line_comments: &["#"], blocks: &[], quotes: &['"', '\''], spans: false };
const PYTHON: Style = Style { blocks: &[("\"\"\"", "\"\"\""), ("'''", "'''")], ..HASH };
const PHP: Style = Style { line_comments: &["//", "#"], blocks: &[("/*", "*/")], ..HASH };
const LUA: Style = Style { line_comments: &["--"], blocks: &[("[[", "]]")], ..HASH };

/// The ends of raw strings, by how many signs they have.
const RAW: [&str; 5] = ["\"", "\"#", "\"##", "\"###", "\"####"];

impl Style {
    /// The style of a file, by its name.
    pub fn of(path: &str) -> Self {
        match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
            "py" | "pyi" | "pyx" => PYTHON,
            "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" | "vue" | "svelte" | "dart" => SCRIPT,
            "rb" | "sh" | "bash" | "zsh" | "ex" | "exs" | "yml" | "yaml" | "toml" | "pl" | "pm" | "r" => HASH,
            "php" => PHP,
            "rs" => RUST,
            "go" => GO,
            "java" | "kt" | "kts" | "scala" | "swift" | "cs" => JVM,
            "lua" | "sql" | "hs" => LUA,
            _ => C,
        }
    }

    /// Every line of a text.
    pub fn lines(self, text: &str) -> Vec<Line<'_>> {
        let mut open = None;
        text.lines().map(|line| self.line(line, &mut open)).collect()
    }

    /// `open` is what began on an earlier line and has not ended.
    fn line<'t>(self, line: &'t str, open: &mut Option<Open>) -> Line<'t> {
        let mut found = Line::default();
        let mut rest = line;
        while !rest.is_empty() {
            if let Some(known) = *open {
                let end = match known {
                    Open::Block(end, _) => rest.find(end).map(|at| at + end.len()),
                    Open::Quote(quote) => closing(rest, quote),
                };
                let (prose, after) = rest.split_at(end.unwrap_or(rest.len()));
                let ends = end.is_some() || known.ends_with_line(self, line);
                *open = open.filter(|_| !ends);
                found.parts.push((prose, known.kind()));
                rest = after;
                continue;
            }
            let start = self.next_prose(rest);
            let Some((at, start)) = start else {
                found.parts.push((rest, Kind::Code));
                break;
            };
            if at > 0 {
                found.parts.push((&rest[..at], Kind::Code));
            }
            rest = &rest[at..];
            match start {
                Start::Line => {
                    found.parts.push((rest, Kind::Comment));
                    break;
                }
                Start::Block(begin, end) => {
                    // A block of text that stands alone is a comment, too.
                    let has_code = found.parts.iter().any(|(part, _)| !part.trim().is_empty());
                    let is_alone = begin.len() > 1 && !has_code;
                    let kind = if begin == "/*" || is_alone { Kind::Comment } else { Kind::Text };
                    // The opening mark may be the same as the closing one.
                    let (mark, after) = rest.split_at(begin.len());
                    found.parts.push((mark, kind));
                    rest = after;
                    *open = Some(Open::Block(end, kind));
                }
                Start::Raw(end) => {
                    let (mark, after) = rest.split_at(1);
                    found.parts.push((mark, Kind::Text));
                    rest = after;
                    *open = Some(Open::Block(end, Kind::Text));
                }
                Start::Quote(quote) => {
                    let (mark, after) = rest.split_at(quote.len_utf8());
                    let end = closing(after, quote).map(|end| mark.len() + end);
                    let (text, after) = rest.split_at(end.unwrap_or(rest.len()));
                    found.parts.push((text, Kind::Text));
                    rest = after;
                    *open = (end.is_none() && !Open::Quote(quote).ends_with_line(self, line))
                        .then_some(Open::Quote(quote));
                }
            }
        }
        let is_blank = |part: &str| part.trim().is_empty();
        let mut said = found.parts.iter().filter(|(part, _)| !is_blank(part));
        found.is_comment = !is_blank(line) && said.all(|(_, kind)| *kind == Kind::Comment);
        found
    }

    fn next_prose(self, text: &str) -> Option<(usize, Start)> {
        let mut after_sign = 0;
        for (at, c) in text.char_indices() {
            if at < after_sign || c.is_alphanumeric() || c == ' ' || c == '_' {
                continue;
            }
            let here = &text[at..];
            if let Some(len) = self.sign(here) {
                after_sign = at + len;
                continue;
            }
            if let Some(&(begin, end)) = self.blocks.iter().find(|(begin, _)| here.starts_with(begin)) {
                return Some((at, Start::Block(begin, end)));
            }
            if self.line_comments.iter().any(|mark| here.starts_with(mark)) {
                return Some((at, Start::Line));
            }
            if self.quotes.contains(&c) {
                return Some((at, raw(&text[..at]).filter(|_| self.spans).unwrap_or(Start::Quote(c))));
            }
        }
        None
    }

    /// How long a sign between single quotation marks is, as `'"'`, where such marks hold no strings.
    fn sign(self, here: &str) -> Option<usize> {
        let inside = here.strip_prefix('\'').filter(|_| !self.quotes.contains(&'\''))?;
        let sign = inside.strip_prefix('\\').unwrap_or(inside);
        let after = sign.strip_prefix(|_: char| true)?;
        after.starts_with('\'').then(|| here.len() - after.len() + 1)
    }
}

enum Start {
    Line,
    Block(&'static str, &'static str),
    /// A string without escapes, with the signs that end it.
    Raw(&'static str),
    Quote(char),
}

/// What has begun and not ended.
#[derive(Clone, Copy)]
enum Open {
    Block(&'static str, Kind),
    Quote(char),
}

impl Open {
    fn kind(self) -> Kind {
        match self {
            Self::Block(_, kind) => kind,
            Self::Quote(_) => Kind::Text,
        }
    }

    /// Whether the end of this line ends it, though no mark does.
    fn ends_with_line(self, style: Style, line: &str) -> bool {
        matches!(self, Self::Quote(_)) && !style.spans && !line.ends_with('\\')
    }
}

/// The start of a raw string, where `before` its mark says so: `r#`.
fn raw(before: &str) -> Option<Start> {
    let name = before.trim_end_matches('#');
    let is_raw = name.strip_suffix(['r', 'R'])?.trim_end_matches('b').chars().next_back();
    let is_own = is_raw.is_none_or(|c| !c.is_alphanumeric() && c != '_');
    RAW.get(before.len() - name.len()).filter(|_| is_own).map(|end| Start::Raw(end))
}

/// Where a string ends of which this is the rest after its first mark or line.
fn closing(text: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            c if c == quote => return Some(at + c.len_utf8()),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str, expected: &[&str]) {
        let lines = Style::of(path).lines(text);
        let prose = |line: &Line<'_>| -> String {
            line.parts.iter().filter(|(_, kind)| kind.is_prose()).map(|(part, _)| *part).collect()
        };
        assert_eq!(lines.iter().map(prose).collect::<Vec<_>>(), expected);
        let whole: Vec<String> =
            lines.iter().map(|line| line.parts.iter().map(|(part, _)| *part).collect()).collect();
        assert_eq!(whole, text.lines().collect::<Vec<_>>(), "nothing is lost");
    }

    #[test]
    fn comments_and_strings_are_prose() {
        check("a.rs", "let a = \"x \\\" y\"; // why\nb::<'a>();", &["\"x \\\" y\"// why", ""]);
        check("a.c", "a /* one\ntwo */ b", &["/* one", "two */"]);
        check(
            "a.py",
            "f('it')  # no\n\"\"\"Doc.\n\nMore.\"\"\"\nx",
            &["'it'# no", "\"\"\"Doc.", "", "More.\"\"\"", ""],
        );
        check("a.ts", "a(`b\nc`, 'd')", &["`b", "c`'d'"]);
        check("a.go", "f(`b \"%s\"\nc`, '`', \"d\")\ng()", &["`b \"%s\"", "c`\"d\"", ""]);
        check("a.java", "f('\"', '\\'', \"\"\"\n b\n\"\"\");", &["\"\"\"", " b", "\"\"\""]);
        check("a.rs", "f::<'a, 'b>(\"c\", '\"')", &["\"c\""]);
    }

    #[test]
    fn a_string_goes_on_where_its_language_says_so() {
        check("a.rs", "f(\"one \\\n   two\", x)\ng(\"three\")", &["\"one \\", "   two\"", "\"three\""]);
        check("a.rs", "f(\"one\ntwo\")", &["\"one", "two\""]);
        check("a.rs", "f(r#\"a \" \\\"#, x, r\"\\\", bar\"b\")", &["\"a \" \\\"#\"\\\"\"b\""]);
        check("a.c", "f(\"one \\\ntwo\");\nchar *a = \"open\nb", &["\"one \\", "two\"", "\"open", ""]);
    }

    #[test]
    fn a_line_of_nothing_but_comment_is_known() {
        let lines = Style::of("a.rs").lines("/// Doc.\nfn a() {} // x\n\n");
        assert_eq!(lines.iter().map(|line| line.is_comment).collect::<Vec<_>>(), [true, false, false]);
        let lines = Style::of("a.py").lines("\"\"\"Doc.\n\nMore.\"\"\"\nf(\n    \"no doc\"\n)");
        assert_eq!(
            lines.iter().map(|line| line.is_comment).collect::<Vec<_>>(),
            [true, false, true, false, false, false]
        );
    }
}
