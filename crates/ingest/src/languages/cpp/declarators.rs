//! What a declarator declares, under its pointers, references and brackets.

use tree_sitter::Node;

use crate::facts::Name;
use crate::sheet::{Sheet, field};

/// Declarators nested deeper than this are not written by people.
pub(super) const MAX_NESTED: u32 = 16;

/// The node that holds the name.
pub(super) fn name_node(declarator: Node<'_>) -> Option<Node<'_>> {
    let mut at = declarator;
    for _ in 0..MAX_NESTED {
        match at.kind() {
            "identifier"
            | "field_identifier"
            | "type_identifier"
            | "qualified_identifier"
            | "destructor_name"
            | "operator_name"
            | "operator_cast"
            | "template_function" => {
                return Some(at);
            }
            _ => at = inner(at)?,
        }
    }
    None
}

fn inner(declarator: Node<'_>) -> Option<Node<'_>> {
    field(declarator, "declarator").or_else(|| {
        let is_wrapper = matches!(
            declarator.kind(),
            "reference_declarator"
                | "parenthesized_declarator"
                | "attributed_declarator"
                | "variadic_declarator"
        );
        let last = declarator.named_child_count().checked_sub(1)?;
        is_wrapper.then(|| declarator.named_child(last as u32)).flatten()
    })
}

/// The function that a declarator declares; nothing for a value or a pointer to a function.
pub(super) fn function(declarator: Node<'_>) -> Option<Node<'_>> {
    let mut at = declarator;
    for _ in 0..MAX_NESTED {
        match at.kind() {
            "function_declarator" => {
                let named = field(at, "declarator")?;
                let is_pointer = matches!(named.kind(), "parenthesized_declarator" | "function_declarator");
                return (!is_pointer).then_some(at);
            }
            "operator_cast" => return Some(at),
            _ => at = inner(at)?,
        }
    }
    None
}

/// Whether a value is a function or a pointer to one, so that its type is not the type that is written.
pub(super) fn is_function_value(declarator: Node<'_>) -> bool {
    let mut at = Some(declarator);
    for _ in 0..MAX_NESTED {
        match at {
            Some(node) if node.kind() == "function_declarator" => return true,
            Some(node) => at = inner(node),
            None => return false,
        }
    }
    false
}

/// Whether a declarator declares a pointer or a reference, or several of them.
pub(super) fn is_pointer(declarator: Node<'_>) -> bool {
    let mut at = Some(declarator);
    for _ in 0..MAX_NESTED {
        match at {
            Some(node) if matches!(node.kind(), "pointer_declarator" | "reference_declarator") => {
                return true;
            }
            Some(node) => at = inner(node),
            None => return false,
        }
    }
    false
}

/// How many times the value has to be indexed to get at what its type says.
pub(super) fn dimensions(declarator: Node<'_>) -> u32 {
    let mut at = Some(declarator);
    let mut count = 0;
    for _ in 0..MAX_NESTED {
        let Some(node) = at else { break };
        count += u32::from(node.kind() == "array_declarator");
        at = inner(node);
    }
    count
}

/// The parts of a name, outermost first, and the node of the last.
pub(super) fn segments<'t>(sheet: &mut Sheet<'_>, name: Node<'t>) -> (Vec<Name>, Node<'t>) {
    let mut parts = Vec::new();
    let mut at = name;
    for _ in 0..MAX_NESTED {
        if at.kind() != "qualified_identifier" {
            break;
        }
        if let Some(scope) = field(at, "scope") {
            let plain = field(scope, "name").unwrap_or(scope);
            parts.push(sheet.name_of(plain));
        }
        match field(at, "name") {
            Some(next) => at = next,
            None => break,
        }
    }
    let plain = match at.kind() {
        "template_function" | "template_type" | "template_method" => field(at, "name").unwrap_or(at),
        _ => at,
    };
    let last = match at.kind() {
        // `operator bool() const` is named by what it gives.
        "operator_cast" => {
            let ty = field(at, "type").map(|ty| sheet.text(ty)).unwrap_or("");
            let text = format!("operator {ty}");
            sheet.owned_name(&text)
        }
        _ => sheet.name_of(plain),
    };
    parts.push(last);
    (parts, at)
}
