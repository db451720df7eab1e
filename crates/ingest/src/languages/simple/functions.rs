//! Functions outside of types, in a language where a call without a receiver can mean nothing else.

use super::rules::{Among, SimpleRules, join};
use crate::facts::{DefKind, Scope};
use crate::resolve::eval::Eval;
use crate::resolve::program::{GName, Place};
use crate::resolve::ty::Ty;

impl SimpleRules {
    /// What one word stands for: a function, or the type in front of `::`.
    pub(super) fn function_or_type(
        &self,
        eval: &mut Eval<'_, '_>,
        file: u32,
        scope: Scope,
        name: GName,
    ) -> Ty {
        if let Some(found) = self.function(eval, file, scope, name) {
            return found;
        }
        match self.lookup(eval, file, scope, &[name], Among::Types) {
            Some(found) if !is_function(&found) => found,
            _ => self.not_found(name),
        }
    }

    /// An imported function, one of the package around the call, or one of no package.
    fn function(&self, eval: &mut Eval<'_, '_>, file: u32, scope: Scope, name: GName) -> Option<Ty> {
        let program = eval.program;
        let facts = program.files[file as usize];
        if let Some(&(_, at)) = program.imports(Place::File(file), name).first() {
            let path: Vec<&str> =
                facts.imports[at as usize].path.iter().map(|&part| facts.text(part)).collect();
            let found = self.full_path(eval, file, &path);
            if is_function(&found) {
                return Some(found);
            }
        }
        let mut around = scope;
        while let Some(ix) = around
            && facts.def(ix).kind != DefKind::Module
        {
            around = facts.def(ix).parent;
        }
        let text = program.text(name);
        let package = join(self.scope_name(file, around), text);
        [package.as_str(), text]
            .into_iter()
            .filter_map(|full| self.value(eval, file, full, None, Among::All).filter(is_function))
            .find_map(|found| self.seen(program, file, found))
    }

    /// A word that leads nowhere is the library's, unless some file of ours has a function called so:
    /// then it is not known whose it is.
    pub(super) fn not_found(&self, name: GName) -> Ty {
        if self.functions.contains(&name) { Ty::Unknown } else { Ty::External }
    }
}

fn is_function(ty: &Ty) -> bool {
    match ty {
        Ty::Fn(..) => true,
        Ty::Union(parts) => parts.iter().all(is_function),
        _ => false,
    }
}
