//! A change set, reviewed in one call.

#![allow(clippy::unwrap_used)]

#[path = "common/reviewed.rs"]
mod reviewed;

use std::fs;

use m1nd_testkit::Fixture;
use serde_json::{Value, json};

use reviewed::{APP, LIB, committed, committed_files, review, shown};

#[test]
fn broken_calls_removed_names_and_untested_changes_are_found() {
    let fixture = committed();
    let same = review(&fixture, json!({"base": "HEAD"}));
    assert_eq!((&same["changed_files"], &same["risk_score"]), (&json!(0), &json!(0.0)), "{same}");
    assert!(same["next_step_hint"].as_str().unwrap().contains("Nothing differs"));
    let text = LIB
        .replace("def greet(name)", "def greet(name, loud)")
        .replace("def part(name)", "def leave(name)")
        .replace("return x", "return x + 1");
    fs::write(fixture.root().join("lib.py"), text).unwrap();
    let found = review(&fixture, json!({}));
    let others: Vec<String> =
        shown(&found).into_iter().filter(|one| !one.contains("missing_co_change")).collect();
    assert_eq!(
        others,
        [
            "high removed_but_used lib.py:4 app.py:1 app.py:5",
            "high signature_change lib.py:1 app.py:4",
            "low untested lib.py:4",
        ],
        "{found}"
    );
    let untested =
        found["findings"].as_array().unwrap().iter().find(|one| one["kind"] == "untested").unwrap();
    assert!(untested["message"].as_str().unwrap().ends_with("leave, lonely"), "{untested}");
    assert_eq!(found["tests"][0]["file_path"], "test_app.py", "{found}");
    let names: Vec<&Value> = found["reviewers"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, [&json!("Bob"), &json!("Ann")], "{found}");
    assert_eq!((&found["changed_files"], &found["lines_added"]), (&json!(1), &json!(3)));
}

#[test]
fn a_removed_constant_that_is_still_imported_is_found() {
    let fixture = committed_files(&[
        ("a.py", "LIMIT = 5\nspare = 1\n"),
        ("b.py", "from a import LIMIT\n\n\ndef top():\n    return LIMIT\n"),
        ("c.py", "spare = 2\nprint(spare)\n"),
    ]);
    fs::write(fixture.root().join("a.py"), "OTHER = 5\n").unwrap();
    let found = review(&fixture, json!({"base": "HEAD"}));
    let found: Vec<String> = shown(&found).into_iter().filter(|one| one.contains("removed")).collect();
    assert_eq!(found, ["high removed_but_used a.py:1 b.py:1 b.py:5"]);
}

const CODES: &str = "class codes:\n    OK = 200\n\n\ndef phrase(code):\n    return code\n";

/// Of the findings those of a kind.
fn of_kind(body: &Value, kind: &str) -> Vec<String> {
    shown(body).into_iter().filter(|one| one.contains(kind)).collect()
}

#[test]
fn a_file_that_went_and_is_still_imported_is_found() {
    let files = [
        ("pkg/__init__.py", ""),
        ("pkg/_codes.py", CODES),
        ("pkg/one.py", "import os\nfrom ._codes import codes\n\n\ndef ok():\n    return codes.OK\n"),
        ("pkg/two.py", "from . import _codes\n\n\ndef two():\n    return _codes.phrase(2)\n"),
        ("pkg/three.py", "from ._codes import phrase\n\n\ndef three():\n    return phrase(3)\n"),
    ];
    let fixture = committed_files(&files);
    let at = |path: &str| fixture.root().join(path);
    fs::rename(at("pkg/_codes.py"), at("pkg/_status.py")).unwrap();
    let renamed = review(&fixture, json!({"base": "HEAD"}));
    assert_eq!(
        of_kind(&renamed, "removed"),
        ["critical removed_but_used pkg/_status.py:1 pkg/one.py:2 pkg/three.py:1 pkg/two.py:1"],
        "{renamed}"
    );
    let message = renamed["findings"][0]["message"].as_str().unwrap();
    assert_eq!(
        message,
        "pkg/_codes.py is called pkg/_status.py now, and 3 files still use it (codes, phrase)"
    );
    // Who follows the rename is not told, though its other lines moved; who only edits something else is.
    let text = files[2].1.replace("import os\n", "\n").replace("._codes", "._status");
    fs::write(at("pkg/one.py"), text).unwrap();
    fs::write(at("pkg/three.py"), format!("import os\n{}", files[4].1)).unwrap();
    let partly = review(&fixture, json!({"base": "HEAD"}));
    assert_eq!(
        of_kind(&partly, "removed"),
        ["critical removed_but_used pkg/_status.py:1 pkg/three.py:2 pkg/two.py:1"],
        "{partly}"
    );
    fs::remove_file(at("pkg/_status.py")).unwrap();
    fs::write(at("pkg/one.py"), files[2].1).unwrap();
    let deleted = review(&fixture, json!({"base": "HEAD"}));
    assert_eq!(
        of_kind(&deleted, "removed"),
        ["critical removed_but_used pkg/_codes.py:1 pkg/one.py:2 pkg/three.py:2 pkg/two.py:1"],
        "{deleted}"
    );
    // A package of the same name takes its place.
    fs::create_dir(at("pkg/_codes")).unwrap();
    fs::write(at("pkg/_codes/__init__.py"), CODES).unwrap();
    let moved = review(&fixture, json!({"base": "HEAD"}));
    assert_eq!(of_kind(&moved, "removed"), [""; 0], "{moved}");
}

#[test]
fn who_imports_through_a_file_that_was_mended_needs_no_change() {
    let fixture = committed_files(&[
        ("src/num.ts", "export function count() { return 1 }\n"),
        ("src/all.ts", "export * from \"./num\"\n"),
        ("src/two.ts", "import { count } from \"./all\"\nexport const y = count()\n"),
    ]);
    let at = |path: &str| fixture.root().join(path);
    fs::rename(at("src/num.ts"), at("src/nums.ts")).unwrap();
    let broken = review(&fixture, json!({"base": "HEAD"}));
    assert_eq!(
        of_kind(&broken, "removed"),
        ["critical removed_but_used src/nums.ts:1 src/all.ts:1 src/two.ts:1"],
        "{broken}"
    );
    fs::write(at("src/all.ts"), "export * from \"./nums\"\n").unwrap();
    let mended = review(&fixture, json!({"base": "HEAD"}));
    assert_eq!(of_kind(&mended, "removed"), [""; 0], "{mended}");
    // The same where the file was edited, too, and counts as deleted.
    fs::write(at("src/nums.ts"), "export function count() { return 2 }\n").unwrap();
    let edited = review(&fixture, json!({"base": "HEAD"}));
    assert_eq!(of_kind(&edited, "removed"), [""; 0], "{edited}");
}

#[test]
fn a_moved_file_whose_imports_lead_nowhere_from_its_new_place_is_told() {
    let fixture = committed_files(&[
        ("src/num.ts", "export function count() { return 1 }\n"),
        ("src/word.ts", "export function word() { return '' }\n"),
        (
            "src/use.ts",
            "import { count } from \"./num\"\nimport { word } from \"./word\"\nimport fs from \"fs\"\n\nexport const both = [count(), word(), fs]\n",
        ),
    ]);
    let at = |path: &str| fixture.root().join(path);
    fs::create_dir(at("src/deep")).unwrap();
    fs::rename(at("src/use.ts"), at("src/deep/use.ts")).unwrap();
    let moved = review(&fixture, json!({"base": "HEAD"}));
    let told = ["critical broken_import src/deep/use.ts:1 src/deep/use.ts:1 src/deep/use.ts:2"];
    assert_eq!(of_kind(&moved, "broken"), told, "{moved}");
    // One of them came along, the other was mended.
    fs::rename(at("src/num.ts"), at("src/deep/num.ts")).unwrap();
    let text = fs::read_to_string(at("src/deep/use.ts")).unwrap().replace("./word", "../word");
    fs::write(at("src/deep/use.ts"), text).unwrap();
    let mended = review(&fixture, json!({"base": "HEAD"}));
    assert_eq!(of_kind(&mended, "broken"), [""; 0], "{mended}");
}

#[test]
fn a_name_that_a_file_has_from_elsewhere_is_not_the_removed_one() {
    let fixture = committed_files(&[
        ("pkg/__init__.py", ""),
        ("pkg/_utils.py", "def unquote(text):\n    return text\n\n\ndef keep():\n    return 1\n"),
        ("pkg/_auth.py", "from ._utils import unquote\n\n\ndef auth(x):\n    return unquote(x)\n"),
        (
            "pkg/_urls.py",
            "from urllib.parse import (\n    quote,\n    unquote,\n)\n\n\ndef url(x):\n    return quote(unquote(x))\n",
        ),
    ]);
    fs::write(fixture.root().join("pkg/_utils.py"), "def keep():\n    return 1\n").unwrap();
    let found = review(&fixture, json!({"base": "HEAD"}));
    assert_eq!(
        of_kind(&found, "removed"),
        ["high removed_but_used pkg/_utils.py:1 pkg/_auth.py:1 pkg/_auth.py:5"],
        "{found}"
    );
    let text = "from urllib.parse import unquote\n\n\ndef auth(x):\n    return unquote(x)\n";
    fs::write(fixture.root().join("pkg/_auth.py"), text).unwrap();
    let found = review(&fixture, json!({"base": "HEAD"}));
    assert_eq!(of_kind(&found, "removed"), [""; 0], "{found}");
}

#[test]
fn a_dependency_that_only_moves_is_not_added_by_the_change() {
    let top = "from mid import work\n\n\ndef run():\n    return work()\n";
    let mid = "from low import base\n\n\ndef work():\n    return base()\n";
    let low = "import os\nfrom top import run\n\n\ndef base():\n    return os\n";
    let more = "from top import run\nfrom mid import work\n\n\ndef more():\n    return run() or work()\n";
    let files = [("top.py", top), ("mid.py", mid), ("low.py", low), ("more.py", more)];
    let fixture = committed_files(&files);
    let swapped = low.replace("import os\nfrom top import run\n", "from top import run\nimport os\n");
    fs::write(fixture.root().join("low.py"), swapped).unwrap();
    let found = review(&fixture, json!({"base": "HEAD"}));
    assert_eq!(of_kind(&found, "layer_violation"), [""; 0], "{found}");
    // The same line is one that the change adds where the base has it not.
    let without = low.replace("from top import run\n", "");
    let fixture =
        committed_files(&[("top.py", top), ("mid.py", mid), ("low.py", &without), ("more.py", more)]);
    fs::write(fixture.root().join("low.py"), low).unwrap();
    let found = review(&fixture, json!({"base": "HEAD"}));
    assert_eq!(of_kind(&found, "layer_violation"), ["medium layer_violation low.py:2 top.py"], "{found}");
}

#[test]
fn what_calls_can_still_use_is_not_found() {
    let fixture = committed();
    let text = LIB.replace("def greet(name)", "def greet(name: str, loud=False) -> str");
    fs::write(fixture.root().join("lib.py"), text).unwrap();
    let found = shown(&review(&fixture, json!({"base": "HEAD"})));
    assert!(found.iter().all(|one| one.contains("missing_co_change")), "{found:?}");
}

#[test]
fn a_call_that_the_change_mends_is_not_found() {
    let fixture = committed();
    fs::write(fixture.root().join("lib.py"), LIB.replace("def greet(name)", "def greet(name, loud)"))
        .unwrap();
    fs::write(fixture.root().join("app.py"), APP.replace("greet('a')", "greet('a', True)")).unwrap();
    let found = shown(&review(&fixture, json!({"base": "HEAD"})));
    assert!(found.iter().all(|one| one.contains("missing_co_change")), "{found:?}");
}

#[test]
fn diffs_and_ranges_are_reviewed_and_nonsense_is_refused() {
    let fixture = committed();
    let range = review(&fixture, json!({"diff": "HEAD~1..HEAD"}));
    assert_eq!(range["files"], json!(["lib.py modified +0 -1"]));
    let gone = "diff --git a/lib.py b/lib.py\ndeleted file mode 100644\n--- a/lib.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-def greet(name):\n-    return name\n";
    let found = review(&fixture, json!({"diff": gone}));
    assert_eq!(shown(&found)[0], "critical missing_co_change lib.py:1 app.py:4", "{found}");
    assert!(found["no_data"][0].as_str().unwrap().starts_with("signatures"), "{found}");
    let refused = |arguments: Value| {
        let reply = fixture.call("review", arguments);
        assert!(reply.is_error, "{}", reply.text());
        reply.body["error"]["message"].as_str().unwrap().to_owned()
    };
    assert!(refused(json!({"base": "nowhere"})).contains("names no commit"));
    assert!(refused(json!({"base": "HEAD", "diff": "HEAD"})).contains("not both"));
    assert!(refused(json!({"diff": "a\nb"})).contains("neither"));
}

#[test]
fn without_git_a_diff_is_reviewed_and_says_what_is_not_known() {
    let fixture = Fixture::new(m1nd_tools::surface(), "//- a.py\ndef f():\n    return 1\n");
    assert_eq!(fixture.call("ingest", json!({})).body["state"], "done");
    let diff = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n def f():\n-    return 2\n+    return 1\n";
    let found = review(&fixture, json!({"diff": diff}));
    let why = found["no_data"].to_string();
    assert!(why.contains("no_data") && why.contains("git history"), "{found}");
    assert_eq!(found["reviewers"], json!([]));
    assert!(fixture.call("review", json!({})).is_error);
}

#[test]
fn a_revision_is_compared_with_today_without_a_checkout() {
    let fixture = committed();
    let text = LIB
        .replace("def part(name)", "def leave(name, loud)")
        .replace("def greet(name)", "def greet(name, loud)");
    fs::write(fixture.root().join("lib.py"), text).unwrap();
    let compare = |arguments: Value| {
        let reply = fixture.call("differential", arguments);
        assert!(!reply.is_error, "{}", reply.text());
        reply.body
    };
    let found = compare(json!({"snapshot_a": "HEAD"}));
    assert_eq!(found["new_nodes"], json!(["function::lib.py::leave"]), "{found}");
    assert_eq!(found["removed_nodes"], json!(["function::lib.py::part"]));
    assert_eq!(
        found["removed_edges"],
        json!([
            "file::app.py imports function::lib.py::part",
            "function::app.py::run calls function::lib.py::part"
        ]),
        "{found}"
    );
    assert_eq!(found["changed_signatures"][0]["was"], "def greet(name)", "{found}");
    assert_eq!((&found["a"]["kind"], &found["a"]["files_parsed"]), (&json!("revision"), &json!(1)));
    // What came and went is the difference between the sides, folders or not.
    fs::create_dir_all(fixture.root().join("new/deep")).unwrap();
    fs::write(fixture.root().join("new/deep/one.py"), "def one():\n    return 1\n").unwrap();
    let more = compare(json!({"snapshot_a": "HEAD"}));
    let number = |value: &Value| value.as_i64().unwrap();
    let totals = &more["totals"];
    for (what, came, went) in
        [("nodes", "nodes_added", "nodes_removed"), ("edges", "edges_added", "edges_removed")]
    {
        let grown = number(&more["b"][what]) - number(&more["a"][what]);
        assert_eq!(grown, number(&totals[came]) - number(&totals[went]), "{what} of {more}");
    }
    fs::remove_dir_all(fixture.root().join("new")).unwrap();
    let back = compare(json!({"snapshot_a": "current", "snapshot_b": "HEAD"}));
    assert_eq!((&back["new_nodes"], &back["removed_nodes"]), (&found["removed_nodes"], &found["new_nodes"]));
    let same = compare(json!({"snapshot_a": "HEAD~1", "snapshot_b": "HEAD"}));
    assert!(same["summary"].as_str().unwrap().starts_with("0 nodes came, 0 went"), "{same}");
    // One list alone, page by page.
    let part = |cursor: u64| {
        compare(json!({"snapshot_a": "HEAD", "part": "removed_edges", "cursor": cursor, "max_chars": 560}))
    };
    let (first, second) = (part(0), part(1));
    assert_eq!((&first["next_cursor"], &first["new_nodes"]), (&json!(1), &Value::Null), "{first}");
    assert_eq!(first["removed_edges"], json!([found["removed_edges"][0]]), "{first}");
    assert_eq!(second["removed_edges"], json!([found["removed_edges"][1]]), "{second}");
    assert_eq!(second["next_cursor"], Value::Null);
    let some = compare(json!({"snapshot_a": "HEAD", "focus_nodes": ["app.py"]}));
    assert_eq!((&some["new_nodes"], &some["totals"]["edges_removed"]), (&Value::Null, &json!(2)), "{some}");
    // Nothing of it is left in the work tree, and today's graph is still today's.
    assert!(!fixture.call("callers", json!({"node_id": "leave"})).is_error);
    let refused = |arguments: Value| {
        let reply = fixture.call("differential", arguments);
        assert!(reply.is_error, "{}", reply.text());
        reply.body["error"]["code"].as_str().unwrap().to_owned()
    };
    assert_eq!(refused(json!({"snapshot_a": "nowhere"})), "invalid_params");
    assert_eq!(refused(json!({"snapshot_a": "HEAD", "cursor": 1})), "invalid_params");
    assert_eq!(refused(json!({"snapshot_a": "HEAD", "part": "new_nodes", "cursor": 9})), "invalid_params");
    assert_eq!(refused(json!({"snapshot_a": "../secret.json"})), "path_outside_workspace");
    assert_eq!(refused(json!({"snapshot_a": "/etc/passwd"})), "path_outside_workspace");
    assert_eq!(refused(json!({"snapshot_a": "none.json"})), "file_not_found");
}

const SERVICE: &str = "import asyncio\n\nclass Store:\n    pass\n\nclass Disk(Store):\n    def __init__(self):\n        self.path = 1\n\nclass Cloud(Store):\n    pass\n\nclass Service:\n    def __init__(self):\n        self.store = Disk()\n\nasync def work():\n    return 1\n\nasync def run(path):\n    work()\n    await work()\n    f = open(path)\n    try:\n        return f.read()\n    except Exception:\n        pass\n";

#[test]
fn scans_find_places_and_judge_them() {
    let text = format!(
        "//- service.py\n{SERVICE}//- main.rb\ndef x\nend\n//- test_other.py\ndef test_a():\n    pass\n"
    );
    let fixture = Fixture::new(m1nd_tools::surface(), &text);
    assert_eq!(fixture.call("ingest", json!({})).body["state"], "done");
    let scan = |pattern: &str| {
        let reply = fixture.call("scan", json!({ "pattern": pattern }));
        assert!(!reply.is_error, "{}", reply.text());
        let found = reply.body["findings"].as_array().unwrap();
        let one =
            |one: &Value| format!("{} {}", one["status"].as_str().unwrap(), one["at"].as_str().unwrap());
        (found.iter().map(one).collect::<Vec<_>>(), reply.body)
    };
    let (found, body) = scan("error_handling");
    assert_eq!(found, ["confirmed service.py:26"], "{body}");
    assert_eq!(body["not_supported"], json!(["ruby: 1"]));
    assert_eq!(scan("resource_cleanup").0, ["confirmed service.py:23"]);
    assert_eq!(scan("concurrency").0, ["confirmed service.py:21"]);
    assert_eq!(scan("dependency_injection").0, ["confirmed service.py:15"]);
    assert!(scan("test_coverage").1["no_data"].as_str().unwrap().starts_with("no_data"));
    assert!(scan("auth_boundary").1["no_data"].as_str().unwrap().starts_with("no_data"));
    let all = fixture.call("scan_all", json!({})).body;
    assert_eq!(all["patterns"].as_array().unwrap().len(), 8, "{all}");
    assert!(fixture.call("scan", json!({"pattern": "nonsense"})).is_error);
    let trace = fixture.call("type_trace", json!({"node_id": "Store"})).body;
    assert_eq!(trace["roles"], json!({"extends": 2}), "{trace}");
    let plan = fixture.call("refactor_plan", json!({"node_id": "service.py"})).body;
    assert_eq!(plan["file_path"], "service.py", "{plan}");
}
