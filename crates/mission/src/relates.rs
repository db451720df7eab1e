//! Relates: what a sentence says that one thing calls, imports or uses, and whether a line of code does that.

use crate::denial::{ENDS, FILLERS, NOT, is_condition, stem};
use crate::named::{Names, named_in};
use crate::needs::is_document;
use crate::syntax::{Spoken, is_comment, is_import, spoken, takes_words_for_calls};
use crate::uses::{Use, uses_in};

/// What a sentence says to be done with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    Calls,
    Imports,
    Uses,
}

/// A name as a sentence writes it: of `certifi.where()` the word is `where`, and it is of `certifi`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    pub word: String,
    pub of: Option<String>,
    /// Whether it is written as only names are: in backticks, with dots, brackets, an underscore or a hump.
    pub is_sure: bool,
}

/// That one thing does something with another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Relation {
    pub deed: Deed,
    /// Nothing where it does it with itself.
    pub object: Option<Written>,
    /// What the sentence says of who does it.
    pub subject: String,
}

/// Words behind a verb that are no name.
const NO_NAME: [&str; 27] = [
    "every", "each", "all", "both", "either", "some", "many", "it", "them", "one", "others", "other", "this",
    "these", "those", "back", "out", "off", "into", "only", "just", "also", "then", "again", "first", "once",
    "twice",
];
/// Words that end a name behind a verb, beside those that end whatever is denied.
const BEHIND: [&str; 24] = [
    "with", "without", "once", "twice", "again", "first", "then", "while", "until", "unless", "where",
    "instead", "itself", "as", "since", "inside", "within", "during", "via", "through", "per", "into",
    "only", "too",
];
/// What kind of thing a name is, said behind it.
const KINDS: [&str; 8] =
    ["function", "functions", "method", "methods", "class", "macro", "module", "package"];
/// Who says something says it of a text.
const SAYS: [&str; 8] = ["says", "say", "said", "claims", "documents", "documented", "mentions", "according"];

/// What a sentence says to be called, imported or used, and does not deny. A plain word is a name where it is known as one, or
/// stands alone behind the verb.
pub(crate) fn relations_in(claim: &str, is_known: &dyn Fn(&str) -> bool, names: Names<'_>) -> Vec<Relation> {
    let raw: Vec<&str> = claim.split_whitespace().filter(|word| !bare(word).is_empty()).collect();
    let lower: Vec<String> = raw.iter().map(|word| bare(word).to_lowercase()).collect();
    let at = |place: usize| lower.get(place).map_or("", String::as_str);
    let mut found = Vec::new();
    for place in 1..raw.len() {
        let deed = match at(place) {
            "calls" | "invokes" => Deed::Calls,
            "imports" => Deed::Imports,
            "uses" => Deed::Uses,
            "called" | "invoked" | "imported" | "used" if place > 1 => {
                let is_said = ["is", "are", "gets", "get"].contains(&at(place - 1));
                let is_done = ["by", "in", "from"].contains(&at(place + 1));
                let deed = match at(place) {
                    "imported" => Deed::Imports,
                    "used" => Deed::Uses,
                    _ => Deed::Calls,
                };
                let object = written(raw[place - 2], names)
                    .filter(|name| name.is_sure || deed != Deed::Uses && is_known(&name.word));
                if let Some(object) = object.filter(|_| is_said && is_done && is_held(&raw, &lower, place)) {
                    let subject = part_behind(&raw, place + 2);
                    found.push(Relation { deed, object: Some(object), subject });
                }
                continue;
            }
            _ => continue,
        };
        if raw[place].contains('`') || !is_held(&raw, &lower, place) {
            continue;
        }
        let subject = part_before(&raw, place);
        let mut next = place + 1;
        while FILLERS.contains(&at(next)) && !is_cut(&raw, next) {
            next += 1;
        }
        if next >= raw.len() || is_cut(&raw, place + 1) || NOT.contains(&at(next)) {
            continue;
        }
        if at(next) == "itself" {
            if deed == Deed::Calls {
                found.push(Relation { deed, object: None, subject });
            }
            continue;
        }
        while let Some(object) = raw.get(next).and_then(|word| written(word, names)) {
            let is_first = next == place + 1;
            let is_last = ends_a_name(&raw, &lower, next);
            let is_name = || is_known(&object.word) || is_first && !NO_NAME.contains(&at(next));
            let is_plain = deed != Deed::Uses && is_last && !at(next).ends_with("ly") && is_name();
            if !object.is_sure && !is_plain {
                break;
            }
            let goes_on = raw[next].ends_with(',') || ["and", "or"].contains(&at(next + 1));
            found.push(Relation { deed, object: Some(object), subject: subject.clone() });
            next += if ["and", "or"].contains(&at(next + 1)) { 2 } else { 1 };
            // What else it does, is none of the names: `calls drain and stops`.
            if !goes_on
                || !raw.get(next).is_some_and(|word| written(word, names).is_some_and(|one| one.is_sure))
            {
                break;
            }
        }
    }
    found
}

/// A word without the marks around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '_')
}

fn is_cut(raw: &[&str], place: usize) -> bool {
    place.checked_sub(1).is_some_and(|before| raw[before].ends_with([',', ';', ':', '.']))
}

/// Whether what a verb says is said to be so, and neither denied nor a condition nor somebody else's word.
fn is_held(raw: &[&str], lower: &[String], verb: usize) -> bool {
    let begin = (0..verb).rev().find(|at| raw[*at].ends_with([';', '.'])).map_or(0, |at| at + 1);
    let part = (begin..verb).rev().find(|at| raw[*at].ends_with(',')).map_or(begin, |at| at + 1);
    let is_nobody = |word: &String| {
        ["no", "nothing", "nobody", "none", "neither", "nor"].contains(&word.as_str())
            || SAYS.contains(&word.as_str())
    };
    let is_not = |word: &String| NOT.contains(&word.as_str()) || word.ends_with("n't");
    !lower[begin..verb].iter().any(is_nobody)
        && !lower[part..verb].iter().any(is_not)
        && !is_condition(raw, verb)
}

/// The part of a sentence that ends before a place.
fn part_before(raw: &[&str], place: usize) -> String {
    let begin = (0..place).rev().find(|at| raw[*at].ends_with([';', '.'])).map_or(0, |at| at + 1);
    raw[begin..place].join(" ")
}

/// The part that begins with it.
fn part_behind(raw: &[&str], place: usize) -> String {
    let end =
        (place..raw.len()).find(|at| raw[*at].ends_with([',', ';', '.'])).map_or(raw.len(), |at| at + 1);
    raw[place..end].join(" ")
}

/// Whether a plain word is the last of what a verb is about: of `calls registered handlers` the first is none.
fn ends_a_name(raw: &[&str], lower: &[String], place: usize) -> bool {
    let Some(next) = lower.get(place + 1).map(String::as_str) else { return true };
    is_cut(raw, place + 1)
        || ENDS.contains(&next)
        || BEHIND.contains(&next)
        || KINDS.contains(&next)
        || next.ends_with("ly")
}

/// Whether a plain word behind a verb is all that the verb is about, and may be a name.
pub(crate) fn stands_alone(raw: &[&str], lower: &[String], place: usize) -> bool {
    let Some(word) = lower.get(place).map(String::as_str) else { return false };
    let is_word = word.chars().count() > 2 && word.chars().all(|letter| letter.is_alphanumeric());
    is_word && !NO_NAME.contains(&word) && !word.ends_with("ly") && ends_a_name(raw, lower, place)
}

/// The name that a word of a sentence writes, if it is no file.
pub(crate) fn written(raw: &str, names: Names<'_>) -> Option<Written> {
    let is_quoted = raw.contains('`');
    let inner = raw.trim_start_matches(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let end = inner.find(['(', '<', '[', '\'', '`', '{', '=']).unwrap_or(inner.len());
    let is_called = inner[end..].starts_with('(');
    // Several words in backticks are no name.
    if is_quoted && !is_called && raw.matches('`').count() == 1 && inner == raw.trim_start_matches('`') {
        return None;
    }
    let inner = inner[..end].trim_end_matches(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let parts: Vec<&str> = inner.split(['.', ':', '#', '/']).filter(|part| !part.is_empty()).collect();
    let is_name = |part: &&str| {
        part.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
            && part.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    let last = *parts.last()?;
    if !parts.iter().all(is_name) || !named_in(raw, names).is_empty() {
        return None;
    }
    let has_hump = last.chars().skip(1).any(char::is_uppercase) && last.chars().any(char::is_lowercase);
    let is_sure = is_quoted || is_called || parts.len() > 1 || last.contains('_') || has_hump;
    let of = parts.len().checked_sub(2).map(|at| parts[at].to_owned());
    Some(Written { word: last.to_owned(), of, is_sure })
}

/// A file's text, with what is needed to know what a line of it does.
pub(crate) struct Code<'t> {
    path: &'t str,
    pub lines: Vec<&'t str>,
    /// Which lines import, those of a list in brackets, too.
    imports: Vec<bool>,
    /// Which lines are within a text or a comment that began above them.
    texts: Vec<bool>,
}

impl<'t> Code<'t> {
    pub fn of(path: &'t str, text: &'t str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let texts = texts_in(path, &lines);
        let mut imports = Vec::with_capacity(lines.len());
        let mut depth = 0_i32;
        for (line, is_text) in lines.iter().zip(&texts) {
            let begins = depth == 0 && !is_text && is_import(line, false);
            imports.push(begins || depth > 0);
            if begins || depth > 0 {
                let count = |marks: [char; 2]| line.matches(marks).count() as i32;
                depth = (depth + count(['(', '{']) - count([')', '}'])).max(0);
            }
        }
        Self { path, lines, imports, texts }
    }

    /// Whether a line, counted from one, only speaks of code: it is within a text of several lines, or a long comment.
    pub fn is_text(&self, number: u64) -> bool {
        let at = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        at.and_then(|at| self.texts.get(at)).copied().unwrap_or(false)
    }

    /// Whether a line, counted from one, does something with a name.
    pub fn does(&self, number: u64, deed: Deed, name: &Written, is_known: &dyn Fn(&str) -> bool) -> bool {
        let Some(at) = usize::try_from(number).ok().and_then(|number| number.checked_sub(1)) else {
            return false;
        };
        let Some(line) = self.lines.get(at) else { return false };
        if takes_words_for_calls(self.path) || is_document(self.path) {
            return crate::grounds::has_word(line, &name.word);
        }
        if self.is_text(number) {
            return false;
        }
        match deed {
            Deed::Imports => self.imports[at] && self.imports_it(line, name),
            Deed::Uses => {
                let is_use = |(_, one): (usize, Use)| !matches!(one, Use::Defines);
                !is_comment(self.path, line) && uses_in(self.path, line, &name.word).any(is_use)
            }
            Deed::Calls if self.imports[at] => false,
            Deed::Calls => {
                let mut uses = uses_in(self.path, line, &name.word);
                uses.any(|(place, one)| one == Use::Calls && self.is_of(line, place, name, is_known))
                    || !name.is_sure && !is_known(&name.word) && self.calls_like(line, &name.word)
            }
        }
    }

    fn imports_it(&self, line: &str, name: &Written) -> bool {
        let has = |word: &str| crate::grounds::has_word(line, word);
        let is_near =
            || ["from .", "./", "crate::", "super::", "self::"].iter().any(|mark| line.contains(mark));
        has(&name.word) && name.of.as_ref().is_none_or(|of| has(of) || is_near() || !line.contains("from "))
    }

    /// Whether what a name is called on may be what the sentence names before it.
    fn is_of(&self, line: &str, at: usize, name: &Written, is_known: &dyn Fn(&str) -> bool) -> bool {
        let Some(of) = &name.of else { return true };
        let before = line[..at].trim_end();
        let owner = ["::", "->", "?.", "."].iter().find_map(|mark| before.strip_suffix(mark));
        let is_imported = |words: &[&str]| {
            let own = self.lines.iter().zip(&self.imports).filter(|(_, is_import)| **is_import);
            own.map(|(line, _)| line)
                .any(|line| words.iter().all(|word| crate::grounds::has_word(line, word)))
        };
        let plain = |word: &str| word.trim_matches('_').to_lowercase();
        if is_known(of) {
            return true;
        }
        match owner {
            None => is_imported(&[of]) || self.path.split(['/', '.']).any(|part| part == of),
            // What is computed may be anything.
            Some(owner) if owner.ends_with([')', ']', '>']) => true,
            Some(owner) => {
                let start = owner.rfind(|letter: char| !letter.is_alphanumeric() && letter != '_');
                let owner = &owner[start.map_or(0, |start| start + 1)..];
                plain(owner) == plain(of) || is_imported(&[of, owner])
            }
        }
    }

    /// Whether a line calls something whose name has a plain word in it: `calls the hooks`, of `hook(data)`.
    fn calls_like(&self, line: &str, word: &str) -> bool {
        let wanted = stem(word);
        let is_kind = word.ends_with('s');
        names_in(line).any(|(at, name)| {
            let is_like = || parts_of(name).iter().any(|part| stem(part) == wanted);
            is_like()
                && spoken(self.path, &line[..at]) == Spoken::Code
                && uses_in(self.path, line, name)
                    .any(|(place, one)| place == at && (one == Use::Calls || is_kind && one == Use::Names))
        })
    }
}

/// Which lines are within a text or a comment that began on a line above.
fn texts_in(path: &str, lines: &[&str]) -> Vec<bool> {
    let marks: &[(&str, &str)] = if path.ends_with(".py") || path.ends_with(".pyi") {
        &[("\"\"\"", "\"\"\""), ("'''", "'''")]
    } else {
        &[("/*", "*/")]
    };
    let mut open: Option<&str> = None;
    let mut within = Vec::with_capacity(lines.len());
    for line in lines {
        within.push(open.is_some());
        let mut rest = *line;
        loop {
            let next = match open {
                Some(end) => rest.find(end).map(|at| (at + end.len(), None)),
                None => marks
                    .iter()
                    .filter_map(|(begin, end)| Some((rest.find(begin)?, begin.len(), *end)))
                    .filter(|(at, ..)| spoken(path, &rest[..*at]) == Spoken::Code)
                    .min()
                    .map(|(at, len, end)| (at + len, Some(end))),
            };
            let Some((at, now)) = next else { break };
            open = now;
            rest = &rest[at..];
        }
    }
    within
}

/// The names of a line, with their places.
pub(crate) fn names_in(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let starts = line.char_indices().filter(move |(at, letter)| {
        is_part(*letter) && !letter.is_ascii_digit() && !line[..*at].ends_with(is_part)
    });
    starts.map(move |(at, _)| {
        let end = line[at..].find(|letter| !is_part(letter)).map_or(line.len(), |end| at + end);
        (at, &line[at..end])
    })
}

/// The words of a name, in small letters: of `DumpRequest` dump and request.
pub(crate) fn parts_of(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut before = '_';
    for letter in name.chars() {
        let begins = letter.is_uppercase() && !before.is_uppercase();
        if (letter == '_' || begins) && parts.last().is_some_and(|part| !part.is_empty()) {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut().filter(|_| letter != '_') {
            part.extend(letter.to_lowercase());
        }
        before = letter;
    }
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(claim: &str) -> Vec<(Deed, String)> {
        let all = relations_in(claim, &|word| word == "drain", &|word| {
            if word.ends_with(".py") { vec![word.to_owned()] } else { Vec::new() }
        });
        let word = |one: Relation| one.object.map_or("itself".to_owned(), |object| object.word);
        all.into_iter().map(|one| (one.deed, word(one))).collect()
    }

    #[test]
    fn a_sentence_says_what_is_called_imported_and_used() {
        for (claim, deed, word) in [
            ("run calls drain", Deed::Calls, "drain"),
            ("run calls the drain function", Deed::Calls, "drain"),
            ("run calls `print()`", Deed::Calls, "print"),
            ("run calls print", Deed::Calls, "print"),
            ("run calls print twice", Deed::Calls, "print"),
            ("src/a.py imports numpy", Deed::Imports, "numpy"),
            ("certifi.where is called in run", Deed::Calls, "where"),
            ("run calls itself", Deed::Calls, "itself"),
            ("run uses the make_gadget", Deed::Uses, "make_gadget"),
            ("run never stops, and calls eval() without a check", Deed::Calls, "eval"),
        ] {
            assert_eq!(said(claim), [(deed, word.to_owned())], "{claim}");
        }
        let two = [(Deed::Calls, "drain".to_owned()), (Deed::Calls, "flush_all".to_owned())];
        assert_eq!(said("run calls drain and flush_all"), two);
        for claim in [
            "run never calls drain",
            "nobody calls drain",
            "run calls nothing",
            "run calls every hook of the list",
            "run calls registered handlers",
            "run calls back",
            "run uses recursion",
            "run breaks if it calls drain",
            "the README says that run calls drain",
            "run calls `pip install`",
            "both calls of it fail",
            "run imports src/b.py",
        ] {
            assert_eq!(said(claim), Vec::new(), "{claim}");
        }
    }

    #[test]
    fn a_line_calls_what_it_names_and_no_namesake() {
        let text = "import certifi\nfrom x import (\n    one,\n)\n\ndef run(verify):\n    # eval(x)\n    ctx = certifi.where()\n    v = os.environ.get('A')\n    hook(v)\n";
        let code = Code::of("a.py", text);
        let does = |number: u64, deed: Deed, raw: &str| {
            let name = written(raw, &|_| Vec::new()).unwrap();
            code.does(number, deed, &name, &|word| word == "Client")
        };
        assert!(does(8, Deed::Calls, "certifi.where()") && does(8, Deed::Calls, "where"));
        assert!(does(9, Deed::Calls, "environ.get") && does(9, Deed::Calls, "Client.get"));
        assert!(does(10, Deed::Calls, "hooks") && does(1, Deed::Imports, "certifi"));
        assert!(does(3, Deed::Imports, "one") && does(3, Deed::Imports, "x.one"));
        assert!(does(8, Deed::Uses, "certifi") && does(6, Deed::Uses, "verify"));
        for (line, deed, raw) in [
            (9, Deed::Calls, "requests.get"),
            (7, Deed::Calls, "eval()"),
            (6, Deed::Calls, "run"),
            (1, Deed::Calls, "certifi"),
            (8, Deed::Imports, "certifi"),
            (7, Deed::Uses, "`eval`"),
        ] {
            assert!(!does(line, deed, raw), "{line} {raw}");
        }
    }
}
