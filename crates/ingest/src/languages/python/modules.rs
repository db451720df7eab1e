//! Which Python module each file is.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::FileFacts;
use crate::manifest::{self, folder, is_inside, join};
use crate::resolve::index::Shift;
use crate::resolve::program::{Place, Program};
use m1nd_graph::near::{nearest, only_nearest_folder};

/// Modules by name; a file may be known by more than one, as it is on a search path with several entries.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Modules {
    by_name: FxHashMap<String, Vec<u32>>,
    /// Folders without `__init__.py` that hold modules, by name.
    by_folder: FxHashMap<String, Vec<u32>>,
    by_place: FxHashMap<String, u32>,
    /// The name of each of them, and where it is.
    folders: Vec<(String, String)>,
    /// The folder from which a file's module name starts.
    roots: Vec<String>,
}

impl Modules {
    pub(super) fn of(program: &Program<'_>) -> Self {
        let mut modules = Self::default();
        // Files of one folder have its root, and are in the same packages.
        let mut known: FxHashMap<&str, String> = FxHashMap::default();
        let mut outer = FxHashSet::default();
        for (at, file) in program.files.iter().enumerate() {
            if file.language != super::NAME {
                modules.roots.push(String::new());
                continue;
            }
            let root =
                known.entry(folder(&file.path)).or_insert_with(|| root_of(program, &file.path)).clone();
            modules.add(&file.path, &root, at as u32, &mut outer);
            // Run from the top of the repository, or from a `src` folder, the same file has a longer name.
            for other in [manifest::root(&file.path), source_folder(&file.path)] {
                if other != root {
                    modules.add(&file.path, other, at as u32, &mut outer);
                }
            }
            modules.roots.push(root);
        }
        modules
    }

    /// The same after some files came and went; nothing where folders may be packages because of them.
    pub(super) fn after(&self, program: &Program<'_>, shift: &Shift) -> Option<Self> {
        let came = |at: &u32| shift.came.binary_search(at).is_ok();
        let paths = shift.came.iter().map(|&at| program.files[at as usize].path.as_str());
        let paths = paths.chain(shift.gone.iter().map(|(_, path)| path.as_str()));
        for path in paths.filter(|path| path.ends_with(".py") || path.ends_with(".pyi")) {
            let is_beside = |(at, other): (u32, &&FileFacts)| {
                folder(&other.path) == folder(path)
                    && is_plain(&other.path)
                    && other.language == super::NAME
                    && !came(&at)
            };
            if !is_plain(path) || !(0..).zip(&program.files).any(is_beside) {
                return None;
            }
        }
        let mut modules = Self { roots: Vec::with_capacity(program.files.len()), ..self.clone() };
        for named in modules.by_name.values_mut() {
            named.retain_mut(|file| shift.moved(*file).map(|now| *file = now).is_some());
        }
        modules.by_name.retain(|_, named| !named.is_empty());
        let is_there = |at: &u32| shift.moved(*at).is_some();
        let mut stayed = (0..).zip(&self.roots).filter(|(at, _)| is_there(at)).map(|(_, root)| root.clone());
        for (at, file) in (0..).zip(&program.files) {
            if !came(&at) {
                modules.roots.push(stayed.next()?);
                continue;
            }
            if file.language != super::NAME {
                modules.roots.push(String::new());
                continue;
            }
            let root = root_of(program, &file.path);
            for root in [&root, manifest::root(&file.path), source_folder(&file.path)] {
                let mut seen = FxHashSet::from_iter([(folder(&file.path), root.len())]);
                modules.add(&file.path, root, at, &mut seen);
            }
            modules.roots.push(root);
        }
        Some(modules)
    }

    /// `seen` are the folders whose packages are known, each with the length of the root that they are named from.
    fn add<'p>(&mut self, path: &'p str, root: &str, file: u32, seen: &mut FxHashSet<(&'p str, usize)>) {
        let below = path.strip_prefix(root).unwrap_or(path).trim_start_matches('/');
        let Some(stem) = below.strip_suffix(".py").or_else(|| below.strip_suffix(".pyi")) else {
            return;
        };
        let stem = stem.strip_suffix("/__init__").unwrap_or(stem);
        let name = stem.replace('/', ".");
        let mut outer = name.as_str();
        let mut place = &path[..path.len() - below.len() + stem.len()];
        // A dot in the file's own name makes other packages of its folder.
        let is_plain = !place[folder(place).len()..].contains('.');
        let is_seen = is_plain && !seen.insert((folder(place), root.len()));
        while let Some((head, _)) = outer.rsplit_once('.').filter(|_| !is_seen) {
            place = folder(place);
            let known = self.by_folder.entry(head.to_owned()).or_default();
            if !known.iter().any(|&at| self.folders[at as usize].1 == place) {
                let at = self.folders.len() as u32;
                known.push(at);
                self.by_place.entry(place.to_owned()).or_insert(at);
                self.folders.push((head.to_owned(), place.to_owned()));
            }
            outer = head;
        }
        let known = self.by_name.entry(name).or_default();
        if let Err(at) = known.binary_search(&file) {
            known.insert(at, file);
        }
    }

    /// The module of this dotted name as seen from a file.
    pub(super) fn find(&self, program: &Program<'_>, from: u32, name: &str) -> Option<Place> {
        let path = &program.files[from as usize].path;
        if let Some(found) = self.around(program, from, name) {
            return Some(found);
        }
        match self.by_name.get(name) {
            Some(named) => {
                let root = &self.roots[from as usize];
                let same_root = |file: &u32| self.roots[*file as usize] == *root;
                let own: Vec<u32> = named.iter().copied().filter(same_root).collect();
                self.one(program, path, if own.is_empty() { named } else { &own })
            }
            None => self.folder(path, name),
        }
    }

    /// The module that a name of several parts leads to from the nearest folder around a file: any of them may be
    /// where programs are started.
    fn around(&self, program: &Program<'_>, from: u32, name: &str) -> Option<Place> {
        let mut here = self.roots[from as usize].as_str();
        let below = name.replace('.', "/");
        while here != manifest::root(here) {
            let path = format!("{here}/{below}");
            // One word may be any library's name, unless a folder of ours has it.
            let is_plain = !name.contains('.') && !self.by_place.contains_key(&path);
            if let Some(file) = module_at(program, &path).filter(|_| !is_plain) {
                return Some(Place::File(file));
            }
            if let Some(&at) = self.by_place.get(&path) {
                // A package comes before a folder of its name, as with `proj/src/proj`.
                let named = self.by_name.get(name).into_iter().flatten().copied();
                let inside: Vec<u32> =
                    named.filter(|&file| is_inside(&program.files[file as usize].path, &path)).collect();
                let own = &program.files[from as usize].path;
                return self.one(program, own, &inside).or(Some(Place::Package(at)));
            }
            here = folder(here);
        }
        None
    }

    /// The one of several modules of a name that is meant in a file.
    fn one(&self, program: &Program<'_>, from: &str, named: &[u32]) -> Option<Place> {
        let path = |file: u32| program.files[file as usize].path.as_str();
        let mut near = nearest(from, named, path);
        if near.len() > 1 {
            // What is searched for from a place is found in the folders around it.
            let around: Vec<u32> =
                near.iter().copied().filter(|&file| is_inside(from, &self.roots[file as usize])).collect();
            near = if around.is_empty() { near } else { around };
        }
        if near.len() > 1 {
            // A stub stands beside the module it describes.
            near.retain(|&file| path(file).ends_with(".py"));
        }
        match near[..] {
            [only] => Some(Place::File(only)),
            _ => None,
        }
    }

    /// The nearest folder of a name.
    fn folder(&self, from: &str, name: &str) -> Option<Place> {
        let named = self.by_folder.get(name)?;
        only_nearest_folder(from, named, |at| &self.folders[at as usize].1).map(Place::Package)
    }

    /// The dotted name of the package a relative import of some level starts from, as a folder.
    pub(super) fn relative(&self, program: &Program<'_>, from: u32, level: u8, rest: &str) -> Option<Place> {
        let mut base = folder(&program.files[from as usize].path).to_owned();
        for _ in 1..level {
            base = join(&base, "..")?;
        }
        let path = if rest.is_empty() { base } else { join(&base, &rest.replace('.', "/"))? };
        if let Some(file) = module_at(program, &path) {
            return Some(Place::File(file));
        }
        self.by_place.get(&path).map(|&at| Place::Package(at))
    }

    /// A module inside a package.
    pub(super) fn below(&self, program: &Program<'_>, place: Place, name: &str) -> Option<Place> {
        match place {
            Place::File(file) => {
                let path = &program.files[file as usize].path;
                let here = path.strip_suffix("__init__.py")?;
                let module = program.file(&format!("{here}{name}.py"));
                let module = module.or_else(|| program.file(&format!("{here}{name}/__init__.py")));
                module.map(Place::File)
            }
            Place::Package(at) => {
                let (own, place) = &self.folders[at as usize];
                let full = format!("{own}.{name}");
                let here = format!("{place}/");
                let named = self.by_name.get(&full);
                named.and_then(|named| self.one(program, &here, named)).or_else(|| self.folder(&here, &full))
            }
            Place::Def(_) => None,
        }
    }
}

/// The module that is a file, or a package, of some path.
fn module_at(program: &Program<'_>, path: &str) -> Option<u32> {
    let files = [format!("{path}.py"), format!("{path}/__init__.py"), format!("{path}.pyi")];
    files.iter().find_map(|file| program.file(file.trim_start_matches('/')))
}

/// Whether a file is a module of its folder under its own name.
fn is_plain(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.strip_suffix(".py").or_else(|| name.strip_suffix(".pyi"));
    stem.is_some_and(|stem| stem != "__init__" && !stem.contains('.'))
}

/// The nearest folder above a file that is no package.
fn root_of(program: &Program<'_>, path: &str) -> String {
    let mut here = folder(path);
    while !here.is_empty() && program.file(&format!("{here}/__init__.py")).is_some() {
        here = folder(here);
    }
    here.to_owned()
}

fn source_folder(path: &str) -> &str {
    if path.starts_with("src/") {
        return "src";
    }
    path.find("/src/").map_or("", |at| &path[..at + 4])
}
