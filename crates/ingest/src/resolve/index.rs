//! The tables that find a definition by its place and name, kept from one generation to the next.
//!
//! Every table is one flat list, file after file: an edit of one file moves numbers and hashes nothing.

use std::ops::Range;

use m1nd_stdx::names::Names;

use crate::facts::{DefKind, FileFacts, ImportAll, Name, Scope};
use crate::resolve::program::{GDef, GName};

/// Where something stands in a file: 0 at its top, else one more than the definition around it.
pub(crate) fn level(scope: Scope) -> u32 {
    scope.map_or(0, |ix| ix.0 + 1)
}

/// How a file differs from before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edited {
    Came,
    Changed,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    /// Every name of the program once. Names that are no longer mentioned stay; nothing is found under them.
    names: Names,
    /// The program-wide name of each of a file's names.
    pub(super) local_names: Runs<GName>,
    /// Names bound at the top of a file, the only ones that are asked for from outside; sorted.
    pub(super) top_names: Runs<(GName, Name)>,
    /// The file of each definition.
    pub(super) file_of: Runs<u32>,
    /// Definitions by the place around them and their name.
    pub(super) items: Keyed<(u32, GName), GDef>,
    /// Definitions by the place around them.
    pub(super) children: Keyed<u32, GDef>,
    /// Imports by the place they stand in and the name they bind, as (file, position).
    pub(super) imports: Keyed<(u32, GName), (u32, u32)>,
    /// Imports of everything, by the place they stand in.
    pub(super) globs: Keyed<u32, (u32, u32)>,
    /// Methods of all files, by name.
    pub(super) methods: Vec<(GName, GDef)>,
    pub(super) method_defs: Vec<GDef>,
}

impl Index {
    /// `files` must be sorted by path.
    pub fn of(files: &[&FileFacts]) -> Self {
        let mut index = Self::default();
        for (file, facts) in files.iter().enumerate() {
            let rows = Rows::of(&mut index.names, file as u32, index.file_of.values.len() as u32, facts);
            index.local_names.push(rows.local_names);
            index.top_names.push(rows.top_names);
            index.file_of.push(rows.file_of);
            index.items.push(rows.items);
            index.children.push(rows.children);
            index.imports.push(rows.imports);
            index.globs.push(rows.globs);
            index.methods.extend(rows.methods);
        }
        index.settle_methods();
        index.local_names.values.shrink_to_fit();
        index.names.shrink_to_fit();
        index
    }

    /// Follows edits. `gone` are the positions that files had which are no more, ascending; `edited` those of files
    /// that came or say something else now, ascending too.
    pub fn update(
        &mut self,
        gone: &[u32],
        edited: impl Iterator<Item = (u32, Edited)>,
        files: &[&FileFacts],
    ) {
        gone.iter().rev().for_each(|at| self.remove(*at));
        for (at, edited) in edited {
            match edited {
                Edited::Came => self.insert(at, files[at as usize]),
                Edited::Changed => self.replace(at, files[at as usize]),
            }
        }
        // Sorting takes longer than all of the above, and is done once for all.
        self.settle_methods();
    }

    /// Says what a file says now.
    fn replace(&mut self, file: u32, facts: &FileFacts) {
        let gone = self.file_of.range(file);
        let (first, last) = (gone.start as u32, gone.end as u32);
        let rows = Rows::of(&mut self.names, file, first, facts);
        let moved = |def: &mut GDef| {
            if def.0 >= last {
                def.0 = def.0 - (last - first) + rows.file_of.len() as u32;
            }
        };
        self.methods.retain(|(_, def)| !(first..last).contains(&def.0));
        self.methods.iter_mut().for_each(|(_, def)| moved(def));
        self.methods.extend(&rows.methods);
        self.items.values.iter_mut().for_each(moved);
        self.children.values.iter_mut().for_each(moved);
        self.local_names.replace(file, rows.local_names);
        self.top_names.replace(file, rows.top_names);
        self.file_of.replace(file, rows.file_of);
        self.items.replace(file, rows.items);
        self.children.replace(file, rows.children);
        self.imports.replace(file, rows.imports);
        self.globs.replace(file, rows.globs);
    }

    /// Takes in a file that was not there; those from its position on move up.
    fn insert(&mut self, file: u32, facts: &FileFacts) {
        let first = self.file_of.start(file);
        let rows = Rows::of(&mut self.names, file, first, facts);
        let count = rows.file_of.len() as u32;
        self.renumber(|def| if def >= first { def + count } else { def }, |at| at + u32::from(at >= file));
        self.methods.extend(&rows.methods);
        self.local_names.insert(file, rows.local_names);
        self.top_names.insert(file, rows.top_names);
        self.file_of.insert(file, rows.file_of);
        self.items.insert(file, rows.items);
        self.children.insert(file, rows.children);
        self.imports.insert(file, rows.imports);
        self.globs.insert(file, rows.globs);
    }

    /// Takes out a file; those after it move down.
    fn remove(&mut self, file: u32) {
        let gone = self.file_of.range(file);
        let (first, last) = (gone.start as u32, gone.end as u32);
        self.methods.retain(|(_, def)| !(first..last).contains(&def.0));
        self.local_names.remove(file);
        self.top_names.remove(file);
        self.file_of.remove(file);
        self.items.remove(file);
        self.children.remove(file);
        self.imports.remove(file);
        self.globs.remove(file);
        let fewer = last - first;
        self.renumber(|def| if def >= last { def - fewer } else { def }, |at| at - u32::from(at > file));
    }

    fn renumber(&mut self, def: impl Fn(u32) -> u32, file: impl Fn(u32) -> u32) {
        let defs = self.methods.iter_mut().map(|(_, def)| def);
        let defs = defs.chain(&mut self.items.values).chain(&mut self.children.values);
        defs.for_each(|global| global.0 = def(global.0));
        self.file_of.values.iter_mut().for_each(|at| *at = file(*at));
        let imports = self.imports.values.iter_mut().chain(&mut self.globs.values);
        imports.for_each(|(at, _)| *at = file(*at));
    }

    fn settle_methods(&mut self) {
        self.methods.sort_unstable();
        self.method_defs.clear();
        self.method_defs.extend(self.methods.iter().map(|(_, def)| *def));
    }

    /// The program-wide name of a text, if any file ever used it.
    pub fn find_name(&self, text: &str) -> Option<GName> {
        self.names.find(text).map(GName)
    }

    pub fn name_count(&self) -> usize {
        self.names.count()
    }

    pub fn text(&self, name: GName) -> &str {
        self.names.get(name.0)
    }

    /// The names that a file mentions.
    pub fn mentions(&self, file: u32) -> &[GName] {
        self.local_names.of(file)
    }

    pub fn methods(&self, name: GName) -> &[GDef] {
        let from = self.methods.partition_point(|(other, _)| *other < name);
        let len = self.methods[from..].partition_point(|(other, _)| *other == name);
        &self.method_defs[from..from + len]
    }
}

/// What one file adds to each table.
struct Rows {
    local_names: Vec<GName>,
    top_names: Vec<(GName, Name)>,
    file_of: Vec<u32>,
    items: Vec<((u32, GName), GDef)>,
    children: Vec<(u32, GDef)>,
    imports: Vec<((u32, GName), (u32, u32))>,
    globs: Vec<(u32, (u32, u32))>,
    methods: Vec<(GName, GDef)>,
}

impl Rows {
    fn of(names: &mut Names, file: u32, first_def: u32, facts: &FileFacts) -> Self {
        let local: Vec<GName> = facts.names.iter().map(|text| GName(names.intern(text))).collect();
        let name = |name: Name| local[name.0 as usize];
        let top = facts.bindings.iter().take_while(|binding| binding.owner.is_none());
        let mut top_names: Vec<(GName, Name)> = top.map(|bound| (name(bound.name), bound.name)).collect();
        top_names.sort_unstable();
        top_names.dedup();
        let defs = (first_def..).map(GDef).zip(&facts.defs);
        let named = defs.clone().filter(|(_, def)| def.has_name());
        let mut items: Vec<_> =
            named.clone().map(|(global, def)| ((level(def.parent), name(def.name)), global)).collect();
        let mut children: Vec<_> = defs.clone().map(|(global, def)| (level(def.parent), global)).collect();
        let methods = named.filter(|(_, def)| def.kind == DefKind::Method);
        let methods = methods.map(|(global, def)| (name(def.name), global)).collect();
        let (mut imports, mut globs) = (Vec::new(), Vec::new());
        for (at, import) in (0..).zip(&facts.imports) {
            match import.all {
                ImportAll::Yes => globs.push((level(import.scope), (file, at))),
                ImportAll::No => imports.push(((level(import.scope), name(import.bind)), (file, at))),
            }
        }
        items.sort_unstable();
        children.sort_unstable();
        imports.sort_unstable();
        globs.sort_unstable();
        let file_of = vec![file; facts.defs.len()];
        Self { local_names: local, top_names, file_of, items, children, imports, globs, methods }
    }
}

/// A list per file, end to end.
#[derive(Clone, Debug)]
pub(super) struct Runs<T> {
    pub values: Vec<T>,
    starts: Vec<u32>,
}

impl<T> Default for Runs<T> {
    fn default() -> Self {
        Self { values: Vec::new(), starts: vec![0] }
    }
}

impl<T> Runs<T> {
    pub fn range(&self, file: u32) -> Range<usize> {
        let at = file as usize;
        self.starts[at] as usize..self.starts[at + 1] as usize
    }

    /// Where the list of a file starts, or would.
    fn start(&self, file: u32) -> u32 {
        self.starts[file as usize]
    }

    pub fn of(&self, file: u32) -> &[T] {
        &self.values[self.range(file)]
    }

    fn push(&mut self, run: impl IntoIterator<Item = T>) {
        self.values.extend(run);
        self.starts.push(self.values.len() as u32);
    }

    fn replace(&mut self, file: u32, run: Vec<T>) {
        let gone = self.range(file);
        let (before, after) = (gone.len() as u32, run.len() as u32);
        self.values.splice(gone, run);
        for start in &mut self.starts[file as usize + 1..] {
            *start = *start - before + after;
        }
    }
}

impl<T> Runs<T> {
    fn insert(&mut self, file: u32, run: Vec<T>) {
        let (at, len) = (self.start(file), run.len() as u32);
        self.values.splice(at as usize..at as usize, run);
        self.starts.insert(file as usize, at);
        self.starts[file as usize + 1..].iter_mut().for_each(|start| *start += len);
    }

    fn remove(&mut self, file: u32) {
        let gone = self.range(file);
        let len = gone.len() as u32;
        self.values.drain(gone);
        self.starts.remove(file as usize + 1);
        self.starts[file as usize + 1..].iter_mut().for_each(|start| *start -= len);
    }
}

/// A list per file of things with sorted keys.
#[derive(Clone, Debug)]
pub(super) struct Keyed<K, V> {
    keys: Runs<K>,
    pub values: Vec<V>,
}

impl<K, V> Default for Keyed<K, V> {
    fn default() -> Self {
        Self { keys: Runs::default(), values: Vec::new() }
    }
}

impl<K: Copy + Ord, V> Keyed<K, V> {
    fn push(&mut self, rows: Vec<(K, V)>) {
        let (keys, values): (Vec<K>, Vec<V>) = rows.into_iter().unzip();
        self.keys.push(keys);
        self.values.extend(values);
    }

    fn replace(&mut self, file: u32, rows: Vec<(K, V)>) {
        let (keys, values): (Vec<K>, Vec<V>) = rows.into_iter().unzip();
        self.values.splice(self.keys.range(file), values);
        self.keys.replace(file, keys);
    }

    fn insert(&mut self, file: u32, rows: Vec<(K, V)>) {
        let (keys, values): (Vec<K>, Vec<V>) = rows.into_iter().unzip();
        let at = self.keys.start(file) as usize;
        self.values.splice(at..at, values);
        self.keys.insert(file, keys);
    }

    fn remove(&mut self, file: u32) {
        self.values.drain(self.keys.range(file));
        self.keys.remove(file);
    }

    pub fn get(&self, file: u32, key: K) -> &[V] {
        let range = self.keys.range(file);
        let keys = &self.keys.values[range.clone()];
        let from = keys.partition_point(|&other| other < key);
        let len = keys[from..].partition_point(|&other| other == key);
        &self.values[range.start + from..range.start + from + len]
    }
}
