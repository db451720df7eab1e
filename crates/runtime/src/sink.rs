//! Sink: where the steps of missions are told besides the flight recorder's file. There is none unless the user names one.

use serde_json::Value;

/// Takes spans. It never blocks and never fails a call: what it cannot take is dropped.
pub trait FlightSink: Send + Sync {
    fn step(&self, span: Value);
}
