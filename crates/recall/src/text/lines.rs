//! Lines of source, told apart into code and prose without a parser: comments and strings are prose.

/// How a language writes comments and strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    line_comments: &'static [&'static str],
    blocks: &'static [(&'static str, &'static str)],
    quotes: &'static [char],
}

/// One line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line<'t> {
    /// Parts in order, and whether each is prose.
    pub parts: Vec<(&'t str, bool)>,
    /// Whether there is nothing but a comment on it.
    pub is_comment: bool,
}

const C: Style = Style { line_comments: &["//"], blocks: &[("/*", "*/")], quotes: &['"'] };
const GO: Style = Style { line_comments: &["//"], blocks: &[("/*", "*/"), ("`", "`")], quotes: &['"'] };
/// Languages with blocks of text.
const JVM: Style =
    Style { line_comments: &["//"], blocks: &[("/*", "*/"), ("\"\"\"", "\"\"\"")], quotes: &['"'] };
const SCRIPT: Style =
    Style { line_comments: &["//"], blocks: &[("/*", "*/"), ("`", "`")], quotes: &['"', '\''] };
const PYTHON: Style =
    Style { line_comments: &["#"], blocks: &[("\"\"\"", "\"\"\""), ("'''", "'''")], quotes: &['"', '\''] };
const HASH: Style = Style { line_comments: &["#"], blocks: &[], quotes: &['"', '\''] };
const PHP: Style = Style { line_comments: &["//", "#"], blocks: &[("/*", "*/")], quotes: &['"', '\''] };
const LUA: Style = Style { line_comments: &["--"], blocks: &[("[[", "]]")], quotes: &['"', '\''] };

impl Style {
    /// The style of a file, by its name.
    pub fn of(path: &str) -> Self {
        match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
            "py" | "pyi" | "pyx" => PYTHON,
            "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" | "vue" | "svelte" | "dart" => SCRIPT,
            "rb" | "sh" | "bash" | "zsh" | "ex" | "exs" | "yml" | "yaml" | "toml" | "pl" | "pm" | "r" => HASH,
            "php" => PHP,
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

    /// `open` is the end of a block that began on an earlier line.
    fn line<'t>(self, line: &'t str, open: &mut Option<&'static str>) -> Line<'t> {
        let mut found = Line::default();
        let mut rest = line;
        while !rest.is_empty() {
            if let Some(end) = *open {
                let (prose, after) = match rest.find(end) {
                    Some(at) => {
                        *open = None;
                        rest.split_at(at + end.len())
                    }
                    None => (rest, ""),
                };
                found.parts.push((prose, true));
                rest = after;
                continue;
            }
            let start = self.next_prose(rest);
            let Some((at, start)) = start else {
                found.parts.push((rest, false));
                break;
            };
            if at > 0 {
                found.parts.push((&rest[..at], false));
            }
            rest = &rest[at..];
            match start {
                Start::Line => {
                    found.parts.push((rest, true));
                    break;
                }
                Start::Block(begin, end) => {
                    // The opening mark may be the same as the closing one.
                    let (mark, after) = rest.split_at(begin.len());
                    found.parts.push((mark, true));
                    rest = after;
                    *open = Some(end);
                }
                Start::Quote(quote) => {
                    let end = closing(rest, quote);
                    found.parts.push((&rest[..end], true));
                    rest = &rest[end..];
                }
            }
        }
        let has_code = found.parts.iter().any(|(part, is_prose)| !is_prose && !part.trim().is_empty());
        found.is_comment = !has_code && !found.parts.is_empty() && !line.trim().is_empty();
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
                return Some((at, Start::Quote(c)));
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
    Quote(char),
}

/// Where a string that begins with `quote` ends; at the end of the line where nothing closes it.
fn closing(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str, expected: &[&str]) {
        let lines = Style::of(path).lines(text);
        let prose = |line: &Line<'_>| -> String {
            line.parts.iter().filter(|(_, is_prose)| *is_prose).map(|(part, _)| *part).collect()
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
    fn a_line_of_nothing_but_comment_is_known() {
        let lines = Style::of("a.rs").lines("/// Doc.\nfn a() {} // x\n\n");
        assert_eq!(lines.iter().map(|line| line.is_comment).collect::<Vec<_>>(), [true, false, false]);
    }
}
