//! Report: what was found of a packet or a hand-off, as one verdict.

use std::collections::BTreeMap;
use std::process::ExitCode;

use m1nd_runtime::Reply;
use serde_json::{Value, json};

use super::files::Today;
use super::{BROKEN, NOT_CHECKED, STALE};
use crate::output::{self, DIM, PATH, Reader, harmless};

#[derive(Debug, Default)]
pub(super) struct Report {
    /// Whether nothing was changed since it was written.
    pub(super) intact: bool,
    pub(super) faults: Vec<String>,
    /// What its mission says otherwise since.
    pub(super) since: Vec<String>,
    pub(super) remarks: Vec<String>,
    /// What was done only by an agent's word.
    pub(super) told: Vec<String>,
    /// What it rests on and nobody can look at.
    pub(super) not_checked: Vec<String>,
    /// Files that it rests on and of which no hash was kept.
    pub(super) not_anchored: u64,
    pub(super) anchors: Vec<(String, Today)>,
}

impl Report {
    /// Of what is broken by itself.
    pub(super) fn broken(fault: String) -> Self {
        Self { faults: vec![fault], ..Self::default() }
    }

    fn count(&self, name: &str) -> u64 {
        self.anchors.iter().filter(|(_, today)| today.name() == name).count() as u64
    }

    fn verdict(&self) -> (&'static str, u8) {
        let is_open = self.count("not_checked") + self.not_anchored > 0 || !self.not_checked.is_empty();
        match () {
            () if !self.intact => ("broken", BROKEN),
            () if !self.faults.is_empty() => {
                ("intact, but what is kept here of its mission is not what it proves", BROKEN)
            }
            () if !self.since.is_empty() => ("intact, but its mission says otherwise since", STALE),
            () if self.count("changed") + self.count("gone") > 0 => ("intact, but files have changed", STALE),
            () if is_open => ("intact, but not all of it could be checked", NOT_CHECKED),
            () if self.anchors.is_empty() => {
                ("intact; it verifies nothing that could be checked", NOT_CHECKED)
            }
            () => ("intact and current", 0),
        }
    }

    pub(super) fn print(&self, reader: Reader) -> anyhow::Result<ExitCode> {
        let (verdict, code) = self.verdict();
        let open = self.open();
        let shown: Vec<Value> = self
            .anchors
            .iter()
            .map(|(path, today)| match today {
                Today::NotChecked(why) => json!({ "path": path, "today": today.name(), "why": why }),
                _ => json!({ "path": path, "today": today.name() }),
            })
            .collect();
        let body = json!({
            "verdict": verdict,
            "intact": self.intact,
            "faults": self.faults,
            "since": self.since,
            "remarks": self.remarks,
            "told": self.told,
            "files": {
                "current": self.count("current"),
                "changed": self.count("changed"),
                "gone": self.count("gone"),
                "not_checked": self.count("not_checked") + self.not_anchored,
            },
            "not_checked": open,
            "anchors": shown,
        });
        output::print(&Reply { body, is_error: false }, reader, |out, _| {
            writeln!(out, "{verdict}")?;
            let said =
                self.faults.iter().chain(&self.since).chain(&open).chain(&self.remarks).chain(&self.told);
            for line in said {
                writeln!(out, "  {}", harmless(line))?;
            }
            self.anchors.iter().try_for_each(|(path, today)| {
                writeln!(out, "  {PATH}{}{PATH:#} {DIM}{}{DIM:#}", harmless(path), today.name())
            })
        })?;
        Ok(ExitCode::from(code))
    }

    /// What it rests on and nobody looked at, in sentences.
    fn open(&self) -> Vec<String> {
        let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (path, today) in &self.anchors {
            if let Today::NotChecked(why) = today {
                by_reason.entry(why).or_default().push(path);
            }
        }
        let mut said: Vec<String> = by_reason
            .into_iter()
            .map(|(why, paths)| match paths.as_slice() {
                [one] => format!("{one} was not checked: {why}."),
                many => format!("{} files were not checked: {why}.", many.len()),
            })
            .collect();
        if self.not_anchored > 0 {
            said.push(format!(
                "{} files that were shown have no hash in it: nobody can check them.",
                self.not_anchored
            ));
        }
        said.extend(self.not_checked.iter().cloned());
        said
    }
}
