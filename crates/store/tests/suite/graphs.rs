//! Knowledge graphs: versions, pages, deletions, diffs, merges, conflicts.

use m1nd_memory::MemoryError;
use serde_json::{Value, json};

use crate::world::{World, column, on_every_store, pages, whole_graph};

fn apply(w: &World, branch: &str, ops: Value) -> Value {
    w.ok("graph_apply", json!({"branch": branch, "doc": "g", "ops": ops}))
}

fn node(id: &str, title: &str) -> Value {
    json!({"op": "node_upsert", "id": id, "type": "idea", "title": title})
}

fn edge(from: &str, to: &str) -> Value {
    json!({"op": "edge_upsert", "from": from, "rel": "r", "to": to})
}

fn ids(w: &World, branch: &str) -> Vec<String> {
    let all = pages(w, "graph_query", json!({"branch": branch, "doc": "g", "limit": 2}), "nodes");
    let mut out: Vec<String> = all.iter().map(|node| node["id"].as_str().unwrap().to_owned()).collect();
    out.sort();
    out
}

fn title(w: &World, branch: &str, id: &str) -> Value {
    let out = w.ok("graph_query", json!({"branch": branch, "doc": "g", "ids": [id]}));
    out["nodes"][0]["title"].clone()
}

fn merge(w: &World, from: &str, into: &str) -> Value {
    w.ok("graph_merge", json!({"from": from, "into": into, "doc": "g"}))
}

fn assert_valid(w: &World, branch: &str) {
    let out = w.ok("graph_validate", json!({"branch": branch, "doc": "g"}));
    assert_eq!(out["ok"], true, "{out}");
}

#[test]
fn a_batch_is_applied_whole_or_not_at_all() {
    on_every_store(|w| {
        let out = apply(w, "main", json!([node("a", "A"), node("b", "B"), edge("a", "b")]));
        assert_eq!(
            out["applied"],
            json!({"nodes_upserted": 2, "nodes_deleted": 0, "edges_upserted": 1, "edges_deleted": 0})
        );
        assert_eq!(out["last_seq"], 3);
        let refusal = w.refused(
            "graph_apply",
            json!({"branch": "main", "doc": "g", "ops": [node("c", "C"), edge("c", "nowhere")]}),
        );
        assert!(matches!(refusal, MemoryError::WouldDangle { .. }));
        assert_eq!(ids(w, "main"), ["a", "b"]);
        assert_eq!(w.ok("status", json!({}))["last_seq"], 3);
    });
}

#[test]
fn an_edge_may_come_before_its_node_in_one_batch() {
    on_every_store(|w| {
        apply(w, "main", json!([edge("a", "b"), node("a", "A"), node("b", "B")]));
        assert_valid(w, "main");
    });
}

#[test]
fn a_page_never_shows_an_old_version_or_a_deleted_node() {
    on_every_store(|w| {
        for round in 0..3 {
            for id in ["a", "b", "c", "d", "e"] {
                apply(w, "main", json!([node(id, &format!("{id}{round}"))]));
            }
        }
        apply(w, "main", json!([{"op": "node_delete", "id": "b"}]));
        for limit in 1..=6 {
            let all = pages(w, "graph_query", json!({"branch": "main", "doc": "g", "limit": limit}), "nodes");
            assert_eq!(column(&all, "id"), ["e", "d", "c", "a"]);
            assert_eq!(column(&all, "title"), ["e2", "d2", "c2", "a2"]);
        }
        let with =
            pages(w, "graph_query", json!({"branch": "main", "doc": "g", "include_deleted": true}), "nodes");
        assert_eq!(with[0]["id"], "b");
        assert_eq!(with[0]["deleted"], true);
    });
}

#[test]
fn a_fork_keeps_the_graph_as_it_was() {
    on_every_store(|w| {
        apply(w, "main", json!([node("a", "old"), node("b", "B"), edge("a", "b")]));
        w.ok("branch_create", json!({"name": "f"}));
        apply(w, "main", json!([node("a", "new"), {"op": "node_delete", "id": "b"}, node("c", "C")]));
        assert_eq!(ids(w, "f"), ["a", "b"]);
        assert_eq!(title(w, "f", "a"), "old");
        assert_eq!(ids(w, "main"), ["a", "c"]);
        apply(w, "f", json!([{"op": "node_delete", "id": "a"}]));
        assert_eq!(ids(w, "f"), ["b"]);
        assert_eq!(title(w, "main", "a"), "new");
        for branch in ["main", "f"] {
            assert_valid(w, branch);
        }
    });
}

#[test]
fn deleting_a_node_takes_its_edges_along() {
    on_every_store(|w| {
        apply(
            w,
            "main",
            json!([node("a", "A"), node("b", "B"), edge("a", "b"), edge("b", "a"), edge("b", "b")]),
        );
        let out = apply(w, "main", json!([{"op": "node_delete", "id": "b"}]));
        assert_eq!(out["applied"]["edges_deleted"], 3);
        assert_valid(w, "main");
        apply(w, "main", json!([node("b", "again")]));
        let out = w.ok("graph_query", json!({"branch": "main", "doc": "g"}));
        assert_eq!(out["edges"], json!([]));
    });
}

#[test]
fn reserved_ids_and_bad_keys_are_refused() {
    on_every_store(|w| {
        for op in [
            node("task:TASK-001", "x"),
            node("step:STEP-00000000", "x"),
            node("code:src/a.rs", "x"),
            node("a|b", "x"),
            node("", "x"),
            json!({"op": "node_upsert", "id": "a", "type": "x|y"}),
            json!({"op": "node_upsert", "id": "a"}),
            json!({"op": "node_upsert", "id": "a", "type": "t", "from": "b"}),
            json!({"op": "node_delete", "id": "a"}),
            json!({"op": "edge_delete", "from": "a", "rel": "r", "to": "b"}),
        ] {
            w.refused("graph_apply", json!({"branch": "main", "doc": "g", "ops": [op]}));
        }
        assert!(w.call("graph_apply", json!({"branch": "main", "doc": "g", "ops": []})).is_err());
    });
}

#[test]
fn queries_filter_by_every_field() {
    on_every_store(|w| {
        apply(
            w,
            "main",
            json!([
                {"op": "node_upsert", "id": "a", "type": "idea", "status": "open", "tags": ["X", "y"], "text": "Große Sache"},
                {"op": "node_upsert", "id": "b", "type": "idea", "status": "done", "tags": ["y"]},
                {"op": "node_upsert", "id": "c", "type": "fact", "status": "open", "title": "plain"},
            ]),
        );
        let found = |filter: Value| {
            let mut arguments = json!({"branch": "main", "doc": "g"});
            for (key, value) in filter.as_object().unwrap() {
                arguments[key] = value.clone();
            }
            column(&pages(w, "graph_query", arguments, "nodes"), "id")
        };
        assert_eq!(found(json!({"types": ["idea"]})), ["b", "a"]);
        assert_eq!(found(json!({"status": "open"})), ["c", "a"]);
        assert_eq!(found(json!({"tags_any": ["x", "z"]})), ["a"]);
        assert_eq!(found(json!({"tags_all": ["x", "Y"]})), ["a"]);
        assert_eq!(found(json!({"text": "GROSSE"})), [json!(null); 0]);
        assert_eq!(found(json!({"text": "große"})), ["a"]);
        assert_eq!(found(json!({"ids": ["c", "a", "c", "zz"]})), ["c", "a"]);
    });
}

#[test]
fn a_diff_lists_states_that_differ_with_tombstones() {
    on_every_store(|w| {
        apply(w, "main", json!([node("a", "A"), node("b", "B"), node("c", "C"), edge("a", "b")]));
        w.ok("branch_create", json!({"name": "f"}));
        apply(
            w,
            "f",
            json!([node("a", "A2"), {"op": "node_delete", "id": "b"}, node("d", "D"), node("c", "C")]),
        );
        let diff = |from: &str, to: &str| {
            pages(w, "graph_diff", json!({"from": from, "to": to, "limit": 1}), "changes")
                .iter()
                .map(|change| match change["kind"].as_str().unwrap() {
                    "node" => format!("{} {}", change["id"].as_str().unwrap(), change["to"]["deleted"]),
                    _ => format!(
                        "{}>{} {}",
                        change["key"]["from"], change["key"]["to"], change["to"]["deleted"]
                    ),
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(diff("main", "f"), ["d false", "\"a\">\"b\" true", "b true", "a false"]);
        assert_eq!(diff("f", "main"), ["\"a\">\"b\" false", "b false", "a false"]);
        assert_eq!(diff("f", "f"), [""; 0]);
    });
}

#[test]
fn a_merge_brings_what_only_the_branch_changed() {
    on_every_store(|w| {
        apply(w, "main", json!([node("a", "A"), node("b", "B"), edge("a", "b")]));
        w.ok("branch_create", json!({"name": "f"}));
        apply(
            w,
            "f",
            json!([node("a", "A2"), node("c", "C"), edge("b", "c"), {"op": "edge_delete", "from": "a", "rel": "r", "to": "b"}]),
        );
        let dry = w.ok("graph_merge", json!({"from": "f", "into": "main", "doc": "g", "dry_run": true}));
        assert_eq!((&dry["merged"], &dry["conflicts_created"]), (&json!(4), &json!(0)));
        assert_eq!(ids(w, "main"), ["a", "b"]);
        assert_eq!(merge(w, "f", "main")["merged"], 4);
        let again = merge(w, "f", "main");
        assert_eq!((&again["merged"], &again["skipped"]), (&json!(0), &json!(4)));
        assert_eq!(title(w, "main", "a"), "A2");
        assert_eq!(pages(w, "graph_diff", json!({"from": "main", "to": "f"}), "changes").len(), 0);
        assert_valid(w, "main");
        // The branch goes on, and what it changes further comes over without a conflict.
        apply(w, "f", json!([node("a", "A3")]));
        let third = merge(w, "f", "main");
        assert_eq!((&third["merged"], &third["conflicts_created"]), (&json!(1), &json!(0)));
        assert_eq!(title(w, "main", "a"), "A3");
    });
}

#[test]
fn only_a_merge_back_into_the_base_is_done() {
    on_every_store(|w| {
        apply(w, "main", json!([node("a", "A")]));
        w.ok("branch_create", json!({"name": "f", "from": "main"}));
        w.ok("branch_create", json!({"name": "g", "from": "f"}));
        for (from, into) in [("g", "main"), ("main", "f"), ("f", "f")] {
            let refusal = w.refused("graph_merge", json!({"from": from, "into": into, "doc": "g"}));
            assert!(matches!(refusal, MemoryError::NotMergeBack { .. }));
        }
    });
}

/// Both sides change `a`; returns the id of the conflict.
fn conflict(w: &World) -> String {
    apply(w, "main", json!([node("a", "base")]));
    w.ok("branch_create", json!({"name": "f"}));
    apply(w, "main", json!([node("a", "ours")]));
    apply(w, "f", json!([node("a", "theirs"), node("z", "Z")]));
    let out = merge(w, "f", "main");
    assert_eq!((&out["merged"], &out["conflicts_created"]), (&json!(1), &json!(1)));
    out["conflict_ids"][0].as_str().unwrap().to_owned()
}

#[test]
fn a_conflict_is_found_once_and_keeps_its_id() {
    on_every_store(|w| {
        let id = conflict(w);
        let again = merge(w, "f", "main");
        assert_eq!((&again["conflicts_created"], &again["skipped"]), (&json!(0), &json!(2)));
        let list = pages(w, "graph_conflicts", json!({"into": "main", "status": "open"}), "conflicts");
        assert_eq!(column(&list, "conflict_id"), [json!(id)]);
        assert_eq!((&list[0]["kind"], &list[0]["key"]), (&json!("node"), &json!("a")));
        let shown = w.ok("graph_conflict_show", json!({"conflict_id": id}));
        let state = |side: &str| shown["conflict"][side]["title"].clone();
        assert_eq!([state("base"), state("theirs"), state("ours")], ["base", "theirs", "ours"]);
        assert_eq!(title(w, "main", "a"), "ours");
    });
}

#[test]
fn a_settled_conflict_does_not_come_back() {
    on_every_store(|w| {
        let id = conflict(w);
        let resolve =
            |how: &str| w.call("graph_conflict_resolve", json!({"conflict_id": id, "resolution": how}));
        let settled = resolve("use_into").unwrap();
        assert_eq!(settled, json!({"conflict_id": id, "status": "resolved", "applied": false}));
        for _ in 0..2 {
            let out = merge(w, "f", "main");
            assert_eq!((&out["merged"], &out["conflicts_created"]), (&json!(0), &json!(0)));
        }
        assert!(resolve("use_into").is_ok());
        assert!(matches!(resolve("use_from"), Err(MemoryError::ConflictSettled { .. })));
        assert_eq!(title(w, "main", "a"), "ours");
        let open = pages(w, "graph_conflicts", json!({"into": "main", "status": "open"}), "conflicts");
        assert!(open.is_empty());
    });
}

#[test]
fn use_from_writes_the_state_of_the_branch() {
    on_every_store(|w| {
        let id = conflict(w);
        let out = w.ok("graph_conflict_resolve", json!({"conflict_id": id, "resolution": "use_from"}));
        assert_eq!(out["applied"], true);
        assert_eq!(title(w, "main", "a"), "theirs");
        let again = merge(w, "f", "main");
        assert_eq!((&again["merged"], &again["conflicts_created"]), (&json!(0), &json!(0)));
        assert_eq!(pages(w, "graph_diff", json!({"from": "main", "to": "f"}), "changes").len(), 0);
    });
}

#[test]
fn use_from_is_refused_when_the_destination_moved_on() {
    on_every_store(|w| {
        let id = conflict(w);
        apply(w, "main", json!([node("a", "newer")]));
        let refusal =
            w.refused("graph_conflict_resolve", json!({"conflict_id": id, "resolution": "use_from"}));
        let MemoryError::ConflictStale { current: Some(current), .. } = refusal else { panic!("{refusal}") };
        assert_eq!(current["title"], "newer");
        assert_eq!(title(w, "main", "a"), "newer");
        assert_eq!(merge(w, "f", "main")["conflicts_created"], 1);
    });
}

#[test]
fn a_merge_never_leaves_an_edge_without_its_node() {
    on_every_store(|w| {
        apply(w, "main", json!([node("a", "A"), node("b", "B"), node("c", "C")]));
        w.ok("branch_create", json!({"name": "f"}));
        // The branch deletes a node that the base has tied an edge to, and ties one to a node the base deleted.
        apply(w, "f", json!([{"op": "node_delete", "id": "a"}, edge("b", "c")]));
        apply(w, "main", json!([edge("a", "b"), {"op": "node_delete", "id": "c"}]));
        let out = merge(w, "f", "main");
        assert_eq!((&out["merged"], &out["conflicts_created"]), (&json!(0), &json!(2)));
        assert_valid(w, "main");
        let list = pages(w, "graph_conflicts", json!({"into": "main"}), "conflicts");
        let mut keys: Vec<&str> = list.iter().map(|conflict| conflict["key"].as_str().unwrap()).collect();
        keys.sort_unstable();
        assert_eq!(keys, ["a", "b|r|c"]);
        for conflict in &list {
            let id = &conflict["conflict_id"];
            let done = w.call("graph_conflict_resolve", json!({"conflict_id": id, "resolution": "use_from"}));
            match conflict["kind"].as_str().unwrap() {
                "node" => assert!(done.is_ok()),
                _ => assert!(matches!(done, Err(MemoryError::ConflictNeedsNode { .. }))),
            }
            assert_valid(w, "main");
        }
    });
}

#[test]
fn all_conflicts_of_one_merge_are_reachable_page_by_page() {
    on_every_store(|w| {
        let names: Vec<String> = (0..9).map(|at| format!("n{at}")).collect();
        let all = |suffix: &str| json!(names.iter().map(|id| node(id, suffix)).collect::<Vec<_>>());
        apply(w, "main", all("base"));
        w.ok("branch_create", json!({"name": "f"}));
        apply(w, "f", all("theirs"));
        apply(w, "main", all("ours"));
        let mut cursor = json!(null);
        let mut created = 0;
        loop {
            let page =
                w.ok("graph_merge", json!({"from": "f", "into": "main", "limit": 2, "cursor": cursor}));
            created += page["conflicts_created"].as_u64().unwrap();
            if page["pagination"]["has_more"] == json!(false) {
                break;
            }
            cursor = page["pagination"]["next_cursor"].clone();
        }
        assert_eq!(created, 9);
        for arguments in [json!({"into": "main", "limit": 2}), json!({"into": "main", "max_chars": 300})] {
            let list = pages(w, "graph_conflicts", arguments, "conflicts");
            let mut keys = column(&list, "key");
            keys.sort_by_key(|key| key.to_string());
            assert_eq!(keys, names.iter().map(|name| json!(name)).collect::<Vec<_>>());
        }
    });
}

#[test]
fn the_only_graph_document_of_a_branch_is_meant_when_none_is_named() {
    on_every_store(|w| {
        w.ok("branch_create", json!({"name": "f"}));
        assert!(matches!(
            w.refused("graph_diff", json!({"from": "main", "to": "f"})),
            MemoryError::NoGraphDoc { .. }
        ));
        apply(w, "f", json!([node("a", "A")]));
        assert_eq!(w.ok("graph_merge", json!({"from": "f", "into": "main"}))["merged"], 1);
        assert_eq!(w.ok("graph_query", json!({"branch": "f"}))["doc"], "g");
        w.ok("graph_apply", json!({"branch": "f", "doc": "second", "ops": [node("b", "B")]}));
        let refusal = w.refused("graph_merge", json!({"from": "f", "into": "main"}));
        let MemoryError::SeveralGraphDocs { docs, .. } = refusal else { panic!("{refusal}") };
        assert_eq!(docs.iter().map(|doc| doc.as_str()).collect::<Vec<_>>(), ["g", "second"]);
    });
}

#[test]
fn edges_that_were_left_out_are_counted_and_can_be_had() {
    on_every_store(|w| {
        let mut ops = vec![
            json!({"op": "node_upsert", "id": "a", "type": "t"}),
            json!({"op": "node_upsert", "id": "b", "type": "t"}),
        ];
        ops.extend(
            (0..10).map(|at| json!({"op": "edge_upsert", "from": "a", "rel": format!("r{at}"), "to": "b"})),
        );
        w.ok("graph_apply", json!({"branch": "main", "doc": "g", "ops": ops}));
        let mut asked = json!({"branch": "main", "doc": "g", "edges_limit": 4});
        let mut found = Vec::new();
        for left in [6, 2, 0] {
            let page = w.ok("graph_query", asked.clone());
            found.extend(
                page["edges"].as_array().unwrap().iter().map(|edge| edge["rel"].as_str().unwrap().to_owned()),
            );
            assert_eq!(page["edges_dropped"].as_u64().unwrap_or(0), left, "{page}");
            assert_eq!(page["truncated"], left > 0);
            asked["edges_cursor"] = page["next_edges_cursor"].clone();
        }
        assert_eq!(asked["edges_cursor"], json!(null));
        found.sort();
        assert_eq!(found, (0..10).map(|at| format!("r{at}")).collect::<Vec<_>>());
        let (nodes, edges) = whole_graph(w, json!({"branch": "main", "doc": "g", "max_chars": 500}));
        assert_eq!((nodes.len(), edges.len()), (2, 10));
    });
}

#[test]
fn every_edge_is_reached_once_whatever_the_budget_and_the_limits() {
    on_every_store(|w| {
        let mut ops: Vec<Value> = (0..8).map(|at| node(&format!("k{at}"), "0")).collect();
        ops.extend((0..64).map(|at| edge(&format!("k{}", at / 8), &format!("k{}", at % 8))));
        apply(w, "main", json!(ops));
        for limits in [
            json!({"max_chars": 300}),
            json!({"max_chars": 600}),
            json!({"max_chars": 2_500}),
            json!({"limit": 3}),
            json!({"limit": 1, "edges_limit": 1}),
            json!({"edges_limit": 5, "max_chars": 1_500}),
            json!({"edges_limit": 50, "max_chars": 3_500}),
            json!({"ids": ["k0", "k3", "k5"], "limit": 2, "edges_limit": 2}),
        ] {
            let mut wish = json!({"branch": "main", "doc": "g"});
            wish.as_object_mut().unwrap().extend(limits.as_object().unwrap().clone());
            let (nodes, edges) = whole_graph(w, wish);
            let count = if limits.get("ids").is_some() { 3 } else { 8 };
            let ends = |edge: &Value| format!("{}{}", edge["from"], edge["to"]);
            let distinct: std::collections::BTreeSet<String> = edges.iter().map(ends).collect();
            assert_eq!(
                (nodes.len(), edges.len(), distinct.len()),
                (count, count * count, count * count),
                "{limits}"
            );
        }
    });
}

#[test]
fn tombstones_of_edges_are_listed_with_those_of_nodes() {
    on_every_store(|w| {
        let ops = json!([
            {"op": "node_upsert", "id": "a", "type": "t"},
            {"op": "node_upsert", "id": "b", "type": "t"},
            {"op": "edge_upsert", "from": "a", "rel": "r", "to": "b"},
            {"op": "edge_upsert", "from": "b", "rel": "s", "to": "a"},
        ]);
        w.ok("graph_apply", json!({"branch": "main", "doc": "g", "ops": ops}));
        w.ok("graph_apply", json!({"branch": "main", "doc": "g", "ops": [{"op": "edge_delete", "from": "a", "rel": "r", "to": "b"}]}));
        let edges = |deleted: bool| {
            let out = w.ok("graph_query", json!({"branch": "main", "include_deleted": deleted}));
            let edges = out["edges"].as_array().unwrap().iter();
            edges
                .map(|edge| format!("{} {}", edge["rel"].as_str().unwrap(), edge["deleted"]))
                .collect::<Vec<_>>()
        };
        assert_eq!(edges(false), ["s false"]);
        assert_eq!(edges(true), ["r true", "s false"]);
        w.ok("graph_apply", json!({"branch": "main", "doc": "g", "ops": [{"op": "node_delete", "id": "b"}]}));
        assert_eq!(edges(false), Vec::<String>::new());
        assert_eq!(edges(true), ["s true", "r true"]);
    });
}

#[test]
fn a_refusal_names_no_node_that_it_undoes() {
    on_every_store(|w| {
        let node = |id: &str| json!({"op": "node_upsert", "id": id, "type": "t"});
        let delete = |id: &str| json!({"op": "node_delete", "id": id});
        w.ok("graph_apply", json!({"branch": "main", "doc": "g", "ops": [node("cache")]}));
        let refused = |doc: &str, ops: Value| {
            let said = w.refused("graph_apply", json!({"branch": "main", "doc": doc, "ops": ops}));
            let MemoryError::NodeUnknown { nearest, .. } = said else { panic!("{said}") };
            nearest
        };
        assert_eq!(refused("g", json!([node("cachet"), delete("cached")])), ["cache"]);
        assert_eq!(refused("g", json!([delete("cache"), delete("cached")])), ["cache"]);
        assert_eq!(refused("new", json!([node("cachet"), delete("cached")])), Vec::<String>::new());
    });
}

#[test]
fn an_empty_list_narrows_nothing() {
    on_every_store(|w| {
        let op = json!({"op": "node_upsert", "id": "x", "type": "idea", "title": "x"});
        w.ok("graph_apply", json!({"branch": "main", "doc": "g", "ops": [op]}));
        for list in ["ids", "types", "tags_any", "tags_all"] {
            let found = w.ok("graph_query", json!({"branch": "main", "doc": "g", list: []}));
            assert_eq!(found["nodes"].as_array().map(Vec::len), Some(1), "{list}");
        }
    });
}
