//! Opening a SQLite store: new, old, damaged, unwritable, shared.

use std::fs;
use std::path::Path;

use m1nd_memory::StoreError;
use m1nd_store::{SqliteStore, problem_of, sqlite_version};
use serde_json::json;

use crate::world::World;

fn world(path: &Path) -> World {
    World::new(Box::new(SqliteStore::open(path).unwrap()))
}

fn note(w: &World, text: &str) {
    w.ok("notes_commit", json!({"branch": "main", "doc": "notes", "content": text}));
}

fn fill(path: &Path, notes: usize) {
    let w = world(path);
    for at in 0..notes {
        note(&w, &format!("note {at} {}", "x".repeat(500)));
    }
}

#[test]
fn sqlite_is_new_enough_to_keep_a_shared_log_whole() {
    let parts: Vec<u32> = sqlite_version().split('.').map(|part| part.parse().unwrap()).collect();
    assert!(parts >= vec![3, 51, 3], "SQLite {}", sqlite_version());
}

#[test]
fn what_was_written_is_there_after_opening_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/er/memory.db");
    fill(&path, 3);
    let w = world(&path);
    assert_eq!(w.ok("status", json!({}))["last_seq"], 3);
    let init = w.ok("init", json!({}));
    assert_eq!(init["storage_dir"], path.parent().unwrap().display().to_string());
    assert_eq!(init["schema_version"], 9);
}

#[cfg(unix)]
#[test]
fn files_and_folders_are_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state/memory.db");
    let w = world(&path);
    note(&w, "x");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    let mut files: Vec<_> =
        fs::read_dir(path.parent().unwrap()).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    assert_eq!(files.len(), 3, "{files:?}");
    for file in files {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}

#[test]
fn a_damaged_file_is_an_error_and_is_kept_aside() {
    let damages: [fn(&mut Vec<u8>); 5] = [
        |bytes| bytes.clear(),
        |bytes| bytes.truncate(700),
        |bytes| bytes.fill(0),
        |bytes| bytes[..16].copy_from_slice(b"not a database!!"),
        |bytes| {
            let middle = bytes.len() / 2;
            bytes[4096..middle].fill(0xAA);
        },
    ];
    for (at, damage) in damages.into_iter().enumerate() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memory.db");
        fill(&path, 40);
        let mut bytes = fs::read(&path).unwrap();
        damage(&mut bytes);
        assert_eq!(problem_of(&path), None);
        fs::write(&path, &bytes).unwrap();
        let seen = problem_of(&path);
        assert!(matches!(seen, Some(StoreError::Corrupt { set_aside: None, .. })), "damage {at}: {seen:?}");
        assert_eq!(fs::read(&path).unwrap(), bytes, "whoever looks leaves it where it is");
        let Err(err) = SqliteStore::open(&path) else { panic!("damage {at} was not noticed") };
        let StoreError::Corrupt { set_aside: Some(kept), .. } = err else { panic!("damage {at}: {err}") };
        assert_eq!(fs::read(&kept).unwrap(), bytes);
        assert!(!path.exists());
        let store = SqliteStore::open(&path).unwrap();
        assert_eq!(store.set_aside().len(), 1);
    }
}

#[test]
fn a_large_damaged_file_is_noticed_by_the_check_beside() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    {
        let w = world(&path);
        for at in 0..40 {
            note(&w, &format!("{at} {}", "y".repeat(200_000)));
        }
    }
    let mut bytes = fs::read(&path).unwrap();
    assert!(bytes.len() > 5_000_000);
    let tree = 4096 * 3;
    bytes[tree..tree + 4096].fill(0x55);
    fs::write(&path, &bytes).unwrap();
    assert!(matches!(problem_of(&path), Some(StoreError::Corrupt { set_aside: None, .. })));
    match SqliteStore::open(&path) {
        Err(err) => assert!(matches!(err, StoreError::Corrupt { .. }), "{err}"),
        Ok(store) => {
            assert!(matches!(store.wait_for_check(), Err(StoreError::Corrupt { .. })));
            drop(store);
            let Err(StoreError::Corrupt { set_aside, .. }) = SqliteStore::open(&path) else { panic!() };
            assert!(set_aside.is_some());
        }
    }
}

#[test]
fn a_store_of_a_later_program_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    fill(&path, 1);
    let mut bytes = fs::read(&path).unwrap();
    bytes[60..64].copy_from_slice(&99_u32.to_be_bytes());
    fs::write(&path, &bytes).unwrap();
    let Err(err) = SqliteStore::open(&path) else { panic!() };
    assert!(matches!(err, StoreError::SchemaTooNew { found: 99, known: 9, .. }), "{err}");
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn a_log_without_its_file_is_not_replayed_into_a_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let w = world(&path);
    note(&w, "x");
    fs::remove_file(&path).unwrap();
    assert!(matches!(problem_of(&path), Some(StoreError::Corrupt { set_aside: None, .. })));
    let Err(err) = SqliteStore::open(&path) else { panic!() };
    assert!(matches!(err, StoreError::Corrupt { .. }), "{err}");
}

#[test]
fn a_place_that_cannot_be_written_is_told_clearly() {
    let Err(err) = SqliteStore::open("/proc/m1nd-test/memory.db") else { panic!() };
    assert!(matches!(err, StoreError::ReadOnly { .. } | StoreError::Io { .. }), "{err}");
    let folder = tempfile::tempdir().unwrap();
    let Err(err) = SqliteStore::open(folder.path()) else { panic!() };
    assert!(matches!(err, StoreError::ReadOnly { .. } | StoreError::Io { .. }), "{err}");
}

#[test]
fn threads_and_handles_share_one_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let path = &path;
            scope.spawn(move || {
                let w = world(path);
                for at in 0..25 {
                    note(&w, &format!("{thread}-{at}"));
                    w.ok("show", json!({"branch": "main", "doc": "notes", "limit": 3}));
                }
            });
        }
    });
    let w = world(&path);
    assert_eq!(w.ok("status", json!({}))["last_seq"], 100);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3, "drafts were left behind");
}
