//! Undone: deeds that a sentence says to be left undone, things that it says to be left out, and names that it says to be
//! ignored.

use crate::denial::{FILLERS, is_end, is_form, says_not, words};
use crate::syntax::{DEFINES, is_comment};
use crate::uses::{Use, use_of};

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

/// Whether a line of code does something with a name: passes, calls or compares it. A signature, a text and whatever takes it
/// only to leave it do not.
pub(crate) fn is_heeded(path: &str, line: &str, name: &str) -> bool {
    const LEAVES: [&str; 6] = ["except", "catch", "del ", "_ =", "ignore", "pass"];
    let is_taken = matches!(use_of(path, line, name), Some(Use::Calls | Use::Names));
    let words = words(line);
    let is_signature = DEFINES.iter().any(|word| words.first().is_some_and(|first| first == word))
        || line.trim_end().ends_with(',')
        || line.contains(&format!("{name}:"));
    let is_left = LEAVES.iter().any(|word| line.contains(word));
    let is_joined = line.match_indices(name).any(|(at, _)| {
        let before = line[..at].trim_end().chars().next_back();
        let behind = &line[at + name.len()..];
        let is_member = behind.starts_with('.') && behind[1..].starts_with(char::is_alphabetic);
        before.is_some_and(|mark| "(=,[{+*/!<>&|".contains(mark))
            || is_member
            || behind.trim_start().starts_with(['(', '[', '=', '<', '>', '!', '*', '+', '/'])
    });
    is_taken && is_joined && !is_signature && !is_left && !is_comment(path, line) && !says_not(line)
}
