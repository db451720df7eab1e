//! The records at the end of a Markdown export: a comment that readers do not see, so that the file can be imported.

use std::io::{BufRead, Write};

use m1nd_stdx::digest::sha256_hex;

use super::export::io;
use crate::error::MemoryError;

/// Begins the comment; the digest of everything before it follows.
const BEGIN: &str = "<!-- m1nd memory, read by `m1nd memory import`; sha256 ";
const END: &str = "-->";

/// Writes the readable part and the records behind it.
pub(super) fn write(out: &mut dyn Write, readable: &[u8], records: &str) -> Result<(), MemoryError> {
    // The end of a comment must not stand inside it; JSON has another way to write the character.
    let records = records.replace('>', "\\u003e");
    let comment = format!("\n{BEGIN}{}\n{records}{END}\n", sha256_hex(readable));
    out.write_all(readable).and_then(|()| out.write_all(comment.as_bytes())).map_err(|err| io(&err))
}

/// The records of an export: all of a file of JSON lines, or the end of a Markdown file.
pub(super) fn records(input: &mut dyn BufRead) -> Result<String, MemoryError> {
    let mut text = String::new();
    input.read_to_string(&mut text).map_err(|err| io(&err))?;
    if text.trim_start().starts_with('{') {
        return Ok(text);
    }
    let unreadable = |reason: &str| MemoryError::ImportUnreadable { line: 1, reason: reason.to_owned() };
    let Some(at) = text.rfind(&format!("\n{BEGIN}")) else {
        return Err(unreadable("is neither a line of an export nor a Markdown export with its records"));
    };
    let (readable, comment) = text.split_at(at);
    let comment = &comment[1 + BEGIN.len()..];
    let Some((digest, records)) = comment.split_once('\n') else {
        return Err(unreadable("the file was cut off"));
    };
    if digest.trim() != sha256_hex(readable.as_bytes()) {
        return Err(unreadable(
            "the readable part was edited, and import reads only the records at the end; import the file as it was \
             written, then change notes with the tools",
        ));
    }
    match records.trim_end().strip_suffix(END) {
        Some(records) => Ok(records.to_owned()),
        None => Err(unreadable("the file was cut off")),
    }
}
