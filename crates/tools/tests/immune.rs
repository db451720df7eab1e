//! Where trouble is, or comes: bugs that are known, files that catch them, state that is shared.

#![allow(clippy::unwrap_used)]

use m1nd_testkit::Fixture;
use serde_json::{Value, json};

fn fixture() -> Fixture {
    let fixture = Fixture::new(
        m1nd_tools::surface(),
        r#"
//- src/door.py
def open_door(name):
    return name

def close_door(name):
    return name

def log(name):
    print(name)
//- src/house.py
from door import open_door, close_door, log

def enter(name):
    open_door(name)
    log(name)

def visit(name):
    open_door(name)
    close_door(name)
//- src/shed.py
from door import open_door, log

def fetch(name):
    open_door(name)

def look(name):
    log(name)
"#,
    );
    let reply = fixture.call("ingest", json!({}));
    assert_eq!(reply.body["state"], "done", "{}", reply.text());
    fixture
}

fn left_open() -> Value {
    json!({"node_id": "enter", "name": "left open", "with": ["open_door"], "without": ["close_door"]})
}

#[test]
fn the_like_of_a_bug_is_found_and_panoramic_counts_it() {
    let fixture = fixture();
    let before = fixture.call("panoramic", json!({})).body;
    let lacks = |body: &Value| {
        let said = body["no_data"].as_array().cloned().unwrap_or_default();
        said.iter().any(|one| one.as_str().unwrap().starts_with("antibodies: "))
    };
    assert!(lacks(&before), "{before}");
    let made = fixture.call("antibody_create", left_open()).body;
    assert_eq!(made["pattern"], "callable: calls open_door; without close_door", "{made}");
    // Two of the seven functions fit.
    assert_eq!(
        (&made["matches"], &made["of"], &made["matches_source"]),
        (&json!(2), &json!(7), &json!(true))
    );
    let scan = fixture.call("antibody_scan", json!({})).body;
    let found: Vec<&str> =
        scan["matches"].as_array().unwrap().iter().map(|one| one["node_id"].as_str().unwrap()).collect();
    assert_eq!(found, ["function::src/house.py::enter", "function::src/shed.py::fetch"], "{scan}");
    let list = fixture.call("antibody_list", json!({})).body;
    assert_eq!(list["antibodies"][0]["matches"], scan["antibodies"][0]["matches"], "{list}");
    assert_eq!(list["antibodies"][0]["matches"], 2, "{list}");
    let after = fixture.call("panoramic", json!({})).body;
    assert!(!lacks(&after), "{after}");
    let counts: Vec<(&str, u64)> = after["modules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["source_path"].as_str().unwrap(), one["antibody_matches"].as_u64().unwrap()))
        .collect();
    assert!(counts.contains(&("src/shed.py", 1)) && counts.contains(&("src/door.py", 0)), "{counts:?}");
    let why = fixture.call("heuristics_surface", json!({"node_id": "src/shed.py"})).body;
    assert_eq!(why["antibody_matches"][0]["node_id"], "function::src/shed.py::fetch", "{why}");
}

#[test]
fn a_critical_pattern_alarms_and_every_place_counts() {
    let fixture = Fixture::new(
        m1nd_tools::surface(),
        "//- src/door.py\ndef open_door():\n    return 1\n\ndef close_door():\n    return 2\n//- src/house.py\nfrom door import open_door\n\ndef enter():\n    open_door()\n\ndef leave():\n    open_door()\n",
    );
    assert_eq!(fixture.call("ingest", json!({})).body["state"], "done");
    let mut made = left_open();
    made["severity"] = json!("critical");
    let made = fixture.call("antibody_create", made);
    assert!(!made.is_error, "{}", made.text());
    let found = fixture.call("panoramic", json!({})).body;
    let house = found["modules"].as_array().unwrap().iter().find(|one| one["source_path"] == "src/house.py");
    let house = house.unwrap();
    assert_eq!(house["antibody_matches"], 2, "{found}");
    let alerts = found["critical_alerts"].as_array().unwrap();
    let alert = alerts.iter().find(|one| one["category"] == "antibody_critical").unwrap();
    assert_eq!(alert["affected_nodes"], json!(["file::src/house.py"]), "{found}");
    // What a row shows as its risk is at least that.
    let again = fixture.call("panoramic", json!({"min_risk": house["combined_risk"]})).body;
    assert!(again["modules"].as_array().unwrap().iter().any(|one| one == house), "{again}");
    let made = json!({"node_id": "enter", "name": "shut", "with": ["open_door"], "without": ["enter"]});
    let made = fixture.call("antibody_create", made).body;
    assert_eq!(made["matches_source"], false, "{made}");
    assert!(made["next_step_hint"].as_str().unwrap().contains("does not fit the node"), "{made}");
}

#[test]
fn twins_and_patterns_that_say_nothing_are_refused() {
    let fixture = fixture();
    assert!(!fixture.call("antibody_create", left_open()).is_error);
    let twin = fixture.call("antibody_create", left_open()).body;
    assert_eq!(twin["error"]["code"], "conflict", "{twin}");
    let mut again = left_open();
    again["replaces"] = json!("ab-1");
    assert_eq!(fixture.call("antibody_create", again).body["antibody_id"], "ab-2");
    assert_eq!(fixture.call("antibody_list", json!({})).body["total"], 1);
    let blunt = json!({"node_id": "enter", "name": "a function", "with": ["name"]});
    let blunt = fixture.call("antibody_create", blunt).body;
    assert!(blunt["error"]["message"].as_str().unwrap().contains("7 of 7"), "{blunt}");
    let missing = json!({"node_id": "enter", "name": "x", "with": ["lock_door"]});
    assert_eq!(fixture.call("antibody_create", missing).body["error"]["code"], "invalid_params");
}

#[test]
fn a_defect_goes_to_those_who_use_the_file() {
    let fixture = fixture();
    let none = fixture.call("epidemic", json!({})).body;
    assert!(none["no_data"].as_str().unwrap().starts_with("no_data"), "{none}");
    let spread = fixture.call("epidemic", json!({"node_ids": ["src/door.py"]})).body;
    let files: Vec<&str> =
        spread["at_risk"].as_array().unwrap().iter().map(|one| one["file_path"].as_str().unwrap()).collect();
    assert_eq!(files.len(), 2, "{spread}");
    assert!(files.contains(&"src/house.py") && files.contains(&"src/shed.py"), "{spread}");
    let back = fixture.call("epidemic", json!({"node_ids": ["src/shed.py"]})).body;
    assert_eq!(back["total"], 0, "{back}");
    assert!(back["next_step_hint"].as_str().unwrap().starts_with("No file of the program"), "{back}");
    let never = fixture.call("epidemic", json!({"node_ids": ["src/door.py"], "beta": 0})).body;
    assert!(never["next_step_hint"].as_str().unwrap().starts_with("Nothing was infected"), "{never}");
}

#[test]
fn state_that_is_changed_under_a_lock_is_no_trouble() {
    let fixture = Fixture::new(
        m1nd_tools::surface(),
        r#"
//- app/store.py
from threading import Lock

cache = {}
_lock = Lock()

def put(key, value):
    _set(key, value)

def put_safely(key, value):
    with _lock:
        _set_locked(key, value)

def _set(key, value):
    cache[key] = value

def _set_locked(key, value):
    cache[key] = value
//- app/page.js
let count = 0;
export function hit() {
    count += 1;
}
"#,
    );
    assert_eq!(fixture.call("ingest", json!({})).body["state"], "done");
    let flow = fixture.call("flow_simulate", json!({"node_ids": ["put", "put_safely"]})).body;
    let found = flow["turbulent"].as_array().unwrap();
    assert_eq!(found.len(), 1, "{flow}");
    assert_eq!(found[0]["node_id"], "function::app/store.py::_set");
    assert_eq!((&found[0]["changes"], &found[0]["turbulence"]), (&json!(["cache:14"]), &json!(0.5)));
    assert_eq!((&flow["writers"], &flow["guarded"]), (&json!(2), &json!(1)));
    assert!(flow["no_data"][0].as_str().unwrap().contains("javascript (1 files)"), "{flow}");
}

#[test]
fn what_prepares_packages_runs_one_after_another() {
    let fixture = Fixture::new(
        m1nd_tools::surface(),
        r#"
//- go.mod
module example.com/m
//- main.go
package main

import "net/http"

var known = map[string]int{}

func register(name string) {
	known[name] = 1
}

func init() {
	register("a")
}

func serve(w http.ResponseWriter, r *http.Request) {}

func main() {
	http.HandleFunc("/x", serve)
}
//- more.go
package main

func init() {
	register("b")
}
"#,
    );
    assert_eq!(fixture.call("ingest", json!({})).body["state"], "done");
    let flow = fixture.call("flow_simulate", json!({})).body;
    assert_eq!((&flow["entry_kind"], &flow["writers"]), (&json!("routes"), &json!(1)), "{flow}");
    assert_eq!(flow["entry_points"], 2, "the handler and the program: {flow}");
    assert_eq!(flow["turbulent"], json!([]), "{flow}");
}

#[test]
fn a_dangerous_call_is_found_with_the_way_to_it_and_what_looks_at_input() {
    let fixture = Fixture::new(
        m1nd_tools::surface(),
        r#"
//- app/views.py
import os
from checks import validate_name

def show(name):
    run(name)

def show_checked(name):
    validate_name(name)
    run_checked(name)

def run(name):
    os.system(name)

def run_checked(name):
    os.system(name)

def never():
    eval("1")
//- app/checks.py
def validate_name(name):
    return name.isalpha()
"#,
    );
    assert_eq!(fixture.call("ingest", json!({})).body["state"], "done");
    let found = fixture.call("taint_trace", json!({"node_ids": ["show", "show_checked"]})).body;
    let paths = found["paths"].as_array().unwrap();
    assert_eq!((paths.len(), &found["unguarded"]), (2, &json!(1)), "{found}");
    assert_eq!((&paths[0]["sink"], &paths[0]["at"]), (&json!("execute"), &json!("app/views.py:12")));
    assert_eq!(paths[0]["path"], json!(["function::app/views.py::show", "function::app/views.py::run"]));
    assert_eq!(paths[1]["boundaries"], json!(["validate_name"]));
}

#[test]
fn every_dangerous_call_is_told_and_a_look_counts_only_before_it_on_every_way() {
    let fixture = Fixture::new(
        m1nd_tools::surface(),
        r#"
//- go.mod
module m
//- a.go
package m

import "os/exec"

func Twice(c string) {
	exec.Command("sh", "-c", c)
	exec.Command("sh", "-c", c)
}

func After(c string) {
	exec.Command("sh", "-c", c)
	validate(c)
}

func Branch(c string, f bool) {
	if f {
		validate(c)
	}
	exec.Command("sh", "-c", c)
}

func Checked(c string) {
	if !validate(c) {
		return
	}
	run(c)
}

func Hand(c string, f bool) {
	if f {
		validate(c)
	}
	hand(c)
}

func run(c string)  { exec.Command("sh", "-c", c) }
func hand(c string) { exec.Command("sh", "-c", c) }

func validate(c string) bool { return c != "" }
"#,
    );
    assert_eq!(fixture.call("ingest", json!({})).body["state"], "done");
    let found = fixture.call("taint_trace", json!({})).body;
    let mut shown: Vec<String> = found["paths"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("{} {} {}", one["at"].as_str().unwrap(), one["boundaries"], one["perhaps"]))
        .collect();
    shown.sort();
    let perhaps = "[\"validate\"]";
    assert_eq!(
        shown,
        [
            "a.go:11 [] null".to_owned(),
            format!("a.go:19 [] {perhaps}"),
            format!("a.go:36 {perhaps} null"),
            format!("a.go:37 [] {perhaps}"),
            "a.go:6 [] null".to_owned(),
            "a.go:7 [] null".to_owned(),
        ],
        "{found}"
    );
    assert_eq!((&found["total"], &found["unguarded"]), (&json!(6), &json!(5)), "{found}");
}

#[test]
fn handlers_without_a_name_are_entries_and_a_part_without_routes_is_looked_at() {
    let fixture = Fixture::new(
        m1nd_tools::surface(),
        r#"
//- web/app.js
const cp = require('child_process');
const express = require('express');
const app = express();

function run(command) {
  cp.execSync(command);
}

app.get('/run', (req, res) => {
  run(req.query.c);
  cp.exec(req.query.d);
});
//- jobs/tool.py
import subprocess as sp

def start(command): sp.run(command, shell=True)
"#,
    );
    assert_eq!(fixture.call("ingest", json!({})).body["state"], "done");
    let places = |scope: Option<&str>| {
        let found = fixture.call("taint_trace", json!({"scope": scope.unwrap_or(".")})).body;
        let mut at: Vec<String> = found["paths"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["at"].as_str().unwrap().to_owned())
            .collect();
        at.sort();
        at
    };
    assert_eq!(places(None), ["web/app.js:11", "web/app.js:6"]);
    assert_eq!(places(Some("jobs")), ["jobs/tool.py:3"]);
}

#[test]
fn handlers_that_stand_in_one_file_are_told_apart() {
    let fixture = Fixture::new(
        m1nd_tools::surface(),
        r#"
//- web/app.js
const { exec } = require('child_process');
const app = require('express')();
app.get('/a', (q, r) => { exec('ls ' + q.query.d) }); app.post('/b', (q, r) => { r.send(eval(q.body.x)) });
app.get('/c', (q, r) => { validateId(q.query.id) });
app.get('/d', (q, r) => {
  validateId(q.query.id);
  run(q.query.id);
});
app.get('/e', (q, r) => { open(q.query.id) });
function run(c) { exec(c + 'x'); }
function open(c) { exec(c + 'y'); }
"#,
    );
    assert_eq!(fixture.call("ingest", json!({})).body["state"], "done");
    let found = fixture.call("taint_trace", json!({})).body;
    let mut shown: Vec<String> = found["paths"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            format!("{} {} {}", one["at"].as_str().unwrap(), one["sink"].as_str().unwrap(), one["boundaries"])
        })
        .collect();
    shown.sort();
    assert_eq!(
        shown,
        [
            "web/app.js:10 execute [\"validateId\"]",
            "web/app.js:11 execute []",
            "web/app.js:3 execute []",
            "web/app.js:3 execute []",
        ],
        "{found}"
    );
    assert_eq!(found["unguarded"], 3, "{found}");
}
