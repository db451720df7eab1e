//! Missions from one process to the next: what is kept can be found, checked and made again.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

struct Machine {
    dir: TempDir,
}

impl Machine {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let files = "//- src/main.py\ndef main(): greet()\n//- README.md\nGreetings.\n";
        for repo in ["repo", "other"] {
            m1nd_testkit::lay_out(&dir.path().join(repo), files);
            fs::create_dir(dir.path().join(repo).join(".git")).unwrap();
        }
        Self { dir }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn run(&self, folder: &Path, arguments: &[&str]) -> Output {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("m1nd"));
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("M1ND_") {
                command.env_remove(name);
            }
        }
        let command = command.args(arguments).current_dir(folder);
        command.env("M1ND_HOME", self.at("home")).env("HOME", self.dir.path()).output().unwrap()
    }

    fn call(&self, folder: &Path, tool: &str, mut arguments: Value) -> Value {
        arguments["agent_id"] = json!("ada");
        let output = self.run(folder, &["call", tool, "--json", &arguments.to_string()]);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|err| panic!("{tool}: {err}: {output:?}"))
    }

    /// A mission with a verified claim about a file.
    fn proved(&self, folder: &Path, file: &str) -> String {
        let begun = self.call(folder, "mission_start", json!({"goal": "know it", "mode": "bug_hunt"}));
        let id = begun["mission_id"].as_str().unwrap().to_owned();
        let seen = self.call(folder, "view", json!({"file_path": file, "mission_id": id}));
        let cited = json!([seen["mission_event_id"]]);
        let claim = json!({"mission_id": id, "claim": "main greets", "event_ids": cited});
        assert_eq!(self.call(folder, "mission_verify", claim)["verdict"], "verified_for_mission", "{seen}");
        id
    }

    fn close(&self, folder: &Path, id: &str) -> Value {
        self.call(folder, "mission_close", json!({"mission_id": id, "force": true}))
    }
}

#[test]
fn the_packet_of_a_closed_mission_can_be_made_again_and_is_the_same() {
    let machine = Machine::new();
    let repo = machine.at("repo");
    let id = machine.proved(&repo, "src/main.py");
    let first = machine.close(&repo, &id);
    let path = PathBuf::from(first["packet_path"].as_str().unwrap());
    let written = fs::read(&path).unwrap();
    fs::remove_file(&path).unwrap();
    let shown = machine.call(&repo, "mission_show", json!({"mission_id": id}));
    assert_eq!(shown["next_suggested_tool"], "mission_close", "{shown}");
    let again = machine.call(&repo, "mission_close", json!({"mission_id": id}));
    assert_eq!(again["already_closed"], true, "{again}");
    assert_eq!(again["packet_digest"], first["packet_digest"], "{again}");
    assert_eq!(fs::read(&path).unwrap(), written);
    let shown = machine.call(&repo, "mission_show", json!({"mission_id": id}));
    assert_eq!(shown["sequence"], first["event_count"], "nothing was recorded: {shown}");
    assert_eq!(shown["packet_path"], first["packet_path"], "{shown}");
}

#[test]
fn a_stream_that_was_changed_is_not_made_into_a_packet() {
    let machine = Machine::new();
    let repo = machine.at("repo");
    let id = machine.proved(&repo, "src/main.py");
    let kept = fs::read_dir(machine.at("home/workspaces")).unwrap().next().unwrap().unwrap().path();
    let store = kept.join("memory.db");
    assert!(fs::metadata(kept.join("memory.db-wal")).map_or(0, |meta| meta.len()) == 0);
    let bytes = fs::read(&store).unwrap();
    let (from, to) = (&br#""outcome":"read""#[..], &br#""outcome":"rEad""#[..]);
    let at = bytes.windows(from.len()).position(|found| found == from).unwrap();
    let changed = [&bytes[..at], to, &bytes[at + from.len()..]].concat();
    fs::write(&store, changed).unwrap();
    let refused = machine.close(&repo, &id);
    assert!(refused["error"]["message"].as_str().unwrap().contains("not as they were recorded"), "{refused}");
    let shown = machine.call(&repo, "mission_show", json!({"mission_id": id}));
    assert_eq!(shown["status"], "open", "{shown}");
    assert!(!kept.join(format!("missions/{id}.packet.json")).exists());
}

#[test]
fn a_mission_goes_on_in_a_folder_that_was_renamed() {
    let machine = Machine::new();
    let id = machine.proved(&machine.at("repo"), "src/main.py");
    let renamed = machine.at("renamed");
    fs::rename(machine.at("repo"), &renamed).unwrap();
    let next = machine.call(&renamed, "mission_next", json!({"mission_id": id}));
    assert_ne!(next["next_move"]["tool"], "recovery_playbook", "{next}");
    let seen = machine.call(&renamed, "view", json!({"file_path": "README.md", "mission_id": id}));
    assert!(seen["mission_warnings"].is_null(), "{seen}");
    let child = machine.call(&renamed, "mission_resume", json!({"mission_id": id}));
    let shown = machine.call(&renamed, "mission_show", json!({"mission_id": child["mission_id"]}));
    assert_eq!(shown["repo"], json!(renamed), "{shown}");
    assert_eq!(shown["context_guard"]["class"], "single_repo", "{shown}");
    let closed = machine.call(&renamed, "mission_close", json!({"mission_id": id}));
    assert_eq!(closed["gaps"], json!([]), "{closed}");
    // Another folder in its place is another workspace, also with the same state.
    fs::create_dir(machine.at("repo")).unwrap();
    let kept = fs::read_dir(machine.at("home/workspaces")).unwrap().next().unwrap().unwrap().path();
    let other = machine.at("other");
    let asked = ["--runtime-root", kept.to_str().unwrap(), "call", "mission_next", "--json"];
    let open = json!({"mission_id": child["mission_id"], "agent_id": "ada"}).to_string();
    let output = machine.run(&other, &[&asked[..], &[&open]].concat());
    assert!(String::from_utf8_lossy(&output.stdout).contains("recovery_playbook"), "{output:?}");
}

#[test]
fn files_of_another_repository_in_the_graph_are_found_by_verify() {
    let machine = Machine::new();
    let repo = machine.at("repo");
    let add = json!({"path": machine.at("other"), "namespace": "second", "intent": "add_root"});
    machine.call(&repo, "ingest", add);
    let id = machine.proved(&repo, "second::/src/main.py");
    let packet = machine.close(&repo, &id)["packet_path"].as_str().unwrap().to_owned();
    let verify = |more: &[&str]| machine.run(&machine.at("home"), &[&["verify", &packet][..], more].concat());
    let output = verify(&[]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    fs::write(machine.at("other/src/main.py"), "def main(): ...\n").unwrap();
    assert_eq!(verify(&[]).status.code(), Some(2));
    // Where nobody knows that repository, its files are not said to be gone.
    let kept = fs::read_dir(machine.at("home/workspaces")).unwrap();
    for root in kept.map(|entry| entry.unwrap().path().join("roots.json")).filter(|path| path.exists()) {
        fs::remove_file(root).unwrap();
    }
    let unknown = verify(&[]);
    assert_eq!(unknown.status.code(), Some(3), "{unknown:?}");
    let named = format!("second::={}", machine.at("other").display());
    assert_eq!(verify(&["--root", &named]).status.code(), Some(2));
}
