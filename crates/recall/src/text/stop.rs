//! Words that are everywhere and tell nothing apart: of prose, and of programs.

/// Whether a lowercase word is said without meaning a place.
pub fn is_stop(word: &str) -> bool {
    WORDS.binary_search(&word).is_ok()
}

/// In order.
const WORDS: &[&str] = &[
    "a", "about", "after", "all", "also", "an", "and", "any", "are", "as", "at", "be", "because", "been",
    "before", "being", "but", "by", "can", "cannot", "could", "did", "do", "does", "doesn", "doing", "don",
    "each", "for", "from", "had", "has", "have", "having", "here", "how", "if", "in", "instead", "into",
    "is", "isn", "it", "its", "itself", "just", "may", "more", "most", "no", "not", "now", "of", "on",
    "once", "only", "or", "other", "our", "out", "over", "own", "so", "some", "such", "than", "that", "the",
    "their", "them", "then", "there", "these", "they", "this", "those", "to", "too", "was", "we", "were",
    "what", "when", "where", "which", "while", "who", "why", "will", "with", "without", "would", "you",
    "your",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_in_order() {
        assert!(WORDS.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(is_stop("the") && !is_stop("cache"));
    }
}
