//! Absence: a search that found nothing, as evidence that something is nowhere.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event::is_zero;

/// A search of the text on disk that found nothing, with all that is needed to make it again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Absence {
    pub query: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub regex: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub case_sensitive: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub multiline: bool,
    /// Where it searched; everywhere if it does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub glob: Option<String>,
    /// Files that were searched.
    pub files: u64,
    /// Files that were not: kept back as secret, too large, or refused by the file system.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unsearched: u64,
}

/// Words that say that something is not there.
const NOT: [&str; 27] = [
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
];

/// Words before a name that make a definition of it.
const DEFINES: [&str; 16] = [
    "def",
    "fn",
    "func",
    "function",
    "class",
    "struct",
    "enum",
    "trait",
    "type",
    "interface",
    "const",
    "let",
    "var",
    "pub",
    "async",
    "static",
];
/// Endings of files, and how a sentence speaks of them.
const SPOKEN: [(&str, &[&str]); 18] = [
    ("py", &["python"]),
    ("rs", &["rust"]),
    ("go", &["go", "golang"]),
    ("ts", &["typescript"]),
    ("tsx", &["typescript"]),
    ("js", &["javascript"]),
    ("jsx", &["javascript"]),
    ("java", &["java"]),
    ("kt", &["kotlin"]),
    ("rb", &["ruby"]),
    ("c", &["c"]),
    ("cpp", &["c++"]),
    ("cs", &["c#"]),
    ("md", DOCS),
    ("mdx", DOCS),
    ("rst", DOCS),
    ("adoc", DOCS),
    ("txt", DOCS),
];
const DOCS: &[&str] =
    &["docs", "doc", "document", "documents", "documentation", "documented", "undocumented", "readme"];
/// How a sentence speaks of all that is no document.
const CODE: [&str; 9] = [
    "code",
    "source",
    "sources",
    "implementation",
    "implemented",
    "implements",
    "implement",
    "defined",
    "definition",
];
/// Words that say that something is nowhere at all.
const NOWHERE: [&str; 6] = ["nowhere", "anywhere", "unused", "unreferenced", "undocumented", "undefined"];
/// Phrases that say so, whatever file is named beside them.
const NO_PLACE: [&str; 12] = [
    "no code",
    "no file",
    "no source",
    "no module",
    "no other",
    "no test",
    "no doc",
    "no caller",
    "no such",
    "not exist",
    "n't exist",
    "not implemented",
];
/// Phrases that say so where no file is named.
const NOBODY: [&str; 16] = [
    "nobody calls",
    "nobody uses",
    "nothing calls",
    "nothing uses",
    "not used",
    "never used",
    "not called",
    "never called",
    "not defined",
    "never defined",
    "not there",
    "no definition",
    "no function",
    "no method",
    "no class",
    "no use",
];

/// Whether a claim says that something is nowhere: no file that was read shows that.
pub(crate) fn is_nowhere(claim: &str, names_file: bool) -> bool {
    let lower = claim.to_lowercase();
    let said = words(&lower);
    let denies = said.iter().any(|word| NOT.contains(&word.as_str()));
    let has = |phrases: &[&str]| phrases.iter().any(|phrase| starts_a_word(&lower, phrase));
    let is_said = |word: &&str| said.iter().any(|one| one == word);
    // Of "not … anywhere" and "nowhere" both deny; "anywhere" alone does not.
    denies && NOWHERE.iter().any(is_said) || has(&NO_PLACE) || !names_file && has(&NOBODY)
}

/// The names that a claim says not to be there: `no X`, `does not define X`, `X is missing`.
pub(crate) fn denied_in(claim: &str, is_name: &dyn Fn(&str) -> bool) -> Vec<String> {
    let trim =
        |word: &str| word.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '_').to_owned();
    let words: Vec<String> = claim.split_whitespace().map(trim).filter(|word| !word.is_empty()).collect();
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let at = |place: usize| lower.get(place).map_or("", String::as_str);
    let mut found: Vec<String> = Vec::new();
    for place in 0..words.len() {
        let after_no = at(place) == "no";
        let after_verb = ["not", "never", "doesn't", "don't"].contains(&at(place))
            && HOLDS.iter().any(|verb| at(place + 1) == *verb || at(place + 1) == format!("{verb}s"));
        let mut next = place + if after_verb { 2 } else { 1 };
        while ["a", "an", "any", "the", "such", "function", "method", "class", "name"].contains(&at(next)) {
            next += 1;
        }
        if let Some(word) = words.get(next).filter(|word| (after_no || after_verb) && is_name(word)) {
            found.push(word.clone());
        }
        let is_gone = ["is", "are", "was", "were"].contains(&at(place + 1))
            && ["missing", "absent", "gone", "nowhere", "undefined", "unused"].contains(&at(place + 2))
            || ["does", "do", "did"].contains(&at(place + 1))
                && at(place + 2) == "not"
                && ["exist", "appear", "occur"].contains(&at(place + 3));
        if is_gone && is_name(&words[place]) {
            found.push(words[place].clone());
        }
    }
    found
}

/// Verbs by which something holds a name.
const HOLDS: [&str; 9] =
    ["contain", "define", "mention", "include", "declare", "import", "export", "call", "use"];

fn starts_a_word(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase)
        .any(|(at, _)| phrase.starts_with("n't") || !text[..at].ends_with(char::is_alphanumeric))
}

/// What a claim is held against.
pub(crate) struct World<'a> {
    /// Where the mission's repository stands, if it is only a part of the graph.
    pub scope: Option<&'a str>,
    /// Where a name is defined.
    pub defined: &'a dyn Fn(&str) -> Vec<String>,
}

impl Absence {
    /// Whether a claim says no more than that what was searched for is not there.
    pub(crate) fn carries(&self, claim: &str, world: &World<'_>) -> bool {
        self.lacks(claim, world).is_none()
    }

    /// Why a claim is not borne out by a search that found nothing: it denies nothing, or something else, or more than what
    /// was searched.
    pub(crate) fn lacks(&self, claim: &str, world: &World<'_>) -> Option<String> {
        let own_scope = world.scope;
        let said = words(claim);
        let query = &self.query;
        let is_said = |word: &str| said.iter().any(|one| one == word);
        if !NOT.iter().any(|word| is_said(word)) {
            return Some(format!("That {query:?} was not found bears out only a claim that denies it."));
        }
        if !self.is_denied_in(claim, world) {
            return Some(format!(
                "The search was for {query:?}, and the claim denies something else or more: search for the very name that it denies."
            ));
        }
        let lower = claim.to_lowercase();
        let scope = self.scope.as_deref().map(|scope| scope.trim_matches('/'));
        let scope = scope.filter(|scope| !scope.is_empty() && *scope != "." && Some(*scope) != own_scope);
        if let Some(scope) = scope.filter(|scope| !names_place(&lower, &scope.to_lowercase())) {
            return Some(format!(
                "Only {scope} was searched, and the claim does not say so: search everywhere, or claim it of {scope}."
            ));
        }
        let glob = self.glob.as_deref().filter(|glob| !is_spoken_of(glob, &lower, &said))?;
        Some(format!(
            "Only files that match {glob} were searched, and the claim does not say so: search all, or claim it of these."
        ))
    }

    /// Whether the claim names what was searched for, and nothing that the search would have missed.
    fn is_denied_in(&self, claim: &str, world: &World<'_>) -> bool {
        let lower = claim.to_lowercase();
        let has = |text: &str| {
            let is_there = if self.case_sensitive {
                // A word in other letters may be there; a name is another name then.
                is_name(text) && claim.contains(text)
            } else {
                lower.contains(&text.to_lowercase())
            };
            is_there && text.chars().filter(|letter| letter.is_alphanumeric()).count() > 2
        };
        if has(&self.query) {
            return true;
        }
        let speaks_of =
            |starts: &[&str]| words(claim).iter().any(|word| starts.iter().any(|one| word.starts_with(one)));
        let bare = |one: &str| -> Option<String> {
            let mut name = one.to_owned();
            if self.regex {
                let core = name.trim_start_matches("\\b").trim_end_matches("\\b").to_owned();
                name = core.replace("\\s*", "").replace("\\s+", " ").replace("\\(", "(").replace("\\.", ".");
            }
            if let Some(called) = name.strip_suffix('(') {
                name = called.to_owned();
                if !name.contains(' ') && !speaks_of(&["call", "invo"]) {
                    return None;
                }
            }
            let mut parts: Vec<&str> = name.split(' ').filter(|part| !part.is_empty()).collect();
            let last = parts.pop()?.to_owned();
            // A keyword of another language is nowhere, too: the graph must know no such definition.
            let is_defined =
                || !(world.defined)(&last).is_empty() || !speaks_of(&["defin", "declar", "implement"]);
            if !parts.is_empty() && (!parts.iter().all(|part| DEFINES.contains(part)) || is_defined()) {
                return None;
            }
            let is_plain = last.chars().all(|letter| letter.is_alphanumeric() || "_.:-".contains(letter));
            is_plain.then_some(last)
        };
        // Blanks that the text has not find nothing, whatever is there.
        if !self.regex && self.query.split_whitespace().collect::<Vec<_>>().join(" ") != self.query
            || self.query.contains(" (")
        {
            return false;
        }
        let alternatives: Vec<&str> =
            if self.regex { self.query.split('|').collect() } else { vec![&self.query] };
        alternatives.iter().all(|one| bare(one).is_some_and(|name| has(&name)))
    }

    /// What a claim says besides that the word is not there, if it says more: a part of the sentence that denies nothing, or
    /// denies something else.
    pub(crate) fn besides<'c>(&self, claim: &'c str) -> Option<&'c str> {
        let cores: Vec<String> =
            words(&self.query).into_iter().filter(|word| word.chars().count() > 2).collect();
        parts(claim).into_iter().find(|part| {
            let said = words(part);
            let says = |word: &&String| {
                word.chars().count() > 2 && !GENERIC.contains(&word.as_str()) && !cores.contains(word)
            };
            if said.iter().filter(says).count() < 2 {
                return false;
            }
            let lower = part.to_lowercase();
            let denies = said.iter().any(|word| NOT.contains(&word.as_str()));
            let is_same = cores.iter().any(|core| lower.contains(core.as_str()))
                || said.iter().any(|word| ["it", "that", "this", "them"].contains(&word.as_str()));
            !(denies && is_same)
        })
    }

    /// Whether the search went through a file, as far as its scope says.
    pub(crate) fn reached(&self, path: &str) -> bool {
        let scope = self.scope.as_deref().map(|scope| scope.trim_end_matches('/'));
        self.glob.is_none()
            && scope.is_none_or(|scope| {
                path == scope || path.strip_prefix(scope).is_some_and(|rest| rest.starts_with('/'))
            })
    }

    /// In words: what was searched for, and where.
    pub fn said(&self) -> String {
        let Self { query, files, .. } = self;
        let place = self.scope.as_ref().map_or_else(String::new, |scope| format!(" under {scope}"));
        let glob = self.glob.as_ref().map_or_else(String::new, |glob| format!(" that match {glob}"));
        let rest = match self.unsearched {
            0 => String::new(),
            count => format!("; {count} were not searched"),
        };
        format!("{query:?} is in none of {files} files{place}{glob}{rest}")
    }
}

/// Whether a sentence names a folder or a file: by its path, or by its last part.
fn names_place(lower: &str, place: &str) -> bool {
    let last = place.rsplit('/').next().unwrap_or(place);
    let around = |letter: char| letter.is_whitespace() || "()[]{}<>,;:\"'`".contains(letter);
    lower
        .split(around)
        .map(|word| word.trim_end_matches(['.', '/']))
        .any(|word| word == place || word == last)
}

/// Whether a sentence says that it is about the files of a pattern: in its own words, by their ending, or as code, where only
/// documents were left out.
fn is_spoken_of(glob: &str, lower: &str, said: &[String]) -> bool {
    let ends: Vec<&str> = glob
        .split(['.', '{', '}', ',', '*', '/', '!'])
        .filter(|end| !end.is_empty() && end.chars().all(char::is_alphanumeric))
        .collect();
    let is_said = |words: &[&str]| words.iter().any(|word| said.iter().any(|one| one == word));
    let spoken = |end: &str| SPOKEN.iter().find(|(one, _)| *one == end).map(|(_, words)| *words);
    if let Some(left_out) = glob.strip_prefix('!') {
        let is_documents = left_out.starts_with("*.") && ends.iter().all(|end| spoken(end) == Some(DOCS));
        return is_documents && is_said(&CODE);
    }
    // A pattern that names a folder is narrower than its ending.
    let is_everywhere = glob.trim_start_matches("**/").starts_with("*.");
    lower.contains(&glob.to_lowercase())
        || is_everywhere
            && ends.iter().all(|end| lower.contains(&format!(".{end}")) || spoken(end).is_some_and(is_said))
}

/// A word that only a name of code looks like.
fn is_name(text: &str) -> bool {
    let is_word = text.chars().all(|letter| letter.is_alphanumeric() || "_.:".contains(letter));
    let has_case = text.chars().skip(1).any(char::is_uppercase) && text.chars().any(char::is_lowercase);
    is_word
        && (text.contains('_')
            || has_case
            || text.contains("::")
            || text.chars().any(|letter| letter.is_ascii_digit()))
}

/// What stands between parts of a sentence that each say something.
const BETWEEN: [&str; 32] = [
    ";",
    ", ",
    ": ",
    ". ",
    " - ",
    " – ",
    " — ",
    "(",
    " and ",
    " but ",
    " because ",
    " while ",
    " although ",
    " though ",
    " so ",
    " which ",
    " that ",
    " therefore ",
    " thus ",
    " hence ",
    " since ",
    " meaning ",
    " proves ",
    " proving ",
    " means ",
    " shows ",
    " when ",
    " where ",
    " if ",
    " or ",
    " as ",
    " yet ",
];
/// Words that say nothing of anything else.
const GENERIC: [&str; 22] = [
    "there",
    "function",
    "method",
    "class",
    "code",
    "file",
    "files",
    "such",
    "any",
    "name",
    "symbol",
    "called",
    "named",
    "defined",
    "used",
    "has",
    "have",
    "the",
    "repository",
    "source",
    "whole",
    "here",
];

/// The parts of a sentence that each say something.
fn parts(claim: &str) -> Vec<&str> {
    let mut all = vec![claim];
    for between in BETWEEN {
        all = all.into_iter().flat_map(|part| part.split(between)).collect();
    }
    all.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// Words in small letters; parts of names are words, too.
fn words(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for name in text.split(|letter: char| !letter.is_alphanumeric() && letter != '_') {
        all.extend(name.split('_').chain([name]).filter(|word| !word.is_empty()).map(str::to_lowercase));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: World<'static> = World { scope: None, defined: &|_| Vec::new() };

    fn search(query: &str) -> Absence {
        Absence { query: query.to_owned(), files: 9, ..Absence::default() }
    }

    #[test]
    fn a_search_that_found_nothing_carries_what_denies_its_word_and_nothing_else() {
        assert!(
            search("make_gadget").carries("README.md promises make_gadget, and no code has it", &NOTHING)
        );
        let calls = Absence { regex: true, ..search(r"\bclose\(") };
        assert!(calls.carries("the file is never closed: close is not called", &NOTHING));
        assert!(!calls.carries("close is not defined", &NOTHING), "only calls were searched for");
        assert!(search("def close").carries("close is not defined", &NOTHING));
        assert!(!search("def close").carries("close is nowhere", &NOTHING));
        let known = World { defined: &|name| vec![format!("a.py:{}", name.len())], ..NOTHING };
        assert!(!search("fn close").carries("close is not defined", &known), "by another keyword it is");
        assert!(!search("close  (").carries("close is not called", &NOTHING), "no text has such blanks");
        assert!(!search("close (").carries("close is not called", &NOTHING));
        assert!(!search("zzqq").carries("no code has make_gadget", &NOTHING), "another word");
        assert!(!search("close_zzqq").carries("nobody calls close", &NOTHING), "a part of another word");
        assert!(!search("close").carries("close drops the last job", &NOTHING), "it denies nothing");
        let either = Absence { regex: true, ..search("close|shut") };
        assert!(
            either.carries("neither close nor shut is called", &NOTHING)
                && !either.carries("no close", &NOTHING)
        );
        let scoped = Absence { scope: Some("src/a".to_owned()), ..search("x") };
        assert!(scoped.reached("src/a/b.rs") && scoped.reached("src/a") && !scoped.reached("src/ab.rs"));
        assert_eq!(scoped.said(), r#""x" is in none of 9 files under src/a"#);
    }

    #[test]
    fn a_claim_is_no_wider_than_the_search() {
        let scoped = Absence { scope: Some("docs".to_owned()), ..search("make_gadget") };
        assert!(scoped.carries("docs has no make_gadget", &NOTHING));
        assert!(!scoped.carries("make_gadget is nowhere", &NOTHING));
        assert!(
            scoped.carries("make_gadget is nowhere", &World { scope: Some("docs"), ..NOTHING }),
            "all that the mission is about"
        );
        let glob = |glob: &str| Absence { glob: Some(glob.to_owned()), ..search("make_gadget") };
        assert!(glob("!*.{md,rst}").carries("no code has make_gadget", &NOTHING));
        assert!(!glob("!*.{md,rst}").carries("make_gadget is nowhere", &NOTHING));
        assert!(!glob("!*.{md,py}").carries("no code has make_gadget", &NOTHING));
        assert!(glob("*.py").carries("no Python file has make_gadget", &NOTHING));
        assert!(!glob("*.py").carries("make_gadget is unused", &NOTHING));
        assert!(!glob("examples/*.py").carries("no python has make_gadget", &NOTHING));
        let exact = |query: &str| Absence { case_sensitive: true, ..search(query) };
        assert!(exact("makeGadget").carries("no code has makeGadget", &NOTHING));
        assert!(!exact("gadget").carries("no code has a gadget", &NOTHING), "Gadget may be there");
        assert!(!exact("MAKE_gadget").carries("no code has make_gadget", &NOTHING));
    }

    #[test]
    fn what_a_sentence_says_besides_is_not_borne_out() {
        let gadget = search("make_gadget");
        assert_eq!(gadget.besides("make_gadget is nowhere"), None);
        assert_eq!(gadget.besides("make_gadget is nowhere: no code has it"), None);
        assert!(gadget.besides("README.md promises make_gadget, and no code has it").is_some());
        assert!(gadget.besides("make_gadget is nowhere, so the cache is never cleared").is_some());
        assert!(gadget.besides("make_gadget is nowhere which proves that routes leak memory").is_some());
        assert_eq!(gadget.besides("there is no function that is called make_gadget"), None);
    }

    #[test]
    fn names_that_are_denied_are_known_by_their_place() {
        let denied = |claim: &str| denied_in(claim, &|word| word.contains('_') || word == "drain");
        for claim in [
            "there is no drain here",
            "src/a.py does not define drain.",
            "it never calls `drain`",
            "drain is missing",
            "drain does not exist",
        ] {
            assert_eq!(denied(claim), ["drain"], "{claim}");
        }
        for claim in ["drain does not lock the queue", "no job is lost by drain", "drain is not locked"] {
            assert_eq!(denied(claim), Vec::<String>::new(), "{claim}");
        }
    }

    #[test]
    fn that_something_is_nowhere_is_known_by_its_words() {
        for claim in [
            "X is nowhere",
            "x is not used anywhere",
            "no code has it",
            "nobody calls drain",
            "drain is unused",
        ] {
            assert!(is_nowhere(claim, false), "{claim}");
        }
        for claim in
            ["it can be anywhere", "drain is not locked", "the last job is never popped", "piano codes"]
        {
            assert!(!is_nowhere(claim, false), "{claim}");
        }
        assert!(
            !is_nowhere("a.py: close is not called", true)
                && is_nowhere("README.md has it and no code", true)
        );
    }
}
