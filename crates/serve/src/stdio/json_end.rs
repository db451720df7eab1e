//! Where a JSON object or array ends, found one byte at a time and without a stack.

/// What is known after the bytes seen so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// The value goes on.
    Open,
    /// The last byte closed the value.
    Closed,
    /// No JSON object or array has this byte at this place.
    Impossible,
}

/// Looks only at strings, brackets and the alphabet of JSON: enough to notice that a sender's
/// length is wrong before the next message is taken for a part of this one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct JsonEnd {
    depth: u64,
    text: Text,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Text {
    #[default]
    Outside,
    Inside,
    AfterBackslash,
}

impl JsonEnd {
    pub(super) fn step(&mut self, byte: u8) -> Progress {
        match self.text {
            Text::AfterBackslash => self.text = Text::Inside,
            // A line break cannot be inside a string, so a string that was never closed ends here.
            Text::Inside if byte < b' ' => return Progress::Impossible,
            Text::Inside => match byte {
                b'"' => self.text = Text::Outside,
                b'\\' => self.text = Text::AfterBackslash,
                _ => {}
            },
            Text::Outside => return self.outside(byte),
        }
        Progress::Open
    }

    fn outside(&mut self, byte: u8) -> Progress {
        match byte {
            b'{' | b'[' => self.depth += 1,
            b' ' | b'\t' | b'\r' | b'\n' => {}
            _ if self.depth == 0 => return Progress::Impossible,
            b'}' | b']' => {
                self.depth -= 1;
                if self.depth == 0 {
                    return Progress::Closed;
                }
            }
            b'"' => self.text = Text::Inside,
            b':' | b',' | b'0'..=b'9' | b'+' | b'-' | b'.' => {}
            // The letters of true, false, null and of exponents.
            b'a' | b'e' | b'f' | b'l' | b'n' | b'r' | b's' | b't' | b'u' | b'E' => {}
            _ => return Progress::Impossible,
        }
        Progress::Open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str) -> (usize, Progress) {
        let mut end = JsonEnd::default();
        for (at, byte) in text.bytes().enumerate() {
            match end.step(byte) {
                Progress::Open => {}
                other => return (at + 1, other),
            }
        }
        (text.len(), Progress::Open)
    }

    #[test]
    fn brackets_inside_strings_do_not_count() {
        assert_eq!(run(r#" {"a":"}\"]"}x"#), (13, Progress::Closed));
    }

    #[test]
    fn a_header_inside_a_value_is_impossible() {
        assert_eq!(run(r#"{"a": Content-Length"#), (7, Progress::Impossible));
        assert_eq!(run("{\"a\": \"Content-Length: 4\r\n"), (25, Progress::Impossible));
    }

    #[test]
    fn text_that_is_no_object_is_impossible_at_once() {
        assert_eq!(run("hello"), (1, Progress::Impossible));
    }
}
