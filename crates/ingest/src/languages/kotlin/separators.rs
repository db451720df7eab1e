//! Where a member ends without the end of its line, which the grammar takes for the end of nothing.

/// Words that a member begins with.
const STARTS: &[&[u8]] = &[
    b"fun",
    b"val",
    b"var",
    b"class",
    b"object",
    b"companion",
    b"private",
    b"override",
    b"internal",
    b"public",
    b"protected",
];

/// Writes `;` over the blank before a `}` that has code before it on its line, and over the one after a `}` that
/// another member follows.
pub(super) fn write(source: &[u8], bytes: &mut [u8]) {
    let mut texts = Texts::default();
    let mut at = 0;
    let mut line_has_code = false;
    let mut last = 0;
    while let Some(&byte) = source.get(at) {
        if let Some(after) = texts.past(source, at) {
            at = after;
            continue;
        }
        match byte {
            b'\n' => line_has_code = false,
            b'}' => {
                let is_needed = line_has_code && !matches!(last, b'{' | b';' | b',');
                if is_needed && at > 0 && source[at - 1] == b' ' {
                    bytes[at - 1] = b';';
                }
                if source.get(at + 1) == Some(&b' ') && starts_member(&source[at + 1..]) {
                    bytes[at + 1] = b';';
                }
            }
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            line_has_code = true;
            last = byte;
        }
        at += 1;
    }
}

fn starts_member(rest: &[u8]) -> bool {
    let line = rest.split(|&byte| byte == b'\n').next().unwrap_or(rest).trim_ascii_start();
    STARTS.iter().any(|word| line.strip_prefix(*word).is_some_and(|rest| rest.starts_with(b" ")))
}

/// Texts that are open; code may stand in `${…}` of each.
#[derive(Default)]
struct Texts {
    open: Vec<Text>,
}

struct Text {
    is_raw: bool,
    /// Braces open in its template; nothing while its own letters stand here.
    depth: Option<u32>,
}

impl Texts {
    /// The position after what is no code; nothing for code.
    fn past(&mut self, source: &[u8], at: usize) -> Option<usize> {
        let rest = &source[at..];
        if let Some(text) = self.open.last_mut() {
            match (&mut text.depth, rest[0]) {
                (Some(depth), b'{') => {
                    *depth += 1;
                    return Some(at + 1);
                }
                (Some(0), b'}') => {
                    text.depth = None;
                    return Some(at + 1);
                }
                (Some(depth), b'}') => {
                    *depth -= 1;
                    return Some(at + 1);
                }
                (Some(_), _) => {}
                (None, _) => {
                    let end: &[u8] = if text.is_raw { b"\"\"\"" } else { b"\"" };
                    if rest.starts_with(b"${") {
                        text.depth = Some(0);
                        return Some(at + 2);
                    }
                    if rest.starts_with(end) || (!text.is_raw && rest[0] == b'\n') {
                        let length = if rest[0] == b'\n' { 0 } else { end.len() };
                        self.open.pop();
                        return Some(at + length.max(1));
                    }
                    return Some(at + if rest[0] == b'\\' && !text.is_raw { 2 } else { 1 });
                }
            }
        }
        let find = |end: &[u8]| rest.windows(end.len()).position(|window| window == end);
        match rest {
            [b'/', b'/', ..] => Some(find(b"\n").map_or(source.len(), |len| at + len)),
            [b'/', b'*', ..] => Some(find(b"*/").map_or(source.len(), |len| at + len + 2)),
            [b'\'', b'\\', ..] => Some(at + 4),
            [b'\'', _, b'\'', ..] => Some(at + 3),
            [b'"', b'"', b'"', ..] => {
                self.open.push(Text { is_raw: true, depth: None });
                Some(at + 3)
            }
            [b'"', ..] => {
                self.open.push(Text { is_raw: false, depth: None });
                Some(at + 1)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    #[track_caller]
    fn check(source: &str, read: &str) {
        let mut bytes = source.as_bytes().to_vec();
        super::write(source.as_bytes(), &mut bytes);
        assert_eq!(String::from_utf8(bytes).expect("text"), read);
    }

    #[test]
    fn members_on_one_line_are_separated() {
        check("class K { object X { fun f() = 1 } }", "class K { object X { fun f() = 1;};}");
        check("class G { fun a() { } fun b() {} }", "class G { fun a() { };fun b() {};}");
        check("class E {\n  fun a() = 1\n }\n", "class E {\n  fun a() = 1\n }\n");
    }

    #[test]
    fn texts_and_comments_stay() {
        for source in [
            "val a = \"{ ${f(\"}\") } }\" // a }",
            "val b = \"\"\" x } \"\"\"",
            "val c = ' ' /* { x } */",
            "val d = '\\\\'; val e = '}'",
        ] {
            check(source, source);
        }
    }
}
