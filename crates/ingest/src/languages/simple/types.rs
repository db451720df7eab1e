//! Written types and names of several parts, as far as their words tell.

use tree_sitter::Node;

use super::Imported;
use super::reader::Reader;
use super::rules::ROOT;
use crate::facts::{Few, Name, TypeExpr, TypeIx};
use crate::sheet::line;

impl Reader<'_, '_> {
    /// A written type: its names, without what it is made of.
    pub(super) fn type_at(&mut self, node: Node<'_>) -> TypeIx {
        let text = self.source.text(node).trim();
        let text = text.trim_start_matches(['?', '*', '&', ':', '!', '(', ' ']);
        let text = text.strip_prefix("const ").unwrap_or(text);
        if let Some(element) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'))
            && !element.contains(':')
        {
            let of = self.type_named(element, node);
            return self.sheet.push_type(TypeExpr::List(of));
        }
        if let Some(element) = text.strip_suffix("[]") {
            let of = self.type_named(element, node);
            return self.sheet.push_type(TypeExpr::List(of));
        }
        self.type_named(text, node)
    }

    fn type_named(&mut self, text: &str, node: Node<'_>) -> TypeIx {
        if let Some((asked, rest)) = text.strip_prefix("@import(\"").and_then(|rest| rest.split_once("\")")) {
            return self.type_loaded(asked, rest, node);
        }
        let plain = text.split(['<', '[', '(', '?', '|', '&', '{', ' ', ')', '!', ',']).next().unwrap_or("");
        let segments = self.split(plain);
        if segments.is_empty() {
            return self.sheet.push_type(TypeExpr::Unknown);
        }
        let scope = self.sheet.scope();
        self.sheet.push_type(TypeExpr::Path {
            segments: segments.into(),
            args: Few::new(),
            scope,
            line: line(node),
        })
    }

    /// A file loaded where a type stands, or a type in it.
    fn type_loaded(&mut self, asked: &str, rest: &str, node: Node<'_>) -> TypeIx {
        self.import(node, Imported { path: vec![asked.to_owned()], bind: Some(asked.to_owned()) });
        let mut segments = vec![self.sheet.owned_name(asked)];
        segments.extend(self.split(rest));
        let scope = self.sheet.scope();
        self.sheet.push_type(TypeExpr::Path {
            segments: segments.into(),
            args: Few::new(),
            scope,
            line: line(node),
        })
    }

    pub(super) fn split(&mut self, text: &str) -> Vec<Name> {
        let root = text.starts_with(ROOT).then_some(ROOT);
        let parts = text.split(['.', ':', '\\']).map(str::trim).filter(|part| !part.is_empty());
        let parts: Vec<&str> = root.into_iter().chain(parts).collect();
        parts.into_iter().map(|part| self.sheet.owned_name(part)).collect()
    }
}
