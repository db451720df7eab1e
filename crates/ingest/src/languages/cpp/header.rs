//! Whether a header is C++, by nothing but its own text.

use super::opened;

/// Whether a line of a header says something that C cannot say.
pub(in crate::languages) fn is_cpp(source: &[u8]) -> bool {
    let text = String::from_utf8_lossy(source);
    text.lines().any(says_cpp)
}

fn says_cpp(line: &str) -> bool {
    let line = line.trim_start();
    let starts = |word: &str| {
        line.strip_prefix(word).is_some_and(|rest| rest.starts_with(|c: char| c.is_whitespace() || c == '<'))
    };
    match line.as_bytes().first() {
        None | Some(b'/' | b'*') => false,
        // `#ifdef __cplusplus` is what a C header says to C++.
        Some(b'#') => false,
        _ => {
            ["class", "namespace", "template", "using", "virtual", "explicit"].into_iter().any(starts)
                || ["public:", "private:", "protected:"].iter().any(|word| line.starts_with(word))
                || line.starts_with("inline namespace ")
                || (line.contains("std::") && !line.contains('"'))
                || line.contains("= delete;")
                || line.contains("constexpr ")
                || opened::opens(line)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_cpp;

    #[test]
    fn a_header_is_cpp_by_what_it_says() {
        assert!(is_cpp(b"#pragma once\nnamespace a { int f(); }\n"));
        assert!(is_cpp(b"class X {\n public:\n  X();\n};\n"));
        assert!(is_cpp(b"inline int f(std::string s);\n"));
        assert!(is_cpp(b"LIB_BEGIN_NAMESPACE\nint f(void);\nLIB_END_NAMESPACE\n"));
        assert!(!is_cpp(b"#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f(void);\n"));
        assert!(!is_cpp(b"/* class of things */\nstruct x { int class_id; };\n"));
    }
}
