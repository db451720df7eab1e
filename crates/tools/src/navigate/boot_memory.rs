//! `boot_memory`: small facts that every session should have at hand.

use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Code, Fault, Guidance, Recovery, Trim};
use m1nd_runtime::flows::navigate::facts::{self, Fact};
use m1nd_runtime::{Answer, Ctx, Example, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::WRITE;

pub struct BootMemory;

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    Set,
    Get,
    List,
    Delete,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What to do
    action: Action,
    /// 1-64 letters, digits and . _ - /
    key: Option<String>,
    /// For set, up to 1000 bytes
    value: Option<String>,
    /// For delete: true
    confirm: Option<bool>,
    /// Accept text that looks like a secret
    allow_sensitive: Option<bool>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// set, deleted, or absent where nothing was changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    done: Option<&'static str>,
    /// The fact, or all of them by key.
    facts: Vec<Fact>,
    total: u64,
    truncated: bool,
}

impl Tool for BootMemory {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "boot_memory",
        summary: "Small facts that every session of this workspace should have at hand: set, get, list, delete.",
        help: "Shared by all agents of the workspace; 100 facts of up to 1000 bytes. set replaces. For what is longer or has a history, use notes (branchmind_notes_commit).",
        intents: &["hot facts", "remember a small fact", "how to run the tests", "boot facts"],
        needs: Needs::Workspace,
        fresh: false,
        budget: Some(6_000),
        examples: &[Example {
            says: "How tests are run",
            arguments: r#"{"action": "set", "key": "tests", "value": "cargo test"}"#,
        }],
        ..WRITE
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let key = || input.key.as_deref().ok_or_else(|| ctx.invalid("This `action` needs a `key`."));
        let one = |done, fact: Fact| Output { done, facts: vec![fact], total: 1, truncated: false };
        let output = match input.action {
            Action::Set => {
                let value = input.value.as_deref().ok_or_else(|| ctx.invalid("`set` needs a `value`."))?;
                one(Some("set"), facts::set(ctx, key()?, value, input.allow_sensitive == Some(true))?)
            }
            Action::Get => one(None, facts::get(ctx, key()?)?),
            Action::Delete => {
                let key = key()?;
                if input.confirm != Some(true) {
                    return Err(Fault::new(
                        Code::InvalidParams,
                        "`delete` forgets a fact for all agents; it needs `confirm`: true.",
                        Recovery::call(
                            "See what it says.",
                            ctx.tool(),
                            json!({ "action": "get", "key": key }),
                        ),
                    ));
                }
                let gone = facts::delete(ctx, key)?;
                let total = facts::all(ctx)?.len() as u64;
                Output { done: Some("deleted"), facts: vec![gone], total, truncated: false }
            }
            Action::List if input.key.is_some() => {
                return Err(ctx.invalid("`list` takes no `key`; `get` reads one fact."));
            }
            Action::List => {
                let all = facts::all(ctx)?;
                Output { done: None, total: all.len() as u64, facts: all, truncated: false }
            }
        };
        let next = match output.total {
            0 if output.done.is_some() => Guidance::hint("That was the last fact."),
            0 => Guidance::hint("No fact is kept here yet."),
            _ => Guidance::default(),
        };
        let total = output.total;
        Ok(Answer::of(output).candidates(total).next(next))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.facts, excess) > 0
    }
}
