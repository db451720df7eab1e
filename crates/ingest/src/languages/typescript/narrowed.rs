//! What a value is where its class was asked for: `if (x instanceof A)`.

use tree_sitter::Node;

use super::extract::Reader;
use crate::facts::{By, Expr, Few};
use crate::sheet::field;

impl Reader<'_> {
    /// Below a condition that asks for its class a value is of that class, whatever else it may be elsewhere.
    pub(super) fn narrowed(&mut self, condition: Node<'_>) {
        let (Some(value), Some(class)) = (field(condition, "left"), field(condition, "right")) else {
            return;
        };
        let is_class = matches!(class.kind(), "identifier" | "member_expression")
            && self
                .sheet
                .text(class)
                .rsplit('.')
                .next()
                .is_some_and(|name| name.starts_with(char::is_uppercase));
        let Some(below) = below(condition).filter(|_| is_class && value.kind() == "identifier") else {
            return;
        };
        let of = self.sheet.expr(Some(class));
        let callee = self.sheet.push(Expr::Out { of, by: By::New });
        let is = self.sheet.push(Expr::Call { callee, args: Few::new(), types: Few::new() });
        let name = self.sheet.name_of(value);
        self.sheet.bind(name, below.start_byte(), below.end_byte() as u32, None, Some(is));
    }
}

/// What only runs where a condition holds.
fn below(condition: Node<'_>) -> Option<Node<'_>> {
    let mut at = condition;
    loop {
        let outer = at.parent()?;
        match outer.kind() {
            "binary_expression" if field(outer, "operator").is_some_and(|by| by.kind() == "&&") => at = outer,
            "if_statement" | "ternary_expression" if field(outer, "condition") == Some(at) => {
                return field(outer, "consequence");
            }
            "parenthesized_expression" => at = outer,
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
            a.ts go -> a.ts H.get @[4]
            a.ts one -> a.ts K.get @[8]
        "#]]
        .assert_eq(&testing::calls(
            r#"
//- a.ts
class H { get() {} }
class K { get() {} }
function go(h: H | Map<string, number>) {
  if (h instanceof H && h) { h.get() }
  else if (h instanceof Map) { h.get() }
}
function one(h: H) {
  return h instanceof K ? h.get() : null
}
"#,
        ));
    }
}
