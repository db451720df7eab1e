//! Claims of missions among what is found: behind everything that memory has itself, newest first.

use super::{Ask, Hit, Place, terms};
use crate::anchors;
use crate::claims::Claim;
use crate::error::MemoryError;
use crate::port::{FindKind, Match};
use crate::text::timestamp;
use m1nd_stdx::clock::UnixMs;

/// Cursors of claims have no number of an entry, and count from here.
const FROM: usize = 1 << 19;

/// How many claims a cursor lies behind, if it is one of theirs.
pub(super) fn cursor(after: Place) -> Option<usize> {
    (after.seq == 0).then(|| after.count.checked_sub(FROM)).flatten()
}

impl Ask<'_> {
    /// Claims behind the first `skip` that fit, each with its place; and whether there are more.
    pub(super) fn claims(
        &self,
        matching: Match,
        skip: usize,
        limit: usize,
    ) -> Result<(Vec<(Hit, Place)>, bool), MemoryError> {
        if !self.kinds.contains(&FindKind::Claim) {
            return Ok((Vec::new(), false));
        }
        let mut out = Vec::new();
        let fitting = self.ports.claims.all()?.into_iter().filter(|claim| self.fits(claim, matching));
        for (at, claim) in fitting.enumerate().skip(skip) {
            let anchors = anchors::show(self.ports.code, &self.ports.claims.anchors(&claim)?);
            let hit = Hit {
                kind: FindKind::Claim,
                snippet: self.snippet(&claim.text),
                id: claim.id,
                branch: None,
                doc: None,
                seq: None,
                ts: timestamp(UnixMs(claim.ts_ms)),
                title: Some(claim.standing),
                valid_to: None,
                stale_anchors: Vec::new(),
            };
            let place = Place { seq: 0, count: FROM + at + 1 };
            if let Some(hit) = self.about(hit, anchors) {
                if out.len() == limit {
                    return Ok((out, true));
                }
                out.push((hit, place));
            }
        }
        Ok((out, false))
    }

    fn fits(&self, claim: &Claim, matching: Match) -> bool {
        let has = terms::index_text(&claim.text);
        let has: Vec<&str> = has.split(' ').collect();
        let mut words = self.words.iter().map(|word| has.iter().any(|term| word.fits(term)));
        let holds = match matching {
            Match::All => words.all(|found| found),
            Match::Any => words.any(|found| found),
        };
        holds && self.since.is_none_or(|since| claim.ts_ms >= since)
    }
}
