//! Tests that reach code only through helpers of test files: nested functions, local classes, set-up methods, fixtures.

#![allow(clippy::unwrap_used)]

mod common;

use common::ok;
use m1nd_testkit::Fixture;
use serde_json::{Value, json};

const FILES: &str = "
//- app.py
def nested():
    return 1


def local():
    return 2


def prepared():
    return 3


def fixed():
    return 4


def shared():
    return 5


def helped():
    return 6
//- tests/conftest.py
import pytest

from app import shared


@pytest.fixture
def base():
    return shared()


@pytest.fixture
def client(base):
    return base
//- tests/test_app.py
import pytest
from app import fixed, helped, local, nested, prepared

from tests.web import View, serve


def check(value):
    assert helped() == value


def test_nested():
    @serve
    def index():
        return nested()


def test_local():
    class Page(View):
        def get(self):
            return local()

    serve(Page)


class TestPrepared:
    def setup_method(self):
        self.value = prepared()

    def test_value(self):
        assert self.value == 3


@pytest.fixture
def number():
    return fixed()


def test_number(number):
    assert number == 4


def test_client(client):
    assert client == 5


def test_helped():
    check(6)
//- tests/web.py
class View:
    pass


def serve(what):
    return what
//- elsewhere/test_other.py
def test_other(client):
    assert client
";

fn ingested() -> Fixture {
    let fixture = Fixture::new(m1nd_tools::surface(), FILES);
    ok(&fixture, "ingest", json!({}));
    fixture
}

fn names(tests: &Value) -> Vec<&str> {
    let ids = tests.as_array().into_iter().flatten().map(|test| test["node_id"].as_str().unwrap());
    ids.map(|id| id.rsplit("::").next().unwrap()).collect()
}

const REACHED: [(&str, &str); 6] = [
    ("nested", "test_nested"),
    ("local", "test_local"),
    ("prepared", "TestPrepared.test_value"),
    ("fixed", "test_number"),
    ("shared", "test_client"),
    ("helped", "test_helped"),
];

#[test]
fn tests_are_found_through_what_stands_inside_them_or_is_made_for_them() {
    let fixture = ingested();
    for (code, test) in REACHED {
        let found = ok(&fixture, "tests_for", json!({"node_id": format!("app.py::{code}")}));
        assert_eq!(names(&found["tests"]), [test], "{code}: {found}");
        for tool in ["surgical_context", "surgical_context_v2"] {
            let context = ok(&fixture, tool, json!({"node_id": format!("app.py::{code}")}));
            assert_eq!(names(&context["tests"]), [test], "{code}: {context}");
        }
    }
}

#[test]
fn a_batch_names_the_tests_that_a_fixture_stands_before() {
    let fixture = ingested();
    for (code, test) in REACHED {
        let old = format!("def {code}():\n    return ");
        let edit = json!({"file_path": "app.py", "edits": [{"old": old, "new": format!("{old}0 + ")}]});
        let made = ok(&fixture, "apply_batch", json!({"edits": [edit]}));
        assert_eq!(names(&made["tests"]["run"]), [test], "{code}: {made}");
    }
}
