//! How names, packages and members are found in Go.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::facts::{By, DefIx, DefKind, Import, Scope, TypeExpr, TypeIx};
use crate::manifest::{folder, is_inside, join};
use crate::resolve::eval::Eval;
use crate::resolve::program::{GDef, GName, Place, Program};
use crate::resolve::rules::{Access, Call, Rules};
use crate::resolve::ty::{Args, Ty};
use m1nd_graph::NodeFlags;
use m1nd_graph::near::nearest_folder;

/// Deeper embedding is not followed.
const MAX_BASES: usize = 40;

#[derive(Default)]
pub(crate) struct GoRules {
    /// Module paths and the folders they name.
    modules: Vec<(String, String)>,
    /// Modules that another one replaces by a folder: whose it is, what it replaces and by what.
    replaced: Vec<(String, String, String)>,
    /// Packages by folder and name; tests may have a package of their own beside it.
    packages: FxHashMap<(String, String), u32>,
    package_of: Vec<Option<u32>>,
    files: Vec<Vec<u32>>,
    /// What each import of each file names.
    imports: Vec<Vec<Ty>>,
    /// By the first variant of their type.
    methods: FxHashMap<(GDef, GName), Vec<GDef>>,
    /// Types that a package defines more than once, for one build each, with all definitions.
    variants: FxHashMap<GDef, Arc<[GDef]>>,
}

impl GoRules {
    pub(crate) fn of(program: &Program<'_>) -> Self {
        let mut rules = Self::default();
        for manifest in program.manifests.iter().filter(|manifest| manifest.name() == "go.mod") {
            let module = manifest.text.lines().find_map(|line| line.trim().strip_prefix("module "));
            if let Some(module) = module {
                let module = module.trim().trim_matches('"').to_owned();
                rules.modules.push((module, manifest.folder().to_owned()));
            }
            rules
                .replaced
                .extend(manifest.text.lines().filter_map(|line| replacement(manifest.folder(), line)));
        }
        for (at, file) in program.files.iter().enumerate() {
            if file.language != super::NAME {
                rules.package_of.push(None);
                continue;
            }
            let key = (folder(&file.path).to_owned(), file.package.clone());
            let next = rules.files.len() as u32;
            let package = *rules.packages.entry(key).or_insert(next);
            if package == next {
                rules.files.push(Vec::new());
            }
            rules.files[package as usize].push(at as u32);
            rules.package_of.push(Some(package));
        }
        rules.imports = rules.read_imports(program);
        rules.variants = rules.read_variants(program);
        rules.methods = rules.read_methods(program);
        rules
    }

    fn read_methods(&self, program: &Program<'_>) -> FxHashMap<(GDef, GName), Vec<GDef>> {
        let by_file: Vec<&dyn Rules> = program.files.iter().map(|_| self as &dyn Rules).collect();
        let mut eval = Eval::new(program, &by_file);
        let mut methods: FxHashMap<(GDef, GName), Vec<GDef>> = FxHashMap::default();
        for (file, facts) in program.files.iter().enumerate().filter(|(_, file)| file.language == super::NAME)
        {
            let file = file as u32;
            for (at, def) in facts.defs.iter().enumerate().filter(|(_, def)| def.kind == DefKind::Impl) {
                let Some(Ty::Of(of, _)) = def.of.map(|of| eval.ty(file, of)) else { continue };
                let first = self.variants(&of)[0];
                for &method in program.children(Place::Def(program.global(file, DefIx(at as u32)))) {
                    methods.entry((first, program.def_name(method))).or_default().push(method);
                }
            }
        }
        methods
    }

    fn read_variants(&self, program: &Program<'_>) -> FxHashMap<GDef, Arc<[GDef]>> {
        let mut found = FxHashMap::default();
        for files in &self.files {
            let mut by_name: FxHashMap<GName, Vec<GDef>> = FxHashMap::default();
            for &file in files {
                let tops = program.children(Place::File(file)).iter().copied();
                for def in tops.filter(|&def| program.def(def).kind.is_type()) {
                    by_name.entry(program.def_name(def)).or_default().push(def);
                }
            }
            for several in by_name.into_values().filter(|defs| defs.len() > 1) {
                let several: Arc<[GDef]> = several.into();
                found.extend(several.iter().map(|&def| (def, Arc::clone(&several))));
            }
        }
        found
    }

    /// A type as each build defines it.
    fn variants<'a>(&'a self, def: &'a GDef) -> &'a [GDef] {
        self.variants.get(def).map_or(std::slice::from_ref(def), |all| all)
    }

    /// How far a file is from being built with another, where both define something for builds that exclude
    /// each other: 0 for the same, 2 for one that is left out of builds without tags.
    fn distance(&self, program: &Program<'_>, asked: u32, file: u32) -> u32 {
        let is_left_out = |file: u32| program.files[file as usize].flags.has(NodeFlags::CONDITIONAL);
        match () {
            () if asked == file => 0,
            () if is_left_out(file) && !is_left_out(asked) => 2,
            () => 1,
        }
    }

    /// Of definitions for different builds those that a file is built with, as far as that can be told.
    fn built_with(&self, program: &Program<'_>, asked: u32, mut defs: Vec<GDef>) -> Vec<GDef> {
        if defs.len() > 1 {
            let distance = |def: &GDef| self.distance(program, asked, program.file_of(*def));
            let nearest = defs.iter().map(distance).min();
            defs.retain(|def| Some(distance(def)) == nearest);
        }
        defs
    }

    /// A name of a package, in any of its files, as a file means it.
    fn item(&self, eval: &mut Eval<'_, '_>, asked: u32, package: u32, name: GName) -> Option<Ty> {
        let program = eval.program;
        (0..3).find_map(|distance| {
            let files = self.files[package as usize].iter().copied();
            let mut files = files.filter(|&file| self.distance(program, asked, file) == distance);
            self.item_of(eval, &mut files, name)
        })
    }

    fn item_of(
        &self,
        eval: &mut Eval<'_, '_>,
        files: &mut dyn Iterator<Item = u32>,
        name: GName,
    ) -> Option<Ty> {
        let program = eval.program;
        // One function for each system: which of them is called is not for us to say.
        let mut twins = Vec::new();
        for file in files {
            let items = program.items(Place::File(file), name);
            let def = items.iter().copied().find(|&def| program.def(def).kind != DefKind::Impl);
            // What a variable is given says what it is.
            let is_value = def.is_none_or(|def| program.def(def).kind == DefKind::Constant);
            if let Some(found) = is_value.then(|| eval.top_binding(file, name)).flatten() {
                return Some(found);
            }
            match def {
                Some(def) if program.def(def).kind == DefKind::Function => twins.push(Ty::Fn(def, None)),
                Some(def) if twins.is_empty() => return Some(self.def(eval, def)),
                _ => {}
            }
        }
        (!twins.is_empty()).then(|| Ty::union(twins))
    }

    fn def(&self, eval: &mut Eval<'_, '_>, def: GDef) -> Ty {
        let found = eval.program.def(def);
        match found.kind {
            DefKind::Function | DefKind::Method => Ty::Fn(def, None),
            DefKind::Constant => found.of.map_or(Ty::Unknown, |ty| eval.ty(eval.program.file_of(def), ty)),
            // A named type has methods of its own, whatever it is made of.
            _ => Ty::Type(def, Arc::new([])),
        }
    }

    fn read_imports(&self, program: &Program<'_>) -> Vec<Vec<Ty>> {
        let mut by_folder: FxHashMap<&str, u32> = FxHashMap::default();
        for ((folder, name), &at) in &self.packages {
            // A folder's tests may be a package of their own, which nobody imports.
            if !name.ends_with("_test") {
                let first = by_folder.entry(folder).or_insert(at);
                *first = at.min(*first);
            }
        }
        let target = |from: &str, path: &str| {
            let modules = self.modules.iter().filter_map(|(module, root)| {
                let rest = path.strip_prefix(module.as_str())?;
                (rest.is_empty() || rest.starts_with('/')).then_some((root.as_str(), rest))
            });
            let mut modules: Vec<(&str, &str)> = modules.collect();
            if modules.is_empty() {
                return Ty::External;
            }
            // What a module says about another holds in its own files.
            let own = self.modules.iter().map(|(_, root)| root.as_str()).filter(|root| is_inside(from, root));
            let own = own.max_by_key(|root| root.len());
            let replaced = self.replaced.iter().filter(|(of, module, _)| {
                let rest = path.strip_prefix(module.as_str());
                own == Some(of) && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            });
            if let Some((_, _, by)) = replaced.max_by_key(|(_, module, _)| module.len())
                && modules.iter().any(|(root, _)| root == by)
            {
                modules.retain(|(root, _)| root == by);
            }
            let there = modules.into_iter().filter_map(|(root, rest)| {
                let folder = join(root, rest)?;
                Some((root, rest, *by_folder.get(folder.as_str())?))
            });
            let there: Vec<(&str, &str, u32)> = there.collect();
            // Of copies of a module the nearest is meant, and a module inside of another before that.
            let near = nearest_folder(from, &there, |(root, _, _)| root);
            let inner = near.iter().map(|(_, rest, _)| rest.len()).min();
            let found: Vec<u32> =
                near.iter().filter(|(_, rest, _)| Some(rest.len()) == inner).map(|(_, _, at)| *at).collect();
            match found[..] {
                [only] => Ty::Place(Place::Package(only)),
                _ => Ty::Unknown,
            }
        };
        let of_file = |file: &&crate::facts::FileFacts| {
            let paths = file.imports.iter().filter(|_| file.language == super::NAME);
            let path = |import: &Import| import.path.first().map_or("", |&path| file.text(path));
            paths.map(|import| target(&file.path, path(import))).collect()
        };
        program.files.iter().map(of_file).collect()
    }

    fn imported(&self, file: u32, at: usize) -> Ty {
        self.imports.get(file as usize).and_then(|of_file| of_file.get(at)).cloned().unwrap_or(Ty::Unknown)
    }

    /// An import by the name it has in a file: its alias, its last part, or the package's own name.
    fn import_named(&self, eval: &Eval<'_, '_>, file: u32, name: GName) -> Option<Ty> {
        let program = eval.program;
        if let Some(&(_, at)) = program.imports(Place::File(file), name).first() {
            return Some(self.imported(file, at as usize));
        }
        let imports = 0..program.files[file as usize].imports.len();
        imports.into_iter().find_map(|at| match self.imported(file, at) {
            Ty::Place(Place::Package(package)) => {
                let first = *self.files[package as usize].first()?;
                let own = &program.files[first as usize].package;
                (own == program.text(name)).then_some(Ty::Place(Place::Package(package)))
            }
            _ => None,
        })
    }

    /// `T` in the methods of `func (s *Set[T])`: what the type calls its parameter at that place.
    fn receiver_param(&self, eval: &mut Eval<'_, '_>, file: u32, of: DefIx, name: GName) -> Option<Ty> {
        let program = eval.program;
        let facts = program.files[file as usize];
        let TypeExpr::Path { segments, args, .. } = &facts.types[facts.def(of).of?.0 as usize] else {
            return None;
        };
        let is_it = |arg: &TypeIx| match &facts.types[arg.0 as usize] {
            TypeExpr::Path { segments, .. } => {
                matches!(segments[..], [only] if program.name(file, only) == name)
            }
            _ => false,
        };
        let at = args.iter().position(is_it)?;
        let owner = program.name(file, *segments.first()?);
        match self.item(eval, file, self.package_of[file as usize]?, owner)? {
            Ty::Type(owner, _) => Some(Ty::Param(owner, at as u32)),
            _ => None,
        }
    }

    fn scoped(&self, eval: &mut Eval<'_, '_>, file: u32, scope: Scope, name: GName) -> Ty {
        let program = eval.program;
        let facts = program.files[file as usize];
        let mut around = scope;
        while let Some(ix) = around {
            let def = facts.def(ix);
            if let Some(at) = def.type_params.iter().position(|p| program.name(file, p.name) == name) {
                return Ty::Param(program.global(file, ix), at as u32);
            }
            if def.kind == DefKind::Impl
                && let Some(found) = self.receiver_param(eval, file, ix, name)
            {
                return found;
            }
            let local = program.items(Place::Def(program.global(file, ix)), name);
            if let Some(&found) = local.iter().find(|&&d| program.def(d).kind.is_type()) {
                return self.def(eval, found);
            }
            around = def.parent;
        }
        if let Some(found) =
            self.package_of[file as usize].and_then(|package| self.item(eval, file, package, name))
        {
            return found;
        }
        if let Some(found) = self.import_named(eval, file, name) {
            return found;
        }
        for &(_, at) in program.globs(Place::File(file)) {
            if let Ty::Place(Place::Package(package)) = self.imported(file, at as usize)
                && let Some(found) = self.item(eval, file, package, name)
            {
                return found;
            }
        }
        match program.text(name) {
            "len" | "cap" | "copy" | "int" | "int8" | "int16" | "int32" | "int64" | "uint" | "uint8"
            | "uint16" | "uint32" | "uint64" | "float32" | "float64" | "byte" | "rune" | "uintptr" => {
                Ty::StdType("Number", Arc::new([]))
            }
            "string" => Ty::StdType("Text", Arc::new([])),
            "bool" => Ty::StdType("Bool", Arc::new([])),
            "append" | "close" | "delete" | "panic" | "print" | "println" | "recover" | "min" | "max"
            | "clear" | "complex" | "real" | "imag" | "error" | "any" | "comparable" => Ty::External,
            _ => Ty::Unknown,
        }
    }

    /// A type, then the types it embeds, nearest first; whether one of them is not ours.
    fn lineage(&self, eval: &mut Eval<'_, '_>, def: GDef) -> (Vec<GDef>, bool) {
        let (mut line, mut foreign) = (Vec::new(), false);
        let mut work = std::collections::VecDeque::from([def]);
        while let Some(at) = work.pop_front() {
            if line.contains(&at) || line.len() >= MAX_BASES {
                continue;
            }
            line.push(at);
            let file = eval.program.file_of(at);
            let found = eval.program.def(at);
            // What is embedded under another name is the type that has it.
            let alias = found.of.filter(|_| at != def && found.kind == DefKind::TypeAlias);
            for &base in found.bases.iter().chain(&alias) {
                match eval.ty(file, base) {
                    Ty::Of(base, _) => work.push_back(base),
                    Ty::External => foreign = true,
                    _ => {}
                }
            }
        }
        (line, foreign)
    }

    fn of_type(&self, eval: &mut Eval<'_, '_>, base: &Ty, def: GDef, args: &Args, name: GName) -> Ty {
        let program = eval.program;
        let (line, foreign) = self.lineage(eval, def);
        let asked = eval.asked_in;
        for at in line {
            let declared = program.items(Place::Def(at), name).first().copied();
            let variants = self.variants(&at);
            let methods = self.methods.get(&(variants[0], name)).cloned();
            let methods = methods.map(|all| self.built_with(program, asked, all));
            let found = methods.unwrap_or_else(|| declared.into_iter().collect());
            if !found.is_empty() {
                let receiver = Arc::new(base.clone());
                return Ty::union(
                    found.into_iter().map(|def| Ty::Fn(def, Some(Arc::clone(&receiver)))).collect(),
                );
            }
            let own: &[Ty] = if at == def { args } else { &[] };
            // A build may have fields that another has not.
            let others = variants.iter().copied().filter(|&other| other != at);
            if let Some(field) = [at].into_iter().chain(others).find_map(|at| eval.field(at, own, name)) {
                return field;
            }
        }
        // `type Names []string` has what it is made of; `type Handler = pkg.Handler` is it.
        let found = program.def(def);
        if let (DefKind::TypeAlias, Some(of)) = (found.kind, found.of) {
            let of = eval.ty(program.file_of(def), of);
            if of != *base {
                return eval.member(program.file_of(def), &of, name, Access::Read);
            }
        }
        if foreign { Ty::External } else { Ty::Unknown }
    }
}

/// `replace a => ../b`, alone or as a line of a list, written in the module of a folder.
fn replacement(folder: &str, line: &str) -> Option<(String, String, String)> {
    let line = line.trim();
    let (module, by) = line.strip_prefix("replace ").unwrap_or(line).split_once("=>")?;
    let (module, by) = (module.split_whitespace().next()?, by.split_whitespace().next()?.trim_matches('"'));
    let by = by.starts_with('.').then(|| join(folder, by)).flatten()?;
    Some((folder.to_owned(), module.trim_matches('"').to_owned(), by))
}

impl Rules for GoRules {
    fn name(&self, eval: &mut Eval<'_, '_>, file: u32, scope: Scope, name: GName) -> Ty {
        self.scoped(eval, file, scope, name)
    }

    fn type_path(
        &self,
        eval: &mut Eval<'_, '_>,
        file: u32,
        scope: Scope,
        path: &[GName],
        args: Vec<Ty>,
    ) -> Ty {
        let found = match path {
            [name] if eval.program.text(*name) == "map" => return Ty::Std("Map", args.into()),
            [name] => self.scoped(eval, file, scope, *name),
            [package, name] => match self.import_named(eval, file, *package) {
                Some(Ty::Place(Place::Package(package))) => {
                    self.item(eval, file, package, *name).unwrap_or(Ty::Unknown)
                }
                Some(other) => other,
                None => Ty::Unknown,
            },
            _ => Ty::Unknown,
        };
        match found {
            Ty::Type(def, _) => Ty::Of(def, args.into()),
            Ty::StdType(name, _) => Ty::Std(name, args.into()),
            other => other,
        }
    }

    fn member(&self, eval: &mut Eval<'_, '_>, base: &Ty, name: GName, _: Access) -> Ty {
        match base {
            Ty::Of(def, args) | Ty::Type(def, args) => self.of_type(eval, base, *def, args, name),
            Ty::Place(Place::Package(package)) => {
                self.item(eval, eval.asked_in, *package, name).unwrap_or(Ty::Unknown)
            }
            Ty::Param(owner, at) => {
                let file = eval.program.file_of(*owner);
                let param = eval.program.def(*owner).type_params.get(*at as usize);
                match param.and_then(|p| p.bounds.first().copied()).map(|bound| eval.ty(file, bound)) {
                    Some(Ty::Param(..)) | None => Ty::Unknown,
                    Some(bound) => eval.member(file, &bound, name, Access::Call),
                }
            }
            Ty::Std(..)
            | Ty::StdType(..)
            | Ty::Fn(..)
            | Ty::Callable(..)
            | Ty::Tuple(_)
            | Ty::Closure(..) => Ty::External,
            _ => Ty::Unknown,
        }
    }

    fn std_call(&self, _: &mut Eval<'_, '_>, _: &Ty, _: GName, _: Call<'_>) -> Ty {
        Ty::External
    }

    fn std_made(&self, _: &mut Eval<'_, '_>, name: &'static str, args: &Args, _: Call<'_>) -> Ty {
        Ty::Std(name, Arc::clone(args))
    }

    fn out(&self, eval: &mut Eval<'_, '_>, of: &Ty, by: By) -> Ty {
        match (of, by) {
            // A function with its types is the function.
            (Ty::Fn(..), By::New) => of.clone(),
            (Ty::Std("Map", args), By::New) => args.get(1).cloned().unwrap_or(Ty::Unknown),
            (Ty::Std("List", args), _) => args.first().cloned().unwrap_or(Ty::Unknown),
            // A named list gives what the list gives.
            (Ty::Of(def, _), _) => match eval.program.def(*def).of {
                Some(inner) => {
                    let file = eval.program.file_of(*def);
                    let inner = eval.ty(file, inner);
                    if inner == *of { Ty::Unknown } else { eval.element(file, &inner) }
                }
                None => Ty::Unknown,
            },
            _ => Ty::Unknown,
        }
    }

    fn import(&self, _: &mut Eval<'_, '_>, file: u32, at: usize) -> Ty {
        self.imported(file, at)
    }

    fn parts(&self, program: &Program<'_>, file: u32, package: u32) -> Vec<u32> {
        let files = &self.files[package as usize];
        let is_test = |file: u32| program.files[file as usize].flags.has(NodeFlags::TEST_CODE);
        let path = |file: u32| program.files[file as usize].path.as_str();
        // What tests define is seen by the tests beside them alone.
        let sees_tests = |other: u32| is_test(file) && folder(path(file)) == folder(path(other));
        let mut seen: Vec<u32> =
            files.iter().copied().filter(|&other| !is_test(other) || sees_tests(other)).collect();
        // A package as a whole is the file that speaks for it.
        let speaks = |&file: &u32| {
            let facts = program.files[file as usize];
            let name = facts.path.rsplit('/').next().unwrap_or("");
            let is_called_so = name.strip_suffix(".go") == Some(facts.package.as_str());
            (is_test(file), facts.flags.has(NodeFlags::CONDITIONAL), name != "doc.go", !is_called_so)
        };
        seen.sort_by_key(speaks);
        seen
    }

    fn constant(&self, program: &Program<'_>, place: Place, name: GName) -> Option<GDef> {
        let package = match place {
            Place::Package(package) => package,
            Place::File(file) => self.package_of.get(file as usize).copied().flatten()?,
            Place::Def(_) => return None,
        };
        let mut items =
            self.files[package as usize].iter().flat_map(|&file| program.items(Place::File(file), name));
        items.find(|&&def| program.def(def).kind == DefKind::Constant).copied()
    }

    fn is_common_method(&self, name: &str) -> bool {
        matches!(
            name,
            "Error"
                | "String"
                | "Close"
                | "Read"
                | "Write"
                | "Len"
                | "Less"
                | "Swap"
                | "Lock"
                | "Unlock"
                | "RLock"
                | "RUnlock"
                | "Add"
                | "Done"
                | "Wait"
                | "Get"
                | "Set"
                | "Do"
                | "Run"
                | "Start"
                | "Stop"
                | "Next"
                | "Scan"
                | "Text"
                | "Bytes"
                | "Name"
                | "Printf"
                | "Println"
                | "Print"
                | "Fatal"
                | "Fatalf"
                | "Errorf"
                | "Helper"
                | "Log"
                | "Logf"
                | "Unwrap"
                | "Is"
                | "As"
                | "Format"
                | "Sub"
                | "Context"
                | "Value"
                | "Err"
                | "Cancel"
                | "Send"
                | "Recv"
                | "Flush"
                | "Reset"
                | "Seek"
                | "Open"
                | "Write64"
        )
    }
}
