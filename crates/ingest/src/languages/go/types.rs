//! Written types of Go.

use tree_sitter::Node;

use crate::facts::{Few, TypeExpr, TypeIx};
use crate::sheet::{Sheet, field, line, named_children};

/// Remembers the type a node writes, when it is left.
pub(super) fn leave(sheet: &mut Sheet<'_>, kind: &str, node: Node<'_>) {
    let scope = sheet.scope();
    match kind {
        "type_identifier" => {
            let segments = vec![sheet.name_of(node)];
            sheet.set_type(
                node,
                TypeExpr::Path { segments: segments.into(), args: Few::new(), scope, line: line(node) },
            );
        }
        "qualified_type" => {
            let parts = [field(node, "package"), field(node, "name")];
            let segments = parts.into_iter().flatten().map(|part| sheet.name_of(part)).collect();
            let ty = TypeExpr::Path { segments, args: Few::new(), scope, line: line(node) };
            sheet.set_qualified(node, field(node, "name"), ty);
        }
        "generic_type" => {
            let args = arguments(sheet, field(node, "type_arguments"));
            let inner = sheet.type_of(field(node, "type")).map(|ix| sheet.facts.types[ix.0 as usize].clone());
            if let Some(TypeExpr::Path { segments, scope, line, .. }) = inner {
                sheet.set_type(node, TypeExpr::Path { segments, args: args.into(), scope, line });
            }
        }
        "pointer_type" | "parenthesized_type" | "type_elem" => sheet.same_type(node, node.named_child(0)),
        "slice_type" | "array_type" | "implicit_length_array_type" => {
            let of = known(sheet, field(node, "element"));
            sheet.set_type(node, TypeExpr::List(of));
        }
        "channel_type" => {
            let of = known(sheet, field(node, "value"));
            sheet.set_type(node, TypeExpr::List(of));
        }
        "map_type" => {
            let args = vec![known(sheet, field(node, "key")), known(sheet, field(node, "value"))];
            let segments = vec![sheet.name(b"map")];
            sheet.set_type(
                node,
                TypeExpr::Path { segments: segments.into(), args: args.into(), scope, line: line(node) },
            );
        }
        "function_type" => {
            let mut params = Vec::new();
            for declaration in field(node, "parameters").map(named_children).unwrap_or_default() {
                params.push(known(sheet, field(declaration, "type")));
            }
            let result = result(sheet, node);
            sheet.set_type(node, TypeExpr::Function { params: params.into(), result });
        }
        _ => {}
    }
}

/// What a function returns: one type, or several as a tuple.
pub(super) fn result(sheet: &mut Sheet<'_>, node: Node<'_>) -> Option<TypeIx> {
    let result = field(node, "result")?;
    if result.kind() != "parameter_list" {
        return sheet.type_of(Some(result));
    }
    let mut parts = Vec::new();
    for declaration in named_children(result) {
        let ty = known(sheet, field(declaration, "type"));
        let mut cursor = declaration.walk();
        let names = declaration.children_by_field_name("name", &mut cursor).count();
        parts.extend(std::iter::repeat_n(ty, names.max(1)));
    }
    match parts[..] {
        [only] => Some(only),
        _ => Some(sheet.push_type(TypeExpr::Tuple(parts.into()))),
    }
}

pub(super) fn arguments(sheet: &mut Sheet<'_>, node: Option<Node<'_>>) -> Vec<TypeIx> {
    let args = node.map(named_children).unwrap_or_default();
    args.into_iter().map(|arg| known(sheet, Some(arg))).collect()
}

/// The name under which an embedded type is a field.
pub(super) fn last_name<'s>(sheet: &Sheet<'s>, ty: Node<'_>) -> &'s [u8] {
    let text = sheet.bytes(ty);
    let text = text.strip_prefix(b"*").unwrap_or(text);
    let text = text.split(|&b| b == b'[').next().unwrap_or(text);
    text.rsplit(|&b| b == b'.').next().unwrap_or(text)
}

fn known(sheet: &mut Sheet<'_>, node: Option<Node<'_>>) -> TypeIx {
    match sheet.type_of(node) {
        Some(ty) => ty,
        None => sheet.push_type(TypeExpr::Unknown),
    }
}
