//! Writing one note.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::Entry;
use crate::anchors::{self, AnchorIn};
use crate::error::MemoryError;
use crate::ids::WorkspaceId;
use crate::port::{EntryKind, Object};
use crate::ports::Ports;
use crate::secrets::Sensitive;
use crate::target::{self, DocOf};
use crate::text;
use crate::writer::{Findable, NewEntry, Once, Outcome, write};

/// Appends one note to the notes of a `target`, or to a `branch` and `doc`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NotesCommitRequest {
    /// The workspace.
    pub workspace: String,
    /// PLAN-001 or TASK-001; or give branch and doc
    #[serde(default)]
    pub target: Option<String>,
    /// An existing branch; goes with `doc`.
    #[serde(default)]
    pub branch: Option<String>,
    /// A document of that branch, such as `notes`.
    #[serde(default)]
    pub doc: Option<String>,
    /// The text of the note.
    pub content: String,
    /// One line that says what it is about.
    #[serde(default)]
    pub title: Option<String>,
    /// The format of the text, such as `markdown`.
    #[serde(default)]
    pub format: Option<String>,
    /// Anything else. `pinned: true` keeps it in every brief, `handoff: true` makes it the last hand-off.
    #[serde(default)]
    pub meta: Option<Object>,
    /// Code it speaks of: node_id, or path with lines (12-40)
    #[serde(default)]
    pub anchors: Vec<AnchorIn>,
    /// Same key, same answer
    #[serde(default)]
    pub idempotency_key: Option<String>,
    /// Accept text that looks like a secret
    #[serde(default)]
    pub allow_sensitive: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NotesCommitOutput {
    /// The entry as it was written.
    pub entry: Entry,
    /// What the writer should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Whether an earlier call with the same idempotency_key wrote this; nothing was written now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
}

pub fn commit(ports: &Ports<'_>, request: &NotesCommitRequest) -> Result<NotesCommitOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    let sensitive = Sensitive::from(request.allow_sensitive);
    sensitive.check("doc", request.doc.as_deref().unwrap_or_default())?;
    sensitive.check("format", request.format.as_deref().unwrap_or_default())?;
    for mark in ["pinned", "handoff"] {
        let given = request.meta.as_ref().and_then(|meta| meta.get(mark));
        if given.is_some_and(|given| !given.is_boolean()) {
            return Err(MemoryError::invalid("meta", format!("{mark} must be true or false")));
        }
    }
    let new = NewEntry {
        kind: EntryKind::Note,
        title: text::optional_title("title", request.title.as_deref(), sensitive)?,
        format: text::optional_word("format", request.format.as_deref())?,
        meta: text::meta("meta", request.meta.as_ref(), sensitive)?,
        content: text::body("content", &request.content, sensitive)?,
        anchors: anchors::take(ports.code, &request.anchors)?,
        origin: None,
        event: None,
    };
    let once = Once { operation: "notes_commit", key: request.idempotency_key.as_deref() };
    write(ports, &workspace, &once, |w| {
        let place = target::place(
            w.tx.rows(),
            &w.ws,
            request.target.as_deref(),
            request.branch.as_deref(),
            request.doc.as_deref(),
            DocOf::Notes,
        )?;
        if place.doc.is_machine() {
            return Err(MemoryError::MachineDoc { doc: place.doc });
        }
        let row = w.append(&place.branch, &place.doc, new.clone(), Findable::Yes)?;
        let warnings = anchors::warnings(&row.anchors);
        let entry = Entry::of(w.tx.rows(), row, ports.code)?;
        Ok(Outcome::Keep(NotesCommitOutput { entry, warnings, replayed: false }))
    })
}
