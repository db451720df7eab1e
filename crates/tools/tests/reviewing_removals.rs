//! What went with a change and is still meant, however it is said; and what only seems to be gone.

#![allow(clippy::unwrap_used)]

#[path = "common/reviewed.rs"]
mod reviewed;

use std::fs;

use m1nd_testkit::Fixture;
use serde_json::{Value, json};

use reviewed::commits::{ANN, Says, commit};
use reviewed::{committed_files, review, shown};

/// What a review of the files as they are says of what went, after these files were written; nothing stands for a deleted one.
fn gone(fixture: &Fixture, written: &[(&str, Option<&str>)]) -> Vec<String> {
    for (path, text) in written {
        let path = fixture.root().join(path);
        match text {
            Some(text) => {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            None => fs::remove_file(path).unwrap(),
        }
    }
    of_removals(&review(fixture, json!({"base": "HEAD"})))
}

fn of_removals(body: &Value) -> Vec<String> {
    let kinds = ["removed_but_used", "broken_import", "syntax_error"];
    shown(body).into_iter().filter(|one| kinds.iter().any(|kind| one.contains(kind))).collect()
}

#[test]
fn a_function_that_is_only_handed_on_or_given_types_is_missed() {
    let args = "package a\n\ntype Command struct {\n\tArgs func() error\n}\n\nfunc NoArgs() error {\n\treturn nil\n}\n\nfunc typed[T any](x T) T {\n\treturn x\n}\n";
    let uses =
        "package a\n\nfunc run() *Command {\n\t_ = typed[int](1)\n\treturn &Command{Args: NoArgs}\n}\n";
    let files = [("go.mod", "module a\n"), ("args.go", args), ("run.go", uses)];
    let fixture = committed_files(&files);
    let without = args.replace("func NoArgs() error {\n\treturn nil\n}\n\n", "");
    assert_eq!(gone(&fixture, &[("args.go", Some(&without))]), ["high removed_but_used args.go:7 run.go:5"]);
    let without = args.replace("func typed[T any](x T) T {\n\treturn x\n}\n", "");
    let found = gone(&fixture, &[("args.go", Some(&without))]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].ends_with("run.go:4"), "{found:?}");
}

#[test]
fn a_decorator_and_a_value_of_a_class_are_missed() {
    let lib = "def deco(f):\n    return f\n\n\ndef lazy(x):\n    return x\n\n\ndef other():\n    return 1\n\n\nclass Box:\n    digest = staticmethod(lazy)\n";
    let app = "from lib import (\n    deco,\n    other,\n)\n\n\n@deco\ndef run():\n    return other()\n";
    let fixture = committed_files(&[("lib.py", lib), ("app.py", app)]);
    let found = gone(&fixture, &[("lib.py", Some(&lib.replace("def deco(f):\n    return f\n\n\n", "")))]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with("high removed_but_used lib.py:1") && found[0].contains("app.py:7"),
        "{found:?}"
    );
    let found = gone(&fixture, &[("lib.py", Some(&lib.replace("def lazy(x):\n    return x\n\n\n", "")))]);
    assert_eq!(found, ["high removed_but_used lib.py:5 lib.py:10"]);
    // What is given its name otherwise is not gone.
    let made = lib.replace("def deco(f):\n    return f\n", "deco = staticmethod\n");
    assert_eq!(gone(&fixture, &[("lib.py", Some(&made))]), [""; 0]);
    // Who takes it from elsewhere does not mean what went.
    let taken =
        app.replace("    deco,\n", "").replace("from lib", "from functools import cache as deco\nfrom lib");
    let without = lib.replace("def deco(f):\n    return f\n\n\n", "");
    assert_eq!(gone(&fixture, &[("lib.py", Some(&without)), ("app.py", Some(&taken))]), [""; 0]);
}

#[test]
fn the_twin_of_another_tree_does_not_stand_in_for_what_went() {
    let joiner = "package com.a.base;\n\npublic class Joiner {\n  public static String on(String x) {\n    return x;\n  }\n}\n";
    let uses = "package com.a.io;\n\nimport com.a.base.Joiner;\n\npublic class Files {\n  static String run() {\n    return Joiner.on(\"a\");\n  }\n}\n";
    let fixture = committed_files(&[
        ("core/src/com/a/base/Joiner.java", joiner),
        ("core/src/com/a/io/Files.java", uses),
        ("android/core/src/com/a/base/Joiner.java", joiner),
        ("android/core/src/com/a/io/Files.java", uses),
    ]);
    let found = gone(&fixture, &[("core/src/com/a/base/Joiner.java", None)]);
    assert_eq!(
        found,
        ["critical removed_but_used core/src/com/a/base/Joiner.java:1 core/src/com/a/io/Files.java:3"]
    );
}

#[test]
fn a_package_that_moved_is_found_where_it_is() {
    let init = "from .app import App\n\n__version__ = '1'\n";
    let app = "class App:\n    pass\n";
    let test = "import pkg\n\n\ndef test_app():\n    assert pkg.App()\n";
    let fixture =
        committed_files(&[("pkg/__init__.py", init), ("pkg/app.py", app), ("tests/test_app.py", test)]);
    let moved = "import os\n\nfrom .app import App as App\n\nname = os.name\nplace = os.getcwd()\n";
    let found = gone(
        &fixture,
        &[
            ("pkg/__init__.py", None),
            ("pkg/app.py", None),
            ("src/pkg/__init__.py", Some(moved)),
            ("src/pkg/app.py", Some(app)),
        ],
    );
    assert_eq!(found, [""; 0]);
}

#[test]
fn what_the_language_has_is_not_missed() {
    let any = "package a\n\ntype any = interface{}\n";
    let uses = "package a\n\nfunc run(x any) any {\n\treturn x\n}\n";
    let fixture = committed_files(&[("go.mod", "module a\n"), ("any.go", any), ("run.go", uses)]);
    assert_eq!(gone(&fixture, &[("any.go", None)]), [""; 0]);
}

#[test]
fn a_method_of_a_value_is_not_the_function_that_went() {
    let lib = "mod list;\n\npub static FLAGS: &[u8] = &[1];\n";
    let list = "use crate::FLAGS;\n\npub fn iter() -> usize {\n    1\n}\n\npub fn all() -> usize {\n    FLAGS.iter().count()\n}\n";
    let files = [("Cargo.toml", "[package]\nname = \"a\"\n"), ("src/lib.rs", lib), ("src/list.rs", list)];
    let fixture = committed_files(&files);
    let without = list.replace("pub fn iter() -> usize {\n    1\n}\n\n", "");
    assert_eq!(gone(&fixture, &[("src/list.rs", Some(&without))]), [""; 0]);
}

#[test]
fn nobody_who_came_after_a_range_reviews_it() {
    let first = [("lib.py", "def load(x):\n    return x\n")];
    let second = [("lib.py", "def load(x):\n    return x + 1\n")];
    let third = [("lib.py", "def load(x):\n    return x + 2\n")];
    let fixture = committed_files(&first);
    commit(fixture.root(), Says("Ann", ANN.1 + 10, "second"), &second);
    commit(fixture.root(), Says("Zoe", ANN.1 + 20, "third"), &third);
    fs::write(fixture.root().join("lib.py"), third[0].1).unwrap();
    let found = review(&fixture, json!({"diff": "HEAD~2..HEAD~1"}));
    assert!(!found["reviewers"].to_string().contains("Zoe"), "{found}");
}

#[test]
fn what_a_template_says_is_no_use() {
    let lib = "package a\n\nfunc initConfig() int {\n\treturn 1\n}\n";
    let uses = "package a\n\nvar text = `\nfunc init() {\n\tinitConfig()\n}\n`\n";
    let fixture = committed_files(&[("go.mod", "module a\n"), ("lib.go", lib), ("use.go", uses)]);
    assert_eq!(gone(&fixture, &[("lib.go", Some("package a\n"))]), [""; 0]);
    let real = "package a\n\nvar value = initConfig()\n";
    let fixture = committed_files(&[("go.mod", "module a\n"), ("lib.go", lib), ("use.go", real)]);
    assert_eq!(
        gone(&fixture, &[("lib.go", Some("package a\n"))]),
        ["high removed_but_used lib.go:2 use.go:3"]
    );
}

#[test]
fn a_statement_that_says_less_than_it_did_uses_less() {
    let lib = "from base import One, Two\n\n__all__ = ['One', 'Two']\n";
    let app = "from lib import (\n    One,\n    Two,\n)\n\n\ndef run(\n    a: Two,\n):\n    return One\n";
    let files =
        [("base.py", "class One:\n    pass\n\n\nclass Two:\n    pass\n"), ("lib.py", lib), ("app.py", app)];
    let fixture = committed_files(&files);
    let less = lib.replace("One, Two", "One").replace("['One', 'Two']", "['One']");
    let used_less = app.replace("    Two,\n", "").replace("a: Two", "a: int");
    assert_eq!(gone(&fixture, &[("lib.py", Some(&less)), ("app.py", Some(&used_less))]), [""; 0]);
    assert_eq!(gone(&fixture, &[("lib.py", Some(&less)), ("app.py", Some(app))]).len(), 1);
    // The file that it came from may be gone, too.
    let fixture = committed_files(&[
        files[0],
        ("app.py", "from base import One\n\n\ndef run(\n    a: One,\n):\n    return 1\n"),
    ]);
    let without = "\n\n\ndef run(\n    a: int,\n):\n    return 1\n";
    assert_eq!(gone(&fixture, &[("base.py", None), ("app.py", Some(without))]), [""; 0]);
}

#[test]
fn a_module_on_the_way_to_a_name_is_not_what_went() {
    let files = [
        ("tool.py", "def main():\n    return 1\n"),
        ("app.py", "from uvicorn.main import Server\n\nserver = Server()\n"),
    ];
    let fixture = committed_files(&files);
    assert_eq!(gone(&fixture, &[("tool.py", Some("x = 1\n"))]), [""; 0]);
}

#[test]
fn a_file_that_nobody_compiles_misses_nothing() {
    let lib = "mod util;\nmod used;\n";
    let uses = "use crate::util;\n\npub fn run() -> u8 {\n    util::one()\n}\n";
    let files = [
        ("Cargo.toml", "[package]\nname = \"a\"\n"),
        ("src/lib.rs", lib),
        ("src/util.rs", "pub fn one() -> u8 {\n    1\n}\n"),
        ("src/used.rs", uses),
        ("src/old.rs", uses),
    ];
    let fixture = committed_files(&files);
    let without = lib.replace("mod util;\n", "");
    let found = gone(&fixture, &[("src/util.rs", None), ("src/lib.rs", Some(&without))]);
    assert_eq!(found, ["critical removed_but_used src/util.rs:1 src/used.rs:1"]);
}

#[test]
fn an_overload_that_went_is_missed_by_the_calls_that_fitted_it_alone() {
    let lib = "package p;\n\npublic class A {\n  public int over(int a) {\n    return a;\n  }\n\n  public int over(int a, int b) {\n    return a + b;\n  }\n}\n";
    let uses = "package p;\n\npublic class B {\n  int one() {\n    return new A().over(1);\n  }\n\n  int two() {\n    return new A().over(1, 2);\n  }\n}\n";
    let fixture = committed_files(&[("p/A.java", lib), ("p/B.java", uses)]);
    let without = lib.replace("\n  public int over(int a, int b) {\n    return a + b;\n  }\n", "");
    assert_eq!(
        gone(&fixture, &[("p/A.java", Some(&without))]),
        ["high removed_but_used p/A.java:7 p/B.java:9"]
    );
}

#[test]
fn a_method_that_is_called_on_something_else_now_is_not_what_went() {
    let app = "from base import Base\n\n\nclass App:\n    def __init__(self, base: Base):\n        self.base = base\n\n    def end(self):\n        self.base.close()\n";
    let files = [("base.py", "class Base:\n    def close(self):\n        pass\n"), ("app.py", app)];
    let fixture = committed_files(&files);
    let other =
        app.replace("from base import Base", "from core import Core").replace("base: Base", "base: Core");
    assert_eq!(gone(&fixture, &[("base.py", None), ("app.py", Some(&other))]), [""; 0]);
}

#[test]
fn a_field_of_a_struct_of_go_that_went_is_missed_where_it_is_read_and_written_out() {
    let conf = "package a\n\ntype Conf struct {\n\tName string\n\tSize int\n}\n\nfunc (c *Conf) Len() int {\n\treturn c.Size\n}\n";
    let uses = "package a\n\nfunc Use(c *Conf, other string) int {\n\td := Conf{Name: \"x\", Size: 2}\n\treturn c.Size + len(d.Name)\n}\n\nfunc Not(c *Conf) int {\n\tc, n := find()\n\treturn c.Size + n\n}\n\ntype found struct{ Size int }\n\nfunc find() (found, int) {\n\treturn found{Size: 1}, 2\n}\n";
    let fixture = committed_files(&[("go.mod", "module a\n"), ("conf.go", conf), ("use.go", uses)]);
    let renamed = conf.replace("\tSize int", "\tWide int");
    assert_eq!(
        gone(&fixture, &[("conf.go", Some(&renamed))]),
        ["high removed_but_used conf.go:3 conf.go:9 use.go:4 use.go:5"]
    );
    // What is embedded may have it.
    let embedded = conf.replace("\tSize int", "\tfound");
    assert_eq!(gone(&fixture, &[("conf.go", Some(&embedded))]), Vec::<String>::new());
}

#[test]
fn a_field_that_a_class_is_made_from_is_missed_by_who_gives_or_reads_it() {
    let shapes = "from dataclasses import dataclass\nfrom typing import NamedTuple\n\n\n@dataclass\nclass Point:\n    across: int\n    height: int = 0\n\n\nclass Pair(NamedTuple):\n    left: int\n    right: int\n\n\nclass Open:\n    height: int = 0\n\n    def __getattr__(self, name):\n        return 1\n\n    def own(self):\n        return self.height\n";
    let uses = "from shapes import Open, Pair, Point\n\n\ndef use(point: Point, pair: Pair, other: Open):\n    made = Point(across=1, height=2)\n    return point.height + pair.right + other.height\n\n\ndef give():\n    return Pair(\n        left=1,\n        right=2,\n    )\n\n\ndef ask(point: Point):\n    return point.height if hasattr(point, \"height\") else 1\n";
    let fixture = committed_files(&[("shapes.py", shapes), ("uses.py", uses)]);
    let renamed = shapes.replace("    height: int = 0\n", "    upward: int = 0\n");
    let renamed = renamed.replace("    right: int", "    other: int");
    assert_eq!(
        gone(&fixture, &[("shapes.py", Some(&renamed))]),
        [
            "high removed_but_used shapes.py:11 uses.py:6 uses.py:12",
            "high removed_but_used shapes.py:5 uses.py:5 uses.py:6"
        ]
    );
}

#[test]
fn a_function_for_another_platform_stands_in_for_the_one_that_went() {
    let linux = "package a\n\nfunc open() int {\n\treturn 1\n}\n\nfunc other() int {\n\treturn 1\n}\n";
    let windows = "package a\n\nfunc open() int {\n\treturn 2\n}\n";
    let uses = "package a\n\nfunc Use() int {\n\treturn open()\n}\n";
    let fixture = committed_files(&[
        ("go.mod", "module a\n"),
        ("open_linux.go", linux),
        ("open_windows.go", windows),
        ("use.go", uses),
    ]);
    let without = linux.replace("func open() int {\n\treturn 1\n}\n\n", "");
    assert_eq!(gone(&fixture, &[("open_linux.go", Some(&without))]), Vec::<String>::new());
}

#[test]
fn a_class_that_is_entered_and_cannot_be_any_more_is_told() {
    let lib = "class Base:\n    def __exit__(self, *rest):\n        return None\n\n\nclass Client(Base):\n    def __enter__(self):\n        return self\n\n    def stream(self):\n        return self\n";
    let app = "from lib import Client\n\n\ndef run():\n    with Client() as client:\n        return client\n\n\ndef other():\n    with Client().stream() as stream:\n        return stream\n";
    let fixture = committed_files(&[("lib.py", lib), ("app.py", app)]);
    let enter = "    def __enter__(self):\n        return self\n\n";
    let found = gone(&fixture, &[("lib.py", Some(&lib.replace(enter, "")))]);
    assert_eq!(found, ["high removed_but_used lib.py:6 app.py:5"]);
    // Its base has one now.
    let moved = lib.replace(enter, "").replace("class Base:\n", &format!("class Base:\n{enter}"));
    assert_eq!(gone(&fixture, &[("lib.py", Some(&moved))]), [""; 0]);
}

#[test]
fn a_method_that_went_is_missed_whatever_another_type_of_its_file_calls_its_own() {
    let lib = "export class One {\n  depth() {\n    return 1\n  }\n}\n\nexport class Two {\n  depth() {\n    return 2\n  }\n}\n";
    let app = "import { One, Two } from './lib'\n\nexport function go(one: One, two: Two) {\n  one.depth()\n  return two.depth()\n}\n";
    let fixture = committed_files(&[("lib.ts", lib), ("app.ts", app)]);
    let renamed = lib.replace("depth() {\n    return 2", "deep() {\n    return 2");
    assert_eq!(gone(&fixture, &[("lib.ts", Some(&renamed))]), ["high removed_but_used lib.ts:8 app.ts:5"]);
    let lib = "pub struct One;\nimpl One {\n    pub fn depth(&self) -> u8 {\n        1\n    }\n}\npub struct Two(One);\nimpl Two {\n    pub fn depth(&self) -> u8 {\n        self.0.depth()\n    }\n}\n";
    let app = "use crate::walk::Two;\npub fn go(two: &Two) -> u8 {\n    two.depth()\n}\n";
    let files = [
        ("Cargo.toml", "[package]\nname = \"a\"\n"),
        ("src/lib.rs", "mod walk;\nmod app;\n"),
        ("src/walk.rs", lib),
        ("src/app.rs", app),
    ];
    let fixture = committed_files(&files);
    let renamed = lib.replace("impl Two {\n    pub fn depth", "impl Two {\n    pub fn deep");
    assert_eq!(
        gone(&fixture, &[("src/walk.rs", Some(&renamed))]),
        ["high removed_but_used src/walk.rs:9 src/app.rs:3"]
    );
}

#[test]
fn a_method_that_its_own_class_still_calls_is_missed_for_certain() {
    let lib = "class One:\n    def go(self):\n        return self._step(1)\n\n    def _step(self, by):\n        return by\n";
    let renamed = lib.replace("def _step", "def _stride");
    let fixture = committed_files(&[("lib.py", lib)]);
    assert_eq!(gone(&fixture, &[("lib.py", Some(&renamed))]), ["high removed_but_used lib.py:5 lib.py:3"]);
    // A class below may be what it is called on.
    let below = "from lib import One\n\n\nclass Two(One):\n    def _step(self, by):\n        return by\n";
    let fixture = committed_files(&[("lib.py", lib), ("below.py", below)]);
    let found = gone(&fixture, &[("lib.py", Some(&renamed))]);
    assert!(!found.iter().any(|one| one.starts_with("high")), "{found:?}");
    let lib = "package a\n\ntype One struct{}\n\nfunc (o *One) Go() int {\n\treturn o.step(1)\n}\n\nfunc (o *One) step(by int) int {\n\treturn by\n}\n";
    let fixture = committed_files(&[("go.mod", "module a\n"), ("a.go", lib)]);
    let renamed = lib.replace(") step(", ") stride(");
    assert_eq!(gone(&fixture, &[("a.go", Some(&renamed))]), ["high removed_but_used a.go:9 a.go:6"]);
}

#[test]
fn what_became_private_is_missed_where_others_use_it() {
    let lib = "package p;\npublic class Lib {\n    public static final int MAX = 3;\n    public int depth() {\n        return MAX;\n    }\n    int go() {\n        return depth();\n    }\n}\n";
    let app = "package p;\nclass App {\n    int run(Lib lib) {\n        return lib.depth();\n    }\n}\n";
    let fixture = committed_files(&[("p/Lib.java", lib), ("p/App.java", app)]);
    let shut = lib.replace("public int depth", "private int depth");
    assert_eq!(
        gone(&fixture, &[("p/Lib.java", Some(&shut))]),
        ["high removed_but_used p/Lib.java:4 p/App.java:4"]
    );
    let lib = "export class Lib {\n  size() {\n    return 1\n  }\n}\n";
    let app = "import { Lib } from './lib'\n\nexport function run(lib: Lib) {\n  return lib.size()\n}\n";
    let fixture = committed_files(&[("lib.ts", lib), ("app.ts", app)]);
    let shut = lib.replace("  size()", "  private size()");
    assert_eq!(gone(&fixture, &[("lib.ts", Some(&shut))]), ["high removed_but_used lib.ts:2 app.ts:4"]);
    let lib = "pub fn depth() -> u8 {\n    1\n}\n\npub mod below {\n    pub fn go() -> u8 {\n        super::depth()\n    }\n}\n";
    let app = "pub fn run() -> u8 {\n    crate::walk::depth()\n}\n";
    let files = [
        ("Cargo.toml", "[package]\nname = \"a\"\n"),
        ("src/lib.rs", "mod walk;\nmod app;\n"),
        ("src/walk.rs", lib),
        ("src/app.rs", app),
    ];
    let fixture = committed_files(&files);
    let shut = lib.replacen("pub fn depth", "fn depth", 1);
    assert_eq!(
        gone(&fixture, &[("src/walk.rs", Some(&shut))]),
        ["high removed_but_used src/walk.rs:1 src/app.rs:2"]
    );
    // What the others used went from them, too.
    let moved =
        [("src/walk.rs", Some(shut.as_str())), ("src/app.rs", Some("pub fn run() -> u8 {\n    1\n}\n"))];
    assert_eq!(gone(&fixture, &moved), [""; 0]);
}
