//! Members of values and types that are written as their members.

use crate::facts::{Expr, ExprIx, SPREAD, TypeExpr, TypeIx};
use crate::resolve::eval::Eval;
use crate::resolve::program::GName;
use crate::resolve::rules::Access;
use crate::resolve::ty::Ty;

impl Eval<'_, '_> {
    pub(super) fn object_member(&mut self, file: u32, ix: ExprIx, name: GName) -> Ty {
        let Expr::Object(members) = self.program.inside(file).expr(ix) else {
            return Ty::Unknown;
        };
        let found = members.iter().find(|(member, _)| self.program.name(file, *member) == name);
        if let Some((_, value)) = found {
            return self.expr(file, *value);
        }
        // Of what is taken over from others, the last one counts.
        let facts = self.program.files[file as usize];
        for (_, other) in members.iter().rev().filter(|(member, _)| facts.text(*member) == SPREAD) {
            let other = self.expr(file, *other);
            match self.member(file, &other, name, Access::Read) {
                Ty::Unknown | Ty::External => {}
                found => return found,
            }
        }
        Ty::Unknown
    }

    pub(super) fn shape_member(&mut self, file: u32, ix: TypeIx, name: GName) -> Ty {
        let facts = self.program.files[file as usize];
        let TypeExpr::Object(members) = &facts.types[ix.0 as usize] else {
            return Ty::Unknown;
        };
        let found = members.iter().find(|(member, _)| self.program.name(file, *member) == name);
        found.map_or(Ty::Unknown, |(_, ty)| self.ty(file, *ty))
    }
}
