//! Who imports a file, and who would if it were there.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use m1nd_graph::EdgeKind;
use m1nd_graph::ids::file_id;

use super::naming::{PythonModule, RustModule, may_alias, may_mean, module_names};
use super::{Origin, Spread};
use crate::affected::{Depth, names_of};
use crate::facts::{Below, FileFacts, ImportAll};
use crate::interface::What;
use crate::manifest::{Manifest, folder};
use crate::resolve::program::Place;
use crate::resolve::ty::Ty;

impl<'s> Spread<'s> {
    pub(super) fn path(&self, file: u32) -> &'s str {
        let at = file as usize;
        self.facts.get(at).or_else(|| self.gone.get(at - self.facts.len())).map_or("", |facts| &facts.path)
    }

    pub(super) fn importers(&mut self, file: u32) -> Vec<u32> {
        if let Some(known) = self.importers.get(&file) {
            return known.clone();
        }
        let mut found: Vec<u32> = self.find_importers(file).into_iter().collect();
        found.sort_unstable();
        self.importers.insert(file, found.clone());
        found
    }

    /// Scripts whose imports mean a file that came or went find something else under the names they bind.
    pub(super) fn script_module(&mut self, file: u32) -> Option<()> {
        let path = self.path(file);
        let is_aliased = |manifest: &Manifest| {
            manifest.name().ends_with(".json")
                && manifest.text.split('"').any(|text| may_alias(manifest, text, path))
        };
        if self.is_gone(file) && self.program.manifests.iter().any(is_aliased) {
            return None;
        }
        for &(importer, at) in self.scripts_importing(file).iter() {
            self.found.insert(importer);
            let facts = self.facts[importer as usize];
            let import = &facts.imports[at as usize];
            // What is passed on as a whole is found by its own names.
            if import.all == ImportAll::No {
                let bind = self.program.name(importer, import.bind);
                self.names.add((bind, Origin::Own(importer)), Depth::Whole);
                for changed in names_of(facts, What::Import(at), Depth::Whole)? {
                    self.add(importer, &changed);
                }
            }
        }
        Some(())
    }

    /// Whoever imports a package of Go may import each of its files.
    pub(super) fn go_package(&mut self, file: u32) {
        if self.families[file as usize] != "go" {
            return;
        }
        let path = self.path(file);
        let beside = self.facts.iter().filter(|facts| folder(&facts.path) == folder(path));
        let beside = beside.map(|facts| facts.path.as_str()).chain([path]);
        let importers: Vec<u32> = beside.flat_map(|path| self.imported_by(path)).collect();
        self.found.extend(importers);
    }

    /// The files that imported a file before the edits.
    fn imported_by(&self, path: &str) -> Vec<u32> {
        let Some(node) = self.last.node_by_id(&file_id(path)) else { return Vec::new() };
        let sources = self.last.sources(node, EdgeKind::Imports);
        sources.filter_map(|source| self.program.file(self.last.node(source).path())).collect()
    }

    /// Whether routes answer elsewhere because a file is there or not.
    pub(super) fn is_routed(&self, file: u32) -> bool {
        let path = self.path(file);
        let is_mounted = |facts: &&FileFacts| {
            facts.mounts.iter().any(|mount| match &mount.what {
                Below::File(mounted) => path.ends_with(mounted.as_str()),
                _ => false,
            })
        };
        path.rsplit('/').next().is_some_and(|name| name.starts_with("settings"))
            || self.facts.iter().any(is_mounted)
    }

    pub(super) fn is_gone(&self, file: u32) -> bool {
        file as usize >= self.facts.len()
    }

    /// The imports of a script that mean a file, or may have meant it.
    pub(super) fn script_imports(&mut self, importer: u32, file: u32) -> impl Iterator<Item = u32> {
        let all = self.scripts_importing(file);
        let from = all.partition_point(|(other, _)| *other < importer);
        let len = all[from..].partition_point(|(other, _)| *other == importer);
        (from..from + len).map(move |at| all[at].1)
    }

    /// Scripts and the positions of their imports that mean a file, or may have meant it, in their order.
    fn scripts_importing(&mut self, file: u32) -> Rc<[(u32, u32)]> {
        if let Some(known) = self.script_imports.get(&file) {
            return Rc::clone(known);
        }
        let mut found = self
            .script_texts
            .get_or_init(|| ScriptTexts::of(self.facts, &self.families))
            .naming(self.path(file));
        found.retain(|&(importer, at)| self.may_import(importer, at, file));
        found.sort_unstable();
        let found: Rc<[(u32, u32)]> = found.into();
        self.script_imports.insert(file, Rc::clone(&found));
        found
    }

    fn may_import(&mut self, importer: u32, at: u32, file: u32) -> bool {
        let facts = self.facts[importer as usize];
        let path = self.path(file);
        let here = folder(&facts.path);
        let Some(&written) = facts.imports[at as usize].path.first() else { return false };
        let text = facts.text(written);
        if text.starts_with('.') && !may_mean(here, text, path) {
            return false;
        }
        if self.is_gone(file) {
            // What it meant can only be guessed; a package that is not ours it was not.
            let last = text.rsplit('/').next().unwrap_or(text);
            let stem = last.split('.').next().unwrap_or(last);
            let rules = self.eval.rules(importer);
            return text.starts_with(['.', '#'])
                || module_names(path).any(|own| own == stem)
                || (module_names(path).any(|own| matches!(own, "index" | "main"))
                    && rules.import(&mut self.eval, importer, at as usize) != Ty::External);
        }
        let key = (here, self.program.name(importer, written));
        let means = || self.eval.rules(importer).module(&self.eval, importer, at as usize);
        *self.imports.entry(key).or_insert_with(means) == Some(Place::File(file))
    }

    fn find_importers(&mut self, file: u32) -> FxHashSet<u32> {
        let path = self.path(file);
        let mut found: FxHashSet<u32> = self.imported_by(path).into_iter().collect();
        let all = 0..self.facts.len() as u32;
        let family = self.families[file as usize];
        let kin = all.filter(|&other| other != file && self.families[other as usize] == family);
        if family == "script" {
            let importing = self.scripts_importing(file);
            found.extend(importing.iter().map(|(other, _)| *other).filter(|other| *other != file));
            return found;
        }
        if family == "rust" {
            let module = RustModule::of(self.program, path);
            found.extend(kin.filter(|&other| module.may_be_named_by(self.program, other)));
            return found;
        }
        let module = PythonModule::of(self.program, path);
        let named = module.name.map_or_else(Vec::new, |name| self.mentioned_by.of_name(name));
        let kin = named.iter().chain(self.says_init()).copied();
        let kin = kin.filter(|&other| other != file && self.families[other as usize] == family);
        found.extend(kin.filter(|&other| module.may_be_named_by(self.program, other)));
        found
    }

    /// Files that import a package by the name of the file that stands for it, whatever it is called.
    fn says_init(&self) -> &[u32] {
        self.init_importers.get_or_init(|| {
            let Some(init) = self.program.find_name("__init__") else { return Vec::new() };
            let says = |file: u32, facts: &FileFacts| {
                let mut said = facts.imports.iter().flat_map(|import| import.path.iter().chain(&import.item));
                said.any(|&name| self.program.name(file, name) == init)
            };
            (0..).zip(self.facts).filter(|(file, facts)| says(*file, facts)).map(|(file, _)| file).collect()
        })
    }
}

/// The imports of all scripts, by what their texts can mean.
pub(super) struct ScriptTexts<'s> {
    /// Relative ones, by the name of the file or folder that they end in, without endings; none where they end in dots.
    relative: FxHashMap<&'s str, Vec<(u32, u32)>>,
    /// Aliases and packages may mean any file.
    others: Vec<(u32, u32)>,
}

impl<'s> ScriptTexts<'s> {
    fn of(files: &[&'s FileFacts], families: &[&str]) -> Self {
        let mut all = Self { relative: FxHashMap::default(), others: Vec::new() };
        let scripts = (0..).zip(files).filter(|(at, _)| families[*at as usize] == "script");
        for (file, facts) in scripts {
            for (at, import) in (0..).zip(&facts.imports) {
                let Some(&written) = import.path.first() else { continue };
                let text = facts.text(written);
                match text.starts_with('.') {
                    true => all.relative.entry(bare_name(text)).or_default().push((file, at)),
                    false => all.others.push((file, at)),
                }
            }
        }
        all
    }

    /// Those that may mean a file, as [`may_mean`] tells relative ones.
    fn naming(&self, path: &str) -> Vec<(u32, u32)> {
        let own = bare_name(path);
        // `..` names no part of what it means.
        let mut names = vec![own, ""];
        if own.ends_with("index") {
            names.push(bare_name(folder(path)));
        }
        names.sort_unstable();
        names.dedup();
        let relative = names.into_iter().filter_map(|name| self.relative.get(name)).flatten();
        relative.chain(&self.others).copied().collect()
    }
}

/// The last part of a path up to its first dot.
fn bare_name(path: &str) -> &str {
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name)
}
