//! Moves: which removed file of a commit went where. One rule for all that follow files through their names.

use gix::diff::tree::recorder::Change;

use super::alike::{self, Side};

/// Pairs of the name that a file had before a commit and the one that it has since.
pub(super) fn moves(repo: &gix::Repository, changes: &[Change]) -> Vec<(String, String)> {
    let mut moved: Vec<(String, String)> = Vec::new();
    let mut open: Vec<(gix::ObjectId, String)> = Vec::new();
    for change in changes {
        if let Change::Deletion { oid, path, .. } = change {
            let old = path.to_string();
            match arrival(changes, *oid, &old) {
                Some(new) => moved.push((old, new)),
                None => open.push((*oid, old)),
            }
        }
    }
    moved.extend(edited(repo, changes, &open, &moved));
    moved
}

/// Where a removed file went: to one with the same content, or to the only one with the same name.
fn arrival(changes: &[Change], content: gix::ObjectId, old: &str) -> Option<String> {
    let added = || {
        changes.iter().filter_map(|change| match change {
            Change::Addition { oid, path, .. } => Some((*oid, path)),
            _ => None,
        })
    };
    if let Some((_, path)) = added().find(|(oid, _)| *oid == content) {
        return Some(path.to_string());
    }
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let old_name = name(old);
    let mut same = added().map(|(_, path)| path.to_string()).filter(|path| name(path) == old_name);
    match (same.next(), same.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    }
}

/// Where removed files went that were edited on the way, as far as the added ones are like them.
fn edited(
    repo: &gix::Repository,
    changes: &[Change],
    open: &[(gix::ObjectId, String)],
    moved: &[(String, String)],
) -> Vec<(String, String)> {
    if open.is_empty() {
        return Vec::new();
    }
    let added = changes.iter().filter_map(|change| match change {
        Change::Addition { oid, path, .. } => Some((*oid, path.to_string())),
        _ => None,
    });
    let came: Vec<(gix::ObjectId, String)> =
        added.filter(|(_, path)| !moved.iter().any(|(_, new)| new == path)).collect();
    let went: Vec<Side<'_>> = open.iter().map(|(content, path)| Side { content: *content, path }).collect();
    let came: Vec<Side<'_>> = came.iter().map(|(content, path)| Side { content: *content, path }).collect();
    let pairs = alike::pairs(repo, &went, &came);
    pairs.into_iter().map(|(old, new)| (old.to_owned(), new.to_owned())).collect()
}
