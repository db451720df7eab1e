//! A claim is held to the place, the number and the width that it names; and what failed was not done.

use m1nd_mission::{
    Absence, Command, EventId, EvidenceClass, Family, Mode, Part, Spot, Telling, Verdict, Verify, explain,
};

use crate::judged::{judge, searched, view, world_of};
use crate::world::World;

const QUEUE: &str = "fn drain(queue: &mut Queue) {\n    while queue.len() > 1 {\n        queue.pop();\n    }\n}\n\nfn run(queue: &mut Queue) {\n    let _held = queue.lock();\n    drain(queue);\n}\n";
const OTHER: &str = "fn idle(queue: &mut Queue) {\n    drain(queue);\n}\n";

fn world() -> World {
    world_of(
        &[
            ("src/queue.rs", QUEUE),
            ("src/other.rs", OTHER),
            ("ci/build.yml", "run: cargo test\n"),
            ("Makefile", "all: build\n"),
        ],
        &[("drain", "src/queue.rs:1-5"), ("run", "src/queue.rs:7-10"), ("idle", "src/other.rs:1-3")],
    )
}

/// A search by text that found lines, as the runtime takes it down, and what it finds.
fn search(world: &mut World, search: Absence, lines: &[(&str, u64, &str)]) -> EventId {
    let mut parts: Vec<Part> = Vec::new();
    for (path, ..) in lines {
        if !parts.iter().any(|part| part.path == *path) {
            let own = lines.iter().filter(|(one, ..)| one == path).map(|(_, line, _)| (*line, *line));
            parts.push(Part::of(path, own.collect(), 0));
        }
    }
    for (path, line, within) in lines {
        let spot = Spot {
            path: (*path).to_owned(),
            line: *line,
            within: vec![(*within).to_owned()],
            defines: *within == search.query.trim_end_matches('('),
        };
        world.spots.push((search.query.clone(), spot));
    }
    searched(world, Absence { files: 7, ..search }, parts)
}

fn query(text: &str) -> Absence {
    Absence { query: text.to_owned(), ..Absence::default() }
}

const CALLS: [(&str, u64, &str); 3] =
    [("src/other.rs", 2, "idle"), ("src/queue.rs", 1, "drain"), ("src/queue.rs", 9, "run")];

#[test]
fn a_line_of_another_place_than_the_claim_s_verifies_nothing() {
    let mut world = world();
    let (queue, other) = (view(&mut world, "src/queue.rs"), view(&mut world, "src/other.rs"));
    for (text, quote, said) in [
        ("src/other.rs stops at one job", "while queue.len() > 1 {", "claim is about src/other.rs"),
        ("src/queue.rs:3 stops at one job", "while queue.len() > 1 {", "claim is about line 3"),
        ("lines 7-10 of src/queue.rs stop at one", "while queue.len() > 1 {", "about lines 7-10"),
        ("`run` stops at one job", "while queue.len() > 1 {", "neither has run"),
        ("`idle` holds the lock", "let _held = queue.lock();", "neither has idle"),
        ("sessions leak under load", "while queue.len() > 1 {", "has a word of the claim"),
    ] {
        let claim = judge(&mut world, text, &[&queue, &other], quote);
        assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "{text}");
        assert!(claim.reason.contains(said) && claim.unsaid, "{text}: {}", claim.reason);
    }
    for (text, quote) in [
        ("src/queue.rs stops at one job", "while queue.len() > 1 {"),
        ("src/queue.rs:2 stops at one job", "while queue.len() > 1 {"),
        ("src/queue.rs:3 pops", "while queue.len() > 1 { queue.pop();"),
        ("`drain` stops at one job", "while queue.len() > 1 {"),
        ("`idle` calls drain", "drain(queue);"),
        ("the queue keeps its last job", "while queue.len() > 1 {"),
        ("src/other.rs:2 drains", "drain(queue);"),
    ] {
        let claim = judge(&mut world, text, &[&queue, &other], quote);
        assert_eq!(claim.verdict, Verdict::VerifiedForMission, "{text}: {}", claim.reason);
    }
    let told = Telling {
        phase: "verify".to_owned(),
        event_type: "file_read".to_owned(),
        target: "src/queue.rs".to_owned(),
        evidence_class: Some(EvidenceClass::DirectSource),
        outcome: "supports".to_owned(),
        content_hash: world.files.get("src/queue.rs").cloned(),
        quote: Some("while queue.len() > 1 {".to_owned()),
        ..Telling::default()
    };
    let told = world.do_(Command::Tell(told)).unwrap().events[0].event_id.clone();
    let claim = judge(&mut world, "src/queue.rs:9 stops at one job", &[&told], "");
    assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "{}", claim.reason);
}

#[test]
fn each_sentence_of_a_claim_needs_a_line_of_its_own() {
    let mut world = world();
    let queue = view(&mut world, "src/queue.rs");
    let text = "`drain` stops at one job. It pops in `drain` before that.";
    let claim = judge(&mut world, text, &[&queue], "while queue.len() > 1 {");
    assert_eq!((claim.verdict, claim.unsaid), (Verdict::NeedsDirectEvidence, true), "{}", claim.reason);
    let mut again = |quote: &str| {
        let verify = Verify {
            claim_id: Some(claim.claim_id.clone()),
            outcome: Some("supports".to_owned()),
            quote: Some(quote.to_owned()),
            ..Verify::default()
        };
        world.do_(Command::Verify(verify)).unwrap();
        world.state.claim(&claim.claim_id).unwrap().verdict
    };
    assert_eq!(again("while queue.len() > 1 {"), Verdict::NeedsDirectEvidence, "the same line");
    assert_eq!(again("queue.pop();"), Verdict::VerifiedForMission);
}

#[test]
fn one_place_does_not_show_what_is_said_of_all_or_of_a_number() {
    let mut world = world();
    let queue = view(&mut world, "src/queue.rs");
    for text in [
        "every loop of src/queue.rs stops at one",
        "all loops of src/queue.rs stop at one",
        "`drain` has exactly one loop",
        "`drain` has two callers",
        "nothing except src/queue.rs calls `drain`",
    ] {
        let claim = judge(&mut world, text, &[&queue], "while queue.len() > 1 {");
        assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "{text}");
        assert!(claim.reason.contains("one place does not show"), "{text}: {}", claim.reason);
    }
    // What is done always, whoever has read all of it knows.
    let part = world.see("view", Family::Read, "src/queue.rs:2-3", &["src/queue.rs"]);
    for text in [
        "`drain` only stops at one job",
        "`drain` always stops at one job",
        "`drain` never drops the last job",
    ] {
        let claim = judge(&mut world, text, &[&part], "while queue.len() > 1 {");
        assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "{text}");
        assert!(claim.reason.contains("only a part of that was shown"), "{text}: {}", claim.reason);
        let claim = judge(&mut world, text, &[&queue], "while queue.len() > 1 {");
        assert_eq!(claim.verdict, Verdict::VerifiedForMission, "{text}: {}", claim.reason);
    }
    let run = world.tell("test_run", "cargo test", EvidenceClass::TestRun, "passed");
    let claim = judge(&mut world, "every test passes", &[&run], "");
    assert_eq!(claim.verdict, Verdict::VerifiedForMission, "a run may be of all: {}", claim.reason);
    let claim =
        judge(&mut world, "src/queue.rs says \"> 1\", not \"all\"", &[&queue], "while queue.len() > 1 {");
    assert_eq!(claim.verdict, Verdict::VerifiedForMission, "what stands in quotes: {}", claim.reason);
}

#[test]
fn a_search_that_shows_every_place_bears_out_what_fits_it() {
    let mut world = world();
    let calls = search(&mut world, query("drain("), &CALLS);
    for (text, said) in [
        ("drain is only called by run", "is at src/other.rs:2, too"),
        ("every call of drain is in src/queue.rs", "is at src/other.rs:2, too"),
        ("drain has exactly one caller", "2 call it, in 2 files"),
        ("drain is called in five places", "2 call it, in 2 files"),
        ("drain is called in three files", "2 call it, in 2 files"),
        ("pop has exactly one caller", "the very name"),
    ] {
        let claim = judge(&mut world, text, &[&calls], "drain(queue);");
        assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "{text}");
        assert!(claim.reason.contains(said), "{text}: {}", claim.reason);
    }
    for text in [
        "drain is only called by run and by idle",
        "every call of drain is in src/queue.rs or src/other.rs",
        "every call of drain is in the src folder",
        "drain has exactly two callers",
        "drain is called in two files",
        "drain has at least two callers",
    ] {
        let claim = judge(&mut world, text, &[&calls], "drain(queue);");
        assert_eq!(claim.verdict, Verdict::VerifiedForMission, "{text}: {}", claim.reason);
    }
    let claim = judge(&mut world, "drain has precisely two callers", &[&calls], "");
    assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "what it shows must be said");
    let narrow = Absence { scope: Some("src/queue.rs".to_owned()), ..query("drain(") };
    let narrow = search(&mut world, narrow, &[]);
    let claim = judge(&mut world, "drain has only two callers", &[&narrow], "drain(queue);");
    assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "only a part was searched");
}

#[test]
fn a_count_that_is_another_one_now_is_stale() {
    let mut world = world();
    let calls = search(&mut world, query("drain("), &CALLS);
    let claim = judge(&mut world, "drain has exactly two callers", &[&calls], "drain(queue);");
    assert_eq!((claim.verdict, claim.counted[0].total), (Verdict::VerifiedForMission, 3), "{}", claim.reason);
    assert!(!world.gaps().contains(&"stale_evidence".to_owned()), "{:?}", world.gaps());
    let spot = Spot { path: "src/new.rs".to_owned(), line: 1, within: Vec::new(), defines: false };
    world.spots.push(("drain(".to_owned(), spot));
    assert!(world.gaps().contains(&"stale_evidence".to_owned()), "{:?}", world.gaps());
}

#[test]
fn what_is_said_to_be_lacking_is_held_against_the_place() {
    let mut world = world();
    let queue = view(&mut world, "src/queue.rs");
    for (text, said) in [
        ("run in src/queue.rs drains without a lock", "It denies lock, and src/queue.rs:8 has it"),
        ("src/queue.rs lacks locking", "It denies locking, and src/queue.rs:8 has it"),
        ("src/queue.rs:7-9 has no lock", "It denies lock, and src/queue.rs:8 has it"),
        ("run in src/queue.rs is missing a look by `drain`", "It denies drain, and src/queue.rs:9 has it"),
        ("jobs are drained without a lock", "and not where"),
    ] {
        let claim = judge(&mut world, text, &[&queue], "drain(queue);");
        assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "{text}");
        assert!(claim.reason.contains(said), "{text}: {}", claim.reason);
    }
    for (text, quote) in [
        ("drain in src/queue.rs pops without a lock", "while queue.len() > 1 {"),
        ("src/queue.rs:1-5 lacks locking", "while queue.len() > 1 {"),
        ("src/queue.rs has no timeout", "while queue.len() > 1 {"),
    ] {
        let claim = judge(&mut world, text, &[&queue], quote);
        assert_eq!(claim.verdict, Verdict::VerifiedForMission, "{text}: {}", claim.reason);
    }
}

#[test]
fn files_that_are_no_code_must_have_been_seen_and_must_be_there() {
    let mut world = world();
    world.files.insert("a/mod.rs".to_owned(), "m1".to_owned());
    world.files.insert("b/mod.rs".to_owned(), "m2".to_owned());
    let queue = view(&mut world, "src/queue.rs");
    for (text, said) in [
        ("build.yml runs drain", "It is about ci/build.yml"),
        ("the Makefile calls drain", "It is about Makefile"),
        ("mod.rs calls drain", "It is about a/mod.rs"),
        ("src/nope.rs calls drain", "there is no such file"),
    ] {
        let claim = judge(&mut world, text, &[&queue], "drain(queue);");
        assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "{text}");
        assert!(claim.reason.contains(said), "{text}: {}", claim.reason);
    }
    let build = view(&mut world, "ci/build.yml");
    let claim = judge(&mut world, "build.yml runs the tests", &[&build], "run: cargo test");
    assert_eq!(claim.verdict, Verdict::VerifiedForMission, "{}", claim.reason);
    let module = view(&mut world, "b/mod.rs");
    let claim = judge(&mut world, "mod.rs has a text", &[&module], "the whole text of b/mod.rs");
    assert_eq!(claim.verdict, Verdict::VerifiedForMission, "one of them: {}", claim.reason);
}

#[test]
fn a_call_that_was_refused_fulfils_nothing_and_is_not_asked_for_for_ever() {
    let mut world = World::new(Mode::Edit, &["src/a.rs"]);
    let plan = |world: &World| {
        let all = world.with(|situation| explain(&world.state, situation));
        all.into_iter().find(|need| need.need == "plan checked").unwrap()
    };
    let refuse = |world: &mut World| {
        let mut draft = world.events[0].draft.clone();
        draft.event_type = "validate_plan".to_owned();
        draft.tool_family = Family::Plan;
        draft.target = "actions".to_owned();
        draft.outcome = "failed".to_owned();
        draft.detail = None;
        world.do_(Command::Observe(Box::new(draft))).unwrap();
    };
    refuse(&mut world);
    assert_eq!((plan(&world).done, plan(&world).state), (false, "open"));
    refuse(&mut world);
    assert_eq!((plan(&world).done, plan(&world).state), (false, "skipped"), "nobody is held up by advice");
    world.see("validate_plan", Family::Plan, "actions", &[]);
    assert!(plan(&world).done);
}

#[test]
fn a_search_of_one_file_does_not_show_that_only_that_file_has_something() {
    let mut world = world();
    let narrow = Absence { scope: Some("src/queue.rs".to_owned()), ..query("drain") };
    let found = search(&mut world, narrow, &CALLS);
    let claim = judge(&mut world, "drain is used only in src/queue.rs", &[&found], "drain(queue);");
    assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "{}", claim.reason);
    assert!(claim.reason.contains("src/other.rs:2"), "{}", claim.reason);
    // Of a file alone it may speak.
    let text = "drain is used only in src/queue.rs and src/other.rs";
    let claim = judge(&mut world, text, &[&found], "drain(queue);");
    assert_eq!(claim.verdict, Verdict::VerifiedForMission, "{}", claim.reason);
}

#[test]
fn a_long_file_is_to_be_looked_at_where_the_claim_s_name_is_defined() {
    let mut world = world();
    let other = view(&mut world, "src/other.rs");
    world.names.push(("flush".to_owned(), "src/queue.rs:907-910".to_owned()));
    let text = "`flush` in src/queue.rs holds the lock\u{2019}s guard";
    let claim = judge(&mut world, text, &[&other], "drain(queue);");
    assert_eq!(claim.look_at.as_deref(), Some("src/queue.rs:907"), "{}", claim.reason);
}
