//! Resume: a trail held against today's code.

use std::collections::BTreeMap;

use crate::error::NavigateError;
use crate::trail::{Standing, Trail};

/// More places missing than this, as a share, make a trail stale.
const STALE: f64 = 0.5;

/// What became of a node since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Today {
    Current,
    Changed,
    Gone,
}

/// A hypothesis, held against today's code.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    pub statement: String,
    pub standing: Standing,
    /// As it was saved.
    pub was: f64,
    /// Less by what its support lost.
    pub confidence: f64,
    /// Nodes that spoke for it and are gone.
    pub lost: usize,
}

/// A conclusion, held against today's code.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    pub statement: String,
    pub was: f64,
    /// Less by what its support lost.
    pub confidence: f64,
    /// Nodes that spoke for it: those that are gone, and those that changed.
    pub lost: usize,
    pub changed: usize,
}

/// A trail, held against today's code.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    pub gone: Vec<String>,
    pub changed: Vec<String>,
    /// Whether more than half of the places are gone.
    pub stale: bool,
    pub hypotheses: Vec<Judged>,
    pub conclusions: Vec<Held>,
    /// The place to go on from: what speaks for the strongest open hypothesis, or the last that is still there.
    pub focus: Option<String>,
}

/// Holds a trail against today's code. `today` says what became of a node that had this hash. A trail that lost more than half of
/// its places is refused unless `force`.
pub fn resume(
    trail: &Trail,
    force: bool,
    today: &mut dyn FnMut(&str, Option<&str>) -> Today,
) -> Result<Checked, NavigateError> {
    let mut known: BTreeMap<&str, Today> = BTreeMap::new();
    for visit in &trail.visited {
        known.insert(&visit.node, today(&visit.node, visit.hash.as_deref()));
    }
    let those = |state: Today| {
        let is = |visit: &&crate::trail::Visit| known[visit.node.as_str()] == state;
        let mut nodes: Vec<String> =
            trail.visited.iter().filter(is).map(|visit| visit.node.clone()).collect();
        nodes.dedup();
        nodes
    };
    let (gone, changed) = (those(Today::Gone), those(Today::Changed));
    let stale = gone.len() as f64 > STALE * known.len() as f64;
    if stale && !force {
        return Err(NavigateError::TrailStale { missing: gone.len(), all: known.len() });
    }
    let mut state = |node: &str| known.get(node).copied().unwrap_or_else(|| today(node, None));
    let hypotheses: Vec<Judged> = trail
        .hypotheses
        .iter()
        .map(|one| {
            let Support { left, lost, .. } = Support::of(&one.supporting, &mut state);
            let standing = if left == 0.0 { Standing::Open } else { one.standing };
            let (was, confidence) = (one.confidence, one.confidence * left);
            Judged { statement: one.statement.clone(), standing, was, confidence, lost }
        })
        .collect();
    let conclusions = trail.conclusions.iter().map(|one| {
        let Support { left, lost, changed } = Support::of(&one.supporting, &mut state);
        let (was, confidence) = (one.confidence, one.confidence * left);
        Held { statement: one.statement.clone(), was, confidence, lost, changed }
    });
    let conclusions: Vec<Held> = conclusions.collect();
    let open = |(_, judged): &(usize, &Judged)| judged.standing == Standing::Open;
    let strongest = hypotheses.iter().enumerate().filter(open).max_by(|a, b| {
        // Of equal ones the first.
        a.1.confidence.total_cmp(&b.1.confidence).then(b.0.cmp(&a.0))
    });
    let of_strongest = strongest.and_then(|(at, _)| {
        trail.hypotheses[at].supporting.iter().find(|node| state(node) != Today::Gone).cloned()
    });
    let last = trail.visited.iter().rev().find(|visit| known[visit.node.as_str()] != Today::Gone);
    let focus = of_strongest.or_else(|| last.map(|visit| visit.node.clone()));
    Ok(Checked { gone, changed, stale, hypotheses, conclusions, focus })
}

/// What is left of the nodes that speak for a statement.
struct Support {
    /// The share that is left: one that changed counts half.
    left: f64,
    lost: usize,
    changed: usize,
}

impl Support {
    fn of(nodes: &[String], state: &mut dyn FnMut(&str) -> Today) -> Self {
        let states: Vec<Today> = nodes.iter().map(|node| state(node)).collect();
        let count = |wanted: Today| states.iter().filter(|state| **state == wanted).count();
        let (lost, changed) = (count(Today::Gone), count(Today::Changed));
        let left = match states.len() {
            0 => 1.0,
            many => (many as f64 - lost as f64 - 0.5 * changed as f64) / many as f64,
        };
        Self { left, lost, changed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trail::{Conclusion, Hypothesis, Visit};

    fn trail() -> Trail {
        let visit = |node: &str| Visit { node: node.into(), hash: Some("h".into()) };
        let thought = |statement: &str, confidence: f64, supporting: &[&str]| Hypothesis {
            statement: statement.into(),
            confidence,
            standing: Standing::Open,
            supporting: supporting.iter().map(|&node| node.to_owned()).collect(),
            contradicting: Vec::new(),
        };
        Trail {
            visited: ["a", "b", "c", "d"].map(visit).to_vec(),
            hypotheses: vec![thought("first", 0.8, &["a", "b"]), thought("second", 0.6, &["c"])],
            conclusions: vec![Conclusion {
                statement: "third".into(),
                confidence: 0.8,
                supporting: vec!["a".into(), "b".into()],
            }],
            ..Trail::default()
        }
    }

    #[test]
    fn support_that_vanished_takes_its_share_of_confidence() {
        let mut today = |node: &str, _: Option<&str>| match node {
            "a" => Today::Gone,
            "b" => Today::Changed,
            _ => Today::Current,
        };
        let found = resume(&trail(), false, &mut today).unwrap();
        assert_eq!((&found.gone[..], &found.changed[..]), (&["a".to_owned()][..], &["b".to_owned()][..]));
        // One is gone, one counts half: a quarter is left.
        assert!((found.hypotheses[0].confidence - 0.2).abs() < 1e-9);
        let held = &found.conclusions[0];
        assert!((held.confidence - 0.2).abs() < 1e-9);
        assert_eq!((held.lost, held.changed, held.was), (1, 1, 0.8));
        assert_eq!((found.hypotheses[0].lost, found.hypotheses[1].confidence), (1, 0.6));
        assert_eq!(found.focus.as_deref(), Some("c"), "the second is the strongest now");
        assert!(!found.stale);
    }

    #[test]
    fn a_trail_that_lost_more_than_half_is_stale_unless_forced() {
        let gone = |names: &'static [&'static str]| {
            move |node: &str, _: Option<&str>| {
                if names.contains(&node) { Today::Gone } else { Today::Current }
            }
        };
        assert!(resume(&trail(), false, &mut gone(&["a", "b"])).is_ok(), "half is not more than half");
        let lost = &["a", "b", "c"];
        let refused = resume(&trail(), false, &mut gone(lost)).unwrap_err();
        assert_eq!(refused, NavigateError::TrailStale { missing: 3, all: 4 });
        let forced = resume(&trail(), true, &mut gone(lost)).unwrap();
        assert_eq!((forced.stale, forced.focus.as_deref()), (true, Some("d")));
    }
}
