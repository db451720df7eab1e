//! Absent: a search that found nothing, taken down so that it can be made again; and what a search finds in all that belongs
//! to the repository, also where `search` does not look.

use m1nd_graph::NodeIx;
use m1nd_ingest::history::{Base, Baseline};
use m1nd_mission::{Absence, Count, Spot};
use m1nd_stdx::cancel::CancelToken;
use m1nd_vfs::RelPath;
use m1nd_vfs::grep::{Case, Match, Pattern, Syntax};
use m1nd_vfs::walk::Reach;
use serde_json::Value;

use super::Seen;
use crate::flows::places;
use crate::flows::text_search::{self, Request};
use crate::pipeline::Silent;
use crate::workspace::Workspace;

/// The tool whose searches these are.
const SEARCH: &str = "search";
/// Places of a count that are named; whoever speaks of all of more speaks of too many.
const MOST_SPOTS: usize = 200;

/// A search by text as it was asked for. One that ran out of time, or searched no file, shows nothing.
pub(super) fn asked(seen: &Seen<'_>) -> Option<Absence> {
    let count = |name: &str| seen.body.get(name).and_then(Value::as_u64);
    let word = |name: &str| seen.arguments.get(name).and_then(Value::as_str).map(str::to_owned);
    let is = |name: &str| seen.arguments.get(name) == Some(&Value::Bool(true));
    if seen.tool != SEARCH {
        return None;
    }
    let mode = seen.body.get("mode").and_then(Value::as_str)?;
    let is_whole = seen.body.get("timed_out").is_none_or(|timed_out| timed_out == &Value::Bool(false));
    let glob = word("glob");
    // A pattern of the machine's paths is read against the workspace, which may be elsewhere then.
    let is_outer = glob
        .as_deref()
        .is_some_and(|glob| glob.contains("..") || glob.trim_start_matches('!').starts_with('/'));
    if mode == "semantic" || !is_whole || is_outer {
        return None;
    }
    Some(Absence {
        query: word("query")?,
        regex: mode == "regex",
        case_sensitive: is("case_sensitive"),
        multiline: is("multiline"),
        scope: word("scope").filter(|scope| !scope.is_empty()),
        glob,
        files: count("files_searched").filter(|files| *files > 0)?,
        ..Absence::default()
    })
}

/// What a call shows to be nowhere: neither where `search` looks, nor in what it leaves out. Nothing where nobody could look
/// there in time.
pub(super) fn observed(workspace: &Workspace, seen: &Seen<'_>) -> Option<Absence> {
    let found_nothing = seen.body.get("total_matches").and_then(Value::as_u64) == Some(0);
    let search = asked(seen).filter(|_| found_nothing)?;
    let all = count(workspace, &search)?;
    Some(Absence {
        also: all.files.saturating_sub(search.files),
        unsearched: all.unsearched,
        withheld: all.withheld,
        left_out: all.spots.first().map(|spot| format!("{}:{}", spot.path, spot.line)),
        ..search
    })
}

/// What a search finds now in all that belongs to the repository; nothing where it cannot be made.
pub(super) fn count(workspace: &Workspace, search: &Absence) -> Option<Count> {
    let syntax = match (search.regex, search.multiline) {
        (true, true) => Syntax::RegexAcrossLines,
        (true, false) => Syntax::Regex,
        (false, _) => Syntax::Literal,
    };
    let case = if search.case_sensitive { Case::Sensitive } else { Case::Insensitive };
    let pattern = Pattern::compile(&search.query, syntax, case).ok()?;
    let tracked = tracked(workspace);
    let request = Request {
        pattern: &pattern,
        scope: search.scope.as_deref(),
        glob: search.glob.as_deref(),
        keep: MOST_SPOTS,
        context: 0,
        reach: Reach::Repository,
        tracked: &tracked,
    };
    let found = text_search::run(workspace.root(), SEARCH, &request, &CancelToken::new(), &Silent).ok()?;
    let was_made = found.stopped.is_none() && found.files_searched > 0;
    was_made.then(|| Count {
        total: found.total,
        files: found.files_searched,
        unsearched: found.missed.unreadable + found.missed.too_large,
        withheld: found.missed.secret,
        spots: found.matches.iter().map(|hit| spot(workspace, &search.query, hit)).collect(),
    })
}

/// A place, and what is defined around it.
fn spot(workspace: &Workspace, query: &str, hit: &Match) -> Spot {
    let (view, path) = (workspace.view(), hit.path.as_str());
    let mut spot = Spot { path: path.to_owned(), line: hit.line, within: Vec::new(), defines: false };
    let Some(graph) = view.graph() else { return spot };
    let label = |id: &String| graph.node_by_id(id).map(|at: NodeIx| graph.node(at));
    for id in places::enclosing(graph, path, hit.line) {
        let Some(node) = label(&id) else { continue };
        let name = node.label().rsplit(['.', ':']).next().unwrap_or_default();
        // The line by which something is defined is no use of it.
        spot.defines |= u64::from(node.lines().0) == hit.line && query.contains(name);
        spot.within.push(name.to_owned());
    }
    spot
}

/// Files of the newest commit, which belong to the repository whatever its ignore files say today.
fn tracked(workspace: &Workspace) -> Vec<RelPath> {
    let own = std::iter::once((workspace.root().path().to_owned(), String::new()));
    let others = workspace.added_roots().into_iter().filter(|added| added.problem.is_none());
    let others = others.map(|added| (added.path, format!("{}::/", added.namespace)));
    let mut all = Vec::new();
    for (folder, before) in own.chain(others) {
        let Ok(Some(base)) = Base::find(&folder, Baseline::Name("HEAD")) else { continue };
        let files = base.files().unwrap_or_default();
        all.extend(
            files.keys().filter_map(|path| workspace.root().relative(&format!("{before}{path}")).ok()),
        );
    }
    all
}
