//! `branchmind_think_template`: an empty card to fill in.

use m1nd_memory::think::{self, ThinkTemplateOutput, ThinkTemplateRequest};
use m1nd_runtime::Example;

use crate::recall::{LIST, READ, memory_tool};

memory_tool! {
    ThinkTemplate, |_, request| think::template(request), ThinkTemplateRequest => ThinkTemplateOutput, within LIST;
    name: "branchmind_think_template",
    summary: "An empty card of a type to fill in: frame, hypothesis, question, test, evidence, decision, note, update.",
    intents: &["card template", "card fields"],
    examples: &[Example { says: "A decision to fill in", arguments: r#"{"type": "decision"}"# }],
    ..READ
}
