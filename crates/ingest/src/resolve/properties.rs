//! Properties: members that are read like fields, and run a function.

use m1nd_graph::EdgeKind;

use super::LinkKind;
use super::eval::Eval;
use super::program::{GDef, GName, Place, Program};
use super::ty::Ty;
use crate::facts::{CallSite, Expr, How};

/// What reading a member runs, where the type that it is read of is known.
pub(super) fn run_by(eval: &mut Eval<'_, '_>, file: u32, site: &CallSite) -> Vec<(GDef, LinkKind)> {
    let program = eval.program;
    let Expr::Field { base, name } = program.inside(file).expr(site.what) else { return Vec::new() };
    let name = program.name(file, *name);
    if !is_property_name(program, name) {
        return Vec::new();
    }
    let rules = eval.rules(file);
    if let Expr::Super { scope } = program.inside(file).expr(*base) {
        let this = rules.this(eval, file, *scope);
        let found = rules.property(eval, &this, name, 1);
        return found.map(|def| vec![(def, calls(None))]).unwrap_or_default();
    }
    let of = eval.expr(file, *base);
    let parts: Vec<Ty> = match of.pointee() {
        Ty::Union(parts) => parts.to_vec(),
        one => vec![one.clone()],
    };
    let candidates = (parts.len() > 1).then_some(parts.len() as u16);
    let mut found: Vec<GDef> =
        parts.iter().filter_map(|part| rules.property(eval, part.pointee(), name, 0)).collect();
    found.sort();
    found.dedup();
    found.into_iter().map(|def| (def, calls(candidates))).collect()
}

fn calls(candidates: Option<u16>) -> LinkKind {
    LinkKind { kind: EdgeKind::Calls, candidates }
}

/// Most members are no properties anywhere, and need not be looked at.
fn is_property_name(program: &Program<'_>, name: GName) -> bool {
    program.methods(name).iter().any(|&def| program.def(def).how == How::Property)
}

/// Whether a class itself, and not one of its functions, gives its objects a field of a name: that stands before a property of a base,
/// while a function that gives it something hands that to the property.
pub(crate) fn has_field(program: &Program<'_>, class: GDef, name: GName) -> bool {
    let file = program.file_of(class);
    let functions = program.children(Place::Def(class));
    program.def(class).fields.iter().any(|field| {
        let is_around = |def: &&GDef| {
            let def = program.def(**def);
            def.kind.is_callable() && (def.line_start..=def.line_end).contains(&field.line)
        };
        program.name(file, field.name) == name && !functions.iter().any(|def| is_around(&def))
    })
}
