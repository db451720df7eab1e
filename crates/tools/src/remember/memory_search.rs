//! `memory_search`: notes, cards, tasks, plans and claims by their words.

use m1nd_contract::Guidance;
use m1nd_memory::port::FindKind;
use m1nd_memory::search::{self, SearchOutput, SearchRequest};
use m1nd_runtime::{Ctx, Example};

use crate::recall::{LIST, READ, memory_tool, when_empty};

memory_tool! {
    MemorySearch, search::search, SearchRequest => SearchOutput, within LIST, next point;
    name: "memory_search",
    summary: "Find notes, cards, tasks, plans and claims of missions by their words, best first. Ids and snippets; read the whole with branchmind_show, tasks_radar or mission_show.",
    intents: &["find a decision", "search notes", "did we discuss", "recall", "what do we know about"],
    examples: &[
        Example { says: "Everything about greetings", arguments: r#"{"query": "greeting"}"# },
        Example {
            says: "Notes that speak of one file",
            arguments: r#"{"query": "greet", "anchors": ["src/main.rs"]}"#,
        },
    ],
    ..READ
}

/// To the best hit; nothing found says where else something is.
fn point(ctx: &Ctx<'_>, found: &SearchOutput) -> Guidance {
    match found.hits.first() {
        None if !found.unknown_anchors.is_empty() => Guidance::hint(format!(
            "Nothing in the code is at {}, and nothing that was found speaks of it.",
            found.unknown_anchors[..found.unknown_anchors.len().min(3)].join(", ")
        )),
        None if found.only_elsewhere => Guidance::hint(
            "What holds these words does not speak of `anchors`; leave them out, or name a folder.",
        ),
        None => {
            when_empty(ctx, &found.hits, "Nothing holds any of these words; try others, or fewer filters.")
        }
        Some(hit) if matches!(hit.kind, FindKind::Task | FindKind::Plan) => {
            Guidance::next("tasks_radar", hit.id.clone(), "Where the best hit stands.")
        }
        Some(hit) if hit.kind == FindKind::Claim => {
            let mission = hit.id.split('/').next().unwrap_or(&hit.id).to_owned();
            Guidance::next("mission_show", mission, "The mission of the best hit.")
        }
        Some(_) => Guidance::default(),
    }
}
