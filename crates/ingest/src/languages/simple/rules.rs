//! How names are found where a language says little: in the type, the file, the package, the imports.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use m1nd_graph::NodeFlags;

use super::super::elixir::OWN_MODULE;
use super::{Grammar, Unit, common, extensions, named};
use crate::facts::{By, DefKind, Scope};
use crate::resolve::MAX_SAME;
use crate::resolve::eval::Eval;
use crate::resolve::lineage::{Foreign, classes_around, lineage_of_parts};
use crate::resolve::program::{GDef, GName, Place, Program};
use crate::resolve::rules::{Access, Call, Parameters, Rules};
use crate::resolve::ty::{Args, OTHER, Ty};

/// What a name that starts at the root of all packages has in front: `\a\b`.
pub(super) const ROOT: &str = "\\";

pub(super) struct SimpleRules {
    pub(super) grammar: &'static Grammar,
    /// Definitions by full name, `package.Type.member`.
    pub(super) names: FxHashMap<String, Vec<GDef>>,
    /// Full names that files of one name define: only these can be copies of each other.
    pub(super) copied: FxHashSet<String>,
    /// What types and modules are called by themselves.
    pub(super) types: FxHashSet<GName>,
    /// What functions outside of types are called.
    pub(super) functions: FxHashSet<GName>,
    /// Functions written for a type from outside of it, by name.
    pub(super) extensions: FxHashMap<GName, Vec<GDef>>,
    /// The full name of every scope, by file.
    pub(super) scopes: FxHashMap<(u32, Scope), String>,
    /// Where each import of each file leads, for languages that load files.
    pub(super) loaded: FxHashMap<(u32, u32), u32>,
    /// Roots that load files of another.
    pub(super) roots: Vec<(String, String)>,
}

impl SimpleRules {
    pub(super) fn scope_name(&self, file: u32, scope: Scope) -> &str {
        self.scopes.get(&(file, scope)).map_or("", String::as_str)
    }

    pub(super) fn full(&self, program: &Program<'_>, def: GDef) -> String {
        let file = program.file_of(def);
        join(self.scope_name(file, program.def(def).parent), program.text(program.def_name(def)))
    }

    pub(super) fn get(&self, full: &str) -> &[GDef] {
        self.names.get(full).map_or(&[], Vec::as_slice)
    }

    /// A name of one or more parts, seen from a scope.
    pub(super) fn lookup(
        &self,
        eval: &mut Eval<'_, '_>,
        file: u32,
        scope: Scope,
        path: &[GName],
        among: Among,
    ) -> Option<Ty> {
        let program = eval.program;
        let facts = program.files[file as usize];
        let text: Vec<&str> = path.iter().map(|&part| program.text(part)).collect();
        if text[0] == ROOT {
            return self.value(eval, file, &text[1..].join("."), None, among);
        }
        let name = text.join(".");
        // Nested outwards from here, up to the package.
        let mut around = Some(scope);
        let mut prefix = String::new();
        while let Some(scope) = around {
            prefix = self.scope_name(file, scope).to_owned();
            let found = self.value(eval, file, &join(&prefix, &name), None, among);
            // A name of several parts says itself where it leads.
            let found = found.and_then(|found| match path.len() {
                1 => self.seen(program, file, found),
                _ => Some(found),
            });
            // A function outside of every type may belong to its file alone.
            let is_foreign = |ty: &Ty| {
                scope.is_none() && !self.grammar.shares_functions && !self.is_own_function(program, file, ty)
            };
            if let Some(found) = found.filter(|found| !is_foreign(found)) {
                return Some(found);
            }
            around = scope.map(|ix| facts.def(ix).parent);
        }
        while self.grammar.sees_outer_packages && !prefix.is_empty() {
            prefix = prefix.rsplit_once('.').map_or(String::new(), |(outer, _)| outer.to_owned());
            let found = self.value(eval, file, &join(&prefix, &name), None, among);
            if let Some(found) = found.and_then(|found| self.seen(program, file, found)) {
                return Some(found);
            }
        }
        if let Some(&(_, at)) = program.imports(Place::File(file), path[0]).first() {
            if let Some(loaded) = self.loaded_by(eval, file, at) {
                return Some(self.through(eval, loaded, &path[1..]));
            }
            let import = &facts.imports[at as usize];
            let mut full: Vec<&str> = import.path.iter().map(|&part| facts.text(part)).collect();
            full.extend(&text[1..]);
            // `alias __MODULE__.Part`
            let own = self.scope_name(file, scope);
            if let Some(first) = full.first_mut().filter(|first| **first == OWN_MODULE) {
                *first = own;
            }
            return Some(self.full_path(eval, file, &full));
        }
        for &(_, at) in program.globs(Place::File(file)) {
            let full = match self.loaded.get(&(file, at)) {
                Some(&loaded) => join(&program.files[loaded as usize].path, &name),
                None => {
                    let import = &facts.imports[at as usize];
                    let parts: Vec<&str> = import.path.iter().map(|&part| facts.text(part)).collect();
                    join(&parts.join("."), &name)
                }
            };
            if let Some(found) = self.value(eval, file, &full, None, among) {
                return Some(found);
            }
        }
        // A full name needs no import; a plain one of another package does.
        let is_full = path.len() > 1 && self.grammar.unit == Unit::Package;
        if is_full && let Some(found) = self.value(eval, file, &name, None, among) {
            return Some(found);
        }
        None
    }

    /// What an import of a file stands for: the file, or what is named in it.
    fn loaded_by(&self, eval: &mut Eval<'_, '_>, file: u32, import: u32) -> Option<Ty> {
        let loaded = *self.loaded.get(&(file, import))?;
        let path = &eval.program.files[file as usize].imports[import as usize].path;
        let rest: Vec<GName> = path[1..].iter().map(|&part| eval.program.name(file, part)).collect();
        Some(self.through(eval, Ty::Place(Place::File(loaded)), &rest))
    }

    /// What a file that others load brings in under this name.
    fn passed_on(&self, eval: &mut Eval<'_, '_>, file: u32, name: GName) -> Option<Ty> {
        let &(_, at) = eval.program.imports(Place::File(file), name).first()?;
        self.loaded_by(eval, file, at)
    }

    /// Whether a value is no function of another file.
    fn is_own_function(&self, program: &Program<'_>, file: u32, ty: &Ty) -> bool {
        match ty {
            Ty::Fn(def, _) => program.file_of(*def) == file,
            Ty::Union(parts) => parts.iter().all(|part| self.is_own_function(program, file, part)),
            _ => true,
        }
    }

    /// A function that a function around the scope defines.
    pub(super) fn inner(&self, program: &Program<'_>, file: u32, scope: Scope, name: GName) -> Option<Ty> {
        let facts = program.files[file as usize];
        let mut around = scope;
        while let Some(ix) = around {
            if facts.def(ix).kind.is_callable() {
                let items = program.items(Place::Def(program.global(file, ix)), name).iter().copied();
                // Each side of a condition may have its own.
                let found = items.filter(|&def| program.def(def).kind.is_callable());
                let found = Ty::union(found.map(|def| Ty::Fn(def, None)).collect());
                if !found.is_unknown() {
                    return Some(found);
                }
            }
            around = facts.def(ix).parent;
        }
        None
    }

    /// A full name, or a member of something that has one.
    pub(super) fn full_path(&self, eval: &mut Eval<'_, '_>, file: u32, path: &[&str]) -> Ty {
        for cut in (1..=path.len()).rev() {
            if let Some(found) = self.value(eval, file, &path[..cut].join("."), None, Among::All) {
                let rest: Option<Vec<GName>> =
                    path[cut..].iter().map(|part| eval.program.find_name(part)).collect();
                return rest.map_or(Ty::External, |rest| self.through(eval, found, &rest));
            }
        }
        Ty::External
    }

    fn through(&self, eval: &mut Eval<'_, '_>, from: Ty, path: &[GName]) -> Ty {
        path.iter().fold(from, |at, &name| self.member(eval, &at, name, Access::Call))
    }

    /// A type and its bases; whether one of them is not ours.
    pub(super) fn lineage(&self, eval: &mut Eval<'_, '_>, class: GDef) -> (Vec<GDef>, bool) {
        let program = eval.program;
        // A type may be written in several parts.
        let parts = |class| self.parts(program, class);
        lineage_of_parts(eval, class, Foreign::Unknown, parts)
    }

    fn class_member(&self, eval: &mut Eval<'_, '_>, base: &Ty, name: GName, access: Access) -> Option<Ty> {
        let (Ty::Of(class, _) | Ty::Type(class, _)) = base else { return None };
        let program = eval.program;
        let text = program.text(name);
        let (mut is_value, mut is_partial) = (false, false);
        for at in self.lineage(eval, *class).0 {
            let full = self.full(program, at);
            let file = program.file_of(at);
            // What could not be read may have it before its bases do.
            let or_unread = |found: Ty| match is_partial {
                true => Ty::union(vec![found, Ty::std(OTHER, [])]),
                false => found,
            };
            // A constructor is reached by making a value, not by its name.
            if full.rsplit('.').next() == Some(text) {
                continue;
            }
            // Parts of a type in other files count as much as the one in its own.
            let named = self.near(program, file, &join(&full, text));
            let named = self.any_of(eval, named, Some(base));
            is_value |= named.is_some();
            let found = named.and_then(|named| named::accessed(program, named, access));
            let is_read = |found: &&Ty| access == Access::Read && matches!(found, Ty::Fn(..));
            if let Some(found) = found.as_ref().filter(|found| !is_read(found)) {
                return Some(or_unread(found.clone()));
            }
            let parts = self.parts(program, at);
            let is_unread =
                |part: &GDef| program.files[program.file_of(*part) as usize].flags.has(NodeFlags::PARTIAL);
            is_partial |= parts.iter().any(is_unread);
            for part in parts {
                if let Some(found) = eval.field(part, &[], name) {
                    return Some(if access == Access::Call { Ty::External } else { found });
                }
            }
            if let Some(found) = found {
                // Read without brackets it is what it gives.
                return Some(eval.function_result(&found, file));
            }
        }
        // What is read may be called, and nobody says what that runs.
        is_value.then_some(Ty::External)
    }

    fn classes_around(&self, eval: &mut Eval<'_, '_>, file: u32, scope: Scope) -> Vec<GDef> {
        // Namespaces are looked through by full name; a module that mixes others in is like a class.
        let has_modules = self.grammar.unit == Unit::Program;
        let is_class = |kind: DefKind| kind.is_type() || (kind == DefKind::Module && has_modules);
        classes_around(eval, file, scope, DefKind::Impl, is_class)
    }

    /// Whether a place lies in a module that classes are mixed with.
    fn is_mixed_in(&self, program: &Program<'_>, file: u32, scope: Scope) -> bool {
        let facts = program.files[file as usize];
        let mut around = scope;
        while let Some(ix) = around.filter(|&ix| facts.def(ix).kind.is_callable()) {
            around = facts.def(ix).parent;
        }
        self.grammar.name == "ruby" && around.is_some_and(|ix| facts.def(ix).kind == DefKind::Module)
    }

    /// A type that a class around a place has from its bases, in a language whose types are known everywhere. One
    /// that lies in some other type or module is not seen: the name is the library's.
    fn inherited_type(&self, eval: &mut Eval<'_, '_>, file: u32, scope: Scope, name: GName) -> Option<Ty> {
        if self.grammar.unit != Unit::Program || !self.types.contains(&name) {
            return None;
        }
        let program = eval.program;
        let text = program.text(name);
        for class in self.classes_around(eval, file, scope) {
            for at in self.lineage(eval, class).0 {
                let full = join(&self.full(program, at), text);
                if let Some(found) = self.value(eval, program.file_of(at), &full, None, Among::Types) {
                    return Some(found);
                }
            }
        }
        None
    }

    /// What one word stands for that is called.
    fn word(&self, eval: &mut Eval<'_, '_>, file: u32, scope: Scope, first: GName) -> Ty {
        if let Some(found) = self.inner(eval.program, file, scope, first) {
            return found;
        }
        if self.grammar.global_functions {
            return self.function_or_type(eval, file, scope, first);
        }
        let mut foreign = false;
        for class in self.classes_around(eval, file, scope) {
            let this = Ty::Of(class, Arc::new([]));
            if let Some(found) = self.class_member(eval, &this, first, Access::Call) {
                return found;
            }
            foreign |= self.lineage(eval, class).1;
        }
        // A name of the library is ours where the file itself defines or imports it.
        if (self.grammar.is_library)(eval.program.text(first)) && !is_known_here(eval.program, file, first) {
            return Ty::External;
        }
        let found = self.lookup(eval, file, scope, &[first], Among::All);
        if self.grammar.extensions
            && matches!(found, None | Some(Ty::External))
            && let Some(found) = self.called_on_this(eval, file, first)
        {
            return found;
        }
        // `local copy = tables.copy` at the top of a file.
        if found.is_none()
            && self.grammar.unit == Unit::File
            && let Some(bound @ Ty::Fn(def, _)) = eval.top_binding(file, first)
        {
            // `local print_as_it_was = print`, before a `print` of its own.
            let name = eval.program.text(eval.program.def_name(def));
            return if (self.grammar.is_library)(name) { Ty::External } else { bound };
        }
        match found {
            Some(found) => found,
            None if foreign => Ty::External,
            None => self.inherited_type(eval, file, scope, first).unwrap_or_else(|| {
                match self.is_mixed_in(eval.program, file, scope) {
                    true if !eval.program.methods(first).is_empty() => Ty::Unknown,
                    _ => self.not_found(first),
                }
            }),
        }
    }
}

/// Which definitions a name may mean.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Among {
    All,
    /// No functions: a constructor often has the name of its type.
    Types,
}

pub(super) fn join(scope: &str, name: &str) -> String {
    if scope.is_empty() { name.to_owned() } else { format!("{scope}.{name}") }
}

impl Rules for SimpleRules {
    fn name(&self, eval: &mut Eval<'_, '_>, file: u32, scope: Scope, name: GName) -> Ty {
        for class in self.classes_around(eval, file, scope) {
            let this = Ty::Of(class, Arc::new([]));
            if let Some(found) = self.class_member(eval, &this, name, Access::Read) {
                return found;
            }
        }
        if let Some(found) = self.lookup(eval, file, scope, &[name], Among::All) {
            return found;
        }
        if let Some(found) = self.inherited_type(eval, file, scope, name) {
            return found;
        }
        let text = eval.program.text(name);
        let own_table = eval.program.files[file as usize].exports.iter();
        if own_table.into_iter().any(|export| eval.program.name(file, export.name) == name) {
            return Ty::Place(Place::File(file));
        }
        if text.starts_with(|c: char| c.is_uppercase()) { Ty::External } else { Ty::Unknown }
    }

    fn path(&self, eval: &mut Eval<'_, '_>, file: u32, scope: Scope, path: &[GName], args: Vec<Ty>) -> Ty {
        let Some((&first, rest)) = path.split_first() else {
            return extensions::receiver(args, file);
        };
        if !rest.is_empty() {
            if let Some(found) = self.lookup(eval, file, scope, path, Among::All) {
                return found;
            }
            let from = match self.lookup(eval, file, scope, &[first], Among::All) {
                Some(from) => from,
                None => self.inherited_type(eval, file, scope, first).unwrap_or(Ty::External),
            };
            return self.through(eval, from, rest);
        }
        let found = self.word(eval, file, scope, first);
        if args.is_empty() { found } else { self.in_blocks(eval, file, first, found, &args) }
    }

    fn type_path(
        &self,
        eval: &mut Eval<'_, '_>,
        file: u32,
        scope: Scope,
        path: &[GName],
        args: Vec<Ty>,
    ) -> Ty {
        let Some(&first) = path.first() else { return Ty::Unknown };
        if path.len() == 1 && matches!(eval.program.text(first), "self" | "static" | "Self" | "This") {
            return self.this(eval, file, scope);
        }
        let found = match self.lookup(eval, file, scope, path, Among::Types) {
            None if path.len() == 1 => self.inherited_type(eval, file, scope, first),
            found => found,
        };
        match found {
            Some(Ty::Type(def, _)) => Ty::Of(def, args.into()),
            Some(Ty::Of(def, _)) if path.len() > 1 => Ty::Of(def, args.into()),
            // A file may be a type.
            Some(file @ Ty::Place(Place::File(_))) => file,
            Some(_) => Ty::External,
            None => common::named_type(eval.program.text(path[path.len() - 1])),
        }
    }

    fn member(&self, eval: &mut Eval<'_, '_>, base: &Ty, name: GName, access: Access) -> Ty {
        match base {
            Ty::Std(extensions::RECEIVER, seen) => self.called_on(eval, seen, name, access),
            Ty::Of(..) | Ty::Type(..) => {
                if let Some(found) = self.class_member(eval, base, name, access) {
                    return found;
                }
                let text = eval.program.text(name);
                let makes =
                    matches!(base, Ty::Type(..)) && matches!(text, "new" | "init" | "apply" | "build");
                if makes {
                    return base.clone();
                }
                Ty::External
            }
            Ty::Place(Place::File(file)) => {
                let full = join(&eval.program.files[*file as usize].path, eval.program.text(name));
                let found = self.value(eval, *file, &full, None, Among::All);
                found
                    .or_else(|| eval.top_binding(*file, name))
                    .or_else(|| self.passed_on(eval, *file, name))
                    .unwrap_or(Ty::External)
            }
            _ => Ty::External,
        }
    }

    fn std_call(&self, _: &mut Eval<'_, '_>, _: &Ty, _: GName, _: Call<'_>) -> Ty {
        Ty::External
    }

    fn std_made(&self, _: &mut Eval<'_, '_>, _: &'static str, _: &Args, _: Call<'_>) -> Ty {
        Ty::External
    }

    fn out(&self, _: &mut Eval<'_, '_>, of: &Ty, by: By) -> Ty {
        match (of, by) {
            (Ty::Of(class, args), By::Class) => Ty::Type(*class, Arc::clone(args)),
            (Ty::Std("List", args), By::Iteration) => args.first().cloned().unwrap_or(Ty::Unknown),
            _ => Ty::Unknown,
        }
    }

    fn this(&self, eval: &mut Eval<'_, '_>, file: u32, scope: Scope) -> Ty {
        match self.classes_around(eval, file, scope).into_iter().next() {
            Some(class) => Ty::Of(class, Arc::new([])),
            None if matches!(self.grammar.unit, Unit::File) => Ty::Place(Place::File(file)),
            None => Ty::Unknown,
        }
    }

    fn base(&self, eval: &mut Eval<'_, '_>, file: u32, scope: Scope) -> Ty {
        let Ty::Of(class, _) = self.this(eval, file, scope) else { return Ty::Unknown };
        let file = eval.program.file_of(class);
        let bases: Vec<Ty> = eval.program.def(class).bases.iter().map(|&base| eval.ty(file, base)).collect();
        // What only says what there must be holds nothing to call.
        let is_contract =
            |ty: &Ty| matches!(ty, Ty::Of(of, _) if eval.program.def(*of).kind == DefKind::Interface);
        let bases: Vec<Ty> = bases.into_iter().filter(|base| !is_contract(base)).collect();
        if bases.is_empty() { Ty::External } else { Ty::union(bases) }
    }

    /// The constructors of a class, whatever the language calls them.
    fn constructors(&self, eval: &mut Eval<'_, '_>, def: GDef) -> Vec<GDef> {
        let program = eval.program;
        for class in self.lineage(eval, def).0 {
            let full = self.full(program, class);
            let own = program.text(program.def_name(def));
            // One that has the name of its class is not inherited.
            let own = (class == def).then_some(own);
            let language = program.files[program.file_of(class) as usize].language.as_str();
            // In other languages a method of that name is one like any other.
            let special = match language {
                "php" => "__construct",
                "ruby" => "initialize",
                "swift" => "init",
                _ => "constructor",
            };
            for name in own.into_iter().chain([special]) {
                let mut made = self.near(program, program.file_of(class), &join(&full, name));
                made.retain(|&def| program.def(def).kind == DefKind::Method);
                if !made.is_empty() {
                    return made;
                }
            }
        }
        Vec::new()
    }

    fn import(&self, eval: &mut Eval<'_, '_>, file: u32, at: usize) -> Ty {
        if let Some(&file) = self.loaded.get(&(file, at as u32)) {
            return Ty::Place(Place::File(file));
        }
        let facts = eval.program.files[file as usize];
        let parts: Vec<&str> = facts.imports[at].path.iter().map(|&part| facts.text(part)).collect();
        let full = parts.join(".");
        let is_namespace = |def: &GDef| eval.program.def(*def).kind == DefKind::Module;
        // A namespace of several files is none of them.
        let named = self.near(eval.program, file, &full);
        if named.len() > 1 && named.iter().all(is_namespace) {
            return Ty::External;
        }
        match self.value(eval, file, &full, None, Among::All) {
            Some(Ty::Union(parts)) => parts.first().cloned().unwrap_or(Ty::External),
            found => found
                .or_else(|| {
                    self.imported_extensions(eval.program, file, at).first().map(|&def| Ty::Fn(def, None))
                })
                .unwrap_or(Ty::External),
        }
    }

    fn imported_constant(&self, eval: &mut Eval<'_, '_>, file: u32, at: usize) -> Option<GDef> {
        let facts = eval.program.files[file as usize];
        let parts: Vec<&str> = facts.imports[at].path.iter().map(|&part| facts.text(part)).collect();
        let mut named = self.near(eval.program, file, &parts.join("."));
        named.retain(|&def| eval.program.def(def).kind == DefKind::Constant);
        if let [only] = named[..] { Some(only) } else { None }
    }

    /// The type that a member is imported from.
    fn imported_from(&self, eval: &mut Eval<'_, '_>, file: u32, at: usize) -> Option<Place> {
        let facts = eval.program.files[file as usize];
        let parts: Vec<&str> = facts.imports[at].path.iter().map(|&part| facts.text(part)).collect();
        let (_, outer) = parts.split_last()?;
        let mut named = self.near(eval.program, file, &outer.join("."));
        named.retain(|&def| eval.program.def(def).kind.is_type());
        if let [only] = named[..] { Some(Place::Def(only)) } else { None }
    }

    /// What a module is mixed into may have more than the module knows of.
    fn guesses(&self, program: &Program<'_>, file: u32, scope: Scope, name: GName) -> Vec<GDef> {
        let named = program.methods(name);
        let is_told = !self.is_common_method(program.text(name)) && named.len() <= MAX_SAME;
        if !is_told || !self.is_mixed_in(program, file, scope) {
            return Vec::new();
        }
        let here = program.files[file as usize].path.as_str();
        let may_be = |def: &GDef| {
            let other = program.files[program.file_of(*def) as usize];
            other.language == self.grammar.name
                && !program.def(*def).is_test_case()
                && self.joins(here, &other.path)
        };
        program.without_copies(file, named.iter().copied().filter(may_be).collect())
    }

    fn other_parts(&self, program: &Program<'_>, def: GDef) -> Vec<GDef> {
        let is_partial = |def: &GDef| {
            let found = program.def(*def);
            found.kind.is_type() && found.signature.split(' ').any(|word| word == "partial")
        };
        if self.grammar.name != "csharp" || !is_partial(&def) {
            return Vec::new();
        }
        let parts = self.parts(program, def).into_iter();
        parts.filter(|part| *part != def && is_partial(part)).collect()
    }

    fn parameters(&self) -> Parameters {
        self.grammar.parameters
    }

    fn is_dynamic(&self) -> bool {
        self.grammar.is_dynamic()
    }

    fn is_common_method(&self, name: &str) -> bool {
        common::is_common(name) || (self.grammar.is_library)(name)
    }
}

fn is_known_here(program: &Program<'_>, file: u32, name: GName) -> bool {
    let place = Place::File(file);
    !program.items(place, name).is_empty() || !program.imports(place, name).is_empty()
}
