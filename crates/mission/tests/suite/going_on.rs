//! What still counts when the work goes on: a change set that moves, a mission that is taken over, a look that hides behind
//! another.

use m1nd_mission::{
    ChangeSet, Command, Detail, Draft, EventId, EvidenceClass, Family, Mode, SetNow, Shown, Verdict, Verify,
    gaps, handoff,
};

use crate::world::World;

fn verify(world: &mut World, text: &str, events: &[&EventId]) -> Verdict {
    let event_ids = events.iter().map(|id| (*id).clone()).collect();
    let command = Verify { text: Some(text.to_owned()), event_ids, ..Verify::default() };
    let done = world.do_(Command::Verify(command)).unwrap();
    world.state.claim(&done.claim.unwrap()).unwrap().verdict
}

/// A call that the runtime saw, with the change set as the files are now.
fn review(world: &mut World, print: &str, files: &[&str]) {
    let paths: Vec<String> = files.iter().map(|path| (*path).to_owned()).collect();
    world.changes = Some(SetNow { print: print.to_owned(), paths: paths.clone() });
    let held = paths
        .iter()
        .filter_map(|path| Some(Shown { path: path.clone(), content_hash: world.files.get(path)?.clone() }));
    let held = held.collect();
    let base = Some("main".to_owned());
    let set = Some(ChangeSet { base, range: None, print: print.to_owned(), held });
    let mut draft = world.events[0].draft.clone();
    draft.event_type = "review".to_owned();
    draft.tool_family = Family::Plan;
    draft.evidence_class = Some(EvidenceClass::Graph);
    draft.detail = Some(Box::new(Detail::Reviewed { changed_files: paths.len() as u64, files: paths, set }));
    world.do_(Command::Observe(Box::new(draft))).unwrap();
}

fn child_of(parent: &World, mode: Mode) -> World {
    let inherited = handoff::inherited(&parent.state, None);
    let mut child = World::begin(mode, &[], Some(parent.state.mission_id.clone()), inherited);
    child.files.clone_from(&parent.files);
    child.changes.clone_from(&parent.changes);
    child
}

#[test]
fn a_change_set_that_moved_on_is_reviewed_read_and_judged_again() {
    let mut world = World::new(Mode::Review, &[]);
    world.files.insert("src/b.rs".to_owned(), "b1".to_owned());
    review(&mut world, "one", &["src/a.rs"]);
    let read = world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    assert_eq!(verify(&mut world, "the change is right", &[&read]), Verdict::VerifiedForMission);
    assert_eq!(world.gaps(), Vec::<String>::new());
    // A commit adds another file.
    world.changes =
        Some(SetNow { print: "two".to_owned(), paths: vec!["src/a.rs".into(), "src/b.rs".into()] });
    let found = world.with(|situation| gaps(&world.state, situation));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].gap, "change_set_moved");
    assert!(found[0].why.contains("src/b.rs"), "{found:?}");
    let next = world.next().next_move;
    assert_eq!(
        (next.tool_family, &next.arguments.unwrap_or_default()["base"]),
        (Family::Plan, &"main".into())
    );
    review(&mut world, "two", &["src/a.rs", "src/b.rs"]);
    assert_eq!(
        world.gaps(),
        ["change_not_read", "no_claim"],
        "what was seen and said before is of another change"
    );
    assert_eq!(world.next().next_move.arguments.unwrap()["file_path"], "src/b.rs");
    let read = world.see("view", Family::Read, "src/b.rs", &["src/b.rs"]);
    assert_eq!(world.gaps(), ["no_claim"]);
    assert_eq!(verify(&mut world, "so is the rest of it", &[&read]), Verdict::VerifiedForMission);
    assert_eq!(world.gaps(), Vec::<String>::new());
    // The same question about the same change brings nothing new, and nothing is owed for it.
    review(&mut world, "two", &["src/a.rs", "src/b.rs"]);
    assert_eq!(world.gaps(), Vec::<String>::new());
}

#[test]
fn what_was_seen_of_a_changed_file_before_it_was_edited_again_is_not_the_change() {
    let mut world = World::new(Mode::Review, &[]);
    world.files.insert("README.md".to_owned(), "r1".to_owned());
    review(&mut world, "one", &["src/a.rs"]);
    world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    let beside = world.see("view", Family::Read, "README.md", &["README.md"]);
    verify(&mut world, "the change is right", &[&beside]);
    world.files.insert("src/a.rs".to_owned(), "h2".to_owned());
    world.changes = Some(SetNow { print: "two".to_owned(), paths: vec!["src/a.rs".into()] });
    assert_eq!(world.gaps(), ["change_not_read", "change_set_moved"]);
    world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    assert_eq!(world.gaps(), ["change_set_moved"]);
    review(&mut world, "two", &["src/a.rs"]);
    assert_eq!(world.gaps(), ["no_claim"], "it was read as it is now");
}

#[test]
fn whoever_makes_a_change_has_not_reviewed_it_by_that() {
    let mut world = World::new(Mode::Release, &[]);
    world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    world.files.insert("src/a.rs".to_owned(), "h2".to_owned());
    let edited = Draft {
        event_type: "apply".to_owned(),
        tool_family: Family::Edit,
        target: "src/a.rs".to_owned(),
        evidence_class: Some(EvidenceClass::Diff),
        outcome: "applied".to_owned(),
        content_hash: Some("h2".to_owned()),
        detail: None,
        ..world.events[1].draft.clone()
    };
    world.do_(Command::Observe(Box::new(edited))).unwrap();
    world.tell("impact", "main", EvidenceClass::Graph, "found");
    assert!(world.gaps().contains(&"not_reviewed".to_owned()), "{:?}", world.gaps());
    world.tell("diff", "main..HEAD", EvidenceClass::Diff, "read");
    assert!(!world.gaps().contains(&"not_reviewed".to_owned()), "{:?}", world.gaps());
}

#[test]
fn a_claim_is_self_reported_when_something_it_rests_on_was_only_told() {
    let mut world = World::new(Mode::BugHunt, &[]);
    world.files.insert("README.md".to_owned(), "r1".to_owned());
    let own = |world: &World| world.state.claims.last().unwrap().self_reported;
    let beside = world.see("view", Family::Read, "README.md", &["README.md"]);
    let run = world.tell("test_run", "cargo test", EvidenceClass::TestRun, "passed");
    for events in [[&run, &beside], [&beside, &run]] {
        verify(&mut world, "the tests pass", &events);
        assert!(own(&world), "no call shows that a test ran");
    }
    let told = world.tell("file_read", "src/a.rs", EvidenceClass::DirectSource, "hypothesis_supported");
    verify(&mut world, "a drains early", &[&told, &beside]);
    assert!(own(&world), "another file shows nothing of it");
    let seen = world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    verify(&mut world, "a drains too early", &[&told, &seen]);
    assert!(!own(&world), "the runtime saw what is told of");
    verify(&mut world, "a drains much too early", &[&seen, &beside]);
    assert!(!own(&world));
    let against = world.tell("file_read", "src/a.rs", EvidenceClass::DirectSource, "refuted");
    assert_eq!(verify(&mut world, "b", &[&against, &beside]), Verdict::Rejected);
    assert!(own(&world), "what rejects it was only told");
    assert_eq!(verify(&mut world, "c", &[&against, &seen]), Verdict::Rejected);
    assert!(!own(&world));
}

/// A bug hunt with one finding in `src/queue.rs`.
fn found() -> World {
    let mut world = World::new(Mode::BugHunt, &[]);
    for path in ["src/queue.rs", "src/retry.rs", "tests/queue_test.rs", "README.md", "LICENSE", "tools/x.py"]
    {
        world.files.insert(path.to_owned(), path.to_owned());
    }
    let read = world.see("view", Family::Read, "src/queue.rs", &["src/queue.rs"]);
    assert_eq!(verify(&mut world, "drain loses the last job", &[&read]), Verdict::VerifiedForMission);
    assert_eq!(world.gaps(), ["no_negative_space_sweep"]);
    world
}

#[test]
fn each_of_the_five_looks_is_a_sweep() {
    let looks: [(&str, &str, &[&str]); 6] = [
        ("view", "README.md", &["README.md"]),
        ("view", "tests/queue_test.rs", &["tests/queue_test.rs"]),
        ("search", "Err(", &["src/queue.rs"]),
        ("search", "Mutex", &["src/queue.rs"]),
        ("view", "src/retry.rs", &["src/retry.rs"]),
        ("search", "drain", &["tools/x.py", "src/queue.rs"]),
    ];
    for (tool, target, files) in looks {
        let mut world = found();
        world.see(tool, Family::Read, target, files);
        assert_eq!(world.gaps(), Vec::<String>::new(), "{tool} {target}");
    }
    let mut world = found();
    world.tell_in("sweep", "probe", "drain of an empty queue", EvidenceClass::RuntimeProbe, "passed");
    assert_eq!(world.gaps(), Vec::<String>::new(), "a boundary value that was tried");
    let mut world = found();
    world.tell_in("verify", "direct_sweep", "src/retry.rs", EvidenceClass::DirectSource, "nothing_found");
    assert_eq!(world.gaps(), Vec::<String>::new());
}

#[test]
fn a_look_at_what_has_nothing_to_do_with_the_finding_is_no_sweep() {
    let looks: [(&str, &str, &[&str]); 5] = [
        ("view", "LICENSE", &["LICENSE"]),
        ("view", "tools/x.py", &["tools/x.py"]),
        ("search", "the", &["tools/x.py"]),
        ("search", "drain", &["src/queue.rs"]),
        ("view", "src/queue.rs", &["src/queue.rs"]),
    ];
    for (tool, target, files) in looks {
        let mut world = found();
        world.see(tool, Family::Read, target, files);
        assert_eq!(world.gaps(), ["no_negative_space_sweep"], "{tool} {target}");
    }
    let mut world = found();
    world.tell_in("sweep", "file_read", "LICENSE", EvidenceClass::DirectSource, "read");
    world.tell_in("sweep", "seek", "queue", EvidenceClass::Graph, "found");
    assert_eq!(world.gaps(), ["no_negative_space_sweep"]);
}

/// A mission that read `src/a.rs`, changed it and ran its tests.
fn edited() -> World {
    let mut world = World::new(Mode::Edit, &["src/a.rs"]);
    world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    world.files.insert("src/a.rs".to_owned(), "h2".to_owned());
    world.tell("edit", "src/a.rs", EvidenceClass::Diff, "applied");
    world
}

#[test]
fn a_child_of_an_edit_does_only_what_is_left() {
    let mut parent = edited();
    let mut child = child_of(&parent, Mode::Edit);
    assert_eq!(child.gaps(), ["not_tested"], "the change is made, and was read before");
    assert_eq!(child.next().next_move.tool_family, Family::Run);
    child.tell("test_run", "cargo test", EvidenceClass::TestRun, "passed");
    assert_eq!(child.gaps(), Vec::<String>::new());
    let grandchild = child_of(&child, Mode::Edit);
    assert_eq!(grandchild.gaps(), Vec::<String>::new(), "it is tested");

    parent.tell("test_run", "cargo test", EvidenceClass::TestRun, "passed");
    let mut child = child_of(&parent, Mode::Edit);
    assert_eq!(child.gaps(), Vec::<String>::new(), "all is done, and holds");
    assert_eq!(child.next().next_move.tool, Some("mission_close"));
    child.files.insert("src/a.rs".to_owned(), "h3".to_owned());
    assert_eq!(child.gaps(), ["not_tested"], "what was tested is not what is there");
    child.files.insert("src/a.rs".to_owned(), "h1".to_owned());
    assert_eq!(child.gaps(), ["nothing_edited", "not_tested"], "somebody took it back");

    let mut child = child_of(&parent, Mode::Edit);
    child.files.insert("src/a.rs".to_owned(), "h4".to_owned());
    child.tell("edit", "src/a.rs", EvidenceClass::Diff, "applied");
    assert_eq!(child.gaps(), ["not_tested"], "a test before the newest change says nothing of it");
}

#[test]
fn a_test_that_failed_after_the_parent_s_change_is_owed_by_the_child_and_one_before_it_is_not() {
    let mut parent = World::new(Mode::Edit, &["src/a.rs"]);
    parent.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    parent.tell("test_run", "cargo test drops", EvidenceClass::TestRun, "failed");
    parent.files.insert("src/a.rs".to_owned(), "h2".to_owned());
    parent.tell("edit", "src/a.rs", EvidenceClass::Diff, "applied");
    parent.tell("test_run", "cargo test", EvidenceClass::TestRun, "passed");
    assert_eq!(parent.gaps(), Vec::<String>::new());
    assert_eq!(child_of(&parent, Mode::Edit).gaps(), Vec::<String>::new());
    parent.tell("test_run", "cargo test more", EvidenceClass::TestRun, "failed");
    let mut child = child_of(&parent, Mode::Edit);
    assert_eq!(child.gaps(), ["not_tested"]);
    child.tell("test_run", "cargo test", EvidenceClass::TestRun, "passed");
    assert_eq!(child.gaps(), ["not_tested"], "another test takes nothing back");
    child.tell("test_run", "cargo test more", EvidenceClass::TestRun, "passed");
    assert_eq!(child.gaps(), Vec::<String>::new());
}

#[test]
fn a_child_of_a_review_owes_what_moved_since() {
    let mut parent = World::new(Mode::Review, &[]);
    review(&mut parent, "one", &["src/a.rs"]);
    let read = parent.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    let mut child = child_of(&parent, Mode::Review);
    assert_eq!(child.gaps(), ["no_claim"], "the review and the read hold");
    child.changes = Some(SetNow { print: "two".to_owned(), paths: vec!["src/a.rs".into()] });
    assert_eq!(child.gaps(), ["no_claim", "change_set_moved"]);
    verify(&mut parent, "right", &[&read]);
    let left = parent.state.clone().doubted();
    assert!(handoff::inherited(&left, None).review.is_none(), "nothing of a broken stream counts");
}

#[test]
fn another_goal_inherits_no_change_and_no_test() {
    let mut parent = edited();
    parent.tell("test_run", "cargo test", EvidenceClass::TestRun, "passed");
    parent.state.goal = "something else".to_owned();
    let child = child_of(&parent, Mode::Edit);
    assert!(child.state.edits.is_empty());
    assert_eq!(child.gaps(), ["source_not_read", "nothing_edited", "not_tested"]);
}

#[test]
fn a_docs_drift_is_led_to_the_document_and_from_there_to_the_code() {
    let mut world = World::new(Mode::DocsDrift, &[]);
    world.graph_is_empty = true;
    world.files.insert("README.md".to_owned(), "r1".to_owned());
    world.files.insert("docs/usage.rst".to_owned(), "u1".to_owned());
    let file = |world: &World| world.next().next_move.arguments.unwrap()["file_path"].clone();
    assert_eq!(file(&world), "README.md");
    world.state.goal = "Is docs/usage.rst, as it is, right?".to_owned();
    assert_eq!(file(&world), "docs/usage.rst");
    world.see("view", Family::Read, "docs/usage.rst", &["docs/usage.rst"]);
    let next = world.next().next_move;
    assert_eq!((next.tool, &next.fill_in[..]), (Some("search"), &["query"][..]));
    assert_eq!(
        next.arguments.unwrap()["glob"],
        "!*.{md,mdx,rst,adoc,txt}",
        "the document would hide the code"
    );
    // The name is nowhere in the code: what it should be is looked for by its meaning.
    world.see("search", Family::Read, "make_gadget", &[]);
    assert_eq!(world.next().next_move.tool, Some("seek"));
    world.tell("seek", "gadgets", EvidenceClass::Graph, "found");
    world.state.places = vec!["src/a.rs:3".to_owned()];
    assert_eq!(file(&world), "src/a.rs:1-73");
    world.see("search", Family::Read, "jsonify", &["src/a.rs"]);
    assert_eq!(world.next().next_move.tool, Some("mission_claim"));
    let mut none = World::new(Mode::DocsDrift, &[]);
    none.files.insert("LICENSE.md".to_owned(), "l1".to_owned());
    none.see("view", Family::Read, "LICENSE.md", &["LICENSE.md"]);
    none.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    assert!(none.gaps().contains(&"source_not_read".to_owned()), "a licence promises nothing of the code");
}
