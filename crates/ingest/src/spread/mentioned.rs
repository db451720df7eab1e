//! Names turned around: the files that mention each.

use std::cell::{Cell, OnceCell, RefCell};

use rustc_hash::FxHashMap;

use crate::resolve::index::Index;
use crate::resolve::program::GName;

/// Looking through all files for one name costs a small part of turning all names around: after so many looks that
/// is done. Most edits need fewer.
const MAX_LOOKS: u32 = 24;

/// Looking for several names at once costs as much as looking for so many one by one.
const FEW: usize = 3;

/// The files that mention each name.
pub(super) struct MentionedBy<'i> {
    index: &'i Index,
    looks: Cell<u32>,
    found: RefCell<FxHashMap<GName, Vec<u32>>>,
    all: OnceCell<Turned>,
}

impl<'i> MentionedBy<'i> {
    pub fn of(index: &'i Index) -> Self {
        Self { index, looks: Cell::new(0), found: RefCell::default(), all: OnceCell::new() }
    }

    /// Looks for names that will be asked for, all at once where that is less work.
    pub fn prepare(&self, names: &[GName]) {
        let mut found = self.found.borrow_mut();
        let mut missing: Vec<GName> =
            names.iter().copied().filter(|name| !found.contains_key(name)).collect();
        missing.sort_unstable();
        missing.dedup();
        if self.all.get().is_some() || missing.len() <= FEW {
            return;
        }
        self.looks.set(self.looks.get() + 1);
        found.extend(self.index.mentioning_each(&missing));
    }

    /// In their order.
    pub fn of_name(&self, name: GName) -> Vec<u32> {
        if let Some(all) = self.all.get() {
            return all.of_name(name).to_vec();
        }
        if let Some(known) = self.found.borrow().get(&name) {
            return known.clone();
        }
        self.looks.set(self.looks.get() + 1);
        if self.looks.get() > MAX_LOOKS {
            return self.all.get_or_init(|| Turned::of(self.index)).of_name(name).to_vec();
        }
        let files = self.index.mentioning(name);
        self.found.borrow_mut().insert(name, files.clone());
        files
    }

    pub fn is_in(&self, file: u32, name: GName) -> bool {
        match self.all.get() {
            Some(all) => all.of_name(name).binary_search(&file).is_ok(),
            None => self.index.mentions(file).contains(&name),
        }
    }
}

/// All names at once.
struct Turned {
    starts: Vec<u32>,
    files: Vec<u32>,
}

impl Turned {
    fn of(index: &Index) -> Self {
        let count = index.file_count();
        let mut starts = vec![0_u32; index.name_count() + 1];
        for file in 0..count {
            index.mentions(file).iter().for_each(|name| starts[name.0 as usize + 1] += 1);
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut files = vec![0; starts.last().map_or(0, |&end| end as usize)];
        for file in 0..count {
            for name in index.mentions(file) {
                let at = &mut next[name.0 as usize];
                files[*at as usize] = file;
                *at += 1;
            }
        }
        Self { starts, files }
    }

    fn of_name(&self, name: GName) -> &[u32] {
        let at = name.0 as usize;
        &self.files[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}
