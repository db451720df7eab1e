//! Written types of Java.

use tree_sitter::Node;

use crate::facts::{Few, Name, TypeExpr, TypeIx};
use crate::sheet::{Sheet, field, line, named_children};

/// Remembers the type a node writes, when it is left.
pub(super) fn leave(sheet: &mut Sheet<'_>, kind: &str, node: Node<'_>) {
    let scope = sheet.scope();
    match kind {
        "type_identifier" => {
            if sheet.bytes(node) == b"var" {
                return;
            }
            let segments = vec![sheet.name_of(node)];
            sheet.set_type(
                node,
                TypeExpr::Path { segments: segments.into(), args: Few::new(), scope, line: line(node) },
            );
        }
        "scoped_type_identifier" => {
            let segments = dotted(sheet, node);
            let ty = TypeExpr::Path { segments: segments.into(), args: Few::new(), scope, line: line(node) };
            let last = named_children(node).into_iter().next_back();
            sheet.set_qualified(node, last, ty);
        }
        "generic_type" => {
            let children = named_children(node);
            let args =
                children.iter().find(|child| child.kind() == "type_arguments").map(|a| named_children(*a));
            let args = args.unwrap_or_default().into_iter().map(|arg| known(sheet, Some(arg))).collect();
            let inner =
                sheet.type_of(children.first().copied()).map(|ix| sheet.facts.types[ix.0 as usize].clone());
            if let Some(TypeExpr::Path { segments, scope, line, .. }) = inner {
                sheet.set_type(node, TypeExpr::Path { segments, args, scope, line });
            }
        }
        "array_type" => {
            let of = known(sheet, field(node, "element"));
            sheet.set_type(node, TypeExpr::List(of));
        }
        "annotated_type" | "wildcard" => {
            let inner = named_children(node).into_iter().next_back();
            sheet.same_type(node, inner);
        }
        "integral_type" | "floating_point_type" => {
            sheet.set_type(node, TypeExpr::Number);
        }
        "boolean_type" => {
            sheet.set_type(node, TypeExpr::Bool);
        }
        _ => {}
    }
}

/// The parts of a dotted name, without its type arguments.
pub(super) fn dotted(sheet: &mut Sheet<'_>, node: Node<'_>) -> Vec<Name> {
    // `Map<K, V>.Entry` is a part of what stands before the arguments.
    let mut depth = 0_usize;
    let is_end = |&b: &u8| {
        depth += usize::from(b == b'<');
        depth -= usize::from(b == b'>' && depth > 0);
        b == b'.' && depth == 0
    };
    let parts = sheet.bytes(node).split(is_end);
    let plain = parts.map(|part| part.split(|&b| b == b'<').next().unwrap_or(part).trim_ascii());
    plain.filter(|part| !part.is_empty()).map(|part| sheet.name(part)).collect()
}

pub(super) fn known(sheet: &mut Sheet<'_>, node: Option<Node<'_>>) -> TypeIx {
    match sheet.type_of(node) {
        Some(ty) => ty,
        None => sheet.push_type(TypeExpr::Unknown),
    }
}
