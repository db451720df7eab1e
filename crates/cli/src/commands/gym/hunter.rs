//! The hunter: an agent with a fixed policy that looks for planted defects, proves them, and closes or hands over.
//!
//! It reads what its searches point to, in their order; where a line looks wrong it runs a test; what the test shows
//! becomes a claim or a dead path. How it searches, and whether it asks what to do next, is its manner.

use std::collections::BTreeSet;
use std::time::Instant;

use serde_json::{Value, json};

use super::seat::{Seat, files_in};
use super::world::{Repository, suspects};

/// How it works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// Asks the graph, and asks the mission what to do next.
    Guided,
    /// Searches for words of the report and reads.
    Direct,
}

/// What it begins with.
pub enum Begin<'h> {
    Fresh,
    /// What `mission_handoff` gave.
    Handoff(&'h Value),
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Hunt {
    pub calls: u64,
    /// Calls and milliseconds until the first proved defect.
    pub first_finding: Option<(u64, f64)>,
    /// Which of the planted defects it proved, with those it inherited.
    pub found: BTreeSet<usize>,
    /// Claims that were verified and are not so.
    pub wrong: u64,
    pub judged: u64,
    pub rejected: u64,
    pub repeated_searches: u64,
    pub files_read: BTreeSet<String>,
    pub direct_evidence: u64,
    pub graph_calls: u64,
    pub closed: bool,
    /// Closed without force, with a claim that is not so.
    pub false_close: bool,
    pub dead_paths: BTreeSet<String>,
    pub searched: BTreeSet<String>,
    pub handoff: Value,
}

/// Reads at most this many files for one report.
const FILES: usize = 6;

pub struct Hunter<'r, 'w> {
    seat: Seat<'r>,
    repository: &'w Repository,
    manner: Manner,
    hunt: Hunt,
    /// Files that need no look any more: read by it, or by the one before it as the hand-off says.
    settled: BTreeSet<String>,
    started: Instant,
}

impl<'r, 'w> Hunter<'r, 'w> {
    pub fn new(seat: Seat<'r>, repository: &'w Repository, manner: Manner) -> Self {
        Self {
            seat,
            repository,
            manner,
            hunt: Hunt::default(),
            settled: BTreeSet::new(),
            started: Instant::now(),
        }
    }

    /// Plays until all reports are settled and the mission is closed, or until `most` calls were made and it hands over.
    pub fn play(mut self, begin: Begin<'_>, most: Option<u64>) -> anyhow::Result<Hunt> {
        self.begin(begin)?;
        let repository = self.repository;
        for (at, planted) in repository.planted.iter().enumerate() {
            if self.is_spent(most) {
                break;
            }
            if !self.hunt.found.contains(&at) {
                self.follow(at, planted.report, most)?;
            }
        }
        if self.is_spent(most) {
            self.hunt.handoff = self.seat.must("mission_handoff", json!({}))?;
        } else {
            self.close()?;
        }
        self.count()
    }

    fn is_spent(&self, most: Option<u64>) -> bool {
        most.is_some_and(|most| self.seat.calls >= most)
    }

    fn begin(&mut self, begin: Begin<'_>) -> anyhow::Result<()> {
        match begin {
            Begin::Fresh => {
                let goal = format!("find the causes of the reports about {}", self.repository.name);
                let begun = self.seat.must("mission_start", json!({"goal": goal, "mode": "bug_hunt"}))?;
                self.seat.mission = begun["mission_id"].as_str().map(str::to_owned);
            }
            Begin::Handoff(handoff) => {
                let begun = self.seat.must("mission_resume", json!({"handoff_id": handoff["handoff_id"]}))?;
                self.seat.mission = begun["mission_id"].as_str().map(str::to_owned);
                for dead in begun["dead_paths"].as_array().into_iter().flatten() {
                    self.settled.extend(dead["target"].as_str().map(str::to_owned));
                }
                for read in begun["current"].as_array().into_iter().flatten() {
                    self.settled.extend(read.as_str().map(str::to_owned));
                }
                let claims = begun["verified_claims"].as_array().cloned().unwrap_or_default();
                for claim in claims.iter().filter_map(|claim| claim["text"].as_str()) {
                    let known =
                        self.repository.planted.iter().position(|planted| claim.contains(planted.report));
                    self.hunt.found.extend(known);
                }
            }
        }
        if self.manner == Manner::Guided {
            self.prepare()?;
        }
        Ok(())
    }

    /// Takes the advice that comes before the search: a trust check, an ingest, one look at the whole.
    fn prepare(&mut self) -> anyhow::Result<()> {
        for _ in 0..3 {
            let next = self.seat.must("mission_next", json!({}))?;
            let step = &next["next_move"];
            let before =
                ["trust", "ingest", "orient", "recover"].iter().any(|family| step["tool_family"] == *family);
            let Some(tool) = step["tool"].as_str().filter(|_| before) else { return Ok(()) };
            self.seat.must(tool, step["arguments"].clone())?;
        }
        Ok(())
    }

    /// From a report to its cause, or to nothing.
    fn follow(&mut self, at: usize, report: &str, most: Option<u64>) -> anyhow::Result<()> {
        let mut places = match self.manner {
            Manner::Guided => files_in(&self.seat.must("seek", json!({"query": report, "top_k": 10}))?),
            Manner::Direct => Vec::new(),
        };
        // The text itself, word by word, where the graph was not asked or did not help.
        let mut words: Vec<&str> = report.split(' ').filter(|word| word.len() > 4).collect();
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        let mut words = words.into_iter();
        let mut looked = 0;
        loop {
            for path in std::mem::take(&mut places) {
                if self.is_spent(most) || looked >= FILES {
                    return Ok(());
                }
                if self.settled.contains(&path) || !is_source(&path) {
                    continue;
                }
                looked += 1;
                self.look(&path)?;
                if self.hunt.found.contains(&at) {
                    return Ok(());
                }
            }
            let Some(word) = words.next().filter(|_| !self.is_spent(most)) else { return Ok(()) };
            places = files_in(&self.seat.must("search", json!({"query": word}))?);
        }
    }

    /// Reads a file, tests what looks wrong, and says what came of it.
    fn look(&mut self, path: &str) -> anyhow::Result<()> {
        let seen = self.seat.must("view", json!({"file_path": path}))?;
        let read = seen["mission_event_id"].clone();
        let numbered = seen["content"].as_str().unwrap_or_default();
        let source: Vec<&str> =
            numbered.lines().map(|line| line.split_once('\t').map_or("", |(_, text)| text)).collect();
        self.hunt.files_read.insert(path.to_owned());
        self.settled.insert(path.to_owned());
        let mut any = false;
        for (number, line) in suspects(&source.join("\n")) {
            let cause = self.repository.probe(path, &line);
            let outcome = if cause.is_some() { "hypothesis_supported" } else { "hypothesis_rejected" };
            let told = self.seat.must(
                "mission_event",
                json!({"event_type": "test_run", "target": format!("{path}:{number}"),
                    "evidence_class": "test_run", "outcome": outcome, "phase": "verify"}),
            )?;
            let claimed = cause.map_or("looks wrong", |at| self.repository.planted[at].report);
            let verdict = self.seat.must(
                "mission_verify",
                json!({"claim": format!("{path}:{number}: {claimed}"), "event_ids": [read, told["event_id"]]}),
            )?;
            self.judge(cause, &verdict);
            any |= cause.is_some();
        }
        if !any {
            self.hunt.dead_paths.insert(path.to_owned());
            self.seat.must(
                "mission_event",
                json!({"event_type": "file_read", "target": path, "evidence_class": "direct_source",
                    "outcome": "dead_path", "phase": "verify"}),
            )?;
        }
        Ok(())
    }

    fn judge(&mut self, cause: Option<usize>, verdict: &Value) {
        self.hunt.judged += 1;
        match (verdict["verdict"].as_str(), cause) {
            (Some("verified_for_mission"), Some(at)) => {
                self.hunt.found.insert(at);
                let taken = self.started.elapsed().as_secs_f64() * 1_000.0;
                self.hunt.first_finding.get_or_insert((self.seat.calls, taken));
            }
            (Some("verified_for_mission"), None) => self.hunt.wrong += 1,
            (Some("rejected"), _) => self.hunt.rejected += 1,
            _ => {}
        }
    }

    /// Looks once at what the findings hide, where the mission asks for it, and closes.
    fn close(&mut self) -> anyhow::Result<()> {
        for _ in 0..6 {
            let next = self.seat.must("mission_next", json!({}))?;
            let step = &next["next_move"];
            // What is proposed is done as it is proposed: a look that the runtime sees must be enough.
            let Some(tool) = step["tool"].as_str().filter(|tool| *tool != "mission_close") else { break };
            if !step["arguments"].is_object() || step["fill_in"].is_array() {
                break;
            }
            self.seat.must(tool, step["arguments"].clone())?;
        }
        self.hunt.closed = self.seat.call("mission_close", json!({})).is_ok();
        self.hunt.false_close = self.hunt.closed && self.hunt.wrong > 0;
        Ok(())
    }

    fn count(mut self) -> anyhow::Result<Hunt> {
        self.hunt.calls = self.seat.calls;
        let shown = self.seat.must("mission_show", json!({}))?;
        let counter = |name: &str| shown["counters"][name].as_u64().unwrap_or_default();
        self.hunt.direct_evidence = counter("direct_evidence");
        self.hunt.graph_calls = counter("graph_calls");
        self.hunt.repeated_searches = self.seat.repeated_searches;
        self.hunt.searched = std::mem::take(&mut self.seat.searched);
        Ok(self.hunt)
    }
}

fn is_source(path: &str) -> bool {
    [".py", ".rs", ".go"].iter().any(|end| path.ends_with(end))
}
