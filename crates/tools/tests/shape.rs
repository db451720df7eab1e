//! `audit`, `metrics`, `diagram` and `cross_verify`: the shape of a repository.

#![allow(clippy::unwrap_used)]

use expect_test::{Expect, expect};
use m1nd_testkit::Fixture;
use serde_json::{Value, json};

const SHOP: &str = r#"
//- README.md
# Shop
//- shop/__init__.py
//- shop/cart.py
from shop import order

def total(items):
    return order.price(items)

def _forgotten(items):
    return len(items)
//- shop/order.py
import shop.cart

def price(items):
    return _sum(items)

def _sum(items):
    return sum(items)

def later():
    from shop import report
    return report.show(1)
//- shop/report.py
from shop.order import price

def show(n):
    return price([n])

def first_copy(a, b):
    c = a + b
    d = a - b
    if c > d:
        return c
    if d > c:
        return d
    e = c * d
    return e
//- web/a.ts
import type { B } from './b'
export function a(b: B) {}
//- web/b.ts
import { a } from './a'
export class B {}
a(new B())
//- web/c.ts
import type { D } from './d'
import { d } from './d'
export const c = (x: D) => d
//- web/d.ts
import { c } from './c'
export class D {}
export const d = () => c
//- shop/nobody_knows_it.py
def first_copy(a, b):
    c = a + b
    d = a - b
    if c > d:
        return c
    if d > c:
        return d
    e = c * d
    return e
//- tests/test_cart.py
from shop.cart import total

def test_total():
    assert total([1]) == 1
"#;

fn shop() -> Fixture {
    let fixture = Fixture::new(m1nd_tools::surface(), SHOP);
    assert_eq!(fixture.call("ingest", json!({})).body["state"], "done");
    fixture
}

fn check(fixture: &Fixture, tool: &str, arguments: Value, expect: Expect) {
    let mut body = fixture.call(tool, arguments).body;
    if let Value::Object(map) = &mut body {
        for name in ["elapsed_ms", "freshness"] {
            map.remove(name);
        }
    }
    expect.assert_eq(&serde_json::to_string_pretty(&body).unwrap());
}

#[test]
fn structure_lists_what_the_text_bears_out() {
    check(
        &shop(),
        "audit",
        json!({"profile": "structure"}),
        expect![[r#"
            {
              "sections": [
                {
                  "name": "import_cycles",
                  "total": 2,
                  "items": [
                    "shop/cart.py -> shop/order.py -> shop/cart.py",
                    "web/c.ts -> web/d.ts -> web/c.ts"
                  ],
                  "note": "Imports at load time, Python and JavaScript family only."
                },
                {
                  "name": "large_files",
                  "total": 0,
                  "note": "600 lines and more, by lines times dependants."
                },
                {
                  "name": "unmentioned",
                  "total": 1,
                  "items": [
                    "shop/cart.py:6 _forgotten (2 lines)"
                  ],
                  "note": "Private definitions that no edge reaches and no file names elsewhere: dead, or found at run time. 3 exported ones are not listed; other repositories may use them."
                },
                {
                  "name": "orphan_files",
                  "total": 1,
                  "items": [
                    "shop/nobody_knows_it.py (9 lines)"
                  ],
                  "note": "No file uses them and no text names them; a script that is run by hand looks like this."
                },
                {
                  "name": "duplicates",
                  "total": 1,
                  "items": [
                    "9 lines: shop/nobody_knows_it.py:1 first_copy = shop/report.py:6 first_copy"
                  ],
                  "note": "Equal but for white space, 8 lines and more."
                },
                {
                  "name": "untested_hubs",
                  "total": 0,
                  "note": "At least 5 certain callers, and no known chain of calls from test code; a test may still run them from outside."
                }
              ]
            }"#]],
    );
}

#[test]
fn an_overview_says_what_there_is() {
    check(
        &shop(),
        "audit",
        json!({}),
        expect![[r#"
            {
              "sections": [
                {
                  "name": "languages",
                  "total": 2,
                  "items": [
                    "python: 6 files, 46 lines",
                    "typescript: 4 files, 11 lines"
                  ],
                  "note": "1 other files are not parsed."
                },
                {
                  "name": "entry_points",
                  "total": 0
                },
                {
                  "name": "parts",
                  "total": 0,
                  "note": "Groups of product code that talk mostly to each other, with their most used names."
                },
                {
                  "name": "central_files",
                  "total": 2,
                  "items": [
                    "shop/cart.py (used by 2 files)",
                    "shop/order.py (used by 2 files)"
                  ],
                  "note": "11 files in all."
                },
                {
                  "name": "hot_spots",
                  "total": 0,
                  "note": "no_data: no file of the program has more than one commit in the git history that is here; `health` says where that is damaged"
                },
                {
                  "name": "risk",
                  "total": 0,
                  "note": "no_data: the history names no fixes"
                },
                {
                  "name": "tests",
                  "total": 1,
                  "items": [
                    "tests: 1 files, 1 tests"
                  ],
                  "note": "1 tests known, 4 lines in files with tests."
                },
                {
                  "name": "docs",
                  "total": 1,
                  "items": [
                    "README.md"
                  ]
                },
                {
                  "name": "call_edges",
                  "total": 7,
                  "items": [
                    "resolved: 7"
                  ]
                }
              ],
              "next_step_hint": "outline shows a part; profile structure lists what is worth a look."
            }"#]],
    );
}

#[test]
fn metrics_count_other_files_only() {
    check(
        &shop(),
        "metrics",
        json!({"sort": "fan_in", "limit": 1}),
        expect![[r#"
            {
              "files": 10,
              "totals": {
                "path": ".",
                "lines": 57,
                "functions": 11,
                "types": 2,
                "tests": 1,
                "fan_in": 0,
                "fan_out": 0,
                "longest_function": 9,
                "documented": 0.0
              },
              "rows": [
                {
                  "path": "shop/cart.py",
                  "lines": 7,
                  "functions": 2,
                  "types": 0,
                  "fan_in": 2,
                  "fan_out": 1,
                  "instability": 0.3333,
                  "longest_function": 2,
                  "documented": 0.0
                }
              ],
              "total_rows": 10,
              "truncated": true
            }"#]],
    );
    check(
        &shop(),
        "metrics",
        json!({"by": "folder", "path": "shop"}),
        expect![[r#"
        {
          "files": 5,
          "totals": {
            "path": "shop",
            "lines": 42,
            "functions": 8,
            "types": 0,
            "fan_in": 1,
            "fan_out": 0,
            "instability": 0.0,
            "longest_function": 9,
            "documented": 0.0
          },
          "rows": [
            {
              "path": "shop",
              "lines": 42,
              "functions": 8,
              "types": 0,
              "fan_in": 1,
              "fan_out": 0,
              "instability": 0.0,
              "longest_function": 9,
              "documented": 0.0
            }
          ],
          "total_rows": 1,
          "truncated": false
        }"#]],
    );
}

#[test]
fn a_diagram_is_drawn_around_a_node_or_a_folder() {
    let diagram = |arguments| shop().call("diagram", arguments).body["diagram"].as_str().unwrap().to_owned();
    expect![[r#"
        flowchart LR
        subgraph g0["shop/cart.py"]
        n2["total"]
        end
        subgraph g1["shop/order.py"]
        n0["price"]
        n1["_sum"]
        n5["later"]
        end
        subgraph g2["shop/report.py"]
        n3["show"]
        end
        subgraph g3["tests/test_cart.py"]
        n4["test_total"]
        end
        n0 --> n1
        n2 --> n0
        n3 --> n0
        n4 -->|tests| n2
        n5 --> n3
    "#]]
    .assert_eq(&diagram(json!({"center": "order.price"})));
    expect![[r#"
        digraph m1nd {
        rankdir=LR; node [shape=box];
        subgraph cluster_0 { label="shop";
        n0 [label="cart.py"];
        n1 [label="order.py"];
        n2 [label="report.py"];
        }
        n0 -> n1 [label=""];
        n1 -> n0 [label=""];
        n1 -> n2 [label=""];
        n2 -> n1 [label=""];
        }
    "#]]
    .assert_eq(&diagram(json!({"center": "shop", "format": "dot", "max_nodes": 3})));
}

#[test]
fn a_graph_just_made_agrees_with_the_disk_and_an_edit_is_told() {
    let fixture = shop();
    let agrees = fixture.call("cross_verify", json!({})).body;
    assert_eq!(agrees["misplaced"]["total"], 0, "{agrees}");
    assert_eq!(agrees["unsaid_calls"]["total"], 0, "{agrees}");
    std::fs::remove_file(fixture.root().join("shop/report.py")).unwrap();
    std::fs::write(fixture.root().join("shop/new.py"), "def new(): ...\n").unwrap();
    let differs = fixture.call("cross_verify", json!({})).body;
    assert_eq!(differs["verdict"], "differs");
    assert_eq!(differs["missing"], json!({"total": 1, "first": ["shop/new.py"]}));
    assert_eq!(differs["gone"], json!({"total": 1, "first": ["shop/report.py"]}));
    assert_eq!(differs["refreshed"], 2);
    let after = fixture.call("cross_verify", json!({})).body;
    assert_eq!((&after["verdict"], &after["generation"]), (&json!("agrees"), &json!(2)));
}

#[test]
fn a_file_the_graph_does_not_know_says_why() {
    let fixture = Fixture::new(
        m1nd_tools::surface(),
        "//- a.py\ndef f(): ...\n//- notes.txt\nhello\n//- .gitignore\nbuild/\n//- build/b.py\ndef g(): ...\n",
    );
    std::fs::create_dir(fixture.root().join(".git")).unwrap();
    fixture.call("ingest", json!({}));
    let said = |path: &str| {
        let body = fixture.call("outline", json!({"file_path": path})).body;
        let said = body["next_step_hint"].as_str().or(body["error"]["message"].as_str());
        said.unwrap_or_default().to_owned()
    };
    assert!(
        said("notes.txt").starts_with("notes.txt is in no language that is parsed ("),
        "{}",
        said("notes.txt")
    );
    assert_eq!(
        said("build/b.py"),
        "`file_path`: build/b.py is not in the graph: an ignore file or a hidden folder keeps it out."
    );
    assert_eq!(said("a.py"), "");
    std::os::unix::fs::symlink(".", fixture.root().join("here")).unwrap();
    assert_eq!(fixture.call("outline", json!({"file_path": "here"})).body["total"], 3);
    let socket = std::os::unix::net::UnixListener::bind(fixture.root().join("door")).unwrap();
    assert_eq!(said("door"), "`file_path`: door is a pipe, socket or device, which m1nd does not open.");
    drop(socket);
    let huge = std::fs::File::create(fixture.root().join("huge.py")).unwrap();
    huge.set_len(1 << 30).unwrap();
    assert!(said("huge.py").ends_with("are not parsed. Use search."), "{}", said("huge.py"));
}
