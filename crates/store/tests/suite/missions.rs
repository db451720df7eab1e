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
    missions::begin(ledger, &start, "ada", 5).unwrap().mission_id
}

fn tell(ledger: &Missions, mission: &MissionId, target: &str) -> u64 {
    let situation = Situation {
        now_ms: 7,
        shelf: &NoTools,
        right_workspace: true,
        graph_is_empty: false,
        stale_binary: false,
        is_current: &|_, _| true,
        hash_of: &|_| None,
        exists: &|_| true,
        is_of_repo: &|_| true,
        scope: None,
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
    assert_eq!(State::of(&events), ledger.state(mission).unwrap());
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
    let listed = store.list(10).unwrap();
    assert_eq!(listed.into_iter().map(|row| row.mission_id).collect::<Vec<_>>(), [two]);
    assert_eq!(store.unreadable().unwrap(), [one.to_string()]);
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
        let before = ledger.state(&mission).unwrap().unwrap();
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
    let kept = missions::state(&store, mission.as_str()).unwrap();
    let found = || missions::faults(&store, mission.as_str()).map_or(true, |faults| !faults.is_empty());
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
        ("SELECT state FROM missions", "UPDATE missions SET state = ?1"),
    ];
    for (read, write) in rows {
        let text: String = beside.query_row(read, [], |row| row.get(0)).unwrap();
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            // A digit becomes another digit, a letter another letter, and some bytes no text at all.
            bytes[at] ^= 1 << (at % 7);
            let Ok(flipped) = String::from_utf8(bytes) else { continue };
            beside.execute(write, [&flipped]).unwrap();
            // The state is made from the events: a byte of it that says nothing may change, and nothing that anyone is told.
            let says_the_same = || missions::state(&store, mission.as_str()).is_ok_and(|now| now == kept);
            assert!(found() || read.contains("state") && says_the_same(), "byte {at} of {text}");
        }
        beside.execute(write, [&text]).unwrap();
    }
    assert!(!found(), "all is as it was");
    beside.execute("DELETE FROM mission_events WHERE sequence = 3", []).unwrap();
    assert!(found(), "an event is missing at the end");
}
