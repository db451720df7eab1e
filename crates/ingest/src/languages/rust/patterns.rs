//! What the names in a Rust pattern are bound to.

use tree_sitter::Node;

use crate::facts::{By, Expr, ExprIx, TypeExpr, TypeIx};
use crate::sheet::{Sheet, field, named_children};

/// Binds every name of `pattern` between two bytes, given the value or the type it is matched with.
pub(super) fn bind(
    sheet: &mut Sheet<'_>,
    pattern: Node<'_>,
    value: Option<ExprIx>,
    ty: Option<TypeIx>,
    from: usize,
    to: u32,
) {
    let mut work = vec![(pattern, value, ty)];
    while let Some((node, value, ty)) = work.pop() {
        match node.kind() {
            // A capital names a constant or a variant, not a new binding.
            "identifier" if !sheet.bytes(node).first().is_some_and(u8::is_ascii_uppercase) => {
                let name = sheet.name_of(node);
                sheet.bind(name, from, to, ty, value);
            }
            "mut_pattern" | "ref_pattern" | "reference_pattern" => {
                work.extend(last_child(node).map(|inner| (inner, value, ty)));
            }
            "captured_pattern" => {
                for child in named_children(node) {
                    work.push((child, value, ty));
                }
            }
            "or_pattern" => {
                for child in named_children(node) {
                    work.push((child, value, ty));
                }
            }
            "tuple_pattern" => {
                let of = as_value(sheet, value, ty);
                for (at, child) in places(node, None) {
                    let part = of.zip(at).map(|(of, index)| sheet.push(Expr::Part { of, index }));
                    work.push((child, part, None));
                }
            }
            "slice_pattern" => {
                let of = as_value(sheet, value, ty);
                for child in named_children(node) {
                    let part = of.map(|of| sheet.push(Expr::Out { of, by: By::Iteration }));
                    work.push((child, part, None));
                }
            }
            "tuple_struct_pattern" => {
                let of = as_value(sheet, value, ty);
                let path = field(node, "type");
                for (at, child) in places(node, path) {
                    let part = of.zip(at).map(|(of, index)| payload(sheet, path, of, index));
                    work.push((child, part, None));
                }
            }
            "struct_pattern" => struct_pattern(sheet, node, &mut work),
            _ => {}
        }
    }
}

/// `Some(x)` takes out of an option, `Ok` and `Err` out of a result, others name a variant of ours.
fn payload(sheet: &mut Sheet<'_>, path: Option<Node<'_>>, of: ExprIx, index: u32) -> ExprIx {
    let text = path.map(|path| sheet.text(path)).unwrap_or("");
    match text {
        "Some" | "Ok" => sheet.push(Expr::Out { of, by: By::Try }),
        "Err" => sheet.push(Expr::Out { of, by: By::Error }),
        _ => {
            let variant = sheet.expr(path);
            sheet.push(Expr::Payload { variant, of, index })
        }
    }
}

fn struct_pattern<'t>(
    sheet: &mut Sheet<'_>,
    node: Node<'t>,
    work: &mut Vec<(Node<'t>, Option<ExprIx>, Option<TypeIx>)>,
) {
    let base = sheet.type_of(field(node, "type")).map(|ty| sheet.push(Expr::Of { ty }));
    for child in named_children(node) {
        if child.kind() != "field_pattern" {
            continue;
        }
        let Some(name_node) = field(child, "name") else {
            continue;
        };
        let name = sheet.name_of(name_node);
        let value = base.map(|base| sheet.push(Expr::Field { base, name }));
        match field(child, "pattern") {
            Some(inner) => work.push((inner, value, None)),
            None => {
                let end = sheet.block_end();
                sheet.bind(name, name_node.end_byte(), end, None, value);
            }
        }
    }
}

/// A pattern inside a typed one is matched with a value of that type.
fn as_value(sheet: &mut Sheet<'_>, value: Option<ExprIx>, ty: Option<TypeIx>) -> Option<ExprIx> {
    match ty {
        Some(ty) if !matches!(sheet.facts.types[ty.0 as usize], TypeExpr::Unknown) => {
            Some(sheet.push(Expr::Of { ty }))
        }
        _ => value,
    }
}

fn last_child(node: Node<'_>) -> Option<Node<'_>> {
    named_children(node).into_iter().next_back()
}

/// The patterns of a tuple with their places. Commas count them, since `_` is no node; behind `..` nobody knows.
fn places<'t>(node: Node<'t>, path: Option<Node<'t>>) -> Vec<(Option<u32>, Node<'t>)> {
    let (mut found, mut at) = (Vec::new(), Some(0));
    let mut cursor = node.walk();
    for child in node.children(&mut cursor).filter(|child| Some(*child) != path && !child.is_extra()) {
        match child.kind() {
            "," => at = at.map(|at| at + 1),
            ".." | "remaining_field_pattern" => at = None,
            _ if child.is_named() => found.push((at, child)),
            _ => {}
        }
    }
    found
}
