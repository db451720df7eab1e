//! What calls give: of functions, types, closures, with type parameters filled in from receivers and arguments.

use std::sync::Arc;

use crate::facts::{DefKind, Expr, ExprIx};
use crate::resolve::eval::{Eval, MAX_RESULTS};
use crate::resolve::program::GDef;
use crate::resolve::rules::Call;
use crate::resolve::ty::{Args, OTHER, SELF_PARAM, SHARED, Ty};

impl Eval<'_, '_> {
    /// What calling a value gives.
    pub fn call(&mut self, callee: &Ty, call: Call<'_>) -> Ty {
        match callee {
            Ty::Fn(def, receiver) => self.result(*def, receiver.as_deref(), call),
            Ty::Type(def, args) => self.made(*def, args, call),
            Ty::StdType(name, args) => self.rules(call.file).std_made(self, name, args, call),
            Ty::Std(OTHER, _) => callee.clone(),
            Ty::Std(SHARED, _) => self.call(callee.pointee(), call),
            Ty::StdFn(method, base) => self.rules(call.file).std_call(self, base, *method, call),
            Ty::Callable(_, result) => (**result).clone(),
            Ty::Closure(file, ix) => self.closure_result(*file, *ix),
            Ty::Union(parts) => {
                let found = parts.iter().map(|part| self.call(part, call)).collect();
                Ty::union(found)
            }
            Ty::External => Ty::External,
            _ => Ty::Unknown,
        }
    }

    /// Calling a type makes a value of it.
    fn made(&mut self, def: GDef, args: &Args, call: Call<'_>) -> Ty {
        let found = self.program.def(def);
        if found.kind == DefKind::Variant {
            return self.program.parent(def).map_or(Ty::Unknown, |of| Ty::Of(of, Arc::clone(args)));
        }
        if args.is_empty() && !found.type_params.is_empty() && !call.types.is_empty() {
            let args = call.types.iter().map(|&ty| self.ty(call.file, ty)).collect();
            return Ty::Of(def, args);
        }
        Ty::Of(def, Arc::clone(args))
    }

    pub fn closure_result(&mut self, file: u32, ix: ExprIx) -> Ty {
        match self.program.inside(file).expr(ix) {
            Expr::Closure { returns: Some(ty), .. } => self.ty(file, *ty),
            Expr::Closure { result: Some(result), .. } => self.expr(file, *result),
            _ => Ty::Unknown,
        }
    }

    /// What a function value gives when it is called.
    pub fn function_result(&mut self, ty: &Ty, file: u32) -> Ty {
        self.call(ty, Call { file, args: &[], types: &[] })
    }

    /// What a call of a definition gives, with type parameters filled in from receiver and arguments.
    fn result(&mut self, def: GDef, receiver: Option<&Ty>, call: Call<'_>) -> Ty {
        let declared = self.declared_result(def);
        if !has_params(&declared) {
            return declared;
        }
        let mut known = self.known_params(def, receiver);
        let (file, found) = (self.program.file_of(def), self.program.def(def));
        for (at, &ty) in call.types.iter().enumerate() {
            let ty = self.ty(call.file, ty);
            known.push((def, at as u32, ty));
        }
        for (param, &arg) in found.params.iter().zip(call.args) {
            let Some(ty) = param.ty else { continue };
            let declared = self.ty(file, ty);
            if has_params(&declared) {
                let actual = match self.expr(call.file, arg) {
                    Ty::Closure(file, ix) => {
                        Ty::Callable(Arc::new([]), Arc::new(self.closure_result(file, ix)))
                    }
                    Ty::Fn(def, _) => Ty::Callable(Arc::new([]), Arc::new(self.declared_result(def))),
                    other => other,
                };
                Ty::unify(&declared, &actual, &mut known);
                self.unify_bounds(&declared, &actual, &mut known);
            }
        }
        declared.substitute(&known)
    }

    /// A parameter bounded by a function type learns that type's result.
    fn unify_bounds(&mut self, declared: &Ty, actual: &Ty, known: &mut Vec<(GDef, u32, Ty)>) {
        let (Ty::Param(def, at), Ty::Callable(..)) = (declared, actual) else {
            return;
        };
        let file = self.program.file_of(*def);
        let Some(param) = self.program.def(*def).type_params.get(*at as usize) else {
            return;
        };
        for &bound in &param.bounds {
            let bound = self.ty(file, bound);
            Ty::unify(&bound, actual, known);
        }
    }

    /// The type that a callable says, or shows, that it returns.
    pub fn declared_result(&mut self, def: GDef) -> Ty {
        let (file, _) = self.program.local(def);
        let found = self.program.def(def);
        if let Some(ty) = found.returns {
            return self.ty(file, ty);
        }
        let (ty, _) = self.step((2, def.0, 0), |eval| {
            let results: Vec<Ty> = found
                .results
                .iter()
                .take(MAX_RESULTS)
                .filter_map(|&result| eval.value(file, result))
                .collect();
            eval.joined(file, results)
        });
        ty
    }

    /// Type parameters that a receiver fills in.
    pub fn known_params(&mut self, def: GDef, receiver: Option<&Ty>) -> Vec<(GDef, u32, Ty)> {
        let mut known = Vec::new();
        let Some(receiver) = receiver else { return known };
        if let (Ty::Of(of, args) | Ty::Type(of, args), Some(parent)) = (receiver, self.program.parent(def)) {
            for (at, arg) in args.iter().enumerate() {
                known.push((*of, at as u32, arg.clone()));
            }
            let container = self.program.def(parent);
            if let (DefKind::Impl, Some(of)) = (container.kind, container.of) {
                let declared = self.ty(self.program.file_of(parent), of);
                Ty::unify(&declared, &receiver.clone().instance(), &mut known);
            }
            known.push((parent, SELF_PARAM, receiver.clone().instance()));
        } else if let Some(parent) = self.program.parent(def) {
            known.push((parent, SELF_PARAM, receiver.clone().instance()));
        }
        known
    }
}

fn has_params(ty: &Ty) -> bool {
    match ty {
        Ty::Param(..) => true,
        Ty::Type(_, args) | Ty::Of(_, args) | Ty::Std(_, args) | Ty::StdType(_, args) => {
            args.iter().any(has_params)
        }
        Ty::Tuple(args) | Ty::Union(args) => args.iter().any(has_params),
        Ty::Callable(params, result) => params.iter().any(has_params) || has_params(result),
        _ => false,
    }
}
