//! Edits: what a mission changed, and what of that is still there.

use crate::event::{Detail, Draft, EditedFile, Event, Source};
use crate::family::Family;
use crate::ids::EventId;
use crate::situation::{HashOf, is_current};
use crate::state::{Edit, State, keep, path_of};

impl State {
    /// Takes in what an event changed or took back; whether it did either.
    pub(crate) fn take_edits(&mut self, event: &Event) -> bool {
        let draft = &event.draft;
        if let Some(Detail::Edited { batch_id, files, undoes }) = draft.detail.as_deref() {
            self.changed_at = event.sequence;
            match undoes {
                Some(undone) => self.edits.retain(|edit| edit.batch_id.as_ref() != Some(undone)),
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
            self.edits.retain(|edit| edit.path != path);
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

    fn add_edit(&mut self, file: &EditedFile, batch_id: Option<&String>, event_id: &EventId) {
        let before = self.first_seen(&file.path);
        let read_before = file.created
            || before.is_some()
            || self.edits.iter().any(|edit| edit.path == file.path && edit.read_before);
        let edit = Edit {
            path: file.path.clone(),
            batch_id: batch_id.cloned(),
            event_id: event_id.clone(),
            read_before,
            before: before.map(str::to_owned),
        };
        keep(&mut self.edits, edit);
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
        self.edits.iter().filter(move |edit| {
            edit.before.as_deref().is_none_or(|before| !is_current(hash_of, &edit.path, before))
        })
    }
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
