//! Guard: what every request on every route must pass before anything looks at it.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::{AUTHORIZATION, CONTENT_LENGTH, EXPECT, HOST, ORIGIN, WWW_AUTHENTICATE};
use http::uri::Authority;
use http::{HeaderMap, Method, StatusCode, Uri};

use super::body::{self, NoBody};
use super::token::Token;
use super::{HttpOptions, MAX_BODY};

/// The rules of one server.
#[derive(Debug)]
pub(super) struct Guard {
    token: Token,
    bound: SocketAddr,
    hosts: Vec<String>,
    origins: Vec<String>,
}

/// Why a request goes no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refused {
    Host,
    Origin,
    Token,
    TooLarge,
    TooSlow,
    Unreadable,
}

impl Guard {
    pub(super) fn new(options: &HttpOptions, bound: SocketAddr) -> Self {
        let lower = |texts: &[String]| texts.iter().map(|text| text.to_ascii_lowercase()).collect();
        Self {
            token: Token::new(&options.token),
            bound,
            hosts: lower(&options.hosts),
            origins: lower(&options.origins),
        }
    }

    /// Host and Origin first: a page that must not talk to us learns nothing about tokens.
    fn admit(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refused> {
        if !self.knows_host(uri, headers) {
            return Err(Refused::Host);
        }
        if !self.knows_origin(headers) {
            return Err(Refused::Origin);
        }
        let mut given = headers.get_all(AUTHORIZATION).iter();
        match (given.next(), given.next()) {
            (Some(value), None) if self.token.admits(value.as_bytes()) => {}
            _ => return Err(Refused::Token),
        }
        let length = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok());
        let length = length.and_then(|text| text.parse::<u64>().ok());
        if length.is_some_and(|length| length > MAX_BODY as u64) {
            return Err(Refused::TooLarge);
        }
        Ok(())
    }

    /// A name that somebody's DNS can point at us is refused; a literal address cannot be pointed.
    fn knows_host(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        let mut given = headers.get_all(HOST).iter();
        let authority = match (given.next(), given.next()) {
            (Some(value), None) => value.to_str().ok().and_then(|text| text.parse::<Authority>().ok()),
            (None, _) => uri.authority().cloned(),
            _ => None,
        };
        authority.is_some_and(|authority| {
            !authority.as_str().contains('@') && self.is_ours(authority.host(), authority.as_str())
        })
    }

    fn is_ours(&self, host: &str, with_port: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let with_port = with_port.to_ascii_lowercase();
        let literal = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        let address = match literal {
            Ok(ip) if self.bound.ip().is_unspecified() => Some(ip),
            Ok(ip) => Some(ip).filter(|ip| *ip == self.bound.ip() || ip.is_loopback()),
            Err(_) => None,
        };
        address.is_some()
            || host == "localhost"
            || self.hosts.iter().any(|ours| *ours == host || *ours == with_port)
    }

    /// Only browsers send an Origin, and only pages of this very server may use it.
    fn knows_origin(&self, headers: &HeaderMap) -> bool {
        headers.get_all(ORIGIN).iter().all(|value| {
            let Ok(origin) = value.to_str() else { return false };
            let origin = origin.to_ascii_lowercase();
            if self.origins.contains(&origin) {
                return true;
            }
            let Some(authority) = origin.strip_prefix("http://") else {
                return false;
            };
            authority.parse::<Authority>().is_ok_and(|authority| {
                authority.as_str() == origin["http://".len()..].trim_end_matches('/')
                    && authority.port_u16().unwrap_or(80) == self.bound.port()
                    && self.is_ours(authority.host(), authority.as_str())
            })
        })
    }
}

pub(super) async fn check(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let admitted = guard.admit(request.uri(), request.headers());
    let (parts, body) = request.into_parts();
    if let Err(refused) = admitted {
        // Whoever asks before sending gets the answer instead of a go-ahead.
        if !parts.headers.contains_key(EXPECT) {
            body::discard(body).await;
        }
        return refused.into_response();
    }
    let ends_a_session = parts.method == Method::DELETE;
    // Read here, so that nothing below can be held up by a slow client.
    let body = match body::read(body, MAX_BODY).await {
        Ok(bytes) => Body::from(bytes),
        Err(NoBody::TooLarge) => return Refused::TooLarge.into_response(),
        Err(NoBody::TooSlow) => return Refused::TooSlow.into_response(),
        Err(NoBody::Broken) => return Refused::Unreadable.into_response(),
    };
    let mut response = next.run(Request::from_parts(parts, body)).await;
    if ends_a_session && response.status() == StatusCode::ACCEPTED {
        // The SDK says 202; some clients take only 200 or 204 for success.
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        tracing::debug!(refused = ?self, "a request was refused");
        let (status, text) = match self {
            Refused::Host => (StatusCode::FORBIDDEN, "This Host is not served here.\n"),
            Refused::Origin => (StatusCode::FORBIDDEN, "Pages of this Origin may not use this server.\n"),
            Refused::Token => (StatusCode::UNAUTHORIZED, "A bearer token is needed.\n"),
            Refused::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "The body is too large.\n"),
            Refused::TooSlow => (StatusCode::REQUEST_TIMEOUT, "The body did not come in time.\n"),
            Refused::Unreadable => (StatusCode::BAD_REQUEST, "The body cannot be read.\n"),
        };
        let mut response = (status, text).into_response();
        if self == Refused::Token {
            let challenge = http::HeaderValue::from_static("Bearer realm=\"m1nd\"");
            response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdef";

    fn admit(headers: &[(http::HeaderName, &str)]) -> Result<(), Refused> {
        let bound: SocketAddr = "127.0.0.1:4100".parse().unwrap();
        let mut options = HttpOptions::new(bound, TOKEN);
        options.hosts = vec!["dev.example".into()];
        options.origins = vec!["https://app.example:8443".into()];
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(name.clone(), value.parse().unwrap());
        }
        Guard::new(&options, bound).admit(&Uri::from_static("/mcp"), &map)
    }

    fn bearer(token: &str) -> String {
        format!("Bearer {token}")
    }

    #[test]
    fn names_that_dns_can_point_here_are_refused() {
        let token = bearer(TOKEN);
        for (host, expected) in [
            ("127.0.0.1:4100", Ok(())),
            ("localhost:4100", Ok(())),
            ("LOCALHOST", Ok(())),
            ("[::1]:4100", Ok(())),
            ("dev.example:4100", Ok(())),
            ("evil.example", Err(Refused::Host)),
            ("evil.example:4100", Err(Refused::Host)),
            ("localhost.evil.example:4100", Err(Refused::Host)),
            ("127.0.0.1.evil.example", Err(Refused::Host)),
            ("evil@localhost", Err(Refused::Host)),
            ("10.0.0.1:4100", Err(Refused::Host)),
            ("", Err(Refused::Host)),
        ] {
            assert_eq!(admit(&[(HOST, host), (AUTHORIZATION, &token)]), expected, "{host}");
        }
        assert_eq!(admit(&[(AUTHORIZATION, &token)]), Err(Refused::Host));
        let twice = [(HOST, "localhost"), (HOST, "evil.example"), (AUTHORIZATION, &token)];
        assert_eq!(admit(&twice), Err(Refused::Host));
    }

    #[test]
    fn only_pages_of_this_server_may_use_it() {
        let token = bearer(TOKEN);
        for (origin, expected) in [
            ("http://localhost:4100", Ok(())),
            ("http://127.0.0.1:4100", Ok(())),
            ("http://[::1]:4100", Ok(())),
            ("https://app.example:8443", Ok(())),
            ("http://localhost:3000", Err(Refused::Origin)),
            ("http://localhost", Err(Refused::Origin)),
            ("https://localhost:4100", Err(Refused::Origin)),
            ("http://evil.example:4100", Err(Refused::Origin)),
            ("http://localhost:4100@evil.example", Err(Refused::Origin)),
            ("null", Err(Refused::Origin)),
            ("", Err(Refused::Origin)),
        ] {
            let headers = [(HOST, "localhost:4100"), (ORIGIN, origin), (AUTHORIZATION, &token)];
            assert_eq!(admit(&headers), expected, "{origin}");
        }
    }

    #[test]
    fn one_right_token_is_needed() {
        let (right, wrong) = (bearer(TOKEN), bearer("0123456789abcdee"));
        let host = (HOST, "localhost");
        assert_eq!(admit(std::slice::from_ref(&host)), Err(Refused::Token));
        assert_eq!(admit(&[host.clone(), (AUTHORIZATION, &wrong)]), Err(Refused::Token));
        let twice = [host.clone(), (AUTHORIZATION, &right), (AUTHORIZATION, &wrong)];
        assert_eq!(admit(&twice), Err(Refused::Token));
        let large = [host, (AUTHORIZATION, &right), (CONTENT_LENGTH, "99999999999")];
        assert_eq!(admit(&large), Err(Refused::TooLarge));
    }
}
