//! Nowhere: whether a sentence says that something is not there at all, or only of a place or a case.

use crate::denial::{NOT, words};

/// Words that say that something is nowhere at all.
const NOWHERE: [&str; 7] =
    ["nowhere", "anywhere", "unused", "unreferenced", "uncalled", "undocumented", "undefined"];
/// Phrases that say so, whatever file is named beside them.
const NO_PLACE: [&str; 21] = [
    "no code",
    "no file",
    "no source",
    "no module",
    "dead code",
    "no test",
    "no doc",
    "no caller",
    "no such",
    "no trace",
    "no occurrence",
    "not exist",
    "n't exist",
    "not in the repo",
    "not in this repo",
    "not in the code",
    "not in this code",
    "not in the source",
    "not part of the",
    "not in any",
    "nothing in the repo",
];
/// Phrases that say so where no file is named.
const NOBODY: [&str; 49] = [
    "not implemented",
    "nobody references",
    "nobody invokes",
    "no one calls",
    "no one uses",
    "nothing invokes",
    "n't called",
    "n't used",
    "n't imported",
    "n't referenced",
    "no longer called",
    "no longer used",
    "no longer imported",
    "no longer referenced",
    "is dead",
    "nobody calls",
    "nobody uses",
    "nobody imports",
    "nothing calls",
    "nothing uses",
    "nothing imports",
    "nothing references",
    "not used",
    "never used",
    "not called",
    "never called",
    "not imported",
    "never imported",
    "not referenced",
    "never referenced",
    "not mentioned",
    "never mentioned",
    "not defined",
    "never defined",
    "not found",
    "not present",
    "not there",
    "never appears",
    "not appear",
    "no definition",
    "no function",
    "no method",
    "no class",
    "no use",
    "no mention",
    "no reference",
    "no import",
    "no longer exists",
    "no usage",
];

/// Whether a claim says that something is nowhere: no file that was read shows that.
pub(crate) fn is_nowhere(claim: &str, names_file: bool) -> bool {
    let lower = claim.to_lowercase();
    let said = words(&lower);
    let denies = said.iter().any(|word| NOT.contains(&word.as_str()));
    let has = |phrases: &[&str]| {
        phrases.iter().any(|phrase| starts_a_word(&lower, phrase) && !is_a_condition(&lower, phrase))
    };
    // What a function gives back may be called so.
    let is_value = |at: usize| {
        said[at] == "undefined"
            && !at
                .checked_sub(1)
                .is_some_and(|at| ["is", "are", "was", "were", "left"].contains(&said[at].as_str()))
    };
    let is_said = |word: &&str| (0..said.len()).any(|at| said[at] == **word && !is_value(at));
    // Of "not … anywhere" and "nowhere" both deny; "anywhere" alone does not.
    let is_somewhere = || NOBODY.iter().any(|phrase| is_of_a_place(&lower, phrase));
    denies && NOWHERE.iter().any(is_said) || has(&NO_PLACE) || !names_file && has(&NOBODY) && !is_somewhere()
}

/// Whether a phrase stands in what a sentence says of a case: `run fails if a flag is not defined`, `… for a flag that does not
/// exist`. What such a sentence says is the part before it.
fn is_a_condition(lower: &str, phrase: &str) -> bool {
    const CASES: [&str; 9] =
        ["if", "when", "whenever", "unless", "until", "while", "once", "because", "where"];
    let Some((before, _)) = lower.split_once(phrase) else { return false };
    let words: Vec<&str> = before.split_whitespace().collect();
    let is_case = |(at, word): (usize, &&str)| {
        let is_kind = matches!(*word, "a" | "an" | "any") && words[at + 1..].contains(&"that");
        at > 1 && (CASES.contains(word) || is_kind && matches!(words[at - 1], "for" | "of" | "on" | "with"))
    };
    words.iter().enumerate().any(is_case)
}

/// Whether a phrase is said of a place or a case, and not of everything: `is not called by run`, `is never called when it is empty`.
fn is_of_a_place(lower: &str, phrase: &str) -> bool {
    const OF: [&str; 14] = [
        "by", "from", "in", "inside", "within", "during", "if", "when", "whenever", "unless", "until",
        "while", "after", "before",
    ];
    const ANY: [&str; 14] = [
        "any",
        "anyone",
        "anything",
        "anybody",
        "anywhere",
        "code",
        "codebase",
        "repo",
        "repository",
        "project",
        "source",
        "sources",
        "workspace",
        "practice",
    ];
    let Some((_, rest)) = lower.split_once(phrase) else { return false };
    let trim = |word: &str| word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_owned();
    let words: Vec<String> = rest.split_whitespace().map(trim).collect();
    let at = words.iter().position(|word| OF.contains(&word.as_str()));
    at.is_some_and(|at| {
        let is_case = ["if", "when", "whenever", "unless", "until", "while", "after", "before"]
            .contains(&words[at].as_str());
        let mut rest = words[at + 1..]
            .iter()
            .skip_while(|word| ["the", "this", "its", "whole", "entire"].contains(&word.as_str()));
        is_case || rest.next().is_some_and(|next| !ANY.contains(&next.as_str()))
    })
}

fn starts_a_word(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase)
        .any(|(at, _)| phrase.starts_with("n't") || !text[..at].ends_with(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn that_something_is_nowhere_is_known_by_its_words() {
        for claim in [
            "X is nowhere",
            "x is not used anywhere",
            "no code has it",
            "nobody calls drain",
            "drain is unused",
            "drain is not in the repository",
            "drain is never imported",
            "drain is dead code",
            "drain isn't called",
            "drain is no longer used",
            "no one calls drain",
            "if you look closely, drain is never called",
        ] {
            assert!(is_nowhere(claim, false), "{claim}");
        }
        for claim in [
            "MarkFlagsMutuallyExclusive panics if a flag is not defined",
            "it panics for a flag that does not exist",
            "ExecuteC returns early with an error when the command is not found",
        ] {
            assert!(!is_nowhere(claim, false), "{claim}");
        }
        for claim in ["f returns undefined", "f is false for both null and undefined", "f accepts undefined"]
        {
            assert!(!is_nowhere(claim, false), "{claim}");
        }
        assert!(is_nowhere("drain is undefined", false));
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
