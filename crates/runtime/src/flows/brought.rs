//! Brought: which reader a file is for, and the export that one of them reads back.

use std::fs;
use std::io::{self, Read as _};
use std::path::PathBuf;

use m1nd_contract::{Code, Fault, Recovery};
use m1nd_graph::{Graph, json};
use m1nd_vfs::read::ReadError;
use m1nd_vfs::{PathError, RelPath, Root, durable, read};

use crate::ctx::Ctx;
use crate::faults::{from_vfs, invalid_params};

/// Who reads a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adapter {
    Code,
    Scip,
    Json,
}

/// How every export starts.
const EXPORT_START: &str = "{\"schema_version\":";
/// Larger files are no exports of anything that was measured.
const MAX_EXPORT_BYTES: u64 = 1 << 30;
/// The export in the runtime root.
const EXPORT: &str = "graph.json";

/// The reader for what is at a path: by its name, and for JSON by how it starts.
pub fn adapter_of(root: &Root, path: Option<&RelPath>) -> Adapter {
    let Some(path) = path else { return Adapter::Code };
    let name = path.file_name();
    if name.ends_with(".scip") {
        return Adapter::Scip;
    }
    let is_export = || -> Result<bool, ReadError> {
        let bytes = read::bytes(root, path, MAX_EXPORT_BYTES)?;
        Ok(bytes.starts_with(EXPORT_START.as_bytes()))
    };
    if name.ends_with(".json") && is_export().unwrap_or(false) { Adapter::Json } else { Adapter::Code }
}

/// A written export.
#[derive(Clone, Debug)]
pub struct Exported {
    pub path: PathBuf,
    pub bytes: u64,
}

/// Writes the graph as JSON: to a place in the workspace, else to the runtime root. What stands there is
/// replaced only if it is an export too.
pub fn export(ctx: &Ctx<'_>, graph: &Graph, path: Option<&str>) -> Result<Exported, Fault> {
    let workspace = ctx.workspace()?;
    let target = match path {
        Some(path) => target(workspace.root(), path).map_err(|err| match err {
            PathError::NotFound { .. } => invalid_params(
                ctx.tool(),
                format!("`path`: the folder of {path:?} is not there; make it first."),
            ),
            err => from_vfs::path(ctx.tool(), "path", err),
        })?,
        None => workspace.ensure_runtime_root().map_err(|err| storage(&err.source))?.join(EXPORT),
    };
    if !may_replace(&target).map_err(|err| storage(&err))? {
        return Err(invalid_params(
            ctx.tool(),
            "`path`: there is a file that is no export of a graph, and it was left alone. Name another one.",
        ));
    }
    let text = json::export(graph).map_err(|err| storage(&io::Error::other(err)))?;
    durable::replace(&target, text.as_bytes()).map_err(|err| storage(&err))?;
    Ok(Exported { path: target, bytes: text.len() as u64 })
}

/// A place in the workspace whose folder is really there, whatever links lead to it.
fn target(root: &Root, path: &str) -> Result<PathBuf, PathError> {
    let wanted = root.relative(path)?;
    if let Ok(found) = root.locate(path) {
        return Ok(root.absolute(&found));
    }
    let outside = || PathError::Outside { path: path.to_owned() };
    let parent = wanted.parent();
    let folder = if parent.is_root() { parent } else { root.locate(parent.as_str())? };
    let target = root.absolute(&folder).join(wanted.file_name());
    // A link that leads nowhere, or out, is not followed.
    if fs::symlink_metadata(&target).is_ok() { Err(outside()) } else { Ok(target) }
}

fn may_replace(target: &PathBuf) -> io::Result<bool> {
    let file = match fs::File::open(target) {
        Ok(file) => file,
        Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(err) => return Err(err),
    };
    if !file.metadata()?.is_file() {
        return Ok(false);
    }
    let mut start = Vec::new();
    file.take(EXPORT_START.len() as u64).read_to_end(&mut start)?;
    Ok(start == EXPORT_START.as_bytes())
}

fn storage(err: &io::Error) -> Fault {
    Fault::new(
        Code::Storage,
        format!("The export could not be written: {err}."),
        Recovery::hint("Free some space, or name a path that this user may write to."),
    )
}
