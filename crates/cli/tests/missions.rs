//! Missions from one process to the next: what is kept can be found, checked and made again.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use m1nd_testkit::Machine;
use serde_json::{Value, json};

/// Two repositories of the same files.
struct Missions(Machine);

impl std::ops::Deref for Missions {
    type Target = Machine;

    fn deref(&self) -> &Machine {
        &self.0
    }
}

impl Missions {
    fn new() -> Self {
        let files = "//- src/main.py\ndef main(): greet()\n//- README.md\nGreetings.\n";
        let machine = Machine::new(assert_cmd::cargo::cargo_bin!("m1nd"));
        Self(machine.with("repo", files).with("other", files))
    }

    fn call(&self, folder: &Path, tool: &str, arguments: Value) -> Value {
        self.call_in(folder, tool, arguments)
    }

    /// Where the one workspace that was used keeps its state.
    fn kept(&self) -> PathBuf {
        fs::read_dir(self.at("home/workspaces")).unwrap().next().unwrap().unwrap().path()
    }

    /// Changes what is kept, as a fault of the disk or somebody with an editor would.
    fn change(&self, from: &str, to: &str) {
        assert_eq!(from.len(), to.len());
        let store = self.kept().join("memory.db");
        assert!(fs::metadata(self.kept().join("memory.db-wal")).map_or(0, |meta| meta.len()) == 0);
        let mut bytes = fs::read(&store).unwrap();
        let found: Vec<usize> =
            (0..bytes.len()).filter(|at| bytes[*at..].starts_with(from.as_bytes())).collect();
        assert!(!found.is_empty(), "{from}");
        for at in found {
            bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        }
        fs::write(&store, bytes).unwrap();
    }

    /// A mission with a verified claim about a file.
    fn proved(&self, folder: &Path, file: &str) -> String {
        let begun = self.call(folder, "mission_start", json!({"goal": "know it", "mode": "bug_hunt"}));
        let id = begun["mission_id"].as_str().unwrap().to_owned();
        let seen = self.call(folder, "view", json!({"file_path": file, "mission_id": id}));
        let cited = json!([seen["mission_event_id"]]);
        let claim = json!({"mission_id": id, "claim": "main greets", "event_ids": cited, "outcome": "supports",
            "quote": m1nd_testkit::line_shown(&seen)});
        assert_eq!(self.call(folder, "mission_verify", claim)["verdict"], "verified_for_mission", "{seen}");
        id
    }

    fn close(&self, folder: &Path, id: &str) -> Value {
        self.call(folder, "mission_close", json!({"mission_id": id, "force": true}))
    }
}

#[test]
fn the_packet_of_a_closed_mission_can_be_made_again_and_is_the_same() {
    let machine = Missions::new();
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
    let machine = Missions::new();
    let repo = machine.at("repo");
    let id = machine.proved(&repo, "src/main.py");
    machine.change(r#""outcome":"read""#, r#""outcome":"rEad""#);
    let refused = machine.close(&repo, &id);
    assert!(refused["error"]["message"].as_str().unwrap().contains("not as it was recorded"), "{refused}");
    let shown = machine.call(&repo, "mission_show", json!({"mission_id": id}));
    assert_eq!(shown["status"], "open", "{shown}");
    assert!(!machine.kept().join(format!("missions/{id}.packet.json")).exists());
}

#[test]
fn nothing_is_added_to_a_mission_whose_early_events_were_changed() {
    let machine = Missions::new();
    let repo = machine.at("repo");
    let id = machine.proved(&repo, "src/main.py");
    let step = |at: usize| json!({"event_type": "seek", "target": format!("word {at}"), "outcome": "found"});
    for turn in 0..3 {
        let evidence: Vec<Value> = (turn * 48..turn * 48 + 48).map(step).collect();
        let claim = json!({"mission_id": id, "claim": format!("claim {turn}"), "evidence": evidence});
        assert_eq!(machine.call(&repo, "mission_verify", claim)["verdict"], "needs_direct_evidence");
    }
    let before = machine.call(&repo, "mission_show", json!({"mission_id": id}));
    assert!(before["broken"].is_null() && before["sequence"].as_u64() > Some(128), "{before}");
    // Long before the state that is stored: what is read of the mission does not have it.
    machine.change(r#""target":"word 1""#, r#""target":"w0rd 1""#);
    for (tool, more) in [
        ("mission_event", step(999)),
        ("mission_claim", json!({"claim": "it greets nobody"})),
        ("view", json!({"file_path": "README.md"})),
    ] {
        let mut arguments = more;
        arguments["mission_id"] = json!(id);
        let said = machine.call(&repo, tool, arguments).to_string();
        assert!(said.contains("was changed after it was recorded"), "{tool}: {said}");
    }
    let after = machine.call(&repo, "mission_show", json!({"mission_id": id}));
    assert_eq!(after["sequence"], before["sequence"], "{after}");
}

#[test]
fn a_mission_goes_on_in_a_folder_that_was_renamed() {
    let machine = Missions::new();
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
    let kept = machine.kept();
    let other = machine.at("other");
    let asked = ["--runtime-root", kept.to_str().unwrap(), "call", "mission_next", "--json"];
    let open = json!({"mission_id": child["mission_id"], "agent_id": "ada"}).to_string();
    let output = machine.run_in(&other, &[&asked[..], &[&open]].concat());
    assert!(String::from_utf8_lossy(&output.stdout).contains("recovery_playbook"), "{output:?}");
}

#[test]
fn files_of_another_repository_in_the_graph_are_found_by_verify() {
    let machine = Missions::new();
    let repo = machine.at("repo");
    let add = json!({"path": machine.at("other"), "namespace": "second", "intent": "add_root"});
    machine.call(&repo, "ingest", add);
    let id = machine.proved(&repo, "second::/src/main.py");
    let packet = machine.close(&repo, &id)["packet_path"].as_str().unwrap().to_owned();
    let verify =
        |more: &[&str]| machine.run_in(&machine.at("home"), &[&["verify", &packet][..], more].concat());
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

#[test]
fn another_repository_in_the_place_of_a_renamed_one_knows_nothing_of_its_missions() {
    let goals = |machine: &Missions, folder: &Path| {
        let listed = machine.call(folder, "mission_list", json!({}));
        listed["missions"].as_array().unwrap_or_else(|| panic!("{listed}")).len()
    };
    for renamed_is_asked_first in [true, false] {
        let machine = Missions::new();
        let (old, new) = (machine.at("repo"), machine.at("renamed"));
        let id = machine.proved(&old, "src/main.py");
        fs::rename(&old, &new).unwrap();
        if renamed_is_asked_first {
            assert_eq!(goals(&machine, &new), 1);
            let record = fs::read_to_string(machine.kept().join("workspace.json")).unwrap();
            assert!(record.contains("renamed"), "a call that only asks follows the folder: {record}");
        }
        fs::rename(machine.at("other"), &old).unwrap();
        assert_eq!(goals(&machine, &old), 0);
        let lost = machine.call(&old, "mission_show", json!({"mission_id": id}));
        assert_eq!(lost["error"]["code"], "unknown_target", "{lost}");
        machine.proved(&old, "README.md");
        machine.proved(&old, "README.md");
        assert_eq!((goals(&machine, &new), goals(&machine, &old)), (1, 2));
    }
}

#[test]
fn a_stored_state_that_is_damaged_is_made_again_from_the_events_and_said() {
    for (from, to) in [
        (
            r#""schema":"m1nd-mission-control-state-v1","rules":"#,
            r#""schema":"m1nd-mission-control-state-v1","rulez":"#,
        ),
        (r#""status":"open","started_ms":"#, r#""status":"closd,"started_ms":"#),
        (r#","claims":[],"files":{}"#, r#","claims":[],"files":[}"#),
    ] {
        let machine = Missions::new();
        let repo = machine.at("repo");
        let id = machine.proved(&repo, "src/main.py");
        machine.change(from, to);
        let ask = |tool: &str| machine.call(&repo, tool, json!({"mission_id": id}));
        let is_said =
            |said: &Value| said.as_str().is_some_and(|said| said.contains("made again from its 5 events"));
        let next = ask("mission_next");
        assert!(is_said(&next["warnings"][0]), "{next}");
        let shown = ask("mission_show");
        assert!(is_said(&shown["made_again"]) && shown["broken"].is_null(), "{shown}");
        assert_eq!(shown["claims"][0]["verdict"], "verified_for_mission", "{shown}");
        let listed = machine.call(&repo, "mission_list", json!({}));
        assert_eq!((&listed["missions"][0]["mission_id"], &listed["damaged"]), (&json!(id), &Value::Null));
        let output = machine.run(&["verify", &id]);
        assert!(output.status.success() && String::from_utf8_lossy(&output.stdout).contains("made again"));
        let resumed = ask("mission_resume");
        assert!(is_said(&resumed["warning"]), "{resumed}");
        assert_eq!(resumed["verified_claims"][0]["text"], "main greets", "{resumed}");
        let handed = ask("mission_handoff");
        assert_eq!(handed["verified_claims"][0]["text"], "main greets", "{handed}");
        let shown = ask("mission_show");
        assert!(shown["made_again"].is_null(), "the next event stored it anew: {shown}");
    }
}

#[test]
fn a_claim_that_was_made_true_in_the_store_is_not_believed() {
    let machine = Missions::new();
    let repo = machine.at("repo");
    machine.call(&repo, "ingest", json!({}));
    let begun = machine.call(&repo, "mission_start", json!({"goal": "know it", "mode": "bug_hunt"}));
    let id = begun["mission_id"].clone();
    let graph = machine.call(&repo, "seek", json!({"query": "greet", "mission_id": id}));
    let claim = json!({"mission_id": id, "claim": "so", "event_ids": [graph["mission_event_id"]]});
    assert_eq!(machine.call(&repo, "mission_verify", claim)["verdict"], "needs_direct_evidence");
    let told = |verdict: &str| format!(r#""claim_id":"clm_1","verdict":{verdict}"#);
    machine.change(&told(r#""needs_direct_evidence""#), &told(r#""verified_for_mission" "#));
    let ask = |tool: &str| machine.call(&repo, tool, json!({"mission_id": id}));
    let shown = ask("mission_show");
    assert_eq!(shown["claims"][0]["verdict"], "needs_direct_evidence", "{shown}");
    assert!(shown["broken"][0].as_str().unwrap().contains("was changed after it was recorded"), "{shown}");
    for tool in ["mission_handoff", "mission_next", "mission_close"] {
        let refused = ask(tool);
        let recovery = &refused["error"]["recovery"];
        assert_eq!(recovery["next_tool"], "mission_resume", "{tool}: {refused}");
        assert_eq!(recovery["arguments"]["mission_id"], id, "{tool}: {refused}");
    }
    let resumed = ask("mission_resume");
    assert_eq!(resumed["verified_claims"], json!([]), "{resumed}");
    assert_eq!(resumed["open_hypotheses"][0]["text"], "so", "{resumed}");
    assert!(resumed["warning"].as_str().unwrap().contains("not as it was recorded"), "{resumed}");
    let child = json!({"goal": "on", "mode": "bug_hunt", "parent_mission_id": id});
    let child = machine.call(&repo, "mission_start", child);
    assert_eq!(child["inherited"]["verified_claims"], json!([]), "{child}");
    assert!(child["warnings"][0].as_str().unwrap().contains("not as it was recorded"), "{child}");
}

#[test]
fn an_event_that_cannot_be_read_is_no_damaged_file_and_nothing_is_proved_by_its_mission() {
    let machine = Missions::new();
    let repo = machine.at("repo");
    let id = machine.proved(&repo, "src/main.py");
    let well = machine.proved(&repo, "README.md");
    let first = format!(r#"{{"schema":"m1nd-mission-event-v1","event_id":"evt_{}_2""#, &id[4..]);
    machine.change(&first, &first.replacen('{', "x", 1));
    let ask = |tool: &str, id: &str| machine.call(&repo, tool, json!({"mission_id": id}));
    let shown = ask("mission_show", &id);
    assert!(shown["broken"][0].as_str().unwrap().starts_with("event 2 of msn_"), "{shown}");
    let listed: Vec<&Value> =
        shown["events"].as_array().unwrap().iter().map(|event| &event["sequence"]).collect();
    assert_eq!(listed, [5, 4, 3, 1], "{shown}");
    assert_eq!(shown["claims"][0]["verdict"], "needs_direct_evidence", "{shown}");
    let resumed = ask("mission_resume", &id);
    assert_eq!(resumed["verified_claims"], json!([]), "{resumed}");
    for tool in ["mission_handoff", "mission_close"] {
        let refused = ask(tool, &id);
        assert_eq!(refused["error"]["recovery"]["next_tool"], "mission_resume", "{refused}");
        assert!(!refused.to_string().contains("sets the damaged file aside"), "{refused}");
    }
    let shown = machine.call(&repo, "mission_show", json!({"mission_id": id, "at_event": "3"}));
    let hint = shown["error"]["recovery"]["hint"].as_str().unwrap();
    assert!(hint.contains("nothing was changed or set aside"), "{shown}");
    let output = machine.run(&["verify", &id]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(ask("mission_show", &well)["claims"][0]["verdict"], "verified_for_mission");
    assert!(ask("mission_show", &well)["broken"].is_null());
}

#[test]
fn a_packet_is_checked_in_the_renamed_folder_and_says_what_is_missing_elsewhere() {
    let machine = Missions::new();
    let id = machine.proved(&machine.at("repo"), "src/main.py");
    let packet = machine.close(&machine.at("repo"), &id)["packet_path"].as_str().unwrap().to_owned();
    let renamed = machine.at("renamed");
    fs::rename(machine.at("repo"), &renamed).unwrap();
    let output = machine.run_in(&renamed, &["verify", &packet]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let output = machine.run_in(&machine.at("other"), &["verify", &packet]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("--root"), "{output:?}");
    let output = machine.run_in(&renamed, &["verify", "msn_nope"]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("no id of a mission"), "{output:?}");
}

#[test]
fn a_packet_about_another_repository_of_the_graph_is_held_against_its_files() {
    let machine = Missions::new();
    let repo = machine.at("repo");
    let other = machine.at("other");
    machine.call(&repo, "ingest", json!({"path": other, "namespace": "second", "intent": "add_root"}));
    let begun = json!({"goal": "know it", "mode": "bug_hunt", "repo": other});
    let id = machine.call(&repo, "mission_start", begun)["mission_id"].as_str().unwrap().to_owned();
    let seen = machine.call(&repo, "view", json!({"file_path": "second::/src/main.py", "mission_id": id}));
    let claim = json!({"mission_id": id, "claim": "so", "event_ids": [seen["mission_event_id"]], "outcome": "supports",
        "quote": m1nd_testkit::line_shown(&seen)});
    assert_eq!(machine.call(&repo, "mission_verify", claim)["verdict"], "verified_for_mission");
    let closed = machine.close(&repo, &id);
    let packet = closed["packet_path"].as_str().unwrap();
    let written: Value = serde_json::from_slice(&fs::read(packet).unwrap()).unwrap();
    assert_eq!(written["repo"], json!(other), "{closed}");
    let output = machine.run_in(&machine.at("home"), &["verify", packet]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn a_doctor_looks_at_a_destroyed_memory_and_leaves_it_where_it_is() {
    let machine = Missions::new();
    let repo = machine.at("repo");
    machine.call(&repo, "ingest", json!({}));
    machine.proved(&repo, "src/main.py");
    let store = machine.kept().join("memory.db");
    fs::write(&store, "garbage".repeat(1_000)).unwrap();
    let health = machine.call(&repo, "health", json!({}));
    assert_eq!((&health["status"], &health["memory"]["state"]), (&json!("degraded"), &json!("damaged")));
    let doctor = machine.call(&repo, "doctor", json!({}));
    assert_eq!(doctor["status"], "degraded", "{doctor}");
    assert!(doctor["warnings"].to_string().contains("Memory cannot be read"), "{doctor}");
    let test = machine.call(&repo, "trust_selftest", json!({}));
    assert_eq!((&test["ok"], &test["verdict"]), (&json!(false), &json!("retrieval_needs_recovery")));
    let output = machine.run(&["doctor", "--json"]);
    let checks: Value = serde_json::from_slice(&output.stdout).unwrap();
    let memory = checks["checks"].as_array().unwrap().iter().find(|check| check["name"] == "memory");
    assert_eq!(memory.unwrap()["state"], "failed", "{checks}");
    assert_eq!(fs::read(&store).unwrap(), "garbage".repeat(1_000).as_bytes(), "nobody moved it");
    // Whoever needs it sets it aside, says so, and goes on saying so.
    let first = machine.call(&repo, "mission_list", json!({}));
    assert_eq!(first["error"]["code"], "storage", "{first}");
    let then = machine.call(&repo, "mission_list", json!({}));
    assert_eq!(then["missions"], json!([]), "{then}");
    assert!(then["warning"].as_str().unwrap().contains("memory.db.corrupt-"), "{then}");
    let lost = machine.call(&repo, "mission_show", json!({"mission_id": "msn_0123456789"}));
    assert!(lost["error"]["message"].as_str().unwrap().contains("memory.db.corrupt-"), "{lost}");
}

#[test]
fn a_stream_that_was_cut_with_its_count_is_found_by_whatever_else_knows_it() {
    let machine = Missions::new();
    let repo = machine.at("repo");
    let id = machine.proved(&repo, "src/main.py");
    let store = machine.kept().join("memory.db");
    let beside = |end: &str| machine.kept().join("missions").join(format!("{id}.{end}"));
    let verify = |what: &str| {
        let output = machine.run_in(&repo, &["verify", what]);
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let before = fs::read(&store).unwrap();
    assert_eq!(verify(&id).0, Some(0));
    let handed = machine.call(&repo, "mission_handoff", json!({"mission_id": id}));
    let handed_over = machine.at("handed-over.json");
    fs::write(&handed_over, handed.to_string()).unwrap();
    let packet = machine.close(&repo, &id)["packet_path"].as_str().unwrap().to_owned();
    let kept = machine.at("kept.json");
    fs::copy(&packet, &kept).unwrap();
    let others = [handed_over.to_str().unwrap(), kept.to_str().unwrap()];
    for what in [id.as_str(), others[0], others[1]] {
        assert_eq!(verify(what).0, Some(0), "{what}: {}", verify(what).1);
    }
    // As if nothing had come since: the events, their count and the state are those of then.
    fs::write(&store, &before).unwrap();
    let (code, said) = verify(&id);
    assert!(said.contains("the flight recorder knows") && said.contains("its packet knows"), "{said}");
    assert_eq!(code, Some(1));
    let shown = machine.call(&repo, "mission_show", json!({"mission_id": id}));
    assert!(shown["broken"].to_string().contains("the end is missing"), "{shown}");
    let refused = machine.call(&repo, "mission_close", json!({"mission_id": id, "force": true}));
    assert_eq!(refused["error"]["code"], "storage", "{refused}");
    assert_eq!(fs::read(&packet).unwrap(), fs::read(&kept).unwrap(), "the witness is not written over");
    // Who cuts the witnesses, too, is found by those that lie elsewhere.
    fs::remove_file(beside("jsonl")).unwrap();
    fs::remove_file(beside("packet.json")).unwrap();
    assert_eq!(verify(&id).0, Some(0), "nothing is left that knows more");
    for other in others {
        let (code, said) = verify(other);
        assert_eq!(code, Some(1), "{other}: {said}");
        assert!(said.contains("the end is missing"), "{said}");
    }
    let resumed = json!({"handoff_id": handed["handoff_id"]});
    let resumed = machine.call(&repo, "mission_resume", resumed);
    assert!(resumed["warning"].to_string().contains("the hand-off knows"), "{resumed}");
    assert_eq!(resumed["verified_claims"], json!([]), "{resumed}");
    // What went on after the cut is told twice.
    let id = machine.proved(&repo, "README.md");
    let before = fs::read(&store).unwrap();
    let look = || machine.call(&repo, "view", json!({"file_path": "src/main.py", "mission_id": id}));
    look();
    fs::write(&store, &before).unwrap();
    look();
    let (code, said) = verify(&id);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("twice"), "{said}");
}

#[test]
fn whoever_verifies_changes_nothing() {
    let machine = Missions::new();
    let repo = machine.at("repo");
    let id = machine.proved(&repo, "src/main.py");
    let packet = machine.close(&repo, &id)["packet_path"].as_str().unwrap().to_owned();
    let listing = || {
        let mut names: Vec<(String, Vec<u8>)> = fs::read_dir(machine.kept())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.is_file())
            .map(|path| (path.display().to_string(), fs::read(&path).unwrap()))
            .collect();
        names.sort();
        names
    };
    let store = machine.kept().join("memory.db");
    let whole = fs::read(&store).unwrap();
    let mut half = whole.clone();
    half.truncate(whole.len() / 2);
    for bytes in [whole.clone(), b"garbage".repeat(1_000), half, Vec::new()] {
        fs::write(&store, &bytes).unwrap();
        fs::write(machine.kept().join("roots.json"), "no list").unwrap();
        let before = listing();
        let output = machine.run_in(&repo, &["verify", &id]);
        assert_eq!(output.status.code(), Some(if bytes == whole { 0 } else { 3 }), "{output:?}");
        let output = machine.run_in(&repo, &["verify", &packet]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(listing(), before);
    }
}

#[test]
fn what_could_not_be_checked_is_not_said_to_be_so() {
    let machine = Missions::new();
    let repo = machine.at("repo");
    let id = machine.proved(&repo, "src/main.py");
    let packet = machine.close(&repo, &id)["packet_path"].as_str().unwrap().to_owned();
    let verify = |packet: &str| {
        let output = machine.run_in(&repo, &["verify", packet, "--json"]);
        let body: Value = serde_json::from_slice(&output.stdout).unwrap();
        (output.status.code(), body)
    };
    assert_eq!(verify(&packet).0, Some(0));
    let (file, moved) = (repo.join("src/main.py"), machine.at("main.py"));
    fs::rename(&file, &moved).unwrap();
    assert_eq!(verify(&packet).0, Some(2), "it is gone");
    std::os::unix::fs::symlink(&moved, &file).unwrap();
    let (code, body) = verify(&packet);
    assert_eq!((code, &body["files"]["not_checked"]), (Some(3), &json!(1)), "{body}");
    assert!(body["not_checked"][0].as_str().unwrap().contains("outside"), "{body}");
    fs::remove_file(&file).unwrap();
    fs::rename(&moved, &file).unwrap();
    assert_eq!(verify(&packet).0, Some(0));
    // A claim that rests on somebody's word alone.
    let begun = machine.call(&repo, "mission_start", json!({"goal": "ask", "mode": "bug_hunt"}));
    let id = begun["mission_id"].as_str().unwrap().to_owned();
    let word = json!({"event_type": "asked", "target": "the owner", "evidence_class": "human", "outcome": "confirmed"});
    let claim = json!({"mission_id": id, "claim": "it is meant so", "evidence": [word]});
    assert_eq!(machine.call(&repo, "mission_verify", claim)["verdict"], "verified_for_mission");
    let packet = machine.close(&repo, &id)["packet_path"].as_str().unwrap().to_owned();
    let (code, body) = verify(&packet);
    assert_eq!(code, Some(3), "{body}");
    assert!(body["not_checked"][0].as_str().unwrap().contains("clm_1"), "{body}");
}
