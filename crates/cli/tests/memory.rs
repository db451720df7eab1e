//! Memory through the real program: agents that follow one another, servers side by side, `kill -9`, and people.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

struct Machine {
    dir: TempDir,
}

/// A server as a host starts it.
struct Server {
    process: Child,
    stdout: BufReader<ChildStdout>,
}

impl Machine {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let text = "//- src/retry.rs\npub fn retry() -> u32 {\n    3\n}\n//- src/main.rs\nfn main() {}\n";
        m1nd_testkit::lay_out(&dir.path().join("repo"), text);
        fs::create_dir(dir.path().join("repo/.git")).unwrap();
        Self { dir }
    }

    fn repo(&self) -> PathBuf {
        self.dir.path().join("repo")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("m1nd"));
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("M1ND_") {
                command.env_remove(name);
            }
        }
        command
            .args(arguments)
            .current_dir(self.repo())
            .env("M1ND_HOME", self.dir.path().join("home"))
            .env("HOME", self.dir.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// What a command prints for a program.
    fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(arguments);
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|err| panic!("{arguments:?}: {err}: {output:?}"))
    }

    fn serve(&self) -> Server {
        let mut process = self.command(&["serve"]).stderr(Stdio::null()).spawn().unwrap();
        let stdout = BufReader::new(process.stdout.take().unwrap());
        let mut server = Server { process, stdout };
        server.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
        }}));
        server.receive();
        server
    }
}

impl Server {
    fn send(&mut self, message: &Value) {
        writeln!(self.process.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|err| panic!("{err}: {line:?}"))
    }

    fn ask(&mut self, tool: &str, mut arguments: Value) -> Value {
        arguments.as_object_mut().unwrap().entry("workspace").or_insert(json!("w"));
        self.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": tool, "arguments": arguments,
        }}));
        self.receive()["result"].clone()
    }

    /// A call that must succeed.
    fn ok(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.ask(tool, arguments.clone());
        assert_ne!(result["isError"], true, "{tool} {arguments}: {result}");
        result["structuredContent"].clone()
    }

    /// Closes its input and waits for its end.
    fn end(mut self) {
        drop(self.process.stdin.take());
        assert!(self.process.wait().unwrap().success());
    }
}

#[test]
fn an_agent_goes_on_where_another_one_stopped() {
    let machine = Machine::new();
    let mut first = machine.serve();
    first.ok(
        "tasks_create",
        json!({"title": "Make retries configurable", "contract": "No change by default"}),
    );
    for number in 1..=30 {
        let steps = json!([{"title": "Do it", "success_criteria": ["it holds"]}]);
        let task = json!({"title": format!("Task number {number}"), "parent": "PLAN-001", "steps": steps, "priority": number % 5});
        first.ok("tasks_create", task);
        first.ok("tasks_note", json!({"task": format!("TASK-{number:03}"), "note": "words ".repeat(80)}));
        let card = json!({"id": format!("D{number}"), "type": "decision", "title": format!("Decision {number}"), "text": "because ".repeat(30)});
        first.ok("branchmind_think_card", json!({"target": format!("TASK-{number:03}"), "card": card}));
    }
    let question = json!({"id": "Q1", "type": "question", "title": "Is three enough?"});
    first.ok("branchmind_think_card", json!({"target": "TASK-007", "card": question}));
    let note = |content: &str, more: Value| json!({"target": "TASK-007", "content": content, "meta": more, "anchors": [{"path": "src/retry.rs", "lines": "1-3"}]});
    first.ok("branchmind_notes_commit", note("Never retry a POST.", json!({"pinned": true})));
    first
        .ok("branchmind_notes_commit", note("Stopped before the test of retry().", json!({"handoff": true})));
    first.ok("tasks_focus_set", json!({"task": "TASK-007"}));
    first.end();
    fs::write(machine.repo().join("src/retry.rs"), "pub fn retry() -> u32 {\n    5\n}\n").unwrap();

    let mut second = machine.serve();
    let result = second.ask("brief", json!({}));
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.len() <= 4_096, "{} bytes", text.len());
    let brief = &result["structuredContent"];
    assert_eq!(brief["focus"]["target"]["id"], "TASK-007");
    assert_eq!(brief["handoff"]["text"], "Stopped before the test of retry().");
    assert_eq!(brief["pinned"][0]["text"], "Never retry a POST.");
    assert_eq!(brief["decisions"][0]["id"], "D30", "the newest decision is there");
    assert_eq!(brief["questions"][0]["id"], "Q1");
    assert_eq!(brief["ready"][0]["priority"], 4, "the most urgent comes first");
    assert_eq!(brief["stale_anchors"][0]["anchor"]["anchor_state"], "changed", "{text}");
    assert_eq!(brief["truncated"], true);
    assert!(brief["dropped"]["decisions"].as_u64().unwrap() > 0);
    assert_eq!(brief["next_suggested_tool"], "tasks_radar");

    let radar = second.ok("tasks_radar", json!({"task": brief["next_suggested_target"]}));
    assert_eq!(radar["radar"]["now"], "s:0 Do it");
    let claim = second.ok("tasks_claim", json!({"task": "TASK-007", "agent_id": "second"}));
    let step = json!({"task": "TASK-007", "path": "s:0", "claim_token": claim["claim_token"]});
    let mut verify = step.clone();
    verify["checkpoints"] =
        json!({"criteria": {"confirmed": true, "evidence": {"command": "cargo test", "exit_code": 0}}});
    second.ok("tasks_verify", verify);
    assert_eq!(second.ok("tasks_done", step)["task_status"], "done");
    second.end();
}

#[test]
fn two_servers_on_one_workspace_lose_nothing() {
    const EACH: usize = 40;
    let machine = Machine::new();
    let mut one = machine.serve();
    one.ok("tasks_create", json!({"title": "Plan"}));
    one.ok("tasks_create", json!({"title": "Task", "parent": "PLAN-001"}));
    let write = |mut server: Server, who: &str| {
        let mut revisions = Vec::new();
        for number in 0..EACH {
            let note = json!({"task": "TASK-001", "note": format!("{who} {number}")});
            revisions.push(server.ok("tasks_note", note)["revision"].as_u64().unwrap());
        }
        assert!(revisions.is_sorted());
        (server, revisions)
    };
    let two = machine.serve();
    let (left, right) = std::thread::scope(|scope| {
        let left = scope.spawn(|| write(one, "left"));
        let right = scope.spawn(|| write(two, "right"));
        (left.join().unwrap(), right.join().unwrap())
    });
    let revisions: BTreeSet<u64> = left.1.iter().chain(&right.1).copied().collect();
    assert_eq!(revisions, (1..=2 * EACH as u64).collect(), "every write has a revision of its own");
    let mut server = left.0;
    right.0.end();
    let wanted = json!({"target": "TASK-001", "limit": 200, "max_chars": 1_000_000});
    let shown = server.ok("branchmind_show", wanted);
    let notes: BTreeSet<&str> =
        shown["entries"].as_array().unwrap().iter().map(|entry| entry["content"].as_str().unwrap()).collect();
    assert_eq!(notes.len(), 2 * EACH);
    server.end();
}

#[test]
fn what_was_acknowledged_survives_kill_9() {
    let machine = Machine::new();
    let mut server = machine.serve();
    server.ok("tasks_create", json!({"title": "Plan"}));
    server.ok("tasks_create", json!({"title": "Task", "parent": "PLAN-001"}));
    server.end();
    let mut acknowledged = 0;
    for round in 0..8 {
        let mut server = machine.serve();
        for _ in 0..round * 3 {
            acknowledged = server.ok("tasks_note", json!({"task": "TASK-001", "note": "kept"}))["revision"]
                .as_u64()
                .unwrap();
        }
        // One more is on its way when the server dies.
        for _ in 0..3 {
            server.send(&json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {
                "name": "tasks_note", "arguments": {"workspace": "w", "task": "TASK-001", "note": "perhaps"},
            }}));
        }
        server.process.kill().unwrap();
        server.process.wait().unwrap();
        let mut server = machine.serve();
        let revision =
            server.ok("tasks_radar", json!({"task": "TASK-001"}))["target"]["revision"].as_u64().unwrap();
        assert!(revision >= acknowledged, "round {round}: {revision} < {acknowledged}");
        let page = json!({"target": "TASK-001", "limit": 200, "max_chars": 1_000_000});
        let notes = server.ok("branchmind_show", page)["entries"].as_array().unwrap().len() as u64;
        let trace = json!({"target": "TASK-001", "doc_kind": "trace", "limit": 200, "max_chars": 1_000_000});
        let events = server.ok("branchmind_show", trace)["entries"].as_array().unwrap().len() as u64;
        assert_eq!((notes, events), (revision, revision + 1), "no write is half there");
        acknowledged = revision;
        server.end();
    }
    let health = machine.json(&["call", "health"]);
    assert_eq!(health["memory"]["set_aside"], Value::Null, "{health}");
}

#[test]
fn people_read_what_agents_wrote_and_take_it_with_them() {
    let machine = Machine::new();
    assert_eq!(machine.json(&["memory", "names"])["names"], json!([]));
    assert!(!machine.dir.path().join("home").exists(), "looking makes nothing");
    let mut server = machine.serve();
    server.ok("tasks_create", json!({"title": "Plan"}));
    server.ok("tasks_create", json!({"title": "Task", "parent": "PLAN-001", "steps": [{"title": "Step", "success_criteria": ["x"]}]}));
    server.ok("branchmind_branch_create", json!({"name": "idea"}));
    server.ok(
        "branchmind_notes_commit",
        json!({"branch": "idea", "doc": "notes", "content": "A caf\u{e9} \u{1b}[31mnote"}),
    );
    server.end();
    assert_eq!(machine.json(&["memory", "names"])["names"], json!(["w"]));
    assert_eq!(machine.json(&["tasks"])["tasks"][0]["id"], "TASK-001");
    assert_eq!(machine.json(&["tasks", "ready"])["tasks"][0]["id"], "TASK-001");
    assert_eq!(machine.json(&["tasks", "show", "TASK-001"])["radar"]["now"], "s:0 Step");
    assert_eq!(machine.json(&["tasks", "events"])["events"][0]["type"], "plan_created");
    assert_eq!(machine.json(&["memory", "diff", "main", "idea"])["pagination"]["count"], 1);
    assert_eq!(machine.json(&["memory", "merge", "idea", "main", "--dry-run"])["merged"], 1);
    assert_eq!(machine.json(&["memory", "show"])["pagination"]["count"], 0);
    assert_eq!(machine.json(&["memory", "merge", "idea", "main"])["merged"], 1);
    assert_eq!(machine.json(&["memory", "show"])["pagination"]["count"], 1);
    assert_eq!(machine.json(&["memory", "search", "caf\u{e9}"])["hits"][0]["kind"], "note");
    assert_eq!(machine.json(&["memory", "branches"])["branches"][0]["name"], "idea");
    assert_eq!(machine.json(&["memory", "log"])["pagination"]["count"], 0);
    assert_eq!(machine.json(&["memory", "brief"])["workspace"], "w");

    let export =
        |name: &str| String::from_utf8(machine.run(&["memory", "export", "--in", name]).stdout).unwrap();
    let whole = export("w");
    let file = machine.dir.path().join("w.jsonl");
    assert!(machine.run(&["memory", "export", "-o", file.to_str().unwrap()]).status.success());
    assert_eq!(fs::read_to_string(&file).unwrap(), whole);
    let imported = machine.json(&["memory", "import", file.to_str().unwrap(), "--in", "copy"]);
    assert_eq!((&imported["name"], &imported["counts"]["entities"]), (&json!("copy"), &json!(2)));
    let nameless = |text: &str| text.replace("\"name\":\"w\"", "").replace("\"name\":\"copy\"", "");
    assert_eq!(nameless(&export("copy")), nameless(&whole), "an export of an import says the same");
    let again = machine.run(&["memory", "import", file.to_str().unwrap(), "--in", "copy"]);
    assert_eq!(again.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&again.stderr).contains("holds entries already"), "{again:?}");
    let several = machine.run(&["memory", "brief"]);
    assert!(String::from_utf8_lossy(&several.stderr).contains("choose one with --in"), "{several:?}");
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    let cut = machine.run(&["memory", "import", file.to_str().unwrap(), "--in", "half"]);
    assert_eq!(cut.status.code(), Some(2));
    assert_eq!(machine.json(&["memory", "names"])["names"], json!(["copy", "w"]));
    let markdown =
        String::from_utf8(machine.run(&["memory", "export", "--in", "w", "--format", "markdown"]).stdout)
            .unwrap();
    assert!(markdown.contains("### TASK-001 Task (todo)"), "{markdown}");
}

#[test]
fn a_read_only_server_reads_memory_and_writes_none() {
    let machine = Machine::new();
    let asked = |tool: &str, more: &[&str]| {
        machine.json(&[&["--read-only", "call", tool, "--workspace", "w"], more].concat())
    };
    assert_eq!(asked("brief", &[])["workspace"], "w");
    assert_eq!(asked("tasks_create", &["--title", "x"])["error"]["code"], "invalid_params");
    assert!(!machine.dir.path().join("home").exists());
}

#[test]
fn people_get_as_many_as_they_ask_for_and_are_told_of_a_wrong_name() {
    let machine = Machine::new();
    let mut server = machine.serve();
    server.ok("branchmind_branch_create", json!({"name": "idea"}));
    for at in 0..230 {
        let note = json!({"branch": "idea", "doc": "notes", "content": format!("note {at}")});
        server.ok("branchmind_notes_commit", note);
    }
    server.end();
    let count = |arguments: &[&str]| {
        let body = machine.json(arguments);
        let listed = body["entries"].as_array().unwrap().len();
        assert_eq!(body["pagination"]["count"], listed, "{arguments:?}");
        (listed, body["pagination"]["has_more"].clone())
    };
    assert_eq!(count(&["memory", "show", "idea", "-k", "500"]), (230, json!(false)));
    assert_eq!(count(&["memory", "show", "idea", "-k", "210"]), (210, json!(true)));
    assert_eq!(count(&["memory", "diff", "main", "idea", "-k", "225"]), (225, json!(true)));
    assert_eq!(machine.json(&["memory", "names", "--in", "w"])["names"], json!(["w"]));
    let mut server = machine.serve();
    for at in 0..3 {
        server.ok("tasks_create", json!({"title": format!("plan {at}")}));
    }
    server.end();
    let said = String::from_utf8(machine.run(&["tasks", "-k", "2", "--text"]).stdout).unwrap();
    assert!(said.contains("plan 2") && !said.contains("plan 0") && said.contains("more with -k"), "{said}");
    assert_eq!(machine.run(&["tasks", "-k", "2", "ready"]).status.code(), Some(2));
    let told = String::from_utf8(machine.run(&["memory", "brief", "--text"]).stdout).unwrap();
    assert!(told.contains("at least 200 notes on idea"), "{told}");
    let merge = ["memory", "merge", "idea", "main", "--dry-run", "--text"];
    let told = String::from_utf8(machine.run(&merge).stdout).unwrap();
    assert!(told.contains("230 would be merged"), "{told}");
    for wrong in [&["memory", "brief"][..], &["memory", "show"], &["memory", "names"], &["tasks"]] {
        let output = machine.run(&[wrong, &["--in", "nope"]].concat());
        assert_eq!(output.status.code(), Some(2), "{wrong:?}: {output:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("nothing is remembered under \"nope\"; there is w"), "{said}");
    }
}

#[test]
fn an_export_whose_reader_goes_away_is_no_failure() {
    let machine = Machine::new();
    let mut server = machine.serve();
    server.ok(
        "branchmind_notes_commit",
        json!({"branch": "main", "doc": "notes", "content": "x".repeat(200_000)}),
    );
    server.end();
    for format in ["jsonl", "markdown"] {
        let mut export = machine.command(&["memory", "export", "--format", format]).spawn().unwrap();
        drop(export.stdout.take());
        let done = export.wait_with_output().unwrap();
        assert!(done.status.success(), "{format}: {done:?}");
        assert_eq!(String::from_utf8_lossy(&done.stderr), "", "{format}");
    }
}

#[test]
fn people_are_told_what_a_brief_left_out_and_no_blockers_of_what_is_done() {
    let machine = Machine::new();
    let mut server = machine.serve();
    server.ok("tasks_create", json!({"title": "first", "kind": "task"}));
    server.ok("tasks_create", json!({"title": "second", "kind": "task", "depends_on": ["TASK-001"]}));
    server.ok("tasks_edit", json!({"task": "TASK-002", "status": "done"}));
    server.ok("tasks_create", json!({"title": "stuck", "kind": "task"}));
    server.ok("tasks_edit", json!({"task": "TASK-003", "status": "blocked"}));
    server.ok("tasks_claim", json!({"task": "TASK-003", "agent_id": "ann"}));
    for at in 0..9 {
        let note = json!({"branch": "main", "doc": "notes", "content": format!("note {at}")});
        server.ok("branchmind_notes_commit", note);
    }
    server.end();
    let said = |arguments: &[&str]| String::from_utf8(machine.run(arguments).stdout).unwrap();
    let brief = said(&["memory", "brief", "--text"]);
    assert!(brief.contains("left out: 4 notes"), "{brief}");
    assert!(brief.contains("TASK-003 stuck blocked, held by ann"), "{brief}");
    let show = said(&["tasks", "show", "TASK-002", "--text"]);
    assert!(show.contains("(done,") && !show.contains("blocked by"), "{show}");
}
