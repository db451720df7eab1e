//! `scan`: what is no finding, or a weaker one, because of what stands around it.

#![allow(clippy::unwrap_used)]

use m1nd_testkit::Fixture;
use serde_json::{Value, json};

/// Every finding as its status, its place and why.
fn scan(files: &str, pattern: &str) -> Vec<String> {
    let fixture = Fixture::new(m1nd_tools::surface(), files);
    assert_eq!(fixture.call("ingest", json!({})).body["state"], "done");
    let reply = fixture.call("scan", json!({ "pattern": pattern }));
    assert!(!reply.is_error, "{}", reply.text());
    let field = |one: &Value, name: &str| one[name].as_str().unwrap().to_owned();
    let one = |one: &Value| {
        let what = field(one, "what");
        let why = what.rsplit_once("; ").map_or(what.as_str(), |(_, why)| why).to_owned();
        format!("{} {}: {why}", field(one, "status"), field(one, "at"))
    };
    reply.body["findings"].as_array().unwrap().iter().map(one).collect()
}

#[test]
fn a_handler_is_checked_by_what_its_class_inherits() {
    let files = r#"
//- views.py
from flask import Flask
from flask.views import MethodView

app = Flask(__name__)


class Guarded(MethodView):
    decorators = [login_required]


class Orders(Guarded):
    def post(self):
        return save()


class Open(MethodView):
    def post(self):
        return save()


def save():
    return 1


@app.route("/pay", methods=["POST"])
@login_required
def pay():
    return save()


@app.route("/drop", methods=["POST"])
def drop():
    return save()
"#;
    let found = scan(files, "auth_boundary");
    assert_eq!(found, ["confirmed views.py:31: 1 other handlers check who asks"]);
}

#[test]
fn where_no_handler_checks_anybody_an_open_one_is_no_false_alarm() {
    let files = r#"
//- views.py
from flask import Flask

app = Flask(__name__)


@app.route("/pay", methods=["POST"])
def pay():
    return 1


@app.route("/show")
def show():
    return 2
"#;
    assert_eq!(
        scan(files, "auth_boundary"),
        [
            "mitigated views.py:11: it is not known to change anything",
            "mitigated views.py:6: no handler here is known to check anybody, so that something may check before all of them",
        ]
    );
}

#[test]
fn methods_of_hidden_go_types_and_usual_names_need_no_documentation() {
    let body = "\n\ta := 1\n\tb := 2\n\tc := a + b\n\td := c\n\t_ = d\n\treturn \"\"\n}\n";
    let files = format!(
        "//- go.mod\nmodule x\n//- lib/lib.go\npackage lib\n\ntype hidden struct{{}}\ntype Shown struct{{}}\n\nfunc (h hidden) Secret() string {{{body}\nfunc (s Shown) String() string {{{body}\nfunc (s Shown) Open() string {{{body}\n//- main.go\npackage main\n\nimport \"x/lib\"\n\nfunc main() {{\n\ts := lib.Shown{{}}\n\ts.Open()\n\ts.String()\n}}\n"
    );
    let found = scan(&files, "api_surface");
    assert_eq!(
        found,
        [
            "confirmed lib/lib.go:24: 1 places in other files use it",
            "mitigated lib/lib.go:15: its name says by convention what it does",
        ]
    );
}

#[test]
fn code_that_tests_stand_beside_is_not_called_untested() {
    let long =
        |name: &str| format!("def {name}():\n    a = 1\n    b = 2\n    c = 3\n    d = 4\n    return a\n");
    let tests: String = (0..6).map(|at| format!("def test_{at}():\n    assert True\n")).collect();
    let files = format!(
        "//- pkg/__init__.py\n//- pkg/alone.py\n{}//- pkg/used.py\n{}def made():\n    return 1\n//- tests/helpers.py\nfrom pkg.used import made\n//- pkg/twin.py\n{}//- pkg/test_twin.py\n{tests}",
        long("alone"),
        long("used"),
        long("twin"),
    );
    let found = scan(&files, "test_coverage");
    assert_eq!(
        found,
        [
            "confirmed pkg/alone.py:1: no test uses its file",
            "mitigated pkg/twin.py:1: a file of tests of its name stands beside it",
            "mitigated pkg/used.py:1: tests use its file, and may reach it by a way that is not seen",
        ]
    );
}

#[test]
fn what_tests_for_finds_is_not_called_untested() {
    let tests: String = (0..5).map(|at| format!("def test_{at}():\n    assert True\n\n\n")).collect();
    let files = format!(
        "//- lib.py\ndef load():\n    a = 1\n    b = 2\n    c = 3\n    d = 4\n    e = 5\n    return a\n//- test_lib.py\nimport pytest\n\nfrom lib import load\n\n\n@pytest.fixture\ndef loaded():\n    return load()\n\n\n{tests}def test_loaded(loaded):\n    assert loaded\n"
    );
    assert_eq!(scan(&files, "test_coverage"), [""; 0]);
}
