//! How names are found in C++: in the class and its bases, in the namespaces around, in what is included.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use m1nd_graph::NodeFlags;

use super::definitions::is_declaration;
use super::homes::{Homes, join};
use super::library;
use crate::facts::{By, Def, DefIx, DefKind, Import, ImportAll, Scope, TypeExpr};
use crate::languages::c::includes::is_c_or_cpp;
use crate::languages::c::rules::CRules;
use crate::resolve::eval::Eval;
use crate::resolve::lineage::{Foreign, classes_around, lineage};
use crate::resolve::program::{GDef, GName, Place, Program};
use crate::resolve::rules::{Access, Call, Parameters, Rules};
use crate::resolve::ty::{Args, MADE, Ty};

/// More functions of one full name are not told apart.
const MAX_OVERLOADS: usize = 8;

pub(crate) struct CppRules {
    /// How names are found in files of C, and what every file includes.
    c: CRules,
    /// Definitions by full name, `a::b::c`.
    names: FxHashMap<String, Vec<GDef>>,
    homes: Homes,
}

impl CppRules {
    pub(crate) fn of(program: &Program<'_>) -> Self {
        let c = CRules::of(program);
        let homes = Homes::of(program, &c.includes);
        let mut names: FxHashMap<String, Vec<GDef>> = FxHashMap::default();
        for (at, file) in program.files.iter().enumerate().filter(|(_, file)| is_c_or_cpp(&file.language)) {
            for (ix, def) in file.defs.iter().enumerate() {
                if !matches!(def.kind, DefKind::Impl | DefKind::Module) && !def.is_test_case() {
                    let scope = homes.around(program, at as u32, DefIx(ix as u32));
                    let full = join(&scope, file.text(def.name));
                    names.entry(full).or_default().push(program.global(at as u32, DefIx(ix as u32)));
                }
            }
        }
        Self { c, names, homes }
    }

    fn is_in_namespace(&self, program: &Program<'_>, def: GDef) -> bool {
        let found = program.def(def);
        found.parent.is_some() || self.homes.opened(program.file_of(def), found).is_some()
    }

    fn is_c(program: &Program<'_>, file: u32) -> bool {
        program.files[file as usize].language != super::NAME
    }

    /// Definitions with a full name that a file can see: its own, else what it includes.
    fn seen(&self, program: &Program<'_>, file: u32, full: &str, wanted: fn(DefKind) -> bool) -> Vec<GDef> {
        let Some(all) = self.names.get(full) else { return Vec::new() };
        let all: Vec<GDef> = all.iter().copied().filter(|&def| wanted(program.def(def).kind)).collect();
        let own: Vec<GDef> = all.iter().copied().filter(|&def| program.file_of(def) == file).collect();
        if !own.is_empty() {
            return own;
        }
        let sees = |def: &GDef| self.c.includes.sees(file, program.file_of(*def));
        all.into_iter().filter(sees).collect()
    }

    /// Definitions with a full name that a file may mean though nothing that it includes holds them.
    fn unseen(&self, program: &Program<'_>, file: u32, full: &str, wanted: fn(DefKind) -> bool) -> Vec<GDef> {
        let Some(all) = self.names.get(full) else { return Vec::new() };
        let all: Vec<GDef> = all.iter().copied().filter(|&def| wanted(program.def(def).kind)).collect();
        // What a header declares is known to it too where a file that includes it defines it.
        let is_header = !is_source(&program.files[file as usize].path);
        let is_of = |def: GDef| is_header && self.c.includes.sees(program.file_of(def), file);
        let shared: Vec<GDef> =
            all.into_iter().filter(|&def| self.is_shared(program, def) || is_of(def)).collect();
        let meets = |def: &GDef| self.c.includes.meets(program, file, program.file_of(*def));
        let shared: Vec<GDef> = shared.into_iter().filter(meets).collect();
        let all = program.nearest(file, &shared);
        let Some(&first) = all.first() else { return all };
        let is_declared = self.c.includes.declares(file, program.def_name(first));
        let is_qualified = full.contains("::");
        // A type that several files define, none of them included, is any of them.
        let is_one = !program.def(first).kind.is_type() || all.len() == 1;
        if is_declared || (is_qualified && is_one) { all } else { Vec::new() }
    }

    /// Whether files that do not include a definition can mean it: what a source file keeps to itself cannot be.
    fn is_shared(&self, program: &Program<'_>, def: GDef) -> bool {
        let (file, ix) = program.local(def);
        let facts = program.files[file as usize];
        let found = facts.def(ix);
        if !is_source(&facts.path) {
            return true;
        }
        let outer = found.parent.map(|outer| facts.def(outer).kind);
        match outer {
            _ if found.kind.is_type() => false,
            Some(kind) if kind.is_type() => false,
            Some(DefKind::Impl) => {
                let class = self.homes.scope_name(program, file, found.parent);
                let classes = self.names.get(&class).map_or(&[][..], Vec::as_slice);
                let mut classes =
                    classes.iter().filter(|&&class| program.def(class).kind.is_type()).peekable();
                classes.peek().is_none() || classes.any(|&class| !is_source(program.path_of(class)))
            }
            _ => !found.kind.is_callable() || found.flags.has(NodeFlags::EXPORTED),
        }
    }

    /// The definitions behind declarations, where there are any.
    fn defined(&self, program: &Program<'_>, found: Vec<GDef>) -> Vec<GDef> {
        let mut out = Vec::with_capacity(found.len());
        for def in found {
            let mut bodies = Vec::new();
            if is_declaration(program.def(def)) {
                let file = program.file_of(def);
                let scope = self.homes.around(program, file, program.local(def).1);
                let full = join(&scope, program.text(program.def_name(def)));
                let same = self.names.get(&full).map_or(&[][..], Vec::as_slice);
                let is_body = |other: &&GDef| **other != def && !is_declaration(program.def(**other));
                bodies = same.iter().filter(is_body).copied().collect();
                let params = program.def(def).params.len();
                bodies.retain(|&body| program.def(body).params.len() == params);
                // A body stands where its declaration is seen; another class may be called the same.
                let sees = |body: &GDef| self.c.includes.sees(program.file_of(*body), file);
                let seeing: Vec<GDef> = bodies.iter().copied().filter(sees).collect();
                if !seeing.is_empty() || is_source(program.path_of(def)) {
                    bodies = seeing;
                }
                bodies = program.nearest(file, &bodies);
                if bodies.len() > 1 {
                    let wanted = param_types(program, def);
                    bodies.retain(|&body| param_types(program, body) == wanted);
                }
            }
            if bodies.is_empty() {
                bodies.push(def);
            }
            for body in bodies {
                if !out.contains(&body) {
                    out.push(body);
                }
            }
        }
        out
    }

    fn value(&self, eval: &mut Eval<'_, '_>, found: Vec<GDef>, receiver: Option<&Ty>) -> Option<Ty> {
        let program = eval.program;
        let first = *found.first()?;
        let kind = program.def(first).kind;
        if kind.is_type() {
            return Some(self.aliased(eval, first));
        }
        if kind.is_callable() {
            let receiver = receiver.map(|ty| Arc::new(ty.clone()));
            let callables = found.into_iter().filter(|&def| program.def(def).kind.is_callable()).collect();
            let found = self.defined(program, callables);
            if found.len() > MAX_OVERLOADS {
                return Some(Ty::External);
            }
            return Some(Ty::union(found.into_iter().map(|def| Ty::Fn(def, receiver.clone())).collect()));
        }
        let (file, found) = (program.file_of(first), program.def(first));
        Some(match (found.of, found.value) {
            (Some(ty), _) => eval.ty(file, ty),
            (None, Some(value)) => eval.expr(file, value),
            _ => Ty::External,
        })
    }

    /// A type, or what an alias of one stands for.
    fn aliased(&self, eval: &mut Eval<'_, '_>, def: GDef) -> Ty {
        let found = eval.program.def(def);
        if let (DefKind::TypeAlias, Some(of)) = (found.kind, found.of) {
            return match eval.ty(eval.program.file_of(def), of) {
                Ty::Of(class, args) => Ty::Type(class, args),
                Ty::Std(name, args) => Ty::StdType(name, args),
                Ty::External => Ty::External,
                _ => Ty::Type(def, Arc::new([])),
            };
        }
        Ty::Type(def, Arc::new([]))
    }

    /// A name of one or more parts, seen from a scope.
    fn lookup(
        &self,
        eval: &mut Eval<'_, '_>,
        file: u32,
        scope: Scope,
        path: &[GName],
        wanted: fn(DefKind) -> bool,
    ) -> Option<Ty> {
        let program = eval.program;
        let mut text: Vec<&str> = path.iter().map(|&part| program.text(part)).collect();
        let facts = program.files[file as usize];
        // `namespace c = a::b` and `using a::b` make the first part stand for more.
        if let Some(&(_, at)) = program.imports(Place::File(file), path[0]).first()
            && facts.imports[at as usize].level == 2
        {
            let full = import_path(program, file, &facts.imports[at as usize]);
            text.splice(0..1, full);
        }
        if text[0] == "std" || text[0] == "testing" {
            return None;
        }
        let name = text.join("::");
        // A wider scope that the file sees comes before a nearer one that it does not.
        let names = self.full_names(program, file, scope, &name);
        for find in [Self::seen, Self::unseen] {
            for full in &names {
                let found = find(self, program, file, full, wanted);
                if !found.is_empty() {
                    return self.value(eval, found, None);
                }
            }
        }
        None
    }

    /// The full names that a name may stand for in a scope, the nearest first.
    fn full_names(&self, program: &Program<'_>, file: u32, scope: Scope, name: &str) -> Vec<String> {
        let facts = program.files[file as usize];
        let around = self.homes.scope_name(program, file, scope);
        let mut names = Vec::new();
        let mut outer: Option<&str> = Some(&around);
        while let Some(prefix) = outer {
            names.push(self.homes.plain(join(prefix, name)));
            outer = match prefix {
                "" => None,
                prefix => Some(prefix.rsplit_once("::").map_or("", |(outer, _)| outer)),
            };
        }
        for &(_, at) in program.globs(Place::File(file)) {
            let import = &facts.imports[at as usize];
            if import.level == 2 && import.all == ImportAll::Yes {
                let opened = import_path(program, file, import).join("::");
                names.push(self.homes.plain(join(&opened, name)));
            }
        }
        names
    }

    fn lineage(&self, eval: &mut Eval<'_, '_>, class: GDef) -> (Vec<GDef>, bool) {
        lineage(eval, class, Foreign::Unknown)
    }

    /// A member of a class or of its bases.
    fn class_member(&self, eval: &mut Eval<'_, '_>, base: &Ty, name: GName, access: Access) -> Option<Ty> {
        let (Ty::Of(class, args) | Ty::Type(class, args)) = base else { return None };
        let program = eval.program;
        for at in self.lineage(eval, *class).0 {
            let items = program.items(Place::Def(at), name).to_vec();
            let is_method = |def: &Def| def.kind.is_callable() && !def.is_test_case();
            let methods: Vec<GDef> = items.iter().copied().filter(|&d| is_method(program.def(d))).collect();
            if !methods.is_empty() {
                return self.value(eval, methods, Some(base));
            }
            if let Some(found) = eval.field(at, if at == *class { args } else { &[] }, name) {
                // What a field that is called gives is not told by its type.
                return Some(if access == Access::Call { Ty::External } else { found });
            }
            let types: Vec<GDef> = items.into_iter().filter(|&d| program.def(d).kind.is_type()).collect();
            if !types.is_empty() {
                return self.value(eval, types, None);
            }
        }
        None
    }

    /// What an index into a value of a class gives: what the class says, else the value is a raw pointer, which is
    /// written like what it holds.
    fn indexed(&self, eval: &mut Eval<'_, '_>, of: &Ty, class: GDef) -> Ty {
        let (line, is_foreign) = self.lineage(eval, class);
        let program = eval.program;
        for name in ["operator[]", "begin"] {
            let Some(name) = program.find_name(name) else { continue };
            let is_there = |&at: &GDef| !program.items(Place::Def(at), name).is_empty();
            if line.iter().any(is_there) {
                return Ty::Unknown;
            }
        }
        if is_foreign { Ty::Unknown } else { of.clone() }
    }

    /// The classes around a scope, innermost first; members outside their class know it by name.
    fn classes_around(&self, eval: &mut Eval<'_, '_>, file: u32, scope: Scope) -> Vec<GDef> {
        classes_around(eval, file, scope, DefKind::Impl, |kind| {
            matches!(kind, DefKind::Class | DefKind::Struct)
        })
    }

    fn type_param(program: &Program<'_>, file: u32, scope: Scope, name: GName) -> bool {
        let facts = program.files[file as usize];
        let mut around = scope;
        while let Some(ix) = around {
            let def = facts.def(ix);
            if def.type_params.iter().any(|param| program.name(file, param.name) == name) {
                return true;
            }
            around = def.parent;
        }
        false
    }
}

/// Whether a file is read by itself: what it defines others know from headers only.
fn is_source(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    matches!(ending, "c" | "cc" | "cpp" | "cxx" | "c++" | "C" | "cu")
}

fn import_path<'f>(program: &Program<'f>, file: u32, import: &Import) -> Vec<&'f str> {
    import.path.iter().map(|&part| program.text(program.name(file, part))).collect()
}

/// The last parts of the types of a function's parameters.
fn param_types<'f>(program: &Program<'f>, def: GDef) -> Vec<&'f str> {
    let facts = program.files[program.file_of(def) as usize];
    let last = |ty: &TypeExpr| match ty {
        TypeExpr::Path { segments, .. } => segments.last().map_or("", |&part| facts.text(part)),
        TypeExpr::Number => "number",
        TypeExpr::Bool => "bool",
        _ => "",
    };
    let params = &program.def(def).params;
    params.iter().map(|param| param.ty.map_or("", |ty| last(&facts.types[ty.0 as usize]))).collect()
}

impl Rules for CppRules {
    fn parameters(&self) -> Parameters {
        Parameters { converts: true, ..Parameters::default() }
    }

    fn name(&self, eval: &mut Eval<'_, '_>, file: u32, scope: Scope, name: GName) -> Ty {
        if Self::is_c(eval.program, file) {
            return self.c.name(eval, file, scope, name);
        }
        if Self::type_param(eval.program, file, scope, name) {
            return Ty::External;
        }
        let mut foreign = false;
        for class in self.classes_around(eval, file, scope) {
            let this = Ty::Of(class, Arc::new([]));
            if let Some(found) = self.class_member(eval, &this, name, Access::Read) {
                return found;
            }
            foreign |= self.lineage(eval, class).1;
        }
        if let Some(found) = self.lookup(eval, file, scope, &[name], |_| true) {
            return found;
        }
        if foreign {
            return Ty::External;
        }
        for at in self.c.includes.bound(file, name) {
            if let Some(found) = eval.top_binding(at, name) {
                return found;
            }
        }
        match self.c.name(eval, file, scope, name) {
            // A namespace holds it, and nothing here opens that namespace.
            Ty::Fn(def, _) if self.is_in_namespace(eval.program, def) => Ty::External,
            found => found,
        }
    }

    fn guesses(&self, program: &Program<'_>, file: u32, scope: Scope, name: GName) -> Vec<GDef> {
        self.c.guesses(program, file, scope, name)
    }

    fn path(&self, eval: &mut Eval<'_, '_>, file: u32, scope: Scope, path: &[GName], args: Vec<Ty>) -> Ty {
        let program = eval.program;
        let Some((&last, before)) = path.split_last() else { return Ty::Unknown };
        if before.first().is_some_and(|&first| program.text(first) == "std") {
            return library::maker(program.text(last), args);
        }
        if before.is_empty() {
            return match self.name(eval, file, scope, last) {
                Ty::Type(def, _) => Ty::Type(def, args.into()),
                Ty::External => library::maker(program.text(last), args),
                other => other,
            };
        }
        if let Some(found) = self.lookup(eval, file, scope, path, |_| true) {
            return found;
        }
        let class = match self.lookup(eval, file, scope, before, DefKind::is_type) {
            None if before.len() == 1 => self.name(eval, file, scope, before[0]),
            None => Ty::External,
            Some(class) => class,
        };
        self.class_member(eval, &class, last, Access::Call).unwrap_or(Ty::External)
    }

    fn type_path(
        &self,
        eval: &mut Eval<'_, '_>,
        file: u32,
        scope: Scope,
        path: &[GName],
        args: Vec<Ty>,
    ) -> Ty {
        let program = eval.program;
        if Self::is_c(program, file) {
            return self.c.type_path(eval, file, scope, path, args);
        }
        let Some(&last) = path.last() else { return Ty::Unknown };
        if path.len() == 1 && Self::type_param(program, file, scope, last) {
            return Ty::External;
        }
        // The bases of a class are looked for outside it, so this never asks for a class's bases.
        match self.lookup(eval, file, scope, path, DefKind::is_type) {
            Some(Ty::Type(def, known)) => Ty::Of(def, if args.is_empty() { known } else { args.into() }),
            Some(other) => other.instance(),
            None => library::named(program.text(last), args),
        }
    }

    fn member(&self, eval: &mut Eval<'_, '_>, base: &Ty, name: GName, access: Access) -> Ty {
        match base {
            Ty::Of(class, _) | Ty::Type(class, _) => {
                if Self::is_c(eval.program, eval.program.file_of(*class)) {
                    return self.c.member(eval, base, name, access);
                }
                self.class_member(eval, base, name, access).unwrap_or(Ty::External)
            }
            Ty::Std("Pair", args) => {
                let at = usize::from(eval.program.text(name) == "second");
                args.get(at).cloned().unwrap_or(Ty::Unknown)
            }
            Ty::Std(..) => Ty::StdFn(name, Arc::new(base.clone())),
            _ => Ty::External,
        }
    }

    fn std_call(&self, eval: &mut Eval<'_, '_>, base: &Ty, method: GName, _: Call<'_>) -> Ty {
        match base {
            Ty::Std(kind, args) => library::method(kind, args, eval.program.text(method)),
            _ => Ty::External,
        }
    }

    fn std_made(&self, eval: &mut Eval<'_, '_>, name: &'static str, args: &Args, call: Call<'_>) -> Ty {
        match (name, call.args.first()) {
            // `std::move(x)` is x.
            ("Same", Some(&given)) => eval.expr(call.file, given),
            ("Same", None) => Ty::Unknown,
            (MADE, _) => Ty::Std("Ptr", Arc::clone(args)),
            _ => Ty::Std(name, Arc::clone(args)),
        }
    }

    fn out(&self, eval: &mut Eval<'_, '_>, of: &Ty, by: By) -> Ty {
        match (of, by) {
            (Ty::Of(class, args), By::Class) => Ty::Type(*class, Arc::clone(args)),
            (Ty::Of(class, args), By::Maker) => match self.constructors(eval, *class)[..] {
                [] => Ty::External,
                _ => Ty::Type(*class, Arc::clone(args)),
            },
            (Ty::Std(name, args), By::Class) => Ty::StdType(name, Arc::clone(args)),
            (Ty::Std("Ptr" | "List", args), By::Deref) => args.first().cloned().unwrap_or(Ty::Unknown),
            (of, By::Deref) => of.clone(),
            (Ty::Std(kind, args), By::Iteration) => library::element(kind, args),
            (Ty::Of(class, _), By::Iteration) => self.indexed(eval, of, *class),
            _ => Ty::Unknown,
        }
    }

    fn this(&self, eval: &mut Eval<'_, '_>, file: u32, scope: Scope) -> Ty {
        let class = self.classes_around(eval, file, scope).into_iter().next();
        class.map_or(Ty::Unknown, |class| Ty::Of(class, Arc::new([])))
    }

    /// A constructor has the name of its class.
    fn constructors(&self, eval: &mut Eval<'_, '_>, def: GDef) -> Vec<GDef> {
        let program = eval.program;
        let items = program.items(Place::Def(def), program.def_name(def));
        let made: Vec<GDef> = items.iter().copied().filter(|&d| program.def(d).kind.is_callable()).collect();
        self.defined(program, made)
    }

    fn called(&self, eval: &mut Eval<'_, '_>, callee: &Ty) -> Option<Ty> {
        let name = eval.program.find_name("operator()").filter(|_| matches!(callee, Ty::Of(..)))?;
        self.class_member(eval, callee, name, Access::Call).filter(|found| !found.functions().is_empty())
    }

    fn initialised(&self, eval: &mut Eval<'_, '_>, base: &Ty, name: GName) -> Ty {
        let Ty::Of(class, _) = base else { return Ty::Unknown };
        let (program, file) = (eval.program, eval.program.file_of(*class));
        let fields = &program.def(*class).fields;
        let Some(field) = fields.iter().find(|field| program.name(file, field.name) == name) else {
            return self.class_member(eval, base, name, Access::Call).unwrap_or(Ty::External);
        };
        let types = &program.files[file as usize].types;
        match field.ty {
            Some(ty) if !matches!(types[ty.0 as usize], TypeExpr::Ref(_)) => match eval.ty(file, ty) {
                made @ Ty::Of(..) => self.out(eval, &made, By::Maker),
                _ => Ty::External,
            },
            _ => Ty::External,
        }
    }

    fn constant(&self, program: &Program<'_>, place: Place, name: GName) -> Option<GDef> {
        let Place::Def(def) = place else { return self.c.constant(program, place, name) };
        let (file, ix) = program.local(def);
        // A namespace is what all files say of it.
        let full = join(&self.homes.scope_name(program, file, Some(ix)), program.text(name));
        self.seen(program, file, &full, |kind| kind == DefKind::Constant).first().copied()
    }

    fn import(&self, eval: &mut Eval<'_, '_>, file: u32, at: usize) -> Ty {
        self.c.import(eval, file, at)
    }

    fn is_common_method(&self, name: &str) -> bool {
        library::is_common_method(name)
    }
}
