//! Score: what was played, in numbers, and what must hold of them.

use serde::Serialize;

use super::games::{Careless, Tally};
use super::hunter::Hunt;

/// One agent on one repository.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub repository: &'static str,
    pub language: &'static str,
    pub agent: &'static str,
    pub planted: u64,
    pub found: u64,
    pub calls: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_finding_calls: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_finding_ms: Option<f64>,
    pub direct_evidence: u64,
    pub graph_calls: u64,
    pub repeated_searches: u64,
    /// Files that an agent before it had found to lead nowhere, and that it read all the same.
    pub repeated_dead_paths: u64,
    pub claims_judged: u64,
    pub claims_rejected: u64,
    pub wrong_claims_verified: u64,
    pub closed: bool,
    pub false_close: bool,
}

impl Row {
    pub fn of(
        at: (&'static str, &'static str, &'static str),
        planted: usize,
        hunt: &Hunt,
        dead: u64,
    ) -> Self {
        let (repository, language, agent) = at;
        Self {
            repository,
            language,
            agent,
            planted: planted as u64,
            found: hunt.found.len() as u64,
            calls: hunt.calls,
            first_finding_calls: hunt.first_finding.map(|(calls, _)| calls),
            first_finding_ms: hunt.first_finding.map(|(_, ms)| (ms * 10.0).round() / 10.0),
            direct_evidence: hunt.direct_evidence,
            graph_calls: hunt.graph_calls,
            repeated_searches: hunt.repeated_searches,
            repeated_dead_paths: dead,
            claims_judged: hunt.judged,
            claims_rejected: hunt.rejected,
            wrong_claims_verified: hunt.wrong,
            closed: hunt.closed,
            false_close: hunt.false_close,
        }
    }
}

/// Everything that was played.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Score {
    pub hunts: Vec<Row>,
    /// Bytes of each hand-off.
    pub handoff_bytes: Vec<u64>,
    pub unproved_claims: Tally,
    pub hasty_closes: Tally,
    pub drift: Tally,
    pub drift_false_alarms: u64,
    pub workspace: Tally,
    pub workspace_false_alarms: u64,
    /// Steps in the wrong repository that a mission advised, or that proved something.
    pub astray: Tally,
    /// Closes on files that had changed.
    pub outdated: Tally,
    /// Dead ends that were walked into, and told.
    pub dead_ends: Tally,
    pub circles: Tally,
    pub circle_false_alarms: u64,
    pub hosts: Tally,
    pub host_false_alarms: u64,
}

/// Something that must hold, and whether it does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    pub holds: bool,
    pub says: String,
}

impl Score {
    pub fn add_careless(&mut self, careless: Careless) {
        self.unproved_claims.join(careless.unproved_claims);
        self.hasty_closes.join(careless.hasty_closes);
    }

    fn calls(&self, agent: &str) -> u64 {
        self.of(agent).map(|row| row.calls).sum()
    }

    fn of<'s>(&'s self, agent: &'s str) -> impl Iterator<Item = &'s Row> {
        self.hunts.iter().filter(move |row| row.agent == agent)
    }

    /// What m1nd promises, held against what was played.
    pub fn checks(&self) -> Vec<Check> {
        let check = |holds: bool, says: String| Check { holds, says };
        let sum = |of: fn(&Row) -> u64| self.hunts.iter().map(of).sum::<u64>();
        let false_closes =
            self.hunts.iter().filter(|row| row.false_close).count() as u64 + self.hasty_closes.hit;
        let closes = self.hunts.iter().filter(|row| row.closed).count() as u64 + self.hasty_closes.tried;
        let (resumed, fresh) = (self.calls("resumed"), self.calls("guided"));
        let pairs: Vec<(&Row, &Row)> = self.of("resumed").zip(self.of("guided")).collect();
        let each_fewer =
            !pairs.is_empty() && pairs.iter().all(|(resumed, fresh)| resumed.calls < fresh.calls);
        let dead: u64 = self.of("resumed").map(|row| row.repeated_dead_paths).sum();
        let dead_of_fresh: u64 = self.of("second_fresh").map(|row| row.repeated_dead_paths).sum();
        let recall = |agent: &str| {
            let rows = self.of(agent);
            rows.fold((0, 0), |(found, planted), row| (found + row.found, planted + row.planted))
        };
        let (found, planted) = recall("guided");
        let (resumed_found, resumed_planted) = recall("resumed");
        let whole = |tally: Tally| tally.tried > 0 && tally.hit == tally.tried;
        let none = |tally: Tally| tally.tried > 0 && tally.hit == 0;
        let wrong = sum(|row| row.wrong_claims_verified);
        vec![
            check(
                each_fewer,
                format!("resumed agents need fewer calls than fresh ones: {resumed} against {fresh}"),
            ),
            check(
                dead == 0 && dead_of_fresh > 0,
                format!(
                    "resumed agents repeat {dead} dead paths; agents without the hand-off repeat {dead_of_fresh}"
                ),
            ),
            check(
                resumed_planted > 0 && resumed_found == resumed_planted,
                format!("resumed agents end with {resumed_found} of {resumed_planted} defects"),
            ),
            check(
                planted > 0 && found == planted,
                format!("guided agents find {found} of {planted} defects"),
            ),
            check(wrong == 0, format!("{wrong} wrong claims were verified")),
            check(
                none(self.unproved_claims),
                tally("claims without direct proof were verified", self.unproved_claims),
            ),
            check(closes > 0 && false_closes == 0, format!("{false_closes} of {closes} closes were false")),
            check(whole(self.workspace), tally("mistaken workspaces were caught", self.workspace)),
            check(
                self.workspace_false_alarms == 0,
                format!("{} right workspaces were called wrong", self.workspace_false_alarms),
            ),
            check(none(self.astray), tally("steps led into the wrong repository", self.astray)),
            check(none(self.outdated), tally("chances to close on changed files were given", self.outdated)),
            check(whole(self.dead_ends), tally("walks into dead ends were told", self.dead_ends)),
            check(whole(self.circles), tally("circles were flagged", self.circles)),
            check(
                self.circle_false_alarms == 0,
                format!("{} straight ways were called circles", self.circle_false_alarms),
            ),
            check(whole(self.drift), tally("names that drifted were found", self.drift)),
            check(
                self.drift_false_alarms == 0,
                format!("{} names were called drifted that are there", self.drift_false_alarms),
            ),
            check(whole(self.hosts), tally("broken hosts were diagnosed", self.hosts)),
            check(
                self.host_false_alarms == 0,
                format!("{} faults were seen in a whole host", self.host_false_alarms),
            ),
            check(
                self.handoff_bytes.iter().all(|bytes| *bytes < 4_000) && !self.handoff_bytes.is_empty(),
                format!("hand-offs have at most {} bytes", self.handoff_bytes.iter().max().unwrap_or(&0)),
            ),
        ]
    }
}

fn tally(what: &str, tally: Tally) -> String {
    format!("{} of {} {what}", tally.hit, tally.tried)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(agent: &'static str, calls: u64, dead: u64) -> Row {
        let hunt = Hunt { calls, closed: true, ..Hunt::default() };
        let row = Row::of(("r", "python", agent), 1, &hunt, dead);
        Row { found: 1, ..row }
    }

    fn good() -> Score {
        let whole = Tally { tried: 2, hit: 2 };
        let none = Tally { tried: 2, hit: 0 };
        Score {
            hunts: vec![row("guided", 9, 0), row("second_fresh", 9, 2), row("resumed", 5, 0)],
            handoff_bytes: vec![900],
            unproved_claims: none,
            hasty_closes: none,
            drift: whole,
            workspace: whole,
            circles: whole,
            astray: none,
            outdated: none,
            dead_ends: whole,
            hosts: whole,
            ..Score::default()
        }
    }

    fn broken(score: &Score) -> Vec<String> {
        score.checks().into_iter().filter(|check| !check.holds).map(|check| check.says).collect()
    }

    #[test]
    fn what_holds_holds_and_each_failure_is_seen() {
        assert_eq!(broken(&good()), Vec::<String>::new());
        type Failure = (&'static str, fn(&mut Score));
        let failures: [Failure; 12] = [
            ("fewer calls", |score| score.hunts[2].calls = 9),
            ("dead paths", |score| score.hunts[2].repeated_dead_paths = 1),
            ("of 1 defects", |score| score.hunts[0].found = 0),
            ("closes were false", |score| score.hunts[0].false_close = true),
            ("without direct proof", |score| score.unproved_claims.hit = 1),
            ("workspaces were caught", |score| score.workspace.hit = 1),
            ("wrong repository", |score| score.astray.hit = 1),
            ("changed files", |score| score.outdated.hit = 1),
            ("dead ends were told", |score| score.dead_ends.hit = 1),
            ("circles were flagged", |score| score.circles = Tally::default()),
            ("drifted were found", |score| score.drift.hit = 1),
            ("hosts were diagnosed", |score| score.hosts.hit = 1),
        ];
        for (says, fail) in failures {
            let mut score = good();
            fail(&mut score);
            let broken = broken(&score);
            assert!(broken.len() == 1 && broken[0].contains(says), "{says}: {broken:?}");
        }
    }
}
