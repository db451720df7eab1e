//! Lines: where a finding points to, as it is shown.

use std::collections::BTreeSet;

/// Lines that are shown of each finding.
pub const MAX_PLACES: usize = 5;

/// Of tests, path and line: those of tests come last.
pub type Lines<'g> = BTreeSet<(bool, &'g str, u32)>;

/// The first of them.
pub fn places(lines: &Lines<'_>) -> Vec<String> {
    lines.iter().take(MAX_PLACES).map(|(_, path, line)| format!("{path}:{line}")).collect()
}
