//! One agent works and leaves; another opens the session and goes on.

use serde_json::json;

use crate::world::on_every_store;

#[test]
fn a_brief_of_a_busy_workspace_fits_four_kilobytes_and_is_enough_to_go_on() {
    on_every_store(|w| {
        // Much has happened before.
        w.ok("tasks_create", json!({"title": "Speed up ingest", "contract": "half the time, same graph"}));
        for at in 0..40 {
            w.ok("tasks_create", json!({"title": format!("chore {at} {}", "x".repeat(60)), "kind": "task"}));
            let card = json!({"id": format!("old-{at}"), "type": "decision", "title": format!("old decision {at}"),
                              "text": "because ".repeat(40)});
            w.ok("think_card", json!({"target": "PLAN-001", "card": card}));
            w.ok("notes_commit", json!({"target": "PLAN-001", "content": "noise ".repeat(200)}));
        }
        w.ok("notes_commit", json!({"branch": "main", "doc": "notes", "title": "House rule", "content": "never push on Fridays",
                                    "meta": {"pinned": true}}));
        // The first agent.
        w.code.0.lock().insert("src/walk.rs".to_owned(), "v1".to_owned());
        let steps = json!([{"title": "measure", "success_criteria": ["a baseline is written down"]},
                           {"title": "parallel walk", "success_criteria": ["twice as fast"], "tests": ["cargo bench walk"]}]);
        w.ok(
            "tasks_create",
            json!({"title": "Walk in parallel", "parent": "PLAN-001", "priority": 5, "steps": steps}),
        );
        w.ok("tasks_focus_set", json!({"task": "TASK-041"}));
        w.ok("tasks_verify", json!({"path": "s:0", "checkpoints": {"criteria": {"confirmed": true}}}));
        w.ok("tasks_done", json!({"path": "s:0"}));
        w.ok(
            "think_card",
            json!({"target": "TASK-041", "card": {"id": "d-rayon", "type": "decision", "title": "use rayon"},
                                  "anchors": [{"path": "src/walk.rs"}]}),
        );
        w.ok("think_card", json!({"target": "TASK-041", "card": {"id": "q-order", "type": "question", "title": "must order be kept?"}}));
        w.ok("branch_create", json!({"name": "what-if", "from": "task/TASK-041"}));
        w.ok("think_card", json!({"target": "TASK-041", "branch": "what-if",
                                  "card": {"id": "d-threads", "type": "decision", "title": "use raw threads"}}));
        w.ok(
            "notes_commit",
            json!({"target": "TASK-041", "content": "Baseline is 8.1 s. Next: split the walk by top folder.",
                                    "meta": {"handoff": true}}),
        );
        w.code.0.lock().insert("src/walk.rs".to_owned(), "v2".to_owned());

        // The second one knows nothing but the workspace.
        let brief = w.ok("brief", json!({"max_chars": 4_000}));
        assert!(brief.to_string().len() <= 4_000);
        let focus = &brief["focus"];
        assert_eq!(focus["target"]["id"], "TASK-041");
        assert_eq!(focus["now"], "s:1 parallel walk");
        assert_eq!(focus["verify"], json!(["criteria: twice as fast", "tests: cargo bench walk"]));
        assert!(brief["handoff"]["text"].as_str().unwrap().contains("split the walk by top folder"));
        assert_eq!(brief["pinned"][0]["text"], "never push on Fridays");
        assert_eq!(brief["ready"][0]["id"], "TASK-041");
        assert_eq!(brief["decisions"][0]["id"], "d-rayon");
        assert_eq!(brief["questions"][0]["id"], "q-order");
        assert_eq!(brief["stale_anchors"][0]["on"], "d-rayon");
        assert_eq!(brief["stale_anchors"][0]["anchor"]["anchor_state"], "changed");
        assert!(brief["dropped"]["decisions"].as_u64().unwrap() > 0);
        assert_eq!(brief["truncated"], true);
        // What was only tried out is not told as a decision.
        assert!(!brief.to_string().contains("raw threads"));

        // It goes on from there, with what the brief named.
        let path = focus["now"].as_str().unwrap().split(' ').next().unwrap();
        let confirmed =
            json!({"confirmed": true, "evidence": {"command": "cargo bench walk", "exit_code": 0}});
        w.ok("tasks_claim", json!({"task": focus["target"]["id"], "agent_id": "second"}));
        w.ok(
            "tasks_verify",
            json!({"path": path, "checkpoints": {"criteria": {"confirmed": true}, "tests": confirmed}}),
        );
        assert_eq!(w.ok("tasks_done", json!({"path": path}))["task_status"], "done");
        let since = brief["last_event_id"].clone();
        let news = w.ok("tasks_delta", json!({"since": since}));
        assert_eq!(news["events"].as_array().unwrap().len(), 4);
    });
}

#[test]
fn a_brief_of_an_empty_workspace_is_an_empty_brief() {
    on_every_store(|w| {
        let brief = w.ok("brief", json!({}));
        assert_eq!(brief["ready"], json!([]));
        assert_eq!(brief["truncated"], false);
    });
}
