//! Revision: what differs between two states of one file, definition by definition.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use m1nd_graph::NodeKind;
use m1nd_vfs::read::decode;

use crate::facts::{DefIx, FileFacts, TypeExpr, TypeIx};
use crate::languages;

/// Longer parses are given up; such a file is told as a whole.
const PARSE_LIMIT: Duration = Duration::from_secs(2);

/// How a definition differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    Removed,
    /// What callers see.
    Signature,
    Body,
    Added,
}

impl Change {
    pub fn name(self) -> &'static str {
        match self {
            Self::Removed => "removed",
            Self::Signature => "signature",
            Self::Body => "body",
            Self::Added => "added",
        }
    }
}

/// A definition that differs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Changed {
    pub change: Change,
    /// With the names around it, by dots.
    pub name: String,
    pub kind: NodeKind,
    /// Today's first line; the earlier one of something that was removed.
    pub line: u32,
    /// What callers saw before, of something that they see otherwise now.
    pub before: Option<String>,
}

/// The definitions that differ, in the order of lines. Nothing where one of the states is in no language that is read.
pub fn compare(path: &str, before: Option<&[u8]>, now: Option<&[u8]>) -> Option<Vec<Changed>> {
    let before = before.map_or(Some(BTreeMap::new()), |bytes| definitions(path, bytes))?;
    let mut now = now.map_or(Some(BTreeMap::new()), |bytes| definitions(path, bytes))?;
    let mut out = Vec::new();
    for (key, old) in before {
        let (change, line, before) = match now.remove(&key) {
            None => (Change::Removed, old.line, None),
            Some(new) if new.signature != old.signature => (Change::Signature, new.line, Some(old.signature)),
            Some(new) if new.body != old.body => (Change::Body, new.line, None),
            Some(_) => continue,
        };
        out.push(Changed { change, name: key.name, kind: key.kind, line, before });
    }
    out.extend(now.into_iter().map(|(key, new)| {
        let (change, name, kind, line) = (Change::Added, key.name, key.kind, new.line);
        Changed { change, name, kind, line, before: None }
    }));
    out.sort_by(|a, b| (a.line, &a.name).cmp(&(b.line, &b.name)));
    Some(out)
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    name: String,
    kind: NodeKind,
    /// The how manieth of this name, for overloads.
    nth: usize,
}

struct Definition {
    line: u32,
    signature: String,
    body: String,
}

fn definitions(path: &str, bytes: &[u8]) -> Option<BTreeMap<Key, Definition>> {
    let (text, _) = decode(bytes)?;
    let language = languages::of_path(path)?;
    let extract = || (language.extract)(path, text.as_bytes(), PARSE_LIMIT);
    let facts = catch_unwind(AssertUnwindSafe(extract)).ok()?.ok()?;
    let mut out: BTreeMap<Key, Definition> = BTreeMap::new();
    for (at, def) in facts.defs.iter().enumerate() {
        let Some(kind) = def.kind.node_kind() else { continue };
        let mut key = Key { name: name(&facts, at), kind, nth: 0 };
        while out.contains_key(&key) {
            key.nth += 1;
        }
        // What is inside a definition and has a name of its own is told by itself.
        let own = own_text(&facts, at, &text);
        out.insert(
            key,
            Definition { line: def.line_start, signature: plain(&def.signature), body: plain(&own) },
        );
    }
    Some(out)
}

fn name(facts: &FileFacts, at: usize) -> String {
    let mut names = vec![facts.text(facts.defs[at].name)];
    let mut around = facts.defs[at].parent;
    while let Some(DefIx(ix)) = around {
        let def = &facts.defs[ix as usize];
        names.push(match facts.text(def.name) {
            // Members that are added to a type elsewhere belong to that type.
            "" => def.of.map_or("", |of| type_name(facts, of)),
            name => name,
        });
        around = def.parent;
    }
    names.reverse();
    names.retain(|name| !name.is_empty());
    names.join(".")
}

fn type_name(facts: &FileFacts, of: TypeIx) -> &str {
    match facts.types.get(of.0 as usize) {
        Some(TypeExpr::Path { segments, .. }) => segments.last().map_or("", |name| facts.text(*name)),
        Some(TypeExpr::Ref(inner)) => type_name(facts, *inner),
        _ => "",
    }
}

/// The text of a definition without the definitions in it.
fn own_text(facts: &FileFacts, at: usize, text: &str) -> String {
    let def = &facts.defs[at];
    let inside = facts.defs.iter().filter(|other| {
        other.parent == u32::try_from(at).ok().map(DefIx) && other.kind.node_kind().is_some()
    });
    let mut out = String::new();
    let mut from = def.from as usize;
    for inner in inside {
        out.push_str(text.get(from..(inner.from as usize).max(from)).unwrap_or_default());
        from = from.max(inner.to as usize);
    }
    out.push_str(text.get(from..(def.to as usize).max(from)).unwrap_or_default());
    out
}

/// How code is laid out is no difference.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(all(test, feature = "lang-rust"))]
mod tests {
    use super::*;

    #[test]
    fn each_definition_is_told_by_how_it_differs() {
        let before = "struct A { x: u8 }\nimpl A {\n    fn one(&self) -> u8 { self.x }\n    fn two(&self) {}\n}\nfn free(a: u8) -> u8 { a }\nfn same() { let x = 1; }\n";
        let now = "\nstruct A { x: u8 }\nimpl A {\n    fn one(&self, y: u8) -> u8 { self.x + y }\n    fn three(&self) {}\n}\nfn free(a: u8) -> u8 { a + 1 }\nfn same() {\n    let x = 1;\n}\n";
        let found = compare("src/a.rs", Some(before.as_bytes()), Some(now.as_bytes())).unwrap();
        let shown: Vec<String> =
            found.iter().map(|one| format!("{}:{} {}", one.name, one.line, one.change.name())).collect();
        assert_eq!(shown, ["A.one:4 signature", "A.two:4 removed", "A.three:5 added", "free:7 body"]);
        assert_eq!(compare("src/a.rs", None, Some(b"fn x() {}")).unwrap().len(), 1);
        assert_eq!(compare("notes.txt", None, Some(b"fn x() {}")), None);
    }
}
