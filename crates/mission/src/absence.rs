//! Absence: a search that found nothing, as evidence that something is nowhere.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::denial::{NOT, words};
use crate::event::is_zero;
use crate::syntax::DEFINES;

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
    /// Files that `search` leaves out (hidden, binary, ignored by something else than `.gitignore`) and that were searched for
    /// this, too.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub also: u64,
    /// Files that could not be searched: refused by the file system, or with lines too long.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unsearched: u64,
    /// Files that nobody is shown: their names say that they hold secrets.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub withheld: u64,
    /// The first place among what `search` leaves out that has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
}

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
/// What a search is to bear out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// That something is not there.
    Denial,
    /// How much of it there is.
    Count,
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
    #[cfg(test)]
    pub(crate) fn carries(&self, claim: &str, world: &World<'_>) -> bool {
        self.lacks(claim, world).is_none()
    }

    /// Why a claim is not borne out by a search that found nothing: it denies nothing, or something else, or more than what
    /// was searched.
    pub(crate) fn lacks(&self, claim: &str, world: &World<'_>) -> Option<String> {
        let said = words(claim);
        let query = &self.query;
        let is_said = |word: &str| said.iter().any(|one| one == word);
        if !NOT.iter().any(|word| is_said(word)) {
            return Some(format!("That {query:?} was not found bears out only a claim that denies it."));
        }
        if !self.is_named_in(claim, world, Purpose::Denial) {
            return Some(format!(
                "The search was for {query:?}, and the claim denies something else or more: search for the very name that it denies."
            ));
        }
        if let Some(place) = &self.left_out {
            return Some(format!(
                "{query:?} stands in {place}, which search leaves out (hidden, ignored or binary): call view with file_path \
                 {place:?} and this mission_id, and claim what is so."
            ));
        }
        self.too_wide(claim, world.scope)
    }

    /// Why a claim is wider than what was searched, if it is: it does not say where that was, or speaks of files that nobody
    /// could search.
    pub(crate) fn too_wide(&self, claim: &str, own_scope: Option<&str>) -> Option<String> {
        let (said, lower) = (words(claim), claim.to_lowercase());
        let scope = self.scope.as_deref().map(|scope| scope.trim_matches('/'));
        let scope = scope.filter(|scope| !scope.is_empty() && *scope != "." && Some(*scope) != own_scope);
        if let Some(scope) = scope.filter(|scope| !names_place(&lower, &scope.to_lowercase())) {
            return Some(format!(
                "Only {scope} was searched, and the claim does not say so: search everywhere, or claim it of {scope}."
            ));
        }
        if let Some(glob) = self.glob.as_deref().filter(|glob| !is_spoken_of(glob, &lower, &said)) {
            return Some(format!(
                "Only files that match {glob} were searched, and the claim does not say so: search all, or claim it of these."
            ));
        }
        let count = self.unsearched + self.withheld;
        // Secrets are no places of code: nobody looks for a name of it there, but for those of the environment.
        let is_in_code = is_name(&self.query) && self.query.chars().any(char::is_lowercase);
        let is_missed = self.unsearched > 0 || self.withheld > 0 && !is_in_code;
        if !is_missed || scope.is_some() || self.glob.is_some() || is_of_code(&said) {
            return None;
        }
        let files = if count == 1 { "file" } else { "files" };
        Some(format!(
            "{count} {files} could not be searched ({} withheld as secrets, {} unreadable or with lines too long), and the claim \
             speaks of all: claim it of the code, of what a search finds, or of a folder that was searched.",
            self.withheld, self.unsearched
        ))
    }

    /// Whether the claim names what was searched for, and nothing that the search would have missed.
    pub(crate) fn is_named_in(&self, claim: &str, world: &World<'_>, purpose: Purpose) -> bool {
        let lower = claim.to_lowercase();
        let has = |text: &str| {
            let is_there = if self.case_sensitive {
                // A word in other letters may be there; a name is another name then.
                let is_written_so = || text.starts_with(char::is_uppercase) && claim.find(text) > Some(0);
                claim.contains(text) && (is_name(text) || is_written_so())
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
            let is_defined = || purpose == Purpose::Denial && !(world.defined)(&last).is_empty();
            let is_meant = || speaks_of(&["defin", "declar", "implement"]) && !is_defined();
            if !parts.is_empty() && (!parts.iter().all(|part| DEFINES.contains(part)) || !is_meant()) {
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
        let cores = self.cores();
        self.rest_of(claim).into_iter().find(|part| {
            let said = words(part);
            let says = |word: &&String| {
                word.chars().count() > 2 && !GENERIC.contains(&word.as_str()) && !cores.contains(word)
            };
            said.iter().filter(says).count() > 1
        })
    }

    /// The parts of a claim that do not deny the word.
    pub(crate) fn rest_of<'c>(&self, claim: &'c str) -> Vec<&'c str> {
        let cores = self.cores();
        let is_rest = |part: &&str| {
            let (said, lower) = (words(part), part.to_lowercase());
            let denies = said.iter().any(|word| NOT.contains(&word.as_str()));
            let is_same = cores.iter().any(|core| lower.contains(core.as_str()))
                || said.iter().any(|word| ["it", "that", "this", "them"].contains(&word.as_str()));
            !(denies && is_same)
        };
        parts(claim).into_iter().filter(is_rest).collect()
    }

    fn cores(&self) -> Vec<String> {
        words(&self.query).into_iter().filter(|word| word.chars().count() > 2).collect()
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
        let also = match self.also {
            0 => String::new(),
            count => format!(" nor in {count} that search leaves out"),
        };
        let rest = match self.unsearched + self.withheld {
            0 => String::new(),
            count => format!("; {count} were not searched"),
        };
        format!("{query:?} is in none of {files} files{place}{glob}{also}{rest}")
    }
}

/// Whether a sentence speaks only of what is written in code or in documents, or of what a search finds: secrets are neither.
fn is_of_code(said: &[String]) -> bool {
    let starts = ["call", "import", "invo", "defin", "search", "doc", "readme"];
    let spoken = |word: &str| SPOKEN.iter().any(|(_, words)| words.contains(&word) && word.len() > 1);
    said.iter().any(|word| {
        CODE.contains(&word.as_str()) || spoken(word) || starts.iter().any(|start| word.starts_with(start))
    })
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
    fn a_claim_about_everything_is_no_wider_than_what_could_be_searched() {
        let hidden = Absence { left_out: Some(".github/ci.yml:3".to_owned()), ..search("make_gadget") };
        let why = hidden.lacks("make_gadget is nowhere", &NOTHING).unwrap();
        assert!(why.contains(r#"view with file_path ".github/ci.yml:3""#), "{why}");
        let secret = Absence { withheld: 2, unsearched: 1, ..search("make_gadget") };
        for claim in ["make_gadget is nowhere", "make_gadget is not in the repository", "no make_gadget"] {
            let why = secret.lacks(claim, &NOTHING).unwrap();
            assert!(why.contains("3 files could not be searched (2 withheld"), "{why}");
        }
        for claim in ["no code has make_gadget", "nobody calls make_gadget", "a search finds no make_gadget"]
        {
            assert_eq!(secret.lacks(claim, &NOTHING), None, "{claim}");
        }
        let only_secret = Absence { withheld: 2, ..search("make_gadget") };
        assert_eq!(
            only_secret.lacks("make_gadget is nowhere", &NOTHING),
            None,
            "no name of code stands there"
        );
        let password = Absence { withheld: 2, ..search("hunter") };
        assert!(password.lacks("hunter is nowhere", &NOTHING).is_some());
        let all = Absence { also: 4, ..search("make_gadget") };
        assert_eq!(all.lacks("make_gadget is nowhere", &NOTHING), None);
        assert_eq!(all.said(), r#""make_gadget" is in none of 9 files nor in 4 that search leaves out"#);
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
}
