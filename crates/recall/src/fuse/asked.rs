//! A question, cut into the words that the index knows.

use super::signals::Tuning;
use crate::corpus::Corpus;
use crate::text::{Bm25, Term, Terms, hash, parts_of, raw_words, terms_of_text};

/// More terms than this only repeat what the most telling ones say.
const MAX_TERMS: usize = 48;

/// A question, as the index knows its words.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// The most telling terms with their weights.
    pub terms: Vec<(Term, f32)>,
    /// Neighbouring words as one identifier.
    pub phrases: Vec<(Term, f32)>,
}

impl Asked {
    pub fn of(corpus: &Corpus, query: &str, tuning: &Tuning) -> Self {
        Self { terms: weigh_terms(corpus, query, tuning), phrases: phrases(query, tuning) }
    }
}

/// The terms of a question with their weights: the most telling ones. What is said in the first line counts most.
fn weigh_terms(corpus: &Corpus, query: &str, tuning: &Tuning) -> Vec<(Term, f32)> {
    let mut weighted: Vec<(Term, f32)> = Vec::new();
    let mut terms = Terms::default();
    for (at, line) in query.trim().lines().enumerate() {
        let line_weight = if at == 0 { 1.0 } else { tuning.later_lines };
        let (scope, rest) = if at == 0 { split_scope(line) } else { ("", line) };
        let mut say = |text: &str, weight: f32| {
            for word in raw_words(text) {
                let is_identifier = parts_of(word).nth(1).is_some();
                let weight = if is_identifier { weight * tuning.identifiers } else { weight };
                let mut add = |term| match weighted.iter_mut().find(|(known, _)| *known == term) {
                    // Said twice is a little more than once.
                    Some((_, known)) => *known += 0.25 * weight,
                    None => weighted.push((term, weight)),
                };
                terms.each(word, &mut add);
                // `httpadapter` is `HTTPAdapter`, which the index has as one word and not by its stem, whatever else
                // has the stem: a file of that name does.
                let whole = hash(&word.to_lowercase());
                let is_stem = terms_of_text(word).contains(&whole);
                if !is_identifier && !is_stem && corpus.text.files_with(whole) > 0 {
                    add(whole);
                }
            }
        };
        say(scope, line_weight * tuning.scope);
        for (nth, part) in rest.split('`').enumerate() {
            say(part, if nth % 2 == 1 { line_weight * tuning.quoted } else { line_weight });
        }
    }
    if weighted.len() > MAX_TERMS {
        let all = corpus.text.files().len();
        let telling = |&(term, weight): &(Term, f32)| weight * Bm25::idf(corpus.text.files_with(term), all);
        weighted.sort_by(|a, b| telling(b).total_cmp(&telling(a)).then_with(|| a.0.cmp(&b.0)));
        weighted.truncate(MAX_TERMS);
    }
    weighted
}

/// Two or three words that stand side by side, written as one identifier: `config file` is `config_file` and `ConfigFiles`.
fn phrases(query: &str, tuning: &Tuning) -> Vec<(Term, f32)> {
    let mut phrases: Vec<(Term, f32)> = Vec::new();
    for (at, line) in query.trim().lines().enumerate() {
        let weight = if at == 0 { 1.0 } else { tuning.later_lines };
        for clause in line.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | ' '))) {
            let words: Vec<String> = raw_words(clause)
                .flat_map(|word| word.split('_'))
                .filter(|word| !word.is_empty())
                .map(str::to_lowercase)
                .collect();
            for run in words.windows(2).chain(words.windows(3)) {
                let one = run.concat();
                let other = match one.strip_suffix('s') {
                    Some(singular) => singular.to_owned(),
                    None => format!("{one}s"),
                };
                phrases.extend([one, other].map(|form| (hash(&form), weight)));
            }
        }
        if phrases.len() > MAX_PHRASES {
            phrases.truncate(MAX_PHRASES);
            break;
        }
    }
    // Said twice is said once; the first time counts.
    phrases.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| b.1.total_cmp(&a.1)));
    phrases.dedup_by_key(|(term, _)| *term);
    phrases
}

/// A longer question repeats itself.
const MAX_PHRASES: usize = 400;

/// The words before the first colon of a line, if they are few, and the rest.
fn split_scope(line: &str) -> (&str, &str) {
    let split = line.split_once(": ");
    split.filter(|(scope, _)| scope.split_whitespace().count() <= MAX_SCOPE_WORDS).unwrap_or(("", line))
}

/// A longer beginning is a sentence.
const MAX_SCOPE_WORDS: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    fn has(query: &str, identifier: &str) -> bool {
        phrases(query, &Tuning::default()).iter().any(|&(term, _)| term == hash(identifier))
    }

    #[test]
    fn neighbouring_words_are_one_identifier_in_any_number() {
        assert!(
            has("read the config file twice", "configfile") && has("read the config file", "configfiles")
        );
        assert!(has("config files", "configfile") && has("merge-base of base_config", "mergebase"));
        assert!(has("an http proxy header", "httpproxyheader"));
        assert!(!has("read config, file it", "configfile"), "a comma parts them");
    }

    #[test]
    fn a_phrase_of_the_first_line_counts_most() {
        let found = phrases("config file\n\nconfig file\nother words", &Tuning::default());
        let weight = |identifier| found.iter().find(|(term, _)| *term == hash(identifier)).unwrap().1;
        assert_eq!((weight("configfile"), weight("otherwords")), (1.0, 0.5));
        assert_eq!(found.len(), 4, "each in two numbers, once");
    }
}
