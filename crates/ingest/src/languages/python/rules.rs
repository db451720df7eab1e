//! How names, modules and attributes are found in Python.

use std::sync::Arc;

use m1nd_graph::NodeFlags;

use super::library;
use super::modules::Modules;
use crate::facts::{By, DefKind, How, Scope};
use crate::resolve::eval::Eval;
use crate::resolve::index::Shift;
use crate::resolve::lineage::{Foreign, bases, lineage};
use crate::resolve::program::{GDef, GName, Place, Program};
use crate::resolve::properties::has_field;
use crate::resolve::rules::{Access, Call, Rules};
use crate::resolve::ty::{Args, Ty};
use crate::sheet::is_constant_name;

/// Re-exports are followed this far.
const MAX_HOPS: u32 = 16;
/// A walk up from a class that takes more steps is that of a hierarchy nobody wrote by hand, or of one that has no end.
const MAX_STEPS_UP: usize = 200;

pub(crate) struct PythonRules {
    modules: Arc<Modules>,
}

impl PythonRules {
    pub(crate) fn of(program: &Program<'_>) -> Self {
        let is_python = program.files.iter().map(|file| file.language == super::NAME).collect();
        let follow = |before: &Modules, shift: &Shift| before.after(program, shift);
        Self { modules: program.index.by_paths(is_python, || Modules::of(program), follow) }
    }

    /// A name at the top of a module: defined, assigned or imported there, or a module below it. A module below one of which
    /// everything is imported comes last: it is brought only where that one lists or imports it.
    fn item(&self, eval: &mut Eval<'_, '_>, place: Place, name: GName, hops: u32) -> Option<Ty> {
        let mut beyond = None;
        let found = self.said_in(eval, place, name, hops, &mut beyond);
        let program = eval.program;
        let below = || self.modules.below(program, place, program.text(name)).map(Ty::Place);
        found.or_else(below).or(beyond)
    }

    /// The same without modules below; `beyond` is the first below one of which everything is imported.
    fn said_in(
        &self,
        eval: &mut Eval<'_, '_>,
        place: Place,
        name: GName,
        hops: u32,
        beyond: &mut Option<Ty>,
    ) -> Option<Ty> {
        let program = eval.program;
        if hops == 0 {
            return None;
        }
        if let Place::Package(_) = place {
            return None;
        }
        let (mut found, certain) = self.defined(eval, place, name);
        if certain {
            return Some(Ty::union(found));
        }
        // Branches that import a name each time from elsewhere: any of them may hold.
        for &(file, at) in program.imports(place, name) {
            match self.imported(eval, file, at as usize, hops - 1) {
                Ty::Unknown => {}
                other => found.push(other),
            }
        }
        if !found.is_empty() {
            return Some(Ty::union(found));
        }
        if let Place::File(file) = place
            && let Some(found) = eval.top_binding(file, name)
        {
            return Some(found);
        }
        for &(file, at) in program.globs(place) {
            if let Ty::Place(other) = self.module_of(eval, file, at as usize)
                && other != place
                && offers(program, other, name)
            {
                let search = |eval: &mut Eval<'_, '_>| self.said_in(eval, other, name, hops - 1, beyond);
                if let Some(found) = eval.search_once(other, name, false, search) {
                    return Some(found);
                }
                if beyond.is_none() {
                    *beyond = self.modules.below(program, other, program.text(name)).map(Ty::Place);
                }
            }
        }
        None
    }

    /// The last definition of a name is the one that counts, and while that stands in a branch, those before it
    /// count too. Whether one of them holds for certain.
    fn defined(&self, eval: &mut Eval<'_, '_>, place: Place, name: GName) -> (Vec<Ty>, bool) {
        let program = eval.program;
        // What a variable is at a place is a matter of its bindings.
        let is_variable =
            |def: GDef| program.def(def).kind == DefKind::Constant && !is_constant_name(program.text(name));
        let mut found = Vec::new();
        for def in program.items(place, name).iter().rev().copied().filter(|&def| !is_variable(def)) {
            found.push(self.def(eval, def));
            if !program.def(def).flags.has(NodeFlags::CONDITIONAL) {
                return (found, true);
            }
        }
        (found, false)
    }

    fn def(&self, eval: &mut Eval<'_, '_>, def: GDef) -> Ty {
        let program = eval.program;
        let found = program.def(def);
        let file = program.file_of(def);
        match found.kind {
            DefKind::Class => Ty::Type(def, Arc::new([])),
            DefKind::Constant | DefKind::TypeAlias => match (found.of, found.value) {
                (Some(ty), _) => eval.ty(file, ty),
                (None, Some(value)) => eval.expr(file, value),
                _ => Ty::Unknown,
            },
            _ => Ty::Fn(def, None),
        }
    }

    fn module_of(&self, eval: &Eval<'_, '_>, file: u32, at: usize) -> Ty {
        eval.module(file, at, || self.find_module(eval.program, file, at))
    }

    fn find_module(&self, program: &Program<'_>, file: u32, at: usize) -> Ty {
        let import = &program.files[file as usize].imports[at];
        let parts: Vec<&str> =
            import.path.iter().map(|&part| program.text(program.name(file, part))).collect();
        let found = if import.level > 0 {
            self.modules.relative(program, file, import.level, &parts.join("."))
        } else {
            self.modules.find(program, file, &parts.join("."))
        };
        match found {
            Some(place) => Ty::Place(place),
            // A package of ours without that module is ours all the same.
            None if import.level > 0 => Ty::Unknown,
            None => match parts.first().and_then(|first| self.modules.find(program, file, first)) {
                Some(_) => Ty::Unknown,
                None => Ty::External,
            },
        }
    }

    fn imported(&self, eval: &mut Eval<'_, '_>, file: u32, at: usize, hops: u32) -> Ty {
        let program = eval.program;
        let import = &program.files[file as usize].imports[at];
        let Some(item) = import.item else {
            // `import a.b` binds `a`.
            let first = import.path.first().map(|&first| program.name(file, first));
            if import.path.len() > 1 && first == Some(program.name(file, import.bind)) {
                let name = first.map_or("", |first| program.text(first));
                return self.modules.find(program, file, name).map_or(Ty::External, Ty::Place);
            }
            return self.module_of(eval, file, at);
        };
        match self.module_of(eval, file, at) {
            Ty::Place(place) => {
                let name = program.name(file, item);
                // A module that imports its own submodule finds the file, not itself.
                if place == Place::File(file) {
                    return self
                        .modules
                        .below(program, place, program.text(name))
                        .map_or(Ty::Unknown, Ty::Place);
                }
                self.item(eval, place, name, hops).unwrap_or(Ty::Unknown)
            }
            other => other,
        }
    }

    /// A class and its bases in the order in which attributes are looked up; whether a base is not ours.
    fn lineage(&self, eval: &mut Eval<'_, '_>, class: GDef) -> (Vec<GDef>, bool) {
        let (mut walk, mut is_foreign) = (Vec::new(), false);
        let mut work = vec![class];
        while let Some(at) = work.pop() {
            if walk.len() >= MAX_STEPS_UP {
                return lineage(eval, class, Foreign::External);
            }
            walk.push(at);
            let (ours, is_beyond) = bases(eval, at, Foreign::External);
            work.extend(ours);
            is_foreign |= is_beyond;
        }
        // A base of several classes comes after all of them: of its places the last one counts.
        let mut line: Vec<GDef> = Vec::with_capacity(walk.len());
        for at in walk.into_iter().rev() {
            if !line.contains(&at) {
                line.push(at);
            }
        }
        line.reverse();
        (line, is_foreign)
    }

    fn attribute(&self, eval: &mut Eval<'_, '_>, base: &Ty, class: GDef, name: GName, skip: usize) -> Ty {
        let line = self.lineage(eval, class);
        self.attribute_along(eval, base, &line, name, skip)
    }

    /// An attribute of a class whose bases are known.
    fn attribute_along(
        &self,
        eval: &mut Eval<'_, '_>,
        base: &Ty,
        (line, foreign): &(Vec<GDef>, bool),
        name: GName,
        skip: usize,
    ) -> Ty {
        let program = eval.program;
        for &at in line.iter().skip(skip) {
            let members = program.items(Place::Def(at), name);
            // A constant is a field, and what it is told by all that is given to it.
            let members: Vec<GDef> = members
                .iter()
                .copied()
                .filter(|&member| program.def(member).kind != DefKind::Constant)
                .collect();
            // A property's setter has the same name; the getter comes first.
            let getter = members.iter().copied().find(|&m| program.def(m).how == How::Property);
            if let Some(getter) = getter.filter(|_| matches!(base, Ty::Of(..))) {
                return eval.declared_result(getter);
            }
            let mut found = Vec::new();
            for &member in members.iter().rev() {
                found.push(match program.def(member).kind {
                    DefKind::Method | DefKind::Function => Ty::Fn(member, Some(Arc::new(base.clone()))),
                    _ => self.def(eval, member),
                });
                if !program.def(member).flags.has(NodeFlags::CONDITIONAL) {
                    break;
                }
            }
            if !found.is_empty() {
                return Ty::union(found);
            }
            if let Some(field) = eval.field(at, &[], name) {
                return field;
            }
        }
        if *foreign { Ty::External } else { Ty::Unknown }
    }

    /// The nearest base of a class; a foreign one hides what comes after it.
    fn first_base(&self, eval: &mut Eval<'_, '_>, class: GDef) -> Ty {
        let first = eval.program.def(class).bases.first().copied();
        first.map_or(Ty::External, |base| eval.ty(eval.program.file_of(class), base))
    }

    /// An attribute that a class has from those above it.
    fn above(&self, eval: &mut Eval<'_, '_>, class: GDef, name: GName, access: Access) -> Ty {
        match self.first_base(eval, class) {
            // Where the first base lacks it, the next one in line is asked.
            Ty::Of(..) => {
                let this = Ty::Of(class, Arc::new([]));
                self.attribute(eval, &this, class, name, 1)
            }
            first => eval.member(eval.program.file_of(class), &first, name, access),
        }
    }

    fn class_around(&self, eval: &Eval<'_, '_>, file: u32, scope: Scope) -> Option<GDef> {
        let facts = eval.program.files[file as usize];
        let mut around = scope;
        while let Some(ix) = around {
            if facts.def(ix).kind == DefKind::Class {
                return Some(eval.program.global(file, ix));
            }
            around = facts.def(ix).parent;
        }
        None
    }
}

/// Whether who imports everything from a place gets a name that it has.
fn offers(program: &Program<'_>, place: Place, name: GName) -> bool {
    match place {
        Place::File(file) => program.files[file as usize].offers(program.text(name)),
        _ => !program.text(name).starts_with('_'),
    }
}

impl Rules for PythonRules {
    fn name(&self, eval: &mut Eval<'_, '_>, file: u32, scope: Scope, name: GName) -> Ty {
        let program = eval.program;
        let facts = program.files[file as usize];
        let mut around = scope;
        let mut innermost = true;
        while let Some(ix) = around {
            let def = facts.def(ix);
            let place = Place::Def(program.global(file, ix));
            // The names of a class are seen in its body, not in its methods.
            if (def.kind != DefKind::Class || innermost)
                && let Some(found) = self.item(eval, place, name, MAX_HOPS)
            {
                return found;
            }
            innermost = false;
            around = def.parent;
        }
        match self.item(eval, Place::File(file), name, MAX_HOPS) {
            // A module is not in scope merely because it lies in the same package.
            Some(Ty::Place(_))
                if program.imports(Place::File(file), name).is_empty()
                    && program.globs(Place::File(file)).is_empty() =>
            {
                Ty::Unknown
            }
            Some(found) => found,
            None => library::builtin(program.text(name)),
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
        let Some((&first, rest)) = path.split_first() else {
            return Ty::Unknown;
        };
        let last = path.last().map_or("", |&last| eval.program.text(last));
        let mut at = self.name(eval, file, scope, first);
        for &name in rest {
            at = eval.member(file, &at, name, Access::Read);
        }
        match at {
            Ty::Type(def, _) => Ty::Of(def, args.into()),
            Ty::External | Ty::Unknown | Ty::StdType(..) => match library::named_type(last, args) {
                Some(known) => known,
                None => at,
            },
            // An alias is a value that describes a type.
            other => other,
        }
    }

    fn is_dynamic(&self) -> bool {
        true
    }

    fn called(&self, eval: &mut Eval<'_, '_>, callee: &Ty) -> Option<Ty> {
        let name = eval.program.find_name("__call__")?;
        let Ty::Of(class, _) = callee else { return None };
        Some(self.attribute(eval, callee, *class, name, 0)).filter(|found| matches!(found, Ty::Fn(..)))
    }

    fn member(&self, eval: &mut Eval<'_, '_>, base: &Ty, name: GName, access: Access) -> Ty {
        match base {
            Ty::Of(class, _) | Ty::Type(class, _) => self.attribute(eval, base, *class, name, 0),
            Ty::Place(place) => {
                let program = eval.program;
                self.item(eval, *place, name, MAX_HOPS).unwrap_or_else(|| match place {
                    Place::File(file) if !program.globs(Place::File(*file)).is_empty() => Ty::External,
                    _ => Ty::Unknown,
                })
            }
            Ty::Std(library::SUPER, of) => match of.first() {
                Some(Ty::Of(class, _)) => self.above(eval, *class, name, access),
                _ => Ty::Unknown,
            },
            Ty::Std(..) => Ty::StdFn(name, Arc::new(base.clone())),
            Ty::StdType(..) | Ty::Fn(..) | Ty::StdFn(..) | Ty::Closure(..) | Ty::Tuple(_) => Ty::External,
            _ => Ty::Unknown,
        }
    }

    fn property(&self, eval: &mut Eval<'_, '_>, of: &Ty, name: GName, skip: usize) -> Option<GDef> {
        let Ty::Of(class, _) = of else { return None };
        let program = eval.program;
        let (line, _) = self.lineage(eval, *class);
        for &at in line.iter().skip(skip) {
            let members = program.items(Place::Def(at), name);
            let getter = members.iter().copied().find(|&member| program.def(member).how == How::Property);
            if getter.is_some() || !members.is_empty() || has_field(program, at, name) {
                return getter;
            }
        }
        None
    }

    fn std_call(&self, eval: &mut Eval<'_, '_>, base: &Ty, method: GName, _: Call<'_>) -> Ty {
        library::result(base, eval.program.text(method))
    }

    fn std_made(&self, eval: &mut Eval<'_, '_>, name: &'static str, _: &Args, call: Call<'_>) -> Ty {
        library::made(eval, name, call)
    }

    fn out(&self, eval: &mut Eval<'_, '_>, of: &Ty, by: By) -> Ty {
        let method = |eval: &mut Eval<'_, '_>, class: GDef, names: [&str; 2]| {
            let found = names.into_iter().find_map(|name| {
                let name = eval.program.find_name(name)?;
                match self.attribute(eval, of, class, name, 0) {
                    Ty::Fn(def, _) => Some(def),
                    _ => None,
                }
            });
            found.map(|def| {
                let result = eval.declared_result(def);
                (def, result)
            })
        };
        match (of, by) {
            (_, By::Await) => of.clone(),
            (Ty::Of(class, args), By::Class) => Ty::Type(*class, Arc::clone(args)),
            (Ty::Std("List", args) | Ty::Std("Context", args), _) => {
                args.first().cloned().unwrap_or(Ty::Unknown)
            }
            (Ty::Std("Map", args), By::Iteration) => args.first().cloned().unwrap_or(Ty::Unknown),
            (Ty::Tuple(parts), By::Iteration) => Ty::union(parts.to_vec()),
            (Ty::Of(class, _), By::Context) => match method(eval, *class, ["__enter__", "__aenter__"]) {
                Some((_, Ty::Unknown)) | None => of.clone(),
                Some((_, result)) => result,
            },
            (Ty::Of(class, _), By::Iteration) => match method(eval, *class, ["__iter__", "__aiter__"]) {
                Some((_, Ty::Std("List", args))) => args.first().cloned().unwrap_or(Ty::Unknown),
                _ => Ty::Unknown,
            },
            (Ty::Std("Text", _), By::Iteration) => of.clone(),
            _ => Ty::Unknown,
        }
    }

    fn this(&self, eval: &mut Eval<'_, '_>, file: u32, scope: Scope) -> Ty {
        self.class_around(eval, file, scope).map_or(Ty::Unknown, |class| Ty::Of(class, Arc::new([])))
    }

    fn base(&self, eval: &mut Eval<'_, '_>, file: u32, scope: Scope) -> Ty {
        self.class_around(eval, file, scope).map_or(Ty::Unknown, |class| self.first_base(eval, class))
    }

    fn base_member(
        &self,
        eval: &mut Eval<'_, '_>,
        file: u32,
        scope: Scope,
        name: GName,
        access: Access,
    ) -> Ty {
        let class = self.class_around(eval, file, scope);
        class.map_or(Ty::Unknown, |class| self.above(eval, class, name, access))
    }

    fn constructors(&self, eval: &mut Eval<'_, '_>, def: GDef) -> Vec<GDef> {
        // What makes a value and what fills it both run.
        let (of, line) = (Ty::Type(def, Arc::new([])), self.lineage(eval, def));
        let mut makers = Vec::new();
        for name in ["__new__", "__init__"] {
            if let Some(name) = eval.program.find_name(name) {
                makers.extend(self.attribute_along(eval, &of, &line, name, 0).functions());
            }
        }
        makers
    }

    fn import(&self, eval: &mut Eval<'_, '_>, file: u32, at: usize) -> Ty {
        let import = &eval.program.files[file as usize].imports[at];
        if import.item.is_some() {
            self.imported(eval, file, at, MAX_HOPS)
        } else {
            self.module_of(eval, file, at)
        }
    }

    /// A name for a type is a variable like others, and may be said where no type is meant.
    fn constant(&self, program: &Program<'_>, place: Place, name: GName) -> Option<GDef> {
        let items = program.items(place, name).iter().copied();
        items.into_iter().find(|&def| matches!(program.def(def).kind, DefKind::Constant | DefKind::TypeAlias))
    }

    fn alias(&self, program: &Program<'_>, place: Place, name: GName) -> Option<GDef> {
        self.constant(program, place, name)
    }

    fn module(&self, eval: &Eval<'_, '_>, file: u32, at: usize) -> Option<Place> {
        match self.module_of(eval, file, at) {
            Ty::Place(place) => Some(place),
            _ => None,
        }
    }

    fn is_common_method(&self, name: &str) -> bool {
        library::is_common(name)
    }
}
