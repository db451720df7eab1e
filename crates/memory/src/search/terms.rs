//! Terms: the words that full text search knows a text by, and those that a query asks for.
//!
//! Case and accents do not count. An identifier is known by itself and by its parts; a script that writes no spaces
//! is known by pairs of characters, since nothing says where its words end.

use unicode_normalization::UnicodeNormalization as _;

use crate::port::Wanted;

/// The most terms of a query that are looked up.
const MAX_TERMS: usize = 32;

/// The terms of a text, in order, separated by spaces.
pub fn index_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for run in runs(text) {
        for term in of_run(run.text) {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(&term);
        }
    }
    out
}

/// What a query asks for, each once. A word also finds its other forms: everything that begins like it without its
/// ending. `proj*` finds whatever begins so.
pub fn wanted(query: &str) -> Vec<Wanted> {
    let mut out: Vec<Wanted> = Vec::new();
    for run in runs(query) {
        let open = query[run.at + run.text.len()..].starts_with('*');
        let parts = segments(run.text);
        for (at, part) in parts.iter().enumerate() {
            let open = open && at + 1 == parts.len();
            for one in asked(part, open) {
                if !out.iter().any(|seen| seen.word == one.word) {
                    out.push(one);
                }
            }
        }
    }
    out.truncate(MAX_TERMS);
    out
}

/// Where a text first holds something that is wanted, in bytes.
pub(super) fn first_hit(text: &str, wanted: &[Wanted]) -> Option<usize> {
    let hits = |run: &Run<'_>| of_run(run.text).iter().any(|term| wanted.iter().any(|one| one.fits(term)));
    runs(text).find(hits).map(|run| run.at)
}

/// A run of letters and digits.
struct Run<'a> {
    at: usize,
    text: &'a str,
}

fn runs(text: &str) -> impl Iterator<Item = Run<'_>> {
    let parts = text.split(|c: char| !c.is_alphanumeric() && !is_accent(c)).filter(|part| !part.is_empty());
    parts.map(move |part| Run { at: part.as_ptr() as usize - text.as_ptr() as usize, text: part })
}

/// A piece of a run: one script, and of an identifier one word.
enum Segment {
    Word { whole: String, parts: Vec<String> },
    Unspaced(Vec<char>),
}

fn of_run(run: &str) -> Vec<String> {
    let mut out = Vec::new();
    for segment in segments(run) {
        match segment {
            Segment::Word { whole, parts } => {
                out.push(whole);
                out.extend(parts);
            }
            Segment::Unspaced(chars) => {
                // The last character stands alone, so that each is the beginning of some term.
                for at in 0..chars.len() {
                    out.push(chars[at..chars.len().min(at + 2)].iter().collect());
                }
            }
        }
    }
    out
}

fn asked(segment: &Segment, open: bool) -> Vec<Wanted> {
    match segment {
        Segment::Word { parts, .. } if !parts.is_empty() => {
            let last = parts.len() - 1;
            parts.iter().enumerate().map(|(at, part)| word(part, open && at == last)).collect()
        }
        Segment::Word { whole, .. } => vec![word(whole, open)],
        Segment::Unspaced(chars) if chars.len() == 1 => vec![word(&String::from_iter(chars), true)],
        Segment::Unspaced(chars) => {
            chars.windows(2).map(|pair| Wanted { word: pair.iter().collect(), beginning: None }).collect()
        }
    }
}

fn word(word: &str, open: bool) -> Wanted {
    let beginning = if open { Some(word.to_owned()) } else { beginning(word) };
    Wanted { word: word.to_owned(), beginning }
}

fn segments(run: &str) -> Vec<Segment> {
    let mut out = Vec::new();
    let mut rest = run;
    while let Some(first) = rest.chars().next() {
        let unspaced = is_unspaced(first);
        let end = rest.find(|c: char| is_unspaced(c) != unspaced && !is_accent(c)).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        rest = after;
        if unspaced {
            out.push(Segment::Unspaced(fold(piece).chars().filter(|c| c.is_alphanumeric()).collect()));
            continue;
        }
        let parts: Vec<String> = humps(piece).iter().flat_map(|part| plain_words(part)).collect();
        for whole in plain_words(piece) {
            let parts = if parts.len() > 1 { parts.clone() } else { Vec::new() };
            out.push(Segment::Word { whole, parts });
        }
    }
    out
}

/// Folded, and split again where folding made something that is no letter of a fraction or the like.
fn plain_words(text: &str) -> Vec<String> {
    let folded = fold(text);
    folded.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_owned).collect()
}

/// The words of an identifier in camel case: `HTTPServer` has two.
fn humps(text: &str) -> Vec<&str> {
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let mut cuts = vec![0];
    for at in 1..chars.len() {
        let (here, before) = (chars[at].1, chars[at - 1].1);
        let next_is_small = chars.get(at + 1).is_some_and(|(_, next)| next.is_lowercase());
        if here.is_uppercase() && (before.is_lowercase() || (before.is_uppercase() && next_is_small)) {
            cuts.push(chars[at].0);
        }
    }
    cuts.push(text.len());
    cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

/// Lower case without accents.
fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.nfkd().filter(|c| !is_accent(*c)).nfc().collect::<String>().to_lowercase()
}

/// Marks that sit on a letter. Vowel signs of other scripts are letters, not accents.
fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}')
}

/// Han, kana, Thai, Lao, Myanmar and Khmer.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}')
}

/// The shortest beginning that other words are found by, in letters of the Latin alphabet.
const SHORTEST: usize = 3;
/// An ending is taken off only if so much stays.
const STAYS: usize = 4;

/// What the other forms of a word begin with. A name with digits has no other forms.
fn beginning(word: &str) -> Option<String> {
    if word.chars().any(char::is_numeric) {
        return None;
    }
    if !word.is_ascii() {
        return (word.chars().count() >= 2).then(|| word.to_owned());
    }
    if word.len() < SHORTEST {
        return None;
    }
    for ending in ["ies", "ied", "ing", "ed", "es", "s", "e", "y"] {
        if let Some(stem) = word.strip_suffix(ending)
            && stem.len() >= if ending == "s" { SHORTEST } else { STAYS }
            && !(ending == "s" && stem.ends_with(['s', 'u', 'i']))
        {
            let mut stem = stem.to_owned();
            let last = stem.as_bytes()[stem.len() - 1];
            // `stopped` comes from `stop`.
            if matches!(ending, "ing" | "ed") && stem.as_bytes()[stem.len() - 2] == last {
                stem.pop();
            }
            return Some(stem);
        }
    }
    Some(word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finds(query: &str, text: &str) -> bool {
        let terms = index_text(text);
        let wanted = wanted(query);
        assert!(!wanted.is_empty(), "{query}");
        wanted.iter().all(|one| terms.split(' ').any(|term| one.fits(term)))
    }

    #[test]
    fn a_text_is_known_by_its_words_without_case_and_accents() {
        assert_eq!(index_text("Cache-miss in parse_line(), Café"), "cache miss in parse line cafe");
        assert_eq!(index_text("HTTPServer2"), "httpserver2 http server2");
        assert_eq!(index_text("e\u{301}tude"), "etude");
        assert_eq!(index_text("SQLite缓存失效"), "sqlite sq lite 缓存 存失 失效 效");
        assert!(index_text("?! --").is_empty() && wanted("?! --").is_empty());
    }

    #[test]
    fn a_word_finds_its_other_forms_and_no_strangers() {
        for (query, text) in [
            ("projection", "all projections"),
            ("projections", "a projection"),
            ("proj*", "the projection"),
            ("caching", "the cache"),
            ("cache", "cached"),
            ("stopped", "we stop"),
            ("retry", "retries"),
            ("resume", "Résumé"),
            ("Zürich", "zurich"),
            ("projection index", "ProjectionIndex"),
            ("ProjectionIndex", "the projection has an index"),
            ("缓存", "数据库缓存失效"),
            ("效", "缓存失效"),
            ("カタカナ", "テストのカタカナです"),
            ("캐시", "캐시를 비운다"),
            ("хранилище", "Хранилище заметок"),
            ("v2*", "v2beta"),
        ] {
            assert!(finds(query, text), "{query} in {text}");
        }
        for (query, text) in
            [("string", "structure"), ("v2", "v20"), ("id", "idle"), ("class", "clap"), ("存缓", "缓存失效")]
        {
            assert!(!finds(query, text), "{query} in {text}");
        }
    }

    #[test]
    fn the_first_hit_is_told_in_bytes_of_the_text() {
        let text = "Über die Größe der Projektion";
        assert_eq!(first_hit(text, &wanted("grosse")), None);
        assert_eq!(first_hit(text, &wanted("größe")), text.find("Größe"));
        assert_eq!(first_hit(text, &wanted("proj*")), text.find("Projektion"));
    }
}
