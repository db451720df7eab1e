//! What is told of a member of an object that is written out: the member, and none of the others.

use super::Told;
use crate::facts::{Expr, ExprIx, Name};
use crate::literals;

impl Told<'_> {
    /// Whether a member is read of a name that holds nothing but objects which have it from the start.
    pub(super) fn is_held(&self, base: ExprIx, member: Name) -> bool {
        let Some(Expr::Name { name, scope, .. }) = self.inside.exprs.get(base.0 as usize) else {
            return false;
        };
        let Some(defs) = self.literals.defs(*name) else { return false };
        let declared = defs.iter().map(|&ix| self.facts.def(ix).value);
        let bound = self.bindings_around(*name, *scope).into_iter().map(|(_, binding)| binding.value);
        let mut values = declared.chain(bound).peekable();
        values.peek().is_some() && values.all(|value| literals::member(self.inside, value, member).is_some())
    }

    /// A member of an object, as if the object had no other.
    pub(super) fn held_member(&mut self, base: ExprIx, member: Name) {
        let (facts, inside) = (self.facts, self.inside);
        let Some(Expr::Name { name, at, scope }) = inside.exprs.get(base.0 as usize) else { return };
        self.held.push(*name);
        self.text(facts.text(*name));
        self.place(*scope);
        let defs = self.literals.defs(*name).unwrap_or_default().to_vec();
        self.count(defs.len());
        for ix in defs {
            self.scope(Some(ix));
            self.number(u32::from(facts.defs.iter().any(|def| def.parent == Some(ix))));
            self.all_exprs(literals::member(inside, facts.def(ix).value, member).as_slice());
        }
        let bindings = self.bindings_around(*name, *scope);
        self.count(bindings.len());
        for (_, binding) in bindings {
            self.reach_of(binding, *at);
            self.place(binding.owner);
            self.number(u32::from(binding.until == binding.to));
            self.all_exprs(literals::member(inside, binding.value, member).as_slice());
        }
    }
}
