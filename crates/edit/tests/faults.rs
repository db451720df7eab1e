//! A disk that fails, or a process that dies, at every single operation of a batch of twenty files.

#![allow(clippy::unwrap_used)]

mod common;

use std::cell::Cell;
use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use common::{Tree, batch, lay_out, tree};
use m1nd_edit::disk::{Held, Onto, WriteError};
use m1nd_edit::journal::{self, JournalError, commit, recover};
use m1nd_edit::{BatchId, Disk, DiskError, OnDisk, plan};
use m1nd_stdx::clock::UnixMs;
use m1nd_vfs::Root;

/// How an operation goes wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wrong {
    /// It is refused and does nothing; later ones work.
    Refused(io::ErrorKind),
    /// It is done, and an error is reported all the same.
    DoneButFailed,
    /// It and the next ones are refused.
    RefusedFor(u32),
    /// The process dies before it.
    DiesBefore,
    /// The process dies after it.
    DiesAfter,
    /// The process dies in the middle of it: half of what was to be written is there.
    DiesWithin,
}

struct Faulty<'a> {
    disk: OnDisk<'a>,
    count: Cell<u32>,
    at: u32,
    wrong: Wrong,
    dead: Cell<bool>,
}

impl Faulty<'_> {
    fn refused(kind: io::ErrorKind) -> DiskError {
        WriteError::Io { path: "somewhere".into(), source: kind.into() }.into()
    }

    /// Runs one changing operation; `half` does a part of it.
    fn step(
        &self,
        whole: impl FnOnce(&OnDisk<'_>) -> Result<(), DiskError>,
        half: impl FnOnce(&OnDisk<'_>),
    ) -> Result<(), DiskError> {
        let dead = || Err(Self::refused(io::ErrorKind::BrokenPipe));
        if self.dead.get() {
            return dead();
        }
        let now = self.count.get();
        self.count.set(now + 1);
        if let Wrong::RefusedFor(times) = self.wrong
            && (self.at..self.at + times).contains(&now)
        {
            return Err(Self::refused(io::ErrorKind::Other));
        }
        if now != self.at {
            return whole(&self.disk);
        }
        match self.wrong {
            Wrong::Refused(kind) => return Err(Self::refused(kind)),
            Wrong::RefusedFor(_) => return whole(&self.disk),
            Wrong::DoneButFailed => {
                whole(&self.disk)?;
                return Err(Self::refused(io::ErrorKind::Other));
            }
            Wrong::DiesBefore => {}
            Wrong::DiesAfter => whole(&self.disk)?,
            Wrong::DiesWithin => half(&self.disk),
        }
        self.dead.set(true);
        dead()
    }

    fn alive(&self) -> Result<(), DiskError> {
        if self.dead.get() { Err(Self::refused(io::ErrorKind::BrokenPipe)) } else { Ok(()) }
    }
}

impl Disk for Faulty<'_> {
    fn held(&self, path: &str) -> Result<Option<Held>, DiskError> {
        self.alive()?;
        self.disk.held(path)
    }

    fn missing_folders(&self, path: &str) -> Result<Vec<String>, DiskError> {
        self.disk.missing_folders(path)
    }

    fn is_beside(&self, path: &str, name: &str) -> Result<bool, DiskError> {
        self.alive()?;
        self.disk.is_beside(path, name)
    }

    fn make_folder(&self, path: &str) -> Result<(), DiskError> {
        self.step(|disk| disk.make_folder(path), |_| {})
    }

    fn remove_empty_folder(&self, path: &str) -> Result<(), DiskError> {
        self.step(|disk| disk.remove_empty_folder(path), |_| {})
    }

    fn put_beside(
        &self,
        path: &str,
        name: &str,
        bytes: &[u8],
        mode: Option<u32>,
        like: &str,
    ) -> Result<(), DiskError> {
        self.step(
            |disk| disk.put_beside(path, name, bytes, mode, like),
            |disk| disk.put_beside(path, name, &bytes[..bytes.len() / 2], mode, like).unwrap(),
        )
    }

    fn remove_beside(&self, path: &str, name: &str) -> Result<bool, DiskError> {
        let looked = Cell::new(true);
        self.step(|disk| disk.remove_beside(path, name).map(|there| looked.set(there)), |_| {})?;
        Ok(looked.get())
    }

    fn take_place(&self, path: &str, name: &str, onto: Onto) -> Result<(), DiskError> {
        self.step(|disk| disk.take_place(path, name, onto), |_| {})
    }

    fn remove_file(&self, path: &str) -> Result<(), DiskError> {
        self.step(|disk| disk.remove_file(path), |_| {})
    }

    fn sync_beside(&self, path: &str) -> Result<(), DiskError> {
        self.step(|disk| disk.sync_beside(path), |_| {})
    }

    fn states(&self) -> Result<Vec<(String, u64)>, DiskError> {
        self.alive()?;
        self.disk.states()
    }

    fn state(&self, name: &str) -> Result<Vec<u8>, DiskError> {
        self.disk.state(name)
    }

    fn put_state(&self, name: &str, bytes: &[u8]) -> Result<(), DiskError> {
        // What a crash leaves of a file that is written beside and renamed.
        self.step(
            |disk| disk.put_state(name, bytes),
            |disk| disk.put_state(".m1nd-half", &bytes[..9]).unwrap(),
        )
    }

    fn move_state(&self, from: &str, to: &str) -> Result<(), DiskError> {
        self.step(|disk| disk.move_state(from, to), |_| {})
    }

    fn remove_state(&self, name: &str) -> Result<(), DiskError> {
        self.step(|disk| disk.remove_state(name), |_| {})
    }
}

struct Outcome {
    result: Result<(), JournalError>,
    /// Before any recovery.
    at_once: Tree,
    after: Tree,
    operations: u32,
}

fn id() -> BatchId {
    BatchId("b-1".into())
}

/// Runs the batch on a disk that goes wrong at one operation, then recovers as another process would.
fn run(wrong: Wrong, at: u32) -> Outcome {
    let dir = common::folder();
    let folder = dir.path().join("ws");
    lay_out(&folder);
    let root = Root::open(&folder).unwrap();
    let journal = dir.path().join("journal");
    let disk = || OnDisk { root: &root, journal: journal.clone() };
    let planned = plan(&disk(), &batch()).unwrap();
    let faulty = Faulty { disk: disk(), count: Cell::new(0), at, wrong, dead: Cell::new(false) };
    let result = commit(&faulty, &planned, &id(), UnixMs(1)).map(|_| ());
    let at_once = tree(&folder);
    recover(&disk()).unwrap();
    assert!(!journal::is_pending(&disk()));
    assert!(disk().states().unwrap().iter().all(|(name, _)| name.ends_with(".undo")));
    Outcome { result, at_once, after: tree(&folder), operations: faulty.count.get() }
}

fn old_and_new() -> (Tree, Tree, u32) {
    let dir = common::folder();
    lay_out(dir.path());
    let old = tree(dir.path());
    let done = run(Wrong::Refused(io::ErrorKind::Other), u32::MAX);
    done.result.unwrap();
    assert_ne!(done.after, old);
    assert_eq!(done.at_once, done.after);
    (old, done.after, done.operations)
}

#[test]
fn an_error_at_any_operation_leaves_all_old_or_all_new() {
    let (old, new, operations) = old_and_new();
    assert!(operations > 45, "{operations}");
    for wrong in [
        Wrong::Refused(io::ErrorKind::StorageFull),
        Wrong::Refused(io::ErrorKind::ReadOnlyFilesystem),
        Wrong::DoneButFailed,
    ] {
        for at in 0..operations {
            let done = run(wrong, at);
            let expected = if done.result.is_ok() { &new } else { &old };
            assert_eq!(&done.at_once, expected, "{wrong:?} at {at}: {:?}", done.result);
            assert_eq!(&done.after, expected, "{wrong:?} at {at}");
        }
    }
}

#[test]
fn a_disk_that_goes_on_failing_is_mended_by_the_next_start() {
    let (old, new, operations) = old_and_new();
    for times in [2, 40] {
        for at in 0..operations {
            let done = run(Wrong::RefusedFor(times), at);
            let said = format!("{times} from {at}: {:?}", done.result);
            assert!(done.after == old || done.after == new, "{said}");
            match done.result {
                Ok(()) => assert_eq!(done.after, new, "{said}"),
                Err(JournalError::Disk(_) | JournalError::Stale { .. }) => {
                    assert_eq!(done.after, old, "{said}")
                }
                Err(_) => {}
            }
        }
    }
}

#[test]
fn a_process_that_dies_at_any_operation_leaves_all_old_or_all_new() {
    let (old, new, operations) = old_and_new();
    let mut seen = (0, 0);
    for wrong in [Wrong::DiesBefore, Wrong::DiesAfter, Wrong::DiesWithin] {
        for at in 0..operations {
            let done = run(wrong, at);
            assert!(done.after == old || done.after == new, "{wrong:?} at {at}");
            if done.after == old {
                seen.0 += 1
            } else {
                seen.1 += 1
            }
            if done.result.is_ok() {
                assert_eq!(done.after, new, "{wrong:?} at {at}");
            }
        }
    }
    assert!(seen.0 > 20 && seen.1 > 20, "{seen:?}");
}

#[test]
fn a_recovery_that_dies_is_done_by_the_next() {
    let (old, new, operations) = old_and_new();
    for at in (0..operations).step_by(5) {
        for second in 0..6 {
            let dir = common::folder();
            let folder = dir.path().join("ws");
            lay_out(&folder);
            let root = Root::open(&folder).unwrap();
            let disk = || OnDisk { root: &root, journal: dir.path().join("journal") };
            let planned = plan(&disk(), &batch()).unwrap();
            let dying = |at| Faulty {
                disk: disk(),
                count: Cell::new(0),
                at,
                wrong: Wrong::DiesAfter,
                dead: Cell::new(false),
            };
            assert!(commit(&dying(at), &planned, &id(), UnixMs(1)).is_err() || at + 1 >= operations);
            recover(&dying(second)).ok();
            recover(&disk()).unwrap();
            let after = tree(&folder);
            assert!(after == old || after == new, "{at} then {second}");
        }
    }
}

#[test]
fn a_batch_is_taken_back_and_that_too() {
    let dir = common::folder();
    let folder = dir.path().join("ws");
    lay_out(&folder);
    let (old, root) = (tree(&folder), Root::open(&folder).unwrap());
    let disk = OnDisk { root: &root, journal: dir.path().join("journal") };
    commit(&disk, &plan(&disk, &batch()).unwrap(), &id(), UnixMs(1)).unwrap();
    let new = tree(&folder);
    let back = journal::inverse(&disk, "b-1").unwrap();
    commit(&disk, &back, &BatchId("b-2".into()), UnixMs(2)).unwrap();
    journal::remove_made_folders(&disk, "b-1");
    assert_eq!(tree(&folder), old);
    assert!(journal::inverse(&disk, "b-1").unwrap().files.is_empty());
    let again = journal::inverse(&disk, "b-2").unwrap();
    commit(&disk, &again, &BatchId("b-3".into()), UnixMs(3)).unwrap();
    assert_eq!(tree(&folder), new);
    std::fs::write(folder.join("src/edit3.rs"), "by hand").unwrap();
    let refused = journal::inverse(&disk, "b-3").unwrap_err();
    assert!(matches!(refused, JournalError::ChangedSince { ref paths } if paths == &["src/edit3.rs"]));
    assert!(matches!(journal::inverse(&disk, "b-9"), Err(JournalError::Unknown(_))));
}

#[test]
fn a_batch_that_is_rolled_back_leaves_nothing() {
    let dir = common::folder();
    let folder = dir.path().join("ws");
    lay_out(&folder);
    let (old, root) = (tree(&folder), Root::open(&folder).unwrap());
    let disk = OnDisk { root: &root, journal: dir.path().join("journal") };
    commit(&disk, &plan(&disk, &batch()).unwrap(), &id(), UnixMs(1)).unwrap();
    journal::roll_back(&disk, &id(), UnixMs(2)).unwrap();
    assert_eq!(tree(&folder), old);
    assert_eq!(disk.states().unwrap(), []);
}

#[test]
fn what_an_editor_wrote_after_a_crash_is_left_alone() {
    let (_, _, operations) = old_and_new();
    let dir = common::folder();
    let folder = dir.path().join("ws");
    lay_out(&folder);
    let root = Root::open(&folder).unwrap();
    let disk = || OnDisk { root: &root, journal: dir.path().join("journal") };
    let planned = plan(&disk(), &batch()).unwrap();
    let at = operations - 12;
    let dying =
        Faulty { disk: disk(), count: Cell::new(0), at, wrong: Wrong::DiesAfter, dead: Cell::new(false) };
    commit(&dying, &planned, &id(), UnixMs(1)).unwrap_err();
    let last = folder.join("src/to2.sh");
    assert!(!last.exists());
    std::fs::write(&last, "mine").unwrap();
    let recovered = recover(&disk()).unwrap();
    assert_eq!(recovered[0].left_alone, ["src/to2.sh"]);
    assert_eq!(std::fs::read(&last).unwrap(), b"mine");
}

#[test]
fn a_damaged_record_is_set_aside() {
    let dir = common::folder();
    let folder: &Path = dir.path();
    std::fs::create_dir_all(folder.join("ws")).unwrap();
    let root = Root::open(&folder.join("ws")).unwrap();
    let disk = OnDisk { root: &root, journal: folder.join("journal") };
    disk.put_state("00000001-b-1.forward", b"m1ndjrn1 nonsense").unwrap();
    assert!(journal::is_pending(&disk));
    assert_eq!(recover(&disk).unwrap()[0].ended, journal::Ended::Damaged);
    assert!(!journal::is_pending(&disk));
    assert!(folder.join("journal/00000001-b-1.forward.corrupt").exists());
}

/// A workspace whose batch ended at an operation, as if the process had died.
struct Crashed {
    dir: tempfile::TempDir,
    root: Root,
}

impl Crashed {
    fn at(at: u32) -> Self {
        let dir = common::folder();
        let folder = dir.path().join("ws");
        lay_out(&folder);
        let crashed = Self { root: Root::open(&folder).unwrap(), dir };
        let planned = plan(&crashed.disk(), &batch()).unwrap();
        let (count, dead) = (Cell::new(0), Cell::new(false));
        let dying = Faulty { disk: crashed.disk(), count, at, wrong: Wrong::DiesAfter, dead };
        commit(&dying, &planned, &id(), UnixMs(1)).ok();
        crashed
    }

    fn disk(&self) -> OnDisk<'_> {
        OnDisk { root: &self.root, journal: self.dir.path().join("journal") }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.root.path().join(name)
    }

    /// The ending of the record that waits.
    fn phase(&self) -> Option<String> {
        let names = self.disk().states().unwrap().into_iter().map(|(name, _)| name);
        let endings = names.filter_map(|name| Some(name.rsplit_once('.')?.1.to_owned()));
        endings.into_iter().find(|ending| ending == "staging" || ending == "forward")
    }

    fn litter(&self) -> Vec<String> {
        tree(self.root.path()).into_keys().filter(|name| name.contains(".m1nd-")).collect()
    }
}

fn gone(path: &Path) {
    match path.is_dir() && !path.is_symlink() {
        true => fs::remove_dir_all(path).unwrap(),
        false => fs::remove_file(path).unwrap_or_default(),
    }
}

#[test]
fn what_paths_have_become_since_a_crash_blocks_nothing() {
    let (old, _, operations) = old_and_new();
    type Mangle = fn(&Crashed);
    let mangles: [(&str, Mangle); 7] = [
        ("a target is a folder", |at| {
            gone(&at.path("src/edit3.rs"));
            fs::create_dir(at.path("src/edit3.rs")).unwrap();
        }),
        ("a target is a link", |at| {
            gone(&at.path("src/edit3.rs"));
            symlink("/etc/hostname", at.path("src/edit3.rs")).unwrap();
        }),
        ("a folder is a link", |at| {
            fs::rename(at.path("src"), at.path("kept")).unwrap();
            symlink("kept", at.path("src")).unwrap();
        }),
        ("a folder is gone", |at| gone(&at.path("src"))),
        ("a folder of deleted files is gone", |at| gone(&at.path("old"))),
        ("a folder is a file", |at| {
            gone(&at.path("old"));
            fs::write(at.path("old"), "file").unwrap();
        }),
        ("a folder that is made is a file", |at| {
            gone(&at.path("new"));
            fs::write(at.path("new"), "file").unwrap();
        }),
    ];
    let mut seen = (0, 0);
    for (what, mangle) in mangles {
        for at in 0..operations {
            let crashed = Crashed::at(at);
            let Some(phase) = crashed.phase() else { continue };
            let plain = |tree: Tree| {
                tree.into_iter().filter(|(name, _)| !name.contains(".m1nd-") && !name.starts_with("new/"))
            };
            let is_untouched = plain(tree(crashed.root.path())).eq(plain(old.clone()));
            mangle(&crashed);
            let settled = recover(&crashed.disk()).unwrap_or_else(|err| panic!("{what} at {at}: {err}"));
            assert!(!journal::is_pending(&crashed.disk()), "{what} at {at}");
            if what != "a folder is a link" {
                assert_eq!(crashed.litter(), [""; 0], "{what} at {at}");
            }
            if what == "a folder is a link" && is_untouched {
                let (kept, made) = (tree(&crashed.path("kept")), crashed.path("new"));
                assert!(
                    kept.iter().all(|(name, (bytes, _))| name.starts_with(".m1nd")
                        || name.contains("/.m1nd")
                        || old.get(&format!("src/{name}")).is_some_and(|(was, _)| was == bytes)),
                    "{at}"
                );
                assert!(!made.exists(), "a batch of which nothing was in its place goes back: {at}");
            }
            match (&settled[0].left_alone[..], &phase[..]) {
                // Nothing was in its place yet.
                (left, "staging") => {
                    seen.0 += 1;
                    assert_eq!(left, [""; 0], "{what} at {at}");
                }
                ([], _) => {}
                (_, _) => {
                    seen.1 += 1;
                    let is_back = settled[0].ended == journal::Ended::TakenBack;
                    assert_eq!(settled[0].aside.is_some(), is_back, "{what} at {at}");
                }
            }
            let create = m1nd_edit::Change {
                path: "z".into(),
                act: m1nd_edit::Act::Create("z".into()),
                rename_to: None,
                expected: None,
                runs: None,
            };
            let next = plan(&crashed.disk(), &[create]).unwrap();
            commit(&crashed.disk(), &next, &BatchId("b-2".into()), UnixMs(2)).unwrap();
        }
    }
    assert!(seen.0 > 50 && seen.1 > 50, "{seen:?}");
}

#[test]
fn what_was_written_beside_files_goes_when_their_folder_is_back() {
    let (old, _, operations) = old_and_new();
    let mut seen = 0;
    for at in 0..operations {
        let crashed = Crashed::at(at);
        if crashed.phase().as_deref() != Some("staging") || crashed.litter().is_empty() {
            continue;
        }
        seen += 1;
        fs::rename(crashed.path("src"), crashed.path("kept")).unwrap();
        recover(&crashed.disk()).unwrap();
        fs::rename(crashed.path("kept"), crashed.path("src")).unwrap();
        recover(&crashed.disk()).unwrap();
        assert_eq!(tree(crashed.root.path()), old, "{at}");
        assert_eq!(crashed.disk().states().unwrap(), [], "{at}");
    }
    assert!(seen > 5, "{seen}");
}

#[test]
fn a_mode_given_since_a_crash_stays_and_does_not_hold_a_batch_up() {
    let (old, new, operations) = old_and_new();
    let mut seen = (0, 0);
    for at in 0..operations {
        let crashed = Crashed::at(at);
        let Some(phase) = crashed.phase() else { continue };
        fs::set_permissions(crashed.path("src/edit3.rs"), fs::Permissions::from_mode(0o444)).unwrap();
        let settled = recover(&crashed.disk()).unwrap();
        assert_eq!(settled[0].left_alone, [""; 0], "{at}");
        let mut expected = if phase == "staging" { old.clone() } else { new.clone() };
        expected.get_mut("src/edit3.rs").unwrap().1 = 0o444;
        assert_eq!(tree(crashed.root.path()), expected, "{at}");
        match phase.as_str() {
            "staging" => seen.0 += 1,
            _ => seen.1 += 1,
        }
    }
    assert!(seen.0 > 5 && seen.1 > 5, "{seen:?}");
}

#[test]
fn a_batch_that_was_done_stays_when_a_file_is_changed_before_the_journal_knew() {
    let (_, new, operations) = old_and_new();
    let crashed = Crashed::at(operations - 2);
    assert_eq!(crashed.phase().as_deref(), Some("forward"));
    assert_eq!(tree(crashed.root.path()), new);
    fs::write(crashed.path("src/edit3.rs"), "mine").unwrap();
    let settled = recover(&crashed.disk()).unwrap();
    assert_eq!(
        (settled[0].ended, &settled[0].left_alone[..]),
        (journal::Ended::Completed, &["src/edit3.rs".to_owned()][..])
    );
    let mut expected = new;
    expected.get_mut("src/edit3.rs").unwrap().0 = b"mine".to_vec();
    assert_eq!(tree(crashed.root.path()), expected);
}
