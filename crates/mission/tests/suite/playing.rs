//! Missions from start to end.

use m1nd_mission::{
    Command, EventId, EvidenceClass, Family, MissionError, Mode, Verdict, Verify, gaps, handoff,
};

use crate::world::World;

fn verify(world: &mut World, text: &str, events: Vec<EventId>) -> Verdict {
    let command = Verify { text: Some(text.to_owned()), event_ids: events, ..Verify::default() };
    let done = world.do_(Command::Verify(command)).unwrap();
    world.state.claim(&done.claim.unwrap()).unwrap().verdict
}

fn tool(world: &World) -> Option<&'static str> {
    world.next().next_move.tool
}

#[test]
fn a_bug_hunt_is_led_from_the_map_to_the_sweep_and_only_then_to_its_end() {
    let mut world = World::new(Mode::BugHunt, &[]);
    world.graph_is_empty = true;
    assert_eq!(tool(&world), Some("ingest"));
    world.graph_is_empty = false;
    assert_eq!(tool(&world), Some("audit"));
    world.tell("audit", ".", EvidenceClass::Graph, "oriented");
    assert_eq!(tool(&world), Some("seek"));
    let seen = world.tell("seek", "limiter", EvidenceClass::Graph, "found");
    assert_eq!(tool(&world), Some("view"));
    let read = world.tell("file_read", "src/a.rs", EvidenceClass::DirectSource, "hypothesis_supported");
    assert_eq!(tool(&world), Some("mission_claim"));
    assert_eq!(
        verify(&mut world, "the queue is drained too early", vec![seen]),
        Verdict::NeedsDirectEvidence
    );
    assert_eq!(tool(&world), Some("mission_verify"));
    assert!(matches!(world.do_(Command::Close { force: false }), Err(MissionError::Gaps { .. })));
    let claim_id = world.state.claims[0].claim_id.clone();
    let command = Verify { claim_id: Some(claim_id), event_ids: vec![read], ..Verify::default() };
    world.do_(Command::Verify(command)).unwrap();
    assert_eq!(world.state.claims[0].verdict, Verdict::VerifiedForMission);
    assert_eq!(world.state.claims[0].event_ids.len(), 2, "what it cited before is kept");
    let advice = world.next();
    assert!(advice.next_move.why.contains("boundary values"), "{advice:?}");
    assert_eq!(gaps(&world.state)[0].gap, "no_negative_space_sweep");
    world.tell_in("sweep", "seek", "limiter", EvidenceClass::Graph, "found");
    assert_eq!(gaps(&world.state).len(), 1, "a look at the graph is no sweep");
    world.tell_in("sweep", "file_read", "src/a.rs", EvidenceClass::DirectSource, "nothing_found");
    assert_eq!(tool(&world), Some("mission_close"));
    world.do_(Command::Close { force: false }).unwrap();
    let again = world.do_(Command::Claim { text: "more".to_owned(), event_ids: vec![] });
    assert!(matches!(again, Err(MissionError::Closed(_))));
}

#[test]
fn indirect_evidence_alone_never_verifies_whatever_it_says() {
    for class in [EvidenceClass::Graph, EvidenceClass::Inferred, EvidenceClass::Memory] {
        let mut world = World::new(Mode::BugHunt, &[]);
        let event = world.tell("looked", "src/a.rs", class, "hypothesis_supported");
        assert_eq!(verify(&mut world, "it is so", vec![event; 3]), Verdict::NeedsDirectEvidence);
    }
    let mut world = World::new(Mode::BugHunt, &[]);
    assert_eq!(verify(&mut world, "it is so", vec![]), Verdict::NeedsDirectEvidence);
}

#[test]
fn a_read_of_a_file_that_does_not_exist_or_has_changed_carries_nothing() {
    let mut world = World::new(Mode::BugHunt, &[]);
    let nowhere = world.tell("file_read", "src/none.rs", EvidenceClass::DirectSource, "hypothesis_supported");
    assert_eq!(verify(&mut world, "a", vec![nowhere]), Verdict::NeedsDirectEvidence);
    let read = world.tell("file_read", "src/a.rs", EvidenceClass::DirectSource, "hypothesis_supported");
    world.files.insert("src/a.rs".to_owned(), "h2".to_owned());
    assert_eq!(verify(&mut world, "b", vec![read]), Verdict::NeedsDirectEvidence);
    let read = world.tell("file_read", "src/a.rs", EvidenceClass::DirectSource, "hypothesis_supported");
    assert_eq!(verify(&mut world, "b", vec![read]), Verdict::VerifiedForMission);
}

#[test]
fn evidence_against_a_claim_rejects_it_and_leaves_a_dead_path() {
    let mut world = World::new(Mode::BugHunt, &[]);
    let read = world.tell("file_read", "src/a.rs", EvidenceClass::DirectSource, "hypothesis_rejected");
    assert_eq!(verify(&mut world, "the lock is missing", vec![read]), Verdict::Rejected);
    assert!(world.state.is_dead("the lock is missing") && world.state.is_dead("src/a.rs"));
    assert!(world.next().do_not.iter().any(|no| no.target.as_deref() == Some("src/a.rs")));
    let claim_id = world.state.claims[0].claim_id.clone();
    let command = Verify { claim_id: Some(claim_id), ..Verify::default() };
    assert!(matches!(world.do_(Command::Verify(command)), Err(MissionError::Settled { .. })));
}

#[test]
fn the_third_time_round_is_a_loop_until_something_new_is_seen() {
    let mut world = World::new(Mode::BugHunt, &[]);
    for _ in 0..2 {
        world.tell("seek", "limiter", EvidenceClass::Graph, "found");
    }
    assert_eq!(world.state.counters.loop_warnings, 0);
    world.tell("seek", "limiter", EvidenceClass::Graph, "found");
    assert_eq!((world.state.counters.loop_warnings, world.state.counters.repeated_searches), (1, 2));
    assert!(world.next().do_not.iter().any(|no| no.target.as_deref() == Some("limiter")));
    world.tell("file_read", "src/a.rs", EvidenceClass::DirectSource, "read");
    world.tell("seek", "limiter", EvidenceClass::Graph, "found");
    assert_eq!(world.state.counters.loop_warnings, 1, "something was learned in between");
    for _ in 0..2 {
        world.tell("file_read", "src/a.rs", EvidenceClass::DirectSource, "read");
    }
    world.tell("seek", "limiter", EvidenceClass::Graph, "found");
    assert_eq!(world.state.turns_of(Family::Retrieve, "limiter"), 2, "the same bytes again are nothing new");
}

#[test]
fn a_known_file_is_read_before_any_search_and_whoever_searches_dissents() {
    let mut world = World::new(Mode::BugHunt, &["src/a.rs"]);
    let advice = world.next();
    assert_eq!(advice.next_move.tool, Some("view"));
    assert_eq!(advice.next_move.arguments.unwrap()["file_path"], "src/a.rs");
    assert!(!advice.allowed_tools.contains(&"seek"), "{:?}", advice.allowed_tools);
    world.tell("seek", "limiter", EvidenceClass::Graph, "found");
    assert_eq!(world.state.counters.dissents, 1);
    world.tell("file_read", "src/a.rs", EvidenceClass::DirectSource, "read");
    world.tell("seek", "limiter", EvidenceClass::Graph, "found");
    assert_eq!(world.state.counters.dissents, 1, "now it is nobody's business");
}

#[test]
fn a_blocked_search_leads_to_a_diagnosis_and_then_to_plain_text() {
    let mut world = World::new(Mode::BugHunt, &[]);
    world.tell("audit", ".", EvidenceClass::Graph, "oriented");
    world.tell("seek", "limiter", EvidenceClass::Graph, "blocked");
    assert!(world.next().do_not.iter().any(|no| no.tool_family == Some(Family::Retrieve)));
    let mut elsewhere = World::new(Mode::BugHunt, &[]);
    elsewhere.right_workspace = false;
    assert_eq!(elsewhere.next().next_move.tool_family, Family::Recover);
    assert!(elsewhere.next().do_not.iter().any(|no| no.tool_family == Some(Family::Retrieve)));
}

#[test]
fn an_edit_is_proved_by_a_run_that_came_after_it() {
    let mut world = World::new(Mode::Edit, &["src/a.rs"]);
    world.tell("file_read", "src/a.rs", EvidenceClass::DirectSource, "read");
    world.tell("test_run", "cargo test", EvidenceClass::TestRun, "passed");
    world.tell("edit", "src/a.rs", EvidenceClass::Diff, "applied");
    assert_eq!(gaps(&world.state)[0].gap, "not_tested");
    world.tell("test_run", "cargo test", EvidenceClass::TestRun, "failed");
    assert!(gaps(&world.state)[0].why.contains("failed"));
    world.tell("test_run", "cargo test", EvidenceClass::TestRun, "passed");
    assert_eq!(gaps(&world.state), []);
}

#[test]
fn spending_too_much_is_told_and_stops_nothing() {
    let mut world = World::new(Mode::Orientation, &[]);
    for at in 0..13 {
        world.tell("seek", &format!("q{at}"), EvidenceClass::Graph, "found");
    }
    let advice = world.next();
    assert_eq!(advice.budget_remaining.tool_calls, -1);
    assert!(advice.budget_warning.is_some());
}

#[test]
fn a_child_knows_what_its_parent_found_and_does_not_go_there_again() {
    let mut parent = World::new(Mode::BugHunt, &[]);
    parent.tell("seek", "limiter", EvidenceClass::Graph, "found");
    let read = parent.tell("file_read", "src/a.rs", EvidenceClass::DirectSource, "hypothesis_rejected");
    verify(&mut parent, "the lock is missing", vec![read]);
    let inherited = handoff::inherited(&parent.state, None);
    let child = World::begin(Mode::BugHunt, &[], Some(parent.state.mission_id.clone()), inherited);
    assert!(child.state.is_dead("src/a.rs"));
    assert!(child.next().do_not.iter().any(|no| no.target.as_deref() == Some("src/a.rs")));
    assert_eq!(child.state.inherited.claims[0].verdict, Verdict::Rejected);
}

#[test]
fn a_handoff_fits_and_keeps_what_cannot_be_found_again() {
    let mut world = World::new(Mode::BugHunt, &[]);
    let read = world.tell("file_read", "src/a.rs", EvidenceClass::DirectSource, "hypothesis_supported");
    verify(&mut world, "the queue is drained too early", vec![read]);
    for at in 0..300 {
        let path = format!("src/some/long/folder/name/file_number_{at}.rs");
        world.files.insert(path.clone(), format!("{at:064}"));
        world.tell("file_read", &path, EvidenceClass::DirectSource, "dead_path");
    }
    let handoff = handoff::of(&world.state, serde_json::json!({"tool": "view"}), 4_000);
    let size = serde_json::to_vec(&handoff).unwrap().len();
    assert!(size <= 4_000, "{size}");
    assert_eq!(handoff.verified_claims.len(), 1);
    assert!(!handoff.dead_paths.is_empty() && handoff.left_out["files_read"].as_u64().unwrap() > 200);
}
