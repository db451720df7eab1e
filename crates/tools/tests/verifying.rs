//! What `verify: graph` refuses beyond the relations of the graph, and what it lets pass.

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

fn batch(path: &str, old: &str, new: &str) -> Value {
    json!({"verify": "graph", "edits": [{"file_path": path, "edits": [{"old": old, "new": new}]}]})
}

/// What a refused edit is said to break; the file is as it was.
fn broken(files: &str, edit: Value) -> Vec<String> {
    let fixture = ingested(files);
    let path = edit["edits"][0]["file_path"].as_str().unwrap().to_owned();
    let before = std::fs::read(fixture.root().join(&path)).unwrap();
    let no = refused(&fixture, "apply_batch", edit);
    assert_eq!(no["code"], "conflict", "{no}");
    assert_eq!(std::fs::read(fixture.root().join(&path)).unwrap(), before, "the batch was taken back");
    let of = |list: &str, field: &str| -> Vec<String> {
        let list = no["detail"][list].as_array().cloned().unwrap_or_default();
        list.iter().map(|one| one[field].as_str().unwrap_or_default().to_owned()).collect()
    };
    [of("dangling_callers", "at"), of("findings", "message")].concat()
}

const RUST: &str = "//- Cargo.toml
[package]
name = \"found\"
version = \"0.1.0\"
//- src/lib.rs
mod shade; mod sorted;

pub fn run(shade: &shade::Shade) -> bool {
    matches!(shade.kind, shade::Kind::Dark) || shade.is_dark()
}
//- src/sorted.rs
use crate::shade::{Kind, Shade};

pub fn sorted(shade: &Shade) -> &Kind {
    &shade.kind
}
//- src/shade.rs
pub enum Kind {
    Dark,
    Light,
}

pub struct Shade {
    pub kind: Kind,
    pub is_dark: bool,
}

impl Shade {
    pub fn is_dark(&self) -> bool {
        self.is_dark
    }
}
//- other/kinds.ts
export enum Kind { Dark, Light }
export class Shade { dark = 1 }
";

#[test]
fn a_field_does_not_stand_in_for_the_method_of_its_name() {
    let told = broken(RUST, batch("src/shade.rs", "pub fn is_dark(", "pub fn dark("));
    assert_eq!(told, ["src/lib.rs:4"]);
}

#[test]
fn a_variant_that_code_names_is_missed_though_another_language_has_one_alike() {
    let told = broken(RUST, batch("src/shade.rs", "    Dark,\n", ""));
    assert_eq!(told, ["Kind.Dark was removed, and 1 line still says it"]);
    // Nobody names the other one.
    let fixture = ingested(RUST);
    ok(&fixture, "apply_batch", batch("src/shade.rs", "    Light,\n", ""));
}

#[test]
fn a_field_that_code_reads_is_missed() {
    let told = broken(RUST, batch("src/shade.rs", "    pub kind: Kind,", "    pub sort: Kind,"));
    assert_eq!(told, ["Shade has no field kind any more, and 1 line still asks it for one"]);
}

const BARREL: &str = "//- src/core.ts
export function load(): number { return 1 }
export default function main(): number { return load() }
//- src/index.ts
export { load, load as read } from './core'
//- src/user.ts
import { read } from './index'
import main from './core'
export function run(): number { return read() + main() }
";

#[test]
fn who_imports_a_file_that_only_hands_on_is_found_when_it_goes() {
    let told =
        broken(BARREL, json!({"verify": "graph", "edits": [{"file_path": "src/index.ts", "delete": true}]}));
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("index"), "{told:?}");
}

#[test]
fn names_that_are_handed_on_no_more_are_missed() {
    let told = broken(BARREL, batch("src/index.ts", "load as read", "load as take"));
    assert!(told.iter().any(|one| one.contains("src/index.ts no longer leads to load")), "{told:?}");
    let told = broken(BARREL, batch("src/core.ts", "export default function main", "export function main"));
    assert_eq!(told, ["src/user.ts:2"], "it is imported as the default one");
    // Handed on by other words, it is still there.
    let fixture = ingested(BARREL);
    let other = "import { load } from './core'\nexport { load }\nexport { load as read }";
    ok(&fixture, "apply_batch", batch("src/index.ts", "export { load, load as read } from './core'", other));
}

#[test]
fn a_module_that_answers_for_any_name_is_not_missing_one() {
    let files = "//- consts.py\nTIMEOUT = 30\n//- use.py\nfrom consts import TIMEOUT\n\n\ndef run():\n    return TIMEOUT\n";
    let told = broken(files, batch("consts.py", "TIMEOUT", "LIMIT"));
    assert!(!told.is_empty());
    let answers = "def __getattr__(name):\n    if name == \"TIMEOUT\":\n        return 30\n    raise AttributeError(name)";
    let fixture = ingested(files);
    let made = ok(&fixture, "apply_batch", batch("consts.py", "TIMEOUT = 30", answers));
    assert_eq!(made["dangling_callers"], Value::Null, "{made}");
}

#[test]
fn what_may_break_is_said_and_not_refused() {
    let files = "//- go.mod\nmodule example.com/m\n\ngo 1.22\n//- util/util.go\npackage util\n\nfunc Helper() int { return 1 }\n\nvar Helping = Helper\n\
                 //- main.go\npackage main\n\nimport \"example.com/m/util\"\n\nfunc main() {\n\tutil.Helping()\n}\n";
    let fixture = ingested(files);
    let made = ok(&fixture, "apply_batch", batch("util/util.go", "var Helping", "var Helped"));
    let said = made["proactive_insights"].to_string();
    assert!(said.contains("Helping was removed") && said.contains("main.go:6"), "{said}");
}

#[test]
fn a_property_that_becomes_a_field_is_still_there() {
    let files = "//- a.py\nclass Shape:\n    def __init__(self, w):\n        self.w = w\n\n    @property\n    def area(self):\n        return self.w * 2\n\
                 //- b.py\nfrom a import Shape\n\n\ndef run():\n    shape = Shape(1)\n    return shape.area\n";
    let property = "        self.w = w\n\n    @property\n    def area(self):\n        return self.w * 2\n";
    let told = broken(files, batch("a.py", "def area(", "def surface("));
    assert_eq!(told, ["b.py:6"]);
    let fixture = ingested(files);
    ok(&fixture, "apply_batch", batch("a.py", property, "        self.w = w\n        self.area = w * 2\n"));
    let fixture = ingested(files);
    ok(&fixture, "apply_batch", batch("a.py", property, "        self.w = w\n\n    area = 2\n"));
}
