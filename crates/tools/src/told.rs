//! Told: a step as an agent tells of it, wherever a mission takes one.

/// A struct with the fields of a step behind those that are given. One list for all of them, and no struct inside another:
/// a flattened one could not say which of its fields is wrong.
macro_rules! told {
    ($name:ident { $($before:tt)* }) => {
        #[derive(Clone, Debug, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $($before)*
            /// What the step was part of: orient, locate, verify, sweep, edit …
            #[serde(default = "crate::told::verify")]
            pub phase: String,
            /// What was done: file_read, search, test_run, edit, command, dead_path …
            pub event_type: String,
            /// File, test, command or question
            pub target: String,
            /// What it is evidence of; a claim needs a direct kind (the first six)
            pub evidence_class: Option<m1nd_mission::EvidenceClass>,
            /// hypothesis_supported, hypothesis_rejected, dead_path, passed, failed, read …
            pub outcome: String,
            /// How long it took
            pub duration_ms: Option<m1nd_contract::arg::Int>,
            /// 0 to 1
            pub agent_confidence: Option<f64>,
            /// In a sentence; the reason, when it was advised against
            pub note: Option<String>,
            /// A line of the target that shows it, as it stands there: without it a read settles no claim
            pub quote: Option<String>,
        }

        impl $name {
            pub fn telling(
                self,
                ctx: &m1nd_runtime::Ctx<'_>,
            ) -> Result<m1nd_mission::Telling, m1nd_contract::Fault> {
                let duration_ms = ctx.in_range("duration_ms", self.duration_ms, 0..=i64::MAX)?;
                let telling = m1nd_mission::Telling {
                    phase: self.phase,
                    event_type: self.event_type,
                    target: self.target,
                    evidence_class: self.evidence_class,
                    outcome: self.outcome,
                    duration_ms,
                    agent_confidence: self.agent_confidence,
                    note: self.note,
                    content_hash: None,
                    quote: self.quote,
                };
                Ok(m1nd_runtime::flows::missions::anchored(ctx.workspace()?, telling))
            }
        }
    };
}
pub(crate) use told;

told!(Told {});

pub(crate) fn verify() -> String {
    "verify".to_owned()
}
