//! Ids: of missions, their events and their claims.

use std::fmt;

use m1nd_stdx::digest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Digits of a mission's id; events carry them too, so that an event's id names its mission.
const DIGITS: usize = 10;

/// `msn_` and ten hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct MissionId(String);

impl MissionId {
    /// Made of what the mission is about and when it began; `nonce` tells apart those that begin alike.
    pub fn new(goal: &str, now_ms: i64, nonce: u64) -> Self {
        let seed = format!("{goal}\n{now_ms}\n{nonce}");
        Self(format!("msn_{}", digest::short_name(seed.as_bytes(), DIGITS)))
    }

    pub fn parse(text: &str) -> Option<Self> {
        text.strip_prefix("msn_").filter(|digits| is_hex(digits)).map(|_| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn digits(&self) -> &str {
        self.0.strip_prefix("msn_").unwrap_or(&self.0)
    }
}

impl fmt::Display for MissionId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// `evt_`, the digits of the mission, `_` and the event's place in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct EventId(String);

impl EventId {
    pub fn new(mission: &MissionId, sequence: u64) -> Self {
        Self(format!("evt_{}_{sequence}", mission.digits()))
    }

    /// The mission and the place in it.
    pub fn parse(text: &str) -> Option<(MissionId, u64)> {
        let (digits, place) = text.strip_prefix("evt_")?.split_once('_')?;
        let place: u64 = place.parse().ok().filter(|place| *place > 0)?;
        let mission = MissionId::parse(&format!("msn_{digits}"))?;
        // One spelling for one event: no `+1`, no `007`.
        (Self::new(&mission, place).0 == text).then_some((mission, place))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The place in its mission.
    pub fn sequence(&self) -> u64 {
        // Asked for every item of long lists: an id that was made or parsed ends with its place.
        self.0.rsplit_once('_').and_then(|(_, place)| place.parse().ok()).unwrap_or(0)
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// `clm_1`, `clm_2` … in one mission.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ClaimId(String);

impl ClaimId {
    pub fn new(number: usize) -> Self {
        Self(format!("clm_{number}"))
    }

    pub fn named(text: &str) -> Self {
        Self(text.to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl ClaimId {
    /// Its place among the claims of its mission; 0 for what is no such id.
    pub fn number(&self) -> usize {
        self.0.strip_prefix("clm_").and_then(|number| number.parse().ok()).unwrap_or(0)
    }
}

impl fmt::Display for ClaimId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

fn is_hex(digits: &str) -> bool {
    digits.len() == DIGITS && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_names_its_mission_in_one_spelling_only() {
        let mission = MissionId::new("find it", 7, 0);
        let event = EventId::new(&mission, 12);
        assert_eq!(EventId::parse(event.as_str()), Some((mission.clone(), 12)));
        assert_eq!(event.sequence(), 12);
        let digits = mission.digits();
        for wrong in ["evt_", "evt_12", &format!("evt_{digits}_0"), &format!("evt_{digits}_+1"), "msn_zz"] {
            assert_eq!(EventId::parse(wrong), None, "{wrong}");
        }
        assert_ne!(MissionId::new("find it", 7, 1), mission);
        assert_eq!(MissionId::parse(mission.as_str()), Some(mission));
    }
}
