//! Absent: a search that found nothing, taken down so that it can be made again, and made again.

use m1nd_mission::Absence;
use m1nd_stdx::cancel::CancelToken;
use m1nd_vfs::grep::{Case, Pattern, Syntax};
use serde_json::Value;

use super::Seen;
use crate::flows::text_search::{self, Request};
use crate::pipeline::Silent;
use crate::workspace::Workspace;

/// The tool whose searches these are.
const SEARCH: &str = "search";

/// What a call shows to be nowhere. One that ran out of time, or searched no file, shows nothing.
pub(super) fn observed(seen: &Seen<'_>) -> Option<Absence> {
    let count = |name: &str| seen.body.get(name).and_then(Value::as_u64);
    let word = |name: &str| seen.arguments.get(name).and_then(Value::as_str).map(str::to_owned);
    let is = |name: &str| seen.arguments.get(name) == Some(&Value::Bool(true));
    let mode = seen.body.get("mode").and_then(Value::as_str)?;
    let is_whole = seen.body.get("timed_out").is_none_or(|timed_out| timed_out == &Value::Bool(false));
    let glob = word("glob");
    // A pattern of the machine's paths is read against the workspace, which may be elsewhere then.
    let is_outer = glob
        .as_deref()
        .is_some_and(|glob| glob.contains("..") || glob.trim_start_matches('!').starts_with('/'));
    if seen.tool != SEARCH || mode == "semantic" || count("total_matches") != Some(0) || !is_whole || is_outer
    {
        return None;
    }
    let missed = seen.body.get("unsearched").and_then(Value::as_object).into_iter().flatten();
    Some(Absence {
        query: word("query")?,
        regex: mode == "regex",
        case_sensitive: is("case_sensitive"),
        multiline: is("multiline"),
        scope: word("scope").filter(|scope| !scope.is_empty()),
        glob,
        files: count("files_searched").filter(|files| *files > 0)?,
        unsearched: missed.filter_map(|(_, count)| count.as_u64()).sum(),
    })
}

/// Whether it is still nowhere; nothing where the search cannot be made again.
pub(super) fn still(workspace: &Workspace, search: &Absence) -> Option<bool> {
    let syntax = match (search.regex, search.multiline) {
        (true, true) => Syntax::RegexAcrossLines,
        (true, false) => Syntax::Regex,
        (false, _) => Syntax::Literal,
    };
    let case = if search.case_sensitive { Case::Sensitive } else { Case::Insensitive };
    let pattern = Pattern::compile(&search.query, syntax, case).ok()?;
    let (scope, glob) = (search.scope.as_deref(), search.glob.as_deref());
    let request = Request { pattern: &pattern, scope, glob, keep: 1, context: 0 };
    let found = text_search::run(workspace.root(), SEARCH, &request, &CancelToken::new(), &Silent).ok()?;
    let was_made = found.stopped.is_none() && found.files_searched > 0;
    was_made.then_some(found.total == 0)
}
