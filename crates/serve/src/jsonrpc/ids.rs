//! Request ids: every id that JSON-RPC allows, carried through an SDK that knows fewer.

use std::sync::Arc;

use rmcp::model::RequestId;

/// Marks an id that the SDK sees as text but that is other JSON on the wire.
const MARK: char = '\u{1}';

/// The SDK's form of an id, given as JSON text. `None` for what cannot be the id of a request:
/// MCP forbids `null`, and JSON-RPC the rest.
pub(crate) fn read(json: &str) -> Option<RequestId> {
    let json = json.trim();
    let marked = || RequestId::String(Arc::from(format!("{MARK}{json}")));
    match json.bytes().next()? {
        b'"' => match serde_json::from_str::<String>(json) {
            Ok(text) if !text.starts_with(MARK) => Some(RequestId::String(text.into())),
            _ => Some(marked()),
        },
        b'-' | b'0'..=b'9' => match json.parse::<i64>() {
            Ok(number) if number.to_string() == json => Some(RequestId::Number(number)),
            // Fractions and numbers beyond 64 bits are echoed digit by digit.
            _ => Some(marked()),
        },
        _ => None,
    }
}

/// Whether the SDK would not have understood the id by itself.
pub(crate) fn is_unusual(id: &RequestId) -> bool {
    matches!(id, RequestId::String(text) if text.starts_with(MARK))
}

/// The id as JSON text, exactly as the client wrote it.
pub(crate) fn write(id: &RequestId) -> String {
    match id {
        RequestId::Number(number) => number.to_string(),
        RequestId::String(text) => match text.strip_prefix(MARK) {
            Some(json) => json.to_owned(),
            None => serde_json::Value::from(&**text).to_string(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_comes_back_as_it_was_sent() {
        for json in [
            "0",
            "-7",
            "1.5",
            "1.0",
            "1e3",
            "9223372036854775807",
            "123456789012345678901234567890",
            r#""""#,
            r#""a""#,
            r#""\u0001x""#,
            r#""\ud800""#,
            r#""7""#,
        ] {
            let id = read(json).unwrap();
            assert_eq!(write(&id), json);
        }
        assert_ne!(read("7"), read(r#""7""#));
    }

    #[test]
    fn null_and_containers_are_no_ids() {
        for json in ["null", "true", "[1]", "{}", ""] {
            assert_eq!(read(json), None, "{json}");
        }
    }
}
