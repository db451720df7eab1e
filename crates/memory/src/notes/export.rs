//! A bounded snapshot of a plan or task for picking up work.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::show::{self, MAX_LIMIT, ShowOutput};
use crate::anchors::{self, Anchor};
use crate::budget::{Budget, json_size};
use crate::error::MemoryError;
use crate::ids::{EntityKind, WorkspaceId};
use crate::page::{self, Pagination};
use crate::port::{self, EntityRow, Status};
use crate::ports::Ports;
use crate::target::{self, DocOf, Place, ReasoningRef};
use crate::text::cut;
use crate::writer;

const NOTES_LIMIT: usize = 20;
const TRACE_LIMIT: usize = 50;

/// Reads what is known about a plan or task: what it is, and the tails of its notes and trace.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportRequest {
    /// The workspace.
    pub workspace: String,
    /// PLAN-001 or TASK-001
    pub target: String,
    /// The most notes (20, at most 200).
    #[serde(default)]
    pub notes_limit: Option<i64>,
    /// The most trace entries (50, at most 200).
    #[serde(default)]
    pub trace_limit: Option<i64>,
    /// Byte budget of the answer
    #[serde(default)]
    pub max_chars: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExportOutput {
    pub target: TargetCard,
    pub reasoning_ref: ReasoningRef,
    /// The newest notes.
    pub notes: Section,
    /// The newest trace entries; they give way before notes do.
    pub trace: Section,
    /// Whether the budget dropped or shortened something.
    pub truncated: bool,
}

/// A tail of one document.
pub type Section = ShowOutput;

/// A plan or task in short.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TargetCard {
    /// `PLAN-001` or `TASK-001`.
    pub id: String,
    pub kind: EntityKind,
    pub title: String,
    /// The full length of a shortened title, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title_length: Option<usize>,
    pub status: Status,
    /// Grows by one with every mutation.
    pub revision: i64,
    /// The plan that a task belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Who works on it now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<String>,
    /// Places in the code that it speaks of, and whether they changed since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub anchors: Vec<Anchor>,
}

impl TargetCard {
    pub(crate) fn of(row: &EntityRow, ports: &Ports<'_>) -> Self {
        let now = ports.clock.now();
        Self {
            id: row.id.to_string(),
            kind: row.id.kind,
            title: row.title.clone(),
            title_length: None,
            status: row.status,
            revision: row.revision,
            parent: row.parent.map(|id| id.to_string()),
            claimed_by: row.held(now).map(|claim| claim.agent.clone()),
            anchors: anchors::show(ports.code, &row.anchors),
        }
    }
}

impl TargetCard {
    pub(crate) fn shorten_title(&mut self, max: usize) {
        // The mark takes room itself.
        const MARK: usize = r#","title_length":1000"#.len();
        if self.title.len() > max.saturating_add(MARK) {
            self.title_length.get_or_insert(self.title.len());
            self.title.truncate(cut(&self.title, max).len());
        }
    }
}

pub fn export(ports: &Ports<'_>, request: &ExportRequest) -> Result<ExportOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    let notes_limit = page::limit("notes_limit", request.notes_limit, NOTES_LIMIT, MAX_LIMIT)?;
    let trace_limit = page::limit("trace_limit", request.trace_limit, TRACE_LIMIT, MAX_LIMIT)?;
    let budget = Budget::of(request.max_chars)?;
    port::read(ports.store, |rows| {
        let ws = writer::workspace(rows, &workspace)?;
        let row = target::entity(rows, &ws, "target", &request.target)?;
        let cursor = ws.seq.0 + 1;
        let place = |which| Place { branch: row.id.branch(), doc: target::doc_of(row.id, which) };
        let empty = |which, limit| ShowOutput {
            branch: row.id.branch(),
            doc: target::doc_of(row.id, which),
            entries: Vec::new(),
            pagination: Pagination::widest(cursor, limit),
            truncated: false,
        };
        let mut out = ExportOutput {
            target: TargetCard::of(&row, ports),
            reasoning_ref: ReasoningRef::of(row.id),
            notes: empty(DocOf::Notes, notes_limit),
            trace: empty(DocOf::Trace, trace_limit),
            truncated: false,
        };
        let (notes, more_notes) = show::entries(ports, rows, &ws, &place(DocOf::Notes), cursor, notes_limit)?;
        let (trace, more_trace) = show::entries(ports, rows, &ws, &place(DocOf::Trace), cursor, trace_limit)?;

        // A page shows at least one entry if there is one, so the trace is promised its smallest form first.
        let frame = json_size(&out);
        let least =
            show::shape(place(DocOf::Trace), trace.clone(), more_trace, cursor, trace_limit, Budget(1));
        let kept = json_size(&least).saturating_sub(json_size(&out.trace));
        let room = (budget.0 + json_size(&out.notes)).saturating_sub(frame + kept);
        let shaped = show::shape(place(DocOf::Notes), notes, more_notes, cursor, notes_limit, Budget(room));
        out.notes = shaped;
        let room = (budget.0 + json_size(&out.trace)).saturating_sub(json_size(&out));
        out.trace = show::shape(place(DocOf::Trace), trace, more_trace, cursor, trace_limit, Budget(room));
        // A page that cannot show even one entry points to itself: `branchmind_show` begins there.
        if json_size(&out) > budget.0 {
            empty_page(&mut out.trace);
        }
        if json_size(&out) > budget.0 {
            empty_page(&mut out.notes);
        }
        out.truncated = out.notes.truncated || out.trace.truncated;
        if json_size(&out) > budget.0 {
            out.truncated = true;
            out.target.anchors.clear();
            out.target.shorten_title(40);
        }
        Ok(out)
    })
}

fn empty_page(page: &mut ShowOutput) {
    if !page.entries.is_empty() {
        page.entries.clear();
        page.truncated = true;
        page.pagination.count = 0;
        page.pagination.has_more = true;
        page.pagination.next_cursor = Some(page.pagination.cursor);
    }
}
