//! Mentions: where a file says a name, and whether it means something by it or gives it to something.

use std::cell::OnceCell;
use std::ops::Range;

use m1nd_vfs::read::decode;
use tree_sitter::{Node, Tree};

use crate::classify::MAX_FILE_BYTES;
use crate::languages::{self, Language};
use crate::walk::PARSE_LIMIT;

/// A place that says a name as such; what stands in strings and comments is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// From 1.
    pub line: u32,
    /// In bytes.
    pub at: usize,
    pub role: Role,
    /// What the name is said of: `http.`, or the module that it is imported from.
    pub of: String,
    /// Whether it stands in what a macro is given, or names one: what that means the macro decides.
    pub in_macro: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// Something that has the name is meant.
    Use,
    /// Something is brought in by it, and has the name from there on.
    Import,
    /// A variable, a parameter or a definition gets it, and has it within these bytes.
    Binding { reach: Range<usize>, at_top: bool },
    /// A member, a key or an argument has it; it means nothing where it stands alone.
    Label,
}

impl Mention {
    /// Whether it needs something of that name.
    pub fn is_use(&self) -> bool {
        matches!(self.role, Role::Use | Role::Import)
    }
}

/// The mentions of a word in a file. Nothing where the file is in no language that is read, or cannot be.
pub fn of(path: &str, bytes: &[u8], word: &str) -> Option<Vec<Mention>> {
    Source::of(path, bytes)?.mentions(word)
}

/// A file that may be asked for many words, and is parsed once for them.
pub struct Source {
    language: &'static Language,
    text: String,
    tree: OnceCell<Option<Tree>>,
}

impl Source {
    /// Nothing where the file is in no language that is read.
    pub fn of(path: &str, bytes: &[u8]) -> Option<Self> {
        let language = languages::of_path(path)?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return None;
        }
        let (text, _) = decode(bytes)?;
        Some(Self { language, text, tree: OnceCell::new() })
    }

    /// Nothing where the file cannot be read.
    pub fn mentions(&self, word: &str) -> Option<Vec<Mention>> {
        let text = &self.text;
        if word.is_empty() {
            return None;
        }
        if !text.contains(word) {
            return Some(Vec::new());
        }
        let parse = || languages::tree(self.language, text.as_bytes(), PARSE_LIMIT).ok();
        let tree = self.tree.get_or_init(parse).as_ref()?;
        let places = text.match_indices(word);
        Some(places.filter_map(|(at, _)| mention(tree, text, at..at + word.len())).collect())
    }
}

fn mention(tree: &Tree, text: &str, place: Range<usize>) -> Option<Mention> {
    let leaf = tree.root_node().named_descendant_for_byte_range(place.start, place.end)?;
    let kind = leaf.kind();
    let is_name = kind.contains("identifier") || matches!(kind, "name" | "constant" | "word" | "alias");
    if !is_name || leaf.byte_range() != place || leaf.child_count() > 0 {
        return None;
    }
    let line = u32::try_from(leaf.start_position().row).unwrap_or(u32::MAX).saturating_add(1);
    let here = Place { root: tree.root_node(), leaf, text };
    let (role, of) = here.role();
    Some(Mention { line, at: place.start, role, of, in_macro: here.in_macro() })
}

struct Place<'t, 's> {
    root: Node<'t>,
    leaf: Node<'t>,
    text: &'s str,
}

/// Parts of a declaration in which names are used.
const USED_IN: [&str; 8] =
    ["type", "value", "default", "right", "body", "return_type", "default_value", "result"];

impl Place<'_, '_> {
    fn role(&self) -> (Role, String) {
        let of = self.said_of();
        let Some(parent) = self.leaf.parent() else { return (Role::Use, of) };
        let field = field_of(self.leaf, parent).unwrap_or_default();
        if field != "alias"
            && let Some(module) = self.imported_from()
        {
            return (Role::Import, module);
        }
        if !of.is_empty() {
            return (if is_set(parent) { Role::Label } else { Role::Use }, of);
        }
        if is_label(self.leaf, parent, field) {
            return (Role::Label, of);
        }
        if !is_bound(self.leaf, parent, field, self.text) {
            return (Role::Use, of);
        }
        // A function has its name around it, its parameters within.
        let names_itself = field == "name" && is_scope(parent.kind()) || is_type(parent.kind());
        (scope(if names_itself { parent.parent() } else { Some(parent) }, self.leaf), of)
    }

    fn in_macro(&self) -> bool {
        let mut around = self.leaf.parent();
        while let Some(node) = around {
            if matches!(
                node.kind(),
                "token_tree" | "macro_invocation" | "macro_definition" | "attribute_item"
            ) {
                return true;
            }
            around = node.parent();
        }
        false
    }

    /// What stands before the name, if something is taken from it.
    fn said_of(&self) -> String {
        let start = self.leaf.start_byte();
        let before = self.text[..start].trim_end();
        if ![".", "->", "::"].iter().any(|mark| before.ends_with(mark)) || before.ends_with("..") {
            return String::new();
        }
        // So may a sentence of a comment or a text that stands above.
        let end = before.len();
        let last = self.root.descendant_for_byte_range(end - 1, end).map_or("", |node| node.kind());
        if before.len() < start && ["comment", "string"].iter().any(|word| last.contains(word)) {
            return String::new();
        }
        // An arrow also stands before what a function gives.
        let is_member =
            |parent: Node<'_>| ["field", "member", "access"].iter().any(|word| parent.kind().contains(word));
        if before.ends_with("->") && !self.leaf.parent().is_some_and(is_member) {
            return String::new();
        }
        let mut around = self.leaf.parent();
        while let Some(node) = around.filter(|node| node.start_byte() == start) {
            around = node.parent();
        }
        let from = around.map_or(0, |node| node.start_byte());
        // A chain over many lines says no more than its end.
        let from = from.max(self.text.floor_char_boundary(start.saturating_sub(MAX_CHAIN)));
        self.text[from..start].split_whitespace().collect()
    }

    /// The module, where the name stands in an import.
    fn imported_from(&self) -> Option<String> {
        let mut around = self.leaf.parent();
        let mut steps = 0;
        while let Some(node) = around {
            let kind = node.kind();
            let names = ["module_name", "source"].iter().find_map(|field| node.child_by_field_name(field));
            let is_export = kind == "export_statement" && names.is_some();
            let is_import = kind.ends_with("use_declaration")
                || kind.starts_with("import")
                    && ["statement", "declaration", "header", "import"].iter().any(|end| kind.ends_with(end))
                || kind == "using_directive";
            if is_export || is_import {
                let range = match names {
                    Some(module) => module.byte_range(),
                    None => node.start_byte()..self.leaf.start_byte(),
                };
                return Some(self.text.get(range).unwrap_or_default().split_whitespace().collect());
            }
            steps += 1;
            // Imports are shallow; what else is around a name need not be looked through.
            if steps == MAX_IMPORT_DEPTH || is_scope(kind) {
                return None;
            }
            around = node.parent();
        }
        None
    }
}

const MAX_CHAIN: usize = 120;
const MAX_IMPORT_DEPTH: usize = 8;

fn field_of<'t>(leaf: Node<'t>, parent: Node<'t>) -> Option<&'t str> {
    let mut cursor = parent.walk();
    let mut is_more = cursor.goto_first_child();
    while is_more {
        if cursor.node() == leaf {
            return cursor.field_name();
        }
        is_more = cursor.goto_next_sibling();
    }
    None
}

/// Whether a member is given a value: `self.name = `.
fn is_set(member: Node<'_>) -> bool {
    let is_left =
        |outer: Node<'_>| outer.kind().starts_with("assignment") && field_of(member, outer) == Some("left");
    member.parent().is_some_and(is_left)
}

/// Whether a part of something is called so.
fn is_label(leaf: Node<'_>, parent: Node<'_>, field: &str) -> bool {
    let is_first = parent.named_child(0) == Some(leaf);
    match parent.kind() {
        "keyword_argument"
        | "named_argument"
        | "field_declaration"
        | "enum_variant"
        | "method_spec"
        | "method_elem"
        | "method_signature"
        | "property_signature"
        | "public_field_definition"
        | "field_definition"
        | "enumerator"
        | "enum_constant"
        | "enum_member_declaration"
        | "property_declaration" => field == "name" || field == "property" || field.is_empty() && is_first,
        "field_initializer" => field == "field" || field == "name",
        "jsx_attribute" | "value_argument_label" => true,
        "pair" => field == "key" && leaf.kind() == "property_identifier",
        // Keys of a struct that is written down.
        "literal_element" => parent
            .parent()
            .is_some_and(|outer| outer.kind() == "keyed_element" && outer.named_child(0) == Some(parent)),
        _ => false,
    }
}

/// Whether something gets the name here.
fn is_bound(leaf: Node<'_>, parent: Node<'_>, field: &str, text: &str) -> bool {
    let kind = parent.kind();
    if field == "alias" {
        return true;
    }
    if USED_IN.contains(&field) {
        return false;
    }
    let uses = [
        "scoped",
        "qualified",
        "export",
        "invocation",
        "call",
        "access",
        "navigation",
        "jsx",
        "annotation",
        "decorator",
        "generic",
        "nested",
    ];
    if field == "name" {
        return !uses.iter().any(|word| kind.contains(word));
    }
    let is_upper = text[leaf.byte_range()].starts_with(char::is_uppercase);
    let is_pattern = kind.ends_with("_pattern") || kind == "pattern_list" || kind == "as_pattern_target";
    if kind.contains("parameter") || is_pattern {
        // What a pattern names with a capital is compared with, not bound.
        return !(is_pattern && is_upper);
    }
    let is_left_of = |node: Node<'_>, outer: Node<'_>| {
        let binds = matches!(
            outer.kind(),
            "assignment"
                | "for_statement"
                | "for_in_clause"
                | "short_var_declaration"
                | "range_clause"
                | "receive_statement"
                | "for_in_statement"
                | "named_expression"
                | "for"
        );
        let names_what_it_switches = outer.kind() == "type_switch_statement";
        match field_of(node, outer) {
            Some("left") => binds,
            Some("alias") => names_what_it_switches,
            _ => false,
        }
    };
    match field {
        "left" => is_left_of(leaf, parent),
        "pattern" => !is_upper,
        "declarator" => true,
        // Of a function written as an arrow, or of what catches an error.
        "parameter" | "parameters" => true,
        "" if kind == "expression_list" => parent.parent().is_some_and(|outer| is_left_of(parent, outer)),
        // Grammars without names for the parts of a declaration.
        "" => {
            let declares = matches!(
                kind,
                "function_declaration" | "class_declaration" | "object_declaration" | "variable_declaration"
            );
            declares
                && parent.named_children(&mut parent.walk()).find(|child| child.kind() == leaf.kind())
                    == Some(leaf)
        }
        _ => false,
    }
}

fn is_scope(kind: &str) -> bool {
    ["function", "method", "lambda", "closure", "constructor", "func_literal"]
        .iter()
        .any(|word| kind.contains(word))
        && !["call", "invocation", "type"].iter().any(|word| kind.contains(word))
}

fn is_type(kind: &str) -> bool {
    let is_body =
        ["class", "struct", "interface", "trait", "impl_item", "enum"].iter().any(|word| kind.contains(word));
    is_body && !["expression", "pattern", "literal"].iter().any(|word| kind.contains(word))
}

/// Where a name holds that is given within `around`.
fn scope(around: Option<Node<'_>>, leaf: Node<'_>) -> Role {
    let mut here = around;
    let mut root = leaf;
    while let Some(node) = here {
        if is_scope(node.kind()) {
            return Role::Binding { reach: node.byte_range(), at_top: false };
        }
        if is_type(node.kind()) {
            return Role::Label;
        }
        root = node;
        here = node.parent();
    }
    let end = root.end_byte().max(leaf.end_byte());
    Role::Binding { reach: 0..end, at_top: true }
}

#[cfg(all(
    test,
    feature = "lang-python",
    feature = "lang-go",
    feature = "lang-typescript",
    feature = "lang-rust"
))]
mod tests {
    use super::*;

    fn check(path: &str, text: &str, expected: &[&str]) {
        let shown = |one: Mention| {
            let role = match one.role {
                Role::Use => "use",
                Role::Import => "import",
                Role::Binding { at_top: true, .. } => "top",
                Role::Binding { .. } => "local",
                Role::Label => "label",
            };
            format!("{} {role} {}", one.line, one.of).trim_end().to_owned()
        };
        let found: Vec<String> =
            of(path, text.as_bytes(), "x").expect("a known language").into_iter().map(shown).collect();
        assert_eq!(found, expected, "{path}\n{text}");
    }

    #[test]
    fn in_python_uses_are_told_from_names_that_are_given() {
        check(
            "a.py",
            "from m import x\nimport x\nfrom m import y as x\n",
            &["1 import m", "2 import import", "3 top"],
        );
        check("a.py", "def x():\n    return x()\n", &["1 top", "2 use"]);
        check("a.py", "def f(x, y=x):\n    return f(x=1) + x\n", &["1 local", "1 use", "2 label", "2 use"]);
        check("a.py", "x = 1\nprint('x', \"x\")  # x\nprint(f'{x}')\n", &["1 top", "3 use"]);
        check(
            "a.py",
            "class A:\n    x = 1\n    def m(self):\n        self.x = self.x\n        for x in y: m.x()\n",
            &["2 label", "4 label self.", "4 use self.", "5 local", "5 use m."],
        );
        check("a.py", "class x(Base):\n    def x(self): pass\n", &["1 top", "2 label"]);
        check("a.py", "def f() -> x:\n    return 1\n", &["1 use"]);
    }

    #[test]
    fn in_go_fields_and_other_packages_are_no_uses_of_a_type() {
        check(
            "a.go",
            "package a\nvar x = f()\ntype S struct {\n\tx T\n}\nfunc g(w http.x, v x) { x := S{x: 1}; _ = x.y }\n",
            &["2 top", "4 label", "6 use http.", "6 use", "6 local", "6 label", "6 use"],
        );
        check("a.go", "package a\nfunc x() int { return x() }\n", &["2 top", "2 use"]);
        check(
            "a.go",
            "package a\nfunc f(a any) {\n\tswitch x := a.(type) {\n\tcase int:\n\t\tg(x)\n\t}\n}\n",
            &["3 local", "5 use"],
        );
    }

    #[test]
    fn in_scripts_and_rust_imports_say_where_from() {
        check(
            "a.ts",
            "import { x } from './m'\nexport { x } from './n'\nconst x = { x: 1 }\nf(o.x, `${x}`)\nclass A { x() {} }\n",
            &["1 import './m'", "2 import './n'", "3 top", "3 label", "4 use o.", "4 use", "5 label"],
        );
        check(
            "a.ts",
            "f(x => x + 1)\ntry { g() } catch (x) { h(x) }\n",
            &["1 local", "1 use", "2 top", "2 use"],
        );
        check(
            "a.rs",
            "use m::x;\nfn f(x: u8) { let x = m::x(x); }\nfn x() {}\n",
            &["1 import usem::", "2 local", "2 local", "2 use m::", "2 use", "3 top"],
        );
    }
}
