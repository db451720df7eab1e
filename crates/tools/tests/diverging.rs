//! drift and diverge against a repository with a past.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::time::Duration;

use m1nd_testkit::Fixture;
use serde_json::{Value, json};

#[path = "common/reviewed.rs"]
mod reviewed;

use reviewed::committed_files;

const LIB: &str =
    "pub fn greet(name: &str) -> String {\n    format!(\"hello {name}\")\n}\n\npub fn part(name: &str) {}\n";
const MAIN: &str = "mod lib;\n\nfn main() {\n    lib::greet(\"you\");\n}\n";

/// Two files, committed once.
fn committed() -> Fixture {
    committed_files(&[("src/lib.rs", LIB), ("src/main.rs", MAIN)])
}

fn ok(fixture: &Fixture, tool: &str, arguments: Value) -> Value {
    let reply = fixture.call(tool, arguments);
    assert!(!reply.is_error, "{}", reply.text());
    reply.body
}

#[test]
fn every_removed_file_is_told_though_others_said_the_same() {
    let same = "pub fn one() {}\n";
    let files = [("src/lib.rs", LIB), ("src/a.rs", same), ("src/b.rs", same), ("src/c.rs", same)];
    let fixture = committed_files(&files);
    fs::rename(fixture.root().join("src/a.rs"), fixture.root().join("src/d.rs")).unwrap();
    for path in ["src/b.rs", "src/c.rs"] {
        fs::remove_file(fixture.root().join(path)).unwrap();
    }
    let found = ok(&fixture, "diverge", json!({"baseline": "HEAD"}));
    assert_eq!((&found["files_renamed"], &found["files_removed"]), (&json!(1), &json!(2)), "{found}");
    let at: Vec<&Value> = found["symbols"].as_array().unwrap().iter().map(|one| &one["at"]).collect();
    assert_eq!(at, ["src/b.rs:1", "src/c.rs:1"], "{found}");
    // A scope may be what was there then, and what moved is no news of either place.
    for (scope, counts) in [("src/b.rs", [0, 1, 0]), ("src/a.rs", [1, 0, 0]), ("src/d.rs", [1, 0, 0])] {
        let found = ok(&fixture, "diverge", json!({"baseline": "HEAD", "scope": scope}));
        let fields = ["files_renamed", "files_removed", "files_added"].map(|name| found[name].clone());
        assert_eq!(fields, counts.map(|count| json!(count)), "{scope} {found}");
        let files = ok(&fixture, "drift", json!({"since": "HEAD", "scope": scope}))["total_files"].clone();
        assert_eq!(files, 1, "{scope}");
    }
    let refused = fixture.call("diverge", json!({"baseline": "HEAD", "scope": "src/never.rs"}));
    assert_eq!(refused.body["error"]["code"], "file_not_found", "{}", refused.text());
}

#[test]
fn a_damaged_repository_is_said_and_the_rest_goes_on() {
    let fixture = committed();
    fs::write(fixture.root().join(".git/HEAD"), "garbage").unwrap();
    let health = ok(&fixture, "health", json!({}));
    assert!(health["graph"]["problem"].as_str().unwrap().contains(".git is damaged"), "{health}");
    let found = ok(&fixture, "timeline", json!({"node": "src/lib.rs"}));
    assert!(found["no_data"].as_str().unwrap().contains("damaged"), "{found}");
    assert_eq!(ok(&fixture, "callers", json!({"node_id": "greet"}))["total"], 1);
}

#[test]
fn what_is_not_committed_differs_symbol_by_symbol() {
    let fixture = committed();
    let same = ok(&fixture, "diverge", json!({"baseline": "HEAD"}));
    assert_eq!(
        (&same["symbols"], &same["baseline"]["date"]),
        (&json!([]), &json!("2023-11-14T22:13:20.000Z"))
    );
    let text = LIB
        .replace("name: &str) -> String", "name: &str, loud: bool) -> String")
        .replace("pub fn part(name: &str) {}", "pub fn leave() {}");
    fs::write(fixture.root().join("src/lib.rs"), text).unwrap();
    fs::rename(fixture.root().join("src/main.rs"), fixture.root().join("src/start.rs")).unwrap();
    fixture.clock.advance(Duration::from_secs(100 * 86_400));
    for baseline in ["HEAD", "2024-01-01"] {
        let found = ok(&fixture, "diverge", json!({"baseline": baseline}));
        let shown: Vec<String> = found["symbols"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| {
                format!(
                    "{} {} {}",
                    one["change"].as_str().unwrap(),
                    one["name"].as_str().unwrap(),
                    one["at"].as_str().unwrap()
                )
            })
            .collect();
        assert_eq!(
            shown,
            ["removed part src/lib.rs:5", "signature greet src/lib.rs:1", "added leave src/lib.rs:5"]
        );
        assert_eq!((&found["files_changed"], &found["files_renamed"]), (&json!(1), &json!(1)), "{found}");
    }
    let moved = ok(&fixture, "drift", json!({"since": "HEAD"}));
    assert_eq!(moved["files"][0]["path"], "src/lib.rs", "{moved}");
    assert_eq!(moved["folders"][0]["symbols"], 3, "{moved}");
}

#[test]
fn pages_lead_through_everything_that_differs_once() {
    let fixture = committed();
    let many: String = (0..40).map(|nth| format!("pub fn added_{nth:02}() {{}}\n")).collect();
    for nth in 0..7 {
        fs::write(fixture.root().join(format!("src/more_{nth}.rs")), &many).unwrap();
    }
    let walk = |tool: &str, list: &str, key: &str, arguments: Value| {
        let (mut seen, mut cursor) = (Vec::new(), json!(0));
        loop {
            let mut asked = arguments.clone();
            asked["cursor"] = cursor.clone();
            let page = ok(&fixture, tool, asked);
            let shown = page[list].as_array().unwrap();
            assert!(!shown.is_empty(), "{page}");
            seen.extend(shown.iter().map(|one| one[key].as_str().unwrap().to_owned()));
            cursor = page["next_cursor"].clone();
            assert_eq!(page["truncated"].as_bool(), Some(!cursor.is_null()), "{page}");
            if cursor.is_null() {
                return seen;
            }
        }
    };
    for arguments in [
        json!({"baseline": "HEAD", "limit": 500}),
        json!({"baseline": "HEAD", "limit": 3}),
        json!({"baseline": "HEAD", "max_chars": 900}),
    ] {
        let mut seen = walk("diverge", "symbols", "at", arguments);
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 7 * 40);
    }
    for arguments in [json!({"since": "HEAD", "limit": 2}), json!({"since": "HEAD", "max_chars": 700})] {
        let mut seen = walk("drift", "files", "path", arguments);
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 7);
    }
}

#[test]
fn a_commit_is_counted_as_soon_as_it_is_made() {
    let fixture = committed();
    let commits = || ok(&fixture, "metrics", json!({"path": "src/lib.rs"}))["rows"][0]["commits"].clone();
    assert_eq!(commits(), 1);
    let repo = gix::open(fixture.root()).unwrap();
    let first = repo.head_id().unwrap().detach();
    let mut tree = repo.head_tree().unwrap().edit().unwrap();
    let text = format!("{LIB}\npub fn more() {{}}\n");
    tree.upsert("src/lib.rs", gix::objs::tree::EntryKind::Blob, repo.write_blob(&text).unwrap()).unwrap();
    fs::write(fixture.root().join("src/lib.rs"), &text).unwrap();
    // The file is known before it is committed: only the history moves.
    assert_eq!(commits(), 1);
    let tree = tree.write().unwrap();
    let who = gix::actor::SignatureRef { name: "Ann".into(), email: "a@x".into(), time: "1700000100 +0000" };
    repo.commit_as(who, who, "HEAD", "second", tree, [first]).unwrap();
    assert_eq!(commits(), 2);
}

#[test]
fn a_baseline_that_is_not_there_is_refused_with_what_would_do() {
    let fixture = committed();
    for (baseline, code) in
        [("nowhere", "invalid_params"), ("1999-01-01", "unknown_target"), ("last_session", "unknown_target")]
    {
        let refused = fixture.call("diverge", json!({"baseline": baseline}));
        assert_eq!(refused.body["error"]["code"], code, "{}", refused.text());
    }
    for (tool, argument) in [("diverge", "baseline"), ("drift", "since")] {
        let refused = fixture.call(tool, json!({ argument: "2999-01-01" }));
        let said = refused.body["error"]["message"].as_str().unwrap_or_default();
        assert!(said.contains(argument) && said.contains("nothing is younger"), "{}", refused.text());
    }
}

#[test]
fn ghost_edges_of_what_is_not_parsed_say_that_only_parsed_files_count() {
    let fixture = committed();
    fs::create_dir(fixture.root().join("docs")).unwrap();
    fs::write(fixture.root().join("docs/guide.md"), "# Guide\n").unwrap();
    let none = ok(&fixture, "ghost_edges", json!({"scope": "docs"}));
    assert_eq!((none.get("no_data"), &none["proof_state"]), (None, &json!("blocked")), "{none}");
    assert!(none["next_step_hint"].as_str().unwrap().contains("Only parsed files count"), "{none}");
    let code = ok(&fixture, "ghost_edges", json!({"scope": "src"}));
    assert!(code["next_step_hint"].as_str().unwrap().contains("No two files change together"), "{code}");
}
