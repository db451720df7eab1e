//! What a change does, told by the relations of before it, and by a diff that nobody applied.

#![allow(clippy::unwrap_used)]

#[path = "common/reviewed.rs"]
mod reviewed;

use std::fs;

use m1nd_testkit::Fixture;
use serde_json::{Value, json};

use reviewed::commits::{ANN, Says, commit};
use reviewed::{APP, LIB, committed, committed_files, review, shown};

/// Of the findings those of a kind.
fn of_kind(body: &Value, kind: &str) -> Vec<String> {
    shown(body).into_iter().filter(|one| one.contains(kind)).collect()
}

const URLS: &str = "class Parts:\n    def copy_with(self, x):\n        return self\n\n\nclass URL:\n    def copy_with(self, x):\n        return self\n\n\ndef join(url: URL, x):\n    return url.copy_with(x)\n";
const CLIENT: &str = "from urls import Parts, URL\n\n\ndef send(url: URL):\n    return url.copy_with(1)\n\n\ndef part(parts: Parts):\n    return parts.copy_with(2)\n";

#[test]
fn a_removed_method_is_found_by_who_called_it_though_another_has_its_name() {
    let fixture = committed_files(&[("urls.py", URLS), ("client.py", CLIENT)]);
    let renamed = URLS.replace("class URL:\n    def copy_with(", "class URL:\n    def copy_with2(");
    fs::write(fixture.root().join("urls.py"), &renamed).unwrap();
    let found = review(&fixture, json!({"base": "HEAD"}));
    assert_eq!(
        of_kind(&found, "removed"),
        ["high removed_but_used urls.py:7 client.py:5 urls.py:12"],
        "{found}"
    );
    // Whose callers were mended is not missed.
    fs::write(fixture.root().join("urls.py"), renamed.replace("url.copy_with(x)", "url.copy_with2(x)"))
        .unwrap();
    fs::write(fixture.root().join("client.py"), CLIENT.replace("url.copy_with(1)", "url.copy_with2(1)"))
        .unwrap();
    let found = review(&fixture, json!({"base": "HEAD"}));
    assert_eq!(of_kind(&found, "removed"), [""; 0], "{found}");
}

#[test]
fn a_function_that_moved_away_from_an_import_is_found() {
    let utils = "def unquote(text):\n    return text\n\n\ndef keep():\n    return 1\n";
    let auth = "from ._utils import unquote\n\n\ndef auth(x):\n    return unquote(x)\n";
    let fixture =
        committed_files(&[("pkg/__init__.py", ""), ("pkg/_utils.py", utils), ("pkg/_auth.py", auth)]);
    let at = |path: &str| fixture.root().join(path);
    fs::write(at("pkg/_utils.py"), "def keep():\n    return 1\n").unwrap();
    fs::write(at("pkg/_quote.py"), "def unquote(text):\n    return text\n").unwrap();
    let found = review(&fixture, json!({"base": "HEAD"}));
    assert_eq!(
        of_kind(&found, "removed"),
        ["high removed_but_used pkg/_utils.py:1 pkg/_auth.py:1 pkg/_auth.py:5"],
        "{found}"
    );
    // Handed on from where it was, it is still found there.
    fs::write(at("pkg/_utils.py"), "from ._quote import unquote\n\n\ndef keep():\n    return 1\n").unwrap();
    let found = review(&fixture, json!({"base": "HEAD"}));
    assert_eq!(of_kind(&found, "removed"), [""; 0], "{found}");
    // As it is where the import was mended, or means something else now.
    fs::write(at("pkg/_utils.py"), "def keep():\n    return 1\n").unwrap();
    for module in ["._quote", "urllib.parse"] {
        fs::write(at("pkg/_auth.py"), auth.replace("._utils", module)).unwrap();
        let found = review(&fixture, json!({"base": "HEAD"}));
        assert_eq!(of_kind(&found, "removed"), [""; 0], "{module}: {found}");
    }
}

#[test]
fn a_diff_is_reviewed_alike_before_and_after_it_is_applied() {
    let fixture = committed();
    let diff = "--- a/lib.py\n+++ b/lib.py\n@@ -1,6 +1,3 @@\n-def greet(name):\n+def greet(name, loud):\n     return name\n \n-def part(name):\n-    return name\n-\n";
    let kinds = ["removed", "signature"];
    let found = review(&fixture, json!({ "diff": diff }));
    let told: Vec<String> = kinds.iter().flat_map(|kind| of_kind(&found, kind)).collect();
    assert_eq!(
        told,
        ["high removed_but_used lib.py:1 app.py:1 app.py:5", "high signature_change lib.py:1 app.py:4",],
        "{found}"
    );
    assert_eq!(found["files"], json!(["lib.py modified +1 -4"]), "{found}");
    // Nothing was written, and today's graph is still today's.
    assert!(!fixture.call("callers", json!({"node_id": "part"})).is_error);
    let text = LIB.replace("def greet(name)", "def greet(name, loud)");
    fs::write(fixture.root().join("lib.py"), text.replace("def part(name):\n    return name\n\n", ""))
        .unwrap();
    let applied = review(&fixture, json!({ "diff": diff }));
    let told_now: Vec<String> = kinds.iter().flat_map(|kind| of_kind(&applied, kind)).collect();
    assert_eq!(told_now, told, "{applied}");
    fs::write(fixture.root().join("lib.py"), "something_else = 1\n").unwrap();
    let unfit = review(&fixture, json!({ "diff": diff }));
    assert!(
        unfit["no_data"][0].as_str().unwrap().contains("neither is applied nor fits what lib.py"),
        "{unfit}"
    );
}

#[test]
fn a_diff_that_is_not_applied_and_deletes_a_file_names_who_imports_it() {
    let fixture = committed();
    let lines: String = LIB.lines().map(|line| format!("-{line}\n")).collect();
    let count = LIB.lines().count();
    let diff = format!(
        "diff --git a/lib.py b/lib.py\ndeleted file mode 100644\n--- a/lib.py\n+++ /dev/null\n@@ -1,{count} +0,0 @@\n{lines}"
    );
    let found = review(&fixture, json!({ "diff": diff }));
    assert_eq!(of_kind(&found, "removed"), ["critical removed_but_used lib.py:1 app.py:1"], "{found}");
}

#[test]
fn files_that_are_not_of_the_workspace_are_not_reviewed() {
    let fixture = committed();
    let outside = "--- a/../../etc/passwd\n+++ b/../../etc/passwd\n@@ -1 +1 @@\n-a\n+b\n";
    let nowhere = "--- a/nowhere.py\n+++ b/nowhere.py\n@@ -1 +1 @@\n-a\n+b\n";
    for diff in [outside, nowhere] {
        let reply = fixture.call("review", json!({ "diff": diff }));
        assert!(reply.is_error, "{}", reply.text());
        assert!(reply.text().contains("none of its files is in this workspace"), "{}", reply.text());
    }
    let here =
        "--- a/lib.py\n+++ b/lib.py\n@@ -7,2 +7,2 @@\n def lonely(x):\n-    return x\n+    return x + 1\n";
    let found = review(&fixture, json!({ "diff": format!("{outside}{here}") }));
    assert_eq!(found["changed_files"], json!(1), "{found}");
    assert!(found["no_data"][0].as_str().unwrap().contains("etc/passwd"), "{found}");
}

#[test]
fn a_file_that_does_not_parse_any_more_is_told_as_such() {
    let fixture = committed();
    fs::write(fixture.root().join("lib.py"), LIB.replace("def greet(name):", "def greet((((:")).unwrap();
    let found = review(&fixture, json!({"base": "HEAD"}));
    let told: Vec<String> =
        shown(&found).into_iter().filter(|one| one.contains("syntax") || one.contains("removed")).collect();
    assert_eq!(told, ["high syntax_error lib.py:1"], "{found}");
}

#[test]
fn a_parameter_that_is_called_otherwise_breaks_only_who_names_it() {
    let fixture = committed();
    fs::write(
        fixture.root().join("lib.py"),
        LIB.replace("def greet(name):\n    return name", "def greet(who):\n    return who"),
    )
    .unwrap();
    let found = review(&fixture, json!({"base": "HEAD"}));
    assert_eq!(of_kind(&found, "signature"), ["low signature_change lib.py:1 app.py:4"], "{found}");
    let named = APP.replace("greet('a')", "greet(\n        name='a',\n    )");
    let fixture = committed_files(&[("lib.py", LIB), ("app.py", &named)]);
    fs::write(fixture.root().join("lib.py"), LIB.replace("def greet(name)", "def greet(who)")).unwrap();
    let found = review(&fixture, json!({"base": "HEAD"}));
    assert_eq!(of_kind(&found, "signature"), ["high signature_change lib.py:1 app.py:4"], "{found}");
}

#[test]
fn the_impact_of_a_past_range_is_that_of_the_functions_it_changed() {
    let was = "def one():\n    return 1\n\n\ndef two():\n    return 2\n";
    let then = was.replace("return 2", "return 3");
    let now = format!("def new():\n    return 0\n\n\ndef newer():\n    return 0\n\n\n{then}");
    let fixture = Fixture::new(m1nd_tools::surface(), &format!("//- a.py\n{now}"));
    for text in [was, &then, &now] {
        commit(fixture.root(), ANN, &[("a.py", text)]);
    }
    assert_eq!(fixture.call("ingest", json!({})).body["state"], "done");
    let found = fixture.call("impact", json!({"diff": "HEAD~2..HEAD~1"})).body;
    assert_eq!(found["sources"], json!(["function::a.py::two"]), "{found}");
}

#[test]
fn many_sources_leave_room_for_what_they_reach() {
    let names: Vec<String> = (0..150).map(|at| format!("function_of_the_library_{at}")).collect();
    let lib: String = names.iter().map(|name| format!("def {name}():\n    return 1\n\n\n")).collect();
    let calls: String =
        names.iter().map(|name| format!("def call_{name}():\n    return {name}()\n\n\n")).collect();
    let tests: String =
        names.iter().map(|name| format!("def test_{name}():\n    assert {name}() == 1\n\n\n")).collect();
    let (calls, tests) = (format!("from lib import *\n\n{calls}"), format!("from lib import *\n\n{tests}"));
    let fixture = committed_files(&[("lib.py", &lib), ("calls.py", &calls), ("test_lib.py", &tests)]);
    fs::write(fixture.root().join("lib.py"), lib.replace("return 1", "return 2")).unwrap();
    let ask = |cursor: u64| fixture.call("impact", json!({"diff": "HEAD", "cursor": cursor})).body;
    let first = ask(0);
    assert_eq!(first["sources_total"], json!(150), "{first}");
    let count = |field: &str, of: &Value| of[field].as_array().unwrap().len();
    assert!(count("sources", &first) <= 20 && count("tests", &first) >= 3, "{first}");
    assert!(count("blast_radius", &first) >= 20, "{first}");
    let second = ask(first["next_cursor"].as_u64().unwrap());
    assert_eq!(second["sources"], json!([]), "{second}");
}

#[test]
fn making_one_of_a_class_is_one_call_of_it() {
    let text = "//- a.py\nclass Box:\n    def __init__(self, x):\n        self.x = x\n\n    def open(self):\n        return self.x\n\n\ndef one():\n    return Box(1)\n\n\ndef two():\n    return Box(2).open()\n";
    let fixture = Fixture::new(m1nd_tools::surface(), text);
    assert_eq!(fixture.call("ingest", json!({})).body["state"], "done");
    let found = fixture.call("callers", json!({"node_id": "Box"})).body;
    let shown: Vec<String> = found["calls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|call| format!("{} {}", call["line"], call["member"].as_str().unwrap_or("-")))
        .collect();
    assert_eq!(shown, ["10 -", "14 -", "14 open"], "{found}");
}

#[test]
fn who_has_a_name_from_a_file_that_hands_it_on_need_not_change_when_it_moves() {
    let body = "    x = 1\n".repeat(16);
    let text = format!(
        "//- pkg/__init__.py\nfrom .helpers import first as first\nfrom .helpers import second as second\n//- pkg/helpers.py\ndef first():\n{body}\n\ndef second():\n{body}\n\ndef third():\n{body}{body}\n\n//- pkg/inner.py\nfrom . import helpers\n\n\ndef inner():\n    return helpers.second()\n//- test_it.py\nimport pkg\nfrom pkg import second\nfrom pkg.helpers import third\n\n\ndef test_it():\n    assert pkg.first() == second() == third()\n"
    );
    let fixture = Fixture::new(m1nd_tools::surface(), &text);
    assert_eq!(fixture.call("ingest", json!({})).body["state"], "done");
    let plan = fixture.call("refactor_plan", json!({"node_id": "pkg/helpers.py"})).body;
    let users = |name: &str| {
        let steps = plan["steps"].as_array().unwrap();
        steps.iter().find(|step| step["members"] == json!([name])).map(|step| step["users"].clone())
    };
    assert_eq!(users("first"), Some(json!(["pkg/__init__.py"])), "{plan}");
    assert_eq!(users("second"), Some(json!(["pkg/__init__.py", "pkg/inner.py"])), "{plan}");
}

#[test]
fn a_method_depends_on_the_types_of_its_signature() {
    let text = "//- a.py\nclass Mixin:\n    pass\n\n\nclass Other:\n    pass\n\n\nclass Session:\n    def expires(self, app, session: Mixin) -> int:\n        return 1\n\n    def other(self, x: Other):\n        return 2\n";
    let fixture = Fixture::new(m1nd_tools::surface(), text);
    assert_eq!(fixture.call("ingest", json!({})).body["state"], "done");
    let verdict = |claim: &str| {
        fixture.call("hypothesize", json!({ "claim": claim })).body["verdict"].as_str().unwrap().to_owned()
    };
    assert_eq!(verdict("Session.expires depends on Mixin"), "likely_true");
    assert_eq!(verdict("Session.expires depends on Other"), "likely_false");
    assert_eq!(verdict("Session.expires never calls Mixin"), "likely_true");
}

#[test]
fn coupling_says_of_whose_changes_its_shares_are() {
    let fixture = Fixture::new(
        m1nd_tools::surface(),
        "//- a.py\ndef a():\n    return 9\n//- b.py\ndef b():\n    return 9\n",
    );
    // Both change three times, the first three times more.
    for at in 0..6_u64 {
        let text = |name: &str, of: u64, last: u64| {
            format!("def {name}():\n    return {}\n", if of == last { 9 } else { of })
        };
        let (a, b) = (text("a", at, 5), text("b", at.min(2), 2));
        let message = format!("work {at}");
        commit(
            fixture.root(),
            Says("Ann", 1_700_000_000 + at * 1_000, &message),
            &[("a.py", &a), ("b.py", &b)],
        );
    }
    assert_eq!(fixture.call("ingest", json!({})).body["state"], "done");
    let ask = |claim: &str| fixture.call("hypothesize", json!({ "claim": claim })).body;
    let (there, back) = (ask("a.py and b.py are coupled"), ask("b.py and a.py are coupled"));
    assert!(
        there.to_string().contains("3 times: in 50 % of the 6 changes of a.py, 100 % of the 3 of b.py"),
        "{there}"
    );
    assert!(
        back.to_string().contains("3 times: in 100 % of the 3 changes of b.py, 50 % of the 6 of a.py"),
        "{back}"
    );
    assert_eq!(there["confidence"], back["confidence"]);
}

#[test]
fn what_a_macro_may_make_is_not_told_to_be_gone_for_sure() {
    let made = "macro_rules! getters {\n    ($($name:ident),*) => { $(pub fn $name() -> u32 { 1 })* };\n}\n\ngetters!(width);\n\npub fn depth() -> u32 {\n    1\n}\n\npub struct Size;\n\nimpl Size {\n    pub fn area(&self) -> u32 {\n        1\n    }\n}\n";
    let user = "use crate::made::{depth, width, Size};\n\npub fn all() -> u32 {\n    width() + depth() + Size.area()\n}\n";
    let files = [
        ("Cargo.toml", "[package]\nname = \"shop\"\n"),
        ("src/lib.rs", "mod made;\nmod user;\n"),
        ("src/made.rs", made),
        ("src/user.rs", user),
    ];
    let fixture = committed_files(&files);
    let depth = "pub fn depth() -> u32 {\n    1\n}\n";
    let area = "    pub fn area(&self) -> u32 {\n        1\n    }\n";
    let told = |new: &str| {
        fs::write(fixture.root().join("src/made.rs"), new).unwrap();
        let found = review(&fixture, json!({"base": "HEAD"}));
        of_kind(&found, "removed")
            .iter()
            .map(|one| one.split(' ').next().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let without = made.replace(depth, "");
    assert_eq!(told(&without.replace("getters!(width)", "getters!(width, depth)")), ["medium"]);
    assert_eq!(told(&made.replace(depth, &format!("cfg_if! {{\n{depth}}}\n"))), ["medium"]);
    assert_eq!(
        told(&made.replace(area, "").replace("pub struct", "#[derive(Area)]\npub struct")),
        ["medium"]
    );
    assert_eq!(told(&made.replace(area, "    area!(u32);\n")), ["medium"]);
    // Nobody makes it here.
    assert_eq!(told(&without), ["high"]);
    assert_eq!(told(&made.replace(area, "")), ["high"]);
}

#[test]
fn a_field_of_java_that_its_class_still_says_is_told() {
    let text = "package shop;\n\npublic class Reader {\n  private int[] places = new int[2];\n  private int depth;\n\n  int first() {\n    return places[0] + depth;\n  }\n\n  void set(int depth) {\n    this.depth = depth;\n  }\n\n  int twice(int depth) {\n    return 2 * depth;\n  }\n}\n";
    let file = "src/main/java/shop/Reader.java";
    let fixture = committed_files(&[(file, text)]);
    let told = |new: &str| {
        fs::write(fixture.root().join(file), new).unwrap();
        of_kind(&review(&fixture, json!({"base": "HEAD"})), "removed")
    };
    let without = text.replace("  private int[] places = new int[2];\n", "");
    let lost = |line: u32| vec![format!("high removed_but_used {file}:3 {file}:{line}")];
    assert_eq!(told(&without), lost(7));
    // Said only of what a parameter has.
    let bare =
        text.replace("  private int depth;\n", "").replace(" + depth", "").replace("this.depth", "int own");
    assert_eq!(told(&bare), [""; 0]);
    // A class above may give it.
    assert_eq!(told(&without.replace("class Reader", "class Reader extends Places")), [""; 0]);
}

const INTERFACES: &str = "//- go.mod\nmodule example.com/m\n//- bind.go\npackage m\n\ntype Binding interface {\n\tName() string\n\tBind(v any) error\n}\n\n\
     type jsonBinding struct{}\n\nfunc (jsonBinding) Name() string { return \"json\" }\n\nfunc (jsonBinding) Bind(v any) error {\n\tif v == nil {\n\t\treturn nil\n\t}\n\treturn nil\n}\n\n\
     type Context struct{ handlers []func(*Context) }\n\nfunc (c *Context) With(v any, b Binding) error { return b.Bind(v) }\n\n\
     func (c *Context) Next() { c.handlers[0](c) }\n\nfunc (c *Context) Abort() {}\n\
     //- bind_test.go\npackage m\n\nimport \"testing\"\n\nfunc TestBind(t *testing.T) { check(jsonBinding{}) }\n\nfunc check(b Binding) { b.Bind(nil) }\n";

#[test]
fn a_method_that_only_an_interface_names_is_reached_through_it() {
    let fixture = Fixture::new(m1nd_tools::surface(), INTERFACES);
    assert_eq!(fixture.call("ingest", json!({})).body["state"], "done");
    let ask = |tool: &str, arguments: Value| fixture.call(tool, arguments).body;
    let verdict = |claim: &str| ask("hypothesize", json!({ "claim": claim }))["verdict"].clone();
    assert_eq!(verdict("jsonBinding.Bind is unused"), "inconclusive");
    assert_eq!(verdict("Context.With never calls jsonBinding.Bind"), "inconclusive");
    assert_eq!(verdict("Context.Next never calls Context.Abort"), "inconclusive");
    assert_eq!(verdict("Context.Abort never calls Context.Next"), "likely_true");
    let impact = ask("impact", json!({"node_id": "jsonBinding.Bind"}));
    let hit = |id: &str| {
        let hits = impact["blast_radius"].as_array().unwrap();
        hits.iter().find(|hit| hit["node_id"].as_str().unwrap().ends_with(id)).cloned()
    };
    let caller = hit("Context.With").unwrap();
    assert_eq!((&caller["via"], &caller["inferred"]), (&json!("overrides"), &json!(true)), "{impact}");
    let tests = ask("tests_for", json!({"node_id": "jsonBinding.Bind"}));
    assert_eq!(tests["total"], 1, "{tests}");
    let removal = ask("counterfactual", json!({"node_ids": ["jsonBinding.Bind"]}));
    assert_eq!(removal["total_affected"], 3, "{removal}");
}
