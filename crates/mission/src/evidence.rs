//! Evidence: what kind of thing an event is a witness of.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Direct kinds are about the thing itself; indirect ones are about what somebody or something says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceClass {
    DirectSource,
    TestRun,
    Compiler,
    RuntimeProbe,
    Diff,
    Human,
    Graph,
    Inferred,
    Memory,
}

impl EvidenceClass {
    pub const ALL: [Self; 9] = [
        Self::DirectSource,
        Self::TestRun,
        Self::Compiler,
        Self::RuntimeProbe,
        Self::Diff,
        Self::Human,
        Self::Graph,
        Self::Inferred,
        Self::Memory,
    ];

    /// Those that can carry a claim.
    pub const DIRECT: [Self; 6] =
        [Self::DirectSource, Self::TestRun, Self::Compiler, Self::RuntimeProbe, Self::Diff, Self::Human];

    pub fn is_direct(self) -> bool {
        Self::DIRECT.contains(&self)
    }

    /// Those of something that ran.
    pub fn is_run(self) -> bool {
        matches!(self, Self::TestRun | Self::Compiler | Self::RuntimeProbe)
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::DirectSource => "direct_source",
            Self::TestRun => "test_run",
            Self::Compiler => "compiler",
            Self::RuntimeProbe => "runtime_probe",
            Self::Diff => "diff",
            Self::Human => "human",
            Self::Graph => "graph",
            Self::Inferred => "inferred",
            Self::Memory => "memory",
        }
    }
}
