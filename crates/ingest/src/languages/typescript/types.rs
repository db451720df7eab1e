//! Written types of TypeScript.

use tree_sitter::Node;

use crate::facts::{Few, Name, TypeExpr, TypeIx};
use crate::sheet::{Sheet, field, line, named_children};

/// Remembers the type a node writes, when it is left.
pub(super) fn leave(sheet: &mut Sheet<'_>, kind: &str, node: Node<'_>) {
    let scope = sheet.scope();
    match kind {
        "type_annotation" | "parenthesized_type" | "readonly_type" | "optional_type" | "rest_type" => {
            sheet.same_type(node, node.named_child(0));
        }
        "type_identifier" => {
            let segments = vec![sheet.name_of(node)];
            sheet.set_type(
                node,
                TypeExpr::Path { segments: segments.into(), args: Few::new(), scope, line: line(node) },
            );
        }
        "nested_type_identifier" => {
            let mut segments = field(node, "module").map(|module| dotted(sheet, module)).unwrap_or_default();
            segments.extend(field(node, "name").map(|name| sheet.name_of(name)));
            let ty = TypeExpr::Path { segments: segments.into(), args: Few::new(), scope, line: line(node) };
            sheet.set_qualified(node, field(node, "name"), ty);
        }
        "generic_type" => {
            let args = arguments(sheet, field(node, "type_arguments"));
            let inner = field(node, "name").or_else(|| node.named_child(0));
            let inner = sheet.type_of(inner).map(|ix| sheet.facts.types[ix.0 as usize].clone());
            if let Some(TypeExpr::Path { segments, scope, line, .. }) = inner {
                sheet.set_type(node, TypeExpr::Path { segments, args: args.into(), scope, line });
            }
        }
        "predefined_type" => {
            let ty = match sheet.text(node) {
                "string" => TypeExpr::Text,
                "number" | "bigint" => TypeExpr::Number,
                "boolean" => TypeExpr::Bool,
                _ => TypeExpr::Unknown,
            };
            sheet.set_type(node, ty);
        }
        "literal_type" => {
            let ty = match node.named_child(0).map(|inner| inner.kind()) {
                Some("string") => TypeExpr::Text,
                Some("number") => TypeExpr::Number,
                Some("true" | "false") => TypeExpr::Bool,
                _ => TypeExpr::Unknown,
            };
            sheet.set_type(node, ty);
        }
        "union_type" | "intersection_type" => {
            let parts = named_children(node);
            let parts = parts.into_iter().filter_map(|part| sheet.type_of(Some(part))).collect();
            sheet.set_type(node, TypeExpr::Union(parts));
        }
        "array_type" => {
            let of = known_or_unknown(sheet, node.named_child(0));
            sheet.set_type(node, TypeExpr::List(of));
        }
        "tuple_type" => {
            let parts = named_children(node);
            let parts = parts.into_iter().map(|part| known_or_unknown(sheet, Some(part))).collect();
            sheet.set_type(node, TypeExpr::Tuple(parts));
        }
        "function_type" => {
            let mut params = Vec::new();
            for parameter in field(node, "parameters").map(named_children).unwrap_or_default() {
                params.push(known_or_unknown(sheet, field(parameter, "type")));
            }
            let result = sheet.type_of(field(node, "return_type"));
            sheet.set_type(node, TypeExpr::Function { params: params.into(), result });
        }
        "object_type" => object_type(sheet, node),
        "type_query" => {
            if let Some(value) = node.named_child(0).and_then(|value| sheet.known(value)) {
                sheet.set_type(node, TypeExpr::ValueOf(value));
            }
        }
        "this_type" => {
            sheet.set_type(node, TypeExpr::SelfType { scope });
        }
        _ => {}
    }
}

fn object_type(sheet: &mut Sheet<'_>, node: Node<'_>) {
    let mut members = Vec::new();
    for member in named_children(node) {
        let Some(name) = field(member, "name") else {
            continue;
        };
        let ty = match member.kind() {
            "property_signature" => sheet.type_of(field(member, "type")),
            "method_signature" => {
                let result = sheet.type_of(field(member, "return_type"));
                Some(sheet.push_type(TypeExpr::Function { params: Few::new(), result }))
            }
            _ => None,
        };
        if let Some(ty) = ty {
            members.push((sheet.name_of(name), ty));
        }
    }
    sheet.set_type(node, TypeExpr::Object(members.into()));
}

/// `<A, B>`.
pub(super) fn arguments(sheet: &mut Sheet<'_>, node: Option<Node<'_>>) -> Vec<TypeIx> {
    let args = node.map(named_children).unwrap_or_default();
    args.into_iter().map(|arg| known_or_unknown(sheet, Some(arg))).collect()
}

/// The types that an interface extends.
pub(super) fn extended(sheet: &mut Sheet<'_>, node: Node<'_>) -> Vec<TypeIx> {
    let clause = named_children(node).into_iter().find(|child| child.kind() == "extends_type_clause");
    let types = clause.map(named_children).unwrap_or_default();
    types.into_iter().filter_map(|ty| sheet.type_of(Some(ty))).collect()
}

/// The class that a class extends and the interfaces it implements.
pub(super) fn heritage(sheet: &mut Sheet<'_>, node: Node<'_>) -> Vec<TypeIx> {
    let Some(heritage) = named_children(node).into_iter().find(|child| child.kind() == "class_heritage")
    else {
        return Vec::new();
    };
    let mut bases = Vec::new();
    for clause in named_children(heritage) {
        match clause.kind() {
            "implements_clause" => {
                let types = named_children(clause);
                bases.extend(types.into_iter().filter_map(|ty| sheet.type_of(Some(ty))));
            }
            "extends_clause" => {
                let args = arguments(sheet, field(clause, "type_arguments"));
                if let Some(value) = field(clause, "value") {
                    bases.push(base_class(sheet, value, args));
                }
            }
            // JavaScript writes the class itself.
            _ => bases.push(base_class(sheet, clause, Vec::new())),
        }
    }
    bases
}

/// A base class is a value; where it is a plain name it is looked up as a type.
fn base_class(sheet: &mut Sheet<'_>, value: Node<'_>, args: Vec<TypeIx>) -> TypeIx {
    let segments = dotted(sheet, value);
    let enclosing = sheet.scope().and_then(|ix| sheet.facts.def(ix).parent);
    if segments.is_empty() {
        return sheet.push_type(TypeExpr::Unknown);
    }
    sheet.push_type(TypeExpr::Path {
        segments: segments.into(),
        args: args.into(),
        scope: enclosing,
        line: line(value),
    })
}

fn dotted(sheet: &mut Sheet<'_>, node: Node<'_>) -> Vec<Name> {
    let mut parts = Vec::new();
    let mut rest = Some(node);
    while let Some(node) = rest {
        rest = match node.kind() {
            "identifier" | "type_identifier" | "property_identifier" => {
                parts.push(sheet.name_of(node));
                None
            }
            "member_expression" | "nested_identifier" => {
                parts.extend(field(node, "property").map(|property| sheet.name_of(property)));
                field(node, "object")
            }
            _ => return Vec::new(),
        };
    }
    parts.reverse();
    parts
}

fn known_or_unknown(sheet: &mut Sheet<'_>, node: Option<Node<'_>>) -> TypeIx {
    match sheet.type_of(node) {
        Some(ty) => ty,
        None => sheet.push_type(TypeExpr::Unknown),
    }
}
