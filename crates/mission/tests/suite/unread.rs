//! Changes of files that nobody had read, and what is read before a change.

use m1nd_mission::{Command, EvidenceClass, Family, Mode, remarks};

use crate::proving::batch;
use crate::world::World;

fn next(world: &World) -> (Option<&'static str>, String) {
    let next = world.next().next_move;
    let target = next.target().unwrap_or_default();
    (next.tool, target)
}

#[test]
fn a_file_that_was_changed_unread_is_read_once_and_then_tested() {
    for mode in [Mode::Edit, Mode::Refactor] {
        let mut world = World::new(mode, &[]);
        world.see("impact", Family::Relate, "src/a.rs:1", &[]);
        batch(&mut world, "one", &[("src/a.rs", Some("h2"))], None);
        assert_eq!(world.gaps(), ["source_not_read", "edited_unread", "not_tested"]);
        assert_eq!(next(&world), (Some("view"), "src/a.rs".to_owned()), "no map is needed any more");
        world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
        assert_eq!(world.gaps(), ["not_tested"], "whoever reads what was written has reviewed it");
        assert_eq!(world.next().next_move.tool_family, Family::Run);
        batch(&mut world, "two", &[("src/a.rs", Some("h3"))], None);
        world.tell("test_run", "cargo test", EvidenceClass::TestRun, "passed");
        assert_eq!(world.next().next_move.tool, Some("mission_close"));
        world.do_(Command::Close { force: false }).unwrap();
        let said = remarks(&world.state).join(" ");
        assert!(said.contains("Read only after it was changed: src/a.rs."), "{said}");
    }
}

#[test]
fn a_change_that_is_made_again_after_it_was_taken_back_is_one() {
    let mut world = World::new(Mode::Edit, &[]);
    batch(&mut world, "one", &[("src/a.rs", Some("h2"))], None);
    world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    batch(&mut world, "back", &[("src/a.rs", Some("h1"))], Some("one"));
    assert!(world.gaps().contains(&"nothing_edited".to_owned()));
    world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    batch(&mut world, "two", &[("src/a.rs", Some("h2"))], None);
    world.tell("test_run", "cargo test", EvidenceClass::TestRun, "passed");
    assert_eq!(world.gaps(), Vec::<String>::new(), "{:?}", world.state.edits);
}

#[test]
fn what_is_gone_or_cannot_be_read_is_not_asked_for_for_ever() {
    let mut world = World::new(Mode::Edit, &["src/a.rs"]);
    world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    world.files.insert("src/b.rs".to_owned(), "b1".to_owned());
    batch(&mut world, "one", &[("src/b.rs", None)], None);
    world.tell("test_run", "cargo test", EvidenceClass::TestRun, "passed");
    assert_eq!(world.gaps(), Vec::<String>::new(), "a file that is gone cannot be read");
    let said = remarks(&world.state).join(" ");
    assert!(said.contains("Changed, and never read: src/b.rs."), "{said}");
}

#[test]
fn what_the_goal_names_is_read_before_something_is_changed() {
    for mode in [Mode::Edit, Mode::Refactor] {
        let mut world = World::new(mode, &[]);
        world.state.goal = "Rename Timeout.as_dict to to_dict".to_owned();
        for path in ["src/config.rs", "src/url.rs"] {
            world.files.insert(path.to_owned(), "c1".to_owned());
        }
        for (name, place) in [("as_dict", "src/url.rs:3-9"), ("as_dict", "src/config.rs:132-140")] {
            world.names.push((name.to_owned(), place.to_owned()));
        }
        world.names.push(("Timeout".to_owned(), "src/config.rs:100-150".to_owned()));
        world.see("impact", Family::Relate, "src/a.rs:1", &[]);
        world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
        let (tool, target) = next(&world);
        assert_eq!((tool, target.as_str()), (Some("view"), "src/config.rs:122-202"));
        world.see("view", Family::Read, "src/config.rs", &["src/config.rs"]);
        assert_ne!(next(&world).0, Some("view"), "{:?}", world.next());
        world.state.goal = "Say in src/url.rs that it is old".to_owned();
        assert_eq!(next(&world).1, "src/url.rs");
        batch(&mut world, "one", &[("src/a.rs", Some("h2"))], None);
        assert!(!world.gaps().contains(&"source_not_read".to_owned()));
        assert_eq!(world.next().next_move.tool_family, Family::Run, "what was changed is advised on no more");
    }
}
