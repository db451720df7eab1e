//! Provenance: which claim came from which evidence, and who gathered it, in the words of W3C PROV.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::claim::Claim;
use crate::event::Event;

/// Claims and files are entities, events are activities, actors are agents.
pub(crate) fn graph(claims: &[&Claim], events: &[&Event]) -> Vec<Value> {
    let mut graph = Vec::new();
    let mut known: BTreeSet<String> = BTreeSet::new();
    let mut add = |graph: &mut Vec<Value>, id: &str, node: Value| {
        if known.insert(id.to_owned()) {
            graph.push(node);
        }
    };
    for claim in claims {
        let id = format!("claim:{}", claim.claim_id);
        add(&mut graph, &id, json!({ "type": "entity", "id": id, "verdict": claim.verdict }));
        for event in events.iter().filter(|event| claim.event_ids.contains(&event.event_id)) {
            let activity = event.event_id.as_str();
            let agent = format!("agent:{}", event.actor);
            let made = json!({
                "type": "activity",
                "id": activity,
                "evidence_class": event.draft.evidence_class,
                "source": event.source,
            });
            add(&mut graph, activity, made);
            add(&mut graph, &agent, json!({ "type": "agent", "id": agent }));
            let associated = format!("{activity} by {agent}");
            add(
                &mut graph,
                &associated,
                json!({ "type": "wasAssociatedWith", "activity": activity, "agent": agent }),
            );
            let mut used: Vec<String> =
                event.draft.anchors().map(|(path, hash)| format!("file:{path}@{hash}")).collect();
            for entity in &used {
                add(&mut graph, entity, json!({ "type": "entity", "id": entity }));
            }
            if used.is_empty() {
                used.push(activity.to_owned());
            }
            for used in used {
                let derived = format!("{id} from {used} by {activity}");
                add(
                    &mut graph,
                    &derived,
                    json!({ "type": "wasDerivedFrom", "entity": id, "used": used, "activity": activity }),
                );
            }
        }
    }
    graph
}
