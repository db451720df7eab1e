//! Given: names that others import and that stand for another one here.

/// Whether a module gives something under a name: `export { made as name }`.
pub(crate) fn renames(text: &str, name: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    text.match_indices(&format!(" as {name}")).any(|(at, found)| {
        let (before, after) = (&text[..at], &text[at + found.len()..]);
        let open = before.rfind('{').filter(|&open| before.rfind('}').is_none_or(|close| close < open));
        let head = open.map_or("", |open| before[..open].trim_end());
        !after.starts_with(is_letter) && (head.ends_with("export") || head.ends_with("export type"))
    })
}
