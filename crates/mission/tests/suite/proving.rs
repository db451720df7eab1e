//! What proves something, and what no longer does.

use m1nd_mission::{Command, EventId, EvidenceClass, Family, Mode, Verdict, Verify, gaps};

use crate::world::World;

fn verify(world: &mut World, text: &str, events: &[&EventId]) -> Verdict {
    let event_ids = events.iter().map(|id| (*id).clone()).collect();
    let command = Verify { text: Some(text.to_owned()), event_ids, ..Verify::default() };
    let done = world.do_(Command::Verify(command)).unwrap();
    world.state.claim(&done.claim.unwrap()).unwrap().verdict
}

fn run(world: &mut World, target: &str, outcome: &str) -> EventId {
    world.tell("test_run", target, EvidenceClass::TestRun, outcome)
}

fn edit(world: &mut World, path: &str, hash: &str) -> EventId {
    world.files.insert(path.to_owned(), hash.to_owned());
    world.tell("edit", path, EvidenceClass::Diff, "applied")
}

/// A mission that read `src/a.rs` and changed it.
fn edited() -> World {
    let mut world = World::new(Mode::Edit, &["src/a.rs"]);
    world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    edit(&mut world, "src/a.rs", "h2");
    world
}

#[test]
fn a_run_before_an_edit_says_nothing_of_what_came_after_it() {
    let mut world = edited();
    let passed = run(&mut world, "cargo test", "passed");
    assert_eq!(verify(&mut world, "all tests pass", &[&passed]), Verdict::VerifiedForMission);
    assert_eq!(world.gaps(), Vec::<String>::new());
    edit(&mut world, "src/a.rs", "h3");
    assert_eq!(world.gaps(), ["not_tested", "stale_evidence"]);
    assert_eq!(verify(&mut world, "they pass still", &[&passed]), Verdict::NeedsDirectEvidence);
    let again = run(&mut world, "cargo test", "passed");
    assert_eq!(world.gaps(), ["claims_not_settled", "stale_evidence"]);
    for claim in world.state.claims.clone() {
        let command =
            Verify { claim_id: Some(claim.claim_id), event_ids: vec![again.clone()], ..Verify::default() };
        world.do_(Command::Verify(command)).unwrap();
    }
    assert_eq!(world.gaps(), Vec::<String>::new());
}

#[test]
fn the_same_run_with_another_end_takes_back_what_the_first_said() {
    let mut world = edited();
    let passed = run(&mut world, "cargo test", "passed");
    assert_eq!(verify(&mut world, "all tests pass", &[&passed]), Verdict::VerifiedForMission);
    run(&mut world, "cargo test", "skipped");
    assert!(world.state.claims[0].overtaken.is_empty(), "what was skipped says nothing");
    run(&mut world, "cargo test", "failed");
    run(&mut world, "cargo test -p a", "passed");
    let found = world.with(|situation| gaps(&world.state, situation));
    let names: Vec<&str> = found.iter().map(|gap| gap.gap.as_str()).collect();
    assert_eq!(names, ["not_tested", "stale_evidence"]);
    assert!(found[0].why.contains("cargo test failed"), "a pass of another test hides nothing: {found:?}");
    assert!(found[1].why.contains("says failed since"), "{found:?}");
    assert_eq!(verify(&mut world, "and again", &[&passed]), Verdict::NeedsDirectEvidence);
}

#[test]
fn what_failed_before_the_first_edit_need_not_be_run_again() {
    let mut world = World::new(Mode::Edit, &["src/a.rs"]);
    world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    run(&mut world, "cargo test drops", "failed");
    edit(&mut world, "src/a.rs", "h2");
    run(&mut world, "cargo test", "passed");
    assert_eq!(world.gaps(), Vec::<String>::new());
}
