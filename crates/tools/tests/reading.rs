//! `search`, `glob`, `view` and `batch_view`, as an agent sees them.

#![allow(clippy::unwrap_used)]

mod common;

use common::fixture;
use expect_test::{Expect, expect};
use m1nd_testkit::Fixture;
use serde_json::{Value, json};

/// The answer without what changes from run to run and without the runtime contract.
fn check(fixture: &Fixture, tool: &str, arguments: Value, expect: Expect) {
    let mut body = fixture.call(tool, arguments).body;
    if let Value::Object(map) = &mut body {
        for name in ["elapsed_ms", "freshness", "agent_runtime_contract"] {
            map.remove(name);
        }
    }
    expect.assert_eq(&body.to_string());
}

#[test]
fn search_gives_lines_with_context_and_the_next_step() {
    check(
        &fixture(),
        "search",
        json!({"query": "GREET(", "context_lines": 1}),
        expect![[
            r#"{"query":"GREET(","mode":"literal","matches":[{"file_path":"src/main.rs","line_number":2,"line_content":"    println!(\"{}\", greet(\"you\"));","context_before":["fn main() {"],"context_after":["}"],"match_score":1.0},{"file_path":"src/main.rs","line_number":5,"line_content":"fn greet(name: &str) -> String {","context_before":[""],"context_after":["    format!(\"Hello, {name}!\")"],"match_score":1.0}],"total_matches":2,"files_matched":1,"files_searched":3,"truncated":false,"proof_state":"triaging","next_suggested_tool":"view","next_suggested_target":"src/main.rs:2"}"#
        ]],
    );
}

#[test]
fn search_counts_what_it_does_not_show_and_says_what_it_clamped() {
    check(
        &fixture(),
        "search",
        json!({"query": "main", "top_k": 0, "context_lines": 99}),
        expect![[
            r##"{"query":"main","mode":"literal","matches":[{"file_path":"docs/guide.md","line_number":2,"line_content":"Run `main` and be greeted.","context_before":["# Guide"],"context_after":[],"match_score":1.0}],"total_matches":3,"files_matched":3,"files_searched":3,"truncated":true,"proof_state":"triaging","next_suggested_tool":"view","next_suggested_target":"docs/guide.md:2","clamped":["top_k","context_lines"]}"##
        ]],
    );
}

#[test]
fn a_search_without_a_match_says_what_was_searched() {
    check(
        &fixture(),
        "search",
        json!({"query": "absent", "scope": "src"}),
        expect![[
            r#"{"query":"absent","mode":"literal","matches":[],"total_matches":0,"files_matched":0,"files_searched":2,"truncated":false,"proof_state":"blocked","next_step_hint":"No match in 2 files: try without `scope` and `glob`."}"#
        ]],
    );
}

#[test]
fn semantic_search_without_a_graph_says_that_it_fell_back() {
    check(
        &fixture(),
        "search",
        json!({"query": "greeted", "mode": "semantic", "context_lines": 0}),
        expect![[
            r#"{"query":"greeted","mode":"literal","matches":[{"file_path":"docs/guide.md","line_number":2,"line_content":"Run `main` and be greeted.","context_before":[],"context_after":[],"match_score":1.0}],"total_matches":1,"files_matched":1,"files_searched":3,"truncated":false,"fallback":"There is no graph yet, so the query was searched as literal text. Run ingest.","proof_state":"triaging","next_suggested_tool":"view","next_suggested_target":"docs/guide.md:2"}"#
        ]],
    );
}

#[test]
fn a_scope_may_be_the_beginning_of_a_path() {
    let fixture = fixture();
    let found = |scope: &str| {
        fixture.call("search", json!({"query": "main", "scope": scope})).body["total_matches"].clone()
    };
    assert_eq!(found("src"), 2);
    assert_eq!(found("src/ma"), 1);
    assert_eq!(found("src/main.rs"), 1);
    assert_eq!(found("d"), 1);
    assert_eq!(found("nope"), Value::Null);
}

#[test]
fn a_bad_regex_names_the_position() {
    check(
        &fixture(),
        "search",
        json!({"query": "a(b", "mode": "regex"}),
        expect![[
            r#"{"error":{"code":"invalid_regex","message":"The regular expression does not compile: unclosed group at offset 1.","detail":{"position":1},"recovery":{"hint":"Mend the expression (Rust regex syntax: no look-around, no back-references), or search for the text literally.","next_tool":"search","arguments":{"query":"a(b","mode":"literal","agent_id":"tester"}}}}"#
        ]],
    );
}

#[test]
fn the_runtime_contract_of_an_empty_graph_has_every_field() {
    let fixture = fixture();
    let body = fixture.call("search", json!({"query": "main"})).body;
    let contract = body["agent_runtime_contract"].as_object().unwrap();
    let fields: Vec<_> = contract.keys().map(String::as_str).collect();
    assert_eq!(
        fields,
        [
            "schema",
            "status",
            "proof_state",
            "trust_mode",
            "observed",
            "session_identity",
            "workspace_binding",
            "graph_identity",
            "next_suggested_tool",
            "recovery",
            "non_claims"
        ]
    );
    assert_eq!(contract["trust_mode"], "needs_ingest");
    let recovery = &contract["recovery"];
    let followed = fixture
        .call_raw(recovery["tool"].as_str().unwrap(), recovery["arguments"].as_object().unwrap().clone());
    assert!(!followed.is_error);
}

#[test]
fn glob_lists_paths_in_order() {
    check(
        &fixture(),
        "glob",
        json!({"pattern": "*.rs"}),
        expect![[
            r#"{"files":["src/lib.rs","src/main.rs"],"total":2,"truncated":false,"next_suggested_tool":"view","next_suggested_target":"src/lib.rs"}"#
        ]],
    );
    check(
        &fixture(),
        "glob",
        json!({"pattern": "*", "limit": 1}),
        expect![[
            r#"{"files":["docs/guide.md"],"total":3,"truncated":true,"next_suggested_tool":"view","next_suggested_target":"docs/guide.md"}"#
        ]],
    );
    check(
        &fixture(),
        "glob",
        json!({"pattern": "nope"}),
        expect![[
            r#"{"files":[],"total":0,"truncated":false,"next_step_hint":"No file matches. Names are matched whole: put * around a part of a name."}"#
        ]],
    );
}

#[test]
fn view_numbers_lines_and_says_where_to_go_on() {
    check(
        &fixture(),
        "view",
        json!({"file_path": "src/main.rs", "offset": 2, "limit": 2}),
        expect![[
            r#"{"file_path":"src/main.rs","content":"2\t    println!(\"{}\", greet(\"you\"));\n3\t}\n","line_start":2,"line_end":3,"total_lines":7,"sha256":"769cd02c7b2b100ef388b0bc7c1f582f05b05b65e6a15c702315a3c4694f6cc8","next_offset":4}"#
        ]],
    );
}

#[test]
fn batch_view_shows_what_it_can() {
    check(
        &fixture(),
        "batch_view",
        json!({"files": ["src/lib.rs:1", "nope.rs", {"file_path": "docs/guide.md", "limit": 1}]}),
        expect![[
            r#"{"files":[{"file_path":"src/lib.rs","content":"1\t//! Nothing here calls main.\n2\tpub fn add(a: i32, b: i32) -> i32 {\n3\t    a + b\n4\t}\n","line_start":1,"line_end":4,"total_lines":4,"sha256":"1fe3e97d10e7d210612dc4ed89d73ff5d532ad1addf1897a0e9723876ed51c51"},{"requested":"nope.rs","error":{"code":"file_not_found","message":"`files`: there is nothing at \"nope.rs\"."}},{"file_path":"docs/guide.md","content":"1\t# Guide\n","line_start":1,"line_end":1,"total_lines":2,"sha256":"e91989267380111443a4cb1cc55af6d7c1c29a3b933fb3394098ccdc8e2c5d21","next_offset":2}],"failed":1}"#
        ]],
    );
}

#[test]
fn batch_view_shortens_the_longest_file_first() {
    let fixture = fixture();
    std::fs::write(fixture.root().join("long.txt"), "x".repeat(50) + "\n").unwrap();
    std::fs::write(fixture.root().join("big.txt"), "some line of text\n".repeat(2_000)).unwrap();
    let body = fixture.call("batch_view", json!({"files": ["long.txt", "big.txt"], "max_chars": 3_000})).body;
    assert!(body.to_string().len() <= 3_000);
    assert_eq!(body["truncated"], true);
    assert_eq!(body["files"][0]["next_offset"], Value::Null);
    let (end, next) =
        (body["files"][1]["line_end"].as_u64().unwrap(), body["files"][1]["next_offset"].as_u64().unwrap());
    assert_eq!(end + 1, next);
    assert!(end > 50, "the budget is used: {end} lines");
}

#[test]
fn an_edit_is_seen_by_the_next_call() {
    let fixture = fixture();
    let count = || fixture.call("search", json!({"query": "fresh-word"})).body["total_matches"].clone();
    assert_eq!(count(), 0);
    std::fs::write(fixture.root().join("new.rs"), "// fresh-word\n").unwrap();
    assert_eq!(count(), 1);
}

#[test]
fn batch_view_of_many_files_always_fits() {
    let fixture = fixture();
    let names: Vec<String> = (0..50).map(|n| format!("many/{n:02}.txt")).collect();
    std::fs::create_dir(fixture.root().join("many")).unwrap();
    for (n, name) in names.iter().enumerate() {
        std::fs::write(fixture.root().join(name), "\"a line\" of text\n".repeat(20 + n * 7)).unwrap();
    }
    for max_chars in [500, 2_000, 6_000, 12_000, 60_000] {
        let reply = fixture.call("batch_view", json!({"files": names, "max_chars": max_chars}));
        let bytes = reply.text().len();
        assert!(!reply.is_error, "{max_chars}: {}", reply.text());
        assert!(bytes <= max_chars && bytes * 2 > max_chars, "{bytes} of {max_chars}");
    }
}

#[test]
fn long_echoes_give_way_too() {
    let fixture = fixture();
    let calls = [
        ("search", json!({"query": "q".repeat(9_000)})),
        ("search", json!({"query": "fn ", "contract": "full"})),
        ("batch_view", json!({"files": ["x".repeat(3_000), "src/main.rs".to_owned()]})),
    ];
    for (tool, mut arguments) in calls {
        arguments["max_chars"] = json!(600);
        let reply = fixture.call(tool, arguments);
        assert!(reply.text().len() <= 600, "{tool}: {}", reply.text());
    }
}

#[test]
fn help_as_json_is_json_at_every_budget() {
    let fixture = fixture();
    for tool in [None, Some("search")] {
        for max_chars in [500, 1_000, 3_000, 20_000] {
            let reply = fixture.call("help", json!({"tool": tool, "format": "json", "max_chars": max_chars}));
            let text = reply.text();
            assert!(serde_json::from_str::<Value>(&text).is_ok(), "{max_chars}: {text}");
        }
    }
}

#[test]
fn a_replaced_workspace_is_the_new_one_and_a_removed_one_is_none() {
    let fixture = fixture();
    std::fs::remove_dir_all(fixture.root()).unwrap();
    let gone = fixture.call("glob", json!({"pattern": "*"}));
    assert_eq!(gone.body["error"]["code"], "wrong_workspace_binding");
    std::fs::create_dir(fixture.root()).unwrap();
    std::fs::write(fixture.root().join("b.txt"), "needle\n").unwrap();
    assert_eq!(fixture.call("view", json!({"file_path": "b.txt"})).body["total_lines"], 1);
    assert_eq!(fixture.call("search", json!({"query": "needle"})).body["total_matches"], 1);
}
