//! What a value is where its class was asked for: `if isinstance(x, A):`.

use tree_sitter::Node;

use super::extract::Reader;
use crate::facts::{Expr, ExprIx, Few};
use crate::sheet::{field, named_children};

/// Classes of the language that are written in small letters.
const SMALL: [&str; 14] = [
    "bool",
    "bytearray",
    "bytes",
    "complex",
    "dict",
    "float",
    "frozenset",
    "int",
    "list",
    "memoryview",
    "range",
    "set",
    "str",
    "tuple",
];

impl Reader<'_> {
    /// Below a condition that asks for its class a value is of that class, whatever else it may be elsewhere.
    pub(super) fn narrowed(&mut self, call: Node<'_>, arguments: &[Node<'_>]) {
        let [value, class] = arguments else { return };
        if value.kind() != "identifier" {
            return;
        }
        let Some(below) = below(call) else { return };
        let classes = match class.kind() {
            "tuple" => named_children(*class),
            _ => vec![*class],
        };
        if classes.is_empty() || !classes.iter().all(|class| self.is_class(*class)) {
            return;
        }
        let made: Vec<ExprIx> = classes
            .into_iter()
            .map(|class| {
                let callee = self.sheet.expr(Some(class));
                self.sheet.push(Expr::Call { callee, args: Few::new(), types: Few::new() })
            })
            .collect();
        let is = match made[..] {
            [only] => only,
            _ => self.sheet.push(Expr::Any(made.into())),
        };
        let name = self.sheet.name_of(*value);
        self.sheet.bind(name, below.start_byte(), below.end_byte() as u32, None, Some(is));
    }

    /// Whether a class is named; a variable may hold any.
    fn is_class(&self, node: Node<'_>) -> bool {
        let name = match node.kind() {
            "identifier" => node,
            "attribute" => match field(node, "attribute") {
                Some(name) => name,
                None => return false,
            },
            _ => return false,
        };
        let name = self.sheet.text(name);
        let name = name.trim_start_matches('_');
        // `STRING_TYPES` may be several.
        let is_constant = name.contains('_') && !name.contains(char::is_lowercase);
        SMALL.contains(&name) || name.starts_with(char::is_uppercase) && !is_constant
    }
}

/// What only runs where a condition holds.
fn below(condition: Node<'_>) -> Option<Node<'_>> {
    let mut at = condition;
    loop {
        let outer = at.parent()?;
        match outer.kind() {
            "parenthesized_expression" => at = outer,
            "boolean_operator" if field(outer, "operator").is_some_and(|by| by.kind() == "and") => at = outer,
            "if_statement" | "elif_clause" if field(outer, "condition") == Some(at) => {
                return field(outer, "consequence");
            }
            "conditional_expression" if outer.named_child(1) == Some(at) => return outer.named_child(0),
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing;

    #[test]
    fn a_value_is_of_the_class_that_it_was_asked_for() {
        expect![[r#"
            a.py go -> a.py H.items @[8]
            a.py go -> a.py K.items @[10]
            a.py one -> a.py K.items @[17]
        "#]]
        .assert_eq(&testing::calls(
            r#"
//- a.py
from collections.abc import Mapping
class H:
    def items(self): ...
class K:
    def items(self): ...
def go(h: "H | dict"):
    if isinstance(h, H):
        h.items()
    elif (isinstance(h, K)) and h:
        h.items()
    elif isinstance(h, Mapping):
        h.items()
    elif isinstance(h, (dict, list)):
        h.items()
def one(h: H):
    if isinstance(h, dict): h.items()
    return h.items() if isinstance(h, K) else None
"#,
        ));
    }
}
