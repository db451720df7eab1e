use super::*;
use crate::testing::{at, graph};

/// Words that stand in no source but those given.
struct Said(&'static [(&'static str, &'static str)]);

impl Sources for Said {
    fn mentions(&mut self, graph: &Graph, node: NodeIx, name: &str) -> bool {
        self.0.contains(&(graph.node(node).label(), name))
    }
}

/// `a` and `d` open without closing; `b` does both; `c` closes by a name that no relation is known of.
const DOORS: &str = "\
a calls open
b calls open
b calls close
c calls open
d calls open
d calls log
e calls log
test_a calls open
";

fn names(graph: &Graph, found: &Found) -> Vec<String> {
    found.centres.iter().map(|&node| graph.node(node).id().to_owned()).collect()
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

#[test]
fn who_opens_and_does_not_close_is_found_in_code_but_not_in_tests() {
    let graph = graph(DOORS);
    let mut said = Said(&[("c", "close")]);
    let (with, without) = (words(&["open"]), words(&["close"]));
    let wanted = Wanted { with: &with, without: &without, named: None };
    let pattern = extract(&graph, at(&graph, "a"), &wanted, &mut said).unwrap();
    assert_eq!(pattern.nodes.len(), 2);
    assert_eq!(pattern.edges, [PatternEdge { source: 0, relation: EdgeKind::Calls, target: 1 }]);
    let found = search(&graph, &pattern, &mut said, MAX_STEPS);
    assert_eq!(names(&graph, &found), ["a", "d"]);
    assert!(!found.is_cut);
    // a, b, c, d, e, open, close and log are callable and no tests: two of eight fit.
    assert_eq!(pattern.population(&graph), 8);
    assert_eq!(specificity(found.centres.len(), pattern.population(&graph)), Some(0.75));
    assert_eq!(specificity(0, 0), None);
}

#[test]
fn without_names_the_rarest_that_is_shared_is_kept() {
    let graph = graph(DOORS);
    let mut said = Said(&[]);
    let pattern = extract(&graph, at(&graph, "d"), &Wanted::default(), &mut said).unwrap();
    let labels: Vec<_> = pattern.nodes.iter().filter_map(|node| node.label.as_deref()).collect();
    assert_eq!(labels, ["log", "open"]);
    assert_eq!(names(&graph, &search(&graph, &pattern, &mut said, MAX_STEPS)), ["d"]);
    let alone = extract(&graph, at(&graph, "close"), &Wanted::default(), &mut said);
    assert_eq!(alone, Err(ExtractError::NothingShared));
}

#[test]
fn names_two_relations_away_bring_the_way_with_them() {
    let graph = graph(
        "A contains a_save\nA inherits Base\nB contains b_save\nB inherits Base\nC contains c_save\nC inherits Other\n",
    );
    let mut said = Said(&[]);
    let with = words(&["Base"]);
    let wanted = Wanted { with: &with, ..Wanted::default() };
    let pattern = extract(&graph, at(&graph, "a_save"), &wanted, &mut said).unwrap();
    let labels: Vec<_> = pattern.nodes.iter().map(|node| node.label.as_deref()).collect();
    assert_eq!(labels, [None, None, Some("Base")]);
    assert_eq!(names(&graph, &search(&graph, &pattern, &mut said, MAX_STEPS)), ["a_save", "b_save"]);
    assert_eq!(pattern.to_string(), "callable: type#1 contains callable, type#1 inherits Base");
    let missing = words(&["Nobody"]);
    let wanted = Wanted { with: &missing, ..Wanted::default() };
    let refused = extract(&graph, at(&graph, "a_save"), &wanted, &mut said);
    assert_eq!(refused, Err(ExtractError::NotThere("Nobody".to_owned())));
}

#[test]
fn words_and_the_form_of_a_name_are_constraints_too() {
    let graph = graph("get_a calls log\nget_b calls log\nput_a calls log\n");
    let mut said = Said(&[("get_a", "eval"), ("put_a", "eval")]);
    let with = words(&["eval"]);
    let wanted = Wanted { with: &with, without: &[], named: Some("get_*") };
    let pattern = extract(&graph, at(&graph, "get_a"), &wanted, &mut said).unwrap();
    assert_eq!(pattern.words, ["eval"]);
    assert_eq!(names(&graph, &search(&graph, &pattern, &mut said, MAX_STEPS)), ["get_a"]);
    assert!(is_called("get_all_of", "get_*_of") && !is_called("got", "get*") && is_called("x", "*"));
}

#[test]
fn a_search_ends_when_its_steps_do_and_says_so() {
    let graph = graph(DOORS);
    let mut said = Said(&[]);
    let with = words(&["open"]);
    let wanted = Wanted { with: &with, ..Wanted::default() };
    let pattern = extract(&graph, at(&graph, "a"), &wanted, &mut said).unwrap();
    let all = search(&graph, &pattern, &mut said, MAX_STEPS);
    assert_eq!(names(&graph, &all), ["a", "b", "c", "d"]);
    // Five callers are candidates; then each costs one relation and one source at least.
    let cut = search(&graph, &pattern, &mut said, 7);
    assert!(cut.is_cut && cut.centres.len() < 4, "{cut:?}");
}

#[test]
fn likeness_is_what_two_patterns_share_of_all_they_ask() {
    let graph = graph(DOORS);
    let mut said = Said(&[]);
    let of = |name: &str, with: &[&str], without: &[&str], said: &mut Said| {
        let (with, without) = (words(with), words(without));
        let wanted = Wanted { with: &with, without: &without, named: None };
        extract(&graph, at(&graph, name), &wanted, said).unwrap()
    };
    let one = of("a", &["open"], &["close"], &mut said);
    let same = of("d", &["open"], &["close"], &mut said);
    let half = of("d", &["open"], &["shut"], &mut said);
    assert_eq!(one.similarity(&same), 1.0);
    // The centre and the call are common; of the two that must be missing each has its own.
    assert_eq!(one.similarity(&half), 0.5);
}
