//! Change set: what a review looked at, made out from the repository, so that it is known again when it moved on.

use m1nd_graph::change::How;
use m1nd_ingest::history::{self, Compared, Now};
use m1nd_ingest::scan;
use m1nd_mission::{ChangeSet, MOST_HELD, SetNow, Shown};
use m1nd_risk::diff;
use m1nd_stdx::cancel::CancelToken;
use m1nd_stdx::digest::sha256_hex;
use m1nd_vfs::read::decode;
use serde_json::{Map, Value};

use super::content_hash;
use crate::workspace::Workspace;

/// The change set that a review was asked about, as it is now, and every path of it that is there.
pub(super) fn asked(
    workspace: &Workspace,
    arguments: &Map<String, Value>,
    changed_files: u64,
) -> Option<(ChangeSet, Vec<String>)> {
    let word = |name: &str| arguments.get(name).and_then(Value::as_str).map(str::to_owned);
    let (base, given) = (word("base"), word("diff"));
    let range = given.clone().filter(|given| !diff::is_diff(given));
    if given.is_some() && range.is_none() {
        return None;
    }
    let mut set = ChangeSet { base, range, ..ChangeSet::default() };
    let files = compared(workspace, &set)?;
    // What came while the review was made was not reviewed: no set is like this one.
    set.print = match files.len() as u64 == changed_files {
        true => print(&files),
        false => UNLIKE.to_owned(),
    };
    let there: Vec<&Compared> = files.iter().filter(|one| one.file.how != How::Deleted).collect();
    let held = |one: &&Compared| {
        let content_hash = match &one.new {
            Some(new) => sha256_hex(new),
            None => content_hash(workspace, &one.file.path)?,
        };
        Some(Shown { path: one.file.path.clone(), content_hash })
    };
    set.held = there.iter().take(MOST_HELD).filter_map(held).collect();
    Some((set, there.iter().map(|one| one.file.path.clone()).collect()))
}

/// Whether what a review was given as a diff is a change of these files: it is applied, or it can be. One that fits nowhere is
/// the change of something else.
pub(super) fn fits(workspace: &Workspace, arguments: &Map<String, Value>) -> bool {
    let Some(text) = arguments.get("diff").and_then(Value::as_str).filter(|text| diff::is_diff(text)) else {
        return true;
    };
    let root = workspace.root();
    let now = |path: &str| match scan::now(root, path) {
        Now::Holds(bytes) => decode(&bytes).map(|(text, _)| text),
        Now::Unread | Now::Gone => None,
    };
    diff::patches(text).is_ok_and(|patches| patches.iter().all(|patch| patch.fit(now).is_some()))
}

const UNLIKE: &str = "moved while it was reviewed";

/// The same change set now.
pub(super) fn now(workspace: &Workspace, set: &ChangeSet) -> Option<SetNow> {
    let files = compared(workspace, set)?;
    let there = files.iter().filter(|one| one.file.how != How::Deleted);
    Some(SetNow { print: print(&files), paths: there.map(|one| one.file.path.clone()).collect() })
}

fn compared(workspace: &Workspace, set: &ChangeSet) -> Option<Vec<Compared>> {
    let root = workspace.root();
    let range = match (&set.range, &set.base) {
        (Some(range), _) => range.trim().to_owned(),
        (None, Some(base)) => told(history::left(root.path(), base))?,
        (None, None) => history::default_base(root.path())?,
    };
    let (listed, _) = told(scan::list(root, &CancelToken::new()))?;
    let today = listed.into_iter().map(|file| file.path);
    told(history::changes_with_texts(root.path(), &range, today, |path| scan::now(root, path)))
}

fn told<T, E: std::fmt::Debug>(found: Result<T, E>) -> Option<T> {
    match found {
        Ok(found) => Some(found),
        Err(err) => {
            tracing::debug!(?err, "a change set cannot be made out");
            None
        }
    }
}

/// Over every path and what it holds: what lies before the change is in the commits that it is compared with.
fn print(files: &[Compared]) -> String {
    let mut lines: Vec<String> = files
        .iter()
        .map(|one| {
            let held = one.new.as_deref().map(sha256_hex).unwrap_or_default();
            format!("{} {} {held}", one.file.path, one.file.how.name())
        })
        .collect();
    lines.sort();
    sha256_hex(lines.join("\n").as_bytes())
}
