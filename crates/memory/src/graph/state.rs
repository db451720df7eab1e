//! Nodes and edges as tools show them, and when two states say the same.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::anchors::{self, Anchor, AnchorProbe};
use crate::budget::{self, Item, json_size};
use crate::ids::{GraphNodeId, Relation, Seq};
use crate::port::{Body, GraphKey, Object, VersionRow};

/// The latest version of a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Node {
    pub id: GraphNodeId,
    #[serde(rename = "type")]
    pub type_: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Lower case, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Whether this is a tombstone.
    pub deleted: bool,
    /// When a newer card took this one's place, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<i64>,
    /// Places in the code that it speaks of, and whether they changed since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub anchors: Vec<Anchor>,
    /// The number of this version.
    pub last_seq: Seq,
    /// When it was written, in milliseconds since 1970.
    pub last_ts_ms: i64,
    /// Whether the budget shortened this node.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// The full length of a shortened `text`, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_length: Option<usize>,
    /// What the budget left out besides text: `meta`, `anchors`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// The latest version of an edge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Edge {
    pub from: GraphNodeId,
    pub rel: Relation,
    pub to: GraphNodeId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Whether this is a tombstone.
    pub deleted: bool,
    /// The number of this version.
    pub last_seq: Seq,
    /// When it was written, in milliseconds since 1970.
    pub last_ts_ms: i64,
}

impl Node {
    pub(crate) fn of(id: GraphNodeId, row: VersionRow, code: &dyn AnchorProbe) -> Self {
        Self {
            id,
            type_: row.body.type_,
            title: row.body.title,
            text: row.body.text,
            status: row.body.status,
            tags: row.body.tags,
            meta: row.body.meta,
            deleted: row.deleted,
            valid_to: row.body.valid_to.map(|at| at.0),
            anchors: anchors::show(code, &row.body.anchors),
            last_seq: row.seq,
            last_ts_ms: row.ts.0,
            truncated: false,
            text_length: None,
            left_out: Vec::new(),
        }
    }
}

impl Item for Node {
    fn shorten(&mut self, bytes: usize) {
        self.truncated = true;
        if json_size(self) > bytes && self.meta.take().is_some() {
            self.left_out.push("meta".to_owned());
        }
        let full = self.text.as_ref().map_or(0, String::len);
        if json_size(self) > bytes && full > 0 {
            self.text_length = Some(full);
            // The beginning of a text stays while there are anchors that could go.
            let least = if self.anchors.is_empty() { 0 } else { budget::BEGINNING };
            self.shorten_text(bytes, full.saturating_sub(least));
        }
        budget::drop_anchors(self, bytes, |node| (&mut node.anchors, &mut node.left_out));
        self.shorten_text(bytes, full);
        if self.text.as_ref().map_or(0, String::len) == full {
            self.text_length = None;
        }
        let excess = json_size(self).saturating_sub(bytes);
        if let Some(title) = &mut self.title {
            budget::shorten_text(title, excess);
        }
        // Its id finds it again, so that where the first page has room, the next ones have.
        if json_size(self) > bytes {
            (self.tags, self.title, self.status, self.valid_to) = (Vec::new(), None, None, None);
        }
        if json_size(self) > bytes {
            self.left_out.clear();
        }
    }
}

impl Node {
    fn shorten_text(&mut self, bytes: usize, most: usize) {
        let excess = json_size(self).saturating_sub(bytes);
        if let Some(text) = &mut self.text {
            budget::shorten_text(text, excess.min(most));
        }
    }
}

/// The state of a key as the tools show it.
pub(crate) fn object(row: &VersionRow, code: &dyn AnchorProbe) -> Object {
    let value = match &row.key {
        GraphKey::Node(id) => serde_json::to_value(Node::of(id.clone(), row.clone(), code)),
        GraphKey::Edge { from, rel, to } => serde_json::to_value(Edge {
            from: from.clone(),
            rel: rel.clone(),
            to: to.clone(),
            meta: row.body.meta.clone(),
            deleted: row.deleted,
            last_seq: row.seq,
            last_ts_ms: row.ts.0,
        }),
    };
    match value {
        Ok(Value::Object(object)) => object,
        // Both are structs of plain fields.
        _ => Object::new(),
    }
}

/// Whether two states of a key say the same. What is not there and what was deleted is the same; whether a card is closed is
/// said by the edges at it.
pub(crate) fn same(a: Option<&VersionRow>, b: Option<&VersionRow>) -> bool {
    let live = |row: Option<&VersionRow>| row.filter(|row| !row.deleted).map(|row| row.body.clone());
    match (live(a), live(b)) {
        (None, None) => true,
        (Some(a), Some(b)) => same_body(&a, &b),
        _ => false,
    }
}

/// Whether two states of a key say the same of the same code: a place that was looked at again holds something else now.
pub(super) fn identical(a: Option<&VersionRow>, b: Option<&VersionRow>) -> bool {
    let seen = |row: Option<&VersionRow>| {
        let anchors = row.filter(|row| !row.deleted).map(|row| row.body.anchors.as_slice());
        anchors.unwrap_or_default().iter().map(|anchor| anchor.hash.clone()).collect::<Vec<_>>()
    };
    same(a, b) && seen(a) == seen(b)
}

/// Whether two bodies say the same, leaving aside whether they were superseded since.
pub(crate) fn same_body(a: &Body, b: &Body) -> bool {
    let meta = |body: &Body| body.meta.clone().unwrap_or_default();
    let places = |body: &Body| body.anchors.iter().map(|anchor| anchor.at.clone()).collect::<Vec<_>>();
    a.type_ == b.type_
        && a.title == b.title
        && a.text == b.text
        && a.status == b.status
        && a.tags == b.tags
        && meta(a) == meta(b)
        && places(a) == places(b)
}
