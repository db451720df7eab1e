//! Quantity: how a sentence speaks of more than one place: of all, of only some, or of how many.

/// How a sentence speaks of more than one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Quantity {
    /// Of all, or of all but what it names.
    All(String),
    /// Of all that something does: who has read it whole knows it.
    Always(String),
    /// Of a number of them, between two; or of the files that have them.
    Number { said: String, least: u64, most: u64, of_files: bool },
}

impl Quantity {
    pub(crate) fn said(&self) -> &str {
        match self {
            Self::All(said) | Self::Always(said) | Self::Number { said, .. } => said,
        }
    }
}

/// Words that speak of all, or of all but some.
const ALL: [&str; 16] = [
    "only",
    "solely",
    "exclusively",
    "sole",
    "except",
    "every",
    "everything",
    "everywhere",
    "everyone",
    "each",
    "all",
    "always",
    "never",
    "invariably",
    "entirely",
    "throughout",
];
/// Words before one of these that make something else of it: `read only`, `at all`.
const NOT_AFTER: [&str; 8] = ["read", "write", "append", "keyword", "at", "after", "catch", "above"];
/// Things of code that can be counted.
const THINGS: [&str; 53] = [
    "times",
    "lines",
    "callees",
    "place",
    "places",
    "caller",
    "callers",
    "call",
    "calls",
    "site",
    "sites",
    "use",
    "uses",
    "usage",
    "usages",
    "file",
    "files",
    "occurrence",
    "occurrences",
    "match",
    "matches",
    "definition",
    "definitions",
    "function",
    "functions",
    "method",
    "methods",
    "class",
    "classes",
    "test",
    "tests",
    "module",
    "modules",
    "import",
    "imports",
    "reference",
    "references",
    "implementation",
    "implementations",
    "copies",
    "instances",
    "helper",
    "helpers",
    "constant",
    "constants",
    "handler",
    "handlers",
    "route",
    "routes",
    "variable",
    "variables",
    "package",
    "packages",
];
/// Numbers that are said without one: the least and the most that each means.
const UNSAID: [(&str, u64, u64); 6] = [
    ("single", 1, 1),
    ("pair", 2, 2),
    ("both", 2, 2),
    ("several", 2, u64::MAX),
    ("multiple", 2, u64::MAX),
    ("many", 2, u64::MAX),
];
/// How often something is done to a name, before `once` and `twice`.
const DONE: [&str; 9] =
    ["called", "used", "defined", "imported", "declared", "appears", "occurs", "mentioned", "referenced"];
/// Words before a number that make a name of it.
const NUMBERED: [&str; 7] = ["line", "lines", "python", "version", "step", "issue", "error"];
pub(crate) const NUMBERS: [&str; 21] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
];
/// Others.
const LARGER: [(&str, u64); 11] = [
    ("once", 1),
    ("twice", 2),
    ("thrice", 3),
    ("couple", 2),
    ("dozen", 12),
    ("thirty", 30),
    ("forty", 40),
    ("fifty", 50),
    ("hundred", 100),
    ("thousand", 1_000),
    ("score", 20),
];
/// Words before a number of things by which they are said to be there.
const THERE: [&str; 8] =
    ["are", "defines", "declares", "contains", "exports", "registers", "imports", "includes"];
/// What is measured, and not counted among the places of code.
const MEASURES: [&str; 24] = [
    "seconds",
    "second",
    "ms",
    "milliseconds",
    "minutes",
    "hours",
    "days",
    "bytes",
    "byte",
    "bits",
    "kb",
    "mb",
    "characters",
    "letters",
    "arguments",
    "argument",
    "parameters",
    "parameter",
    "elements",
    "items",
    "values",
    "attempts",
    "retries",
    "times",
];
/// Stems of words by which a sentence speaks of where something is called, used or said.
const OF_PLACES: [&str; 13] = [
    "call", "invo", "import", "used", "uses", "using", "usage", "unused", "referenc", "mention", "defin",
    "declar", "occur",
];
/// How the same is said of what is done to a name: `is never called`.
const PASSIVE: [&str; 9] =
    ["called", "invoked", "imported", "used", "referenced", "mentioned", "defined", "declared", "found"];
/// Words behind `only` that make a condition of it.
const CONDITIONS: [&str; 12] = [
    "if", "when", "whenever", "while", "after", "before", "once", "until", "because", "unless", "for", "with",
];

/// How a sentence speaks of more than one place. What stands in quotes is a name, and says nothing of that.
pub(crate) fn quantities(claim: &str) -> Vec<Quantity> {
    let mut bare = String::new();
    for (at, piece) in claim.split(['`', '"']).enumerate() {
        bare.push_str(if at % 2 == 0 { piece } else { "x" });
    }
    let trim = |word: &str| word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
    let raw: Vec<&str> = bare.split_whitespace().filter(|word| !trim(word).is_empty()).collect();
    let words: Vec<String> = raw.iter().map(|word| trim(word)).collect();
    let is_cut = |place: usize| place > 0 && raw[place - 1].ends_with([',', ';', ':', '.']);
    let at = |place: usize| words.get(place).map_or("", String::as_str);
    let before = |place: usize, steps: usize| place.checked_sub(steps).map_or("", at);
    let mut found: Vec<Quantity> = Vec::new();
    for place in 0..words.len() {
        let word = at(place);
        if let Some(number) = number(word).filter(|_| !NUMBERED.contains(&before(place, 1))) {
            let things = [at(place + 1), at(place + 2)];
            let is_times = at(place + 1) == "times";
            let is_measure = MEASURES.contains(&at(place + 1)) && !is_times;
            let is_thing = !is_measure && things.iter().any(|thing| THINGS.contains(thing)) && !is_times;
            let is_exact = ["exactly", "precisely", "only", "just"].contains(&before(place, 1));
            let is_often = ["once", "twice", "thrice"].contains(&word);
            // `called twice`, `called at least twice`, `called from there three times`; who tries three times is not counted.
            let is_done = (is_often || is_times) && (1..=4).any(|steps| DONE.contains(&before(place, steps)));
            // `there are nine decoders`, `it defines nine of them`.
            let is_there = (1..=3).any(|steps| THERE.contains(&before(place, steps)))
                && things
                    .iter()
                    .any(|thing| thing.len() > 3 && thing.ends_with('s') && !thing.ends_with("ss"));
            // `handles dicts with exactly one key`: what something takes is no thing of code.
            let is_of_what_it_takes = before(place, 2) == "with"
                && [before(place, 3), before(place, 4)].iter().all(|word| word.ends_with('s'));
            let is_exact = is_exact && !is_times && !is_of_what_it_takes;
            let is_counted = is_done || !is_often && (is_thing || is_there) || is_exact && !is_often;
            if at(place + 1) == "of" && word != "couple" || is_measure || !is_counted {
                continue;
            }
            let number = if word == "dozen" && before(place, 1) == "half" { number / 2 } else { number };
            let (least, most) = match (before(place, 2), before(place, 1)) {
                ("at", "least") => (number, u64::MAX),
                ("more", "than") | (_, "over") => (number + 1, u64::MAX),
                ("at", "most") => (0, number),
                ("less" | "fewer", "than") => (0, number.saturating_sub(1)),
                _ => (number, number),
            };
            let is_files = |thing: &str| ["file", "module", "package"].contains(&thing.trim_end_matches('s'));
            let of_files = is_files(at(place + 1)) || is_files(at(place + 2));
            found.push(Quantity::Number { said: word.to_owned(), least, most, of_files });
            continue;
        }
        if let Some((_, least, most)) = UNSAID.iter().find(|(one, ..)| *one == word) {
            // `a pair of callers`, `several places`; both of two names is more than one.
            let thing = (1..=3).map(|steps| at(place + steps)).find(|word| THINGS.contains(word));
            let (least, most) = match thing {
                Some(_) => (*least, *most),
                None if word == "both" => (2, u64::MAX),
                None => continue,
            };
            let of_files = thing
                .is_some_and(|thing| ["file", "module", "package"].contains(&thing.trim_end_matches('s')));
            found.push(Quantity::Number { said: word.to_owned(), least, most, of_files });
        }
        // At the beginning of a part of the sentence these are what it speaks of.
        let begins = place == 0 || ["and", "but", "that", "so"].contains(&before(place, 1)) || is_cut(place);
        // That nothing was found, or is wrong, is a conclusion; that nothing does something is said of all.
        let next = at(place + 1);
        let does = ["else", "but", "in", "other", "of"].contains(&next)
            || next.ends_with('s') && !["is", "was", "has", "does", "this"].contains(&next);
        let is_none = begins
            && (["none", "nothing", "nobody"].contains(&word) && does
                || ["any", "anything", "anyone"].contains(&word));
        let is_no_thing = word == "no" && (THINGS.contains(&at(place + 1)) || at(place + 1) == "other");
        let is_none_of = word == "none" && at(place + 1) == "of";
        // Of all places, where it says that something is called, used or said there, or counts things; else of what is done.
        let is_of_places = words.iter().any(|word| OF_PLACES.iter().any(|stem| word.starts_with(stem)))
            || words.iter().any(|word| THINGS.contains(&word.as_str()));
        let of_all = |word: &str, is_of_places: bool| {
            let said = word.to_owned();
            if is_of_places { Quantity::All(said) } else { Quantity::Always(said) }
        };
        if is_none || is_no_thing || is_none_of {
            found.push(of_all(word, is_of_places || is_no_thing));
        }
        let is_counted = ["only", "all"].contains(&word) && number(at(place + 1)).is_some();
        let is_other = word == "each" && at(place + 1) == "other";
        let is_condition = word == "only" && CONDITIONS.contains(&at(place + 1));
        if ALL.contains(&word)
            && !is_counted
            && !is_other
            && !is_condition
            && !NOT_AFTER.contains(&before(place, 1))
        {
            // `never called` is of all places; that something never calls another is of what it does.
            let is_passive = || (1..=2).any(|steps| PASSIVE.contains(&at(place + steps)));
            let is_of_places = match word {
                "never" | "always" | "invariably" | "entirely" => is_passive(),
                // `every loop stops` is of all loops; who swallows every exception does that.
                // `calls every hook of the list` is of what is in the list.
                "every" | "each" | "all" if is_done_to_each(before(place, 1), next) => place < 2,
                "every" | "each" | "all" => is_of_places || begins,
                _ => is_of_places,
            };
            found.push(of_all(word, is_of_places));
        }
    }
    found.dedup();
    found
}

/// Whether something is done to each of what is no thing of code.
fn is_done_to_each(verb: &str, thing: &str) -> bool {
    ["calls", "uses", "invokes"].contains(&verb) && !thing.is_empty() && !THINGS.contains(&thing)
}

/// `3`, `three`, `once`.
pub(crate) fn number(word: &str) -> Option<u64> {
    NUMBERS
        .iter()
        .position(|one| *one == word)
        .map(|at| at as u64)
        .or_else(|| LARGER.iter().find(|(one, _)| *one == word).map(|(_, number)| *number))
        .or_else(|| word.parse().ok().filter(|_| word.bytes().all(|byte| byte.is_ascii_digit())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_that_speak_of_all_or_of_a_number_are_known_by_their_words() {
        let all = |text: &str| {
            let found = quantities(text);
            found.iter().map(|one| one.said().to_owned()).collect::<Vec<_>>().join(" ")
        };
        for (text, said) in [
            ("drain is only called by run", "only"),
            ("every caller of drain holds the lock", "every"),
            ("all handlers are closed", "all"),
            ("it never returns None", "never"),
            ("drain has exactly one caller", "one"),
            ("drain has only one caller", "one"),
            ("drain is called twice", "twice"),
            ("drain is called in 3 files", "3"),
            ("drain has a single caller", "single"),
            ("nobody except run calls drain", "except"),
            ("drain has at least two callers", "two"),
            ("nothing else calls drain", "nothing"),
            ("no function of a.rs panics", "no"),
            ("it is right, and any value is taken", "any"),
            ("drain is called at least twice", "twice"),
            ("drain has a pair of callers", "pair"),
            ("both callers of drain hold it", "both"),
            ("drain is called three times", "three"),
            ("drain has several callers", "several"),
            ("run is the sole caller of drain", "sole"),
            ("no other function calls drain", "no"),
            ("drain is called by none of them", "none"),
        ] {
            assert_eq!(all(text), said, "{text}");
        }
        for text in [
            "drain stops one job early",
            "the file is opened read only",
            "a read-only view, the catch-all route",
            "`__all__` and \"always\" are names",
            "it does not close at all",
            "line 3 calls drain",
            "they call each other",
            "it sets the timeout to 5 seconds",
            "one of the callers holds the lock",
            "once the queue is empty it stops",
            "the error says nothing to the caller",
            "nothing is wrong with it",
            "nothing was found",
            "it returns if any header is set",
        ] {
            assert_eq!(all(text), "", "{text}");
        }
        let range = |text: &str| match quantities(text).first() {
            Some(Quantity::Number { least, most, .. }) => (*least, *most),
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(range("it has more than two callers"), (3, u64::MAX));
        assert_eq!(range("it has at most 2 callers"), (0, 2));
    }
}
