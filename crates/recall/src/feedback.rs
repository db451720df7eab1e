//! Feedback: what was said of earlier answers, and what it means for a question like those.

use std::collections::BTreeMap;

use crate::text::{Term, hash, kin, parts_of, raw_words, terms_of_query, terms_of_text};

/// Questions that are less alike have nothing to do with each other.
const ALIKE: f32 = 0.55;
/// From here on two questions ask the same, and what was said of the one holds for the other in full; in between in part.
const SAME: f32 = 0.7;
/// What it counts that two questions find the same: all of it.
const SAME_FINDS: f32 = 0.75;
/// Where they have less than this in common of what they find, it is chance.
const LEAST_FINDS: f32 = 0.15;
/// Where they have one word in common, it is chance below this: the word finds what it stands in.
const LEAST_FINDS_OF_ONE: f32 = 0.45;
/// Questions must have this much of their words in common, whatever they find.
const LEAST_WORDS: f32 = 0.15;
/// Words by which people complain, in order. They may be rare in code, and still say nothing of what is asked.
const SPEECH: &[&str] = &[
    "actually", "although", "ask", "asked", "asking", "asks", "despite", "even", "expected", "happen",
    "happens", "however", "must", "please", "seem", "seems", "should", "still", "though", "want", "wanted",
    "wants",
];
/// So much confirmation carries an answer up to the best one: three times at the usual strength.
const FULL: f32 = 0.6;
/// What is left of an answer that was called wrong as often.
const REJECTED: f32 = 0.1;

/// How many of the first things that a question finds tell what it is about.
pub const FINDS: usize = 20;
/// How much less what fits less tells: the exponent of its score as a share of the best. Where names are much alike, all
/// questions find the same things, but these fit them badly.
const FITTING: i32 = 6;

/// Something that a question finds, and how much it tells of it, in hundredths.
pub type Find = (u32, u8);

/// A question, as far as it can be told whether another one asks the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gist {
    /// Each word once: what it is kin to, and its term in the index.
    words: Vec<(Term, Term)>,
    /// What it finds first, in the order of marks.
    finds: Vec<Find>,
}

impl Gist {
    pub fn of(query: &str, mut finds: Vec<Find>) -> Self {
        let mut words: Vec<(Term, Term)> = Vec::new();
        for part in raw_words(query).flat_map(parts_of) {
            let is_speech = SPEECH.binary_search(&part.to_lowercase().as_str()).is_ok();
            if let [term] = terms_of_text(part)[..]
                && !is_speech
            {
                words.push((kin(&part.to_lowercase()), term));
            }
        }
        words.sort_unstable();
        words.dedup_by_key(|(kin, _)| *kin);
        finds.sort_unstable();
        finds.dedup_by_key(|(mark, _)| *mark);
        Self { words, finds }
    }

    /// What is kept of what a question finds: ids and scores, best first.
    pub fn finds<'n>(found: impl IntoIterator<Item = (&'n str, f32)>) -> Vec<Find> {
        let found: Vec<(&str, f32)> = found.into_iter().take(FINDS).collect();
        let best = found.first().map_or(1.0, |&(_, score)| score.max(f32::MIN_POSITIVE));
        let find = |&(node, score): &(&str, f32)| {
            let mark = hash(node);
            let tells = (score / best).clamp(0.0, 1.0).powi(FITTING) * 100.0;
            ((mark ^ (mark >> 32)) as u32, tells as u8)
        };
        found.iter().map(find).filter(|&(_, tells)| tells > 0).collect()
    }

    /// The share of what both find, of the one that finds more: a word finds much of what any question with it finds.
    fn same_finds(&self, other: &Self) -> f32 {
        let sum = |finds: &[Find]| finds.iter().map(|&(_, tells)| f32::from(tells)).sum::<f32>();
        let in_other = |&(mark, tells): &Find| {
            let at = other.finds.binary_search_by_key(&mark, |&(mark, _)| mark).ok()?;
            Some(f32::from(tells.min(other.finds[at].1)))
        };
        let common: f32 = self.finds.iter().filter_map(in_other).sum();
        let all = sum(&self.finds).max(sum(&other.finds));
        if all > 0.0 { common / all } else { 0.0 }
    }

    /// How much two questions ask the same: the share of their words that is common, by how telling they are, and the share of
    /// what they find. Both shares are of the question that has more: what one asks has to be what the other asks, too.
    /// People ask again in other words, which then find the same places. A word alone finds what it stands in, whatever
    /// is asked about it, so of a question that has no other its finds say nothing.
    pub fn likeness(&self, other: &Self, weight: &impl Fn(Term) -> f32) -> f32 {
        let sum = |words: &[(Term, Term)]| words.iter().map(|&(_, term)| weight(term)).sum::<f32>();
        let all = sum(&self.words).max(sum(&other.words));
        let in_other = |&(kin, term): &(Term, Term)| {
            let at = other.words.binary_search_by_key(&kin, |&(kin, _)| kin).ok()?;
            Some(weight(term).min(weight(other.words[at].1)))
        };
        let shared: Vec<f32> = self.words.iter().filter_map(in_other).collect();
        let common: f32 = shared.iter().sum();
        let by_words = if all > 0.0 { common / all } else { 0.0 };
        if by_words < LEAST_WORDS {
            return 0.0;
        }
        if self.words.len() == 1 || other.words.len() == 1 {
            return by_words;
        }
        // Of two words the one that is not common is what is asked about the other.
        if shared.len() == 1 && self.words.len().min(other.words.len()) == 2 {
            return by_words;
        }
        let least = if shared.len() == 1 { LEAST_FINDS_OF_ONE } else { LEAST_FINDS };
        let by_finds = Some(self.same_finds(other)).filter(|&same| same >= least);
        by_words + SAME_FINDS * by_finds.unwrap_or(0.0)
    }
}

/// One judgement of one answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Lesson {
    pub gist: Gist,
    /// The node that was judged.
    pub node: String,
    /// Above 0 when it was right, below when it was wrong.
    pub amount: f32,
}

/// What lessons of like questions say, for each node: from -1 to 1. `weight` says how telling a term is.
pub fn opinions<'l>(
    lessons: impl IntoIterator<Item = &'l Lesson>,
    asked: &Gist,
    weight: impl Fn(Term) -> f32,
) -> Vec<(&'l str, f32)> {
    let mut sums: BTreeMap<&str, f32> = BTreeMap::new();
    for lesson in lessons {
        let share = (asked.likeness(&lesson.gist, &weight) - ALIKE) / (SAME - ALIKE);
        if share > 0.0 {
            *sums.entry(&lesson.node).or_default() += lesson.amount * share.min(1.0);
        }
    }
    let clamped = sums.into_iter().map(|(node, sum)| (node, (sum / FULL).clamp(-1.0, 1.0)));
    clamped.filter(|&(_, opinion)| opinion != 0.0).collect()
}

/// A question that has so much of its weight in a task's description is about that task.
const ABOUT: f32 = 0.5;

/// What somebody is about to work on, and the nodes that it is about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Primed {
    terms: Vec<Term>,
    /// Each with what it is lifted by.
    nodes: Vec<(String, f32)>,
}

impl Primed {
    pub fn of(task: &str, nodes: impl IntoIterator<Item = (String, f32)>) -> Self {
        let terms = terms_of_query(task).into_iter().map(|(term, _)| term).collect();
        Self { terms, nodes: nodes.into_iter().collect() }
    }

    /// The nodes that are lifted for a question; none if it is about something else.
    pub fn lifts(&self, query: &str, weight: impl Fn(Term) -> f32) -> &[(String, f32)] {
        let own: Vec<Term> = terms_of_query(query).into_iter().map(|(term, _)| term).collect();
        let sum = |terms: &mut dyn Iterator<Item = &Term>| terms.map(|&term| weight(term)).sum::<f32>();
        let all = sum(&mut own.iter());
        let common = sum(&mut own.iter().filter(|term| self.terms.contains(term)));
        if all > 0.0 && common >= all * ABOUT { &self.nodes } else { &[] }
    }
}

/// A score after what was learned. `best` is the best score of the answer.
pub fn lifted(score: f32, best: f32, opinion: f32) -> f32 {
    if opinion >= 0.0 { score + best * opinion } else { score * (1.0 + opinion * (1.0 - REJECTED)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::terms_of_text;

    /// "code" is everywhere, all else is rare.
    fn weight(term: Term) -> f32 {
        if terms_of_text("code") == [term] { 0.1 } else { 1.0 }
    }

    fn opinion(times: usize, amount: f32, query: &str) -> f32 {
        found_alike(times, amount, query, 0)
    }

    /// The same where `same` of the first twenty things that are found are those of the lesson.
    fn found_alike(times: usize, amount: f32, query: &str, same: u32) -> f32 {
        let finds = |marks: std::ops::Range<u32>| marks.map(|mark| (mark, 100)).collect();
        let gist = Gist::of("merge headers of requests", finds(0..20));
        let lessons = vec![Lesson { gist, node: "n".to_owned(), amount }; times];
        let asked = Gist::of(query, finds(20 - same..40 - same));
        opinions(&lessons, &asked, weight).first().map_or(0.0, |&(_, opinion)| opinion)
    }

    #[test]
    fn three_confirmations_are_full_for_the_question_and_for_a_paraphrase() {
        assert!((opinion(1, 0.2, "merge headers of requests") - 1.0 / 3.0).abs() < 1e-6);
        assert!(opinion(3, 0.2, "merge headers of requests") > 0.999);
        let by_words = opinion(3, 0.2, "merging header code of responses");
        assert!(
            by_words > 0.5 && by_words < 0.9,
            "two of three words, and nothing found in common: {by_words}"
        );
        assert!(
            found_alike(3, 0.2, "merging header code of responses", 6) > 0.999,
            "that find some of the same"
        );
        assert!(found_alike(3, -0.2, "requests: combine headers", 6) < -0.999, "another word for merge");
    }

    #[test]
    fn other_words_that_find_the_same_ask_the_same() {
        let query = "which header wins when both have one";
        assert_eq!(found_alike(3, 0.2, query, 4), 0.0);
        assert!(found_alike(3, 0.2, query, 12) > 0.999);
        assert_eq!(
            found_alike(3, 0.2, "parse a url", 20),
            0.0,
            "without a common word it is about something else"
        );
    }

    #[test]
    fn one_word_of_several_is_another_question_even_where_it_finds_much_of_the_same() {
        assert_eq!(found_alike(9, 0.2, "headers", 20), 0.0);
        assert_eq!(found_alike(9, 0.2, "headers of a cached file", 8), 0.0);
        assert_eq!(found_alike(9, 0.2, "headers setter", 20), 0.0);
        assert_eq!(
            found_alike(9, 0.2, "merge headers files code words lines", 2),
            0.0,
            "two of twenty are chance"
        );
        assert!(found_alike(9, 0.2, "merge headers files code words lines", 10) > 0.999);
        let lesson =
            |query: &str| Lesson { gist: Gist::of(query, vec![(1, 100)]), node: "n".into(), amount: 0.6 };
        let learned = |of: &str, asked: &str| {
            !opinions(&[lesson(of)], &Gist::of(asked, vec![(2, 100)]), weight).is_empty()
        };
        assert!(learned("headers", "the header code"), "it is all of both");
        let hidden = "hidden files are searched although nobody asked for them";
        assert!(learned(hidden, "why are hidden files searched"));
        assert!(!learned(hidden, "binary directories are walked although nobody asked for them"));
    }

    #[test]
    fn finding_more_than_the_other_is_asking_more() {
        let finds = |marks: std::ops::Range<u32>| marks.map(|mark| (mark, 100)).collect::<Vec<Find>>();
        let (few, many) = (Gist::of("a", finds(0..5)), Gist::of("b", finds(0..20)));
        assert_eq!(few.same_finds(&many), 0.25);
        assert_eq!(many.same_finds(&few), 0.25);
    }

    #[test]
    fn words_of_complaint_are_in_order() {
        assert!(SPEECH.is_sorted());
    }

    #[test]
    fn what_fits_badly_tells_little_of_a_question() {
        let finds = Gist::finds([("a", 0.8), ("b", 0.4), ("c", 0.1)]);
        assert_eq!(finds.iter().map(|&(_, tells)| tells).collect::<Vec<_>>(), [100, 1]);
    }

    #[test]
    fn other_questions_learn_nothing() {
        assert_eq!(opinion(9, 0.2, "parse a url"), 0.0);
        assert_eq!(opinion(9, 0.2, "headers code for caching streams"), 0.0);
        assert_eq!(opinion(9, 0.2, ""), 0.0);
    }

    #[test]
    fn priming_is_for_questions_about_the_task() {
        let primed = Primed::of("merge headers of requests that were redirected", [("n".to_owned(), 0.15)]);
        assert_eq!(primed.lifts("merging headers", weight).len(), 1);
        assert_eq!(primed.lifts("redirect code", weight).len(), 1);
        assert!(primed.lifts("parse a url of headers", weight).is_empty());
        assert!(primed.lifts("", weight).is_empty());
    }

    #[test]
    fn a_confirmed_answer_passes_the_best_and_a_rejected_one_sinks() {
        assert!(lifted(0.1, 0.8, 1.0) > 0.8);
        assert!((lifted(0.8, 0.8, -1.0) - 0.08).abs() < 1e-6);
        assert_eq!(lifted(0.4, 0.8, 0.0), 0.4);
    }
}
