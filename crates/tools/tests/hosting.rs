//! Programs and hosts: two programs, entries that lead elsewhere, hostile settings, each brought about for real.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use m1nd_runtime::workspace::BindingSource;
use m1nd_runtime::{Machine, Runtime, Silent, ToolCall};
use m1nd_stdx::cancel::CancelToken;
use m1nd_stdx::clock::SystemClock;
use m1nd_testkit::{lay_out, settings};
use serde_json::{Value, json};

/// A machine with a home, two folders of programs, and a server that was started from the first.
struct Desk {
    dir: tempfile::TempDir,
    runtime: Runtime,
}

impl Desk {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let at = |path: &str| dir.path().join(path);
        lay_out(&at("ws"), "//- a.py\ndef a(): ...\n");
        for folder in ["home", "bin", "other", "state"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        program(&at("bin/m1nd"), "this program");
        let machine = Machine {
            user_home: Some(at("home")),
            config_home: None,
            search_path: Some(std::env::join_paths([at("bin"), at("other")]).unwrap()),
        };
        let clock = Arc::new(SystemClock::new());
        let runtime =
            Runtime::new(m1nd_tools::surface(), settings(&at("state")), clock, Some(at("bin/m1nd")));
        let runtime = runtime.on(machine);
        runtime.bind(&at("ws"), BindingSource::Flag).unwrap();
        let desk = Self { dir, runtime };
        desk.ask("ingest", json!({}));
        desk
    }

    fn at(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn ask(&self, tool: &str, mut arguments: Value) -> Value {
        arguments["agent_id"] = json!("a");
        let arguments = arguments.as_object().unwrap().clone();
        let call = ToolCall { name: tool.to_owned(), arguments };
        let reply = self.runtime.call(call, &CancelToken::default(), &Silent);
        assert!(!reply.is_error, "{tool}: {}", reply.text());
        reply.body
    }

    /// What `doctor` and `recovery_playbook` find, which must be the same, as must be what all four say is wrong; every step
    /// that is a call can be taken.
    fn diagnoses(&self, saw: Value) -> Vec<String> {
        let doctor = self.ask("doctor", saw.clone());
        let hand = self.ask("session_handshake", saw.clone());
        let test = self.ask("trust_selftest", saw.clone());
        let is_plain = saw == json!({});
        let book = self.ask("recovery_playbook", saw);
        let warnings = |said: &Value| said["warnings"].as_array().cloned().unwrap_or_default();
        assert_eq!((warnings(&hand), warnings(&test)), (warnings(&doctor), warnings(&doctor)));
        assert_eq!(test["ok"] == true, doctor["status"] == "ok", "{doctor} {test}");
        if is_plain {
            let health = self.ask("health", json!({}));
            assert_eq!(
                (&health["status"], &health["trust_mode"], warnings(&health)),
                (&doctor["status"], &doctor["trust_mode"], warnings(&doctor))
            );
        }
        let is_well = hand["next_action"].to_string().contains("Nothing is wrong");
        assert_eq!(is_well, doctor["status"] == "ok", "{doctor} {hand}");
        let names = |found: &Value| -> Vec<String> {
            let found = found.as_array().cloned().unwrap_or_default();
            found.iter().map(|found| found["diagnosis"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(names(&doctor["diagnostics"]["found"]), names(&book["diagnoses"]), "{doctor} {book}");
        assert_eq!(doctor["status"] == "ok", book["status"] == "ok", "{doctor} {book}");
        // To federate is the other way to put a repository in.
        for step in book["steps"].as_array().unwrap().iter().filter(|step| step["id"] != "federate") {
            if let Some(tool) = step["tool"].as_str() {
                self.ask(tool, step["arguments"].clone());
            }
        }
        names(&book["diagnoses"])
    }
}

fn program(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn servers(command: &str) -> String {
    json!({"mcpServers": {"m1nd": {"command": command, "args": ["serve"]}, "else": {"command": "x"}}})
        .to_string()
}

#[test]
fn one_program_everywhere_is_consistent() {
    let desk = Desk::new();
    desk.write("ws/.mcp.json", &servers("m1nd"));
    symlink(desk.at("bin/m1nd"), desk.at("other/m1nd")).unwrap();
    let check = desk.ask("update_check", json!({}));
    assert_eq!(check["status"], "consistent", "{check}");
    assert_eq!(check["hosts"][0]["binary"], "this_one", "{check}");
    assert_eq!(check["hosts"][0]["version"], "0.0.0 (test)");
    assert_eq!(desk.diagnoses(json!({})), Vec::<String>::new());
}

#[test]
fn a_second_program_on_the_path_or_in_a_host_is_told_and_never_run() {
    let desk = Desk::new();
    let witness = desk.at("was-run");
    let script = format!("#!/bin/sh\ntouch {}\n# m1nd-build-mark:0.0.7 (old);\n", witness.display());
    program(&desk.at("other/m1nd"), &script);
    let check = desk.ask("update_check", json!({}));
    assert_eq!(check["status"], "mixed", "{check}");
    assert_eq!(check["on_path"][1]["version"], "0.0.7 (old)", "{check}");
    assert_eq!(desk.diagnoses(json!({})), ["mixed_binaries"]);
    fs::remove_file(desk.at("other/m1nd")).unwrap();
    assert_eq!(desk.diagnoses(json!({})), Vec::<String>::new());

    program(&desk.at("home/m1nd"), &script);
    desk.write("home/.cursor/mcp.json", &servers("~/m1nd"));
    let status = desk.ask("hosts_status", json!({"host": "cursor"}));
    let entry = &status["hosts"][0]["entries"][0];
    assert_eq!((&entry["binary"], &entry["version"]), (&json!("another"), &json!("0.0.7 (old)")), "{status}");
    assert!(status["warnings"][0].as_str().unwrap().contains("another program"), "{status}");
    assert_eq!(desk.diagnoses(json!({})), ["mixed_binaries"]);
    assert!(!witness.exists(), "a program of others was run");
}

#[test]
fn a_program_that_was_replaced_or_removed_under_the_server_is_told_with_its_version() {
    let desk = Desk::new();
    program(&desk.at("new"), "newer m1nd-build-mark:9.0.0 (new);");
    fs::rename(desk.at("new"), desk.at("bin/m1nd")).unwrap();
    let check = desk.ask("update_check", json!({}));
    assert_eq!(check["status"], "stale_process", "{check}");
    assert_eq!(check["running"]["version"], "0.0.0 (test)");
    assert_eq!(check["on_disk"], json!({"state": "replaced", "version": "9.0.0 (new)"}));
    assert!(desk.diagnoses(json!({})).contains(&"stale_binary".to_owned()));
    assert!(check["non_claims"].to_string().contains("does not say that a host was updated"), "{check}");
    fs::remove_file(desk.at("bin/m1nd")).unwrap();
    assert_eq!(desk.ask("update_check", json!({}))["on_disk"]["state"], "gone");
    assert_eq!(desk.diagnoses(json!({})), ["stale_binary"]);
}

#[test]
fn every_kind_of_host_is_read() {
    let desk = Desk::new();
    let own = desk.at("bin/m1nd").display().to_string();
    let ws = desk.at("ws").canonicalize().unwrap().display().to_string();
    let in_project =
        json!({"projects": {ws: {"mcpServers": {"m1nd": {"command": own, "args": ["serve"]}}}}}).to_string();
    desk.write("home/.claude.json", &in_project);
    desk.write("home/.config/Claude/claude_desktop_config.json", &servers(&own));
    desk.write(
        "home/.codex/config.toml",
        &format!("model = \"x\"\n[mcp_servers.m1nd]\ncommand = \"{own}\"\nargs = [\"serve\"]\n"),
    );
    desk.write("home/.codeium/windsurf/mcp_config.json", &servers(&own));
    desk.write("ws/.cursor/mcp.json", &servers(&own));
    desk.write("ws/.gemini/settings.json", &servers(&own));
    desk.write("ws/opencode.json", &json!({"mcp": {"m1nd": {"command": [own, "serve"]}}}).to_string());
    let workspace = "{\n// by hand\n\"servers\": {\"m1nd\": {\"command\": \"m1nd\", \"args\": [\"serve\", \"--workspace\", \"${workspaceFolder}\"],},},}";
    desk.write("ws/.vscode/mcp.json", workspace);
    let zed =
        json!({"theme": "x", "context_servers": {"m1nd": {"command": {"path": own, "args": ["serve"]}}}});
    desk.write("home/.config/zed/settings.json", &zed.to_string());
    let status = desk.ask("hosts_status", json!({}));
    let hosts = status["hosts"].as_array().unwrap();
    let names: Vec<&str> = hosts.iter().map(|host| host["host"].as_str().unwrap()).collect();
    let all =
        ["claude", "claude_desktop", "codex", "cursor", "gemini", "opencode", "vscode", "windsurf", "zed"];
    assert_eq!(names, all, "{status}");
    for host in hosts {
        assert_eq!(host["entries"][0]["binary"], "this_one", "{host}");
    }
    assert_eq!(hosts[6]["entries"][0]["workspace_match"], true, "{}", hosts[6]);
    assert_eq!((&status["warnings"], &status["without_entry"]), (&json!([]), &json!([])), "{status}");
}

#[test]
fn an_entry_that_cannot_be_started_or_leads_elsewhere_is_told() {
    let desk = Desk::new();
    desk.write("home/.cursor/mcp.json", &servers("/nowhere/m1nd"));
    assert_eq!(desk.diagnoses(json!({})), ["dead_transport"]);
    desk.write("home/plain/m1nd", "no program");
    desk.write("home/.cursor/mcp.json", &servers("~/plain/m1nd"));
    assert_eq!(desk.diagnoses(json!({})), ["dead_transport"]);
    assert_eq!(desk.ask("update_check", json!({"host": "cursor"}))["status"], "mixed");
    let elsewhere = json!({"mcpServers": {"m1nd": {"command": "m1nd", "args": ["serve"], "env": {"M1ND_WORKSPACE_ROOT": desk.at("home")}}}});
    desk.write("home/.cursor/mcp.json", &elsewhere.to_string());
    let status = desk.ask("hosts_status", json!({}));
    assert!(status["warnings"][0].as_str().unwrap().contains("another workspace"), "{status}");
    for (command, binary) in [("npx", "missing"), ("sh", "unknown"), ("${SOME}/m1nd", "unknown")] {
        program(&desk.at("bin/sh"), "a shell");
        desk.write("home/.cursor/mcp.json", &servers(command));
        let status = desk.ask("hosts_status", json!({"host": "cursor"}));
        assert_eq!(status["hosts"][0]["entries"][0]["binary"], binary, "{status}");
    }
}

#[test]
fn an_entry_of_the_workspace_that_binds_another_one_is_told_by_all() {
    let desk = Desk::new();
    let bound = |to: &str| {
        let server =
            json!({"command": "m1nd", "args": ["serve"], "env": {"M1ND_WORKSPACE_ROOT": desk.at(to)}});
        json!({"mcpServers": {"m1nd": server}}).to_string()
    };
    desk.write("ws/.cursor/mcp.json", &bound("ws"));
    assert_eq!(desk.diagnoses(json!({})), Vec::<String>::new());
    desk.write("ws/.cursor/mcp.json", &bound("home"));
    assert_eq!(desk.diagnoses(json!({})), ["wrong_workspace"]);
    let doctor = desk.ask("doctor", json!({}));
    let said = doctor["warnings"][0].as_str().unwrap();
    assert!(
        said.contains("binds m1nd to another workspace") && said.contains(".cursor/mcp.json"),
        "{doctor}"
    );
    assert_eq!(
        (&doctor["status"], &doctor["trust_mode"]),
        (&json!("degraded"), &json!("full_trust")),
        "{doctor}"
    );
    // What the user bound elsewhere serves another repository.
    desk.write("ws/.cursor/mcp.json", &bound("ws"));
    desk.write("home/.cursor/mcp.json", &bound("home"));
    assert_eq!(desk.diagnoses(json!({})), Vec::<String>::new());
}

#[test]
fn an_entry_by_which_nothing_can_come_to_life_is_told_with_what_is_wrong_with_it() {
    let desk = Desk::new();
    let entry = |server: Value| json!({"mcpServers": {"m1nd": server}}).to_string();
    let cases = [
        (json!({"command": "m1nd"}), "do not say `serve`"),
        (json!({"command": 7}), "its command is no text"),
        (json!({"args": ["serve"]}), "names no command"),
        (json!({"command": "m1nd", "args": ["serve", "--workspace", "/nowhere"]}), "is no folder"),
    ];
    for (server, said) in cases {
        desk.write("home/.cursor/mcp.json", &entry(server.clone()));
        let status = desk.ask("hosts_status", json!({"host": "cursor"}));
        assert!(status["warnings"].to_string().contains(said), "{status}");
        let check = desk.ask("update_check", json!({"host": "cursor"}));
        assert_eq!(check["status"] == "consistent", said == "is no folder", "{check}");
    }
    let noted = [
        (json!({"command": "./m1nd", "args": ["serve"]}), "relative path"),
        (json!({"command": "m1nd", "args": ["serve"], "disabled": true}), "switched off"),
        (json!({"command": "${BIN}/m1nd", "args": ["serve"]}), "holds a variable"),
        (json!({"url": "http://127.0.0.1:1/mcp"}), "by address"),
    ];
    for (server, said) in noted {
        desk.write("home/.cursor/mcp.json", &entry(server));
        let status = desk.ask("hosts_status", json!({"host": "cursor"}));
        assert!(status["hosts"][0]["entries"][0]["note"].to_string().contains(said), "{status}");
    }
    desk.write("home/.codex/config.toml", "model = \"x\"\n[mcp_servers.m1nd\n");
    let status = desk.ask("hosts_status", json!({"host": "codex"}));
    assert!(status["warnings"].to_string().contains("no TOML (line 2)"), "{status}");
}

#[test]
fn hostile_settings_are_said_and_break_nothing() {
    let desk = Desk::new();
    let deep = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
    for text in ["{ broken", "[1]", "{\"mcpServers\": [1]}", deep.as_str(), "\u{0}"] {
        desk.write("ws/.mcp.json", text);
        let status = desk.ask("hosts_status", json!({"host": "claude"}));
        assert_eq!(status["hosts"][0]["problems"].as_array().unwrap().len(), 1, "{status}");
        assert_eq!(status["hosts"][0]["configured"], false);
    }
    let odd = json!({"mcpServers": {"m1nd": {"command": {"path": ["x"]}}, "m1nd2": 7, "m1nd3": null}});
    desk.write("ws/.mcp.json", &odd.to_string());
    let status = desk.ask("hosts_status", json!({"host": "claude"}));
    assert_eq!(status["hosts"][0]["entries"].as_array().unwrap().len(), 3, "{status}");
    let long = servers(&"x".repeat(100_000));
    desk.write("ws/.mcp.json", &long);
    assert!(desk.ask("hosts_status", json!({})).to_string().len() < 3_000);
    let huge = fs::File::create(desk.at("home/.claude.json")).unwrap();
    huge.set_len(1 << 40).unwrap();
    let status = desk.ask("hosts_status", json!({"host": "claude"}));
    assert!(status["warnings"].to_string().contains("more than"), "{status}");
    fs::remove_file(desk.at("ws/.mcp.json")).unwrap();
    symlink("/dev/zero", desk.at("ws/.mcp.json")).unwrap();
    let status = desk.ask("hosts_status", json!({"host": "claude"}));
    assert!(status["warnings"].to_string().contains("no file"), "{status}");
}

#[test]
fn the_other_diagnoses_are_reached_by_what_an_agent_saw() {
    let desk = Desk::new();
    let old = json!({"available_tools": ["mcp__m1nd__old_name", "mcp__other__x"]});
    assert!(desk.diagnoses(old).contains(&"missing_recovery_tools".to_owned()));
    let shown: Vec<String> =
        desk.runtime.listings().iter().map(|listing| format!("mcp__m1nd__{}", listing.name)).collect();
    assert_eq!(desk.diagnoses(json!({"available_tools": shown})), Vec::<String>::new());
    let with_old = [shown, vec!["mcp__m1nd__gone_tool".to_owned()]].concat();
    let stale = json!({"available_tools": with_old});
    assert_eq!(desk.diagnoses(stale.clone()), ["stale_host_tool_surface"]);
    assert_eq!(desk.ask("session_handshake", stale)["tool_surface"]["status"], "stale");
    assert_eq!(
        desk.diagnoses(json!({"observed_tool": "seek", "observed_candidates": 0})),
        ["retrieval_blocked"]
    );
    assert_eq!(
        desk.diagnoses(json!({"error_text": "MCP error -32000: Connection closed"})),
        ["dead_transport"]
    );
    assert_eq!(desk.diagnoses(json!({"scope": desk.at("home")})), ["wrong_workspace"]);
}

#[test]
fn a_program_that_is_gone_must_be_installed_before_anything_is_restarted() {
    let desk = Desk::new();
    fs::remove_file(desk.at("bin/m1nd")).unwrap();
    let check = desk.ask("update_check", json!({}));
    assert_eq!((&check["status"], &check["on_disk"]["state"]), (&json!("gone"), &json!("gone")), "{check}");
    assert!(check["plan"][0].as_str().unwrap().starts_with("Install the program again"), "{check}");
}

#[test]
fn settings_of_a_host_that_cannot_be_read_are_told_by_all() {
    let desk = Desk::new();
    desk.write("home/.cursor/mcp.json", "{ not json");
    let check = desk.ask("update_check", json!({}));
    assert_eq!(check["status"], "mixed", "{check}");
    assert_eq!(desk.diagnoses(json!({})), ["dead_transport"]);
}
