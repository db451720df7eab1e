//! Under which names others find what an edit changed.
//!
//! Whatever a file finds in another it finds by a name: of a definition, a field, an import. So when a thing
//! changes, only files that mention its name can see it; `spread` follows the names.

use rustc_hash::FxHashMap;

use crate::facts::{Def, DefIx, DefKind, FileFacts, ImportAll, Scope, TypeExpr};
use crate::interface::{self, Item, What, last_name};
use crate::languages;
use crate::manifest::folder;
use crate::stored::Stored;

/// A name that leads to something else than before.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Changed {
    pub name: String,
    pub seen: Seen,
    pub depth: Depth,
}

/// From where a name can be looked up.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Seen {
    /// From anywhere in the same family of languages.
    Everywhere,
    /// By files that import the one it is in.
    ByImporters,
    /// In its own file.
    Here,
    /// It is no name: routes, or what they hang on, are others than before.
    Routes,
    /// By whoever comes by the thing of this name, which stands around it.
    Through(String, Outer),
    /// From anywhere in the family if a trait of this name is ours: then it may be found on any type.
    IfOurs(String),
    /// By calls of which nothing but the name is known. What such a call gives is not known either.
    Guessed,
}

/// From where the thing around a member can be looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outer {
    Everywhere,
    ByImporters,
}

/// How much of what a name leads to is another thing than before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Depth {
    /// The same thing, of which something else is said.
    Details,
    /// The thing itself.
    Whole,
    /// It is the name of a module that came or went.
    Module,
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
        let alone = Alone::of(facts, items, others);
        for item in items {
            let depth = match (others.get(&item.key), item.what) {
                (Some(digest), _) if *digest == item.digest => continue,
                (Some(_), What::Def(_) | What::Field(..)) => Depth::Details,
                _ => Depth::Whole,
            };
            match alone.is_inside(item.what) {
                true => changed.extend(guessed_name(facts, item.what)),
                false => changed.extend(names_of(facts, item.what, depth)?),
            }
        }
    }
    changed.sort();
    changed.dedup();
    Some(changed)
}

/// Functions and classes that are only in one of two states of a file.
struct Alone<'f> {
    facts: &'f FileFacts,
    /// By definition.
    is_alone: Vec<bool>,
}

impl<'f> Alone<'f> {
    fn of(facts: &'f FileFacts, items: &[Item], others: &FxHashMap<u64, [u8; 32]>) -> Self {
        let mut is_alone = vec![false; facts.defs.len()];
        let by_name = matches!(languages::family(&facts.language), "python" | "script");
        for item in items.iter().filter(|item| by_name && !others.contains_key(&item.key)) {
            if let What::Def(ix) = item.what {
                let kind = facts.def(ix).kind;
                is_alone[ix.0 as usize] = kind.is_callable() || kind == DefKind::Class;
            }
        }
        Self { facts, is_alone }
    }

    /// Whether a thing is inside of one of these. Whoever comes by it comes by what it is inside of, which is followed
    /// as a whole already.
    fn is_inside(&self, what: What) -> bool {
        let mut around = match what {
            What::Def(ix) => self.facts.def(ix).parent,
            What::Field(ix, _) => Some(ix),
            _ => None,
        };
        while let Some(ix) = around {
            if self.is_alone[ix.0 as usize] {
                return true;
            }
            around = self.facts.def(ix).parent;
        }
        false
    }
}

/// A method is found by its name alone too, on values of which nothing is known.
fn guessed_name(facts: &FileFacts, what: What) -> Option<Changed> {
    let What::Def(ix) = what else { return None };
    let def = facts.def(ix);
    let name = || facts.text(def.name).to_owned();
    (def.kind == DefKind::Method).then(|| Changed { name: name(), seen: Seen::Guessed, depth: Depth::Whole })
}

/// The names under which others find, or found, a whole file that came or went; nothing when names do not tell
/// it all. `others` are the files that are there in either case.
pub(crate) fn whole(stored: &Stored, others: &[&FileFacts]) -> Option<Vec<Changed>> {
    let facts = &stored.facts;
    let family = languages::family(&facts.language);
    let mut changed = modules(facts, family, others)?;
    for item in interface::items(facts, &stored.inside())? {
        match item.what {
            What::File => {}
            What::Routes if !facts.has_routes() => {}
            // Whoever finds a module, or what a module imports, names the module.
            What::Def(ix) if family == "rust" && facts.def(ix).kind == DefKind::Module => {}
            What::Import(_) if family == "rust" => {}
            what => changed.extend(names_of(facts, what, Depth::Whole)?),
        }
    }
    changed.sort();
    changed.dedup();
    Some(changed)
}

/// The names by which others import a whole file; nothing when more than names changes with it.
fn modules(facts: &FileFacts, family: &str, others: &[&FileFacts]) -> Option<Vec<Changed>> {
    let module = |name: &str| Changed { name: name.to_owned(), seen: Seen::Everywhere, depth: Depth::Module };
    let stem = facts.path.rsplit('/').next().and_then(|name| name.split('.').next()).unwrap_or("");
    let of_family = || others.iter().filter(|other| other.language == facts.language);
    Some(match family {
        "" | "script" => Vec::new(),
        "python" => {
            // Where packages begin tells what all modules in them are called.
            if stem == "__init__" {
                return None;
            }
            let mut names = vec![Changed { seen: Seen::ByImporters, ..module(stem) }];
            let mut here = folder(&facts.path);
            // A folder becomes a package with its first module.
            while !here.is_empty() && !of_family().any(|other| is_below(&other.path, here)) {
                names.extend(here.rsplit('/').next().map(module));
                here = folder(here);
            }
            names
        }
        "rust" => {
            let is_bodiless = |(at, def): (u32, &Def)| {
                def.kind == DefKind::Module && children(facts, Some(DefIx(at))).next().is_none()
            };
            // Such files say what modules others are.
            let declares = matches!(stem, "mod" | "lib" | "main") || (0..).zip(&facts.defs).any(is_bodiless);
            if declares {
                return None;
            }
            vec![Changed { seen: Seen::ByImporters, ..module(stem) }]
        }
        "go" | "java" => {
            let is_beside = |other: &&&FileFacts| {
                other.package == facts.package && folder(&other.path) == folder(&facts.path)
            };
            of_family().find(is_beside).map(|_| Vec::new())?
        }
        _ => return None,
    })
}

/// Whether a path lies in a folder.
pub(crate) fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// The names by which others find a thing; nothing when they find it otherwise.
pub(crate) fn names_of(facts: &FileFacts, what: What, depth: Depth) -> Option<Vec<Changed>> {
    let family = languages::family(&facts.language);
    let top = |name: &str, depth| Changed { name: name.to_owned(), seen: top_seen(family), depth };
    Some(match what {
        What::Routes => vec![Changed { name: String::new(), seen: Seen::Routes, depth }],
        What::File => return None,
        What::Def(ix) => {
            let def = facts.def(ix);
            let name = facts.text(def.name);
            match def.kind {
                DefKind::Module => return None,
                DefKind::Impl => impl_names(facts, ix, depth)?,
                // What a function defines for itself is found in it, and what it gives to others is said of the function.
                _ if family == "python" && def.parent.is_some_and(|ix| facts.def(ix).kind.is_callable()) => {
                    vec![Changed { name: name.to_owned(), seen: Seen::Here, depth }]
                }
                _ if def.parent.is_some() => member_names(facts, family, Member { of: ix, name }, depth)?,
                // A macro is mentioned with its mark.
                DefKind::Function if family == "rust" => {
                    let mark = Changed { seen: Seen::Everywhere, ..top(&format!("{name}!"), depth) };
                    vec![top(name, depth), mark]
                }
                _ => vec![top(name, depth)],
            }
        }
        What::Field(of, name) => {
            let mut names = member_names(facts, family, Member { of, name: facts.text(name) }, depth)?;
            // Parts without names are found through what they are parts of.
            let is_named =
                matches!(family, "python" | "script") || is_named_field(facts, of, facts.text(name));
            if !is_named && facts.def(of).kind != DefKind::Class {
                names.push(everywhere(facts.text(facts.def(of).name)));
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
                (true, ImportAll::No) if family == "script" => {
                    vec![Changed { name: facts.text(import.bind).to_owned(), seen: Seen::Here, depth }]
                }
                (true, _) => Vec::new(),
                (false, ImportAll::Yes) => return None,
                (false, ImportAll::No) => vec![top(facts.text(import.bind), depth)],
            }
        }
        What::Export(name) | What::Binding(name) => vec![top(facts.text(name), depth)],
    })
}

/// What a file of some families holds is only reached by naming the file, as a module or in an import.
fn top_seen(family: &str) -> Seen {
    if matches!(family, "python" | "script" | "rust") { Seen::ByImporters } else { Seen::Everywhere }
}

fn everywhere(name: &str) -> Changed {
    Changed { name: name.to_owned(), seen: Seen::Everywhere, depth: Depth::Details }
}

/// Something that belongs to a definition: another one, or a field of it.
struct Member<'f> {
    /// The member itself, or what the field is of.
    of: DefIx,
    name: &'f str,
}

/// A member is found by its name through the type it belongs to; one that the language calls by itself is found
/// through the type alone.
fn member_names(facts: &FileFacts, family: &str, member: Member<'_>, depth: Depth) -> Option<Vec<Changed>> {
    let name = member.name;
    let def = facts.def(member.of);
    let is_method = def.kind == DefKind::Method && facts.text(def.name) == name;
    let through = |outer: &str, from: Outer| {
        let seen = Seen::Through(outer.to_owned(), from);
        let mut names = vec![Changed { name: name.to_owned(), seen, depth }];
        if is_method && depth == Depth::Whole {
            names.push(Changed { name: name.to_owned(), seen: Seen::Guessed, depth });
        }
        names
    };
    match family {
        "python" | "script" => {
            let outermost = facts.text(facts.def(outermost(facts, member.of)).name);
            let is_called_by_name = match family {
                "python" => !(name.starts_with("__") && name.ends_with("__")),
                _ => name != "constructor",
            };
            let mut names = through(outermost, Outer::ByImporters);
            if !is_called_by_name {
                names.push(Changed {
                    name: outermost.to_owned(),
                    seen: Seen::ByImporters,
                    depth: Depth::Details,
                });
            }
            return Some(names);
        }
        "rust" if is_named_field(facts, member.of, name) => {
            return Some(through(facts.text(def.name), Outer::ByImporters));
        }
        "rust" if is_method => {
            let outer = def.parent.map(|outer| facts.def(outer));
            match outer.map(|outer| (outer.kind, outer)) {
                Some((DefKind::Impl, outer)) => {
                    if let Some(own) = outer.of.and_then(|of| last_name(facts, of)) {
                        let is_here = |def: &Def| {
                            def.parent.is_none() && def.kind.is_type() && facts.text(def.name) == own
                        };
                        let from = match facts.defs.iter().any(is_here) && def_is_at_top(facts, outer) {
                            true => Outer::ByImporters,
                            false => Outer::Everywhere,
                        };
                        let mut names = through(own, from);
                        for of_trait in outer.bases.iter().filter_map(|&base| last_name(facts, base)) {
                            let seen = Seen::IfOurs(of_trait.to_owned());
                            names.push(Changed { name: name.to_owned(), seen, depth });
                        }
                        return Some(names);
                    }
                }
                Some((DefKind::Trait, outer)) => {
                    return Some(through(facts.text(outer.name), Outer::ByImporters));
                }
                _ => {}
            }
        }
        _ => {}
    }
    let mut names = vec![everywhere(name)];
    let mut around = if family == "go" { None } else { Some(member.of) };
    while let Some(ix) = around {
        let def = facts.def(ix);
        match def.kind {
            DefKind::Impl => names.extend(impl_names(facts, ix, Depth::Details)?),
            _ => names.push(everywhere(facts.text(def.name))),
        }
        around = def.parent;
    }
    Some(names)
}

/// The definition at the top of a file that holds another, or is it.
fn outermost(facts: &FileFacts, ix: DefIx) -> DefIx {
    let mut at = ix;
    while let Some(outer) = facts.def(at).parent {
        at = outer;
    }
    at
}

fn def_is_at_top(facts: &FileFacts, def: &Def) -> bool {
    def.of.is_some_and(|of| matches!(facts.types.get(of.0 as usize), Some(TypeExpr::Path { segments, .. }) if segments.len() == 1))
        && def.parent.is_none()
}

/// Whether a name is that of a field of a struct, by which alone it is found.
fn is_named_field(facts: &FileFacts, of: DefIx, name: &str) -> bool {
    let def = facts.def(of);
    facts.language == "rust"
        && def.kind == DefKind::Struct
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && def.fields.iter().any(|field| facts.text(field.name) == name)
}

/// Members added to a type are found through the type and through the trait.
fn impl_names(facts: &FileFacts, ix: DefIx, depth: Depth) -> Option<Vec<Changed>> {
    let def = facts.def(ix);
    // What is added to nothing is found by nobody.
    let Some(of) = def.of else { return Some(Vec::new()) };
    if facts.language == "rust" && depth == Depth::Whole && def.bases.is_empty() {
        // Its members are told one by one.
        return Some(Vec::new());
    }
    let own = last_name(facts, of)?;
    let is_param = |def: &Def| def.type_params.iter().any(|param| facts.text(param.name) == own);
    let bases = def.bases.iter().filter_map(|&base| last_name(facts, base));
    if facts.language == "rust" && !is_param(def) && !def.bases.is_empty() {
        // A trait that is not ours adds nothing but the members that are written.
        let seen = bases.map(|base| Seen::IfOurs(base.to_owned()));
        return Some(
            seen.map(|seen| Changed { name: own.to_owned(), seen, depth: Depth::Details }).collect(),
        );
    }
    let mut names: Vec<Changed> = bases.map(everywhere).collect();
    if !is_param(def) {
        names.push(everywhere(own));
    } else if facts.language == "rust" {
        // What is added to every type that has some trait is found by its name on any type.
        names.extend(children(facts, Some(ix)).map(|child| everywhere(facts.text(child.name))));
    } else {
        return None;
    }
    Some(names)
}

fn children(facts: &FileFacts, of: Scope) -> impl Iterator<Item = &Def> {
    facts.defs.iter().filter(move |def| def.parent == of)
}
