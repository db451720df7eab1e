//! Imports and re-exports of TypeScript and JavaScript files.

use tree_sitter::Node;

use crate::facts::{Export, Expr, Import, ImportAll, Name};
use crate::sheet::{Sheet, field, line, named_children};

/// `import … from 'module'`.
pub(super) fn import(sheet: &mut Sheet<'_>, node: Node<'_>) {
    let Some(module) = field(node, "source") else {
        return;
    };
    let path = vec![module_name(sheet, module)];
    let clause = named_children(node).into_iter().find(|child| child.kind() == "import_clause");
    let Some(clause) = clause else {
        let bind = sheet.name(b"");
        push(sheet, path, None, bind, ImportAll::No, false, node);
        return;
    };
    for part in named_children(clause) {
        match part.kind() {
            "identifier" => {
                let (item, bind) = (sheet.name(b"default"), sheet.name_of(part));
                push(sheet, path.clone(), Some(item), bind, ImportAll::No, false, node);
            }
            "namespace_import" => {
                if let Some(name) = part.named_child(0) {
                    let bind = sheet.name_of(name);
                    push(sheet, path.clone(), None, bind, ImportAll::No, false, node);
                }
            }
            "named_imports" => {
                for specifier in named_children(part) {
                    let Some(name) = field(specifier, "name") else {
                        continue;
                    };
                    let item = sheet.name_of(name);
                    let bind = field(specifier, "alias").map_or(item, |alias| sheet.name_of(alias));
                    push(sheet, path.clone(), Some(item), bind, ImportAll::No, false, node);
                }
            }
            _ => {}
        }
    }
}

/// `export … from 'module'` and `export { … }`; whether the statement was one of them.
pub(super) fn reexport(sheet: &mut Sheet<'_>, node: Node<'_>) -> bool {
    let source = field(node, "source");
    let children = named_children(node);
    let clause = children.iter().find(|child| child.kind() == "export_clause").copied();
    match (source, clause) {
        (Some(module), Some(clause)) => {
            let path = vec![module_name(sheet, module)];
            for specifier in named_children(clause) {
                let Some(name) = field(specifier, "name") else {
                    continue;
                };
                let item = sheet.name_of(name);
                let bind = field(specifier, "alias").map_or(item, |alias| sheet.name_of(alias));
                push(sheet, path.clone(), Some(item), bind, ImportAll::No, true, node);
            }
            true
        }
        (Some(module), None) => {
            let path = vec![module_name(sheet, module)];
            let namespace = children.iter().find(|child| child.kind() == "namespace_export");
            match namespace.and_then(|namespace| namespace.named_child(0)) {
                Some(name) => {
                    let bind = sheet.name_of(name);
                    push(sheet, path, None, bind, ImportAll::No, true, node);
                }
                None => {
                    let bind = sheet.name(b"*");
                    push(sheet, path, None, bind, ImportAll::Yes, true, node);
                }
            }
            true
        }
        (None, Some(clause)) => {
            for specifier in named_children(clause) {
                let Some(local) = field(specifier, "name") else {
                    continue;
                };
                let scope = sheet.scope();
                let name = sheet.name_of(local);
                let value = sheet.push(Expr::Name { name, at: local.start_byte() as u32, scope });
                let name = field(specifier, "alias").map_or(name, |alias| sheet.name_of(alias));
                sheet.facts.exports.push(Export { name, value });
            }
            true
        }
        (None, None) => false,
    }
}

/// A module loaded by `require` or `import()`; returns the position of the import.
pub(super) fn loaded(sheet: &mut Sheet<'_>, module: Node<'_>) -> u32 {
    let path = vec![module_name(sheet, module)];
    let bind = sheet.name(b"");
    push(sheet, path, None, bind, ImportAll::No, false, module);
    sheet.facts.imports.len() as u32 - 1
}

fn module_name(sheet: &mut Sheet<'_>, string: Node<'_>) -> Name {
    let bytes = sheet.bytes(string);
    let inner = bytes.get(1..bytes.len().saturating_sub(1)).unwrap_or(bytes);
    sheet.name(inner)
}

fn push(
    sheet: &mut Sheet<'_>,
    path: Vec<Name>,
    item: Option<Name>,
    bind: Name,
    all: ImportAll,
    exported: bool,
    node: Node<'_>,
) {
    // What is loaded inside a function is still a module of the file.
    let entry = Import { path, level: 0, item, bind, all, exported, scope: None, line: line(node) };
    sheet.facts.imports.push(entry);
}
