//! A line that gives what a claim names another value does not verify it; whatever cannot be compared is judged as before.

use m1nd_mission::{EventId, EvidenceClass, Verdict};

use crate::judged::{judge, view, world_of};
use crate::world::World;

const CLIENT: &str = "def connect(host, verify=False, retries=3):\n    timeout = 10\n    limit = 1_000\n    wait = timeout * 2\n    if not host:\n        return 0\n    timeout = 10\n    other(timeout=5)\n";

fn world() -> (World, EventId) {
    let mut world = world_of(&[("src/client.py", CLIENT)], &[("connect", "src/client.py:1-8")]);
    let view = view(&mut world, "src/client.py");
    (world, view)
}

#[test]
fn a_quoted_line_with_another_value_verifies_nothing() {
    for (text, quote, has) in [
        ("verify of connect defaults to True", "def connect(host, verify=False, retries=3):", "has False"),
        ("verify defaults to True in src/client.py", "verify=False, retries=3", "has False"),
        ("timeout is 5 in src/client.py", "    timeout = 10", "has 10"),
        ("`connect` returns None", "        return 0", "has 0"),
    ] {
        let (mut world, view) = world();
        let claim = judge(&mut world, text, &[&view], quote);
        assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "{text}: {}", claim.reason);
        assert!(claim.reason.contains(has) && claim.unsaid, "{text}: {}", claim.reason);
    }
    for (text, quote) in [
        ("verify of connect defaults to False", "def connect(host, verify=False, retries=3):"),
        ("retries of `connect` is 3", "def connect(host, verify=False, retries=3):"),
        ("timeout is 10 in src/client.py", "    timeout = 10"),
        ("limit is 1000 in src/client.py", "    limit = 1_000"),
        ("wait is 20 in src/client.py", "    wait = timeout * 2"),
        ("`connect` returns 0 for an empty host", "        return 0"),
    ] {
        let (mut world, view) = world();
        let claim = judge(&mut world, text, &[&view], quote);
        assert_eq!(claim.verdict, Verdict::VerifiedForMission, "{text}: {}", claim.reason);
    }
}

#[test]
fn a_run_does_not_make_up_for_another_value_and_a_line_that_has_it_does() {
    let (mut world, view) = world();
    let run = world.tell("test_run", "pytest", EvidenceClass::TestRun, "passed");
    let text = "timeout is 5 in src/client.py";
    let claim = judge(&mut world, text, &[&view, &run], "    timeout = 10");
    assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "{}", claim.reason);
    // The line of another place is cited still; what counts is that one shows it.
    let claim = judge(&mut world, text, &[&view], "    other(timeout=5)");
    assert_eq!(claim.verdict, Verdict::VerifiedForMission, "{}", claim.reason);
}
