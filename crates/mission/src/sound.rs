//! Sound: a stream held against its own hashes, as it is written. What was held against them before need only be the same
//! bytes.

use std::sync::Arc;

use m1nd_stdx::digest::Fingerprint;

use crate::chain::{Check, Head};
use crate::event::Event;
use crate::ids::MissionId;
use crate::port::Ledger;
use crate::state::State;

/// A stream that was found whole, as far as it went then.
#[derive(Clone, Debug)]
pub struct Proven {
    mission: MissionId,
    /// Over every byte of its events.
    print: [u8; 32],
    state: Arc<State>,
}

impl Proven {
    pub fn mission(&self) -> &MissionId {
        &self.mission
    }

    /// How far it went.
    pub fn sequence(&self) -> u64 {
        self.state.sequence
    }
}

/// What a stream comes to.
#[derive(Clone, Debug)]
pub struct Heard {
    /// The fold over all events that can be read; nothing where the first cannot.
    pub state: Option<Arc<State>>,
    /// What is wrong with it. Then the fold proves nothing.
    pub faults: Vec<String>,
    /// The same for the next time; nothing while something is wrong.
    pub proven: Option<Proven>,
}

/// Reads a stream whole. Of one that was proven before, the bytes are compared, and only what came since is taken apart:
/// a byte that changed is found either way. Nothing where there is no such mission.
pub fn hear<E>(
    ledger: &dyn Ledger<Fault = E>,
    mission: &MissionId,
    before: Option<&Proven>,
) -> Result<Option<Heard>, E> {
    let before = before.filter(|proven| proven.mission == *mission);
    if let Some(before) = before {
        let mut reading = Reading::after(before);
        let recorded = ledger.written(mission, &mut |text| reading.next(text))?;
        if reading.is_as_before() {
            return Ok(recorded.map(|recorded| reading.end(recorded)));
        }
    }
    let mut reading = Reading::new(mission);
    let recorded = ledger.written(mission, &mut |text| reading.next(text))?;
    Ok(recorded.map(|recorded| reading.end(recorded)))
}

struct Reading<'p> {
    check: Check,
    print: Fingerprint,
    count: u64,
    state: Option<Arc<State>>,
    before: Option<&'p Proven>,
    /// Whether the events that were proven before are not the same any more.
    differs: bool,
}

impl<'p> Reading<'p> {
    fn new(mission: &MissionId) -> Self {
        Self {
            check: Check::from(mission, Head::default()),
            print: Fingerprint::default(),
            count: 0,
            state: None,
            before: None,
            differs: false,
        }
    }

    fn after(before: &'p Proven) -> Self {
        Self {
            check: Check::from(&before.mission, before.state.head()),
            state: Some(Arc::clone(&before.state)),
            before: Some(before),
            ..Self::new(&before.mission)
        }
    }

    fn next(&mut self, text: &[u8]) {
        self.count += 1;
        self.print.add(text);
        if let Some(before) = self.before.filter(|before| self.count <= before.state.sequence) {
            self.differs |= self.count == before.state.sequence && self.print.value() != before.print;
            return;
        }
        if self.differs {
            return;
        }
        match serde_json::from_slice::<Event>(text) {
            Err(err) => self.check.unreadable(&err.to_string()),
            Ok(event) => {
                self.check.next_written(&event, text);
                match &mut self.state {
                    Some(state) => Arc::make_mut(state).apply(&event),
                    None if self.count == 1 => self.state = State::begin(&event).map(Arc::new),
                    None => {}
                }
            }
        }
    }

    fn is_as_before(&self) -> bool {
        self.before.is_none_or(|before| !self.differs && self.count >= before.state.sequence)
    }

    fn end(mut self, recorded: u64) -> Heard {
        if self.count < recorded {
            let lost = recorded - self.count;
            self.check.faults.push(format!("{lost} of its {recorded} events are missing at the end"));
        }
        if self.state.is_none() && self.check.faults.is_empty() {
            self.check.faults.push("it does not begin with the start of a mission".to_owned());
        }
        let faults = self.check.faults;
        let whole = self.state.as_ref().filter(|_| faults.is_empty());
        let proven = whole.map(|state| Proven {
            mission: state.mission_id.clone(),
            print: self.print.value(),
            state: Arc::clone(state),
        });
        Heard { state: self.state, faults, proven }
    }
}
