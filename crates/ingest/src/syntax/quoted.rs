//! Quoted: which words of a source stand in strings and comments, and are no code.

use m1nd_vfs::read::decode;
use tree_sitter::{Node, Point, Tree};

use crate::languages;
use crate::walk::PARSE_LIMIT;

/// A parsed source.
pub struct Source {
    tree: Tree,
    lines: Vec<String>,
}

impl Source {
    /// Nothing where it is in no language that is read.
    pub fn of(path: &str, bytes: &[u8]) -> Option<Self> {
        let language = languages::of_path(path)?;
        let (text, _) = decode(bytes)?;
        let tree = languages::tree(language, text.as_bytes(), PARSE_LIMIT).ok()?;
        Some(Self { tree, lines: text.lines().map(str::to_owned).collect() })
    }

    /// Whether a line (from 1) says a word only in strings and comments.
    pub fn only_quotes(&self, line: u32, word: &str) -> bool {
        let row = (line as usize).saturating_sub(1);
        let Some(text) = self.lines.get(row) else { return false };
        let is_letter = |c: char| c.is_alphanumeric() || c == '_';
        let said = text.match_indices(word).map(|(at, _)| at);
        let mut said = said
            .filter(|&at| !text[..at].ends_with(is_letter) && !text[at + word.len()..].starts_with(is_letter))
            .peekable();
        said.peek().is_some() && said.all(|at| is_quoted(&self.tree, Point::new(row, at)))
    }
}

fn is_quoted(tree: &Tree, at: Point) -> bool {
    let Some(mut node) = tree.root_node().descendant_for_point_range(at, at) else { return false };
    loop {
        // What stands in a string and is run is code.
        if ["interpolation", "substitution", "expansion"].iter().any(|kind| node.kind().contains(kind)) {
            return false;
        }
        if is_text(node) {
            return true;
        }
        match node.parent() {
            Some(around) => node = around,
            None => return false,
        }
    }
}

fn is_text(node: Node<'_>) -> bool {
    let kinds = ["string", "comment", "heredoc", "char_literal"];
    node.is_named() && kinds.iter().any(|kind| node.kind().contains(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_templates_are_no_code() {
        let go = "package a\n\nvar text = `func init() {\n\tinitConfig()\n}`\n\nfunc run() {\n\tinitConfig() // initConfig\n}\n";
        let of = |line| Source::of("a.go", go.as_bytes()).unwrap().only_quotes(line, "initConfig");
        assert_eq!([4, 8, 7].map(of), [true, false, false]);
        let python = "x = f'{load(1)} load'\ny = '''\nload(2)\n'''\n";
        let of = |line| Source::of("a.py", python.as_bytes()).unwrap().only_quotes(line, "load");
        assert_eq!([1, 3].map(of), [false, true]);
    }
}
