//! Touched: after an edit of our own only its files are looked at; the listing that the edit was planned on speaks for
//! the others.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use m1nd_ingest::{Listed, Report, Said, scan};
use m1nd_stdx::cancel::{CancelToken, Stop};
use m1nd_stdx::clock::Clock;
use m1nd_vfs::{RelPath, Root};

use super::{Files, Host, Reuse};
use crate::workspace::listing::Stamp;
use crate::workspace::view::WorkspaceView;

/// A view that was true of all files, and when.
#[derive(Clone, Debug)]
pub struct Seen {
    pub view: Arc<WorkspaceView>,
    /// By the monotonic clock.
    pub at: Duration,
}

/// An edit that waited longer than this, for its turn say, may not be the only one since.
const SPEAKS_FOR: Duration = Duration::from_secs(2);

impl Host {
    /// What files say whose contents are the ones that were read last.
    pub(in crate::workspace) fn said(&self, contents: &[(&str, &[u8])]) -> BTreeMap<String, Said> {
        let Some(state) = self.ingest.try_lock() else { return BTreeMap::new() };
        let Some(ingest) = &*state else { return BTreeMap::new() };
        let said = contents.iter().filter_map(|(path, bytes)| ingest.said(path, bytes));
        said.map(|said| (said.path().to_owned(), said)).collect()
    }

    /// Reads files that were just written, whatever their sizes and times say. Other files are listed only where
    /// nothing speaks for them; whoever changes one meanwhile is noticed by the next question.
    pub(in crate::workspace) fn reread_after(
        &self,
        root: &Root,
        seen: &Seen,
        paths: &[String],
        said: Vec<Said>,
        clock: &dyn Clock,
        cancel: &CancelToken,
    ) -> Result<Report, Stop> {
        let mut state = self.turn(cancel)?;
        if state.is_none() {
            *state = self.facts(&self.view());
        }
        if let Some(ingest) = state.as_mut() {
            ingest.distrust(paths);
            ingest.expect(said);
        }
        let now = clock.now();
        let is_young = clock.monotonic().saturating_sub(seen.at) < SPEAKS_FOR;
        let touched = match is_young && Arc::ptr_eq(&self.view(), &seen.view) {
            true => touched(root, &seen.view, paths, cancel)?,
            false => None,
        };
        let (files, passed) = match touched {
            Some(files) => (files, seen.view.passed().clone()),
            None => scan::list(root, cancel)?,
        };
        let stamp = Stamp::of(&files, now);
        self.read(&mut state, root, Reuse::Edits, Files { list: &files, passed, stamp, now }, clock, cancel)
    }
}

/// The listing of a view with what became of some files; nothing where they say which other files count.
fn touched(
    root: &Root,
    view: &WorkspaceView,
    paths: &[String],
    cancel: &CancelToken,
) -> Result<Option<Vec<Listed>>, Stop> {
    let says_what_counts = |path: &String| path.ends_with("ignore");
    let found: Result<Vec<RelPath>, _> = paths.iter().map(|path| root.relative(path)).collect();
    let (Ok(found), true, false) = (found, view.has_sizes(), paths.iter().any(says_what_counts)) else {
        return Ok(None);
    };
    let now = scan::list_some(root, &found, cancel)?;
    let mut named: Vec<&str> = paths.iter().map(String::as_str).collect();
    named.sort_unstable();
    let others = view.listing_but(&named);
    let mut files: Vec<Listed> = others.chain(now).collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(Some(files))
}
