//! What the imports of a file lead to: files, and what is named in them.

use rustc_hash::FxHashSet;

use m1nd_graph::EdgeKind;

use super::program::{GDef, Place};
use super::ty::Ty;
use super::{FileLinker, LinkEnd, LinkKind, constants};
use crate::languages;

impl FileLinker<'_, '_, '_> {
    pub(super) fn import(&mut self, at: usize, line: u32) {
        let found = self.eval.rules(self.file).import(self.eval, self.file, at);
        let parts = match found {
            Ty::Union(parts) => parts.to_vec(),
            one => vec![one],
        };
        let mut is_linked = false;
        let named = self.imported_name(at);
        for part in parts {
            if let Ty::Place(Place::Package(package)) = part {
                self.import_package(package, line);
                is_linked = true;
                continue;
            }
            let (file, def) = match part {
                Ty::Place(Place::File(file)) => (file, None),
                Ty::Fn(def, _) | Ty::Type(def, _) | Ty::Place(Place::Def(def)) => {
                    (self.eval.program.file_of(def), Some(def))
                }
                _ => continue,
            };
            is_linked = true;
            self.import_from(file, def, line);
        }
        // What a name stands for may be known, and its module: it is the name that is imported.
        if let Some(def) = named {
            self.import_from(self.eval.program.file_of(def), Some(def), line);
        } else if !is_linked {
            self.import_value(at, line);
        }
    }

    /// The constant or the alias that an import names, in languages where its value or type would hide it.
    fn imported_name(&mut self, at: usize) -> Option<GDef> {
        let facts = self.eval.program.files[self.file as usize];
        facts.imports[at].item?;
        if !constants::HAS_ALIASES.contains(&languages::family(&facts.language)) {
            return None;
        }
        let rules = self.eval.rules(self.file);
        let constant = rules.imported_constant(self.eval, self.file, at);
        constant.or_else(|| constants::alias_imported_by(self.eval, self.file, at))
    }

    fn import_from(&mut self, file: u32, def: Option<GDef>, line: u32) {
        let kind = LinkKind { kind: EdgeKind::Imports, candidates: None };
        if file != self.file {
            self.push(None, LinkEnd { file, def: None }, kind, line);
        }
        if let Some(def) = def {
            self.link(None, def, kind, line);
        }
    }

    /// What has a value but is no type and no function is known by where it stands: the constant itself, or the file
    /// that an import takes it from.
    fn import_value(&mut self, at: usize, line: u32) {
        let rules = self.eval.rules(self.file);
        if let Some(def) = rules.imported_constant(self.eval, self.file, at) {
            self.import_from(self.eval.program.file_of(def), Some(def), line);
            return;
        }
        match rules.imported_from(self.eval, self.file, at) {
            Some(Place::File(file)) => self.import_from(file, None, line),
            Some(Place::Def(def)) => self.import_from(self.eval.program.file_of(def), None, line),
            Some(Place::Package(_)) | None => {}
        }
    }

    /// A package is its files: those are imported of which something is used, else the one that stands for it.
    fn import_package(&mut self, package: u32, line: u32) {
        let parts = self.eval.rules(self.file).parts(self.eval.program, self.file, package);
        let targets: FxHashSet<u32> = self.out.links.iter().map(|link| link.target.file).collect();
        let mut used: Vec<u32> = parts.iter().copied().filter(|part| targets.contains(part)).collect();
        if used.is_empty() {
            used.extend(parts.first());
        }
        let kind = LinkKind { kind: EdgeKind::Imports, candidates: None };
        used.retain(|&file| file != self.file);
        for file in used {
            self.push(None, LinkEnd { file, def: None }, kind, line);
        }
    }
}
