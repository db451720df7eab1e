//! Where a file reads members without calling them: one may be a property, whose function then runs.

use rustc_hash::FxHashSet;

use crate::facts::{CallSite, DefIx, DefKind, Expr, ExprIx, FileFacts, Name, Scope};
use crate::sheet::is_constant_name;

/// Of the members that a file names, leaves those that it reads and that may be properties.
pub(crate) fn settle(facts: &mut FileFacts, given: &FxHashSet<ExprIx>) {
    let mut sites = std::mem::take(&mut facts.inside.members);
    if sites.is_empty() {
        return;
    }
    let called = facts.inside.calls.iter().filter_map(|site| match facts.inside.expr(site.what) {
        Expr::Call { callee, .. } => Some(*callee),
        _ => None,
    });
    let called: FxHashSet<ExprIx> = called.collect();
    let own = Own::of(facts);
    sites.retain(|site| !called.contains(&site.what) && !given.contains(&site.what) && own.may_run(site));
    facts.inside.members = sites;
}

/// What the classes of a file say of their own objects.
struct Own<'f> {
    facts: &'f FileFacts,
    fields: FxHashSet<(DefIx, Name)>,
    functions: FxHashSet<(DefIx, Name)>,
}

impl<'f> Own<'f> {
    fn of(facts: &'f FileFacts) -> Self {
        let of_def = |(at, def): (u32, &'f crate::facts::Def)| {
            def.fields.iter().map(move |field| (DefIx(at), field.name))
        };
        let functions = facts.defs.iter().filter(|def| def.kind.is_callable());
        Self {
            facts,
            fields: (0..).zip(&facts.defs).flat_map(of_def).collect(),
            functions: functions.filter_map(|def| Some((def.parent?, def.name))).collect(),
        }
    }

    fn may_run(&self, site: &CallSite) -> bool {
        let Expr::Field { base, name } = self.facts.inside.expr(site.what) else { return false };
        let text = self.facts.text(*name);
        if text.starts_with("__") || is_constant_name(text) {
            return false;
        }
        // A field that the class itself fills is a field.
        let is_filled =
            |class: DefIx| self.fields.contains(&(class, *name)) && !self.functions.contains(&(class, *name));
        !(self.is_self(*base) && self.class_around(site.scope).is_some_and(is_filled))
    }

    fn is_self(&self, base: ExprIx) -> bool {
        match self.facts.inside.exprs.get(base.0 as usize) {
            Some(Expr::This { .. }) => true,
            Some(Expr::Name { name, .. }) => self.facts.text(*name) == "self",
            _ => false,
        }
    }

    fn class_around(&self, scope: Scope) -> Option<DefIx> {
        let mut around = scope;
        while let Some(ix) = around {
            if self.facts.def(ix).kind == DefKind::Class {
                return Some(ix);
            }
            around = self.facts.def(ix).parent;
        }
        None
    }
}
