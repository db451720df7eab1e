//! What languages of the second class share: each says what its nodes are, and the rest is done here.

mod blocks;
mod common;
mod expressions;
mod extensions;
mod functions;
mod named;
mod reader;
mod rules;
mod seen;
mod table;
mod types;

use std::time::Duration;

use tree_sitter::Node;

use crate::facts::{DefKind, FileFacts};
use crate::resolve::program::Program;
use crate::resolve::rules::Parameters;
use crate::resolve::rules::Rules;
use crate::walk::ParseError;

/// A language by its nodes.
pub(super) struct Grammar {
    pub name: &'static str,
    pub language: fn() -> tree_sitter::Language,
    /// The same bytes without what the grammar is known to stumble over, for files that it does not read whole.
    pub readable: Option<Readable>,
    /// What a node is, given the one above it. Asked on the way down for definitions, on the way up for
    /// expressions. A node's own `parent` is slow to find among many siblings.
    pub role: for<'t> fn(&Source<'_>, Node<'t>, Option<Node<'t>>) -> Role<'t>,
    /// How files find each other.
    pub unit: Unit,
    /// Whether `a.b` sees what is in `a`.
    pub sees_outer_packages: bool,
    /// Whether functions outside of types are known beyond their file and its package.
    pub shares_functions: bool,
    /// Whether a call without a receiver means a function and no method: one of its package, or of none.
    pub global_functions: bool,
    /// Whether a function written for a type is seen by its package and by import, whosever the type is.
    pub extensions: bool,
    /// Whether a local does not hide a function of its name that is called with arguments.
    pub functions_apart: bool,
    /// Whether several definitions of one name and number of parameters are clauses of one function.
    pub has_clauses: bool,
    /// How functions take what they are given.
    pub parameters: Parameters,
    /// Where a loaded file is, in languages that load files.
    pub find: Option<Finder>,
    /// The module that a file belongs to by its path, in languages whose modules import each other as a whole.
    pub module: Option<fn(&str) -> Option<&str>>,
    /// The HTTP routes that a function or a call stands for, given the file's path and the nodes around it.
    pub routes: Option<RoutesOf>,
    /// Whether a file is made of tests, by its path.
    pub is_test_path: fn(&str) -> bool,
    /// Whether the language or its library has a function of this name.
    pub is_library: fn(&str) -> bool,
}

impl Grammar {
    /// Whether a name may hold values of any types, one after the other.
    fn is_dynamic(&self) -> bool {
        matches!(self.name, "lua" | "php" | "ruby")
    }
}

/// What names are relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Files say which package they are in, and import from others.
    Package,
    /// Full names are known everywhere.
    Program,
    /// A file sees what it loads, by path.
    File,
}

/// The bytes of a file with the same number of others in place of some.
pub(super) type Readable = fn(&[u8]) -> Vec<u8>;

/// Where a loaded file is: given the path of the loader, what it asks for, and whether a path is a file.
pub(super) type Finder = fn(&str, &str, &dyn Fn(&str) -> bool) -> Option<String>;

pub(super) type RoutesOf = for<'t> fn(&Source<'_>, &str, &[Node<'t>], Node<'t>) -> Vec<FoundRoute>;

/// An HTTP route and what answers it.
pub(super) struct FoundRoute {
    pub method: &'static str,
    pub pattern: String,
    /// The full name of what answers; nothing for the function itself, or for a block.
    pub handler: Vec<String>,
}

/// Text behind nodes.
pub(super) struct Source<'s>(pub &'s [u8]);

impl<'s> Source<'s> {
    pub fn text(&self, node: Node<'_>) -> &'s str {
        self.0.get(node.byte_range()).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or("")
    }

    /// The text from the start of a node to the start of another.
    pub fn before(&self, node: Node<'_>, end: Node<'_>) -> &'s str {
        let bytes = self.0.get(node.start_byte()..end.start_byte());
        bytes.and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or("")
    }
}

/// What a node is.
pub(super) enum Role<'t> {
    /// Nothing of its own.
    Plain,
    /// Not to be looked into.
    Skip,
    Comment,
    /// The package of the file, or of everything inside the node where it has a body.
    Package {
        name: Node<'t>,
        body: Option<Node<'t>>,
    },
    Import(Vec<Imported>),
    Type {
        kind: DefKind,
        name: Node<'t>,
        body: Option<Node<'t>>,
        bases: Vec<Node<'t>>,
    },
    /// A class without a name.
    Nameless {
        base: Option<Node<'t>>,
        body: Option<Node<'t>>,
    },
    /// Members added to a type that stands elsewhere.
    Extension {
        of: Node<'t>,
        bases: Vec<Node<'t>>,
    },
    Function(Function<'t>),
    /// A name that is given a value or a type: a local, a field or a constant by where it stands.
    Value {
        name: Node<'t>,
        ty: Option<Node<'t>>,
        value: Option<Node<'t>>,
        is_constant: bool,
    },
    /// Several names that are given a value each.
    Values(Vec<(Node<'t>, Node<'t>)>),
    Call {
        receiver: Option<Node<'t>>,
        name: Node<'t>,
        args: Option<Node<'t>>,
    },
    /// A function that takes so much is handed on by name.
    Captured {
        receiver: Option<Node<'t>>,
        name: Node<'t>,
        takes: usize,
    },
    /// Another name for a type.
    Alias {
        name: Node<'t>,
        of: Node<'t>,
    },
    /// A type is made.
    New {
        ty: Node<'t>,
        args: Option<Node<'t>>,
    },
    /// A constructor runs another, of its class or of the base.
    HandedOn {
        to: HandedTo,
        args: Option<Node<'t>>,
    },
    /// The base's method of the same name is called.
    Overridden {
        args: Option<Node<'t>>,
    },
    Member {
        base: Node<'t>,
        name: Node<'t>,
    },
    /// A table that holds the functions of its file.
    Table {
        name: Node<'t>,
    },
    /// A value of a type, which nothing is called to make.
    ValueOf {
        ty: Node<'t>,
    },
    Name,
    /// A name of several parts, such as a type.
    Path,
    /// A file loaded where a value stands, by what it asks for.
    Loaded(String),
    This,
    Super,
    Text,
    Number,
    Bool,
    /// A local that is given a value later.
    Declared {
        name: Node<'t>,
    },
    /// No value at all.
    Nothing,
    /// One of these.
    Either(Vec<Node<'t>>),
    /// Stands for its part.
    Same(Node<'t>),
    /// What the function around gives, in languages that write no types.
    Result(Node<'t>),
    Block,
}

/// Whose constructor another one runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HandedTo {
    Own,
    Base,
}

/// A function or method.
pub(super) struct Function<'t> {
    pub name: Node<'t>,
    /// What it is called where that is not the text of its name.
    pub called: Option<String>,
    /// What is shown of it where that is not how it is written.
    pub shown: Option<String>,
    pub params: Vec<Param<'t>>,
    pub returns: Option<Node<'t>>,
    pub body: Option<Node<'t>>,
    /// The type it is written for where that does not stand around it.
    pub of: Option<Node<'t>>,
    /// A part that looks like a call and only says how this one is called.
    pub head: Option<Node<'t>>,
    pub marks: Marks,
}

impl<'t> Function<'t> {
    pub fn new(name: Node<'t>, body: Option<Node<'t>>) -> Self {
        Self {
            name,
            called: None,
            shown: None,
            params: Vec::new(),
            returns: None,
            body,
            of: None,
            head: None,
            marks: Marks::default(),
        }
    }
}

#[derive(Clone, Copy, Default)]
pub(super) struct Marks {
    pub is_test: bool,
    /// Called by no name: what stands in its place is a title, or the name that an interface gives it.
    pub is_titled: bool,
    pub is_entry: bool,
    pub is_private: bool,
    /// Needs no value of its type.
    pub is_static: bool,
    /// A method wherever it stands.
    pub is_method: bool,
    /// Read and written like a field.
    pub is_property: bool,
    /// Whole without a body.
    pub is_bodiless: bool,
}

pub(super) struct Param<'t> {
    pub name: Node<'t>,
    pub ty: Option<Node<'t>>,
}

/// One name that an import brings in.
pub(super) struct Imported {
    /// The full name, or the path of a file.
    pub path: Vec<String>,
    /// The name it has here; nothing for everything in it.
    pub bind: Option<String>,
}

impl Imported {
    /// A full name under its last part, or under another.
    pub fn name(path: &str, separators: &[char], alias: Option<&str>) -> Self {
        let path: Vec<String> =
            path.split(separators).map(str::trim).filter(|p| !p.is_empty()).map(str::to_owned).collect();
        let bind = alias.map(str::to_owned).or_else(|| path.last().cloned());
        Self { path, bind }
    }

    pub fn all(path: &str, separators: &[char]) -> Self {
        Self { bind: None, ..Self::name(path, separators, None) }
    }
}

pub(super) fn extract(
    grammar: &'static Grammar,
    path: &str,
    source: &[u8],
    limit: Duration,
) -> Result<FileFacts, ParseError> {
    reader::read(grammar, path, source, limit)
}

pub(super) fn rules(grammar: &'static Grammar, program: &Program<'_>) -> Box<dyn Rules> {
    Box::new(rules::SimpleRules::of(grammar, program))
}

/// Makes the list of one language from its grammar.
macro_rules! language {
    ($grammar:ident, $extensions:expr, $file_names:expr) => {
        pub const LANGUAGES: &[crate::languages::Language] = &[crate::languages::Language {
            name: $grammar.name,
            extensions: $extensions,
            file_names: $file_names,
            family: $grammar.name,
            grammar: $grammar.language,
            extract: |path, source, limit| crate::languages::simple::extract(&$grammar, path, source, limit),
            rules: |program| crate::languages::simple::rules(&$grammar, program),
        }];
    };
}
pub(super) use language;

/// Children of one of these kinds.
pub(super) fn children_of<'t>(node: Node<'t>, kinds: &[&str]) -> Vec<Node<'t>> {
    crate::sheet::named_children(node).into_iter().filter(|child| kinds.contains(&child.kind())).collect()
}

/// The first child of one of these kinds.
pub(super) fn child_of<'t>(node: Node<'t>, kinds: &[&str]) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| kinds.contains(&child.kind()))
}
