//! Rules for a language nothing is known about: every name is unknown.

use crate::facts::{By, Scope};
use crate::resolve::eval::Eval;
use crate::resolve::program::{GDef, GName};
use crate::resolve::rules::{Access, Call, Rules};
use crate::resolve::ty::{Args, Ty};

pub(super) struct NoRules;

impl Rules for NoRules {
    fn name(&self, _: &mut Eval<'_, '_>, _: u32, _: Scope, _: GName) -> Ty {
        Ty::Unknown
    }

    fn path(&self, _: &mut Eval<'_, '_>, _: u32, _: Scope, _: &[GName], _: Vec<Ty>) -> Ty {
        Ty::Unknown
    }

    fn type_path(&self, _: &mut Eval<'_, '_>, _: u32, _: Scope, _: &[GName], _: Vec<Ty>) -> Ty {
        Ty::Unknown
    }

    fn assoc_type(&self, _: &mut Eval<'_, '_>, _: &Ty, _: GName) -> Ty {
        Ty::Unknown
    }

    fn member(&self, _: &mut Eval<'_, '_>, _: &Ty, _: GName, _: Access) -> Ty {
        Ty::Unknown
    }

    fn std_call(&self, _: &mut Eval<'_, '_>, _: &Ty, _: GName, _: Call<'_>) -> Ty {
        Ty::Unknown
    }

    fn std_made(&self, _: &mut Eval<'_, '_>, _: &'static str, _: &Args, _: Call<'_>) -> Ty {
        Ty::Unknown
    }

    fn out(&self, _: &mut Eval<'_, '_>, _: &Ty, _: By) -> Ty {
        Ty::Unknown
    }

    fn std_param(&self, _: &mut Eval<'_, '_>, _: &Ty, _: GName, _: Call<'_>, _: (u32, u32)) -> Ty {
        Ty::Unknown
    }

    fn this(&self, _: &mut Eval<'_, '_>, _: u32, _: Scope) -> Ty {
        Ty::Unknown
    }

    fn base(&self, _: &mut Eval<'_, '_>, _: u32, _: Scope) -> Ty {
        Ty::Unknown
    }

    fn constructor(&self, _: &mut Eval<'_, '_>, _: GDef) -> Option<GDef> {
        None
    }

    fn import(&self, _: &mut Eval<'_, '_>, _: u32, _: usize) -> Ty {
        Ty::Unknown
    }

    fn is_common_method(&self, _: &str) -> bool {
        true
    }
}
