//! What was wrong with an index, an export or a snapshot, as advice.

use m1nd_contract::{Code, Fault, Recovery};
use m1nd_vfs::PathError;
use serde_json::json;

use super::{from_vfs, invalid_params, stopped};
use crate::workspace::BringError;

/// Why something could not be brought into the graph; `path` is the argument that named it.
pub fn fault(tool: &str, err: BringError) -> Fault {
    match err {
        BringError::Stopped(stop) => stopped(stop),
        BringError::Read(err) => from_vfs::read(tool, "path", err),
        BringError::Io(err) => Fault::new(
            Code::Storage,
            format!("The state of the workspace could not be written: {err}."),
            Recovery::hint(
                "Free some space or allow this user to write to the runtime root; the graph in memory is unharmed.",
            ),
        ),
        BringError::NothingCovered { .. } => Fault::new(
            Code::InvalidParams,
            format!("`path`: {err}."),
            Recovery::hint(
                "Make the index at the workspace's root, or put it into the folder that its paths start from, and call again.",
            ),
        ),
        err @ (BringError::Index(_) | BringError::Json(_) | BringError::NotText | BringError::NoNodes) => {
            invalid_params(tool, format!("`path`: {err}."))
        }
    }
}

/// A path that names no file of the workspace. What lies outside is never read, whoever asks.
pub fn path(tool: &str, err: PathError) -> Fault {
    match err {
        PathError::Outside { path } => Fault::new(
            Code::PathOutsideWorkspace,
            format!("`path`: {:?} is outside the workspace.", &path[..path.floor_char_boundary(200)]),
            Recovery::hint(
                "Copy the file into the workspace (a path that .gitignore names will do) and call again with that path.",
            ),
        ),
        err => from_vfs::path(tool, "path", err),
    }
}

/// A folder that is not part of the workspace is read only for whoever says so.
pub fn another_repository(tool: &'static str, path: &str) -> Fault {
    let path = &path[..path.floor_char_boundary(200)];
    Fault::new(
        Code::PathOutsideWorkspace,
        format!("`path`: {path:?} is outside the workspace, and nothing was ingested."),
        Recovery::call(
            "If it is another repository that belongs into this graph, say so with intent; else start a server with --workspace for it.",
            tool,
            json!({ "path": path, "intent": "add_root" }),
        ),
    )
    .with_detail(json!({ from_vfs::REQUESTED: path }))
}
