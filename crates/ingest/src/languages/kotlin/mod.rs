//! Kotlin: its nodes, packages, tests of JUnit and kotlin.test.

mod readable;
mod separators;
#[cfg(test)]
mod tests;

use tree_sitter::Node;

use super::simple::{
    Function, Grammar, HandedTo, Imported, Marks, Param, Role, Source, Unit, child_of, children_of, language,
};
use crate::facts::DefKind;
use crate::resolve::rules::{Parameters, WrittenAsClass};
use crate::sheet::{field, named_children};

static GRAMMAR: Grammar = Grammar {
    name: NAME,
    language: || tree_sitter_kotlin_ng::LANGUAGE.into(),
    readable: Some(readable::readable),
    role,
    unit: Unit::Package,
    sees_outer_packages: false,
    shares_functions: true,
    global_functions: false,
    extensions: true,
    functions_apart: false,
    has_clauses: false,
    parameters: Parameters {
        any_number: Some("vararg "),
        written_as_class: WrittenAsClass::First,
        ..Parameters::PLAIN
    },
    find: None,
    module: None,
    routes: None,
    is_test_path: |path| {
        path.split('/').any(|part| part == "test" || part.ends_with("Test")) || path.ends_with("Test.kt")
    },
    is_library,
};

language!(GRAMMAR, &["kt", "kts"], &[]);

fn role<'t>(source: &Source<'_>, node: Node<'t>, up: Option<Node<'t>>) -> Role<'t> {
    match node.kind() {
        "line_comment" | "block_comment" => Role::Comment,
        "package_header" => match child_of(node, &["qualified_identifier", "identifier"]) {
            Some(name) => Role::Package { name, body: None },
            None => Role::Plain,
        },
        "import" => Role::Import(import(source, node)),
        "class_declaration" | "object_declaration" => ty(source, node),
        "companion_object" => Role::Plain,
        "object_literal" => nameless(node),
        "function_declaration" => function(source, node, up),
        "secondary_constructor" => constructor(node),
        "constructor_delegation_call" => {
            let is_own = source.text(node).starts_with("this");
            let to = if is_own { HandedTo::Own } else { HandedTo::Base };
            Role::HandedOn { to, args: child_of(node, &["value_arguments"]) }
        }
        "type_alias" => match (field(node, "type"), named_children(node).into_iter().next_back()) {
            (Some(name), Some(of)) if of.id() != name.id() => Role::Alias { name, of },
            _ => Role::Plain,
        },
        "property_declaration" => property(source, node, up),
        "class_parameter" | "parameter" => parameter(node),
        "call_expression" => call(node),
        "navigation_expression" => match (node.named_child(0), node.named_child(1)) {
            (Some(base), Some(name)) if name.kind() == "identifier" => Role::Member { base, name },
            _ => Role::Plain,
        },
        "identifier" => Role::Name,
        "this_expression" => Role::This,
        "super_expression" => Role::Super,
        "string_literal" => Role::Text,
        "number_literal" | "float_literal" => Role::Number,
        "unary_expression" => Role::Same(operand(node)),
        "value_argument" | "parenthesized_expression" => match named_children(node).into_iter().next_back() {
            Some(inner) => Role::Same(inner),
            None => Role::Plain,
        },
        "lambda_literal" | "block" => Role::Block,
        "annotation" => Role::Skip,
        _ => Role::Plain,
    }
}

fn import(source: &Source<'_>, node: Node<'_>) -> Vec<Imported> {
    let text = source.text(node).trim().trim_start_matches("import").trim().trim_end_matches(';');
    if let Some(package) = text.strip_suffix(".*") {
        return vec![Imported::all(package, &['.'])];
    }
    match text.split_once(" as ") {
        Some((path, alias)) => vec![Imported::name(path, &['.'], Some(alias.trim()))],
        None => vec![Imported::name(text, &['.'], None)],
    }
}

fn ty<'t>(source: &Source<'_>, node: Node<'t>) -> Role<'t> {
    let Some(name) = field(node, "name").or_else(|| child_of(node, &["identifier"])) else {
        return Role::Plain;
    };
    let head = source.before(node, name);
    let has = |wanted: &str| head.split_whitespace().any(|word| word == wanted);
    let kind = match (has("interface"), has("enum")) {
        (true, _) => DefKind::Interface,
        (_, true) => DefKind::Enum,
        _ => DefKind::Class,
    };
    let specifiers = child_of(node, &["delegation_specifiers"]).map(named_children).unwrap_or_default();
    let mut bases = Vec::new();
    for specifier in specifiers {
        let Some(inner) = specifier.named_child(0) else { continue };
        bases.push(if inner.kind() == "constructor_invocation" {
            inner.named_child(0).unwrap_or(inner)
        } else {
            inner
        });
    }
    Role::Type { kind, name, body: child_of(node, &["class_body", "enum_class_body"]), bases }
}

/// `object : Base() { … }`.
fn nameless(node: Node<'_>) -> Role<'_> {
    let first = child_of(node, &["delegation_specifiers"]).and_then(|specifiers| specifiers.named_child(0));
    let base = first.and_then(|first| first.named_child(0)).and_then(|base| match base.kind() {
        "constructor_invocation" => base.named_child(0),
        _ => Some(base),
    });
    Role::Nameless { base, body: child_of(node, &["class_body"]) }
}

fn function<'t>(source: &Source<'_>, node: Node<'t>, up: Option<Node<'t>>) -> Role<'t> {
    let Some(name) = field(node, "name") else { return Role::Plain };
    let body = child_of(node, &["function_body"]);
    let mut function = Function::new(name, body);
    let types = ["user_type", "nullable_type"];
    for child in named_children(node) {
        // A type before the name is what an extension is for; one after the parameters is the result.
        if types.contains(&child.kind()) {
            if child.start_byte() < name.start_byte() {
                function.of = Some(child);
            } else {
                function.returns = Some(child);
            }
        }
    }
    function.params = parameters(node);
    let head = source.before(node, name);
    function.marks = Marks {
        is_test: ["@Test", "@ParameterizedTest", "@RepeatedTest"].iter().any(|mark| head.contains(mark)),
        is_entry: source.text(name) == "main" && up.is_some_and(|parent| parent.kind() == "source_file"),
        is_private: head.contains("private "),
        ..Marks::default()
    };
    Role::Function(function)
}

/// `constructor(n: Int) : this(n, 1)`.
fn constructor(node: Node<'_>) -> Role<'_> {
    let mut cursor = node.walk();
    let Some(word) = node.children(&mut cursor).find(|child| child.kind() == "constructor") else {
        return Role::Plain;
    };
    let mut function = Function::new(word, child_of(node, &["block"]));
    function.called = Some("constructor".to_owned());
    function.params = parameters(node);
    function.marks = Marks { is_method: true, is_bodiless: true, ..Marks::default() };
    Role::Function(function)
}

fn parameters(node: Node<'_>) -> Vec<Param<'_>> {
    let list = child_of(node, &["function_value_parameters"]);
    let list = list.map(|list| children_of(list, &["parameter"])).unwrap_or_default();
    let ty = |param| child_of(param, &["user_type", "nullable_type"]);
    list.into_iter().filter_map(|p| Some(Param { name: child_of(p, &["identifier"])?, ty: ty(p) })).collect()
}

/// A field; one that is made anew each time it is read is like a function.
fn property<'t>(source: &Source<'_>, node: Node<'t>, up: Option<Node<'t>>) -> Role<'t> {
    let Some(declared) = child_of(node, &["variable_declaration"]) else { return Role::Plain };
    let Some(name) = child_of(declared, &["identifier"]) else { return Role::Plain };
    let ty = child_of(declared, &["user_type", "nullable_type"]);
    let is_member = up.is_some_and(|up| matches!(up.kind(), "class_body" | "enum_class_body"));
    if let Some(getter) = child_of(node, &["getter"]).filter(|_| is_member) {
        let mut function = Function::new(name, Some(getter));
        function.returns = ty;
        let is_private = source.before(node, declared).contains("private ");
        function.marks = Marks { is_private, is_method: true, is_property: true, ..Marks::default() };
        return Role::Function(function);
    }
    let value =
        named_children(node).into_iter().next_back().filter(|value| value.start_byte() > declared.end_byte());
    let is_constant = source.before(node, declared).split_whitespace().any(|word| word == "const");
    Role::Value { name, ty, value, is_constant }
}

/// `class A(val b: B)` declares a field. Parameters of functions are bound by the function.
fn parameter(node: Node<'_>) -> Role<'_> {
    match (node.kind(), child_of(node, &["identifier"])) {
        ("class_parameter", Some(name)) => Role::Value {
            name,
            ty: child_of(node, &["user_type", "nullable_type"]),
            value: None,
            is_constant: false,
        },
        _ => Role::Plain,
    }
}

fn call(node: Node<'_>) -> Role<'_> {
    let Some(callee) = node.named_child(0).map(operand) else { return Role::Plain };
    let args = child_of(node, &["value_arguments"]);
    match callee.kind() {
        "identifier" => Role::Call { receiver: None, name: callee, args },
        "navigation_expression" => match (callee.named_child(0), callee.named_child(1)) {
            (Some(base), Some(name)) if name.kind() == "identifier" => {
                Role::Call { receiver: Some(base), name, args }
            }
            _ => Role::Plain,
        },
        _ => Role::Plain,
    }
}

/// The grammar reads `!f()` as a call of `!f`: what stands after the operators is called.
fn operand(mut node: Node<'_>) -> Node<'_> {
    while node.kind() == "unary_expression" {
        match field(node, "argument") {
            Some(inner) => node = inner,
            None => break,
        }
    }
    node
}

fn is_library(name: &str) -> bool {
    matches!(
        name,
        "println"
            | "print"
            | "listOf"
            | "mutableListOf"
            | "mapOf"
            | "mutableMapOf"
            | "setOf"
            | "arrayOf"
            | "require"
            | "check"
            | "error"
            | "run"
            | "with"
            | "apply"
            | "also"
            | "let"
            | "lazy"
            | "repeat"
            | "TODO"
            | "assertEquals"
            | "assertTrue"
            | "assertThat"
            | "requireNotNull"
            | "checkNotNull"
            | "buildString"
            | "emptyList"
            | "sequence"
            | "use"
            | "to"
            | "until"
            | "synchronized"
    )
}

const NAME: &str = "kotlin";
