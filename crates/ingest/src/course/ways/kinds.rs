//! Kinds: what nodes of the grammars are, and what is asked of them.

use tree_sitter::Node;

/// Kinds of nodes that are functions.
pub(in crate::course) fn is_function(kind: &str) -> bool {
    is_named(kind) || is_unnamed(kind)
}

pub(super) fn is_named(kind: &str) -> bool {
    matches!(
        kind,
        "function_definition"
            | "function_declaration"
            | "generator_function_declaration"
            | "method_declaration"
            | "method_definition"
            | "constructor_declaration"
            | "compact_constructor_declaration"
            | "function_item"
    )
}

pub(super) fn is_unnamed(kind: &str) -> bool {
    matches!(
        kind,
        "lambda"
            | "arrow_function"
            | "function_expression"
            | "generator_function"
            | "func_literal"
            | "lambda_expression"
            | "closure_expression"
            | "async_block"
    )
}

/// What has functions of its own.
pub(super) fn is_type(kind: &str) -> bool {
    matches!(
        kind,
        "class_definition"
            | "class_body"
            | "class_declaration"
            | "interface_declaration"
            | "enum_declaration"
            | "record_declaration"
            | "class_specifier"
            | "struct_specifier"
            | "impl_item"
            | "trait_item"
            | "mod_item"
    )
}

pub(super) fn row(row: usize) -> u32 {
    u32::try_from(row).unwrap_or(u32::MAX).saturating_add(1)
}

pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.kind().contains("comment")).collect()
}

pub(super) fn without_brackets(node: Node<'_>) -> Node<'_> {
    let mut node = node;
    while node.kind() == "parenthesized_expression"
        && let Some(inner) = children(node).into_iter().next()
    {
        node = inner;
    }
    node
}

/// The last name of what is called.
pub(super) fn last_part(node: Node<'_>) -> Node<'_> {
    let mut node = node;
    while let Some(part) = ["field", "attribute", "property", "name", "function"]
        .iter()
        .find_map(|field| node.child_by_field_name(field))
    {
        node = part;
    }
    match node.kind() {
        "generic_type" => node.named_child(0).map_or(node, last_part),
        _ => node,
    }
}

pub(super) fn has_chain(node: Node<'_>) -> bool {
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        if node.kind() == "optional_chain" {
            return true;
        }
        let fields = ["object", "function"].iter().filter_map(|field| node.child_by_field_name(field));
        open.extend(fields);
        let mut cursor = node.walk();
        open.extend(node.children(&mut cursor).filter(|child| child.kind() == "optional_chain"));
    }
    false
}

/// Whether a call ends the function, or the program.
pub(super) fn never_returns(family: &str, called: &str) -> bool {
    match family {
        "python" => matches!(called, "sys.exit" | "exit" | "quit" | "os._exit" | "os.abort"),
        "go" => {
            matches!(called, "panic" | "os.Exit" | "runtime.Goexit")
                || called.starts_with("log.Fatal")
                || called.starts_with("log.Panic")
        }
        "java" => called == "System.exit",
        "script" => called == "process.exit",
        "rust" => {
            matches!(
                called,
                "panic" | "unreachable" | "todo" | "unimplemented" | "process::exit" | "std::process::exit"
            )
        }
        "c" => matches!(called, "exit" | "abort" | "_exit" | "std::exit" | "std::abort"),
        _ => false,
    }
}
