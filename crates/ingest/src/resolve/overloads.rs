//! Which of several functions of one name a call means, by what it is given.

use m1nd_graph::EdgeKind;

use crate::facts::ExprIx;
use crate::resolve::eval::Eval;
use crate::resolve::lineage::{Foreign, lineage};
use crate::resolve::program::{GDef, Program};
use crate::resolve::ty::Ty;

/// Leaves the functions that take what is given, where one type has several under one name.
pub(super) fn choose(
    eval: &mut Eval<'_, '_>,
    targets: &mut Vec<(GDef, EdgeKind)>,
    file: u32,
    args: &[ExprIx],
) {
    if !are_overloads(eval.program, targets) {
        return;
    }
    let program = eval.program;
    keep(targets, |def| program.def(def).params.len() == args.len());
    if targets.len() > 1 {
        let given: Vec<Ty> = args.iter().map(|&arg| eval.expr(file, arg)).collect();
        keep(targets, |def| accepts(eval, def, &given));
        // Of several that fit, a language takes the most specific.
        if targets.len() > 1 {
            let exact: Vec<usize> = targets.iter().map(|&(def, _)| exactly(eval, def, &given)).collect();
            let most = exact.iter().copied().max().unwrap_or_default();
            let mut exact = exact.into_iter();
            keep(targets, |_| exact.next() == Some(most));
        }
    }
}

/// How many parameters are of the very type that is given.
fn exactly(eval: &mut Eval<'_, '_>, def: GDef, given: &[Ty]) -> usize {
    let file = eval.program.file_of(def);
    let params = &eval.program.def(def).params;
    let same = params.iter().zip(given).filter(|(param, actual)| {
        let declared = param.ty.map_or(Ty::Unknown, |ty| eval.ty(file, ty));
        match (&declared, actual) {
            (Ty::Of(wanted, _), Ty::Of(is, _)) => wanted == is,
            (Ty::Std(wanted, _), Ty::Std(is, _)) => wanted == is,
            _ => false,
        }
    });
    same.count()
}

fn are_overloads(program: &Program<'_>, targets: &[(GDef, EdgeKind)]) -> bool {
    let Some(&(first, _)) = targets.first().filter(|_| targets.len() > 1) else {
        return false;
    };
    let whose = |def: GDef| (program.parent(def), program.def_name(def));
    program.parent(first).is_some() && targets.iter().all(|&(def, _)| whose(def) == whose(first))
}

/// Drops what does not satisfy a condition, unless nothing does.
fn keep(targets: &mut Vec<(GDef, EdgeKind)>, mut fits: impl FnMut(GDef) -> bool) {
    let kept: Vec<(GDef, EdgeKind)> = targets.iter().copied().filter(|&(def, _)| fits(def)).collect();
    if !kept.is_empty() {
        *targets = kept;
    }
}

/// Whether no argument is known to be of another type than its parameter.
fn accepts(eval: &mut Eval<'_, '_>, def: GDef, given: &[Ty]) -> bool {
    let file = eval.program.file_of(def);
    let params = &eval.program.def(def).params;
    params.iter().zip(given).all(|(param, actual)| {
        let declared = param.ty.map_or(Ty::Unknown, |ty| eval.ty(file, ty));
        match (&declared, actual) {
            (Ty::Of(wanted, _), Ty::Of(is, _)) => derives(eval, *is, *wanted),
            (Ty::Std(wanted, _), Ty::Std(is, _)) => wanted == is,
            (Ty::Of(..), Ty::Std(..)) | (Ty::Std(..), Ty::Of(..)) => false,
            _ => true,
        }
    })
}

fn derives(eval: &mut Eval<'_, '_>, is: GDef, wanted: GDef) -> bool {
    lineage(eval, is, Foreign::External).0.contains(&wanted)
}
