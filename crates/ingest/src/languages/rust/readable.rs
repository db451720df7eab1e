//! Rust that the grammar stumbles over, overwritten byte for byte by what it reads.

use std::borrow::Cow;

/// The source with the same bytes at the same places, except where the grammar knows less than the compiler:
/// a macro called `str`, which it takes for the type, and a manifest at the top of a script.
pub(super) fn readable(source: &[u8]) -> Cow<'_, [u8]> {
    let front = front_matter(source);
    let strs: Vec<usize> = find_all(source, b"str!");
    if front.is_none() && strs.is_empty() {
        return Cow::Borrowed(source);
    }
    let mut bytes = source.to_vec();
    for byte in front.map(|range| &mut bytes[range]).into_iter().flatten() {
        if *byte != b'\n' {
            *byte = b' ';
        }
    }
    for at in strs {
        bytes[at] = b'S';
    }
    Cow::Owned(bytes)
}

/// Where a word starts that is not part of a longer one, and is no comparison.
fn find_all(source: &[u8], word: &[u8]) -> Vec<usize> {
    let is_word = |at: Option<usize>| {
        at.and_then(|at| source.get(at)).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_')
    };
    let starts = source.windows(word.len()).enumerate().filter(|(_, window)| *window == word);
    let whole =
        starts.filter(|(at, _)| !is_word(at.checked_sub(1)) && source.get(at + word.len()) != Some(&b'='));
    whole.map(|(at, _)| at).collect()
}

/// The lines between two fences of at least three dashes that open a script, fences included.
fn front_matter(source: &[u8]) -> Option<std::ops::Range<usize>> {
    let mut start = 0;
    if source.starts_with(b"#!") && !source.starts_with(b"#![") {
        start = line_end(source, 0);
    }
    while source.get(start).is_some_and(u8::is_ascii_whitespace) {
        start += 1;
    }
    let dashes = source[start..].iter().take_while(|&&b| b == b'-').count();
    if dashes < 3 {
        return None;
    }
    let mut at = line_end(source, start);
    while at < source.len() {
        let end = line_end(source, at);
        let line = source[at..end].trim_ascii_end();
        if line.len() == dashes && line.iter().all(|&b| b == b'-') {
            return Some(start..end);
        }
        at = end;
    }
    None
}

/// The position after the newline that ends a line.
fn line_end(source: &[u8], from: usize) -> usize {
    source[from..].iter().position(|&b| b == b'\n').map_or(source.len(), |at| from + at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_grammar_cannot_read_is_overwritten() {
        let read = |text: &str| String::from_utf8(readable(text.as_bytes()).into_owned()).expect("text");
        assert_eq!(read("f(str![\"x\"])"), "f(Str![\"x\"])");
        assert_eq!(read("a.my_str!(); x: str != y"), "a.my_str!(); x: str != y");
        assert_eq!(read("---\na = 1\n---\nfn main() {}\n"), "   \n     \n   \nfn main() {}\n");
        assert_eq!(read("#!/usr/bin/x\n---\n---\nfn f() {}"), "#!/usr/bin/x\n   \n   \nfn f() {}");
        assert_eq!(read("--- a\nfn f() {}"), "--- a\nfn f() {}");
    }
}
