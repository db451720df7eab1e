//! Writing a workspace out for people, with the records that an import reads at the end.

use std::io::Write;
use std::ops::ControlFlow;

use super::export::{BATCH, io};
use super::{embedded, export};
use crate::error::MemoryError;
use crate::graph::GraphView;
use crate::ids::{EventNo, Seq, WorkspaceId};
use crate::port::{
    self, BranchRow, EntityRow, EntryScan, GraphKey, KeyKind, Order, Rows, StreamKind, WorkspaceRow,
};
use crate::ports::Ports;
use crate::text::timestamp;
use crate::writer;

/// Writes plans and tasks, then every branch with its documents and graphs.
pub fn export_markdown(ports: &Ports<'_>, workspace: &str, out: &mut dyn Write) -> Result<(), MemoryError> {
    let workspace = WorkspaceId::parse(workspace)?;
    port::read(ports.store, |rows| {
        let ws = writer::workspace(rows, &workspace)?;
        let readable = &mut Vec::new();
        put(readable, &format!("# {}\n", ws.name))?;
        let mut entities = rows.entities(ws.no, Seq::END, EventNo(0), usize::MAX >> 1)?;
        entities.reverse();
        if !entities.is_empty() {
            put(readable, "\n## Plans and tasks\n")?;
        }
        for row in &entities {
            entity(rows, &ws, row, readable)?;
        }
        let mut branches = rows.branches(ws.no, i64::MAX, usize::MAX >> 1)?;
        branches.reverse();
        for row in &branches {
            branch(rows, &ws, row, readable)?;
        }
        let mut lines = Vec::new();
        export::records(rows, &ws, &mut lines)?;
        embedded::write(out, readable, &String::from_utf8_lossy(&lines))?;
        out.flush().map_err(|err| io(&err))
    })
}

fn entity(
    rows: &dyn Rows,
    ws: &WorkspaceRow,
    row: &EntityRow,
    out: &mut dyn Write,
) -> Result<(), MemoryError> {
    put(out, &format!("\n### {} {} ({})\n", row.id, row.title, row.status.as_str()))?;
    if let Some(parent) = row.parent {
        put(out, &format!("\nPart of {parent}.\n"))?;
    }
    for part in [&row.description, &row.contract].into_iter().flatten() {
        put(out, &format!("\n{part}\n"))?;
    }
    let steps = rows.steps(ws.no, row.id)?;
    if !steps.is_empty() {
        put(out, "\n")?;
    }
    for step in steps {
        let indent = "  ".repeat(step.path.len().saturating_sub(1));
        let mark = if step.completed.is_some() { "x" } else { " " };
        put(out, &format!("{indent}- [{mark}] {}\n", step.title))?;
        for line in &step.success_criteria {
            put(out, &format!("{indent}  - {line}\n"))?;
        }
    }
    Ok(())
}

fn branch(
    rows: &dyn Rows,
    ws: &WorkspaceRow,
    row: &BranchRow,
    out: &mut dyn Write,
) -> Result<(), MemoryError> {
    put(out, &format!("\n## Branch {}\n", row.name))?;
    if let Some(base) = &row.base {
        put(out, &format!("\nCut off {} at {}.\n", base.branch, base.seq))?;
    }
    for stream in rows.streams(ws.no, &row.name, StreamKind::Log)? {
        put(out, &format!("\n### {}\n", stream.doc))?;
        let mut after = Seq::ZERO;
        loop {
            let batch = rows.entries(&EntryScan {
                stream: stream.id,
                after,
                upto: Seq::TIP,
                order: Order::OldestFirst,
                kind: None,
                limit: BATCH,
            })?;
            let Some(last) = batch.last() else { break };
            after = last.seq;
            for entry in batch {
                let title = entry.title.map(|title| format!(" {title}")).unwrap_or_default();
                put(
                    out,
                    &format!("\n#### {} · {}{title}\n\n{}\n", entry.seq, timestamp(entry.ts), entry.content),
                )?;
            }
        }
    }
    for stream in rows.streams(ws.no, &row.name, StreamKind::Graph)? {
        put(out, &format!("\n### {} (graph)\n\n", stream.doc))?;
        let view = GraphView::of(rows, ws, &row.name, &stream.doc)?;
        for kind in [KeyKind::Node, KeyKind::Edge] {
            let mut lines = Vec::new();
            view.scan(rows, Some(kind), Seq::END, &mut |version| {
                if !version.deleted {
                    lines.push(match &version.key {
                        GraphKey::Node(id) => {
                            let title = version.body.title.as_deref().or(version.body.text.as_deref());
                            let status = version.body.status.as_deref().unwrap_or("");
                            format!(
                                "- **{id}** {} {status}: {}\n",
                                version.body.type_,
                                title.unwrap_or_default()
                            )
                        }
                        GraphKey::Edge { from, rel, to } => format!("- {from} —{rel}→ {to}\n"),
                    });
                }
                ControlFlow::Continue(())
            })?;
            lines.iter().rev().try_for_each(|line| put(out, line))?;
        }
    }
    Ok(())
}

fn put(out: &mut dyn Write, text: &str) -> Result<(), MemoryError> {
    out.write_all(text.as_bytes()).map_err(|err| io(&err))
}
