//! Parsing Python: the grammar looks from every comment over all that follow it, so long rows of them are taken away first.

use std::borrow::Cow;
use std::ops::Range;
use std::time::Duration;

use tree_sitter::Tree;

use crate::walk::{self, ParseError};

/// Shorter rows cost nothing that anybody notices.
const LONG_ROW: usize = 64;

/// The tree of a source, without the comments of long rows; everything else is where it is in the source.
pub(in crate::languages) fn parse(source: &[u8], limit: Duration) -> Result<Tree, ParseError> {
    let grammar = tree_sitter_python::LANGUAGE.into();
    let rows = long_rows(source);
    let tree = walk::parse(&grammar, &blanked(source, rows.iter().flat_map(|row| &row.comments)), limit)?;
    // What looks like comments may stand in a string, and its end among them.
    if rows.iter().all(|row| row.could_end.is_empty()) || !rows.iter().any(|row| is_in_string(&tree, row)) {
        return Ok(tree);
    }
    let harmless =
        |row: &Row| row.comments.iter().filter(|one| !row.could_end.contains(one)).cloned().collect();
    let harmless: Vec<Range<usize>> = rows.iter().flat_map(|row| -> Vec<_> { harmless(row) }).collect();
    walk::parse(&grammar, &blanked(source, &harmless), limit)
}

/// Lines one after the other that begin as comments do.
#[derive(Default)]
struct Row {
    comments: Vec<Range<usize>>,
    /// Those of them that would end a string or carry it on.
    could_end: Vec<Range<usize>>,
}

fn long_rows(source: &[u8]) -> Vec<Row> {
    let (mut rows, mut row, mut from) = (Vec::new(), Row::default(), 0);
    for line in source.split_inclusive(|&byte| byte == b'\n') {
        let text = line.trim_ascii();
        let start = from + (line.len() - line.trim_ascii_start().len());
        match text.first() {
            None => {}
            Some(b'#') => {
                row.comments.push(start..start + text.len());
                if text.iter().any(|byte| b"'\"\\".contains(byte)) {
                    row.could_end.push(start..start + text.len());
                }
            }
            Some(_) => rows.push(std::mem::take(&mut row)),
        }
        from += line.len();
    }
    rows.push(row);
    rows.retain(|row| row.comments.len() >= LONG_ROW);
    rows
}

/// A comment is worth a blank wherever it stands.
fn blanked<'s, 'r>(source: &'s [u8], comments: impl IntoIterator<Item = &'r Range<usize>>) -> Cow<'s, [u8]> {
    let mut out = Cow::Borrowed(source);
    for comment in comments {
        out.to_mut()[comment.clone()].fill(b' ');
    }
    out
}

/// All before the row was read as it is, so this is known even where the row is blank.
fn is_in_string(tree: &Tree, row: &Row) -> bool {
    let Some(first) = row.comments.first() else { return false };
    let mut around = tree.root_node().descendant_for_byte_range(first.start, first.start + 1);
    while let Some(node) = around {
        // Where something is not understood, anything may be a string.
        if node.kind() == "string" || node.is_error() {
            return true;
        }
        around = node.parent();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(source: &str) -> String {
        let rows = long_rows(source.as_bytes());
        let left = blanked(source.as_bytes(), rows.iter().flat_map(|row| &row.comments));
        String::from_utf8(left.into_owned()).unwrap()
    }

    #[test]
    fn only_long_rows_of_comments_go_and_nothing_moves() {
        let row = "    # said\n\n".repeat(LONG_ROW);
        let blank = row.replace("# said", "      ");
        let around = |row: &str| format!("def f():\n    pass\n{row}    g()\n    # after\n");
        assert_eq!(shown(&around(&row)), around(&blank));
        let short = around(&"    # said\n".repeat(LONG_ROW - 1));
        assert_eq!(shown(&short), short);
    }

    #[test]
    fn a_string_that_looks_like_comments_ends_where_it_ends() {
        let inside = "# said\n".repeat(LONG_ROW);
        let source = format!(
            "x = \"\"\"\n{inside}# it ends \"\"\"\ny = 'a \\\n# on \\\n# and off'\n{inside}# don't\n"
        );
        let tree = parse(source.as_bytes(), Duration::from_secs(5)).unwrap();
        assert!(!tree.root_node().has_error(), "{}", tree.root_node().to_sexp());
        let kinds = |tree: &Tree| {
            let root = tree.root_node();
            let mut cursor = root.walk();
            root.named_children(&mut cursor).filter(|node| !node.is_extra()).count()
        };
        assert_eq!(kinds(&tree), 2);
    }

    #[test]
    fn tens_of_thousands_of_comments_are_parsed_in_time() {
        for comment in
            ["    # a comment of some length\n", "# and at the margin\n", "    # one that doesn't end\n"]
        {
            let source = format!("def f():\n    pass\n{}\n\ndef h():\n    pass\n", comment.repeat(60_000));
            let tree = parse(source.as_bytes(), Duration::from_secs(5)).unwrap();
            assert_eq!(tree.root_node().named_child_count(), 2);
        }
    }
}
