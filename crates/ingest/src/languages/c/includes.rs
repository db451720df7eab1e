//! What each C or C++ file includes, and so can see.

use std::sync::OnceLock;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::DefKind;
use crate::manifest::{folder, join};
use crate::resolve::program::{GDef, GName, Place, Program};

/// Headers of headers are followed up to this many files.
const MAX_HEADERS: usize = 400;

/// More files that include one are not asked what they see.
const MAX_INCLUDERS: usize = 4;

#[derive(Default)]
pub(crate) struct Includes {
    /// Names that each file declares as functions.
    declared: Vec<FxHashSet<GName>>,
    /// Files that each file includes.
    files: Vec<Vec<Option<u32>>>,
    /// Files that include each file.
    included_by: Vec<Vec<u32>>,
    /// A file and everything it includes, found when first asked for.
    reach: Vec<OnceLock<Reach>>,
}

/// A file and what it includes, nearest first, and the same as a set.
struct Reach {
    files: Vec<u32>,
    set: FxHashSet<u32>,
}

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
            let declared = file.exports.iter().filter(|_| is_c);
            includes.declared.push(declared.map(|export| program.name(at as u32, export.name)).collect());
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

    pub(crate) fn reach(&self, file: u32) -> &[u32] {
        &self.reached(file).files
    }

    /// Whether a file is another one or includes it.
    pub(crate) fn sees(&self, file: u32, other: u32) -> bool {
        self.reached(file).set.contains(&other)
    }

    fn reached(&self, file: u32) -> &Reach {
        self.reach[file as usize].get_or_init(|| {
            let mut files = vec![file];
            let mut set: FxHashSet<u32> = files.iter().copied().collect();
            let mut at = 0;
            while at < files.len() && files.len() < MAX_HEADERS {
                for &next in self.files[files[at] as usize].iter().flatten() {
                    if set.insert(next) {
                        files.push(next);
                    }
                }
                at += 1;
            }
            Reach { files, set }
        })
    }

    /// Whether the file, or something it includes, says that a name is a function.
    pub(crate) fn declares(&self, file: u32, name: GName) -> bool {
        self.reach(file).iter().any(|&at| self.declared[at as usize].contains(&name))
    }

    /// Something defined at the top of the file or of what it includes.
    pub(crate) fn visible(
        &self,
        program: &Program<'_>,
        file: u32,
        name: GName,
        wanted: fn(DefKind) -> bool,
    ) -> Option<GDef> {
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
