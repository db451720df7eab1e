//! Whether the records of an export hold together; a file can come from anywhere.
//!
//! What memory writes always does. What does not would be read wrongly later: two rows under one number, a branch that is
//! its own base, a task that waits for itself.

use std::collections::{BTreeMap, BTreeSet};

use super::record::Record;
use crate::branch::MAX_DEPTH;
use crate::ids::{BranchName, DocName, EntityId, EntityKind, EventNo, GraphNodeId, Relation, Seq, StepId};
use crate::port::{BranchRow, EntityRow, GraphKey, Object, StepRow, WorkspaceRow};

/// The number of the first record that is wrong, and what is wrong with it.
type Check = Result<(), String>;

/// Checks all records; the first must be the workspace.
pub(super) fn check(records: &[Record]) -> Result<(), (usize, String)> {
    let Some(Record::Workspace { row, .. }) = records.first() else {
        return Err((1, "does not start with a workspace".to_owned()));
    };
    let mut seen = Seen {
        ws: row,
        branches: BTreeMap::new(),
        entities: BTreeMap::new(),
        steps: BTreeMap::new(),
        paths: BTreeSet::new(),
        numbers: BTreeSet::new(),
        events: BTreeSet::new(),
        replays: BTreeSet::new(),
    };
    for (at, record) in records.iter().enumerate() {
        seen.take(record, at == 0, at + 1 == records.len()).map_err(|reason| (at + 1, reason))?;
    }
    // Tasks may have been moved to plans, and made to wait for tasks, that are younger.
    for (at, record) in records.iter().enumerate() {
        let told = match record {
            Record::Entity(row) => seen.relations(row),
            Record::Step(row) => seen.step_parent(row),
            _ => Ok(()),
        };
        told.map_err(|reason| (at + 1, reason))?;
    }
    seen.workspace().map_err(|reason| (1, reason))
}

struct Seen<'a> {
    ws: &'a WorkspaceRow,
    branches: BTreeMap<&'a BranchName, &'a BranchRow>,
    entities: BTreeMap<EntityId, &'a EntityRow>,
    steps: BTreeMap<&'a StepId, EntityId>,
    paths: BTreeSet<(EntityId, &'a [u32])>,
    /// Numbers on the clock of the workspace that are taken.
    numbers: BTreeSet<Seq>,
    events: BTreeSet<EventNo>,
    /// Operations and idempotency keys.
    replays: BTreeSet<(&'a str, &'a str)>,
}

impl<'a> Seen<'a> {
    fn take(&mut self, record: &'a Record, first: bool, last: bool) -> Check {
        match record {
            Record::Workspace { .. } => ensure(first, "is a second workspace"),
            Record::End(_) => ensure(last, "is not the last line"),
            Record::Branch(row) => self.branch(row),
            Record::Entity(row) => self.entity(row),
            Record::Step(row) => self.step(row),
            Record::Event(row) => {
                ensure(self.entities.contains_key(&row.entity), "is about a plan or task that is not there")?;
                ensure(
                    row.no.0 > 0 && row.no <= self.ws.event,
                    "has an event number that was never given out",
                )?;
                ensure(self.events.insert(row.no), "has the number of another event")
            }
            Record::Entry(row) => {
                self.place(&row.branch, &row.doc, row.seq)?;
                ensure(row.event.is_none_or(|no| no <= self.ws.event), "records an event that never was")
            }
            Record::Version(row) => {
                key(&row.key)?;
                self.place(&row.branch, &row.doc, row.seq)
            }
            Record::Conflict(row) => {
                key(&row.key)?;
                ensure(self.branches.contains_key(&row.from), "merges a branch that is not there")?;
                ensure(
                    row.theirs_seq <= self.ws.seq && row.ours_seq.is_none_or(|seq| seq <= self.ws.seq),
                    LATER,
                )?;
                known(&row.into, &self.branches)?;
                DocName::parse(row.doc.as_str()).map_err(|err| err.to_string())?;
                self.number(row.seq)
            }
            Record::MergeMark(row) => {
                key(&row.key)?;
                let from = known(&row.from, &self.branches)?;
                let back = from.base.as_ref().is_some_and(|base| base.branch == row.into);
                ensure(back, "marks a merge into another branch than the base")?;
                let given_out =
                    |seq: Option<Seq>| seq.is_none_or(|seq| seq > Seq::ZERO && seq <= self.ws.seq);
                ensure(given_out(row.agreed) && given_out(row.refused), LATER)
            }
            Record::Replay(row) => {
                let answer = serde_json::from_str::<Object>(&row.answer);
                ensure(answer.is_ok(), "holds an answer that is no object")?;
                ensure(self.replays.insert((&row.operation, &row.key)), "is a second answer under this key")
            }
        }
    }

    fn branch(&mut self, row: &'a BranchRow) -> Check {
        BranchName::parse(row.name.as_str()).map_err(|err| err.to_string())?;
        let depth = match &row.base {
            None => 0,
            Some(base) => {
                ensure(base.seq >= Seq::ZERO && base.seq <= self.ws.seq, LATER)?;
                // A base is older than what was cut off it, so that no branch is below itself.
                known(&base.branch, &self.branches)?.depth + 1
            }
        };
        ensure(row.depth == depth && depth <= MAX_DEPTH, "is not as deep as its base says")?;
        ensure(row.no > 0 && row.no <= self.ws.branches, "has a branch number that was never given out")?;
        ensure(self.branches.values().all(|other| other.no != row.no), "has the number of another branch")?;
        ensure(self.branches.insert(&row.name, row).is_none(), "is a second branch of this name")
    }

    fn entity(&mut self, row: &'a EntityRow) -> Check {
        let given_out = match row.id.kind {
            EntityKind::Plan => self.ws.plans,
            EntityKind::Task => self.ws.tasks,
        };
        ensure(row.id.no <= given_out, "has an id that was never given out")?;
        ensure(row.created_seq > Seq::ZERO && row.created_seq <= self.ws.seq, LATER)?;
        ensure(row.revision >= 0 && row.fence >= 0, "has a number below 0")?;
        known(&row.id.branch(), &self.branches)?;
        ensure(self.entities.insert(row.id, row).is_none(), "is a second plan or task of this id")
    }

    fn step(&mut self, row: &'a StepRow) -> Check {
        StepId::parse(row.id.as_str()).map_err(|err| err.to_string())?;
        let task = self.entities.contains_key(&row.task) && row.task.kind == EntityKind::Task;
        ensure(task, "is a step of a task that is not there")?;
        ensure(
            !row.path.is_empty() && self.paths.insert((row.task, &row.path)),
            "stands where another step stands",
        )?;
        ensure(self.steps.insert(&row.id, row.task).is_none(), "is a second step of this id")
    }

    fn step_parent(&self, row: &StepRow) -> Check {
        let above = row.path.split_last().map(|(_, above)| above).unwrap_or_default();
        let there = above.is_empty() || self.paths.contains(&(row.task, above));
        let parent = row.parent.as_ref().is_none_or(|id| self.steps.get(id) == Some(&row.task));
        ensure(there && parent && above.is_empty() == row.parent.is_none(), "has no step above it")
    }

    fn relations(&self, row: &EntityRow) -> Check {
        let plan = |id: &EntityId| id.kind == EntityKind::Plan && self.entities.contains_key(id);
        ensure(row.parent.as_ref().is_none_or(plan), "belongs to a plan that is not there")?;
        ensure(row.id.kind == EntityKind::Task || row.parent.is_none(), "is a plan that belongs to a plan")?;
        let mut seen = BTreeSet::new();
        let mut open = row.depends_on.clone();
        while let Some(id) = open.pop() {
            ensure(id != row.id, "waits for itself")?;
            if seen.insert(id) {
                let other = self.entities.get(&id).filter(|other| other.id.kind == EntityKind::Task);
                open.extend(&other.ok_or("waits for a task that is not there")?.depends_on);
            }
        }
        Ok(())
    }

    /// Something that was written to a branch, after the branch was made.
    fn place(&mut self, branch: &BranchName, doc: &DocName, seq: Seq) -> Check {
        let branch = known(branch, &self.branches)?;
        DocName::parse(doc.as_str()).map_err(|err| err.to_string())?;
        ensure(branch.base.as_ref().is_none_or(|base| seq > base.seq), "is older than its branch")?;
        self.number(seq)
    }

    fn number(&mut self, seq: Seq) -> Check {
        ensure(seq > Seq::ZERO && seq <= self.ws.seq, LATER)?;
        ensure(self.numbers.insert(seq), "has the number of another row")
    }

    fn workspace(&self) -> Check {
        ensure(!self.branches.is_empty(), "holds nothing")?;
        known(&BranchName::main(), &self.branches)?;
        known(&self.ws.checkout, &self.branches)?;
        ensure(
            self.ws.focus.is_none_or(|id| self.entities.contains_key(&id)),
            "has something in focus that is not there",
        )
    }
}

const LATER: &str = "has a number that was never given out";

fn known<'a>(
    name: &BranchName,
    branches: &BTreeMap<&BranchName, &'a BranchRow>,
) -> Result<&'a BranchRow, String> {
    branches
        .get(name)
        .copied()
        .ok_or_else(|| format!("names the branch {:?}, which is not there", name.as_str()))
}

fn key(key: &GraphKey) -> Check {
    let node = |id: &GraphNodeId| GraphNodeId::parse(id.as_str()).map(drop).map_err(|err| err.to_string());
    match key {
        GraphKey::Node(id) => node(id),
        GraphKey::Edge { from, rel, to } => {
            Relation::parse(rel.as_str()).map_err(|err| err.to_string())?;
            node(from).and_then(|()| node(to))
        }
    }
}

fn ensure(holds: bool, otherwise: &str) -> Check {
    if holds { Ok(()) } else { Err(otherwise.to_owned()) }
}
