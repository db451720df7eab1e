//! How names, classes and members are found in Java.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::facts::{By, DefIx, DefKind, Scope};
use crate::manifest::root;
use crate::resolve::eval::Eval;
use crate::resolve::lineage::{Foreign, classes_around, lineage};
use crate::resolve::program::{GDef, GName, Place, Program};
use crate::resolve::rules::{Access, Call, Parameters, Rules, WrittenAsClass};
use crate::resolve::ty::{Args, Ty};

#[derive(Default)]
pub(crate) struct JavaRules {
    /// Top-level types by package and name.
    types: FxHashMap<(String, String), Vec<GDef>>,
    /// Packages, and what their names begin with, by number and by name.
    packages: Vec<String>,
    numbers: FxHashMap<String, u32>,
}

impl JavaRules {
    pub(crate) fn of(program: &Program<'_>) -> Self {
        let mut rules = Self::default();
        for (file, facts) in program.files.iter().enumerate().filter(|(_, file)| file.language == super::NAME)
        {
            rules.add_package(&facts.package);
            for (at, def) in facts.defs.iter().enumerate() {
                if def.parent.is_none() && def.kind.is_type() {
                    let key = (facts.package.clone(), facts.text(def.name).to_owned());
                    rules.types.entry(key).or_default().push(program.global(file as u32, DefIx(at as u32)));
                }
            }
        }
        rules
    }

    fn add_package(&mut self, name: &str) {
        let ends = name.match_indices('.').map(|(at, _)| at).chain([name.len()]);
        for end in ends.rev() {
            let outer = &name[..end];
            if outer.is_empty() || self.numbers.contains_key(outer) {
                return;
            }
            self.numbers.insert(outer.to_owned(), self.packages.len() as u32);
            self.packages.push(outer.to_owned());
        }
    }

    fn package(&self, name: &str) -> Option<Ty> {
        self.numbers.get(name).map(|&package| Ty::Place(Place::Package(package)))
    }

    /// `com.shop.Cart` where a value stands: a package inside of another, or a class of it.
    fn below(&self, eval: &Eval<'_, '_>, package: u32, name: GName, access: Access) -> Ty {
        let program = eval.program;
        let (package, text) = (&self.packages[package as usize], program.text(name));
        if let Some(found) = self.in_package(program, eval.asked_in, package, text) {
            return Ty::Type(found, Arc::new([]));
        }
        // What is called is no package: then the first name was that of a value which we do not see.
        let otherwise = if access == Access::Call { Ty::Unknown } else { Ty::External };
        self.package(&format!("{package}.{text}")).unwrap_or(otherwise)
    }

    /// The same class may be there more than once, as in modules built apart: then the nearest is meant.
    fn in_package(&self, program: &Program<'_>, file: u32, package: &str, name: &str) -> Option<GDef> {
        let named = self.types.get(&(package.to_owned(), name.to_owned()))?;
        if let Some(found) = program.only_nearest(file, named) {
            return Some(found);
        }
        // What stands in for a class where Java is compiled to JavaScript is meant there alone.
        let own: Vec<GDef> =
            named.iter().copied().filter(|&def| !is_stand_in(program.path_of(def))).collect();
        program.only_nearest(file, &own)
    }

    /// A class by its full name; classes may be nested in classes.
    fn full(&self, program: &Program<'_>, file: u32, path: &[&str]) -> Option<GDef> {
        for cut in (0..path.len()).rev() {
            let Some(mut found) = self.in_package(program, file, &path[..cut].join("."), path[cut]) else {
                continue;
            };
            for inner in &path[cut + 1..] {
                let name = program.find_name(inner)?;
                found = nested(program, found, name)?;
            }
            return Some(found);
        }
        None
    }

    fn import_path<'f>(&self, program: &Program<'f>, file: u32, at: u32) -> Vec<&'f str> {
        let import = &program.files[file as usize].imports[at as usize];
        import.path.iter().map(|&part| program.text(program.name(file, part))).collect()
    }

    /// A type as seen from inside a scope; an error says whether it is certainly not ours.
    fn type_named(&self, eval: &mut Eval<'_, '_>, file: u32, scope: Scope, name: GName) -> Ty {
        let program = eval.program;
        let facts = program.files[file as usize];
        let mut around = scope;
        while let Some(ix) = around {
            let def = facts.def(ix);
            let global = program.global(file, ix);
            if let Some(at) = def.type_params.iter().position(|p| program.name(file, p.name) == name) {
                return Ty::Param(global, at as u32);
            }
            if def.kind.is_type() {
                if program.name(file, def.name) == name {
                    return Ty::Type(global, Arc::new([]));
                }
                // Directly nested first: looking through bases needs this very lookup.
                if let Some(found) = nested(program, global, name) {
                    return Ty::Type(found, Arc::new([]));
                }
            }
            around = def.parent;
        }
        for &(_, at) in program.imports(Place::File(file), name) {
            let import = &facts.imports[at as usize];
            if import.item.is_none() {
                let path = self.import_path(program, file, at);
                return self
                    .full(program, file, &path)
                    .map_or(Ty::External, |def| Ty::Type(def, Arc::new([])));
            }
        }
        let text = program.text(name);
        // A package of another root is another package, until something is imported from it.
        let is_own = |def: &GDef| root(program.path_of(*def)) == root(&facts.path);
        if let Some(found) = self.in_package(program, file, &facts.package, text).filter(is_own) {
            return Ty::Type(found, Arc::new([]));
        }
        for &(_, at) in program.globs(Place::File(file)) {
            let package = self.import_path(program, file, at).join(".");
            if let Some(found) = self.in_package(program, file, &package, text) {
                return Ty::Type(found, Arc::new([]));
            }
        }
        // Nothing of ours has that name here: it is java.lang's, or a package's we do not have.
        if text.chars().next().is_some_and(char::is_uppercase) { Ty::External } else { Ty::Unknown }
    }

    fn lineage(&self, eval: &mut Eval<'_, '_>, class: GDef) -> (Vec<GDef>, bool) {
        lineage(eval, class, Foreign::External)
    }

    /// The methods of a class with a name, every overload of the nearest class that has one.
    fn methods(&self, eval: &mut Eval<'_, '_>, base: &Ty, class: GDef, name: GName) -> Option<Ty> {
        let program = eval.program;
        for at in self.lineage(eval, class).0 {
            let found: Vec<Ty> = program
                .items(Place::Def(at), name)
                .iter()
                .filter(|&&def| program.def(def).kind == DefKind::Method && program.def(def).of.is_none())
                .map(|&def| Ty::Fn(def, Some(Arc::new(base.clone()))))
                .collect();
            if !found.is_empty() {
                return Some(Ty::union(found));
            }
        }
        None
    }

    fn field(&self, eval: &mut Eval<'_, '_>, class: GDef, args: &[Ty], name: GName) -> Option<Ty> {
        let (line, _) = self.lineage(eval, class);
        line.into_iter().find_map(|at| eval.field(at, if at == class { args } else { &[] }, name))
    }

    /// The classes that a place lies in, innermost first. One without a name is what it extends.
    fn classes_around(&self, eval: &mut Eval<'_, '_>, file: u32, scope: Scope) -> Vec<GDef> {
        classes_around(eval, file, scope, DefKind::Method, DefKind::is_type)
    }

    /// A method of a class without a name, which only what stands in that class can call by its name.
    fn beside(&self, program: &Program<'_>, file: u32, scope: Scope, name: GName) -> Option<Ty> {
        let facts = program.files[file as usize];
        let mut around = scope;
        while let Some(ix) = around {
            let def = facts.def(ix);
            if def.kind == DefKind::Method && def.of.is_some() {
                let place = program.place(file, def.parent);
                let beside = program.items(place, name).iter().copied();
                let beside = beside.filter(|&other| program.def(other).of == def.of);
                let found: Vec<Ty> = beside.map(|other| Ty::Fn(other, None)).collect();
                if !found.is_empty() {
                    return Some(Ty::union(found));
                }
            }
            around = def.parent;
        }
        None
    }

    /// The method that a record has for each of its parts.
    fn accessor(&self, eval: &mut Eval<'_, '_>, class: GDef, name: GName) -> Option<Ty> {
        let is_record = eval
            .program
            .def(class)
            .signature
            .split(['(', '<'])
            .next()
            .is_some_and(|head| head.split_whitespace().any(|word| word == "record"));
        let part = if is_record { eval.field(class, &[], name) } else { None };
        part.map(|part| Ty::Callable(Arc::new([]), Arc::new(part)))
    }
}

/// Whether a file replaces a class for GWT: its path begins again below a folder of that name.
fn is_stand_in(path: &str) -> bool {
    path.split('/').any(|folder| matches!(folder, "super" | "src-super" | "emul"))
}

fn nested(program: &Program<'_>, class: GDef, name: GName) -> Option<GDef> {
    let items = program.items(Place::Def(class), name);
    items.iter().copied().find(|&def| program.def(def).kind.is_type())
}

impl Rules for JavaRules {
    fn parameters(&self) -> Parameters {
        let written_as_class = WrittenAsClass::Records;
        Parameters { any_number: Some("..."), all_given: true, written_as_class, converts: false }
    }

    fn name(&self, eval: &mut Eval<'_, '_>, file: u32, scope: Scope, name: GName) -> Ty {
        for class in self.classes_around(eval, file, scope) {
            if let Some(found) = self.field(eval, class, &[], name) {
                return found;
            }
        }
        let text = eval.program.text(name);
        match (self.type_named(eval, file, scope, name), text) {
            // What has no package of ours is of the library's.
            (Ty::Unknown, "java" | "javax") => self.package(text).unwrap_or(Ty::External),
            (Ty::Unknown, _) => self.package(text).unwrap_or(Ty::Unknown),
            (found, _) => found,
        }
    }

    /// A bare method name.
    fn path(&self, eval: &mut Eval<'_, '_>, file: u32, scope: Scope, path: &[GName], _: Vec<Ty>) -> Ty {
        let Some(&name) = path.first() else { return Ty::Unknown };
        let program = eval.program;
        if let Some(found) = self.beside(program, file, scope, name) {
            return found;
        }
        let mut foreign = false;
        for class in self.classes_around(eval, file, scope) {
            let this = Ty::Of(class, Arc::new([]));
            if let Some(found) = self.methods(eval, &this, class, name) {
                return found;
            }
            if let Some(found) = self.accessor(eval, class, name) {
                return found;
            }
            foreign |= self.lineage(eval, class).1;
        }
        let named = program.imports(Place::File(file), name).iter().chain(program.globs(Place::File(file)));
        for &(_, at) in named {
            if program.files[file as usize].imports[at as usize].level == 0 {
                continue;
            }
            let path = self.import_path(program, file, at);
            match self.full(program, file, &path) {
                Some(class) => {
                    if let Some(found) = self.methods(eval, &Ty::Type(class, Arc::new([])), class, name) {
                        return found;
                    }
                }
                None => foreign = true,
            }
        }
        if foreign { Ty::External } else { Ty::Unknown }
    }

    fn type_path(
        &self,
        eval: &mut Eval<'_, '_>,
        file: u32,
        scope: Scope,
        path: &[GName],
        args: Vec<Ty>,
    ) -> Ty {
        let Some((&first, rest)) = path.split_first() else { return Ty::Unknown };
        let program = eval.program;
        let mut at = self.type_named(eval, file, scope, first);
        if !rest.is_empty() && !matches!(at, Ty::Type(..)) {
            let full: Vec<&str> = path.iter().map(|&part| program.text(part)).collect();
            at = self.full(program, file, &full).map_or(Ty::External, |def| Ty::Type(def, Arc::new([])));
        } else {
            for &name in rest {
                at = match at {
                    Ty::Type(class, _) => {
                        nested(program, class, name).map_or(Ty::Unknown, |def| Ty::Type(def, Arc::new([])))
                    }
                    other => other,
                };
            }
        }
        match at {
            Ty::Type(def, _) => Ty::Of(def, args.into()),
            Ty::External => library(path.last().map_or("", |&last| program.text(last)), args),
            other => other,
        }
    }

    fn member(&self, eval: &mut Eval<'_, '_>, base: &Ty, name: GName, access: Access) -> Ty {
        match base {
            Ty::Of(class, args) | Ty::Type(class, args) => {
                if access == Access::Call
                    && let Some(found) = self.methods(eval, base, *class, name)
                {
                    return found;
                }
                if let Some(found) = self.field(eval, *class, args, name) {
                    // A record's part is read by a method of its name.
                    return if access == Access::Call {
                        Ty::Callable(Arc::new([]), Arc::new(found))
                    } else {
                        found
                    };
                }
                if let Some(found) = nested(eval.program, *class, name) {
                    return Ty::Type(found, Arc::new([]));
                }
                // Every class inherits from one that is not ours.
                Ty::External
            }
            Ty::Param(owner, at) => {
                let file = eval.program.file_of(*owner);
                let param = eval.program.def(*owner).type_params.get(*at as usize);
                match param.and_then(|p| p.bounds.first().copied()).map(|bound| eval.ty(file, bound)) {
                    Some(Ty::Param(..)) | None => Ty::External,
                    Some(bound) => eval.member(file, &bound, name, access),
                }
            }
            Ty::Place(Place::Package(package)) => self.below(eval, *package, name, access),
            Ty::Std(..) => Ty::StdFn(name, Arc::new(base.clone())),
            Ty::StdType(..) | Ty::Fn(..) | Ty::Callable(..) | Ty::Closure(..) => Ty::External,
            _ => Ty::Unknown,
        }
    }

    fn std_call(&self, eval: &mut Eval<'_, '_>, base: &Ty, method: GName, call: Call<'_>) -> Ty {
        let Ty::Std(kind, args) = base else { return Ty::External };
        let first = || args.first().cloned().unwrap_or(Ty::Unknown);
        let second = || args.get(1).cloned().unwrap_or(Ty::Unknown);
        match (*kind, eval.program.text(method)) {
            ("List", "map") => {
                let function = call.args.first().map_or(Ty::Unknown, |&arg| eval.expr(call.file, arg));
                Ty::std("List", [eval.function_result(&function, call.file)])
            }
            (
                "List",
                "get" | "next" | "remove" | "poll" | "peek" | "pop" | "first" | "last" | "getFirst"
                | "getLast" | "orElse" | "orElseThrow" | "orElseGet" | "take" | "join" | "iterator_next",
            ) => first(),
            (
                "List",
                "stream" | "iterator" | "filter" | "sorted" | "distinct" | "limit" | "skip" | "collect"
                | "toList" | "findFirst" | "findAny" | "subList" | "peek_" | "parallelStream"
                | "listIterator",
            ) => base.clone(),
            ("Map", "get" | "getOrDefault" | "put" | "remove" | "computeIfAbsent" | "putIfAbsent") => {
                second()
            }
            ("Map", "values") => Ty::std("List", [second()]),
            ("Map", "keySet") => Ty::std("List", [first()]),
            ("Map", "entrySet") => Ty::std("List", [Ty::std("Entry", [first(), second()])]),
            ("Entry", "getKey") => first(),
            ("Entry", "getValue") => second(),
            (
                "Text",
                "length"
                | "indexOf"
                | "lastIndexOf"
                | "compareTo"
                | "compareToIgnoreCase"
                | "hashCode"
                | "codePointAt"
                | "capacity",
            ) => Ty::std("Number", []),
            (
                "Text",
                "isEmpty" | "isBlank" | "equals" | "equalsIgnoreCase" | "contains" | "startsWith"
                | "endsWith" | "matches" | "charAt" | "getBytes" | "toCharArray" | "chars" | "split"
                | "lines" | "getClass",
            ) => Ty::External,
            ("Text", _) => Ty::std("Text", []),
            _ => Ty::External,
        }
    }

    fn std_made(&self, _: &mut Eval<'_, '_>, name: &'static str, args: &Args, _: Call<'_>) -> Ty {
        Ty::Std(name, Arc::clone(args))
    }

    fn out(&self, _: &mut Eval<'_, '_>, of: &Ty, by: By) -> Ty {
        match (of, by) {
            (Ty::Of(class, args), By::Class) => Ty::Type(*class, Arc::clone(args)),
            (Ty::Std(name, args), By::Class) => Ty::StdType(name, Arc::clone(args)),
            (Ty::Std("List", args), By::Iteration) => args.first().cloned().unwrap_or(Ty::Unknown),
            _ => Ty::Unknown,
        }
    }

    fn std_param(
        &self,
        eval: &mut Eval<'_, '_>,
        base: &Ty,
        method: GName,
        _: Call<'_>,
        at: (u32, u32),
    ) -> Ty {
        match (base, eval.program.text(method), at.1) {
            (Ty::Std("Map", args), "forEach" | "compute" | "computeIfPresent", 1) => {
                args.get(1).cloned().unwrap_or(Ty::Unknown)
            }
            (Ty::Std("List" | "Map", args), _, 0) => args.first().cloned().unwrap_or(Ty::Unknown),
            (Ty::Std("List", args), "sort" | "sorted" | "reduce", 1) => {
                args.first().cloned().unwrap_or(Ty::Unknown)
            }
            _ => Ty::Unknown,
        }
    }

    fn this(&self, eval: &mut Eval<'_, '_>, file: u32, scope: Scope) -> Ty {
        let class = self.classes_around(eval, file, scope).into_iter().next();
        class.map_or(Ty::Unknown, |class| Ty::Of(class, Arc::new([])))
    }

    fn base(&self, eval: &mut Eval<'_, '_>, file: u32, scope: Scope) -> Ty {
        // What a class without a name extends is what it is seen as.
        let facts = eval.program.files[file as usize];
        if let Some(of) =
            scope.and_then(|ix| facts.def(ix).of.filter(|_| facts.def(ix).kind == DefKind::Method))
        {
            return eval.ty(file, of);
        }
        let Ty::Of(class, _) = self.this(eval, file, scope) else { return Ty::Unknown };
        match eval.program.def(class).bases.first() {
            Some(&base) => eval.ty(eval.program.file_of(class), base),
            None => Ty::External,
        }
    }

    /// A constructor has the name of its class.
    fn constructors(&self, eval: &mut Eval<'_, '_>, def: GDef) -> Vec<GDef> {
        let program = eval.program;
        let items = program.items(Place::Def(def), program.def_name(def)).iter().copied();
        items.filter(|&item| program.def(item).kind == DefKind::Method).collect()
    }

    fn import(&self, eval: &mut Eval<'_, '_>, file: u32, at: usize) -> Ty {
        let program = eval.program;
        let path = self.import_path(program, file, at as u32);
        self.full(program, file, &path).map_or(Ty::External, |def| Ty::Type(def, Arc::new([])))
    }

    /// `import static a.Config.LIMIT`.
    fn imported_constant(&self, eval: &mut Eval<'_, '_>, file: u32, at: usize) -> Option<GDef> {
        let program = eval.program;
        let of = self.full(program, file, &self.import_path(program, file, at as u32))?;
        let name = program.name(file, program.files[file as usize].imports[at].bind);
        self.constant(program, Place::Def(of), name)
    }

    fn is_common_method(&self, name: &str) -> bool {
        matches!(
            name,
            "get"
                | "set"
                | "add"
                | "put"
                | "remove"
                | "size"
                | "isEmpty"
                | "contains"
                | "equals"
                | "hashCode"
                | "toString"
                | "compareTo"
                | "iterator"
                | "next"
                | "hasNext"
                | "close"
                | "read"
                | "write"
                | "run"
                | "call"
                | "apply"
                | "accept"
                | "test"
                | "length"
                | "append"
                | "format"
                | "getName"
                | "getId"
                | "getValue"
                | "getKey"
                | "stream"
                | "map"
                | "filter"
                | "collect"
                | "forEach"
                | "of"
                | "valueOf"
                | "build"
                | "start"
                | "stop"
                | "clear"
                | "clone"
                | "getClass"
                | "name"
                | "ordinal"
                | "values"
        )
    }
}

/// Library types that hold others.
fn library(name: &str, args: Vec<Ty>) -> Ty {
    let known = match name {
        "List" | "ArrayList" | "LinkedList" | "Set" | "HashSet" | "TreeSet" | "LinkedHashSet"
        | "Collection" | "Iterable" | "Iterator" | "Stream" | "Optional" | "Queue" | "Deque"
        | "ArrayDeque" | "Supplier" | "CompletableFuture" | "Future" | "AtomicReference" | "ThreadLocal" => {
            "List"
        }
        "Map" | "HashMap" | "TreeMap" | "LinkedHashMap" | "ConcurrentHashMap" | "ConcurrentMap"
        | "SortedMap" => "Map",
        "Entry" => "Entry",
        "String" | "StringBuilder" | "CharSequence" => "Text",
        "Class" => "Class",
        "Integer" | "Long" | "Double" | "Float" | "Short" | "Byte" | "Number" => "Number",
        _ => return Ty::External,
    };
    Ty::Std(known, args.into())
}
