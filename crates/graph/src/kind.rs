//! The closed lists of node and edge kinds.

use serde::{Deserialize, Serialize};

macro_rules! kinds {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[repr(u8)]
        pub enum $name { $($(#[$vdoc])* #[serde(rename = $text)] $variant,)* }

        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)* _ => None }
            }

            pub(crate) fn from_u8(raw: u8) -> Option<Self> {
                Self::ALL.get(usize::from(raw)).copied()
            }
        }
    };
}

kinds! {
    /// What a node stands for.
    NodeKind {
        Repository = "repository",
        Directory = "directory",
        File = "file",
        Module = "module",
        Class = "class",
        Struct = "struct",
        Enum = "enum",
        Trait = "trait",
        Interface = "interface",
        Type = "type",
        Function = "function",
        Method = "method",
        Constant = "constant",
        Test = "test",
        /// An HTTP route.
        Route = "route",
        ConfigKey = "config_key",
        Document = "document",
        Section = "section",
        Concept = "concept",
        Entity = "entity",
        Claim = "claim",
        Event = "event",
        State = "state",
    }
}

kinds! {
    /// How two nodes are related.
    EdgeKind {
        Contains = "contains",
        Imports = "imports",
        Calls = "calls",
        Inherits = "inherits",
        Implements = "implements",
        /// A type or a constant is used.
        References = "references",
        Tests = "tests",
        /// Changed together in the history.
        CoChanges = "co_changes",
        Routes = "routes",
        Configures = "configures",
        Documents = "documents",
        BindsTo = "binds_to",
        DependsOn = "depends_on",
        Supports = "supports",
        Blocks = "blocks",
    }
}

impl NodeKind {
    /// Whether the node is something that runs when called.
    pub fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Test)
    }

    /// Whether the node names a type that can have members.
    pub fn is_type(self) -> bool {
        matches!(self, Self::Class | Self::Struct | Self::Enum | Self::Trait | Self::Interface | Self::Type)
    }
}

impl EdgeKind {
    /// The weight an edge starts with, before anything was learned: how strongly a change on one side
    /// tends to matter on the other.
    pub fn base_weight(self) -> f32 {
        match self {
            Self::Calls | Self::Inherits | Self::Implements => 1.0,
            Self::Tests | Self::Routes | Self::Configures | Self::BindsTo => 0.8,
            Self::References | Self::Imports | Self::DependsOn | Self::Supports | Self::Blocks => 0.6,
            Self::Documents | Self::CoChanges => 0.5,
            Self::Contains => 0.4,
        }
    }

    /// How far the target's behaviour causes the source's.
    pub fn causal_strength(self) -> f32 {
        match self {
            Self::Calls | Self::Routes => 0.9,
            Self::Inherits | Self::Implements | Self::Configures | Self::Blocks => 0.8,
            Self::DependsOn | Self::Tests => 0.7,
            Self::References | Self::Imports => 0.5,
            Self::Supports | Self::BindsTo => 0.4,
            Self::Contains | Self::CoChanges | Self::Documents => 0.1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_survives_its_name_and_its_number() {
        for &kind in NodeKind::ALL {
            assert_eq!(NodeKind::parse(kind.name()), Some(kind));
            assert_eq!(NodeKind::from_u8(kind as u8), Some(kind));
        }
        for &kind in EdgeKind::ALL {
            assert_eq!(EdgeKind::parse(kind.name()), Some(kind));
            assert_eq!(EdgeKind::from_u8(kind as u8), Some(kind));
        }
        assert_eq!(NodeKind::from_u8(200), None);
    }
}
