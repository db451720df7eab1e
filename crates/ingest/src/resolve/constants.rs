//! Which constant an expression names, and which alias a written type, followed through imports and exports.

use crate::facts::{Expr, ExprIx, Name, Scope, TypeExpr, TypeIx};
use crate::languages;
use crate::resolve::eval::Eval;
use crate::resolve::program::{GDef, GName, Place};
use crate::resolve::rules::Access;
use crate::resolve::ty::Ty;

/// Re-exports are followed this far.
const MAX_HOPS: u32 = 8;

/// Languages in which a name that stands for a type leads to what that is, and the alias has to be looked up by itself.
pub(super) const HAS_ALIASES: [&str; 2] = ["python", "script"];

/// What a name is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sought {
    Constant,
    /// A name that was given a type.
    Alias,
}

impl Sought {
    /// What a place itself defines under a name.
    fn in_place(self, eval: &Eval<'_, '_>, file: u32, place: Place, name: GName) -> Option<GDef> {
        match self {
            Self::Constant => eval.rules(file).constant(eval.program, place, name),
            Self::Alias => eval.rules(file).alias(eval.program, place, name),
        }
    }
}

/// The constant that an expression of a file stands for.
pub(super) fn named(eval: &mut Eval<'_, '_>, file: u32, what: ExprIx) -> Option<GDef> {
    value(eval, file, what, Sought::Constant, MAX_HOPS)
}

/// The constant that an import of a file names.
pub(super) fn imported_by(eval: &mut Eval<'_, '_>, file: u32, at: usize) -> Option<GDef> {
    loaded(eval, file, at, Sought::Constant, MAX_HOPS)
}

/// The alias that an import of a file names.
pub(super) fn alias_imported_by(eval: &mut Eval<'_, '_>, file: u32, at: usize) -> Option<GDef> {
    loaded(eval, file, at, Sought::Alias, MAX_HOPS)
}

/// The alias that a written type of a file names.
pub(super) fn alias_named(eval: &mut Eval<'_, '_>, file: u32, ty: TypeIx) -> Option<GDef> {
    let program = eval.program;
    let facts = program.files[file as usize];
    let TypeExpr::Path { segments, scope, .. } = &facts.types[ty.0 as usize] else { return None };
    let (&first, rest) = segments.split_first()?;
    let first = program.name(file, first);
    let Some((&last, between)) = rest.split_last() else {
        return around(eval, file, *scope, first, Sought::Alias, MAX_HOPS);
    };
    let mut at = eval.rules(file).name(eval, file, *scope, first);
    for &name in between {
        let name = program.name(file, name);
        at = eval.member(file, &at, name, Access::Read);
    }
    match at {
        Ty::Place(place) => item(eval, file, place, program.name(file, last), Sought::Alias, MAX_HOPS),
        _ => None,
    }
}

fn value(eval: &mut Eval<'_, '_>, file: u32, what: ExprIx, sought: Sought, hops: u32) -> Option<GDef> {
    let hops = hops.checked_sub(1)?;
    match eval.program.inside(file).exprs.get(what.0 as usize)? {
        Expr::Name { name, scope, at } => {
            if is_local(eval, file, *name, *scope, *at) {
                return None;
            }
            let name = eval.program.name(file, *name);
            around(eval, file, *scope, name, sought, hops)
        }
        Expr::Field { base, name } => match eval.expr(file, *base) {
            Ty::Place(place) => item(eval, file, place, eval.program.name(file, *name), sought, hops),
            Ty::Type(def, _) => sought.in_place(eval, file, Place::Def(def), eval.program.name(file, *name)),
            _ => None,
        },
        Expr::Path { segments, scope, .. } => {
            let path: Vec<GName> = segments.iter().map(|&part| eval.program.name(file, part)).collect();
            eval.rules(file).path_constant(eval, file, *scope, &path)
        }
        Expr::Import(at) => loaded(eval, file, *at as usize, sought, hops),
        _ => None,
    }
}

/// What a name means as seen from inside a scope.
fn around(
    eval: &mut Eval<'_, '_>,
    file: u32,
    scope: Scope,
    name: GName,
    sought: Sought,
    hops: u32,
) -> Option<GDef> {
    let program = eval.program;
    let facts = program.files[file as usize];
    let mut around = scope;
    loop {
        if let Some(found) = sought.in_place(eval, file, program.place(file, around), name) {
            return Some(behind(eval, found, sought, hops).unwrap_or(found));
        }
        let Some(ix) = around else { break };
        // A type that is left open has the name for all that stands in it.
        let is_open = || facts.def(ix).type_params.iter().any(|one| program.name(file, one.name) == name);
        if sought == Sought::Alias && is_open() {
            return None;
        }
        around = facts.def(ix).parent;
    }
    let key = (file, name, sought == Sought::Alias);
    // The same question is asked for every use of an imported name.
    let is_first = hops + 1 >= MAX_HOPS && eval.is_idle();
    let known = eval.named.get(&key).filter(|_| is_first).copied();
    let found = known.unwrap_or_else(|| {
        imported(eval, Place::File(file), name, sought, hops)
            .or_else(|| taken_apart(eval, file, name, sought, hops))
            .or_else(|| brought(eval, Place::File(file), name, sought, hops))
    });
    if is_first {
        eval.named.insert(key, found);
    }
    found.or_else(|| match sought {
        Sought::Constant => eval.rules(file).path_constant(eval, file, scope, &[name]),
        Sought::Alias => None,
    })
}

/// Whether a function around the place gives the name a value of its own.
fn is_local(eval: &Eval<'_, '_>, file: u32, name: Name, scope: Scope, at: u32) -> bool {
    let facts = eval.program.files[file as usize];
    let mut around = scope;
    while let Some(ix) = around {
        let mut own = eval.program.bindings(file, Some(ix), name);
        if own.any(|binding| binding.from <= at && at < binding.to) {
            return true;
        }
        around = facts.def(ix).parent;
    }
    false
}

/// `const x = require("./x")` is the module's own name for what it loads.
fn behind(eval: &mut Eval<'_, '_>, def: GDef, sought: Sought, hops: u32) -> Option<GDef> {
    let (file, _) = eval.program.local(def);
    let what = eval.program.def(def).value?;
    let is_loaded = matches!(eval.program.inside(file).exprs.get(what.0 as usize), Some(Expr::Import(_)));
    if is_loaded { value(eval, file, what, sought, hops) } else { None }
}

/// `const { x } = require("./x")`.
fn taken_apart(eval: &mut Eval<'_, '_>, file: u32, name: GName, sought: Sought, hops: u32) -> Option<GDef> {
    let program = eval.program;
    let local = program.local_name(file, name)?;
    let found = program.bindings(file, None, local).next()?;
    value(eval, file, found.value?, sought, hops)
}

/// A constant that a module gives to others under a name.
fn item(
    eval: &mut Eval<'_, '_>,
    from: u32,
    place: Place,
    name: GName,
    sought: Sought,
    hops: u32,
) -> Option<GDef> {
    let hops = hops.checked_sub(1)?;
    if let Some(found) = sought.in_place(eval, from, place, name) {
        return Some(found);
    }
    let own = exported(eval, place, name, sought, hops).or_else(|| imported(eval, place, name, sought, hops));
    own.or_else(|| brought(eval, place, name, sought, hops))
}

/// Files that import everything from each other are followed to so many.
const MAX_BROUGHT: usize = 64;

/// What imports of everything bring to a file of Python or of scripts.
fn brought(eval: &mut Eval<'_, '_>, place: Place, name: GName, sought: Sought, hops: u32) -> Option<GDef> {
    let Place::File(of) = place else { return None };
    let program = eval.program;
    let family = languages::family(&program.files[of as usize].language);
    if !HAS_ALIASES.contains(&family) {
        return None;
    }
    let is_passed_on = |other: Place| match (family, other) {
        ("python", Place::File(file)) => program.files[file as usize].offers(program.text(name)),
        ("python", _) => !program.text(name).starts_with('_'),
        ("script", _) => program.text(name) != "default",
        _ => false,
    };
    let mut places = vec![place];
    let mut at = 0;
    while at < places.len() {
        for &(file, import) in program.globs(places[at]) {
            let Some(other) = eval.rules(file).module(eval, file, import as usize) else { continue };
            if places.contains(&other) || places.len() > MAX_BROUGHT || !is_passed_on(other) {
                continue;
            }
            places.push(other);
            let own = sought.in_place(eval, file, other, name);
            let found = own.or_else(|| exported(eval, other, name, sought, hops));
            if let Some(found) = found.or_else(|| imported(eval, other, name, sought, hops)) {
                return Some(found);
            }
        }
        at += 1;
    }
    None
}

fn exported(eval: &mut Eval<'_, '_>, place: Place, name: GName, sought: Sought, hops: u32) -> Option<GDef> {
    let Place::File(file) = place else { return None };
    let program = eval.program;
    let facts = program.files[file as usize];
    let export = facts.exports.iter().find(|export| program.name(file, export.name) == name)?;
    value(eval, file, export.value, sought, hops)
}

fn imported(eval: &mut Eval<'_, '_>, place: Place, name: GName, sought: Sought, hops: u32) -> Option<GDef> {
    let &(file, at) = eval.program.imports(place, name).first()?;
    let at = at as usize;
    match eval.rules(file).module(eval, file, at) {
        Some(_) => loaded(eval, file, at, sought, hops),
        None if sought == Sought::Constant => eval.rules(file).imported_constant(eval, file, at),
        None => None,
    }
}

/// What an import names; a module that is loaded whole stands for what it exports.
fn loaded(eval: &mut Eval<'_, '_>, file: u32, at: usize, sought: Sought, hops: u32) -> Option<GDef> {
    let program = eval.program;
    let place = eval.rules(file).module(eval, file, at)?;
    match program.files[file as usize].imports[at].item {
        Some(name) => item(eval, file, place, program.name(file, name), sought, hops),
        None => {
            let whole = program.find_name("module.exports")?;
            exported(eval, place, whole, sought, hops)
        }
    }
}

#[cfg(test)]
mod tests;
