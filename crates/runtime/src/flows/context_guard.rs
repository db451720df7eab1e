//! Context guard: what a path that leads out of the workspace means, and the three ways to where it leads.

use std::path::{Path, PathBuf};

use m1nd_contract::{Code, Fault};
use m1nd_guard::Scope;
use m1nd_vfs::{PathError, outside};
use serde_json::{Map, Value, json};

use crate::ctx::Ctx;
use crate::faults::from_vfs::{self, REQUESTED};
use crate::workspace::Workspace;

/// A path that lies outside, with the repository it belongs to, if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    requested: String,
    /// The folder that can be bound or put into the graph.
    repository: Option<PathBuf>,
    /// The folder that it leads to, whatever it is.
    folder: Option<PathBuf>,
    /// Whether it is another work tree of the repository of this workspace.
    is_worktree: bool,
}

/// What is asked for may be spelled in any way that paths can be.
pub fn elsewhere(workspace: &Workspace, requested: &str) -> Elsewhere {
    let plain = requested.strip_prefix("file://").unwrap_or(requested);
    let root = workspace.root().path();
    // One name may be that of a folder beside the workspace.
    let beside = root.parent().filter(|_| !plain.contains('/') && !plain.is_empty());
    let real = root.join(plain).canonicalize().ok();
    let real = real.or_else(|| beside?.join(plain).canonicalize().ok());
    let repository = real.as_deref().and_then(|real| repository_of(workspace.root().path(), real));
    let is_worktree =
        repository.as_deref().is_some_and(|folder| is_worktree(workspace.root().path(), folder));
    Elsewhere {
        requested: requested[..requested.floor_char_boundary(LONGEST)].to_owned(),
        folder: real.as_deref().and_then(folder_of).map(Path::to_owned),
        repository,
        is_worktree,
    }
}

/// The other repository whose work tree holds a path of this machine, if there is such a path.
pub fn other_repository(workspace: &Workspace, path: &str) -> Option<PathBuf> {
    let plain = path.strip_prefix("file://").unwrap_or(path);
    if !plain.starts_with('/') || workspace.root().locate(plain).is_ok() {
        return None;
    }
    let repository = elsewhere(workspace, plain).repository?;
    repository.join(".git").exists().then_some(repository)
}

/// The first path in a text that belongs to another repository, and that repository.
pub fn named_in<'t>(workspace: &Workspace, text: &'t str) -> Option<(&'t str, PathBuf)> {
    let ends = |letter: char| letter.is_whitespace() || "\"'`<>|()[]{},;".contains(letter);
    let words = text.split(ends).filter(|word| word.starts_with('/') || word.starts_with("file:///"));
    let mut paths = words.map(without_place).filter(|path| path.matches('/').count() > 1).take(MOST_NAMED);
    paths.find_map(|path| Some((path, other_repository(workspace, path)?)))
}

/// Paths of one text that are looked at.
const MOST_NAMED: usize = 32;

/// A path without the line behind it, and without what ends a sentence.
fn without_place(word: &str) -> &str {
    let mut word = word.trim_end_matches(['.', ':', '!', '?']);
    while let Some((path, line)) = word.rsplit_once(':')
        && !line.is_empty()
        && line.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
    {
        word = path;
    }
    word
}

/// What to say to a question that names a path of another repository beside other words; a refusal where it is all that was
/// asked.
pub fn told_of_others(ctx: &Ctx<'_>, argument: &str, text: &str) -> Result<Option<String>, Fault> {
    let Some((path, repository)) = named_in(ctx.workspace()?, text) else { return Ok(None) };
    if without_place(text.trim().trim_matches(['"', '\'', '`'])) == path {
        return Err(from_vfs::path(ctx.tool(), argument, PathError::Outside { path: path.to_owned() }));
    }
    let path = &path[..path.floor_char_boundary(LONGEST)];
    Ok(Some(format!(
        "{path} is of {}, which is not in this graph: nothing here speaks of it. session_handshake with that as `scope` has the ways there.",
        repository.display()
    )))
}

/// The guard of a fault about a path outside, for tools whose answer holds it.
pub fn of_fault(ctx: &Ctx<'_>, fault: &Fault) -> Option<Map<String, Value>> {
    let requested = fault.detail.as_ref()?.get(REQUESTED)?.as_str()?;
    let workspace = ctx.workspace().ok().filter(|_| fault.code == Code::PathOutsideWorkspace)?;
    let guard = elsewhere(workspace, requested).guard(workspace, ctx.header().caller.name());
    guard.as_object().cloned()
}

/// A longer path is no path of anybody's.
const LONGEST: usize = 300;

/// The work tree around a path, else the folder that was named. None where neither can be meant: the system's own
/// folders, and those that hold the workspace itself.
fn repository_of(workspace: &Path, real: &Path) -> Option<PathBuf> {
    let folder = folder_of(real)?;
    let work_tree = folder.ancestors().find(|folder| folder.join(".git").exists());
    let meant = work_tree.unwrap_or(folder);
    let is_deep = meant.components().count() > 2;
    let around = workspace.starts_with(meant) || meant.starts_with(workspace);
    (is_deep && !around).then(|| meant.to_owned())
}

fn folder_of(real: &Path) -> Option<&Path> {
    if real.is_dir() { Some(real) } else { real.parent() }
}

/// Git writes into another work tree where the repository is.
pub(crate) fn is_worktree(workspace: &Path, folder: &Path) -> bool {
    let git_of = |folder: &Path| {
        let path = folder.join(".git");
        let real = if path.is_dir() {
            path
        } else {
            let text = outside::text(&path, MAX_GIT_FILE_BYTES).ok()??;
            let named = Path::new(text.strip_prefix("gitdir:")?.trim()).to_owned();
            let folder = folder.join(named);
            // worktrees/name, in the folder of the repository itself.
            folder.parent()?.parent()?.to_owned()
        };
        real.canonicalize().ok()
    };
    matches!((git_of(workspace), git_of(folder)), (Some(own), Some(other)) if own == other)
}

/// It holds one path.
const MAX_GIT_FILE_BYTES: u64 = 8 << 10;

impl Elsewhere {
    /// As an error carries it: short, with calls that can be made as they are. `agent` goes into their arguments.
    pub fn guard(&self, workspace: &Workspace, agent: &str) -> Value {
        let mut guard = json!({
            "class": Scope::WrongWorkspaceBinding.name(),
            "requested": self.requested,
            "active_workspace_root": workspace.root().path(),
        });
        if !self.exists() {
            guard["note"] = json!("There is no such path.");
        }
        if let Some(repository) = &self.repository {
            guard["repository"] = json!(repository);
            if self.is_worktree {
                guard["relation"] =
                    json!("another work tree of this repository; it is a workspace of its own");
            }
            guard["recoveries"] = self.recoveries(agent);
        }
        guard
    }

    /// Rebind, ingest here, or federate; empty where there is nothing that could be bound.
    pub fn recoveries(&self, agent: &str) -> Value {
        let Some(path) = &self.repository else { return json!([]) };
        let add = json!({ "agent_id": agent, "path": path, "intent": "add_root" });
        let mut named = add.clone();
        named["namespace"] = json!(super::roots::name_of(path));
        json!([
            {
                "way": "rebind",
                "env": { "M1ND_WORKSPACE_ROOT": path },
                "how": "Ask the user to start the host's server with this variable, then make a new handshake.",
            },
            { "way": "ingest", "tool": "ingest", "arguments": add, "how": "On purpose: put it into this graph too." },
            {
                "way": "federate",
                "tool": "ingest",
                "arguments": named,
                "how": "For work across both: its paths then begin with the name and ::.",
            },
        ])
    }

    /// The same, and where there is no repository that could be put into this graph the one way that is left.
    pub fn ways(&self, agent: &str) -> Value {
        let (None, Some(folder)) = (&self.repository, &self.folder) else { return self.recoveries(agent) };
        json!([{
            "way": "rebind",
            "env": { "M1ND_WORKSPACE_ROOT": folder },
            "how": "This is no repository beside this one, so it cannot be put into this graph. Name the repository that is meant by its path; or, if it is this folder, ask the user to start the host's server with this variable, then make a new handshake.",
        }])
    }

    /// The repository that is meant, else the folder.
    pub fn folder(&self) -> Option<&Path> {
        self.repository.as_deref().or(self.folder.as_deref())
    }

    /// Whether a repository is meant, and not just any path.
    pub fn is_repository(&self) -> bool {
        self.repository.is_some()
    }

    /// Whether the path leads anywhere.
    pub fn exists(&self) -> bool {
        self.folder.is_some()
    }

    /// Whether it leads to the workspace itself, by its name.
    pub fn is_own(&self, workspace: &Workspace) -> bool {
        self.folder.as_deref() == Some(workspace.root().path())
    }

    /// Where it leads.
    pub fn repository(&self) -> Option<&Path> {
        self.repository.as_deref()
    }
}
