//! Names: an index of what the nodes of one generation are called, made once and asked by every question.

use std::collections::BTreeMap;

use m1nd_graph::{EdgeKind, Graph, NodeIx, NodeKind};
use rustc_hash::FxHashMap;

use super::temporal::Pace;
use super::ways::Ways;
use crate::text::{Term, Terms};

/// Three letters.
pub type Gram = [char; 3];

/// The nodes most used of all that questions may have to be told apart from.
const MAX_HUBS: usize = 64;

/// What is known of a generation before anything is asked.
#[derive(Debug, Default)]
pub struct Names {
    /// Distinct labels in lower case, sorted.
    labels: Vec<Box<str>>,
    /// Where the nodes of each label begin in `nodes`.
    starts: Vec<u32>,
    nodes: Vec<NodeIx>,
    /// How many trigrams each label has.
    gram_counts: Vec<u32>,
    /// Labels by their trigrams.
    grams: FxHashMap<Gram, Vec<u32>>,
    tags: BTreeMap<Box<str>, Vec<NodeIx>>,
    /// Nodes by the parts of their qualified names.
    terms: FxHashMap<Term, Vec<NodeIx>>,
    /// The length of each node's vector of terms.
    norms: Vec<f32>,
    /// Edges of each node, both ways, without those of containment and common changes.
    degrees: Vec<u32>,
    mean_degree: f32,
    hubs: Vec<NodeIx>,
    /// The file or folder that each node stands in; none for what has no place.
    files: Vec<Option<NodeIx>>,
    pace: Pace,
    ways: Ways,
}

impl Names {
    pub fn of(graph: &Graph) -> Self {
        let mut names = Self { pace: Pace::of(graph), ways: Ways::of(graph), ..Self::default() };
        names.index_labels(graph);
        names.index_terms(graph);
        names.index_files(graph);
        names.degrees = vec![0; graph.node_count()];
        for edge in graph.edges() {
            if !matches!(edge.kind, EdgeKind::Contains | EdgeKind::CoChanges) {
                names.degrees[edge.source.index()] += 1;
                names.degrees[edge.target.index()] += 1;
            }
        }
        let sum: u64 = names.degrees.iter().map(|&degree| u64::from(degree)).sum();
        names.mean_degree = sum as f32 / names.degrees.len().max(1) as f32;
        let mut hubs: Vec<NodeIx> =
            graph.nodes().map(|node| node.ix()).filter(|&ix| names.degree(ix) > 0).collect();
        hubs.sort_by_key(|&ix| (std::cmp::Reverse(graph.node(ix).pagerank()), ix));
        hubs.truncate(MAX_HUBS);
        names.hubs = hubs;
        names
    }

    fn index_labels(&mut self, graph: &Graph) {
        let mut all: Vec<(String, NodeIx)> = graph
            .nodes()
            .filter(|node| node.kind() != NodeKind::Repository)
            .map(|node| (node.label().to_lowercase(), node.ix()))
            .collect();
        all.sort_unstable();
        for run in all.chunk_by(|a, b| a.0 == b.0) {
            let label = self.labels.len() as u32;
            let grams = grams_of(&run[0].0);
            self.gram_counts.push(grams.len() as u32);
            for gram in grams {
                self.grams.entry(gram).or_default().push(label);
            }
            self.labels.push(run[0].0.as_str().into());
            self.starts.push(self.nodes.len() as u32);
            self.nodes.extend(run.iter().map(|&(_, node)| node));
        }
        self.starts.push(self.nodes.len() as u32);
        for node in graph.nodes() {
            for tag in node.tags() {
                self.tags.entry(tag.to_lowercase().into()).or_default().push(node.ix());
            }
        }
    }

    fn index_files(&mut self, graph: &Graph) {
        // What stands in one file comes one after the other.
        let mut last = ("", graph.node_by_path(""));
        for node in graph.nodes() {
            if node.path() != last.0 {
                last = (node.path(), graph.node_by_path(node.path()));
            }
            self.files.push(last.1);
        }
    }

    fn index_terms(&mut self, graph: &Graph) {
        let mut cutter = Terms::default();
        let mut own: Vec<Term> = Vec::new();
        for node in graph.nodes() {
            let name = if node.qualified().is_empty() { node.label() } else { node.qualified() };
            own.clear();
            cutter.each(name, |term| own.push(term));
            own.sort_unstable();
            own.dedup();
            for &term in &own {
                self.terms.entry(term).or_default().push(node.ix());
            }
        }
        let mut squares = vec![0.0_f32; graph.node_count()];
        for nodes in self.terms.values() {
            let idf = idf(nodes.len(), graph.node_count());
            nodes.iter().for_each(|node| squares[node.index()] += idf * idf);
        }
        self.norms = squares.into_iter().map(f32::sqrt).collect();
    }

    /// Distinct labels.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    pub fn pace(&self) -> &Pace {
        &self.pace
    }

    /// The nodes most used of all, most used first.
    pub fn hubs(&self) -> &[NodeIx] {
        &self.hubs
    }

    pub fn degree(&self, node: NodeIx) -> u32 {
        self.degrees[node.index()]
    }

    /// Edges a node has on average.
    pub fn mean_degree(&self) -> f32 {
        self.mean_degree
    }

    /// The relations, as they are walked.
    pub fn ways(&self) -> &Ways {
        &self.ways
    }

    /// The file or folder that a node stands in.
    pub fn file_of(&self, node: NodeIx) -> Option<NodeIx> {
        self.files[node.index()]
    }

    /// The nodes of a label.
    pub fn nodes_of(&self, label: u32) -> &[NodeIx] {
        let at = label as usize;
        &self.nodes[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    pub fn label(&self, label: u32) -> &str {
        &self.labels[label as usize]
    }

    /// Labels that begin with a word; the label that is the word comes first.
    pub fn with_prefix(&self, word: &str) -> std::ops::Range<u32> {
        let start = self.labels.partition_point(|label| &**label < word);
        let len = self.labels[start..].partition_point(|label| label.starts_with(word));
        start as u32..(start + len) as u32
    }

    /// Labels that have a word somewhere. A word of fewer than three letters is in too many to say anything.
    pub fn with_part(&self, word: &str) -> Vec<u32> {
        let mut lists: Vec<&Vec<u32>> = Vec::new();
        for gram in grams_of(word) {
            let Some(list) = self.grams.get(&gram) else { return Vec::new() };
            lists.push(list);
        }
        lists.sort_by_key(|list| list.len());
        let Some((shortest, others)) = lists.split_first() else { return Vec::new() };
        let everywhere = |label: &&u32| others.iter().all(|list| list.binary_search(label).is_ok());
        let holds = |label: &&u32| self.label(**label).contains(word);
        shortest.iter().filter(everywhere).filter(holds).copied().collect()
    }

    /// Labels that share many trigrams with a word, with the share of both that is common (Dice), best first.
    pub fn resembling(&self, word: &str, least: f32) -> Vec<(u32, f32)> {
        let grams = grams_of(word);
        let mut common: Vec<u32> = vec![0; self.labels.len()];
        let mut met: Vec<u32> = Vec::new();
        for gram in &grams {
            for &label in self.grams.get(gram).into_iter().flatten() {
                let times = &mut common[label as usize];
                if *times == 0 {
                    met.push(label);
                }
                *times += 1;
            }
        }
        let share = |label: u32| {
            let all = grams.len() as u32 + self.gram_counts[label as usize];
            (label, 2.0 * common[label as usize] as f32 / all.max(1) as f32)
        };
        let mut found: Vec<(u32, f32)> =
            met.into_iter().map(share).filter(|&(_, share)| share >= least).collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found
    }

    pub fn tagged(&self, tag: &str) -> &[NodeIx] {
        self.tags.get(tag).map_or(&[], Vec::as_slice)
    }

    /// Nodes whose name has a term.
    pub fn with_term(&self, term: Term) -> &[NodeIx] {
        self.terms.get(&term).map_or(&[], Vec::as_slice)
    }

    /// How telling a term is.
    pub fn idf(&self, term: Term) -> f32 {
        idf(self.with_term(term).len(), self.norms.len())
    }

    /// The length of a node's vector of terms.
    pub fn norm(&self, node: NodeIx) -> f32 {
        self.norms[node.index()]
    }
}

fn idf(with: usize, all: usize) -> f32 {
    (1.0 + all as f32 / (1.0 + with as f32)).ln()
}

/// The distinct trigrams of a word.
fn grams_of(word: &str) -> Vec<Gram> {
    let chars: Vec<char> = word.chars().collect();
    let mut grams: Vec<Gram> = chars.windows(3).map(|three| [three[0], three[1], three[2]]).collect();
    grams.sort_unstable();
    grams.dedup();
    grams
}

#[cfg(test)]
mod tests {
    use super::super::testing::graph;
    use super::*;

    #[test]
    fn labels_are_found_whole_by_their_beginning_by_a_part_and_by_resemblance() {
        let graph = graph("send_request calls send\nresend calls Sender\nother calls send");
        let names = Names::of(&graph);
        let labels = |found: Vec<u32>| found.iter().map(|&at| names.label(at).to_owned()).collect::<Vec<_>>();
        assert_eq!(labels(names.with_prefix("send").collect()), ["send", "send_request", "sender"]);
        assert_eq!(labels(names.with_part("send")), ["resend", "send", "send_request", "sender"]);
        assert_eq!(names.with_part("zzz"), [] as [u32; 0]);
        // sen, end, nds against sen, end: 2 x 2 / (3 + 2).
        let near = names.resembling("sends", 0.5);
        assert_eq!(names.label(near[0].0), "send");
        assert!((near[0].1 - 0.8).abs() < 1e-6);
        assert_eq!(names.degree(names.nodes_of(near[0].0)[0]), 2);
    }
}
