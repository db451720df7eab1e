//! The names of a program, by which its files find each other.

use rustc_hash::{FxHashMap, FxHashSet};

use super::rules::{SimpleRules, join};
use super::{Grammar, Unit, extensions, named, seen};
use crate::facts::{DefIx, DefKind, Scope, TypeExpr};
use crate::manifest::root;
use crate::resolve::program::Program;

impl SimpleRules {
    pub(super) fn of(grammar: &'static Grammar, program: &Program<'_>) -> Self {
        let mut rules = Self {
            grammar,
            names: FxHashMap::default(),
            copied: FxHashSet::default(),
            types: FxHashSet::default(),
            functions: FxHashSet::default(),
            extensions: FxHashMap::default(),
            scopes: FxHashMap::default(),
            loaded: FxHashMap::default(),
            roots: Vec::new(),
        };
        let roots: FxHashSet<&str> = program.files.iter().map(|file| root(&file.path)).collect();
        for (at, file) in program.files.iter().enumerate().filter(|(_, file)| file.language == grammar.name) {
            let at = at as u32;
            for scope in std::iter::once(None).chain((0..file.defs.len()).map(|ix| Some(DefIx(ix as u32)))) {
                let name = scope_name(grammar, program, at, scope);
                rules.scopes.insert((at, scope), name);
            }
            for (ix, def) in file.defs.iter().enumerate() {
                let global = program.global(at, DefIx(ix as u32));
                // What a function defines inside is seen only there.
                let is_inner = def.kind.is_callable()
                    && def.parent.is_some_and(|parent| file.def(parent).kind.is_callable());
                // Nor does anybody call a test by its name, which may be that of what it tests.
                let is_test = def.kind == DefKind::Function && def.is_test_case();
                if def.kind == DefKind::Impl || is_inner || is_test || !def.has_name() {
                    continue;
                }
                let full = join(rules.scope_name(at, def.parent), file.text(def.name));
                rules.names.entry(full).or_default().push(global);
                let outer = def.parent.map(|parent| file.def(parent).kind);
                let is_extension = outer == Some(DefKind::Impl) || extensions::takes_this(def);
                if grammar.extensions && def.kind == DefKind::Method && is_extension {
                    rules.extensions.entry(program.name(at, def.name)).or_default().push(global);
                }
                if def.kind == DefKind::Function {
                    rules.functions.insert(program.name(at, def.name));
                }
                if def.kind.is_type() || def.kind == DefKind::Module {
                    // `defmodule A.B` is asked for as `B`.
                    let own = file.text(def.name).rsplit('.').next().and_then(|own| program.find_name(own));
                    rules.types.insert(own.unwrap_or(program.name(at, def.name)));
                }
            }
            if let Some(find) = grammar.find {
                for (import, entry) in file.imports.iter().enumerate() {
                    let asked = entry.path.first().map_or("", |&part| file.text(part));
                    let is_file = |path: &str| program.file(path).is_some();
                    let elsewhere = || {
                        // A library may stand in a root of its own.
                        let others = seen::other_roots(&roots, &file.path).into_iter();
                        let is_library = grammar.unit == Unit::Program && !asked.starts_with('.');
                        let mut found = others
                            .filter(|_| is_library)
                            .filter_map(|other| find(&join_path(other, &file.path), asked, &is_file));
                        found.next().filter(|_| found.next().is_none())
                    };
                    let path = find(&file.path, asked, &is_file).or_else(elsewhere);
                    if let Some(found) = path.and_then(|path| program.file(&path)) {
                        rules.loaded.insert((at, import as u32), found);
                        let (here, there) = (root(&file.path), root(&program.files[found as usize].path));
                        if here != there {
                            rules.roots.push((here.to_owned(), there.to_owned()));
                        }
                    }
                }
            }
        }
        rules.roots.sort_unstable();
        rules.roots.dedup();
        rules.copied = named::copied(program, &rules.names);
        rules
    }
}

/// The full name of a scope. Where files load each other, a file's names are its own.
fn scope_name(grammar: &Grammar, program: &Program<'_>, file: u32, scope: Scope) -> String {
    let facts = program.files[file as usize];
    let mut parts: Vec<&str> = Vec::new();
    let mut around = scope;
    while let Some(ix) = around {
        let def = facts.def(ix);
        match def.kind {
            DefKind::Impl => {
                if let Some(TypeExpr::Path { segments, .. }) = def.of.map(|of| &facts.types[of.0 as usize]) {
                    parts.extend(segments.iter().rev().map(|&part| facts.text(part)));
                }
            }
            DefKind::Function | DefKind::Method => {}
            _ => parts.push(facts.text(def.name)),
        }
        around = def.parent;
    }
    parts.retain(|part| !part.is_empty());
    match grammar.unit {
        Unit::File => parts.push(&facts.path),
        _ if !facts.package.is_empty() => parts.push(&facts.package),
        _ => {}
    }
    parts.reverse();
    parts.join(".")
}

/// The name of a file as if it stood at the top of a root.
fn join_path(root: &str, path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    if root.is_empty() { name.to_owned() } else { format!("{root}/{name}") }
}
