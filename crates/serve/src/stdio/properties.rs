//! Properties of the framing and the decoder, for streams that no sane host would send.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use rmcp::model::{ClientJsonRpcMessage, EmptyResult, ServerJsonRpcMessage, ServerResult};
use serde_json::Value;

use super::frame::{Frame, Framer};
use super::link::Link;
use super::outbox::Outbox;

/// Bytes of a message here; the real limit would make every case slow.
const LIMIT: usize = 600;

/// A part of a stream, and how many requests in it must be answered.
#[derive(Clone, Debug)]
enum Part {
    Request { method: String, id: Id, framing: Framing },
    Noise(Vec<u8>),
}

#[derive(Clone, Copy, Debug)]
enum Id {
    Number,
    Text,
    Fraction,
    Huge,
}

#[derive(Clone, Copy, Debug)]
enum Framing {
    Line,
    LineWithReturn,
    Header,
    HeaderWithType,
}

fn method() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("ping".to_owned()),
        Just("tools/list".to_owned()),
        Just("none/such".to_owned()),
        "[a-z/\u{e9}\u{1f600}\"\\\\]{0,12}",
    ]
}

fn request() -> impl Strategy<Value = Part> {
    let id = prop_oneof![Just(Id::Number), Just(Id::Text), Just(Id::Fraction), Just(Id::Huge)];
    let framing = prop_oneof![
        Just(Framing::Line),
        Just(Framing::LineWithReturn),
        Just(Framing::Header),
        Just(Framing::HeaderWithType),
    ];
    (method(), id, framing).prop_map(|(method, id, framing)| Part::Request { method, id, framing })
}

/// Things that are no request and end where the next one may begin.
fn noise() -> impl Strategy<Value = Part> {
    let line = |text: String| Part::Noise(format!("{text}\n").into_bytes());
    let object = r#"{"jsonrpc":"2.0","method":"notifications/x","params":{"a":[1,"}"]}}"#;
    prop_oneof![
        "[ -~]{0,30}".prop_map(line),
        vec(any::<u8>().prop_filter("one line", |byte| *byte != b'\n'), 0..40).prop_map(|mut bytes| {
            bytes.insert(0, b'#');
            bytes.push(b'\n');
            Part::Noise(bytes)
        }),
        Just(line(object.into())),
        Just(line(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#.into())),
        Just(line(r#"{"jsonrpc":"2.0","id":77777,"result":{}}"#.into())),
        (0usize..300).prop_map(move |depth| line("[".repeat(depth))),
        (LIMIT..LIMIT * 2).prop_map(move |length| line("x".repeat(length))),
        Just(line(String::new())),
        // Lengths that are wrong, for a body that is whole.
        (0usize..400).prop_map(move |length| line(format!("Content-Length: {length}\r\n\r\n{object}"))),
        "[a-z-][a-z0-9 -]{0,8}".prop_map(move |length| line(format!("Content-Length: {length}\r\n"))),
        Just(line("content-length:".into())),
        Just(line("Content-Length: 99999999999999\r\n\r\n{}".into())),
    ]
}

fn stream() -> impl Strategy<Value = Vec<Part>> {
    vec(prop_oneof![request(), noise()], 0..10)
}

/// The bytes, and the ids (as JSON text) that must be answered.
fn written(parts: &[Part]) -> (Vec<u8>, Vec<String>) {
    let mut bytes = Vec::new();
    let mut ids = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        match part {
            Part::Noise(noise) => bytes.extend_from_slice(noise),
            Part::Request { method, id, framing } => {
                let id = match id {
                    Id::Number => number.to_string(),
                    Id::Text => format!("\"{number}\""),
                    Id::Fraction => format!("{number}.5"),
                    Id::Huge => format!("7{number}0000000000000000000000"),
                };
                let method = Value::from(method.as_str());
                let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{method}}}"#);
                let text = match framing {
                    Framing::Line => format!("{body}\n"),
                    Framing::LineWithReturn => format!("{body}\r\n"),
                    Framing::Header => format!("Content-Length: {}\r\n\r\n{body}", body.len()),
                    Framing::HeaderWithType => {
                        format!("content-LENGTH:{}\nContent-Type: application/json\n\n{body}", body.len())
                    }
                };
                bytes.extend_from_slice(text.as_bytes());
                ids.push(id);
            }
        }
    }
    (bytes, ids)
}

fn frames(bytes: &[u8], cuts: &[usize]) -> Vec<Frame> {
    let mut framer = Framer::with_limit(LIMIT);
    let mut frames = Vec::new();
    let mut rest = bytes;
    for cut in cuts {
        let (chunk, after) = rest.split_at((*cut).min(rest.len()));
        framer.push(chunk, &mut |frame| frames.push(frame));
        rest = after;
    }
    framer.push(rest, &mut |frame| frames.push(frame));
    framer.finish(&mut |frame| frames.push(frame));
    frames
}

/// Runs a stream through framing, decoding and the ledger, with a server that answers everything.
/// Returns how often each id (as JSON text) was answered.
fn answers(bytes: &[u8], cuts: &[usize]) -> BTreeMap<String, usize> {
    let outbox = Outbox::kept();
    let link = Link::over(outbox.clone());
    for frame in frames(bytes, cuts) {
        link.take(frame, &mut |message| {
            if let ClientJsonRpcMessage::Request(request) = message {
                let done = ServerResult::EmptyResult(EmptyResult {});
                link.deliver(ServerJsonRpcMessage::response(done, request.id)).unwrap();
            }
        });
    }
    let mut seen = BTreeMap::new();
    for message in outbox.drain() {
        let text = String::from_utf8(message).unwrap();
        let body = match text.strip_prefix("Content-Length: ") {
            Some(rest) => {
                let (length, body) = rest.split_once("\r\n\r\n").unwrap();
                assert_eq!(length, body.len().to_string());
                body
            }
            None => text.strip_suffix('\n').unwrap(),
        };
        assert!(!body.contains('\n'), "one message is one line");
        let whole: Value = serde_json::from_str(body).unwrap();
        assert_eq!(whole["jsonrpc"], "2.0");
        let id = body.split("\"id\":").nth(1).unwrap();
        let id = id[..id.find([',', '}']).unwrap()].to_owned();
        *seen.entry(id).or_default() += 1;
    }
    seen
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_well_formed_request_gets_exactly_one_reply(parts in stream(), cuts in vec(1usize..60, 0..6)) {
        let (bytes, ids) = written(&parts);
        let answers = answers(&bytes, &cuts);
        for id in ids {
            prop_assert_eq!(answers.get(&id), Some(&1), "{} in {:?}", id, String::from_utf8_lossy(&bytes));
        }
    }

    #[test]
    fn any_chunking_gives_the_same_frames(parts in stream(), cuts in vec(0usize..30, 0..40)) {
        let (bytes, _) = written(&parts);
        prop_assert_eq!(frames(&bytes, &cuts), frames(&bytes, &[]));
    }

    #[test]
    fn no_bytes_break_the_decoder(
        words in vec(prop_oneof![
            Just("Content-Length:"), Just("content-length: "), Just("\r\n"), Just("\n"), Just("{"), Just("}"),
            Just("["), Just("]"), Just("\""), Just("\\"), Just("\"id\":"), Just("1"), Just("9999999999"),
            Just("\"jsonrpc\":\"2.0\""), Just("\"method\":\"ping\""), Just(","), Just(":"), Just("\u{e9}"),
            Just("\u{feff}"), Just("null"), Just(" "), Just("-"), Just("\"result\":"), Just("\u{1}"),
        ], 0..40),
        cuts in vec(0usize..30, 0..10),
        flips in vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
    ) {
        let mut bytes = words.concat().into_bytes();
        for (at, byte) in flips {
            if !bytes.is_empty() {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
        }
        // Replies are checked for being protocol; which there are is not.
        let whole = answers(&bytes, &[]);
        prop_assert_eq!(answers(&bytes, &cuts), whole);
    }
}
