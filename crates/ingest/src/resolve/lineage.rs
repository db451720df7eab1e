//! What a class inherits from, and the classes around a place: what the rules of several languages share.

use crate::facts::{DefKind, Scope};
use crate::resolve::eval::Eval;
use crate::resolve::program::GDef;
use crate::resolve::ty::Ty;

/// Deeper class hierarchies are not followed.
const MAX_BASES: usize = 40;

/// Which bases are not ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Foreign {
    /// Those that are known to come from elsewhere.
    External,
    /// All that are not known to be ours.
    Unknown,
}

/// A class and its bases, nearest first; whether a base is not ours.
pub(crate) fn lineage(eval: &mut Eval<'_, '_>, class: GDef, foreign: Foreign) -> (Vec<GDef>, bool) {
    lineage_of_parts(eval, class, foreign, |class| vec![class])
}

/// The same where a class may be written in several parts.
pub(crate) fn lineage_of_parts(
    eval: &mut Eval<'_, '_>,
    class: GDef,
    foreign: Foreign,
    parts: impl Fn(GDef) -> Vec<GDef>,
) -> (Vec<GDef>, bool) {
    let (mut line, mut is_foreign) = (Vec::new(), false);
    let mut work = vec![class];
    while let Some(at) = work.pop() {
        if line.contains(&at) || line.len() >= MAX_BASES {
            continue;
        }
        line.push(at);
        for part in parts(at) {
            let (bases, is_beyond) = bases(eval, part, foreign);
            work.extend(bases);
            is_foreign |= is_beyond;
        }
    }
    (line, is_foreign)
}

/// The bases of a class that are ours, the last one first; whether another is not.
pub(crate) fn bases(eval: &mut Eval<'_, '_>, class: GDef, foreign: Foreign) -> (Vec<GDef>, bool) {
    let (mut ours, mut is_foreign) = (Vec::new(), false);
    let file = eval.program.file_of(class);
    // A type of Rust has no bases but traits; what is derived may only be called as another type is.
    let only_traits = eval.program.files[file as usize].language == "rust";
    for &base in eval.program.def(class).bases.iter().rev() {
        match eval.ty(file, base) {
            Ty::Of(base, _) if only_traits && eval.program.def(base).kind != DefKind::Trait => {}
            Ty::Of(base, _) => ours.push(base),
            Ty::Union(several) => ours.extend(several.iter().filter_map(|one| match one {
                Ty::Of(base, _) => Some(*base),
                _ => None,
            })),
            Ty::External => is_foreign = true,
            _ => is_foreign |= foreign == Foreign::Unknown,
        }
    }
    (ours, is_foreign)
}

/// The classes that a place lies in, innermost first; what is `written_for` another class lies in that one.
pub(crate) fn classes_around(
    eval: &mut Eval<'_, '_>,
    file: u32,
    scope: Scope,
    written_for: DefKind,
    is_class: impl Fn(DefKind) -> bool,
) -> Vec<GDef> {
    let facts = eval.program.files[file as usize];
    let mut found = Vec::new();
    let mut around = scope;
    while let Some(ix) = around {
        let def = facts.def(ix);
        match (def.kind, def.of) {
            (kind, Some(of)) if kind == written_for => {
                if let Ty::Of(class, _) = eval.ty(file, of) {
                    found.push(class);
                }
            }
            (kind, _) if is_class(kind) => found.push(eval.program.global(file, ix)),
            _ => {}
        }
        around = def.parent;
    }
    found
}
