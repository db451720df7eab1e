//! The list of parameters in a signature, and what stands behind it.

/// What stands between the brackets behind a callable's name, cut at its commas. Other brackets may come first: of a visibility, an
/// annotation, a receiver or the types that it takes.
pub(super) fn parameters(signature: &str, name: &str) -> Option<Vec<String>> {
    read(signature.trim(), name).map(|read| read.list)
}

/// A signature, cut around the list of its parameters.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Parted {
    /// The words before the list, without the name and without those that only say how a function is written.
    pub before: Vec<String>,
    pub parameters: Vec<String>,
    pub behind: String,
}

/// Words that a function may be written with or without.
const WRITTEN: [&str; 7] = ["function", "const", "let", "var", "=", "export", "default"];

pub(super) fn parted(signature: &str, name: &str) -> Option<Parted> {
    let signature = signature.trim();
    let read = read(signature, name)?;
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let without_name = |word: &'_ str| match word.strip_prefix(name) {
        Some(rest) if !rest.starts_with(is_letter) => rest.to_owned(),
        _ => word.to_owned(),
    };
    let before = signature[..read.open].split_whitespace().map(without_name);
    let before = before.filter(|word| !word.is_empty() && !WRITTEN.contains(&word.as_str())).collect();
    let behind = plain(signature[read.end..].trim_end().trim_end_matches("=>"));
    Some(Parted { before, parameters: read.list, behind })
}

/// What a callable gives back, as far as that is written: nothing where it is not.
pub fn result(language: &str, signature: &str, name: &str) -> Option<String> {
    let signature = signature.trim();
    let behind = signature[read(signature, name)?.end..].trim();
    let found = match language {
        "rust" => {
            let kind = behind.strip_prefix("->").unwrap_or_default();
            kind.split(" where ").next().unwrap_or_default().trim()
        }
        "typescript" | "tsx" => behind.strip_prefix(':')?.trim_end_matches("=>").trim(),
        "go" => behind,
        "java" => {
            let before = signature[..word(signature, name)?].trim_end();
            before.split_whitespace().next_back().filter(|kind| !MODIFIERS.contains(kind))?
        }
        _ => return None,
    };
    Some(plain(found))
}

const MODIFIERS: [&str; 7] =
    ["public", "private", "protected", "static", "final", "abstract", "synchronized"];

/// Where the name of a callable stands with a list behind it.
fn word(signature: &str, name: &str) -> Option<usize> {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    signature.match_indices(name).map(|(at, _)| at).find(|&at| {
        let (before, after) = (&signature[..at], &signature[at + name.len()..]);
        !name.is_empty() && !before.ends_with(is_letter) && opens(after).is_some()
    })
}

/// Where a list opens that follows at once, or after the types that it takes.
fn opens(after: &str) -> Option<usize> {
    let types = after.len() - after.trim_start().len();
    let rest = &after[types..];
    if rest.starts_with('(') {
        return Some(types);
    }
    if !rest.starts_with(['<', '[']) {
        return None;
    }
    let end = types + closes(rest)? + 1;
    let gap = after[end..].len() - after[end..].trim_start().len();
    after[end + gap..].starts_with('(').then_some(end + gap)
}

/// The bracket that closes the one that the text begins with.
fn closes(text: &str) -> Option<usize> {
    let (mut depth, mut previous) = (0_i32, ' ');
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' | '{' | '<' => depth += 1,
            // The head of an arrow closes nothing.
            '>' if matches!(previous, '-' | '=') => {}
            ')' | ']' | '}' | '>' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
        previous = letter;
    }
    None
}

/// The parameters, and where the brackets around them are.
struct Read {
    list: Vec<String>,
    open: usize,
    end: usize,
}

fn read(signature: &str, name: &str) -> Option<Read> {
    let named = word(signature, name).map(|at| at + name.len());
    let open = match named {
        Some(after) => after + opens(&signature[after..])?,
        None => signature.find('(')?,
    };
    let (mut depth, mut start, mut list) = (0_i32, open + 1, Vec::new());
    let (mut previous, mut quote) = (' ', None);
    for (at, letter) in signature.char_indices().skip_while(|&(at, _)| at < open) {
        match (quote, letter) {
            (Some(mark), letter) => quote = (mark != letter).then_some(mark),
            (None, '"') => quote = Some(letter),
            (None, '(' | '[' | '{' | '<') => depth += 1,
            (None, '>') if matches!(previous, '-' | '=') => {}
            (None, ')' | ']' | '}' | '>') => depth -= 1,
            (None, ',') if depth == 1 => {
                list.push(parameter(&signature[start..at]));
                start = at + 1;
            }
            _ => {}
        }
        previous = letter;
        if depth == 0 && quote.is_none() {
            list.push(parameter(&signature[start..at]));
            list.retain(|parameter| !parameter.is_empty());
            return Some(Read { list, open, end: at + 1 });
        }
    }
    None
}

/// A parameter without what concerns only the body.
fn parameter(text: &str) -> String {
    let text = plain(text);
    text.strip_prefix("final ").map(str::to_owned).unwrap_or(text)
}

fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_back_is_read_behind_the_list() {
        let of = |language, signature| result(language, signature, "f");
        assert_eq!(of("rust", "pub(crate) fn f<T>(a: T) -> Vec<T> where T: Copy").unwrap(), "Vec<T>");
        assert_eq!(of("rust", "fn f(a: u8)").unwrap(), "");
        assert_eq!(of("go", "func (s *S) f(a int) (int, error)").unwrap(), "(int, error)");
        assert_eq!(of("typescript", "function f(a: A): Promise<A>").unwrap(), "Promise<A>");
        assert_eq!(of("typescript", "function f(a: A)"), None);
        assert_eq!(of("java", "public static int f(int a)").unwrap(), "int");
        assert_eq!(of("java", "public f(int a)"), None);
        assert_eq!(of("python", "def f(a) -> int"), None);
    }
}
