//! Why a conflict is one: both sides changed a key, an edge would be left without its node, or cards would supersede each other.

use super::supersede;
use super::view::GraphView;
use crate::error::MemoryError;
use crate::port::{ConflictRow, ConflictStatus, GraphKey, Rows, WorkspaceRow};

/// What a conflict is about, as the destination stands now.
#[derive(Debug, Default)]
pub(super) struct Cause {
    pub(super) what: Option<String>,
    pub(super) missing_nodes: Vec<String>,
    pub(super) edges_at_node: Vec<String>,
}

/// How many edges at a deleted node are named.
const NAMED: usize = 10;

impl Cause {
    /// Nothing is said about what is settled.
    pub(super) fn of(rows: &dyn Rows, ws: &WorkspaceRow, row: &ConflictRow) -> Result<Self, MemoryError> {
        if row.status != ConflictStatus::Open {
            return Ok(Self::default());
        }
        let (from, into, key) = (&row.from, &row.into, row.key.text());
        let view = GraphView::of(rows, ws, into, &row.doc)?;
        let deleted = row
            .theirs
            .as_ref()
            .and_then(|theirs| theirs.get("deleted"))
            .is_some_and(|deleted| *deleted == true);
        let mut out = Self::default();
        match &row.key {
            GraphKey::Edge { from: start, to: end, .. } if !deleted => {
                for node in [start, end] {
                    let name = node.to_string();
                    let gone = view.live(rows, &GraphKey::Node(node.clone()))?.is_none();
                    if gone && !out.missing_nodes.contains(&name) {
                        out.missing_nodes.push(name);
                    }
                }
            }
            GraphKey::Node(id) if deleted => {
                out.edges_at_node =
                    view.edges_around(rows, id)?.iter().take(NAMED).map(|edge| edge.key.text()).collect();
            }
            GraphKey::Node(_) | GraphKey::Edge { .. } => {}
        }
        let against = if deleted { Vec::new() } else { supersede::circle(rows, &view, &row.key)? };
        out.what = Some(if let Some(against) = against.first() {
            let against = against.key.text();
            format!(
                "{from} says {key}, {into} says {against}: each would have taken the place of the other. use_into keeps \
                 what {into} says; use_from takes what {from} says and removes {against}."
            )
        } else if !out.missing_nodes.is_empty() {
            let missing = out.missing_nodes.join(" and ");
            format!(
                "{from} wrote the edge {key}; {into} has no node {missing} any more. use_into leaves the edge out; \
                 use_from works once the node is back in {into}."
            )
        } else if !out.edges_at_node.is_empty() {
            format!(
                "{from} deleted the node {key}; {into} changed it, or edges at it. use_from deletes the node and its \
                 edges; use_into keeps them."
            )
        } else {
            format!("{from} and {into} both changed {key} since they last agreed on it.")
        });
        Ok(out)
    }
}
