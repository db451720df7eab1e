//! Lua: functions of tables, `require`, tests of busted.

#[cfg(test)]
mod tests;

use tree_sitter::Node;

use super::simple::{Function, Grammar, Imported, Marks, Param, Role, Source, Unit, child_of, language};
use crate::manifest::folder;
use crate::resolve::rules::Parameters;
use crate::sheet::{field, named_children};

static GRAMMAR: Grammar = Grammar {
    name: NAME,
    language: || tree_sitter_lua::LANGUAGE.into(),
    readable: None,
    role,
    unit: Unit::File,
    sees_outer_packages: false,
    shares_functions: true,
    global_functions: false,
    extensions: false,
    functions_apart: false,
    has_clauses: false,
    parameters: Parameters::PLAIN,
    find: Some(find),
    module: None,
    routes: None,
    is_test_path: |path| {
        path.split('/').any(|part| matches!(part, "spec" | "test" | "tests")) || path.ends_with("_spec.lua")
    },
    is_library,
};

language!(GRAMMAR, &["lua", "rockspec"], &[]);

fn role<'t>(source: &Source<'_>, node: Node<'t>, _: Option<Node<'t>>) -> Role<'t> {
    match node.kind() {
        "comment" => Role::Comment,
        "function_declaration" => match field(node, "name") {
            Some(name) => function(node, name, node),
            None => Role::Plain,
        },
        "assignment_statement" => assignment(source, node),
        "function_call" => call(source, node),
        "dot_index_expression" => match (field(node, "table"), field(node, "field")) {
            (Some(base), Some(name)) => Role::Member { base, name },
            _ => Role::Plain,
        },
        "return_statement" => {
            let first = child_of(node, &["expression_list"]).and_then(|list| list.named_child(0));
            first.map_or(Role::Plain, Role::Result)
        }
        "identifier" if source.text(node) == "self" => Role::This,
        "identifier" => Role::Name,
        "string" => Role::Text,
        "number" => Role::Number,
        "true" | "false" => Role::Bool,
        "nil" => Role::Nothing,
        "binary_expression" => either(source, node),
        // `local x`, to be given a value later.
        "variable_declaration" => match named_children(node)[..] {
            [names] if names.kind() == "variable_list" => match named_children(names)[..] {
                [name] => Role::Declared { name },
                _ => Role::Plain,
            },
            _ => Role::Plain,
        },
        "parenthesized_expression" => match node.named_child(0) {
            Some(inner) => Role::Same(inner),
            None => Role::Plain,
        },
        "do_statement" | "for_statement" | "while_statement" | "function_definition" => Role::Block,
        _ => Role::Plain,
    }
}

/// `a or b`, and `c and a or b`.
fn either<'t>(source: &Source<'_>, node: Node<'t>) -> Role<'t> {
    let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else { return Role::Plain };
    let between = source.0.get(left.end_byte()..right.start_byte()).unwrap_or(&[]);
    match between.trim_ascii() {
        b"or" => Role::Either(vec![left, right]),
        // What is not the right side is as good as nothing.
        b"and" => Role::Same(right),
        _ => Role::Plain,
    }
}

/// `function f`, `function M.f`, `function M:f` and `M.f = function`.
fn function<'t>(_: Node<'t>, name: Node<'t>, value: Node<'t>) -> Role<'t> {
    let is_method = name.kind() == "method_index_expression";
    let own = match name.kind() {
        "dot_index_expression" => field(name, "field"),
        "method_index_expression" => field(name, "method"),
        _ => Some(name),
    };
    let Some(own) = own else { return Role::Plain };
    let mut function = Function::new(own, field(value, "body"));
    let params = field(value, "parameters").map(named_children).unwrap_or_default();
    function.params = params
        .into_iter()
        .filter(|p| p.kind() == "identifier")
        .map(|name| Param { name, ty: None })
        .collect();
    function.marks = Marks { is_method, ..Marks::default() };
    Role::Function(function)
}

fn assignment<'t>(source: &Source<'_>, node: Node<'t>) -> Role<'t> {
    let names = child_of(node, &["variable_list"]);
    let values = child_of(node, &["expression_list"]);
    let (Some(name), Some(value)) =
        (names.and_then(|n| n.named_child(0)), values.and_then(|v| v.named_child(0)))
    else {
        return Role::Plain;
    };
    // `local copy, find = tablex.copy, tablex.find`
    let (all_names, all_values) =
        (names.map(named_children).unwrap_or_default(), values.map(named_children).unwrap_or_default());
    let is_plain = |(name, value): &(Node<'t>, Node<'t>)| {
        name.kind() == "identifier"
            && matches!(value.kind(), "identifier" | "dot_index_expression" | "function_call")
    };
    if all_names.len() > 1 {
        let pairs = all_names.into_iter().zip(all_values).filter(is_plain);
        return Role::Values(pairs.collect());
    }
    match (name.kind(), value.kind()) {
        ("identifier" | "dot_index_expression", "function_definition") => function(node, name, value),
        ("identifier", "function_call") if required(source, value).is_some() => {
            let asked = required(source, value).unwrap_or_default();
            Role::Import(vec![Imported { path: vec![asked], bind: Some(source.text(name).to_owned()) }])
        }
        ("identifier", "table_constructor") => Role::Table { name },
        ("identifier", _) => Role::Value { name, ty: None, value: Some(value), is_constant: false },
        _ => Role::Plain,
    }
}

/// What `require("…")` asks for.
fn required(source: &Source<'_>, call: Node<'_>) -> Option<String> {
    let name = field(call, "name")?;
    if source.text(name) != "require" {
        return None;
    }
    let argument = field(call, "arguments")?.named_child(0)?;
    Some(source.text(field(argument, "content")?).to_owned())
}

fn call<'t>(source: &Source<'_>, node: Node<'t>) -> Role<'t> {
    let Some(callee) = field(node, "name") else { return Role::Plain };
    let args = field(node, "arguments");
    match callee.kind() {
        // A value that a table stands behind has what the table has.
        "identifier" if source.text(callee) == "setmetatable" => {
            let table =
                args.and_then(|args| args.named_child(1)).filter(|table| table.kind() == "identifier");
            table.map_or(Role::Plain, Role::Same)
        }
        "identifier" if matches!(source.text(callee), "it" | "describe" | "context") => {
            let given = args.map(named_children).unwrap_or_default();
            match given[..] {
                [text, body]
                    if source.text(callee) == "it"
                        && text.kind() == "string"
                        && body.kind() == "function_definition" =>
                {
                    let mut function = Function::new(text, Some(body));
                    function.called = field(text, "content").map(|content| source.text(content).to_owned());
                    function.marks = Marks { is_test: true, is_titled: true, ..Marks::default() };
                    Role::Function(function)
                }
                _ => Role::Plain,
            }
        }
        "identifier" => Role::Call { receiver: None, name: callee, args },
        "dot_index_expression" => match (field(callee, "table"), field(callee, "field")) {
            (Some(base), Some(name)) => Role::Call { receiver: Some(base), name, args },
            _ => Role::Plain,
        },
        "method_index_expression" => match (field(callee, "table"), field(callee, "method")) {
            (Some(base), Some(name)) => Role::Call { receiver: Some(base), name, args },
            _ => Role::Plain,
        },
        _ => Role::Plain,
    }
}

/// `a.b` is `a/b.lua` or `a/b/init.lua`, below a folder around the file or below its `src`, `lua` or `vendor`.
fn find(from: &str, asked: &str, is_file: &dyn Fn(&str) -> bool) -> Option<String> {
    let path = asked.replace('.', "/");
    let mut root = folder(from);
    loop {
        for base in ["", "src/", "lua/", "lib/", "vendor/", "deps/"] {
            let head = if root.is_empty() { base.to_owned() } else { format!("{root}/{base}") };
            for end in [".lua", "/init.lua"] {
                let whole = format!("{head}{path}{end}");
                if is_file(&whole) {
                    return Some(whole);
                }
            }
        }
        if root.is_empty() {
            return None;
        }
        root = folder(root);
    }
}

fn is_library(name: &str) -> bool {
    matches!(
        name,
        "print"
            | "pairs"
            | "ipairs"
            | "type"
            | "tostring"
            | "tonumber"
            | "assert"
            | "error"
            | "pcall"
            | "xpcall"
            | "require"
            | "setmetatable"
            | "getmetatable"
            | "rawget"
            | "rawset"
            | "select"
            | "unpack"
            | "next"
            | "load"
            | "loadstring"
            | "dofile"
            | "loadfile"
            | "rawequal"
            | "rawlen"
            | "collectgarbage"
    )
}

const NAME: &str = "lua";
