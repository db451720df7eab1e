//! Commits made without git's program.

#![allow(dead_code, clippy::unwrap_used)]

use std::path::Path;

/// Who commits, when (seconds since 1970) and what they say.
#[derive(Clone, Copy)]
pub struct Says<'a>(pub &'a str, pub u64, pub &'a str);

pub const ANN: Says<'static> = Says("Ann", 1_700_000_000, "work");

/// A commit that holds these files and no others, after what was committed before. The work tree stays as it is.
pub fn commit(root: impl AsRef<Path>, says: Says<'_>, files: &[(&str, &str)]) -> gix::ObjectId {
    let root = root.as_ref();
    let repo = gix::open(root).or_else(|_| gix::init(root)).unwrap();
    let mut tree = repo.empty_tree().edit().unwrap();
    for (path, text) in files {
        tree.upsert(*path, gix::objs::tree::EntryKind::Blob, repo.write_blob(text).unwrap()).unwrap();
    }
    let tree = tree.write().unwrap();
    let Says(name, seconds, message) = says;
    let time = format!("{seconds} +0000");
    let who = gix::actor::SignatureRef { name: name.into(), email: "a@x".into(), time: &time };
    let parent = repo.head_id().ok().map(gix::Id::detach);
    repo.commit_as(who, who, "HEAD", message, tree, parent).unwrap().detach()
}
