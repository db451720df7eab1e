//! Family: what kind of way a route is, read from where the walk stands.

use m1nd_graph::EdgeKind;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    Calls,
    CalledBy,
    Tests,
    TestedBy,
    Inherits,
    InheritedBy,
    References,
    ReferencedBy,
    Imports,
    ImportedBy,
    Contains,
    Inside,
    ChangesWith,
}

impl Family {
    pub const ALL: [Self; 13] = [
        Self::Calls,
        Self::CalledBy,
        Self::Tests,
        Self::TestedBy,
        Self::Inherits,
        Self::InheritedBy,
        Self::References,
        Self::ReferencedBy,
        Self::Imports,
        Self::ImportedBy,
        Self::Contains,
        Self::Inside,
        Self::ChangesWith,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::CalledBy => "called_by",
            Self::Tests => "tests",
            Self::TestedBy => "tested_by",
            Self::Inherits => "inherits",
            Self::InheritedBy => "inherited_by",
            Self::References => "references",
            Self::ReferencedBy => "referenced_by",
            Self::Imports => "imports",
            Self::ImportedBy => "imported_by",
            Self::Contains => "contains",
            Self::Inside => "inside",
            Self::ChangesWith => "changes_with",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|family| family.name() == text)
    }

    /// What a relation is to one of its ends: `along` when it leads away from there.
    pub(crate) fn of(kind: EdgeKind, along: bool) -> Self {
        match (kind, along) {
            (EdgeKind::Calls, true) => Self::Calls,
            (EdgeKind::Calls, false) => Self::CalledBy,
            (EdgeKind::Tests, true) => Self::Tests,
            (EdgeKind::Tests, false) => Self::TestedBy,
            (EdgeKind::Inherits | EdgeKind::Implements, true) => Self::Inherits,
            (EdgeKind::Inherits | EdgeKind::Implements, false) => Self::InheritedBy,
            (EdgeKind::Imports | EdgeKind::DependsOn, true) => Self::Imports,
            (EdgeKind::Imports | EdgeKind::DependsOn, false) => Self::ImportedBy,
            (EdgeKind::Contains, true) => Self::Contains,
            (EdgeKind::Contains, false) => Self::Inside,
            (EdgeKind::CoChanges, _) => Self::ChangesWith,
            (
                EdgeKind::References
                | EdgeKind::Routes
                | EdgeKind::Configures
                | EdgeKind::Documents
                | EdgeKind::BindsTo
                | EdgeKind::Supports
                | EdgeKind::Blocks,
                true,
            ) => Self::References,
            (_, false) => Self::ReferencedBy,
        }
    }
}
