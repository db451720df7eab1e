//! The context guard in every tool that takes paths: another repository is told, with ways there that work.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::Arc;

use m1nd_runtime::Runtime;
use m1nd_runtime::workspace::BindingSource;
use m1nd_stdx::clock::SystemClock;
use m1nd_testkit::{Fixture, lay_out, settings};
use serde_json::{Value, json};

mod common;
use common::{ok, refused};

/// Repository A is active; B stands beside it, and a second work tree of A.
fn two() -> (Fixture, PathBuf, PathBuf) {
    let fixture = Fixture::new(m1nd_tools::surface(), "//- a.py\ndef alpha(): ...\n");
    fs::create_dir_all(fixture.root().join(".git/worktrees/second")).unwrap();
    ok(&fixture, "ingest", json!({}));
    let other = fixture.outside().join("b");
    fs::create_dir_all(other.join(".git")).unwrap();
    lay_out(&other, "//- lib/b.py\ndef beta(): ...\n");
    let second = fixture.outside().join("second");
    lay_out(&second, "//- a.py\ndef alpha(): ...\n");
    let gitdir = fixture.root().join(".git/worktrees/second");
    fs::write(second.join(".git"), format!("gitdir: {}\n", gitdir.display())).unwrap();
    (fixture, other.canonicalize().unwrap(), second.canonicalize().unwrap())
}

/// Every retrieval, with the argument in which it takes a path or a node.
const RETRIEVALS: [(&str, &str, &str); 17] = [
    ("seek", "scope", r#"{"query": "alpha"}"#),
    ("search", "scope", r#"{"query": "alpha"}"#),
    ("glob", "scope", r#"{"pattern": "*"}"#),
    ("view", "file_path", "{}"),
    ("batch_view", "files", "{}"),
    ("outline", "file_path", "{}"),
    ("panoramic", "scope", "{}"),
    ("audit", "path", "{}"),
    ("metrics", "path", "{}"),
    ("callers", "node_id", "{}"),
    ("callees", "node_id", "{}"),
    ("impact", "node_id", "{}"),
    ("why", "source", r#"{"target": "alpha"}"#),
    ("predict", "changed_node", "{}"),
    ("activate", "scope", r#"{"query": "alpha"}"#),
    ("scan", "scope", r#"{"pattern": "error_handling"}"#),
    ("trace", "scope", r#"{"error_text": "x"}"#),
];

fn asks(tool: &str, argument: &str, rest: &str, path: &str) -> Option<Value> {
    let listing = common::registry().listing(tool)?;
    let schema = &listing.input_schema["properties"][argument];
    let mut arguments: Value = serde_json::from_str(rest).unwrap();
    arguments[argument] = match schema["type"].as_str()? {
        "array" => json!([path]),
        _ => json!(path),
    };
    Some(arguments)
}

#[test]
fn every_retrieval_that_is_asked_for_another_repository_says_so_with_ways_there() {
    let (fixture, other, _) = two();
    let mut asked = 0;
    for (tool, argument, rest) in RETRIEVALS {
        for path in [other.clone(), other.join("lib/b.py")] {
            let Some(arguments) = asks(tool, argument, rest, path.to_str().unwrap()) else { continue };
            let reply = fixture.call(tool, arguments);
            if tool == "batch_view" {
                assert!(reply.text().contains("outside the workspace"), "{}", reply.text());
                continue;
            }
            asked += 1;
            assert!(reply.is_error, "{tool}: {}", reply.text());
            let error = &reply.body["error"];
            let guard = &error["detail"]["context_guard"];
            assert_eq!(guard["class"], "wrong_workspace_binding", "{tool}: {error}");
            assert_eq!(guard["repository"], json!(other), "{tool}: {error}");
            assert_eq!(guard["recoveries"].as_array().unwrap().len(), 3, "{tool}: {error}");
            assert!(error.to_string().len() < 1_800, "{tool}: {} bytes", error.to_string().len());
            let recovery = &error["recovery"];
            let next = recovery["arguments"].as_object().unwrap().clone();
            let hand = fixture.call_raw(recovery["next_tool"].as_str().unwrap(), next);
            assert_eq!(hand.body["trust_mode"], "wrong_workspace_binding", "{tool}: {}", hand.text());
            if let Some(contract) = reply.body.get("agent_runtime_contract") {
                assert_eq!(contract["trust_mode"], "wrong_workspace_binding", "{contract}");
                let arguments = contract["recovery"]["arguments"].as_object().unwrap().clone();
                let book = fixture.call_raw("recovery_playbook", arguments);
                assert!(book.text().contains(other.to_str().unwrap()), "{}", book.text());
            }
        }
    }
    assert!(asked >= 24, "only {asked} were asked");
}

#[test]
fn each_way_that_is_printed_works() {
    for (at, way) in ["rebind", "ingest", "federate"].into_iter().enumerate() {
        let (fixture, other, _) = two();
        let error = refused(&fixture, "search", json!({"query": "beta", "scope": other}));
        let recovery = &error["detail"]["context_guard"]["recoveries"][at];
        assert_eq!(recovery["way"], way);
        if way == "rebind" {
            let root = PathBuf::from(recovery["env"]["M1ND_WORKSPACE_ROOT"].as_str().unwrap());
            let home = fixture.outside().join("other-home");
            let runtime =
                Runtime::new(m1nd_tools::surface(), settings(&home), Arc::new(SystemClock::new()), None);
            assert!(runtime.bind(&root, BindingSource::Environment).unwrap());
            assert_eq!(runtime.workspace().unwrap().root().path(), other);
            continue;
        }
        let arguments = recovery["arguments"].as_object().unwrap().clone();
        let done = fixture.call_raw(recovery["tool"].as_str().unwrap(), arguments);
        assert_eq!(done.body["state"], "done", "{}", done.text());
        let found = ok(&fixture, "search", json!({"query": "beta", "scope": other}));
        assert_eq!(found["matches"][0]["file_path"], "b::/lib/b.py", "{found}");
        let hand = ok(&fixture, "session_handshake", json!({"scope": other}));
        assert_eq!(hand["trust_mode"], "full_trust", "{hand}");
        let begun = ok(&fixture, "mission_start", json!({"goal": "x", "mode": "orientation", "repo": other}));
        assert_eq!(begun["context_guard"]["class"], "federated", "{begun}");
    }
}

#[test]
fn a_work_tree_is_a_workspace_of_its_own_and_a_link_is_what_it_leads_to() {
    let (fixture, other, second) = two();
    let guard = |scope: &str| {
        refused(&fixture, "seek", json!({"query": "alpha", "scope": scope}))["detail"]["context_guard"]
            .clone()
    };
    let tree = guard(second.to_str().unwrap());
    assert_eq!(tree["repository"], json!(second), "{tree}");
    assert!(tree["relation"].as_str().unwrap().contains("work tree"), "{tree}");
    assert!(guard(other.to_str().unwrap())["relation"].is_null());

    let link = fixture.outside().join("link-to-a");
    symlink(fixture.root(), &link).unwrap();
    let found = ok(&fixture, "search", json!({"query": "alpha", "scope": link}));
    assert_eq!(found["matches"][0]["file_path"], "a.py", "{found}");
    symlink(&other, fixture.root().join("inside")).unwrap();
    assert_eq!(guard("inside")["repository"], json!(other), "a link that leads out");
    assert_eq!(guard("../b")["repository"], json!(other), "a path that climbs out");
    assert_eq!(guard(&format!("file://{}", other.display()))["repository"], json!(other));
}

#[test]
fn what_is_no_repository_is_not_offered() {
    let (fixture, ..) = two();
    let above = fixture.outside().to_str().unwrap().to_owned();
    for path in ["/", "/etc", "/etc/passwd", "/nowhere/at/all", above.as_str(), ".."] {
        let error = refused(&fixture, "search", json!({"query": "x", "scope": path}));
        let guard = &error["detail"]["context_guard"];
        assert_eq!(guard["class"], "wrong_workspace_binding", "{error}");
        assert!(guard["recoveries"].is_null(), "{path}: {error}");
        assert!(error.to_string().len() < 700, "{error}");
    }
}

#[test]
fn a_pattern_of_another_repository_is_one_and_a_pattern_of_this_machine_s_paths_is_understood() {
    let (fixture, other, _) = two();
    for pattern in [format!("{}/**/*.py", other.display()), format!("{}/lib/b.py", other.display())] {
        let error = refused(&fixture, "glob", json!({"pattern": pattern}));
        let guard = &error["detail"]["context_guard"];
        assert_eq!(guard["repository"], json!(other), "{error}");
        assert_eq!(error["recovery"]["next_tool"], "session_handshake", "{error}");
    }
    let root = fixture.root().canonicalize().unwrap();
    for pattern in
        [format!("{}/*.py", root.display()), "/a.py".to_owned(), format!("{}/a.py", root.display())]
    {
        let found = ok(&fixture, "glob", json!({"pattern": pattern}));
        assert_eq!(found["files"], json!(["a.py"]), "{pattern}: {found}");
    }
}

#[test]
fn a_pattern_that_climbs_out_is_told_and_one_that_comes_back_is_understood() {
    let (fixture, other, _) = two();
    fs::create_dir(fixture.root().join("src")).unwrap();
    for pattern in ["../b/**", "../b/lib/*.py", "src/../../b/lib/b.py", "../*", ".."] {
        for (tool, argument) in [("glob", "pattern"), ("search", "glob")] {
            let mut arguments = json!({argument: pattern});
            if tool == "search" {
                arguments["query"] = json!("alpha");
            }
            let error = refused(&fixture, tool, arguments);
            let guard = &error["detail"]["context_guard"];
            assert_eq!(guard["class"], "wrong_workspace_binding", "{tool} {pattern}: {error}");
            if pattern.contains("/b/") {
                assert_eq!(guard["repository"], json!(other), "{error}");
                assert_eq!(guard["recoveries"].as_array().map(Vec::len), Some(3), "{error}");
            }
        }
    }
    let error = refused(&fixture, "search", json!({"query": "x", "glob": format!("{}/**", other.display())}));
    assert_eq!(error["detail"]["context_guard"]["repository"], json!(other), "{error}");
    let error = refused(&fixture, "glob", json!({"pattern": "/etc/*"}));
    assert_eq!(error["detail"]["context_guard"]["class"], "wrong_workspace_binding", "{error}");
    for pattern in ["src/../*.py", "src/../a.py"] {
        let found = ok(&fixture, "glob", json!({"pattern": pattern}));
        assert_eq!(found["files"], json!(["a.py"]), "{pattern}: {found}");
    }
    let found = ok(&fixture, "glob", json!({"pattern": "/nowhere/*.py"}));
    assert_eq!(found["files"], json!([]), "{found}");
}

#[test]
fn a_path_beside_the_workspace_is_of_the_repository_that_was_put_into_the_graph() {
    let (fixture, other, _) = two();
    let asked = |path: &str| ok(&fixture, "session_handshake", json!({"scope": path}));
    assert_eq!(asked("../b/lib/b.py")["trust_mode"], "wrong_workspace_binding");
    ok(&fixture, "ingest", json!({"path": other, "intent": "add_root", "namespace": "lib"}));
    for path in ["../b/lib/b.py", "../b", "./../b/lib"] {
        assert_ne!(asked(path)["trust_mode"], "wrong_workspace_binding", "{path}");
        let begun = json!({"goal": "know it", "mode": "orientation", "repo": path});
        let begun = ok(&fixture, "mission_start", begun);
        assert_eq!(begun["context_guard"]["class"], "federated", "{begun}");
    }
    let seen = ok(&fixture, "view", json!({"file_path": "../b/lib/b.py"}));
    assert_eq!(seen["file_path"], "lib::/lib/b.py", "{seen}");
    let found = ok(&fixture, "search", json!({"query": "beta", "scope": "../b"}));
    assert_eq!(found["total_matches"], 1, "{found}");
    let found = ok(&fixture, "glob", json!({"pattern": "../b/**/*.py"}));
    assert_eq!(found["files"], json!(["lib::/lib/b.py"]), "{found}");
    let begun = json!({"goal": "know it", "mode": "bug_hunt", "known_paths": ["../b/lib/b.py"]});
    let begun = ok(&fixture, "mission_start", begun);
    assert_eq!(begun["starter_moves"][0]["arguments"]["file_path"], "lib::/lib/b.py", "{begun}");
    refused(&fixture, "view", json!({"file_path": "../second/a.py"}));
}

#[test]
fn a_question_that_names_a_path_of_another_repository_is_told_so() {
    let (fixture, other, _) = two();
    let path = other.join("lib/b.py");
    for tool in ["seek", "activate"] {
        for query in [format!("{}", path.display()), format!("`{}:1`", path.display())] {
            let error = refused(&fixture, tool, json!({"query": query}));
            assert_eq!(error["detail"]["context_guard"]["repository"], json!(other), "{tool}: {error}");
        }
        let asked = json!({"query": format!("why does alpha fail in {}:12?", path.display())});
        let found = ok(&fixture, tool, asked);
        let hint = found["next_step_hint"].as_str().unwrap();
        assert!(hint.contains(&format!("is of {}", other.display())), "{tool}: {found}");
        let own = fixture.root().canonicalize().unwrap().join("a.py");
        let found = ok(&fixture, tool, json!({"query": format!("alpha in {}", own.display())}));
        assert!(!found.to_string().contains("not in this graph"), "{tool}: {found}");
    }
}

#[test]
fn frames_of_another_repository_are_told_and_not_taken_for_ours() {
    let (fixture, other, _) = two();
    lay_out(&other, "//- a.py\ndef alpha(): ...\n");
    let frame = |path: &std::path::Path| format!("  File \"{}\", line 1, in alpha\n", path.display());
    let trace = |frames: &str| {
        let text = format!("Traceback (most recent call last):\n{frames}ValueError: boom\n");
        ok(&fixture, "trace", json!({"error_text": text}))
    };
    let theirs = trace(&frame(&other.join("a.py")));
    assert_eq!((&theirs["frames_mapped"], &theirs["suspects"]), (&json!(0), &json!([])), "{theirs}");
    assert_eq!(theirs["unmapped_frames"][0]["why"], format!("of {}", other.display()), "{theirs}");
    assert_eq!(theirs["other_repositories"], json!([other]), "{theirs}");
    assert_eq!(theirs["next_suggested_tool"], "session_handshake", "{theirs}");
    assert_eq!(theirs["next_suggested_target"], json!(other), "{theirs}");
    let own = fixture.root().canonicalize().unwrap().join("a.py");
    let both = trace(&format!("{}{}", frame(&other.join("lib/b.py")), frame(&own)));
    assert_eq!(both["frames_mapped"], 1, "{both}");
    assert!(both["next_step_hint"].as_str().unwrap().contains("1 frames are of"), "{both}");
    let far = trace("  File \"/build/machine/a.py\", line 1, in alpha\n");
    assert_eq!((&far["frames_mapped"], &far["other_repositories"]), (&json!(1), &Value::Null), "{far}");
}
