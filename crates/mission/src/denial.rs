//! Denial: what a sentence says is not there.

use crate::grounds::has_word;
use crate::named::Names;
use crate::relates::{Deed, Written, stands_alone, written};
use crate::syntax::is_comment;
use crate::undone::{Undone, is_done, is_heeded, is_set, left_out_at, undone_at};
use crate::uses::{Use, use_of};

/// Words that say that something is not there.
pub(crate) const NOT: [&str; 35] = [
    "no",
    "not",
    "never",
    "nowhere",
    "none",
    "nothing",
    "nobody",
    "neither",
    "nor",
    "without",
    "absent",
    "absence",
    "missing",
    "misses",
    "lacks",
    "lack",
    "lacking",
    "unused",
    "undefined",
    "undocumented",
    "cannot",
    "doesn",
    "isn",
    "aren",
    "don",
    "didn",
    "gone",
    "removed",
    "wasn",
    "weren",
    "hasn",
    "haven",
    "dead",
    "unreferenced",
    "uncalled",
];

/// Whether a sentence denies anything at all.
pub(crate) fn denies(claim: &str) -> bool {
    words(claim).iter().any(|word| NOT.contains(&word.as_str()))
}

/// Something that a sentence says is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Denied {
    pub word: String,
    pub kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name of code.
    Name,
    /// A name, of which only calls are denied.
    Call,
    /// A name, of which only uses are denied: its definition and imports may be there.
    Use,
    /// A name, of which only imports are denied.
    Import,
    /// A plain word that may be a name, of which calls, imports or uses are denied: only a line that has one speaks against it.
    Word(Deed),
    /// A name that is said not to be given a value.
    Set,
    /// A word: `without a lock`, with the words of what it is for: `no lock around the counter`.
    Plain { what: Vec<String> },
    /// What is said not to be done beside something else: `without writing a status`.
    Doing,
    /// What is said not to be done, with the words of what: `never deletes the cookie`.
    Done { what: Vec<String> },
    /// What is said to fail, which may have been tried: only a line with all of the words has it.
    Tried { what: Vec<String> },
    /// What is given to something and said to be left alone there: `run ignores the timeout`.
    Ignored,
}

impl Denied {
    pub fn is_of_imports(&self) -> bool {
        matches!(self.kind, Kind::Import | Kind::Word(Deed::Imports))
    }

    /// Whether only code has it, and no text.
    pub fn is_of_code(&self) -> bool {
        !matches!(self.kind, Kind::Name | Kind::Plain { .. })
    }

    /// As a name that a sentence has.
    pub fn written(&self) -> Written {
        Written { word: self.word.clone(), of: None, is_sure: true }
    }
}

/// Verbs by which something holds a name.
const HOLDS: [&str; 12] = [
    "contain", "define", "mention", "include", "declare", "import", "export", "call", "use", "invoke",
    "support", "document",
];
/// Verbs by which a name is heeded.
const READS: [&str; 7] = ["read", "consult", "honour", "honor", "respect", "heed", "consider"];
/// Verbs that say nothing of what a line does: every code has such words, or none has.
const WEAK: [&str; 23] = [
    "have", "does", "make", "makes", "take", "takes", "give", "gives", "work", "works", "need", "needs",
    "know", "knows", "seem", "been", "even", "just", "only", "match", "matches", "always", "exist",
];
/// How a sentence says that something is held, after `is not` or `is never`.
const HELD: [&str; 15] = [
    "called",
    "used",
    "defined",
    "imported",
    "referenced",
    "mentioned",
    "declared",
    "invoked",
    "exported",
    "included",
    "documented",
    "present",
    "there",
    "found",
    "set",
];
/// What stands between a denial and what it denies.
pub(crate) const FILLERS: [&str; 22] = [
    "a",
    "an",
    "any",
    "the",
    "such",
    "function",
    "method",
    "class",
    "name",
    "its",
    "their",
    "own",
    "proper",
    "explicit",
    "further",
    "additional",
    "real",
    "single",
    "ever",
    "of",
    "call",
    "calls",
];
/// Words before `missing` by which it says of what kind something is, and denies nothing.
const OF_A_KIND: [&str; 16] = [
    "a", "an", "the", "on", "for", "if", "when", "of", "with", "any", "every", "some", "as", "to", "from",
    "handles",
];
/// Words that begin a condition: what is without something there is not the code.
const CONDITION: [&str; 10] =
    ["if", "when", "whenever", "even", "where", "fails", "panics", "crashes", "breaks", "hangs"];
/// Words before what something that is lacking would be for: `no lock around the counter`.
const FOR: [&str; 8] = ["for", "of", "around", "on", "against", "over", "between", "to"];
/// Verbs by which something is said not to be called.
const SKIPS: [&str; 5] = ["skips", "skip", "bypasses", "bypass", "skipping"];
/// Words that end what is denied.
pub(crate) const ENDS: [&str; 28] = [
    "around",
    "for",
    "against",
    "over",
    "and",
    "or",
    "in",
    "on",
    "at",
    "to",
    "by",
    "so",
    "but",
    "because",
    "that",
    "which",
    "before",
    "after",
    "is",
    "are",
    "was",
    "when",
    "if",
    "here",
    "there",
    "from",
    "anywhere",
    "everywhere",
];
/// Verbs before `no` by which a plain word is denied: `has no timeout`.
const HAS: [&str; 12] =
    ["has", "have", "had", "with", "is", "are", "contains", "takes", "sets", "passes", "gives", "holds"];

/// Words by which something is said to be away.
const GONE: [&str; 11] = [
    "missing",
    "absent",
    "gone",
    "nowhere",
    "undefined",
    "unused",
    "removed",
    "deleted",
    "dead",
    "unreferenced",
    "uncalled",
];

/// What a claim says not to be there: `no X`, `does not define X`, `X is missing`, `without X`, `lacks X`.
pub(crate) fn denied_in(claim: &str, is_name: &dyn Fn(&str) -> bool, names: Names<'_>) -> Vec<Denied> {
    let trim =
        |word: &str| word.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '_').to_owned();
    let raw: Vec<&str> = claim.split_whitespace().filter(|word| !trim(word).is_empty()).collect();
    let words: Vec<String> = raw.iter().map(|word| trim(word)).collect();
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let at = |place: usize| lower.get(place).map_or("", String::as_str);
    let before = |place: usize| place.checked_sub(1).map_or("", at);
    let mut found: Vec<Denied> = Vec::new();
    let mut deny = |word: &str, kind: Kind| {
        let denied = Denied { word: word.to_owned(), kind };
        if !found.contains(&denied) {
            found.push(denied);
        }
    };
    let is_open = |place: &usize| !is_condition(&raw, *place) && !is_limited(&raw, *place);
    for place in (0..words.len()).filter(is_open) {
        let after_no = at(place) == "no" && at(place + 1) != "longer";
        let after_verb = is_refusal(&lower, place) && HOLDS.iter().any(|verb| is_form(at(place + 1), verb));
        let after_lack = is_lack(&lower, place);
        let mut next = place + if after_verb { 2 } else { 1 };
        while FILLERS.contains(&at(next)) && next + 1 < words.len() {
            next += 1;
        }
        if let Some(word) = words.get(next).filter(|_| after_no || after_verb || after_lack) {
            let last = bare_name(word);
            let is_skip = SKIPS.contains(&at(place));
            let is_plain = after_lack && !is_skip || after_no && HAS.contains(&before(place));
            // Who does not call it may import it, and speak of it.
            let is_verb =
                |verbs: &[&str]| after_verb && verbs.iter().any(|verb| is_form(at(place + 1), verb));
            let deed = match () {
                () if is_skip || is_verb(&["call", "invoke"]) => Some(Deed::Calls),
                () if is_verb(&["import"]) => Some(Deed::Imports),
                () if is_verb(&["use"]) => Some(Deed::Uses),
                () => None,
            };
            let is_sure = |place: usize| {
                raw.get(place).and_then(|word| written(word, names)).is_some_and(|one| one.is_sure)
            };
            // `no suffix for terabytes` denies one of them, whatever else is called so.
            let what = || {
                let rest = (next + 1..words.len()).take_while(|at| !is_cut(&raw, *at));
                let rest = rest.skip_while(|at| !FOR.contains(&lower[*at].as_str())).map(|at| &lower[at]);
                let is_word = |word: &&String| {
                    let word = word.as_str();
                    word.chars().count() > 2 && !FILLERS.contains(&word) && !ENDS.contains(&word)
                };
                rest.filter(is_word).map(|word| stem(bare_name(word))).collect::<Vec<_>>()
            };
            let is_of_a_kind = is_plain && !is_strong(raw[next]) && !what().is_empty();
            let kind_of = |deed: Deed| match deed {
                Deed::Calls => Kind::Call,
                Deed::Imports => Kind::Import,
                Deed::Uses => Kind::Use,
            };
            let is_alone = || next == place + 2 && stands_alone(&raw, &lower, next);
            if is_name(last) && !is_of_a_kind {
                deny(last, deed.filter(|deed| *deed != Deed::Uses).map_or(Kind::Name, kind_of));
            } else if let Some(deed) = deed.filter(|_| is_sure(next)) {
                deny(last, kind_of(deed));
            } else if let Some(deed) = deed.filter(|_| !is_skip && is_alone()) {
                deny(last, Kind::Word(deed));
            } else if is_plain && last.chars().count() > 2 && !ENDS.contains(&at(next)) {
                let goes_on = next + 1 < words.len() && !is_end(&raw, next + 1);
                let is_deed = at(place) == "without" && next == place + 1 && last.ends_with("ing") && goes_on;
                deny(last, if is_deed { Kind::Doing } else { Kind::Plain { what: what() } });
            }
            // `does not call print_all or eval()` denies both.
            let mut more = next;
            while let Some(deed) = deed.filter(|_| ["or", "nor", "and"].contains(&at(more + 1)))
                && is_sure(more + 2)
            {
                more += 2;
                deny(bare_name(&words[more]), kind_of(deed));
            }
            // What is lacking may be said by the names that follow: `a check by lastChar`.
            let rest = (next + 1..words.len()).take_while(|at| is_plain && !is_end(&raw, *at));
            for at in rest.filter(|at| is_strong(raw[*at])) {
                deny(bare_name(&words[at]), Kind::Name);
            }
        }
        let is_verb = |word: &str| {
            word.chars().count() > 3
                && word.chars().all(char::is_alphabetic)
                && !WEAK.contains(&word)
                && !ENDS.contains(&word)
                && !HOLDS.iter().any(|verb| is_form(word, verb))
        };
        let is_of_deed = |place: usize| {
            ["does", "do", "did", "will"].contains(&before(place)) && at(place) == "not"
                || ["never", "doesn't", "don't", "didn't", "won't"].contains(&at(place))
        };
        if is_of_deed(place) && is_verb(at(place + 1)) {
            let what = (place + 2..words.len()).take_while(|at| !is_end(&raw, *at)).map(|at| &lower[at]);
            let what = what.filter(|word| word.chars().count() > 2 && !FILLERS.contains(&word.as_str()));
            let what: Vec<String> = what.map(|word| stem(bare_name(word))).collect();
            // That something is returned or raised says every code: of what counts. What leads to a deed is none.
            let is_common = ["return", "returns", "raise", "raises"].contains(&at(place + 1));
            if !(is_common && what.is_empty()) && at(place + 2) != "to" {
                deny(at(place + 1), Kind::Done { what });
            }
        }
        // `does not set verify_mode`
        let mut value = place + 2;
        while FILLERS.contains(&at(value)) {
            value += 1;
        }
        let is_set = ["set", "sets", "assign", "assigns"].contains(&at(place + 1));
        let is_left =
            is_of_deed(place) || undone_at(&lower, place).is_some_and(|(verb, _)| verb == place + 1);
        if let Some(name) = raw.get(value).filter(|_| is_set && is_left).and_then(|word| written(word, names))
            && (name.is_sure || is_name(&name.word))
        {
            deny(&name.word, Kind::Set);
        }
        // `never reads SSL_CERT_DIR` says that it is ignored.
        let is_read = READS.iter().any(|verb| is_form(at(place + 1), verb));
        if let Some(name) = raw.get(value).filter(|_| is_read && is_of_deed(place))
            && let Some(name) = written(name, names).filter(|name| name.is_sure)
        {
            deny(&name.word, Kind::Ignored);
        }
        // `forgets to set it`: behind such a verb a short word is a deed, too.
        let is_deed = |word: &str| {
            is_verb(word)
                || word.len() == 3 && word.chars().all(char::is_alphabetic) && !FILLERS.contains(&word)
        };
        if let Some((verb, undone)) = undone_at(&lower, place).filter(|(verb, _)| is_deed(at(*verb))) {
            let what = (verb + 1..words.len()).take_while(|at| !is_end(&raw, *at)).map(|at| &lower[at]);
            let what = what.filter(|word| word.chars().count() > 2 && !FILLERS.contains(&word.as_str()));
            let what: Vec<String> = what.map(|word| stem(bare_name(word))).collect();
            match undone {
                Undone::Left => deny(at(verb), Kind::Done { what }),
                Undone::Failed if !what.is_empty() => deny(at(verb), Kind::Tried { what }),
                Undone::Failed => {}
            }
        }
        for at in left_out_at(&raw, &lower, place) {
            let word = bare_name(&words[at]);
            deny(word, if is_name(word) { Kind::Name } else { Kind::Plain { what: Vec::new() } });
        }
        let is_ignored = ["ignore", "disregard"].iter().any(|verb| is_form(at(place), verb));
        let is_heeded = ["not", "never", "cannot"].contains(&before(place)) || before(place).ends_with("n't");
        if is_ignored && !is_heeded && !at(place).ends_with("ed") && place > 0 {
            let mut next = place + 1;
            while FILLERS.contains(&at(next)) {
                next += 1;
            }
            // Which of them it ignores, nobody reads from words.
            let is_some =
                ["that", "which", "who", "by", "for"].contains(&at(next + 1)) && !is_cut(&raw, next + 1);
            let is_last = next + 1 >= words.len() || is_end(&raw, next + 1) && !is_some;
            let is_thing = !["it", "them", "this", "that", "us"].contains(&at(next));
            if is_last && next < words.len() && is_thing && !ENDS.contains(&at(next)) {
                deny(bare_name(&words[next]), Kind::Ignored);
            }
        }
        let is = ["is", "are", "was", "were", "been"].contains(&at(place + 1));
        // What is missing something is itself there.
        let lacks = at(place + 2) == "missing" && !at(place + 3).is_empty() && !ENDS.contains(&at(place + 3));
        let is_gone = is && !lacks && GONE.contains(&at(place + 2))
            || ["does", "do", "did"].contains(&at(place + 1))
                && at(place + 2) == "not"
                && ["exist", "appear", "occur"].contains(&at(place + 3))
            || at(place + 1) == "never" && ["appears", "occurs"].contains(&at(place + 2));
        let isnt = ["isn't", "aren't", "wasn't", "weren't"].contains(&at(place + 1));
        let no_longer = is && (at(place + 2), at(place + 3)) == ("no", "longer");
        let held = at(place
            + if isnt {
                2
            } else if no_longer {
                4
            } else {
                3
            });
        let is_not_held =
            HELD.contains(&held) && (isnt || no_longer || is && ["not", "never"].contains(&at(place + 2)));
        let last = bare_name(&words[place]);
        let is_written = || written(raw[place], names).is_some_and(|one| one.is_sure);
        if (is_gone || is_not_held) && (is_name(last) || is_not_held && is_written()) {
            let gone = if is_not_held { held } else { at(place + 2) };
            deny(
                last,
                match gone {
                    "called" | "invoked" | "uncalled" => Kind::Call,
                    "imported" => Kind::Import,
                    "used" | "referenced" | "unused" | "unreferenced" | "dead" => Kind::Use,
                    _ => Kind::Name,
                },
            );
        }
    }
    found
}

/// Whether a place is in a condition: what is not so there, the code asks, and the sentence does not deny it of the code.
pub(crate) fn is_condition(raw: &[&str], place: usize) -> bool {
    const BEGINS: [&str; 7] = ["if", "when", "whenever", "unless", "until", "while", "where"];
    for at in (0..place).rev() {
        let word = raw[at].to_lowercase();
        if word.ends_with([',', ';', ':', '.']) {
            return false;
        }
        if BEGINS.contains(&word.as_str()) {
            return true;
        }
    }
    false
}

/// Whether what is denied at a place is so under a condition that follows in the same part of the sentence: elsewhere the code
/// may have it.
fn is_limited(raw: &[&str], place: usize) -> bool {
    const LIMITS: [&str; 12] = [
        "if", "when", "whenever", "unless", "until", "while", "once", "after", "before", "although", "where",
        "outside",
    ];
    let begins = |word: &&&str| !word.ends_with([';', '.']);
    let rest = raw.iter().skip(place).take_while(begins);
    // In backticks it is a word of code.
    let mut rest = rest.skip(1).filter(|word| !word.contains('`'));
    rest.any(|word| {
        LIMITS.contains(&word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase().as_str())
    })
}

/// Whether the word at a place says that what follows is not done: `not`, `no longer`, `fails to`, `instead of`.
fn is_refusal(lower: &[String], place: usize) -> bool {
    let at = |place: usize| lower.get(place).map_or("", String::as_str);
    let before = place.checked_sub(1).map_or("", at);
    match at(place) {
        "not" | "never" | "doesn't" | "don't" | "didn't" | "cannot" | "can't" | "won't" | "without" => true,
        "longer" => before == "no",
        "to" => ["fails", "fail", "forgets", "forget", "neglects", "omits", "refuses"].contains(&before),
        "of" => before == "instead",
        _ => false,
    }
}

/// Whether a word is a form of a verb: `call`, `calls`, `calling`, `called`.
pub(crate) fn is_form(word: &str, verb: &str) -> bool {
    let stem = verb.strip_suffix('e').unwrap_or(verb);
    word == verb || word.strip_prefix(stem).is_some_and(|end| ["s", "es", "ing", "ed"].contains(&end))
}

/// The last part of a name: `Queue.drain()` is `drain`.
pub(crate) fn bare_name(word: &str) -> &str {
    let bare = word.split('(').next().unwrap_or(word);
    bare.rsplit(['.', ':']).next().unwrap_or(bare)
}

/// Whether a word is written as only names are.
fn is_strong(raw: &str) -> bool {
    let is_small = |letter: char| letter.is_lowercase();
    let has_hump =
        raw.chars().zip(raw.chars().skip(1)).any(|(one, next)| is_small(one) && next.is_uppercase());
    raw.contains(['`', '_', '(']) || has_hump
}

/// Whether another part of the sentence begins with a word.
fn is_cut(raw: &[&str], place: usize) -> bool {
    place.checked_sub(1).is_some_and(|before| raw[before].ends_with([',', ';', ':', '.']))
}

/// Whether what is denied ends before a word.
pub(crate) fn is_end(raw: &[&str], place: usize) -> bool {
    is_cut(raw, place) || ENDS.contains(&raw[place].to_lowercase().as_str()) && raw[place] != "by"
}

/// Whether the word at a place says that something lacks what follows.
fn is_lack(lower: &[String], place: usize) -> bool {
    let at = |place: usize| lower.get(place).map_or("", String::as_str);
    let before = place.checked_sub(1).map_or("", at);
    match at(place) {
        "without" => {
            !lower[place.saturating_sub(4)..place].iter().any(|word| CONDITION.contains(&word.as_str()))
        }
        "skips" | "skip" | "skipping" | "bypasses" | "bypass" => true,
        "lacks" | "lacking" | "omits" | "omitting" | "forgets" | "misses" => true,
        "lack" => before != "a" && before != "the" || at(place + 1) == "of",
        "missing" => !OF_A_KIND.contains(&before),
        _ => false,
    }
}

/// Whether a line of a file has what is denied.
pub(crate) fn has(path: &str, line: &str, denied: &Denied) -> bool {
    let word = denied.word.as_str();
    match &denied.kind {
        Kind::Name => has_word(line, word),
        Kind::Call => use_of(path, line, word) == Some(Use::Calls),
        Kind::Use => matches!(use_of(path, line, word), Some(Use::Calls | Use::Names)),
        Kind::Import => use_of(path, line, word) == Some(Use::Imports),
        Kind::Word(Deed::Imports) => use_of(path, line, word) == Some(Use::Imports),
        Kind::Word(Deed::Uses) => matches!(use_of(path, line, word), Some(Use::Calls | Use::Names)),
        Kind::Word(Deed::Calls) => use_of(path, line, word) == Some(Use::Calls),
        Kind::Set => is_set(path, line, word),
        Kind::Plain { what } => {
            let lower = line.to_lowercase();
            is_said(&lower, what) && begins_with(&lower, &stem(word))
        }
        Kind::Done { what } => {
            let lower = line.to_lowercase();
            is_said(&lower, what)
                && begins_with(&lower, &stem(word))
                && !is_comment(path, line)
                && !says_not(line)
        }
        Kind::Tried { what } => {
            let lower = line.to_lowercase();
            what.iter().all(|what| lower.contains(what.as_str()))
                && begins_with(&lower, &stem(word))
                && !is_comment(path, line)
                && !says_not(line)
        }
        Kind::Doing => is_done(path, line, &stem(word)),
        Kind::Ignored => is_heeded(path, line, word),
    }
}

/// Whether a line itself says that something is not so: `not implemented yet`.
pub(crate) fn says_not(line: &str) -> bool {
    words(line).iter().any(|word| ["not", "never", "no", "without", "doesn", "isn"].contains(&word.as_str()))
}

/// Whether a line has one of the words, where there are any.
fn is_said(line: &str, what: &[String]) -> bool {
    what.is_empty() || what.iter().any(|what| line.contains(what.as_str()))
}

/// Whether a word of a line begins so, or a part of a name does.
fn begins_with(line: &str, stem: &str) -> bool {
    line.match_indices(stem).any(|(at, _)| !line[..at].ends_with(|letter: char| letter.is_alphabetic()))
}

/// A word without its ending: `locking`, `locked` and `locks` are `lock`.
pub(crate) fn stem(word: &str) -> String {
    let word = word.to_lowercase();
    let cut = ["ing", "ed", "es", "s"].iter().find_map(|end| word.strip_suffix(end));
    cut.filter(|stem| stem.chars().count() > 3).unwrap_or(&word).to_owned()
}

/// Words in small letters; parts of names are words, too.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for name in text.split(|letter: char| !letter.is_alphanumeric() && letter != '_') {
        all.extend(name.split('_').chain([name]).filter(|word| !word.is_empty()).map(str::to_lowercase));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn denied(claim: &str) -> Vec<(String, Kind)> {
        let all = denied_in(claim, &|word| word.contains('_') || word == "drain", &|_| Vec::new());
        all.into_iter().map(|denied| (denied.word, denied.kind)).collect()
    }

    fn plain_kind(what: &[&str]) -> Kind {
        Kind::Plain { what: what.iter().map(|word| (*word).to_owned()).collect() }
    }

    #[test]
    fn names_that_are_denied_are_known_by_their_place() {
        for claim in [
            "there is no drain here",
            "src/a.py does not define drain.",
            "drain is missing",
            "drain does not exist",
            "run works without drain",
            "src/a.py lacks drain",
            "src/a.py is missing drain",
            "Missing drain in run",
            "drain was removed",
            "drain is not defined in a.py",
            "drain isn't defined in a.py",
        ] {
            assert_eq!(denied(claim), [("drain".to_owned(), Kind::Name)], "{claim}");
        }
        for claim in [
            "drain is never called",
            "drain is no longer called",
            "drain isn't called",
            "it never calls `drain`",
            "run fails to call drain",
            "run no longer calls drain",
            "run pops instead of calling drain",
            "run doesn't call drain",
            "run works without calls of `Queue.drain()`",
        ] {
            assert_eq!(denied(claim), [("drain".to_owned(), Kind::Call)], "{claim}");
        }
        for claim in ["drain is unused", "drain is dead", "drain is not referenced", "drain isn't used"] {
            assert_eq!(denied(claim), [("drain".to_owned(), Kind::Use)], "{claim}");
        }
        for claim in [
            "no job is lost by drain",
            "drain is not locked",
            "drain does not lock the queue when it is empty",
            "drain never returns",
            "drain raises on a missing key",
            "when called without drain it stops",
            "run returns None if drain is not set",
            "run stops when there is no drain",
        ] {
            assert_eq!(denied(claim), Vec::new(), "{claim}");
        }
    }

    #[test]
    fn what_is_left_undone_is_denied_by_whichever_verb() {
        let done = |what: &[&str]| Kind::Done { what: what.iter().map(|word| (*word).to_owned()).collect() };
        for claim in [
            "run forgets to lock the queue",
            "run neglects to lock the queue",
            "run does not bother to lock the queue",
            "run never even tries to explicitly lock the queue",
            "run makes no attempt to lock the queue",
            "run forgot to lock the queue",
        ] {
            assert_eq!(denied(&claim.replace("lock", "set"))[0].0, "set", "{claim}");
            assert_eq!(denied(claim), [("lock".to_owned(), done(&["queue"]))], "{claim}");
        }
        let tried = Kind::Tried { what: vec!["job".to_owned(), "worker".to_owned()] };
        let failed = [("send".to_owned(), tried)];
        assert_eq!(denied("run fails to send the job worker"), failed);
        for claim in ["run leaves the port out", "run leaves out the port", "run leaves the proxy port out"] {
            assert_eq!(denied(claim), [("port".to_owned(), plain_kind(&[]))], "{claim}");
        }
        assert_eq!(denied("run ignores the timeout"), [("timeout".to_owned(), Kind::Ignored)]);
        for claim in [
            "run does not fail to lock the queue",
            "run never forgets to lock the queue",
            "run does not need to lock the queue",
            "run forgets to lock the queue when it is empty",
            "run fails to start",
            "run leaves the queue as it is",
            "ignored files stay",
            "run ignores errors that the socket raises",
        ] {
            assert_eq!(denied(claim), Vec::new(), "{claim}");
        }
        let of = |claim: &str| {
            let found = denied_in(claim, &|_| false, &|_| Vec::new());
            move |line: &str| found.iter().any(|denied| has("a.py", line, denied))
        };
        let sends = of("run fails to send the job worker");
        assert!(sends("worker.send(job)") && !sends("worker.send(other)") && !sends("# send job worker"));
        let heeds = of("run ignores the timeout");
        assert!(heeds("    connect(host, timeout=timeout)") && heeds("    if timeout > 3:"));
        for line in [
            "def run(host, timeout=None):",
            "    timeout: float,",
            "    except timeout:",
            "    :param timeout: how long to wait",
            "    # wait(timeout)",
            "    del timeout",
        ] {
            assert!(!heeds(line), "{line}");
        }
    }

    #[test]
    fn words_that_are_lacking_are_denied_too() {
        for claim in [
            "drain pops without locking",
            "drain pops without any locking",
            "drain lacks locking",
            "drain has no locking",
            "drain is missing locking",
        ] {
            assert_eq!(denied(claim), [("locking".to_owned(), plain_kind(&[]))], "{claim}");
        }
        let check = [("check".to_owned(), plain_kind(&[])), ("drain".to_owned(), Kind::Name)];
        assert_eq!(denied("run is missing a check by `drain`"), check);
        assert_eq!(denied("run lacks a check in drain"), check[..1]);
        let done = |what: &str| Kind::Done { what: vec![what.to_owned()] };
        assert_eq!(denied("drain does not lock the queue"), [("lock".to_owned(), done("queue"))]);
        assert_eq!(
            denied("drain has no lock around the counter"),
            [("lock".to_owned(), plain_kind(&["counter"]))]
        );
        let unlocked = Denied { word: "locks".to_owned(), kind: done("queue") };
        assert!(has("a.py", "lock(self.queue)", &unlocked) && !has("a.py", "# lock the queue", &unlocked));
        assert!(!has("a.py", "raise Bug('the queue is not locked')", &unlocked));
        let plain = |word: &str| Denied { word: word.to_owned(), kind: plain_kind(&[]) };
        assert!(has("a.py", "with self._lock:", &plain("locking")));
        assert!(!has("a.py", "block = 1", &plain("locking")));
        let call = Denied { word: "drain".to_owned(), kind: Kind::Call };
        assert!(has("a.py", "  drain(queue)", &call) && !has("a.py", "drained(", &call));
        let unused = Denied { word: "drain".to_owned(), kind: Kind::Use };
        for line in ["def drain(queue):", "from queue import drain", "# drain(queue)"] {
            assert!(!has("a.py", line, &call) && !has("a.py", line, &unused), "{line}");
        }
        assert!(has("a.py", "jobs = [drain]", &unused) && !has("a.py", "jobs = [drain]", &call));
    }
}
