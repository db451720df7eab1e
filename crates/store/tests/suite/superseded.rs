//! A card is closed exactly while a live `supersedes` edge points at it, whatever wrote or removed the edge.

use serde_json::{Value, json};

use crate::world::{World, on_every_store};

fn card(w: &World, branch: &str, id: &str, more: Value) {
    let card = json!({"id": id, "type": "decision", "title": id});
    let mut call = json!({"branch": branch, "trace_doc": "t", "graph_doc": "g", "card": card});
    call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    w.ok("think_card", call);
}

fn apply(w: &World, op: Value) {
    w.ok("graph_apply", json!({"branch": "main", "doc": "g", "ops": [op]}));
}

/// The cards of a branch, closed ones in brackets, and what supersedes what.
fn stand(w: &World, branch: &str) -> String {
    let out = w.ok("graph_query", json!({"branch": branch, "doc": "g"}));
    let mut said: Vec<String> = Vec::new();
    for node in out["nodes"].as_array().unwrap() {
        let id = node["id"].as_str().unwrap();
        said.push(if node.get("valid_to").is_some() { format!("({id})") } else { id.to_owned() });
    }
    for edge in out["edges"].as_array().unwrap() {
        said.push(format!("{}>{}", edge["from"].as_str().unwrap(), edge["to"].as_str().unwrap()));
    }
    said.sort();
    said.join(" ")
}

fn merge(w: &World) -> Value {
    w.ok("graph_merge", json!({"from": "f", "into": "main", "doc": "g"}))
}

fn resolve(w: &World, merged: &Value, resolution: &str) {
    let id = &merged["conflict_ids"][0];
    w.ok("graph_conflict_resolve", json!({"conflict_id": id, "resolution": resolution}));
}

#[test]
fn edges_that_come_and_go_close_and_reopen_cards() {
    on_every_store(|w| {
        let edge = |op: &str, from: &str| json!({"op": op, "from": from, "rel": "supersedes", "to": "D1"});
        card(w, "main", "D1", json!({}));
        card(w, "main", "D2", json!({"supersedes": ["D1"]}));
        assert_eq!(stand(w, "main"), "(D1) D2 D2>D1");
        apply(w, edge("edge_delete", "D2"));
        assert_eq!(stand(w, "main"), "D1 D2");
        apply(w, edge("edge_upsert", "D2"));
        assert_eq!(stand(w, "main"), "(D1) D2 D2>D1");
        // New words do not bring it back.
        apply(w, json!({"op": "node_upsert", "id": "D1", "type": "decision", "title": "other"}));
        assert_eq!(stand(w, "main"), "(D1) D2 D2>D1");
        card(w, "main", "D3", json!({"supersedes": ["D1"]}));
        apply(w, json!({"op": "node_delete", "id": "D2"}));
        assert_eq!(stand(w, "main"), "(D1) D3 D3>D1");
        apply(w, json!({"op": "node_delete", "id": "D3"}));
        assert_eq!(stand(w, "main"), "D1");
        let hits = w.ok("memory_search", json!({"query": "other"}));
        assert_eq!(hits["hits"][0].get("valid_to"), None, "{hits}");
    });
}

#[test]
fn an_edge_cannot_put_cards_in_each_others_place() {
    on_every_store(|w| {
        card(w, "main", "D1", json!({}));
        card(w, "main", "D2", json!({"supersedes": ["D1"]}));
        for (from, to, said) in [("D1", "D2", "D2 superseded D1 already"), ("D1", "D1", "supersede itself")] {
            let op = json!({"op": "edge_upsert", "from": from, "rel": "supersedes", "to": to});
            let refusal = w.refused("graph_apply", json!({"branch": "main", "doc": "g", "ops": [op]}));
            assert!(refusal.to_string().contains(said), "{refusal}");
        }
        assert_eq!(stand(w, "main"), "(D1) D2 D2>D1");
    });
}

#[test]
fn a_merge_brings_the_edge_and_closes_the_card_that_was_edited_meanwhile() {
    on_every_store(|w| {
        card(w, "main", "D1", json!({}));
        w.ok("branch_create", json!({"name": "f", "from": "main"}));
        card(w, "f", "D2", json!({"supersedes": ["D1"]}));
        apply(w, json!({"op": "node_upsert", "id": "D1", "type": "decision", "title": "edited"}));
        let merged = merge(w);
        assert_eq!(merged["conflicts_created"], 0, "{merged}");
        assert_eq!(stand(w, "main"), "(D1) D2 D2>D1");
        assert_eq!(merge(w)["merged"], 0);
    });
}

#[test]
fn a_card_that_was_taken_back_on_a_branch_holds_again_after_the_merge() {
    on_every_store(|w| {
        card(w, "main", "D1", json!({}));
        card(w, "main", "D2", json!({"supersedes": ["D1"]}));
        w.ok("branch_create", json!({"name": "f", "from": "main"}));
        card(w, "f", "D2", json!({"supersedes": [], "update": true}));
        assert_eq!((stand(w, "f"), stand(w, "main")), ("D1 D2".to_owned(), "(D1) D2 D2>D1".to_owned()));
        merge(w);
        assert_eq!(stand(w, "main"), "D1 D2");
    });
}

#[test]
fn a_refused_edge_leaves_the_card_open_and_a_taken_one_closes_it() {
    on_every_store(|w| {
        for (at, (resolution, stands)) in
            [("use_into", "D1 D2"), ("use_from", "(D1) D2 D2>D1")].into_iter().enumerate()
        {
            w.switch(&format!("refused{at}"));
            w.ok("init", json!({}));
            card(w, "main", "D1", json!({}));
            card(w, "main", "D2", json!({"supersedes": ["D1"]}));
            w.ok("branch_create", json!({"name": "f", "from": "main"}));
            // Both change the edge: one takes it away, the other writes something on it.
            let edge =
                json!({"op": "edge_upsert", "from": "D2", "rel": "supersedes", "to": "D1", "meta": {"k": 1}});
            w.ok("graph_apply", json!({"branch": "f", "doc": "g", "ops": [edge]}));
            apply(w, json!({"op": "edge_delete", "from": "D2", "rel": "supersedes", "to": "D1"}));
            let merged = merge(w);
            assert_eq!(merged["conflicts_created"], 1, "{merged}");
            assert_eq!(stand(w, "main"), "D1 D2");
            resolve(w, &merged, resolution);
            assert_eq!(stand(w, "main"), stands, "{resolution}");
        }
    });
}

#[test]
fn cards_that_took_each_others_place_on_two_branches_are_a_conflict() {
    on_every_store(|w| {
        for (at, (resolution, stands)) in
            [("use_into", "(A) B B>A"), ("use_from", "(B) A A>B")].into_iter().enumerate()
        {
            w.switch(&format!("circle{at}"));
            w.ok("init", json!({}));
            card(w, "main", "A", json!({}));
            card(w, "main", "B", json!({}));
            w.ok("branch_create", json!({"name": "f", "from": "main"}));
            card(w, "f", "A", json!({"supersedes": ["B"], "update": true}));
            card(w, "main", "B", json!({"supersedes": ["A"], "update": true}));
            let merged = merge(w);
            assert_eq!(merged["conflicts_created"], 1, "{merged}");
            assert_eq!(stand(w, "main"), "(A) B B>A");
            let shown = w.ok("graph_conflict_show", json!({"conflict_id": merged["conflict_ids"][0]}));
            assert!(shown.to_string().contains("each would have taken the place of the other"), "{shown}");
            assert_eq!(merge(w)["conflicts_created"], 0);
            resolve(w, &merged, resolution);
            assert_eq!(stand(w, "main"), stands, "{resolution}");
            assert_eq!(merge(w)["conflicts_created"], 0);
            assert_eq!(stand(w, "main"), stands, "{resolution}");
        }
    });
}
