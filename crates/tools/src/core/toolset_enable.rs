//! `toolset_enable`: show more of the shelf to this host.

use m1nd_contract::Fault;
use m1nd_runtime::{Answer, Ctx, Effect, Example, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct ToolsetEnable;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Names of toolsets, or all
    toolsets: Vec<String>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// Toolsets that are listed now.
    enabled: Vec<&'static str>,
    /// Toolsets of this build that are not.
    available: Vec<&'static str>,
    /// Whether the list changed.
    changed: bool,
    /// Tools that are listed now.
    listed_tools: usize,
}

impl Tool for ToolsetEnable {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "toolset_enable",
        summary: "List more tools in this host. Tools that are not listed can be called by name all the same.",
        help: "The list belongs to the server process: every client of it sees the change and is notified.",
        intents: &["more tools", "enable toolset", "show all tools"],
        effect: Effect::Configure,
        needs: Needs::Nothing,
        examples: &[Example { says: "List everything", arguments: r#"{"toolsets": ["all"]}"# }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        if input.toolsets.is_empty() {
            return Err(ctx.invalid("`toolsets` is empty."));
        }
        let runtime = ctx.runtime();
        let changed = runtime
            .enable_toolsets(&input.toolsets.join(","))
            .map_err(|err| ctx.invalid(format!("{err}.")))?;
        let enabled: Vec<_> = runtime.enabled_toolsets().into_iter().map(|name| name.as_str()).collect();
        let all = runtime.registry().toolsets().iter().map(|toolset| toolset.name.as_str());
        Ok(Answer::of(Output {
            available: all.filter(|name| !enabled.contains(name)).collect(),
            enabled,
            changed,
            listed_tools: runtime.listings().len(),
        }))
    }
}

m1nd_contract::fixed_size!(Output);
