//! Anchors that were looked at again on a branch come back with a merge.

use serde_json::{Value, json};

use crate::world::{World, on_every_store};

fn sees(w: &World, hash: &str) {
    w.code.0.lock().insert("a.rs".to_owned(), hash.to_owned());
}

fn write(w: &World, branch: &str, title: &str) {
    let node = json!({"op": "node_upsert", "id": "D1", "type": "decision", "title": title, "anchors": [{"path": "a.rs"}]});
    w.ok("graph_apply", json!({"branch": branch, "doc": "g", "ops": [node]}));
}

fn hash(w: &World, branch: &str) -> Value {
    w.ok("graph_query", json!({"branch": branch, "doc": "g"}))["nodes"][0]["anchors"][0]["hash"].clone()
}

fn changes(w: &World) -> usize {
    let out = w.ok("graph_diff", json!({"from": "main", "to": "f", "doc": "g"}));
    out["changes"].as_array().unwrap().len()
}

fn merge(w: &World) -> (Value, Value) {
    let out = w.ok("graph_merge", json!({"from": "f", "into": "main", "doc": "g"}));
    (out["merged"].clone(), out["conflicts_created"].clone())
}

fn forked(w: &World) {
    w.ok("init", json!({}));
    sees(w, "one");
    write(w, "main", "x");
    w.ok("branch_create", json!({"name": "f", "from": "main"}));
    sees(w, "two");
}

#[test]
fn an_anchor_that_was_looked_at_again_is_a_change_and_is_merged() {
    on_every_store(|w| {
        forked(w);
        assert_eq!(changes(w), 0);
        write(w, "f", "x");
        assert_eq!(changes(w), 1);
        assert_eq!(merge(w), (json!(1), json!(0)));
        assert_eq!((hash(w, "main"), changes(w)), (json!("two"), 0));
        assert_eq!(merge(w), (json!(0), json!(0)));
    });
}

#[test]
fn who_looked_last_is_right_and_it_is_no_conflict() {
    on_every_store(|w| {
        forked(w);
        write(w, "f", "x");
        sees(w, "three");
        write(w, "main", "x");
        assert_eq!(merge(w), (json!(0), json!(0)));
        assert_eq!(hash(w, "main"), "three");
        sees(w, "four");
        write(w, "f", "x");
        assert_eq!(merge(w), (json!(1), json!(0)));
        assert_eq!(hash(w, "main"), "four");
    });
}

#[test]
fn looking_again_does_not_argue_with_new_words() {
    on_every_store(|w| {
        forked(w);
        write(w, "f", "x");
        write(w, "main", "other");
        assert_eq!(merge(w), (json!(0), json!(0)));
        let shown = w.ok("graph_query", json!({"branch": "main", "doc": "g"}));
        assert_eq!(shown["nodes"][0]["title"], "other");
    });
}
