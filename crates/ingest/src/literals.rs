//! Names that hold nothing but objects whose members are written where the name is declared.
//!
//! Whoever reads a member of such an object can tell nothing of its other members: one more or less of those is no
//! other thing for him.

use rustc_hash::FxHashMap;

use crate::facts::{DefIx, DefKind, Expr, ExprIx, FileFacts, Insides, Name};
use crate::languages;

/// The names of a file that hold such objects wherever they are declared.
#[derive(Debug, Default)]
pub(crate) struct Literals {
    /// With the definitions that declare them; nothing for a name that may hold something else.
    names: FxHashMap<Name, Option<Vec<DefIx>>>,
}

impl Literals {
    pub fn of(facts: &FileFacts, inside: &Insides) -> Self {
        let mut found = Self::default();
        if languages::family(&facts.language) != "script" {
            return found;
        }
        let is_object = |value: Option<ExprIx>| {
            value.is_some_and(|ix| matches!(inside.exprs.get(ix.0 as usize), Some(Expr::Object(_))))
        };
        for (at, def) in (0..).zip(&facts.defs) {
            let is_plain = def.kind == DefKind::Constant && def.returns.is_none() && is_object(def.value);
            found.declare(def.name, is_plain, Some(DefIx(at)));
        }
        for binding in facts.bindings.iter().chain(&inside.bindings) {
            found.declare(binding.name, binding.ty.is_none() && is_object(binding.value), None);
        }
        for import in &facts.imports {
            found.declare(import.bind, false, None);
        }
        found
    }

    fn declare(&mut self, name: Name, is_object: bool, def: Option<DefIx>) {
        let known = self.names.entry(name).or_insert_with(|| Some(Vec::new()));
        match known.as_mut().filter(|_| is_object) {
            Some(defs) => defs.extend(def),
            None => *known = None,
        }
    }

    /// The definitions of a name that holds nothing but such objects; nothing where it may hold something else.
    pub fn defs(&self, name: Name) -> Option<&[DefIx]> {
        self.names.get(&name)?.as_deref()
    }
}

/// The value of a member of an object, if it is what it is whatever is added to the object later.
pub(crate) fn member(inside: &Insides, object: Option<ExprIx>, name: Name) -> Option<ExprIx> {
    let Expr::Object(members) = inside.exprs.get(object?.0 as usize)? else { return None };
    let (_, value) = members.iter().find(|(member, _)| *member == name)?;
    let is_sure = matches!(
        inside.exprs.get(value.0 as usize)?,
        Expr::Def(_) | Expr::Closure { .. } | Expr::List(_) | Expr::Text | Expr::Number | Expr::Bool
    );
    is_sure.then_some(*value)
}
