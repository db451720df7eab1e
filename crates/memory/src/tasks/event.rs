//! A task event as tools show it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::budget::{Item, json_size};
use crate::port::{EventRow, Object};
use crate::text::timestamp;

/// One mutation of a plan, task or step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// `evt_` and 16 digits; later events have larger ones.
    pub event_id: String,
    /// When it happened.
    pub ts: String,
    /// The plan or task.
    pub entity: String,
    /// The step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What happened.
    #[serde(rename = "type")]
    pub type_: String,
    /// The details.
    pub payload: Object,
    /// What the caller should know about the change it made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// Whether the budget left out the details.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

impl Event {
    pub(super) fn of(row: EventRow) -> Self {
        Self {
            event_id: row.no.to_string(),
            ts: timestamp(row.ts),
            entity: row.entity.to_string(),
            path: row.path,
            type_: row.type_,
            payload: row.payload,
            warning: None,
            truncated: false,
        }
    }
}

impl Event {
    /// Adds what the caller should know, unless there is something that matters more.
    pub(super) fn warn(&mut self, warning: Option<String>) {
        self.warning = self.warning.take().or(warning);
    }
}

impl Item for Event {
    fn shorten(&mut self, bytes: usize) {
        if json_size(self) > bytes {
            self.payload = Object::new();
            self.truncated = true;
        }
    }
}
