//! Editing: a batch of changes is planned, checked, made whole or not at all, and looked at in the new graph.

mod aftermath;
mod broken;
mod checks;
mod command;
pub mod connected;
pub mod context;
mod dangling;
mod defaults;
mod dry_run;
mod entry_points;
mod fitting;
mod making;
mod near_tests;
mod otherwise_asked;
mod possible;
pub mod preview;
mod refusal;
mod shown;
mod stray;
mod texts;
mod unseen;

pub use checks::{Checked, check};
pub use command::CommandRun;
pub use making::{Made, Request, Verify, apply, take_back};
pub use shown::{CallerShown, FileShown, PhaseShown, SymbolShown, SyntaxShown, TestsShown};

use m1nd_contract::Fault;
use m1nd_edit::{Act, Change, Edit};

use crate::ctx::Ctx;
use crate::faults::{from_edit, from_vfs};

/// A change as a caller writes it. `argument` is for the words of a fault.
#[derive(Debug, Default)]
pub struct Wanted<'a> {
    pub argument: String,
    pub path: &'a str,
    pub content: Option<String>,
    pub edits: Option<Vec<Edit>>,
    pub expected: Option<String>,
    pub delete: bool,
    pub create: bool,
    pub rename_to: Option<&'a str>,
}

/// The change that is meant; exactly one kind of it must be.
pub fn change(ctx: &Ctx<'_>, wanted: Wanted<'_>) -> Result<Change, Fault> {
    let root = ctx.workspace()?.root();
    let name = |name: &str| match wanted.argument.as_str() {
        "" => name.to_owned(),
        entry => format!("{entry}.{name}"),
    };
    let path = |argument: &str, path: &str| {
        let found = root.relative(path).map_err(|err| from_vfs::path(ctx.tool(), &name(argument), err))?;
        Ok::<String, Fault>(found.as_str().to_owned())
    };
    let at = path("file_path", wanted.path)?;
    let rename_to = wanted.rename_to.map(|to| path("rename_to", to)).transpose()?;
    let invalid = |words: &str| Err(ctx.invalid(format!("`{}`: {words}", name("file_path"))));
    if let Some(hash) = &wanted.expected
        && (hash.len() != 64 || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
    {
        // A tool for one file takes another name for it, too.
        let or = if wanted.argument.is_empty() { " (or `expected_hash`)" } else { "" };
        return Err(
            ctx.invalid(format!("`{}`{or} must be the 64 hex digits of a sha256.", name("expected_sha256")))
        );
    }
    let act = match (wanted.content, wanted.edits, wanted.delete) {
        (None, None, true) if !wanted.create && rename_to.is_none() => Act::Delete,
        (_, _, true) => return invalid("`delete` stands alone."),
        (Some(_), Some(_), _) => return invalid("give `new_content` or `edits`, not both."),
        (Some(text), None, _) if wanted.create && rename_to.is_none() && wanted.expected.is_none() => {
            Act::Create(text)
        }
        (Some(_), None, _) if wanted.create => {
            return invalid("a file that is made has no old name and no expected hash.");
        }
        (Some(text), None, _) => Act::Replace(text),
        (None, _, _) if wanted.create => return invalid("`create` needs `new_content`."),
        (None, Some(edits), _) if edits.is_empty() => return invalid("`edits` is empty."),
        (None, Some(edits), _) => Act::Edits(edits),
        (None, None, _) if rename_to.is_some() => Act::Keep,
        (None, None, _) if wanted.argument.is_empty() => {
            return invalid("say what to do: `new_content` or `edits`.");
        }
        (None, None, _) => {
            return invalid("say what to do: `new_content`, `edits`, `delete` or `rename_to`.");
        }
    };
    Ok(Change { path: at, act, rename_to, expected: wanted.expected, runs: None })
}

/// More text than this is no patch that anybody reads.
const MAX_DIFF_BYTES: usize = 64 << 20;

/// How a diff that came as text stands for bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DiffBytes {
    #[default]
    Utf8,
    /// Each letter is a byte, so that any bytes can be said.
    Latin1,
}

/// The changes that a unified diff makes to the files as they are.
pub fn patched(ctx: &Ctx<'_>, diff: &str, bytes: DiffBytes) -> Result<Vec<Change>, Fault> {
    if diff.len() > MAX_DIFF_BYTES {
        return Err(ctx.invalid(format!("`diff` has more than {MAX_DIFF_BYTES} bytes.")));
    }
    let latin1: Vec<u8>;
    let diff = match bytes {
        DiffBytes::Utf8 => diff.as_bytes(),
        DiffBytes::Latin1 => {
            let byte = |letter: char| {
                let words = || {
                    format!("`diff` is said to be latin1 and has {letter:?}, which is none of its letters.")
                };
                u8::try_from(letter).map_err(|_| ctx.invalid(words()))
            };
            latin1 = diff.chars().map(byte).collect::<Result<_, Fault>>()?;
            &latin1
        }
    };
    let changes = m1nd_edit::patch::changes(&ctx.workspace()?.disk(), diff);
    changes.map_err(|err| from_edit::patch(ctx.tool(), "diff", err))
}
