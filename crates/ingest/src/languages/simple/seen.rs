//! What a file sees without naming it in an import: its own root and module, and those that are brought in as a whole.

use rustc_hash::FxHashSet;

use super::rules::SimpleRules;
use crate::facts::Import;
use crate::manifest::root;
use crate::resolve::program::{GDef, Program};
use crate::resolve::ty::Ty;

impl SimpleRules {
    /// As much of what a name may mean as a file sees without an import of it.
    pub(super) fn seen(&self, program: &Program<'_>, file: u32, found: Ty) -> Option<Ty> {
        match found {
            Ty::Union(parts) => {
                let parts: Vec<Ty> =
                    parts.iter().filter_map(|part| self.seen(program, file, part.clone())).collect();
                (!parts.is_empty()).then(|| Ty::union(parts))
            }
            Ty::Fn(def, _) | Ty::Type(def, _) | Ty::Of(def, _) if !self.sees(program, file, def) => None,
            found => Some(found),
        }
    }

    fn sees(&self, program: &Program<'_>, file: u32, def: GDef) -> bool {
        let (here, there) = (program.files[file as usize].path.as_str(), program.path_of(def));
        if let Some(module) = self.grammar.module
            && let Some(other) = module(there).filter(|other| module(here) != Some(other))
        {
            let facts = program.files[file as usize];
            let is_it =
                |import: &Import| import.path.first().is_some_and(|&first| facts.text(first) == other);
            return facts.imports.iter().any(is_it);
        }
        self.joins(here, there)
    }

    /// Whether two files lie in one root, or the root of the first loads something of the other.
    pub(super) fn joins(&self, here: &str, there: &str) -> bool {
        let (here, there) = (root(here), root(there));
        here == there || self.roots.iter().any(|(from, to)| from == here && to == there)
    }
}

/// The roots of a program other than a file's own.
pub(super) fn other_roots<'f>(all: &FxHashSet<&'f str>, path: &str) -> Vec<&'f str> {
    let mut others: Vec<&str> = all.iter().copied().filter(|other| *other != root(path)).collect();
    others.sort_unstable();
    others
}
