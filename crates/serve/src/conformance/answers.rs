//! Fixture tools that answer at once, each with another kind of content.

use rmcp::ErrorData;
use rmcp::model::{CallToolRequestParams, CallToolResponse};
use serde_json::{Value, json};

use super::{result, text};

/// A red pixel.
pub(super) const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// A wave file without a sample.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

pub(super) fn of(request: &CallToolRequestParams) -> Option<Result<CallToolResponse, ErrorData>> {
    let argument = |name: &str| request.arguments.as_ref()?.get(name)?.as_str().map(str::to_owned);
    Some(match request.name.as_ref() {
        "test_simple_text" => text("This is a simple text response for testing."),
        "test_image_content" => result(json!({"content": [image()]})),
        "test_audio_content" => {
            result(json!({"content": [{"type": "audio", "data": WAV, "mimeType": "audio/wav"}]}))
        }
        "test_embedded_resource" => result(json!({"content": [resource(
            "test://embedded-resource",
            "text/plain",
            "This is an embedded resource content.",
        )]})),
        "test_multiple_content_types" => result(json!({"content": [
            {"type": "text", "text": "Multiple content types test:"},
            image(),
            resource("test://mixed-content-resource", "application/json", r#"{"test":"data","value":123}"#),
        ]})),
        "test_error_handling" => result(json!({
            "content": [{"type": "text", "text": "This tool intentionally returns an error for testing"}],
            "isError": true,
        })),
        "test_custom_header" => match argument("value") {
            Some(value) => text(value),
            None => Err(ErrorData::invalid_params("value is not a string", None)),
        },
        "json_schema_2020_12_tool" => text(format!("Hello, {}!", argument("name").unwrap_or_default())),
        _ => return None,
    })
}

pub(super) fn image() -> Value {
    json!({"type": "image", "data": PNG, "mimeType": "image/png"})
}

pub(super) fn resource(uri: &str, mime: &str, text: &str) -> Value {
    json!({"type": "resource", "resource": {"uri": uri, "mimeType": mime, "text": text}})
}
