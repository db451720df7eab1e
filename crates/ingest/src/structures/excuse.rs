//! Excuse: what around a place says that it is meant so, or that it is no such place at all.

use tree_sitter::Node;

use super::{Shape, closed};

/// What a query saw.
pub struct Seen<'t, 's> {
    pub node: Node<'t>,
    pub name: Option<Node<'t>>,
    pub body: Option<Node<'t>>,
    pub source: &'s str,
}

impl<'t> Seen<'t, '_> {
    pub fn text(&self, node: Node<'t>) -> &str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }

    /// Whether a comment stands in the line above, or behind it.
    fn is_explained(&self) -> bool {
        let row = self.node.start_position().row;
        let mut lines = self.source.lines().skip(row.saturating_sub(1));
        let above = (row > 0).then(|| lines.next()).flatten().unwrap_or_default().trim_start();
        let own = lines.next().unwrap_or_default();
        above.starts_with("//") || above.starts_with("# ") || own.contains(" // ") || own.contains("  # ")
    }

    /// Whether what is called only ends something: there the first error is the one that counts.
    fn cleans_up(&self) -> bool {
        let name = self.name.map(|name| self.text(name)).unwrap_or_default();
        let name = name.rsplit(['.', ':']).next().unwrap_or_default();
        matches!(
            name,
            "Close" | "Rollback" | "RemoveAll" | "Remove" | "close" | "rollback" | "shutdown" | "Shutdown"
        )
    }

    /// The node around it that one of these words names the kind of.
    fn around(&self, kinds: &[&str]) -> Option<Node<'t>> {
        let mut here = self.node.parent();
        while let Some(node) = here {
            if kinds.contains(&node.kind()) {
                return Some(node);
            }
            here = node.parent();
        }
        None
    }
}

/// Kinds of nodes that are functions, in any of the languages.
const FUNCTIONS: [&str; 11] = [
    "function_definition",
    "function_declaration",
    "method_declaration",
    "method_definition",
    "arrow_function",
    "function_expression",
    "function_item",
    "closure_expression",
    "func_literal",
    "constructor_declaration",
    "lambda_expression",
];

/// Nothing where it is no place of that shape; else an excuse, if there is one.
pub fn judge(family: &str, shape: Shape, seen: &Seen<'_, '_>) -> Option<Option<&'static str>> {
    match shape {
        Shape::ErrorHandling if family == "python" => python_except(seen),
        Shape::ErrorHandling => match seen.body {
            Some(body) => empty_catch(seen, body),
            None if seen.is_explained() => Some(Some(COMMENTED)),
            None => Some(seen.cleans_up().then_some("it cleans up, and its own error has nobody to go to")),
        },
        Shape::ResourceCleanup => Some(left_open(seen)?),
        Shape::Concurrency if seen.is_explained() => Some(Some(COMMENTED)),
        Shape::Concurrency => Some(not_awaited(family, seen)),
    }
}

const COMMENTED: &str = "a comment says why";

fn python_except(seen: &Seen<'_, '_>) -> Option<Option<&'static str>> {
    let mut cursor = seen.node.walk();
    let children: Vec<Node<'_>> = seen.node.named_children(&mut cursor).collect();
    let block = children.iter().find(|child| child.kind() == "block")?;
    let mut cursor = block.walk();
    let does_nothing = |node: Node<'_>| match node.kind() {
        "pass_statement" | "comment" | "continue_statement" => true,
        "return_statement" => matches!(seen.text(node).trim(), "return" | "return None"),
        "expression_statement" => seen.text(node).trim() == "...",
        _ => false,
    };
    if !block.named_children(&mut cursor).all(does_nothing) {
        return None;
    }
    // A comment may stand before the block, inside the clause.
    let has_comment =
        seen.text(seen.node).lines().any(|line| line.trim_start().starts_with('#') || line.contains(" # "));
    let is_wide = caught(seen).is_none_or(|node| {
        let text = seen.text(node);
        let name = text.split(" as ").next().unwrap_or(text).trim();
        matches!(name, "Exception" | "BaseException")
    });
    Some(match (has_comment, is_wide) {
        (_, false) => Some("only what is named is dropped"),
        (true, true) => Some(COMMENTED),
        (false, true) => None,
    })
}

/// What an `except` names; nothing where it takes all.
pub fn caught<'t>(seen: &Seen<'t, '_>) -> Option<Node<'t>> {
    let mut cursor = seen.node.walk();
    let is_except = seen.node.kind() == "except_clause";
    let mut children = seen.node.named_children(&mut cursor);
    children.find(|child| is_except && !matches!(child.kind(), "block" | "comment"))
}

fn empty_catch(seen: &Seen<'_, '_>, body: Node<'_>) -> Option<Option<&'static str>> {
    let mut cursor = body.walk();
    let inside: Vec<Node<'_>> = body.named_children(&mut cursor).collect();
    let is_comment = |node: &Node<'_>| node.kind().contains("comment");
    if !inside.iter().all(is_comment) {
        return None;
    }
    let head = seen.text(seen.node).split('{').next().unwrap_or_default().to_lowercase();
    let is_said = ["ignore", "expected", "unused"].iter().any(|word| head.contains(word));
    Some(match (inside.is_empty(), is_said) {
        (false, _) => Some(COMMENTED),
        (true, true) => Some("its name says that it is ignored"),
        (true, false) => None,
    })
}

fn left_open(seen: &Seen<'_, '_>) -> Option<Option<&'static str>> {
    if seen.around(&["with_item", "with_clause", "resource"]).is_some() {
        return None;
    }
    // The outer one of several that wrap each other counts.
    let parent = seen.node.parent()?;
    if parent.kind() == "argument_list"
        && parent.parent().is_some_and(|node| node.kind() == "object_creation_expression")
    {
        return Some(Some("what it is given to may close it"));
    }
    if seen.around(&["return_statement"]).is_some() && parent.kind() != "attribute" {
        return Some(Some("it is handed to the caller"));
    }
    if seen.around(&["yield", "lambda"]).is_some() {
        return Some(Some("it is handed to the caller"));
    }
    const CLOSED: &str = "it is closed in the same function";
    if closed::at_once(seen.source, seen.node) {
        return Some(Some(CLOSED));
    }
    let Some(name) = assigned_to(seen) else { return Some(None) };
    let name = seen.text(name);
    let whole = seen.around(&FUNCTIONS).or_else(|| seen.around(&WHOLE));
    if whole.is_some_and(|whole| closed::by_name(seen.source, whole, seen.node, name)) {
        return Some(Some(CLOSED));
    }
    if name.contains('.') || name.contains('[') {
        return Some(Some(KEPT));
    }
    Some(seen.around(&FUNCTIONS).and_then(|function| handed_on(seen, function, name)))
}

/// Kinds of nodes that are a whole file.
const WHOLE: [&str; 4] = ["module", "program", "source_file", "translation_unit"];

const KEPT: &str = "it is kept in an object that may close it";

/// What the value that was found becomes: the first on the left side.
fn assigned_to<'t>(seen: &Seen<'t, '_>) -> Option<Node<'t>> {
    let assigns = [
        "assignment",
        "variable_declarator",
        "short_var_declaration",
        "assignment_statement",
        "assignment_expression",
    ];
    // Go writes both sides as lists.
    let parent = seen.node.parent()?;
    let whole = if parent.kind() == "expression_list" { parent.parent()? } else { parent };
    let left = whole.child(0).filter(|_| assigns.contains(&whole.kind()))?;
    if left.kind() == "pattern_list" || left.kind() == "tuple_pattern" {
        // As many names as values, each for its own.
        let mut cursor = parent.walk();
        let at = parent.named_children(&mut cursor).position(|value| value == seen.node)?;
        return left.named_child(u32::try_from(at).ok()?);
    }
    if left.kind() == "expression_list" { left.named_child(0) } else { Some(left) }
}

/// Whether a variable itself, and not something that is asked of it, is given back or put into something that lives on.
fn handed_on(seen: &Seen<'_, '_>, function: Node<'_>, name: &str) -> Option<&'static str> {
    let asked_of =
        ["attribute", "selector_expression", "member_expression", "field_access", "method_invocation"];
    let is_it = |node: Node<'_>| {
        let is_object = node
            .parent()
            .is_some_and(|parent| asked_of.contains(&parent.kind()) && parent.named_child(0) == Some(node));
        node.kind() == "identifier" && seen.source.get(node.byte_range()) == Some(name) && !is_object
    };
    let mut open = vec![function];
    while let Some(node) = open.pop() {
        let mut cursor = node.walk();
        open.extend(node.named_children(&mut cursor));
        if !is_it(node) {
            continue;
        }
        let mut here = node.parent();
        while let Some(around) = here.filter(|around| *around != function) {
            match around.kind() {
                "return_statement" | "yield" | "yield_expression" => {
                    return Some("it is handed to the caller");
                }
                "literal_value" | "composite_literal" | "pair" | "keyed_element" => return Some(KEPT),
                "assignment" | "assignment_statement" | "assignment_expression" => {
                    let left = around.child(0).filter(|left| left.end_byte() <= node.start_byte());
                    let is_field = left.and_then(|left| seen.source.get(left.byte_range()));
                    if is_field.is_some_and(|left| left.contains('.') || left.contains('[')) {
                        return Some(KEPT);
                    }
                    break;
                }
                // What it is given to gives back its own.
                "argument_list" | "arguments" if !is_wrapped(around) => break,
                _ => {}
            }
            here = around.parent();
        }
    }
    None
}

/// Whether arguments are those of something that is made, and so may hold on to them.
fn is_wrapped(arguments: Node<'_>) -> bool {
    arguments.parent().is_some_and(|call| {
        matches!(call.kind(), "object_creation_expression" | "new_expression")
            || call.parent().is_some_and(|node| node.kind() == "return_statement")
            || call
                .parent()
                .and_then(|list| list.parent())
                .is_some_and(|node| node.kind() == "return_statement")
    })
}

fn not_awaited(family: &str, seen: &Seen<'_, '_>) -> Option<&'static str> {
    let around = seen.around(&FUNCTIONS);
    let is_async = around.is_some_and(|node| seen.text(node).trim_start().starts_with("async"));
    match (family, around, is_async) {
        ("script", None, _) => Some("it starts the program"),
        ("script", Some(_), false) => Some("what calls it is not asynchronous and cannot wait"),
        _ => None,
    }
}
