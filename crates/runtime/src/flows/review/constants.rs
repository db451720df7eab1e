//! Constants: which lines still read one that went, as far as the text and the imports show it.

use std::collections::BTreeMap;

use m1nd_graph::{EdgeKind, Graph};

use super::removed::{is_import, is_quoted};

/// The constant that went.
pub struct Home<'a> {
    pub path: &'a str,
    pub name: &'a str,
    /// The types that it stood in.
    pub around: &'a [&'a str],
    pub family: &'static str,
}

/// How a line says a name.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Saying<'l> {
    Imports,
    /// As part of what stands before it.
    Of(&'l str),
    Alone,
    /// It makes a thing of that name.
    Binds,
}

/// A line that has the name.
pub struct Line<'l> {
    pub path: &'l str,
    pub text: &'l str,
}

/// Of the lines those that read the constant, and whether each names it in an import.
pub fn reads(graph: &Graph, home: &Home<'_>, lines: &[Line<'_>]) -> Vec<(usize, bool)> {
    let said: Vec<Vec<Saying<'_>>> = lines.iter().map(|line| sayings(home, line.text)).collect();
    let mut files: BTreeMap<&str, File> = BTreeMap::new();
    for (line, said) in lines.iter().zip(&said) {
        let file = files.entry(line.path).or_insert_with(|| File::of(graph, home, line.path));
        file.imports |= said.contains(&Saying::Imports) && (file.is_joined || home.is_said_in(line.text));
        file.binds |= said.contains(&Saying::Binds);
    }
    let is_read = |file: &File, said: &Saying<'_>| match said {
        Saying::Imports => file.imports,
        Saying::Of("self" | "Self" | "this" | "cls") => file.is_home,
        Saying::Of(owner) => home.is_owner(owner) || file.is_joined && is_loud(home.name),
        // A file that makes a name of its own means that one.
        Saying::Alone => file.imports || file.is_joined && !file.binds,
        Saying::Binds => false,
    };
    let mut found = Vec::new();
    for (at, (line, said)) in lines.iter().zip(&said).enumerate() {
        let file = &files[line.path];
        if said.iter().any(|said| is_read(file, said)) {
            found.push((at, said.contains(&Saying::Imports)));
        }
    }
    found
}

/// What is known of a file that says the name.
struct File {
    is_home: bool,
    /// The home itself, a file that imports it, or one of the same package in Go.
    is_joined: bool,
    imports: bool,
    binds: bool,
}

impl File {
    fn of(graph: &Graph, home: &Home<'_>, path: &str) -> Self {
        let is_home = path == home.path;
        let is_package = home.family == "go" && folder(path) == folder(home.path);
        let ends = graph.node_by_path(path).zip(graph.node_by_path(home.path));
        let imports =
            ends.is_some_and(|(one, other)| graph.edge_between(one, EdgeKind::Imports, other).is_some());
        Self { is_home, is_joined: is_home || is_package || imports, imports: false, binds: false }
    }
}

impl Home<'_> {
    /// The names by which other files mean the home: its own, its folder's, and of the types around the constant.
    pub fn is_owner(&self, word: &str) -> bool {
        let file = self.path.rsplit('/').next().unwrap_or(self.path);
        let stem = file.split('.').next().unwrap_or(file);
        let folder = folder(self.path).rsplit('/').next().unwrap_or_default();
        !word.is_empty() && (word == stem || word == folder || word == "crate" || self.around.contains(&word))
    }

    pub fn is_said_in(&self, line: &str) -> bool {
        line.split(|c: char| !is_letter(c)).any(|word| self.is_owner(word))
    }
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Written as constants are: nobody names a variable so.
fn is_loud(name: &str) -> bool {
    name.chars().any(char::is_alphabetic) && !name.chars().any(char::is_lowercase)
}

/// Whether a line makes a thing of a name.
pub(super) fn binds(line: &str, name: &str, family: &'static str) -> bool {
    sayings(&Home { path: "", name, around: &[], family }, line).contains(&Saying::Binds)
}

fn sayings<'l>(home: &Home<'_>, line: &'l str) -> Vec<Saying<'l>> {
    let name = home.name;
    let words = line.match_indices(name).map(|(at, _)| (&line[..at], &line[at + name.len()..]));
    let words = words.filter(|(before, after)| !before.ends_with(is_letter) && !after.starts_with(is_letter));
    words
        .filter(|(before, _)| !is_quoted(before))
        .filter_map(|(before, after)| saying(home, line, before, after.trim_start()))
        .collect()
}

fn saying<'l>(home: &Home<'_>, line: &str, before: &'l str, after: &str) -> Option<Saying<'l>> {
    let start = line.trim_start();
    let is_taken_apart = before.contains('{') && line.contains("require(");
    if is_import(line) || start.starts_with("export {") || is_taken_apart {
        return Some(Saying::Imports);
    }
    if let Some(owner) = before.strip_suffix("::").or_else(|| before.strip_suffix('.')) {
        let from = owner.rfind(|c: char| !is_letter(c)).map_or(0, |at| at + 1);
        return Some(Saying::Of(owner.get(from..).unwrap_or_default()));
    }
    let last = before.split_whitespace().next_back().unwrap_or_default();
    let heads = ["def ", "func ", "function ", "fn ", "async def "];
    // What stands behind the head on its line is no parameter.
    let is_head =
        heads.iter().any(|word| start.starts_with(word)) && !before.contains('{') && !before.contains("):");
    if is_head || matches!(last, "let" | "const" | "var" | "static" | "mut" | "for" | "as") {
        return Some(Saying::Binds);
    }
    let is_assigned = after.starts_with(":=")
        || after.starts_with('=') && !after.starts_with("==") && !after.starts_with("=>");
    let is_key = after.starts_with(':') && !after.starts_with("::");
    match () {
        // An argument that is given by its name is another's.
        () if is_assigned && before.contains('(') => None,
        () if is_assigned => Some(Saying::Binds),
        () if is_key && before.trim().is_empty() && home.family == "python" => Some(Saying::Binds),
        () if is_key && home.family != "python" => None,
        () => Some(Saying::Alone),
    }
}

#[cfg(test)]
mod tests {
    use m1nd_graph::GraphBuilder;

    use super::*;

    fn read(family: &'static str, path: &str, around: &[&str], lines: &[(&str, &str)]) -> Vec<usize> {
        let graph = GraphBuilder::new().finish(1);
        let home = Home { path, name: "LIMIT", around, family };
        let lines: Vec<Line<'_>> = lines.iter().map(|&(path, text)| Line { path, text }).collect();
        reads(&graph, &home, &lines).into_iter().map(|(at, _)| at).collect()
    }

    #[test]
    fn imports_members_and_what_follows_an_import_are_read() {
        let python = [
            ("b.py", "from a import LIMIT"),
            ("b.py", "x = [LIMIT] * 2"),
            ("c.py", "import a"),
            ("c.py", "print(a.LIMIT)"),
            ("c.py", "f(LIMIT=3)"),
            ("d.py", "from other import LIMIT"),
            ("e.py", "LIMIT = 3"),
            ("e.py", "print(LIMIT)"),
            ("a.py", "    return LIMIT + 1"),
            ("b.py", "print('the LIMIT')"),
        ];
        assert_eq!(read("python", "a.py", &[], &python), [0, 1, 3, 8]);
        let ts = [
            ("src/b.ts", "import { LIMIT } from './a';"),
            ("src/c.ts", "const { LIMIT } = require('./a')"),
            ("src/d.ts", "const one = { LIMIT: 1 }"),
        ];
        assert_eq!(read("typescript", "src/a.ts", &[], &ts), [0, 1]);
        let go = [
            ("p/b.go", "\treturn LIMIT"),
            ("q/c.go", "\treturn p.LIMIT"),
            ("q/d.go", "\tLIMIT := 1"),
            ("p/e.go", "func X() int { return LIMIT }"),
        ];
        assert_eq!(read("go", "p/a.go", &[], &go), [0, 1, 3]);
        let rust = [("src/b.rs", "use crate::a::LIMIT;"), ("src/c.rs", "    a::LIMIT + Other::LIMIT")];
        assert_eq!(read("rust", "src/a.rs", &[], &rust), [0, 1]);
        let java = [("B.java", "int x = A.LIMIT;"), ("C.java", "int x = C.LIMIT;")];
        assert_eq!(read("java", "x/Some.java", &["A"], &java), [0]);
    }
}
