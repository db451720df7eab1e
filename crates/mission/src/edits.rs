//! Edits: what a mission changed, and what of that is still there.

use serde::{Deserialize, Serialize};

use crate::event::{Detail, Draft, EditedFile, Event, Source};
use crate::family::Family;
use crate::ids::EventId;
use crate::situation::{HashOf, is_current};
use crate::state::{State, path_of};

/// Changes of one file that can be taken back by their batches; older ones count as one.
const BATCHES: usize = 16;

/// Changes of a file: of one batch, or all that belong to no batch or to old ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch_id: Option<String>,
    /// The first of them.
    pub event_id: EventId,
    /// Whether somebody had seen it, or it was made new, before each of them.
    pub read_before: bool,
    /// What it was when the mission saw it first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Whether there was no such file before the first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub created: bool,
}

impl State {
    /// Takes in what an event changed or took back; whether it did either.
    pub(crate) fn take_edits(&mut self, event: &Event) -> bool {
        let draft = &event.draft;
        if let Some(Detail::Edited { batch_id, files, undoes }) = draft.detail.as_deref() {
            self.changed_at = event.sequence;
            match undoes {
                Some(undone) => self.take_back(undone, files),
                None => files.iter().for_each(|file| self.add_edit(file, Some(batch_id), &event.event_id)),
            }
            return true;
        }
        if draft.tool_family != Family::Edit || event.source != Source::Told {
            return false;
        }
        let path = path_of(&draft.target);
        if is_undo(draft) {
            self.changed_at = event.sequence;
            self.edits.remove(path);
            return true;
        }
        if self.told_edit(draft).is_ok() {
            self.changed_at = event.sequence;
            let created = draft.outcome == "created";
            let file = EditedFile { path: path.to_owned(), sha256: draft.content_hash.clone(), created };
            self.add_edit(&file, None, &event.event_id);
        }
        // Whatever came of it, something was tried in between.
        true
    }

    /// Forgets the changes of a batch that was taken back. A file without any other is as it was before the mission changed it,
    /// whatever somebody saw of it in between: the same change made again is one.
    fn take_back(&mut self, batch: &String, files: &[EditedFile]) {
        self.edits.retain(|path, edits| {
            edits.retain(|edit| edit.batch_id.as_ref() != Some(batch));
            if let (true, Some(seen)) = (edits.is_empty(), self.files.get_mut(path)) {
                let restored = files.iter().find(|file| file.path == *path);
                if let Some(hash) = restored.and_then(|file| file.sha256.clone()) {
                    seen.content_hash = Some(hash);
                    seen.first_hash = None;
                }
            }
            !edits.is_empty()
        });
    }

    fn add_edit(&mut self, file: &EditedFile, batch_id: Option<&String>, event_id: &EventId) {
        let before = self.first_seen(&file.path).map(str::to_owned);
        let edits = self.edits.entry(file.path.clone()).or_default();
        let read_before = file.created || before.is_some() || edits.iter().any(|edit| edit.read_before);
        let edit = Edit {
            path: file.path.clone(),
            batch_id: batch_id.cloned(),
            event_id: event_id.clone(),
            read_before,
            before,
            created: file.created || edits.iter().any(|edit| edit.created),
        };
        if batch_id.is_none() {
            fold(edits, edit);
            return;
        }
        edits.push(edit);
        if edits.iter().filter(|edit| edit.batch_id.is_some()).count() > BATCHES
            && let Some(oldest) = edits.iter().position(|edit| edit.batch_id.is_some())
        {
            let oldest = edits.remove(oldest);
            fold(edits, Edit { batch_id: None, ..oldest });
        }
    }

    /// Every change that nobody took back.
    pub fn edits(&self) -> impl Iterator<Item = &Edit> {
        self.edits.values().flatten()
    }

    /// The first file that was changed and that nobody has read, neither before nor since, while it is there to be read.
    pub(crate) fn unread_edit(&self, hash_of: HashOf<'_>) -> Option<&str> {
        let unread = self.edits_unread_before().filter(|edit| self.first_seen(&edit.path).is_none());
        let there = unread.filter(|edit| hash_of(&edit.path).is_some());
        there.min_by_key(|edit| edit.event_id.sequence()).map(|edit| edit.path.as_str())
    }

    /// Changes of files that nobody had read before.
    fn edits_unread_before(&self) -> impl Iterator<Item = &Edit> {
        self.edits().filter(|edit| !edit.read_before)
    }

    /// Files that were read only after they were changed, and those that nobody read at all.
    pub(crate) fn edited_blindly(&self) -> (Vec<&str>, Vec<&str>) {
        let mut paths: Vec<&str> = self.edits_unread_before().map(|edit| edit.path.as_str()).collect();
        paths.dedup();
        paths.into_iter().partition(|path| self.first_seen(path).is_some())
    }

    /// The hash that a file had when this mission, or the one before it, saw it first.
    fn first_seen(&self, path: &str) -> Option<&str> {
        let known =
            self.files.get(path).or_else(|| self.inherited.files.iter().find(|seen| seen.path == path));
        known.and_then(|seen| seen.first_hash.as_deref().or(seen.content_hash.as_deref()))
    }

    /// Why a change that an agent tells of is none.
    pub(crate) fn told_edit(&self, draft: &Draft) -> Result<(), String> {
        let path = path_of(&draft.target);
        if !EDITED.contains(&draft.outcome.as_str()) {
            return Err(format!(
                "{:?} does not say that {path:?} was changed; {} would.",
                draft.outcome,
                EDITED.join(", ")
            ));
        }
        match (&draft.content_hash, self.first_seen(path)) {
            (None, _) if draft.outcome == "deleted" || draft.outcome == "removed" => Ok(()),
            (None, _) => Err(format!("{path:?} is no file of this workspace, so it was not changed.")),
            (Some(now), Some(before)) if now == before => {
                Err(format!("{path:?} is as it was when the mission saw it first: nothing was changed."))
            }
            (Some(_), _) => Ok(()),
        }
    }

    /// Changes that are still there.
    pub fn live_edits<'s>(&'s self, hash_of: HashOf<'s>) -> impl Iterator<Item = &'s Edit> {
        self.edits().filter(move |edit| match edit.before.as_deref() {
            Some(before) => !is_current(hash_of, &edit.path, before),
            None => !edit.created || hash_of(&edit.path).is_some(),
        })
    }
}

/// Adds a change to those of the same file that no batch takes back.
fn fold(edits: &mut Vec<Edit>, edit: Edit) {
    let Some(known) = edits.iter_mut().find(|known| known.batch_id.is_none()) else {
        edits.insert(0, edit);
        return;
    };
    known.read_before &= edit.read_before;
    if edit.event_id.sequence() < known.event_id.sequence() {
        *known = Edit { read_before: known.read_before, ..edit };
    }
}

/// Whether an event tells of a change that was made, or taken back, and not of one that was read.
pub(crate) fn is_change(event: &Event) -> bool {
    let draft = &event.draft;
    draft.tool_family == Family::Edit
        && (event.source == Source::Observed || is_undo(draft) || EDITED.contains(&draft.outcome.as_str()))
}

/// Outcomes that say that a file was changed.
const EDITED: [&str; 13] = [
    "applied",
    "edited",
    "changed",
    "created",
    "deleted",
    "removed",
    "renamed",
    "written",
    "committed",
    "done",
    "fixed",
    "ok",
    "success",
];

pub(crate) fn is_undo(draft: &Draft) -> bool {
    let has = |text: &str| ["undo", "undone", "revert", "taken_back"].iter().any(|word| text.contains(word));
    has(&draft.event_type) || has(&draft.outcome)
}
