//! Attributes that stand above a Rust item and say what it is.

use std::ops::Range;

use tree_sitter::Node;

/// The attributes seen since the last item.
#[derive(Default)]
pub(super) struct Attributes {
    list: Vec<(u32, Range<usize>, String)>,
}

impl Attributes {
    pub(super) fn add(&mut self, node: Node<'_>, text: &str) {
        let inner = text.trim_start_matches("#[").trim_end_matches(']').trim().to_owned();
        self.list.push((node.start_position().row as u32 + 1, node.byte_range(), inner));
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
    }

    pub(super) fn first_line(&self) -> Option<u32> {
        self.list.first().map(|(line, _, _)| *line)
    }

    /// `#[test]`, `#[tokio::test]`, `#[rstest]`, `#[cargo_test]` and their like.
    pub(super) fn is_test(&self) -> bool {
        self.list.iter().any(|(_, _, text)| {
            let name = text.split(['(', '=']).next().unwrap_or("").trim();
            let name = name.rsplit("::").next().unwrap_or(name);
            let is_other_word = name.ends_with("latest") || name.ends_with("contest");
            matches!(name, "test_case" | "test_matrix" | "bench")
                || (name.ends_with("test") && !is_other_word)
        })
    }

    /// `#[macro_export]`.
    pub(super) fn exports_macro(&self) -> bool {
        self.list.iter().any(|(_, _, text)| text.starts_with("macro_export"))
    }

    /// `#[cfg(test)]`.
    pub(super) fn is_test_only(&self) -> bool {
        self.list.iter().any(|(_, _, text)| {
            text.strip_prefix("cfg(").is_some_and(|rest| {
                rest.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "test")
                    && !rest.contains("not(test")
            })
        })
    }

    /// Where the file name of `#[path = "…"]` is written.
    pub(super) fn path(&self) -> Option<Range<usize>> {
        let (_, range, text) = self.list.iter().find(|(_, _, text)| text.starts_with("path"))?;
        let open = text.find('"')?;
        let close = text.rfind('"').filter(|&close| close > open)?;
        // The attribute's own text starts after `#[`.
        let start = range.start + 2;
        Some(start + open + 1..start + close)
    }

    /// Where the names in `#[derive(…)]` are written.
    pub(super) fn derives(&self) -> Vec<Range<usize>> {
        let mut names = Vec::new();
        for (_, range, text) in self.list.iter().filter(|(_, _, text)| text.starts_with("derive")) {
            let Some(open) = text.find('(') else { continue };
            let mut start = open + 1;
            for part in text[start..].trim_end_matches(')').split(',') {
                let skipped = part.len() - part.trim_start().len();
                let from = range.start + 2 + start + skipped;
                if !part.trim().is_empty() {
                    names.push(from..from + part.trim().len());
                }
                start += part.len() + 1;
            }
        }
        names
    }

    /// `#[get("/path")]` of actix and rocket.
    pub(super) fn route(&self) -> Option<(String, String)> {
        self.list.iter().find_map(|(_, _, text)| {
            let (name, rest) = text.split_once('(')?;
            let method = name.rsplit("::").next().unwrap_or(name).trim();
            if !matches!(method, "get" | "post" | "put" | "delete" | "patch" | "head" | "options") {
                return None;
            }
            let pattern = rest.trim_start().strip_prefix('"')?.split('"').next()?;
            pattern.starts_with('/').then(|| (method.to_uppercase(), pattern.to_owned()))
        })
    }
}
