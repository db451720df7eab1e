//! Supersede: a card is closed exactly while a live `supersedes` edge points at it.
//!
//! `valid_to` says since when, so that whoever reads a card need not look for the edge. It follows the edges: what merges
//! and conflicts are about is them.

use std::collections::HashSet;

use super::apply::live;
use super::view::GraphView;
use crate::error::MemoryError;
use crate::ids::GraphNodeId;
use crate::port::{Body, End, GraphKey, Rows, VersionRow};
use crate::target::Place;
use crate::think::is_card_type;
use crate::writer::{NewVersion, Writer};

/// The relation by which a card takes the place of another.
pub(crate) const SUPERSEDES: &str = "supersedes";

/// Whether this is an edge by which a card takes the place of another.
pub(super) fn is_superseding(key: &GraphKey) -> bool {
    matches!(key, GraphKey::Edge { rel, .. } if rel.as_str() == SUPERSEDES)
}

/// Writes a version and keeps cards closed as the edges say.
pub(super) fn put(
    w: &mut Writer<'_>,
    place: &Place,
    key: &GraphKey,
    mut state: NewVersion,
) -> Result<(), MemoryError> {
    if let GraphKey::Node(id) = key
        && !state.deleted
    {
        let view = live(w, place)?;
        state.body.valid_to = match is_closed(w.tx.rows(), &view, id, &state.body)? {
            true => {
                let since = view.live(w.tx.rows(), key)?.and_then(|row| row.body.valid_to);
                since.or(state.body.valid_to).or(Some(w.now))
            }
            false => None,
        };
    }
    w.put_version(&place.branch, &place.doc, key, state)?;
    follow(w, place, [key])
}

/// Closes and reopens the cards that these edges point at, now that the edges came or went.
pub(super) fn follow<'k>(
    w: &mut Writer<'_>,
    place: &Place,
    edges: impl IntoIterator<Item = &'k GraphKey>,
) -> Result<(), MemoryError> {
    for edge in edges.into_iter().filter(|key| is_superseding(key)) {
        let GraphKey::Edge { to, .. } = edge else { continue };
        let (view, key) = (live(w, place)?, GraphKey::Node(to.clone()));
        let Some(row) = view.live(w.tx.rows(), &key)? else { continue };
        let closed = is_closed(w.tx.rows(), &view, to, &row.body)?;
        if closed != row.body.valid_to.is_some() {
            let valid_to = closed.then_some(w.now);
            let state =
                NewVersion { deleted: false, body: Body { valid_to, ..row.body }, origin: row.origin };
            w.put_version(&place.branch, &place.doc, &key, state)?;
        }
    }
    Ok(())
}

fn is_closed(rows: &dyn Rows, view: &GraphView, id: &GraphNodeId, body: &Body) -> Result<bool, MemoryError> {
    Ok(is_card_type(&body.type_)
        && view.edges(rows, id, End::To)?.iter().any(|edge| is_superseding(&edge.key)))
}

/// The live edges by which the first card of this one was superseded by the second, however far back: with it, each would
/// have taken the place of the other.
pub(super) fn circle(
    rows: &dyn Rows,
    view: &GraphView,
    key: &GraphKey,
) -> Result<Vec<VersionRow>, MemoryError> {
    let GraphKey::Edge { from: newer, to: older, .. } = key else { return Ok(Vec::new()) };
    if !is_superseding(key) {
        return Ok(Vec::new());
    }
    let mut seen = HashSet::from([older.clone()]);
    let mut queue = vec![older.clone()];
    let mut out = Vec::new();
    while let Some(node) = queue.pop() {
        for edge in view.edges(rows, &node, End::From)?.into_iter().filter(|edge| is_superseding(&edge.key)) {
            let GraphKey::Edge { to, .. } = &edge.key else { continue };
            if to == newer {
                out.push(edge);
            } else if seen.insert(to.clone()) {
                queue.push(to.clone());
            }
        }
    }
    Ok(out)
}

/// Refuses an edge that is part of a circle.
pub(crate) fn refuse_circle(
    rows: &dyn Rows,
    view: &GraphView,
    key: &GraphKey,
    field: &'static str,
) -> Result<(), MemoryError> {
    let GraphKey::Edge { from: newer, to: older, .. } = key else { return Ok(()) };
    if is_superseding(key) && newer == older {
        return Err(MemoryError::invalid(field, "a card cannot supersede itself"));
    }
    if circle(rows, view, key)?.is_empty() {
        return Ok(());
    }
    let reason = format!("{older} superseded {newer} already; take a new id for what holds now");
    Err(MemoryError::invalid(field, reason))
}
