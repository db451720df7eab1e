//! Code words: what of a sentence is code and no English: texts in quotes, pieces of code, values, and names that only code has.

use crate::literal::{Literal, literal_at};
use crate::named::{file_in, is_like_a_path};

/// A word of code that a sentence has.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CodeWord {
    /// As the sentence writes it.
    pub said: String,
    pub kind: Kind,
    /// Whether the sentence says that it is not so.
    pub is_denied: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// A text in quotes, without them.
    Text(String),
    /// Code with more in it than a name.
    Snippet(String),
    Number(Literal),
    /// A value that a name is given: `retries=3`.
    Pair {
        name: String,
        value: String,
    },
    /// A name with what it is of, the innermost last: `Session.send`.
    Name(Vec<String>),
    /// A type that every language has.
    Type(String),
}

/// Words of plain English that have a hump, or a point, and name no code.
const PROPER: [&str; 26] = [
    "JavaScript",
    "TypeScript",
    "GitHub",
    "GitLab",
    "OpenSSL",
    "OpenTelemetry",
    "PyPI",
    "PyPy",
    "NumPy",
    "macOS",
    "iOS",
    "IPv4",
    "IPv6",
    "GraphQL",
    "PostgreSQL",
    "MySQL",
    "SQLite",
    "OAuth",
    "OAuth2",
    "WebSocket",
    "WebSockets",
    "WebAssembly",
    "CamelCase",
    "camelCase",
    "PascalCase",
    "Node.js",
];
/// Words that deny what follows them.
const DENIES: [&str; 26] = [
    "no",
    "not",
    "never",
    "without",
    "nor",
    "neither",
    "cannot",
    "nothing",
    "nobody",
    "none",
    "nowhere",
    "lacks",
    "lacking",
    "misses",
    "missing",
    "absent",
    "ignores",
    "disregards",
    "skips",
    "bypasses",
    "omits",
    "forgets",
    "neglects",
    "refuses",
    "unlike",
    "instead",
];
/// Words that deny what stands before them.
const GONE: [&str; 9] =
    ["missing", "absent", "gone", "nowhere", "undefined", "unused", "removed", "dead", "unreferenced"];
/// Types that many languages have, and that are no English.
const TYPES: [&str; 24] = [
    "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint32", "uint64", "i8", "i16", "i32", "i64",
    "u8", "u16", "u32", "u64", "usize", "isize", "f32", "f64", "float64", "bool", "str",
];
/// Verbs before a list in brackets that is code: `returns (string, error)`.
const BEFORE_LISTS: [&str; 6] = ["returns", "return", "yields", "takes", "accepts", "tuple"];

/// Whether a word is a type of many languages, English or not.
pub(crate) fn is_type(word: &str) -> bool {
    TYPES.contains(&word)
        || ["string", "float", "double", "boolean", "bytes", "char", "error", "String"].contains(&word)
}

/// Signs between two sides of a piece of code that a sentence writes with blanks.
const SIGNS: [&str; 9] = ["<", ">", "<=", ">=", "==", "!=", "===", "!==", ":="];
/// Endings by which a number is so many of something.
const UNITS: [&str; 16] =
    ["s", "ms", "us", "ns", "m", "h", "d", "b", "kb", "mb", "gb", "kib", "mib", "gib", "x", "%"];
/// Words behind a number by which it is so many of something that code may write otherwise.
const MEASURES: [&str; 20] = [
    "second",
    "seconds",
    "ms",
    "milliseconds",
    "minute",
    "minutes",
    "hour",
    "hours",
    "day",
    "days",
    "byte",
    "bytes",
    "kb",
    "mb",
    "gb",
    "kib",
    "mib",
    "gib",
    "percent",
    "bits",
];
/// Words before a number that make a name or a place of it.
const NUMBERED: [&str; 8] = ["line", "lines", "step", "issue", "bug", "pr", "clause", "rule"];

/// The code of a sentence, in its order.
pub(crate) fn code_words(sentence: &str, is_known: &dyn Fn(&str) -> bool) -> Vec<CodeWord> {
    let tokens = tokens(sentence);
    let lower: Vec<String> = tokens.iter().map(|token| bare(token).to_lowercase()).collect();
    let denied = denied(&tokens, &lower);
    let mut found: Vec<CodeWord> = Vec::new();
    let mut place = 0;
    while let Some(token) = tokens.get(place) {
        let mut add = |kind: Kind, said: &str| {
            let word = CodeWord { said: said.to_owned(), kind, is_denied: denied[place] };
            if !found.contains(&word) {
                found.push(word);
            }
        };
        // `len(args) > 5`, `timeout = 10`
        if let Some((sign, right)) = tokens.get(place + 1).zip(tokens.get(place + 2))
            && (SIGNS.contains(sign) || *sign == "=")
            && (is_code(token) || *sign == "=")
        {
            let (left, right) = (bare(token), trimmed(right));
            let said = format!("{left} {sign} {right}");
            match *sign {
                "=" if is_name(left) => {
                    add(Kind::Pair { name: last_of(left).to_owned(), value: right.to_owned() }, &said);
                }
                _ => add(Kind::Snippet(said.clone()), &said),
            }
            place += 3;
            continue;
        }
        let before = place.checked_sub(1).map_or("", |before| lower[before].as_str());
        let end = (place..tokens.len()).take(MOST_LISTED).find(|at| trimmed_end(tokens[*at]).ends_with(')'));
        if let Some(end) =
            end.filter(|_| BEFORE_LISTS.contains(&before) && token.starts_with('(') && token.ends_with(','))
        {
            let said = tokens[place..=end].join(" ");
            let said = trimmed_end(&said).to_owned();
            add(Kind::Snippet(said.clone()), &said);
            place = end + 1;
            continue;
        }
        // `maps "gzip" to GZipDecoder`
        if lower[place] == "maps"
            && lower.get(place + 2).is_some_and(|word| word == "to")
            && let Some((key, value)) = tokens.get(place + 1).zip(tokens.get(place + 3))
            && is_written(key)
            && (is_written(value) || value.starts_with(char::is_uppercase))
        {
            let (name, value) = (unquoted(key), trimmed(value).trim_matches('`'));
            add(Kind::Pair { name: name.to_owned(), value: value.to_owned() }, &format!("{name}: {value}"));
            place += 4;
            continue;
        }
        let behind = lower.get(place + 1).map_or("", String::as_str);
        let begins = place == 0 || tokens[place - 1].ends_with(['.', ';', '!', '?']);
        for kind in of_token(token, before, behind, begins, is_known) {
            let said = match &kind {
                Kind::Name(parts) => parts.join("."),
                Kind::Pair { name, value } => format!("{name}={value}"),
                Kind::Number(literal) => literal.text.clone(),
                Kind::Text(text) => format!("{text:?}"),
                Kind::Snippet(code) => format!("`{code}`"),
                Kind::Type(name) => name.clone(),
            };
            add(kind, &said);
        }
        place += 1;
    }
    found
}

/// What a word of a sentence has of code.
fn of_token(
    token: &str,
    before: &str,
    behind: &str,
    begins: bool,
    is_known: &dyn Fn(&str) -> bool,
) -> Vec<Kind> {
    let word = trimmed(token);
    if let Some(code) = word.strip_prefix('`').and_then(|word| word.split('`').next()) {
        return of_code(code.trim()).into_iter().collect();
    }
    if let Some(text) = in_quotes(word) {
        return vec![Kind::Text(text.to_owned())];
    }
    if PROPER.contains(&word) || is_place(word) {
        return Vec::new();
    }
    if let Some(flag) = word.strip_prefix("--").filter(|flag| flag.len() > 1) {
        let flag = flag.split(['=', '[']).next().unwrap_or(flag);
        return vec![Kind::Text(flag.to_owned())];
    }
    let number = bare(word).trim_start_matches('$');
    if number.starts_with(|letter: char| letter.is_ascii_digit()) || number.starts_with('-') {
        let Some((mut literal, len)) = literal_at(number).filter(|(literal, _)| literal.is_number()) else {
            return Vec::new();
        };
        let unit = number[len..].trim_matches(['.', ',']).to_lowercase();
        literal.is_measured = !unit.is_empty() || MEASURES.contains(&behind);
        let is_plain = (unit.is_empty() || UNITS.contains(&unit.as_str())) && !NUMBERED.contains(&before);
        return if is_plain { vec![Kind::Number(literal)] } else { Vec::new() };
    }
    if let Some(parts) = called(word) {
        return parts;
    }
    if let Some((name, value)) = pair(word) {
        return vec![Kind::Pair { name, value }];
    }
    let has_types = word.contains('<') && word.ends_with('>');
    if (word.contains(['[', '{', '"']) || has_types)
        && is_name(word.split(['[', '{', '"', '<']).next().unwrap_or(""))
    {
        return vec![Kind::Snippet(word.to_owned())];
    }
    let name = bare(word);
    if TYPES.contains(&name) {
        return vec![Kind::Type(name.to_owned())];
    }
    let parts = parts_of(name);
    let is_dotted = parts.len() > 1 && parts.iter().all(|part| part.chars().count() > 1 && is_word(part));
    let is_single = parts.len() == 1 && is_word(name);
    let is_shaped = is_single && is_shaped(name);
    let is_defined = || is_single && !begins && name.starts_with(char::is_uppercase) && is_known(name);
    if is_dotted || is_shaped || is_defined() {
        return vec![Kind::Name(parts.into_iter().map(str::to_owned).collect())];
    }
    Vec::new()
}

/// What stands in backticks.
fn of_code(code: &str) -> Option<Kind> {
    if code.is_empty() || is_place(code) {
        return None;
    }
    if let Some(text) = in_quotes(code) {
        return Some(Kind::Text(text.to_owned()));
    }
    if let Some((literal, len)) = literal_at(code)
        && len == code.len()
    {
        return literal.is_number().then_some(Kind::Number(literal));
    }
    let name = code.strip_suffix("()").unwrap_or(code);
    if is_name(name) {
        return Some(Kind::Name(parts_of(name).into_iter().map(str::to_owned).collect()));
    }
    match pair(code) {
        Some((name, value)) if !code.contains(char::is_whitespace) => Some(Kind::Pair { name, value }),
        _ => Some(Kind::Snippet(code.to_owned())),
    }
}

/// What is called, and what with: `Limits(max_connections=200)`.
fn called(word: &str) -> Option<Vec<Kind>> {
    let (name, rest) = word.split_once('(')?;
    if !is_name(name) {
        return None;
    }
    let mut all = vec![Kind::Name(parts_of(name).into_iter().map(str::to_owned).collect())];
    let inner = rest.strip_suffix(')').unwrap_or(rest);
    // Whatever is not plainly a list of arguments is one piece of code.
    if inner.contains(['(', ')', '[', '{']) {
        return Some(vec![Kind::Snippet(word.to_owned())]);
    }
    let parts = inner.split(',').map(str::trim).filter(|part| !part.is_empty() && !part.starts_with(".."));
    let parts: Vec<&str> = parts.collect();
    // `true` alone stands everywhere; where it is given to something, the whole call says it.
    let is_bare = |part: &&str| {
        literal_at(part).is_some_and(|(literal, len)| len == part.len() && !literal.is_number())
    };
    if parts.iter().any(|part| is_bare(part) && in_quotes(part).is_none()) {
        all.push(Kind::Snippet(word.to_owned()));
    }
    for part in parts {
        all.extend(of_code(part));
    }
    Some(all)
}

/// `errors="strict"`: a name and its value.
fn pair(word: &str) -> Option<(String, String)> {
    let (name, value) = word.split_once('=')?;
    let is_given = !value.starts_with(['=', '>', '~']) && !name.ends_with(['!', '<', '>', ':', '+', '-']);
    let value = value.trim();
    (is_given && is_name(name.trim()) && !value.is_empty())
        .then(|| (last_of(name.trim()).to_owned(), value.to_owned()))
}

/// The words of a sentence: what stands in quotes, in backticks or in the brackets of a call is one.
fn tokens(sentence: &str) -> Vec<&str> {
    let mut all = Vec::new();
    let (mut start, mut open, mut depth) = (None, None, 0_usize);
    let mut last = ' ';
    for (at, letter) in sentence.char_indices() {
        if start.is_none() && !letter.is_whitespace() {
            start = Some(at);
        }
        match (open, letter) {
            (Some(mark), letter) if letter == mark && last != '\\' => open = None,
            (Some(_), _) => {}
            (None, '`' | '"') if sentence[at + 1..].contains(letter) => open = Some(letter),
            (None, '\'') if !last.is_alphanumeric() && closes(&sentence[at + 1..]) => open = Some('\''),
            (None, '(' | '[')
                if (last.is_alphanumeric() || last == '_' || depth > 0) && goes_on(&sentence[at + 1..]) =>
            {
                depth += 1;
            }
            (None, ')' | ']') if depth > 0 => depth -= 1,
            (None, letter) if letter.is_whitespace() && depth == 0 => {
                if let Some(start) = start.take() {
                    all.push(&sentence[start..at]);
                }
            }
            (None, _) => {}
        }
        last = letter;
    }
    if let Some(start) = start {
        all.push(&sentence[start..]);
    }
    all
}

/// Whether what follows a bracket stands in it, and it is closed: `drain( is called` speaks of the text alone.
fn goes_on(rest: &str) -> bool {
    !rest.starts_with(char::is_whitespace) && rest.contains([')', ']'])
}

/// Whether a text that an apostrophe may have opened is closed.
fn closes(rest: &str) -> bool {
    let mut marks = rest.match_indices('\'');
    !rest.starts_with(char::is_whitespace)
        && marks.any(|(at, _)| !rest[at + 1..].starts_with(|letter: char| letter.is_alphanumeric()))
}

/// Which words of a sentence stand in what it denies.
fn denied(tokens: &[&str], lower: &[String]) -> Vec<bool> {
    let mut all = vec![false; tokens.len()];
    let mut is_open = false;
    for at in 0..tokens.len() {
        let word = lower[at].as_str();
        let next = lower.get(at + 1).map_or("", String::as_str);
        let is_other = word == "and" && next.ends_with('s') && !tokens[at + 1].contains(['`', '_', '.', '(']);
        if ["but", "yet", "however"].contains(&word) || is_other {
            is_open = false;
        }
        let denies = DENIES.contains(&word) && (word != "instead" || next == "of") || word.ends_with("n't");
        let denies = denies || word == "rather" && next == "than" || word == "fails" && next == "to";
        if denies && !tokens[at].contains('`') {
            is_open = true;
            // `X does not …`, `X is missing`: whether X is there is what is said.
            let is_of =
                |word: &String| ["is", "are", "was", "were", "does", "do", "has"].contains(&word.as_str());
            let is_subject = GONE.contains(&word) || matches!(word, "not" | "never") || word.ends_with("n't");
            let mut before = at;
            while is_subject && before > 0 && is_of(&lower[before - 1]) {
                before -= 1;
            }
            if is_subject && before > 0 && !tokens[before - 1].ends_with([',', ';', ':', '.']) {
                all[before - 1] = true;
            }
        }
        all[at] |= is_open;
        if tokens[at].ends_with([',', ';', ':']) || tokens[at].ends_with('.') {
            is_open = false;
        }
    }
    all
}

/// A word without what a sentence puts around it.
fn trimmed(token: &str) -> &str {
    let mut word = token.trim_end_matches(['.', ',', ';', ':', '!', '?']);
    loop {
        let opened = word.matches(['(', '[']).count();
        let closed = word.matches([')', ']']).count();
        let next = match () {
            () if opened > closed && word.starts_with(['(', '[']) => &word[1..],
            () if opened < closed && word.ends_with([')', ']']) => &word[..word.len() - 1],
            () if opened == closed && word.starts_with('(') && word.ends_with(')') && word.len() > 2 => {
                &word[1..word.len() - 1]
            }
            () => word.strip_suffix("'s").unwrap_or(word).trim_end_matches(['.', ',', ';', ':', '!', '?']),
        };
        if next == word {
            return word;
        }
        word = next;
    }
}

/// Words of a list in brackets, at most.
const MOST_LISTED: usize = 6;

fn trimmed_end(token: &str) -> &str {
    token.trim_end_matches(['.', ',', ';', ':', '!', '?'])
}

/// Whether a word is written as code: in quotes, in backticks, or as only names are.
fn is_written(token: &str) -> bool {
    let word = trimmed(token);
    word.starts_with(['"', '\'', '`']) || is_shaped(bare(word))
}

fn unquoted(token: &str) -> &str {
    trimmed(token).trim_matches(['`', '"', '\''])
}

fn bare(token: &str) -> &str {
    let word = trimmed(token);
    let word = word.trim_matches(|letter: char| !letter.is_alphanumeric() && !"_$-()[]'\"".contains(letter));
    word.strip_suffix("'s").unwrap_or(word)
}

/// What stands in quotes of its own.
fn in_quotes(word: &str) -> Option<&str> {
    let prefix = word.bytes().take_while(u8::is_ascii_alphabetic).count();
    let body = word.get(prefix..).filter(|_| prefix < 3)?;
    let mark = body.chars().next().filter(|mark| ['"', '\''].contains(mark))?;
    let inner = body[1..].strip_suffix(mark)?;
    (!inner.contains(mark)).then_some(inner)
}

/// Whether a word names a file, a folder or a place on the net.
fn is_place(word: &str) -> bool {
    let is_folder =
        || word.contains('/') && !word.starts_with('/') && !word.contains(['(', '=', '"', '\'', ' ']);
    file_in(word).is_some() || is_like_a_path(word) && is_folder() || word.contains("://")
}

fn is_word(text: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
    text.chars().all(is_part)
        && text.starts_with(|letter: char| letter.is_alphabetic() || letter == '_' || letter == '$')
}

/// The parts of a name: `Session.send`, `std::fs::read`, `Number#value`.
fn parts_of(name: &str) -> Vec<&str> {
    name.split(['.', ':', '#']).filter(|part| !part.is_empty()).collect()
}

fn last_of(name: &str) -> &str {
    parts_of(name).pop().unwrap_or(name)
}

pub(crate) fn is_name(text: &str) -> bool {
    let parts = parts_of(text);
    !parts.is_empty() && parts.iter().all(|part| is_word(part)) && !text.ends_with(['.', ':'])
}

/// Whether a word is written as only names of code are: with an underscore, or with a hump.
fn is_shaped(word: &str) -> bool {
    let is_small = |letter: char| letter.is_lowercase();
    let inner = word.trim_matches('_');
    let has_hump = word.chars().skip(1).any(char::is_uppercase) && word.chars().any(is_small);
    // `URLs` are some of what is called URL.
    let is_plural = word.strip_suffix('s').is_some_and(|one| one.chars().all(char::is_uppercase));
    inner.contains('_') && inner.chars().any(char::is_alphabetic)
        || word.starts_with('_') && inner.chars().count() > 1
        || has_hump && !is_plural && !PROPER.contains(&word)
}

/// Whether a word can stand at the side of a sign: a call, a name of code, or one letter.
fn is_code(token: &str) -> bool {
    let word = bare(token);
    word.contains(['(', '.', '_', '`', '[']) || word.chars().count() == 1 || is_shaped(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(sentence: &str) -> String {
        let known = |word: &str| ["Session", "Accounts"].contains(&word);
        let words = code_words(sentence, &known);
        let shown = |word: CodeWord| if word.is_denied { format!("-{}", word.said) } else { word.said };
        words.into_iter().map(shown).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_is_code_in_a_sentence_is_told_from_english() {
        for (sentence, wanted) in [
            (r#"TextDecoder uses errors="strict""#, r#"TextDecoder errors="strict""#),
            (r#"TextDecoder.__init__ has encoding default "latin-1""#, r#"TextDecoder.__init__ "latin-1""#),
            ("GZipDecoder.decode raises `ValueError`", "GZipDecoder.decode ValueError"),
            ("DEFAULT_LIMITS has max_connections=200", "DEFAULT_LIMITS max_connections=200"),
            ("CONFIG_A is Timeout(timeout=10.0)", "CONFIG_A Timeout timeout=10.0"),
            ("the mode in SaveUploadedFile is 0o755", "SaveUploadedFile 0o755"),
            ("NoArgs does `if len(args) > 5 {`", "NoArgs `if len(args) > 5 {`"),
            ("OnlyValidArgs checks len(args) > 0", "OnlyValidArgs len(args) > 0"),
            (r#"NoArgs runs `panic("no args")`"#, r#"NoArgs `panic("no args")`"#),
            ("FS_PREFIX is `/@filesystem/`", "FS_PREFIX `/@filesystem/`"),
            ("TARGET_A contains 'chrome107'", "TARGET_A \"chrome107\""),
            (r#"HTTPBasicAuth sets r.headers["Proxy-Auth"]"#, r#"HTTPBasicAuth `r.headers["Proxy-Auth"]`"#),
            ("authPair.password is a string", "authPair.password"),
            ("run calls Session and drain(queue)", "Session drain queue"),
            ("the --no-ignore flag is read", "\"no-ignore\""),
            ("run waits 5 seconds, or 10ms", "5 10"),
            ("wait = 5 in src/a.py", "wait = 5"),
            ("run returns (string, error).", "(string, error)"),
            ("NAMES_A maps \"gzip\" to GZipDecoder", "NAMES_A gzip: GZipDecoder"),
            ("Accounts maps string to int", "int"),
            ("it returns a Cow<str>", "`Cow<str>`"),
            ("it calls init(null, false)", "init `init(null, false)`"),
        ] {
            assert_eq!(said(sentence), wanted, "{sentence}");
        }
        for english in [
            "the queue isn't locked while the user's job runs",
            "src/a.py:12 drops it, e.g. on line 3",
            "it's read-only, and/or shared (see docs/guide.md)",
            "JavaScript and Node.js read URLs and IDs",
            "drain stops at one job",
            "Session begins a sentence",
        ] {
            assert_eq!(said(english), "", "{english}");
        }
    }

    #[test]
    fn what_is_denied_need_not_stand_anywhere() {
        for (sentence, wanted) in [
            ("run does not call make_gadget", "-make_gadget"),
            ("run uses `a_b` instead of `c_d`", "a_b -c_d"),
            ("make_gadget is not defined in a.py", "-make_gadget"),
            ("make_gadget does not exist", "-make_gadget"),
            ("make_gadget is missing", "-make_gadget"),
            ("run has no time_out, but calls a_b", "-time_out a_b"),
            ("src/a.rs says \"> 1\", not \"all\"", "\"> 1\" -\"all\""),
            ("run_all doesn't use a_b and calls c_d", "-run_all -a_b c_d"),
        ] {
            assert_eq!(said(sentence), wanted, "{sentence}");
        }
    }
}
