//! What somebody settled stays settled until the merged branch speaks of it again.

use serde_json::{Value, json};

use crate::world::{World, on_every_store};

fn apply(w: &World, branch: &str, ops: Value) {
    w.ok("graph_apply", json!({"branch": branch, "doc": "g", "ops": ops}));
}

fn node(id: &str, title: &str) -> Value {
    json!({"op": "node_upsert", "id": id, "type": "t", "title": title})
}

fn merge(w: &World) -> (u64, u64) {
    let out = w.ok("graph_merge", json!({"from": "f", "into": "main", "doc": "g"}));
    (out["merged"].as_u64().unwrap(), out["conflicts_created"].as_u64().unwrap())
}

/// Settles the only open conflict in favour of the destination.
fn keep_ours(w: &World) {
    let open = w.ok("graph_conflicts", json!({"into": "main", "doc": "g", "status": "open"}));
    let [conflict] = open["conflicts"].as_array().unwrap().as_slice() else { panic!("{open}") };
    w.ok("graph_conflict_resolve", json!({"conflict_id": conflict["conflict_id"], "resolution": "use_into"}));
}

fn shown(w: &World) -> Vec<String> {
    let all = w.ok("graph_query", json!({"branch": "main", "doc": "g"}));
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let nodes = all["nodes"].as_array().unwrap().iter();
    let nodes = nodes.map(|node| format!("{}={}", text(&node["id"]), text(&node["title"])));
    let edges = all["edges"].as_array().unwrap().iter();
    let mut out: Vec<String> = nodes
        .chain(
            edges.map(|edge| format!("{}|{}|{}", text(&edge["from"]), text(&edge["rel"]), text(&edge["to"]))),
        )
        .collect();
    out.sort();
    out
}

#[test]
fn an_edge_that_was_refused_stays_out_when_its_node_comes_back() {
    on_every_store(|w| {
        apply(w, "main", json!([node("a", "0"), node("b", "0")]));
        w.ok("branch_create", json!({"name": "f"}));
        apply(w, "f", json!([{"op": "edge_upsert", "from": "a", "rel": "r", "to": "b"}]));
        apply(w, "main", json!([{"op": "node_delete", "id": "a"}]));
        assert_eq!(merge(w), (0, 1));
        keep_ours(w);
        apply(w, "main", json!([node("a", "back")]));
        assert_eq!(merge(w), (0, 0));
        assert_eq!(shown(w), ["a=back", "b=0"]);
        // A new word of the branch is a new question.
        apply(w, "f", json!([{"op": "edge_upsert", "from": "a", "rel": "r", "to": "b", "meta": {"v": 2}}]));
        assert_eq!(merge(w), (1, 0));
        assert_eq!(shown(w), ["a=back", "a|r|b", "b=0"]);
    });
}

#[test]
fn a_node_that_was_kept_is_not_deleted_once_its_edge_is_gone() {
    on_every_store(|w| {
        apply(w, "main", json!([node("a", "0"), node("b", "0")]));
        w.ok("branch_create", json!({"name": "f"}));
        apply(w, "f", json!([{"op": "node_delete", "id": "a"}]));
        apply(w, "main", json!([{"op": "edge_upsert", "from": "b", "rel": "r", "to": "a"}]));
        assert_eq!(merge(w), (0, 1));
        keep_ours(w);
        apply(w, "main", json!([{"op": "edge_delete", "from": "b", "rel": "r", "to": "a"}]));
        assert_eq!(merge(w), (0, 0));
        assert_eq!(shown(w), ["a=0", "b=0"]);
    });
}

#[test]
fn a_settled_state_is_not_written_when_the_destination_goes_back_to_its_base() {
    on_every_store(|w| {
        apply(w, "main", json!([node("a", "0")]));
        w.ok("branch_create", json!({"name": "f"}));
        apply(w, "f", json!([node("a", "theirs")]));
        apply(w, "main", json!([node("a", "ours")]));
        assert_eq!(merge(w), (0, 1));
        keep_ours(w);
        apply(w, "main", json!([node("a", "0")]));
        assert_eq!(merge(w), (0, 0));
        assert_eq!(shown(w), ["a=0"]);
        apply(w, "f", json!([node("a", "theirs again")]));
        assert_eq!(merge(w), (1, 0));
        assert_eq!(shown(w), ["a=theirs again"]);
    });
}

#[test]
fn a_node_that_was_refused_does_not_come_along_with_an_edge() {
    on_every_store(|w| {
        apply(w, "main", json!([node("b", "0")]));
        w.ok("branch_create", json!({"name": "f"}));
        apply(w, "f", json!([node("a", "theirs")]));
        apply(w, "main", json!([node("a", "ours")]));
        assert_eq!(merge(w), (0, 1));
        keep_ours(w);
        apply(w, "main", json!([{"op": "node_delete", "id": "a"}]));
        apply(w, "f", json!([{"op": "edge_upsert", "from": "a", "rel": "r", "to": "b"}]));
        assert_eq!(merge(w), (0, 1));
        assert_eq!(shown(w), ["b=0"]);
    });
}

#[test]
fn an_edge_that_was_kept_holds_its_node() {
    on_every_store(|w| {
        let edge =
            |v: i64| json!({"op": "edge_upsert", "from": "a", "rel": "r", "to": "b", "meta": {"v": v}});
        apply(w, "main", json!([node("a", "0"), node("b", "0"), edge(0)]));
        w.ok("branch_create", json!({"name": "f"}));
        apply(w, "f", json!([{"op": "edge_delete", "from": "a", "rel": "r", "to": "b"}]));
        apply(w, "main", json!([edge(1)]));
        assert_eq!(merge(w), (0, 1));
        keep_ours(w);
        apply(w, "main", json!([edge(0)]));
        apply(w, "f", json!([{"op": "node_delete", "id": "b"}]));
        assert_eq!(merge(w), (0, 1));
        assert_eq!(shown(w), ["a=0", "a|r|b", "b=0"]);
    });
}
