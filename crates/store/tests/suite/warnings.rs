//! What the writer of a task or card is told about it.

use serde_json::{Value, json};

use crate::world::on_every_store;

#[test]
fn a_plan_is_not_done_while_a_task_of_it_is_open() {
    on_every_store(|w| {
        w.ok("tasks_create", json!({"title": "plan"}));
        for title in ["a", "b", "c"] {
            w.ok("tasks_create", json!({"title": title, "parent": "PLAN-001"}));
        }
        w.ok("tasks_edit", json!({"task": "TASK-001", "status": "done"}));
        w.ok("tasks_edit", json!({"task": "TASK-002", "status": "blocked"}));
        let done = json!({"plan": "PLAN-001", "status": "done"});
        let refusal = w.refused("tasks_edit", done.clone());
        assert_eq!(refusal.to_string(), "PLAN-001 has tasks that are open: TASK-002, TASK-003");
        for task in ["TASK-002", "TASK-003"] {
            w.ok("tasks_edit", json!({"task": task, "status": "cancelled"}));
        }
        assert_eq!(w.ok("tasks_edit", done)["status"], "done");
    });
}

#[test]
fn who_takes_or_makes_a_task_that_is_not_ready_is_told_why() {
    on_every_store(|w| {
        w.ok("tasks_create", json!({"title": "plan"}));
        w.ok("tasks_create", json!({"title": "first", "parent": "PLAN-001"}));
        let second = json!({"title": "second", "parent": "PLAN-001", "depends_on": ["TASK-001"]});
        assert_eq!(w.ok("tasks_create", second)["event"].get("warning"), None);
        let claim = |task: &str| {
            let out = w.ok("tasks_claim", json!({"task": task, "agent_id": "ann"}));
            out["event"]["warning"].as_str().unwrap_or_default().to_owned()
        };
        assert_eq!(claim("TASK-001"), "");
        assert_eq!(claim("TASK-002"), "TASK-002 is not ready: it waits for TASK-001 (todo).");
        w.ok("tasks_edit", json!({"task": "TASK-001", "status": "blocked"}));
        assert!(claim("TASK-001").starts_with("TASK-001 is blocked"));
        let told = |out: Value| out["event"]["warning"].as_str().unwrap_or_default().to_owned();
        let given_up = told(w.ok("tasks_edit", json!({"plan": "PLAN-001", "status": "cancelled"})));
        assert!(given_up.starts_with("2 open tasks of PLAN-001 are not ready any more"), "{given_up}");
        let late = told(w.ok("tasks_create", json!({"title": "late", "parent": "PLAN-001"})));
        assert_eq!(late, "TASK-003 is not ready: PLAN-001, which it belongs to, is cancelled.");
        w.ok("tasks_edit", json!({"task": "TASK-003", "status": "done"}));
        let again = told(w.ok("tasks_edit", json!({"task": "TASK-003", "status": "todo"})));
        assert_eq!(again, late);
    });
}

#[test]
fn steps_that_do_not_say_when_they_are_done_are_named() {
    on_every_store(|w| {
        let steps = json!([{"title": "a", "success_criteria": ["it holds"]}, {"title": "b"}]);
        let made = w.ok("tasks_create", json!({"title": "t", "kind": "task", "steps": steps}));
        let said = "Nothing says when s:1 is done; give it success_criteria with tasks_define.";
        assert_eq!(made["event"]["warning"], said);
        let more = w.ok("tasks_decompose", json!({"task": "TASK-001", "steps": [{"title": "c"}]}));
        assert_eq!(more["event"]["warning"], said.replace("s:1", "s:2"));
    });
}
