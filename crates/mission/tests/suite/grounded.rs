//! What is cited must be about what is claimed, and somebody must say what it shows.

use m1nd_mission::{
    Absence, Claim, Command, Detail, EventId, EvidenceClass, Family, MissionError, Mode, Part, Verdict,
    Verify, chain,
};

use crate::world::World;

const QUEUE: &str =
    "pub fn drain(queue: &mut Queue) {\n    while queue.len() > 1 {\n        queue.pop();\n    }\n}\n";

fn world() -> World {
    let mut world = World::new(Mode::BugHunt, &[]);
    for path in ["src/queue.rs", "src/other.rs", "docs/guide.md"] {
        world.files.insert(path.to_owned(), path.to_owned());
    }
    world.texts.insert("src/queue.rs".to_owned(), QUEUE.to_owned());
    let long: String = (1..=60).map(|at| format!("let number_{at} = {at};\n")).collect();
    world.texts.insert("src/other.rs".to_owned(), long);
    world
        .texts
        .insert("docs/guide.md".to_owned(), "drain empties the queue.\nIt is called by run.\n".to_owned());
    world.names.push(("drain".to_owned(), "src/queue.rs:1".to_owned()));
    world.silent = true;
    world
}

fn judge(world: &mut World, verify: Verify) -> Claim {
    let done = world.do_(Command::Verify(verify)).unwrap();
    world.state.claim(&done.claim.unwrap()).unwrap().clone()
}

/// A claim, an event, and what is said of it.
fn said(text: &str, events: &[&EventId], outcome: &str, quote: &str) -> Verify {
    Verify {
        text: Some(text.to_owned()),
        event_ids: events.iter().map(|id| (*id).clone()).collect(),
        outcome: Some(outcome.to_owned()).filter(|outcome| !outcome.is_empty()),
        quote: Some(quote.to_owned()).filter(|quote| !quote.is_empty()),
        ..Verify::default()
    }
}

fn view(world: &mut World, path: &str) -> EventId {
    world.see("view", Family::Read, path, &[path])
}

/// A search that found nothing, as narrow as is said.
fn nothing(world: &mut World, search: Absence) -> EventId {
    let mut draft = world.events[0].draft.clone();
    draft.event_type = "search".to_owned();
    draft.tool_family = Family::Read;
    draft.target.clone_from(&search.query);
    draft.evidence_class = Some(EvidenceClass::DirectSource);
    draft.outcome = "nothing_found".to_owned();
    draft.detail = Some(Box::new(Detail::Absent { search: Absence { files: 7, ..search } }));
    world.do_(Command::Observe(Box::new(draft))).unwrap().events[0].event_id.clone()
}

#[test]
fn a_read_alone_verifies_nothing_and_the_next_move_asks_what_it_shows() {
    let mut world = world();
    let seen = view(&mut world, "src/queue.rs");
    let claim = judge(&mut world, said("drain empties the queue", &[&seen], "", ""));
    assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence);
    assert!(
        claim.unsaid && claim.reason.contains("outcome") && claim.reason.contains("quote"),
        "{}",
        claim.reason
    );
    let next = world.next().next_move;
    assert_eq!(
        (next.tool, next.fill_in.as_slice()),
        (Some("mission_verify"), &["outcome", "quote"][..]),
        "{next:?}"
    );
    let again = |outcome: &str, quote: &str| Verify {
        claim_id: Some(claim.claim_id.clone()),
        text: None,
        ..said("", &[], outcome, quote)
    };
    for quote in ["while queue.len() > 0 {", "queue", "}"] {
        let judged = judge(&mut world, again("contradicts", quote));
        assert_eq!(judged.verdict, Verdict::NeedsDirectEvidence, "{quote}");
        assert!(judged.unsaid && judged.reason.contains("quote"), "{}", judged.reason);
    }
    let judged = judge(&mut world, again("contradicts", "2\t    while queue.len() > 1 {"));
    assert_eq!(judged.verdict, Verdict::Rejected);
    assert!(judged.reason.contains("src/queue.rs:2"), "{}", judged.reason);
    assert!(!judged.self_reported, "the runtime saw the line");
    let claim =
        judge(&mut world, said("drain stops at one", &[&seen], "supports", "while queue.len() > 1 {"));
    assert_eq!(claim.verdict, Verdict::VerifiedForMission);
    let bad = world.do_(Command::Verify(said("x", &[&seen], "read", "while queue.len() > 1 {")));
    assert!(matches!(bad, Err(MissionError::Invalid { .. })), "{bad:?}");
    let bad = world.do_(Command::Verify(said("x", &[&seen], "", "while queue.len() > 1 {")));
    assert!(matches!(bad, Err(MissionError::Invalid { .. })), "{bad:?}");
    assert!(chain::faults(&world.state.mission_id, &world.events).is_empty());
    assert_eq!(world.state.counters.files_read, 1);
    assert_eq!(
        (world.state.counters.tool_calls, world.state.counters.direct_evidence),
        (1, 1),
        "one look was made"
    );
}

#[test]
fn a_told_read_must_point_at_a_line_too() {
    let mut world = world();
    let mut tell = |quote: Option<&str>| {
        let telling = m1nd_mission::Telling {
            phase: "verify".to_owned(),
            event_type: "file_read".to_owned(),
            target: "src/queue.rs:1-3".to_owned(),
            evidence_class: Some(EvidenceClass::DirectSource),
            outcome: "hypothesis_supported".to_owned(),
            content_hash: world.files.get("src/queue.rs").cloned(),
            quote: quote.map(str::to_owned),
            ..m1nd_mission::Telling::default()
        };
        let done = world.do_(Command::Tell(telling)).unwrap();
        let event = done.events[0].event_id.clone();
        (judge(&mut world, said("drain stops at one", &[&event], "", "")).verdict, done.warnings.join(" "))
    };
    assert_eq!(tell(None).0, Verdict::NeedsDirectEvidence);
    let (verdict, warnings) = tell(Some("while queue.len() > 2 {"));
    assert_eq!(verdict, Verdict::NeedsDirectEvidence);
    assert!(warnings.contains("does not stand"), "{warnings}");
    assert_eq!(tell(Some("while queue.len() > 1 {")).0, Verdict::VerifiedForMission);
}

#[test]
fn a_change_alone_verifies_nothing() {
    let mut world = world();
    let edit = world.tell("edit", "src/queue.rs", EvidenceClass::Diff, "applied");
    let claim = judge(&mut world, said("drain is right now", &[&edit], "", ""));
    assert_eq!((claim.verdict, claim.unsaid), (Verdict::NeedsDirectEvidence, true), "{}", claim.reason);
}

#[test]
fn a_search_that_found_nothing_bears_out_no_more_than_it_searched() {
    let nowhere = |query: &str| Absence { query: query.to_owned(), ..Absence::default() };
    let wide = [
        (Absence { scope: Some("docs".to_owned()), ..nowhere("make_gadget") }, "make_gadget is nowhere"),
        (Absence { glob: Some("*.md".to_owned()), ..nowhere("make_gadget") }, "no code has make_gadget"),
        (Absence { case_sensitive: true, ..nowhere("gadget") }, "there is no gadget anywhere"),
        (nowhere("make_gadget"), "make_gadget is nowhere, so the queue is never drained"),
        (nowhere("make_gadget_zz"), "make_gadget is nowhere"),
        (
            Absence { scope: Some("docs".to_owned()), ..nowhere("make_gadget") },
            "src/queue.rs and docs have no make_gadget",
        ),
    ];
    for (search, text) in wide {
        let mut world = world();
        let event = nothing(&mut world, search);
        let claim = judge(&mut world, said(text, &[&event], "", ""));
        assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "{text}: {}", claim.reason);
    }
    let mut world = world();
    let event = nothing(&mut world, nowhere("make_gadget"));
    let claim = judge(&mut world, said("make_gadget is nowhere", &[&event], "", ""));
    assert_eq!(claim.verdict, Verdict::VerifiedForMission, "{}", claim.reason);
}

#[test]
fn what_was_found_does_not_show_that_it_is_nowhere() {
    let mut world = world();
    let found = world.see("search", Family::Read, "drain", &["src/queue.rs", "docs/guide.md"]);
    for text in [
        "drain is nowhere",
        "no code has drain",
        "nobody calls drain",
        "there is no drain",
        "drain is missing",
    ] {
        let claim = judge(&mut world, said(text, &[&found], "supports", "pub fn drain(queue: &mut Queue) {"));
        assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "{text}");
        assert!(claim.reason.contains("finds nothing"), "{}", claim.reason);
    }
    let text = "src/queue.rs does not define drain";
    let claim = judge(&mut world, said(text, &[&found], "supports", "while queue.len() > 1 {"));
    assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence);
    assert!(claim.reason.contains("src/queue.rs:1 has it"), "{}", claim.reason);
    let other = view(&mut world, "src/other.rs");
    let text = "src/other.rs does not define drain";
    let claim = judge(&mut world, said(text, &[&other], "supports", "let number_1 = 1;"));
    assert_eq!(claim.verdict, Verdict::VerifiedForMission, "{}", claim.reason);
}

#[test]
fn what_has_none_of_the_names_shows_nothing_of_them() {
    let mut world = world();
    let other = view(&mut world, "src/other.rs");
    let guide = view(&mut world, "docs/guide.md");
    for text in [
        "drain stops one job early",
        "`drain` stops early",
        "Queue::drain stops early",
        "drain() stops early",
    ] {
        for (event, quote) in [(&other, "let number_1 = 1;"), (&guide, "drain empties the queue.")] {
            let claim = judge(&mut world, said(text, &[event], "supports", quote));
            assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "{text}");
            assert_eq!(claim.look_at.as_deref(), Some("src/queue.rs:1"), "{text}");
        }
    }
    let claim = world.state.claims[0].claim_id.clone();
    let step = world.next().next_move;
    assert_eq!(step.tool, Some("view"), "{step:?}");
    assert!(step.arguments.unwrap()["file_path"].as_str().unwrap().starts_with("src/queue.rs"));
    let seen = view(&mut world, "src/queue.rs");
    let step = world.next().next_move;
    assert_eq!(
        (step.tool, &step.arguments.unwrap()["event_ids"][0]),
        (Some("mission_verify"), &seen.as_str().into())
    );
    let verify = Verify {
        claim_id: Some(claim),
        text: None,
        ..said("", &[&seen], "supports", "while queue.len() > 1 {")
    };
    assert_eq!(judge(&mut world, verify).verdict, Verdict::VerifiedForMission);
}

#[test]
fn a_claim_about_lines_rests_on_a_look_at_these_lines() {
    let mut world = world();
    let top = world.see("view", Family::Read, "src/other.rs:1-5", &["src/other.rs"]);
    let quote = "let number_3 = 3;";
    for text in [
        "src/other.rs:40 is wrong",
        "src/other.rs:999999 is wrong",
        "src/other.rs:4-9 is wrong",
        "line 40 is wrong",
    ] {
        let claim = judge(&mut world, said(text, &[&top], "supports", quote));
        assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "{text}");
        assert!(claim.reason.contains("line"), "{}", claim.reason);
    }
    let claim = judge(&mut world, said("src/other.rs:3 is wrong", &[&top], "supports", quote));
    assert_eq!(claim.verdict, Verdict::VerifiedForMission, "{}", claim.reason);
    let below = said("src/other.rs is wrong", &[&top], "supports", "let number_40 = 40;");
    assert_eq!(judge(&mut world, below).verdict, Verdict::NeedsDirectEvidence, "nobody was shown that line");
}

/// A view of some lines, as the runtime takes it down.
fn lines(world: &mut World, path: &str, first: u64, last: u64, total: u64) {
    let mut draft = world.events[0].draft.clone();
    draft.event_type = "view".to_owned();
    draft.tool_family = Family::Read;
    draft.target = format!("{path}:{first}-{last}");
    draft.evidence_class = Some(EvidenceClass::DirectSource);
    draft.outcome = "read".to_owned();
    draft.content_hash = world.files.get(path).cloned();
    draft.detail = Some(Box::new(Detail::Showed {
        parts: vec![Part::of(path, vec![(first, last)], total)],
        search: None,
    }));
    world.do_(Command::Observe(Box::new(draft))).unwrap();
}

fn found() -> World {
    let mut world = world();
    world.files.insert("examples/x.rs".to_owned(), "x".to_owned());
    let seen = view(&mut world, "src/queue.rs");
    let claim = judge(
        &mut world,
        said("drain returns one job early", &[&seen], "supports", "while queue.len() > 1 {"),
    );
    assert_eq!(claim.verdict, Verdict::VerifiedForMission);
    assert_eq!(world.gaps(), ["no_negative_space_sweep"]);
    world
}

#[test]
fn a_glance_is_no_sweep() {
    let mut world = found();
    lines(&mut world, "src/other.rs", 1, 1, 60);
    world.tell_in("sweep", "file_read", "src/other.rs:1", EvidenceClass::DirectSource, "read");
    for word in ["import", "returns", "job"] {
        world.see("search", Family::Read, word, &["examples/x.rs"]);
    }
    world.see("search", Family::Read, "returns", &["src/other.rs"]);
    nothing(&mut world, Absence { query: "zz error".to_owned(), ..Absence::default() });
    assert_eq!(world.gaps(), ["no_negative_space_sweep"]);
    lines(&mut world, "src/other.rs", 1, 30, 60);
    assert_eq!(world.gaps(), Vec::<String>::new());
}

#[test]
fn the_sweep_that_is_proposed_is_one_whether_it_finds_something_or_not() {
    for finds in [true, false] {
        let mut world = found();
        let next = world.next().next_move;
        let asked = next.arguments.unwrap();
        assert_eq!((next.tool, &asked["scope"]), (Some("search"), &"src/queue.rs".into()), "{asked}");
        let query = asked["query"].as_str().unwrap().to_owned();
        if finds {
            world.see("search", Family::Read, &query, &["src/queue.rs"]);
        } else {
            let scope = Some("src/queue.rs".to_owned());
            nothing(&mut world, Absence { query, regex: true, scope, ..Absence::default() });
        }
        assert_eq!(world.gaps(), Vec::<String>::new());
    }
}

#[test]
fn an_ingest_that_runs_is_waited_for() {
    let mut world = World::new(Mode::BugHunt, &[]);
    world.graph_is_empty = true;
    assert_eq!(world.next().next_move.tool, Some("ingest"));
    world.running_job = Some("job_1");
    let step = world.next().next_move;
    assert_eq!((step.tool, &step.arguments.unwrap()["job_id"]), (Some("job_status"), &"job_1".into()));
}

#[test]
fn a_release_of_which_the_review_found_nothing_is_not_reviewed() {
    let mut world = World::new(Mode::Release, &[]);
    let mut draft = world.events[0].draft.clone();
    draft.event_type = "review".to_owned();
    draft.tool_family = Family::Plan;
    draft.evidence_class = Some(EvidenceClass::Graph);
    draft.detail = Some(Box::new(Detail::Reviewed { changed_files: 0, files: Vec::new(), set: None }));
    world.do_(Command::Observe(Box::new(draft.clone()))).unwrap();
    assert_eq!(world.gaps()[0], "not_reviewed");
    assert_eq!(world.next().next_move.fill_in, ["base"]);
    draft.detail = Some(Box::new(Detail::Reviewed { changed_files: 2, files: Vec::new(), set: None }));
    world.do_(Command::Observe(Box::new(draft))).unwrap();
    assert_ne!(world.gaps()[0], "not_reviewed");
}

#[test]
fn a_packet_without_claims_rests_on_what_was_changed() {
    let mut world = World::new(Mode::Edit, &[]);
    view(&mut world, "src/a.rs");
    world.files.insert("src/a.rs".to_owned(), "h2".to_owned());
    let edit = world.tell("edit", "src/a.rs", EvidenceClass::Diff, "applied");
    let run = world.tell("test_run", "cargo test", EvidenceClass::TestRun, "passed");
    world.do_(Command::Close { force: false }).unwrap();
    let made = m1nd_mission::packet::of(&world.state, world.events.clone());
    let checked = m1nd_mission::packet::check(&m1nd_mission::packet::to_text(&made));
    assert!(checked.intact, "{checked:?}");
    assert_eq!(checked.anchors, [("src/a.rs".to_owned(), "h2".to_owned())]);
    let graph = serde_json::to_string(&made.evidence_graph).unwrap();
    for id in ["file:src/a.rs@h2", edit.as_str(), run.as_str(), "agent:ada"] {
        assert!(graph.contains(&format!("\"{id}\"")), "{id}: {graph}");
    }
}
