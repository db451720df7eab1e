//! Taking a task for a while, and giving it back.

use m1nd_stdx::digest::short_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::event::Event;
use super::mutation::{Happened, Stage, mutation, seal};
use super::ready::in_the_way;
use super::selector::claimable;
use crate::error::MemoryError;
use crate::ids::WorkspaceId;
use crate::port::{self, ClaimRow, Object, Status};
use crate::ports::Ports;
use crate::secrets::Sensitive;
use crate::target;
use crate::text::{self, timestamp};
use crate::writer::{self, Outcome, write};

const DEFAULT_LEASE_S: i64 = 900;
/// A week: longer than any agent works without a sign of life.
const MAX_LEASE_S: i64 = 7 * 24 * 3_600;

mutation! {
    /// Claims a task for a while; claiming it again extends the lease.
    pub struct ClaimRequest {
        /// The task.
        pub task: String,
        /// Who claims it.
        pub agent_id: String,
        /// How long the claim holds without being renewed (900, at most a week).
        #[serde(default)]
        pub lease_seconds: Option<i64>,
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimOutput {
    pub task: String,
    pub agent_id: String,
    /// Pass it with every change of the task: a change under a claim that no longer holds is refused.
    pub claim_token: String,
    pub lease_seconds: i64,
    /// When the claim ends unless it is renewed.
    pub expires_at: String,
    pub revision: i64,
    pub event: Event,
    /// Whether an earlier call with the same idempotency_key wrote this; nothing was written now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
}

pub fn claim(ports: &Ports<'_>, request: &ClaimRequest) -> Result<ClaimOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    let agent = text::word("agent_id", &request.agent_id)?;
    Sensitive::Refused.check("agent_id", &agent)?;
    let lease = request.lease_seconds.unwrap_or(DEFAULT_LEASE_S);
    if !(1..=MAX_LEASE_S).contains(&lease) {
        return Err(MemoryError::invalid("lease_seconds", format!("is not between 1 and {MAX_LEASE_S}")));
    }
    let mut out = write(ports, &workspace, &request.once("tasks_claim"), |w| {
        let mut row = claimable(target::entity(w.tx.rows(), &w.ws, "task", &request.task)?)?;
        request.guard().check(&row, w)?;
        // Who claims or gives back is named and checked below.
        w.passed_by = None;
        if matches!(row.status, Status::Done | Status::Cancelled) {
            return Err(MemoryError::TaskClosed { task: row.id, status: row.status.as_str() });
        }
        let live = row.claim.as_ref().filter(|claim| claim.is_live(w.now));
        let token = match live {
            Some(claim) if claim.agent == agent && !claim.token.is_empty() => claim.token.clone(),
            Some(claim) if claim.agent != agent => {
                let (by, until) = (claim.agent.clone(), timestamp(claim.expires()));
                return Err(MemoryError::ClaimHeld { task: row.id, by, until });
            }
            _ => {
                row.fence += 1;
                let name = format!("{}\n{}\n{agent}\n{}\n{}", w.ws.name, row.id, row.fence, w.now.0);
                format!("claim-{}-{}", row.fence, short_name(name.as_bytes(), 12))
            }
        };
        let renewed = live.is_some();
        let held = ClaimRow { agent: agent.clone(), token, at_ms: w.now.0, lease_ms: lease * 1_000 };
        let expires_at = timestamp(held.expires());
        let mut payload = Object::new();
        payload.insert("agent_id".to_owned(), json!(agent));
        payload.insert("expires_at".to_owned(), json!(expires_at));
        payload.insert("renewed".to_owned(), json!(renewed));
        let claim_token = held.token.clone();
        row.claim = Some(held);
        let happened = Happened { type_: "task_claimed", path: None, payload };
        let mut event = seal(w, &mut row, &[], Stage::Changed, happened)?;
        event.warn(in_the_way(w.tx.rows(), &w.ws, &row)?);
        Ok(Outcome::Keep(ClaimOutput {
            task: row.id.to_string(),
            agent_id: agent.clone(),
            claim_token,
            lease_seconds: lease,
            expires_at,
            revision: row.revision,
            event,
            replayed: false,
        }))
    })?;
    if out.replayed && !holds(ports, &workspace, &out)? {
        out.event.warning = Some(format!(
            "This is the first answer under this idempotency_key; its claim has ended. Claim {} again under another key.",
            out.task
        ));
    }
    Ok(out)
}

/// Whether a claim that was given out still holds.
fn holds(ports: &Ports<'_>, workspace: &WorkspaceId, given: &ClaimOutput) -> Result<bool, MemoryError> {
    let now = ports.clock.now();
    port::read(ports.store, |rows| {
        let ws = writer::workspace(rows, workspace)?;
        let row = target::entity(rows, &ws, "task", &given.task)?;
        Ok(row.claim.is_some_and(|claim| claim.token == given.claim_token && claim.is_live(now)))
    })
}

mutation! {
    /// Gives a claimed task back.
    pub struct ReleaseRequest {
        /// The task.
        pub task: String,
        /// Who holds it.
        pub agent_id: String,
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReleaseOutput {
    pub task: String,
    /// True.
    pub released: bool,
    pub revision: i64,
    pub event: Event,
    /// Whether an earlier call with the same idempotency_key wrote this; nothing was written now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
}

pub fn release(ports: &Ports<'_>, request: &ReleaseRequest) -> Result<ReleaseOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    let agent = text::word("agent_id", &request.agent_id)?;
    write(ports, &workspace, &request.once("tasks_release"), |w| {
        let mut row = claimable(target::entity(w.tx.rows(), &w.ws, "task", &request.task)?)?;
        request.guard().check(&row, w)?;
        // Who claims or gives back is named and checked below.
        w.passed_by = None;
        match row.claim.as_ref().filter(|claim| claim.is_live(w.now)) {
            None => return Err(MemoryError::NotClaimed { task: row.id }),
            Some(claim) if claim.agent != agent => {
                let (by, until) = (claim.agent.clone(), timestamp(claim.expires()));
                return Err(MemoryError::ClaimHeld { task: row.id, by, until });
            }
            Some(_) => row.claim = None,
        }
        let mut payload = Object::new();
        payload.insert("agent_id".to_owned(), json!(agent));
        let happened = Happened { type_: "task_released", path: None, payload };
        let event = seal(w, &mut row, &[], Stage::Changed, happened)?;
        Ok(Outcome::Keep(ReleaseOutput {
            task: row.id.to_string(),
            released: true,
            revision: row.revision,
            event,
            replayed: false,
        }))
    })
}
