//! Keeps of a file's facts what can matter to a relation, in as little memory as it takes.
//!
//! Extractors write down every expression they pass. Most of them are read by nothing: they are neither called
//! nor used, and no name that is looked up stands for them.

use crate::facts::{
    Below, Binding, Def, Expr, ExprIx, FileFacts, Insides, Name, Names, RouteHandler, TypeExpr,
};

/// A reference from one fact to another.
enum Part<'f> {
    Name(&'f mut Name),
    Expr(&'f mut ExprIx),
}

/// The same facts without what nothing reads. Relations made of them are the same.
pub(crate) fn compact(mut facts: FileFacts) -> FileFacts {
    let mut kept = Kept::of(&mut facts);
    let mut kept_bindings = std::mem::take(&mut kept.bindings).into_iter();
    facts.bindings.retain(|_| kept_bindings.next().unwrap_or(true));
    kept.number(&facts);
    let old = std::mem::take(&mut facts.inside.exprs);
    let mut exprs: Vec<Expr> = Vec::with_capacity(kept.count as usize);
    for (at, expr) in old.into_iter().enumerate() {
        if kept.exprs[at] == Some(exprs.len() as u32) {
            exprs.push(expr);
        }
    }
    facts.inside.exprs = exprs;
    let mut used = vec![false; facts.names.len()];
    each_part(&mut facts, &mut |part| match part {
        // A place that was never filled in points nowhere and goes on doing so.
        Part::Expr(ix) => ix.0 = kept.exprs.get(ix.0 as usize).copied().flatten().unwrap_or(u32::MAX),
        Part::Name(name) => used[name.0 as usize] = true,
    });
    renumber_names(&mut facts, &used);
    facts.types.shrink_to_fit();
    facts.inside.calls.shrink_to_fit();
    facts.inside.uses.shrink_to_fit();
    facts.inside.reads.shrink_to_fit();
    facts.inside.members.shrink_to_fit();
    let top = facts.bindings.partition_point(|binding| binding.owner.is_none());
    facts.inside.bindings = facts.bindings.split_off(top);
    facts.bindings.shrink_to_fit();
    facts.defs.shrink_to_fit();
    facts.imports.shrink_to_fit();
    facts
}

/// Which expressions and bindings something reads.
struct Kept {
    /// Whether an expression is kept; then its new position.
    exprs: Vec<Option<u32>>,
    bindings: Vec<bool>,
    count: u32,
}

impl Kept {
    fn of(facts: &mut FileFacts) -> Self {
        let mut kept = Self {
            exprs: vec![None; facts.inside.exprs.len()],
            bindings: facts.bindings.iter().map(|binding| binding.owner.is_none()).collect(),
            count: 0,
        };
        let mut waiting: Vec<ExprIx> = Vec::new();
        let mut bindings_of: Vec<Vec<u32>> = vec![Vec::new(); facts.names.len()];
        for (at, binding) in facts.bindings.iter().enumerate() {
            bindings_of[binding.name.0 as usize].push(at as u32);
            waiting.extend(binding.value.filter(|_| binding.owner.is_none()));
        }
        let Insides { calls, uses, reads, members, .. } = &facts.inside;
        waiting.extend(calls.iter().chain(uses).chain(reads).chain(members).map(|site| site.what));
        waiting.extend(facts.exports.iter().map(|export| export.value));
        waiting.extend(facts.routed_values().map(|(value, _)| value));
        for def in &facts.defs {
            waiting.extend(def.results.iter().copied().chain(def.value));
            waiting.extend(def.fields.iter().filter_map(|field| field.value));
        }
        // Every written type may be a reference of its own.
        for ty in &mut facts.types {
            each_part_of_type(ty, &mut |part| {
                if let Part::Expr(ix) = part {
                    waiting.push(*ix);
                }
            });
        }
        while let Some(ix) = waiting.pop() {
            let Some(mark) = kept.exprs.get_mut(ix.0 as usize).filter(|mark| mark.is_none()) else {
                continue;
            };
            *mark = Some(0);
            let expr = &mut facts.inside.exprs[ix.0 as usize];
            if let Expr::Name { name, .. } = expr {
                for at in std::mem::take(&mut bindings_of[name.0 as usize]) {
                    kept.bindings[at as usize] = true;
                    waiting.extend(facts.bindings[at as usize].value);
                }
            }
            each_part_of_expr(expr, &mut |part| {
                if let Part::Expr(ix) = part {
                    waiting.push(*ix);
                }
            });
        }
        kept
    }

    /// Gives each kept expression its new position; those that say the same and nothing else share one.
    fn number(&mut self, facts: &FileFacts) {
        let mut plain: [Option<u32>; 4] = [None; 4];
        for (at, mark) in self.exprs.iter_mut().enumerate().filter(|(_, mark)| mark.is_some()) {
            let shared = match facts.inside.exprs[at] {
                Expr::Unknown => Some(0),
                Expr::Text => Some(1),
                Expr::Number => Some(2),
                Expr::Bool => Some(3),
                _ => None,
            };
            if let Some(known) = shared.and_then(|which: usize| plain[which]) {
                *mark = Some(known);
                continue;
            }
            *mark = Some(self.count);
            if let Some(which) = shared {
                plain[which] = *mark;
            }
            self.count += 1;
        }
    }
}

/// Drops names that nothing mentions; the order of the others stays.
fn renumber_names(facts: &mut FileFacts, used: &[bool]) {
    let mut fresh = Names::default();
    let mut number = vec![0; used.len()];
    for (at, number) in number.iter_mut().enumerate().filter(|&(at, _)| used[at]) {
        *number = fresh.push(facts.names.get(Name(at as u32))).0;
    }
    fresh.shrink_to_fit();
    facts.names = fresh;
    each_part(facts, &mut |part| {
        if let Part::Name(name) = part {
            name.0 = number[name.0 as usize];
        }
    });
}

fn each_part(facts: &mut FileFacts, see: &mut impl FnMut(Part<'_>)) {
    facts.defs.iter_mut().for_each(|def| each_part_of_def(def, see));
    for import in &mut facts.imports {
        import.path.iter_mut().chain(&mut import.item).for_each(|name| see(Part::Name(name)));
        see(Part::Name(&mut import.bind));
    }
    for export in &mut facts.exports {
        see(Part::Name(&mut export.name));
        see(Part::Expr(&mut export.value));
    }
    for Binding { name, value, .. } in &mut facts.bindings {
        see(Part::Name(name));
        value.iter_mut().for_each(|value| see(Part::Expr(value)));
    }
    facts.inside.exprs.iter_mut().for_each(|expr| each_part_of_expr(expr, see));
    facts.types.iter_mut().for_each(|ty| each_part_of_type(ty, see));
    facts
        .inside
        .calls
        .iter_mut()
        .chain(&mut facts.inside.uses)
        .chain(&mut facts.inside.reads)
        .chain(&mut facts.inside.members)
        .for_each(|site| see(Part::Expr(&mut site.what)));
    for route in &mut facts.routes {
        if let RouteHandler::Value(value) = &mut route.handler {
            see(Part::Expr(value));
        }
    }
    let mounts = facts.mounts.iter_mut().flat_map(|mount| [Some(&mut mount.what), mount.below.as_mut()]);
    let below = facts.routes.iter_mut().map(|route| route.below.as_mut()).chain(mounts);
    for below in below.flatten() {
        if let Below::Value(value) = below {
            see(Part::Expr(value));
        }
    }
}

fn each_part_of_def(def: &mut Def, see: &mut impl FnMut(Part<'_>)) {
    see(Part::Name(&mut def.name));
    for param in &mut def.type_params {
        see(Part::Name(&mut param.name));
    }
    for param in &mut def.params {
        see(Part::Name(&mut param.name));
    }
    for field in &mut def.fields {
        see(Part::Name(&mut field.name));
        field.value.iter_mut().for_each(|value| see(Part::Expr(value)));
    }
    def.results.iter_mut().chain(&mut def.value).for_each(|value| see(Part::Expr(value)));
    def.results.shrink_to_fit();
    def.fields.shrink_to_fit();
    def.params.shrink_to_fit();
    def.signature.shrink_to_fit();
    def.doc.shrink_to_fit();
}

fn each_part_of_expr(expr: &mut Expr, see: &mut impl FnMut(Part<'_>)) {
    match expr {
        Expr::Name { name, .. } => see(Part::Name(name)),
        Expr::Path { segments, .. } => segments.iter_mut().for_each(|name| see(Part::Name(name))),
        Expr::Member { name, .. } => see(Part::Name(name)),
        Expr::Field { base, name } => {
            see(Part::Expr(base));
            see(Part::Name(name));
        }
        Expr::Call { callee, args, .. } => {
            see(Part::Expr(callee));
            args.iter_mut().for_each(|arg| see(Part::Expr(arg)));
        }
        Expr::Index { base: of }
        | Expr::Out { of, .. }
        | Expr::Part { of, .. }
        | Expr::ArgOf { call: of, .. } => see(Part::Expr(of)),
        Expr::Payload { variant, of, .. } => {
            see(Part::Expr(variant));
            see(Part::Expr(of));
        }
        Expr::Closure { result, .. } => result.iter_mut().for_each(|result| see(Part::Expr(result))),
        Expr::Tuple(parts) | Expr::List(parts) | Expr::Any(parts) => {
            parts.iter_mut().for_each(|part| see(Part::Expr(part)));
        }
        Expr::Object(members) => {
            for (name, value) in members {
                see(Part::Name(name));
                see(Part::Expr(value));
            }
        }
        Expr::Unknown
        | Expr::Of { .. }
        | Expr::This { .. }
        | Expr::Super { .. }
        | Expr::Def(_)
        | Expr::Import(_)
        | Expr::Text
        | Expr::Number
        | Expr::Bool => {}
    }
}

fn each_part_of_type(ty: &mut TypeExpr, see: &mut impl FnMut(Part<'_>)) {
    match ty {
        TypeExpr::Path { segments, .. } => segments.iter_mut().for_each(|name| see(Part::Name(name))),
        TypeExpr::Assoc { name, .. } => see(Part::Name(name)),
        TypeExpr::Object(members) => members.iter_mut().for_each(|(name, _)| see(Part::Name(name))),
        TypeExpr::ValueOf(value) => see(Part::Expr(value)),
        TypeExpr::Unknown
        | TypeExpr::SelfType { .. }
        | TypeExpr::Ref(_)
        | TypeExpr::Tuple(_)
        | TypeExpr::List(_)
        | TypeExpr::Bounds(_)
        | TypeExpr::Union(_)
        | TypeExpr::Function { .. }
        | TypeExpr::Text
        | TypeExpr::Number
        | TypeExpr::Bool => {}
    }
}
