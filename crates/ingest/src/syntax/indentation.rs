//! Indentation: what Python refuses of it. The grammar reads blocks without a body and stray indents without a word.

/// A line whose indentation cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Misplaced {
    /// From 1.
    pub line: usize,
    /// In bytes, from 1.
    pub column: usize,
    pub what: &'static str,
}

const NO_BODY: &str = "an indented block is missing after this line";
const STRAY: &str = "the indentation is unexpected";
const NO_LEVEL: &str = "the indentation matches no outer level";

pub(super) fn misplaced(text: &str) -> Vec<Misplaced> {
    let mut found = Vec::new();
    let mut levels = vec![0];
    let mut header: Option<Statement> = None;
    for statement in statements(text) {
        let top = *levels.last().unwrap_or(&0);
        let here = |of: &Statement, what| Misplaced { line: of.line, column: of.column, what };
        match &header {
            Some(header) if statement.indent <= top => found.push(here(header, NO_BODY)),
            Some(_) => levels.push(statement.indent),
            None if statement.indent > top => {
                found.push(here(&statement, STRAY));
                levels.push(statement.indent);
            }
            None => {}
        }
        while levels.last().is_some_and(|&level| level > statement.indent) {
            levels.pop();
        }
        if levels.last().is_none_or(|&level| level < statement.indent) {
            found.push(here(&statement, NO_LEVEL));
            levels.push(statement.indent);
        }
        header = statement.is_header.then_some(statement);
    }
    found.extend(header.map(|header| Misplaced { line: header.line, column: header.column, what: NO_BODY }));
    found
}

/// A line as Python counts them: brackets, strings and backslashes may carry it over several.
struct Statement {
    line: usize,
    column: usize,
    /// In columns; a tab goes to the next eighth.
    indent: usize,
    /// Whether it ends with a colon, so that a block follows.
    is_header: bool,
}

fn statements(text: &str) -> Vec<Statement> {
    let bytes = text.as_bytes();
    let mut found: Vec<Statement> = Vec::new();
    let (mut at, mut line, mut depth) = (0, 1, 0_usize);
    let mut is_open = false;
    let mut last = b' ';
    let mut line_start = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        match byte {
            b'\n' => {
                if is_open && depth == 0 {
                    is_open = false;
                    if let Some(statement) = found.last_mut() {
                        statement.is_header = last == b':';
                    }
                }
                line += 1;
                line_start = at + 1;
            }
            b' ' | b'\t' | b'\r' | b'\x0C' => {}
            b'#' => {
                at = memchr_newline(bytes, at);
                continue;
            }
            b'\\' if matches!(bytes.get(at + 1), Some(b'\n' | b'\r')) => {
                at = memchr_newline(bytes, at) + 1;
                line += 1;
                line_start = at;
                continue;
            }
            _ => {
                if !is_open {
                    let before = &bytes[line_start..at];
                    found.push(Statement {
                        line,
                        column: before.len() + 1,
                        indent: width(before),
                        is_header: false,
                    });
                    is_open = true;
                }
                last = byte;
                match byte {
                    b'(' | b'[' | b'{' => depth += 1,
                    b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                    b'"' | b'\'' => {
                        let end = string_end(bytes, at);
                        let newlines = bytes[at..end].iter().enumerate().filter(|(_, byte)| **byte == b'\n');
                        for (newline, _) in newlines {
                            line += 1;
                            line_start = at + newline + 1;
                        }
                        at = end;
                        continue;
                    }
                    _ => {}
                }
            }
        }
        at += 1;
    }
    if let Some(statement) = found.last_mut().filter(|_| is_open && depth == 0) {
        statement.is_header = last == b':';
    }
    found
}

fn memchr_newline(bytes: &[u8], from: usize) -> usize {
    bytes[from..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| from + at)
}

/// After the closing quotes; a string of one line that is not closed ends with its line.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let quote = bytes[start];
    let is_long = bytes.get(start + 1) == Some(&quote) && bytes.get(start + 2) == Some(&quote);
    let mut at = start + if is_long { 3 } else { 1 };
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'\n' if !is_long => return at,
            byte if byte == quote && !is_long => return at + 1,
            byte if byte == quote && bytes[at..].starts_with(&[quote; 3]) => return at + 3,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

fn width(blanks: &[u8]) -> usize {
    blanks.iter().fold(0, |width, byte| match byte {
        b'\t' => (width / 8 + 1) * 8,
        b'\x0C' => 0,
        _ => width + 1,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let lines: Vec<String> =
            misplaced(text).iter().map(|one| format!("{}:{} {}", one.line, one.column, one.what)).collect();
        lines.join("; ")
    }

    #[test]
    fn blocks_without_a_body_and_levels_that_are_not_open_are_told() {
        assert_eq!(shown("if True:\n"), "1:1 an indented block is missing after this line");
        assert_eq!(shown("def a():\nreturn 1\n"), "1:1 an indented block is missing after this line");
        assert_eq!(
            shown("class A:\n\n# only this\nx = 1\n"),
            "1:1 an indented block is missing after this line"
        );
        assert_eq!(
            shown("class A:\n    def f(self):\n    def g(self):\n        pass\n").split(' ').next(),
            Some("2:5")
        );
        assert_eq!(shown("if a:\n        b()\n    c()\n"), "3:5 the indentation matches no outer level");
        assert_eq!(shown("a()\n    b()\n"), "2:5 the indentation is unexpected");
    }

    #[test]
    fn what_python_reads_is_left_alone() {
        let sound = [
            "def a(): return 1\nclass B: pass\nif x: y = {1:\n  2}\n",
            "def a(\n  b,\n):  # why:\n    '''text:\n  more\n'''\n    return [\n1:2]\n\n\n# end:\n",
            "x = 1 + \\\n        2\ny = '''\n    a:\n'''\nif y: \\\n    z()\n",
            "try:\n\tf()\nexcept E:\n        g('it\\'s:')\nelse:\n    pass\n",
            "async def f():\r\n    with a as b:\r\n        pass\r\n\r\nmatch x:\r\n    case 1:\r\n        pass\r\n",
            "def f(x): ...\nx: int\ns = f\"{a['b']}: \"\nl = lambda: 1\n",
            "if a:\n    pass\n    # comment\n  # odd comment\nelse:\n    pass\n",
        ];
        for text in sound {
            assert_eq!(shown(text), "", "{text}");
        }
    }
}
