//! Methods that a type has to have, and methods above and below each other that have to fit.

#![allow(clippy::unwrap_used)]

#[path = "common/reviewed.rs"]
mod reviewed;

use std::fs;

use m1nd_testkit::Fixture;
use serde_json::json;

use reviewed::{committed_files, review, shown};

/// What a review says of what went and of signatures, after one file was written.
fn told(fixture: &Fixture, path: &str, text: &str) -> Vec<String> {
    let was = fs::read_to_string(fixture.root().join(path)).unwrap();
    assert_ne!(was, text, "{path} is as it was");
    fs::write(fixture.root().join(path), text).unwrap();
    let found = shown(&review(fixture, json!({"base": "HEAD"})));
    fs::write(fixture.root().join(path), was).unwrap();
    let kinds = ["removed_but_used", "signature_change"];
    found.into_iter().filter(|one| kinds.iter().any(|kind| one.contains(kind))).collect()
}

const TRAIT: &str = "pub trait Run {\n    fn name(&self) -> u8;\n    fn must(&self, a: u32) -> u32;\n    fn may(&self) -> u32 {\n        1\n    }\n}\n\npub struct S;\n\nimpl Run for S {\n    fn name(&self) -> u8 {\n        1\n    }\n    fn must(&self, a: u32) -> u32 {\n        a\n    }\n    fn may(&self) -> u32 {\n        2\n    }\n}\n";

#[test]
fn a_method_that_a_trait_demands_is_missed() {
    let fixture = committed_files(&[("Cargo.toml", "[package]\nname = \"a\"\n"), ("src/lib.rs", TRAIT)]);
    let without = TRAIT.replace("    fn must(&self, a: u32) -> u32 {\n        a\n    }\n", "");
    assert_eq!(
        told(&fixture, "src/lib.rs", &without),
        ["high removed_but_used src/lib.rs:15 src/lib.rs:3 src/lib.rs:9"]
    );
    // What the trait gives itself nobody has to write.
    let without = TRAIT.replace("    fn may(&self) -> u32 {\n        2\n    }\n", "");
    assert_eq!(told(&fixture, "src/lib.rs", &without), [""; 0]);
    let more = TRAIT.replace("-> u8;\n", "-> u8;\n    fn more(&self);\n");
    assert_eq!(told(&fixture, "src/lib.rs", &more), ["high signature_change src/lib.rs:3 src/lib.rs:10"]);
    let given = TRAIT.replace("-> u8;\n", "-> u8;\n    fn more(&self) {}\n");
    assert_eq!(told(&fixture, "src/lib.rs", &given), [""; 0]);
    let both = TRAIT.replace("must(&self, a: u32)", "must(&self, a: u32, b: u32)");
    assert_eq!(told(&fixture, "src/lib.rs", &both), [""; 0]);
    let one = TRAIT.replacen("must(&self, a: u32)", "must(&self, a: u32, b: u32)", 1);
    assert_eq!(told(&fixture, "src/lib.rs", &one), ["high signature_change src/lib.rs:3 src/lib.rs:15"]);
}

#[test]
fn a_method_that_an_interface_of_java_demands_is_missed() {
    let run = "package p;\n\npublic interface Run {\n  int run(int a);\n\n  default int may() {\n    return 1;\n  }\n}\n";
    let one = "package p;\n\npublic class One implements Run {\n  @Override\n  public int run(int a) {\n    return a;\n  }\n\n  @Override\n  public int may() {\n    return 2;\n  }\n}\n";
    let files = [("p/Run.java", run), ("p/One.java", one)];
    let fixture = committed_files(&files);
    let without = one.replace("  @Override\n  public int run(int a) {\n    return a;\n  }\n\n", "");
    assert_eq!(
        told(&fixture, "p/One.java", &without),
        ["high removed_but_used p/One.java:4 p/Run.java:4 p/One.java:3"]
    );
    let without = one.replace("\n  @Override\n  public int may() {\n    return 2;\n  }\n", "");
    assert_eq!(told(&fixture, "p/One.java", &without), [""; 0]);
    // A class that nobody makes may leave it to others.
    let open = one
        .replace("public class", "public abstract class")
        .replace("  @Override\n  public int run(int a) {\n    return a;\n  }\n\n", "");
    assert_eq!(told(&fixture, "p/One.java", &open), [""; 0]);
    let wider = run.replace("int run(int a)", "int run(int a, int b)");
    assert_eq!(told(&fixture, "p/Run.java", &wider), ["high signature_change p/Run.java:4 p/One.java:4"]);
    let wider = one.replace("int run(int a)", "int run(int a, int b)");
    assert_eq!(told(&fixture, "p/One.java", &wider), ["high signature_change p/One.java:4 p/Run.java:4"]);
}

#[test]
fn a_method_that_an_interface_of_go_demands_is_missed_where_a_value_is_one() {
    let lib = "package a\n\ntype Binding interface {\n\tName() string\n\tBind(x int) error\n}\n\ntype form struct{}\n\nfunc (form) Name() string {\n\treturn \"form\"\n}\n\nfunc (form) Bind(x int) error {\n\treturn nil\n}\n\nvar Form Binding = form{}\n";
    let fixture = committed_files(&[("go.mod", "module a\n"), ("a.go", lib)]);
    let without = lib.replace("func (form) Name() string {\n\treturn \"form\"\n}\n\n", "");
    assert_eq!(told(&fixture, "a.go", &without), ["high removed_but_used a.go:10 a.go:14"]);
    let alone = lib.replace("\nvar Form Binding = form{}\n", "");
    let fixture = committed_files(&[("go.mod", "module a\n"), ("a.go", &alone)]);
    let without = alone.replace("func (form) Name() string {\n\treturn \"form\"\n}\n\n", "");
    assert_eq!(told(&fixture, "a.go", &without), [""; 0]);
}

#[test]
fn a_method_of_go_is_missed_where_a_function_gives_the_type_as_a_contract() {
    let lib = "package a\n\ntype Store interface {\n\tGet(key string) string\n\tPut(key, value string)\n}\n\ntype Mem struct{ m map[string]string }\n\nfunc (m *Mem) Get(key string) string { return m.m[key] }\n\nfunc (m *Mem) Put(key, value string) { m.m[key] = value }\n";
    let open = "package a\n\nfunc Open() (Store, error) {\n\treturn &Mem{}, nil\n}\n";
    let cut = lib.replace("func (m *Mem) Put(key, value string) { m.m[key] = value }\n", "");
    let of = |open: &str| {
        let files = [("go.mod", "module a\n"), ("lib.go", lib), ("open.go", open)];
        told(&committed_files(&files), "lib.go", &cut)
    };
    assert_eq!(of(open), ["high removed_but_used lib.go:12 open.go:4"]);
    for other in [
        open.replace("(Store, error)", "(*Mem, error)"),
        open.replace("(Store, error)", "(b.Store, error)"),
        open.replace(
            "\treturn &Mem{}, nil\n",
            "\tuse(func() *Mem {\n\t\treturn &Mem{}\n\t})\n\treturn nil, nil\n",
        ),
    ] {
        assert_eq!(of(&other), [""; 0], "{other}");
    }
}

#[test]
fn an_override_that_no_longer_fits_is_told() {
    let lib = "class Base:\n    def run(self, a):\n        raise NotImplementedError\n\n    def _own(self):\n        return 1\n\n\nclass Child(Base):\n    def run(self, a):\n        return a\n\n    def _own(self):\n        return 2\n";
    let fixture = committed_files(&[("lib.py", lib)]);
    let child = lib.replace("def run(self, a):\n        return", "def run(self, a, b):\n        return");
    assert_eq!(told(&fixture, "lib.py", &child), ["medium signature_change lib.py:10 lib.py:2"]);
    let base = lib.replace("def run(self, a):\n        raise", "def run(self, a, b):\n        raise");
    assert_eq!(told(&fixture, "lib.py", &base), ["medium signature_change lib.py:2 lib.py:10"]);
    let more = lib.replace("def run(self, a):\n        return", "def run(self, a, b=1):\n        return");
    assert_eq!(told(&fixture, "lib.py", &more), [""; 0]);
}

#[test]
fn a_call_that_the_change_writes_has_to_fit() {
    let lib = "import functools\n\n\ndef put(url, size):\n    return url\n\n\n@wrapped\ndef kept(url):\n    return url\n\n\n@functools.lru_cache(maxsize=None)\ndef held(url):\n    return url\n\n\nclass Box:\n    def __init__(self, size):\n        self.size = size\n";
    let app = "from lib import Box, held, kept, put\n\n\ndef run():\n    return put('a', 1)\n";
    let fixture = committed_files(&[("lib.py", lib), ("app.py", app)]);
    let of = |call: &str| told(&fixture, "app.py", &app.replace("put('a', 1)", call));
    assert_eq!(of("put('a')"), ["high signature_change app.py:5 lib.py:4"]);
    assert_eq!(of("Box()"), ["high signature_change app.py:5 lib.py:19"]);
    assert_eq!(of("held()"), ["high signature_change app.py:5 lib.py:13"]);
    assert_eq!(of("put('b', 2), put('c')"), ["high signature_change app.py:5 lib.py:4"]);
    for fits in ["put('b', size=2)", "put(*all)", "kept(1, 2)", "Box(2)", "put('b', 2), of.put('c')"] {
        assert_eq!(of(fits), [""; 0], "{fits}");
    }
    let go =
        "package a\n\nfunc Put(a, b int) int {\n\treturn a\n}\n\nfunc run() int {\n\treturn Put(1, 2)\n}\n";
    let fixture = committed_files(&[("go.mod", "module a\n"), ("a.go", go)]);
    let of = |call: &str| told(&fixture, "a.go", &go.replace("Put(1, 2)", call));
    assert_eq!(of("Put(1)"), ["high signature_change a.go:8 a.go:3"]);
    assert_eq!(of("Put(two())"), [""; 0]);
}

#[test]
fn a_module_that_nothing_names_any_more_is_missed() {
    let lib = "mod a;\nmod b;\n";
    let a = "pub fn one() -> u8 {\n    1\n}\n";
    let b = "use crate::a::one;\n\npub fn two() -> u8 {\n    one()\n}\n";
    let files =
        [("Cargo.toml", "[package]\nname = \"a\"\n"), ("src/lib.rs", lib), ("src/a.rs", a), ("src/b.rs", b)];
    let fixture = committed_files(&files);
    let found = |text: &str| {
        fs::write(fixture.root().join("src/lib.rs"), text).unwrap();
        let found = shown(&review(&fixture, json!({"base": "HEAD"})));
        found.into_iter().filter(|one| one.contains("broken_import")).collect::<Vec<_>>()
    };
    assert_eq!(found("mod b;\n"), ["high broken_import src/lib.rs:1 src/b.rs:1 src/b.rs:4"]);
    assert_eq!(found("mod b;\npub mod a;\n"), [""; 0]);
}

#[test]
fn an_import_of_typescript_that_leads_to_nothing_is_told() {
    let lib = "export function one() {\n  return 1\n}\n";
    let app = "import { one } from './lib'\n\nexport function run() {\n  return one()\n}\n";
    let fixture = committed_files(&[("src/lib.ts", lib), ("src/app.ts", app)]);
    let found = |text: &str| {
        fs::write(fixture.root().join("src/app.ts"), text).unwrap();
        let found = shown(&review(&fixture, json!({"base": "HEAD"})));
        found.into_iter().filter(|one| one.contains("broken_import")).collect::<Vec<_>>()
    };
    assert_eq!(found(&app.replace("one", "two")), ["high broken_import src/app.ts:1 src/lib.ts:1"]);
    assert_eq!(found(&app.replace("{ one }", "{ one as two }").replace("return one", "return two")), [""; 0]);
}

#[test]
fn a_method_that_an_interface_of_typescript_demands_is_missed() {
    let run = "export interface Run {\n  run(a: number): number\n  may?(): void\n}\n";
    let one = "import type { Run } from './run'\n\nexport class One implements Run {\n  run(a: number): number {\n    return a\n  }\n  may() {}\n}\n";
    let fixture = committed_files(&[("src/run.ts", run), ("src/one.ts", one)]);
    let method = "  run(a: number): number {\n    return a\n  }\n";
    assert_eq!(
        told(&fixture, "src/one.ts", &one.replace(method, "")),
        ["high removed_but_used src/one.ts:4 src/run.ts:2 src/one.ts:3"]
    );
    assert_eq!(told(&fixture, "src/one.ts", &one.replace("  may() {}\n", "")), [""; 0]);
    assert_eq!(told(&fixture, "src/one.ts", &one.replace(method, "  run = (a: number) => a\n")), [""; 0]);
    let more = run.replace("  may?", "  more(): void\n  may?");
    assert_eq!(told(&fixture, "src/run.ts", &more), ["high signature_change src/run.ts:3 src/one.ts:3"]);
    assert_eq!(told(&fixture, "src/run.ts", &more.replace("more()", "more?()")), [""; 0]);
    let wider = one.replace("run(a: number)", "run(a: number, b: number)");
    assert_eq!(told(&fixture, "src/one.ts", &wider), ["high signature_change src/one.ts:4 src/run.ts:2"]);
    // Not all of it is demanded, or something else may have it.
    for (what, other) in
        [("implements Run", "implements Partial<Run>"), ("implements Run", "extends Other implements Run")]
    {
        let one = one.replace(what, other);
        let fixture = committed_files(&[("src/run.ts", run), ("src/one.ts", one.as_str())]);
        assert_eq!(told(&fixture, "src/one.ts", &one.replace(method, "")), [""; 0], "{other}");
    }
}

#[test]
fn an_abstract_method_of_python_is_missed_where_one_is_made() {
    let base = "from abc import ABC, abstractmethod\n\n\nclass Base(ABC):\n    @abstractmethod\n    def run(self):\n        pass\n";
    let one = "from base import Base\n\n\nclass One(Base):\n    def run(self):\n        return 1\n\n    def other(self):\n        return 2\n";
    let app = "from one import One\n\n\ndef make():\n    return One()\n";
    let method = "    def run(self):\n        return 1\n\n";
    let fixture = committed_files(&[("base.py", base), ("one.py", one), ("app.py", app)]);
    assert_eq!(
        told(&fixture, "one.py", &one.replace(method, "")),
        ["high removed_but_used one.py:5 base.py:5 one.py:4"]
    );
    assert_eq!(told(&fixture, "one.py", &one.replace(method, "    run = None\n\n")), [""; 0]);
    let more = format!("{base}\n    @abstractmethod\n    def more(self):\n        pass\n");
    assert_eq!(told(&fixture, "base.py", &more), ["high signature_change base.py:9 one.py:4"]);
    let fixture = committed_files(&[("base.py", base), ("one.py", one)]);
    assert_eq!(told(&fixture, "base.py", &more), ["medium signature_change base.py:9 one.py:4"]);
    // Nobody looks after it.
    let plain = base.replace("(ABC)", "");
    let fixture = committed_files(&[("base.py", plain.as_str()), ("one.py", one), ("app.py", app)]);
    assert_eq!(told(&fixture, "one.py", &one.replace(method, "")), [""; 0]);
}

#[test]
fn a_method_that_an_interface_of_go_gains_is_missed_by_what_is_used_as_it() {
    let run = "package a\n\ntype Run interface {\n\tRun() int\n}\n\ntype One struct{}\n\nfunc (o *One) Run() int {\n\treturn 1\n}\n\nvar _ Run = (*One)(nil)\n";
    let fixture = committed_files(&[("go.mod", "module a\n"), ("a.go", run)]);
    let more = run.replace("\tRun() int\n", "\tRun() int\n\tMore() int\n");
    assert_eq!(told(&fixture, "a.go", &more), ["high signature_change a.go:5 a.go:14"]);
    let given = format!("{more}\nfunc (o *One) More() int {{\n\treturn 2\n}}\n");
    assert_eq!(told(&fixture, "a.go", &given), [""; 0]);
    let embedded = more.replace("struct{}", "struct {\n\tOther\n}");
    assert_eq!(told(&fixture, "a.go", &embedded), [""; 0]);
}

#[test]
fn a_body_that_a_contract_no_longer_gives_has_to_be_written_by_others() {
    let fixture = committed_files(&[
        ("Cargo.toml", "[package]\nname = \"a\"\n"),
        (
            "src/lib.rs",
            "pub trait Run {\n    fn name(&self) -> u8 {\n        1\n    }\n}\npub struct S;\nimpl Run for S {}\n",
        ),
    ]);
    let bare = "pub trait Run {\n    fn name(&self) -> u8;\n}\npub struct S;\nimpl Run for S {}\n";
    assert_eq!(told(&fixture, "src/lib.rs", bare), ["high signature_change src/lib.rs:2 src/lib.rs:4"]);
    let fixture = committed_files(&[
        (
            "p/Deep.java",
            "package p;\npublic interface Deep {\n    default int depth() {\n        return 1;\n    }\n    int other();\n}\n",
        ),
        (
            "p/One.java",
            "package p;\npublic class One implements Deep {\n    public int other() {\n        return 2;\n    }\n}\n",
        ),
    ]);
    let bare = "package p;\npublic interface Deep {\n    int depth();\n    int other();\n}\n";
    assert_eq!(told(&fixture, "p/Deep.java", bare), ["high signature_change p/Deep.java:3 p/One.java:2"]);
    let typed = "package p;\npublic interface Deep {\n    default long depth() {\n        return 1;\n    }\n    int other();\n}\n";
    let found = told(&fixture, "p/Deep.java", typed);
    assert!(!found.iter().any(|one| one.contains("p/One.java")), "{found:?}");
    let fixture = committed_files(&[(
        "a.ts",
        "export abstract class Base {\n  done() {\n    return 1\n  }\n}\nexport class One extends Base {\n  go() {\n    return 2\n  }\n}\n",
    )]);
    let bare = "export abstract class Base {\n  abstract done(): number\n}\nexport class One extends Base {\n  go() {\n    return 2\n  }\n}\n";
    assert_eq!(told(&fixture, "a.ts", bare), ["high signature_change a.ts:2 a.ts:4"]);
    let fixture = committed_files(&[(
        "a.py",
        "from abc import ABC, abstractmethod\n\n\nclass Base(ABC):\n    def done(self):\n        return 1\n\n\nclass One(Base):\n    pass\n\n\ndef make():\n    return One()\n",
    )]);
    let bare = "from abc import ABC, abstractmethod\n\n\nclass Base(ABC):\n    @abstractmethod\n    def done(self):\n        return 1\n\n\nclass One(Base):\n    pass\n\n\ndef make():\n    return One()\n";
    assert_eq!(told(&fixture, "a.py", bare), ["high signature_change a.py:5 a.py:10"]);
}

#[test]
fn a_method_of_go_that_takes_more_than_its_interface_demands_is_told() {
    let lib = "package a\n\ntype Reader interface {\n\tRead(k string) int\n}\n\ntype S struct{}\n\nfunc (s *S) Read(k string) int {\n\treturn 1\n}\n\nvar _ Reader = (*S)(nil)\n";
    let fixture = committed_files(&[("go.mod", "module a\n"), ("a.go", lib)]);
    let more = lib.replace("(s *S) Read(k string)", "(s *S) Read(k string, z int)");
    assert_eq!(told(&fixture, "a.go", &more), ["high signature_change a.go:9 a.go:13"]);
    // The interface demands as much now.
    let both = more.replace("\tRead(k string) int", "\tRead(k string, z int) int");
    assert_eq!(told(&fixture, "a.go", &both), [""; 0]);
}
