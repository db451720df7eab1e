//! Given: a change set as somebody names it, read with both states of its files.

use m1nd_contract::Fault;
use m1nd_graph::change::How;
use m1nd_ingest::history::{self, Compared, Now};
use m1nd_ingest::scan;
use m1nd_risk::diff::{self, Patch};
use m1nd_vfs::Root;
use m1nd_vfs::read::decode;

use super::Subject;
use crate::ctx::Ctx;
use crate::faults;
use crate::flows::changed;
use crate::workspace::Texts;

/// Files of a diff that are named where it does not fit.
const MAX_NAMED: usize = 5;

/// A change set.
#[derive(Default)]
pub struct Given {
    /// The commit that was compared with.
    pub base: Option<String>,
    pub files: Vec<Compared>,
    /// What the files of a diff held before it, where it is applied.
    pub before: Texts,
    /// What they will hold, where it is not; and what files held that are not as the range left them.
    pub after: Texts,
    pub no_data: Vec<String>,
}

/// The range that a change was given as.
pub fn range_of<'a>(subject: Subject<'a>) -> Option<&'a str> {
    match subject {
        Subject::Diff(change) if !diff::is_diff(change) => {
            Some(change.trim()).filter(|range| !range.is_empty())
        }
        Subject::Diff(_) | Subject::Since(_) => None,
    }
}

pub fn read(ctx: &Ctx<'_>, subject: Subject<'_>) -> Result<Given, Fault> {
    let root = ctx.workspace()?.root();
    let refused = |argument, err| changed::refused(ctx, argument, &err);
    let between = |argument: &'static str, range: &str| {
        let (listed, _) = scan::list(root, ctx.cancel()).map_err(faults::stopped)?;
        let today = listed.into_iter().map(|file| file.path);
        history::changes_with_texts(root.path(), range, today, |path| scan::now(root, path))
            .map_err(|err| refused(argument, err))
    };
    match subject {
        Subject::Since(base) => {
            let base = match base {
                Some(name) => history::left(root.path(), name).map_err(|err| refused("base", err))?,
                None => history::default_base(root.path()).ok_or_else(|| changed::no_base(ctx))?,
            };
            let files = between("base", &base)?;
            Ok(Given { base: Some(base), files, ..Given::default() })
        }
        // `git diff` says nothing where nothing changed.
        Subject::Diff(change) if change.trim().is_empty() => Ok(Given::default()),
        Subject::Diff(change) if diff::is_diff(change) => {
            of_patches(ctx, root, changed::patches(ctx, "diff", change)?)
        }
        Subject::Diff(range) => {
            let range = range.trim();
            if range.is_empty() || range.contains('\n') {
                return Err(ctx.invalid("`diff` is neither a unified diff nor a git range."));
            }
            let files = between("diff", range)?;
            let end = history::newer_side(root.path(), range).map_err(|err| refused("diff", err))?;
            // A range is judged among the files that it ends with, which need not be those of today.
            let after = match end {
                Some(end) => elsewhere(between("diff", &end)?),
                None => Texts::new(),
            };
            Ok(Given { files, after, ..Given::default() })
        }
    }
}

/// What the files of a commit held that are others today.
fn elsewhere(differing: Vec<Compared>) -> Texts {
    let mut texts = Texts::new();
    for one in differing {
        let Compared { file, old, .. } = one;
        match file.was {
            Some(was) => {
                texts.insert(file.path, None);
                texts.insert(was, old);
            }
            None => {
                texts.insert(file.path, old);
            }
        }
    }
    texts
}

/// A diff fits the files as they are: it is applied, or it can be. Where it does neither, its lines alone are known.
fn of_patches(ctx: &Ctx<'_>, root: &Root, patches: Vec<Patch>) -> Result<Given, Fault> {
    let mut given = Given::default();
    let (mut elsewhere, mut unfit) = (Vec::new(), Vec::new());
    for patch in patches {
        let file = &patch.file;
        if !is_here(root, &patch) {
            elsewhere.push(file.path.clone());
            continue;
        }
        let now = |path: &str| match scan::now(root, path) {
            Now::Holds(bytes) => decode(&bytes).map(|(text, _)| text),
            Now::Unread | Now::Gone => None,
        };
        let Some(fitted) = patch.fit(now) else {
            unfit.push(file.path.clone());
            given.files.push(Compared { file: patch.file, old: None, new: None });
            continue;
        };
        let (old, new) = (fitted.old.map(String::into_bytes), fitted.new.map(String::into_bytes));
        let mut file = patch.file;
        if file.how != How::Renamed || old != new {
            let texts = (old.as_deref().unwrap_or_default(), new.as_deref().unwrap_or_default());
            (file.lines, file.added, file.removed) = history::compared(texts.0, texts.1);
        }
        let was = file.was.clone().unwrap_or_else(|| file.path.clone());
        let (texts, here, there, text) = match fitted.is_applied {
            true => (&mut given.before, was, file.path.clone(), &old),
            false => (&mut given.after, file.path.clone(), was, &new),
        };
        texts.insert(there, None);
        texts.insert(here, text.clone());
        given.files.push(Compared { file, old, new });
    }
    if given.files.is_empty() {
        return Err(
            ctx.invalid(format!("`diff`: none of its files is in this workspace: {}.", named(&elsewhere)))
        );
    }
    if !elsewhere.is_empty() {
        given
            .no_data
            .push(format!("files: not in this workspace, and not looked at: {}.", named(&elsewhere)));
    }
    if !unfit.is_empty() {
        given.no_data.push(format!(
            "signatures and removed names: the diff neither is applied nor fits what {} holds now, so that only its lines are known. \
             A diff against the files as they are, or a git range, provides both texts.",
            named(&unfit)
        ));
    }
    Ok(given)
}

/// Whether a file of a diff is one of the workspace, or would be.
fn is_here(root: &Root, patch: &Patch) -> bool {
    let file = &patch.file;
    let paths = || [Some(file.path.as_str()), file.was.as_deref()].into_iter().flatten();
    let is_inside = |path: &str| root.relative(path).is_ok_and(|path| !path.as_str().is_empty());
    let is_there = |path: &str| root.relative(path).is_ok_and(|path| root.kind(&path).is_ok());
    paths().all(is_inside)
        && match file.how {
            // What came may not be there yet, and what went may be gone.
            How::Added | How::Deleted => true,
            How::Modified | How::Renamed => paths().any(is_there),
        }
}

fn named(paths: &[String]) -> String {
    let first = paths.iter().take(MAX_NAMED).cloned().collect::<Vec<_>>().join(", ");
    match paths.len().saturating_sub(MAX_NAMED) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}
