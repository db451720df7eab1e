//! C#: its nodes, namespaces, attributes that mark tests.

mod readable;
#[cfg(test)]
mod tests;

use tree_sitter::Node;

use super::routes::{joined, method, quoted};
use super::simple::{
    FoundRoute, Function, Grammar, HandedTo, Imported, Marks, Param, Role, Source, Unit, child_of,
    children_of, language,
};
use crate::facts::DefKind;
use crate::resolve::rules::{Parameters, WrittenAsClass};
use crate::sheet::{field, named_children};

static GRAMMAR: Grammar = Grammar {
    name: NAME,
    language: || tree_sitter_c_sharp::LANGUAGE.into(),
    readable: Some(readable::first_branches),
    role,
    unit: Unit::Package,
    sees_outer_packages: true,
    shares_functions: true,
    global_functions: false,
    extensions: true,
    functions_apart: false,
    has_clauses: false,
    parameters: Parameters {
        any_number: Some("params "),
        written_as_class: WrittenAsClass::Records,
        ..Parameters::PLAIN
    },
    find: None,
    module: None,
    routes: Some(routes),
    is_test_path: |path| {
        path.split('/').any(|part| part.ends_with("Tests") || part.ends_with(".Test") || part == "test")
    },
    is_library: |name| {
        matches!(
            name,
            "nameof" | "typeof" | "ToString" | "Equals" | "GetHashCode" | "GetType" | "ReferenceEquals"
        )
    },
};

language!(GRAMMAR, &["cs"], &[]);

fn role<'t>(source: &Source<'_>, node: Node<'t>, up: Option<Node<'t>>) -> Role<'t> {
    match node.kind() {
        "comment" => Role::Comment,
        "using_directive" => Role::Import(using(source, node)),
        "namespace_declaration" | "file_scoped_namespace_declaration" => match field(node, "name") {
            Some(name) => Role::Package { name, body: field(node, "body") },
            None => Role::Plain,
        },
        "class_declaration" | "record_declaration" => ty(DefKind::Class, node),
        "struct_declaration" | "record_struct_declaration" => ty(DefKind::Struct, node),
        "interface_declaration" => ty(DefKind::Interface, node),
        "enum_declaration" => ty(DefKind::Enum, node),
        "method_declaration" | "constructor_declaration" | "local_function_statement" => {
            function(source, node)
        }
        "property_declaration" => property(source, node, field(node, "name"), None),
        "indexer_declaration" => property(source, node, field(node, "parameters"), Some("this[]")),
        "operator_declaration" => operator(source, node, field(node, "operator")),
        "conversion_operator_declaration" => operator(source, node, field(node, "type")),
        "destructor_declaration" => match field(node, "name") {
            Some(name) => {
                let mut function = Function::new(name, field(node, "body"));
                function.called = Some(format!("~{}", source.text(name)));
                Role::Function(function)
            }
            None => Role::Plain,
        },
        "variable_declarator" => variable(source, node, up),
        "foreach_statement" | "block" | "for_statement" | "lambda_expression" => Role::Block,
        "invocation_expression" => call(node),
        "object_creation_expression" => match field(node, "type") {
            Some(ty) => Role::New { ty, args: field(node, "arguments") },
            None => Role::Plain,
        },
        "implicit_object_creation_expression" => match wanted_type(node) {
            Some(ty) => Role::New { ty, args: child_of(node, &["argument_list"]) },
            None => Role::Plain,
        },
        "constructor_initializer" => {
            let is_own = source.text(node).trim_start_matches([':', ' ']).starts_with("this");
            let to = if is_own { HandedTo::Own } else { HandedTo::Base };
            Role::HandedOn { to, args: child_of(node, &["argument_list"]) }
        }
        "member_access_expression" => {
            match (field(node, "expression").or_else(|| node.child(0)), field(node, "name")) {
                (Some(base), Some(name)) => Role::Member { base, name },
                _ => Role::Plain,
            }
        }
        "identifier" => Role::Name,
        "this" | "this_expression" => Role::This,
        "base" | "base_expression" => Role::Super,
        "string_literal" | "verbatim_string_literal" | "interpolated_string_expression" => Role::Text,
        "integer_literal" | "real_literal" => Role::Number,
        "boolean_literal" => Role::Bool,
        "parenthesized_expression" | "await_expression" | "argument" => match node.named_child(0) {
            Some(inner) => Role::Same(inner),
            None => Role::Plain,
        },
        "attribute_list" => Role::Skip,
        _ => Role::Plain,
    }
}

/// `using A.B;`, `using X = A.B;`, `using static A.B;`
fn using(source: &Source<'_>, node: Node<'_>) -> Vec<Imported> {
    let text = source.text(node).trim().trim_end_matches(';');
    let text = text.strip_prefix("global ").unwrap_or(text).trim_start_matches("using").trim();
    let text = text.strip_prefix("static ").unwrap_or(text);
    match text.split_once('=') {
        Some((alias, path)) => vec![Imported::name(path.trim(), &['.'], Some(alias.trim()))],
        None => vec![Imported::all(text, &['.'])],
    }
}

fn ty(kind: DefKind, node: Node<'_>) -> Role<'_> {
    let Some(name) = field(node, "name") else { return Role::Plain };
    let bases = child_of(node, &["base_list"]).map(named_children).unwrap_or_default();
    Role::Type { kind, name, body: field(node, "body"), bases }
}

fn function<'t>(source: &Source<'_>, node: Node<'t>) -> Role<'t> {
    field(node, "name").map_or(Role::Plain, |name| declared(source, node, name))
}

fn declared<'t>(source: &Source<'_>, node: Node<'t>, name: Node<'t>) -> Role<'t> {
    let mut function = Function::new(name, field(node, "body"));
    function.returns = field(node, "returns").or_else(|| field(node, "type"));
    let parameters =
        field(node, "parameters").map(|list| children_of(list, &["parameter"])).unwrap_or_default();
    function.params = parameters
        .into_iter()
        .filter_map(|p| Some(Param { name: field(p, "name")?, ty: field(p, "type") }))
        .collect();
    let head = source.before(node, name);
    let words: Vec<&str> = head.split(|c: char| !c.is_alphanumeric()).collect();
    let is_static = words.contains(&"static");
    let marks = ["Fact", "Theory", "Test", "TestMethod", "TestCase", "TestCaseSource", "DataTestMethod"];
    let is_test = head.contains('[') && words.iter().any(|word| marks.contains(word));
    function.marks = Marks {
        is_test,
        is_entry: is_static && source.text(name) == "Main",
        is_private: words.contains(&"private"),
        is_static,
        is_method: node.kind() != "local_function_statement",
        is_titled: is_explicit(node),
        ..Marks::default()
    };
    Role::Function(function)
}

/// `void ICollection.Add(…)`: called through the interface alone, not by its name on a value of the class.
fn is_explicit(node: Node<'_>) -> bool {
    child_of(node, &["explicit_interface_specifier"]).is_some()
}

/// A property or an indexer: what is done to read or write it is its body.
fn property<'t>(
    source: &Source<'_>,
    node: Node<'t>,
    name: Option<Node<'t>>,
    called: Option<&str>,
) -> Role<'t> {
    let Some(name) = name else { return Role::Plain };
    let value = field(node, "value").filter(|value| value.kind() == "arrow_expression_clause");
    let mut function = Function::new(name, field(node, "accessors").or(value));
    function.called = called.map(str::to_owned);
    function.returns = field(node, "type");
    let head = source.before(node, name);
    function.marks = Marks {
        is_private: head.contains("private "),
        is_static: head.contains("static "),
        is_method: true,
        is_property: true,
        is_titled: is_explicit(node),
        ..Marks::default()
    };
    Role::Function(function)
}

/// `operator +` and `operator Type`.
fn operator<'t>(source: &Source<'_>, node: Node<'t>, name: Option<Node<'t>>) -> Role<'t> {
    let Some(name) = name else { return Role::Plain };
    let Role::Function(mut function) = declared(source, node, name) else { return Role::Plain };
    function.called = Some(format!("operator {}", source.text(name)));
    function.marks.is_static = true;
    Role::Function(function)
}

/// What `new()` makes: the type that is written where its value goes.
fn wanted_type(node: Node<'_>) -> Option<Node<'_>> {
    let mut is_result = false;
    let mut at = node;
    while let Some(up) = at.parent() {
        match up.kind() {
            "variable_declaration" | "property_declaration" => {
                return field(up, "type").filter(|ty| ty.kind() != "implicit_type");
            }
            "method_declaration" | "local_function_statement" if is_result => {
                return field(up, "returns").or_else(|| field(up, "type"));
            }
            "return_statement" | "arrow_expression_clause" => is_result = true,
            "variable_declarator" | "equals_value_clause" | "parenthesized_expression" => {}
            // From a result the way leads up through statements.
            "lambda_expression" | "anonymous_method_expression" => return None,
            _ if is_result => {}
            _ => return None,
        }
        at = up;
    }
    None
}

/// Whether a field is one for all values, never changed.
fn is_constant(source: &Source<'_>, declaration: Node<'_>) -> bool {
    let before = source.0.get(..declaration.start_byte()).unwrap_or(&[]);
    let start = before.iter().rposition(|byte| b";{}]".contains(byte)).map_or(0, |at| at + 1);
    let head = std::str::from_utf8(&before[start..]).unwrap_or("");
    let has = |wanted: &str| head.split_whitespace().any(|word| word == wanted);
    has("const") || (has("static") && has("readonly"))
}

fn variable<'t>(source: &Source<'_>, node: Node<'t>, up: Option<Node<'t>>) -> Role<'t> {
    let Some(name) = field(node, "name") else { return Role::Plain };
    let declaration = up.filter(|parent| parent.kind() == "variable_declaration");
    let ty = declaration.and_then(|parent| field(parent, "type")).filter(|ty| ty.kind() != "implicit_type");
    let value = named_children(node).into_iter().next_back().filter(|value| value.id() != name.id());
    let is_constant = declaration.is_some_and(|declaration| is_constant(source, declaration));
    Role::Value { name, ty, value, is_constant }
}

fn call(node: Node<'_>) -> Role<'_> {
    let Some(function) = field(node, "function") else { return Role::Plain };
    let args = field(node, "arguments");
    match function.kind() {
        "member_access_expression" => match field(function, "name") {
            Some(name) => {
                let receiver = field(function, "expression").or_else(|| function.child(0));
                Role::Call { receiver, name: plain(name), args }
            }
            None => Role::Plain,
        },
        "identifier" => Role::Call { receiver: None, name: function, args },
        "generic_name" => Role::Call { receiver: None, name: plain(function), args },
        "conditional_access_expression" => Role::Plain,
        _ => Role::Plain,
    }
}

/// `[HttpGet("{id}")]` of ASP.NET, below the `[Route("api/[controller]")]` of its class.
fn routes(source: &Source<'_>, _: &str, above: &[Node<'_>], node: Node<'_>) -> Vec<FoundRoute> {
    let Some(name) = field(node, "name").filter(|_| node.kind() == "method_declaration") else {
        return Vec::new();
    };
    let class = above.iter().rev().find(|around| around.kind() == "class_declaration");
    let class_name = class.and_then(|class| field(*class, "name"));
    let head = class.zip(class_name).map_or("", |(class, name)| source.before(*class, name));
    let prefix = head.split_once("[Route(").and_then(|(_, rest)| quoted(rest)).unwrap_or("");
    let controller = class_name.map_or("", |name| source.text(name)).trim_end_matches("Controller");
    let prefix = prefix.replace("[controller]", &controller.to_lowercase());
    let mut found = Vec::new();
    for part in source.before(node, name).split('[').filter(|part| part.starts_with("Http")) {
        let word = part.trim_start_matches("Http").split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
        let written = part.split(']').next().and_then(quoted).unwrap_or("");
        if let Some(method) = method(word) {
            found.push(FoundRoute { method, pattern: joined(&prefix, written), handler: Vec::new() });
        }
    }
    found
}

/// A name without its type arguments.
fn plain(name: Node<'_>) -> Node<'_> {
    if name.kind() == "generic_name" { name.named_child(0).unwrap_or(name) } else { name }
}

const NAME: &str = "csharp";
