//! `memory_search`: notes, cards, tasks and plans by their words.

use m1nd_contract::Guidance;
use m1nd_memory::port::FindKind;
use m1nd_memory::search::{self, SearchOutput, SearchRequest};
use m1nd_runtime::{Ctx, Example};

use crate::recall::{LIST, READ, memory_tool, when_empty};

memory_tool! {
    MemorySearch, search::search, SearchRequest => SearchOutput, within LIST, next point;
    name: "memory_search",
    summary: "Find notes, cards, tasks and plans by their words, best first. Ids and snippets; read the whole with branchmind_show or tasks_radar.",
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
        None => when_empty(
            ctx,
            &found.hits,
            "Nothing holds any of these words; try others, or fewer filters. Claims are kept by missions.",
        ),
        Some(hit) if matches!(hit.kind, FindKind::Task | FindKind::Plan) => {
            Guidance::next("tasks_radar", hit.id.clone(), "Where the best hit stands.")
        }
        Some(_) => Guidance::default(),
    }
}
