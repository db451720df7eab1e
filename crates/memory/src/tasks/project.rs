//! Plans, tasks and steps as nodes of the knowledge graph.

use serde_json::json;

use super::selector::path_text;
use crate::error::MemoryError;
use crate::graph::{live, same_body};
use crate::ids::{EntityId, EntityKind, GraphNodeId, Relation};
use crate::port::{Body, EntityRow, GraphKey, Object, StepRow};
use crate::target::Place;
use crate::writer::{NewVersion, Writer};

/// Writes the nodes and edges of an entity and of some of its steps, where they say something new.
pub(super) fn project(w: &mut Writer<'_>, row: &EntityRow, steps: &[&StepRow]) -> Result<(), MemoryError> {
    let own = place(row.id);
    put(w, &own, GraphKey::Node(row.id.node()), entity_body(row))?;
    for step in steps {
        put(w, &own, GraphKey::Node(step.id.node()), step_body(step))?;
        let above = step.parent.as_ref().map_or_else(|| row.id.node(), |parent| parent.node());
        put(w, &own, contains(above, step.id.node()), Body::default())?;
    }
    if let Some(plan) = row.parent {
        let above = place(plan);
        put(w, &above, GraphKey::Node(row.id.node()), entity_body(row))?;
        put(w, &above, contains(plan.node(), row.id.node()), Body::default())?;
    }
    Ok(())
}

/// Takes a task out of the graph of a plan that it no longer belongs to.
pub(super) fn detach(w: &mut Writer<'_>, task: &EntityRow, plan: EntityId) -> Result<(), MemoryError> {
    let gone = NewVersion { deleted: true, body: entity_body(task), origin: None };
    crate::graph::delete_node(w, &place(plan), &task.id.node(), gone)?;
    Ok(())
}

fn place(id: EntityId) -> Place {
    Place { branch: id.branch(), doc: id.graph_doc() }
}

fn contains(from: GraphNodeId, to: GraphNodeId) -> GraphKey {
    GraphKey::Edge { from, rel: Relation::stored("contains"), to }
}

fn put(w: &mut Writer<'_>, place: &Place, key: GraphKey, body: Body) -> Result<(), MemoryError> {
    let there = live(w, place)?.live(w.tx.rows(), &key)?;
    if there.is_some_and(|row| same_body(&row.body, &body)) {
        return Ok(());
    }
    w.put_version(&place.branch, &place.doc, &key, NewVersion { deleted: false, body, origin: None })?;
    Ok(())
}

fn entity_body(row: &EntityRow) -> Body {
    let text = match row.id.kind {
        EntityKind::Plan => row.contract.clone(),
        EntityKind::Task => row.description.clone(),
    };
    Body {
        type_: row.id.kind.as_str().to_owned(),
        title: Some(row.title.clone()),
        text,
        status: Some(row.status.as_str().to_owned()),
        ..Body::default()
    }
}

fn step_body(step: &StepRow) -> Body {
    let status = match (step.completed.is_some(), step.blockers.is_empty()) {
        (true, _) => "done",
        (false, false) => "blocked",
        (false, true) => "todo",
    };
    let mut meta = Object::new();
    meta.insert("path".to_owned(), json!(path_text(&step.path)));
    Body {
        type_: "step".to_owned(),
        title: Some(step.title.clone()),
        status: Some(status.to_owned()),
        meta: Some(meta),
        ..Body::default()
    }
}
