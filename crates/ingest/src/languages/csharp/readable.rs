//! C# without what the preprocessor leaves out: a condition may split a bracket from its end.

/// The first branch of each `#if`; the others, and the directives themselves, are blank. The bytes keep their places.
pub(super) fn first_branches(source: &[u8]) -> Vec<u8> {
    let mut out = source.to_vec();
    // Of each open condition, whether what stands there now is left out.
    let mut open: Vec<bool> = Vec::new();
    let mut at = 0;
    for line in source.split_inclusive(|&byte| byte == b'\n') {
        let directive = directive(line);
        match directive {
            Some("if") => open.push(false),
            Some("elif" | "else") => {
                if let Some(left_out) = open.last_mut() {
                    *left_out = true;
                }
            }
            Some("endif") => {
                open.pop();
            }
            _ => {}
        }
        if directive.is_some() || open.contains(&true) {
            let blank = out[at..at + line.len()].iter_mut().filter(|byte| !byte.is_ascii_whitespace());
            blank.for_each(|byte| *byte = b' ');
        }
        at += line.len();
    }
    out
}

/// The word of a line that is one for the preprocessor.
fn directive(line: &[u8]) -> Option<&str> {
    let rest = line.trim_ascii_start().strip_prefix(b"#")?.trim_ascii_start();
    let end = rest.iter().position(|byte| !byte.is_ascii_alphabetic()).unwrap_or(rest.len());
    std::str::from_utf8(&rest[..end]).ok()
}

#[cfg(test)]
mod tests {
    use super::first_branches;

    #[test]
    fn what_is_left_out_is_blank_and_nothing_moves() {
        let source = "a\n#if X\n  b {\n#if Y\n c\n#else\n d\n#endif\n# else\n  é {\n#endif\ne }\n";
        let found = String::from_utf8(first_branches(source.as_bytes())).expect("text");
        assert_eq!(found.len(), source.len());
        let words: Vec<&str> = found.split_whitespace().collect();
        assert_eq!(words, ["a", "b", "{", "c", "e", "}"]);
    }
}
