//! Missions on every store: whole streams, one order, nothing acknowledged lost.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command as Process, Stdio};
use std::time::Duration;

use m1nd_memory::StoreError;
use m1nd_mission::missions::{self, Refusal};
use m1nd_mission::port::Ledger;
use m1nd_mission::{
    Command, EvidenceClass, Family, Inherited, MissionId, Mode, Shelf, Situation, Start, State, Telling,
    chain,
};
use m1nd_store::{RamStore, SqliteStore};
use serde_json::json;

struct NoTools;

impl Shelf for NoTools {
    fn has(&self, _: &str) -> bool {
        false
    }

    fn of(&self, _: Family) -> Vec<&'static str> {
        Vec::new()
    }

    fn family(&self, _: &str) -> Option<Family> {
        None
    }
}

type Missions = dyn Ledger<Fault = StoreError>;

fn on_every_store(test: impl Fn(&Missions)) {
    test(&RamStore::new());
    let folder = tempfile::tempdir().unwrap();
    test(&SqliteStore::open(folder.path().join("memory.db")).unwrap());
}

fn begin(ledger: &Missions) -> MissionId {
    let start = Start {
        repo: "/r".to_owned(),
        goal: "find it".to_owned(),
        mode: Mode::BugHunt,
        budget: Mode::BugHunt.budget(),
        known_paths: Vec::new(),
        context_guard: json!({}),
        right_workspace: true,
        parent: None,
        inherited: Inherited::default(),
    };
    missions::begin(ledger, &start, "ada", 5).unwrap().mission_id.clone()
}

fn tell(ledger: &Missions, mission: &MissionId, target: &str) -> u64 {
    let situation = Situation {
        now_ms: 7,
        shelf: &NoTools,
        right_workspace: true,
        graph_is_empty: false,
        running_job: None,
        stale_binary: false,
        hash_of: &|_| Some("h".into()),
        is_of_repo: &|_| true,
        scope: None,
        change_set: &|_| None,
        names: &|_| Vec::new(),
        text_of: &|_| None,
        defined: &|_| Vec::new(),
        count: &|_| None,
    };
    let telling = Telling {
        phase: "verify".to_owned(),
        event_type: "file_read".to_owned(),
        target: target.to_owned(),
        evidence_class: Some(EvidenceClass::DirectSource),
        outcome: "read".to_owned(),
        content_hash: Some("h".to_owned()),
        ..Telling::default()
    };
    let done = missions::act(ledger, mission.as_str(), "ada", &situation, |_| Command::Tell(telling.clone()))
        .unwrap();
    done.events[0].sequence
}

/// The stream is whole, and the state that is kept is what it comes to.
fn check(ledger: &Missions, mission: &MissionId) -> Vec<String> {
    let events = missions::stream(ledger, mission).unwrap();
    assert_eq!(chain::faults(mission, &events), Vec::<String>::new());
    let kept = ledger.state(mission).unwrap().unwrap();
    assert_eq!((State::of(&events).as_ref(), kept.made_again), (Some(&*kept.state), None));
    events.into_iter().map(|event| event.draft.target).collect()
}

#[test]
fn one_damaged_mission_hides_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let store = SqliteStore::open(path.clone()).unwrap();
    let (one, two) = (begin(&store), begin(&store));
    let raw = rusqlite::Connection::open(&path).unwrap();
    raw.execute("UPDATE missions SET state = '{' WHERE mission = $1", [one.as_str()]).unwrap();
    let listed = || store.list(10).unwrap().into_iter().map(|row| row.mission_id).collect::<Vec<_>>();
    assert_eq!(listed().len(), 2, "what it is about is in its first event, too");
    assert!(store.unreadable().unwrap().is_empty());
    raw.execute("UPDATE mission_events SET event = '{' WHERE mission = $1", [one.as_str()]).unwrap();
    assert_eq!(listed(), [two]);
    assert_eq!(store.unreadable().unwrap(), [one.to_string()]);
}

/// A mission of many events in a file of its own.
fn long(events: usize) -> (tempfile::TempDir, std::path::PathBuf, MissionId) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let store = SqliteStore::open(path.clone()).unwrap();
    let mission = begin(&store);
    for at in 1..events {
        tell(&store, &mission, &format!("f{at}"));
    }
    (folder, path, mission)
}

#[test]
fn a_state_is_what_was_stored_and_every_event_since() {
    for events in [1, 2, 63, 64, 65, 130] {
        let (_folder, path, mission) = long(events);
        let store = SqliteStore::open(&path).unwrap();
        assert_eq!(check(&store, &mission).len(), events);
        // Another process writes, and what was known goes on from there.
        let other = SqliteStore::open(&path).unwrap();
        tell(&other, &mission, "elsewhere");
        assert_eq!(check(&store, &mission).len(), events + 1);
        tell(&store, &mission, "here");
        assert_eq!(check(&other, &mission).len(), events + 2);
    }
}

#[test]
fn a_stored_state_that_is_damaged_is_made_again_said_and_mended_by_the_next_event() {
    for damage in ["{", "", "null", "{\"rules\":4}"] {
        let (_folder, path, mission) = long(130);
        let right = missions::state(&SqliteStore::open(&path).unwrap(), mission.as_str()).unwrap();
        let raw = rusqlite::Connection::open(&path).unwrap();
        raw.execute("UPDATE missions SET state = $1", [damage]).unwrap();
        let store = SqliteStore::open(&path).unwrap();
        let kept = missions::kept(&store, mission.as_str()).unwrap();
        assert_eq!(kept.state, right);
        assert!(kept.made_again.unwrap().contains("made again from its 130 events"), "{damage}");
        let sound = missions::sound(&store, mission.as_str(), None).unwrap();
        assert!(sound.faults.is_empty() && sound.made_again.is_some(), "{sound:?}");
        tell(&store, &mission, "on");
        assert_eq!(check(&store, &mission).len(), 131);
        assert_eq!(check(&SqliteStore::open(&path).unwrap(), &mission).len(), 131);
    }
}

#[test]
fn a_stream_that_is_broken_is_not_added_to_and_says_where() {
    for (damage, where_) in [
        ("UPDATE mission_events SET event = '{' WHERE sequence = 129", "event 129"),
        (
            "UPDATE mission_events SET event = replace(event, 'f128', 'f999') WHERE sequence = 129",
            "_129 was changed",
        ),
        ("DELETE FROM mission_events WHERE sequence = 130", "130 events were recorded"),
        ("DELETE FROM mission_events WHERE sequence = 129", "stands where event 129 belongs"),
    ] {
        let (_folder, path, mission) = long(130);
        let raw = rusqlite::Connection::open(&path).unwrap();
        raw.execute(damage, []).unwrap();
        let store = SqliteStore::open(&path).unwrap();
        let refused = missions::kept(&store, mission.as_str());
        let said = match refused {
            Err(Refusal::Store(err @ StoreError::Unreadable { .. })) => err.to_string(),
            other => panic!("{other:?}"),
        };
        assert!(said.contains(where_), "{said}");
        let sound = missions::sound(&store, mission.as_str(), None).unwrap();
        assert!(!sound.faults.is_empty() && sound.proven.is_none(), "{sound:?}");
        assert!(sound.state.unwrap().sequence >= 128, "what can be read is told");
    }
}

#[test]
fn what_was_proven_before_is_compared_byte_by_byte() {
    let (_folder, path, mission) = long(20);
    let store = SqliteStore::open(&path).unwrap();
    let hear = |before| missions::sound(&store, mission.as_str(), before).unwrap();
    let proven = hear(None).proven.unwrap();
    let again = hear(Some(&proven));
    assert!(again.faults.is_empty());
    tell(&store, &mission, "more");
    let more = hear(Some(&proven));
    assert_eq!((more.faults.len(), more.state.as_ref().unwrap().sequence), (0, 21));
    assert_eq!(more.state, hear(None).state, "the same as from the beginning");
    let raw = rusqlite::Connection::open(&path).unwrap();
    let text: String =
        raw.query_row("SELECT event FROM mission_events WHERE sequence = 9", [], |row| row.get(0)).unwrap();
    for at in (0..text.len()).step_by(5) {
        let mut bytes = text.clone().into_bytes();
        bytes[at] ^= 1;
        let Ok(flipped) = String::from_utf8(bytes) else { continue };
        raw.execute("UPDATE mission_events SET event = $1 WHERE sequence = 9", [&flipped]).unwrap();
        assert!(!hear(Some(&proven)).faults.is_empty(), "byte {at} of {text}");
    }
    raw.execute("UPDATE mission_events SET event = $1 WHERE sequence = 9", [&text]).unwrap();
    assert!(hear(Some(&proven)).faults.is_empty());
    raw.execute("DELETE FROM mission_events WHERE sequence > 15", []).unwrap();
    assert!(!hear(Some(&proven)).faults.is_empty(), "the end is gone");
}

#[test]
fn a_stream_that_was_cut_with_its_count_is_found_by_the_state_that_knew_more() {
    for left in [100, 127] {
        let (_folder, path, mission) = long(130);
        let raw = rusqlite::Connection::open(&path).unwrap();
        raw.execute("DELETE FROM mission_events WHERE sequence > $1", [left]).unwrap();
        raw.execute("UPDATE missions SET sequence = $1", [left]).unwrap();
        let store = SqliteStore::open(&path).unwrap();
        let sound = missions::sound(&store, mission.as_str(), None).unwrap();
        assert!(sound.faults[0].contains("of its 128 events are missing"), "{:?}", sound.faults);
        assert!(matches!(
            missions::kept(&store, mission.as_str()),
            Err(Refusal::Store(StoreError::Unreadable { .. }))
        ));
    }
}

#[test]
fn whoever_only_looks_at_a_store_leaves_it_as_it_is() {
    let (folder, path, mission) = long(20);
    let names = || {
        let all = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let mut all: Vec<_> = all.map(|path| (path.clone(), std::fs::read(path).unwrap())).collect();
        all.sort();
        all
    };
    let before = names();
    let store = SqliteStore::open_to_look(&path).unwrap();
    assert_eq!(store.events(&mission, 0, 100).unwrap().len(), 20);
    assert!(missions::sound(&store, mission.as_str(), None).unwrap().faults.is_empty());
    drop(store);
    assert_eq!(names(), before);
    std::fs::write(&path, "no store").unwrap();
    let before = names();
    assert!(matches!(SqliteStore::open_to_look(&path), Err(StoreError::Corrupt { set_aside: None, .. })));
    assert_eq!(names(), before);
    std::fs::remove_file(&path).unwrap();
    assert!(SqliteStore::open_to_look(&path).is_err());
    assert!(!path.exists(), "none is made");
}

#[test]
fn a_stream_is_kept_in_order_and_read_from_any_place() {
    on_every_store(|ledger| {
        let (one, two) = (begin(ledger), begin(ledger));
        assert_ne!(one, two, "the same goal at the same time");
        for at in 0..5 {
            tell(ledger, &one, &format!("f{at}"));
        }
        assert_eq!(check(ledger, &one), ["find it", "f0", "f1", "f2", "f3", "f4"]);
        let some = ledger.events(&one, 2, 2).unwrap();
        assert_eq!(some.iter().map(|event| event.sequence).collect::<Vec<_>>(), [3, 4]);
        let listed = ledger.list(10).unwrap();
        assert_eq!(listed.iter().map(|one| one.events).collect::<Vec<_>>(), [6, 1]);
        assert_eq!(ledger.list(1).unwrap().len(), 1);
        let unknown = missions::state(ledger, "msn_0000000000");
        assert!(matches!(unknown, Err(Refusal::Unknown { newest, .. }) if newest.len() == 2));
    });
}

#[test]
fn an_append_at_a_place_that_is_taken_keeps_nothing() {
    on_every_store(|ledger| {
        let mission = begin(ledger);
        let before = ledger.state(&mission).unwrap().unwrap().state;
        tell(ledger, &mission, "a");
        let events = ledger.events(&mission, 1, 1).unwrap();
        assert_eq!(ledger.append(1, &events, &before).unwrap(), m1nd_mission::port::Appended::Moved);
        assert_eq!(check(ledger, &mission), ["find it", "a"]);
    });
}

#[test]
fn threads_that_write_one_mission_wait_for_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("memory.db")).unwrap();
    let mission = begin(&store);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (store, mission) = (&store, &mission);
            scope.spawn(move || {
                for at in 0..25 {
                    tell(store, mission, &format!("{thread}-{at}"));
                }
            });
        }
    });
    let mut targets = check(&store, &mission);
    targets.sort();
    targets.dedup();
    assert_eq!(targets.len(), 101);
}

/// Set for a process that this test starts: the path of the store, the mission, its number.
const CHILD: &str = "MISSION_TEST_CHILD";

/// Not a test by itself: what the started processes do. Each acknowledged event is a line on stdout.
#[test]
fn child() {
    let Ok(order) = std::env::var(CHILD) else { return };
    let parts: Vec<&str> = order.split('|').collect();
    let store = SqliteStore::open(parts[0]).unwrap();
    let mission = MissionId::parse(parts[1]).unwrap();
    for at in 0.. {
        let target = format!("{}-{at}", parts[2]);
        let sequence = tell(&store, &mission, &target);
        let mut out = std::io::stdout().lock();
        writeln!(out, "\nok {sequence} {target}").and_then(|()| out.flush()).unwrap();
    }
}

fn start(path: &Path, mission: &MissionId, number: usize) -> Child {
    Process::new(std::env::current_exe().unwrap())
        .args(["--exact", "missions::child", "--nocapture", "--test-threads=1"])
        .env(CHILD, format!("{}|{mission}|{number}", path.display()))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// The full figure: `MISSION_KILLS=100`.
#[test]
fn a_killed_process_loses_no_event_that_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let mission = begin(&SqliteStore::open(&path).unwrap());
    let kills = std::env::var("MISSION_KILLS").ok().and_then(|given| given.parse().ok()).unwrap_or(6);
    for round in 0..kills {
        let mut pair = [start(&path, &mission, 2 * round), start(&path, &mission, 2 * round + 1)];
        let [mut first, second] = pair.each_mut().map(|child| {
            let lines = BufReader::new(child.stdout.take().unwrap()).lines();
            lines.map(|line| line.unwrap()).filter(|line| line.starts_with("ok "))
        });
        // However slow the machine is, one of them is at work.
        let mut said = vec![first.next().unwrap()];
        std::thread::sleep(Duration::from_millis((round as u64 * 37) % 91));
        pair.iter_mut().for_each(|child| child.kill().unwrap());
        said.extend(first.chain(second));
        for child in &mut pair {
            child.wait().unwrap();
        }
        let kept = check(&SqliteStore::open(&path).unwrap(), &mission);
        for line in &said {
            let mut parts = line.split(' ').skip(1);
            let (place, target) = (parts.next().unwrap(), parts.next().unwrap());
            assert_eq!(kept[place.parse::<usize>().unwrap() - 1], target);
        }
    }
}

#[test]
fn any_flipped_byte_of_what_is_kept_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let store = SqliteStore::open(path.clone()).unwrap();
    let mission = begin(&store);
    for target in ["src/a.rs", "src/ü.rs"] {
        tell(&store, &mission, target);
    }
    let found = || {
        let sound = missions::sound(&store, mission.as_str(), None);
        sound.map_or(true, |sound| !sound.faults.is_empty())
    };
    assert!(!found(), "nothing is wrong yet");
    let beside = rusqlite::Connection::open(&path).unwrap();
    let rows = [
        (
            "SELECT event FROM mission_events WHERE sequence = 1",
            "UPDATE mission_events SET event = ?1 WHERE sequence = 1",
        ),
        (
            "SELECT event FROM mission_events WHERE sequence = 3",
            "UPDATE mission_events SET event = ?1 WHERE sequence = 3",
        ),
    ];
    for (read, write) in rows {
        let text: String = beside.query_row(read, [], |row| row.get(0)).unwrap();
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            // A digit becomes another digit, a letter another letter, and some bytes no text at all.
            bytes[at] ^= 1 << (at % 7);
            let Ok(flipped) = String::from_utf8(bytes) else { continue };
            beside.execute(write, [&flipped]).unwrap();
            assert!(found(), "byte {at} of {text}");
        }
        beside.execute(write, [&text]).unwrap();
    }
    assert!(!found(), "all is as it was");
    // A byte of the state changes nothing that anyone is told, and is told itself.
    let right = missions::state(&store, mission.as_str()).unwrap();
    let text: String = beside.query_row("SELECT state FROM missions", [], |row| row.get(0)).unwrap();
    for at in (0..text.len()).step_by(17) {
        let mut bytes = text.clone().into_bytes();
        bytes[at] ^= 1;
        let Ok(flipped) = String::from_utf8(bytes) else { continue };
        beside.execute("UPDATE missions SET state = $1", [&flipped]).unwrap();
        let kept = missions::kept(&SqliteStore::open(&path).unwrap(), mission.as_str()).unwrap();
        assert!(kept.state == right && kept.made_again.is_some(), "byte {at} of {text}");
    }
    beside.execute("UPDATE missions SET state = $1", [&text]).unwrap();
    beside.execute("DELETE FROM mission_events WHERE sequence = 3", []).unwrap();
    assert!(found(), "an event is missing at the end");
}
