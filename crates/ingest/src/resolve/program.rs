//! Every file's facts side by side, with the tables that find a definition in constant time.

use rustc_hash::FxHashMap;

use crate::facts::{Def, DefIx, DefKind, FileFacts, Name, Scope};
use crate::manifest::Manifest;

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

pub(crate) struct Program<'f> {
    /// In the order of their paths.
    pub files: Vec<&'f FileFacts>,
    pub manifests: &'f [Manifest],
    first_def: Vec<u32>,
    file_of: Vec<u32>,
    names: Vec<&'f str>,
    known_names: FxHashMap<&'f str, GName>,
    local_names: Vec<Vec<GName>>,
    to_local: Vec<FxHashMap<GName, Name>>,
    by_path: FxHashMap<&'f str, u32>,
    items: FxHashMap<(Place, GName), Vec<GDef>>,
    children: FxHashMap<Place, Vec<GDef>>,
    methods: FxHashMap<GName, Vec<GDef>>,
    imports: FxHashMap<(Place, GName), Vec<(u32, u32)>>,
    globs: FxHashMap<Place, Vec<(u32, u32)>>,
}

impl<'f> Program<'f> {
    pub fn new(mut files: Vec<&'f FileFacts>, manifests: &'f [Manifest]) -> Self {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let mut program = Self {
            by_path: files.iter().enumerate().map(|(at, f)| (f.path.as_str(), at as u32)).collect(),
            files,
            manifests,
            first_def: Vec::new(),
            file_of: Vec::new(),
            names: Vec::new(),
            known_names: FxHashMap::default(),
            local_names: Vec::new(),
            to_local: Vec::new(),
            items: FxHashMap::default(),
            children: FxHashMap::default(),
            methods: FxHashMap::default(),
            imports: FxHashMap::default(),
            globs: FxHashMap::default(),
        };
        for at in 0..program.files.len() as u32 {
            program.add_names(at);
        }
        for at in 0..program.files.len() as u32 {
            program.add_items(at);
        }
        program
    }

    fn add_names(&mut self, file: u32) {
        let facts = self.files[file as usize];
        let local: Vec<GName> = facts.names.iter().map(|text| self.intern(text)).collect();
        // Only names bound at the top of a file are ever asked for from outside.
        let top = facts.bindings.iter().take_while(|binding| binding.owner.is_none());
        self.to_local.push(top.map(|b| (local[b.name.0 as usize], b.name)).collect());
        self.local_names.push(local);
        self.first_def.push(self.file_of.len() as u32);
        self.file_of.extend(std::iter::repeat_n(file, facts.defs.len()));
    }

    fn intern(&mut self, text: &'f str) -> GName {
        let next = GName(self.names.len() as u32);
        let names = &mut self.names;
        *self.known_names.entry(text).or_insert_with(|| {
            names.push(text);
            next
        })
    }

    fn add_items(&mut self, file: u32) {
        let facts = self.files[file as usize];
        for (at, def) in facts.defs.iter().enumerate() {
            let global = self.global(file, DefIx(at as u32));
            let name = self.name(file, def.name);
            let place = self.place(file, def.parent);
            self.items.entry((place, name)).or_default().push(global);
            self.children.entry(place).or_default().push(global);
            if def.kind == DefKind::Method {
                self.methods.entry(name).or_default().push(global);
            }
        }
        for (at, import) in facts.imports.iter().enumerate() {
            let place = self.place(file, import.scope);
            let entry = (file, at as u32);
            if import.all == crate::facts::ImportAll::Yes {
                self.globs.entry(place).or_default().push(entry);
            } else {
                let name = self.name(file, import.bind);
                self.imports.entry((place, name)).or_default().push(entry);
            }
        }
    }

    pub fn global(&self, file: u32, ix: DefIx) -> GDef {
        GDef(self.first_def[file as usize] + ix.0)
    }

    pub fn local(&self, def: GDef) -> (u32, DefIx) {
        let file = self.file_of[def.0 as usize];
        (file, DefIx(def.0 - self.first_def[file as usize]))
    }

    pub fn def(&self, def: GDef) -> &'f Def {
        let (file, ix) = self.local(def);
        self.files[file as usize].def(ix)
    }

    pub fn file_of(&self, def: GDef) -> u32 {
        self.file_of[def.0 as usize]
    }

    pub fn parent(&self, def: GDef) -> Option<GDef> {
        let (file, _) = self.local(def);
        self.def(def).parent.map(|parent| self.global(file, parent))
    }

    pub fn name(&self, file: u32, name: Name) -> GName {
        self.local_names[file as usize][name.0 as usize]
    }

    /// A file's own name for a text.
    pub fn local_name(&self, file: u32, text: &str) -> Option<Name> {
        let wanted = self.find_name(text)?;
        self.to_local[file as usize].get(&wanted).copied()
    }

    pub fn def_name(&self, def: GDef) -> GName {
        self.name(self.file_of(def), self.def(def).name)
    }

    pub fn text(&self, name: GName) -> &'f str {
        self.names[name.0 as usize]
    }

    /// The program-wide name of a text, if any file uses it.
    pub fn find_name(&self, text: &str) -> Option<GName> {
        self.known_names.get(text).copied()
    }

    pub fn file(&self, path: &str) -> Option<u32> {
        self.by_path.get(path).copied()
    }

    pub fn place(&self, file: u32, scope: Scope) -> Place {
        scope.map_or(Place::File(file), |ix| Place::Def(self.global(file, ix)))
    }

    /// Definitions with this name directly in a place, in source order.
    pub fn items(&self, place: Place, name: GName) -> &[GDef] {
        self.items.get(&(place, name)).map_or(&[], Vec::as_slice)
    }

    pub fn children(&self, place: Place) -> &[GDef] {
        self.children.get(&place).map_or(&[], Vec::as_slice)
    }

    /// Imports that bind this name in a place, as (file, position).
    pub fn imports(&self, place: Place, name: GName) -> &[(u32, u32)] {
        self.imports.get(&(place, name)).map_or(&[], Vec::as_slice)
    }

    /// Imports of everything in a place.
    pub fn globs(&self, place: Place) -> &[(u32, u32)] {
        self.globs.get(&place).map_or(&[], Vec::as_slice)
    }

    /// Every method with this name, in any file.
    pub fn methods(&self, name: GName) -> &[GDef] {
        self.methods.get(&name).map_or(&[], Vec::as_slice)
    }
}
