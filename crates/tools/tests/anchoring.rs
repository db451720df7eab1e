//! Anchors through the tools: what was written about code knows where that is, and when it changed.

#![allow(clippy::unwrap_used)]

mod common;

use std::fs;

use common::{fixture, ok, refused, remembered};
use serde_json::{Value, json};

#[test]
fn a_note_knows_when_its_code_changed_moved_or_vanished() {
    let fixture = remembered();
    let node = "function::src/main.rs::greet";
    let found = ok(&fixture, "search", json!({"query": "fn greet"})).to_string();
    assert!(found.contains("greet"), "{found}");
    let id =
        serde_json::from_str::<Value>(&found).unwrap()["results"][0]["node_id"].as_str().map(str::to_owned);
    let node = id.unwrap_or_else(|| node.to_owned());
    ok(
        &fixture,
        "branchmind_notes_commit",
        json!({"target": "TASK-001", "content": "greet borrows.", "anchors": [{"node_id": node}, {"path": "src/lib.rs"}]}),
    );
    let states = || {
        let shown = ok(&fixture, "branchmind_show", json!({"target": "TASK-001"}));
        let anchors = shown["entries"][0]["anchors"].as_array().unwrap().clone();
        anchors.iter().map(|anchor| anchor["anchor_state"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(states(), ["current", "current"]);
    let main = fixture.root().join("src/main.rs");
    let text = fs::read_to_string(&main).unwrap();
    fs::write(&main, format!("// moved\n// down\n{text}")).unwrap();
    assert_eq!(states(), ["current", "current"], "a function that moved holds the same");
    fs::write(&main, text.replace("Hello", "Good day")).unwrap();
    fs::remove_file(fixture.root().join("src/lib.rs")).unwrap();
    assert_eq!(states(), ["changed", "gone"]);
    let brief = ok(&fixture, "brief", json!({}));
    assert!(brief["stale_anchors"].to_string().contains("src/main.rs"), "{brief}");
    let radar = ok(&fixture, "tasks_radar", json!({}));
    assert_eq!(radar["stale_anchors"][0]["anchor_state"], "changed");
}

#[test]
fn an_anchored_folder_is_what_lies_in_it() {
    let fixture = remembered();
    let note =
        json!({"target": "TASK-001", "content": "The sources are small.", "anchors": [{"path": "src"}]});
    ok(&fixture, "branchmind_notes_commit", note);
    let stale = || ok(&fixture, "tasks_radar", json!({}))["stale_anchors"].clone();
    assert_eq!(stale(), json!(null));
    fs::write(fixture.root().join("docs/other.md"), "elsewhere").unwrap();
    assert_eq!(stale(), json!(null));
    fs::write(fixture.root().join("src/new.rs"), "fn new() {}").unwrap();
    assert_eq!((&stale()[0]["path"], &stale()[0]["anchor_state"]), (&json!("src"), &json!("changed")));
    fs::remove_file(fixture.root().join("src/new.rs")).unwrap();
    assert_eq!(stale(), json!(null), "it holds the same again");
    fs::write(fixture.root().join("src/lib.rs"), "pub fn sub() {}").unwrap();
    assert_eq!(stale()[0]["anchor_state"], "changed");
}

#[test]
fn an_anchor_that_was_written_before_the_code_was_read_says_so() {
    let fixture = common::fixture();
    let anchors = json!([{"node_id": "greet"}]);
    let note = json!({"branch": "main", "doc": "notes", "content": "x", "anchors": anchors});
    let written = ok(&fixture, "branchmind_notes_commit", note);
    assert!(written["warnings"][0].as_str().unwrap().contains("ingest"), "{written}");
    assert_eq!(written["entry"]["anchors"][0]["unchecked"], "no_hash");
    let task = ok(&fixture, "tasks_create", json!({"title": "t", "anchors": anchors}));
    assert!(task["event"]["warning"].as_str().unwrap().contains("greet"), "{task}");
    let card =
        json!({"target": "PLAN-001", "card": {"id": "c", "type": "note", "text": "x"}, "anchors": anchors});
    assert!(ok(&fixture, "branchmind_think_card", card)["warnings"][0].is_string());
}

#[test]
fn a_place_has_one_spelling_whatever_it_was_called() {
    let fixture = remembered();
    let absolute = fixture.root().join("src/lib.rs").display().to_string();
    let anchors = json!([{"path": absolute}, {"path": "./src/../src/lib.rs"}, {"node_id": "add"}]);
    let note = json!({"branch": "main", "doc": "notes", "content": "add adds.", "anchors": anchors});
    let written = ok(&fixture, "branchmind_notes_commit", note)["entry"]["anchors"].clone();
    assert_eq!(
        (&written[0]["path"], written.as_array().unwrap().len()),
        (&json!("src/lib.rs"), 2),
        "{written}"
    );
    assert!(written[1]["node_id"].as_str().unwrap().contains("src/lib.rs"), "{written}");
    let found = ok(&fixture, "memory_search", json!({"query": "adds", "anchors": [absolute]}));
    assert_eq!(found["pagination"]["count"], 1, "{found}");
}

#[test]
fn a_file_hash_given_as_evidence_is_compared_with_the_file() {
    let fixture = remembered();
    let text = fs::read(fixture.root().join("src/lib.rs")).unwrap();
    let hash = m1nd_stdx::digest::sha256_hex(&text);
    let verify = |path: &str, hash: &str| {
        let evidence = json!({"path": path, "file_hash": hash});
        let criteria = json!({"confirmed": true, "evidence": evidence});
        fixture.call("tasks_verify", json!({"path": "s:0", "checkpoints": {"criteria": criteria}}))
    };
    let out = verify("src/lib.rs", &hash);
    assert!(!out.is_error, "{}", out.text());
    assert_eq!(out.body["event"]["payload"]["criteria"]["evidence"]["file_state"], "matches");
    // What is known to be false confirms nothing, as little as a command that failed.
    for (path, hash, code) in [
        ("src/main.rs", hash.as_str(), "invalid_params"),
        ("src/lib.rs", &hash[..4], "invalid_params"),
        ("no.rs", &hash, "file_not_found"),
        ("/etc/passwd", &hash, "path_outside_workspace"),
        ("../x", &hash, "path_outside_workspace"),
    ] {
        let out = verify(path, hash);
        assert!(out.is_error, "{path}: {}", out.text());
        assert_eq!(out.body["error"]["code"], code, "{}", out.text());
        assert!(out.body["error"]["recovery"]["hint"].is_string());
    }
    let evidence = json!({"path": "src/main.rs", "file_hash": hash});
    let revoked = json!({"criteria": {"confirmed": false, "evidence": evidence}});
    let out = ok(&fixture, "tasks_verify", json!({"path": "s:0", "checkpoints": revoked}));
    assert_eq!(out["event"]["payload"]["criteria"]["evidence"]["file_state"], "differs");
}

#[test]
fn lines_that_moved_are_current_and_say_where_they_are() {
    let fixture = remembered();
    let path = fixture.root().join("src/lib.rs");
    let text = fs::read_to_string(&path).unwrap();
    let anchor = json!({"path": "src/lib.rs", "lines": "1-3"});
    let note = json!({"branch": "main", "doc": "moved", "content": "x", "anchors": [anchor]});
    ok(&fixture, "branchmind_notes_commit", note);
    let shown = || {
        let shown = ok(&fixture, "branchmind_show", json!({"branch": "main", "doc": "moved"}));
        shown["entries"][0]["anchors"][0].clone()
    };
    fs::write(&path, format!("//! New.\n\n{text}")).unwrap();
    let moved = shown();
    assert_eq!((&moved["anchor_state"], &moved["lines_now"]), (&json!("current"), &json!("3-5")), "{moved}");
    fs::write(&path, text.replacen("pub", "pub(crate)", 9)).unwrap();
    assert_eq!(shown()["anchor_state"], "changed");
}

#[test]
fn a_copy_that_stood_elsewhere_does_not_stand_for_lines_that_changed() {
    let fixture = remembered();
    let path = fixture.root().join("guards.py");
    let guard = "    if not x:\n        return None\n";
    let text = format!("def f(x):\n{guard}    return x + 1\n\ndef g(x):\n{guard}    return x * 2\nq\n");
    fs::write(&path, &text).unwrap();
    for lines in ["2-3", "7-8", "10"] {
        let anchor = json!({"path": "guards.py", "lines": lines});
        let note = json!({"branch": "main", "doc": "guards", "content": lines, "anchors": [anchor]});
        ok(&fixture, "branchmind_notes_commit", note);
    }
    let states = |text: String| -> Vec<String> {
        fs::write(&path, text).unwrap();
        let shown = ok(&fixture, "branchmind_show", json!({"branch": "main", "doc": "guards"}));
        let mut entries = shown["entries"].as_array().unwrap().clone();
        entries.reverse();
        let said = |entry: &Value| {
            let anchor = &entry["anchors"][0];
            format!(
                "{} {}",
                anchor["anchor_state"].as_str().unwrap(),
                anchor["lines_now"].as_str().unwrap_or("-")
            )
        };
        entries.iter().map(said).collect()
    };
    assert_eq!(states(text.clone()), ["current -", "current -", "current -"]);
    let changed = text.replacen("return None", "raise ValueError", 1);
    assert_eq!(states(changed), ["changed -", "current -", "current -"]);
    assert_eq!(states(format!("import os\n{text}")), ["current 3-4", "current 8-9", "current 11"]);
    // A short line is found where the file no longer reaches to its place.
    assert_eq!(states("q\n".to_owned())[2], "current 1");
    let beyond = json!({"branch": "main", "doc": "guards", "content": "x", "anchors": [{"path": "guards.py", "lines": "1-9"}]});
    let said = refused(&fixture, "branchmind_notes_commit", beyond);
    assert!(said["message"].as_str().unwrap().contains("guards.py has 1 line"), "{said}");
}

#[test]
fn lines_of_a_function_that_was_removed_are_not_those_of_another() {
    let fixture = remembered();
    let path = fixture.root().join("same.py");
    let blocks = |names: &[&str]| -> String {
        names.iter().map(|name| format!("def {name}():\n    x = 1\n    return x\n\n")).collect()
    };
    fs::write(&path, blocks(&["a", "b", "c"])).unwrap();
    let anchor = json!({"path": "same.py", "lines": "6-7"});
    let note = json!({"branch": "main", "doc": "same", "content": "b", "anchors": [anchor]});
    ok(&fixture, "branchmind_notes_commit", note);
    for (names, said) in [
        (vec!["a", "c"], ("changed", None)),
        (vec!["new", "a", "c"], ("changed", None)),
        (vec!["a", "b", "new", "c"], ("current", None)),
        (vec!["c", "a", "b"], ("current", Some("10-11"))),
    ] {
        fs::write(&path, blocks(&names)).unwrap();
        let shown = ok(&fixture, "branchmind_show", json!({"branch": "main", "doc": "same"}));
        let anchor = &shown["entries"][0]["anchors"][0];
        let state = (anchor["anchor_state"].as_str().unwrap(), anchor["lines_now"].as_str());
        assert_eq!(state, said, "{names:?}");
    }
}

#[test]
fn a_search_that_names_places_says_which_of_them_are_unknown() {
    let fixture = remembered();
    let hint = |places: Value| {
        let out = ok(&fixture, "memory_search", json!({"query": "greet", "anchors": places}));
        assert_eq!(out["hits"], json!([]), "{out}");
        out["next_step_hint"].as_str().unwrap().to_owned()
    };
    assert!(hint(json!(["nope.rs"])).starts_with("Nothing in the code is at nope.rs"));
    assert!(hint(json!(["docs"])).starts_with("What holds these words does not speak of"));
    let found = ok(&fixture, "memory_search", json!({"query": "greet", "anchors": ["src"]}));
    assert_eq!(found["hits"][0]["id"], "TASK-001", "{found}");
    // A node is found by a line that it stands on.
    let note = json!({"branch": "main", "doc": "notes", "content": "greets by name", "anchors": [{"node_id": "greet"}]});
    ok(&fixture, "branchmind_notes_commit", note);
    let on = |line: &str| {
        let asked = json!({"query": "greets", "anchors": [line], "kinds": ["note"]});
        ok(&fixture, "memory_search", asked)["hits"].as_array().unwrap().len()
    };
    assert_eq!((on("src/main.rs:6"), on("src/main.rs:2")), (1, 0));
}

#[test]
fn lines_of_a_folder_are_refused_as_such() {
    let fixture = fixture();
    let anchor = json!({"path": "src", "lines": "1-3"});
    let note = json!({"branch": "main", "doc": "notes", "content": "x", "anchors": [anchor]});
    let said = refused(&fixture, "branchmind_notes_commit", note);
    assert_eq!(said["message"], "`anchors`: src is a folder and has no lines.");
    assert_eq!(said["recovery"].get("next_tool"), None);
}
