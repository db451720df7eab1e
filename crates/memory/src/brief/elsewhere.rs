//! What forks hold that are not checked out: a brief does not show it, and says where it is.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{COUNTED, Look, is_zero};
use crate::error::MemoryError;
use crate::ids::{BranchName, Seq};
use crate::port::{GraphKey, Mark};
use crate::think::{CardType, PINNED};

/// A fork that is not checked out, and how much of it no merge has brought back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Elsewhere {
    pub branch: BranchName,
    /// Hand-offs.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub handoffs: usize,
    /// Pinned notes and cards.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub pinned: usize,
    /// Other notes.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub notes: usize,
}

impl Look<'_> {
    /// By branch, the one that was written to last first. Of each kind the newest are looked at.
    pub(super) fn elsewhere(&self) -> Result<Vec<Elsewhere>, MemoryError> {
        let mut found = Vec::new();
        for mark in [Mark::Handoff, Mark::Pinned, Mark::Plain] {
            let (mut shown, mut away, mut seen) = (HashSet::new(), Vec::new(), 0);
            self.rows.marked(self.ws.no, mark, &mut |row| {
                seen += 1;
                let first = row.origin.as_ref().is_some_and(|origin| self.holds(&origin.branch, origin.seq));
                if first || self.holds(&row.branch, row.seq) {
                    shown.insert(row.original());
                } else {
                    away.push((row.original(), row.seq, row.branch));
                }
                if seen == COUNTED { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
            self.partly_if("elsewhere", seen == COUNTED && !away.is_empty());
            // What a merge copied is told by its copy, and a copy on another fork is the same note.
            away.reverse();
            away.retain(|(original, ..)| shown.insert(*original));
            found.extend(away.into_iter().map(|(_, seq, branch)| (seq, branch, mark)));
        }
        found.extend(self.cards_elsewhere()?.into_iter().map(|(seq, branch)| (seq, branch, Mark::Pinned)));
        found.sort_by_key(|(seq, ..)| std::cmp::Reverse(*seq));
        let mut out: Vec<Elsewhere> = Vec::new();
        let mut at = HashMap::new();
        for (_, branch, mark) in found {
            let place = *at.entry(branch.clone()).or_insert_with(|| {
                out.push(Elsewhere { branch, handoffs: 0, pinned: 0, notes: 0 });
                out.len() - 1
            });
            match mark {
                Mark::Handoff => out[place].handoffs += 1,
                Mark::Pinned => out[place].pinned += 1,
                Mark::Plain => out[place].notes += 1,
            }
        }
        Ok(out)
    }

    fn cards_elsewhere(&self) -> Result<Vec<(Seq, BranchName)>, MemoryError> {
        let (mut shown, mut away, mut seen) = (HashSet::new(), Vec::new(), 0);
        self.rows.newest_with_tag(self.ws.no, PINNED, &mut |row| {
            seen += 1;
            if let GraphKey::Node(id) = &row.key
                && CardType::parse(&row.body.type_).is_ok()
                && row.body.valid_to.is_none()
            {
                if self.holds(&row.branch, row.seq) {
                    shown.insert(id.clone());
                } else {
                    away.push((id.clone(), row.seq, row.branch));
                }
            }
            if seen == COUNTED { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        self.partly_if("elsewhere", seen == COUNTED && !away.is_empty());
        away.retain(|(id, ..)| shown.insert(id.clone()));
        Ok(away.into_iter().map(|(_, seq, branch)| (seq, branch)).collect())
    }
}
