//! Calls as they are written, and whether a signature takes them.

use super::list::parameters;
use super::{Python, may_be_left_out, seen_by_callers};

/// What one call gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// How many arguments stand by their place.
    pub placed: usize,
    /// Those that stand by their name.
    pub named: Vec<String>,
    /// Whether more of either kind are handed on that are not written there.
    pub more_placed: bool,
    pub more_named: bool,
    /// Whether the name of a type stands before it: what it is called on is then an argument.
    pub is_of_type: bool,
    /// Whether what it gives has angle brackets: commas between those of types part no arguments.
    pub has_angles: bool,
    /// What stands before it on its line.
    pub before: String,
    /// The beginning of what stands behind it.
    pub after: String,
}

/// Whether a call fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    Yes,
    No,
    /// What is written does not tell.
    Unknown,
}

/// Lines that a call may go over.
const MAX_LINES: usize = 60;
/// What is kept of what stands behind a call.
const MAX_AFTER: usize = 40;

/// The calls of a function by its name on a line (from 1) of a text.
pub fn calls(language: &str, text: &str, line: u32, function: &str) -> Vec<Call> {
    let at = (line as usize).saturating_sub(1);
    let rest = text.lines().skip(at).take(MAX_LINES).collect::<Vec<_>>().join("\n");
    let first = rest.find('\n').unwrap_or(rest.len());
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for (at, _) in rest[..first].match_indices(function) {
        let (before, after) = (&rest[..at], &rest[at + function.len()..]);
        if before.ends_with(is_letter) || before.trim_end().ends_with("def") || before.ends_with("fn ") {
            continue;
        }
        // Types that are written at a call.
        let after = after.trim_start();
        let Some(inner) = without_types(language, after).strip_prefix('(') else { continue };
        let Some((given, end)) = arguments(language, inner) else { continue };
        let mut call = Call {
            is_of_type: is_of_type(language, before),
            has_angles: inner[..end].contains('<'),
            before: before.to_owned(),
            after: inner[end..].trim_start().chars().take(MAX_AFTER).collect(),
            ..Call::default()
        };
        given.iter().for_each(|given| call.take(language, given));
        found.push(call);
    }
    found
}

/// What follows the types that may stand between a name and its arguments: `[int](1)`, `<number>(1)`, `::<u32>(1)`.
fn without_types<'t>(language: &str, after: &'t str) -> &'t str {
    let (open, close) = if language == "go" { ('[', ']') } else { ('<', '>') };
    let list = if language == "rust" { after.strip_prefix("::").unwrap_or(after) } else { after };
    let mut depth = 0_u32;
    for (at, letter) in list.char_indices() {
        match letter {
            _ if letter == open => depth += 1,
            // The head of a function among the types is no end of them.
            _ if letter == close && !list[..at].ends_with(['=', '-']) => depth = depth.saturating_sub(1),
            ';' | '"' | '\n' => return after,
            _ => {}
        }
        if depth == 0 {
            let rest = &list[at + letter.len_utf8()..];
            return if letter == close && rest.starts_with('(') { rest } else { after };
        }
    }
    after
}

/// Whether what a call is called on is written as types are.
fn is_of_type(language: &str, before: &str) -> bool {
    if language == "rust" {
        return before.ends_with("::");
    }
    let Some(owner) = before.strip_suffix("::").or_else(|| before.strip_suffix('.')) else { return false };
    let from = owner.rfind(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(0, |at| at + 1);
    before.ends_with("::") || owner[from..].starts_with(char::is_uppercase)
}

impl Call {
    /// Whether a function of Python of this name is given what it is called on: a plain function may call a parameter like that.
    fn is_on_value(&self, name: &str) -> bool {
        let is_member = self.before.trim_end().ends_with('.');
        !self.is_of_type && (is_member || name.starts_with("__")) && name != "__new__"
    }

    fn take(&mut self, language: &str, given: &str) {
        let mark = if language == "python" || language == "ruby" { "#" } else { "//" };
        let mut given = given.trim();
        // What is said of an argument stands before it or behind the last one.
        while given.starts_with(mark) {
            given = given.split_once('\n').map_or("", |(_, rest)| rest.trim());
        }
        let named = given.split_once('=').filter(|(_, value)| !value.starts_with('='));
        let named = named
            .map(|(name, _)| name.trim())
            .filter(|name| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_'));
        match (language, named) {
            _ if given.is_empty() => {}
            ("python" | "ruby", _) if given.starts_with("**") => self.more_named = true,
            ("python" | "ruby", _) if given.starts_with('*') => self.more_placed = true,
            ("python", Some(name)) => self.named.push(name.to_owned()),
            _ if given.starts_with("...") || given.ends_with("...") => self.more_placed = true,
            // A call may give more than one value there.
            ("go", _) if given.ends_with(')') => {
                self.placed += 1;
                self.more_placed |= self.placed == 1;
            }
            _ => {
                self.placed += 1;
                // A second one shows that each is one.
                self.more_placed &= language != "go" || self.placed == 1;
            }
        }
    }
}

/// What stands between brackets, cut at its commas, and where it ends; nothing where it does not end.
fn arguments<'t>(language: &str, text: &'t str) -> Option<(Vec<&'t str>, usize)> {
    let (mut depth, mut start, mut found) = (1_u32, 0, Vec::new());
    let mut quote: Option<char> = None;
    let mut skip_to = 0;
    for (at, letter) in text.char_indices() {
        if at < skip_to {
            continue;
        }
        let rest = &text[at..];
        match (quote, letter) {
            (Some(_), '\\') => skip_to = at + 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            (Some(open), letter) => quote = (open != letter).then_some(open),
            // A lifetime begins like a character.
            (None, '\'') if language == "rust" => skip_to = at + character(rest),
            (None, '"' | '\'' | '`') => quote = Some(letter),
            (None, '#') if language == "python" => skip_to = at + rest.find('\n').unwrap_or(rest.len()),
            (None, '/') if language != "python" && rest.starts_with("//") => {
                skip_to = at + rest.find('\n').unwrap_or(rest.len());
            }
            // What a closure takes.
            (None, '|')
                if language == "rust" && matches!(text[start..at].trim(), "" | "move" | "async move") =>
            {
                skip_to = at + 1 + rest[1..].find('|').map_or(0, |end| end + 1);
            }
            (None, '<') if language == "rust" && text[..at].ends_with("::") => {
                skip_to = at + rest.find('>').map_or(1, |end| end + 1);
            }
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            (None, ',') if depth == 1 => {
                found.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        if depth == 0 {
            found.push(&text[start..at]);
            return Some((found, at + 1));
        }
    }
    None
}

/// How long a character in quotes is, or the mark of a lifetime.
fn character(text: &str) -> usize {
    let inner: Vec<char> = text.chars().skip(1).take(10).collect();
    let len = match inner[..] {
        ['\\', ..] => inner.iter().skip(2).position(|&c| c == '\'').map(|at| at + 3),
        [_, '\'', ..] => Some(2),
        _ => None,
    };
    len.map_or(1, |len| 1 + inner[..len].iter().map(|c| c.len_utf8()).sum::<usize>())
}

/// Whether a signature takes a call, as far as places and names tell.
pub fn takes(language: &str, name: &str, signature: &str, call: &Call) -> Taken {
    let Some(list) = parameters(signature, name) else { return Taken::Unknown };
    let list: Vec<String> = list.iter().map(|parameter| seen_by_callers(language, parameter)).collect();
    match language {
        "python" => python(&list, name, call),
        _ => counted(language, &list, call),
    }
}

/// Whether an argument that a call gives by its place would be taken for another one than before. Only names tell.
pub fn shifts(language: &str, name: &str, [before, now]: [&str; 2], call: &Call) -> bool {
    if language != "python" {
        return false;
    }
    let list = |signature: &str| -> Vec<String> {
        let list = parameters(signature, name).unwrap_or_default();
        list.iter().map(|parameter| seen_by_callers(language, parameter)).collect()
    };
    let (old, new) = (list(before), list(now));
    let (old, new) = (Python::of(&old), Python::of(&new));
    let has = |of: &Python<'_>, name: &str| of.placed.iter().chain(&of.named).any(|one| one.0 == name);
    let own = usize::from(old.placed.first().is_some_and(is_receiver) && call.is_on_value(name));
    let places = old.placed.iter().zip(&new.placed).take(call.placed + own);
    places.into_iter().any(|(was, now)| was.0 != now.0 && (has(&new, was.0) || has(&old, now.0)))
}

fn is_receiver(one: &(&str, bool)) -> bool {
    matches!(one.0, "self" | "cls" | "mcs")
}

fn python(list: &[String], name: &str, call: &Call) -> Taken {
    let mut takes = Python::of(list);
    // A method of the class is called on the class.
    let is_of_class = takes.placed.first().is_some_and(|one| matches!(one.0, "cls" | "mcs"));
    // What makes a value is given its class, whatever it is called on.
    let is_on_class = call.is_of_type && is_of_class && name != "__new__";
    if takes.placed.first().is_some_and(is_receiver) && (call.is_on_value(name) || is_on_class) {
        takes.placed.remove(0);
    }
    let is_known = |name: &String| {
        let later = takes.placed.iter().skip(call.placed);
        takes.more_named || later.chain(&takes.named).any(|one| one.0 == name.as_str())
    };
    if !call.named.iter().all(is_known) || call.placed > takes.placed.len() && !takes.more_placed {
        return Taken::No;
    }
    let is_given = |one: &(&str, bool)| one.1 || call.named.iter().any(|name| name == one.0);
    let places = takes.placed.iter().skip(call.placed).all(|one| is_given(one) || call.more_placed);
    let names = takes.named.iter().all(is_given);
    match (places && names, call.more_placed || call.more_named) {
        (true, false) => Taken::Yes,
        (false, false) => Taken::No,
        (_, true) => Taken::Unknown,
    }
}

fn counted(language: &str, list: &[String], call: &Call) -> Taken {
    let is_self = |parameter: &String| {
        let last = parameter.split([' ', ':']).next_back().unwrap_or_default();
        language == "rust"
            && (last.trim_start_matches('&') == "self"
                || parameter.ends_with("Self")
                || parameter.contains("Self>"))
    };
    let own = usize::from(list.first().is_some_and(is_self) && !call.is_of_type);
    let list = &list[own..];
    let list = if list == ["void"] { &[] } else { list };
    let is_rest =
        |one: &String| one.contains("...") || one.starts_with("vararg ") || one.starts_with("params ");
    let least = list.iter().filter(|one| !may_be_left_out(one) && !is_rest(one)).count();
    let is_open = list.iter().any(is_rest);
    match () {
        () if call.placed > list.len() && !is_open => Taken::No,
        () if call.more_placed || call.more_named => Taken::Unknown,
        () if call.placed < least => Taken::No,
        () => Taken::Yes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(language: &str, signature: &str, line: &str) -> Vec<Taken> {
        let calls = calls(language, line, 1, "f");
        calls.iter().map(|call| takes(language, "f", signature, call)).collect()
    }

    #[test]
    fn what_stands_for_any_number_takes_none_as_well() {
        for (language, signature) in [
            ("typescript", "function f(a: string, ...rest: any[]): void"),
            ("java", "void f(String a, Object... rest)"),
            ("go", "func f(a string, rest ...any)"),
        ] {
            assert_eq!(taken(language, signature, "f(1)"), [Taken::Yes], "{language}");
            assert_eq!(taken(language, signature, "f(1, 2, 3)"), [Taken::Yes], "{language}");
        }
        let default = "function f(a: A, options: B & { then?: (c: C) => void } = {}): D";
        assert_eq!(taken("typescript", default, "f(1)"), [Taken::Yes]);
    }

    #[test]
    fn what_makes_a_value_is_given_its_class() {
        let taken = |line: &str| {
            let calls = calls("python", line, 1, "__new__");
            takes("python", "__new__", "def __new__(cls, name, bases)", &calls[0])
        };
        assert_eq!(taken("super().__new__(cls, name, bases)"), Taken::Yes);
        assert_eq!(taken("Meta.__new__(Meta, name, bases)"), Taken::Yes);
        assert_eq!(taken("super().__new__(cls, name)"), Taken::No);
    }

    #[test]
    fn types_that_are_written_at_a_call_are_no_arguments() {
        let placed = |language: &str, line: &str| {
            calls(language, line, 1, "gen").iter().map(|call| call.placed).collect::<Vec<_>>()
        };
        assert_eq!(placed("go", "return gen[map[string]int](1, 2)"), [2]);
        assert_eq!(placed("java", "new gen<>(1, 2); A.<Integer>gen(1)"), [2, 1]);
        assert_eq!(placed("rust", "gen::<Vec<u32>>(1)"), [1]);
        assert_eq!(placed("typescript", "gen<(a: A) => B, C>(1, 2)"), [2]);
        assert_eq!(placed("cpp", "gen<int>(1)"), [1]);
        assert_eq!(placed("go", "x := gen[1]"), [0; 0]);
        assert_eq!(placed("typescript", "if (gen < (1)) {}"), [0; 0]);
    }

    #[test]
    fn a_call_fits_by_its_places_and_names() {
        use Taken::{No, Unknown, Yes};
        for (language, signature, line, fits) in [
            ("python", "def f(self, url, *, follow=1)", "x.f(url, follow=2)", Yes),
            ("python", "def f(self, url, **more)", "x.f(url, follow=2)", Yes),
            ("python", "def f(self, url)", "x.f(url, follow=2)", No),
            ("python", "def f(self, url)", "x.f(url, **more)", Unknown),
            ("python", "def f(self, url)", "x.f(*urls)", Unknown),
            ("python", "def f(self, url)", "A.f(x, url)", Yes),
            ("python", "def f(cls, value)", "Code.f(value)", Yes),
            ("python", "def f(cls, value)", "Code.f()", No),
            ("python", "def f(cls, value)", "x = [y for y in f(z, 1)]", Yes),
            ("python", "def f(cls)", "f(z)", Yes),
            ("python", "def f(text, safe)", "f(a[1, 2], # don't\n  safe='(')", Yes),
            ("python", "def f(text, safe)", "f(\n  a,  # one\n  # two\n  b,  # three\n)", Yes),
            ("python", "def f(text, safe)", "f(a == b)", No),
            ("python", "def f(a, /, b=1)", "f(1, 2, 3)", No),
            ("rust", "fn f(&self, a: u8)", "x.f(|a, b| a + b)", Yes),
            ("rust", "fn f(&self, a: u8)", "T::f(&x, 'a')", Yes),
            // A value of a type that has only one.
            ("rust", "fn f(&self, a: u8)", "Hidden.f('a')", Yes),
            ("rust", "fn f(&self, a: u8, b: u8)", "x.f::<u8>(m::<A, B>())", No),
            ("go", "func f(a, b int, more ...string)", "f(1, 2)", Yes),
            ("go", "func f(a, b int)", "f(g())", Unknown),
            ("go", "func f(a, b int)", "f(1)", No),
            ("go", "func f(a, b int)", "f(g(), 1, 2)", No),
            ("typescript", "function f(a: A, b?: B)", "f(...all)", Unknown),
            ("typescript", "function f(a: A, b?: B)", "f((a, b) => a)", Yes),
            ("java", "void f(int a, String... more)", "f(1, \"a, b\", c)", Yes),
        ] {
            assert_eq!(taken(language, signature, line), [fits], "{signature}: {line}");
        }
        assert_eq!(taken("python", "def f(a)", "def f(a): pass"), []);
        let shifted = |before, now, line| {
            let calls = calls("python", line, 1, "f");
            calls.iter().any(|call| shifts("python", "f", [before, now], call))
        };
        assert!(shifted("def f(a, b)", "def f(b, a)", "f(1, 2)"));
        assert!(!shifted("def f(a, b)", "def f(b, a)", "f(a=1, b=2)"));
        assert!(!shifted("def f(a, b)", "def f(a, c)", "f(1, 2)"));
        assert!(shifted("def f(self, a, b=1)", "def f(self, x, a=1, b=1)", "x.f(1)"));
    }
}
