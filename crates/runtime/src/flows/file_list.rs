//! File list: the paths below a scope that a pattern admits.

use std::time::UNIX_EPOCH;

use m1nd_contract::Fault;
use m1nd_vfs::glob::PathGlob;
use m1nd_vfs::walk::{self, Found};
use parking_lot::Mutex;

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
    let glob = PathGlob::parse(pattern).map_err(|err| from_vfs::glob(ctx.tool(), "pattern", &err))?;
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

fn changed_ns(file: &Found<'_>) -> Option<u128> {
    let changed = file.metadata()?.modified().ok()?;
    changed.duration_since(UNIX_EPOCH).ok().map(|age| age.as_nanos())
}
