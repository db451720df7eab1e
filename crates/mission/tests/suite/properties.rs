//! Random missions: the state is what the events come to, at every event, and survives being written down.

use m1nd_mission::{Command, EventId, EvidenceClass, Mode, State, Telling, Verify, chain};
use proptest::prelude::*;

use crate::world::World;

#[derive(Clone, Debug)]
enum Act {
    Tell { kind: u8, target: u8, class: u8, outcome: u8 },
    Edit(u8),
    Claim(u8),
    Verify { claim: u8, events: Vec<u8> },
    HandOff,
    Close(bool),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        6 => (0..5u8, 0..4u8, 0..9u8, 0..6u8)
            .prop_map(|(kind, target, class, outcome)| Act::Tell { kind, target, class, outcome }),
        1 => (0..4u8).prop_map(Act::Edit),
        2 => (0..9u8).prop_map(Act::Claim),
        2 => (0..4u8, prop::collection::vec(0..20u8, 0..4)).prop_map(|(claim, events)| Act::Verify { claim, events }),
        1 => Just(Act::HandOff),
        1 => any::<bool>().prop_map(Act::Close),
    ]
}

fn play(world: &mut World, act: &Act) {
    let event = |world: &World, at: u8| {
        EventId::new(&world.state.mission_id, u64::from(at) % world.state.sequence + 1)
    };
    let command = match act {
        Act::Edit(file) => {
            let hash = format!("h{}", world.events.len());
            world.files.insert(format!("src/{file}.rs"), hash);
            return;
        }
        Act::Tell { kind, target, class, outcome } => {
            let target = format!("src/{target}.rs");
            Command::Tell(Telling {
                phase: ["orient", "verify", "sweep"][usize::from(kind % 3)].to_owned(),
                event_type: ["seek", "file_read", "test_run", "edit", "thought"][usize::from(*kind)]
                    .to_owned(),
                content_hash: world.files.get(&target).cloned(),
                target,
                evidence_class: Some(EvidenceClass::ALL[usize::from(*class)]),
                outcome: ["found", "read", "hypothesis_rejected", "dead_path", "blocked", "passed"]
                    [usize::from(*outcome)]
                .to_owned(),
                agent_confidence: Some(f64::from(*outcome) / 7.0),
                ..Telling::default()
            })
        }
        Act::Claim(at) => Command::Claim { text: format!("claim {at}"), event_ids: vec![event(world, *at)] },
        Act::Verify { claim, events } => {
            let claim = world.state.claims.get(usize::from(*claim)).map(|claim| claim.claim_id.clone());
            Command::Verify(Verify {
                text: claim.is_none().then(|| "new".to_owned()),
                claim_id: claim,
                event_ids: events.iter().map(|at| event(world, *at)).collect(),
                evidence: vec![],
                ..Verify::default()
            })
        }
        Act::HandOff => Command::HandOff(serde_json::json!({"summary": "x"})),
        Act::Close(force) => Command::Close { force: *force },
    };
    // Refusals are part of a history; they must leave nothing behind, which the comparison shows.
    world.do_(command).ok();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_state_is_what_the_events_come_to(mode in 0..7usize, acts in prop::collection::vec(act(), 1..40)) {
        let mut world = World::new(Mode::ALL[mode], &["src/0.rs"]);
        for act in &acts {
            play(&mut world, act);
            // Advice exists whatever happened, and is the same for the same state.
            prop_assert_eq!(world.next(), world.next());
        }
        let text = serde_json::to_string(&world.events).unwrap();
        let events: Vec<m1nd_mission::Event> = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(chain::faults(&world.state.mission_id, &events), Vec::<String>::new());
        prop_assert_eq!(State::of(&events).unwrap(), world.state.clone());
        let kept: State = serde_json::from_str(&serde_json::to_string(&world.state).unwrap()).unwrap();
        prop_assert_eq!(kept, world.state.clone());
        for claim in &world.state.claims {
            let direct = claim.event_ids.iter().any(|id| {
                let event = &events[usize::try_from(id.sequence()).unwrap() - 1];
                event.draft.evidence_class.is_some_and(EvidenceClass::is_direct)
            });
            prop_assert!(claim.verdict != m1nd_mission::Verdict::VerifiedForMission || direct);
        }
    }
}
