//! What an ingest did, in numbers.

use std::collections::BTreeMap;

use m1nd_graph::{Graph, NodeFlags};
use m1nd_vfs::walk::Passed;

use crate::engine::Loose;
use crate::engine::Outcome;
use crate::facts::FileFacts;

/// Enough to see what kind of files a reason hits.
const MAX_EXAMPLES: usize = 3;
/// A list of failures longer than this is for a log, not for an answer.
const MAX_LISTED: usize = 100;

#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Report {
    pub files_seen: u64,
    /// Read anew and parsed by a grammar.
    pub files_parsed: u64,
    pub files_reused: u64,
    /// Files whose relations were found anew.
    pub files_resolved: u64,
    pub files_removed: u64,
    /// How many files of each reason were not parsed by policy.
    pub files_skipped: BTreeMap<&'static str, u64>,
    /// How many files of each reason have facts missing.
    pub files_partial: BTreeMap<&'static str, u64>,
    /// The first few files of each reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub examples: BTreeMap<&'static str, Vec<String>>,
    /// Files whose kind no language of this build reads.
    pub files_unsupported: u64,
    /// Files that could not be read, and folders that could not be looked into.
    pub files_failed: u64,
    /// Files that say that a program wrote them. They are read; hot spots leave them out.
    #[serde(skip_serializing_if = "is_zero")]
    pub files_generated: u64,
    /// Files in folders of other people's code. They are read; hot spots leave them out.
    #[serde(skip_serializing_if = "is_zero")]
    pub files_vendored: u64,
    /// The first hundred, with the reason.
    pub failures: Vec<(String, &'static str)>,
    /// Why the git history could not be read; absent where it could, or where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<String>,
    pub languages: BTreeMap<String, u64>,
    pub lines: u64,
    /// Zero, like the three below, when no new generation was made.
    pub nodes: u64,
    pub edges: u64,
    /// Calls that may lead to code of the workspace but whose target could not be told.
    pub unresolved_references: u64,
    /// Calls that certainly leave the workspace.
    pub external_references: u64,
    pub generation: u64,
    pub phases: Phases,
    pub elapsed_ms: u64,
}

/// Where the time went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Phases {
    pub extract_ms: u64,
    pub resolve_ms: u64,
    pub assemble_ms: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Report {
    pub(crate) fn count<'f>(
        &mut self,
        outcomes: impl Iterator<Item = (&'f str, Outcome)>,
        files: impl Iterator<Item = &'f FileFacts>,
    ) {
        for (path, outcome) in outcomes {
            self.files_seen += 1;
            if let Outcome::Partial(reason) | Outcome::Skipped(reason) = outcome {
                let examples = self.examples.entry(reason.name()).or_default();
                if examples.len() < MAX_EXAMPLES {
                    examples.push(path.to_owned());
                }
            }
            match outcome {
                Outcome::Indexed => {}
                Outcome::Partial(reason) => *self.files_partial.entry(reason.name()).or_default() += 1,
                Outcome::Skipped(reason) => *self.files_skipped.entry(reason.name()).or_default() += 1,
                Outcome::Unsupported => self.files_unsupported += 1,
                Outcome::Failed(reason) => {
                    self.files_failed += 1;
                    if self.failures.len() < MAX_LISTED {
                        self.failures.push((path.to_owned(), reason.name()));
                    }
                }
            }
        }
        for file in files {
            self.lines += u64::from(file.lines);
            self.files_generated += u64::from(file.flags.has(NodeFlags::GENERATED));
            self.files_vendored += u64::from(file.flags.has(NodeFlags::VENDORED));
            match self.languages.get_mut(&file.language) {
                Some(count) => *count += 1,
                None if file.language.is_empty() => {}
                None => drop(self.languages.insert(file.language.clone(), 1)),
            }
        }
    }

    /// Calls that lead nowhere, and those that lead out.
    pub(crate) fn count_loose(&mut self, loose: &[Loose]) {
        self.unresolved_references = loose.iter().map(|loose| u64::from(loose.unresolved)).sum();
        self.external_references = loose.iter().map(|loose| u64::from(loose.external)).sum();
    }

    /// Counts what the walk did not hand out. What is in a folder that cannot be read nobody knows: it counts as one.
    pub fn pass_over(&mut self, passed: &Passed) {
        if passed.secret > 0 {
            self.files_skipped.insert("secret", passed.secret);
        }
        self.files_failed += passed.unread.len() as u64;
        let room = MAX_LISTED.saturating_sub(self.failures.len());
        let named = passed.unread.iter().take(room);
        self.failures.extend(named.map(|one| (one.path.clone(), one.why)));
    }

    pub(crate) fn count_graph(&mut self, loose: &[Loose], graph: &Graph) {
        self.count_loose(loose);
        self.nodes = graph.node_count() as u64;
        self.edges = graph.edge_count() as u64;
    }
}
