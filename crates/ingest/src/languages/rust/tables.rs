//! The impl blocks of a program, by the type they are for.

use rustc_hash::FxHashMap;

use crate::facts::{Def, DefIx, DefKind, FileFacts, How, TypeExpr, TypeIx};
use crate::interface::last_name;
use crate::resolve::eval::Eval;
use crate::resolve::program::{GDef, GName, Place};
use crate::resolve::ty::Ty;

/// What every impl block of the program says, by the type it is for.
#[derive(Default)]
pub(super) struct Tables {
    pub(super) inherent: FxHashMap<(GDef, GName), Vec<GDef>>,
    pub(super) of_traits: FxHashMap<(GDef, GName), Vec<GDef>>,
    pub(super) traits: FxHashMap<GDef, Vec<GDef>>,
    pub(super) on_others: FxHashMap<GName, Vec<GDef>>,
    targets: FxHashMap<GDef, Target>,
}

/// What a value of a type can be taken for, by its `Deref`.
#[derive(Clone, Copy)]
struct Target {
    file: u32,
    /// The type as its impl writes it.
    of: TypeIx,
    target: TypeIx,
}

impl Tables {
    pub(super) fn read(eval: &mut Eval<'_, '_>) -> Self {
        let mut tables = Self::default();
        for file in 0..eval.program.files.len() as u32 {
            let facts = eval.program.files[file as usize];
            if facts.language != super::NAME {
                continue;
            }
            for (at, def) in facts.defs.iter().enumerate() {
                let global = eval.program.global(file, DefIx(at as u32));
                if def.kind == DefKind::Impl {
                    tables.add_impl(eval, file, global);
                }
                if matches!(def.kind, DefKind::Trait | DefKind::Struct | DefKind::Enum) {
                    for &base in &def.bases {
                        if let Ty::Of(base, _) = eval.ty(file, base) {
                            tables.traits.entry(global).or_default().push(base);
                        }
                    }
                }
            }
        }
        tables
    }

    /// What a value is when it is taken for what it derefs to, and the file that says so.
    pub(super) fn target(&self, eval: &mut Eval<'_, '_>, base: &Ty, def: GDef) -> Option<(u32, Ty)> {
        let &Target { file, of, target } = self.targets.get(&def)?;
        let mut known = Vec::new();
        Ty::unify(&eval.ty(file, of), base, &mut known);
        Some((file, eval.ty(file, target).substitute(&known)))
    }

    fn add_impl(&mut self, eval: &mut Eval<'_, '_>, file: u32, global: GDef) {
        let program = eval.program;
        let def = program.def(global);
        let Some(of) = def.of else { return };
        let for_type = match eval.ty(file, of).pointee() {
            Ty::Of(of, _) => Some(*of),
            // `dyn Trait + Send`
            Ty::Union(parts) => parts.iter().find_map(|part| match part {
                Ty::Of(of, _) if program.def(*of).kind == DefKind::Trait => Some(*of),
                _ => None,
            }),
            _ => None,
        };
        let base = def.bases.first().copied();
        if let (Some(of), Some(base)) = (for_type, base)
            && let Ty::Of(base, _) = eval.ty(file, base)
        {
            self.traits.entry(of).or_default().push(base);
        }
        for &child in program.children(Place::Def(global)) {
            let name = program.def_name(child);
            let found = program.def(child);
            match (for_type, base) {
                (Some(of), None) => self.inherent.entry((of, name)).or_default().push(child),
                (Some(of), Some(_)) => {
                    if found.kind == DefKind::TypeAlias && program.text(name) == "Target" {
                        let target =
                            found.of.zip(def.of).map(|(target, own)| (of, Target { file, of: own, target }));
                        self.targets.extend(target);
                    }
                    self.of_traits.entry((of, name)).or_default().push(child);
                }
                (None, _)
                    if found.how == How::Instance && !is_forwarding(program.files[file as usize], def) =>
                {
                    // Only what traits of ours add to other types.
                    if let Some(base) = base
                        && let Ty::Of(..) = eval.ty(file, base)
                    {
                        self.on_others.entry(name).or_default().push(child);
                    }
                }
                (None, _) => {}
            }
        }
    }
}

/// `impl<T: Trait> Trait for &T` and `for Box<T>` add nothing to types that do not have the trait already.
fn is_forwarding(facts: &FileFacts, found: &Def) -> bool {
    let name = |ty: TypeIx| last_name(facts, ty);
    let base = found.bases.first().and_then(|&base| name(base));
    let own = found.of.and_then(|ty| match &facts.types[ty.0 as usize] {
        TypeExpr::Path { args, .. } if matches!(name(ty), Some("Box" | "Rc" | "Arc" | "Pin")) => {
            args.first().and_then(|&inner| name(inner))
        }
        _ => name(ty),
    });
    found.type_params.iter().any(|param| {
        Some(facts.text(param.name)) == own && param.bounds.iter().any(|&bound| name(bound) == base)
    })
}
