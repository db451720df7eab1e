//! Two repositories in one graph: put in by whoever says so, found, followed and taken out again.

#![allow(clippy::unwrap_used)]

use std::fs;

use m1nd_testkit::{Fixture, lay_out};
use serde_json::{Value, json};

const APP: &str = r#"
//- package.json
{"name": "app", "dependencies": {"kit": "1.0.0"}}
//- src/main.ts
import { open } from "kit";
export function start() { open("x"); }
//- Cargo.toml
[package]
name = "app"
[dependencies]
engine = { path = "../lib" }
//- src/main.rs
fn main() { engine::turn(); }
//- app.py
from kit_py.tools import sharpen
def work():
    sharpen()
"#;

const LIB: &str = r#"
//- package.json
{"name": "kit", "main": "index.ts"}
//- index.ts
export function open(name: string) { return name; }
//- Cargo.toml
[package]
name = "engine"
//- src/lib.rs
pub fn turn() { spin(); }
fn spin() {}
//- kit_py/__init__.py
//- kit_py/tools.py
def sharpen(): ...
//- .gitignore
ignored.py
//- ignored.py
def never(): ...
//- .env
TOKEN=x
"#;

fn two() -> Fixture {
    let fixture = Fixture::new(m1nd_tools::surface(), APP);
    let lib = fixture.outside().join("lib");
    fs::create_dir_all(lib.join(".git")).unwrap();
    lay_out(&lib, LIB);
    fixture
}

fn joined() -> Fixture {
    let fixture = two();
    let report = ok(&fixture, "ingest", json!({"path": "../lib", "intent": "add_root"}));
    assert_eq!(
        (&report["state"], &report["roots"][0]["namespace"]),
        (&json!("done"), &json!("lib")),
        "{report}"
    );
    fixture
}

fn ok(fixture: &Fixture, tool: &str, arguments: Value) -> Value {
    let reply = fixture.call(tool, arguments);
    assert!(!reply.is_error, "{}", reply.text());
    reply.body
}

fn refused(fixture: &Fixture, tool: &str, arguments: Value) -> (String, String) {
    let reply = fixture.call(tool, arguments);
    assert!(reply.is_error, "{}", reply.text());
    let said = |name: &str| reply.body["error"][name].as_str().unwrap().to_owned();
    (said("code"), said("message"))
}

fn caller_of(fixture: &Fixture, node: &str) -> Vec<String> {
    let body = ok(fixture, "callers", json!({"node_id": node}));
    let calls = body["calls"].as_array().unwrap_or_else(|| panic!("{body}"));
    calls.iter().map(|call| call["node_id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn another_repository_enters_only_for_whoever_says_so() {
    let fixture = two();
    let lib = fixture.outside().join("lib").display().to_string();
    let reply = fixture.call("ingest", json!({"path": lib}));
    let error = &reply.body["error"];
    assert_eq!(error["code"], "path_outside_workspace", "{error}");
    assert_eq!(error["recovery"]["arguments"]["intent"], "add_root", "{error}");
    ok(&fixture, "ingest", json!({}));
    assert_eq!(
        refused(&fixture, "view", json!({"file_path": lib.clone() + "/src/lib.rs"})).0,
        "path_outside_workspace"
    );
    let mut arguments = error["recovery"]["arguments"].as_object().unwrap().clone();
    arguments.remove("agent_id");
    ok(&fixture, "ingest", Value::Object(arguments));
    ok(&fixture, "view", json!({"file_path": lib + "/src/lib.rs"}));
}

#[test]
fn calls_lead_from_one_to_the_other_where_packages_are_named() {
    let fixture = joined();
    assert_eq!(caller_of(&fixture, "lib::/index.ts::open"), ["function::src/main.ts::start"]);
    assert_eq!(caller_of(&fixture, "lib::/src/lib.rs::turn"), ["function::src/main.rs::main"]);
    assert_eq!(caller_of(&fixture, "sharpen"), ["function::app.py::work"]);
    assert_eq!(caller_of(&fixture, "function::lib::/src/lib.rs::spin"), ["function::lib::/src/lib.rs::turn"]);
}

#[test]
fn everything_that_reads_finds_both_and_each_keeps_its_own_rules() {
    let fixture = joined();
    let found = ok(&fixture, "search", json!({"query": "sharpen", "mode": "literal"}));
    assert_eq!(found["total_matches"], 3, "{found}");
    let found = ok(&fixture, "search", json!({"query": "sharpen", "mode": "literal", "scope": "lib::"}));
    assert_eq!(
        (&found["total_matches"], &found["matches"][0]["file_path"]),
        (&json!(1), &json!("lib::/kit_py/tools.py")),
        "{found}"
    );
    let found = ok(&fixture, "search", json!({"query": "never", "mode": "literal"}));
    assert_eq!(found["total_matches"], 0, "{found}");
    let files = ok(&fixture, "glob", json!({"pattern": "*.ts"}));
    assert_eq!(files["total"], 2, "{files}");
    let shown = ok(&fixture, "view", json!({"file_path": "lib::/src/lib.rs"}));
    assert!(shown["content"].as_str().unwrap().contains("spin"), "{shown}");
    let listed = ok(&fixture, "outline", json!({"file_path": "lib::/src"}));
    assert!(listed.to_string().contains("turn"), "{listed}");
    let sought = ok(&fixture, "seek", json!({"query": "sharpen tools"}));
    assert!(sought.to_string().contains("lib::/kit_py/tools.py"), "{sought}");
    for escape in ["lib::/../../secret", "lib::/.env"] {
        let reply = fixture.call("view", json!({"file_path": escape}));
        assert!(reply.is_error, "{escape}");
    }
    let health = ok(&fixture, "health", json!({}));
    assert_eq!(health["workspace"]["roots"][0]["namespace"], "lib", "{health}");
}

#[test]
fn edits_in_the_other_repository_are_seen_and_other_processes_see_it_too() {
    let fixture = joined();
    let other = fixture.restart(m1nd_tools::surface());
    let file = fixture.outside().join("lib/src/lib.rs");
    fs::write(file, "pub fn turn() { whirl(); }\nfn whirl() {}\n").unwrap();
    assert_eq!(caller_of(&fixture, "whirl"), ["function::lib::/src/lib.rs::turn"]);
    let asked = |node: &str| {
        let arguments = json!({"agent_id": "b", "node_id": node});
        other.call_raw("callers", arguments.as_object().unwrap().clone())
    };
    assert_eq!(asked("whirl").body["total"], 1);
    ok(&fixture, "ingest", json!({"namespace": "lib", "intent": "remove_root"}));
    assert!(asked("whirl").is_error, "taken out by the first process");
    assert!(refused(&fixture, "callers", json!({"node_id": "whirl"})).0 == "node_not_found");
    assert!(fixture.outside().join("lib/src/lib.rs").exists(), "only the graph forgets it");
}

#[test]
fn every_tool_that_reads_follows_what_another_process_puts_in_and_takes_out() {
    let calls = [
        ("search", json!({"agent_id": "b", "query": "sharpen", "mode": "literal", "scope": "lib::"})),
        ("view", json!({"agent_id": "b", "file_path": "lib::/src/lib.rs"})),
        ("batch_view", json!({"agent_id": "b", "files": ["lib::/src/lib.rs"]})),
        ("outline", json!({"agent_id": "b", "file_path": "lib::/src"})),
        ("glob", json!({"agent_id": "b", "pattern": "*.py", "scope": "lib::"})),
        ("health", json!({"agent_id": "b"})),
    ];
    for (tool, arguments) in calls {
        let fixture = two();
        ok(&fixture, "ingest", json!({}));
        let other = fixture.restart(m1nd_tools::surface());
        let ask = || other.call_raw(tool, arguments.as_object().unwrap().clone());
        let is_there = |reply: &str| {
            let is_found = reply.contains("lib::/") || reply.contains("\"namespace\":\"lib\"");
            is_found && !reply.contains("file_not_found")
        };
        let before = ask();
        assert!(before.is_error || !is_there(&before.text()), "{tool}: {}", before.text());
        ok(&fixture, "ingest", json!({"path": "../lib", "intent": "add_root"}));
        let reply = ask();
        assert!(!reply.is_error && is_there(&reply.text()), "{tool}: {}", reply.text());
        ok(&fixture, "ingest", json!({"namespace": "lib", "intent": "remove_root"}));
        let after = ask();
        assert!(after.is_error || !is_there(&after.text()), "{tool}: {}", after.text());
    }
}

#[test]
fn a_repository_that_goes_away_is_said_and_comes_back() {
    let fixture = joined();
    let (lib, away) = (fixture.outside().join("lib"), fixture.outside().join("away"));
    fs::rename(&lib, &away).unwrap();
    let (code, said) = refused(&fixture, "callers", json!({"node_id": "spin"}));
    assert_eq!(code, "node_not_found");
    assert!(said.contains("cannot be read now (lib)"), "{said}");
    let body = ok(&fixture, "callers", json!({"node_id": "work"}));
    assert_eq!(body["calls"], json!([]), "the workspace itself goes on");
    assert_eq!(body["freshness"]["missing_roots"], json!(["lib"]), "{body}");
    assert_eq!(body["freshness"]["stale"], true, "{body}");
    let health = ok(&fixture, "health", json!({}));
    assert!(health["workspace"]["roots"][0]["problem"].as_str().unwrap().contains("lib"), "{health}");
    fs::rename(&away, &lib).unwrap();
    let body = ok(&fixture, "callers", json!({"node_id": "spin"}));
    assert_eq!((&body["total"], &body["freshness"]["stale"]), (&json!(1), &json!(false)), "{body}");
    assert!(body["freshness"]["missing_roots"].is_null(), "{body}");
}

#[test]
fn a_damaged_list_is_set_aside_and_said_until_there_is_a_new_one() {
    let fixture = joined();
    let list = state_file(&fixture, "roots.json");
    fs::write(&list, "[{\"namespace\": ").unwrap();
    let body = ok(&fixture, "callers", json!({"node_id": "work"}));
    assert_eq!(body["freshness"]["stale"], true, "{body}");
    let other = fixture.restart(m1nd_tools::surface());
    let health = other.call_raw("health", json!({"agent_id": "b"}).as_object().unwrap().clone()).body;
    let said = health["graph"]["problem"].as_str().unwrap_or_else(|| panic!("{health}"));
    assert!(said.contains("roots.corrupt-") && said.contains("intent=add_root"), "{said}");
    ok(&fixture, "ingest", json!({"path": "../lib", "intent": "add_root"}));
    assert_eq!(caller_of(&fixture, "spin").len(), 1);
    let health = ok(&fixture, "health", json!({}));
    assert!(health["graph"]["problem"].is_null(), "{health}");
}

#[test]
fn a_folder_that_comes_to_bear_the_name_of_another_repository_changes_nothing() {
    let fixture = joined();
    let own = fixture.root().join("lib::");
    fs::create_dir(&own).unwrap();
    fs::write(own.join("mine.py"), "def mine(): ...\n").unwrap();
    assert_eq!(refused(&fixture, "callers", json!({"node_id": "mine"})).0, "node_not_found");
    let other = fixture.restart(m1nd_tools::surface());
    let asked = |node: &str| {
        let arguments = json!({"agent_id": "b", "node_id": node});
        other.call_raw("callers", arguments.as_object().unwrap().clone())
    };
    assert_eq!(asked("spin").body["total"], 1, "{}", asked("spin").text());
    assert!(asked("mine").is_error);
}

fn state_file(fixture: &Fixture, name: &str) -> std::path::PathBuf {
    let health = ok(fixture, "health", json!({}));
    std::path::Path::new(health["workspace"]["runtime_root"].as_str().unwrap()).join(name)
}

#[test]
fn the_runtime_contract_names_every_repository() {
    let fixture = joined();
    let body = ok(&fixture, "seek", json!({"query": "sharpen", "contract": "full"}));
    let contract = &body["agent_runtime_contract"];
    assert_eq!(contract["graph_identity"]["ingest_root_count"], 2, "{contract}");
    assert_eq!(contract["workspace_binding"]["ingest_roots"].as_array().unwrap().len(), 2, "{contract}");
}

#[test]
fn what_makes_no_sense_is_refused_and_nothing_changes() {
    let fixture = joined();
    let say = |arguments: Value| refused(&fixture, "ingest", arguments).1;
    assert!(say(json!({"namespace": "x"})).contains("`intent`"));
    assert!(say(json!({"intent": "add_root"})).contains("`path` must name"));
    assert!(say(json!({"intent": "add_root", "path": "/"})).contains("holds the workspace itself"));
    assert!(say(json!({"intent": "add_root", "path": "src"})).contains("part of the workspace already"));
    assert!(say(json!({"intent": "add_root", "path": "../lib"})).contains("there already as lib"));
    assert!(say(json!({"intent": "add_root", "path": "../nowhere"})).contains("no folder"));
    assert!(say(json!({"intent": "remove_root", "namespace": "libb"})).contains("There are: lib."));
    assert!(say(json!({"intent": "remove_root"})).contains("`namespace` must say"));
    fs::create_dir(fixture.outside().join("third")).unwrap();
    assert!(
        say(json!({"intent": "add_root", "path": "../third", "namespace": "../x"})).contains("is no name")
    );
    assert!(
        say(json!({"intent": "add_root", "path": "../third", "namespace": "lib"})).contains("stands for")
    );
    assert_eq!(caller_of(&fixture, "spin").len(), 1);
}

#[test]
fn two_processes_that_add_at_once_lose_neither() {
    let fixture = two();
    let others: Vec<_> = (0..4).map(|_| fixture.restart(m1nd_tools::surface())).collect();
    for at in 0..4 {
        lay_out(&fixture.outside().join(format!("r{at}")), "//- a.py\ndef a(): ...\n");
    }
    std::thread::scope(|scope| {
        for (at, other) in others.iter().enumerate() {
            let arguments = json!({"agent_id": "x", "path": format!("../r{at}"), "intent": "add_root"});
            scope.spawn(move || {
                let reply = other.call_raw("ingest", arguments.as_object().unwrap().clone());
                assert!(!reply.is_error, "{}", reply.text());
            });
        }
    });
    let report = ok(&fixture, "ingest", json!({}));
    assert_eq!(report["roots"].as_array().unwrap().len(), 4, "{report}");
}
