//! Zig: containers that are values, `@import`, `test` blocks.

#[cfg(test)]
mod tests;

use tree_sitter::Node;

use super::simple::{
    Function, Grammar, Imported, Marks, Param, Role, Source, Unit, child_of, children_of, language,
};
use crate::facts::DefKind;
use crate::manifest::{folder, join};
use crate::resolve::rules::Parameters;
use crate::sheet::{field, named_children};

static GRAMMAR: Grammar = Grammar {
    name: NAME,
    language: || tree_sitter_zig::LANGUAGE.into(),
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
    find: Some(|from, asked, is_file| join(folder(from), asked).filter(|path| is_file(path))),
    module: None,
    routes: None,
    is_test_path: |path| {
        path.split('/').any(|part| matches!(part, "test" | "tests")) || path.ends_with("_test.zig")
    },
    is_library: |_| false,
};

language!(GRAMMAR, &["zig"], &[]);

fn role<'t>(source: &Source<'_>, node: Node<'t>, up: Option<Node<'t>>) -> Role<'t> {
    match node.kind() {
        "comment" => Role::Comment,
        "variable_declaration" => variable(source, node, up),
        "function_declaration" => function(source, node, up),
        "test_declaration" => test(source, node),
        "container_field" => match field(node, "name") {
            Some(name) => Role::Value { name, ty: field(node, "type"), value: None, is_constant: false },
            None => Role::Plain,
        },
        "call_expression" => call(node),
        // `S{ .a = 1 }` runs no function: it is a value of its type.
        "struct_initializer" => match node.named_child(0).filter(|ty| is_named(*ty)) {
            Some(ty) => Role::ValueOf { ty },
            None => Role::Plain,
        },
        "field_expression" => match (field(node, "object"), field(node, "member")) {
            (Some(base), Some(name)) => Role::Member { base, name },
            _ => Role::Plain,
        },
        "builtin_function" if source.text(node).starts_with("@This") => Role::This,
        "builtin_function" if up.is_some_and(|up| up.kind() == "field_expression") => {
            match asked(source, node) {
                Some(asked) => Role::Loaded(asked.to_owned()),
                None => Role::Plain,
            }
        }
        "identifier" => Role::Name,
        "string" | "multiline_string" => Role::Text,
        "integer" | "float" => Role::Number,
        "boolean" => Role::Bool,
        "try_expression" | "parenthesized_expression" | "dereference_expression" => {
            match named_children(node).into_iter().next_back() {
                Some(inner) => Role::Same(inner),
                None => Role::Plain,
            }
        }
        "error_union_type" => Role::Same(operand(node)),
        "block" => Role::Block,
        _ => Role::Plain,
    }
}

fn variable<'t>(source: &Source<'_>, node: Node<'t>, up: Option<Node<'t>>) -> Role<'t> {
    let Some(name) = child_of(node, &["identifier"]) else { return Role::Plain };
    let value = named_children(node).into_iter().next_back().filter(|value| value.id() != name.id());
    let Some(value) = value else { return Role::Plain };
    let kind = match value.kind() {
        "struct_declaration" | "opaque_declaration" => Some(DefKind::Struct),
        "enum_declaration" | "union_declaration" | "error_set_declaration" => Some(DefKind::Enum),
        _ => None,
    };
    if let Some(kind) = kind {
        return Role::Type { kind, name, body: Some(value), bases: Vec::new() };
    }
    if value.kind() == "builtin_function"
        && let Some(asked) = asked(source, value)
    {
        return Role::Import(vec![Imported {
            path: vec![asked.to_owned()],
            bind: Some(source.text(name).to_owned()),
        }]);
    }
    let is_top = up.is_some_and(|parent| parent.kind() == "source_file");
    let is_constant = is_top && source.before(node, name).contains("const");
    Role::Value { name, ty: field(node, "type"), value: Some(value), is_constant }
}

fn function<'t>(source: &Source<'_>, node: Node<'t>, up: Option<Node<'t>>) -> Role<'t> {
    let Some(name) = field(node, "name") else { return Role::Plain };
    let mut function = Function::new(name, field(node, "body"));
    function.returns = field(node, "type");
    let parameters =
        child_of(node, &["parameters"]).map(|list| children_of(list, &["parameter"])).unwrap_or_default();
    function.params = parameters
        .into_iter()
        .filter_map(|p| Some(Param { name: field(p, "name")?, ty: field(p, "type") }))
        .collect();
    // A file may be a struct, whose methods stand at its top.
    let is_top = up.is_some_and(|parent| parent.kind() == "source_file");
    let first = function.params.first().and_then(|param| param.ty).filter(|_| is_top);
    let is_method = first.is_some_and(|ty| is_type_of_file(source, source.text(ty)));
    let is_public = source.before(node, name).contains("pub ");
    function.marks = Marks {
        is_entry: is_public && source.text(name) == "main" && is_top,
        is_private: !is_public,
        is_method,
        ..Marks::default()
    };
    Role::Function(function)
}

fn is_named(ty: Node<'_>) -> bool {
    matches!(ty.kind(), "identifier" | "field_expression")
}

/// The file that `@import("file")` asks for.
fn asked<'s>(source: &Source<'s>, node: Node<'_>) -> Option<&'s str> {
    source.text(node).strip_prefix("@import")?.split('"').nth(1)
}

/// Whether a type written at the top of a file is the file itself: `@This()`, or a name for it.
fn is_type_of_file(source: &Source<'_>, ty: &str) -> bool {
    let ty = ty.trim_start_matches(['*', '?', ' ']);
    let ty = ty.strip_prefix("const ").unwrap_or(ty).trim();
    let is_name = !ty.is_empty() && ty.chars().all(|c| c.is_alphanumeric() || c == '_');
    if !is_name {
        return ty == "@This()";
    }
    let named = [format!("const {ty} = @This()"), format!("pub const {ty} = @This()")];
    source
        .0
        .split(|&byte| byte == b'\n')
        .any(|line| named.iter().any(|start| line.starts_with(start.as_bytes())))
}

fn test<'t>(source: &Source<'_>, node: Node<'t>) -> Role<'t> {
    let body = child_of(node, &["block"]);
    let Some(name) = child_of(node, &["string", "identifier"]).or(body) else { return Role::Plain };
    let mut function = Function::new(name, body);
    let text = source.text(name).trim_matches('"');
    function.called = Some(if name.kind() == "block" { "test".to_owned() } else { text.to_owned() });
    function.marks = Marks { is_test: true, is_titled: true, ..Marks::default() };
    Role::Function(function)
}

fn call(node: Node<'_>) -> Role<'_> {
    let Some(callee) = field(node, "function").map(operand) else { return Role::Plain };
    match callee.kind() {
        "identifier" => Role::Call { receiver: None, name: callee, args: None },
        "field_expression" => match (field(callee, "object"), field(callee, "member")) {
            (Some(base), Some(name)) => Role::Call { receiver: Some(base), name, args: None },
            _ => Role::Plain,
        },
        _ => Role::Plain,
    }
}

/// The grammar reads `!f()` as a call of the type `!f`: what stands after the mark is called.
fn operand(node: Node<'_>) -> Node<'_> {
    match node.kind() {
        "error_union_type" => field(node, "ok").unwrap_or(node),
        _ => node,
    }
}

const NAME: &str = "zig";
