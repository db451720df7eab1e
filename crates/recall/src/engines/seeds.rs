//! Seeds: the nodes that the words of a question name, from exact names down to names that only resemble them.

use std::cmp::Reverse;

use m1nd_graph::{Graph, NodeFlags, NodeIx, NodeKind};
use rustc_hash::FxHashMap;

use super::names::Names;
use super::semantic::resemblance;
use super::value;
use crate::place::is_test;
use crate::text::{Term, Terms, raw_words, terms_of_query};

/// Seeds of a question.
const MAX_SEEDS: usize = 12;
/// A word that found this many nodes is not looked for on the next level.
const ENOUGH: usize = 8;
/// Nodes of one word on one level, the most used first.
const PER_LEVEL: usize = 48;
/// A name must share this much of its trigrams with a word to resemble it.
const LEAST_RESEMBLANCE: f32 = 0.45;
/// What a match and what the meaning of the whole question count.
const MATCH: f32 = 0.6;
const MEANING: f32 = 0.4;
/// What a match of one word among many is worth, if the name has none of the others.
const PART: f32 = 0.5;
/// Seeds much weaker than the best are chance.
const LEAST_SHARE: f32 = 0.35;
/// Tests name everything; where they are not asked for, the product is meant.
const TEST: f32 = 0.7;

/// How a word met a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Exact,
    Prefix,
    Substring,
    Tag,
    Fuzzy,
}

impl Level {
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Prefix => "prefix",
            Self::Substring => "substring",
            Self::Tag => "tag",
            Self::Fuzzy => "fuzzy",
        }
    }

    fn worth(self) -> f32 {
        match self {
            Self::Exact => 1.0,
            Self::Prefix => 0.8,
            Self::Substring => 0.65,
            Self::Tag => 0.6,
            Self::Fuzzy => 0.5,
        }
    }
}

/// A node to start from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seed {
    pub node: NodeIx,
    /// From 0 to 1; the best seed has 1.
    pub score: f32,
    pub level: Level,
}

/// The nodes a question names, best first.
pub fn seeds(graph: &Graph, names: &Names, query: &str) -> Vec<Seed> {
    seeds_among(graph, names, query, &resemblance(names, query))
}

/// The same, where it is known which nodes resemble the question.
pub(super) fn seeds_among(graph: &Graph, names: &Names, query: &str, meaning: &[(NodeIx, f32)]) -> Vec<Seed> {
    let words = words(query);
    let mut met: FxHashMap<NodeIx, (f32, Level)> = FxHashMap::default();
    let rarities: Vec<f32> = words.iter().map(|word| rarity(names, word)).collect();
    let rarest = rarities.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    for (word, rarity) in words.iter().zip(&rarities) {
        cascade(graph, names, word, &mut |node, level, share| {
            let score = level.worth() * share * rarity / rarest;
            let known = met.entry(node).or_insert((0.0, level));
            if score > known.0 {
                *known = (score, level);
            }
        });
    }
    for node in named_in_full(graph, query) {
        met.insert(node, (Level::Exact.worth(), Level::Exact));
    }
    let terms: Vec<(Term, f32)> =
        terms_of_query(query).into_iter().map(|(term, _)| (term, names.idf(term))).collect();
    let most = meaning.iter().map(|&(_, seen)| seen).fold(f32::MIN_POSITIVE, f32::max);
    let tests_meant = words.iter().any(|word| word.starts_with("test"));
    let mut seeds: Vec<Seed> = met
        .into_iter()
        .map(|(node, (matched, level))| {
            let there = graph.node(node);
            let is_test = there.flags().has(NodeFlags::TEST_CODE) || is_test(there.path());
            let place = if is_test && !tests_meant { TEST } else { 1.0 };
            let matched = matched * (PART + (1.0 - PART) * coverage(names, &terms, node));
            let score = (MATCH * matched + MEANING * value(meaning, node) / most) * place;
            Seed { node, score, level }
        })
        .collect();
    seeds.sort_by(|a, b| {
        let used = |seed: &Seed| graph.node(seed.node).pagerank();
        b.score.total_cmp(&a.score).then_with(|| used(b).cmp(&used(a))).then(a.node.cmp(&b.node))
    });
    seeds.truncate(MAX_SEEDS);
    let best = seeds.first().map_or(1.0, |seed| seed.score);
    seeds.iter_mut().for_each(|seed| seed.score /= best);
    seeds.retain(|seed| seed.score >= LEAST_SHARE);
    seeds
}

/// The words of a question in lower case, without those that say nothing.
pub(super) fn words(query: &str) -> Vec<String> {
    let mut cutter = Terms::default();
    let mut words: Vec<String> = Vec::new();
    for word in raw_words(query) {
        let mut says_something = false;
        cutter.each(word, |_| says_something = true);
        let word = word.to_lowercase();
        if says_something && !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

/// How much of what a question says, by how telling its terms are, a name says too.
fn coverage(names: &Names, terms: &[(Term, f32)], node: NodeIx) -> f32 {
    let all: f32 = terms.iter().map(|&(_, telling)| telling).sum();
    let has = |term: Term| names.with_term(term).binary_search(&node).is_ok();
    let said: f32 = terms.iter().filter(|&&(term, _)| has(term)).map(|&(_, telling)| telling).sum();
    if all > 0.0 { said / all } else { 0.0 }
}

/// How telling a word is, by its rarest part.
fn rarity(names: &Names, word: &str) -> f32 {
    let mut rarest = 0.0_f32;
    Terms::default().each(word, |term| rarest = rarest.max(names.idf(term)));
    rarest
}

/// Tries one level after the other until enough is found.
fn cascade(graph: &Graph, names: &Names, word: &str, found: &mut impl FnMut(NodeIx, Level, f32)) {
    let prefixed = names.with_prefix(word);
    let is_exact = |&label: &u32| names.label(label) == word;
    let exact: Vec<u32> = prefixed.clone().take(1).filter(is_exact).collect();
    let longer: Vec<u32> = prefixed.filter(|label| !is_exact(label)).collect();
    let mut total = 0;
    let mut add = |nodes: Vec<NodeIx>, level: Level, share: f32| {
        let mut nodes: Vec<NodeIx> = nodes.into_iter().filter(|&ix| may_start(graph, ix)).collect();
        if nodes.len() > PER_LEVEL {
            nodes.select_nth_unstable_by_key(PER_LEVEL, |&ix| (Reverse(graph.node(ix).pagerank()), ix));
            nodes.truncate(PER_LEVEL);
        }
        total += nodes.len();
        nodes.into_iter().for_each(|node| found(node, level, share));
        total >= ENOUGH
    };
    let nodes = |labels: &[u32]| labels.iter().flat_map(|&label| names.nodes_of(label)).copied().collect();
    if add(nodes(&exact), Level::Exact, 1.0)
        || add(nodes(&longer), Level::Prefix, 1.0)
        || add(nodes(&names.with_part(word)), Level::Substring, 1.0)
        || add(names.tagged(word).to_vec(), Level::Tag, 1.0)
    {
        return;
    }
    for (label, share) in names.resembling(word, LEAST_RESEMBLANCE).into_iter().take(PER_LEVEL) {
        if add(names.nodes_of(label).to_vec(), Level::Fuzzy, share) {
            return;
        }
    }
}

/// Folders are places to look in, not things to start from.
fn may_start(graph: &Graph, node: NodeIx) -> bool {
    !matches!(graph.node(node).kind(), NodeKind::Directory | NodeKind::Repository)
}

/// Nodes that the question names with their scope or path, such as `Client.send` or `src/client.rs`.
fn named_in_full(graph: &Graph, query: &str) -> Vec<NodeIx> {
    let mut nodes = Vec::new();
    for word in query.split_whitespace() {
        let word = word.trim_matches(|c: char| !(c.is_alphanumeric() || c == '_'));
        if word.contains(['.', ':', '/']) {
            nodes.extend(graph.node_by_path(word));
            nodes.extend(graph.nodes_by_suffix(word).into_iter().take(PER_LEVEL));
        }
    }
    nodes.retain(|&ix| may_start(graph, ix));
    nodes
}

#[cfg(test)]
mod tests {
    use super::super::testing::{graph, spec};
    use super::*;
    use m1nd_graph::GraphBuilder;

    fn found(text: &str, query: &str) -> Vec<String> {
        let graph = graph(text);
        let each = seeds(&graph, &Names::of(&graph), query).into_iter();
        each.map(|seed| format!("{} {}", graph.node(seed.node).id(), seed.level.name())).collect()
    }

    #[test]
    fn each_level_is_found_and_better_ones_come_first() {
        let text = "send calls send_all\nresend calls other";
        assert_eq!(found(text, "send"), ["send exact", "send_all prefix"]);
        assert_eq!(found(text, "esend")[0], "resend substring");
        assert_eq!(found(text, "sendd"), ["send fuzzy", "resend fuzzy"]);
        assert_eq!(found(text, "where is the"), [] as [&str; 0]);
    }

    #[test]
    fn the_meaning_of_the_whole_question_decides_between_equal_matches() {
        let text = "parse_body calls x\nparse_header calls x";
        // The rare word says more, even as a part.
        assert_eq!(found(text, "parse the header"), ["parse_header substring", "parse_body prefix"]);
    }

    #[test]
    fn tags_are_a_level_of_their_own() {
        let mut builder = GraphBuilder::new();
        let mut node = spec("charge");
        node.tags = vec!["Billing".to_owned()];
        builder.node(node);
        let graph = builder.finish(1);
        let found = seeds(&graph, &Names::of(&graph), "billing");
        assert_eq!((found.len(), found[0].level, found[0].score), (1, Level::Tag, 1.0));
    }
}
