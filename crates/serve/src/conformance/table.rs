//! The fixture tools as a list shows them.

use std::sync::Arc;

use rmcp::model::Tool;
use serde_json::{Value, json};

pub(super) fn tools() -> Vec<Tool> {
    let plain = PLAIN.iter().map(|name| tool(name, json!({})));
    let more = [
        tool("test_sampling", json!({"prompt": {"type": "string"}})),
        tool("test_elicitation", json!({"message": {"type": "string"}})),
        tool("test_custom_header", json!({"value": {"type": "string", "x-mcp-header": "Value"}})),
        with_schema("json_schema_2020_12_tool", keywords()),
    ];
    plain.chain(more).collect()
}

/// Tools without arguments.
const PLAIN: [&str; 25] = [
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_error_handling",
    "test_tool_with_logging",
    "test_logging_tool",
    "test_tool_with_progress",
    "test_reconnection",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_trigger_tool_change",
    "test_trigger_prompt_change",
    "test_missing_capability",
    "test_streaming_elicitation",
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_tampered_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_capabilities",
    "test_input_required_result_validate_input",
];

fn tool(name: &'static str, properties: Value) -> Tool {
    let required: Vec<_> = properties.as_object().into_iter().flatten().map(|(name, _)| name).collect();
    with_schema(name, json!({"type": "object", "properties": properties, "required": required}))
}

fn with_schema(name: &'static str, schema: Value) -> Tool {
    let schema = schema.as_object().cloned().unwrap_or_default();
    Tool::new(name, format!("The conformance fixture {name}."), Arc::new(schema))
}

/// Keywords of JSON Schema 2020-12 that must come through a list unchanged.
fn keywords() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "address",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            },
        },
        "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
        "allOf": [{"anyOf": [{"required": ["name"]}, {"required": ["address"]}]}],
        "if": {"required": ["address"]},
        "then": {"properties": {"address": {"required": ["street"]}}},
        "else": {"required": ["name"]},
        "additionalProperties": false,
    })
}
