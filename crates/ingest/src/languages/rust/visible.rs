//! Which macro `name!` means: one that is imported, or the only one of that name in its crate.

use rustc_hash::FxHashMap;

use m1nd_graph::NodeFlags;

use super::macros::is_macro;
use super::rules::{MAX_HOPS, Need, RustRules};
use crate::facts::{DefIx, DefKind, Scope};
use crate::resolve::eval::Eval;
use crate::resolve::program::{GDef, GName, Place, Program};
use crate::resolve::ty::Ty;

/// More macros of one name in one crate are not told apart.
const MAX_SAME: usize = 4;

/// Every macro, by name.
pub(super) fn macros(program: &Program<'_>) -> FxHashMap<GName, Vec<GDef>> {
    let mut macros: FxHashMap<GName, Vec<GDef>> = FxHashMap::default();
    let files = program.files.iter().enumerate().filter(|(_, file)| file.language == super::NAME);
    for (at, file) in files {
        for (ix, _) in file.defs.iter().enumerate().filter(|(_, def)| is_macro(def)) {
            let def = program.global(at as u32, DefIx(ix as u32));
            macros.entry(program.def_name(def)).or_default().push(def);
        }
    }
    macros
}

impl RustRules {
    /// What a path whose last name has the mark of a macro leads to; nothing for other paths.
    pub(super) fn macro_called(
        &self,
        eval: &mut Eval<'_, '_>,
        file: u32,
        scope: Scope,
        path: &[GName],
    ) -> Option<Ty> {
        let (&last, before) = path.split_last()?;
        let name = eval.program.text(last).strip_suffix('!')?;
        // A name that no file uses by itself is neither imported nor defined.
        let Some(name) = eval.program.find_name(name) else { return Some(Ty::External) };
        Some(match before {
            [] => self.macro_by_name(eval, file, scope, name),
            before => self.macro_below(eval, file, scope, before, name),
        })
    }

    /// An import decides; without one it is a macro of the same crate, or of a crate imported as a whole.
    fn macro_by_name(&self, eval: &mut Eval<'_, '_>, file: u32, scope: Scope, name: GName) -> Ty {
        let program = eval.program;
        let facts = program.files[file as usize];
        let mut around = scope;
        let mut wholes = Vec::new();
        loop {
            let place = program.place(file, around);
            for &(_, at) in program.imports(place, name) {
                let import = &facts.imports[at as usize];
                let path: Vec<GName> = import.path.iter().map(|&part| program.name(file, part)).collect();
                if let [before @ .., own] = &path[..]
                    && !before.is_empty()
                {
                    return self.macro_below(eval, file, import.scope, before, *own);
                }
            }
            wholes.extend(program.globs(place));
            match around {
                Some(ix) => around = facts.def(ix).parent,
                None => break,
            }
        }
        let own = self.macros_of(program, self.crates.root_of[file as usize], name);
        let own: Vec<GDef> = own.into_iter().filter(|&def| is_in_reach(program, def, file, scope)).collect();
        // Inside a function, or in the same file, a nearer one hides the others.
        let here: Vec<GDef> = own.iter().copied().filter(|&def| program.file_of(def) == file).collect();
        let own = if here.len() == 1 { here } else { own };
        if !own.is_empty() {
            return one_of(&own);
        }
        for (_, at) in wholes {
            let import = &facts.imports[at as usize];
            let path: Vec<GName> = import.path.iter().map(|&part| program.name(file, part)).collect();
            let found = self.macro_below(eval, file, import.scope, &path, name);
            if matches!(found, Ty::Fn(..)) {
                return found;
            }
        }
        self.not_found(name)
    }

    /// A macro of the crate that a path leads into.
    fn macro_below(
        &self,
        eval: &mut Eval<'_, '_>,
        file: u32,
        scope: Scope,
        before: &[GName],
        name: GName,
    ) -> Ty {
        let program = eval.program;
        let inside = match self.find(eval, file, scope, before, Need::Type, MAX_HOPS) {
            Ty::Place(Place::File(inside)) => inside,
            Ty::Place(Place::Def(module)) => program.file_of(module),
            Ty::External => return Ty::External,
            _ => return self.not_found(name),
        };
        let root = self.crates.root_of[inside as usize];
        let is_own = root == self.crates.root_of[file as usize];
        let mut found = self.macros_of(program, root, name);
        found.retain(|&def| {
            is_in_reach(program, def, file, scope)
                && (is_own || program.def(def).flags.has(NodeFlags::EXPORTED))
        });
        if found.is_empty() { self.not_found(name) } else { one_of(&found) }
    }

    fn macros_of(&self, program: &Program<'_>, root: u32, name: GName) -> Vec<GDef> {
        let named = self.macros.get(&name).map_or(&[][..], Vec::as_slice);
        let is_of = |def: &GDef| self.crates.root_of[program.file_of(*def) as usize] == root;
        named.iter().copied().filter(is_of).collect()
    }

    /// A library's, unless a file of ours defines a macro of that name: then it is not known whose.
    fn not_found(&self, name: GName) -> Ty {
        if self.macros.contains_key(&name) { Ty::Unknown } else { Ty::External }
    }
}

/// Whether a macro is not written inside a function that the call is outside of.
fn is_in_reach(program: &Program<'_>, def: GDef, file: u32, scope: Scope) -> bool {
    let (home, ix) = program.local(def);
    let facts = program.files[home as usize];
    let mut outer = facts.def(ix).parent;
    while let Some(at) = outer
        && matches!(facts.def(at).kind, DefKind::Module)
    {
        outer = facts.def(at).parent;
    }
    let Some(owner) = outer else { return true };
    let mut around = scope.filter(|_| home == file);
    while let Some(at) = around {
        if at == owner {
            return true;
        }
        around = facts.def(at).parent;
    }
    false
}

fn one_of(found: &[GDef]) -> Ty {
    if found.len() > MAX_SAME {
        return Ty::Unknown;
    }
    Ty::union(found.iter().map(|&def| Ty::Fn(def, None)).collect())
}
