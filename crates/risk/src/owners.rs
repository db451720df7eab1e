//! Owners: who knows some files, by the commits that touched them.

use std::collections::BTreeMap;

/// A commit that touched some files.
#[derive(Clone, Copy, Debug)]
pub struct Touch<'a> {
    pub time_ms: i64,
    pub author: &'a str,
    pub files: &'a [String],
}

/// Somebody who knows the files.
#[derive(Clone, Debug, PartialEq)]
pub struct Owner {
    pub name: String,
    /// 0 to 1: of all that is known of the files, newer commits counting more.
    pub share: f64,
    /// Commits that touched any of the files.
    pub commits: u32,
    /// How many of the files.
    pub files: usize,
    pub last_ms: i64,
}

/// A commit counts half after so many days.
const HALF_LIFE_DAYS: f64 = 180.0;
const DAY_MS: f64 = 86_400_000.0;

/// Who touched the files, the one who knows most first. A commit's weight is shared among its files, counted back from the newest
/// commit that is given.
pub fn owners<'a>(touches: impl IntoIterator<Item = Touch<'a>>, files: &[&str]) -> Vec<Owner> {
    struct Sum<'f> {
        weight: f64,
        commits: u32,
        files: std::collections::BTreeSet<&'f str>,
        last_ms: i64,
    }
    let touches: Vec<Touch<'a>> = touches.into_iter().collect();
    let Some(newest) = touches.iter().map(|touch| touch.time_ms).max() else { return Vec::new() };
    let mut sums: BTreeMap<&str, Sum<'_>> = BTreeMap::new();
    for touch in touches.iter().filter(|touch| !touch.author.is_empty()) {
        let ours: Vec<&str> =
            files.iter().copied().filter(|file| touch.files.iter().any(|path| path == file)).collect();
        if ours.is_empty() {
            continue;
        }
        let days = newest.saturating_sub(touch.time_ms).max(0) as f64 / DAY_MS;
        let sum = sums.entry(touch.author).or_insert_with(|| Sum {
            weight: 0.0,
            commits: 0,
            files: Default::default(),
            last_ms: touch.time_ms,
        });
        sum.weight += (-days / HALF_LIFE_DAYS).exp2() * ours.len() as f64 / touch.files.len() as f64;
        sum.commits += 1;
        sum.files.extend(ours);
        sum.last_ms = sum.last_ms.max(touch.time_ms);
    }
    let total: f64 = sums.values().map(|sum| sum.weight).sum();
    let mut owners: Vec<Owner> = sums
        .into_iter()
        .map(|(name, sum)| Owner {
            name: name.to_owned(),
            share: sum.weight / total.max(f64::MIN_POSITIVE),
            commits: sum.commits,
            files: sum.files.len(),
            last_ms: sum.last_ms,
        })
        .collect();
    owners.sort_by(|a, b| b.share.total_cmp(&a.share).then_with(|| a.name.cmp(&b.name)));
    owners
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_commits_count_more_and_wide_ones_less() {
        let day = |days: f64| (1_000.0 * DAY_MS - days * DAY_MS) as i64;
        let (one, wide) = (["a".to_owned()], ["a", "b", "c", "d"].map(str::to_owned));
        let touches = [
            Touch { time_ms: day(0.0), author: "New", files: &one },
            Touch { time_ms: day(180.0), author: "Old", files: &one },
            Touch { time_ms: day(0.0), author: "Wide", files: &wide },
            Touch { time_ms: day(0.0), author: "Else", files: &wide[1..2] },
        ];
        let found = owners(touches, &["a"]);
        // 1, a half and a quarter, of 1.75.
        let shown: Vec<String> = found.iter().map(|one| format!("{} {:.3}", one.name, one.share)).collect();
        assert_eq!(shown, ["New 0.571", "Old 0.286", "Wide 0.143"]);
        assert_eq!((found[1].commits, found[1].files, found[1].last_ms), (1, 1, day(180.0)));
        assert!(owners([], &["a"]).is_empty());
        assert!(owners(touches, &["unknown"]).is_empty());
    }
}
