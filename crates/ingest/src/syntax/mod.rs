//! Syntax: errors that a change brings into a file. What a grammar never understood there is no news.

mod indentation;
mod json;
mod quoted;

pub use quoted::Source;

use std::collections::{BTreeMap, BTreeSet};

use m1nd_vfs::read::decode;
use tree_sitter::{Node, Tree};

use crate::classify::MAX_FILE_BYTES;
use crate::languages;
use crate::walk::{PARSE_LIMIT, ParseError};

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

/// Why a file could not be looked through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unchecked {
    /// Nothing here reads files of this kind.
    NoGrammar,
    TooLarge,
    /// The parse was given up.
    TooSlow,
    NotText,
}

impl Unchecked {
    /// In words that follow the name of a file.
    pub fn why(self) -> &'static str {
        match self {
            Self::NoGrammar => "m1nd has no grammar for such files",
            Self::TooLarge => "it is too large to parse",
            Self::TooSlow => "parsing it took too long and was given up",
            Self::NotText => "it is not text",
        }
    }
}

/// The errors that are in a file now and were not before.
pub fn introduced(path: &str, before: Option<&[u8]>, now: &[u8]) -> Result<Vec<SyntaxError>, Unchecked> {
    let now_found = errors(path, now)?;
    if now_found.grammar.is_empty() && now_found.indentation.is_empty() {
        return Ok(Vec::new());
    }
    let known = match before.map(|before| errors(path, before)) {
        Some(Err(Unchecked::TooSlow)) => return Err(Unchecked::TooSlow),
        known => known.and_then(Result::ok).unwrap_or_default(),
    };
    let mut found = fresh(now_found.grammar, known.grammar);
    if found.is_empty() {
        return Ok(fresh(now_found.indentation, known.indentation));
    }
    point_at_changes(&mut found, before, now);
    Ok(found)
}

/// Those that are not among the known ones, wherever these moved.
fn fresh(mut found: Vec<Keyed>, known: Vec<Keyed>) -> Vec<SyntaxError> {
    // A file that was not understood before may be written in what the grammar does not know.
    if found.len() <= known.len() {
        return Vec::new();
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
    found.into_iter().map(|(_, error)| error).collect()
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

/// An error with the line that tells it from others wherever it moves.
type Keyed = (String, SyntaxError);

/// All errors of a source.
#[derive(Default)]
struct Errors {
    grammar: Vec<Keyed>,
    indentation: Vec<Keyed>,
}

fn errors(path: &str, bytes: &[u8]) -> Result<Errors, Unchecked> {
    let is_json = path.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("json"));
    let language = languages::of_path(path);
    if language.is_none() && !is_json {
        return Err(Unchecked::NoGrammar);
    }
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(Unchecked::TooLarge);
    }
    let (text, _) = decode(bytes).ok_or(Unchecked::NotText)?;
    if language.is_some_and(|language| language.family == "bash") && is_zsh(path, &text) {
        return Err(Unchecked::NoGrammar);
    }
    let lines: Vec<&str> = text.lines().collect();
    let keyed = |line: u32, column: u32, last: u32, what: String| {
        let key = lines.get(line as usize - 1).map_or("", |line| line.trim());
        (key.to_owned(), SyntaxError { line, column, what, last })
    };
    let Some(language) = language else {
        let found = json::error(&text);
        let grammar = found.into_iter().map(|(line, column, what)| keyed(line, column, line, what)).collect();
        return Ok(Errors { grammar, indentation: Vec::new() });
    };
    let understood = languages::understood(language, &text);
    let tree = match languages::tree(language, understood.as_bytes(), PARSE_LIMIT) {
        Ok(tree) => tree,
        Err(ParseError::TimedOut(_)) => return Err(Unchecked::TooSlow),
        Err(ParseError::Grammar(_)) => return Err(Unchecked::NoGrammar),
    };
    let mut found = Errors::default();
    for node in broken(&tree) {
        let at = node.start_position();
        let last = node.end_position().row as u32 + 1;
        if is_older(language.name, &lines, at.row, last) {
            continue;
        }
        found.grammar.push(keyed(at.row as u32 + 1, at.column as u32 + 1, last, described(node, &text)));
    }
    if language.family == "python" {
        for one in indentation::misplaced(&text).into_iter().take(MAX_ERRORS) {
            let line = one.line as u32;
            found.indentation.push(keyed(line, one.column as u32, line, one.what.to_owned()));
        }
    }
    Ok(found)
}

/// Whether a script is one of zsh, which is read as one of bash and says what bash does not.
fn is_zsh(path: &str, text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    path.ends_with(".zsh")
        || first.starts_with("#compdef")
        || first.starts_with("#!") && first.contains("zsh")
}

/// Whether what does not parse was written for an older edition of Rust, in which `try!` is a macro like others.
fn is_older(language: &str, lines: &[&str], row: usize, last: u32) -> bool {
    let lines = lines.iter().take(last as usize).skip(row);
    language == "rust" && lines.into_iter().any(|line| line.contains("try!"))
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

    #[test]
    fn an_older_edition_of_rust_is_no_error_and_zsh_is_not_read_as_bash() {
        let now = "fn run() -> R {\n    let x = try!(load());\n    Ok(x)\n}\n";
        assert_eq!(introduced("a.rs", None, now.as_bytes()), Ok(Vec::new()));
        let broken = introduced("a.rs", None, b"fn run( {\n    load(\n}\n");
        assert!(broken.is_ok_and(|found| !found.is_empty()));
        assert_eq!(
            introduced("a.zsh", None, b"[[ $x == (#b)(a|b)(.*)# ]] && (\n"),
            Err(Unchecked::NoGrammar)
        );
    }

    fn shown(path: &str, before: &str, now: &str) -> String {
        match introduced(path, Some(before.as_bytes()), now.as_bytes()) {
            Err(why) => why.why().into(),
            Ok(found) => {
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
        assert_eq!(shown("a.txt", "", "fn (("), "m1nd has no grammar for such files");
        assert_eq!(shown("a.bin.py", "", "x\0"), "it is not text");
    }

    #[test]
    fn indentation_that_python_refuses_is_told_unless_it_was_there() {
        let sound = "def a():\n    return 1\n\n\ndef b():\n    return 2\n";
        let no_body = "1:1 an indented block is missing after this line";
        assert_eq!(shown("a.py", sound, &sound.replacen("    return", "return", 1)), no_body);
        assert_eq!(shown("a.py", "", "if True:\n"), no_body);
        let wrong = "def a():\nreturn 1\n";
        assert_eq!(shown("a.py", wrong, &format!("import os\n{wrong}")), "");
        assert_eq!(shown("a.rb", "", "if true\n  x\nend\n"), "");
    }

    #[test]
    fn json_is_read_too() {
        assert_eq!(shown("c.json", "{\"a\": 1}\n", "{\"a\":"), "1:5 EOF while parsing a value");
        assert_eq!(shown("c.json", "{\"a\":", "{\"a\": "), "");
    }

    #[test]
    fn comments_after_an_open_bracket_do_not_switch_the_check_off() {
        let before = format!("def f():\n    return 1\n{}", "# pad\n".repeat(2_000));
        assert_eq!(shown("a.py", &before, &before.replacen("f():", "f(", 1)), "1:1 `def f(` does not parse");
    }

    #[cfg(feature = "lang-c")]
    #[test]
    fn macros_of_c_are_no_errors() {
        let now = "MODULE_API int\nf(void)\n{\n#ifdef X\n    if (a) {\n#else\n    if (b) {\n#endif\n        g();\n    }\n    return 0;\n}\n";
        assert_eq!(shown("a.c", "int x;\n", now), "");
        assert_ne!(shown("a.c", "int x;\n", "int f(void) { g(; }\n"), "");
    }
}
