//! Signatures before a function: ways to call the one of their name that follows, which alone is the function.

use tree_sitter::Node;

use super::extract::Reader;
use crate::sheet::{field, line, named_children};

/// What the signatures before a function say of it.
pub(super) struct Told {
    name: Vec<u8>,
    doc: String,
}

impl Reader<'_> {
    /// Whether a function of the same name follows a signature; what is said of the signature is then kept for it.
    pub(super) fn is_way_to_call(&mut self, node: Node<'_>) -> bool {
        let Some(name) = field(node, "name") else { return false };
        let whole = statement(node);
        let mut next = whole.next_named_sibling();
        while let Some(comment) = next.filter(|next| next.kind() == "comment") {
            next = comment.next_named_sibling();
        }
        let followed = next.and_then(function_in).and_then(|next| field(next, "name"));
        if followed.is_none_or(|next| self.sheet.bytes(next) != self.sheet.bytes(name)) {
            return false;
        }
        let name = self.sheet.bytes(name).to_vec();
        let doc = self.sheet.take_doc(line(whole));
        let is_known = self.told.as_ref().is_some_and(|told| told.name == name && !told.doc.is_empty());
        if !is_known {
            self.told = Some(Told { name, doc });
        }
        true
    }

    /// What was said of a function by the signatures before it.
    pub(super) fn told_of(&mut self, name: &[u8]) -> Option<String> {
        self.told.take().filter(|told| told.name == name && !told.doc.is_empty()).map(|told| told.doc)
    }
}

/// The statement that a declaration is in, with what exports it.
fn statement(node: Node<'_>) -> Node<'_> {
    let mut whole = node;
    while let Some(around) = whole.parent().filter(|one| is_around(*one)) {
        whole = around;
    }
    whole
}

fn is_around(node: Node<'_>) -> bool {
    matches!(node.kind(), "export_statement" | "ambient_declaration")
}

/// The function that a statement declares.
fn function_in(statement: Node<'_>) -> Option<Node<'_>> {
    let mut inner = statement;
    while is_around(inner) {
        inner = named_children(inner).into_iter().find(|child| is_around(*child) || is_function(*child))?;
    }
    is_function(inner).then_some(inner)
}

fn is_function(node: Node<'_>) -> bool {
    matches!(node.kind(), "function_signature" | "function_declaration" | "generator_function_declaration")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing;

    #[test]
    fn calls_lead_to_the_function_whichever_signature_they_meet() {
        let fixture = r#"
//- a.ts
/** Parse it. */
export function parse(x: string): number
// and numbers
export function parse(x: number): string
export function parse(x: any): any { return x }
declare function far(x: string): void
declare function far(x: number): void
//- b.ts
import { parse } from './a'
export function use() { parse('x'); parse(3) }
"#;
        expect![[r#"
            b.ts use -> a.ts parse @[2]
        "#]]
        .assert_eq(&testing::calls(fixture));
        let ingested = testing::graph(fixture);
        let shown = |id: &str| {
            let node = ingested.node_by_id(id).map(|ix| ingested.node(ix));
            node.map(|node| format!("{}-{} {}", node.lines().0, node.lines().1, node.doc()))
        };
        assert_eq!(shown("function::a.ts::parse").as_deref(), Some("5-5 Parse it."));
        assert_eq!(shown("function::a.ts::far").as_deref(), Some("7-7 "));
        assert_eq!(shown("function::a.ts::parse#2"), None);
    }
    #[test]
    fn a_function_is_one_whatever_type_it_is_said_to_have() {
        let fixture = r#"
//- a.ts
export const create = ((x) => inner(x)) as Create
export const plain = /*#__PURE__*/ ((x) => inner(x))
export const fits = ((x) => x) satisfies Create
export const number = (1 as unknown) as Create
function inner(x) { return x }
//- b.ts
import { create, plain, fits, number } from './a'
export function use() { create(1); plain(2); fits(3); number(4) }
"#;
        expect![[r#"
            a.ts create -> a.ts inner @[1]
            a.ts plain -> a.ts inner @[2]
            b.ts use -> a.ts create @[2]
            b.ts use -> a.ts fits @[2]
            b.ts use -> a.ts plain @[2]
        "#]]
        .assert_eq(&testing::calls(fixture));
    }
}
