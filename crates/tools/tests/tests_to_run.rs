//! Which tests are named for a change, also where they reach it through what sets them up.

#![allow(clippy::unwrap_used)]

mod common;

use common::ok;
use m1nd_testkit::Fixture;
use serde_json::{Value, json};

fn ingested(files: &str) -> Fixture {
    let fixture = Fixture::new(m1nd_tools::surface(), files);
    ok(&fixture, "ingest", json!({}));
    fixture
}

/// The tests of a node by their names.
fn tests(fixture: &Fixture, node: &str) -> Vec<String> {
    let body = ok(fixture, "surgical_context", json!({"node_id": node}));
    let name = |test: &Value| test["node_id"].as_str().unwrap().rsplit("::").next().unwrap().to_owned();
    let mut names: Vec<String> = body["tests"].as_array().into_iter().flatten().map(name).collect();
    assert_eq!(body["tests_total"], names.len(), "{body}");
    names.sort();
    names
}

#[test]
fn tests_that_reach_a_change_through_a_fixture_are_named_beside_those_that_call_it() {
    let direct: String =
        (0..3).map(|nth| format!("def test_direct{nth}():\n    assert App()\n\n\n")).collect();
    let fixture = ingested(&format!(
        "//- lib.py\nclass App:\n    def __init__(self):\n        self.x = 1\n\
         //- tests/conftest.py\nimport pytest\nfrom lib import App\n\n\n@pytest.fixture\ndef app():\n    return App()\n\n\n@pytest.fixture\ndef client(app):\n    return app.x\n\
         //- tests/test_direct.py\nfrom lib import App\n\n\n{direct}\
         //- tests/test_app.py\ndef test_app(app):\n    assert app\n\n\ndef test_client(client):\n    assert client\n\n\ndef test_other():\n    assert True\n"
    ));
    let expected = ["test_app", "test_client", "test_direct0", "test_direct1", "test_direct2"];
    assert_eq!(tests(&fixture, "App.__init__"), expected);
    let edit = json!({"file_path": "lib.py", "edits": [{"old": "self.x = 1", "new": "self.x = 2"}]});
    let made = ok(&fixture, "apply", edit);
    assert_eq!(made["tests"]["total"], 5, "{made}");
}

#[test]
fn who_allows_a_longer_answer_gets_all_tests_to_run() {
    let calls: String = (0..30).map(|nth| format!("def test_{nth}():\n    assert f()\n\n\n")).collect();
    let fixture =
        ingested(&format!("//- a.py\ndef f():\n    return 1\n//- test_a.py\nfrom a import f\n\n\n{calls}"));
    let edit = |max_chars: u64, old: &str, new: &str| json!({"file_path": "a.py", "max_chars": max_chars, "edits": [{"old": old, "new": new}]});
    let short = ok(&fixture, "apply", edit(12_000, "return 1", "return 2"));
    assert_eq!((short["tests"]["run"].as_array().unwrap().len(), &short["truncated"]), (12, &json!(true)));
    let long = ok(&fixture, "apply", edit(200_000, "return 2", "return 3"));
    assert_eq!((long["tests"]["run"].as_array().unwrap().len(), &long["truncated"]), (30, &json!(false)));
}

#[test]
fn set_up_of_a_test_case_counts_whatever_its_class_is_called() {
    let fixture = ingested(
        "//- lib.py\ndef prepare():\n    return 1\n\
         //- tests/test_u.py\nimport unittest\nfrom lib import prepare\n\n\nclass Orders(unittest.TestCase):\n    def setUp(self):\n        self.x = prepare()\n\n    def test_one(self):\n        self.assertTrue(self.x)\n",
    );
    assert_eq!(tests(&fixture, "prepare"), ["Orders.test_one"]);
}

#[test]
fn a_fixture_is_no_test_and_gives_way_to_a_nearer_one() {
    let fixture = ingested(
        "//- lib.py\ndef outer():\n    return 1\n\n\ndef inner():\n    return 2\n\n\ndef apps():\n    return 3\n\
         //- tests/conftest.py\nimport pytest\nfrom lib import apps, outer\n\n\n@pytest.fixture\ndef db():\n    return outer()\n\n\n@pytest.fixture\ndef test_apps():\n    return apps()\n\
         //- tests/test_a.py\ndef test_db(db):\n    assert db\n\n\ndef test_uses(test_apps):\n    assert test_apps\n\
         //- tests/sub/conftest.py\nimport pytest\nfrom lib import inner\n\n\n@pytest.fixture\ndef db():\n    return inner()\n\
         //- tests/sub/test_b.py\ndef test_sub(db):\n    assert db\n",
    );
    assert_eq!(tests(&fixture, "outer"), ["test_db"]);
    assert_eq!(tests(&fixture, "inner"), ["test_sub"]);
    assert_eq!(tests(&fixture, "apps"), ["test_uses"]);
}

#[test]
fn a_fixture_that_nobody_asks_for_is_run_by_every_test_in_its_reach() {
    let fixture = ingested(
        "//- lib.py\ndef everywhere():\n    return 1\n\n\ndef in_class():\n    return 2\n\
         //- tests/conftest.py\nimport pytest\nfrom lib import everywhere\n\n\n@pytest.fixture(autouse=True)\ndef clean():\n    everywhere()\n    yield\n\
         //- tests/test_a.py\nimport pytest\nfrom lib import in_class\n\n\nclass TestA:\n    @pytest.fixture(scope=\"class\", autouse = True)\n    def own(self):\n        in_class()\n\n    def test_one(self):\n        assert True\n\n\ndef test_two():\n    assert True\n\
         //- other/test_b.py\ndef test_three():\n    assert True\n",
    );
    assert_eq!(tests(&fixture, "everywhere"), ["TestA.test_one", "test_two"]);
    assert_eq!(tests(&fixture, "in_class"), ["TestA.test_one"]);
}
