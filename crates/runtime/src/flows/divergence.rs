//! Divergence: how today's code differs from an earlier commit, file by file and definition by definition.

use std::collections::{BTreeMap, VecDeque};

use m1nd_contract::{Code, Fault, Recovery};
use m1nd_graph::{EdgeKind, Graph, NodeKind};
use m1nd_ingest::history::{Base, Baseline, Content, HistoryError};
use m1nd_ingest::revision::compare;
pub use m1nd_ingest::revision::{Change, Changed};
use m1nd_ingest::{languages, scan};
use m1nd_memory::text::timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::survey::is_within;
use crate::ctx::{Ctx, GraphView};
use crate::faults::{self, invalid_params};

/// The word for the last time something was asked here before this process.
pub const LAST_SESSION: &str = "last_session";

/// What is compared with.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct BaselineShown {
    pub commit: String,
    /// When it was committed.
    pub date: String,
    /// Commits since, counted up to 10,000.
    pub commits_since: usize,
}

/// How a file differs.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileState {
    Removed,
    Changed,
    Added,
    /// The same content under another name.
    Renamed,
}

/// A file that differs.
#[derive(Clone, Debug)]
pub struct FileChange {
    pub path: String,
    pub state: FileState,
    /// Where it was before.
    pub from: Option<String>,
    /// Definitions that differ; nothing where they cannot be told.
    pub symbols: Option<Vec<Changed>>,
}

/// All that differs.
#[derive(Clone, Debug)]
pub struct Divergence {
    /// Nothing where the folder is in no git repository.
    pub baseline: Option<BaselineShown>,
    /// In the order of paths.
    pub files: Vec<FileChange>,
}

/// Compares the files of the graph with those of a commit: a date, a name that git knows, or the last session.
pub fn since(
    ctx: &Ctx<'_>,
    at: &GraphView,
    argument: &'static str,
    said: &str,
    scope: Option<&str>,
) -> Result<Divergence, Fault> {
    let root = ctx.workspace()?.root();
    let Some(base) = base(ctx, argument, said)? else {
        ctx.scope(scope)?;
        return Ok(Divergence { baseline: None, files: Vec::new() });
    };
    let failed = |err: HistoryError| unreadable(&err);
    let before: BTreeMap<String, Content> = base.files().map_err(failed)?;
    let scope = &place(ctx, &before, scope)?;
    let mut files = Vec::new();
    let gone = before
        .iter()
        .filter(|(path, _)| is_code(path) && at.graph.node_by_path(path).is_none())
        // What is there and was not read, such as generated code, is not removed.
        .filter(|(path, _)| scan::read(root, path).is_err());
    // Many files may have said the same; empty ones do.
    let mut removed: BTreeMap<Content, VecDeque<&str>> = BTreeMap::new();
    for (path, content) in gone {
        removed.entry(*content).or_default().push_back(path);
    }
    for node in at.graph.nodes().filter(|node| node.kind() == NodeKind::File) {
        if let Some(stop) = ctx.cancel().stop() {
            return Err(faults::stopped(stop));
        }
        let path = node.path();
        let is_inside = is_within(path, scope);
        // What came from the scope counts wherever it is now.
        if !is_inside && before.contains_key(path) || node.language().is_empty() {
            continue;
        }
        let Ok(bytes) = scan::read(root, path) else { continue };
        let content = base.content(&bytes);
        let change = match before.get(path) {
            Some(old) if Some(*old) == content => continue,
            Some(old) => {
                let old = base.bytes(*old);
                let symbols =
                    old.and_then(|old| compare(path, Some((&old[..]).into()), Some((&bytes[..]).into())));
                FileChange { path: path.to_owned(), state: FileState::Changed, from: None, symbols }
            }
            None => match content.and_then(|content| removed.get_mut(&content)?.pop_front()) {
                Some(from) if !is_inside && !is_within(from, scope) => continue,
                Some(from) => {
                    let (state, symbols) = (FileState::Renamed, Some(Vec::new()));
                    FileChange { path: path.to_owned(), state, from: Some(from.to_owned()), symbols }
                }
                None if !is_inside => continue,
                None => {
                    let symbols = compare(path, None, Some((&bytes[..]).into()));
                    FileChange { path: path.to_owned(), state: FileState::Added, from: None, symbols }
                }
            },
        };
        files.push(change);
    }
    for (content, paths) in removed {
        let Some(first) = paths.front() else { continue };
        let symbols = base.bytes(content).and_then(|old| compare(first, Some((&old[..]).into()), None));
        files.extend(paths.iter().filter(|path| is_within(path, scope)).map(|path| FileChange {
            path: (*path).to_owned(),
            state: FileState::Removed,
            from: None,
            symbols: symbols.clone(),
        }));
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let baseline = BaselineShown {
        commit: base.id(),
        date: timestamp(base.time()),
        commits_since: base.commits_since().map_err(failed)?,
    };
    Ok(Divergence { baseline: Some(baseline), files })
}

/// What to say where there is nothing to compare with.
pub const NO_REPOSITORY: &str = "The folder is in no git repository, so no earlier state of it is known and nothing is said about changes. \
    If it is a copy, bind the clone it was made from; otherwise commit it (`git init`), and changes since then can be told.";

/// The folder or file that a scope means, today's or that of the commit.
fn place(ctx: &Ctx<'_>, before: &BTreeMap<String, Content>, scope: Option<&str>) -> Result<String, Fault> {
    let today = ctx.scope(scope);
    match (&today, scope) {
        (Err(fault), Some(said)) if fault.code == Code::FileNotFound => {
            let then = ctx.workspace()?.root().relative(said).ok().map(|path| path.as_str().to_owned());
            let then = then.filter(|then| before.keys().any(|path| is_within(path, then)));
            then.map_or(today, Ok)
        }
        _ => today,
    }
}

/// How many definitions call one that is there today.
pub fn callers(graph: &Graph, path: &str, changed: &Changed) -> usize {
    if changed.change == Change::Removed {
        return 0;
    }
    let node = graph.nodes_in(path).find(|&ix| {
        let node = graph.node(ix);
        node.lines().0 == changed.line && changed.name.ends_with(node.label())
    });
    let Some(node) = node else { return 0 };
    graph.incoming(node).filter(|edge| edge.kind == EdgeKind::Calls && edge.source != node).count()
}

fn is_code(path: &str) -> bool {
    languages::of_path(path).is_some()
}

fn base(ctx: &Ctx<'_>, argument: &'static str, said: &str) -> Result<Option<Base>, Fault> {
    let workspace = ctx.workspace()?;
    let folder = workspace.root().path();
    let said = said.trim();
    let time = match said {
        LAST_SESSION => Some(workspace.previous_session().ok_or_else(|| {
            Fault::new(
                Code::UnknownTarget,
                "Nothing was asked here before this process, so there is no last session.",
                Recovery::hint(format!(
                    "Give `{argument}` a date such as 2026-01-31, or a git ref such as HEAD~10."
                )),
            )
        })?),
        other => m1nd_memory::text::time(other),
    };
    if time.is_some_and(|time| said != LAST_SESSION && time > ctx.runtime().clock().now()) {
        return Err(invalid_params(
            ctx.tool(),
            format!(
                "`{argument}`: {said:?} lies in the future, and nothing is younger than that. Give a date that has passed, or a git ref such as HEAD."
            ),
        ));
    }
    let baseline = time.map_or(Baseline::Name(said), Baseline::Time);
    match Base::find(folder, baseline) {
        Ok(Some(base)) => Ok(Some(base)),
        Err(HistoryError::NoRepository) => Ok(None),
        Ok(None) if time.is_some() => Err(Fault::new(
            Code::UnknownTarget,
            format!("The history that is here has no commit as old as {said:?}."),
            Recovery::hint(format!("Give `{argument}` a later date, or a git ref.")),
        )),
        Ok(None) => Err(invalid_params(
            ctx.tool(),
            format!(
                "`{argument}`: {said:?} is no date, no `{LAST_SESSION}`, and names no commit of this repository."
            ),
        )),
        Err(err) => Err(unreadable(&err)),
    }
}

fn unreadable(err: &HistoryError) -> Fault {
    Fault::new(
        Code::Io,
        format!("The git history cannot be read: {err}."),
        Recovery::hint("This needs the git history of the workspace; `health` says what was read."),
    )
}
