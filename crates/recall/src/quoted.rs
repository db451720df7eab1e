//! Quoted: text that a question quotes, and the symbol that says it.
//!
//! A message that a program printed has values where the source has placeholders, so it is compared by its words: all words of a
//! message of the source in their order, or a long run of a line.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use crate::corpus::Corpus;
use crate::fuse::best;
use crate::message::{MAX_WORDS, Message};
use crate::place::is_test;
use crate::report::{Part, Told, told};
use crate::text::{Bm25, Kind, Line, Term, UnitIx, raw_words, terms_of_query, terms_of_text};

/// A text that may stand in the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote {
    /// In lower case.
    text: String,
    words: Vec<String>,
    /// Whether it stood between quotation marks; otherwise it is all of a line.
    pub marked: bool,
    /// Whether it is only a line below a report, which may be anything that people paste there.
    pub is_guess: bool,
    /// Whether it is what was left when what it quotes was taken out.
    is_around: bool,
    /// Words that do not look like values.
    plain: usize,
    /// So many words of it are the least that a line must have.
    least: usize,
}

/// How well it is said, the best last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// So many words of it.
    Part(usize),
    /// Letter by letter, in a comment.
    Told,
    /// All that a message of the source says, so many words, with its values between them.
    Filled(usize),
    /// Letter by letter, so many words.
    Whole(usize),
    /// The same, and nothing else.
    Exact(usize),
}

impl Fit {
    /// Whether it is there letter by letter, or all of a message is.
    pub fn is_whole(self) -> bool {
        !matches!(self, Self::Part(_))
    }

    /// Whether the program itself says it, and not only something like it or somebody about it.
    pub fn is_said(self) -> bool {
        matches!(self, Self::Filled(_) | Self::Whole(_) | Self::Exact(_))
    }

    fn rank(self) -> (u8, usize, u8) {
        match self {
            Self::Part(words) => (0, words, 0),
            Self::Told => (1, 0, 0),
            Self::Filled(words) => (2, words, 0),
            Self::Whole(words) => (2, words, 1),
            Self::Exact(words) => (2, words, 2),
        }
    }
}

impl Ord for Fit {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl PartialOrd for Fit {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Fewer words of a message prove nothing; a single one must be there letter by letter.
const MIN_RUN: usize = 3;
/// Words that a line has in common with a message that it is a part of.
const MIN_COMMON: usize = 2;
/// One word in so many must be the message's own, and not a value's.
const MIN_SHARE: usize = 3;
/// A shorter text stands everywhere.
const MIN_CHARS: usize = 6;
/// Lines of a question that are looked at, and texts that are looked for.
const MAX_LINES: usize = 12;
const MAX_QUOTES: usize = 8;
/// No run of words is enough.
const SHORT_PART: usize = usize::MAX;
/// The share of a question that a line must say for the question to be a message, though nothing marks it as one.
const UNMARKED: f32 = 0.75;
/// Three words of the title of a report are said by chance.
const MIN_TITLE: usize = 4;

/// Texts between quotation marks, and those lines of a question that may be messages: as they stand, without what they
/// quote, and sentence by sentence. What a message quotes are mostly values, and what is left is what the source says.
pub fn quotes(query: &str) -> Vec<Quote> {
    let mut found: Vec<Quote> = Vec::new();
    for quote in told(query).into_iter().take(MAX_LINES).flat_map(of_told) {
        if !found.iter().any(|known| known.text == quote.text) {
            found.push(quote);
        }
    }
    // What somebody marked as said comes before what may have been.
    found.sort_by_key(|quote| (!quote.marked, quote.is_guess));
    found.truncate(MAX_QUOTES);
    found
}

fn of_told(told: Told<'_>) -> Vec<Quote> {
    let mut found = of_line(told.text);
    let unmarked = found.iter_mut().filter(|quote| !quote.marked);
    match told.part {
        Part::Whole => {}
        Part::Title => unmarked.for_each(|quote| quote.least = quote.least.max(MIN_TITLE)),
        Part::Pasted => {
            unmarked.for_each(|quote| {
                quote.least = quote.least.max(MIN_TITLE);
                quote.is_guess = true;
            });
            // A single word between marks is a value here, or a name.
            found.retain(Quote::is_sentence);
        }
    }
    found
}

fn of_line(line: &str) -> Vec<Quote> {
    let mut found: Vec<Quote> = Vec::new();
    let mut rest_of_message = line.to_owned();
    for (open, close) in [('"', '"'), ('“', '”'), ('\'', '\''), ('`', '`')] {
        let mut rest = line;
        let mut before = None;
        while let Some(at) = rest.find(open) {
            let inside = &rest[at + open.len_utf8()..];
            let starts = rest[..at].chars().next_back().or(before).is_none_or(|c| !c.is_alphanumeric());
            let Some(end) = inside.find(close).filter(|_| starts) else {
                before = Some(open);
                rest = inside;
                continue;
            };
            let quote = Quote::of(&inside[..end], true);
            let quoted = &rest[at..at + open.len_utf8() + end + close.len_utf8()];
            rest_of_message = rest_of_message.replacen(quoted, " ", 1);
            // What stands between backticks is a name, unless it is a sentence.
            found.extend((open != '`' || quote.is_sentence()).then_some(quote));
            before = Some(close);
            rest = &inside[end + close.len_utf8()..];
        }
    }
    let whole = Quote::of(line, false);
    let around = Quote { is_around: true, ..Quote::of(&rest_of_message, false) };
    // Beside a sentence a single quoted thing is a value: an address, a path, a name.
    let (is_around, is_quoted) = (around.is_sentence(), found.iter().any(Quote::is_sentence));
    let is_message = is_around && !is_quoted && !found.is_empty();
    if is_around || is_quoted {
        found.retain(Quote::is_sentence);
    }
    if whole.is_sentence() && found.is_empty() {
        // A long message stands on several lines of the source, and people say something before and after it.
        let sentences = || line.split(". ").flat_map(|part| part.split(" - "));
        let parts = sentences().chain(sentences().flat_map(|part| part.split(": ")));
        let parts = parts.map(|one| Quote::of(one, false)).filter(|one| one.text.len() < line.len());
        // A short part is one only where it is said as it is.
        let part = |one: Quote| match one.words.len() {
            MIN_RUN => Quote { least: SHORT_PART, ..one },
            _ => one,
        };
        let parts: Vec<Quote> = parts.filter(Quote::is_sentence).map(part).collect();
        found.push(whole);
        found.extend(parts);
    }
    found.extend(is_message.then_some(around));
    found.retain(|quote| (1..=MAX_WORDS).contains(&quote.words.len()) && quote.text.len() >= MIN_CHARS);
    found
}

impl Quote {
    fn of(text: &str, marked: bool) -> Self {
        let text = text.trim().to_lowercase();
        let words: Vec<String> = raw_words(&text).map(str::to_owned).collect();
        let plain = said_words(&text);
        let telling = raw_words(&plain).filter(|word| is_telling(word)).count();
        let plain = raw_words(&plain).count();
        let least = if marked { 0 } else { (telling as f32 * UNMARKED).ceil() as usize };
        Self { text, words, marked, is_guess: false, is_around: false, plain, least: least.max(MIN_RUN) }
    }

    /// Whether it has so many words that hardly two places say it by chance. An address or a path is no sentence, whatever it is
    /// made of.
    pub fn is_sentence(&self) -> bool {
        self.words.len() >= MIN_RUN && self.text.contains(char::is_whitespace)
    }

    /// Whether it is a part of another text, or all of it.
    pub fn is_part_of(&self, other: &Self) -> bool {
        other.text.contains(&self.text)
    }

    /// Whether it is so short a part of a line that only what says nothing else says it.
    fn is_short_part(&self) -> bool {
        self.least == SHORT_PART
    }

    /// How well a line says it.
    pub fn fit(&self, line: &Line<'_>) -> Option<Fit> {
        let of = |kinds: &dyn Fn(Kind) -> bool| -> String {
            let parts = line.parts.iter().filter(|(_, kind)| kinds(*kind));
            parts.flat_map(|(part, _)| part.chars()).flat_map(char::to_lowercase).collect()
        };
        if !self.is_around && !self.is_short_part() && of(&|_| true).contains(&self.text) {
            let is_told = !of(&|kind| kind != Kind::Comment).contains(&self.text);
            return Some(if is_told { Fit::Told } else { Fit::Whole(self.words.len()) });
        }
        let parts = line.parts.iter().filter(|(_, kind)| kind.is_prose());
        let mut parts: Vec<String> = parts.map(|(part, _)| part.to_lowercase()).collect();
        // A message that is put together has its values between its strings.
        if parts.len() > 1 {
            parts.push(parts.join(" "));
        }
        let most = parts.iter().map(|part| self.in_prose(part)).max()?;
        (most >= self.least).then_some(Fit::Part(most))
    }

    /// How well a message of the source says it.
    pub fn fit_message(&self, message: &Message) -> Option<Fit> {
        if !self.is_around && message.text.contains(&self.text) {
            let is_all = message.text.trim() == self.text;
            let words = self.words.len();
            return match is_all {
                true => Some(Fit::Exact(words)),
                false => (!self.is_short_part()).then_some(Fit::Whole(words)),
            };
        }
        if let Some(filled) = message.fill(&self.words).filter(|_| !self.is_around) {
            // What is nearly all value is said by chance.
            let is_most = filled.words * MIN_SHARE >= self.plain;
            if filled.words >= self.least || filled.is_all && is_most {
                return Some(Fit::Filled(filled.words));
            }
        }
        let most = self.in_prose(&message.text);
        (most >= self.least).then_some(Fit::Part(most))
    }

    /// Whether a line of source may say it, or be a line of what says it. Only what it says no to is certain.
    pub fn may_fit(&self, line: &str) -> bool {
        let least = MIN_COMMON.min(self.words.len());
        let is_plain = line.is_ascii() && self.text.is_ascii();
        let is_word = |word: &&str| self.words.iter().any(|own| own.eq_ignore_ascii_case(word));
        !is_plain || raw_words(line).filter(is_word).take(least).count() == least || self.is_in(line)
    }

    /// Whether it is there letter by letter, where both are ASCII.
    fn is_in(&self, line: &str) -> bool {
        let mut windows = line.as_bytes().windows(self.text.len());
        windows.any(|window| window.eq_ignore_ascii_case(self.text.as_bytes()))
    }

    /// Whether a term is one of its words and not a part of one.
    fn has_plain(&self, term: Term) -> bool {
        self.words.iter().any(|word| terms_of_text(word) == [term])
    }

    /// How many words of it a string or comment has: as one run, or as all that the string says.
    fn in_prose(&self, part: &str) -> usize {
        let words: Vec<&str> = raw_words(part).collect();
        let run = longest_run(&words, &self.words);
        let fixed = without_placeholders(part);
        let fixed: Vec<&str> = raw_words(&fixed).collect();
        let mut rest = self.words.iter();
        let in_order = fixed.iter().all(|word| rest.any(|other| other == word));
        let all = if in_order { fixed.len() } else { 0 };
        let run = if run * 2 >= self.plain { run } else { 0 };
        run.max(all)
    }
}

/// A text without what looks like a value: paths, addresses, numbers, names with joints.
fn said_words(text: &str) -> String {
    let is_value = |token: &&str| {
        let inside = token.trim_matches(|c: char| !c.is_alphanumeric());
        inside.contains(['/', '\\', '.', '_', '@', '='])
            || inside.contains("::")
            || inside.contains(|c: char| c.is_ascii_digit())
    };
    text.split_whitespace().filter(|token| !is_value(token)).collect::<Vec<_>>().join(" ")
}

/// Numbers and single letters are values.
fn is_telling(word: &str) -> bool {
    word.len() > 1 && !word.bytes().all(|b| b.is_ascii_digit())
}

/// Units that have most of a quote's words: best first, the product before its tests.
pub fn holders(corpus: &Corpus, quote: &Quote, most: usize) -> Vec<UnitIx> {
    let text = &corpus.text;
    let mut scores = vec![0.0; text.unit_count()];
    let (mut possible, mut rarest) = (0.0, 0.0_f32);
    let mut known: Vec<Term> = Vec::new();
    let said = said_words(&quote.text);
    // Where all of it looks like values, some of it is said.
    let said = if terms_of_query(&said).len() < MIN_COMMON { &quote.text } else { &said };
    for (term, _) in terms_of_query(said) {
        // A word that nobody says is a value.
        if text.is_said(term) {
            let idf = Bm25::idf(text.files_with(term), text.files().len());
            possible += idf;
            rarest = rarest.max(idf);
            text.score_prose(term, idf, &mut scores);
            known.push(term);
        }
    }
    // The rarest word is a value, too, as often as not.
    possible -= if known.len() >= MIN_RUN { rarest } else { 0.0 };
    scores.iter_mut().filter(|score| **score < possible * COVERED).for_each(|score| *score = 0.0);
    // One line must have so many of its words that no more of them can be missing.
    let missing = quote.plain - quote.least.min(quote.plain);
    let plain = known.iter().filter(|&&term| quote.has_plain(term)).copied().collect::<Vec<_>>();
    if plain.len() > missing {
        let mut counts = vec![0_u16; text.unit_count()];
        plain.iter().for_each(|&term| text.count_prose(term, &mut counts));
        let least = (plain.len() - missing) as u16;
        scores.iter_mut().zip(counts).filter(|(_, count)| *count < least).for_each(|(score, _)| *score = 0.0);
    }
    // Tests repeat what the product says, and there may be many of them.
    let (mut product, mut tests) = (Vec::new(), Vec::new());
    for unit in best(&scores, most * BESIDE_TESTS) {
        let list = if is_test(text.path(text.unit(unit).file)) { &mut tests } else { &mut product };
        list.push(unit);
    }
    product.truncate(most);
    tests.truncate(most);
    product.append(&mut tests);
    product
}

/// So many times as many are looked at to find those that are no tests.
const BESIDE_TESTS: usize = 8;
/// The share of the known words that a unit must have.
const COVERED: f32 = 0.5;

/// A text without `{x}`, `${x}`, `%s` and `%(x)d`, lower case.
fn without_placeholders(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut depth = 0_usize;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '{' => depth += 1,
            '}' => {
                depth = depth.saturating_sub(1);
                kept.push(' ');
            }
            '%' if depth == 0 => {
                if chars.peek() == Some(&'(') {
                    chars.by_ref().find(|&c| c == ')');
                }
                while chars
                    .next_if(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | '#' | 'l'))
                    .is_some()
                {}
                chars.next_if(char::is_ascii_alphabetic);
                kept.push(' ');
            }
            c if depth == 0 => kept.push(c),
            _ => {}
        }
    }
    kept
}

/// How many words stand side by side in both.
fn longest_run(one: &[&str], other: &[String]) -> usize {
    let known: BTreeSet<&str> = other.iter().map(String::as_str).collect();
    if !one.iter().any(|word| known.contains(word)) {
        return 0;
    }
    let mut most = 0;
    let mut last = vec![0; other.len() + 1];
    for word in one {
        let mut row = vec![0; other.len() + 1];
        for (at, with) in other.iter().enumerate() {
            if with == word {
                row[at + 1] = last[at] + 1;
                most = most.max(row[at + 1]);
            }
        }
        last = row;
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Style;

    fn fit(query: &str, line: &str) -> Vec<Option<Fit>> {
        let line = &Style::of("a.py").lines(line)[0];
        quotes(query).iter().map(|quote| quote.fit(line)).collect()
    }

    #[test]
    fn quotes_are_found_and_apostrophes_are_not() {
        let texts = |query: &str| quotes(query).into_iter().map(|quote| quote.text).collect::<Vec<_>>();
        assert_eq!(texts("who says \"Pool is closed\"?"), ["pool is closed"]);
        assert_eq!(texts("it doesn't say 'no such file' and can't"), ["no such file"]);
        assert_eq!(texts("pool is closed"), ["pool is closed"], "the question itself");
        assert!(texts("closed").is_empty() && texts("one\ntwo").is_empty());
        assert_eq!(
            texts("Error: Pool is closed. Open the pool before you use it.\nexit status 1"),
            [
                "pool is closed. open the pool before you use it.",
                "pool is closed",
                "open the pool before you use it.",
                "exit status 1"
            ],
            "line by line and sentence by sentence"
        );
    }

    #[test]
    fn a_message_is_known_by_the_words_around_its_values() {
        let message = "why \"cannot open foo.txt: permission denied\"";
        assert_eq!(fit(message, "raise E(f'Cannot open {path}: {err}')"), [None], "two words prove nothing");
        let message = "why \"could not open foo.txt: permission denied\"";
        assert_eq!(fit(message, "raise E(f'could not open {path}: {err}')"), [Some(Fit::Part(3))]);
        assert_eq!(fit(message, "raise E('could not open %s: %s' % x)"), [Some(Fit::Part(3))]);
        assert_eq!(fit(message, "could(not open)"), [None], "code is no message");
        assert_eq!(fit("\"Pool is closed\"", "raise E('The pool is CLOSED now')"), [Some(Fit::Whole(3))]);
        assert_eq!(fit("\"Pool is closed\"", "# Once the pool is closed, stop."), [Some(Fit::Told)]);
    }

    #[test]
    fn what_a_message_quotes_is_a_value_and_the_rest_is_what_the_source_says() {
        let texts = |query: &str| quotes(query).into_iter().map(|quote| quote.text).collect::<Vec<_>>();
        assert_eq!(
            texts("unknown command \"foo\" for \"bar\""),
            ["unknown command \"foo\" for \"bar\"", "unknown command   for"]
        );
        assert_eq!(
            texts("Redirect response '302 Found' for url 'https://example.com/a/b'"),
            [
                "redirect response '302 found' for url 'https://example.com/a/b'",
                "redirect response   for url"
            ]
        );
        assert_eq!(
            texts("Client error '404 Not Found' for url 'https://www.example.org/x'"),
            ["404 not found"],
            "an address is no sentence"
        );
        let says = |query: &str, line: &str| fit(query, line).into_iter().flatten().max();
        let unknown = "E('unknown command %s for %s' % x)";
        assert_eq!(says("unknown command \"foo\" for \"bar\"", unknown), Some(Fit::Part(3)));
        let literal = "E(\"'endpoint' may not contain a dot '.' character.\")";
        assert_eq!(says("'endpoint' may not contain a dot '.' character.", literal), Some(Fit::Whole(7)));
        let joined =
            "panic(\"wildcard segment '\" + wildcard + \"' conflicts with existing children in path '\" + x)";
        let message = "panic: wildcard segment ':id' conflicts with existing children in path '/user/:id'";
        assert_eq!(says(message, joined), Some(Fit::Part(8)));
    }

    #[test]
    fn a_short_part_is_said_only_by_what_says_nothing_else() {
        let query = "Set operation on key x failed: target is readonly. Proxy(Object)";
        let said = |source: &str| {
            let found = crate::message::messages(&Style::of("a.ts").lines(source));
            quotes(query).iter().filter_map(|quote| quote.fit_message(&found[0])).max()
        };
        assert_eq!(
            said("f(`Set operation on key ${key} failed: target is readonly.`)"),
            Some(Fit::Filled(8))
        );
        assert_eq!(said("f(`Delete operation on key ${key} failed: target is readonly.`)"), None);
        assert_eq!(said("f(`target is readonly`)"), Some(Fit::Exact(3)));
    }

    #[test]
    fn a_question_without_marks_must_be_said_nearly_whole() {
        assert_eq!(fit("the pool of threads is closed", "# the pool of threads was"), [None]);
        assert_eq!(
            fit("the pool of threads is closed", "# so the pool of threads is now"),
            [Some(Fit::Part(5))]
        );
    }
}
