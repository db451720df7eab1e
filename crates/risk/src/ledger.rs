//! Ledger: what a file's past says about it. Trust from defects, tremor from how its changes speed up.
//!
//! Time is counted back from the newest change that is known, so that the same past gives the same numbers whenever it is asked.

use std::collections::BTreeMap;

/// A change of some files.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    pub time_ms: i64,
    /// Whether it mended something.
    pub is_fix: bool,
    pub files: &'a [String],
}

/// An edit that may not be committed yet.
#[derive(Clone, Copy, Debug)]
pub struct Edit<'a> {
    pub time_ms: i64,
    pub files: &'a [String],
}

/// A defect that somebody told of a file.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    pub time_ms: i64,
    pub path: &'a str,
    /// How much it counts; a fix counts 1.
    pub weight: f64,
}

const HOUR_MS: f64 = 3_600_000.0;
/// A defect counts half after so many hours.
const HALF_LIFE_HOURS: f64 = 720.0;
/// But never less than this.
const FLOOR: f64 = 0.3;
/// A file is called at most this many times as risky as the mean.
pub const MAX_MULTIPLIER: f64 = 3.0;
/// No file is called more likely than this to have a defect.
pub const MAX_PRIOR: f64 = 0.95;
/// Trust in a file of which nothing is known.
pub const COLD_START: f64 = 0.5;
/// As if every file had been watched for so long a share of the whole past already, with the mean of defects.
const SHRINK: f64 = 0.25;
/// Observations that are kept of a file.
pub const MAX_OBSERVED: usize = 256;
/// Fewer observations say nothing about how changes speed up.
pub const MIN_OBSERVED: usize = 3;
/// As if there had been so many more changes that came evenly: few changes are no tremor.
const EVEN: f64 = 3.0;
/// Changes are counted in three windows of so many days.
pub const WINDOW_DAYS: f64 = 30.0;

/// What is known of one file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// Changes, and how many of them mended something.
    pub changes: u32,
    pub fixes: u32,
    /// Defects that were told.
    pub told: u32,
    /// Defects, newer ones counting more.
    pub weight: f64,
    /// Edits that no commit has yet.
    pub edits: u32,
    /// Hours before the newest commit of all, newest first; below 0 for edits since.
    ages: Vec<f64>,
    /// Hours before the newest commit of all that the file was first seen.
    first: f64,
}

/// How far a file can be trusted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trust {
    /// 0 to 1.
    pub score: f64,
    /// How many times as many defects as the mean.
    pub multiplier: f64,
    /// How likely the next change of it is a fix.
    pub prior: f64,
}

/// How the changes of a file speed up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tremor {
    /// 0 to 1: by how much they speed up, as a share of all.
    pub magnitude: f64,
    /// Second difference of the counts in the windows.
    pub acceleration: f64,
    /// Changes in the windows, the oldest first.
    pub counts: [u32; 3],
}

impl Tremor {
    pub fn trend(&self) -> &'static str {
        let [_, middle, newest] = self.counts;
        match self.acceleration {
            // What is no tremor does not speed up, whatever was before.
            _ if self.magnitude > 0.0 => "accelerating",
            change if change < 0.0 || newest < middle => "slowing",
            _ => "steady",
        }
    }
}

/// What is known of all files.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    records: BTreeMap<String, Record>,
    /// Defects of a file, on the mean.
    mean: f64,
    /// Share of changes that are fixes.
    fix_share: f64,
    /// Hours from the oldest to the newest commit.
    span: f64,
    /// Hours from the newest commit to the newest edit since.
    lead: f64,
    changes: usize,
}

impl Ledger {
    /// The changes come newest first, the edits oldest first. An edit is in the next commit of its file and counts until then. Only files that `counts` admits are kept: a test that is changed by a fix had no defect.
    pub fn of<'a>(
        changes: impl IntoIterator<Item = Change<'a>>,
        edits: impl IntoIterator<Item = Edit<'a>>,
        told: impl IntoIterator<Item = Told<'a>>,
        counts: impl Fn(&str) -> bool,
    ) -> Self {
        let mut records: BTreeMap<String, Record> = BTreeMap::new();
        let told: Vec<Told<'_>> = told.into_iter().collect();
        let changes: Vec<Change<'_>> = changes.into_iter().collect();
        let edits: Vec<Edit<'_>> = edits.into_iter().collect();
        // What is told today of a project that rests must not make its past older.
        let newest = changes.iter().map(|change| change.time_ms).max();
        let newest = newest.or_else(|| edits.iter().map(|edit| edit.time_ms).max());
        let newest = newest.or_else(|| told.iter().map(|one| one.time_ms).max());
        let Some(newest) = newest else { return Self::default() };
        let age = |time_ms: i64| (newest.saturating_sub(time_ms).max(0) as f64) / HOUR_MS;
        let (mut touched, mut mended, mut span) = (0_u64, 0_u64, 0.0_f64);
        for change in &changes {
            let hours = age(change.time_ms);
            span = span.max(hours);
            for path in change.files.iter().filter(|path| counts(path)) {
                let record = records.entry(path.clone()).or_default();
                record.changes += 1;
                record.first = record.first.max(hours);
                if record.ages.len() < MAX_OBSERVED {
                    record.ages.push(hours);
                }
                touched += 1;
                if change.is_fix {
                    record.fixes += 1;
                    record.weight += recency(hours);
                    mended += 1;
                }
            }
        }
        for one in told.iter().filter(|one| counts(one.path)) {
            let record = records.entry(one.path.to_owned()).or_default();
            record.told += 1;
            record.weight += one.weight * recency(age(one.time_ms));
        }
        let mean = records.values().map(|record| record.weight).sum::<f64>() / records.len().max(1) as f64;
        let fix_share = mended as f64 / touched.max(1) as f64;
        // A file that was only edited was not watched, and is no part of the mean.
        let lead = add_edits(&mut records, &edits, newest, counts);
        Self { records, mean, fix_share, span, lead, changes: changes.len() }
    }

    pub fn record(&self, path: &str) -> Option<&Record> {
        self.records.get(path)
    }

    /// How many changes it was made of.
    pub fn changes(&self) -> usize {
        self.changes
    }

    /// Nothing where nothing is known of the file, or no file ever had a defect.
    pub fn trust(&self, path: &str) -> Option<Trust> {
        let record = self.record(path).filter(|_| self.mean > 0.0)?;
        // A file that is younger than the past was watched for a part of it.
        let watched = if self.span > 0.0 { record.first / self.span } else { 1.0 };
        let expected = (record.weight + SHRINK * self.mean) / (watched.max(0.0) + SHRINK);
        let multiplier = (expected / self.mean).min(MAX_MULTIPLIER);
        let prior = (self.fix_share * multiplier).min(MAX_PRIOR);
        Some(Trust { score: 1.0 / (1.0 + multiplier), multiplier, prior })
    }

    /// Nothing where there are fewer than three observations.
    pub fn tremor(&self, path: &str) -> Option<Tremor> {
        let record = self.record(path).filter(|record| record.ages.len() >= MIN_OBSERVED)?;
        let mut counts = [0_u32; 3];
        for &hours in &record.ages {
            let window = (hours + self.lead) / (24.0 * WINDOW_DAYS);
            if window < 3.0 {
                counts[2 - window as usize] += 1;
            }
        }
        let [oldest, middle, newest] = counts.map(f64::from);
        let acceleration = newest - 2.0 * middle + oldest;
        // Changes that become fewer are no tremor.
        let rising = newest > middle;
        let total = oldest + middle + newest;
        // Nor are old ones that ended and one that came back more than that one.
        let magnitude = if rising { acceleration.clamp(0.0, newest) / (total + EVEN) } else { 0.0 };
        Some(Tremor { magnitude, acceleration, counts })
    }
}

/// Adds edits that are newer than every commit of their file. Says how many hours after the newest commit the last of them was.
fn add_edits(
    records: &mut BTreeMap<String, Record>,
    edits: &[Edit<'_>],
    newest: i64,
    counts: impl Fn(&str) -> bool,
) -> f64 {
    let mut lead = 0.0_f64;
    for edit in edits {
        let age = newest.saturating_sub(edit.time_ms) as f64 / HOUR_MS;
        for path in edit.files.iter().filter(|path| counts(path)) {
            let record = records.entry(path.clone()).or_default();
            // The newest observation before this loop is a commit, and then an earlier edit.
            let is_committed = record.edits == 0 && record.ages.first().is_some_and(|&commit| commit <= age);
            if is_committed {
                continue;
            }
            record.edits += 1;
            record.ages.insert(0, age);
            record.ages.truncate(MAX_OBSERVED);
            lead = lead.max(-age);
        }
    }
    lead
}

fn recency(hours: f64) -> f64 {
    (-hours / HALF_LIFE_HOURS).exp2().max(FLOOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(days: f64) -> i64 {
        (1_000.0 * 86_400_000.0 - days * 86_400_000.0) as i64
    }

    #[test]
    fn trust_falls_with_defects_and_new_ones_count_more() {
        let files = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let (bad, both) = (files(&["bad"]), files(&["bad", "good"]));
        let changes = [
            Change { time_ms: day(0.0), is_fix: true, files: &bad },
            Change { time_ms: day(30.0), is_fix: true, files: &bad },
            Change { time_ms: day(60.0), is_fix: false, files: &both },
            Change { time_ms: day(90.0), is_fix: false, files: &both },
        ];
        let ledger = Ledger::of(changes, [], [], |_| true);
        // 1 for the newest, a half after 720 hours; the mean of the two files is 0.75.
        assert!((ledger.record("bad").unwrap().weight - 1.5).abs() < 1e-9);
        // (1.5 + 0.25 * 0.75) / (1 + 0.25) = 1.35, 1.8 times the mean.
        let trust = ledger.trust("bad").unwrap();
        assert!((trust.multiplier - 1.8).abs() < 1e-9, "{trust:?}");
        assert!((trust.score - 1.0 / 2.8).abs() < 1e-9);
        // Two of six touches were fixes.
        assert!((trust.prior - 1.8 / 3.0).abs() < 1e-9);
        assert!((ledger.trust("good").unwrap().multiplier - 0.2).abs() < 1e-9);
        assert_eq!(ledger.trust("unknown"), None);
    }

    #[test]
    fn what_was_told_counts_and_multipliers_end_at_three() {
        let file = ["a".to_owned()];
        let others: Vec<Vec<String>> = (0..20).map(|at| vec![format!("f{at}")]).collect();
        let mut changes = vec![Change { time_ms: day(0.0), is_fix: false, files: &file }];
        changes.extend(others.iter().map(|files| Change { time_ms: day(10.0), is_fix: false, files }));
        let told = [Told { time_ms: day(0.0), path: "a", weight: 1.0 }; 2];
        let ledger = Ledger::of(changes, [], told, |_| true);
        assert_eq!(ledger.trust("a").unwrap().multiplier, MAX_MULTIPLIER);
        assert_eq!(ledger.trust("a").unwrap().score, 0.25);
        assert!(Ledger::of([], [], [], |_| true).trust("a").is_none());
    }

    #[test]
    fn what_is_told_after_the_last_change_makes_no_fix_older() {
        let file = ["a".to_owned()];
        let changes = [Change { time_ms: day(90.0), is_fix: true, files: &file }];
        let told = [Told { time_ms: day(0.0), path: "b", weight: 0.2 }];
        let ledger = Ledger::of(changes, [], told, |_| true);
        assert_eq!(ledger.record("a").unwrap().weight, 1.0);
        assert_eq!(ledger.record("b").unwrap().weight, 0.2);
    }

    #[test]
    fn tremor_is_the_second_difference_of_three_windows() {
        let file = ["a".to_owned()];
        let at = |days: &[f64]| {
            let changes = days.iter().map(|&days| Change { time_ms: day(days), is_fix: false, files: &file });
            Ledger::of(changes.collect::<Vec<_>>(), [], [], |_| true)
        };
        // 1, 1, 4: 4 - 2 + 1 = 3 of 6 and 3 more.
        let rising = at(&[0.0, 1.0, 2.0, 3.0, 40.0, 70.0]).tremor("a").unwrap();
        assert_eq!((rising.counts, rising.acceleration, rising.magnitude), ([1, 1, 4], 3.0, 3.0 / 9.0));
        assert_eq!(rising.trend(), "accelerating");
        let even = at(&[0.0, 40.0, 70.0]).tremor("a").unwrap();
        assert_eq!((even.acceleration, even.magnitude), (0.0, 0.0));
        // 3, 0, 1: the changes ended and one came back.
        let falling = at(&[0.0, 62.0, 63.0, 64.0]).tremor("a").unwrap();
        assert_eq!((falling.counts, falling.acceleration, falling.magnitude), ([3, 0, 1], 4.0, 1.0 / 7.0));
        // 3, 2, 2: nothing speeds up, though the second difference is 1.
        let ended = at(&[0.0, 1.0, 40.0, 41.0, 70.0, 71.0, 72.0]).tremor("a").unwrap();
        assert_eq!((ended.counts, ended.magnitude, ended.trend()), ([3, 2, 2], 0.0, "steady"));
        assert_eq!(at(&[0.0, 1.0]).tremor("a"), None);
    }

    #[test]
    fn edits_count_until_a_commit_of_their_file_has_them() {
        let (a, b) = (["a".to_owned()], ["b".to_owned()]);
        let changes = [
            Change { time_ms: day(10.0), is_fix: false, files: &b },
            Change { time_ms: day(20.0), is_fix: true, files: &a },
        ];
        let edits = [
            // In the commit of the 20th day before.
            Edit { time_ms: day(21.0), files: &a },
            Edit { time_ms: day(15.0), files: &a },
            Edit { time_ms: day(1.0), files: &a },
            Edit { time_ms: day(0.0), files: &a },
        ];
        let ledger = Ledger::of(changes, edits, [], |_| true);
        let record = ledger.record("a").unwrap();
        assert_eq!((record.changes, record.edits), (1, 3));
        assert_eq!(ledger.tremor("a").unwrap().counts, [0, 0, 4]);
        // What is edited today makes no fix older: trust stands as without edits.
        let without = Ledger::of(changes, [], [], |_| true);
        assert_eq!(ledger.trust("a"), without.trust("a"));
        assert_eq!(ledger.trust("b"), without.trust("b"));
        // Windows are counted from the newest edit.
        let old =
            [day(62.0), day(63.0), day(64.0)].map(|time_ms| Change { time_ms, is_fix: false, files: &b });
        let moved = Ledger::of(old, [Edit { time_ms: day(0.0), files: &a }], [], |_| true);
        assert_eq!(moved.tremor("b").unwrap().counts, [3, 0, 0]);
        // Without a history edits are all there is.
        let alone = Ledger::of([], [Edit { time_ms: day(0.0), files: &a }; 3], [], |_| true);
        assert_eq!(alone.tremor("a").unwrap().counts, [0, 0, 3]);
        assert_eq!(alone.trust("a"), None);
    }
}
