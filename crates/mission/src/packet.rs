//! Proof packet: what a mission proved, with everything that is needed to check it without this machine.

use std::collections::BTreeSet;
use std::fmt;

use m1nd_stdx::digest::sha256_hex;
use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::chain;
use crate::claim::{Claim, Verdict};
use crate::counted::Counted;
use crate::edits::is_change;
use crate::event::Event;
use crate::handoff::NON_CLAIMS;
use crate::ids::MissionId;
use crate::mode::Mode;
use crate::needs::Gap;
use crate::prov;
use crate::remarks::remarks;
use crate::state::{Counters, RULES, State, Status};

pub const SCHEMA: &str = "m1nd-mission-proof-packet-v1";

/// The end of a mission.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Packet {
    pub schema: String,
    pub mission_id: MissionId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_mission_id: Option<MissionId>,
    pub repo: String,
    pub goal: String,
    pub mode: Mode,
    pub verified_claims: Vec<Claim>,
    pub rejected_claims: Vec<Claim>,
    pub open_claims: Vec<Claim>,
    /// Those that were taken back before anybody proved or rejected them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withdrawn_claims: Vec<Claim>,
    /// What it knew from the mission before and did not judge again. Their events are in the packet of that one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inherited_claims: Vec<Claim>,
    pub evidence_graph: Vec<Value>,
    pub counters: Counters,
    pub gaps: Vec<Gap>,
    /// What was done only by the agent's word.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    pub non_claims: Vec<String>,
    /// How events were counted; missing in packets of earlier builds.
    #[serde(default, skip_serializing_if = "is_first")]
    pub rules: u32,
    /// Over the hash chain of all events.
    pub event_digest: String,
    pub events: Vec<Event>,
    /// Over everything above.
    pub packet_digest: String,
}

/// The packet of a closed mission.
pub fn of(state: &State, events: Vec<Event>) -> Packet {
    let claims = |wanted: &dyn Fn(Verdict) -> bool| -> Vec<Claim> {
        state.claims.iter().filter(|claim| wanted(claim.verdict)).cloned().collect()
    };
    let judged: Vec<&Claim> = state.claims.iter().collect();
    let refs: Vec<&Event> = events.iter().collect();
    let mut packet = Packet {
        schema: SCHEMA.to_owned(),
        mission_id: state.mission_id.clone(),
        parent_mission_id: state.parent_mission_id.clone(),
        repo: state.repo.clone(),
        goal: state.goal.clone(),
        mode: state.mode,
        verified_claims: claims(&|verdict| verdict == Verdict::VerifiedForMission),
        rejected_claims: claims(&|verdict| verdict == Verdict::Rejected),
        open_claims: claims(&Verdict::is_open),
        withdrawn_claims: claims(&|verdict| verdict == Verdict::Withdrawn),
        inherited_claims: state.untouched_claims().cloned().collect(),
        evidence_graph: prov::graph(&judged, &refs),
        counters: state.counters.clone(),
        gaps: state.gaps.clone(),
        remarks: remarks(state),
        non_claims: NON_CLAIMS.map(str::to_owned).to_vec(),
        rules: RULES,
        event_digest: chain::digest(&events),
        events,
        packet_digest: String::new(),
    };
    packet.packet_digest = digest_of(&packet);
    packet
}

fn is_first(rules: &u32) -> bool {
    *rules == 0
}

/// The packet as it is written: one line.
pub fn to_text(packet: &Packet) -> String {
    let mut text = serde_json::to_string(packet).unwrap_or_default();
    text.push('\n');
    text
}

fn digest_of(packet: &Packet) -> String {
    let bare = Packet { packet_digest: String::new(), ..packet.clone() };
    format!("sha256:{}", sha256_hex(&serde_json::to_vec(&bare).unwrap_or_default()))
}

/// What checking a packet found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Checked {
    /// Whether nothing was changed since it was written.
    pub intact: bool,
    /// What is wrong with it.
    pub faults: Vec<String>,
    /// What is odd and proves nothing.
    pub remarks: Vec<String>,
    /// What its mission did only by the agent's word.
    pub told: Vec<String>,
    /// Files that its verified claims rest on, and those that it changed, with the hash they had.
    pub anchors: Vec<(String, String)>,
    /// How many more they rest on of which no hash was kept.
    pub not_anchored: u64,
    /// Verified claims that rest on no file at all: on the word of somebody, or of something that ran.
    pub without_files: Vec<String>,
    /// Verified claims that rest on searches that found nothing, and those.
    pub absent: Vec<String>,
    /// Searches that verified claims rest on for how many places there are, with the claim.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub counted: Vec<String>,
}

/// Checks a packet by itself.
pub fn check(text: &str) -> Checked {
    let packet: Packet = match serde_json::from_str(text) {
        Ok(packet) => packet,
        Err(err) => {
            let faults = vec![format!("This is no proof packet: {err}.")];
            return Checked { faults, ..Checked::default() };
        }
    };
    let mut faults = Vec::new();
    if let Some(more) = unknown(text, &packet) {
        faults.push(more);
    }
    if packet.schema != SCHEMA {
        faults.push(format!("It is of schema {:?}, not {SCHEMA:?}.", packet.schema));
    }
    faults.extend(
        chain::faults(&packet.mission_id, &packet.events).into_iter().map(|fault| format!("{fault}.")),
    );
    if chain::digest(&packet.events) != packet.event_digest {
        faults.push("event_digest is not that of its events.".to_owned());
    }
    if digest_of(&packet) != packet.packet_digest {
        faults.push("packet_digest is not that of its content.".to_owned());
    }
    if faults.is_empty() {
        faults.extend(contradiction(&packet));
    }
    let mut remarks = Vec::new();
    if faults.is_empty() && to_text(&packet).trim_end() != text.trim_end() {
        remarks
            .push("Its content is what was written, its form is not: somebody laid it out anew.".to_owned());
    }
    Checked {
        intact: faults.is_empty(),
        faults,
        remarks,
        anchors: anchors(&packet),
        not_anchored: verified(&packet).map(|claim| claim.not_checked).sum(),
        without_files: verified(&packet)
            .filter(|claim| claim.rests_on.is_empty() && claim.absent.is_empty())
            .map(|claim| claim.claim_id.to_string())
            .collect(),
        absent: verified(&packet)
            .flat_map(|claim| {
                claim.absent.iter().map(|search| format!("{}: {}", claim.claim_id, search.said()))
            })
            .collect(),
        counted: verified(&packet)
            .flat_map(|claim| {
                let said = |one: &Counted| {
                    format!("{}: {:?} in {} lines", claim.claim_id, one.search.query, one.total)
                };
                claim.counted.iter().map(said)
            })
            .collect(),
        told: packet.remarks.clone(),
    }
}

/// What a text says besides the packet that was read out of it: a field that no packet has, or one that stands twice.
fn unknown(text: &str, packet: &Packet) -> Option<String> {
    if let Err(err) = serde_json::from_str::<Once>(text) {
        return Some(format!("It says something twice: {err}."));
    }
    let given: Value = serde_json::from_str(text).ok()?;
    let known = serde_json::to_value(packet).ok()?;
    let at = differs(&given, &known, String::new())?;
    Some(format!("It says something that no packet of this build says, at {at}."))
}

/// The first place where a value is not what it should be.
fn differs(given: &Value, known: &Value, at: String) -> Option<String> {
    match (given, known) {
        (Value::Object(given), Value::Object(known)) => {
            let more = given.iter().find_map(|(name, value)| {
                let at = format!("{at}/{name}");
                known.get(name).map_or(Some(at.clone()), |known| differs(value, known, at))
            });
            more.or_else(|| {
                known.keys().find(|name| !given.contains_key(*name)).map(|name| format!("{at}/{name}"))
            })
        }
        (Value::Array(given), Value::Array(known)) if given.len() == known.len() => given
            .iter()
            .zip(known)
            .enumerate()
            .find_map(|(place, (given, known))| differs(given, known, format!("{at}/{place}"))),
        (given, known) => (given != known).then_some(at),
    }
}

/// Any JSON in which no object has a name twice.
struct Once;

impl<'de> Deserialize<'de> for Once {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Unique)
    }
}

struct Unique;

impl<'de> Visitor<'de> for Unique {
    type Value = Once;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Once, E> {
        Ok(Once)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Once, E> {
        Ok(Once)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Once, E> {
        Ok(Once)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Once, E> {
        Ok(Once)
    }

    fn visit_str<E>(self, _: &str) -> Result<Once, E> {
        Ok(Once)
    }

    fn visit_unit<E>(self) -> Result<Once, E> {
        Ok(Once)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Once, A::Error> {
        while items.next_element::<Once>()?.is_some() {}
        Ok(Once)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Once, A::Error> {
        let mut names = BTreeSet::new();
        while let Some(name) = fields.next_key::<String>()? {
            fields.next_value::<Once>()?;
            if names.contains(&name) {
                return Err(A::Error::custom(format!("{name:?}")));
            }
            names.insert(name);
        }
        Ok(Once)
    }
}

/// Whether it says something that its events do not.
fn contradiction(packet: &Packet) -> Option<String> {
    let said = match State::of(&packet.events) {
        Some(state) if state.status == Status::Closed => {
            let made = as_counted(of(&state, packet.events.clone()), packet);
            if made == *packet || (packet.inherited_claims.is_empty() && without_inherited(made) == *packet) {
                return None;
            }
            "Its claims are not what its events come to."
        }
        Some(_) => "Its events do not end with the end of a mission.",
        None => "Its events do not begin with the start of a mission.",
    };
    Some(said.to_owned())
}

/// As the build that wrote a packet counted: what it did not count it does not say.
fn as_counted(mut made: Packet, packet: &Packet) -> Packet {
    if packet.rules < RULES {
        made.rules = packet.rules;
        made.non_claims.clone_from(&packet.non_claims);
        made.remarks.clone_from(&packet.remarks);
        made.counters.clone_from(&packet.counters);
        made.evidence_graph.clone_from(&packet.evidence_graph);
        made.packet_digest = digest_of(&made);
    }
    made
}

/// As earlier builds wrote it. A packet that says less than its events is no false one.
fn without_inherited(mut packet: Packet) -> Packet {
    packet.inherited_claims.clear();
    packet.packet_digest = digest_of(&packet);
    packet
}

/// What it says to be so, by itself or by the mission before.
fn verified(packet: &Packet) -> impl Iterator<Item = &Claim> {
    let inherited = packet.inherited_claims.iter();
    let inherited = inherited.filter(|claim| claim.verdict == Verdict::VerifiedForMission);
    packet.verified_claims.iter().chain(inherited)
}

/// What verified claims rest on, and what the mission made of the files that it changed.
fn anchors(packet: &Packet) -> Vec<(String, String)> {
    let files = verified(packet).flat_map(|claim| &claim.rests_on);
    let mut anchors: Vec<(String, String)> =
        files.map(|file| (file.path.clone(), file.content_hash.clone())).collect();
    let edits = State::of(&packet.events).map(|state| state.edits).unwrap_or_default();
    for path in edits.keys() {
        let mut changes = packet.events.iter().rev().filter(|event| is_change(event));
        let made = changes.find_map(|event| event.draft.anchors().find(|(one, _)| one == path));
        anchors.extend(made.map(|(path, hash)| (path.to_owned(), hash.to_owned())));
    }
    anchors.sort();
    anchors.dedup();
    anchors
}
