//! PHP: its nodes, namespaces, tests of PHPUnit.

#[cfg(test)]
mod tests;

mod routes;

use tree_sitter::Node;

use super::simple::{
    Function, Grammar, Imported, Marks, Param, Role, Source, Unit, child_of, children_of, language,
};
use crate::facts::DefKind;
use crate::resolve::rules::Parameters;
use crate::sheet::{field, named_children};

static GRAMMAR: Grammar = Grammar {
    name: NAME,
    language: || tree_sitter_php::LANGUAGE_PHP.into(),
    readable: None,
    role,
    unit: Unit::Package,
    sees_outer_packages: false,
    shares_functions: true,
    global_functions: true,
    extensions: false,
    functions_apart: false,
    has_clauses: false,
    parameters: Parameters::PLAIN,
    find: None,
    module: None,
    routes: Some(routes::of_call),
    is_test_path: |path| {
        path.split('/').any(|part| matches!(part, "test" | "tests" | "Tests")) || path.ends_with("Test.php")
    },
    is_library: |_| false,
};

language!(GRAMMAR, &["php", "phtml"], &[]);

fn role<'t>(source: &Source<'_>, node: Node<'t>, up: Option<Node<'t>>) -> Role<'t> {
    match node.kind() {
        "comment" => Role::Comment,
        "namespace_definition" => match field(node, "name") {
            Some(name) => Role::Package { name, body: field(node, "body") },
            None => Role::Plain,
        },
        "namespace_use_declaration" => Role::Import(uses(source, node)),
        "class_declaration" => ty(DefKind::Class, node),
        "interface_declaration" => ty(DefKind::Interface, node),
        "trait_declaration" => ty(DefKind::Trait, node),
        "enum_declaration" => ty(DefKind::Enum, node),
        "method_declaration" | "function_definition" => function(source, node),
        "property_element" => match field(node, "name").or_else(|| node.named_child(0)).and_then(bare) {
            Some(name) => {
                let ty = up.and_then(|parent| field(parent, "type"));
                Role::Value { name, ty, value: None, is_constant: false }
            }
            None => Role::Plain,
        },
        "const_element" => match node.named_child(0) {
            Some(name) => Role::Value { name, ty: None, value: node.named_child(1), is_constant: true },
            None => Role::Plain,
        },
        "property_promotion_parameter" => Role::Plain,
        "assignment_expression" => match (field(node, "left"), field(node, "right")) {
            (Some(left), right) if left.kind() == "variable_name" => {
                Role::Value { name: left, ty: None, value: right, is_constant: false }
            }
            _ => Role::Plain,
        },
        "function_call_expression" => match field(node, "function") {
            Some(name) if matches!(name.kind(), "name" | "qualified_name") => {
                Role::Call { receiver: None, name, args: field(node, "arguments") }
            }
            _ => Role::Plain,
        },
        "member_call_expression" | "nullsafe_member_call_expression" => {
            match (field(node, "object"), field(node, "name")) {
                (Some(object), Some(name)) if name.kind() == "name" => {
                    Role::Call { receiver: Some(object), name, args: field(node, "arguments") }
                }
                _ => Role::Plain,
            }
        }
        "scoped_call_expression" => match (field(node, "scope"), field(node, "name")) {
            (Some(scope), Some(name)) if name.kind() == "name" => {
                Role::Call { receiver: Some(scope), name, args: field(node, "arguments") }
            }
            _ => Role::Plain,
        },
        "object_creation_expression" => match child_of(node, &["name", "qualified_name"]) {
            Some(ty) => Role::New { ty, args: child_of(node, &["arguments"]) },
            None => Role::Plain,
        },
        "member_access_expression" | "nullsafe_member_access_expression" => {
            match (field(node, "object"), field(node, "name")) {
                (Some(base), Some(name)) if name.kind() == "name" => Role::Member { base, name },
                _ => Role::Plain,
            }
        }
        "variable_name" if source.text(node) == "$this" => Role::This,
        "variable_name" => Role::Name,
        "name" | "qualified_name" if stands_for_class(node, up) => Role::Path,
        "relative_scope" if source.text(node) == "parent" => Role::Super,
        "relative_scope" => Role::This,
        "string" | "encapsed_string" | "heredoc" => Role::Text,
        "integer" | "float" => Role::Number,
        "boolean" => Role::Bool,
        "null" => Role::Nothing,
        "binary_expression" => match (field(node, "left"), field(node, "operator"), field(node, "right")) {
            (Some(left), Some(operator), Some(right)) if matches!(operator.kind(), "??" | "?:") => {
                Role::Either(vec![left, right])
            }
            _ => Role::Plain,
        },
        "conditional_expression" => match (field(node, "body"), field(node, "alternative")) {
            (Some(one), Some(other)) => Role::Either(vec![one, other]),
            _ => Role::Plain,
        },
        "parenthesized_expression" | "argument" => match node.named_child(0) {
            Some(inner) => Role::Same(inner),
            None => Role::Plain,
        },
        "anonymous_function" | "arrow_function" => Role::Block,
        "attribute_list" => Role::Skip,
        _ => Role::Plain,
    }
}

/// Only what stands before `::` is a class by its name.
fn stands_for_class(node: Node<'_>, up: Option<Node<'_>>) -> bool {
    up.is_some_and(|parent| {
        parent.kind().starts_with("scoped_")
            && field(parent, "scope").is_some_and(|scope| scope.id() == node.id())
    })
}

/// `$name` as fields are called: `name`.
fn bare(name: Node<'_>) -> Option<Node<'_>> {
    if name.kind() == "variable_name" { name.named_child(0) } else { Some(name) }
}

/// `use A\\B;`, `use A\\B as C;`, `use A\\{B, C};`, `use function A\\b;`
fn uses(source: &Source<'_>, node: Node<'_>) -> Vec<Imported> {
    let text = source.text(node).trim().trim_start_matches("use").trim().trim_end_matches(';');
    let text = text.strip_prefix("function ").or_else(|| text.strip_prefix("const ")).unwrap_or(text);
    let (prefix, list) = match text.split_once('{') {
        Some((prefix, list)) => (prefix, list.trim_end_matches('}')),
        None => ("", text),
    };
    let one = |item: &str| {
        let (path, alias) = match item.split_once(" as ") {
            Some((path, alias)) => (path, Some(alias.trim())),
            None => (item, None),
        };
        Imported::name(&format!("{prefix}{}", path.trim()), &['\\'], alias)
    };
    list.split(',').filter(|item| !item.trim().is_empty()).map(one).collect()
}

fn ty(kind: DefKind, node: Node<'_>) -> Role<'_> {
    let Some(name) = field(node, "name") else { return Role::Plain };
    let body = field(node, "body");
    let mut bases: Vec<Node<'_>> = Vec::new();
    for clause in children_of(node, &["base_clause", "class_interface_clause"]) {
        bases.extend(named_children(clause));
    }
    // A trait that is used gives its methods.
    for used in body.map(|body| children_of(body, &["use_declaration"])).unwrap_or_default() {
        bases.extend(children_of(used, &["name", "qualified_name"]));
    }
    Role::Type { kind, name, body, bases }
}

fn function<'t>(source: &Source<'_>, node: Node<'t>) -> Role<'t> {
    let Some(name) = field(node, "name") else { return Role::Plain };
    let mut function = Function::new(name, field(node, "body"));
    function.returns = field(node, "return_type");
    let parameters = field(node, "parameters").map(named_children).unwrap_or_default();
    function.params = parameters
        .into_iter()
        .filter_map(|p| Some(Param { name: field(p, "name")?, ty: field(p, "type") }))
        .collect();
    let head = source.before(node, name);
    let is_method = node.kind() == "method_declaration";
    function.marks = Marks {
        is_test: is_method && (source.text(name).starts_with("test") || head.contains("#[Test]")),
        is_private: head.contains("private"),
        is_static: head.contains("static"),
        is_method,
        ..Marks::default()
    };
    Role::Function(function)
}

const NAME: &str = "php";
