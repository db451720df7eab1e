//! The known names that a mistyped name most likely meant.

/// Up to `max` of `known`, nearest first; names that are not near at all are left out.
pub fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>, max: usize) -> Vec<&'a str> {
    let wanted = wanted.to_lowercase();
    let mut scored: Vec<(f64, &str)> = known
        .into_iter()
        .map(|name| (likeness(&wanted, &name.to_lowercase()), name))
        .filter(|(score, _)| *score >= NEAR)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    scored.into_iter().take(max).map(|(_, name)| name).collect()
}

/// Below this, a suggestion confuses more than it helps.
const NEAR: f64 = 0.5;

fn likeness(wanted: &str, name: &str) -> f64 {
    if wanted.len() > MAX_COMPARED || name.len() > MAX_COMPARED {
        return 0.0;
    }
    let contained = wanted.len() >= 3 && name.len() >= 3 && (name.contains(wanted) || wanted.contains(name));
    let edits = strsim::normalized_damerau_levenshtein(wanted, name);
    if contained { edits.max(0.75) } else { edits }
}

/// Edit distance is quadratic; names longer than this are not names.
const MAX_COMPARED: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_finds_its_name_and_noise_finds_nothing() {
        let known = ["search", "seek", "view", "batch_view"];
        assert_eq!(nearest("serach", known, 3), ["search"]);
        assert_eq!(nearest("batchview", known, 1), ["batch_view"]);
        assert_eq!(nearest("zzzzzz", known, 3), [""; 0]);
    }

    #[test]
    fn a_name_of_megabytes_costs_nothing() {
        let long = "x".repeat(10_000_000);
        assert!(nearest(&long, ["search"], 3).is_empty());
    }
}
