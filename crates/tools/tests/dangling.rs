//! What an edit breaks elsewhere, as previews and batches tell it.

#![allow(clippy::unwrap_used)]

mod common;

use common::{ok, refused};
use m1nd_testkit::Fixture;
use serde_json::{Value, json};

const K: &str = r#"
//- a.py
class K:
    def m(self):
        return 1

    def n(self):
        return 2
//- b.py
from a import K


def use():
    k = K()
    return k.m()
"#;

fn ingested(files: &str) -> Fixture {
    let fixture = Fixture::new(m1nd_tools::surface(), files);
    ok(&fixture, "ingest", json!({}));
    fixture
}

fn places<'a>(body: &'a Value, list: &str) -> Vec<&'a str> {
    body[list].as_array().into_iter().flatten().map(|one| one["at"].as_str().unwrap()).collect()
}

fn batch(path: &str, old: &str, new: &str) -> Value {
    json!({"verify": "graph", "edits": [{"file_path": path, "edits": [{"old": old, "new": new}]}]})
}

/// The same without a look at what it breaks.
fn unverified(mut batch: Value) -> Value {
    batch["verify"] = json!("syntax");
    batch
}

#[test]
fn a_guess_by_name_does_not_hide_that_a_certain_callee_is_gone() {
    let cut = batch("a.py", "    def m(self):\n        return 1\n\n", "");
    let others = [
        "",
        "//- z.py\nclass Z:\n    def m(self):\n        return 3\n",
        "//- j.py\nfrom a import K\n\n\nclass J(K):\n    def m(self):\n        return 3\n",
    ];
    for other in others {
        let fixture = ingested(&format!("{K}{other}"));
        let no = refused(&fixture, "apply_batch", cut.clone());
        assert_eq!(no["code"], "conflict", "{other}: {no}");
        assert_eq!(places(&no["detail"], "dangling_callers"), ["b.py:6"], "{other}");
        assert!(fixture.root().join("a.py").exists());
    }
    let base = "//- base.py\nclass Base:\n    def m(self):\n        return 0\n";
    let inherits = K.replace("class K:", "from base import Base\n\n\nclass K(Base):");
    let fixture = ingested(&format!("{inherits}{base}"));
    let made = ok(&fixture, "apply_batch", cut);
    assert_eq!(places(&made, "dangling_callers"), [""; 0], "found in the base class");
}

#[test]
fn what_is_not_exported_any_more_dangles() {
    let fixture = ingested(
        "//- a.ts\nexport function add(a: number): number {\n  return a;\n}\nexport function sub(): number {\n  return add(1);\n}\n\
         //- b.ts\nimport { add } from \"./a\";\nexport function three(): number { return add(1); }\n",
    );
    let hide = batch("a.ts", "export function add", "function add");
    let no = refused(&fixture, "apply_batch", hide);
    assert!(places(&no["detail"], "dangling_callers").contains(&"b.ts:2"), "{no}");
    let wider = batch("a.ts", "add(a: number)", "add(a: number, b = 1)");
    let made = ok(&fixture, "apply_batch", wider);
    assert_eq!(places(&made, "dangling_callers"), [""; 0], "still exported");
    assert_eq!(places(&made, "callers_to_check"), [""; 0], "every call fits as it did");
    let narrower = batch("a.ts", "add(a: number, b = 1)", "add(a: string)");
    let made = ok(&fixture, "apply_batch", narrower);
    assert_eq!(places(&made, "callers_to_check"), ["a.ts:5", "b.ts:2"]);
}

#[test]
fn a_decorator_is_a_change_that_tests_reach() {
    let fixture = ingested(
        "//- a.py\nimport functools\n\n\ndef star(a):\n    return a\n\
         //- test_a.py\nfrom a import star\n\n\ndef test_star():\n    assert star(1) == 1\n",
    );
    let made = ok(&fixture, "apply_batch", batch("a.py", "def star", "@functools.cache\ndef star"));
    assert_eq!(made["symbols"][0]["name"], "star", "{made}");
    assert_eq!(made["tests"]["total"], 1);
}

#[test]
fn a_preview_names_imports_and_subclasses_of_what_goes() {
    let fixture = ingested(
        "//- a.py\nclass K:\n    pass\n\n\nclass L:\n    pass\n\
         //- b.py\nfrom a import K\n\n\nclass J(K):\n    pass\n",
    );
    let edit = json!({"file_path": "a.py", "edits": [{"old": "class K:\n    pass\n\n\n", "new": ""}]});
    let shown = ok(&fixture, "edit_preview", edit);
    let mut previewed = places(&shown, "callers");
    let made = ok(&fixture, "edit_commit", json!({"preview_id": shown["preview_id"], "confirm": true}));
    let mut dangling = places(&made, "dangling_callers");
    previewed.sort_unstable();
    dangling.sort_unstable();
    assert_eq!(dangling, ["b.py:1", "b.py:4"]);
    assert_eq!(previewed, dangling);
}

#[test]
fn a_small_budget_keeps_the_function_its_callers_and_tests() {
    let mut files = "//- core.py\ndef core():\n    return 1\n".to_owned();
    for number in 0..20 {
        files.push_str(&format!(
            "//- u{number}.py\nfrom core import core\n\n\ndef use{number}():\n    return core() + {number}\n"
        ));
    }
    files.push_str("//- test_core.py\nfrom core import core\n\n\ndef test_core():\n    assert core()\n");
    let fixture = ingested(&files);
    let body = ok(&fixture, "surgical_context_v2", json!({"node_id": "core", "max_chars": 1700}));
    assert!(body.get("connected").is_none(), "{body}");
    assert!(body["content"].as_str().unwrap().contains("return 1"));
    let callers = body["callers"].as_array().unwrap();
    assert!(callers.len() >= 8 && callers.iter().all(|site| site["source"].is_string()), "{body}");
    assert_eq!(body["tests"][0]["at"], "test_core.py:4");
}

#[test]
fn callers_that_do_not_fit_the_budget_are_counted() {
    let calls: String = (0..80).map(|nth| format!("def use{nth}():\n    return f({nth})\n\n\n")).collect();
    let fixture =
        ingested(&format!("//- a.py\ndef f(x):\n    return x\n//- b.py\nfrom a import f\n\n\n{calls}"));
    let edit =
        json!({"file_path": "a.py", "max_chars": 3000, "edits": [{"old": "def f(x)", "new": "def f(x, y)"}]});
    let made = ok(&fixture, "apply", edit);
    assert!(places(&made, "callers_to_check").len() < 80);
    assert_eq!(made["uses_total"], 80);
    assert!(made["next_step_hint"].as_str().unwrap().contains("80 calls did not"), "{made}");
}

/// Makes a batch, names the uses that it leaves behind, and takes it back.
fn left(fixture: &Fixture, edits: Value) -> (Vec<String>, Vec<String>) {
    let made = ok(fixture, "apply_batch", json!({"edits": edits}));
    let of = |list: &str| places(&made, list).into_iter().map(str::to_owned).collect();
    let found = (of("dangling_callers"), of("callers_to_check"));
    ok(fixture, "undo_batch", json!({"batch_id": made["batch_id"]}));
    found
}

#[test]
fn every_use_that_is_left_is_named_also_in_a_file_that_the_batch_writes() {
    let fixture = ingested(
        "//- a.py\ndef target(x):\n    return x\n\
         //- b.py\nfrom a import target\n\ndef many():\n    target(1)\n    target(2)\n    return target(3)  # note\n",
    );
    let rename = json!({"file_path": "a.py", "edits": [{"old": "def target(", "new": "def target2("}]});
    let note = json!({"file_path": "b.py", "edits": [{"old": "# note", "new": "# note!"}]});
    let (dangling, _) = left(&fixture, json!([rename, note]));
    assert_eq!(dangling, ["b.py:1", "b.py:4", "b.py:5", "b.py:6"]);
    let mended = json!({"file_path": "b.py", "edits": [
        {"old": "import target", "new": "import target2"}, {"old": "    target(1)", "new": "    target2(1)"}]});
    assert_eq!(left(&fixture, json!([rename, mended])).0, ["b.py:5", "b.py:6"]);
    let other = json!({"file_path": "b.py", "edits": [
        {"old": "from a import target", "new": "from functools import target"}]});
    assert_eq!(left(&fixture, json!([rename, other])).0, [""; 0], "another thing has the name");
    let wider = json!({"file_path": "a.py", "edits": [{"old": "target(x)", "new": "target(x, y)"}]});
    let (_, check) = left(&fixture, json!([wider, note]));
    assert_eq!(check, ["b.py:4", "b.py:5", "b.py:6"], "a comment is no other call");
}

#[test]
fn what_the_name_still_leads_to_does_not_dangle() {
    let fixture = ingested(
        "//- a.py\nclass Base:\n    def close(self):\n        raise NotImplementedError\n\n\nclass Impl(Base):\n    def close(self):\n        return 2\n\n\n\
         def engine():\n    return 1\n\n\ndef hook():\n    return 2\n\n\ndef user(loads):\n    loads(hook)\n    return engine() + engine()\n\
         //- g.go\npackage g\n\nfunc engine() int { return 1 }\n\ntype Args int\n\ntype Command struct {\n\tA Args\n}\n\nfunc user() int { return engine() }\n\
         //- h.go\npackage g\n\nfunc other() int { return engine() }\n",
    );
    let one = |path: &str, edits: Value| left(&fixture, json!([{"file_path": path, "edits": edits}])).0;
    let lambda = json!([{"old": "def engine():\n    return 1", "new": "engine = lambda: 1"}]);
    assert_eq!(one("a.py", lambda), [""; 0]);
    let var =
        json!([{"old": "func engine() int { return 1 }", "new": "var engine = func() int { return 1 }"}]);
    assert_eq!(one("g.go", var), [""; 0]);
    let base = json!([
        {"old": "class Base:\n    def close(self):\n        raise NotImplementedError\n\n\n", "new": ""},
        {"old": "class Impl(Base):", "new": "class Impl:"}]);
    assert_eq!(one("a.py", base), [""; 0], "the definition of a subclass is its own");
    let keyword = json!([
        {"old": "def hook():\n    return 2\n\n\n", "new": ""},
        {"old": "loads(hook)", "new": "loads('hook', hook=1)"}]);
    assert_eq!(one("a.py", keyword), [""; 0], "neither a text nor an argument's name means it");
    let field =
        json!([{"old": "type Args int\n\n", "new": ""}, {"old": "\tA Args\n", "new": "\tArgs int\n"}]);
    assert_eq!(one("g.go", field), [""; 0]);
    let gone = json!([{"old": "func engine() int { return 1 }\n\n", "new": ""}]);
    assert_eq!(one("g.go", gone), ["g.go:9", "h.go:3"]);
}

#[test]
fn readers_of_a_property_that_goes_are_leads() {
    let fixture = ingested(
        "//- proxy.py\nclass Proxy:\n    @property\n    def raw_auth(self):\n        return 1\n\n    def other(self):\n        return 2\n\
         //- pool.py\nimport proxy\n\n\ndef connect(proxy):\n    return proxy.raw_auth\n",
    );
    let edit = json!({"file_path": "proxy.py", "edits": [{"old": "def raw_auth", "new": "def raw_user"}]});
    let shown = ok(&fixture, "edit_preview", edit.clone());
    assert_eq!(places(&shown, "callers"), ["pool.py:5"]);
    let (dangling, check) = left(&fixture, json!([edit]));
    assert_eq!((dangling, check), (vec![], vec!["pool.py:5".to_owned()]));
    let mut sure = edit;
    sure["file_path"] = json!("proxy.py");
    let made = ok(&fixture, "apply_batch", json!({"verify": "graph", "edits": [sure]}));
    assert_eq!(made["callers_to_check"][0]["evidence"], "inferred", "a lead takes no batch back");
}

#[test]
fn what_every_object_has_does_not_dangle_and_is_looked_for_nowhere_else() {
    let fixture = ingested(
        "//- a.py\nclass Base(Exception):\n    def __init__(self, message):\n        super().__init__(message)\n        self.seen = 1\n\n\nclass Child(Base):\n    def __init__(self, message):\n        super().__init__(message)\n\n\nclass Other(Exception):\n    def __init__(self, message):\n        super().__init__(message)\n",
    );
    let old = "    def __init__(self, message):\n        super().__init__(message)\n        self.seen = 1\n";
    let body = batch("a.py", old, "    seen = 1\n");
    let mut dry = body.clone();
    dry["dry_run"] = json!(true);
    let planned = ok(&fixture, "apply_batch", dry);
    assert_eq!(places(&planned, "callers_to_check"), ["a.py:9"], "{planned}");
    let mut strict = body;
    strict["verify"] = json!("graph");
    let made = ok(&fixture, "apply_batch", strict);
    assert_eq!(places(&made, "dangling_callers"), [""; 0], "{made}");
    assert_eq!(places(&made, "callers_to_check"), ["a.py:7"], "{made}");
    assert_eq!(made["callers_to_check"][0]["because"], "default");
}

#[test]
fn a_batch_that_imports_what_is_not_there_is_taken_back() {
    let files = "//- pkg/__init__.py\n//- pkg/mod.py\ndef load():\n    return 1\n//- app.py\nimport os\nfrom pkg.mod import load\n\n\ndef run():\n    return os.getcwd(), load()\n";
    // A line is told as it is on disk: without the batch, or with it.
    for (old, new, refused_at, at) in [
        ("from pkg.mod import load", "from pkg.mod import nope as load", "app.py:2", "app.py:2"),
        ("from pkg.mod import load", "from pkg.nope import load", "app.py:2", "app.py:2"),
        ("import os\n", "", "app.py:6", "app.py:5"),
    ] {
        let fixture = ingested(files);
        let no = refused(&fixture, "apply_batch", batch("app.py", old, new));
        assert_eq!(
            (&no["code"], places(&no["detail"], "dangling_callers")),
            (&json!("conflict"), vec![refused_at]),
            "{no}"
        );
        assert_eq!(no["detail"]["dangling_callers"][0]["because"], "import");
        // Without that demand it is made and told.
        let edit = json!({"edits": [{"file_path": "app.py", "edits": [{"old": old, "new": new}]}]});
        let made = ok(&fixture, "apply_batch", edit);
        assert_eq!(places(&made, "dangling_callers"), [at], "{made}");
    }
    // What the same batch brings is there.
    let fixture = ingested(files);
    let both = json!({"verify": "graph", "edits": [
        {"file_path": "app.py", "edits": [{"old": "from pkg.mod import load", "new": "from pkg.more import load"}]},
        {"file_path": "pkg/more.py", "create": true, "new_content": "def load():\n    return 2\n"},
    ]});
    let made = ok(&fixture, "apply_batch", both);
    assert_eq!(places(&made, "dangling_callers"), [""; 0], "{made}");
}

#[test]
fn a_preview_and_a_dry_run_name_imports_that_would_lead_nowhere() {
    let fixture =
        ingested("//- a.ts\nexport const a = 1\n//- b.ts\nimport { a } from './a'\n\nexport const b = a\n");
    let edit = json!({"file_path": "b.ts", "edits": [{"old": "'./a'", "new": "'./nope'"}]});
    let shown = ok(&fixture, "edit_preview", edit.clone());
    assert_eq!(places(&shown, "callers"), ["b.ts:1"], "{shown}");
    let dry = ok(&fixture, "apply_batch", json!({"dry_run": true, "edits": [edit]}));
    assert_eq!(places(&dry, "callers_to_check"), ["b.ts:1"], "{dry}");
}

/// A batch that is sound, and must pass where nothing may dangle.
fn passes(files: &str, edits: Value) {
    let fixture = ingested(files);
    let made = ok(&fixture, "apply_batch", json!({"verify": "graph", "edits": edits}));
    assert_eq!(places(&made, "dangling_callers"), [""; 0], "{made}");
}

#[test]
fn what_moves_with_its_users_is_not_missed() {
    // The head of a function over several lines.
    passes(
        "//- h/ds.py\nclass R:\n    pass\n\n\nclass C:\n    def send(\n        self\n    ) -> R:\n        return 1\n",
        json!([{"file_path": "h/ds.py", "rename_to": "h/m.py"}]),
    );
    // The name of a file that goes is a word like others.
    passes(
        "//- pkg/auth.py\nclass Auth: pass\n//- pkg/client.py\nfrom .auth import Auth\n\n\ndef go(auth=None):\n    return Auth()\n",
        json!([
            {"file_path": "pkg/auth.py", "delete": true},
            {"file_path": "pkg/mw.py", "create": true, "new_content": "class Auth: pass\n"},
            {"file_path": "pkg/client.py", "edits": [{"old": "from .auth import", "new": "from .mw import"}]},
        ]),
    );
    // What stood in for an import that may fail.
    passes(
        "//- a.py\ntry:\n    import dataclasses\nexcept ImportError:\n    dataclasses = None\n\n\ndef go(o):\n    return dataclasses and dataclasses.asdict(o)\n",
        json!([{"file_path": "a.py", "edits": [{"old": "try:\n    import dataclasses\nexcept ImportError:\n    dataclasses = None\n", "new": "import dataclasses\n"}]}]),
    );
    // A module becomes a package.
    passes(
        "//- pkg/a.py\nclass X: pass\n//- pkg/b.py\nfrom .a import X\n\n\ndef go():\n    return X()\n",
        json!([
            {"file_path": "pkg/a.py", "rename_to": "pkg/a/backend.py"},
            {"file_path": "pkg/a/__init__.py", "create": true, "new_content": "from .backend import X\n"},
        ]),
    );
}

#[test]
fn another_thing_of_the_name_on_the_same_line_is_none_of_the_lost_ones() {
    let rename = json!([
        {"file_path": "a.py", "edits": [{"old": "def load", "new": "def read"}]},
        {"file_path": "b.py", "edits": [{"old": "import load", "new": "import read"}, {"old": "return load(p)", "new": "return read(p)"}]},
    ]);
    let files = "//- a.py\ndef load(p):\n    return p\n//- b.py\nimport json\nfrom a import load\n\n\ndef go(p):\n    return load(p), json.load(p)\n";
    passes(files, rename.clone());
    // The one that is left is told.
    let half = json!({"verify": "graph", "edits": [rename[0]]});
    let no = refused(&ingested(files), "apply_batch", half);
    let at = places(&no["detail"], "dangling_callers");
    assert!(at.contains(&"b.py:6"), "{no}");
}

#[test]
fn a_field_is_not_the_method_of_its_name() {
    let files = "//- src/lib.rs\npub struct A;\nimpl A {\n    pub fn pattern(&self) -> String { String::new() }\n}\npub struct B { pub pattern: String }\npub fn go(a: &A, b: &B) -> String {\n    a.pattern()\n}\n";
    let edits = json!([{"file_path": "src/lib.rs", "edits": [
        {"old": "    pub fn pattern(&self) -> String { String::new() }\n", "new": ""},
        {"old": "    a.pattern()\n", "new": "    b.pattern.clone()\n"},
    ]}]);
    passes(files, edits);
}

#[test]
fn what_only_has_another_signature_is_there() {
    passes(
        "//- a.py\nclass D:\n    def send(self, x):\n        return x\n\n\ndef go():\n    d = D()\n    f = d.send\n    return f(1)\n",
        json!([{"file_path": "a.py", "edits": [{"old": "def send(self, x):", "new": "def send(self, x, y=1):"}]}]),
    );
}

#[test]
fn who_makes_objects_by_a_constructor_that_goes_is_to_be_checked() {
    let fixture = ingested(
        "//- a.py\nclass A:\n    def __init__(self, x):\n        self.x = x\n\n    def f(self):\n        return 1\n//- b.py\nfrom a import A\n\n\ndef go():\n    return A(1)\n",
    );
    let edit = batch("a.py", "    def __init__(self, x):\n        self.x = x\n\n", "");
    let no = refused(&fixture, "apply_batch", edit.clone());
    assert_eq!(no["detail"]["findings"][0]["places"], json!(["b.py:5"]), "{no}");
    let made = ok(&fixture, "apply_batch", unverified(edit));
    assert_eq!(places(&made, "callers_to_check"), ["b.py:5"], "{made}");
    assert_eq!(made["callers_to_check"][0]["because"], "default");
}

#[test]
fn a_parameter_that_is_called_like_a_removed_method_does_not_hide_its_uses() {
    let user = "//- u.py\nfrom m import R\n\n\ndef use():\n    r = R()\n    return r.json()\n";
    for class in [
        "class R:\n    def __init__(self, json=None):\n        self.raw = json\n\n    def json(self):\n        return 1\n",
        "class R:\n    def load(self):\n        json = 1\n        return dict(json=json)\n\n    def json(self):\n        return 1\n",
    ] {
        let fixture = ingested(&format!("//- m.py\n{class}{user}"));
        let renamed = json!({"edits": [{"file_path": "m.py", "edits": [{"old": "def json(self)", "new": "def jsonn(self)"}]}], "verify": "graph"});
        let no = refused(&fixture, "apply_batch", renamed);
        assert_eq!(places(&no["detail"], "dangling_callers"), ["u.py:6"], "{class}");
    }
    let script = "//- m.ts\nexport class R {\n  constructor(go: number) {}\n  go() {\n    return 1;\n  }\n}\n//- u.ts\nimport { R } from './m';\nexport function use(r: R) {\n  return r.go();\n}\n";
    let no = refused(&ingested(script), "apply_batch", batch("m.ts", "  go() {", "  went() {"));
    assert_eq!(places(&no["detail"], "dangling_callers"), ["u.ts:3"]);
}

#[test]
fn what_everything_is_imported_from_still_has_its_constants() {
    let files = "//- util.py\nLIMIT = 3\n\n\ndef go():\n    return LIMIT\n//- app.py\nimport util\nfrom util import LIMIT, go\n\n\ndef f():\n    return go() + LIMIT + util.LIMIT\n";
    let fixture = ingested(files);
    let moved = json!({"edits": [
        {"file_path": "util.py", "rename_to": "tools.py"},
        {"file_path": "util.py", "create": true, "new_content": "from tools import *\n"},
    ], "verify": "graph"});
    let made = ok(&fixture, "apply_batch", moved);
    assert_eq!(places(&made, "dangling_callers"), [""; 0]);
}

#[test]
fn callers_of_a_method_that_becomes_a_property_are_to_be_checked() {
    let class = "//- m.py\nclass R:\n    def text(self):\n        return 1\n\n    @property\n    def size(self):\n        return 1\n//- u.py\nfrom m import R\n\n\ndef use():\n    r = R()\n    return r.text() + r.size\n";
    for (old, new) in [
        ("    def text(self)", "    @property\n    def text(self)"),
        ("    @property\n    def size(self)", "    def size(self)"),
    ] {
        let fixture = ingested(class);
        let no = refused(&fixture, "apply_batch", batch("m.py", old, new));
        assert_eq!(no["detail"]["findings"][0]["places"], json!(["u.py:6"]), "{old}: {no}");
        let made = ok(&fixture, "apply_batch", unverified(batch("m.py", old, new)));
        assert_eq!(places(&made, "callers_to_check"), ["u.py:6"], "{old}: {made}");
    }
}

#[test]
fn calls_that_an_overload_does_not_take_any_more_are_told() {
    let files = "//- p/Namer.java\npackage p;\npublic class Namer {\n    public String name(int x) { return \"\"; }\n    public String name(String s) { return s; }\n}\n\
                 //- q/Use.java\npackage q;\nimport p.Namer;\nclass Use {\n    String one(Namer n) { return n.name(1); }\n    String two(Namer n) { return n.name(\"a\"); }\n}\n";
    let plain = |old: &str, new: &str| {
        let fixture = ingested(files);
        let edits = json!([{"file_path": "p/Namer.java", "edits": [{"old": old, "new": new}]}]);
        ok(&fixture, "apply_batch", json!({ "edits": edits }))
    };
    let all = |made: &Value| -> Vec<String> {
        let lists = ["dangling_callers", "callers_to_check"];
        lists.iter().flat_map(|list| places(made, list)).map(str::to_owned).collect()
    };
    let made = plain("name(int x)", "name(int x, int y)");
    assert_eq!(all(&made), ["q/Use.java:4"], "{made}");
    let alone = files.replace("    public String name(String s) { return s; }\n", "");
    let fixture = ingested(&alone);
    let edits = json!([{"file_path": "p/Namer.java", "edits": [{"old": "name(int x)", "new": "name()"}]}]);
    let made = ok(&fixture, "apply_batch", json!({ "edits": edits }));
    assert_eq!(all(&made), ["q/Use.java:4", "q/Use.java:5"], "{made}");
    // Another one before it takes nothing away from it.
    let before = "    public String name(int x) {";
    let made = plain(before, &format!("    public String name(char c, int n) {{ return \"\"; }}\n{before}"));
    assert_eq!(all(&made), [""; 0], "{made}");
    // The first of several goes; the other has its name, and is as it was.
    let made = plain("    public String name(int x) { return \"\"; }\n", "");
    assert!(!all(&made).contains(&"q/Use.java:5".to_owned()), "{made}");
    let symbols = made["symbols"].as_array().unwrap();
    assert!(symbols.iter().any(|one| one["change"] == "removed"), "{made}");
}

#[test]
fn calls_in_the_edited_file_are_told_where_they_stand_now() {
    let fixture = ingested(
        "//- q.py\nclass Q:\n    def items(self):\n        return [1]\n\n    def both(self):\n        return sorted(self.items())\n",
    );
    let edits = json!([{"file_path": "q.py", "edits": [{"old": "    def items(self)", "new": "    @property\n    def items(self)"}]}]);
    let made = ok(&fixture, "apply_batch", json!({ "edits": edits }));
    assert_eq!(places(&made, "callers_to_check"), ["q.py:7"], "{made}");
    assert_eq!(made["callers_to_check"][0]["source"], "return sorted(self.items())");
}

#[test]
fn calls_of_a_constructor_are_told_apart_by_what_they_give() {
    let fixture = ingested(
        "//- m.py\nclass Many:\n    def __init__(self, one, two=2, three=3):\n        self.one = one\n\n\nclass More(Many):\n    def __init__(self):\n        super().__init__(1, three=4)\n\
         //- u.py\nfrom m import Many\n\n\ndef plain():\n    return Many(1)\n\n\ndef full():\n    return Many(1, 2, three=3)\n",
    );
    let edits =
        json!([{"file_path": "m.py", "edits": [{"old": "one, two=2, three=3", "new": "one, two=2"}]}]);
    let made = ok(&fixture, "apply_batch", json!({ "edits": edits }));
    assert_eq!(places(&made, "callers_to_check"), ["m.py:8", "u.py:9"], "{made}");
}
