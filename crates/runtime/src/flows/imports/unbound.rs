//! Unbound: names that a file still uses after the change took their import away, and that nothing else brings.

use m1nd_graph::near::folder;
use m1nd_graph::spelling::PACKAGE;
use m1nd_graph::{Graph, NodeIx};
use m1nd_ingest::imported::Written;
use m1nd_ingest::mentions::{self, Mention, Role};

use super::java_bases;
use super::world::{World, says};
use super::{Broken, Certainty, Changed};
use crate::flows::review::{builtins, knows_bases};

/// Names that runtimes, browsers and runners of tests give to scripts.
const SCRIPT_GLOBALS: [&str; 62] = [
    "React",
    "JSX",
    "NodeJS",
    "Vue",
    "window",
    "document",
    "navigator",
    "location",
    "history",
    "process",
    "global",
    "performance",
    "crypto",
    "require",
    "module",
    "exports",
    "self",
    "atob",
    "btoa",
    "alert",
    "confirm",
    "test",
    "it",
    "describe",
    "expect",
    "vi",
    "jest",
    "beforeEach",
    "afterEach",
    "beforeAll",
    "afterAll",
    "suite",
    "bench",
    "assert",
    "sinon",
    "cy",
    "Cypress",
    "mocha",
    "context",
    "before",
    "after",
    "Node",
    "Element",
    "Document",
    "Window",
    "Text",
    "Comment",
    "Range",
    "File",
    "Storage",
    "Worker",
    "Image",
    "Option",
    "Iterator",
    "Iterable",
    "Intl",
    "WebSocket",
    "ReadableStream",
    "WritableStream",
    "TransformStream",
    "MessageChannel",
    "Performance",
];
/// Classes of `java.lang` that are named without an import.
const JAVA_LANG: [&str; 58] = [
    "Object",
    "String",
    "Integer",
    "Long",
    "Short",
    "Byte",
    "Character",
    "Boolean",
    "Float",
    "Double",
    "Number",
    "Math",
    "System",
    "Thread",
    "Runnable",
    "Runtime",
    "Process",
    "ProcessBuilder",
    "StringBuilder",
    "StringBuffer",
    "CharSequence",
    "Comparable",
    "Iterable",
    "Cloneable",
    "AutoCloseable",
    "Class",
    "ClassLoader",
    "Enum",
    "Record",
    "Throwable",
    "Exception",
    "Error",
    "RuntimeException",
    "IllegalArgumentException",
    "IllegalStateException",
    "NullPointerException",
    "IndexOutOfBoundsException",
    "UnsupportedOperationException",
    "ClassCastException",
    "ArithmeticException",
    "NumberFormatException",
    "InterruptedException",
    "CloneNotSupportedException",
    "ClassNotFoundException",
    "NoSuchMethodException",
    "NoSuchFieldException",
    "SecurityException",
    "AssertionError",
    "OutOfMemoryError",
    "StackOverflowError",
    "Override",
    "Deprecated",
    "SuppressWarnings",
    "SafeVarargs",
    "FunctionalInterface",
    "Void",
    "ThreadLocal",
    "Module",
];
/// What brings names into scripts that no line imports.
const BRINGERS: [&str; 4] = ["unplugin-auto-import", "nuxt", "auto-import", "@nuxt/kit"];

pub(super) fn left(
    world: &mut World<'_>,
    one: &Changed<'_>,
    family: &str,
    old: &[Written],
    new: &[Written],
) -> Vec<Broken> {
    let brings_all =
        new.iter().any(|import| import.is_all && import.within.is_none() && !is_export(family, import));
    if !matches!(family, "python" | "script" | "go" | "java" | "rust") || brings_all {
        return Vec::new();
    }
    let file = File {
        path: one.path,
        family,
        new,
        came: new.iter().filter(|import| !old.iter().any(|was| was.is_same(import))).collect(),
        was: one.old.map(String::from_utf8_lossy).unwrap_or_default().into_owned(),
        text: String::from_utf8_lossy(one.new).into_owned(),
    };
    let Some(source) = mentions::Source::of(one.path, one.new) else { return Vec::new() };
    let mut found: Vec<Broken> = Vec::new();
    for import in old.iter().filter(|import| file.binds(import)) {
        let name = import.bind.as_str();
        let is_asked = !import.is_all && is_name(name) && found.iter().all(|one| one.name != name);
        if !is_asked || file.is_everywhere(name) || file.is_brought(world, import) {
            continue;
        }
        let Some(said) = source.mentions(name) else { continue };
        let (uses, is_read) = file.uses(&said, name);
        let Some(&first) = uses.first() else { continue };
        let what = match uses.len() {
            1 => "1 line of the file still uses".to_owned(),
            count => format!("{count} lines of the file still use"),
        };
        found.push(Broken {
            path: one.path.to_owned(),
            line: first,
            name: name.to_owned(),
            message: format!("{name} is not imported any more, and {what} it"),
            places: Vec::new(),
            certainty: file.certainty(world, import).min(is_read),
            lines: uses,
        });
    }
    found
}

/// Whether an import only hands names on: an export of another module's name gives a script no name of its own.
fn is_export(family: &str, import: &Written) -> bool {
    family == "script" && import.is_exported
}

fn is_name(name: &str) -> bool {
    name != "_"
        && name.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
}

/// A file that lost imports.
struct File<'a> {
    path: &'a str,
    family: &'a str,
    new: &'a [Written],
    /// Imports that the change wrote.
    came: Vec<&'a Written>,
    was: String,
    text: String,
}

impl File<'_> {
    /// Whether an import gave the file a name that nothing else can.
    fn binds(&self, import: &Written) -> bool {
        match self.family {
            "script" => {
                let line = self.was.lines().nth((import.line as usize).saturating_sub(1)).unwrap_or_default();
                !import.is_exported && line.trim_start().starts_with("import")
            }
            "rust" => import.within.is_none() && import.module.len() > 1,
            _ => import.module != ["__future__"],
        }
    }

    /// Whether an import of today gives the whole file a name.
    fn is_everywhere(&self, name: &str) -> bool {
        let is_it = |import: &Written| {
            import.bind == name && import.within.is_none() && !is_export(self.family, import)
        };
        self.new.iter().any(is_it)
    }

    /// Whether an import of today gives a line a name.
    fn is_imported(&self, name: &str, line: u32) -> bool {
        let gives = |import: &&Written| {
            // What a module within a file takes from around it is in the file.
            let is_own = self.family == "rust" && import.module == ["super"];
            import.bind == name || import.is_all && !is_own
        };
        let mut binds = self.new.iter().filter(|import| !is_export(self.family, import)).filter(gives);
        binds.any(|import| import.reaches(line))
    }

    /// Whether something else may give a file the name.
    fn is_brought(&self, world: &mut World<'_>, import: &Written) -> bool {
        let name = import.bind.as_str();
        if builtins::has(self.family, name) {
            return true;
        }
        let at = folder(self.path);
        let graph = world.graph;
        let named = || graph.nodes_by_label(name).iter().map(|&ix| NodeIx(ix));
        match self.family {
            "script" => {
                SCRIPT_GLOBALS.contains(&name)
                    || name.starts_with("HTML")
                    || name.starts_with("SVG")
                    || named().any(|ix| is_global(world, graph.node(ix).path()))
                    || BRINGERS.iter().any(|word| world.is_built(at, word))
            }
            "go" => {
                let is_guessed = |new: &&Written| {
                    let last = new.module.first().and_then(|path| path.rsplit('/').next());
                    last == Some(new.bind.as_str()) || new.bind.is_empty()
                };
                // A new package that the file does not name as its path does is called otherwise.
                let is_renamed = |new: &&Written| !says(&self.text, &format!("{}.", new.bind));
                // The package of today under a name of its own, which its path may say with more around it.
                let is_it = |new: &&Written| new.module == import.module || says_within(new, name);
                named().any(|ix| folder(graph.node(ix).path()) == at && graph.owner(ix).is_none())
                    || self.came.iter().any(|new| is_guessed(new) && is_renamed(new))
                    || self.new.iter().any(|new| new.bind != name && is_it(&new) && is_renamed(&new))
            }
            "java" => {
                let package = package_of(graph, self.path);
                let is_near = |ix: NodeIx| {
                    let path = graph.node(ix).path();
                    folder(path) == at || package.is_some() && package_of(graph, path) == package
                };
                JAVA_LANG.contains(&name) || named().any(|ix| graph.owner(ix).is_some() || is_near(ix))
            }
            "rust" => {
                let is_macro = named().any(|ix| graph.node(ix).signature().contains("macro_rules"));
                let manifest = world.nearest(self.path, "Cargo.toml").map(|(_, text)| text.replace('-', "_"));
                is_macro || manifest.is_none_or(|text| says(&text, name))
            }
            _ => false,
        }
    }

    /// The lines that use a name which nothing gives to anything there, and how sure it is that they mean it.
    fn uses(&self, said: &[Mention], name: &str) -> (Vec<u32>, Certainty) {
        let line_of =
            |one: &Mention| self.text.lines().nth((one.line as usize).saturating_sub(1)).unwrap_or_default();
        let gives = |one: &Mention| match &one.role {
            Role::Binding { at_top, .. } => *at_top || self.text.contains("global "),
            // Members of a class have their names in its body; parameters of types in what they belong to.
            Role::Label if one.of.is_empty() => match self.family {
                "python" => {
                    let line = line_of(one).trim_start();
                    ["", "def ", "async def ", "class "]
                        .iter()
                        .any(|word| line.strip_prefix(word).is_some_and(|rest| rest.starts_with(name)))
                }
                "java" => true,
                _ => line_of(one).contains('<'),
            },
            _ => false,
        };
        if said.iter().any(gives) || said.iter().any(|one| one.in_macro && self.defines(one, name)) {
            return (Vec::new(), Certainty::Certain);
        }
        let is_within = |one: &Mention| {
            said.iter().any(|other| match &other.role {
                Role::Binding { reach, .. } => reach.contains(&one.at),
                _ => false,
            })
        };
        let follows = |one: &Mention, mark: &str| {
            self.text.get(one.at + name.len()..).is_some_and(|rest| rest.starts_with(mark))
        };
        let meant = said.iter().filter(|one| {
            let is_mark = one.in_macro && line_of(one).trim_start().starts_with("#[");
            let is_said_so = match self.family {
                // A package is always said before one of its names.
                "go" => follows(one, "."),
                // A constant is found there by the type of what is asked.
                "java" => !line_of(one).trim_start().starts_with("case "),
                _ => true,
            };
            one.role == Role::Use
                && one.of.is_empty()
                && is_said_so
                && !is_mark
                && !is_within(one)
                && !self.is_imported(name, one.line)
        });
        let meant: Vec<&Mention> = meant.collect();
        // What a macro makes of a word that stands alone nobody knows.
        let is_read = meant.iter().any(|one| !one.in_macro || follows(one, "::"));
        let mut lines: Vec<u32> = meant.iter().map(|one| one.line).collect();
        lines.dedup();
        (lines, if is_read { Certainty::Certain } else { Certainty::Likely })
    }

    /// Whether a macro is given a definition of a name, or a closure that takes one of it.
    fn defines(&self, one: &Mention, name: &str) -> bool {
        const WORDS: [&str; 11] =
            ["struct", "enum", "fn", "type", "trait", "mod", "const", "static", "let", "mut", "ref"];
        let before = self.text.get(..one.at).unwrap_or_default().trim_end();
        let after = self.text.get(one.at + name.len()..).unwrap_or_default();
        let last = before.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
        let is_taken =
            before.ends_with(['|', ',']) && after.starts_with(['|', ',', ':']) && !after.starts_with("::");
        WORDS.contains(&last) || before.ends_with('|') && is_taken
    }

    fn certainty(&self, world: &World<'_>, import: &Written) -> Certainty {
        if self.family != "java" {
            return Certainty::Certain;
        }
        // A class has the members and inner classes of what it extends.
        let types = world.graph.nodes_in(self.path).filter(|&ix| world.graph.node(ix).kind().is_type());
        let extends = |text: &str| says(text, "extends") || says(text, "implements");
        let mut heads = types.map(|ix| (ix, world.graph.node(ix).signature()));
        let may_bring =
            |ix: NodeIx, head: &str| !knows_bases(world.graph, ix) && !java_bases::are_plain(head);
        let is_open = heads.any(|(ix, head)| extends(head) && (import.level > 0 || may_bring(ix, head)));
        if is_open { Certainty::Likely } else { Certainty::Certain }
    }
}

/// Whether the path of a package says a name, with a version or other words around it.
fn says_within(import: &Written, name: &str) -> bool {
    let path = import.module.first().map_or("", String::as_str);
    path.split(['/', '.', '-', '_']).any(|word| word == name)
}

/// Whether a file declares names for all others.
fn is_global(world: &mut World<'_>, path: &str) -> bool {
    path.ends_with(".d.ts")
        && world.text(path).is_none_or(|text| {
            let is_part = |line: &str| line.starts_with("export") || line.starts_with("import");
            text.contains("declare global") || !text.lines().any(is_part)
        })
}

fn package_of<'g>(graph: &'g Graph, path: &str) -> Option<&'g str> {
    let file = graph.node_by_path(path)?;
    graph.node(file).tags().find_map(|tag| tag.strip_prefix(PACKAGE))
}
