//! What a change of how members are read and made breaks, and what it leaves as it was.

#![allow(clippy::unwrap_used)]

#[path = "common/reviewed.rs"]
mod reviewed;

use std::fs;

use serde_json::json;

use reviewed::{committed_files, review, shown};

/// What a review says of some kinds after one file of a fixture was written anew.
fn after(files: &[(&str, &str)], path: &str, text: &str) -> Vec<String> {
    let fixture = committed_files(files);
    fs::write(fixture.root().join(path), text).unwrap();
    let mut all = shown(&review(&fixture, json!({"base": "HEAD"})));
    all.retain(|one| {
        ["signature_change", "removed_but_used", "broken_import"].iter().any(|kind| one.contains(kind))
    });
    all
}

#[test]
fn a_property_that_has_to_be_called_breaks_those_that_certainly_read_it() {
    let lib = "class Box:\n    @property\n    def size(self):\n        return 1\n\n\nclass Bag:\n    def size(self):\n        return 2\n";
    let app = "from lib import Box\n\n\ndef run(other):\n    box = Box()\n    print(other.size)\n    return box.size\n";
    let files = [("lib.py", lib), ("app.py", app)];
    let called = lib.replace("    @property\n", "");
    assert_eq!(after(&files, "lib.py", &called), ["high signature_change lib.py:2 app.py:7"]);
    let read = called.replacen("    def size", "    @property\n    def size", 1);
    let calls = app.replace("box.size", "box.size()");
    let files = [("lib.py", called.as_str()), ("app.py", calls.as_str())];
    assert_eq!(after(&files, "lib.py", &read), ["high signature_change lib.py:2 app.py:7"]);
    // Who gives it a function may go on.
    let gives = read.replacen("return 1", "return lambda: 1", 1);
    assert_eq!(after(&files, "lib.py", &gives), ["medium signature_change lib.py:2 app.py:7"]);
}

#[test]
fn a_getter_of_a_script_that_becomes_a_method_breaks_who_reads_it() {
    let lib = "export class Box {\n  get size(): number {\n    return 1\n  }\n  other(): number {\n    return this.size\n  }\n}\n";
    let app = "import { Box } from './lib'\n\nexport function run(box: Box, any: any) {\n  any.size\n  return box.size + 1\n}\n";
    let files = [("src/lib.ts", lib), ("src/app.ts", app)];
    let called = lib.replace("get size", "size");
    assert_eq!(
        after(&files, "src/lib.ts", &called),
        ["high signature_change src/lib.ts:2 src/app.ts:5 src/lib.ts:6"]
    );
    let calls = app.replace("box.size", "box.size()");
    let own = called.replace("this.size", "this.size()");
    let files = [("src/lib.ts", own.as_str()), ("src/app.ts", calls.as_str())];
    assert_eq!(
        after(&files, "src/lib.ts", &own.replace("  size", "  get size")),
        ["high signature_change src/lib.ts:2 src/app.ts:5 src/lib.ts:6"]
    );
}

#[test]
fn a_module_that_answers_for_one_name_hides_no_other() {
    let answers =
        "def __getattr__(name):\n    if name == \"old\":\n        return 1\n    raise AttributeError(name)\n";
    let globals = format!("{answers}\n\ndef session():\n    return 1\n\n\ndef old():\n    return 2\n");
    let init = format!("from .globals import session as session\n\n\n{answers}");
    let files = [
        ("pkg/__init__.py", init.as_str()),
        ("pkg/globals.py", globals.as_str()),
        (
            "app.py",
            "from pkg import session\nfrom pkg.globals import old\n\n\ndef run():\n    return session(), old()\n",
        ),
    ];
    let renamed = globals.replace("def session", "def sitting");
    assert_eq!(
        after(&files, "pkg/globals.py", &renamed),
        ["high removed_but_used pkg/globals.py:7 app.py:1 app.py:6 pkg/__init__.py:1"]
    );
    // What it answers for is still there.
    let without = globals.replace("\n\ndef old():\n    return 2\n", "");
    assert_eq!(after(&files, "pkg/globals.py", &without), [""; 0]);
    // It may answer for any.
    let any = renamed.replace("if name == \"old\":", "if name in load():");
    assert_eq!(
        after(&files, "pkg/globals.py", &any),
        ["medium removed_but_used pkg/globals.py:7 app.py:1 app.py:6 pkg/__init__.py:1"]
    );
    let kept = init.replace("from .globals import session as session\n", "");
    assert_eq!(after(&files, "pkg/__init__.py", &kept), ["high broken_import pkg/__init__.py:1 app.py:1"]);
    let kept = kept.replace("\"old\"", "\"session\"");
    assert_eq!(after(&files, "pkg/__init__.py", &kept), [""; 0]);
}

#[test]
fn constructors_of_java_that_come_and_go_break_who_makes_one_as_before() {
    let lib = "package a;\n\npublic class Box {\n    int width;\n}\n";
    let app = "package a;\n\nclass App {\n    Box run() {\n        Box box = new Box();\n        return box;\n    }\n}\n";
    let files = [("a/Box.java", lib), ("a/App.java", app)];
    let made = |lines: &str| lib.replace("    int width;\n", &format!("    int width;\n{lines}"));
    // It takes away the one that nobody writes.
    let takes = made("    Box(int width) {\n        this.width = width;\n    }\n");
    assert_eq!(after(&files, "a/Box.java", &takes), ["high signature_change a/Box.java:5 a/App.java:5"]);
    let both = made("    Box() {}\n    Box(int width) {\n        this.width = width;\n    }\n");
    assert_eq!(after(&files, "a/Box.java", &both), [""; 0]);
    let lombok = takes.replace("package a;\n", "package a;\n\nimport lombok.NoArgsConstructor;\n");
    assert_eq!(after(&files, "a/Box.java", &lombok), [""; 0]);
    let files = [("a/Box.java", both.as_str()), ("a/App.java", app)];
    let gone = after(&files, "a/Box.java", &takes);
    assert!(gone.iter().any(|one| one.starts_with("high ") && one.contains("a/App.java:5")), "{gone:?}");
    let record = "package a;\n\npublic record Box(int width) {}\n";
    let app = app.replace("new Box()", "new Box(1)");
    let files = [("a/Box.java", record), ("a/App.java", app.as_str())];
    let wider = record.replace("int width", "int width, int height");
    assert_eq!(after(&files, "a/Box.java", &wider), ["high signature_change a/Box.java:3 a/App.java:5"]);
}

#[test]
fn constructors_of_python_that_come_and_go_break_who_makes_one_as_before() {
    let lib =
        "class Base:\n    def __init__(self, a):\n        self.a = a\n\n\nclass Box(Base):\n    kind = 1\n";
    let app = "from lib import Box\n\n\ndef run(more):\n    Box(*more)\n    return Box(1)\n";
    let files = [("lib.py", lib), ("app.py", app)];
    let own = format!("{lib}\n    def __init__(self):\n        super().__init__(1)\n");
    assert_eq!(after(&files, "lib.py", &own), ["high signature_change lib.py:9 app.py:6"]);
    let unknown = own.replace("class Box(Base)", "class Box(Base, Other)");
    assert_eq!(after(&files, "lib.py", &unknown), [""; 0]);
    let wrapped = own.replace(
        "    def __init__(self):\n        super",
        "    @wrapped\n    def __init__(self):\n        super",
    );
    assert_eq!(after(&files, "lib.py", &wrapped), [""; 0]);
    let gone = lib.replace("    def __init__(self, a):\n        self.a = a\n", "    pass\n");
    let files =
        [("lib.py", own.as_str()), ("app.py", "from lib import Box\n\n\ndef run():\n    return Box()\n")];
    assert_eq!(after(&files, "lib.py", lib), ["high signature_change lib.py:6 app.py:5"]);
    let files = [("lib.py", lib), ("app.py", "from lib import Base\n\n\ndef run():\n    return Base(1)\n")];
    assert_eq!(after(&files, "lib.py", &gone), ["high signature_change lib.py:1 app.py:5"]);
    let several = "class A:\n    x = 1\n\n\nclass B:\n    y = 1\n\n\nclass Box(A, B):\n    def __init__(self, a):\n        self.a = a\n";
    let app = "from lib import Box\n\n\ndef run():\n    return Box(1)\n";
    let files = [("lib.py", several), ("app.py", app)];
    let without = several.replace("    def __init__(self, a):\n        self.a = a\n", "    pass\n");
    assert_eq!(after(&files, "lib.py", &without), ["high signature_change lib.py:9 app.py:5"]);
    let takes = without.replace("    y = 1\n", "    def __init__(self, a):\n        self.a = a\n");
    assert_eq!(after(&files, "lib.py", &takes), [""; 0]);
    let point =
        "from dataclasses import dataclass\n\n\n@dataclass\nclass Point:\n    x: int\n    y: int = 0\n";
    let files = [
        ("lib.py", point),
        ("app.py", "from lib import Point\n\n\ndef run():\n    return Point(1), Point\n"),
    ];
    let wider = point.replace("    y: int = 0\n", "    z: int\n    y: int = 0\n");
    assert_eq!(after(&files, "lib.py", &wider), ["high signature_change lib.py:4 app.py:5"]);
    assert_eq!(after(&files, "lib.py", &wider.replace("z: int", "z: int = 3")), [""; 0]);
    assert_eq!(after(&files, "lib.py", &wider.replace("z: int", "z: int = field(default=3)")), [""; 0]);
}

#[test]
fn constructors_of_scripts_that_come_and_go_break_who_makes_one_as_before() {
    let lib = "export class Base {\n  constructor(public a: number) {}\n}\n\nexport class Box extends Base {\n  kind = 1\n}\n";
    let app = "import { Box } from './lib'\n\nexport function run() {\n  return new Box(1)\n}\n";
    let files = [("src/lib.ts", lib), ("src/app.ts", app)];
    let own = lib.replace("  kind = 1\n", "  kind = 1\n  constructor() {\n    super(1)\n  }\n");
    assert_eq!(after(&files, "src/lib.ts", &own), ["high signature_change src/lib.ts:7 src/app.ts:4"]);
    let optional = own.replace("  constructor() {", "  constructor(a?: number) {");
    assert_eq!(after(&files, "src/lib.ts", &optional), [""; 0]);
    let unknown =
        own.replace("constructor() {\n    super(1)\n  }\n", "").replace("extends Base", "extends Other");
    assert_eq!(after(&files, "src/lib.ts", &unknown), [""; 0]);
}

#[test]
fn a_constructor_of_csharp_that_comes_breaks_who_makes_one_as_before() {
    let lib = "namespace A;\n\npublic class Box\n{\n    int width;\n}\n";
    let app = "namespace A;\n\npublic class App\n{\n    public Box Run()\n    {\n        return new Box();\n    }\n}\n";
    let files = [("Box.cs", lib), ("App.cs", app)];
    let takes = lib.replace("    int width;\n", "    int width;\n    public Box(int width) { }\n");
    assert_eq!(after(&files, "Box.cs", &takes), ["high signature_change Box.cs:6 App.cs:7"]);
    assert_eq!(after(&files, "Box.cs", &takes.replace("class Box", "partial class Box")), [""; 0]);
}

#[test]
fn a_function_that_is_passed_on_as_a_value_is_told_where_its_parameters_changed() {
    let lib = "def run(a):\n    return a\n";
    let app = "from lib import run\n\nTABLE = {\"run\": run}\n\n\ndef use(all):\n    return map(run, all)\n";
    let files = [("lib.py", lib), ("app.py", app)];
    let wider = lib.replace("(a)", "(a, b)");
    assert_eq!(after(&files, "lib.py", &wider), ["medium signature_change lib.py:1 app.py:3 app.py:7"]);
    assert_eq!(after(&files, "lib.py", &lib.replace("(a)", "(a, b=1)")), [""; 0]);
    let lib = "export function run(a: number, b: number) {\n  return a\n}\n";
    let app =
        "import { run } from './lib'\n\nexport function use(all: number[]) {\n  return all.map(run)\n}\n";
    let files = [("src/lib.ts", lib), ("src/app.ts", app)];
    let wider = lib.replace("b: number", "b: number, c: string");
    assert_eq!(after(&files, "src/lib.ts", &wider), ["medium signature_change src/lib.ts:1 src/app.ts:4"]);
    // Who gives more than it takes is not heard.
    assert_eq!(after(&files, "src/lib.ts", &lib.replace(", b: number", "")), [""; 0]);
    let lib = "package a\n\nfunc run(a int) int {\n\treturn a\n}\n\nfunc each(f func(int) int) int {\n\treturn f(1)\n}\n\nfunc use() int {\n\treturn each(run)\n}\n";
    let files = [("go.mod", "module a\n"), ("a.go", lib)];
    let wider = lib.replace("run(a int)", "run(a, b int)");
    assert_eq!(after(&files, "a.go", &wider), ["medium signature_change a.go:3 a.go:12"]);
}

#[test]
fn a_method_that_ceases_to_be_static_breaks_calls_on_its_type() {
    let lib = "package a;\n\npublic class Box {\n    static int size() {\n        return 1;\n    }\n}\n";
    let app = "package a;\n\nclass App {\n    int run(Box box) {\n        return Box.size();\n    }\n}\n";
    let files = [("a/Box.java", lib), ("a/App.java", app)];
    let of_value = lib.replace("static int", "int");
    assert_eq!(after(&files, "a/Box.java", &of_value), ["high signature_change a/Box.java:4 a/App.java:5"]);
    let files = [("a/Box.java", of_value.as_str()), ("a/App.java", &app.replace("Box.size", "box.size"))];
    assert_eq!(after(&files, "a/Box.java", lib), [""; 0]);
    let lib = "export class Box {\n  static size(): number {\n    return 1\n  }\n}\n";
    let app = "import { Box } from './lib'\n\nexport function run(box: Box) {\n  return Box.size()\n}\n";
    let files = [("src/lib.ts", lib), ("src/app.ts", app)];
    let of_value = lib.replace("static size", "size");
    assert_eq!(after(&files, "src/lib.ts", &of_value), ["high signature_change src/lib.ts:2 src/app.ts:4"]);
    let files = [("src/lib.ts", of_value.as_str()), ("src/app.ts", &app.replace("Box.size", "box.size"))];
    assert_eq!(after(&files, "src/lib.ts", lib), ["high signature_change src/lib.ts:2 src/app.ts:4"]);
}

#[test]
fn a_part_that_a_record_lost_breaks_who_asks_for_it() {
    let lib = "package a;\n\npublic record Box(int width, int height) {}\n";
    let app = "package a;\n\nclass App {\n    int run(Box box, Bag other) {\n        return box.width() + other.width();\n    }\n    int more(Bag bag) {\n        return bag.height();\n    }\n}\n";
    let files = [("a/Box.java", lib), ("a/App.java", app)];
    let renamed = lib.replace("int width", "int wide");
    assert_eq!(after(&files, "a/Box.java", &renamed), ["high removed_but_used a/Box.java:3 a/App.java:5"]);
    assert_eq!(after(&files, "a/Box.java", &lib.replace("int height", "int high")), [""; 0]);
    let given = renamed.replace("{}", "{\n    int width() {\n        return wide;\n    }\n}");
    assert_eq!(after(&files, "a/Box.java", &given), [""; 0]);
}

#[test]
fn a_constant_that_an_enumeration_lost_breaks_the_switch_that_names_it() {
    let lib = "package a;\n\npublic enum Kind {\n    RED, GREEN, BLUE\n}\n";
    let app = "package a;\n\nclass App {\n    int run(Kind kind) {\n        switch (kind) {\n            case RED:\n                return 1;\n            case BLUE:\n                return 2;\n            default:\n                return 3;\n        }\n    }\n}\n";
    let files = [("a/Kind.java", lib), ("a/App.java", app)];
    let without = lib.replace("RED, ", "");
    assert_eq!(after(&files, "a/Kind.java", &without), ["high removed_but_used a/Kind.java:3 a/App.java:6"]);
    let other = "package b;\n\npublic enum Other {\n    RED, BLUE\n}\n";
    let files = [("a/Kind.java", lib), ("a/App.java", app), ("b/Other.java", other)];
    assert_eq!(after(&files, "a/Kind.java", &without), [""; 0]);
}
