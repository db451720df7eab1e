//! What a language tells the evaluator.

use crate::facts::{By, ExprIx, Scope, TypeIx};
use crate::resolve::eval::Eval;
use crate::resolve::program::{GDef, GName};
use crate::resolve::ty::{Args, Ty};

/// What a language knows about names, members and its standard library.
pub(crate) trait Rules: Sync {
    /// A name that no local binding explains.
    fn name(&self, eval: &mut Eval<'_, '_>, file: u32, scope: Scope, name: GName) -> Ty;
    /// A path of several names.
    fn path(&self, eval: &mut Eval<'_, '_>, file: u32, scope: Scope, path: &[GName], args: Vec<Ty>) -> Ty;
    /// A written type, as the value it describes.
    fn type_path(
        &self,
        eval: &mut Eval<'_, '_>,
        file: u32,
        scope: Scope,
        path: &[GName],
        args: Vec<Ty>,
    ) -> Ty;
    /// A type that belongs to another.
    fn assoc_type(&self, eval: &mut Eval<'_, '_>, of: &Ty, name: GName) -> Ty;
    /// `base.name`.
    fn member(&self, eval: &mut Eval<'_, '_>, base: &Ty, name: GName, access: Access) -> Ty;
    /// What a call of a library method gives.
    fn std_call(&self, eval: &mut Eval<'_, '_>, base: &Ty, method: GName, call: Call<'_>) -> Ty;
    /// What calling a library type gives.
    fn std_made(&self, eval: &mut Eval<'_, '_>, name: &'static str, args: &Args, call: Call<'_>) -> Ty;
    /// What comes out of a value.
    fn out(&self, eval: &mut Eval<'_, '_>, of: &Ty, by: By) -> Ty;
    /// What a function given to a library method is called with.
    fn std_param(
        &self,
        eval: &mut Eval<'_, '_>,
        base: &Ty,
        method: GName,
        call: Call<'_>,
        at: (u32, u32),
    ) -> Ty;
    /// The current object.
    fn this(&self, eval: &mut Eval<'_, '_>, file: u32, scope: Scope) -> Ty;
    fn base(&self, eval: &mut Eval<'_, '_>, file: u32, scope: Scope) -> Ty;
    /// The function that runs when a type is called.
    fn constructor(&self, eval: &mut Eval<'_, '_>, def: GDef) -> Option<GDef>;
    /// What an import brings in.
    fn import(&self, eval: &mut Eval<'_, '_>, file: u32, at: usize) -> Ty;
    /// Whether a bare call of this method name says nothing about its target.
    fn is_common_method(&self, name: &str) -> bool;
}

/// Whether a member is called or read: a field and a method may share a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Call,
    Read,
}

/// A call being evaluated.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    pub file: u32,
    pub args: &'a [ExprIx],
    pub types: &'a [TypeIx],
}
