//! Which Python module each file is.

use rustc_hash::FxHashMap;

use crate::manifest::{folder, join};
use crate::resolve::program::{Place, Program};

/// Modules by name; a file may be known by more than one, as it is on a search path with several entries.
#[derive(Default)]
pub(super) struct Modules {
    by_name: FxHashMap<String, Vec<u32>>,
    /// Folders without `__init__.py` that hold modules, by name.
    folders: FxHashMap<String, u32>,
    folder_names: Vec<String>,
    /// The folder from which a file's module name starts.
    roots: Vec<String>,
}

impl Modules {
    pub(super) fn of(program: &Program<'_>) -> Self {
        let mut modules = Self::default();
        for (at, file) in program.files.iter().enumerate() {
            if file.language != super::NAME {
                modules.roots.push(String::new());
                continue;
            }
            let root = root_of(program, &file.path);
            modules.add(&file.path, &root, at as u32);
            // Run from the top of the repository, or from a `src` folder, the same file has a longer name.
            for other in ["", source_folder(&file.path)] {
                if other != root {
                    modules.add(&file.path, other, at as u32);
                }
            }
            modules.roots.push(root);
        }
        modules
    }

    fn add(&mut self, path: &str, root: &str, file: u32) {
        let below = path.strip_prefix(root).unwrap_or(path).trim_start_matches('/');
        let Some(stem) = below.strip_suffix(".py").or_else(|| below.strip_suffix(".pyi")) else {
            return;
        };
        let stem = stem.strip_suffix("/__init__").unwrap_or(stem);
        let name = stem.replace('/', ".");
        let mut outer = name.as_str();
        while let Some((head, _)) = outer.rsplit_once('.') {
            if !self.folders.contains_key(head) {
                self.folders.insert(head.to_owned(), self.folder_names.len() as u32);
                self.folder_names.push(head.to_owned());
            }
            outer = head;
        }
        let known = self.by_name.entry(name).or_default();
        if !known.contains(&file) {
            known.push(file);
        }
    }

    /// The module of this dotted name as seen from a file.
    pub(super) fn find(&self, program: &Program<'_>, from: u32, name: &str) -> Option<Place> {
        match self.by_name.get(name).map(Vec::as_slice) {
            Some([only]) => return Some(Place::File(*only)),
            Some(several) => {
                let root = &self.roots[from as usize];
                let mut near: Vec<u32> =
                    several.iter().copied().filter(|&file| self.roots[file as usize] == *root).collect();
                if near.len() > 1 {
                    // A stub stands beside the module it describes.
                    near.retain(|&file| program.files[file as usize].path.ends_with(".py"));
                }
                if let [only] = near[..] {
                    return Some(Place::File(only));
                }
                return None;
            }
            None => {}
        }
        self.folders.get(name).map(|&at| Place::Package(at))
    }

    pub(super) fn folder_name(&self, at: u32) -> &str {
        &self.folder_names[at as usize]
    }

    /// The dotted name of the package a relative import of some level starts from, as a folder.
    pub(super) fn relative(&self, program: &Program<'_>, from: u32, level: u8, rest: &str) -> Option<Place> {
        let mut base = folder(&program.files[from as usize].path).to_owned();
        for _ in 1..level {
            base = join(&base, "..")?;
        }
        let path = if rest.is_empty() { base } else { join(&base, &rest.replace('.', "/"))? };
        for candidate in [format!("{path}.py"), format!("{path}/__init__.py"), format!("{path}.pyi")] {
            if let Some(file) = program.file(candidate.trim_start_matches('/')) {
                return Some(Place::File(file));
            }
        }
        let dotted = path.replace('/', ".");
        self.folders.get(&dotted).map(|&at| Place::Package(at))
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
                let full = format!("{}.{name}", self.folder_name(at));
                match self.by_name.get(&full).map(Vec::as_slice) {
                    Some([only]) => Some(Place::File(*only)),
                    _ => self.folders.get(&full).map(|&at| Place::Package(at)),
                }
            }
            Place::Def(_) => None,
        }
    }
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
