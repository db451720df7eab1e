//! How names, modules and members are found in TypeScript and JavaScript.

use std::sync::Arc;

use m1nd_graph::NodeFlags;
use parking_lot::RwLock;
use rustc_hash::FxHashMap;

use super::added::Added;
use super::library;
use super::modules::{Modules, Target};
use crate::facts::{By, DefKind, Expr, ExprIx, How, Scope};
use crate::resolve::eval::Eval;
use crate::resolve::lineage::{Foreign, lineage};
use crate::resolve::program::{GDef, GName, Place, Program};
use crate::resolve::properties::has_field;
use crate::resolve::rules::{Access, Call, Rules};
use crate::resolve::ty::{Args, Ty};

/// Re-exports are followed this far: barrels of barrels.
const MAX_HOPS: u32 = 16;

pub(crate) struct ScriptRules {
    modules: Modules,
    added: Added,
    /// What imports mean, by file and position, as far as that was asked: it is asked for every use of what they bring.
    targets: RwLock<FxHashMap<(u32, u32), Target>>,
}

/// Whether a name is looked up among values or among types.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    Value,
    Type,
}

impl ScriptRules {
    pub(crate) fn of(program: &Program<'_>) -> Self {
        Self { modules: Modules::of(program), added: Added::of(program), targets: RwLock::default() }
    }

    fn target(&self, eval: &Eval<'_, '_>, file: u32, at: usize) -> Ty {
        let program = eval.program;
        let import = &program.files[file as usize].imports[at];
        let Some(&name) = import.path.first() else {
            return Ty::Unknown;
        };
        let key = (file, at as u32);
        let known = self.targets.read().get(&key).copied();
        let target = known.unwrap_or_else(|| {
            let found = self.modules.find(program, file, program.text(program.name(file, name)));
            self.targets.write().insert(key, found);
            found
        });
        match target {
            Target::File(found) => Ty::Place(Place::File(found)),
            Target::Missing => Ty::Unknown,
            Target::External => Ty::External,
        }
    }

    /// What a file gives to others under a name.
    fn exported(&self, eval: &mut Eval<'_, '_>, file: u32, name: GName, need: Need, hops: u32) -> Option<Ty> {
        if hops == 0 {
            return None;
        }
        let program = eval.program;
        let facts = program.files[file as usize];
        for export in &facts.exports {
            if program.name(file, export.name) == name {
                let value = self.export_value(eval, file, export.value, need, hops - 1);
                return Some(value);
            }
        }
        let place = Place::File(file);
        let offered = |def: &&GDef| program.def(**def).flags.has(NodeFlags::EXPORTED);
        let items: Vec<GDef> = program.items(place, name).iter().filter(offered).copied().collect();
        if let Some(found) = self.pick(eval, &items, need) {
            return Some(found);
        }
        for &(from, at) in program.imports(place, name) {
            if program.files[from as usize].imports[at as usize].exported {
                return Some(self.imported(eval, from, at as usize, need, hops - 1));
            }
        }
        for &(from, at) in program.globs(place) {
            match self.target(eval, from, at as usize) {
                Ty::Place(Place::File(other)) if other != file => {
                    let place = Place::File(other);
                    let found = eval.search_once(place, name, need == Need::Type, |eval| {
                        self.exported(eval, other, name, need, hops - 1)
                    });
                    if found.is_some() {
                        return found;
                    }
                }
                _ => {}
            }
        }
        // CommonJS: the module is one object.
        let whole = program.find_name("module.exports");
        let whole = facts.exports.iter().find(|e| Some(program.name(file, e.name)) == whole)?;
        let value = eval.expr(file, whole.value);
        if program.text(name) == "default" {
            return Some(value);
        }
        match eval.member(file, &value, name, Access::Read) {
            Ty::Unknown => None,
            found => Some(found),
        }
    }

    /// `export { Name }` offers a type as well as a value.
    fn export_value(&self, eval: &mut Eval<'_, '_>, file: u32, value: ExprIx, need: Need, hops: u32) -> Ty {
        if let (Need::Type, Expr::Name { name, scope, .. }) = (need, eval.program.inside(file).expr(value)) {
            let name = eval.program.name(file, *name);
            return self.scoped(eval, file, *scope, name, Need::Type, hops);
        }
        eval.expr(file, value)
    }

    fn imported(&self, eval: &mut Eval<'_, '_>, file: u32, at: usize, need: Need, hops: u32) -> Ty {
        let program = eval.program;
        let import = &program.files[file as usize].imports[at];
        match (self.target(eval, file, at), import.item) {
            (Ty::Place(Place::File(other)), Some(item)) => {
                let name = program.name(file, item);
                if let Some(found) = self.exported(eval, other, name, need, hops) {
                    return found;
                }
                // `import x from './commonjs'` is the module itself.
                match program.text(name) {
                    "default" => Ty::Place(Place::File(other)),
                    _ => Ty::Unknown,
                }
            }
            (found, _) => found,
        }
    }

    /// Of several definitions of one name, the one that a use of this kind means.
    fn pick(&self, eval: &mut Eval<'_, '_>, defs: &[GDef], need: Need) -> Option<Ty> {
        let program = eval.program;
        let fits = |def: GDef| match (need, program.def(def).kind) {
            (_, DefKind::Class | DefKind::Enum | DefKind::Module) => true,
            (Need::Value, kind) => matches!(kind, DefKind::Function | DefKind::Constant),
            (Need::Type, kind) => kind.is_type(),
        };
        // Overloads come before the implementation.
        let found = defs.iter().rev().copied().find(|&def| fits(def))?;
        Some(self.def(eval, found))
    }

    /// A function that is declared in a block has its name outside of it, too, where scripts are not strict.
    fn hoisted(&self, eval: &mut Eval<'_, '_>, defs: &[GDef]) -> Option<Ty> {
        let declared = defs.iter().filter(|&&def| eval.program.def(def).how == How::Hoisted);
        let declared: Vec<&GDef> = declared.collect();
        if let [only] = declared[..] { Some(self.def(eval, *only)) } else { None }
    }

    fn def(&self, eval: &mut Eval<'_, '_>, def: GDef) -> Ty {
        let program = eval.program;
        let found = program.def(def);
        let file = program.file_of(def);
        match found.kind {
            DefKind::Function | DefKind::Method => Ty::Fn(def, None),
            DefKind::Constant => match (found.of, found.value) {
                (Some(ty), _) => eval.ty(file, ty),
                (None, Some(value)) => eval.expr(file, value),
                _ => Ty::Unknown,
            },
            DefKind::Module => Ty::Place(Place::Def(def)),
            DefKind::TypeAlias => match found.of {
                Some(ty) => match eval.ty(file, ty) {
                    Ty::Of(of, args) => Ty::Type(of, args),
                    other => other,
                },
                None => Ty::Type(def, Arc::new([])),
            },
            _ => Ty::Type(def, Arc::new([])),
        }
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
        let facts = program.files[file as usize];
        let mut around = scope;
        loop {
            if let Some(ix) = around {
                let def = facts.def(ix);
                if need == Need::Type
                    && let Some(at) = def.type_params.iter().position(|p| program.name(file, p.name) == name)
                {
                    return Ty::Param(program.global(file, ix), at as u32);
                }
                // The members of a class or an object are not names in scope.
                if matches!(
                    def.kind,
                    DefKind::Class | DefKind::Interface | DefKind::TypeAlias | DefKind::Constant
                ) {
                    around = def.parent;
                    continue;
                }
            }
            // A function written as a member of an object has a name only through that object.
            let named = program.items(program.place(file, around), name).iter().copied();
            // A type says nothing of the place that it is written at.
            let named = named.filter(|&def| {
                matches!((program.def(def).how, need), (How::Free, _) | (How::Block, Need::Type))
            });
            let items: Vec<GDef> = named.collect();
            if let Some(found) = self.pick(eval, &items, need) {
                return found;
            }
            if need == Need::Value
                && let Some(found) = self.hoisted(eval, program.items(program.place(file, around), name))
            {
                return found;
            }
            match around {
                Some(ix) => around = facts.def(ix).parent,
                None => break,
            }
        }
        for &(from, at) in program.imports(Place::File(file), name) {
            if !program.files[from as usize].imports[at as usize].exported {
                return self.imported(eval, from, at as usize, need, hops);
            }
        }
        match need {
            Need::Value => library::global(program.text(name)),
            Need::Type => Ty::Unknown,
        }
    }

    /// A class, or the module of one, that a name holds as a value: `const Base = require("./base")`.
    fn held(&self, eval: &mut Eval<'_, '_>, file: u32, name: GName, is_whole: bool) -> Ty {
        match eval.top_binding(file, name) {
            Some(place @ Ty::Place(_)) if is_whole => self.called(eval, &place).unwrap_or(Ty::Unknown),
            Some(found @ (Ty::Place(_) | Ty::Type(..))) => found,
            _ => Ty::Unknown,
        }
    }

    fn lineage(&self, eval: &mut Eval<'_, '_>, class: GDef) -> (Vec<GDef>, bool) {
        lineage(eval, class, Foreign::External)
    }

    fn of_type(&self, eval: &mut Eval<'_, '_>, base: &Ty, def: GDef, args: &Args, name: GName) -> Ty {
        let program = eval.program;
        let (line, foreign) = self.lineage(eval, def);
        for at in line {
            if let Some(found) = self.added.member(program, at, name, base) {
                return found;
            }
            // What a function defines inside is no member of what it makes.
            let members: Vec<GDef> = match program.def(at).kind {
                DefKind::Function => Vec::new(),
                _ => program.items(Place::Def(at), name).to_vec(),
            };
            let getter = members.iter().copied().find(|&m| program.def(m).how == How::Property);
            if let Some(getter) = getter {
                return eval.declared_result(getter);
            }
            // An interface has signatures only, and a call says by its arguments which it means.
            let are_signatures = members.len() > 1 && program.def(at).kind == DefKind::Interface;
            if are_signatures && members.iter().all(|&m| program.def(m).kind.is_callable()) {
                let receiver = Arc::new(base.clone());
                let each = members.iter().map(|&m| Ty::Fn(m, Some(Arc::clone(&receiver))));
                return Ty::union(each.collect());
            }
            // Overload signatures come before the implementation.
            if let Some(&member) = members.last() {
                return match program.def(member).kind {
                    DefKind::Method | DefKind::Function => Ty::Fn(member, Some(Arc::new(base.clone()))),
                    _ => self.def(eval, member),
                };
            }
            let own: &[Ty] = if at == def { args } else { &[] };
            if let Some(field) = eval.field(at, own, name) {
                return field;
            }
        }
        if foreign { Ty::External } else { Ty::Unknown }
    }
}

impl Rules for ScriptRules {
    fn name(&self, eval: &mut Eval<'_, '_>, file: u32, scope: Scope, name: GName) -> Ty {
        self.scoped(eval, file, scope, name, Need::Value, MAX_HOPS)
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
        let mut at = self.scoped(eval, file, scope, first, Need::Type, MAX_HOPS);
        if at.is_unknown() {
            at = self.held(eval, file, first, rest.is_empty());
        }
        for &name in rest {
            at = match at {
                Ty::Place(Place::File(other)) => {
                    self.exported(eval, other, name, Need::Type, MAX_HOPS).unwrap_or(Ty::Unknown)
                }
                Ty::Place(place) => {
                    let items = eval.program.items(place, name).to_vec();
                    self.pick(eval, &items, Need::Type).unwrap_or(Ty::Unknown)
                }
                other => other,
            };
        }
        match at {
            Ty::Type(def, known) => Ty::Of(def, if args.is_empty() { known } else { args.into() }),
            Ty::Unknown | Ty::External => {
                let last = path.last().map_or("", |&last| eval.program.text(last));
                library::named_type(eval, file, last, args).unwrap_or(match at {
                    // A type that nothing here declares is the runtime's.
                    Ty::Unknown
                        if rest.is_empty() && eval.program.imports(Place::File(file), first).is_empty() =>
                    {
                        Ty::External
                    }
                    other => other,
                })
            }
            other => other,
        }
    }

    fn member(&self, eval: &mut Eval<'_, '_>, base: &Ty, name: GName, _: Access) -> Ty {
        match base {
            Ty::Of(def, args) | Ty::Type(def, args) => self.of_type(eval, base, *def, args, name),
            Ty::Place(Place::File(file)) => {
                self.exported(eval, *file, name, Need::Value, MAX_HOPS).unwrap_or(Ty::Unknown)
            }
            Ty::Place(place) => {
                let items = eval.program.items(*place, name).to_vec();
                self.pick(eval, &items, Need::Value).unwrap_or(Ty::Unknown)
            }
            Ty::Param(owner, at) => {
                let param = eval.program.def(*owner).type_params.get(*at as usize);
                let bound = param.and_then(|param| param.bounds.first().copied());
                match bound.map(|bound| eval.ty(eval.program.file_of(*owner), bound)) {
                    Some(Ty::Param(..)) | None => Ty::Unknown,
                    Some(bound) => eval.member(eval.program.file_of(*owner), &bound, name, Access::Read),
                }
            }
            Ty::Std(..) | Ty::StdType(..) => Ty::StdFn(name, Arc::new(base.clone())),
            Ty::Fn(def, _) if self.added.has(*def) => match eval.program.text(name) {
                "prototype" => Ty::Of(*def, Arc::new([])),
                "call" | "apply" => base.clone(),
                _ => self.added.member(eval.program, *def, name, base).unwrap_or(Ty::External),
            },
            // `f.call(this)` runs `f`.
            Ty::Fn(..) if matches!(eval.program.text(name), "call" | "apply") => base.clone(),
            Ty::Object(..) => self.added.of_object(eval.program, base, name).unwrap_or(Ty::Unknown),
            Ty::Fn(..) | Ty::StdFn(..) | Ty::Closure(..) | Ty::Callable(..) | Ty::Tuple(_) => Ty::External,
            _ => Ty::Unknown,
        }
    }

    fn property(&self, eval: &mut Eval<'_, '_>, of: &Ty, name: GName, skip: usize) -> Option<GDef> {
        let Ty::Of(class, _) = of else { return None };
        let program = eval.program;
        let (line, _) = self.lineage(eval, *class);
        for &at in line.iter().skip(skip) {
            if program.def(at).kind == DefKind::Function {
                continue;
            }
            let members = program.items(Place::Def(at), name);
            let is_getter = |member: &GDef| {
                let def = program.def(*member);
                def.how == How::Property && !def.signature.split_whitespace().any(|word| word == "set")
            };
            let getter = members.iter().copied().find(is_getter);
            if getter.is_some() || !members.is_empty() || has_field(program, at, name) {
                return getter;
            }
        }
        None
    }

    fn std_call(&self, eval: &mut Eval<'_, '_>, base: &Ty, method: GName, call: Call<'_>) -> Ty {
        library::result(eval, base, eval.program.text(method), call)
    }

    fn std_made(&self, eval: &mut Eval<'_, '_>, name: &'static str, _: &Args, call: Call<'_>) -> Ty {
        library::made(eval, name, call)
    }

    fn out(&self, eval: &mut Eval<'_, '_>, of: &Ty, by: By) -> Ty {
        match (of, by) {
            (of, By::Await) => library::awaited(of.clone()),
            (Ty::Place(_), By::New) => match self.called(eval, of) {
                Some(found) => self.out(eval, &found, by),
                None => of.clone(),
            },
            (Ty::Fn(def, _), By::New) => Ty::Type(*def, Arc::new([])),
            (of, By::New) => of.clone(),
            (Ty::Std("List", args), _) => args.first().cloned().unwrap_or(Ty::Unknown),
            (Ty::Std("Map", args), By::Iteration) => Ty::Tuple(Arc::clone(args)),
            (Ty::Tuple(parts), By::Iteration) => Ty::union(parts.to_vec()),
            (Ty::Std("Text", _), By::Iteration) => of.clone(),
            (Ty::Of(def, args), By::Class) => {
                debug_assert!(eval.program.def(*def).kind.is_type());
                Ty::Type(*def, Arc::clone(args))
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
            if let Some(found) = self.added.this(eval, eval.program.global(file, ix)) {
                return found;
            }
            match def.kind {
                DefKind::Class | DefKind::Interface => {
                    return Ty::Of(eval.program.global(file, ix), Arc::new([]));
                }
                DefKind::Constant => return def.value.map_or(Ty::Unknown, |value| eval.expr(file, value)),
                _ => around = def.parent,
            }
        }
        Ty::Unknown
    }

    fn base(&self, eval: &mut Eval<'_, '_>, file: u32, scope: Scope) -> Ty {
        let Ty::Of(class, _) = self.this(eval, file, scope) else {
            return Ty::Unknown;
        };
        let file = eval.program.file_of(class);
        match eval.program.def(class).bases.first() {
            // `super(…)` runs the constructor, `super.x()` a method: both start from the base.
            Some(&base) => eval.ty(file, base),
            None => Ty::External,
        }
    }

    fn constructors(&self, eval: &mut Eval<'_, '_>, def: GDef) -> Vec<GDef> {
        let Some(name) = eval.program.find_name("constructor") else { return Vec::new() };
        self.of_type(eval, &Ty::Type(def, Arc::new([])), def, &Args::from([]), name).functions()
    }

    fn import(&self, eval: &mut Eval<'_, '_>, file: u32, at: usize) -> Ty {
        match self.imported(eval, file, at, Need::Value, MAX_HOPS) {
            Ty::Unknown => match self.imported(eval, file, at, Need::Type, MAX_HOPS) {
                // The module is known even where the name in it is not.
                Ty::Unknown => self.target(eval, file, at),
                found => found,
            },
            found @ (Ty::Fn(..) | Ty::Type(..) | Ty::Place(_) | Ty::External) => found,
            _ => self.target(eval, file, at),
        }
    }

    /// `module.exports = Foo`
    fn is_dynamic(&self) -> bool {
        true
    }

    fn called(&self, eval: &mut Eval<'_, '_>, callee: &Ty) -> Option<Ty> {
        let Ty::Place(Place::File(file)) = callee else { return None };
        let facts = eval.program.files[*file as usize];
        let whole = facts.exports.iter().find(|export| facts.text(export.name) == "module.exports")?;
        let found = eval.expr(*file, whole.value);
        matches!(found, Ty::Fn(..) | Ty::Type(..)).then_some(found)
    }

    fn module(&self, eval: &Eval<'_, '_>, file: u32, at: usize) -> Option<Place> {
        match self.target(eval, file, at) {
            Ty::Place(place) => Some(place),
            _ => None,
        }
    }

    fn is_common_method(&self, name: &str) -> bool {
        library::is_common(name)
    }
}
