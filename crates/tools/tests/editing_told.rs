//! What a batch tells of places that it leaves behind, and what it does not alarm for.

#![allow(clippy::unwrap_used)]

mod common;

use common::{ok, refused};
use m1nd_testkit::Fixture;
use serde_json::{Value, json};

fn ingested(files: &str) -> Fixture {
    let fixture = Fixture::new(m1nd_tools::surface(), files);
    ok(&fixture, "ingest", json!({}));
    fixture
}

fn places<'a>(body: &'a Value, list: &str) -> Vec<&'a str> {
    body[list].as_array().into_iter().flatten().map(|one| one["at"].as_str().unwrap()).collect()
}

fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({"edits": [{"file_path": path, "edits": [{"old": old, "new": new}]}]})
}

const NOTE: &str = "were not looked for; `verify: graph` does that";

const BAG: &str = "class Bag:\n    def __init__(self, size):\n        self.size = size\n";

#[test]
fn a_class_that_moves_and_is_imported_back_is_made_as_it_was() {
    let user = "from pk.bag import Bag\n\n\ndef make():\n    return Bag(3)\n";
    let fixture = ingested(&format!("//- pk/__init__.py\n//- pk/bag.py\n{BAG}//- use.py\n{user}"));
    let moved = json!({"edits": [
        {"file_path": "pk/bag.py", "edits": [{"old": BAG, "new": "from pk.bag2 import Bag as Bag\n"}]},
        {"file_path": "pk/bag2.py", "create": true, "new_content": BAG}]});
    let mut dry = moved.clone();
    dry["dry_run"] = json!(true);
    let shown = ok(&fixture, "apply_batch", dry);
    assert!(!shown.to_string().contains("default"), "{shown}");
    let made = ok(&fixture, "apply_batch", moved);
    assert_eq!(places(&made, "callers_to_check"), [""; 0], "{made}");
    assert_eq!(places(&made, "dangling_callers"), [""; 0], "{made}");
}

#[test]
fn one_place_is_told_as_one() {
    let fixture = ingested(&format!(
        "//- bag.py\n{BAG}//- use.py\nfrom bag import Bag\n\n\ndef make():\n    return Bag(3)\n"
    ));
    let cut = edit("bag.py", "    def __init__(self, size):\n        self.size = size\n", "    size = 3\n");
    let made = ok(&fixture, "apply_batch", cut);
    let hint = made["next_step_hint"].as_str().unwrap();
    assert!(hint.starts_with("1 place ran what was removed, and runs"), "{made}");
}

#[test]
fn a_dry_run_asks_the_graph_where_it_is_told_to() {
    let files = "//- sh.py\ndef area(w, h):\n    return w * h\n\n\ndef square(a):\n    return area(a, a)\n//- use.py\nfrom sh import area\n\n\ndef go():\n    return area(1, 2)\n";
    let fixture = ingested(files);
    let with = |new: &str, dry: bool| {
        let mut body = edit("sh.py", "def area(w, h):", new);
        (body["verify"], body["dry_run"]) = (json!("graph"), json!(dry));
        body
    };
    let shown = ok(&fixture, "apply_batch", with("X = 1\n\n\ndef surface(w, h):", true));
    assert_eq!(shown["proof_state"], "blocked", "{shown}");
    assert!(shown["would_refuse"].as_str().unwrap().contains("would be taken back"), "{shown}");
    let mut at = places(&shown, "dangling_callers");
    at.sort_unstable();
    assert_eq!(at, ["sh.py:6", "use.py:1", "use.py:5"], "lines as they are on disk: {shown}");
    let shown = ok(&fixture, "apply_batch", with("def area(w, h, d):", true));
    assert_eq!(shown["proof_state"], "blocked", "{shown}");
    refused(&fixture, "apply_batch", with("def area(w, h, d):", false));
    // What passes is said to be ready, and nothing is written or remembered.
    let shown = ok(&fixture, "apply_batch", with("def area(w, h, d=1):", true));
    assert_eq!(
        (&shown["proof_state"], shown.get("would_refuse")),
        (&json!("ready_to_edit"), None),
        "{shown}"
    );
    assert_eq!(ok(&fixture, "callers", json!({"node_id": "area"}))["total"], 2);
    ok(&fixture, "apply_batch", with("def area(w, h, d=1):", false));
}

#[test]
fn a_moved_file_whose_own_imports_lead_nowhere_is_told() {
    let files = "//- a/x.ts\nimport { y } from './y';\nexport const x = y;\n//- a/y.ts\nexport const y = 1;\n\
        //- c/x.js\nconst y = require('./y');\nmodule.exports = { x: y };\n//- c/y.js\nmodule.exports = 1;\n\
        //- p/__init__.py\n//- p/x.py\nfrom .y import y\n\n\ndef x():\n    return y()\n//- p/y.py\ndef y():\n    return 1\n//- q/__init__.py\n";
    for (from, to, at) in
        [("a/x.ts", "b/x.ts", "b/x.ts:1"), ("c/x.js", "d/x.js", "d/x.js:1"), ("p/x.py", "q/x.py", "q/x.py:1")]
    {
        let fixture = ingested(files);
        let moved = json!({"edits": [{"file_path": from, "rename_to": to}]});
        let mut dry = moved.clone();
        dry["dry_run"] = json!(true);
        let shown = ok(&fixture, "apply_batch", dry);
        assert_eq!(places(&shown, "callers_to_check"), [at], "{shown}");
        let made = ok(&fixture, "apply_batch", moved);
        assert_eq!(places(&made, "dangling_callers"), [at], "{made}");
    }
    // Beside what it imports it finds that.
    let fixture = ingested(files);
    let moved = json!({"verify": "graph", "edits": [{"file_path": "a/x.ts", "rename_to": "a/z.ts"},
        {"file_path": "p/x.py", "rename_to": "q/x.py"}, {"file_path": "p/y.py", "rename_to": "q/y.py"}]});
    let made = ok(&fixture, "apply_batch", moved);
    assert_eq!(places(&made, "dangling_callers"), [""; 0], "{made}");
}

#[test]
fn what_was_not_looked_for_is_said_where_it_may_matter() {
    let files = "//- c.js\nfunction a() { return 1; }\nfunction b() { return 2; }\nmodule.exports = { a, b };\n\
        //- e.ts\nfunction hidden() { return 1; }\nexport { hidden as shown };\n\
        //- S.java\npublic interface S {\n    int area();\n}\n\
        //- t.rs\npub trait T {\n    fn a(&self);\n}\n\
        //- s.py\nfrom abc import ABC, abstractmethod\n\n\nclass S(ABC):\n    @abstractmethod\n    def a(self): ...\n";
    for (path, old, new, is_said) in [
        ("c.js", "{ a, b }", "{ a }", true),
        ("e.ts", "export { hidden as shown };\n", "", true),
        ("S.java", "    int area();\n", "    int area();\n    int size();\n", true),
        ("t.rs", "    fn a(&self);\n", "    fn a(&self);\n    fn b(&self);\n", true),
        (
            "s.py",
            "    def a(self): ...\n",
            "    def a(self): ...\n    @abstractmethod\n    def b(self): ...\n",
            true,
        ),
        ("c.js", "return 1;", "return 3;", false),
        ("e.ts", "function hidden", "function more() { return 2; }\nfunction hidden", false),
    ] {
        let made = ok(&ingested(files), "apply_batch", edit(path, old, new));
        assert_eq!(made["proactive_insights"].to_string().contains(NOTE), is_said, "{path}: {made}");
    }
}

#[test]
fn what_is_seen_by_more_concerns_no_caller() {
    let files = "//- src/lib.rs\npub(crate) fn f(a: u8) -> u8 {\n    a\n}\npub fn g() -> u8 {\n    f(1)\n}\n\
        //- p/A.java\npackage p;\nclass A {\n    private int f(int a) { return a; }\n    int g() { return f(1); }\n}\n";
    for (path, old, new, count) in [
        ("src/lib.rs", "pub(crate) fn f", "pub fn f", 0),
        ("p/A.java", "private int f", "int f", 0),
        ("p/A.java", "private int f", "public long f", 1),
    ] {
        let made = ok(&ingested(files), "apply_batch", edit(path, old, new));
        assert_eq!(places(&made, "callers_to_check").len(), count, "{path} {new}: {made}");
    }
}

#[test]
fn tests_stay_in_a_short_answer_and_what_was_cut_is_told() {
    let mut files = "//- a.py\ndef f(x):\n    return x\n//- b.py\nfrom a import f\n\n\n".to_owned();
    files.extend(
        (0..90).map(|nth| format!("def a_rather_long_name_of_a_user_{nth}():\n    return f({nth})\n\n\n")),
    );
    files.push_str("//- test_a.py\nfrom a import f\n\n\n");
    files.extend((0..30).map(|nth| format!("def test_f_{nth}():\n    assert f({nth}) == {nth}\n\n\n")));
    let fixture = ingested(&files);
    let made = ok(&fixture, "apply_batch", edit("a.py", "def f(x)", "def f(x, y)"));
    assert!(made["tests"]["run"].as_array().unwrap().len() >= 3, "{made}");
    assert!(made["next_step_hint"].as_str().unwrap().contains(" tests.run"), "{made}");
    assert!(!places(&made, "callers_to_check").is_empty());
}

#[test]
fn the_context_of_a_constant_has_the_lines_that_read_it() {
    let files = "//- conf.py\nLIMIT = 3\nsignal = make()\n\n\nclass Colour:\n    RED = 1\n\
        //- a.py\nfrom conf import LIMIT\n\n\ndef a():\n    return LIMIT\n\
        //- b.py\nimport conf\n\n\ndef b():\n    return conf.LIMIT + 1\n\
        //- s.py\nfrom conf import signal\n\n\ndef s():\n    signal.send(1)\n//- t.py\nfrom conf import signal\n\
        //- src/kind.rs\npub enum Kind {\n    One,\n    Two,\n}\n\
        //- src/lib.rs\nmod kind;\nuse kind::Kind;\npub fn f(k: Kind) -> bool {\n    let other = Kind::Two;\n    k as u8 == other as u8\n}\n";
    let fixture = ingested(files);
    for tool in ["surgical_context", "surgical_context_v2"] {
        let body = ok(&fixture, tool, json!({"node_id": "LIMIT"}));
        assert_eq!(places(&body, "users"), ["a.py:5", "b.py:5"], "{body}");
        assert_eq!(body["users_total"], 2);
        assert!(body.get("rests_on").is_none(), "{body}");
        let body = ok(&fixture, tool, json!({"node_id": "signal"}));
        assert_eq!(places(&body, "users"), ["s.py:5", "t.py:1"], "{body}");
        let body = ok(&fixture, tool, json!({"node_id": "Kind"}));
        assert!(places(&body, "users").contains(&"src/lib.rs:3"), "{body}");
    }
    let body = ok(&fixture, "surgical_context_v2", json!({"node_id": "LIMIT"}));
    let files: Vec<&str> =
        body["connected"].as_array().unwrap().iter().map(|one| one["file_path"].as_str().unwrap()).collect();
    assert_eq!(files, ["a.py", "b.py"], "{body}");
}

#[test]
fn tests_that_ask_for_a_renamed_fixture_dangle_and_are_to_be_run() {
    let files = "//- tests/conftest.py\nimport pytest\n\n\n@pytest.fixture\ndef app():\n    return 1\n\n\n@pytest.fixture\ndef client(app):\n    return app\n\
        //- tests/test_a.py\nimport pytest\n\n\ndef test_one(app):\n    assert app\n\n\ndef test_two(client):\n    assert client\n\n\n@pytest.mark.usefixtures(\"app\")\ndef test_three():\n    assert 1\n\n\n\
        @pytest.mark.parametrize(\"app\", [1])\ndef test_four(app):\n    assert app\n\
        //- tests/own/test_b.py\nimport pytest\n\n\n@pytest.fixture\ndef app():\n    return 2\n\n\ndef test_five(app):\n    assert app\n";
    let fixture = ingested(files);
    let mut renamed = edit("tests/conftest.py", "def app():", "def application():");
    let made = ok(&fixture, "apply_batch", renamed.clone());
    let at = places(&made, "dangling_callers");
    assert_eq!(at, ["tests/conftest.py:10", "tests/test_a.py:12", "tests/test_a.py:4"], "{made}");
    let tests = made["tests"]["run"].to_string();
    for name in ["test_one", "test_two", "test_three"] {
        assert!(tests.contains(name), "{name}: {made}");
    }
    ok(&fixture, "undo_batch", json!({"batch_id": made["batch_id"]}));
    renamed["verify"] = json!("graph");
    refused(&fixture, "apply_batch", renamed);
    // One that is made of another of its name, or stands elsewhere and is imported, leaves nobody without.
    let fixture = ingested(files);
    let moved = json!({"verify": "graph", "edits": [
        {"file_path": "tests/conftest.py", "edits": [{"old": "@pytest.fixture\ndef app():\n    return 1\n", "new": "from tests.given import app\n"}]},
        {"file_path": "tests/given.py", "create": true, "new_content": "import pytest\n\n\n@pytest.fixture\ndef app():\n    return 1\n"}]});
    let made = ok(&fixture, "apply_batch", moved);
    assert_eq!(places(&made, "dangling_callers"), [""; 0], "{made}");
}

#[test]
fn lines_that_set_a_property_without_a_setter_dangle() {
    let class = "class Box:\n    def __init__(self):\n        self._size = 1\n\n    @property\n    def size(self):\n        return self._size\n\n    @size.setter\n    def size(self, value):\n        self._size = value\n\n    def grow(self):\n        self.size += 1\n";
    let user = "from box import Box\n\n\ndef use(other):\n    box = Box()\n    box.size = 3\n    other.size = 4\n    return box.size == 3\n\n\ndef take(box: Box):\n    box.size = 1\n";
    for (old, new) in [
        ("    @size.setter\n    def size(self, value):\n        self._size = value\n\n", ""),
        ("    def size(self, value):", "    def length(self, value):"),
    ] {
        let fixture = ingested(&format!("//- box.py\n{class}//- use.py\n{user}"));
        let mut cut = edit("box.py", old, new);
        let made = ok(&fixture, "apply_batch", cut.clone());
        let at = places(&made, "dangling_callers");
        assert_eq!(at.len(), 3, "{made}");
        assert!(at.contains(&"use.py:6") && at.contains(&"use.py:12"), "{made}");
        ok(&fixture, "undo_batch", json!({"batch_id": made["batch_id"]}));
        cut["verify"] = json!("graph");
        refused(&fixture, "apply_batch", cut);
    }
    // A plain attribute can be set.
    let fixture = ingested(&format!("//- box.py\n{class}//- use.py\n{user}"));
    let old = "    @property\n    def size(self):\n        return self._size\n\n    @size.setter\n    def size(self, value):\n        self._size = value\n\n";
    let made = ok(&fixture, "apply_batch", edit("box.py", old, "    size = 1\n\n"));
    assert_eq!(places(&made, "dangling_callers"), [""; 0], "{made}");
}

/// What dangles after an edit, without and with a demand that nothing does.
fn dangles(files: &str, path: &str, old: &str, new: &str) -> Vec<String> {
    let fixture = ingested(files);
    let mut body = edit(path, old, new);
    let made = ok(&fixture, "apply_batch", body.clone());
    let told: Vec<String> = places(&made, "dangling_callers").into_iter().map(str::to_owned).collect();
    ok(&fixture, "undo_batch", json!({"batch_id": made["batch_id"]}));
    body["verify"] = json!("graph");
    let is_refused = fixture.call("apply_batch", body).is_error;
    assert_eq!(is_refused, !told.is_empty(), "{path} {new}: {told:?}");
    told
}

#[test]
fn exports_that_go_dangle_where_they_are_imported() {
    let files = "//- a.ts\nfunction hidden() { return 1; }\nexport function f() { return hidden(); }\nexport { hidden as shown };\nexport type Id = string;\n\
        //- b.ts\nimport { f } from './a';\nimport { shown } from './a';\nimport type { Id } from './a';\nexport const b: Id = String(f() + shown());\n\
        //- index.ts\nexport * from './a';\n//- c.ts\nimport { f } from './index';\nexport const c = f();\n";
    assert_eq!(
        dangles(files, "a.ts", "export function f", "export default function f"),
        ["b.ts:1", "c.ts:1"]
    );
    assert_eq!(dangles(files, "a.ts", "as shown", "as displayed"), ["b.ts:2"]);
    assert_eq!(dangles(files, "a.ts", "export type Id", "type Id"), ["b.ts:3"]);
    assert_eq!(dangles(files, "a.ts", "export type Id = string;\n", ""), ["b.ts:3", "b.ts:4"]);
    // Said otherwise it is exported as it was.
    assert_eq!(
        dangles(
            files,
            "a.ts",
            "export function f() { return hidden(); }",
            "function f() { return 2; }\nexport { f };"
        ),
        [""; 0]
    );
    assert_eq!(
        dangles(files, "a.ts", "export type Id = string;", "export interface Id { a: string }"),
        [""; 0]
    );
}

#[test]
fn what_a_crate_keeps_to_itself_dangles_in_others() {
    let files = "//- Cargo.toml\n[workspace]\nmembers = [\"geo\", \"app\"]\n\
        //- geo/Cargo.toml\n[package]\nname = \"geo\"\nversion = \"0.1.0\"\n//- geo/src/lib.rs\nmod shapes;\npub use shapes::Area;\n\npub fn g() -> Area {\n    Area\n}\n//- geo/src/shapes.rs\npub struct Area;\n\
        //- app/Cargo.toml\n[package]\nname = \"app\"\nversion = \"0.1.0\"\n[dependencies]\ngeo = { path = \"../geo\" }\n//- app/src/lib.rs\nuse geo::Area;\n\npub fn f(_: Area) {}\n";
    for new in ["use shapes::Area;", "pub(crate) use shapes::Area;"] {
        assert_eq!(dangles(files, "geo/src/lib.rs", "pub use shapes::Area;", new), ["app/src/lib.rs:1"]);
    }
    assert_eq!(
        dangles(
            files,
            "geo/src/lib.rs",
            "mod shapes;\npub use shapes::Area;",
            "pub mod shapes;\npub use shapes::{Area};"
        ),
        [""; 0]
    );
}

#[test]
fn a_name_that_is_not_listed_any_more_dangles_where_everything_is_imported() {
    let files = "//- pk/__init__.py\n//- pk/m.py\n__all__ = [\"one\", \"two\"]\n\n\ndef one():\n    return 1\n\n\ndef two():\n    return 2\n\
        //- u.py\nfrom pk.m import *\n\n\ndef go():\n    return one() + two()\n//- v.py\nfrom pk.m import *\n\n\ndef go(two):\n    return one() + two\n";
    assert_eq!(dangles(files, "pk/m.py", "[\"one\", \"two\"]", "[\"one\"]"), ["u.py:5"]);
}

#[test]
fn a_manifest_that_names_a_function_or_a_file_which_goes_is_told() {
    let files = "//- pyproject.toml\n[project]\nname = \"shop\"\n\n[project.scripts]\nshop = \"shop.cli:main\"\nother = \"shop.cli:mainly\"\n//- src/shop/__init__.py\n//- src/shop/cli.py\ndef main():\n    return 1\n\n\ndef mainly():\n    return 2\n\
        //- web/package.json\n{\n  \"name\": \"web\",\n  \"bin\": { \"web\": \"./cli.js\" }\n}\n//- web/cli.js\nfunction go() { return 1; }\ngo();\n";
    assert_eq!(dangles(files, "src/shop/cli.py", "def main()", "def run()"), ["pyproject.toml:5"]);
    assert_eq!(dangles(files, "src/shop/cli.py", "return 1", "return 3"), [""; 0]);
    let fixture = ingested(files);
    let made = ok(
        &fixture,
        "apply_batch",
        json!({"edits": [{"file_path": "web/cli.js", "rename_to": "web/main.js"}]}),
    );
    assert_eq!(places(&made, "dangling_callers"), ["web/package.json:3"], "{made}");
    // A module that becomes a package gives what it gave.
    let fixture = ingested(files);
    let moved = json!({"verify": "graph", "edits": [{"file_path": "src/shop/cli.py", "rename_to": "src/shop/cli/__init__.py"}]});
    let made = ok(&fixture, "apply_batch", moved);
    assert_eq!(places(&made, "dangling_callers"), [""; 0], "{made}");
}
