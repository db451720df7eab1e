//! Blocks of Ruby that are handed to a method, which may run them on another object than the one around them.

use super::reader::Reader;
use super::rules::SimpleRules;
use crate::facts::{Expr, ExprIx, Few, TypeExpr, TypeIx};
use crate::resolve::eval::Eval;
use crate::resolve::program::GName;
use crate::resolve::ty::{OTHER, Ty};
use crate::resolve::{MAX_CANDIDATES, MAX_SAME};
use crate::sheet::field;

impl Reader<'_, '_> {
    /// A word alone calls a method of the object that runs the block around it: the methods that are handed the blocks
    /// around are kept with it.
    pub(super) fn note_blocks(&mut self, callee: ExprIx) {
        if !matches!(self.sheet.facts.inside.expr(callee), Expr::Path { segments, .. } if segments.len() == 1)
        {
            return;
        }
        let mut handed: Few<TypeIx> = Few::new();
        for at in (1..self.path.len()).rev() {
            let (call, node) = (self.path[at - 1], self.path[at]);
            match node.kind() {
                "method" | "singleton_method" | "class" | "module" | "singleton_class" => break,
                "do_block" | "block" if call.kind() == "call" => handed.extend(self.handed_to(call)),
                _ => {}
            }
        }
        if let Expr::Path { args, .. } = &mut self.sheet.facts.inside.exprs[callee.0 as usize] {
            *args = handed;
        }
    }

    /// The method that a call hands its block to, where that may run it on another object.
    fn handed_to(&mut self, call: tree_sitter::Node<'_>) -> Option<TypeIx> {
        if let Some(&known) = self.handed.get(&call.id()) {
            return known;
        }
        let name = self.source.text(field(call, "method")?);
        let receiver = field(call, "receiver").map(|receiver| self.source.text(receiver));
        let is_known_to =
            matches!(name, "instance_eval" | "instance_exec" | "class_eval" | "class_exec" | "module_eval")
                || (name == "new" && matches!(receiver, Some("Class" | "Module" | "Struct")));
        let keeps = receiver.is_some()
            || (self.grammar.is_library)(name)
            || ["assert", "refute", "must_", "wont_"].iter().any(|word| name.starts_with(word));
        let found = match (is_known_to, keeps) {
            (true, _) => Some(self.sheet.push_type(TypeExpr::Unknown)),
            (false, true) => None,
            (false, false) => {
                let (scope, at) = (self.sheet.scope(), call.start_byte() as u32);
                let segments = [self.sheet.owned_name(name)].into();
                let method = self.sheet.push(Expr::Path { segments, args: Few::new(), scope, at });
                Some(self.sheet.push_type(TypeExpr::ValueOf(method)))
            }
        };
        self.handed.insert(call.id(), found);
        found
    }
}

impl SimpleRules {
    /// What a word alone may call within blocks that some methods were handed.
    pub(super) fn in_blocks(
        &self,
        eval: &Eval<'_, '_>,
        file: u32,
        name: GName,
        found: Ty,
        handed_to: &[Ty],
    ) -> Ty {
        if handed_to.iter().all(|method| yields(eval, method)) {
            return found;
        }
        let program = eval.program;
        let here = program.files[file as usize].path.as_str();
        let is_word_of_specs = (self.grammar.is_library)(program.text(name)) && here.ends_with("_spec.rb");
        let all = program.methods(name);
        let mut named = Vec::new();
        if all.len() <= MAX_SAME && !is_word_of_specs {
            named.extend(all.iter().copied().filter(|&def| {
                let other = program.files[program.file_of(def) as usize];
                other.language == self.grammar.name
                    && !program.def(def).is_test_case()
                    && self.joins(here, &other.path)
            }));
            named = program.without_copies(file, named);
        }
        if named.len() > MAX_CANDIDATES {
            named.clear();
        }
        if named.is_empty() && matches!(found, Ty::External | Ty::Unknown) {
            return found;
        }
        let mut parts: Vec<Ty> = found.functions().into_iter().map(|def| Ty::Fn(def, None)).collect();
        parts.extend(named.into_iter().map(|def| Ty::Fn(def, None)));
        parts.push(Ty::std(OTHER, []));
        Ty::union(parts)
    }
}

/// Whether a method runs its block where it stands: one that does not take the block as a value can do nothing else.
fn yields(eval: &Eval<'_, '_>, method: &Ty) -> bool {
    let found = method.functions();
    !found.is_empty() && found.iter().all(|&def| !eval.program.def(def).signature.contains('&'))
}
