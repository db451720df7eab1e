//! What is said of a batch that is taken back: places as they are without it, all that there is room for.

#![allow(clippy::unwrap_used)]

mod common;

use common::{ok, refused};
use m1nd_testkit::Fixture;
use serde_json::{Value, json};

fn ingested(files: &str) -> Fixture {
    let fixture = Fixture::new(m1nd_tools::surface(), files);
    ok(&fixture, "ingest", json!({}));
    fixture
}

fn batch(path: &str, edits: Value) -> Value {
    json!({"verify": "graph", "edits": [{"file_path": path, "edits": edits}]})
}

const SHAPES: &str =
    "//- sh.py\ndef area(w, h):\n    return w * h\n\n\ndef square(a):\n    return area(a, a)\n";

#[test]
fn a_refusal_names_lines_as_they_are_without_the_batch() {
    let fixture = ingested(SHAPES);
    // Two lines come before what is called with too little.
    let edits = json!([{"old": "def area(w, h):", "new": "import os\n\ndef area(w, h, d):"}]);
    let no = refused(&fixture, "apply_batch", batch("sh.py", edits));
    let finding = &no["detail"]["findings"][0];
    assert_eq!(finding["places"], json!(["sh.py:6"]), "{no}");
    assert_eq!(no["recovery"]["arguments"]["file_path"], "sh.py:6", "{no}");
    let gone =
        json!([{"old": "def area(w, h):\n    return w * h\n", "new": "import os\nimport sys\nimport re\n"}]);
    let no = refused(&fixture, "apply_batch", batch("sh.py", gone));
    assert_eq!(no["detail"]["dangling_callers"][0]["at"], "sh.py:6", "{no}");
    assert!(no["message"].as_str().unwrap().ends_with("first area at sh.py:6."), "{no}");
    assert_eq!(no["recovery"]["arguments"]["file_path"], "sh.py:6", "{no}");
}

#[test]
fn a_line_that_the_batch_writes_is_said_to_be_one_of_the_edit() {
    let fixture = ingested(&format!("{SHAPES}//- pkg/__init__.py\n//- pkg/mod.py\ndef z():\n    return 1\n"));
    let edits = json!([
        {"old": "def area", "new": "# one\n# two\ndef area"},
        {"old": "def square", "new": "from pkg.mod import z, y\n\n\ndef square"}]);
    let no = refused(&fixture, "apply_batch", batch("sh.py", edits));
    let line = &no["detail"]["dangling_callers"][0];
    assert_eq!((&line["at"], &line["in_edit"]), (&json!("sh.py:7"), &json!(true)), "{no}");
    assert!(no["message"].as_str().unwrap().ends_with("first y at sh.py:7 of the edit."), "{no}");
    assert_eq!(no["recovery"]["arguments"]["file_path"], "sh.py:5", "{no}");
    ok(&fixture, "view", json!({"file_path": no["recovery"]["arguments"]["file_path"]}));
}

#[test]
fn a_refusal_counts_all_places_and_shows_as_many_as_there_is_room_for() {
    let calls: String = (0..60).map(|nth| format!("def use{nth}():\n    return f({nth})\n\n\n")).collect();
    let fixture =
        ingested(&format!("//- a.py\ndef f(x):\n    return x\n//- b.py\nfrom a import f\n\n\n{calls}"));
    let wider = |room: usize| {
        let edits = json!([{"old": "def f(x)", "new": "def f(x, y)"}]);
        let mut body = batch("a.py", edits);
        body["max_chars"] = json!(room);
        refused(&fixture, "apply_batch", body)["detail"]["findings"][0].clone()
    };
    assert_eq!(wider(20_000)["places"].as_array().unwrap().len(), 60);
    let few = wider(1_500);
    assert!((3..60).contains(&few["places"].as_array().unwrap().len()), "{few}");
    assert_eq!(few["places_total"], 60, "{few}");
    let gone = |room: usize| {
        let edits = json!([{"old": "def f(x)", "new": "def g(x)"}]);
        let mut body = batch("a.py", edits);
        body["max_chars"] = json!(room);
        refused(&fixture, "apply_batch", body)
    };
    let all = gone(40_000);
    assert_eq!(all["detail"]["dangling_callers"].as_array().unwrap().len(), 61, "{all}");
    assert_eq!(all["detail"]["total"], 61);
    let few = gone(3_000);
    assert!(few["detail"]["dangling_callers"].as_array().unwrap().len() < 30, "{few}");
    let hint = few["recovery"]["hint"].as_str().unwrap();
    assert!(hint.contains("of 61 are listed") && hint.contains("impact"), "{hint}");
    // The call that it names lists them.
    let call = &hint[hint.find('{').unwrap()..=hint.rfind('}').unwrap()];
    let call: Value = serde_json::from_str(call).unwrap();
    ok(&fixture, call["tool"].as_str().unwrap(), call["arguments"].clone());
}

#[test]
fn a_path_that_is_taken_and_a_hash_that_is_none_are_told_by_their_names() {
    let fixture = ingested(&format!("{SHAPES}//- other.py\nX = 1\n"));
    let onto = json!({"edits": [{"file_path": "other.py", "rename_to": "sh.py"}]});
    let no = refused(&fixture, "apply_batch", onto);
    let hint = no["recovery"]["hint"].as_str().unwrap();
    assert!(hint.contains("Rename to another path") && !hint.contains("create"), "{no}");
    assert!(no["message"].as_str().unwrap().contains("rename_to"), "{no}");
    let short = json!({"file_path": "sh.py", "expected_hash": "00", "new_content": "x = 1\n"});
    let no = refused(&fixture, "apply", short);
    assert!(no["message"].as_str().unwrap().contains("expected_hash"), "{no}");
}
