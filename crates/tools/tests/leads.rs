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
//- config/settings.txt
nothing
//- db/db.h
namespace ldb {
class Db {
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
    for node in ["Db.Get", "db/db.h:4", "method::db/db.h::ldb.Db.Get"] {
        let found = callers(&fixture, node);
        assert_eq!(found["node_id"], "method::db/db.cc::ldb.Db.Get", "{node}: {found}");
        assert_eq!(found["calls"][0]["line"], 4, "{found}");
    }
}

#[test]
fn a_file_says_that_it_is_one() {
    let reply = fixture_callees("mix.py");
    assert!(reply["next_step_hint"].as_str().unwrap().contains("outline"), "{reply}");
}

fn fixture_callees(node: &str) -> Value {
    let reply = ingested().call("callees", json!({ "node_id": node }));
    serde_json::from_str(&reply.text()).unwrap()
}
