//! Counted: claims that speak of all, of only some or of how many. One place shows none of that; a search that shows every
//! place does.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::absence::{Absence, Purpose, World};
use crate::denial::words;
use crate::event::{Event, Source};
use crate::named::groups_in;
use crate::situation::Situation;
use crate::uses::{Use, use_of};

/// What a search finds now in all that belongs to the repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Lines that have it.
    pub total: u64,
    /// Files that were searched.
    pub files: u64,
    /// Files that could not be.
    pub unsearched: u64,
    /// Files that nobody is shown.
    pub withheld: u64,
    /// Where it is, in order of path and line; fewer than the total where there are too many.
    pub spots: Vec<Spot>,
}

/// A line that a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    pub path: String,
    pub line: u64,
    /// What is defined around it, by name, the outermost first.
    pub within: Vec<String>,
    /// Whether it is the line by which what was searched for is defined.
    pub defines: bool,
}

/// A search that a verdict rests on, and how many lines it found then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counted {
    pub search: Absence,
    pub total: u64,
}

/// How a sentence speaks of more than one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Quantity {
    /// Of all, or of all but what it names.
    All(String),
    /// Of a number of them, between two; or of the files that have them.
    Number { said: String, least: u64, most: u64, of_files: bool },
}

impl Quantity {
    fn said(&self) -> &str {
        match self {
            Self::All(said) | Self::Number { said, .. } => said,
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
const UNSAID: [(&str, u64, u64); 7] = [
    ("single", 1, 1),
    ("pair", 2, 2),
    ("couple", 2, 2),
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
const NUMBERS: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
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
            let is_thing = THINGS.contains(&at(place + 1)) || THINGS.contains(&at(place + 2));
            let is_exact = ["exactly", "precisely", "only", "just"].contains(&before(place, 1));
            let is_often = ["once", "twice", "thrice"].contains(&word);
            // `called twice`, `called at least twice`, `called from there twice`.
            let is_done = is_often && (1..=4).any(|steps| DONE.contains(&before(place, steps)));
            if at(place + 1) == "of" || !(is_exact || is_done || is_thing && !is_often) {
                continue;
            }
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
        if is_none || is_no_thing || is_none_of {
            found.push(Quantity::All(word.to_owned()));
        }
        let is_counted = ["only", "all"].contains(&word) && number(at(place + 1)).is_some();
        let is_other = word == "each" && at(place + 1) == "other";
        if ALL.contains(&word) && !is_counted && !is_other && !NOT_AFTER.contains(&before(place, 1)) {
            found.push(Quantity::All(word.to_owned()));
        }
    }
    found.dedup();
    found
}

/// `3`, `three`, `once`.
fn number(word: &str) -> Option<u64> {
    match word {
        "once" => Some(1),
        "twice" => Some(2),
        "thrice" => Some(3),
        _ => NUMBERS
            .iter()
            .position(|one| *one == word)
            .map(|at| at as u64)
            .or_else(|| word.parse().ok().filter(|_| word.bytes().all(|byte| byte.is_ascii_digit()))),
    }
}

/// The searches that bear out how many places a claim speaks of; else why nothing that it cites does. `said` is what is left
/// of it where a search that found nothing bears out the rest.
pub(crate) fn borne_out(
    claim: &str,
    said: &str,
    cited: &[&Event],
    situation: &Situation<'_>,
    world: &World<'_>,
) -> Result<Vec<Counted>, String> {
    let quantities = quantities(said);
    let Some(first) = quantities.first() else { return Ok(Vec::new()) };
    let searches = cited.iter().filter(|event| event.source == Source::Observed);
    let searches: Vec<&Absence> = searches.filter_map(|event| event.draft.search()).collect();
    let mut why = None;
    let mut counted = Vec::new();
    for quantity in &quantities {
        let fits = searches.iter().find_map(|search| match fits(search, claim, quantity, situation, world) {
            Ok(counted) => Some(counted),
            Err(unfit) => {
                why.get_or_insert(unfit);
                None
            }
        });
        match fits {
            Some(fits) if counted.contains(&fits) => {}
            Some(fits) => counted.push(fits),
            None => {
                return Err(why.unwrap_or_else(|| {
                    format!(
                        "It says {:?}, and one place does not show that: search by text for the name it is about with this \
                         mission_id, and cite that with a line of it; or claim what the line alone shows. What a text says stands in quotes.",
                        first.said()
                    )
                }));
            }
        }
    }
    Ok(counted)
}

/// Whether a line is one that a search finds which a claim rests on.
pub(crate) fn has_line(counted: &[Counted], path: &str, line: u64, situation: &Situation<'_>) -> bool {
    let counts = counted.iter().filter_map(|one| (situation.count)(&one.search));
    counts.flat_map(|count| count.spots).any(|spot| spot.path == path && spot.line == line)
}

/// Whether every place that a search finds is one that the claim speaks of, and as many as it says; the search that shows it,
/// and how many there are.
fn fits(
    search: &Absence,
    claim: &str,
    quantity: &Quantity,
    situation: &Situation<'_>,
    world: &World<'_>,
) -> Result<Counted, String> {
    let (query, said) = (&search.query, quantity.said());
    if !search.is_named_in(claim, world, Purpose::Count) {
        return Err(format!(
            "It says {said:?}, and the search was for {query:?}: search for the very name that it speaks of, and cite that."
        ));
    }
    // That only one file has something is said of all others: a search of that file alone does not show it.
    let search = match quantity {
        Quantity::All(said) if speaks_of_others(said, claim) => {
            &Absence { scope: world.scope.map(str::to_owned), glob: None, ..search.clone() }
        }
        _ => search,
    };
    let count = (situation.count)(search)
        .ok_or_else(|| format!("It says {said:?}, and the search for {query:?} cannot be made again."))?;
    // Secrets are no places of code.
    let as_wide = Absence { unsearched: count.unsearched, withheld: 0, ..search.clone() };
    if let Some(why) = as_wide.too_wide(claim, world.scope) {
        return Err(why);
    }
    if (count.spots.len() as u64) < count.total {
        return Err(format!(
            "It says {said:?}, and {query:?} is in {} lines: more than anybody looks at. Claim it of a folder or a file, and \
             search there.",
            count.total
        ));
    }
    match quantity {
        Quantity::Number { least, most, of_files, .. } => {
            let counted = Counts::of(claim);
            let uses: Vec<&Spot> = count.spots.iter().filter(|spot| !spot.defines).collect();
            let files = |spots: &[&Spot]| {
                let mut paths: Vec<&str> = spots.iter().map(|spot| spot.path.as_str()).collect();
                paths.dedup();
                paths.len() as u64
            };
            let all: Vec<&Spot> = count.spots.iter().collect();
            let own: Vec<&Spot> =
                uses.iter().copied().filter(|spot| does(spot, query, counted, situation)).collect();
            let numbers = match (counted, of_files) {
                (Counts::Lines, true) => vec![files(&all), files(&uses)],
                (Counts::Lines, false) => vec![count.total, uses.len() as u64],
                (_, true) => vec![files(&own)],
                (_, false) => vec![own.len() as u64, within(&own)],
            };
            if numbers.iter().any(|number| (*least..=*most).contains(number)) {
                return Ok(Counted { search: search.clone(), total: count.total });
            }
            if counted != Counts::Lines {
                return Err(format!(
                    "It says {said:?}, and of {} lines that have {query:?} {} {} it, in {} files: definitions, comments and texts \
                     are none.",
                    count.total,
                    own.len(),
                    counted.verb(),
                    files(&own)
                ));
            }
            Err(format!(
                "It says {said:?}, and {query:?} is in {} lines of {} files.",
                count.total,
                files(&all)
            ))
        }
        Quantity::All(_) => {
            let named = groups_in(claim, situation.names);
            let (lower, spoken) = (claim.to_lowercase(), words(claim));
            let is_spoken = |name: &String| spoken.contains(&name.to_lowercase());
            let is_folder = |path: &str| {
                let folders = path.split('/').rev().skip(1);
                folders.filter(|folder| folder.len() > 2).any(|folder| names_folder(&lower, folder))
            };
            let is_named = |spot: &&Spot| {
                named.iter().any(|files| files.contains(&spot.path))
                    || spot.within.iter().any(is_spoken)
                    || is_folder(&spot.path)
            };
            let counted = Counts::of(claim);
            let is_counted = |spot: &&Spot| !spot.defines && does(spot, query, counted, situation);
            match count.spots.iter().find(|spot| is_counted(spot) && !is_named(spot)) {
                Some(Spot { path, line, .. }) => Err(format!(
                    "It says {said:?}, and {query:?} is at {path}:{line}, too, of which it does not speak: name every file or \
                     function that has it, or claim what the line alone shows."
                )),
                None => Ok(Counted { search: search.clone(), total: count.total }),
            }
        }
    }
}

/// What a sentence counts of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counts {
    Calls,
    Imports,
    /// Any line that has it.
    Lines,
}

impl Counts {
    fn of(claim: &str) -> Self {
        let said = words(claim);
        let speaks = |starts: &[&str]| said.iter().any(|word| starts.iter().any(|one| word.starts_with(one)));
        match (speaks(&["call", "invo"]), speaks(&["import"])) {
            (true, false) => Self::Calls,
            (false, true) => Self::Imports,
            (true, true) | (false, false) => Self::Lines,
        }
    }

    fn verb(self) -> &'static str {
        match self {
            Self::Calls => "call",
            Self::Imports => "import",
            Self::Lines => "have",
        }
    }
}

/// Whether a line does with a name what is counted. Of one that nobody can read, nobody knows that it does not.
fn does(spot: &Spot, query: &str, counted: Counts, situation: &Situation<'_>) -> bool {
    let wanted = match counted {
        Counts::Lines => return true,
        Counts::Calls => Use::Calls,
        Counts::Imports => Use::Imports,
    };
    line_does(spot, query, situation).is_none_or(|does| does == wanted)
}

/// What a line does with the name that was searched for.
fn line_does(spot: &Spot, query: &str, situation: &Situation<'_>) -> Option<Use> {
    let text = (situation.text_of)(&spot.path)?;
    let line = text.lines().nth(usize::try_from(spot.line).ok()?.checked_sub(1)?)?;
    let query = query.trim_start_matches("\\b");
    let name = query
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .find(|part| !part.is_empty())?;
    let last = query.rsplit(['.', ':']).next().unwrap_or(query);
    let last =
        last.split(|letter: char| !letter.is_alphanumeric() && letter != '_').find(|part| !part.is_empty());
    use_of(&spot.path, line, last.unwrap_or(name))
}

/// How many definitions lines stand in.
fn within(spots: &[&Spot]) -> u64 {
    let mut around: Vec<(&str, Option<&String>)> =
        spots.iter().map(|spot| (spot.path.as_str(), spot.within.last())).collect();
    around.sort_unstable();
    around.dedup();
    around.len() as u64
}

/// The search that shows that nothing uses or calls what the claim says is not used: it finds definitions, imports and comments
/// and nothing else.
pub(crate) fn none_used(
    claim: &str,
    cited: &[&Event],
    situation: &Situation<'_>,
    world: &World<'_>,
) -> Option<Counted> {
    let said = words(claim);
    let speaks = |starts: &[&str]| said.iter().any(|word| starts.iter().any(|one| word.starts_with(one)));
    let of_calls = speaks(&["call", "invo", "uncalled"]);
    if !of_calls && !speaks(&["used", "uses", "unused", "usage", "referenc", "unreferenc", "dead"]) {
        return None;
    }
    let searches = cited.iter().filter(|event| event.source == Source::Observed);
    searches.filter_map(|event| event.draft.search()).find_map(|search| {
        if !search.is_named_in(claim, world, Purpose::Count) || search.too_wide(claim, world.scope).is_some()
        {
            return None;
        }
        let count = (situation.count)(search)?;
        let is_used = |spot: &Spot| {
            let does = line_does(spot, &search.query, situation);
            !spot.defines && does.is_none_or(|does| does == Use::Calls || does == Use::Names && !of_calls)
        };
        let is_whole = count.spots.len() as u64 == count.total && count.unsearched == 0;
        (is_whole && !count.spots.iter().any(is_used))
            .then(|| Counted { search: search.clone(), total: count.total })
    })
}

/// Whether the places that a sentence names are where something is, and not where it was looked for.
fn speaks_of_others(said: &str, claim: &str) -> bool {
    const OTHERS: [&str; 9] =
        ["only", "solely", "exclusively", "sole", "except", "nobody", "nothing", "none", "no"];
    const ARE_IN: [&str; 8] = [
        " are in ",
        " is in ",
        " are all in ",
        " lies in ",
        " lie in ",
        " are inside ",
        " is inside ",
        " come from ",
    ];
    let lower = claim.to_lowercase();
    OTHERS.contains(&said) || ARE_IN.iter().any(|phrase| lower.contains(phrase))
}

/// Whether a sentence names a folder.
fn names_folder(lower: &str, folder: &str) -> bool {
    let around = |letter: char| letter.is_whitespace() || "()[]{}<>,;:\"'`".contains(letter);
    let mut words = lower.split(around).map(|word| word.trim_end_matches('.').trim_matches('/'));
    let folder = folder.to_lowercase();
    words.any(|word| word.rsplit('/').next() == Some(folder.as_str()))
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
