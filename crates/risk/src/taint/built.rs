//! Built: SQL that is put together under a name first, and run by that name further down in the same function.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

/// A text from pieces, by language: after the sign that gives it to a name.
const PIECES: &[(&[&str], &str)] = &[
    (&["python"], r#"^(?:f["']|f?["'][^"']*["']\s*(?:%|\+|\.format\())"#),
    (super::JS, r#"^(?:`[^`]*\$\{|["'][^"']*["']\s*\+)"#),
    (&["go"], r#"^(?:fmt\.Sprintf\(|"[^"]*"\s*\+)"#),
    (&["java"], r#"^(?:String\.format\(|"[^"]*"\s*\+)"#),
];
/// Who runs SQL, by language: up to the bracket.
const RUNS: &[(&[&str], &str)] = &[
    (&["python"], r"\.(?:execute|executemany|executescript|raw)\("),
    (super::JS, r"\.(?:query|execute|raw)\("),
    (&["go"], r"\.(?:Query|QueryRow|Exec)(?:Context)?\("),
    (&["java"], r"\.(?:execute|executeQuery|executeUpdate|prepareStatement)\("),
];
/// Arguments among which the SQL stands: a context may come before it.
const FIRST: usize = 2;

struct Patterns {
    gives: Regex,
    pieces: Vec<(&'static [&'static str], Regex)>,
    runs: Vec<(&'static [&'static str], Regex)>,
}

static ALL: LazyLock<Patterns> = LazyLock::new(|| {
    let regex = |text: &str| Regex::new(text).expect("tested");
    let each = |list: &[(&'static [&'static str], &str)]| {
        list.iter().map(|&(languages, text)| (languages, regex(text))).collect()
    };
    Patterns {
        gives: regex(r"(?:^|[\s(])(\w+)\s*(\+|:)?=\s*([^=\s].*)$"),
        pieces: each(PIECES),
        runs: each(RUNS),
    }
});

/// Names that hold such a text, line by line.
pub(super) struct Built {
    pieces: Option<&'static Regex>,
    runs: Option<&'static Regex>,
    names: BTreeSet<String>,
}

impl Built {
    pub fn of(language: &str) -> Self {
        let of = |list: &'static [(&'static [&'static str], Regex)]| {
            list.iter().find(|(languages, _)| languages.contains(&language)).map(|(_, regex)| regex)
        };
        Self { pieces: of(&ALL.pieces), runs: of(&ALL.runs), names: BTreeSet::new() }
    }

    /// The name of what runs such a text by its name on a line. What it gives to a name is kept for the lines after it.
    pub fn runs(&mut self, code: &str) -> Option<String> {
        let (Some(pieces), Some(runs)) = (self.pieces, self.runs) else { return None };
        let run = runs.find_iter(code).find(|call| {
            let arguments = code[call.end()..].split([',', ')']).take(FIRST);
            arguments.map(str::trim).any(|argument| self.names.contains(argument))
        });
        let run = run.map(|call| super::last_name(call.as_str()).to_owned());
        if let Some(given) = ALL.gives.captures(code) {
            let (name, adds, value) =
                (&given[1], given.get(2).is_some_and(|by| by.as_str() == "+"), &given[3]);
            // What is added to a text makes it one from pieces, unless it is plain itself.
            let is_plain = value.trim_end_matches([';', ' ']).ends_with(['"', '\''])
                && value.starts_with(['"', '\''])
                && !pieces.is_match(value);
            if pieces.is_match(value) || adds && !is_plain {
                self.names.insert(name.to_owned());
            } else if !adds {
                self.names.remove(name);
            }
        }
        run
    }
}
