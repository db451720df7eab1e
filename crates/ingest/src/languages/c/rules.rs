//! How names are found in C: in the file, in what it includes, and by linkage.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use m1nd_graph::NodeFlags;

use super::includes::{Includes, is_c_or_cpp};
use super::library;
use super::macros::{is_empty_macro, is_macro};
use crate::facts::{DefIx, DefKind, Scope};
use crate::manifest::folder;
use crate::resolve::eval::Eval;
use crate::resolve::program::{GDef, GName, Place, Program};
use crate::resolve::rules::{Access, Call, Rules};
use crate::resolve::ty::{Args, Ty};

#[derive(Default)]
pub(crate) struct CRules {
    /// Functions with external linkage, by name.
    linked: FxHashMap<GName, Vec<GDef>>,
    /// Names of functions and macros of any file.
    named: FxHashSet<GName>,
    pub(crate) includes: Includes,
}

impl CRules {
    pub(crate) fn of(program: &Program<'_>) -> Self {
        let mut rules = Self { includes: Includes::of(program), ..Self::default() };
        for (at, file) in program.files.iter().enumerate().filter(|(_, file)| is_c_or_cpp(&file.language)) {
            for (ix, def) in file.defs.iter().enumerate() {
                if def.kind == DefKind::Function && def.parent.is_none() {
                    let global = program.global(at as u32, DefIx(ix as u32));
                    rules.named.insert(program.def_name(global));
                }
                let is_linked = def.kind == DefKind::Function && def.flags.has(NodeFlags::EXPORTED);
                if is_linked && def.parent.is_none() {
                    let global = program.global(at as u32, DefIx(ix as u32));
                    rules.linked.entry(program.def_name(global)).or_default().push(global);
                }
            }
        }
        rules
    }
}

impl CRules {
    /// A name as a file itself sees it; nothing for one that it does not.
    fn seen(&self, eval: &mut Eval<'_, '_>, file: u32, name: GName) -> Option<Ty> {
        if let Some(found) = self.includes.visible(eval.program, file, name, DefKind::is_callable) {
            // The same function twice, each for another system: which is called is not for us to say.
            let home = Place::File(eval.program.file_of(found));
            let twins = eval.program.items(home, name).iter().copied();
            let mut twins: Vec<GDef> =
                twins.filter(|&def| eval.program.def(def).kind.is_callable()).collect();
            // A macro may stand for a function where that is not built, or be wrapped around it.
            if twins.iter().all(|&def| is_macro(eval.program.def(def))) {
                twins.extend(self.declared(eval.program, file, name));
            }
            // What a macro that stands for nothing runs is the function of the other build.
            let is_empty = |def: &GDef| is_empty_macro(eval.program.def(*def));
            if !twins.iter().all(is_empty) {
                twins.retain(|def| !is_empty(def));
            }
            return Some(Ty::union(twins.into_iter().map(|def| Ty::Fn(def, None)).collect()));
        }
        for at in self.includes.bound(file, name) {
            if let Some(found) = eval.top_binding(at, name) {
                return Some(found);
            }
        }
        if self.includes.visible(eval.program, file, name, |kind| kind == DefKind::Constant).is_some() {
            return Some(Ty::External);
        }
        self.linked.get(&name).filter(|_| self.includes.declares(file, name))?;
        let found = self.declared(eval.program, file, name);
        Some(Ty::union(found.into_iter().map(|def| Ty::Fn(def, None)).collect()))
    }

    /// A function that C lets be called without a declaration. Where a header that we do not have may declare another
    /// one of its name, it is a guess, and only for what lies beside it.
    fn undeclared(&self, program: &Program<'_>, file: u32, name: GName) -> Ty {
        let Some(only) = self.only_definition(program, file, name) else { return Ty::External };
        let is_beside = folder(&program.files[file as usize].path) == folder(program.path_of(only));
        match self.includes.is_plain(program, file) {
            true => Ty::Fn(only, None),
            false if is_beside => Ty::Unknown,
            false => Ty::External,
        }
    }

    /// The one function of a name that other files of C can call, unless the library has one too.
    fn only_definition(&self, program: &Program<'_>, file: u32, name: GName) -> Option<GDef> {
        let is_c = |file: u32| {
            let facts = program.files[file as usize];
            facts.language == super::NAME && !facts.path.ends_with(".h")
        };
        let all = self.linked.get(&name).filter(|_| is_c(file) && !library::declares(program.text(name)))?;
        match all[..] {
            [only] if !is_macro(program.def(only)) && is_c(program.file_of(only)) => {
                self.includes.meets(program, file, program.file_of(only)).then_some(only)
            }
            _ => None,
        }
    }

    /// Functions of other files that a file has a declaration of.
    fn declared(&self, program: &Program<'_>, file: u32, name: GName) -> Vec<GDef> {
        let found = self.linked.get(&name).filter(|_| self.includes.declares(file, name));
        let found = found.into_iter().flatten().copied().filter(|&def| !is_macro(program.def(def)));
        let met = found.filter(|&def| self.includes.meets(program, file, program.file_of(def)));
        program.nearest(file, &met.collect::<Vec<GDef>>())
    }
}

impl Rules for CRules {
    fn name(&self, eval: &mut Eval<'_, '_>, file: u32, scope: Scope, name: GName) -> Ty {
        // A macro is not put in place of its name in what it stands for.
        let is_own = |ix| eval.program.def_name(eval.program.global(file, ix)) == name;
        if is_in_macro(eval.program, file, scope) && scope.is_some_and(is_own) {
            let found = self.declared(eval.program, file, name);
            if !found.is_empty() {
                return Ty::union(found.into_iter().map(|def| Ty::Fn(def, None)).collect());
            }
        }
        if let Some(found) = self.seen(eval, file, name) {
            return found;
        }
        // What is included is read in the place where it is included.
        if self.named.contains(&name) {
            for &around in self.includes.included_by(file) {
                if let Some(found @ (Ty::Fn(..) | Ty::Union(_))) = self.seen(eval, around, name) {
                    return found;
                }
            }
        }
        match self.linked.get(&name) {
            // A macro is read where it is used, and there more may be declared.
            Some(_) if is_in_macro(eval.program, file, scope) => Ty::Unknown,
            Some(_) => self.undeclared(eval.program, file, name),
            // Nothing that is included declares it: the system's, or a header we do not have.
            None => Ty::External,
        }
    }

    fn guesses(&self, program: &Program<'_>, file: u32, scope: Scope, name: GName) -> Vec<GDef> {
        match self.linked.get(&name) {
            Some(found) if is_in_macro(program, file, scope) => program.nearest(file, found),
            Some(_) => self.only_definition(program, file, name).into_iter().collect(),
            None => Vec::new(),
        }
    }

    fn type_path(&self, eval: &mut Eval<'_, '_>, file: u32, _: Scope, path: &[GName], _: Vec<Ty>) -> Ty {
        let Some(&name) = path.first() else { return Ty::Unknown };
        let Some(found) = self.includes.visible(eval.program, file, name, DefKind::is_type) else {
            return Ty::External;
        };
        let def = eval.program.def(found);
        match (def.kind, def.of) {
            (DefKind::TypeAlias, Some(of)) => match eval.ty(eval.program.file_of(found), of) {
                known @ Ty::Of(..) => known,
                _ => Ty::Of(found, Arc::new([])),
            },
            _ => Ty::Of(found, Arc::new([])),
        }
    }

    fn member(&self, eval: &mut Eval<'_, '_>, base: &Ty, name: GName, _: Access) -> Ty {
        match base {
            Ty::Of(def, _) => eval.field(*def, &[], name).unwrap_or(Ty::Unknown),
            _ => Ty::External,
        }
    }

    fn std_call(&self, _: &mut Eval<'_, '_>, _: &Ty, _: GName, _: Call<'_>) -> Ty {
        Ty::External
    }

    fn std_made(&self, _: &mut Eval<'_, '_>, _: &'static str, _: &Args, _: Call<'_>) -> Ty {
        Ty::External
    }

    fn constant(&self, program: &Program<'_>, place: Place, name: GName) -> Option<GDef> {
        let Place::File(file) = place else { return None };
        self.includes.visible(program, file, name, |kind| kind == DefKind::Constant)
    }

    fn import(&self, _: &mut Eval<'_, '_>, file: u32, at: usize) -> Ty {
        self.includes.file(file, at).map_or(Ty::External, |file| Ty::Place(Place::File(file)))
    }
}

/// Whether something stands in what a macro stands for.
pub(in crate::languages) fn is_in_macro(program: &Program<'_>, file: u32, scope: Scope) -> bool {
    scope.is_some_and(|scope| is_macro(program.files[file as usize].def(scope)))
}
