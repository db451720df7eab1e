//! Words: identifiers cut where people read them apart, whatever the spelling.
//!
//! `parseHTTPHeader2`, `parse_http_header_2` and "parse HTTP header 2" share their parts. A compound identifier is
//! also kept as one word, without its joints, so that naming it exactly counts for more than naming its parts.

use rustc_hash::FxHashMap;

use super::stem::stem;
use super::stop::is_stop;

/// A word, by its hash: words of many files meet without a shared table.
pub type Term = u64;

/// A shorter part says nothing alone.
const MIN_PART: usize = 2;
/// A longer word is data.
const MAX_WORD: usize = 64;

/// As many different words are remembered before all are forgotten.
const MAX_KNOWN: usize = 1 << 15;

/// Cuts text into terms; remembers words that it has cut, because code says the same words again and again.
#[derive(Debug, Default)]
pub struct Terms {
    whole: String,
    part: String,
    /// Where the terms of a word stand in `cut`.
    known: FxHashMap<Box<str>, (u32, u32)>,
    cut: Vec<Term>,
}

impl Terms {
    /// Hands over every term of `text`, in order; parts of an identifier first, then the identifier as one word.
    pub fn each(&mut self, text: &str, mut found: impl FnMut(Term)) {
        for word in raw_words(text) {
            if word.len() > MAX_WORD {
                pairs_of(word).for_each(&mut found);
                continue;
            }
            let (start, end) = match self.known.get(word) {
                Some(&range) => range,
                None => self.learn(word),
            };
            self.cut[start as usize..end as usize].iter().for_each(|&term| found(term));
        }
    }

    fn learn(&mut self, word: &str) -> (u32, u32) {
        if self.known.len() >= MAX_KNOWN {
            self.known.clear();
            self.cut.clear();
        }
        let start = self.cut.len() as u32;
        self.cut_word(word);
        let range = (start, self.cut.len() as u32);
        self.known.insert(word.into(), range);
        range
    }

    fn cut_word(&mut self, word: &str) {
        self.whole.clear();
        let mut parts = 0;
        for part in parts_of(word) {
            self.part.clear();
            self.part.extend(part.chars().flat_map(char::to_lowercase));
            self.whole.push_str(&self.part);
            parts += 1;
            if self.part.len() >= MIN_PART && !is_stop(&self.part) && !is_number(&self.part) {
                self.cut.extend(pairs_of(&self.part));
                self.cut.push(hash(stem(&self.part)));
            }
        }
        if parts > 1 {
            self.cut.push(hash(&self.whole));
        }
    }
}

/// Each two neighbouring signs of a script that puts no space between words: nobody knows where its words end.
fn pairs_of(part: &str) -> impl Iterator<Item = Term> {
    let is_long = part.chars().filter(|&sign| is_unspaced(sign)).count() > 2;
    let starts = part.char_indices().filter(move |&(_, sign)| is_long && is_unspaced(sign));
    starts.filter_map(|(at, sign)| {
        let next = part[at + sign.len_utf8()..].chars().next().filter(|&next| is_unspaced(next))?;
        Some(hash(&part[at..at + sign.len_utf8() + next.len_utf8()]))
    })
}

/// Kana, Han, Hangul and Thai.
fn is_unspaced(sign: char) -> bool {
    matches!(sign, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{0e00}'..='\u{0e7f}')
}

/// Every term of a text.
pub fn terms_of_text(text: &str) -> Vec<Term> {
    let mut terms = Vec::new();
    Terms::default().each(text, |term| terms.push(term));
    terms
}

/// The distinct terms of a question, with how often each was said, in the order they were first said.
pub fn terms_of_query(text: &str) -> Vec<(Term, u32)> {
    let mut counted: Vec<(Term, u32)> = Vec::new();
    Terms::default().each(text, |term| match counted.iter_mut().find(|(known, _)| *known == term) {
        Some((_, times)) => *times += 1,
        None => counted.push((term, 1)),
    });
    counted
}

/// Runs of letters, digits and underscores.
pub fn raw_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

/// The parts of an identifier: at underscores, before a capital after a small letter, before the last capital of
/// a run that small letters follow, and between letters and digits.
pub fn parts_of(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches('_');
        if rest.is_empty() {
            return None;
        }
        let end = joint(rest);
        let (part, after) = rest.split_at(end);
        rest = after;
        Some(part)
    })
}

#[derive(Clone, Copy, PartialEq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Joint,
}

fn class(c: char) -> Class {
    match c {
        '_' => Class::Joint,
        c if c.is_uppercase() => Class::Upper,
        c if c.is_numeric() => Class::Digit,
        _ => Class::Lower,
    }
}

/// Where the first part of an identifier ends.
fn joint(word: &str) -> usize {
    let mut chars = word.char_indices().map(|(at, c)| (at, class(c)));
    let Some((_, mut last)) = chars.next() else { return 0 };
    let mut run_start = 0;
    for (at, now) in chars {
        let cut = match (last, now) {
            (_, Class::Joint) => Some(at),
            (Class::Lower, Class::Upper) => Some(at),
            // Of `HTTPServer` the S belongs to the word after it.
            (Class::Upper, Class::Lower) => (run_start > 0).then_some(run_start),
            (Class::Digit, Class::Lower | Class::Upper) | (Class::Lower | Class::Upper, Class::Digit) => {
                Some(at)
            }
            _ => None,
        };
        if let Some(cut) = cut {
            return cut;
        }
        // Where the last capital of a run stands, if the run is longer than one.
        if now == Class::Upper {
            run_start = at;
        }
        last = now;
    }
    word.len()
}

fn is_number(part: &str) -> bool {
    part.bytes().all(|b| b.is_ascii_digit())
}

/// FNV-1a: the same on every machine, so that what is kept on disk can be read anywhere.
pub fn hash(word: &str) -> Term {
    word.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(word: &str, expected: &str) {
        assert_eq!(parts_of(word).collect::<Vec<_>>().join(" "), expected);
    }

    #[test]
    fn identifiers_are_cut_where_people_read_them_apart() {
        check("parseHTTPHeader2", "parse HTTP Header 2");
        check("parse_http_header_2", "parse http header 2");
        check("__init__", "init");
        check("HTTP", "HTTP");
        check("HTTPServer", "HTTP Server");
        check("XMLHttpRequest", "XML Http Request");
        check("utf8Decode", "utf 8 Decode");
        check("Größe", "Größe");
        check("SOME_CONST", "SOME CONST");
        check("aB", "a B");
    }

    #[test]
    fn a_script_without_spaces_is_found_by_a_part_of_what_it_says() {
        let said = terms_of_text("def 合計を計算する(): pass");
        for part in ["計算", "合計", "計算する", "合計を計算する"] {
            assert!(
                terms_of_text(part).iter().all(|term| said.contains(term) || part == "計算する"),
                "{part}"
            );
            assert!(terms_of_text(part).iter().any(|term| said.contains(term)), "{part}");
        }
        assert!(!terms_of_text("引算").iter().any(|term| said.contains(term)));
        let long = "この関数は与えられたすべての商品の価格の合計を計算して返します";
        assert!(terms_of_text(long).contains(&terms_of_text("合計")[0]));
        // What has spaces is cut as before.
        assert_eq!(terms_of_text("größe").len(), 1);
    }

    #[test]
    fn one_name_in_every_spelling_has_the_same_terms() {
        let camel = terms_of_text("parseHttpHeader");
        assert_eq!(camel, terms_of_text("parse_http_header"));
        assert_eq!(camel, terms_of_text("ParseHTTPHeader"));
        assert_eq!(camel.len(), 4, "three parts and the whole");
        assert_eq!(camel[..3], terms_of_text("parse HTTP headers")[..]);
    }

    #[test]
    fn a_question_counts_its_words() {
        let terms = terms_of_query("cache the cache of caches");
        assert_eq!(terms, [(hash(stem("cache")), 3)]);
    }
}
