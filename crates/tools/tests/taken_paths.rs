//! What a batch tells where a path gets other content than it had: by a rename onto it, a swap, a new file; and back.

#![allow(clippy::unwrap_used)]

mod common;

use common::{ok, refused};
use m1nd_testkit::Fixture;
use serde_json::{Value, json};

const FILES: &str = "
//- x.py
def kept(a):
    return a


def gone():
    return 1
//- y.py
def kept(a, b):
    return a + b


def own():
    return 2
//- use.py
from x import gone, kept


def run():
    return gone() + kept(1)
//- test_use.py
from use import run


def test_run():
    assert run() == 2
";

fn ingested() -> Fixture {
    let fixture = Fixture::new(m1nd_tools::surface(), FILES);
    ok(&fixture, "ingest", json!({}));
    fixture
}

fn read(fixture: &Fixture, path: &str) -> Option<String> {
    std::fs::read_to_string(fixture.root().join(path)).ok()
}

/// The lists of an answer, each entry as its telling words.
fn told(body: &Value, list: &str, fields: &[&str]) -> Vec<String> {
    let words = |one: &Value| {
        let word = |field: &&str| one.get(*field).map(|value| value.to_string().replace('"', ""));
        fields.iter().filter_map(word).collect::<Vec<_>>().join(" ")
    };
    let mut all: Vec<String> = body[list].as_array().into_iter().flatten().map(words).collect();
    all.sort();
    all
}

fn files(body: &Value) -> Vec<String> {
    told(body, "files", &["change", "from", "file_path", "added", "removed"])
}

fn symbols(body: &Value) -> Vec<String> {
    told(body, "symbols", &["change", "name", "at"])
}

fn uses(body: &Value, list: &str) -> Vec<String> {
    told(body, list, &["at", "uses"])
}

fn onto_a_deleted_path() -> Value {
    json!([{"file_path": "x.py", "delete": true}, {"file_path": "y.py", "rename_to": "x.py"}])
}

#[test]
fn a_file_that_takes_the_path_of_a_deleted_one_does_not_hide_what_that_defined() {
    let fixture = ingested();
    let verified = json!({"edits": onto_a_deleted_path(), "verify": "graph"});
    let no = refused(&fixture, "apply_batch", verified);
    assert_eq!(uses(&no["detail"], "dangling_callers"), ["use.py:1 gone", "use.py:5 gone"], "{no}");
    let dry = ok(&fixture, "apply_batch", json!({"edits": onto_a_deleted_path(), "dry_run": true}));
    let diff = dry["diff"].as_str().unwrap();
    assert!(diff.contains("deleted file mode") && diff.contains("rename to x.py"), "{diff}");
    assert_eq!(uses(&dry, "callers_to_check"), ["use.py:1 gone", "use.py:5 gone", "use.py:5 kept"], "{dry}");
    let made = ok(&fixture, "apply_batch", json!({"edits": onto_a_deleted_path()}));
    assert_eq!(files(&made), ["deleted x.py 0 6", "renamed y.py x.py 0 0"]);
    assert_eq!(symbols(&made), ["removed gone x.py:5", "signature kept x.py:1"]);
    assert_eq!(uses(&made, "dangling_callers"), ["use.py:1 gone", "use.py:5 gone"]);
    assert_eq!(uses(&made, "callers_to_check"), ["use.py:5 kept"]);
    assert_eq!(made["tests"]["run"][0]["at"], "test_use.py:4", "{made}");
    let by_diff = ingested();
    ok(&by_diff, "apply_batch", json!({"diff": diff}));
    assert_eq!((read(&by_diff, "x.py"), read(&by_diff, "y.py")), (read(&fixture, "x.py"), None));
}

#[test]
fn taking_that_back_tells_what_comes_what_moves_and_whom_to_check() {
    let fixture = ingested();
    let (x, y) = (read(&fixture, "x.py"), read(&fixture, "y.py"));
    let made = ok(&fixture, "apply_batch", json!({"edits": onto_a_deleted_path()}));
    let back = ok(&fixture, "undo_batch", json!({"batch_id": made["batch_id"]}));
    assert_eq!((read(&fixture, "x.py"), read(&fixture, "y.py")), (x, y));
    assert_eq!(files(&back), ["created x.py 6 0", "renamed x.py y.py 0 0"]);
    assert_eq!(symbols(&back), ["added gone x.py:5", "signature kept x.py:1"]);
    assert_eq!(uses(&back, "callers_to_check"), [""; 0], "the call fits again");
    assert_eq!(uses(&back, "dangling_callers"), [""; 0]);
    let again = ok(&fixture, "undo_batch", json!({"batch_id": back["batch_id"]}));
    assert_eq!(files(&again), files(&made), "taken back twice it is the batch itself");
    assert_eq!(symbols(&again), symbols(&made));
    assert_eq!(uses(&again, "dangling_callers"), uses(&made, "dangling_callers"));
}

#[test]
fn callers_of_two_files_that_change_places_are_told() {
    let fixture = ingested();
    let swap =
        json!([{"file_path": "x.py", "rename_to": "y.py"}, {"file_path": "y.py", "rename_to": "x.py"}]);
    let made = ok(&fixture, "apply_batch", json!({"edits": swap}));
    assert_eq!(files(&made), ["renamed x.py y.py 0 0", "renamed y.py x.py 0 0"]);
    assert_eq!(symbols(&made), ["signature kept x.py:1", "signature kept y.py:1"]);
    assert_eq!(uses(&made, "dangling_callers"), ["use.py:1 gone", "use.py:5 gone"]);
    assert_eq!(uses(&made, "callers_to_check"), ["use.py:5 kept"]);
    let back = ok(&fixture, "undo_batch", json!({"batch_id": made["batch_id"]}));
    assert_eq!(files(&back), files(&made));
    assert_eq!(uses(&back, "dangling_callers"), [""; 0]);
}

#[test]
fn a_file_made_where_another_moved_away_is_compared_with_that() {
    let fixture = ingested();
    let instead = json!([
        {"file_path": "x.py", "rename_to": "z.py"},
        {"file_path": "x.py", "create": true, "new_content": "def kept(a, b, c):\n    return a\n\n\ndef new():\n    return 3\n"},
    ]);
    let made = ok(&fixture, "apply_batch", json!({"edits": instead}));
    assert_eq!(files(&made), ["created x.py 6 0", "renamed x.py z.py 0 0"]);
    assert_eq!(symbols(&made), ["added new x.py:5", "signature kept x.py:1"]);
    assert_eq!(uses(&made, "dangling_callers"), ["use.py:1 gone", "use.py:5 gone"]);
    assert_eq!(uses(&made, "callers_to_check"), ["use.py:5 kept"]);
    let back = ok(&fixture, "undo_batch", json!({"batch_id": made["batch_id"]}));
    assert_eq!(files(&back), ["deleted x.py 0 6", "renamed z.py x.py 0 0"]);
    assert_eq!(symbols(&back), ["removed new x.py:5", "signature kept x.py:1"]);
    assert_eq!(uses(&back, "callers_to_check"), [""; 0], "the call fits again");
}

#[test]
fn taking_back_a_file_that_others_use_by_now_tells_what_dangles() {
    let fixture = ingested();
    let create =
        json!([{"file_path": "w.py", "create": true, "new_content": "def fresh(a):\n    return a\n"}]);
    let made = ok(&fixture, "apply_batch", json!({"edits": create}));
    let using = json!({"file_path": "use.py", "edits": [
        {"old": "from x import gone, kept", "new": "from w import fresh\nfrom x import gone, kept"},
        {"old": "return gone()", "new": "return fresh(1) + gone()"},
    ]});
    ok(&fixture, "apply", using);
    let back = ok(&fixture, "undo_batch", json!({"batch_id": made["batch_id"]}));
    assert_eq!(files(&back), ["deleted w.py 0 2"]);
    assert_eq!(symbols(&back), ["removed fresh w.py:1"]);
    assert_eq!(uses(&back, "dangling_callers"), ["use.py:1 w.py", "use.py:6 fresh"]);
    assert_eq!(back["next_suggested_tool"], "view");
    let deleted = ok(&fixture, "apply_batch", json!({"edits": [{"file_path": "x.py", "delete": true}]}));
    let back = ok(&fixture, "undo_batch", json!({"batch_id": deleted["batch_id"]}));
    assert_eq!(files(&back), ["created x.py 6 0"]);
    assert_eq!(symbols(&back), ["added gone x.py:5", "added kept x.py:1"]);
    assert_eq!(back["tests"]["run"][0]["at"], "test_use.py:4", "{back}");
}
