//! Light stemming: one form for a word's plural, past and continuous, nothing more.

/// Fewer letters than this before an ending are no stem.
const MIN_STEM: usize = 3;

/// The stem of a lowercase word.
///
/// Only endings are cut, so that no word has to be written anew: `caches`, `cached`, `caching` and `cache` all give `cach`.
pub fn stem(word: &str) -> &str {
    let word = plural(word);
    let word = ["ing", "ed", "er"]
        .iter()
        .find_map(|ending| word.strip_suffix(ending).filter(|rest| is_stem(rest)))
        .map_or(word, undoubled);
    match word.strip_suffix(['e', 'y']) {
        Some(rest) if rest.len() >= MIN_STEM => rest,
        _ => word,
    }
}

fn plural(word: &str) -> &str {
    if word.len() <= MIN_STEM || word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") {
        return word;
    }
    match word.strip_suffix("ies").or_else(|| word.strip_suffix("es").filter(|rest| hisses(rest))) {
        Some(rest) if rest.len() >= MIN_STEM => rest,
        _ => word.strip_suffix('s').unwrap_or(word),
    }
}

/// Whether a plural of it takes an e.
fn hisses(word: &str) -> bool {
    ["s", "x", "z", "ch", "sh"].iter().any(|end| word.ends_with(end))
}

/// Whether what is left of a word is long enough, and can be said.
fn is_stem(rest: &str) -> bool {
    rest.len() >= MIN_STEM && rest.bytes().any(|b| b"aeiouy".contains(&b))
}

/// `mapp` of `mapping` is `map`.
fn undoubled(word: &str) -> &str {
    let bytes = word.as_bytes();
    match bytes {
        [.., a, b] if a == b && a.is_ascii_alphabetic() && !b"lsz".contains(a) && bytes.len() > MIN_STEM => {
            &word[..word.len() - 1]
        }
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for family in [
            &["cache", "caches", "cached", "caching"][..],
            &["map", "maps", "mapped", "mapping"],
            &["parse", "parser", "parsers", "parsing", "parsed"],
            &["query", "queries"],
            &["class", "classes"],
            &["fix", "fixes", "fixed", "fixing"],
            &["dependency", "dependencies"],
            &["install", "installs", "installed", "installing"],
        ] {
            let stems: Vec<&str> = family.iter().map(|word| stem(word)).collect();
            assert!(stems.windows(2).all(|pair| pair[0] == pair[1]), "{family:?}: {stems:?}");
        }
    }

    #[test]
    fn short_words_stay() {
        for word in ["bus", "id", "ring", "red", "is", "as", "this", "status"] {
            assert_eq!(stem(word), word);
        }
    }
}
