//! Layout: code without the way it is laid out, so that what was only wrapped or indented otherwise is the same.

/// What a language makes of the letters that have no meaning of their own.
#[derive(Clone, Copy, Debug)]
struct Manners {
    /// Comments begin with `#`, not with slashes.
    hash_comments: bool,
    /// Blocks are told by their indentation.
    indented: bool,
    /// One value in brackets with a comma behind it is another thing than the value.
    tuples: bool,
    /// `'` begins a string or a letter.
    apostrophes: bool,
}

fn manners(family: &str) -> Manners {
    Manners {
        hash_comments: ["python", "ruby", "bash", "elixir", "r", "julia", "perl"].contains(&family),
        indented: family == "python",
        tuples: ["python", "rust"].contains(&family),
        apostrophes: family != "rust",
    }
}

/// A bracket that is open.
#[derive(Clone, Copy, Debug)]
struct Open {
    bracket: u8,
    /// It stands right behind a name or another bracket, as those of arguments do.
    follows: bool,
    commas: usize,
}

/// The code without breaks and blanks that mean nothing, and without the comma after the last of several things.
pub(crate) fn unwrapped(text: &str, family: &str) -> String {
    let manners = manners(family);
    let bytes = text.as_bytes();
    let mut out: Vec<u8> = Vec::with_capacity(bytes.len());
    let mut open: Vec<Open> = Vec::new();
    let mut levels: Vec<usize> = vec![0];
    let (mut at, mut is_blank, mut is_line) = (0, false, false);
    while at < bytes.len() {
        let byte = bytes[at];
        if byte.is_ascii_whitespace() {
            is_blank = true;
            is_line |= byte == b'\n';
            at += 1;
            continue;
        }
        if manners.indented && byte == b'\\' && matches!(bytes.get(at + 1), Some(b'\n' | b'\r')) {
            (at, is_blank) = (line_end(bytes, at) + 1, true);
            continue;
        }
        if let Some(end) = comment_end(bytes, at, manners) {
            // Prose is told by its words, and ends with its line.
            if !out.ends_with(b"\n") {
                out.push(b'\n');
            }
            let words = text.get(at..end).unwrap_or_default().split_whitespace();
            words.for_each(|word| out.extend([word.as_bytes(), b" "].concat()));
            out.push(b'\n');
            (at, is_blank) = (end, true);
            continue;
        }
        if is_line && manners.indented && open.is_empty() {
            indent(&mut out, &mut levels, bytes, at);
        } else if is_blank && out.last().is_some_and(|last| !is_loose(*last)) && !is_loose(byte) {
            out.push(b' ');
        }
        let was_blank = is_blank;
        (is_blank, is_line) = (false, false);
        if is_quote(bytes, at, manners) {
            let end = string_end(bytes, at);
            out.extend_from_slice(&bytes[at..end]);
            at = end;
            continue;
        }
        match byte {
            b'(' | b'[' | b'{' => {
                let follows = !was_blank
                    && out.last().is_some_and(|last| is_word(*last) || b")]}>".contains(last))
                    && !out.ends_with(b"->")
                    && !out.ends_with(b"=>");
                open.push(Open { bracket: byte, follows, commas: 0 });
            }
            b')' | b']' | b'}' => {
                let is_idle = open.pop().is_some_and(|open| is_idle(open, &out, manners));
                out.truncate(out.len() - usize::from(is_idle));
            }
            // Of types, whose brackets these are too.
            b'>' if out.ends_with(b",") => {
                out.pop();
            }
            b',' => open.iter_mut().next_back().into_iter().for_each(|open| open.commas += 1),
            _ => {}
        }
        out.push(byte);
        at += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Whether what ends a list of things in brackets is a comma that says nothing.
fn is_idle(open: Open, out: &[u8], manners: Manners) -> bool {
    let Some(before) = out.strip_suffix(b",").and_then(<[u8]>::last) else { return false };
    // Places that are left out count.
    if b"([{,".contains(before) {
        return false;
    }
    let means_one = match open.bracket {
        b'(' => !open.follows,
        b'[' => open.follows,
        _ => false,
    };
    open.commas > 1 || !manners.tuples || !means_one
}

/// A new line of a language whose blocks are told by their indentation.
fn indent(out: &mut Vec<u8>, levels: &mut Vec<usize>, bytes: &[u8], at: usize) {
    let start = bytes[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    let width = bytes[start..at].iter().fold(0, |width, byte| match byte {
        b'\t' => (width / 8 + 1) * 8,
        _ => width + 1,
    });
    while levels.last().is_some_and(|&level| level > width) {
        levels.pop();
        out.push(0x02);
    }
    if levels.last().is_none_or(|&level| level < width) {
        levels.push(width);
        out.push(0x01);
    }
    if !out.ends_with(b"\n") {
        out.push(b'\n');
    }
}

/// Blanks beside these say nothing.
fn is_loose(byte: u8) -> bool {
    b"()[]{}<>,;\n".contains(&byte)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn line_end(bytes: &[u8], from: usize) -> usize {
    bytes[from..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| from + at)
}

fn comment_end(bytes: &[u8], at: usize, manners: Manners) -> Option<usize> {
    let rest = &bytes[at..];
    match manners.hash_comments {
        true => rest.starts_with(b"#").then(|| line_end(bytes, at)),
        false if rest.starts_with(b"//") => Some(line_end(bytes, at)),
        false if rest.starts_with(b"/*") => {
            let end = rest[2..].windows(2).position(|pair| pair == b"*/").map(|end| at + end + 4);
            Some(end.unwrap_or(bytes.len()))
        }
        false => None,
    }
}

fn is_quote(bytes: &[u8], at: usize, manners: Manners) -> bool {
    match bytes[at] {
        b'"' | b'`' => true,
        // Between digits it parts them.
        b'\'' => manners.apostrophes && !(at > 0 && bytes[at - 1].is_ascii_digit()),
        _ => false,
    }
}

/// After the closing quotes. A string of one line that is not closed ends with its line, so that what only looked like a
/// quote does no harm behind it.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let quote = bytes[start];
    let is_triple = quote != b'`' && bytes[start..].starts_with(&[quote; 3]);
    let is_long = is_triple || quote == b'`';
    let mut at = start + if is_triple { 3 } else { 1 };
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'\n' if !is_long => return at,
            byte if byte == quote && !is_triple => return at + 1,
            byte if byte == quote && bytes[at..].starts_with(&[quote; 3]) => return at + 3,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(family: &str, a: &str, b: &str) -> bool {
        unwrapped(a, family) == unwrapped(b, family)
    }

    #[test]
    fn what_was_only_wrapped_is_the_same() {
        for (family, a, b) in [
            ("python", "def f(a, b=1) -> int:", "def f(\n    a,\n    b=1,\n) -> int:"),
            (
                "python",
                "def f(a, *, b):\n    return g(a, b)\n",
                "def f(a, *,\n      b):\n  return g(\n    a, b,\n  )",
            ),
            ("python", "def f(x: dict[str, int]):", "def f(\n    x: dict[\n        str, int\n    ],\n):"),
            ("python", "x = a + b", "x = a + \\\n    b"),
            (
                "rust",
                "fn f<T: A, U>(a: T, b: &'a U) -> Result<T, U>",
                "fn f<\n    T: A,\n    U,\n>(\n    a: T,\n    b: &'a U,\n) -> Result<T, U>",
            ),
            ("javascript", "const f = (a) => a", "const f = (\n  a,\n) =>\n  a"),
            (
                "go",
                "func (s *S) F(a int, b string) error {",
                "func (s *S) F(\n\ta int,\n\tb string,\n) error {",
            ),
        ] {
            assert!(same(family, a, b), "{}\n{}", unwrapped(a, family), unwrapped(b, family));
        }
    }

    #[test]
    fn what_means_something_else_differs() {
        for (family, a, b) in [
            ("python", "def f(x=(1,)):", "def f(x=(1)):"),
            ("python", "x = a[1,]", "x = a[1]"),
            ("python", "return (1,)", "return (1)"),
            ("python", "def f(a, b):", "def f(a, c):"),
            ("python", "def f(a='x  y'):", "def f(a='x y'):"),
            ("python", "def f(a=' ('):", "def f(a='('):"),
            ("python", "if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n"),
            ("python", "a  # it's (one\nb = ' x'", "a  # it's (one\nb = 'x'"),
            ("rust", "fn f() -> (u8,)", "fn f() -> (u8)"),
            ("rust", "fn f(a: &'a str)", "fn f(a: &'b str)"),
            ("javascript", "f([a, , b])", "f([a, b])"),
            ("javascript", "f([,])", "f([])"),
            ("c", "int a = - -b;", "int a = --b;"),
            ("c", "a // don't\nb", "a // do not\nb"),
        ] {
            assert!(!same(family, a, b), "{}", unwrapped(a, family));
        }
    }
}
