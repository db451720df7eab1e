//! Twins: bodies of code that are the same but for names, numbers and texts, or nearly so.
//!
//! A body is read as tokens in which every name that is no keyword looks alike, so that a copy with other names is still
//! a copy. Every few tokens in a row are a mark; bodies are alike by the share of marks they have in common. Which
//! bodies to compare is told by a sample of the marks, so that no body is compared with all others.

use std::hash::Hasher as _;

use m1nd_graph::NodeIx;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

/// Tokens in a row that make a mark.
const ROW: usize = 5;
/// One of so many marks is in the sample.
const SAMPLE: u64 = 4;
/// A mark that more bodies have is idiom, and calls for no comparison.
const IDIOM: usize = 80;
/// Bodies with fewer tokens are alike by chance.
pub const MIN_TOKENS: usize = 40;

/// A body as it is compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    pub node: NodeIx,
    /// In order.
    marks: Vec<u64>,
    /// The names in it that are no keywords, in order.
    names: Vec<u64>,
    /// All tokens in one number: equal for a copy.
    whole: u64,
    pub tokens: usize,
}

/// Two bodies that are alike.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    pub one: NodeIx,
    pub other: NodeIx,
    /// The share of marks that both have: 1 for a copy but for names and literals.
    pub similarity: f32,
    /// The share of names that both have.
    pub names: f32,
}

/// How comments and quotes are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// `//` and `/* */`.
    Slashes,
    /// The same, with a quote that may also begin a lifetime.
    Rust,
    /// `#`.
    Hash,
    /// `--`.
    Dashes,
}

impl Notation {
    pub fn of(language: &str) -> Self {
        match language {
            "rust" => Self::Rust,
            "python" | "ruby" | "bash" | "elixir" => Self::Hash,
            "lua" => Self::Dashes,
            _ => Self::Slashes,
        }
    }
}

impl Body {
    /// Nothing when the text is too short to tell.
    pub fn read(node: NodeIx, text: &str, notation: Notation) -> Option<Self> {
        let Tokens { tokens, mut names } = Tokens::of(text, notation);
        if tokens.len() < MIN_TOKENS {
            return None;
        }
        let mut marks: Vec<u64> = tokens.windows(ROW).map(hash).collect();
        marks.sort_unstable();
        marks.dedup();
        names.sort_unstable();
        names.dedup();
        Some(Self { node, marks, names, whole: hash(tokens.as_slice()), tokens: tokens.len() })
    }
}

/// Pairs that are alike by at least `least`, most alike first. Of copies only each with the first is a pair.
pub fn pairs(bodies: &[Body], least: f32) -> Vec<Pair> {
    let mut firsts: FxHashMap<u64, usize> = FxHashMap::default();
    let mut found = Vec::new();
    let mut distinct = Vec::new();
    for (at, body) in bodies.iter().enumerate() {
        match firsts.entry(body.whole) {
            std::collections::hash_map::Entry::Occupied(first) => {
                found.push(pair(&bodies[*first.get()], body, 1.0));
            }
            std::collections::hash_map::Entry::Vacant(free) => {
                free.insert(at);
                distinct.push(at);
            }
        }
    }
    let mut holders: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
    for &at in &distinct {
        for mark in bodies[at].marks.iter().filter(|mark| *mark % SAMPLE == 0) {
            holders.entry(*mark).or_default().push(at as u32);
        }
    }
    let mut compared: FxHashSet<(u32, u32)> = FxHashSet::default();
    for &at in &distinct {
        let mut common: FxHashMap<u32, u32> = FxHashMap::default();
        let sampled: Vec<&u64> = bodies[at].marks.iter().filter(|mark| *mark % SAMPLE == 0).collect();
        for mark in &sampled {
            let held = &holders[*mark];
            if held.len() <= IDIOM {
                held.iter().filter(|other| **other > at as u32).for_each(|other| {
                    *common.entry(*other).or_default() += 1;
                });
            }
        }
        // A pair that is alike has about this share of the sample in common; half of it is asked for, since some marks
        // are idiom.
        let enough = (sampled.len() as f32 * least / 2.0).max(1.0) as u32;
        for (other, marks) in common {
            if marks >= enough && compared.insert((at as u32, other)) {
                let (one, other) = (&bodies[at], &bodies[other as usize]);
                let similarity = share(&one.marks, &other.marks).min(evenness(one, other));
                if similarity >= least {
                    found.push(pair(one, other, similarity));
                }
            }
        }
    }
    found.sort_by(|a, b| {
        b.similarity
            .total_cmp(&a.similarity)
            .then(b.names.total_cmp(&a.names))
            .then((a.one, a.other).cmp(&(b.one, b.other)))
    });
    found
}

fn pair(one: &Body, other: &Body, similarity: f32) -> Pair {
    let names = share(&one.names, &other.names);
    Pair { one: one.node.min(other.node), other: one.node.max(other.node), similarity, names }
}

/// Bodies that say the same things over and over have the same marks at any length; so length counts too.
fn evenness(one: &Body, other: &Body) -> f32 {
    let (less, more) = (one.tokens.min(other.tokens), one.tokens.max(other.tokens));
    (less as f32 / more as f32).sqrt()
}

/// What two ordered lists have in common, of all that either has.
fn share(one: &[u64], other: &[u64]) -> f32 {
    let (mut at, mut common) = (0, 0);
    for value in one {
        while at < other.len() && other[at] < *value {
            at += 1;
        }
        common += usize::from(other.get(at) == Some(value));
    }
    let all = one.len() + other.len() - common;
    if all == 0 { 1.0 } else { common as f32 / all as f32 }
}

fn hash<T: std::hash::Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    // The hasher leaves the low bits poor, and they choose the sample.
    let mixed = hasher.finish();
    (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) ^ (mixed >> 32)
}

/// A text as a row of tokens.
#[derive(Default)]
struct Tokens {
    tokens: Vec<u64>,
    names: Vec<u64>,
}

/// What stands for every name, number and text.
const NAME: u64 = 1;
const NUMBER: u64 = 2;
const TEXT: u64 = 3;

impl Tokens {
    fn of(text: &str, notation: Notation) -> Self {
        let mut out = Self::default();
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let skip = match c {
                _ if c.is_whitespace() || matches!(c, ';' | ',') => c.len_utf8(),
                _ if begins_comment(rest, notation) => rest.find('\n').unwrap_or(rest.len()),
                '/' if rest.starts_with("/*") && notation != Notation::Hash => {
                    rest.find("*/").map_or(rest.len(), |end| end + 2)
                }
                '\'' if notation == Notation::Rust && !is_char_literal(rest) => 1,
                '"' | '\'' | '`' => {
                    let length = quoted(rest, c);
                    // A long text is not like any other text. What explains a function is.
                    let explains =
                        notation == Notation::Hash && rest.starts_with(&[c; 3].iter().collect::<String>());
                    let lines =
                        if explains { 0 } else { rest[..length.min(rest.len())].matches('\n').count() };
                    out.tokens.extend(std::iter::repeat_n(TEXT, lines + 1));
                    length
                }
                _ if c.is_alphabetic() || c == '_' || c == '$' => {
                    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
                    let word = &rest[..end.unwrap_or(rest.len())];
                    if KEYWORDS.contains(&word) {
                        out.tokens.push(hash(word));
                    } else {
                        out.tokens.push(NAME);
                        out.names.push(hash(word));
                    }
                    word.len()
                }
                _ if c.is_ascii_digit() => {
                    out.tokens.push(NUMBER);
                    rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())
                }
                other => {
                    out.tokens.push(hash(&other));
                    other.len_utf8()
                }
            };
            rest = &rest[skip.max(1)..];
        }
        out
    }
}

fn begins_comment(rest: &str, notation: Notation) -> bool {
    match notation {
        Notation::Slashes | Notation::Rust => rest.starts_with("//"),
        Notation::Hash => rest.starts_with('#'),
        Notation::Dashes => rest.starts_with("--"),
    }
}

/// `'x'` and `'\n'` are characters, `'a` begins a lifetime.
fn is_char_literal(rest: &str) -> bool {
    let mut chars = rest.chars().skip(1);
    match chars.next() {
        Some('\\') => true,
        Some(_) => chars.next() == Some('\''),
        None => false,
    }
}

/// The length of a quoted text, with its quotes; three quotes end with three.
fn quoted(rest: &str, quote: char) -> usize {
    let three: String = [quote; 3].iter().collect();
    if let Some(inside) = rest.strip_prefix(&three) {
        return inside.find(&three).map_or(rest.len(), |end| end + 6);
    }
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            // A quote that nothing closes, as in prose.
            '\n' if quote == '\'' => return at,
            _ => {}
        }
    }
    rest.len()
}

/// Words that shape code in some language; in others they are names, which costs little.
const KEYWORDS: [&str; 74] = [
    "abstract",
    "and",
    "as",
    "assert",
    "async",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "def",
    "default",
    "defer",
    "del",
    "do",
    "elif",
    "else",
    "elsif",
    "end",
    "enum",
    "except",
    "export",
    "extends",
    "False",
    "false",
    "final",
    "finally",
    "fn",
    "for",
    "foreach",
    "from",
    "func",
    "function",
    "go",
    "goto",
    "if",
    "impl",
    "import",
    "in",
    "instanceof",
    "interface",
    "is",
    "lambda",
    "let",
    "loop",
    "match",
    "mut",
    "new",
    "nil",
    "None",
    "not",
    "null",
    "or",
    "pass",
    "raise",
    "range",
    "return",
    "select",
    "self",
    "static",
    "struct",
    "super",
    "switch",
    "this",
    "throw",
    "True",
    "true",
    "try",
    "typeof",
    "while",
    "with",
    "yield",
];

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "fn sum(list: &[Item]) -> u64 {\n    // adds up\n    let mut total = 0;\n    for item in list {\n        \
        if item.price > 10 && !item.name.is_empty() {\n            total += item.price * item.count;\n        }\n    }\n    total\n}";
    const OTHER: &str = "fn weigh(boxes: &[Crate]) -> u64 {\n    let mut all = 5;\n    for b in boxes {\n        \
        if b.mass > 7 && !b.label.is_empty() {\n            all += b.mass * b.times;\n        }\n    }\n    all\n}";
    const THIRD: &str = "fn open(path: &Path) -> Result<File> {\n    match File::open(path) {\n        Ok(file) => Ok(file),\n        \
        Err(err) if err.kind() == NotFound => File::create(path),\n        Err(err) => Err(err.into()),\n    }\n}";

    fn body(at: u32, text: &str) -> Body {
        Body::read(NodeIx(at), text, Notation::Rust).unwrap()
    }

    #[test]
    fn a_copy_with_other_names_and_comments_is_a_copy() {
        let found = pairs(&[body(0, ONE), body(1, OTHER), body(2, THIRD)], 0.7);
        let [one] = found[..] else { panic!("{found:?}") };
        assert_eq!((one.one, one.other, one.similarity), (NodeIx(0), NodeIx(1), 1.0));
        assert!(one.names < 0.3, "{one:?}");
    }

    #[test]
    fn a_changed_copy_is_alike_by_what_stayed() {
        let changed = OTHER.replace("all\n}", "log(all);\n    audit(boxes.len(), all)?;\n    Ok(all)\n}");
        let found = pairs(&[body(0, ONE), body(1, &changed)], 0.5);
        assert_eq!(found.len(), 1);
        assert!((0.5..1.0).contains(&found[0].similarity), "{found:?}");
        assert!(pairs(&[body(0, ONE), body(1, &changed)], 0.99).is_empty());
    }

    #[test]
    fn the_same_thing_said_more_often_is_no_copy() {
        let lines = |count: usize| {
            let each: Vec<String> = (0..count)
                .map(|at| format!("    parser.add(\"{at}\", help = \"x\", default = {at})\n"))
                .collect();
            format!("def add(parser):\n{}", each.concat())
        };
        let read = |at: u32, text: &str| Body::read(NodeIx(at), text, Notation::Hash).unwrap();
        assert!(pairs(&[read(0, &lines(10)), read(1, &lines(25))], 0.7).is_empty());
        assert_eq!(pairs(&[read(0, &lines(10)), read(1, &lines(11))], 0.7).len(), 1);
    }

    #[test]
    fn short_bodies_and_lifetimes_do_not_mislead() {
        assert_eq!(Body::read(NodeIx(0), "fn a() -> u8 { 1 }", Notation::Rust), None);
        let tokens = |text: &str| Tokens::of(text, Notation::Rust).tokens;
        assert_eq!(tokens("fn f<'a>(x: &'a str)"), tokens("fn g<'b>(y: &'b String)"));
        assert_eq!(tokens("'x' + '\\'' + \"it's\""), tokens("'y' + 'z' + \"a\""));
        assert_eq!(
            Tokens::of("x = '''a # b''' # c", Notation::Hash).tokens,
            Tokens::of("y = 'd'", Notation::Hash).tokens
        );
    }
}
