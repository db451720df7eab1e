//! Evaluates expressions to types, lazily, with a memo and without caring in which order it is asked.

use std::cell::RefCell;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::{Binding, By, Expr, ExprIx, Name, Scope, TypeExpr, TypeIx};
use crate::resolve::program::{GDef, GName, Place, Program};
use crate::resolve::rules::{Access, Call, Rules};
use crate::resolve::ty::{OTHER, SHARED, Ty};

/// Chains of calls and assignments longer than this are not followed; no measured program needs it.
const MAX_DEPTH: usize = 120;
/// A name that branches give more values is not looked at further.
const MAX_VALUES: usize = 6;

/// After so many steps a question goes in circles: from then on what it looked at is not looked at again.
const MAX_STEPS: u32 = 2_000;

/// What a function gives at more places is not looked at further.
pub(crate) const MAX_RESULTS: usize = 8;
/// Nor what a field is given at more places.
pub(crate) const MAX_GIVEN: usize = 24;
/// A field that is given more different things than this may be anything.
const MAX_TYPES: usize = 6;

pub(crate) struct Eval<'p, 'f> {
    pub program: &'p Program<'f>,
    pub rules: &'p [&'p dyn Rules],
    exprs: FxHashMap<(u32, ExprIx), Ty>,
    types: FxHashMap<(u32, TypeIx), Ty>,
    open: Vec<(u32, u32, u32)>,
    /// Places that the current step searched for a name in vain, so that imports of everything that lead
    /// back to each other are followed once.
    searched: FxHashSet<(Place, GName, bool)>,
    /// How often an answer was cut short by a circle or by the depth limit.
    cuts: u64,
    /// Steps of the question that is being answered.
    steps: u32,
    /// What a question that takes too many steps found on its way and would not keep.
    passing: FxHashMap<(u32, u32, u32), Ty>,
    /// The file in which a member is asked for.
    pub asked_in: u32,
    /// The constant, or the alias, that a name brought into a file leads to, as far as that was asked for.
    pub named: FxHashMap<(u32, GName, bool), Option<GDef>>,
    /// What the modules of imports are, by file and position, as far as that was asked for.
    modules: RefCell<FxHashMap<(u32, usize), Ty>>,
}

/// Whether a name was given one of its values wherever it is asked for, or only in some branches.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Held {
    Certainly,
    Perhaps,
}

impl<'p, 'f> Eval<'p, 'f> {
    /// `rules` has one entry per file.
    pub fn new(program: &'p Program<'f>, rules: &'p [&'p dyn Rules]) -> Self {
        Self {
            program,
            rules,
            exprs: FxHashMap::default(),
            types: FxHashMap::default(),
            open: Vec::new(),
            searched: FxHashSet::default(),
            cuts: 0,
            steps: 0,
            passing: FxHashMap::default(),
            asked_in: 0,
            named: FxHashMap::default(),
            modules: RefCell::default(),
        }
    }

    pub fn rules(&self, file: u32) -> &'p dyn Rules {
        self.rules[file as usize]
    }

    /// Whether no evaluation is under way, which a circle could cut short.
    pub fn is_idle(&self) -> bool {
        self.open.is_empty()
    }

    /// The module that an import names, which is looked up once: only the files that there are decide it.
    pub fn module(&self, file: u32, at: usize, find: impl FnOnce() -> Ty) -> Ty {
        if let Some(known) = self.modules.borrow().get(&(file, at)) {
            return known.clone();
        }
        let found = find();
        self.modules.borrow_mut().insert((file, at), found.clone());
        found
    }

    /// Runs one step of an evaluation unless it is already under way.
    ///
    /// A result that was cut short is only kept by the question that started the evaluation, so that
    /// every kept answer is the same whichever question came first. Names that give each other their values would be
    /// looked at again on every way that leads to them, so a question that takes too many steps keeps what it found
    /// until it is answered.
    pub(super) fn step(&mut self, key: (u32, u32, u32), work: impl FnOnce(&mut Self) -> Ty) -> (Ty, bool) {
        if self.open.is_empty() {
            self.steps = 0;
            self.passing.clear();
        }
        self.steps += 1;
        if self.open.len() >= MAX_DEPTH || self.open.contains(&key) {
            self.cuts += 1;
            return (Ty::Unknown, false);
        }
        if let Some(found) = self.passing.get(&key) {
            self.cuts += 1;
            return (found.clone(), false);
        }
        let before = self.cuts;
        self.open.push(key);
        let searched = std::mem::take(&mut self.searched);
        let ty = work(self);
        self.searched = searched;
        self.open.pop();
        let is_whole = self.cuts == before || self.open.is_empty();
        if !is_whole && self.steps > MAX_STEPS {
            self.passing.insert(key, ty.clone());
        }
        (ty, is_whole)
    }

    /// Searches a place for a name, unless this step did so before without finding it.
    pub fn search_once(
        &mut self,
        place: Place,
        name: GName,
        among_types: bool,
        search: impl FnOnce(&mut Self) -> Option<Ty>,
    ) -> Option<Ty> {
        let key = (place, name, among_types);
        if !self.searched.insert(key) {
            return None;
        }
        let found = search(self);
        if found.is_some() {
            self.searched.remove(&key);
        }
        found
    }

    pub fn expr(&mut self, file: u32, ix: ExprIx) -> Ty {
        if let Some(known) = self.exprs.get(&(file, ix)) {
            return known.clone();
        }
        let (ty, whole) = self.step((0, file, ix.0), |eval| eval.expr_now(file, ix));
        if whole {
            self.exprs.insert((file, ix), ty.clone());
        }
        ty
    }

    fn expr_now(&mut self, file: u32, ix: ExprIx) -> Ty {
        let Some(expr) = self.program.inside(file).exprs.get(ix.0 as usize) else {
            return Ty::Unknown;
        };
        let rules = self.rules(file);
        match expr {
            Expr::Unknown => Ty::Unknown,
            Expr::Name { name, at, scope } => {
                if let Some(bound) = self.binding(file, *scope, *name, *at) {
                    return bound;
                }
                let name = self.program.name(file, *name);
                rules.name(self, file, *scope, name)
            }
            Expr::Path { segments, args, scope, .. } => {
                let path: Vec<GName> = segments.iter().map(|&s| self.program.name(file, s)).collect();
                let args = args.iter().map(|&arg| self.ty(file, arg)).collect();
                rules.path(self, file, *scope, &path, args)
            }
            Expr::Member { of, name } => {
                let base = match self.ty(file, *of) {
                    Ty::Of(def, args) => Ty::Type(def, args),
                    Ty::Std(name, args) => Ty::StdType(name, args),
                    other => other,
                };
                let name = self.program.name(file, *name);
                rules.member(self, &base, name, Access::Call)
            }
            Expr::This { scope } => rules.this(self, file, *scope),
            Expr::Super { scope } => rules.base(self, file, *scope),
            Expr::Field { base, name } => self.field_of(file, *base, *name, Access::Read),
            Expr::Call { callee, args, types } => {
                let callee = self.callee(file, *callee);
                self.call(&callee, Call { file, args, types })
            }
            Expr::Index { base } => {
                let base = self.expr(file, *base);
                match base.pointee() {
                    Ty::Tuple(parts) => parts.first().cloned().unwrap_or(Ty::Unknown),
                    base => self.element(file, base),
                }
            }
            Expr::Of { ty } => self.ty(file, *ty),
            Expr::Out { of, by } => {
                if let (By::Maker, Expr::Field { base, name }) = (by, self.program.inside(file).expr(*of)) {
                    let base = self.expr(file, *base);
                    let name = self.program.name(file, *name);
                    return rules.initialised(self, &base, name);
                }
                let of = self.expr(file, *of);
                self.out(file, &of, *by)
            }
            Expr::Part { of, index } => match self.expr(file, *of).pointee() {
                Ty::Tuple(parts) => parts.get(*index as usize).cloned().unwrap_or(Ty::Unknown),
                Ty::External => Ty::External,
                Ty::Unknown => Ty::Unknown,
                other => self.element(file, other),
            },
            Expr::Payload { variant, of, index } => self.payload(file, *variant, *of, *index),
            Expr::ArgOf { call, arg, param } => self.parameter_of_argument(file, *call, *arg, *param),
            Expr::Closure { .. } => Ty::Closure(file, ix),
            Expr::Object(_) => Ty::Object(file, ix),
            Expr::Def(def) => {
                let def = self.program.global(file, *def);
                match self.program.def(def).kind.is_type() {
                    true => Ty::Type(def, Arc::new([])),
                    false => Ty::Fn(def, None),
                }
            }
            Expr::Import(at) => rules.import(self, file, *at as usize),
            Expr::Tuple(parts) => Ty::Tuple(parts.iter().map(|&part| self.expr(file, part)).collect()),
            Expr::List(parts) => {
                let parts = parts.iter().take(4).map(|&part| self.expr(file, part)).collect();
                Ty::std("List", [Ty::union(parts)])
            }
            Expr::Any(parts) => {
                let parts: Vec<Ty> =
                    parts.iter().take(8).filter_map(|&part| self.value(file, part)).collect();
                self.joined(file, parts)
            }
            Expr::Text => Ty::std("Text", []),
            Expr::Number => Ty::std("Number", []),
            Expr::Bool => Ty::std("Bool", []),
        }
    }

    /// What stands before the brackets of a call.
    pub fn callee(&mut self, file: u32, ix: ExprIx) -> Ty {
        let found = match self.program.inside(file).expr(ix) {
            Expr::Field { base, name } => self.field_of(file, *base, *name, Access::Call),
            _ => self.expr(file, ix),
        };
        match found.pointee() {
            Ty::Place(_) | Ty::Of(..) => self.rules(file).called(self, &found).unwrap_or(found),
            _ => found,
        }
    }

    fn field_of(&mut self, file: u32, base: ExprIx, name: Name, access: Access) -> Ty {
        let name = self.program.name(file, name);
        if let Expr::Super { scope } = self.program.inside(file).expr(base) {
            return self.rules(file).base_member(self, file, *scope, name, access);
        }
        let base = self.expr(file, base);
        self.member(file, &base, name, access)
    }

    /// The type a written type describes a value of.
    pub fn ty(&mut self, file: u32, ix: TypeIx) -> Ty {
        if let Some(known) = self.types.get(&(file, ix)) {
            return known.clone();
        }
        let (ty, whole) = self.step((1, file, ix.0), |eval| eval.ty_now(file, ix));
        if whole {
            self.types.insert((file, ix), ty.clone());
        }
        ty
    }

    fn ty_now(&mut self, file: u32, ix: TypeIx) -> Ty {
        let facts = self.program.files[file as usize];
        let rules = self.rules(file);
        match &facts.types[ix.0 as usize] {
            TypeExpr::Unknown => Ty::Unknown,
            TypeExpr::Path { segments, args, scope, .. } => {
                let path: Vec<GName> = segments.iter().map(|&s| self.program.name(file, s)).collect();
                let args = args.iter().map(|&arg| self.ty(file, arg)).collect();
                rules.type_path(self, file, *scope, &path, args)
            }
            TypeExpr::Assoc { of, name } => {
                let of = self.ty(file, *of);
                let name = self.program.name(file, *name);
                rules.assoc_type(self, &of, name)
            }
            TypeExpr::SelfType { scope } => rules.this(self, file, *scope),
            TypeExpr::Ref(of) => self.ty(file, *of),
            TypeExpr::Tuple(parts) => Ty::Tuple(parts.iter().map(|&part| self.ty(file, part)).collect()),
            TypeExpr::List(of) => Ty::std("List", [self.ty(file, *of)]),
            TypeExpr::Bounds(parts) | TypeExpr::Union(parts) => {
                Ty::union(parts.iter().map(|&part| self.ty(file, part)).collect())
            }
            TypeExpr::Function { params, result } => {
                let params = params.iter().map(|&param| self.ty(file, param)).collect();
                let result = result.map_or(Ty::External, |result| self.ty(file, result));
                Ty::Callable(params, Arc::new(result))
            }
            TypeExpr::Object(_) => Ty::Shape(file, ix),
            TypeExpr::ValueOf(value) => self.expr(file, *value),
            TypeExpr::Text => Ty::std("Text", []),
            TypeExpr::Number => Ty::std("Number", []),
            TypeExpr::Bool => Ty::std("Bool", []),
        }
    }

    /// The value of a local name at a byte of a file.
    fn binding(&mut self, file: u32, scope: Scope, name: crate::facts::Name, at: u32) -> Option<Ty> {
        let facts = self.program.files[file as usize];
        let mut around = scope;
        loop {
            let owner = around.filter(|&ix| facts.def(ix).kind.is_callable());
            if owner.is_some() || around.is_none() {
                let same = self.program.bindings(file, owner, name);
                let found: Vec<&Binding> = same.filter(|b| b.from <= at && at < b.to).collect();
                if let Some((ty, held)) = self.last_value(file, &found, at) {
                    return Some(match held {
                        Held::Certainly => ty,
                        Held::Perhaps => self.or_imported(file, owner, name, ty),
                    });
                }
                if owner.is_some_and(|ix| self.program.is_named_in(file, ix, name)) {
                    return None;
                }
            }
            around = facts.def(around?).parent;
        }
    }

    /// The last value that a name is given at the top of a file.
    pub fn top_binding(&mut self, file: u32, name: GName) -> Option<Ty> {
        let local = self.program.local_name(file, name)?;
        let found: Vec<&Binding> = self.program.bindings(file, None, local).collect();
        self.last_value(file, &found, u32::MAX - 1).map(|(ty, _)| ty)
    }

    /// A value that a name has in some branches only; in the others it may be what is imported there under that name.
    fn or_imported(&mut self, file: u32, owner: Scope, name: Name, ty: Ty) -> Ty {
        let name = self.program.name(file, name);
        let place = owner.map_or(Place::File(file), |ix| Place::Def(self.program.global(file, ix)));
        let rules = self.rules(file);
        if !rules.is_dynamic() || self.program.imports(place, name).is_empty() {
            return ty;
        }
        match (ty, rules.name(self, file, owner, name)) {
            (ty, Ty::Unknown) => ty,
            (Ty::Unknown, imported) => imported,
            (ty, imported) => Ty::join(vec![imported, ty]),
        }
    }

    /// What a name was given last before a byte: one value, or every one that a branch may have left standing.
    fn last_value(&mut self, file: u32, found: &[&Binding], at: u32) -> Option<(Ty, Held)> {
        let (mut values, mut is_bound, mut held) = (Vec::new(), false, Held::Perhaps);
        for binding in found.iter().rev().take(MAX_VALUES) {
            let declared = binding.ty.map_or(Ty::Unknown, |ty| self.ty(file, ty));
            is_bound = true;
            values.extend(match (declared, binding.value) {
                (Ty::Unknown, Some(value)) => self.value(file, value),
                (declared, _) => Some(declared),
            });
            // Outside of every branch, or still inside of its own.
            if binding.until == binding.to || at < binding.until {
                held = Held::Certainly;
                break;
            }
        }
        is_bound.then(|| (self.joined(file, values), held))
    }

    /// A value as one of several: nothing where it is none, or where it is asked for in a circle, which adds nothing
    /// to the others.
    pub(super) fn value(&mut self, file: u32, ix: ExprIx) -> Option<Ty> {
        if matches!(self.program.inside(file).expr(ix), Expr::Any(parts) if parts.is_empty()) {
            return None;
        }
        let before = self.cuts;
        let ty = self.expr(file, ix);
        (!ty.is_unknown() || self.cuts == before).then_some(ty)
    }

    /// One of several values.
    pub(super) fn joined(&self, file: u32, mut values: Vec<Ty>) -> Ty {
        match (values.len(), self.rules(file).is_dynamic()) {
            (1, _) => values.swap_remove(0),
            (_, true) => Ty::join(values),
            (_, false) => Ty::union(values),
        }
    }

    pub fn member(&mut self, file: u32, base: &Ty, name: GName, access: Access) -> Ty {
        match base {
            Ty::Unknown => Ty::Unknown,
            Ty::External => Ty::External,
            Ty::Std(OTHER, _) => base.clone(),
            Ty::Union(parts) => {
                let found: Vec<Ty> = parts.iter().map(|part| self.member(file, part, name, access)).collect();
                Ty::union(found)
            }
            Ty::Object(at, ix) => match self.object_member(*at, *ix, name) {
                // Something may have been added to it later.
                Ty::Unknown => self.rules(file).member(self, base, name, access),
                found => found,
            },
            Ty::Shape(file, ix) => self.shape_member(*file, *ix, name),
            base => {
                let before = std::mem::replace(&mut self.asked_in, file);
                let found = self.rules(file).member(self, base, name, access);
                self.asked_in = before;
                found
            }
        }
    }

    pub fn out(&mut self, file: u32, of: &Ty, by: By) -> Ty {
        match of {
            Ty::Unknown | Ty::External | Ty::Std(OTHER, _) => of.clone(),
            Ty::Std(SHARED, _) if by != By::Await => self.out(file, of.pointee(), by),
            Ty::Union(parts) => {
                let found: Vec<Ty> = parts.iter().map(|part| self.out(file, part, by)).collect();
                Ty::union(found)
            }
            of => self.rules(file).out(self, of, by),
        }
    }

    /// What an index into a value gives.
    pub fn element(&mut self, file: u32, of: &Ty) -> Ty {
        match of.pointee() {
            Ty::Std("Map", args) => args.get(1).cloned().unwrap_or(Ty::Unknown),
            of => self.out(file, of, By::Iteration),
        }
    }

    /// The type of a field, with the owner's type parameters filled in.
    pub fn field(&mut self, owner: GDef, args: &[Ty], name: GName) -> Option<Ty> {
        let file = self.program.file_of(owner);
        let def = self.program.def(owner);
        let (mut found, mut is_there, mut looked) = (Vec::new(), false, 0);
        for field in def.fields.iter().filter(|field| self.program.name(file, field.name) == name) {
            match (field.ty, field.value) {
                // The first type that is written is the one that counts.
                (Some(ty), _) => {
                    found = vec![self.ty(file, ty)];
                    is_there = true;
                    break;
                }
                (None, Some(value)) if found.len() < MAX_TYPES && looked < MAX_GIVEN => {
                    looked += 1;
                    let given = self.value(file, value);
                    found.extend(given.filter(|given| !found.contains(given)));
                }
                _ => {}
            }
            is_there = true;
        }
        if !is_there {
            return None;
        }
        if self.rules(file).is_dynamic() {
            found = vec![Ty::join(found)];
        }
        // A field that is given something of the library in one place and something of ours in another may be either.
        if found.iter().any(|ty| !matches!(ty, Ty::External | Ty::Unknown)) {
            for ty in found.iter_mut().filter(|ty| **ty == Ty::External) {
                *ty = Ty::std(OTHER, []);
            }
        }
        let known: Vec<(GDef, u32, Ty)> =
            args.iter().enumerate().map(|(at, arg)| (owner, at as u32, arg.clone())).collect();
        Some(Ty::union(found).substitute(&known))
    }

    fn payload(&mut self, file: u32, variant: ExprIx, of: ExprIx, index: u32) -> Ty {
        let ty = self.expr(file, variant);
        let args = match self.expr(file, of).pointee() {
            Ty::Of(_, args) => Arc::clone(args),
            _ => Arc::new([]),
        };
        match ty {
            Ty::Type(def, _) => {
                let owner = self.program.parent(def).unwrap_or(def);
                let def_file = self.program.file_of(def);
                let Some(field) = self.program.def(def).fields.get(index as usize) else {
                    return Ty::Unknown;
                };
                let known: Vec<(GDef, u32, Ty)> =
                    args.iter().enumerate().map(|(at, arg)| (owner, at as u32, arg.clone())).collect();
                field.ty.map_or(Ty::Unknown, |ty| self.ty(def_file, ty)).substitute(&known)
            }
            Ty::External => Ty::External,
            _ => Ty::Unknown,
        }
    }

    /// What the n-th parameter of a function given to a call is.
    fn parameter_of_argument(&mut self, file: u32, call: ExprIx, arg: u32, param: u32) -> Ty {
        let calls = &self.program.inside(file).exprs;
        let Some(Expr::Call { callee, args, types }) = calls.get(call.0 as usize) else {
            return Ty::Unknown;
        };
        let call = Call { file, args, types };
        match self.callee(file, *callee) {
            Ty::StdFn(method, base) => self.rules(file).std_param(self, &base, method, call, (arg, param)),
            Ty::Fn(def, receiver) => {
                let def_file = self.program.file_of(def);
                let found = self.program.def(def);
                let Some(ty) = found.params.get(arg as usize).and_then(|param| param.ty) else {
                    return Ty::Unknown;
                };
                let mut declared = self.ty(def_file, ty);
                if let Ty::Param(owner, at) = declared {
                    let bounds = self.program.def(owner).type_params.get(at as usize);
                    let bounds = bounds.map(|param| param.bounds.clone()).unwrap_or_default();
                    let owner_file = self.program.file_of(owner);
                    declared = Ty::union(bounds.into_iter().map(|b| self.ty(owner_file, b)).collect());
                }
                let wanted = callable_param(&declared, param);
                let known = self.known_params(def, receiver.as_deref());
                wanted.substitute(&known)
            }
            Ty::External => Ty::External,
            _ => Ty::Unknown,
        }
    }
}

fn callable_param(ty: &Ty, at: u32) -> Ty {
    match ty {
        Ty::Callable(params, _) => params.get(at as usize).cloned().unwrap_or(Ty::Unknown),
        Ty::Union(parts) => Ty::union(parts.iter().map(|part| callable_param(part, at)).collect()),
        Ty::Std(_, args) => {
            args.iter().map(|arg| callable_param(arg, at)).find(|ty| !ty.is_unknown()).unwrap_or(Ty::Unknown)
        }
        _ => Ty::Unknown,
    }
}
