//! `persist`: writes the graph to disk now.

use m1nd_contract::{Code, Fault, Recovery};
use m1nd_runtime::workspace::Saved;
use m1nd_runtime::{Answer, Ctx, Effect, Example, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct Persist;

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    #[default]
    Save,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What to do
    #[serde(default)]
    #[schemars(extend("default" = "save"))]
    action: Action,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// saved, empty (there is no graph) or busy (another process is writing it).
    state: &'static str,
    /// Bytes written.
    bytes: u64,
}

impl Tool for Persist {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "persist",
        summary: "Write the graph to the runtime root now. Ingest does this by itself.",
        help: "",
        intents: &["save graph", "snapshot"],
        effect: Effect::Remember,
        examples: &[Example { says: "Save", arguments: r#"{"action": "save"}"# }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let Action::Save = input.action;
        let saved = ctx.workspace()?.save().map_err(|err| {
            Fault::new(
                Code::Storage,
                format!("The graph could not be written: {err}."),
                Recovery::hint("Free some space or allow this user to write to the runtime root; the graph in memory is unharmed."),
            )
        })?;
        let (state, bytes) = match saved {
            Saved::Written { bytes, .. } => ("saved", bytes),
            Saved::Nothing => ("empty", 0),
            Saved::AnotherWrites => ("busy", 0),
        };
        Ok(Answer::of(Output { state, bytes }))
    }
}

m1nd_contract::fixed_size!(Output);
