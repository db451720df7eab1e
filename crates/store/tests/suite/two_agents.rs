//! One agent works and leaves; another opens the session and goes on.

use serde_json::{Value, json};

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
fn notes_and_cards_about_changed_code_are_told_in_brief_and_radar() {
    on_every_store(|w| {
        for place in ["a.rs", "b.rs", "c.rs", "d.rs", "e.rs", "f.rs"] {
            w.code.0.lock().insert(place.to_owned(), "v1".to_owned());
        }
        let anchors = |place: &str| json!([{"path": place}]);
        w.ok("tasks_create", json!({"title": "t", "kind": "task"}));
        let note = json!({"target": "TASK-001", "content": "on the task", "anchors": anchors("a.rs")});
        let on_task = w.ok("notes_commit", note)["entry"]["seq"].to_string();
        let note =
            json!({"branch": "main", "doc": "diary", "content": "on main", "anchors": anchors("b.rs")});
        let on_main = w.ok("notes_commit", note)["entry"]["seq"].to_string();
        let card = json!({"id": "h1", "type": "hypothesis", "title": "h"});
        w.ok("think_card", json!({"target": "TASK-001", "card": card, "anchors": anchors("c.rs")}));
        let idea = json!([{"op": "node_upsert", "id": "idea", "type": "idea", "anchors": anchors("d.rs")}]);
        w.ok("graph_apply", json!({"branch": "main", "doc": "g", "ops": idea}));
        // A finished task's note is among the newest and shown; a branch that is not checked out concerns no new session.
        w.ok("tasks_create", json!({"title": "over", "kind": "task"}));
        let note = json!({"target": "TASK-002", "content": "old", "anchors": anchors("e.rs")});
        let on_done = w.ok("notes_commit", note)["entry"]["seq"].to_string();
        w.ok("tasks_edit", json!({"task": "TASK-002", "status": "done"}));
        w.ok("branch_create", json!({"name": "fork", "from": "main"}));
        let there = json!({"branch": "fork", "doc": "notes", "content": "there", "anchors": anchors("f.rs")});
        w.ok("notes_commit", there);
        let told = |name: &str| {
            let out = w.ok(name, json!({"task": "TASK-001"}));
            let list = out["stale_anchors"].as_array().cloned().unwrap_or_default();
            let mut on: Vec<String> = list.iter().map(|one| one["on"].as_str().unwrap().to_owned()).collect();
            on.sort();
            on
        };
        let brief = || {
            let list = w.ok("brief", json!({}))["stale_anchors"].clone();
            let mut on: Vec<String> =
                list.as_array().unwrap().iter().map(|one| one["on"].as_str().unwrap().to_owned()).collect();
            on.sort();
            on
        };
        assert_eq!((brief(), told("tasks_radar")), (vec![], vec![]));
        w.code.0.lock().values_mut().for_each(|held| *held = "v2".to_owned());
        assert_eq!(brief(), [on_done, on_task.clone(), on_main, "h1".to_owned(), "idea".to_owned()]);
        assert_eq!(told("tasks_radar"), [on_task, "h1".to_owned()]);
        w.ok("checkout", json!({"ref": "fork"}));
        assert_eq!(brief().len(), 6);
        w.ok(
            "graph_apply",
            json!({"branch": "fork", "doc": "g", "ops": [{"op": "node_delete", "id": "idea"}]}),
        );
        assert_eq!(brief().len(), 5);
    });
}

#[test]
fn a_brief_tells_who_works_on_what_and_what_is_in_conflict() {
    on_every_store(|w| {
        for title in ["mine", "theirs", "stuck", "free", "over"] {
            w.ok("tasks_create", json!({"title": title, "kind": "task"}));
        }
        for (task, agent) in [("TASK-002", "bob"), ("TASK-001", "ann"), ("TASK-005", "ann")] {
            w.ok("tasks_claim", json!({"task": task, "agent_id": agent}));
        }
        w.ok("tasks_edit", json!({"task": "TASK-003", "status": "blocked"}));
        w.ok("tasks_edit", json!({"task": "TASK-005", "status": "done"}));
        let put = |branch: &str, title: &str| {
            let ops = json!([{"op": "node_upsert", "id": "n", "type": "idea", "title": title}]);
            w.ok("graph_apply", json!({"branch": branch, "doc": "g", "ops": ops}));
        };
        put("main", "base");
        w.ok("branch_create", json!({"name": "b"}));
        put("b", "theirs");
        for ours in ["ours", "again"] {
            put("main", ours);
            w.ok("graph_merge", json!({"from": "b", "into": "main"}));
        }
        let ids = |list: &serde_json::Value| -> Vec<String> {
            list.as_array().unwrap().iter().map(|task| task["id"].as_str().unwrap().to_owned()).collect()
        };
        let brief = w.ok("brief", json!({"agent_id": "bob"}));
        assert_eq!(ids(&brief["at_work"]), ["TASK-002", "TASK-001", "TASK-003"]);
        assert_eq!(brief["at_work"][0]["claimed_by"], "bob");
        assert_eq!(ids(&brief["ready"]), ["TASK-004"]);
        assert_eq!(ids(&w.ok("brief", json!({"agent_id": "ann"}))["at_work"])[0], "TASK-001");
        let conflicts = brief["conflicts"].as_array().unwrap();
        assert_eq!(conflicts.len(), 1, "{brief}");
        let id = &conflicts[0]["conflict_id"];
        w.ok("graph_conflict_resolve", json!({"conflict_id": id, "resolution": "use_into"}));
        assert_eq!(w.ok("brief", json!({})).get("conflicts"), None);
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

#[test]
fn a_brief_shows_plain_notes_and_how_far_the_focus_got() {
    on_every_store(|w| {
        w.ok("branch_create", json!({"name": "aside"}));
        for at in 0..8 {
            w.ok(
                "notes_commit",
                json!({"branch": "main", "doc": "notes", "content": format!("note {at} {}", "x".repeat(400))}),
            );
        }
        w.ok("notes_commit", json!({"branch": "aside", "doc": "notes", "content": "only tried"}));
        let brief = w.ok("brief", json!({}));
        let notes = brief["notes"].as_array().unwrap();
        assert_eq!(notes.len(), 5, "{brief}");
        assert!(notes[0]["text"].as_str().unwrap().starts_with("note 7 x"));
        assert_eq!((&notes[0]["truncated"], &notes[0]["text_length"]), (&json!(true), &json!(407)));
        assert!(!brief.to_string().contains("only tried"));
        assert_eq!((&brief["dropped"]["notes"], &brief["truncated"]), (&json!(3), &json!(true)));

        w.ok("tasks_create", json!({"title": "plan", "contract": "half the time"}));
        w.ok(
            "tasks_create",
            json!({"title": "task", "parent": "PLAN-001", "description": "walk faster", "steps": [
            {"title": "measure", "success_criteria": ["a figure"]}]}),
        );
        w.ok("tasks_focus_set", json!({"task": "TASK-001"}));
        w.ok("tasks_note", json!({"path": "s:0", "note": "older"}));
        w.ok("tasks_note", json!({"path": "s:0", "note": "baseline is 8 s"}));
        w.ok("tasks_claim", json!({"task": "TASK-001", "agent_id": "ann"}));
        for radar in
            [w.ok("tasks_radar", json!({}))["radar"].clone(), w.ok("brief", json!({}))["focus"].clone()]
        {
            assert_eq!(radar["why"], "walk faster");
            assert_eq!(radar["contract"], "half the time");
            assert_eq!(radar["last_note"]["text"], "baseline is 8 s");
            assert_eq!(radar["last_note"]["path"], "s:0");
        }
        let asked_by = |agent: &str| w.ok("brief", json!({"agent_id": agent}))["focus"].clone();
        assert_eq!(asked_by("ann")["yours"], true);
        assert_eq!(asked_by("bob").get("yours"), None);
        assert_eq!(asked_by("bob")["target"]["claimed_by"], "ann");
        let texts: Vec<_> = w.ok("brief", json!({"target": "TASK-001"}))["notes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|note| note["text"].clone())
            .collect();
        assert_eq!(texts, ["older"]);
    });
}

#[test]
fn tasks_of_a_closed_plan_are_not_ready() {
    on_every_store(|w| {
        w.ok("tasks_create", json!({"title": "plan"}));
        w.ok("tasks_create", json!({"title": "task", "parent": "PLAN-001"}));
        for (status, ready) in [("cancelled", 0), ("active", 1)] {
            w.ok("tasks_edit", json!({"plan": "PLAN-001", "status": status}));
            for list in
                [w.ok("tasks_ready", json!({}))["tasks"].clone(), w.ok("brief", json!({}))["ready"].clone()]
            {
                assert_eq!(list.as_array().unwrap().len(), ready, "{status}: {list}");
            }
        }
    });
}

#[test]
fn what_is_pinned_outlasts_ready_tasks_and_no_room_is_wasted() {
    on_every_store(|w| {
        for at in 0..6 {
            w.clock.advance(std::time::Duration::from_millis(1));
            w.ok(
                "notes_commit",
                json!({"branch": "main", "doc": "notes", "content": format!("{at} {}", "p".repeat(1_400)),
                                        "meta": {"pinned": true}}),
            );
        }
        w.ok("notes_commit", json!({"branch": "main", "doc": "notes", "content": "h".repeat(1_000), "meta": {"handoff": true}}));
        for at in 0..30 {
            w.ok("tasks_create", json!({"title": format!("task {at}"), "kind": "task"}));
        }
        let brief = w.ok("brief", json!({}));
        assert_eq!(brief["pinned"].as_array().unwrap().len(), 6, "{brief}");
        assert_eq!(brief["handoff"]["text"], "h".repeat(1_000));
        let size = brief.to_string().len();
        assert!((3_700..=4_000).contains(&size), "{size}: {brief}");
        assert_eq!(brief["ready"].as_array().unwrap().len(), 1, "{brief}");
        let tight = w.ok("brief", json!({"max_chars": 1_700}));
        assert_eq!(tight["dropped"]["pinned"], 0, "{tight}");
        assert_eq!(tight["ready"].as_array().unwrap().len(), 1, "{tight}");
        let tighter = w.ok("brief", json!({"max_chars": 1_250}));
        assert_eq!((&tighter["dropped"]["pinned"], &tighter["ready"]), (&json!(0), &json!([])), "{tighter}");
    });
}

#[test]
fn what_a_merge_brings_stays_pinned_and_is_shown_once() {
    on_every_store(|w| {
        w.ok("notes_commit", json!({"branch": "main", "doc": "notes", "content": "first"}));
        w.ok("branch_create", json!({"name": "try", "from": "main"}));
        w.ok(
            "notes_commit",
            json!({"branch": "try", "doc": "notes", "content": "mind the gap", "meta": {"pinned": true}}),
        );
        let texts = || -> Vec<Value> {
            let brief = w.ok("brief", json!({}));
            brief["pinned"].as_array().into_iter().flatten().map(|note| note["text"].clone()).collect()
        };
        assert_eq!(texts(), Vec::<Value>::new(), "not of this branch yet");
        w.ok("merge", json!({"from": "try", "into": "main", "doc": "notes"}));
        assert_eq!(texts(), ["mind the gap"]);
        w.ok("checkout", json!({"ref": "try"}));
        w.ok("merge", json!({"from": "main", "into": "try", "doc": "notes"}));
        assert_eq!(texts(), ["mind the gap"]);
    });
}

#[test]
fn a_brief_that_left_something_out_says_so() {
    on_every_store(|w| {
        for at in 0..40 {
            w.ok("tasks_create", json!({"title": format!("task {at}"), "kind": "task"}));
        }
        let brief = w.ok("brief", json!({"max_chars": 20_000}));
        assert!(brief["dropped"]["ready"].as_u64().unwrap() > 0 && brief["truncated"] == true, "{brief}");
    });
}

#[test]
fn a_small_brief_keeps_what_is_worth_most_and_says_what_it_shortened() {
    on_every_store(|w| {
        let long = "and much more is to be said about it ".repeat(12);
        let said = |what: &str| format!("{what} {long}");
        w.ok("tasks_create", json!({"title": "plan", "contract": said("the goal")}));
        let steps = json!([{"title": said("step"), "success_criteria": [said("it holds")]}]);
        let task = json!({"title": "focus", "parent": "PLAN-001", "steps": steps});
        w.ok("tasks_create", task);
        w.ok("tasks_define", json!({"task": "TASK-001", "path": "s:0", "blockers": [said("no disk")]}));
        w.ok("tasks_claim", json!({"task": "TASK-001", "agent_id": "ann"}));
        w.ok("tasks_focus_set", json!({"task": "TASK-001"}));
        for at in 0..5 {
            w.ok("tasks_create", json!({"title": said("ready"), "kind": "task"}));
            let card =
                json!({"id": format!("d{at}"), "type": "decision", "title": said("decided"), "text": long});
            w.ok("think_card", json!({"target": "TASK-001", "card": card}));
            let question = json!({"id": format!("q{at}"), "type": "question", "title": said("why")});
            w.ok("think_card", json!({"target": "TASK-001", "card": question}));
            w.ok("notes_commit", json!({"branch": "main", "doc": "notes", "content": said("plain")}));
        }
        let note = |text: String, mark: &str| {
            w.ok(
                "notes_commit",
                json!({"branch": "main", "doc": "notes", "content": text, "meta": {mark: true}}),
            );
        };
        note(said("pinned"), "pinned");
        note(said("over to you"), "handoff");
        let filled = |value: &Value| value.as_array().is_some_and(|list| !list.is_empty());
        for budget in (200..2_000).step_by(10) {
            let brief = w.ok("brief", json!({"max_chars": budget}));
            let shown = [
                brief["focus"].is_object(),
                brief["handoff"].is_object(),
                filled(&brief["pinned"]),
                filled(&brief["decisions"]),
                filled(&brief["ready"]),
                filled(&brief["focus"]["blockers"]),
            ];
            assert!(shown.is_sorted_by(|a, b| a >= b), "{budget} {shown:?}: {brief}");
            assert!(shown[5] || budget < 1_150, "{budget} {shown:?}: {brief}");
            assert!(shown[4] || budget < 1_080, "{budget} {shown:?}: {brief}");
            assert!(shown[..4] == [true; 4], "{budget}: what a brief is for is always there: {brief}");
            assert!(brief.to_string().len() <= budget.max(950), "{budget}: {brief}");
            // Nothing is shortened or left out without a word.
            for (list, all) in [("ready", 5), ("decisions", 5), ("questions", 5), ("notes", 5), ("pinned", 1)]
            {
                let shown = brief[list].as_array().map_or(0, Vec::len);
                let dropped = brief["dropped"][list].as_u64().unwrap_or(0);
                assert_eq!(shown as u64 + dropped, all, "{budget} {list}: {brief}");
            }
            for item in [&brief["handoff"], &brief["pinned"][0], &brief["decisions"][0]] {
                let whole = item["text"].as_str().is_some_and(|text| text.len() > 400);
                assert!(item.is_null() || whole || item["truncated"] == true, "{budget}: {item}");
            }
            assert!(brief["focus"].is_null() || brief["focus"]["truncated"] == true, "{budget}: {brief}");
        }
    });
}
