//! File list: the paths below a scope that a pattern admits.

use std::borrow::Cow;
use std::time::UNIX_EPOCH;

use m1nd_contract::Fault;
use m1nd_vfs::PathError;
use m1nd_vfs::glob::PathGlob;
use m1nd_vfs::walk::{self, Found};
use parking_lot::Mutex;

use super::context_guard;
use super::text_search::Place;
use crate::ctx::Ctx;
use crate::faults::{self, from_vfs};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Path,
    NewestFirst,
}

/// All of them, in order. A pattern with a slash is relative to the scope, if one is given.
pub fn run(ctx: &Ctx<'_>, pattern: &str, scope: Option<&str>, order: Order) -> Result<Vec<String>, Fault> {
    let root = ctx.workspace()?.root();
    let pattern = below_root(ctx, "pattern", pattern)?;
    let glob = PathGlob::parse(&pattern).map_err(|err| from_vfs::glob(ctx.tool(), "pattern", &err))?;
    let place = Place::resolve(root, scope).map_err(|err| from_vfs::path(ctx.tool(), "scope", err))?;
    let base = if place.start.is_root() { String::new() } else { format!("{}/", place.start) };
    let found = Mutex::new(Vec::new());
    walk::files(root, &place.start, ctx.cancel(), || {
        |file: Found<'_>| {
            let whole = file.shown.as_str();
            let in_scope = place.prefix.as_deref().is_none_or(|prefix| whole.starts_with(prefix));
            let below = whole.strip_prefix(&base).unwrap_or(whole);
            if in_scope && (glob.admits_str(whole) || glob.admits_str(below)) {
                let changed = (order == Order::NewestFirst).then(|| changed_ns(&file)).flatten();
                found.lock().push((changed, file.shown.to_string()));
            }
        }
    })
    .map_err(faults::stopped)?;
    let mut files = found.into_inner();
    files.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    Ok(files.into_iter().map(|(_, path)| path).collect())
}

/// A pattern of this machine's paths as one of the workspace's. A leading slash means the workspace's root, unless what
/// follows is there only on the machine. One that leads out is refused: it would match nothing, and nothing is no answer.
pub fn below_root<'p>(ctx: &Ctx<'_>, argument: &str, pattern: &'p str) -> Result<Cow<'p, str>, Fault> {
    let workspace = ctx.workspace()?;
    let (turned, path) = pattern.strip_prefix('!').map_or(("", pattern), |path| ("!", path));
    let path = path.strip_prefix("file://").unwrap_or(path);
    let fixed = path.find(['*', '?', '[', '{', '\\']).unwrap_or(path.len());
    // A folder and something of it: what begins with a pattern begins nowhere.
    let folder = path[..fixed].rfind('/').map(|end| &path[..end]);
    let climbs = |folder: &str| folder.split('/').any(|part| part == "..");
    // `..` alone is a folder, too.
    let folder = folder.or_else(|| (path == "..").then_some(path));
    let Some(folder) = folder.filter(|folder| folder.starts_with('/') || climbs(folder)) else {
        return Ok(pattern.into());
    };
    let root = workspace.root().path();
    if !climbs(folder) && root.join(&folder[1..]).exists() {
        return Ok(pattern.into());
    }
    let outside = || {
        let path = folder.to_owned();
        Err(from_vfs::path(ctx.tool(), argument, PathError::Outside { path }))
    };
    match workspace.root().locate(folder) {
        Ok(found) if found.is_root() => Ok(format!("{turned}{}", &path[folder.len()..]).into()),
        Ok(found) => Ok(format!("{turned}/{found}{}", &path[folder.len()..]).into()),
        // Nothing is left out by leaving out what is elsewhere.
        Err(_) if !turned.is_empty() => Ok(pattern.into()),
        Err(PathError::Outside { .. }) if climbs(folder) => outside(),
        Err(_) if context_guard::elsewhere(workspace, folder).exists() => outside(),
        Err(_) => Ok(pattern.into()),
    }
}

fn changed_ns(file: &Found<'_>) -> Option<u128> {
    let changed = file.metadata()?.modified().ok()?;
    changed.duration_since(UNIX_EPOCH).ok().map(|age| age.as_nanos())
}
