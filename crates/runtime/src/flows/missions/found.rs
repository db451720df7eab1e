//! Claims of missions, as memory finds them.

use std::sync::Arc;

use m1nd_memory::StoreError;
use m1nd_memory::claims::{Claim, Claims};
use m1nd_memory::port::{AnchorAt, AnchorRow};
use m1nd_mission::EventId;

use super::Missions;
use crate::flows::sight::HASH_DIGITS;

/// Missions that are looked through, those that changed last.
const MAX_MISSIONS: usize = 500;

/// The claims of the missions of a workspace.
pub struct Concluded(pub Arc<Missions>);

impl Claims for Concluded {
    fn all(&self) -> Result<Vec<Claim>, StoreError> {
        let mut out = Vec::new();
        for summary in self.0.list(MAX_MISSIONS)? {
            let state = match self.0.state(&summary.mission_id) {
                Ok(Some(kept)) => kept.state,
                // One that is broken hides no other; mission_show says what is wrong with it.
                Ok(None) | Err(StoreError::Unreadable { .. }) => continue,
                Err(err) => return Err(err),
            };
            out.extend(state.claims.iter().rev().map(|claim| Claim {
                id: format!("{}/{}", state.mission_id, claim.claim_id),
                text: claim.text.clone(),
                standing: claim.verdict.name().to_owned(),
                ts_ms: state.updated_ms,
                events: claim.event_ids.iter().map(ToString::to_string).collect(),
            }));
        }
        Ok(out)
    }

    fn anchors(&self, claim: &Claim) -> Result<Vec<AnchorRow>, StoreError> {
        let mut out: Vec<AnchorRow> = Vec::new();
        for (mission, place) in claim.events.iter().filter_map(|event| EventId::parse(event)) {
            for event in self.0.events(&mission, place - 1, 1)? {
                for (path, hash) in event.draft.anchors() {
                    // The same hash as that of an anchored file, which is shown in short.
                    let hash = hash.strip_prefix("sha256:").unwrap_or(hash);
                    let hash = hash.get(..HASH_DIGITS).unwrap_or(hash).to_owned();
                    let at = AnchorAt::Path { path: path.to_owned(), lines: None };
                    out.retain(|known| known.at != at);
                    out.push(AnchorRow { at, hash: Some(hash), copy: None });
                }
            }
        }
        Ok(out)
    }
}
