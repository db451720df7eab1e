//! Drawers in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use m1nd_memory::StoreError;
use m1nd_memory::drawers::{Added, Drawer, Drawers, Room, Thing};

use super::{RamStore, State};

#[derive(Clone, Default)]
pub(super) struct Kept {
    things: BTreeMap<(String, String, String), Thing>,
    numbers: BTreeMap<(String, String), u64>,
}

fn place(drawer: Drawer<'_>, key: &str) -> (String, String, String) {
    (drawer.kind.to_owned(), drawer.agent.to_owned(), key.to_owned())
}

impl RamStore {
    fn alone<T>(&self, work: impl FnOnce(&mut Kept) -> T) -> T {
        let _alone = self.writing.lock();
        let mut draft = State::clone(&self.state.read());
        let done = work(&mut draft.drawers);
        *self.state.write() = Arc::new(draft);
        done
    }
}

impl Drawers for RamStore {
    fn add(
        &self,
        drawer: Drawer<'_>,
        room: Room,
        now_ms: i64,
        make: &mut dyn FnMut(u64) -> (String, String),
    ) -> Result<Added, StoreError> {
        Ok(self.alone(|kept| {
            if let Some(idle) = room.idle_ms {
                let oldest = now_ms.saturating_sub(idle);
                kept.things.retain(|(kind, ..), thing| kind != drawer.kind || thing.updated_ms >= oldest);
            }
            let own =
                |(kind, agent, _): &&(String, String, String)| kind == drawer.kind && agent == drawer.agent;
            if kept.things.keys().filter(own).count() >= room.most {
                return Added::Full;
            }
            let number = kept.numbers.entry((drawer.kind.to_owned(), drawer.agent.to_owned())).or_default();
            *number += 1;
            let (key, body) = make(*number);
            let thing = Thing { key, version: 1, updated_ms: now_ms, body };
            kept.things.insert(place(drawer, &thing.key), thing.clone());
            Added::Kept(thing)
        }))
    }

    fn get(&self, drawer: Drawer<'_>, key: &str) -> Result<Option<Thing>, StoreError> {
        Ok(self.state.read().drawers.things.get(&place(drawer, key)).cloned())
    }

    fn replace(&self, drawer: Drawer<'_>, new: &Thing, now_ms: i64) -> Result<bool, StoreError> {
        Ok(self.alone(|kept| match kept.things.get_mut(&place(drawer, &new.key)) {
            Some(known) if known.version == new.version => {
                *known = Thing { version: new.version + 1, updated_ms: now_ms, ..new.clone() };
                true
            }
            _ => false,
        }))
    }

    fn list(&self, drawer: Drawer<'_>) -> Result<Vec<Thing>, StoreError> {
        let state = self.state.read();
        let own = state.drawers.things.iter();
        let own = own.filter(|((kind, agent, _), _)| kind == drawer.kind && agent == drawer.agent);
        let mut things: Vec<Thing> = own.map(|(_, thing)| thing.clone()).collect();
        things.sort_by(|a, b| b.updated_ms.cmp(&a.updated_ms).then_with(|| a.key.cmp(&b.key)));
        Ok(things)
    }

    fn count(&self, kind: &str) -> Result<usize, StoreError> {
        Ok(self.state.read().drawers.things.keys().filter(|(of, ..)| of == kind).count())
    }

    fn remove(&self, drawer: Drawer<'_>, key: &str) -> Result<bool, StoreError> {
        Ok(self.alone(|kept| kept.things.remove(&place(drawer, key)).is_some()))
    }
}
