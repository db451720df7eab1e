//! The command line as a person or a script uses it.

#![allow(clippy::unwrap_used)]

use std::fs;

use m1nd_testkit::Machine;
use serde_json::{Value, json};

fn machine() -> Machine {
    let files = "//- src/main.rs\nfn main() {\n    greet();\n}\n//- README.md\nGreetings.\n";
    Machine::new(assert_cmd::cargo::cargo_bin!("m1nd")).with("repo", files)
}

#[test]
fn the_version_names_the_build() {
    let output = machine().run(&["--version"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with(concat!("m1nd ", env!("CARGO_PKG_VERSION"), " (")), "{text}");
}

#[test]
fn the_same_call_works_with_json_with_flags_and_by_its_short_form() {
    let machine = machine();
    let core = |mut body: Value| {
        let map = body.as_object_mut().unwrap();
        for name in ["elapsed_ms", "freshness", "agent_runtime_contract"] {
            map.remove(name);
        }
        body
    };
    let json = core(machine.json(&["call", "search", "--json", r#"{"query": "GREET", "context_lines": 0}"#]));
    let flags = core(machine.json(&["call", "search", "--query", "GREET", "--context-lines", "0"]));
    let short = core(machine.json(&["search", "GREET"]));
    assert_eq!(json["total_matches"], 2);
    assert_eq!(json, flags);
    assert_eq!(json, short);
}

#[test]
fn a_refused_call_prints_the_body_and_fails() {
    let machine = machine();
    let output = machine.run(&["call", "view", "--file-path", "../x"]);
    assert_eq!(output.status.code(), Some(1));
    let body: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(body["error"]["code"], "path_outside_workspace");
    assert_eq!(machine.run(&["call", "serch"]).status.code(), Some(1));
    assert_eq!(machine.run(&["nonsense"]).status.code(), Some(2));
    assert_eq!(machine.run(&["call", "view", "--file-paht", "x"]).status.code(), Some(2));
}

#[test]
fn view_tools_and_help_answer_without_a_terminal() {
    let machine = machine();
    // A line stands for what is around it.
    assert_eq!(
        machine.json(&["view", "src/main.rs:2"])["content"],
        "1\tfn main() {\n2\t    greet();\n3\t}\n"
    );
    assert!(machine.json(&["tools"]).as_array().unwrap().iter().any(|tool| tool["name"] == "search"));
    let help = String::from_utf8(machine.run(&["help", "glob"]).stdout).unwrap();
    assert!(help.starts_with("glob: Files by path pattern."), "{help}");
    let intent = String::from_utf8(machine.run(&["help", "read", "a", "file"]).stdout).unwrap();
    assert!(intent.contains("view:"), "{intent}");
}

#[test]
fn config_show_says_where_values_come_from() {
    let machine = machine();
    fs::write(machine.repo().join("m1nd.toml"), "toolsets = [\"all\"]\n").unwrap();
    let shown = machine.json(&["config", "show", "--read-only"]);
    assert!(shown["toolsets"]["from"].as_str().unwrap().ends_with("m1nd.toml"));
    assert_eq!(shown["read_only"], json!({"value": "true", "from": "flag --read-only"}));
    assert_eq!(shown["workspace"]["from"], "the current folder");
    let wrong = machine.run(&["config", "show", "--toolsets", "nope"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("there is no toolset nope"));
}

#[test]
fn a_tool_keeps_its_own_arguments_even_when_m1nd_has_a_flag_of_that_name() {
    let body = machine().json(&["call", "toolset_enable", "--toolsets", "all"]);
    assert_eq!(body["available"], json!([]));
}

#[test]
fn an_unknown_toolset_in_a_file_is_passed_over() {
    let machine = machine();
    fs::write(machine.repo().join("m1nd.toml"), "toolsets = [\"nope\"]\n").unwrap();
    let output = machine.run(&["search", "greet"]);
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("nope"));
    fs::write(machine.repo().join("m1nd.toml"), "toolsets = [\"mission\"]\n").unwrap();
    assert!(machine.run(&["search", "greet"]).stderr.is_empty(), "a toolset without tools is no mistake");
}

#[test]
fn doctor_sees_that_the_home_is_a_file() {
    let machine = machine();
    fs::write(machine.at("home"), "x").unwrap();
    let report = machine.json(&["doctor"]);
    let home = report["checks"].as_array().unwrap().iter().find(|check| check["name"] == "home").unwrap();
    assert_eq!(home["state"], "failed");
}

#[test]
fn json_that_is_no_json_is_called_so() {
    let output = machine().run(&["call", "search", "--json", "not json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("not JSON"));
}

#[test]
fn a_question_writes_nothing_into_the_repository_or_the_home() {
    let machine = machine();
    let before = fs::read_dir(machine.repo()).unwrap().count();
    machine.json(&["search", "greet"]);
    machine.json(&["call", "health"]);
    assert_eq!(fs::read_dir(machine.repo()).unwrap().count(), before);
    assert!(!machine.at("home").exists());
}

#[test]
fn outside_any_repository_the_current_folder_is_the_workspace_and_home_is_none() {
    let machine = machine();
    let plain = machine.at("plain");
    fs::create_dir(&plain).unwrap();
    fs::write(plain.join("a.txt"), "greet\n").unwrap();
    let output = machine.run_in(&plain, &["search", "greet"]);
    assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap()["total_matches"], 1);
    let output = machine.run_in(&machine.at(""), &["search", "greet"]);
    let body: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(body["error"]["code"], "wrong_workspace_binding");
}

#[test]
fn a_workspace_that_does_not_exist_is_named() {
    let output = machine().run(&["search", "x", "--workspace", "/no/such/folder"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("/no/such/folder"));
}

#[test]
fn completions_are_printed_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = machine().run(&["completions", shell]);
        assert!(String::from_utf8_lossy(&output.stdout).contains("m1nd"), "{shell}");
    }
}

#[test]
fn a_tool_that_is_asked_for_help_is_explained() {
    let machine = machine();
    let page = |words: &[&str]| String::from_utf8(machine.run(words).stdout).unwrap();
    let explained = page(&["help", "diagram"]);
    assert!(explained.contains("diagram"), "{explained}");
    for flag in ["--help", "-h"] {
        assert_eq!(page(&["call", "diagram", flag]), explained);
    }
}

#[test]
fn an_ingest_from_a_terminal_is_counted_and_kept() {
    let machine = machine();
    let done = machine.json(&["ingest", "--json"]);
    assert_eq!((&done["state"], &done["languages"]), (&json!("done"), &json!({"rust": 1})));
    let stats = machine.json(&["stats", "--json"]);
    assert_eq!(stats["graph"]["languages"], json!({"rust": 1}));
    assert_eq!(
        stats["graph"]["coverage"],
        json!({"files_unsupported": 1}),
        "an earlier process read the files"
    );
    assert!(stats["graph"]["saved_ms"].is_i64());
    let output = machine.run(&["ingest", "--json"]);
    assert_eq!(output.stderr, b"", "no bar when nobody watches");
}

#[test]
fn another_repository_is_put_in_and_taken_out_from_a_terminal() {
    let machine = machine();
    let other = tempfile::tempdir().unwrap();
    fs::write(other.path().join("far.py"), "# @generated\ndef far(): ...\n").unwrap();
    let folder = other.path().to_str().unwrap();
    let done = machine.json(&["ingest", "--add-root", folder, "--as", "far", "--json"]);
    assert_eq!(done["languages"], json!({"python": 1, "rust": 1}), "{done}");
    assert_eq!(done["files_generated"], 1, "{done}");
    let found = machine.json(&["callers", "far", "--json"]).to_string();
    assert!(found.contains("far::/far.py"), "{found}");
    let done = machine.json(&["ingest", "--remove-root", "far", "--json"]);
    assert_eq!(done["languages"], json!({"rust": 1}), "{done}");
    assert!(!machine.run(&["ingest", "--as", "far"]).status.success());
}

#[test]
fn stats_count_what_an_edit_added() {
    let machine = machine();
    let nodes = || machine.json(&["stats", "--json"])["graph"]["nodes"].as_u64().unwrap();
    assert_eq!(nodes(), 0, "nothing is read unasked");
    machine.json(&["ingest", "--json"]);
    let before = nodes();
    fs::write(machine.repo().join("src/more.rs"), "fn more() {}\n").unwrap();
    assert_eq!(nodes(), before + 2);
}

#[test]
fn a_made_program_is_measured() {
    let report = machine().json(&["bench", "graph", "--generate", "400", "--json"]);
    for name in ["ingest_ms", "parse_only_ms", "no_change_ms", "one_file_change_ms", "restart_to_answer_ms"] {
        assert!(report[name].as_f64().is_some_and(|time| time > 0.0), "{name}: {report}");
    }
    assert!(report["nodes"].as_u64() > Some(50), "{report}");
}

/// A mission that was begun, proved and closed by processes of their own; where its packet is.
fn closed_mission(machine: &Machine) -> std::path::PathBuf {
    let call = |tool: &str, arguments: Value| machine.json(&["call", tool, "--json", &arguments.to_string()]);
    let begun = call("mission_start", json!({"goal": "read it", "mode": "docs_drift"}));
    let id = begun["mission_id"].clone();
    let seen = call("view", json!({"file_path": "src/main.rs", "mission_id": id}));
    let events = json!([seen["mission_event_id"]]);
    call(
        "mission_verify",
        json!({"mission_id": id, "claim": "main is there", "event_ids": events, "outcome": "supports",
        "quote": m1nd_testkit::line_shown(&seen)}),
    );
    let end = call("mission_close", json!({"mission_id": id, "force": true}));
    end["packet_path"].as_str().unwrap().into()
}

#[test]
fn a_packet_is_checked_against_itself_and_against_the_files() {
    let machine = machine();
    let packet = closed_mission(&machine);
    let check = |path: &std::path::Path| {
        let output = machine.run(&["verify", path.to_str().unwrap()]);
        let body: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        (output.status.code(), body)
    };
    let (code, body) = check(&packet);
    assert_eq!((code, &body["anchors"][0]["today"]), (Some(0), &json!("current")), "{body}");
    let main = machine.repo().join("src/main.rs");
    let before = fs::read_to_string(&main).unwrap();
    fs::write(&main, "fn main() { panic!() }\n").unwrap();
    let (code, body) = check(&packet);
    assert_eq!((code, &body["anchors"][0]["today"]), (Some(2), &json!("changed")), "{body}");
    fs::write(&main, before).unwrap();
    let forged = packet.with_extension("forged");
    let text = fs::read_to_string(&packet).unwrap().replace("main is there", "main is fine!");
    fs::write(&forged, text).unwrap();
    let (code, body) = check(&forged);
    assert_eq!((code, &body["intact"]), (Some(1), &json!(false)), "{body}");
    fs::write(&forged, "no packet").unwrap();
    assert_eq!(check(&forged).0, Some(1));
    assert_eq!(machine.run(&["verify", "nowhere.json"]).status.code(), Some(3), "that is no changed file");
}

#[test]
fn a_review_tells_ci_by_its_exit_code_what_it_found() {
    let machine = machine();
    let diff = "--- a/src/main.rs\n+++ b/src/main.rs\n@@ -1,3 +1,3 @@\n fn main() {\n-    hello();\n+    greet();\n }\n";
    fs::write(machine.repo().join("change.diff"), diff).unwrap();
    let review = |more: &[&str]| {
        let output = machine.run(&[&["review", "--diff", "change.diff"], more].concat());
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    assert_eq!(review(&["--fail-on", "low"]).0, Some(3));
    assert_eq!(review(&["--fail-on", "high"]).0, Some(0));
    assert_eq!(review(&["--fail-on", "nonsense"]).0, Some(2));
    assert_eq!(machine.run(&["review", "--base", "nowhere"]).status.code(), Some(1));
    let (code, text) = review(&[]);
    assert!(code == Some(0) && text.contains("untested") && text.contains("1 files, +1 -1"), "{text}");
    let log: Value = serde_json::from_str(&review(&["--format", "sarif"]).1).unwrap();
    let result = &log["runs"][0]["results"][0];
    assert_eq!((&log["version"], &result["ruleId"]), (&json!("2.1.0"), &json!("untested")), "{log}");
    assert_eq!(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "src/main.rs");
    let body: Value = serde_json::from_str(&review(&["--format", "json"]).1).unwrap();
    assert_eq!((&body["changed_files"], &body["total"]), (&json!(1), &json!(1)), "{body}");
}

#[test]
fn a_batch_a_patch_and_the_way_back() {
    let machine = machine();
    let main = || fs::read_to_string(machine.repo().join("src/main.rs")).unwrap();
    let before = main();
    let batch = json!([
        {"file_path": "src/main.rs", "edits": [{"old": "greet();", "new": "greet(1);"}]},
        {"file_path": "README.md", "rename_to": "docs/README.md"},
    ]);
    let file = machine.at("batch.json");
    fs::write(&file, batch.to_string()).unwrap();
    let file = file.to_str().unwrap();
    let shown = machine.json(&["apply", file, "--dry-run"]);
    assert!(shown["diff"].as_str().unwrap().contains("+    greet(1);"));
    assert_eq!(main(), before);
    let made = machine.json(&["apply", file]);
    assert!(main().contains("greet(1);") && machine.repo().join("docs/README.md").exists());
    let back = machine.run(&["apply", "--undo", made["batch_id"].as_str().unwrap()]);
    assert!(back.status.success());
    assert_eq!(main(), before);
    assert!(machine.repo().join("README.md").exists() && !machine.repo().join("docs").exists());

    let patch = machine.at("x.patch");
    fs::write(&patch, "--- a/src/main.rs\n+++ b/src/main.rs\n@@ -2 +2 @@\n-    greet();\n+    greet(2);\n")
        .unwrap();
    let patch = patch.to_str().unwrap();
    assert!(machine.run(&["apply", "--diff", patch]).status.success());
    assert!(main().contains("greet(2);"));
    let twice = machine.run(&["apply", "--diff", patch]);
    assert_eq!(twice.status.code(), Some(1));
    assert!(String::from_utf8(twice.stdout).unwrap().contains("fits nowhere"));
    let refused = machine.json(&["--read-only", "apply", "--diff", patch]);
    assert!(refused["error"]["message"].as_str().unwrap().contains("read-only"));

    // Lines are bytes, in whatever encoding the file has.
    fs::write(machine.repo().join("latin.txt"), b"caf\xE9\nbar\n").unwrap();
    fs::write(patch, b"--- a/latin.txt\n+++ b/latin.txt\n@@ -1,2 +1,2 @@\n caf\xE9\n-bar\n+na\xEFve\n")
        .unwrap();
    assert!(machine.run(&["apply", "--diff", patch]).status.success());
    assert_eq!(fs::read(machine.repo().join("latin.txt")).unwrap(), b"caf\xE9\nna\xEFve\n");
}

#[test]
fn only_the_user_says_which_commands_verify_a_batch() {
    let machine = machine();
    let main = || fs::read_to_string(machine.repo().join("src/main.rs")).unwrap();
    let before = main();
    let batch = machine.at("batch.json");
    let edits = json!([{"file_path": "src/main.rs", "edits": [{"old": "greet();", "new": "hello();"}]}]);
    fs::write(&batch, edits.to_string()).unwrap();
    let apply = || machine.json(&["apply", batch.to_str().unwrap(), "--verify", "command"]);
    // A repository's own file names a command that nobody allowed.
    fs::write(machine.repo().join("m1nd.toml"), "verify_commands = [\"touch owned\"]").unwrap();
    assert!(apply()["error"]["message"].as_str().unwrap().contains("verify_commands"));
    assert!(!machine.repo().join("owned").exists());
    fs::remove_file(machine.repo().join("m1nd.toml")).unwrap();
    let home = machine.at("home");
    fs::create_dir_all(&home).unwrap();
    let allow = |commands: &str| {
        fs::write(home.join("config.toml"), format!("verify_commands = {commands}")).unwrap()
    };
    allow("[\"echo seen; grep -q greet src/main.rs\"]");
    let refused = apply();
    assert_eq!(refused["error"]["code"], "conflict");
    let run = &refused["error"]["detail"]["commands"][0];
    assert_eq!((&run["exit_code"], &run["output"]), (&json!(1), &json!("seen")));
    assert_eq!(main(), before);
    allow("[\"grep -q hello src/main.rs\"]");
    assert_eq!(apply()["commands"][0]["exit_code"], 0);
    assert_ne!(main(), before);
}
