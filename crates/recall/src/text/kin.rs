//! Kin: one form for words that people use for each other when they ask the same thing again.
//!
//! Only for telling whether two questions are alike. The index must not know it: code means one of the words.

use super::stem::stem;
use super::words::{Term, hash};

/// Fewer letters than this before an ending are no stem.
const MIN_STEM: usize = 4;

/// What a lowercase word is kin to: the word that stands for its group, or its stem without endings of nouns and adjectives.
pub fn kin(word: &str) -> Term {
    let own = root(word);
    let group = GROUPS.iter().find(|group| group.iter().any(|member| root(member) == own));
    hash(group.map_or(own, |group| root(group[0])))
}

/// `redirection` and `redirect`, `expiration` and `expired` have one root.
fn root(word: &str) -> &str {
    let word = stem(word);
    let rest =
        ENDINGS.iter().find_map(|ending| word.strip_suffix(ending).filter(|rest| rest.len() >= MIN_STEM));
    rest.unwrap_or(word)
}

/// Longer ones first.
const ENDINGS: [&str; 22] = [
    "ication", "ization", "isation", "ation", "ition", "ution", "ment", "ance", "ence", "able", "ible",
    "ness", "ally", "ion", "ive", "al", "ly", "or", "at", "is", "iz", "i",
];

/// Words that programmers say for one thing.
const GROUPS: [&[&str]; 37] = [
    &["remove", "delete", "drop", "erase", "discard", "clear"],
    &["merge", "combine", "join", "concatenate"],
    &["create", "make", "build", "construct", "generate"],
    &["get", "fetch", "retrieve", "obtain", "load", "read"],
    &["error", "exception", "failure", "fail", "fault"],
    &["crash", "panic", "abort"],
    &["wrong", "incorrect", "invalid", "bad", "broken"],
    &["show", "display", "print", "output"],
    &["send", "transmit", "dispatch", "emit"],
    &["start", "launch", "begin", "boot"],
    &["stop", "halt", "close", "shutdown", "terminate", "shut"],
    &["check", "validate", "verify"],
    &["convert", "transform", "translate", "cast"],
    &["config", "configuration", "configure", "setting", "option", "preference"],
    &["folder", "directory", "dir"],
    &["argument", "parameter", "param", "arg"],
    &["find", "search", "lookup", "locate"],
    &["update", "modify", "change", "edit"],
    &["save", "store", "persist", "write"],
    &["url", "uri", "address", "link"],
    &["auth", "authentication", "authorization", "credential", "login"],
    &["lose", "lost", "disappear", "vanish", "missing"],
    &["serialize", "serialise", "encode", "dump", "marshal"],
    &["deserialize", "deserialise", "decode", "parse", "unmarshal"],
    &["color", "colour"],
    &["charset", "encoding"],
    &["ssl", "tls", "certificate", "cert"],
    &["retry", "again", "repeat"],
    &["limit", "maximum", "max"],
    &["hang", "freeze", "stuck", "deadlock"],
    &["slow", "performance", "latency"],
    &["copy", "clone", "duplicate"],
    &["wait", "sleep", "delay"],
    &["env", "environment"],
    &["db", "database"],
    &["route", "endpoint"],
    &["log", "logging", "logger"],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_one_thing_are_kin() {
        for (one, other) in [
            ("redirection", "redirects"),
            ("expired", "expiration"),
            ("validated", "verification"),
            ("colours", "colored"),
            ("exceptions", "failed"),
            ("configuration", "config"),
        ] {
            assert_eq!(kin(one), kin(other), "{one} {other}");
        }
        for (one, other) in [("session", "sense"), ("header", "body"), ("read", "write")] {
            assert_ne!(kin(one), kin(other), "{one} {other}");
        }
    }
}
