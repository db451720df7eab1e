//! Several processes on one store, killed ones among them.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use m1nd_memory::{MemoryError, Ports, StoreError};
use m1nd_stdx::clock::SystemClock;
use m1nd_store::SqliteStore;
use serde_json::{Value, json};

use crate::world::{World, call, pages};

/// Set for a process that this test starts: the path of the store, its number, how many writes.
const CHILD: &str = "MEMORY_TEST_CHILD";

/// Not a test by itself: what the started processes do. Each acknowledged write is a line on stdout.
#[test]
fn child() {
    let Ok(order) = std::env::var(CHILD) else { return };
    let parts: Vec<&str> = order.split('|').collect();
    let (path, number, writes) = (parts[0], parts[1], parts[2].parse::<usize>().unwrap());
    let store = match SqliteStore::open(path) {
        Ok(store) => store,
        Err(StoreError::ReadOnly { .. }) => return say("read-only"),
        Err(err) => panic!("{err}"),
    };
    let clock = SystemClock::new();
    let ports = Ports::new(&store, &clock);
    for at in 0..writes {
        let text = format!("{number}-{at}");
        let (name, arguments) = match at % 3 {
            0 => ("notes_commit", json!({"branch": "main", "doc": "notes", "content": text})),
            1 => ("tasks_note", json!({"task": "TASK-001", "path": "s:0", "note": text})),
            _ => {
                let node = json!({"op": "node_upsert", "id": text, "type": "t"});
                let shared = json!({"op": "node_upsert", "id": "shared", "type": "t", "title": text});
                let edge = json!({"op": "edge_upsert", "from": text, "rel": "r", "to": "shared"});
                ("graph_apply", json!({"branch": "main", "doc": "g", "ops": [node, shared, edge]}))
            }
        };
        let mut arguments = arguments;
        arguments["workspace"] = json!("w");
        match call(&ports, name, arguments) {
            Ok(_) => say(&format!("ok {name} {text}")),
            Err(MemoryError::Store(StoreError::Io { .. } | StoreError::DiskFull)) => say("full"),
            Err(MemoryError::Store(StoreError::ReadOnly { .. })) => say("read-only"),
            Err(err) => say(&format!("refused {name} {text}: {err}")),
        }
    }
    let shown = call(&ports, "show", json!({"workspace": "w", "target": "TASK-001", "doc_kind": "trace"}));
    let found = call(&ports, "memory_search", json!({"workspace": "w", "query": "here"}));
    let count = |list: &Value| list.as_array().map_or(0, Vec::len);
    say(&format!("shows {} {}", count(&shown.unwrap()["entries"]), count(&found.unwrap()["hits"])));
}

#[allow(clippy::print_stdout)]
fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\n{line}").and_then(|()| out.flush()).unwrap();
}

fn start(path: &Path, number: usize, writes: usize) -> Child {
    command(path, number, writes).spawn().unwrap()
}

fn command(path: &Path, number: usize, writes: usize) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "processes::child", "--nocapture", "--test-threads=1"]);
    command.env(CHILD, format!("{}|{number}|{writes}", path.display()));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// The acknowledged writes of a process, by call, as they come.
fn acknowledged(child: &mut Child) -> impl Iterator<Item = (String, String)> + use<> {
    BufReader::new(child.stdout.take().unwrap()).lines().filter_map(|line| {
        let line = line.unwrap();
        assert!(!line.starts_with("refused"), "{line}");
        let mut parts = line.split(' ');
        match (parts.next(), parts.next(), parts.next()) {
            (Some("ok"), Some(name), Some(text)) => Some((name.to_owned(), text.to_owned())),
            _ => None,
        }
    })
}

fn open(path: &Path) -> World {
    World::new(Box::new(SqliteStore::open(path).unwrap()))
}

fn prepare(path: &Path) {
    let w = open(path);
    w.ok("tasks_create", json!({"title": "t", "kind": "task", "steps": [{"title": "s"}]}));
}

/// Whole task mutations, whole batches, every acknowledged write once.
fn check(path: &Path, acknowledged: &[(String, String)]) -> usize {
    let w = open(path);
    let of = |list: Vec<Value>, field: &str| -> Vec<String> {
        list.iter().map(|item| item[field].as_str().unwrap_or_default().to_owned()).collect()
    };
    let everything = |arguments: Value, name: &str, list: &str, field: &str| {
        let mut arguments = arguments;
        arguments["limit"] = json!(200);
        arguments["max_chars"] = json!(1_000_000);
        of(pages(&w, name, arguments, list), field)
    };
    let notes = everything(json!({"branch": "main", "doc": "notes"}), "show", "entries", "content");
    let task_notes = everything(json!({"target": "TASK-001"}), "show", "entries", "content");
    let nodes = everything(json!({"branch": "main", "doc": "g"}), "graph_query", "nodes", "id");
    let trace =
        everything(json!({"target": "TASK-001", "doc_kind": "trace"}), "show", "entries", "source_event_id");
    let mut events = everything(json!({}), "tasks_delta", "events", "event_id");
    events.reverse();
    assert_eq!(trace, events, "trace and events differ");
    let revision = w.ok("tasks_radar", json!({"task": "TASK-001"}))["target"]["revision"].as_u64().unwrap();
    assert_eq!(usize::try_from(revision).unwrap(), task_notes.len(), "an update was lost");
    assert_eq!(events.len(), task_notes.len() + 1, "half a mutation was kept");
    for list in [&notes, &task_notes, &nodes] {
        let mut once = list.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), list.len(), "something was written twice");
    }
    for (name, text) in acknowledged {
        let list = match name.as_str() {
            "notes_commit" => &notes,
            "tasks_note" => &task_notes,
            _ => &nodes,
        };
        assert!(list.contains(text), "{name} {text} was acknowledged and is lost");
    }
    let valid = w.ok("graph_validate", json!({"branch": "main", "doc": "g"}));
    assert_eq!(valid["ok"], true);
    let (found, edges) =
        (valid["stats"]["nodes"].as_u64().unwrap(), valid["stats"]["edges"].as_u64().unwrap());
    assert_eq!(found, if edges == 0 { 0 } else { edges + 1 }, "half a batch was kept");
    notes.len() + task_notes.len() + usize::try_from(edges).unwrap()
}

fn figure(name: &str, usual: usize) -> usize {
    std::env::var(name).ok().and_then(|given| given.parse().ok()).unwrap_or(usual)
}

/// The full figures: `MEMORY_PROCESSES=8 MEMORY_WRITES=500`.
#[test]
fn many_processes_write_one_store_and_nothing_is_refused_or_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    prepare(&path);
    let (processes, writes) = (figure("MEMORY_PROCESSES", 4), figure("MEMORY_WRITES", 60));
    let mut children: Vec<Child> = (0..processes).map(|number| start(&path, number, writes)).collect();
    let mut all = Vec::new();
    for child in &mut children {
        all.extend(acknowledged(child));
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(all.len(), processes * writes);
    assert_eq!(check(&path, &all), processes * writes);
}

/// The full figure: `MEMORY_KILLS=100`.
#[test]
fn a_killed_process_loses_nothing_that_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    prepare(&path);
    let mut all = Vec::new();
    for round in 0..figure("MEMORY_KILLS", 8) {
        let mut pair = [start(&path, 2 * round, 1_000_000), start(&path, 2 * round + 1, 1_000_000)];
        let [mut first, second] = pair.each_mut().map(acknowledged);
        // However slow the machine is, one of them is at work.
        all.push(first.next().unwrap());
        // Uneven waits, so that the kills fall into different moments of a write.
        std::thread::sleep(Duration::from_millis((round as u64 * 37) % 91));
        for child in &mut pair {
            child.kill().unwrap();
        }
        all.extend(first.chain(second));
        for child in &mut pair {
            child.wait().unwrap();
        }
        check(&path, &all);
    }
}

#[cfg(unix)]
#[test]
fn a_disk_that_takes_no_more_is_told_and_the_store_stays_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    prepare(&path);
    // Files of at most 300 KB; the signal is ignored, so that writing fails with an error instead.
    let child = command(&path, 0, 400);
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f 600; exec \"$0\" \"$@\""]);
    shell.arg(child.get_program()).args(child.get_args());
    shell.envs(child.get_envs().filter_map(|(key, value)| Some((key, value?))));
    shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = shell.spawn().unwrap();
    let mut full = false;
    let mut all = Vec::new();
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        assert!(!line.starts_with("refused"), "{line}");
        full |= line == "full";
        let mut parts = line.split(' ');
        if let (Some("ok"), Some(name), Some(text)) = (parts.next(), parts.next(), parts.next()) {
            all.push((name.to_owned(), text.to_owned()));
        }
    }
    child.wait().unwrap();
    assert!(full, "the limit was never reached");
    check(&path, &all);
    let w = open(&path);
    w.ok("notes_commit", json!({"branch": "main", "doc": "notes", "content": "room again"}));
}

#[cfg(unix)]
#[test]
fn what_cannot_be_written_can_be_read_and_writing_is_told() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    use std::os::unix::process::CommandExt as _;
    let allow = |path: &Path, mode: u32| {
        if path.exists() {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    // The modes of the file and of its folder, and whether another process has it open and written to its log.
    for (file, folder_mode, in_use) in
        [(0o444, 0o555, false), (0o666, 0o555, false), (0o444, 0o777, false), (0o444, 0o555, true)]
    {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memory.db");
        prepare(&path);
        let other = in_use.then(|| open(&path));
        if let Some(w) = &other {
            w.ok("tasks_note", json!({"task": "TASK-001", "note": "here too"}));
        }
        let before = std::fs::read(&path).unwrap();
        let files = ["", "-wal", "-shm"].map(|suffix| folder.path().join(format!("memory.db{suffix}")));
        files.iter().for_each(|path| allow(path, file));
        allow(folder.path(), folder_mode);
        let mut child = command(&path, 0, 3);
        // Permissions do not bind the superuser, so its child becomes somebody else.
        if std::fs::metadata(folder.path()).unwrap().uid() == 0 {
            child.uid(65_534).current_dir("/");
        }
        let out = child.output().unwrap();
        let said = String::from_utf8(out.stdout).unwrap();
        allow(folder.path(), 0o755);
        files.iter().for_each(|path| allow(path, 0o600));
        let case = format!("{file:o} {folder_mode:o} {in_use}: {said}");
        assert_eq!(said.lines().filter(|line| *line == "read-only").count(), 3, "{case}");
        assert!(!said.contains("ok ") && !said.contains("refused"), "{case}");
        let expected = if in_use { "shows 2 1" } else { "shows 1 0" };
        assert!(said.lines().any(|line| line == expected), "{case}");
        assert_eq!(std::fs::read(&path).unwrap(), before, "{case}");
        drop(other);
        open(&path).ok("notes_commit", json!({"branch": "main", "doc": "notes", "content": "again"}));
    }
}
