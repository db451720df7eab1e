//! Swift: its nodes, extensions, tests of XCTest and Swift Testing.

#[cfg(test)]
mod tests;

use tree_sitter::Node;

use super::simple::{
    Function, Grammar, Imported, Marks, Param, Role, Source, Unit, child_of, children_of, language,
};
use crate::facts::DefKind;
use crate::resolve::rules::Parameters;
use crate::sheet::{field, named_children};

static GRAMMAR: Grammar = Grammar {
    name: NAME,
    language: || tree_sitter_swift::LANGUAGE.into(),
    readable: None,
    role,
    unit: Unit::Program,
    sees_outer_packages: false,
    shares_functions: true,
    global_functions: false,
    extensions: false,
    functions_apart: false,
    has_clauses: false,
    parameters: Parameters::PLAIN,
    find: None,
    module: Some(module),
    routes: None,
    is_test_path: |path| {
        path.split('/').any(|part| part == "Tests" || part.ends_with("Tests"))
            || path.ends_with("Tests.swift")
    },
    is_library,
};

language!(GRAMMAR, &["swift"], &[]);

/// The target of a package that a file belongs to.
fn module(path: &str) -> Option<&str> {
    let mut parts = path.split('/');
    parts.find(|part| matches!(*part, "Sources" | "Tests"))?;
    let target = parts.next()?;
    // A file right below belongs to the only target there is.
    parts.next().map(|_| target)
}

fn role<'t>(source: &Source<'_>, node: Node<'t>, up: Option<Node<'t>>) -> Role<'t> {
    match node.kind() {
        "comment" | "multiline_comment" => Role::Comment,
        "import_declaration" => {
            let text =
                source.text(node).trim_start_matches("@testable").trim().trim_start_matches("import").trim();
            Role::Import(vec![Imported::all(text, &['.'])])
        }
        "class_declaration" => ty(source, node),
        "protocol_declaration" => match field(node, "name") {
            Some(name) => {
                Role::Type { kind: DefKind::Interface, name, body: field(node, "body"), bases: bases(node) }
            }
            None => Role::Plain,
        },
        "function_declaration" | "protocol_function_declaration" | "init_declaration" => {
            function(source, node, up)
        }
        "deinit_declaration" => by_word(node, "deinit", field(node, "body")),
        "subscript_declaration" => by_word(node, "subscript", child_of(node, &["computed_property"])),
        "typealias_declaration" => match (field(node, "name"), field(node, "value")) {
            (Some(name), Some(of)) => Role::Alias { name, of },
            _ => Role::Plain,
        },
        "property_declaration" => property(source, node, up),
        "call_expression" => call(node),
        "navigation_expression" => match (field(node, "target"), suffix(node)) {
            (Some(base), Some(name)) => Role::Member { base, name },
            _ => Role::Plain,
        },
        "simple_identifier" => Role::Name,
        "self_expression" => Role::This,
        "super_expression" => Role::Super,
        "line_string_literal" | "multi_line_string_literal" => Role::Text,
        "integer_literal" | "real_literal" => Role::Number,
        "boolean_literal" => Role::Bool,
        "try_expression" | "await_expression" => match named_children(node).into_iter().next_back() {
            Some(inner) => Role::Same(inner),
            None => Role::Plain,
        },
        "value_argument" => match field(node, "value") {
            Some(inner) => Role::Same(inner),
            None => Role::Plain,
        },
        "lambda_literal" | "statements" => Role::Block,
        "attribute" => Role::Skip,
        _ => Role::Plain,
    }
}

fn bases(node: Node<'_>) -> Vec<Node<'_>> {
    let specifiers = children_of(node, &["inheritance_specifier"]);
    specifiers.into_iter().filter_map(|specifier| field(specifier, "inherits_from")).collect()
}

/// Classes, structs, enums, actors and extensions share a node.
fn ty<'t>(source: &Source<'_>, node: Node<'t>) -> Role<'t> {
    let Some(name) = field(node, "name") else { return Role::Plain };
    let head = source.before(node, name);
    let kind = match head.split_whitespace().next_back() {
        Some("extension") => return Role::Extension { of: name, bases: bases(node) },
        Some("struct") => DefKind::Struct,
        Some("enum") => DefKind::Enum,
        _ => DefKind::Class,
    };
    Role::Type { kind, name, body: field(node, "body"), bases: bases(node) }
}

fn function<'t>(source: &Source<'_>, node: Node<'t>, up: Option<Node<'t>>) -> Role<'t> {
    let is_init = node.kind() == "init_declaration";
    let name = match is_init {
        true => node.child_by_field_name("name").or_else(|| node.child(0)),
        false => field(node, "name"),
    };
    let Some(name) = name else { return Role::Plain };
    let mut function = Function::new(name, field(node, "body"));
    if is_init {
        function.called = Some("init".to_owned());
    }
    function.params = parameters(node);
    let mut cursor = node.walk();
    let named: Vec<Node<'_>> = node.children_by_field_name("name", &mut cursor).collect();
    function.returns =
        named.into_iter().find(|child| matches!(child.kind(), "user_type" | "optional_type" | "array_type"));
    let head = source.before(node, name);
    let in_class = up.is_some_and(|parent| parent.kind() == "class_body");
    function.marks = Marks {
        is_test: head.contains("@Test")
            || (in_class && source.text(name).starts_with("test") && function.params.is_empty()),
        is_private: head.contains("private ") || head.contains("fileprivate "),
        is_static: head.contains("static ") || head.contains("class func"),
        ..Marks::default()
    };
    Role::Function(function)
}

/// What is called as the word it is written with.
fn by_word<'t>(node: Node<'t>, word: &str, body: Option<Node<'t>>) -> Role<'t> {
    let mut cursor = node.walk();
    let Some(name) = node.children(&mut cursor).find(|child| child.kind() == word) else {
        return Role::Plain;
    };
    let mut function = Function::new(name, body);
    function.params = parameters(node);
    function.marks = Marks { is_method: true, is_property: true, ..Marks::default() };
    Role::Function(function)
}

fn parameters(node: Node<'_>) -> Vec<Param<'_>> {
    let mut found = Vec::new();
    for parameter in children_of(node, &["parameter"]) {
        let names = children_of(parameter, &["simple_identifier"]);
        let ty = child_of(parameter, &["user_type", "optional_type", "array_type"]);
        // `func f(with name: T)`: the last name is the one inside.
        if let Some(&name) = names.last() {
            found.push(Param { name, ty });
        }
    }
    found
}

/// A field; one that is made anew each time it is read is like a function, and one of the type is a constant.
fn property<'t>(source: &Source<'_>, node: Node<'t>, up: Option<Node<'t>>) -> Role<'t> {
    let Some(name) = field(node, "name").and_then(|pattern| field(pattern, "bound_identifier")) else {
        return Role::Plain;
    };
    let annotation = child_of(node, &["type_annotation"]).and_then(|annotation| annotation.named_child(0));
    let head = source.before(node, name);
    let is_static = head.split_whitespace().any(|word| word == "static");
    let is_member = up.is_some_and(|up| matches!(up.kind(), "class_body" | "enum_class_body"));
    if let Some(body) = field(node, "computed_value").filter(|_| is_member) {
        let mut function = Function::new(name, Some(body));
        function.returns = annotation;
        function.marks = Marks {
            is_private: head.contains("private "),
            is_static,
            is_method: true,
            is_property: true,
            ..Marks::default()
        };
        return Role::Function(function);
    }
    let is_constant = is_member && is_static && head.split_whitespace().any(|word| word == "let");
    Role::Value { name, ty: annotation, value: field(node, "value"), is_constant }
}

fn suffix(node: Node<'_>) -> Option<Node<'_>> {
    let suffix = field(node, "suffix")?;
    field(suffix, "suffix").filter(|name| name.kind() == "simple_identifier")
}

fn call(node: Node<'_>) -> Role<'_> {
    let Some(callee) = node.named_child(0).map(operand) else { return Role::Plain };
    let args = child_of(node, &["call_suffix"]).and_then(|suffix| child_of(suffix, &["value_arguments"]));
    match callee.kind() {
        "simple_identifier" => Role::Call { receiver: None, name: callee, args },
        "navigation_expression" => match (field(callee, "target"), suffix(callee)) {
            (Some(base), Some(name)) => Role::Call { receiver: Some(base), name, args },
            _ => Role::Plain,
        },
        _ => Role::Plain,
    }
}

/// The grammar reads `!f()` as a call of `!f`: what stands after the operators is called.
fn operand(mut node: Node<'_>) -> Node<'_> {
    while node.kind() == "prefix_expression" {
        match field(node, "target") {
            Some(inner) => node = inner,
            None => break,
        }
    }
    node
}

fn is_library(name: &str) -> bool {
    matches!(
        name,
        "print"
            | "precondition"
            | "assert"
            | "fatalError"
            | "preconditionFailure"
            | "min"
            | "max"
            | "zip"
            | "type"
            | "abs"
            | "stride"
            | "withUnsafePointer"
            | "dump"
            | "debugPrint"
            | "String"
            | "Int"
            | "Array"
            | "Dictionary"
            | "Set"
    ) || name.starts_with("XCTAssert")
        || name.starts_with("AssertEqual")
}

const NAME: &str = "swift";
