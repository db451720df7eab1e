//! How an edge is known.

use serde::{Deserialize, Serialize};

/// From strongest to weakest; `max` of two is the one to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum Evidence {
    /// A compiler's index said so.
    Precise,
    /// Imports, scopes and types name exactly one target.
    Resolved,
    /// Only the name matches; this many targets had it.
    Inferred { candidates: u16 },
}

impl Evidence {
    /// The stronger of two pieces of evidence for the same edge.
    #[must_use]
    pub fn strongest(self, other: Self) -> Self {
        if other.pack() < self.pack() { other } else { self }
    }

    pub fn is_inferred(self) -> bool {
        matches!(self, Self::Inferred { .. })
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Precise => "precise",
            Self::Resolved => "resolved",
            Self::Inferred { .. } => "inferred",
        }
    }

    /// Orders by strength: smaller is stronger, and few candidates are stronger than many.
    pub(crate) fn pack(self) -> u16 {
        match self {
            Self::Precise => 0,
            Self::Resolved => 1,
            Self::Inferred { candidates } => candidates.saturating_add(2),
        }
    }

    /// The same in a byte; so many candidates that they do not fit count as the most that do.
    pub(crate) fn pack_small(self) -> u8 {
        u8::try_from(self.pack()).unwrap_or(u8::MAX)
    }

    pub(crate) fn unpack(raw: u16) -> Self {
        match raw {
            0 => Self::Precise,
            1 => Self::Resolved,
            more => Self::Inferred { candidates: more - 2 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_beats_a_resolver_beats_a_name_and_few_names_beat_many() {
        let one = Evidence::Inferred { candidates: 1 };
        let nine = Evidence::Inferred { candidates: 9 };
        assert_eq!(nine.strongest(one), one);
        assert_eq!(one.strongest(Evidence::Resolved), Evidence::Resolved);
        assert_eq!(Evidence::Precise.strongest(Evidence::Resolved), Evidence::Precise);
        for evidence in [one, nine, Evidence::Resolved, Evidence::Precise] {
            assert_eq!(Evidence::unpack(evidence.pack()), evidence);
        }
    }
}
