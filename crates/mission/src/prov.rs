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
    for event in events.iter().filter(|event| is_change(event) || is_run(event)) {
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
        let by = json!({ "type": "wasAssociatedWith", "activity": activity, "agent": agent });
        add(&mut graph, &associated, by);
        for (path, hash) in event.draft.anchors().filter(|_| is_change(event)) {
            let entity = format!("file:{path}@{hash}");
            add(&mut graph, &entity, json!({ "type": "entity", "id": entity }));
            let derived = format!("{entity} by {activity}");
            let from =
                json!({ "type": "wasDerivedFrom", "entity": entity, "used": activity, "activity": activity });
            add(&mut graph, &derived, from);
        }
    }
    graph
}
