//! From facts to relations: who calls, imports, inherits and uses whom, and on what evidence.

mod constants;
mod entries;
pub(crate) mod eval;
mod imports;
pub(crate) mod index;
mod kept;
pub(crate) mod lineage;
pub(crate) mod near;
mod objects;
mod overloads;
pub(crate) mod program;
mod projects;
pub(crate) mod properties;
mod results;
pub(crate) mod rules;
mod targets;
pub(crate) mod ty;

use std::hash::{Hash as _, Hasher as _};
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHasher};

use m1nd_graph::{EdgeKind, Evidence, NodeFlags};

use crate::facts::{
    CallSite, DefIx, DefKind, Expr, ExprIx, FileFacts, How, Insides, Scope, TypeExpr, TypeIx,
};
use crate::languages::{self, ProgramRules};
use crate::manifest::Manifest;
use crate::mounts;
use eval::Eval;
use index::Index;
use program::{GDef, Place, Program, Source};
use projects::Projects;
use rules::{Access, Rules};
use ty::Ty;

/// Above this a shared name is no evidence at all.
pub(crate) const MAX_CANDIDATES: usize = 5;

/// Nor above this, where some of those that share it may be copies of others.
pub(crate) const MAX_SAME: usize = 4 * MAX_CANDIDATES;

/// One relation that starts in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    /// The definition it starts at; the file where nothing smaller does.
    pub source: LinkEnd,
    pub target: LinkEnd,
    pub kind: LinkKind,
    pub line: u32,
}

/// A file or a definition in it, by position in the sorted list of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkEnd {
    pub file: u32,
    pub def: Option<DefIx>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinkKind {
    pub kind: EdgeKind,
    /// Nothing when imports, scopes and types name the target; else how many it could be.
    pub candidates: Option<u16>,
}

impl LinkKind {
    pub fn evidence(self) -> Evidence {
        match self.candidates {
            None => Evidence::Resolved,
            Some(candidates) => Evidence::Inferred { candidates },
        }
    }
}

/// The relations of every file, and how many calls found no target.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Links {
    pub links: Vec<Link>,
    /// Calls whose target may be ours but could not be told.
    pub unresolved: u32,
    /// Calls that certainly leave the workspace.
    pub external: u32,
    /// Stands for what other files rest on, whatever the numbers of definitions: the relations that start in
    /// them, and where programs begin.
    pub abroad: u64,
    /// Stands for what routes and mounts name.
    pub routing: u64,
    /// What the values that routes and mounts name are.
    pub routed: Vec<(ExprIx, LinkEnd)>,
    /// Those among the values that nothing explains but that are called as applications are.
    pub applications: Vec<ExprIx>,
    /// Where manifests say that programs begin: the file itself, or functions of it.
    pub entries: Vec<Option<DefIx>>,
    /// The full names of the file's module, where manifests give them.
    pub packages: Vec<String>,
}

impl Links {
    /// What a route's or a mount's value was resolved to.
    pub fn named(&self, value: ExprIx) -> Option<LinkEnd> {
        self.routed.iter().find(|(known, _)| *known == value).map(|(_, end)| *end)
    }
}

/// Resolves every file against all others. `files` must be sorted by path.
pub fn resolve(files: &[&FileFacts], manifests: &[Manifest]) -> Vec<Links> {
    let index = Index::of(files);
    let sources = files.iter().map(|facts| (*facts, Source::Open(&facts.inside)));
    let all: Vec<u32> = (0..files.len() as u32).collect();
    let program = Program::new(sources, manifests, &index);
    resolve_some(&program, &ProgramRules::of(&program).by_file(&program), &all).links
}

/// The relations of some files.
pub(crate) struct Resolved {
    pub links: Vec<Links>,
    /// [`Links::abroad`] of a file that others rest on for nothing.
    pub plain: u64,
}

/// Resolves some files of a program, by position, against all others.
pub(crate) fn resolve_some(program: &Program<'_>, by_file: &[&dyn Rules], some: &[u32]) -> Resolved {
    let entries = entries::of(&mut Eval::new(program, by_file), program.manifests);
    let beginnings = beginnings(program, &entries);
    let projects = Projects::of(program);
    // Neighbouring files share what was evaluated for them.
    let chunk = some.len().div_ceil(rayon::current_num_threads().max(1) * 4).max(1);
    let links = some
        .par_chunks(chunk)
        .flat_map_iter(|chunk| {
            let mut eval = Eval::new(program, by_file);
            let read = |&file: &u32| {
                let mut links = FileLinker::read(&mut eval, &projects, file);
                links.entries = entries.get(&file).cloned().unwrap_or_default();
                links.abroad ^= beginnings;
                links.packages = by_file[file as usize].packages(program, file);
                links
            };
            chunk.iter().map(read).collect::<Vec<Links>>()
        })
        .collect();
    Resolved { links, plain: beginnings }
}

/// Whether a member is read without a call; in Python, where a call may follow, the name tells no more.
fn is_read(program: &Program<'_>, def: GDef) -> bool {
    let language = program.files[program.file_of(def) as usize].language.as_str();
    program.def(def).how == How::Property && language != "python"
}

/// Stands for where programs begin, whatever the numbers of the definitions.
fn beginnings(program: &Program<'_>, entries: &FxHashMap<u32, Vec<Option<DefIx>>>) -> u64 {
    let ends =
        entries.iter().flat_map(|(file, defs)| defs.iter().map(|def| LinkEnd { file: *file, def: *def }));
    // The order of a map is nobody's, so their digests are added up.
    ends.map(|end| digest(program, [end])).fold(0, u64::wrapping_add)
}

fn digest(program: &Program<'_>, ends: impl IntoIterator<Item = LinkEnd>) -> u64 {
    let mut hasher = FxHasher::default();
    for end in ends {
        let facts = program.files[end.file as usize];
        facts.path.hash(&mut hasher);
        let mut around = end.def;
        while let Some(ix) = around {
            facts.text(facts.def(ix).name).hash(&mut hasher);
            around = facts.def(ix).parent;
        }
    }
    hasher.finish()
}

struct FileLinker<'e, 'p, 'f> {
    eval: &'e mut Eval<'p, 'f>,
    projects: &'e Projects,
    file: u32,
    out: Links,
}

impl<'e, 'p, 'f> FileLinker<'e, 'p, 'f> {
    fn read(eval: &'e mut Eval<'p, 'f>, projects: &'e Projects, file: u32) -> Links {
        let facts = eval.program.files[file as usize];
        let mut linker = FileLinker { eval, projects, file, out: Links::default() };
        let inside = linker.eval.program.inside(file);
        for site in &inside.calls {
            linker.call(facts, inside, site);
        }
        for site in &inside.uses {
            match inside.expr(site.what) {
                Expr::Call { callee, .. } => linker.handed_on(inside, *callee, site),
                _ => drop(linker.used(site)),
            }
        }
        for site in &inside.reads {
            if let Some(target) = linker.constant(site) {
                let kind = LinkKind { kind: EdgeKind::References, candidates: None };
                linker.link(site.scope, target, kind, site.line);
            }
        }
        for site in &inside.members {
            for (target, kind) in properties::run_by(linker.eval, file, site) {
                linker.link(site.scope, target, kind, site.line);
            }
        }
        for (at, def) in facts.defs.iter().enumerate() {
            for &base in &def.bases {
                linker.base(DefIx(at as u32), base);
            }
            // A method of a class without a name says what that class extends.
            if let (DefKind::Method, Some(of)) = (def.kind, def.of) {
                let of = linker.eval.ty(file, of);
                linker.implements(DefIx(at as u32), &of);
            }
        }
        for (at, ty) in facts.types.iter().enumerate() {
            if let TypeExpr::Path { scope, line, .. } = ty {
                linker.type_reference(TypeIx(at as u32), *scope, *line);
            }
        }
        // What is used of a package tells which of its files is meant.
        for at in 0..facts.imports.len() {
            linker.import(at, facts.imports[at].line);
        }
        for (what, line) in facts.routed_values() {
            match linker.used(&CallSite { what, scope: None, line }) {
                Some(target) => {
                    let end = linker.end_of(target);
                    linker.out.routed.push((what, end));
                }
                None if mounts::is_application(facts, inside.expr(what)) => {
                    linker.out.applications.push(what)
                }
                None => {}
            }
        }
        linker.out.links.sort();
        linker.out.links.dedup();
        linker.out.abroad = linker.abroad();
        linker.out.routing = linker.routing();
        linker.out
    }

    fn abroad(&self) -> u64 {
        let links = self.out.links.iter().filter(|link| link.source.file != self.file);
        digest(self.eval.program, links.flat_map(|link| [link.source, link.target]))
    }

    fn routing(&self) -> u64 {
        let routed = self.out.routed.iter().map(|(_, end)| *end);
        digest(self.eval.program, routed) ^ self.out.applications.len() as u64
    }

    fn call(&mut self, facts: &FileFacts, inside: &Insides, site: &CallSite) {
        let Expr::Call { callee, .. } = inside.expr(site.what) else {
            return;
        };
        let ty = self.eval.callee(self.file, *callee);
        let mut targets = targets::of(self.eval, &ty, self.file, inside, site.what);
        targets.sort();
        targets.dedup();
        if self.handed(*callee, &targets, site) && targets.is_empty() {
            return;
        }
        match (targets.is_empty(), &ty) {
            (true, Ty::Unknown) => {
                self.out.unresolved += 1;
                let named = self.by_name(facts, inside.expr(*callee));
                self.guess(named, site);
            }
            (true, _) => self.out.external += 1,
            (false, _) => {
                if ty.others() > 0 {
                    self.or_else(facts, inside.expr(*callee), &mut targets);
                }
                for (target, kind) in targets {
                    self.link(site.scope, target, kind, site.line);
                }
            }
        }
    }

    /// A call of what a wrapper made may run what the wrapper was handed; whether there is any such.
    fn handed(&mut self, callee: ExprIx, targets: &[(GDef, LinkKind)], site: &CallSite) -> bool {
        let program = self.eval.program;
        let name = match program.inside(self.file).expr(callee) {
            Expr::Name { name, .. } | Expr::Field { name, .. } => program.name(self.file, *name),
            _ => return false,
        };
        // What is called by its own name was not made by a call.
        if targets.iter().any(|(target, _)| program.def_name(*target) == name) {
            return false;
        }
        let mut found = kept::handed(self.eval, self.file, callee);
        found.retain(|def| targets.iter().all(|(known, _)| known != def));
        if found.is_empty() || found.len() > MAX_CANDIDATES {
            return false;
        }
        let candidates = Some(found.len() as u16 + 1);
        for target in found {
            self.link(site.scope, target, LinkKind { kind: EdgeKind::Calls, candidates }, site.line);
        }
        true
    }

    /// What else may be meant has a name too: methods of that name stand beside what is known, if few have it.
    fn or_else(&mut self, facts: &FileFacts, callee: &Expr, targets: &mut Vec<(GDef, LinkKind)>) {
        let mut named = self.by_name(facts, callee);
        named.retain(|def| targets.iter().all(|(known, _)| known != def));
        let all = targets.len() + named.len();
        if named.is_empty() || all > MAX_CANDIDATES {
            return;
        }
        let guessed = LinkKind { kind: EdgeKind::Calls, candidates: Some(all as u16) };
        targets.iter_mut().for_each(|(_, kind)| kind.candidates = guessed.candidates);
        targets.extend(named.into_iter().map(|def| (def, guessed)));
    }

    /// Nothing is known of the receiver: methods with that name, unless many have it.
    fn by_name(&self, facts: &FileFacts, callee: &Expr) -> Vec<GDef> {
        let program = self.eval.program;
        let name = match callee {
            Expr::Field { name, .. } => name,
            Expr::Path { segments, scope, .. } if segments.len() == 1 => {
                let name = program.name(self.file, segments[0]);
                return self.eval.rules(self.file).guesses(program, self.file, *scope, name);
            }
            Expr::Name { name, scope, .. } => {
                let name = program.name(self.file, *name);
                return self.eval.rules(self.file).guesses(program, self.file, *scope, name);
            }
            _ => return Vec::new(),
        };
        let text = facts.text(*name);
        if self.eval.rules(self.file).is_common_method(text) {
            return Vec::new();
        }
        let all = program.methods(program.name(self.file, *name));
        if all.len() > MAX_SAME {
            return Vec::new();
        }
        let named = all.iter().copied().filter(|&def| {
            // A test is run by its runner, not by who happens to say its name.
            let is_called = !program.def(def).is_test_case() && !is_read(program, def);
            is_called && self.projects.may_meet(self.file, program.file_of(def))
        });
        program.without_copies(self.file, named.collect())
    }

    fn guess(&mut self, named: Vec<GDef>, site: &CallSite) {
        if named.len() > MAX_CANDIDATES {
            return;
        }
        let candidates = Some(named.len() as u16);
        for target in named {
            self.link(site.scope, target, LinkKind { kind: EdgeKind::Calls, candidates }, site.line);
        }
    }

    fn used(&mut self, site: &CallSite) -> Option<GDef> {
        let target = match self.eval.expr(self.file, site.what) {
            Ty::Fn(def, _) | Ty::Type(def, _) => Some(def),
            _ => self.constant(site),
        };
        if let Some(target) = target {
            let kind = LinkKind { kind: EdgeKind::References, candidates: None };
            self.link(site.scope, target, kind, site.line);
        }
        target
    }

    /// A function that is named as one that takes so much, to be called by others: known only where one is meant.
    fn handed_on(&mut self, inside: &Insides, callee: ExprIx, site: &CallSite) {
        let program = self.eval.program;
        let kind = LinkKind { kind: EdgeKind::References, candidates: None };
        let ty = self.eval.callee(self.file, callee);
        // What stands behind `::` in Java does not say how much it is given.
        if let (Ty::Fn(only, _), "java") = (&ty, program.files[self.file as usize].language.as_str()) {
            let place = program.parent(*only).map(Place::Def);
            let is_only = place.is_some_and(|place| program.items(place, program.def_name(*only)).len() == 1);
            if is_only {
                self.link(site.scope, *only, kind, site.line);
            }
            return;
        }
        let targets = targets::of(self.eval, &ty, self.file, inside, site.what);
        for (target, known) in targets {
            if known.candidates.is_none() {
                self.link(site.scope, target, kind, site.line);
            }
        }
    }

    /// A name that evaluates to a constant's type is looked up as the constant itself.
    fn constant(&mut self, site: &CallSite) -> Option<GDef> {
        constants::named(self.eval, self.file, site.what)
    }

    fn base(&mut self, def: DefIx, base: TypeIx) {
        let program = self.eval.program;
        let Ty::Of(target, _) = self.eval.ty(self.file, base) else {
            return;
        };
        let found = program.files[self.file as usize].def(def);
        let is_contract = matches!(program.def(target).kind, DefKind::Trait | DefKind::Interface);
        // A type of Rust has no bases but traits; what is derived may only be called as another type is.
        if !is_contract && program.files[self.file as usize].language == "rust" {
            return;
        }
        let (source, kind) = match found.kind {
            DefKind::Impl => {
                let Some(Ty::Of(of, _)) = found.of.map(|ty| self.eval.ty(self.file, ty)) else {
                    // The type is not ours and no node: what is written for it implements the members one by one.
                    let of = Ty::Of(target, Arc::new([]));
                    let children = program.children(Place::Def(program.global(self.file, def)));
                    for &child in children {
                        self.implements(program.local(child).1, &of);
                    }
                    return;
                };
                let (file, ix) = program.local(of);
                // An impl in another file than its type still belongs to that type.
                let end = LinkEnd { file, def: Some(ix) };
                let link = Link {
                    source: end,
                    target: self.end_of(target),
                    kind: LinkKind { kind: EdgeKind::Implements, candidates: None },
                    line: if file == self.file { found.line_start } else { 0 },
                };
                self.out.links.push(link);
                return;
            }
            DefKind::Trait | DefKind::Interface => (def, EdgeKind::Inherits),
            DefKind::TypeAlias => return,
            _ if is_contract => (def, EdgeKind::Implements),
            _ => (def, EdgeKind::Inherits),
        };
        let kind = LinkKind { kind, candidates: None };
        self.link(Some(source), target, kind, found.name_line);
        // What one part of a type extends, all of it does.
        let own = program.global(self.file, def);
        for part in self.eval.rules(self.file).other_parts(program, own) {
            let (source, target) = (self.end_of(part), self.end_of(target));
            let line = if source.file == self.file { program.def(part).name_line } else { 0 };
            if source != target {
                self.out.links.push(Link { source, target, kind, line });
            }
        }
    }

    /// A method whose type is no node stands for the members of that name in what the type is written for.
    fn implements(&mut self, method: DefIx, base: &Ty) {
        let program = self.eval.program;
        let def = program.files[self.file as usize].def(method);
        let own = program.global(self.file, method);
        if def.kind != DefKind::Method {
            return;
        }
        let name = program.name(self.file, def.name);
        let mut found = self.eval.member(self.file, base, name, Access::Call).functions();
        found.retain(|&target| target != own);
        // Of overloads those that take as much.
        let takes = |target: &GDef| program.def(*target).params.len() == def.params.len();
        if found.iter().any(takes) {
            found.retain(takes);
        }
        for target in found {
            let kind = LinkKind { kind: EdgeKind::Implements, candidates: None };
            self.link(Some(method), target, kind, def.name_line);
        }
    }

    fn type_reference(&mut self, ty: TypeIx, scope: Scope, line: u32) {
        let kind = LinkKind { kind: EdgeKind::References, candidates: None };
        let facts = self.eval.program.files[self.file as usize];
        // Whoever names an alias depends on it, whatever it stands for.
        if constants::HAS_ALIASES.contains(&languages::family(&facts.language))
            && let Some(alias) = constants::alias_named(self.eval, self.file, ty)
        {
            self.link(scope, alias, kind, line);
        }
        let Ty::Of(target, _) = self.eval.ty(self.file, ty) else {
            return;
        };
        self.link(scope, target, kind, line);
    }

    fn link(&mut self, scope: Scope, target: GDef, kind: LinkKind, line: u32) {
        let end = self.end_of(target);
        self.push(scope, end, kind, line);
        if kind.kind == EdgeKind::Calls && kind.candidates.is_none() {
            self.tests(scope, target, line);
        }
    }

    /// A test that calls something tests it.
    fn tests(&mut self, scope: Scope, target: GDef, line: u32) {
        let program = self.eval.program;
        let facts = program.files[self.file as usize];
        let source = self.source(scope);
        let is_test = source.is_some_and(|ix| facts.def(ix).is_test_case());
        let target_file = program.files[program.file_of(target) as usize];
        let of_tests = program.def(target).flags.has(NodeFlags::TEST_CODE)
            || target_file.flags.has(NodeFlags::TEST_CODE);
        if is_test && !of_tests {
            let end = self.end_of(target);
            self.push(scope, end, LinkKind { kind: EdgeKind::Tests, candidates: None }, line);
        }
    }

    fn push(&mut self, scope: Scope, target: LinkEnd, kind: LinkKind, line: u32) {
        let source = LinkEnd { file: self.file, def: self.source(scope) };
        let recursive_call = kind.kind == EdgeKind::Calls;
        if source != target || recursive_call {
            self.out.links.push(Link { source, target, kind, line });
        }
    }

    /// The innermost definition around a scope that is a node.
    fn source(&self, scope: Scope) -> Scope {
        let facts = self.eval.program.files[self.file as usize];
        let mut around = scope;
        while let Some(ix) = around {
            let def = facts.def(ix);
            if def.kind.node_kind().is_some() && def.kind != DefKind::Module {
                return Some(ix);
            }
            around = def.parent;
        }
        None
    }

    /// Variants and impls are not nodes; what holds them is.
    fn end_of(&self, target: GDef) -> LinkEnd {
        let program = self.eval.program;
        let mut at = target;
        while program.def(at).kind.node_kind().is_none() {
            match program.parent(at) {
                Some(parent) => at = parent,
                None => {
                    return LinkEnd { file: program.file_of(at), def: None };
                }
            }
        }
        let (file, ix) = program.local(at);
        LinkEnd { file, def: Some(ix) }
    }
}
