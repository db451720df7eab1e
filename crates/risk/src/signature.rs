//! Signature: whether those who call something as it was can still call it as it is.

mod call;
mod list;
mod shown;

pub use call::{Call, Taken, calls, shifts, takes};
pub use list::result;
pub use shown::shown;

use list::parameters;

/// How far calls go on working.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fit {
    /// The same parameters; something around them differs, such as what is returned.
    Same,
    /// Only parameters that may be left out came to the end.
    Widened,
    /// Some are called otherwise: a call that gives them by name no longer fits. These are the earlier names.
    Renamed(Vec<String>),
    /// A call may no longer fit.
    Broken,
}

/// Compares two signatures of a callable of a language as they are written.
pub fn fit(language: &str, name: &str, before: &str, now: &str) -> Fit {
    let (Some(old), Some(new)) = (parameters(before, name), parameters(now, name)) else {
        return if before == now { Fit::Same } else { Fit::Broken };
    };
    let seen = |list: Vec<String>| -> Vec<String> {
        list.iter().map(|parameter| seen_by_callers(language, parameter)).collect()
    };
    let (old, new) = match language {
        "go" => (of_go(&old), of_go(&new)),
        _ => (seen(old), seen(new)),
    };
    if old == new {
        return Fit::Same;
    }
    if language == "python" {
        let (was, now) = (Python::of(&old), Python::of(&new));
        if now.takes_calls_of(&was) {
            return Fit::Widened;
        }
        let (renamed, names) = was.named_like(&now);
        return match !names.is_empty() && now.takes_calls_of(&renamed) {
            true => Fit::Renamed(names),
            false => Fit::Broken,
        };
    }
    // What had to be given may still be given.
    let stays = |(was, now): (&String, &String)| {
        was == now || now.trim_start_matches('?').trim_end_matches('=') == was.as_str()
    };
    let is_as_long = new.len() >= old.len() && old.iter().zip(&new).all(stays);
    match is_as_long && new[old.len()..].iter().all(|parameter| may_be_left_out(parameter)) {
        true => Fit::Widened,
        false => Fit::Broken,
    }
}

/// Whether what stays is declared as it was. A call that fits may still mean something else where a type or a default is
/// another, or where something else is given back.
pub fn keeps(language: &str, name: &str, before: &str, now: &str) -> bool {
    let (Some(old), Some(new)) = (list::parted(before, name), list::parted(now, name)) else {
        return before == now;
    };
    let stays = |was: &String| {
        let (declared, default) = declared(was);
        let same = new.parameters.iter().find(|now| named(language, now) == named(language, was));
        // What may be left out now had to be given.
        same.is_none_or(|now| {
            now == was || default.is_none() && self::declared(now).0.replace('?', "") == declared
        })
    };
    (&old.before, &old.behind) == (&new.before, &new.behind) && old.parameters.iter().all(stays)
}

/// A parameter without its default, and the default.
fn declared(parameter: &str) -> (&str, Option<&str>) {
    // The head of an arrow in a type gives nothing.
    let gives = |&(at, _): &(usize, &str)| {
        !parameter[at + 1..].starts_with(['>', '=']) && !parameter[..at].ends_with(['=', '!', '<', '>'])
    };
    match parameter.match_indices('=').find(gives) {
        Some((at, _)) => (parameter[..at].trim_end(), Some(parameter[at + 1..].trim())),
        None => (parameter, None),
    }
}

/// What a parameter is called.
fn named<'p>(language: &str, parameter: &'p str) -> &'p str {
    let declared = declared(parameter).0;
    match language {
        "java" | "c" | "cpp" | "csharp" | "php" => {
            declared.rsplit([' ', '*', '&']).next().unwrap_or(declared)
        }
        "go" => declared.split(' ').next().unwrap_or(declared),
        _ => declared.split(':').next().unwrap_or(declared).trim().trim_end_matches('?'),
    }
}

/// How many parameters a signature has.
pub fn count(signature: &str, name: &str) -> Option<usize> {
    parameters(signature, name).map(|list| list.len())
}

/// How many of them have to be given.
pub fn least(language: &str, signature: &str, name: &str) -> Option<usize> {
    let list = parameters(signature, name)?;
    let seen = list.iter().map(|parameter| seen_by_callers(language, parameter));
    Some(seen.filter(|parameter| !may_be_left_out(parameter)).count())
}

/// Whether the parameters of one signature are the first ones of another, as far as calls see them.
pub fn is_beginning(language: &str, name: &str, one: &str, other: &str) -> bool {
    let seen = |text: &str| -> Option<Vec<String>> {
        let list = parameters(text, name)?;
        Some(list.iter().map(|parameter| seen_by_callers(language, parameter)).collect())
    };
    seen(one).zip(seen(other)).is_some_and(|(one, other)| other.starts_with(&one))
}

/// What calls of a Python function can give it.
#[derive(Clone, Default)]
struct Python<'a> {
    /// By place or by name, and whether each may be left out.
    placed: Vec<(&'a str, bool)>,
    /// By name alone.
    named: Vec<(&'a str, bool)>,
    more_placed: bool,
    more_named: bool,
}

impl<'a> Python<'a> {
    fn of(parameters: &'a [String]) -> Self {
        let mut found = Self::default();
        let mut only_named = false;
        for parameter in parameters.iter().map(String::as_str) {
            match parameter {
                "/" => {}
                "*" => only_named = true,
                _ if parameter.starts_with("**") => found.more_named = true,
                _ if parameter.starts_with('*') => {
                    found.more_placed = true;
                    only_named = true;
                }
                _ => {
                    let one = (parameter.trim_end_matches('='), parameter.ends_with('='));
                    if only_named { found.named.push(one) } else { found.placed.push(one) }
                }
            }
        }
        found
    }

    /// The same with the names that the other has in their places, and those that it does not have any more. What only changed
    /// places is another parameter there.
    fn named_like(&self, other: &Self) -> (Self, Vec<String>) {
        let has = |of: &Self, name: &str| of.placed.iter().chain(&of.named).any(|one| one.0 == name);
        let (mut renamed, mut names) = (self.clone(), Vec::new());
        for (was, now) in renamed.placed.iter_mut().zip(&other.placed) {
            if was.0 != now.0 && !has(other, was.0) && !has(self, now.0) {
                names.push(was.0.to_owned());
                was.0 = now.0;
            }
        }
        (renamed, names)
    }

    /// Whether every call that fitted the other fits this.
    fn takes_calls_of(&self, old: &Self) -> bool {
        let stays = |(was, now): (&(&str, bool), &(&str, bool))| was.0 == now.0 && (now.1 || !was.1);
        let keeps_places =
            self.placed.len() >= old.placed.len() && old.placed.iter().zip(&self.placed).all(stays);
        let new_places = self.placed.iter().skip(old.placed.len());
        let keeps_rest = (self.more_placed || !old.more_placed)
            && (self.more_named || !old.more_named)
            // What came after the places would be taken for the new ones.
            && (!old.more_placed || self.placed.len() == old.placed.len());
        let is_known =
            |(name, _): &(&str, bool)| old.named.iter().chain(&old.placed).any(|(was, _)| was == name);
        let new_names_may_be_left_out = self.named.iter().all(|one| one.1 || is_known(one));
        let keeps_names = old.named.iter().all(|was| {
            let now = self.named.iter().chain(&self.placed).find(|now| now.0 == was.0);
            now.map_or(self.more_named, |now| now.1 || !was.1)
        });
        keeps_places
            && new_places.clone().all(|one| one.1 || old.named.iter().any(|was| was.0 == one.0 && !was.1))
            && keeps_rest
            && new_names_may_be_left_out
            && keeps_names
    }
}

/// What of a parameter matters to a call: names where there are no types or calls may use them, else types; of a default that it is
/// there.
fn seen_by_callers(language: &str, parameter: &str) -> String {
    let (declared, default) = declared(parameter);
    let default = if default.is_some() { "=" } else { "" };
    let name = || declared.split(':').next().unwrap_or_default().trim();
    let kept = match language {
        "python" | "ruby" => name().to_owned(),
        // Nobody says the name; what is taken apart may be given.
        "javascript" if declared.starts_with(['{', '[', '.']) => declared.to_owned(),
        "javascript" => "_".to_owned(),
        "rust" => declared.split_once(':').map_or(declared, |(_, kind)| kind.trim()).to_owned(),
        "typescript" | "tsx" => {
            // As many as are given, or one that need not be.
            let mark = match name() {
                name if name.starts_with("...") => "...",
                name if name.ends_with('?') => "?",
                _ => "",
            };
            declared.split_once(':').map_or(declared.to_owned(), |(_, kind)| format!("{mark}{}", kind.trim()))
        }
        "java" | "c" | "cpp" | "csharp" => match declared.rsplit_once(' ') {
            Some((kind, name)) => {
                format!("{kind}{}", name.trim_start_matches(|c: char| c != '*' && c != '&'))
            }
            None => declared.to_owned(),
        },
        _ => declared.to_owned(),
    };
    format!("{kept}{default}")
}

/// What calls see of parameters of Go: their types. Nobody says the names, and several may share one type.
fn of_go(list: &[String]) -> Vec<String> {
    let is_word = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
    let typed = |one: &str| {
        let (name, kind) = one.split_once(' ')?;
        (is_word(name) && name != "chan").then(|| kind.trim().to_owned())
    };
    if !list.iter().any(|one| typed(one).is_some()) {
        return list.to_vec();
    }
    let mut found: Vec<String> = Vec::new();
    for one in list.iter().rev() {
        let kind = typed(one).or_else(|| found.last().cloned()).unwrap_or_else(|| one.clone());
        found.push(kind);
    }
    found.reverse();
    found
}

/// A default, a question mark, a rest, or the mark after which only named ones come.
fn may_be_left_out(parameter: &str) -> bool {
    parameter.ends_with('=') || parameter.starts_with(['?', '*']) || parameter.contains("...")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_fit_as_long_as_only_what_may_be_left_out_was_added() {
        let renamed = |name: &str| Fit::Renamed(vec![name.to_owned()]);
        for (language, before, now, fits) in [
            ("python", "def f(a, b)", "def f(a, b: str) -> int", Fit::Same),
            ("python", "def f(a)", "def f(a, *, b=1, c: int = 2)", Fit::Widened),
            ("python", "def f(a)", "def f(a, b)", Fit::Broken),
            ("python", "def f(a, b=1)", "def f(a)", Fit::Broken),
            ("python", "def f(a, b=1)", "def f(a, c=1)", renamed("b")),
            ("python", "def f(self, a)", "def f(self, b, c=1)", renamed("a")),
            ("python", "def f(a, b)", "def f(b, a)", Fit::Broken),
            ("python", "def f(a, b)", "def f(c)", Fit::Broken),
            ("python", "def f(a, *, b)", "def f(a, *, c)", Fit::Broken),
            ("python", "def f(a, b=1)", "def f(a, b=2)", Fit::Same),
            ("python", "def f(a, **more)", "def f(a, b=None, **more)", Fit::Widened),
            ("python", "def f(a, **more)", "def f(a, b, **more)", Fit::Broken),
            ("python", "def f(a, *rest)", "def f(a, b=None, *rest)", Fit::Broken),
            ("python", "def f(a, *, b)", "def f(a, *, b=1, c=2)", Fit::Widened),
            ("python", "def f(a, *, b)", "def f(a, **more)", Fit::Widened),
            ("python", "def f(a, *, b=1)", "def f(a, *, b)", Fit::Broken),
            ("python", "def f(a, **more)", "def f(a)", Fit::Broken),
            ("rust", "fn f(a: Vec<(u8, u8)>) -> u8", "fn f(b: Vec<(u8, u8)>) -> u16", Fit::Same),
            ("rust", "fn f(a: u8)", "fn f(a: u16)", Fit::Broken),
            ("rust", "fn f(go: impl Fn(u8) -> u8, b: u8)", "fn f(go: impl Fn(u8) -> u8)", Fit::Broken),
            ("typescript", "function f(a: A)", "function f(a: A, b?: B)", Fit::Widened),
            ("typescript", "function f(a: A)", "function f(a: A, b: B)", Fit::Broken),
            ("go", "func (s *S) F(a int) error", "func (s *S) F(a int, more ...int) error", Fit::Widened),
            ("go", "func (s *S) F(a int) error", "func (t *S) F(a int) error", Fit::Same),
            ("go", "func F(a, b int, c string) error", "func F(x int, y int, z string) error", Fit::Same),
            ("go", "func F(a, b int)", "func F(a, b string)", Fit::Broken),
            ("go", "func F(int, func(a A) B)", "func F(x int, f func(a A) B)", Fit::Same),
            ("go", "func F(a chan int)", "func F(chan int)", Fit::Same),
            ("typescript", "function f(a: A, b: B)", "function f(a: A, b?: B)", Fit::Widened),
            ("typescript", "function f(a: A, b: B)", "function f(a: A, b: B = c, d = 1)", Fit::Widened),
            ("typescript", "function f(a: A, b?: B)", "function f(a: A, b: B)", Fit::Broken),
            ("java", "void f(int a, List<A> b)", "void f(int x, List<A> y)", Fit::Same),
            ("java", "void f(int a)", "void f(long a)", Fit::Broken),
            ("java", "void f(int a)", "void f(final int a)", Fit::Same),
            ("rust", "struct A", "struct A", Fit::Same),
            ("rust", "fn f(a: u8)", "pub(crate) fn f(a: u8)", Fit::Same),
            ("rust", "fn f<F: Fn(u8)>(a: F)", "pub(in crate::a) fn f<F: Fn(u8)>(b: F)", Fit::Same),
            ("rust", "fn f<F: Fn(u8)>(a: F)", "fn f<F: Fn(u8)>(a: F, b: u8)", Fit::Broken),
            ("java", "@A(\"x\") void f(int a)", "@A(\"y\") void f(int b)", Fit::Same),
            ("javascript", "function f(a, b)", "function f(c, d)", Fit::Same),
            ("python", "def f(verify: A | str = 1)", "def f(verify: A = 1)", Fit::Same),
        ] {
            let name = if language == "rust" && before.starts_with("struct") { "A" } else { "f" };
            let name = if language == "go" { "F" } else { name };
            assert_eq!(fit(language, name, before, now), fits, "{before} -> {now}");
        }
    }

    #[test]
    fn a_call_means_the_same_where_types_defaults_and_results_stay() {
        for (language, before, now, kept) in [
            ("python", "def f(a, b=1)", "def f(a, b=1, c=2)", true),
            ("python", "def f(a, b)", "def f(a, b=1)", true),
            ("python", "def f(a, b=1)", "def f(a)", true),
            ("python", "def f(a, b=1)", "def f(a, b=2)", false),
            ("python", "def f(a: int)", "def f(a: str)", false),
            ("python", "def f(a) -> int", "def f(a) -> str", false),
            ("python", "def f(a)", "async def f(a)", false),
            ("typescript", "function f(a: A, b: B)", "function f(a: A, b?: B)", true),
            ("typescript", "function f(a: A, b = 1)", "function f(a: A, b = 2)", false),
            ("cpp", "int f(int a, int b = 1)", "int f(int a, int b = 2)", false),
            ("go", "func f(a int)", "func f(a int, more ...int)", true),
            ("java", "int f(int a)", "int f(final int a)", true),
            ("java", "public int f(int a)", "private int f(int a)", false),
            ("typescript", "function f(a: A): B", "const f = (a: A): B =>", true),
            ("typescript", "function f(a: A): B", "const f = async (a: A): B =>", false),
        ] {
            assert_eq!(keeps(language, "f", before, now), kept, "{before} -> {now}");
        }
    }
}
