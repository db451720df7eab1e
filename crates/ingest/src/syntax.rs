//! Syntax: errors that a change brings into a file. What a grammar never understood there is no news.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use m1nd_vfs::read::decode;
use tree_sitter::{Node, Tree};

use crate::classify::MAX_FILE_BYTES;
use crate::languages;

/// Longer parses are given up, and nothing is said.
const PARSE_LIMIT: Duration = Duration::from_secs(2);
/// More errors of one file say no more.
const MAX_ERRORS: usize = 100;
/// Longer pieces of source are cut.
const MAX_SHOWN: usize = 60;

/// A place that does not parse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// From 1.
    pub line: u32,
    /// In bytes, from 1.
    pub column: u32,
    pub what: String,
    /// Where the piece ends that does not parse.
    pub last: u32,
}

/// The errors that are in a file now and were not before. Nothing where the file is in no language that is read, or
/// is too large or too slow to parse.
pub fn introduced(path: &str, before: Option<&[u8]>, now: &[u8]) -> Option<Vec<SyntaxError>> {
    let mut found = errors(path, now)?;
    if found.is_empty() {
        return Some(Vec::new());
    }
    let known = before.and_then(|before| errors(path, before)).unwrap_or_default();
    // A file that was not understood before may be written in what the grammar does not know.
    if found.len() <= known.len() {
        return Some(Vec::new());
    }
    let mut old: BTreeMap<String, u32> = BTreeMap::new();
    for (key, _) in known {
        *old.entry(key).or_default() += 1;
    }
    found.retain(|(key, _)| match old.get_mut(key) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    });
    let mut found: Vec<SyntaxError> = found.into_iter().map(|(_, error)| error).collect();
    point_at_changes(&mut found, before, now);
    Some(found)
}

/// A piece that does not parse may begin long before the mistake: the first line in it that is new says more.
fn point_at_changes(errors: &mut [SyntaxError], before: Option<&[u8]>, now: &[u8]) {
    let Some((old, _)) = before.and_then(decode) else { return };
    let Some((new, _)) = decode(now) else { return };
    let old: BTreeSet<&str> = old.lines().map(str::trim).collect();
    let new: Vec<&str> = new.lines().collect();
    for error in errors.iter_mut().filter(|error| error.last > error.line) {
        let lines =
            (error.line..=error.last).filter_map(|number| Some((number, *new.get(number as usize - 1)?)));
        if let Some((number, line)) = lines.into_iter().find(|(_, line)| !old.contains(line.trim())) {
            error.line = number;
            error.column = (line.len() - line.trim_start().len()) as u32 + 1;
            error.what = not_parsed(line);
        }
    }
}

/// All errors of a source, each with the line that tells it from others wherever it moves.
fn errors(path: &str, bytes: &[u8]) -> Option<Vec<(String, SyntaxError)>> {
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return None;
    }
    let (text, _) = decode(bytes)?;
    let language = languages::of_path(path)?;
    let tree = languages::tree(language, text.as_bytes(), PARSE_LIMIT).ok()?;
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for node in broken(&tree) {
        let at = node.start_position();
        let line = lines.get(at.row).map_or("", |line| line.trim());
        let what = described(node, &text);
        let last = node.end_position().row as u32 + 1;
        let error = SyntaxError { line: at.row as u32 + 1, column: at.column as u32 + 1, what, last };
        found.push((line.to_owned(), error));
    }
    Some(found)
}

fn broken(tree: &Tree) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut work = vec![tree.root_node()];
    while let Some(node) = work.pop() {
        if node.is_error() || node.is_missing() {
            found.push(node);
        } else if node.has_error() {
            let mut cursor = node.walk();
            work.extend(node.children(&mut cursor));
        }
        if found.len() >= MAX_ERRORS {
            break;
        }
    }
    found.sort_by_key(Node::start_byte);
    found
}

fn described(node: Node<'_>, text: &str) -> String {
    if node.is_missing() {
        return format!("`{}` is missing", node.kind());
    }
    not_parsed(text.get(node.byte_range()).unwrap_or_default())
}

fn not_parsed(source: &str) -> String {
    let first = source.lines().next().unwrap_or_default().trim();
    let shown = &first[..first.floor_char_boundary(MAX_SHOWN)];
    match shown {
        "" => "the source ends too early".to_owned(),
        shown => format!("`{shown}` does not parse"),
    }
}

#[cfg(all(test, feature = "lang-rust", feature = "lang-python"))]
mod tests {
    use super::*;

    fn shown(path: &str, before: &str, now: &str) -> String {
        match introduced(path, Some(before.as_bytes()), now.as_bytes()) {
            None => "not read".into(),
            Some(found) => {
                let lines: Vec<String> =
                    found.iter().map(|one| format!("{}:{} {}", one.line, one.column, one.what)).collect();
                lines.join("; ")
            }
        }
    }

    #[test]
    fn only_what_a_change_brings_is_told() {
        let sound = "fn a() {\n    b(1);\n}\n";
        assert_eq!(shown("a.rs", sound, "fn a() {\n    b(2);\n}\n"), "");
        assert_eq!(shown("a.rs", sound, "fn a() {\n    b(1;\n}\n"), "2:8 `)` is missing");
        assert_eq!(shown("a.rs", sound, "fn a() {\n    b(1);\n"), "1:1 `fn a() {` does not parse");
        let broken = "fn a( {}\nfn b() {}\n";
        assert_eq!(shown("a.rs", broken, "fn x() {}\nfn a( {}\nfn b() {}\n"), "");
        let long = "import os\n\ndef a():\n    pass\n\n\ndef b(x):\n    return x\n";
        let wrong = long.replace("b(x):", "b(x -> int:");
        assert_eq!(shown("a.py", long, &wrong), "7:1 `def b(x -> int:` does not parse");
        assert_ne!(shown("a.rs", broken, "fn a( {}\nfn b() {}\nfn c) {}\n"), "");
        assert_eq!(shown("a.py", "def a():\n    pass\n", "def a(:\n    pass\n"), "1:7 `)` is missing");
        assert_eq!(shown("a.txt", "", "fn (("), "not read");
    }

    #[cfg(feature = "lang-c")]
    #[test]
    fn macros_of_c_are_no_errors() {
        let now = "MODULE_API int\nf(void)\n{\n#ifdef X\n    if (a) {\n#else\n    if (b) {\n#endif\n        g();\n    }\n    return 0;\n}\n";
        assert_eq!(shown("a.c", "int x;\n", now), "");
        assert_ne!(shown("a.c", "int x;\n", "int f(void) { g(; }\n"), "");
    }
}
