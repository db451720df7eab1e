//! Parsing Python: the grammar looks from every comment over all that follow it, so long rows of them are taken away first.

use std::borrow::Cow;
use std::time::Duration;

use tree_sitter::Tree;

use crate::walk::{self, ParseError};

/// Shorter rows cost nothing that anybody notices.
const LONG_ROW: usize = 64;

/// The tree of a source, without the comments of long rows; everything else is where it is in the source.
pub(in crate::languages) fn parse(source: &[u8], limit: Duration) -> Result<Tree, ParseError> {
    walk::parse(&tree_sitter_python::LANGUAGE.into(), &without_long_rows(source), limit)
}

/// A comment is worth a blank wherever it stands. A row may also stand inside a string: lines that could end one, or
/// carry it on, are left alone, so that it stays one string.
fn without_long_rows(source: &[u8]) -> Cow<'_, [u8]> {
    let mut out = Cow::Borrowed(source);
    let (mut row, mut from) = (Vec::new(), 0);
    for line in source.split_inclusive(|&byte| byte == b'\n') {
        let text = line.trim_ascii();
        let is_in_row = text.is_empty() || text[0] == b'#';
        if !is_in_row {
            blank(&mut out, &mut row);
        } else if text.iter().all(|byte| !b"'\"\\".contains(byte)) && !text.is_empty() {
            let start = from + (line.len() - line.trim_ascii_start().len());
            row.push(start..start + text.len());
        }
        from += line.len();
    }
    blank(&mut out, &mut row);
    out
}

fn blank(source: &mut Cow<'_, [u8]>, row: &mut Vec<std::ops::Range<usize>>) {
    if row.len() >= LONG_ROW {
        let bytes = source.to_mut();
        row.iter().for_each(|comment| bytes[comment.clone()].fill(b' '));
    }
    row.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(source: &str) -> String {
        String::from_utf8(without_long_rows(source.as_bytes()).into_owned()).unwrap()
    }

    #[test]
    fn only_long_rows_of_comments_go_and_nothing_moves() {
        let row = "    # said\n\n".repeat(LONG_ROW);
        let blank = row.replace("# said", "      ");
        let around = |row: &str| format!("def f():\n    pass\n{row}    # don't\n    g()\n    # after\n");
        assert_eq!(shown(&around(&row)), around(&blank));
        let short = around(&"    # said\n".repeat(LONG_ROW - 1));
        assert_eq!(shown(&short), short);
    }

    #[test]
    fn a_string_that_looks_like_comments_ends_where_it_ends() {
        let inside = "# said\n".repeat(LONG_ROW);
        let source = format!("x = \"\"\"\n{inside}# it ends \"\"\"\ny = 'a \\\n# on \\\n# and off'\n");
        let tree = parse(source.as_bytes(), Duration::from_secs(5)).unwrap();
        assert!(!tree.root_node().has_error(), "{}", tree.root_node().to_sexp());
        assert_eq!(tree.root_node().named_child_count(), 2);
    }

    #[test]
    fn tens_of_thousands_of_comments_in_a_block_are_parsed_in_time() {
        let source = format!(
            "def f():\n    pass\n{}    g()\n\n\ndef h():\n    pass\n",
            "    # a comment of some length\n".repeat(60_000)
        );
        let tree = parse(source.as_bytes(), Duration::from_secs(5)).unwrap();
        assert_eq!(tree.root_node().named_child_count(), 2);
    }
}
