//! Which crate and which module each Rust file is.

use rustc_hash::{FxHashMap, FxHashSet};

use super::packages::Packages;
use crate::facts::{DefIx, DefKind};
use crate::manifest::{Manifest, folder, is_inside, join};
use crate::resolve::program::{GDef, Place, Program};
use m1nd_graph::near::only_nearest_folder;

/// The module tree of every crate of the workspace.
#[derive(Default)]
pub(super) struct Crates {
    /// The root file of the crate a file belongs to.
    pub root_of: Vec<u32>,
    /// The module that declares a file.
    pub parent_of: Vec<Option<Place>>,
    /// The file of a module declared without a body.
    pub module_file: FxHashMap<GDef, u32>,
    /// Files that no `mod` declares (a macro does, or nothing), by the folder's module and their name.
    pub undeclared: FxHashMap<(Place, String), u32>,
    /// By which path each module is known outside.
    pub known: Packages,
    packages: Vec<Package>,
    package_of: Vec<Option<usize>>,
}

struct Package {
    folder: String,
    /// Names under which crates are visible here; nothing for crates that are not ours.
    crates: FxHashMap<String, Option<u32>>,
}

/// What a crate name means in a file.
pub(super) enum Extern {
    Ours(u32),
    Theirs,
    NotACrate,
}

impl Crates {
    pub(super) fn of(program: &Program<'_>) -> Self {
        let manifests: Vec<(&Manifest, toml::Table)> = program
            .manifests
            .iter()
            .filter(|manifest| manifest.name() == "Cargo.toml")
            .filter_map(|manifest| Some((manifest, manifest.text.parse().ok()?)))
            .collect();
        let libs = libraries(program, &manifests);
        let packages: Vec<Package> = manifests
            .iter()
            .filter(|(_, table)| table.contains_key("package"))
            .map(|(manifest, table)| package(manifest, table, workspace_of(&manifests, manifest), &libs))
            .collect();
        let count = program.files.len();
        let mut crates = Self {
            root_of: (0..count as u32).collect(),
            parent_of: vec![None; count],
            module_file: FxHashMap::default(),
            undeclared: FxHashMap::default(),
            known: Packages::of(&manifests),
            package_of: program.files.iter().map(|file| package_of(&packages, &file.path)).collect(),
            packages,
        };
        crates.find_modules(program, &libs);
        crates
    }

    /// Files that are crate roots first, libraries before programs, so that a shared module is the library's.
    fn find_modules(&mut self, program: &Program<'_>, libs: &Libraries<'_>) {
        let mut roots: Vec<u32> = libs.values().flatten().map(|(_, root)| *root).collect();
        roots.sort_unstable();
        let named: Vec<u32> = (0..program.files.len() as u32)
            .filter(|&file| program.files[file as usize].language == super::NAME)
            .filter(|&file| is_root_name(&program.files[file as usize].path))
            .collect();
        let declared = declared_beside(program, &named);
        roots.extend(named.into_iter().filter(|file| !declared.contains(file)));
        let mut seen = FxHashSet::default();
        for root in roots {
            self.find_below(program, root, &mut seen);
        }
        for file in 0..program.files.len() as u32 {
            if program.files[file as usize].language == super::NAME && !seen.contains(&file) {
                self.adopt(program, file);
                self.find_below(program, file, &mut seen);
            }
        }
    }

    /// A file that nothing declares belongs to the module of its folder.
    fn adopt(&mut self, program: &Program<'_>, file: u32) {
        let path = &program.files[file as usize].path;
        let here = folder(path);
        let parent = ["mod.rs", "main.rs", "lib.rs"]
            .iter()
            .find_map(|name| program.file(&join(here, name)?))
            .filter(|&parent| parent != file);
        let stem = path.rsplit('/').next().and_then(|name| name.strip_suffix(".rs"));
        if let (Some(parent), Some(stem)) = (parent, stem) {
            self.parent_of[file as usize] = Some(Place::File(parent));
            self.root_of[file as usize] = self.root_of[parent as usize];
            self.undeclared.insert((Place::File(parent), stem.to_owned()), file);
        }
    }

    fn find_below(&mut self, program: &Program<'_>, root: u32, seen: &mut FxHashSet<u32>) {
        let mut work = vec![root];
        while let Some(file) = work.pop() {
            if !seen.insert(file) {
                continue;
            }
            for (at, def) in program.files[file as usize].defs.iter().enumerate() {
                if def.kind != DefKind::Module {
                    continue;
                }
                let module = program.global(file, DefIx(at as u32));
                if !program.children(Place::Def(module)).is_empty() {
                    continue;
                }
                let Some(target) = module_file(program, module) else {
                    continue;
                };
                self.module_file.insert(module, target);
                if !seen.contains(&target) && self.parent_of[target as usize].is_none() {
                    self.parent_of[target as usize] = Some(program.place(file, def.parent));
                    self.root_of[target as usize] = self.root_of[file as usize];
                    work.push(target);
                }
            }
        }
    }

    /// What `name::` at the start of a path means in a file.
    pub(super) fn external(&self, file: u32, name: &str) -> Extern {
        if matches!(name, "std" | "core" | "alloc" | "proc_macro" | "test") {
            return Extern::Theirs;
        }
        let package = self.package_of[file as usize].map(|at| &self.packages[at]);
        match package.and_then(|package| package.crates.get(name)) {
            Some(Some(root)) => Extern::Ours(*root),
            Some(None) => Extern::Theirs,
            None => Extern::NotACrate,
        }
    }
}

/// The folders and root files of library crates, by the name they are used under.
type Libraries<'m> = FxHashMap<String, Vec<(&'m str, u32)>>;

fn libraries<'m>(program: &Program<'_>, manifests: &[(&'m Manifest, toml::Table)]) -> Libraries<'m> {
    let mut libs = Libraries::default();
    for (manifest, table) in manifests {
        let Some(name) = text(table, &["package", "name"]) else {
            continue;
        };
        let path = text(table, &["lib", "path"]).unwrap_or("src/lib.rs");
        let root = join(manifest.folder(), path).and_then(|path| program.file(&path));
        if let Some(root) = root {
            let lib_name = text(table, &["lib", "name"]).unwrap_or(name).replace('-', "_");
            libs.entry(lib_name).or_default().push((manifest.folder(), root));
        }
    }
    libs
}

/// The library of a name that a manifest means: the one at the path that it or its workspace gives, else the nearest.
fn library(
    manifest: &Manifest,
    written_in: &Manifest,
    libs: &Libraries<'_>,
    name: &str,
    path: Option<&str>,
) -> Option<u32> {
    let named = libs.get(&name.replace('-', "_"))?;
    let written = path.and_then(|path| join(written_in.folder(), path));
    let there = named.iter().find(|(folder, _)| written.as_deref() == Some(folder));
    let near = || only_nearest_folder(&manifest.path, named, |(folder, _)| folder);
    there.copied().or_else(near).map(|(_, root)| root)
}

/// The manifest of the workspace that a package belongs to: the nearest one around it, or its own.
fn workspace_of<'m>(manifests: &'m [(&Manifest, toml::Table)], of: &Manifest) -> Option<Workspace<'m>> {
    let is_one = |(manifest, table): &&(&Manifest, toml::Table)| {
        table.contains_key("workspace") && is_inside(&of.path, manifest.folder())
    };
    let nearest = manifests.iter().filter(is_one).max_by_key(|(manifest, _)| manifest.folder().len());
    nearest.map(|(manifest, table)| (*manifest, table))
}

type Workspace<'m> = (&'m Manifest, &'m toml::Table);

fn package(
    manifest: &Manifest,
    table: &toml::Table,
    workspace: Option<Workspace<'_>>,
    libs: &Libraries<'_>,
) -> Package {
    let mut crates = FxHashMap::default();
    let mut tables: Vec<&toml::Table> = vec![table];
    if let Some(targets) = table.get("target").and_then(toml::Value::as_table) {
        tables.extend(targets.values().filter_map(toml::Value::as_table));
    }
    for table in tables {
        for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let Some(list) = table.get(kind).and_then(toml::Value::as_table) else {
                continue;
            };
            for (name, value) in list {
                // `{ workspace = true }` is written out in the manifest of the workspace.
                let shared = value.get("workspace").and(workspace).and_then(|(manifest, table)| {
                    Some((manifest, table.get("workspace")?.get("dependencies")?.get(name)?))
                });
                let (at, value) = shared.unwrap_or((manifest, value));
                let package = value.get("package").and_then(toml::Value::as_str).unwrap_or(name);
                let path = value.get("path").and_then(toml::Value::as_str);
                crates.insert(name.replace('-', "_"), library(manifest, at, libs, package, path));
            }
        }
    }
    // Tests, examples and programs use their own library by its name.
    let own = text(table, &["lib", "name"]).or_else(|| text(table, &["package", "name"]));
    if let Some(name) = own.map(|name| name.replace('-', "_"))
        && let Some(root) = library(manifest, manifest, libs, &name, Some(""))
    {
        crates.insert(name, Some(root));
    }
    Package { folder: manifest.folder().to_owned(), crates }
}

fn text<'t>(table: &'t toml::Table, keys: &[&str; 2]) -> Option<&'t str> {
    table.get(keys[0])?.get(keys[1])?.as_str()
}

/// The package whose folder is the nearest above a file.
fn package_of(packages: &[Package], path: &str) -> Option<usize> {
    let mut best: Option<usize> = None;
    for (at, package) in packages.iter().enumerate() {
        if is_inside(path, &package.folder)
            && best.is_none_or(|b| packages[b].folder.len() < package.folder.len())
        {
            best = Some(at);
        }
    }
    best
}

/// Whether cargo takes a file for the root of a program, test, example or benchmark.
fn is_root_name(path: &str) -> bool {
    let parts: Vec<&str> = path.rsplit('/').collect();
    matches!(
        parts[..],
        ["main.rs" | "lib.rs" | "build.rs", ..]
            | [_, "tests" | "examples" | "benches" | "bin" | "fuzz_targets", ..]
    )
}

/// Files next to the tests, examples or programs that declare them as modules: `mod common;` in `tests`.
fn declared_beside(program: &Program<'_>, roots: &[u32]) -> FxHashSet<u32> {
    let mut declared = FxHashSet::default();
    for &root in roots {
        for (at, def) in program.files[root as usize].defs.iter().enumerate() {
            let module = program.global(root, DefIx(at as u32));
            if def.kind == DefKind::Module && program.children(Place::Def(module)).is_empty() {
                declared.extend(module_file(program, module).filter(|&file| file != root));
            }
        }
    }
    declared
}

/// The file that `mod name;` stands for.
fn module_file(program: &Program<'_>, module: GDef) -> Option<u32> {
    let (file, _) = program.local(module);
    let def = program.def(module);
    let path = &program.files[file as usize].path;
    let here = folder(path);
    if let Some(written) = def.doc.strip_prefix("#[path]") {
        return program.file(&join(here, written)?);
    }
    let stem = path.rsplit('/').next()?.strip_suffix(".rs")?;
    let mut base = here.to_owned();
    if !matches!(stem, "mod" | "lib" | "main") && !is_root_name(path) {
        base = join(&base, stem)?;
    }
    // Modules around it that are written in the file add their names.
    let mut around = Vec::new();
    let mut parent = program.parent(module);
    while let Some(outer) = parent {
        around.push(program.text(program.def_name(outer)));
        parent = program.parent(outer);
    }
    for name in around.into_iter().rev() {
        base = join(&base, name)?;
    }
    let name = program.text(program.def_name(module));
    let name = name.strip_prefix("r#").unwrap_or(name);
    let plain = join(&base, &format!("{name}.rs"))?;
    program.file(&plain).or_else(|| program.file(&join(&base, &format!("{name}/mod.rs"))?))
}
