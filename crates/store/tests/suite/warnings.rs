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

#[test]
fn a_plan_whose_tasks_are_all_over_is_told_how_it_is_closed() {
    on_every_store(|w| {
        w.ok("tasks_create", json!({"title": "plan"}));
        let next = || w.ok("tasks_radar", json!({"task": "PLAN-001"}))["radar"]["next"].clone();
        assert_eq!(next(), json!([]));
        w.ok("tasks_create", json!({"title": "a", "parent": "PLAN-001"}));
        assert_eq!(next(), json!([]));
        w.ok("tasks_edit", json!({"task": "TASK-001", "status": "done"}));
        let said = "all tasks of PLAN-001 are done or cancelled: tasks_edit with status done closes it";
        assert_eq!(next(), json!([said]));
        w.ok("tasks_edit", json!({"plan": "PLAN-001", "status": "done"}));
        assert_eq!(next(), json!([]));
    });
}

#[test]
fn a_plan_is_not_claimed_and_nobody_holds_what_is_done() {
    on_every_store(|w| {
        w.ok("tasks_create", json!({"title": "plan"}));
        w.ok("tasks_create", json!({"title": "a", "parent": "PLAN-001"}));
        let said = w.refused("tasks_claim", json!({"task": "PLAN-001", "agent_id": "ann"})).to_string();
        assert!(said.contains("PLAN-001 is a plan; agents claim its tasks"), "{said}");
        w.ok("tasks_claim", json!({"task": "TASK-001", "agent_id": "ann"}));
        let holder = |status: &str| {
            w.ok("tasks_edit", json!({"task": "TASK-001", "status": status}));
            let context = w.ok("tasks_context", json!({"task": "TASK-001"}));
            let radar = w.ok("tasks_radar", json!({"task": "TASK-001"}));
            let found = [
                context["tasks"][0].get("claimed_by"),
                context["detail"].get("claim").and_then(|claim| claim.get("by")),
                radar["target"].get("claimed_by"),
            ];
            found.map(|by| by.map(|by| by.as_str().unwrap().to_owned()))
        };
        assert_eq!(holder("active"), [(); 3].map(|()| Some("ann".to_owned())));
        assert_eq!(holder("done"), [None, None, None]);
    });
}
