//! What activate, why and learn promise, through the real pipeline.

#![allow(clippy::unwrap_used)]

use m1nd_testkit::Fixture;
use serde_json::{Value, json};

/// Twenty topics, each a file with a function that says so, and one chain of calls.
fn topics() -> Fixture {
    let topics = [
        "cache", "socket", "header", "cookie", "proxy", "timeout", "redirect", "upload", "parser", "logger",
        "queue", "worker", "token", "cipher", "locale", "theme", "cursor", "canvas", "widget", "filter",
    ];
    let mut text = String::new();
    for topic in topics {
        text.push_str(&format!(
            "//- src/{topic}.rs\n/// Opens the {topic}.\npub fn open_{topic}() {{ close_{topic}(); }}\n/// Closes the {topic}.\npub fn close_{topic}() {{}}\n"
        ));
    }
    text.push_str(
        "//- src/main.rs\nmod cache;\nmod socket;\nfn main() { serve(); }\nfn serve() { dispatch(); }\nfn dispatch() { cache::open_cache(); }\n",
    );
    let fixture = Fixture::new(m1nd_tools::surface(), &text);
    assert_eq!(fixture.call("ingest", json!({})).body["state"], "done");
    fixture
}

fn ids(body: &Value, list: &str) -> Vec<String> {
    body[list].as_array().unwrap().iter().map(|one| one["node_id"].as_str().unwrap().to_owned()).collect()
}

fn ask(fixture: &Fixture, tool: &str, query: &str) -> Vec<String> {
    let reply = fixture.call(tool, json!({"query": query, "top_k": 10}));
    assert!(!reply.is_error, "{}", reply.text());
    ids(&reply.body, if tool == "seek" { "results" } else { "activated" })
}

#[test]
fn activation_reaches_what_the_name_uses_and_asking_again_gives_the_same() {
    let fixture = topics();
    let query = json!({"query": "dispatch", "learn": false});
    let first = fixture.call("activate", query.clone());
    let found = ids(&first.body, "activated");
    assert_eq!(found[0], "function::src/main.rs::dispatch");
    assert!(found.contains(&"function::src/cache.rs::open_cache".to_owned()), "{found:?}");
    assert_eq!(first.body["seeds"][0]["matched"], "exact");
    let timeless = |mut body: Value| {
        for field in ["elapsed_ms", "freshness"] {
            body.as_object_mut().unwrap().remove(field);
        }
        body.to_string()
    };
    assert!(first.body.get("plasticity").is_none());
    let again = timeless(fixture.call("activate", query.clone()).body);
    assert_eq!(timeless(first.body), again);
    // Questions that let edges grow do not move it either.
    for _ in 0..8 {
        fixture.call("activate", json!({"query": "serve"}));
        fixture.call("activate", json!({"query": "open cache"}));
    }
    assert_eq!(timeless(fixture.call("activate", query).body), again);
}

#[test]
fn words_that_nothing_is_called_point_to_seek() {
    let reply = topics().call("activate", json!({"query": "zzyzx"}));
    assert_eq!(reply.body["activated"], json!([]));
    assert_eq!(reply.body["next_suggested_tool"], "seek");
}

#[test]
fn why_shows_the_chain_with_where_each_step_is_written() {
    let reply = topics().call("why", json!({"source": "main", "target": "open_cache"}));
    let steps = reply.body["paths"][0]["steps"].as_array().unwrap();
    let relations: Vec<&str> = steps.iter().map(|step| step["relation"].as_str().unwrap()).collect();
    assert_eq!(relations, ["calls", "calls", "calls"], "{}", reply.text());
    assert_eq!(steps[0]["at"], "src/main.rs:3");
    let none = topics().call("why", json!({"source": "main", "target": "open_theme", "max_hops": 3}));
    assert_eq!(none.body["paths"], json!([]));
    assert_eq!(none.body["proof_state"], "blocked");
}

#[test]
fn three_confirmations_bring_an_answer_to_the_top_for_the_question_and_a_paraphrase_and_move_nothing_else() {
    let fixture = topics();
    let (query, paraphrase) = ("where do we open the socket connection", "open a connection of the socket");
    let meant = "function::src/proxy.rs::close_proxy";
    let others =
        ["header", "cookie", "timeout", "redirect", "upload", "parser", "logger", "queue", "worker", "token"];
    let others: Vec<String> =
        others.iter().flat_map(|topic| [format!("close {topic}"), format!("opening {topic}")]).collect();
    let unrelated = |tool: &str| others.iter().map(|query| ask(&fixture, tool, query)).collect::<Vec<_>>();
    for tool in ["seek", "activate"] {
        assert!(!ask(&fixture, tool, query).iter().take(3).any(|id| id == meant), "{tool}");
    }
    let before = ["seek", "activate"].map(unrelated);
    for _ in 0..3 {
        let reply =
            fixture.call("learn", json!({"query": query, "feedback": "correct", "node_ids": [meant]}));
        assert_eq!(reply.body["nodes_affected"], 1, "{}", reply.text());
    }
    for tool in ["seek", "activate"] {
        for query in [query, paraphrase] {
            let found = ask(&fixture, tool, query);
            assert!(found.iter().take(3).any(|id| id == meant), "{tool} {query}: {found:?}");
        }
    }
    let files = fixture.call("seek", json!({"query": query, "group_by": "file"}));
    assert_eq!(files.body["files"][0]["file_path"], "src/proxy.rs", "{}", files.text());
    assert_eq!(["seek", "activate"].map(unrelated), before);
}

#[test]
fn what_was_called_wrong_sinks() {
    let fixture = topics();
    let query = "open the socket";
    let first = ask(&fixture, "seek", query)[0].clone();
    for _ in 0..3 {
        fixture.call("learn", json!({"query": query, "feedback": "wrong", "node_ids": [first]}));
    }
    assert_ne!(ask(&fixture, "seek", query)[0], first);
    assert_ne!(ask(&fixture, "activate", query)[0], first);
}

#[test]
fn feedback_on_nothing_or_on_what_is_not_there_is_refused() {
    let fixture = topics();
    let refused = |arguments: Value| fixture.call("learn", arguments).body["error"]["code"].clone();
    assert_eq!(refused(json!({"query": "x", "feedback": "correct", "node_ids": []})), "invalid_params");
    assert_eq!(refused(json!({"query": "x", "feedback": "wrong", "node_ids": ["nobody"]})), "node_not_found");
    assert_eq!(
        refused(json!({"query": "x", "feedback": "wrong", "node_ids": ["main"], "strength": 2})),
        "invalid_params"
    );
}
