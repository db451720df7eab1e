//! Decoding: one frame's bytes to what JSON-RPC says they are.

use rmcp::model::{ClientJsonRpcMessage, ClientNotification, ClientRequest, RequestId};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::ids;

pub(crate) const PARSE_ERROR: i32 = -32700;
pub(crate) const INVALID_REQUEST: i32 = -32600;
const INVALID_PARAMS: i32 = -32602;

/// What one frame holds.
#[derive(Debug)]
pub(crate) enum Decoded {
    One(Incoming),
    Batch(Vec<Incoming>),
}

/// What one message is.
#[derive(Debug)]
pub(crate) enum Incoming {
    Request(RequestId, Box<ClientRequest>),
    Notification(Box<ClientNotification>),
    /// An answer to a question of ours.
    Answer(Box<ClientJsonRpcMessage>),
    Rejected(Rejection),
    /// An answer that nobody can use: answering an answer would be noise.
    Ignored,
}

/// Why a message gets an error at once. `id` is JSON text, `None` stands for `null`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rejection {
    pub(crate) id: Option<String>,
    pub(crate) code: i32,
    pub(crate) message: String,
}

impl Rejection {
    pub(crate) fn new(id: Option<String>, code: i32, message: impl Into<String>) -> Self {
        Self { id, code, message: message.into() }
    }

    /// The error as it is sent.
    pub(crate) fn to_json(&self) -> Vec<u8> {
        let id = self.id.as_deref().unwrap_or("null");
        let error = json!({"code": self.code, "message": self.message});
        format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#).into_bytes()
    }
}

pub(crate) fn decode(bytes: &[u8]) -> Decoded {
    let reject = |code, message: &str| Decoded::One(Incoming::Rejected(Rejection::new(None, code, message)));
    let Ok(text) = std::str::from_utf8(bytes) else {
        return reject(PARSE_ERROR, "The message is not UTF-8.");
    };
    let text = text.trim_matches([' ', '\t', '\r', '\n']);
    match text.bytes().next() {
        Some(b'{') => Decoded::One(one(text)),
        Some(b'[') => match serde_json::from_str::<Vec<&RawValue>>(text) {
            Ok(parts) if parts.is_empty() => reject(INVALID_REQUEST, "A batch has at least one message."),
            Ok(parts) => Decoded::Batch(parts.into_iter().map(|part| one(part.get())).collect()),
            Err(err) => reject(PARSE_ERROR, &format!("The message is not JSON: {err}.")),
        },
        _ if is_json(text) => reject(INVALID_REQUEST, "A message is a JSON object."),
        _ => reject(PARSE_ERROR, "The message is not JSON."),
    }
}

/// The members that JSON-RPC knows. Values stay text: nothing here can be too deep.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

/// Tells `null` from a member that is not there.
fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(from).map(Some)
}

fn one(text: &str) -> Incoming {
    if !text.starts_with('{') {
        return rejected(None, INVALID_REQUEST, "A message is a JSON object.");
    }
    let envelope: Envelope<'_> = match serde_json::from_str(text) {
        Ok(envelope) => envelope,
        Err(_) if is_json(text) => {
            return rejected(None, INVALID_REQUEST, "A message is a JSON object with each member once.");
        }
        Err(err) => return rejected(None, PARSE_ERROR, format!("The message is not JSON: {err}.")),
    };
    let id = envelope.id.map(RawValue::get);
    let known = id.and_then(ids::read);
    let echo = known.as_ref().map(ids::write);
    if envelope.jsonrpc.map(RawValue::get) != Some(r#""2.0""#) {
        return rejected(echo, INVALID_REQUEST, "A message has \"jsonrpc\": \"2.0\".");
    }
    let Some(method) = envelope.method else {
        return match (envelope.result.or(envelope.error), known) {
            (Some(_), Some(_)) => answer(text),
            _ => rejected(echo, INVALID_REQUEST, "A request has a method."),
        };
    };
    let Ok(method) = serde_json::from_str::<String>(method.get()) else {
        return rejected(echo, INVALID_REQUEST, "The method is not a string.");
    };
    match (id, known) {
        (None, _) => notification(method, envelope.params),
        (Some(_), None) => rejected(None, INVALID_REQUEST, "The id of a request is a string or a number."),
        (Some(_), Some(id)) => request(id, method, envelope.params),
    }
}

fn request(id: RequestId, method: String, params: Option<&RawValue>) -> Incoming {
    let echo = || Some(ids::write(&id));
    let message = match message(method, params) {
        Ok(message) => message,
        Err((code, why)) => return rejected(echo(), code, why),
    };
    match serde_json::from_value::<ClientRequest>(message) {
        Ok(request) => Incoming::Request(id, Box::new(request)),
        Err(err) => rejected(echo(), INVALID_PARAMS, format!("The parameters do not fit: {err}.")),
    }
}

/// Notifications are never answered, so whatever is wrong with one is only logged.
fn notification(method: String, params: Option<&RawValue>) -> Incoming {
    let read = message(method, params)
        .map_err(|(_, why)| why)
        .and_then(|message| serde_json::from_value(message).map_err(|err| err.to_string()));
    match read {
        Ok(notification) => Incoming::Notification(Box::new(notification)),
        Err(why) => {
            tracing::debug!(why, "a notification was ignored");
            Incoming::Ignored
        }
    }
}

fn answer(text: &str) -> Incoming {
    match serde_json::from_str::<ClientJsonRpcMessage>(text) {
        Ok(message @ (ClientJsonRpcMessage::Response(_) | ClientJsonRpcMessage::Error(_))) => {
            Incoming::Answer(Box::new(message))
        }
        Ok(_) => Incoming::Ignored,
        Err(err) => {
            tracing::debug!(%err, "an answer was ignored");
            Incoming::Ignored
        }
    }
}

/// Method and parameters as the SDK reads them, the method first: it decides the rest.
fn message(method: String, params: Option<&RawValue>) -> Result<Value, (i32, String)> {
    let mut message = Map::from_iter([("method".to_owned(), Value::String(method))]);
    let Some(params) = params else {
        return Ok(message.into());
    };
    match serde_json::from_str(params.get()) {
        Ok(Value::Null) => {}
        Ok(params @ Value::Object(_)) => {
            message.insert("params".into(), params);
        }
        Ok(_) => return Err((INVALID_PARAMS, "The parameters are not an object.".into())),
        Err(err) => return Err((PARSE_ERROR, format!("The parameters cannot be read: {err}."))),
    }
    Ok(message.into())
}

fn rejected(id: Option<String>, code: i32, message: impl Into<String>) -> Incoming {
    Incoming::Rejected(Rejection::new(id, code, message))
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &[u8]) -> String {
        match decode(text) {
            Decoded::One(incoming) => show(&incoming),
            Decoded::Batch(parts) => parts.iter().map(show).collect::<Vec<_>>().join(", "),
        }
    }

    fn show(incoming: &Incoming) -> String {
        match incoming {
            Incoming::Request(id, _) => format!("request {}", ids::write(id)),
            Incoming::Notification(_) => "notification".into(),
            Incoming::Answer(_) => "answer".into(),
            Incoming::Ignored => "ignored".into(),
            Incoming::Rejected(why) => format!("{} {}", why.code, why.id.as_deref().unwrap_or("null")),
        }
    }

    #[test]
    fn messages_are_told_apart_as_json_rpc_says() {
        let deep = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{}1{}}}"#,
            "[".repeat(1_000_000),
            "]".repeat(1_000_000)
        );
        for (text, expected) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "request 1"),
            (r#"{"jsonrpc":"2.0","id":"a","method":"none/such","params":{}}"#, "request \"a\""),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, "request 1.5"),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, "-32600 null"),
            (r#"{"jsonrpc":"2.0","id":[],"method":"ping"}"#, "-32600 null"),
            (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, "-32600 1"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#, "-32602 1"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":null}"#, "request 1"),
            (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, "-32600 1"),
            (r#"{"id":1,"method":"ping"}"#, "-32600 1"),
            (r#"{"jsonrpc":"2.0","id":1}"#, "-32600 1"),
            (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, "-32600 null"),
            (r#"{"jsonrpc":"2.0","method":"none/such"}"#, "notification"),
            (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "answer"),
            (r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}"#, "answer"),
            (r#"{"jsonrpc":"2.0","id":1,"error":3}"#, "ignored"),
            (r#"[]"#, "-32600 null"),
            (r#"[1,{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, "-32600 null, request 1"),
            (r#"[["2.0",1,"ping"]]"#, "-32600 null"),
            (r#"7"#, "-32600 null"),
            (r#"{"jsonrpc""#, "-32700 null"),
            (r#"hello"#, "-32700 null"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"} x"#, "-32700 null"),
            (&deep, "-32700 1"),
        ] {
            assert_eq!(shown(text.as_bytes()), expected, "{}", &text[..text.len().min(80)]);
        }
        assert_eq!(shown(b"{\"jsonrpc\":\"\xff\"}"), "-32700 null");
    }
}
