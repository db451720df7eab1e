//! What stays in a brief however small it is: the last hand-off, and what is pinned.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};
use std::ops::ControlFlow;

use super::Look;
use super::items::{BriefNote, LONG, note, pinned_card};
use crate::error::MemoryError;
use crate::ids::Seq;
use crate::port::{EntryRow, GraphKey, Mark};
use crate::stale::Stale;
use crate::think::{CardType, PINNED};

impl Look<'_> {
    /// The hand-off that was written last; a merge that copied an older one later does not make it newer. And how many
    /// earlier ones there are.
    pub(super) fn handoff(&self, stale: &mut Stale<'_>) -> Result<(Option<BriefNote>, usize), MemoryError> {
        let mut newest: Option<EntryRow> = None;
        let mut own: Option<EntryRow> = None;
        let (mut all, mut all_own) = (BTreeSet::new(), BTreeSet::new());
        self.marked("handoffs", Mark::Handoff, &mut |row| {
            let at = row.seq;
            let on_target = self.target.is_some_and(|id| row.branch == id.branch());
            if on_target || self.holds(&row.branch, row.seq) {
                let (best, all) = match on_target {
                    true => (&mut own, &mut all_own),
                    false => (&mut newest, &mut all),
                };
                all.insert(row.original());
                if best.as_ref().is_none_or(|best| best.original() < row.original()) {
                    *best = Some(row);
                }
            }
            // The rows that follow have lower numbers, and a copy has a higher one than its original.
            let (best, all) = if self.target.is_some() { (&own, &all_own) } else { (&newest, &all) };
            best.as_ref().is_some_and(|best| best.original() >= at) && self.seen("handoffs", all.len())
        })?;
        let earlier = if own.is_some() { all_own.len() } else { all.len() }.saturating_sub(1);
        let Some(row) = own.or(newest) else { return Ok((None, 0)) };
        stale.look_at_note(&row);
        Ok((Some(note(&row, self.first_entry(&row)?, self.longest_handoff)), earlier))
    }

    /// Pinned notes and cards, newest first.
    pub(super) fn pinned(&self, stale: &mut Stale<'_>) -> Result<Vec<BriefNote>, MemoryError> {
        let mut out = self.pinned_notes(stale)?;
        out.extend(self.pinned_cards(stale)?);
        out.sort_by_key(|(seq, _)| Reverse(*seq));
        Ok(out.into_iter().map(|(_, note)| note).collect())
    }

    fn pinned_notes(&self, stale: &mut Stale<'_>) -> Result<Vec<(Seq, BriefNote)>, MemoryError> {
        let mut found = Vec::new();
        let mut shown = BTreeSet::new();
        self.marked("pinned", Mark::Pinned, &mut |row| {
            // A copy that a merge made says what its original says.
            if self.holds(&row.branch, row.seq) && shown.insert(row.original()) {
                found.push(row);
            }
            self.seen("pinned", found.len())
        })?;
        let mut out = Vec::with_capacity(found.len());
        for row in &found {
            stale.look_at_note(row);
            out.push((row.original(), note(row, self.first_entry(row)?, LONG)));
        }
        Ok(out)
    }

    /// Marked notes, newest first, until `each` has enough.
    pub(super) fn marked(
        &self,
        what: &'static str,
        mark: Mark,
        each: &mut dyn FnMut(EntryRow) -> bool,
    ) -> Result<(), MemoryError> {
        let mut scanned = 0;
        self.rows.marked(self.ws.no, mark, &mut |row| {
            scanned += 1;
            if each(row) || self.scanned(what, scanned) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })?;
        Ok(())
    }

    fn pinned_cards(&self, stale: &mut Stale<'_>) -> Result<Vec<(Seq, BriefNote)>, MemoryError> {
        let (mut ids, mut found, mut scanned) = (HashSet::new(), Vec::new(), 0);
        self.rows.newest_with_tag(self.ws.no, PINNED, &mut |row| {
            scanned += 1;
            let GraphKey::Node(id) = &row.key else { return ControlFlow::Continue(()) };
            let is_card = CardType::parse(&row.body.type_).is_ok() && row.body.valid_to.is_none();
            if is_card && self.is_about(&row) && ids.insert(id.clone()) {
                found.push((id.clone(), row));
            }
            if self.seen("pinned", found.len()) || self.scanned("pinned", scanned) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })?;
        let mut out = Vec::with_capacity(found.len());
        for (id, row) in &found {
            stale.look(id.as_str(), &row.body.anchors);
            let (seq, ts) = self.first_version(row)?;
            out.push((seq, pinned_card(id.as_str(), row, ts)));
        }
        Ok(out)
    }
}
