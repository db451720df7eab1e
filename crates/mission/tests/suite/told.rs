//! What is only told, what names a file that nobody opened, and what is nowhere.

use m1nd_mission::{
    Claim, Command, EventId, EvidenceClass, Family, Mode, Telling, Verdict, Verify, explain, handed, handoff,
    packet, remarks,
};

use serde_json::Value;

use crate::world::World;

fn judge(world: &mut World, text: &str, events: &[&EventId]) -> Claim {
    let event_ids = events.iter().map(|id| (*id).clone()).collect();
    let command = Verify { text: Some(text.to_owned()), event_ids, ..Verify::default() };
    let done = world.do_(Command::Verify(command)).unwrap();
    world.state.claim(&done.claim.unwrap()).unwrap().clone()
}

fn verify(world: &mut World, text: &str, events: &[&EventId]) -> Verdict {
    judge(world, text, events).verdict
}

fn world() -> World {
    let mut world = World::new(Mode::BugHunt, &[]);
    for path in ["src/queue.rs", "src/retry.rs", "README.md", "LICENSE"] {
        world.files.insert(path.to_owned(), path.to_owned());
    }
    let lines: String = (1..=20).map(|at| format!("line {at} of drain in the queue\n")).collect();
    world.texts.insert("src/queue.rs".to_owned(), lines);
    world
}

#[test]
fn a_claim_that_names_a_file_rests_on_a_look_at_that_file() {
    for text in [
        "src/queue.rs:drain loses the last job",
        "`queue.rs:12` loses the last job",
        "In (src/queue.rs), a job is lost.",
    ] {
        let mut world = world();
        let beside = world.see("view", Family::Read, "LICENSE", &["LICENSE"]);
        let run = world.tell("test_run", "cargo test", EvidenceClass::TestRun, "reproduced");
        let claim = judge(&mut world, text, &[&beside, &run]);
        assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "{text}");
        assert!(claim.reason.contains(r#"view with file_path "src/queue.rs""#), "{}", claim.reason);
        let next = world.next().next_move;
        assert_eq!(
            (next.tool, &next.arguments.unwrap()["file_path"]),
            (Some("view"), &"src/queue.rs".into())
        );
        let seen = world.see("view", Family::Read, "src/queue.rs", &["src/queue.rs"]);
        let next = world.next().next_move;
        assert_eq!(
            (next.tool, &next.arguments.unwrap()["event_ids"][0]),
            (Some("mission_verify"), &seen.as_str().into())
        );
        let command = Verify { claim_id: Some(claim.claim_id), event_ids: vec![seen], ..Verify::default() };
        world.do_(Command::Verify(command)).unwrap();
        assert_eq!(world.state.claims[0].verdict, Verdict::VerifiedForMission, "{text}");
    }
    let mut world = world();
    let both = world.see("search", Family::Read, "drain", &["src/retry.rs", "src/queue.rs"]);
    assert_eq!(
        verify(&mut world, "src/queue.rs and README.md differ", &[&both]),
        Verdict::NeedsDirectEvidence,
        "nobody looked at one of them"
    );
    assert_eq!(
        verify(&mut world, "src/gone.rs was removed", &[&both]),
        Verdict::VerifiedForMission,
        "no such file"
    );
    assert_eq!(
        verify(&mut world, "the limiter loses a job", &[&both]),
        Verdict::VerifiedForMission,
        "no path"
    );
}

#[test]
fn an_empty_file_shows_nothing() {
    let mut world = world();
    world.files.insert("src/empty.rs".to_owned(), m1nd_mission::EMPTY_FILE.to_owned());
    let empty = world.see("view", Family::Read, "src/empty.rs", &["src/empty.rs"]);
    assert_eq!(verify(&mut world, "the queue is drained early", &[&empty]), Verdict::NeedsDirectEvidence);
    assert!(world.gaps().contains(&"source_not_read".to_owned()), "{:?}", world.gaps());
    assert_eq!(world.state.counters.direct_evidence, 0);
}

#[test]
fn a_sweep_is_asked_for_by_a_word_of_the_finding() {
    for (word, is_sweep) in [
        ("import", false),
        ("the", false),
        (".", false),
        ("def ", false),
        ("drain", true),
        ("queue", true),
        ("error", true),
    ] {
        let mut world = world();
        let seen = world.see("view", Family::Read, "src/queue.rs", &["src/queue.rs"]);
        assert_eq!(verify(&mut world, "drain loses the last job", &[&seen]), Verdict::VerifiedForMission);
        world.see("search", Family::Read, word, &["src/retry.rs"]);
        assert_eq!(world.gaps().is_empty(), is_sweep, "{word}: {:?}", world.gaps());
    }
}

#[test]
fn what_a_graph_tool_answers_is_no_more_by_another_name() {
    for tool in ["seek", "m1nd_seek", "impact", "audit", "callers", "graph_query"] {
        for class in [EvidenceClass::DirectSource, EvidenceClass::TestRun, EvidenceClass::Compiler] {
            let mut world = world();
            let telling = Telling {
                phase: "verify".to_owned(),
                event_type: tool.to_owned(),
                target: "src/queue.rs".to_owned(),
                evidence_class: Some(class),
                outcome: "hypothesis_supported".to_owned(),
                content_hash: world.files.get("src/queue.rs").cloned(),
                ..Telling::default()
            };
            let done = world.do_(Command::Tell(telling)).unwrap();
            assert!(done.warnings.iter().any(|said| said.contains(tool)), "{tool}: {:?}", done.warnings);
            let event = done.events[0].event_id.clone();
            assert_eq!(
                verify(&mut world, "it is so", &[&event]),
                Verdict::NeedsDirectEvidence,
                "{tool} {class:?}"
            );
        }
    }
    let mut world = world();
    let human = world.tell("seek", "src/queue.rs", EvidenceClass::Human, "confirmed");
    assert_eq!(verify(&mut world, "it is so", &[&human]), Verdict::NeedsDirectEvidence);
    let read = world.tell("view", "src/queue.rs", EvidenceClass::TestRun, "confirmed");
    assert_eq!(verify(&mut world, "and so", &[&read]), Verdict::VerifiedForMission, "a view is a read");
    assert_eq!(world.state.tests.len(), 0, "and no run");
}

#[test]
fn nothing_that_is_told_in_another_workspace_carries_anything_there_or_later() {
    let mut world = world();
    world.right_workspace = false;
    let run = world.tell("test_run", "cargo test", EvidenceClass::TestRun, "passed");
    let word = world.tell("asked", "the owner", EvidenceClass::Human, "confirmed");
    assert_eq!(verify(&mut world, "it is so", &[&run, &word]), Verdict::NeedsDirectEvidence);
    world.right_workspace = true;
    assert_eq!(verify(&mut world, "it is so, still", &[&run, &word]), Verdict::NeedsDirectEvidence);
    let before = world.tell("test_run", "cargo test", EvidenceClass::TestRun, "passed");
    world.right_workspace = false;
    assert_eq!(
        verify(&mut world, "it is so, too", &[&before]),
        Verdict::NeedsDirectEvidence,
        "nor what was told here"
    );
}

#[test]
fn a_search_that_found_nothing_proves_that_its_word_is_nowhere_for_as_long_as_it_is() {
    let mut world = world();
    let nothing = world.seek_nothing("make_gadget");
    assert_eq!(verify(&mut world, "the queue is drained early", &[&nothing]), Verdict::NeedsDirectEvidence);
    assert_eq!(verify(&mut world, "make_gadget drains early", &[&nothing]), Verdict::NeedsDirectEvidence);
    let claim = judge(&mut world, "nothing in src/queue.rs calls make_gadget", &[&nothing]);
    assert_eq!(claim.verdict, Verdict::VerifiedForMission, "{}", claim.reason);
    assert!(claim.reason.contains(r#""make_gadget" is in none of 7 files"#), "{}", claim.reason);
    assert!(!claim.self_reported);
    assert_eq!(world.state.counters.direct_evidence, 0, "that is no look at anything");
    world.words.push("make_gadget".to_owned());
    assert!(world.gaps().contains(&"stale_evidence".to_owned()), "{:?}", world.gaps());
    let again = judge(&mut world, "make_gadget is nowhere", &[&nothing]);
    assert_eq!(again.verdict, Verdict::NeedsDirectEvidence);
    assert!(again.reason.contains("is found now"), "{}", again.reason);
}

#[test]
fn a_dead_path_whose_file_changed_is_open_again() {
    let mut world = world();
    world.tell("dead_path", "src/retry.rs", EvidenceClass::DirectSource, "dead_path");
    world.tell("dead_path", "what retries", EvidenceClass::Graph, "dead_path");
    let look = |world: &mut World| world.see("view", Family::Read, "src/retry.rs", &["src/retry.rs"]);
    look(&mut world);
    assert_eq!(world.state.counters.dissents, 1);
    world.files.insert("src/retry.rs".to_owned(), "new".to_owned());
    assert!(!world.is_dead("src/retry.rs") && world.is_dead("what retries"));
    assert!(!world.next().do_not.iter().any(|no| no.target.as_deref() == Some("src/retry.rs")));
    look(&mut world);
    assert_eq!(world.state.counters.dissents, 1, "nobody has been there since it changed");
    let handoff = world.with(|situation| handoff::of(&world.state, situation, 4_000));
    let said: Vec<(&str, bool)> =
        handoff.dead_paths.iter().map(|dead| (dead.target.as_str(), dead.reopened)).collect();
    assert_eq!(said, [("src/retry.rs", true), ("what retries", false)]);
    let inherited = handoff::inherited(&world.state, None);
    let mut child = World::begin(Mode::BugHunt, &[], Some(world.state.mission_id.clone()), inherited);
    child.files.clone_from(&world.files);
    look(&mut child);
    assert_eq!(child.state.counters.dissents, 0);
    child.tell("dead_path", "src/retry.rs", EvidenceClass::DirectSource, "dead_path");
    assert!(child.is_dead("src/retry.rs"), "it was looked at as it is now");
}

#[test]
fn each_need_that_was_only_told_is_named_and_told_evidence_is_counted_apart() {
    let mut told = world();
    let read = told.tell("file_read", "src/queue.rs", EvidenceClass::DirectSource, "hypothesis_supported");
    verify(&mut told, "drain loses the last job", &[&read]);
    told.tell_in("sweep", "file_read", "src/retry.rs", EvidenceClass::DirectSource, "nothing_found");
    assert_eq!(told.gaps(), Vec::<String>::new(), "what is told counts");
    let said = remarks(&told.state);
    assert_eq!(
        said,
        [
            "Only told: the reading of src/queue.rs, src/retry.rs.",
            "Only told: the look for what the first finding hides.",
            "Only told: something that clm_1 rests on.",
        ]
    );
    let counters = &told.state.counters;
    assert_eq!((counters.observed_evidence, counters.told_evidence, counters.direct_evidence), (0, 2, 2));
    told.do_(Command::Close { force: false }).unwrap();
    let checked = packet::check(&packet::to_text(&packet::of(&told.state, told.events.clone())));
    assert!(checked.intact, "{checked:?}");
    assert_eq!(checked.told, said);
    let mut shown = world();
    let read = shown.see("view", Family::Read, "src/queue.rs", &["src/queue.rs"]);
    verify(&mut shown, "drain loses the last job", &[&read]);
    shown.see("view", Family::Read, "src/retry.rs", &["src/retry.rs"]);
    assert_eq!(remarks(&shown.state), Vec::<String>::new());
    assert_eq!((shown.state.counters.observed_evidence, shown.state.counters.told_evidence), (2, 0));
    let mut edit = World::new(Mode::Edit, &["src/a.rs"]);
    edit.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    edit.files.insert("src/a.rs".to_owned(), "h2".to_owned());
    edit.tell("edit", "src/a.rs", EvidenceClass::Diff, "applied");
    edit.tell("test_run", "pytest", EvidenceClass::TestRun, "passed");
    assert_eq!(
        (edit.gaps(), remarks(&edit.state)),
        (vec![], vec!["Only told: what was run (pytest).".to_owned()])
    );
}

#[test]
fn the_same_view_is_one_piece_of_evidence() {
    let mut world = world();
    let mut view = |target: &str| {
        let mut draft = world.events[0].draft.clone();
        draft.event_type = "view".to_owned();
        draft.tool_family = Family::Read;
        draft.target = target.to_owned();
        draft.evidence_class = Some(EvidenceClass::DirectSource);
        draft.outcome = "read".to_owned();
        draft.content_hash = world.files.get("src/queue.rs").cloned();
        draft.detail = None;
        world.do_(Command::Observe(Box::new(draft))).unwrap();
        world.state.counters.direct_evidence
    };
    let counts =
        ["src/queue.rs:1-9", "src/queue.rs:1-9", "src/queue.rs:10-19", "src/queue.rs:1-9"].map(&mut view);
    assert_eq!(counts, [1, 1, 2, 2]);
    world.files.insert("src/queue.rs".to_owned(), "new".to_owned());
    world.tell("file_read", "src/queue.rs", EvidenceClass::DirectSource, "read");
    assert_eq!(world.state.counters.direct_evidence, 3, "it is another file now");
}

#[test]
fn what_was_skipped_or_is_not_needed_is_not_called_done() {
    let mut world = world();
    world.see("view", Family::Read, "src/queue.rs", &["src/queue.rs"]);
    let standing = |world: &World, need: &str| {
        let all = world.with(|situation| explain(&world.state, situation));
        all.into_iter().find(|one| one.need == need).map(|one| (one.state, one.done)).unwrap()
    };
    assert_eq!(standing(&world, "repository seen as a whole"), ("skipped", false));
    assert_eq!(standing(&world, "places searched for"), ("skipped", false));
    assert_eq!(standing(&world, "known files read"), ("not_needed", false));
    assert_eq!(standing(&world, "looked for what the first finding hides"), ("not_needed", false));
    assert_eq!(standing(&world, "source read"), ("done", true));
    assert_eq!(standing(&world, "conclusion drawn"), ("open", false));
    let known = World::new(Mode::BugHunt, &["src/a.rs"]);
    assert_eq!(standing(&known, "repository seen as a whole"), ("not_needed", false));
    assert_eq!(standing(&known, "known files read"), ("open", false));
}

#[test]
fn a_hand_off_is_sealed_and_held_against_what_was_recorded() {
    let mut world = world();
    let seen = world.see("view", Family::Read, "src/queue.rs", &["src/queue.rs"]);
    verify(&mut world, "drain loses the last job", &[&seen]);
    let against = world.tell("test_run", "cargo test", EvidenceClass::TestRun, "refuted");
    assert_eq!(verify(&mut world, "retry never ends", &[&against]), Verdict::Rejected);
    world.tell("dead_path", "src/retry.rs", EvidenceClass::DirectSource, "dead_path");
    let given = world.with(|situation| handoff::of(&world.state, situation, 3_600));
    let text = |handoff: &handoff::Handoff| serde_json::to_string_pretty(handoff).unwrap();
    let (read, seal) = handed::read(&text(&given)).unwrap();
    assert_eq!((seal, &read), (handed::Seal::Whole, &given));
    type Change = fn(&mut handoff::Handoff);
    let changes: [Change; 7] = [
        |one| one.verified_claims[0].text = "drain is right".to_owned(),
        |one| one.graph_anchors[0].content_hash = "other".to_owned(),
        |one| one.graph_anchors[0].today = Some(m1nd_mission::Today::Current),
        |one| one.summary = one.summary.replace("1 rejected", "0 rejected"),
        |one| one.rejected_claims.clear(),
        |one| one.dead_paths.clear(),
        |one| one.tests_run[0].outcome = "passed".to_owned(),
    ];
    for (at, change) in changes.iter().enumerate() {
        let mut forged = given.clone();
        change(&mut forged);
        assert_eq!(handed::read(&text(&forged)).unwrap().1, handed::Seal::Broken, "{at}");
        // Whoever makes the seal anew is found by what the mission recorded.
        handoff::seal(&mut forged);
        assert_eq!(handed::read(&text(&forged)).unwrap().1, handed::Seal::Whole, "{at}");
        assert!(!handed::differs(&forged, &given).is_empty(), "{at}");
    }
    let mut small = given.clone();
    let mut sizes = vec![text(&small).len()];
    let mut moves = vec![small.next_required_move.clone()];
    while handoff::cut(&mut small, 200) {
        sizes.push(text(&small).len());
        moves.push(small.next_required_move.clone());
        let seal = handed::read(&text(&small)).unwrap().1;
        assert_eq!(seal, handed::Seal::Whole);
        assert_eq!(handed::differs(&small, &given), Vec::<String>::new(), "{}", text(&small));
    }
    assert!(sizes.len() > 3 && *sizes.last().unwrap() < 500, "{sizes:?}");
    // What to do next is the last thing to go, and of it the call.
    let [.., tool, none] = moves.as_slice() else { panic!("{moves:?}") };
    assert!(none.is_null() && tool["tool"].is_string() && tool["arguments"].is_null(), "{tool}");
    let called: Vec<&Value> = moves.iter().filter(|next| !next["arguments"].is_null()).collect();
    assert_eq!(called.len(), moves.len() - 2, "{moves:?}");
    assert!(
        small.left_out.values().filter_map(serde_json::Value::as_u64).sum::<u64>() > 0,
        "{}",
        text(&small)
    );
    let mut emptied = small.clone();
    emptied.left_out.clear();
    handoff::seal(&mut emptied);
    assert!(!handed::differs(&emptied, &given).is_empty(), "an emptied one is no cut one");
    let mut more: serde_json::Value = serde_json::from_str(&text(&given)).unwrap();
    more["verified_claims"][0]["approved_by"] = "the owner".into();
    assert!(handed::read(&more.to_string()).unwrap_err().contains("/verified_claims/0/approved_by"));
    more["verified_claims"][0].as_object_mut().unwrap().remove("approved_by");
    more["approved"] = true.into();
    assert!(handed::read(&more.to_string()).unwrap_err().contains("/approved"));
    assert_eq!(handed::since(&given, &world.state), Vec::<String>::new());
    let against = world.tell("test_run", "cargo test drain", EvidenceClass::TestRun, "refuted");
    let claim_id = Some(world.state.claims[0].claim_id.clone());
    world.do_(Command::Verify(Verify { claim_id, event_ids: vec![against], ..Verify::default() })).unwrap();
    let since = handed::since(&given, &world.state);
    assert!(since[0].starts_with("clm_1 was rejected since then"), "{since:?}");
}

#[test]
fn a_run_or_a_word_of_what_is_not_there_carries_nothing_and_fulfils_nothing() {
    let runs = [EvidenceClass::TestRun, EvidenceClass::Compiler, EvidenceClass::RuntimeProbe];
    for target in [
        "tests/test_zzz.py",
        "zzz.py",
        "tests/test_zzz.py::test_a",
        "tests/test_zzz.py:3",
        "src/a.rs:99999",
        "/repo/tests/test_zzz.py",
    ] {
        for class in runs.into_iter().chain([EvidenceClass::Human]) {
            let mut world = world();
            let id = world.tell("test_run", target, class, "passed");
            let claim = judge(&mut world, "it is so", &[&id]);
            assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "{target} {class:?}");
            assert_eq!(world.state.counters.direct_evidence, 0, "{target} {class:?}");
        }
    }
    let mut world = World::new(Mode::Edit, &["src/a.rs"]);
    world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
    world.files.insert("src/a.rs".to_owned(), "h2".to_owned());
    world.tell("edit", "src/a.rs", EvidenceClass::Diff, "applied");
    let telling = |target: &str| Telling {
        phase: "verify".to_owned(),
        event_type: "test_run".to_owned(),
        target: target.to_owned(),
        outcome: "passed".to_owned(),
        ..Telling::default()
    };
    let done = world.do_(Command::Tell(telling("tests/test_zzz.py"))).unwrap();
    assert!(
        done.warnings[0].contains("\"tests/test_zzz.py\" is no file of this workspace"),
        "{:?}",
        done.warnings
    );
    assert_eq!(world.gaps(), ["not_tested"]);
    // A command is about more than the paths in it, and what is not in the workspace is nobody's to judge.
    let done = world.do_(Command::Tell(telling("pytest tests/test_zzz.py -q"))).unwrap();
    assert!(done.warnings[0].contains("\"tests/test_zzz.py\" in it is no file"), "{:?}", done.warnings);
    assert_eq!(world.gaps(), Vec::<String>::new());
    for target in [
        "cargo test -q",
        "src/a.rs",
        "src/a.rs:2",
        "a.rs",
        "a.rs::tests::one",
        "/repo/src/a.rs:1",
        "/tmp/repro.py",
        "../other/test_zzz.py",
        "test_api",
        "Node.js",
        "pytest src/a.rs -k x",
    ] {
        let mut world = World::new(Mode::BugHunt, &[]);
        let done = world.do_(Command::Tell(telling(target))).unwrap();
        assert_eq!(done.warnings, Vec::<String>::new(), "{target}");
        assert_eq!(world.state.tests.len(), 1, "{target}");
    }
}
