//! Missions through the pipeline: recorded by the runtime, proved by what was seen, handed over and checked.

#![allow(clippy::unwrap_used)]

use std::fs;

use m1nd_mission::packet;
use m1nd_testkit::Fixture;
use serde_json::{Value, json};

mod common;
use common::{ok, refused, shows};

const REPO: &str = r#"
//- src/limit.py
def drain(queue):
    while len(queue) > 1:
        queue.pop()

def run(queue):
    drain(queue)
//- src/other.py
def unrelated(): ...
//- README.md
The limiter drains every job.
"#;

fn started(mode: &str, known: &[&str]) -> (Fixture, String) {
    let fixture = Fixture::new(m1nd_tools::surface(), REPO);
    ok(&fixture, "ingest", json!({}));
    let goal = "the limiter keeps the last job";
    let begun = ok(&fixture, "mission_start", json!({"goal": goal, "mode": mode, "known_paths": known}));
    let id = begun["mission_id"].as_str().unwrap().to_owned();
    (fixture, id)
}

fn event(body: &Value) -> &Value {
    assert!(body["mission_event_id"].is_string(), "{body}");
    &body["mission_event_id"]
}

#[test]
fn a_bug_hunt_from_start_to_a_packet_that_proves_itself() {
    let (fixture, id) = started("bug_hunt", &["src/limit.py"]);
    let next = ok(&fixture, "mission_next", json!({"mission_id": id}));
    assert_eq!(next["next_move"]["tool"], "view", "{next}");
    let mut arguments = next["next_move"]["arguments"].clone();
    arguments["mission_id"] = json!(id);
    let seen = ok(&fixture, "view", arguments);
    let read = event(&seen).clone();
    let verdict = ok(
        &fixture,
        "mission_verify",
        shows(json!({"mission_id": id, "claim": "drain stops one job early", "event_ids": [read]}), &seen),
    );
    assert_eq!(verdict["verdict"], "verified_for_mission", "{verdict}");
    assert!(verdict["self_reported"].is_null(), "the runtime saw it: {verdict}");
    let trust = ok(&fixture, "trust", json!({}));
    let row = &trust["modules"][0];
    assert_eq!((&row["file_path"], &row["told"]), (&json!("src/limit.py"), &json!(1)), "{trust}");
    let gaps = refused(&fixture, "mission_close", json!({"mission_id": id}));
    assert_eq!(gaps["detail"]["gaps"][0]["gap"], "no_negative_space_sweep", "{gaps}");
    let sweep = json!({"phase": "sweep", "event_type": "file_read", "target": "README.md",
        "evidence_class": "direct_source", "outcome": "hypothesis_supported"});
    let next = ok(&fixture, "mission_next", json!({"mission_id": id, "last_event": sweep}));
    assert_eq!(next["next_move"]["tool"], "mission_close", "{next}");
    let closed = ok(&fixture, "mission_close", json!({"mission_id": id}));
    let text = fs::read_to_string(closed["packet_path"].as_str().unwrap()).unwrap();
    let checked = packet::check(&text);
    assert!(checked.intact, "{checked:?}");
    assert_eq!(checked.anchors[0].0, "src/limit.py");
    let lines = fs::read_to_string(closed["packet_path"].as_str().unwrap().replace("packet.json", "jsonl"));
    assert_eq!(lines.unwrap().lines().count() as u64 + 1, closed["event_count"].as_u64().unwrap());
    let after = refused(&fixture, "view", json!({"file_path": "README.md", "mission_id": id}));
    assert_eq!(after["code"], "conflict", "{after}");
}

#[test]
fn a_claim_that_rests_on_the_graph_is_never_verified_and_one_on_changed_files_neither() {
    let (fixture, id) = started("bug_hunt", &[]);
    let seek = ok(&fixture, "seek", json!({"query": "drain the queue", "mission_id": id}));
    let callers = ok(&fixture, "callers", json!({"node_id": "drain", "mission_id": id}));
    let cited = json!([event(&seek), event(&callers)]);
    let verify = |events: &Value, seen: &Value| {
        let arguments = json!({"mission_id": id, "claim": "drain stops early", "event_ids": events});
        ok(&fixture, "mission_verify", shows(arguments, seen))["verdict"].clone()
    };
    assert_eq!(verify(&cited, &seek), "needs_direct_evidence");
    let read = ok(&fixture, "search", json!({"query": "len(queue)", "mission_id": id}));
    fs::write(fixture.root().join("src/limit.py"), "def drain(queue): queue.clear()\n").unwrap();
    assert_eq!(verify(&json!([event(&read)]), &read), "needs_direct_evidence", "the file is another one now");
    let read = ok(&fixture, "view", json!({"file_path": "src/limit.py", "mission_id": id}));
    assert_eq!(verify(&json!([event(&read)]), &read), "verified_for_mission");
}

#[test]
fn going_round_in_circles_is_said_in_the_answer_itself() {
    let (fixture, id) = started("bug_hunt", &[]);
    let ask = || ok(&fixture, "seek", json!({"query": "limiter", "mission_id": id}));
    assert!(ask()["mission_warnings"].is_null());
    ask();
    let third = ask();
    assert!(third["mission_warnings"][0].as_str().unwrap().starts_with("Loop"), "{third}");
}

#[test]
fn a_second_agent_goes_on_without_going_back() {
    let (fixture, id) = started("bug_hunt", &[]);
    let dead = json!({"mission_id": id, "event_type": "file_read", "target": "src/other.py",
        "evidence_class": "direct_source", "outcome": "dead_path", "note": "nothing of the limiter"});
    ok(&fixture, "mission_event", dead);
    ok(&fixture, "view", json!({"file_path": "src/limit.py", "mission_id": id}));
    let handoff = ok(&fixture, "mission_handoff", json!({"mission_id": id}));
    assert!(handoff.to_string().len() < 4_000, "{handoff}");
    assert_eq!(handoff["graph_anchors"][0]["today"], "current", "{handoff}");
    fs::write(fixture.root().join("src/limit.py"), "def drain(queue): ...\n").unwrap();
    let resumed = ok(&fixture, "mission_resume", json!({"handoff_id": handoff["handoff_id"]}));
    assert_eq!(resumed["dead_paths"][0]["target"], "src/other.py", "{resumed}");
    assert_eq!(resumed["stale"][0]["path"], "src/limit.py", "{resumed}");
    assert_eq!(resumed["stale"][0]["today"], "changed", "{resumed}");
    let next = ok(&fixture, "mission_next", json!({"mission_id": resumed["mission_id"]}));
    assert!(next["do_not"].to_string().contains("src/other.py"), "{next}");
    let shown = ok(&fixture, "mission_show", json!({"mission_id": id, "at_event": "2"}));
    assert_eq!(shown["sequence"], 2, "{shown}");
    let listed = ok(&fixture, "mission_list", json!({}));
    assert_eq!(listed["missions"].as_array().unwrap().len(), 2);
}

#[test]
fn what_a_mission_refuses_costs_nothing_and_says_what_to_do() {
    let (fixture, id) = started("edit", &[]);
    let code = |tool: &str, arguments: Value| refused(&fixture, tool, arguments)["code"].clone();
    assert_eq!(code("mission_next", json!({"mission_id": "msn_0000000000"})), "unknown_target");
    assert_eq!(code("view", json!({"file_path": "README.md", "mission_id": "nope"})), "unknown_target");
    let event = |field: &str, value: Value| {
        let mut event =
            json!({"mission_id": id, "event_type": "file_read", "target": "x", "outcome": "read"});
        event[field] = value;
        code("mission_event", event)
    };
    assert_eq!(event("agent_confidence", json!(2)), "invalid_params");
    assert_eq!(event("outcome", json!("It Worked!")), "invalid_params");
    assert_eq!(event("evidence_class", json!("hearsay")), "invalid_params");
    assert_eq!(event("surprise", json!(1)), "invalid_params");
    let unknown = json!({"mission_id": id, "claim": "x", "event_ids": ["evt_0000000000_1"]});
    assert_eq!(code("mission_claim", unknown), "unknown_target");
    let shown = ok(&fixture, "mission_show", json!({"mission_id": id}));
    assert_eq!(shown["sequence"], 1, "nothing of this was recorded: {shown}");
}

#[test]
fn another_repository_is_told_before_anything_is_asked_of_this_one() {
    let (fixture, _) = started("orientation", &[]);
    let other = fixture.outside().join("elsewhere");
    fs::create_dir(&other).unwrap();
    let begun = ok(
        &fixture,
        "mission_start",
        json!({"goal": "know it", "mode": "orientation", "repo": other.to_str().unwrap()}),
    );
    assert_eq!(begun["context_guard"]["class"], "wrong_workspace_binding", "{begun}");
    assert_eq!(begun["route"], "recover");
    assert_eq!(begun["context_guard"]["recoveries"].as_array().unwrap().len(), 3);
    let explained = ok(&fixture, "route_explain", json!({"mission_id": begun["mission_id"]}));
    assert_eq!(explained["route"], "recover", "{explained}");
}

#[test]
fn a_long_mission_is_still_told_in_few_bytes() {
    let (fixture, id) = started("bug_hunt", &[]);
    // Several at a time: each is an event of its own.
    for round in 0..40 {
        let evidence: Vec<Value> = (0..25)
            .map(|step| {
                let (event_type, outcome) = [("test_run", "passed"), ("probe", "dead_path")][step % 2];
                let target = format!("case {round} {step} with a name of some length");
                json!({"event_type": event_type, "target": target, "evidence_class": "test_run", "outcome": outcome})
            })
            .collect();
        let claim = format!("claim {round} about something that was seen");
        ok(&fixture, "mission_verify", json!({"mission_id": id, "claim": claim, "evidence": evidence}));
    }
    let bytes = |tool: &str, arguments: Value| ok(&fixture, tool, arguments).to_string().len();
    let mission = json!({"mission_id": id});
    assert!(bytes("mission_show", mission.clone()) < 8_100);
    assert!(bytes("mission_show", json!({"mission_id": id, "max_chars": 2_000})) < 2_001);
    assert!(bytes("mission_next", mission.clone()) < 4_000);
    assert!(bytes("mission_handoff", mission.clone()) < 4_000);
    assert!(bytes("mission_resume", mission.clone()) < 4_000);
    let goal = "the limiter keeps the last job";
    let child = json!({"goal": goal, "mode": "bug_hunt", "parent_mission_id": id});
    assert!(bytes("mission_start", child) < 4_000);
    assert!(bytes("mission_list", json!({})) < 4_000);
    assert!(bytes("mission_close", json!({"mission_id": id, "force": true})) < 8_100);
}

#[test]
fn a_step_of_a_task_is_confirmed_by_an_event_that_is_there_and_speaks_for_it() {
    let (fixture, id) = started("edit", &[]);
    let step = json!({"title": "Drain all", "success_criteria": ["no job is left"], "tests": ["pytest"]});
    ok(&fixture, "tasks_create", json!({"title": "Limiter"}));
    ok(&fixture, "tasks_create", json!({"title": "Mend it", "parent": "PLAN-001", "steps": [step]}));
    let tell = |outcome: &str| {
        let told = json!({"mission_id": id, "event_type": "test_run", "target": "pytest",
            "evidence_class": "test_run", "outcome": outcome});
        ok(&fixture, "mission_event", told)["event_id"].clone()
    };
    let (passed, failed) = (tell("passed"), tell("failed"));
    let confirm = |event: &Value, confirmed: bool| {
        json!({"task": "TASK-001", "path": "s:0",
            "checkpoints": {"tests": {"confirmed": confirmed, "evidence": {"mission_event_id": event}}}})
    };
    let unknown = json!("evt_0123456789_7");
    let said = refused(&fixture, "tasks_verify", confirm(&unknown, true));
    assert!(said["message"].as_str().unwrap().contains("no mission of this workspace"), "{said}");
    let said = refused(&fixture, "tasks_verify", confirm(&failed, true));
    assert!(said["message"].as_str().unwrap().contains("confirms nothing"), "{said}");
    let started = json!(format!("{}_1", passed.as_str().unwrap().rsplit_once('_').unwrap().0));
    let said = refused(&fixture, "tasks_verify", confirm(&started, true));
    assert!(said["message"].as_str().unwrap().contains("mission did with itself"), "{said}");
    for outcome in ["skipped", "inconclusive"] {
        let said = refused(&fixture, "tasks_verify", confirm(&tell(outcome), true));
        assert!(said["message"].as_str().unwrap().contains("shows nothing by itself"), "{outcome} {said}");
    }
    let said = refused(&fixture, "tasks_verify", confirm(&tell("hypothesis_rejected"), true));
    assert!(said["message"].as_str().unwrap().contains("confirms nothing"), "{said}");
    let graph = ok(&fixture, "seek", json!({"query": "drain", "mission_id": id}));
    let said = refused(&fixture, "tasks_verify", confirm(event(&graph), true));
    assert!(said["message"].as_str().unwrap().contains("shows nothing by itself"), "{said}");
    let seen = ok(&fixture, "view", json!({"file_path": "src/limit.py", "mission_id": id}));
    let path = fixture.root().join("src/limit.py");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("{text}# more\n")).unwrap();
    let said = refused(&fixture, "tasks_verify", confirm(event(&seen), true));
    assert!(said["message"].as_str().unwrap().contains("changed since"), "{said}");
    ok(&fixture, "tasks_verify", confirm(&failed, false));
    ok(&fixture, "tasks_verify", confirm(&passed, true));
}

#[test]
fn a_child_owes_what_its_parent_owed_and_nothing_that_was_settled() {
    let (fixture, id) = started("bug_hunt", &[]);
    let seen = ok(&fixture, "view", json!({"file_path": "src/limit.py", "mission_id": id}));
    let claim = shows(
        json!({"mission_id": id, "claim": "drain stops one job early", "event_ids": [event(&seen)]}),
        &seen,
    );
    assert_eq!(ok(&fixture, "mission_verify", claim)["verdict"], "verified_for_mission");
    let resumed = ok(&fixture, "mission_resume", json!({"mission_id": id}));
    assert!(
        resumed["next_move"]["why"].as_str().unwrap().starts_with("One finding hides others"),
        "{resumed}"
    );
    let child = resumed["mission_id"].clone();
    let gaps = refused(&fixture, "mission_close", json!({"mission_id": child}));
    assert_eq!(gaps["detail"]["gaps"][0]["gap"], "no_negative_space_sweep", "{gaps}");
    let sweep = json!({"mission_id": child, "phase": "sweep", "event_type": "file_read", "target": "README.md",
        "evidence_class": "direct_source", "outcome": "read"});
    ok(&fixture, "mission_event", sweep);
    let grandchild = ok(&fixture, "mission_resume", json!({"mission_id": child}));
    assert_eq!(grandchild["next_move"]["tool"], "mission_close", "{grandchild}");
    ok(&fixture, "mission_close", json!({"mission_id": child}));
}

#[test]
fn the_next_read_is_of_the_lines_that_were_found_and_not_of_the_whole_file() {
    let (fixture, id) = started("bug_hunt", &[]);
    ok(&fixture, "audit", json!({"mission_id": id}));
    ok(&fixture, "seek", json!({"query": "drain the queue", "mission_id": id}));
    let next = ok(&fixture, "mission_next", json!({"mission_id": id}));
    let asked = next["next_move"]["arguments"]["file_path"].as_str().unwrap();
    assert!(asked.starts_with("src/limit.py:1-"), "{next}");
    let mut arguments = next["next_move"]["arguments"].clone();
    arguments["mission_id"] = json!(id);
    let seen = ok(&fixture, "view", arguments);
    let next = ok(&fixture, "mission_next", json!({"mission_id": id}));
    assert_eq!(next["next_move"]["tool"], "mission_claim", "the read counts: {seen} {next}");
}

#[test]
fn memory_finds_what_missions_claim_and_says_when_its_files_changed() {
    let (fixture, id) = started("bug_hunt", &["src/limit.py"]);
    let read = ok(&fixture, "view", json!({"file_path": "src/limit.py", "mission_id": id}));
    let claim = shows(
        json!({"mission_id": id, "claim": "tamarind drains stop one job early", "event_ids": [event(&read)]}),
        &read,
    );
    ok(&fixture, "mission_verify", claim);
    ok(&fixture, "mission_claim", json!({"mission_id": id, "claim": "tamarind is only a word"}));
    let note = json!({"branch": "main", "doc": "notes", "content": "a tamarind tree"});
    let workspace = |mut arguments: Value| {
        arguments["workspace"] = json!("w");
        arguments
    };
    assert!(!fixture.call("branchmind_init", json!({"workspace": "w"})).is_error);
    assert!(!fixture.call("branchmind_notes_commit", workspace(note)).is_error);
    let search = |arguments: Value| fixture.call("memory_search", workspace(arguments)).body;
    let kinds = |found: &Value| {
        found["hits"].as_array().unwrap().iter().map(|hit| hit["kind"].clone()).collect::<Vec<_>>()
    };
    let found = search(json!({"query": "tamarind"}));
    assert_eq!(kinds(&found), ["note", "claim", "claim"], "{found}");
    let only = search(json!({"query": "tamarind drain", "kinds": ["claim"]}));
    assert_eq!(only["hits"][0]["title"], "verified_for_mission", "{only}");
    assert_eq!(only["next_suggested_target"], id.as_str(), "{only}");
    assert_eq!(only["hits"][0].get("stale_anchors"), None);
    let mut seen = Vec::new();
    let mut cursor = json!(0);
    while !cursor.is_null() {
        let page = search(json!({"query": "tamarind", "limit": 1, "cursor": cursor}));
        seen.extend(page["hits"].as_array().unwrap().iter().map(|hit| hit["id"].clone()));
        cursor = page["pagination"]["next_cursor"].clone();
    }
    assert_eq!(seen.len(), 3, "{seen:?}");
    let about = search(json!({"query": "tamarind", "anchors": ["src/limit.py"]}));
    assert_eq!(kinds(&about), ["claim"], "{about}");
    fs::write(fixture.root().join("src/limit.py"), "def drain(queue): queue.clear()\n").unwrap();
    let changed = search(json!({"query": "tamarind drain", "kinds": ["claim"]}));
    assert_eq!(changed["hits"][0]["stale_anchors"][0]["anchor_state"], "changed", "{changed}");
}

#[test]
fn a_search_is_a_read_of_every_file_it_showed_and_of_none_where_it_found_nothing() {
    let (fixture, id) = started("orientation", &[]);
    for word in ["zzqq1", "zzqq2"] {
        ok(&fixture, "search", json!({"query": word, "mission_id": id}));
    }
    let gaps = refused(&fixture, "mission_close", json!({"mission_id": id}));
    assert_eq!(gaps["detail"]["gaps"][0]["gap"], "source_not_read", "{gaps}");
    let shown = ok(&fixture, "mission_show", json!({"mission_id": id}));
    assert!(shown["files_read"].is_null() && shown["counters"]["direct_evidence"] == 0, "{shown}");
    let (fixture, id) = started("bug_hunt", &[]);
    let paths = json!(["README.md", "src/limit.py"]);
    let both = ok(&fixture, "batch_view", json!({"files": paths, "mission_id": id}));
    let shown = ok(&fixture, "mission_show", json!({"mission_id": id}));
    assert_eq!(shown["files_read"], paths, "{shown}");
    fs::write(fixture.root().join("src/limit.py"), "def drain(queue): ...\n").unwrap();
    let claim =
        shows(json!({"mission_id": id, "claim": "it stops early", "event_ids": [event(&both)]}), &both);
    let verdict = ok(&fixture, "mission_verify", claim);
    assert_eq!(verdict["verdict"], "needs_direct_evidence", "{verdict}");
    assert!(verdict["reason"].as_str().unwrap().contains("src/limit.py"), "{verdict}");
}

#[test]
fn what_mission_next_proposes_can_be_called_as_it_is_until_the_end() {
    let (fixture, id) = started("bug_hunt", &["src/limit.py", "src/none.py"]);
    let (mut read, mut shown) = (Value::Null, Value::Null);
    let mut tools = Vec::new();
    for _ in 0..12 {
        let next = ok(&fixture, "mission_next", json!({"mission_id": id}));
        let step = &next["next_move"];
        let tool = step["tool"].as_str().unwrap().to_owned();
        tools.push(tool.clone());
        if tool == "mission_claim" {
            assert_eq!(step["fill_in"][0], "claim", "{next}");
            let mut claim = step["arguments"].clone();
            claim["claim"] = json!("drain stops early");
            claim["event_ids"] = json!([read]);
            ok(&fixture, "mission_claim", claim);
            continue;
        }
        assert_eq!(step["arguments"]["mission_id"], id.as_str(), "{next}");
        assert!(step["arguments"]["agent_id"].is_string(), "{next}");
        let mut arguments = step["arguments"].clone();
        if tool == "mission_verify" {
            assert_eq!(step["fill_in"], json!(["outcome", "quote"]), "{next}");
            arguments = shows(arguments, &shown);
        }
        let body = ok(&fixture, &tool, arguments);
        if tool == "view" && read.is_null() {
            read = event(&body).clone();
            shown = body.clone();
            assert_eq!(next["next_suggested_target"], step["arguments"]["file_path"], "{next}");
        }
        if tool == "mission_close" {
            assert_eq!(body["gaps"], json!([]), "{body}");
            assert_eq!(body["verified_claims"][0]["verdict"], "verified_for_mission", "{body}");
            return;
        }
    }
    panic!("no end: {tools:?}");
}

#[test]
fn refused_calls_are_steps_and_the_third_is_a_loop() {
    let (fixture, id) = started("bug_hunt", &[]);
    let call = || fixture.call("view", json!({"agent_id": "a", "file_path": "nope.py", "mission_id": id}));
    call();
    call();
    let third = call();
    assert!(third.is_error && third.body["mission_warnings"].to_string().contains("Loop"), "{third:?}");
    assert!(third.body["mission_warnings"].to_string().contains("3rd"), "{third:?}");
    let shown = ok(&fixture, "mission_show", json!({"mission_id": id}));
    assert_eq!(shown["counters"]["tool_calls"], 3, "{shown}");
}

#[test]
fn an_edit_that_is_only_tried_or_taken_back_is_none() {
    let (fixture, id) = started("edit", &[]);
    let gaps = || {
        let shown = ok(&fixture, "mission_show", json!({"mission_id": id}));
        let gaps = shown["gaps"].as_array().cloned().unwrap_or_default();
        gaps.iter().map(|gap| gap["gap"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let edit = json!([{"file_path": "src/other.py", "new_content": "def unrelated(): pass\n"}]);
    ok(&fixture, "view", json!({"file_path": "src/other.py", "mission_id": id}));
    ok(&fixture, "apply_batch", json!({"edits": edit, "dry_run": true, "mission_id": id}));
    assert!(gaps().contains(&"nothing_edited".to_owned()), "{:?}", gaps());
    let made = ok(&fixture, "apply_batch", json!({"edits": edit, "mission_id": id}));
    assert_eq!(gaps(), ["not_tested"]);
    ok(&fixture, "undo_batch", json!({"batch_id": made["batch_id"], "mission_id": id}));
    let test = json!({"mission_id": id, "event_type": "test_run", "target": "pytest",
        "evidence_class": "test_run", "outcome": "passed"});
    ok(&fixture, "mission_event", test);
    assert_eq!(gaps(), ["nothing_edited"]);
}

#[test]
fn a_mission_about_another_repository_leads_back_and_its_names_must_exist() {
    let (fixture, _) = started("orientation", &[]);
    let other = fixture.outside().join("elsewhere");
    fs::create_dir_all(other.join(".git")).unwrap();
    let start = |repo: &str| json!({"goal": "know it", "mode": "bug_hunt", "repo": repo});
    let begun = ok(&fixture, "mission_start", start(other.to_str().unwrap()));
    let id = begun["mission_id"].clone();
    let next = ok(&fixture, "mission_next", json!({"mission_id": id}));
    assert_eq!(next["next_move"]["tool"], "recovery_playbook", "{next}");
    let book = ok(&fixture, "recovery_playbook", next["next_move"]["arguments"].clone());
    assert_eq!(book["trust_mode"], "wrong_workspace_binding", "{book}");
    let seen = ok(&fixture, "view", json!({"file_path": "README.md", "mission_id": id}));
    assert!(seen["mission_warnings"].to_string().contains("carry nothing"), "{seen}");
    let claim = shows(json!({"mission_id": id, "claim": "it is so", "event_ids": [event(&seen)]}), &seen);
    assert_eq!(ok(&fixture, "mission_verify", claim)["verdict"], "needs_direct_evidence");
    for name in ["nonexistent", "~/foo", "https://example.org/x.git"] {
        assert_eq!(refused(&fixture, "mission_start", start(name))["code"], "file_not_found", "{name}");
        let hands = ok(&fixture, "session_handshake", json!({"scope": name}));
        assert_eq!(hands["trust_mode"], "wrong_workspace_binding", "{hands}");
    }
}

#[test]
fn a_child_by_start_knows_what_a_child_by_resume_knows() {
    let (fixture, id) = started("bug_hunt", &[]);
    let seen = ok(&fixture, "view", json!({"file_path": "src/limit.py", "mission_id": id}));
    let claim =
        shows(json!({"mission_id": id, "claim": "drain stops early", "event_ids": [event(&seen)]}), &seen);
    ok(&fixture, "mission_verify", claim);
    ok(&fixture, "mission_claim", json!({"mission_id": id, "claim": "another guess"}));
    fs::write(fixture.root().join("src/limit.py"), "def drain(queue): ...\n").unwrap();
    let resumed = ok(&fixture, "mission_resume", json!({"mission_id": id}));
    let goal = "the limiter keeps the last job";
    let child = json!({"goal": goal, "mode": "bug_hunt", "parent_mission_id": id});
    let begun = ok(&fixture, "mission_start", child);
    for field in ["verified_claims", "open_hypotheses", "stale", "dead_paths"] {
        assert_eq!(begun["inherited"][field], resumed[field], "{field}");
    }
    assert_eq!(resumed["verified_claims"][0]["stale"][0], "src/limit.py", "{resumed}");
    assert_eq!(begun["inherited"]["open_hypotheses"][0]["claim_id"], "clm_2");
    let small = ok(&fixture, "mission_resume", json!({"mission_id": id, "max_chars": 600}));
    assert!(small.to_string().len() <= 600, "{small}");
}

#[test]
fn pages_of_events_come_to_an_end_however_small_they_are() {
    let (fixture, id) = started("bug_hunt", &[]);
    for at in 0..6 {
        ok(&fixture, "seek", json!({"query": format!("word {at}"), "mission_id": id}));
    }
    let mut before = json!(null);
    for _ in 0..12 {
        let page = json!({"mission_id": id, "before": before, "max_chars": 600});
        let page = ok(&fixture, "mission_show", page);
        let next = page["next_before"].clone();
        if next.is_null() {
            return;
        }
        assert!(before.is_null() || next.as_u64() < before.as_u64(), "{next} after {before}");
        before = next;
    }
    panic!("no end");
}

#[test]
fn a_mission_about_what_is_no_repository_is_led_back_too() {
    let (fixture, _) = started("orientation", &[]);
    for about in [json!({"repo": "/etc"}), json!({"repo": ".."}), json!({"known_paths": ["/etc/hostname"]})] {
        let mut arguments = json!({"goal": "know it", "mode": "bug_hunt"});
        arguments.as_object_mut().unwrap().extend(about.as_object().unwrap().clone());
        let begun = ok(&fixture, "mission_start", arguments);
        let id = begun["mission_id"].clone();
        assert_eq!(begun["starter_moves"][0]["tool"], "recovery_playbook", "{begun}");
        assert_eq!(begun["context_guard"]["recoveries"][0]["way"], "rebind", "{begun}");
        let seen = ok(&fixture, "view", json!({"file_path": "README.md", "mission_id": id}));
        let claim = shows(json!({"mission_id": id, "claim": "it is so", "event_ids": [event(&seen)]}), &seen);
        assert_eq!(ok(&fixture, "mission_verify", claim)["verdict"], "needs_direct_evidence");
        let refused = refused(&fixture, "mission_close", json!({"mission_id": id}));
        assert_eq!(refused["detail"]["gaps"][0]["gap"], "wrong_workspace", "{refused}");
    }
}

#[test]
fn the_workspace_s_own_name_is_no_other_repository() {
    let (fixture, _) = started("orientation", &[]);
    let begun = ok(&fixture, "mission_start", json!({"goal": "know it", "mode": "bug_hunt", "repo": "ws"}));
    assert_eq!(begun["context_guard"]["class"], "single_repo", "{begun}");
    let hands = ok(&fixture, "session_handshake", json!({"scope": "ws"}));
    assert_eq!(hands["trust_mode"], "full_trust", "{hands}");
    let id = begun["mission_id"].clone();
    let seen = ok(&fixture, "view", json!({"file_path": "README.md", "mission_id": id}));
    assert!(seen["mission_warnings"].is_null(), "{seen}");
}

#[test]
fn every_mission_is_on_a_page_however_long_its_goal_and_small_the_page() {
    let (fixture, first) = started("edit", &[]);
    let mut ids = vec![json!(first)];
    for at in 0..5 {
        let goal = format!("goal {at} ").repeat(if at % 2 == 0 { 300 } else { 1 });
        ids.push(ok(&fixture, "mission_start", json!({"goal": goal, "mode": "edit"}))["mission_id"].clone());
    }
    let mut listed: Vec<Value> = Vec::new();
    let mut cursor = json!(null);
    for _ in 0..20 {
        let page = ok(&fixture, "mission_list", json!({"cursor": cursor, "max_chars": 600}));
        listed.extend(page["missions"].as_array().unwrap().iter().map(|one| one["mission_id"].clone()));
        cursor = page["next_cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    listed.reverse();
    assert_eq!(listed, ids);
}

#[test]
fn who_may_not_write_records_nothing_and_says_so() {
    let (mut fixture, id) = started("bug_hunt", &[]);
    let count =
        |fixture: &Fixture| ok(fixture, "mission_show", json!({"mission_id": id}))["sequence"].clone();
    let before = count(&fixture);
    fixture.read_only(m1nd_tools::surface());
    for (tool, arguments) in [
        ("view", json!({"file_path": "README.md", "mission_id": id})),
        ("view", json!({"no_such": 1, "mission_id": id})),
        ("apply", json!({"file_path": "README.md", "new_content": "x", "mission_id": id})),
    ] {
        let fault = refused(&fixture, tool, arguments);
        assert_eq!(fault["code"], "invalid_params", "{fault}");
    }
    let fault = refused(&fixture, "view", json!({"file_path": "README.md", "mission_id": id}));
    assert!(fault["message"].as_str().unwrap().contains("nothing can be recorded"), "{fault}");
    assert_eq!(count(&fixture), before);
}

#[test]
fn who_gives_too_much_or_too_little_is_told_which() {
    let (fixture, id) = started("bug_hunt", &[]);
    let said = |tool: &str, arguments: Value| {
        fixture.call(tool, arguments).body["error"]["message"].as_str().unwrap().to_owned()
    };
    assert_eq!(said("mission_resume", json!({})), "Give `mission_id` or `handoff_id`.");
    let both = said("mission_resume", json!({"mission_id": id, "handoff_id": "hnd_1"}));
    assert_eq!(both, "Give `mission_id` or `handoff_id`, not both.");
    let both = said("mission_verify", json!({"mission_id": id, "claim": "it is so", "claim_id": "clm_1"}));
    assert!(both.contains("not taken beside claim_id"), "{both}");
}
