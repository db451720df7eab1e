//! Order and extent: which call comes first on every way, where a lock is held, what is in a cycle, which handle is closed.

#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;

use m1nd_testkit::Fixture;
use serde_json::{Value, json};

mod common;
use common::ok;

fn ingested(files: &str) -> Fixture {
    let fixture = Fixture::new(m1nd_tools::surface(), files);
    assert_eq!(fixture.call("ingest", json!({})).body["state"], "done");
    fixture
}

fn verdict(fixture: &Fixture, claim: &str) -> String {
    let found = ok(fixture, "hypothesize", json!({ "claim": claim }));
    found["verdict"].as_str().unwrap().to_owned()
}

/// Findings of a scan as their status, their line and why.
fn scan(fixture: &Fixture, pattern: &str) -> Vec<String> {
    let found = ok(fixture, "scan", json!({ "pattern": pattern, "include_all": true }));
    let one = |one: &Value| {
        let (status, at) = (one["status"].as_str().unwrap(), one["at"].as_str().unwrap());
        let what = one["what"].as_str().unwrap();
        format!("{status} {at}: {}", what.rsplit_once("; ").map_or("", |(_, why)| why))
    };
    let mut found: Vec<String> = found["findings"].as_array().unwrap().iter().map(one).collect();
    found.sort();
    found
}

#[test]
fn always_before_looks_at_every_way_through_each_caller() {
    let callers = |name: &str, body: &str| {
        let mut text = format!("def auth_{name}(): pass\ndef act_{name}(): pass\n");
        for at in 0..4 {
            let body =
                body.replace("auth(", &format!("auth_{name}(")).replace("act(", &format!("act_{name}("));
            write!(text, "def {name}_{at}(f):\n{body}\n").unwrap();
        }
        text
    };
    let python = [
        callers("first", "    auth()\n    return act()"),
        callers("branch", "    if f:\n        auth()\n    return act()"),
        callers("other", "    if f:\n        auth()\n        return 0\n    else:\n        return act()"),
        callers("exit", "    if not auth():\n        return 0\n    return act()"),
        callers("callback", "    each(lambda: auth())\n    return act()"),
    ]
    .concat();
    let go: String = (0..4).map(|at| format!("func H{at}() {{\n\tdefer Auth()\n\tAct()\n}}\n")).collect();
    let fixture = ingested(&format!(
        "//- handlers.py\n{python}//- go.mod\nmodule m\n//- a.go\npackage m\n\nfunc Auth() {{}}\n\nfunc Act() {{}}\n\n{go}"
    ));
    let of = |name: &str| verdict(&fixture, &format!("auth_{name} is always called before act_{name}"));
    assert_eq!(of("first"), "likely_true");
    assert_eq!(of("branch"), "likely_false");
    assert_eq!(of("other"), "likely_false");
    assert_eq!(of("exit"), "likely_true");
    assert_eq!(of("callback"), "inconclusive");
    assert_eq!(verdict(&fixture, "Auth is always called before Act"), "likely_false");
    assert_eq!(verdict(&fixture, "Act is always called before Auth"), "likely_true");
    let claim = json!({"claim": "auth_callback is always called before act_callback"});
    let found = ok(&fixture, "hypothesize", claim);
    let says = found["supporting"][0]["says"].as_str().unwrap();
    assert!(says.contains("handed on"), "{found}");
}

#[test]
fn two_answers_about_one_cycle_agree() {
    let fixture = ingested(
        r#"
//- src/m/Reader.java
package m;

public class Reader {
  static { Access.one = new Access(); }
  public void peek() { Access.one.take(this); }
}
//- src/m/Access.java
package m;

public class Access {
  public static Access one;
  public void take(Reader reader) { reader.peek(); }
}
//- src/m/Leaf.java
package m;

public class Leaf {
  public void read(Reader reader) { reader.peek(); }
}
"#,
    );
    assert_eq!(verdict(&fixture, "Reader and Access depend on each other"), "likely_true");
    assert_eq!(verdict(&fixture, "Reader is in a cycle"), "likely_true");
    assert_eq!(verdict(&fixture, "Access is in a cycle"), "likely_true");
    assert_eq!(verdict(&fixture, "Leaf is in a cycle"), "likely_false");
}

#[test]
fn a_gateway_is_one_on_ways_of_several_calls_too() {
    let fixture = ingested(
        "//- a.py\ndef main():\n    a()\n\ndef a():\n    only_by_a()\n\ndef only_by_a():\n    leaf()\n\ndef leaf():\n    pass\n",
    );
    assert_eq!(verdict(&fixture, "a is the gateway to leaf"), "likely_true");
}

#[test]
fn a_lock_counts_only_between_taking_it_and_giving_it_back() {
    let fixture = ingested(
        r#"
//- app/state.py
import threading
LOCK = threading.Lock()
n = 0

def apart():
    global n
    with LOCK:
        pass
    n += 1

def given_back():
    global n
    LOCK.acquire()
    LOCK.release()
    n += 1

def held():
    global n
    with LOCK:
        n += 1
//- go.mod
module m
//- m.go
package m

import "sync"

var mu sync.Mutex
var count int

func Apart() {
	mu.Lock()
	mu.Unlock()
	count++
}

func Late() {
	count++
	mu.Lock()
	defer mu.Unlock()
}

func Held() {
	mu.Lock()
	defer mu.Unlock()
	count++
}

func Branch(f bool) {
	if f {
		mu.Lock()
		defer mu.Unlock()
	}
	count++
}
//- src/M.java
class M {
  static int n = 0;
  static final Object lock = new Object();
  public static void apart() {
    synchronized (lock) { }
    n++;
  }
  public static void held() {
    synchronized (lock) { n++; }
  }
  public static synchronized void whole() {
    n++;
  }
}
"#,
    );
    let open = "several calls can be here at a time, and no lock is held";
    assert_eq!(
        scan(&fixture, "state_mutation"),
        [
            format!("confirmed app/state.py:15: {open}"),
            format!("confirmed app/state.py:9: {open}"),
            format!("confirmed m.go:11: {open}"),
            format!("confirmed m.go:15: {open}"),
            "confirmed m.go:31: several calls can be here at a time, and a lock is held on some ways only"
                .to_owned(),
            format!("confirmed src/M.java:6: {open}"),
            "mitigated app/state.py:20: a lock is held".to_owned(),
            "mitigated m.go:23: a lock is held".to_owned(),
            "mitigated src/M.java:12: a lock is held".to_owned(),
            "mitigated src/M.java:9: a lock is held".to_owned(),
        ]
    );
    let flow = ok(&fixture, "flow_simulate", json!({}));
    assert_eq!(
        (&flow["writers"], &flow["guarded"], &flow["total"]),
        (&json!(10), &json!(4), &json!(6)),
        "{flow}"
    );
}

#[test]
fn errors_that_are_dropped_beside_other_results_are_told() {
    let fixture = ingested(
        r#"
//- go.mod
module m
//- m.go
package m

import (
	"encoding/json"
	"os"
)

func pair() (int, error) { return 1, nil }

func both() (int, bool) { return 1, true }

func Use() {
	n, _ := pair()
	b, _ := json.Marshal(n)
	c, _ := both()
	_ = os.Remove(string(b))
	_ = c
}
"#,
    );
    assert_eq!(
        scan(&fixture, "error_handling"),
        [
            "confirmed m.go:13: it returns an error",
            "confirmed m.go:14: the standard library's returns an error",
            "false_positive m.go:15: what it calls returns no error",
            "mitigated m.go:16: it cleans up, and its own error has nobody to go to",
        ]
    );
}

#[test]
fn a_plan_that_has_no_room_keeps_its_gaps() {
    let mut files = "//- core/much_used.py\ndef much_used():\n    return 1\n".to_owned();
    for at in 0..120 {
        write!(
            files,
            "//- package_with_a_long_name/module_number_{at}.py\nfrom core.much_used import much_used\n\ndef use_{at}():\n    return much_used()\n"
        )
        .unwrap();
    }
    let fixture = ingested(&files);
    let plan = json!({"actions": [{"action_type": "delete", "file_path": "core/much_used.py"}]});
    let found = ok(&fixture, "validate_plan", plan);
    let gaps = found["gaps"].as_array().unwrap();
    assert!(gaps.len() >= 15, "{found}");
    assert_eq!((&gaps[0]["severity"], &found["truncated"]), (&json!("critical"), &json!(true)));
    assert_eq!(found["suggested_additions"], json!([]), "what says the same again goes first: {found}");
}

#[test]
fn a_file_of_small_unrelated_functions_is_not_said_to_hang_together() {
    let hint = |text: &str| {
        let fixture = ingested(&format!("//- a.py\n{text}"));
        let found = ok(&fixture, "refactor_plan", json!({"node_id": "a.py"}));
        found["next_step_hint"].as_str().unwrap().to_owned()
    };
    let apart = hint("def one():\n    return 1\n\ndef two():\n    return 2\n");
    assert!(apart.contains("2 groups without a relation"), "{apart}");
    let joined = hint("def one():\n    return two()\n\ndef two():\n    return 2\n");
    assert!(joined.contains("hangs together"), "{joined}");
}
