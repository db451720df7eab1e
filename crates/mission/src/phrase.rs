//! Phrase: a search for several words that found nothing, though each may be there. It shows only that nobody wrote them so.

use crate::absence::Absence;
use crate::situation::Situation;
use crate::syntax::DEFINES;
use crate::uses::{Use, use_of};

/// What kind of thing a name is.
const KINDS: [&str; 18] = [
    "function",
    "functions",
    "method",
    "methods",
    "class",
    "classes",
    "constant",
    "variable",
    "field",
    "attribute",
    "symbol",
    "macro",
    "import",
    "call",
    "calls",
    "helper",
    "parameter",
    "argument",
];
/// How a sentence says that something is not there.
const NOT_THERE: [&str; 8] = ["exist", "appear", "occur", "stand", "show", "exists", "appears", "occurs"];

/// Why a search that found nothing does not show what a claim denies: its words are a phrase of the sentence, and the name in it
/// is there.
pub(crate) fn still_there(search: &Absence, claim: &str, situation: &Situation<'_>) -> Option<String> {
    let query = search.query.trim();
    if let Some(why) = says_what_it_does(query, claim) {
        return Some(why);
    }
    let is_plain =
        !search.regex || query.chars().all(|letter| letter.is_alphanumeric() || " _-".contains(letter));
    let parts: Vec<&str> = query
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|part| !part.is_empty())
        .collect();
    // What stands in quotes is the very text that is meant.
    let is_text = ["\"", "'", "`"].iter().any(|mark| claim.contains(&format!("{mark}{query}{mark}")));
    if !query.contains(' ') || parts.len() < 2 || !is_plain || is_text {
        return None;
    }
    let is_kind = |part: &&str| {
        let lower = part.to_lowercase();
        KINDS.contains(&lower.as_str()) || DEFINES.contains(&lower.as_str())
    };
    let of_definition = parts.iter().any(is_kind);
    for name in parts.iter().filter(|part| !is_kind(part) && part.chars().count() > 2) {
        let alone = Absence { query: (*name).to_owned(), regex: false, multiline: false, ..search.clone() };
        let Some(count) = (situation.count)(&alone) else { continue };
        let defines = |path: &str, line: u64| {
            let text = (situation.text_of)(path)?;
            let line = text.lines().nth(usize::try_from(line).ok()?.checked_sub(1)?)?;
            Some(use_of(path, line, name) == Some(Use::Defines))
        };
        // Who denies a function of that name does not deny that its name is said.
        let is_there = |path: &str, line: u64| !of_definition || defines(path, line).unwrap_or(true);
        let spot = count.spots.iter().find(|spot| spot.defines || is_there(&spot.path, spot.line));
        if let Some(spot) = spot {
            return Some(format!(
                "The search was for the phrase {query:?}, and {name} by itself is at {}:{}: search for the very name that is \
                 denied, and where the text itself is meant, put it in quotes in the claim.",
                spot.path, spot.line
            ));
        }
    }
    None
}

/// That a name is nowhere says nothing of what it does.
fn says_what_it_does(query: &str, claim: &str) -> Option<String> {
    let name = query
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .find(|part| !part.is_empty())?;
    let said: Vec<String> = claim
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let name = name.to_lowercase();
    let at = |place: usize| said.get(place).map_or("", String::as_str);
    (0..said.len()).filter(|place| at(*place) == name).find_map(|place| {
        let verb = match (at(place + 1), at(place + 2), at(place + 3)) {
            ("never", verb, _) => verb,
            ("does" | "will" | "can" | "do", "not" | "never", verb) => verb,
            ("doesn" | "won" | "don", "t", verb) => verb,
            ("cannot", verb, _) => verb,
            _ => return None,
        };
        let is_deed = verb.chars().count() > 2 && !NOT_THERE.contains(&verb) && verb != "called" && verb != "used";
        let is_passive = verb.ends_with("ed") || verb == "be";
        (is_deed && !is_passive).then(|| {
            format!(
                "That {query:?} is nowhere does not show what it does or does not do: claim that it is not there, or name what is."
            )
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn that_something_is_nowhere_says_nothing_of_what_it_does() {
        for claim in
            ["drain never fails", "drain does not close it", "drain doesn't close", "drain cannot fail"]
        {
            assert!(says_what_it_does("drain", claim).is_some(), "{claim}");
        }
        for claim in [
            "drain is never called",
            "drain does not exist",
            "drain never appears",
            "nobody calls drain",
            "src/a.rs does not define drain",
            "drain is nowhere",
        ] {
            assert_eq!(says_what_it_does("drain", claim), None, "{claim}");
        }
    }
}
