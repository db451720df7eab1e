//! What the editing of files refused, as advice.

use m1nd_contract::{Code, Fault, Recovery};
use m1nd_edit::disk::WriteError;
use m1nd_edit::patch::{PatchError, Unpatchable};
use m1nd_edit::text::{Count, Near};
use m1nd_edit::{DiskError, EditError, JournalError, PlanError};
use m1nd_vfs::policy::Withheld;
use serde_json::{Value, json};

use super::{from_vfs, invalid_params};
use crate::workspace::LockError;

/// Tools that advice names. A test checks that the registry has them.
pub const VIEW: &str = "view";
pub const SURGICAL_CONTEXT: &str = "surgical_context";

/// Why a batch cannot be. `argument` names the argument that held the change of that number.
pub fn plan(tool: &str, argument: &dyn Fn(usize) -> String, err: PlanError) -> Fault {
    let said = err.to_string();
    match err {
        PlanError::Destination(err) => match *err {
            PlanError::Exists { at, path } => Fault::new(
                Code::Conflict,
                format!("`{}`: {said}.", argument(at).replace("file_path", "rename_to")),
                Recovery::call(
                    "Look at it. Rename to another path, or delete or rename in the same batch what stands there.",
                    VIEW,
                    json!({ "file_path": path }),
                ),
            ),
            err => {
                let of_destination = |at| argument(at).replace("file_path", "rename_to");
                plan(tool, &of_destination, err)
            }
        },
        PlanError::Missing { at, path } => Fault::new(
            Code::FileNotFound,
            format!("`{}`: {said}. A new file needs `create: true`.", argument(at)),
            Recovery::call(
                "Look for the name at any depth.",
                from_vfs::GLOB,
                json!({ "pattern": from_vfs::name_pattern(&path) }),
            ),
        ),
        PlanError::Exists { at, path } => Fault::new(
            Code::Conflict,
            format!("`{}`: {said}.", argument(at)),
            Recovery::call(
                "Look at it. Leave `create` out to replace it; what is to make way must be deleted or renamed in the same batch.",
                VIEW,
                json!({ "file_path": path }),
            ),
        ),
        PlanError::Twice { at, .. } => invalid_params(
            tool,
            format!("`{}`: {said}. Put all changes of a file into one entry.", argument(at)),
        ),
        PlanError::Below { at, .. } => {
            invalid_params(tool, format!("`{}`: {said}. Give one of the two another path.", argument(at)))
        }
        PlanError::Stale { at, path, expected, actual } => {
            let argument = argument(at);
            stale(&format!("`{argument}`: {said}."), &path, actual.as_deref(), Some(&expected))
        }
        PlanError::Edit { at, path, sha256, source } => edit(&argument(at), &path, &sha256, source),
        PlanError::NotText { at, .. } => Fault::new(
            Code::InvalidParams,
            format!("`{}`: {said}, and only UTF-8 text is edited.", argument(at)),
            Recovery::hint(
                "It can be deleted or renamed here; change its contents with the program that makes it.",
            ),
        ),
        PlanError::Lossy { at, path } => Fault::new(
            Code::Conflict,
            format!("`{}`: {said}: they would be lost. Nothing was changed.", argument(at)),
            Recovery::call(
                "Use `edits` that leave these bytes out of `old` and `new`; the rest of the file stays as it is.",
                VIEW,
                json!({ "file_path": path }),
            ),
        ),
        PlanError::NulByte { at, .. } => Fault::new(
            Code::InvalidParams,
            format!("`{}`: {said}, which would make it binary.", argument(at)),
            Recovery::hint(
                "Write the byte as the language's escape, such as \\\\0 in a string, not as itself.",
            ),
        ),
        PlanError::ReadOnly { at, .. } => Fault::new(
            Code::Io,
            format!("`{}`: {said}: its mode lets nobody write it.", argument(at)),
            Recovery::hint("Ask the user to make it writable, or leave it out."),
        ),
        PlanError::TooLarge { .. } => Fault::new(
            Code::TooLarge,
            format!("{said}, old and new contents together."),
            Recovery::hint("Split it into several batches."),
        ),
        PlanError::Disk { at, source } => disk(tool, &argument(at), source),
    }
}

/// Replacements that do not fit.
fn edit(argument: &str, path: &str, sha256: &str, err: EditError) -> Fault {
    let said = err.to_string();
    let view = |line: u32| {
        let first = line.saturating_sub(3).max(1);
        json!({ "file_path": path, "offset": first, "limit": 20 })
    };
    let whole = json!({ "file_path": path });
    let (words, hint, arguments, detail) = match err {
        EditError::NotFound { at, near } => {
            let first = near.first().map(|near| near.line);
            let hint = "Read the lines as they are, and copy `old` from them.";
            let words = near.first().map_or_else(String::new, |near| format!(" {}", near_words(near)));
            let near: Vec<Value> = near.iter().map(shown).collect();
            (
                words,
                hint,
                first.map_or(whole, view),
                json!({ "edit": at, "near_misses": near, "sha256": sha256 }),
            )
        }
        EditError::NotUtf8 { at, line } => {
            let hint = "End `old` before these bytes, or begin it after them; they stay as they are.";
            (String::new(), hint, view(line), json!({ "edit": at, "line": line, "sha256": sha256 }))
        }
        EditError::OtherEncoding { at, line } => {
            let hint = "Write the letters as escapes of the language, apply a diff in the file's own bytes (`diff_encoding`), \
                or delete the file and make it anew (it is UTF-8 then).";
            (String::new(), hint, view(line), json!({ "edit": at, "line": line, "sha256": sha256 }))
        }
        EditError::Several { at, lines, count } => {
            let more = if count == Count::Times(lines.len()) { "" } else { " and others" };
            let words = format!(" It begins at lines {}{more}.", joined(&lines));
            let first = lines.first().copied();
            let hint = "Add lines around it to `old` until it is there once.";
            (words, hint, first.map_or(whole, view), json!({ "edit": at, "lines": lines, "sha256": sha256 }))
        }
        EditError::Overlap { first, second } => {
            let hint = "Join the two into one edit; each is looked for in the file as it is.";
            (String::new(), hint, whole, json!({ "edits": [first, second] }))
        }
        EditError::Empty { at } | EditError::Same { at } => {
            let hint = "To replace or make a whole file use `new_content`; to add lines, repeat the line before them in `old` and `new`.";
            (String::new(), hint, whole, json!({ "edit": at }))
        }
    };
    Fault::new(
        Code::Conflict,
        format!("`{argument}`: {path}: {said}.{words}"),
        Recovery::call(hint, VIEW, arguments),
    )
    .with_detail(detail)
}

fn near_words(near: &Near) -> String {
    if near.only_blanks {
        return format!("Line {} differs from it only in blanks.", near.line);
    }
    format!("Nearest is line {}; line {} differs.", near.line, near.differs_at)
}

fn shown(near: &Near) -> Value {
    let mut shown = json!({ "line": near.line, "differs_at": near.differs_at, "text": near.text });
    if near.only_blanks {
        shown["only_blanks"] = json!(true);
    }
    shown
}

fn joined(lines: &[u32]) -> String {
    lines.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

/// A file that is not what somebody thought.
pub fn stale(words: &str, path: &str, actual: Option<&str>, expected: Option<&str>) -> Fault {
    let now = actual
        .map_or_else(|| " It is not there now.".to_owned(), |hash| format!(" Its sha256 is {hash} now."));
    let mut detail = json!({ "file_path": path, "sha256": actual });
    if let Some(expected) = expected {
        detail["expected_sha256"] = json!(expected);
    }
    let recovery = match actual {
        Some(_) => Recovery::call(
            "Read it again and make the edit anew; nothing was changed.",
            VIEW,
            json!({ "file_path": path }),
        ),
        None => Recovery::call(
            "Look where it went; nothing was changed.",
            from_vfs::GLOB,
            json!({ "pattern": from_vfs::name_pattern(path) }),
        ),
    };
    Fault::new(Code::Stale, format!("{words}{now}"), recovery).with_detail(detail)
}

/// A patch that cannot be read or does not fit.
pub fn patch(tool: &str, argument: &str, err: PatchError) -> Fault {
    let said = err.to_string();
    match err {
        PatchError::Disk(err) => disk(tool, argument, err),
        PatchError::Missing { path } => Fault::new(
            Code::FileNotFound,
            format!("`{argument}`: {said}."),
            Recovery::call(
                "Paths in the diff are relative to the workspace; look for the name.",
                from_vfs::GLOB,
                json!({ "pattern": from_vfs::name_pattern(&path) }),
            ),
        ),
        PatchError::Remainder { path } => Fault::new(
            Code::Conflict,
            format!("`{argument}`: {said}. Nothing was changed."),
            Recovery::call(
                "Read the file as it is: to take lines away name it on both sides of the diff, to delete it use `edits` with `delete: true`.",
                VIEW,
                json!({ "file_path": path }),
            ),
        ),
        PatchError::Misfit { path, .. } => Fault::new(
            Code::Conflict,
            format!("`{argument}`: {said}."),
            Recovery::call(
                "Read the file as it is, and make the diff anew.",
                VIEW,
                json!({ "file_path": path }),
            ),
        ),
        PatchError::Several { path, places, .. } => {
            let first = places.nearest.first().map_or(1, |line| line.saturating_sub(3).max(1));
            Fault::new(
                Code::Conflict,
                format!("`{argument}`: {said}."),
                Recovery::call(
                    "Add lines around the change to the hunk until it fits once, or name its line in the head.",
                    VIEW,
                    json!({ "file_path": path, "offset": first, "limit": 20 }),
                ),
            )
            .with_detail(json!({ "lines": places.nearest, "total": places.total }))
        }
        PatchError::Nowhere { path, .. } => Fault::new(
            Code::Conflict,
            format!("`{argument}`: {said}."),
            Recovery::call(
                "Repeat the line before the new ones, with a blank before it, or name the line in the head.",
                VIEW,
                json!({ "file_path": path }),
            ),
        ),
        PatchError::Empty
        | PatchError::Malformed { .. }
        | PatchError::NoHunk { .. }
        | PatchError::Surplus { .. }
        | PatchError::NoChange { .. }
        | PatchError::Unpatchable { .. }
        | PatchError::NotText { .. } => Fault::new(
            Code::InvalidParams,
            format!("`{argument}`: {said}. Nothing was changed."),
            Recovery::hint(how_to_patch(&err)),
        ),
    }
}

/// What to do about a patch that cannot be read.
fn how_to_patch(err: &PatchError) -> &'static str {
    match err {
        PatchError::Surplus { .. } => {
            "Count the lines of the hunk anew: -line,count has its blank and - lines, +line,count its blank and + lines. \
             A hunk that begins with @@ and nothing else needs no counts, if its lines stand once in the file."
        }
        PatchError::NoHunk { .. } | PatchError::NoChange { .. } => {
            "Before the lines of a change put @@ -line,count +line,count @@, or @@ alone if its lines stand once in the file."
        }
        PatchError::Unpatchable { what: Unpatchable::Link, .. } => {
            "Take this file out of the diff; the user makes links with ln -s, and git itself moves submodules."
        }
        PatchError::Unpatchable { what: Unpatchable::Binary, .. } | PatchError::NotText { .. } => {
            "Take this file out of the diff and write it with the program that makes it; `edits` can delete or rename it."
        }
        PatchError::Unpatchable { what: Unpatchable::Combined, .. } => {
            "Make the diff against one parent, as `git diff HEAD^1 HEAD` does."
        }
        _ => {
            "Make the diff as `git diff` does: --- and +++ with the path, @@ -line,count +line,count @@, then lines that begin with a blank, + or -. \
             Or say the change as `edits`."
        }
    }
}

/// Why a batch was not made, or not taken back.
pub fn journal(tool: &str, argument: &str, err: JournalError) -> Fault {
    let said = err.to_string();
    match err {
        JournalError::Stale { path, actual } => stale(&format!("{said}."), &path, actual.as_deref(), None),
        JournalError::Disk(err) => disk(tool, argument, err),
        JournalError::Unsettled { .. } => Fault::new(
            Code::Io,
            format!("The batch failed half-way: {said}."),
            Recovery::hint(
                "The journal has everything: once the disk works again, the next edit or start of m1nd makes all files old or all new.",
            ),
        ),
        JournalError::Partly { left_alone, .. } => Fault::new(
            Code::Io,
            format!("The batch was taken back, but for files that became something else meanwhile: {said}."),
            Recovery::hint(
                "Look at these files before anything else. The journal keeps the batch's old contents in a file that ends in .aside.",
            ),
        )
        .with_detail(json!({ "files": left_alone })),
        JournalError::Unknown(_) => Fault::new(
            Code::UnknownTarget,
            format!("`{argument}`: {said}. The newest 20 batches can."),
            Recovery::hint("Take the batch_id from the answer that made the batch."),
        ),
        JournalError::ChangedSince { paths } => {
            let first = paths.first().cloned().unwrap_or_default();
            Fault::new(
                Code::Stale,
                format!("`{argument}`: {said}: {}. Nothing was taken back.", paths.join(", ")),
                Recovery::call(
                    "Undo later batches first, or edit the files.",
                    VIEW,
                    json!({ "file_path": first }),
                ),
            )
            .with_detail(json!({ "files": paths }))
        }
    }
}

/// What the disk refused; what was begun is as it was.
pub fn disk(tool: &str, argument: &str, err: DiskError) -> Fault {
    let err = match err {
        DiskError::Path(err) => return from_vfs::path(tool, argument, err),
        DiskError::State(err) => return unwritable("m1nd's own journal cannot be written", &err),
        DiskError::Write(err) => err,
    };
    let said = err.to_string();
    match err {
        WriteError::Link { .. } => Fault::new(
            Code::PathOutsideWorkspace,
            format!("`{argument}`: {said}, and m1nd writes through none."),
            Recovery::call("Name the file itself; glob finds it.", from_vfs::GLOB, json!({ "pattern": "*" })),
        ),
        WriteError::Withheld { why, .. } => {
            let (whose, instead) = match why {
                Withheld::GitInternal => (
                    "git's own files are never written",
                    "Leave it out of the batch; git itself changes its files, as with `git config`.",
                ),
                Withheld::Secret => (
                    "it looks like a file of keys or passwords, which m1nd neither reads nor writes",
                    "Leave it out of the batch, and ask the user to change it.",
                ),
            };
            Fault::new(
                Code::InvalidParams,
                format!("`{argument}`: {said}: {whose}."),
                Recovery::hint(instead),
            )
        }
        WriteError::TooLarge { .. } => Fault::new(
            Code::TooLarge,
            format!("`{argument}`: {said} that can be edited."),
            Recovery::hint("Change it with a program of its own."),
        ),
        WriteError::Taken { path } => Fault::new(
            Code::Conflict,
            format!("{said}; nothing was changed."),
            Recovery::call("Look at what came there meanwhile.", VIEW, json!({ "file_path": path })),
        ),
        WriteError::IsFolder { .. }
        | WriteError::NotAFile { .. }
        | WriteError::NotAFolder { .. }
        | WriteError::Ours { .. } => invalid_params(tool, format!("`{argument}`: {said}.")),
        WriteError::Io { path, source } => unwritable(&format!("{path} cannot be written"), &source),
    }
}

fn unwritable(what: &str, err: &std::io::Error) -> Fault {
    Fault::new(
        Code::Io,
        format!("{what}: {err}. Nothing was changed."),
        Recovery::hint("Check that the disk has room and that this user may write there, then call again."),
    )
}

/// Why the right to write was not given.
pub fn lock(tool: &str, err: LockError) -> Fault {
    match err {
        LockError::Busy => Fault::new(
            Code::Busy,
            "Another batch is being written on this workspace, and has been for seconds.",
            Recovery::hint(
                "Call again in a few seconds. If it lasts, another m1nd process has stopped in the middle of a batch; the user can end it.",
            ),
        ),
        LockError::Io(err) => unwritable("The journal cannot be written", &err),
        LockError::Recovery(err) => disk(tool, "journal", err),
    }
}
