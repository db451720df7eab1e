//! The shelf: every tool, one file each, in toolset folders. A folder imports no other folder.

mod change;
mod core;
mod edit;
mod edited;
mod graph;
mod judged;
mod mission;
mod navigate;
mod ops;
pub mod pack;
mod prompts;
mod recall;
mod remember;
mod resources;
mod resumed;
mod risk;
mod saved;
mod saw;
mod tasks;
mod told;

use m1nd_runtime::{Surface, Toolset, ToolsetName};

/// Every toolset of this build. The order is the order of listings.
pub const TOOLSETS: &[Toolset] = &[
    Toolset {
        name: ToolsetName::Core,
        about: "The everyday path: find, read, ask who calls what, remember, get help.",
        tools: core::TOOLS,
    },
    Toolset {
        name: ToolsetName::Graph,
        about: "The shape of the code, and keeping the graph.",
        tools: graph::TOOLS,
    },
    Toolset {
        name: ToolsetName::Change,
        about: "What a change reaches, what goes with it, and what failures say about it.",
        tools: change::TOOLS,
    },
    Toolset {
        name: ToolsetName::Risk,
        about: "Where trouble is likely: trust, tremor, layers, and all of it at once.",
        tools: risk::TOOLS,
    },
    Toolset {
        name: ToolsetName::Edit,
        about: "Changing files: what an edit touches, previews, batches that are made whole or not at all, undo.",
        tools: edit::TOOLS,
    },
    Toolset {
        name: ToolsetName::Navigate,
        about: "Walks through the code, trails of what was found, locks on regions, small facts, and what was seen.",
        tools: navigate::TOOLS,
    },
    Toolset {
        name: ToolsetName::Memory,
        about: "What was learned and decided: notes, cards, branches of thought, and finding them again.",
        tools: remember::TOOLS,
    },
    Toolset {
        name: ToolsetName::Tasks,
        about: "Plans, tasks and steps that outlive a session, with claims for several agents.",
        tools: tasks::TOOLS,
    },
    Toolset {
        name: ToolsetName::Mission,
        about: "Work with a goal and a ledger of evidence: one step at a time, to a proof packet or a hand-off.",
        tools: mission::TOOLS,
    },
    Toolset {
        name: ToolsetName::Ops,
        about: "What this session did, and what it spared.",
        tools: ops::TOOLS,
    },
];

/// What hosts tell their models about m1nd.
const INSTRUCTIONS: &str = include_str!("instructions.md");

/// Everything a host can see.
pub fn surface() -> Surface {
    Surface {
        toolsets: TOOLSETS,
        resources: resources::RESOURCES,
        prompts: prompts::PROMPTS,
        instructions: INSTRUCTIONS,
    }
}
