//! The tables that find a definition by its place and name, kept from one generation to the next.
//!
//! Every table is one flat list, file after file: an edit of one file moves numbers and hashes nothing.

use std::any::Any;
use std::fmt;
use std::mem::take;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use m1nd_stdx::names::Names;
use rustc_hash::FxHashMap;

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
    /// What rules made of the paths alone.
    by_paths: OnceLock<ByPaths>,
    /// What they made of the paths before files came or went, and which did.
    by_paths_before: Option<(ByPaths, Shift)>,
}

/// Files that came and went since a table was made.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shift {
    /// Positions that they had, ascending, and their paths.
    pub gone: Vec<(u32, String)>,
    /// Positions that they have, ascending.
    pub came: Vec<u32>,
}

impl Shift {
    /// The position that a file has which was there before; nothing for one that is gone.
    pub fn moved(&self, old: u32) -> Option<u32> {
        let before = self.gone.binary_search_by_key(&old, |(at, _)| *at).err()? as u32;
        let mut now = old - before;
        for &came in &self.came {
            if came > now {
                break;
            }
            now += 1;
        }
        Some(now)
    }
}

/// A table that rules made of the paths of the files in their language.
#[derive(Clone)]
struct ByPaths {
    /// By position, whether a file is in the language.
    files: Vec<bool>,
    table: Arc<dyn Any + Send + Sync>,
}

impl fmt::Debug for ByPaths {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ByPaths").finish_non_exhaustive()
    }
}

impl Index {
    /// A table that rests on nothing but the paths, and on which of them are in the language: it is made once for all
    /// generations that have the same.
    ///
    /// `follow` makes it of the one before some files came or went, if it can.
    pub fn by_paths<T: Any + Send + Sync>(
        &self,
        files: Vec<bool>,
        make: impl FnOnce() -> T,
        follow: impl FnOnce(&T, &Shift) -> Option<T>,
    ) -> Arc<T> {
        let known = self.by_paths.get().filter(|known| known.files == files);
        if let Some(table) = known.and_then(|known| Arc::clone(&known.table).downcast().ok()) {
            return table;
        }
        let before = self.by_paths_before.as_ref().filter(|(before, shift)| {
            // Those that stayed are in the language they were in.
            let stays = (0..).zip(&before.files).filter_map(|(at, is_in)| Some((shift.moved(at)?, is_in)));
            stays.into_iter().all(|(at, is_in)| files.get(at as usize) == Some(is_in))
        });
        let followed = before.and_then(|(before, shift)| follow(before.table.downcast_ref()?, shift));
        let table = Arc::new(followed.unwrap_or_else(make));
        // Where another one is kept, this one serves its generation alone.
        drop(self.by_paths.set(ByPaths { files, table: Arc::clone(&table) as Arc<dyn Any + Send + Sync> }));
        table
    }

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

    /// Follows edits. `gone` are the positions that files had which are no more, ascending, with their paths; `edited` those of files
    /// that came or say something else now, ascending too. However many they are, every table is copied once.
    pub fn update(
        &mut self,
        gone: &[(u32, &str)],
        edited: impl Iterator<Item = (u32, Edited)>,
        files: &[&FileFacts],
    ) {
        let count = self.file_of.count();
        let edited: Vec<(u32, Edited)> = edited.collect();
        let came = edited.iter().filter(|(_, edited)| *edited == Edited::Came).map(|(at, _)| *at);
        let shift = Shift {
            gone: gone.iter().map(|(at, path)| (*at, (*path).to_owned())).collect(),
            came: came.collect(),
        };
        let gone: Vec<u32> = gone.iter().map(|(at, _)| *at).collect();
        self.by_paths_before = None;
        if !shift.gone.is_empty() || !shift.came.is_empty() {
            self.by_paths_before = self.by_paths.take().map(|before| (before, shift));
        }
        let mut pieces = Pieces::of(&gone, edited.into_iter(), count, files.len() as u32);
        pieces.read(&mut self.names, &self.file_of, files);
        let Pieces { list, rows } = &mut pieces;
        let same = |_: &Kept, name: GName| name;
        self.local_names = self.local_names.spliced(list, rows, |rows| take(&mut rows.local_names), same);
        self.top_names = self.top_names.spliced(list, rows, |rows| take(&mut rows.top_names), |_, top| top);
        let file = |kept: &Kept, at: u32| at - kept.old.start + kept.new;
        let def = |kept: &Kept, def: GDef| kept.moved(def);
        let place = |kept: &Kept, (at, import): (u32, u32)| (file(kept, at), import);
        self.items = self.items.spliced(list, rows, |rows| take(&mut rows.items), def);
        self.children = self.children.spliced(list, rows, |rows| take(&mut rows.children), def);
        self.imports = self.imports.spliced(list, rows, |rows| take(&mut rows.imports), place);
        self.globs = self.globs.spliced(list, rows, |rows| take(&mut rows.globs), place);
        self.file_of = self.file_of.spliced(list, rows, |rows| take(&mut rows.file_of), file);
        self.splice_methods(&pieces);
    }

    /// Methods that stay keep their order, so that only the new ones are sorted.
    fn splice_methods(&mut self, pieces: &Pieces) {
        let kept: Vec<&Kept> = pieces.kept().collect();
        let stays = |&(name, def): &(GName, GDef)| {
            let at = kept.partition_point(|kept| kept.old_defs.end <= def.0);
            let kept = kept.get(at).filter(|kept| kept.old_defs.contains(&def.0))?;
            Some((name, kept.moved(def)))
        };
        let mut fresh: Vec<(GName, GDef)> =
            pieces.rows.iter().flat_map(|rows| rows.methods.iter().copied()).collect();
        fresh.sort_unstable();
        let mut fresh = fresh.into_iter().peekable();
        let mut all = Vec::with_capacity(self.methods.len() + fresh.len());
        for method in self.methods.iter().filter_map(stays) {
            while let Some(before) = fresh.next_if(|fresh| *fresh < method) {
                all.push(before);
            }
            all.push(method);
        }
        all.extend(fresh);
        self.method_defs.clear();
        self.method_defs.extend(all.iter().map(|(_, def)| *def));
        self.methods = all;
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

    pub fn file_count(&self) -> u32 {
        self.local_names.count()
    }

    /// The files that mention a name, in their order.
    pub fn mentioning(&self, name: GName) -> Vec<u32> {
        let Runs { values, starts } = &self.local_names;
        let mut files = Vec::new();
        let mut at = 0;
        while let Some(more) = values[at..].iter().position(|other| *other == name) {
            // The last file that starts at or before it; files without names start where the next does.
            let file = starts.partition_point(|start| *start as usize <= at + more) - 1;
            files.push(file as u32);
            at = starts[file + 1] as usize;
        }
        files
    }

    /// The files that mention each of some names, in their order.
    pub fn mentioning_each(&self, names: &[GName]) -> FxHashMap<GName, Vec<u32>> {
        let mut found: FxHashMap<GName, Vec<u32>> = names.iter().map(|&name| (name, Vec::new())).collect();
        let mut is_wanted = vec![false; self.names.count()];
        names.iter().for_each(|name| is_wanted[name.0 as usize] = true);
        for file in 0..self.file_count() {
            for name in self.mentions(file).iter().filter(|name| is_wanted[name.0 as usize]) {
                if let Some(files) = found.get_mut(name).filter(|files| files.last() != Some(&file)) {
                    files.push(file);
                }
            }
        }
        found
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

/// The files after some edits, in their order.
struct Pieces {
    list: Vec<Piece>,
    /// What those that are new or differ say.
    rows: Vec<Rows>,
}

enum Piece {
    Kept(Kept),
    /// By the position of the file, and that of its rows.
    Fresh(u32, usize),
}

/// Files side by side that say what they said.
struct Kept {
    /// Where they were.
    old: Range<u32>,
    old_defs: Range<u32>,
    /// Where the first of them and its first definition are now.
    new: u32,
    new_def: u32,
}

impl Kept {
    fn moved(&self, def: GDef) -> GDef {
        GDef(def.0 - self.old_defs.start + self.new_def)
    }
}

impl Pieces {
    fn of(gone: &[u32], edited: impl Iterator<Item = (u32, Edited)>, before: u32, after: u32) -> Self {
        let mut gone = gone.iter().copied().peekable();
        let mut list = Vec::new();
        let (mut old, mut new) = (0, 0);
        let (mut changes, mut fresh) = (edited.peekable(), 0);
        loop {
            while gone.next_if_eq(&old).is_some() {
                old += 1;
            }
            let until = changes.peek().map_or(after, |(at, _)| *at);
            if new < until {
                let count = (until - new).min(gone.peek().copied().unwrap_or(before) - old);
                if count == 0 {
                    break;
                }
                let kept = Kept { old: old..old + count, old_defs: 0..0, new, new_def: 0 };
                list.push(Piece::Kept(kept));
                (old, new) = (old + count, new + count);
                continue;
            }
            let Some((at, edited)) = changes.next() else { break };
            list.push(Piece::Fresh(at, fresh));
            (new, fresh) = (new + 1, fresh + 1);
            old += u32::from(edited == Edited::Changed);
        }
        Self { list, rows: Vec::new() }
    }

    /// Reads what is new and finds out where definitions are now.
    fn read(&mut self, names: &mut Names, file_of: &Runs<u32>, files: &[&FileFacts]) {
        let mut next = 0;
        for piece in &mut self.list {
            match piece {
                Piece::Kept(kept) => {
                    let defs = file_of.span(&kept.old);
                    kept.old_defs = defs.start as u32..defs.end as u32;
                    kept.new_def = next;
                    next += defs.len() as u32;
                }
                Piece::Fresh(at, _) => {
                    let facts = files[*at as usize];
                    self.rows.push(Rows::of(names, *at, next, facts));
                    next += facts.defs.len() as u32;
                }
            }
        }
    }

    fn kept(&self) -> impl Iterator<Item = &Kept> {
        self.list.iter().filter_map(|piece| match piece {
            Piece::Kept(kept) => Some(kept),
            Piece::Fresh(..) => None,
        })
    }
}

/// What one file adds to each table.
#[derive(Default)]
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

    /// How many files there are.
    fn count(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    /// The values of some files that stand side by side.
    fn span(&self, files: &Range<u32>) -> Range<usize> {
        self.start(files.start) as usize..self.start(files.end) as usize
    }
}

impl<T: Copy> Runs<T> {
    /// The same lists with those of some files in place of theirs.
    fn spliced(
        &self,
        pieces: &[Piece],
        rows: &mut [Rows],
        mut fresh: impl FnMut(&mut Rows) -> Vec<T>,
        moved: impl Fn(&Kept, T) -> T,
    ) -> Self {
        let mut new = Self { values: Vec::with_capacity(self.values.len() + 64), starts: vec![0] };
        new.starts.reserve(self.starts.len());
        for piece in pieces {
            match piece {
                Piece::Kept(kept) => {
                    let (first, old) = (new.values.len() as u32, self.start(kept.old.start));
                    let own = &self.values[self.span(&kept.old)];
                    new.values.extend(own.iter().map(|&value| moved(kept, value)));
                    let ends = &self.starts[kept.old.start as usize + 1..=kept.old.end as usize];
                    new.starts.extend(ends.iter().map(|end| end - old + first));
                }
                Piece::Fresh(_, at) => new.push(fresh(&mut rows[*at])),
            }
        }
        new
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

impl<K: Copy + Ord, V: Copy> Keyed<K, V> {
    fn push(&mut self, rows: Vec<(K, V)>) {
        let (keys, values): (Vec<K>, Vec<V>) = rows.into_iter().unzip();
        self.keys.push(keys);
        self.values.extend(values);
    }

    /// As [`Runs::spliced`]; the keys of a file do not depend on the others.
    fn spliced(
        &self,
        pieces: &[Piece],
        rows: &mut [Rows],
        mut fresh: impl FnMut(&mut Rows) -> Vec<(K, V)>,
        moved: impl Fn(&Kept, V) -> V,
    ) -> Self {
        let mut new = Self::default();
        let mut values = Vec::with_capacity(self.values.len() + 64);
        let mut given: Vec<Vec<V>> = Vec::new();
        new.keys = self.keys.spliced(
            pieces,
            rows,
            |rows| {
                let (keys, values): (Vec<K>, Vec<V>) = fresh(rows).into_iter().unzip();
                given.push(values);
                keys
            },
            |_, key| key,
        );
        let mut given = given.into_iter();
        for piece in pieces {
            match piece {
                Piece::Kept(kept) => {
                    let own = &self.values[self.keys.span(&kept.old)];
                    values.extend(own.iter().map(|&value| moved(kept, value)));
                }
                Piece::Fresh(..) => values.extend(given.next().into_iter().flatten()),
            }
        }
        new.values = values;
        new
    }

    pub fn get(&self, file: u32, key: K) -> &[V] {
        let range = self.keys.range(file);
        let keys = &self.keys.values[range.clone()];
        let from = keys.partition_point(|&other| other < key);
        let len = keys[from..].partition_point(|&other| other == key);
        &self.values[range.start + from..range.start + from + len]
    }
}
