//! How files name the modules that other files are.

use crate::affected::is_below;
use crate::facts::{Def, DefKind};
use crate::manifest::{Manifest, folder, join};
use crate::resolve::program::{GName, Program};

/// What paths to a Rust module have to say.
pub(crate) struct RustModule {
    name: Option<GName>,
    /// The folder in which the modules below it are, with a slash at its end.
    below: String,
    /// Words that lead upwards.
    up: Vec<GName>,
}

impl RustModule {
    pub fn of(program: &Program<'_>, path: &str) -> Self {
        let here = folder(path);
        let stem = path.rsplit('/').next().and_then(|name| name.strip_suffix(".rs")).unwrap_or("");
        let outer = here.rsplit('/').next().unwrap_or("");
        let is_program = matches!(outer, "tests" | "examples" | "benches" | "bin" | "fuzz_targets");
        let (name, below) = match stem {
            "mod" => (outer, here.to_owned()),
            _ if is_program => (stem, here.to_owned()),
            _ => (stem, join(here, stem).unwrap_or_default()),
        };
        let up = ["super", "crate", "$crate"].iter().filter_map(|word| program.find_name(word)).collect();
        Self {
            name: program.find_name(name),
            below: format!("{below}/").trim_start_matches('/').to_owned(),
            up,
        }
    }

    /// Whether a file may mean it: it names the module, or lies below it and looks upwards.
    pub fn may_be_named_by(&self, program: &Program<'_>, file: u32) -> bool {
        let mentions = program.index.mentions(file);
        self.name.is_some_and(|name| mentions.contains(&name))
            || (program.files[file as usize].path.starts_with(&self.below)
                && self.up.iter().any(|word| mentions.contains(word)))
    }
}

/// What imports of a Python module have to say.
pub(crate) struct PythonModule<'s> {
    /// The folder it is in.
    folder: &'s str,
    pub name: Option<GName>,
    /// What comes before its name when it is imported from elsewhere; nothing when that may be nothing.
    outer: Option<Option<GName>>,
}

impl<'s> PythonModule<'s> {
    pub fn of(program: &Program<'_>, path: &'s str) -> Self {
        let stem = path.strip_suffix(".py").or_else(|| path.strip_suffix(".pyi")).unwrap_or(path);
        let module = stem.strip_suffix("/__init__").unwrap_or(stem);
        let folder = folder(module);
        let name = module.rsplit('/').next().and_then(|name| program.find_name(name));
        let outer = folder.rsplit('/').next().filter(|outer| !matches!(*outer, "" | "src"));
        let is_package = program.file(&format!("{folder}/__init__.py")).is_some();
        Self { folder, name, outer: outer.filter(|_| is_package).map(|outer| program.find_name(outer)) }
    }

    /// Whether a file may mean it: it names the module, and what the module is in unless it is in there itself.
    pub fn may_be_named_by(&self, program: &Program<'_>, file: u32) -> bool {
        let facts = program.files[file as usize];
        let mentions =
            |name: Option<GName>| name.is_some_and(|name| program.index.mentions(file).contains(&name));
        let is_near = self.folder.is_empty() || is_below(&facts.path, self.folder);
        let says_init = || {
            let said = facts.imports.iter().flat_map(|import| import.path.iter().chain(&import.item));
            said.into_iter().any(|&name| facts.text(name) == "__init__")
        };
        (mentions(self.name) && (is_near || self.outer.is_none_or(mentions))) || says_init()
    }
}

/// What a module is called: as its file, or as its folder when it stands for the folder.
pub(crate) fn module_names(path: &str) -> impl Iterator<Item = &str> {
    let mut parts = path.rsplit('/');
    let stem = parts.next().and_then(|name| name.split('.').next());
    let folder = parts.next().filter(|_| matches!(stem, Some("__init__" | "index")));
    stem.into_iter().chain(folder)
}

/// Whether a relative name in a folder may mean a file, whatever their endings.
pub(crate) fn may_mean(here: &str, text: &str, path: &str) -> bool {
    let bare = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        path[..path.len() - name.len() + name.find('.').unwrap_or(name.len())].to_owned()
    };
    let Some(meant) = join(here, text) else { return false };
    let path = bare(path);
    path == bare(&meant) || (path.ends_with("index") && folder(&path) == meant)
}

/// Whether a text of a manifest may name a script by another name than its own.
pub(crate) fn may_alias(manifest: &Manifest, text: &str, path: &str) -> bool {
    let stem = |path: &str| path.split('.').next().unwrap_or(path).to_owned();
    let (Some(name), Some(written)) = (path.rsplit('/').next(), text.rsplit('/').next()) else {
        return false;
    };
    if stem(name) != stem(written) || written.is_empty() {
        return false;
    }
    let first = text.trim_start_matches("./").split('/').next().unwrap_or("");
    let is_built = matches!(first, "dist" | "lib" | "build" | "out" | "es" | "esm" | "cjs");
    let meant = join(manifest.folder(), text).unwrap_or_default();
    is_built || (folder(&meant) == folder(path))
}

/// Whether a file of Rust is found otherwise than by the name of its module.
pub(crate) fn is_crate_root(program: &Program<'_>, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_named = |manifest: &Manifest| manifest.name() == "Cargo.toml" && manifest.text.contains(name);
    matches!(name, "lib.rs" | "main.rs") || program.manifests.iter().any(is_named)
}

pub(crate) fn has_far_modules(program: &Program<'_>) -> bool {
    let is_far = |def: &Def| def.kind == DefKind::Module && def.doc.starts_with("#[path]");
    program.files.iter().any(|file| file.language == "rust" && file.defs.iter().any(is_far))
}
