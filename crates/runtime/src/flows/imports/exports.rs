//! Exports: names that a module of TypeScript or JavaScript exported by itself and does not any more, and who takes them from it.

use std::collections::BTreeSet;

use m1nd_graph::{EdgeKind, Graph, NodeKind};
use m1nd_ingest::imported::{self, Written};
use m1nd_ingest::languages;

use super::world::World;
use super::{Broken, Certainty, Changed, script};

/// Modules that hand on all of each other are followed this far.
const MAX_HOPS: usize = 3;
/// Files that import from one and are read.
const MAX_READ: usize = 200;

/// Lines that take a name from a module of the change which exported it and does not now. `before` is the graph that knows who
/// imports from it.
pub(crate) fn gone(world: &mut World<'_>, before: &Graph, changed: &[Changed<'_>]) -> Vec<Broken> {
    let mut found = Vec::new();
    for one in changed.iter().filter(|one| one.path == one.path_before) {
        let is_script = languages::of_path(one.path).is_some_and(|language| language.family == "script");
        let Some(old) = one.old.filter(|_| is_script) else { continue };
        let (was, is) = (Exports::of(old), Exports::of(one.new));
        if is.is_open {
            continue;
        }
        let lost: BTreeSet<String> = was.certain.difference(&is.possible).cloned().collect();
        if !lost.is_empty() {
            takers(world, before, changed, (one.path, one.path), &lost, MAX_HOPS, &mut found);
        }
    }
    found
}

/// Those who take names from a door, and from files that hand on all of it; `home` is where the names went from.
fn takers(
    world: &mut World<'_>,
    before: &Graph,
    changed: &[Changed<'_>],
    (home, door): (&str, &str),
    lost: &BTreeSet<String>,
    hops: usize,
    found: &mut Vec<Broken>,
) {
    let inside = before.nodes_in(door).collect::<BTreeSet<_>>();
    let mut importers: BTreeSet<&str> = BTreeSet::new();
    let asks = inside.iter().flat_map(|&node| before.incoming(node));
    for edge in asks.filter(|edge| edge.kind == EdgeKind::Imports) {
        importers.insert(before.node(edge.source).path());
    }
    // What is handed on leads to where it is defined.
    if door != home {
        let through = before.nodes_in(home).flat_map(|node| before.incoming(node));
        importers.extend(
            through.filter(|edge| edge.kind == EdgeKind::Imports).map(|edge| before.node(edge.source).path()),
        );
    }
    for path in importers.into_iter().filter(|path| *path != door).take(MAX_READ) {
        let Some(text) = world.text(path).map(|text| text.into_owned()) else { continue };
        let is_edited = changed.iter().any(|one| one.path == path);
        let led = |line: u32| {
            let files = before.nodes_in(path).flat_map(|node| before.outgoing(node));
            let mut imports =
                files.filter(|edge| edge.kind == EdgeKind::Imports && edge.lines.contains(&line));
            imports.any(|edge| {
                let target = before.node(edge.target);
                target.kind() == NodeKind::File && target.path() == door
            })
        };
        let takes = |world: &World<'_>, import: &Written| match script::module(world, path, import) {
            Some(module) => module == door,
            None => !is_edited && led(import.line),
        };
        let imports = imported::written(path, text.as_bytes()).unwrap_or_default();
        for import in &imports {
            if !takes(world, import) || is_told_wrong(&text, import.line) {
                continue;
            }
            if import.is_all && import.item.is_none() && is_handed_on(&text, import.line) && hops > 0 {
                let given = Exports::of(text.as_bytes());
                let left: BTreeSet<String> = lost
                    .iter()
                    .filter(|name| *name != "default" && !given.possible.contains(*name))
                    .cloned()
                    .collect();
                if !left.is_empty() {
                    takers(world, before, changed, (home, path), &left, hops - 1, found);
                }
                continue;
            }
            let Some(name) = import.item.as_ref().filter(|item| lost.contains(*item)) else { continue };
            found.push(Broken {
                path: path.to_owned(),
                line: import.line,
                name: name.clone(),
                message: format!("{name} is taken from {door}, which does not export that name any more"),
                places: vec![format!("{home}:1")],
                lines: Vec::new(),
                certainty: Certainty::Certain,
            });
        }
    }
}

/// Whether a line hands on all that it takes.
fn is_handed_on(text: &str, line: u32) -> bool {
    line_of(text, line).trim_start().starts_with("export")
}

/// Whether a line is said to be wrong on purpose.
fn is_told_wrong(text: &str, line: u32) -> bool {
    let above = line_of(text, line.saturating_sub(1));
    above.contains("@ts-ignore") || above.contains("@ts-expect-error")
}

fn line_of(text: &str, line: u32) -> &str {
    (line as usize).checked_sub(1).and_then(|at| text.lines().nth(at)).unwrap_or_default()
}

/// The names that a module exports, as its text says.
#[derive(Debug, Default)]
struct Exports {
    /// Certainly.
    certain: BTreeSet<String>,
    /// As far as anybody can tell, more.
    possible: BTreeSet<String>,
    /// Whether it may export any name.
    is_open: bool,
}

/// Ways to export that are not read.
const OPEN: [&str; 7] = [
    "export =",
    "module.exports",
    "exports.",
    "__exportStar",
    "export *",
    "declare module",
    "declare global",
];
/// Words between `export` and the kind of what is exported.
const BEFORE: [&str; 3] = ["declare", "async", "abstract"];
/// Bytes of a statement that are looked through.
const MAX_STATEMENT: usize = 4_000;

impl Exports {
    fn of(bytes: &[u8]) -> Self {
        let text = without_comments(&String::from_utf8_lossy(bytes));
        let mut found = Self { is_open: OPEN.iter().any(|way| text.contains(way)), ..Self::default() };
        for (at, word) in text.match_indices("export") {
            let before = text[..at].trim_end_matches([' ', '\t']);
            let stands = before.is_empty() || before.ends_with(['\n', ';', '}']);
            let rest = &text[at + word.len()..];
            if !stands || !rest.starts_with([' ', '{', '\n']) {
                continue;
            }
            found.read(rest.trim_start());
        }
        found
    }

    fn read(&mut self, statement: &str) {
        let statement = &statement[..statement.floor_char_boundary(MAX_STATEMENT)];
        let listed = statement.strip_prefix("type").map_or(statement, str::trim_start);
        if let Some(list) = listed.strip_prefix('{') {
            for one in list.split('}').next().unwrap_or(list).split(',') {
                let words = one.split(|c: char| !is_letter(c)).filter(|word| is_name(word));
                self.possible.extend(words.map(str::to_owned));
                let name = one.rsplit(" as ").next().unwrap_or(one).trim();
                let name = name.strip_prefix("type ").unwrap_or(name).trim();
                if is_name(name) {
                    self.add(name);
                }
            }
            return;
        }
        let mut rest = statement;
        while let Some(next) = BEFORE
            .iter()
            .find_map(|word| rest.strip_prefix(word))
            .filter(|next| next.starts_with([' ', '\n']))
        {
            rest = next.trim_start();
        }
        let (kind, rest) =
            split_word(rest.strip_prefix("const ").filter(|rest| rest.starts_with("enum ")).unwrap_or(rest));
        match kind {
            "default" => self.add("default"),
            "function" | "class" | "enum" | "interface" | "type" | "namespace" => {
                let (name, _) = split_word(rest.trim_start_matches(['*', ' ', '\n']));
                self.add(name);
            }
            "const" | "let" | "var" => {
                let (name, behind) = split_word(rest.trim_start());
                // Several may be declared at once, or taken out of something.
                let end = rest.find(';').or_else(|| rest.find("\nexport")).unwrap_or(rest.len());
                let words = rest[..end].split(|c: char| !is_letter(c)).filter(|word| is_name(word));
                self.possible.extend(words.map(str::to_owned));
                if is_name(name) && behind.trim_start().starts_with(['=', ':']) {
                    self.add(name);
                }
            }
            // Built otherwise than is known here.
            _ => self.is_open = true,
        }
    }

    fn add(&mut self, name: &str) {
        if is_name(name) {
            self.certain.insert(name.to_owned());
            self.possible.insert(name.to_owned());
        }
    }
}

/// A text whose comments are blank, as far as they stand alone: what is doubtful stays.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_inside = false;
    for line in text.lines() {
        let plain = line.trim_start();
        if is_inside || plain.starts_with("/*") {
            let from = if is_inside { plain } else { &plain[2..] };
            let behind = from.split_once("*/").map(|(_, behind)| behind.trim_start());
            is_inside = behind.is_none();
            out.push_str(behind.unwrap_or_default());
        } else if !plain.starts_with("//") {
            out.push_str(line.split(" //").next().unwrap_or(line));
        }
        out.push('\n');
    }
    out
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn is_name(word: &str) -> bool {
    !word.is_empty() && word.chars().all(is_letter) && !word.starts_with(|c: char| c.is_ascii_digit())
}

fn split_word(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !is_letter(c)).unwrap_or(text.len());
    text.split_at(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exports_are_read_as_they_are_written() {
        let names = |text: &str| {
            let found = Exports::of(text.as_bytes());
            (found.certain.into_iter().collect::<Vec<_>>().join(" "), found.is_open)
        };
        let text = "export function f() {}\nexport default class A {}\nexport type Id = string;\n// export const no = 1\n\
            export { hidden as shown, type B, c as default };\nexport const a: number = 1, b = 2;\nexport abstract class D {}\n";
        assert_eq!(names(text), ("B D Id a default f shown".into(), false));
        assert!(Exports::of(text.as_bytes()).possible.contains("b"));
        assert_eq!(names("export * from './a'\n"), (String::new(), true));
        assert_eq!(names("export async function* g() {}\n/* export let x = 1\n*/\n"), ("g".into(), false));
        assert_eq!(names("/** One. */ export const enum E {}\n"), ("E".into(), false));
        assert_eq!(names("const exported = 1\nexport const { p, q } = exported\n"), (String::new(), false));
        assert!(Exports::of(b"export const { p, q } = exported\n").possible.contains("q"));
    }
}
