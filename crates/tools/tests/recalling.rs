//! What memory finds by places in the code, what a rehearsal says, and a store of a newer program.

#![allow(clippy::unwrap_used)]

mod common;

use std::fs;

use common::{fixture, ingested, ok};
use serde_json::{Value, json};

#[test]
fn a_search_for_a_function_finds_what_speaks_of_its_lines_and_of_its_file() {
    let fixture = ingested();
    let lines = fs::read_to_string(fixture.root().join("src/main.rs")).unwrap();
    let line_of = |text: &str| lines.lines().position(|line| line.contains(text)).unwrap() + 1;
    let (greet, main) = (line_of("fn greet"), line_of("fn main"));
    for (content, anchor) in [
        ("word by name", json!({"node_id": "greet"})),
        ("word by lines", json!({"path": "src/main.rs", "lines": greet.to_string()})),
        ("word by file", json!({"path": "src/main.rs"})),
        ("word of other lines", json!({"path": "src/main.rs", "lines": main.to_string()})),
        ("word of another file", json!({"path": "src/lib.rs"})),
    ] {
        let note = json!({"branch": "main", "doc": "notes", "content": content, "anchors": [anchor]});
        ok(&fixture, "branchmind_notes_commit", note);
    }
    for place in ["greet", "function::src/main.rs::greet"] {
        let found = ok(&fixture, "memory_search", json!({"query": "word", "anchors": [place]}));
        let mut texts: Vec<&str> =
            found["hits"].as_array().unwrap().iter().map(|hit| hit["snippet"].as_str().unwrap()).collect();
        texts.sort_unstable();
        assert_eq!(texts, ["word by file", "word by lines", "word by name"], "{place}");
    }
}

#[test]
fn a_rehearsed_merge_of_notes_says_that_nothing_was_written() {
    let fixture = fixture();
    ok(&fixture, "branchmind_branch_create", json!({"name": "bold"}));
    ok(&fixture, "branchmind_notes_commit", json!({"branch": "bold", "doc": "notes", "content": "x"}));
    let merge = |dry_run: bool| {
        ok(&fixture, "branchmind_merge", json!({"from": "bold", "into": "main", "dry_run": dry_run}))
    };
    let told = merge(true);
    assert_eq!((&told["merged"], &told["dry_run"]), (&json!(1), &json!(true)));
    assert!(told["next_step_hint"].as_str().unwrap().contains("Nothing was written"), "{told}");
    assert_eq!(merge(false).get("dry_run"), None);
}

#[test]
fn a_brief_points_to_a_fork_with_a_hand_off() {
    let fixture = fixture();
    ok(&fixture, "branchmind_branch_create", json!({"name": "bold"}));
    let note = json!({"branch": "bold", "doc": "notes", "content": "x", "meta": {"handoff": true}});
    ok(&fixture, "branchmind_notes_commit", note);
    let brief = ok(&fixture, "brief", json!({}));
    assert_eq!(brief["elsewhere"], json!([{"branch": "bold", "handoffs": 1}]));
    assert!(brief["next_step_hint"].as_str().unwrap().contains("bold is not checked out"), "{brief}");
}

#[test]
fn health_tells_a_store_of_a_newer_program_from_a_damaged_one() {
    let fixture = fixture();
    let folder = ok(&fixture, "branchmind_init", json!({}))["storage_dir"].as_str().unwrap().to_owned();
    let second = fixture.restart(m1nd_tools::surface());
    for name in ["memory.db-wal", "memory.db-shm"] {
        fs::remove_file(format!("{folder}/{name}")).unwrap_or_default();
    }
    // The schema version is kept at this place of the file.
    let path = format!("{folder}/memory.db");
    let mut bytes = fs::read(&path).unwrap();
    bytes[60..64].copy_from_slice(&99_u32.to_be_bytes());
    fs::remove_file(&path).unwrap();
    fs::write(&path, &bytes).unwrap();
    let call = |tool: &str, arguments: Value| second.call_raw(tool, arguments.as_object().unwrap().clone());
    let refused = call("brief", json!({"workspace": "demo"}));
    assert!(refused.is_error && refused.text().contains("schema version 99"), "{}", refused.text());
    let health = call("health", json!({"agent_id": "a"})).body;
    assert_eq!((&health["status"], &health["memory"]["state"]), (&json!("degraded"), &json!("newer")));
    let hint = health["next_step_hint"].as_str().unwrap();
    assert!(hint.contains("update") && !hint.contains("sets it aside"), "{hint}");
    assert_eq!(fs::read(&path).unwrap(), bytes, "nothing was moved or changed");
}
