//! What lies behind many other things is found, shown and counted all the same.

use serde_json::{Value, json};

use crate::world::{World, on_every_store};

fn ids(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap()).collect()
}

fn card(w: &World, target: &str, id: &str, kind: &str, status: &str) {
    let card = json!({"id": id, "type": kind, "title": id, "status": status});
    w.ok("think_card", json!({"target": target, "card": card}));
}

fn nodes(prefix: &str, kind: &str, status: &str, count: usize) -> Vec<Value> {
    let node = |at: usize| {
        let id = format!("{prefix}{at}");
        json!({"op": "node_upsert", "id": id, "type": kind, "title": id, "status": status})
    };
    (0..count).map(node).collect()
}

fn plan_with_task(w: &World) {
    w.ok("tasks_create", json!({"title": "plan"}));
    w.ok("tasks_create", json!({"title": "one", "parent": "PLAN-001"}));
    w.ok("tasks_create", json!({"title": "two", "parent": "PLAN-001"}));
}

#[test]
fn a_decision_is_not_lost_behind_those_that_a_fork_tries_out() {
    on_every_store(|w| {
        plan_with_task(w);
        card(w, "TASK-001", "D1", "decision", "accepted");
        card(w, "TASK-001", "Q1", "question", "open");
        w.ok("branch_create", json!({"name": "f", "from": "task/TASK-001"}));
        for kind in ["decision", "question"] {
            let ops = nodes(kind, kind, "open", 260);
            w.ok("graph_apply", json!({"branch": "f", "doc": "TASK-001-graph", "ops": ops}));
        }
        for about in [json!({}), json!({"target": "TASK-001"})] {
            let brief = w.ok("brief", about);
            assert_eq!(
                (ids(&brief["decisions"]), ids(&brief["questions"])),
                (vec!["D1"], vec!["Q1"]),
                "{brief}"
            );
        }
    });
}

#[test]
fn an_open_question_is_not_lost_behind_answered_ones_nor_a_decision_behind_those_of_another_task() {
    on_every_store(|w| {
        plan_with_task(w);
        card(w, "TASK-001", "Q1", "question", "open");
        card(w, "TASK-001", "D1", "decision", "accepted");
        let ops = nodes("q", "question", "answered", 260);
        w.ok("graph_apply", json!({"branch": "task/TASK-001", "doc": "TASK-001-graph", "ops": ops}));
        let ops = nodes("d", "decision", "accepted", 260);
        w.ok("graph_apply", json!({"branch": "task/TASK-002", "doc": "TASK-002-graph", "ops": ops}));
        assert_eq!(ids(&w.ok("brief", json!({}))["questions"]), ["Q1"]);
        assert_eq!(ids(&w.ok("brief", json!({"target": "TASK-001"}))["decisions"]), ["D1"]);
    });
}

#[test]
fn notes_of_the_workspace_are_not_lost_behind_those_of_a_fork() {
    on_every_store(|w| {
        w.ok(
            "notes_commit",
            json!({"branch": "main", "doc": "notes", "content": "stays", "meta": {"pinned": true}}),
        );
        w.ok("notes_commit", json!({"branch": "main", "doc": "notes", "content": "plain"}));
        w.ok("branch_create", json!({"name": "f", "from": "main"}));
        for at in 0..260 {
            let meta = json!({"pinned": at % 2 == 0});
            w.ok(
                "notes_commit",
                json!({"branch": "f", "doc": "notes", "content": format!("{at}"), "meta": meta}),
            );
        }
        let brief = w.ok("brief", json!({}));
        assert_eq!(brief["pinned"][0]["text"], "stays", "{brief}");
        assert_eq!(brief["notes"][0]["text"], "plain", "{brief}");
    });
}

#[test]
fn a_brief_of_a_task_shows_what_its_plan_decided() {
    on_every_store(|w| {
        plan_with_task(w);
        card(w, "PLAN-001", "D1", "decision", "accepted");
        assert_eq!(ids(&w.ok("brief", json!({"target": "TASK-002"}))["decisions"]), ["D1"]);
    });
}

#[test]
fn own_claims_come_first_however_many_others_there_are() {
    on_every_store(|w| {
        w.ok("tasks_create", json!({"title": "plan"}));
        for at in 0..230 {
            w.ok("tasks_create", json!({"title": format!("t{at}"), "parent": "PLAN-001"}));
        }
        for at in 1..230 {
            w.ok("tasks_claim", json!({"task": format!("TASK-{at:03}"), "agent_id": "a"}));
        }
        w.ok("tasks_claim", json!({"task": "TASK-230", "agent_id": "mine"}));
        let brief = w.ok("brief", json!({"agent_id": "mine"}));
        assert_eq!(brief["at_work"][0]["id"], "TASK-230", "{brief}");
    });
}

#[test]
fn a_stale_anchor_is_told_however_many_notes_followed() {
    on_every_store(|w| {
        plan_with_task(w);
        for file in ["old.rs", "new.rs"] {
            w.code.0.lock().insert(file.to_owned(), "1".to_owned());
        }
        let note = |text: &str, file: &str| {
            let anchors = json!([{"path": file}]);
            w.ok("notes_commit", json!({"target": "TASK-001", "content": text, "anchors": anchors}));
        };
        note("about the old", "old.rs");
        (0..60).for_each(|at| note(&format!("{at}"), "new.rs"));
        w.code.0.lock().insert("old.rs".to_owned(), "2".to_owned());
        for (tool, about) in
            [("tasks_radar", json!({"task": "TASK-001"})), ("brief", json!({"target": "TASK-001"}))]
        {
            let stale = w.ok(tool, about)["stale_anchors"].to_string();
            assert!(stale.contains("old.rs"), "{tool}: {stale}");
        }
    });
}

#[test]
fn a_decision_that_supports_a_question_answers_it() {
    on_every_store(|w| {
        plan_with_task(w);
        card(w, "TASK-001", "Q1", "question", "open");
        let mut answer =
            json!({"id": "D1", "type": "decision", "title": "so", "status": "open", "supports": ["Q1"]});
        w.ok("think_card", json!({"target": "TASK-001", "card": answer}));
        let open = |w: &World| {
            let moves = w.ok("think_next", json!({"target": "TASK-001"}))["moves"].to_string();
            (moves.contains("Q1"), ids(&w.ok("brief", json!({}))["questions"]).contains(&"Q1"))
        };
        assert_eq!(open(w), (true, true), "nobody has decided yet");
        answer["status"] = json!("accepted");
        w.ok("think_card", json!({"target": "TASK-001", "card": answer, "update": true}));
        assert_eq!(open(w), (false, false));
        answer["status"] = json!("rejected");
        w.ok("think_card", json!({"target": "TASK-001", "card": answer, "update": true}));
        assert_eq!(open(w), (true, true));
    });
}

#[test]
fn pages_of_a_search_lose_and_repeat_nothing_while_others_write_and_delete() {
    on_every_store(|w| {
        w.ok("graph_apply", json!({"branch": "main", "doc": "g", "ops": nodes("k", "idea", "open", 0)
            .into_iter().chain((0..8).map(|at| json!({"op": "node_upsert", "id": format!("k{at}"), "type": "note", "title": "kiwi fruit"})))
            .collect::<Vec<_>>()}));
        let search = |cursor: &Value| {
            let page = w.ok("memory_search", json!({"query": "kiwi", "limit": 4, "cursor": cursor}));
            let found: Vec<String> = ids(&page["hits"]).into_iter().map(str::to_owned).collect();
            (found, page["pagination"]["next_cursor"].clone())
        };
        let (first, cursor) = search(&Value::Null);
        assert_eq!(first.len(), 4);
        let gone = json!([{"op": "node_delete", "id": first[0]}]);
        w.ok("graph_apply", json!({"branch": "main", "doc": "g", "ops": gone}));
        for at in 0..3 {
            let note = format!("kiwi number {at}");
            w.ok("notes_commit", json!({"branch": "main", "doc": "notes", "content": note}));
        }
        let mut all = first;
        let mut cursor = cursor;
        while !cursor.is_null() {
            let (more, next) = search(&cursor);
            all.extend(more);
            cursor = next;
        }
        let before = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), before, "{all:?}");
        for at in 0..8 {
            assert!(all.contains(&format!("k{at}")), "{all:?}");
        }
    });
}

#[test]
fn pages_of_ready_tasks_stay_where_they_are_when_a_priority_changes() {
    on_every_store(|w| {
        w.ok("tasks_create", json!({"title": "plan"}));
        for at in 0..6 {
            w.ok(
                "tasks_create",
                json!({"title": format!("t{at}"), "parent": "PLAN-001", "priority": 10 - at}),
            );
        }
        let first = w.ok("tasks_ready", json!({"limit": 3}));
        assert_eq!(ids(&first["tasks"]), ["TASK-001", "TASK-002", "TASK-003"]);
        w.ok("tasks_edit", json!({"task": "TASK-003", "priority": 99}));
        let cursor = &first["pagination"]["next_cursor"];
        let second = w.ok("tasks_ready", json!({"limit": 3, "cursor": cursor}));
        assert_eq!(ids(&second["tasks"]), ["TASK-004", "TASK-005", "TASK-006"]);
    });
}

#[test]
fn new_words_on_a_node_keep_the_places_it_speaks_of() {
    on_every_store(|w| {
        plan_with_task(w);
        w.code.0.lock().insert("a.rs".to_owned(), "1".to_owned());
        let card = json!({"id": "D1", "type": "decision", "title": "so"});
        w.ok("think_card", json!({"target": "TASK-001", "card": card, "anchors": [{"path": "a.rs"}]}));
        let again = json!([{"op": "node_upsert", "id": "D1", "type": "decision", "title": "so", "status": "accepted"}]);
        let place = json!({"branch": "task/TASK-001", "doc": "TASK-001-graph"});
        let mut apply = place.clone();
        apply["ops"] = again;
        w.ok("graph_apply", apply.clone());
        let mut ask = place;
        ask["ids"] = json!(["D1"]);
        let shown = w.ok("graph_query", ask.clone());
        assert_eq!(shown["nodes"][0]["anchors"][0]["path"], "a.rs", "{shown}");
        apply["ops"][0]["anchors"] = json!([]);
        w.ok("graph_apply", apply);
        assert!(!w.ok("graph_query", ask).to_string().contains("a.rs"));
    });
}

#[test]
fn a_card_that_two_branches_superseded_is_no_conflict() {
    on_every_store(|w| {
        plan_with_task(w);
        card(w, "TASK-001", "D0", "decision", "accepted");
        w.ok("branch_create", json!({"name": "f", "from": "task/TASK-001"}));
        let newer = |id: &str| json!({"id": id, "type": "decision", "title": id});
        let mut on_fork =
            json!({"branch": "f", "graph_doc": "TASK-001-graph", "trace_doc": "TASK-001-trace"});
        on_fork["card"] = newer("D1");
        on_fork["supersedes"] = json!(["D0"]);
        w.ok("think_card", on_fork);
        w.clock.advance(std::time::Duration::from_millis(5));
        w.ok("think_card", json!({"target": "TASK-001", "card": newer("D2"), "supersedes": ["D0"]}));
        let merge = json!({"from": "f", "into": "task/TASK-001", "doc": "TASK-001-graph"});
        assert_eq!(w.ok("graph_merge", merge)["conflicts_created"], 0);
    });
}

#[test]
fn a_card_that_was_merged_is_found_whatever_becomes_of_the_branch_it_came_from() {
    on_every_store(|w| {
        let found = |w: &World| {
            let hits = w.ok("memory_search", json!({"query": "durian"}))["hits"].clone();
            let hits = hits.as_array().unwrap().iter();
            hits.map(|hit| hit["branch"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        w.ok("notes_commit", json!({"branch": "main", "doc": "notes", "content": "begin"}));
        w.ok("branch_create", json!({"name": "f", "from": "main"}));
        let card = json!({"id": "d1", "type": "decision", "title": "durian"});
        w.ok("think_card", json!({"branch": "f", "trace_doc": "t", "graph_doc": "g", "card": card}));
        assert_eq!(found(w), ["f"]);
        w.ok("graph_merge", json!({"from": "f", "into": "main"}));
        assert_eq!(found(w), ["main"], "once, and where it is accepted");
        let edit = json!([{"op": "node_upsert", "id": "d1", "type": "decision", "title": "no fruit"}]);
        w.ok("graph_apply", json!({"branch": "f", "doc": "g", "ops": edit}));
        assert_eq!(found(w), ["main"]);
        w.ok("graph_apply", json!({"branch": "f", "doc": "g", "ops": [{"op": "node_delete", "id": "d1"}]}));
        assert_eq!(found(w), ["main"]);
    });
}

#[test]
fn what_a_plan_or_a_waiting_task_says_about_changed_code_is_told_once() {
    on_every_store(|w| {
        for file in ["a.rs", "b.rs"] {
            w.code.0.lock().insert(file.to_owned(), "1".to_owned());
        }
        w.ok("tasks_create", json!({"title": "plan", "anchors": [{"path": "a.rs"}]}));
        w.ok("tasks_create", json!({"title": "one", "parent": "PLAN-001"}));
        let waits = json!({"title": "two", "parent": "PLAN-001", "depends_on": ["TASK-001"], "anchors": [{"path": "b.rs"}]});
        w.ok("tasks_create", waits);
        w.ok("branch_create", json!({"name": "f", "from": "main"}));
        let note = json!({"branch": "f", "doc": "notes", "content": "x", "anchors": [{"path": "a.rs"}]});
        w.ok("notes_commit", note);
        w.ok("merge", json!({"from": "f", "into": "main", "doc": "notes"}));
        for file in ["a.rs", "b.rs"] {
            w.code.0.lock().insert(file.to_owned(), "2".to_owned());
        }
        let brief = w.ok("brief", json!({}));
        let on: Vec<&str> = brief["stale_anchors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["on"].as_str().unwrap())
            .collect();
        assert_eq!(on.len(), 3, "{on:?}");
        assert!(on.contains(&"PLAN-001") && on.contains(&"TASK-002"), "{on:?}");
    });
}
