//! Repositories made for tests.

use std::path::Path;

/// An empty repository.
pub fn repository(folder: &Path) -> gix::Repository {
    gix::init(folder).unwrap()
}

/// A commit with exactly these files, on top of `parent`; `HEAD` moves to it.
pub fn commit(
    repo: &gix::Repository,
    time: i64,
    message: &str,
    files: &[(&str, &str)],
    parent: Option<gix::ObjectId>,
) -> gix::ObjectId {
    let mut tree = repo.empty_tree().edit().unwrap();
    for (path, text) in files {
        let blob = repo.write_blob(text).unwrap();
        tree.upsert(*path, gix::objs::tree::EntryKind::Blob, blob).unwrap();
    }
    let tree = tree.write().unwrap();
    let time = format!("{time} +0000");
    let who = gix::actor::SignatureRef { name: "Ann".into(), email: "a@x".into(), time: &time };
    repo.commit_as(who, who, "HEAD", message, tree, parent).unwrap().detach()
}
