//! Where a mission leads, what it counts, and what of it is believed later.

use m1nd_mission::{
    Claim, Command, Detail, Draft, EventId, EvidenceClass, Family, Mode, Verdict, Verify, handoff, packet,
};

use crate::world::World;

fn verify(world: &mut World, text: &str, events: Vec<EventId>) -> Verdict {
    let command = Verify { text: Some(text.to_owned()), event_ids: events, ..Verify::default() };
    let done = world.do_(Command::Verify(command)).unwrap();
    world.state.claim(&done.claim.unwrap()).unwrap().verdict
}

fn dead(world: &mut World, target: &str) {
    world.tell("dead_path", target, EvidenceClass::Inferred, "dead_path");
}

/// A review that found these files changed.
fn reviewed(world: &World, files: &[&str]) -> Draft {
    let mut draft = world.events[0].draft.clone();
    draft.event_type = "review".to_owned();
    draft.tool_family = Family::Plan;
    draft.evidence_class = Some(EvidenceClass::Graph);
    let files: Vec<String> = files.iter().map(|path| (*path).to_owned()).collect();
    draft.detail = Some(Box::new(Detail::Reviewed { changed_files: files.len() as u64, files, set: None }));
    draft
}

#[test]
fn no_step_leads_into_a_dead_path_by_its_file_or_by_its_words() {
    let mut world = World::new(Mode::BugHunt, &["src/a.rs"]);
    assert_eq!(world.next().next_move.arguments.unwrap()["file_path"], "src/a.rs");
    dead(&mut world, "src/a.rs");
    let next = world.next().next_move;
    assert_ne!(next.tool, Some("view"), "{next:?}");
    let child = handoff::inherited(&world.state, None);
    let child = World::begin(Mode::BugHunt, &["src/a.rs"], Some(world.state.mission_id.clone()), child);
    assert_ne!(child.next().next_move.tool, Some("view"), "nor does a child's");

    let mut world = World::new(Mode::BugHunt, &[]);
    world.tell("audit", ".", EvidenceClass::Graph, "oriented");
    let goal = world.state.goal.clone();
    assert_eq!(world.next().next_move.arguments.unwrap()["query"], goal.as_str());
    dead(&mut world, &goal);
    let next = world.next().next_move;
    let asked = next.arguments.clone().unwrap();
    assert_eq!((next.tool, asked.get("query")), (Some("seek"), None), "{next:?}");
    assert_eq!(asked["mission_id"], world.state.mission_id.as_str());
    assert_eq!(next.fill_in, ["query"]);

    let mut world = World::new(Mode::BugHunt, &[]);
    world.tell("seek", "x", EvidenceClass::Graph, "found");
    world.tell("audit", ".", EvidenceClass::Graph, "oriented");
    let word = |world: &World| world.next().next_move.arguments.unwrap()["query"].clone();
    assert_eq!(word(&world), "limiter");
    dead(&mut world, "limiter");
    assert_ne!(word(&world), "limiter");
}

#[test]
fn a_goal_of_one_long_word_leaves_room_for_everything_else() {
    for goal in [format!("fix https://example.org/{}", "a".repeat(3_000)), "界".repeat(1_300)] {
        let mut world = World::new(Mode::BugHunt, &[]);
        world.state.goal.clone_from(&goal);
        dead(&mut world, "x.py");
        let handoff = world.with(|situation| handoff::of(&world.state, situation, 3_600));
        let size = serde_json::to_vec(&handoff).unwrap().len();
        assert!(size <= 3_600, "{size}");
        assert_eq!(handoff.dead_paths.len(), 1, "{handoff:?}");
        let asked = world.next().next_move.arguments;
        assert!(serde_json::to_vec(&asked).unwrap().len() < 500, "{asked:?}");
    }
}

#[test]
fn a_review_is_not_closed_before_a_file_of_the_change_was_read() {
    let mut world = World::new(Mode::Review, &[]);
    world.files.insert("LICENSE".to_owned(), "h2".to_owned());
    world.files.insert("CHANGELOG.md".to_owned(), "h3".to_owned());
    let draft = reviewed(&world, &["CHANGELOG.md", "src/gone.rs", "src/a.rs"]);
    world.do_(Command::Observe(Box::new(draft))).unwrap();
    assert_eq!(world.next().next_move.arguments.unwrap()["file_path"], "src/a.rs", "the code that is there");
    let read = world.tell("file_read", "LICENSE", EvidenceClass::DirectSource, "read");
    assert_eq!(verify(&mut world, "the change is right", vec![read]), Verdict::VerifiedForMission);
    assert_eq!(world.gaps(), ["change_not_read"]);
    world.tell("file_read", "src/a.rs", EvidenceClass::DirectSource, "read");
    assert_eq!(world.gaps(), Vec::<String>::new());
    // Whoever saw the diff has seen the change.
    let mut world = World::new(Mode::Review, &[]);
    let draft = reviewed(&world, &["src/a.rs"]);
    world.do_(Command::Observe(Box::new(draft))).unwrap();
    world.tell("diff", "git diff", EvidenceClass::Diff, "read");
    assert!(!world.gaps().contains(&"change_not_read".to_owned()), "{:?}", world.gaps());
}

#[test]
fn the_base_that_is_asked_for_is_one_that_review_takes() {
    let mut world = World::new(Mode::Review, &[]);
    let draft = reviewed(&world, &[]);
    world.do_(Command::Observe(Box::new(draft))).unwrap();
    let next = world.next().next_move;
    assert!(next.fill_in == ["base"] && next.why.contains("HEAD~1"), "{next:?}");
    assert!(!next.why.contains(".."), "a base is one commit and no range: {next:?}");
}

#[test]
fn only_files_of_the_repository_that_is_meant_carry_its_claims() {
    let mut world = World::new(Mode::BugHunt, &[]);
    world.scope = Some("lib::");
    world.files.insert("lib::/b.rs".to_owned(), "h2".to_owned());
    assert_eq!(world.next().next_move.arguments.unwrap()["path"], "lib::", "the map is of that part");
    let host = world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    assert_eq!(verify(&mut world, "it is so", vec![host]), Verdict::NeedsDirectEvidence);
    assert!(world.state.files.is_empty());
    let both = world.see("search", Family::Read, "x", &["src/a.rs", "lib::/b.rs"]);
    assert_eq!(world.state.files.keys().collect::<Vec<_>>(), ["lib::/b.rs"]);
    assert_eq!(verify(&mut world, "it is so", vec![both]), Verdict::VerifiedForMission);
    let asked = world.with(|situation| m1nd_mission::moves(&world.state, situation, 9));
    let search = asked.iter().find(|step| step.tool == Some("search")).unwrap();
    let scope = search.arguments.as_ref().unwrap()["scope"].as_str().unwrap();
    assert!(scope.starts_with("lib::"), "{asked:?}");
}

#[test]
fn a_child_s_packet_holds_what_it_inherited_and_the_files_behind_it() {
    let mut parent = World::new(Mode::BugHunt, &[]);
    let read = parent.tell("file_read", "src/a.rs", EvidenceClass::DirectSource, "read");
    verify(&mut parent, "found before", vec![read]);
    let inherited = handoff::inherited(&parent.state, None);
    let mut child = World::begin(Mode::BugHunt, &[], Some(parent.state.mission_id.clone()), inherited);
    child.do_(Command::Close { force: true }).unwrap();
    let made = packet::of(&child.state, child.events.clone());
    let names = |claims: &[Claim]| claims.iter().map(|claim| claim.text.clone()).collect::<Vec<_>>();
    assert_eq!(names(&made.inherited_claims), ["found before"]);
    assert!(made.verified_claims.is_empty(), "the child's own events prove nothing of it");
    let checked = packet::check(&packet::to_text(&made));
    assert!(checked.intact, "{checked:?}");
    assert_eq!(checked.anchors, [("src/a.rs".to_owned(), "h1".to_owned())]);
    let mut other = made;
    other.inherited_claims[0].text = "found by nobody".to_owned();
    assert!(!packet::check(&packet::to_text(&other)).intact);
}

#[test]
fn what_is_left_of_a_mission_that_is_doubted_is_nothing_settled() {
    let mut world = World::new(Mode::BugHunt, &[]);
    let read = world.tell("file_read", "src/a.rs", EvidenceClass::DirectSource, "read");
    verify(&mut world, "so", vec![read]);
    dead(&mut world, "x.py");
    let left = world.state.clone().doubted();
    assert_eq!(left.claims[0].verdict, Verdict::NeedsDirectEvidence);
    assert!(left.claims[0].rests_on.is_empty() && left.is_dead("x.py", &|_| None));
    assert!(!left.has_finding() && left.sweeps.is_empty());
}

#[test]
fn a_claim_whose_file_is_gone_says_gone_and_not_changed() {
    let mut world = World::new(Mode::BugHunt, &[]);
    let read = world.tell("file_read", "src/a.rs", EvidenceClass::DirectSource, "read");
    verify(&mut world, "so", vec![read]);
    let shown = |world: &World| world.with(|situation| world.state.claims[0].as_shown(situation.hash_of));
    let words = |world: &World| {
        let gaps = world.with(|situation| m1nd_mission::gaps(&world.state, situation));
        gaps.iter().map(|gap| gap.why.clone()).collect::<String>()
    };
    world.files.insert("src/a.rs".to_owned(), "h2".to_owned());
    assert_eq!((shown(&world).stale.len(), shown(&world).gone.len()), (1, 0));
    assert!(words(&world).contains("src/a.rs changed"), "{}", words(&world));
    world.files.clear();
    assert_eq!(shown(&world).gone, ["src/a.rs"]);
    assert!(words(&world).contains("src/a.rs gone"), "{}", words(&world));
    assert!(world.next().next_move.why.contains("src/a.rs gone"), "{:?}", world.next().next_move);
    let handoff = world.with(|situation| handoff::of(&world.state, situation, 3_600));
    assert_eq!(handoff.verified_claims[0].gone, ["src/a.rs"]);
    let claim_id = Some(world.state.claims[0].claim_id.clone());
    world.do_(Command::Verify(Verify { claim_id, ..Verify::default() })).unwrap();
    let claim = &world.state.claims[0];
    assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence);
    assert!(
        claim.reason.contains("src/a.rs is gone") && !claim.reason.contains("read it again"),
        "{claim:?}"
    );
}

#[test]
fn a_long_file_is_read_where_it_matters() {
    let long = |world: &mut World| {
        let line = "    a line of a long file, of which nobody needs the whole\n";
        let text = format!("{}def drain(queue):\n{}limit_of = 3\n", line.repeat(300), line.repeat(300));
        world.texts.insert("src/a.rs".to_owned(), text);
        world.names.push(("drain".to_owned(), "src/a.rs:301-420".to_owned()));
    };
    let path = |world: &World| {
        let next = world.next().next_move;
        let asked = next.arguments.unwrap();
        (next.tool.unwrap(), asked["file_path"].as_str().unwrap_or_else(|| panic!("{asked}")).to_owned())
    };
    let view = |at: &str| ("view", at.to_owned());
    // A short one is read whole; a long one whose file is known from its beginning, without a way around.
    let mut world = World::new(Mode::BugHunt, &["src/a.rs"]);
    assert_eq!(path(&world), view("src/a.rs"));
    world.state.goal = "what is wrong in a.rs".to_owned();
    long(&mut world);
    assert_eq!(path(&world), view("src/a.rs:1-135"));

    // What is in it comes before its first lines, once.
    let mut world = World::new(Mode::BugHunt, &[]);
    long(&mut world);
    world.tell("audit", ".", EvidenceClass::Graph, "oriented");
    let mut draft = world.events[0].draft.clone();
    (draft.event_type, draft.tool_family) = ("seek".to_owned(), Family::Retrieve);
    draft.outcome = "found".to_owned();
    draft.detail = Some(Box::new(Detail::Found { places: vec!["src/a.rs".to_owned()] }));
    world.do_(Command::Observe(Box::new(draft))).unwrap();
    assert_eq!(path(&world), ("outline", "src/a.rs".to_owned()));
    world.see("outline", Family::Orient, "src/a.rs", &[]);
    assert_eq!(path(&world), view("src/a.rs:1-135"));

    // The definition or the line that a claim names.
    for (claim, at) in [
        ("`drain` in src/a.rs loses a job", "src/a.rs:291-371"),
        ("limit_of is too small in src/a.rs", "src/a.rs:592-672"),
    ] {
        let mut world = World::new(Mode::BugHunt, &[]);
        long(&mut world);
        world.tell("audit", ".", EvidenceClass::Graph, "oriented");
        world.tell("seek", "x", EvidenceClass::Graph, "found");
        world.files.insert("src/b.rs".to_owned(), "h2".to_owned());
        let other = world.see("view", Family::Read, "src/b.rs", &["src/b.rs"]);
        verify(&mut world, claim, vec![other]);
        assert_eq!(path(&world), view(at), "{claim}");
    }
}

#[test]
fn a_search_that_is_proposed_shows_few_lines_and_a_reason_is_in_sentences() {
    let mut world = World::new(Mode::BugHunt, &[]);
    world.see("audit", Family::Orient, ".", &[]);
    world.tell("seek", "limiter", EvidenceClass::Graph, "found");
    let next = world.next().next_move;
    assert_eq!(next.tool, Some("search"));
    assert_eq!(next.arguments.unwrap()["top_k"], 10);
    let read = world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    world.do_(Command::Claim { text: "it is so".to_owned(), event_ids: vec![read] }).unwrap();
    let why = world.next().next_move.why;
    assert!(why.contains("nobody has judged it. Say what was found"), "{why}");
}
