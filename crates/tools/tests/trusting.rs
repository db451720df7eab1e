//! Trust and recovery: every fault is brought about, told, and led out of.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::sync::Arc;

use m1nd_runtime::Runtime;
use m1nd_runtime::workspace::BindingSource;
use m1nd_stdx::cancel::CancelToken;
use m1nd_stdx::clock::SystemClock;
use m1nd_testkit::{Fixture, lay_out, settings};
use serde_json::{Value, json};

mod common;
use common::{ingested, ok};

/// What all three say of the same thing.
fn verdict(fixture: &Fixture, saw: Value) -> String {
    let hand = ok(fixture, "session_handshake", saw.clone());
    let test = ok(fixture, "trust_selftest", saw.clone());
    let is_plain = saw == json!({});
    let book = ok(fixture, "recovery_playbook", saw);
    if is_plain {
        let health = ok(fixture, "health", json!({}));
        assert_eq!((&health["trust_mode"], health["status"] == "ok"), (&test["verdict"], test["ok"] == true));
    }
    assert_eq!(hand["trust_mode"], test["verdict"], "{hand} {test}");
    assert_eq!(test["verdict"], book["trust_mode"]);
    let ok = test["verdict"] == "full_trust";
    assert_eq!((&test["ok"], test["recovery_playbook"].is_null()), (&json!(ok), ok), "{test}");
    test["verdict"].as_str().unwrap().to_owned()
}

/// Every step that names a tool can be taken as it is.
fn steps_work(fixture: &Fixture, saw: Value) {
    let book = ok(fixture, "recovery_playbook", saw);
    // To federate is the other way to put a repository in, and is tried by itself.
    for step in book["steps"].as_array().unwrap().iter().filter(|step| step["id"] != "federate") {
        if let Some(tool) = step["tool"].as_str() {
            let reply = fixture.call_raw(tool, step["arguments"].as_object().unwrap().clone());
            assert!(!reply.is_error, "{step}: {}", reply.text());
        }
    }
}

#[test]
fn an_empty_graph_needs_an_ingest_and_a_host_that_hides_it_is_told() {
    let fixture = common::fixture();
    assert_eq!(verdict(&fixture, json!({})), "needs_ingest");
    let hides = json!({"available_tools": ["mcp__m1nd__search", "mcp__m1nd__view"]});
    assert_eq!(verdict(&fixture, hides.clone()), "orientation_only");
    steps_work(&fixture, hides);
    steps_work(&fixture, json!({}));
    assert_eq!(verdict(&fixture, json!({})), "full_trust", "the playbook led there");
    let hides = json!({"missing_tools": ["ingest", "recovery_playbook"]});
    assert_eq!(verdict(&fixture, hides.clone()), "degraded_host_tool_surface");
    steps_work(&fixture, hides);
    for tools in [&["doctor"][..], &["trust_selftest", "session_handshake"], &["help"]] {
        let hides = json!({"missing_tools": tools});
        assert_eq!(verdict(&fixture, hides.clone()), "degraded_host_tool_surface", "{tools:?}");
        steps_work(&fixture, hides);
    }
}

#[test]
fn a_scope_is_held_against_the_binding_by_what_it_really_is() {
    let fixture = ingested();
    let outside = fixture.outside().join("other");
    lay_out(&outside, "//- a.py\ndef a(): ...\n");
    let mode = |path: &std::path::Path| verdict(&fixture, json!({"scope": path.to_str().unwrap()}));
    assert_eq!(mode(&outside), "wrong_workspace_binding");
    assert_eq!(mode(&fixture.root()), "full_trust");
    let link = fixture.outside().join("link");
    std::os::unix::fs::symlink(fixture.root(), &link).unwrap();
    assert_eq!(mode(&link), "full_trust", "another name of the same folder");
    let asked = json!({"scope": outside.to_str().unwrap()});
    let doctor = ok(&fixture, "doctor", asked.clone());
    assert_eq!(doctor["context_guard"]["class"], "wrong_workspace_binding", "{doctor}");
    steps_work(&fixture, asked.clone());
    assert_eq!(verdict(&fixture, asked.clone()), "full_trust", "it was put in on purpose");
    assert_eq!(ok(&fixture, "doctor", asked)["context_guard"]["class"], "federated");
}

#[test]
fn what_an_empty_answer_says_goes_to_the_playbook_as_it_is() {
    let fixture = ingested();
    let empty = ok(&fixture, "seek", json!({"query": "zzqqxxyy"}));
    let recovery = &empty["agent_runtime_contract"]["recovery"];
    assert_eq!(recovery["tool"], "recovery_playbook", "{empty}");
    let reply = fixture.call_raw("recovery_playbook", recovery["arguments"].as_object().unwrap().clone());
    assert_eq!(reply.body["trust_mode"], "retrieval_needs_recovery", "{}", reply.text());
    assert_eq!(
        verdict(&fixture, json!({"observed_tool": "seek", "observed_candidates": 0})),
        "stale_binding_suspected"
    );
    let outside = fixture.call("search", json!({"query": "x", "scope": "/etc"}));
    let recovery = &outside.body["agent_runtime_contract"]["recovery"];
    let reply = fixture.call_raw("recovery_playbook", recovery["arguments"].as_object().unwrap().clone());
    assert_eq!(reply.body["trust_mode"], "wrong_workspace_binding", "{}", reply.text());
}

#[test]
fn a_damaged_snapshot_is_told_until_it_is_whole_again_and_then_where_it_was_put() {
    let mut fixture = ingested();
    ok(&fixture, "persist", json!({"action": "save"}));
    let state = ok(&fixture, "health", json!({}))["workspace"]["runtime_root"].as_str().unwrap().to_owned();
    fs::write(std::path::Path::new(&state).join("graph.snapshot"), b"no graph").unwrap();
    // Who may not write cannot mend it.
    fixture.read_only(m1nd_tools::surface());
    let test = ok(&fixture, "trust_selftest", json!({}));
    assert_eq!(test["verdict"], "retrieval_needs_recovery", "{test}");
    assert!(ok(&fixture, "doctor", json!({}))["warnings"].to_string().contains("set aside"));
    let other = fixture.restart(m1nd_tools::surface());
    let ask = |tool: &str| other.call_raw(tool, json!({"agent_id": "b"}).as_object().unwrap().clone()).body;
    let test = ask("trust_selftest");
    assert_eq!(test["verdict"], "full_trust", "{test}");
    let said = ask("doctor")["warnings"].to_string();
    assert!(
        said.contains("made again from the files and saved") && said.contains("graph.corrupt-"),
        "{said}"
    );
}

#[test]
fn a_program_that_was_replaced_under_a_running_server_is_told() {
    let fixture = ingested();
    let program = fixture.outside().join("m1nd");
    fs::write(&program, "one").unwrap();
    let home = fixture.outside().join("home");
    let clock = Arc::new(SystemClock::new());
    let runtime = Runtime::new(m1nd_tools::surface(), settings(&home), clock, Some(program.clone()));
    runtime.bind(&fixture.root(), BindingSource::Flag).unwrap();
    let ask = |tool: &str| {
        let arguments = json!({"agent_id": "a"}).as_object().unwrap().clone();
        let call = m1nd_runtime::ToolCall { name: tool.to_owned(), arguments };
        runtime.call(call, &CancelToken::default(), &m1nd_runtime::Silent).body
    };
    assert_eq!(ask("trust_selftest")["verdict"], "full_trust");
    fs::write(&program, "another").unwrap();
    let test = ask("trust_selftest");
    assert_eq!(test["verdict"], "stale_binding_suspected", "{test}");
    assert_eq!(ask("doctor")["diagnostics"]["binary_replaced"], true);
    // Why an answer cannot be trusted is worth more than one more result.
    let seek = |room: Option<usize>| {
        let mut arguments = json!({"agent_id": "a", "query": "greet by name and add"});
        if let Some(room) = room {
            arguments["max_chars"] = json!(room);
        }
        let arguments = arguments.as_object().unwrap().clone();
        let call = m1nd_runtime::ToolCall { name: "seek".to_owned(), arguments };
        runtime.call(call, &CancelToken::default(), &m1nd_runtime::Silent).body
    };
    let whole = seek(None);
    let cut = seek(Some(whole.to_string().len() - 100));
    assert_eq!(cut["truncated"], true, "{cut}");
    assert!(cut["agent_runtime_contract"]["recovery"].is_object(), "{cut}");
    fs::remove_file(&program).unwrap();
    assert!(ask("trust_selftest")["why"].as_str().unwrap().contains("is gone from the disk"));
}

#[test]
fn a_snapshot_that_was_damaged_beside_the_server_is_told_and_written_anew() {
    let fixture = ingested();
    ok(&fixture, "persist", json!({"action": "save"}));
    let snapshot = fixture.runtime.workspace().unwrap().runtime_root().join("graph.snapshot");
    fs::remove_file(&snapshot).unwrap();
    fs::write(&snapshot, "no graph").unwrap();
    let doctor = ok(&fixture, "doctor", json!({}));
    assert_eq!(doctor["status"], "degraded", "{doctor}");
    assert!(doctor["warnings"].to_string().contains("on disk cannot be read"), "{doctor}");
    assert!(!doctor["next_actions"].as_array().unwrap().is_empty(), "{doctor}");
    let test = ok(&fixture, "trust_selftest", json!({}));
    assert_eq!((&test["ok"], &test["warnings"]), (&json!(false), &doctor["warnings"]), "{test}");
    assert!(test["checks"]["host_surface_complete"].is_null(), "nobody said what the host shows: {test}");
    let book = ok(&fixture, "recovery_playbook", json!({}));
    let step = book["steps"].as_array().unwrap().iter().find(|step| step["id"] == "save_anew").unwrap();
    ok(&fixture, "persist", step["arguments"].clone());
    assert_eq!(ok(&fixture, "doctor", json!({}))["status"], "ok");
}
