//! Merge: what several trails agree on, where they contradict each other, and where they touch.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_graph::Graph;
use m1nd_recall::text::{Term, terms_of_text};
use serde::Serialize;

use crate::distance::neighbours;
use crate::error::NavigateError;
use crate::trail::{Conclusion, Hypothesis, Standing, Trail, Visit};

/// A newer trail counts for more: half after so many days.
const HALF_LIFE_DAYS: f64 = 30.0;
/// How much confidence counts against recency.
const BY_CONFIDENCE: f64 = 0.7;
/// Closer than this nobody can tell.
const CLOSE: f64 = 0.1;
/// Who is less sure than this leans to neither side.
const EVEN: f64 = 0.5;
/// Places where trails touch that are worth naming.
const MAX_BRIDGES: usize = 20;
/// What a merged trail may hold: ten trails of the largest that are saved.
const MAX_NODES: usize = 5_000;
const MAX_EACH: usize = 1_000;

/// Something that more than one trail says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Agreement {
    pub statement: String,
    pub trails: Vec<String>,
}

/// A hypothesis that trails judge differently. Who concluded the same, or left it open and thinks it likely, supports it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Conflict {
    pub statement: String,
    pub supported_by: Vec<String>,
    pub rejected_by: Vec<String>,
    /// `supported`, `rejected`, or `undecided` where confidence and recency are close.
    pub decision: &'static str,
    /// By how much one side outweighs the other.
    pub margin: f64,
}

/// A place where trails touch: a node of both, or a relation between nodes of each.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Bridge {
    pub from: String,
    pub to: String,
    pub trails: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// Without an id.
    pub trail: Trail,
    pub agreements: Vec<Agreement>,
    pub conflicts: Vec<Conflict>,
    /// The first of them.
    pub bridges: Vec<Bridge>,
    pub bridges_total: usize,
}

/// What a statement is known by: its words, whatever their order.
fn gist(statement: &str) -> BTreeSet<Term> {
    terms_of_text(statement).into_iter().collect()
}

/// What is left open may still be thought likely.
fn leans_to(one: &Hypothesis) -> bool {
    one.standing == Standing::Supported || one.standing == Standing::Open && one.confidence > EVEN
}

/// One statement in several trails.
struct Said<'t> {
    statement: &'t str,
    by: Vec<(&'t Trail, &'t Hypothesis)>,
}

pub fn merge(graph: &Graph, trails: &[Trail]) -> Result<Merged, NavigateError> {
    let newest = trails.iter().map(|trail| trail.saved_ms).max().unwrap_or_default();
    let weight = |trail: &Trail, confidence: f64| {
        let days = (newest - trail.saved_ms) as f64 / 86_400_000.0;
        BY_CONFIDENCE * confidence + (1.0 - BY_CONFIDENCE) * (-days / HALF_LIFE_DAYS).exp2()
    };
    let mut said: BTreeMap<BTreeSet<Term>, Said<'_>> = BTreeMap::new();
    for trail in trails {
        for one in &trail.hypotheses {
            let known = said.entry(gist(&one.statement));
            known.or_insert(Said { statement: &one.statement, by: Vec::new() }).by.push((trail, one));
        }
    }
    // Who has concluded something supports the same where another one only supposes it.
    let mut concluded: BTreeMap<BTreeSet<Term>, Vec<(&Trail, &Conclusion)>> = BTreeMap::new();
    for trail in trails {
        for one in &trail.conclusions {
            concluded.entry(gist(&one.statement)).or_default().push((trail, one));
        }
    }
    let (mut agreements, mut conflicts, mut hypotheses) = (Vec::new(), Vec::new(), Vec::new());
    let mut refuted: BTreeSet<&BTreeSet<Term>> = BTreeSet::new();
    for (gist, said) in &said {
        let concluded = concluded.get(gist).map_or(&[][..], Vec::as_slice);
        let of = |against: bool| {
            let thought = said.by.iter().filter(move |(_, one)| match against {
                true => one.standing == Standing::Rejected,
                false => leans_to(one),
            });
            let mut side: Vec<(&Trail, f64)> = thought.map(|(trail, one)| (*trail, one.confidence)).collect();
            if !against {
                side.extend(concluded.iter().map(|(trail, one)| (*trail, one.confidence)));
            }
            side
        };
        let names = |side: &[(&Trail, f64)]| {
            let mut names: Vec<String> = side.iter().map(|(trail, _)| trail.id.clone()).collect();
            names.dedup();
            names
        };
        let best = |side: &[(&Trail, f64)]| {
            side.iter().map(|(trail, confidence)| weight(trail, *confidence)).fold(0.0, f64::max)
        };
        let (pro, contra) = (of(false), of(true));
        let is_said = |standing: Standing| said.by.iter().any(|(_, one)| one.standing == standing);
        // What nobody has decided is not decided by being likely.
        let for_it = match is_said(Standing::Supported) || !concluded.is_empty() {
            true => Standing::Supported,
            false => Standing::Open,
        };
        let mut standing = match (is_said(Standing::Supported), is_said(Standing::Rejected)) {
            (true, false) => Standing::Supported,
            (false, true) => Standing::Rejected,
            _ => Standing::Open,
        };
        let most = |side: &[(&Trail, f64)]| side.iter().map(|(_, sure)| *sure).reduce(f64::max);
        let mut sure = None;
        if !pro.is_empty() && !contra.is_empty() {
            let margin = best(&pro) - best(&contra);
            let decision = match margin {
                margin if margin.abs() < CLOSE => {
                    standing = Standing::Open;
                    "undecided"
                }
                margin if margin > 0.0 => {
                    (standing, sure) = (for_it, most(&pro));
                    "supported"
                }
                _ => {
                    (standing, sure) = (Standing::Rejected, most(&contra));
                    refuted.insert(gist);
                    "rejected"
                }
            };
            let (statement, margin) = (said.statement.to_owned(), margin.abs());
            let (supported_by, rejected_by) = (names(&pro), names(&contra));
            conflicts.push(Conflict { statement, supported_by, rejected_by, decision, margin });
        } else if said.by.iter().all(|(_, one)| one.standing == said.by[0].1.standing) {
            // Who leaves open what another has decided does not agree with it.
            let by = said.by.iter().map(|(trail, _)| trail.id.clone()).collect();
            agreements.extend(agreement(said.statement, by));
        }
        let kept = together(said, standing);
        hypotheses.push(Hypothesis { confidence: sure.unwrap_or(kept.confidence), ..kept });
    }
    let mut conclusions = conclusions(trails, &mut agreements);
    // What was outweighed is told as a conflict, and not concluded again.
    conclusions.retain(|one| !refuted.contains(&gist(&one.statement)));
    let trail = Trail {
        visited: visited(trails),
        hypotheses,
        conclusions,
        open_questions: union(trails, |trail| &trail.open_questions),
        tags: union(trails, |trail| &trail.tags),
        boosts: boosts(trails),
        merged_from: trails.iter().map(|trail| trail.id.clone()).collect(),
        ..Trail::default()
    };
    let sizes = [
        ("nodes", trail.visited.len(), MAX_NODES),
        ("hypotheses", trail.hypotheses.len(), MAX_EACH),
        ("conclusions", trail.conclusions.len(), MAX_EACH),
        ("open questions", trail.open_questions.len(), MAX_EACH),
        ("tags", trail.tags.len(), MAX_EACH),
        ("boosts", trail.boosts.len(), MAX_EACH),
    ];
    if let Some(&(what, _, most)) = sizes.iter().find(|(_, size, most)| size > most) {
        return Err(NavigateError::TrailTooLarge { what, most });
    }
    let mut bridges = bridges(graph, trails);
    let bridges_total = bridges.len();
    bridges.truncate(MAX_BRIDGES);
    Ok(Merged { trail, agreements, conflicts, bridges, bridges_total })
}

/// What more than one trail says. Who says it twice does not agree with anybody.
fn agreement(statement: &str, mut trails: Vec<String>) -> Option<Agreement> {
    trails.dedup();
    (trails.len() > 1).then(|| Agreement { statement: statement.to_owned(), trails })
}

/// One hypothesis of all that say the same, as it stands after them.
fn together(said: &Said<'_>, standing: Standing) -> Hypothesis {
    let same = said.by.iter().filter(|(_, one)| one.standing == standing);
    let confidence = same.map(|(_, one)| one.confidence).fold(0.0, f64::max);
    let nodes = |of: fn(&Hypothesis) -> &Vec<String>| {
        let all: BTreeSet<String> = said.by.iter().flat_map(|(_, one)| of(one).iter().cloned()).collect();
        all.into_iter().collect()
    };
    let confidence = if confidence > 0.0 {
        confidence
    } else {
        said.by.iter().map(|(_, one)| one.confidence).fold(0.0, f64::max)
    };
    Hypothesis {
        statement: said.statement.to_owned(),
        confidence,
        standing,
        supporting: nodes(|one| &one.supporting),
        contradicting: nodes(|one| &one.contradicting),
    }
}

/// Each conclusion once, as the most confident says it.
fn conclusions(trails: &[Trail], agreements: &mut Vec<Agreement>) -> Vec<Conclusion> {
    let mut by_gist: BTreeMap<BTreeSet<Term>, (Conclusion, Vec<String>)> = BTreeMap::new();
    for trail in trails {
        for one in &trail.conclusions {
            let (kept, by) = by_gist.entry(gist(&one.statement)).or_insert_with(|| (one.clone(), Vec::new()));
            by.push(trail.id.clone());
            if one.confidence > kept.confidence {
                *kept = one.clone();
            }
        }
    }
    let mut out = Vec::new();
    for (kept, by) in by_gist.into_values() {
        agreements.extend(agreement(&kept.statement, by));
        out.push(kept);
    }
    out
}

/// Every place once, in the order of the trails; the newest trail's hash holds.
fn visited(trails: &[Trail]) -> Vec<Visit> {
    let mut in_time: Vec<&Trail> = trails.iter().collect();
    in_time.sort_by_key(|trail| trail.saved_ms);
    let mut out: Vec<Visit> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for visit in in_time.iter().flat_map(|trail| &trail.visited) {
        match places.get(visit.node.as_str()).and_then(|&at| out.get_mut(at)) {
            Some(known) => known.hash = visit.hash.clone().or(known.hash.take()),
            None => {
                places.insert(&visit.node, out.len());
                out.push(visit.clone());
            }
        }
    }
    out
}

fn union(trails: &[Trail], of: fn(&Trail) -> &Vec<String>) -> Vec<String> {
    let mut known = BTreeSet::new();
    trails.iter().flat_map(of).filter(|one| known.insert(one.as_str())).cloned().collect()
}

fn boosts(trails: &[Trail]) -> Vec<(String, f64)> {
    let mut most: BTreeMap<&str, f64> = BTreeMap::new();
    for (node, boost) in trails.iter().flat_map(|trail| &trail.boosts) {
        let known = most.entry(node).or_default();
        *known = known.max(*boost);
    }
    most.into_iter().map(|(node, boost)| (node.to_owned(), boost)).collect()
}

fn bridges(graph: &Graph, trails: &[Trail]) -> Vec<Bridge> {
    let mut of_node: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for trail in trails {
        for visit in &trail.visited {
            of_node.entry(&visit.node).or_default().insert(&trail.id);
        }
    }
    let named = |ids: BTreeSet<&str>| ids.into_iter().map(str::to_owned).collect::<Vec<_>>();
    let mut out = Vec::new();
    for (&node, by) in of_node.iter().filter(|(_, by)| by.len() > 1) {
        out.push(Bridge { from: node.to_owned(), to: node.to_owned(), trails: named(by.clone()) });
    }
    let mut touching = BTreeSet::new();
    for (&node, by) in of_node.iter().filter(|(_, by)| by.len() == 1) {
        let Some(ix) = graph.node_by_id(node) else { continue };
        for other in neighbours(graph, ix).map(|other| graph.node(other).id()) {
            let Some(theirs) = of_node.get(other).filter(|theirs| theirs.len() == 1 && *theirs != by) else {
                continue;
            };
            let (from, to) = if node < other { (node, other) } else { (other, node) };
            let trails = named(by.union(theirs).copied().collect());
            touching.insert(Bridge { from: from.to_owned(), to: to.to_owned(), trails });
        }
    }
    out.extend(touching);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::graph;

    const DAY: i64 = 86_400_000;

    fn trail(id: &str, days: i64, visited: &[&str], thoughts: &[(&str, f64, Standing)]) -> Trail {
        Trail {
            id: id.into(),
            visited: visited.iter().map(|&node| Visit { node: node.into(), hash: None }).collect(),
            hypotheses: thoughts
                .iter()
                .map(|&(statement, confidence, standing)| Hypothesis {
                    statement: statement.into(),
                    confidence,
                    standing,
                    supporting: Vec::new(),
                    contradicting: Vec::new(),
                })
                .collect(),
            saved_ms: days * DAY,
            ..Trail::default()
        }
    }

    #[test]
    fn the_same_words_agree_and_opposed_ones_are_weighed() {
        let graph = graph("a calls b\n");
        let both = "the pool leaks connections";
        let one =
            trail("t1", 0, &["a"], &[(both, 0.9, Standing::Supported), ("x is slow", 0.5, Standing::Open)]);
        let two = trail("t2", 30, &["b"], &[("connections leaks the pool", 0.2, Standing::Rejected)]);
        let found = merge(&graph, &[one.clone(), two]).unwrap();
        // 0.7 * 0.9 + 0.3 * 0.5 = 0.78 against 0.7 * 0.2 + 0.3 = 0.44.
        let [conflict] = &found.conflicts[..] else { panic!("{:?}", found.conflicts) };
        assert_eq!(conflict.decision, "supported");
        assert!((conflict.margin - 0.34).abs() < 1e-9, "{}", conflict.margin);
        let kept = found.trail.hypotheses.iter().find(|one| one.statement == both).unwrap();
        assert_eq!((kept.standing, kept.confidence), (Standing::Supported, 0.9));
        assert_eq!(
            found.bridges[0],
            Bridge { from: "a".into(), to: "b".into(), trails: vec!["t1".into(), "t2".into()] }
        );
        let close = trail("t3", 0, &["a"], &[(both, 0.85, Standing::Rejected)]);
        let found = merge(&graph, &[one.clone(), close]).unwrap();
        assert_eq!(found.conflicts[0].decision, "undecided");
        assert_eq!(found.bridges[0].from, found.bridges[0].to);
        let same = trail("t4", 3, &["b"], &[(both, 0.4, Standing::Supported)]);
        let found = merge(&graph, &[one, same]).unwrap();
        assert_eq!(
            found.agreements,
            [Agreement { statement: both.into(), trails: vec!["t1".into(), "t4".into()] }]
        );
        assert!(found.conflicts.is_empty());
    }

    #[test]
    fn what_is_thought_likely_or_concluded_is_weighed_against_a_rejection() {
        let graph = graph("a calls b\n");
        let said = |standing, confidence| [("x is safe", confidence, standing)];
        let open = trail("t1", 0, &["a"], &said(Standing::Open, 0.9));
        let against = |confidence| trail("t2", 0, &["b"], &said(Standing::Rejected, confidence));
        let shown = |trails: &[Trail]| {
            let found = merge(&graph, trails).unwrap();
            let kept = &found.trail.hypotheses[0];
            let conflicts: Vec<String> = found
                .conflicts
                .iter()
                .map(|one| format!("{:?} {:?} {}", one.supported_by, one.rejected_by, one.decision))
                .collect();
            let conclusions = found.trail.conclusions.len();
            format!("{} {} {conclusions} {}", conflicts.join(""), kept.standing.name(), kept.confidence)
        };
        let sides = r#"["t1"] ["t2"]"#;
        assert_eq!(shown(&[open.clone(), against(0.1)]), format!("{sides} supported open 0 0.9"));
        assert_eq!(shown(&[open.clone(), against(0.9)]), format!("{sides} undecided open 0 0.9"));
        let unsure = trail("t1", 0, &["a"], &said(Standing::Open, 0.4));
        assert_eq!(shown(&[unsure, against(0.8)]), " rejected 0 0.8");
        let mut sure = trail("t1", 0, &["a"], &[]);
        let statement = "X is safe".to_owned();
        sure.conclusions = vec![Conclusion { statement, confidence: 0.9, supporting: Vec::new() }];
        assert_eq!(shown(&[sure.clone(), against(0.9)]), format!("{sides} undecided open 1 0.9"));
        assert_eq!(shown(&[sure.clone(), against(0.2)]), format!("{sides} supported supported 1 0.9"));
        sure.conclusions[0].confidence = 0.2;
        assert_eq!(shown(&[sure, against(0.9)]), format!("{sides} rejected rejected 0 0.9"));
    }

    #[test]
    fn who_says_a_thing_twice_agrees_with_nobody() {
        let graph = graph("a calls b\n");
        let twice = [("it leaks", 0.9, Standing::Open), ("leaks it", 0.8, Standing::Open)];
        let mut one = trail("t1", 0, &["a"], &twice);
        let said = |statement: &str| Conclusion {
            statement: statement.into(),
            confidence: 0.5,
            supporting: Vec::new(),
        };
        one.conclusions = vec![said("the pool is small"), said("small is the pool")];
        let found = merge(&graph, &[one, trail("t2", 0, &["b"], &[])]).unwrap();
        assert_eq!((found.agreements.len(), found.trail.hypotheses.len()), (0, 1));
    }

    #[test]
    fn a_merge_of_too_much_is_refused_and_bridges_beyond_the_first_are_counted() {
        let graph = graph("a calls b\n");
        let names = |from: usize, to: usize| (from..to).map(|nth| format!("n{nth}")).collect::<Vec<_>>();
        let of = |id: &str, names: &[String]| {
            trail(id, 0, &names.iter().map(String::as_str).collect::<Vec<_>>(), &[])
        };
        let found = merge(&graph, &[of("t1", &names(0, 2_500)), of("t2", &names(2_450, 5_000))]).unwrap();
        assert_eq!((found.trail.visited.len(), found.bridges.len(), found.bridges_total), (5_000, 20, 50));
        let more = merge(&graph, &[of("t1", &names(0, 2_500)), of("t2", &names(2_500, 5_001))]);
        assert_eq!(more, Err(NavigateError::TrailTooLarge { what: "nodes", most: 5_000 }));
    }
}
