//! Universal: what a sentence says that a definition does always, or never. A line below a condition does not show the one, and a
//! line that does it speaks against the other.

use crate::code_words::{Kind as Word, code_words};
use crate::covered::{headers, quoted, within};
use crate::denial::{self, Kind, denied_in, says_not};
use crate::event::Event;
use crate::extent::has_name;
use crate::grounds::is_line_shown;
use crate::mode::Mode;
use crate::situation::Situation;
use crate::syntax::{DEFINES, is_comment};
use crate::uses::{Use, use_of};

/// How a sentence says that something is done whatever happens.
const ALWAYS: [&str; 14] = [
    "always",
    "invariably",
    "unconditionally",
    "in every case",
    "in all cases",
    "in any case",
    "every time",
    "each time",
    "on every call",
    "on each call",
    "no matter",
    "regardless of",
    "under all circumstances",
    "without exception",
];
/// Words that begin what is done only in a case.
const CASES: [&str; 16] = [
    "if", "else", "elif", "for", "while", "case", "switch", "match", "except", "catch", "select", "unless",
    "when", "until", "default", "loop",
];
/// Words that leave a function, or a turn of a loop.
const LEAVES: [&str; 8] = ["return", "raise", "throw", "break", "continue", "panic", "goto", "exit"];
/// Deeds that every code does, or that are held against it by what they are done to.
const COMMON: [&str; 22] = [
    "return", "rais", "throw", "call", "use", "us", "import", "defin", "contain", "have", "hav", "set",
    "make", "mak", "take", "tak", "give", "giv", "read", "ignor", "chang", "need",
];

/// Why a line does not show that something is done always: it is done there only in a case, or not if it was left before.
pub(crate) fn not_always(
    said: &str,
    cited: &[&Event],
    situation: &Situation<'_>,
    mode: Mode,
) -> Option<String> {
    let lower = said.to_lowercase();
    let always = ALWAYS.iter().find(|phrase| stands(&lower, phrase))?;
    // What is so in a case, the sentence says itself.
    let words = denial::words(said);
    if words
        .iter()
        .any(|word| ["if", "when", "whenever", "unless", "while", "after", "once"].contains(&word.as_str()))
    {
        return None;
    }
    let places = quoted(said, cited, situation, mode);
    let mut why = None;
    for place in &places {
        let Some(text) = (situation.text_of)(&place.path) else { continue };
        let lines: Vec<&str> = text.lines().collect();
        let around = within(said, place, cited, situation);
        match only_sometimes(&place.path, &lines, place.line, around.as_ref().map(|(_, first, _)| *first)) {
            Some(how) => {
                why.get_or_insert(format!(
                    "It says {always:?}, and {}:{} {how}: claim it of that case, or cite a run that shows it of all.",
                    place.path, place.line
                ));
            }
            None => return None,
        }
    }
    why
}

/// How a line is done only in a case, as far as what it stands in goes.
fn only_sometimes(path: &str, lines: &[&str], line: u64, first: Option<u64>) -> Option<String> {
    let at = usize::try_from(line).ok()?.checked_sub(1)?;
    let start =
        first.and_then(|first| usize::try_from(first).ok()).map_or(0, |first| first.saturating_sub(1));
    let above = headers(lines, at);
    let own: Vec<usize> = above.iter().copied().filter(|header| *header > start).collect();
    let function =
        above.iter().copied().filter(|header| *header >= start).find(|header| begins(lines[*header]));
    if function.is_none() && first.is_none() {
        return None;
    }
    let from = function.unwrap_or(start);
    let case = own.iter().find(|header| **header > from && is_case(lines[**header]));
    if let Some(case) = case {
        return Some(format!("stands below {:?} (line {})", lines[*case].trim(), case + 1));
    }
    let leaves = |other: &usize| {
        let code = lines[*other].trim();
        let is_header = above.contains(other);
        !is_header && !is_comment(path, code) && leaves(code)
    };
    let left = (from + 1..at).find(leaves)?;
    Some(format!("is not reached where line {} leaves before ({:?})", left + 1, lines[left].trim()))
}

/// Whether a line begins a function.
fn begins(line: &str) -> bool {
    let mut words = denial::words(line).into_iter().take(6);
    words.any(|word| DEFINES.contains(&word.as_str())) && !line.contains(" = ")
        || line.contains('(')
            && line.trim_end().ends_with('{')
            && !is_case(line)
            && !line.trim_start().starts_with('}')
}

fn is_case(line: &str) -> bool {
    let code = line.trim_start().trim_start_matches(['}', ' ']);
    let first =
        code.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next().unwrap_or_default();
    CASES.contains(&first) || code.contains("=> {")
}

fn leaves(code: &str) -> bool {
    let words = code.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let first = words.clone().next().unwrap_or_default();
    // `if x { return }` on one line, `x?;` of Rust.
    let is_inline = is_case(code) && words.clone().any(|word| LEAVES.contains(&word));
    LEAVES.contains(&first)
        || code.starts_with("os.Exit")
        || code.starts_with("sys.exit")
        || is_inline
        || code.ends_with("?;")
}

/// Why a claim that something is not done is not so: a line of what it names that was shown does it.
pub(crate) fn done_after_all(
    said: &str,
    cited: &[&Event],
    situation: &Situation<'_>,
    mode: Mode,
) -> Option<String> {
    let denied = denied_in(said, &|_| false, situation.names);
    let deeds: Vec<&str> = denied
        .iter()
        .filter(|denied| matches!(denied.kind, Kind::Done { .. }))
        .map(|denied| denied.word.as_str())
        .filter(|verb| !COMMON.contains(&root(verb).as_str()))
        .collect();
    if deeds.is_empty() {
        return None;
    }
    // What it is said not to be done to, where that is a name: elsewhere it may be done to others.
    let is_known = |word: &str| !(situation.defined)(word).is_empty();
    let words = code_words(said, &is_known);
    for place in quoted(said, cited, situation, mode) {
        let Some((path, first, last)) = within(said, &place, cited, situation) else { continue };
        let Some(text) = (situation.text_of)(&path) else { continue };
        let lines: Vec<&str> = text.lines().collect();
        let header =
            usize::try_from(first).ok().and_then(|first| lines.get(first.saturating_sub(1))).copied();
        let objects: Vec<&str> = words
            .iter()
            .filter_map(|word| match &word.kind {
                Word::Name(parts) if word.is_denied => parts.last().map(String::as_str),
                _ => None,
            })
            .filter(|name| header.is_none_or(|header| !is_defined_by(&path, header, name)))
            .collect();
        for (number, line) in (1_u64..).zip(&lines).filter(|(number, _)| (first + 1..=last).contains(number))
        {
            let is_spared = !objects.is_empty() && !objects.iter().any(|name| has_name(line, name));
            if is_spared || is_comment(&path, line) || says_not(line) || !is_line_shown(&path, number, cited)
            {
                continue;
            }
            let code = crate::extent::without_texts(line);
            let does =
                denial::words(&code).into_iter().flat_map(|word| parts(&word, &code)).map(|word| root(&word));
            let does: Vec<String> = does.collect();
            // Who lowercases something calls `lower()`.
            let is_done = |verb: &&&str| {
                let verb = root(verb);
                does.iter()
                    .any(|word| *word == verb || word.chars().count() > 4 && verb.starts_with(word.as_str()))
            };
            if let Some(verb) = deeds.iter().find(is_done) {
                return Some(format!(
                    "It denies {verb}, and {path}:{number} has it ({:?}): name what it is not done to as the code writes it, or \
                     claim what that line shows.",
                    line.trim()
                ));
            }
        }
    }
    None
}

fn is_defined_by(path: &str, header: &str, name: &str) -> bool {
    let mut places = crate::syntax::places_of(header, name);
    places.any(|at| header[at + name.len()..].starts_with(['(', '<']))
        || use_of(path, header, name) == Some(Use::Defines)
}

/// A word as it stands in code, and the parts of one with humps: `closeFile` closes.
fn parts(word: &str, code: &str) -> Vec<String> {
    let mut all = vec![word.to_owned()];
    let names = code.split(|letter: char| !letter.is_alphanumeric());
    for name in names.filter(|name| name.to_lowercase() == word) {
        let humps =
            name.char_indices().filter(|(at, letter)| *at > 0 && letter.is_uppercase()).map(|(at, _)| at);
        let cuts: Vec<usize> = std::iter::once(0).chain(humps).chain([name.len()]).collect();
        all.extend(cuts.windows(2).map(|cut| name[cut[0]..cut[1]].to_lowercase()));
    }
    all
}

/// A verb without its endings: `closes`, `close` and `closing` are `clos`.
fn root(verb: &str) -> String {
    let stem = denial::stem(verb);
    // `copies` is a form of `copy`.
    if let Some(stem) = stem.strip_suffix('i') {
        return format!("{stem}y");
    }
    stem.strip_suffix('e').filter(|stem| stem.chars().count() > 2).unwrap_or(&stem).to_owned()
}

fn stands(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        !text[..at].ends_with(|letter: char| letter.is_alphanumeric() || "-\"`".contains(letter))
            && !text[at + phrase.len()..]
                .starts_with(|letter: char| letter.is_alphanumeric() || "-\"`".contains(letter))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_only_in_a_case_is_not_done_always() {
        let go = "func f(args []string) error {\n\topen()\n\tif len(args) > 0 {\n\t\treturn fail()\n\t}\n\tclose()\n\treturn nil\n}\n";
        let lines: Vec<&str> = go.lines().collect();
        let at = |line: u64| only_sometimes("a.go", &lines, line, Some(1));
        assert!(at(4).is_some_and(|how| how.contains("stands below")));
        assert!(at(6).is_some_and(|how| how.contains("line 4 leaves")));
        assert!(at(7).is_some());
        assert_eq!((at(2), at(3)), (None, None));
        let closure = "func f(n int) Args {\n\treturn func(args []string) error {\n\t\tcheck()\n\t\tif x {\n\t\t\tlog()\n\t\t}\n\t\treturn nil\n\t}\n}\n";
        let lines: Vec<&str> = closure.lines().collect();
        assert_eq!(only_sometimes("a.go", &lines, 3, Some(1)), None);
        assert_eq!(only_sometimes("a.go", &lines, 7, Some(1)), None);
        assert!(only_sometimes("a.go", &lines, 5, Some(1)).is_some());
    }

    #[test]
    fn forms_of_a_verb_are_one() {
        for verb in ["closes", "close", "closed", "closing"] {
            assert_eq!(root(verb), "clos", "{verb}");
        }
        assert_eq!((root("copies"), root("copied")), (root("copy"), root("copy")));
        assert_eq!(parts("closefile", "x.closeFile()"), ["closefile", "close", "file"]);
    }
}
