//! Undone: deeds that a sentence says to be left undone, things that it says to be left out, and names that it says to be
//! ignored.

use crate::denial::{FILLERS, is_end, is_form, words};
use crate::relates::{names_in, parts_of};
use crate::syntax::{DEFINES, Spoken, is_comment, spoken};
use crate::uses::{Use, uses_in};

/// Verbs of which the deed behind `to` is not done: `forgets to lock`.
const LEAVES_UNDONE: [&str; 5] = ["forget", "neglect", "omit", "refuse", "decline"];
/// Words that only lead to the deed: `does not bother to lock`, `makes no attempt to lock`.
const LEADS: [&str; 8] = ["bother", "try", "tries", "trying", "attempt", "effort", "care", "manage"];

/// How a deed is said not to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Undone {
    /// Nobody does it: `forgets to lock`, `does not bother to lock`.
    Left,
    /// It may be tried: `fails to lock`.
    Failed,
}

/// Where the deed stands that the `to` at a place leads to, and how it is said not to be done.
pub(crate) fn undone_at(lower: &[String], place: usize) -> Option<(usize, Undone)> {
    let at = |place: usize| lower.get(place).map_or("", String::as_str);
    let before = at(place.checked_sub(1)?);
    let is_of = |verbs: &[&str]| verbs.iter().any(|verb| is_form(before, verb));
    let is_no = |word: &String| {
        ["no", "not", "never", "without", "cannot"].contains(&word.as_str()) || word.ends_with("n't")
    };
    let is_denied = || lower[place.saturating_sub(4)..place].iter().any(is_no);
    let undone = match () {
        () if at(place) != "to" => return None,
        () if is_of(&LEAVES_UNDONE) || before == "forgot" => Undone::Left,
        () if is_of(&["fail"]) || before == "failure" => Undone::Failed,
        () if is_of(&LEADS) && is_denied() => Undone::Left,
        () => return None,
    };
    // Who does not forget to lock, locks.
    if undone != Undone::Left || !is_of(&LEADS) {
        let denied = lower[place.saturating_sub(3)..place].iter().any(is_no);
        if denied {
            return None;
        }
    }
    let mut verb = place + 1;
    while at(verb).ends_with("ly") || ["even", "ever", "also", "first"].contains(&at(verb)) {
        verb += 1;
    }
    Some((verb, undone))
}

/// What is left out by the verb at a place: `leaves the port out`, `leaves out the port`.
pub(crate) fn left_out_at(raw: &[&str], lower: &[String], place: usize) -> Vec<usize> {
    /// Words between, at most.
    const FAR: usize = 5;
    if !["leaves", "leave", "leaving"].contains(&lower[place].as_str()) {
        return Vec::new();
    }
    let is_out = |at: &usize| lower.get(*at).is_some_and(|word| word == "out");
    let Some(out) = (place + 1..place + FAR).find(is_out) else { return Vec::new() };
    let is_there = |at: &usize| !FILLERS.contains(&lower[*at].as_str()) && lower[*at].chars().count() > 2;
    let behind = || (out + 1..raw.len()).take_while(|at| !is_end(raw, *at)).filter(is_there);
    let between: Vec<usize> = (place + 1..out).filter(is_there).collect();
    // Of several words the last is the thing, the others say which.
    let all = if between.is_empty() { behind().collect() } else { between };
    all.last().copied().into_iter().collect()
}

/// Whether a line of code does something with a name: passes, calls, compares or tests it. A signature, a text and whatever
/// takes it only to leave it do not; a text that is a key does: `environ["KEY"]`.
pub(crate) fn is_heeded(path: &str, line: &str, name: &str) -> bool {
    const LEAVES: [&str; 6] = ["except", "catch", "del", "pass", "ignore", "ignored"];
    /// Words of code before something that is looked at.
    const LOOKS: [&str; 19] = [
        "if", "elif", "else", "while", "and", "or", "not", "return", "in", "is", "await", "yield", "match",
        "case", "switch", "unless", "when", "assert", "range",
    ];
    let code = code_of(path, line);
    let is_left = LEAVES.iter().any(|word| words(code).iter().any(|one| one == word)) || code.contains("_ =");
    if is_left || is_comment(path, line) || code.trim_start().starts_with('@') {
        return false;
    }
    uses_in(path, code, name).any(|(at, one)| {
        let (before, behind) = (code[..at].trim_end(), &code[at + name.len()..]);
        match one {
            Use::Speaks => {
                let mark = behind.chars().next().filter(|mark| "\"'".contains(*mark));
                let key = mark.and_then(|mark| code[..at].strip_suffix(mark));
                key.is_some_and(|before| before.trim_end().ends_with(['[', '(']) && !is_signature(code, at))
            }
            Use::Calls | Use::Names if !is_signature(code, at) => {
                let is_member = behind.starts_with('.') && behind[1..].starts_with(char::is_alphabetic);
                let start =
                    before.rfind(|letter: char| !letter.is_alphanumeric()).map_or(0, |start| start + 1);
                before.chars().next_back().is_some_and(|mark| "(=,[{+*/!<>&|".contains(mark))
                    || LOOKS.contains(&&before[start..])
                    || is_member
                    || behind.trim_start().starts_with(['(', '[', '=', '<', '>', '!', '*', '+', '/'])
            }
            _ => false,
        }
    })
}

/// What of a line stands before its comment.
fn code_of<'l>(path: &str, line: &'l str) -> &'l str {
    let marks = line.match_indices(['#', '/']).map(|(at, _)| at);
    let mut ends = marks.filter(|at| line[..*at].ends_with(' ') && is_text_behind(path, line, *at));
    ends.next().map_or(line, |end| &line[..end])
}

fn is_text_behind(path: &str, line: &str, at: usize) -> bool {
    let is_mark = line[at..].starts_with("//") || line[at..].starts_with('#');
    let next = at + if line[at..].starts_with("//") { 2 } else { 1 };
    is_mark && spoken(path, &line[..at]) == Spoken::Code && spoken(path, &line[..next]) == Spoken::Text
}

/// Whether a place of a line is in the signature of a function: what it takes, with its default.
fn is_signature(line: &str, at: usize) -> bool {
    let first = words(line).into_iter().next().unwrap_or_default();
    let is_value = ["let", "var", "const", "static"].contains(&first.as_str());
    let behind = line[at..].trim_start_matches(|letter: char| letter.is_alphanumeric() || letter == '_');
    DEFINES.contains(&first.as_str()) && !is_value
        || behind.starts_with(':')
            && !behind.starts_with(":=")
            && !behind.starts_with("::")
            && line[..at].trim().is_empty()
        || line.trim_end().ends_with(',') && !line[..at].contains(['(', '[', '{'])
}

/// Whether a line of code does something, by the stem of the verb. A longer word with that stem is what does it or what comes of
/// it (`Writer`): it counts where it is called, and as a type or in a signature it does not.
pub(crate) fn is_done(path: &str, line: &str, stem: &str) -> bool {
    let code = code_of(path, line);
    if is_comment(path, line) {
        return false;
    }
    names_in(code).any(|(at, name)| {
        let behind = &code[at + name.len()..];
        let is_called = || behind.trim_start().starts_with(['(', '.', '!']) && !is_signature(code, at);
        let has = |part: &String| {
            let rest = part.strip_prefix(stem);
            rest.is_some_and(|rest| ["", "e", "s", "es", "ed", "ing"].contains(&rest) || is_called())
        };
        spoken(path, &code[..at]) == Spoken::Code && parts_of(name).iter().any(has)
    })
}

/// Whether a line of code gives a name a value: `x = 5`, `self.x += 1`, `f(x=5)`, `"x": 5`.
pub(crate) fn is_set(path: &str, line: &str, name: &str) -> bool {
    let code = code_of(path, line);
    if is_comment(path, line) {
        return false;
    }
    uses_in(path, code, name).any(|(at, one)| {
        let behind = &code[at + name.len()..];
        let is_key = one == Use::Speaks && behind.starts_with(['"', '\'']);
        let rest = behind.trim_start_matches(['"', '\'', ']']).trim_start();
        let rest = if rest.starts_with(":=") { &rest[1..] } else { rest };
        let value = rest.trim_start_matches(['+', '-', '*', '|', '&', '/', '?']);
        let is_given =
            value.starts_with('=') && !value.starts_with("==") && (is_key || !value.starts_with("=>"));
        (one != Use::Speaks || is_key)
            && !is_signature(code, at)
            && (is_given || is_key && rest.starts_with(':') || code.contains("setattr(") && is_key)
    })
}
