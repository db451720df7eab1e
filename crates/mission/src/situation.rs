//! Situation: what a mission must be told about the world before it can advise.

use std::sync::Arc;

use crate::absence::Absence;
use crate::change_set::{ChangeSet, SetNow};
use crate::counted::Count;
use crate::family::Family;
use crate::named::Names;

/// The tools that there are, so that advice never names one that does not exist.
pub trait Shelf {
    fn has(&self, tool: &str) -> bool;
    /// Those of a family, the one to reach for first.
    fn of(&self, family: Family) -> Vec<&'static str>;
    /// What a tool is for; nothing where there is no such tool.
    fn family(&self, tool: &str) -> Option<Family>;
}

/// The hash of the file at a path, as it is now; nothing where there is none.
pub type HashOf<'a> = &'a dyn Fn(&str) -> Option<Arc<str>>;

/// Whether the file at a path is still as it was when it had this hash.
pub(crate) fn is_current(hash_of: HashOf<'_>, path: &str, hash: &str) -> bool {
    hash_of(path).is_some_and(|now| *now == *hash)
}

/// Facts of this moment.
pub struct Situation<'a> {
    pub now_ms: i64,
    pub shelf: &'a dyn Shelf,
    /// Whether the mission's repository is the one that the runtime is bound to.
    pub right_workspace: bool,
    pub graph_is_empty: bool,
    /// An ingest that runs now.
    pub running_job: Option<&'a str>,
    /// Whether the program on disk is another one than the one that runs.
    pub stale_binary: bool,
    /// Files as they are now.
    pub hash_of: HashOf<'a>,
    /// Whether a file belongs to the repository that the mission is about.
    pub is_of_repo: &'a dyn Fn(&str) -> bool,
    /// Where that repository stands in the graph, if it is not the workspace itself.
    pub scope: Option<&'a str>,
    /// A change set as it is now; nothing where it cannot be made out. Asked last: it reads every file.
    pub change_set: &'a dyn Fn(&ChangeSet) -> Option<SetNow>,
    /// The files that a word of a claim may name.
    pub names: Names<'a>,
    /// The text of a file as it is now; nothing where there is none. Asked only to hold a quote or a name against it.
    pub text_of: &'a dyn Fn(&str) -> Option<Arc<str>>,
    /// Where a name is defined, as `path:line` or `path:first-last`; nothing where the graph knows no such name.
    pub defined: &'a dyn Fn(&str) -> Vec<String>,
    /// What a search finds now in all that belongs to the repository; nothing where it cannot be made again.
    pub count: &'a dyn Fn(&Absence) -> Option<Count>,
}

impl Situation<'_> {
    /// Whether the file at a path is still as it was when it had this hash.
    pub(crate) fn is_current(&self, path: &str, hash: &str) -> bool {
        is_current(self.hash_of, path, hash)
    }

    /// Whether a search that found nothing finds nothing now.
    pub(crate) fn is_absent(&self, search: &Absence) -> bool {
        (self.count)(search).is_some_and(|count| count.total == 0)
    }

    /// Whether there is a file at a path.
    pub(crate) fn exists(&self, path: &str) -> bool {
        (self.hash_of)(path).is_some()
    }
}

impl std::fmt::Debug for Situation<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Situation")
            .field("now_ms", &self.now_ms)
            .field("right_workspace", &self.right_workspace)
            .field("graph_is_empty", &self.graph_is_empty)
            .field("stale_binary", &self.stale_binary)
            .finish_non_exhaustive()
    }
}
