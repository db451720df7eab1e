//! An answer about calls says where calls may come from that do not name the node.

#![allow(clippy::unwrap_used)]

use m1nd_testkit::Fixture;
use serde_json::{Value, json};

const FILES: &str = "
//- mix.py
class Base:
    def run(self):
        self.step()

    def step(self):
        pass


class Child(Base):
    def step(self):
        return 1


def config():
    return 1


def handler():
    return 2


def register(f):
    return f


def main():
    register(handler)
    config()
//- go.mod
module example.com/m
//- labels_alt.go
//go:build alt

package m

type Labels struct{}

func (l Labels) Get() {}
//- labels.go
//go:build !alt

package m

type Labels struct{}

func (l Labels) Get() {}
//- use.go
package m

func Run(l Labels) { l.Get() }
//- config/settings.txt
nothing
//- Coin.java
class Coin {
    Coin() { this(1); }
    Coin(int worth) {}
    static Coin one() { return new Coin(1); }
}
//- db/db.h
namespace ldb {
class Store { public: virtual int Get(int key) = 0; };
class Db : public Store {
 public:
  int Get(int key);
  int Twice(int key);
};
}
//- db/db.cc
#include \"db.h\"
namespace ldb {
int Db::Get(int key) { return key; }
int Db::Twice(int key) { return Get(key) + Get(key); }
}
";

fn callers(fixture: &Fixture, node: &str) -> Value {
    let reply = fixture.call("callers", json!({ "node_id": node }));
    serde_json::from_str(&reply.text()).unwrap()
}

fn ingested() -> Fixture {
    let fixture = Fixture::new(m1nd_tools::surface(), FILES);
    fixture.call("ingest", json!({}));
    fixture
}

#[test]
fn calls_of_the_overridden_method_are_a_lead() {
    let found = callers(&ingested(), "Child.step");
    assert_eq!(found["total"], 0, "{found}");
    assert_eq!(found["leads"][0]["via"], "base", "{found}");
    assert_eq!(found["leads"][0]["node_id"], "method::mix.py::Base.step", "{found}");
    assert_eq!(found["leads"][0]["calls"], 1, "{found}");
}

#[test]
fn calls_of_an_interface_are_a_lead_where_the_type_has_all_its_methods() {
    let fixture = Fixture::new(
        m1nd_tools::surface(),
        "//- go.mod\nmodule example.com/m\n//- query.go\npackage m\n\ntype Query interface {\n\tExec() int\n\tClose()\n}\n\n\
         type Odd interface {\n\tExec() int\n\tMore()\n}\n\ntype query struct{}\n\nfunc (q *query) Exec() int { return 1 }\n\n\
         func Run(q Query, o Odd) int { return q.Exec() + o.Exec() }\n\
         //- close.go\npackage m\n\nfunc (q *query) Close() {}\n",
    );
    fixture.call("ingest", json!({}));
    let found = callers(&fixture, "query.Exec");
    assert_eq!(found["total"], 0, "{found}");
    let leads: Vec<&str> =
        found["leads"].as_array().unwrap().iter().map(|lead| lead["node_id"].as_str().unwrap()).collect();
    assert_eq!(leads, ["method::query.go::Query.Exec"], "{found}");
    assert_eq!(
        (&found["leads"][0]["via"], &found["leads"][0]["calls"]),
        (&json!("base"), &json!(1)),
        "{found}"
    );
    assert_eq!(found["next_suggested_tool"], "callers", "{found}");
    assert_eq!(callers(&fixture, found["next_suggested_target"].as_str().unwrap())["total"], 1);
}

#[test]
fn callers_of_a_type_are_those_of_its_members_from_outside() {
    let fixture = Fixture::new(
        m1nd_tools::surface(),
        "//- Cargo.toml\n[package]\nname = \"m\"\n//- src/main.rs\nmod walk;\nmod more;\nuse walk::Walk;\n\nfn main() {\n    let walk = Walk::new();\n    walk.step();\n    walk.far();\n}\n\
         //- src/walk.rs\npub struct Walk;\n\nimpl Walk {\n    pub fn new() -> Walk {\n        Walk\n    }\n    pub fn step(&self) {\n        self.inner();\n    }\n    fn inner(&self) {}\n}\n\
         //- src/more.rs\nuse crate::walk::Walk;\n\nimpl Walk {\n    pub fn far(&self) {\n        self.step();\n    }\n}\n",
    );
    fixture.call("ingest", json!({}));
    let found = callers(&fixture, "Walk");
    let calls: Vec<String> = found["calls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|call| format!("{} {}", call["line"], call["member"].as_str().unwrap_or_default()))
        .collect();
    assert_eq!(calls, ["6 new", "7 step", "8 far"], "{found}");
    let reached = fixture.call("impact", json!({"node_id": "Walk", "max_hops": 1})).body;
    assert_eq!(reached["direct_callers"], 1, "main is all that calls it: {reached}");
    assert_eq!(callers(&fixture, "Walk.step")["calls"][0].get("member"), None);
}

#[test]
fn a_function_handed_on_says_where() {
    let found = callers(&ingested(), "handler");
    assert_eq!(found["leads"][0]["via"], "value", "{found}");
    assert_eq!(found["leads"][0]["at"], "mix.py:27", "{found}");
}

#[test]
fn a_name_means_code_before_it_means_a_folder() {
    let found = callers(&ingested(), "config");
    assert_eq!(found["node_id"], "function::mix.py::config", "{found}");
    assert_eq!(found["total"], 1, "{found}");
}

#[test]
fn a_declaration_means_its_definition() {
    let fixture = ingested();
    for node in ["Db.Get", "db/db.h:5", "method::db/db.h::ldb.Db.Get"] {
        let found = callers(&fixture, node);
        assert_eq!(found["node_id"], "method::db/db.cc::ldb.Db.Get", "{node}: {found}");
        assert_eq!(found["calls"][0]["line"], 4, "{found}");
        assert_eq!(found["leads"][0]["node_id"], "method::db/db.h::ldb.Store.Get", "{found}");
    }
}

#[test]
fn a_file_says_that_it_is_one() {
    let reply = fixture_callees("mix.py");
    assert!(reply["next_step_hint"].as_str().unwrap().contains("outline"), "{reply}");
}

#[test]
fn calls_of_the_name_with_an_unknown_receiver_are_counted_and_shown() {
    let fixture = Fixture::new(
        m1nd_tools::surface(),
        "
//- store.py
class Store:
    def get(self, key):
        return key

    def known(self):
        return self.get(1)
//- use.py
from store import Store

def one(store):
    return store.get(1)

def two(other):
    # store.get(3) in a comment is no call
    return other.get(2)
//- far.py
def three(x):
    '''Much like
    store.get(3)
    of old.'''
    return x.get(3)
//- notes.txt
x.get(4)
",
    );
    fixture.call("ingest", json!({}));
    let found = callers(&fixture, "Store.get");
    assert_eq!(found["total"], 1, "{found}");
    assert_eq!(found["unattributed"], 3, "{found}");
    assert_eq!(found["leads"][0]["via"], "name", "{found}");
    assert_eq!(found["leads"][0]["at"], "use.py:4", "the file that imports it comes first: {found}");
    assert_eq!(found["leads"][2]["node_id"], "function::far.py::three", "{found}");
}

#[test]
fn an_empty_answer_says_how_many_calls_have_the_name() {
    let fixture = Fixture::new(
        m1nd_tools::surface(),
        "//- a.py\nclass A:\n    def close(self):\n        pass\n\ndef f(x):\n    x.close()\n",
    );
    fixture.call("ingest", json!({}));
    let found = callers(&fixture, "A.close");
    assert_eq!((&found["total"], &found["unattributed"]), (&json!(0), &json!(1)), "{found}");
    assert!(found["next_step_hint"].as_str().unwrap().contains("1 calls of `.close(`"), "{found}");
}

#[test]
fn calls_in_attributes_are_counted_and_those_in_comments_are_not() {
    let fixture = Fixture::new(
        m1nd_tools::surface(),
        "//- src/lib.rs\nfn version() -> u32 {\n    1\n}\nstruct Other;\n#[command(version = version())]\nstruct Opt;\n// version()\n",
    );
    fixture.call("ingest", json!({}));
    let found = callers(&fixture, "version");
    assert_eq!((&found["total"], &found["unattributed"]), (&json!(0), &json!(1)), "{found}");
}

#[test]
fn a_prototype_is_no_call() {
    let fixture = Fixture::new(
        m1nd_tools::surface(),
        "//- a.h\nchar *load(int n);\n//- a.c\n#include \"a.h\"\nchar *load(int n) { return 0; }\n//- b.c\n\n\nint f(void) {\n  return load(1) != 0;\n}\n",
    );
    fixture.call("ingest", json!({}));
    let found = callers(&fixture, "load");
    assert_eq!((&found["total"], found.get("unattributed")), (&json!(1), None), "{found}");
    assert_eq!((&found["calls"][0]["file_path"], &found["calls"][0]["line"]), (&json!("b.c"), &json!(4)));
}

#[test]
fn a_function_that_nobody_is_known_to_call_shows_calls_of_its_name() {
    let fixture = Fixture::new(
        m1nd_tools::surface(),
        "//- a.py\ndef load():\n    pass\n//- b.py\nfrom elsewhere import *\ndef f():\n    load()\n",
    );
    fixture.call("ingest", json!({}));
    let found = callers(&fixture, "load");
    assert_eq!((&found["total"], &found["unattributed"]), (&json!(0), &json!(1)), "{found}");
    assert_eq!(found["leads"][0]["at"], "b.py:3", "{found}");
}

#[test]
fn an_inherited_method_is_that_of_the_base_and_the_answer_says_so() {
    let fixture = Fixture::new(
        m1nd_tools::surface(),
        "//- a.py\nclass Base:\n    def build(self):\n        pass\n\nclass Client(Base):\n    def send(self):\n        self.build()\n",
    );
    fixture.call("ingest", json!({}));
    let found = callers(&fixture, "Client.build");
    assert_eq!(found["node_id"], "method::a.py::Base.build", "{found}");
    assert_eq!(found["inherited"], true, "{found}");
    assert_eq!(found["total"], 1, "{found}");
    assert!(callers(&fixture, "Base.build")["inherited"].is_null());
}

#[test]
fn absolute_paths_and_names_in_files_are_understood() {
    let fixture = ingested();
    let root = fixture.root().display().to_string();
    for name in [format!("{root}/mix.py:14"), "mix.py::config".into(), format!("{root}/mix.py::config")] {
        let found = callers(&fixture, &name);
        assert_eq!(found["node_id"], "function::mix.py::config", "{name}: {found}");
    }
}

#[test]
fn a_line_beyond_the_end_is_an_error_that_counts_the_lines() {
    let found = callers(&ingested(), "mix.py:9999");
    let said = found["error"]["message"].as_str().unwrap();
    assert!(said.contains("mix.py has 28 lines; there is no line 9999"), "{found}");
}

fn fixture_callees(node: &str) -> Value {
    let reply = ingested().call("callees", json!({ "node_id": node }));
    serde_json::from_str(&reply.text()).unwrap()
}

#[test]
fn a_constructor_is_called_by_what_makes_its_class() {
    let answer = callers(&ingested(), "method::Coin.java::Coin.Coin#2");
    let lines: Vec<&Value> = answer["calls"].as_array().unwrap().iter().map(|call| &call["line"]).collect();
    assert_eq!(lines, [&json!(2), &json!(4)], "{answer}");
    let lead = &answer["leads"][0];
    assert_eq!((&lead["via"], &lead["calls"]), (&json!("class"), &json!(1)), "{answer}");
}

#[test]
fn what_a_class_calls_is_what_its_members_call() {
    let answer = fixture_callees("Coin");
    let call = &answer["calls"][0];
    assert_eq!(call["node_id"], "method::Coin.java::Coin.Coin#2", "{answer}");
    assert_eq!(call["by"], "method::Coin.java::Coin.Coin", "{answer}");
}

#[test]
fn members_in_other_files_are_members() {
    let answer = fixture_callees("Db");
    let by: Vec<&Value> = answer["calls"].as_array().unwrap().iter().map(|call| &call["by"]).collect();
    assert_eq!(by, [&json!("method::db/db.cc::ldb.Db.Twice")], "{answer}");
}

/// One certain call of a function does not make the next one certain.
#[test]
fn each_line_says_how_it_is_known() {
    let files = "
//- reply.py
class Reply:
    def drain_parts(self): ...

def run(x):
    Reply().drain_parts()
    x.drain_parts()
";
    let fixture = Fixture::new(m1nd_tools::surface(), files);
    fixture.call("ingest", json!({}));
    let answer = callers(&fixture, "drain_parts");
    let known = answer["calls"].as_array().unwrap().iter().map(|call| (&call["line"], &call["evidence"]));
    let known: Vec<(&Value, &Value)> = known.collect();
    assert_eq!(known, [(&json!(5), &json!("resolved")), (&json!(6), &json!("inferred"))], "{answer}");
    assert_eq!(answer["inferred"], 1, "{answer}");
}

#[test]
fn calls_that_mean_another_build_are_a_lead() {
    let fixture = ingested();
    assert_eq!(callers(&fixture, "method::labels.go::Labels.Get")["total"], 1);
    let found = callers(&fixture, "method::labels_alt.go::Labels.Get");
    assert_eq!((&found["total"], &found["leads"][0]["via"]), (&json!(0), &json!("variant")), "{found}");
    assert_eq!(found["leads"][0]["node_id"], "method::labels.go::Labels.Get", "{found}");
    assert_eq!(found["leads"][0]["calls"], 1, "{found}");
}

#[test]
fn a_method_handed_on_by_something_unknown_says_where() {
    let fixture = Fixture::new(
        m1nd_tools::surface(),
        "//- a.py\nclass View:\n    def dispatch(self):\n        pass\n\ndef view(made, app):\n    self = made()\n    return app.ensure(self.dispatch)(1)\n",
    );
    fixture.call("ingest", json!({}));
    let found = callers(&fixture, "View.dispatch");
    assert_eq!(found["total"], 0, "{found}");
    assert_eq!(found["leads"][0]["via"], "value", "{found}");
    assert_eq!(found["leads"][0]["at"], "a.py:7", "{found}");
}

#[test]
fn calls_are_counted_however_their_language_writes_them() {
    let fixture = Fixture::new(
        m1nd_tools::surface(),
        "//- a.rb\nclass Base\n  def self.after(path = nil, &block); end\nend\n//- b_spec.rb\nmock_app do\n  after('/b') { }\n  after 'x'\nend\n//- c.lua\nlocal P = {}\nfunction P:close(a) return a end\nreturn P\n//- d.lua\nlocal function go(p) p:close(1) end\n//- src/lib.rs\nstruct S;\nimpl S { fn get<T>(&self) {} }\nfn f(x: impl Unknown) { x.get::<u8>() }\n",
    );
    fixture.call("ingest", json!({}));
    for (name, calls) in [("Base.after", 2), ("close", 1), ("S.get", 1)] {
        let found = callers(&fixture, name);
        assert_eq!((&found["total"], &found["unattributed"]), (&json!(0), &json!(calls)), "{name}: {found}");
    }
}

#[test]
fn a_method_of_a_type_that_is_no_node_has_the_calls_of_what_it_implements_as_a_lead() {
    let fixture = Fixture::new(
        m1nd_tools::surface(),
        "//- src/lib.rs\npub trait Bits { fn fresh(n: usize) -> Self; }\nimpl Bits for Vec<bool> { fn fresh(n: usize) -> Self { vec![false; n] } }\npub fn make<T: Bits>() -> T { T::fresh(3) }\n//- F.java\npublic class F {\n  interface Filter { boolean check(int x); }\n  static final Filter ALL = new Filter() { public boolean check(int x) { return true; } };\n  static boolean use(Filter f) { return f.check(1); }\n}\n",
    );
    fixture.call("ingest", json!({}));
    for (name, base) in [
        ("Vec.fresh", "method::src/lib.rs::Bits.fresh"),
        ("method::F.java::F.$Filter.check", "method::F.java::F.Filter.check"),
    ] {
        let found = callers(&fixture, name);
        assert_eq!(found["leads"][0]["via"], "base", "{name}: {found}");
        assert_eq!(found["leads"][0]["node_id"], base, "{name}: {found}");
        assert_eq!(found["leads"][0]["calls"], 1, "{name}: {found}");
    }
}

#[test]
fn what_is_read_like_a_field_or_taken_out_of_an_object_is_not_said_to_be_called_by_nobody() {
    let fixture = Fixture::new(
        m1nd_tools::surface(),
        "
//- a.ts
export class Cart {
  get total() { return 1 }
  save() {}
  drop() {}
  never() {}
}
//- b.ts
export function show(cart) {
  print(cart.total)
  const keep = cart.save
  keep()
  const { drop } = cart
  drop()
}
//- a.py
class Row:
    @property
    def width(self):
        return 1

    def lookup(self):
        pass


def use(row):
    f = getattr(row, 'lookup')
    return row.width
//- A.cs
class Box { public int Height { get { return 1; } } }
class User { int Use(dynamic box) { return box.Height; } }
//- a.kt
class Lamp { val bright: Int get() = 1 }
fun use(lamp: Any) { print(lamp.bright) }
//- a.swift
class Door { var open: Bool { return true } }
func use(door: Any) { print(door.open) }
",
    );
    fixture.call("ingest", json!({}));
    for (name, at) in [
        ("Cart.total", "b.ts:2"),
        ("Cart.save", "b.ts:3"),
        ("Cart.drop", "b.ts:5"),
        ("Row.width", "a.py:12"),
        ("Row.lookup", "a.py:11"),
        ("Box.Height", "A.cs:2"),
        ("Lamp.bright", "a.kt:2"),
        ("Door.open", "a.swift:2"),
    ] {
        let found = callers(&fixture, name);
        assert_eq!(found["total"], 0, "{name}: {found}");
        assert_eq!(found["leads"][0]["at"], at, "{name}: {found}");
        let hint = found["next_step_hint"].as_str().unwrap();
        assert!(hint.contains("1 place may take a member"), "{name}: {hint}");
    }
    let found = callers(&fixture, "Cart.never");
    assert_eq!((&found["reads"], &found["leads"]), (&Value::Null, &Value::Null), "{found}");
}

#[test]
fn a_line_of_an_overload_means_the_function_that_it_declares() {
    let fixture = Fixture::new(
        m1nd_tools::surface(),
        "//- a.ts\nexport function allowed(url: string): boolean;\nexport function allowed(url: number): boolean;\nexport function allowed(url: any) {\n  return true;\n}\n\
         //- b.py\nfrom typing import overload\n\n\nclass A:\n    @overload\n    def get(self, a: int) -> int: ...\n    @overload\n    def get(self, a: str) -> str: ...\n    def get(self, a):\n        return a\n",
    );
    fixture.call("ingest", json!({}));
    for line in 1..=3 {
        let found = callers(&fixture, &format!("a.ts:{line}"));
        assert_eq!(found["node_id"], "function::a.ts::allowed", "{found}");
        assert!(found["unattributed"].is_null() && found["leads"].is_null(), "{found}");
    }
    for line in 5..=9 {
        assert_eq!(callers(&fixture, &format!("b.py:{line}"))["node_id"], "method::b.py::A.get", "{line}");
    }
}
