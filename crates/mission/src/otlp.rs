//! OTLP: steps of missions as OpenTelemetry spans, in the JSON that collectors take. Only the form; nothing is sent here.

use m1nd_stdx::digest::sha256_hex;
use serde_json::{Value, json};

use crate::event::Event;
use crate::flight::Line;

/// A step as a span: the mission is its trace, and the fields of the flight recorder are its attributes.
pub fn span(line: &Line<'_>, event: &Event) -> Value {
    let ends = u64::try_from(event.timestamp_ms).unwrap_or_default().saturating_mul(NS_PER_MS);
    let lasted = event.draft.duration_ms.unwrap_or_default().saturating_mul(NS_PER_MS);
    let failed = matches!(event.draft.outcome.as_str(), "failed" | "error" | "timeout" | "blocked");
    json!({
        "traceId": &sha256_hex(event.mission_id.as_str().as_bytes())[..32],
        "spanId": &sha256_hex(event.event_id.as_str().as_bytes())[..16],
        "name": format!("{} {}", event.draft.tool_family.name(), event.draft.event_type),
        "kind": INTERNAL,
        "startTimeUnixNano": ends.saturating_sub(lasted).to_string(),
        "endTimeUnixNano": ends.to_string(),
        "attributes": attributes(line),
        "status": { "code": if failed { 2 } else { 0 } },
    })
}

const NS_PER_MS: u64 = 1_000_000;

/// A span that is neither a server's nor a client's.
const INTERNAL: u8 = 1;

fn attributes(line: &Line<'_>) -> Vec<Value> {
    let Ok(Value::Object(fields)) = serde_json::to_value(line) else { return Vec::new() };
    let value = |value: &Value| match value {
        Value::String(text) => Some(json!({ "stringValue": text })),
        // 64-bit numbers are texts in this form.
        Value::Number(number) if number.is_u64() => Some(json!({ "intValue": number.to_string() })),
        Value::Number(number) => Some(json!({ "doubleValue": number })),
        _ => None,
    };
    let named = fields.iter().filter_map(|(key, field)| Some((key, value(field)?)));
    named.map(|(key, value)| json!({ "key": format!("m1nd.{key}"), "value": value })).collect()
}

/// What is posted to `/v1/traces`.
pub fn request(spans: &[Value], version: &str) -> Value {
    let text = |key: &str, value: &str| json!({ "key": key, "value": { "stringValue": value } });
    json!({ "resourceSpans": [{
        "resource": { "attributes": [text("service.name", "m1nd"), text("service.version", version)] },
        "scopeSpans": [{ "scope": { "name": "m1nd.mission" }, "spans": spans }],
    }] })
}
