//! Communities: parts of the code that talk to each other more than to the rest (Louvain's method).

use std::collections::BTreeMap;

use crate::graph::Graph;
use crate::ids::NodeIx;
use crate::kind::{EdgeKind, NodeKind};

/// Rounds of merging after which no repository measured still gained.
const MAX_LEVELS: u32 = 12;
const MAX_SWEEPS: u32 = 20;
/// Gains below this are rounding.
const MIN_GAIN: f64 = 1e-9;

/// A partition of the nodes; the same graph always gives the same one.
#[derive(Clone, Debug, PartialEq)]
pub struct Communities {
    /// The community of each node.
    pub of_node: Vec<u32>,
    /// Largest first.
    pub list: Vec<Community>,
    /// How much denser communities are inside than chance would make them.
    pub modularity: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Community {
    /// The commonest folder of its members, and where that is taken their commonest word.
    pub name: String,
    pub members: Vec<NodeIx>,
}

/// Finds communities along every relation but shared history.
pub fn detect(graph: &Graph) -> Communities {
    let mut level = Level::of_graph(graph);
    let whole = level.clone();
    let mut of_node: Vec<u32> = (0..graph.node_count() as u32).collect();
    for _ in 0..MAX_LEVELS {
        let (groups, count) = level.group();
        if count == level.links.len() {
            break;
        }
        for community in &mut of_node {
            *community = groups[*community as usize];
        }
        level = level.fold(&groups, count);
    }
    let mut members: BTreeMap<u32, Vec<NodeIx>> = BTreeMap::new();
    for (node, &community) in of_node.iter().enumerate() {
        members.entry(community).or_default().push(NodeIx(node as u32));
    }
    let mut groups: Vec<Vec<NodeIx>> = members.into_values().collect();
    groups.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a[0].cmp(&b[0])));
    for (number, group) in groups.iter().enumerate() {
        for &node in group {
            of_node[node.index()] = number as u32;
        }
    }
    let modularity = whole.modularity(&of_node);
    Communities { of_node, list: name_all(graph, groups), modularity }
}

/// A weighted undirected graph whose nodes are the communities of the level below.
#[derive(Clone)]
struct Level {
    links: Vec<Vec<(u32, f64)>>,
    /// Weight inside each node.
    inner: Vec<f64>,
    /// Sum of a node's links, inner weight counted twice.
    degree: Vec<f64>,
    /// Sum of all degrees.
    total: f64,
}

impl Level {
    fn of_graph(graph: &Graph) -> Self {
        let mut pairs: BTreeMap<(u32, u32), f64> = BTreeMap::new();
        for edge in graph.edges() {
            let folder = matches!(graph.node(edge.source).kind(), NodeKind::Repository | NodeKind::Directory);
            if edge.kind == EdgeKind::CoChanges || edge.inhibitory || folder || edge.source == edge.target {
                continue;
            }
            let key = (edge.source.0.min(edge.target.0), edge.source.0.max(edge.target.0));
            *pairs.entry(key).or_default() += f64::from(edge.base_weight.get());
        }
        Self::of_pairs(graph.node_count(), vec![0.0; graph.node_count()], pairs)
    }

    fn of_pairs(nodes: usize, inner: Vec<f64>, pairs: BTreeMap<(u32, u32), f64>) -> Self {
        let mut links = vec![Vec::new(); nodes];
        let mut degree: Vec<f64> = inner.iter().map(|weight| 2.0 * weight).collect();
        for ((a, b), weight) in pairs {
            links[a as usize].push((b, weight));
            links[b as usize].push((a, weight));
            degree[a as usize] += weight;
            degree[b as usize] += weight;
        }
        let total = degree.iter().sum();
        Self { links, inner, degree, total }
    }

    /// Moves each node to the neighbouring group that gains most, until no move gains.
    fn group(&self) -> (Vec<u32>, usize) {
        let nodes = self.links.len();
        let mut group: Vec<u32> = (0..nodes as u32).collect();
        let mut group_degree = self.degree.clone();
        let mut toward: Vec<f64> = vec![0.0; nodes];
        for _ in 0..MAX_SWEEPS {
            let mut moved = false;
            for node in 0..nodes {
                if self.links[node].is_empty() {
                    continue;
                }
                let own = group[node];
                let mut touched = vec![own];
                for &(other, weight) in &self.links[node] {
                    let target = group[other as usize];
                    if toward[target as usize] == 0.0 && target != own {
                        touched.push(target);
                    }
                    toward[target as usize] += weight;
                }
                group_degree[own as usize] -= self.degree[node];
                let gain = |target: u32| {
                    toward[target as usize] - self.degree[node] * group_degree[target as usize] / self.total
                };
                let mut best = (own, gain(own));
                for &target in &touched[1..] {
                    let gained = gain(target);
                    if gained > best.1 + MIN_GAIN {
                        best = (target, gained);
                    }
                }
                for target in touched {
                    toward[target as usize] = 0.0;
                }
                group_degree[best.0 as usize] += self.degree[node];
                moved |= best.0 != own;
                group[node] = best.0;
            }
            if !moved {
                break;
            }
        }
        renumber(group)
    }

    fn fold(&self, groups: &[u32], count: usize) -> Self {
        let mut inner = vec![0.0; count];
        let mut pairs: BTreeMap<(u32, u32), f64> = BTreeMap::new();
        for (node, links) in self.links.iter().enumerate() {
            let own = groups[node];
            inner[own as usize] += self.inner[node];
            for &(other, weight) in links.iter().filter(|(other, _)| *other as usize > node) {
                let target = groups[other as usize];
                if target == own {
                    inner[own as usize] += weight;
                } else {
                    *pairs.entry((own.min(target), own.max(target))).or_default() += weight;
                }
            }
        }
        Self::of_pairs(count, inner, pairs)
    }

    fn modularity(&self, groups: &[u32]) -> f64 {
        if self.total <= 0.0 {
            return 0.0;
        }
        let count = groups.iter().max().map_or(0, |&max| max as usize + 1);
        let (mut inside, mut degree) = (vec![0.0; count], vec![0.0; count]);
        for (node, links) in self.links.iter().enumerate() {
            degree[groups[node] as usize] += self.degree[node];
            let own = links.iter().filter(|(other, _)| groups[*other as usize] == groups[node]);
            inside[groups[node] as usize] += own.map(|(_, weight)| weight).sum::<f64>();
        }
        inside.iter().zip(&degree).map(|(i, d)| i / self.total - (d / self.total).powi(2)).sum()
    }
}

fn renumber(groups: Vec<u32>) -> (Vec<u32>, usize) {
    let mut fresh = vec![u32::MAX; groups.len()];
    let mut count = 0;
    let numbered = groups
        .iter()
        .map(|&old| {
            if fresh[old as usize] == u32::MAX {
                fresh[old as usize] = count;
                count += 1;
            }
            fresh[old as usize]
        })
        .collect();
    (numbered, count as usize)
}

fn name_all(graph: &Graph, groups: Vec<Vec<NodeIx>>) -> Vec<Community> {
    let mut taken: BTreeMap<String, u32> = BTreeMap::new();
    groups
        .into_iter()
        .map(|members| {
            let folder = commonest(members.iter().map(|&ix| folder_of(graph.node(ix).path()).to_owned()))
                .unwrap_or_default();
            let folder = if folder.is_empty() { "root".to_owned() } else { folder };
            let mut name = folder.clone();
            if taken.contains_key(&name) {
                let label_words = members.iter().flat_map(|&ix| words(graph.node(ix).label()));
                if let Some(word) = commonest(label_words) {
                    name = format!("{folder} ({word})");
                }
            }
            let uses = taken.entry(name.clone()).or_default();
            *uses += 1;
            if *uses > 1 {
                name = format!("{name} {uses}");
            }
            Community { name, members }
        })
        .collect()
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The lower-case words of an identifier that say something.
fn words(label: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in label.chars() {
        if c.is_uppercase() || !c.is_alphanumeric() {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| word.chars().count() > 2);
    words
}

fn commonest(all: impl Iterator<Item = String>) -> Option<String> {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for text in all {
        *counts.entry(text).or_default() += 1;
    }
    let best = counts.into_iter().max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(&a.0)));
    best.map(|(text, _)| text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{graph, parts};
    use proptest::prelude::*;

    #[test]
    fn two_cliques_with_one_bridge_are_two_communities() {
        let graph = graph(
            "a calls b\nb calls c\nc calls a\na calls c\nx calls y\ny calls z\nz calls x\nx calls z\nc imports x",
        );
        let found = detect(&graph);
        let labels: Vec<Vec<&str>> = found
            .list
            .iter()
            .map(|community| community.members.iter().map(|&ix| graph.node(ix).label()).collect())
            .collect();
        assert_eq!(labels, [vec!["a", "b", "c"], vec!["x", "y", "z"]]);
        assert_eq!(found.list[0].name, "src");
        assert_ne!(found.list[1].name, "src");
        assert!(found.modularity > 0.3, "{}", found.modularity);
    }

    proptest! {
        #[test]
        fn every_node_is_in_exactly_one_community_and_names_are_distinct(parts in parts()) {
            let graph = parts.build();
            let found = detect(&graph);
            let mut seen = vec![0; graph.node_count()];
            for (number, community) in found.list.iter().enumerate() {
                for &member in &community.members {
                    seen[member.index()] += 1;
                    prop_assert_eq!(found.of_node[member.index()], number as u32);
                }
            }
            prop_assert!(seen.iter().all(|&times| times == 1));
            let names: std::collections::BTreeSet<_> = found.list.iter().map(|c| &c.name).collect();
            prop_assert_eq!(names.len(), found.list.len());
            prop_assert_eq!(found, detect(&graph));
        }
    }
}
