//! What other files can tell about a file: everything but positions and the insides of functions, thing by thing.
//!
//! While the things are the same in two states of a file, every relation of every other file is the same with
//! either: after such an edit only the edited file is resolved again. Of a thing that differs, other files can
//! only know by its name; `affected` follows the names.

mod held;
mod routed;

use std::hash::{BuildHasher as _, BuildHasherDefault, Hash};
use std::mem::take;

use rustc_hash::{FxHashMap, FxHasher};

use m1nd_graph::NodeFlags;

use crate::facts::{
    Binding, Def, DefIx, DefKind, Expr, ExprIx, Field, FileFacts, Import, ImportAll, Insides, Name, Scope,
    TypeExpr, TypeIx,
};
use crate::languages;
use crate::literals::Literals;
use crate::resolve::eval::{MAX_GIVEN, MAX_RESULTS};

/// Larger descriptions are not worth making: the file is simply taken to have changed.
const MAX_BYTES: usize = 8 << 20;

/// One thing that other files can tell about a file.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// The same for the same thing in two states of a file.
    pub key: u64,
    /// What is said of it, wherever it stands.
    pub digest: [u8; 32],
    pub what: What,
    /// Names that what is said of it depends on, sorted.
    pub mentions: Vec<Name>,
    /// Names of modules that are nothing but files, sorted.
    pub modules: Vec<Name>,
    /// Names of objects of which it only depends on members that are told with it, sorted.
    pub held: Vec<Name>,
}

/// What a file offers to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// The language and the package: what holds for the file as a whole.
    File,
    /// The routes and what they hang on.
    Routes,
    Def(DefIx),
    /// A field of a definition.
    Field(DefIx, Name),
    /// By position.
    Import(u32),
    Export(Name),
    /// A name that holds a value at the top of the file.
    Binding(Name),
}

/// Everything that other files can tell; nothing when it is too much to be told.
pub(crate) fn items(facts: &FileFacts, inside: &Insides) -> Option<Vec<Item>> {
    let mut told = Told {
        facts,
        inside,
        out: Vec::new(),
        exprs: FxHashMap::default(),
        types: FxHashMap::default(),
        waiting: Vec::new(),
        bindings: FxHashMap::default(),
        mentions: Vec::new(),
        modules: Vec::new(),
        held: Vec::new(),
        keys: Vec::new(),
        is_plain: plain(facts),
        literals: Literals::of(facts, inside),
    };
    for (at, binding) in (0..).zip(facts.bindings.iter().chain(&inside.bindings)) {
        told.bindings.entry((binding.name, binding.owner)).or_default().push((at, binding));
    }
    let mut seen: FxHashMap<u64, u32> = FxHashMap::default();
    // The second of two alike is another thing than the first.
    let mut numbered = |base: u64| {
        let ordinal = seen.entry(base).or_default();
        *ordinal += 1;
        hash(&(base, *ordinal))
    };
    for def in &facts.defs {
        let parent = def.parent.map_or(0, |ix| told.keys[ix.0 as usize]);
        let mut names = vec![facts.text(def.name)];
        if def.kind == DefKind::Impl {
            names.extend(def.of.iter().chain(&def.bases).filter_map(|&ty| last_name(facts, ty)));
        }
        told.keys.push(numbered(hash(&(parent, def.kind as u8, names))));
    }
    let mut all = Vec::with_capacity(facts.defs.len() + facts.imports.len() + 1);
    let mut used = 0;
    let mut told_item = |told: &mut Told<'_>, key: u64, what: What, tell: &dyn Fn(&mut Told<'_>)| {
        all.push(told.item(key, what, tell));
        used += told.out.len();
        (used <= MAX_BYTES).then_some(())
    };
    told_item(&mut told, 1, What::File, &|told| told.file())?;
    told_item(&mut told, 2, What::Routes, &|told| told.routes())?;
    for (at, def) in facts.defs.iter().enumerate() {
        let (ix, key) = (DefIx(at as u32), told.keys[at]);
        told_item(&mut told, key, What::Def(ix), &|told| told.def(def))?;
        for (name, fields) in by_name(&def.fields) {
            let key = numbered(hash(&(key, "field", facts.text(name))));
            told_item(&mut told, key, What::Field(ix, name), &|told| told.fields(&fields))?;
        }
    }
    for (at, import) in (0..).zip(&facts.imports) {
        let key = numbered(hash(&("import", facts.text(import.bind))));
        told_item(&mut told, key, What::Import(at), &|told| told.import(import))?;
    }
    for export in &facts.exports {
        let key = numbered(hash(&("export", facts.text(export.name))));
        told_item(&mut told, key, What::Export(export.name), &|told| told.expr(export.value))?;
    }
    for binding in facts.bindings.iter().filter(|binding| binding.owner.is_none()) {
        let key = numbered(hash(&("binding", facts.text(binding.name))));
        told_item(&mut told, key, What::Binding(binding.name), &|told| told.binding(binding))?;
    }
    Some(all)
}

/// Fields that share a name, in the order in which the names are first met.
fn by_name(fields: &[Field]) -> Vec<(Name, Vec<&Field>)> {
    let mut places: FxHashMap<Name, usize> = FxHashMap::default();
    let mut found: Vec<(Name, Vec<&Field>)> = Vec::new();
    for field in fields {
        let at = *places.entry(field.name).or_insert(found.len());
        if at == found.len() {
            found.push((field.name, Vec::new()));
        }
        found[at].1.push(field);
    }
    found
}

fn hash(what: &impl Hash) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one(what)
}

/// The last name of a written type.
pub(crate) fn last_name(facts: &FileFacts, mut ty: TypeIx) -> Option<&str> {
    loop {
        match facts.types.get(ty.0 as usize)? {
            TypeExpr::Path { segments, .. } => return segments.last().map(|&last| facts.text(last)),
            TypeExpr::Ref(inner) | TypeExpr::List(inner) => ty = *inner,
            _ => return None,
        }
    }
}

fn plain(facts: &FileFacts) -> Vec<bool> {
    let is_python = facts.language == "python";
    let is_plain = |def: &Def| is_python && def.kind.is_callable() && def.type_params.is_empty();
    let mut plain: Vec<bool> = facts.defs.iter().map(is_plain).collect();
    let scopes = facts.defs.iter().filter_map(|def| def.parent);
    for scope in scopes.chain(facts.imports.iter().filter_map(|import| import.scope)) {
        plain[scope.0 as usize] = false;
    }
    plain
}

enum Part {
    Expr(ExprIx),
    Type(TypeIx),
}

struct Told<'f> {
    facts: &'f FileFacts,
    inside: &'f Insides,
    out: Vec<u8>,
    /// Expressions and types mentioned so far, numbered by first mention.
    exprs: FxHashMap<ExprIx, u32>,
    types: FxHashMap<TypeIx, u32>,
    waiting: Vec<Part>,
    /// By name and owner, with their positions: a name of parameters may have as many bindings as there are functions.
    bindings: FxHashMap<(Name, Scope), Vec<(u32, &'f Binding)>>,
    mentions: Vec<Name>,
    modules: Vec<Name>,
    held: Vec<Name>,
    /// What tells each definition from the others, whatever their number.
    keys: Vec<u64>,
    /// Functions of Python in which nothing is defined or imported.
    is_plain: Vec<bool>,
    literals: Literals,
}

/// Stands for any function that is plain.
const PLAIN: u64 = 1;

impl<'f> Told<'f> {
    /// What `tell` says, and whatever that leads to.
    fn item(&mut self, key: u64, what: What, tell: &dyn Fn(&mut Self)) -> Item {
        self.out.clear();
        self.exprs.clear();
        self.types.clear();
        tell(self);
        self.tell_waiting();
        let mut mentions = std::mem::take(&mut self.mentions);
        mentions.sort_unstable();
        mentions.dedup();
        let mut modules = std::mem::take(&mut self.modules);
        modules.sort_unstable();
        modules.dedup();
        let mut held = std::mem::take(&mut self.held);
        held.sort_unstable();
        held.dedup();
        Item { key, digest: *blake3::hash(&self.out).as_bytes(), what, mentions, modules, held }
    }

    /// What is reachable is told in the order it was first mentioned, so numbers of expressions do not matter.
    fn tell_waiting(&mut self) {
        while let Some(part) = self.waiting.pop() {
            match part {
                Part::Expr(ix) => self.expr_now(ix),
                Part::Type(ix) => self.type_now(ix),
            }
        }
    }

    fn file(&mut self) {
        let facts = self.facts;
        self.text(&facts.language);
        self.text(&facts.package);
        self.number(facts.flags.0 & NodeFlags::TEST_CODE.with(NodeFlags::CONDITIONAL).0);
        self.number(facts.listed.as_ref().map_or(0, |names| 1 + names.len() as u32));
        facts.listed.iter().flatten().for_each(|name| self.text(name));
    }

    fn import(&mut self, import: &Import) {
        let before = self.mentions.len();
        self.names(&import.path);
        // Modules of these are files, whatever else has their names.
        if matches!(languages::family(&self.facts.language), "python" | "script") {
            self.modules.extend(self.mentions.drain(before..));
        }
        self.number(u32::from(import.level));
        self.names(import.item.as_slice());
        self.name(import.bind);
        self.number(u32::from(import.all == ImportAll::Yes) + 2 * u32::from(import.exported));
        self.scope(import.scope);
    }

    /// Everything but the fields, which are told one by one.
    fn def(&mut self, def: &Def) {
        self.number(def.kind as u32);
        self.number(def.flags.0);
        self.number(def.how as u32);
        self.count(def.type_params.len());
        for param in &def.type_params {
            self.name(param.name);
            self.all_types(&param.bounds);
            self.all_types(param.default.as_slice());
        }
        self.count(def.params.len());
        for param in &def.params {
            self.name(param.name);
            self.all_types(param.ty.as_slice());
        }
        self.all_types(def.returns.as_slice());
        self.results(&def.results);
        self.all_types(&def.bases);
        // Parts without names are told apart by their number; otherwise a field is a thing of its own.
        if def.kind != DefKind::Class {
            let is_counted = |field: &&Field| {
                def.kind != DefKind::Struct || self.facts.text(field.name).parse::<u32>().is_ok()
            };
            self.count(def.fields.iter().filter(is_counted).count());
        }
        self.all_types(def.of.as_slice());
        self.all_exprs(def.value.as_slice());
        // Where the file of a module is, as Rust says it.
        if def.kind == DefKind::Module && def.doc.starts_with("#[path]") {
            self.out.extend_from_slice(def.doc.as_bytes());
        }
    }

    /// All that a field is given: the same twice is the same once, as long as all of it is looked at.
    fn fields(&mut self, all: &[&Field]) {
        if all.len() < 2 || all.len() > MAX_GIVEN {
            self.count(all.len());
            return all.iter().for_each(|field| self.field(field));
        }
        let told: Vec<[u8; 32]> = all.iter().map(|field| self.told_alone(|told| told.field(field))).collect();
        let kept: Vec<usize> = (0..told.len()).filter(|&at| !told[..at].contains(&told[at])).collect();
        self.count(kept.len());
        kept.into_iter().for_each(|at| self.field(all[at]));
    }

    fn field(&mut self, field: &Field) {
        self.all_types(field.ty.as_slice());
        self.all_exprs(field.value.as_slice());
    }

    fn binding(&mut self, binding: &Binding) {
        self.place(binding.owner);
        self.number(u32::from(binding.until == binding.to));
        self.all_types(binding.ty.as_slice());
        self.all_exprs(binding.value.as_slice());
    }

    fn expr_now(&mut self, ix: ExprIx) {
        let facts = self.facts;
        let Some(expr) = self.inside.exprs.get(ix.0 as usize) else {
            return self.number(u32::MAX);
        };
        match expr {
            Expr::Unknown => self.number(0),
            Expr::Name { name, at, scope } => {
                self.number(1);
                self.name(*name);
                self.place(*scope);
                // Which of the bindings holds is a matter of where both stand.
                let bindings = self.bindings_around(*name, *scope);
                self.count(bindings.len());
                for (_, binding) in bindings {
                    self.reach_of(binding, *at);
                    self.binding(binding);
                }
            }
            Expr::Path { segments, args, scope, .. } => {
                self.number(2);
                self.names(segments);
                self.all_types(args);
                self.place(*scope);
            }
            Expr::Member { of, name } => {
                self.number(3);
                self.ty(*of);
                self.name(*name);
            }
            Expr::This { scope } => {
                self.number(4);
                self.place(*scope);
            }
            Expr::Super { scope } => {
                self.number(5);
                self.place(*scope);
            }
            Expr::Field { base, name } if self.is_held(*base, *name) => {
                self.number(24);
                self.held_member(*base, *name);
                self.name(*name);
            }
            Expr::Field { base, name } => {
                self.number(6);
                self.expr(*base);
                self.name(*name);
            }
            Expr::Call { callee, args, types } => {
                self.number(7);
                self.expr(*callee);
                self.all_exprs(args);
                self.all_types(types);
            }
            Expr::Index { base } => {
                self.number(8);
                self.expr(*base);
            }
            Expr::Of { ty } => {
                self.number(9);
                self.ty(*ty);
            }
            Expr::Out { of, by } => {
                self.number(10);
                self.expr(*of);
                self.number(*by as u32);
            }
            Expr::Part { of, index } => {
                self.number(11);
                self.expr(*of);
                self.number(*index);
            }
            Expr::Payload { variant, of, index } => {
                self.number(12);
                self.expr(*variant);
                self.expr(*of);
                self.number(*index);
            }
            Expr::ArgOf { call, arg, param } => {
                self.number(13);
                self.expr(*call);
                self.number(*arg);
                self.number(*param);
            }
            Expr::Closure { params, result, returns } => {
                self.number(14);
                self.number(*params);
                self.all_exprs(result.as_slice());
                self.all_types(returns.as_slice());
            }
            Expr::Def(def) => {
                self.number(15);
                self.scope(Some(*def));
                self.mentions.push(facts.def(*def).name);
            }
            Expr::Import(at) => {
                self.number(16);
                if let Some(import) = facts.imports.get(*at as usize) {
                    self.import(import);
                }
            }
            Expr::Tuple(parts) => {
                self.number(17);
                self.all_exprs(parts);
            }
            Expr::List(parts) => {
                self.number(18);
                self.all_exprs(parts);
            }
            Expr::Object(members) => {
                self.number(19);
                self.count(members.len());
                for (name, value) in members {
                    self.name(*name);
                    self.expr(*value);
                }
            }
            Expr::Any(parts) => {
                self.number(20);
                self.all_exprs(parts);
            }
            Expr::Text => self.number(21),
            Expr::Number => self.number(22),
            Expr::Bool => self.number(23),
        }
    }

    /// How a binding stands to a place where its name is used.
    fn reach_of(&mut self, binding: &Binding, at: u32) {
        let (after, within) = (binding.from <= at, at < binding.to);
        self.number(u32::from(after) + 2 * u32::from(within) + 4 * u32::from(at < binding.until));
    }

    fn type_now(&mut self, ix: TypeIx) {
        let facts = self.facts;
        let Some(ty) = facts.types.get(ix.0 as usize) else {
            return self.number(u32::MAX);
        };
        match ty {
            TypeExpr::Unknown => self.number(0),
            TypeExpr::Path { segments, args, scope, .. } => {
                self.number(1);
                self.names(segments);
                self.all_types(args);
                self.place(*scope);
            }
            TypeExpr::Assoc { of, name } => {
                self.number(2);
                self.ty(*of);
                self.name(*name);
            }
            TypeExpr::SelfType { scope } => {
                self.number(3);
                self.place(*scope);
            }
            TypeExpr::Ref(of) => {
                self.number(4);
                self.ty(*of);
            }
            TypeExpr::Tuple(parts) => {
                self.number(5);
                self.all_types(parts);
            }
            TypeExpr::List(of) => {
                self.number(6);
                self.ty(*of);
            }
            TypeExpr::Bounds(parts) => {
                self.number(7);
                self.all_types(parts);
            }
            TypeExpr::Union(parts) => {
                self.number(8);
                self.all_types(parts);
            }
            TypeExpr::Function { params, result } => {
                self.number(9);
                self.all_types(params);
                self.all_types(result.as_slice());
            }
            TypeExpr::Object(members) => {
                self.number(10);
                self.count(members.len());
                for (name, ty) in members {
                    self.name(*name);
                    self.ty(*ty);
                }
            }
            TypeExpr::ValueOf(value) => {
                self.number(11);
                self.expr(*value);
            }
            TypeExpr::Text => self.number(12),
            TypeExpr::Number => self.number(13),
            TypeExpr::Bool => self.number(14),
        }
    }

    fn expr(&mut self, ix: ExprIx) {
        let next = self.exprs.len() as u32;
        let number = *self.exprs.entry(ix).or_insert(next);
        if number == next {
            self.waiting.push(Part::Expr(ix));
        }
        self.number(number);
    }

    fn ty(&mut self, ix: TypeIx) {
        let next = self.types.len() as u32;
        let number = *self.types.entry(ix).or_insert(next);
        if number == next {
            self.waiting.push(Part::Type(ix));
        }
        self.number(number);
    }

    fn all_exprs(&mut self, all: &[ExprIx]) {
        self.count(all.len());
        all.iter().for_each(|&ix| self.expr(ix));
    }

    /// What a function gives: whoever gives the same twice gives it once, and nobody looks at more than so many.
    fn results(&mut self, all: &[ExprIx]) {
        let all = &all[..all.len().min(MAX_RESULTS)];
        if all.len() < 2 {
            return self.all_exprs(all);
        }
        let told: Vec<[u8; 32]> = all.iter().map(|&ix| self.told_alone(|told| told.expr(ix))).collect();
        let is_first = |at: &usize| !told[..*at].contains(&told[*at]);
        let kept: Vec<ExprIx> = (0..all.len()).filter(is_first).map(|at| all[at]).collect();
        self.all_exprs(&kept);
    }

    /// Stands for something as if nothing else were told.
    fn told_alone(&mut self, tell: impl FnOnce(&mut Self)) -> [u8; 32] {
        let (out, waiting) = (take(&mut self.out), take(&mut self.waiting));
        let (exprs, types) = (take(&mut self.exprs), take(&mut self.types));
        tell(self);
        self.tell_waiting();
        let told = *blake3::hash(&self.out).as_bytes();
        (self.out, self.waiting, self.exprs, self.types) = (out, waiting, exprs, types);
        told
    }

    fn all_types(&mut self, all: &[TypeIx]) {
        self.count(all.len());
        all.iter().for_each(|&ix| self.ty(ix));
    }

    /// Whether a definition is around a place, or is the place itself. The top of a file is around all of it.
    /// The bindings of a name in a scope and in those around it, in the order of the file.
    fn bindings_around(&self, name: Name, scope: Scope) -> Vec<(u32, &'f Binding)> {
        let mut found = Vec::new();
        let mut at = scope;
        loop {
            found.extend(self.bindings.get(&(name, at)).into_iter().flatten().copied());
            match at {
                Some(ix) => at = self.facts.def(ix).parent,
                None => break,
            }
        }
        found.sort_unstable_by_key(|&(at, _)| at);
        found
    }

    /// Where a name is looked up. A function that defines and imports nothing has no names but its bindings, which are
    /// told with them: in another one like it beside it the name would mean the same.
    fn place(&mut self, scope: Scope) {
        match scope.filter(|ix| self.is_plain[ix.0 as usize]) {
            Some(ix) => {
                self.out.extend_from_slice(&PLAIN.to_le_bytes());
                self.scope(self.facts.def(ix).parent);
            }
            None => self.scope(scope),
        }
    }

    fn scope(&mut self, scope: Scope) {
        let key = scope.map_or(0, |ix| self.keys[ix.0 as usize]);
        self.out.extend_from_slice(&key.to_le_bytes());
    }

    fn names(&mut self, names: &[Name]) {
        self.count(names.len());
        names.iter().for_each(|&name| self.name(name));
    }

    fn name(&mut self, name: Name) {
        let facts = self.facts;
        self.mentions.push(name);
        self.text(facts.text(name));
    }

    fn text(&mut self, text: &str) {
        self.count(text.len());
        self.out.extend_from_slice(text.as_bytes());
    }

    fn count(&mut self, count: usize) {
        self.number(count as u32);
    }

    fn number(&mut self, number: u32) {
        self.out.extend_from_slice(&number.to_le_bytes());
    }
}
