//! What memory tells when it leaves something out, finds nothing, or refuses.

#![allow(clippy::unwrap_used)]

mod common;

use common::{ok, refused, registry, remembered};
use m1nd_testkit::Fixture;
use serde_json::{Value, json};

#[test]
fn the_smallest_budget_that_a_refusal_names_is_the_smallest_that_works() {
    let fixture = remembered();
    crowd(&fixture);
    let mut tried = 0;
    for (entry, _) in registry().entries() {
        let spec = &entry.spec;
        let takes =
            registry().listing(spec.name).unwrap().input_schema["properties"].get("max_chars").is_some();
        let of_memory =
            ["branchmind_", "tasks_", "memory_", "brief"].iter().any(|name| spec.name.starts_with(name));
        if !takes || !of_memory || !spec.effect.read_only() {
            continue;
        }
        for example in spec.examples {
            let mut arguments: Value = serde_json::from_str(example.arguments).unwrap();
            let mut with = |budget: u64| {
                arguments["max_chars"] = json!(budget);
                let reply = fixture.call(spec.name, arguments.clone());
                let least = reply.body["error"]["detail"]["least"].as_u64();
                assert!(least.is_some() || !reply.is_error, "{} {arguments}: {}", spec.name, reply.text());
                assert!(
                    least.is_some() || reply.text().len() as u64 <= budget,
                    "{arguments}: {}",
                    reply.text()
                );
                least
            };
            let Some(least) = with(1) else { panic!("{} fits into a byte", spec.name) };
            for below in (2..least).rev().step_by(7) {
                assert_eq!(with(below), Some(least), "{} {} at {below}", spec.name, example.arguments);
            }
            for above in (least..least + 40).chain((least + 40..least + 700).step_by(13)) {
                assert_eq!(with(above), None, "{} {} at {above}", spec.name, example.arguments);
            }
            tried += 1;
        }
    }
    assert!(tried > 20, "{tried}");
}

/// Enough of everything that every list is longer than a small page.
fn crowd(fixture: &Fixture) {
    let long = "words \"and\" wörter\n".repeat(20);
    for at in 0..6 {
        let note = json!({"branch": "main", "doc": "notes", "content": long, "title": format!("n{at}"), "meta": {"at": at}});
        ok(fixture, "branchmind_notes_commit", note);
        ok(fixture, "branchmind_commit", json!({"message": format!("m{at} {}", "x".repeat(at * 60))}));
        let card = json!({"id": format!("c{at}"), "type": "decision", "title": "a title", "text": long, "tags": ["x"]});
        ok(fixture, "branchmind_think_card", json!({"target": "TASK-001", "card": card}));
        ok(
            fixture,
            "tasks_create",
            json!({"title": format!("task {at} {}", "t".repeat(at * 30)), "kind": "task"}),
        );
        ok(fixture, "tasks_note", json!({"task": "TASK-001", "note": long}));
        let node = json!([{"op": "node_upsert", "id": format!("i{at}"), "type": "idea", "title": "idea", "text": long}]);
        ok(fixture, "branchmind_graph_apply", json!({"branch": "bold", "doc": "ideas", "ops": node}));
    }
}

#[test]
fn a_mistyped_document_is_told_from_an_empty_one() {
    let fixture = remembered();
    for (tool, arguments, said) in [
        (
            "branchmind_show",
            json!({"branch": "main", "doc": "ntoes"}),
            "main has no document ntoes; there is notes.",
        ),
        (
            "branchmind_diff",
            json!({"from": "bold", "to": "main", "doc": "ntoes"}),
            "main has no document ntoes; there is notes.",
        ),
        (
            "branchmind_merge",
            json!({"from": "bold", "into": "main", "doc": "ntoes"}),
            "bold has no document ntoes; there is notes.",
        ),
        (
            "branchmind_graph_query",
            json!({"branch": "bold", "doc": "idea"}),
            "bold has no document idea; there is ideas.",
        ),
        (
            "branchmind_graph_validate",
            json!({"branch": "bold", "doc": "idea"}),
            "bold has no document idea; there is ideas.",
        ),
        (
            "branchmind_graph_merge",
            json!({"from": "bold", "into": "main", "doc": "idea"}),
            "bold has no document idea; there is ideas.",
        ),
        (
            "branchmind_graph_diff",
            json!({"from": "main", "to": "bold", "doc": "idea"}),
            "bold has no document idea; there is ideas.",
        ),
        (
            "branchmind_graph_conflicts",
            json!({"into": "main", "doc": "idea"}),
            "main has no document idea; there is ideas.",
        ),
    ] {
        assert_eq!(ok(&fixture, tool, arguments)["next_step_hint"], said, "{tool}");
    }
    let hint = &ok(&fixture, "branchmind_show", json!({"target": "TASK-002"}))["next_step_hint"];
    assert!(hint.as_str().unwrap().starts_with("Nothing was written to this document yet"), "{hint}");
}

#[test]
fn refusals_are_sentences() {
    let fixture = remembered();
    for (tool, arguments, said) in [
        (
            "tasks_edit",
            json!({"task": "PLAN-001", "depends_on": ["TASK-001"]}),
            "`depends_on` belongs to a task, not to a plan.",
        ),
        (
            "tasks_edit",
            json!({"task": "TASK-001", "title": null}),
            "`title` cannot be cleared; leave it out to keep it.",
        ),
        (
            "tasks_edit",
            json!({"task": "TASK-001", "status": null}),
            "`status` cannot be cleared; leave it out to keep it.",
        ),
        (
            "tasks_create",
            json!({"title": "x", "parent": "TASK-001"}),
            "`parent`: TASK-001 is a task, not a plan.",
        ),
        ("branchmind_show", json!({"branch": "main", "doc": "notes", "limit": 0}), "`limit` is below 1."),
    ] {
        assert_eq!(refused(&fixture, tool, arguments)["message"], said, "{tool}");
    }
}

#[test]
fn a_brief_without_room_does_not_look_like_an_empty_memory() {
    let fixture = remembered();
    crowd(&fixture);
    let told = |budget: u64| ok(&fixture, "brief", json!({"max_chars": budget}));
    let refused = fixture.call("brief", json!({"max_chars": 320}));
    let least = refused.body["error"]["detail"]["least"].as_u64().unwrap();
    for budget in (least..900).step_by(20) {
        assert!(told(budget)["focus"].is_object(), "{budget}");
    }
    let one_of_each = told(1_500);
    for list in ["ready", "decisions"] {
        assert!(!one_of_each[list].as_array().unwrap().is_empty(), "{one_of_each}");
    }
}
