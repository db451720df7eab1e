//! Preview: a change that is shown, kept for five minutes, and made when somebody says so.

use m1nd_contract::{Code, Fault, Recovery};
use m1nd_edit::{Change, Disk as _, plan};
use m1nd_stdx::digest::{sha256_hex, short_name};
use serde_json::json;

use super::aftermath;
use super::checks::check;
use super::making::{Made, Request, Verify, apply};
use super::possible;
use super::shown::{self, CallerShown, SymbolShown, SyntaxShown};
use super::stray;
use crate::ctx::Ctx;
use crate::faults::from_edit;
use crate::workspace::Preview;

/// What an edit would do.
pub struct Previewed {
    pub id: String,
    pub path: String,
    pub before: Option<String>,
    pub after: String,
    pub diff: String,
    pub syntax: Vec<SyntaxShown>,
    /// Why errors could not be looked for.
    pub unchecked: Option<&'static str>,
    pub symbols: Vec<SymbolShown>,
    pub callers: Vec<CallerShown>,
    /// What could not be looked at.
    pub unknown: Option<String>,
}

const FILE_PATH: &str = "file_path";

pub fn show(ctx: &Ctx<'_>, change: Change) -> Result<Previewed, Fault> {
    let workspace = ctx.workspace()?;
    let graph = ctx.graph_if_any()?.map(|at| at.graph);
    let planned = plan(&workspace.disk(), std::slice::from_ref(&change))
        .map_err(|err| from_edit::plan(ctx.tool(), &|_| FILE_PATH.to_owned(), err))?;
    let Some(file) = planned.files.first() else {
        return Err(ctx.invalid(format!(
            "`{FILE_PATH}`: {} holds that already; there is nothing to show.",
            change.path
        )));
    };
    let checked = check(workspace, &planned);
    let mut callers = Vec::new();
    if let Some(graph) = &graph {
        callers = checked.callers(workspace.root(), graph, &planned);
        callers.extend(possible::planned(ctx, graph, &planned, &checked.removed(graph), &callers)?);
        callers.extend(stray::planned(ctx, graph, &planned, &checked, &callers)?);
    }
    let before = file.before.as_ref().map(|held| sha256_hex(&held.bytes));
    let after = sha256_hex(file.after.as_ref().map_or(&[], |after| &after.bytes));
    let seed = format!("{} {} {after}", change.path, before.as_deref().unwrap_or_default());
    let id = format!("p-{}", short_name(seed.as_bytes(), 10));
    let previewed = Previewed {
        id: id.clone(),
        path: change.path.clone(),
        before: before.clone(),
        after: after.clone(),
        diff: shown::diff(&planned.files, file),
        unchecked: checked.unchecked.first().map(|(_, why)| *why),
        symbols: checked.shown(),
        callers,
        syntax: checked.syntax,
        unknown: graph.is_none().then(|| aftermath::unknown(ctx)),
    };
    workspace.keep_preview(Preview {
        id,
        change,
        before,
        after,
        made: ctx.runtime().clock().now(),
        batch: None,
    });
    Ok(previewed)
}

/// Makes a preview true. Where that was done already there is nothing to do.
pub fn commit(ctx: &Ctx<'_>, id: &str, allow_syntax_errors: bool) -> Result<Made, Fault> {
    let workspace = ctx.workspace()?;
    let Some(preview) = workspace.preview(id, ctx.runtime().clock().now()) else {
        return Err(Fault::new(
            Code::UnknownTarget,
            format!(
                "`preview_id`: there is no preview {:?}; they are kept for 5 minutes, by the server that showed them.",
                &id[..id.floor_char_boundary(80)]
            ),
            Recovery::call(
                "Preview the edit again in the same session; from a command line, where each call is a server of its own, use apply.",
                crate::registry::HELP,
                json!({ "tool": "edit_preview" }),
            ),
        ));
    };
    let path = preview.change.path.clone();
    let held = workspace.disk().held(&path).map_err(|err| from_edit::disk(ctx.tool(), "preview_id", err))?;
    let now = held.map(|held| sha256_hex(&held.bytes));
    if now.as_deref() == Some(&preview.after) {
        return Ok(Made {
            unchanged: vec![path],
            batch_id: preview.batch,
            undoable: true,
            ..Made::default()
        });
    }
    if now != preview.before {
        let words = format!("{path} was changed since the preview.");
        return Err(from_edit::stale(&words, &path, now.as_deref(), preview.before.as_deref()));
    }
    let mut change = preview.change;
    // Whoever writes between this look and the batch is noticed too.
    change.expected = preview.before;
    let request = Request {
        changes: vec![change],
        argument: &|_| "preview_id".to_owned(),
        verify: Verify::Syntax,
        allow_syntax_errors,
        dry_run: false,
    };
    let made = apply(ctx, request)?;
    if let Some(batch) = &made.batch_id {
        workspace.preview_was_made(id, batch);
    }
    Ok(made)
}
