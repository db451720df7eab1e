//! Spelling: a word that nothing in the code has, read as the nearest word that something has.
//!
//! The index knows words by their hashes, so nothing is scanned: what somebody may have meant is spelled out and looked up.

use crate::corpus::Corpus;
use crate::text::{Term, hash, parts_of, raw_words, terms_of_text};

/// Shorter words have too many neighbours.
const MIN_WORD: usize = 3;
/// From here on a letter may be missing, too much or another one; before, letters may only be swapped or doubled.
const MIN_LOOSE: usize = 6;
/// Letters before `ly` of what is certainly an adverb.
const MIN_ADVERB: usize = 5;
/// From here on there may be two mistakes.
const MIN_TWICE: usize = 7;
/// A longer word is data.
const MAX_WORD: usize = 24;

/// A question as it was understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spelled {
    pub query: String,
    /// Words that nothing has, and what they were read as.
    pub read_as: Vec<(String, String)>,
}

/// Reads unknown words of a question as known ones, where they are near enough. Words of the history are known, too, and
/// those that stand `elsewhere`.
pub fn spelled(corpus: &Corpus, query: &str, elsewhere: &[String]) -> Spelled {
    let words: Vec<&str> = raw_words(query).collect();
    let said: Vec<&&str> = words.iter().filter(|word| !terms_of_text(word).is_empty()).collect();
    let unknown: Vec<&str> = said
        .iter()
        .map(|word| **word)
        .filter(|word| !elsewhere.iter().any(|one| one == word))
        .filter(|word| is_plain(word) && !is_known(corpus, word) || is_unknown_identifier(corpus, word))
        .collect();
    if unknown.is_empty() || unknown.len() > MAX_UNKNOWN {
        return Spelled { query: query.to_owned(), read_as: Vec::new() };
    }
    let known = said.len() - unknown.len();
    let most = match () {
        () if known == 0 => Mistakes::Two,
        () if known < said.len().div_ceil(2) => Mistakes::One,
        () => Mistakes::Slips,
    };
    let mut spelled = Spelled::default();
    let mut rest = query;
    let mut before = String::new();
    for word in &words {
        let at = word.as_ptr() as usize - rest.as_ptr() as usize;
        let read = match unknown.contains(word) {
            true if is_plain(word) => nearest(corpus, &before, word, most),
            true => nearest_identifier(corpus, word, most),
            false => None,
        };
        let shown = read.as_deref().unwrap_or(word);
        spelled.query.push_str(&rest[..at]);
        spelled.query.push_str(shown);
        before = shown.to_lowercase();
        rest = &rest[at + word.len()..];
        if let Some(read) = read
            && !spelled.read_as.iter().any(|(known, _)| known == word)
        {
            spelled.read_as.push(((*word).to_owned(), read));
        }
    }
    spelled.query.push_str(rest);
    spelled
}

/// Who says more words that nobody knows speaks of something else.
const MAX_UNKNOWN: usize = 8;

/// How far a word may be from what it is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mistakes {
    /// Two letters swapped, or one doubled or not.
    Slips,
    One,
    Two,
}

fn is_plain(word: &str) -> bool {
    let is_letters = word.bytes().all(|byte| byte.is_ascii_alphabetic());
    (MIN_WORD..=MAX_WORD).contains(&word.len()) && is_letters && parts_of(word).nth(1).is_none()
}

/// Whether a word has several parts and nothing is called so. That its parts are known says little: `parseConfgi` is no name.
fn is_unknown_identifier(corpus: &Corpus, word: &str) -> bool {
    let is_letters = word.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    let parts = parts_of(word).take(MAX_PARTS + 1).count();
    is_letters && (2..=MAX_PARTS).contains(&parts) && corpus.text.files_with(whole(parts_of(word))) == 0
}

/// Who writes longer names does not type them.
const MAX_PARTS: usize = 6;

/// An identifier as the index has it: in small letters and without joints.
fn whole<'a>(parts: impl Iterator<Item = &'a str>) -> Term {
    hash(&parts.collect::<String>().to_lowercase())
}

/// An identifier with one mistake, read as one that the code has, or at least with the parts that nothing has read as what
/// they are near to.
fn nearest_identifier(corpus: &Corpus, word: &str, most: Mistakes) -> Option<String> {
    let parts: Vec<&str> = parts_of(word).collect();
    let mut best: Option<(usize, String)> = None;
    for (at, part) in parts.iter().enumerate().filter(|(_, part)| part.len() >= MIN_WORD) {
        let small = part.to_lowercase();
        for candidate in slips(&small).into_iter().chain(edits(&small)) {
            let named = parts
                .iter()
                .enumerate()
                .map(|(other, part)| if other == at { candidate.as_str() } else { *part });
            let with = corpus.text.files_with(whole(named));
            if with > 0 {
                let read = with_parts(word, |other| (other == at).then_some(candidate.as_str()));
                if best.as_ref().is_none_or(|(known, text)| (*known, &read) < (with, text)) {
                    best = Some((with, read));
                }
            }
        }
    }
    if let Some((_, read)) = best {
        return Some(read);
    }
    let mut read: Vec<Option<String>> = Vec::new();
    let mut before = String::new();
    for part in parts {
        let is_unknown = is_plain(part) && !is_known(corpus, part);
        let found = is_unknown.then(|| nearest(corpus, &before, part, most)).flatten();
        before = found.clone().unwrap_or_else(|| part.to_lowercase());
        read.push(found);
    }
    read.iter().any(Option::is_some).then(|| with_parts(word, |at| read[at].as_deref()))
}

/// A word with some of its parts said otherwise, begun by a capital where the part was.
fn with_parts<'a>(word: &str, said: impl Fn(usize) -> Option<&'a str>) -> String {
    let mut out = String::new();
    let mut rest = word;
    for (at, part) in parts_of(word).enumerate() {
        let start = part.as_ptr() as usize - rest.as_ptr() as usize;
        out.push_str(&rest[..start]);
        match said(at) {
            Some(said) if part.starts_with(|letter: char| letter.is_ascii_uppercase()) => {
                out.push_str(&said[..1].to_uppercase());
                out.push_str(&said[1..]);
            }
            said => out.push_str(said.unwrap_or(part)),
        }
        rest = &rest[start + part.len()..];
    }
    out + rest
}

/// Whether the code or its history has a word.
pub fn is_known(corpus: &Corpus, word: &str) -> bool {
    let whole = corpus.text.files_with(hash(&word.to_lowercase())) > 0;
    whole
        || terms_of_text(word)
            .into_iter()
            .any(|term| files_with(corpus, term) > 0 || corpus.past.said_of(term) > 0)
}

fn files_with(corpus: &Corpus, term: Term) -> usize {
    corpus.text.files_with(term).max(corpus.text.in_paths(term).0.len())
}

/// The nearest word: by mistakes, by whether it makes one identifier with the word before, by how many files have it.
fn nearest(corpus: &Corpus, before: &str, word: &str, most: Mistakes) -> Option<String> {
    let word = word.to_lowercase();
    // Nobody misspells `wrong` as `wrongly`.
    let plain = word.strip_suffix("ly").filter(|rest| rest.len() >= MIN_ADVERB && is_known(corpus, rest));
    if let Some(plain) = plain {
        return Some(plain.to_owned());
    }
    let most = match word.len() {
        len if len < MIN_LOOSE => Mistakes::Slips,
        len if len < MIN_TWICE => most.min(Mistakes::One),
        // A long word has hardly any neighbours that mean something else.
        _ => most.max(Mistakes::One),
    };
    for mistakes in [Mistakes::Slips, Mistakes::One, Mistakes::Two] {
        if mistakes > most {
            break;
        }
        let candidates = match mistakes {
            Mistakes::Slips => slips(&word),
            Mistakes::One => edits(&word),
            Mistakes::Two => twice(&word),
        };
        let mut best: Option<((bool, usize), String)> = None;
        for candidate in candidates {
            let [term] = terms_of_text(&candidate)[..] else { continue };
            let with = files_with(corpus, term);
            if with == 0 {
                continue;
            }
            let joined =
                !before.is_empty() && corpus.text.files_with(hash(&format!("{before}{candidate}"))) > 0;
            let worth = (joined, with);
            let is_better = best
                .as_ref()
                .is_none_or(|(known, text)| worth > *known || worth == *known && candidate < *text);
            if is_better {
                best = Some((worth, candidate));
            }
        }
        if let Some((_, read)) = best {
            return Some(read);
        }
    }
    None
}

/// Neighbours swapped, letters doubled or made single.
fn slips(word: &str) -> Vec<String> {
    let bytes = word.as_bytes();
    let mut found = Vec::new();
    for at in 0..bytes.len() {
        let mut doubled = word.to_owned();
        doubled.insert(at, bytes[at] as char);
        found.push(doubled);
        if let Some(&next) = bytes.get(at + 1) {
            if next == bytes[at] {
                found.push([&word[..at], &word[at + 1..]].concat());
            } else {
                let swapped = [&word[..at], &word[at + 1..at + 2], &word[at..at + 1], &word[at + 2..]];
                found.push(swapped.concat());
            }
        }
    }
    found
}

/// One letter missing, too much, or another one that is said or typed alike. The first letter is right.
fn edits(word: &str) -> Vec<String> {
    let bytes = word.as_bytes();
    let mut found = Vec::new();
    for at in 1..=bytes.len() {
        for letter in b'a'..=b'z' {
            let mut more = word.to_owned();
            more.insert(at, letter as char);
            found.push(more);
        }
        if let Some(&own) = bytes.get(at) {
            found.push([&word[..at], &word[at + 1..]].concat());
            for letter in (b'a'..=b'z').filter(|&letter| is_alike(own, letter)) {
                let mut other = word.to_owned();
                other.replace_range(at..at + 1, (letter as char).encode_utf8(&mut [0; 4]));
                found.push(other);
            }
        }
    }
    found
}

/// Two mistakes, one of them a slip.
fn twice(word: &str) -> Vec<String> {
    let first = word.as_bytes()[0];
    let keeps = |found: &String| found.as_bytes()[0] == first;
    let after_slip =
        slips(word).into_iter().filter(keeps).flat_map(|slip| [slips(&slip), edits(&slip)].concat());
    after_slip.filter(keeps).collect()
}

/// Whether two letters stand side by side on a keyboard, or are said alike.
fn is_alike(one: u8, other: u8) -> bool {
    const ROWS: [&[u8]; 3] = [b"qwertyuiop", b"asdfghjkl", b"zxcvbnm"];
    const SOUNDS: [&[u8]; 7] = [b"aeiouy", b"ckq", b"cs", b"sz", b"dt", b"bp", b"mn"];
    let place = |letter: u8| {
        ROWS.iter()
            .enumerate()
            .find_map(|(row, keys)| Some((row, keys.iter().position(|&key| key == letter)?)))
    };
    let beside = place(one).zip(place(other)).is_some_and(|((row, at), (other_row, other_at))| {
        row.abs_diff(other_row) + at.abs_diff(other_at) == 1
    });
    one != other && (beside || SOUNDS.iter().any(|group| group.contains(&one) && group.contains(&other)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::corpus::NamedCommit;
    use crate::text::{FileBag, Source, TextIndex};

    fn read(query: &str) -> String {
        let files = [
            ("a.py", "def receive(message):\n    connection_pool.acquire(message)\n    leading = spending\n"),
            ("b.py", "def poll():\n    # authentication\n    poll()\n"),
            ("c.py", "poll()\nseparate()\n"),
        ];
        let bags = files.map(|(path, text)| Arc::new(FileBag::of(&Source { path, text, spans: Vec::new() })));
        let message = "hurried commit";
        let files = ["a.py".to_owned()];
        let commits = [NamedCommit { message, time_ms: 0, files: &files }];
        let corpus = Corpus::of(TextIndex::of(bags.into()), commits.into_iter(), None);
        let spelled = spelled(&corpus, query, &[]);
        let read: Vec<String> = spelled.read_as.iter().map(|(from, to)| format!("{from}>{to}")).collect();
        format!("{} [{}]", spelled.query, read.join(" "))
    }

    #[test]
    fn a_word_that_nothing_has_is_read_as_the_nearest() {
        assert_eq!(read("recieve a message"), "receive a message [recieve>receive]");
        assert_eq!(
            read("conection pol"),
            "connection pool [conection>connection pol>pool]",
            "what goes together wins"
        );
        assert_eq!(read("Authentcation!"), "authentication! [Authentcation>authentication]");
        assert_eq!(read("seperate"), "separate [seperate>separate]");
        assert_eq!(read("leadingly"), "leading [leadingly>leading]");
        assert_eq!(
            read("receive poll autentication"),
            "receive poll authentication [autentication>authentication]"
        );
        assert_eq!(read("autentiication"), "authentication [autentiication>authentication]");
    }

    #[test]
    fn an_identifier_that_nothing_has_is_read_as_one_that_something_has() {
        assert_eq!(read("conectionPool"), "connectionPool [conectionPool>connectionPool]");
        assert_eq!(read("ConnectionPol timeout"), "ConnectionPool timeout [ConnectionPol>ConnectionPool]");
        assert_eq!(read("connection_pools"), "connection_pool [connection_pools>connection_pool]");
        assert_eq!(
            read("receiveAutentication"),
            "receiveAuthentication [receiveAutentication>receiveAuthentication]"
        );
        assert_eq!(read("connectionPool"), "connectionPool []");
        assert_eq!(
            read("receivePoll"),
            "receivePoll []",
            "its parts are known, and nothing is called nearly so"
        );
    }

    #[test]
    fn words_that_are_known_or_mean_something_else_stay() {
        assert_eq!(
            read("receive poll hurryed"),
            "receive poll hurryed []",
            "no slip, and most words are known"
        );
        assert_eq!(read("hurried"), "hurried []", "earlier changes said it");
        assert_eq!(read("leaking"), "leaking []", "k is not d");
        assert_eq!(read("the of"), "the of []");
        assert_eq!(read("pal"), "pal []", "three letters have too many neighbours");
    }
}
