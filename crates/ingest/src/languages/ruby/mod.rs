//! Ruby: its nodes, modules and classes, `require_relative`, tests of RSpec and Minitest.

mod routes;
#[cfg(test)]
mod tests;

use tree_sitter::Node;

use super::simple::{Function, Grammar, Imported, Marks, Param, Role, Source, Unit, language};
use crate::facts::DefKind;
use crate::manifest::{folder, join};
use crate::resolve::rules::Parameters;
use crate::sheet::{field, named_children};

static GRAMMAR: Grammar = Grammar {
    name: NAME,
    language: || tree_sitter_ruby::LANGUAGE.into(),
    readable: None,
    role,
    unit: Unit::Program,
    sees_outer_packages: false,
    shares_functions: false,
    global_functions: false,
    extensions: false,
    functions_apart: true,
    has_clauses: false,
    parameters: Parameters::PLAIN,
    find: Some(find),
    module: None,
    routes: Some(routes::of_call),
    is_test_path: |path| {
        path.split('/').rev().skip(1).any(|part| matches!(part, "test" | "spec"))
            || path.ends_with("_test.rb")
            || path.ends_with("_spec.rb")
    },
    is_library,
};

language!(GRAMMAR, &["rb", "rake", "gemspec", "ru"], &["Rakefile", "Gemfile"]);

fn role<'t>(source: &Source<'_>, node: Node<'t>, up: Option<Node<'t>>) -> Role<'t> {
    match node.kind() {
        "comment" => Role::Comment,
        "class" => match field(node, "name") {
            Some(name) => {
                let mut bases = field(node, "superclass").map(named_children).unwrap_or_default();
                bases.extend(mixed_in(source, field(node, "body")));
                Role::Type { kind: DefKind::Class, name, body: field(node, "body"), bases }
            }
            None => Role::Plain,
        },
        "module" => match field(node, "name") {
            Some(name) => {
                let bases = mixed_in(source, field(node, "body"));
                Role::Type { kind: DefKind::Module, name, body: field(node, "body"), bases }
            }
            None => Role::Plain,
        },
        "method" | "singleton_method" => function(source, node),
        "assignment" => match (field(node, "left"), field(node, "right")) {
            (Some(name), right) if matches!(name.kind(), "identifier" | "constant" | "instance_variable") => {
                Role::Value { name, ty: None, value: right, is_constant: name.kind() == "constant" }
            }
            _ => Role::Plain,
        },
        "call" => included(source, node, up).unwrap_or_else(|| call(source, node)),
        // Of `super(1)` the call is one.
        "super" if up.and_then(|up| field(up, "method")).is_some_and(|name| name == node) => Role::Plain,
        "super" => Role::Overridden { args: None },
        // A name alone in a body is a call unless it is a local.
        "identifier" if stands_alone(up) => Role::Call { receiver: None, name: node, args: None },
        "identifier" | "instance_variable" => Role::Name,
        "constant" | "scope_resolution" => Role::Path,
        "simple_symbol" => attribute(source, node, up),
        "self" => Role::This,
        "string" => Role::Text,
        "integer" | "float" => Role::Number,
        "true" | "false" => Role::Bool,
        "nil" => Role::Nothing,
        "binary" => match (field(node, "left"), field(node, "operator"), field(node, "right")) {
            (Some(left), Some(operator), Some(right)) => match operator.kind() {
                "||" | "or" => Role::Either(vec![left, right]),
                "&&" | "and" => Role::Same(right),
                _ => Role::Plain,
            },
            _ => Role::Plain,
        },
        "conditional" => match (field(node, "consequence"), field(node, "alternative")) {
            (Some(one), Some(other)) => Role::Either(vec![one, other]),
            _ => Role::Plain,
        },
        "parenthesized_statements" => match node.named_child(0) {
            Some(inner) => Role::Same(inner),
            None => Role::Plain,
        },
        _ => Role::Plain,
    }
}

/// Modules that `include` and its like put among the bases.
fn mixed_in<'t>(source: &Source<'_>, body: Option<Node<'t>>) -> Vec<Node<'t>> {
    let mut found = Vec::new();
    for call in
        body.map(named_children).unwrap_or_default().into_iter().filter(|child| child.kind() == "call")
    {
        let word = field(call, "method").map_or("", |method| source.text(method));
        if field(call, "receiver").is_none() && matches!(word, "include" | "extend" | "prepend") {
            found.extend(field(call, "arguments").map(named_children).unwrap_or_default());
        }
    }
    found.retain(|base| matches!(base.kind(), "constant" | "scope_resolution"));
    found
}

/// `include A` at the top of a file: what is in the module is seen everywhere in it.
fn included<'t>(source: &Source<'_>, node: Node<'t>, up: Option<Node<'t>>) -> Option<Role<'t>> {
    let is_top = up.is_some_and(|up| up.kind() == "program") && field(node, "receiver").is_none();
    if !is_top || source.text(field(node, "method")?) != "include" {
        return None;
    }
    let modules = named_children(field(node, "arguments")?).into_iter();
    let modules = modules.filter(|module| matches!(module.kind(), "constant" | "scope_resolution"));
    Some(Role::Import(modules.map(|module| Imported::all(source.text(module), &[':'])).collect()))
}

fn stands_alone(up: Option<Node<'_>>) -> bool {
    up.is_some_and(|parent| matches!(parent.kind(), "body_statement" | "then" | "else" | "block_body"))
}

fn function<'t>(source: &Source<'_>, node: Node<'t>) -> Role<'t> {
    let Some(name) = field(node, "name") else { return Role::Plain };
    let mut function = Function::new(name, field(node, "body"));
    let names = field(node, "parameters").map(named_children).unwrap_or_default();
    function.params = names
        .into_iter()
        .filter_map(|param| match param.kind() {
            "identifier" => Some(param),
            _ => field(param, "name"),
        })
        .map(|name| Param { name, ty: None })
        .collect();
    function.marks = Marks {
        is_test: source.text(name).starts_with("test_"),
        is_static: node.kind() == "singleton_method",
        ..Marks::default()
    };
    Role::Function(function)
}

/// A name that `attr_reader` and its like make a method of.
fn attribute<'t>(source: &Source<'_>, node: Node<'t>, up: Option<Node<'t>>) -> Role<'t> {
    let Some(list) = up.filter(|up| up.kind() == "argument_list") else { return Role::Plain };
    let before = source.0.get(list.start_byte().saturating_sub(16)..list.start_byte()).unwrap_or(&[]);
    let before = std::str::from_utf8(before).unwrap_or("").trim_end();
    let words = ["attr_reader", "attr_accessor", "attr_writer"];
    let Some(word) = words.into_iter().find(|word| before.ends_with(word)) else { return Role::Plain };
    let mut function = Function::new(node, None);
    let name = source.text(node);
    let own = name.trim_start_matches(':');
    function.called = Some(if word == "attr_writer" { format!("{own}=") } else { own.to_owned() });
    function.shown = Some(format!("{word} {name}"));
    function.marks = Marks { is_method: true, is_bodiless: true, ..Marks::default() };
    Role::Function(function)
}

fn call<'t>(source: &Source<'_>, node: Node<'t>) -> Role<'t> {
    let Some(name) = field(node, "method") else { return Role::Plain };
    let args = field(node, "arguments");
    let receiver = field(node, "receiver");
    if name.kind() == "super" {
        return Role::Overridden { args };
    }
    if receiver.is_none() {
        let first = args.map(named_children).unwrap_or_default().into_iter().next();
        let text = first.and_then(|first| first.named_child(0)).map_or("", |first| source.text(first));
        match source.text(name) {
            "require_relative" => {
                return Role::Import(vec![Imported { path: vec![format!("./{text}")], bind: None }]);
            }
            "require" | "load" => {
                return Role::Import(vec![Imported { path: vec![text.to_owned()], bind: None }]);
            }
            "define_method" => {
                if let (Some(body), Some(first)) =
                    (field(node, "block"), first.filter(|first| first.kind() == "simple_symbol"))
                {
                    let mut function = Function::new(first, Some(body));
                    function.called = Some(source.text(first).trim_start_matches(':').to_owned());
                    function.marks = Marks { is_method: true, ..Marks::default() };
                    return Role::Function(function);
                }
            }
            "it" | "specify" | "scenario" | "test" => {
                if let (Some(body), Some(first)) =
                    (field(node, "block"), first.filter(|f| f.kind() == "string"))
                {
                    let mut function = Function::new(first, Some(body));
                    function.called = Some(text.to_owned());
                    function.marks = Marks { is_test: true, is_titled: true, ..Marks::default() };
                    return Role::Function(function);
                }
            }
            _ => {}
        }
    }
    Role::Call { receiver, name, args }
}

/// `require_relative` beside the file; `require` below a `lib` folder.
fn find(from: &str, asked: &str, is_file: &dyn Fn(&str) -> bool) -> Option<String> {
    let with_end = if asked.ends_with(".rb") { asked.to_owned() } else { format!("{asked}.rb") };
    if asked.starts_with('.') {
        return join(folder(from), &with_end).filter(|path| is_file(path));
    }
    let mut root = folder(from);
    loop {
        let lib = join(root, "lib").and_then(|lib| join(&lib, &with_end)).filter(|path| is_file(path));
        if lib.is_some() || root.is_empty() {
            return lib;
        }
        root = folder(root);
    }
}

fn is_library(name: &str) -> bool {
    matches!(
        name,
        "puts"
            | "print"
            | "p"
            | "pp"
            | "raise"
            | "require"
            | "lambda"
            | "proc"
            | "loop"
            | "attr_reader"
            | "attr_writer"
            | "attr_accessor"
            | "include"
            | "extend"
            | "prepend"
            | "private"
            | "public"
            | "protected"
            | "module_function"
            | "block_given?"
            | "catch"
            | "throw"
            | "format"
            | "sprintf"
            | "rand"
            | "sleep"
            | "exit"
            | "abort"
            | "freeze"
            | "define_method"
            | "alias_method"
            | "instance_eval"
            | "class_eval"
            | "expect"
            | "describe"
            | "context"
            | "before"
            | "after"
            | "let"
            | "subject"
            | "it"
            | "eq"
            | "be"
            | "warn"
            | "binding"
            | "caller"
            | "gem"
            | "synchronize"
            | "instance_variable_get"
            | "instance_variable_set"
            | "public_send"
            | "object_id"
            | "nil?"
            | "class"
    )
}

const NAME: &str = "ruby";
