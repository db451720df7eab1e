//! Open: modules that may have names which they do not say.

use tree_sitter::{Node, Tree};

/// Whether imports of everything or macros stand where items do. What is imported within something holds there alone.
pub(crate) fn is_open(tree: &Tree, text: &str) -> bool {
    let root = tree.root_node();
    let mut cursor = root.walk();
    let opens = |item: Node<'_>| match item.kind() {
        "use_declaration" => has_star(item),
        "macro_invocation" => true,
        "expression_statement" => item.named_child(0).is_some_and(|inner| inner.kind() == "macro_invocation"),
        // What is not understood may be one of these.
        _ => item.is_error(),
    };
    // A file that is taken in may bring anything, wherever it stands.
    text.contains("include!") || root.is_error() || root.named_children(&mut cursor).any(opens)
}

fn has_star(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.kind() == "use_wildcard" || node.named_children(&mut cursor).any(has_star)
}
