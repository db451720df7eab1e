//! Edited: replacements as callers write them, and a batch as answers tell of it.

use m1nd_contract::budget::{cut_text, drop_after, drop_tail};
use m1nd_contract::{Guidance, ProofState, Trim};
use m1nd_edit::Edit;
use m1nd_runtime::Answer;
use m1nd_runtime::flows::editing::{
    CallerShown, CommandRun, FileShown, Made, PhaseShown, SymbolShown, TestsShown,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One exact replacement.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Replacement {
    /// Must be in the file exactly once
    old: String,
    /// What takes its place
    new: String,
}

pub fn edits(given: Option<Vec<Replacement>>) -> Option<Vec<Edit>> {
    given.map(|given| given.into_iter().map(|one| Edit { old: one.old, new: one.new }).collect())
}

/// A batch that was made.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Edited {
    /// For undo_batch; missing when nothing had to be changed. Of a repeated edit_commit: the batch that made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    batch_id: Option<String>,
    files: Vec<FileShown>,
    /// Named files that hold what was asked for already.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unchanged: Vec<String>,
    /// Of a dry run: nothing was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
    /// Files in which syntax errors could not be looked for, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    syntax_unchecked: Vec<String>,
    /// Definitions that differ.
    symbols: Vec<SymbolShown>,
    /// Uses of what was removed that are still written and find nothing; and lines of the edit that ask for what is not there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dangling_callers: Vec<CallerShown>,
    /// Calls, on lines that were not touched, of what has another signature now; and places that say the name of a removed member
    /// on something whose type is not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    callers_to_check: Vec<CallerShown>,
    /// Of a dry run with `verify: graph`: why the batch would be taken back.
    #[serde(skip_serializing_if = "Option::is_none")]
    would_refuse: Option<String>,
    /// Of both lists in all, where this is more than is listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    uses_total: Option<u64>,
    tests: TestsShown,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    proactive_insights: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    commands: Vec<CommandRun>,
    progress_events: Vec<PhaseShown>,
    /// Whether the graph has the new state.
    graph_updated: bool,
    /// Set when the batch cannot be taken back.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    not_undoable: bool,
    truncated: bool,
}

impl Edited {
    pub fn of(made: Made) -> Self {
        let wrote = made.batch_id.is_some();
        let truncated = (made.tests.run.len() as u64) < made.tests.total;
        Self {
            not_undoable: wrote && !made.undoable,
            batch_id: made.batch_id,
            files: made.files,
            unchanged: made.unchanged,
            diff: made.diff,
            syntax_unchecked: made.unchecked,
            symbols: made.symbols,
            dangling_callers: made.dangling,
            callers_to_check: made.callers,
            would_refuse: made.refused,
            uses_total: None,
            tests: made.tests,
            proactive_insights: made.insights,
            commands: made.commands,
            progress_events: made.phases,
            graph_updated: made.in_graph,
            truncated,
        }
    }

    /// The answer, with the step that follows.
    pub fn answer(self) -> Answer<Self> {
        let (proof, guidance) = self.next();
        let count = self.files.len() as u64;
        Answer::of(self).candidates(count).proof(proof).next(guidance)
    }

    fn next(&self) -> (ProofState, Guidance) {
        let look = |one: &CallerShown, hint: &str| Guidance::next("view", one.at.clone(), hint);
        if self.would_refuse.is_some() {
            let hint =
                "With `verify: graph` this would be taken back: mend the edit, as `would_refuse` says.";
            let place = self.dangling_callers.first();
            return (ProofState::Blocked, place.map_or_else(|| Guidance::hint(hint), |one| look(one, hint)));
        }
        if let Some(first) = self.dangling_callers.first() {
            let hint = match first.because {
                _ if self.diff.is_some() => "This place would be left without what it uses: mend the edit.",
                "import" => "This place asks for what is not there: mend it, or undo_batch.",
                "signature" => {
                    "What this place uses is hidden or called otherwise now: change it, or undo_batch."
                }
                _ => "This place uses what was removed: change it, or undo_batch.",
            };
            return (ProofState::Triaging, look(first, hint));
        }
        if let Some(first) = self.callers_to_check.first() {
            let hint = match self.callers_to_check.len() {
                1 if first.because == "removed" => {
                    "1 place says the name of what was removed, and may mean it: check it.".to_owned()
                }
                count if first.because == "removed" => {
                    format!(
                        "{count} places say the name of what was removed, and may mean it: check them, this one first."
                    )
                }
                1 if first.because == "default" => {
                    "1 place ran what was removed, and runs what every object has now: check it.".to_owned()
                }
                count if first.because == "default" => format!(
                    "{count} places ran what was removed, and run what every object has now: check them, this one first."
                ),
                _ if first.because == "import" => {
                    "This place would ask for what is not there: mend the edit.".to_owned()
                }
                1 => "The signature changed and this call did not: check it.".to_owned(),
                more => format!(
                    "The signature changed and {more} calls did not: check them, this one first; callers lists all."
                ),
            };
            return (ProofState::Proving, look(first, &hint));
        }
        // A dry run says only what it could not look at.
        if let Some(unknown) = self.proactive_insights.first().filter(|_| self.diff.is_some()) {
            return (ProofState::Proving, Guidance::hint(format!("Nothing was written. {unknown}")));
        }
        if self.diff.is_some() {
            let hint = "Nothing was written. Call again without `dry_run` to make it.";
            return (ProofState::ReadyToEdit, Guidance::hint(hint));
        }
        if self.files.is_empty() {
            let hint = "Nothing had to be changed: the files hold that already.";
            return (ProofState::Proving, Guidance::hint(hint));
        }
        match self.tests.run.first() {
            Some(test) => {
                let within = self.tests.within_calls;
                let hint = format!(
                    "Run the tests named and the one that you began with: these reach it within {within} call{}, tests_for with a larger max_hops names more. The first is shown here.",
                    if within == 1 { "" } else { "s" }
                );
                (ProofState::Proving, Guidance::next("view", test.at.clone(), hint))
            }
            None => (
                ProofState::Proving,
                Guidance::hint("No test is known to reach this: build it, or run what covers it."),
            ),
        }
    }
}

impl Trim for Edited {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        let uses = self.dangling_callers.len() + self.callers_to_check.len();
        let all = self.uses_total.unwrap_or(uses as u64);
        let is_shorter = self.shorten(excess);
        let left = self.dangling_callers.len() + self.callers_to_check.len();
        self.uses_total = (all > left as u64).then_some(all);
        is_shorter
    }
}

impl Edited {
    fn shorten(&mut self, excess: usize) -> bool {
        self.diff.as_mut().is_some_and(|diff| {
            diff.len() > SHORT_DIFF && {
                let keep = diff.len().saturating_sub(excess).max(SHORT_DIFF);
                cut_text(diff, keep) > 0
            }
        }) || drop_tail(&mut self.proactive_insights, excess) > 0
            || self.tests.shorten(FEW, excess)
            || drop_bodies(&mut self.symbols, excess)
            || drop_tail(&mut self.progress_events, excess) > 0
            || drop_after(&mut self.callers_to_check, FEW, excess) > 0
            || drop_after(&mut self.symbols, FEW, excess) > 0
            || drop_tail(&mut self.syntax_unchecked, excess) > 0
            || drop_after(&mut self.dangling_callers, FEW, excess) > 0
            // Something of everything stays as long as it can.
            || drop_tail(&mut self.symbols, excess) > 0
            || self.tests.shorten(1, excess)
            || drop_after(&mut self.callers_to_check, 1, excess) > 0
            || drop_after(&mut self.dangling_callers, 1, excess) > 0
            || drop_tail(&mut self.callers_to_check, excess) > 0
            || self.tests.shorten(0, excess)
            || drop_tail(&mut self.dangling_callers, excess) > 0
            || drop_tail(&mut self.unchanged, excess) > 0
            || drop_tail(&mut self.commands, excess) > 0
            || drop_tail(&mut self.files, excess) > 0
            || self.diff.take().is_some()
    }
}

/// So many of a list stay while others can be shorter.
const FEW: usize = 3;
/// A diff of this many bytes gives way last.
const SHORT_DIFF: usize = 400;

/// Bodies that changed matter to nobody else.
fn drop_bodies(symbols: &mut Vec<SymbolShown>, excess: usize) -> bool {
    let at = symbols.partition_point(|one| one.change != "body");
    let mut bodies = symbols.split_off(at);
    let dropped = drop_tail(&mut bodies, excess);
    symbols.append(&mut bodies);
    dropped > 0
}
