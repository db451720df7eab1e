//! Counted: claims that speak of all, of only some or of how many. One place shows none of that; a search that shows every
//! place does.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::absence::{Absence, Purpose, World};
use crate::denial::words;
use crate::event::{Event, Source, Speaks};
use crate::grounds::{self, has_word};
use crate::mode::Mode;
use crate::named::groups_in;
use crate::pointed;
use crate::quantity::{Quantity, quantities};
use crate::quote::{self, Place};
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

/// The searches that bear out how many places a claim speaks of; else why nothing that it cites does. `said` is what is left
/// of it where a search that found nothing bears out the rest.
pub(crate) fn borne_out(
    claim: &str,
    said: &str,
    cited: &[&Event],
    situation: &Situation<'_>,
    world: &World<'_>,
    mode: Mode,
) -> Result<Vec<Counted>, String> {
    let quantities = quantities(said);
    let searches = cited.iter().filter(|event| event.source == Source::Observed);
    let searches: Vec<&Absence> = searches.filter_map(|event| event.draft.search()).collect();
    let mut why = None;
    let mut counted = Vec::new();
    // A line for each is enough for what is said to be there at least so often.
    let quotes = cited.iter().filter(|event| event.draft.speaks() == Speaks::For);
    let quotes: BTreeSet<&str> = quotes.filter_map(|event| event.draft.quote()).collect();
    let reads = || cited.iter().filter(|event| event.draft.shows_text());
    let places =
        quotes.iter().flat_map(|line| reads().flat_map(|event| quote::all_in(&event.draft, line, situation)));
    let is_meant = |place: &Place| pointed::astray(claim, place, cited, situation, mode).is_none();
    let quoted: BTreeSet<(String, u64)> =
        places.filter(is_meant).map(|place| (place.path, place.line)).collect();
    for quantity in &quantities {
        let is_shown = match quantity {
            Quantity::Number { least, most: u64::MAX, of_files: false, .. } => {
                quoted.len() as u64 >= (*least).max(1)
            }
            Quantity::Always(_) => !quoted.is_empty() && grounds::is_shown_whole(claim, cited, situation),
            Quantity::Number { .. } | Quantity::All(_) => false,
        };
        if is_shown {
            continue;
        }
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
                let whole = match quantity {
                    Quantity::Always(said) if whole_is_unknown(claim, cited, situation) => Some(format!(
                        "It says {said:?} of what is done, and without a graph nobody knows how far that goes: call ingest, and then \
                         mission_verify again with the same events; or cite a run that shows it."
                    )),
                    Quantity::Always(said) => grounds::not_shown_whole(claim, cited, situation).map(|at| {
                        format!(
                            "It says {said:?} of what is done, and only a part of that was shown: call view with file_path {at:?} \
                             and this mission_id, and cite that with a line of it."
                        )
                    }),
                    Quantity::Number { least, most: u64::MAX, of_files: false, .. } if !quoted.is_empty() => {
                        Some(format!(
                            "It says {:?}, and {} was quoted: call mission_verify again with a line of each, {least} of them; or \
                             search by text for the name that it is about.",
                            quantity.said(),
                            quoted.len()
                        ))
                    }
                    Quantity::Number { .. } | Quantity::All(_) => None,
                };
                return Err(whole.or(why).unwrap_or_else(|| {
                    format!(
                        "It says {:?}, and one place does not show that: search by text for the name it is about with this \
                         mission_id, and cite that with a line of it; or claim what the line alone shows. What a text says stands in quotes.",
                        quantity.said()
                    )
                }));
            }
        }
    }
    Ok(counted)
}

/// Whether nobody knows where what a claim speaks of ends, and a graph would say it.
fn whole_is_unknown(claim: &str, cited: &[&Event], situation: &Situation<'_>) -> bool {
    situation.graph_is_empty && grounds::not_shown_whole(claim, cited, situation).is_none()
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
    let is_of_all = matches!(quantity, Quantity::All(_) | Quantity::Always(_));
    let known = || names_of_code(claim).filter(|name| !(world.defined)(name).is_empty());
    if let Some(name) = known().find(|_| is_of_all)
        && !known().any(|name| query.contains(name))
    {
        return Err(format!(
            "It says {said:?} of what {name} does or is, and the search was for {query:?}: search for {name}, and cite that."
        ));
    }
    // That only one file has something is said of all others: a search of that file alone does not show it.
    let search = match quantity {
        Quantity::All(said) | Quantity::Always(said)
            if speaks_of_others(said, claim) && !is_only_of(search.scope.as_deref(), claim) =>
        {
            &Absence { scope: world.scope.map(str::to_owned), glob: None, ..search.clone() }
        }
        _ => search,
    };
    let count = (situation.count)(search)
        .ok_or_else(|| format!("It says {said:?}, and the search for {query:?} cannot be made again."))?;
    if is_of_all && count.total == 0 {
        return Err(format!(
            "It says {said:?}, and {query:?} is nowhere: search for the very name that it speaks of, and cite that."
        ));
    }
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
            let all: Vec<&Spot> =
                count.spots.iter().filter(|spot| line_has(spot, query, situation)).collect();
            let uses: Vec<&Spot> = all.iter().copied().filter(|spot| !spot.defines).collect();
            let files = |spots: &[&Spot]| {
                let mut paths: Vec<&str> = spots.iter().map(|spot| spot.path.as_str()).collect();
                paths.dedup();
                paths.len() as u64
            };
            let own: Vec<&Spot> =
                uses.iter().copied().filter(|spot| does(spot, query, counted, situation)).collect();
            let numbers = match (counted, of_files) {
                (Counts::Lines, true) => vec![files(&all), files(&uses)],
                (Counts::Lines, false) => vec![all.len() as u64, uses.len() as u64],
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
                all.len(),
                files(&all)
            ))
        }
        Quantity::All(_) | Quantity::Always(_) => {
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

/// The words of a claim that can only be names of code.
pub(crate) fn names_of_code(claim: &str) -> impl Iterator<Item = &str> {
    let words = claim.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words.filter(|word| {
        let inner = word.trim_matches('_');
        let pairs = inner.chars().zip(inner.chars().skip(1));
        inner.contains('_') || pairs.into_iter().any(|(one, next)| one.is_lowercase() && next.is_uppercase())
    })
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

/// Whether a line does with a name what is counted. Of one that nobody can read, nobody knows that it does not; one that has
/// the name only as a part of a longer one (`test_drain`) has it not.
fn does(spot: &Spot, query: &str, counted: Counts, situation: &Situation<'_>) -> bool {
    let wanted = match counted {
        Counts::Lines => return line_has(spot, query, situation),
        Counts::Calls => Use::Calls,
        Counts::Imports => Use::Imports,
    };
    line_does(spot, query, situation).is_none_or(|does| does == Some(wanted))
}

fn line_at(spot: &Spot, situation: &Situation<'_>) -> Option<String> {
    let text = (situation.text_of)(&spot.path)?;
    let line = text.lines().nth(usize::try_from(spot.line).ok()?.checked_sub(1)?);
    line.map(str::to_owned)
}

/// Whether a line has what was searched for, where that is one name, and not only a longer name with it.
fn line_has(spot: &Spot, query: &str, situation: &Situation<'_>) -> bool {
    let name = query.trim_start_matches("\\b").trim_end_matches("\\b").trim_end_matches('(');
    let is_name = !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    let line = line_at(spot, situation).filter(|_| is_name);
    line.is_none_or(|line| has_word(&line.to_lowercase(), &name.to_lowercase()))
}

/// What a line does with the name that was searched for, if it has it; nothing where nobody can read it.
fn line_does(spot: &Spot, query: &str, situation: &Situation<'_>) -> Option<Option<Use>> {
    let line = line_at(spot, situation)?;
    let query = query.trim_start_matches("\\b");
    let name = query
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .find(|part| !part.is_empty())?;
    let last = query.rsplit(['.', ':']).next().unwrap_or(query);
    let last =
        last.split(|letter: char| !letter.is_alphanumeric() && letter != '_').find(|part| !part.is_empty());
    Some(use_of(&spot.path, &line, last.unwrap_or(name)))
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
            !spot.defines
                && does.is_none_or(|does| does == Some(Use::Calls) || does == Some(Use::Names) && !of_calls)
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

/// Whether a sentence speaks of all of a folder and of nothing outside of it: `nobody in src/a uses it`, `in src/a, only …`.
fn is_only_of(scope: Option<&str>, claim: &str) -> bool {
    let Some(scope) =
        scope.map(|scope| scope.trim_matches('/').to_lowercase()).filter(|scope| !scope.is_empty())
    else {
        return false;
    };
    let lower = claim.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let is_scope = |word: &str| word.trim_matches(|letter| "`\"',:;./()".contains(letter)) == scope;
    (1..words.len())
        .filter(|at| is_scope(words[*at]) && ["in", "under", "within"].contains(&words[at - 1]))
        .any(|at| {
            let before = at.checked_sub(2).map_or("", |before| words[before]);
            ["", "nobody", "nothing", "none", "code", "file", "one", "module", "function"].contains(&before)
        })
}

/// Whether a sentence names a folder.
fn names_folder(lower: &str, folder: &str) -> bool {
    let around = |letter: char| letter.is_whitespace() || "()[]{}<>,;:\"'`".contains(letter);
    let mut words = lower.split(around).map(|word| word.trim_end_matches('.').trim_matches('/'));
    let folder = folder.to_lowercase();
    words.any(|word| word.rsplit('/').next() == Some(folder.as_str()))
}
