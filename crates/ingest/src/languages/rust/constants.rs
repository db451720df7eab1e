//! Which constant or static a path of Rust names.

use crate::facts::{DefKind, Scope};
use crate::resolve::eval::Eval;
use crate::resolve::program::{GDef, GName, Place};
use crate::resolve::ty::Ty;

use super::rules::{Need, RustRules};

impl RustRules {
    /// A path that is read at a scope.
    pub(super) fn constant_at(
        &self,
        eval: &mut Eval<'_, '_>,
        file: u32,
        scope: Scope,
        path: &[GName],
        hops: u32,
    ) -> Option<GDef> {
        let hops = hops.checked_sub(1)?;
        let (&last, outer) = path.split_last()?;
        if !outer.is_empty() {
            return match self.find(eval, file, scope, outer, Need::Type, hops) {
                Ty::Place(place) => self.constant_in(eval, place, last, hops),
                Ty::Type(of, _) | Ty::Of(of, _) => self.constant_of_type(eval, of, last),
                _ => None,
            };
        }
        // What a function takes in for itself is seen in it alone.
        let facts = eval.program.files[file as usize];
        let mut around = scope;
        while let Some(ix) = around.filter(|&ix| facts.def(ix).kind != DefKind::Module) {
            let place = Place::Def(eval.program.global(file, ix));
            if let Some(found) = self.constant_in(eval, place, last, hops) {
                return Some(found);
            }
            around = facts.def(ix).parent;
        }
        let module = self.module(eval, file, scope);
        self.constant_in(eval, module, last, hops)
    }

    /// A constant of a module, its own or passed on by it.
    fn constant_in(&self, eval: &mut Eval<'_, '_>, place: Place, name: GName, hops: u32) -> Option<GDef> {
        let hops = hops.checked_sub(1)?;
        let program = eval.program;
        if let Some(own) = constant(eval, program.items(place, name)) {
            return Some(own);
        }
        let passed = program.imports(place, name).iter();
        let passed =
            passed.into_iter().find_map(|&(file, at)| self.constant_of(eval, file, at as usize, hops));
        passed.or_else(|| {
            program.globs(place).iter().find_map(|&(file, at)| {
                let import = &program.files[file as usize].imports[at as usize];
                let path: Vec<GName> = import.path.iter().map(|&part| program.name(file, part)).collect();
                match self.find(eval, file, import.scope, &path, Need::Type, hops) {
                    Ty::Place(other) if other != place => self.constant_in(eval, other, name, hops),
                    _ => None,
                }
            })
        })
    }

    /// A constant that an impl or a trait gives to a type.
    fn constant_of_type(&self, eval: &Eval<'_, '_>, of: GDef, name: GName) -> Option<GDef> {
        let tables = [&self.tables.inherent, &self.tables.of_traits];
        let found = tables.iter().find_map(|table| constant(eval, table.get(&(of, name))?));
        found.or_else(|| constant(eval, eval.program.items(Place::Def(of), name)))
    }

    /// The constant that an import names, itself or through others that pass it on.
    pub(super) fn constant_of(
        &self,
        eval: &mut Eval<'_, '_>,
        file: u32,
        at: usize,
        hops: u32,
    ) -> Option<GDef> {
        let (place, name) = self.holder(eval, file, at, hops)?;
        self.constant_in(eval, place, name, hops)
    }

    /// The module of ours that an import takes something from, and what.
    pub(super) fn holder(
        &self,
        eval: &mut Eval<'_, '_>,
        file: u32,
        at: usize,
        hops: u32,
    ) -> Option<(Place, GName)> {
        let program = eval.program;
        let import = &program.files[file as usize].imports[at];
        let path: Vec<GName> = import.path.iter().map(|&part| program.name(file, part)).collect();
        let (&last, outer) = path.split_last().filter(|(_, outer)| !outer.is_empty())?;
        match self.find(eval, file, import.scope, outer, Need::Type, hops) {
            Ty::Place(place) => Some((place, last)),
            _ => None,
        }
    }
}

fn constant(eval: &Eval<'_, '_>, items: &[GDef]) -> Option<GDef> {
    items.iter().copied().find(|&def| eval.program.def(def).kind == DefKind::Constant)
}
