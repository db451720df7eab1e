//! Prompts that a host can offer to its user.

use m1nd_runtime::{PromptArgument, PromptSpec};

pub const PROMPTS: &[PromptSpec] = &[
    PromptSpec {
        name: "doctrine",
        description: "How to work with m1nd: when to ask the graph, when to read, when to begin a mission, how to recover.",
        arguments: &[],
        text: crate::pack::DOCTRINE,
    },
    PromptSpec {
        name: "mission",
        description: "Do a task as a mission: with a ledger of evidence, one step at a time, to a proof or a hand-off.",
        arguments: &[PromptArgument {
            name: "goal",
            description: "What is to be found out or done",
            required: true,
        }],
        text: "Do this as a mission with m1nd: {goal}\n\n\
            1. `mission_start` with the goal and its mode; then pass mission_id with every call.\n\
            2. Ask `mission_next`, take its step, record with `mission_event` what you did elsewhere (tests, dead ends). Go on until it says close.\n\
            3. Every conclusion goes through `mission_verify` with the events that show it; read the source or run the test first.\n\
            4. `mission_close`, or `mission_handoff` if you stop before.\n\
            Answer with the verified claims and their path:line, the rejected ones, and what is open.",
    },
    PromptSpec {
        name: "orient",
        description: "Get to know this repository before changing anything.",
        arguments: &[PromptArgument {
            name: "focus",
            description: "A part of the repository or a question to keep in mind",
            required: false,
        }],
        text: "Get to know this repository with m1nd before you change anything. Focus: {focus}.\n\
            1. Call `health` to see which workspace is bound.\n\
            2. Call `glob` for manifests and entry points (README*, Cargo.toml, package.json, pyproject.toml, go.mod, main.*).\n\
            3. Call `batch_view` on the few that matter.\n\
            4. Call `search` for the names that the focus mentions, and `view` the places it finds.\n\
            Then say in ten lines what the parts are, where the focus lives, and what you do not know yet. Cite path:line.",
    },
    PromptSpec {
        name: "bug_hunt",
        description: "From a bug report to the lines that cause it, with proof.",
        arguments: &[PromptArgument {
            name: "report",
            description: "The bug report, error message or stack trace",
            required: true,
        }],
        text: "Find the cause of this report with m1nd:\n\n{report}\n\n\
            1. Take the exact strings out of it (messages, names, paths) and call `search` for each, literally.\n\
            2. `view` the places found, and search for the callers of what you see there.\n\
            3. State the cause as a claim, and read the lines that prove it or refute it. A match is not a proof.\n\
            4. Look once for the same mistake elsewhere: same pattern, boundary values, error paths.\n\
            Answer with the cause, the lines (path:line), what you ruled out, and the test that would have caught it.",
    },
    PromptSpec {
        name: "review_change",
        description: "Review a change: what it can break and what it forgot.",
        arguments: &[PromptArgument {
            name: "change",
            description: "The diff, or the names of the changed files",
            required: true,
        }],
        text: "Review this change with m1nd:\n\n{change}\n\n\
            1. For each changed function or type, call `search` for its name to find every user of it.\n\
            2. `view` the users: does the change keep what they rely on?\n\
            3. Search for tests of what changed, and for documents that describe it.\n\
            Answer with what breaks, what is untested, what was forgotten, each with path:line; then what you did not check.",
    },
];
