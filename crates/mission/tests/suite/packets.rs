//! Proof packets: checked without the machine they were made on.

use m1nd_mission::{Command, Event, EvidenceClass, Mode, Verify, chain, flight, packet};

use crate::world::World;

fn closed() -> World {
    let mut world = World::new(Mode::DocsDrift, &[]);
    world.files.insert("README.md".to_owned(), "h9".to_owned());
    let read = world.tell("file_read", "src/a.rs", EvidenceClass::DirectSource, "hypothesis_supported");
    let doc = world.tell("file_read", "README.md", EvidenceClass::DirectSource, "hypothesis_supported");
    let verify = Verify {
        text: Some("the flag is gone \u{1f}π".to_owned()),
        event_ids: vec![read, doc],
        ..Verify::default()
    };
    world.do_(Command::Verify(verify)).unwrap();
    world.do_(Command::Close { force: false }).unwrap();
    world
}

fn text() -> String {
    let world = closed();
    packet::to_text(&packet::of(&world.state, world.events.clone()))
}

#[test]
fn a_packet_proves_itself_and_names_what_it_rests_on() {
    let checked = packet::check(&text());
    assert!(checked.intact, "{checked:?}");
    assert_eq!(checked.remarks, Vec::<String>::new());
    let names: Vec<&str> = checked.anchors.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(names, ["README.md", "src/a.rs"]);
    let parsed: serde_json::Value = serde_json::from_str(&text()).unwrap();
    let kinds = |kind: &str| {
        parsed["evidence_graph"].as_array().unwrap().iter().filter(|node| node["type"] == kind).count()
    };
    assert_eq!((kinds("agent"), kinds("activity"), kinds("entity")), (1, 2, 3));
    assert_eq!((kinds("wasDerivedFrom"), kinds("wasAssociatedWith")), (2, 2));
    let pretty = serde_json::to_string_pretty(&parsed).unwrap();
    let checked = packet::check(&pretty);
    assert!(checked.intact && checked.remarks.len() == 1, "{checked:?}");
}

#[test]
fn whatever_no_packet_says_breaks_it() {
    let text = text();
    let whole: serde_json::Value = serde_json::from_str(&text).unwrap();
    let places = ["", "/verified_claims/0", "/events/0", "/events/1", "/counters", "/events/1/detail"];
    for at in places {
        let mut more = whole.clone();
        let Some(fields) = more.pointer_mut(at).and_then(|value| value.as_object_mut()) else { continue };
        fields.insert("approved_by".to_owned(), "nobody".into());
        let checked = packet::check(&more.to_string());
        assert!(!checked.intact, "{at}: {checked:?}");
    }
    let twice = text.replacen("\"goal\":", "\"goal\":\"another\",\"goal\":", 1);
    assert!(!packet::check(&twice).intact);
    let event = text.replacen("\"actor\":\"ada\"", "\"actor\":\"eve\",\"actor\":\"ada\"", 1);
    assert!(!packet::check(&event).intact);
}

#[test]
fn any_flipped_bit_is_found() {
    let text = text();
    let bytes = text.trim_end().as_bytes();
    for at in 0..bytes.len() {
        // Bit 5 turns letters into their other case; the others take turns.
        for bit in [5, at % 8] {
            let mut flipped = bytes.to_vec();
            flipped[at] ^= 1 << bit;
            let Ok(flipped) = String::from_utf8(flipped) else { continue };
            let checked = packet::check(&flipped);
            assert!(!checked.intact || !checked.remarks.is_empty(), "bit {bit} of byte {at} of {text}");
        }
    }
}

#[test]
fn claims_that_the_events_do_not_carry_are_found_even_with_a_right_digest() {
    let world = closed();
    let mut forged = world.state.clone();
    forged.claims[0].text = "the flag works".to_owned();
    let text = packet::to_text(&packet::of(&forged, world.events.clone()));
    assert!(packet::check(&text).faults.iter().any(|fault| fault.contains("not what its events come to")));
    let open = World::new(Mode::DocsDrift, &[]);
    let text = packet::to_text(&packet::of(&open.state, open.events));
    assert!(packet::check(&text).faults.iter().any(|fault| fault.contains("do not end")));
    assert!(!packet::check("{}").intact);
}

#[test]
fn the_flight_recorder_has_a_line_for_each_event() {
    let world = closed();
    let lines = flight::lines(&world.events);
    assert_eq!(lines.len(), world.events.len());
    let last = serde_json::to_value(lines.last().unwrap()).unwrap();
    assert_eq!((&last["direct_evidence_count"], &last["graph_call_count"]), (&2.into(), &0.into()));
    for field in [
        "mission_id",
        "step_id",
        "tool_family",
        "target",
        "phase",
        "duration_ms",
        "outcome",
        "confidence_before",
        "confidence_after",
        "loop_warning_count",
    ] {
        assert!(last.get(field).is_some(), "{field}");
    }
}

#[test]
fn judgements_that_earlier_builds_kept_are_read_and_hashed_as_they_were_written() {
    let kept = include_str!("kept/judged.jsonl");
    let verdicts: Vec<String> = kept
        .lines()
        .map(|line| {
            let event: Event = serde_json::from_str(line).unwrap();
            assert_eq!(serde_json::to_string(&event).unwrap(), line);
            assert_eq!(chain::hash_of(&event), event.hash);
            event.draft.outcome
        })
        .collect();
    assert_eq!(verdicts, ["verified_for_mission", "verified_for_mission", "needs_direct_evidence"]);
}
