//! Elixir: modules and functions, which are all calls to its grammar, and tests of ExUnit.

#[cfg(test)]
mod tests;

use tree_sitter::Node;

use super::simple::{Function, Grammar, Imported, Marks, Param, Role, Source, Unit, child_of, language};
use crate::facts::DefKind;
use crate::resolve::rules::Parameters;
use crate::sheet::{field, named_children};

static GRAMMAR: Grammar = Grammar {
    name: NAME,
    language: || tree_sitter_elixir::LANGUAGE.into(),
    readable: None,
    role,
    unit: Unit::Program,
    sees_outer_packages: false,
    shares_functions: true,
    global_functions: false,
    extensions: false,
    functions_apart: true,
    has_clauses: true,
    parameters: Parameters::PLAIN,
    find: None,
    module: None,
    routes: None,
    is_test_path: |path| path.split('/').any(|part| part == "test") || path.ends_with("_test.exs"),
    is_library,
};

language!(GRAMMAR, &["ex", "exs"], &[]);

fn role<'t>(source: &Source<'_>, node: Node<'t>, up: Option<Node<'t>>) -> Role<'t> {
    match node.kind() {
        "comment" => Role::Comment,
        // `&A.f/1` calls nothing.
        "call" if up.is_some_and(|up| takes(source, up, node).is_some()) => Role::Plain,
        "call" => call(source, node),
        "unary_operator" if source.text(node).starts_with('&') => captured(source, node),
        "unary_operator" if source.text(node).starts_with('@') => attribute(source, node),
        "binary_operator" => match (field(node, "left"), field(node, "operator"), field(node, "right")) {
            (Some(name), Some(op), value) if source.text(op) == "=" && name.kind() == "identifier" => {
                Role::Value { name, ty: None, value, is_constant: false }
            }
            _ => Role::Plain,
        },
        "alias" => Role::Path,
        "dot" => match (field(node, "left"), field(node, "right")) {
            (Some(base), Some(name)) if name.kind() == "alias" => Role::Member { base, name },
            _ => Role::Plain,
        },
        "identifier" if source.text(node) == OWN_MODULE => Role::This,
        "identifier" => Role::Name,
        "string" => Role::Text,
        "integer" | "float" => Role::Number,
        "boolean" => Role::Bool,
        "anonymous_function" | "stab_clause" => Role::Block,
        _ => Role::Plain,
    }
}

/// How much a function takes that is named as `f/1`.
fn takes(source: &Source<'_>, node: Node<'_>, function: Node<'_>) -> Option<usize> {
    let is_slash = field(node, "operator").is_some_and(|operator| source.text(operator) == "/");
    let is_left = field(node, "left").is_some_and(|left| left.id() == function.id());
    let is_bare = function.kind() != "call" || child_of(function, &["arguments"]).is_none();
    let right = field(node, "right").filter(|right| right.kind() == "integer");
    right.filter(|_| is_slash && is_left && is_bare).and_then(|right| source.text(right).parse().ok())
}

/// `&f/1` and `&A.f/1`.
fn captured<'t>(source: &Source<'_>, node: Node<'t>) -> Role<'t> {
    let Some(named) = field(node, "operand") else { return Role::Plain };
    let Some(function) = field(named, "left") else { return Role::Plain };
    let Some(takes) = takes(source, named, function) else { return Role::Plain };
    if function.kind() == "identifier" {
        return Role::Captured { receiver: None, name: function, takes };
    }
    let dot = field(function, "target").filter(|target| target.kind() == "dot");
    match dot.map(|dot| (field(dot, "left"), field(dot, "right"))) {
        Some((receiver @ Some(_), Some(name))) => Role::Captured { receiver, name, takes },
        _ => Role::Plain,
    }
}

/// Attributes are looked into only where they hold code.
fn attribute<'t>(source: &Source<'_>, node: Node<'t>) -> Role<'t> {
    let text = source.text(node);
    let is_about_next =
        ["@doc ", "@spec ", "@impl ", "@deprecated "].iter().any(|start| text.starts_with(start));
    match is_about_next && !text.ends_with("false") {
        true => Role::Comment,
        false => Role::Skip,
    }
}

fn call<'t>(source: &Source<'_>, node: Node<'t>) -> Role<'t> {
    let Some(target) = field(node, "target") else { return Role::Plain };
    let arguments = child_of(node, &["arguments"]);
    let body = child_of(node, &["do_block"]);
    let first = arguments.and_then(|arguments| arguments.named_child(0));
    if target.kind() == "dot" {
        return match (field(target, "left"), field(target, "right")) {
            // `conn.params` reads a field: only a module needs no brackets to be called.
            (Some(base), Some(name))
                if name.kind() == "identifier" && arguments.is_none() && is_variable(source, base) =>
            {
                Role::Member { base, name }
            }
            (Some(base), Some(name)) if name.kind() == "identifier" => {
                Role::Call { receiver: Some(base), name, args: arguments }
            }
            _ => Role::Plain,
        };
    }
    match (source.text(target), first) {
        ("defmodule" | "defprotocol", Some(name)) => {
            Role::Type { kind: DefKind::Module, name, body, bases: Vec::new() }
        }
        ("defimpl", Some(name)) => Role::Extension { of: name, bases: Vec::new() },
        ("def" | "defp" | "defmacro" | "defmacrop" | "defguard" | "defdelegate", Some(head)) => {
            function(source, target, head, body, arguments)
        }
        ("defstruct" | "defexception", Some(_)) => {
            Role::Value { name: target, ty: None, value: None, is_constant: true }
        }
        ("test", Some(name)) if name.kind() == "string" && body.is_some() => {
            let mut function = Function::new(name, body);
            function.called = Some(source.text(name).trim_matches('"').to_owned());
            function.marks = Marks { is_test: true, is_titled: true, ..Marks::default() };
            Role::Function(function)
        }
        ("alias" | "import" | "use" | "require", Some(_)) => {
            Role::Import(arguments.map(|list| imports(source, source.text(target), list)).unwrap_or_default())
        }
        _ if target.kind() == "identifier" => Role::Call { receiver: None, name: target, args: arguments },
        _ => Role::Plain,
    }
}

fn is_variable(source: &Source<'_>, node: Node<'_>) -> bool {
    node.kind() != "alias" && node.kind() != "atom" && source.text(node) != OWN_MODULE
}

/// `alias A.B`, `alias A.{B, C}`, `alias A.B, as: C`, `import A`.
fn imports(source: &Source<'_>, word: &str, list: Node<'_>) -> Vec<Imported> {
    let text = source.text(list).trim();
    if let Some((prefix, names)) = text.split_once(".{") {
        let names = names.trim_end_matches('}').split(',').map(str::trim).filter(|name| !name.is_empty());
        return names.map(|name| Imported::name(&format!("{prefix}.{name}"), &['.'], None)).collect();
    }
    let (path, rest) = text.split_once(',').unwrap_or((text, ""));
    let alias = rest.split_once("as:").map(|(_, alias)| alias.trim());
    match word {
        "import" | "use" => vec![Imported::all(path, &['.'])],
        _ => vec![Imported::name(path, &['.'], alias)],
    }
}

fn function<'t>(
    source: &Source<'_>,
    word: Node<'t>,
    head: Node<'t>,
    body: Option<Node<'t>>,
    arguments: Option<Node<'t>>,
) -> Role<'t> {
    // `f(x) when x > 0`: what stands before `when` is the head.
    let head = if head.kind() == "binary_operator" { field(head, "left").unwrap_or(head) } else { head };
    let name = field(head, "target").unwrap_or(head);
    if name.kind() != "identifier" {
        return Role::Plain;
    }
    let one_line = arguments.and_then(|arguments| child_of(arguments, &["keywords"]));
    let mut function = Function::new(name, body.or(one_line));
    function.head = Some(head);
    let params = child_of(head, &["arguments"]).map(named_children).unwrap_or_default();
    // A pattern takes a parameter's place without naming it.
    let name_of =
        |param: Node<'t>| if param.kind() == "identifier" { param } else { param.child(0).unwrap_or(param) };
    function.params = params.into_iter().map(|param| Param { name: name_of(param), ty: None }).collect();
    function.marks =
        Marks { is_private: source.text(word).ends_with('p'), is_static: true, ..Marks::default() };
    Role::Function(function)
}

fn is_library(name: &str) -> bool {
    matches!(
        name,
        "if" | "unless"
            | "case"
            | "cond"
            | "with"
            | "for"
            | "fn"
            | "raise"
            | "throw"
            | "try"
            | "receive"
            | "quote"
            | "unquote"
            | "is_nil"
            | "is_list"
            | "is_map"
            | "is_atom"
            | "is_binary"
            | "is_integer"
            | "is_function"
            | "is_tuple"
            | "is_pid"
            | "hd"
            | "tl"
            | "length"
            | "elem"
            | "put_elem"
            | "send"
            | "self"
            | "spawn"
            | "spawn_link"
            | "inspect"
            | "to_string"
            | "assert"
            | "refute"
            | "assert_raise"
            | "assert_receive"
            | "describe"
            | "setup"
            | "defstruct"
            | "defexception"
            | "map_size"
            | "byte_size"
            | "apply"
            | "exit"
            | "not"
            | "rem"
            | "div"
            | "max"
            | "min"
            | "abs"
            | "round"
            | "trunc"
            | "put_in"
            | "get_in"
            | "update_in"
            | "struct"
            | "struct!"
            | "tuple_size"
            | "is_struct"
            | "is_boolean"
            | "binding"
    )
}

const NAME: &str = "elixir";

/// What a module calls itself.
pub(super) const OWN_MODULE: &str = "__MODULE__";
