//! The id of a request that was too long to keep, read from its first and last bytes.

use serde::Deserializer;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Clients write the id first or last, never in the middle.
const HEAD: usize = 4 << 10;
const TAIL: usize = 512;

/// Both ends of a long text.
#[derive(Debug, Default)]
pub(super) struct Ends {
    head: Vec<u8>,
    tail: Vec<u8>,
}

impl Ends {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        let room = HEAD - self.head.len();
        self.head.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.tail.extend_from_slice(&bytes[bytes.len().saturating_sub(TAIL)..]);
        let over = self.tail.len().saturating_sub(TAIL);
        self.tail.drain(..over);
    }

    /// The id as JSON text. A client that waits for an answer waits for this id.
    pub(super) fn id(&self) -> Option<String> {
        let head = self.head.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        first(head).or_else(|| last(&String::from_utf8_lossy(&self.tail)))
    }
}

/// Reads members until the text breaks off.
fn first(text: &str) -> Option<String> {
    struct Members<'a>(&'a mut Option<String>);
    impl<'de> Visitor<'de> for Members<'_> {
        type Value = ();
        fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            out.write_str("a message")
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
            while let Some(key) = map.next_key::<String>()? {
                if key == "id" {
                    *self.0 = Some(map.next_value::<&RawValue>()?.get().to_owned());
                } else {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            Ok(())
        }
    }
    let mut id = None;
    let mut reader = serde_json::Deserializer::from_str(text);
    // The text breaks off by design, so an error says nothing; the id was seen or it was not.
    if let Err(broken_off) = reader.deserialize_map(Members(&mut id)) {
        tracing::trace!(%broken_off, "read the beginning of a long message");
    }
    id.filter(|id| plain(id))
}

/// The id as the last member, or as the last but the version.
fn last(text: &str) -> Option<String> {
    let text = text.trim_end().strip_suffix('}')?;
    let (_, rest) = text.rsplit_once("\"id\"")?;
    let rest = rest.trim_start().strip_prefix(':')?;
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<&RawValue>();
    let id = values.next()?.ok()?.get().to_owned();
    let after: String = rest[values.byte_offset()..].chars().filter(|c| !c.is_whitespace()).collect();
    let alone = after.is_empty() || after == r#","jsonrpc":"2.0""#;
    Some(id).filter(|id| alone && plain(id))
}

fn plain(id: &str) -> bool {
    id.starts_with(|c: char| c == '"' || c == '-' || c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> Option<String> {
        let mut ends = Ends::default();
        for chunk in text.as_bytes().chunks(100) {
            ends.add(chunk);
        }
        ends.id()
    }

    #[test]
    fn the_id_is_found_at_either_end() {
        let long = "x".repeat(10_000);
        let first = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"m","params":{{"a":"{long}"}}}}"#);
        assert_eq!(id(&first).as_deref(), Some("7"));
        let last = format!(r#"{{"method":"m","params":{{"a":"{long}"}},"jsonrpc":"2.0","id":"q"}}"#);
        assert_eq!(id(&last).as_deref(), Some("\"q\""));
    }

    #[test]
    fn an_id_inside_the_parameters_is_not_the_requests() {
        let long = "x".repeat(10_000);
        let text = format!(r#"{{"method":"m","params":{{"a":"{long}","id":5}}}}"#);
        assert_eq!(id(&text), None);
    }
}
