//! Whoever does what is proposed never acts against what is advised, however often it comes to nothing.

use m1nd_mission::{Command, Detail, EvidenceClass, Family, Mode, Telling};

use crate::world::World;

const MODES: [Mode; 7] = [
    Mode::BugHunt,
    Mode::Review,
    Mode::Refactor,
    Mode::DocsDrift,
    Mode::Release,
    Mode::Orientation,
    Mode::Edit,
];

/// Does what is proposed, and nothing comes of it; what was said against that, and the step.
fn obey(world: &mut World) -> (Vec<String>, String) {
    let next = world.next();
    let step = &next.next_move;
    let target = step.target().unwrap_or_else(|| ".".to_owned());
    for no in &next.do_not {
        let is_kind = no.target.is_none() && no.tool_family == Some(step.tool_family);
        let is_target = no.target.as_ref().is_some_and(|barred| step.target().as_ref() == Some(barred));
        assert!(!is_kind && !is_target, "{step:?} is barred by {no:?}");
    }
    let said = format!("{:?} {target}", step.tool);
    let Some(tool) = step.tool.filter(|tool| !tool.starts_with("mission_")) else {
        return (Vec::new(), said);
    };
    let mut draft = world.events[0].draft.clone();
    draft.event_type = tool.to_owned();
    draft.tool_family = step.tool_family;
    draft.target = target;
    draft.asked = step.arguments.as_ref().map(ToString::to_string);
    draft.evidence_class = None;
    draft.outcome = "failed".to_owned();
    draft.detail = (tool == "review")
        .then(|| Box::new(Detail::Reviewed { changed_files: 0, files: Vec::new(), set: None }));
    let done = world.do_(Command::Observe(Box::new(draft))).unwrap();
    (done.warnings, said)
}

#[test]
fn what_is_proposed_is_never_what_is_advised_against() {
    for mode in MODES {
        for known in [&[][..], &["src/a.rs"]] {
            let mut world = World::new(mode, known);
            for round in 0..24 {
                let (warnings, said) = obey(&mut world);
                let dissent = warnings.iter().find(|said| said.starts_with("Dissent"));
                assert_eq!(dissent, None, "{mode:?} {known:?} round {round}: {said}");
            }
        }
    }
}

#[test]
fn a_review_without_a_change_set_reads_what_is_known() {
    let mut world = World::new(Mode::Review, &["src/a.rs"]);
    let steps: Vec<String> = (0..6).map(|_| obey(&mut world).1).collect();
    assert!(steps.iter().any(|said| said.contains("view") && said.contains("src/a.rs")), "{steps:?}");
    assert!(steps.iter().filter(|said| said.contains("review")).count() < 4, "{steps:?}");
}

#[test]
fn after_a_run_that_failed_it_is_mended_before_it_is_run_again() {
    for mode in [Mode::Refactor, Mode::Edit, Mode::Release] {
        let mut world = World::new(mode, &[]);
        world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
        world.see("impact", Family::Relate, "src/a.rs", &[]);
        if mode == Mode::Release {
            world.tell("diff", "HEAD~1..HEAD", EvidenceClass::Diff, "read");
        } else {
            world.files.insert("src/a.rs".to_owned(), "h2".to_owned());
            world.tell("edit", "src/a.rs", EvidenceClass::Diff, "applied");
            world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
        }
        world.tell("test_run", "go test ./...", EvidenceClass::TestRun, "failed");
        let why = world.next().next_move.why;
        if mode != Mode::Release {
            assert!(why.contains("go test ./...") && why.contains("mend"), "{mode:?}: {why}");
        }
        world.files.insert("src/a.rs".to_owned(), "h3".to_owned());
        world.tell("edit", "src/a.rs", EvidenceClass::Diff, "applied");
        world.see("view", Family::Read, "src/a.rs", &["src/a.rs"]);
        let why = world.next().next_move.why;
        assert!(!why.contains("mend what it shows"), "{mode:?}: {why}");
        let passed = Telling {
            phase: "verify".to_owned(),
            event_type: "test_run".to_owned(),
            target: "go test ./...".to_owned(),
            evidence_class: Some(EvidenceClass::TestRun),
            outcome: "passed".to_owned(),
            ..Telling::default()
        };
        world.do_(Command::Tell(passed)).unwrap();
        assert!(!world.gaps().contains(&"not_tested".to_owned()), "{mode:?}: {:?}", world.gaps());
    }
}
