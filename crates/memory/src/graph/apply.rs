//! Writing nodes and edges, all of a batch or none.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::place::place;
use super::supersede;
use super::view::GraphView;
use crate::anchors::{self, AnchorIn};
use crate::error::MemoryError;
use crate::ids::{BranchName, DocName, GraphNodeId, Relation, Seq, WorkspaceId};
use crate::port::{Body, GraphKey, Object, VersionRow};
use crate::ports::Ports;
use crate::secrets::Sensitive;
use crate::target::Place;
use crate::text;
use crate::writer::{NewVersion, Once, Outcome, Writer, write};

/// The most operations of one call.
pub const MAX_OPS: usize = 1_000;

/// Applies operations to the graph of a `target`, or to a `branch` and `doc`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GraphApplyRequest {
    /// The workspace.
    pub workspace: String,
    /// PLAN-001 or TASK-001; or give branch and doc
    #[serde(default)]
    pub target: Option<String>,
    /// An existing branch.
    #[serde(default)]
    pub branch: Option<String>,
    /// Graph document (the branch's only one)
    #[serde(default)]
    pub doc: Option<String>,
    /// In order, all or none. Nodes: id, type, …; edges: from, rel, to
    pub ops: Vec<GraphOp>,
    /// Same key, same answer
    #[serde(default)]
    pub idempotency_key: Option<String>,
    /// Accept text that looks like a secret
    #[serde(default)]
    pub allow_sensitive: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OpName {
    NodeUpsert,
    NodeDelete,
    EdgeUpsert,
    EdgeDelete,
}

/// One operation. Nodes take `id` and what describes them; edges take `from`, `rel`, `to`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GraphOp {
    /// What to do.
    pub op: OpName,
    /// The node.
    #[serde(default)]
    pub id: Option<String>,
    /// The node's type.
    #[serde(default, rename = "type")]
    pub type_: Option<String>,
    #[serde(default)]
    pub title: Option<String>,
    #[serde(default)]
    pub text: Option<String>,
    #[serde(default)]
    pub status: Option<String>,
    #[serde(default)]
    pub tags: Option<Vec<String>>,
    #[serde(default)]
    pub meta: Option<Object>,
    /// Code it speaks of: node_id, or path with lines (12-40)
    #[serde(default)]
    pub anchors: Option<Vec<AnchorIn>>,
    /// The node an edge starts at.
    #[serde(default)]
    pub from: Option<String>,
    /// The relation of an edge.
    #[serde(default)]
    pub rel: Option<String>,
    /// The node an edge ends at.
    #[serde(default)]
    pub to: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GraphApplyOutput {
    pub branch: BranchName,
    pub doc: DocName,
    pub applied: Applied,
    /// The number of the newest version.
    pub last_seq: Seq,
    /// When it was written, in milliseconds since 1970.
    pub last_ts_ms: i64,
    /// What the writer should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Whether an earlier call with the same idempotency_key wrote this; nothing was written now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
}

/// What was written; edges that went with a deleted node are counted too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Applied {
    pub nodes_upserted: usize,
    pub nodes_deleted: usize,
    pub edges_upserted: usize,
    pub edges_deleted: usize,
}

pub fn apply(ports: &Ports<'_>, request: &GraphApplyRequest) -> Result<GraphApplyOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    if request.ops.is_empty() {
        return Err(MemoryError::invalid("ops", "is empty"));
    }
    if request.ops.len() > MAX_OPS {
        return Err(MemoryError::invalid("ops", format!("more than {MAX_OPS}")));
    }
    let sensitive = Sensitive::from(request.allow_sensitive);
    sensitive.check("doc", request.doc.as_deref().unwrap_or_default())?;
    let steps = request
        .ops
        .iter()
        .map(|op| checked(ports, op, sensitive))
        .collect::<Result<Vec<_>, MemoryError>>()?;
    let anchored = steps.iter().flat_map(|step| match step {
        Step::Upsert(_, body, _) => body.anchors.as_slice(),
        Step::Delete(_) => &[],
    });
    let warnings = anchors::warnings(anchored);
    let once = Once { operation: "graph_apply", key: request.idempotency_key.as_deref() };
    write(ports, &workspace, &once, |w| {
        let (target, branch, doc) =
            (request.target.as_deref(), request.branch.as_deref(), request.doc.as_deref());
        let place = place(w.tx.rows(), &w.ws, target, branch, doc)?;
        let mut applied = Applied::default();
        let before = w.ws.seq;
        for step in &steps {
            perform(w, &place, step, &mut applied).map_err(|err| as_it_stays(w, &place, before, err))?;
        }
        let view = live(w, &place)?;
        for step in &steps {
            if let Step::Upsert(key @ GraphKey::Edge { .. }, ..) = step
                && view.live(w.tx.rows(), key)?.is_some()
            {
                check_ends(w, &view, &place, key)?;
                supersede::refuse_circle(w.tx.rows(), &view, key, "ops")?;
            }
        }
        Ok(Outcome::Keep(GraphApplyOutput {
            branch: place.branch,
            doc: place.doc,
            applied,
            last_seq: w.ws.seq,
            last_ts_ms: w.now.0,
            warnings: warnings.clone(),
            replayed: false,
        }))
    })
}

/// The view of a place as it stands inside the write. Made anew for each look: the write itself may have
/// opened the stream.
pub(crate) fn live(w: &Writer<'_>, place: &Place) -> Result<GraphView, MemoryError> {
    GraphView::of(w.tx.rows(), &w.ws, &place.branch, &place.doc)
}

/// Writes the tombstone of a node and of every edge at it. Returns the edges that went with it.
pub(crate) fn delete_node(
    w: &mut Writer<'_>,
    place: &Place,
    id: &GraphNodeId,
    gone: NewVersion,
) -> Result<Vec<VersionRow>, MemoryError> {
    let edges = live(w, place)?.edges_around(w.tx.rows(), id)?;
    let origin = gone.origin.clone();
    w.put_version(&place.branch, &place.doc, &GraphKey::Node(id.clone()), gone)?;
    for edge in &edges {
        // A merged deletion takes its edges along as merged ones, so that a later merge may bring them back.
        let state = NewVersion { deleted: true, body: edge.body.clone(), origin: origin.clone() };
        w.put_version(&place.branch, &place.doc, &edge.key, state)?;
    }
    supersede::follow(w, place, edges.iter().map(|edge| &edge.key))?;
    Ok(edges)
}

/// What a new version says about places in the code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Anchors {
    Given,
    /// It says nothing, so what was said stands.
    AsBefore,
}

enum Step {
    Upsert(GraphKey, Box<Body>, Anchors),
    Delete(GraphKey),
}

fn checked(ports: &Ports<'_>, op: &GraphOp, sensitive: Sensitive) -> Result<Step, MemoryError> {
    let is_node = matches!(op.op, OpName::NodeUpsert | OpName::NodeDelete);
    let is_upsert = matches!(op.op, OpName::NodeUpsert | OpName::EdgeUpsert);
    let given = [
        ("id", op.id.is_some(), is_node),
        ("type", op.type_.is_some(), is_node && is_upsert),
        ("title", op.title.is_some(), is_node && is_upsert),
        ("text", op.text.is_some(), is_node && is_upsert),
        ("status", op.status.is_some(), is_node && is_upsert),
        ("tags", op.tags.is_some(), is_node && is_upsert),
        ("anchors", op.anchors.is_some(), is_node && is_upsert),
        ("meta", op.meta.is_some(), is_upsert),
        ("from", op.from.is_some(), !is_node),
        ("rel", op.rel.is_some(), !is_node),
        ("to", op.to.is_some(), !is_node),
    ];
    if let Some((field, ..)) = given.iter().find(|(_, there, belongs)| *there && !belongs) {
        return Err(MemoryError::invalid("ops", format!("{field} does not belong to {}", name(op.op))));
    }
    let need = |field: &'static str, value: &Option<String>| -> Result<String, MemoryError> {
        let missing = || MemoryError::invalid("ops", format!("{} needs {field}", name(op.op)));
        value.clone().ok_or_else(missing)
    };
    for (field, name) in [("id", &op.id), ("rel", &op.rel), ("type", &op.type_), ("status", &op.status)] {
        sensitive.check(field, name.as_deref().unwrap_or_default())?;
    }
    let key = if is_node {
        let id = GraphNodeId::parse(&need("id", &op.id)?)?;
        if id.is_reserved() {
            return Err(MemoryError::ReservedId { id: id.to_string() });
        }
        GraphKey::Node(id)
    } else {
        let from = GraphNodeId::parse(&need("from", &op.from)?)?;
        let rel = Relation::parse(&need("rel", &op.rel)?)?;
        let to = GraphNodeId::parse(&need("to", &op.to)?)?;
        if from.is_reserved() && to.is_reserved() {
            return Err(MemoryError::ReservedId { id: format!("{from} -{rel}-> {to}") });
        }
        GraphKey::Edge { from, rel, to }
    };
    if !is_upsert {
        return Ok(Step::Delete(key));
    }
    let type_ = if is_node { text::word("type", &need("type", &op.type_)?)? } else { String::new() };
    let body = Body {
        type_,
        title: text::optional_title("title", op.title.as_deref(), sensitive)?,
        text: text::optional_body("text", op.text.as_deref(), sensitive)?,
        status: text::optional_word("status", op.status.as_deref())?,
        tags: text::tags(op.tags.as_deref().unwrap_or_default(), sensitive)?,
        meta: text::meta("meta", op.meta.as_ref(), sensitive)?,
        valid_to: None,
        anchors: anchors::take(ports.code, op.anchors.as_deref().unwrap_or_default())?,
    };
    let anchors = if op.anchors.is_some() { Anchors::Given } else { Anchors::AsBefore };
    Ok(Step::Upsert(key, Box::new(body), anchors))
}

fn name(op: OpName) -> &'static str {
    match op {
        OpName::NodeUpsert => "node_upsert",
        OpName::NodeDelete => "node_delete",
        OpName::EdgeUpsert => "edge_upsert",
        OpName::EdgeDelete => "edge_delete",
    }
}

fn perform(w: &mut Writer<'_>, place: &Place, step: &Step, applied: &mut Applied) -> Result<(), MemoryError> {
    match step {
        Step::Upsert(key, body, anchors) => {
            let mut body = Body::clone(body);
            if *anchors == Anchors::AsBefore
                && let Some(before) = live(w, place)?.live(w.tx.rows(), key)?
            {
                body.anchors = before.body.anchors;
            }
            let state = NewVersion { deleted: false, body, origin: None };
            supersede::put(w, place, key, state)?;
            match key {
                GraphKey::Node(_) => applied.nodes_upserted += 1,
                GraphKey::Edge { .. } => applied.edges_upserted += 1,
            }
        }
        Step::Delete(key @ GraphKey::Node(id)) => {
            let view = live(w, place)?;
            let Some(row) = view.live(w.tx.rows(), key)? else {
                let (id, nearest) = (id.to_string(), Vec::new());
                return Err(MemoryError::NodeUnknown { id, nearest, at: place.told() });
            };
            let gone = NewVersion { deleted: true, body: row.body, origin: None };
            applied.edges_deleted += delete_node(w, place, id, gone)?.len();
            applied.nodes_deleted += 1;
        }
        Step::Delete(key @ GraphKey::Edge { from, rel, to }) => {
            let Some(row) = live(w, place)?.live(w.tx.rows(), key)? else {
                let (from, rel, to) = (from.to_string(), rel.to_string(), to.to_string());
                return Err(MemoryError::EdgeUnknown { from, rel, to, at: place.told() });
            };
            let gone = NewVersion { deleted: true, body: row.body, origin: None };
            supersede::put(w, place, key, gone)?;
            applied.edges_deleted += 1;
        }
    }
    Ok(())
}

/// A refusal undoes the whole call, so it names nodes that were there before it.
fn as_it_stays(w: &Writer<'_>, place: &Place, before: Seq, err: MemoryError) -> MemoryError {
    let MemoryError::NodeUnknown { id, at, .. } = err else { return err };
    let rows = w.tx.rows();
    let known = GraphView::at(rows, &w.ws, &place.branch, &place.doc, before);
    match known.and_then(|view| view.nearest(rows, &id)) {
        Ok(nearest) => MemoryError::NodeUnknown { id, nearest, at },
        Err(err) => err,
    }
}

/// A live edge needs both its nodes.
pub(super) fn check_ends(
    w: &Writer<'_>,
    view: &GraphView,
    place: &Place,
    key: &GraphKey,
) -> Result<(), MemoryError> {
    let GraphKey::Edge { from, rel, to } = key else {
        return Ok(());
    };
    for end in [from, to] {
        if view.live(w.tx.rows(), &GraphKey::Node(end.clone()))?.is_none() {
            return Err(MemoryError::WouldDangle {
                from: from.to_string(),
                rel: rel.to_string(),
                to: to.to_string(),
                missing: end.to_string(),
                at: place.told(),
            });
        }
    }
    Ok(())
}
