//! Text search: a scope as callers write it, resolved, searched and counted.

use std::time::{Duration, Instant};

use m1nd_contract::Fault;
use m1nd_stdx::cancel::CancelToken;
use m1nd_vfs::glob::PathGlob;
use m1nd_vfs::grep::{self, Findings, Pattern};
use m1nd_vfs::walk::Reach;
use m1nd_vfs::{PathError, RelPath, Root};
use parking_lot::Mutex;

use super::survey::is_within;
use crate::faults::{self, from_vfs};
use crate::pipeline::{Progress, Step};

/// Hosts give up after a minute, many sooner: what is found by then is better than nothing.
const TIME_LIMIT: Duration = Duration::from_secs(8);

/// Often enough for a host that waits, seldom enough to cost nothing.
const TELL_EVERY: Duration = Duration::from_secs(1);

/// Where to look and how much to bring back.
#[derive(Debug)]
pub struct Request<'a> {
    pub pattern: &'a Pattern,
    pub scope: Option<&'a str>,
    pub glob: Option<&'a str>,
    pub keep: usize,
    pub context: usize,
    /// What ripgrep would search, or all that belongs to the repository.
    pub reach: Reach,
    /// Files that belong to it whatever its ignore files say.
    pub tracked: &'a [RelPath],
}

/// Searches, telling `progress` once a second how many files are done.
pub fn run(
    root: &Root,
    tool: &str,
    request: &Request<'_>,
    cancel: &CancelToken,
    progress: &dyn Progress,
) -> Result<Findings, Fault> {
    let place = Place::resolve(root, request.scope).map_err(|err| from_vfs::path(tool, "scope", err))?;
    let globs: Vec<PathGlob> = match request.glob {
        Some(glob) => vec![PathGlob::parse(glob).map_err(|err| from_vfs::glob(tool, "glob", &err))?],
        None => Vec::new(),
    };
    let query = grep::Query {
        pattern: request.pattern,
        start: place.start,
        prefix: place.prefix,
        globs: &globs,
        keep: request.keep,
        context: request.context,
        reach: request.reach,
        tracked: request.tracked,
    };
    let told = Mutex::new(Instant::now());
    let searched = |files: u64| {
        // A thread that finds the clock held leaves the telling to the one that holds it.
        let Some(mut last) = told.try_lock() else { return };
        if last.elapsed() >= TELL_EVERY {
            *last = Instant::now();
            progress.report(Step { done: files, total: None, message: format!("{files} files searched") });
        }
    };
    grep::search(root, &query, &cancel.with_timeout(TIME_LIMIT), &searched).map_err(faults::stopped)
}

/// A scope is a folder or file, or the beginning of paths.
#[derive(Debug)]
pub struct Place {
    pub start: RelPath,
    pub prefix: Option<String>,
}

impl Place {
    pub fn resolve(root: &Root, scope: Option<&str>) -> Result<Self, PathError> {
        let Some(scope) = scope else {
            return Ok(Self { start: RelPath::root(), prefix: None });
        };
        match root.locate(scope) {
            Ok(start) => Ok(Self { start, prefix: None }),
            // A pattern is told as it was said, not by the first folder that is not there.
            Err(PathError::NotFound { .. }) if scope.contains(['*', '?', '[', '{']) => {
                Err(PathError::NotFound { path: scope.to_owned() })
            }
            Err(PathError::NotFound { path }) => {
                let wanted = root.relative(scope)?;
                let folder = wanted.parent();
                if !folder_has_prefix(root, &folder, wanted.file_name())? {
                    return Err(PathError::NotFound { path });
                }
                Ok(Self { start: folder, prefix: Some(wanted.as_str().to_owned()) })
            }
            Err(err) => Err(err),
        }
    }

    /// Whether a path lies in it.
    pub fn admits(&self, path: &str) -> bool {
        match &self.prefix {
            Some(prefix) => path.starts_with(prefix),
            None => is_within(path, self.start.as_str()),
        }
    }
}

fn folder_has_prefix(root: &Root, folder: &RelPath, prefix: &str) -> Result<bool, PathError> {
    let names = root.names_in(folder)?;
    Ok(names.iter().any(|name| name.starts_with(prefix)))
}
