//! Bounds on what is written down.

use m1nd_stdx::clock::UnixMs;
use serde_json::Value;

use crate::error::MemoryError;
use crate::ids;
use crate::port::Object;
use crate::secrets::Sensitive;

/// The longest text of one entry, node or card, in bytes.
pub const MAX_TEXT: usize = 256 * 1024;
/// The longest title, in bytes.
pub const MAX_TITLE: usize = 1_024;
/// The largest `meta` of one thing, in bytes of JSON.
pub const MAX_META: usize = 64 * 1024;
/// The most tags on one thing.
pub const MAX_TAGS: usize = 64;

/// A text that must be there.
pub(crate) fn body(field: &'static str, text: &str, sensitive: Sensitive) -> Result<String, MemoryError> {
    if text.trim().is_empty() {
        return Err(MemoryError::invalid(field, "is empty"));
    }
    if text.len() > MAX_TEXT {
        return Err(MemoryError::invalid(field, format!("is longer than {MAX_TEXT} bytes")));
    }
    if text.contains('\0') {
        return Err(MemoryError::invalid(field, "holds a NUL character"));
    }
    sensitive.check(field, text)?;
    Ok(text.to_owned())
}

/// A text that may be missing; an empty one counts as missing.
pub(crate) fn optional_body(
    field: &'static str,
    text: Option<&str>,
    sensitive: Sensitive,
) -> Result<Option<String>, MemoryError> {
    match text {
        Some(text) if !text.trim().is_empty() => body(field, text, sensitive).map(Some),
        _ => Ok(None),
    }
}

/// One line that must be there.
pub(crate) fn title(field: &'static str, text: &str, sensitive: Sensitive) -> Result<String, MemoryError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(MemoryError::invalid(field, "is empty"));
    }
    if text.len() > MAX_TITLE {
        return Err(MemoryError::invalid(field, format!("is longer than {MAX_TITLE} bytes")));
    }
    if text.chars().any(char::is_control) {
        return Err(MemoryError::invalid(field, "holds a control character; it is one line"));
    }
    sensitive.check(field, text)?;
    Ok(text.to_owned())
}

pub(crate) fn optional_title(
    field: &'static str,
    text: Option<&str>,
    sensitive: Sensitive,
) -> Result<Option<String>, MemoryError> {
    match text {
        Some(text) if !text.trim().is_empty() => title(field, text, sensitive).map(Some),
        _ => Ok(None),
    }
}

/// A short free-form word such as a type, a status or a format.
pub(crate) fn word(field: &'static str, text: &str) -> Result<String, MemoryError> {
    match ids::word(text) {
        Ok(()) => Ok(text.to_owned()),
        Err(reason) => Err(MemoryError::invalid(field, reason)),
    }
}

pub(crate) fn optional_word(field: &'static str, text: Option<&str>) -> Result<Option<String>, MemoryError> {
    text.map(|text| word(field, text)).transpose()
}

/// Lower case, each once, in order.
pub(crate) fn tags(given: &[String], sensitive: Sensitive) -> Result<Vec<String>, MemoryError> {
    let mut out = Vec::with_capacity(given.len());
    for tag in given {
        sensitive.check("tags", tag)?;
        let tag = tag.trim().to_lowercase();
        out.push(word("tags", &tag)?);
    }
    out.sort();
    out.dedup();
    if out.len() > MAX_TAGS {
        return Err(MemoryError::invalid("tags", format!("more than {MAX_TAGS}")));
    }
    Ok(out)
}

/// A bounded object; an empty one counts as missing.
pub(crate) fn meta(
    field: &'static str,
    given: Option<&Object>,
    sensitive: Sensitive,
) -> Result<Option<Object>, MemoryError> {
    let Some(given) = given.filter(|object| !object.is_empty()) else {
        return Ok(None);
    };
    if crate::budget::json_size(given) > MAX_META {
        return Err(MemoryError::invalid(field, format!("is larger than {MAX_META} bytes")));
    }
    let value = Value::Object(given.clone());
    sensitive.check_json(field, &value)?;
    Ok(Some(given.clone()))
}

/// A list of lines, such as success criteria.
pub(crate) fn lines(
    field: &'static str,
    given: &[String],
    sensitive: Sensitive,
) -> Result<Vec<String>, MemoryError> {
    if given.len() > MAX_LINES {
        return Err(MemoryError::invalid(field, format!("more than {MAX_LINES}")));
    }
    given.iter().map(|line| title(field, line, sensitive)).collect()
}

/// The most criteria, tests or blockers of one step.
const MAX_LINES: usize = 100;

/// A time as people read it, `2026-11-15T22:00:39.123Z`.
pub fn timestamp(at: UnixMs) -> String {
    let bounded = at.0.clamp(-62_135_596_800_000, 253_402_207_200_000);
    match jiff::Timestamp::from_millisecond(bounded) {
        Ok(stamp) => format!("{stamp:.3}"),
        Err(_) => at.0.to_string(),
    }
}

/// A time as people write it: milliseconds since 1970, a date, or RFC 3339.
pub(crate) fn parse_time(field: &'static str, text: &str) -> Result<i64, MemoryError> {
    if let Ok(ms) = text.parse::<i64>() {
        return Ok(ms);
    }
    // A day begins at midnight, UTC.
    let day = || format!("{text}T00:00:00Z").parse::<jiff::Timestamp>();
    text.parse::<jiff::Timestamp>().or_else(|_| day()).map(jiff::Timestamp::as_millisecond).map_err(|_| {
        MemoryError::invalid(
            field,
            format!("{text:?} is not a time such as 2026-01-31 or 2026-01-31T12:00:00Z"),
        )
    })
}

/// A date or a moment as people write it; nothing for other words.
pub fn time(text: &str) -> Option<UnixMs> {
    let looks_like_one = text.contains('-') && text.starts_with(|c: char| c.is_ascii_digit());
    looks_like_one.then(|| parse_time("time", text).ok()).flatten().map(UnixMs)
}

/// The first line, cut at `max` bytes on a character boundary.
pub(crate) fn headline(text: &str, max: usize) -> String {
    let line = text.trim_start().lines().next().unwrap_or("").trim_end();
    cut(line, max).to_owned()
}

/// The known names that are most like a mistyped one; if none is, the first of them, so that a refusal always names
/// something that exists.
pub(crate) fn nearest(wanted: &str, known: &[String]) -> Vec<String> {
    const NAMED: usize = 3;
    let near = m1nd_stdx::nearest::nearest(wanted, known.iter().map(String::as_str), NAMED);
    if near.is_empty() {
        return known.iter().take(NAMED).cloned().collect();
    }
    near.into_iter().map(str::to_owned).collect()
}

/// The longest prefix of at most `max` bytes.
pub(crate) fn cut(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    let mut end = max;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_milliseconds_and_survive_wild_clocks() {
        assert_eq!(timestamp(UnixMs(0)), "1970-01-01T00:00:00.000Z");
        assert_eq!(timestamp(UnixMs(1_794_780_039_123)), "2026-11-15T22:00:39.123Z");
        for wild in [i64::MIN, -1_500, i64::MAX] {
            assert!(!timestamp(UnixMs(wild)).is_empty());
        }
        assert_eq!(parse_time("since", "1970-01-01T00:00:01Z"), Ok(1_000));
        assert_eq!(parse_time("since", "1970-01-02"), Ok(86_400_000));
        assert!(parse_time("since", "tomorrow").is_err());
    }

    #[test]
    fn tags_are_lower_case_sorted_and_unique() {
        let given = ["B", " a ", "b"].map(str::to_owned);
        assert_eq!(tags(&given, Sensitive::Refused).unwrap(), ["a", "b"]);
        assert!(tags(&["x|y".to_owned()], Sensitive::Refused).is_err());
    }

    #[test]
    fn a_cut_never_splits_a_character() {
        assert_eq!(cut("aäb", 2), "a");
        assert_eq!(cut("aäb", 3), "aä");
    }
}
