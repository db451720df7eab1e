//! What each C or C++ file includes, and so can see.

use std::collections::hash_map::Entry;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::library;
use crate::facts::DefKind;
use crate::manifest::{folder, join, root};
use crate::resolve::program::{GDef, GName, Place, Program};
use m1nd_graph::near::nearest;

/// Headers of headers are followed up to this many files.
const MAX_HEADERS: usize = 400;

/// More files that include one are not asked what they see.
const MAX_INCLUDERS: usize = 4;

#[derive(Default)]
pub(crate) struct Includes {
    /// Files that declare a name as a function.
    declared: FxHashMap<GName, Vec<u32>>,
    /// Files that define a name, and files that give it a value.
    defined: FxHashMap<GName, Vec<u32>>,
    bound: FxHashMap<GName, Vec<u32>>,
    /// Files that each file includes.
    files: Vec<Vec<Option<u32>>>,
    /// Files that include each file.
    included_by: Vec<Vec<u32>>,
    /// A file and everything it includes, found when first asked for.
    reach: Vec<OnceLock<Reach>>,
    /// Whether headers of the library are all that a file includes of what we do not have.
    plain: Vec<OnceLock<bool>>,
}

/// What a file includes and itself, with how near each is.
type Reach = FxHashMap<u32, u32>;

/// Whether a file can include and be included.
pub(crate) fn is_c_or_cpp(language: &str) -> bool {
    crate::languages::family(language) == "c"
}

impl Includes {
    pub(crate) fn of(program: &Program<'_>) -> Self {
        let mut includes = Self::default();
        let mut by_name: FxHashMap<&str, Vec<u32>> = FxHashMap::default();
        for (at, file) in program.files.iter().enumerate().filter(|(_, file)| is_c_or_cpp(&file.language)) {
            let name = file.path.rsplit('/').next().unwrap_or(&file.path);
            by_name.entry(name).or_default().push(at as u32);
        }
        for (at, file) in program.files.iter().enumerate() {
            let is_c = is_c_or_cpp(&file.language);
            let here = at as u32;
            let declared = file.exports.iter().filter(|_| is_c).map(|export| export.name);
            note(&mut includes.declared, here, declared.map(|name| program.name(here, name)));
            let defined = file.defs.iter().filter(|def| is_c && def.parent.is_none()).map(|def| def.name);
            note(&mut includes.defined, here, defined.map(|name| program.name(here, name)));
            note(&mut includes.bound, here, program.top_names(here).filter(|_| is_c));
            let imports = file.imports.iter().filter(|_| is_c);
            includes.files.push(
                imports
                    .map(|import| {
                        let path = import.path.first().map_or("", |&path| file.text(path));
                        let is_include = import.all == crate::facts::ImportAll::Yes && import.level < 2;
                        is_include
                            .then(|| included(program, &by_name, &file.path, path, import.level == 1))
                            .flatten()
                    })
                    .collect(),
            );
            includes.reach.push(OnceLock::new());
            includes.plain.push(OnceLock::new());
        }
        includes.included_by = vec![Vec::new(); includes.files.len()];
        for (from, files) in (0..).zip(&includes.files) {
            for &file in files.iter().flatten() {
                includes.included_by[file as usize].push(from);
            }
        }
        includes
    }

    /// Some of the files that include one: what they see, it sees too where they include it.
    pub(crate) fn included_by(&self, file: u32) -> &[u32] {
        let all = &self.included_by[file as usize];
        &all[..all.len().min(MAX_INCLUDERS)]
    }

    /// The file that an import names.
    pub(crate) fn file(&self, file: u32, at: usize) -> Option<u32> {
        self.files[file as usize].get(at).copied().flatten()
    }

    /// The files that a file sees among some, nearest first.
    fn near(&self, file: u32, among: Option<&Vec<u32>>) -> Vec<u32> {
        let reached = self.reached(file);
        let seen = among.into_iter().flatten().filter_map(|at| Some((*reached.get(at)?, *at)));
        let mut seen: Vec<(u32, u32)> = seen.collect();
        seen.sort_unstable();
        seen.into_iter().map(|(_, at)| at).collect()
    }

    /// The files that a file sees and that give a name a value, nearest first.
    pub(crate) fn bound(&self, file: u32, name: GName) -> Vec<u32> {
        self.near(file, self.bound.get(&name))
    }

    /// Whether a file is another one or includes it.
    pub(crate) fn sees(&self, file: u32, other: u32) -> bool {
        self.reached(file).contains_key(&other)
    }

    /// Whether a file can mean what another root defines: it includes something of it.
    pub(crate) fn meets(&self, program: &Program<'_>, file: u32, other: u32) -> bool {
        let root_of = |file: u32| root(&program.files[file as usize].path);
        let there = root_of(other);
        root_of(file) == there || self.reached(file).keys().any(|&at| root_of(at) == there)
    }

    fn reached(&self, file: u32) -> &Reach {
        self.reach[file as usize].get_or_init(|| {
            let mut files = vec![file];
            let mut known = Reach::from_iter([(file, 0)]);
            let mut at = 0;
            while at < files.len() && files.len() < MAX_HEADERS {
                for &next in self.files[files[at] as usize].iter().flatten() {
                    if let Entry::Vacant(free) = known.entry(next) {
                        free.insert(files.len() as u32);
                        files.push(next);
                    }
                }
                at += 1;
            }
            known
        })
    }

    /// Whether a file sees all that is declared for it, but for what the headers of the library declare.
    pub(crate) fn is_plain(&self, program: &Program<'_>, file: u32) -> bool {
        *self.plain[file as usize].get_or_init(|| {
            self.reached(file).keys().all(|&at| {
                let facts = program.files[at as usize];
                let mut found = self.files[at as usize].iter().zip(&facts.imports);
                found.all(|(found, import)| {
                    let path = import.path.first().map_or("", |&path| facts.text(path));
                    found.is_some() || library::is_header(path)
                })
            })
        })
    }

    /// Whether the file, or something it includes, says that a name is a function.
    pub(crate) fn declares(&self, file: u32, name: GName) -> bool {
        let reached = self.reached(file);
        self.declared.get(&name).is_some_and(|files| files.iter().any(|at| reached.contains_key(at)))
    }

    /// Something defined at the top of the file or of what it includes.
    pub(crate) fn visible(
        &self,
        program: &Program<'_>,
        file: u32,
        name: GName,
        wanted: fn(DefKind) -> bool,
    ) -> Option<GDef> {
        self.near(file, self.defined.get(&name)).into_iter().find_map(|file| {
            let items = program.items(Place::File(file), name).iter().copied();
            items.into_iter().find(|&def| wanted(program.def(def).kind))
        })
    }
}

fn note(all: &mut FxHashMap<GName, Vec<u32>>, file: u32, names: impl Iterator<Item = GName>) {
    for name in names {
        let files = all.entry(name).or_default();
        if files.last() != Some(&file) {
            files.push(file);
        }
    }
}

/// The file that an include names: beside the includer, or the only one that its path can mean near to it.
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
    // What lies above the root may be a root of its own, under its name.
    let mut path_below = path;
    while let Some(rest) = path_below.strip_prefix("../") {
        path_below = rest;
    }
    let clean = join("", path_below)?;
    let ends = |whole: &str| {
        whole == clean || whole.strip_suffix(clean.as_str()).is_some_and(|head| head.ends_with('/'))
    };
    let is_above = path_below.len() < path.len();
    let fits = |file: &&u32| {
        let whole = &program.files[**file as usize].path;
        let is_elsewhere = root(whole) != root(from);
        (!is_above && ends(whole)) || (is_elsewhere && ends(&whole.replacen("::/", "/", 1)))
    };
    let found: Vec<u32> = by_name.get(name)?.iter().filter(fits).copied().collect();
    let found = nearest(from, &found, |file| &program.files[file as usize].path);
    // `<string.h>` with one file of that name somewhere below is the system's all the same.
    match found[..] {
        [only] if is_quoted || path.contains('/') => Some(only),
        _ => None,
    }
}
