//! Chain: each event is hashed over the one before, so that none can be changed, left out or put in unseen.

use m1nd_stdx::digest::sha256_hex;

use crate::event::{Draft, Event, SCHEMA, Source};
use crate::ids::{EventId, MissionId};

/// What the first event is hashed over.
pub const GENESIS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Where the next event goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    pub sequence: u64,
    pub hash: String,
}

impl Default for Head {
    fn default() -> Self {
        Self { sequence: 0, hash: GENESIS.to_owned() }
    }
}

/// Gives a draft its place.
pub fn link(
    mission: &MissionId,
    head: &Head,
    draft: Draft,
    source: Source,
    actor: &str,
    now_ms: i64,
) -> Event {
    let sequence = head.sequence + 1;
    let mut event = Event {
        schema: SCHEMA.to_owned(),
        event_id: EventId::new(mission, sequence),
        mission_id: mission.clone(),
        sequence,
        timestamp_ms: now_ms,
        actor: actor.to_owned(),
        source,
        draft,
        prev_hash: head.hash.clone(),
        hash: String::new(),
    };
    event.hash = hash_of(&event);
    event
}

/// The head after an event.
pub fn head(event: &Event) -> Head {
    Head { sequence: event.sequence, hash: event.hash.clone() }
}

/// The hash that an event must carry.
pub fn hash_of(event: &Event) -> String {
    let mut bare = event.clone();
    bare.hash = String::new();
    // Plain data with string keys always has a JSON form.
    let text = serde_json::to_vec(&bare).unwrap_or_default();
    sha256_hex(&text)
}

/// One line for a whole stream.
pub fn digest(events: &[Event]) -> String {
    let head = events.last().map_or(GENESIS, |event| event.hash.as_str());
    digest_of(events.len() as u64, head)
}

/// The same from a stream's length and its last hash, which stands for all before.
pub fn digest_of(count: u64, head: &str) -> String {
    format!("sha256:{}", sha256_hex(format!("{count}\n{head}").as_bytes()))
}

/// What is wrong with a stream of one mission, in order.
pub fn faults(mission: &MissionId, events: &[Event]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut before = Head::default();
    for event in events {
        let place = before.sequence + 1;
        if event.sequence != place || event.event_id != EventId::new(mission, place) {
            faults.push(format!("{} stands where event {place} belongs", event.event_id));
        }
        if event.mission_id != *mission {
            faults.push(format!("{} belongs to {}", event.event_id, event.mission_id));
        }
        if event.schema != SCHEMA {
            faults.push(format!("{} is of schema {:?}", event.event_id, event.schema));
        }
        if event.prev_hash != before.hash {
            faults.push(format!("{} does not follow the event before it", event.event_id));
        }
        if event.hash != hash_of(event) {
            faults.push(format!("{} was changed after it was recorded", event.event_id));
        }
        before = Head { sequence: place, hash: event.hash.clone() };
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::Family;

    fn stream(count: usize) -> (MissionId, Vec<Event>) {
        let mission = MissionId::new("g", 0, 0);
        let mut head = Head::default();
        let mut events = Vec::new();
        for at in 0..count {
            let draft = Draft {
                phase: "verify".to_owned(),
                event_type: "file_read".to_owned(),
                tool_family: Family::Read,
                target: format!("src/{at}.rs"),
                asked: None,
                evidence_class: None,
                outcome: "read".to_owned(),
                duration_ms: None,
                agent_confidence: Some(0.72),
                note: Some("π \u{1f}".to_owned()),
                content_hash: None,
                shown: Vec::new(),
                not_anchored: 0,
                detail: None,
            };
            let event = link(&mission, &head, draft, Source::Told, "a", at as i64);
            head = super::head(&event);
            events.push(event);
        }
        (mission, events)
    }

    #[test]
    fn a_stream_that_was_read_back_is_whole_and_any_change_is_seen() {
        let (mission, events) = stream(5);
        let text = serde_json::to_string(&events).unwrap();
        let again: Vec<Event> = serde_json::from_str(&text).unwrap();
        assert_eq!(again, events);
        assert_eq!(faults(&mission, &again), Vec::<String>::new());
        let changed = |change: &dyn Fn(&mut Vec<Event>)| {
            let mut events = events.clone();
            change(&mut events);
            !faults(&mission, &events).is_empty() || digest(&events) != digest(&again)
        };
        assert!(changed(&|events| events[2].draft.outcome = "proved".to_owned()));
        assert!(changed(&|events| events[2].timestamp_ms += 1));
        assert!(changed(&|events| drop(events.remove(1))));
        assert!(changed(&|events| drop(events.pop())));
        assert!(changed(&|events| events.swap(1, 2)));
        assert!(changed(&|events| events[4].hash = GENESIS.to_owned()));
        assert!(changed(&|events| {
            events[3].draft.note = None;
            events[3].hash = hash_of(&events[3]);
        }));
    }
}
