//! Two signatures next to each other, cut so that what differs is seen.

/// Bytes of what both have in common that are kept before the difference.
const BEFORE: usize = 40;

/// Both on one line and at most about `max` bytes long.
pub fn shown(was: &str, is: &str, max: usize) -> [String; 2] {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (was, is) = (plain(was), plain(is));
    if was.len() <= max && is.len() <= max {
        return [was, is];
    }
    let alike = was.char_indices().zip(is.chars()).take_while(|((_, a), b)| a == b).last();
    let alike = alike.map_or(0, |((at, _), _)| at);
    // A difference near the beginning is seen anyway.
    let from = if alike + BEFORE <= max { 0 } else { alike.saturating_sub(BEFORE) };
    [was, is].map(|text| {
        let from = text.floor_char_boundary(from);
        let to = text.floor_char_boundary((from + max).min(text.len()));
        let (before, after) = (if from > 0 { "…" } else { "" }, if to < text.len() { "…" } else { "" });
        format!("{before}{}{after}", &text[from..to])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_difference_is_seen_however_late_it_comes() {
        let long = |end: &str| format!("def f({}, {end})", "parameter, ".repeat(40));
        let [was, is] = shown(&long("a"), &long("b"), 160);
        assert!(was != is && was.ends_with("a)") && is.ends_with("b)") && was.starts_with('…'), "{was} {is}");
        assert_eq!(shown("a  b", "a c", 160), ["a b", "a c"]);
        let [was, is] = shown("def f(a)", &long("b"), 160);
        assert!(was == "def f(a)" && is.starts_with("def f(parameter") && is.ends_with('…'), "{was} {is}");
        assert_ne!(shown(&"ä".repeat(300), &format!("{}x", "ä".repeat(300)), 100)[0], "");
    }
}
