//! Trend: how a file's changes went over a time.

/// One change of the file.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Days before the end of the time.
    pub age_days: f64,
    pub added: u32,
    pub removed: u32,
}

/// What the changes come to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trend {
    /// Changes a week.
    pub velocity: f64,
    /// Share of weeks without a change.
    pub stability: f64,
    pub added: u32,
    pub removed: u32,
    pub pattern: &'static str,
}

/// Without a change for so long a file sleeps.
const DORMANT_DAYS: f64 = 90.0;
/// A file that grew or shrank by this share of what it was.
const GROWTH: f64 = 0.2;

/// `days` is how long the time is, `lines` how long the file is now.
pub fn trend(steps: &[Step], days: f64, lines: u32) -> Trend {
    // A week that began is one in which there could have been a change; the pace is that of the time itself.
    let weeks = (days / 7.0).ceil().max(1.0);
    let touched: std::collections::BTreeSet<u64> =
        steps.iter().map(|step| (step.age_days / 7.0) as u64).collect();
    let sum = |of: fn(&Step) -> u32| steps.iter().map(of).fold(0_u32, u32::saturating_add);
    let (added, removed) = (sum(|step| step.added), sum(|step| step.removed));
    let newest = steps.iter().map(|step| step.age_days).fold(f64::INFINITY, f64::min);
    Trend {
        velocity: steps.len() as f64 / (days / 7.0).max(1.0),
        stability: 1.0 - (touched.len() as f64 / weeks).min(1.0),
        added,
        removed,
        pattern: pattern(
            newest.min(days),
            f64::from(added),
            f64::from(removed),
            f64::from(lines),
            steps.is_empty(),
        ),
    }
}

fn pattern(newest: f64, added: f64, removed: f64, lines: f64, is_empty: bool) -> &'static str {
    let net = added - removed;
    let before = (lines - net).max(0.0);
    if is_empty || newest > DORMANT_DAYS {
        "dormant"
    } else if net > GROWTH * before && added >= 2.0 * removed {
        "expanding"
    } else if -net > GROWTH * before && removed >= 2.0 * added {
        "shrinking"
    } else if added + removed >= lines.max(1.0) {
        "churning"
    } else {
        "stable"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_have_a_pace_and_a_pattern() {
        let step = |age_days: f64, added: u32, removed: u32| Step { age_days, added, removed };
        // Three changes in two of five weeks; 40 lines became 100.
        let grown = trend(&[step(1.0, 30, 0), step(2.0, 20, 0), step(20.0, 10, 0)], 30.0, 100);
        assert_eq!(((grown.velocity * 100.0).round(), grown.pattern), (70.0, "expanding"));
        assert!((grown.stability - 0.6).abs() < 1e-9);
        assert_eq!(trend(&[step(1.0, 5, 60)], 30.0, 45).pattern, "shrinking");
        assert_eq!(trend(&[step(1.0, 60, 58)], 30.0, 100).pattern, "churning");
        assert_eq!(trend(&[step(1.0, 3, 2)], 30.0, 100).pattern, "stable");
        assert_eq!(trend(&[step(100.0, 3, 2)], 365.0, 100).pattern, "dormant");
        assert_eq!(trend(&[], 7.0, 100).pattern, "dormant");
    }
}
