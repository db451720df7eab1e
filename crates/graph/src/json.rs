//! The graph as JSON text, for other programs and for carrying it to another machine.

use std::collections::hash_map::Entry;
use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeInclusive;

use rustc_hash::FxHashMap;
use serde::de::{DeserializeOwned, Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use m1nd_stdx::float::FiniteF32;

use crate::builder::{EdgeSpec, GraphBuilder, NodeSpec};
use crate::evidence::Evidence;
use crate::graph::Graph;
use crate::kind::EdgeKind;

/// Raised whenever a reader of the old form could misread the new one.
pub const SCHEMA_VERSION: u32 = 1;

/// No weight that was learned or that a kind begins with is anywhere near the end of this.
const WEIGHTS: RangeInclusive<f32> = 0.0..=1_000.0;
const SHARES: RangeInclusive<f32> = 0.0..=1.0;

/// Places count from 0, as those of a list do.
#[derive(Debug, thiserror::Error)]
pub enum JsonError {
    #[error("the text is not a graph: {0}")]
    Syntax(#[from] serde_json::Error),
    #[error("schema version {found} is not {SCHEMA_VERSION}")]
    Version { found: u32 },
    #[error("nodes[{node}] has no id")]
    NoId { node: usize },
    #[error("nodes[{node}] has the id `{id}`, which a node before it has")]
    DuplicateNode { node: usize, id: String },
    #[error("nodes[{node}] (`{id}`) has the path `{path}`, which is not inside the workspace")]
    Outside { node: usize, id: String, path: String },
    #[error("nodes[{node}] (`{id}`) ends in line {end}, before its first line {start}")]
    Lines { node: usize, id: String, start: u32, end: u32 },
    #[error("edges[{edge}] names the unknown node `{id}`")]
    UnknownNode { edge: usize, id: String },
    #[error("edges[{edge}] says again what an edge before it says: `{source_id}` {kind} `{target_id}`")]
    DuplicateEdge { edge: usize, source_id: String, kind: &'static str, target_id: String },
    #[error("edges[{edge}].{field} is {value}, not from {} to {}", range.start(), range.end())]
    OutOfRange { edge: usize, field: &'static str, value: f32, range: RangeInclusive<f32> },
    #[error("edges[{edge}] has {lines} lines, but line_evidence has {evidence}")]
    LineEvidence { edge: usize, lines: usize, evidence: usize },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    schema_version: u32,
    generation: u64,
    #[serde(deserialize_with = "nodes")]
    nodes: Vec<NodeSpec>,
    #[serde(deserialize_with = "edges")]
    edges: Vec<EdgeRow>,
}

fn nodes<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<NodeSpec>, D::Error> {
    input.deserialize_seq(Rows { of: "nodes", row: PhantomData })
}

fn edges<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<EdgeRow>, D::Error> {
    input.deserialize_seq(Rows { of: "edges", row: PhantomData })
}

/// A list whose errors say in which row they are: an export is one line, so the reader's own place says little.
struct Rows<T> {
    of: &'static str,
    row: PhantomData<T>,
}

impl<'de, T: DeserializeOwned> Visitor<'de> for Rows<T> {
    type Value = Vec<T>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "the list of {}", self.of)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
        let mut rows = Vec::new();
        loop {
            match list.next_element() {
                Ok(Some(row)) => rows.push(row),
                Ok(None) => return Ok(rows),
                Err(err) => return Err(A::Error::custom(format!("{}[{}]: {err}", self.of, rows.len()))),
            }
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EdgeRow {
    source: String,
    target: String,
    kind: EdgeKind,
    evidence: Evidence,
    weight: FiniteF32,
    base_weight: FiniteF32,
    causal_strength: FiniteF32,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    inhibitory: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    lines: Vec<u32>,
    /// How it is known on each line, where that is not the same for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    line_evidence: Vec<Evidence>,
}

/// One line of JSON that [`import`] reads back to an equal graph.
pub fn export(graph: &Graph) -> Result<String, JsonError> {
    let document = Document {
        schema_version: SCHEMA_VERSION,
        generation: graph.generation(),
        nodes: graph.nodes().map(|node| node.to_spec()).collect(),
        edges: graph
            .edges()
            .map(|edge| EdgeRow {
                source: graph.node(edge.source).id().to_owned(),
                target: graph.node(edge.target).id().to_owned(),
                kind: edge.kind,
                evidence: edge.evidence,
                weight: edge.weight,
                base_weight: edge.base_weight,
                causal_strength: edge.causal_strength,
                inhibitory: edge.inhibitory,
                lines: edge.lines.to_vec(),
                line_evidence: match edge.sites().all(|(_, evidence)| evidence == edge.evidence) {
                    true => Vec::new(),
                    false => edge.sites().map(|(_, evidence)| evidence).collect(),
                },
            })
            .collect(),
    };
    Ok(serde_json::to_string(&document)?)
}

pub fn import(text: &str) -> Result<Graph, JsonError> {
    let document: Document = serde_json::from_str(text)?;
    if document.schema_version != SCHEMA_VERSION {
        return Err(JsonError::Version { found: document.schema_version });
    }
    let mut builder = GraphBuilder::new();
    for (at, node) in document.nodes.into_iter().enumerate() {
        check_node(&builder, at, &node)?;
        builder.node(node);
    }
    let mut weights = FxHashMap::default();
    for (at, row) in document.edges.into_iter().enumerate() {
        let find =
            |id: &str| builder.find(id).ok_or_else(|| JsonError::UnknownNode { edge: at, id: id.to_owned() });
        let (source, target) = (find(&row.source)?, find(&row.target)?);
        check_edge(at, &row)?;
        let spec = EdgeSpec {
            source,
            target,
            kind: row.kind,
            evidence: row.evidence,
            line: 0,
            base_weight: row.base_weight,
            causal_strength: row.causal_strength,
            inhibitory: row.inhibitory,
        };
        builder.edge(spec);
        for (at, &line) in row.lines.iter().enumerate() {
            let evidence = row.line_evidence.get(at).copied().unwrap_or(row.evidence);
            builder.edge(EdgeSpec { evidence, ..spec.at_line(line) });
        }
        let kind = row.kind.name();
        match weights.entry((row.source, row.kind, row.target)) {
            Entry::Vacant(free) => drop(free.insert(row.weight)),
            Entry::Occupied(known) => {
                let (source_id, _, target_id) = known.key().clone();
                return Err(JsonError::DuplicateEdge { edge: at, source_id, kind, target_id });
            }
        }
    }
    let graph = builder.finish(document.generation);
    for edge in graph.edges() {
        let key =
            (graph.node(edge.source).id().to_owned(), edge.kind, graph.node(edge.target).id().to_owned());
        if let Some(&weight) = weights.get(&key) {
            graph.weights().set(edge.ix.index(), weight);
        }
    }
    Ok(graph)
}

fn check_node(before: &GraphBuilder, at: usize, node: &NodeSpec) -> Result<(), JsonError> {
    let id = || node.id.clone();
    if node.id.is_empty() {
        return Err(JsonError::NoId { node: at });
    }
    if before.find(&node.id).is_some() {
        return Err(JsonError::DuplicateNode { node: at, id: id() });
    }
    if node.path.starts_with('/') || node.path.split(['/', '\\']).any(|part| part == "..") {
        return Err(JsonError::Outside { node: at, id: id(), path: node.path.clone() });
    }
    if node.line_end < node.line_start {
        return Err(JsonError::Lines { node: at, id: id(), start: node.line_start, end: node.line_end });
    }
    Ok(())
}

fn check_edge(at: usize, row: &EdgeRow) -> Result<(), JsonError> {
    let numbers = [
        ("weight", row.weight, WEIGHTS),
        ("base_weight", row.base_weight, WEIGHTS),
        ("causal_strength", row.causal_strength, SHARES),
    ];
    for (field, value, range) in numbers {
        if !range.contains(&value.get()) {
            return Err(JsonError::OutOfRange { edge: at, field, value: value.get(), range });
        }
    }
    let (lines, evidence) = (row.lines.len(), row.line_evidence.len());
    if evidence > 0 && evidence != lines {
        return Err(JsonError::LineEvidence { edge: at, lines, evidence });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{graph, parts};
    use proptest::prelude::*;

    #[test]
    fn a_path_out_of_the_workspace_is_refused() {
        for path in ["../../etc/passwd", "/etc/passwd", "a/../../b", "a\\..\\b"] {
            let mut document: serde_json::Value =
                serde_json::from_str(&export(&graph("a calls b")).unwrap()).unwrap();
            document["nodes"][1]["path"] = path.into();
            let refused = import(&document.to_string()).unwrap_err();
            assert!(matches!(refused, JsonError::Outside { node: 1, .. }), "{refused}");
        }
    }

    #[test]
    fn what_is_not_a_graph_says_why() {
        let text = export(&graph("a calls b")).unwrap();
        assert!(matches!(import("{"), Err(JsonError::Syntax(_))));
        let newer = text.replace("\"schema_version\":1", "\"schema_version\":9");
        assert!(matches!(import(&newer), Err(JsonError::Version { found: 9 })));
        let dangling = text.replace("\"target\":\"function", "\"target\":\"functio");
        assert!(matches!(import(&dangling), Err(JsonError::UnknownNode { edge: 0, .. })));
    }

    #[test]
    fn a_value_that_cannot_be_says_where_it_stands() {
        let text = export(&graph("a calls b\nb calls c")).unwrap();
        let why = |from: &str, to: &str| {
            assert!(text.contains(from), "{from} is not in {text}");
            import(&text.replacen(from, to, 1)).unwrap_err().to_string()
        };
        let weight = "\"weight\":1.0";
        let cases = [
            (weight, "\"weight\":-1.0", "edges[0].weight is -1, not from 0 to 1000"),
            (
                weight,
                "\"weight\":1e30",
                "edges[0].weight is 1000000000000000000000000000000, not from 0 to 1000",
            ),
            (weight, "\"weight\":1e300", "edges[0]: inf is not finite"),
            (weight, "\"weight\":NaN", "edges[0]: expected value"),
            (weight, "\"weight\":null", "edges[0]: invalid type: null, expected f32"),
            (weight, "\"weight\":\"1\"", "edges[0]: invalid type: string \"1\", expected f32"),
            (
                "\"causal_strength\":0.9",
                "\"causal_strength\":9.0",
                "edges[0].causal_strength is 9, not from 0 to 1",
            ),
            ("\"kind\":\"calls\"", "\"kind\":\"cals\"", "edges[0]: unknown variant `cals`, expected one of"),
            ("\"kind\":\"function\"", "\"kind\":7", "nodes[0]: "),
            ("\"line_start\":1", "\"line_start\":-1", "nodes[0]: invalid value: integer `-1`, expected u32"),
            (
                "\"line_start\":1",
                "\"line_start\":99",
                "nodes[0] (`function::src/a.rs::a`) ends in line 9, before its first line 99",
            ),
            ("\"label\":\"b\"", "\"lable\":\"b\"", "nodes[1]: missing field `label`"),
            (
                ":\"function::src/b.rs::b\"",
                ":\"function::src/a.rs::a\"",
                "nodes[1] has the id `function::src/a.rs::a`, which a node before it has",
            ),
            ("\"id\":\"function::src/a.rs::a\"", "\"id\":\"\"", "nodes[0] has no id"),
            ("\"nodes\":[", "\"nodes\":[1,", "nodes[0]: invalid type: integer `1`, expected struct NodeSpec"),
            (
                "\"evidence\":",
                "\"lines\":[1],\"line_evidence\":[{\"how\":\"resolved\"},{\"how\":\"resolved\"}],\"evidence\":",
                "edges[0] has 1 lines, but line_evidence has 2",
            ),
        ];
        for (from, to, says) in cases {
            let found = why(from, to);
            assert!(found.contains(says), "{to}: {found}");
        }
        let edges = text.split_once("\"edges\":[").unwrap().1;
        let first = edges.split_once("},{").unwrap().0;
        let twice = import(&text.replacen(first, &format!("{first}}},{first}"), 1)).unwrap_err().to_string();
        assert!(
            twice.starts_with(
                "edges[1] says again what an edge before it says: `function::src/a.rs::a` calls"
            ),
            "{twice}"
        );
    }

    proptest! {
        #[test]
        fn a_graph_comes_back_from_json_equal(parts in parts(), weight in 0_f32..1_000.0) {
            let graph = parts.build();
            for edge in 0..graph.edge_count() {
                graph.weights().set(edge, FiniteF32::new(weight / (edge as f32 + 3.0)));
            }
            let back = import(&export(&graph).unwrap()).unwrap();
            prop_assert_eq!(back.generation(), graph.generation());
            prop_assert_eq!(back, graph);
        }
    }
}
