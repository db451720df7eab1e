//! Notes: writing, reading, secrets, idempotency, anchors, search, named points.

use m1nd_memory::MemoryError;
use serde_json::json;

use crate::world::{on_every_store, pages, texts};

#[test]
fn a_note_comes_back_as_it_was_written() {
    on_every_store(|w| {
        w.ok("init", json!({}));
        let out = w.ok(
            "notes_commit",
            json!({"branch": "main", "doc": "notes", "content": "a \"b\"\nc", "title": "T", "format": "markdown",
                   "meta": {"z": 1, "a": [true, null]}}),
        );
        let entry = &out["entry"];
        assert_eq!(entry["seq"], 1);
        assert_eq!(entry["kind"], "note");
        assert_eq!(entry["ts"], "2026-11-15T22:00:00.000Z");
        assert_eq!(entry["meta"], json!({"z": 1, "a": [true, null]}));
        let shown = w.ok("show", json!({"branch": "main", "doc": "notes"}));
        assert_eq!(shown["entries"][0], *entry);
        assert_eq!(shown["truncated"], false);
        assert_eq!(shown["pagination"], json!({"cursor": 2, "has_more": false, "limit": 20, "count": 1}));
    });
}

#[test]
fn workspaces_do_not_see_each_other() {
    on_every_store(|w| {
        w.ok("notes_commit", json!({"branch": "main", "doc": "notes", "content": "mine"}));
        w.switch("other");
        assert_eq!(w.ok("show", json!({"branch": "main", "doc": "notes"}))["entries"], json!([]));
        w.ok("notes_commit", json!({"branch": "main", "doc": "notes", "content": "theirs"}));
        assert_eq!(w.ok("memory_search", json!({"query": "mine"}))["hits"], json!([]));
        w.switch("w");
        assert_eq!(w.ok("memory_search", json!({"query": "mine"}))["hits"].as_array().unwrap().len(), 1);
        assert_eq!(texts(&pages(w, "show", json!({"branch": "main", "doc": "notes"}), "entries")), ["mine"]);
    });
}

#[test]
fn exactly_one_way_to_name_a_place_is_taken() {
    on_every_store(|w| {
        w.ok("tasks_create", json!({"title": "p"}));
        for bad in [
            json!({"content": "x"}),
            json!({"content": "x", "branch": "main"}),
            json!({"content": "x", "doc": "notes"}),
            json!({"content": "x", "target": "PLAN-001", "branch": "main", "doc": "notes"}),
        ] {
            assert!(matches!(w.refused("notes_commit", bad), MemoryError::OneOf { .. }));
        }
    });
}

#[test]
fn an_unknown_branch_is_refused_and_the_nearest_is_named() {
    on_every_store(|w| {
        w.ok("branch_create", json!({"name": "feature"}));
        let refusal = w.refused("notes_commit", json!({"branch": "feture", "doc": "notes", "content": "x"}));
        let MemoryError::BranchUnknown { nearest, .. } = refusal else { panic!("{refusal}") };
        assert_eq!(nearest, ["feature"]);
        assert_eq!(w.ok("branch_list", json!({}))["branches"].as_array().unwrap().len(), 2);
    });
}

#[test]
fn the_same_key_gives_the_first_answer_again() {
    on_every_store(|w| {
        let note =
            |text: &str| json!({"branch": "main", "doc": "notes", "content": text, "idempotency_key": "k1"});
        let first = w.ok("notes_commit", note("one"));
        for text in ["one", "two"] {
            assert_eq!(w.ok("notes_commit", note(text))["entry"], first["entry"]);
        }
        assert_eq!(pages(w, "show", json!({"branch": "main", "doc": "notes"}), "entries").len(), 1);
    });
}

#[test]
fn a_secret_is_refused_unless_it_is_allowed_and_nothing_is_rewritten() {
    on_every_store(|w| {
        let text = format!("deploy with ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
        let mut note = json!({"branch": "main", "doc": "notes", "content": text});
        assert!(matches!(w.refused("notes_commit", note.clone()), MemoryError::Sensitive { .. }));
        assert_eq!(w.ok("show", json!({"branch": "main", "doc": "notes"}))["entries"], json!([]));
        note["allow_sensitive"] = json!(true);
        assert_eq!(w.ok("notes_commit", note)["entry"]["content"], text.as_str());
    });
}

#[test]
fn limits_below_one_are_refused_and_above_the_cap_are_clamped() {
    on_every_store(|w| {
        let show = |limit: i64| json!({"branch": "main", "doc": "notes", "limit": limit});
        for bad in [0, -1] {
            assert!(matches!(w.refused("show", show(bad)), MemoryError::Invalid { field: "limit", .. }));
        }
        assert_eq!(w.ok("show", show(100_000))["pagination"]["limit"], 200);
        assert!(w.call("show", json!({"branch": "main", "doc": "notes", "max_chars": 0})).is_err());
        assert!(w.call("show", json!({"branch": "main", "doc": "notes", "cursor": -4})).is_err());
    });
}

#[test]
fn bad_names_and_texts_are_refused() {
    on_every_store(|w| {
        for bad in [
            json!({"workspace": "", "branch": "main", "doc": "notes", "content": "x"}),
            json!({"workspace": "a b", "branch": "main", "doc": "notes", "content": "x"}),
            json!({"branch": "main", "doc": "no tes", "content": "x"}),
            json!({"branch": "main", "doc": "notes", "content": " \n"}),
            json!({"branch": "main", "doc": "notes", "content": "x".repeat(300_000)}),
            json!({"branch": "main", "doc": "notes", "content": "x", "title": "two\nlines"}),
            json!({"target": "TASK-1", "content": "x"}),
            json!({"target": "TASK-999", "content": "x"}),
        ] {
            w.refused("notes_commit", bad);
        }
        assert_eq!(w.ok("status", json!({}))["last_seq"], 0);
    });
}

#[test]
fn a_note_on_a_task_carries_its_anchors() {
    on_every_store(|w| {
        w.code.0.lock().insert("src/a.rs".to_owned(), "h1".to_owned());
        w.ok("tasks_create", json!({"title": "p"}));
        let place = json!([{"path": "src/a.rs", "lines": "1-3"}]);
        w.ok("tasks_note", json!({"task": "PLAN-001", "note": "look here", "anchors": place}));
        w.code.0.lock().insert("src/a.rs".to_owned(), "h2".to_owned());
        let shown = w.ok("show", json!({"target": "PLAN-001"}));
        assert_eq!(shown["entries"][0]["anchors"][0]["anchor_state"], "changed");
        let nowhere = json!({"task": "PLAN-001", "note": "x", "anchors": [{"path": "src/none.rs"}]});
        assert!(matches!(w.refused("tasks_note", nowhere), MemoryError::AnchorUnknown { .. }));
    });
}

#[test]
fn anchors_tell_whether_the_code_has_changed() {
    on_every_store(|w| {
        w.code.0.lock().insert("src/a.rs".to_owned(), "h1".to_owned());
        w.ok(
            "notes_commit",
            json!({"branch": "main", "doc": "notes", "content": "x", "anchors": [{"path": "src/a.rs", "lines": "1-3"}]}),
        );
        let state =
            || w.ok("show", json!({"branch": "main", "doc": "notes"}))["entries"][0]["anchors"][0].clone();
        assert_eq!(
            state(),
            json!({"path": "src/a.rs", "lines": "1-3", "hash": "h1", "anchor_state": "current"})
        );
        w.code.0.lock().insert("src/a.rs".to_owned(), "h2".to_owned());
        assert_eq!(state()["anchor_state"], "changed");
        w.code.0.lock().clear();
        assert_eq!(state()["anchor_state"], "gone");
        let hit = &w.ok("memory_search", json!({"query": "x", "anchors": ["src/a.rs"]}))["hits"][0];
        assert_eq!(hit["stale_anchors"][0]["anchor_state"], "gone");
        assert_eq!(w.ok("memory_search", json!({"query": "x", "anchors": ["src/b.rs"]}))["hits"], json!([]));
    });
}

#[test]
fn search_finds_notes_cards_tasks_and_plans_by_their_words() {
    on_every_store(|w| {
        w.ok("tasks_create", json!({"title": "Rewrite the parser", "contract": "keeps the lexer"}));
        w.ok(
            "tasks_create",
            json!({"title": "Lexer tables", "parent": "PLAN-001", "description": "generated"}),
        );
        w.ok("notes_commit", json!({"target": "TASK-001", "content": "the Lexer is slow on ünïcode"}));
        w.ok("think_card", json!({"target": "TASK-001", "card": {"id": "h1", "type": "hypothesis", "title": "lexer allocates"}}));
        let kinds = |query: &str| {
            let out = w.ok("memory_search", json!({"query": query}));
            let mut kinds: Vec<String> = out["hits"]
                .as_array()
                .unwrap()
                .iter()
                .map(|hit| hit["kind"].as_str().unwrap().to_owned())
                .collect();
            kinds.sort();
            kinds
        };
        assert_eq!(kinds("lexer"), ["card", "note", "plan", "task"]);
        assert_eq!(kinds("ÜNÏCODE"), ["note"]);
        assert_eq!(kinds("lexer allocates"), ["card"]);
        assert_eq!(w.ok("memory_search", json!({"query": "lexer nonsense"}))["matched"], "any_word");
        assert_eq!(kinds("nonsense"), [""; 0]);
        let only = w.ok("memory_search", json!({"query": "lexer", "kinds": ["card"]}));
        assert_eq!(only["hits"][0]["id"], "h1");
        let all = pages(w, "memory_search", json!({"query": "lexer", "limit": 1}), "hits");
        assert_eq!(all.len(), 4);
        w.ok("tasks_edit", json!({"task": "TASK-001", "title": "Scanner tables"}));
        assert_eq!(kinds("lexer"), ["card", "note", "plan"]);
        assert!(w.call("memory_search", json!({"query": "\"' OR"})).is_ok());
    });
}

#[test]
fn commits_name_points_and_forks_inherit_them() {
    on_every_store(|w| {
        w.ok("commit", json!({"message": "start"}));
        w.ok("branch_create", json!({"name": "fork"}));
        w.ok("commit", json!({"message": "on main", "branch": "main"}));
        let second = w.ok("commit", json!({"message": "on fork", "branch": "fork", "body": "why"}));
        assert_eq!(second["commit"]["parent_seq"], 1);
        let log = pages(w, "log", json!({"branch": "fork"}), "commits");
        let messages: Vec<&str> = log.iter().map(|commit| commit["message"].as_str().unwrap()).collect();
        assert_eq!(messages, ["on fork", "start"]);
    });
}

#[test]
fn a_secret_is_refused_in_names_and_tags_too() {
    on_every_store(|w| {
        w.ok("tasks_create", json!({"title": "p"}));
        let key = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
        let card = |id: &str, tag: &str| json!({"id": id, "type": "note", "text": "x", "tags": [tag]});
        let node = |id: &str, tag: &str| json!([{"op": "node_upsert", "id": id, "type": "t", "tags": [tag]}]);
        for (name, arguments) in [
            ("think_card", json!({"target": "PLAN-001", "card": card(&key, "a")})),
            ("think_card", json!({"target": "PLAN-001", "card": card("c", &key)})),
            ("graph_apply", json!({"branch": "main", "doc": "g", "ops": node(&key, "a")})),
            ("graph_apply", json!({"branch": "main", "doc": "g", "ops": node("n", &key)})),
            ("branch_create", json!({"name": key})),
            ("notes_commit", json!({"branch": "main", "doc": key, "content": "x"})),
        ] {
            let mut arguments = arguments;
            let refusal = w.refused(name, arguments.clone());
            assert!(matches!(refusal, MemoryError::Sensitive { .. }), "{name}: {refusal}");
            assert!(!refusal.to_string().contains("ghp_"), "{refusal}");
            arguments["allow_sensitive"] = json!(true);
            w.ok(name, arguments);
        }
    });
}

#[test]
fn the_answer_to_a_repeated_key_is_marked() {
    on_every_store(|w| {
        let card = json!({"id": "c", "type": "note", "text": "x"});
        let node = json!([{"op": "node_upsert", "id": "n", "type": "t"}]);
        let step = json!([{"title": "s", "success_criteria": ["c"]}]);
        let checked = json!({"criteria": {"confirmed": true}});
        for (name, arguments) in [
            ("notes_commit", json!({"branch": "main", "doc": "notes", "content": "x"})),
            ("branch_create", json!({"name": "b"})),
            ("graph_apply", json!({"branch": "main", "doc": "g", "ops": node})),
            ("commit", json!({"branch": "main", "message": "m"})),
            ("tasks_create", json!({"title": "t", "kind": "task"})),
            ("think_card", json!({"target": "TASK-001", "card": card})),
            ("tasks_decompose", json!({"task": "TASK-001", "steps": step})),
            ("tasks_define", json!({"task": "TASK-001", "path": "s:0", "title": "other"})),
            ("tasks_note", json!({"task": "TASK-001", "note": "n"})),
            ("tasks_verify", json!({"task": "TASK-001", "path": "s:0", "checkpoints": checked})),
            ("tasks_edit", json!({"task": "TASK-001", "priority": 3})),
            ("tasks_claim", json!({"task": "TASK-001", "agent_id": "a"})),
            ("tasks_release", json!({"task": "TASK-001", "agent_id": "a"})),
            ("tasks_done", json!({"task": "TASK-001", "path": "s:0"})),
        ] {
            let mut arguments = arguments;
            arguments["idempotency_key"] = json!("k");
            let first = w.ok(name, arguments.clone());
            let mut again = w.ok(name, arguments);
            assert_eq!((first.get("replayed"), &again["replayed"]), (None, &json!(true)), "{name}");
            again.as_object_mut().unwrap().remove("replayed");
            assert_eq!(again, first, "{name}");
        }
    });
}

#[test]
fn documents_of_the_program_take_no_notes_by_hand() {
    on_every_store(|w| {
        w.ok("tasks_create", json!({"title": "t", "kind": "task"}));
        for doc in ["TASK-001-trace", "TASK-001-graph", "PLAN-009-trace", "commits"] {
            let note = json!({"branch": "task/TASK-001", "doc": doc, "content": "forged"});
            assert!(matches!(w.refused("notes_commit", note), MemoryError::MachineDoc { .. }), "{doc}");
        }
        for doc in ["notes", "my-trace", "commits-old"] {
            w.ok("notes_commit", json!({"branch": "task/TASK-001", "doc": doc, "content": "fine"}));
        }
    });
}

#[test]
fn a_page_of_a_merge_counts_what_it_brought_and_not_what_was_there() {
    on_every_store(|w| {
        w.ok("init", json!({}));
        w.ok("branch_create", json!({"name": "f", "from": "main"}));
        for at in 0..5 {
            w.ok("notes_commit", json!({"branch": "f", "doc": "notes", "content": format!("{at}")}));
        }
        w.ok("merge", json!({"from": "f", "into": "main"}));
        let again = w.ok("merge", json!({"from": "f", "into": "main", "limit": 2}));
        assert_eq!((&again["skipped"], &again["pagination"]["count"]), (&json!(5), &json!(0)), "{again}");
    });
}
