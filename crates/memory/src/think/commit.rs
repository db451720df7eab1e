//! Writing a card: its trace entry, its node and its edges, in one transaction.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

use super::card::{Card, Links, is_card_type, read};
use super::place::{CardPlace, place};
use crate::anchors::{self, AnchorIn};
use crate::error::MemoryError;
use crate::graph::{GraphView, SUPERSEDES, live, refuse_circle, same_body};
use crate::ids::{BranchName, CardId, DocName, Relation, Seq, WorkspaceId};
use crate::port::{Body, End, EntryKind, GraphKey, Object, VersionRow};
use crate::ports::Ports;
use crate::secrets::Sensitive;
use crate::target::Place;
use crate::writer::{Findable, NewEntry, NewVersion, Once, Outcome, Writer, write};

/// Commits a card to the trace and graph of a `target`, or of a `branch` with `trace_doc` and `graph_doc`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ThinkCardRequest {
    /// The workspace.
    pub workspace: String,
    /// PLAN-001 or TASK-001; or give branch, trace_doc and graph_doc
    #[serde(default)]
    pub target: Option<String>,
    /// Existing branch (the target's own)
    #[serde(default)]
    pub branch: Option<String>,
    /// The document for the trace entry.
    #[serde(default)]
    pub trace_doc: Option<String>,
    /// The document for the node.
    #[serde(default)]
    pub graph_doc: Option<String>,
    /// The card: `id`, `type`, `title` or `text`, `status`, `tags`, `meta`. A string with the same as JSON,
    /// or with `key: value` lines, is taken too.
    #[schemars(schema_with = "card_schema")]
    pub card: Value,
    /// Cards that this one supports.
    #[serde(default, deserialize_with = "said")]
    #[schemars(with = "Option<Vec<String>>")]
    pub supports: Option<Option<Vec<String>>>,
    /// Cards that this one blocks.
    #[serde(default, deserialize_with = "said")]
    #[schemars(with = "Option<Vec<String>>")]
    pub blocks: Option<Option<Vec<String>>>,
    /// Cards whose place this one takes; they stay readable and get `valid_to`.
    #[serde(default, deserialize_with = "said")]
    #[schemars(with = "Option<Vec<String>>")]
    pub supersedes: Option<Option<Vec<String>>>,
    /// Code it speaks of: node_id, or path with lines (12-40)
    #[serde(default, deserialize_with = "said")]
    #[schemars(with = "Option<Vec<AnchorIn>>")]
    pub anchors: Option<Option<Vec<AnchorIn>>>,
    /// Change a card that exists with other contents; what is left out stays, a list replaces, null clears
    #[serde(default)]
    pub update: Option<bool>,
    /// Same key, same answer
    #[serde(default)]
    pub idempotency_key: Option<String>,
    /// Accept text that looks like a secret
    #[serde(default)]
    pub allow_sensitive: Option<bool>,
}

/// Tells `null`, which clears in an update, from what is left out.
fn said<'de, D: Deserializer<'de>, T: Deserialize<'de>>(input: D) -> Result<Option<T>, D::Error> {
    T::deserialize(input).map(Some)
}

/// What a call names: a list, or nothing at all where an update says `null`.
fn named<T: Clone>(given: &Option<Option<Vec<T>>>, update: bool) -> Option<Vec<T>> {
    match given {
        Some(None) if update => Some(Vec::new()),
        given => given.clone().flatten(),
    }
}

fn card_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": "object", "additionalProperties": true })
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThinkCardOutput {
    pub branch: BranchName,
    pub trace_doc: DocName,
    pub graph_doc: DocName,
    pub card_id: CardId,
    /// Whether something was written; false for a card that is there already.
    pub inserted: bool,
    pub graph_applied: GraphApplied,
    /// The number of the newest thing written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_seq: Option<Seq>,
    /// What the writer should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Whether an earlier call with the same idempotency_key wrote this; nothing was written now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GraphApplied {
    pub nodes_upserted: usize,
    pub edges_upserted: usize,
    /// Links that an update left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub edges_deleted: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

pub fn commit(ports: &Ports<'_>, request: &ThinkCardRequest) -> Result<ThinkCardOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    let sensitive = Sensitive::from(request.allow_sensitive);
    for (field, doc) in [("trace_doc", &request.trace_doc), ("graph_doc", &request.graph_doc)] {
        sensitive.check(field, doc.as_deref().unwrap_or_default())?;
    }
    let mut card = read(&request.card, sensitive)?;
    let update = request.update == Some(true);
    card.name("anchors", named(&request.anchors, update), |card, anchors| card.anchors.extend(anchors));
    card.body.anchors = anchors::take(ports.code, &card.anchors)?;
    card.name("supports", ids(named(&request.supports, update))?, |card, ids| add(&mut card.supports, ids));
    card.name("blocks", ids(named(&request.blocks, update))?, |card, ids| add(&mut card.blocks, ids));
    card.name("supersedes", ids(named(&request.supersedes, update))?, |card, ids| {
        add(&mut card.supersedes, ids)
    });
    let once = Once { operation: "think_card", key: request.idempotency_key.as_deref() };
    write(ports, &workspace, &once, |w| {
        let (target, branch) = (request.target.as_deref(), request.branch.as_deref());
        let (trace_doc, graph_doc) = (request.trace_doc.as_deref(), request.graph_doc.as_deref());
        let CardPlace { branch, graph_doc, trace_doc } =
            place(w.tx.rows(), &w.ws, target, branch, trace_doc, graph_doc)?;
        let Some(trace_doc) = trace_doc else {
            return Err(MemoryError::OneOf { first: "target", second: "branch, trace_doc and graph_doc" });
        };
        let place = Place { branch: branch.clone(), doc: graph_doc.clone() };
        let mut card = card.clone();
        if update {
            let view = live(w, &place)?;
            let Some(there) = view.live(w.tx.rows(), &GraphKey::Node(card.id.node()))? else {
                let nearest = view.nearest_card(w.tx.rows(), card.id.as_str())?;
                return Err(MemoryError::CardUnknown { id: card.id, nearest, at: place.told() });
            };
            card = card.over(&there.body);
        }
        card.check()?;
        let plan = plan(w, &place, &card, update)?;
        let mut out = ThinkCardOutput {
            branch,
            trace_doc,
            graph_doc,
            card_id: card.id.clone(),
            inserted: !plan.is_empty(),
            graph_applied: GraphApplied::default(),
            last_seq: None,
            warnings: anchors::warnings(&card.body.anchors),
            replayed: false,
        };
        if plan.is_empty() {
            return Ok(Outcome::Discard(out));
        }
        w.append(&out.branch, &out.trace_doc, entry(&card, update), Findable::No)?;
        out.graph_applied = apply(w, &place, &card, plan)?;
        out.last_seq = Some(w.ws.seq);
        Ok(Outcome::Keep(out))
    })
}

/// What a card still has to write.
#[derive(Default)]
struct Plan {
    node: Option<Body>,
    edges: Vec<GraphKey>,
    /// Edges that an update leaves out.
    cut: Vec<VersionRow>,
    /// Cards that this one takes the place of.
    closed: Vec<VersionRow>,
    /// Cards that hold again, for nothing takes their place any more.
    reopened: Vec<VersionRow>,
}

impl Plan {
    fn is_empty(&self) -> bool {
        self.node.is_none() && self.edges.is_empty() && self.cut.is_empty() && self.closed.is_empty()
    }
}

fn plan(w: &Writer<'_>, place: &Place, card: &Card, update: bool) -> Result<Plan, MemoryError> {
    let rows = w.tx.rows();
    let view = live(w, place)?;
    let there = view.live(rows, &GraphKey::Node(card.id.node()))?;
    let mut plan = Plan::default();
    let mut differs = Vec::new();
    match &there {
        // An update looks at the code anew, though it says the same.
        Some(there)
            if same_body(&there.body, &card.body) && (!update || there.body.anchors == card.body.anchors) => {
        }
        Some(there) if update => {
            plan.node = Some(Body { valid_to: there.body.valid_to, ..card.body.clone() });
        }
        Some(there) => differs = differences(&there.body, &card.body),
        None => plan.node = Some(card.body.clone()),
    }
    for links in card.links() {
        let left_out = link(w, &view, place, card, links, &mut plan)?;
        if there.is_some() && !update && links.given {
            let more = plan.edges.iter().any(|key| is_of(key, links.rel));
            if more || !left_out.is_empty() {
                differs.push(links.rel);
            }
        }
        if update && links.given {
            plan.cut.extend(left_out);
        }
    }
    if !differs.is_empty() {
        return Err(MemoryError::CardChanged { id: card.id.clone(), differs, at: place.told() });
    }
    for edge in &plan.cut {
        if let GraphKey::Edge { rel, to, .. } = &edge.key
            && rel.as_str() == SUPERSEDES
            && let Some(older) = view.live(rows, &GraphKey::Node(to.clone()))?
            && older.body.valid_to.is_some()
        {
            let others = view.edges(rows, to, End::To)?;
            if !others.iter().any(|other| is_of(&other.key, SUPERSEDES) && other.key != edge.key) {
                plan.reopened.push(older);
            }
        }
    }
    // A card that was there already is written again, or the one it takes the place of would be newer.
    if !plan.closed.is_empty() && plan.node.is_none() {
        plan.node = there.map(|there| there.body);
    }
    Ok(plan)
}

fn is_of(key: &GraphKey, wanted: &str) -> bool {
    matches!(key, GraphKey::Edge { rel, .. } if rel.as_str() == wanted)
}

/// Plans the edges of one relation. Returns those that are there and that the card does not name.
fn link(
    w: &Writer<'_>,
    view: &GraphView,
    place: &Place,
    card: &Card,
    links: Links<'_>,
    plan: &mut Plan,
) -> Result<Vec<VersionRow>, MemoryError> {
    let rows = w.tx.rows();
    let mut left_out = view.edges(rows, &card.id.node(), End::From)?;
    left_out.retain(|edge| is_of(&edge.key, links.rel));
    for other in links.cards {
        if *other == card.id {
            let itself = match links.rel {
                "supports" => "a card cannot support itself",
                "blocks" => "a card cannot block itself",
                _ => "a card cannot supersede itself",
            };
            return Err(MemoryError::invalid(links.rel, itself));
        }
        let there = refers(w, view, place, card, other)?;
        let key = GraphKey::Edge { from: card.id.node(), rel: Relation::stored(links.rel), to: other.node() };
        refuse_circle(rows, view, &key, SUPERSEDES)?;
        left_out.retain(|edge| edge.key != key);
        if view.live(rows, &key)?.is_none() && !plan.edges.contains(&key) {
            plan.edges.push(key);
        }
        if links.rel == SUPERSEDES && there.body.valid_to.is_none() {
            plan.closed.push(there);
        }
    }
    Ok(left_out)
}

/// The card that this one refers to; it must exist, and be a card.
fn refers(
    w: &Writer<'_>,
    view: &GraphView,
    place: &Place,
    card: &Card,
    other: &CardId,
) -> Result<VersionRow, MemoryError> {
    let rows = w.tx.rows();
    let id = card.id.clone();
    match view.live(rows, &GraphKey::Node(other.node()))? {
        Some(there) if is_card_type(&there.body.type_) => Ok(there),
        Some(there) => {
            let (other, type_) = (other.to_string(), there.body.type_);
            Err(MemoryError::CardReferenceNoCard { id, other, type_, at: place.told() })
        }
        None => {
            let nearest = view.nearest_card(rows, other.as_str())?;
            let missing = other.to_string();
            Err(MemoryError::CardReferenceUnknown { id, missing, nearest, at: place.told() })
        }
    }
}

fn apply(w: &mut Writer<'_>, place: &Place, card: &Card, plan: Plan) -> Result<GraphApplied, MemoryError> {
    let mut applied = GraphApplied::default();
    let put = |w: &mut Writer<'_>, key: &GraphKey, body: Body| {
        w.put_version(&place.branch, &place.doc, key, NewVersion { deleted: false, body, origin: None })
    };
    for edge in plan.cut {
        let gone = NewVersion { deleted: true, body: edge.body, origin: None };
        w.put_version(&place.branch, &place.doc, &edge.key, gone)?;
        applied.edges_deleted += 1;
    }
    // The older ones first: what took their place is the newest.
    let reopened = plan.reopened.into_iter().map(|older| (older, None));
    let now = Some(w.now);
    for (older, valid_to) in reopened.chain(plan.closed.into_iter().map(|older| (older, now))) {
        put(w, &older.key, Body { valid_to, ..older.body })?;
        applied.nodes_upserted += 1;
    }
    if let Some(body) = plan.node {
        put(w, &GraphKey::Node(card.id.node()), body)?;
        applied.nodes_upserted += 1;
    }
    for key in &plan.edges {
        put(w, key, Body::default())?;
        applied.edges_upserted += 1;
    }
    Ok(applied)
}

fn entry(card: &Card, update: bool) -> NewEntry {
    let mut meta = Object::new();
    meta.insert("card_id".to_owned(), json!(card.id));
    meta.insert("card_type".to_owned(), json!(card.body.type_));
    meta.insert("status".to_owned(), json!(card.body.status));
    if !card.body.tags.is_empty() {
        meta.insert("tags".to_owned(), json!(card.body.tags));
    }
    for Links { rel, cards, given } in card.links() {
        // An update that names none has taken away those that were there.
        if !cards.is_empty() || (update && given) {
            meta.insert(rel.to_owned(), json!(cards));
        }
    }
    if let Some(own) = &card.body.meta {
        meta.insert("meta".to_owned(), Value::Object(own.clone()));
    }
    NewEntry {
        kind: EntryKind::Note,
        title: card.body.title.clone(),
        format: Some("card".to_owned()),
        meta: Some(meta),
        anchors: card.body.anchors.clone(),
        ..NewEntry::note(card.body.text.clone().unwrap_or_default())
    }
}

fn ids(given: Option<Vec<String>>) -> Result<Option<Vec<CardId>>, MemoryError> {
    given.map(|given| given.iter().map(|id| CardId::parse(id)).collect()).transpose()
}

fn add(to: &mut Vec<CardId>, given: Vec<CardId>) {
    for id in given {
        if !to.contains(&id) {
            to.push(id);
        }
    }
}

fn differences(a: &Body, b: &Body) -> Vec<&'static str> {
    let parts = [
        ("type", a.type_ != b.type_),
        ("title", a.title != b.title),
        ("text", a.text != b.text),
        ("status", a.status != b.status),
        ("tags", a.tags != b.tags),
        ("meta", a.meta != b.meta),
    ];
    let mut out: Vec<&'static str> =
        parts.iter().filter(|(_, differs)| *differs).map(|(name, _)| *name).collect();
    if out.is_empty() {
        out.push("anchors");
    }
    out
}
