//! The routers of one file: which stands below which, so that each route gets the whole path its file shows.

use crate::facts::{Below, DefIx, Expr, ExprIx, FileFacts, Mount, Route, Router, RouterKind, Scope};
use crate::languages::routes;

/// More places for one router are not told.
const MAX_PLACES: usize = 8;
/// Routers deeper below each other are not followed.
const MAX_DEPTH: usize = 8;

/// What the readers of a file find, until the file is read to its end.
#[derive(Default)]
pub(crate) struct Routers {
    made: Vec<Made>,
    routes: Vec<(Route, Hung)>,
    mounts: Vec<Put>,
}

/// A router that a name was given.
struct Made {
    /// The function around it.
    owner: Scope,
    name: String,
    kind: RouterKind,
    prefix: String,
}

/// What a route or a mount was added to.
#[derive(Clone, Debug)]
pub(crate) struct Hung {
    pub owner: Scope,
    pub on: On,
}

#[derive(Clone, Debug)]
pub(crate) enum On {
    /// A name as it is written, and its value.
    Name(String, ExprIx),
    /// What the function around it gives back or was handed over.
    Function,
    /// The file itself.
    File,
}

/// A mount as it is written.
struct Put {
    what: What,
    prefix: Option<String>,
    onto: Hung,
    line: u32,
}

/// What is put below a path.
pub(crate) enum What {
    Name(String, ExprIx),
    Value(ExprIx),
    File(String),
}

impl Routers {
    pub fn made(&mut self, owner: Scope, name: &str, kind: RouterKind, prefix: String) {
        self.made.retain(|made| (made.owner, made.name.as_str()) != (owner, name));
        self.made.push(Made { owner, name: name.to_owned(), kind, prefix });
    }

    pub fn route(&mut self, route: Route, hung: Hung) {
        self.routes.push((route, hung));
    }

    pub fn mount(&mut self, what: What, prefix: Option<String>, onto: Hung, line: u32) {
        self.mounts.push(Put { what, prefix, onto, line });
    }

    /// Whether a name was given a router.
    pub fn knows(&self, facts: &FileFacts, from: Scope, name: &str) -> bool {
        self.find(facts, from, name).is_some()
    }

    /// Gives the file its routes, mounts and routers.
    pub fn settle(self, facts: &mut FileFacts) {
        let mut routes = Vec::new();
        for (route, hung) in &self.routes {
            for (prefix, below) in self.places(facts, hung, MAX_DEPTH) {
                let pattern = routes::below(&prefix, &route.pattern, &facts.language);
                routes.push(Route { pattern, below, ..route.clone() });
            }
        }
        let mut mounts = Vec::new();
        for put in &self.mounts {
            let what = match &put.what {
                What::Name(name, value) => match self.find(facts, put.onto.owner, name) {
                    // The names of this file are settled here.
                    Some(_) => continue,
                    None => Below::Value(*value),
                },
                What::Value(value) => Below::Value(*value),
                What::File(path) => Below::File(path.clone()),
            };
            for (base, below) in self.places(facts, &put.onto, MAX_DEPTH) {
                let (what, prefix) = (what.clone(), put.prefix.clone());
                mounts.push(Mount { what, base, prefix, below, line: put.line });
            }
        }
        for made in self.made.iter().filter(|made| made.owner.is_none()) {
            if let Some(def) = top_def(facts, &made.name) {
                facts.routers.push(Router { def, kind: made.kind, prefix: made.prefix.clone() });
            }
        }
        facts.routes.append(&mut routes);
        facts.mounts.append(&mut mounts);
    }

    /// Every path that something hung here is below, and what that path itself is below.
    fn places(&self, facts: &FileFacts, hung: &Hung, depth: usize) -> Vec<(String, Option<Below>)> {
        let (name, value) = match &hung.on {
            On::File => return vec![(String::new(), Some(Below::File(facts.path.clone())))],
            On::Function => return vec![(String::new(), hung.owner.map(Below::Def))],
            On::Name(name, value) => (name, *value),
        };
        let Some(at) = self.find(facts, hung.owner, name) else {
            return vec![(String::new(), unmade(facts, hung.owner, name, value))];
        };
        let made = &self.made[at];
        let puts = self.mounts.iter().filter(|put| match &put.what {
            What::Name(name, _) => self.find(facts, put.onto.owner, name) == Some(at),
            _ => false,
        });
        let mut found = Vec::new();
        for put in puts.take(MAX_PLACES).filter(|_| depth > 0) {
            let own = own_prefix(made.kind, &made.prefix, put.prefix.as_deref());
            for (outer, below) in self.places(facts, &put.onto, depth - 1) {
                found.push((routes::below(&outer, &own, ""), below));
            }
        }
        if found.is_empty() {
            let below = match (made.kind, made.owner) {
                (RouterKind::Root, _) => None,
                (_, Some(owner)) => Some(Below::Def(owner)),
                (_, None) => top_def(facts, &made.name).map(Below::Def),
            };
            // What a router that others can see says itself is added where all files are known.
            let is_seen = made.owner.is_none() && below.is_some();
            found.push((if is_seen { String::new() } else { made.prefix.clone() }, below));
        }
        found.truncate(MAX_PLACES);
        found
    }

    /// A router by its name, seen from within a function.
    fn find(&self, facts: &FileFacts, from: Scope, name: &str) -> Option<usize> {
        let mut around = from;
        loop {
            let found = self.made.iter().position(|made| made.owner == around && made.name == name);
            if found.is_some() {
                return found;
            }
            around = facts.def(around?).parent;
        }
    }
}

/// The path of a router below the one it is put below.
pub(crate) fn own_prefix(kind: RouterKind, own: &str, given: Option<&str>) -> String {
    match (kind, given) {
        (RouterKind::PartUnlessGiven, Some(given)) => given.to_owned(),
        (_, given) => routes::below(given.unwrap_or(""), own, ""),
    }
}

/// What a name that no router of this file has may stand for.
fn unmade(facts: &FileFacts, owner: Scope, name: &str, value: ExprIx) -> Option<Below> {
    let first = name.split('.').next().unwrap_or(name);
    let is_param = |ix: DefIx| facts.def(ix).params.iter().any(|param| facts.text(param.name) == first);
    let mut around = owner;
    while let Some(ix) = around {
        if is_param(ix) {
            return Some(Below::Def(ix));
        }
        around = facts.def(ix).parent;
    }
    let is_imported = facts.imports.iter().any(|import| facts.text(import.bind) == first);
    let is_loaded = facts.bindings.iter().any(|binding| {
        let value = binding.value.map(|value| facts.inside.expr(value));
        binding.owner.is_none()
            && facts.text(binding.name) == first
            && matches!(value, Some(Expr::Import(_) | Expr::Field { .. } | Expr::Part { .. }))
    });
    (is_imported || is_loaded).then_some(Below::Value(value))
}

/// The constant of a file with this name.
fn top_def(facts: &FileFacts, name: &str) -> Option<DefIx> {
    let found = facts.defs.iter().position(|def| def.parent.is_none() && facts.text(def.name) == name);
    found.map(|at| DefIx(at as u32))
}
