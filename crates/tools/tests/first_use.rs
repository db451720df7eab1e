//! Memory as somebody meets it who tries it for the first time.

#![allow(clippy::unwrap_used)]

mod common;

use common::{fixture, remembered};
use m1nd_testkit::Fixture;
use serde_json::{Value, json};

fn ok(fixture: &Fixture, tool: &str, arguments: Value) -> Value {
    let reply = fixture.call(tool, arguments.clone());
    assert!(!reply.is_error, "{tool} {arguments}: {}", reply.text());
    reply.body
}

#[test]
fn a_brief_calls_memory_empty_only_when_it_is() {
    let fixture = fixture();
    let hint = |arguments: Value| {
        ok(&fixture, "brief", arguments)["next_step_hint"].as_str().unwrap_or_default().to_owned()
    };
    assert!(hint(json!({})).contains("Nothing was remembered"));
    ok(&fixture, "branchmind_branch_create", json!({"name": "aside"}));
    ok(&fixture, "branchmind_notes_commit", json!({"branch": "aside", "doc": "notes", "content": "tried"}));
    assert!(hint(json!({})).contains("Nothing is open here"), "{}", hint(json!({})));
    ok(&fixture, "branchmind_notes_commit", json!({"branch": "main", "doc": "notes", "content": "kept"}));
    let brief = ok(&fixture, "brief", json!({}));
    assert_eq!(brief["notes"][0]["text"], "kept", "{brief}");
    assert!(!brief.to_string().contains("Nothing"), "{brief}");
}

#[test]
fn nobody_is_sent_to_a_task_that_another_agent_holds() {
    let fixture = remembered();
    ok(&fixture, "tasks_create", json!({"title": "Free", "kind": "task"}));
    let next = |agent: &str| {
        let brief = ok(&fixture, "brief", json!({"agent_id": agent}));
        (
            brief["next_suggested_tool"].clone(),
            brief["next_suggested_target"].clone(),
            brief["next_step_hint"].clone(),
        )
    };
    assert_eq!(next("bob").0, "tasks_radar");
    ok(&fixture, "tasks_claim", json!({"task": "TASK-001", "agent_id": "ann"}));
    assert_eq!(next("ann").1, "TASK-001");
    let (tool, target, hint) = next("bob");
    assert_eq!((&tool, &target), (&json!("tasks_claim"), &json!("TASK-003")));
    assert!(hint.as_str().unwrap().starts_with("ann holds TASK-001"), "{hint}");
    ok(&fixture, "tasks_edit", json!({"task": "TASK-001", "status": "cancelled"}));
    let (_, target, hint) = next("bob");
    assert_eq!(target, "TASK-003");
    assert!(hint.as_str().unwrap().starts_with("TASK-001, which is in focus, is cancelled"), "{hint}");
}

#[test]
fn a_name_of_several_nodes_is_called_ambiguous() {
    let fixture = fixture();
    std::fs::write(fixture.root().join("src/other.rs"), "pub fn greet() {}\n").unwrap();
    assert_eq!(ok(&fixture, "ingest", json!({}))["state"], "done");
    let note = json!({"branch": "main", "doc": "notes", "content": "x", "anchors": [{"node_id": "greet"}]});
    let error = fixture.call("branchmind_notes_commit", note).body["error"].clone();
    assert_eq!(error["code"], "ambiguous_node", "{error}");
    let ids: Vec<&str> =
        error["detail"]["candidates"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(ids, ["function::src/main.rs::greet", "function::src/other.rs::greet"]);
}
