//! Saw: what an agent saw of its host and of an earlier call, as the tools of recovery take it.

use m1nd_contract::Fault;
use m1nd_contract::arg::Int;
use m1nd_guard::{Observed, TrustMode};
use m1nd_runtime::Ctx;
use m1nd_runtime::flows::trust;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Saw {
    /// How many m1nd tools the host shows
    observed_tool_count: Option<Int>,
    /// Their names
    available_tools: Option<Vec<String>>,
    /// Tools that were wanted and not shown
    missing_tools: Option<Vec<String>>,
    /// Repository or folder that is meant
    scope: Option<String>,
    /// Tool of the call that went wrong
    observed_tool: Option<String>,
    /// Its proof_state
    observed_proof_state: Option<String>,
    /// How much it found
    observed_candidates: Option<Int>,
    /// What it said
    error_text: Option<String>,
    /// The trust_mode it carried
    trust_mode: Option<TrustMode>,
}

impl Saw {
    pub fn observed(self, ctx: &Ctx<'_>) -> Result<Observed, Fault> {
        let count = |name: &str, given: Option<Int>| ctx.in_range(name, given, 0..=i64::MAX);
        let saw = trust::Saw {
            observed_tool_count: count("observed_tool_count", self.observed_tool_count)?,
            observed_candidates: count("observed_candidates", self.observed_candidates)?,
            available_tools: self.available_tools,
            missing_tools: self.missing_tools,
            scope: self.scope,
            observed_tool: self.observed_tool,
            observed_proof_state: self.observed_proof_state,
            error_text: self.error_text,
            trust_mode: self.trust_mode,
        };
        Ok(trust::observed(ctx, saw))
    }
}
