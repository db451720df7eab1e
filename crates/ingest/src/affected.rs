//! Which files can tell that others were edited.
//!
//! Whatever a file finds in another it finds by a name: of a definition, a field, an import. So when a thing
//! changes, only files that mention its name can see it, and what those files offer in turn changes only where
//! it rests on such a name. Following names finds too many files, never too few; where names are not enough
//! (modules, imports of everything, packages) or lead too far, everything is resolved again.

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use m1nd_graph::ids::file_id;
use m1nd_graph::{EdgeKind, Graph};

use crate::facts::{Def, DefIx, DefKind, FileFacts, ImportAll};
use crate::interface::{self, Item, What, last_name};
use crate::languages;
use crate::resolve::index::Index;
use crate::resolve::program::{GName, Program};
use crate::stored::Stored;

/// With more files than this to look at, all are resolved again.
const MAX_FILES: usize = 250;
/// Longer chains of things that rest on each other are not followed.
const MAX_ROUNDS: usize = 12;

/// A name that leads to something else than before.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Changed {
    pub name: String,
    pub seen: Seen,
}

/// From where a name can be looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Seen {
    /// From anywhere in the same family of languages.
    Everywhere,
    /// By files that import the one it is in.
    ByImporters,
}

/// The names under which two states of a file offer different things; nothing when names do not tell it all.
pub(crate) fn changes(before: &Stored, after: &Stored) -> Option<Vec<Changed>> {
    let items = |stored: &Stored| interface::items(&stored.facts, &stored.inside());
    let (old, new) = (items(before)?, items(after)?);
    let told = |items: &[Item]| -> FxHashMap<u64, [u8; 32]> {
        items.iter().map(|item| (item.key, item.digest)).collect()
    };
    let (old_told, new_told) = (told(&old), told(&new));
    let mut changed = Vec::new();
    for (facts, items, others) in [(&before.facts, &old, &new_told), (&after.facts, &new, &old_told)] {
        for item in items.iter().filter(|item| others.get(&item.key) != Some(&item.digest)) {
            changed.extend(names_of(facts, item.what)?);
        }
    }
    changed.sort();
    changed.dedup();
    Some(changed)
}

/// The names by which others find a thing; nothing when they find it otherwise.
fn names_of(facts: &FileFacts, what: What) -> Option<Vec<Changed>> {
    let family = languages::family(&facts.language);
    // What a file of these families holds is only reached through an import of the file.
    let by_import = matches!(family, "python" | "script");
    let top = if by_import { Seen::ByImporters } else { Seen::Everywhere };
    let named = |name: &str, seen: Seen| Changed { name: name.to_owned(), seen };
    Some(match what {
        What::File => return None,
        What::Def(ix) => {
            let def = facts.def(ix);
            match def.kind {
                DefKind::Module => return None,
                DefKind::Impl => impl_names(facts, def)?,
                _ if def.parent.is_none() => vec![named(facts.text(def.name), top)],
                _ => member_names(facts, family, ix, facts.text(def.name))?,
            }
        }
        What::Field(of, name) => {
            let mut names = member_names(facts, family, of, facts.text(name))?;
            // Parts without names are found through what they are parts of.
            if facts.def(of).kind != DefKind::Class {
                names.push(named(facts.text(facts.def(of).name), Seen::Everywhere));
            }
            names
        }
        What::Import(at) => {
            let import = &facts.imports[at as usize];
            let is_private = match family {
                "go" | "java" => true,
                "script" => !import.exported,
                "python" | "rust" => false,
                // Includes and the like change what every line after them means.
                _ => return None,
            };
            match (is_private, import.all) {
                (true, _) => Vec::new(),
                (false, ImportAll::Yes) => return None,
                (false, ImportAll::No) => vec![named(facts.text(import.bind), top)],
            }
        }
        What::Export(name) | What::Binding(name) => vec![named(facts.text(name), top)],
    })
}

/// A member is found by its name; one that the language calls by itself is found through its type.
fn member_names(facts: &FileFacts, family: &str, ix: DefIx, name: &str) -> Option<Vec<Changed>> {
    let everywhere = |name: &str| Changed { name: name.to_owned(), seen: Seen::Everywhere };
    let mut names = vec![everywhere(name)];
    let is_called_by_name = match family {
        "python" => !(name.starts_with("__") && name.ends_with("__")),
        "script" => name != "constructor",
        "go" => true,
        _ => false,
    };
    let mut around = if is_called_by_name { None } else { Some(ix) };
    while let Some(ix) = around {
        let def = facts.def(ix);
        match def.kind {
            DefKind::Impl => names.extend(impl_names(facts, def)?),
            _ => names.push(everywhere(facts.text(def.name))),
        }
        around = def.parent;
    }
    Some(names)
}

/// Members added to a type are found through the type and through the trait.
fn impl_names(facts: &FileFacts, def: &Def) -> Option<Vec<Changed>> {
    let own = last_name(facts, def.of?)?;
    // An impl for every type that has some trait is found through any type.
    let is_param = |def: &Def| def.type_params.iter().any(|param| facts.text(param.name) == own);
    if is_param(def) {
        return None;
    }
    let bases = def.bases.iter().filter_map(|&base| last_name(facts, base));
    let names = bases.chain([own]).map(|name| Changed { name: name.to_owned(), seen: Seen::Everywhere });
    Some(names.collect())
}

/// The files that have to be resolved again, by position and sorted, the edited ones among them; nothing when
/// that is nearly as much as resolving all. `last` is the graph before the edits, whose imports still hold.
pub(crate) fn files(program: &Program<'_>, edits: &[(u32, Vec<Changed>)], last: &Graph) -> Option<Vec<u32>> {
    let mut spread = Spread {
        program,
        facts: &program.files,
        index: program.index,
        last,
        families: program.files.iter().map(|file| languages::family(&file.language)).collect(),
        known: FxHashSet::default(),
        fresh: Vec::new(),
        found: edits.iter().map(|(file, _)| *file).collect(),
        items: FxHashMap::default(),
    };
    for (file, changed) in edits {
        changed.iter().for_each(|changed| spread.add(*file, changed));
    }
    for _ in 0..MAX_ROUNDS {
        if spread.fresh.is_empty() {
            let mut found: Vec<u32> = spread.found.into_iter().collect();
            found.sort_unstable();
            return Some(found);
        }
        spread.round()?;
    }
    None
}

struct Spread<'s> {
    program: &'s Program<'s>,
    facts: &'s [&'s FileFacts],
    index: &'s Index,
    last: &'s Graph,
    families: Vec<&'static str>,
    /// What is known to lead elsewhere: a name, and the one file in which, or its family.
    known: FxHashSet<(GName, Origin)>,
    /// Those of them that were not followed yet.
    fresh: Vec<(GName, Origin)>,
    found: FxHashSet<u32>,
    items: FxHashMap<u32, Vec<Item>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Origin {
    Family(&'static str),
    File(u32),
}

impl Spread<'_> {
    fn add(&mut self, file: u32, changed: &Changed) {
        // A name that no file mentions leads nobody anywhere.
        let Some(name) = self.index.find_name(&changed.name) else { return };
        let origin = match changed.seen {
            Seen::Everywhere => Origin::Family(self.families[file as usize]),
            Seen::ByImporters => Origin::File(file),
        };
        if self.known.insert((name, origin)) {
            self.fresh.push((name, origin));
        }
    }

    /// Follows the names that are new: who mentions them, and what of theirs rests on them.
    fn round(&mut self) -> Option<()> {
        let fresh = std::mem::take(&mut self.fresh);
        let mut everywhere: FxHashMap<GName, Vec<&'static str>> = FxHashMap::default();
        let mut reached: FxHashMap<u32, FxHashSet<GName>> = FxHashMap::default();
        for (name, origin) in fresh {
            match origin {
                Origin::Family(family) => everywhere.entry(name).or_default().push(family),
                Origin::File(file) => {
                    for importer in self.importers(file) {
                        // What it imports as a whole it may pass on without a word.
                        let passes_on =
                            self.facts[importer as usize].imports.iter().any(|i| i.all == ImportAll::Yes);
                        if passes_on && self.known.insert((name, Origin::File(importer))) {
                            self.fresh.push((name, Origin::File(importer)));
                        }
                        if self.index.mentions(importer).contains(&name) {
                            reached.entry(importer).or_default().insert(name);
                        }
                    }
                    // Names of a file mean the same in the file itself.
                    reached.entry(file).or_default().insert(name);
                }
            }
        }
        if !everywhere.is_empty() {
            for file in 0..self.facts.len() as u32 {
                let family = self.families[file as usize];
                for name in self.index.mentions(file) {
                    if everywhere.get(name).is_some_and(|families| families.contains(&family)) {
                        reached.entry(file).or_default().insert(*name);
                    }
                }
            }
        }
        self.found.extend(reached.keys());
        if self.found.len() > MAX_FILES {
            return None;
        }
        let missing: Vec<u32> =
            reached.keys().copied().filter(|file| !self.items.contains_key(file)).collect();
        let read: Option<Vec<(u32, Vec<Item>)>> = missing
            .par_iter()
            .map(|&file| {
                let items = interface::items(self.facts[file as usize], self.program.inside(file));
                Some((file, items?))
            })
            .collect();
        self.items.extend(read?);
        for (file, names) in reached {
            let local = self.index.mentions(file);
            let resting: Vec<What> = self.items[&file]
                .iter()
                .filter(|item| item.mentions.iter().any(|name| names.contains(&local[name.0 as usize])))
                .map(|item| item.what)
                .collect();
            for what in resting {
                if what != What::File {
                    let found = names_of(self.facts[file as usize], what)?;
                    found.iter().for_each(|changed| self.add(file, changed));
                }
            }
        }
        Some(())
    }

    /// Files that import a file, or name it.
    fn importers(&self, file: u32) -> FxHashSet<u32> {
        let path = self.facts[file as usize].path.as_str();
        let mut found = FxHashSet::default();
        if let Some(node) = self.last.node_by_id(&file_id(path)) {
            for source in self.last.sources(node, EdgeKind::Imports) {
                let path = self.last.node(source).path();
                let at = self.facts.binary_search_by(|facts| facts.path.as_str().cmp(path));
                found.extend(at.ok().map(|at| at as u32));
            }
        }
        let all = 0..self.facts.len() as u32;
        let family = self.families[file as usize];
        let kin = all.filter(|&other| other != file && self.families[other as usize] == family);
        if family == "script" {
            found.extend(kin.filter(|&other| may_import(self.facts[other as usize], path)));
            return found;
        }
        let stems: Vec<GName> = module_names(path).filter_map(|stem| self.index.find_name(stem)).collect();
        found.extend(kin.filter(|&other| self.index.mentions(other).iter().any(|name| stems.contains(name))));
        found
    }
}

/// What a module is called: as its file, or as its folder when it stands for the folder.
fn module_names(path: &str) -> impl Iterator<Item = &str> {
    let mut parts = path.rsplit('/');
    let stem = parts.next().and_then(|name| name.split('.').next());
    let folder = parts.next().filter(|_| matches!(stem, Some("__init__" | "index")));
    stem.into_iter().chain(folder)
}

/// Whether an import by path could mean a file. What it means is told by more than its text, so when in doubt it
/// could.
fn may_import(importer: &FileFacts, path: &str) -> bool {
    importer.imports.iter().filter_map(|import| import.path.first()).any(|&name| {
        let text = importer.text(name);
        let last = text.rsplit('/').next().unwrap_or(text);
        let stem = last.split('.').next().unwrap_or(last);
        !text.starts_with('.') || stem.is_empty() || module_names(path).any(|own| own == stem)
    })
}
