//! Lines: where a finding points to, as it is shown.

use std::collections::BTreeSet;

use super::Finding;

/// Places that are kept of each finding: who has room for them shows all.
pub const MAX_PLACES: usize = 200;
/// Places that are shown of each, where many findings are told.
pub const SHOWN_PLACES: usize = 5;

/// Of tests, path and line: those of tests come last.
pub type Lines<'g> = BTreeSet<(bool, &'g str, u32)>;

/// The first of them.
pub fn places(lines: &Lines<'_>) -> Vec<String> {
    lines.iter().take(MAX_PLACES).map(|(_, path, line)| format!("{path}:{line}")).collect()
}

/// Keeps the first findings, and says in the last of them how many more there are.
pub fn cut(found: &mut Vec<Finding>, most: usize) {
    let more = found.len().saturating_sub(most);
    found.truncate(most);
    if more > 0
        && let Some(last) = found.last_mut()
    {
        last.message.push_str(&format!("; {more} more like it are not listed"));
    }
}
