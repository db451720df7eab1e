//! Other words for denials and numbers, and words of runs and persons against what the runtime found: each rule refuses what is
//! false and verifies what is true.

use m1nd_mission::{Absence, EventId, EvidenceClass, Family, Part, Spot, Verdict};

use crate::judged::{judge, searched, world_of};
use crate::world::World;

const QUEUE: &str = "def drain(queue):\n    queue.pop()\n\ndef flush(queue):\n    queue.clear()\n";
const RUN: &str = "from queue import drain, flush\n\ndef run(queue):\n    drain(queue)  # not flush(queue)\n\ndef idle(queue):\n    drain(queue)\n    log(\"drain(queue)\")\n";

fn world() -> World {
    world_of(
        &[("src/queue.py", QUEUE), ("src/run.py", RUN)],
        &[
            ("drain", "src/queue.py:1-2"),
            ("flush", "src/queue.py:4-5"),
            ("run", "src/run.py:3-4"),
            ("idle", "src/run.py:6-8"),
        ],
    )
}

/// A search for a name, which finds every line of the files that has it.
fn search(world: &mut World, name: &str) -> EventId {
    let mut parts = Vec::new();
    for path in ["src/queue.py", "src/run.py"] {
        let text = world.texts[path].clone();
        let mut lines = Vec::new();
        for (line, said) in (1_u64..).zip(text.lines()).filter(|(_, said)| said.contains(name)) {
            let within = match (path, line) {
                ("src/run.py", 3..=4) => vec!["run".to_owned()],
                ("src/run.py", 6..=8) => vec!["idle".to_owned()],
                _ => Vec::new(),
            };
            let defines = said.starts_with(&format!("def {name}"));
            world.spots.push((name.to_owned(), Spot { path: path.to_owned(), line, within, defines }));
            lines.push((line, line));
        }
        parts.push(Part::of(path, lines, 0));
    }
    searched(world, Absence { query: name.to_owned(), files: 2, ..Absence::default() }, parts)
}

#[test]
fn imports_comments_and_texts_are_no_calls_however_the_number_is_said() {
    for (text, is_true) in [
        ("drain is called in 2 places", true),
        ("drain is called in 3 places", false),
        ("drain is called twice", true),
        ("drain is called three times", false),
        ("drain is called at least twice", true),
        ("drain is called at least three times", false),
        ("drain has a pair of callers", true),
        ("drain has a single caller", false),
        ("drain has at most two callers", true),
        ("drain has at most one caller", false),
        ("both callers of drain pass the queue", true),
        ("drain is called by two functions in 1 file", true),
        ("drain is called by functions in 2 files", false),
        ("run and idle are the only callers of drain", true),
        ("run is the sole caller of drain", false),
        ("drain is exclusively called by run and idle", true),
        ("drain is solely called by run", false),
        ("no other function than run and idle calls drain", true),
        ("no other function than run calls drain", false),
        ("every call of drain is in run or idle", true),
        ("each call of drain is in run", false),
        ("drain is imported in 1 place", true),
        ("drain is imported in 2 places", false),
    ] {
        let mut world = world();
        let found = search(&mut world, "drain");
        let claim = judge(&mut world, text, &[&found], "drain(queue)  # not flush(queue)");
        let wanted = if is_true { Verdict::VerifiedForMission } else { Verdict::NeedsDirectEvidence };
        assert_eq!(claim.verdict, wanted, "{text}: {}", claim.reason);
        assert!(!claim.reason.is_empty(), "{text}");
    }
}

#[test]
fn what_is_only_defined_imported_and_spoken_of_is_unused_by_any_word() {
    for words in [
        "nobody calls NAME",
        "NAME is never called",
        "NAME isn't called",
        "NAME is no longer called",
        "NAME is unused",
        "NAME is dead code",
        "NAME is not referenced",
        "no one calls NAME",
    ] {
        for (name, is_true) in [("flush", true), ("drain", false)] {
            let mut world = world();
            let found = search(&mut world, name);
            let text = words.replace("NAME", name);
            let claim = judge(&mut world, &text, &[&found], &format!("def {name}(queue):"));
            let wanted = if is_true { Verdict::VerifiedForMission } else { Verdict::NeedsDirectEvidence };
            assert_eq!(claim.verdict, wanted, "{text}: {}", claim.reason);
        }
    }
}

#[test]
fn a_run_that_is_told_overrides_neither_a_search_nor_the_text() {
    let mut world = world();
    world.see("view", Family::Read, "src/run.py", &["src/run.py"]);
    let found = search(&mut world, "drain");
    let run = world.tell("test_run", "pytest", EvidenceClass::TestRun, "passed");
    for text in [
        "drain is called three times",
        "nobody calls drain",
        "drain is unused",
        "run is the sole caller of drain",
    ] {
        let claim = judge(&mut world, text, &[&found, &run], "");
        assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "{text}: {}", claim.reason);
    }
    for text in ["nobody calls drain", "run in src/run.py never calls drain", "src/run.py lacks drain"] {
        let claim = judge(&mut world, text, &[&run], "");
        assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "{text}: {}", claim.reason);
    }
    // A run shows no line of the files that it ran with.
    let claim = judge(&mut world, "src/run.py:7 loses a job", &[&run], "");
    assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "{}", claim.reason);
    for text in ["the queue is empty in the end", "run in src/run.py never calls flush", "every test passes"]
    {
        let claim = judge(&mut world, text, &[&run], "");
        assert_eq!(
            (claim.verdict, claim.self_reported),
            (Verdict::VerifiedForMission, true),
            "{text}: {}",
            claim.reason
        );
    }
    // Nor does one take back what the runtime found.
    let against = world.tell("test_run", "pytest other", EvidenceClass::TestRun, "refuted");
    let claim =
        judge(&mut world, "drain is called twice", &[&found, &against], "drain(queue)  # not flush(queue)");
    assert_eq!(claim.verdict, Verdict::VerifiedForMission, "{}", claim.reason);
    let nothing = world.seek_nothing("make_gadget");
    let claim = judge(&mut world, "no code has make_gadget", &[&nothing, &against], "");
    assert_eq!(claim.verdict, Verdict::VerifiedForMission, "{}", claim.reason);
    let claim = judge(&mut world, "the queue is empty in the end, too", &[&against], "");
    assert_eq!(claim.verdict, Verdict::Rejected, "{}", claim.reason);
}

#[test]
fn a_person_s_review_carries_a_claim_unless_what_was_observed_contradicts_it() {
    let mut world = world();
    let review = world.tell("review", "src/queue.py", EvidenceClass::Human, "approved");
    assert_eq!(world.state.counters.told_evidence, 1);
    let claim = judge(&mut world, "src/queue.py is right", &[&review], "");
    assert_eq!((claim.verdict, claim.self_reported), (Verdict::VerifiedForMission, true), "{}", claim.reason);
    let found = search(&mut world, "drain");
    let claim = judge(&mut world, "drain is called three times", &[&review, &found], "");
    assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "{}", claim.reason);
    let against = world.tell("code_review", "src/run.py", EvidenceClass::Human, "rejected");
    let claim = judge(&mut world, "src/run.py is right", &[&against], "");
    assert_eq!(claim.verdict, Verdict::Rejected, "{}", claim.reason);
}

#[test]
fn a_plain_word_that_code_has_too_is_a_word() {
    let world = || {
        let mut world = world();
        for (name, place) in [("get", "src/queue.py:1-2"), ("name", "src/queue.py:4-5")] {
            world.names.push((name.to_owned(), place.to_owned()));
        }
        let view = world.see("view", Family::Read, "src/run.py", &["src/run.py"]);
        (world, view)
    };
    // Nothing of what was shown has these names, and the sentences speak of none of them.
    for text in [
        "jobs get lost when the queue stops",
        "the name of the queue is logged",
        "an idle queue is drained to get a job",
        "get requests are drained from the queue",
    ] {
        let (mut world, view) = world();
        let claim = judge(&mut world, text, &[&view], "    log(\"drain(queue)\")");
        assert_eq!(claim.verdict, Verdict::VerifiedForMission, "{text}: {}", claim.reason);
    }
    for text in [
        "get loses a job of the queue",
        "`get` loses a job",
        "callers of get lose a job",
        "the get function waits",
    ] {
        let (mut world, view) = world();
        let claim = judge(&mut world, text, &[&view], "    log(\"drain(queue)\")");
        assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "{text}: {}", claim.reason);
        assert!(claim.reason.contains("It is about get"), "{text}: {}", claim.reason);
    }
}
