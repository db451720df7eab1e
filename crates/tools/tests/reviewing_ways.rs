//! Names that reach their users by ways that are easily overlooked, and limits that must not turn into silence.

#![allow(clippy::unwrap_used)]

#[path = "common/reviewed.rs"]
mod reviewed;

use std::fs;

use serde_json::json;

use reviewed::{committed_files, review, shown};

/// What is told of a change besides what no test reaches.
fn told(files: &[(&str, &str)], written: &[(&str, &str)]) -> Vec<String> {
    let fixture = committed_files(files);
    for (path, text) in written {
        fs::write(fixture.root().join(path), text).unwrap();
    }
    let body = review(&fixture, json!({"base": "HEAD"}));
    shown(&body).into_iter().filter(|one| !one.contains(" untested ")).collect()
}

fn check(files: &[(&str, &str)], written: (&str, &str), expected: &[&str]) {
    assert_eq!(told(files, &[written]), expected, "{}\n{}", written.0, written.1);
}

const NONE: [&str; 0] = [];

#[test]
fn however_many_lines_use_what_went_it_is_told() {
    for count in [50, 51, 120] {
        let uses = "  if (k === Kind.ALPHA) return 1\n".repeat(count);
        let users = format!("import {{ Kind }} from './k'\nexport function f(k: Kind) {{\n{uses}}}\n");
        let files = [("k.ts", "export enum Kind {\n  ALPHA,\n  BETA,\n}\n"), ("use.ts", users.as_str())];
        let found = told(&files, &[("k.ts", "export enum Kind {\n  BETA,\n}\n")]);
        let [only] = &found[..] else { panic!("{count}: {found:?}") };
        assert!(only.starts_with("high removed_but_used k.ts:1 use.ts:3 "), "{only}");
    }
    // More lines of a patch than are certain: the name alone is no proof, and no reason to be silent.
    let users = format!("from lib import *\n\n\ndef f(x):\n{}", "    x.y = greeting(1)\n".repeat(60));
    let files = [("lib.py", "def greeting(a):\n    return a\n"), ("use.py", users.as_str())];
    let found = told(&files, &[("lib.py", "def salute(a):\n    return a\n")]);
    assert!(found.iter().any(|one| one.contains("removed_but_used lib.py:1 use.py:5")), "{found:?}");
}

#[test]
fn a_function_that_went_is_missed_where_a_constant_is_another_name_for_it() {
    check(
        &[("lib.py", "def helper(a):\n    return a\n\n\nHOOK = helper\n")],
        ("lib.py", "def helper2(a):\n    return a\n\n\nHOOK = helper\n"),
        &["high removed_but_used lib.py:1 lib.py:5"],
    );
    check(
        &[("lib.ts", "function helper(a: number) {\n  return a\n}\nexport const HOOK = helper\n")],
        ("lib.ts", "function helper2(a: number) {\n  return a\n}\nexport const HOOK = helper\n"),
        &["high removed_but_used lib.ts:1 lib.ts:4"],
    );
    check(
        &[("go.mod", "module m\n"), ("lib.go", "package p\n\nfunc helper(a int) {}\n\nvar Hook = helper\n")],
        ("lib.go", "package p\n\nfunc helper2(a int) {}\n\nvar Hook = helper\n"),
        &["high removed_but_used lib.go:3 lib.go:5"],
    );
    let manifest = ("Cargo.toml", "[package]\nname = \"r\"\n");
    check(
        &[manifest, ("src/lib.rs", "fn helper(a: u32) {}\npub static HOOK: fn(u32) = helper;\n")],
        ("src/lib.rs", "fn helper2(a: u32) {}\npub static HOOK: fn(u32) = helper;\n"),
        &["high removed_but_used src/lib.rs:1 src/lib.rs:2"],
    );
    let class = |name: &str| {
        format!(
            "class D {{\n  static int {name}(int a) {{ return a; }}\n  static final F HOOK = D::helper;\n}}\n"
        )
    };
    check(
        &[("D.java", class("helper").as_str())],
        ("D.java", class("helper2").as_str()),
        &["medium removed_but_used D.java:2 D.java:3"],
    );
}

const MODELS: &str = "class Request:\n    pass\n\n\nclass Response:\n    pass\n";
const LISTED: &str =
    "__all__ = [\"Request\", \"Response\"]\n\n\nclass Request:\n    pass\n\n\nclass Response:\n    pass\n";
const TEST: &str = "import pk\n\n\ndef test_a():\n    pk.Request()\n    pk.Response()\n";

#[test]
fn what_a_module_lists_is_all_that_comes_with_it() {
    let other = "from ._models import Request, Response\n__all__ = [\"E\"]\n\n\nclass E:\n    both = [Request, Response]\n";
    let init = ("pk/__init__.py", "from ._models import *\nfrom ._other import *\n");
    let files = [("pk/_models.py", MODELS), ("pk/_other.py", other), init, ("tests/test_a.py", TEST)];
    check(
        &files,
        ("pk/__init__.py", "from ._other import *\n"),
        &[
            "high broken_import pk/__init__.py:1 tests/test_a.py:5",
            "high broken_import pk/__init__.py:1 tests/test_a.py:6",
        ],
    );
    let files = [("pk/_models.py", LISTED), ("pk/_other.py", other), init, ("tests/test_a.py", TEST)];
    let shorter = LISTED.replace("\"Request\", ", "");
    check(&files, ("pk/_models.py", &shorter), &["high broken_import pk/_models.py:1 tests/test_a.py:5"]);
    let reordered = LISTED.replace("\"Request\", \"Response\"", "\"Response\", \"Request\"");
    check(&files, ("pk/_models.py", &reordered), &NONE);
}

#[test]
fn a_file_that_says_another_package_leaves_who_asks_for_the_old_one() {
    let prim = |package: &str| {
        format!("package {package};\npublic class Prim {{ public static int of() {{ return 1; }} }}\n")
    };
    let files = [
        ("src/a/in/Prim.java", prim("a.in")),
        (
            "src/a/in/Other.java",
            "package a.in;\npublic class Other { int x() { return Prim.of(); } }\n".into(),
        ),
        (
            "src/a/Use.java",
            "package a;\nimport a.in.Prim;\nclass Use { int x() { return Prim.of(); } }\n".into(),
        ),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    check(
        &files,
        ("src/a/in/Prim.java", &prim("a.util")),
        &[
            "high broken_import src/a/Use.java:2 src/a/in/Prim.java:1",
            "high broken_import src/a/in/Other.java:2 src/a/in/Prim.java:1",
        ],
    );
    let code = |package: &str| format!("package {package}\n\nfunc Of(a int) int {{\n\treturn a\n}}\n");
    let (was, is) = (code("bc"), code("bd"));
    let plain = "package m\n\nimport (\n\t\"m/bc\"\n)\n\nfunc f() int {\n\treturn bc.Of(1)\n}\n";
    let files = [("go.mod", "module m\n"), ("bc/bc.go", was.as_str()), ("use.go", plain)];
    check(&files, ("bc/bc.go", &is), &["high broken_import use.go:8 bc/bc.go:1"]);
    // A name of its own holds whatever the package is called.
    let named = plain.replace("\"m/bc\"", "bc \"m/bc\"");
    let files = [("go.mod", "module m\n"), ("bc/bc.go", was.as_str()), ("use.go", named.as_str())];
    check(&files, ("bc/bc.go", &is), &NONE);
    let files = [
        ("go.mod", "module m\n"),
        ("bc/bc.go", was.as_str()),
        ("bc/more.go", "package bc\n\nfunc more() int {\n\treturn Of(1)\n}\n"),
    ];
    check(&files, ("bc/bc.go", &is), &["high broken_import bc/more.go:1 bc/bc.go:1"]);
}

#[test]
fn names_are_handed_on_in_lists_of_lists_too() {
    let files = [
        ("Cargo.toml", "[workspace]\nmembers = [\"a\", \"b\"]\n"),
        ("a/Cargo.toml", "[package]\nname = \"a\"\n"),
        ("b/Cargo.toml", "[package]\nname = \"b\"\n[dependencies]\na = { path = \"../a\" }\n"),
        (
            "a/src/lib.rs",
            "mod error;\nmod matcher;\npub use crate::error::Error;\npub use crate::matcher::{Cap, Mat};\n",
        ),
        ("a/src/error.rs", "pub struct Error;\n"),
        ("a/src/matcher.rs", "pub struct Cap;\npub struct Mat;\n"),
        ("b/src/lib.rs", "use a::{Cap, Error, Mat};\npub fn f(_: Cap, _: Mat, _: Error) {}\n"),
    ];
    let nested =
        "mod error;\nmod matcher;\npub use crate::{\n    error::{Error},\n    matcher::{Cap, Mat},\n};\n";
    check(&files, ("a/src/lib.rs", nested), &NONE);
    let less = nested.replace(", Mat", "").replace("pub use", "use crate::matcher::Mat;\npub use");
    check(&files, ("a/src/lib.rs", &less), &["high broken_import b/src/lib.rs:1 a/src/lib.rs:1"]);
}

#[test]
fn a_package_of_go_without_its_second_name_is_called_as_it_calls_itself() {
    for (path, name) in [
        ("gopkg.in/go-playground/validator.v8", "validator"),
        ("github.com/mattn/go-isatty", "isatty"),
        ("gopkg.in/yaml.v3", "yaml"),
        ("github.com/go-redis/redis/v8", "redis"),
        ("github.com/segmentio/kafka-go", "kafka"),
    ] {
        let code = |named: &str| {
            format!(
                "package m\n\nimport (\n\t\"os\"\n\t{named}\n)\n\nfunc f() {{\n\t{name}.Do(os.Args)\n}}\n"
            )
        };
        let files = [("go.mod", "module m\n".to_owned()), ("u.go", code(&format!("{name} \"{path}\"")))];
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
        check(&files, ("u.go", &code(&format!("\"{path}\""))), &NONE);
        check(&files, ("u.go", &code("")), &["high broken_import u.go:9"]);
    }
}

#[test]
fn what_is_taken_by_default_has_no_name_that_could_go() {
    let files = [
        ("m.ts", "export default function main() {\n  return 1\n}\n"),
        ("u.ts", "import main from './m'\nexport const x = () => main()\n"),
    ];
    check(&files, ("m.ts", "function mm() {\n  return 1\n}\nexport { mm as default }\n"), &NONE);
    let found = told(&files, &[("m.ts", "export function mm() {\n  return 1\n}\n")]);
    assert!(found.iter().any(|one| one.starts_with("high ")), "{found:?}");
}

#[test]
fn what_a_type_had_from_a_base_that_it_lost_is_missed() {
    let base =
        "class Base:\n    def helper(self):\n        return 1\n\n    def other(self):\n        return 2\n";
    let child =
        "from b import Base\n\n\nclass Child(Base):\n    def run(self):\n        return self.helper()\n";
    let files = [("b.py", base), ("c.py", child)];
    let without = child.replace("(Base)", "");
    check(&files, ("c.py", &without), &["high removed_but_used c.py:4 c.py:6"]);
    // Who has it itself, or from another, misses nothing.
    let own = format!("{without}\n    def helper(self):\n        return 3\n");
    check(&files, ("c.py", &own), &NONE);
    let foreign = child.replace("(Base)", "(lib.Thing)").replace("from b import Base", "import lib");
    check(&files, ("c.py", &foreign), &NONE);
    let java = [
        ("Base.java", "class Base {\n  int helper() { return 1; }\n}\n"),
        ("Child.java", "class Child extends Base {\n  int run() { return helper(); }\n}\n"),
    ];
    let without = java[1].1.replace(" extends Base", "");
    check(&java, ("Child.java", &without), &["high removed_but_used Child.java:1 Child.java:2"]);
}

#[test]
fn a_module_beside_a_file_that_is_in_no_package_is_looked_into() {
    let files = [
        ("lib.py", "def gamma():\n    return 1\n"),
        ("use.py", "from lib import gamma\n\n\ndef f():\n    return gamma()\n"),
    ];
    let more = files[1].1.replace("gamma\n\n\n", "gamma, nothere\n\n\n");
    check(&files, ("use.py", &more), &["high broken_import use.py:1 lib.py:1"]);
    // Every Python has one of these, and a build may name the other.
    let files = [("types.py", "x = 1\n"), ("use.py", "def f():\n    return 1\n")];
    check(
        &files,
        ("use.py", "from types import SimpleNamespace\n\n\ndef f():\n    return SimpleNamespace()\n"),
        &NONE,
    );
}

#[test]
fn another_result_counts_in_java_as_elsewhere() {
    let files = [
        ("P.java", "class P {\n  static boolean isP() { return true; }\n}\n"),
        ("U.java", "class U { void f() { if (P.isP()) {} } }\n"),
    ];
    check(
        &files,
        ("P.java", "class P {\n  static void isP() { }\n}\n"),
        &["medium signature_change P.java:2 U.java:1"],
    );
}

#[test]
fn names_of_types_and_constants_that_are_written_as_anything_else_are_used() {
    let files = [
        ("pk/__init__.py", ""),
        (
            "pk/types.py",
            "from typing import Optional, Union\n\nHeaders = Union[str, bytes]\nKeys = Optional[str]\n",
        ),
        ("pk/use.py", "from .types import Headers, Keys\n\n\ndef f(x: Headers) -> Keys:\n    return x\n"),
    ];
    let renamed = files[1].1.replace("Headers", "Heads");
    let found = told(&files, &[("pk/types.py", &renamed)]);
    assert!(found.iter().any(|one| one.starts_with("high ") && one.contains("pk/use.py:1")), "{found:?}");
    let files = [
        ("general.ts", "export const isArray: typeof Array.isArray = Array.isArray\nexport const one = 1\n"),
        ("index.ts", "export * from './general'\n"),
        ("use.ts", "import { isArray } from './index'\nexport const f = (x: unknown) => isArray(x)\n"),
    ];
    let renamed = files[0].1.replace("const isArray", "const isList");
    let found = told(&files, &[("general.ts", &renamed)]);
    assert!(found.iter().any(|one| one.starts_with("high ") && one.contains("use.ts:1")), "{found:?}");
}

#[test]
fn a_member_with_the_name_of_an_operator_may_be_right() {
    let files = [("a.ts", "export interface A {\n  x?: number\n}\n")];
    let more =
        "export interface A {\n  other?: Some | undefined\n  in?: string | undefined\n  x?: number\n}\n";
    check(&files, ("a.ts", more), &["medium syntax_error a.ts:3"]);
    check(&files, ("a.ts", "export interface A {\n  x?: (number\n}\n"), &["high syntax_error a.ts:2"]);
}
