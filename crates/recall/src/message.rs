//! Messages: what the strings of a source say, put together as the program prints them.
//!
//! A long message stands on several lines, and has values between its words. What a program printed is compared with the whole
//! of it: every word in its order, and something where the source has a value.

use crate::text::{Kind, Line, is_stop, raw_words};

/// Strings that stand together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// Of the strings, counted from the first that was read.
    pub first: usize,
    pub last: usize,
    /// In lower case, without marks and escapes, with its placeholders, and a sign for what stands between its strings.
    pub text: String,
    items: Vec<Item>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Item {
    Word(String),
    Value,
    Number,
}

/// How a message was found in what somebody quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filled {
    /// Words of the message that are no values.
    pub words: usize,
    /// Whether nothing stands before or after it.
    pub is_all: bool,
}

/// Words that can be compared at once.
pub const MAX_WORDS: usize = 60;
/// Words that one value can have.
const MAX_VALUE: usize = 16;
/// Parts of one number: `1.5e-3`.
const MAX_NUMBER: usize = 4;
/// Fewer words of a message, and fewer that mean something, say nothing, unless there is hardly more.
const MIN_WORDS: usize = 3;
const MIN_TELLING: usize = 2;
/// Words of values beside a short message.
const MAX_BESIDE: usize = 4;
/// What stands between two strings of one message is shorter.
const MAX_BETWEEN: usize = 160;

/// All messages in these lines, in order.
pub fn messages(lines: &[Line<'_>]) -> Vec<Message> {
    let mut found = Vec::new();
    let mut open: Option<Message> = None;
    let mut between = String::new();
    for (at, line) in lines.iter().enumerate() {
        for &(part, kind) in &line.parts {
            match kind {
                Kind::Comment => {}
                Kind::Code => between.push_str(part),
                Kind::Text => {
                    let glue = open.is_some().then(|| Glue::of(&between)).flatten();
                    if glue.is_none() {
                        found.extend(open.take().map(Message::whole));
                    }
                    let message = open.get_or_insert_with(|| Message { first: at, ..Message::default() });
                    if glue == Some(Glue::Value) {
                        message.text.push(VALUE);
                    }
                    message.add(part);
                    message.last = at;
                    between.clear();
                }
            }
        }
        between.push(' ');
    }
    found.extend(open.map(Message::whole));
    found
}

/// Stands for what is put between two strings.
const VALUE: char = '\0';

/// What stands between two strings of one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Glue {
    Nothing,
    Value,
}

impl Glue {
    /// Nothing where two strings do not belong together.
    fn of(between: &str) -> Option<Self> {
        let code = without_prefix(between.trim()).trim();
        if code.is_empty() || code == "\\" {
            return Some(Self::Nothing);
        }
        let sign = ["+", "..", ".", "<<", "&"].into_iter().find(|sign| code.starts_with(sign))?;
        if code == sign {
            return Some(Self::Nothing);
        }
        let is_one = code.ends_with(sign) && code.len() <= MAX_BETWEEN && !code.contains([';', '{', '}']);
        let mut depth = 0_i32;
        let has_comma = code.chars().any(|c| {
            depth += i32::from(matches!(c, '(' | '[')) - i32::from(matches!(c, ')' | ']'));
            c == ',' && depth <= 0
        });
        (is_one && !has_comma).then_some(Self::Value)
    }
}

/// Code without the letters before a string that say what kind it is: `f"..."`.
fn without_prefix(code: &str) -> &str {
    let bare = code.trim_end_matches(['f', 'r', 'b', 'u', 'F', 'R', 'B', 'U', 'L']);
    let is_name = bare.chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_');
    if code.len() - bare.len() <= 2 && !is_name { bare } else { code }
}

impl Message {
    fn add(&mut self, literal: &str) {
        let text = plain(literal);
        // A string that goes on from the line before.
        if !literal.starts_with(['"', '\'', '`']) && !self.text.is_empty() && !self.text.ends_with('\\') {
            self.text.push(' ');
        }
        let text = if self.text.ends_with('\\') { text.trim_start() } else { &text };
        if self.text.ends_with('\\') {
            self.text.pop();
        }
        self.text.push_str(text);
    }

    /// Knows its words, once all its strings are there: a value may begin in one and end in another.
    fn whole(mut self) -> Self {
        let text = std::mem::take(&mut self.text);
        let mut rest = text.as_str();
        while let Some((fixed, value, after)) = next_value(rest) {
            self.words(fixed);
            self.items.push(value);
            rest = after;
        }
        self.words(rest);
        self.text = text;
        self
    }

    fn words(&mut self, text: &str) {
        self.items.extend(raw_words(text).map(|word| Item::Word(word.to_owned())));
    }

    /// Whether all of it stands in these words, in order.
    pub fn fill(&self, words: &[String]) -> Option<Filled> {
        let fixed = self.items.iter().filter_map(|item| match item {
            Item::Word(word) => Some(word.as_str()),
            _ => None,
        });
        let (count, telling) =
            fixed.fold((0, 0), |(all, telling), word| (all + 1, telling + usize::from(tells(word))));
        let is_short = words.len() <= count + MAX_BESIDE;
        let is_telling = telling >= MIN_TELLING && count >= MIN_WORDS;
        // `unrecognized flag {}`, `{} has no attribute {}`
        let is_all_there = is_short && (telling == count && count == 2 || telling > 0 && count >= MIN_WORDS);
        if words.len() > MAX_WORDS || !is_telling && !is_all_there || count > words.len() {
            return None;
        }
        let all = (1_u64 << (words.len() + 1)) - 1;
        let starts_with_value = self.items.first().is_some_and(|item| !matches!(item, Item::Word(_)));
        let ends_with_value = self.items.last().is_some_and(|item| !matches!(item, Item::Word(_)));
        let at_start = self.ends(words, if starts_with_value { all } else { 1 });
        let is_all = at_start >> words.len() & 1 == 1 || at_start != 0 && ends_with_value;
        (is_all || is_telling && self.ends(words, all) != 0).then_some(Filled { words: count, is_all })
    }

    /// The places in the words where it can end, as bits, where it can begin at these.
    fn ends(&self, words: &[String], starts: u64) -> u64 {
        let places = |is_such: &dyn Fn(&str) -> bool| {
            words.iter().enumerate().fold(0, |bits, (at, word)| bits | u64::from(is_such(word)) << at)
        };
        let all = (1_u64 << (words.len() + 1)) - 1;
        let mut at = starts;
        for item in &self.items {
            at = match item {
                Item::Word(own) => (at & places(&|word| word == own)) << 1,
                Item::Value => (0..=MAX_VALUE).fold(0, |bits, more| bits | at << more),
                Item::Number => {
                    let digits = places(&|word| word.starts_with(|c: char| c.is_ascii_digit()));
                    (0..MAX_NUMBER).fold(at, |bits, _| bits | (bits & digits) << 1)
                }
            } & all;
            if at == 0 {
                break;
            }
        }
        at
    }
}

/// Whether a word means something.
fn tells(word: &str) -> bool {
    word.len() > 2 && !is_stop(word)
}

/// A literal without its marks and escapes, in lower case. A backslash at the end is kept: it carries the string on.
fn plain(literal: &str) -> String {
    let inside = ['"', '\'', '`'].into_iter().find_map(|mark| {
        let inside = literal.strip_prefix(mark)?;
        Some(inside.strip_suffix(mark).unwrap_or(inside))
    });
    let mut text = String::with_capacity(literal.len());
    let mut chars = inside.unwrap_or_else(|| literal.trim_end_matches(['"', '`'])).chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', None) => text.push(c),
            ('\\', Some('n' | 't' | 'r')) => {
                chars.next();
                text.push(' ');
            }
            ('\\', Some(_)) => text.extend(chars.next().map(|c| c.to_ascii_lowercase())),
            (c, _) => text.extend(c.to_lowercase()),
        }
    }
    text
}

/// The next `{x}`, `${x}`, `%s` or `%(x)d`: what stands before it, what it is, and what stands after it.
fn next_value(text: &str) -> Option<(&str, Item, &str)> {
    for (at, c) in text.char_indices() {
        let after = &text[at + c.len_utf8()..];
        match c {
            VALUE => return Some((&text[..at], Item::Value, after)),
            '{' => {
                let mut depth = 1;
                let end = after.char_indices().find(|&(_, c)| {
                    depth += i32::from(c == '{') - i32::from(c == '}');
                    depth == 0
                });
                let after = end.map_or("", |(end, c)| &after[end + c.len_utf8()..]);
                return Some((text[..at].trim_end_matches('$'), Item::Value, after));
            }
            '%' => {
                let named =
                    after.strip_prefix('(').and_then(|rest| rest.split_once(')')).map(|(_, rest)| rest);
                let rest = named.unwrap_or(after);
                let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || "+-#.*lhzj".contains(c));
                let Some(kind) = rest.chars().next().filter(char::is_ascii_alphabetic) else { continue };
                let is_number = matches!(kind, 'd' | 'i' | 'u' | 'f' | 'g' | 'e');
                let item = if is_number { Item::Number } else { Item::Value };
                return Some((&text[..at], item, &rest[1..]));
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Style;

    fn said(path: &str, source: &str) -> Vec<(usize, usize, String)> {
        let found = messages(&Style::of(path).lines(source));
        found.into_iter().map(|one| (one.first + 1, one.last + 1, one.text)).collect()
    }

    fn fill(path: &str, source: &str, quote: &str) -> Option<(usize, bool)> {
        let words: Vec<String> = raw_words(&quote.to_lowercase()).map(str::to_owned).collect();
        let found = messages(&Style::of(path).lines(source));
        let filled = found.iter().filter_map(|message| message.fill(&words)).max_by_key(|one| one.words);
        filled.map(|one| (one.words, one.is_all))
    }

    #[test]
    fn strings_that_stand_together_are_one_message() {
        let one = |line, last, text: &str| (line, last, text.to_owned());
        assert_eq!(
            said("a.py", "raise E(\n    f\"The {x!r} in\"\n    \" module\\n\"\n    'A', 'b'\n)"),
            [one(2, 4, "the {x!r} in module a"), one(4, 4, "b")]
        );
        assert_eq!(said("a.rs", "bail!(\n    \"one \\\n     two\",\n)"), [one(2, 3, "one two")]);
        assert_eq!(
            said("a.ts", "new E(\n  'one ' +\n    name +\n    ` two ${x}`,\n)"),
            [one(2, 4, "one \0  two ${x}")]
        );
        assert_eq!(said("a.go", "f(`one\ntwo`)"), [one(1, 2, "one two")], "lines are words apart");
        assert_eq!(said("a.go", "f(\"a\", \"b\")\ng(\"c\")").len(), 3, "arguments are said apart");
        assert_eq!(said("a.py", "'''Doc.'''\n# note 'x'\nf('y')"), [one(3, 3, "y")], "comments say nothing");
    }

    #[test]
    fn a_message_is_there_with_all_its_words_and_any_values() {
        let source =
            "raise E(\n    f\"The factory {app!r} in module\"\n    f\" {m!r} could not be called\"\n)";
        let quote = "The factory 'make' in module 'hello.app' could not be called";
        assert_eq!(fill("a.py", source, quote), Some((8, true)));
        assert_eq!(
            fill("a.py", source, "Hi: the factory x in module y could not be called today"),
            Some((8, false))
        );
        assert_eq!(fill("a.py", source, "The factory could be called in module y"), None, "in order");
        assert_eq!(
            fill("a.py", "E(f'{x} did not yield a value')", "db did not yield a value"),
            Some((5, true))
        );
        assert_eq!(
            fill("a.py", "E(f'{x} is not a {y}')", "db is not a thing"),
            None,
            "words that are everywhere"
        );
    }

    #[test]
    fn a_number_is_not_any_words() {
        let exact = "f(\"accepts %d arg(s), received %d\")";
        assert_eq!(fill("a.go", exact, "accepts 2 arg(s), received 3"), Some((4, true)));
        assert_eq!(fill("a.go", exact, "accepts between 1 and 2 arg(s), received 3"), None);
        assert_eq!(fill("a.go", "f(\"100%% of %s was read\")", "100% of a.txt was read"), Some((4, true)));
    }
}
