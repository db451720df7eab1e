//! Feedback: what was said of earlier answers, and what it means for a question like those.

use std::collections::BTreeMap;

use crate::text::{Term, terms_of_query};

/// Questions that have less than this in common are not alike.
const LEAST_ALIKE: f32 = 0.5;
/// A paraphrase: from here on what was learned counts fully.
const ALIKE: f32 = 0.7;
/// So much confirmation carries an answer up to the best one: three times at the usual strength.
const FULL: f32 = 0.6;
/// What is left of an answer that was called wrong as often.
const REJECTED: f32 = 0.1;

/// One judgement of one answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Lesson {
    /// The distinct terms of the question.
    pub terms: Vec<Term>,
    /// The node that was judged.
    pub node: String,
    /// Above 0 when it was right, below when it was wrong.
    pub amount: f32,
}

impl Lesson {
    pub fn of(query: &str, node: impl Into<String>, amount: f32) -> Self {
        let terms = terms_of_query(query).into_iter().map(|(term, _)| term).collect();
        Self { terms, node: node.into(), amount }
    }
}

/// What lessons of like questions say, for each node: from -1 to 1. `weight` says how telling a term is.
pub fn opinions<'l>(
    lessons: impl IntoIterator<Item = &'l Lesson>,
    query: &str,
    weight: impl Fn(Term) -> f32,
) -> Vec<(&'l str, f32)> {
    let own: Vec<Term> = terms_of_query(query).into_iter().map(|(term, _)| term).collect();
    let mut sums: BTreeMap<&str, f32> = BTreeMap::new();
    for lesson in lessons {
        let alike = likeness(&own, &lesson.terms, &weight);
        if alike >= LEAST_ALIKE {
            *sums.entry(&lesson.node).or_default() += lesson.amount * (alike / ALIKE).min(1.0);
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

/// The cosine of two questions, by how telling their terms are.
fn likeness(one: &[Term], other: &[Term], weight: &impl Fn(Term) -> f32) -> f32 {
    let square = |terms: &[Term]| terms.iter().map(|&term| weight(term).powi(2)).sum::<f32>();
    let common: f32 = one.iter().filter(|term| other.contains(term)).map(|&term| weight(term).powi(2)).sum();
    let lengths = (square(one) * square(other)).sqrt();
    if lengths > 0.0 { common / lengths } else { 0.0 }
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
        let lesson = Lesson::of("merge headers of requests", "n", amount);
        let lessons = vec![lesson; times];
        opinions(&lessons, query, weight).first().map_or(0.0, |&(_, opinion)| opinion)
    }

    #[test]
    fn three_confirmations_are_full_for_the_question_and_for_a_paraphrase() {
        assert!((opinion(1, 0.2, "merge headers of requests") - 1.0 / 3.0).abs() < 1e-6);
        assert!(opinion(3, 0.2, "merge headers of requests") > 0.999);
        // Two of three words in common: 2 / 3 of 0.7.
        assert!(opinion(3, 0.2, "merging header code of responses") > 0.7);
        assert!(opinion(3, -0.2, "requests: merge headers") < -0.999);
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
