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
    let mut check = Check::from(mission, Head::default());
    events.iter().for_each(|event| check.next(event, &hash_of(event)));
    check.faults
}

/// A stream that is held against its own hashes, event by event.
#[derive(Clone, Debug)]
pub struct Check {
    mission: MissionId,
    before: Head,
    /// What is wrong with it so far, in order.
    pub faults: Vec<String>,
}

impl Check {
    /// From after the event that `before` stands for.
    pub fn from(mission: &MissionId, before: Head) -> Self {
        Self { mission: mission.clone(), before, faults: Vec::new() }
    }

    /// One event more. `hash` is the one that it must carry.
    pub fn next(&mut self, event: &Event, hash: &str) {
        let place = self.before.sequence + 1;
        let mut wrong = |what: String| self.faults.push(format!("{} {what}", event.event_id));
        if event.sequence != place || event.event_id != EventId::new(&self.mission, place) {
            wrong(format!("stands where event {place} belongs"));
        }
        if event.mission_id != self.mission {
            wrong(format!("belongs to {}", event.mission_id));
        }
        if event.schema != SCHEMA {
            wrong(format!("is of schema {:?}", event.schema));
        }
        if event.prev_hash != self.before.hash {
            wrong("does not follow the event before it".to_owned());
        }
        if event.hash != hash {
            wrong("was changed after it was recorded".to_owned());
        }
        self.before = Head { sequence: place, hash: event.hash.clone() };
    }

    /// One event more, as it is written.
    pub fn next_written(&mut self, event: &Event, text: &[u8]) {
        self.next(event, &hash_written(event, text));
    }

    /// One that cannot be read.
    pub fn unreadable(&mut self, why: &str) {
        let place = self.before.sequence + 1;
        self.faults.push(format!("event {place} of {} cannot be read ({why})", self.mission));
        self.before = Head { sequence: place, hash: String::new() };
    }
}

/// The hash that an event must carry, from its text. The text is what was hashed, but for the hash at its end; one that
/// somebody laid out anew is written once more.
fn hash_written(event: &Event, text: &[u8]) -> String {
    let end = format!("{}\"}}", event.hash);
    match text.strip_suffix(end.as_bytes()).filter(|bare| bare.ends_with(b",\"hash\":\"")) {
        Some(bare) => sha256_hex(&[bare, b"\"}"].concat()),
        None => hash_of(event),
    }
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
        for event in &events {
            let text = serde_json::to_vec(event).unwrap();
            assert_eq!(hash_written(event, &text), event.hash);
            let changed = String::from_utf8(text).unwrap().replace("verify", "v3rify");
            let read: Event = serde_json::from_str(&changed).unwrap();
            assert_ne!(hash_written(&read, changed.as_bytes()), read.hash);
        }
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
