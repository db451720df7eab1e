//! What a brief shows when there is much: the newest notes, and the hand-off before lesser things.

use serde_json::{Value, json};

use crate::world::{World, on_every_store};

fn plan_with_tasks(w: &World, count: usize) {
    w.ok("tasks_create", json!({"title": "p"}));
    for at in 1..=count {
        w.ok("tasks_create", json!({"title": format!("task {at}"), "parent": "PLAN-001"}));
    }
}

fn texts(brief: &Value) -> Vec<String> {
    let notes = brief["notes"].as_array().into_iter().flatten();
    notes.map(|note| note["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_brief_shows_the_newest_notes_of_the_whole_workspace_and_counts_the_others() {
    on_every_store(|w| {
        plan_with_tasks(w, 30);
        for at in 1..=30 {
            let target = format!("TASK-{at:03}");
            w.ok("notes_commit", json!({"target": target, "content": format!("note on {at}")}));
        }
        w.ok("branch_create", json!({"name": "trial", "from": "task/TASK-001"}));
        w.ok("notes_commit", json!({"branch": "trial", "doc": "notes", "content": "only tried"}));
        let brief = w.ok("brief", json!({}));
        assert_eq!(texts(&brief), ["note on 30", "note on 29", "note on 28", "note on 27", "note on 26"]);
        assert_eq!(brief["dropped"]["notes"], 25);
        assert_eq!(brief.get("partly_seen"), None);
        // A finished task is not in any list, and what was written on it counts all the same.
        w.ok("tasks_edit", json!({"task": "TASK-030", "status": "done"}));
        w.ok("notes_commit", json!({"target": "TASK-030", "content": "after the end"}));
        assert_eq!(texts(&w.ok("brief", json!({})))[0], "after the end");
        assert_eq!(texts(&w.ok("brief", json!({"target": "PLAN-001"}))), Vec::<String>::new());
    });
}

#[test]
fn a_hand_off_is_whole_before_lists_have_more_than_one() {
    on_every_store(|w| {
        plan_with_tasks(w, 8);
        w.ok("tasks_focus_set", json!({"task": "TASK-001"}));
        let detail = "A sentence that a successor needs to read in full. ".repeat(14);
        let handoff = format!("State: POST still fails. {detail}NEXT: fix the pool.");
        for at in 0..8 {
            let title = format!("Decision {at}: keep the lock order as it is because of deadlocks");
            let card = json!({"id": format!("d{at}"), "type": "decision", "title": title});
            w.ok("think_card", json!({"target": "TASK-001", "card": card}));
            let text = "An ordinary progress note of medium length with what came out of it. ".repeat(3);
            w.ok("notes_commit", json!({"target": "TASK-001", "content": text}));
        }
        let pin = "Never push on Fridays, and never without the long test run.";
        let put = |text: &str, mark: &str| {
            w.ok("notes_commit", json!({"target": "TASK-001", "content": text, "meta": {mark: true}}));
        };
        put(pin, "pinned");
        put(&handoff, "handoff");
        for budget in [2_600, 3_000, 4_000] {
            let brief = w.ok("brief", json!({"max_chars": budget}));
            assert!(brief.to_string().len() <= budget);
            assert_eq!(brief["handoff"]["text"], handoff, "{budget}");
            assert_eq!(brief["pinned"][0]["text"], pin, "{budget}");
            assert_eq!(brief["truncated"], true);
        }
        for budget in [900, 1_200, 1_600, 2_000] {
            let brief = w.ok("brief", json!({"max_chars": budget}));
            assert!(brief.to_string().len() <= budget);
            let whole = brief["handoff"]["text"] == handoff.as_str();
            let most = ["ready", "decisions", "notes"].map(|list| brief[list].as_array().map_or(0, Vec::len));
            assert!(whole || most.iter().all(|count| *count <= 1), "{budget}: {brief}");
        }
        let long = "word ".repeat(1_600);
        put(long.trim(), "handoff");
        assert_eq!(w.ok("brief", json!({"max_chars": 20_000}))["handoff"]["text"], long.trim());
    });
}
