//! Which of several definitions of one name is meant: those of the copy of a project that says the name come first.

use m1nd_graph::near;

use crate::resolve::program::{GDef, Program};

impl<'f> Program<'f> {
    pub fn path_of(&self, def: GDef) -> &'f str {
        &self.files[self.file_of(def) as usize].path
    }

    /// The definitions that stand nearest to a file.
    pub fn nearest(&self, from: u32, found: &[GDef]) -> Vec<GDef> {
        let from = &self.files[from as usize].path;
        near::nearest(from, found, |def| self.path_of(def))
    }

    /// The one definition that stands nearest to a file; nothing when several do.
    pub fn only_nearest(&self, from: u32, found: &[GDef]) -> Option<GDef> {
        match self.nearest(from, found)[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Without what is the copy of something nearer: a definition of the same name in a file of the same name.
    /// What is left are parts of one thing, overloads, or things of several owners.
    pub fn without_copies(&self, from: u32, found: Vec<GDef>) -> Vec<GDef> {
        let from = &self.files[from as usize].path;
        let is_same = |one: GDef, other: GDef| self.owners(one).eq(self.owners(other));
        near::without_copies(from, found, |def| self.path_of(def), is_same)
    }

    /// The names of a definition and of those around it.
    fn owners(&self, def: GDef) -> impl Iterator<Item = &'f str> {
        let facts = self.files[self.file_of(def) as usize];
        let around = std::iter::successors(Some(self.local(def).1), |ix| facts.def(*ix).parent);
        around.map(|ix| facts.text(facts.def(ix).name))
    }
}
