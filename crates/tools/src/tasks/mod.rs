//! Tasks: plans, tasks and steps that outlive a session.

mod tasks_claim;
mod tasks_context;
mod tasks_create;
mod tasks_decompose;
mod tasks_define;
mod tasks_delta;
mod tasks_done;
mod tasks_edit;
mod tasks_focus_clear;
mod tasks_focus_get;
mod tasks_focus_set;
mod tasks_note;
mod tasks_radar;
mod tasks_ready;
mod tasks_release;
mod tasks_verify;

use m1nd_runtime::{Entry, entry};

pub const TOOLS: &[Entry] = &[
    entry::<tasks_create::Create>(),
    entry::<tasks_decompose::Decompose>(),
    entry::<tasks_define::Define>(),
    entry::<tasks_note::Note>(),
    entry::<tasks_verify::Verify>(),
    entry::<tasks_done::Done>(),
    entry::<tasks_edit::Edit>(),
    entry::<tasks_radar::Radar>(),
    entry::<tasks_context::Context>(),
    entry::<tasks_delta::Delta>(),
    entry::<tasks_focus_get::FocusGet>(),
    entry::<tasks_focus_set::FocusSet>(),
    entry::<tasks_focus_clear::FocusClear>(),
    entry::<tasks_ready::Ready>(),
    entry::<tasks_claim::Claim>(),
    entry::<tasks_release::Release>(),
];
