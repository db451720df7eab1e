//! Closed: whether what was opened into a variable is closed by that variable, or by what wraps it.

use tree_sitter::Node;

/// Names that end a handle, or hand it to what ends it.
fn closes(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.contains("close") || name == "closing" || name == "enter_context" || name == "enter_async_context"
}

/// What is asked for a member, in any of the languages.
const MEMBERS: [&str; 5] =
    ["selector_expression", "attribute", "member_expression", "field_access", "method_invocation"];

fn text<'s>(source: &'s str, node: Node<'_>) -> &'s str {
    source.get(node.byte_range()).unwrap_or_default()
}

/// The last name of what is called.
fn called<'s>(source: &'s str, call: Node<'_>) -> &'s str {
    let callee =
        ["function", "constructor", "name", "type"].iter().find_map(|field| call.child_by_field_name(field));
    let whole = callee.map_or("", |callee| text(source, callee));
    whole.split(['(', '<']).next().unwrap_or(whole).rsplit(['.', ':']).next().unwrap_or(whole).trim()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
}

/// Whether a handle goes straight into a call that closes it, or is asked to close itself.
pub fn at_once(source: &str, opened: Node<'_>) -> bool {
    let mut inner = opened;
    while let Some(around) = inner.parent() {
        if around.child_by_field_name("arguments").is_some() && closes(called(source, around)) {
            return true;
        }
        if around.kind().ends_with("statement") || around.kind().ends_with("block") {
            return false;
        }
        inner = around;
    }
    false
}

/// Whether the variable `name` is closed in a function, behind the place where it was opened.
pub fn by_name(source: &str, function: Node<'_>, opened: Node<'_>, name: &str) -> bool {
    let mut names = vec![name];
    // In the order of the text, so that what wraps it is known before that is closed.
    let mut open = vec![function];
    while let Some(node) = open.pop() {
        let mut cursor = node.walk();
        let mut inside: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        inside.reverse();
        open.extend(inside);
        if node.start_byte() < opened.end_byte() {
            continue;
        }
        if ends(source, node, &names) {
            return true;
        }
        if let Some(wrapped) = wraps(source, node, &names) {
            names.push(wrapped);
        }
    }
    false
}

fn ends(source: &str, node: Node<'_>, names: &[&str]) -> bool {
    // Also what is asked of a part of it, as of the body of an answer.
    let is_of = |text: &str| {
        names.iter().any(|name| {
            let rest = text.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.') || rest.starts_with("?."))
        })
    };
    if MEMBERS.contains(&node.kind()) {
        let of = ["object", "operand"].iter().find_map(|field| node.child_by_field_name(field));
        let member = ["field", "attribute", "property", "name"]
            .iter()
            .find_map(|field| node.child_by_field_name(field));
        if let (Some(of), Some(member)) = (of, member)
            && is_of(text(source, of))
            && closes(text(source, member))
        {
            return true;
        }
    }
    match node.kind() {
        "with_item" | "resource" => {
            let head = text(source, node).split(" as ").next().unwrap_or_default().trim();
            names.contains(&head)
        }
        _ => node.child_by_field_name("arguments").is_some_and(|given| {
            closes(called(source, node)) && words(text(source, given)).any(|word| names.contains(&word))
        }),
    }
}

/// The variable that holds what was made around it: closing that closes it.
fn wraps<'s>(source: &'s str, node: Node<'_>, names: &[&str]) -> Option<&'s str> {
    let given = node.child_by_field_name("arguments")?;
    let is_made = matches!(node.kind(), "object_creation_expression" | "new_expression")
        || node.kind() == "call" && called(source, node).starts_with(char::is_uppercase);
    if !is_made || !words(text(source, given)).any(|word| names.contains(&word)) {
        return None;
    }
    let whole = node.parent()?;
    let left = matches!(whole.kind(), "assignment" | "variable_declarator" | "assignment_expression")
        .then(|| whole.child(0))??;
    Some(text(source, left))
}
