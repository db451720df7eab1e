//! How names, paths and members are found in Rust.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::crates::{Crates, Extern};
use super::library;
use super::tables::Tables;
use super::{macros, visible};
use crate::facts::{By, DefKind, Scope};
use crate::resolve::eval::Eval;
use crate::resolve::program::{GDef, GName, Place, Program};
use crate::resolve::rules::{Access, Call, Rules};
use crate::resolve::ty::{Args, SELF_PARAM, SHARED, Ty};

/// Re-exports and aliases are followed this far.
pub(super) const MAX_HOPS: u32 = 24;

#[derive(Default)]
pub(crate) struct RustRules {
    pub(super) crates: Crates,
    pub(super) tables: Tables,
    /// Macros by name.
    pub(super) macros: FxHashMap<GName, Vec<GDef>>,
}

/// Whether a name is looked up among values or among types and modules.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    Value,
    Type,
}

impl RustRules {
    pub(crate) fn of(program: &Program<'_>) -> Self {
        let first = Self { crates: Crates::of(program), ..Self::default() };
        let tables = {
            let rules: Vec<&dyn Rules> = program.files.iter().map(|_| &first as &dyn Rules).collect();
            Tables::read(&mut Eval::new(program, &rules))
        };
        Self { crates: first.crates, tables, macros: visible::macros(program) }
    }

    /// A name as seen from inside a scope.
    fn scoped(
        &self,
        eval: &mut Eval<'_, '_>,
        file: u32,
        scope: Scope,
        name: GName,
        need: Need,
        hops: u32,
    ) -> Ty {
        let program = eval.program;
        let mut around = scope;
        while let Some(ix) = around {
            let def = program.files[file as usize].def(ix);
            let global = program.global(file, ix);
            if need == Need::Type
                && let Some(at) = def.type_params.iter().position(|p| program.name(file, p.name) == name)
            {
                return Ty::Param(global, at as u32);
            }
            if matches!(def.kind, DefKind::Module | DefKind::Function | DefKind::Method) {
                if let Some(found) = self.item(eval, Place::Def(global), name, need, hops) {
                    return found;
                }
                if def.kind == DefKind::Module {
                    return self.outside(eval, file, name);
                }
            }
            around = def.parent;
        }
        match self.item(eval, Place::File(file), name, need, hops) {
            Some(found) => found,
            None => self.outside(eval, file, name),
        }
    }

    /// A name that no module around declares: a crate, or the prelude.
    fn outside(&self, eval: &Eval<'_, '_>, file: u32, name: GName) -> Ty {
        let text = eval.program.text(name);
        match self.crates.external(file, text) {
            Extern::Ours(root) => Ty::Place(Place::File(root)),
            Extern::Theirs => Ty::External,
            Extern::NotACrate => library::prelude(text),
        }
    }

    /// An item of a module, declared there or imported into it.
    ///
    /// An import that needs the very name it is to explain finds nothing and looks further out.
    fn item(&self, eval: &mut Eval<'_, '_>, place: Place, name: GName, need: Need, hops: u32) -> Option<Ty> {
        let among_types = need == Need::Type;
        eval.search_once(place, name, among_types, |eval| self.item_now(eval, place, name, need, hops))
    }

    fn item_now(
        &self,
        eval: &mut Eval<'_, '_>,
        place: Place,
        name: GName,
        need: Need,
        hops: u32,
    ) -> Option<Ty> {
        if hops == 0 {
            return None;
        }
        let program = eval.program;
        let fits = |def: &GDef| match (need, program.def(*def).kind) {
            (Need::Value, _) if macros::is_macro(program.def(*def)) => false,
            (Need::Value, kind) => matches!(
                kind,
                DefKind::Function | DefKind::Constant | DefKind::Struct | DefKind::Variant | DefKind::Method
            ),
            (Need::Type, kind) => kind.is_type() || kind == DefKind::Module,
        };
        let declared: Vec<GDef> = program.items(place, name).iter().copied().filter(fits).collect();
        if !declared.is_empty() {
            let found = declared.into_iter().map(|def| self.def(eval, def)).collect();
            return Some(Ty::union(found));
        }
        let mut external = None;
        for &(file, at) in program.imports(place, name) {
            let import = &program.files[file as usize].imports[at as usize];
            let path: Vec<GName> = import.path.iter().map(|&part| program.name(file, part)).collect();
            // `use name;` would find itself.
            let found = match path[..] {
                [only] if only == name => self.outside(eval, file, name),
                _ => self.find(eval, file, import.scope, &path, need, hops - 1),
            };
            match found {
                Ty::Unknown => {}
                Ty::External => external = Some(Ty::External),
                found => return Some(found),
            }
        }
        if external.is_some() {
            return external;
        }
        if need == Need::Type
            && let Some(&file) = self.crates.undeclared.get(&(place, program.text(name).to_owned()))
        {
            return Some(Ty::Place(Place::File(file)));
        }
        for &(file, at) in program.globs(place) {
            let import = &program.files[file as usize].imports[at as usize];
            let path: Vec<GName> = import.path.iter().map(|&part| program.name(file, part)).collect();
            let from = self.find(eval, file, import.scope, &path, Need::Type, hops - 1);
            let found = match from {
                Ty::Place(other) if other != place => self.item(eval, other, name, need, hops - 1),
                Ty::Type(def, _) if program.def(def).kind == DefKind::Enum => {
                    self.item(eval, Place::Def(def), name, need, hops - 1)
                }
                _ => None,
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// What a definition stands for when it is named.
    fn def(&self, eval: &mut Eval<'_, '_>, def: GDef) -> Ty {
        let found = eval.program.def(def);
        match found.kind {
            DefKind::Function | DefKind::Method => Ty::Fn(def, None),
            DefKind::Constant => found.of.map_or(Ty::Unknown, |ty| eval.ty(eval.program.file_of(def), ty)),
            DefKind::Module => match self.crates.module_file.get(&def) {
                Some(&file) => Ty::Place(Place::File(file)),
                None => Ty::Place(Place::Def(def)),
            },
            DefKind::TypeAlias => match found.of.map(|ty| eval.ty(eval.program.file_of(def), ty)) {
                Some(Ty::Of(of, args)) => Ty::Type(of, args),
                Some(Ty::Std(name, args)) => Ty::StdType(name, args),
                Some(other) => other,
                None => Ty::Type(def, Arc::new([])),
            },
            DefKind::Impl => Ty::Unknown,
            _ => Ty::Type(def, Arc::new([])),
        }
    }

    /// A whole path.
    pub(super) fn find(
        &self,
        eval: &mut Eval<'_, '_>,
        file: u32,
        scope: Scope,
        path: &[GName],
        need: Need,
        hops: u32,
    ) -> Ty {
        let Some((&first, rest)) = path.split_first() else {
            return Ty::Place(self.module(eval, file, scope));
        };
        if hops == 0 {
            return Ty::Unknown;
        }
        let first_need = if rest.is_empty() { need } else { Need::Type };
        let mut at = match eval.program.text(first) {
            "crate" | "$crate" => Ty::Place(Place::File(self.crates.root_of[file as usize])),
            "self" => Ty::Place(self.module(eval, file, scope)),
            "super" => self.above(eval, self.module(eval, file, scope)),
            "Self" => match self.this(eval, file, scope) {
                Ty::Of(def, args) => Ty::Type(def, args),
                Ty::Std(name, args) => Ty::StdType(name, args),
                other => other,
            },
            "" => match rest.first().map(|&name| self.crates.external(file, eval.program.text(name))) {
                Some(Extern::Ours(root)) => {
                    return self.below(eval, Ty::Place(Place::File(root)), &rest[1..], need, hops);
                }
                _ => Ty::External,
            },
            _ => self.scoped(eval, file, scope, first, first_need, hops),
        };
        if at.is_unknown() && rest.is_empty() && need == Need::Type {
            at = library::named_type(eval.program.text(first), Vec::new());
        }
        self.below(eval, at, rest, need, hops)
    }

    /// The rest of a path below what its start names.
    fn below(&self, eval: &mut Eval<'_, '_>, start: Ty, rest: &[GName], need: Need, hops: u32) -> Ty {
        let mut at = start;
        for (position, &name) in rest.iter().enumerate() {
            let need = if position + 1 == rest.len() { need } else { Need::Type };
            at = match at {
                Ty::Place(place) => match eval.program.text(name) {
                    "super" => self.above(eval, place),
                    "self" => Ty::Place(place),
                    _ => self.item(eval, place, name, need, hops).unwrap_or(Ty::Unknown),
                },
                Ty::External if position + 1 == rest.len() => {
                    match library::named_type(eval.program.text(name), Vec::new()) {
                        Ty::Unknown => Ty::External,
                        known => known,
                    }
                }
                // What is below a module of another crate is of that crate.
                Ty::External => Ty::External,
                other => self.member(eval, &other, name, Access::Call),
            };
        }
        at
    }

    /// The module a scope lies in.
    pub(super) fn module(&self, eval: &Eval<'_, '_>, file: u32, scope: Scope) -> Place {
        let facts = eval.program.files[file as usize];
        let mut around = scope;
        while let Some(ix) = around {
            if facts.def(ix).kind == DefKind::Module {
                return Place::Def(eval.program.global(file, ix));
            }
            around = facts.def(ix).parent;
        }
        Place::File(file)
    }

    fn above(&self, eval: &Eval<'_, '_>, place: Place) -> Ty {
        let parent = match place {
            Place::File(file) => self.crates.parent_of[file as usize],
            Place::Def(def) => {
                let (file, ix) = eval.program.local(def);
                Some(self.module(eval, file, eval.program.files[file as usize].def(ix).parent))
            }
            Place::Package(_) => None,
        };
        parent.map_or(Ty::Unknown, Ty::Place)
    }

    /// A function, field or variant of a type of ours.
    fn of_type(
        &self,
        eval: &mut Eval<'_, '_>,
        base: &Ty,
        def: GDef,
        args: &Args,
        wanted: (GName, Access),
    ) -> Ty {
        let (name, access) = wanted;
        let program = eval.program;
        let kind = program.def(def).kind;
        let is_value = matches!(base, Ty::Of(..) | Ty::Param(..));
        if is_value
            && access == Access::Read
            && let Some(field) = eval.field(def, args, name)
        {
            return field;
        }
        if !is_value && kind == DefKind::Enum {
            let variants = program.items(Place::Def(def), name);
            if let Some(&variant) = variants.iter().find(|&&v| program.def(v).kind == DefKind::Variant) {
                return Ty::Type(variant, Arc::clone(args));
            }
        }
        let receiver = Some(Arc::new(base.clone()));
        let all =
            |found: &[GDef]| Ty::union(found.iter().map(|&f| self.reached(eval, f, &receiver)).collect());
        if kind == DefKind::Trait {
            // What an `impl dyn Trait` adds.
            if let Some(found) = self.tables.inherent.get(&(def, name)) {
                return all(found);
            }
            return match self.of_trait(program, def, name, 8) {
                Some(found) => Ty::Fn(found, receiver),
                None => self.by_blanket(eval, name, base),
            };
        }
        if let Some(found) = self.tables.inherent.get(&(def, name)) {
            return all(found);
        }
        if let Some(found) = self.tables.of_traits.get(&(def, name)) {
            return all(found);
        }
        for &implemented in self.tables.traits.get(&def).map_or(&[][..], Vec::as_slice) {
            if let Some(found) = self.of_trait(program, implemented, name, 8) {
                return Ty::Fn(found, receiver);
            }
        }
        if let Some((file, target)) = self.tables.target(eval, base, def)
            && target != *base
        {
            return eval.member(file, &target, name, access);
        }
        // A field that holds a function: `(self.f)(x)`.
        if is_value && let Some(field) = eval.field(def, args, name) {
            return field;
        }
        // Derived, or from a library's trait: not ours, but what it makes is.
        if !is_value && matches!(program.text(name), "default" | "from") {
            return Ty::Callable(Arc::new([]), Arc::new(Ty::Of(def, Arc::clone(args))));
        }
        match library::on_any(program.text(name)) {
            true => Ty::StdFn(name, Arc::new(base.clone())),
            false => self.by_blanket(eval, name, base),
        }
    }

    fn reached(&self, eval: &Eval<'_, '_>, def: GDef, receiver: &Option<Arc<Ty>>) -> Ty {
        debug_assert!(eval.program.def(def).kind != DefKind::Module);
        Ty::Fn(def, receiver.clone())
    }

    /// A function that a trait or one of its supertraits declares.
    fn of_trait(&self, program: &Program<'_>, def: GDef, name: GName, depth: u32) -> Option<GDef> {
        let declared = program.items(Place::Def(def), name);
        if let Some(&found) = declared.iter().find(|&&d| program.def(d).kind == DefKind::Method) {
            return Some(found);
        }
        let above = self.tables.traits.get(&def).map_or(&[][..], Vec::as_slice);
        above.iter().filter(|_| depth > 0).find_map(|&base| self.of_trait(program, base, name, depth - 1))
    }

    /// A function of a trait that is implemented for types that are not ours.
    fn by_blanket(&self, eval: &Eval<'_, '_>, name: GName, base: &Ty) -> Ty {
        let program = eval.program;
        match self.tables.on_others.get(&name) {
            Some(found) if !library::is_common(program.text(name)) => {
                let found = program.without_copies(eval.asked_in, found.clone());
                let traits = found.iter().map(|&def| program.parent(def));
                let one_trait = traits.collect::<rustc_hash::FxHashSet<_>>().len() == 1;
                let receiver = Some(Arc::new(base.clone()));
                if one_trait && found.len() == 1 {
                    Ty::Fn(found[0], receiver)
                } else {
                    Ty::union(found.iter().map(|&def| Ty::Fn(def, receiver.clone())).collect())
                }
            }
            _ => Ty::External,
        }
    }

    fn of_param(&self, eval: &mut Eval<'_, '_>, base: &Ty, owner: GDef, at: u32, name: GName) -> Ty {
        if at == SELF_PARAM {
            return self.of_type(eval, base, owner, &Args::from([]), (name, Access::Call));
        }
        let file = eval.program.file_of(owner);
        let Some(param) = eval.program.def(owner).type_params.get(at as usize) else {
            return Ty::Unknown;
        };
        for &bound in &param.bounds {
            let bound = eval.ty(file, bound);
            let found = match &bound {
                Ty::Of(def, _) if eval.program.def(*def).kind == DefKind::Trait => self
                    .of_trait(eval.program, *def, name, 8)
                    .map(|f| Ty::Fn(f, Some(Arc::new(base.clone())))),
                Ty::Std(..) => Some(eval.member(file, &bound, name, Access::Call)),
                _ => None,
            };
            if let Some(found) = found.filter(|f| !matches!(f, Ty::External | Ty::Unknown)) {
                return found;
            }
        }
        if library::on_any(eval.program.text(name)) {
            return Ty::StdFn(name, Arc::new(base.clone()));
        }
        self.by_blanket(eval, name, base)
    }
}

impl Rules for RustRules {
    fn packages(&self, program: &Program<'_>, file: u32) -> Vec<String> {
        self.crates.known.paths(program.files[file as usize])
    }

    fn name(&self, eval: &mut Eval<'_, '_>, file: u32, scope: Scope, name: GName) -> Ty {
        self.scoped(eval, file, scope, name, Need::Value, MAX_HOPS)
    }

    fn path(&self, eval: &mut Eval<'_, '_>, file: u32, scope: Scope, path: &[GName], args: Vec<Ty>) -> Ty {
        if let Some(found) = self.macro_called(eval, file, scope, path) {
            return found;
        }
        let found = self.find(eval, file, scope, path, Need::Value, MAX_HOPS);
        match found {
            Ty::Type(def, known) if known.is_empty() && !args.is_empty() => Ty::Type(def, args.into()),
            other => other,
        }
    }

    fn type_path(
        &self,
        eval: &mut Eval<'_, '_>,
        file: u32,
        scope: Scope,
        path: &[GName],
        args: Vec<Ty>,
    ) -> Ty {
        let found = self.find(eval, file, scope, path, Need::Type, MAX_HOPS);
        let last = path.last().map_or("", |&last| eval.program.text(last));
        match found {
            Ty::Type(def, known) => {
                let alias = eval.program.def(def);
                debug_assert!(alias.kind != DefKind::Impl);
                if known.is_empty() {
                    Ty::Of(def, args.into())
                } else {
                    Ty::Of(def, fill(eval, &known, &args))
                }
            }
            Ty::StdType(name, known) if !known.is_empty() => Ty::Std(name, fill(eval, &known, &args)),
            Ty::StdType(..) | Ty::External | Ty::Unknown => match library::named_type(last, args) {
                Ty::StdType(name, args) => Ty::Std(name, args),
                Ty::Unknown if found == Ty::External => Ty::External,
                other => other,
            },
            other => other,
        }
    }

    fn assoc_type(&self, eval: &mut Eval<'_, '_>, of: &Ty, name: GName) -> Ty {
        match of.pointee() {
            Ty::Of(def, _) => {
                let found = self.tables.of_traits.get(&(*def, name)).and_then(|found| found.first().copied());
                match found.map(|alias| (eval.program.file_of(alias), eval.program.def(alias).of)) {
                    Some((file, Some(ty))) => eval.ty(file, ty),
                    _ => match eval.program.items(Place::Def(*def), name).first() {
                        Some(&variant) => Ty::Of(variant, Arc::new([])),
                        None => Ty::Unknown,
                    },
                }
            }
            Ty::Std(_, args) if eval.program.text(name) == "Item" => {
                args.first().cloned().unwrap_or(Ty::Unknown)
            }
            _ => Ty::Unknown,
        }
    }

    fn member(&self, eval: &mut Eval<'_, '_>, base: &Ty, name: GName, access: Access) -> Ty {
        match base {
            Ty::Of(def, args) | Ty::Type(def, args) => self.of_type(eval, base, *def, args, (name, access)),
            Ty::Param(owner, at) => self.of_param(eval, base, *owner, *at, name),
            // One more pointer to the same value, whatever the value's own `clone` does.
            Ty::Std(SHARED, of) if !library::is_of_pointer(eval.program.text(name)) => {
                let of = of.first().cloned().unwrap_or(Ty::Unknown);
                eval.member(eval.asked_in, &of, name, access)
            }
            Ty::Std(..) | Ty::StdType(..) => match self.by_blanket(eval, name, base) {
                Ty::External => Ty::StdFn(name, Arc::new(base.clone())),
                ours if library::std_has(eval.program.text(name)) => {
                    debug_assert!(!ours.is_unknown());
                    Ty::StdFn(name, Arc::new(base.clone()))
                }
                ours => ours,
            },
            Ty::Tuple(parts) => {
                let at = eval.program.text(name).parse::<usize>().ok();
                at.and_then(|at| parts.get(at).cloned()).unwrap_or(Ty::External)
            }
            Ty::Place(place) => self.item(eval, *place, name, Need::Value, MAX_HOPS).unwrap_or(Ty::Unknown),
            Ty::Fn(..) | Ty::StdFn(..) | Ty::Callable(..) | Ty::Closure(..) => Ty::External,
            _ => Ty::Unknown,
        }
    }

    fn std_call(&self, eval: &mut Eval<'_, '_>, base: &Ty, method: GName, call: Call<'_>) -> Ty {
        library::result(eval, base, eval.program.text(method), call)
    }

    fn std_made(&self, eval: &mut Eval<'_, '_>, name: &'static str, args: &Args, call: Call<'_>) -> Ty {
        match call.args.first() {
            Some(&arg) if args.is_empty() => Ty::std(name, [eval.expr(call.file, arg)]),
            _ => Ty::Std(name, Arc::clone(args)),
        }
    }

    fn import(&self, eval: &mut Eval<'_, '_>, file: u32, at: usize) -> Ty {
        let program = eval.program;
        let import = &program.files[file as usize].imports[at];
        let path: Vec<GName> = import.path.iter().map(|&part| program.name(file, part)).collect();
        let first = path.first().map_or("", |&first| program.text(first));
        if path.len() == 1 && !matches!(first, "crate" | "self" | "super") {
            return self.outside(eval, file, path[0]);
        }
        match self.find(eval, file, import.scope, &path, Need::Value, MAX_HOPS) {
            Ty::Unknown => self.find(eval, file, import.scope, &path, Need::Type, MAX_HOPS),
            found => found,
        }
    }

    fn imported_constant(&self, eval: &mut Eval<'_, '_>, file: u32, at: usize) -> Option<GDef> {
        self.constant_of(eval, file, at, MAX_HOPS)
    }

    fn path_constant(
        &self,
        eval: &mut Eval<'_, '_>,
        file: u32,
        scope: Scope,
        path: &[GName],
    ) -> Option<GDef> {
        self.constant_at(eval, file, scope, path, MAX_HOPS)
    }

    fn imported_from(&self, eval: &mut Eval<'_, '_>, file: u32, at: usize) -> Option<Place> {
        let (place, _) = self.holder(eval, file, at, MAX_HOPS)?;
        Some(place)
    }

    fn out(&self, eval: &mut Eval<'_, '_>, of: &Ty, by: By) -> Ty {
        match (of, by) {
            (Ty::Std("Option" | "Result", args), By::Try) => args.first().cloned().unwrap_or(Ty::Unknown),
            (Ty::Std("Result", args), By::Error) => args.get(1).cloned().unwrap_or(Ty::Unknown),
            (Ty::Std("Option" | "List" | "Iter" | "Set", args), By::Iteration) => {
                args.first().cloned().unwrap_or(Ty::Unknown)
            }
            (Ty::Std("Map", args), By::Iteration) => Ty::Tuple(Arc::clone(args)),
            (_, By::Await) => of.clone(),
            (Ty::Of(def, _), By::Iteration) => {
                let name = eval.program.find_name("Item");
                let item = name.map(|name| self.assoc_type(eval, of, name)).unwrap_or(Ty::Unknown);
                if item.is_unknown()
                    && let Some((file, target)) = self.tables.target(eval, of, *def)
                {
                    return eval.out(file, &target, by);
                }
                item
            }
            _ => Ty::Unknown,
        }
    }

    fn std_param(
        &self,
        eval: &mut Eval<'_, '_>,
        base: &Ty,
        method: GName,
        call: Call<'_>,
        at: (u32, u32),
    ) -> Ty {
        library::parameter(eval, base, eval.program.text(method), call, at)
    }

    fn this(&self, eval: &mut Eval<'_, '_>, file: u32, scope: Scope) -> Ty {
        let facts = eval.program.files[file as usize];
        let mut around = scope;
        while let Some(ix) = around {
            let def = facts.def(ix);
            let global = eval.program.global(file, ix);
            match def.kind {
                DefKind::Impl => return def.of.map_or(Ty::Unknown, |ty| eval.ty(file, ty)),
                DefKind::Trait => return Ty::Param(global, SELF_PARAM),
                DefKind::Struct | DefKind::Enum => {
                    return Ty::Of(global, own_params(global, def.type_params.len()));
                }
                DefKind::Module => return Ty::Unknown,
                _ => around = def.parent,
            }
        }
        Ty::Unknown
    }

    fn base(&self, _eval: &mut Eval<'_, '_>, _file: u32, _scope: Scope) -> Ty {
        Ty::Unknown
    }

    fn is_common_method(&self, name: &str) -> bool {
        library::is_common(name)
    }
}

fn own_params(def: GDef, count: usize) -> Args {
    (0..count as u32).map(|at| Ty::Param(def, at)).collect()
}

/// An alias's arguments, with its parameters replaced in order.
fn fill(eval: &mut Eval<'_, '_>, known: &Args, args: &[Ty]) -> Args {
    let one = |eval: &mut Eval<'_, '_>, ty: &Ty| match ty {
        Ty::Param(owner, at) => match args.get(*at as usize) {
            Some(given) => given.clone(),
            None => {
                let param = eval.program.def(*owner).type_params.get(*at as usize);
                let default = param.and_then(|param| param.default);
                default.map_or_else(|| ty.clone(), |ty| eval.ty(eval.program.file_of(*owner), ty))
            }
        },
        other => other.clone(),
    };
    known.iter().map(|ty| one(eval, ty)).collect()
}
