//! Merging notes: each once, in order, whatever the route.

use m1nd_memory::MemoryError;
use serde_json::{Value, json};

use crate::world::{World, on_every_store, pages, texts};

fn note(w: &World, branch: &str, text: &str) {
    w.ok("notes_commit", json!({"branch": branch, "doc": "notes", "content": text}));
}

fn shown(w: &World, branch: &str) -> Vec<String> {
    let mut out = texts(&pages(w, "show", json!({"branch": branch, "doc": "notes"}), "entries"));
    out.reverse();
    out
}

fn merge(w: &World, from: &str, into: &str) -> (u64, u64) {
    let out = w.ok("merge", json!({"from": from, "into": into}));
    (out["merged"].as_u64().unwrap(), out["skipped"].as_u64().unwrap())
}

#[test]
fn merging_twice_changes_nothing() {
    on_every_store(|w| {
        note(w, "main", "m1");
        w.ok("branch_create", json!({"name": "a"}));
        note(w, "a", "a1");
        note(w, "a", "a2");
        assert_eq!(merge(w, "a", "main"), (2, 0));
        assert_eq!(merge(w, "a", "main"), (0, 2));
        assert_eq!(shown(w, "main"), ["m1", "a1", "a2"]);
        let copy = &w.ok("show", json!({"branch": "main", "doc": "notes"}))["entries"][0];
        assert_eq!((&copy["origin"]["branch"], &copy["origin"]["seq"]), (&json!("a"), &json!(3)));
        assert_eq!(copy["source_event_id"], "merge:a:3");
        assert_eq!(copy.get("meta"), None);
    });
}

#[test]
fn a_diamond_does_not_double_notes() {
    on_every_store(|w| {
        for name in ["a", "b"] {
            w.ok("branch_create", json!({"name": name, "from": "main"}));
        }
        note(w, "a", "x");
        assert_eq!(merge(w, "a", "b"), (1, 0));
        assert_eq!(merge(w, "a", "main"), (1, 0));
        assert_eq!(merge(w, "b", "main"), (0, 1));
        assert_eq!(shown(w, "main"), ["x"]);
    });
}

#[test]
fn ping_pong_stops_after_the_first_round() {
    on_every_store(|w| {
        w.ok("branch_create", json!({"name": "a"}));
        note(w, "a", "a1");
        note(w, "main", "m1");
        assert_eq!(merge(w, "a", "main"), (1, 0));
        assert_eq!(merge(w, "main", "a"), (1, 1));
        for _ in 0..3 {
            assert_eq!(merge(w, "a", "main").0, 0);
            assert_eq!(merge(w, "main", "a").0, 0);
        }
        assert_eq!(shown(w, "a"), ["a1", "m1"]);
        assert_eq!(shown(w, "main"), ["m1", "a1"]);
    });
}

#[test]
fn a_copy_that_a_fork_inherits_counts_as_there() {
    on_every_store(|w| {
        w.ok("branch_create", json!({"name": "a"}));
        note(w, "a", "x");
        merge(w, "a", "main");
        w.ok("branch_create", json!({"name": "later", "from": "main"}));
        assert_eq!(merge(w, "a", "later"), (0, 1));
    });
}

#[test]
fn a_paged_merge_keeps_the_order_of_the_source() {
    on_every_store(|w| {
        w.ok("branch_create", json!({"name": "a"}));
        w.ok("branch_create", json!({"name": "b", "from": "a"}));
        let texts: Vec<String> = (0..11).map(|at| format!("n{at}")).collect();
        for text in &texts {
            note(w, "b", text);
        }
        let mut cursor = json!(null);
        let mut merged = 0;
        loop {
            let page = w.ok("merge", json!({"from": "b", "into": "main", "limit": 3, "cursor": cursor}));
            merged += page["merged"].as_u64().unwrap();
            if page["pagination"]["has_more"] == json!(false) {
                break;
            }
            cursor = page["pagination"]["next_cursor"].clone();
        }
        assert_eq!(merged, 11);
        assert_eq!(shown(w, "main"), texts);
    });
}

#[test]
fn a_dry_run_tells_and_writes_nothing() {
    on_every_store(|w| {
        w.ok("branch_create", json!({"name": "a"}));
        note(w, "a", "x");
        let out = w.ok("merge", json!({"from": "a", "into": "main", "dry_run": true}));
        assert_eq!(out["merged"], 1);
        assert_eq!(shown(w, "main"), [""; 0]);
        assert_eq!(w.ok("status", json!({}))["last_seq"], 1);
    });
}

#[test]
fn only_notes_are_merged() {
    on_every_store(|w| {
        w.ok("tasks_create", json!({"title": "p"}));
        w.ok(
            "think_card",
            json!({"target": "PLAN-001", "card": {"id": "c", "type": "note", "text": "card"}}),
        );
        let out = w.ok("merge", json!({"from": "plan/PLAN-001", "into": "main", "doc": "PLAN-001-trace"}));
        assert_eq!((&out["merged"], &out["skipped"]), (&json!(1), &json!(0)));
    });
}

#[test]
fn what_was_merged_is_no_difference_any_more() {
    on_every_store(|w| {
        let diff = |from: &str, to: &str| {
            texts(&pages(w, "diff", json!({"from": from, "to": to, "limit": 1}), "entries"))
        };
        for name in ["a", "b"] {
            w.ok("branch_create", json!({"name": name, "from": "main"}));
        }
        (0..5).for_each(|number| note(w, "a", &format!("a{number}")));
        assert_eq!(diff("main", "a").len(), 5);
        w.ok("merge", json!({"from": "a", "into": "main", "limit": 3}));
        assert_eq!(diff("main", "a"), ["a4", "a3"]);
        w.ok("merge", json!({"from": "a", "into": "main"}));
        w.ok("merge", json!({"from": "a", "into": "b"}));
        note(w, "b", "b0");
        assert_eq!(diff("main", "a"), [""; 0]);
        assert_eq!(diff("a", "main"), [""; 0], "copies are no news to where they came from");
        assert_eq!(diff("main", "b"), ["b0"], "nor to where they came another way");
    });
}

#[test]
fn a_conflict_over_newer_versions_takes_the_place_of_one_over_older() {
    on_every_store(|w| {
        put(w, "main", "base");
        w.ok("branch_create", json!({"name": "try", "from": "main"}));
        put(w, "try", "theirs");
        let merge = || w.ok("graph_merge", json!({"from": "try", "into": "main"}))["conflict_ids"][0].clone();
        let shown = |id: &Value| w.ok("graph_conflict_show", json!({"conflict_id": id}))["conflict"].clone();
        let found: Vec<Value> = ["ours", "ours again", "ours still"]
            .into_iter()
            .map(|title| {
                put(w, "main", title);
                merge()
            })
            .collect();
        // What nobody decided is asked again, and only the newest is open.
        let open = w.ok("graph_conflicts", json!({"into": "main", "status": "open"}))["conflicts"].clone();
        assert_eq!(open[0]["conflict_id"], found[2]);
        assert_eq!(open.as_array().unwrap().len(), 1, "{open}");
        let newest = found[2].as_str().unwrap();
        assert_eq!(shown(&found[1])["resolution"], format!("superseded by {newest}"));
        w.ok("graph_conflict_resolve", json!({"conflict_id": newest, "resolution": "use_from"}));
        assert_eq!(merge(), json!(null));
        put(w, "main", "ours after that");
        assert_eq!(merge(), json!(null));
    });
}

/// Writes node `n` of document `g`.
fn put(w: &World, branch: &str, title: &str) {
    let ops = json!([{"op": "node_upsert", "id": "n", "type": "idea", "title": title}]);
    w.ok("graph_apply", json!({"branch": branch, "doc": "g", "ops": ops}));
}

fn merge_graph(w: &World) -> (u64, u64, u64) {
    let out = w.ok("graph_merge", json!({"from": "b", "into": "main"}));
    let count = |field: &str| out[field].as_u64().unwrap();
    (count("merged"), count("skipped"), count("conflicts_created"))
}

#[test]
fn what_was_merged_once_is_not_disputed_when_the_base_goes_on() {
    on_every_store(|w| {
        put(w, "main", "base");
        w.ok("branch_create", json!({"name": "b"}));
        put(w, "b", "theirs");
        assert_eq!(merge_graph(w), (1, 0, 0));
        put(w, "main", "went on");
        assert_eq!(merge_graph(w), (0, 1, 0), "the branch has said nothing new");
        put(w, "b", "news");
        assert_eq!(merge_graph(w), (0, 0, 1), "now both have");
    });
}

#[test]
fn a_change_that_was_taken_back_or_made_on_both_sides_is_no_conflict() {
    on_every_store(|w| {
        put(w, "main", "base");
        w.ok("branch_create", json!({"name": "b"}));
        put(w, "b", "tried");
        put(w, "b", "base");
        put(w, "main", "ours");
        assert_eq!(merge_graph(w), (0, 1, 0));
        put(w, "b", "same");
        put(w, "main", "same");
        assert_eq!(merge_graph(w), (0, 1, 0));
    });
}

#[test]
fn what_was_settled_is_not_asked_again_when_the_base_goes_on() {
    on_every_store(|w| {
        put(w, "main", "base");
        w.ok("branch_create", json!({"name": "b"}));
        put(w, "b", "theirs");
        put(w, "main", "ours");
        let found = w.ok("graph_merge", json!({"from": "b", "into": "main"}));
        let id = &found["conflict_ids"][0];
        let again = w.ok("graph_merge", json!({"from": "b", "into": "main"}));
        assert_eq!((&again["conflicts_created"], &again["still_open"]), (&json!(0), &json!([id])));
        w.ok("graph_conflict_resolve", json!({"conflict_id": id, "resolution": "use_into"}));
        put(w, "main", "went on");
        assert_eq!(merge_graph(w), (0, 1, 0));
        let last = w.ok("graph_merge", json!({"from": "b", "into": "main", "dry_run": true}));
        assert_eq!((last.get("still_open"), &last["dry_run"]), (None, &json!(true)));
        put(w, "b", "news");
        assert_eq!(merge_graph(w), (0, 0, 1));
    });
}

#[test]
fn a_conflict_that_the_sides_grew_out_of_is_closed_by_the_next_merge() {
    on_every_store(|w| {
        let open = || {
            w.ok("graph_conflicts", json!({"into": "main", "doc": "g", "status": "open"}))["conflicts"]
                .clone()
        };
        put(w, "main", "base");
        w.ok("branch_create", json!({"name": "b"}));
        put(w, "b", "theirs");
        put(w, "main", "ours");
        assert_eq!(merge_graph(w), (0, 0, 1));
        let id = open()[0]["conflict_id"].clone();
        put(w, "main", "theirs");
        assert_eq!(merge_graph(w), (0, 1, 0));
        assert_eq!(open(), json!([]));
        let shown = w.ok("graph_conflict_show", json!({"conflict_id": id}));
        assert_eq!(shown["conflict"]["resolution"], "agreed");
        put(w, "main", "went on");
        assert_eq!(merge_graph(w), (0, 1, 0));
    });
}

#[test]
fn what_both_came_to_say_by_themselves_settles_nothing_until_a_merge_sees_it() {
    on_every_store(|w| {
        put(w, "main", "base");
        w.ok("branch_create", json!({"name": "b"}));
        put(w, "b", "one");
        put(w, "main", "one");
        put(w, "b", "two");
        assert_eq!(merge_graph(w), (0, 0, 1), "both changed it since the cut, and not to the same");
        put(w, "b", "one");
        assert_eq!(merge_graph(w), (0, 1, 0), "now a merge has seen it");
        put(w, "b", "two");
        assert_eq!(merge_graph(w), (1, 0, 0));
    });
}

#[test]
fn a_conflict_that_another_took_the_place_of_is_open_again_when_that_one_ends() {
    on_every_store(|w| {
        let node = |id: &str| json!({"op": "node_upsert", "id": id, "type": "x"});
        let edge = |from: &str| json!({"op": "edge_upsert", "from": from, "rel": "r", "to": "b"});
        let apply = |branch: &str, ops: Value| {
            w.ok("graph_apply", json!({"branch": branch, "doc": "g", "ops": ops}));
        };
        apply("main", json!([node("a"), node("b"), node("c")]));
        w.ok("branch_create", json!({"name": "f"}));
        apply("f", json!([{"op": "node_delete", "id": "b"}]));
        apply("main", json!([edge("a")]));
        let merge = || w.ok("graph_merge", json!({"from": "f", "into": "main", "doc": "g"}));
        let first = merge()["conflict_ids"][0].clone();
        apply("main", json!([edge("c")]));
        let second = merge()["conflict_ids"][0].clone();
        apply("main", json!([{"op": "edge_delete", "from": "c", "rel": "r", "to": "b"}]));
        assert_eq!(merge()["conflict_ids"], json!([first]));
        assert_eq!(merge()["still_open"], json!([first]));
        let shown = w.ok("graph_conflict_show", json!({"conflict_id": second}))["conflict"].clone();
        assert_eq!(shown["resolution"], format!("superseded by {}", first.as_str().unwrap()));
        w.ok("graph_conflict_resolve", json!({"conflict_id": first, "resolution": "use_from"}));
    });
}

#[test]
fn what_was_merged_is_where_the_next_merge_starts() {
    on_every_store(|w| {
        put(w, "main", "base");
        w.ok("branch_create", json!({"name": "b"}));
        put(w, "b", "one");
        assert_eq!(merge_graph(w), (1, 0, 0));
        put(w, "b", "two");
        assert_eq!(merge_graph(w), (1, 0, 0));
        put(w, "main", "three");
        assert_eq!(merge_graph(w), (0, 1, 0), "the branch has said nothing new");
        put(w, "b", "four");
        assert_eq!(merge_graph(w), (0, 0, 1));
    });
}

#[test]
fn an_edge_that_came_after_a_conflict_is_not_deleted_with_its_node() {
    on_every_store(|w| {
        let node = |id: &str| json!({"op": "node_upsert", "id": id, "type": "x"});
        let edge = |from: &str| json!({"op": "edge_upsert", "from": from, "rel": "r", "to": "b"});
        let apply = |branch: &str, ops: serde_json::Value| {
            w.ok("graph_apply", json!({"branch": branch, "doc": "g", "ops": ops}));
        };
        apply("main", json!([node("a"), node("b"), node("c"), node("d"), edge("a")]));
        w.ok("branch_create", json!({"name": "f"}));
        apply("f", json!([{"op": "node_delete", "id": "b"}]));
        apply("main", json!([edge("c")]));
        let merge = || w.ok("graph_merge", json!({"from": "f", "into": "main", "doc": "g"}));
        let first = merge()["conflict_ids"][0].clone();
        apply("main", json!([edge("d")]));
        let take = |id: &serde_json::Value| json!({"conflict_id": id, "resolution": "use_from"});
        let refused = w.refused("graph_conflict_resolve", take(&first));
        let MemoryError::ConflictStale { edges, .. } = refused else { panic!("{refused}") };
        let ends: Vec<&str> = edges.iter().map(|edge| edge["from"].as_str().unwrap()).collect();
        assert_eq!(ends, ["d", "c", "a"], "the newest first");
        let again = merge();
        assert_eq!(again["conflicts_created"], 1, "{again}");
        assert_eq!(merge()["conflicts_created"], 0);
        let shown = w.ok("graph_conflict_show", json!({"conflict_id": first}))["conflict"].clone();
        assert_eq!((&shown["status"], &shown["base"]["id"]), (&json!("resolved"), &json!("b")));
        w.ok("graph_conflict_resolve", take(&again["conflict_ids"][0]));
        let left = w.ok("graph_query", json!({"branch": "main", "doc": "g"}));
        assert_eq!((left["nodes"].as_array().unwrap().len(), &left["edges"]), (3, &json!([])));
    });
}

#[test]
fn a_conflict_shows_its_three_states_even_where_one_is_nothing() {
    on_every_store(|w| {
        w.ok("branch_create", json!({"name": "b"}));
        put(w, "b", "theirs");
        put(w, "main", "ours");
        let id = w.ok("graph_merge", json!({"from": "b", "into": "main"}))["conflict_ids"][0].clone();
        let shown = w.ok("graph_conflict_show", json!({"conflict_id": id}))["conflict"].clone();
        assert!(shown.as_object().unwrap().contains_key("base") && shown["base"].is_null(), "{shown}");
        assert_eq!((&shown["theirs"]["title"], &shown["ours"]["title"]), (&json!("theirs"), &json!("ours")));
    });
}

#[test]
fn a_merge_looks_past_what_it_brought_before() {
    on_every_store(|w| {
        w.ok("branch_create", json!({"name": "b"}));
        let note = |at: usize| {
            let content = format!("note {at}");
            w.ok("notes_commit", json!({"branch": "b", "doc": "notes", "content": content}));
        };
        (0..5).for_each(note);
        let merge = || w.ok("merge", json!({"from": "b", "into": "main", "limit": 2}));
        let [first, second, third] = [merge(), merge(), merge()];
        assert_eq!((&first["merged"], &first["skipped"]), (&json!(2), &json!(0)));
        assert_eq!((&second["merged"], &second["skipped"]), (&json!(2), &json!(2)));
        assert_eq!((&third["merged"], &third["skipped"]), (&json!(1), &json!(4)));
        assert_eq!(third["pagination"]["has_more"], false);
    });
}

#[test]
fn a_branch_that_goes_back_to_what_was_merged_before_has_news() {
    on_every_store(|w| {
        put(w, "main", "open");
        w.ok("branch_create", json!({"name": "b"}));
        put(w, "b", "closed");
        assert_eq!(merge_graph(w), (1, 0, 0));
        put(w, "main", "open");
        put(w, "b", "open");
        assert_eq!(merge_graph(w), (0, 1, 0));
        put(w, "b", "closed");
        assert_eq!(merge_graph(w), (1, 0, 0), "only the branch changed since they agreed");
    });
}

#[test]
fn what_was_agreed_on_is_no_answer_to_a_later_dispute() {
    on_every_store(|w| {
        put(w, "main", "base");
        w.ok("branch_create", json!({"name": "b"}));
        put(w, "b", "e");
        put(w, "main", "c");
        assert_eq!(merge_graph(w), (0, 0, 1));
        put(w, "b", "c");
        assert_eq!(merge_graph(w), (0, 1, 0));
        put(w, "main", "f");
        put(w, "b", "e");
        assert_eq!(merge_graph(w), (0, 0, 1), "both changed since they agreed");
    });
}

#[test]
fn an_edge_stays_with_the_node_that_the_destination_keeps() {
    on_every_store(|w| {
        let apply = |branch: &str, ops: Value| {
            w.ok("graph_apply", json!({"branch": branch, "doc": "g", "ops": ops}));
        };
        let edges = || {
            let found = w.ok("graph_query", json!({"branch": "main", "doc": "g"}))["edges"].clone();
            found.as_array().unwrap().len()
        };
        let node =
            |id: &str, title: &str| json!({"op": "node_upsert", "id": id, "type": "t", "title": title});
        let edge =
            |meta: Value| json!({"op": "edge_upsert", "from": "y", "rel": "r", "to": "k", "meta": meta});
        apply("main", json!([node("y", "y"), node("k", "k"), edge(json!({}))]));
        w.ok("branch_create", json!({"name": "b", "from": "main"}));
        apply("b", json!([{"op": "node_delete", "id": "k"}]));
        apply("main", json!([node("k", "changed")]));
        let merge = || w.ok("graph_merge", json!({"from": "b", "into": "main", "doc": "g"}));
        let out = merge();
        assert_eq!((&out["merged"], &out["conflicts_created"]), (&json!(0), &json!(1)), "{out}");
        assert_eq!(edges(), 1, "nobody has decided over the node yet");
        let id = out["conflict_ids"][0].clone();
        w.ok("graph_conflict_resolve", json!({"conflict_id": id, "resolution": "use_into"}));
        // What was settled for the node is settled for its edge, whatever the destination makes of it.
        apply("main", json!([edge(json!({"why": "it holds"}))]));
        let again = merge();
        assert_eq!((&again["merged"], &again["conflicts_created"]), (&json!(0), &json!(0)), "{again}");
        assert_eq!(edges(), 1);
    });
}

#[test]
fn a_rehearsal_of_notes_says_that_it_was_one() {
    on_every_store(|w| {
        w.ok("branch_create", json!({"name": "b"}));
        w.ok("notes_commit", json!({"branch": "b", "doc": "notes", "content": "x"}));
        let told = w.ok("merge", json!({"from": "b", "into": "main", "dry_run": true}));
        assert_eq!((&told["merged"], &told["dry_run"]), (&json!(1), &json!(true)));
        let done = w.ok("merge", json!({"from": "b", "into": "main"}));
        assert_eq!((&done["merged"], done.get("dry_run")), (&json!(1), None));
    });
}

#[test]
fn a_conflict_that_the_branch_took_back_is_called_withdrawn() {
    on_every_store(|w| {
        put(w, "main", "base");
        w.ok("branch_create", json!({"name": "b"}));
        put(w, "b", "theirs");
        put(w, "main", "ours");
        let id = w.ok("graph_merge", json!({"from": "b", "into": "main"}))["conflict_ids"][0].clone();
        put(w, "b", "base");
        assert_eq!(merge_graph(w), (0, 1, 0));
        let shown = w.ok("graph_conflict_show", json!({"conflict_id": id}));
        assert_eq!(shown["conflict"]["resolution"], "withdrawn");
    });
}
