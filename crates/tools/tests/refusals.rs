//! What every tool refuses, and how.

#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::os::unix::fs::symlink;

use common::{registry, remembered};
use m1nd_contract::header::Field;
use m1nd_runtime::Family;
use m1nd_testkit::Fixture;
use serde_json::{Map, Value, json};

/// String arguments that name files. Every other string argument must be listed below.
const PATHS: [&str; 5] = ["file_path", "scope", "files", "path", "rename_to"];

/// String arguments that are not paths.
const NOT_PATHS: &[&str] = &[
    "part",
    "cursor",
    "host",
    "new_content",
    "old",
    "new",
    "expected_sha256",
    "diff",
    "verify",
    "preview_id",
    "batch_id",
    "available_tools",
    "missing_tools",
    "observed_tool",
    "observed_proof_state",
    "trust_mode",
    "mission_id",
    "goal",
    "known_paths",
    "parent_mission_id",
    "repo",
    "phase",
    "event_type",
    "evidence_class",
    "outcome",
    "note",
    "quote",
    "claim_id",
    "event_ids",
    "handoff_id",
    "status",
    "at_event",
    // Names of graphs; a file among them has a test of its own.
    "snapshot_a",
    "snapshot_b",
    "question",
    "focus_nodes",
    "base",
    "name",
    "with",
    "without",
    "named",
    "description",
    "severity",
    "replaces",
    "antibody_ids",
    "baseline",
    "since",
    "task_description",
    "dimensions",
    "source",
    "target",
    "feedback",
    "node_id",
    "node_ids",
    "node_types",
    "group_by",
    "agent_id",
    "contract",
    "query",
    "mode",
    "glob",
    "pattern",
    "sort",
    "node_id",
    "tool",
    "intent",
    "error_text",
    "adapter",
    "namespace",
    "profile",
    "by",
    "center",
    "diff",
    "diff_encoding",
    "depth",
    "node",
    "changed_node",
    "changed_nodes",
    "direction",
    "error_text",
    "language",
    "claim",
    "node_ids",
    "perspective_id",
    "route_id",
    "other_id",
    "family",
    "label",
    "visited",
    "region",
    "nodes",
    "key",
    "value",
    "action",
    "replace",
    "trail_id",
    "trail_ids",
    "of_agent",
    "lock_id",
    "open_questions",
    "tags",
    "summary",
];

/// String arguments of memory and tasks: names inside the store, and words. `path` is a step's place there; the paths
/// of anchors lie deeper and have a test of their own.
const MEMORY: &[&str] = &[
    "workspace",
    "target",
    "branch",
    "doc",
    "doc_kind",
    "content",
    "title",
    "format",
    "idempotency_key",
    "from",
    "into",
    "to",
    "name",
    "ref",
    "message",
    "body",
    "query",
    "kinds",
    "since",
    "anchors",
    "ids",
    "types",
    "status",
    "tags_any",
    "tags_all",
    "text",
    "conflict_id",
    "resolution",
    "type",
    "trace_doc",
    "graph_doc",
    "supports",
    "blocks",
    "supersedes",
    "task",
    "agent_id",
    "claim_token",
    "path",
    "kind",
    "parent",
    "description",
    "contract",
    "depends_on",
    "success_criteria",
    "tests",
    "blockers",
    "note",
    "step_id",
];

fn properties(tool: &str) -> Map<String, Value> {
    let schema = registry().listing(tool).unwrap().input_schema;
    schema["properties"].as_object().unwrap().clone()
}

/// Arguments of the tool's first example.
fn example(tool: &str) -> Value {
    let (entry, _) = registry().entry(tool).unwrap();
    serde_json::from_str(entry.spec.examples[0].arguments).unwrap()
}

#[test]
fn every_string_argument_is_known_as_a_path_or_not() {
    for (entry, _) in registry().entries() {
        for (name, schema) in properties(entry.spec.name) {
            if MEMORY.contains(&name.as_str()) && entry.spec.caller == Field::Workspace {
                continue;
            }
            let text = schema["type"] == "string" || schema["items"]["type"] == "string";
            let known = PATHS.contains(&name.as_str()) || NOT_PATHS.contains(&name.as_str());
            let other = ["format", "toolsets", "job_id", "action"].contains(&name.as_str());
            assert!(!text || known || other, "{}: is {name} a path?", entry.spec.name);
        }
    }
}

#[test]
fn no_path_argument_of_any_tool_leads_outside() {
    let fixture = remembered();
    fs::write(fixture.outside().join("outside.txt"), "outside-secret").unwrap();
    fs::create_dir(fixture.outside().join("ws-sibling")).unwrap();
    fs::write(fixture.outside().join("ws-sibling/x.txt"), "outside-secret").unwrap();
    symlink("../outside.txt", fixture.root().join("link.txt")).unwrap();
    symlink("..", fixture.root().join("up")).unwrap();
    symlink("/", fixture.root().join("slash")).unwrap();
    let absolute = fixture.outside().join("outside.txt").display().to_string();
    let sibling = fixture.outside().join("ws-sibling").display().to_string();
    let forms = [
        "../outside.txt",
        "src/../../outside.txt",
        "./../outside.txt",
        "..",
        "../",
        "/",
        "/etc/passwd",
        &absolute,
        &sibling,
        "../ws-sibling",
        "link.txt",
        "up/outside.txt",
        "slash/etc/passwd",
        "..%2foutside.txt",
        "%2e%2e/outside.txt",
        "..\\outside.txt",
        "src/main.rs\0.txt",
        "file:///etc/passwd",
    ];
    let mut tried = 0;
    for (entry, _) in registry().entries() {
        let tool = entry.spec.name;
        // Tools of recovery say how a scope lies to the workspace, also when it lies outside.
        let judges = matches!(entry.spec.family, Family::Trust | Family::Recover);
        if entry.spec.caller == Field::Workspace || judges {
            continue;
        }
        for name in properties(tool).keys().filter(|name| PATHS.contains(&name.as_str())) {
            for form in forms {
                let mut arguments = example(tool);
                arguments[name] = if name == "files" { json!([form]) } else { json!(form) };
                let reply = fixture.call(tool, arguments);
                let text = reply.text();
                assert!(
                    !text.contains("outside-secret") && !text.contains("root:"),
                    "{tool} {name}={form}: {text}"
                );
                let refused = reply.is_error || reply.body["failed"] == 1;
                assert!(refused, "{tool} {name}={form}: {text}");
                let code =
                    reply.body["error"]["code"].as_str().or(reply.body["files"][0]["error"]["code"].as_str());
                let wanted = if form.contains('\0') { "invalid_params" } else { "path_outside_workspace" };
                assert_eq!(code, Some(wanted), "{tool} {name}={form}: {text}");
                tried += 1;
            }
        }
    }
    assert!(tried >= forms.len() * 4, "only {tried} forms were tried");
}

#[test]
fn secrets_are_neither_shown_nor_found() {
    let fixture = remembered();
    assert!(fixture.call("view", json!({"file_path": ".env"})).is_error);
    let found = fixture.call("search", json!({"query": "do-not-read"}));
    assert_eq!(found.body["total_matches"], 0);
    assert!(
        !fixture.call("search", json!({"query": "TOKEN", "scope": ".env"})).text().contains("do-not-read")
    );
    assert!(!fixture.call("glob", json!({"pattern": ".env"})).text().contains("\".env\""));
}

#[test]
fn unknown_arguments_are_refused_with_the_nearest_name() {
    let fixture = remembered();
    for (entry, _) in registry().entries() {
        let caller = entry.spec.caller.name();
        let mut arguments = example(entry.spec.name);
        arguments[format!("{caller}d")] = json!("x");
        let reply = fixture.call(entry.spec.name, arguments);
        assert_eq!(reply.body["error"]["code"], "invalid_params", "{}", entry.spec.name);
        let message = reply.body["error"]["message"].as_str().unwrap();
        assert!(message.contains(&format!("`{caller}`")), "{message}");
    }
}

#[test]
fn a_missing_or_empty_caller_is_refused_by_every_tool() {
    let fixture = remembered();
    for (entry, _) in registry().entries() {
        for agent in [None, Some(json!("")), Some(json!(null)), Some(json!(7))] {
            let mut arguments = example(entry.spec.name).as_object().unwrap().clone();
            if let Some(agent) = &agent {
                arguments.insert(entry.spec.caller.name().into(), agent.clone());
            }
            let reply = fixture.call_raw(entry.spec.name, arguments);
            assert_eq!(reply.body["error"]["code"], "invalid_params", "{} {agent:?}", entry.spec.name);
        }
    }
}

#[test]
fn wrong_types_in_any_argument_of_any_tool_are_refused_in_words() {
    let fixture = remembered();
    let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
    let values = [
        json!(true),
        json!(-1.5),
        json!([1]),
        json!({"a": 1}),
        json!(""),
        json!("\u{0}"),
        json!(1e300),
        deep,
    ];
    for (entry, _) in registry().entries() {
        for name in properties(entry.spec.name).keys() {
            for value in &values {
                let mut arguments = example(entry.spec.name);
                arguments[name] = value.clone();
                let reply = fixture.call(entry.spec.name, arguments);
                assert_ne!(reply.body["error"]["code"], "internal", "{} {name}={value}", entry.spec.name);
                if reply.is_error {
                    assert!(reply.body["error"]["recovery"]["hint"].is_string());
                }
            }
        }
    }
}

#[test]
fn recovery_arguments_can_be_passed_on_as_they_are() {
    let fixture = remembered();
    let refused = [
        ("search", json!({"query": "("  , "mode": "regex"})),
        ("search", json!({"query": "x", "scope": "nope"})),
        ("search", json!({"query": "x", "scope": "../x"})),
        ("search", json!({"query": ""})),
        ("search", json!({"query": "a\\nb", "mode": "regex"})),
        ("glob", json!({"pattern": "["})),
        ("glob", json!({"pattern": "*", "limit": 0})),
        ("view", json!({"file_path": "src"})),
        ("view", json!({"file_path": "src/[nope].rs"})),
        ("view", json!({"file_path": ".env"})),
        ("view", json!({"node_id": "function::src/main.rs::nope"})),
        ("callers", json!({"node_id": "nope"})),
        ("callers", json!({"node_id": ""})),
        ("callees", json!({"node_id": " "})),
        ("outline", json!({"file_path": "src/nope.rs"})),
        ("job_status", json!({"job_id": "job-99"})),
        ("view", json!({"file_path": "src/main.rs", "offset": 1000})),
        ("batch_view", json!({"files": []})),
        ("help", json!({"tool": "serch"})),
        ("toolset_enable", json!({"toolsets": ["nope"]})),
        ("serch", json!({})),
        ("m1nd.nope", json!({})),
    ];
    for (tool, arguments) in refused {
        let reply = fixture.call(tool, arguments.clone());
        assert!(reply.is_error, "{tool} {arguments}: {}", reply.text());
        let recovery = &reply.body["error"]["recovery"];
        if let Some(next) = recovery["next_tool"].as_str() {
            let arguments = recovery["arguments"].as_object().unwrap().clone();
            let followed = fixture.call_raw(next, arguments);
            assert!(!followed.is_error, "{tool} -> {recovery}: {}", followed.text());
        }
    }
}

#[test]
fn faults_about_place_carry_the_runtime_contract() {
    let fixture = remembered();
    let reply = fixture.call("search", json!({"query": "x", "scope": "/somewhere/else"}));
    let contract = &reply.body["agent_runtime_contract"];
    assert_eq!(contract["trust_mode"], "wrong_workspace_binding");
    assert_eq!(contract["status"], "blocked");
    assert!(contract["workspace_binding"]["mismatch"].is_string());
}

#[test]
fn dotted_names_still_work() {
    let fixture: Fixture = remembered();
    assert!(!fixture.call("m1nd.health", json!({})).is_error);
    assert!(!fixture.call("batch.view", json!({"files": ["src/lib.rs"]})).is_error);
}

#[test]
fn an_unknown_argument_is_refused_whatever_it_is_given() {
    let fixture = Fixture::new(m1nd_tools::surface(), "//- a.txt\nx\n");
    for value in [json!(null), json!(1)] {
        let reply = fixture.call("search", json!({"query": "x", "qurey": value}));
        assert!(reply.text().contains("has no argument"), "{}", reply.text());
    }
    let reply = fixture.call("search", json!({"query": "x", "scope": null}));
    assert!(!reply.text().contains("\"error\""), "null for a known one is nothing: {}", reply.text());
}
