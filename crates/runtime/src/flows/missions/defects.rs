//! Defects: whether a claim says that something is wrong with the code.

/// Beginnings of words that say that something is wrong.
const WRONG: &[&str] = &[
    "bug",
    "defect",
    "wrong",
    "incorrect",
    "broken",
    "breaks",
    "crash",
    "panic",
    "leak",
    "race",
    "deadlock",
    "overflow",
    "underflow",
    "corrupt",
    "fail",
    "fault",
    "mistake",
    "missing",
    "misses",
    "forget",
    "forgot",
    "lost",
    "loses",
    "ignores",
    "swallow",
    "drops",
    "hangs",
    "regress",
    "vulnerab",
    "inject",
    "unsafe",
    "unsanit",
    "unescap",
    "unchecked",
    "unvalidated",
    "unhandled",
    "uncaught",
    "stale",
    "twice",
    "duplicate",
    "off-by-one",
    "off by one",
    "one too",
    "too early",
    "too late",
    "too many",
    "too few",
    "early",
    "divides",
    "division by",
    "truncates",
    "exceeds",
    "infinite",
    "instead of",
];
/// Words that say that nothing is.
const RIGHT: &[&str] = &[
    "is correct",
    "are correct",
    "correctly",
    "is fine",
    "are fine",
    "is right",
    "are right",
    "is sound",
    "is safe",
    "are safe",
    "works as",
    "as intended",
    "as expected",
    "no bug",
    "not a bug",
    "not buggy",
    "no defect",
    "not a defect",
    "not wrong",
    "not broken",
    "no error",
    "no leak",
    "no race",
    "no crash",
    "does not crash",
    "does not fail",
    "does not leak",
    "cannot fail",
    "cannot crash",
    "never fails",
    "never crashes",
    "never panics",
    "not affected",
    "unaffected",
    "is harmless",
    "without error",
    "is not the cause",
    "not the cause",
    "rules out",
    "ruled out",
];

/// Nothing that could be read both ways counts: a file is not to be distrusted for a sentence that clears it.
pub fn is_said_in(claim: &str) -> bool {
    let lower = claim.to_lowercase();
    if RIGHT.iter().any(|words| lower.contains(words)) {
        return false;
    }
    let starts =
        |word: &str| lower.match_indices(word).any(|(at, _)| !lower[..at].ends_with(char::is_alphanumeric));
    WRONG.iter().any(|word| starts(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_that_clears_the_code_is_no_defect() {
        for claim in [
            "parse drops the last byte",
            "The discount is applied twice",
            "src/a.py divides by zero when the list is empty",
            "load() does not close the file: a leak",
            "total is wrong for negative amounts",
        ] {
            assert!(is_said_in(claim), "{claim}");
        }
        for claim in [
            "src/c.py is correct",
            "The parser is not the cause of the crash",
            "greet handles every name as intended",
            "There is no bug in src/a.py",
            "run calls greet",
        ] {
            assert!(!is_said_in(claim), "{claim}");
        }
    }
}
