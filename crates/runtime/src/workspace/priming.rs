//! Priming: what agents said they are about to work on. It ends with the process.

use std::collections::VecDeque;
use std::sync::Arc;

use m1nd_recall::feedback::Primed;
use parking_lot::Mutex;

/// Agents that are remembered; the one that was warmed up longest ago goes first.
const MAX_AGENTS: usize = 256;

/// The newest of each agent.
#[derive(Debug, Default)]
pub(super) struct Priming {
    by_agent: Mutex<VecDeque<(String, Arc<Primed>)>>,
}

impl Priming {
    pub(super) fn of(&self, agent: &str) -> Option<Arc<Primed>> {
        let known = self.by_agent.lock();
        known.iter().find(|(name, _)| name == agent).map(|(_, primed)| Arc::clone(primed))
    }

    /// Replaces what was said before; nothing takes it back.
    pub(super) fn set(&self, agent: &str, primed: Option<Primed>) {
        let mut known = self.by_agent.lock();
        known.retain(|(name, _)| name != agent);
        if let Some(primed) = primed {
            known.push_back((agent.to_owned(), Arc::new(primed)));
            while known.len() > MAX_AGENTS {
                known.pop_front();
            }
        }
    }
}
