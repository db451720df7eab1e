//! Hooks of tests: `beforeEach` and its like run for every test of the block that they stand in.

use tree_sitter::Node;

use m1nd_graph::NodeFlags;
use m1nd_graph::fixtures::SETS_UP;

use super::extract::Reader;
use crate::sheet::{field, line, named_children};

impl Reader<'_> {
    /// Notes which lines a hook is on, and those of the tests that it is run for.
    pub(super) fn note_hook(&mut self, node: Node<'_>) {
        if !self.sheet.facts.flags.has(NodeFlags::TEST_CODE) || !is_hook(self.callee(node)) {
            return;
        }
        let first = field(node, "arguments").map(named_children).unwrap_or_default().into_iter().next();
        let does_something = first
            .is_some_and(|a| matches!(a.kind(), "arrow_function" | "function_expression" | "identifier"));
        // In a function it runs where that is called.
        if !does_something || self.sheet.scope().is_some() {
            return;
        }
        let mut block = node.parent();
        while let Some(around) = block.filter(|&around| !self.is_block(around)) {
            block = around.parent();
        }
        let (first, last) = block.map_or((1, self.sheet.facts.lines.max(1)), lines);
        let (from, to) = lines(node);
        self.sheet.facts.tags.push((None, format!("{SETS_UP}{from}-{to}:{first}-{last}")));
    }

    fn is_block(&self, node: Node<'_>) -> bool {
        let name = self.callee(node).split('.').next();
        node.kind() == "call_expression" && matches!(name, Some("describe" | "context" | "suite"))
    }

    fn callee(&self, call: Node<'_>) -> &str {
        field(call, "function").map_or("", |function| self.sheet.text(function))
    }
}

fn is_hook(callee: &str) -> bool {
    let name = callee.strip_prefix("test.").unwrap_or(callee);
    matches!(name, "beforeEach" | "beforeAll" | "afterEach" | "afterAll" | "before" | "after")
}

fn lines(node: Node<'_>) -> (u32, u32) {
    (line(node), node.end_position().row as u32 + 1)
}
