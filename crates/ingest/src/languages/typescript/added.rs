//! Members that files add to their functions, classes and objects by assignment.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::{DefIx, DefKind, ExprIx, How, Scope, TypeExpr};
use crate::resolve::eval::Eval;
use crate::resolve::program::{GDef, GName, Place, Program};
use crate::resolve::ty::Ty;

#[derive(Default)]
pub(super) struct Added {
    members: FxHashMap<(GDef, GName), GDef>,
    /// What the members written together are for.
    owners: FxHashMap<GDef, GDef>,
    having: FxHashSet<GDef>,
    /// Objects that are the value of a constant.
    objects: FxHashMap<(u32, ExprIx), GDef>,
}

impl Added {
    pub(super) fn of(program: &Program<'_>) -> Self {
        let mut added = Self::default();
        for (file, facts) in (0..).zip(&program.files) {
            if crate::languages::family(&facts.language) != "script" {
                continue;
            }
            for (ix, def) in (0..).map(DefIx).zip(&facts.defs).filter(|(_, def)| def.kind == DefKind::Impl) {
                let Some(TypeExpr::Path { segments, .. }) = def.of.map(|of| &facts.types[of.0 as usize])
                else {
                    continue;
                };
                let Some(&name) = segments.first() else { continue };
                let name = program.name(file, name);
                if let Some(owner) = owner(program, file, def.parent, name) {
                    added.note(program, program.global(file, ix), owner);
                }
            }
        }
        added
    }

    fn note(&mut self, program: &Program<'_>, members: GDef, owner: GDef) {
        self.owners.insert(members, owner);
        self.having.insert(owner);
        if let Some(value) = program.def(owner).value {
            self.objects.insert((program.file_of(owner), value), owner);
        }
        for &member in program.children(Place::Def(members)) {
            // The last one that is assigned stays.
            self.members.insert((owner, program.def_name(member)), member);
        }
    }

    /// Whether something is added to a definition.
    pub(super) fn has(&self, owner: GDef) -> bool {
        self.having.contains(&owner)
    }

    pub(super) fn member(&self, program: &Program<'_>, owner: GDef, name: GName, base: &Ty) -> Option<Ty> {
        let member = *self.members.get(&(owner, name))?;
        Some(match program.def(member).kind.is_type() {
            true => Ty::Type(member, Arc::new([])),
            false => Ty::Fn(member, Some(Arc::new(base.clone()))),
        })
    }

    /// A member that was added to an object which a constant holds.
    pub(super) fn of_object(&self, program: &Program<'_>, base: &Ty, name: GName) -> Option<Ty> {
        let Ty::Object(file, ix) = base else { return None };
        self.member(program, *self.objects.get(&(*file, *ix))?, name, base)
    }

    /// The current object in members that are added, and in the function that they are added to.
    pub(super) fn this(&self, eval: &mut Eval<'_, '_>, around: GDef) -> Option<Ty> {
        let kind = eval.program.def(around).kind;
        let owner = match kind {
            DefKind::Impl => *self.owners.get(&around)?,
            DefKind::Function if self.has(around) => around,
            _ => return None,
        };
        let found = eval.program.def(owner);
        match (found.kind, found.value) {
            (DefKind::Constant, Some(value)) => Some(eval.expr(eval.program.file_of(owner), value)),
            (DefKind::Constant, None) => None,
            _ => Some(Ty::Of(owner, Arc::new([]))),
        }
    }
}

/// The function, class or constant that a name means in a file, seen from a scope.
fn owner(program: &Program<'_>, file: u32, scope: Scope, name: GName) -> Option<GDef> {
    let facts = program.files[file as usize];
    let mut around = scope;
    loop {
        let named = program.items(program.place(file, around), name).iter().copied();
        let is_owner = |&def: &GDef| {
            let found = program.def(def);
            let kind = found.kind;
            found.how == How::Free && matches!(kind, DefKind::Function | DefKind::Class | DefKind::Constant)
        };
        if let Some(found) = named.rev().find(is_owner) {
            return Some(found);
        }
        around = facts.def(around?).parent;
    }
}
