//! Witness: what lies beside a stream and says how far it had come, so that one that was cut is found although its own count
//! was cut with it.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use m1nd_memory::StoreError;
use m1nd_mission::packet::Packet;
use m1nd_mission::{Detail, Event, MissionId, StoodAt, flight};
use serde_json::Value;

use super::{Missions, record};

/// How far a mission had come by the word of others. Gathered before its stream is read: what comes meanwhile is no fault.
#[derive(Debug, Default)]
pub struct Witnesses {
    /// The furthest step of the flight recorder.
    recorder: Option<u64>,
    /// A step that the flight recorder tells of twice: the stream was cut and went on.
    twice: Option<u64>,
    /// Who says so, and what.
    others: Vec<(String, StoodAt)>,
}

impl Witnesses {
    /// The flight recorder and the packet beside the mission.
    pub fn beside(runtime_root: &Path, mission: &MissionId) -> Self {
        let mut found = Self::default();
        found.listen(&record::lines_path(runtime_root, mission), mission);
        let packet = record::packet_in(runtime_root, mission);
        let text = fs::read_to_string(&packet).ok();
        if let Some(packet) = text.and_then(|text| serde_json::from_str::<Packet>(&text).ok()) {
            found.others.extend(of_packet(&packet).map(|stood| ("its packet".to_owned(), stood)));
        }
        found
    }

    /// The same, and every mission of the ledger that goes on from it.
    pub fn all(runtime_root: &Path, ledger: &Missions, mission: &MissionId) -> Result<Self, StoreError> {
        let mut found = Self::beside(runtime_root, mission);
        for other in ledger.list(usize::MAX)? {
            let Ok(first) = ledger.events(&other.mission_id, 0, 1) else { continue };
            let detail = first.into_iter().next().and_then(|event| event.draft.detail);
            if let Some(Detail::Started { inherited, .. }) = detail.as_deref()
                && let Some(stood) = inherited.stood_at.clone()
            {
                found.others.push((other.mission_id.to_string(), stood));
            }
        }
        found.others.retain(|(_, stood)| stood.mission_id == *mission);
        Ok(found)
    }

    /// One more.
    #[must_use]
    pub fn with(mut self, who: &str, stood: StoodAt) -> Self {
        self.others.push((who.to_owned(), stood));
        self
    }

    fn listen(&mut self, path: &Path, mission: &MissionId) {
        let Ok(file) = fs::File::open(path) else { return };
        let mut told = HashSet::new();
        for line in BufReader::new(file).lines().map_while(Result::ok) {
            // A line that was cut by a crash tells nothing.
            let Some((of, place)) = record::step_in(&line) else { continue };
            if of != *mission {
                continue;
            }
            if !told.insert(place) {
                self.twice = self.twice.or(Some(place));
            }
            self.recorder = self.recorder.max(Some(place));
        }
    }

    /// What the stream lacks, or says otherwise.
    pub fn faults(
        &self,
        ledger: &Missions,
        mission: &MissionId,
        stands_at: u64,
    ) -> Result<Vec<String>, StoreError> {
        let mut faults = Vec::new();
        let missing = |who: &str, place: u64| {
            format!("{who} knows {place} events, and {stands_at} are there: the end is missing")
        };
        if let Some(place) = self.recorder.filter(|place| *place > stands_at) {
            faults.push(missing("the flight recorder", place));
        }
        if let Some(place) = self.twice {
            faults.push(format!(
                "the flight recorder tells of event {place} twice: the stream was cut and went on"
            ));
        }
        for (who, stood) in &self.others {
            let StoodAt { sequence, hash, .. } = stood;
            if *sequence > stands_at {
                faults.push(missing(who, *sequence));
                continue;
            }
            let Some(before) = sequence.checked_sub(1) else { continue };
            let event = ledger.events(mission, before, 1)?.into_iter().next();
            // A hand-off is known by its place alone.
            if !hash.is_empty() && event.is_some_and(|event| event.hash != *hash) {
                faults.push(format!("{who} knows another event {sequence} than the one that is there"));
            }
        }
        Ok(faults)
    }
}

/// What the flight recorder of a mission says otherwise than its events, and what of it is odd. A line that is missing may have
/// been lost by a crash; one that says something else was changed.
pub fn recorder_against(
    runtime_root: &Path,
    mission: &MissionId,
    events: &[Event],
) -> (Vec<String>, Vec<String>) {
    let (mut faults, mut remarks) = (Vec::new(), Vec::new());
    let Ok(text) = fs::read(record::lines_path(runtime_root, mission)) else {
        if events.len() > 1 {
            remarks.push("the flight recorder has no line of it".to_owned());
        }
        return (faults, remarks);
    };
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    // The lines that the events make: a recorder says these and nothing else.
    let made = flight::lines(events).into_iter().zip(events);
    let made: HashMap<&str, (String, u64)> = made
        .filter_map(|(line, event)| {
            Some((event.event_id.as_str(), (serde_json::to_string(&line).ok()?, event.sequence)))
        })
        .collect();
    let mut told = HashSet::new();
    for (at, line) in lines.iter().enumerate() {
        let number = at + 1;
        let Ok(said) = serde_json::from_str::<Value>(line) else {
            let is_last = number == lines.len();
            let what = format!("line {number} of the flight recorder cannot be read");
            if is_last {
                remarks.push(what)
            } else {
                faults.push(what)
            }
            continue;
        };
        let Some((made, sequence)) = said["step_id"].as_str().and_then(|step| made.get(step)) else {
            faults.push(format!("line {number} of the flight recorder tells of no event of it"));
            continue;
        };
        told.insert(*sequence);
        if made != line {
            let fields = other_fields(&said, made);
            faults.push(format!(
                "line {number} of the flight recorder says otherwise than event {sequence}{fields}"
            ));
        }
    }
    // The first event makes the mission, and has no line.
    let missing = events.iter().skip(1).filter(|event| !told.contains(&event.sequence)).count();
    if missing > 0 {
        remarks.push(format!("the flight recorder lacks {missing} steps"));
    }
    faults.truncate(MOST_FAULTS);
    (faults, remarks)
}

/// The fields in which a line of the recorder is not the one that its event makes.
fn other_fields(said: &Value, made: &str) -> String {
    let made: Value = serde_json::from_str(made).unwrap_or_default();
    let (Some(said), Some(made)) = (said.as_object(), made.as_object()) else { return String::new() };
    let names = said.keys().chain(made.keys().filter(|name| !said.contains_key(*name)));
    let others = names.filter(|name| said.get(*name) != made.get(*name));
    let others: Vec<String> = others.take(MOST_FIELDS).map(|name| name.escape_debug().to_string()).collect();
    if others.is_empty() { String::new() } else { format!(": {}", others.join(", ")) }
}

/// Fields of a line that are named.
const MOST_FIELDS: usize = 5;
/// More of them say nothing new.
const MOST_FAULTS: usize = 20;

/// Where a packet ends.
pub fn of_packet(packet: &Packet) -> Option<StoodAt> {
    let last = packet.events.last()?;
    Some(StoodAt { mission_id: packet.mission_id.clone(), sequence: last.sequence, hash: last.hash.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use m1nd_mission::missions::begin;
    use m1nd_mission::{Inherited, Mode, Start, handoff};
    use m1nd_store::RamStore;

    #[test]
    fn a_child_knows_how_far_its_parent_had_come() {
        let (ledger, folder) = (RamStore::new(), tempfile::tempdir().unwrap());
        let start = |goal: &str, parent: Option<MissionId>, inherited: Inherited| Start {
            repo: "/r".to_owned(),
            goal: goal.to_owned(),
            mode: Mode::BugHunt,
            budget: Mode::BugHunt.budget(),
            known_paths: Vec::new(),
            context_guard: Value::Null,
            right_workspace: true,
            parent,
            inherited,
        };
        let parent = begin(&ledger, &start("a", None, Inherited::default()), "ann", 1).unwrap();
        let id = &parent.mission_id;
        let faults = || Witnesses::all(folder.path(), &ledger, id).unwrap().faults(&ledger, id, 1).unwrap();
        let mut inherited = handoff::inherited(&parent, None);
        begin(&ledger, &start("b", Some(id.clone()), inherited.clone()), "ann", 2).unwrap();
        assert_eq!(faults(), Vec::<String>::new());
        inherited.stood_at.as_mut().unwrap().sequence = 9;
        let child = begin(&ledger, &start("c", Some(id.clone()), inherited.clone()), "ann", 3).unwrap();
        let said = format!("{} knows 9 events, and 1 are there: the end is missing", child.mission_id);
        assert_eq!(faults(), [said]);
        inherited.stood_at = Some(StoodAt { mission_id: id.clone(), sequence: 1, hash: "other".to_owned() });
        begin(&ledger, &start("d", Some(id.clone()), inherited), "ann", 4).unwrap();
        assert!(faults().iter().any(|said| said.contains("another event 1")), "{:?}", faults());
    }
}
