//! What somebody meets who tries the tools for the first time.

use m1nd_memory::MemoryError;
use serde_json::{Value, json};

use crate::world::{World, column, on_every_store};

fn card(w: &World, id: &str, more: Value) -> Value {
    let card = json!({"id": id, "type": "decision", "title": id});
    let mut arguments = json!({"branch": "main", "trace_doc": "t", "graph_doc": "g", "card": card});
    arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    arguments["workspace"] = json!("w");
    w.ok("think_card", arguments)
}

#[test]
fn anchors_inside_a_card_are_anchors() {
    on_every_store(|w| {
        for place in ["src/a.rs", "src/b.rs", "function::src/c.rs::run"] {
            w.code.0.lock().insert(place.to_owned(), "v1".to_owned());
        }
        let of = |card: Value| {
            w.ok(
                "think_card",
                json!({"branch": "main", "trace_doc": "t", "graph_doc": "g", "card": card,
                                      "anchors": [{"path": "src/b.rs"}]}),
            );
            let node =
                w.ok("graph_query", json!({"branch": "main", "doc": "g", "limit": 1}))["nodes"][0].clone();
            assert_eq!(node.get("meta"), None, "{node}");
            let anchors = node["anchors"].as_array().unwrap().clone();
            anchors.iter().map(|a| a.get("path").unwrap_or(&a["node_id"]).clone()).collect::<Vec<_>>()
        };
        let objects = json!([{"path": "src/a.rs"}]);
        assert_eq!(
            of(json!({"id": "1", "type": "note", "title": "x", "anchors": objects})),
            ["src/a.rs", "src/b.rs"]
        );
        let lines = "id: 2\ntype: note\ntitle: x\nanchors: src/a.rs, function::src/c.rs::run";
        assert_eq!(of(json!(lines)), ["src/a.rs", "function::src/c.rs::run", "src/b.rs"]);
        for bad in [json!([{"file": "src/a.rs"}]), json!([7]), json!(7)] {
            let card = json!({"id": "3", "type": "note", "title": "x", "anchors": bad});
            w.refused(
                "think_card",
                json!({"branch": "main", "trace_doc": "t", "graph_doc": "g", "card": card}),
            );
        }
    });
}

#[test]
fn what_superseded_a_card_is_newer_than_it_and_never_in_a_circle() {
    on_every_store(|w| {
        card(w, "d3", json!({}));
        card(w, "d2", json!({"supersedes": ["d3"]}));
        card(w, "d1", json!({}));
        // Said later, of a card that is there already.
        card(w, "d1", json!({"supersedes": ["d2"], "update": true}));
        let out = w.ok("think_context", json!({"branch": "main", "graph_doc": "g"}));
        assert_eq!(column(out["cards"].as_array().unwrap(), "id"), ["d1", "d2", "d3"]);
        let again = card(w, "d1", json!({"supersedes": ["d2"]}));
        assert_eq!(again["inserted"], false);
        let d3 = json!({"id": "d3", "type": "decision", "title": "d3"});
        let circle =
            json!({"branch": "main", "trace_doc": "t", "graph_doc": "g", "card": d3, "supersedes": ["d1"]});
        assert!(w.refused("think_card", circle).to_string().contains("d1 superseded d3 already"));
    });
}

#[test]
fn another_spelling_of_an_id_is_told_the_right_one() {
    on_every_store(|w| {
        w.ok("tasks_create", json!({"title": "t", "kind": "task"}));
        for given in ["task-001", "TASK-1", "Task-0001"] {
            let said = w.refused("tasks_radar", json!({"task": given}));
            let MemoryError::TargetUnknown { id, nearest, .. } = said else { panic!("{said}") };
            assert_eq!((id.as_str(), nearest), (given, vec!["TASK-001".to_owned()]));
        }
        let said = w.refused("show", json!({"target": "TASK-9"}));
        assert!(matches!(said, MemoryError::TargetUnknown { .. }), "{said}");
        assert!(matches!(w.refused("show", json!({"target": "x"})), MemoryError::Invalid { .. }));
        let said = w.refused("tasks_done", json!({"step_id": "STEP-00000000"}));
        assert_eq!(said.to_string(), "step STEP-00000000 does not exist in this workspace");
        let said = w.refused("tasks_edit", json!({"task": "TASK-001"}));
        assert!(matches!(said, MemoryError::NothingToChange { .. }), "{said}");
    });
}

#[test]
fn search_finds_steps_criteria_and_tags_and_notes_about_a_file() {
    on_every_store(|w| {
        let node = "method::httpx/_client.py::Client::send";
        w.code.0.lock().insert(node.to_owned(), "v1".to_owned());
        let steps = json!([{"title": "measure walrus", "success_criteria": ["pelican figure"]}]);
        w.ok("tasks_create", json!({"title": "t", "kind": "task", "steps": steps}));
        w.ok(
            "tasks_decompose",
            json!({"task": "TASK-001", "steps": [{"title": "ostrich", "success_criteria": ["x"]}]}),
        );
        card(w, "c1", json!({"card": {"id": "c1", "type": "note", "title": "c", "tags": ["flamingo"]}}));
        w.ok("notes_commit", json!({"branch": "main", "doc": "notes", "content": "about sending", "anchors": [{"node_id": node}]}));
        let ids =
            |arguments: Value| column(w.ok("memory_search", arguments)["hits"].as_array().unwrap(), "id");
        for (word, id) in
            [("walrus", "TASK-001"), ("pelican", "TASK-001"), ("ostrich", "TASK-001"), ("flamingo", "c1")]
        {
            assert_eq!(ids(json!({"query": word})), [id], "{word}");
        }
        assert_eq!(ids(json!({"query": "sending", "anchors": ["httpx/_client.py"]})).len(), 1);
        assert_eq!(ids(json!({"query": "sending", "anchors": ["httpx/_api.py"]})).len(), 0);
        assert_eq!(ids(json!({"query": "sending", "since": "2020-01-01"})).len(), 1);
        assert_eq!(ids(json!({"query": "sending", "since": "2027-01-01"})).len(), 0);
        let hit = w.ok("memory_search", json!({"query": "pelican"}))["hits"][0]["snippet"].clone();
        assert!(hit.as_str().unwrap().contains("pelican figure"), "{hit}");
    });
}

#[test]
fn a_conflict_over_an_edge_without_its_node_says_so_and_can_be_settled_both_ways() {
    on_every_store(|w| {
        let apply = |branch: &str, ops: Value| {
            w.ok("graph_apply", json!({"branch": branch, "doc": "g", "ops": ops}));
        };
        let node = |id: &str| json!({"op": "node_upsert", "id": id, "type": "idea", "title": id});
        apply("main", json!([node("a"), node("k"), node("m")]));
        w.ok("branch_create", json!({"name": "bold"}));
        apply(
            "bold",
            json!([{"op": "edge_upsert", "from": "a", "rel": "needs", "to": "k"}, {"op": "node_delete", "id": "m"}]),
        );
        apply(
            "main",
            json!([{"op": "node_delete", "id": "k"}, {"op": "edge_upsert", "from": "a", "rel": "needs", "to": "m"}]),
        );
        let merged = w.ok("graph_merge", json!({"from": "bold", "into": "main"}));
        assert_eq!(merged["conflicts_created"], 2, "{merged}");
        let shown: Vec<Value> = merged["conflict_ids"]
            .as_array()
            .unwrap()
            .iter()
            .map(|id| w.ok("graph_conflict_show", json!({"conflict_id": id}))["conflict"].clone())
            .collect();
        let of = |kind: &str| shown.iter().find(|conflict| conflict["kind"] == kind).unwrap();
        let edge = of("edge");
        assert_eq!(edge["missing_nodes"], json!(["k"]));
        assert!(edge["what"].as_str().unwrap().contains("main has no node k any more"), "{edge}");
        let deleted = of("node");
        assert_eq!(deleted["edges_at_node"], json!(["a|needs|m"]));
        assert!(deleted["what"].as_str().unwrap().starts_with("bold deleted the node m"), "{deleted}");

        let settle = json!({"conflict_id": edge["conflict_id"], "resolution": "use_from"});
        let said = w.refused("graph_conflict_resolve", settle.clone());
        assert!(matches!(&said, MemoryError::ConflictNeedsNode { missing, .. } if missing == "k"), "{said}");
        // What the refusal advises works.
        apply("main", json!([node("k")]));
        assert_eq!(w.ok("graph_conflict_resolve", settle)["applied"], true);
        w.ok(
            "graph_conflict_resolve",
            json!({"conflict_id": deleted["conflict_id"], "resolution": "use_from"}),
        );
        assert_eq!(w.ok("graph_validate", json!({"branch": "main", "doc": "g"}))["ok"], true);
        let left = w.ok("graph_conflict_show", json!({"conflict_id": edge["conflict_id"]}));
        assert_eq!(left["conflict"].get("what"), None);
    });
}

#[test]
fn what_changes_nothing_makes_no_workspace_of_a_mistyped_name() {
    on_every_store(|w| {
        w.ok("notes_commit", json!({"branch": "main", "doc": "notes", "content": "hi"}));
        w.switch("W");
        w.ok("tasks_focus_clear", json!({}));
        w.ok("checkout", json!({"ref": "main"}));
        w.ok("merge", json!({"from": "main", "into": "main"}));
        let branches = w.ok("branch_list", json!({}))["branches"].clone();
        assert_eq!(branches, json!([{"name": "main", "current": true}]));
        assert_eq!(m1nd_memory::workspace::names(&w.ports()).unwrap(), ["w"]);
        let near = m1nd_memory::workspace::elsewhere(&w.ports(), "ww").unwrap();
        assert_eq!(near, Some(vec!["w".to_owned()]));
        assert_eq!(m1nd_memory::workspace::elsewhere(&w.ports(), "w").unwrap(), None);
        // The same where there is something to change.
        w.switch("w");
        assert!(w.ok("branch_list", json!({}))["branches"][0]["created_at"].is_string());
        w.ok("branch_create", json!({"name": "b"}));
        assert_eq!(w.ok("checkout", json!({"ref": "b"}))["previous"], "main");
        assert_eq!(w.ok("status", json!({}))["checkout"], "b");
    });
}

#[test]
fn a_search_is_narrowed_to_files_folders_and_lines() {
    on_every_store(|w| {
        for place in ["src/a.rs", "src/b.rs", "src2/a.rs", "src", "function::src/b.rs::run"] {
            w.code.0.lock().insert(place.to_owned(), "v1".to_owned());
        }
        for (text, anchor) in [
            ("top of a", json!({"path": "src/a.rs", "lines": "1-9"})),
            ("end of a", json!({"path": "src/a.rs", "lines": "30-40"})),
            ("all of a", json!({"path": "src/a.rs"})),
            ("run of b", json!({"node_id": "function::src/b.rs::run"})),
            ("another of a", json!({"path": "src2/a.rs"})),
            ("state of src", json!({"path": "src"})),
        ] {
            let note = json!({"branch": "main", "doc": "notes", "content": text, "anchors": [anchor]});
            w.ok("notes_commit", note);
        }
        let ask = |places: Value| w.ok("memory_search", json!({"query": "of", "anchors": places}));
        let found = |places: Value| {
            let hits = ask(places)["hits"].clone();
            let mut out = column(hits.as_array().unwrap(), "snippet");
            out.sort_by_key(ToString::to_string);
            out
        };
        assert_eq!(found(json!([])).len(), 6, "no place leaves nothing out");
        assert_eq!(found(json!(["src"])), ["all of a", "end of a", "run of b", "state of src", "top of a"]);
        assert_eq!(found(json!(["src/a.rs:5"])), ["all of a", "state of src", "top of a"]);
        assert_eq!(found(json!(["src/a.rs:9-30"])), ["all of a", "end of a", "state of src", "top of a"]);
        assert_eq!(found(json!(["src/b.rs"])), ["run of b", "state of src"]);
        assert_eq!(found(json!(["function::src/b.rs::run"])), ["run of b"]);
        assert_eq!(found(json!(["."])).len(), 6);
        let nowhere = ask(json!(["nope.rs", "src/a.rs:20"]));
        assert_eq!(nowhere["hits"].as_array().unwrap().len(), 2, "{nowhere}");
        let nowhere = ask(json!(["nope.rs"]));
        assert_eq!((&nowhere["hits"], &nowhere["unknown_anchors"]), (&json!([]), &json!(["nope.rs"])));
        assert_eq!(nowhere["only_elsewhere"], true);
        // What was written about a file is found when the file is gone.
        w.code.0.lock().remove("src2/a.rs");
        assert_eq!(found(json!(["src2/a.rs"])), ["another of a"]);
        w.refused("memory_search", json!({"query": "of", "anchors": [""]}));
    });
}

#[test]
fn an_event_that_never_happened_is_refused_with_the_newest() {
    on_every_store(|w| {
        let since = |no: i64| json!({"since": format!("evt_{no:016}")});
        let said = w.refused("tasks_delta", since(1)).to_string();
        assert_eq!(said, "event evt_0000000000000001 does not exist; there is none yet");
        w.ok("tasks_create", json!({"title": "t", "kind": "task"}));
        assert_eq!(w.ok("tasks_delta", since(1))["events"], json!([]));
        for tool in ["tasks_delta", "tasks_context"] {
            let said = w.refused(tool, since(9)).to_string();
            assert!(said.ends_with("the newest is evt_0000000000000001"), "{tool}: {said}");
        }
    });
}
