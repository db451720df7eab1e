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
    }
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
        for budget in [400, 600, 1_000, 2_000, 4_000] {
            let brief = w.ok("brief", json!({"max_chars": budget}));
            assert!(brief.to_string().len() <= budget, "{budget}: {brief}");
            let shown = brief["pinned"].as_array().map_or(0, Vec::len);
            assert_eq!(brief["dropped"]["pinned"], 40 - shown, "{brief}");
            assert_eq!(brief["truncated"], true);
            if budget >= 1_000 {
                assert!(brief["pinned"][0]["text"].as_str().unwrap().starts_with("39 "), "{brief}");
                assert_eq!(brief["pinned"][0]["title_length"], 603, "{brief}");
            }
        }
        assert!(w.ok("brief", json!({})).to_string().len() <= 4_000);
    });
}
