//! Thinking cards.

use m1nd_memory::MemoryError;
use serde_json::{Value, json};

use crate::world::{World, on_every_store, pages};

fn plan(w: &World) {
    w.ok("tasks_create", json!({"title": "p"}));
}

fn card(w: &World, card: Value) -> Value {
    w.ok("think_card", json!({"target": "PLAN-001", "card": card}))
}

fn trace_len(w: &World, branch: &str) -> usize {
    pages(w, "show", json!({"branch": branch, "doc": "PLAN-001-trace"}), "entries").len()
}

#[test]
fn a_card_is_a_trace_entry_and_a_node_and_repeating_it_does_nothing() {
    on_every_store(|w| {
        plan(w);
        let text = json!({"id": "h1", "type": "hypothesis", "title": "T", "tags": ["B", "a"]});
        let first = card(w, text.clone());
        assert_eq!(first["inserted"], true);
        assert_eq!(first["graph_applied"], json!({"nodes_upserted": 1, "edges_upserted": 0}));
        let before = w.ok("status", json!({}))["last_seq"].clone();
        let again = card(w, json!("id: h1\ntype: hypothesis\ntitle: T\ntags: a, b"));
        assert_eq!(again["inserted"], false);
        assert_eq!(again.get("last_seq"), None);
        assert_eq!(w.ok("status", json!({}))["last_seq"], before);
        assert_eq!(trace_len(w, "plan/PLAN-001"), 2);
        let context = w.ok("think_context", json!({"target": "PLAN-001"}));
        assert_eq!(context["stats"], json!({"cards": 1, "by_type": {"hypothesis": 1}}));
        assert_eq!(context["cards"][0]["status"], "open");
    });
}

#[test]
fn the_same_card_seen_through_a_fork_is_a_no_op() {
    on_every_store(|w| {
        plan(w);
        card(w, json!({"id": "h1", "type": "hypothesis", "title": "T"}));
        w.ok("branch_create", json!({"name": "what-if", "from": "plan/PLAN-001"}));
        let again = w.ok(
            "think_card",
            json!({"target": "PLAN-001", "branch": "what-if", "card": {"id": "h1", "type": "hypothesis", "title": "T"}}),
        );
        assert_eq!(again["inserted"], false);
        assert_eq!(again["branch"], "what-if");
    });
}

#[test]
fn a_changed_card_needs_the_word_update() {
    on_every_store(|w| {
        plan(w);
        card(w, json!({"id": "d1", "type": "decision", "title": "yes"}));
        let changed = json!({"id": "d1", "type": "decision", "title": "no"});
        let refusal = w.refused("think_card", json!({"target": "PLAN-001", "card": changed}));
        let MemoryError::CardChanged { differs, .. } = refusal else { panic!("{refusal}") };
        assert_eq!(differs, ["title"]);
        let out = w.ok("think_card", json!({"target": "PLAN-001", "card": changed, "update": true}));
        assert_eq!(out["inserted"], true);
        assert_eq!(trace_len(w, "plan/PLAN-001"), 3);
    });
}

#[test]
fn cards_refer_only_to_cards_that_exist() {
    on_every_store(|w| {
        plan(w);
        card(w, json!({"id": "hyp-1", "type": "hypothesis", "title": "T"}));
        let refusal = w.refused(
            "think_card",
            json!({"target": "PLAN-001", "card": {"id": "e1", "type": "evidence", "text": "x"}, "supports": ["hyp-2"]}),
        );
        let MemoryError::CardReferenceUnknown { nearest, .. } = refusal else { panic!("{refusal}") };
        assert_eq!(nearest, ["hyp-1"]);
        assert_eq!(trace_len(w, "plan/PLAN-001"), 2);
        let out = w.ok(
            "think_card",
            json!({"target": "PLAN-001", "card": {"id": "e1", "type": "evidence", "text": "x", "supports": "hyp-1"},
                   "blocks": ["hyp-1"]}),
        );
        assert_eq!(out["graph_applied"], json!({"nodes_upserted": 1, "edges_upserted": 2}));
        assert_eq!(w.ok("graph_validate", json!({"target": "PLAN-001"}))["ok"], true);
    });
}

#[test]
fn a_card_can_take_the_place_of_another_and_nothing_is_lost() {
    on_every_store(|w| {
        plan(w);
        card(w, json!({"id": "d1", "type": "decision", "title": "use A"}));
        w.ok(
            "think_card",
            json!({"target": "PLAN-001", "card": {"id": "d2", "type": "decision", "title": "use B"}, "supersedes": ["d1"]}),
        );
        let out = w.ok("graph_query", json!({"target": "PLAN-001", "ids": ["d1", "d2"]}));
        let nodes = out["nodes"].as_array().unwrap();
        let of = |id: &str| nodes.iter().find(|node| node["id"] == id).unwrap();
        assert_eq!(of("d1")["valid_to"], 1_794_780_000_000_i64);
        assert_eq!(of("d1")["title"], "use A");
        assert_eq!(of("d2").get("valid_to"), None);
        let again = card(w, json!({"id": "d1", "type": "decision", "title": "use A"}));
        assert_eq!(again["inserted"], false);
        let brief = w.ok("brief", json!({}));
        assert_eq!(brief["decisions"].as_array().unwrap().len(), 1);
        assert_eq!(brief["decisions"][0]["id"], "d2");
    });
}

#[test]
fn an_unknown_type_names_the_known_ones() {
    on_every_store(|w| {
        let refusal = w.refused("think_template", json!({"type": "idea"}));
        let MemoryError::CardTypeUnknown { supported, .. } = refusal else { panic!("{refusal}") };
        assert_eq!(supported.len(), 8);
        assert_eq!(w.ok("think_template", json!({"type": "test"}))["template"]["type"], "test");
    });
}

#[test]
fn the_next_card_is_the_one_nearest_to_an_answer() {
    on_every_store(|w| {
        plan(w);
        card(w, json!({"id": "h1", "type": "hypothesis", "title": "H"}));
        card(w, json!({"id": "q1", "type": "question", "title": "Q"}));
        card(w, json!({"id": "t1", "type": "test", "title": "T"}));
        card(w, json!({"id": "q2", "type": "question", "title": "settled", "status": "answered"}));
        w.ok(
            "think_card",
            json!({"target": "PLAN-001", "card": {"id": "b1", "type": "note", "text": "wait"}, "blocks": ["t1"]}),
        );
        let out = w.ok("think_next", json!({"target": "PLAN-001"}));
        let ids: Vec<&str> =
            out["moves"].as_array().unwrap().iter().map(|found| found["card_id"].as_str().unwrap()).collect();
        assert_eq!(ids, ["q1", "h1", "t1"]);
        assert_eq!(out["moves"][2]["blocked_by"], json!(["b1"]));
    });
}

#[test]
fn an_update_keeps_what_it_does_not_name_and_null_clears() {
    on_every_store(|w| {
        w.ok("tasks_create", json!({"title": "p"}));
        w.code.0.lock().insert("a.rs".to_owned(), "v1".to_owned());
        let first = json!({"id": "q", "type": "question", "title": "Which?", "text": "long", "tags": ["x"], "owner": "ann"});
        w.ok("think_card", json!({"target": "PLAN-001", "card": first, "anchors": [{"path": "a.rs"}]}));
        let card = || w.ok("graph_query", json!({"target": "PLAN-001", "ids": ["q"]}))["nodes"][0].clone();
        let update = |given: serde_json::Value| {
            w.call("think_card", json!({"target": "PLAN-001", "card": given, "update": true}))
        };
        update(json!({"id": "q", "type": "question", "status": "answered", "answer": "both"})).unwrap();
        let now = card();
        assert_eq!(
            (&now["title"], &now["text"], &now["tags"]),
            (&json!("Which?"), &json!("long"), &json!(["x"]))
        );
        assert_eq!(
            (&now["status"], &now["meta"]),
            (&json!("answered"), &json!({"owner": "ann", "answer": "both"}))
        );
        assert_eq!(now["anchors"][0]["path"], "a.rs");
        update(json!({"id": "q", "type": "question", "text": null})).unwrap();
        assert_eq!((card().get("text"), &card()["title"]), (None, &json!("Which?")));
        let refusal = update(json!({"id": "q", "type": "question", "title": ""})).unwrap_err();
        assert!(refusal.to_string().contains("neither title nor text"), "{refusal}");
        // The same said again of code that changed is compared with today's code from then on.
        w.code.0.lock().insert("a.rs".to_owned(), "v2".to_owned());
        assert_eq!(card()["anchors"][0]["anchor_state"], "changed");
        let again = json!({"id": "q", "type": "question"});
        w.ok(
            "think_card",
            json!({"target": "PLAN-001", "card": again, "anchors": [{"path": "a.rs"}], "update": true}),
        );
        assert_eq!(card()["anchors"][0]["anchor_state"], "current");
    });
}

#[test]
fn a_search_marks_cards_that_were_superseded() {
    on_every_store(|w| {
        w.ok("tasks_create", json!({"title": "p"}));
        let card = |id: &str| json!({"id": id, "type": "decision", "title": "the cache is kept"});
        w.ok("think_card", json!({"target": "PLAN-001", "card": card("old")}));
        w.ok("think_card", json!({"target": "PLAN-001", "card": card("new"), "supersedes": ["old"]}));
        let found = w.ok("memory_search", json!({"query": "cache", "kinds": ["card", "claim"]}));
        let closed = |id: &str| {
            let hits = found["hits"].as_array().unwrap();
            hits.iter().find(|hit| hit["id"] == id).unwrap().get("valid_to").is_some()
        };
        assert_eq!((closed("old"), closed("new")), (true, false), "{found}");
    });
}

#[test]
fn a_merged_card_is_found_once_and_by_what_it_says_now() {
    on_every_store(|w| {
        w.ok("tasks_create", json!({"title": "p"}));
        let card = |text: &str| json!({"id": "d1", "type": "decision", "text": text});
        w.ok("think_card", json!({"target": "PLAN-001", "card": card("use threads")}));
        w.ok("branch_create", json!({"name": "idea", "from": "plan/PLAN-001"}));
        let changed =
            json!({"target": "PLAN-001", "branch": "idea", "card": card("use fibers"), "update": true});
        w.ok("think_card", changed);
        let hits =
            |query: &str| w.ok("memory_search", json!({"query": query}))["hits"].as_array().unwrap().len();
        assert_eq!((hits("threads"), hits("fibers")), (1, 1));
        w.ok("graph_merge", json!({"from": "idea", "into": "plan/PLAN-001"}));
        assert_eq!((hits("threads"), hits("fibers")), (0, 1));
    });
}

#[test]
fn a_card_refers_to_other_cards_and_to_nothing_else() {
    on_every_store(|w| {
        w.ok("tasks_create", json!({"title": "t", "kind": "task"}));
        let plain = json!([{"op": "node_upsert", "id": "plain", "type": "thing"}]);
        w.ok("graph_apply", json!({"target": "TASK-001", "ops": plain}));
        let before = w.ok("status", json!({}))["last_seq"].clone();
        for relation in ["supports", "blocks", "supersedes"] {
            let refused = |other: &str| {
                let card = json!({"id": "h1", "type": "hypothesis", "title": "h"});
                w.refused("think_card", json!({"target": "TASK-001", "card": card, relation: [other]}))
                    .to_string()
            };
            assert!(refused("h1").contains("itself"), "{relation}");
            assert_eq!(refused("plain"), "card h1 refers to plain, which is no card but a thing");
            assert_eq!(
                refused("task:TASK-001"),
                "card h1 refers to task:TASK-001, which is no card but a task"
            );
        }
        assert_eq!(w.ok("status", json!({}))["last_seq"], before);
    });
}

#[test]
fn an_update_of_a_card_that_does_not_exist_names_the_nearest_card() {
    on_every_store(|w| {
        w.ok("tasks_create", json!({"title": "t", "kind": "task"}));
        let plain = json!([{"op": "node_upsert", "id": "D-1x", "type": "thing"}]);
        w.ok("graph_apply", json!({"target": "TASK-001", "ops": plain}));
        let card = |id: &str| json!({"id": id, "type": "decision", "title": "d"});
        w.ok("think_card", json!({"target": "TASK-001", "card": card("D1")}));
        let mistyped = json!({"target": "TASK-001", "card": card("D-1"), "update": true});
        let said = w.refused("think_card", mistyped);
        let MemoryError::CardUnknown { nearest, .. } = said else { panic!("{said}") };
        assert_eq!(nearest, ["D1"]);
    });
}

#[test]
fn new_words_do_not_bring_back_a_card_that_was_superseded() {
    on_every_store(|w| {
        w.ok("tasks_create", json!({"title": "p"}));
        let card = |id: &str| json!({"id": id, "type": "decision", "title": id});
        w.ok("think_card", json!({"target": "PLAN-001", "card": card("d1")}));
        w.ok("think_card", json!({"target": "PLAN-001", "card": card("d2"), "supersedes": ["d1"]}));
        let decisions = || {
            let brief = w.ok("brief", json!({}));
            brief["decisions"].as_array().unwrap().iter().map(|one| one["id"].clone()).collect::<Vec<_>>()
        };
        let put = || {
            let op = json!({"op": "node_upsert", "id": "d1", "type": "decision", "title": "reworded"});
            w.ok("graph_apply", json!({"target": "PLAN-001", "ops": [op]}));
            w.ok("graph_query", json!({"target": "PLAN-001", "ids": ["d1"]}))["nodes"][0].clone()
        };
        let node = put();
        assert!(node["title"] == "reworded" && node["valid_to"].is_i64(), "{node}");
        assert_eq!(decisions(), ["d2"]);
        // Without the card that took its place it holds again.
        w.ok("graph_apply", json!({"target": "PLAN-001", "ops": [{"op": "node_delete", "id": "d2"}]}));
        assert_eq!(put().get("valid_to"), None);
        assert_eq!(decisions(), ["d1"]);
    });
}

#[test]
fn a_card_that_is_indented_as_a_whole_reads_like_one_that_is_not() {
    on_every_store(|w| {
        plan(w);
        let text = "\u{feff}    id: d1\n    type: decision\n    title: Keep it\n    text: |\n      if a:\n          b()\n\n      \
                    done\n    tags:\n      - One\n      - \"two\"\n";
        assert_eq!(card(w, json!(text))["inserted"], true);
        let same = json!({"id": "d1", "type": "decision", "title": "Keep it", "text": "if a:\n    b()\n\ndone",
                          "tags": ["one", "two"]});
        assert_eq!(card(w, same)["inserted"], false);
        let refusal = w.call("think_card", json!({"target": "PLAN-001", "card": "  id: d2\n no key"}));
        assert!(refusal.unwrap_err().to_string().contains("line 2"));
    });
}

fn links(w: &World, id: &str) -> Vec<String> {
    let edges = w.ok("graph_query", json!({"target": "PLAN-001"}))["edges"].clone();
    let of = |edge: &&Value| edge["from"] == id;
    let text = |edge: &Value| format!("{} {}", edge["rel"].as_str().unwrap(), edge["to"].as_str().unwrap());
    let mut out: Vec<String> = edges.as_array().unwrap().iter().filter(of).map(text).collect();
    out.sort();
    out
}

#[test]
fn other_links_under_the_same_id_need_the_word_update_and_replace_those_of_their_kind() {
    on_every_store(|w| {
        plan(w);
        for id in ["q1", "q2"] {
            card(w, json!({"id": id, "type": "question", "title": id}));
        }
        let hypothesis = |more: Value| {
            let mut call =
                json!({"target": "PLAN-001", "card": {"id": "h", "type": "hypothesis", "title": "h"}});
            call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            call
        };
        w.ok("think_card", hypothesis(json!({"supports": ["q1"], "blocks": ["q2"]})));
        // Said again, in whole or without its links, it is the same card.
        for same in [json!({"supports": ["q1"], "blocks": ["q2"]}), json!({"supports": ["q1"]}), json!({})] {
            assert_eq!(w.ok("think_card", hypothesis(same))["inserted"], false);
        }
        for (other, differs) in [
            (json!({"supports": ["q2"]}), vec!["supports"]),
            (json!({"supports": ["q1", "q2"]}), vec!["supports"]),
            (json!({"supports": [], "blocks": ["q1"]}), vec!["supports", "blocks"]),
        ] {
            let refusal = w.refused("think_card", hypothesis(other.clone()));
            let MemoryError::CardChanged { differs: said, .. } = refusal else {
                panic!("{other}: {refusal}")
            };
            assert_eq!(said, differs, "{other}");
        }
        assert_eq!(links(w, "h"), ["blocks q2", "supports q1"]);
        let update = |more: Value| {
            let mut call = hypothesis(more);
            call["update"] = json!(true);
            w.ok("think_card", call)
        };
        let out = update(json!({"supports": ["q2"]}));
        assert_eq!(
            out["graph_applied"],
            json!({"nodes_upserted": 0, "edges_upserted": 1, "edges_deleted": 1})
        );
        assert_eq!(links(w, "h"), ["blocks q2", "supports q2"]);
        assert_eq!(update(json!({"supports": ["q2"]}))["inserted"], false);
        update(json!({"supports": []}));
        assert_eq!(links(w, "h"), ["blocks q2"]);
        let entry = w.ok("show", json!({"target": "PLAN-001", "doc_kind": "trace", "limit": 1}));
        assert_eq!(entry["entries"][0]["meta"]["supports"], json!([]));
    });
}

#[test]
fn a_card_holds_again_when_the_one_in_its_place_no_longer_says_so() {
    on_every_store(|w| {
        plan(w);
        let decision = |id: &str| json!({"id": id, "type": "decision", "title": id});
        card(w, decision("d1"));
        for id in ["d2", "d3"] {
            w.ok("think_card", json!({"target": "PLAN-001", "card": decision(id), "supersedes": ["d1"]}));
        }
        let holds = || {
            let found = w.ok("graph_query", json!({"target": "PLAN-001", "ids": ["d1"]}));
            found["nodes"][0].get("valid_to").is_none()
        };
        let give_back = |id: &str| {
            let call = json!({"target": "PLAN-001", "card": decision(id), "supersedes": [], "update": true});
            w.ok("think_card", call);
        };
        give_back("d2");
        assert!(!holds(), "d3 still takes its place");
        give_back("d3");
        assert!(holds());
    });
}

#[test]
fn a_card_is_pinned_by_its_tag_by_meta_or_by_a_line() {
    on_every_store(|w| {
        let place = json!({"branch": "main", "trace_doc": "t", "graph_doc": "g"});
        let write = |card: Value, update: bool| {
            let mut call = place.clone();
            (call["card"], call["update"]) = (card, json!(update));
            call
        };
        let pinned = || {
            let brief = w.ok("brief", json!({}));
            let pins = brief["pinned"].as_array().cloned().unwrap_or_default();
            pins.iter().map(|pin| pin["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        w.ok(
            "think_card",
            write(json!({"id": "a", "type": "decision", "title": "a", "tags": ["pinned"]}), false),
        );
        let by_meta = json!({"id": "b", "type": "decision", "title": "b", "meta": {"pinned": true}});
        w.ok("think_card", write(by_meta.clone(), false));
        w.ok("think_card", write(json!("id: c\ntype: note\ntitle: c\npinned: true"), false));
        w.ok("think_card", write(json!({"id": "d", "type": "note", "title": "d", "pinned": false}), false));
        assert_eq!(pinned(), ["c", "b", "a"]);
        assert_eq!(
            w.ok("think_card", write(by_meta, false))["inserted"],
            false,
            "the same again is nothing new"
        );
        for id in ["a", "b", "c"] {
            let kind = if id == "c" { "note" } else { "decision" };
            w.ok("think_card", write(json!({"id": id, "type": kind, "text": "more"}), true));
        }
        assert_eq!(pinned(), ["c", "b", "a"], "an update that does not speak of it leaves it");
        w.ok("think_card", write(json!({"id": "b", "type": "decision", "pinned": false}), true));
        w.ok("think_card", write(json!({"id": "a", "type": "decision", "meta": {"pinned": false}}), true));
        assert_eq!(pinned(), ["c"]);
        let wrong = w.refused(
            "think_card",
            write(json!({"id": "e", "type": "note", "title": "e", "pinned": "yes"}), false),
        );
        assert!(wrong.to_string().contains("true or false"), "{wrong}");
    });
}

#[test]
fn an_update_leaves_out_what_stays_and_null_clears() {
    on_every_store(|w| {
        plan(w);
        card(w, json!({"id": "d0", "type": "decision", "title": "zero"}));
        let put = |more: Value| {
            let mut call = json!({"target": "PLAN-001"});
            call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            w.ok("think_card", call)
        };
        put(json!({"card": {"id": "d1", "type": "decision", "title": "one"}, "blocks": ["d0"]}));
        put(json!({"card": {"id": "d1", "title": "two"}, "update": true}));
        let stands = || {
            let out = w.ok("graph_query", json!({"target": "PLAN-001", "ids": ["d1", "d0"]}));
            let node =
                out["nodes"].as_array().unwrap().iter().find(|node| node["id"] == "d1").unwrap().clone();
            (node["type"].clone(), node["title"].clone(), out["edges"].as_array().unwrap().len())
        };
        assert_eq!(stands(), (json!("decision"), json!("two"), 1));
        // Some callers send null for everything that they leave out.
        let again = put(json!({"card": {"id": "d1", "type": "decision", "title": "two"}, "blocks": null}));
        assert_eq!(again["inserted"], false);
        put(json!({"card": {"id": "d1"}, "blocks": null, "update": true}));
        assert_eq!(stands(), (json!("decision"), json!("two"), 0));
        let new = json!({"target": "PLAN-001", "card": {"id": "d2", "title": "x"}});
        assert!(w.refused("think_card", new).to_string().contains("card.type"));
    });
}

#[test]
fn ids_that_a_graph_does_not_have_are_named() {
    on_every_store(|w| {
        plan(w);
        card(w, json!({"id": "d1", "type": "decision", "title": "one"}));
        let out = w.ok("graph_query", json!({"target": "PLAN-001", "ids": ["d1", "zzz", "zzz"]}));
        assert_eq!(out["unknown_ids"], json!(["zzz"]), "{out}");
        let out = w.ok("graph_query", json!({"target": "PLAN-001", "ids": ["d1"], "types": ["note"]}));
        assert_eq!((&out["nodes"], out.get("unknown_ids")), (&json!([]), None));
    });
}
