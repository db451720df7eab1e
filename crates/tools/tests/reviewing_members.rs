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
