//! Text of a definition without the comments in it.

use std::borrow::Cow;

/// How a language writes comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marks {
    /// `# to the end of the line`
    Hash,
    /// `// to the end of the line` and `/* to its mark */`
    Slashes,
}

impl Marks {
    pub fn of(language: &str) -> Self {
        match language {
            "python" | "ruby" | "elixir" | "bash" => Self::Hash,
            _ => Self::Slashes,
        }
    }
}

/// A line of a file without the comments in it, and without the blanks around it.
pub fn code_of_line<'l>(path: &str, line: &'l str) -> Cow<'l, str> {
    let Some(language) = crate::languages::of_path(path) else { return Cow::Borrowed(line.trim()) };
    match without(line, Marks::of(language.name)) {
        Cow::Borrowed(line) => Cow::Borrowed(line.trim()),
        Cow::Owned(line) => Cow::Owned(line.trim().to_owned()),
    }
}

/// The text with a space in place of each comment; strings are left as they are.
pub(crate) fn without(text: &str, marks: Marks) -> Cow<'_, str> {
    let may_have = match marks {
        Marks::Hash => text.contains('#'),
        Marks::Slashes => text.contains("//") || text.contains("/*"),
    };
    if !may_have {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let taken = match (first, marks) {
            ('#', Marks::Hash) => Err(rest.find('\n').unwrap_or(rest.len())),
            ('/', Marks::Slashes) if rest.starts_with("//") => Err(rest.find('\n').unwrap_or(rest.len())),
            ('/', Marks::Slashes) if rest.starts_with("/*") => {
                Err(rest.find("*/").map_or(rest.len(), |end| end + 2))
            }
            ('"' | '`', _) | ('\'', Marks::Hash) => Ok(quoted(rest, first)),
            // A lifetime begins like a character.
            ('\'', Marks::Slashes) => Ok(character(rest)),
            _ => Ok(first.len_utf8()),
        };
        let len = match taken {
            Ok(len) => {
                kept.push_str(&rest[..len]);
                len
            }
            Err(len) => {
                kept.push(' ');
                len
            }
        };
        rest = &rest[len..];
    }
    Cow::Owned(kept)
}

/// The bytes of a string, with its quotes; to the end where it is not closed.
fn quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == quote && !is_escaped {
            return at + c.len_utf8();
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    text.len()
}

/// The bytes of a character in quotes, or of the quote alone.
fn character(text: &str) -> usize {
    let end = quoted(text, '\'');
    let is_character = text[1..end].chars().count() == 2 || text.starts_with("'\\");
    if is_character { end } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_go_and_strings_stay() {
        let slashes = |text| without(text, Marks::Slashes).into_owned();
        assert_eq!(slashes("f(a, /* b */ c) // d\nwhere"), "f(a,   c)  \nwhere");
        assert_eq!(slashes(r#"U: &'a str = "http://x" // y"#), r#"U: &'a str = "http://x"  "#);
        assert_eq!(slashes(r"C: char = '/' // y"), r"C: char = '/'  ");
        let hash = |text| without(text, Marks::Hash).into_owned();
        assert_eq!(hash("def a(\n  x, # the x\n  y='#')"), "def a(\n  x,  \n  y='#')");
        assert_eq!(hash(r##"x="\"#" # c"##), r##"x="\"#"  "##);
    }
}
