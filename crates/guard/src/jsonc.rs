//! Jsonc: JSON as people write it into settings, with comments and trailing commas, made into JSON as programs read it.

/// The same text with comments and trailing commas blanked out. Every other byte keeps its place, so that what a parser
/// says about a line and a column is true of the text.
pub fn plain(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    // Where a comma stands after which nothing but blanks and comments came.
    let mut comma: Option<usize> = None;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                comma = None;
                at = end_of_string(bytes, at);
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                let end =
                    bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |len| at + len);
                blank(&mut out[at..end]);
                at = end;
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                let end = text[at + 2..].find("*/").map_or(bytes.len(), |len| at + 2 + len + 2);
                blank(&mut out[at..end]);
                at = end;
                continue;
            }
            b',' => comma = Some(at),
            b'}' | b']' => {
                if let Some(comma) = comma.take() {
                    out[comma] = b' ';
                }
            }
            byte if byte.is_ascii_whitespace() => {}
            _ => comma = None,
        }
        at += 1;
    }
    // Only whole characters were blanked, and with blanks.
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

/// Where the text in quotes that begins at `start` is over.
pub fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn blank(part: &mut [u8]) {
    for byte in part.iter_mut().filter(|byte| **byte != b'\n') {
        *byte = b' ';
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn comments_and_trailing_commas_go_and_text_in_quotes_stays() {
        let text =
            "{ // a\n \"u\": \"http://x/*y*/\", /* ä, } */ \"l\": [1, 2, /* */ ],\n \"q\": \"\\\"//\", }";
        let value: serde_json::Value = serde_json::from_str(&plain(text)).unwrap();
        assert_eq!(value.to_string(), r#"{"u":"http://x/*y*/","l":[1,2],"q":"\"//"}"#);
        assert_eq!(plain(text).len(), text.len());
    }

    #[test]
    fn what_never_ends_ends_with_the_text() {
        for text in ["/*", "\"", "\"\\", "/", "//", "{,", "/*ü", ""] {
            assert_eq!(plain(text).len(), text.len(), "{text:?}");
        }
    }
}
