//! What a change breaks, and what it only seems to break.

#![allow(clippy::unwrap_used)]

#[path = "common/reviewed.rs"]
mod reviewed;

use std::fs;

use m1nd_testkit::Fixture;
use serde_json::{Value, json};

use reviewed::commits::{ANN, commit};
use reviewed::{committed_files, review, shown};

/// What a review of the files as they are says of some kinds, after these files were written.
fn after(fixture: &Fixture, written: &[(&str, &str)], kinds: &[&str]) -> Vec<String> {
    for (path, text) in written {
        fs::write(fixture.root().join(path), text).unwrap();
    }
    of_kinds(&review(fixture, json!({"base": "HEAD"})), kinds)
}

fn of_kinds(body: &Value, kinds: &[&str]) -> Vec<String> {
    shown(body).into_iter().filter(|one| kinds.iter().any(|kind| one.contains(kind))).collect()
}

const CALLS: [&str; 1] = ["signature_change"];
const GONE: [&str; 2] = ["removed_but_used", "broken_import"];

#[test]
fn a_range_is_judged_among_the_files_that_it_ends_with() {
    let main = "from lib import load\n\n\ndef run():\n    return load(1)\n";
    let lib = "def load(x):\n    return x\n";
    let first = [("lib.py", lib), ("main.py", main)];
    let renamed = lib.replace("load", "fetch");
    let second = [("lib.py", renamed.as_str()), ("main.py", main)];
    let mended = format!("# above\n{}", main.replace("load", "fetch"));
    let third = [("lib.py", renamed.as_str()), ("main.py", mended.as_str())];
    let fixture = committed_files(&first);
    commit(fixture.root(), ANN, &second);
    commit(fixture.root(), ANN, &third);
    for (path, text) in third {
        fs::write(fixture.root().join(path), text).unwrap();
    }
    let of = |range: &str| of_kinds(&review(&fixture, json!({"diff": range})), &GONE);
    assert_eq!(of("HEAD~2..HEAD~1"), ["high removed_but_used lib.py:1 main.py:1 main.py:5"]);
    assert_eq!(of("HEAD~2..HEAD"), [""; 0]);
    // The files may go on from there without being judged.
    fs::write(fixture.root().join("lib.py"), "def other():\n    return 1\n").unwrap();
    assert_eq!(of("HEAD~2..HEAD"), [""; 0]);
}

#[test]
fn only_calls_that_no_longer_fit_are_told_as_broken() {
    let lib = "def quote(text, safe='/'):\n    return text\n\n\nclass Client:\n    def get(self, url, *, follow=False):\n        return url\n";
    let app = "from lib import Client, quote\n\n\ndef run(more):\n    quote('a', safe='b')\n    client = Client()\n    client.get('a')\n    client.get('b', follow=True)\n    client.get(\n        'c',\n        follow=True,  # (or not)\n    )\n";
    let fixture = committed_files(&[("lib.py", lib), ("app.py", app)]);
    let no_default = lib.replace("safe='/'", "safe");
    assert_eq!(
        after(&fixture, &[("lib.py", &no_default)], &CALLS),
        ["low signature_change lib.py:1 app.py:5"]
    );
    let no_follow = lib.replace(", *, follow=False", "");
    assert_eq!(
        after(&fixture, &[("lib.py", &no_follow)], &CALLS),
        ["high signature_change lib.py:6 app.py:8 app.py:9"]
    );
    // What is handed on is not written there.
    let handed = app
        .replace("client.get('b', follow=True)", "client.get(**more)")
        .replace("        follow=True,  # (or not)\n", "");
    let fixture = committed_files(&[("lib.py", lib), ("app.py", &handed)]);
    assert_eq!(
        after(&fixture, &[("lib.py", &no_follow)], &CALLS),
        ["medium signature_change lib.py:6 app.py:8"]
    );
    // A place that means something else now breaks, too.
    let swapped = lib.replace("text, safe='/'", "safe, text='/'");
    let positional = app.replace("quote('a', safe='b')", "quote('a', 'b')");
    let fixture = committed_files(&[("lib.py", lib), ("app.py", &positional)]);
    assert_eq!(after(&fixture, &[("lib.py", &swapped)], &CALLS), ["high signature_change lib.py:1 app.py:5"]);
}

#[test]
fn what_only_types_and_visibility_say_breaks_no_call() {
    let rust = "fn matched(path: &str) -> bool {\n    path.is_empty()\n}\n\npub fn run() -> bool {\n    matched(\"a\")\n}\n";
    let fixture = committed_files(&[("Cargo.toml", "[package]\nname = \"a\"\n"), ("src/lib.rs", rust)]);
    let wider = rust.replace("fn matched", "pub(crate) fn matched");
    assert_eq!(after(&fixture, &[("src/lib.rs", &wider)], &CALLS), [""; 0]);
    let more = (1..30).map(|at| format!("    parameter_{at}: str | None = None,\n")).collect::<String>();
    let long =
        |last: &str| format!("def put(\n    url,\n{more}    verify: {last} = True,\n):\n    return url\n");
    let app = "from lib import put\n\n\ndef run():\n    return put('a')\n";
    let fixture = committed_files(&[("lib.py", &long("ssl.SSLContext | str | bool")), ("app.py", app)]);
    assert_eq!(after(&fixture, &[("lib.py", &long("ssl.SSLContext | bool"))], &CALLS), [""; 0]);
    let go = "package a\n\ntype Completion = string\n\nfunc Add(to []string) []string {\n\treturn to\n}\n\nfunc run() []string {\n\treturn Add(nil)\n}\n";
    let fixture = committed_files(&[("go.mod", "module a\n"), ("a.go", go)]);
    let named = go.replace("func Add(to []string) []string", "func Add(to []Completion) []Completion");
    assert_eq!(after(&fixture, &[("a.go", &named)], &CALLS), [""; 0]);
    let other = go.replace("func Add(to []string)", "func Add(to []int)");
    assert_eq!(after(&fixture, &[("a.go", &other)], &CALLS), ["medium signature_change a.go:5 a.go:10"]);
}

#[test]
fn what_has_to_be_awaited_entered_or_read_otherwise_is_told() {
    let lib = "from contextlib import contextmanager\n\n\ndef load():\n    return 1\n\n\n@contextmanager\ndef opened():\n    yield 1\n\n\nclass Box:\n    @property\n    def size(self):\n        return 1\n";
    let app = "from lib import Box, load, opened\n\n\ndef run():\n    box = Box()\n    with opened() as one:\n        return load() + box.size + one\n";
    let fixture = committed_files(&[("lib.py", lib), ("app.py", app)]);
    let waits = lib.replace("def load", "async def load");
    assert_eq!(after(&fixture, &[("lib.py", &waits)], &CALLS), ["high signature_change lib.py:4 app.py:7"]);
    let plain = lib.replace("@contextmanager\n", "");
    assert_eq!(after(&fixture, &[("lib.py", &plain)], &CALLS), ["high signature_change lib.py:8 app.py:6"]);
    // What it gives back may be entered as well.
    let gives = plain.replace("    yield 1", "    return Context(1)");
    assert_eq!(after(&fixture, &[("lib.py", &gives)], &CALLS), ["medium signature_change lib.py:8 app.py:6"]);
    let called = lib.replace("    @property\n", "");
    assert_eq!(after(&fixture, &[("lib.py", &called)], &CALLS), ["high signature_change lib.py:14 app.py:7"]);
}

#[test]
fn calls_that_take_another_number_of_results_are_told() {
    let go = "package a\n\nfunc Find(a int) (int, string, error) {\n\treturn a, \"\", nil\n}\n\nfunc run() int {\n\tFind(0)\n\tx, _, err := Find(1)\n\tif err != nil {\n\t\treturn 0\n\t}\n\treturn x\n}\n";
    let fixture = committed_files(&[("go.mod", "module a\n"), ("a.go", go)]);
    let two =
        go.replace("(int, string, error)", "(int, error)").replace("return a, \"\", nil", "return a, nil");
    assert_eq!(after(&fixture, &[("a.go", &two)], &CALLS), ["high signature_change a.go:3 a.go:9"]);
    // What is asked is one value.
    let go = "package a\n\nfunc is(a int) bool {\n\treturn a > 1\n}\n\nfunc run() int {\n\tif !is(1) {\n\t\treturn 1\n\t}\n\treturn 2\n}\n";
    let fixture = committed_files(&[("go.mod", "module a\n"), ("a.go", go)]);
    let two = go.replace("bool {\n\treturn a > 1", "(bool, error) {\n\treturn a > 1, nil");
    assert_eq!(after(&fixture, &[("a.go", &two)], &CALLS), ["high signature_change a.go:3 a.go:8"]);
}

#[test]
fn what_is_read_of_other_things_is_not_the_property() {
    let lib = "class App:\n    def __init__(self):\n        self.parts = {}\n\n\nclass Request:\n    @property\n    def parts(self):\n        return []\n";
    let app = "from lib import App, Request\n\n\ndef run(app, request):\n    return app.parts, [\n        request.parts,\n    ]\n";
    let fixture = committed_files(&[("lib.py", lib), ("app.py", app)]);
    let called = lib.replace("    @property\n", "");
    assert_eq!(
        after(&fixture, &[("lib.py", &called)], &CALLS),
        ["medium signature_change lib.py:7 app.py:6"]
    );
}

#[test]
fn a_function_within_a_function_is_said_there_alone() {
    let tests = "def test_one(app):\n    @app.route('/get')\n    def get():\n        return 1\n\n    assert get() == 1\n\n\ndef test_two(app):\n    @app.route('/get')\n    def get():\n        return 2\n\n    assert get() == 1\n";
    let fixture = committed_files(&[("test_a.py", tests)]);
    let without = tests.replacen(
        "    @app.route('/get')\n    def get():\n        return 1\n\n    assert get() == 1\n",
        "    pass\n",
        1,
    );
    assert_eq!(after(&fixture, &[("test_a.py", &without)], &GONE), [""; 0]);
}

#[test]
fn a_name_of_another_module_is_not_the_removed_one() {
    let config =
        "import ssl\n\n\nclass SSLContext(ssl.SSLContext):\n    pass\n\n\ndef make():\n    return 1\n";
    let client = "import ssl\n\n\ndef run(verify: ssl.SSLContext | bool):\n    return ssl.SSLContext(1)\n";
    let fixture =
        committed_files(&[("pkg/__init__.py", ""), ("pkg/config.py", config), ("pkg/client.py", client)]);
    let without = config.replace("class SSLContext(ssl.SSLContext):\n    pass\n\n\n", "");
    assert_eq!(after(&fixture, &[("pkg/config.py", &without)], &GONE), [""; 0]);
    // Through an import of its own module it is.
    let own = "from . import config as c\n\n\ndef run():\n    return c.SSLContext(1)\n";
    let fixture =
        committed_files(&[("pkg/__init__.py", ""), ("pkg/config.py", config), ("pkg/client.py", own)]);
    assert_eq!(
        after(&fixture, &[("pkg/config.py", &without)], &GONE),
        ["high removed_but_used pkg/config.py:4 pkg/client.py:5"]
    );
}

#[test]
fn a_name_that_a_package_no_longer_hands_on_is_told() {
    let init = "from .app import App as App\nfrom .globals import g as g\n";
    let files = [
        ("pkg/__init__.py", init),
        ("pkg/app.py", "class App:\n    pass\n"),
        ("pkg/globals.py", "class Globals:\n    pass\n\n\ng = Globals()\n"),
        ("one.py", "from pkg import App, g\n\n\ndef one():\n    return g, App\n"),
        ("two.py", "import pkg\n\n\ndef two():\n    return pkg.App()\n"),
    ];
    let fixture = committed_files(&files);
    let without = init.replace("from .globals import g as g\n", "");
    assert_eq!(
        after(&fixture, &[("pkg/__init__.py", &without)], &GONE),
        ["high broken_import pkg/__init__.py:1 one.py:1"]
    );
    let fixture = committed_files(&files);
    let without = init.replace("from .app import App as App\n", "");
    assert_eq!(
        after(&fixture, &[("pkg/__init__.py", &without)], &GONE),
        ["high broken_import pkg/__init__.py:1 one.py:1 two.py:5"]
    );
}

#[test]
fn a_re_export_that_went_is_told_where_it_is_imported() {
    let files = [
        ("src/show.ts", "export function show() { return 1 }\nexport function size() { return 2 }\n"),
        ("src/index.ts", "export { show as display } from './show'\nexport * from './show'\n"),
        (
            "src/use.ts",
            "import { display, size } from './index'\n\nexport const shown = display() + size()\n",
        ),
    ];
    let fixture = committed_files(&files);
    let renamed = files[1].1.replace("as display", "as paint");
    let found = after(&fixture, &[("src/index.ts", &renamed)], &GONE);
    assert_eq!(found, ["high broken_import src/index.ts:1 src/use.ts:1"]);
    let without = files[1].1.replace("export * from './show'\n", "");
    let found = after(&fixture, &[("src/index.ts", &without)], &GONE);
    assert_eq!(found, ["high broken_import src/index.ts:1 src/use.ts:1"]);
}

#[test]
fn what_is_not_exported_any_more_is_told_once() {
    let types = "export const LIMIT = 5;\nexport enum Color { Red, Green = 'g' }\nexport default function make() { return 1 }\n";
    let files = [
        ("src/types.ts", types),
        (
            "src/use.ts",
            "import make, { Color, LIMIT } from './types'\n\nexport function apply() {\n  return [make(), LIMIT, Color.Red]\n}\n",
        ),
        ("src/index.ts", "export { apply as used } from './use'\n"),
    ];
    let fixture = committed_files(&files);
    let dropped = types.replace("export default function", "function");
    assert_eq!(
        after(&fixture, &[("src/types.ts", &dropped)], &GONE),
        ["high broken_import src/types.ts:3 src/use.ts:1 src/use.ts:4"]
    );
    let renamed = types.replace("Red", "Crimson");
    assert_eq!(
        after(&fixture, &[("src/types.ts", &renamed)], &GONE),
        ["high removed_but_used src/types.ts:2 src/use.ts:4"]
    );
    let other = files[1].1.replace("function apply", "function run");
    assert_eq!(
        after(&fixture, &[("src/types.ts", types), ("src/use.ts", &other)], &GONE),
        ["high removed_but_used src/use.ts:3 src/index.ts:1"]
    );
}

#[test]
fn a_new_import_of_a_name_that_nobody_has_is_told() {
    let files = [
        ("pkg/__init__.py", ""),
        ("pkg/globals.py", "cv_app = 1\n\n\ndef __getattr__(name):\n    raise AttributeError(name)\n"),
        ("pkg/sub/__init__.py", ""),
        ("pkg/sub/inner.py", "x = 1\n"),
        ("pkg/ctx.py", "import os\n\n\ndef run():\n    return os\n"),
    ];
    let fixture = committed_files(&files);
    let text = "import os\nfrom .globals import cv_app, cv_nope\nfrom .sub import inner\n\n\ndef run():\n    return os, cv_app, cv_nope, inner\n";
    assert_eq!(
        after(&fixture, &[("pkg/ctx.py", text)], &GONE),
        ["high broken_import pkg/ctx.py:2 pkg/globals.py:1"]
    );
}

#[test]
fn variants_and_fields_that_lines_still_say_are_told() {
    let lib = "pub mod kind;\npub mod user;\n";
    let kind = "pub enum Kind {\n    Big,\n    Small,\n}\n\npub struct Shape {\n    pub width: u8,\n}\n";
    let user = "use crate::kind::{Kind, Shape};\n\npub fn run(shape: &Shape) -> u8 {\n    match Kind::Big {\n        Kind::Big => shape.width,\n        Kind::Small => 2,\n    }\n}\n";
    let files = [
        ("Cargo.toml", "[package]\nname = \"a\"\n"),
        ("src/lib.rs", lib),
        ("src/kind.rs", kind),
        ("src/user.rs", user),
    ];
    let fixture = committed_files(&files);
    let renamed = kind.replace("Big", "Huge");
    assert_eq!(
        after(&fixture, &[("src/kind.rs", &renamed)], &GONE),
        ["high removed_but_used src/kind.rs:1 src/user.rs:4 src/user.rs:5"]
    );
    let renamed = kind.replace("width", "breadth");
    assert_eq!(
        after(&fixture, &[("src/kind.rs", &renamed)], &GONE),
        ["high removed_but_used src/kind.rs:6 src/user.rs:5"]
    );
}

#[test]
fn a_grave_finding_is_never_a_low_risk() {
    let fixture = committed_files(&[
        ("lib.py", "def load(x):\n    return x\n"),
        ("app.py", "from lib import load\n\n\ndef run():\n    return load(1)\n"),
    ]);
    fs::write(fixture.root().join("lib.py"), "def load(x, y):\n    return x\n").unwrap();
    let found = review(&fixture, json!({"base": "HEAD"}));
    assert_eq!(found["findings"][0]["severity"], "high", "{found}");
    assert_ne!(found["risk_level"], "low", "{found}");
}

#[test]
fn an_empty_diff_is_no_change() {
    let fixture = committed_files(&[("lib.py", "def load(x):\n    return x\n")]);
    let found = review(&fixture, json!({"diff": "\n"}));
    assert_eq!((&found["changed_files"], &found["findings"]), (&json!(0), &json!([])), "{found}");
    assert!(found["next_step_hint"].as_str().unwrap().contains("Nothing differs"), "{found}");
}

#[test]
fn a_function_that_went_is_not_the_module_or_the_test_of_its_name() {
    let manifest = ("Cargo.toml", "[package]\nname = \"a\"\n");
    let lib = "pub mod config;\npub mod user;\n\npub fn config() -> u8 {\n    1\n}\n\npub fn parse() -> u8 {\n    2\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn parse() {\n        assert_eq!(super::parse(), 2);\n    }\n}\n";
    let user = "pub fn run() -> u8 {\n    crate::config() + crate::parse()\n}\n";
    let files = [manifest, ("src/lib.rs", lib), ("src/config.rs", "pub fn x() {}\n"), ("src/user.rs", user)];
    let fixture = committed_files(&files);
    let without = lib.replace("pub fn config() -> u8 {\n    1\n}\n\n", "");
    assert_eq!(
        after(&fixture, &[("src/lib.rs", &without)], &GONE),
        ["high removed_but_used src/lib.rs:4 src/user.rs:2"]
    );
    let without = lib.replace("pub fn parse() -> u8 {\n    2\n}\n\n", "");
    let found = after(&fixture, &[("src/lib.rs", &without)], &GONE);
    assert!(found.len() == 1 && found[0].contains("high") && found[0].contains("src/user.rs:2"), "{found:?}");
    // The module that is left is imported by its name.
    let imports = "use crate::config;\n\npub fn run() {\n    config::x()\n}\n";
    let fixture = committed_files(&[files[0], files[1], files[2], ("src/user.rs", imports)]);
    let without = lib.replace("pub fn config() -> u8 {\n    1\n}\n\n", "");
    assert_eq!(after(&fixture, &[("src/lib.rs", &without)], &GONE), [""; 0]);
}

#[test]
fn an_import_of_the_tests_beside_it_does_not_keep_a_function() {
    let manifest = ("Cargo.toml", "[package]\nname = \"a\"\n");
    let lib = "mod glob;\n\nuse crate::glob::glob;\n\npub fn run() -> u8 {\n    glob(1)\n}\n";
    let glob = "pub fn glob(x: u8) -> u8 {\n    x\n}\n\npub fn keep() {}\n\n#[cfg(test)]\nmod tests {\n    use super::{glob, keep};\n\n    #[test]\n    fn all() {\n        keep();\n        glob(2);\n    }\n}\n";
    let fixture = committed_files(&[manifest, ("src/lib.rs", lib), ("src/glob.rs", glob)]);
    let without = glob.replace("pub fn glob(x: u8) -> u8 {\n    x\n}\n\n", "");
    assert_eq!(
        after(&fixture, &[("src/glob.rs", &without)], &["removed_but_used"]),
        ["high removed_but_used src/glob.rs:1 src/glob.rs:5 src/lib.rs:3 src/lib.rs:6 src/glob.rs:10"]
    );
}

#[test]
fn a_new_call_of_java_with_another_number_of_arguments_is_told() {
    let a = "package p;\n\npublic class A {\n    public A(int a) {\n    }\n\n    public int add(int a, int b) {\n        return a + b;\n    }\n\n    public int add(int a, int b, int c) {\n        return a + b;\n    }\n\n    public static int sub(int a, int... more) {\n        return a;\n    }\n}\n";
    let b = "package p;\n\npublic class B {\n    private final A a = new A(1);\n\n    public int run() {\n        return 1;\n    }\n\n    int own(int x) {\n        return x;\n    }\n}\n";
    let of = |call: &str| {
        let fixture = committed_files(&[("p/A.java", a), ("p/B.java", b)]);
        let text = b.replace("return 1;", &format!("return {call};"));
        after(&fixture, &[("p/B.java", &text)], &CALLS)
    };
    let told = |place: &str| vec![format!("high signature_change p/B.java:7 {place}")];
    assert_eq!(of("a.add(1)"), told("p/A.java:7"));
    assert_eq!(of("this.own(1, 2)"), told("p/B.java:10"));
    assert_eq!(of("own()"), told("p/B.java:10"));
    assert_eq!(of("new A().add(1, 2)"), told("p/A.java:4"));
    for call in
        ["a.add(1, 2)", "a.add(1, 2, 3)", "A.sub(1)", "A.sub(1, 2, 3)", "own(1)", "other.add(1)", "size(1)"]
    {
        assert_eq!(of(call), [""; 0], "{call}");
    }
    // What it extends may have one.
    let below = b.replace("class B {", "class B extends Unknown {").replace("return 1;", "return own(1, 2);");
    let fixture = committed_files(&[("p/A.java", a), ("p/B.java", b)]);
    assert_eq!(after(&fixture, &[("p/B.java", &below)], &CALLS), [""; 0]);
}

#[test]
fn fields_that_a_type_is_certainly_asked_for_are_told_whatever_else_has_their_names() {
    let rust = "pub struct Shape {\n    pub width: u8,\n}\n\nimpl Shape {\n    pub fn area(&self) -> u8 {\n        self.width\n    }\n}\n\npub struct Other {\n    pub width: u16,\n}\n\npub fn look(shape: &Shape, other: &Other) -> u8 {\n    shape.width + other.width as u8\n}\n";
    let fixture = committed_files(&[("Cargo.toml", "[package]\nname = \"a\"\n"), ("src/lib.rs", rust)]);
    let renamed = rust.replacen("pub width: u8", "pub breadth: u8", 1);
    assert_eq!(
        after(&fixture, &[("src/lib.rs", &renamed)], &GONE),
        ["high removed_but_used src/lib.rs:1 src/lib.rs:7 src/lib.rs:16"]
    );
    let python = "class Shape:\n    def __init__(self, width):\n        self.width = width\n        self.size = 1\n\n    def area(self):\n        return self.width * self.size\n";
    let below = "from a import Shape\n\n\nclass Sub(Shape):\n    def more(self):\n        return self.width\n\n\nclass Other:\n    def more(self):\n        self.width = 1\n        return self.width\n";
    let fixture = committed_files(&[("a.py", python), ("b.py", below)]);
    let renamed = python.replace("self.width = width", "self.breadth = width");
    assert_eq!(after(&fixture, &[("a.py", &renamed)], &GONE), ["high removed_but_used a.py:1 a.py:7 b.py:6"]);
    // Somebody else may give it.
    for more in ["class Sub(Shape, Mixin):", "class Sub(Shape):\n    width = 1\n"] {
        let other = below.replace("class Sub(Shape):", more);
        let fixture = committed_files(&[("a.py", python), ("b.py", &other)]);
        assert_eq!(after(&fixture, &[("a.py", &renamed)], &GONE), [""; 0], "{more}");
    }
    let other = format!("{below}\n\ndef fill(shape):\n    shape.width = 2\n");
    let fixture = committed_files(&[("a.py", python), ("b.py", &other)]);
    assert_eq!(after(&fixture, &[("a.py", &renamed)], &GONE), [""; 0]);
    let script = "export class Shape {\n  width = 1\n  size = 2\n  area() {\n    return this.width * this.size\n  }\n}\n\nexport class Other {\n  width = 1\n}\n\nexport function look(shape: Shape, other: Other) {\n  return shape.width + other.width\n}\n";
    let fixture = committed_files(&[("a.ts", script)]);
    let renamed = script.replacen("  width = 1", "  breadth = 1", 1);
    assert_eq!(
        after(&fixture, &[("a.ts", &renamed)], &GONE),
        ["high removed_but_used a.ts:1 a.ts:5 a.ts:14"]
    );
}

#[test]
fn names_that_something_else_gives_now_are_not_missed() {
    let uses = "import { f } from './a'\n\nexport const x = f()\n";
    let fixture = committed_files(&[("a.ts", "export function f() {\n  return 1\n}\n"), ("b.ts", uses)]);
    let renamed = "function h() {\n  return 1\n}\n";
    assert_eq!(after(&fixture, &[("a.ts", &format!("{renamed}export {{ h as f }}\n"))], &GONE), [""; 0]);
    assert!(!after(&fixture, &[("a.ts", &format!("{renamed}export {{ h as g }}\n"))], &GONE).is_empty());
    let class = "class B:\n    def send(self):\n        return 3\n";
    let uses = "from a import B\n\n\ndef use():\n    b = B()\n    return b.send()\n";
    let fixture = committed_files(&[("a.py", class), ("b.py", uses)]);
    let answers = "class B:\n    def __getattr__(self, name):\n        return lambda: 3\n";
    assert_eq!(after(&fixture, &[("a.py", answers)], &GONE), [""; 0]);
    assert!(!after(&fixture, &[("a.py", &class.replace("send", "sent"))], &GONE).is_empty());
}

#[test]
fn fields_of_values_that_a_function_makes_itself_are_told() {
    let lib = "class Config:\n    limit = 1\n    name: str = \"x\"\n\n    def __init__(self):\n        self.size = 1\n\n\nclass Sub(Config):\n    pass\n";
    let app = "from lib import Config, Sub\n\n\ndef run():\n    c = Config()\n    return c.name, c.size\n\n\ndef below():\n    s = Sub()\n    return s.size + Config.limit\n\n\nTOP = Config.limit\n";
    let fixture = committed_files(&[("lib.py", lib), ("app.py", app)]);
    let found = |lib: &str| after(&fixture, &[("lib.py", lib)], &GONE);
    assert_eq!(
        found(&lib.replace("    name: str = \"x\"\n", "")),
        ["high removed_but_used lib.py:1 app.py:6"]
    );
    assert_eq!(
        found(&lib.replace("self.size = 1", "pass")),
        ["high removed_but_used lib.py:1 app.py:6 app.py:11"]
    );
    assert_eq!(
        found(&lib.replace("    limit = 1\n", "")),
        ["high removed_but_used lib.py:1 app.py:11 app.py:14"]
    );
    // The word may mean something else there, or the class may get it from elsewhere.
    let cut = lib.replace("    name: str = \"x\"\n", "");
    for other in [
        app.replace("    c = Config()\n", "    c = Config()\n    c = other(c)\n"),
        app.replace("    c = Config()\n", "    c = Config()\n    for c in c.all():\n        pass\n"),
        app.replace("    c = Config()\n", "    c = Config().copy()\n"),
        app.replace(
            "return c.name, c.size",
            "\"\"\"Not c.name.\n\n    c.name, Config.name\n    \"\"\"\n    return c.size",
        ),
        format!("{app}\n\ndef fill(c):\n    c.name = 2\n"),
    ] {
        let fixture = committed_files(&[("lib.py", lib), ("app.py", &other)]);
        assert_eq!(after(&fixture, &[("lib.py", &cut)], &GONE), [""; 0], "{other}");
    }
    let lib = "export class Config {\n  limit = 1\n  static size = 2\n}\n";
    let app = "import { Config } from './lib'\n\nexport function run() {\n  const c = new Config()\n  return c.limit + Config.size\n}\n\nexport class Other {\n  limit = 1\n  size = 1\n}\n";
    let fixture = committed_files(&[("lib.ts", lib), ("app.ts", app)]);
    let opts = "export interface Opts {\n  width: number\n  depth?: number\n}\n";
    let area = "import { Opts } from './opts'\n\nexport function area(o: Opts, more: { width: number }): number {\n  return o.width + more.width\n}\n";
    let narrow = opts.replace("  width: number\n", "");
    for (more, found) in [
        ("", vec!["high removed_but_used opts.ts:1 area.ts:4"]),
        ("export interface Opts { width: number }\n", vec![]),
    ] {
        let fixture = committed_files(&[("opts.ts", opts), ("area.ts", area), ("more.ts", more)]);
        assert_eq!(after(&fixture, &[("opts.ts", &narrow)], &GONE), found, "{more}");
    }
    for gone in ["  limit = 1\n", "  static size = 2\n"] {
        let found = after(&fixture, &[("lib.ts", &lib.replace(gone, ""))], &GONE);
        assert_eq!(found, ["high removed_but_used lib.ts:1 app.ts:5"], "{gone}");
    }
}

#[test]
fn calls_of_which_nothing_is_known_are_not_said_to_fit() {
    let go = "package a\n\nfunc Add(to []string) []string {\n\treturn to\n}\n\nfunc run() []string {\n\treturn Add(nil)\n}\n";
    let fixture = committed_files(&[("go.mod", "module a\n"), ("a.go", go)]);
    fs::write(fixture.root().join("a.go"), go.replace("to []string)", "to []int)")).unwrap();
    let body = review(&fixture, json!({"base": "HEAD"}));
    let message = body["findings"][0]["message"].as_str().unwrap();
    assert!(
        message.contains("of 1 of 1 calls, which were not touched, it is not known whether they fit"),
        "{message}"
    );
    assert!(!message.contains("no call is known to break"), "{message}");
}

#[test]
fn a_call_that_leaves_the_rest_out_fits() {
    let lib = "export function warn(msg: string, ...args: any[]): void {\n  console.log(msg, args)\n}\n";
    let app = "import { warn } from './lib'\n\nexport function run() {\n  return 1\n}\n";
    let fixture = committed_files(&[("lib.ts", lib), ("app.ts", app)]);
    let text = app.replace("  return 1\n", "  warn('a')\n  return 1\n");
    assert_eq!(after(&fixture, &[("app.ts", &text)], &CALLS), [""; 0]);
    // The type of a value says what it takes.
    let lib = "export const warn: Warn = (msg, more) => {\n  console.log(msg, more)\n}\n";
    let fixture = committed_files(&[("lib.ts", lib), ("app.ts", app)]);
    assert_eq!(after(&fixture, &[("app.ts", &text)], &CALLS), [""; 0]);
}

#[test]
fn what_a_decorator_gives_or_takes_is_not_the_caller_s() {
    let lib = "class A:\n    def f(self, x):\n        return x\n\n    def g(self):\n        return self.f(1)\n\n\ndef main():\n    return 1\n\n\ndef load():\n    return 1\n";
    let app =
        "from lib import A, load, main\n\n\ndef run():\n    A().f(1)\n    main()\n    return load() + 1\n";
    let fixture = committed_files(&[("lib.py", lib), ("app.py", app)]);
    let is_high =
        |text: &str| after(&fixture, &[("lib.py", text)], &CALLS).iter().any(|one| one.starts_with("high"));
    assert!(!is_high(&lib.replace("    def f(self, x)", "    @staticmethod\n    def f(x)")));
    assert!(!is_high(&lib.replace("def main()", "@command(\"x\")\ndef main(ctx, name)")));
    assert!(!is_high(&lib.replace("def load()", "@sync\nasync def load()")));
    // Without them it is.
    assert!(is_high(&lib.replace("    def f(self, x)", "    @staticmethod\n    def f(x, y)")));
    assert!(is_high(&lib.replace("def main()", "def main(ctx, name)")));
    assert!(is_high(&lib.replace("def load()", "async def load()")));
}

#[test]
fn of_two_calls_on_a_line_one_breaks() {
    let lib = "def pad(text, by=1):\n    return text\n";
    let app = "from lib import pad\n\n\ndef run():\n    return pad('a') + pad('b', 2)\n";
    let fixture = committed_files(&[("lib.py", lib), ("app.py", app)]);
    let found = after(&fixture, &[("lib.py", &lib.replace("by=1", "by"))], &CALLS);
    assert_eq!(found, ["high signature_change lib.py:1 app.py:5"]);
    // Where another has the name, nobody knows which of them is meant.
    let other = [("other.py", "class Other:\n    def pad(self, text):\n        return text\n")];
    let found = after(&fixture, &other, &CALLS);
    assert!(!found.iter().any(|one| one.starts_with("high")), "{found:?}");
}

#[test]
fn a_name_that_a_parameter_has_now_is_not_the_constant_that_went() {
    let lib = "const cache = new Map<string, number>()\n\nexport function read(\n  key: string,\n) {\n  return cache.get(key)\n}\n\nexport function clear(key: string) {\n  cache.delete(key)\n}\n";
    let files = [("src/lib.ts", lib)];
    let fixture = committed_files(&files);
    let given = lib.replace("const cache = new Map<string, number>()\n\n", "");
    assert_eq!(
        after(&fixture, &[("src/lib.ts", &given)], &GONE),
        ["high removed_but_used src/lib.ts:1 src/lib.ts:4 src/lib.ts:8"]
    );
    let given = given.replace("  key: string,\n", "  key: string,\n  { cache }: Context,\n");
    let given = given.replace("(key: string) {\n", "(key: string) {\n  const { cache } = context\n");
    assert_eq!(after(&fixture, &[("src/lib.ts", &given)], &GONE), [""; 0]);
}

#[test]
fn who_takes_a_name_no_more_does_not_miss_that_it_is_hidden() {
    let lib = "export function load() {\n  return 1\n}\n\nexport function other() {\n  return load()\n}\n";
    let app = "import {\n  load,\n  other,\n} from './lib'\n\nexport function run() {\n  return other()\n}\n";
    let fixture = committed_files(&[("src/lib.ts", lib), ("src/app.ts", app)]);
    let hidden = lib.replacen("export ", "", 1);
    assert_eq!(
        after(&fixture, &[("src/lib.ts", &hidden)], &GONE),
        ["high broken_import src/lib.ts:1 src/app.ts:1"]
    );
    let without = app.replace("  load,\n", "");
    assert_eq!(after(&fixture, &[("src/lib.ts", &hidden), ("src/app.ts", &without)], &GONE), [""; 0]);
}

#[test]
fn a_new_call_that_only_a_method_below_takes_is_no_break() {
    let lib = "class Base:\n    def run(self):\n        return 1\n\n    def bound(self):\n        raise NotImplementedError\n\n\nclass Heir(Base):\n    def bound(self, start, end):\n        return start\n";
    let fixture = committed_files(&[("lib.py", lib)]);
    let calls = lib.replace("return 1", "return self.bound(1, 2)");
    assert_eq!(after(&fixture, &[("lib.py", &calls)], &CALLS), [""; 0]);
    let none = calls.replace("return self.bound(1, 2)", "return self.bound(1, 2, 3)");
    assert_eq!(after(&fixture, &[("lib.py", &none)], &CALLS), ["high signature_change lib.py:3 lib.py:5"]);
}
