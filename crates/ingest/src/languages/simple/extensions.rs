//! Functions that are written for a type from outside of it, and seen by their package or by import.

use std::sync::Arc;

use super::common;
use super::rules::SimpleRules;
use crate::facts::{Def, DefIx, DefKind, How, TypeExpr, TypeIx};
use crate::resolve::eval::Eval;
use crate::resolve::program::{GDef, GName, Place, Program};
use crate::resolve::rules::Access;
use crate::resolve::ty::{Args, OTHER, Ty};

/// What a method is called on, with the file that calls it.
pub(super) const RECEIVER: &str = "Receiver";

pub(super) fn receiver(of: Vec<Ty>, file: u32) -> Ty {
    match of.into_iter().next() {
        Some(of) => Ty::std(RECEIVER, [of, Ty::Place(Place::File(file))]),
        None => Ty::Unknown,
    }
}

impl SimpleRules {
    /// A member of the receiver, or else a function written for it that its caller sees.
    pub(super) fn called_on(&self, eval: &mut Eval<'_, '_>, seen: &Args, name: GName, access: Access) -> Ty {
        let [of, Ty::Place(Place::File(file))] = &seen[..] else { return Ty::Unknown };
        let found = eval.member(*file, of, name, access);
        if access == Access::Read || !matches!(found, Ty::Unknown | Ty::External) {
            return found;
        }
        let mut visible = self.visible(eval.program, *file, name);
        visible.retain(|&def| self.fits(eval, of, def));
        if visible.is_empty() {
            return found;
        }
        let receiver = Arc::new(of.clone());
        let mut found: Vec<Ty> =
            visible.into_iter().map(|def| Ty::Fn(def, Some(Arc::clone(&receiver)))).collect();
        // What is not known of the receiver may have a method of that name, which comes before.
        if matches!(of, Ty::Unknown | Ty::External) {
            found.push(Ty::std(OTHER, []));
        }
        Ty::union(found)
    }

    /// A call without a receiver may be on the object around it.
    pub(super) fn called_on_this(&self, eval: &Eval<'_, '_>, file: u32, name: GName) -> Option<Ty> {
        let program = eval.program;
        let mut visible = self.visible(program, file, name);
        visible.retain(|&def| !takes_this(program.def(def)));
        let found = Ty::union(visible.into_iter().map(|def| Ty::Fn(def, None)).collect());
        (!found.is_unknown()).then_some(found)
    }

    /// The functions that one import may mean.
    pub(super) fn imported_extensions(&self, program: &Program<'_>, file: u32, at: usize) -> Vec<GDef> {
        let facts = program.files[file as usize];
        let path: Vec<&str> = facts.imports[at].path.iter().map(|&part| facts.text(part)).collect();
        let Some((own, package)) = path.split_last() else { return Vec::new() };
        let named = program.find_name(own).and_then(|own| self.extensions.get(&own));
        let package = package.join(".");
        // One written in a companion is imported from it, named or not.
        let is_of = |def: &GDef| {
            let outer = program.parent(*def).and_then(|outer| program.def(outer).parent);
            let holder = self.scope_name(program.file_of(*def), outer);
            package == holder || package.strip_suffix(".Companion") == Some(holder)
        };
        program.without_copies(file, named.into_iter().flatten().copied().filter(is_of).collect())
    }

    /// Imported by name; or else of the same package, or of one that is imported as a whole.
    fn visible(&self, program: &Program<'_>, file: u32, name: GName) -> Vec<GDef> {
        for &(_, at) in program.imports(Place::File(file), name) {
            let imported = self.imported_extensions(program, file, at as usize);
            if !imported.is_empty() {
                return imported;
            }
        }
        // A name that every library has says too little without an import.
        if common::is_common(program.text(name)) {
            return Vec::new();
        }
        let facts = program.files[file as usize];
        let wholes = program.globs(Place::File(file)).iter().map(|&(_, at)| {
            let path = &facts.imports[at as usize].path;
            path.iter().map(|&part| facts.text(part)).collect::<Vec<_>>().join(".")
        });
        // A file may hold several namespaces.
        let inner = (0..).map(DefIx).zip(&facts.defs).filter(|(_, def)| def.kind == DefKind::Module);
        let inner = inner.map(|(ix, _)| self.scope_name(file, Some(ix)).to_owned());
        let packages: Vec<String> =
            std::iter::once(facts.package.clone()).chain(inner).chain(wholes).collect();
        let is_seen = |def: &GDef| {
            program.file_of(*def) == file
                || packages.iter().any(|package| self.is_of_package(program, *def, package))
        };
        let named = self.extensions.get(&name).into_iter().flatten().copied();
        program.without_copies(file, named.filter(is_seen).collect())
    }

    /// Whether a function stands at the top of a file of the package, or in a class of it.
    fn is_of_package(&self, program: &Program<'_>, def: GDef, package: &str) -> bool {
        if takes_this(program.def(def)) {
            let outer = program.parent(def).and_then(|class| program.def(class).parent);
            let holder = self.scope_name(program.file_of(def), outer);
            let is_around = package.strip_prefix(holder).is_some_and(|rest| rest.starts_with('.'));
            return holder.is_empty() || package == holder || is_around;
        }
        let is_top = program.parent(def).is_some_and(|outer| program.def(outer).parent.is_none());
        is_top && program.files[program.file_of(def) as usize].package == package
    }

    /// Whether what is known of the receiver allows a function written for that type.
    fn fits(&self, eval: &mut Eval<'_, '_>, of: &Ty, def: GDef) -> bool {
        let program = eval.program;
        let file = program.file_of(def);
        let Some(written) = written_for(program, def) else { return false };
        let facts = program.files[file as usize];
        let own = match &facts.types[written.0 as usize] {
            TypeExpr::Path { segments, .. } => segments.last().map_or("", |&last| facts.text(last)),
            _ => "",
        };
        // What a type has of its own comes before what is written for it.
        if self.grammar.name == "csharp" && is_own(own, program.text(program.def_name(def))) {
            return false;
        }
        // A type parameter stands for any type.
        if matches!(own, "Any" | "object") || own.len() <= 2 {
            return true;
        }
        match (of, eval.ty(file, written)) {
            (Ty::Of(class, _) | Ty::Type(class, _), Ty::Of(wanted, _)) => {
                self.lineage(eval, *class).0.contains(&wanted)
            }
            (Ty::Of(class, _), _) => self.lineage(eval, *class).1,
            // What comes from elsewhere is none of our classes.
            (Ty::External, Ty::Of(..)) => !takes_this(program.def(def)),
            (Ty::Type(..), _) => own == "Companion",
            (Ty::Std("Text", _), _) => matches!(own, "String" | "CharSequence" | "Comparable" | "string"),
            (Ty::Std("Bool", _), _) => matches!(own, "Boolean" | "Comparable" | "bool"),
            (Ty::Std("Number", _), _) => {
                matches!(
                    own,
                    "Int"
                        | "Long"
                        | "Short"
                        | "Byte"
                        | "Float"
                        | "Double"
                        | "Number"
                        | "Comparable"
                        | "int"
                        | "long"
                        | "short"
                        | "byte"
                        | "float"
                        | "double"
                        | "decimal"
                )
            }
            _ => true,
        }
    }
}

/// The type that a function is written for.
fn written_for(program: &Program<'_>, def: GDef) -> Option<TypeIx> {
    let found = program.def(def);
    match takes_this(found) {
        true => found.params.first().and_then(|first| first.ty),
        false => program.parent(def).and_then(|outer| program.def(outer).of),
    }
}

/// Whether a method is called on its first parameter: `static int Twice(this P p)`.
pub(super) fn takes_this(def: &Def) -> bool {
    def.how == How::Static && def.signature.contains("(this ")
}

/// Whether a type of the library of C# has a method of this name itself.
fn is_own(ty: &str, name: &str) -> bool {
    let of_any = matches!(name, "Equals" | "GetHashCode" | "GetType" | "ToString");
    let of_values = matches!(name, "CompareTo" | "GetTypeCode" | "TryFormat");
    let of_text = matches!(
        name,
        "Clone"
            | "Contains"
            | "CopyTo"
            | "EndsWith"
            | "EnumerateRunes"
            | "GetEnumerator"
            | "IndexOf"
            | "IndexOfAny"
            | "Insert"
            | "IsNormalized"
            | "LastIndexOf"
            | "LastIndexOfAny"
            | "Normalize"
            | "PadLeft"
            | "PadRight"
            | "Remove"
            | "Replace"
            | "ReplaceLineEndings"
            | "Split"
            | "StartsWith"
            | "Substring"
            | "ToCharArray"
            | "ToLower"
            | "ToLowerInvariant"
            | "ToUpper"
            | "ToUpperInvariant"
            | "Trim"
            | "TrimEnd"
            | "TrimStart"
    );
    match ty {
        "string" | "String" => of_any || of_values || of_text,
        "bool" | "byte" | "short" | "int" | "long" | "uint" | "ulong" | "float" | "double" | "decimal"
        | "char" => of_any || of_values,
        _ => of_any,
    }
}
