//! `ingest`, `outline`, `callers`, `callees`, and what the graph adds to `search` and `view`.

#![allow(clippy::unwrap_used)]

mod common;

use common::{fixture, ingested};
use expect_test::{Expect, expect};
use m1nd_testkit::Fixture;
use serde_json::{Value, json};

fn check(fixture: &Fixture, tool: &str, arguments: Value, expect: Expect) {
    let mut body = fixture.call(tool, arguments).body;
    if let Value::Object(map) = &mut body {
        for name in ["elapsed_ms", "freshness", "agent_runtime_contract", "phases"] {
            map.remove(name);
        }
    }
    expect.assert_eq(&body.to_string());
}

#[test]
fn ingest_counts_what_it_read() {
    check(
        &fixture(),
        "ingest",
        json!({}),
        expect![[
            r#"{"state":"done","job_id":"job-1","generation":1,"next_step_hint":"Ask for outline, callers or callees.","files_seen":3,"files_parsed":2,"files_reused":0,"files_resolved":3,"files_removed":0,"files_skipped":{},"files_partial":{},"files_unsupported":1,"files_failed":0,"failures":[],"languages":{"rust":2},"lines":13,"nodes":9,"edges":9,"unresolved_references":0,"external_references":0}"#
        ]],
    );
}

#[test]
fn without_a_graph_the_fault_leads_to_ingest() {
    check(
        &fixture(),
        "callers",
        json!({"node_id": "greet"}),
        expect![[
            r#"{"error":{"code":"empty_graph","message":"Nothing is ingested yet, so the graph is empty.","recovery":{"hint":"Ingest the workspace, then call again.","next_tool":"ingest","arguments":{"agent_id":"tester"}}}}"#
        ]],
    );
}

#[test]
fn callers_and_callees_show_the_line_of_the_call() {
    check(
        &ingested(),
        "callers",
        json!({"node_id": "greet"}),
        expect![[
            r#"{"node_id":"function::src/main.rs::greet","calls":[{"node_id":"function::src/main.rs::main","label":"main","type":"function","file_path":"src/main.rs","line":2,"source":"println!(\"{}\", greet(\"you\"));","evidence":"resolved"}],"total":1,"inferred":0,"truncated":false,"next_suggested_tool":"view","next_suggested_target":"src/main.rs:2"}"#
        ]],
    );
    check(
        &ingested(),
        "callees",
        json!({"node_id": "main"}),
        expect![[
            r#"{"node_id":"function::src/main.rs::main","calls":[{"node_id":"function::src/main.rs::greet","label":"greet","type":"function","file_path":"src/main.rs","line":2,"source":"println!(\"{}\", greet(\"you\"));","evidence":"resolved"}],"total":1,"inferred":0,"truncated":false,"next_suggested_tool":"view","next_suggested_target":"src/main.rs:2"}"#
        ]],
    );
}

#[test]
fn an_empty_answer_says_what_it_rests_on() {
    check(
        &ingested(),
        "callers",
        json!({"node_id": "add"}),
        expect![[
            r#"{"node_id":"function::src/lib.rs::add","calls":[],"total":0,"inferred":0,"truncated":false,"rests_on":{"files_indexed":2,"files_incomplete":0,"unresolved_references":0},"next_step_hint":"No call is known. A call through a value, a macro or a name built at run time is not seen; search for the name to be sure."}"#
        ]],
    );
}

#[test]
fn an_outline_has_one_line_for_each_part() {
    check(
        &ingested(),
        "outline",
        json!({"file_path": "src/main.rs"}),
        expect![[
            r#"{"node_id":"file::src/main.rs","lines":["1-3 fn main()","5-7 fn greet(name: &str) -> String"],"total":2,"truncated":false}"#
        ]],
    );
    check(
        &ingested(),
        "outline",
        json!({"file_path": "."}),
        expect![[
            r#"{"node_id":"repository::ws","lines":["docs/","  docs/guide.md","src/","  src/lib.rs","    2-4 pub fn add(a: i32, b: i32) -> i32","  src/main.rs","    1-3 fn main()","    5-7 fn greet(name: &str) -> String"],"total":8,"truncated":false}"#
        ]],
    );
}

#[test]
fn matches_and_slices_know_the_node_around_them() {
    let fixture = ingested();
    let found = fixture.call("search", json!({"query": "Hello"})).body;
    assert_eq!(found["matches"][0]["node_id"], "function::src/main.rs::greet");
    assert_eq!(found["agent_runtime_contract"]["trust_mode"], "full_trust");
    let view = fixture.call("view", json!({"file_path": "src/main.rs:6"})).body;
    assert_eq!(view["enclosing"], json!(["function::src/main.rs::greet"]));
    let node = fixture.call("view", json!({"node_id": "greet"})).body;
    assert_eq!((&node["line_start"], &node["line_end"]), (&json!(5), &json!(7)));
}

#[test]
fn matches_of_every_mode_carry_the_node_around_them() {
    let fixture = ingested();
    let modes = [
        json!({"query": "Hello"}),
        json!({"query": "Hel+o", "mode": "regex"}),
        json!({"query": "String \\{.*Hello", "mode": "regex", "multiline": true}),
        json!({"query": "Hello", "mode": "semantic"}),
    ];
    for arguments in modes {
        let found = fixture.call("search", arguments.clone()).body;
        assert_eq!(found["matches"][0]["node_id"], "function::src/main.rs::greet", "{arguments}: {found}");
    }
}

#[test]
fn an_edit_is_seen_by_the_next_question() {
    let fixture = ingested();
    let callers = |name: &str| fixture.call("callers", json!({ "node_id": name })).body["total"].clone();
    assert_eq!(callers("add"), 0);
    std::fs::write(
        fixture.root().join("src/more.rs"),
        "fn more() {\n    add(1, 2);\n}\nfn add(a: i32, b: i32) {}\n",
    )
    .unwrap();
    assert_eq!(fixture.call("callers", json!({"node_id": "more.add"})).body["total"], 1);
    std::fs::remove_file(fixture.root().join("src/main.rs")).unwrap();
    assert_eq!(fixture.call("callers", json!({"node_id": "greet"})).body["error"]["code"], "node_not_found");
}

#[test]
fn the_graph_is_there_again_after_a_restart() {
    let fixture = ingested();
    let again = fixture.restart(m1nd_tools::surface());
    let before = fixture.call("callers", json!({"node_id": "greet"})).body;
    let after =
        again.call_raw("callers", json!({"agent_id": "a", "node_id": "greet"}).as_object().unwrap().clone());
    assert_eq!(before["calls"], after.body["calls"]);
}

#[test]
fn a_name_that_is_not_there_leads_somewhere() {
    let fixture = ingested();
    let recovery = |name: &str| {
        let body = fixture.call("callers", json!({"node_id": name})).body;
        let error = &body["error"];
        let arguments = &error["recovery"]["arguments"];
        let argument = ["query", "pattern", "file_path"].iter().find_map(|key| arguments[key].as_str());
        format!(
            "{} {} {} {}",
            error["code"].as_str().unwrap_or("none"),
            error["recovery"]["next_tool"].as_str().unwrap_or("none"),
            argument.unwrap_or("none"),
            error["message"].as_str().unwrap_or("")
        )
    };
    let names = [
        "greeet",
        "src/main.rs:-1",
        "src/main.rs::nobody",
        ":-1",
        "py/u16.py",
        "u16.rs",
        "m.py",
        "/etc/passwd:1",
        "/etc/passwd",
        "../x",
        "../x.rs:3",
        "file::../x.rs",
    ];
    let told: Vec<String> = names.iter().map(|name| format!("{name} => {}", recovery(name))).collect();
    expect![[r#"
        greeet => node_not_found search greeet `node_id`: No node is named "greeet". Names like it: greet.
        src/main.rs:-1 => node_not_found outline src/main.rs `node_id`: src/main.rs is there, but nothing in it is named "-1".
        src/main.rs::nobody => node_not_found outline src/main.rs `node_id`: src/main.rs is there, but nothing in it is named "nobody".
        :-1 => node_not_found outline . `node_id`: No node is named ":-1".
        py/u16.py => node_not_found glob u16.py `node_id`: No node is named "py/u16.py".
        u16.rs => node_not_found glob u16.rs `node_id`: No node is named "u16.rs".
        m.py => node_not_found glob m.py `node_id`: No node is named "m.py".
        /etc/passwd:1 => path_outside_workspace glob * `node_id`: "/etc/passwd" is outside the workspace.
        /etc/passwd => path_outside_workspace glob * `node_id`: "/etc/passwd" is outside the workspace.
        ../x => path_outside_workspace glob * `node_id`: "../x" is outside the workspace.
        ../x.rs:3 => path_outside_workspace glob * `node_id`: "../x.rs" is outside the workspace.
        file::../x.rs => path_outside_workspace glob * `node_id`: "../x.rs" is outside the workspace.
    "#]].assert_eq(&(told.join("\n") + "\n"));
    let found = fixture.call("callers", json!({"node_id": "./src/../src/main.rs:6"})).body;
    assert_eq!(found["node_id"], "function::src/main.rs::greet", "{found}");
    let found = fixture.call("callers", json!({"node_id": "function::./src/main.rs::greet"})).body;
    assert_eq!(found["node_id"], "function::src/main.rs::greet", "{found}");
}

#[test]
fn an_ingest_of_a_part_says_that_it_read_all() {
    let hint = |arguments: Value| {
        let body = fixture().call("ingest", arguments).body;
        (body["files_seen"].clone(), body["next_step_hint"].as_str().unwrap().contains("whole workspace"))
    };
    assert_eq!(hint(json!({"path": "src"})), (json!(3), true));
    assert_eq!(hint(json!({"path": "."})), (json!(3), false));
}

#[test]
fn every_caller_is_reached_by_cursors_at_every_page_size_and_budget() {
    let mut text = String::from("//- lib.py\ndef target():\n    pass\n");
    for file in 0..6 {
        text += &format!("//- use_{file}.py\nfrom lib import target\n");
        for nth in 0..5 {
            text += &format!("def caller_{file}_{nth}():\n    target()\n");
        }
    }
    let fixture = Fixture::new(m1nd_tools::surface(), &text);
    fixture.call("ingest", json!({}));
    for (limit, max_chars) in [(1, 4_000), (7, 4_000), (29, 100_000), (30, 1_500), (1_000, 1_200)] {
        let mut seen: Vec<String> = Vec::new();
        let mut cursor: Option<Value> = None;
        loop {
            let mut arguments = json!({"node_id": "target", "limit": limit, "max_chars": max_chars});
            if let Some(cursor) = cursor {
                arguments["cursor"] = cursor;
            }
            let body = fixture.call("callers", arguments).body;
            assert_eq!(body["total"], 30, "{body}");
            seen.extend(body["calls"].as_array().unwrap().iter().map(|call| call["node_id"].to_string()));
            assert_eq!(body["truncated"] == true, body.get("next_cursor").is_some(), "{body}");
            cursor = body.get("next_cursor").cloned();
            if cursor.is_none() {
                break;
            }
        }
        let count = seen.len();
        seen.sort();
        seen.dedup();
        assert_eq!((count, seen.len()), (30, 30), "limit {limit}, max_chars {max_chars}");
    }
}

#[test]
fn a_cursor_goes_on_after_the_same_call_when_code_came_before_it_and_says_when_that_is_gone() {
    let text = "
//- lib.py
def target():
    pass
//- b.py
from lib import target
def one():
    target()
def two():
    target()
";
    let fixture = Fixture::new(m1nd_tools::surface(), text);
    fixture.call("ingest", json!({}));
    let ask = |cursor: &Value| fixture.call("callers", json!({"node_id": "target", "cursor": cursor})).body;
    let first = fixture.call("callers", json!({"node_id": "target", "limit": 1})).body;
    let cursor = first["next_cursor"].clone();
    std::fs::write(fixture.root().join("a.py"), "from lib import target\ndef zero():\n    target()\n")
        .unwrap();
    let next = ask(&cursor);
    assert_eq!(next["calls"].as_array().unwrap().len(), 1, "{next}");
    assert_eq!(next["calls"][0]["label"], "two", "{next}");
    std::fs::write(fixture.root().join("b.py"), "from lib import target\ndef two():\n    target()\n")
        .unwrap();
    let gone = ask(&cursor);
    assert_eq!(gone["error"]["code"], "stale", "{gone}");
    assert_eq!(gone["error"]["recovery"]["arguments"]["node_id"], "target", "{gone}");
    assert_eq!(ask(&json!("x"))["error"]["code"], "invalid_params");
}

#[test]
fn an_ingest_that_finds_nothing_new_writes_nothing() {
    use std::os::unix::fs::MetadataExt as _;
    let fixture = ingested();
    let state =
        fixture.call("health", json!({})).body["workspace"]["runtime_root"].as_str().unwrap().to_owned();
    let inodes = || {
        ["graph.snapshot", "graph.facts"]
            .map(|name| std::fs::metadata(std::path::Path::new(&state).join(name)).unwrap().ino())
    };
    let before = inodes();
    fixture.call("ingest", json!({}));
    assert_eq!(inodes(), before);
    std::fs::write(fixture.root().join("more.rs"), "pub fn more() {}\n").unwrap();
    fixture.call("ingest", json!({}));
    assert_ne!(inodes(), before);
    std::fs::remove_file(std::path::Path::new(&state).join("graph.snapshot")).unwrap();
    fixture.call("ingest", json!({}));
    assert!(std::path::Path::new(&state).join("graph.snapshot").exists());
}

#[test]
fn what_cannot_be_looked_into_is_named_by_ingest_and_health_with_the_reason() {
    let fixture = ingested();
    // Nobody, not even root, may say a path of more than 4,096 bytes.
    let long = "n".repeat(200);
    let deep: std::path::PathBuf = std::iter::repeat_n(long.as_str(), 19).collect();
    std::fs::create_dir_all(fixture.root().join("moved").join(deep)).unwrap();
    let outer = fixture.root().join("outer").join(&long).join(&long);
    std::fs::create_dir_all(&outer).unwrap();
    std::fs::rename(fixture.root().join("moved"), outer.join("moved")).unwrap();
    let report = fixture.call("ingest", json!({})).body;
    let named = |failures: &Value| {
        let failure = &failures.as_array().unwrap_or_else(|| panic!("{report}"))[0];
        assert!(failure[0].as_str().unwrap().starts_with("outer/nnn"), "{failure}");
        assert_eq!(failure[1], "its path is too long");
    };
    assert_eq!(report["files_failed"], 1, "{report}");
    named(&report["failures"]);
    let health = fixture.call("health", json!({})).body;
    named(&health["graph"]["coverage"]["failures"]);
    let callers = fixture.call("callers", json!({"node_id": "main"})).body;
    assert_eq!(callers["rests_on"]["files_incomplete"], 1, "an empty answer says so: {callers}");
}

#[test]
fn a_snapshot_that_cannot_be_read_is_told_and_the_graph_is_made_once() {
    let fixture = ingested();
    fixture.call("persist", json!({"action": "save"}));
    let runtime_root = fixture.call("health", json!({})).body["workspace"]["runtime_root"].clone();
    let runtime_root = std::path::Path::new(runtime_root.as_str().unwrap());
    for name in ["graph.snapshot", "graph.snapshot.previous"] {
        if runtime_root.join(name).exists() {
            std::fs::write(runtime_root.join(name), "junk").unwrap();
        }
    }
    let ask = |process: &m1nd_testkit::Process, tool: &str, arguments: Value| {
        let mut arguments = arguments.as_object().unwrap().clone();
        arguments.insert("agent_id".into(), json!("a"));
        process.call_raw(tool, arguments).body
    };
    for _ in 0..2 {
        let process = fixture.restart(m1nd_tools::surface());
        assert_eq!(ask(&process, "callers", json!({"node_id": "greet"}))["total"], 1);
        let health = ask(&process, "health", json!({}));
        let kept = health["graph"]["set_aside"][0].as_str().unwrap_or_else(|| panic!("{health}"));
        assert!(std::path::Path::new(kept).is_file() && kept.contains("graph.corrupt-"), "{health}");
        let said = health["next_step_hint"].as_str().unwrap();
        assert!(said.contains("made again from the files and saved") && said.contains(kept), "{health}");
        let doctor = ask(&process, "doctor", json!({}));
        assert_eq!(doctor["diagnostics"]["set_aside"], 1, "{doctor}");
    }
    assert!(runtime_root.join("graph.snapshot").is_file());
}
