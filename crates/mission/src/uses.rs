//! Uses: what a line of code does with a name: defines, imports, calls or otherwise uses it, or only speaks of it.

/// What a line does with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Defines,
    Imports,
    Calls,
    /// It stands in code, and is not called there.
    Names,
    /// It stands in a comment or in a text.
    Speaks,
}

/// Words before a name that make a definition of it.
const DEFINES: [&str; 17] = [
    "def",
    "fn",
    "func",
    "function",
    "class",
    "struct",
    "enum",
    "trait",
    "type",
    "interface",
    "const",
    "let",
    "var",
    "static",
    "module",
    "sub",
    "fun",
];
/// How lines begin that import.
const IMPORTS: [&str; 10] = [
    "import ",
    "from ",
    "use ",
    "pub use ",
    "pub(crate) use ",
    "using ",
    "#include",
    "require ",
    "export {",
    "export *",
];
/// How lines begin that are comments.
const COMMENTS: [&str; 8] = ["//", "/*", "* ", "*/", "--", "\"\"\"", "'''", "<!--"];
/// Endings of files whose calls need no bracket.
const BARE: [&str; 6] = ["rb", "sh", "bash", "ex", "exs", "pl"];

/// What a line of a file does with a name; nothing where it has not the name. Of several, the one that does most.
pub(crate) fn use_of(path: &str, line: &str, name: &str) -> Option<Use> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let whole = line
        .match_indices(name)
        .filter(|(at, _)| !line[..*at].ends_with(is_part) && !line[at + name.len()..].starts_with(is_part));
    let uses: Vec<Use> = whole.map(|(at, _)| one(path, line, at, name.len())).collect();
    [Use::Calls, Use::Names, Use::Imports, Use::Defines, Use::Speaks]
        .into_iter()
        .find(|one| uses.contains(one))
}

fn one(path: &str, line: &str, at: usize, len: usize) -> Use {
    let start = line.trim_start();
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let has_hash =
        !["rs", "c", "h", "cc", "cpp", "hpp", "cs", "js", "ts", "tsx", "jsx", "go", "java"].contains(&ending);
    let is_comment =
        COMMENTS.iter().any(|mark| start.starts_with(mark)) || has_hash && start.starts_with('#');
    if start.starts_with("#include") {
        return Use::Imports;
    }
    if is_comment || is_in_text(&line[..at], has_hash) {
        return Use::Speaks;
    }
    let is_import = IMPORTS.iter().any(|mark| start.starts_with(mark));
    if is_import || start.contains("require(") && start.contains(['\'', '"']) && !is_called(&line[at + len..])
    {
        return Use::Imports;
    }
    let before = line[..at].trim_end();
    let word = before.rsplit(|letter: char| !letter.is_alphanumeric() && letter != '_').next().unwrap_or("");
    // A method of Go stands behind its receiver: `func (q *Queue) drain()`.
    let is_method = before.ends_with(')') && before.trim_start().starts_with("func (");
    if DEFINES.contains(&word) && before.ends_with(word) || is_method {
        return Use::Defines;
    }
    if is_called(&line[at + len..]) || BARE.contains(&ending) { Use::Calls } else { Use::Names }
}

/// Whether a bracket of arguments follows, behind type arguments or not.
fn is_called(after: &str) -> bool {
    let after = after.trim_start().trim_start_matches(['!', '?']);
    let after = after.strip_prefix("::").unwrap_or(after);
    let after = match after.strip_prefix('<').and_then(|inner| inner.find(">(")) {
        Some(end) if !after[..end].contains(';') => &after[end + 2..],
        _ => after,
    };
    after.starts_with('(')
}

/// Whether what stands before a place opens a text or a comment that is not closed there.
fn is_in_text(before: &str, has_hash: bool) -> bool {
    let mut open: Option<char> = None;
    let mut letters = before.chars().peekable();
    while let Some(letter) = letters.next() {
        match (open, letter) {
            (_, '\\') => {
                letters.next();
            }
            (Some(mark), letter) if letter == mark => open = None,
            (Some(_), _) => {}
            (None, '"' | '`') => open = Some(letter),
            // One alone may be a lifetime or an apostrophe.
            (None, '\'') if letters.clone().skip(1).any(|next| next == '\'') || has_hash => {
                open = Some(letter)
            }
            (None, '/') if letters.peek() == Some(&'/') => return true,
            (None, '#') if has_hash => return true,
            (None, _) => {}
        }
    }
    open.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_definitions_comments_and_texts_are_no_calls() {
        for (path, line, wanted) in [
            ("a.py", "from queue import drain", Use::Imports),
            ("a.py", "import drain", Use::Imports),
            ("a.rs", "use crate::queue::drain;", Use::Imports),
            ("a.c", "#include \"drain.h\"", Use::Imports),
            ("a.js", "const { drain } = require('./queue');", Use::Imports),
            ("a.py", "def drain(queue):", Use::Defines),
            ("a.rs", "pub fn drain(queue: &mut Queue) {", Use::Defines),
            ("a.go", "func (q *Queue) drain() {", Use::Defines),
            ("a.py", "# drain(queue) was here", Use::Speaks),
            ("a.rs", "run(); // drain(queue)", Use::Speaks),
            ("a.py", "log(\"drain(queue)\")", Use::Speaks),
            ("a.py", "    drain(queue)", Use::Calls),
            ("a.rs", "let left = queue.drain::<Job>();", Use::Calls),
            ("a.rs", "fn next<'a>(q: &'a Queue) { drain(q) }", Use::Calls),
            ("a.rb", "drain queue", Use::Calls),
            ("a.py", "handlers = [drain]", Use::Names),
            ("a.py", "say(\"it\"); drain(queue)", Use::Calls),
        ] {
            assert_eq!(use_of(path, line, "drain"), Some(wanted), "{line}");
        }
        assert_eq!(use_of("a.py", "drained(queue)", "drain"), None);
    }
}
