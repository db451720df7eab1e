//! Overloads: declarations of a function that say how it may be called, before the function itself.

use m1nd_vfs::read::decode;
use tree_sitter::Node;

use crate::languages;
use crate::walk::PARSE_LIMIT;

/// How grammars name a declaration that only says how a function is called, and what may stand around a function.
const SIGNATURES: [&str; 2] = ["function_signature", "method_signature"];
const AROUND: [&str; 2] = ["export_statement", "decorated_definition"];

/// The line of the function that an overload on a line declares; nothing where none is declared there.
pub fn function_of(path: &str, bytes: &[u8], line: u32) -> Option<u32> {
    let language = languages::of_path(path)?;
    if !matches!(language.family, "python" | "script") {
        return None;
    }
    let (text, _) = decode(bytes)?;
    let source = text.as_bytes();
    let tree = languages::tree(language, source, PARSE_LIMIT).ok()?;
    let row = usize::try_from(line).ok()?.checked_sub(1)?;
    let mut at = tree.root_node();
    let declared = loop {
        let mut cursor = at.walk();
        let inner = at.named_children(&mut cursor).find(|child| covers(*child, row))?;
        if is_overload(inner, source) {
            break inner;
        }
        at = inner;
    };
    let name = name(declared, source)?;
    let mut next = declared.next_named_sibling();
    while let Some(other) = next {
        // Comments may stand between them.
        if !other.kind().contains("comment") {
            if self::name(other, source) != Some(name) {
                return None;
            }
            if !is_overload(other, source) {
                let at = inside(other).child_by_field_name("name")?.start_position().row;
                return u32::try_from(at).ok()?.checked_add(1);
            }
        }
        next = other.next_named_sibling();
    }
    None
}

fn covers(node: Node<'_>, row: usize) -> bool {
    (node.start_position().row..=node.end_position().row).contains(&row)
}

/// What is decorated or exported.
fn inside(node: Node<'_>) -> Node<'_> {
    if !AROUND.contains(&node.kind()) {
        return node;
    }
    let field = |name| node.child_by_field_name(name);
    field("definition").or_else(|| field("declaration")).unwrap_or(node)
}

fn name<'s>(node: Node<'_>, source: &'s [u8]) -> Option<&'s [u8]> {
    let name = inside(node).child_by_field_name("name")?;
    source.get(name.byte_range())
}

fn is_overload(node: Node<'_>, source: &[u8]) -> bool {
    if SIGNATURES.contains(&inside(node).kind()) {
        return true;
    }
    let mut cursor = node.walk();
    let mut decorators = node.named_children(&mut cursor).filter(|child| child.kind() == "decorator");
    decorators.any(|decorator| {
        let text = std::str::from_utf8(&source[decorator.byte_range()]).unwrap_or_default();
        text.trim_start_matches('@').trim().rsplit('.').next() == Some("overload")
    })
}

#[cfg(all(test, feature = "lang-typescript", feature = "lang-python"))]
mod tests {
    use super::function_of;

    #[test]
    fn an_overload_belongs_to_the_function_after_it() {
        let python = "import typing as t\n\n\nclass A:\n    @t.overload\n    def get(self, a: int) -> int: ...\n\n    @t.overload\n    def get(self, a: str) -> str: ...\n\n    def get(self, a):\n        return a\n\n    def other(self):\n        pass\n";
        let of = |line| function_of("a.py", python.as_bytes(), line);
        assert_eq!([4, 5, 6, 9, 11, 14].map(of), [None, Some(11), Some(11), Some(11), None, None]);
        let ts = "export function f(a: string): string;\n// or\nexport function f(a: number): number;\nexport function f(a: any) {\n  return a;\n}\ndeclare function g(): void;\ninterface I { m(): void; }\n";
        let of = |line| function_of("a.ts", ts.as_bytes(), line);
        assert_eq!([1, 2, 3, 4, 7, 8].map(of), [Some(4), None, Some(4), None, None, None]);
        assert_eq!(function_of("a.go", b"package a\n", 1), None);
    }
}
