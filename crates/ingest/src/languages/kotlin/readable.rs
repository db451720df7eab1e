//! Kotlin that the grammar stumbles over, overwritten byte for byte by what it reads.

/// Words that are modifiers in one place and names in another.
const MODIFIERS: &[&str] = &[
    "open",
    "inner",
    "data",
    "value",
    "infix",
    "inline",
    "external",
    "operator",
    "expect",
    "actual",
    "sealed",
    "enum",
    "annotation",
    "tailrec",
    "const",
];

/// The source with the same bytes at the same places, except that words which are keywords elsewhere are no longer
/// keywords where they are names, that annotations are blank where only those of accessors and constructors
/// stand, and that members on one line are separated.
pub(super) fn readable(source: &[u8]) -> Vec<u8> {
    let mut bytes = source.to_vec();
    let mut start = 0;
    while start < source.len() {
        let end = source[start..].iter().position(|&b| b == b'\n').map_or(source.len(), |len| start + len);
        line(source, start, end, &mut bytes);
        start = end + 1;
    }
    super::separators::write(source, &mut bytes);
    bytes
}

fn line(source: &[u8], start: usize, end: usize, bytes: &mut [u8]) {
    let mut at = start;
    // Whether only modifiers and annotations stand before this on the line.
    let mut first = true;
    while at < end {
        let byte = source[at];
        if byte == b'@' && first {
            let after = annotation_end(source, at, end);
            let next = source[after..].trim_ascii_start();
            if ["get(", "set(", "constructor", "internal constructor", "private constructor"]
                .iter()
                .any(|word| next.starts_with(word.as_bytes()))
            {
                bytes[at..after].fill(b' ');
            }
            at = after;
            continue;
        }
        if !is_word(byte) {
            first &= byte.is_ascii_whitespace();
            at += 1;
            continue;
        }
        let to = source[at..end].iter().position(|&b| !is_word(b)).map_or(end, |len| at + len);
        let word = std::str::from_utf8(&source[at..to]).unwrap_or("");
        let next = source[to..].iter().copied().find(|b| !b.is_ascii_whitespace());
        let is_modifier = next.is_some_and(|b| b.is_ascii_lowercase() || b == b'@');
        let is_accessor = first && (source.get(to) == Some(&b'(') || to == end);
        let is_name = match word {
            "get" | "set" => !is_accessor,
            _ => MODIFIERS.contains(&word) && !is_modifier,
        };
        if is_name {
            bytes[to - 1] = bytes[to - 1].to_ascii_uppercase();
        }
        first &= MODIFIERS.contains(&word) || matches!(word, "private" | "internal" | "protected" | "public");
        at = to;
    }
}

/// The end of `@Name` or `@Name(…)` on one line.
fn annotation_end(source: &[u8], at: usize, end: usize) -> usize {
    let is_part = |b: u8| is_word(b) || matches!(b, b'.' | b':');
    let name = source[at + 1..end].iter().position(|&b| !is_part(b)).map_or(end, |len| at + 1 + len);
    if source.get(name) != Some(&b'(') {
        return name;
    }
    source[name..end].iter().position(|&b| b == b')').map_or(end, |len| name + len + 1)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}
