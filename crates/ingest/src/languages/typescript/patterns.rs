//! What the names in a destructuring are bound to.

use tree_sitter::Node;

use crate::facts::{Expr, ExprIx, TypeIx};
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
            "identifier" | "shorthand_property_identifier_pattern" => {
                let name = sheet.name_of(node);
                sheet.bind(name, from, to, ty, value);
            }
            "object_pattern" => {
                let base = whole(sheet, value, ty);
                for child in named_children(node) {
                    object_part(sheet, child, base, &mut work);
                }
            }
            "array_pattern" => {
                let base = whole(sheet, value, ty);
                for (at, child) in named_children(node).into_iter().enumerate() {
                    let part = base.map(|of| sheet.push(Expr::Part { of, index: at as u32 }));
                    work.push((child, part, None));
                }
            }
            "assignment_pattern" => {
                let default = field(node, "right").and_then(|right| sheet.known(right));
                let value = either(sheet, value, default);
                work.extend(field(node, "left").map(|left| (left, value, ty)));
            }
            "rest_pattern" => work.extend(node.named_child(0).map(|inner| (inner, None, None))),
            _ => {}
        }
    }
}

type Work<'t> = Vec<(Node<'t>, Option<ExprIx>, Option<TypeIx>)>;

fn object_part<'t>(sheet: &mut Sheet<'_>, child: Node<'t>, base: Option<ExprIx>, work: &mut Work<'t>) {
    match child.kind() {
        "shorthand_property_identifier_pattern" => {
            let name = sheet.name_of(child);
            let value = base.map(|base| sheet.push(Expr::Field { base, name }));
            work.push((child, value, None));
        }
        "object_assignment_pattern" => {
            let Some(left) = field(child, "left") else { return };
            let name = sheet.name_of(left);
            let value = base.map(|base| sheet.push(Expr::Field { base, name }));
            let default = field(child, "right").and_then(|right| sheet.known(right));
            let value = either(sheet, value, default);
            work.push((left, value, None));
        }
        "pair_pattern" => {
            let (Some(key), Some(inner)) = (field(child, "key"), field(child, "value")) else {
                return;
            };
            let name = sheet.name_of(key);
            let value = base.map(|base| sheet.push(Expr::Field { base, name }));
            work.push((inner, value, None));
        }
        "rest_pattern" => work.push((child, None, None)),
        _ => {}
    }
}

fn whole(sheet: &mut Sheet<'_>, value: Option<ExprIx>, ty: Option<TypeIx>) -> Option<ExprIx> {
    match ty {
        Some(ty) => Some(sheet.push(Expr::Of { ty })),
        None => value,
    }
}

fn either(sheet: &mut Sheet<'_>, value: Option<ExprIx>, default: Option<ExprIx>) -> Option<ExprIx> {
    match (value, default) {
        (Some(value), Some(default)) => Some(sheet.push(Expr::Any([value, default].into()))),
        (one, other) => one.or(other),
    }
}
