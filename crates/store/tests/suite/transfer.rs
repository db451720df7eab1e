//! Export and import: everything comes back.

use m1nd_memory::MemoryError;
use m1nd_memory::transfer::{export_jsonl, export_markdown, exported_name, import};
use m1nd_store::RamStore;
use serde_json::{Value, json};

use crate::world::{World, on_every_store, pages};

fn fill(w: &World) {
    w.ok("tasks_create", json!({"title": "plan", "contract_data": {"a": [1]}}));
    w.ok(
        "tasks_create",
        json!({"title": "task", "parent": "PLAN-001", "steps": [{"title": "s", "tests": ["t"]}]}),
    );
    w.ok("tasks_claim", json!({"task": "TASK-001", "agent_id": "ann"}));
    w.ok("tasks_focus_set", json!({"task": "TASK-001"}));
    w.code.0.lock().insert("src/a.rs".to_owned(), "h".to_owned());
    w.ok("notes_commit", json!({"target": "TASK-001", "content": "note", "anchors": [{"path": "src/a.rs"}]}));
    w.ok(
        "think_card",
        json!({"target": "TASK-001", "card": {"id": "q", "type": "question", "title": "why"}}),
    );
    w.ok("branch_create", json!({"name": "fork", "from": "task/TASK-001"}));
    let node = |title: &str| json!([{"op": "node_upsert", "id": "n", "type": "t", "title": title}]);
    for (branch, title) in [("task/TASK-001", "ours"), ("fork", "theirs")] {
        w.ok("graph_apply", json!({"branch": branch, "doc": "TASK-001-graph", "ops": node(title)}));
    }
    w.ok("notes_commit", json!({"branch": "fork", "doc": "notes", "content": "forked"}));
    w.ok("merge", json!({"from": "fork", "into": "task/TASK-001"}));
    w.ok("graph_merge", json!({"from": "fork", "into": "task/TASK-001"}));
    w.ok("checkout", json!({"ref": "fork"}));
}

fn everything(w: &World) -> Vec<Value> {
    vec![
        w.ok("status", json!({})),
        json!(pages(w, "branch_list", json!({}), "branches")),
        json!(pages(w, "show", json!({"branch": "fork", "doc": "notes"}), "entries")),
        json!(pages(w, "show", json!({"target": "TASK-001", "doc_kind": "trace"}), "entries")),
        json!(pages(w, "graph_query", json!({"branch": "fork", "include_deleted": true}), "nodes")),
        json!(pages(w, "graph_conflicts", json!({"into": "task/TASK-001"}), "conflicts")),
        json!(pages(w, "tasks_delta", json!({}), "events")),
        w.ok("tasks_context", json!({})),
        w.ok("tasks_radar", json!({})),
        w.ok("memory_search", json!({"query": "why"})),
    ]
}

#[test]
fn an_export_read_into_another_store_says_the_same() {
    on_every_store(|w| {
        fill(w);
        let mut lines = Vec::new();
        let written = export_jsonl(&w.ports(), "w", &mut lines).unwrap();
        let other = World::new(Box::new(RamStore::new()));
        other.code.0.lock().insert("src/a.rs".to_owned(), "h".to_owned());
        let read = import(&other.ports(), "w", &mut lines.as_slice()).unwrap();
        assert_eq!(read, written);
        for (mine, theirs) in everything(w).into_iter().zip(everything(&other)) {
            assert_eq!(mine, theirs);
        }
        let mut again = Vec::new();
        export_jsonl(&other.ports(), "w", &mut again).unwrap();
        assert_eq!(String::from_utf8(again).unwrap(), String::from_utf8(lines.clone()).unwrap());
        // Work goes on where it was: numbers are not given out twice.
        for world in [w, &other] {
            world.ok("notes_commit", json!({"branch": "fork", "doc": "notes", "content": "later"}));
            world.ok("tasks_create", json!({"title": "t2", "kind": "task"}));
        }
        assert_eq!(w.ok("status", json!({})), other.ok("status", json!({})));
    });
}

#[test]
fn conflicts_are_known_again_under_another_name() {
    on_every_store(|w| {
        fill(w);
        let node = |title: &str| json!([{"op": "node_upsert", "id": "m", "type": "t", "title": title}]);
        for (branch, title) in [("task/TASK-001", "ours"), ("fork", "theirs")] {
            w.ok("graph_apply", json!({"branch": branch, "doc": "TASK-001-graph", "ops": node(title)}));
        }
        let merge = json!({"from": "fork", "into": "task/TASK-001"});
        let settled = w.ok("graph_merge", merge.clone())["conflict_ids"][0].clone();
        w.ok("graph_conflict_resolve", json!({"conflict_id": settled, "resolution": "use_into"}));
        // The other conflict of the two branches is over older versions now.
        let ops = json!([{"op": "node_upsert", "id": "n", "type": "t", "title": "ours, later"}]);
        w.ok("graph_apply", json!({"branch": "task/TASK-001", "doc": "TASK-001-graph", "ops": ops}));
        w.ok("graph_merge", merge.clone());
        let mut lines = Vec::new();
        export_jsonl(&w.ports(), "w", &mut lines).unwrap();
        import(&w.ports(), "copy", &mut lines.as_slice()).unwrap();
        let states = |w: &World| {
            let all = pages(w, "graph_conflicts", json!({"into": "task/TASK-001"}), "conflicts");
            all.iter().map(|line| format!("{} {}", line["key"], line["status"])).collect::<Vec<_>>()
        };
        let before = states(w);
        assert_eq!(before.len(), 3);
        w.switch("copy");
        let again = w.ok("graph_merge", merge);
        assert_eq!(again["conflicts_created"], 0, "{again}");
        assert_eq!(states(w), before);
        let all = pages(w, "graph_conflicts", json!({"into": "task/TASK-001"}), "conflicts");
        let ids: Vec<_> = all.iter().map(|line| line["conflict_id"].as_str().unwrap()).collect();
        assert_eq!(again["still_open"], json!([ids[0]]));
        let older = w.ok("graph_conflict_show", json!({"conflict_id": ids[2]}));
        assert_eq!(older["conflict"]["resolution"], format!("superseded by {}", ids[0]));
    });
}

#[test]
fn what_was_merged_is_not_disputed_after_an_import_even_of_an_older_export() {
    on_every_store(|w| {
        let put = |branch: &str, title: &str| {
            let ops = json!([{"op": "node_upsert", "id": "n", "type": "t", "title": title}]);
            w.ok("graph_apply", json!({"branch": branch, "doc": "g", "ops": ops}));
        };
        put("main", "base");
        w.ok("branch_create", json!({"name": "f"}));
        put("f", "theirs");
        let merge = || w.ok("graph_merge", json!({"from": "f", "into": "main"}))["conflicts_created"].clone();
        merge();
        put("main", "went on");
        let mut lines = Vec::new();
        export_jsonl(&w.ports(), "w", &mut lines).unwrap();
        let lines = String::from_utf8(lines).unwrap();
        // Before there were merge marks.
        let older: String = lines
            .lines()
            .filter(|line| !line.starts_with("{\"merge_mark\""))
            .map(|line| {
                format!(
                    "{}\n",
                    line.replace(",\"merge_marks\":1", "").replace("\"format\":2", "\"format\":1")
                )
            })
            .collect();
        assert!(older.len() < lines.len());
        for (name, lines) in [("new", &lines), ("old", &older)] {
            import(&w.ports(), name, &mut lines.as_bytes()).unwrap();
            w.switch(name);
            assert_eq!(merge(), 0, "the branch has said nothing new");
            put("f", "news");
            assert_eq!(merge(), 1);
        }
        let elsewhere = lines.replace("\"into\":\"main\"", "\"into\":\"f\"");
        let refusal = import(&w.ports(), "bad", &mut elsewhere.as_bytes()).unwrap_err().to_string();
        assert!(refusal.contains("into another branch than the base"), "{refusal}");
    });
}

#[test]
fn an_import_is_whole_and_never_overwrites() {
    on_every_store(|w| {
        fill(w);
        let mut lines = Vec::new();
        export_jsonl(&w.ports(), "w", &mut lines).unwrap();
        let refusal = import(&w.ports(), "w", &mut lines.as_slice()).unwrap_err();
        assert!(matches!(refusal, MemoryError::ImportTargetNotEmpty { .. }));
        let cut = &lines[..lines.len() / 2];
        assert!(matches!(import(&w.ports(), "copy", &mut &*cut), Err(MemoryError::ImportUnreadable { .. })));
        assert!(matches!(
            import(&w.ports(), "copy", &mut &b"{}\n"[..]),
            Err(MemoryError::ImportUnreadable { line: 1, .. })
        ));
        w.switch("copy");
        assert_eq!(w.ok("status", json!({}))["last_seq"], 0);
        import(&w.ports(), "copy", &mut lines.as_slice()).unwrap();
        assert_eq!(w.ok("status", json!({}))["checkout"], "fork");
    });
}

#[test]
fn the_markdown_names_everything() {
    on_every_store(|w| {
        fill(w);
        let mut out = Vec::new();
        export_markdown(&w.ports(), "w", &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        for part in [
            "# w",
            "### TASK-001 task (todo)",
            "- [ ] s",
            "## Branch fork",
            "forked",
            "**q** question open: why",
        ] {
            assert!(text.contains(part), "{part} is missing from\n{text}");
        }
    });
}

#[test]
fn a_markdown_export_comes_back_and_an_edited_one_is_not_half_read() {
    on_every_store(|w| {
        fill(w);
        w.ok(
            "notes_commit",
            json!({"branch": "main", "doc": "notes", "content": "--> <!-- ]]> a\n\n```\n# x"}),
        );
        let mut page = Vec::new();
        export_markdown(&w.ports(), "w", &mut page).unwrap();
        let mut lines = Vec::new();
        export_jsonl(&w.ports(), "w", &mut lines).unwrap();
        assert_eq!(exported_name(&mut page.as_slice()).as_deref(), Some("w"));
        let other = World::new(Box::new(RamStore::new()));
        import(&other.ports(), "w", &mut page.as_slice()).unwrap();
        let mut again = Vec::new();
        export_jsonl(&other.ports(), "w", &mut again).unwrap();
        assert_eq!(String::from_utf8(again).unwrap(), String::from_utf8(lines).unwrap());
        let text = String::from_utf8(page).unwrap();
        for (broken, said) in [
            (text.replacen("forked", "edited", 1), "was edited"),
            (text[..text.len() - 40].to_owned(), "cut off"),
            (text[..30].to_owned(), "neither"),
        ] {
            let refusal = import(&other.ports(), "copy", &mut broken.as_bytes()).unwrap_err();
            assert!(refusal.to_string().contains(said), "{refusal}");
        }
    });
}

/// Changes the first record of a kind that is told from others by `name`.
fn changed(lines: &str, kind: &str, name: &str, change: impl Fn(&mut Value)) -> String {
    let mut done = false;
    let mut out = String::new();
    for line in lines.lines() {
        let mut record: Value = serde_json::from_str(line).unwrap();
        if !done && record.get(kind).is_some() && line.contains(name) {
            done = true;
            change(&mut record[kind]);
        }
        out.push_str(&format!("{record}\n"));
    }
    assert!(done, "{kind} {name}");
    out
}

#[test]
fn records_that_do_not_hold_together_are_refused() {
    on_every_store(|w| {
        fill(w);
        let ops = json!([
            {"op": "node_upsert", "id": "a", "type": "t"},
            {"op": "node_upsert", "id": "b", "type": "t"},
            {"op": "edge_upsert", "from": "a", "rel": "r", "to": "b"},
        ]);
        w.ok("graph_apply", json!({"branch": "main", "doc": "g", "ops": ops}));
        let mut lines = Vec::new();
        export_jsonl(&w.ports(), "w", &mut lines).unwrap();
        let lines = String::from_utf8(lines).unwrap();
        let set = |kind: &str, name: &str, field: &str, value: Value| {
            changed(&lines, kind, name, |record| *record.pointer_mut(field).unwrap() = value.clone())
        };
        let fork = "\"name\":\"fork\"";
        for (bad, said) in [
            (
                set("branch", fork, "/base/branch", json!("fork")),
                "names the branch \"fork\", which is not there",
            ),
            (set("branch", fork, "/base/seq", json!(10_000)), "was never given out"),
            (set("branch", fork, "/name", json!("a\u{1b}[31m")), "holds"),
            (set("branch", fork, "/depth", json!(7)), "not as deep"),
            (set("workspace", "", "/row/seq", json!(3)), "was never given out"),
            (set("workspace", "", "/row/tasks", json!(0)), "was never given out"),
            (set("workspace", "", "/row/event", json!(1)), "was never given out"),
            (set("workspace", "", "/row/checkout", json!("nope")), "which is not there"),
            (set("workspace", "", "/row/focus", json!("TASK-099")), "in focus that is not there"),
            (set("entity", "TASK-001", "/parent", json!("PLAN-099")), "belongs to a plan that is not there"),
            (set("entity", "TASK-001", "/depends_on", json!(["TASK-001"])), "waits for itself"),
            (set("entity", "TASK-001", "/depends_on", json!(["TASK-099"])), "waits for a task"),
            (set("step", "", "/task", json!("TASK-099")), "a task that is not there"),
            (set("entry", "", "/branch", json!("nope")), "which is not there"),
            (set("entry", "", "/seq", json!(-1)), "was never given out"),
            (set("entry", "forked", "/seq", json!(1)), "is older than its branch"),
            (set("version", "\"a\"", "/key/node", json!("a|b")), "holds '|'"),
            (set("version", "\"a\"", "/deleted", json!(true)), "an edge of g on main has no node a"),
            (set("conflict", "", "/into", json!("nope")), "which is not there"),
            (format!("{}\n{lines}", lines.lines().next().unwrap()), "is a second workspace"),
        ] {
            let refusal = import(&w.ports(), "copy", &mut bad.as_bytes()).unwrap_err().to_string();
            assert!(refusal.contains(said), "{said}: {refusal}");
        }
        import(&w.ports(), "copy", &mut lines.as_bytes()).unwrap();
    });
}

#[test]
fn a_key_is_known_after_an_import_and_a_claim_token_stays_behind() {
    on_every_store(|w| {
        w.ok("tasks_create", json!({"title": "t", "kind": "task"}));
        let claim = json!({"task": "TASK-001", "agent_id": "ann", "idempotency_key": "k"});
        let token = w.ok("tasks_claim", claim.clone())["claim_token"].as_str().unwrap().to_owned();
        let note = json!({"branch": "main", "doc": "notes", "content": "once", "idempotency_key": "k"});
        let first = w.ok("notes_commit", note.clone());
        let mut lines = Vec::new();
        export_jsonl(&w.ports(), "w", &mut lines).unwrap();
        assert!(!String::from_utf8(lines.clone()).unwrap().contains(&token));
        let other = World::new(Box::new(RamStore::new()));
        import(&other.ports(), "w", &mut lines.as_slice()).unwrap();
        let again = other.ok("notes_commit", note);
        assert_eq!((&again["entry"], &again["replayed"]), (&first["entry"], &json!(true)));
        // The task is still known as hers; the token is not.
        let held = other.refused("tasks_claim", json!({"task": "TASK-001", "agent_id": "bob"}));
        assert!(matches!(held, MemoryError::ClaimHeld { .. }), "{held}");
        for old in [token.as_str(), ""] {
            other.refused("tasks_edit", json!({"task": "TASK-001", "priority": 1, "claim_token": old}));
        }
        let new = other.ok("tasks_claim", json!({"task": "TASK-001", "agent_id": "ann"}));
        assert_ne!(new["claim_token"], token);
        other.ok("tasks_edit", json!({"task": "TASK-001", "priority": 1, "claim_token": new["claim_token"]}));
    });
}

#[test]
fn equal_plans_are_found_newest_first_after_an_import_too() {
    on_every_store(|w| {
        for _ in 0..3 {
            w.ok("tasks_create", json!({"title": "the same words"}));
        }
        let found = || -> Vec<String> {
            let hits = w.ok("memory_search", json!({"query": "same words"}))["hits"].clone();
            hits.as_array().unwrap().iter().map(|hit| hit["id"].as_str().unwrap().to_owned()).collect()
        };
        let before = found();
        assert_eq!(before, ["PLAN-003", "PLAN-002", "PLAN-001"]);
        let mut lines = Vec::new();
        export_jsonl(&w.ports(), "w", &mut lines).unwrap();
        import(&w.ports(), "copy", &mut lines.as_slice()).unwrap();
        w.switch("copy");
        assert_eq!(found(), before);
    });
}
