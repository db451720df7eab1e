//! What is plainly so by what was seen is verified at the first try, and what is plainly not so by that is refused, whatever
//! else is told beside it.

use m1nd_mission::{Absence, Command, EventId, EvidenceClass, Family, Part, Spot, State, Verdict};

use crate::judged::{judge, searched, view, world_of};
use crate::world::World;

const QUEUE: &str = "def drain(queue):\n    for job in queue:\n        if job.ready:\n            job.clear_cache()\n            send(job)\n\ndef idle(queue, limit):\n    try:\n        wait(queue)\n    except Exception:\n        pass\n\nCODECS = {\"UTF-8\": utf, \"SHA-512\": sha}\n";
const TESTS: &str = "def test_drain():\n    drain([])\n\ndef test_drain_all():\n    drain([1])\n";

fn world() -> World {
    world_of(
        &[("src/queue.py", QUEUE), ("tests/all.py", TESTS)],
        &[
            ("drain", "src/queue.py:1-5"),
            ("idle", "src/queue.py:7-11"),
            ("CODECS", "src/queue.py:13-14"),
            ("test_drain", "tests/all.py:1-2"),
        ],
    )
}

/// A search that shows every line of the files that has the word, also as a part of another.
fn search(world: &mut World, word: &str) -> EventId {
    let mut parts = Vec::new();
    for path in ["src/queue.py", "tests/all.py"] {
        let text = world.texts[path].clone();
        let has = (1_u64..).zip(text.lines()).filter(|(_, line)| line.contains(word)).map(|(line, _)| line);
        let lines: Vec<u64> = has.collect();
        for line in &lines {
            let spot = Spot { path: path.to_owned(), line: *line, within: Vec::new(), defines: false };
            world.spots.push((word.to_owned(), spot));
        }
        parts.push(Part::of(path, lines.iter().map(|line| (*line, *line)).collect(), 0));
    }
    searched(world, Absence { query: word.to_owned(), files: 2, ..Absence::default() }, parts)
}

#[test]
fn what_a_search_did_not_find_is_not_there_whoever_tells_so() {
    for (class, outcome) in [(EvidenceClass::TestRun, "passed"), (EvidenceClass::Human, "confirmed")] {
        for text in [
            "make_gadget exists",
            "make_gadget is defined in the queue",
            "drain calls make_gadget",
            "drain works because of `make_gadget`",
        ] {
            let mut world = world();
            let nothing = world.seek_nothing("make_gadget");
            let told = world.tell("told", "pytest", class, outcome);
            let claim = judge(&mut world, text, &[&nothing, &told], "");
            assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "{text}: {}", claim.reason);
            let claim = judge(&mut world, "the queue is empty in the end", &[&nothing, &told], "");
            assert_eq!(claim.verdict, Verdict::VerifiedForMission, "{}", claim.reason);
        }
        // Nor does it count that something is called of which the search finds only the definition.
        let mut world = world();
        let found = search(&mut world, "idle");
        let told = world.tell("told", "pytest", class, outcome);
        let claim = judge(&mut world, "idle is called by the scheduler", &[&found, &told], "");
        assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "{}", claim.reason);
    }
}

#[test]
fn a_denial_is_not_shown_by_the_line_that_has_it() {
    for text in [
        "drain fails to call send",
        "drain does not call send",
        "drain never calls send",
        "drain skips send",
        "drain bypasses send",
        "drain never clears the cache",
        "drain does not clear the cache",
        "the job is drained without calling send",
        "CODECS does not support SHA-512",
        "drain does without `if`",
        "idle has no `except` clause",
    ] {
        let mut world = world();
        let seen = view(&mut world, "src/queue.py");
        let quote = match text {
            "CODECS does not support SHA-512" => "CODECS = {\"UTF-8\": utf",
            "idle has no `except` clause" => "wait(queue)",
            _ => "send(job)",
        };
        let claim = judge(&mut world, text, &[&seen], quote);
        assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "{text}: {}", claim.reason);
    }
}

#[test]
fn what_a_reviewer_says_of_code_that_was_read_is_verified_at_once() {
    for (text, quote) in [
        ("drain does not call send when the job is not ready", "if job.ready:"),
        ("drain skips jobs that are not ready", "if job.ready:"),
        ("send is not called when the job is not ready", "if job.ready:"),
        ("drain never checks that the queue is a list", "for job in queue:"),
        ("drain does not check for an empty queue", "for job in queue:"),
        ("drain is missing a lock around clear_cache", "job.clear_cache()"),
        ("idle swallows every exception", "except Exception:"),
        ("idle ignores limit", "def idle(queue, limit):"),
        ("idle has no timeout for the wait", "wait(queue)"),
        ("idle has no limit for jobs", "wait(queue)"),
        ("idle always waits for the queue", "wait(queue)"),
        ("drain clears the cache only if the job is ready", "if job.ready:"),
        ("idle takes two arguments", "def idle(queue, limit):"),
        ("drain never returns a list", "for job in queue:"),
        ("`CODECS` does not support UTF-16", "CODECS = {\"UTF-8\": utf"),
    ] {
        let mut world = world();
        let seen = view(&mut world, "src/queue.py");
        let claim = judge(&mut world, text, &[&seen], quote);
        assert_eq!(claim.verdict, Verdict::VerifiedForMission, "{text}: {}", claim.reason);
    }
}

#[test]
fn a_name_that_contains_another_is_no_use_of_it() {
    for (text, is_true) in [
        ("drain is called in 2 places", true),
        ("drain is called in 4 places", false),
        ("drain is called twice", true),
        ("drain is used in 3 lines", true),
        ("drain is used in 5 lines", false),
    ] {
        let mut world = world();
        let found = search(&mut world, "drain");
        let claim = judge(&mut world, text, &[&found], "drain([1])");
        let wanted = if is_true { Verdict::VerifiedForMission } else { Verdict::NeedsDirectEvidence };
        assert_eq!(claim.verdict, wanted, "{text}: {}", claim.reason);
    }
    let mut world = world();
    world.texts.insert("tests/all.py".to_owned(), "def test_idle():\n    pass\n".to_owned());
    let found = search(&mut world, "idle");
    let claim = judge(&mut world, "idle is never called", &[&found], "def idle(queue, limit):");
    assert_eq!(claim.verdict, Verdict::VerifiedForMission, "{}", claim.reason);
}

#[test]
fn numbers_in_words_are_held_like_those_in_digits() {
    for text in [
        "drain is called in nine places",
        "drain is called in a dozen places",
        "drain is called in half a dozen files",
        "drain is called in a couple of files",
        "drain is called in thirteen places",
        "there are nine codecs",
        "there are 9 codecs",
        "both drain and idle clear the cache",
    ] {
        let mut world = world();
        let seen = view(&mut world, "src/queue.py");
        let claim = judge(&mut world, text, &[&seen], "def drain(queue):");
        assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "{text}: {}", claim.reason);
    }
    // A line of each is enough for both.
    let mut world = world();
    let seen = view(&mut world, "src/queue.py");
    let text = "both drain and idle take a queue";
    let first = judge(&mut world, text, &[&seen], "def drain(queue):");
    assert_eq!(first.verdict, Verdict::NeedsDirectEvidence, "{}", first.reason);
    assert!(first.reason.contains("a line of each"), "{}", first.reason);
    let both = judge(&mut world, text, &[&seen], "def idle(queue, limit):");
    assert_eq!(
        (both.claim_id, both.verdict),
        (first.claim_id, Verdict::VerifiedForMission),
        "{}",
        both.reason
    );
}

#[test]
fn a_command_that_asks_the_graph_is_what_the_graph_says() {
    for target in [
        "m1nd impact drain",
        "/opt/bin/m1nd call seek --query drain",
        "cd src && m1nd seek drain",
        "seek drain",
    ] {
        for class in [EvidenceClass::TestRun, EvidenceClass::RuntimeProbe, EvidenceClass::Compiler] {
            let mut world = world();
            let told = world.tell("command", target, class, "passed");
            let claim = judge(&mut world, "the queue is empty in the end", &[&told], "");
            assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "{target}: {}", claim.reason);
            assert!(claim.reason.contains("indirect evidence alone (graph)"), "{}", claim.reason);
        }
    }
    for target in ["pytest -k seek", "cargo test impact::finds_all", "make audit"] {
        let mut world = world();
        let told = world.tell("command", target, EvidenceClass::TestRun, "passed");
        let claim = judge(&mut world, "the queue is empty in the end", &[&told], "");
        assert_eq!(claim.verdict, Verdict::VerifiedForMission, "{target}: {}", claim.reason);
    }
}

#[test]
fn a_claim_rests_on_what_decides_it_and_on_nothing_that_was_refused() {
    let mut world = world();
    let (queue, tests) = (view(&mut world, "src/queue.py"), view(&mut world, "tests/all.py"));
    let text = "`drain` sends each job that is ready";
    let refused = judge(&mut world, text, &[&tests], "no such line is there");
    assert_eq!(refused.verdict, Verdict::NeedsDirectEvidence);
    assert!(refused.rests_on.is_empty(), "{:?}", refused.rests_on);
    let claim = judge(&mut world, text, &[&queue], "send(job)");
    assert_eq!(claim.verdict, Verdict::VerifiedForMission, "{}", claim.reason);
    let files: Vec<&str> = claim.rests_on.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(files, ["src/queue.py"], "the file of the citation that was refused is none");
    world.files.insert("tests/all.py".to_owned(), "changed".to_owned());
    assert!(!world.gaps().contains(&"stale_evidence".to_owned()), "{:?}", world.gaps());
}

#[test]
fn the_same_claim_made_again_is_the_same_claim() {
    let mut world = world();
    let seen = view(&mut world, "src/queue.py");
    let claim = judge(&mut world, "drain sends jobs that are ready", &[&seen], "send(job)");
    assert_eq!(claim.verdict, Verdict::VerifiedForMission, "{}", claim.reason);
    let again =
        Command::Claim { text: "Drain sends jobs, that are ready.".to_owned(), event_ids: Vec::new() };
    let done = world.do_(again).unwrap();
    assert_eq!(done.claim, Some(claim.claim_id.clone()));
    assert!(done.warnings[0].contains("clm_1 (verified_for_mission) says the same"), "{:?}", done.warnings);
    assert_eq!(world.state.claims, std::slice::from_ref(&claim), "it keeps its verdict and what it rests on");
    let judged = judge(&mut world, "drain sends jobs that are ready", &[&seen], "send(job)");
    assert_eq!((judged.claim_id, world.state.claims.len()), (claim.claim_id, 1));
    let open = Command::Claim { text: "idle waits".to_owned(), event_ids: Vec::new() };
    let open = world.do_(open).unwrap().claim.unwrap();
    let more = Command::Claim { text: "idle waits".to_owned(), event_ids: vec![seen.clone()] };
    assert_eq!(world.do_(more).unwrap().claim, Some(open.clone()));
    assert_eq!(world.state.claim(&open).unwrap().event_ids, [seen], "an open one rests on more");
    assert_eq!(State::of(&world.events).unwrap(), world.state, "the events say so, too");
}

#[test]
fn a_refusal_says_where_to_look() {
    let mut world = world();
    let part = world.see("view", Family::Read, "src/queue.py:1-5", &["src/queue.py"]);
    let claim = judge(&mut world, "idle waits for the queue", &[&part], "wait(queue)");
    assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence);
    assert_eq!(claim.look_at.as_deref(), Some("src/queue.py:9"), "{}", claim.reason);
    assert!(claim.reason.contains("src/queue.py:9, which nothing that it cites shows"), "{}", claim.reason);
    let found = search(&mut world, "clear_cache");
    let claim = judge(&mut world, "clear_cache is nowhere", &[&found], "");
    assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence);
    assert!(claim.reason.contains("finds \"clear_cache\" at src/queue.py:4"), "{}", claim.reason);
}

#[test]
fn a_line_that_nothing_cited_shows_is_looked_at_before_the_claim_is_judged_again() {
    let mut world = world();
    let part = world.see("view", Family::Read, "src/queue.py:1-5", &["src/queue.py"]);
    let claim = judge(&mut world, "src/queue.py waits for its queue", &[&part], "wait(queue)");
    assert!(claim.unsaid && claim.look_at.is_some(), "{}", claim.reason);
    let next = world.next().next_move;
    assert_eq!((next.tool, next.target().as_deref()), (Some("view"), Some("src/queue.py:1-79")));
    let beyond = world.see("view", Family::Read, "src/queue.py:1-79", &["src/queue.py"]);
    let next = world.next().next_move;
    assert_eq!((next.tool, &next.fill_in[..]), (Some("mission_verify"), &["outcome", "quote"][..]));
    assert_eq!(next.arguments.unwrap()["event_ids"][0], beyond.as_str());
}

const COUNTER: &str = "struct Counter {\n    count: u64,\n}\n\nimpl Write for Counter {\n    fn write(&mut self) -> Option<u64> {\n        self.flush_now();\n        self.count += 1;\n        return None;\n    }\n    fn write_all(&mut self) {\n        self.flush_now();\n    }\n}\n";

#[test]
fn what_stands_below_the_head_of_a_type_is_of_that_type() {
    let world = || {
        let mut world = world();
        world.files.insert("src/counter.rs".to_owned(), "h9".to_owned());
        world.texts.insert("src/counter.rs".to_owned(), COUNTER.to_owned());
        for (name, place) in
            [("Counter", "1-3"), ("write", "6-10"), ("write_all", "11-13"), ("flush_now", "20-21")]
        {
            world.names.push((name.to_owned(), format!("src/counter.rs:{place}")));
        }
        world
    };
    for (text, quote, is_true) in [
        ("`Counter` counts what was flushed", "self.count += 1;", true),
        ("`Counter` has no lock around count", "self.count += 1;", true),
        ("Both `write` and `write_all` flush first", "self.flush_now();", true),
        ("Both `write` and `write_all` count", "self.count += 1;", false),
        ("`write` never returns None", "self.count += 1;", false),
        ("`write` calls drain_all", "self.count += 1;", false),
        ("drain_all is called by `write`", "self.count += 1;", false),
        ("flush_now is called by `write`", "self.count += 1;", true),
    ] {
        let mut world = world();
        let seen = world.see("view", Family::Read, "src/counter.rs", &["src/counter.rs"]);
        let claim = judge(&mut world, text, &[&seen], quote);
        let wanted = if is_true { Verdict::VerifiedForMission } else { Verdict::NeedsDirectEvidence };
        assert_eq!(claim.verdict, wanted, "{text}: {}", claim.reason);
    }
}
