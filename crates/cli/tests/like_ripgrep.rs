//! `search` finds the lines that ripgrep finds, on a tree made to tell them apart.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

type Lines = BTreeSet<(String, u64)>;

#[test]
fn search_finds_what_ripgrep_finds() {
    if Command::new("rg").arg("--version").output().is_err() {
        println!("skipped: ripgrep (rg) is not installed");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    lay_out(dir.path());
    let cases: &[(&[&str], &[&str])] = &[
        (&["needle"], &["-i", "-F", "needle"]),
        (&["needle", "-s"], &["-F", "needle"]),
        (&["Straße"], &["-i", "-F", "Straße"]),
        (&["ÅNGSTRÖM"], &["-i", "-F", "ÅNGSTRÖM"]),
        (&["a.b("], &["-i", "-F", "a.b("]),
        (&["-e", r"^\s*fn \w+"], &["-i", r"^\s*fn \w+"]),
        (&["-e", r"needle$"], &["-i", r"needle$"]),
        (&["-e", r"(?-i)N[A-Z]+", "-s"], &[r"(?-i)N[A-Z]+"]),
        (&["-e", r"\bword\b"], &["-i", r"\bword\b"]),
        (&["-e", "x*"], &["-i", "x*"]),
        (&["-e", "one.*?two", "--multiline"], &["-i", "-U", "--multiline-dotall", "one.*?two"]),
        (&["needle", "sub"], &["-i", "-F", "needle", "sub"]),
        (&["needle", "ignored"], &["-i", "-F", "needle", "ignored"]),
        (&["needle", "sub/deep/a.txt"], &["-i", "-F", "needle", "sub/deep/a.txt"]),
    ];
    for (ours, theirs) in cases {
        let (found, total) = m1nd(dir.path(), ours);
        let expected = ripgrep(dir.path(), theirs);
        let differ: Vec<_> = found.symmetric_difference(&expected).take(5).collect();
        assert!(differ.is_empty(), "m1nd search {ours:?} against rg {theirs:?}: {differ:?}");
        assert_eq!(total, expected.len() as u64, "total_matches of {ours:?}");
    }
}

fn lay_out(root: &Path) {
    let write = |name: &str, bytes: &[u8]| {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    };
    fs::create_dir(root.join(".git")).unwrap();
    write(".gitignore", b"*.log\n/ignored/\nbuild/\n!build/keep.txt\n");
    write(".ignore", b"private.txt\n");
    write("sub/.gitignore", b"!important.log\nlocal.txt\n*.tmp\n");
    for name in [
        "top.txt",
        "app.log",
        "ignored/a.txt",
        "build/a.txt",
        "build/keep.txt",
        "sub/x.tmp",
        "sub/important.log",
        "sub/other.log",
        "sub/local.txt",
        "sub/deep/a.txt",
        "private.txt",
        ".hidden",
        ".config/a.txt",
        "target/tracked.txt",
        "name with space.txt",
    ] {
        write(name, b"first\nNeedle here\nno\nneedle\n");
    }
    write("crlf.txt", b"needle\r\nx\r\n  fn y()\r\n");
    write("last-line", b"x\nneedle");
    write("empty.txt", b"");
    write("latin1.txt", b"caf\xE9 needle\nSTRASSE stra\xC3\x9Fe\n");
    write("unicode.txt", "STRASSE straße Straße\nångström Ångström\nK \u{212A}\n".as_bytes());
    write(
        "binary-late",
        &[b"needle\n".as_slice(), &[vec![b'x'; 800], vec![b'\n']].concat().repeat(100), b"\0needle\n"]
            .concat(),
    );
    write("binary-early", b"\0needle\n");
    let wide: Vec<u8> = "needle\nwide\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    write("utf16.txt", &[b"\xFF\xFE".as_slice(), &wide].concat());
    write("bom.txt", b"\xEF\xBB\xBFneedle\n");
    write("code.rs", b"fn a() {}\n    fn b() { a.b(1) }\nlet word = sword; // word\nxx\n");
    write("multi.txt", b"one\nmiddle\ntwo\none two\n");
    write("long.txt", &[vec![b'y'; 60_000], b"needle\n".to_vec()].concat());
    symlink("top.txt", root.join("link.txt")).unwrap();
    symlink("sub", root.join("linked-folder")).unwrap();
    symlink("loop", root.join("loop")).unwrap();
    symlink("/etc/passwd", root.join("outside")).unwrap();
}

fn m1nd(root: &Path, arguments: &[&str]) -> (Lines, u64) {
    let home = tempfile::tempdir().unwrap();
    let output = Command::new(assert_cmd::cargo::cargo_bin!("m1nd"))
        .arg("search")
        .args(arguments)
        .args(["--json", "-k", "500"])
        .current_dir(root)
        .env("M1ND_HOME", home.path())
        .env_remove("M1ND_WORKSPACE_ROOT")
        .output()
        .unwrap();
    let body: Value = serde_json::from_slice(&output.stdout).unwrap();
    let matches = body["matches"].as_array().unwrap_or_else(|| panic!("{arguments:?}: {body}"));
    let lines = matches.iter().map(|found| {
        (found["file_path"].as_str().unwrap().to_owned(), found["line_number"].as_u64().unwrap())
    });
    (lines.collect(), body["total_matches"].as_u64().unwrap())
}

fn ripgrep(root: &Path, arguments: &[&str]) -> Lines {
    let mut arguments = arguments.to_vec();
    // Without a path ripgrep reads from stdin when it is no terminal.
    if !arguments.last().is_some_and(|last| root.join(last).exists()) {
        arguments.push("./");
    }
    let output = Command::new("rg").arg("--json").args(&arguments).current_dir(root).output().unwrap();
    output
        .stdout
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice::<Value>(line).ok())
        .filter(|message| message["type"] == "match")
        .map(|message| {
            let data = &message["data"];
            let path = data["path"]["text"].as_str().unwrap().trim_start_matches("./").to_owned();
            (path, data["line_number"].as_u64().unwrap())
        })
        .collect()
}
