//! What is visible on a branch: its own rows, then those of its base up to the cutoff, and so on down.

use m1nd_stdx::clock::UnixMs;

use crate::error::MemoryError;
use crate::ids::{BranchName, DocName, Seq};
use crate::port::{BranchRow, Rows, StreamKind, StreamRow, WorkspaceRow};
use crate::text::nearest;

/// The part of one branch that a view shows: `after < seq <= upto`.
///
/// A branch is written to only after it was cut off, so the parts of a view never overlap in time: the view
/// is their concatenation, and a page touches only as many parts as it needs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Segment {
    pub(crate) branch: BranchName,
    pub(crate) after: Seq,
    pub(crate) upto: Seq,
}

/// Everything visible on a branch, nearest part first.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) segments: Vec<Segment>,
}

/// One part of a document in a view.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) stream: StreamRow,
    pub(crate) after: Seq,
    pub(crate) upto: Seq,
}

impl View {
    /// What a branch shows now.
    pub(crate) fn of(rows: &dyn Rows, ws: &WorkspaceRow, branch: &BranchName) -> Result<Self, MemoryError> {
        Self::at(rows, ws, branch, Seq::TIP)
    }

    /// What a branch showed when `cutoff` was the newest number.
    pub(crate) fn at(
        rows: &dyn Rows,
        ws: &WorkspaceRow,
        branch: &BranchName,
        cutoff: Seq,
    ) -> Result<Self, MemoryError> {
        let mut segments = Vec::new();
        let mut upto = cutoff;
        let mut row = existing(rows, ws, branch.as_str())?;
        loop {
            let base = row.base.take();
            let after = base.as_ref().map_or(Seq::ZERO, |base| base.seq.min(upto));
            segments.push(Segment { branch: row.name.clone(), after, upto });
            let Some(base) = base else { break };
            upto = after;
            row = existing(rows, ws, base.branch.as_str())?;
        }
        Ok(Self { segments })
    }

    /// The parts of this view that another one does not show.
    pub(crate) fn minus(&self, other: &Self) -> Self {
        let segments = self
            .segments
            .iter()
            .filter_map(|mine| {
                let shared = other.segments.iter().find(|theirs| theirs.branch == mine.branch);
                let after = shared.map_or(mine.after, |theirs| mine.after.max(theirs.upto));
                (after < mine.upto).then(|| Segment { after, ..mine.clone() })
            })
            .collect();
        Self { segments }
    }

    /// Whether a row that was written to `branch` as `seq` is visible.
    pub(crate) fn shows(&self, branch: &BranchName, seq: Seq) -> bool {
        self.segments.iter().any(|part| part.branch == *branch && seq <= part.upto)
    }

    /// The parts that hold anything of a document, nearest first.
    pub(crate) fn parts(
        &self,
        rows: &dyn Rows,
        ws: &WorkspaceRow,
        doc: &DocName,
        kind: StreamKind,
    ) -> Result<Vec<Part>, MemoryError> {
        let mut out = Vec::new();
        for segment in &self.segments {
            if let Some(stream) = rows.stream(ws.no, &segment.branch, doc, kind)?
                && stream.first <= segment.upto
            {
                out.push(Part { stream, after: segment.after, upto: segment.upto });
            }
        }
        Ok(out)
    }
}

/// The branch of this name, or an error that names the nearest one.
pub(crate) fn existing(rows: &dyn Rows, ws: &WorkspaceRow, name: &str) -> Result<BranchRow, MemoryError> {
    let parsed = BranchName::parse(name)?;
    if let Some(row) = rows.branch(ws.no, &parsed)? {
        return Ok(row);
    }
    if parsed == BranchName::main() && ws.no.0 == 0 {
        return Ok(BranchRow { ws: ws.no, name: parsed, no: 1, base: None, depth: 0, created: UnixMs(0) });
    }
    let known = rows.branches(ws.no, i64::MAX, NEAREST_AMONG)?;
    let mut known: Vec<String> = known.iter().map(|row| row.name.to_string()).collect();
    if known.is_empty() {
        known.push(BranchName::main().to_string());
    }
    Err(MemoryError::BranchUnknown { name: name.to_owned(), nearest: nearest(name, &known) })
}

/// The newest so many branches are compared with a mistyped name.
const NEAREST_AMONG: usize = 500;
