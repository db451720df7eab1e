//! By which path a file's module is known outside of its crate: the crate's name in its manifest, then folders.

use crate::facts::FileFacts;
use crate::manifest::{Manifest, folder, is_inside, join};

/// Files that stand for the folder they are in.
const FOLDER_FILES: [&str; 3] = ["mod", "lib", "main"];

/// What the manifests call their packages.
#[derive(Default)]
pub(super) struct Packages(Vec<Package>);

struct Package {
    folder: String,
    /// That of the library, and that of the package where it is another.
    names: Vec<String>,
    /// Folders where modules start, innermost first.
    sources: Vec<String>,
}

impl Packages {
    pub(super) fn of(manifests: &[(&Manifest, toml::Table)]) -> Self {
        let known = manifests.iter().filter_map(|(manifest, table)| package(manifest, table));
        let mut known: Vec<Package> = known.collect();
        known.sort_by_key(|package| std::cmp::Reverse(package.folder.len()));
        Self(known)
    }

    /// The paths of a file's module, with dots between their parts.
    pub(super) fn paths(&self, file: &FileFacts) -> Vec<String> {
        let path = file.path.as_str();
        let Some(package) = self.0.iter().find(|package| is_inside(path, &package.folder)) else {
            return Vec::new();
        };
        let Some(source) = package.sources.iter().find(|source| is_inside(path, source)) else {
            return Vec::new();
        };
        let below = path[source.len()..].trim_start_matches('/');
        let stem = below.strip_suffix(".rs").unwrap_or(below);
        let mut modules: Vec<&str> = stem.split('/').collect();
        modules.pop_if(|last| FOLDER_FILES.contains(last));
        let full = |name: &String| {
            let parts: Vec<&str> = std::iter::once(name.as_str()).chain(modules.iter().copied()).collect();
            parts.join(".")
        };
        package.names.iter().map(full).collect()
    }
}

fn package(manifest: &Manifest, table: &toml::Table) -> Option<Package> {
    let written = |of: &toml::Value, key: &str| of.get(key).and_then(toml::Value::as_str).map(str::to_owned);
    let (own, lib) = (table.get("package")?, table.get("lib"));
    let names = [lib.and_then(|lib| written(lib, "name")), written(own, "name")];
    let mut names: Vec<String> = names.into_iter().flatten().map(|name| name.replace('-', "_")).collect();
    names.dedup();
    let bins = table.get("bin").and_then(toml::Value::as_array).into_iter().flatten();
    let paths = lib.into_iter().chain(bins).filter_map(|target| written(target, "path"));
    let paths = paths.chain(["src/lib.rs".to_owned()]);
    let mut sources: Vec<String> =
        paths.filter_map(|path| Some(folder(&join(manifest.folder(), &path)?).to_owned())).collect();
    sources.sort_by_key(|source| std::cmp::Reverse(source.len()));
    sources.dedup();
    Some(Package { folder: manifest.folder().to_owned(), names, sources })
}
