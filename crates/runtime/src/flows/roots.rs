//! Roots: putting another repository into the graph, and taking it out again.

use std::path::PathBuf;

use m1nd_contract::{Code, Fault, Recovery};
use m1nd_vfs::MountError;
use serde_json::{Value, json};

use crate::ctx::Ctx;
use crate::faults::invalid_params;
use crate::workspace::{Added, RootsError};

/// Puts the repository at `path` in: under the given name, else under its folder's.
pub fn add(ctx: &Ctx<'_>, path: &str, namespace: Option<&str>) -> Result<Added, Fault> {
    may_change(ctx)?;
    let workspace = ctx.workspace()?;
    let path = path.strip_prefix("file://").unwrap_or(path);
    let folder = workspace.root().path().join(path);
    let name = namespace.map_or_else(|| name_of(&folder), str::to_owned);
    workspace.add_root(&name, &folder).map_err(|err| refused(ctx, path, &name, &err))
}

/// Takes out the one of that name.
pub fn remove(ctx: &Ctx<'_>, namespace: &str) -> Result<Added, Fault> {
    may_change(ctx)?;
    ctx.workspace()?.remove_root(namespace).map_err(|err| refused(ctx, "", namespace, &err))
}

/// The list outlives the process.
fn may_change(ctx: &Ctx<'_>) -> Result<(), Fault> {
    if ctx.runtime().settings().read_only {
        return Err(ctx.invalid("`intent`: this server was started with --read-only, and which repositories a graph holds is kept."));
    }
    Ok(())
}

/// As `ingest` and `health` show one.
pub fn shown(added: &Added) -> Value {
    let mut shown = json!({ "namespace": added.namespace, "path": added.path });
    if let Some(problem) = &added.problem {
        shown["problem"] = json!(problem);
    }
    shown
}

/// What a folder is called, in letters that a name may have.
pub(crate) fn name_of(folder: &std::path::Path) -> String {
    let real = folder.canonicalize().unwrap_or_else(|_| PathBuf::from(folder));
    let name = real.file_name().unwrap_or_default().to_string_lossy();
    let plain = |letter: char| if letter.is_alphanumeric() || "._-".contains(letter) { letter } else { '-' };
    name.chars().take(32).map(plain).collect()
}

fn refused(ctx: &Ctx<'_>, path: &str, namespace: &str, err: &RootsError) -> Fault {
    let said = format!("{err}; the graph is as it was.");
    match err {
        RootsError::Io(_) => Fault::new(
            Code::Storage,
            format!("The list of repositories could not be written: {said}"),
            Recovery::hint(
                "Free some space or allow this user to write to the runtime root, and call again.",
            ),
        ),
        RootsError::Mount(MountError::Taken { .. }) => Fault::new(
            Code::InvalidParams,
            format!("`namespace`: {said}"),
            Recovery::call(
                "Choose another name for it.",
                ctx.tool(),
                json!({ "path": path, "namespace": format!("{namespace}-2"), "intent": "add_root" }),
            ),
        ),
        RootsError::Mount(MountError::Known { .. } | MountError::Inside { .. }) => Fault::new(
            Code::InvalidParams,
            format!("`path`: {said}"),
            Recovery::call("An ingest without intent reads all of it.", ctx.tool(), json!({})),
        ),
        RootsError::Mount(MountError::Around { .. }) => Fault::new(
            Code::InvalidParams,
            format!("`path`: {said}"),
            Recovery::hint(
                "Start a server with --workspace for that folder: it then reads this workspace too.",
            ),
        ),
        RootsError::Mount(MountError::Name { .. }) => {
            invalid_params(ctx.tool(), format!("`namespace`: {said}"))
        }
        RootsError::Mount(_) | RootsError::TooMany | RootsError::Own => {
            invalid_params(ctx.tool(), format!("`path`: {said}"))
        }
        RootsError::Unknown { known, .. } => {
            let known = if known.is_empty() {
                "There are none.".into()
            } else {
                format!("There are: {}.", known.join(", "))
            };
            invalid_params(ctx.tool(), format!("`namespace`: {said} {known}"))
        }
    }
}
