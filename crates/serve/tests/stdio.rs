//! A host talks to a server over pipes: handshakes, framings, bad input, and endings.

#![allow(clippy::unwrap_used)]

mod support;

use std::io::Write as _;
use std::time::{Duration, Instant};

use m1nd_serve::Ended;
use serde_json::json;
use support::{Host, call, request};

const REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

#[test]
fn every_revision_with_a_handshake_is_spoken() {
    for version in REVISIONS {
        let mut host = Host::speaking(version);
        let tools = host.ask(1, "tools/list", json!({}));
        assert_eq!(tools["result"]["tools"][0]["name"], "echo", "{version}");
        assert_eq!(host.close().1, Ended::HostLeft);
    }
}

#[test]
fn the_newest_revision_needs_no_handshake() {
    let mut host = Host::fresh();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
    });
    let discovered = host.ask(1, "server/discover", json!({"_meta": meta}));
    assert_eq!(discovered["result"]["instructions"], "Call echo.");
    let versions = discovered["result"]["supportedVersions"].as_array().unwrap();
    assert_eq!(versions.len(), REVISIONS.len() + 1);
    let mut arguments = call("echo", json!({"text": "hi"}));
    arguments["_meta"] = meta.clone();
    let said = host.ask(2, "tools/call", arguments);
    assert_eq!(said["result"]["structuredContent"]["said"], "hi");
    assert_eq!(said["result"]["resultType"], "complete");
    host.send(3, "subscriptions/listen", json!({"_meta": meta, "notifications": {"toolsListChanged": true}}));
    assert_eq!(host.next()["method"], "notifications/subscriptions/acknowledged");
    let mut arguments = call("grow", json!({}));
    arguments["_meta"] = meta;
    host.send(4, "tools/call", arguments);
    let (one, two) = (host.next(), host.next());
    let changed = if one.get("method").is_some() { one } else { two };
    assert_eq!(changed["method"], "notifications/tools/list_changed");
    let (rest, ended, took) = host.close();
    assert_eq!(ended, Ended::HostLeft);
    assert!(rest.contains(r#""id":3"#), "the subscription ends with its result: {rest}");
    assert!(took < Duration::from_secs(2), "{took:?}");
}

#[test]
fn answers_carry_text_and_the_same_object() {
    let mut host = Host::speaking("2025-11-25");
    let reply = host.call(1, "echo", json!({"text": "héllo"}));
    let result = &reply["result"];
    assert_eq!(result["isError"], false);
    let text = result["content"][0]["text"].as_str().unwrap();
    let object: serde_json::Value = serde_json::from_str(text).unwrap();
    assert_eq!(object, result["structuredContent"]);
    assert_eq!(object["said"], "héllo");
    for (tool, code) in [("echoo", "unknown_tool"), ("crash", "internal"), ("wait", "invalid_params")] {
        let result = &host.call(2, tool, json!({}))["result"];
        assert_eq!(result["isError"], true, "{tool}");
        assert_eq!(result["structuredContent"]["error"]["code"], code, "{tool}");
    }
    let hints = &host.ask(3, "tools/list", json!({}))["result"]["tools"];
    assert_eq!(
        hints[0]["annotations"],
        json!({"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false})
    );
}

#[test]
fn resources_prompts_and_completions_come_from_the_surface() {
    let mut host = Host::speaking("2025-11-25");
    let read = host.ask(1, "resources/read", json!({"uri": "fixture://echo/xyz"}));
    assert!(read["result"]["contents"][0]["text"].as_str().unwrap().contains("xyz"));
    let missing = host.ask(2, "resources/read", json!({"uri": "fixture://none"}));
    assert_eq!(missing["error"]["code"], -32002);
    let templates = host.ask(3, "resources/templates/list", json!({}));
    assert_eq!(templates["result"]["resourceTemplates"][0]["uriTemplate"], "fixture://echo/{tool}");
    let prompt = host.ask(4, "prompts/get", json!({"name": "ask", "arguments": {"what": "it"}}));
    assert_eq!(prompt["result"]["messages"][0]["content"]["text"], "Tell me about it.");
    let prompt = host.ask(5, "prompts/get", json!({"name": "ask"}));
    assert_eq!(prompt["error"]["code"], -32602);
    let complete = host.ask(
        6,
        "completion/complete",
        json!({"ref": {"type": "ref/resource", "uri": "fixture://echo/{tool}"}, "argument": {"name": "tool", "value": "e"}}),
    );
    assert_eq!(complete["result"]["completion"]["values"], json!(["echo", "extra"]));
    assert_eq!(host.ask(7, "logging/setLevel", json!({"level": "debug"}))["result"], json!({}));
    assert_eq!(host.ask(8, "none/such", json!({}))["error"]["code"], -32601);
    assert_eq!(host.ask(9, "tools/call", json!({"nonsense": 1}))["error"]["code"], -32602);
}

#[test]
fn frames_with_a_length_are_answered_in_kind() {
    let mut host = Host::fresh();
    let mut frame = |body: String| host.write(format!("Content-Length: {}\r\n\r\n{body}", body.len()));
    frame(
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}})
        .to_string(),
    );
    frame(request(2, "ping"));
    assert_eq!(host.next_frame()["id"], 1);
    assert_eq!(host.next_frame(), json!({"jsonrpc": "2.0", "id": 2, "result": {}}));
    host.write("garbage\r\n\r\n");
    assert_eq!(host.next_frame()["error"]["code"], -32700, "junk does not change how answers are framed");
    host.write(format!("Content-Length: 9999\r\n\r\n{}", request(3, "ping")));
    assert_eq!(host.next_frame()["error"]["code"], -32700);
    host.line(&json!({"jsonrpc": "2.0", "id": 4, "method": "ping"}));
    assert_eq!(host.next(), json!({"jsonrpc": "2.0", "id": 4, "result": {}}));
}

#[test]
fn junk_is_answered_and_the_next_request_works() {
    let mut host = Host::speaking("2025-11-25");
    for (junk, id, code) in [
        ("Content-Type: nothing\n".to_owned(), json!(null), -32700),
        ("{\n".to_owned(), json!(null), -32700),
        ("\u{0}\u{1}\n".to_owned(), json!(null), -32700),
        ("7\n".to_owned(), json!(null), -32600),
        ("[]\n".to_owned(), json!(null), -32600),
        (format!("[{}]\n", request(1, "ping")), json!(null), -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}\n".to_owned(), json!(null), -32600),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":3}\n".to_owned(),
            json!(5),
            -32602,
        ),
        (format!("{}{}\n", "[".repeat(200_000), "]".repeat(200_000)), json!(null), -32600),
    ] {
        host.write(&junk);
        let reply = host.next();
        assert_eq!((&reply["id"], &reply["error"]["code"]), (&id, &json!(code)), "{reply}");
        assert_eq!(host.ask(1, "ping", json!({}))["result"], json!({}));
    }
    host.tell("notifications/none/such", json!({"a": 1}));
    host.write(b"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}\n");
    assert_eq!(host.next()["error"]["code"], -32700);
    for id in ["1.5", "123456789012345678901234567890", "\"x\"", "-0"] {
        host.write(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n"));
        let mut line = String::new();
        std::io::BufRead::read_line(&mut host.from, &mut line).unwrap();
        assert!(line.contains(&format!("\"id\":{id},")), "{line}");
    }
}

#[test]
fn a_line_over_64_mb_is_refused_and_the_next_request_works() {
    let mut host = Host::speaking("2025-11-25");
    host.write("{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"ping\",\"params\":{\"a\":\"");
    let block = vec![b'x'; 1 << 20];
    for _ in 0..66 {
        host.write(&block);
    }
    host.write("\"}}\n");
    let reply = host.next();
    assert_eq!((&reply["id"], &reply["error"]["code"]), (&json!(8), &json!(-32600)));
    assert_eq!(host.ask(9, "ping", json!({}))["result"], json!({}));
}

#[test]
fn batches_are_answered_in_the_revision_that_has_them() {
    let mut host = Host::speaking("2025-03-26");
    host.write(format!(
        "[{},{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}},7,{}]\n",
        request("a", "ping"),
        request("b", "none/such")
    ));
    let replies = host.next();
    let mut ids: Vec<_> = replies.as_array().unwrap().iter().map(|reply| reply["id"].to_string()).collect();
    ids.sort();
    assert_eq!(ids, ["\"a\"", "\"b\"", "null"]);
    host.write("[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}]\n");
    assert_eq!(host.ask(1, "ping", json!({}))["result"], json!({}), "no answer to notifications");
}

#[test]
fn what_comes_before_the_handshake_is_answered_or_ignored() {
    let mut host = Host::fresh();
    host.tell("notifications/initialized", json!({}));
    host.write("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
    assert_eq!(host.ask(1, "ping", json!({}))["result"], json!({}));
    assert_eq!(host.ask(2, "tools/list", json!({}))["error"]["code"], -32602);
    assert_eq!(host.close().1, Ended::HostLeft);
}

#[test]
fn two_requests_with_one_id_get_two_answers() {
    let mut host = Host::speaking("2025-11-25");
    host.send(1, "tools/call", call("wait", json!({"ms": 200})));
    assert_eq!(host.ask(1, "ping", json!({}))["error"]["code"], -32600);
    assert_eq!(host.answer_to(1)["result"]["isError"], false);
}

#[test]
fn pings_are_answered_while_every_seat_is_taken() {
    let mut host = Host::speaking("2025-11-25");
    for id in 0..200 {
        host.send(id, "tools/call", call("wait", json!({"ms": 400})));
    }
    let since = Instant::now();
    assert_eq!(host.ask("p", "ping", json!({}))["result"], json!({}));
    // All of them take ten seconds on the few seats there are.
    assert!(since.elapsed() < Duration::from_secs(1), "{:?}", since.elapsed());
    for id in 0..200 {
        host.tell("notifications/cancelled", json!({"requestId": id}));
    }
    assert_eq!(host.call("e", "echo", json!({"text": "x"}))["result"]["isError"], false);
    assert!(since.elapsed() < Duration::from_secs(4), "{:?}", since.elapsed());
}

#[test]
fn five_hundred_pipelined_requests_get_one_answer_each() {
    let mut host = Host::speaking("2025-11-25");
    let methods = [
        ("ping", json!({})),
        ("tools/list", json!({})),
        ("tools/call", call("echo", json!({"text": "x"}))),
        ("tools/call", call("crash", json!({}))),
        ("tools/call", json!({})),
        ("resources/read", json!({"uri": "fixture://here"})),
        ("resources/subscribe", json!({"uri": "fixture://here"})),
        ("prompts/get", json!({"name": "none"})),
        ("completion/complete", json!({"ref": 1})),
        ("subscriptions/listen", json!({"notifications": {}})),
        ("tasks/get", json!({"taskId": "t"})),
        ("initialize", json!({})),
        ("none/such", json!({})),
    ];
    let mut to = host.to.take().unwrap();
    let writer = std::thread::spawn(move || {
        for (id, (method, params)) in methods.iter().cycle().take(500).enumerate() {
            let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
            writeln!(to, "{message}").unwrap();
        }
    });
    let (rest, ended, _) = host.close();
    writer.join().unwrap();
    assert_eq!(ended, Ended::HostLeft);
    let mut ids: Vec<_> = rest
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["id"].as_u64())
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..500).collect::<Vec<_>>());
}

#[test]
fn progress_is_reported_to_those_who_gave_a_token() {
    let mut host = Host::speaking("2025-11-25");
    let mut params = call("count", json!({"ms": 700}));
    params["_meta"] = json!({"progressToken": "t"});
    let since = Instant::now();
    host.send(1, "tools/call", params);
    let mut seen = Vec::new();
    loop {
        let message = host.next();
        if message["id"] == 1 {
            break;
        }
        assert_eq!(message["method"], "notifications/progress");
        assert_eq!(message["params"]["progressToken"], "t");
        seen.push(message["params"]["progress"].as_f64().unwrap());
    }
    let most = since.elapsed().as_millis() / 200 + 1;
    assert!(seen.len() >= 2 && seen.len() as u128 <= most, "{seen:?}");
    assert!(seen.is_sorted_by(|a, b| a < b), "{seen:?}");
}

#[test]
fn new_tools_are_announced() {
    let mut host = Host::speaking("2025-06-18");
    host.send(1, "tools/call", call("grow", json!({})));
    let messages = [host.next(), host.next()];
    assert!(messages.iter().any(|message| message["method"] == "notifications/tools/list_changed"));
    let tools = host.ask(2, "tools/list", json!({}));
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 8);
}

#[test]
fn the_clients_first_folder_becomes_the_workspace_before_the_first_call() {
    let folder = tempfile::tempdir().unwrap();
    let named = folder.path().join("a b");
    std::fs::create_dir(&named).unwrap();
    let mut host = Host::with_capabilities("2025-11-25", json!({"roots": {"listChanged": true}}));
    host.send(1, "tools/call", call("here", json!({})));
    let question = host.next();
    assert_eq!(question["method"], "roots/list");
    let uri = format!("file://{}", named.display()).replace(' ', "%20");
    host.line(&json!({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": [{"uri": "https://x/"}, {"uri": uri}]}}));
    let here = host.answer_to(1);
    let real = named.canonicalize().unwrap();
    assert_eq!(here["result"]["structuredContent"]["said"], real.display().to_string());
}

#[test]
fn a_client_that_never_names_its_folder_holds_up_one_call_for_two_seconds() {
    let mut host = Host::with_capabilities("2025-11-25", json!({"roots": {}}));
    let since = Instant::now();
    assert_eq!(host.call(1, "here", json!({}))["result"]["structuredContent"]["said"], "nowhere");
    assert!(since.elapsed() < Duration::from_secs(3));
    let since = Instant::now();
    host.call(2, "here", json!({}));
    assert!(since.elapsed() < Duration::from_secs(1));
}

#[test]
fn the_last_line_needs_no_newline_and_calls_under_way_are_answered_after_the_input_ends() {
    let mut host = Host::speaking("2025-11-25");
    host.send(1, "tools/call", call("wait", json!({"ms": 300})));
    host.write(request(2, "ping"));
    let (rest, ended, took) = host.close();
    assert_eq!(ended, Ended::HostLeft);
    assert!(rest.contains(r#""id":1"#) && rest.contains(r#""id":2"#), "{rest}");
    assert!(took < Duration::from_secs(2), "{took:?}");
}

#[test]
fn the_end_of_the_input_ends_long_and_stubborn_calls_within_five_seconds() {
    for tool in ["wait", "stubborn"] {
        let mut host = Host::speaking("2025-11-25");
        host.send(1, "tools/call", call(tool, json!({"ms": 30_000})));
        host.ask(2, "ping", json!({}));
        let (_, ended, took) = host.close();
        assert_eq!(ended, Ended::HostLeft);
        assert!(took < Duration::from_millis(4_500), "{tool} {took:?}");
    }
}

#[test]
fn a_signal_lets_short_calls_finish_and_ends_long_ones_within_two_seconds() {
    for (tool, ms, finishes) in [("wait", 500, true), ("wait", 30_000, false), ("stubborn", 30_000, false)] {
        let mut host = Host::speaking("2025-11-25");
        host.send(1, "tools/call", call(tool, json!({"ms": ms})));
        host.ask(2, "ping", json!({}));
        let (rest, took) = host.stop();
        assert_eq!(rest.contains("waited"), finishes, "{rest}");
        assert!(took < Duration::from_millis(1_900), "{tool} {ms} {took:?}");
    }
}

#[test]
fn silence_is_a_clean_exit() {
    let (rest, ended, took) = Host::fresh().close();
    assert_eq!((rest.as_str(), ended), ("", Ended::HostLeft));
    assert!(took < Duration::from_secs(1), "{took:?}");
}

#[test]
fn a_host_that_never_reads_does_not_stop_the_server_from_ending() {
    let mut host = Host::speaking("2025-11-25");
    let text = "x".repeat(100_000);
    for id in 0..20 {
        host.send(id, "tools/call", call("echo", json!({"text": text})));
    }
    let since = Instant::now();
    host.shutdown.request();
    host.to = None;
    // Nothing is read until the server is gone.
    std::thread::sleep(Duration::from_millis(2_000));
    let (_, ended, _) = host.close();
    assert_eq!(ended, Ended::Asked);
    assert!(since.elapsed() < Duration::from_secs(4));
}
