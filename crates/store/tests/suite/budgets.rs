//! Budgets: bytes of the whole answer, and nothing out of reach.

use serde_json::{Value, json};

use crate::world::{World, column, on_every_store, pages};

fn fill(w: &World) {
    w.ok("tasks_create", json!({"title": "plan", "description": "d".repeat(300)}));
    for at in 0..12 {
        let text = format!("{at} {}", "long \"text\"\n".repeat(at * 7));
        w.ok("notes_commit", json!({"target": "PLAN-001", "content": text, "meta": {"at": at}}));
        w.ok("tasks_note", json!({"task": "PLAN-001", "note": format!("note {at}")}));
        let card = json!({"id": format!("c{at}"), "type": "note", "text": "ü".repeat(at * 40 + 1)});
        let supports: Vec<String> = (0..at.min(3)).map(|other| format!("c{other}")).collect();
        w.ok("think_card", json!({"target": "PLAN-001", "card": card, "supports": supports}));
        let question = json!({"id": format!("q{at}"), "type": "question", "title": "why ".repeat(at + 1)});
        let blocks: Vec<String> = (0..at % 2).map(|_| format!("q{}", at - 1)).collect();
        w.ok("think_card", json!({"target": "PLAN-001", "card": question, "blocks": blocks}));
        w.ok("tasks_create", json!({"title": format!("task {at}"), "kind": "task", "priority": at % 3}));
    }
    w.ok("tasks_create", json!({"title": "claimed", "kind": "task"}));
    w.ok("tasks_claim", json!({"task": "TASK-013", "agent_id": "ann"}));
}

#[test]
fn every_entry_is_reachable_at_every_budget_and_page_size() {
    on_every_store(|w| {
        fill(w);
        for (name, arguments, list, key) in [
            ("show", json!({"target": "PLAN-001"}), "entries", "seq"),
            ("show", json!({"target": "PLAN-001", "doc_kind": "trace"}), "entries", "seq"),
            ("diff", json!({"from": "main", "to": "plan/PLAN-001"}), "entries", "seq"),
            ("graph_query", json!({"target": "PLAN-001"}), "nodes", "id"),
            ("graph_diff", json!({"from": "main", "to": "plan/PLAN-001"}), "changes", "to"),
            ("think_context", json!({"target": "PLAN-001"}), "cards", "id"),
            ("tasks_delta", json!({}), "events", "event_id"),
            ("memory_search", json!({"query": "note"}), "hits", "id"),
            ("tasks_ready", json!({"agent_id": "ann"}), "tasks", "id"),
            ("think_next", json!({"target": "PLAN-001"}), "moves", "card_id"),
        ] {
            let limit = if name == "think_context" { "limit_cards" } else { "limit" };
            let with = |limit_to: i64, budget: i64| {
                let mut with = arguments.clone();
                with[limit] = json!(limit_to);
                with["max_chars"] = json!(budget);
                pages(w, name, with, list)
            };
            let id = |item: &Value| match key {
                "to" => item["to"]["last_seq"].clone(),
                key => item[key].clone(),
            };
            let whole: Vec<Value> = with(200, 1_000_000).iter().map(id).collect();
            assert!(whole.len() >= 12, "{name}");
            for limit in [1, 3, 200] {
                for budget in [1, 200, 400, 900, 3_000, 20_000] {
                    let found: Vec<Value> = with(limit, budget).iter().map(id).collect();
                    assert_eq!(found, whole, "{name} limit {limit} budget {budget}");
                }
            }
        }
    });
}

#[test]
fn an_answer_keeps_its_budget_in_bytes() {
    on_every_store(|w| {
        fill(w);
        let tight = w.ok("export", json!({"target": "PLAN-001", "max_chars": 800}));
        assert!(tight.to_string().len() <= 800, "{tight}");
        let next = tight["trace"]["pagination"]["next_cursor"].clone();
        let first = w.ok("show", json!({"target": "PLAN-001", "doc_kind": "trace", "cursor": next}));
        assert_eq!(
            first["entries"][0],
            w.ok("show", json!({"target": "PLAN-001", "doc_kind": "trace"}))["entries"][0]
        );
        let small = [
            ("show", json!({"target": "PLAN-001", "limit": 200})),
            ("show", json!({"target": "PLAN-001", "doc_kind": "trace", "limit": 200})),
            ("export", json!({"target": "PLAN-001"})),
            ("graph_query", json!({"target": "PLAN-001", "limit": 200})),
            ("think_context", json!({"target": "PLAN-001"})),
            ("tasks_delta", json!({"limit": 200})),
            ("tasks_context", json!({})),
            ("branch_list", json!({})),
            ("memory_search", json!({"query": "note"})),
            ("brief", json!({})),
        ];
        for (name, arguments) in small {
            for budget in [900, 1_600, 2_500, 6_000] {
                let mut with = arguments.clone();
                with["max_chars"] = json!(budget);
                let out = w.ok(name, with);
                let size = out.to_string().len();
                assert!(size <= budget, "{name}: {size} > {budget}: {out}");
            }
        }
        let default = w.ok("show", json!({"target": "PLAN-001", "limit": 200})).to_string().len();
        assert!(default <= m1nd_memory::DEFAULT_BUDGET);
    });
}

#[test]
fn a_shortened_text_says_so_and_tells_its_length() {
    on_every_store(|w| {
        let text = "päck\"\n".repeat(1_000);
        w.ok("notes_commit", json!({"branch": "main", "doc": "notes", "content": text, "meta": {"k": "v"}}));
        let out = w.ok("show", json!({"branch": "main", "doc": "notes", "max_chars": 500}));
        let entry = &out["entries"][0];
        assert_eq!(entry["truncated"], true);
        assert_eq!(entry["content_length"], text.len());
        assert!(text.starts_with(entry["content"].as_str().unwrap()));
        assert_eq!(out["truncated"], true);
        assert!(out.to_string().len() <= 500);
    });
}

#[test]
fn what_belongs_to_a_text_goes_before_the_text_and_is_named() {
    on_every_store(|w| {
        let meta = json!({"k": "v".repeat(5_000)});
        w.ok("notes_commit", json!({"branch": "main", "doc": "d", "content": "short", "meta": meta}));
        let entry = &w.ok("show", json!({"branch": "main", "doc": "d", "max_chars": 4_000}))["entries"][0];
        assert_eq!((&entry["content"], &entry["left_out"]), (&json!("short"), &json!(["meta"])), "{entry}");
        assert_eq!((&entry["truncated"], &entry["content_length"]), (&json!(true), &Value::Null), "{entry}");
        let node = json!({"op": "node_upsert", "id": "n", "type": "idea", "text": "a thought", "meta": meta});
        w.ok("graph_apply", json!({"branch": "main", "doc": "g", "ops": [node]}));
        let node =
            &w.ok("graph_query", json!({"branch": "main", "doc": "g", "max_chars": 4_000}))["nodes"][0];
        assert_eq!((&node["text"], &node["left_out"]), (&json!("a thought"), &json!(["meta"])), "{node}");
        w.ok("branch_create", json!({"name": "b"}));
        let node = json!({"op": "node_upsert", "id": "n", "type": "idea", "text": "another", "meta": meta});
        w.ok("graph_apply", json!({"branch": "b", "doc": "g", "ops": [node]}));
        let change = &w.ok("graph_diff", json!({"from": "main", "to": "b", "doc": "g", "max_chars": 4_000}))
            ["changes"][0];
        assert_eq!(
            (&change["to"]["text"], &change["left_out"]),
            (&json!("another"), &json!(["meta"])),
            "{change}"
        );
    });
}

#[test]
fn machine_entries_give_way_before_notes() {
    on_every_store(|w| {
        fill(w);
        let whole = w.ok("export", json!({"target": "PLAN-001", "max_chars": 1_000_000}));
        let size = whole.to_string().len();
        let tight = w.ok("export", json!({"target": "PLAN-001", "max_chars": size - 1_000}));
        assert_eq!(tight["notes"]["entries"], whole["notes"]["entries"]);
        assert_eq!(tight["notes"]["truncated"], false);
        assert_eq!(tight["trace"]["truncated"], true);
        assert_eq!(tight["truncated"], true);
        let newest = |out: &Value| column(out["trace"]["entries"].as_array().unwrap(), "seq")[0].clone();
        assert_eq!(newest(&tight), newest(&whole));
    });
}

#[test]
fn a_brief_keeps_its_budget_however_much_is_pinned_and_counts_what_went() {
    on_every_store(|w| {
        w.ok("tasks_create", json!({"title": "p"}));
        w.ok("tasks_create", json!({"title": "t".repeat(1_000), "parent": "PLAN-001"}));
        w.ok("tasks_focus_set", json!({"task": "TASK-001"}));
        for at in 0..40 {
            w.clock.advance(std::time::Duration::from_millis(1));
            let (title, text) = (format!("{at} {}", "t".repeat(600)), format!("{at} {}", "x".repeat(120)));
            let note = json!({"branch": "main", "doc": "notes", "title": title, "content": text, "meta": {"pinned": true}});
            w.ok("notes_commit", note);
        }
        let least = w.ok("brief", json!({"max_chars": 1})).to_string().len();
        assert!(least < 2_000, "{least}");
        for budget in [400, least, 2_000, 3_000, 4_000] {
            let brief = w.ok("brief", json!({"max_chars": budget}));
            assert!(brief.to_string().len() <= budget.max(least), "{budget}: {brief}");
            let shown = brief["pinned"].as_array().map_or(0, Vec::len);
            assert_eq!((shown >= 8, &brief["dropped"]["pinned"]), (true, &json!(40 - shown)), "{brief}");
            assert_eq!(brief["truncated"], true);
            assert!(brief["pinned"][0]["title"].as_str().unwrap().starts_with("39 "), "{brief}");
            assert_eq!(brief["pinned"][0]["title_length"], 603, "{brief}");
        }
        assert!(w.ok("brief", json!({})).to_string().len() <= 4_000);
    });
}

#[test]
fn old_events_go_before_the_details_of_new_ones() {
    on_every_store(|w| {
        fill(w);
        let trace = |budget: i64| {
            w.ok(
                "show",
                json!({"target": "PLAN-001", "doc_kind": "trace", "limit": 200, "max_chars": budget}),
            )
        };
        let whole = trace(1_000_000)["entries"].as_array().unwrap().clone();
        for budget in [2_000, 5_000] {
            let page = trace(budget);
            let shown = page["entries"].as_array().unwrap();
            assert!(shown.len() < whole.len() && page["truncated"] == true);
            assert_eq!(*shown, whole[..shown.len()], "the newest, and all of each");
            assert_eq!(page["pagination"]["next_cursor"], shown.last().unwrap()["seq"]);
        }
    });
}

#[test]
fn a_radar_and_a_conflict_keep_their_budget_however_long_their_texts() {
    on_every_store(|w| {
        let long = "words and \"words\" ".repeat(50);
        let long = long.trim();
        let step = json!({"title": long, "success_criteria": [long, long], "tests": [long]});
        let create = json!({"title": long, "kind": "task", "description": long, "steps": [step, step, step]});
        w.ok("tasks_create", create);
        w.ok("tasks_define", json!({"task": "TASK-001", "path": "s:0", "blockers": [long, long]}));
        for budget in [600, 900, 1_500, 4_000] {
            let radar = w.ok("tasks_radar", json!({"task": "TASK-001", "max_chars": budget}));
            let size = radar.to_string().len();
            assert!(size <= budget, "{size} > {budget}: {radar}");
            assert_eq!(radar["truncated"], true);
        }
        let put = |branch: &str, text: &str| {
            let node = json!({"op": "node_upsert", "id": "n", "type": "idea", "title": long, "text": text,
                              "meta": {"k": long}, "tags": ["a"]});
            w.ok("graph_apply", json!({"branch": branch, "doc": "g", "ops": [node]}));
        };
        put("main", &"base ".repeat(2_000));
        w.ok("branch_create", json!({"name": "b"}));
        put("b", &"theirs ".repeat(2_000));
        put("main", &"ours ".repeat(2_000));
        let id = w.ok("graph_merge", json!({"from": "b", "into": "main"}))["conflict_ids"][0].clone();
        for budget in [900, 2_000, 8_000, 20_000] {
            let shown = w.ok("graph_conflict_show", json!({"conflict_id": id, "max_chars": budget}));
            let size = shown.to_string().len();
            assert!(size <= budget, "{size} > {budget}: {shown}");
            assert_eq!(shown["truncated"], true);
            assert_eq!(shown["conflict"]["base"]["truncated"], true);
            // Whoever compares wants something of each.
            let texts = ["base", "theirs", "ours"]
                .map(|side| shown["conflict"][side]["text"].as_str().map_or(0, str::len));
            let (least, most) = (texts.iter().min().unwrap(), texts.iter().max().unwrap());
            assert!(most - least <= 60, "{texts:?} at {budget}");
            assert!(*least > 100 || budget < 8_000, "{texts:?} at {budget}");
        }
        let ours =
            &w.ok("graph_conflict_show", json!({"conflict_id": id, "max_chars": 2_000}))["conflict"]["ours"];
        assert_eq!(ours["text_length"], 10_000, "{ours}");
        let whole = w.ok("graph_conflict_show", json!({"conflict_id": id, "max_chars": 100_000}));
        assert_eq!(whole["truncated"], false);
    });
}
