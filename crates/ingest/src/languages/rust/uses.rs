//! Rust `use` trees, flattened.

use tree_sitter::Node;

use crate::facts::{Import, ImportAll, Name};
use crate::sheet::{Sheet, field, line, named_children};

pub(super) fn read(sheet: &mut Sheet<'_>, declaration: Node<'_>, exported: bool) {
    let scope = sheet.scope();
    let Some(argument) = field(declaration, "argument") else {
        return;
    };
    let mut work: Vec<(Node<'_>, Vec<Name>)> = vec![(argument, Vec::new())];
    while let Some((node, prefix)) = work.pop() {
        let add = |sheet: &mut Sheet<'_>, path: Vec<Name>, bind: Name, all: ImportAll| {
            let line = line(node);
            sheet.facts.imports.push(Import { path, level: 0, item: None, bind, all, exported, scope, line });
        };
        match node.kind() {
            "use_list" => {
                for child in named_children(node) {
                    work.push((child, prefix.clone()));
                }
            }
            "scoped_use_list" => {
                let path = joined(sheet, &prefix, field(node, "path"));
                work.extend(field(node, "list").map(|list| (list, path)));
            }
            "use_wildcard" => {
                let path = joined(sheet, &prefix, node.named_child(0));
                let bind = sheet.name(b"*");
                add(sheet, path, bind, ImportAll::Yes);
            }
            "use_as_clause" => {
                let path = joined(sheet, &prefix, field(node, "path"));
                if let Some(alias) = field(node, "alias") {
                    let bind = sheet.name_of(alias);
                    add(sheet, path, bind, ImportAll::No);
                }
            }
            _ => {
                let mut path = joined(sheet, &prefix, Some(node));
                // `use a::b::{self}` names the module itself.
                if path.len() > 1 && path.last().is_some_and(|&last| sheet.facts.text(last) == "self") {
                    path.pop();
                }
                if let Some(&bind) = path.last() {
                    add(sheet, path, bind, ImportAll::No);
                }
            }
        }
    }
}

/// `extern crate name as alias;` is `use ::name as alias;`.
pub(super) fn read_extern(sheet: &mut Sheet<'_>, declaration: Node<'_>, exported: bool) {
    let Some(name) = field(declaration, "name").map(|name| sheet.name_of(name)) else { return };
    let bind = field(declaration, "alias").map_or(name, |alias| sheet.name_of(alias));
    let path = vec![sheet.name(b""), name];
    let (scope, line) = (sheet.scope(), line(declaration));
    let all = ImportAll::No;
    sheet.facts.imports.push(Import { path, level: 0, item: None, bind, all, exported, scope, line });
}

/// A prefix and the parts of a path below it.
fn joined(sheet: &mut Sheet<'_>, prefix: &[Name], path: Option<Node<'_>>) -> Vec<Name> {
    let mut parts = Vec::new();
    let mut rest = path;
    while let Some(node) = rest {
        if node.kind() == "scoped_identifier" {
            parts.extend(field(node, "name").map(|name| sheet.name_of(name)));
            rest = field(node, "path");
            if rest.is_none() {
                parts.push(sheet.name(b""));
            }
        } else {
            parts.push(sheet.name_of(node));
            rest = None;
        }
    }
    parts.reverse();
    let mut joined = prefix.to_vec();
    joined.extend(parts);
    joined
}
