//! Written types of C++.

use tree_sitter::Node;

use super::declarators::segments;
use crate::facts::{TypeExpr, TypeIx};
use crate::sheet::{Sheet, field, line, named_children};

/// Remembers the type a node writes, when it is left.
pub(super) fn leave(sheet: &mut Sheet<'_>, kind: &str, node: Node<'_>) {
    match kind {
        "type_identifier" | "template_type" => {
            path(sheet, node);
        }
        "primitive_type" | "sized_type_specifier" => {
            let ty = match sheet.bytes(node) {
                b"bool" => TypeExpr::Bool,
                // What is written in quotes is of this type, or a pointer to it.
                b"char" | b"wchar_t" => TypeExpr::Text,
                _ => TypeExpr::Number,
            };
            sheet.set_type(node, ty);
        }
        "type_descriptor" => sheet.same_type(node, field(node, "type")),
        "class_specifier" | "struct_specifier" | "union_specifier" | "enum_specifier" => {
            sheet.same_type(node, field(node, "name"));
        }
        _ => {}
    }
}

/// `a::b<C>` as a type, and the arguments that stand after its last part.
pub(super) fn path(sheet: &mut Sheet<'_>, node: Node<'_>) -> TypeIx {
    let (segments, last) = segments(sheet, node);
    let args = arguments(sheet, last);
    let scope = sheet.scope();
    sheet.set_type(
        node,
        TypeExpr::Path { segments: segments.into(), args: args.into(), scope, line: line(node) },
    )
}

/// The types between `<` and `>`.
pub(super) fn arguments(sheet: &mut Sheet<'_>, node: Node<'_>) -> Vec<TypeIx> {
    let list = field(node, "arguments").filter(|list| list.kind() == "template_argument_list");
    let children = list.map(named_children).unwrap_or_default();
    children.into_iter().map(|arg| known(sheet, Some(arg))).collect()
}

fn known(sheet: &mut Sheet<'_>, node: Option<Node<'_>>) -> TypeIx {
    match sheet.type_of(node) {
        Some(ty) => ty,
        None => sheet.push_type(TypeExpr::Unknown),
    }
}
