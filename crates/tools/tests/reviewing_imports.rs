//! Imports that a change wrote and that lead nowhere, and names that it left without one.

#![allow(clippy::unwrap_used)]

#[path = "common/reviewed.rs"]
mod reviewed;

use std::fs;

use m1nd_testkit::Fixture;
use serde_json::json;

use reviewed::{committed_files, review, shown};

/// What a review of the files as they are says of imports, after these files were written.
fn after(fixture: &Fixture, written: &[(&str, &str)]) -> Vec<String> {
    for (path, text) in written {
        let path = fixture.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let body = review(fixture, json!({"base": "HEAD"}));
    shown(&body).into_iter().filter(|one| one.contains("broken_import")).collect()
}

const NONE: [&str; 0] = [];

/// The same of one file that is written anew in a repository of its own.
fn check(files: &[(&str, &str)], path: &str, text: &str, expected: &[&str]) {
    let fixture = committed_files(files);
    assert_eq!(after(&fixture, &[(path, text)]), expected, "{path}\n{text}");
}

const PACKAGE: [(&str, &str); 5] = [
    ("pkg/__init__.py", "from .mod import load\n"),
    ("pkg/mod.py", "import os\n\n\ndef load(path):\n    found = os.stat(path)\n    return found\n"),
    ("pkg/sub/__init__.py", ""),
    ("pkg/sub/inner.py", "x = 1\n"),
    ("app.py", "import os\n\n\ndef run():\n    return os.getcwd()\n"),
];

#[test]
fn modules_of_our_packages_of_python_that_are_not_there_are_told() {
    let body = "\n\ndef run():\n    return os.getcwd()\n";
    let with = |line: &str| format!("import os\n{line}\n{body}");
    for line in
        ["import pkg.nope", "from pkg.nope import x", "from pkg.sub.nope import x", "import pkg.nope as n"]
    {
        let place = if line.contains("sub") { "pkg/sub/__init__.py:1" } else { "pkg/__init__.py:1" };
        check(&PACKAGE, "app.py", &with(line), &[&format!("high broken_import app.py:2 {place}")]);
    }
    let inner = "from .nope import y\nfrom ..mod import load\nfrom ..gone import z\n\nx = [y, load, z]\n";
    check(
        &PACKAGE,
        "pkg/sub/inner.py",
        inner,
        &[
            "high broken_import pkg/sub/inner.py:1 pkg/sub/__init__.py:1",
            "high broken_import pkg/sub/inner.py:3 pkg/__init__.py:1",
        ],
    );
    // What is there, what is not ours and what may fail.
    for line in [
        "import pkg.sub.inner",
        "from pkg.sub import inner",
        "from pkg import mod",
        "import numpy.nope",
        "from other import x",
        "try:\n    import pkg.fast\nexcept ImportError:\n    pass",
        "if os:\n    import pkg.fast",
    ] {
        check(&PACKAGE, "app.py", &with(line), &NONE);
    }
}

#[test]
fn names_that_a_module_of_python_only_uses_within_are_not_its_own() {
    let with = |line: &str| format!("import os\n{line}\n\n\ndef run():\n    return os.getcwd()\n");
    for (line, module) in [
        ("from pkg.mod import nope", "pkg/mod.py"),
        ("from pkg.mod import found", "pkg/mod.py"),
        ("from pkg.mod import stat", "pkg/mod.py"),
        ("from pkg import nope", "pkg/__init__.py"),
    ] {
        check(&PACKAGE, "app.py", &with(line), &[&format!("high broken_import app.py:2 {module}:1")]);
    }
    // One of several names on lines of their own.
    let several = "import os\nfrom pkg.mod import (\n    load,\n    nope,\n)\n\n\ndef run():\n    return os, load, nope\n";
    check(&PACKAGE, "app.py", several, &["high broken_import app.py:2 pkg/mod.py:1"]);
    for line in ["from pkg.mod import load, os", "from pkg import load", "from pkg.mod import __doc__"] {
        check(&PACKAGE, "app.py", &with(line), &NONE);
    }
    for open in [
        "from x import *\n",
        "globals()['nope'] = 1\n",
        "def __getattr__(name):\n    return getattr(x, name)\n",
    ] {
        let mut files = PACKAGE;
        files[1].1 = open;
        check(&files, "app.py", &with("from pkg.mod import nope"), &NONE);
    }
}

#[test]
fn modules_that_are_built_or_missing_already_are_nobodys_mistake() {
    let with = "import os\nfrom pkg._fast import x\n\n\ndef run():\n    return os, x\n";
    let more = |path: &'static str, text: &'static str| {
        let mut files = PACKAGE.to_vec();
        files.push((path, text));
        files
    };
    check(&more("z.py", ""), "app.py", with, &["high broken_import app.py:2 pkg/__init__.py:1"]);
    check(&more("pyproject.toml", "module-name = \"pkg._fast\"\n"), "app.py", with, &NONE);
    check(&more(".gitignore", "_fast.py\n"), "app.py", with, &NONE);
    check(&more("pkg/_fast.pyx", "x = 1\n"), "app.py", with, &NONE);
    check(&more("z.py", "from pkg._fast import y\n"), "app.py", with, &NONE);
}

const SCRIPTS: [(&str, &str); 4] = [
    ("src/util.ts", "const hidden = 1\nexport function shown() { return hidden }\n"),
    ("src/parts/index.ts", "export const part = 1\n"),
    ("src/all.ts", "export * from './util'\n"),
    ("src/app.ts", "import { shown } from './util'\n\nexport const app = shown()\n"),
];

#[test]
fn files_and_names_that_a_script_imports_and_nobody_has_are_told() {
    let with =
        |line: &str| format!("import {{ shown }} from './util'\n{line}\n\nexport const app = shown()\n");
    for (line, place) in [
        ("import { x } from './nope'", ""),
        ("import { x } from '../src/nope.js'", ""),
        ("export { x } from './parts/nope'", ""),
        ("import './nope'", ""),
        ("import { nope } from './util'", " src/util.ts:1"),
        ("import { nope } from './parts'", " src/parts/index.ts:1"),
        ("import util from './util'", " src/util.ts:1"),
        ("import { nope } from './all'", " src/all.ts:1"),
    ] {
        check(&SCRIPTS, "src/app.ts", &with(line), &[&format!("high broken_import src/app.ts:2{place}")]);
    }
    for line in [
        "import { part } from './parts'",
        "import { part } from './parts/index.js'",
        "import { shown as again } from './all'",
        "import nope from 'nope'",
        "// @ts-expect-error\nimport { x } from './nope'",
        "const later = () => import('./nope')",
    ] {
        check(&SCRIPTS, "src/app.ts", &with(line), &NONE);
    }
}

#[test]
fn packages_of_a_module_of_go_and_their_names_are_looked_up() {
    let files = [
        ("go.mod", "module example.com/a\n\ngo 1.22\n\nrequire example.com/a/tools v1.0.0\n"),
        ("store/store.go", "package store\n\nfunc Open() int { return 1 }\n"),
        ("main.go", "package main\n\nimport \"example.com/a/store\"\n\nfunc main() { store.Open() }\n"),
    ];
    let with = |path: &str, body: &str| {
        format!(
            "package main\n\nimport (\n\t\"example.com/a/store\"\n\t\"{path}\"\n)\n\nfunc main() {{ store.Open(); {body} }}\n"
        )
    };
    check(&files, "main.go", &with("example.com/a/nope", "nope.Do()"), &["high broken_import main.go:5"]);
    check(&files, "main.go", &with("example.com/a/v2/nope", "nope.Do()"), &NONE);
    check(&files, "main.go", &with("example.com/a/tools/gen", "gen.Do()"), &NONE);
    check(&files, "main.go", &with("example.org/x", "x.Do()"), &NONE);
    let said = files[2].1.replace("store.Open()", "store.Opened()");
    check(&files, "main.go", &said, &["high broken_import main.go:5 store/store.go:1"]);
    let local = files[2].1.replace("store.Open()", "store := other(); store.Opened()");
    check(&files, "main.go", &local, &NONE);
}

#[test]
fn classes_of_our_packages_of_java_are_looked_up() {
    let files = [
        (
            "src/main/java/a/b/One.java",
            "package a.b;\n\npublic class One {\n    public static class Inner {\n    }\n}\n",
        ),
        (
            "src/main/java/a/Use.java",
            "package a;\n\nimport a.b.One;\n\npublic class Use {\n    One one;\n}\n",
        ),
    ];
    let with = |line: &str| files[1].1.replace("import a.b.One;\n", &format!("import a.b.One;\n{line}\n"));
    let told = ["high broken_import src/main/java/a/Use.java:4 src/main/java/a/b/One.java:1"];
    check(&files, "src/main/java/a/Use.java", &with("import a.b.Nope;"), &told);
    for line in ["import a.b.One.Inner;", "import java.util.List;", "import a.c.Other;", "import a.b.*;"] {
        check(&files, "src/main/java/a/Use.java", &with(line), &NONE);
    }
}

#[test]
fn modules_and_items_of_a_crate_of_rust_are_looked_up() {
    let files = [
        ("Cargo.toml", "[package]\nname = \"a\"\nversion = \"0.1.0\"\n"),
        ("src/lib.rs", "pub mod kind;\npub mod user;\n\npub fn top() {}\n"),
        ("src/kind.rs", "pub struct Kind;\n\nfn inner() -> u8 {\n    let found = 1;\n    found\n}\n"),
        ("src/user.rs", "use crate::kind::Kind;\n\npub fn run(_: Kind) {}\n"),
    ];
    let with = |line: &str| format!("use crate::kind::Kind;\n{line}\n\npub fn run(_: Kind) {{}}\n");
    for (line, module) in [
        ("use crate::kind::Nope;", "src/kind.rs"),
        ("use crate::nope::Thing;", "src/lib.rs"),
        ("use super::kind::Nope;", "src/kind.rs"),
        ("use super::{top, nope};", "src/lib.rs"),
    ] {
        check(&files, "src/user.rs", &with(line), &[&format!("high broken_import src/user.rs:2 {module}:1")]);
    }
    for line in ["use crate::top;", "use crate::{kind, user};", "use std::fmt;", "use serde::Nope;"] {
        check(&files, "src/user.rs", &with(line), &NONE);
    }
    let mut open = files;
    open[2].1 = "pub use other::*;\n\npub struct Kind;\n";
    check(&open, "src/user.rs", &with("use crate::kind::Nope;"), &NONE);
    open[2].1 = "make! { Nope }\n\npub struct Kind;\n";
    check(&open, "src/user.rs", &with("use crate::kind::Nope;"), &NONE);
    let lib = |line: &str| format!("{line}\n{}", files[1].1);
    check(&files, "src/lib.rs", &lib("mod nope;"), &["high broken_import src/lib.rs:1"]);
    check(&files, "src/lib.rs", &lib("#[cfg(windows)]\nmod nope;"), &NONE);
}

#[test]
fn a_name_that_is_used_without_its_import_is_told_in_every_language() {
    let python = "import os\nimport sys\nfrom json import dumps\n\n\ndef run(sys):\n    return os.getcwd(), sys.x, dumps(1)\n\n\ndef other():\n    return os\n";
    let one = |path: &str, text: &str, line: &str, expected: &[&str]| {
        check(&[(path, text)], path, &text.replace(line, ""), expected);
    };
    one("a.py", python, "import os\n", &["high broken_import a.py:6 a.py:10"]);
    one("a.py", python, "from json import dumps\n", &["high broken_import a.py:6"]);
    // A parameter has the name.
    one("a.py", python, "import sys\n", &NONE);
    let star = format!("from x import *\n{python}");
    one("a.py", &star, "import os\n", &NONE);
    let local = python.replace("    return os\n", "    import os\n    return os\n");
    check(&[("a.py", &local)], "a.py", &local.replacen("import os\n", "", 1), &["high broken_import a.py:6"]);

    let script = "import { join } from 'path'\nimport { test } from 'vitest'\n\nexport const a = join('a', 'b')\ntest('x', join => join)\n";
    one("a.ts", script, "import { join } from 'path'\n", &["high broken_import a.ts:3"]);
    one("a.ts", script, "import { test } from 'vitest'\n", &NONE);

    let go = "package a\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc Run() {\n\tfmt.Println(os.Args)\n}\n";
    let module = ("go.mod", "module a\n");
    check(&[module, ("a.go", go)], "a.go", &go.replace("\t\"fmt\"\n", ""), &["high broken_import a.go:8"]);
    // Another package may have the name.
    let other = go.replace("\t\"fmt\"\n", "\t\"example.org/go-fmt\"\n");
    check(&[module, ("a.go", go)], "a.go", &other, &NONE);

    let java = "package p;\n\nimport java.util.List;\nimport java.util.Map;\n\npublic class A {\n    List<String> all;\n    Map<String, String> map;\n}\n";
    let beside = ("p/Map.java", "package p;\n\npublic class Map {\n}\n");
    check(
        &[("p/A.java", java), beside],
        "p/A.java",
        &java.replace("import java.util.List;\n", ""),
        &["high broken_import p/A.java:6"],
    );
    check(&[("p/A.java", java), beside], "p/A.java", &java.replace("import java.util.Map;\n", ""), &NONE);

    let rust = "use std::collections::BTreeMap;\nuse std::fmt;\n\npub fn run() -> BTreeMap<u8, u8> {\n    BTreeMap::new()\n}\n\nimpl fmt::Display for A {}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n    use std::fmt;\n\n    check!(run().map(|one| BTreeMap::from(one)));\n}\n";
    let cargo = ("Cargo.toml", "[package]\nname = \"a\"\nversion = \"0.1.0\"\n");
    let rusts = |line: &str, expected: &[&str]| {
        check(&[cargo, ("src/lib.rs", rust)], "src/lib.rs", &rust.replacen(line, "", 1), expected);
    };
    rusts(
        "use std::collections::BTreeMap;\n",
        &["high broken_import src/lib.rs:3 src/lib.rs:4 src/lib.rs:14"],
    );
    rusts("use std::fmt;\n", &["high broken_import src/lib.rs:7"]);
}

#[test]
fn names_that_a_module_no_longer_lists_are_missed_by_who_gets_them_as_a_whole() {
    let core = "__all__ = [\"go\", \"stop\"]\n\n\ndef go():\n    return 1\n\n\ndef stop():\n    return 2\n";
    let init = "from .core import *\n\n__all__ = [\"go\", \"stop\"]\n";
    let files = [("pkg/__init__.py", init), ("pkg/core.py", core), ("app.py", "from pkg import go, stop\n")];
    let less = core.replace(", \"stop\"]", "]");
    check(
        &files,
        "pkg/core.py",
        &less,
        &[
            "high broken_import app.py:1 pkg/__init__.py:1",
            "high broken_import pkg/__init__.py:3 pkg/core.py:1",
        ],
    );
    // Who takes it by its name, or from elsewhere too, still has it.
    let named = [("pkg/__init__.py", "from .core import *\nfrom .core import stop\n"), files[1], files[2]];
    check(&named, "pkg/core.py", &less, &NONE);
    let open = [
        ("pkg/__init__.py", "from .core import *\nfrom .other import *\n"),
        ("pkg/other.py", "from unknown import *\n"),
        files[1],
        files[2],
    ];
    check(&open, "pkg/core.py", &less, &NONE);
}

#[test]
fn names_beside_an_export_of_everything_are_missed_when_they_go() {
    let files = [
        ("a.ts", "export const ALIAS = 1\nexport const MORE = 2\n"),
        ("index.ts", "export * from './a'\nexport { ALIAS as OTHER } from './a'\n"),
        ("b.ts", "import { MORE, OTHER } from './index'\nexport const two = MORE + OTHER\n"),
    ];
    check(&files, "index.ts", "export * from './a'\n", &["high broken_import index.ts:1 b.ts:1"]);
    check(&files, "index.ts", "export * from './a'\nexport * from 'elsewhere'\n", &NONE);
}
