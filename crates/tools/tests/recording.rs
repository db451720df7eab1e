//! What the ledger of a mission says of calls, and what is shown of it however little room there is.

#![allow(clippy::unwrap_used)]

use std::fs;

use m1nd_testkit::Fixture;
use serde_json::{Value, json};

mod common;
use common::{ok, refused};

fn started(mode: &str) -> (Fixture, String) {
    let fixture = common::ingested();
    let begun = ok(&fixture, "mission_start", json!({"goal": "greet by name", "mode": mode}));
    let id = begun["mission_id"].as_str().unwrap().to_owned();
    (fixture, id)
}

fn newest(fixture: &Fixture, id: &str) -> Value {
    ok(fixture, "mission_show", json!({"mission_id": id, "events": 1}))["events"][0].clone()
}

#[test]
fn the_target_of_a_call_is_what_was_asked_and_other_questions_are_no_loop() {
    let (fixture, id) = started("orientation");
    let asks = [
        ("hypothesize", json!({"claim": "main calls greet"}), "main calls greet"),
        ("why", json!({"source": "main", "target": "greet"}), "main -> greet"),
        ("trace", json!({"error_text": "src/main.rs:2 panicked"}), "src/main.rs:2 panicked"),
        (
            "validate_plan",
            json!({"actions": [{"action_type": "modify", "file_path": "src/lib.rs"}]}),
            r#"actions: [{"action_type":"modify","file_path":"src/lib.rs"}]"#,
        ),
    ];
    for (tool, mut arguments, target) in asks {
        arguments["mission_id"] = json!(id);
        fixture.call(tool, arguments);
        let event = newest(&fixture, &id);
        assert_eq!((&event["event_type"], &event["target"]), (&json!(tool), &json!(target)), "{event}");
    }
    for direction in ["forward", "reverse", "both"] {
        let asked = json!({"node_id": "greet", "direction": direction, "mission_id": id});
        let said = ok(&fixture, "impact", asked);
        assert!(said["mission_warnings"].is_null(), "{said}");
    }
    for scope in ["src", "docs", "src/main.rs"] {
        let asked = json!({"query": "greet", "scope": scope, "mission_id": id});
        let said = ok(&fixture, "seek", asked);
        assert!(!said["mission_warnings"].to_string().contains("Loop"), "{said}");
    }
    for (at, loops) in [(1, false), (2, false), (3, true)] {
        let asked =
            json!({"node_id": "add", "direction": "forward", "max_chars": 2_000 + at, "mission_id": id});
        let said = ok(&fixture, "impact", asked);
        assert_eq!(said["mission_warnings"].to_string().contains("Loop"), loops, "{at}: {said}");
    }
}

#[test]
fn a_search_whose_matches_had_no_room_found_something_all_the_same() {
    let (fixture, id) = started("bug_hunt");
    let long = format!("name {}\n", "x".repeat(900)).repeat(40);
    fs::write(fixture.root().join("docs/long.md"), long).unwrap();
    let asked = json!({"query": "name", "scope": "docs/long.md", "max_chars": 600, "mission_id": id});
    let found = ok(&fixture, "search", asked);
    assert!(found["matches"].as_array().unwrap().is_empty(), "{found}");
    assert!(found["total_matches"].as_u64().unwrap() > 0, "{found}");
    let event = newest(&fixture, &id);
    assert_eq!((&event["outcome"], &event["evidence_class"]), (&json!("not_shown"), &Value::Null), "{event}");
    ok(&fixture, "search", json!({"query": "zzqq", "mission_id": id}));
    assert_eq!(newest(&fixture, &id)["outcome"], "nothing_found");
}

#[test]
fn no_event_is_lost_between_pages_however_small_they_are() {
    let (fixture, id) = started("bug_hunt");
    for at in 0..6 {
        let told = json!({"mission_id": id, "event_type": "command", "target": format!("{at}").repeat(300),
            "outcome": "ok", "note": "n".repeat(2_000)});
        ok(&fixture, "mission_event", told);
    }
    let all = ok(&fixture, "mission_show", json!({"mission_id": id}))["sequence"].as_u64().unwrap();
    let (mut before, mut seen) = (Value::Null, Vec::new());
    loop {
        let page = json!({"mission_id": id, "before": before, "max_chars": 500});
        let page = ok(&fixture, "mission_show", page);
        let events = page["events"].as_array().unwrap();
        assert!(!events.is_empty(), "{page}");
        seen.extend(events.iter().map(|event| event["sequence"].as_u64().unwrap()));
        before = page["next_before"].clone();
        if before.is_null() {
            break;
        }
    }
    assert_eq!(seen, (1..=all).rev().collect::<Vec<_>>());
}

#[test]
fn what_a_child_inherits_is_listed_and_long_texts_leave_room_for_the_next_move() {
    let fixture = common::ingested();
    let goal = "a goal that is told at length ".repeat(130);
    let begun = ok(&fixture, "mission_start", json!({"goal": goal.trim(), "mode": "bug_hunt"}));
    let id = begun["mission_id"].as_str().unwrap().to_owned();
    let run = json!({"event_type": "test_run", "target": "cargo test greet", "outcome": "passed"});
    let claim = "a claim that is told at length ".repeat(120);
    let verify = json!({"mission_id": id, "claim": claim.trim(), "evidence": [run]});
    assert_eq!(ok(&fixture, "mission_verify", verify)["verdict"], "verified_for_mission");
    ok(&fixture, "view", json!({"file_path": "src/main.rs", "mission_id": id}));
    let dead = json!({"mission_id": id, "event_type": "dead_path", "target": "x.py", "outcome": "dead_path"});
    ok(&fixture, "mission_event", dead);
    let handoff = ok(&fixture, "mission_handoff", json!({"mission_id": id}));
    assert!(handoff.to_string().len() < 4_000, "{}", handoff.to_string().len());
    assert!(handoff["left_out"].is_null() && handoff["shortened"] == true, "{handoff}");
    let resumed = ok(&fixture, "mission_resume", json!({"mission_id": id}));
    assert!(resumed.to_string().len() < 4_000, "{resumed}");
    assert!(resumed["next_move"]["tool"].is_string() && resumed["left_out"].is_null(), "{resumed}");
    for list in ["verified_claims", "dead_paths", "tests_run", "current"] {
        assert_eq!(resumed[list].as_array().unwrap().len(), 1, "{list}: {resumed}");
    }
    let child = json!({"mission_id": resumed["mission_id"], "max_chars": 30_000});
    let shown = ok(&fixture, "mission_show", child);
    assert_eq!(shown["claims"][0]["text"], claim.trim(), "{shown}");
    assert_eq!(shown["files_read"], json!(["src/main.rs"]), "{shown}");
    assert_eq!(shown["tests_run"][0]["target"], "cargo test greet", "{shown}");
}

#[test]
fn a_call_that_is_refused_for_its_arguments_is_a_step() {
    let (fixture, id) = started("bug_hunt");
    refused(&fixture, "view", json!({"file_path": "src/main.rs", "lines": 3, "mission_id": id}));
    let event = newest(&fixture, &id);
    assert_eq!((&event["event_type"], &event["outcome"]), (&json!("view"), &json!("failed")), "{event}");
}

#[test]
fn a_path_outside_carries_the_guard_in_a_batch_too() {
    let (fixture, _) = started("bug_hunt");
    let other = fixture.outside().join("elsewhere");
    fs::create_dir_all(other.join(".git")).unwrap();
    fs::write(other.join("a.py"), "x\n").unwrap();
    let files = json!(["src/main.rs", other.join("a.py").to_str().unwrap()]);
    let seen = ok(&fixture, "batch_view", json!({"files": files}));
    let guard = &seen["files"][1]["error"]["context_guard"];
    assert_eq!(guard["class"], "wrong_workspace_binding", "{seen}");
    assert_eq!(guard["recoveries"].as_array().unwrap().len(), 3, "{seen}");
}

#[test]
fn a_memory_that_was_set_aside_is_said_by_health_and_doctor() {
    let (fixture, _) = started("bug_hunt");
    let root = fixture.runtime.workspace().unwrap().runtime_root().to_owned();
    assert_eq!(ok(&fixture, "health", json!({}))["status"], "ok");
    for name in ["memory.db-wal", "memory.db-shm"] {
        fs::remove_file(root.join(name)).unwrap_or_default();
    }
    fs::remove_file(root.join("memory.db")).unwrap();
    fs::write(root.join("memory.db"), "garbage").unwrap();
    fixture.call("mission_list", json!({}));
    ok(&fixture, "mission_list", json!({}));
    let doctor = ok(&fixture, "doctor", json!({}));
    assert_eq!(doctor["status"], "degraded", "{doctor}");
    assert!(doctor["warnings"].to_string().contains("set aside"), "{doctor}");
    assert!(!doctor["next_actions"].to_string().contains("Nothing is wrong"), "{doctor}");
    let health = ok(&fixture, "health", json!({}));
    assert_eq!(health["status"], "degraded", "{health}");
    assert!(health["next_step_hint"].as_str().unwrap().contains("set aside"), "{health}");
}
