//! `lock_diff`: what became of a locked region.

use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_navigate::{Changes, Relation};
use m1nd_runtime::flows::navigate::locks::{self, Lock};
use m1nd_runtime::{Answer, Ctx, Example, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::READ;

pub struct LockDiff;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The lock; without it, your locks are listed
    lock_id: Option<String>,
}

/// What is different in a region.
#[derive(Debug, Default, JsonSchema, Serialize)]
pub struct Difference {
    /// Nodes with another text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    /// New in files or types of the region.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<String>,
    /// from relation to
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edges_added: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edges_removed: Vec<String>,
    /// Of each list in all, where some are cut off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub totals: Option<Totals>,
}

/// How many there are.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Totals {
    changed: usize,
    removed: usize,
    added: usize,
    edges_added: usize,
    edges_removed: usize,
}

impl Difference {
    pub fn of(changes: Changes) -> Self {
        let said = |edges: Vec<Relation>| {
            edges.into_iter().map(|edge| format!("{} {} {}", edge.from, edge.relation, edge.to)).collect()
        };
        Self {
            changed: changes.changed,
            removed: changes.removed,
            added: changes.added,
            edges_added: said(changes.edges_added),
            edges_removed: said(changes.edges_removed),
            totals: None,
        }
    }

    pub fn trim(&mut self, excess: usize) -> bool {
        let totals = Totals {
            changed: self.changed.len(),
            removed: self.removed.len(),
            added: self.added.len(),
            edges_added: self.edges_added.len(),
            edges_removed: self.edges_removed.len(),
        };
        let is_shorter = self.shorten(excess);
        if is_shorter && self.totals.is_none() {
            self.totals = Some(totals);
        }
        is_shorter
    }

    fn shorten(&mut self, excess: usize) -> bool {
        drop_tail(&mut self.edges_removed, excess) > 0
            || drop_tail(&mut self.edges_added, excess) > 0
            || drop_tail(&mut self.added, excess) > 0
            || drop_tail(&mut self.removed, excess) > 0
            || drop_tail(&mut self.changed, excess) > 0
    }

    /// The first node that is different and still there.
    pub fn first(&self) -> Option<&String> {
        self.changed.first().or(self.added.first())
    }
}

/// Of a lock that was taken down anew when nothing of its region was there: it can never differ.
pub const EMPTY: &str = "The region is empty: what was locked was gone when it was taken down anew, so nothing in it can change. Release it, and lock what is there now.";

/// A lock in a list.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Row {
    lock_id: String,
    region: String,
    nodes: usize,
    taken_ms: i64,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    #[serde(skip_serializing_if = "Option::is_none")]
    lock_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<String>,
    /// Whether anything in the region is different.
    #[serde(skip_serializing_if = "Option::is_none")]
    has_changed: Option<bool>,
    #[serde(flatten)]
    difference: Difference,
    /// Your locks, where none was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    locks: Option<Vec<Row>>,
    truncated: bool,
}

impl Tool for LockDiff {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "lock_diff",
        summary: "What changed in a locked region since it was taken down: texts, nodes, relations. Without lock_id, your locks.",
        intents: &["what changed in the region", "diff a lock", "list locks"],
        budget: Some(5_000),
        examples: &[Example { says: "A lock", arguments: r#"{"lock_id": "lock_1"}"# }],
        ..READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let mut output = Output {
            lock_id: None,
            region: None,
            has_changed: None,
            difference: Difference::default(),
            locks: None,
            truncated: false,
        };
        let Some(id) = input.lock_id else {
            let all: Vec<(Lock, i64)> = locks::shelf(ctx)?.all()?;
            let row = |(lock, _): (Lock, i64)| Row {
                nodes: lock.baseline.nodes.len(),
                lock_id: lock.id,
                region: lock.region,
                taken_ms: lock.taken_ms,
            };
            let rows: Vec<Row> = all.into_iter().map(row).collect();
            let next = match rows.first() {
                Some(first) => Guidance::next("lock_diff", first.lock_id.clone(), "See what changed there."),
                None => Guidance::hint("You hold no lock; lock_create takes one."),
            };
            let total = rows.len() as u64;
            output.locks = Some(rows);
            return Ok(Answer::of(output).candidates(total).next(next));
        };
        let at = ctx.graph_view()?;
        let (lock, changes) = locks::diff(ctx, &at, &id)?;
        output.has_changed = Some(!changes.is_empty());
        output.difference = Difference::of(changes);
        let is_empty = lock.baseline.nodes.is_empty();
        (output.lock_id, output.region) = (Some(lock.id.clone()), Some(lock.region));
        let next = match output.difference.first() {
            Some(node) => Guidance::next("view", node.clone(), "Read what changed."),
            None if output.has_changed == Some(true) => Guidance::hint(
                "Look at who used what went. If lists are cut off, ask again with a larger `max_chars`; lock_rebase forgets what was before.",
            ),
            None if is_empty => Guidance::next("lock_release", lock.id, EMPTY),
            None => Guidance::hint("Nothing in the region changed."),
        };
        Ok(Answer::of(output).proof(ProofState::Proving).next(next))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        self.difference.trim(excess) || self.locks.as_mut().is_some_and(|locks| drop_tail(locks, excess) > 0)
    }
}
