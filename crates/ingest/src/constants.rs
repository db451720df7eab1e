//! Where a file reads constants: its own, imported ones, and names that may be those of other files.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::{CallSite, DefKind, Expr, ExprIx, FileFacts, Name, Scope};
use crate::sheet::is_constant_name;

/// Languages in which the constants of a class are seen inside of it by their mere names.
const SEES_MEMBERS: [&str; 5] = ["java", "csharp", "kotlin", "scala", "cpp"];
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
        Self {
            own,
            defined: facts.defs.iter().map(|def| def.name).collect(),
            bound,
            imported,
            called: called.collect(),
            facts,
        }
    }

    fn sites(&self) -> (Sites, Sites) {
        let (mut uses, mut reads) = (Vec::new(), Vec::new());
        for (at, expr) in (0..).zip(&self.facts.inside.exprs) {
            let what = ExprIx(at);
            let found = match expr {
                Expr::Name { name, at, scope } => match self.own.get(name) {
                    Some(defined) => {
                        if defined.is_none_or(|(from, to)| *at < from || *at >= to) {
                            uses.push((*at, CallSite { what, scope: *scope, line: 0 }));
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
