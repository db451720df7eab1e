//! Missions from start to end.

use m1nd_mission::{
    Command, Detail, Draft, EventId, EvidenceClass, Family, MissionError, Mode, Shown, Telling, Verdict,
    Verify, handoff,
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
    assert_eq!(tool(&world), Some("search"), "no place is known to view");
    let read = world.tell("file_read", "src/a.rs", EvidenceClass::DirectSource, "hypothesis_supported");
    assert_eq!(tool(&world), Some("mission_claim"));
    assert_eq!(
        verify(&mut world, "the queue is drained too early", vec![seen]),
        Verdict::NeedsDirectEvidence
    );
    assert_eq!(tool(&world), Some("search"), "the same evidence again would not settle it");
    assert!(matches!(world.do_(Command::Close { force: false }), Err(MissionError::Gaps { .. })));
    let claim_id = world.state.claims[0].claim_id.clone();
    let command = Verify { claim_id: Some(claim_id), event_ids: vec![read], ..Verify::default() };
    world.do_(Command::Verify(command)).unwrap();
    assert_eq!(world.state.claims[0].verdict, Verdict::VerifiedForMission);
    assert_eq!(world.state.claims[0].event_ids.len(), 2, "what it cited before is kept");
    let advice = world.next();
    assert!(advice.next_move.why.contains("boundary values"), "{advice:?}");
    assert_eq!(world.gaps(), ["no_negative_space_sweep"]);
    world.tell_in("sweep", "seek", "limiter", EvidenceClass::Graph, "found");
    assert_eq!(world.gaps().len(), 1, "a look at the graph is no sweep");
    world.tell_in("sweep", "file_read", "no/such.rs", EvidenceClass::DirectSource, "read");
    assert_eq!(world.gaps().len(), 1, "a look at what is not there is none");
    world.tell_in("sweep", "file_read", "src/a.rs", EvidenceClass::DirectSource, "nothing_found");
    assert_eq!(world.gaps().len(), 1, "nor is the file that the finding rests on");
    world.files.insert("src/b.rs".to_owned(), "b1".to_owned());
    world.tell_in("sweep", "file_read", "src/b.rs", EvidenceClass::DirectSource, "nothing_found");
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
    assert!(world.is_dead("the lock is missing"));
    assert!(world.next().do_not.iter().any(|no| no.target.as_deref() == Some("the lock is missing")));
    world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    assert_eq!(world.state.counters.dissents, 0, "the file is not to blame for the guess");
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
    assert_eq!(world.state.turns.get("retrieve limiter"), Some(&2), "the same bytes again are nothing new");
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
fn an_edit_is_proved_by_a_test_that_passed_after_it() {
    let mut world = World::new(Mode::Edit, &["src/a.rs"]);
    world.tell("file_read", "src/a.rs", EvidenceClass::DirectSource, "read");
    world.tell("test_run", "cargo test", EvidenceClass::TestRun, "passed");
    world.tell("edit", "src/a.rs", EvidenceClass::Diff, "applied");
    assert_eq!(world.gaps(), ["nothing_edited"], "the file is as it was");
    world.files.insert("src/a.rs".to_owned(), "h2".to_owned());
    world.tell("edit", "src/a.rs", EvidenceClass::Diff, "planned");
    assert_eq!(world.gaps(), ["nothing_edited", "not_tested"], "a plan changes nothing; somebody did");
    world.tell("edit", "src/a.rs", EvidenceClass::Diff, "applied");
    assert_eq!(world.gaps(), ["not_tested"]);
    world.tell("test_run", "cargo test", EvidenceClass::TestRun, "failed");
    world.tell("command", "echo hi", EvidenceClass::RuntimeProbe, "passed");
    assert_eq!(world.gaps(), ["not_tested"], "a probe does not take a failed test back");
    world.tell("test_run", "cargo test", EvidenceClass::TestRun, "skipped");
    assert_eq!(world.gaps(), ["not_tested"]);
    world.tell("test_run", "cargo test", EvidenceClass::TestRun, "passed");
    assert_eq!(world.gaps(), Vec::<String>::new());
    world.files.insert("src/a.rs".to_owned(), "h1".to_owned());
    assert_eq!(world.gaps(), ["nothing_edited", "not_tested"], "it was taken back, whoever did it");
    world.files.insert("src/b.rs".to_owned(), "h1".to_owned());
    world.tell("edit", "src/b.rs", EvidenceClass::Diff, "applied");
    assert!(world.gaps().contains(&"edited_unread".to_owned()), "{:?}", world.gaps());
}

#[test]
fn a_search_reads_what_it_showed_and_nothing_where_it_found_nothing() {
    let mut world = World::new(Mode::Orientation, &[]);
    world.see("search", Family::Read, "zzqq1", &[]);
    world.see("search", Family::Read, "zzqq2", &[]);
    assert!(world.state.files.is_empty() && world.gaps() == ["source_not_read"]);
    assert_eq!((world.state.counters.files_read, world.state.counters.direct_evidence), (0, 0));
    world.tell("file_read", "no/such.rs", EvidenceClass::DirectSource, "read");
    assert!(world.state.files.is_empty(), "what is not there was not read");
    world.files.insert("src/b.rs".to_owned(), "b1".to_owned());
    let event = world.see("search", Family::Read, "drain", &["src/a.rs", "src/b.rs"]);
    assert_eq!(world.gaps(), Vec::<String>::new());
    assert!(!world.state.files.contains_key("drain"), "a question is no file");
    assert_eq!(verify(&mut world, "a", vec![event.clone()]), Verdict::VerifiedForMission);
    world.files.insert("src/b.rs".to_owned(), "b2".to_owned());
    assert_eq!(verify(&mut world, "b", vec![event]), Verdict::NeedsDirectEvidence);
}

#[test]
fn a_stale_event_beside_another_is_named_and_not_made_up_for() {
    let mut world = World::new(Mode::BugHunt, &[]);
    world.files.insert("README.md".to_owned(), "r1".to_owned());
    let old = world.see("view", Family::Read, "a", &["src/a.rs"]);
    let other = world.see("view", Family::Read, "b", &["README.md"]);
    world.files.insert("src/a.rs".to_owned(), "h2".to_owned());
    let command =
        Verify { text: Some("about a".to_owned()), event_ids: vec![old.clone(), other], ..Verify::default() };
    let done = world.do_(Command::Verify(command)).unwrap();
    assert!(done.warnings.iter().any(|said| said.contains(old.as_str())), "{:?}", done.warnings);
    let claim = &world.state.claims[0];
    assert!(claim.reason.contains(old.as_str()) && claim.reason.contains("src/a.rs"), "{}", claim.reason);
    assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "what is beside a file says nothing of it");
    let again = world.see("view", Family::Read, "c", &["src/a.rs"]);
    assert_eq!(verify(&mut world, "about a, again", vec![old, again]), Verdict::VerifiedForMission);
}

#[test]
fn only_words_of_support_verify() {
    for (outcome, verdict) in [
        ("hypothesis_supported", Verdict::VerifiedForMission),
        ("passed", Verdict::VerifiedForMission),
        ("hypothesis_refuted", Verdict::Rejected),
        ("not_supported", Verdict::Rejected),
        ("inconclusive", Verdict::NeedsDirectEvidence),
        ("skipped", Verdict::NeedsDirectEvidence),
        ("error", Verdict::NeedsDirectEvidence),
        ("failed", Verdict::NeedsDirectEvidence),
        ("dead_path", Verdict::NeedsDirectEvidence),
        ("whatever", Verdict::NeedsDirectEvidence),
    ] {
        let mut world = World::new(Mode::BugHunt, &[]);
        let event = world.tell("test_run", "t", EvidenceClass::TestRun, outcome);
        assert_eq!(verify(&mut world, "it is so", vec![event]), verdict, "{outcome}");
    }
}

#[test]
fn a_verified_claim_whose_file_changed_is_a_gap_until_it_was_read_again() {
    let mut world = World::new(Mode::BugHunt, &[]);
    world.files.insert("src/b.rs".to_owned(), "b1".to_owned());
    let read = world.see("view", Family::Read, "src/a.rs:1-9", &["src/a.rs"]);
    assert_eq!(verify(&mut world, "a", vec![read]), Verdict::VerifiedForMission);
    world.see("view", Family::Read, "src/a.rs:20-30", &["src/a.rs"]);
    assert_eq!(world.gaps(), ["no_negative_space_sweep"], "the finding's own file is no other place");
    world.see("view", Family::Read, "src/b.rs", &["src/b.rs"]);
    assert_eq!(world.gaps(), Vec::<String>::new(), "an observed look elsewhere is the sweep");
    world.files.insert("src/a.rs".to_owned(), "h2".to_owned());
    assert_eq!(world.gaps(), ["stale_evidence"]);
    assert!(matches!(world.do_(Command::Close { force: false }), Err(MissionError::Gaps { .. })));
    let step = world.next().next_move;
    assert_eq!((step.tool, &step.arguments.unwrap()["file_path"]), (Some("view"), &"src/a.rs".into()));
    let again = world.see("view", Family::Read, "src/a.rs:1-9", &["src/a.rs"]);
    let step = world.next().next_move;
    assert_eq!(step.tool, Some("mission_verify"));
    assert_eq!(step.arguments.unwrap()["event_ids"][0], again.as_str());
    let claim_id = world.state.claims[0].claim_id.clone();
    let command = Verify { claim_id: Some(claim_id), event_ids: vec![again], ..Verify::default() };
    world.do_(Command::Verify(command)).unwrap();
    assert_eq!(world.gaps(), Vec::<String>::new());
}

#[test]
fn a_verified_claim_can_be_contradicted_and_keeps_both_events() {
    let mut world = World::new(Mode::BugHunt, &[]);
    let read = world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    assert_eq!(verify(&mut world, "a", vec![read]), Verdict::VerifiedForMission);
    let claim_id = world.state.claims[0].claim_id.clone();
    let same = Verify { claim_id: Some(claim_id.clone()), ..Verify::default() };
    world.silent = true;
    assert!(matches!(world.do_(Command::Verify(same)), Err(MissionError::Settled { .. })));
    let against = world.tell("test_run", "t", EvidenceClass::TestRun, "refuted");
    let command = Verify { claim_id: Some(claim_id), event_ids: vec![against], ..Verify::default() };
    world.do_(Command::Verify(command)).unwrap();
    let claim = &world.state.claims[0];
    assert_eq!(
        (claim.verdict, claim.event_ids.len()),
        (Verdict::Rejected, 3),
        "the read, what it shows, the run"
    );
}

#[test]
fn files_of_another_workspace_prove_nothing_and_every_move_leads_back() {
    let mut world = World::new(Mode::BugHunt, &[]);
    world.right_workspace = false;
    let mut tools = Vec::new();
    for _ in 0..4 {
        let advice = world.next();
        assert!(matches!(advice.next_move.tool_family, Family::Recover | Family::Trust), "{advice:?}");
        assert!(advice.do_not.iter().any(|no| no.tool_family == Some(Family::Read)));
        if let Some(tool) = advice.next_move.tool {
            tools.push(tool);
            world.see(tool, advice.next_move.tool_family, ".", &[]);
        }
    }
    assert_eq!(tools, ["recovery_playbook", "session_handshake"], "nobody is asked twice");
    assert!(world.next().next_move.why.contains("Tell the user"), "{:?}", world.next());
    let read = world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    assert_eq!(verify(&mut world, "a", vec![read.clone()]), Verdict::NeedsDirectEvidence);
    assert_eq!(world.gaps(), ["wrong_workspace"]);
    world.right_workspace = true;
    assert_eq!(verify(&mut world, "a", vec![read]), Verdict::NeedsDirectEvidence, "nor later");
}

#[test]
fn every_dead_path_holds_however_many_there_are() {
    let mut world = World::new(Mode::BugHunt, &[]);
    for at in 0..8 {
        let path = format!("src/f{at}.rs");
        world.files.insert(path.clone(), "h".to_owned());
        world.tell("dead_path", &path, EvidenceClass::Inferred, "dead_path");
    }
    let advice = world.next();
    assert!(advice.more_dead_paths.unwrap().starts_with("3 more"));
    world.see("view", Family::Read, "src/f0.rs:1-9", &["src/f0.rs"]);
    assert_eq!(world.state.counters.dissents, 1, "the oldest holds, also for a call that was seen");
    let inherited = handoff::inherited(&world.state, None);
    let mut child = World::begin(Mode::BugHunt, &[], Some(world.state.mission_id.clone()), inherited);
    child.tell("file_read", "src/f1.rs", EvidenceClass::DirectSource, "read");
    assert_eq!(child.state.counters.dissents, 1);
}

#[test]
fn a_claim_without_events_leads_to_evidence_and_not_in_circles() {
    let mut world = World::new(Mode::BugHunt, &["src/a.rs"]);
    world.do_(Command::Claim { text: "the queue drains early".to_owned(), event_ids: vec![] }).unwrap();
    let mut tools = Vec::new();
    for _ in 0..4 {
        let step = world.next().next_move;
        tools.push(step.tool);
        match step.tool {
            Some("view") => drop(world.see("view", Family::Read, "src/a.rs", &["src/a.rs"])),
            Some("mission_verify") => {
                let arguments = step.arguments.unwrap();
                assert!(!arguments["event_ids"].as_array().unwrap().is_empty(), "{arguments}");
                break;
            }
            other => panic!("{other:?} after {tools:?}"),
        }
    }
    assert_eq!(tools.last(), Some(&Some("mission_verify")));
}

#[test]
fn recovery_has_its_stages() {
    let stages = |world: &mut World, count: usize| -> Vec<&'static str> {
        (0..count)
            .map(|_| {
                let step = world.next().next_move;
                let tool = step.tool.unwrap();
                assert!(step.arguments.unwrap()["mission_id"].is_string());
                world.see(tool, step.tool_family, tool, &[]);
                tool
            })
            .collect()
    };
    let mut blocked = World::new(Mode::BugHunt, &[]);
    blocked.tell("audit", ".", EvidenceClass::Graph, "oriented");
    blocked.tell("seek", "limiter", EvidenceClass::Graph, "blocked");
    assert_eq!(stages(&mut blocked, 3), ["recovery_playbook", "doctor", "search"]);
    let mut stale = World::new(Mode::BugHunt, &[]);
    stale.stale_binary = true;
    assert_eq!(stages(&mut stale, 4), ["update_check", "recovery_playbook", "trust_selftest", "audit"]);
}

#[test]
fn a_child_can_do_what_the_hand_off_asks_of_it() {
    let mut parent = World::new(Mode::BugHunt, &[]);
    let read = parent.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    assert_eq!(verify(&mut parent, "proved", vec![read.clone()]), Verdict::VerifiedForMission);
    parent.do_(Command::Claim { text: "a guess".to_owned(), event_ids: vec![read] }).unwrap();
    parent.files.insert("src/a.rs".to_owned(), "h2".to_owned());
    let handed = parent.with(|situation| handoff::of(&parent.state, situation, 4_000));
    assert_eq!(handed.verified_claims[0].stale, ["src/a.rs"]);
    let inherited = handoff::inherited(&parent.state, None);
    let mut child = World::begin(Mode::BugHunt, &[], Some(parent.state.mission_id.clone()), inherited);
    child.files.insert("src/a.rs".to_owned(), "h2".to_owned());
    let owed = ["source_not_read", "claims_not_settled", "stale_evidence", "no_negative_space_sweep"];
    assert_eq!(child.gaps(), owed, "what was read is not what is there");
    let read = child.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    for id in ["clm_2", "clm_1"] {
        let claim_id = Some(m1nd_mission::ClaimId::named(id));
        let command = Verify { claim_id, event_ids: vec![read.clone()], ..Verify::default() };
        child.do_(Command::Verify(command)).unwrap();
    }
    assert_eq!(child.gaps(), ["no_negative_space_sweep"]);
    let next = child.do_(Command::Claim { text: "new".to_owned(), event_ids: vec![] }).unwrap();
    assert_eq!(next.claim.unwrap().as_str(), "clm_3", "no id is given twice");
}

#[test]
fn documents_and_code_are_both_read_before_a_drift_is_closed() {
    let mut world = World::new(Mode::DocsDrift, &[]);
    world.files.insert("src/b.rs".to_owned(), "b".to_owned());
    world.files.insert("docs/guide.md".to_owned(), "d".to_owned());
    let read = world.see("search", Family::Read, "x", &["src/a.rs", "src/b.rs"]);
    verify(&mut world, "no drift", vec![read]);
    assert_eq!(world.gaps(), ["source_not_read"]);
    world.see("view", Family::Read, "docs/guide.md", &["docs/guide.md"]);
    assert_eq!(world.gaps(), Vec::<String>::new());
    let mut review = World::new(Mode::Review, &[]);
    let read = review.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    verify(&mut review, "nothing wrong", vec![read]);
    assert_eq!(review.gaps(), ["not_reviewed", "no_change_set"]);
    review.tell("diff", "HEAD~1..HEAD", EvidenceClass::Diff, "read");
    assert_eq!(review.gaps(), ["not_reviewed", "no_change_set"], "nobody saw that there is a change");
}

#[test]
fn a_run_says_nothing_of_code_that_was_changed_after_it() {
    let mut world = World::new(Mode::BugHunt, &[]);
    world.files.insert("README.md".to_owned(), "r1".to_owned());
    world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    world.see("view", Family::Read, "README.md", &["README.md"]);
    let run = world.tell("test_run", "cargo test", EvidenceClass::TestRun, "passed");
    assert_eq!(verify(&mut world, "it works", vec![run.clone()]), Verdict::VerifiedForMission);
    world.files.insert("README.md".to_owned(), "r2".to_owned());
    assert_eq!(verify(&mut world, "it still does", vec![run.clone()]), Verdict::VerifiedForMission);
    world.files.insert("src/a.rs".to_owned(), "h2".to_owned());
    assert_eq!(verify(&mut world, "and now", vec![run]), Verdict::NeedsDirectEvidence);
    assert!(world.gaps().contains(&"stale_evidence".to_owned()), "{:?}", world.gaps());
}

#[test]
fn what_failed_in_the_mission_before_or_does_not_compile_is_not_made_up_for_by_another_run() {
    let mut world = World::new(Mode::Edit, &["src/a.rs"]);
    world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    world.files.insert("src/a.rs".to_owned(), "h2".to_owned());
    world.tell("edit", "src/a.rs", EvidenceClass::Diff, "applied");
    world.tell("test_run", "cargo test", EvidenceClass::TestRun, "passed");
    assert_eq!(world.gaps(), Vec::<String>::new());
    world.tell("compile", "cargo build", EvidenceClass::Compiler, "failed");
    assert_eq!(world.gaps(), ["not_tested"]);
    world.tell("compile", "cargo build", EvidenceClass::Compiler, "passed");
    assert_eq!(world.gaps(), Vec::<String>::new());
    world.tell("test_run", "cargo test", EvidenceClass::TestRun, "failed");
    let inherited = handoff::inherited(&world.state, None);
    let mut child = World::begin(Mode::Edit, &[], Some(world.state.mission_id.clone()), inherited);
    child.files.insert("src/a.rs".to_owned(), "h2".to_owned());
    child.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    child.files.insert("src/a.rs".to_owned(), "h3".to_owned());
    child.tell("edit", "src/a.rs", EvidenceClass::Diff, "applied");
    child.tell("test_run", "cargo test one", EvidenceClass::TestRun, "passed");
    assert_eq!(child.gaps(), ["not_tested"]);
    child.tell("test_run", "cargo test", EvidenceClass::TestRun, "passed");
    assert_eq!(child.gaps(), Vec::<String>::new());
}

#[test]
fn other_lines_and_other_tools_are_no_circle() {
    let mut world = World::new(Mode::BugHunt, &[]);
    for tool in ["callers", "callees", "impact"] {
        world.see(tool, Family::Relate, "drain", &[]);
    }
    for lines in ["src/a.rs:1-9", "src/a.rs:10-19", "src/a.rs:20-29", "src/a.rs:30-39"] {
        world.see("view", Family::Read, lines, &["src/a.rs"]);
    }
    assert_eq!(world.state.counters.loop_warnings, 0);
    let told = |world: &mut World| world.tell("test_run", "t", EvidenceClass::TestRun, "failed");
    for _ in 0..3 {
        told(&mut world);
        world.tell("edit", "src/a.rs", EvidenceClass::Diff, "applied");
    }
    assert_eq!(world.state.counters.loop_warnings, 0, "something was tried in between");
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
fn past_the_budget_the_next_move_settles_something_or_hands_off() {
    let mut world = World::new(Mode::BugHunt, &[]);
    world.state.budget.tool_calls_max = 1;
    for at in 0..5 {
        world.tell("impact", &format!("q{at}"), EvidenceClass::Graph, "found");
    }
    assert_eq!(tool(&world), Some("mission_handoff"), "no map of everything is worth it now");
    let read = world.tell("file_read", "src/a.rs", EvidenceClass::DirectSource, "hypothesis_supported");
    assert_eq!(tool(&world), Some("mission_claim"));
    let text = "the queue is drained too early".to_owned();
    world.do_(Command::Claim { text: text.clone(), event_ids: vec![read.clone()] }).unwrap();
    assert_eq!(tool(&world), Some("mission_verify"));
    verify(&mut world, &text, vec![read]);
    assert_eq!(tool(&world), Some("search"), "one look more, and it can be closed");
    // Whoever was told and goes on is helped like everybody else.
    let mut world = World::new(Mode::Orientation, &[]);
    world.now_ms += 100 * 60_000;
    assert_eq!(tool(&world), Some("mission_handoff"));
    world.do_(Command::HandOff(serde_json::json!({}))).unwrap();
    let next = world.next().next_move;
    assert_eq!((next.tool, &next.arguments.unwrap()["force"]), (Some("mission_close"), &true.into()));
    world.see("impact", Family::Relate, "src/a.rs:1", &[]);
    assert_eq!(tool(&world), Some("audit"));
}

#[test]
fn a_child_knows_what_its_parent_found_and_does_not_go_there_again() {
    let mut parent = World::new(Mode::BugHunt, &[]);
    parent.tell("seek", "limiter", EvidenceClass::Graph, "found");
    let read = parent.tell("file_read", "src/a.rs", EvidenceClass::DirectSource, "hypothesis_rejected");
    verify(&mut parent, "the lock is missing", vec![read]);
    let inherited = handoff::inherited(&parent.state, None);
    let child = World::begin(Mode::BugHunt, &[], Some(parent.state.mission_id.clone()), inherited);
    assert!(child.is_dead("the lock is missing"));
    assert!(child.next().do_not.iter().any(|no| no.target.as_deref() == Some("the lock is missing")));
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
    let handoff = world.with(|situation| handoff::of(&world.state, situation, 4_000));
    let size = serde_json::to_vec(&handoff).unwrap().len();
    assert!(size <= 4_000, "{size}");
    assert_eq!(handoff.verified_claims.len(), 1);
    assert!(!handoff.dead_paths.is_empty() && handoff.left_out["files_read"].as_u64().unwrap() > 200);
}

#[test]
fn a_run_after_a_change_is_no_dissent_and_a_batch_names_every_dead_path() {
    let mut world = World::new(Mode::Edit, &[]);
    world.files.insert("src/b.rs".to_owned(), "h2".to_owned());
    world.tell("test_run", "pytest -q", EvidenceClass::TestRun, "dead_path");
    world.tell("test_run", "pytest -q", EvidenceClass::TestRun, "passed");
    assert_eq!(world.state.counters.dissents, 1);
    world.tell("edit", "src/a.rs", EvidenceClass::Diff, "applied");
    world.tell("test_run", "pytest -q", EvidenceClass::TestRun, "passed");
    assert_eq!(world.state.counters.dissents, 1, "it must be run again");
    for path in ["src/a.rs", "src/b.rs"] {
        world.tell("dead_path", path, EvidenceClass::DirectSource, "dead_path");
    }
    let mut batch = read_of("src/a.rs", "h1");
    batch.shown = vec![Shown { path: "src/b.rs".to_owned(), content_hash: "h2".to_owned() }];
    let done = world.do_(Command::Observe(Box::new(batch))).unwrap();
    let said = done.warnings.join(" ");
    assert!(said.contains("src/a.rs is a dead path") && said.contains("So is src/b.rs"), "{said}");
}

fn read_of(path: &str, hash: &str) -> Draft {
    Draft {
        phase: "verify".to_owned(),
        event_type: "batch_view".to_owned(),
        tool_family: Family::Read,
        target: path.to_owned(),
        asked: None,
        evidence_class: Some(EvidenceClass::DirectSource),
        outcome: "read".to_owned(),
        duration_ms: None,
        agent_confidence: None,
        note: None,
        content_hash: Some(hash.to_owned()),
        shown: Vec::new(),
        not_anchored: 0,
        detail: None,
    }
}

#[test]
fn other_questions_about_the_same_target_are_no_circle() {
    let mut world = World::new(Mode::BugHunt, &[]);
    for asked in ["forward", "reverse", "both", "forward", "reverse"] {
        let question = Draft {
            event_type: "impact".to_owned(),
            tool_family: Family::Relate,
            asked: Some(asked.to_owned()),
            evidence_class: Some(EvidenceClass::Graph),
            content_hash: None,
            ..read_of("drain", "")
        };
        world.do_(Command::Observe(Box::new(question))).unwrap();
    }
    assert_eq!(world.state.counters.loop_warnings, 0);
    assert!(world.state.was_asked("drain"));
}

#[test]
fn every_part_of_a_budget_is_told_when_it_is_passed_also_the_time() {
    let mut world = World::new(Mode::BugHunt, &[]);
    world.state.budget.tool_calls_max = 1;
    let tell = |world: &mut World, target: &str| {
        let telling = Telling {
            phase: "verify".to_owned(),
            event_type: "seek".to_owned(),
            target: target.to_owned(),
            outcome: "found".to_owned(),
            ..Telling::default()
        };
        world.do_(Command::Tell(telling)).unwrap().warnings.join(" ")
    };
    assert_eq!(tell(&mut world, "a"), "");
    assert!(tell(&mut world, "b").contains("tool_calls_max"));
    world.now_ms += 1_000_000_000;
    assert!(tell(&mut world, "c").contains("soft_deadline_ms"));
    assert_eq!(tell(&mut world, "d"), "", "once is enough");
}

#[test]
fn long_texts_are_cut_in_a_handoff_and_nothing_is_dropped_for_them() {
    let mut world = World::new(Mode::BugHunt, &[]);
    let long = "a claim of many words ".repeat(170);
    let run = world.tell("test_run", "pytest a", EvidenceClass::TestRun, "passed");
    verify(&mut world, long.trim(), vec![run]);
    world.state.goal = "a goal of many words ".repeat(180);
    world.tell("dead_path", "x.py", EvidenceClass::DirectSource, "dead_path");
    let handoff = world.with(|situation| handoff::of(&world.state, situation, 3_600));
    let size = serde_json::to_vec(&handoff).unwrap().len();
    assert!(size <= 3_600, "{size}");
    assert!(handoff.shortened && handoff.left_out.is_empty(), "{handoff:?}");
    assert!(handoff.verified_claims[0].text.ends_with('…') && !handoff.next_required_move.is_null());
    assert_eq!((handoff.dead_paths.len(), handoff.tests_run.len()), (1, 1));
    assert!(handoff.summary.ends_with("1 dead paths."), "{}", handoff.summary);
    let inherited = handoff::inherited(&world.state, None);
    let child = World::begin(Mode::BugHunt, &[], Some(world.state.mission_id.clone()), inherited);
    let handoff = child.with(|situation| handoff::of(&child.state, situation, 3_600));
    assert!(handoff.summary.contains("1 claims, 1 verified"), "{}", handoff.summary);
}

#[test]
fn a_review_of_nothing_asks_for_the_commits_that_are_meant() {
    let mut world = World::new(Mode::Review, &[]);
    assert_eq!(world.next().next_move.arguments.unwrap()["mission_id"], world.state.mission_id.as_str());
    let nothing = Draft {
        event_type: "review".to_owned(),
        tool_family: Family::Plan,
        outcome: "nothing_found".to_owned(),
        evidence_class: Some(EvidenceClass::Graph),
        content_hash: None,
        detail: Some(Box::new(Detail::Reviewed { changed_files: 0, files: Vec::new(), set: None })),
        ..read_of(".", "")
    };
    world.do_(Command::Observe(Box::new(nothing))).unwrap();
    let next = world.next().next_move;
    let asked = next.arguments.clone().unwrap();
    assert!(asked.get("base").is_none() && next.fill_in == ["base"], "{next:?}");
    assert_eq!(asked["mission_id"], world.state.mission_id.as_str(), "{next:?}");
}

#[test]
fn the_tool_of_the_next_move_is_an_allowed_one_and_a_test_run_is_evidence_of_its_kind() {
    let mut world = World::new(Mode::Release, &["src/a.rs"]);
    let advice = world.next();
    assert_eq!(advice.next_move.tool, advice.allowed_tools.first().copied());
    let telling = Telling {
        phase: "verify".to_owned(),
        event_type: "test_run".to_owned(),
        target: "pytest".to_owned(),
        outcome: "passed".to_owned(),
        ..Telling::default()
    };
    world.do_(Command::Tell(telling)).unwrap();
    assert_eq!(world.state.tests.len(), 1);
}
