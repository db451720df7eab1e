//! Answers: which names a module gives that it does not have, by what its `__getattr__` compares them with.

use std::collections::BTreeSet;

use tree_sitter::{Node, Tree};

use crate::answered::Answers;

/// Statements around others that are looked into for the function.
const MAX_DEPTH: u32 = 4;

/// Nothing where a module has no such function.
pub(crate) fn answers(tree: &Tree, source: &[u8]) -> Option<Answers> {
    let root = tree.root_node();
    let module = Module { source, root };
    match module.answering(root, MAX_DEPTH)? {
        Answering::Function(function) => Some(module.names_of(function).map_or(Answers::Any, Answers::Only)),
        Answering::Value => Some(Answers::Any),
    }
}

/// Whether a module gives itself a name by the table of its names: `globals()["name"] = made`.
pub(crate) fn sets_global(text: &str, name: &str) -> bool {
    ['"', '\''].iter().any(|mark| text.contains(&format!("globals()[{mark}{name}{mark}]")))
}

const NAME: &str = "__getattr__";

/// What a module answers by.
enum Answering<'t> {
    Function(Node<'t>),
    /// What it is, is written elsewhere.
    Value,
}

struct Module<'t, 's> {
    source: &'s [u8],
    root: Node<'t>,
}

impl<'t, 's> Module<'t, 's> {
    fn text(&self, node: Node<'_>) -> &'s str {
        self.source.get(node.byte_range()).and_then(|text| std::str::from_utf8(text).ok()).unwrap_or_default()
    }

    /// It may stand within a condition, and in no class and no other function.
    fn answering(&self, within: Node<'t>, depth: u32) -> Option<Answering<'t>> {
        children(within).into_iter().find_map(|node| match node.kind() {
            "function_definition" => {
                let is_it = node.child_by_field_name("name").is_some_and(|name| self.text(name) == NAME);
                is_it.then_some(Answering::Function(node))
            }
            // What decorates it may answer instead.
            "decorated_definition" | "import_from_statement" => {
                let names = children(node).into_iter().filter_map(|inner| match inner.kind() {
                    "function_definition" => inner.child_by_field_name("name"),
                    "aliased_import" => inner.child_by_field_name("alias"),
                    "dotted_name" => Some(inner),
                    _ => None,
                });
                names.map(|name| self.text(name)).any(|name| name == NAME).then_some(Answering::Value)
            }
            "expression_statement" => {
                let assigned = node.named_child(0).filter(|inner| inner.kind() == "assignment");
                let left = assigned.and_then(|inner| inner.child_by_field_name("left"));
                left.is_some_and(|left| self.text(left) == NAME).then_some(Answering::Value)
            }
            "class_definition" => None,
            _ if depth > 0 => self.answering(node, depth - 1),
            _ => None,
        })
    }

    /// The names for which a function gives something; nothing where it may give something for others as well.
    fn names_of(&self, function: Node<'t>) -> Option<BTreeSet<String>> {
        let first = function.child_by_field_name("parameters")?.named_child(0)?;
        let asked = if first.kind() == "identifier" { first } else { first.named_child(0)? };
        let (asked, body) = (self.text(asked), function.child_by_field_name("body")?);
        let mut gives = Vec::new();
        returns(body, &mut gives);
        let mut names = BTreeSet::new();
        for given in gives {
            names.extend(self.admitted(given, body, asked)?);
        }
        Some(names)
    }

    /// The names for which a statement within the function is reached.
    fn admitted(&self, statement: Node<'t>, body: Node<'t>, asked: &str) -> Option<BTreeSet<String>> {
        let mut here = statement;
        while let Some(around) = here.parent().filter(|_| here != body) {
            let is_then = around.child_by_field_name("consequence") == Some(here);
            let condition = around.child_by_field_name("condition").filter(|_| is_then);
            if let Some(names) = condition.and_then(|condition| self.compared(condition, asked, "in")) {
                return Some(names);
            }
            if around.kind() == "case_clause"
                && let Some(names) = self.matched(around, asked)
            {
                return Some(names);
            }
            // What stands above in the same block may have turned others away.
            if around.kind() == "block" {
                let above = children(around).into_iter().take_while(|node| *node != here);
                let guards = above.filter(|node| node.kind() == "if_statement" && turns_away(*node));
                let mut conditions = guards.filter_map(|node| node.child_by_field_name("condition"));
                if let Some(names) = conditions.find_map(|one| self.compared(one, asked, "not in")) {
                    return Some(names);
                }
            }
            here = around;
        }
        None
    }

    /// The names for which a condition holds, or for which it does not, as the word says.
    fn compared(&self, condition: Node<'t>, asked: &str, word: &str) -> Option<BTreeSet<String>> {
        match condition.kind() {
            "parenthesized_expression" => self.compared(condition.named_child(0)?, asked, word),
            "boolean_operator" => {
                let left = self.compared(condition.child_by_field_name("left")?, asked, word);
                let right = self.compared(condition.child_by_field_name("right")?, asked, word);
                let is_and = condition.child_by_field_name("operator")?.kind() == "and";
                match is_and == (word == "in") {
                    true => left.or(right),
                    false => left.zip(right).map(|(left, right)| &left | &right),
                }
            }
            "comparison_operator" if condition.named_child_count() == 2 => {
                let (left, right) = (condition.named_child(0)?, condition.named_child(1)?);
                let between = self.source.get(left.end_byte()..right.start_byte())?;
                let between = std::str::from_utf8(between).ok()?;
                let between = between.split_whitespace().collect::<Vec<_>>().join(" ");
                let equal = if word == "in" { "==" } else { "!=" };
                let is_asked = |node: Node<'_>| node.kind() == "identifier" && self.text(node) == asked;
                match between.as_str() {
                    found if found == equal && is_asked(left) => self.string(right).map(|one| [one].into()),
                    found if found == equal && is_asked(right) => self.string(left).map(|one| [one].into()),
                    found if found == word && is_asked(left) => self.listed(right),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The names that a case of a match stands for.
    fn matched(&self, clause: Node<'t>, asked: &str) -> Option<BTreeSet<String>> {
        let mut around = clause.parent()?;
        while around.kind() != "match_statement" {
            around = around.parent()?;
        }
        let subject = around.child_by_field_name("subject")?;
        let patterns: Vec<Node<'_>> =
            children(clause).into_iter().filter(|node| node.kind() == "case_pattern").collect();
        if self.text(subject) != asked || patterns.is_empty() {
            return None;
        }
        let mut names = BTreeSet::new();
        for pattern in patterns {
            let inner = pattern.named_child(0)?;
            let parts = if inner.kind() == "union_pattern" { children(inner) } else { vec![inner] };
            for part in parts {
                names.insert(self.string(part)?);
            }
        }
        Some(names)
    }

    /// The strings of a list that is written there, or once at the top of the module.
    fn listed(&self, list: Node<'t>) -> Option<BTreeSet<String>> {
        match list.kind() {
            "list" | "tuple" | "set" => children(list).into_iter().map(|one| self.string(one)).collect(),
            "dictionary" => {
                let keys = children(list).into_iter().map(|pair| pair.child_by_field_name("key"));
                keys.map(|key| self.string(key?)).collect()
            }
            "identifier" => {
                let assigned = children(self.root).into_iter().filter_map(|node| {
                    let inner = node.named_child(0).filter(|_| node.kind() == "expression_statement")?;
                    let left = inner.child_by_field_name("left")?;
                    (self.text(left) == self.text(list)).then_some(inner)
                });
                let assigned: Vec<Node<'_>> = assigned.collect();
                let [only] = assigned[..] else { return None };
                let value = only.child_by_field_name("right").filter(|_| only.kind() == "assignment")?;
                (value.kind() != "identifier").then(|| self.listed(value))?
            }
            _ => None,
        }
    }

    /// What a string says in which nothing is filled in.
    fn string(&self, node: Node<'_>) -> Option<String> {
        let text = self.text(node);
        let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        let inner = inner.or_else(|| text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')))?;
        let is_word = inner.chars().all(|c| c.is_alphanumeric() || c == '_');
        (node.kind() == "string" && is_word).then(|| inner.to_owned())
    }
}

fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

/// The statements within others that give something back, but for those of functions within.
fn returns<'t>(within: Node<'t>, found: &mut Vec<Node<'t>>) {
    for node in children(within) {
        match node.kind() {
            "return_statement" if node.named_child_count() > 0 => found.push(node),
            "function_definition" | "class_definition" | "lambda" => {}
            _ => returns(node, found),
        }
    }
}

/// Whether a condition without another way ends in an error.
fn turns_away(statement: Node<'_>) -> bool {
    let then = statement.child_by_field_name("consequence");
    let last = then.and_then(|then| children(then).pop());
    let is_alone = statement.child_by_field_name("alternative").is_none();
    is_alone && last.is_some_and(|last| last.kind() == "raise_statement")
}
