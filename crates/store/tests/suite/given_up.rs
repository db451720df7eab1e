//! Tasks and plans that were given up: nobody is sent to them, and they do not count as done.

use m1nd_memory::MemoryError;
use serde_json::{Value, json};

use crate::world::{World, on_every_store};

fn plan_with_step(w: &World) {
    w.ok("tasks_create", json!({"title": "plan"}));
    let steps = json!([{"title": "step", "success_criteria": ["it holds"]}]);
    w.ok("tasks_create", json!({"title": "a", "parent": "PLAN-001", "steps": steps}));
}

fn status(w: &World, task: &str, status: &str) {
    w.ok("tasks_edit", json!({"task": task, "status": status}));
}

fn radar(w: &World, task: &str) -> Value {
    w.ok("tasks_radar", json!({"task": task}))
}

#[test]
fn a_task_that_was_given_up_asks_for_nothing_and_takes_nothing() {
    on_every_store(|w| {
        plan_with_step(w);
        status(w, "TASK-001", "cancelled");
        let shown = radar(w, "TASK-001");
        let told = &shown["radar"];
        assert_eq!(told["now"], "TASK-001 is cancelled");
        assert_eq!((&told["verify"], &told["next"]), (&json!([]), &json!([])));
        assert_eq!((&shown["steps"]["open"], shown["steps"].get("first_open")), (&json!(1), None));
        let before = w.ok("status", json!({}));
        let confirmed = json!({"criteria": {"confirmed": true}});
        for (tool, more) in [
            ("tasks_verify", json!({"checkpoints": confirmed})),
            ("tasks_define", json!({"title": "anew"})),
            ("tasks_done", json!({})),
        ] {
            let mut call = json!({"task": "TASK-001", "path": "s:0"});
            call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let said = w.refused(tool, call);
            assert!(matches!(said, MemoryError::TaskClosed { status: "cancelled", .. }), "{tool}: {said}");
        }
        assert_eq!(w.ok("status", json!({})), before);
    });
}

#[test]
fn a_plan_tells_what_was_given_up_from_what_is_done() {
    on_every_store(|w| {
        plan_with_step(w);
        w.ok("tasks_create", json!({"title": "b", "parent": "PLAN-001"}));
        status(w, "TASK-001", "cancelled");
        let counts = |shown: &Value| {
            ["total", "open", "completed", "cancelled"]
                .map(|count| shown["steps"][count].as_u64().unwrap_or(0))
        };
        assert_eq!(counts(&radar(w, "PLAN-001")), [2, 1, 0, 1]);
        status(w, "TASK-002", "cancelled");
        let shown = radar(w, "PLAN-001");
        assert_eq!(counts(&shown), [2, 0, 0, 2]);
        assert!(
            shown["radar"]["next"][0].as_str().unwrap().starts_with("all tasks of PLAN-001 are cancelled:")
        );
        status(w, "TASK-002", "done");
        assert_eq!(counts(&radar(w, "PLAN-001")), [2, 0, 1, 1]);
    });
}

#[test]
fn nobody_is_sent_to_tasks_of_a_plan_that_was_given_up() {
    on_every_store(|w| {
        plan_with_step(w);
        status(w, "PLAN-001", "cancelled");
        let shown = radar(w, "PLAN-001");
        assert_eq!(shown["radar"]["now"], "PLAN-001 is cancelled");
        assert_eq!((&shown["radar"]["next"], &shown["steps"]["open"]), (&json!([]), &json!(1)));
        assert_eq!(radar(w, "TASK-001")["radar"]["blockers"], json!(["PLAN-001 is cancelled: plan"]));
        status(w, "PLAN-001", "active");
        assert_eq!(radar(w, "TASK-001")["radar"]["blockers"], json!([]));
    });
}

#[test]
fn a_task_that_is_taken_up_again_is_free_and_says_what_can_be_done() {
    on_every_store(|w| {
        plan_with_step(w);
        let claim = w.ok("tasks_claim", json!({"task": "TASK-001", "agent_id": "ann"}));
        let confirmed = json!({"criteria": {"confirmed": true}});
        w.ok("tasks_verify", json!({"task": "TASK-001", "path": "s:0", "checkpoints": confirmed}));
        w.ok("tasks_done", json!({"task": "TASK-001", "path": "s:0"}));
        status(w, "TASK-001", "todo");
        let ready = w.ok("tasks_ready", json!({}));
        assert_eq!(ready["tasks"][0]["id"], "TASK-001", "{ready}");
        let next = radar(w, "TASK-001")["radar"]["next"][0].clone();
        assert!(next.as_str().unwrap().starts_with("all steps of TASK-001 are done:"), "{next}");
        let token = claim["claim_token"].clone();
        let said = w.refused("tasks_note", json!({"task": "TASK-001", "note": "n", "claim_token": token}));
        assert!(matches!(said, MemoryError::ClaimForeign { .. }), "{said}");
        // Whoever holds it and opens it again goes on holding it.
        let claim = w.ok("tasks_claim", json!({"task": "TASK-001", "agent_id": "bob"}));
        let token = claim["claim_token"].clone();
        status(w, "TASK-001", "cancelled");
        w.ok("tasks_edit", json!({"task": "TASK-001", "status": "active", "claim_token": token}));
        assert_eq!(radar(w, "TASK-001")["target"]["claimed_by"], "bob");
    });
}
