//! Plans, tasks and steps: gates, revisions, the single organism, claims.

use std::time::Duration;

use m1nd_memory::MemoryError;
use m1nd_memory::tasks::Checkpoint;
use serde_json::{Value, json};

use crate::world::{World, column, on_every_store, pages};

fn task(w: &World) {
    w.ok("tasks_create", json!({"title": "plan", "contract": "must hold"}));
    let steps = json!([
        {"title": "first", "success_criteria": ["it works"], "tests": ["cargo test"]},
        {"title": "second", "success_criteria": ["it lasts"]},
    ]);
    w.ok("tasks_create", json!({"title": "task", "parent": "PLAN-001", "steps": steps}));
}

fn confirm(w: &World, path: &str) -> Value {
    w.ok(
        "tasks_verify",
        json!({"task": "TASK-001", "path": path, "checkpoints": {
            "criteria": {"confirmed": true},
            "tests": {"confirmed": true, "evidence": {"command": "cargo test", "exit_code": 0}}}}),
    )
}

fn done(w: &World, path: &str) -> Result<Value, MemoryError> {
    w.call("tasks_done", json!({"task": "TASK-001", "path": path}))
}

fn revision(w: &World) -> i64 {
    w.ok("tasks_radar", json!({"task": "TASK-001"}))["target"]["revision"].as_i64().unwrap()
}

#[test]
fn plans_and_tasks_are_counted_and_placed() {
    on_every_store(|w| {
        let plan = w.ok("tasks_create", json!({"title": "plan"}));
        assert_eq!((&plan["id"], &plan["revision"]), (&json!("PLAN-001"), &json!(0)));
        assert_eq!(plan["event"]["type"], "plan_created");
        assert_eq!(plan["event"]["event_id"], "evt_0000000000000001");
        assert_eq!(
            plan["reasoning_ref"],
            json!({"branch": "plan/PLAN-001", "notes_doc": "notes", "graph_doc": "PLAN-001-graph",
                   "trace_doc": "PLAN-001-trace"})
        );
        assert!(matches!(
            w.refused("tasks_create", json!({"title": "t", "parent": "PLAN-002"})),
            MemoryError::TargetUnknown { nearest, .. } if nearest == ["PLAN-001"]
        ));
        assert_eq!(w.ok("tasks_create", json!({"title": "t", "parent": "PLAN-001"}))["id"], "TASK-001");
        assert_eq!(w.ok("tasks_create", json!({"title": "t2", "kind": "task"}))["id"], "TASK-002");
        let status = w.ok("status", json!({}));
        assert_eq!(status["last_event_id"], "evt_0000000000000003");
    });
}

#[test]
fn steps_form_a_tree_with_paths() {
    on_every_store(|w| {
        task(w);
        let out = w.ok(
            "tasks_decompose",
            json!({"task": "TASK-001", "parent": "s:1", "steps": [{"title": "below", "success_criteria": []}]}),
        );
        assert_eq!(out["steps"][0]["path"], "s:1.s:0");
        assert!(out["steps"][0]["id"].as_str().unwrap().starts_with("STEP-"));
        assert_eq!(out["revision"], 1);
        let more = w.ok("tasks_decompose", json!({"task": "TASK-001", "steps": [{"title": "third"}]}));
        assert_eq!(more["steps"][0]["path"], "s:2");
        let by_id = json!({"step_id": out["steps"][0]["id"], "note": "found by its id alone"});
        assert_eq!(w.ok("tasks_note", by_id)["task"], "TASK-001");
        let refusal = w.refused(
            "tasks_note",
            json!({"task": "TASK-001", "step_id": out["steps"][0]["id"], "path": "s:0", "note": "x"}),
        );
        assert!(matches!(refusal, MemoryError::SelectorDisagrees { .. }));
    });
}

#[test]
fn a_step_is_done_only_when_its_checkpoints_are_confirmed() {
    on_every_store(|w| {
        task(w);
        let Err(MemoryError::CheckpointsNotConfirmed { missing, .. }) = done(w, "s:0") else { panic!() };
        assert_eq!(missing, [Checkpoint::Criteria, Checkpoint::Tests]);
        w.ok(
            "tasks_verify",
            json!({"task": "TASK-001", "path": "s:0", "checkpoints": {"criteria": {"confirmed": true}}}),
        );
        let Err(MemoryError::CheckpointsNotConfirmed { missing, .. }) = done(w, "s:0") else { panic!() };
        assert_eq!(missing, [Checkpoint::Tests]);
        confirm(w, "s:0");
        let before = w.ok("status", json!({}))["last_event_id"].clone();
        assert_eq!(revision(w), 2);
        assert_eq!(done(w, "s:0").unwrap()["task_status"], "todo");
        assert!(matches!(done(w, "s:0"), Err(MemoryError::StepDone { .. })));
        assert_eq!(revision(w), 3);
        assert_ne!(w.ok("status", json!({}))["last_event_id"], before);
    });
}

#[test]
fn new_criteria_or_tests_revoke_their_checkpoint() {
    on_every_store(|w| {
        task(w);
        assert_eq!(confirm(w, "s:0")["missing_checkpoints"], json!([]));
        let defined = w.ok("tasks_define", json!({"task": "TASK-001", "path": "s:0", "tests": ["another"]}));
        assert_eq!(defined["missing_checkpoints"], json!(["tests"]));
        let defined =
            w.ok("tasks_define", json!({"task": "TASK-001", "path": "s:0", "blockers": ["weather"]}));
        assert_eq!(defined["missing_checkpoints"], json!(["tests"]));
        let radar = w.ok("tasks_radar", json!({"task": "TASK-001"}));
        assert_eq!(radar["radar"]["blockers"], json!(["s:0 weather"]));
        assert_eq!(radar["radar"]["verify"], json!(["tests: another"]));
    });
}

#[test]
fn evidence_is_a_receipt() {
    on_every_store(|w| {
        task(w);
        let verify = |evidence: Value| {
            w.call(
                "tasks_verify",
                json!({"task": "TASK-001", "path": "s:0",
                       "checkpoints": {"tests": {"confirmed": true, "evidence": evidence}}}),
            )
        };
        for bad in [
            json!({}),
            json!({"command": "x"}),
            json!({"command": "x", "exit_code": 1}),
            json!({"path": "a"}),
            json!({"path": "a", "file_hash": "h"}),
            json!({"mission_event_id": "nope"}),
        ] {
            assert!(verify(bad).is_err());
        }
        w.code.0.lock().insert("a".to_owned(), "h".to_owned());
        w.code.0.lock().insert("abc".to_owned(), String::new());
        for good in [
            json!({"command": "x", "exit_code": 0}),
            json!({"commit": "abc"}),
            json!({"path": "a", "file_hash": "h"}),
            json!({"mission_event_id": "evt_0123456789_3"}),
        ] {
            assert!(verify(good).is_ok());
        }
    });
}

#[test]
fn a_parent_waits_for_its_children_and_the_last_step_finishes_the_task() {
    on_every_store(|w| {
        task(w);
        w.ok("tasks_decompose", json!({"task": "TASK-001", "parent": "s:0", "steps": [{"title": "child"}]}));
        confirm(w, "s:0");
        assert!(matches!(done(w, "s:0"), Err(MemoryError::OpenChildren { open: 1, .. })));
        let early = w.refused("tasks_edit", json!({"task": "TASK-001", "status": "done"}));
        assert!(matches!(early, MemoryError::OpenSteps { open: 3, .. }));
        for path in ["s:0.s:0", "s:0", "s:1"] {
            confirm(w, path);
            done(w, path).unwrap();
        }
        let radar = w.ok("tasks_radar", json!({"task": "TASK-001"}));
        assert_eq!(radar["target"]["status"], "done");
        assert_eq!(radar["steps"]["completed"], 3);
        let events = pages(w, "tasks_delta", json!({"limit": 2}), "events");
        assert_eq!(column(&events, "type").last(), Some(&json!("task_status")));
    });
}

#[test]
fn every_mutation_leaves_its_event_trace_and_projection_and_a_failed_one_nothing() {
    on_every_store(|w| {
        task(w);
        w.ok("branch_create", json!({"name": "fork", "from": "task/TASK-001"}));
        w.ok("checkout", json!({"ref": "fork"}));
        w.ok("tasks_note", json!({"task": "TASK-001", "path": "s:0", "note": "careful here"}));
        confirm(w, "s:0");
        let before = w.ok("status", json!({}));
        done(w, "s:1").unwrap_err();
        w.refused("tasks_edit", json!({"task": "TASK-001", "title": "x", "expected_revision": 7}));
        assert_eq!(w.ok("status", json!({})), before);
        done(w, "s:0").unwrap();

        let trace = pages(w, "show", json!({"target": "TASK-001", "doc_kind": "trace"}), "entries");
        let events = pages(w, "tasks_delta", json!({}), "events");
        let of_task: Vec<&Value> = events.iter().filter(|event| event["entity"] == "TASK-001").collect();
        assert_eq!(trace.len(), of_task.len());
        for (entry, event) in trace.iter().rev().zip(&of_task) {
            assert_eq!(entry["source_event_id"], event["event_id"]);
            assert_eq!(entry["kind"], "event");
            assert_eq!(entry["branch"], "task/TASK-001");
        }
        let notes = pages(w, "show", json!({"target": "TASK-001"}), "entries");
        assert_eq!(notes[0]["content"], "careful here");
        assert_eq!(notes[0]["meta"]["source"], "tasks_note");
        assert_eq!(notes[0]["meta"]["path"], "s:0");
        assert_eq!(notes[0]["meta"]["event_id"], of_task[1]["event_id"]);

        let graph = w.ok("graph_query", json!({"target": "TASK-001"}));
        let status = |id: &str| {
            let nodes = graph["nodes"].as_array().unwrap();
            nodes.iter().find(|node| node["id"] == id).map(|node| node["status"].clone())
        };
        assert_eq!(status("task:TASK-001"), Some(json!("todo")));
        assert_eq!(graph["edges"].as_array().unwrap().len(), 2);
        let steps: Vec<&Value> =
            graph["nodes"].as_array().unwrap().iter().filter(|node| node["type"] == "step").collect();
        assert_eq!(steps.iter().filter(|step| step["status"] == "done").count(), 1);
        let plan = w.ok("graph_query", json!({"target": "PLAN-001"}));
        assert_eq!(plan["edges"][0]["rel"], "contains");
        for target in ["PLAN-001", "TASK-001"] {
            assert_eq!(w.ok("graph_validate", json!({"target": target}))["ok"], true);
        }
        // The fork was not written to.
        assert_eq!(pages(w, "diff", json!({"from": "task/TASK-001", "to": "fork"}), "entries").len(), 0);
    });
}

#[test]
fn a_wrong_revision_is_refused_under_both_names() {
    on_every_store(|w| {
        task(w);
        for field in ["expected_revision", "expected_version"] {
            let refusal = w.refused("tasks_edit", json!({"task": "TASK-001", "title": "x", field: 5}));
            assert!(matches!(refusal, MemoryError::RevisionMismatch { current: 0, expected: 5, .. }));
        }
        assert!(
            w.call("tasks_edit", json!({"task": "TASK-001", "title": "x", "expected_version": 0})).is_ok()
        );
        assert_eq!(revision(w), 1);
    });
}

#[test]
fn null_clears_a_field_and_a_missing_one_stays() {
    on_every_store(|w| {
        task(w);
        w.ok("tasks_edit", json!({"task": "TASK-001", "description": "why", "priority": 3}));
        w.ok("tasks_edit", json!({"task": "TASK-001", "title": "renamed"}));
        assert_eq!(w.ok("tasks_radar", json!({"task": "TASK-001"}))["radar"]["why"], "why");
        w.ok("tasks_edit", json!({"task": "TASK-001", "description": null, "parent": null}));
        let radar = w.ok("tasks_radar", json!({"task": "TASK-001"}));
        assert_eq!(radar["radar"]["why"], "renamed");
        assert_eq!(radar["target"].get("parent"), None);
        assert_eq!(
            w.ok("graph_validate", json!({"target": "PLAN-001"}))["stats"],
            json!({"nodes": 1, "edges": 0})
        );
        w.refused("tasks_edit", json!({"task": "TASK-001"}));
    });
}

#[test]
fn dependencies_have_no_cycle_and_hold_tasks_back() {
    on_every_store(|w| {
        for title in ["a", "b", "c"] {
            w.ok("tasks_create", json!({"title": title, "kind": "task"}));
        }
        w.ok("tasks_edit", json!({"task": "TASK-002", "depends_on": ["TASK-001"]}));
        w.ok("tasks_edit", json!({"task": "TASK-003", "depends_on": ["TASK-002"], "priority": 9}));
        let refusal = w.refused("tasks_edit", json!({"task": "TASK-001", "depends_on": ["TASK-003"]}));
        assert!(matches!(refusal, MemoryError::DependencyCycle { .. }));
        w.refused("tasks_edit", json!({"task": "TASK-001", "depends_on": ["TASK-001"]}));
        let ready = || column(w.ok("tasks_ready", json!({}))["tasks"].as_array().unwrap(), "id");
        assert_eq!(ready(), ["TASK-001"]);
        w.ok("tasks_edit", json!({"task": "TASK-001", "status": "done"}));
        assert_eq!(ready(), ["TASK-002"]);
        w.ok("tasks_edit", json!({"task": "TASK-002", "status": "blocked"}));
        assert_eq!(ready(), [json!(null); 0]);
        w.ok("tasks_edit", json!({"task": "TASK-003", "depends_on": null}));
        w.ok("tasks_edit", json!({"task": "TASK-002", "status": "active", "priority": 9}));
        assert_eq!(ready(), ["TASK-002", "TASK-003"]);
    });
}

#[test]
fn a_claim_holds_until_its_lease_ends_and_old_tokens_are_refused() {
    on_every_store(|w| {
        task(w);
        let claim = |agent: &str| w.call("tasks_claim", json!({"task": "TASK-001", "agent_id": agent}));
        let first = claim("ann").unwrap();
        assert_eq!(first["lease_seconds"], 900);
        assert!(matches!(claim("bob"), Err(MemoryError::ClaimHeld { by, .. }) if by == "ann"));
        assert_eq!(claim("ann").unwrap()["claim_token"], first["claim_token"]);
        let ready = w.ok("tasks_ready", json!({"agent_id": "ann"}));
        assert_eq!(ready["tasks"], json!([]));
        assert_eq!(ready["yours"][0]["id"], "TASK-001");

        w.clock.advance(Duration::from_secs(901));
        let note = |token: &Value| {
            w.call("tasks_note", json!({"task": "TASK-001", "note": "still here", "claim_token": token}))
        };
        assert!(matches!(note(&first["claim_token"]), Err(MemoryError::ClaimExpired { .. })));
        let second = claim("bob").unwrap();
        assert_ne!(second["claim_token"], first["claim_token"]);
        assert!(matches!(note(&first["claim_token"]), Err(MemoryError::ClaimForeign { .. })));
        assert!(note(&second["claim_token"]).is_ok());
        let release = |agent: &str| w.call("tasks_release", json!({"task": "TASK-001", "agent_id": agent}));
        assert!(matches!(release("ann"), Err(MemoryError::ClaimHeld { .. })));
        assert_eq!(release("bob").unwrap()["released"], true);
        assert!(matches!(release("bob"), Err(MemoryError::NotClaimed { .. })));
        assert!(matches!(note(&second["claim_token"]), Err(MemoryError::ClaimForeign { .. })));
    });
}

#[test]
fn a_claim_that_has_ended_says_so_when_its_key_is_used_again() {
    on_every_store(|w| {
        task(w);
        let claim =
            || w.ok("tasks_claim", json!({"task": "TASK-001", "agent_id": "ann", "idempotency_key": "k"}));
        let first = claim();
        let again = claim();
        assert_eq!((&again["claim_token"], again["event"].get("warning")), (&first["claim_token"], None));
        w.clock.advance(Duration::from_secs(901));
        let late = claim();
        assert_eq!(late["claim_token"], first["claim_token"], "the same key, the same answer");
        assert!(late["event"]["warning"].as_str().unwrap().contains("has ended"), "{late}");
    });
}

#[test]
fn a_change_without_the_token_of_a_live_claim_says_whose_it_passed_by() {
    on_every_store(|w| {
        task(w);
        let token =
            w.ok("tasks_claim", json!({"task": "TASK-001", "agent_id": "ann"}))["claim_token"].clone();
        let other = w.ok("tasks_note", json!({"task": "TASK-001", "note": "mine"}));
        assert!(other["event"]["warning"].as_str().unwrap().contains("claimed by ann"), "{other}");
        let told = w.ok("tasks_delta", json!({"limit": 200}));
        let last = told["events"].as_array().unwrap().last().unwrap().clone();
        assert_eq!(last["payload"]["without_claim"]["claimed_by"], "ann");
        let own = w.ok("tasks_note", json!({"task": "TASK-001", "note": "mine", "claim_token": token}));
        assert_eq!(own["event"].get("warning"), None);
        for call in ["tasks_claim", "tasks_release"] {
            let out = w.ok(call, json!({"task": "TASK-001", "agent_id": "ann"}));
            assert_eq!(out["event"].get("warning"), None, "{out}");
        }
        let free = w.ok("tasks_note", json!({"task": "TASK-001", "note": "mine"}));
        assert_eq!(free["event"].get("warning"), None);
    });
}

#[test]
fn an_event_that_repeats_only_the_head_of_a_note_says_so() {
    on_every_store(|w| {
        task(w);
        let short = w.ok("tasks_note", json!({"task": "TASK-001", "note": "short"}));
        assert_eq!(short["event"]["payload"], json!({"note": "short"}));
        let text = format!("{}\nsecond line", "long ".repeat(60));
        let long = w.ok("tasks_note", json!({"task": "TASK-001", "note": text}));
        let payload = &long["event"]["payload"];
        assert_eq!((&payload["truncated"], &payload["note_length"]), (&json!(true), &json!(text.len())));
    });
}

#[test]
fn a_clock_that_jumps_back_does_not_hold_a_task_for_years() {
    on_every_store(|w| {
        task(w);
        w.ok("tasks_claim", json!({"task": "TASK-001", "agent_id": "ann"}));
        w.clock.jump_to(m1nd_stdx::clock::UnixMs(1_000_000_000_000));
        assert!(w.call("tasks_claim", json!({"task": "TASK-001", "agent_id": "bob"})).is_ok());
    });
}

#[test]
fn the_focus_is_what_calls_mean_when_they_name_nothing() {
    on_every_store(|w| {
        assert!(matches!(w.refused("tasks_radar", json!({})), MemoryError::NoTarget));
        task(w);
        assert!(matches!(
            w.refused("tasks_focus_set", json!({"task": "TASK-007"})),
            MemoryError::TargetUnknown { .. }
        ));
        w.ok("tasks_focus_set", json!({"task": "TASK-001"}));
        assert_eq!(w.ok("tasks_focus_get", json!({}))["focus"], "TASK-001");
        let radar = w.ok("tasks_radar", json!({}));
        assert_eq!(radar["radar"]["now"], "s:0 first");
        assert_eq!(radar["radar"]["why"], "must hold");
        assert_eq!(radar["radar"]["next"], json!(["s:1 second"]));
        assert_eq!(radar["steps"]["first_open"]["path"], "s:0");
        assert_eq!(radar["steps"]["missing_criteria"], 2);
        assert_eq!(radar["steps"]["missing_tests"], 1);
        let cleared = w.ok("tasks_focus_clear", json!({}));
        assert_eq!((&cleared["previous"], cleared.get("focus")), (&json!("TASK-001"), None));
    });
}

#[test]
fn no_entity_or_event_is_hidden_behind_a_page() {
    on_every_store(|w| {
        for at in 0..60 {
            w.ok("tasks_create", json!({"title": format!("task {at}"), "kind": "task"}));
        }
        for arguments in [json!({}), json!({"limit": 7}), json!({"max_chars": 700})] {
            assert_eq!(pages(w, "tasks_context", arguments.clone(), "tasks").len(), 60);
            let events = pages(w, "tasks_delta", arguments, "events");
            let mut sorted = column(&events, "event_id");
            sorted.sort_by_key(|id| id.to_string());
            assert_eq!(column(&events, "event_id"), sorted);
            assert_eq!(events.len(), 60);
        }
        let later = pages(w, "tasks_delta", json!({"since": "evt_0000000000000058"}), "events");
        assert_eq!(later.len(), 2);
        let changed = pages(w, "tasks_context", json!({"since": "evt_0000000000000059"}), "tasks");
        assert_eq!(column(&changed, "id"), ["TASK-060"]);
    });
}

#[test]
fn an_idempotency_key_covers_the_whole_mutation() {
    on_every_store(|w| {
        let create = json!({"title": "p", "idempotency_key": "once"});
        let first = w.ok("tasks_create", create.clone());
        assert_eq!(w.ok("tasks_create", create)["event"], first["event"]);
        assert_eq!(w.ok("status", json!({}))["plans"], 1);
        let note = json!({"task": "PLAN-001", "note": "n", "idempotency_key": "once"});
        let first = w.ok("tasks_note", note.clone());
        assert_eq!(w.ok("tasks_note", note)["event"], first["event"]);
        assert_eq!(pages(w, "show", json!({"target": "PLAN-001"}), "entries").len(), 1);
    });
}

#[test]
fn everything_a_task_was_told_can_be_read_back() {
    on_every_store(|w| {
        let steps: Vec<Value> = (0..9)
            .map(|at| json!({"title": format!("step {at}"), "success_criteria": [format!("holds {at}")], "tests": [format!("test {at}")]}))
            .collect();
        w.ok("tasks_create", json!({"title": "p"}));
        w.ok(
            "tasks_create",
            json!({"title": "t", "parent": "PLAN-001", "description": "d", "contract": "c", "contract_data": {"k": [1]}, "steps": steps}),
        );
        let evidence = json!({"command": "cargo test", "exit_code": 0});
        w.ok(
            "tasks_verify",
            json!({"task": "TASK-001", "path": "s:7", "checkpoints": {"tests": {"confirmed": true, "evidence": evidence}}}),
        );
        w.ok("tasks_claim", json!({"task": "TASK-001", "agent_id": "a"}));
        let radar = w.ok("tasks_radar", json!({"task": "TASK-001"}));
        assert_eq!((&radar["radar"]["more_next"], &radar["truncated"]), (&json!(3), &json!(true)), "{radar}");
        let whole = w.ok("tasks_context", json!({"task": "TASK-001"}));
        let detail = &whole["detail"];
        assert_eq!(
            (&detail["contract"], &detail["contract_data"]["k"]),
            (&json!("c"), &json!([1])),
            "{whole}"
        );
        assert_eq!((&detail["claim"]["by"], &detail["steps_total"]), (&json!("a"), &json!(9)));
        assert_eq!(detail["steps"][8]["success_criteria"], json!(["holds 8"]));
        assert_eq!(detail["steps"][7]["checkpoints"]["tests"]["evidence"]["exit_code"], 0, "{detail}");
        assert_eq!(whole["truncated"], false);
        for (limit, budget) in [(2, 20_000), (200, 900), (200, 1_400), (200, 1)] {
            let mut found = Vec::new();
            let mut cursor = json!(0);
            while !cursor.is_null() {
                let page = w.ok(
                    "tasks_context",
                    json!({"task": "TASK-001", "limit": limit, "max_chars": budget, "cursor": cursor}),
                );
                assert!(budget < 900 || page.to_string().len() <= budget, "{page}");
                let steps = page["detail"]["steps"].as_array().unwrap().clone();
                assert!(!steps.is_empty(), "{page}");
                assert_eq!(
                    page["truncated"],
                    page["pagination"]["has_more"] == true || budget == 1,
                    "{page}"
                );
                found.extend(steps.into_iter().map(|step| step["path"].clone()));
                cursor = page["pagination"]["next_cursor"].clone();
            }
            let all: Vec<Value> = (0..9).map(|at| json!(format!("s:{at}"))).collect();
            assert_eq!(found, all, "limit {limit} budget {budget}");
        }
        let plan = w.ok("tasks_context", json!({"task": "PLAN-001"}));
        assert_eq!(
            (&plan["plans"][0]["id"], &plan["tasks"][0]["id"]),
            (&json!("PLAN-001"), &json!("TASK-001"))
        );
    });
}

#[test]
fn a_commit_that_is_not_there_confirms_nothing() {
    on_every_store(|w| {
        w.ok("tasks_create", json!({"title": "p"}));
        w.ok("tasks_create", json!({"title": "t", "parent": "PLAN-001", "steps": [{"title": "s"}]}));
        w.code.0.lock().insert("abc1234".to_owned(), String::new());
        let verdict = |confirmed: bool, commit: &str| {
            let criteria = json!({"confirmed": confirmed, "evidence": {"commit": commit}});
            json!({"task": "TASK-001", "path": "s:0", "checkpoints": {"criteria": criteria}})
        };
        let refusal = w.refused("tasks_verify", verdict(true, "0badbad")).to_string();
        assert!(refusal.contains("no commit of that name"), "{refusal}");
        w.ok("tasks_verify", verdict(true, "abc1234"));
        // What revokes a gate may name a commit that was taken away since.
        w.ok("tasks_verify", verdict(false, "0badbad"));
    });
}
