//! What full names stand for: of several definitions those that are not the copy of something nearer.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use m1nd_graph::NodeFlags;

use super::rules::{Among, SimpleRules};
use crate::facts::{DefKind, How};
use crate::resolve::eval::Eval;
use crate::resolve::program::{GDef, Program};
use crate::resolve::rules::Access;
use crate::resolve::ty::Ty;

/// More functions of one full name are not told apart.
const MAX_SAME: usize = 8;
/// More definitions of one full name are not compared with each other.
const MAX_COMPARED: usize = 64;

/// Full names that files of one name define: only these can be copies of each other.
pub(super) fn copied(program: &Program<'_>, names: &FxHashMap<String, Vec<GDef>>) -> FxHashSet<String> {
    let mut copied = FxHashSet::default();
    for (full, defs) in names.iter().filter(|(_, defs)| defs.len() > 1) {
        let mut files: Vec<(&str, u32)> =
            defs.iter().map(|&def| (file_name(program, def), program.file_of(def))).collect();
        files.sort_unstable();
        files.dedup();
        if files.windows(2).any(|two| two[0].0 == two[1].0) {
            copied.insert(full.clone());
        }
    }
    copied
}

impl SimpleRules {
    /// What has a full name, as far as it is not the copy of something nearer.
    pub(super) fn near(&self, program: &Program<'_>, file: u32, full: &str) -> Vec<GDef> {
        let mut all = self.get(full);
        let seen: Vec<GDef>;
        if self.hides_from_files() && all.iter().any(|&def| is_of_file(program, def)) {
            let is_seen = |def: &GDef| program.file_of(*def) == file || !is_of_file(program, *def);
            seen = all.iter().copied().filter(is_seen).collect();
            all = &seen;
        }
        // What another root calls the same is another thing, unless the one loads the other.
        let here = &program.files[file as usize].path;
        let is_own = |def: &GDef| self.joins(here, program.path_of(*def));
        let own: Vec<GDef> = match all.len() {
            0 | 1 => Vec::new(),
            _ => all.iter().copied().filter(is_own).collect(),
        };
        if !own.is_empty() {
            all = &own;
        }
        if all.len() < 2 || !self.copied.contains(full) {
            return all.to_vec();
        }
        if all.len() <= MAX_COMPARED {
            return program.without_copies(file, all.to_vec());
        }
        // So many are parts of something large: of those the same outermost folder is the copy.
        let outermost = |def: GDef| program.path_of(def).split('/').next();
        let own = program.files[file as usize].path.split('/').next();
        let near: Vec<GDef> = all.iter().copied().filter(|&def| outermost(def) == own).collect();
        if near.is_empty() { all.to_vec() } else { near }
    }

    /// Whether what is private at the top of a file is known to that file alone.
    fn hides_from_files(&self) -> bool {
        matches!(self.grammar.name, "ruby" | "swift" | "kotlin")
    }

    /// What a full name stands for.
    pub(super) fn value(
        &self,
        eval: &mut Eval<'_, '_>,
        file: u32,
        full: &str,
        receiver: Option<&Ty>,
        among: Among,
    ) -> Option<Ty> {
        let program = eval.program;
        let fits = |def: &&GDef| among == Among::All || !program.def(**def).kind.is_callable();
        // The same name in this very file is meant before any other.
        let own = self.get(full).iter().filter(fits).filter(|def| program.file_of(**def) == file);
        let mut found: Vec<GDef> = own.copied().collect();
        if found.is_empty() {
            found = self.near(program, file, full);
            found.retain(|def| fits(&def));
        }
        self.any_of(eval, found, receiver)
    }

    /// What some definitions of one name stand for.
    pub(super) fn any_of(
        &self,
        eval: &mut Eval<'_, '_>,
        found: Vec<GDef>,
        receiver: Option<&Ty>,
    ) -> Option<Ty> {
        let program = eval.program;
        let kind = |def: &GDef| program.def(*def).kind;
        if let Some(&ty) = found.iter().find(|def| kind(def).is_type() || kind(def) == DefKind::Module) {
            return Some(self.aliased(eval, ty));
        }
        let callables: Vec<GDef> = found.iter().copied().filter(|def| kind(def).is_callable()).collect();
        if callables.is_empty() {
            return found.first().map(|&constant| self.constant(eval, constant));
        }
        if callables.len() > MAX_SAME {
            return Some(Ty::External);
        }
        let receiver = receiver.map(|ty| Arc::new(ty.clone()));
        Some(Ty::union(callables.into_iter().map(|def| Ty::Fn(def, receiver.clone())).collect()))
    }

    fn constant(&self, eval: &mut Eval<'_, '_>, def: GDef) -> Ty {
        let (file, found) = (eval.program.file_of(def), eval.program.def(def));
        match (found.of, found.value) {
            (Some(ty), _) => eval.ty(file, ty),
            (None, Some(value)) => eval.expr(file, value),
            _ => Ty::External,
        }
    }

    pub(super) fn aliased(&self, eval: &mut Eval<'_, '_>, def: GDef) -> Ty {
        let found = eval.program.def(def);
        if let (DefKind::TypeAlias, Some(of)) = (found.kind, found.of)
            && let Ty::Of(class, args) = eval.ty(eval.program.file_of(def), of)
        {
            return Ty::Type(class, args);
        }
        Ty::Type(def, Arc::new([]))
    }

    /// Everything that is written of one type, or of one namespace.
    pub(super) fn parts(&self, program: &Program<'_>, class: GDef) -> Vec<GDef> {
        self.near(program, program.file_of(class), &self.full(program, class))
    }
}

/// Whether what a definition stands in at the top of its file is not seen from others.
fn is_of_file(program: &Program<'_>, def: GDef) -> bool {
    let mut outermost = def;
    while let Some(outer) = program.parent(outermost) {
        outermost = outer;
    }
    let found = program.def(outermost);
    let says_so = found.kind.is_callable() || (found.kind.is_type() && found.kind != DefKind::TypeAlias);
    says_so && !found.flags.has(NodeFlags::EXPORTED)
}

/// What a name means that is called, or that is read: a property is not called, and read before a function of its name.
pub(super) fn accessed(program: &Program<'_>, named: Ty, access: Access) -> Option<Ty> {
    let mut parts = match named {
        Ty::Union(parts) => parts.to_vec(),
        one => vec![one],
    };
    let is_property = |ty: &Ty| matches!(ty, Ty::Fn(def, _) if program.def(*def).how == How::Property);
    match access {
        Access::Call => parts.retain(|part| !is_property(part)),
        Access::Read if parts.iter().any(is_property) => parts.retain(is_property),
        Access::Read => {}
    }
    (!parts.is_empty()).then(|| Ty::union(parts))
}

fn file_name<'f>(program: &Program<'f>, def: GDef) -> &'f str {
    program.path_of(def).rsplit('/').next().unwrap_or("")
}
