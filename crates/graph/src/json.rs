//! The graph as JSON text, for other programs and for carrying it to another machine.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use m1nd_stdx::float::FiniteF32;

use crate::builder::{EdgeSpec, GraphBuilder, NodeSpec};
use crate::evidence::Evidence;
use crate::graph::Graph;
use crate::kind::EdgeKind;

/// Raised whenever a reader of the old form could misread the new one.
pub const SCHEMA_VERSION: u32 = 1;

#[derive(Debug, thiserror::Error)]
pub enum JsonError {
    #[error("the text is not a graph: {0}")]
    Syntax(#[from] serde_json::Error),
    #[error("schema version {found} is not {SCHEMA_VERSION}")]
    Version { found: u32 },
    #[error("edge {edge} names the unknown node `{id}`")]
    UnknownNode { edge: usize, id: String },
    #[error("two nodes have the id `{id}`")]
    DuplicateNode { id: String },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    schema_version: u32,
    generation: u64,
    nodes: Vec<NodeSpec>,
    edges: Vec<EdgeRow>,
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
    for node in document.nodes {
        if builder.find(&node.id).is_some() {
            return Err(JsonError::DuplicateNode { id: node.id });
        }
        builder.node(node);
    }
    let mut weights = FxHashMap::default();
    for (at, row) in document.edges.into_iter().enumerate() {
        let find =
            |id: &str| builder.find(id).ok_or_else(|| JsonError::UnknownNode { edge: at, id: id.to_owned() });
        let (source, target) = (find(&row.source)?, find(&row.target)?);
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
        weights.insert((row.source, row.kind, row.target), row.weight);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{graph, parts};
    use proptest::prelude::*;

    #[test]
    fn what_is_not_a_graph_says_why() {
        let text = export(&graph("a calls b")).unwrap();
        assert!(matches!(import("{"), Err(JsonError::Syntax(_))));
        let newer = text.replace("\"schema_version\":1", "\"schema_version\":9");
        assert!(matches!(import(&newer), Err(JsonError::Version { found: 9 })));
        let dangling = text.replace("\"target\":\"function", "\"target\":\"functio");
        assert!(matches!(import(&dangling), Err(JsonError::UnknownNode { edge: 0, .. })));
    }

    proptest! {
        #[test]
        fn a_graph_comes_back_from_json_equal(parts in parts(), weight in -1e30_f32..1e30) {
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
