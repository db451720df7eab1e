//! What a language tells the evaluator.

use crate::facts::{By, DefKind, ExprIx, Scope, TypeIx};
use crate::resolve::constants;
use crate::resolve::eval::Eval;
use crate::resolve::program::{GDef, GName, Place, Program};
use crate::resolve::ty::{Args, Ty};

/// What a language knows about names, members and its standard library. What it does not say is unknown.
pub(crate) trait Rules: Sync {
    /// A name that no local binding explains.
    fn name(&self, _eval: &mut Eval<'_, '_>, _file: u32, _scope: Scope, _name: GName) -> Ty {
        Ty::Unknown
    }

    /// A path of several names.
    fn path(
        &self,
        _eval: &mut Eval<'_, '_>,
        _file: u32,
        _scope: Scope,
        _path: &[GName],
        _args: Vec<Ty>,
    ) -> Ty {
        Ty::Unknown
    }

    /// A written type, as the value it describes.
    fn type_path(
        &self,
        _eval: &mut Eval<'_, '_>,
        _file: u32,
        _scope: Scope,
        _path: &[GName],
        _args: Vec<Ty>,
    ) -> Ty {
        Ty::Unknown
    }

    /// A type that belongs to another.
    fn assoc_type(&self, _eval: &mut Eval<'_, '_>, _of: &Ty, _name: GName) -> Ty {
        Ty::Unknown
    }

    /// `base.name`.
    fn member(&self, _eval: &mut Eval<'_, '_>, _base: &Ty, _name: GName, _access: Access) -> Ty {
        Ty::Unknown
    }

    /// The function that reading a member of an object runs; `skip` passes over the first classes of its line.
    fn property(&self, _eval: &mut Eval<'_, '_>, _of: &Ty, _name: GName, _skip: usize) -> Option<GDef> {
        None
    }

    /// What a call of a library method gives.
    fn std_call(&self, _eval: &mut Eval<'_, '_>, _base: &Ty, _method: GName, _call: Call<'_>) -> Ty {
        Ty::Unknown
    }

    /// What calling a library type gives.
    fn std_made(&self, _eval: &mut Eval<'_, '_>, _name: &'static str, _args: &Args, _call: Call<'_>) -> Ty {
        Ty::Unknown
    }

    /// What comes out of a value.
    fn out(&self, _eval: &mut Eval<'_, '_>, _of: &Ty, _by: By) -> Ty {
        Ty::Unknown
    }

    /// What a function given to a library method is called with.
    fn std_param(
        &self,
        _eval: &mut Eval<'_, '_>,
        _base: &Ty,
        _method: GName,
        _call: Call<'_>,
        _at: (u32, u32),
    ) -> Ty {
        Ty::Unknown
    }

    /// The current object.
    fn this(&self, _eval: &mut Eval<'_, '_>, _file: u32, _scope: Scope) -> Ty {
        Ty::Unknown
    }

    fn base(&self, _eval: &mut Eval<'_, '_>, _file: u32, _scope: Scope) -> Ty {
        Ty::Unknown
    }

    /// What `super().name` is.
    fn base_member(
        &self,
        eval: &mut Eval<'_, '_>,
        file: u32,
        scope: Scope,
        name: GName,
        access: Access,
    ) -> Ty {
        let base = self.base(eval, file, scope);
        eval.member(file, &base, name, access)
    }

    /// The functions one of which runs when a type is called.
    fn constructors(&self, _eval: &mut Eval<'_, '_>, _def: GDef) -> Vec<GDef> {
        Vec::new()
    }

    /// What runs when a constructor gives a member its first value: `: member(1)`.
    fn initialised(&self, _eval: &mut Eval<'_, '_>, _base: &Ty, _name: GName) -> Ty {
        Ty::Unknown
    }

    /// What an import brings in.
    fn import(&self, _eval: &mut Eval<'_, '_>, _file: u32, _at: usize) -> Ty {
        Ty::Unknown
    }

    /// The files of a package that a file sees when it imports it; the first of them stands for all.
    fn parts(&self, _program: &Program<'_>, _file: u32, _package: u32) -> Vec<u32> {
        Vec::new()
    }

    /// What runs when a module, or a value of a class, is called itself.
    fn called(&self, _eval: &mut Eval<'_, '_>, _callee: &Ty) -> Option<Ty> {
        None
    }

    /// The full names of the module or package that a file is, where its own words do not say them.
    fn packages(&self, _program: &Program<'_>, _file: u32) -> Vec<String> {
        Vec::new()
    }

    /// The module that an import names, or names an item of.
    fn module(&self, _eval: &Eval<'_, '_>, _file: u32, _at: usize) -> Option<Place> {
        None
    }

    /// The constant or variable that an import names.
    fn imported_constant(&self, eval: &mut Eval<'_, '_>, file: u32, at: usize) -> Option<GDef> {
        constants::imported_by(eval, file, at)
    }

    /// Where an import takes something from, whatever that is.
    fn imported_from(&self, eval: &mut Eval<'_, '_>, file: u32, at: usize) -> Option<Place> {
        self.module(eval, file, at)
    }

    /// The constant that a path names, in a language whose paths lead through modules.
    fn path_constant(&self, _: &mut Eval<'_, '_>, _file: u32, _: Scope, _: &[GName]) -> Option<GDef> {
        None
    }

    /// A constant or variable that a place itself defines.
    fn constant(&self, program: &Program<'_>, place: Place, name: GName) -> Option<GDef> {
        let items = program.items(place, name).iter().copied();
        items.into_iter().find(|&def| program.def(def).kind == DefKind::Constant)
    }

    /// A name for a type that a place itself defines.
    fn alias(&self, program: &Program<'_>, place: Place, name: GName) -> Option<GDef> {
        let items = program.items(place, name).iter().copied();
        items.into_iter().find(|&def| program.def(def).kind == DefKind::TypeAlias)
    }

    /// Where else a type is written, in a language that lets it be written in parts.
    fn other_parts(&self, _program: &Program<'_>, _def: GDef) -> Vec<GDef> {
        Vec::new()
    }

    /// How functions take what they are given.
    fn parameters(&self) -> Parameters {
        Parameters::default()
    }

    /// Whether a name may hold values of any types, one after the other.
    fn is_dynamic(&self) -> bool {
        false
    }

    /// Functions that a bare name may mean though nothing in sight says so.
    fn guesses(&self, _program: &Program<'_>, _file: u32, _scope: Scope, _name: GName) -> Vec<GDef> {
        Vec::new()
    }

    /// Whether a bare call of this method name says nothing about its target.
    fn is_common_method(&self, _name: &str) -> bool {
        true
    }
}

/// How the functions of a language take what they are given, as far as that tells which of several is meant.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Parameters {
    /// What is written where the last parameter stands for as many as are given.
    pub any_number: Option<&'static str>,
    /// Whether all must be given: a function with another number of them is not meant.
    pub all_given: bool,
    pub written_as_class: WrittenAsClass,
    /// Whether classes copy their values without a constructor that says so, and take what a constructor of theirs takes.
    pub converts: bool,
}

impl Parameters {
    pub const PLAIN: Self = Self {
        any_number: None,
        all_given: false,
        written_as_class: WrittenAsClass::Nothing,
        converts: false,
    };
}

/// Which constructor is no function of its own but the head of its class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum WrittenAsClass {
    #[default]
    Nothing,
    /// That of a record, unless it is written without parameters of its own.
    Records,
    /// The first of every class.
    First,
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
