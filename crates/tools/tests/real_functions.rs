//! The context before an edit, of ten functions of a real crate: it has every call site and the tests, within its budget.

#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use common::ok;
use m1nd_testkit::Fixture;
use serde_json::{Value, json};

const FUNCTIONS: [&str; 10] = [
    "src/lock.rs::acquire",
    "src/text.rs::in_the_form_of",
    "src/text.rs::not_text",
    "src/text.rs::line_of",
    "src/text.rs::with_endings",
    "src/unified.rs::git_diff",
    "src/unified.rs::hunks",
    "src/journal.rs::inverse",
    "src/journal.rs::is_pending",
    "src/journal.rs::remove_made_folders",
];

/// What answers of these tools hold unless somebody asks for more.
const BUDGET: usize = 16_000;

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let place = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &place),
            false => drop(fs::copy(entry.path(), place).unwrap()),
        }
    }
}

/// The lines of a workspace on which a free function is called, found by its name.
fn sites(root: &Path, folder: &str, name: &str) -> BTreeSet<String> {
    let (call, own) = (format!("{name}("), format!("fn {name}"));
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(root.join(folder)).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.file_type().unwrap().is_dir() {
            found.extend(sites(root, &path, name));
            continue;
        }
        for (nth, line) in fs::read_to_string(entry.path()).unwrap().lines().enumerate() {
            let is_call = |(at, _): (usize, &str)| {
                let before = line[..at].chars().next_back();
                before.is_none_or(|letter| !letter.is_alphanumeric() && !matches!(letter, '_' | '.'))
            };
            let is_code = !line.trim_start().starts_with("//") && !line.contains(&own);
            if is_code && line.match_indices(&call).any(is_call) {
                found.insert(format!("{path}:{}", nth + 1));
            }
        }
    }
    found
}

/// Whether a function of a crate is marked as a test.
fn is_test(root: &Path, name: &str) -> bool {
    let marked = format!("#[test]\nfn {name}(");
    let has = |folder: &str| {
        fs::read_dir(root.join(folder)).unwrap().any(|entry| {
            let text = fs::read_to_string(entry.unwrap().path()).unwrap_or_default();
            let lines: Vec<&str> = text.lines().map(str::trim).collect();
            lines.join("\n").contains(&marked)
        })
    };
    has("src") || has("src/patch") || has("tests")
}

#[test]
fn the_context_of_ten_real_functions_has_their_call_sites_and_tests() {
    let fixture = Fixture::new(m1nd_tools::surface(), "//- README.md\nA crate.\n");
    let crate_of_edits = Path::new(env!("CARGO_MANIFEST_DIR")).join("../edit");
    for part in ["src", "tests"] {
        copy(&crate_of_edits.join(part), &fixture.root().join(part));
    }
    fs::copy(crate_of_edits.join("Cargo.toml"), fixture.root().join("Cargo.toml")).unwrap();
    ok(&fixture, "ingest", json!({}));
    for node in FUNCTIONS {
        let reply = fixture.call("surgical_context_v2", json!({"node_id": node}));
        assert!(!reply.is_error && reply.text().len() <= BUDGET, "{node}: {}", reply.text());
        let name = node.rsplit("::").next().unwrap();
        let list = |field: &str| reply.body[field].as_array().cloned().unwrap_or_default();
        let texts = |list: Vec<Value>, field: &str| -> BTreeSet<String> {
            list.iter().map(|one| one[field].as_str().unwrap().to_owned()).collect()
        };
        let (callers, tests) = (list("callers"), texts(list("tests"), "node_id"));
        let mut expected = sites(&fixture.root(), "src", name);
        expected.extend(sites(&fixture.root(), "tests", name));
        assert!(!expected.is_empty(), "{node} is called");
        let shown = texts(callers.clone(), "at");
        let missing: Vec<&String> = expected.difference(&shown).collect();
        assert!(missing.is_empty(), "{node}: {missing:?} of {shown:?}");
        assert!(!tests.is_empty(), "{node}: {}", reply.text());
        for caller in texts(callers, "by") {
            let last = caller.rsplit('.').next().unwrap();
            let is_named = || tests.iter().any(|id| id.ends_with(&caller));
            assert!(!is_test(&fixture.root(), last) || is_named(), "{node}: {caller} of {tests:?}");
        }
    }
}
