//! `branchmind_think_card`: a card, written.

use m1nd_memory::think::{self, ThinkCardOutput, ThinkCardRequest};
use m1nd_runtime::Example;

use crate::recall::{WRITE, memory_tool};

memory_tool! {
    ThinkCard, think::commit, ThinkCardRequest => ThinkCardOutput;
    name: "branchmind_think_card",
    summary: "Write a card: a question, hypothesis, test, evidence or decision, and what it supports, blocks or supersedes. Repeating it changes nothing.",
    help: "`update: true` changes a card that exists with other contents; `supersedes` closes older cards and keeps them readable. `pinned: true` in the card keeps it in every brief.",
    intents: &["record a decision", "hypothesis", "open question", "evidence"],
    examples: &[
        Example {
            says: "A decision that answers a question",
            arguments: r#"{"target": "TASK-001", "card": {"id": "D1", "type": "decision", "title": "Greet by first name"}, "supports": ["Q1"]}"#,
        },
        Example {
            says: "The same form as lines",
            arguments: r#"{"target": "TASK-001", "card": "id: H1\ntype: hypothesis\ntitle: Short greetings are read"}"#,
        },
    ],
    ..WRITE
}
