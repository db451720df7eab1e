//! Memory and tasks through the whole pipeline: what they refuse and how to go on, budgets, damage.

#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeSet;
use std::fs;

use common::{fixture, ok, refused, registry, remembered};
use m1nd_contract::header::Field;
use serde_json::{Value, json};

#[test]
fn every_refusal_has_its_code_and_a_way_on_that_works() {
    let fixture = remembered();
    let claim = json!({"task": "TASK-001", "agent_id": "a"});
    ok(&fixture, "tasks_claim", claim);
    let note = |more: Value| {
        let mut note = json!({"branch": "main", "doc": "notes", "content": "x"});
        note.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        note
    };
    let apply = |ops: Value| json!({"branch": "main", "doc": "ideas", "ops": ops});
    let cases = [
        ("branchmind_show", json!({"branch": "mian", "doc": "notes"}), "unknown_branch"),
        (
            "branchmind_show",
            json!({"target": "TASK-001", "branch": "main", "doc": "notes"}),
            "invalid_params",
        ),
        ("branchmind_show", json!({"target": "TASK-009"}), "unknown_target"),
        ("branchmind_show", json!({"target": "TASK-001", "limit": 0}), "invalid_params"),
        ("branchmind_branch_create", json!({"name": "bold"}), "conflict"),
        ("branchmind_graph_query", json!({"branch": "plan/PLAN-001", "doc": "nope"}), ""),
        ("branchmind_graph_apply", apply(json!([{"op": "node_delete", "id": "greting"}])), "node_not_found"),
        (
            "branchmind_graph_apply",
            apply(json!([{"op": "node_upsert", "id": "task:1", "type": "x"}])),
            "invalid_params",
        ),
        (
            "branchmind_graph_apply",
            apply(json!([{"op": "edge_upsert", "from": "greeting", "rel": "r", "to": "nope"}])),
            "node_not_found",
        ),
        (
            "branchmind_graph_apply",
            apply(json!([{"op": "edge_delete", "from": "greeting", "rel": "r", "to": "nope"}])),
            "node_not_found",
        ),
        ("branchmind_graph_merge", json!({"from": "main", "into": "bold"}), "invalid_params"),
        (
            "branchmind_graph_conflict_show",
            json!({"conflict_id": "CONFLICT-0000000000000000"}),
            "unknown_target",
        ),
        ("branchmind_think_template", json!({"type": "thought"}), "invalid_params"),
        ("branchmind_think_card", json!({"target": "TASK-001", "card": "nothing"}), "invalid_params"),
        (
            "branchmind_think_card",
            json!({"target": "TASK-001", "card": {"id": "Q1", "type": "question", "title": "Another?"}}),
            "conflict",
        ),
        (
            "branchmind_think_card",
            json!({"target": "TASK-001", "card": {"id": "Z", "type": "note", "title": "z"}, "supports": ["Q9"]}),
            "node_not_found",
        ),
        ("branchmind_notes_commit", note(json!({"anchors": [{"path": "src/nope.rs"}]})), "file_not_found"),
        ("branchmind_notes_commit", note(json!({"anchors": [{"path": "../x"}]})), "path_outside_workspace"),
        (
            "branchmind_notes_commit",
            note(json!({"anchors": [{"path": "src/main.rs:900"}]})),
            "node_not_found",
        ),
        ("branchmind_notes_commit", note(json!({"anchors": [{"node_id": "nope"}]})), "node_not_found"),
        ("tasks_radar", json!({"task": "task-001"}), "unknown_target"),
        ("tasks_done", json!({"step_id": "STEP-00000000"}), "unknown_target"),
        ("tasks_edit", json!({"task": "TASK-001"}), "invalid_params"),
        (
            "branchmind_notes_commit",
            note(json!({"anchors": [{"path": "/etc/passwd"}]})),
            "path_outside_workspace",
        ),
        (
            "branchmind_notes_commit",
            note(json!({"anchors": [{"path": "src/main.rs", "lines": "900"}]})),
            "node_not_found",
        ),
        (
            "branchmind_notes_commit",
            note(json!({"anchors": [{"node_id": "function::src/main.rs::nope"}]})),
            "node_not_found",
        ),
        (
            "branchmind_notes_commit",
            note(json!({"content": "password = 'hunter2hunter2' ghp_abcdefghijklmnopqrstuvwxyz0123456789"})),
            "invalid_params",
        ),
        ("tasks_create", json!({"title": "x", "parent": "PLAN-009"}), "unknown_target"),
        ("tasks_note", json!({"task": "TASK-001", "path": "s:9", "note": "x"}), "unknown_target"),
        (
            "tasks_note",
            json!({"task": "TASK-001", "note": "x", "expected_revision": 99}),
            "revision_mismatch",
        ),
        ("tasks_note", json!({"task": "TASK-001", "note": "x", "expected_version": 99}), "revision_mismatch"),
        ("tasks_note", json!({"task": "TASK-001", "note": "x", "claim_token": "nope"}), "stale"),
        ("tasks_done", json!({"task": "TASK-001", "path": "s:0"}), "conflict"),
        ("tasks_edit", json!({"task": "TASK-001", "status": "done"}), "conflict"),
        ("tasks_edit", json!({"task": "TASK-001", "depends_on": ["TASK-002"]}), "invalid_params"),
        ("tasks_claim", json!({"task": "TASK-001", "agent_id": "b"}), "conflict"),
        ("tasks_release", json!({"task": "TASK-002", "agent_id": "b"}), "conflict"),
        ("memory_search", json!({"query": ""}), "invalid_params"),
        ("brief", json!({"workspace": "not a name!"}), "invalid_params"),
        ("brief", json!({"max_chars": 0}), "invalid_params"),
    ];
    for (tool, arguments, code) in cases {
        if code.is_empty() {
            ok(&fixture, tool, arguments);
            continue;
        }
        let error = refused(&fixture, tool, arguments.clone());
        assert_eq!(error["code"], code, "{tool} {arguments}: {error}");
        let recovery = &error["recovery"];
        assert!(!recovery["hint"].as_str().unwrap().is_empty());
        let Some(next) = recovery["next_tool"].as_str() else { continue };
        let (entry, _) = registry().entry(next).unwrap();
        assert!(entry.spec.effect.read_only(), "{tool}: {next} is no read");
        let followed = fixture.call_raw(next, recovery["arguments"].as_object().unwrap().clone());
        assert!(!followed.is_error, "{tool} -> {recovery}: {}", followed.text());
    }
}

#[test]
fn an_id_keeps_its_spelling_at_the_head_of_a_message() {
    let fixture = remembered();
    let ops = json!([{"op": "node_upsert", "id": "task:1", "type": "x"}]);
    let error =
        refused(&fixture, "branchmind_graph_apply", json!({"branch": "main", "doc": "ideas", "ops": ops}));
    assert!(error["message"].as_str().unwrap().contains("task:1 is reserved"), "{error}");
    let error = refused(&fixture, "branchmind_graph_merge", json!({"from": "main", "into": "bold"}));
    assert!(error["message"].as_str().unwrap().contains("main was not"), "{error}");
}

#[test]
fn an_unknown_step_leads_to_the_list_of_steps() {
    let fixture = remembered();
    let error = refused(&fixture, "tasks_note", json!({"task": "TASK-001", "path": "s:9", "note": "x"}));
    let recovery = &error["recovery"];
    let next = recovery["next_tool"].as_str().unwrap();
    let steps = fixture.call_raw(next, recovery["arguments"].as_object().unwrap().clone()).body;
    assert_eq!(steps["detail"]["steps"][1]["path"], "s:1", "{steps}");
}

#[test]
fn what_a_gate_wants_is_said_in_its_words() {
    let fixture = remembered();
    let error = refused(&fixture, "tasks_done", json!({"task": "TASK-001", "path": "s:0"}));
    assert!(error["message"].as_str().unwrap().starts_with("checkpoints_not_confirmed: "), "{error}");
    assert_eq!(error["detail"]["missing"], json!(["criteria", "tests"]));
    let error = refused(&fixture, "branchmind_think_template", json!({"type": "thought"}));
    assert!(error["recovery"]["hint"].as_str().unwrap().contains("hypothesis"), "{error}");
    let error = refused(&fixture, "branchmind_show", json!({"branch": "mian", "doc": "notes"}));
    assert!(error["recovery"]["hint"].as_str().unwrap().contains("main"), "{error}");
}

#[test]
fn a_second_process_sees_what_the_first_wrote() {
    let fixture = remembered();
    let second = fixture.restart(m1nd_tools::surface());
    let ask = |tool: &str, arguments: Value| {
        let reply = second.call_raw(tool, arguments.as_object().unwrap().clone());
        assert!(!reply.is_error, "{}", reply.text());
        reply.body
    };
    let brief = ask("brief", json!({"workspace": "demo"}));
    assert_eq!(brief["focus"]["target"]["id"], "TASK-001");
    ask("tasks_note", json!({"workspace": "demo", "task": "TASK-001", "note": "from the second"}));
    let shown = ok(&fixture, "branchmind_show", json!({"target": "TASK-001"}));
    assert_eq!(shown["entries"][0]["content"], "from the second");
}

#[test]
fn null_clears_a_field_and_leaving_it_out_does_not() {
    let fixture = remembered();
    ok(&fixture, "tasks_edit", json!({"task": "TASK-002", "priority": 7}));
    let listed = ok(&fixture, "tasks_context", json!({}));
    assert_eq!(listed["tasks"][0]["depends_on"], json!(["TASK-001"]));
    ok(&fixture, "tasks_edit", json!({"task": "TASK-002", "depends_on": null}));
    let listed = ok(&fixture, "tasks_context", json!({}));
    assert_eq!(
        (&listed["tasks"][0]["depends_on"], &listed["tasks"][0]["priority"]),
        (&Value::Null, &json!(7))
    );
}

#[test]
fn numbers_and_names_may_be_written_as_hosts_write_them() {
    let fixture = remembered();
    let shown = ok(
        &fixture,
        "branchmind.show",
        json!({"workspace": "demo", "target": "TASK-001", "limit": 2.0, "cursor": null}),
    );
    assert_eq!(shown["pagination"]["limit"], 2);
    let edited =
        ok(&fixture, "tasks_edit", json!({"id": "TASK-002", "priority": 3.0, "expected_version": 0}));
    assert_eq!(edited["revision"], 1);
    assert_eq!(
        refused(&fixture, "branchmind_show", json!({"target": "TASK-001", "limit": 2.5}))["code"],
        "invalid_params"
    );
}

#[test]
fn a_mistyped_workspace_is_told_which_ones_there_are() {
    let fixture = remembered();
    let brief = ok(&fixture, "brief", json!({"workspace": "dmeo"}));
    assert_eq!(brief["next_step_hint"], "Nothing was remembered under this name; there is demo.");
    let found = ok(&fixture, "memory_search", json!({"workspace": "dmeo", "query": "greet"}));
    assert!(found["next_step_hint"].as_str().unwrap().contains("demo"));
    for tool in ["tasks_ready", "branchmind_status", "branchmind_branch_list", "tasks_focus_get"] {
        let said = ok(&fixture, tool, json!({"workspace": "dmeo"}))["next_step_hint"].clone();
        assert_eq!(said, "Nothing was remembered under this name; there is demo.", "{tool}");
        let own = ok(&fixture, tool, json!({}));
        assert!(!own.to_string().contains("Nothing was remembered"), "{tool}: {own}");
    }
    let found = ok(&fixture, "memory_search", json!({"query": "zebra"}));
    assert!(found["next_step_hint"].as_str().unwrap().contains("Nothing holds"), "{found}");
}

#[test]
fn a_damaged_store_is_said_kept_and_shown_by_health() {
    let fixture = fixture();
    ok(&fixture, "branchmind_init", json!({}));
    let folder = ok(&fixture, "branchmind_init", json!({}))["storage_dir"].as_str().unwrap().to_owned();
    assert_eq!(ok(&fixture, "health", json!({}))["memory"]["state"], "ok");
    let second = fixture.restart(m1nd_tools::surface());
    for name in ["memory.db-wal", "memory.db-shm"] {
        fs::remove_file(format!("{folder}/{name}")).unwrap_or_default();
    }
    fs::remove_file(format!("{folder}/memory.db")).unwrap();
    fs::write(format!("{folder}/memory.db"), "this is no store").unwrap();
    let arguments = json!({"workspace": "demo"}).as_object().unwrap().clone();
    let reply = second.call_raw("brief", arguments.clone());
    assert_eq!(reply.body["error"]["code"], "storage", "{}", reply.text());
    assert!(reply.text().contains("kept as"), "{}", reply.text());
    for tool in ["brief", "branchmind_status"] {
        let empty = second.call_raw(tool, arguments.clone());
        assert!(!empty.is_error && empty.text().contains("set aside as"), "{}", empty.text());
    }
    let health = ok(&fixture, "health", json!({}));
    assert_eq!(health["memory"]["set_aside"].as_array().unwrap().len(), 1, "{health}");
}

#[test]
fn a_question_makes_no_store() {
    let fixture = fixture();
    for (entry, _) in registry().entries().filter(|(entry, _)| entry.spec.effect.read_only()) {
        fixture.call(entry.spec.name, serde_json::from_str(entry.spec.examples[0].arguments).unwrap());
    }
    assert_eq!(ok(&fixture, "health", json!({}))["memory"], json!({"state": "empty", "bytes": 0}));
    ok(&fixture, "tasks_create", json!({"title": "x"}));
    assert_eq!(ok(&fixture, "health", json!({}))["memory"]["state"], "ok");
}

#[test]
fn every_tool_of_the_contract_is_there() {
    let names: BTreeSet<&str> = registry().entries().map(|(entry, _)| entry.spec.name).collect();
    let wanted = "init status notes_commit show export diff merge graph_apply graph_query graph_validate graph_diff graph_merge \
        graph_conflicts graph_conflict_show graph_conflict_resolve branch_create branch_list checkout think_template think_card \
        think_context think_next commit log";
    for name in wanted.split_whitespace() {
        assert!(names.contains(format!("branchmind_{name}").as_str()), "{name}");
    }
    let wanted = "create decompose define note verify done edit radar context delta focus_get focus_set focus_clear ready \
        claim release";
    for name in wanted.split_whitespace() {
        assert!(names.contains(format!("tasks_{name}").as_str()), "{name}");
    }
    assert!(names.contains("brief") && names.contains("memory_search"));
}

#[test]
fn what_a_refusal_advises_works_as_it_is_printed() {
    let fixture = remembered();
    let conflict = ok(&fixture, "brief", json!({}))["conflicts"][0]["conflict_id"].clone();
    ok(&fixture, "tasks_claim", json!({"task": "TASK-001", "agent_id": "ann"}));
    let card = |id: &str, title: &str| json!({"id": id, "type": "question", "title": title});
    let op = |op: Value| json!({"branch": "main", "doc": "ideas", "ops": [op]});
    let cases = [
        ("branchmind_graph_apply", op(json!({"op": "node_delete", "id": "greetin"})), "greeting"),
        ("branchmind_graph_apply", op(json!({"op": "node_delete", "id": "zzzzzzzzz"})), "greeting"),
        (
            "branchmind_graph_apply",
            op(json!({"op": "edge_delete", "from": "greeting", "rel": "r", "to": "x"})),
            "greeting",
        ),
        (
            "branchmind_graph_apply",
            op(json!({"op": "edge_upsert", "from": "greeting", "rel": "r", "to": "x"})),
            "greeting",
        ),
        (
            "branchmind_think_card",
            json!({"target": "TASK-001", "card": card("Q1", "Another?")}),
            "Which greeting?",
        ),
        (
            "branchmind_think_card",
            json!({"target": "TASK-001", "card": card("Q2", "x"), "supports": ["Q"]}),
            "Which greeting?",
        ),
        (
            "branchmind_think_card",
            json!({"target": "TASK-001", "card": {"id": "a", "type": "idea"}}),
            "template",
        ),
        (
            "branchmind_think_card",
            json!({"target": "TASK-001", "card": card("Q", "x"), "update": true}),
            "Which greeting?",
        ),
        (
            "branchmind_think_card",
            json!({"target": "TASK-001", "card": card("Q2", "x"), "blocks": ["task:TASK-001"]}),
            "TASK-001",
        ),
        ("branchmind_graph_conflict_show", json!({"conflict_id": "CONFLICT-0000000000000000"}), "CONFLICT-"),
        ("branchmind_show", json!({"branch": "mian", "doc": "notes"}), "main"),
        ("branchmind_show", json!({"target": "TASK-009"}), "TASK-001"),
        ("branchmind_branch_create", json!({"name": "bold"}), "bold"),
        ("branchmind_graph_merge", json!({"from": "main", "into": "bold"}), "bold"),
        ("tasks_edit", json!({"task": "TASK-001", "priority": 1, "expected_revision": 99}), "TASK-001"),
        ("tasks_done", json!({"task": "TASK-001", "path": "s:9"}), "Write greet"),
        ("tasks_claim", json!({"task": "TASK-001", "agent_id": "bob"}), "tasks"),
        ("tasks_release", json!({"task": "TASK-002", "agent_id": "bob"}), "TASK-002"),
        ("tasks_note", json!({"task": "TASK-001", "note": "n", "claim_token": "claim-1-x"}), "TASK-001"),
        ("tasks_edit", json!({"task": "TASK-001", "status": "done"}), "TASK-001"),
        ("tasks_edit", json!({"task": "TASK-001", "depends_on": ["TASK-002"]}), "TASK-001"),
    ];
    for (tool, arguments, told) in cases {
        let refused = fixture.call(tool, arguments.clone());
        assert!(refused.is_error, "{tool} {arguments}: {}", refused.text());
        let recovery = &refused.body["error"]["recovery"];
        let next = recovery["next_tool"].as_str().unwrap_or_else(|| panic!("{tool}: {}", refused.text()));
        let read = fixture.call(next, recovery["arguments"].clone());
        assert!(!read.is_error, "{tool}: {recovery}: {}", read.text());
        assert!(read.text().contains(told), "{tool}: {recovery}: {}", read.text());
        assert!(!read.body.to_string().contains("\"nodes\":[]"), "{tool}: {}", read.text());
    }
    let settle = |how: &str| {
        fixture.call("branchmind_graph_conflict_resolve", json!({"conflict_id": conflict, "resolution": how}))
    };
    assert!(!settle("use_into").is_error);
    let refused = settle("use_from");
    let recovery = &refused.body["error"]["recovery"];
    let shown = ok(&fixture, recovery["next_tool"].as_str().unwrap(), recovery["arguments"].clone());
    assert_eq!(shown["conflict"]["resolution"], "use_into");
}

#[test]
fn a_budget_may_be_said_in_bytes_or_lines_and_every_note_stays_reachable() {
    let fixture = remembered();
    for at in 0..8 {
        let content = format!("note {at}\n{}", "line\n".repeat(at));
        ok(&fixture, "branchmind_notes_commit", json!({"branch": "main", "doc": "many", "content": content}));
    }
    let bytes = ok(&fixture, "branchmind_show", json!({"branch": "main", "doc": "many", "max_bytes": 900}));
    assert!(bytes.to_string().len() <= 900 && bytes["truncated"] == true, "{bytes}");
    let (mut seen, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let wanted = json!({"branch": "main", "doc": "many", "max_lines": 12, "cursor": cursor});
        let page = ok(&fixture, "branchmind_show", wanted);
        let entries = page["entries"].as_array().unwrap();
        let lines: usize =
            entries.iter().map(|entry| entry["content"].as_str().unwrap().lines().count()).sum();
        assert!(lines <= 12, "{page}");
        seen.extend(entries.iter().map(|entry| entry["seq"].clone()));
        cursor = page["pagination"]["next_cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(seen.len(), 8);
    for wrong in [json!({"max_bytes": 0}), json!({"max_lines": "x"})] {
        let mut arguments = json!({"branch": "main", "doc": "many"});
        arguments.as_object_mut().unwrap().extend(wrong.as_object().unwrap().clone());
        assert_eq!(refused(&fixture, "branchmind_show", arguments)["code"], "invalid_params");
    }
    refused(&fixture, "branchmind_checkout", json!({"ref": "main", "max_lines": 3}));
}

#[test]
fn a_graph_that_is_read_as_notes_leads_to_its_nodes() {
    let fixture = remembered();
    let out = ok(&fixture, "branchmind_show", json!({"branch": "main", "doc": "ideas"}));
    assert_eq!(out["next_suggested_tool"], "branchmind_graph_query", "{out}");
}

#[test]
fn an_empty_list_says_why() {
    let fixture = remembered();
    let newest = ok(&fixture, "branchmind_status", json!({}))["last_event_id"].clone();
    for (tool, arguments, list) in [
        ("branchmind_show", json!({"branch": "main", "doc": "other"}), "entries"),
        ("branchmind_diff", json!({"from": "main", "to": "main"}), "entries"),
        ("branchmind_log", json!({}), "commits"),
        ("branchmind_graph_query", json!({"branch": "main", "types": ["none"]}), "nodes"),
        ("branchmind_graph_diff", json!({"from": "main", "to": "main"}), "changes"),
        ("branchmind_graph_conflicts", json!({"into": "main", "status": "resolved"}), "conflicts"),
        ("branchmind_think_context", json!({"target": "PLAN-001"}), "cards"),
        ("branchmind_think_next", json!({"target": "PLAN-001"}), "moves"),
        ("tasks_delta", json!({"since": newest}), "events"),
        ("memory_search", json!({"query": "zebra"}), "hits"),
        ("tasks_context", json!({"since": newest}), "tasks"),
    ] {
        let out = ok(&fixture, tool, arguments);
        assert_eq!(out[list], json!([]), "{tool}: {out}");
        assert!(out["next_step_hint"].as_str().is_some_and(|hint| hint.len() > 20), "{tool}: {out}");
    }
}

#[test]
fn every_tool_says_that_a_mistyped_workspace_is_unknown_and_names_the_nearest() {
    let fixture = remembered();
    let mut unheard = Vec::new();
    let asks = registry().entries().filter(|(entry, _)| entry.spec.caller == Field::Workspace);
    for (at, (entry, _)) in asks.enumerate() {
        let tool = entry.spec.name;
        for (number, example) in entry.spec.examples.iter().enumerate() {
            let mut arguments: Value = serde_json::from_str(example.arguments).unwrap();
            // A write that needs nothing makes its workspace, so each has a name of its own.
            let mistyped = format!("demo-{at}-{number}");
            arguments["workspace"] = json!(mistyped);
            let reply = fixture.call(tool, arguments.clone());
            let said = reply.body.to_string();
            let fails_otherwise = reply.is_error && reply.body["error"]["code"] == "invalid_params";
            let made = !reply.is_error && !entry.spec.effect.read_only();
            let told = said.contains("Nothing was remembered under") && said.contains("there is demo");
            if !told && !made && !fails_otherwise && tool != "branchmind_think_template" {
                unheard.push(format!("{tool} {arguments}: {said}"));
            }
            if reply.is_error && told {
                let recovery = &reply.body["error"]["recovery"];
                assert!(
                    !fixture
                        .call(recovery["next_tool"].as_str().unwrap(), recovery["arguments"].clone())
                        .is_error
                );
            }
        }
    }
    assert!(unheard.is_empty(), "{}", unheard.join("\n"));
    for (tool, arguments) in
        [("tasks_focus_clear", json!({})), ("branchmind_checkout", json!({"ref": "main"}))]
    {
        let mut arguments = arguments;
        arguments["workspace"] = json!("dem");
        let out = ok(&fixture, tool, arguments);
        assert!(out["next_step_hint"].as_str().unwrap().contains("there is demo"), "{tool}: {out}");
    }
    let said = refused(&fixture, "tasks_radar", json!({"workspace": "dem"}));
    assert!(said["message"].as_str().unwrap().contains("there is demo"), "still unknown: {said}");
    assert_eq!(said["recovery"]["arguments"]["workspace"], "demo");
}
