//! Slice: numbered lines of one file, with the hash that later edits are checked against.

use m1nd_contract::Fault;
use m1nd_vfs::read::{self, Decoding};
use m1nd_vfs::{PathError, RelPath, Root};

use crate::faults::{from_vfs, invalid_params};

/// Which lines of which file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// As the caller wrote it; `path:12` and `path:12-40` name lines too.
    pub path: String,
    /// First line, 1-based.
    pub offset: Option<u64>,
    pub limit: Option<u64>,
}

/// The lines, and what they are part of.
#[derive(Debug)]
pub struct Slice {
    pub path: RelPath,
    pub lines: Vec<String>,
    pub first_line: u64,
    pub total_lines: u64,
    pub sha256: String,
    pub decoding: Decoding,
    /// Whether the caller named one line and did not say how many: what is around it is meant.
    pub around_a_line: bool,
}

/// Larger files are searched, not shown.
pub const MAX_FILE_BYTES: u64 = 64 << 20;

/// Reads the slice. `tool` and `argument` are for the words of a fault.
pub fn read(root: &Root, tool: &str, argument: &str, wanted: &Wanted) -> Result<Slice, Fault> {
    let (path, wanted, named) = locate(root, wanted).map_err(|err| from_vfs::path(tool, argument, err))?;
    let file = read::text(root, &path, MAX_FILE_BYTES).map_err(|err| from_vfs::read(tool, argument, err))?;
    let total = file.text.lines().count() as u64;
    let first = wanted.offset.unwrap_or(1).max(1);
    if first > total.max(1) {
        return Err(invalid_params(
            tool,
            format!("`offset`: {path} has {total} lines, and line {first} was asked for."),
        ));
    }
    let skip = usize::try_from(first - 1).unwrap_or(usize::MAX);
    let take = wanted.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(Slice {
        lines: file.text.lines().skip(skip).take(take).map(str::to_owned).collect(),
        path,
        first_line: first,
        total_lines: total,
        sha256: file.sha256,
        decoding: file.decoding,
        around_a_line: named && wanted.limit.is_none(),
    })
}

/// A name that ends in `:12` or `:12-40` means lines, unless a file is really called so; says whether it does.
fn locate(root: &Root, wanted: &Wanted) -> Result<(RelPath, Wanted, bool), PathError> {
    match root.locate(&wanted.path) {
        Ok(path) => Ok((path, wanted.clone(), false)),
        Err(missing) => {
            let Some(spanned) = with_span(wanted) else {
                return Err(missing);
            };
            let path = root.locate(&spanned.path)?;
            Ok((path, spanned, true))
        }
    }
}

fn with_span(wanted: &Wanted) -> Option<Wanted> {
    let (path, span) = wanted.path.rsplit_once(':')?;
    let (first, last) = match span.split_once('-') {
        Some((first, last)) => (first.parse().ok()?, Some(last.parse::<u64>().ok()?)),
        None => (span.parse::<u64>().ok()?, None),
    };
    // Lines named twice, or backwards, are a mistake that the caller should hear of.
    let backwards = first == 0 || last.is_some_and(|last| last < first);
    if backwards || wanted.offset.is_some() || wanted.limit.is_some() {
        return None;
    }
    Some(Wanted { path: path.to_owned(), offset: Some(first), limit: last.map(|last| last - first + 1) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn shown(wanted: Wanted) -> String {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a.txt"), "one\ntwo\r\nthree").unwrap();
        fs::write(dir.path().join("empty"), "").unwrap();
        let root = Root::open(dir.path()).unwrap();
        match read(&root, "view", "file_path", &wanted) {
            Ok(slice) => {
                format!("{}@{}/{} {}", slice.path, slice.first_line, slice.total_lines, slice.lines.join("|"))
            }
            Err(fault) => fault.message,
        }
    }

    fn wanted(path: &str, offset: Option<u64>, limit: Option<u64>) -> Wanted {
        Wanted { path: path.into(), offset, limit }
    }

    #[test]
    fn lines_can_be_named_in_the_path_or_beside_it() {
        assert_eq!(shown(wanted("a.txt", None, None)), "a.txt@1/3 one|two|three");
        assert_eq!(shown(wanted("a.txt", Some(2), Some(1))), "a.txt@2/3 two");
        assert_eq!(shown(wanted("a.txt:3", None, None)), "a.txt@3/3 three");
        assert_eq!(shown(wanted("a.txt:1-2", None, None)), "a.txt@1/3 one|two");
        assert_eq!(shown(wanted("empty", None, None)), "empty@1/0 ");
    }

    #[test]
    fn a_line_beyond_the_end_says_where_the_end_is() {
        assert_eq!(
            shown(wanted("a.txt", Some(9), None)),
            "`offset`: a.txt has 3 lines, and line 9 was asked for."
        );
        for twice in
            [wanted("a.txt:2", Some(1), None), wanted("a.txt:3-2", None, None), wanted("a.txt:0", None, None)]
        {
            assert!(
                shown(twice).contains("there is nothing at"),
                "lines named twice or backwards are refused"
            );
        }
        assert_eq!(shown(wanted("b.txt:3", None, None)), "`file_path`: there is nothing at \"b.txt\".");
    }
}
