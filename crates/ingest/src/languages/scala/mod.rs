//! Scala: its nodes, packages, objects.

#[cfg(test)]
mod tests;

use tree_sitter::Node;

use super::simple::{
    Function, Grammar, HandedTo, Imported, Marks, Param, Role, Source, Unit, child_of, children_of, language,
};
use crate::facts::DefKind;
use crate::resolve::rules::Parameters;
use crate::sheet::{field, named_children};

static GRAMMAR: Grammar = Grammar {
    name: NAME,
    language: || tree_sitter_scala::LANGUAGE.into(),
    readable: None,
    role,
    unit: Unit::Package,
    sees_outer_packages: false,
    shares_functions: true,
    global_functions: false,
    extensions: false,
    functions_apart: false,
    has_clauses: false,
    parameters: Parameters::PLAIN,
    find: None,
    module: None,
    routes: None,
    is_test_path: |path| {
        path.split('/').any(|part| part == "test")
            || path.ends_with("Test.scala")
            || path.ends_with("Spec.scala")
    },
    is_library,
};

language!(GRAMMAR, &["scala", "sc", "sbt"], &[]);

fn role<'t>(source: &Source<'_>, node: Node<'t>, _: Option<Node<'t>>) -> Role<'t> {
    match node.kind() {
        "comment" | "block_comment" => Role::Comment,
        "package_clause" => match field(node, "name") {
            Some(name) => Role::Package { name, body: field(node, "body") },
            None => Role::Plain,
        },
        "import_declaration" => Role::Import(import(source, node)),
        "class_definition" | "object_definition" => ty(DefKind::Class, node),
        "trait_definition" => ty(DefKind::Trait, node),
        "enum_definition" => ty(DefKind::Enum, node),
        "function_definition" | "function_declaration" => function(source, node),
        "class_parameter" => match field(node, "name") {
            Some(name) => Role::Value { name, ty: field(node, "type"), value: None, is_constant: false },
            None => Role::Plain,
        },
        "val_definition" | "var_definition" => match field(node, "pattern")
            .filter(|p| p.kind() == "identifier")
        {
            Some(name) => {
                Role::Value { name, ty: field(node, "type"), value: field(node, "value"), is_constant: false }
            }
            None => Role::Plain,
        },
        "call_expression" => call(source, node),
        "instance_expression" => {
            match child_of(node, &["type_identifier", "generic_type", "stable_type_identifier"]) {
                Some(ty) => Role::New { ty, args: field(node, "arguments") },
                None => Role::Plain,
            }
        }
        "field_expression" => match (field(node, "value"), field(node, "field")) {
            (Some(base), Some(name)) => Role::Member { base, name },
            _ => Role::Plain,
        },
        "identifier" if source.text(node) == "this" => Role::This,
        "identifier" if source.text(node) == "super" => Role::Super,
        "identifier" => Role::Name,
        "string" | "interpolated_string_expression" => Role::Text,
        "integer_literal" | "floating_point_literal" => Role::Number,
        "boolean_literal" => Role::Bool,
        "parenthesized_expression" => match node.named_child(0) {
            Some(inner) => Role::Same(inner),
            None => Role::Plain,
        },
        "block" | "lambda_expression" | "case_clause" => Role::Block,
        "annotation" => Role::Skip,
        _ => Role::Plain,
    }
}

/// `import a.b.C`, `import a.{B, C => D}`, `import a._`
fn import(source: &Source<'_>, node: Node<'_>) -> Vec<Imported> {
    let text = source.text(node).trim().trim_start_matches("import").trim();
    if let Some((prefix, list)) = text.split_once('{') {
        let one = |item: &str| {
            let item = item.trim();
            let (name, alias) = match item.split_once("=>").or_else(|| item.split_once(" as ")) {
                Some((name, alias)) => (name.trim(), Some(alias.trim())),
                None => (item, None),
            };
            match name {
                "_" | "*" => Imported::all(prefix, &['.']),
                name => Imported::name(&format!("{prefix}{name}"), &['.'], alias),
            }
        };
        return list
            .trim_end_matches('}')
            .split(',')
            .filter(|item| !item.trim().is_empty())
            .map(one)
            .collect();
    }
    text.split(',')
        .map(|path| match path.trim().strip_suffix("._").or_else(|| path.trim().strip_suffix(".*")) {
            Some(package) => Imported::all(package, &['.']),
            None => Imported::name(path, &['.'], None),
        })
        .collect()
}

fn ty(kind: DefKind, node: Node<'_>) -> Role<'_> {
    let Some(name) = field(node, "name") else { return Role::Plain };
    let bases = field(node, "extend").map(|clause| {
        let mut cursor = clause.walk();
        clause.children_by_field_name("type", &mut cursor).filter(Node::is_named).collect::<Vec<_>>()
    });
    Role::Type { kind, name, body: field(node, "body"), bases: bases.unwrap_or_default() }
}

fn function<'t>(source: &Source<'_>, node: Node<'t>) -> Role<'t> {
    let Some(name) = field(node, "name") else { return Role::Plain };
    let mut function = Function::new(name, field(node, "body"));
    function.returns = field(node, "return_type");
    let parameters =
        children_of(node, &["parameters"]).into_iter().flat_map(|list| children_of(list, &["parameter"]));
    function.params =
        parameters.filter_map(|p| Some(Param { name: field(p, "name")?, ty: field(p, "type") })).collect();
    let head = source.before(node, name);
    function.marks = Marks {
        is_test: head.contains("@Test"),
        is_entry: source.text(name) == "main",
        is_private: head.contains("private"),
        ..Marks::default()
    };
    Role::Function(function)
}

fn call<'t>(source: &Source<'_>, node: Node<'t>) -> Role<'t> {
    let Some(mut callee) = field(node, "function") else { return Role::Plain };
    if callee.kind() == "generic_function" {
        callee = field(callee, "function").unwrap_or(callee);
    }
    let args = field(node, "arguments");
    match callee.kind() {
        // Another constructor makes the value.
        "identifier" if source.text(callee) == "this" => Role::HandedOn { to: HandedTo::Own, args },
        "identifier" => Role::Call { receiver: None, name: callee, args },
        "field_expression" => match (field(callee, "value"), field(callee, "field")) {
            (Some(base), Some(name)) => Role::Call { receiver: Some(base), name, args },
            _ => Role::Plain,
        },
        _ => match named_children(node).first() {
            Some(&inner) => Role::Same(inner),
            None => Role::Plain,
        },
    }
}

fn is_library(name: &str) -> bool {
    matches!(
        name,
        "println"
            | "print"
            | "require"
            | "assert"
            | "List"
            | "Map"
            | "Set"
            | "Seq"
            | "Some"
            | "Option"
            | "Array"
            | "Vector"
            | "Right"
            | "Left"
            | "Iterator"
            | "classOf"
            | "implicitly"
            | "identity"
    )
}

const NAME: &str = "scala";
