//! Whoever asks the same again without new evidence is told, whatever the call.

use m1nd_mission::{Command, Draft, EventId, EvidenceClass, Family, Mode, State, Stepped, Telling, Verify};

use crate::world::World;

fn world() -> World {
    let mut world = World::new(Mode::BugHunt, &[]);
    world.files.insert("src/b.rs".to_owned(), "h2".to_owned());
    world.silent = true;
    world
}

fn verify(world: &mut World, text: &str, events: &[&EventId], quote: Option<&str>) -> Stepped {
    let verify = Verify {
        text: Some(text.to_owned()),
        event_ids: events.iter().map(|id| (*id).clone()).collect(),
        outcome: quote.map(|_| "supports".to_owned()),
        quote: quote.map(str::to_owned),
        ..Verify::default()
    };
    world.do_(Command::Verify(verify)).unwrap()
}

fn is_loop(done: &Stepped) -> bool {
    done.warnings.iter().any(|said| said.starts_with("Loop"))
}

#[test]
fn the_same_claim_with_the_same_evidence_is_a_loop_by_the_third_time() {
    let mut world = world();
    let seen = world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    let told: Vec<bool> =
        (0..24).map(|_| is_loop(&verify(&mut world, "the limiter drops a job", &[&seen], None))).collect();
    assert_eq!(told.iter().filter(|one| **one).count(), 22, "{told:?}");
    assert_eq!(world.state.counters.loop_warnings, 22);
    let done = verify(&mut world, "The limiter drops a job!", &[&seen], None);
    assert!(
        done.warnings
            .iter()
            .any(|said| said.contains("What would change the verdict: mission_verify with claim_id"))
    );
    // The same file read again is no new evidence; another one is.
    let again = world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    assert!(is_loop(&verify(&mut world, "the limiter drops a job", &[&again], None)));
    world.see("view", Family::Read, "src/b.rs", &["src/b.rs"]);
    assert!(!is_loop(&verify(&mut world, "the limiter drops a job", &[&seen], None)));
    assert_eq!(State::of(&world.events).unwrap(), world.state, "the events say so, too");
}

#[test]
fn what_is_verified_is_a_loop_when_it_is_claimed_again_and_again() {
    let mut world = world();
    let seen = world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    let quote = Some("the limiter drops the last job of its queue");
    let told: Vec<bool> =
        (0..4).map(|_| is_loop(&verify(&mut world, "the limiter drops a job", &[&seen], quote))).collect();
    assert_eq!(told, [false, false, true, true]);
}

#[test]
fn other_claims_other_evidence_and_other_quotes_are_no_loop() {
    let mut world = world();
    let (a, b) = (
        world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]),
        world.see("view", Family::Read, "src/b.rs", &["src/b.rs"]),
    );
    for claim in ["one is wrong", "two are wrong", "three are wrong", "four are wrong"] {
        assert!(!is_loop(&verify(&mut world, claim, &[&a], None)), "{claim}");
    }
    for events in [&[&a][..], &[&b], &[&a, &b]] {
        assert!(!is_loop(&verify(&mut world, "the limiter drops a job", events, None)));
    }
    for quote in ["no such line here", "nor one like this", "the limiter drops the last job"] {
        assert!(!is_loop(&verify(&mut world, "a job is dropped by it", &[&a], Some(quote))), "{quote}");
    }
}

#[test]
fn claims_and_told_steps_of_any_kind_go_in_circles_too() {
    let mut world = world();
    let mut claim = || {
        let claim = Command::Claim { text: "the limiter drops a job".to_owned(), event_ids: Vec::new() };
        is_loop(&world.do_(claim).unwrap())
    };
    assert_eq!([claim(), claim(), claim()], [false, false, true]);
    for (kind, class) in [("thought", None), ("asked", Some(EvidenceClass::Human))] {
        let telling = Telling {
            phase: "verify".to_owned(),
            event_type: kind.to_owned(),
            target: "the limiter".to_owned(),
            evidence_class: class,
            outcome: "confirmed".to_owned(),
            ..Telling::default()
        };
        let told: Vec<bool> =
            (0..3).map(|_| is_loop(&world.do_(Command::Tell(telling.clone())).unwrap())).collect();
        assert_eq!(told, [false, false, true], "{kind}");
    }
}

#[test]
fn who_only_asks_what_comes_next_is_told_and_counted() {
    let mut world = world();
    let calls = world.state.counters.tool_calls;
    let idle = Draft::idle(&world.state.mission_id);
    let done = world.do_(Command::Observe(Box::new(idle))).unwrap();
    assert!(is_loop(&done), "{:?}", done.warnings);
    assert_eq!((world.state.counters.loop_warnings, world.state.counters.tool_calls), (1, calls));
}

#[test]
fn the_same_search_in_other_letters_is_the_same_search() {
    let mut world = world();
    let mut search = |query: &str| {
        let mut draft = world.events[0].draft.clone();
        draft.event_type = "search".to_owned();
        draft.tool_family = Family::Read;
        draft.target = query.to_owned();
        draft.outcome = "nothing_found".to_owned();
        draft.detail = None;
        is_loop(&world.do_(Command::Observe(Box::new(draft))).unwrap())
    };
    assert_eq!([search("Session"), search("session"), search("SESSION")], [false, false, true]);
}
