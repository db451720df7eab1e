//! What a call runs: functions, and types with the functions that make their values.

use m1nd_graph::EdgeKind;

use super::LinkKind;
use super::eval::Eval;
use super::overloads;
use super::program::GDef;
use super::ty::{MADE, Ty};
use crate::facts::{By, DefKind, Expr, ExprIx, Insides};

/// The targets of a call whose callee is of a type.
pub(super) fn of(
    eval: &mut Eval<'_, '_>,
    callee: &Ty,
    file: u32,
    inside: &Insides,
    call: ExprIx,
) -> Vec<(GDef, LinkKind)> {
    let Expr::Call { callee: written, args, .. } = inside.expr(call) else { return Vec::new() };
    let mut types = Vec::new();
    collect_types(callee, &mut types);
    let mut functions = callee.functions();
    functions.sort();
    functions.dedup();
    overloads::choose(eval, &mut functions, file, args);
    let several = functions.len() + types.len() + callee.others();
    let known_by = |count: usize| (count > 1).then_some(count as u16);
    let calls = |count: usize| LinkKind { kind: EdgeKind::Calls, candidates: known_by(count) };
    let mut found: Vec<(GDef, LinkKind)> = functions.into_iter().map(|def| (def, calls(several))).collect();
    for class in types {
        let makers = eval.rules(eval.program.file_of(class)).constructors(eval, class);
        // `this(…)` and `super(…)` make no value of the class: they run a constructor.
        if makers.is_empty() || !is_handed_on(inside, *written) {
            let kind = if is_made(eval, class) { EdgeKind::Calls } else { EdgeKind::References };
            found.push((class, LinkKind { kind, candidates: known_by(several) }));
        }
        // Makers of one name are overloads; where a language has several names for them, all run.
        let name = |maker: &GDef| eval.program.def_name(*maker);
        let groups: Vec<Vec<GDef>> =
            makers.chunk_by(|a, b| name(a) == name(b)).map(<[GDef]>::to_vec).collect();
        for mut makers in groups {
            overloads::choose_constructor(eval, &mut makers, class, file, args);
            // A constructor and its class are one target said twice.
            let count = several.max(makers.len());
            found.extend(makers.into_iter().map(|maker| (maker, calls(count))));
        }
    }
    found
}

/// Whether calling a type makes a value of it, as with a class; elsewhere that is a conversion, or only written so.
fn is_made(eval: &Eval<'_, '_>, ty: GDef) -> bool {
    let language = eval.program.files[eval.program.file_of(ty) as usize].language.as_str();
    match eval.program.def(ty).kind {
        // `new` of a function runs it.
        DefKind::Class | DefKind::Function => true,
        DefKind::Struct => matches!(language, "cpp" | "csharp" | "swift"),
        _ => false,
    }
}

fn collect_types(ty: &Ty, found: &mut Vec<GDef>) {
    match ty {
        Ty::Type(def, _) if !found.contains(def) => found.push(*def),
        Ty::Union(parts) => parts.iter().for_each(|part| collect_types(part, found)),
        Ty::StdType(MADE, made) => match made.first() {
            Some(Ty::Of(def, _)) if !found.contains(def) => found.push(*def),
            _ => {}
        },
        _ => {}
    }
}

/// Whether one constructor calls another for the same value.
fn is_handed_on(inside: &Insides, callee: ExprIx) -> bool {
    let Expr::Out { of, by: By::Class } = inside.expr(callee) else { return false };
    matches!(inside.expr(*of), Expr::This { .. } | Expr::Super { .. })
}
