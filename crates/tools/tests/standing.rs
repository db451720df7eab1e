//! What a mission may rest on: the change it reviews, the repository it means, lines that are there.

#![allow(clippy::unwrap_used)]

use std::fs;

use m1nd_testkit::{Fixture, lay_out};
use serde_json::{Value, json};

#[path = "common/commits.rs"]
mod commits;
mod common;

use commits::{ANN, commit};
use common::{ok, refused, shows};

fn begin(fixture: &Fixture, arguments: Value) -> String {
    ok(fixture, "mission_start", arguments)["mission_id"].as_str().unwrap().to_owned()
}

fn gaps(fixture: &Fixture, id: &str) -> Vec<String> {
    let shown = ok(fixture, "mission_show", json!({"mission_id": id, "events": 0}));
    let gaps = shown["gaps"].as_array().cloned().unwrap_or_default();
    gaps.iter().map(|gap| gap["gap"].as_str().unwrap().to_owned()).collect()
}

/// What a claim that cites one call is judged to be.
fn verdict(fixture: &Fixture, id: &str, seen: &Value) -> Value {
    let cited = json!([seen["mission_event_id"]]);
    let claim = json!({"mission_id": id, "claim": "it is so", "event_ids": cited});
    ok(fixture, "mission_verify", shows(claim, seen))["verdict"].clone()
}

#[test]
fn a_review_ends_only_after_a_changed_file_was_read() {
    let fixture = Fixture::new(m1nd_tools::surface(), "//- a b.py\nx = 1\n//- LICENSE.md\nFree as air.\n");
    commit(
        fixture.root(),
        ANN,
        &[("a b.py", "x = 0\n"), ("gone.py", "y = 0\n"), ("LICENSE.md", "Free as air.\n")],
    );
    ok(&fixture, "ingest", json!({}));
    let id = begin(&fixture, json!({"goal": "review the change", "mode": "review"}));
    let found = ok(&fixture, "review", json!({"base": "HEAD", "mission_id": id}));
    assert_eq!(found["changed_files"], 2, "{found}");
    let next = ok(&fixture, "mission_next", json!({"mission_id": id}));
    assert_eq!(next["next_move"]["arguments"]["file_path"], "a b.py", "{next}");
    let seen = ok(&fixture, "view", json!({"file_path": "LICENSE.md", "mission_id": id}));
    assert_eq!(verdict(&fixture, &id, &seen), "verified_for_mission");
    assert_eq!(gaps(&fixture, &id), ["change_not_read"]);
    let said = refused(&fixture, "mission_close", json!({"mission_id": id}));
    assert_eq!(said["detail"]["gaps"][0]["gap"], "change_not_read", "{said}");
    ok(&fixture, "view", next["next_move"]["arguments"].clone());
    ok(&fixture, "mission_close", json!({"mission_id": id}));
}

#[test]
fn a_review_whose_change_set_moved_on_is_not_closed_before_that_was_looked_at() {
    let fixture = Fixture::new(m1nd_tools::surface(), "//- a.py\nnumber = 1\n//- b.py\nother_value = 0\n");
    commit(fixture.root(), ANN, &[("a.py", "number = 0\n"), ("b.py", "other_value = 0\n")]);
    ok(&fixture, "ingest", json!({}));
    let id = begin(&fixture, json!({"goal": "review the change", "mode": "review"}));
    ok(&fixture, "review", json!({"base": "HEAD", "mission_id": id}));
    let seen = ok(&fixture, "view", json!({"file_path": "a.py", "mission_id": id}));
    assert_eq!(verdict(&fixture, &id, &seen), "verified_for_mission");
    assert_eq!(gaps(&fixture, &id), Vec::<String>::new());
    fs::write(fixture.root().join("b.py"), "other_value = 1\n").unwrap();
    fs::write(fixture.root().join("c.py"), "third_value = 1\n").unwrap();
    let said = refused(&fixture, "mission_close", json!({"mission_id": id}));
    assert_eq!(said["detail"]["gaps"][0]["gap"], "change_set_moved", "{said}");
    assert!(said["detail"]["gaps"][0]["why"].as_str().unwrap().contains("b.py, c.py"), "{said}");
    let next = ok(&fixture, "mission_next", json!({"mission_id": id}));
    assert_eq!(next["next_move"]["tool"], "review", "{next}");
    assert_eq!(next["next_move"]["arguments"]["base"], "HEAD", "{next}");
    ok(&fixture, "review", next["next_move"]["arguments"].clone());
    assert_eq!(gaps(&fixture, &id), ["change_not_read", "no_claim"]);
    let next = ok(&fixture, "mission_next", json!({"mission_id": id}));
    let seen = ok(&fixture, "view", next["next_move"]["arguments"].clone());
    assert!(["b.py", "c.py"].contains(&seen["file_path"].as_str().unwrap()), "{next}");
    let claim = json!({"mission_id": id, "claim": "so is this", "event_ids": [seen["mission_event_id"]]});
    ok(&fixture, "mission_verify", shows(claim, &seen));
    ok(&fixture, "mission_close", json!({"mission_id": id}));
}

#[test]
fn a_mission_about_a_second_repository_is_proved_by_its_files_and_by_no_others() {
    let fixture = common::ingested();
    let other = fixture.outside().join("lib");
    lay_out(&other, "//- kit.py\ndef open(): ...\n");
    fs::create_dir(other.join(".git")).unwrap();
    let start = json!({"goal": "open is right", "mode": "bug_hunt", "repo": other});
    let early = begin(&fixture, start.clone());
    let add = json!({"path": other, "namespace": "lib", "intent": "add_root"});
    assert_eq!(ok(&fixture, "ingest", add)["state"], "done");
    let late = begin(&fixture, start);
    for id in [&early, &late] {
        let shown = ok(&fixture, "mission_show", json!({"mission_id": id}));
        assert_eq!(shown["repo"], json!(other), "{shown}");
        let host = ok(&fixture, "view", json!({"file_path": "src/main.rs", "mission_id": id}));
        assert!(host["mission_warnings"].to_string().contains("carry nothing"), "{host}");
        assert_eq!(verdict(&fixture, id, &host), "needs_direct_evidence");
        let own = ok(&fixture, "view", json!({"file_path": "lib::/kit.py", "mission_id": id}));
        assert!(own["mission_warnings"].is_null(), "{own}");
        assert_eq!(verdict(&fixture, id, &own), "verified_for_mission");
        let shown = ok(&fixture, "mission_show", json!({"mission_id": id}));
        assert_eq!(shown["files_read"], json!(["lib::/kit.py"]), "{shown}");
    }
    let child = ok(&fixture, "mission_resume", json!({"mission_id": late}));
    let shown = ok(&fixture, "mission_show", json!({"mission_id": child["mission_id"]}));
    assert_eq!((&shown["repo"], &shown["context_guard"]["class"]), (&json!(other), &json!("federated")));
    // A mission about the workspace may look at all of its graph.
    let own = begin(&fixture, json!({"goal": "greet", "mode": "bug_hunt"}));
    let seen = ok(&fixture, "view", json!({"file_path": "lib::/kit.py", "mission_id": own}));
    assert_eq!(verdict(&fixture, &own, &seen), "verified_for_mission");
}

#[test]
fn a_told_step_that_is_refused_says_which_field_and_lines_that_are_not_there_carry_nothing() {
    let fixture = common::ingested();
    let id = begin(&fixture, json!({"goal": "greet", "mode": "bug_hunt"}));
    let wrong = [
        ("agent_confidence", json!("high")),
        ("duration_ms", json!("x")),
        ("note", json!(5)),
        ("target", json!(5)),
        ("evidence_class", json!("hearsay")),
    ];
    for (field, value) in wrong {
        let mut event =
            json!({"mission_id": id, "event_type": "file_read", "target": "x", "outcome": "read"});
        event[field] = value;
        let said = refused(&fixture, "mission_event", event);
        assert!(said["message"].as_str().unwrap().contains(&format!("`{field}`")), "{field}: {said}");
    }
    for (target, carries) in [
        ("src/main.rs:99999", false),
        ("src/main.rs:0", false),
        ("src/main.rs:2", true),
        ("src/main.rs:2-99999", true),
        ("src/main.rs", true),
    ] {
        let told = json!({"mission_id": id, "event_type": "file_read", "target": target,
            "evidence_class": "direct_source", "outcome": "read"});
        let told = ok(&fixture, "mission_event", told);
        assert_eq!(told["content_hash"].is_string(), carries, "{target}: {told}");
        assert_eq!(told["warnings"].to_string().contains("carries nothing"), !carries, "{target}: {told}");
        let line = "2\t    println!(\"{}\", greet(\"you\"));";
        let seen = json!({"mission_event_id": told["event_id"], "content": line});
        let judged = verdict(&fixture, &id, &seen);
        assert_eq!(judged == "verified_for_mission", carries, "{target}: {judged}");
    }
}

#[test]
fn a_child_s_known_path_that_leads_nowhere_is_said_and_not_asked_for() {
    let fixture = common::ingested();
    let id = begin(&fixture, json!({"goal": "greet", "mode": "bug_hunt", "known_paths": ["src/main.rs"]}));
    let dead =
        json!({"mission_id": id, "event_type": "dead_path", "target": "src/main.rs", "outcome": "dead_path"});
    ok(&fixture, "mission_event", dead);
    let next = ok(&fixture, "mission_next", json!({"mission_id": id}));
    assert_ne!(next["next_move"]["arguments"]["file_path"], "src/main.rs", "{next}");
    let child =
        json!({"goal": "greet", "mode": "bug_hunt", "parent_mission_id": id, "known_paths": ["src/main.rs"]});
    let child = ok(&fixture, "mission_start", child);
    assert!(child["warnings"].to_string().contains("dead path"), "{child}");
    assert_ne!(child["starter_moves"][0]["arguments"]["file_path"], "src/main.rs", "{child}");
}

#[test]
fn tools_that_nobody_has_are_told_from_tools_that_a_host_hides() {
    let fixture = common::ingested();
    let said = ok(&fixture, "session_handshake", json!({"missing_tools": ["bogus_tool"]}));
    assert_eq!(said["trust_mode"], "full_trust", "{said}");
    assert_eq!(said["tool_surface"]["no_such"], json!(["bogus_tool"]), "{said}");
    let names = said["tool_surface"]["listed"].as_u64().unwrap();
    assert!(names > 10, "{said}");
    let listed = common::registry().entries().filter(|(_, set)| set.as_str() == "core");
    let listed: Vec<String> = listed.map(|(entry, _)| entry.spec.name.to_owned()).collect();
    let shown = |before: &str, without: &[&str], more: &[&str]| {
        let own = listed.iter().filter(|name| !without.contains(&name.as_str()));
        let own = own.map(|name| format!("{before}{name}"));
        let all: Vec<String> = own.chain(more.iter().map(|name| (*name).to_owned())).collect();
        ok(&fixture, "session_handshake", json!({"available_tools": all}))
    };
    let own = shown("mcp__m1nd__", &[], &["Bash", "Read", "mcp__other__search"]);
    assert_eq!(own["tool_surface"]["status"], "complete", "{own}");
    let others = ["mcp__github__search", "mcp__rag__ingest"];
    let hidden = shown("mcp__m1nd__", &["search", "ingest"], &others);
    assert_eq!(hidden["tool_surface"]["hidden"], json!(["ingest", "search"]), "{hidden}");
    assert_eq!(hidden["can_ingest"], false, "{hidden}");
}
