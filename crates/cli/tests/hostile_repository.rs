//! Repositories that nobody would make, and processes that end at the worst moment.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

struct Machine {
    dir: TempDir,
}

impl Machine {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("repo/src")).unwrap();
        let machine = Self { dir };
        machine.write("src/good.py", "def target():\n    pass\n\ndef caller():\n    target()\n");
        machine
    }

    fn repo(&self) -> PathBuf {
        self.dir.path().join("repo")
    }

    fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.repo().join(path), bytes).unwrap();
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("M1ND_") {
                command.env_remove(name);
            }
        }
        command.current_dir(self.repo()).env("M1ND_HOME", self.dir.path().join("home"));
        command.env("M1ND_WORKSPACE_ROOT", self.repo()).stdin(Stdio::null());
        command
    }

    fn m1nd(&self) -> Command {
        self.command(&assert_cmd::cargo::cargo_bin!("m1nd").display().to_string())
    }

    fn call(&self, tool: &str, arguments: &str) -> Value {
        let output = self.m1nd().args(["call", tool, "--json", arguments]).output().unwrap();
        answer(&output)
    }

    /// The callers of the good function, by a process of its own.
    fn callers(&self) -> Value {
        self.call("callers", r#"{"node_id":"target"}"#)
    }
}

fn answer(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|err| {
        panic!("{err}: {text}\n{}", String::from_utf8_lossy(&output.stderr));
    })
}

#[test]
fn a_hostile_repository_costs_its_hostile_files_and_says_so() {
    let machine = Machine::new();
    let repo = machine.repo();
    symlink(".", repo.join("loop")).unwrap();
    symlink("../src", repo.join("src/again")).unwrap();
    symlink("/etc", repo.join("out")).unwrap();
    symlink("/etc/passwd", repo.join("src/passwd.py")).unwrap();
    symlink("nowhere", repo.join("src/dangling.py")).unwrap();
    assert!(Command::new("mkfifo").arg(repo.join("src/pipe.py")).status().unwrap().success());
    fs::File::create(repo.join("src/huge.py")).unwrap().set_len(1 << 30).unwrap();
    machine.write("src/line.py", format!("x = \"{}\"\n", "y".repeat(10 << 20)));
    machine.write("src/wide_line.js", format!("const x = \"{}\"\n", "y".repeat(1 << 20)));
    let deep = format!("x = {}1{}\n", "(\n".repeat(100_000), ")\n".repeat(100_000));
    machine.write("src/deep.py", deep);
    machine.write("src/broken.py", b"def half():\n    return \xff\xfe\x00 (\n");
    let wide: Vec<u8> = "\u{feff}def wide():\n    pass\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    machine.write("src/wide.py", wide);
    fs::write(repo.join("src").join(std::ffi::OsStr::from_bytes(b"na\xffme.py")), "def odd():\n    pass\n")
        .unwrap();
    fs::create_dir_all(repo.join(".git/objects")).unwrap();
    machine.write(".git/HEAD", b"ref: refs/heads/\xff\xff\n");
    machine.write(".git/index", vec![0xff; 4_096]);
    let report = machine.call("ingest", "{}");
    assert_eq!(report["state"], "done", "{report}");
    let skipped = report["files_skipped"].to_string();
    assert!(skipped.contains("too_large"), "{report}");
    let callers = machine.callers();
    assert!(callers.to_string().contains("caller"), "{callers}");
    assert!(machine.call("outline", r#"{"file_path":"src/wide.py"}"#).to_string().contains("wide"));
    let passwd = machine.call("search", r#"{"query":"root:x:0:0","mode":"literal"}"#);
    assert!(!passwd.to_string().contains("/bin/"), "{passwd}");
}

#[test]
fn a_process_killed_at_any_instant_leaves_the_last_good_graph_or_the_new_one() {
    let machine = Machine::new();
    for n in 0..150 {
        machine
            .write(&format!("src/m{n}.py"), format!("from good import target\ndef f{n}():\n    target()\n"));
    }
    assert_eq!(machine.call("ingest", "{}")["state"], "done");
    for round in 0..24_u64 {
        machine.write(
            &format!("src/m{}.py", round % 150),
            format!("from good import target\ndef g{round}():\n    target()\n"),
        );
        let mut child = machine
            .m1nd()
            .args(["call", "ingest", "--json", "{}"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(round * 7));
        child.kill().unwrap();
        child.wait().unwrap();
        let callers = machine.callers();
        assert_eq!(callers["error"], Value::Null, "round {round}: {callers}");
        assert!(callers.to_string().contains("caller"), "round {round}: {callers}");
        assert!(!callers.to_string().contains("corrupt"), "round {round}: {callers}");
    }
    let left = fs::read_dir(machine.dir.path().join("home")).unwrap().count();
    assert!(left > 0);
    let anew = machine.call("ingest", r#"{"incremental":false}"#);
    assert_eq!(anew["files_failed"], 0, "{anew}");
}

#[test]
fn a_full_disk_costs_the_save_and_neither_the_answer_nor_the_last_good_graph() {
    let machine = Machine::new();
    for n in 0..150 {
        machine
            .write(&format!("src/m{n}.py"), format!("from good import target\ndef f{n}():\n    target()\n"));
    }
    assert_eq!(machine.call("ingest", "{}")["state"], "done");
    machine.write("src/m1.py", "from good import target\ndef changed():\n    target()\n");
    // A limit on the size of a file fails a write just as a full disk does.
    let m1nd = assert_cmd::cargo::cargo_bin!("m1nd").display().to_string();
    let script = format!("trap '' XFSZ; ulimit -f 8; exec '{m1nd}' call ingest --json '{{}}'");
    let output = machine.command("bash").args(["-c", &script]).output().unwrap();
    let report = answer(&output);
    assert_eq!(report["state"], "done", "{report}");
    assert!(report["not_saved"].as_str().is_some_and(|why| !why.is_empty()), "{report}");
    let callers = machine.call("callers", r#"{"node_id":"target","limit":200}"#);
    assert!(callers.to_string().contains("changed"), "{callers}");
    assert_eq!(machine.call("ingest", "{}")["not_saved"], Value::Null);
}
