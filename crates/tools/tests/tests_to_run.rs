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
fn what_java_runs_before_its_tests_is_run_by_them() {
    let fixture = ingested(
        "//- src/main/java/Shop.java\nclass Shop {\n  static void open() {}\n  static void sell() {}\n  static void stock() {}\n}\n\
         //- src/test/java/ShopTest.java\nclass ShopTest {\n  @BeforeEach void s() { Shop.open(); }\n  @Test void sells() { Shop.sell(); }\n}\n\
         //- src/test/java/OldTest.java\npublic class OldTest extends junit.framework.TestCase {\n  @Override protected void setUp() { Shop.stock(); }\n  public void testOld() {}\n}\n",
    );
    assert_eq!(tests(&fixture, "Shop.open"), ["ShopTest.sells"]);
    assert_eq!(tests(&fixture, "Shop.sell"), ["ShopTest.sells"]);
    assert_eq!(tests(&fixture, "Shop.stock"), ["OldTest.testOld"]);
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

#[test]
fn marks_ask_for_fixtures_for_a_test_a_class_or_a_file() {
    let fixture = ingested(
        "//- lib.py\ndef of_test():\n    return 1\n\n\ndef of_class():\n    return 2\n\n\ndef of_file():\n    return 3\n\
         //- tests/conftest.py\nimport pytest\nfrom lib import of_class, of_file, of_test\n\n\n@pytest.fixture\ndef one():\n    of_test()\n\n\n@pytest.fixture\ndef two():\n    of_class()\n\n\n@pytest.fixture\ndef three():\n    of_file()\n\
         //- tests/test_a.py\nimport pytest\n\n\n@pytest.mark.usefixtures(\"one\")\ndef test_one():\n    assert True\n\n\n@pytest.mark.usefixtures('two', 'tmp_path')\nclass TestTwo:\n    def test_two(self):\n        assert True\n\n\nclass TestHeir(TestTwo):\n    def test_heir(self):\n        assert True\n\n\nclass TestOwn:\n    pytestmark = [pytest.mark.slow, pytest.mark.usefixtures('two')]\n\n    def test_own(self):\n        assert True\n\n\ndef test_none():\n    assert True\n\
         //- tests/test_b.py\nimport pytest\n\npytestmark = pytest.mark.usefixtures(\"three\")\n\n\ndef test_three():\n    assert True\n",
    );
    assert_eq!(tests(&fixture, "of_test"), ["test_one"]);
    assert_eq!(tests(&fixture, "of_class"), ["TestHeir.test_heir", "TestOwn.test_own", "TestTwo.test_two"]);
    assert_eq!(tests(&fixture, "of_file"), ["test_three"]);
}

#[test]
fn a_fixture_is_asked_for_by_the_name_that_it_was_given_and_in_its_reach() {
    let fixture = ingested(
        "//- lib.py\ndef named():\n    return 1\n\n\ndef helped():\n    return 2\n\n\ndef inner():\n    return 3\n\
         //- tests/conftest.py\nimport pytest\nfrom lib import helped, named\n\n\n@pytest.fixture(scope='module', name='db')\ndef db_fixture():\n    return named()\n\n\ndef plain():\n    return helped()\n\
         //- tests/test_a.py\nimport pytest\nfrom lib import inner\n\n\ndef test_db(db):\n    assert db\n\n\ndef test_other(db_fixture):\n    assert db_fixture\n\n\n@pytest.mark.parametrize('plain', [1])\ndef test_plain(plain):\n    assert plain\n\n\nclass TestIn:\n    @pytest.fixture\n    def db(self):\n        return inner()\n\n    def test_in(self, db):\n        assert db\n",
    );
    assert_eq!(tests(&fixture, "named"), ["test_db"]);
    assert_eq!(tests(&fixture, "inner"), ["TestIn.test_in"]);
    assert!(tests(&fixture, "helped").is_empty());
}

#[test]
fn hooks_are_run_for_every_test_of_their_block() {
    let fixture = ingested(
        "//- src/app.ts\nexport function all() { return 1 }\nexport function some() { return 2 }\nexport function once() { return 3 }\n\
         //- src/app.test.ts\nimport { all, once, some } from './app'\n\nbeforeEach(() => {\n  all()\n})\n\nbeforeAll(once)\n\ndescribe('a', () => {\n  let x\n\n  beforeEach(async () => {\n    x = some()\n  })\n\n  it('one', () => {\n    expect(x).toBe(2)\n  })\n\n  describe.each([1])('inner', () => {\n    it('two', () => {\n      expect(x).toBe(2)\n    })\n  })\n})\n\nit('three', () => {\n  expect(1).toBe(1)\n})\n",
    );
    assert_eq!(tests(&fixture, "all"), ["one", "three", "two"]);
    assert_eq!(tests(&fixture, "some"), ["one", "two"]);
    assert_eq!(tests(&fixture, "once"), ["one", "three", "two"]);
}

#[test]
fn what_runs_when_a_file_is_loaded_is_reached_by_the_tests_of_all_it_holds() {
    let fixture = ingested(
        "//- lib.py\nimport os\n\nLIMIT = int(os.environ.get('LIMIT', '3'))\nif LIMIT > 5:\n    raise ValueError(LIMIT)\n\n\ndef f():\n    return LIMIT\n\
         //- test_lib.py\nfrom lib import f\n\n\ndef test_f():\n    assert f()\n",
    );
    let edit = |old: &str, new: &str| json!({"file_path": "lib.py", "edits": [{"old": old, "new": new}]});
    let made = ok(&fixture, "apply", edit("if LIMIT > 5", "if LIMIT > 4"));
    assert_eq!(made["tests"]["run"][0]["node_id"], "test::test_lib.py::test_f", "{made}");
    // A comment reaches nobody.
    let made = ok(&fixture, "apply", edit("if LIMIT > 4:", "# why\nif LIMIT > 4:"));
    assert_eq!(made["tests"]["total"], 0, "{made}");
    // Of a file of tests these are its own.
    let edit = json!({"file_path": "test_lib.py", "edits": [{"old": "from lib import f", "new": "import lib\nfrom lib import f"}]});
    let made = ok(&fixture, "apply", edit);
    assert_eq!(made["tests"]["run"][0]["hop_distance"], 0, "{made}");
}
