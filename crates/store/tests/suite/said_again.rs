//! What is said or settled twice: nothing comes back, nothing is lost, and a rehearsal agrees with the deed.

use serde_json::{Value, json};

use crate::world::{World, comes_back, on_every_store};

fn apply(w: &World, branch: &str, ops: Value) {
    w.ok("graph_apply", json!({"branch": branch, "doc": "g", "ops": ops}));
}

fn node(title: &str) -> Value {
    json!([{"op": "node_upsert", "id": "k", "type": "t", "title": title}])
}

fn merge(w: &World) -> Value {
    w.ok("graph_merge", json!({"from": "f", "into": "main", "doc": "g"}))
}

fn resolve(w: &World, id: &Value, how: &str) -> Value {
    w.ok("graph_conflict_resolve", json!({"conflict_id": id, "resolution": how}))
}

/// Two branches that disagree about `k`, and the conflict.
fn at_odds(w: &World) -> Value {
    apply(w, "main", node("0"));
    w.ok("branch_create", json!({"name": "f"}));
    apply(w, "f", node("theirs"));
    apply(w, "main", node("ours"));
    merge(w)["conflict_ids"][0].clone()
}

fn title(w: &World) -> Value {
    w.ok("graph_query", json!({"branch": "main", "doc": "g"}))["nodes"][0]["title"].clone()
}

#[test]
fn a_resolution_that_is_repeated_says_that_it_was_settled_already() {
    on_every_store(|w| {
        let id = at_odds(w);
        let first = resolve(w, &id, "use_from");
        assert_eq!((&first["applied"], first.get("replayed")), (&json!(true), None));
        apply(w, "main", node("later"));
        let again = resolve(w, &id, "use_from");
        assert_eq!((&again["applied"], &again["replayed"]), (&json!(false), &json!(true)));
        assert_eq!(again["status"], "resolved");
        assert_eq!(title(w), "later");
    });
}

#[test]
fn a_settled_conflict_does_not_come_back_when_the_branch_says_the_same_again() {
    on_every_store(|w| {
        let id = at_odds(w);
        apply(w, "f", node("theirs"));
        resolve(w, &id, "use_into");
        apply(w, "f", node("theirs"));
        apply(w, "f", node("theirs"));
        let out = merge(w);
        assert_eq!((&out["conflicts_created"], &out["merged"]), (&json!(0), &json!(0)), "{out}");
        comes_back(w);
        // Another word is a new question, and the first word after it, too.
        apply(w, "f", node("other"));
        assert_eq!(merge(w)["conflicts_created"], 1);
        apply(w, "f", node("theirs"));
        assert_eq!(merge(w)["conflicts_created"], 1);
    });
}

#[test]
fn an_open_conflict_stays_the_same_when_either_side_says_the_same_again() {
    on_every_store(|w| {
        let id = at_odds(w);
        apply(w, "f", node("theirs"));
        apply(w, "main", node("ours"));
        let out = merge(w);
        assert_eq!((&out["conflicts_created"], &out["still_open"]), (&json!(0), &json!([id])), "{out}");
        apply(w, "main", node("ours"));
        assert_eq!(resolve(w, &id, "use_from")["applied"], true);
        assert_eq!(title(w), "theirs");
    });
}

#[test]
fn a_conflict_over_what_a_branch_inherited_survives_that_it_says_the_same_itself() {
    on_every_store(|w| {
        apply(w, "main", node("ours"));
        w.ok("branch_create", json!({"name": "middle"}));
        w.ok("branch_create", json!({"name": "f", "from": "middle"}));
        apply(w, "f", json!([{"op": "node_delete", "id": "k"}]));
        apply(
            w,
            "middle",
            json!([{"op": "node_upsert", "id": "n", "type": "t"},
                                  {"op": "edge_upsert", "from": "n", "rel": "r", "to": "k"}]),
        );
        let merged = w.ok("graph_merge", json!({"from": "f", "into": "middle", "doc": "g"}));
        let id = &merged["conflict_ids"][0];
        apply(w, "middle", node("ours"));
        apply(w, "middle", json!([{"op": "edge_upsert", "from": "n", "rel": "r", "to": "k"}]));
        assert_eq!(resolve(w, id, "use_from")["applied"], true);
    });
}

#[test]
fn a_rehearsal_agrees_with_the_merge_on_every_page() {
    for limit in [1, 2, 3, 200] {
        on_every_store(|w| {
            let nodes = ["a", "b", "c"].map(|id| json!({"op": "node_upsert", "id": id, "type": "t"}));
            let edge =
                |from: &str, to: &str| json!({"op": "edge_upsert", "from": from, "rel": "r", "to": to});
            apply(w, "main", json!(nodes));
            apply(w, "main", json!([edge("a", "b"), edge("b", "c"), edge("a", "c")]));
            w.ok("branch_create", json!({"name": "f"}));
            apply(
                w,
                "f",
                json!([{"op": "node_delete", "id": "b"}, {"op": "node_upsert", "id": "d", "type": "t"}]),
            );
            apply(w, "f", json!([edge("d", "a"), {"op": "edge_delete", "from": "a", "rel": "r", "to": "c"}]));
            let run = |dry_run: bool| {
                let mut out = Vec::new();
                let mut request =
                    json!({"from": "f", "into": "main", "doc": "g", "limit": limit, "dry_run": dry_run});
                loop {
                    let page = w.ok("graph_merge", request.clone());
                    let counts = ["merged", "skipped", "conflicts_created", "pagination"];
                    out.push(counts.map(|name| page[name].clone()));
                    match page["pagination"].get("next_cursor") {
                        Some(next) => request["cursor"] = next.clone(),
                        None => return out,
                    }
                }
            };
            let rehearsed = run(true);
            assert_eq!(rehearsed, run(false), "{limit}");
        });
    }
}

#[test]
fn confirming_again_without_a_receipt_keeps_the_one_that_was_given() {
    on_every_store(|w| {
        let steps = json!([{"title": "s", "success_criteria": ["it holds"]}]);
        w.ok("tasks_create", json!({"title": "t", "kind": "task", "steps": steps}));
        let verify = |check: Value| {
            w.ok(
                "tasks_verify",
                json!({"task": "TASK-001", "path": "s:0", "checkpoints": {"criteria": check}}),
            )
        };
        let gate = || {
            let steps = w.ok("tasks_context", json!({"task": "TASK-001"}))["detail"]["steps"].clone();
            steps[0]["checkpoints"]["criteria"].clone()
        };
        let receipt = json!({"command": "cargo test", "exit_code": 0});
        verify(json!({"confirmed": true, "evidence": receipt}));
        let first = gate();
        w.clock.advance(std::time::Duration::from_secs(60));
        verify(json!({"confirmed": true}));
        assert_eq!(gate(), first);
        assert_eq!(gate()["evidence"]["command"], "cargo test");
        // What was said against it proves nothing later.
        verify(json!({"confirmed": false, "evidence": {"command": "cargo test", "exit_code": 1}}));
        verify(json!({"confirmed": true}));
        assert_eq!(gate().get("evidence"), None);
    });
}
