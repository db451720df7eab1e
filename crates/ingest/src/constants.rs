//! Where a file reads constants: its own, imported ones, and names that may be those of other files.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::{CallSite, Def, DefIx, DefKind, Expr, ExprIx, FileFacts, Name, Scope};
use crate::languages;
use crate::sheet::is_constant_name;

/// Languages in which the constants of a class are seen inside of it by their mere names.
const SEES_MEMBERS: [&str; 5] = ["java", "csharp", "kotlin", "scala", "cpp"];
/// Languages in which constants are written as anything else, and are told from functions by where they are imported from.
const PLAINLY_NAMED: [&str; 2] = ["python", "script"];
/// Names of types are variables like others in Python.
const PYTHON: &str = "python";
/// In Go the files of a package see what each of them defines, and constants are written as anything else.
const GO: &str = "go";

/// Which names of a file are worth a look.
struct Seen<'f> {
    facts: &'f FileFacts,
    /// Constants of the file with the place where they are defined, and imported names that are written like constants.
    own: FxHashMap<Name, Option<(u32, u32)>>,
    /// Names that the file defines, and who gives a name a value: the file, or a definition in it.
    defined: FxHashSet<Name>,
    bound: FxHashMap<Name, Vec<Scope>>,
    imported: FxHashSet<Name>,
    /// Imported names that may be those of constants though they are not written so, and even though they are called; names of
    /// types with the place where they are defined.
    taken: FxHashMap<Name, Option<(u32, u32)>>,
    called: FxHashSet<ExprIx>,
}

/// Adds what reads a constant to the uses, and what may read one of another file to the reads.
pub(crate) fn find(facts: &mut FileFacts, source: &[u8]) {
    let (uses, reads) = Seen::of(facts).sites();
    facts.inside.uses.extend(with_lines(uses, source));
    facts.inside.reads.extend(with_lines(reads, source));
}

/// Sites with the byte where each stands.
type Sites = Vec<(u32, CallSite)>;

impl<'f> Seen<'f> {
    fn of(facts: &'f FileFacts) -> Self {
        let mut own = FxHashMap::default();
        for import in facts.imports.iter().filter(|import| is_constant_name(facts.text(import.bind))) {
            own.insert(import.bind, None);
        }
        let sees_members = SEES_MEMBERS.contains(&facts.language.as_str());
        for def in facts.defs.iter().filter(|def| def.kind == DefKind::Constant) {
            if def.parent.is_none() || sees_members {
                own.insert(def.name, Some((def.from, def.to)));
            }
        }
        let called = facts.inside.calls.iter().filter_map(|site| match facts.inside.expr(site.what) {
            Expr::Call { callee, .. } => Some(*callee),
            _ => None,
        });
        let imported: FxHashSet<Name> = facts.imports.iter().map(|import| import.bind).collect();
        let mut bound: FxHashMap<Name, Vec<Scope>> = FxHashMap::default();
        for binding in &facts.bindings {
            let owners = bound.entry(binding.name).or_default();
            // They are in the order of their owners.
            if owners.last() != Some(&binding.owner) {
                owners.push(binding.owner);
            }
        }
        let is_plainly_named = PLAINLY_NAMED.contains(&languages::family(&facts.language));
        let taken = facts.imports.iter().filter(|import| is_plainly_named && import.item.is_some());
        let is_alias = |def: &&Def| def.kind == DefKind::TypeAlias && def.parent.is_none();
        let aliases = facts.defs.iter().filter(is_alias).filter(|_| facts.language == PYTHON);
        let mut taken: FxHashMap<Name, Option<(u32, u32)>> =
            taken.map(|import| (import.bind, None)).collect();
        taken.extend(aliases.map(|def| (def.name, Some((def.from, def.to)))));
        Self {
            own,
            taken,
            defined: facts.defs.iter().map(|def| def.name).collect(),
            bound,
            imported,
            called: called.collect(),
            facts,
        }
    }

    fn sites(&self) -> (Sites, Sites) {
        let (mut uses, mut reads) = (self.held(), Vec::new());
        for (at, expr) in (0..).zip(&self.facts.inside.exprs) {
            let what = ExprIx(at);
            let found = match expr {
                Expr::Field { base, name } if !self.is_written_so(*name) && self.is_plainly_named() => {
                    if let Some((at, scope)) = self.of_module(*base) {
                        reads.push((at, CallSite { what, scope, line: 0 }));
                    }
                    None
                }
                Expr::Name { name, at, scope } => match self.own.get(name) {
                    Some(defined) => {
                        if defined.is_none_or(|(from, to)| *at < from || *at >= to) {
                            uses.push((*at, CallSite { what, scope: *scope, line: 0 }));
                        }
                        None
                    }
                    None if self.taken.contains_key(name) => {
                        if self.taken[name].is_none_or(|(from, to)| *at < from || *at >= to) {
                            reads.push((*at, CallSite { what, scope: *scope, line: 0 }));
                        }
                        None
                    }
                    None => self.may_be_constant(*name, *scope).then_some((*at, *scope)),
                },
                Expr::Path { segments, at, scope, .. } => {
                    segments.last().filter(|name| self.is_written_so(**name)).map(|_| (*at, *scope))
                }
                Expr::Field { base, name } => self.of_other(*base, *name),
                _ => None,
            };
            if let Some((at, scope)) = found.filter(|_| !self.called.contains(&what)) {
                reads.push((at, CallSite { what, scope, line: 0 }));
            }
        }
        (uses, reads)
    }

    /// What constants at the top of the file are other names for: `HOOK = helper`.
    fn held(&self) -> Sites {
        let facts = self.facts;
        let bound = |name: Name| {
            let start = facts.bindings.partition_point(|one| (one.owner, one.name) < (None, name));
            facts.bindings.get(start).filter(|one| (one.owner, one.name) == (None, name))?.value
        };
        let mut found = Sites::new();
        for (ix, def) in (0..).zip(&facts.defs) {
            if def.kind != DefKind::Constant || def.parent.is_some() {
                continue;
            }
            // Constants of Go have their values as variables do.
            let value = def.value.or_else(|| bound(def.name).filter(|_| facts.language == GO));
            if let Some((what, at)) = value.and_then(|what| Some((what, self.place_of_name(what)?))) {
                found.push((at, CallSite { what, scope: Some(DefIx(ix)), line: 0 }));
            }
        }
        found
    }

    /// Where an expression stands that is nothing but a name.
    fn place_of_name(&self, mut what: ExprIx) -> Option<u32> {
        loop {
            match self.facts.inside.exprs.get(what.0 as usize)? {
                Expr::Name { at, .. } | Expr::Path { at, .. } => return Some(*at),
                Expr::Field { base, .. } => what = *base,
                _ => return None,
            }
        }
    }

    fn is_written_so(&self, name: Name) -> bool {
        is_constant_name(self.facts.text(name))
    }

    /// A name that nothing here explains.
    fn may_be_constant(&self, name: Name, scope: Scope) -> bool {
        let is_possible = self.facts.language == GO || self.is_written_so(name);
        is_possible
            && !self.defined.contains(&name)
            && !self.imported.contains(&name)
            && !self.is_bound(name, scope)
    }

    /// Whether the file, or a definition around, gives the name a value.
    fn is_bound(&self, name: Name, scope: Scope) -> bool {
        let Some(owners) = self.bound.get(&name) else { return false };
        let mut around = scope;
        loop {
            if owners.contains(&around) {
                return true;
            }
            let Some(ix) = around else { return false };
            around = self.facts.def(ix).parent;
        }
    }

    fn is_plainly_named(&self) -> bool {
        PLAINLY_NAMED.contains(&languages::family(&self.facts.language))
    }

    /// `config.limit`, where the file imports `config`.
    fn of_module(&self, base: ExprIx) -> Option<(u32, Scope)> {
        let Expr::Name { name: of, at, scope } = self.facts.inside.exprs.get(base.0 as usize)? else {
            return None;
        };
        (self.imported.contains(of) && !self.defined.contains(of)).then_some((*at, *scope))
    }

    /// `Config.LIMIT`, and in Go `config.Limit` of a package.
    fn of_other(&self, base: ExprIx, name: Name) -> Option<(u32, Scope)> {
        let Expr::Name { name: of, at, scope } = self.facts.inside.exprs.get(base.0 as usize)? else {
            return None;
        };
        let is_possible = match self.facts.language.as_str() {
            GO => self.imported.contains(of),
            _ => self.is_written_so(name),
        };
        is_possible.then_some((*at, *scope))
    }
}

/// The sites in their order, each with the line of its byte.
fn with_lines(mut found: Sites, source: &[u8]) -> impl Iterator<Item = CallSite> {
    found.sort_by_key(|(byte, site)| (*byte, site.what));
    let (mut line, mut counted) = (1, 0);
    for (byte, site) in &mut found {
        let passed = source.get(counted..*byte as usize).unwrap_or(&[]);
        line += passed.iter().filter(|&&b| b == b'\n').count() as u32;
        counted = counted.max(*byte as usize);
        site.line = line;
    }
    found.into_iter().map(|(_, site)| site)
}
