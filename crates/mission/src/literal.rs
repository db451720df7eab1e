//! Literal: a value as it is written in code or in a sentence, and whether two of them differ.

use crate::quantity::NUMBERS;

/// A plain value, with its text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Literal {
    pub text: String,
    value: Value,
    /// Whether it is so many of something (`5 seconds`), which code may count in another unit.
    pub is_measured: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Bool(bool),
    /// None, null, nil: whatever a language calls nothing.
    Nothing,
    Number(f64),
    Text(String),
}

/// What languages call true, false and nothing.
const WORDS: [(&str, Value); 11] = [
    ("True", Value::Bool(true)),
    ("true", Value::Bool(true)),
    ("TRUE", Value::Bool(true)),
    ("False", Value::Bool(false)),
    ("false", Value::Bool(false)),
    ("FALSE", Value::Bool(false)),
    ("None", Value::Nothing),
    ("null", Value::Nothing),
    ("NULL", Value::Nothing),
    ("nil", Value::Nothing),
    ("nullptr", Value::Nothing),
];
/// Endings by which a language says of what type a number is.
const SUFFIXES: [&str; 26] = [
    "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64",
    "u", "l", "ul", "ull", "ll", "f", "n", "_u8", "_u32", "_u64", "_usize", "_i64",
];
/// Units are this much of each other, or more: seven days are a week.
const NEXT_UNIT: f64 = 7.0;

impl Literal {
    /// The literal that a sentence begins with, in backticks or not, and how many bytes it takes.
    pub fn said(sentence: &str) -> Option<(Self, usize)> {
        let inner = sentence.trim_start_matches(['`', '(']);
        let start = sentence.len() - inner.len();
        if let Some((value, len)) = in_words(inner) {
            let literal =
                Self { text: inner[..len].to_owned(), value: Value::Number(value), is_measured: false };
            return Some((literal, start + len));
        }
        let (literal, len) = literal_at(inner)?;
        let rest = &inner[len..];
        // `5.x`, `1-based`, `None-like`, `True.value` are no such values.
        let is_whole = match rest.chars().next() {
            Some('_') => false,
            Some(next) if next.is_alphabetic() || next == '%' => literal.is_number(),
            Some('-' | '/' | '(' | '[' | '+' | '*') => false,
            Some('.' | ':') => !rest[1..].starts_with(char::is_alphanumeric),
            Some(_) | None => true,
        };
        is_whole.then_some((literal, start + len))
    }

    pub fn is_number(&self) -> bool {
        matches!(self.value, Value::Number(_))
    }

    /// Whether two values differ; nothing where nobody can say.
    pub fn differs(&self, other: &Self) -> Option<bool> {
        match (&self.value, &other.value) {
            (Value::Bool(one), Value::Bool(other)) => Some(one != other),
            (Value::Nothing, Value::Nothing) => Some(false),
            (Value::Number(one), Value::Number(two)) => {
                if one == two {
                    return Some(false);
                }
                let is_measured = self.is_measured || other.is_measured;
                let (least, most) = (one.abs().min(two.abs()), one.abs().max(two.abs()));
                // Seconds may be written as milliseconds; a leading zero may mean eight.
                let is_unclear = is_measured && (least == 0.0 || most / least >= NEXT_UNIT)
                    || self.is_octal()
                    || other.is_octal();
                (!is_unclear).then_some(true)
            }
            (Value::Text(one), Value::Text(two)) => {
                if one == two {
                    return Some(false);
                }
                let is_escaped = one.contains('\\') || two.contains('\\');
                let is_part = one.starts_with(two.as_str()) || two.starts_with(one.as_str());
                let is_case = one.to_lowercase() == two.to_lowercase();
                (!(is_escaped || is_case || is_part && !one.is_empty() && !two.is_empty())).then_some(true)
            }
            (Value::Number(number), Value::Text(text)) | (Value::Text(text), Value::Number(number)) => {
                let (read, len) = literal_at(text.trim())?;
                match read.value {
                    Value::Number(read) if len == text.trim().len() => Some(read != *number),
                    _ => None,
                }
            }
            // C writes 0 for no pointer and for false, and 1 for true.
            (Value::Nothing | Value::Bool(_), Value::Number(_)) => {
                let is_of_c = ["NULL", "null", "nullptr"].contains(&self.text.as_str());
                (!is_of_c && self.value == Value::Nothing).then_some(true)
            }
            (Value::Number(_), Value::Nothing | Value::Bool(_)) => other.differs(self),
            (Value::Bool(_) | Value::Text(_), Value::Nothing)
            | (Value::Nothing, Value::Bool(_) | Value::Text(_)) => Some(true),
            // `"true"` may be how a setting writes it.
            (Value::Bool(_), Value::Text(_)) | (Value::Text(_), Value::Bool(_)) => None,
        }
    }

    fn is_octal(&self) -> bool {
        let digits = self.text.trim_start_matches('-');
        digits.len() > 1
            && digits.starts_with('0')
            && !digits.starts_with("0.")
            && !digits.starts_with("0x")
            && !digits.starts_with("0X")
            && !digits.starts_with("0b")
    }
}

/// A number that a sentence says in words, and how many bytes it takes: `ten`, `five hundred and twelve`. What goes on behind
/// it may be what is counted (`two lists`), unless that is a unit.
fn in_words(text: &str) -> Option<(f64, usize)> {
    const TENS: [&str; 7] = ["thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    /// Words behind a value.
    const BEHIND: [&str; 24] = [
        "by",
        "in",
        "here",
        "when",
        "if",
        "on",
        "for",
        "unless",
        "there",
        "at",
        "as",
        "instead",
        "but",
        "and",
        "or",
        "seconds",
        "second",
        "ms",
        "milliseconds",
        "minutes",
        "minute",
        "hours",
        "bytes",
        "byte",
    ];
    let small = |word: &str| {
        let word = word.to_lowercase();
        let tens = || TENS.iter().position(|one| *one == word).map(|at| at * 10 + 30);
        NUMBERS.iter().position(|one| *one == word).or_else(tens).map(|value| value as f64)
    };
    let (mut all, mut part, mut end) = (0.0, None, 0);
    let mut at = 0;
    for word in text.split_inclusive([' ', '-']) {
        let bare = word.trim_end_matches(|letter: char| !letter.is_alphanumeric());
        let last = end;
        match bare {
            "hundred" => part = Some(part? * 100.0),
            "thousand" => {
                all += part? * 1000.0;
                part = Some(0.0);
            }
            "and" if part.is_some_and(|part: f64| part >= 100.0) => {
                at += word.len();
                continue;
            }
            _ => match (small(bare), part) {
                (Some(value), None) => part = Some(value),
                (Some(value), Some(before)) if value < 100.0 && before % 10.0 == 0.0 => {
                    part = Some(before + value)
                }
                _ => {
                    let is_end = last > 0 && text[last..at].trim().is_empty() && !text[..at].ends_with('-');
                    let goes_on = is_end && !BEHIND.contains(&bare.to_lowercase().as_str());
                    let is_one = text[..last].eq_ignore_ascii_case("one") && is_end;
                    if text[..at].ends_with('-') || goes_on || is_one {
                        return None;
                    }
                    break;
                }
            },
        }
        end = at + bare.len();
        at += word.len();
        if bare.len() < word.trim_end().len() && !word.ends_with('-') {
            break;
        }
    }
    part.filter(|_| end > 0).map(|part| (all + part, end))
}

/// The literal that a text begins with, and how many bytes it takes.
pub(crate) fn literal_at(text: &str) -> Option<(Literal, usize)> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let made = |value: Value, len: usize| {
        Some((Literal { text: text[..len].to_owned(), value, is_measured: false }, len))
    };
    for (word, value) in WORDS {
        if text.strip_prefix(word).is_some_and(|rest| !rest.starts_with(is_part)) {
            return made(value, word.len());
        }
    }
    number(text)
        .map(|(value, len)| (Value::Number(value), len))
        .or_else(|| quoted(text))
        .and_then(|(value, len)| made(value, len))
}

/// Whether what follows a literal ends what is given: nothing is computed from it.
pub(crate) fn ended(rest: &str) -> bool {
    let rest = rest.trim_start();
    match rest.chars().next() {
        None | Some(')' | '}' | ']' | ';' | '#' | '`') => true,
        // Behind a comma another value may belong to it; another name begins something else.
        Some(',') => literal_at(rest[1..].trim_start()).is_none(),
        Some('/') => rest.starts_with("//") || rest.starts_with("/*"),
        Some(_) => false,
    }
}

fn number(text: &str) -> Option<(f64, usize)> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1.0, digits),
        None => (1.0, text),
    };
    if !digits.starts_with(|letter: char| letter.is_ascii_digit()) {
        return None;
    }
    let minus = text.len() - digits.len();
    let prefixed = |prefix: &str, radix: u32| {
        let body = digits.strip_prefix(prefix)?;
        let end = body.find(|letter: char| !letter.is_digit(radix) && letter != '_').unwrap_or(body.len());
        let value = i64::from_str_radix(&body[..end].replace('_', ""), radix).ok()?;
        Some((value as f64, prefix.len() + end))
    };
    let based = [("0x", 16), ("0X", 16), ("0o", 8), ("0b", 2)]
        .iter()
        .find_map(|(prefix, radix)| prefixed(prefix, *radix));
    let (value, len) = match based {
        Some(read) => read,
        None => decimal(digits)?,
    };
    let rest = &digits[len..];
    let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
    let suffix = rest[..end].to_lowercase();
    let typed = if SUFFIXES.contains(&suffix.as_str()) { end } else { 0 };
    Some((sign * value, minus + len + typed))
}

fn decimal(digits: &str) -> Option<(f64, usize)> {
    let bytes = digits.as_bytes();
    let mut end = 0;
    let (mut has_point, mut has_power) = (false, false);
    while let Some(byte) = bytes.get(end) {
        let next = bytes.get(end + 1).copied().unwrap_or(b' ');
        match byte {
            b'0'..=b'9' => {}
            b'_' if next.is_ascii_digit() => {}
            // 1,000 in a sentence; in code a blank follows the comma, or not three digits.
            b',' if is_thousands(&digits[end + 1..]) && end <= 3 && !has_point => {}
            b'.' if next.is_ascii_digit() && !has_point => has_point = true,
            b'e' | b'E' if (next.is_ascii_digit() || b"+-".contains(&next)) && !has_power => {
                has_power = true;
                end += 1;
            }
            _ => break,
        }
        end += 1;
    }
    // 1.2.3 is a version.
    let rest = &digits[end..];
    if has_point && rest.starts_with('.') && rest[1..].starts_with(|letter: char| letter.is_ascii_digit()) {
        return None;
    }
    let value = digits[..end].replace(['_', ','], "").parse().ok()?;
    Some((value, end))
}

fn is_thousands(rest: &str) -> bool {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    digits == 3
}

/// A text in quotes of any kind; nothing where something is put into it.
fn quoted(text: &str) -> Option<(Value, usize)> {
    let prefix = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    if prefix > 2 || text[..prefix].to_lowercase().contains('f') {
        return None;
    }
    let body = &text[prefix..];
    let mark = body.chars().next().filter(|mark| ['"', '\''].contains(mark))?;
    let inner = &body[1..];
    if inner.starts_with(mark) && inner[1..].starts_with(mark) {
        return None;
    }
    let mut escaped = false;
    let end = inner.char_indices().find(|(_, letter)| {
        let is_end = !escaped && *letter == mark;
        escaped = !escaped && *letter == '\\';
        is_end
    });
    let (end, _) = end?;
    Some((Value::Text(inner[..end].to_owned()), prefix + end + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_words_are_numbers() {
        for (text, wanted) in [
            ("ten", Some(10.0)),
            ("twenty.", Some(20.0)),
            ("thirty by default", Some(30.0)),
            ("ten seconds", Some(10.0)),
            ("five hundred and twelve", Some(512.0)),
            ("twenty-five", Some(25.0)),
            ("two thousand", Some(2000.0)),
            ("one", Some(1.0)),
            ("one of them", None),
            ("one by one", None),
            ("two lists", None),
            ("ten-fold", None),
            ("tens", None),
            ("a ten", None),
        ] {
            assert_eq!(in_words(text).map(|(value, _)| value), wanted, "{text}");
        }
    }

    fn read(text: &str) -> Literal {
        literal_at(text).unwrap_or_else(|| panic!("{text}")).0
    }

    #[test]
    fn values_are_the_same_however_they_are_written() {
        for (one, other) in [
            ("1_000", "1000"),
            ("1,000", "1000"),
            ("0x10", "16"),
            ("0b100", "4"),
            ("0o17", "15"),
            ("1e3", "1000.0"),
            ("5", "5.0"),
            ("5u32", "5"),
            ("10L", "10"),
            ("'a'", "\"a\""),
            ("b'a'", "'a'"),
            ("True", "true"),
            ("None", "nil"),
            ("null", "None"),
            ("-1", "-1.0"),
            ("\"5\"", "5"),
        ] {
            assert_eq!(read(one).differs(&read(other)), Some(false), "{one} {other}");
        }
        for (one, other) in [
            ("5", "10"),
            ("True", "False"),
            ("None", "0"),
            ("None", "False"),
            ("nil", "\"a\""),
            ("'a'", "'b'"),
            ("''", "'b'"),
            ("0x10", "10"),
            ("-1", "1"),
            ("\"5\"", "10"),
        ] {
            assert_eq!(read(one).differs(&read(other)), Some(true), "{one} {other}");
        }
        // Other letters, a part, an escape, C's zero, modes of files, a setting's true: nobody can say.
        for (one, other) in [
            ("'get'", "'GET'"),
            ("'1.2'", "'1.2.3'"),
            ("'a\\n'", "'b'"),
            ("NULL", "0"),
            ("True", "1"),
            ("0755", "493"),
            ("true", "'true'"),
        ] {
            assert_eq!(read(one).differs(&read(other)), None, "{one} {other}");
        }
        for none in ["f'{x}'", "x", "1.2.3", "Nonesuch", "'open", "\"\"\"doc\"\"\""] {
            assert!(
                literal_at(none).is_none_or(|(_, len)| len < none.len() && !ended(&none[len..])),
                "{none}"
            );
        }
    }

    #[test]
    fn so_many_seconds_may_be_written_in_another_unit() {
        let measured = |text: &str| Literal { is_measured: true, ..read(text) };
        assert_eq!(measured("5").differs(&read("10")), Some(true));
        assert_eq!(measured("5").differs(&read("5000")), None);
        assert_eq!(measured("1").differs(&read("60")), None);
    }
}
