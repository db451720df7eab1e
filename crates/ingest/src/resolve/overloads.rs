//! Which of several functions of one name a call means, by what it is given.

use crate::facts::{DefKind, ExprIx};
use crate::interface::last_name;
use crate::resolve::eval::Eval;
use crate::resolve::lineage::{Foreign, lineage};
use crate::resolve::program::{GDef, Place, Program};
use crate::resolve::rules::{Parameters, WrittenAsClass};
use crate::resolve::ty::Ty;

/// Leaves the functions that take what is given, where one type has several under one name.
pub(super) fn choose(eval: &mut Eval<'_, '_>, targets: &mut Vec<GDef>, file: u32, args: &[ExprIx]) {
    if are_overloads(eval.program, targets) {
        fitting(eval, targets, file, args);
    }
    above(eval, targets, args.len());
}

/// Where every parameter must be given, a method which takes another number is not meant: one of a base may be, or one that is
/// not ours.
fn above(eval: &mut Eval<'_, '_>, targets: &mut Vec<GDef>, given: usize) {
    let program = eval.program;
    let all_given = |def: &GDef| rules_of(eval, *def).all_given;
    if !targets.iter().all(all_given) {
        return;
    }
    let any_number: Option<&str> = targets.first().and_then(|&def| rules_of(eval, def).any_number);
    let fits = |def: GDef| {
        let found = program.def(def);
        found.params.len() == given || any_number.is_some_and(|mark| found.signature.contains(mark))
    };
    if targets.iter().any(|&def| fits(def)) {
        return;
    }
    let name = targets.first().map(|&def| program.def_name(def));
    let class = targets.first().and_then(|&def| program.parent(def));
    targets.clear();
    let Some((class, name)) = class.zip(name) else { return };
    for base in lineage(eval, class, Foreign::External).0 {
        let own = program.items(Place::Def(base), name).iter().copied();
        targets.extend(own.filter(|&def| fits(def) && program.def(def).kind.is_callable()));
        if !targets.is_empty() {
            return;
        }
    }
}

/// Leaves the constructors of a class that take what is given.
pub(super) fn choose_constructor(
    eval: &mut Eval<'_, '_>,
    targets: &mut Vec<GDef>,
    class: GDef,
    file: u32,
    args: &[ExprIx],
) {
    match rules_of(eval, class).written_as_class {
        WrittenAsClass::Nothing => {}
        // The others are meant only by what they take.
        WrittenAsClass::First => {
            let given: Vec<Ty> = args.iter().map(|&arg| eval.expr(file, arg)).collect();
            let takes = |def: &GDef| eval.program.def(*def).params.len() == given.len();
            targets.retain(takes);
            targets.retain(|&def| exactly(eval, def, &given) == given.len());
        }
        WrittenAsClass::Records if is_record(eval.program, class) => {
            let takes = |def: &GDef| {
                let maker = eval.program.def(*def);
                maker.params.len() == args.len() || !maker.signature.contains('(')
            };
            targets.retain(takes);
        }
        WrittenAsClass::Records => {}
    }
    if rules_of(eval, class).converts
        && let [only] = args
        && matches!(eval.expr(file, *only), Ty::Of(of, _) if of == class)
    {
        targets.retain(|&def| takes_own(eval, def, class));
    }
    if targets.len() < 2 {
        return;
    }
    // What copies a value of the class is meant only where such a value is given.
    let given = match args {
        [only] => eval.expr(file, *only),
        _ => Ty::Unknown,
    };
    if !matches!(given, Ty::Of(..)) {
        keep(targets, |def| !copies(eval, def, class));
    }
    fitting(eval, targets, file, args);
}

fn is_record(program: &Program<'_>, class: GDef) -> bool {
    program.def(class).signature.split(' ').any(|word| word == "record")
}

fn copies(eval: &mut Eval<'_, '_>, def: GDef, class: GDef) -> bool {
    let file = eval.program.file_of(def);
    match &eval.program.def(def).params[..] {
        [only] => only.ty.is_some_and(|ty| matches!(eval.ty(file, ty), Ty::Of(of, _) if of == class)),
        _ => false,
    }
}

/// Whether a constructor takes a value of its class, as such or as one of a base.
fn takes_own(eval: &mut Eval<'_, '_>, def: GDef, class: GDef) -> bool {
    let file = eval.program.file_of(def);
    let params = &eval.program.def(def).params;
    let Some(first) = params.first().filter(|_| needs_no_more(eval.program, def, 1)) else { return false };
    match first.ty.map_or(Ty::Unknown, |ty| eval.ty(file, ty)) {
        Ty::Of(wanted, _) => derives(eval, class, wanted),
        Ty::Std(..) => false,
        _ => true,
    }
}

/// Whether a function takes so many, where the others have values of their own: `int n = 1`.
fn needs_no_more(program: &Program<'_>, def: GDef, given: usize) -> bool {
    let found = program.def(def);
    let head = found.signature.split_once('(').map_or("", |(_, rest)| rest);
    let head = head.rsplit_once(')').map_or(head, |(head, _)| head);
    given <= found.params.len() && found.params.len() - given <= head.matches('=').count()
}

fn fitting(eval: &mut Eval<'_, '_>, targets: &mut Vec<GDef>, file: u32, args: &[ExprIx]) {
    if targets.len() < 2 {
        return;
    }
    let program = eval.program;
    let given: Vec<Ty> = args.iter().map(|&arg| eval.expr(file, arg)).collect();
    let all = targets.clone();
    let same = |def: &GDef| {
        let is_short = rules_of(eval, *def).converts && needs_no_more(program, *def, args.len());
        program.def(*def).params.len() == args.len() || is_short
    };
    // What takes any number is meant where nothing takes just so many.
    if !keep(targets, |def| same(&def) && !takes_any_number(eval, def)) {
        let takes =
            |def: GDef| takes_any_number(eval, def) && args.len() + 1 >= program.def(def).params.len();
        if !keep(targets, takes) {
            keep(targets, |def| same(&def));
        }
    }
    let accepted = keep(targets, |def| accepts(eval, def, &given));
    if !accepted {
        // Parameters that need not be given: a longer one may be meant.
        let longer = all.into_iter().filter(|&def| program.def(def).params.len() > args.len());
        let longer: Vec<GDef> = longer.filter(|&def| accepts(eval, def, &given)).collect();
        // What is left takes something else, if a language makes no class of it by itself.
        if !longer.is_empty() && targets.iter().all(|&def| rules_of(eval, def).converts) {
            targets.clear();
        }
        targets.extend(longer);
        targets.sort();
        targets.dedup();
        return;
    }
    // Of several that fit, a language takes the most specific.
    if targets.len() > 1 {
        let exact: Vec<usize> = targets.iter().map(|&def| exactly(eval, def, &given)).collect();
        let most = exact.iter().copied().max().unwrap_or_default();
        let mut exact = exact.into_iter();
        keep(targets, |_| exact.next() == Some(most));
    }
}

/// How the language of a definition takes what it is given.
fn rules_of(eval: &Eval<'_, '_>, def: GDef) -> Parameters {
    eval.rules(eval.program.file_of(def)).parameters()
}

/// Whether the last parameter of a function stands for as many as are given.
fn takes_any_number(eval: &Eval<'_, '_>, def: GDef) -> bool {
    rules_of(eval, def).any_number.is_some_and(|mark| eval.program.def(def).signature.contains(mark))
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

fn are_overloads(program: &Program<'_>, targets: &[GDef]) -> bool {
    let Some(&first) = targets.first().filter(|_| targets.len() > 1) else {
        return false;
    };
    // Members of one type may stand in several parts of it.
    let owner = |def: GDef| {
        let outer = program.parent(def)?;
        let facts = program.files[program.file_of(outer) as usize];
        match (program.def(outer).kind, program.def(outer).of) {
            (DefKind::Impl, Some(of)) => last_name(facts, of),
            _ => Some(facts.text(program.def(outer).name)),
        }
    };
    let whose = |def: GDef| (owner(def), program.def_name(def));
    program.parent(first).is_some() && targets.iter().all(|&def| whose(def) == whose(first))
}

/// Drops what does not satisfy a condition, unless nothing does; whether something did.
fn keep(targets: &mut Vec<GDef>, mut fits: impl FnMut(GDef) -> bool) -> bool {
    let kept: Vec<GDef> = targets.iter().copied().filter(|&def| fits(def)).collect();
    let any = !kept.is_empty();
    if any {
        *targets = kept;
    }
    any
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
            (Ty::Of(wanted, _), Ty::Std(..)) => is_made_of_others(eval, *wanted),
            (Ty::Std(..), Ty::Of(..)) => false,
            _ => true,
        }
    })
}

/// Whether a value of a class is made of a value of another type without being asked.
fn is_made_of_others(eval: &mut Eval<'_, '_>, class: GDef) -> bool {
    if !rules_of(eval, class).converts || !eval.program.def(class).kind.is_type() {
        return false;
    }
    let makers = eval.rules(eval.program.file_of(class)).constructors(eval, class);
    let program = eval.program;
    makers.iter().any(|&maker| {
        let found = program.def(maker);
        !found.params.is_empty() && !found.signature.contains("explicit ") && !takes_own(eval, maker, class)
    })
}

fn derives(eval: &mut Eval<'_, '_>, is: GDef, wanted: GDef) -> bool {
    lineage(eval, is, Foreign::External).0.contains(&wanted)
}
