//! JSON: where a file of it does not parse. Comments and commas before a bracket are let pass, as many programs do.

use serde::de::IgnoredAny;

/// Where it stops, from 1, and why; nothing where it is sound. What is ignored is read without recursion, so that
/// depth is no matter.
pub(super) fn error(text: &str) -> Option<(u32, u32, String)> {
    if text.trim().is_empty() || read(text).is_ok() {
        return None;
    }
    let err = read(&plain(text)).err()?;
    let number = |at: usize| u32::try_from(at.max(1)).unwrap_or(u32::MAX);
    let said = err.to_string();
    let what = said.split(" at line ").next().unwrap_or_default().to_owned();
    Some((number(err.line()), number(err.column()), what))
}

fn read(text: &str) -> Result<IgnoredAny, serde_json::Error> {
    serde_json::from_str(text)
}

/// The text with blanks for comments and for commas that nothing follows, so that places stay.
fn plain(text: &str) -> String {
    let mut out = text.as_bytes().to_vec();
    let mut at = 0;
    let mut comma: Option<usize> = None;
    while at < out.len() {
        match out[at] {
            b'"' => {
                comma = None;
                at += 1;
                while at < out.len() && out[at] != b'"' {
                    at += if out[at] == b'\\' { 2 } else { 1 };
                }
            }
            b'/' if matches!(out.get(at + 1), Some(b'/' | b'*')) => {
                let end: &[u8] = if out[at + 1] == b'/' { b"\n" } else { b"*/" };
                let rest = out.get(at + 2..).unwrap_or_default();
                let len = rest.windows(end.len()).position(|here| here == end);
                let to = len.map_or(out.len(), |len| at + 2 + len + if end.len() == 2 { 2 } else { 0 });
                out[at..to].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
                at = to;
                continue;
            }
            b',' => comma = Some(at),
            b']' | b'}' => {
                if let Some(comma) = comma.take() {
                    out[comma] = b' ';
                }
            }
            byte if byte.is_ascii_whitespace() => {}
            _ => comma = None,
        }
        at += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_no_reader_takes_is_an_error() {
        assert_eq!(error("{\"a\": [1, 2]}"), None);
        assert_eq!(error(""), None);
        assert_eq!(error("{ // why: \"x\n  \"a//b\": 1, /* é */\n  \"c\": [1,],\n}\n"), None);
        assert_eq!(error("{\"a\":"), Some((1, 5, "EOF while parsing a value".into())));
        assert_eq!(error("{\n  \"a\": 1\n  \"b\": 2\n}"), Some((3, 3, "expected `,` or `}`".into())));
        let deep = "[".repeat(100_000);
        assert_eq!(error(&format!("{deep}{}", "]".repeat(100_000))), None);
        assert_eq!(error(&deep).map(|(line, ..)| line), Some(1));
    }
}
