//! Missions where there is little room: every answer fits, or is refused with the least that it needs.

#![allow(clippy::unwrap_used)]

use m1nd_testkit::Fixture;
use serde_json::{Value, json};

mod common;
use common::ok;

/// A mission of which nothing is short, and a closed one before it.
fn long_winded() -> (Fixture, String) {
    let folder = "a_folder_with_a_name_that_somebody_thought_about/".repeat(4);
    let fixture = Fixture::new(
        m1nd_tools::surface(),
        &format!("//- {folder}limit.py\ndef drain(queue): queue.pop()\n"),
    );
    ok(&fixture, "ingest", json!({}));
    let goal = "the limiter keeps the last job, ".repeat(40);
    let start = |goal: &str| {
        let known = [format!("{folder}limit.py"), format!("{folder}gone.py")];
        let asked =
            json!({"goal": goal, "mode": "bug_hunt", "known_paths": known, "agent_id": "n".repeat(256)});
        ok(&fixture, "mission_start", asked)["mission_id"].as_str().unwrap().to_owned()
    };
    let ended = start("something else");
    ok(&fixture, "mission_close", json!({"mission_id": ended, "force": true}));
    let id = start(&goal);
    for at in 0..12 {
        let run = json!({"event_type": "test_run", "target": format!("cargo test case_{at} {}", "x".repeat(90)), "outcome": "passed"});
        let claim = format!("claim {at} {}", "is told at some length ".repeat(12));
        ok(&fixture, "mission_verify", json!({"mission_id": id, "claim": claim, "evidence": [run]}));
        let dead = json!({"mission_id": id, "event_type": "dead_path", "target": format!("gone_{at}.py"), "outcome": "dead_path", "note": "n".repeat(400)});
        ok(&fixture, "mission_event", dead);
    }
    (fixture, id)
}

/// Every tool of missions whose answers have a budget, with what it takes.
fn calls(id: &str) -> Vec<(&'static str, Value)> {
    let told = json!({"event_type": "file_read", "target": "limit.py ".repeat(80), "evidence_class": "direct_source",
        "outcome": "read", "note": "n".repeat(3_000)});
    vec![
        ("mission_next", json!({"mission_id": id})),
        ("mission_next", json!({"mission_id": id, "last_event": told})),
        ("route_explain", json!({"mission_id": id})),
        ("mission_show", json!({"mission_id": id})),
        ("mission_show", json!({"mission_id": id, "events": 0})),
        ("mission_handoff", json!({"mission_id": id})),
        ("mission_resume", json!({"mission_id": id})),
        ("mission_list", json!({})),
    ]
}

#[test]
fn every_answer_about_a_mission_fits_or_is_refused_with_the_least_it_needs() {
    let (fixture, id) = long_winded();
    for (tool, arguments) in calls(&id) {
        let call = |room: usize| {
            let mut asked = arguments.clone();
            asked["max_chars"] = json!(room);
            fixture.call(tool, asked)
        };
        let events =
            || ok(&fixture, "mission_show", json!({"mission_id": id, "events": 0}))["sequence"].clone();
        for room in [300, 500, 620, 1_000, 4_000] {
            let before = events();
            let reply = call(room);
            if !reply.is_error {
                let bytes = reply.body.to_string().len();
                assert!(bytes <= room, "{tool} with {room}: {bytes} bytes: {}", reply.body);
                if tool == "mission_handoff" && room >= 500 {
                    // What the next agent must do is the last thing to go.
                    assert!(reply.body["next_required_move"]["tool"].is_string(), "{}", reply.body);
                    assert!(room == 4_000 || reply.body["truncated"] == true, "{}", reply.body);
                }
                if tool == "mission_resume" && room >= 500 {
                    // A mission that knows something must not look like one with nothing in it.
                    assert!(reply.body["next_move"]["tool"].is_string(), "{}", reply.body);
                    let left_out = &reply.body["left_out"];
                    let items = left_out.as_object().into_iter().flat_map(|all| all.values());
                    let items: u64 = items.filter_map(Value::as_u64).sum();
                    assert!(room == 4_000 || items > 0, "{}", reply.body);
                }
                if tool == "mission_next" {
                    assert!(reply.body["next_move"]["tool_family"].is_string(), "{}", reply.body);
                }
                continue;
            }
            assert_eq!(before, events(), "{tool} with {room} was refused and did something");
            let least = reply.body["error"]["detail"]["least"].as_u64();
            let least =
                usize::try_from(least.unwrap_or_else(|| panic!("{tool} {room}: {}", reply.body))).unwrap();
            assert!(least > room, "{tool} with {room}: {least}");
            // What is smaller than any answer is refused for all tools alike.
            if room >= 500 {
                assert!(call(least - 1).is_error, "{tool} needs {least}");
                let enough = call(least);
                assert!(
                    !enough.is_error && enough.body.to_string().len() <= least,
                    "{tool}: {}",
                    enough.body
                );
            }
        }
    }
}

#[test]
fn every_mission_is_on_some_page_however_small_the_pages_are() {
    let (fixture, _) = long_winded();
    for at in 0..6 {
        let goal = format!("goal {at} {}", "which is a long one ".repeat(at * 10));
        ok(&fixture, "mission_start", json!({"goal": goal, "mode": "bug_hunt"}));
    }
    let (mut seen, mut cursor) = (Vec::new(), json!(0));
    while !cursor.is_null() {
        let page = ok(&fixture, "mission_list", json!({"cursor": cursor, "max_chars": 500}));
        let missions = page["missions"].as_array().unwrap();
        assert!(!missions.is_empty(), "{page}");
        seen.extend(missions.iter().map(|one| one["mission_id"].as_str().unwrap().to_owned()));
        cursor = page["next_cursor"].clone();
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 8);
}
