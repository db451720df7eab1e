//! How names are found in C: in the file, in what it includes, and by linkage.

use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHashSet};

use m1nd_graph::NodeFlags;

use crate::facts::{By, DefIx, DefKind, Scope};
use crate::manifest::{folder, join};
use crate::resolve::eval::Eval;
use crate::resolve::program::{GDef, GName, Place, Program};
use crate::resolve::rules::{Access, Call, Rules};
use crate::resolve::ty::{Args, Ty};

/// Headers of headers are followed up to this many files.
const MAX_HEADERS: usize = 400;

#[derive(Default)]
pub(crate) struct CRules {
    /// Functions with external linkage, by name.
    linked: FxHashMap<GName, Vec<GDef>>,
    /// Names that each file declares as functions.
    declared: Vec<FxHashSet<GName>>,
    /// Files that each file includes.
    includes: Vec<Vec<Option<u32>>>,
    /// A file and everything it includes, found when first asked for.
    reach: Vec<OnceLock<Vec<u32>>>,
}

impl CRules {
    pub(crate) fn of(program: &Program<'_>) -> Self {
        let mut rules = Self::default();
        let mut by_name: FxHashMap<&str, Vec<u32>> = FxHashMap::default();
        for (at, file) in program.files.iter().enumerate().filter(|(_, file)| file.language == super::NAME) {
            let name = file.path.rsplit('/').next().unwrap_or(&file.path);
            by_name.entry(name).or_default().push(at as u32);
        }
        for (at, file) in program.files.iter().enumerate() {
            let file_ix = at as u32;
            let is_c = file.language == super::NAME;
            let declared = file.exports.iter().filter(|_| is_c);
            rules.declared.push(declared.map(|export| program.name(file_ix, export.name)).collect());
            let includes = file.imports.iter().filter(|_| is_c);
            rules.includes.push(
                includes
                    .map(|import| {
                        let path = import.path.first().map_or("", |&path| file.text(path));
                        included(program, &by_name, &file.path, path, import.level == 1)
                    })
                    .collect(),
            );
            rules.reach.push(OnceLock::new());
            for (ix, def) in file.defs.iter().enumerate().filter(|_| is_c) {
                if def.kind == DefKind::Function && def.flags.has(NodeFlags::EXPORTED) {
                    let global = program.global(file_ix, DefIx(ix as u32));
                    rules.linked.entry(program.def_name(global)).or_default().push(global);
                }
            }
        }
        rules
    }

    fn reach(&self, file: u32) -> &[u32] {
        self.reach[file as usize].get_or_init(|| {
            let mut seen = vec![file];
            let mut at = 0;
            while at < seen.len() && seen.len() < MAX_HEADERS {
                for &next in self.includes[seen[at] as usize].iter().flatten() {
                    if !seen.contains(&next) {
                        seen.push(next);
                    }
                }
                at += 1;
            }
            seen
        })
    }

    /// Something defined in the file or in what it includes.
    fn visible(
        &self,
        eval: &Eval<'_, '_>,
        file: u32,
        name: GName,
        wanted: fn(DefKind) -> bool,
    ) -> Option<GDef> {
        let program = eval.program;
        self.reach(file).iter().find_map(|&file| {
            let items = program.items(Place::File(file), name).iter().copied();
            items.into_iter().find(|&def| wanted(program.def(def).kind))
        })
    }
}

/// The file that an include names: beside the includer, or the only one that its path can mean.
fn included(
    program: &Program<'_>,
    by_name: &FxHashMap<&str, Vec<u32>>,
    from: &str,
    path: &str,
    is_quoted: bool,
) -> Option<u32> {
    if is_quoted && let Some(beside) = join(folder(from), path).and_then(|path| program.file(&path)) {
        return Some(beside);
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    let clean = join("", path)?;
    let fits = |file: &&u32| {
        let whole = &program.files[**file as usize].path;
        *whole == clean || whole.strip_suffix(clean.as_str()).is_some_and(|head| head.ends_with('/'))
    };
    let found: Vec<u32> = by_name.get(name)?.iter().filter(fits).copied().collect();
    // `<string.h>` with one file of that name somewhere below is the system's all the same.
    match found[..] {
        [only] if is_quoted || path.contains('/') => Some(only),
        _ => None,
    }
}

impl Rules for CRules {
    fn name(&self, eval: &mut Eval<'_, '_>, file: u32, _: Scope, name: GName) -> Ty {
        if let Some(found) = self.visible(eval, file, name, DefKind::is_callable) {
            return Ty::Fn(found, None);
        }
        if self.visible(eval, file, name, |kind| kind == DefKind::Constant).is_some() {
            return Ty::External;
        }
        for &at in self.reach(file) {
            if let Some(found) = eval.top_binding(at, name) {
                return found;
            }
        }
        let is_declared = self.reach(file).iter().any(|&at| self.declared[at as usize].contains(&name));
        match self.linked.get(&name) {
            Some(found) if is_declared => Ty::union(found.iter().map(|&def| Ty::Fn(def, None)).collect()),
            // Nothing that is included declares it: the system's, or a header we do not have.
            _ => Ty::External,
        }
    }

    fn path(&self, _: &mut Eval<'_, '_>, _: u32, _: Scope, _: &[GName], _: Vec<Ty>) -> Ty {
        Ty::Unknown
    }

    fn type_path(&self, eval: &mut Eval<'_, '_>, file: u32, _: Scope, path: &[GName], _: Vec<Ty>) -> Ty {
        let Some(&name) = path.first() else { return Ty::Unknown };
        let Some(found) = self.visible(eval, file, name, DefKind::is_type) else { return Ty::External };
        let def = eval.program.def(found);
        match (def.kind, def.of) {
            (DefKind::TypeAlias, Some(of)) => match eval.ty(eval.program.file_of(found), of) {
                known @ Ty::Of(..) => known,
                _ => Ty::Of(found, Arc::new([])),
            },
            _ => Ty::Of(found, Arc::new([])),
        }
    }

    fn assoc_type(&self, _: &mut Eval<'_, '_>, _: &Ty, _: GName) -> Ty {
        Ty::Unknown
    }

    fn member(&self, eval: &mut Eval<'_, '_>, base: &Ty, name: GName, _: Access) -> Ty {
        match base {
            Ty::Of(def, _) => eval.field(*def, &[], name).unwrap_or(Ty::Unknown),
            _ => Ty::External,
        }
    }

    fn std_call(&self, _: &mut Eval<'_, '_>, _: &Ty, _: GName, _: Call<'_>) -> Ty {
        Ty::External
    }

    fn std_made(&self, _: &mut Eval<'_, '_>, _: &'static str, _: &Args, _: Call<'_>) -> Ty {
        Ty::External
    }

    fn out(&self, _: &mut Eval<'_, '_>, _: &Ty, _: By) -> Ty {
        Ty::Unknown
    }

    fn std_param(&self, _: &mut Eval<'_, '_>, _: &Ty, _: GName, _: Call<'_>, _: (u32, u32)) -> Ty {
        Ty::Unknown
    }

    fn this(&self, _: &mut Eval<'_, '_>, _: u32, _: Scope) -> Ty {
        Ty::Unknown
    }

    fn base(&self, _: &mut Eval<'_, '_>, _: u32, _: Scope) -> Ty {
        Ty::Unknown
    }

    fn constructor(&self, _: &mut Eval<'_, '_>, _: GDef) -> Option<GDef> {
        None
    }

    fn import(&self, _: &mut Eval<'_, '_>, file: u32, at: usize) -> Ty {
        let found = self.includes[file as usize].get(at).copied().flatten();
        found.map_or(Ty::External, |file| Ty::Place(Place::File(file)))
    }

    fn is_common_method(&self, _: &str) -> bool {
        true
    }
}
