//! What proves something, and what no longer does.

use m1nd_mission::{
    Claim, ClaimId, Command, Detail, EditedFile, EventId, EvidenceClass, Family, MissionError, Mode, Shown,
    Verdict, Verify, gaps, handoff, packet,
};

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

#[test]
fn a_stale_claim_is_fresh_only_when_its_files_were_seen_again() {
    let mut world = World::new(Mode::BugHunt, &[]);
    world.files.insert("README.md".to_owned(), "r1".to_owned());
    let read = world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    assert_eq!(verify(&mut world, "a subtracts", &[&read]), Verdict::VerifiedForMission);
    world.files.insert("src/a.rs".to_owned(), "h2".to_owned());
    let other = world.see("view", Family::Read, "README.md", &["README.md"]);
    let claim_id = world.state.claims[0].claim_id.clone();
    let again = |world: &mut World, event: EventId| {
        let (claim_id, event_ids) = (Some(claim_id.clone()), vec![event]);
        world.do_(Command::Verify(Verify { claim_id, event_ids, ..Verify::default() })).unwrap();
        world.state.claims[0].clone()
    };
    let claim = again(&mut world, other);
    assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence);
    assert!(claim.reason.contains("src/a.rs is changed since"), "{}", claim.reason);
    let seen = world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    assert_eq!(again(&mut world, seen).verdict, Verdict::VerifiedForMission);
}

#[test]
fn what_was_rejected_is_not_verified_by_saying_it_again() {
    let mut world = World::new(Mode::BugHunt, &[]);
    let read = world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    let against = run(&mut world, "cargo test", "refuted");
    assert_eq!(verify(&mut world, "mul is wrong", &[&read, &against]), Verdict::Rejected);
    assert_eq!(verify(&mut world, "Mul is  wrong.", &[&read]), Verdict::NeedsDirectEvidence);
    assert!(world.state.claims[1].reason.contains("clm_1 says the same"), "{}", world.state.claims[1].reason);
    let same = world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    assert_eq!(verify(&mut world, "mul is wrong", &[&same]), Verdict::NeedsDirectEvidence, "the same bytes");
    let inherited = handoff::inherited(&world.state, None);
    let mut child = World::begin(Mode::BugHunt, &[], Some(world.state.mission_id.clone()), inherited);
    let same = child.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    assert_eq!(verify(&mut child, "mul is wrong", &[&same]), Verdict::NeedsDirectEvidence, "nor in a child");
    let shown = run(&mut world, "cargo test mul", "reproduced");
    assert_eq!(verify(&mut world, "mul is wrong", &[&shown]), Verdict::VerifiedForMission);
}

#[test]
fn a_verdict_says_how_many_files_nobody_checks() {
    let mut world = World::new(Mode::BugHunt, &[]);
    let mut draft = world.events[0].draft.clone();
    draft.event_type = "search".to_owned();
    draft.tool_family = Family::Read;
    draft.evidence_class = Some(EvidenceClass::DirectSource);
    draft.outcome = "read".to_owned();
    draft.shown = vec![Shown { path: "src/a.rs".to_owned(), content_hash: "h1".to_owned() }];
    draft.not_anchored = 28;
    draft.detail = None;
    let seen = world.do_(Command::Observe(Box::new(draft))).unwrap().events[0].event_id.clone();
    assert_eq!(verify(&mut world, "it is defined in src/a.rs", &[&seen]), Verdict::VerifiedForMission);
    let reason = &world.state.claims[0].reason;
    assert!(reason.contains("28 files of what was shown are not checked"), "{reason}");
}

#[test]
fn what_was_found_for_another_goal_fulfils_nothing_of_this_one() {
    let mut parent = World::new(Mode::BugHunt, &[]);
    let read = parent.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    assert_eq!(verify(&mut parent, "a subtracts", &[&read]), Verdict::VerifiedForMission);
    parent.tell_in("sweep", "probe", "a(0)", EvidenceClass::RuntimeProbe, "passed");
    let id = Some(parent.state.mission_id.clone());
    let mut inherited = handoff::inherited(&parent.state, None);
    let same = World::begin(Mode::BugHunt, &[], id.clone(), inherited.clone());
    assert_eq!(same.gaps(), Vec::<String>::new());
    "find the injection".clone_into(&mut inherited.goal);
    let mut other = World::begin(Mode::BugHunt, &[], id, inherited);
    assert_eq!(other.gaps(), ["source_not_read", "no_claim"]);
    let grandchild = handoff::inherited(&other.state, None);
    let id = Some(other.state.mission_id.clone());
    let grandchild = World::begin(Mode::BugHunt, &[], id, grandchild);
    assert_eq!(grandchild.gaps(), ["source_not_read", "no_claim"], "nor by way of one that did nothing");
    let read = other.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    assert_eq!(verify(&mut other, "it is escaped", &[&read]), Verdict::VerifiedForMission);
    assert_eq!(other.gaps(), ["no_negative_space_sweep"]);
}

#[test]
fn what_was_not_done_fulfils_nothing() {
    for outcome in ["skipped", "failed", "inconclusive", "error", "no", "not_done"] {
        let mut world = World::new(Mode::BugHunt, &[]);
        let read = world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
        assert_eq!(verify(&mut world, "a subtracts", &[&read]), Verdict::VerifiedForMission);
        world.tell_in("sweep", "file_read", "src/a.rs", EvidenceClass::DirectSource, outcome);
        assert_eq!(world.gaps(), ["no_negative_space_sweep"], "{outcome}");
        let mut world = World::new(Mode::Orientation, &[]);
        world.files.insert("src/b.rs".to_owned(), "b1".to_owned());
        world.tell("file_read", "src/a.rs", EvidenceClass::DirectSource, outcome);
        world.tell("file_read", "src/b.rs", EvidenceClass::DirectSource, outcome);
        assert_eq!(world.gaps(), ["source_not_read"], "{outcome}");
        let mut world = World::new(Mode::Review, &[]);
        world.tell("diff", "git diff", EvidenceClass::Diff, outcome);
        assert!(world.gaps().contains(&"no_change_set".to_owned()), "{outcome}: {:?}", world.gaps());
    }
    let mut world = World::new(Mode::BugHunt, &[]);
    let read = world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    assert_eq!(verify(&mut world, "a subtracts", &[&read]), Verdict::VerifiedForMission);
    world.tell_in("sweep", "test_run", "cargo test bounds", EvidenceClass::TestRun, "failed");
    assert_eq!(world.gaps(), Vec::<String>::new(), "a test that failed was run");
}

#[test]
fn a_read_of_what_is_not_there_carries_nothing_whatever_class_it_has() {
    for class in EvidenceClass::DIRECT {
        let mut world = World::new(Mode::BugHunt, &[]);
        let read = world.tell("file_read", "src/none.rs", class, "read");
        assert_eq!(verify(&mut world, "none is broken", &[&read]), Verdict::NeedsDirectEvidence, "{class:?}");
    }
}

#[test]
fn a_file_that_changed_behind_the_mission_s_back_is_not_tested() {
    let mut world = edited();
    let passed = run(&mut world, "cargo test", "passed");
    assert_eq!(verify(&mut world, "all tests pass", &[&passed]), Verdict::VerifiedForMission);
    assert_eq!(world.gaps(), Vec::<String>::new());
    world.files.insert("src/a.rs".to_owned(), "h3".to_owned());
    assert_eq!(world.gaps(), ["not_tested", "stale_evidence"]);
    assert_eq!(world.state.counters.files_read, 1, "a run reads no file");
    let again = run(&mut world, "cargo test", "passed");
    assert_eq!(world.gaps(), ["stale_evidence"], "it was run with what is there now");
    assert_eq!(verify(&mut world, "they pass", &[&passed, &again]), Verdict::VerifiedForMission);
}

#[test]
fn nothing_is_forgotten_by_running_many_other_things() {
    let mut world = edited();
    let passed = run(&mut world, "cargo test -p a", "passed");
    assert_eq!(verify(&mut world, "a works", &[&passed]), Verdict::VerifiedForMission);
    run(&mut world, "cargo test -p b", "failed");
    for number in 0..600 {
        run(&mut world, &format!("cargo test -p other{number}"), "passed");
    }
    let found = world.with(|situation| gaps(&world.state, situation));
    assert!(found[0].why.contains("cargo test -p b failed"), "{found:?}");
    edit(&mut world, "src/a.rs", "h3");
    assert_eq!(world.gaps(), ["not_tested", "stale_evidence"], "its run is older than those that are kept");
}

/// A batch that the runtime made, or one that takes another back.
pub fn batch(world: &mut World, id: &str, files: &[(&str, Option<&str>)], undoes: Option<&str>) {
    let created: Vec<bool> = files.iter().map(|(path, _)| !world.files.contains_key(*path)).collect();
    for (path, hash) in files {
        match hash {
            Some(hash) => world.files.insert((*path).to_owned(), (*hash).to_owned()),
            None => world.files.remove(*path),
        };
    }
    let mut draft = world.events[0].draft.clone();
    draft.event_type = if undoes.is_some() { "undo" } else { "apply_batch" }.to_owned();
    draft.tool_family = Family::Edit;
    draft.evidence_class = Some(EvidenceClass::Diff);
    draft.outcome = "applied".to_owned();
    let file = |((path, hash), created): (&(&str, Option<&str>), bool)| EditedFile {
        path: (*path).to_owned(),
        sha256: hash.map(str::to_owned),
        created,
    };
    draft.detail = Some(Box::new(Detail::Edited {
        batch_id: id.to_owned(),
        files: files.iter().zip(created).map(file).collect(),
        undoes: undoes.map(str::to_owned),
    }));
    world.do_(Command::Observe(Box::new(draft))).unwrap();
}

#[test]
fn an_edit_is_remembered_however_many_others_follow() {
    let mut world = World::new(Mode::Edit, &["src/a.rs"]);
    world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    world.files.insert("src/blind.rs".to_owned(), "b1".to_owned());
    edit(&mut world, "src/blind.rs", "b2");
    run(&mut world, "cargo test -p a", "failed");
    for number in 0..700 {
        edit(&mut world, "src/a.rs", &format!("of a {number}"));
    }
    for number in 0..700 {
        let path = format!("src/new/{number}.rs");
        world.files.insert(path.clone(), "n".to_owned());
        world.tell("edit", &path, EvidenceClass::Diff, "created");
    }
    run(&mut world, "cargo test -p b", "passed");
    let found = world.with(|situation| gaps(&world.state, situation));
    let said: Vec<&str> = found.iter().map(|gap| gap.why.as_str()).collect();
    assert!(said[0].contains("src/blind.rs was changed and nobody has read it"), "{said:?}");
    assert!(said[1].contains("cargo test -p a failed"), "it failed after the first edit: {said:?}");
    let entries = serde_json::to_string(&world.state.edits).unwrap().matches("event_id").count();
    assert_eq!(entries, 702, "one for each file");
}

#[test]
fn batches_of_one_file_can_all_be_taken_back_however_many_there_are() {
    let mut world = World::new(Mode::Edit, &["src/a.rs"]);
    world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    let name = |number: u64| format!("batch-{number}");
    let hash = |number: u64| if number == 0 { "h1".to_owned() } else { format!("a{number}") };
    for number in 1..=700 {
        let now = hash(number);
        let mut files = vec![("src/a.rs", Some(now.as_str()))];
        files.extend((number == 1).then_some(("src/new.rs", Some("made"))));
        batch(&mut world, &name(number), &files, None);
    }
    assert!(!world.gaps().contains(&"nothing_edited".to_owned()));
    assert!(serde_json::to_string(&world.state.edits).unwrap().len() < 10_000);
    for number in (1..=700).rev() {
        let before = hash(number - 1);
        let mut files = vec![("src/a.rs", Some(before.as_str()))];
        files.extend((number == 1).then_some(("src/new.rs", None)));
        batch(&mut world, &format!("undo-{number}"), &files, Some(&name(number)));
    }
    assert!(world.gaps().contains(&"nothing_edited".to_owned()), "{:?}", world.state.edits);
}

#[test]
fn a_claim_that_is_taken_back_stays_on_record_and_blocks_nothing() {
    let mut world = World::new(Mode::BugHunt, &[]);
    let read = world.tell("file_read", "src/a.rs", EvidenceClass::DirectSource, "hypothesis_supported");
    let claim = |world: &mut World, text: &str| {
        let command = Command::Claim { text: text.to_owned(), event_ids: vec![read.clone()] };
        world.do_(command).unwrap().claim.unwrap()
    };
    let take_back = |world: &mut World, id: &ClaimId| {
        let (claim_id, outcome) = (Some(id.clone()), Some("withdrawn".to_owned()));
        world.do_(Command::Verify(Verify { claim_id, outcome, ..Verify::default() }))
    };
    let wrong = claim(&mut world, "the queue is never empty");
    assert!(world.gaps().contains(&"claims_not_settled".to_owned()), "{:?}", world.gaps());
    assert!(take_back(&mut world, &wrong).unwrap().warnings.is_empty());
    let shown = world.state.claim(&wrong).unwrap().clone();
    assert_eq!((shown.verdict, shown.event_ids.len()), (Verdict::Withdrawn, 1), "{}", shown.reason);
    // It is no conclusion, and no open question either.
    assert!(world.gaps().contains(&"no_claim".to_owned()), "{:?}", world.gaps());
    assert!(!world.gaps().contains(&"claims_not_settled".to_owned()), "{:?}", world.gaps());
    let again = take_back(&mut world, &wrong);
    assert!(matches!(again, Err(MissionError::Settled { state: "withdrawn", .. })), "{again:?}");
    // Said again it is another claim, which must be judged.
    let anew = claim(&mut world, "the queue is never empty");
    assert_ne!(anew, wrong);
    take_back(&mut world, &anew).unwrap();

    // What was proved or rejected is not undone by a word.
    let settle = |world: &mut World, text: &str, events: Vec<EventId>| {
        let verify = Verify { text: Some(text.to_owned()), event_ids: events, ..Verify::default() };
        world.do_(Command::Verify(verify)).unwrap().claim.unwrap()
    };
    let right = settle(&mut world, "the limiter drops a job", vec![read.clone()]);
    let against = world.tell("test_run", "pytest", EvidenceClass::TestRun, "refuted");
    let rejected = settle(&mut world, "the limiter waits", vec![against]);
    for (id, verdict) in [(right, "verified_for_mission"), (rejected, "rejected")] {
        let refused = take_back(&mut world, &id);
        assert!(
            matches!(refused, Err(MissionError::Settled { state, .. }) if state == verdict),
            "{refused:?}"
        );
    }
    // Nor does it take anything besides.
    let open = claim(&mut world, "the queue is empty");
    let more = Verify {
        claim_id: Some(open.clone()),
        outcome: Some("withdrawn".to_owned()),
        quote: Some("x".to_owned()),
        ..Verify::default()
    };
    assert!(world.do_(Command::Verify(more)).is_err());
    take_back(&mut world, &open).unwrap();

    let handed = world.with(|situation| handoff::of(&world.state, situation, 8_000));
    let ids = |claims: &[Claim]| claims.iter().map(|claim| claim.claim_id.to_string()).collect::<Vec<_>>();
    assert_eq!(ids(&handed.withdrawn_claims), [wrong.as_str(), anew.as_str(), open.as_str()]);
    assert!(handed.open_hypotheses.is_empty() && handed.summary.contains("1 rejected, 3 withdrawn"));
    world.do_(Command::Close { force: true }).unwrap();
    let made = packet::of(&world.state, world.events.clone());
    assert_eq!(made.withdrawn_claims.len(), 3);
    assert!(packet::check(&packet::to_text(&made)).intact);
}
