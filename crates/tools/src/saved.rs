//! Saved: what is said of files of ours that could not be read and were set aside.

use std::path::PathBuf;

/// That memory began anew, and where the old one is; nothing while none was set aside.
pub fn set_aside(files: &[PathBuf]) -> Option<String> {
    let newest = files.last()?;
    let more = match files.len() {
        1 => String::new(),
        count => format!(" (and {} before it)", count - 1),
    };
    Some(format!(
        "Memory could not be read and was set aside as {}{more}: notes, tasks and missions in it are in no answer.",
        newest.display()
    ))
}

/// That memory cannot be used, before anybody has opened it.
pub fn unusable(state: &str, problem: &str) -> String {
    if state == "newer" {
        return format!(
            "Memory: {problem}. A newer m1nd wrote it. Ask the user to update this one; nothing was changed, and until then nothing is remembered."
        );
    }
    format!(
        "Memory: {problem}. Tell the user before anything is remembered: a backup can take its place now. The next call that needs it sets it aside and begins anew."
    )
}

/// What to do about it.
pub const WHAT_NOW: &str = "Tell the user which memory was set aside: a backup can take its place, and the file can be moved away once nobody needs it.";

/// That the past of the code cannot be read.
pub const HISTORY: &str = ".git is damaged and its history cannot be read, so answers are without it: `git fsck` says what is broken";
