//! What tests of claims share: a world of a few files and names, looks at it, and a claim that is judged by them.

use m1nd_mission::{
    Absence, Claim, Command, Detail, EventId, EvidenceClass, Family, Mode, Part, Shown, Verify,
};

use crate::world::World;

/// Files with their texts, and names with their places. Nothing is said of what evidence shows but what the test says.
pub fn world_of(files: &[(&str, &str)], names: &[(&str, &str)]) -> World {
    let mut world = World::new(Mode::BugHunt, &[]);
    for (path, text) in files {
        world.files.insert((*path).to_owned(), (*path).to_owned());
        world.texts.insert((*path).to_owned(), (*text).to_owned());
    }
    world.names.extend(names.iter().map(|(name, place)| ((*name).to_owned(), (*place).to_owned())));
    world.silent = true;
    world
}

/// A claim by the events that it cites, and by a line of them that is said to support it.
pub fn judge(world: &mut World, text: &str, events: &[&EventId], quote: &str) -> Claim {
    let verify = Verify {
        text: Some(text.to_owned()),
        event_ids: events.iter().map(|id| (*id).clone()).collect(),
        outcome: (!quote.is_empty()).then(|| "supports".to_owned()),
        quote: (!quote.is_empty()).then(|| quote.to_owned()),
        ..Verify::default()
    };
    let done = world.do_(Command::Verify(verify)).unwrap();
    world.state.claim(&done.claim.unwrap()).unwrap().clone()
}

pub fn view(world: &mut World, path: &str) -> EventId {
    world.see("view", Family::Read, path, &[path])
}

/// A search by text that found lines, as the runtime takes it down.
pub fn searched(world: &mut World, search: Absence, parts: Vec<Part>) -> EventId {
    let mut draft = world.events[0].draft.clone();
    draft.event_type = "search".to_owned();
    draft.tool_family = Family::Read;
    draft.target.clone_from(&search.query);
    draft.evidence_class = Some(EvidenceClass::DirectSource);
    draft.outcome = "read".to_owned();
    let shown =
        |part: &Part| Shown { path: part.path.clone(), content_hash: world.files[&part.path].clone() };
    draft.shown = parts.iter().map(shown).collect();
    draft.detail = Some(Box::new(Detail::Showed { parts, search: Some(search) }));
    world.do_(Command::Observe(Box::new(draft))).unwrap().events[0].event_id.clone()
}
