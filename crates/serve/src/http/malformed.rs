//! Bodies that are no message get JSON-RPC's own errors, which the SDK would not give.

use axum::body::Body;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;
use http::{Method, StatusCode};

use super::{MAX_BODY, body};
use crate::jsonrpc::{Decoded, INVALID_REQUEST, Incoming, Rejection, decode, ids};

pub(super) async fn check(request: Request, next: Next) -> Response {
    let kind = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let json = kind.is_some_and(|kind| kind.trim_start().starts_with("application/json"));
    if request.method() != Method::POST || !json {
        return next.run(request).await;
    }
    let (parts, whole) = request.into_parts();
    // The guard has it in memory already.
    let Ok(bytes) = body::read(whole, MAX_BODY).await else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    if let Some(rejection) = refused(&bytes) {
        let kind = [(CONTENT_TYPE, "application/json")];
        return (StatusCode::BAD_REQUEST, kind, rejection.to_json()).into_response();
    }
    next.run(Request::from_parts(parts, Body::from(bytes))).await
}

fn refused(bytes: &[u8]) -> Option<Rejection> {
    match decode(bytes) {
        Decoded::Batch(_) => {
            let why = "Batches are not taken over HTTP: send one message at a time.";
            Some(Rejection::new(None, INVALID_REQUEST, why))
        }
        Decoded::One(Incoming::Rejected(rejection)) => Some(rejection),
        Decoded::One(Incoming::Request(id, _)) if ids::is_unusual(&id) => {
            let why = "Over HTTP the id of a request is a string or a 64-bit integer.";
            Some(Rejection::new(Some(ids::write(&id)), INVALID_REQUEST, why))
        }
        Decoded::One(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_message_is_refused_in_json_rpcs_words() {
        let code = |text: &str| refused(text.as_bytes()).map(|rejection| (rejection.id, rejection.code));
        assert_eq!(code(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#), None);
        assert_eq!(code(r#"{"jsonrpc":"2.0","method":"x"}"#), None);
        assert_eq!(code("{"), Some((None, -32700)));
        assert_eq!(code("7"), Some((None, -32600)));
        assert_eq!(code(r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#), Some((None, -32600)));
        let fraction = code(r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#);
        assert_eq!(fraction, Some((Some("1.5".into()), -32600)));
    }
}
