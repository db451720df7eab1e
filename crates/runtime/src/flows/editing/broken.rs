//! Broken: what a batch breaks beyond the relations of the graph, judged as `review` judges a change.

use std::sync::Arc;

use m1nd_contract::Fault;
use m1nd_edit::{FileChange, Plan};
use m1nd_graph::Graph;
use m1nd_graph::change::{ChangedFile, How};
use m1nd_ingest::history::{Compared, compared};
use m1nd_risk::plan::Severity;

use super::shown::{moves_on, old, overwritten};
use crate::ctx::Ctx;
use crate::flows::review::{self, Finding, SHOWN_PLACES};
use crate::workspace::Texts;

/// The worst first; `after` is the graph that has the batch, and `unwritten` what of it is not on disk.
pub(super) fn by(
    ctx: &Ctx<'_>,
    before: &Arc<Graph>,
    after: &Graph,
    plan: &Plan,
    unwritten: &Texts,
) -> Result<Vec<Finding>, Fault> {
    let mut files: Vec<Compared> = Vec::new();
    for file in plan.files.iter().filter(|file| file.after.is_some() || !moves_on(&plan.files, &file.path)) {
        let gone = overwritten(&plan.files, file).map(|gone| one(&file.path, None, Some(gone), None));
        files.extend(gone);
        let (from, before) = old(&plan.files, file);
        let from = (from != file.path).then(|| from.to_owned());
        files.push(one(&file.path, from, before, held(file)));
    }
    review::broken_by(ctx, before, after, files, unwritten)
}

fn held(file: &FileChange) -> Option<&[u8]> {
    file.after.as_ref().map(|after| &after.bytes[..])
}

/// A file with both of its states.
fn one(path: &str, was: Option<String>, old: Option<&[u8]>, new: Option<&[u8]>) -> Compared {
    let how = match (&was, old, new) {
        (Some(_), ..) => How::Renamed,
        (None, None, _) => How::Added,
        (None, Some(_), None) => How::Deleted,
        (None, Some(_), Some(_)) => How::Modified,
    };
    let (lines, added, removed) = compared(old.unwrap_or_default(), new.unwrap_or_default());
    let file = ChangedFile { path: path.to_owned(), was, how, lines, added, removed };
    Compared { file, old: old.map(<[u8]>::to_vec), new: new.map(<[u8]>::to_vec) }
}

/// Whether code stops to work for it, and not only may.
pub(super) fn is_certain(finding: &Finding) -> bool {
    review::rank(finding.severity) >= Some(Severity::High)
}

/// A finding as a sentence.
pub(super) fn sentence(finding: &Finding) -> String {
    match finding.places.is_empty() {
        true => format!("{}: {}.", finding.at, finding.message),
        false => {
            let shown = &finding.places[..finding.places.len().min(SHOWN_PLACES)];
            let more = match finding.places.len() - shown.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!("{}: {} ({}{more}).", finding.at, finding.message, shown.join(", "))
        }
    }
}
