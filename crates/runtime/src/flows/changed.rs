//! Changed: what a diff or a range of commits touches, as nodes of today's graph.

use m1nd_contract::{Code, Fault, Recovery};
use m1nd_graph::change::ChangedFile;
use m1nd_graph::{Graph, NodeIx};
use m1nd_ingest::history::{self, Compared, Now, RangeError};
use m1nd_ingest::scan;
use m1nd_risk::diff::{self, Patch};
use m1nd_vfs::Root;
use serde_json::json;

use crate::ctx::Ctx;
use crate::faults;

/// More text than this is no change that anybody reviews.
const MAX_DIFF_BYTES: usize = 8 << 20;

/// The files that a unified diff, a range (`main..HEAD`, `main...HEAD`) or a commit compared with the files as they are changes.
pub fn files(ctx: &Ctx<'_>, argument: &str, change: &str) -> Result<Vec<ChangedFile>, Fault> {
    if diff::is_diff(change) {
        return Ok(patches(ctx, argument, change)?.into_iter().map(|patch| patch.file).collect());
    }
    let change = sized(ctx, argument, change)?;
    if change.contains('\n') {
        return Err(ctx.invalid(format!("`{argument}` is neither a unified diff nor a git range.")));
    }
    of_range(ctx, argument, change)
}

/// The files of a unified diff, with what its hunks say.
pub(super) fn patches(ctx: &Ctx<'_>, argument: &str, change: &str) -> Result<Vec<Patch>, Fault> {
    let change = sized(ctx, argument, change)?;
    diff::patches(change).map_err(|err| ctx.invalid(format!("`{argument}`: {err}.")))
}

fn sized<'c>(ctx: &Ctx<'_>, argument: &str, change: &'c str) -> Result<&'c str, Fault> {
    let change = change.trim_matches(['\n', '\r']);
    if change.trim().is_empty() {
        return Err(ctx.invalid(format!(
            "`{argument}` is empty. Give a unified diff, or a git range such as main...HEAD."
        )));
    }
    if change.len() > MAX_DIFF_BYTES {
        return Err(ctx.invalid(format!("`{argument}` has more than {MAX_DIFF_BYTES} bytes.")));
    }
    Ok(change)
}

/// The same for a range alone.
pub fn of_range(ctx: &Ctx<'_>, argument: &str, range: &str) -> Result<Vec<ChangedFile>, Fault> {
    let root = ctx.workspace()?.root();
    let (listed, _) = scan::list(root, ctx.cancel()).map_err(faults::stopped)?;
    let today = listed.into_iter().map(|file| file.path);
    let found = history::changes_with_texts(root.path(), range, today, |path| scan::now(root, path))
        .map_err(|err| refused(ctx, argument, &err))?;
    Ok(found.into_iter().map(|one| carried(root, one)).collect())
}

/// The lines of a range that ended long ago, as they stand in the files of today.
fn carried(root: &Root, one: Compared) -> ChangedFile {
    let Compared { mut file, new, .. } = one;
    if let (Some(new), Now::Holds(now)) = (new, scan::now(root, &file.path))
        && new != now
    {
        file.lines = history::carried(&file.lines, &new, &now);
    }
    file
}

/// The nodes of today's graph that the files' changed lines stand in.
pub fn nodes(graph: &Graph, files: &[ChangedFile]) -> Vec<NodeIx> {
    let mut nodes: Vec<NodeIx> = files.iter().flat_map(|file| file.nodes(graph)).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// Why a range cannot be compared.
pub(super) fn refused(ctx: &Ctx<'_>, argument: &str, err: &RangeError) -> Fault {
    match err {
        RangeError::History(history::HistoryError::Stopped(stop)) => faults::stopped(*stop),
        RangeError::History(_) => Fault::new(
            Code::InvalidParams,
            format!("`{argument}`: {err}."),
            Recovery::hint(match argument {
                DIFF => "Give a unified diff instead of a git range, or call without it.",
                _ => "This needs a git repository. `git init` and a commit make one.",
            }),
        ),
        RangeError::Unknown { .. } | RangeError::NoMergeBase { .. } => {
            let hint = "Name a branch, a tag or a commit.";
            let last = match argument {
                DIFF => "HEAD~1..HEAD",
                _ => "HEAD~1",
            };
            let recovery = match has_two_commits(ctx) {
                true => Recovery::call(
                    format!("{hint} {last} is the last one."),
                    ctx.tool(),
                    json!({ argument: last }),
                ),
                false => Recovery::hint(hint),
            };
            Fault::new(Code::InvalidParams, format!("`{argument}`: {err}."), recovery)
        }
    }
}

/// The argument that takes a diff as well as a range.
const DIFF: &str = "diff";

/// Whether there is a commit before the last.
fn has_two_commits(ctx: &Ctx<'_>) -> bool {
    ctx.workspace().is_ok_and(|workspace| history::left(workspace.root().path(), "HEAD~1").is_ok())
}

/// There is no branch to compare with.
pub(super) fn no_base(ctx: &Ctx<'_>) -> Fault {
    Fault::new(
        Code::InvalidParams,
        "There is no git branch to compare with: no main, master, trunk or origin/HEAD that HEAD comes from.",
        match has_two_commits(ctx) {
            true => Recovery::call(
                "Name a commit in `base`, or give a `diff`.",
                ctx.tool(),
                json!({ "base": "HEAD~1" }),
            ),
            false => Recovery::hint("Give the change as a unified `diff`."),
        },
    )
}
