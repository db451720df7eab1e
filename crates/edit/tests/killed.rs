//! Real processes, killed at random instants while they change twenty files again and again.

#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use m1nd_edit::{Act, BatchId, Change, OnDisk, journal, lock, plan};
use m1nd_stdx::clock::UnixMs;
use m1nd_vfs::Root;

/// Where the child works; set only in the child.
const CHILD: &str = "M1ND_EDIT_KILL_FOLDER";
/// How often a child is killed; the full mark is 200.
const KILLS: &str = "EDIT_KILLS";

/// The files of a version: half of the names change with it, so that files come, go and change.
fn files(version: u64) -> Vec<(String, String)> {
    let name = |nth: u64| match nth % 4 {
        0 => format!("only{}/x{nth}.txt", version % 2),
        1 => format!("src/moved{}-{nth}.txt", version % 3),
        _ => format!("src/kept{nth}.txt"),
    };
    (0..20).map(|nth| (name(nth), format!("version {version} of {nth}\n").repeat(50))).collect()
}

/// The batch from one version to the next.
fn changes(version: u64) -> Vec<Change> {
    let change =
        |path: &str, act| Change { path: path.to_owned(), act, rename_to: None, expected: None, runs: None };
    let (old, new) = (files(version), files(version + 1));
    let mut all: Vec<Change> = Vec::new();
    for (path, _) in old.iter().filter(|(path, _)| new.iter().all(|(other, _)| other != path)) {
        all.push(change(path, Act::Delete));
    }
    for (path, text) in new {
        let known = version > 0 && old.iter().any(|(other, _)| *other == path);
        all.push(change(&path, if known { Act::Replace(text) } else { Act::Create(text) }));
    }
    if version == 0 {
        all.retain(|change| change.act != Act::Delete);
    }
    all
}

/// The version that the folder holds whole, or what is wrong with it.
fn version(folder: &Path) -> Result<u64, String> {
    let found: Vec<(String, String)> = common::tree(folder)
        .into_iter()
        .filter(|(name, _)| !name.ends_with('/'))
        .map(|(name, (bytes, _))| (name, String::from_utf8(bytes).unwrap()))
        .collect();
    let Some((_, first)) = found.first() else { return Ok(0) };
    let version = first.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or_default();
    let mut wanted = files(version);
    wanted.sort();
    if found == wanted { Ok(version) } else { Err(format!("not all of version {version}")) }
}

fn disk<'a>(root: &'a Root, folder: &Path) -> OnDisk<'a> {
    OnDisk { root, journal: folder.join("journal") }
}

/// Not a test of its own: what the killed process does.
#[test]
fn child() {
    let Ok(folder) = std::env::var(CHILD) else { return };
    let folder = Path::new(&folder);
    let root = Root::open(&folder.join("ws")).unwrap();
    let disk = disk(&root, folder);
    let mut out = std::io::stderr();
    loop {
        // Those who wait look every other millisecond.
        std::thread::sleep(Duration::from_millis(5));
        let _lock = lock::acquire(&disk.journal, &root, || true).unwrap();
        journal::recover(&disk).unwrap();
        let now = version(root.path()).unwrap();
        let planned = plan(&disk, &changes(now)).unwrap();
        journal::commit(&disk, &planned, &BatchId(format!("b-{now}")), UnixMs(0)).unwrap();
        writeln!(out, "done {}", now + 1).unwrap();
    }
}

#[test]
fn a_killed_process_leaves_all_old_or_all_new() {
    let kills: u64 = std::env::var(KILLS).ok().and_then(|word| word.parse().ok()).unwrap_or(20);
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("ws")).unwrap();
    let root = Root::open(&dir.path().join("ws")).unwrap();
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    let mut unfinished = 0;
    for round in 0..kills {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child", "--nocapture", "--test-threads=1"])
            .env(CHILD, dir.path())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut said = Vec::new();
        // Once it works, at any instant.
        said.push(lines.next().unwrap().unwrap());
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        std::thread::sleep(Duration::from_micros((seed >> 33) % 20_000));
        child.kill().unwrap();
        child.wait().unwrap();
        said.extend(lines.map_while(Result::ok));
        let told = said.iter().filter_map(|line| line.strip_prefix("done ")?.parse::<u64>().ok());
        let told = told.max().unwrap_or_default();
        let disk = disk(&root, dir.path());
        unfinished += u32::from(journal::is_pending(&disk));
        journal::recover(&disk).unwrap();
        let now = version(root.path()).unwrap_or_else(|wrong| panic!("round {round}: {wrong}"));
        assert!(now == told || now == told + 1, "round {round}: {now} on disk, {told} said");
        assert!(!journal::is_pending(&disk));
    }
    assert!(unfinished > 0, "no kill met a batch at work");
}

#[test]
fn two_processes_on_the_same_files_do_not_mix() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("ws")).unwrap();
    let start = || {
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child", "--nocapture", "--test-threads=1"])
            .env(CHILD, dir.path())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let mut children = [start(), start(), start()];
    let mut said = Vec::new();
    for child in &mut children {
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        said.extend(lines.map_while(Result::ok).take(5));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    // Each version was made once: nobody worked from what another one had half written.
    let count = said.len();
    said.sort();
    said.dedup();
    assert_eq!((said.len(), count), (15, 15), "{said:?}");
    let root = Root::open(&dir.path().join("ws")).unwrap();
    journal::recover(&disk(&root, dir.path())).unwrap();
    version(root.path()).unwrap();
}
