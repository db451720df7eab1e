//! The frame of every task mutation: what must hold before, and what is written with it.

use m1nd_stdx::clock::UnixMs;
use serde_json::{Value, json};

use super::event::Event;
use super::project::project;
use crate::error::MemoryError;
use crate::ids::{EntityKind, EventNo, Seq};
use crate::port::{
    ClaimRow, EntityRow, EntryKind, EventRow, FindKind, FindRow, Object, Status, StepRow, Tx, WsNo,
};
use crate::search::index_text;
use crate::text::timestamp;
use crate::writer::{Findable, NewEntry, PassedBy, Writer};

/// What a caller believes about an entity before it changes it.
pub(super) struct Guard<'a> {
    pub(super) expected_revision: Option<i64>,
    pub(super) expected_version: Option<i64>,
    pub(super) claim_token: Option<&'a str>,
}

impl Guard<'_> {
    /// What can be expected of something that is only being made.
    pub(super) fn check_new(&self) -> Result<(), MemoryError> {
        if self.expected_revision.or(self.expected_version).is_some_and(|expected| expected != 0) {
            return Err(MemoryError::invalid("expected_revision", "a new plan or task is at revision 0"));
        }
        if self.claim_token.is_some() {
            return Err(MemoryError::invalid("claim_token", "a new plan or task is not claimed"));
        }
        Ok(())
    }

    /// A wrong token is refused. A change without one is let through, for whoever holds the task need not be an
    /// agent that keeps tokens; its event says whose claim it passed by.
    pub(super) fn check(&self, row: &EntityRow, w: &mut Writer<'_>) -> Result<(), MemoryError> {
        let expected = match (self.expected_revision, self.expected_version) {
            (Some(a), Some(b)) if a != b => {
                return Err(MemoryError::invalid("expected_version", "differs from expected_revision"));
            }
            (a, b) => a.or(b),
        };
        if let Some(expected) = expected
            && expected != row.revision
        {
            return Err(MemoryError::RevisionMismatch { id: row.id, expected, current: row.revision });
        }
        let Some(token) = self.claim_token else {
            let held = row.claim.as_ref().filter(|claim| claim.is_live(w.now));
            w.passed_by =
                held.map(|claim| PassedBy { agent: claim.agent.clone(), until: timestamp(claim.expires()) });
            return Ok(());
        };
        match &row.claim {
            Some(claim) if claim.token == token && !token.is_empty() => {
                if claim.is_live(w.now) {
                    return Ok(());
                }
                Err(MemoryError::ClaimExpired { task: row.id, at: timestamp(claim.expires()) })
            }
            _ => Err(MemoryError::ClaimForeign { task: row.id }),
        }
    }
}

impl ClaimRow {
    pub(crate) fn expires(&self) -> UnixMs {
        UnixMs(self.at_ms.saturating_add(self.lease_ms))
    }

    /// Whether the lease still runs. A wall clock that went back by more than the lease has made it
    /// meaningless, and a meaningless lease must not hold a task for years.
    pub(crate) fn is_live(&self, now: UnixMs) -> bool {
        now < self.expires() && now.0 >= self.at_ms.saturating_sub(self.lease_ms)
    }
}

impl EntityRow {
    /// The claim under which somebody works on it now; nobody works on what is over.
    pub(crate) fn held(&self, now: UnixMs) -> Option<&ClaimRow> {
        let over = matches!(self.status, Status::Done | Status::Cancelled);
        self.claim.as_ref().filter(|claim| !over && claim.is_live(now))
    }
}

/// What happened, for the event and the trace.
pub(super) struct Happened {
    pub(super) type_: &'static str,
    pub(super) path: Option<String>,
    pub(super) payload: Object,
}

/// Whether a mutation made the entity or changed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Created,
    Changed,
}

/// Writes an entity with the event, the trace entry and the projection that belong to its change.
///
/// Always on the canonical branch: no checkout or fork redirects it.
pub(super) fn seal(
    w: &mut Writer<'_>,
    row: &mut EntityRow,
    steps: &[&StepRow],
    stage: Stage,
    happened: Happened,
) -> Result<Event, MemoryError> {
    if stage == Stage::Changed {
        row.revision += 1;
    }
    let event = record(w, row, happened)?;
    finish(w, row, steps)?;
    Ok(event)
}

/// Writes an event and its trace entry; a change may have more than one.
pub(super) fn record(
    w: &mut Writer<'_>,
    row: &mut EntityRow,
    mut happened: Happened,
) -> Result<Event, MemoryError> {
    if let Some(passed) = &w.passed_by {
        let claim = json!({ "claimed_by": passed.agent, "until": passed.until });
        happened.payload.insert("without_claim".to_owned(), claim);
    }
    w.ws.event = EventNo(w.ws.event.0 + 1);
    let event = EventRow {
        ws: w.ws.no,
        no: w.ws.event,
        ts: w.now,
        entity: row.id,
        path: happened.path,
        type_: happened.type_.to_owned(),
        payload: happened.payload,
    };
    w.tx.put_event(&event)?;
    row.last_event = event.no;
    row.updated = w.now;
    let entry = w.append(&row.id.branch(), &row.id.trace_doc(), trace_entry(&event, row), Findable::No)?;
    if row.created_seq.0 == 0 {
        row.created_seq = entry.seq;
    }
    let warning = w.passed_by.as_ref().map(|passed| {
        let (id, PassedBy { agent, until }) = (row.id, passed);
        format!(
            "{id} is claimed by {agent} until {until}, and this change carried no claim_token. \
             Pass it if the claim is yours; else leave the task to {agent}."
        )
    });
    Ok(Event { warning, ..Event::of(event) })
}

/// Writes the entity and its projection.
pub(super) fn finish(w: &mut Writer<'_>, row: &EntityRow, steps: &[&StepRow]) -> Result<(), MemoryError> {
    w.tx.put_entity(row)?;
    index_entity(w.tx, row)?;
    project(w, row, steps)
}

/// The text of a plan or task apart from its title: description, contract, steps and their criteria.
pub(crate) fn entity_text(row: &EntityRow, steps: &[StepRow]) -> String {
    let own = [&row.description, &row.contract].into_iter().flatten();
    let mut lines: Vec<&str> = own.map(String::as_str).collect();
    for step in steps {
        lines.push(&step.title);
        lines.extend(step.success_criteria.iter().chain(&step.tests).map(String::as_str));
    }
    lines.join("\n")
}

/// A plan or task is found by its id, its title and its text.
fn index_entity(tx: &mut dyn Tx, row: &EntityRow) -> Result<(), MemoryError> {
    let kind = match row.id.kind {
        EntityKind::Plan => FindKind::Plan,
        EntityKind::Task => FindKind::Task,
    };
    let steps = match row.id.kind {
        EntityKind::Task => tx.rows().steps(row.ws, row.id)?,
        EntityKind::Plan => Vec::new(),
    };
    tx.put_find(&FindRow {
        ws: row.ws,
        kind,
        reference: row.id.to_string(),
        seq: row.created_seq,
        ts: row.updated,
        title: index_text(&format!("{} {}", row.title, row.id)),
        body: index_text(&entity_text(row, &steps)),
    })?;
    Ok(())
}

/// How many plans and tasks are taken at a time.
const PAGE: usize = 200;

/// Makes all plans and tasks findable, once their steps are there.
pub(crate) fn index_entities(tx: &mut dyn Tx, ws: WsNo) -> Result<(), MemoryError> {
    let mut before = Seq::END;
    let mut ids = Vec::new();
    loop {
        let found = tx.entities(ws, before, EventNo(0), PAGE)?;
        let Some(last) = found.last() else { break };
        before = last.created_seq;
        ids.extend(found.iter().map(|row| row.id));
    }
    // Oldest first, as they were written: of equal hits the one that came last is shown first.
    for id in ids.into_iter().rev() {
        if let Some(row) = tx.entity(ws, id)? {
            index_entity(tx, &row)?;
        }
    }
    Ok(())
}

fn trace_entry(event: &EventRow, row: &EntityRow) -> NewEntry {
    let mut meta = Object::new();
    meta.insert("event_id".to_owned(), json!(event.no.to_string()));
    meta.insert("type".to_owned(), json!(event.type_));
    meta.insert("entity".to_owned(), json!(event.entity.to_string()));
    if let Some(path) = &event.path {
        meta.insert("path".to_owned(), json!(path));
    }
    meta.insert("revision".to_owned(), json!(row.revision));
    meta.insert("payload".to_owned(), Value::Object(event.payload.clone()));
    let place = event.path.as_ref().map(|path| format!(" {path}")).unwrap_or_default();
    NewEntry {
        kind: EntryKind::Event,
        meta: Some(meta),
        event: Some(event.no),
        ..NewEntry::note(format!("{} {}{place}", event.type_, event.entity))
    }
}

/// Declares a request of a task mutation with the fields that all of them share.
macro_rules! mutation {
    ($(#[$doc:meta])* pub struct $name:ident { $($(#[$field_doc:meta])* pub $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            /// The workspace.
            pub workspace: String,
            $($(#[$field_doc])* pub $field: $type,)*
            /// Refuse unless it is at this revision
            #[serde(default)]
            pub expected_revision: Option<i64>,
            /// Alias of expected_revision
            #[serde(default)]
            #[schemars(skip)]
            pub expected_version: Option<i64>,
            /// Token of your claim; refused when it no longer holds
            #[serde(default)]
            pub claim_token: Option<String>,
            /// Same key, same answer
            #[serde(default)]
            pub idempotency_key: Option<String>,
        }

        impl $name {
            fn guard(&self) -> crate::tasks::mutation::Guard<'_> {
                crate::tasks::mutation::Guard {
                    expected_revision: self.expected_revision,
                    expected_version: self.expected_version,
                    claim_token: self.claim_token.as_deref(),
                }
            }

            fn once(&self, operation: &'static str) -> crate::writer::Once<'_> {
                crate::writer::Once { operation, key: self.idempotency_key.as_deref() }
            }
        }
    };
}
pub(super) use mutation;
