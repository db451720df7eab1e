//! Every file's facts side by side, with the tables that find a definition by place and name.

use std::sync::OnceLock;

use crate::facts::{Binding, Def, DefIx, DefKind, FileFacts, How, Insides, Name, Scope};
use crate::manifest::Manifest;
use crate::resolve::index::{Index, level};
use crate::stored;

/// A definition anywhere in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct GDef(pub u32);

/// A name anywhere in the program; equal text has equal names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct GName(pub u32);

/// Something that holds named items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Place {
    File(u32),
    Def(GDef),
    /// A folder that is a package, by position in its language's list.
    Package(u32),
}

/// Where the insides of a file are.
pub(crate) enum Source<'f> {
    Open(&'f Insides),
    /// Unpacked when they are first read.
    Packed(&'f [u8], OnceLock<Insides>),
}

pub(crate) struct Program<'f> {
    /// In the order of their paths. Their insides are not read here but through `inside`.
    pub files: Vec<&'f FileFacts>,
    insides: Vec<Source<'f>>,
    pub manifests: &'f [Manifest],
    pub index: &'f Index,
}

impl<'f> Program<'f> {
    /// `files` must be sorted by path, and the index must be of exactly these files.
    pub fn new(
        files: impl Iterator<Item = (&'f FileFacts, Source<'f>)>,
        manifests: &'f [Manifest],
        index: &'f Index,
    ) -> Self {
        let (files, insides) = files.unzip();
        Self { files, insides, manifests, index }
    }

    pub fn inside(&self, file: u32) -> &Insides {
        match &self.insides[file as usize] {
            Source::Open(inside) => inside,
            Source::Packed(bytes, open) => open.get_or_init(|| stored::unpack(bytes)),
        }
    }

    /// What a name holds within a definition, or at the top of a file, in source order.
    pub fn bindings(&self, file: u32, owner: Scope, name: Name) -> impl Iterator<Item = &Binding> {
        let inside: &[Binding] = if owner.is_some() { &self.inside(file).bindings } else { &[] };
        let all: [&[Binding]; 2] = [&self.files[file as usize].bindings, inside];
        all.into_iter().flat_map(move |all| {
            let start = all.partition_point(|b| (b.owner, b.name) < (owner, name));
            all[start..].iter().take_while(move |b| (b.owner, b.name) == (owner, name))
        })
    }

    pub fn global(&self, file: u32, ix: DefIx) -> GDef {
        GDef(self.index.file_of.range(file).start as u32 + ix.0)
    }

    pub fn local(&self, def: GDef) -> (u32, DefIx) {
        let file = self.file_of(def);
        (file, DefIx(def.0 - self.index.file_of.range(file).start as u32))
    }

    pub fn def(&self, def: GDef) -> &'f Def {
        let (file, ix) = self.local(def);
        self.files[file as usize].def(ix)
    }

    pub fn file_of(&self, def: GDef) -> u32 {
        self.index.file_of.values[def.0 as usize]
    }

    pub fn parent(&self, def: GDef) -> Option<GDef> {
        let (file, _) = self.local(def);
        self.def(def).parent.map(|parent| self.global(file, parent))
    }

    pub fn name(&self, file: u32, name: Name) -> GName {
        self.index.mentions(file)[name.0 as usize]
    }

    /// A file's own name for a text, if it is bound at the top of the file.
    pub fn local_name(&self, file: u32, wanted: GName) -> Option<Name> {
        let bound = self.index.top_names.of(file);
        let at = bound.binary_search_by_key(&wanted, |(name, _)| *name).ok()?;
        Some(bound[at].1)
    }

    /// Names that are given values at the top of a file.
    pub fn top_names(&self, file: u32) -> impl Iterator<Item = GName> {
        self.index.top_names.of(file).iter().map(|(name, _)| *name)
    }

    pub fn def_name(&self, def: GDef) -> GName {
        self.name(self.file_of(def), self.def(def).name)
    }

    pub fn text(&self, name: GName) -> &'f str {
        self.index.text(name)
    }

    /// The program-wide name of a text, if any file uses it.
    pub fn find_name(&self, text: &str) -> Option<GName> {
        self.index.find_name(text)
    }

    pub fn file(&self, path: &str) -> Option<u32> {
        self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok().map(|at| at as u32)
    }

    pub fn place(&self, file: u32, scope: Scope) -> Place {
        scope.map_or(Place::File(file), |ix| Place::Def(self.global(file, ix)))
    }

    /// The file of a place, and where in the file it is.
    fn within(&self, place: Place) -> Option<(u32, u32)> {
        match place {
            Place::File(file) => Some((file, 0)),
            Place::Def(def) => {
                let (file, ix) = self.local(def);
                Some((file, level(Some(ix))))
            }
            Place::Package(_) => None,
        }
    }

    /// Definitions with this name directly in a place, in source order.
    pub fn items(&self, place: Place, name: GName) -> &'f [GDef] {
        self.within(place).map_or(&[], |(file, level)| self.index.items.get(file, (level, name)))
    }

    /// Whether a function defines or imports something of a name, which hides what stands around the function.
    pub fn is_named_in(&self, file: u32, function: DefIx, name: Name) -> bool {
        let (place, name) = (Place::Def(self.global(file, function)), self.name(file, name));
        let is_value = |def: &GDef| {
            let def = self.def(*def);
            def.how == How::Free && (def.kind.is_callable() || def.kind == DefKind::Class)
        };
        self.items(place, name).iter().any(is_value) || !self.imports(place, name).is_empty()
    }

    pub fn children(&self, place: Place) -> &'f [GDef] {
        self.within(place).map_or(&[], |(file, level)| self.index.children.get(file, level))
    }

    /// Imports that bind this name in a place, as (file, position).
    pub fn imports(&self, place: Place, name: GName) -> &'f [(u32, u32)] {
        self.within(place).map_or(&[], |(file, level)| self.index.imports.get(file, (level, name)))
    }

    /// Imports of everything in a place.
    pub fn globs(&self, place: Place) -> &'f [(u32, u32)] {
        self.within(place).map_or(&[], |(file, level)| self.index.globs.get(file, level))
    }

    /// Every method with this name, in any file.
    pub fn methods(&self, name: GName) -> &'f [GDef] {
        self.index.methods(name)
    }
}
