//! Provenance: which claim came from which evidence, and who gathered it, in the words of W3C PROV.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::claim::Claim;
use crate::edits::is_change;
use crate::event::Event;
use crate::runs::is_run;

/// Claims and files are entities, events are activities, actors are agents. What was changed and what was run stands there
/// whether a claim cites it or not.
pub(crate) fn graph(claims: &[&Claim], events: &[&Event]) -> Vec<Value> {
    let mut graph = Provenance::default();
    for claim in claims {
        let id = format!("claim:{}", claim.claim_id);
        graph.add(&id, json!({ "type": "entity", "id": id, "verdict": claim.verdict }));
        for event in events.iter().filter(|event| claim.event_ids.contains(&event.event_id)) {
            graph.activity(event);
            let mut used = graph.files(event);
            if used.is_empty() {
                used.push(event.event_id.to_string());
            }
            for used in used {
                let derived = format!("{id} from {used} by {}", event.event_id);
                graph.derived(&derived, &id, &used, event);
            }
        }
    }
    for event in events.iter().filter(|event| is_change(event) || is_run(event)) {
        graph.activity(event);
        if is_change(event) {
            for entity in graph.files(event) {
                let derived = format!("{entity} by {}", event.event_id);
                graph.derived(&derived, &entity, event.event_id.as_str(), event);
            }
        }
    }
    graph.nodes
}

/// A graph in which everything stands once, in the order in which it was met.
#[derive(Default)]
struct Provenance {
    nodes: Vec<Value>,
    known: BTreeSet<String>,
}

impl Provenance {
    fn add(&mut self, id: &str, node: Value) {
        if self.known.insert(id.to_owned()) {
            self.nodes.push(node);
        }
    }

    /// An event, and who did it.
    fn activity(&mut self, event: &Event) {
        let activity = event.event_id.as_str();
        let agent = format!("agent:{}", event.actor);
        let made = json!({
            "type": "activity",
            "id": activity,
            "evidence_class": event.draft.evidence_class,
            "source": event.source,
        });
        self.add(activity, made);
        self.add(&agent, json!({ "type": "agent", "id": agent }));
        let by = json!({ "type": "wasAssociatedWith", "activity": activity, "agent": agent });
        self.add(&format!("{activity} by {agent}"), by);
    }

    /// The files that an event showed or made, as they were then.
    fn files(&mut self, event: &Event) -> Vec<String> {
        let files: Vec<String> =
            event.draft.anchors().map(|(path, hash)| format!("file:{path}@{hash}")).collect();
        for entity in &files {
            self.add(entity, json!({ "type": "entity", "id": entity }));
        }
        files
    }

    fn derived(&mut self, key: &str, entity: &str, used: &str, event: &Event) {
        let activity = event.event_id.as_str();
        let node = json!({ "type": "wasDerivedFrom", "entity": entity, "used": used, "activity": activity });
        self.add(key, node);
    }
}
