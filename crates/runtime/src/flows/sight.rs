//! Sight: what today's code holds at the places that memory speaks of.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use m1nd_graph::{Graph, LookupError};
use m1nd_ingest::history;
use m1nd_memory::anchors::{AnchorProbe, EventSeen, Sight, Standing, standings};
use m1nd_memory::port::AnchorAt;
use m1nd_mission::port::Ledger;
use m1nd_mission::{EventId, Speaks};
use m1nd_stdx::cancel::CancelToken;
use m1nd_stdx::clock::Clock;
use m1nd_stdx::digest::sha256_hex;
use m1nd_vfs::{PathError, RelPath, read, root::Kind, walk};
use parking_lot::Mutex;

use super::missions::content_hash;
use super::slice::MAX_FILE_BYTES;
use crate::workspace::Workspace;

/// Hex digits of an anchor's hash: enough to tell versions of one place apart, and short to show.
pub(super) const HASH_DIGITS: usize = 16;

/// Eyes on one workspace for the time of one call.
pub struct CodeSight<'a> {
    workspace: &'a Workspace,
    clock: &'a dyn Clock,
    cancel: &'a CancelToken,
    /// The graph is looked for once, and only if an anchor names a node.
    graph: OnceLock<Option<Arc<Graph>>>,
}

impl<'a> CodeSight<'a> {
    pub fn new(workspace: &'a Workspace, clock: &'a dyn Clock, cancel: &'a CancelToken) -> Self {
        Self { workspace, clock, cancel, graph: OnceLock::new() }
    }

    fn graph(&self) -> Option<&Graph> {
        let look = || self.workspace.fresh_view(self.clock, self.cancel).ok()?.graph().cloned();
        self.graph.get_or_init(look).as_deref()
    }

    /// A node is the lines it stands on; one that merely moved still holds the same.
    fn node(&self, id: &str) -> Sight {
        let Some(graph) = self.graph() else { return Sight::Unknown };
        let Some(ix) = graph.node_by_id(id) else { return Sight::Gone };
        let node = graph.node(ix);
        match node.lines() {
            _ if node.path().is_empty() => found(node.signature().as_bytes()),
            (0, _) => self.place(node.path(), None),
            lines => self.place(node.path(), Some(lines)),
        }
    }

    fn place(&self, path: &str, lines: Option<(u32, u32)>) -> Sight {
        let root = self.workspace.root();
        let path = match root.locate(path) {
            Ok(path) => path,
            Err(PathError::Io { .. }) => return Sight::Unknown,
            Err(_) => return Sight::Gone,
        };
        if root.kind(&path).is_ok_and(|kind| kind == Kind::Folder) {
            return if lines.is_none() { self.folder(&path) } else { Sight::Gone };
        }
        let Some((first, last)) = lines else {
            return match read::bytes(root, &path, MAX_FILE_BYTES) {
                Ok(bytes) => found(&bytes),
                Err(_) => Sight::Gone,
            };
        };
        let Ok(file) = read::text(root, &path, MAX_FILE_BYTES) else { return Sight::Gone };
        let (skip, take) = (first.saturating_sub(1) as usize, (last - first) as usize + 1);
        let held: Vec<&str> = file.text.lines().skip(skip).take(take).collect();
        if held.is_empty() { Sight::Gone } else { found(held.join("\n").as_bytes()) }
    }
}

impl CodeSight<'_> {
    /// A folder is the files below it that a walk shows: their names and contents, or in a large one their names and
    /// sizes.
    fn folder(&self, path: &RelPath) -> Sight {
        let root = self.workspace.root();
        let files = Mutex::new(BTreeMap::new());
        let walked = walk::files(root, path, self.cancel, || {
            |file: walk::Found<'_>| {
                let size = file.size_and_last_touch().map_or(0, |(size, _)| size);
                files.lock().insert(file.shown.clone(), size);
            }
        });
        if walked.is_err() {
            return Sight::Unknown;
        }
        let files = files.into_inner();
        let small = files.len() <= READ_FILES && files.values().sum::<u64>() <= READ_BYTES;
        let mut listing = String::new();
        for (file, size) in files {
            let bytes = if small { read::bytes(root, &file, MAX_FILE_BYTES).ok() } else { None };
            let held = bytes.map_or_else(|| size.to_string(), |bytes| sha256_hex(&bytes));
            listing.push_str(&format!("{}\0{held}\n", file.as_str()));
        }
        found(listing.as_bytes())
    }
}

/// Beyond these, the files of an anchored folder are told apart by their sizes and not read.
const READ_FILES: usize = 500;
const READ_BYTES: u64 = 8 << 20;

impl AnchorProbe for CodeSight<'_> {
    fn look(&self, at: &AnchorAt) -> Sight {
        match at {
            AnchorAt::Node { node_id } => self.node(node_id),
            AnchorAt::Path { path, lines } => self.place(path, *lines),
        }
    }

    fn digest(&self, path: &str) -> Option<String> {
        let root = self.workspace.root();
        let bytes = read::bytes(root, &root.locate(path).ok()?, MAX_FILE_BYTES).ok()?;
        Some(sha256_hex(&bytes))
    }

    fn standings(&self, at: &AnchorAt, hash: &str) -> Option<Vec<Standing>> {
        let AnchorAt::Path { path, lines: Some(lines) } = at else { return None };
        let root = self.workspace.root();
        let file = read::text(root, &root.locate(path).ok()?, MAX_FILE_BYTES).ok()?;
        places_with(hash, *lines, &file.text)
    }

    fn line_count(&self, path: &str) -> Option<u32> {
        let root = self.workspace.root();
        let file = read::text(root, &root.locate(path).ok()?, MAX_FILE_BYTES).ok()?;
        u32::try_from(file.text.lines().count()).ok()
    }

    fn has_commit(&self, name: &str) -> Option<bool> {
        let root = self.workspace.root();
        let elsewhere = root.mounted();
        let roots = elsewhere.iter().map(|mount| mount.root().path()).chain([root.path()]);
        roots.filter_map(|folder| history::has_commit(folder, name).ok()).reduce(|one, other| one || other)
    }

    fn event(&self, id: &str) -> Option<EventSeen> {
        let Some((mission, place)) = EventId::parse(id) else { return Some(EventSeen::Missing) };
        if !self.workspace.has_memory() {
            return Some(EventSeen::Missing);
        }
        let store = self.workspace.memory().ok()?;
        let found = Ledger::events(&*store, &mission, place.saturating_sub(1), 1).ok()?;
        let Some(event) = found.into_iter().find(|event| event.sequence == place) else {
            return Some(EventSeen::Missing);
        };
        let draft = &event.draft;
        let failed = matches!(draft.outcome.as_str(), "failed" | "fail" | "error" | "timeout" | "blocked");
        let is_changed = |(path, hash): &(&str, &str)| {
            let hash = hash.strip_prefix("sha256:").unwrap_or(hash);
            content_hash(self.workspace, path).as_deref() != Some(hash)
        };
        Some(match () {
            () if draft.is_housekeeping() => EventSeen::Housekeeping(draft.event_type.clone()),
            () if failed || draft.is_dead_path() || draft.refutes() => {
                EventSeen::Refutes(draft.outcome.clone())
            }
            () if !draft.carries() || Speaks::of(&draft.outcome) != Speaks::For => {
                EventSeen::ShowsNothing(draft.outcome.clone())
            }
            () => match draft.anchors().find(is_changed) {
                Some((path, _)) => EventSeen::Stale(path.to_owned()),
                None => EventSeen::Supports,
            },
        })
    }

    fn candidates(&self, at: &AnchorAt) -> Vec<String> {
        let AnchorAt::Node { node_id } = at else { return Vec::new() };
        match self.graph().map(|graph| graph.find_node(node_id)) {
            Some(Err(LookupError::Ambiguous { candidates, .. })) => candidates,
            _ => Vec::new(),
        }
    }

    fn extent(&self, node_id: &str) -> Option<(String, Option<(u32, u32)>)> {
        let graph = self.graph()?;
        let node = graph.node(graph.node_by_id(node_id)?);
        let lines = Some(node.lines()).filter(|(first, _)| *first > 0);
        Some((node.path().to_owned(), lines)).filter(|(path, _)| !path.is_empty())
    }

    /// Paths relative to the workspace with links resolved; nodes by their ids, however they were named.
    fn spelled(&self, at: AnchorAt) -> AnchorAt {
        match at {
            AnchorAt::Path { path, lines } => {
                let found = self.workspace.root().locate(&path).ok().filter(|found| !found.is_root());
                AnchorAt::Path { path: found.map_or(path, |found| found.as_str().to_owned()), lines }
            }
            AnchorAt::Node { node_id } => {
                let graph = self.graph();
                let found =
                    graph.and_then(|graph| Some(graph.node(graph.find_node(&node_id).ok()?).id().to_owned()));
                AnchorAt::Node { node_id: found.unwrap_or(node_id) }
            }
        }
    }
}

/// So much text is compared when looking for lines that moved.
const COMPARED_BYTES: usize = 8 << 20;
/// A text that stands at more places than these, such as a lone bracket, says nothing about any of them.
const MOST_PLACES: usize = 1_000;

/// Where as many lines with this hash stand, from the top.
fn places_with(wanted: &str, (first, last): (u32, u32), text: &str) -> Option<Vec<Standing>> {
    let lines: Vec<&str> = text.lines().collect();
    let (skip, count) = ((first - 1) as usize, (last - first) as usize + 1);
    let is_wanted = |held: &[&str]| hash(held.join("\n").as_bytes()) == wanted;
    // Where the lines are still there, the others are compared as they are; else only their hash is known.
    let known = lines.get(skip..skip + count).filter(|held| is_wanted(held));
    let mut compared = 0;
    let mut places = Vec::new();
    for (at, held) in lines.windows(count).enumerate() {
        let holds = match known {
            Some(known) => held == known,
            None => {
                compared += held.iter().map(|line| line.len() + 1).sum::<usize>();
                if compared > COMPARED_BYTES {
                    return None;
                }
                is_wanted(held)
            }
        };
        if holds {
            places.push(at);
        }
        if places.len() > MOST_PLACES {
            return None;
        }
    }
    Some(standings(&lines, &places, count, &|line| hash(line.as_bytes())))
}

fn found(held: &[u8]) -> Sight {
    Sight::Found { hash: hash(held) }
}

fn hash(held: &[u8]) -> String {
    let mut hash = sha256_hex(held);
    hash.truncate(HASH_DIGITS);
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_that_holds_the_lines_is_found_whether_or_not_they_are_still_at_theirs() {
        let held = "fn two() {\n    bill()";
        let hash = |lines: &str| super::hash(lines.as_bytes());
        let text = format!("fn one() {{}}\n\n{held}\n}}\n");
        let firsts = |wanted: &str, lines: (u32, u32), text: &str| -> Vec<u32> {
            places_with(&hash(wanted), lines, text).unwrap().iter().map(|place| place.first).collect()
        };
        assert_eq!(firsts(held, (3, 4), &text), [3]);
        assert_eq!(firsts(held, (1, 2), &text), [3]);
        assert_eq!(firsts(held, (90, 91), &text), [3]);
        assert_eq!(firsts("}", (1, 1), &text), [5]);
        assert_eq!(firsts(held, (1, 200), &text), [0; 0]);
        let twice = format!("{text}{text}");
        assert_eq!(firsts(held, (3, 4), &twice), [3, 8]);
        assert_eq!(firsts(held, (1, 2), &twice), [3, 8]);
        let places = places_with(&hash(held), (3, 4), &text).unwrap();
        assert_eq!(places[0].before, [hash("fn one() {}")]);
        assert_eq!(places_with(&hash("}"), (1, 1), &"}\n".repeat(MOST_PLACES + 1)), None);
    }
}
