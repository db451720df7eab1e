//! Revision: what differs between two states of one file, definition by definition.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use m1nd_graph::NodeKind;
use m1nd_vfs::read::decode;

use crate::comments;
use crate::facts::{DefIx, DefKind, FileFacts, TypeExpr, TypeIx};
use crate::languages;
use crate::layout::unwrapped;
use crate::said::Said;

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
    /// Of a callable that is there on both sides and differs: how it was and is declared, uncut.
    pub heads: Option<Box<[Head; 2]>>,
    /// Whether only what it stands in can say its name: a function of a function.
    pub is_local: bool,
    /// Variants and fields that a type had and has no more.
    pub lost: Vec<Member>,
}

/// Something of a type that is no definition of its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Member {
    Variant(String),
    Field(String),
}

/// How a callable is declared.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Head {
    /// All of it up to its body, on one line.
    pub signature: String,
    /// Its decorators, annotations and attributes, a line each.
    pub marks: String,
    /// Whether it runs when it is read like a field.
    pub is_property: bool,
}

impl Changed {
    /// Of a method that became a property, or a property that became a method: whether it is one now.
    pub fn turned_property(&self) -> Option<bool> {
        let [was, is] = self.heads.as_deref()?;
        (was.is_property != is.is_property).then_some(is.is_property)
    }
}

/// A state of a file, with what it says where that was read already.
#[derive(Clone, Copy, Debug)]
pub struct State<'s> {
    pub bytes: &'s [u8],
    pub said: Option<&'s Said>,
}

impl<'s> From<&'s [u8]> for State<'s> {
    fn from(bytes: &'s [u8]) -> Self {
        Self { bytes, said: None }
    }
}

/// The definitions that differ, in the order of lines. Nothing where one of the states is in no language that is read.
pub fn compare(path: &str, before: Option<State<'_>>, now: Option<State<'_>>) -> Option<Vec<Changed>> {
    // Where one of them cannot be read, nobody should wait for the other.
    if [before, now].iter().flatten().any(|state| state.said.is_some_and(Said::is_unreadable)) {
        return None;
    }
    let before = before.map_or(Some(BTreeMap::new()), |state| definitions(path, state))?;
    let now = now.map_or(Some(BTreeMap::new()), |state| definitions(path, state))?;
    let mut now = paired(&before, now);
    let family = languages::of_path(path).map_or("", |language| language.family);
    // How code is laid out is no difference; most of it is the same to the letter.
    let differ = |old: &str, new: &str| old != new && unwrapped(old, family) != unwrapped(new, family);
    let mut out = Vec::new();
    for (key, old) in before {
        let is_local = old.is_local;
        let new = now.remove(&key);
        let (change, line, before) = match &new {
            None => (Change::Removed, old.line, None),
            Some(new) if differ(&old.head.signature, &new.head.signature) => {
                (Change::Signature, new.line, Some(plain(&old.signature)))
            }
            Some(new) if differ(&old.body, &new.body) => (Change::Body, new.line, None),
            Some(_) => continue,
        };
        let members = new.as_ref().map(|new| new.members.clone());
        let is_lost = |one: &Member| members.as_ref().is_some_and(|now| !now.contains(one));
        let lost = old.members.into_iter().filter(is_lost).collect();
        let heads = new.filter(|_| key.kind.is_callable()).map(|new| Box::new([old.head, new.head]));
        out.push(Changed { change, name: key.name, kind: key.kind, line, before, heads, is_local, lost });
    }
    out.extend(now.into_iter().map(|(key, new)| {
        let (change, name, kind, line) = (Change::Added, key.name, key.kind, new.line);
        let (is_local, lost) = (new.is_local, Vec::new());
        Changed { change, name, kind, line, before: None, heads: None, is_local, lost }
    }));
    out.sort_by(|a, b| (a.line, &a.name).cmp(&(b.line, &b.name)));
    Some(out)
}

/// Today's definitions under the keys of those that they were. Of several with one name those are the same that are
/// declared alike, wherever they stand; only what is left goes by its place.
fn paired(before: &BTreeMap<Key, Definition>, now: BTreeMap<Key, Definition>) -> BTreeMap<Key, Definition> {
    let is_first = |key: &Key| key.nth == 0;
    let has_several = |all: &BTreeMap<Key, Definition>| all.keys().any(|key| !is_first(key));
    if !has_several(before) && !has_several(&now) {
        return now;
    }
    let mut out: BTreeMap<Key, Definition> = BTreeMap::new();
    let mut left: Vec<(Key, Definition)> = Vec::new();
    let same_name = |key: &Key| {
        let first = Key { nth: 0, ..key.clone() };
        let last = Key { nth: usize::MAX, ..key.clone() };
        first..=last
    };
    for (key, new) in now {
        let mut olds = before.range(same_name(&key));
        let is_same = |(at, old): &(&Key, &Definition)| {
            old.head.signature == new.head.signature && !out.contains_key(at)
        };
        match olds.find(is_same) {
            Some((at, _)) => {
                out.insert(at.clone(), new);
            }
            None => left.push((key, new)),
        }
    }
    for (mut key, new) in left {
        let free = before.range(same_name(&key)).map(|(at, _)| at).find(|at| !out.contains_key(at));
        match free {
            Some(at) => key.nth = at.nth,
            None => {
                key.nth = 0;
                while out.contains_key(&key) || before.contains_key(&key) {
                    key.nth += 1;
                }
            }
        }
        out.insert(key, new);
    }
    out
}

/// Whether the code outside of all definitions differs: imports, and what runs when a file is loaded.
pub fn differs_outside(path: &str, before: State<'_>, now: State<'_>) -> bool {
    let family = languages::of_path(path).map_or("", |language| language.family);
    match (outside(path, before), outside(path, now)) {
        (Some(old), Some(new)) => old != new && unwrapped(&old, family) != unwrapped(&new, family),
        _ => false,
    }
}

/// The text of a file without its definitions and comments; nothing where it cannot be read.
fn outside(path: &str, state: State<'_>) -> Option<String> {
    let (text, _) = decode(state.bytes)?;
    let of = |facts: &FileFacts| {
        let defs = facts.defs.iter().filter(|def| def.kind.node_kind().is_some());
        let mut ranges: Vec<(usize, usize)> = defs.map(|def| (def.from as usize, def.to as usize)).collect();
        ranges.sort_unstable();
        let (mut left, mut from) = (String::new(), 0);
        for (start, end) in ranges {
            left.push_str(text.get(from..start.max(from)).unwrap_or_default());
            from = from.max(end);
        }
        left.push_str(text.get(from..).unwrap_or_default());
        let code = comments::without(&left, comments::Marks::of(&facts.language)).into_owned();
        code.lines()
            .map(str::trim_end)
            .filter(|line| !line.is_empty())
            .flat_map(|line| [line, "\n"])
            .collect()
    };
    read(path, state, &text, of)
}

/// The types that lost members which stand in their methods, so that their own text is what it was: `self.x = 1`.
pub fn without_members(path: &str, before: &[u8], now: &[u8]) -> Vec<Changed> {
    let Some(now) = definitions(path, now.into()) else { return Vec::new() };
    let Some(before) = definitions(path, before.into()) else { return Vec::new() };
    let mut now = paired(&before, now);
    let mut out = Vec::new();
    for (key, old) in before.into_iter().filter(|(key, _)| key.kind.is_type()) {
        let Some(new) = now.remove(&key) else { continue };
        let lost: Vec<Member> = old.members.into_iter().filter(|one| !new.members.contains(one)).collect();
        if !lost.is_empty() && old.body == new.body {
            let (change, line, is_local) = (Change::Body, new.line, new.is_local);
            let (before, heads) = (None, None);
            out.push(Changed { change, name: key.name, kind: key.kind, line, before, heads, is_local, lost });
        }
    }
    out
}

/// The variants and fields of a type of a file, by the names around it and its own.
pub fn members_of(path: &str, bytes: &[u8], kind: NodeKind, name: &str) -> Vec<Member> {
    let key = Key { name: name.to_owned(), kind, nth: 0 };
    definitions(path, bytes.into()).and_then(|mut all| all.remove(&key)).map_or(Vec::new(), |one| one.members)
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
    /// As it is shown: a long one is cut.
    signature: String,
    head: Head,
    body: String,
    is_local: bool,
    members: Vec<Member>,
}

fn definitions(path: &str, state: State<'_>) -> Option<BTreeMap<Key, Definition>> {
    let (text, _) = decode(state.bytes)?;
    read(path, state, &text, |facts| definitions_of(facts, &text))
}

/// Something about what a file says, which is parsed for it where that is not known.
fn read<T>(path: &str, state: State<'_>, text: &str, of: impl Fn(&FileFacts) -> T) -> Option<T> {
    let language = languages::of_path(path)?;
    let known = state.said.and_then(Said::facts).filter(|facts| facts.language == language.name);
    match known {
        Some(facts) => Some(of(facts)),
        None => {
            let extract = || (language.extract)(path, text.as_bytes(), PARSE_LIMIT);
            let facts = catch_unwind(AssertUnwindSafe(extract)).ok()?.ok()?;
            Some(of(&facts))
        }
    }
}

fn definitions_of(facts: &FileFacts, text: &str) -> BTreeMap<Key, Definition> {
    let mut inside: Vec<Vec<usize>> = vec![Vec::new(); facts.defs.len()];
    for (at, def) in facts.defs.iter().enumerate().filter(|(_, def)| def.kind.node_kind().is_some()) {
        if let Some(outer) = def.parent {
            inside[outer.0 as usize].push(at);
        }
    }
    let mut out: BTreeMap<Key, Definition> = BTreeMap::new();
    for (at, def) in facts.defs.iter().enumerate() {
        let Some(kind) = def.kind.node_kind() else { continue };
        let mut key = Key { name: name(facts, at), kind, nth: 0 };
        while out.contains_key(&key) {
            key.nth += 1;
        }
        // What is inside a definition and has a name of its own is told by itself.
        let own = own_text(facts, at, &inside[at], text);
        let marks = attributes(text, def.from as usize);
        let body = format!("{marks}{own}");
        let is_property = def.how == crate::facts::How::Property;
        let head = Head { signature: uncut(facts, at, text), marks, is_property };
        let is_local = def.parent.is_some_and(|outer| facts.def(outer).kind.is_callable());
        let (line, signature) = (def.line_start, def.signature.to_string());
        let members = members(facts, at, &own);
        out.insert(key, Definition { line, signature, head, body, is_local, members });
    }
    out
}

/// The variants and fields of a type.
fn members(facts: &FileFacts, at: usize, own: &str) -> Vec<Member> {
    let def = &facts.defs[at];
    if !def.kind.is_type() {
        return Vec::new();
    }
    if def.kind == DefKind::Enum && matches!(facts.language.as_str(), "typescript" | "tsx") {
        return enumerated(own);
    }
    let inner = facts.defs[at + 1..].iter().take_while(|inner| inner.from < def.to);
    let variants = inner
        .filter(|inner| {
            inner.kind == DefKind::Variant && inner.parent.is_some_and(|outer| outer.0 as usize == at)
        })
        .map(|inner| Member::Variant(facts.text(inner.name).to_owned()));
    let fields = def.fields.iter().map(|field| Member::Field(facts.text(field.name).to_owned()));
    let named = |one: &Member| {
        let (Member::Variant(name) | Member::Field(name)) = one;
        name.starts_with(|c: char| c.is_alphabetic() || c == '_')
    };
    variants.chain(fields).filter(named).collect()
}

/// The names that an enumeration of TypeScript lists.
fn enumerated(text: &str) -> Vec<Member> {
    let text = comments::without(text, comments::Marks::Slashes);
    let inner = text.split_once('{').map_or("", |(_, inner)| inner);
    let names = inner.split(',').map(|one| one.trim().split([' ', '=', '}']).next().unwrap_or_default());
    let is_name = |name: &&str| {
        !name.is_empty()
            && name.chars().all(|c| c.is_alphanumeric() || c == '_')
            && !name.starts_with(char::is_numeric)
    };
    names.filter(is_name).map(|name| Member::Variant(name.to_owned())).collect()
}

/// Longer heads are cut after all.
const MAX_HEAD: usize = 16_000;
/// Bytes of a signature by which it is found again in its text.
const BEGINS: usize = 80;

/// The signature of a definition where what is shown of it was cut, up to its body.
fn uncut(facts: &FileFacts, at: usize, text: &str) -> String {
    let def = &facts.defs[at];
    let cut = def.signature.as_str();
    let Some(shown) = cut.strip_suffix('…').filter(|_| def.kind.is_callable()) else {
        return cut.to_owned();
    };
    let (from, to) = (def.from as usize, (def.to as usize).min(def.from as usize + MAX_HEAD));
    let held = text.get(from..text.floor_char_boundary(to)).unwrap_or_default();
    let held = plain(&comments::without(held, comments::Marks::of(&facts.language)));
    let begins = &shown[..shown.floor_char_boundary(BEGINS)];
    let Some(start) = held.find(begins) else { return cut.to_owned() };
    let (mut depth, mut quote) = (0_u32, None);
    for (at, letter) in held.char_indices().skip_while(|&(at, _)| at < start) {
        match (quote, letter) {
            (Some(open), letter) => quote = (open != letter).then_some(open),
            (None, '"') => quote = Some('"'),
            (None, '(' | '[') => depth += 1,
            (None, ')' | ']') => depth = depth.saturating_sub(1),
            (None, '{' | ';') if depth == 0 => return held[start..at].trim_end().to_owned(),
            (None, ':') if depth == 0 && facts.language == "python" => return held[start..at].to_owned(),
            _ => {}
        }
    }
    held[start..].to_owned()
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
fn own_text(facts: &FileFacts, at: usize, inside: &[usize], text: &str) -> String {
    let def = &facts.defs[at];
    let inside = inside.iter().map(|&inner| &facts.defs[inner]);
    let mut out = String::new();
    let mut from = def.from as usize;
    for inner in inside {
        out.push_str(text.get(from..(inner.from as usize).max(from)).unwrap_or_default());
        from = from.max(inner.to as usize);
    }
    out.push_str(text.get(from..(def.to as usize).max(from)).unwrap_or_default());
    out
}

/// Lines above a definition that are looked through for its attributes.
const MAX_ABOVE: usize = 40;

/// Decorators, annotations and attributes that stand before a definition, whatever the language calls them: they
/// change what it does as much as its text.
fn attributes(text: &str, from: usize) -> String {
    let is_mark = |line: &str| ["@", "#[", "["].iter().any(|mark| line.starts_with(mark));
    let is_aside =
        |line: &str| line.is_empty() || ["//", "/*", "*", "#"].iter().any(|mark| line.starts_with(mark));
    let Some(before) = text.get(..from) else { return String::new() };
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let mut found: Vec<&str> = Vec::new();
    let same_line = before[start..].trim();
    if is_mark(same_line) {
        found.push(same_line);
    }
    // Upwards, so that what is in brackets over several lines ends before it begins.
    let (mut open, mut waiting) = (0_i32, Vec::new());
    for line in before[..start].lines().rev().take(MAX_ABOVE) {
        let line = line.trim();
        if waiting.is_empty() && is_aside(line) && !is_mark(line) {
            continue;
        }
        waiting.push(line);
        for letter in line.chars() {
            match letter {
                ')' | ']' | '}' => open += 1,
                '(' | '[' | '{' => open -= 1,
                _ => {}
            }
        }
        if open > 0 {
            continue;
        }
        if open < 0 || !is_mark(line) {
            break;
        }
        found.append(&mut waiting);
    }
    found.reverse();
    found.iter().flat_map(|line| [*line, "\n"]).collect()
}

/// On one line.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(all(test, feature = "lang-rust"))]
mod tests {
    use super::*;

    fn state(text: &str) -> Option<State<'_>> {
        Some(text.as_bytes().into())
    }

    #[test]
    fn each_definition_is_told_by_how_it_differs() {
        let before = "struct A { x: u8 }\nimpl A {\n    fn one(&self) -> u8 { self.x }\n    fn two(&self) {}\n}\nfn free(a: u8) -> u8 { a }\nfn same() { let x = 1; }\n";
        let now = "\nstruct A { x: u8 }\nimpl A {\n    fn one(&self, y: u8) -> u8 { self.x + y }\n    fn three(&self) {}\n}\nfn free(a: u8) -> u8 { a + 1 }\nfn same() {\n    let x = 1;\n}\n";
        let found = compare("src/a.rs", state(before), state(now)).unwrap();
        let shown: Vec<String> =
            found.iter().map(|one| format!("{}:{} {}", one.name, one.line, one.change.name())).collect();
        assert_eq!(shown, ["A.one:4 signature", "A.two:4 removed", "A.three:5 added", "free:7 body"]);
        assert_eq!(compare("src/a.rs", None, state("fn x() {}")).unwrap().len(), 1);
        assert_eq!(compare("notes.txt", None, state("fn x() {}")), None);
        // What was read already says the same.
        let (old, new) = (Said::of("src/a.rs", before.as_bytes()), Said::of("src/a.rs", now.as_bytes()));
        let read = |bytes, said| Some(State { bytes, said });
        let again =
            compare("src/a.rs", read(before.as_bytes(), old.as_ref()), read(now.as_bytes(), new.as_ref()));
        assert_eq!(again, Some(found));
    }

    #[test]
    fn variants_and_fields_that_a_type_lost_are_told() {
        let before = "enum E { One, Two(u8) }\nstruct S { a: u8, b: u8 }\n";
        let now = "enum E { One, Three(u8) }\nstruct S { a: u8, c: u8 }\n";
        let found = compare("src/a.rs", state(before), state(now)).unwrap();
        let lost: Vec<Member> = found.into_iter().flat_map(|one| one.lost).collect();
        assert_eq!(lost, [Member::Variant("Two".into()), Member::Field("b".into())]);
    }

    #[test]
    fn code_outside_of_definitions_is_told_apart_from_them_and_from_comments() {
        let differs = |path: &str, before: &str, now: &str| {
            differs_outside(path, before.as_bytes().into(), now.as_bytes().into())
        };
        let text = "use x;\nfn f() { 1; }\n";
        assert!(differs("a.rs", text, "use x;\nuse y;\nfn f() { 1; }\n"));
        assert!(!differs("a.rs", text, "use x;\n// why\nfn f() { 2; }\n"));
        assert!(!differs("a.rs", text, "use x;\nfn f() { 1; }\nfn g() {}\n"));
        #[cfg(feature = "lang-python")]
        {
            let text = "import os\ndef f():\n    pass\nf()\n";
            assert!(differs("a.py", text, "import os\ndef f():\n    pass\nf()\nf()\n"));
            assert!(!differs("a.py", text, "import os\n\n# said\ndef f():\n    return 1\nf()\n"));
        }
    }

    #[test]
    fn a_long_head_is_known_to_its_end() {
        let long = (1..40).map(|at| format!("parameter{at}: u8, ")).collect::<String>();
        let text = |last: &str| format!("fn f({long}{last}: u8) -> u8 {{ 1 }}\n");
        let (before, now) = (text("last"), text("other"));
        let found = compare("src/a.rs", state(&before), state(&now)).unwrap();
        assert_eq!(found[0].change, Change::Signature);
        let heads = found[0].heads.as_deref().unwrap();
        assert!(heads[0].signature.ends_with("last: u8) -> u8"), "{}", heads[0].signature);
    }

    #[test]
    fn attributes_above_a_definition_belong_to_it() {
        let shown = |path: &str, before: &str, now: &str| {
            let found = compare(path, state(before), state(now)).unwrap();
            found.iter().map(|one| format!("{} {}", one.name, one.change.name())).collect::<Vec<_>>()
        };
        let plain = "fn g() {}\nfn f() {}\n";
        assert_eq!(shown("a.rs", plain, "fn g() {}\n#[cfg(windows)]\nfn f() {}\n"), ["f body"]);
        assert_eq!(
            shown("a.rs", plain, "fn g() {}\n#[cfg(\n    windows\n)]\n// why\nfn f() {}\n"),
            ["f body"]
        );
        assert_eq!(shown("a.rs", "#[a]\nfn f() {}\n", "#[a]\n#[b]\nfn f() {}\n"), ["f body"]);
        assert_eq!(shown("a.rs", "#[a]\nfn f() {}\n", "// said\n#[a]\n\nfn f() {}\n"), [""; 0]);
        assert_eq!(shown("a.rs", "use x;\nfn f() {}\n", "use x;\nuse y;\nfn f() {}\n"), [""; 0]);
        #[cfg(feature = "lang-python")]
        {
            let bare = "def star(a):\n    return a\n";
            assert_eq!(shown("a.py", bare, &format!("@functools.cache\n{bare}")), ["star body"]);
            assert_eq!(shown("a.py", &format!("@route(\n    '/a',\n)\n{bare}"), bare), ["star body"]);
        }
    }

    #[cfg(feature = "lang-java")]
    #[test]
    fn overloads_are_told_apart_by_how_they_are_declared() {
        let text = |members: &[&str]| format!("class A {{\n{}\n}}\n", members.join("\n"));
        let shown = |before: &[&str], now: &[&str]| {
            let (before, now) = (text(before), text(now));
            let found = compare("A.java", state(&before), state(&now)).unwrap();
            let told = |one: Changed| format!("{}:{} {}", one.name, one.line, one.change.name());
            found.into_iter().filter(|one| one.kind == NodeKind::Method).map(told).collect::<Vec<_>>()
        };
        let (one, two, three) =
            ("void add(char c) {}", "void add(String s) {}", "void add(char c, int n) {}");
        assert_eq!(shown(&[one, two], &[two]), ["A.add:2 removed"]);
        assert_eq!(shown(&[one, two], &[three, one, two]), ["A.add:2 added"]);
        assert_eq!(shown(&[one, two], &["void add(long l) {}", two]), ["A.add:2 signature"]);
        assert_eq!(shown(&[one, two], &[two, one]), [""; 0]);
    }

    #[cfg(feature = "lang-python")]
    #[test]
    fn what_was_only_wrapped_is_no_difference() {
        let shown = |path: &str, before: &str, now: &str| {
            let found = compare(path, state(before), state(now)).unwrap();
            found.iter().map(|one| format!("{} {}", one.name, one.change.name())).collect::<Vec<_>>()
        };
        let short = "def f(a, b=(1,)):\n    if a:\n        b()\n    return g(a, b)\n";
        let long = "def f(\n    a,\n    b=(1,),\n):\n    if a:\n        b()\n    return g(\n        a,\n        b,\n    )\n";
        assert_eq!(shown("a.py", short, long), [""; 0]);
        assert_eq!(shown("a.py", short, &long.replace("b=(1,),", "b=(2,),")), ["f signature"]);
        assert_eq!(
            shown("a.py", short, &long.replace("        b()", "    b()").replace("if a:", "if a: pass")),
            ["f body"]
        );
        let rust = "fn f<T: Copy>(a: T, b: u8) -> T { a }\n";
        let wide = "fn f<\n    T: Copy,\n>(\n    a: T,\n    b: u8,\n) -> T {\n    a\n}\n";
        assert_eq!(shown("a.rs", rust, wide), [""; 0]);
        // A statement that leaves a block does something else.
        let inside = "def f(a):\n    if a:\n        b()\n        c()\n";
        assert_eq!(shown("a.py", inside, "def f(a):\n    if a:\n        b()\n    c()\n"), ["f body"]);
    }
}
