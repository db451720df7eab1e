//! Drawers on every store: numbers given once, changes only to what was read, room and age.

use m1nd_memory::drawers::{Added, Drawer, Drawers, Room, Thing};
use m1nd_store::{RamStore, SqliteStore};

const WALKS: Drawer<'static> = Drawer { kind: "walk", agent: "a" };
const ROOM: Room = Room { most: 2, idle_ms: None };

fn on_every_store(test: impl Fn(&dyn Drawers)) {
    test(&RamStore::new());
    let folder = tempfile::tempdir().unwrap();
    test(&SqliteStore::open(folder.path().join("memory.db")).unwrap());
}

fn add(store: &dyn Drawers, drawer: Drawer<'_>, room: Room, now_ms: i64) -> Option<Thing> {
    let make = &mut |number: u64| (format!("w{number}"), format!("body {number}"));
    match store.add(drawer, room, now_ms, make).unwrap() {
        Added::Kept(thing) => Some(thing),
        Added::Full => None,
    }
}

#[test]
fn numbers_are_given_once_and_a_full_drawer_takes_no_more() {
    on_every_store(|store| {
        assert_eq!(add(store, WALKS, ROOM, 1).unwrap().key, "w1");
        assert_eq!(add(store, WALKS, ROOM, 2).unwrap().key, "w2");
        assert_eq!(add(store, WALKS, ROOM, 3), None);
        assert!(store.remove(WALKS, "w2").unwrap());
        assert!(!store.remove(WALKS, "w2").unwrap());
        assert_eq!(add(store, WALKS, ROOM, 4).unwrap().key, "w3", "a number is not given twice");
        let other = Drawer { agent: "b", ..WALKS };
        assert_eq!(add(store, other, ROOM, 5).unwrap().key, "w1", "every agent has its own");
        assert_eq!((store.count("walk").unwrap(), store.count("lock").unwrap()), (3, 0));
        let keys: Vec<String> = store.list(WALKS).unwrap().into_iter().map(|thing| thing.key).collect();
        assert_eq!(keys, ["w3", "w1"], "touched last, first");
        assert_eq!(store.get(WALKS, "w9").unwrap(), None);
    });
}

#[test]
fn what_changed_meanwhile_is_not_overwritten() {
    on_every_store(|store| {
        let first = add(store, WALKS, ROOM, 1).unwrap();
        let mine = Thing { body: "mine".to_owned(), ..first.clone() };
        assert!(store.replace(WALKS, &mine, 2).unwrap());
        let theirs = Thing { body: "theirs".to_owned(), ..first };
        assert!(!store.replace(WALKS, &theirs, 3).unwrap());
        let now = store.get(WALKS, "w1").unwrap().unwrap();
        assert_eq!((now.body.as_str(), now.version, now.updated_ms), ("mine", 2, 2));
    });
}

#[test]
fn what_nobody_touched_for_long_makes_room() {
    on_every_store(|store| {
        let room = Room { most: 2, idle_ms: Some(100) };
        add(store, WALKS, room, 0);
        add(store, WALKS, room, 50);
        assert_eq!(add(store, WALKS, room, 100), None);
        assert_eq!(add(store, WALKS, room, 120).unwrap().key, "w3");
        assert_eq!(store.get(WALKS, "w1").unwrap(), None);
    });
}
