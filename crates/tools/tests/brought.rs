//! What others made, brought into the graph: compilers' indexes and exports.

#![allow(clippy::unwrap_used)]

mod common;
#[path = "common/reviewed.rs"]
mod reviewed;

use common::ingested;
use m1nd_testkit::Fixture;
use protobuf::Message as _;
use scip::types::{Document, Index, Occurrence};
use serde_json::{Value, json};

use reviewed::commits::{ANN, commit};
use reviewed::committed_files;

const PROGRAM: &str = "
//- a.py
class Queue:
    def drain(self): ...
class Pool:
    def drain(self): ...
def run(x):
    x.drain()
//- b.py
from a import run
def go(x):
    run(x)
";

/// An index that says that `x.drain()` calls Queue.drain.
fn index() -> Vec<u8> {
    let occurrence = |range: [i32; 3], symbol: &str, roles| Occurrence {
        range: range.to_vec(),
        symbol: symbol.to_owned(),
        symbol_roles: roles,
        ..Occurrence::default()
    };
    let document = Document {
        relative_path: "a.py".to_owned(),
        occurrences: vec![
            occurrence([1, 8, 13], "Queue#drain().", 1),
            occurrence([5, 6, 11], "Queue#drain().", 0),
        ],
        ..Document::default()
    };
    Index { documents: vec![document], ..Index::default() }.write_to_bytes().unwrap()
}

fn program() -> Fixture {
    let fixture = Fixture::new(m1nd_tools::surface(), PROGRAM);
    std::fs::write(fixture.root().join("index.scip"), index()).unwrap();
    assert_eq!(fixture.call("ingest", json!({})).body["state"], "done");
    fixture
}

fn callees(fixture: &Fixture) -> Vec<(String, String)> {
    let body = fixture.call("callees", json!({"node_id": "run"})).body;
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    let calls = body["calls"].as_array().unwrap_or_else(|| panic!("{body}"));
    calls.iter().map(|call| (word(&call["node_id"]), word(&call["evidence"]))).collect()
}

fn precise() -> Vec<(String, String)> {
    vec![("method::a.py::Queue.drain".into(), "precise".into())]
}

#[test]
fn an_index_makes_calls_precise_until_their_file_changes() {
    let fixture = program();
    assert_eq!(callees(&fixture).len(), 2, "two methods fit the name");
    let report = fixture.call("ingest", json!({"adapter": "scip", "path": "index.scip"})).body;
    assert_eq!((&report["covered"], &report["stale"]), (&json!(1), &json!(0)), "{report}");
    assert_eq!(report["overlays"][0]["dropped"], 1, "{report}");
    assert_eq!(callees(&fixture), precise());
    // Another file's change makes a new generation, which the index still speaks for.
    std::fs::write(fixture.root().join("c.py"), "def more(): ...\n").unwrap();
    assert_eq!(fixture.call("callers", json!({"node_id": "more"})).body["total"], 0);
    assert_eq!(callees(&fixture), precise());
    assert_eq!(fixture.call("health", json!({})).body["graph"]["overlays"][0]["files_changed"], 0);
    fixture.call("ingest", json!({"incremental": false}));
    assert_eq!(callees(&fixture), precise(), "parsing everything again keeps it too");
    // A change of the covered file takes its precise edges away, and this is said.
    let text = std::fs::read_to_string(fixture.root().join("a.py")).unwrap();
    std::fs::write(fixture.root().join("a.py"), format!("import os\n{text}")).unwrap();
    assert_eq!(callees(&fixture).len(), 2);
    let overlay = &fixture.call("health", json!({})).body["graph"]["overlays"][0];
    assert_eq!((&overlay["files_covered"], &overlay["files_changed"]), (&json!(1), &json!(1)));
}

#[test]
fn an_index_holds_after_a_restart() {
    let fixture = program();
    fixture.call("ingest", json!({"adapter": "auto", "path": "index.scip"}));
    let again = fixture.restart(m1nd_tools::surface());
    let ask = |tool: &str, arguments: Value| {
        let mut arguments = arguments.as_object().unwrap().clone();
        arguments.insert("agent_id".into(), json!("a"));
        again.call_raw(tool, arguments).body
    };
    assert_eq!(ask("callees", json!({"node_id": "run"}))["calls"][0]["evidence"], "precise");
    std::fs::write(fixture.root().join("c.py"), "def more(): ...\n").unwrap();
    assert_eq!(ask("callers", json!({"node_id": "more"}))["total"], 0);
    let calls = ask("callees", json!({"node_id": "run"}));
    assert_eq!((&calls["total"], &calls["calls"][0]["evidence"]), (&json!(1), &json!("precise")));
}

#[test]
fn what_an_index_did_is_told_alike_however_often_it_is_read_and_by_every_process() {
    let fixture = program();
    let counts = |overlay: &Value| {
        ["files_covered", "files_changed", "upgraded", "added", "dropped"]
            .map(|name| overlay[name].as_u64().unwrap())
    };
    let whole = [1, 0, 1, 0, 1];
    let beside = fixture.restart(m1nd_tools::surface());
    let ask = |of: &m1nd_testkit::Process, tool: &str, arguments: Value| {
        let mut arguments = arguments.as_object().unwrap().clone();
        arguments.insert("agent_id".into(), json!("a"));
        of.call_raw(tool, arguments).body
    };
    assert_eq!(ask(&beside, "callees", json!({"node_id": "run"}))["total"], 2);
    std::fs::copy(fixture.root().join("index.scip"), fixture.root().join("other.scip")).unwrap();
    for _ in 0..2 {
        let report = fixture.call("ingest", json!({"adapter": "scip", "path": "index.scip"})).body;
        assert_eq!(counts(&report["overlays"][0]), whole, "{report}");
    }
    // What one of two indexes does is what it would do alone.
    for path in ["other.scip", "index.scip", "other.scip"] {
        let report = fixture.call("ingest", json!({"adapter": "scip", "path": path, "mode": "merge"})).body;
        let overlays = report["overlays"].as_array().unwrap();
        assert_eq!(overlays.len(), 2, "{report}");
        assert!(overlays.iter().all(|overlay| counts(overlay) == whole), "{report}");
        assert_eq!(overlays[0]["index"], "index.scip", "{report}");
    }
    let told = |body: Value| counts(&body["graph"]["overlays"][0]);
    let again = fixture.restart(m1nd_tools::surface());
    assert_eq!(told(ask(&again, "health", json!({}))), whole, "a new process knows it");
    assert_eq!(
        ask(&beside, "callees", json!({"node_id": "run"}))["total"],
        1,
        "and so does one that ran before"
    );
    assert_eq!(told(ask(&beside, "health", json!({}))), whole);
    let text = std::fs::read_to_string(fixture.root().join("a.py")).unwrap();
    std::fs::write(fixture.root().join("a.py"), format!("import os\n{text}")).unwrap();
    for of in [&again, &beside] {
        assert_eq!(ask(of, "callees", json!({"node_id": "run"}))["total"], 2);
        assert_eq!(told(ask(of, "health", json!({}))), [1, 1, 0, 0, 0]);
    }
    std::fs::write(fixture.root().join("a.py"), text).unwrap();
    assert_eq!(ask(&again, "callees", json!({"node_id": "run"}))["total"], 1);
    assert_eq!(told(ask(&again, "health", json!({}))), whole, "what is as it was is spoken for again");
}

#[test]
fn a_document_newer_than_the_index_is_not_used() {
    let fixture = program();
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(3_600);
    std::fs::File::options()
        .write(true)
        .open(fixture.root().join("index.scip"))
        .unwrap()
        .set_modified(old)
        .unwrap();
    let report = fixture.call("ingest", json!({"adapter": "scip", "path": "index.scip"})).body;
    assert_eq!((&report["covered"], &report["stale_files"]), (&json!(0), &json!(["a.py"])), "{report}");
    assert_eq!(callees(&fixture).len(), 2);
}

#[test]
fn what_cannot_be_read_is_refused_in_words() {
    let fixture = program();
    let refused = |arguments: Value| {
        let reply = fixture.call("ingest", arguments);
        assert!(reply.is_error, "{}", reply.text());
        reply.body["error"]["message"].as_str().unwrap().to_owned()
    };
    assert!(refused(json!({"adapter": "scip", "path": "a.py"})).contains("not a SCIP index"));
    assert!(refused(json!({"adapter": "scip"})).contains("`path` must name"));
    assert!(refused(json!({"adapter": "json", "path": "a.py"})).contains("the text is not a graph"));
    assert!(refused(json!({"adapter": "light"})).contains("`code`, `scip`, `json`, `auto`"));
    assert_eq!(callees(&fixture).len(), 2, "nothing was lost");
}

#[test]
fn an_export_comes_back_as_an_equal_graph() {
    let fixture = program();
    let view = || fixture.runtime.workspace().unwrap().view();
    let before = view().graph().unwrap().clone();
    before.weights().set(0, m1nd_stdx::float::FiniteF32::new(2.5));
    let exported = fixture.call("persist", json!({"action": "export", "path": "graph.json"})).body;
    assert_eq!((&exported["state"], &exported["nodes"]), (&json!("exported"), &json!(before.node_count())));
    let imported = fixture.call("ingest", json!({"adapter": "auto", "path": "graph.json"})).body;
    assert_eq!(imported["imported_from"], "graph.json", "{imported}");
    assert_eq!(**view().graph().unwrap(), *before);
    // The import stays what it is, and says so, until the files are asked for.
    std::fs::write(fixture.root().join("c.py"), "def more(): ...\n").unwrap();
    let answer = fixture.call("callers", json!({"node_id": "run"})).body;
    assert_eq!((&answer["total"], &answer["freshness"]["stale"]), (&json!(1), &json!(true)));
    assert_eq!(
        fixture.restart(m1nd_tools::surface()).runtime.workspace().unwrap().view().imported_from(),
        Some("graph.json")
    );
    fixture.call("ingest", json!({}));
    let answer = fixture.call("callers", json!({"node_id": "more"})).body;
    assert_eq!((&answer["total"], &answer["freshness"]["stale"]), (&json!(0), &json!(false)), "{answer}");
}

#[test]
fn a_damaged_export_says_where_and_costs_nothing() {
    let fixture = program();
    fixture.call("persist", json!({"action": "export", "path": "graph.json"}));
    let text = std::fs::read_to_string(fixture.root().join("graph.json")).unwrap();
    let damages = [
        ("\"weight\":", "\"weight\":-", "edges[0].weight is -"),
        ("\"weight\":", "\"weight\":NaN,\"weight\":", "edges[0]: expected value"),
        ("\"kind\":\"file\"", "\"kind\":\"folder\"", ": unknown variant `folder`"),
        ("\"source\":\"", "\"source\":\"no", "edges[0] names the unknown node `no"),
    ];
    for (from, to, says) in damages {
        std::fs::write(fixture.root().join("damaged.json"), text.replacen(from, to, 1)).unwrap();
        let reply = fixture.call("ingest", json!({"adapter": "json", "path": "damaged.json"}));
        assert!(reply.is_error && reply.text().contains(says), "{to}: {}", reply.text());
        assert_eq!(fixture.runtime.workspace().unwrap().view().imported_from(), None);
        assert_eq!(callees(&fixture).len(), 2, "nothing was lost");
    }
}

#[test]
fn an_export_right_after_a_commit_knows_of_it() {
    let fixture = committed_files(&[("a.py", "def run(): ...\n"), ("b.py", "def go(): ...\n")]);
    let commits = || {
        let exported = fixture.call("persist", json!({"action": "export"}));
        assert!(!exported.is_error, "{}", exported.text());
        let text = std::fs::read_to_string(exported.body["file"].as_str().unwrap()).unwrap();
        let graph: Value = serde_json::from_str(&text).unwrap();
        let nodes = graph["nodes"].as_array().unwrap();
        let file = nodes.iter().find(|node| node["id"] == "file::a.py").unwrap();
        file["history"]["commits"].clone()
    };
    assert_eq!(commits(), 1);
    // The files stay as they are: only the history goes on.
    commit(fixture.root(), ANN, &[("a.py", "def run(): pass\n")]);
    commit(fixture.root(), ANN, &[("a.py", "def run(): ...\n")]);
    assert_eq!(commits(), 3);
}

#[test]
fn an_export_overwrites_only_exports() {
    let fixture = ingested();
    let export = |path: &str| fixture.call("persist", json!({"action": "export", "path": path}));
    assert!(!export("out.json").is_error);
    assert!(!export("out.json").is_error, "an export may be replaced");
    for path in ["src/main.rs", "src", "nowhere/out.json", "../out.json"] {
        assert!(export(path).is_error, "{path}");
    }
    assert!(std::fs::read_to_string(fixture.root().join("src/main.rs")).unwrap().starts_with("fn main"));
    std::os::unix::fs::symlink("../dangling.json", fixture.root().join("dangling.json")).unwrap();
    assert!(export("dangling.json").is_error);
    assert!(!fixture.outside().join("dangling.json").exists());
}

#[test]
fn the_last_good_graph_can_be_loaded() {
    let fixture = ingested();
    let loaded = fixture.call("persist", json!({"action": "load"})).body;
    assert_eq!((&loaded["state"], &loaded["nodes"]), (&json!("loaded"), &json!(9)), "{loaded}");
    assert_eq!(fixture.call("callers", json!({"node_id": "greet"})).body["total"], 1);
    // What was not saved is read again from the files, under a number that nothing else had.
    std::fs::write(fixture.root().join("src/more.rs"), "fn more() {}\n").unwrap();
    let unsaved = fixture.call("outline", json!({"file_path": "src/more.rs"})).body;
    assert_eq!(unsaved["total"], 1);
    let loaded = fixture.call("persist", json!({"action": "load"})).body;
    assert_eq!(loaded["nodes"], 9);
    assert!(loaded["generation"].as_u64() > unsaved["freshness"]["generation"].as_u64());
    let again = fixture.call("outline", json!({"file_path": "src/more.rs"})).body;
    assert_eq!(again["total"], 1);
    assert!(again["freshness"]["generation"].as_u64() > loaded["generation"].as_u64());
}

#[test]
fn an_index_outside_the_workspace_is_to_be_copied_into_it() {
    let fixture = Fixture::new(m1nd_tools::surface(), PROGRAM);
    let outside = fixture.outside().join("index.scip");
    std::fs::write(&outside, index()).unwrap();
    let reply = fixture.call("ingest", json!({"adapter": "scip", "path": outside.display().to_string()}));
    let said: Value = serde_json::from_str(&reply.text()).unwrap();
    assert_eq!(said["error"]["code"], "path_outside_workspace", "{said}");
    assert!(said["error"]["recovery"]["hint"].as_str().unwrap().starts_with("Copy the file into"), "{said}");
}
