//! Syntax: what of a line is code and what is comment or text, and the words by which lines define and import. Enough to read
//! one line of any language by itself; the graph knows more, of the languages that it reads.

/// Words before a name that make a definition of it.
pub(crate) const DEFINES: [&str; 19] = [
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
    "pub",
    "async",
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
/// Endings of files that set things and are no code.
const SETTINGS: [&str; 10] =
    ["yml", "yaml", "toml", "json", "cfg", "ini", "mk", "cmake", "gradle", "properties"];
/// Endings of files in which `#` begins no comment.
const NO_HASH: [&str; 13] =
    ["rs", "c", "h", "cc", "cpp", "hpp", "cs", "js", "ts", "tsx", "jsx", "go", "java"];

/// Where a line has a word, and not only as a part of another.
pub(crate) fn places_of<'l>(line: &'l str, word: &'l str) -> impl Iterator<Item = usize> + 'l {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let places = line.match_indices(word).map(|(at, _)| at);
    places.filter(move |at| !line[..*at].ends_with(is_part) && !line[at + word.len()..].starts_with(is_part))
}

/// What a place in a line is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spoken {
    Code,
    /// A comment or a text.
    Text,
    /// The name of a file that C includes, which looks like a comment and a text and is neither.
    Include,
}

/// What the place is part of that comes behind the beginning of a line.
pub(crate) fn spoken(path: &str, before: &str) -> Spoken {
    let has_hash = !NO_HASH.contains(&ending(path));
    let start = before.trim_start();
    if start.starts_with("#include") {
        return Spoken::Include;
    }
    if is_comment(path, before) || is_in_text(before, has_hash) { Spoken::Text } else { Spoken::Code }
}

/// Whether a line is nothing but a comment.
pub(crate) fn is_comment(path: &str, line: &str) -> bool {
    let start = line.trim_start();
    let has_hash = !NO_HASH.contains(&ending(path));
    COMMENTS.iter().any(|mark| start.starts_with(mark)) || has_hash && start.starts_with('#')
}

/// Whether a line imports. `require` does where nothing that it brings is called there.
pub(crate) fn is_import(line: &str, is_called: bool) -> bool {
    let start = line.trim_start();
    // `use := …` gives a variable of that name a value.
    let begins = |rest: &str| !rest.trim_start().starts_with(['=', ':', '.', ',', '+']);
    IMPORTS
        .iter()
        .any(|mark| start.strip_prefix(mark).is_some_and(|rest| !mark.ends_with(' ') || begins(rest)))
        || start.contains("require(") && start.contains(['\'', '"']) && !is_called
}

/// Whether what follows the beginning of a line is defined by it.
pub(crate) fn is_definition(before: &str) -> bool {
    let before = before.trim_end();
    let word = before.rsplit(|letter: char| !letter.is_alphanumeric() && letter != '_').next().unwrap_or("");
    // A method of Go stands behind its receiver: `func (q *Queue) drain()`.
    let is_method = before.ends_with(')') && before.trim_start().starts_with("func (");
    DEFINES.contains(&word) && before.ends_with(word) || is_method
}

/// Whether the calls of a file need no bracket.
pub(crate) fn bare_calls(path: &str) -> bool {
    BARE.contains(&ending(path))
}

/// Whether a file says by a word alone what it runs or brings: settings, recipes, scripts.
pub(crate) fn takes_words_for_calls(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    bare_calls(path) || !name.contains('.') || SETTINGS.contains(&ending(path))
}

fn ending(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// Whether what stands before a place opens a text or a comment that is not closed there. What stands in the brackets of a text
/// that is put together (`f"{now()}"`, `${now()}`) is code.
fn is_in_text(before: &str, has_hash: bool) -> bool {
    let mut open: Option<char> = None;
    // The mark of the text that the code belongs to.
    let mut around: Option<char> = None;
    let (mut is_made, mut last) = (false, ' ');
    let mut letters = before.chars().peekable();
    while let Some(letter) = letters.next() {
        match (open, letter) {
            (_, '\\') => {
                letters.next();
            }
            (Some(mark), letter) if letter == mark => open = None,
            (Some(_), '{') if is_made && letters.peek() == Some(&'{') => {
                letters.next();
            }
            (Some(mark), '{') if is_made && around.is_none() && (mark != '`' || last == '$') => {
                around = open.take();
            }
            (Some(_), _) => {}
            (None, '}') if around.is_some() => open = around.take(),
            (None, '"' | '`') => {
                open = Some(letter);
                is_made =
                    is_made && around.is_some() || letter == '`' || has_hash && ['f', 'F'].contains(&last);
            }
            // One alone may be a lifetime or an apostrophe.
            (None, '\'') if letters.clone().skip(1).any(|next| next == '\'') || has_hash => {
                is_made = is_made && around.is_some() || has_hash && ['f', 'F'].contains(&last);
                open = Some(letter)
            }
            (None, '/') if letters.peek() == Some(&'/') => return true,
            (None, '#') if has_hash => return true,
            (None, _) => {}
        }
        last = letter;
    }
    open.is_some()
}
